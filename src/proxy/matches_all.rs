//! Reports an entry `*` of a config, with which no program uses the proxy.

use crate::api::{ProxyConfig, ProxyEnvironmentSpec, ProxyTarget};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// True for the entry that matches every host.
fn is_all(entry: &str) -> bool {
    entry.trim() == "*"
}

/// True if the config's entries for a target match every host.
pub(super) fn matches_all(spec: &ProxyEnvironmentSpec, target: &ProxyTarget) -> bool {
    target.no_proxy.iter().chain(&spec.no_proxy).any(|entry| is_all(entry))
}

/// Warns of each `*` in the lists of a config.
pub(super) fn report_wildcards(config: &ProxyConfig, findings: &mut Vec<Finding>) {
    let spec = &config.proxy.spec;
    let root = Path::root().key("spec");
    let of_targets = spec.targets.iter().enumerate().map(|(index, target)| {
        let remedy = "remove this target, or add its objects to `exclude`, if they need no proxy";
        (root.key("targets").item(index).key("noProxy"), &target.no_proxy, remedy)
    });
    let of_all = (root.key("noProxy"), &spec.no_proxy, "do not run this config, if no object needs a proxy");
    for (path, entries, remedy) in std::iter::once(of_all).chain(of_targets) {
        let Some(index) = entries.iter().position(|entry| is_all(entry)) else { continue };
        let message = format!(
            "{}: `*` in `noProxy` matches every host, so no program uses the proxy of this config. List only the hosts that are reached \
             directly; or {remedy}",
            config.place_of(&path.item(index))
        );
        findings.push(Finding::new(Severity::Warning, rule::PROXY_REACH, message));
    }
}
