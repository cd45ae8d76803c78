//! Moves: a listener's new number, and with it everything that tells it or refers to it. All of it, or nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::keys::Assignments;
use super::lists::{Ends, OfLists};
use super::unbound;
use super::workload::Workload;
use crate::api::Config;
use crate::model::listener::{Binding, Listener};
use crate::model::pod::Container;
use crate::model::reference::{AllPods, Others, PodFields, references};
use crate::model::text::TextPlace;
use crate::model::{Model, ObjectId, PodTexts, WorkloadId};
use crate::plan::{Change, Edit, Finding, Move, Plan};
use crate::rule::{self, Rule, Severity};
use crate::yaml::{Path, Value};

/// The numbers that listeners end on, moved or kept: by workload, old number and protocol.
pub(super) type NewNumbers<'w> = BTreeMap<(WorkloadId, u16, &'w str), u16>;

/// Plans the moves of all listeners that get another number. One that nobody named and that cannot move keeps its
/// number, which may keep others from moving: so it is tried again until nothing more is in the way.
pub(super) fn plan(all: &AllPods<'_>, workloads: &[Workload<'_>], wanted: &mut Assignments, plan: &mut Plan) {
    let mut kept = Vec::new();
    loop {
        let mut attempt = attempt(all, workloads, wanted);
        if attempt.stuck.is_empty() {
            plan.moves.append(&mut attempt.plan.moves);
            plan.edits.append(&mut attempt.plan.edits);
            plan.findings.append(&mut attempt.plan.findings);
            break;
        }
        for (workload, listener, position, why) in attempt.stuck {
            kept.extend(why.iter().map(|finding| keep_note(finding.clone().softened(), listener)));
            wanted.keep_for(workload, position, why);
        }
    }
    plan.findings.append(&mut kept);
}

/// One try.
#[derive(Default)]
struct Attempt<'w> {
    plan: Plan,
    /// Listeners that nobody named and that cannot move, their positions, and what is in the way.
    stuck: Vec<(WorkloadId, &'w Listener, usize, Vec<Finding>)>,
}

fn attempt<'w>(all: &AllPods<'_>, workloads: &'w [Workload<'_>], wanted: &Assignments) -> Attempt<'w> {
    let model = all.model;
    let mut numbers = NewNumbers::new();
    for workload in workloads {
        for (position, listener) in workload.listeners.iter().enumerate() {
            let key = (workload.id, listener.number, listener.protocol.as_ref());
            match wanted.number(workload, position).filter(|to| *to != listener.number) {
                Some(to) => _ = numbers.insert(key, to),
                None => _ = numbers.entry(key).or_insert(listener.number),
            }
        }
    }
    let mut attempt = Attempt::default();
    for workload in workloads {
        let mut additions = Additions::default();
        let texts = PodTexts::new(model, workload.pods());
        let fields = all.fields_of(workload.id, workload.meta, workload.template);
        let shared = shared(workload, wanted);
        for (position, listener) in workload.listeners.iter().enumerate() {
            let Some(to) = wanted.number(workload, position).filter(|to| *to != listener.number) else {
                attempt.plan.edits.extend(kept(workload, listener, &mut additions));
                continue;
            };
            let (staying, ends) = (OfLists::default(), OfLists::default());
            let (texts, numbers, fields) = (&texts, &numbers, &fields);
            let mover = Mover { model, all, workload, texts, listener, to, numbers, fields, staying, ends };
            let mut findings = Vec::new();
            let mut edits = mover.edits(&mut additions, &mut findings);
            if let Some(message) = shared_place(workload, &shared, wanted, position, to) {
                findings.push(mover.finding(Severity::Error, rule::PORT_TOLD, message));
                edits = None;
            }
            match edits {
                Some(edits) => {
                    attempt.plan.moves.push(mover.moved(edits));
                    attempt.plan.findings.append(&mut findings);
                }
                None if wanted.is_free(workload, position) => {
                    // Warnings are about the move, and it is not made.
                    findings.retain(|finding| finding.severity == Severity::Error);
                    let why = one(model, findings).into_iter().collect();
                    attempt.stuck.push((workload.id, listener, position, why));
                }
                None => attempt.plan.findings.append(&mut findings),
            }
        }
        attempt.plan.edits.extend(additions.created.into_iter().map(|list| created(workload, list)));
    }
    attempt
}

