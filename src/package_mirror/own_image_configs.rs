//! Names of the generated ImageConfigs. A name identifies the rule, pull secret or pin of its ImageConfig.

use crate::api::{MirrorConfig, MirrorRule};
use crate::model::Meta;
use crate::model::facts::ImageConfig;
use crate::model::text::short_hash;

/// The name of the ImageConfig that pins a reference.
pub(super) fn pin_name(mirror: &str, reference: &str) -> String {
    format!("{mirror}-pin-{}", short_hash(reference))
}

/// True for an ImageConfig that this config generates, or generated earlier.
pub(super) fn is_own(config: &MirrorConfig, meta: &Meta, image_config: &ImageConfig) -> bool {
    let name = &config.mirror.metadata.name;
    let is_rule = |rule: &MirrorRule| meta.name == format!("{name}-{}", short_hash(&rule.from));
    config.mirror.spec.rules.iter().any(is_rule) || image_config_origin(name, meta, image_config).is_some()
}

/// The origin of a generated ImageConfig.
pub(super) enum ImageConfigOrigin<'c> {
    /// A rule with this `from`.
    Rule(&'c str),
    /// The pull secret of a rule with this `to`.
    PullSecret(&'c str),
    /// The pin of this reference.
    Pin(&'c str),
}

/// The origin of an ImageConfig that a config of this name generated; `None` for other ImageConfigs. The name ends in a
/// hash of the origin.
pub(super) fn image_config_origin<'c>(
    name: &str,
    meta: &Meta,
    image_config: &'c ImageConfig,
) -> Option<ImageConfigOrigin<'c>> {
    image_config.prefixes.iter().find_map(|prefix| {
        if meta.name == pin_name(name, prefix) {
            return Some(ImageConfigOrigin::Pin(prefix));
        }
        let folder = prefix.strip_suffix('/')?;
        if meta.name == format!("{name}-{}", short_hash(folder)) {
            return Some(ImageConfigOrigin::Rule(folder));
        }
        (meta.name == format!("{name}-auth-{}", short_hash(folder))).then_some(ImageConfigOrigin::PullSecret(folder))
    })
}
