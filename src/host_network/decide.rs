//! Decides which listeners of a model move, and reports findings that block the others.

use std::collections::BTreeSet;

use super::assignments::Assignments;
use super::attempt::attempt;
use super::attempt_context::AttemptContext;
use super::learn::Learned;
use super::own_target::OwnTarget;
use super::rows::{self, PortRow};
use super::target::{MatchedObjects, Targets, bound};
use super::unmoved_workloads::UnmovedWorkloads;
use super::workload::Workload;
use super::{duplicate_objects, duplicate_ports, pod, records};
use crate::crossplane::{Moves, Runtimes, Terms};
use crate::help::HelpSetting;
use crate::model::reference::AllPods;
use crate::model::{Meta, Model, WorkloadId};
use crate::plan::{Plan, config_object, listed};

/// Result of the last attempt: moved workloads, unchanged workloads, and final port numbers.
struct Decision<'s> {
    plan: Plan,
    /// Workloads that move.
    workloads: Vec<Workload<'s>>,
    /// Selected workloads that stay unchanged.
    left: Vec<Workload<'s>>,
    /// Final numbers of the listeners of `workloads`.
    assignments: Assignments,
}

/// Plans the changes of the objects of a model.
pub fn plan(model: &Model, targets: &Targets<'_>) -> Plan {
    Selection::new(model, targets).decide().plan
}

/// Returns the plan and the rows of `hostnet ports` and `hostnet pin`; the rows of unchanged workloads come last.
pub fn plan_with_ports(model: &Model, targets: &Targets<'_>) -> (Plan, Vec<PortRow>) {
    let selection = Selection::new(model, targets);
    let Decision { plan, workloads, left, assignments } = selection.decide();
    let mut rows = rows::rows(model, &plan, &workloads, &assignments);
    let mut of_left = rows::rows(model, &plan, &left, &Assignments::default());
    for row in &mut of_left {
        row.is_left = true;
    }
    rows.append(&mut of_left);
    (plan, rows)
}

/// The `bind` entries that a help text proves for a container, and the target that matches the
/// container.
#[derive(Debug, Clone)]
pub struct LearnedTarget {
    /// Object with the pod template.
    pub object: Meta,
    /// Position of the matching target in `targets` of the config.
    pub target: usize,
    /// Separate target for this workload, if the matching target also matches other workloads.
    pub own: Option<OwnTarget>,
    /// Entries and notes from the help text.
    pub learned: Learned,
}

/// Joins a help text with the container named by `wanted`: `NAMESPACE/NAME` or `NAMESPACE/NAME/CONTAINER`. The error
/// lists the possible names.
pub fn learn(
    model: &Model,
    targets: &Targets<'_>,
    wanted: &str,
    help: &[HelpSetting],
) -> Result<LearnedTarget, String> {
    let selection = Selection::new(model, targets);
    let Decision { workloads, left, .. } = selection.decide();
    let all: Vec<&Workload<'_>> = workloads.iter().chain(&left).collect();
    let name_of = |workload: &Workload<'_>| {
        format!("{}/{}", workload.meta.namespace.as_deref().unwrap_or_default(), workload.meta.name)
    };
    let mut found = Vec::new();
    for workload in &all {
        let name = name_of(workload);
        for (position, container) in workload.template.containers.iter().enumerate() {
            if wanted == name
                || wanted.strip_prefix(&name).and_then(|rest| rest.strip_prefix('/')) == Some(&container.name)
            {
                found.push((*workload, position, format!("{name}/{}", container.name)));
            }
        }
    }
    match found.as_slice() {
        [] => {
            let names: BTreeSet<String> = all.iter().map(|workload| name_of(workload)).collect();
            let names = listed(names, NAMES);
            Err(format!("no target selects a container `{wanted}`; selected are: {names}"))
        }
        [(workload, position, _)] => Ok(LearnedTarget {
            object: workload.meta.clone(),
            target: workload.target,
            own: workload.is_broad.then(|| workload.own_target()),
            learned: super::learn::learn(workload, *position, help),
        }),
        several => {
            let names = listed(several.iter().map(|(.., name)| name), NAMES);
            Err(format!(
                "`{wanted}` has {} containers; name the container that the help text belongs to: {names}",
                several.len()
            ))
        }
    }
}

