//! Two ImageConfigs of the input that rewrite one prefix to different targets.

use std::collections::BTreeMap;

use super::conflict::Conflict;
use super::crossplane::Style;
use super::routes::rewriting;
use super::rules::MirrorRules;
use crate::model::{Meta, Model};
use crate::rule::Severity;
use crate::version::ProgramVersion;

/// Warns about each pair of such ImageConfigs. Two objects with equal names are not reported: they are for two
/// clusters.
///
/// Source: crossplane-runtime@v2.3.3 `pkg/xpkg/config.go`, `bestMatch`: the longest prefix wins, and the order of a
/// list decides between equal ones.
pub(super) fn conflicts(
    model: &Model,
    rules: &MirrorRules<'_>,
    version: &ProgramVersion,
    style: Style,
) -> Vec<Conflict> {
    let mut first: BTreeMap<&str, (&Meta, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for (id, meta, config) in rewriting(model, rules, version, style) {
        let Some(new) = config.rewrite.as_deref().filter(|new| !new.is_empty()) else { continue };
        for prefix in config.prefixes.iter().filter(|prefix| !prefix.is_empty()) {
            let (other, target) = *first.entry(prefix).or_insert((meta, new));
            if target == new || other.to_string() == meta.to_string() {
                continue;
            }
            found.push(Conflict {
                severity: Severity::Warning,
                message: format!(
                    "{other} rewrites `{prefix}` to `{target}` and {meta} to `{new}`, and it is undefined which of two ImageConfigs with the same \
                     prefix wins: remove that prefix from one of them"
                ),
                source: prefix.clone(),
                object: Some(id),
            });
        }
    }
    found
}