/// How many things in the way of one move are looked for.
const IN_THE_WAY: usize = 10;

/// One finding of all that is in the way of a move: the first reason, and where the others are.
fn one(model: &Model, findings: Vec<Finding>) -> Option<Finding> {
    let is_full = findings.len() >= IN_THE_WAY;
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
        first.message.push_str(&format!(". Also in the way: {}{more}", others.join(", ")));
    }
    Some(first)
}

/// What is said of a listener that keeps its number since something is in the way.
fn keep_note(mut finding: Finding, listener: &Listener) -> Finding {
    finding.message.push_str(&format!(". It keeps {}", listener.number));
    finding
}

/// Two listeners of one pod on one number and protocol: they share the node's addresses.
pub(super) fn conflicts(config: &Config, workload: &Workload<'_>, wanted: &Assignments, findings: &mut Vec<Finding>) {
    let mut owners: BTreeMap<(u16, &str), (usize, &Listener)> = BTreeMap::new();
    for (position, listener) in workload.listeners.iter().enumerate() {
        let Some(number) = wanted.final_number(workload, position) else { continue };
        let owner = (position, listener);
        if let Some((other_position, other)) = owners.insert((number, listener.protocol.as_ref()), owner) {
            // When the config gave one of them the number, that is the place to change it.
            let given = [position, other_position].iter().any(|position| wanted.number(workload, *position).is_some());
            let path = Path::dotted("spec.targets").item(workload.target).key("ports");
            let place = if given { format!(" (given at {})", config.place_of(&path)) } else { String::new() };
            let remedy = called_otherwise(workload, [other, listener])
                .unwrap_or_else(|| "Give one of them another number in `ports`".to_owned());
            let message = format!(
                "{} and {} both end on {number}/{}{place}; on the host network a number can be had once. {remedy}",
                workload.call(other),
                workload.call(listener),
                listener.protocol
            );
            let finding = Finding::new(Severity::Error, rule::PORT_CONFLICT, message);
            findings.push(finding.on(workload.id.object).at(workload.field(listener)).of_port(listener.number));
        }
    }
}

/// The workloads of broad selects whose own listeners are in each other's way: each is left whole, with a warning.
pub(super) fn left_for_conflicts(
    config: &Config,
    workloads: &[Workload<'_>],
    wanted: &Assignments,
    findings: &mut Vec<Finding>,
) -> BTreeSet<WorkloadId> {
    let mut left = BTreeSet::new();
    for workload in workloads.iter().filter(|workload| !workload.strict) {
        let mut own = Vec::new();
        conflicts(config, workload, wanted, &mut own);
        if !own.is_empty() {
            left.insert(workload.id);
            findings.extend(own.into_iter().map(|mut finding| {
                finding.message.push_str(". The workload is left as it is");
                finding.softened()
            }));
        }
    }
    left
}

/// What to do when the second of two ports is Crossplane's own, and the first one is that port by another name.
fn called_otherwise(workload: &Workload<'_>, [written, implied]: [&Listener; 2]) -> Option<String> {
    let name = implied.name.as_deref()?;
    // What is declared and not written is Crossplane's, and comes behind what its container has.
    let is_same = workload.written(implied).is_none()
        && written.container == implied.container
        && written.number == implied.number;
    is_same.then(|| {
        format!(
            "Crossplane declares {name} itself unless the runtime config has a port of that name: call port {} `{name}`",
            Workload::key(written)
        )
    })
}

/// Where the number of a listener stands: the object when it is not the workload, the path of the text, and the start.
type Spot<'l> = (Option<ObjectId>, &'l Path, usize);

