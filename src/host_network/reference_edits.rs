//! References to the port number of a listener: each moves with the listener, or blocks the move.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;

use super::move_planner::{MAX_BLOCKERS, MovePlanner};
use super::policy_numbers::FinalNumbers;
use crate::model::facts::Count;
use crate::model::pod::Scalar;
use crate::model::reference::{AffectedWorkloads, PolicyPort, Reference, ServiceTarget};
use crate::model::{ObjectId, WorkloadId};
use crate::plan::{Change, Edit, Finding, listed};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Step, Value};

/// Maximum number of Services that a message lists.
const NAMED: usize = 5;

impl MovePlanner<'_, '_> {
    /// Returns the edit that moves a reference; `None` if the reference needs no edit, an error if it blocks the move.
    pub(super) fn edit_for_reference(
        &self,
        reference: Reference,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<Edit>, Box<Finding>> {
        match reference {
            Reference::Field { object, path, value, others } => {
                self.check_all_move_equally(object, &path, &others, "use the port's name, where the field takes one")?;
                let new = format_like(&value, self.to);
                let what = path.to_string();
                let change = Change::Set { old: value.value(), new };
                Ok(Some(self.edit(object, path, change, rule::PORT_REFERENCE, &what)))
            }
            Reference::Text { object, place, others } => {
                self.check_all_move_equally(object, &place.path, &others, "use a separate object for each")?;
                findings.extend(self.config_map_warnings(object, &place.path));
                let what = place.path.to_string();
                Ok(Some(self.text_edit(object, &place, rule::PORT_REFERENCE, &what)))
            }
            Reference::Either { object, place, others, protocols } => {
                self.check_all_move_equally(object, &place.path, &others, "use a separate object for each")?;
                self.other_protocols_move_equally(object, &place.path, &protocols)?;
                findings.extend(self.config_map_warnings(object, &place.path));
                let what = place.path.to_string();
                Ok(Some(self.text_edit(object, &place, rule::PORT_REFERENCE, &what)))
            }
            Reference::PolicyPort(opening) => Ok(self.policy_port(opening)),
            Reference::PossiblePolicyPort { object, path, rule } => {
                if !self.opens(&rule.open) && !self.is_egress_to_other(&path) {
                    let does = if rule.denies { "denies" } else { "opens" };
                    let what = format!("a rule that may refer to it {does} {} ({path})", self.listener.number);
                    findings.push(self.possible_reference(object, path, &what));
                }
                Ok(None)
            }
            Reference::Target(target) => self.target(&target),
            Reference::Blocking { object, path, why } => Err(Box::new(self.blocking_reference(object, path, &why))),
            Reference::Seen { object, path, what } => {
                findings.push(self.possible_reference(object, path, &what));
                Ok(None)
            }
        }
    }

    /// True for an egress rule to a port that only the API server dials.
    fn is_egress_to_other(&self, path: &Path) -> bool {
        let is_egress = |step: &Step| matches!(step, Step::Key(key) if matches!(key.as_ref(), "egress" | "egressDeny"));
        let role = self.listener.role;
        role.is_called_by_api_server() && !self.listener.is_role_by_word && path.steps().into_iter().any(is_egress)
    }

    /// Warning about a possible reference, to be checked by the user.
    fn possible_reference(&self, object: ObjectId, path: Path, description: &str) -> Finding {
        let place = self.model.object(object).map(|object| object.meta.to_string()).unwrap_or_default();
        let message = format!(
            "{}: moves to {}, and {description} in {place}; if that refers to this port, change it too",
            self.display_name(),
            self.to
        );
        self.finding(Severity::Warning, rule::PORT_REFERENCE, message).on_object(object).at(path)
    }

    /// Error about a reference that cannot be changed and blocks the move.
    fn blocking_reference(&self, object: ObjectId, path: Path, why: &str) -> Finding {
        let place = self.model.object(object).map(|object| object.meta.to_string()).unwrap_or_default();
        let message = format!(
            "{}: cannot move to {}: {place} at {path} refers to {} and cannot be changed: {why}",
            self.display_name(),
            self.to,
            self.listener.number
        );
        self.finding(Severity::Error, rule::PORT_REFERENCE, message).on_object(object).at(path)
    }

    /// Succeeds if all workloads that use the reference at `path` get the new port number; else the reference blocks
    /// the move.
    pub(super) fn check_all_move_equally(
        &self,
        object: ObjectId,
        path: &Path,
        others: &AffectedWorkloads,
        remedy: &str,
    ) -> Result<(), Box<Finding>> {
        let Some(staying) = self.staying(others) else { return Ok(()) };
        let why = format!(
            "{staying} also uses {} there and does not move to {}; move all of them to one number, or {remedy}",
            self.listener.number, self.to
        );
        Err(Box::new(self.blocking_reference(object, path.clone(), &why)))
    }

    /// Names of workloads that do not get the new port number; `None` if all get it. Cached, since many references
    /// concern the same workloads.
    fn staying(&self, others: &AffectedWorkloads) -> Option<Rc<str>> {
        self.staying.get_or_insert(others, || {
            let protocol = self.listener.protocol.as_ref();
            let is_other = |id: &&WorkloadId| **id != self.workload.id;
            let end = |id: &WorkloadId| self.numbers.get(&(*id, self.listener.number, protocol));
            let stays = |id: &&WorkloadId| end(id) != Some(&self.to);
            let moves = |id: &WorkloadId| end(id).is_some_and(|end| *end != self.listener.number);
            let counts = |id: &&WorkloadId| {
                let template = self.all.template(**id);
                let declares = template.is_some_and(|template| template.declares(self.listener.number, protocol));
                match others.count {
                    Count::All => true,
                    Count::Having => declares || end(id).is_some(),
                    // Workloads that move are included, because their moves change the field too.
                    Count::Declaring => declares || moves(id),
                }
            };
            let staying = others.workloads.iter().filter(is_other).filter(stays).filter(counts);
            join_names(staying.filter_map(|id| self.all.pods(*id)))
        })
    }

    /// Succeeds if all listeners of the pod with the same port number and another protocol get the new number too.
    /// Otherwise it is unknown to which protocol a text refers.
    fn other_protocols_move_equally(
        &self,
        object: ObjectId,
        path: &Path,
        protocols: &[Cow<'static, str>],
    ) -> Result<(), Box<Finding>> {
        let number = self.listener.number;
        let moves = |protocol: &str| self.numbers.get(&(self.workload.id, number, protocol)) == Some(&self.to);
        let Some(stays) = protocols.iter().find(|protocol| !moves(protocol)) else { return Ok(()) };
        let why = format!(
            "it may also refer to port {number}/{stays} of the pod, which does not move to {}: give both ports the same number, or write the scheme in that text (`{}://`)",
            self.to,
            self.listener.protocol.to_lowercase()
        );
        Err(Box::new(self.blocking_reference(object, path.clone(), &why)))
    }

    /// Warnings about the edit of a key of a `ConfigMap`.
    pub(super) fn config_map_warnings(&self, object: ObjectId, path: &Path) -> Vec<Finding> {
        let Some(map) = self.model.object(object) else { return Vec::new() };
        // The API server refuses the change if the object exists in the cluster.
        let immutable = map.config_map().is_some_and(|map| map.immutable).then(|| {
            format!(
                "{} is immutable: where it is in the cluster already, the API server refuses the change. Give it a new name",
                map.meta
            )
        });
        let Some(Step::Key(key)) = path.last() else { return Vec::new() };
        let address = self.model.service_of_address_pair(object, key, self.listener.number).map(|(host, service)| {
            format!(
                "`{key}` next to `{host}` in {} is an address of {service}, which keeps {}: clients that read both keys dial {}. Write the number into the pod's own `env` or flag, so that the key stays",
                map.meta, self.listener.number, self.to
            )
        });
        let finding = |why: String| {
            let message = format!("{}: moves to {}, and {why}", self.display_name(), self.to);
            self.finding(Severity::Warning, rule::PORT_REFERENCE, message).on_object(object).at(path.clone())
        };
        immutable.into_iter().chain(address).map(finding).collect()
    }

    /// Warning about a key of a ConfigMap that an object without a pod template reads too: its use is unknown.
    pub(super) fn other_reader(&self, object: ObjectId, path: &Path) -> Option<Finding> {
        let map = self.model.object(object)?;
        let Some(Step::Key(key)) = path.last() else { return None };
        let reader = self.model.other_reader(&map.meta, key)?;
        let message = format!(
            "{}: moves to {}. {reader} reads the same key, so it gets the new number too. If it has to keep the old number, give it a separate ConfigMap",
            self.display_name(),
            self.to
        );
        Some(self.finding(Severity::Warning, rule::PORT_REFERENCE, message).on_object(object).at(path.clone()))
    }

    /// True if one of these ranges contains the new port number.
    fn opens(&self, open: &[RangeInclusive<u16>]) -> bool {
        open.iter().any(|numbers| numbers.contains(&self.to))
    }

    /// Edit of a port in a network policy: replaces the old number if no other workload needs it; else adds the new
    /// number.
    fn policy_port(&self, opening: PolicyPort) -> Option<Edit> {
        let PolicyPort { object, path, value, is_range, rule, others } = opening;
        let (open, count) = (&rule.open, rule.count);
        if self.opens(open) {
            return None;
        }
        let (number, protocol) = (self.listener.number, self.listener.protocol.as_ref());
        // If several entries contain the old number, only one of them adds the new number: the
        // entry with exactly this number, else the first entry.
        let first = open.iter().find(|numbers| numbers.contains(&number));
        let is_first = || first.is_none_or(|first| value.text.parse() == Ok(*first.start()));
        if is_range && (open.contains(&(number..=number)) || !is_first()) {
            return None;
        }
        let own = self.workload.id;
        let ends = self.final_numbers(open, &others);
        // The number of entries that the moves of earlier workloads add to the rule.
        let opened = ends.numbers_added_before(own);
        // The first workload that moves replaces the old number, if no other workload keeps it.
        let replaced = !is_range && ends.count_others_with(number, own) == 0;
        let is_equal = !is_range && ends.count_others_with(self.to, own) == ends.count_other_workloads(own);
        if is_equal || (replaced && opened == 0) {
            let what = path.to_string();
            let new = format_like(&value, self.to);
            let change = Change::Set { old: value.value(), new };
            return Some(self.edit(object, path, change, rule::PORT_REFERENCE, &what));
        }
        if ends.is_before(self.to, own) {
            return None;
        }
        // Other workloads keep the old number, or get another new number: add the new number to the
        // rule.
        let list = path.parent()?.parent()?;
        let added = list.item(count + opened - usize::from(replaced));
        let protocol = (protocol != "TCP").then(|| ("protocol", protocol.into()));
        let what = added.to_string();
        let change =
            Change::Add { new: Value::map([("port", format_like(&value, self.to))].into_iter().chain(protocol)) };
        Some(self.edit(object, added, change, rule::PORT_REFERENCE, &what))
    }

    /// Final numbers of the workloads with the old port number that policy rules apply to.
    fn final_numbers(&self, open: &[RangeInclusive<u16>], workloads: &Arc<[WorkloadId]>) -> Rc<FinalNumbers> {
        let (number, protocol) = (self.listener.number, self.listener.protocol.as_ref());
        self.summaries.get_or_insert(open, workloads, (number, protocol), |id| {
            let declares = || self.all.template(id).is_some_and(|template| template.declares(number, protocol));
            let end = self.numbers.get(&(id, number, protocol)).copied();
            end.or_else(|| declares().then_some(number))
        })
    }

    /// Replaces a numeric target port by the port name, so that the Service reaches old and new pods during the rollout
    /// (EndpointSlices resolve names for each pod); without a suitable name, by the new number. `None` if the target
    /// port is already the name.
    fn target(&self, target: &ServiceTarget) -> Result<Option<Edit>, Box<Finding>> {
        let path = target.path.clone();
        let new = match &target.name {
            Some(name) => Value::from(name.as_str()),
            None => self.common_number(target)?,
        };
        if target.headless {
            self.headless.borrow_mut().entry(target.service).or_insert_with(|| target.port.clone());
        }
        let change = match &target.target {
            Some(old) if old.value() == new => return Ok(None),
            Some(old) => Change::Set { old: old.value(), new },
            None => Change::Add { new },
        };
        let what = path.to_string();
        Ok(Some(self.edit(target.service, path, change, rule::SERVICE_TARGET, &what)))
    }

    /// Warnings about headless Services, whose clients dial the listener directly. Services after the first few share a
    /// warning: each of many listeners may have many Services.
    pub(super) fn headless_services(&self) -> Vec<Finding> {
        let services = self.headless.borrow();
        let services: Vec<_> = services.iter().collect();
        let (first, further) = services.split_at(services.len().min(MAX_BLOCKERS));
        let groups = first.chunks(1).chain(Some(further).filter(|further| !further.is_empty()));
        let finding = |group: &[(&ObjectId, &Path)]| {
            let (service, port) = group.first()?;
            let name = |(id, _): &(&ObjectId, &Path)| Some(&self.model.object(**id)?.meta);
            let message = format!(
                "{}: {} {} headless: {} clients dial {} directly; configure them to use {}",
                self.display_name(),
                listed(group.iter().filter_map(name), NAMED),
                if group.len() == 1 { "is" } else { "are" },
                if group.len() == 1 { "its" } else { "their" },
                self.listener.number,
                self.to
            );
            let finding = self.finding(Severity::Warning, rule::SERVICE_TARGET, message);
            Some(finding.on_object(**service).at((*port).clone()))
        };
        groups.filter_map(finding).collect()
    }

    /// New number, if all pod templates of a Service move to it; else an error.
    fn common_number(&self, target: &ServiceTarget) -> Result<Value, Box<Finding>> {
        let key = |id: WorkloadId| (id, self.listener.number, self.listener.protocol.as_ref());
        let all_move = target.templates.iter().all(|id| self.numbers.get(&key(*id)) == Some(&self.to));
        if all_move {
            return Ok(self.to.into());
        }
        let label = |id: &WorkloadId| self.all.pods(*id);
        let service = self.model.object(target.service).map(|object| object.meta.to_string());
        let message = format!(
            "{}: cannot move to {}: {} targets {} by the number {}, and not all of them move to {}. Only a port name can resolve to different numbers: give the port the same name in each of them, as in `{{name: {}, containerPort: {}}}`",
            self.display_name(),
            self.to,
            service.unwrap_or_default(),
            join_names(target.templates.iter().filter_map(label)).unwrap_or_default(),
            self.listener.number,
            self.to,
            self.listener.name.as_deref().unwrap_or("http"),
            self.listener.number
        );
        let finding = self.finding(Severity::Error, rule::SERVICE_TARGET, message);
        Err(Box::new(finding.on_object(target.service).at(target.port.clone())))
    }
}

/// Maximum number of names in a message.
const LISTED: usize = 5;

/// Joins names for a message; `None` without names.
fn join_names(names: impl Iterator<Item = impl Display>) -> Option<Rc<str>> {
    let listed = listed(names, LISTED);
    (!listed.is_empty()).then(|| listed.into())
}

/// Formats a port number in the type of the value that it replaces.
fn format_like(old: &Scalar, port: u16) -> Value {
    match old.value() {
        Value::Str(_) => Value::Str(port.to_string()),
        _ => port.into(),
    }
}
