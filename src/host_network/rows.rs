//! Rows for every listener of the selected workloads, as shown by `hostnet ports` and recorded by `hostnet pin`.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::assignments::{Assignment, Assignments};
use super::called::{called, is_called};
use super::owner::listener_keys;
use super::service_order;
use super::unbound::{self, StayReason};
use super::unknown_programs::is_unknown;
use super::workload::Workload;
use crate::model::index::{object_key, workload_key};
use crate::model::listener::{Binding, EvidenceKind, Guess, Listener, ObstacleRemedy, Role, WorkloadEvidence};
use crate::model::pod::TCP;
use crate::model::{Model, ObjectId, WorkloadId};
use crate::plan::{Change, Edit, Move, Plan};
use lossless_yaml::Path;

/// Source of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// Current number of the listener.
    #[default]
    Kept,
    /// Number from a target.
    Config,
    /// Number from `assigned`.
    Assigned,
    /// Number chosen from the pool.
    Pool,
}

/// One listener of a selected workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a column of its own")]
pub struct PortRow {
    /// Key of the workload: `NAMESPACE/KIND/NAME`, and the template name for kinds that may have several templates.
    pub workload: String,
    /// Key of the object: the workload key without the template name.
    pub object: String,
    /// Container name.
    pub container: String,
    /// Key in `assigned`: workload key and port name.
    pub key: String,
    /// Port name, declared or generated.
    pub port: String,
    /// Role of the listener.
    pub role: Role,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: String,
    /// Number in the input.
    pub from: u16,
    /// Number in the output.
    pub to: u16,
    /// Source of the output number.
    pub origin: Origin,
    /// Setting of the port number: a flag, a variable, or the reason for a missing setting.
    pub set_by: String,
    /// Evidence for the listener: `catalogue`, `declared + --port`, `any-address`, `guess`.
    pub evidence: String,
    /// True if the workload is selected and stays unchanged, which a finding explains.
    pub is_left: bool,
    /// True for a guess, which stays unchanged.
    pub is_guess: bool,
    /// True if neither the catalogue nor the config knows the program of the container.
    pub is_unknown: bool,
    /// Evidence for the listener with positions, and rejected texts with its port number.
    pub evidence_lines: Vec<String>,
    /// Settings of the port number with their positions, or reasons why the number cannot be set.
    pub places: Vec<String>,
    /// Reason why the listener cannot get another port number, and the remedy; `None` if it can.
    pub stays: Option<StayReason>,
    /// Changes of the move, one per field.
    pub changes: Vec<String>,
    /// True if the port has a `hostPort` in the input, which clients of the node may use.
    pub has_host_port: bool,
    /// Services whose `targetPort` becomes the new port number, or a name that only new pods have: they no longer reach
    /// old pods.
    pub by_number: Vec<String>,
    /// Reasons why the API server calls the workload.
    pub callers: Vec<String>,
    /// Other clients of the listener that the input shows.
    pub clients: BTreeSet<String>,
    /// True if the manifest proves the listener.
    pub is_certain: bool,
    /// True if only processes of the node reach the listener, because it listens only on the loopback address.
    pub is_loopback: bool,
    called: bool,
}

impl PortRow {
    /// True if the API server must reach the listener.
    pub fn is_called(&self) -> bool {
        self.called
    }

    /// Resets the row to a listener that keeps its port number.
    pub fn keep(&mut self) {
        (self.to, self.origin) = (self.from, Origin::Kept);
        self.changes.clear();
    }
}

/// Moves by workload, container, old number and port name.
type Moves<'p> = HashMap<(WorkloadId, &'p str, u16, &'p str), &'p Move>;

