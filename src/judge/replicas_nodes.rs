//! More pods of a template than nodes that may run them: a node takes one pod of a host port.
//!
//! Source: kubernetes v1.36 `pkg/scheduler/framework/plugins/nodeports/node_ports.go`: a node where a pod has the port is refused; and, where
//! no node is left, the words of `nodeaffinity/node_affinity.go`, `tainttoleration/taint_toleration.go` and
//! `nodeunschedulable/node_unschedulable.go` beside it.

use std::fmt;

use super::nodes::NoNode;

/// Pods that want a node each.
#[derive(Clone, Copy)]
pub struct Pods<'p> {
    /// The workload, as messages call it.
    pub name: &'p dyn fmt::Display,
    /// How many there are at the most.
    pub count: u32,
    /// What one of these is: `replica`.
    pub what: &'p str,
    /// What is said behind that, in brackets; empty when there is nothing.
    pub note: &'p str,
    /// A port that they hold: number and protocol.
    pub port: (u16, &'p str),
    /// How many nodes may run them.
    pub nodes: u32,
    /// Why none may, if none does.
    pub no_node: Option<&'p NoNode>,
    /// On how many of these something else has their ports.
    pub taken: u32,
    /// What that is, for a person; empty when there are too few nodes anyway.
    pub why: &'p str,
}

impl NoNode {
    /// What is wrong, in the scheduler's words, and what to do.
    fn said(&self) -> (String, &'static str) {
        match self {
            Self::Selector(asks) => (
                format!(
                    "none has what is asked for, which is `{asks}`: `node(s) didn't match Pod's node affinity/selector`"
                ),
                "Correct that, or label a node",
            ),
            Self::Taints => (
                "those with the labels that are asked for have taints: `node(s) had untolerated taint`".to_owned(),
                "Add tolerations, or nodes",
            ),
            Self::Closed => (
                "those that may are closed for new pods: `node(s) were unschedulable`".to_owned(),
                "Open one with `kubectl uncordon`, or add nodes",
            ),
        }
    }
}

impl Pods<'_> {
    /// What there is to say; nothing where each pod finds a node.
    #[must_use]
    pub fn judge(&self) -> Option<String> {
        let Self { name, count, what, note, port: (number, protocol), nodes, why, .. } = *self;
        let free = nodes.saturating_sub(self.taken);
        let waiting = count.saturating_sub(if count > nodes { nodes } else { free });
        let some = if count == 1 { format!("1 {what}{note}") } else { format!("{count} {what}s{note}") };
        (waiting > 0).then(|| match self.no_node {
            Some(no_node) => {
                let (wrong, fix) = no_node.said();
                let (them, stay) = if count == 1 { ("it", "It stays") } else { ("them", "They stay") };
                format!("{name}: {some}, and none of the nodes may run {them}: {wrong}. {stay} Pending. {fix}")
            }
            None => format!(
                "{name}: {some}, and at most {nodes} of the nodes may run it{why}. Each of them has port {number}/{protocol} once, \
                 so {waiting} would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add \
                 nodes"
            ),
        })
    }
}
