//! All port fields outside of the pod templates that apply to some pods: fields that follow a listener, placeholders,
//! and unreadable fields.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::named_port::{Group, NamedPort, Subject};
use super::{health_check, service};
use crate::model::facts::{PodCommand, PodsView, Reach};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::index::Model;
use crate::model::listener::{Hints, ports};
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;

/// A command outside of the templates that runs in some pods.
#[derive(Debug, Clone)]
pub(in crate::model) struct NamedCommand<'m> {
    pub(in crate::model) object: ObjectId,
    pub(in crate::model) command: &'m PodCommand,
    pub(in crate::model) subject: Subject,
}

/// Workloads whose pods a field applies to, in the order of the input.
#[derive(Debug, Clone)]
pub(in crate::model) struct FieldWorkloads {
    /// Workloads that the field certainly applies to.
    pub(in crate::model) sure: Arc<[WorkloadId]>,
    /// True if the field may apply to other workloads too.
    pub(in crate::model) more: bool,
}

/// For each port name: the first two workloads in which a port of this name is not the port that the Service dials.
type DifferingWorkloadsByName = HashMap<String, Rc<[WorkloadId]>>;

/// All pods of an input: pods of workloads, and pods of Crossplane packages as far as known.
#[derive(Debug)]
pub struct AllPods<'m> {
    /// The objects.
    pub model: &'m Model,
    packages: HashMap<WorkloadId, PodsView<'m>>,
    audiences: RefCell<HashMap<Subject, FieldWorkloads>>,
    /// The distinct lists of workloads in `audiences`, because caches use their addresses as keys.
    lists: RefCell<HashSet<Arc<[WorkloadId]>>>,
    services: RefCell<HashMap<(ObjectId, Reach), Group<'m>>>,
    health_checks: RefCell<health_check::HealthCheckCache<'m>>,
    groups: RefCell<HashMap<(usize, Reach), Group<'m>>>,
    fields: RefCell<HashMap<WorkloadId, Rc<PodFields<'m>>>>,
    differing: RefCell<HashMap<(ObjectId, usize), DifferingWorkloadsByName>>,
    listeners: RefCell<HashMap<WorkloadId, Rc<ListenerNumbers>>>,
}

/// Numbers and protocols of the listeners of a workload.
type ListenerNumbers = HashSet<(u16, Cow<'static, str>)>;

/// Port fields that apply to the pods of one workload.
#[derive(Debug, Default)]
pub struct PodFields<'m> {
    /// Ports by Service, checks of load balancers, and index group; all pods of a group share it.
    groups: Vec<Group<'m>>,
    /// Commands that run in these pods.
    pub(in crate::model) commands: Vec<NamedCommand<'m>>,
}

impl<'m> PodFields<'m> {
    /// All port fields.
    pub fn iter(&self) -> impl Iterator<Item = &NamedPort<'m>> {
        self.groups.iter().flat_map(|group| group.iter())
    }
}

impl<'m> AllPods<'m> {
    /// Creates the pods of the model's workloads and of these packages, each with the workload that contains its
    /// template.
    pub fn new(model: &'m Model, packages: impl Iterator<Item = (WorkloadId, &'m Meta, &'m PodTemplate)>) -> Self {
        let packages = packages.map(|(id, meta, template)| (id, PodsView { meta, template })).collect();
        Self {
            model,
            packages,
            audiences: RefCell::default(),
            lists: RefCell::default(),
            services: RefCell::default(),
            health_checks: RefCell::default(),
            groups: RefCell::default(),
            fields: RefCell::default(),
            differing: RefCell::default(),
            listeners: RefCell::default(),
        }
    }

