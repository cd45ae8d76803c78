//! A target for one workload, to be written before the target that matches the workload and others.

use super::bind_entry::{scalar, written};
use super::key_hints::KeyParts;
use super::workload::Workload;
use crate::api::{PortChoice, Ports};
use crate::model::Meta;
use crate::model::listener::declared;
use crate::plan::pattern::exact;

/// Fields of a target for one workload, in YAML's flow style: the fields of the target that matches the workload,
/// without keys and entries for other workloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnTarget {
    /// `Deployment shop/web`
    pub workload: String,
    /// Select that matches only this object.
    pub select: String,
    /// Choice of ports; `None` if all keep their numbers.
    pub ports: Option<String>,
    /// Program of the target, `NAME` or `NAME@VERSION`.
    pub program: Option<String>,
    /// Entries of `bind`.
    pub bind: Vec<String>,
}

impl OwnTarget {
    /// Formats `- {select: {kind: Deployment, namespace: shop, name: web}, ports: auto}`.
    pub(super) fn written(&self) -> String {
        let mut fields = vec![format!("select: {}", self.select)];
        fields.extend(self.ports.iter().map(|ports| format!("ports: {ports}")));
        fields.extend(self.program.iter().map(|program| format!("program: {program}")));
        if !self.bind.is_empty() {
            fields.push(format!("bind: [{}]", self.bind.join(", ")));
        }
        format!("- {{{}}}", fields.join(", "))
    }
}

impl Workload<'_> {
    /// Creates a target for this workload.
    pub(super) fn own_target(&self) -> OwnTarget {
        let target = self.of_target;
        let has_container = |name: &str| self.template.containers.iter().any(|container| container.name == name);
        let ports = match &target.ports {
            Ports::Keep => None,
            Ports::Auto => Some("auto".to_owned()),
            Ports::Map(map) => {
                let own = map.iter().filter(|(key, _)| self.has_port(key));
                let entries: Vec<String> =
                    own.map(|(key, choice)| format!("{}: {}", scalar(key), format_choice(*choice))).collect();
                (!entries.is_empty()).then(|| format!("{{{}}}", entries.join(", ")))
            }
        };
        OwnTarget {
            workload: self.meta.to_string(),
            select: select(self.meta),
            ports,
            program: target.program.as_deref().map(scalar),
            bind: target.bind.iter().filter(|bind| has_container(&bind.container)).map(written).collect(),
        }
    }

    /// Remedy text that adds entries of `bind` for this workload only.
    pub(super) fn add_bind_remedy(&self, entries: &[String]) -> String {
        if !self.is_broad {
            return format!("add to the target `bind: [{}]`", entries.join(", "));
        }
        let mut own = self.own_target();
        own.bind.extend_from_slice(entries);
        format!("write before its target, which matches other workloads too, `{}`", own.written())
    }

    /// True if a key of `ports` may match a port of the workload.
    fn has_port(&self, key: &str) -> bool {
        let KeyParts { template, container, port } = KeyParts::new(key);
        let is_in = |name: &str| container.is_none_or(|wanted| wanted == name);
        if template.is_some() && template != self.pods_view().template_name() {
            return false;
        }
        let matches = |name: &str| name == port;
        let listens = self.listeners.iter().any(|listener| {
            self.container(listener).is_some_and(|container| is_in(&container.name))
                && (listener.name.as_deref().is_some_and(matches)
                    || listener.number.to_string() == port
                    || [listener.role.as_str(), &listener.label].into_iter().any(matches))
        });
        listens || declared(self.template).any(|later| is_in(&later.container.name) && later.name() == port)
    }
}

/// A select that matches only this object.
fn select(meta: &Meta) -> String {
    let mut fields = Vec::new();
    if !matches!(meta.gvk.group.as_str(), "" | "apps" | "batch") {
        fields.push(format!("group: {}", exact(&meta.gvk.group)));
    }
    fields.push(format!("kind: {}", exact(&meta.gvk.kind)));
    fields.extend(meta.namespace.iter().map(|namespace| format!("namespace: {}", exact(namespace))));
    fields.push(format!("name: {}", exact(&meta.name)));
    format!("{{{}}}", fields.join(", "))
}

/// Value of `ports` as written in a config: `keep`, `auto` or a number.
fn format_choice(choice: PortChoice) -> String {
    match choice {
        PortChoice::Keep => "keep".to_owned(),
        PortChoice::Auto => "auto".to_owned(),
        PortChoice::Number(number) => number.to_string(),
    }
}
