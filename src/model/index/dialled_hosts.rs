//! Hosts that workloads and ConfigMaps name, by port number and label of the host.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::objects::Objects;
use crate::model::facts::{Facts, data_path};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::text::labels;
use lossless_yaml::Path;

/// Positions of named hosts, by port number and label of the host. A position is an index into the list of a workload
/// or of a `ConfigMap`.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct DialledHosts(HashMap<u64, Vec<(WorkloadId, usize)>>);

/// Hash of a port number and the first label of a host.
fn key(port: u16, label: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((port, label.to_ascii_lowercase()))
}

impl Objects {
    /// The hosts with ports that texts of workloads and ConfigMaps name, each with its object and the path of its text.
    pub fn dialled_host_texts(&self) -> impl Iterator<Item = (ObjectId, Path, &str)> {
        self.objects().iter().enumerate().flat_map(|(id, object)| {
            let of_pods = object.templates().iter().flat_map(|template| &template.dialled);
            let of_pods = of_pods.map(move |dialled| (id, dialled.place.path.clone(), &*dialled.host));
            let map = match &object.facts {
                Facts::ConfigMap(map) => map.dialled.as_slice(),
                _ => &[],
            };
            of_pods.chain(map.iter().map(move |line| (id, data_path(&line.key), &*line.host)))
        })
    }
}

impl DialledHosts {
    /// The hosts of all objects.
    pub(in crate::model) fn new(model: &Objects) -> Self {
        let mut found = Self::default();
        for (id, object) in model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config()) {
            match &object.facts {
                Facts::Workload(templates) => {
                    for (template, pod_template) in templates.iter().enumerate() {
                        let (id, hosts) =
                            (WorkloadId { object: id, template }, pod_template.dialled.iter().enumerate());
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

    /// Indexes a host by its first and second label, because the name of the Service is the first label, or follows the
    /// name of a pod.
    fn add(&mut self, id: WorkloadId, index: usize, port: u16, host: &str) {
        for label in labels(host).into_iter().take(2).filter(|label| !label.is_empty() && !label.contains('$')) {
            self.0.entry(key(port, label)).or_default().push((id, index));
        }
    }

    /// Workloads that dial the port at a host with this first label, each with the position of the dialled address.
    pub(in crate::model) fn matching(&self, port: u16, label: &str) -> &[(WorkloadId, usize)] {
        self.0.get(&key(port, label)).map_or(&[], Vec::as_slice)
    }
}