fn spot<'l>((object, place, _): (Option<ObjectId>, &'l TextPlace, &str)) -> Spot<'l> {
    (object, &place.path, place.range.start)
}

/// The listeners of a workload that each place tells: the first one, and the first that ends on another number than that.
type Shared<'l> = HashMap<Spot<'l>, (usize, Option<usize>)>;

fn shared<'w>(workload: &'w Workload<'_>, wanted: &Assignments) -> Shared<'w> {
    let mut shared = Shared::new();
    for (position, listener) in workload.listeners.iter().enumerate() {
        for spot in listener.binding.places().map(spot) {
            let (first, apart) = shared.entry(spot).or_insert((position, None));
            if apart.is_none() && wanted.final_number(workload, position) != wanted.final_number(workload, *first) {
                *apart = Some(position);
            }
        }
    }
    shared
}

/// Whether another listener is told by the same place and does not move along: why this move cannot be.
fn shared_place(
    workload: &Workload<'_>,
    shared: &Shared<'_>,
    wanted: &Assignments,
    position: usize,
    to: u16,
) -> Option<String> {
    let listener = workload.listeners.get(position)?;
    let stays = |other: &usize| wanted.final_number(workload, *other) != Some(to);
    let apart = listener.binding.places().filter_map(|place| {
        let (first, apart) = shared.get(&spot(place))?;
        Some((std::iter::once(*first).chain(*apart).find(stays)?, place.2))
    });
    let (other, name) = apart.min_by_key(|(other, _)| *other)?;
    Some(format!(
        "{}: `{name}` tells {} its number too; give both the same number",
        workload.call(listener),
        workload.call(workload.listeners.get(other)?)
    ))
}

/// Arguments, variables and ports that were added to lists so far: later ones come after them.
#[derive(Default)]
struct Additions {
    counts: BTreeMap<Path, usize>,
    /// Lists that did not exist: each is an edit of its own.
    created: Vec<Path>,
}

impl Additions {
    /// The path of the next element of a list that has `existing` ones; the list itself is added when there is none.
    fn next(&mut self, list: &Path, existing: Option<usize>, name: Option<&str>) -> Path {
        if existing.is_none() && !self.counts.contains_key(list) {
            self.created.push(list.clone());
        }
        let added = self.counts.entry(list.clone()).or_default();
        let index = existing.unwrap_or_default() + *added;
        *added += 1;
        list.named_item(index, name)
    }
}

/// One listener on its way to another number.
pub(super) struct Mover<'m, 'a> {
    pub(super) model: &'m Model,
    pub(super) all: &'m AllPods<'a>,
    pub(super) workload: &'m Workload<'m>,
    pub(super) texts: &'m PodTexts<'m>,
    pub(super) listener: &'m Listener,
    pub(super) to: u16,
    pub(super) numbers: &'m NewNumbers<'m>,
    /// The port fields outside of the templates that are about the workload.
    fields: &'m PodFields<'a>,
    /// The workloads of a list that do not end on the new number, for a person.
    pub(super) staying: OfLists<Option<Rc<str>>>,
    /// Where the workloads of a list end.
    pub(super) ends: OfLists<Rc<Ends>>,
}

impl Mover<'_, '_> {
    fn moved(&self, edits: Vec<Edit>) -> Move {
        let container = self.workload.container(self.listener).map(|container| container.name.clone());
        Move {
            workload: self.workload.id,
            container: container.unwrap_or_default(),
            port: self.listener.label.clone(),
            role: self.listener.role,
            from: self.listener.number,
            to: self.to,
            evidence: self.listener.evidence(),
            edits,
        }
    }

    /// `Deployment shop/web, container web, port http (8080)`
    pub(super) fn call(&self) -> String {
        self.workload.call(self.listener)
    }

