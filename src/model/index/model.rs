//! Objects of an input with their indexes.

use std::ops::Deref;
use std::sync::OnceLock;

use super::dialled_hosts::DialledHosts;
use super::field_index::FieldIndex;
use super::objects::Objects;
use super::port_owners::PortOwners;
use super::settings_by_port::SettingsByPort;
use crate::model::facts::Object;
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::meta::Meta;
use crate::model::setting::PortSetting;
use crate::model::text::Name;

/// Objects of an input, with references between them and with indexes, each built at first use.
#[derive(Debug, Clone, Default)]
pub struct Model {
    objects: Objects,
    /// Services and workloads by their ports.
    owners: OnceLock<PortOwners>,
    /// Flags and variables of workloads by the ports in their values.
    settings_by_port: OnceLock<SettingsByPort>,
    /// Port fields by the pods that they apply to.
    field_index: OnceLock<FieldIndex>,
    /// The hosts that workloads and ConfigMaps name.
    dialled: OnceLock<DialledHosts>,
}

impl Deref for Model {
    type Target = Objects;

    fn deref(&self) -> &Objects {
        &self.objects
    }
}

impl Model {
    /// Creates a model of objects. The objects keep their order.
    pub fn new(objects: Vec<Object>) -> Self {
        Self { objects: Objects::new(objects), ..Self::default() }
    }

    /// Returns only the identities of the objects, in reading order, for reports after all decisions.
    pub fn into_metas(self) -> Vec<Meta> {
        self.objects.into_objects().into_iter().map(|object| object.meta).collect()
    }

    /// Hosts that workloads and ConfigMaps name.
    pub(in crate::model) fn dialled_hosts(&self) -> &DialledHosts {
        self.dialled.get_or_init(|| DialledHosts::new(&self.objects))
    }

    /// Port fields by the pods that they apply to.
    pub(in crate::model) fn field_index(&self) -> &FieldIndex {
        self.field_index.get_or_init(|| FieldIndex::new(&self.objects))
    }

    /// Flags and variables of workloads that contain this number as a port, from templates that were read in full. If
    /// there are many, only settings whose name may contain one of `names` in this namespace.
    pub(in crate::model) fn settings_of_port<'n>(
        &self,
        port: u16,
        namespace: Option<&str>,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<(WorkloadId, &PortSetting)> {
        let workloads = || self.workloads().map(|(id, object, template)| (id, &object.meta, template));
        self.settings_by_port
            .get_or_init(|| SettingsByPort::new(workloads()))
            .settings_that_name(port, namespace, names)
    }

    /// Services and workloads with a port of this number whose name is part of `name`: one list per object name, each
    /// in order.
    pub(in crate::model) fn owners_named(&self, port: u16, name: &Name) -> Vec<&[ObjectId]> {
        self.owners.get_or_init(|| PortOwners::new(self.objects())).owners_named(port, name, self.objects())
    }
}
