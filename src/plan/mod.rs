//! What to do: the decisions. Turns edges of the model into edits and searches nothing itself; no I/O, no YAML text.
//!
//! A [`Plan`] is a list of [`Move`]s, each applied whole or not at all, of free [`Edit`]s, and of [`Finding`]s that say
//! what is not done and why. Every output (edited documents, results, a diff) renders the same plan.

mod allocate;
mod between;
mod called;
mod charts;
mod config;
mod crossplane;
mod guesses;
mod held;
mod hooks;
mod keys;
mod left_kinds;
mod listed;
mod lists;
mod mesh;
mod moves;
mod network_policy;
mod node_ports;
mod owner;
mod placeholders;
mod pod;
mod referred;
mod rollout;
mod rows;
pub mod select;
mod target;
mod unknown_programs;
mod unmet;
mod untold;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crossplane::Runtimes;

use crate::model::facts::package;
use crate::model::listener::Role;
use crate::model::reference::AllPods;
use crate::model::{Meta, Model, ObjectId, WorkloadId};
use crate::yaml::{Path, Value};

pub use crate::rule::{self, Rule, Severity};
pub use rows::{Origin, PortRow};
pub use target::Targets;

/// A change of one value of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The object.
    pub object: ObjectId,
    /// The value's path in it.
    pub path: Path,
    /// Old and new value.
    pub change: Change,
    /// The rule that asks for it.
    pub rule: Rule,
    /// What happens, for a person: where, old, new.
    pub message: String,
}

/// Old and new value of an [`Edit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The value is replaced.
    Set {
        /// What it was.
        old: Value,
        /// What it is to be.
        new: Value,
    },
    /// A range of a text is replaced.
    Text {
        /// The whole text as it was; shared, since a script may be changed in thousands of places.
        old: Arc<str>,
        /// The bytes of it that are replaced.
        range: Range<usize>,
        /// What stands there then.
        new: String,
    },
    /// A key or a list element is added; the path is where it will be.
    Add {
        /// What is added.
        new: Value,
    },
    /// A key or a list element goes.
    Remove {
        /// What it was.
        old: Value,
    },
    /// The object is new: [`Plan::new`] says who it is, and later edits are about what it holds.
    AddDocument {
        /// The object behind which it is written.
        after: ObjectId,
        /// What it holds at first.
        content: Content,
    },
    /// The object goes.
    RemoveDocument,
}

/// What a new object holds at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The bytes of the object behind which it is written, without what belongs to that one alone.
    Copy,
    /// This value.
    New(Value),
}

/// A listener's move to another number, with everything that refers to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The workload.
    pub workload: WorkloadId,
    /// The container's name.
    pub container: String,
    /// The port's name.
    pub port: String,
    /// What it is for.
    pub role: Role,
    /// The number it had.
    pub from: u16,
    /// The number it gets.
    pub to: u16,
    /// What shows that it listens, and what tells it its number: `declared + --port`.
    pub evidence: String,
    /// All that changes.
    pub edits: Vec<Edit>,
}

/// Something that is not done, or that a person should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The rule.
    pub rule: Rule,
    /// The object, when it is about one.
    pub object: Option<ObjectId>,
    /// The field, when it is about one.
    pub path: Option<Path>,
    /// What the field holds.
    pub current: Option<Value>,
    /// What is wrong, where, and what to do.
    pub message: String,
}

impl Finding {
    /// A finding about the input or the config as a whole.
    #[must_use]
    pub fn new(severity: Severity, rule: Rule, message: impl Into<String>) -> Self {
        Self { severity, rule, object: None, path: None, current: None, message: message.into() }
    }

    /// The finding, about an object.
    #[must_use]
    pub fn on(mut self, object: ObjectId) -> Self {
        self.object = Some(object);
        self
    }

    /// The finding about something that need not be: an error is a warning then.
    #[must_use]
    pub fn softened(mut self) -> Self {
        self.severity = self.severity.max(Severity::Warning);
        self
    }

    /// The finding, about a field of its object.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(path);
        self
    }
}

/// What to do with an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Listeners that move.
    pub moves: Vec<Move>,
    /// All other changes.
    pub edits: Vec<Edit>,
    /// Objects that are new. Their ids follow those of the input's.
    pub new: Vec<Meta>,
    /// What is not done.
    pub findings: Vec<Finding>,
}

impl Plan {
    /// All edits, those of moves included.
    pub fn all_edits(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().chain(self.moves.iter().flat_map(|moved| &moved.edits))
    }

    /// Whether something in the plan stops the whole run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Decides what to do with the objects of a model.
    #[must_use]
    pub fn make(model: &Model, targets: &Targets<'_>) -> Self {
        Self::decide(model, targets, |_, _, _| ()).0
    }

    /// The same, and what was decided of every listener: the rows of `hostnet ports` and `hostnet pin`.
    #[must_use]
    pub fn make_with_ports(model: &Model, targets: &Targets<'_>) -> (Self, Vec<PortRow>) {
        Self::decide(model, targets, |plan, workloads, wanted| rows::rows(model, plan, workloads, wanted))
    }