    /// `what` changes is said with the old number and the new value; another object than the workload is named.
    pub(super) fn edit(&self, object: ObjectId, path: Path, change: Change, rule: Rule, what: &str) -> Edit {
        let other = self.model.object(object).filter(|_| object != self.workload.id.object);
        let place = other.map(|object| format!("{} ", object.meta)).unwrap_or_default();
        let new = match &change {
            Change::Set { new, .. } => new.to_string(),
            Change::Add { new: new @ (Value::Str(_) | Value::Int(_)) } if rule == rule::SERVICE_TARGET => {
                new.to_string()
            }
            _ => self.to.to_string(),
        };
        let message = format!("{}: {place}{what} {} -> {new}", self.call(), self.listener.number);
        Edit { object, path, change, rule, message }
    }

    pub(super) fn finding(&self, severity: Severity, rule: Rule, message: String) -> Finding {
        let finding = Finding::new(severity, rule, message).on(self.workload.id.object);
        finding.at(self.workload.field(self.listener)).of_port(self.listener.number)
    }

    /// All edits of the move; none when something is in the way, which is then a finding.
    fn edits(&self, additions: &mut Additions, findings: &mut Vec<Finding>) -> Option<Vec<Edit>> {
        let container = self.workload.container(self.listener)?;
        let mut edits = self.declared(container, additions);
        let mut stuck = Vec::new();
        match self.told(container, additions, findings) {
            Ok(told) => edits.extend(told),
            Err(finding) => stuck.push(*finding),
        }
        for reference in references(self.all, self.workload.pods(), self.fields, self.texts, self.listener) {
            match self.referred(reference, findings) {
                Ok(edit) => edits.extend(edit),
                // A person mends some at a time.
                Err(_) if stuck.len() == IN_THE_WAY => break,
                Err(finding) => stuck.push(*finding),
            }
        }
        if stuck.is_empty() {
            return Some(edits);
        }
        findings.extend(stuck);
        None
    }

    /// The declaration: `containerPort`; a listener that is not declared becomes so.
    fn declared(&self, container: &Container, additions: &mut Additions) -> Vec<Edit> {
        let Some(declared) = self.workload.written(self.listener) else {
            return vec![declaration(self.workload, self.listener, container, self.to, additions)];
        };
        let old = Value::from(self.listener.number);
        let path = container.port_path(declared).key("containerPort");
        let change = Change::Set { old, new: self.to.into() };
        vec![self.edit(self.workload.id.object, path, change, rule::PORT_MOVED, "containerPort")]
    }

