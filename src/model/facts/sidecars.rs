//! Containers that an object adds to selected pods: OpenKruise's `SidecarSet`, and the kinds of
//! `catalog/sidecars.yaml`.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/sidecarset_types.go`: `selector`, `namespace`,
//! `namespaceSelector`, `containers[]` and `initContainers[]` as in a pod; `pkg/webhook/sidecarset/validating`: an
//! empty selector is refused.

use super::scope::{Requirements, Scope};
use crate::catalog::{SidecarKind, sidecar_kind};
use crate::model::meta::Meta;
use crate::model::text::{Form, addresses};
use lossless_yaml::{NodeRef, Path, Tree, Value};

/// Containers with ports that an object adds to pods.
#[derive(Debug, Clone)]
pub struct Sidecars {
    /// The pods.
    pub selection: Selection,
    /// Ports: path, number and protocol.
    pub ports: Vec<AddedPort>,
    /// Ports whose `hostPort` differs from the container port: path, container port and host port.
    pub mapped: Vec<(Path, u16, u16)>,
}

/// Path, number and protocol of a port of an added container.
pub type AddedPort = (Path, u16, String);

/// Pods that get containers.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Selection by labels of the pods and of their namespaces.
    Labels {
        /// Labels of the pods. Ignore the namespaces of this scope: `namespace` and `namespaces` select them.
        pods: Scope,
        /// Namespace of the pods, if set.
        namespace: Option<String>,
        /// Labels of the namespaces of the pods, if set.
        namespaces: Option<Scope>,
    },
    /// Selection by an annotation of the pods or of their namespace, with the value `true` or the name of the object.
    Annotation(&'static str),
    /// Selection by kind, and by name or labels, of the workload.
    Workload {
        /// Kind of the workload.
        kind: String,
        /// Name of the workload; empty for any.
        name: String,
        /// Labels of the workload, if set.
        labels: Option<Scope>,
    },
}

impl Sidecars {
    /// Reads the containers that an object of another kind than `SidecarSet` adds to pods.
    pub(super) fn of_operator(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let row = sidecar_kind(&meta.gvk.group, &meta.gvk.kind)?;
        let text = |path: &str| object.lookup(&Path::dotted(path)).and_then(NodeRef::non_null_text);
        if row.only_if.is_some_and(|(path, value)| text(path) != Some(value)) {
            return None;
        }
        let selection = match (row.annotation, row.workload) {
            (Some(annotation), _) => Selection::Annotation(annotation),
            (None, Some(path)) => workload_selection(meta, object.lookup(&Path::dotted(path))?)?,
            (None, None) => return None,
        };
        let mut ports = operator_ports(row, object);
        ports.sort_by_key(|(_, number, _)| *number);
        ports.dedup_by_key(|(_, number, _)| *number);
        Some(Self { selection, ports, mapped: Vec::new() }).filter(|found| !found.ports.is_empty())
    }
}

/// Reads the workloads that an OpenKruise object selects, by kind and by name or labels.
fn workload_selection(meta: &Meta, workload: NodeRef<'_, '_>) -> Option<Selection> {
    let text = |key: &str| workload.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let selector = workload.get("selector").filter(|selector| !selector.is_null());
    let labels = match selector {
        Some(selector) => Some(Scope::own(Some(selector), meta)?),
        None => None,
    };
    let name = text("name").unwrap_or_default();
    (!name.is_empty() || labels.is_some()).then_some(Selection::Workload { kind: text("kind")?, name, labels })
}

