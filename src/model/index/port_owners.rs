//! Index of Services and workloads by port number and by object name: in a large input, very many
//! objects have the same number.

use std::collections::{BTreeMap, HashMap};

use crate::model::facts::{Facts, Object};
use crate::model::id::ObjectId;
use crate::model::pod::{ContainerPort, PodTemplate};
use crate::model::text::{Name, words};

/// Maximum number of owners without an index by name.
const MAX_UNINDEXED_OWNERS: usize = 16;

/// Owners by port number. A Service owns both its `port` and its `targetPort`.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct PortOwners(HashMap<u16, Owners>);

#[derive(Debug, Clone)]
enum Owners {
    Few(Box<[ObjectId]>),
    Many(Box<Many>),
}

/// Owners by the words of their names, then by full name.
#[derive(Debug, Clone, Default)]
struct Many(HashMap<Vec<String>, BTreeMap<String, Vec<ObjectId>>>);

impl PortOwners {
    pub(in crate::model) fn new(objects: &[Object]) -> Self {
        let mut owners: HashMap<u16, Vec<ObjectId>> = HashMap::new();
        for (id, object) in objects.iter().enumerate() {
            let mut ports: Vec<u16> = match &object.facts {
                Facts::Service(service) => {
                    service.ports.iter().flat_map(|port| [port.port, port.target_number()]).flatten().collect()
                }
                Facts::Workload(templates) => {
                    let containers = templates.iter().flat_map(PodTemplate::running);
                    let ports = containers.flat_map(|(_, container)| container.ports.iter().flatten());
                    ports.filter_map(ContainerPort::number).collect()
                }
                _ => continue,
            };
            ports.sort_unstable();
            ports.dedup();
            for port in ports {
                owners.entry(port).or_default().push(id);
            }
        }
        let by_name = |ids: Vec<ObjectId>| {
            if ids.len() <= MAX_UNINDEXED_OWNERS {
                return Owners::Few(ids.into());
            }
            let mut many = Many::default();
            for (id, object) in ids.into_iter().filter_map(|id| Some((id, objects.get(id)?))) {
                let name = &object.meta.name;
                many.0.entry(words(name)).or_default().entry(name.clone()).or_default().push(id);
            }
            Owners::Many(Box::new(many))
        };
        Self(owners.into_iter().map(|(port, ids)| (port, by_name(ids))).collect())
    }

    /// Owners of a port whose name is part of the name of a flag or variable: one list per object name, each in order.
    pub(in crate::model) fn owners_named(&self, port: u16, name: &Name, objects: &[Object]) -> Vec<&[ObjectId]> {
        match self.0.get(&port) {
            None => Vec::new(),
            Some(Owners::Few(ids)) => {
                let is_named = |id: &&ObjectId| objects.get(**id).is_some_and(|object| name.names(&object.meta.name));
                ids.iter().filter(is_named).map(std::slice::from_ref).collect()
            }
            Some(Owners::Many(many)) => {
                name.parts().filter_map(|part| many.0.get(part)).flat_map(BTreeMap::values).map(Vec::as_slice).collect()
            }
        }
    }
}
