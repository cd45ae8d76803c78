//! Facts of a pair of chart renders (`pair.yaml`), and a config that makes the same changes as the chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

/// Two renders of one chart, with and without host networking.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) facts: Facts,
    pub(crate) input: String,
    pub(crate) chart: String,
}

/// The part of `pair.yaml` that the tests read.
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

/// One workload and the changes of its ports.
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

/// A boolean field after the change.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) new: Option<bool>,
}

/// Port of a listener before and after.
#[derive(Debug, Deserialize)]
pub(crate) struct Port {
    pub(crate) container: String,
    pub(crate) name: Option<String>,
    pub(crate) old: u16,
    pub(crate) new: u16,
    pub(crate) moved: bool,
}

impl Port {
    /// Returns the key for this listener in the `ports` of a config.
    pub(crate) fn key(&self) -> String {
        let port = self.name.clone().unwrap_or_else(|| self.old.to_string());
        format!("{}/{port}", self.container)
    }
}

impl Workload {
    pub(crate) fn id(&self) -> String {
        format!("{}/{}/{}", self.kind, self.namespace, self.name)
    }

    /// Returns the keys and new numbers of the ports that the chart moved.
    pub(crate) fn moves(&self) -> BTreeMap<String, u16> {
        let all = self.ports.iter().chain(&self.undeclared);
        all.filter(|port| port.moved).map(|port| (port.key(), port.new)).collect()
    }
}

impl Pair {
    /// Reads the two renders from a folder of the material, and the facts from `tests/material`.
    pub(crate) fn read(folder: &Path) -> Self {
        let file = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a pair has this file");
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let facts = crate::support::project().join("tests/material/charts").join(&name).join("pair.yaml");
        let facts = std::fs::read_to_string(facts).expect("a pair has facts");
        Self {
            name,
            facts: serde_yaml::from_str(&facts).expect("pair.yaml has the fields of `Facts`"),
            input: file("default.yaml"),
            chart: file("hostnetwork.yaml"),
        }
    }

    /// Returns the workloads that run on the host network in the chart's own render; only these are compared.
    pub(crate) fn compared(&self) -> Vec<&Workload> {
        self.facts.workloads.iter().filter(|workload| workload.host_network.new == Some(true)).collect()
    }

    /// Returns a config with one target per workload; `extra` contains moves that `pair.yaml` does not list.
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

/// Returns the start of a config, without targets.
pub(crate) fn head() -> String {
    "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: pair\nspec:\n  targets:\n".to_owned()
}

/// Adds a target that matches only this workload.
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
