//! HostNetwork configs of the input.

use crate::api::HostNetworkConfig;
use crate::model::Meta;
use crate::plan::Matcher;
use lossless_yaml::{NodeRef, Path, document};

/// Reads a HostNetwork config; `None` if it is invalid.
pub(super) fn read(node: NodeRef<'_, '_>) -> Option<HostNetworkConfig> {
    HostNetworkConfig::read(&document(&node.to_value()?), "", 1).ok()
}

/// True if one of the configs moves the object to the host network.
pub(super) fn is_moved(configs: &[HostNetworkConfig], meta: &Meta) -> bool {
    configs.iter().any(|config| {
        let spec = &config.host_network.spec;
        let matches = |select: &crate::api::Select| {
            Matcher::new(select, config, &Path::root()).is_ok_and(|matcher| matcher.matches(meta))
        };
        spec.targets.iter().any(|target| matches(&target.select)) && !spec.exclude.iter().any(matches)
    })
}
