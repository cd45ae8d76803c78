//! More pods of a template than nodes that may run them: a node takes one pod of a host port.
//!
//! Source: kubernetes v1.36 `pkg/scheduler/framework/plugins/nodeports/node_ports.go`: a node where a pod has the port is refused.

use std::fmt;

/// Pods that want a node each.
#[derive(Clone, Copy)]
pub struct Pods<'p> {
    /// The workload, as messages call it.
    pub name: &'p dyn fmt::Display,
    /// How many there are at the most.
    pub count: u32,
    /// What these are: `replicas`.
    pub what: &'p str,
    /// A port that they hold: number and protocol.
    pub port: (u16, &'p str),
    /// How many nodes may run them.
    pub nodes: u32,
    /// On how many of these something else has their ports.
    pub taken: u32,
    /// What that is, for a person; empty when there are too few nodes anyway.
    pub why: &'p str,
}

impl Pods<'_> {
    /// What there is to say; nothing where each pod finds a node.
    #[must_use]
    pub fn judge(&self) -> Option<String> {
        let Self { name, count, what, port: (number, protocol), nodes, why, .. } = *self;
        let free = nodes.saturating_sub(self.taken);
        let waiting = count.saturating_sub(if count > nodes { nodes } else { free });
        (waiting > 0).then(|| {
            format!(
                "{name}: {count} {what}, and at most {nodes} of the nodes may run it{why}. Each of them has port {number}/{protocol} once, \
                 so {waiting} would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add \
                 nodes"
            )
        })
    }
}
