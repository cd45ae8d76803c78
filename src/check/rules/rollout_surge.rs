//! Updates that cannot end: the new pod waits for the port that the old one has.
//!
//! Source: kubernetes v1.36 `pkg/controller/deployment/util/deployment_util.go`, `ResolveFenceposts`: maxSurge is rounded up,
//! maxUnavailable down; `pkg/apis/apps/v1/defaults.go`: both are 25 % where nothing is written. argoproj/argo-rollouts v1.9.1
//! `utils/replicaset/canary.go` and openkruise/kruise v1.9.0 `pkg/controller/cloneset/sync` round the same.

use crate::catalog::Amount;
use crate::model::ObjectId;
use crate::rule::{ROLLOUT_SURGE, Severity};
use crate::yaml::Path;

use super::{Finding, Situation};
use crate::check::Workload;
use crate::check::facts::subset::Subset;
use crate::check::facts::update::Strategy;
use crate::check::nodes::Asked;
use crate::check::scale::{Replicas, Updated};
use crate::check::sharing::{Others, SharedPorts};

/// How many nodes an update of so many pods needs to end, where a node takes one of them; none when it ends on as many as there
/// are pods. `surge` and `unavailable` are rounded already.
fn nodes_needed(replicas: u32, surge: u32, unavailable: u32) -> Option<u32> {
    // Both zero is an error of the API server's own, and `ResolveFenceposts` makes it one unavailable.
    (replicas > 0 && unavailable == 0 && surge > 0).then(|| replicas.saturating_add(1))
}

/// Pods of a workload that are replaced together: all of them, or those of a subset.
struct Part<'a> {
    by: Updated<'a>,
    subset: Option<&'a Subset>,
    replicas: Replicas,
    /// The nodes that may run them and that nobody else's pods take; none when they are not known.
    nodes: Option<u32>,
    others: Others,
    port: (u16, String),
}

/// What an update of a part comes to.
enum Verdict {
    Ends,
    /// For so many replicas, which need so many nodes; and whether for all numbers that there may be.
    NeverEnds(u32, u32, bool),
    /// It ends on so many nodes, of which nobody knows.
    Needs(u32),
}

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let (mut findings, mut spare) = (Vec::new(), Vec::new());
    let shared = SharedPorts::of(situation);
    for workload in &situation.workloads {
        let Some(held) = workload.template.held_ports().next() else { continue };
        let port = (held.number, format!("{}/{}", held.number, held.protocol));
        let by = situation.scale.updated(workload);
        if let Strategy::PerNode { surge } = by.update.strategy {
            findings.extend(per_node(workload, surge, &port));
            continue;
        }
        for part in parts(situation, &shared, workload, by, &port) {
            match verdict(&part) {
                Verdict::Ends => {}
                Verdict::NeverEnds(replicas, needed, always) => {
                    findings.push(never_ends(&part, replicas, needed, always));
                }
                Verdict::Needs(needed) if is_chosen(&by.update.strategy) => findings.push(ends_only(&part, needed)),
                Verdict::Needs(needed) if situation.is_judged(by.id) => {
                    let all = if part.is_beside() { format!(" ({needed} nodes)") } else { String::new() };
                    spare.push((format!("{}{all}", workload.key), by.id));
                }
                Verdict::Needs(_) => {}
            }
        }
    }
    findings.extend(spare_nodes(spare));
    findings
}

/// The parts of a workload whose pods are replaced side by side.
fn parts<'a>(
    situation: &'a Situation<'a>,
    shared: &SharedPorts<'_, 'a>,
    workload: &'a Workload<'a>,
    by: Updated<'a>,
    port: &(u16, String),
) -> Vec<Part<'a>> {
    let one = |subset: Option<&'a Subset>, replicas: Replicas| {
        let asked = Asked { subset, ..workload.asked() };
        let others = shared.others(situation, workload);
        let nodes = situation.nodes.eligible(asked).map(|nodes| nodes.saturating_sub(others.pods));
        Part { by, subset, replicas, nodes, others, port: port.clone() }
    };
    if by.update.subsets.is_empty() {
        return situation.scale.replicas(by).map(|replicas| one(None, replicas)).into_iter().collect();
    }
    let of = |subset: &'a Subset| {
        let replicas = subset.replicas?;
        Some(one(Some(subset), Replicas { fewest: replicas, most: replicas, is_scaled: false }))
    };
    by.update.subsets.iter().filter_map(of).collect()
}

