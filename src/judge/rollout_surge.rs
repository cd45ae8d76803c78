//! Rollouts that cannot finish: the new pod waits for the port of the old pod.
//!
//! Source: kubernetes v1.36 `pkg/controller/deployment/util/deployment_util.go`, `ResolveFenceposts`: maxSurge is
//! rounded up, maxUnavailable down; `pkg/apis/apps/v1/defaults.go`: both default to 25 %.

use std::fmt;

use super::update_strategy::{Amount, UpdateStrategy};
use crate::model::Meta;
use crate::model::facts::SecondCopy;
use crate::model::pod::Rollout;
use crate::plan::Finding;
use crate::rule::{ROLLOUT_SURGE, Severity};

/// Rollout whose old and new pods use a port of their node.
pub struct Update<'u> {
    /// Display name of the workload.
    pub name: &'u dyn fmt::Display,
    /// Update strategy of the pods.
    pub rollout: &'u Rollout,
    /// Number of pods; `None` if each node has one or the number is unknown.
    pub replicas: Option<u32>,
    /// Port that the pods use: number and protocol.
    pub port: (u16, &'u str),
    /// Number of nodes that may run the pods, if known.
    pub nodes: Option<u32>,
    /// True if the manifest limits the pods to these nodes in any cluster.
    pub is_limited: bool,
    /// Description of other uses of these nodes, for messages; empty without other uses.
    pub others: &'u str,
    /// Selects the rollout that is evaluated.
    pub when: When,
    /// Remedy: the fields to write so that the rollout finishes.
    pub fix: &'u str,
    /// Object that creates a second copy of the pods, and the copy.
    pub copy: Option<(&'u Meta, &'u SecondCopy)>,
}

/// Selects the rollout that is evaluated: the next rollout, or the rollout after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The next rollout.
    Now,
    /// The rollout after the next rollout. During the next rollout, the old pods do not use the
    /// node ports of the new pods.
    Later,
    /// The next rollout, while an autoscaler keeps this number of pods.
    While(u32),
}

/// Certainty that a rollout does not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutResult {
    /// The rollout never finishes.
    Never(String),
    /// The rollout needs enough nodes; their number is unknown, and the author configured the surge.
    Unsure(String),
    /// The rollout needs a spare node; the number of nodes is unknown, and the surge is the default.
    Spare,
}

/// Result of comparing the pods that a rollout needs with the number of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Completion {
    Ends,
    Never,
    /// The rollout finishes if this number of nodes may run its pods.
    Needs(u32),
}

/// Result for a rollout of pods with fixed host ports; a node can run only one such pod. `surge` and `unavailable` are
/// numbers of pods after rounding; `nodes` is the number of nodes that may run the pods, `None` if unknown.
fn completion(replicas: u32, surge: u32, unavailable: u32, nodes: Option<u32>) -> Completion {
    // The API server rejects `maxSurge: 0` with `maxUnavailable: 0`; if both are percentages that round to 0,
    // `ResolveFenceposts` sets `maxUnavailable` to 1.
    if replicas == 0 || unavailable > 0 || surge == 0 {
        return Completion::Ends;
    }
    completion_with_nodes(replicas.saturating_add(1), nodes)
}

/// Result of a rollout that needs this number of nodes.
fn completion_with_nodes(needed: u32, nodes: Option<u32>) -> Completion {
    match nodes {
        Some(nodes) if nodes < needed => Completion::Never,
        Some(_) => Completion::Ends,
        None => Completion::Needs(needed),
    }
}

