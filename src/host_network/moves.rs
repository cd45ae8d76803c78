//! Moves: a new port number for a listener, with its setting and all references. A move is applied completely or not at
//! all.

use std::cell::RefCell;
use std::collections::HashSet;

use super::additions::Additions;
use super::assignments::Assignments;
use super::move_planner::{MAX_BLOCKERS, MovePlanner, NewNumbers};
use super::pod_edits::declaration;
use super::policy_numbers::PolicySummaries;
use super::shared_place::{shared, shared_place};
use super::workload::Workload;
use super::workload_list_cache::WorkloadListCache;
use crate::model::listener::Listener;
use crate::model::reference::AllPods;
use crate::model::{Model, ObjectId, PodTexts, WorkloadId};
use crate::plan::{Change, Edit, Finding, Plan};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

/// Plans the moves of all listeners that get another port number, and returns the numbers; `allocate` assigns the
/// automatic numbers. A listener that no key names and that cannot move keeps its number, which may block other moves:
/// the attempt is repeated until no automatic move is blocked. Numbers are assigned anew each time, so that a listener
/// without a move takes no number of the pool.
pub(super) fn plan(
    all: &AllPods<'_>,
    workloads: &[Workload<'_>],
    mut assignments: Assignments,
    allocate: impl Fn(&mut Assignments) -> Vec<Finding>,
    plan: &mut Plan,
) -> Assignments {
    let mut kept = Vec::new();
    loop {
        let mut given = assignments.clone();
        let unallocated = allocate(&mut given);
        let mut attempt = attempt(all, workloads, &given);
        if attempt.blockers.is_empty() {
            drop_warnings_of_moved_settings(&mut attempt.plan);
            plan.moves.append(&mut attempt.plan.moves);
            plan.edits.append(&mut attempt.plan.edits);
            plan.findings.extend(unallocated);
            plan.findings.append(&mut attempt.plan.findings);
            plan.findings.append(&mut kept);
            return given;
        }
        for (workload, listener, position, why) in attempt.blockers {
            kept.extend(why.iter().map(|finding| with_kept_number_note(finding.clone().as_warning(), listener)));
            assignments.keep_number_because(workload, position, why);
        }
    }
}

/// Result of one attempt.
#[derive(Default)]
struct Attempt<'w> {
    plan: Plan,
    /// Blocked listeners that no key names, with their positions and the blocking findings.
    blockers: Vec<(WorkloadId, &'w Listener, usize, Vec<Finding>)>,
}

/// Plans the moves of all listeners with these port numbers.
fn attempt<'w>(all: &AllPods<'_>, workloads: &'w [Workload<'_>], assignments: &Assignments) -> Attempt<'w> {
    let model = all.model;
    let mut numbers = NewNumbers::new();
    for workload in workloads {
        for (position, listener) in workload.listeners.iter().enumerate() {
            let key = (workload.id, listener.number, listener.protocol.as_ref());
            match assignments.number(workload, position).filter(|to| *to != listener.number) {
                Some(to) => _ = numbers.insert(key, to),
                None => _ = numbers.entry(key).or_insert(listener.number),
            }
        }
    }
    let mut attempt = Attempt::default();
    let (summaries, shared_texts) = (PolicySummaries::default(), RefCell::default());
    for workload in workloads {
        let mut additions = Additions::default();
        let texts = PodTexts::new(model, workload.pods());
        let fields = all.fields_of(workload.id, workload.meta, workload.template);
        let shared = shared(workload, assignments);
        for (position, listener) in workload.listeners.iter().enumerate() {
            let Some(to) = assignments.number(workload, position).filter(|to| *to != listener.number) else {
                attempt.plan.edits.extend(declare_kept_listener(workload, listener, &mut additions));
                continue;
            };
            let planner = MovePlanner {
                model,
                all,
                workload,
                texts: &texts,
                listener,
                to,
                numbers: &numbers,
                fields: &fields,
                staying: WorkloadListCache::default(),
                headless: RefCell::default(),
                summaries: &summaries,
                shared_texts: &shared_texts,
                name: workload.display_name(listener).into(),
            };
            let mut findings = Vec::new();
            let mut edits = planner.edits(&mut additions, &mut findings);
            if let Some(message) = shared_place(workload, &shared, assignments, position, to) {
                findings.push(planner.finding(Severity::Error, rule::PORT_SETTING, message));
                edits = None;
            }
            match edits {
                Some(edits) => {
                    attempt.plan.moves.push(planner.moved(edits));
                    attempt.plan.findings.append(&mut findings);
                }
                None if assignments.is_free(workload, position) => {
                    // Drop warnings about a move that is not made.
                    findings.retain(|finding| finding.severity == Severity::Error);
                    let why = joined_finding(model, findings).into_iter().collect();
                    attempt.blockers.push((workload.id, listener, position, why));
                }
                None => attempt.plan.findings.append(&mut findings),
            }
        }
        attempt.plan.edits.extend(additions.created.into_iter().map(|list| new_list(workload, list)));
    }
    attempt
}

