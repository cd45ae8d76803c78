//! Where workloads and ConfigMaps name hosts, by number and label of the host.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::objects::Objects;
use crate::model::facts::Facts;
use crate::model::id::WorkloadId;
use crate::model::text::labels;

/// Where hosts are named, by number and label of the host: the position in the list of a workload, or in that of a ConfigMap.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct DialledHosts(HashMap<u64, Vec<(WorkloadId, usize)>>);

fn key(port: u16, label: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((port, label.to_ascii_lowercase()))
}

impl DialledHosts {
    /// The hosts of all objects.
    pub(in crate::model) fn of(model: &Objects) -> Self {
        let mut found = Self::default();
        for (id, object) in model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config()) {
            match &object.facts {
                Facts::Workload(templates) => {
                    for (template, own) in templates.iter().enumerate() {
                        let (id, hosts) = (WorkloadId { object: id, template }, own.dialled.iter().enumerate());
                        hosts.for_each(|(index, dialled)| found.add(id, index, dialled.port, &dialled.host));
                    }
                }
                Facts::ConfigMap(map) => {
                    let (id, hosts) = (WorkloadId::first(id), map.dialled.iter().enumerate());
                    hosts.for_each(|(index, dialled)| found.add(id, index, dialled.number.port, &dialled.host));
                }
                _ => {}
            }
        }
        found
    }

    /// A Service is the first label of its host, or the second, behind a pod.
    fn add(&mut self, id: WorkloadId, index: usize, port: u16, host: &str) {
        for label in labels(host).into_iter().take(2).filter(|label| !label.is_empty() && !label.contains('$')) {
            self.0.entry(key(port, label)).or_default().push((id, index));
        }
    }

    pub(in crate::model) fn at(&self, port: u16, label: &str) -> &[(WorkloadId, usize)] {
        self.0.get(&key(port, label)).map_or(&[], Vec::as_slice)
    }
}