    fn decide<T>(
        model: &Model,
        targets: &Targets<'_>,
        also: impl Fn(&Self, &[target::Selected<'_>], &keys::Wanted) -> T,
    ) -> (Self, T) {
        let config = targets.config;
        let mut first = Self::default();
        let met = targets.meet(model, &mut first.findings);
        let packages = targets.packages(model, &met);
        let runtimes = Runtimes::of(model, config, &packages, &mut first.findings);
        first.new.clone_from(&runtimes.new);
        let selected = targets.select(model, &met, &runtimes, &mut first.findings);
        twice(model, &selected, &mut first.findings);
        config::among_objects(model, &mut first.findings);
        let all = &all_pods(model, &selected, &runtimes);
        let stays = |workload: &target::Selected<'_>, findings: &mut Vec<Finding>| {
            pod::forbidden(all, workload, findings) || pod::has_other_host_port(config, workload, findings)
        };
        let mut workloads: Vec<_> =
            selected.into_iter().filter(|workload| !stays(workload, &mut first.findings)).collect();
        let mut left = BTreeSet::new();
        loop {
            let mut plan = first.clone();
            let moving = workloads.iter().map(|workload| workload.owner).collect();
            plan.edits = runtimes.edits(model, &moving);
            plan.findings.extend(runtimes.findings(&moving).cloned());
            let mut wanted = keys::resolve(config, &workloads, &mut plan.findings);
            untold::keep(&workloads, &mut wanted, &mut plan.findings);
            allocate::allocate(model, &runtimes, config, &workloads, &mut wanted, &mut plan.findings);
            moves::plan(all, &workloads, &mut wanted, &mut plan);
            if plan.findings.iter().any(|finding| finding.rule == rule::PORT_KEY) {
                // Numbers that were not understood are given to nobody: what would follow from that is noise.
                plan.name_packages(model, &runtimes);
                let also = also(&plan, &workloads, &wanted);
                return (plan, also);
            }
            let conflicts = between::conflicts(model, &runtimes, config, &workloads, &wanted, &left);
            if !conflicts.leave.is_empty() {
                // Neither of two that cannot move may be on the host network: without them all looks different.
                workloads.retain(|workload| !conflicts.leave.contains(&workload.id));
                left.extend(conflicts.leave);
                first.findings.extend(conflicts.stuck);
                continue;
            }
            let within = moves::left_for_conflicts(config, &workloads, &wanted, &mut first.findings);
            if !within.is_empty() {
                workloads.retain(|workload| !within.contains(&workload.id));
                left.extend(within);
                continue;
            }
            plan.findings.extend(conflicts.findings);
            for workload in &workloads {
                moves::conflicts(config, workload, &wanted, &mut plan.findings);
                pod::edits(config, workload, &wanted, &mut plan);
                rollout::free_port_first(config, workload, &mut plan);
            }
            node_ports::report(config, &workloads, &wanted, &mut plan.findings);
            placeholders::report(all, config, &workloads, &wanted, &mut plan.findings);
            plan.findings.extend(left_kinds::beside(&workloads));
            plan.findings.extend(guesses::report(&workloads));
            plan.findings.extend(unknown_programs::report(&workloads));
            plan.findings.extend(mesh::report(model, &workloads));
            network_policy::warn(model, &workloads, &mut plan.findings);
            plan.findings.extend(allocate::recorded(config, &workloads, &wanted));
            plan.findings.extend(called::reachable(model, &workloads, &wanted));
            plan.findings.extend(called::unseen(model, &workloads));
            if !targets.follow_calls() {
                plan.findings.extend(called::elsewhere(model, &workloads, &wanted));
            }
            plan.name_packages(model, &runtimes);
            let also = also(&plan, &workloads, &wanted);
            return (plan, also);
        }
    }
}

impl Plan {
    /// What is said of an object that does not exist yet is about the package that it is made for.
    fn name_packages(&mut self, model: &Model, runtimes: &Runtimes) {
        for finding in self.findings.iter_mut().filter(|finding| finding.object >= Some(model.objects().len())) {
            finding.object = finding.object.and_then(|object| runtimes.package_of(object));
            finding.path = None;
        }
    }
}

/// All pods of the input: a package has the template of what it runs as, under the id that its moves have.
fn all_pods<'m>(model: &'m Model, selected: &[target::Selected<'m>], runtimes: &'m Runtimes) -> AllPods<'m> {
    let moving = selected.iter().filter(|workload| model.workload(workload.id).is_none());
    let moving = moving.map(|workload| (workload.id, workload.meta, workload.template));
    let others =
        runtimes.others().filter_map(|(id, template)| Some((WorkloadId::first(id), &model.object(id)?.meta, template)));
    AllPods::new(model, moving.chain(others))
}

/// The same object twice in one input: which of the two the cluster gets is chance. Both places are said.
fn twice(model: &Model, selected: &[target::Selected<'_>], findings: &mut Vec<Finding>) {
    let mut ids: HashMap<_, Vec<ObjectId>> = HashMap::new();
    // An object is one, however many templates it holds.
    let workloads = model.workloads().filter(|(id, ..)| id.template == 0);
    let workloads = workloads.map(|(id, object, _)| (id.object, &object.meta));
    let all = workloads.chain(model.packages().map(|(id, meta, _)| (id, meta)));
    for (id, meta) in all.filter(|(_, meta)| !meta.name.is_empty()) {
        // Packages are the cluster's (`scope=Cluster`, Crossplane's `apis/pkg/v1`), whatever namespace is written in them.
        let namespace = meta.namespace.as_ref().filter(|_| meta.gvk.group != package::GROUP);
        ids.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_default().push(id);
    }
    let selected: BTreeSet<ObjectId> = selected.iter().map(|workload| workload.owner).collect();
    for same in ids.into_values().filter(|ids| ids.len() > 1 && ids.iter().any(|id| selected.contains(id))) {
        for id in same {
            let Some(object) = model.object(id) else { continue };
            let meta = &object.meta;
            let scope = match meta.gvk.group.as_str() {
                package::GROUP => format!(" (a {} has no namespace, so those of one name are one)", meta.gvk.kind),
                _ => String::new(),
            };
            let message =
                format!("{meta} is in the input more than once{scope}; which of them counts is chance. Remove one");
            findings.push(Finding::new(Severity::Error, rule::DUPLICATE_OBJECT, message).on(id));
        }
    }
}