/// Maximum number of names in an error.
const NAMES: usize = 20;

/// Objects that the targets match, and the runtimes of matched packages.
struct Selection<'m> {
    model: &'m Model,
    targets: &'m Targets<'m>,
    matched: MatchedObjects,
    runtimes: Runtimes,
    /// Initial plan: new runtime configs of packages, and findings so far.
    start: Plan,
}

impl<'m> Selection<'m> {
    fn new(model: &'m Model, targets: &'m Targets<'m>) -> Self {
        let config = targets.config;
        let mut start = Plan::default();
        let matched = targets.matching(model, &mut start);
        let packages = targets.packages(model, &matched.by_target);
        let spec = &config.host_network.spec;
        let crossplane = &spec.crossplane;
        let terms = Terms {
            version: crossplane.version.as_deref(),
            missing: crossplane.missing_runtime_config,
            moves: Some(Moves {
                functions: crossplane.functions,
                variables: bound(config),
                assigned: spec.assigned.iter().map(|(key, number)| (key.clone(), number.get())).collect(),
            }),
        };
        let runtimes = Runtimes::build(model, &terms, &packages, &mut start.findings);
        start.new.clone_from(&runtimes.new);
        Self { model, targets, matched, runtimes, start }
    }

    /// Attempts to move all selected workloads, then repeats without the workloads that must stay unchanged, until an
    /// attempt succeeds. Each attempt starts from scratch, because decisions about the other workloads may change when
    /// a workload is left out.
    fn decide(&self) -> Decision<'_> {
        let (model, config) = (self.model, self.targets.config);
        let mut start = self.start.clone();
        let selected = self.targets.select(model, &self.matched.by_target, &self.runtimes, &mut start.findings);
        duplicate_objects::find(model, &selected, &mut start.findings);
        start.findings.extend(records::unused(config, &selected));
        start.findings.extend(records::records_of_former_names(config, &selected));
        config_object::report_configs_in_input(model, &mut start.findings);
        let all = all_pods(model, &selected, &self.runtimes);
        let (mut workloads, mut left): (Vec<_>, Vec<_>) = selected.into_iter().partition(|workload| {
            !pod::forbidden(&all, workload, &mut start.findings)
                && !pod::report_differing_host_port(config, workload, &mut start.findings)
        });
        let mut context = AttemptContext {
            model,
            targets: self.targets,
            runtimes: &self.runtimes,
            all: &all,
            collided: BTreeSet::new(),
        };
        loop {
            match attempt(&context, &workloads, start.clone()) {
                Ok((mut plan, assignments)) => {
                    plan.findings.extend(duplicate_ports::find(model, self.targets, &workloads));
                    let staying = UnmovedWorkloads::new(model, &workloads);
                    plan.missed.called_staying = staying.called(&self.matched);
                    plan.missed.unmoved = staying.of_targets(&self.matched);
                    return Decision { plan, workloads, left, assignments };
                }
                Err(whole) => {
                    left.extend(workloads.extract_if(.., |workload| whole.workloads.contains(&workload.id)));
                    start.findings.extend(whole.findings);
                    context.collided.extend(whole.collided);
                }
            }
        }
    }
}

/// All pods of the input: of its workloads, of selected packages with the templates of their runtimes, and of other
/// packages.
fn all_pods<'m>(model: &'m Model, selected: &[Workload<'m>], runtimes: &'m Runtimes) -> AllPods<'m> {
    let moving = selected.iter().filter(|workload| model.workload(workload.id).is_none());
    let moving = moving.map(|workload| (workload.id, workload.meta, workload.template));
    let others =
        runtimes.others().filter_map(|(id, template)| Some((WorkloadId::first(id), &model.object(id)?.meta, template)));
    AllPods::new(model, moving.chain(others))
}
