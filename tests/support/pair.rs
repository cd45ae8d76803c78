//! `pair.yaml`: what the chart moved, and from it the config that asks for the same moves.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

/// One pair of renders.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) facts: Facts,
    pub(crate) input: String,
    pub(crate) chart: String,
}

/// The part of pair.yaml that this test reads.
#[derive(Debug, Deserialize)]
pub(crate) struct Facts {
    pub(crate) workloads: Vec<Workload>,
    #[serde(default)]
    pub(crate) exceptions: Vec<Remark>,
    #[serde(default)]
    pub(crate) notes: Vec<Remark>,
}

/// An exception or a note.
#[derive(Debug, Deserialize)]
pub(crate) struct Remark {
    pub(crate) code: String,
    pub(crate) object: String,
}

/// One workload and what became of its ports.
#[derive(Debug, Deserialize)]
pub(crate) struct Workload {
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    #[serde(rename = "hostNetwork")]
    pub(crate) host_network: Change,
    pub(crate) ports: Vec<Port>,
    #[serde(default)]
    pub(crate) undeclared: Vec<Port>,
}

/// A switch before and after.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) new: Option<bool>,
}

/// A listener before and after.
#[derive(Debug, Deserialize)]
pub(crate) struct Port {
    pub(crate) container: String,
    pub(crate) name: Option<String>,
    pub(crate) old: u16,
    pub(crate) new: u16,
    pub(crate) moved: bool,
}

impl Port {
    /// The key of a config's `ports` that means this listener.
    pub(crate) fn key(&self) -> String {
        let port = self.name.clone().unwrap_or_else(|| self.old.to_string());
        format!("{}/{port}", self.container)
    }
}

impl Workload {
    pub(crate) fn id(&self) -> String {
        format!("{}/{}/{}", self.kind, self.namespace, self.name)
    }

    /// Keys and new numbers of the ports that the chart moved.
    pub(crate) fn moves(&self) -> BTreeMap<String, u16> {
        let all = self.ports.iter().chain(&self.undeclared);
        all.filter(|port| port.moved).map(|port| (port.key(), port.new)).collect()
    }
}

impl Pair {
    /// Reads the renders of a folder of the material, and the facts that `tests/material` has of them.
    pub(crate) fn read(folder: &Path) -> Self {
        let file = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a pair has this file");
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let facts = crate::support::project().join("tests/material/charts").join(&name).join("pair.yaml");
        let facts = std::fs::read_to_string(facts).expect("a pair has facts");
        Self {
            name,
            facts: serde_yaml::from_str(&facts).expect("pair.yaml is as this file says"),
            input: file("default.yaml"),
            chart: file("hostnetwork.yaml"),
        }
    }

    /// The workloads that run on the host network in the chart's own render; the others are compared with nothing.
    pub(crate) fn compared(&self) -> Vec<&Workload> {
        self.facts.workloads.iter().filter(|workload| workload.host_network.new == Some(true)).collect()
    }

    /// A config with one target per workload; `extra` are moves that pair.yaml does not list.
    pub(crate) fn config(&self, extra: &BTreeMap<String, BTreeMap<String, u16>>) -> String {
        let mut out = head();
        for workload in self.compared() {
            let mut moves = workload.moves();
            moves.extend(extra.get(&workload.id()).cloned().unwrap_or_default());
            target(&mut out, workload, &moves);
        }
        out
    }
}

/// A config without a target.
pub(crate) fn head() -> String {
    "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: pair\nspec:\n  targets:\n".to_owned()
}

/// Adds the target that matches this workload alone.
pub(crate) fn target(out: &mut String, workload: &Workload, moves: &BTreeMap<String, u16>) {
    let Workload { kind, namespace, name, .. } = workload;
    let select = format!("{{kind: {kind}, namespace: {namespace}, name: {name}}}");
    let _ = writeln!(out, "  - select: {select}");
    if moves.is_empty() {
        out.push_str("    ports: keep\n");
        return;
    }
    out.push_str("    ports:\n");
    for (key, number) in moves {
        let _ = writeln!(out, "      {key}: {number}");
    }
}
