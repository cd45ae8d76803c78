//! Workloads with more pods than eligible nodes: a node takes only one pod with a given host port.
//!
//! Source: kubernetes v1.36 `pkg/scheduler/framework/plugins/nodeports/node_ports.go`: a node where a pod has the port
//! is rejected; wording of `nodeaffinity/node_affinity.go`, `tainttoleration/taint_toleration.go` and
//! `nodeunschedulable/node_unschedulable.go` in the same folder if no node is eligible.

use std::fmt;

use super::nodes::NoNode;

/// Pods that each need their own node.
#[derive(Clone, Copy)]
pub struct Pods<'p> {
    /// Display name of the workload.
    pub name: &'p dyn fmt::Display,
    /// Maximum number of pods.
    pub count: u32,
    /// Noun for one pod: `replica`.
    pub what: &'p str,
    /// Addition in parentheses after the noun; may be empty.
    pub note: &'p str,
    /// Port that the pods use: number and protocol.
    pub port: (u16, &'p str),
    /// Number of nodes that may run the pods.
    pub nodes: u32,
    /// True if the manifest limits the pods to these nodes in any cluster.
    pub is_limited: bool,
    /// Reason why no node may run the pods, if so.
    pub no_node: Option<&'p NoNode>,
    /// Number of eligible nodes where another process has a port of the pods.
    pub taken: u32,
    /// Description of these processes for messages; empty if there are too few nodes even without them.
    pub why: &'p str,
}

impl NoNode {
    /// Problem in the scheduler's wording, and the remedy.
    fn message(&self) -> (String, &'static str) {
        match self {
            Self::Selector(selector) => (
                format!("no node matches `{selector}`: `node(s) didn't match Pod's node affinity/selector`"),
                "Correct that, or label a node",
            ),
            Self::Taints => (
                "the nodes with the required labels have taints: `node(s) had untolerated taint`".to_owned(),
                "Add tolerations, or nodes",
            ),
            Self::Closed => (
                "the eligible nodes are cordoned: `node(s) were unschedulable`".to_owned(),
                "Run `kubectl uncordon` for one, or add nodes",
            ),
        }
    }
}

impl Pods<'_> {
    /// Message about missing nodes; `None` if each pod has a node.
    pub fn missing_nodes_message(&self) -> Option<String> {
        let Self { name, count, what, note, port: (number, protocol), nodes, why, .. } = *self;
        let free = nodes.saturating_sub(self.taken);
        let waiting = count.saturating_sub(if count > nodes { nodes } else { free });
        let some = if count == 1 { format!("1 {what}{note}") } else { format!("{count} {what}s{note}") };
        (waiting > 0).then(|| match self.no_node {
            Some(no_node) => {
                let (wrong, fix) = no_node.message();
                let (them, stay) = if count == 1 { ("it", "It stays") } else { ("them", "They stay") };
                format!("{name}: {some}, and none of the nodes may run {them}: {wrong}. {stay} Pending. {fix}")
            }
            None => format!(
                "{name}: {some}, and at most {nodes} of the nodes may run it{why}. On each node only one pod can use port {number}/{protocol}, \
                 so {waiting} would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or {}",
                if self.is_limited { "let other nodes run the pods" } else { "add nodes" }
            ),
        })
    }
}
