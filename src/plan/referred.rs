//! Every reference to a listener's number moves with it, or stops the move (P5).

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::moves::Mover;
use super::rule;
use super::{Change, Edit, Finding, Severity};
use crate::model::pod::Scalar;
use crate::model::reference::{Opening, Reference, ServiceTarget};
use crate::model::{Facts, ObjectId};
use crate::yaml::{Path, Value};

/// How many objects a message lists.
const LISTED: usize = 20;

impl Mover<'_> {
    /// The edit that moves a reference; a finding when it cannot be moved.
    pub(super) fn referred(
        &self,
        reference: Reference,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<Edit>, Box<Finding>> {
        match reference {
            Reference::Field { object, path, value, others } => {
                self.alike(object, &path, &others, "use the port's name, where the field takes one")?;
                let new = like(&value, self.to);
                let what = path.to_string();
                let change = Change::Set { old: value.value(), new };
                Ok(Some(self.edit(object, path, change, rule::PORT_REFERENCE, &what)))
            }
            Reference::Text { object, place, others } => {
                self.alike(object, &place.path, &others, "give each an object of its own")?;
                findings.extend(self.immutable(object, &place.path));
                let what = place.path.to_string();
                Ok(Some(self.text_edit(object, &place, rule::PORT_REFERENCE, &what)))
            }
            Reference::Opening(opening) => Ok(self.opening(opening)),
            Reference::MayOpen { object, path, open, denies } => {
                if !self.opens(&open) {
                    let does = if denies { "denies" } else { "opens" };
                    let what = format!("a rule that may be about it {does} {} ({path})", self.listener.number);
                    findings.push(self.seen(object, path, &what));
                }
                Ok(None)
            }
            Reference::Target(target) => self.target(&target, findings),
            Reference::Stuck { object, path, why } => Err(Box::new(self.stuck(object, path, &why))),
            Reference::Seen { object, path, what } => {
                findings.push(self.seen(object, path, &what));
                Ok(None)
            }
        }
    }

    /// Something that may be a reference: a person has to look.
    fn seen(&self, object: ObjectId, path: Path, what: &str) -> Finding {
        let place = self.model.object(object).map(|object| object.meta.to_string()).unwrap_or_default();
        let message = format!(
            "{}: moves to {}, and {what} in {place}; if that means this port, change it too",
            self.call(),
            self.to
        );
        self.finding(Severity::Warning, rule::PORT_REFERENCE, message).on(object).at(path)
    }

    /// A reference that cannot be moved: it stops the move.
    fn stuck(&self, object: ObjectId, path: Path, why: &str) -> Finding {
        let place = self.model.object(object).map(|object| object.meta.to_string()).unwrap_or_default();
        let message = format!(
            "{}: cannot move to {}: {place} at {path} refers to {} and cannot be moved along: {why}",
            self.call(),
            self.to,
            self.listener.number
        );
        self.finding(Severity::Error, rule::PORT_REFERENCE, message).on(object).at(path)
    }

    /// Whether all these workloads end on the new number too; else the reference at `path` is needed as it is.
    pub(super) fn alike(
        &self,
        object: ObjectId,
        path: &Path,
        others: &[ObjectId],
        remedy: &str,
    ) -> Result<(), Box<Finding>> {
        let protocol = self.listener.protocol.as_ref();
        let stays = |id: &&ObjectId| self.numbers.get(&(**id, self.listener.number, protocol)) != Some(&self.to);
        let mut staying = others.iter().filter(stays).peekable();
        if staying.peek().is_none() {
            return Ok(());
        }
        let why = format!(
            "{} needs {} there and does not move to {}; move all of them alike, or {remedy}",
            self.listed(staying),
            self.listener.number,
            self.to
        );
        Err(Box::new(self.stuck(object, path.clone(), &why)))
    }

    /// What objects are called, the first ones by name.
    fn listed<'i>(&self, ids: impl Iterator<Item = &'i ObjectId>) -> String {
        let mut ids = ids.filter_map(|id| self.model.object(*id));
        let first: Vec<String> = ids.by_ref().take(LISTED).map(|object| object.meta.to_string()).collect();
        let first = first.join(", ");
        match ids.count() {
            0 => first,
            more => format!("{first} and {more} more"),
        }
    }

    /// A `ConfigMap` that the API server lets nobody change: whether it is in the cluster already is not known.
    pub(super) fn immutable(&self, object: ObjectId, path: &Path) -> Option<Finding> {
        let map = self.model.object(object)?;
        let immutable = matches!(&map.facts, Facts::ConfigMap(map) if map.immutable);
        let message = format!(
            "{}: moves to {}, and {} is immutable: where it is in the cluster already, the API server refuses the change. \
             Give it a new name",
            self.call(),
            self.to,
            map.meta
        );
        let finding = || self.finding(Severity::Warning, rule::PORT_REFERENCE, message).on(object).at(path.clone());
        immutable.then(finding)
    }

    /// Whether one of these ranges has the new number.
    fn opens(&self, open: &[RangeInclusive<u16>]) -> bool {
        open.iter().any(|numbers| numbers.contains(&self.to))
    }

    /// A port of a network policy: it moves when no pod needs the old number there; else the new one is opened beside it.
    fn opening(&self, opening: Opening) -> Option<Edit> {
        let Opening { object, path, value, is_range, count, open, others } = opening;
        if self.opens(&open) {
            return None;
        }
        let (number, protocol) = (self.listener.number, self.listener.protocol.as_ref());
        let has = |id: &ObjectId| {
            let template = self.model.object(*id).and_then(|object| object.template());
            self.numbers.contains_key(&(*id, number, protocol))
                || template.is_some_and(|t| t.declares(number, protocol))
        };
        let end = |id: &ObjectId| self.numbers.get(&(*id, number, protocol)).copied().unwrap_or(number);
        let others: Vec<ObjectId> = others.into_iter().filter(has).collect();
        // The numbers that the moves of workloads before this one open.
        let earlier: BTreeSet<u16> = others.iter().filter(|id| **id < self.workload.id).map(end).collect();
        let is_new = |end: &&u16| **end != number && !open.iter().any(|numbers| numbers.contains(end));
        let opened = earlier.iter().filter(is_new).count();
        // The first of those that go takes the place of the old number, when nobody stays.
        let replaced = !is_range && others.iter().all(|id| end(id) != number);
        let alike = !is_range && others.iter().all(|id| end(id) == self.to);
        if alike || (replaced && opened == 0) {
            let what = path.to_string();
            let new = like(&value, self.to);
            let change = Change::Set { old: value.value(), new };
            return Some(self.edit(object, path, change, rule::PORT_REFERENCE, &what));
        }
        if earlier.contains(&self.to) {
            return None;
        }
        // Others need the number, or go elsewhere: the new one is opened beside it.
        let list = path.parent()?.parent()?;
        let added = list.item(count + opened - usize::from(replaced));
        let mut port = vec![("port".to_owned(), like(&value, self.to))];
        if protocol != "TCP" {
            port.push(("protocol".to_owned(), protocol.into()));
        }
        let what = added.to_string();
        let change = Change::Add { new: Value::Map(port) };
        Some(self.edit(object, added, change, rule::PORT_REFERENCE, &what))
    }

    /// A numeric target port becomes the port's name, so that old and new pods are both reached while they change
    /// (EndpointSlices resolve names pod by pod); where no name fits, the new number. One that is the name already stays.
    fn target(&self, target: &ServiceTarget, findings: &mut Vec<Finding>) -> Result<Option<Edit>, Box<Finding>> {
        let path = target.port.key("targetPort");
        let new = match &target.name {
            Some(name) => Value::from(name.as_str()),
            None => self.common_number(target)?,
        };
        if target.headless {
            let service = self.model.object(target.service).map(|object| object.meta.to_string()).unwrap_or_default();
            let message = format!(
                "{}: {service} is headless: its clients dial {} themselves, and must be told {}",
                self.call(),
                self.listener.number,
                self.to
            );
            // Several of its ports may lead here.
            if !findings.iter().any(|finding| finding.message == message) {
                let finding = self.finding(Severity::Warning, rule::SERVICE_TARGET, message);
                findings.push(finding.on(target.service).at(target.port.clone()));
            }
        }
        let change = match &target.target {
            Some(old) if old.value() == new => return Ok(None),
            Some(old) => Change::Set { old: old.value(), new },
            None => Change::Add { new },
        };
        let what = path.to_string();
        Ok(Some(self.edit(target.service, path, change, rule::SERVICE_TARGET, &what)))
    }

    /// The number that all templates behind a Service move to.
    fn common_number(&self, target: &ServiceTarget) -> Result<Value, Box<Finding>> {
        let key = |id: ObjectId| (id, self.listener.number, self.listener.protocol.as_ref());
        let alike = target.templates.iter().all(|id| self.numbers.get(&key(*id)) == Some(&self.to));
        if alike {
            return Ok(self.to.into());
        }
        let call = |id: &ObjectId| self.model.object(*id).map(|object| object.meta.to_string());
        let message = format!(
            "{}: cannot move to {}: {} leads to {} by the number {}, and they do not all move to {}; only a name leads to \
             different numbers: give the port the same one in each of them, as in `{{name: {}, containerPort: {}}}`",
            self.call(),
            self.to,
            call(&target.service).unwrap_or_default(),
            self.listed(target.templates.iter()),
            self.listener.number,
            self.to,
            self.listener.name.as_deref().unwrap_or("http"),
            self.listener.number
        );
        let finding = self.finding(Severity::Error, rule::SERVICE_TARGET, message);
        Err(Box::new(finding.on(target.service).at(target.port.clone())))
    }
}

/// A number in the type of the value that it replaces.
fn like(old: &Scalar, port: u16) -> Value {
    match old.value() {
        Value::Str(_) => Value::Str(port.to_string()),
        _ => port.into(),
    }
}
