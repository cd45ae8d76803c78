//! Resolves the runtime config of a package: the config that an ImageConfig sets for its image, else the referenced
//! config, else `default`.

use std::collections::BTreeMap;

use super::version::Core;
use crate::model::facts::package::DEFAULT;
use crate::model::facts::{ImageConfig, Package};
use crate::model::{Meta, Model, ObjectId};

/// The name of a package's runtime config, and the object that sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named<'m> {
    pub(crate) name: &'m str,
    pub(crate) by: ChosenBy<'m>,
}

/// The object that sets the runtime config of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChosenBy<'m> {
    /// The package, by `runtimeConfigRef`.
    Package,
    /// An ImageConfig, which overrides the package.
    ImageConfig { id: ObjectId, meta: &'m Meta, config: &'m ImageConfig },
    /// No object; `default` applies.
    Default,
}

/// Resolves the runtime config of a package.
pub(crate) fn chosen_runtime_config<'m>(model: &'m Model, core: &Core, package: &'m Package) -> Named<'m> {
    runtime_config_among(model, package, |_| core.has_image_configs())
}

/// Resolves the runtime config of a package as chosen by the ImageConfigs that pass the filter.
pub(crate) fn runtime_config_among<'m>(
    model: &'m Model,
    package: &'m Package,
    applies: impl Fn(ObjectId) -> bool,
) -> Named<'m> {
    if let Some(named) = by_image(model, &rewritten_among(model, &package.image, &applies), &applies) {
        return named;
    }
    match package.runtime_config.as_deref() {
        Some(name) => Named { name, by: ChosenBy::Package },
        None => Named { name: DEFAULT, by: ChosenBy::Default },
    }
}

/// Runtime config that an ImageConfig sets for an image.
fn by_image<'m>(model: &'m Model, source: &str, applies: impl Fn(ObjectId) -> bool) -> Option<Named<'m>> {
    let chosen = longest(model, source, |id, config| config.runtime_config.is_some() && applies(id));
    let (id, meta, config, _) = chosen?;
    Some(Named { name: config.runtime_config.as_deref()?, by: ChosenBy::ImageConfig { id, meta, config } })
}

/// The image after rewriting by ImageConfigs, which happens before they select runtime configs by image.
pub(crate) fn rewritten_source(model: &Model, image: &str) -> String {
    rewritten_among(model, image, |_| true)
}

/// The image after rewriting by the ImageConfigs that pass the filter.
fn rewritten_among(model: &Model, image: &str, applies: impl Fn(ObjectId) -> bool) -> String {
    let rewriting = longest(model, image, |id, config| config.rewrite.is_some() && applies(id));
    let rewritten = rewriting
        .and_then(|(_, _, config, length)| Some(format!("{}{}", config.rewrite.as_deref()?, image.get(length..)?)));
    rewritten.unwrap_or_else(|| image.to_owned())
}

/// The ImageConfig with the longest matching prefix, among the ImageConfigs that pass the filter.
fn longest<'m>(
    model: &'m Model,
    image: &str,
    matters: impl Fn(ObjectId, &ImageConfig) -> bool,
) -> Option<(ObjectId, &'m Meta, &'m ImageConfig, usize)> {
    let matching = model.image_configs().filter(|(id, _, config)| matters(*id, config));
    let matching = matching.filter_map(|(id, meta, config)| Some((id, meta, config, config.matches(image)?)));
    // On equal length, the first wins.
    matching.fold(None, |best, next| match best {
        Some(best @ (_, _, _, length)) if length >= next.3 => Some(best),
        _ => Some(next),
    })
}

/// Counts the packages of the input per runtime config.
pub(crate) fn users<'m>(model: &'m Model, core: &Core) -> BTreeMap<&'m str, usize> {
    counted(model.packages().map(|(_, _, package)| chosen_runtime_config(model, core, package).name))
}

/// Counts the occurrences of each name.
pub(crate) fn counted<'m>(names: impl Iterator<Item = &'m str>) -> BTreeMap<&'m str, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// True if an ImageConfig that matches several packages selects this runtime config, so that packages outside of the
/// input may use it.
pub(crate) fn may_have_other_users(model: &Model, core: &Core, name: &str) -> bool {
    let mut chosen = model.image_configs().filter(|(_, _, config)| config.runtime_config.as_deref() == Some(name));
    core.has_image_configs() && chosen.any(|(_, _, config)| !config.matches_single_image())
}