impl Update<'_> {
    /// Evaluates the rollout; `None` if it finishes, or if the strategy or the number of pods is unknown.
    pub fn evaluate(&self) -> Option<RolloutResult> {
        let replicas = self.replicas;
        if let Some((by, copy)) = self.copy {
            let cause = format!("with {by} {}", copy.what);
            let copied = if self.rollout.kind.per_node {
                Some(self.evaluate_copy_on_each_node(&cause))
            } else {
                self.evaluate_second_copy(replicas?, &cause, copy)
            };
            if copied.is_some() || !copy.is_own {
                return copied;
            }
        }
        match UpdateStrategy::from_rollout(self.rollout)? {
            UpdateStrategy::OldFirst => None,
            UpdateStrategy::PerNode { surge } => self.evaluate_per_node(surge),
            UpdateStrategy::NewFirst(cause) => self.evaluate_with_more_pods(replicas?, replicas?, cause),
            UpdateStrategy::Rolling { surge, unavailable, is_unavailable_written, is_surge_written } => {
                let replicas = replicas?;
                let nodes = self.nodes.unwrap_or_default();
                match completion(replicas, surge.up(replicas), unavailable.down(replicas), self.nodes) {
                    Completion::Ends => None,
                    Completion::Never => {
                        let default = self.rollout.kind.max_unavailable;
                        let share = match (unavailable, is_unavailable_written) {
                            (_, false) => format!(", which is {default} rounded down,"),
                            (Amount::Percent(share), true) => format!(", which is {share}% rounded down,"),
                            (Amount::Pods(_), true) => String::new(),
                        };
                        let pods = if replicas == 1 { "pod has".to_owned() } else { format!("{replicas} pods have") };
                        Some(RolloutResult::Never(format!(
                            "{}maxUnavailable{share} is 0, so the new pod starts first; at most {nodes} of the nodes may run it{}, and \
                             its {pods} port {} there: the new one stays Pending, and no old one is removed. Write {}{}",
                            self.never_finishes_prefix(),
                            self.others,
                            self.port(),
                            self.fix,
                            if self.is_limited { "" } else { ", or add a node" }
                        )))
                    }
                    Completion::Needs(needed) if is_surge_written && unavailable.is_zero() => {
                        Some(RolloutResult::Unsure(format!(
                            "{} {needed} nodes may run it: maxUnavailable is 0, so the new pod needs a node where port {} is free. The \
                             number of nodes is not known: give `nodes` in the config, or write {}",
                            self.needs_nodes_prefix(),
                            self.port(),
                            self.fix
                        )))
                    }
                    Completion::Needs(_) => Some(RolloutResult::Spare),
                }
            }
        }
    }

    /// Message about a rollout that finishes although some of its new pods are Pending for a time; `None` without such
    /// pods.
    pub fn pending_pods_message(&self) -> Option<String> {
        let (replicas, nodes) = (self.replicas.filter(|_| self.copy.is_none())?, self.nodes?);
        let UpdateStrategy::Rolling { surge, unavailable, .. } = UpdateStrategy::from_rollout(self.rollout)? else {
            return None;
        };
        // There are at most as many new pods as replicas.
        let more = surge.up(replicas).min(replicas);
        let waiting = replicas.saturating_add(more).saturating_sub(nodes).min(more);
        let ends = completion(replicas, surge.up(replicas), unavailable.down(replicas), self.nodes) == Completion::Ends;
        (ends && waiting > 0 && replicas <= nodes).then(|| {
            format!(
                "{}: its update ends, and until old pods are gone {waiting} of the new ones {} Pending: maxSurge \
                 starts {more} more than {replicas}, each uses port {} of its node, and at most {nodes} of the nodes \
                 may run it{}. `maxSurge: 0` avoids that",
                self.name,
                if waiting == 1 { "is" } else { "are" },
                self.port(),
                self.others
            )
        })
    }

    /// Result of a DaemonSet update that starts the new pod of a node before the old pod stops.
    fn evaluate_per_node(&self, surge: Amount) -> Option<RolloutResult> {
        (!surge.is_zero()).then(|| {
            RolloutResult::Never(format!(
                "{}maxSurge starts the new pod while the old one holds port {} of the node: the new one stays Pending \
                 forever, and the old pod is never removed. Write {}",
                self.never_finishes_prefix(),
                self.port(),
                self.fix
            ))
        })
    }

    /// Evaluates a second copy that runs on each node, although the first copy uses the port there.
    fn evaluate_copy_on_each_node(&self, cause: &str) -> RolloutResult {
        RolloutResult::Never(format!(
            "{}{cause}, and each node runs a pod of both: port {} of the node is in use, so the second pod stays \
             Pending. Remove the second copy from that object",
            self.never_finishes_prefix(),
            self.port()
        ))
    }

    /// Evaluates a second copy with the size of its largest step.
    fn evaluate_second_copy(&self, replicas: u32, cause: &str, copy: &SecondCopy) -> Option<RolloutResult> {
        // If the workload itself creates the copy, templates of a step run additional pods, not limited by `replicas`.
        let limit = if copy.is_own { u32::MAX } else { replicas };
        let steps = copy.steps.iter().map(|step| Amount::parse(step).map(|amount| amount.up(replicas).min(limit)));
        // No result if the size of a step is a placeholder.
        let more = steps.collect::<Option<Vec<u32>>>()?.into_iter().max().unwrap_or(replicas);
        if more == 0 { None } else { self.evaluate_with_more_pods(replicas, more, cause) }
    }

    /// Evaluates `more` new pods in addition to the pods of all replicas.
    fn evaluate_with_more_pods(&self, replicas: u32, more: u32, cause: &str) -> Option<RolloutResult> {
        let needed = replicas.saturating_add(more);
        match if replicas == 0 { Completion::Ends } else { completion_with_nodes(needed, self.nodes) } {
            Completion::Ends => None,
            Completion::Never => Some(RolloutResult::Never(format!(
                "{}{cause}, and each pod uses port {} of its node, so it needs {needed} nodes; at most {} of them may \
                 run it{}, and the other new pods stay Pending. Add nodes, or use another strategy",
                self.never_finishes_prefix(),
                self.port(),
                self.nodes.unwrap_or_default(),
                self.others
            ))),
            Completion::Needs(_) => Some(RolloutResult::Unsure(format!(
                "{} {needed} nodes may run it: {cause}, and each pod uses port {} of its node. The number of nodes is \
                 not known: give `nodes` in the config, or use another strategy",
                self.needs_nodes_prefix(),
                self.port()
            ))),
        }
    }

    /// Start of the message about a rollout that never finishes.
    fn never_finishes_prefix(&self) -> String {
        match self.when {
            When::Now => format!("{}: its update never finishes: ", self.name),
            When::While(pods) => {
                format!("{}: its update never finishes while its autoscaler keeps {pods} of its pods: ", self.name)
            }
            When::Later => {
                format!(
                    "{}: this update finishes, because the old pods do not have its ports of the node, and the next one never does: ",
                    self.name
                )
            }
        }
    }

    /// Start of the message about a rollout that needs more nodes.
    fn needs_nodes_prefix(&self) -> String {
        match self.when {
            When::Now | When::While(_) => format!("{}: its update finishes only where", self.name),
            When::Later => {
                format!(
                    "{}: this update finishes, because the old pods do not have its ports of the node, and the next one only where",
                    self.name
                )
            }
        }
    }

    /// Port number and protocol, such as `8080/TCP`.
    fn port(&self) -> String {
        let (number, protocol) = self.port;
        format!("{number}/{protocol}")
    }
}

/// Message, once per run, about all workloads that need a spare node for a rollout.
pub fn spare(workloads: &[&str], fix: &str) -> Option<Finding> {
    let (count, needs) = (workloads.len(), if workloads.len() == 1 { "workload needs" } else { "workloads need" });
    let message = format!(
        "{count} {needs} a spare node to update (one more than replicas, because maxUnavailable is 0 or rounds down to 0): {}. Give `nodes` in the config \
         to have it checked, or write {fix}",
        workloads.join(", ")
    );
    (count > 0).then(|| Finding::new(Severity::Info, ROLLOUT_SURGE, message))
}
