//! Objects with port fields, indexed by the pods that they apply to, so that a search for one pod reads few objects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use super::objects::Objects;
use super::reach::hashes_of;
use crate::model::facts::{AppliesTo, FieldPort, PodCommand, PodsView, PortField, Reach};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::pod::{ContainerPort, PodTemplate, TCP};
use lossless_yaml::Path;

/// Maximum number of groups for which a debug build verifies the index by comparing all groups.
const MAX_VERIFIED_GROUPS: usize = 50;

/// Groups of port fields that apply to the same pods.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldIndex {
    groups: Vec<Group>,
    near: HashMap<u64, Vec<usize>>,
}

/// Fields and commands that apply to the same pods, each by its object and its position there.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// Pods that the fields apply to.
    pub(crate) applies_to: Arc<AppliesTo>,
    fields: Vec<(ObjectId, usize)>,
    commands: Vec<(ObjectId, usize)>,
    /// TCP ports that workloads of the group declare; computed at first use.
    declared: OnceLock<BTreeSet<u16>>,
    /// Ports that metrics monitors name, each with the fields that name it; computed at first use.
    monitored: OnceLock<BTreeMap<u16, Vec<(ObjectId, Path)>>>,
}

impl Group {
    /// True if a workload that the fields apply to declares this TCP port.
    pub(crate) fn some_declares(&self, model: &Objects, number: u16) -> bool {
        let declared = self.declared.get_or_init(|| {
            let workload = |id: WorkloadId| {
                let (object, template) = model.workload(id)?;
                Some(PodsView { meta: &object.meta, template })
            };
            let all = self.applies_to.candidates(model).into_iter().filter_map(workload);
            let applying = all.filter(|pods| self.applies_to.reach(model, *pods) == Some(Reach::Sure));
            applying.flat_map(|pods| tcp_ports(pods.template)).collect()
        });
        declared.contains(&number)
    }

    /// Ports in fields of metrics monitors, each with the first such field of each object.
    pub(crate) fn monitored(&self, model: &Objects) -> &BTreeMap<u16, Vec<(ObjectId, Path)>> {
        self.monitored.get_or_init(|| {
            let mut found: BTreeMap<u16, Vec<(ObjectId, Path)>> = BTreeMap::new();
            for (object, field) in self.fields(model).filter(|(_, field)| field.is_metrics_monitor_field()) {
                if let FieldPort::Numbers(numbers) = &field.port {
                    let fields = found.entry(*numbers.start()).or_default();
                    if fields.last().is_none_or(|(last, _)| *last != object) {
                        fields.push((object, field.path.clone()));
                    }
                }
            }
            found
        })
    }

    /// The fields of the group, in the order of the input.
    pub(crate) fn fields<'m>(&self, model: &'m Objects) -> impl Iterator<Item = (ObjectId, &'m PortField)> {
        let field = |&(id, at): &(ObjectId, usize)| Some((id, model.object(id)?.port_fields()?.fields.get(at)?));
        self.fields.iter().filter_map(field)
    }

    /// The commands of the group.
    pub(crate) fn commands<'m>(&self, model: &'m Objects) -> impl Iterator<Item = (ObjectId, &'m PodCommand)> {
        let command = |&(id, at): &(ObjectId, usize)| Some((id, model.object(id)?.port_fields()?.commands.get(at)?));
        self.commands.iter().filter_map(command)
    }
}

impl FieldIndex {
    /// Creates the index of a model's objects, without Services, which the model finds itself.
    pub(crate) fn new(model: &Objects) -> Self {
        let mut index = Self::default();
        let mut known = BTreeMap::new();
        for (id, port_fields) in model.with_port_fields() {
            for (position, field) in port_fields.fields.iter().enumerate() {
                index.group(&mut known, &field.applies_to, |group| group.fields.push((id, position)));
            }
            for (position, command) in port_fields.commands.iter().enumerate() {
                index.group(&mut known, &command.applies_to, |group| group.commands.push((id, position)));
            }
        }
        index
    }

    /// Calls `add` with the group for `applies_to`, and creates the group if it is missing.
    fn group<'m>(
        &mut self,
        known: &mut BTreeMap<&'m AppliesTo, usize>,
        applies_to: &'m Arc<AppliesTo>,
        add: impl FnOnce(&mut Group),
    ) {
        let at = *known.entry(applies_to.as_ref()).or_insert_with(|| {
            let at = self.groups.len();
            self.groups.push(Group {
                applies_to: Arc::clone(applies_to),
                fields: Vec::new(),
                commands: Vec::new(),
                declared: OnceLock::new(),
                monitored: OnceLock::new(),
            });
            for hash in applies_to.hashes() {
                self.near.entry(hash).or_default().push(at);
            }
            at
        });
        if let Some(group) = self.groups.get_mut(at) {
            add(group);
        }
    }

    /// A group by its position.
    pub(crate) fn group_at(&self, at: usize) -> Option<&Group> {
        self.groups.get(at)
    }

    /// The groups that apply to some pods, in the order of the input, each with its position.
    pub(crate) fn groups_for_pods(&self, model: &Objects, pods: PodsView<'_>) -> Vec<(usize, &Group, Reach)> {
        if self.groups.is_empty() {
            return Vec::new();
        }
        let hashes = hashes_of(model, pods);
        let mut near: Vec<usize> = hashes.iter().filter_map(|hash| self.near.get(hash)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        let applying = |at: usize| {
            let group = self.groups.get(at)?;
            Some((at, group, group.applies_to.reach(model, pods)?))
        };
        // Verify the index in debug builds: a group that applies to the pods but shares no hash with them would not be
        // found.
        debug_assert!(
            self.groups.len() > MAX_VERIFIED_GROUPS
                || (0..self.groups.len()).filter_map(applying).all(|(at, ..)| near.contains(&at)),
            "a group applies to {} and has none of its hashes",
            pods.meta.name
        );
        near.into_iter().filter_map(applying).collect()
    }
}

/// TCP ports that running containers declare.
fn tcp_ports(template: &PodTemplate) -> impl Iterator<Item = u16> {
    let ports = template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    ports.filter(|port| port.protocol == TCP).filter_map(ContainerPort::number)
}
