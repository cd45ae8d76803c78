//! Pod templates in unknown kinds and in nested objects, and custom resources that set `hostNetwork` for the pods of
//! their operator.

use super::api_groups::ApiGroups;
use super::unknown_kind::{self, is_own_group};
use crate::api::TemplateKind;
use crate::catalog;
use crate::model::facts::{DUMP_KINDS, package};
use crate::releases::{group_and_kind, name_of};
use krm::escape_line;
use lossless_yaml::{NodeRef, Path};
use memchr::memmem;

/// Field with which custom resources put the pods of their operator on the host network.
const HOST_NETWORK: &str = "hostNetwork";

/// `type` in the spec of `OpenShift`'s `IngressController` with the same effect (openshift/api@55192328
/// `operator/v1/types_ingress.go`, `HostNetworkStrategyType`).
const HOST_NETWORK_TYPE: &str = "HostNetwork";

/// Domains with custom resources under `k8s.io`; Kubernetes' own groups are in other ones.
const COMMUNITY: [&str; 3] = ["x-k8s.io", "sparkoperator.k8s.io", "kops.k8s.io"];

/// Former group of the workloads of `apps` (kubernetes v1.16 `CHANGELOG-1.16.md`, "Deprecations and Removals").
const REMOVED: &str = "extensions";

/// Kinds that only hold objects: group, kind, and path of the list. Before `OpenShift` 4 the
/// group of `Template` was empty.
///
/// Source: openshift/api template/v1/types.go, `Template`; open-cluster-management-io/api work/v1/types.go,
/// `ManifestWork`.
const CARRIERS: [(&str, &str, &str); 3] = [
    ("template.openshift.io", TEMPLATE, "objects"),
    ("", TEMPLATE, "objects"),
    ("work.open-cluster-management.io", "ManifestWork", "spec.workload.manifests"),
];

/// Kind of `OpenShift` without a controller: `oc process` prints its objects.
const TEMPLATE: &str = "Template";

/// Depth limit of the search.
const MAX_DEPTH: usize = 16;

/// A pod template or a `hostNetwork` field that no command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnknownTemplate {
    group: String,
    kind: String,
    /// Path of the template or of the field, with `[]` for list elements.
    path: String,
    place: TemplatePlace,
    /// `Widget shop/web`
    object: String,
    /// Number of further objects of the kind with a template at this path.
    more: usize,
}

/// Place of a pod template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePlace {
    /// In the object itself.
    Object,
    /// In a nested object of this kind.
    Nested(String),
    /// A nested object of this kind without a pod template.
    Carried(String),
    /// In the operator, whose pods the object puts on the host network.
    Operator,
}

impl UnknownTemplate {
    fn new(object: NodeRef<'_, '_>, (group, kind): (&str, &str), found: TemplateMatch) -> Self {
        let clean = |text: &str| escape_line(text).into_owned();
        Self {
            group: clean(group),
            kind: clean(kind),
            path: clean(&found.path),
            place: found.place,
            object: name_of(object, kind),
            more: 0,
        }
    }

