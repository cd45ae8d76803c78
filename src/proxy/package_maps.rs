//! ConfigMaps that pods of Crossplane packages read through a runtime config or a ControllerConfig.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::ProxyFacts;
use crate::crossplane::{Core, chosen_runtime_config};
use crate::model::facts::package::DEFAULT;
use crate::model::pod::ConfigDataReference;
use crate::model::{Meta, Model, ObjectId};

/// The readers of ConfigMaps, per runtime config or ControllerConfig.
#[derive(Debug, Default)]
pub(super) struct PackageMaps<'m> {
    readers: Vec<Reader<'m>>,
}

#[derive(Debug)]
struct Reader<'m> {
    config: &'m Meta,
    uses: &'m [ConfigDataReference],
    packages: Vec<(ObjectId, &'m Meta)>,
}

impl<'m> PackageMaps<'m> {
    pub(super) fn new(model: &'m Model, facts: &'m ProxyFacts, core: &Core) -> Self {
        let mut by_config: BTreeMap<ObjectId, Vec<(ObjectId, &'m Meta)>> = BTreeMap::new();
        if !facts.package_maps.is_empty() {
            for (id, meta, package) in model.packages() {
                let old = package.controller_config.as_deref().filter(|_| !core.lacks_controller_configs());
                let configs: Vec<ObjectId> = match old.and_then(|name| model.controller_config(name)) {
                    Some((config, _)) => vec![config],
                    None => {
                        let name = chosen_runtime_config(model, core, package).name;
                        model.runtime_configs_named(name).map(|(config, _)| config).collect()
                    }
                };
                for config in configs {
                    by_config.entry(config).or_default().push((id, meta));
                }
            }
        }
        let reader = |(id, uses): &'m (ObjectId, Vec<ConfigDataReference>)| {
            let config = &model.object(*id)?.meta;
            Some(Reader { config, uses, packages: by_config.remove(id).unwrap_or_default() })
        };
        Self { readers: facts.package_maps.iter().filter_map(reader).collect() }
    }

    /// Readers of a ConfigMap's key that are not selected: packages, or the config itself if packages outside of the
    /// input may use it.
    pub(super) fn others<'s>(
        &'s self,
        selected: &'s BTreeSet<ObjectId>,
        name: &'s str,
        key: &'s str,
    ) -> impl Iterator<Item = &'m Meta> + 's {
        let reading =
            self.readers.iter().filter(move |reader| ConfigDataReference::any_has_key(reader.uses, name, key));
        reading.flat_map(move |reader| {
            let is_everybodys = reader.packages.is_empty() || reader.config.name == DEFAULT;
            let others = reader.packages.iter().filter(|(id, _)| !selected.contains(id)).map(|(_, meta)| *meta);
            is_everybodys.then_some(reader.config).into_iter().chain(others)
        })
    }
}