/// Drops warnings about a flag or variable that is named after one workload and sets the port of
/// another workload, if that port moves too.
fn drop_warnings_of_moved_settings(plan: &mut Plan) {
    let mut set: HashSet<(ObjectId, &Path)> = HashSet::new();
    for moved in &plan.moves {
        // Skip settings in a ConfigMap: its file may also contain other settings.
        let is_own = |edit: &&Edit| edit.rule == rule::PORT_SETTING && edit.object == moved.workload.object;
        set.extend(moved.edits.iter().filter(is_own).map(|edit| (edit.object, &edit.path)));
    }
    let is_set = |finding: &Finding| {
        let place = finding.object.zip(finding.path.as_ref());
        finding.rule == rule::PORT_REFERENCE && place.is_some_and(|place| set.contains(&place))
    };
    plan.findings.retain(|finding| finding.severity != Severity::Warning || !is_set(finding));
}

/// Joins findings that block a move: the message of the first finding, and the fields of the other findings.
fn joined_finding(model: &Model, findings: Vec<Finding>) -> Option<Finding> {
    let is_full = findings.len() >= MAX_BLOCKERS;
    let mut findings = findings.into_iter();
    let mut first = findings.next()?;
    let place = |finding: Finding| {
        let object = model.object(finding.object?)?;
        Some(finding.path.map_or_else(|| object.meta.to_string(), |path| format!("{} at {path}", object.meta)))
    };
    let mut others: Vec<String> = findings.filter_map(place).collect();
    others.dedup();
    if !others.is_empty() {
        let more = if is_full { " and more" } else { "" };
        first.message.push_str(&format!(". Also blocking the move: {}{more}", others.join(", ")));
    }
    Some(first)
}

/// Adds the port number that the listener keeps to a finding that blocks its move.
fn with_kept_number_note(mut finding: Finding, listener: &Listener) -> Finding {
    finding.message.push_str(&format!(". It keeps {}", listener.number));
    finding
}

/// Edit that creates a list for added elements.
fn new_list(workload: &Workload<'_>, list: Path) -> Edit {
    let message = workload.message(format_args!("{list} is new"));
    let change = Change::Add { new: Value::Seq(Vec::new()) };
    Edit { object: workload.id.object, path: list, change, rule: rule::PORT_DECLARED, message }
}

/// Edit that declares an undeclared listener which keeps its port number.
fn declare_kept_listener(workload: &Workload<'_>, listener: &Listener, additions: &mut Additions) -> Option<Edit> {
    let missing = workload.declared_index(listener).is_none() && workload.may_declare;
    let container = workload.container(listener).filter(|_| missing)?;
    Some(declaration(workload, listener, container, listener.number, additions))
}