    /// Formats the line.
    pub(super) fn line(&self) -> String {
        let Self { group, kind, path, place, object, more } = self;
        let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
        match place {
            TemplatePlace::Object if group == REMOVED => format!(
                "{object}{more}: the pod template is not read: no API server since Kubernetes v1.16 has a {kind} of the group \
                 extensions. Write `apiVersion: apps/v1`"
            ),
            TemplatePlace::Object if is_own_group(group) => format!(
                "{object}{more}: the pod template is not read: no API server has a {kind} {}. Write {}",
                if group.is_empty() { "in the core group".to_owned() } else { format!("of the group {group}") },
                unknown_kind::remedy(group, kind)
            ),
            TemplatePlace::Operator => format!(
                "{object}{more}: its pods, which {path} puts on the host network, are not part of the input: give the objects that the controller of \
                 {kind} makes: `kubectl get pods,{DUMP_KINDS} -A -o yaml`"
            ),
            TemplatePlace::Nested(inside) | TemplatePlace::Carried(inside) if kind == TEMPLATE => format!(
                "{object}{more}: the {inside} inside of it, at {path}, is not read: give what `oc process --local -o yaml -f FILE` \
                 prints"
            ),
            TemplatePlace::Nested(inside) | TemplatePlace::Carried(inside) => format!(
                "{object}{more}: the {inside} inside of it, at {path}, is not read: give the objects that the controller of {kind} makes: \
                 `kubectl get {DUMP_KINDS} -A -o yaml`"
            ),
            TemplatePlace::Object => format!(
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

    /// Description of such objects, for a count.
    pub(super) fn description(&self) -> &'static str {
        match self.place {
            TemplatePlace::Object | TemplatePlace::Nested(_) => "of unknown kinds with a pod template",
            TemplatePlace::Carried(_) => "with other objects inside",
            TemplatePlace::Operator => "with `hostNetwork` for the pods of an operator",
        }
    }

    /// True if a row of a config covers the template.
    pub(super) fn is_covered_by(&self, row: &TemplateKind) -> bool {
        row.group == self.group && row.kind == self.kind && self.place == TemplatePlace::Object
    }
}

/// Quotes a text for a YAML flow mapping.
fn yaml_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts && text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

/// True for a text that may hold a template in an unknown kind: it has containers or `hostNetwork`, and a group that is
/// not Kubernetes' own; or a kind that holds objects.
pub(super) fn may_contain(text: &str, groups: &ApiGroups<'_>) -> bool {
    let has_host_network = || text.contains(HOST_NETWORK) || text.contains(HOST_NETWORK_TYPE);
    groups.any(is_foreign) && (text.contains("containers") || has_host_network())
        || text.contains("containers") && unknown_kind::may_contain(text)
        || groups.any(|group| CARRIERS.iter().any(|(carrier, ..)| *carrier == group))
        || has_old_template(text)
}

/// True for a text with `Template` as a whole value.
fn has_old_template(text: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | ' ');
    memmem::find_iter(text.as_bytes(), TEMPLATE).any(|at| {
        let before = text.get(..at).unwrap_or_default().trim_end_matches(is_quote);
        let after = text.get(at + TEMPLATE.len()..).unwrap_or_default();
        before.ends_with(':') && !after.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
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
    let is_own = group.ends_with("k8s.io") && !COMMUNITY.iter().any(|domain| group.ends_with(domain));
    group == REMOVED || group.contains('.') && !is_own && group != "hostnet.dev"
}

/// First pod template of an object of unknown kind.
pub(super) fn for_object(object: NodeRef<'_, '_>) -> Option<UnknownTemplate> {
    let (group, kind) = group_and_kind(object)?;
    let is_known = catalog::WORKLOAD_KINDS.iter().any(|row| row.group == group && row.kind == kind)
        || catalog::reason_not_moved(group, kind).is_some()
        || catalog::is_admission_policy(group, kind)
        // The pods of a `DeploymentRuntimeConfig` belong to packages, which every config kind
        // reads.
        || (group, kind) == (package::GROUP, "DeploymentRuntimeConfig");
    let row = CARRIERS.iter().find(|(of, its, _)| (*of, *its) == (group, kind));
    if !is_known && is_own_group(group) && group != REMOVED && row.is_none() {
        return of_no_api_server(object, group, kind);
    }
    if is_known || !is_foreign(group) && row.is_none() {
        return None;
    }
    let carried = || {
        let (.., list) = row?;
        let inside = object.lookup(&Path::dotted(list))?.items().find_map(|item| item.get("kind")?.text())?;
        Some(TemplateMatch {
            path: format!("{list}[]"),
            place: TemplatePlace::Carried(escape_line(inside).into_owned()),
        })
    };
    let of_operator = || {
        let path = host_network(object, "", 0)?;
        (group != package::GROUP).then_some(TemplateMatch { path, place: TemplatePlace::Operator })
    };
    let found = find(object, "", None, 0).or_else(carried).or_else(of_operator)?;
    object.get("metadata")?;
    Some(UnknownTemplate::new(object, (group, kind), found))
}

/// A pod or pod template at the path of a workload of Kubernetes, in an object of a kind that its group does not have.
/// Other objects hold templates elsewhere, such as `data` of a `ControllerRevision`.
fn of_no_api_server(object: NodeRef<'_, '_>, group: &str, kind: &str) -> Option<UnknownTemplate> {
    object.get("metadata")?;
    let rows = catalog::WORKLOAD_KINDS.iter().filter(|row| is_own_group(row.group));
    let paths = rows.map(|row| row.path).filter(|path| path.is_empty() || path.starts_with("spec"));
    let path = paths.into_iter().find(|path| object.lookup(&Path::dotted(path)).is_some_and(is_template))?;
    let found = TemplateMatch { path: path.to_owned(), place: TemplatePlace::Object };
    Some(UnknownTemplate::new(object, (group, kind), found))
}

struct TemplateMatch {
    path: String,
    place: TemplatePlace,
}

/// Path of the first `hostNetwork: true` or `type: HostNetwork` below a node, outside of nested objects.
fn host_network(node: NodeRef<'_, '_>, path: &str, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH || depth > 0 && node.get("apiVersion").and(node.get("kind")).is_some() {
        return None;
    }
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let mut entries = node.entries().filter_map(|(key, value)| Some((key.text()?, value)));
    let of_entries = entries.find_map(|(key, value)| {
        let is_set = key == HOST_NETWORK && value.as_bool() == Some(true)
            || key == "type" && value.text() == Some(HOST_NETWORK_TYPE);
        if is_set { Some(below(key)) } else { host_network(value, &below(key), depth + 1) }
    });
    of_entries.or_else(|| node.items().find_map(|item| host_network(item, &format!("{path}[]"), depth + 1)))
}

/// First pod template below a node: a mapping under a key such as `template`, with containers that have a name and an
/// image.
fn find(node: NodeRef<'_, '_>, path: &str, inside: Option<&str>, depth: usize) -> Option<TemplateMatch> {
    if depth > MAX_DEPTH {
        return None;
    }
    let key = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if key.contains("template") && is_template(node) {
        let nested = |kind: &str| TemplatePlace::Nested(escape_line(kind).into_owned());
        return Some(TemplateMatch { path: path.to_owned(), place: inside.map_or(TemplatePlace::Object, nested) });
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