/// Rows of all listeners and guesses, by key.
pub(super) fn rows(model: &Model, plan: &Plan, workloads: &[Workload<'_>], assignments: &Assignments) -> Vec<PortRow> {
    let count = workloads.iter().map(|workload| workload.listeners.len() + workload.guesses.len()).sum();
    let mut rows = Vec::with_capacity(count);
    let called = called(model);
    let mut moves = Moves::new();
    for moved in &plan.moves {
        moves.entry((moved.workload, &moved.container, moved.from, &moved.port)).or_insert(moved);
    }
    for workload in workloads {
        let evidence = WorkloadEvidence::new(model, workload.meta, workload.template);
        let known = Catalogued::new(workload);
        for (position, key) in listener_keys(workload).into_iter().enumerate() {
            let Some(listener) = workload.listeners.get(position) else { continue };
            let origin = match assignments.choice(workload.id, position) {
                Assignment::Keep | Assignment::Auto => Origin::Kept,
                Assignment::Number(_) => Origin::Config,
                Assignment::Given { recorded: true, .. } => Origin::Assigned,
                Assignment::Given { recorded: false, .. } => Origin::Pool,
            };
            rows.push(PortRow {
                workload: workload_key(workload.pods_view()),
                object: object_key(workload.meta),
                container: workload.container(listener).map(|container| container.name.clone()).unwrap_or_default(),
                key,
                port: listener.label.clone(),
                role: listener.role,
                protocol: listener.protocol.to_string(),
                from: listener.number,
                to: assignments.final_number(workload, position).unwrap_or(listener.number),
                origin,
                set_by: set_by(listener),
                evidence: listener.evidence(),
                is_left: false,
                is_guess: false,
                is_unknown: is_unknown(workload, listener.container),
                evidence_lines: evidence_lines(model, &evidence, &known, listener.container, listener.number),
                places: listener.bindings().flat_map(setting_descriptions).collect(),
                stays: unbound::stay_reason(model, workload, listener),
                changes: changes(&moves, workload, listener),
                has_host_port: has_host_port(workload, listener),
                by_number: by_number(model, find_move(&moves, workload, listener)),
                callers: called.get(&workload.owner).into_iter().flatten().cloned().collect(),
                clients: evidence.clients(model, listener.container, listener.number),
                is_certain: listener.is_certain(),
                is_loopback: listener.is_loopback(),
                called: is_called(model, workload, listener),
            });
        }
    }
    for workload in workloads {
        guesses(model, workload, &mut rows);
    }
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    rows
}

/// True if the listener's declared port has a `hostPort`.
fn has_host_port(workload: &Workload<'_>, listener: &Listener) -> bool {
    let port = workload
        .container(listener)
        .zip(listener.declared)
        .and_then(|(container, index)| container.ports.as_ref()?.get(index));
    port.is_some_and(|port| port.host_port.is_some())
}

/// Adds the rows of guesses, which keep their numbers.
fn guesses(model: &Model, workload: &Workload<'_>, rows: &mut Vec<PortRow>) {
    if workload.guesses.is_empty() {
        return;
    }
    let evidence = WorkloadEvidence::new(model, workload.meta, workload.template);
    let known = Catalogued::new(workload);
    let row = |guess: &Guess| {
        let (workload_key, label) = (workload_key(workload.pods_view()), guess.label());
        let container = workload.template.containers.get(guess.container);
        PortRow {
            container: container.map(|container| container.name.clone()).unwrap_or_default(),
            key: format!("{workload_key}/{label}"),
            workload: workload_key,
            object: object_key(workload.meta),
            port: label,
            protocol: TCP.into_owned(),
            from: guess.setting.port,
            to: guess.setting.port,
            set_by: guess.setting.name.clone(),
            evidence: EvidenceKind::Named.as_str().to_owned(),
            is_guess: true,
            is_unknown: is_unknown(workload, guess.container),
            evidence_lines: evidence_lines(model, &evidence, &known, guess.container, guess.setting.port),
            places: vec![format!(
                "{} at {}, if the process listens on it",
                guess.setting.name, guess.setting.place.path
            )],
            ..PortRow::default()
        }
    };
    rows.extend(workload.guesses.iter().map(row));
}

/// Program names of listeners that the catalogue shows, by container and number.
struct Catalogued<'w>(HashMap<(usize, u16), &'w str>);

impl<'w> Catalogued<'w> {
    fn new(workload: &'w Workload<'_>) -> Self {
        let shown = workload.listeners.iter().filter(|listener| listener.evidence_kinds.has(EvidenceKind::Catalogue));
        let named = shown.filter_map(|listener| {
            let program = workload.programs.get(listener.container)?.as_ref()?;
            Some(((listener.container, listener.number), program.name.as_str()))
        });
        Self(named.collect())
    }
}