    /// Pods of a workload or package. Messages about a runtime config name the package that uses it.
    pub fn pods(&self, id: WorkloadId) -> Option<PodsView<'m>> {
        let package = self.packages.get(&id).copied();
        package.or_else(|| self.model.workload(id).map(|(object, template)| PodsView { meta: &object.meta, template }))
    }

    /// The listeners of a workload that the manifest or the catalogue shows, read once; `None` for an unknown workload.
    pub fn listeners_of(&self, id: WorkloadId) -> Option<Rc<ListenerNumbers>> {
        if let Some(known) = self.listeners.borrow().get(&id) {
            return Some(Rc::clone(known));
        }
        let (object, template) = self.model.workload(id)?;
        let found = ports(self.model, &object.meta, template, &Hints::default()).listeners;
        let found = found.into_iter().map(|listener| (listener.number, listener.protocol));
        let found: Rc<ListenerNumbers> = Rc::new(found.collect());
        self.listeners.borrow_mut().insert(id, Rc::clone(&found));
        Some(found)
    }

    /// The template of a workload or of a package.
    pub fn template(&self, id: WorkloadId) -> Option<&'m PodTemplate> {
        self.pods(id).map(|pods| pods.template)
    }

    /// All port fields outside of pod templates that apply to these pods.
    pub fn fields_of(&self, id: WorkloadId, meta: &Meta, template: &PodTemplate) -> Rc<PodFields<'m>> {
        if let Some(known) = self.fields.borrow().get(&id) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.find(meta, template));
        self.fields.borrow_mut().insert(id, Rc::clone(&found));
        found
    }

    /// Finds the fields and commands of other objects that refer to ports of the pods.
    fn find(&self, meta: &Meta, template: &PodTemplate) -> PodFields<'m> {
        let pods = PodsView { meta, template };
        let mut found = PodFields::default();
        let mut services = self.services.borrow_mut();
        for (id, meta, facts, reach) in self.model.services_that_may_select(pods) {
            // Skip a Service that selects other pods and may not send traffic to these pods, such
            // as a Job or Pod without a port of the Service.
            let is_meant = reach == Reach::Sure && facts.leads_to(pods.meta, pods.template);
            if !is_meant && self.model.selected_by(meta, facts).next().is_some() {
                continue;
            }
            let named =
                |field| NamedPort { object: id, field: Cow::Owned(field), reach, subject: Subject::Services(vec![id]) };
            let shared = services.entry((id, reach));
            let shared = shared.or_insert_with(|| service::fields(meta, facts).into_iter().map(named).collect());
            found.groups.extend((!shared.is_empty()).then(|| Rc::clone(shared)));
        }
        found.groups.extend(health_check::fields(self.model, &mut self.health_checks.borrow_mut(), pods));
        for (at, group, reach) in self.model.field_index().groups_for_pods(self.model, pods) {
            let subject = Subject::Group(at);
            // Skip a selector that may apply to these pods if it certainly applies to other pods. A
            // policy may apply to more pods.
            if reach == Reach::Maybe && group.applies_to.is_selector() && !self.audience(&subject).sure.is_empty() {
                continue;
            }
            if reach == Reach::Sure {
                let named = |(object, command)| NamedCommand { object, command, subject: subject.clone() };
                found.commands.extend(group.commands(self.model).map(named));
            }
            let named = |(object, field)| {
                let (field, subject) = (Cow::Borrowed(field), subject.clone());
                NamedPort { object, field, reach, subject }
            };
            let mut groups = self.groups.borrow_mut();
            let shared = groups.entry((at, reach)).or_insert_with(|| group.fields(self.model).map(named).collect());
            found.groups.push(Rc::clone(shared));
        }
        found
    }

    /// First two workloads of a Service in which a port name means another port than the Service dials, as found by
    /// `find`. The result is cached, because many workloads share a Service.
    pub(in crate::model) fn differing(
        &self,
        (service, port, name): (ObjectId, usize, &str),
        find: impl FnOnce() -> Rc<[WorkloadId]>,
    ) -> Rc<[WorkloadId]> {
        let mut known = self.differing.borrow_mut();
        let of_port = known.entry((service, port)).or_default();
        if let Some(found) = of_port.get(name) {
            return Rc::clone(found);
        }
        let found = find();
        of_port.insert(name.to_owned(), Rc::clone(&found));
        found
    }

    /// Workloads that a field applies to.
    pub(in crate::model) fn audience(&self, subject: &Subject) -> FieldWorkloads {
        if let Some(known) = self.audiences.borrow().get(subject) {
            return known.clone();
        }
        let (mut sure, mut more) = (Vec::new(), false);
        let mut add = |id: WorkloadId, reach: Option<Reach>| match reach {
            Some(Reach::Sure) => sure.push(id),
            Some(Reach::Maybe) => more = true,
            None => {}
        };
        let group = match subject {
            Subject::Group(at) => self.model.field_index().group_at(*at),
            Subject::Services(_) => None,
        };
        let reach = |pods: PodsView<'_>| match subject {
            Subject::Services(ids) => {
                let services = ids.iter().filter_map(|id| self.model.service(*id));
                let leads = services.filter(|(_, service)| service.leads_to(pods.meta, pods.template));
                leads.filter_map(|(meta, service)| pods.is_selected_by(meta, service)).max()
            }
            Subject::Group(_) => group.and_then(|group| group.applies_to.reach(self.model, pods)),
        };
        let near = match subject {
            Subject::Services(ids) => {
                let services = ids.iter().filter_map(|id| self.model.service(*id));
                services.flat_map(|(meta, service)| self.model.selected_by(meta, service)).map(|(id, _)| id).collect()
            }
            Subject::Group(_) => group.map_or_else(Vec::new, |group| group.applies_to.candidates(self.model)),
        };
        for id in near.into_iter().filter(|id| !self.packages.contains_key(id)) {
            let Some((object, template)) = self.model.workload(id) else { continue };
            add(id, reach(PodsView { meta: &object.meta, template }));
        }
        for (id, pods) in &self.packages {
            add(*id, reach(*pods));
        }
        sure.sort_unstable();
        sure.dedup();
        let mut lists = self.lists.borrow_mut();
        let known = lists.get(sure.as_slice()).cloned();
        let sure = known.unwrap_or_else(|| sure.into());
        lists.insert(Arc::clone(&sure));
        let audience = FieldWorkloads { sure, more };
        self.audiences.borrow_mut().insert(subject.clone(), audience.clone());
        audience
    }
}
