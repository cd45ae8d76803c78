//! Reads a `ConfigMap` as config: kpt's `-- key=value` form, one target, all values strings.

use super::host_network::{API_VERSION, HOST_NETWORK, HostNetwork, HostNetworkSpec, Metadata, Target};
use super::nodes::Nodes;
use super::port_range::{NoRange, PortRange};
use super::ports::{Port, PortChoice, Ports};
use super::select::Select;
use super::suggest::unknown;
use super::word::word;
use lossless_yaml::{NodeRef, Path};

/// The keys of a ConfigMap config; `ports.KEY` accepts any KEY.
const KEYS: [&str; 17] = [
    "kind",
    "group",
    "name",
    "namespace",
    "labelSelector",
    "annotationSelector",
    "ports",
    "ports.KEY",
    "portPool",
    "reserved",
    "dnsPolicy",
    "rollout",
    "podSecurity",
    "unmatched",
    "failOn",
    "nodes",
    "crossplane.version",
];

/// Reads the data of a ConfigMap; `None` if empty (kpt sends `data: {}` without user values).
pub(super) fn read(root: NodeRef<'_, '_>) -> Result<Option<HostNetwork>, (Path, String)> {
    let data_path = Path::root().key("data");
    let Some(data) = root.get("data").filter(|data| data.entries().next().is_some()) else {
        return Ok(None);
    };
    let mut select = Select::default();
    let mut spec = HostNetworkSpec::default();
    let mut whole: Option<Ports> = None;
    let mut single = Vec::new();
    for (key, value) in data.entries() {
        let key = key.text().unwrap_or_default();
        let at = |message: String| (data_path.key(key.to_owned()), message);
        let text = value.text().ok_or_else(|| at(format!("the value of `{key}` is not a text")))?;
        let owned = || Some(text.to_owned());
        match key {
            "group" => select.group = owned(),
            "kind" => select.kind = owned(),
            "name" => select.name = owned(),
            "namespace" => select.namespace = owned(),
            "labelSelector" => select.label_selector = owned(),
            "annotationSelector" => select.annotation_selector = owned(),
            "crossplane.version" => spec.crossplane.version = owned(),
            "dnsPolicy" => spec.dns_policy = word(key, text).map_err(at)?,
            "rollout" => spec.rollout = word(key, text).map_err(at)?,
            "podSecurity" => spec.pod_security = word(key, text).map_err(at)?,
            "unmatched" => spec.unmatched = word(key, text).map_err(at)?,
            "failOn" => spec.fail_on = word(key, text).map_err(at)?,
            "nodes" => spec.nodes = Some(nodes(text).map_err(at)?),
            "portPool" => spec.port_pool = Some(text.parse().map_err(|error: NoRange| at(error.to_string()))?),
            "reserved" => {
                let ranges = text.split(',').map(|range| range.trim().parse::<PortRange>());
                spec.reserved = ranges.collect::<Result<_, _>>().map_err(|error| at(error.to_string()))?;
            }
            "ports" if text == "keep" => whole = Some(Ports::Keep),
            "ports" if text == "auto" => whole = Some(Ports::Auto),
            "ports" => {
                let message = format!("`ports` is `{text}`, expected `auto` or `keep`; numbers go under `ports.KEY`");
                return Err(at(message));
            }
            _ => match key.strip_prefix("ports.") {
                Some(port) if !port.is_empty() => single.push((port.to_owned(), choice(text).map_err(at)?)),
                _ => return Err(at(unknown("key", key, &KEYS))),
            },
        }
    }
    if let (Some(Ports::Auto), Some((port, _))) = (&whole, single.first()) {
        let message = format!(
            "`ports` is `auto`, which is for all ports, and `ports.{port}` is for one; leave out `ports`, and write `ports.KEY: \
             auto` for each other port that is to move"
        );
        return Err((data_path.key("ports"), message));
    }
    let ports = if single.is_empty() { whole.unwrap_or_default() } else { Ports::Map(single) };
    spec.targets.push(Target { select, ports, program: None, bind: Vec::new() });
    Ok(Some(HostNetwork {
        api_version: API_VERSION.to_owned(),
        kind: HOST_NETWORK.to_owned(),
        metadata: Metadata::default(),
        spec,
    }))
}

/// Parses a value of `ports`.
fn choice(text: &str) -> Result<PortChoice, String> {
    match text {
        "keep" => return Ok(PortChoice::Keep),
        "auto" => return Ok(PortChoice::Auto),
        _ => {}
    }
    text.parse::<Port>()
        .map(PortChoice::Number)
        .map_err(|_| format!("`{text}` is not a port: expected a number from 1 to 65535, `auto` or `keep`"))
}

/// Parses the number of nodes.
fn nodes(text: &str) -> Result<Nodes, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.map(Nodes::Count).ok_or_else(|| format!("`nodes` is `{text}`, expected the number of nodes: 1 or more"))
}