/// Evidence for a port, and rejected texts with its number, one line each.
fn evidence_lines(
    model: &Model,
    evidence: &WorkloadEvidence<'_>,
    known: &Catalogued<'_>,
    container: usize,
    port: u16,
) -> Vec<String> {
    let (shown, against) = evidence.evidence_for_port(container, port);
    let mut lines: Vec<String> = Vec::new();
    if let Some(program) = known.0.get(&(container, port)) {
        lines.push(format!("shown by: catalogue, program {program}"));
    }
    for shown in shown {
        let object = shown.object.and_then(|id| model.object(id)).map(|object| format!("{} ", object.meta));
        let name = shown.name.map(|name| format!(" {name}")).unwrap_or_default();
        let what = shown.evidence_kind.as_str();
        lines.push(format!("shown by: {what}{name} at {}{}", object.unwrap_or_default(), shown.path));
    }
    lines.extend(against.into_iter().map(|a| format!("against {} at {}: {}", a.name, a.path, a.rejection_reason)));
    lines
}

/// Describes how the port number of a listener is set, one text per setting.
fn setting_descriptions(binding: &Binding) -> Vec<String> {
    match binding {
        Binding::Visible(places) => {
            places.iter().map(|place| format!("{} at {}", place.name, place.place.path)).collect()
        }
        Binding::ConfigMap(map) => vec![format!("{} at {} of its ConfigMap", map.name, map.place.path)],
        Binding::Add { known, doubt, .. } => {
            let added = format!("{} is known to the catalogue or the config, and is added", known.name());
            std::iter::once(added).chain(doubt.as_ref().map(|doubt| doubt.why.clone())).collect()
        }
        Binding::Fixed(obstacle) => vec![obstacle.why.clone()],
        Binding::Later(why) => vec![why.clone()],
        Binding::Phantom => vec!["declared, but no process listens: the number is free".to_owned()],
        Binding::Unknown(places) if places.is_empty() => vec!["the setting of its number is not known".to_owned()],
        Binding::Unknown(places) => {
            let places = places.iter().map(|place| format!("the number is in `{}` ({})", place.name, place.place.path));
            places.collect()
        }
    }
}

/// Move of a listener; `None` if it keeps its port number.
fn find_move<'p>(moves: &Moves<'p>, workload: &Workload<'_>, listener: &Listener) -> Option<&'p Move> {
    let container = workload.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
    moves.get(&(workload.id, container, listener.number, listener.label.as_str())).copied()
}

/// Services whose target port became one that old pods do not have, each once.
fn by_number(model: &Model, moved: Option<&Move>) -> Vec<String> {
    let targets = moved.into_iter().flat_map(service_order::missed_by_old_pods);
    let services = targets.filter_map(|edit| model.object(edit.object));
    let names: BTreeSet<String> = services.map(|service| service.meta.to_string()).collect();
    names.into_iter().collect()
}

/// Messages of the edits of a move, without the label of the listener.
fn changes<'p>(moves: &Moves<'p>, workload: &Workload<'_>, listener: &Listener) -> Vec<String> {
    let own = find_move(moves, workload, listener);
    let line = |edit: &Edit| format!("{} [{}]", edit.message.without_subject(), edit.rule.id);
    // A text with a list of addresses may contain the number several times: list only the first
    // edit of each text.
    let mut texts: HashMap<(ObjectId, &Path), &Range<usize>> = HashMap::new();
    let mut is_first = |edit: &&'p Edit| match &edit.change {
        Change::Text { range, .. } => *texts.entry((edit.object, &edit.path)).or_insert(range) == range,
        _ => true,
    };
    own.into_iter().flat_map(|moved: &'p Move| &moved.edits).filter(|edit| is_first(edit)).map(line).collect()
}

/// Names of the settings of a listener's port number.
fn set_by(listener: &Listener) -> String {
    listener.bindings().map(binding_setting_names).collect::<Vec<_>>().join(", ")
}

/// Names of the settings in a binding.
fn binding_setting_names(binding: &Binding) -> String {
    match binding {
        Binding::Visible(places) => {
            let mut names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
            names.dedup();
            names.join(", ")
        }
        Binding::ConfigMap(map) => map.name.clone(),
        Binding::Add { known, .. } => known.name().to_owned(),
        Binding::Fixed(obstacle) => match &obstacle.remedy {
            ObstacleRemedy::Version(_) => "unknown version".to_owned(),
            ObstacleRemedy::OneOf(_) | ObstacleRemedy::Seen(..) => "unknown".to_owned(),
            ObstacleRemedy::Nothing
            | ObstacleRemedy::Accepted
            | ObstacleRemedy::Setting
            | ObstacleRemedy::Manifest(_) => "fixed".to_owned(),
        },
        Binding::Later(_) => "filled in later".to_owned(),
        Binding::Phantom => "no process listens".to_owned(),
        Binding::Unknown(_) => "unknown".to_owned(),
    }
}