/// Ports of the container that an operator adds.
fn operator_ports(row: &SidecarKind, object: NodeRef<'_, '_>) -> Vec<AddedPort> {
    let mut ports: Vec<AddedPort> = Vec::new();
    for &(list, key) in row.ports {
        let path = Path::dotted(list);
        let items = object.lookup(&path).into_iter().flat_map(NodeRef::items).enumerate();
        let number = |item: NodeRef<'_, '_>| u16::try_from(item.get(key)?.as_go_int()?).ok();
        ports.extend(items.filter_map(|(index, item)| {
            let name = item.get("name").and_then(NodeRef::text);
            let protocol = item.get("protocol").and_then(NodeRef::non_empty_text).unwrap_or("TCP");
            Some((path.named_item(index, name).key(key), number(item)?, protocol.to_owned()))
        }));
    }
    if let Some(path) = row.config.map(Path::dotted) {
        let config = object.lookup(&path).and_then(|config| match config.text() {
            Some(text) => Tree::parse(text).ok()?.root(0)?.to_value(),
            None => config.to_value(),
        });
        let numbers = config.iter().flat_map(collector_ports);
        ports.extend(numbers.map(|number| (path.clone(), number, "TCP".to_owned())));
    }
    let always = row.always.iter().map(|number| (Path::root().key("spec"), *number, "TCP".to_owned()));
    ports.extend(always);
    ports
}

/// Ports on which an OpenTelemetry Collector listens, by its config.
/// Source: open-telemetry/opentelemetry-collector receiver/otlpreceiver/README.md (4317 and 4318).
fn collector_ports(config: &Value) -> Vec<u16> {
    let mut ports = Vec::new();
    let endpoint = |value: &Value, may_be_loopback: bool| {
        let text = value.get("endpoint").and_then(Value::as_text).unwrap_or_default().to_owned();
        let listens = move |form: &Form| *form == Form::AnyAddress || may_be_loopback && *form == Form::Loopback;
        let found = addresses(&text, |_| Some(Form::AnyAddress)).collect::<Vec<_>>();
        found.into_iter().filter(move |(form, _)| listens(form)).map(|(_, number)| number.port).collect::<Vec<_>>()
    };
    let of = |key: &str| config.get(key).map(Value::entries).unwrap_or_default();
    for (name, receiver) in of("receivers") {
        for (protocol, settings) in receiver.get("protocols").map(Value::entries).unwrap_or_default() {
            let written = endpoint(settings, true);
            let is_otlp = name.split('/').next() == Some("otlp") && settings.get("endpoint").is_none();
            let default = match protocol.as_str() {
                "grpc" if is_otlp => Some(4317),
                "http" if is_otlp => Some(4318),
                _ => None,
            };
            ports.extend(written.into_iter().chain(default));
        }
        ports.extend(endpoint(receiver, false));
    }
    for (_, extension) in of("extensions") {
        ports.extend(endpoint(extension, false));
    }
    ports
}

impl Sidecars {
    /// Reads the ports that a `SidecarSet` adds to pods.
    pub(super) fn of_set(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let (mut ports, mut mapped) = (Vec::new(), Vec::new());
        for list in ["containers", "initContainers"] {
            for (index, container) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
                // Plain init containers end before other containers listen.
                let always = container.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
                if list == "initContainers" && !always {
                    continue;
                }
                let name = container.get("name").and_then(NodeRef::text);
                let path = Path::root().key("spec").key(list).named_item(index, name).key("ports");
                for (index, port) in container.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
                    let number =
                        |key: &str| port.get(key).and_then(NodeRef::as_go_int).and_then(|n| u16::try_from(n).ok());
                    let (number, host) = (number("containerPort"), number("hostPort").filter(|host| *host > 0));
                    let name = port.get("name").and_then(NodeRef::text);
                    let differs = number.zip(host).filter(|(number, host)| number != host);
                    mapped.extend(differs.map(|(number, host)| (path.named_item(index, name), number, host)));
                    let protocol = port.get("protocol").and_then(NodeRef::non_empty_text).unwrap_or("TCP").to_owned();
                    ports.extend(number.map(|number| (path.named_item(index, name), number, protocol)));
                }
            }
        }
        let selector = |key: &str| spec.get(key).filter(|selector| !selector.is_null());
        let pods = Scope::own(Some(selector("selector")?), meta)?;
        let namespace = spec.get("namespace").and_then(NodeRef::non_null_text).map(str::to_owned);
        let namespaces = match selector("namespaceSelector") {
            Some(selector) => Some(Scope::own(Some(selector), meta)?),
            None => None,
        };
        // The webhook rejects an empty selector.
        let is_empty = ports.is_empty() || pods.selector == Requirements::default();
        (!is_empty).then_some(Self { selection: Selection::Labels { pods, namespace, namespaces }, ports, mapped })
    }
}
