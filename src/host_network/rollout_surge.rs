//! Updates of moved workloads that cannot end: a node has room for one pod of a port.

use std::collections::{BTreeSet, HashMap};

use super::assignments::Assignments;
use super::refusals::Refusals;
use super::workload::Workload;
use crate::api::{Config, RolloutPolicy};
use crate::judge::nodes::Nodes;
use crate::judge::rollout_surge::{Judged, Update, When, spare};
use crate::model::index::workload_key;
use crate::model::{Model, ObjectId};
use crate::plan::{Change, Edit, Finding, Plan};
use crate::rule::{self, Severity};

/// What a person writes.
const FIX: &str = "`rollout: FreePortFirst` in the spec";

/// Judges the updates of workloads, with the ports that they end on. `rollout: FreePortFirst` mends all of them that can be.
pub(super) fn judge(
    model: &Model,
    config: &Config,
    workloads: &[Workload<'_>],
    wanted: &Assignments,
    plan: &Plan,
    found: &mut Refusals,
) {
    let spec = &config.host_network.spec;
    if spec.rollout == RolloutPolicy::FreePortFirst {
        return;
    }
    let nodes = Nodes::of(model, spec.nodes.as_ref());
    let changed = Changed::of(plan);
    let mut waiting = Vec::new();
    for workload in workloads {
        let Some(rollout) = workload.template.rollout.as_deref() else { continue };
        let before = held(workload);
        let after: Vec<(u16, &str)> = ends_on(workload, wanted).collect();
        let both = after.iter().find(|port| before.contains(*port));
        let Some(&port) = both.or(after.first()) else { continue };
        let is_updated = changed.has(workload);
        let update = Update {
            name: workload,
            rollout,
            replicas: rollout.replicas,
            port,
            nodes: nodes.eligible(workload.template),
            others: "",
            when: if is_updated && both.is_none() { When::Later } else { When::Now },
            fix: FIX,
        };
        let message = match update.judge() {
            None => continue,
            Some(Judged::Never(message)) if is_updated && both.is_some() => {
                found.add(workload, about(workload, message, port.0));
                continue;
            }
            Some(Judged::Never(message) | Judged::Unsure(message)) => message,
            Some(Judged::Spare) => {
                waiting.push(workload_key(workload.pods_view()));
                continue;
            }
        };
        found.findings.push(about(workload, message, port.0));
    }
    let waiting: Vec<&str> = waiting.iter().map(String::as_str).collect();
    found.findings.extend(spare(&waiting, FIX));
}

fn about(workload: &Workload<'_>, message: String, port: u16) -> Finding {
    let path = workload.template.rollout.as_ref().map(|rollout| rollout.path.clone()).unwrap_or_default();
    Finding::new(Severity::Warning, rule::ROLLOUT_SURGE, message).on(workload.id.object).at(path).of_port(port)
}

/// The ports of their node that the pods take now, as far as they are seen: on the host network all that they listen on.
fn held<'w>(workload: &'w Workload<'_>) -> BTreeSet<(u16, &'w str)> {
    let on_host = workload.template.on_host_network();
    let listeners = workload.listeners.iter().filter(|_| on_host);
    let listeners = listeners.map(|listener| (listener.number, listener.protocol.as_ref()));
    workload.template.held_ports().map(|held| (held.number, held.protocol)).chain(listeners).collect()
}

/// The ports of their node that they take in the end.
fn ends_on<'w>(workload: &'w Workload<'_>, wanted: &'w Assignments) -> impl Iterator<Item = (u16, &'w str)> {
    let listeners = workload.listeners.iter().enumerate();
    listeners
        .filter_map(|(position, listener)| Some((wanted.final_number(workload, position)?, listener.protocol.as_ref())))
}

/// The edits of a plan by object.
struct Changed<'p>(HashMap<ObjectId, Vec<&'p Edit>>);

impl<'p> Changed<'p> {
    fn of(plan: &'p Plan) -> Self {
        let mut edits: HashMap<ObjectId, Vec<&Edit>> = HashMap::new();
        for edit in plan.all_edits() {
            edits.entry(edit.object).or_default().push(edit);
        }
        Self(edits)
    }

    /// Whether the pod template changes, so that the pods are replaced.
    fn has(&self, workload: &Workload<'_>) -> bool {
        let edits = self.0.get(&workload.id.object).map_or(&[][..], Vec::as_slice);
        let template = workload.template.path.steps();
        edits
            .iter()
            .any(|edit| matches!(edit.change, Change::AddDocument { .. }) || edit.path.steps().starts_with(&template))
    }
}
