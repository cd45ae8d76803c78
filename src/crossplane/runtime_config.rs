//! Which runtime config a package has: the one that an ImageConfig chooses for its image, else the one that it names,
//! else `default`.

use std::collections::BTreeMap;

use super::version::Core;
use crate::model::facts::package::DEFAULT;
use crate::model::facts::{ImageConfig, Package};
use crate::model::{Meta, Model, ObjectId};

/// The name of a package's runtime config, and who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named<'m> {
    pub(crate) name: &'m str,
    pub(crate) by: By<'m>,
}

/// Who says which runtime config a package has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By<'m> {
    /// The package's own `runtimeConfigRef`.
    Package,
    /// An ImageConfig, which wins over it.
    ImageConfig { id: ObjectId, meta: &'m Meta, config: &'m ImageConfig },
    /// Nobody.
    Nobody,
}

/// The runtime config of a package.
pub(crate) fn named<'m>(model: &'m Model, core: &Core, package: &'m Package) -> Named<'m> {
    if core.has_image_configs()
        && let Some(named) = by_image(model, &source(model, &package.image))
    {
        return named;
    }
    match package.runtime_config.as_deref() {
        Some(name) => Named { name, by: By::Package },
        None => Named { name: DEFAULT, by: By::Nobody },
    }
}

fn by_image<'m>(model: &'m Model, source: &str) -> Option<Named<'m>> {
    let chosen = longest(model, source, |config| config.runtime_config.is_some());
    let (id, meta, config, _) = chosen?;
    Some(Named { name: config.runtime_config.as_deref()?, by: By::ImageConfig { id, meta, config } })
}

/// The image as ImageConfigs rewrite it, which they did before they chose runtime configs: what those are compared with.
pub(crate) fn source(model: &Model, image: &str) -> String {
    let rewriting = longest(model, image, |config| config.rewrite.is_some());
    let rewritten = rewriting
        .and_then(|(_, _, config, length)| Some(format!("{}{}", config.rewrite.as_deref()?, image.get(length..)?)));
    rewritten.unwrap_or_else(|| image.to_owned())
}

/// Of the ImageConfigs that matter and match an image the one with the longest prefix.
fn longest<'m>(
    model: &'m Model,
    image: &str,
    matters: impl Fn(&ImageConfig) -> bool,
) -> Option<(ObjectId, &'m Meta, &'m ImageConfig, usize)> {
    let matching = model.image_configs().filter(|(_, _, config)| matters(config));
    let matching = matching.filter_map(|(id, meta, config)| Some((id, meta, config, config.matches(image)?)));
    // Of several that are as long, the first.
    matching.fold(None, |best, next| match best {
        Some(best @ (_, _, _, length)) if length >= next.3 => Some(best),
        _ => Some(next),
    })
}

/// How many packages of the input have each runtime config.
pub(crate) fn users<'m>(model: &'m Model, core: &Core) -> BTreeMap<&'m str, usize> {
    counted(model.packages().map(|(_, _, package)| named(model, core, package).name))
}

/// How often each name comes.
pub(crate) fn counted<'m>(names: impl Iterator<Item = &'m str>) -> BTreeMap<&'m str, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Whether an ImageConfig that is about more than one package chooses this runtime config: then others than those of the
/// input may have it.
pub(crate) fn is_of_many(model: &Model, core: &Core, name: &str) -> bool {
    let mut chosen = model.image_configs().filter(|(_, _, config)| config.runtime_config.as_deref() == Some(name));
    core.has_image_configs() && chosen.any(|(_, _, config)| !config.is_about_one())
}
