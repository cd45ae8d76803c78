//! Dependencies and images in package metadata that no rule maps to the mirror.

use super::list::{Listed, ListedKind};
use super::routes::Routes;
use oci::name::ImageRef;

/// The message about a dependency or an image of package metadata outside of the mirror; `None` for other entries.
pub fn uncovered(entry: &Listed, routes: &Routes) -> Option<String> {
    let name = ImageRef::split(&entry.source).name;
    let used_by = entry.used_by.join(", ");
    match entry.kind {
        ListedKind::Package if entry.is_needed => {
            Some(format!("is needed by {used_by}, and {}", missing_rule_text(name, &routes.missing_rule(name)?)))
        }
        ListedKind::Image if entry.is_needed && entry.target.is_none() => {
            let rule = routes.rule_for_registry(name)?;
            Some(format!("is run for {used_by}, and {}", without_rule(name, &rule, "nodes pull it from there")))
        }
        _ => None,
    }
}

/// The end of a message about a dependency, with the rule to add.
pub fn missing_rule_text(name: &str, rule: &str) -> String {
    without_rule(name, rule, "Crossplane pulls from it directly")
}

/// Message about a name that no rule matches; `consequence` is the consequence.
fn without_rule(name: &str, rule: &str, consequence: &str) -> String {
    let host = ImageRef::split(name).registry.unwrap_or(name);
    format!("no rule of the config matches {host}, so {consequence}: add `- {rule}` to `rules`")
}
