//! Flags and variables of all workloads with a port number, indexed by number and by named objects, because a number
//! may occur in very many texts.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::model::id::WorkloadId;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::setting::{PortSetting, port_settings};
use crate::model::text::{Form, Name, words};

/// Maximum number of settings without an index by name.
const MAX_UNINDEXED_SETTINGS: usize = 16;

/// Port settings of all workloads, by number.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct SettingsByPort(HashMap<u16, Holders>);

#[derive(Debug, Clone, Default)]
struct Holders {
    all: Vec<(WorkloadId, PortSetting)>,
    /// Index for many settings: positions in `all`, by the hash of a namespace and of words of the setting's name.
    naming: Option<Box<Naming>>,
}

#[derive(Debug, Clone, Default)]
struct Naming(HashMap<u64, Vec<usize>>);

impl SettingsByPort {
    pub(in crate::model) fn new<'m>(workloads: impl Iterator<Item = (WorkloadId, &'m Meta, &'m PodTemplate)>) -> Self {
        let mut found: HashMap<u16, Holders> = HashMap::new();
        let mut namespaces: HashMap<WorkloadId, &str> = HashMap::new();
        for (id, meta, template) in workloads {
            namespaces.extend(meta.namespace.as_deref().map(|namespace| (id, namespace)));
            // Flags of templates that are not read in full are stored in `dialled`.
            for dialled in template.dialled.iter().filter(|dialled| dialled.host.is_empty()) {
                let name = dialled.apart.as_deref().unwrap_or_default().to_owned();
                let (form, port, place) = (Form::Bare, dialled.port, dialled.place.clone());
                let setting = PortSetting { name, form, port, variable: false, place };
                found.entry(port).or_default().all.push((id, setting));
            }
            for (_, container) in template.running() {
                // A name with only one word contains no object name.
                for port in port_settings(container).into_iter().filter(|port| port.name.contains(['_', '-', '.'])) {
                    found.entry(port.port).or_default().all.push((id, port));
                }
            }
        }
        for same in found.values_mut().filter(|same| same.all.len() > MAX_UNINDEXED_SETTINGS) {
            let mut naming = Naming::default();
            for (position, (id, port)) in same.all.iter().enumerate() {
                let namespace = namespaces.get(id).copied();
                for part in Name::new(&port.name).parts() {
                    naming.0.entry(hash(namespace, part)).or_default().push(position);
                }
            }
            same.naming = Some(Box::new(naming));
        }
        // Release spare capacity: a large input has very many numbers with a single setting.
        for same in found.values_mut() {
            same.all.shrink_to_fit();
        }
        Self(found)
    }

    /// Settings with a port number; if there are many, only settings whose names may contain one of `names` in this
    /// namespace.
    pub(in crate::model) fn settings_that_name<'t, 'n>(
        &'t self,
        port: u16,
        namespace: Option<&str>,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<(WorkloadId, &'t PortSetting)> {
        let Some(same) = self.0.get(&port) else { return Vec::new() };
        let one = |(id, port): &'t (WorkloadId, PortSetting)| (*id, port);
        let Some(naming) = &same.naming else { return same.all.iter().map(one).collect() };
        let positions = names.filter_map(|name| naming.0.get(&hash(namespace, &words(name)))).flatten();
        let positions: BTreeSet<usize> = positions.copied().collect();
        positions.into_iter().filter_map(|position| same.all.get(position)).map(one).collect()
    }
}

fn hash(namespace: Option<&str>, words: &[String]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((namespace, words))
}
