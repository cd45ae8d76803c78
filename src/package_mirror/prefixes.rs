//! Prefixes of ImageConfigs that match no image, and prefixes that are filled in later.

use super::conflict::Conflict;
use super::lock::Lock;
use super::routes::rewriting;
use crate::model::Model;
use crate::model::facts::ImageConfig;
use crate::rule::Severity;
use crate::version::ProgramVersion;
use krm::may_have_placeholder;

/// Warns about each prefix that is a pattern: Crossplane compares the beginning of the reference.
///
/// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/manager/watch.go`, `strings.HasPrefix`;
/// crossplane-runtime@v2.3.3 `pkg/xpkg/config.go`, `bestMatch`.
pub(super) fn patterns(model: &Model) -> Vec<Conflict> {
    let prefixes = model.image_configs().flat_map(|(id, meta, config)| {
        config.prefixes.iter().filter(|prefix| ImageConfig::is_pattern(prefix)).map(move |prefix| (id, meta, prefix))
    });
    let conflicts = prefixes.map(|(id, meta, prefix)| {
        let remedy = match prefix.split(['*', '?']).next().filter(|start| !start.is_empty()) {
            Some(start) => format!("write `{start}`"),
            None => "write an entry for each registry".to_owned(),
        };
        Conflict {
            severity: Severity::Warning,
            message: format!(
                "{meta}: no image matches the prefix `{prefix}`: Crossplane compares it with the beginning of each \
                 reference, not as a pattern: {remedy}"
            ),
            source: prefix.clone(),
            object: Some(id),
        }
    });
    conflicts.collect()
}

/// True if a rewrite adds a placeholder to a reference.
pub(super) fn is_filled_in_later(source: &str, pulled: &str) -> bool {
    may_have_placeholder(pulled) && !may_have_placeholder(source)
}

/// Lists packages that ImageConfigs of the input rewrite to a name with a placeholder, and ImageConfigs whose prefix
/// has a placeholder: the names in the mirror are not known.
pub(super) fn packages_with_unknown_mirror_names(
    model: &Model,
    lock: &Lock<'_>,
    version: &ProgramVersion,
) -> Vec<Conflict> {
    let packages = lock.packages.iter().filter_map(|package| {
        let is_later = |pulled: &String| is_filled_in_later(&package.source, pulled);
        let pulled = lock.routes.pulled(&package.source).filter(is_later)?;
        let message = format!(
            "{}: the name to which ImageConfigs of the input rewrite {}: `{pulled}` has a placeholder",
            package.label, package.source
        );
        Some(Conflict {
            severity: Severity::Info,
            message,
            source: package.source.clone(),
            object: Some(package.object),
        })
    });
    let configs = rewriting(model, lock.rules, version, lock.style).filter(|(_, _, config)| config.rewrite.is_some());
    let prefixes = configs.flat_map(|(id, meta, config)| {
        let later = config.prefixes.iter().filter(|prefix| may_have_placeholder(prefix));
        later.map(move |prefix| Conflict {
            severity: Severity::Info,
            message: format!("{meta}: the images that it rewrites: its prefix `{prefix}` has a placeholder"),
            source: prefix.clone(),
            object: Some(id),
        })
    });
    packages.chain(prefixes).collect()
}
