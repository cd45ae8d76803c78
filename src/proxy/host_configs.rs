//! Configs of the input that put workloads on the host network.

use crate::api::Config;
use crate::model::Meta;
use crate::plan::Matcher;
use lossless_yaml::{NodeRef, Path, document};

/// Reads such a config; none when it is not one.
pub(super) fn read(node: NodeRef<'_, '_>) -> Option<Config> {
    Config::read(&document(&node.to_value()?), "", 1).ok()
}

/// Whether one of them moves an object.
pub(super) fn is_moved(configs: &[Config], meta: &Meta) -> bool {
    configs.iter().any(|config| {
        let spec = &config.host_network.spec;
        let matches = |select: &crate::api::Select| {
            Matcher::new(select, config, &Path::root()).is_ok_and(|matcher| matcher.matches(meta))
        };
        spec.targets.iter().any(|target| matches(&target.select)) && !spec.exclude.iter().any(matches)
    })
}
