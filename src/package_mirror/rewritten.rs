//! Packages whose references are unreadable once ImageConfigs of the input rewrite them.

use super::dependencies::Conflict;
use super::lock::Lock;
use super::prefixes::is_filled_in_later;
use crate::rule::Severity;
use oci::name::ImageRef;

/// Reports an error for each package whose matching prefix ends inside its name, if the replacement and the rest do not
/// form a valid reference.
///
/// Source: crossplane/crossplane@v1.20.11 `internal/xpkg/config.go`, `RewritePath`;
/// opencontainers/distribution-spec@v1.1.1 `spec.md`, the form of names.
pub(super) fn conflicts(lock: &Lock<'_>) -> Vec<Conflict> {
    let packages = lock.packages.iter().filter(|package| ImageRef::read(&package.source).is_ok());
    let unreadable = packages.filter_map(|package| {
        let is_known = |pulled: &String| !is_filled_in_later(&package.source, pulled);
        let pulled = lock.routes.pulled(&package.source).filter(is_known)?;
        let reason = unreadable(&pulled)?;
        let message = match unreadable(&package.source) {
            Some(own) => format!("{}: Crossplane cannot pull {}: {own}", package.label, package.source),
            None => format!(
                "{}: ImageConfigs of the input rewrite {} to a text that Crossplane cannot pull: {reason}. A prefix replaces the beginning of a reference, so \
                 end both prefixes with `/`, or write the whole name into `rewriteImage.prefix`",
                package.label, package.source
            ),
        };
        Some(Conflict {
            severity: Severity::Error,
            message,
            source: package.source.clone(),
            object: Some(package.object),
        })
    });
    unreadable.collect()
}

/// Reason why Crossplane cannot pull a reference.
fn unreadable(reference: &str) -> Option<String> {
    match ImageRef::read(reference) {
        Err(error) => Some(error.to_string()),
        Ok(image) if image.name.split('/').any(str::is_empty) => {
            Some(format!("the path of `{reference}` has an empty segment"))
        }
        Ok(_) => None,
    }
}
