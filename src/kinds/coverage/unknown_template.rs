//! Pod templates in unknown kinds, and in objects nested inside other objects.

use super::api_groups::ApiGroups;
use crate::api::TemplateKind;
use crate::catalog;
use crate::model::facts::{DUMP_KINDS, package};
use crate::releases::{group_and_kind, name_of};
use krm::shown;
use lossless_yaml::NodeRef;

/// Depth limit of the search.
const DEEPEST: usize = 16;

/// A pod template that no command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnknownTemplate {
    group: String,
    kind: String,
    /// Path of the template, with `[]` for list elements.
    path: String,
    /// Kind of the nested object that contains the template, if any.
    inside: Option<String>,
    /// `Widget shop/web`
    object: String,
    /// Number of further objects of the kind with a template at this path.
    more: usize,
}

impl UnknownTemplate {
    /// Formats the line.
    pub(super) fn line(&self) -> String {
        let Self { group, kind, path, inside, object, more } = self;
        let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
        match inside {
            Some(inside) => format!(
                "{object}{more}: the {inside} inside of it, at {path}, is not read: give the objects that the controller of {kind} makes: \
                 `kubectl get {DUMP_KINDS} -A -o yaml`"
            ),
            None => format!(
                "{object}{more}: hostnet does not know the kind and does not read its pod template: with `templates: [{{group: {}, kind: \
                 {}, path: {}}}]` in the spec of a HostNetwork it does",
                yaml_word(group),
                yaml_word(kind),
                yaml_word(path)
            ),
        }
    }

    /// Number of objects with the template.
    pub(super) fn count(&self) -> usize {
        self.more + 1
    }

    /// True if a row of a config covers the template.
    pub(super) fn is_covered_by(&self, row: &TemplateKind) -> bool {
        row.group == self.group && row.kind == self.kind && self.inside.is_none()
    }
}

/// Quotes a text for a YAML flow mapping.
fn yaml_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts && text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

/// True for a text that may hold a template in an unknown kind: it has containers and a group that is not Kubernetes'
/// own.
pub(super) fn may_contain(text: &str, groups: &ApiGroups<'_>) -> bool {
    groups.any(is_foreign) && text.contains("containers")
}

/// Adds a template; one entry per kind and path.
pub(super) fn add(found: UnknownTemplate, all: &mut Vec<UnknownTemplate>) {
    let same = |known: &&mut UnknownTemplate| {
        (&known.group, &known.kind, &known.path) == (&found.group, &found.kind, &found.path)
    };
    match all.iter_mut().find(same) {
        Some(known) => known.more += 1,
        None => all.push(found),
    }
}

fn is_foreign(group: &str) -> bool {
    group.contains('.') && !group.ends_with("k8s.io") && group != "hostnet.dev"
}

/// First pod template of an object of unknown kind.
pub(super) fn for_object(object: NodeRef<'_, '_>) -> Option<UnknownTemplate> {
    let (group, kind) = group_and_kind(object)?;
    let is_known = catalog::workload_kinds().iter().any(|row| row.group == group && row.kind == kind)
        || catalog::reason_not_moved(group, kind).is_some()
        || catalog::is_admission_policy(group, kind)
        // Its pods belong to packages, which every config kind reads.
        || (group, kind) == (package::GROUP, "DeploymentRuntimeConfig");
    if is_known || !is_foreign(group) {
        return None;
    }
    let found = find(object, "", None, 0)?;
    object.get("metadata")?;
    let clean = |text: &str| shown(text).into_owned();
    Some(UnknownTemplate {
        group: clean(group),
        kind: clean(kind),
        path: clean(&found.path),
        inside: found.inside.as_deref().map(clean),
        object: name_of(object, kind),
        more: 0,
    })
}

struct Found {
    path: String,
    inside: Option<String>,
}

/// First pod template below a node: a mapping under a key such as `template`, with containers that have a name and an
/// image.
fn find(node: NodeRef<'_, '_>, path: &str, inside: Option<&str>, depth: usize) -> Option<Found> {
    if depth > DEEPEST {
        return None;
    }
    let key = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if key.contains("template") && is_template(node) {
        return Some(Found { path: path.to_owned(), inside: inside.map(str::to_owned) });
    }
    let own = node.get("apiVersion").and(node.get("kind")).and_then(NodeRef::text).filter(|_| depth > 0);
    let inside = inside.or(own);
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let mut entries = node.entries().filter_map(|(key, value)| Some((key.text()?, value)));
    let of_entries = entries.find_map(|(key, value)| find(value, &below(key), inside, depth + 1));
    of_entries.or_else(|| node.items().find_map(|item| find(item, &format!("{path}[]"), inside, depth + 1)))
}

fn is_template(node: NodeRef<'_, '_>) -> bool {
    let containers = node.get("spec").and_then(|spec| spec.get("containers"));
    let mut containers = containers.into_iter().flat_map(NodeRef::items);
    let text = |container: NodeRef<'_, '_>, key: &str| container.get(key).and_then(NodeRef::non_null_text).is_some();
    containers.next().is_some_and(|first| text(first, "name") && text(first, "image"))
}