fn verdict(part: &Part<'_>) -> Verdict {
    let needed = |replicas: u32| match part.by.update.strategy {
        Strategy::Rolling { surge, unavailable, .. } => {
            nodes_needed(replicas, surge.up(replicas), unavailable.down(replicas))
        }
        Strategy::Beside { .. } => Some(replicas.saturating_mul(2)).filter(|needed| *needed > 0),
        Strategy::OldFirst | Strategy::PerNode { .. } => None,
    };
    let Some(nodes) = part.nodes else {
        return needed(part.replicas.fewest).map_or(Verdict::Ends, Verdict::Needs);
    };
    // Where there are more replicas than nodes not even the pods run, which is another rule's.
    let counts = part.replicas.fewest..=part.replicas.most.min(nodes);
    let mut stuck =
        counts.clone().filter_map(|replicas| Some((replicas, needed(replicas).filter(|needed| *needed > nodes)?)));
    let first = stuck.next();
    let always = stuck.count() + 1 == counts.count();
    first.map_or(Verdict::Ends, |(replicas, needed)| Verdict::NeverEnds(replicas, needed, always))
}

impl Part<'_> {
    fn is_beside(&self) -> bool {
        matches!(self.by.update.strategy, Strategy::Beside { .. })
    }

    fn call(&self) -> String {
        match self.subset {
            Some(subset) => format!("{}, subset {}", self.by.meta, subset.name),
            None => self.by.meta.to_string(),
        }
    }

    fn finding(&self, severity: Severity, message: String) -> Finding {
        Finding::new(severity, ROLLOUT_SURGE, message).at(self.by.id, self.by.update.path.clone()).of_port(self.port.0)
    }
}

fn never_ends(part: &Part<'_>, replicas: u32, needed: u32, always: bool) -> Finding {
    let nodes = part.nodes.unwrap_or_default();
    let held = &part.port.1;
    // With other numbers of its autoscaler it may end.
    let (severity, when) = match always {
        true => (Severity::Error, String::new()),
        false => (Severity::Warning, format!(" while its autoscaler keeps {replicas} of its pods")),
    };
    let how = match part.by.update.strategy {
        Strategy::Beside { what } => format!("{what}, which takes {needed} nodes"),
        Strategy::Rolling { is_unavailable_written: true, .. } => {
            "maxUnavailable is 0, so the new pod starts first".to_owned()
        }
        Strategy::Rolling { unavailable: Amount::Percent(percent), .. } => {
            format!("maxUnavailable, which is {percent}% rounded down, is 0, so the new pod starts first")
        }
        _ => "maxUnavailable is 0, so the new pod starts first".to_owned(),
    };
    let others = match part.others.names.as_slice() {
        [] => String::new(),
        names => {
            format!(" ({} more are taken by {}, which it shares the port with)", part.others.pods, names.join(" and "))
        }
    };
    let pods = if replicas == 1 { "pod has".to_owned() } else { format!("{replicas} pods have") };
    let fix = if part.is_beside() {
        "Add nodes, or use a canary with `maxSurge: 0, maxUnavailable: 1`"
    } else {
        "Write `maxSurge: 0, maxUnavailable: 1`, or add a node"
    };
    let message = format!(
        "{}: its update never ends{when}: {how}; at most {nodes} of the nodes may run it{others}, and its {pods} port {held} there: the new \
         one stays Pending, and no old one is removed. {fix}",
        part.call()
    );
    part.finding(severity, message)
}

fn ends_only(part: &Part<'_>, needed: u32) -> Finding {
    let message = format!(
        "{}: its update ends only where {needed} nodes may run it: maxUnavailable is 0, so the new pod needs a node where port {} is free. \
         How many nodes there are is not known: give `nodes` in the config, or write `maxSurge: 0, maxUnavailable: 1`",
        part.call(),
        part.port.1
    );
    part.finding(Severity::Warning, message)
}

/// Whether somebody wrote that a new pod starts first.
fn is_chosen(strategy: &Strategy) -> bool {
    matches!(strategy, Strategy::Rolling { is_unavailable_written: true, is_surge_written: true, .. })
}

fn per_node(workload: &Workload<'_>, surge: Amount, port: &(u16, String)) -> Option<Finding> {
    let message = format!(
        "{}: maxSurge starts the new pod beside the old one, which has port {} of the node: the new one stays Pending for ever, and the old \
         one is never removed. Write `maxSurge: 0, maxUnavailable: 1`",
        workload.meta, port.1
    );
    let finding = Finding::new(Severity::Error, ROLLOUT_SURGE, message).at(workload.id, workload.update.path.clone());
    (!surge.is_zero()).then(|| finding.of_port(port.0))
}

/// One information for all workloads whose nodes are not known.
fn spare_nodes(mut workloads: Vec<(String, ObjectId)>) -> Option<Finding> {
    workloads.dedup();
    let first = workloads.iter().min()?.1;
    let names: Vec<String> = workloads.iter().map(|(name, _)| name.clone()).collect();
    let (count, needs) = (workloads.len(), if workloads.len() == 1 { "workload needs" } else { "workloads need" });
    let message = format!(
        "{count} {needs} a spare node to update (one more than replicas, since maxUnavailable comes to 0): {}. Give `nodes` in the config to \
         have it judged, or write `maxSurge: 0, maxUnavailable: 1`",
        names.join(", ")
    );
    Some(Finding::new(Severity::Info, ROLLOUT_SURGE, message).at(first, Path::root()))
}