    /// What tells the process its number.
    fn told(
        &self,
        container: &Container,
        additions: &mut Additions,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<Edit>, Box<Finding>> {
        let refuse = |message: String| Box::new(self.finding(Severity::Error, rule::PORT_TOLD, message));
        match &self.listener.binding {
            Binding::Phantom => Ok(Vec::new()),
            Binding::Visible(places) => {
                let edit = |place: &TextPlace, name: &str| {
                    self.text_edit(self.workload.id.object, place, rule::PORT_TOLD, name)
                };
                Ok(places.iter().map(|visible| edit(&visible.place, &visible.name)).collect())
            }
            Binding::ConfigMap(told) => {
                let readers = Others::from(told.readers(self.model));
                self.alike(told.object, &told.place.path, &readers, "give each an object of its own")?;
                findings.extend(self.immutable(told.object, &told.place.path));
                Ok(vec![self.text_edit(told.object, &told.place, rule::PORT_TOLD, &told.name)])
            }
            Binding::Fixed(_) | Binding::Unknown(_) => {
                let why = unbound::why(self.workload, self.listener).unwrap_or_default();
                let keep = match &self.listener.binding {
                    Binding::Fixed(_) => {
                        format!("Write `{}: keep`, or leave it out of `ports`. ", Workload::key(self.listener))
                    }
                    _ => String::new(),
                };
                let hint = unbound::bind_hint(self.workload, self.listener);
                Err(refuse(format!("{}: cannot move to {}: {why}. {keep}{hint}", self.call(), self.to)))
            }
            Binding::Add { tell, value, no_cmd, doubt } => {
                if let Some(doubt) = doubt {
                    let message = format!("{}: {doubt}", self.call());
                    findings.push(self.finding(Severity::Warning, rule::PORT_TOLD, message));
                }
                let text = value.replace("{port}", &self.to.to_string());
                match (&tell.env, &tell.arg) {
                    (Some(name), _) => Ok(vec![self.add_env(container, name, text, additions)]),
                    (None, Some(flag)) => {
                        let added = self.add_arg(container, flag, &text, *no_cmd, additions);
                        added.map(|edit| vec![edit]).map_err(refuse)
                    }
                    (None, None) => Ok(Vec::new()),
                }
            }
        }
    }

    fn add_env(&self, container: &Container, name: &str, value: String, additions: &mut Additions) -> Edit {
        let existing = container.env_len;
        let path = additions.next(&container.path.key("env"), existing, Some(name));
        let new = Value::Map(vec![("name".to_owned(), name.into()), ("value".to_owned(), value.into())]);
        self.edit(self.workload.id.object, path, Change::Add { new }, rule::PORT_TOLD, &format!("variable {name}"))
    }

    fn add_arg(
        &self,
        container: &Container,
        flag: &str,
        value: &str,
        no_cmd: bool,
        additions: &mut Additions,
    ) -> Result<Edit, String> {
        let cannot = |why: &str| format!("{}: `{flag}={value}` cannot be added: {why}", self.call());
        if container.script().is_some() {
            return Err(cannot("the container runs a shell script; put the flag there yourself"));
        }
        if container.args.is_none() && container.command.is_none() && !no_cmd {
            return Err(cannot("the container has neither command nor args, and args would replace the image's own"));
        }
        let existing = container.args.as_ref().map(Vec::len);
        let path = additions.next(&container.path.key("args"), existing, None);
        let new = Value::Str(format!("{flag}={value}"));
        Ok(self.edit(self.workload.id.object, path, Change::Add { new }, rule::PORT_TOLD, &format!("argument {flag}")))
    }

    pub(super) fn text_edit(&self, object: ObjectId, place: &TextPlace, rule: Rule, what: &str) -> Edit {
        let change = Change::Text { old: place.text.clone(), range: place.range.clone(), new: self.to.to_string() };
        self.edit(object, place.path.clone(), change, rule, what)
    }
}

/// A list that did not exist, for what is added to it.
fn created(workload: &Workload<'_>, list: Path) -> Edit {
    let message = format!("{workload}: {list} is new");
    let change = Change::Add { new: Value::Seq(Vec::new()) };
    Edit { object: workload.id.object, path: list, change, rule: rule::PORT_DECLARED, message }
}

/// A listener that keeps its number and is not declared becomes so.
fn kept(workload: &Workload<'_>, listener: &Listener, additions: &mut Additions) -> Option<Edit> {
    let missing = workload.written(listener).is_none() && workload.may_declare;
    let container = workload.container(listener).filter(|_| missing)?;
    Some(declaration(workload, listener, container, listener.number, additions))
}

/// The declaration of a listener that had none.
fn declaration(
    workload: &Workload<'_>,
    listener: &Listener,
    container: &Container,
    number: u16,
    additions: &mut Additions,
) -> Edit {
    let mut port = vec![
        ("name".to_owned(), Value::from(listener.label.as_str())),
        ("containerPort".to_owned(), number.into()),
        ("hostPort".to_owned(), number.into()),
    ];
    if listener.protocol != "TCP" {
        port.push(("protocol".to_owned(), listener.protocol.as_ref().into()));
    }
    let existing = container.ports_len;
    Edit {
        object: workload.id.object,
        path: additions.next(&container.path.key("ports"), existing, Some(&listener.label)),
        change: Change::Add { new: Value::Map(port) },
        rule: rule::PORT_DECLARED,
        message: format!(
            "{}, container {}: listens on {number} ({}), which was not declared",
            workload, container.name, listener.role
        ),
    }
}
