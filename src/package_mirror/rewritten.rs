//! Packages whose references are unreadable, as they are or once ImageConfigs of the input rewrite them.

use super::conflict::Conflict;
use super::lock::Lock;
use super::prefixes::is_filled_in_later;
use crate::rule::Severity;
use krm::may_have_placeholder;
use oci::name::ImageRef;

/// Reports an error for each package with an invalid reference, such as one with upper-case letters, and for each whose
/// matching prefix ends inside its name, if the replacement and the rest do not form a valid reference.
///
/// Source: crossplane/crossplane@v1.20.11 `internal/xpkg/config.go`, `RewritePath`;
/// opencontainers/distribution-spec@v1.1.1 `spec.md`, the form of names.
pub(super) fn conflicts(lock: &Lock<'_>) -> Vec<Conflict> {
    let named = lock.packages.iter().filter(|package| ImageRef::read(&package.source).is_ok());
    let unnamed = lock.unnamed.iter().filter(|package| is_final(&package.source));
    let unreadable = named.chain(unnamed).filter_map(|package| {
        let pulled = lock.routes.pulled(&package.source).unwrap_or_else(|| package.source.clone());
        if is_filled_in_later(&package.source, &pulled) {
            return None;
        }
        let reason = unreadable(&pulled)?;
        let message = match unreadable(&package.source) {
            Some(own) => format!("{}: Crossplane cannot pull {}: {own}", package.label, package.source),
            None => format!(
                "{}: ImageConfigs of the input rewrite {} to a text that Crossplane cannot pull: {reason}. A prefix \
                 replaces the beginning of a reference, so end both prefixes with `/`, or write the full name into \
                 `rewriteImage.prefix`",
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

/// False for an invalid reference that a tool may fill in: with a placeholder, or with a word such as `REGISTRY` in place
/// of the registry.
pub(super) fn is_final(source: &str) -> bool {
    let first = source.split('/').next().unwrap_or_default();
    let is_word = first.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"_-".contains(&b));
    !may_have_placeholder(source) && !is_word
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
