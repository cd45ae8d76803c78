//! Packages that others need and no rule leads to the mirror.

use super::list::{Listed, ListedKind};
use super::routes::Routes;
use crate::image::ImageRef;

/// The message about a package that is needed alone, and that Crossplane would look for outside of the mirror; `None` for another entry.
#[must_use]
pub fn uncovered(own: &Listed, routes: &Routes) -> Option<String> {
    let is_needed_alone = own.kind == ListedKind::Package && own.asked_as.is_none();
    let name = ImageRef::of(&own.source).name;
    let rule = routes.missing_rule(name).filter(|_| is_needed_alone)?;
    Some(format!("is needed by {}, and {}", own.used_by.join(", "), no_rule(name, &rule)))
}

/// The end of a message about a package that is needed: the missing rule, and what to write.
#[must_use]
pub fn no_rule(name: &str, rule: &str) -> String {
    let host = ImageRef::of(name).registry.unwrap_or(name);
    format!("no rule of the config is about {host}, so Crossplane asks it directly: add `- {rule}` to `rules`")
}
