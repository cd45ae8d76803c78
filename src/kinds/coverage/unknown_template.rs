//! Pod templates in unknown kinds and in nested objects, and custom resources that set `hostNetwork` for the pods of
//! their operator.

use std::collections::BTreeSet;

use super::api_groups::ApiGroups;
use super::nested_callers;
use super::unknown_kind::{self, is_kubernetes_group};
use crate::api::TemplateKind;
use crate::catalog::{self, HostNetworkField};
use crate::model::facts::{DUMP_KINDS, package};
use crate::releases::{group_and_kind, name_of};
use krm::escape_line;
use lossless_yaml::{NodeRef, Path};
use memchr::memmem;

/// Fields with which custom resources put the pods of their operator on the host network.
///
/// Source: kube-logging/logging-operator@001fc43a `pkg/sdk/logging/api/v1beta1/fluentbit_types.go` (`HostNetwork`);
/// scylladb/scylla-operator `pkg/api/scylla/v1/types_cluster.go` (`hostNetworking`).
const HOST_NETWORK: [&str; 3] = ["hostNetwork", "HostNetwork", "hostNetworking"];

/// Field with which custom resources take a port of the nodes for the pods of their operator, and a list of such ports.
///
/// Source: open-telemetry/opentelemetry-operator `apis/v1beta1/common.go` (`PortsSpec`); nginx/nginx-gateway-fabric
/// `apis/v1alpha2/nginxproxy_types.go` (`HostPorts`).
const HOST_PORT: (&str, &str) = ("hostPort", "hostPorts");

/// Group of clusters in containers, whose `hostPort` is a port of the machine around their nodes.
const KIND: &str = "kind.x-k8s.io";

/// Domains under `k8s.io` whose groups contain custom resources; Kubernetes' own groups are in other domains.
const COMMUNITY_API_DOMAINS: [&str; 3] = ["x-k8s.io", "sparkoperator.k8s.io", "kops.k8s.io"];

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

/// Pod templates of one place, or a `hostNetwork` field, that no command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnknownTemplate {
    group: String,
    kind: String,
    /// Paths of the templates or of the field.
    paths: BTreeSet<Keys>,
    place: TemplatePlace,
    /// `Widget shop/web`
    object: String,
    /// Number of further objects of the kind with templates at these paths.
    more: usize,
    /// True if `templates` of the config has a row for the kind with another path.
    is_partly_read: bool,
}

/// Path as keys; a key of a list ends with `[]`.
type Keys = Vec<String>;

/// Place of a pod template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePlace {
    /// The template is in the object itself.
    Object,
    /// The template is in a nested object of this kind.
    Nested(String),
    /// A nested object of this kind without a pod template.
    Carried(String),
    /// The template is in the operator; the object puts its pods on the host network.
    Operator,
    /// The template is in the operator; the object gives its pods this port of their nodes.
    HostPort(u16),
}

impl UnknownTemplate {
    fn new(object: NodeRef<'_, '_>, (group, kind): (&str, &str), paths: &BTreeSet<Keys>, place: TemplatePlace) -> Self {
        let clean = |text: &str| escape_line(text).into_owned();
        Self {
            group: clean(group),
            kind: clean(kind),
            paths: paths.iter().map(|keys| keys.iter().map(|key| clean(key)).collect()).collect(),
            place,
            object: name_of(object, kind),
            more: 0,
            is_partly_read: false,
        }
    }

    /// Formats the line.
    pub(super) fn line(&self) -> String {
        let Self { group, kind, paths, place, object, more, is_partly_read } = self;
        let path = paths.iter().next().map(|keys| keys.join(".")).unwrap_or_default();
        let path = if path.is_empty() { "its operator".to_owned() } else { path };
        let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
        match place {
            TemplatePlace::Object if group == REMOVED => format!(
                "{object}{more}: the pod template is not read: no API server since Kubernetes v1.16 has a {kind} of the group \
                 extensions. Write `apiVersion: apps/v1`"
            ),
            TemplatePlace::Object if is_kubernetes_group(group) => format!(
                "{object}{more}: the pod template is not read: no API server has a {kind} {}. Write {}",
                if group.is_empty() { "in the core group".to_owned() } else { format!("of the group {group}") },
                unknown_kind::remedy(group, kind)
            ),
            TemplatePlace::Operator if group.is_empty() => format!(
                "{object}{more}: the pods of its operator, which {path} puts on the host network, are not part of the input: give the \
                 objects that the operator makes: `kubectl get pods,{DUMP_KINDS} -A -o yaml`"
            ),
            TemplatePlace::Operator => format!(
                "{object}{more}: its pods, which {path} puts on the host network, are not part of the input: give the objects that the controller of \
                 {kind} makes: `kubectl get pods,{DUMP_KINDS} -A -o yaml`"
            ),
            TemplatePlace::HostPort(port) => format!(
                "{object}{more}: its pods, which take port {port} of their nodes by {path}, are not part of the input: give the objects that \
                 the controller of {kind} makes: `kubectl get pods,{DUMP_KINDS} -A -o yaml`"
            ),
            TemplatePlace::Nested(inside) | TemplatePlace::Carried(inside) if kind == TEMPLATE => format!(
                "{object}{more}: the {inside} inside of it, at {path}, is not read: give the output of `oc process \
                 --local -o yaml -f FILE`"
            ),
            TemplatePlace::Carried(inside) if group.is_empty() => format!(
                "{object}{more}: the {inside} in its text, at {path}, is not read: give this text as a file of its own, if a program \
                 applies it"
            ),
            TemplatePlace::Nested(inside) | TemplatePlace::Carried(inside) => format!(
                "{object}{more}: the {inside} inside of it, at {path}, is not read: give the objects that the controller of {kind} makes: \
                 `kubectl get {DUMP_KINDS} -A -o yaml`"
            ),
            TemplatePlace::Object => {
                let (group, kind) = (yaml_word(group), yaml_word(kind));
                let paths: BTreeSet<String> = paths.iter().map(pattern).collect();
                let templates = if paths.len() == 1 { "pod template" } else { "pod templates" };
                let row = |path: &String| format!("{{group: {group}, kind: {kind}, path: {}}}", yaml_word(path));
                let rows: Vec<String> = paths.iter().map(row).collect();
                let rows = rows.join(", ");
                if *is_partly_read {
                    return format!(
                        "{object}{more}: to read its other {templates}, add `{rows}` to `templates` in the spec of \
                         the HostNetwork"
                    );
                }
                format!(
                    "{object}{more}: hostnet does not know the kind: to read its {templates}, write `templates: [{rows}]` into the \
                     spec of a HostNetwork"
                )
            }
        }
    }

    /// Number of objects with the template.
    pub(super) fn count(&self) -> usize {
        self.more + 1
    }

    /// Description of objects with such a template, after their number: "3 objects of unknown kinds …".
    pub(super) fn description(&self) -> &'static str {
        match self.place {
            TemplatePlace::Object | TemplatePlace::Nested(_) => "of unknown kinds with a pod template",
            TemplatePlace::Carried(_) => "with other objects inside",
            TemplatePlace::Operator => "with `hostNetwork` for the pods of an operator",
            TemplatePlace::HostPort(_) => "with a hostPort for the pods of an operator",
        }
    }

    /// Removes the templates that rows of a config cover; false if no template remains.
    pub(super) fn remove(&mut self, rows: &[TemplateKind]) -> bool {
        if self.place == TemplatePlace::Object {
            let own: Vec<&TemplateKind> =
                rows.iter().filter(|row| row.group == self.group && row.kind == self.kind).collect();
            self.is_partly_read |= !own.is_empty();
            self.paths.retain(|keys| !own.iter().any(|row| covers(&row.path, keys)));
        }
        !self.paths.is_empty()
    }

    /// True if one line reports both templates.
    fn is_like(&self, other: &Self) -> bool {
        (&self.group, &self.kind, &self.place) == (&other.group, &other.kind, &other.place)
            && (self.place == TemplatePlace::Object || self.paths == other.paths)
    }
}

/// Joins templates that share a line.
pub(super) fn joined(all: &[UnknownTemplate]) -> Vec<UnknownTemplate> {
    let mut joined: Vec<UnknownTemplate> = Vec::new();
    for one in all {
        match joined.iter_mut().find(|known| known.is_like(one)) {
            Some(known) => {
                known.paths.extend(one.paths.iter().cloned());
                known.more += one.count();
            }
            None => joined.push(one.clone()),
        }
    }
    joined
}

/// True if a path of a config, with `*` for each key of a mapping, leads to these keys.
fn covers(path: &str, keys: &Keys) -> bool {
    let covers = |row: &str, key: &String| {
        let is_any = || (row.strip_prefix('*')? == key.trim_start_matches(|c| c != '[')).then_some(());
        row == key || is_any().is_some()
    };
    path.split('.').count() == keys.len() && path.split('.').zip(keys).all(|(row, key)| covers(row, key))
}

/// Path for a config: `*` for a key of a mapping. The names of fields begin with a small letter
/// (kubernetes/community contributors/devel/sig-architecture/api-conventions.md).
fn pattern(keys: &Keys) -> String {
    let is_field = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let shown = keys.iter().map(|key| {
        let (name, lists) = key.split_at(key.find('[').unwrap_or(key.len()));
        if is_field(name) { key.clone() } else { format!("*{lists}") }
    });
    shown.collect::<Vec<_>>().join(".")
}

/// Quotes a text for a YAML flow mapping.
fn yaml_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts && text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

/// True for a text that may contain a template of an unknown kind: it has containers or `hostNetwork` and a group
/// outside of Kubernetes; or it has a kind that only holds other objects.
pub(super) fn may_contain(text: &str, groups: &ApiGroups<'_>) -> bool {
    let has_host_field = || HOST_NETWORK.iter().chain([&HOST_PORT.0]).any(|field| text.contains(field));
    let has_row =
        |field: &HostNetworkField| field.not.is_some() || field.path.last().is_none_or(|key| text.contains(key));
    let has_group = |group: &str| group.is_empty() || groups.any(|found| found == group);
    let may_have = |field: &HostNetworkField| has_group(field.group) && has_row(field) && text.contains(field.kind);
    groups.any(is_foreign) && (text.contains("containers") || has_host_field())
        || catalog::HOST_NETWORK_FIELDS.iter().any(may_have)
        || text.contains("containers") && unknown_kind::may_contain(text)
        || groups.any(|group| CARRIERS.iter().any(|(carrier, ..)| *carrier == group))
        || nested_callers::may_contain(text, groups)
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

/// Adds templates; one entry per kind and set of paths.
pub(super) fn add(found: UnknownTemplate, all: &mut Vec<UnknownTemplate>) {
    let same = |known: &&mut UnknownTemplate| {
        (&known.group, &known.kind, &known.paths, &known.place)
            == (&found.group, &found.kind, &found.paths, &found.place)
    };
    match all.iter_mut().find(same) {
        Some(known) => known.more += 1,
        None => all.push(found),
    }
}

/// True for API groups that are not part of Kubernetes or hostnet.
fn is_foreign(group: &str) -> bool {
    let is_own = group.ends_with("k8s.io") && !COMMUNITY_API_DOMAINS.iter().any(|domain| group.ends_with(domain));
    group == REMOVED || group.contains('.') && !is_own && group != "hostnet.dev"
}

/// Pod templates of an object of unknown kind; of several nested objects only the first.
pub(super) fn for_object(object: NodeRef<'_, '_>) -> Option<UnknownTemplate> {
    let (group, kind) = group_and_kind(object)?;
    let by_row = || {
        let mut rows = catalog::HOST_NETWORK_FIELDS.iter().filter(|row| row.group == group && row.kind == kind);
        let path = |row: &HostNetworkField| row.path.iter().fold(Path::root(), |path, key| path.key(*key));
        let field = |row: &HostNetworkField| object.lookup(&path(row)).filter(|field| !field.is_null());
        let row = rows.find(|row| row.counts(field(row).map(NodeRef::text)))?;
        let shown = if field(row).is_some() { row.path } else { &[] };
        let keys: Keys = shown.iter().map(|key| (*key).to_owned()).collect();
        Some((BTreeSet::from([keys]), TemplatePlace::Operator))
    };
    if let Some((paths, place)) = by_row().filter(|_| object.get("metadata").is_some()) {
        return Some(UnknownTemplate::new(object, (group, kind), &paths, place));
    }
    let is_known = catalog::WORKLOAD_KINDS.iter().any(|row| row.group == group && row.kind == kind)
        || catalog::reason_not_moved(group, kind).is_some()
        || catalog::is_admission_policy(group, kind)
        // The pods of a `DeploymentRuntimeConfig` belong to packages, which every config kind
        // reads.
        || (group, kind) == (package::GROUP, "DeploymentRuntimeConfig");
    let row = CARRIERS.iter().find(|(of, its, _)| (*of, *its) == (group, kind));
    if (group, kind) == ("", "ConfigMap") {
        let (path, inside) = nested_callers::in_config_map(object)?;
        return Some(UnknownTemplate::new(
            object,
            (group, kind),
            &BTreeSet::from([path]),
            TemplatePlace::Carried(inside),
        ));
    }
    if !is_known && is_kubernetes_group(group) && group != REMOVED && row.is_none() {
        return template_of_unknown_kubernetes_kind(object, group, kind);
    }
    if is_known || !is_foreign(group) && row.is_none() {
        return None;
    }
    let carried = || {
        let (.., list) = row?;
        let inside = object.lookup(&Path::dotted(list))?.items().find_map(|item| item.get("kind")?.text())?;
        Some((BTreeSet::from([keys(&format!("{list}[]"))]), TemplatePlace::Carried(escape_line(inside).into_owned())))
    };
    let of_operator = || {
        let (path, place) = find_field(object, "", 0, &host_network)
            .or_else(|| find_field(object, "", 0, &host_port).filter(|_| group != KIND))?;
        (group != package::GROUP).then(|| (BTreeSet::from([keys(&path)]), place))
    };
    let mut found = Found::default();
    found.search(object, &mut Vec::new(), None, 0);
    let (paths, place) = found.result().or_else(carried).or_else(of_operator)?;
    object.get("metadata")?;
    Some(UnknownTemplate::new(object, (group, kind), &paths, place))
}

/// A pod or pod template at the path of a workload of Kubernetes, in an object of a kind that its group does not have.
/// Other objects hold templates elsewhere, such as `data` of a `ControllerRevision`.
fn template_of_unknown_kubernetes_kind(object: NodeRef<'_, '_>, group: &str, kind: &str) -> Option<UnknownTemplate> {
    object.get("metadata")?;
    let rows = catalog::WORKLOAD_KINDS.iter().filter(|row| is_kubernetes_group(row.group));
    let paths = rows.map(|row| row.path).filter(|path| path.is_empty() || path.starts_with("spec"));
    let path = paths.into_iter().find(|path| object.lookup(&Path::dotted(path)).is_some_and(is_template))?;
    let paths = BTreeSet::from([keys(path)]);
    Some(UnknownTemplate::new(object, (group, kind), &paths, TemplatePlace::Object))
}

/// Keys of a dotted path.
fn keys(path: &str) -> Keys {
    path.split('.').map(str::to_owned).collect()
}

/// Pod templates that a search found.
#[derive(Default)]
struct Found {
    /// Templates in the object itself.
    own: BTreeSet<Keys>,
    /// First template in a nested object, and the kind of that object.
    nested: Option<(Keys, String)>,
    /// First policy of an admission engine or caller of a webhook inside of the object, at any depth, and its kind.
    policy: Option<(Keys, String)>,
}

impl Found {
    /// Result of the search: templates of the object, else a nested object, else the pods of an operator.
    fn result(self) -> Option<(BTreeSet<Keys>, TemplatePlace)> {
        if !self.own.is_empty() {
            return Some((self.own, TemplatePlace::Object));
        }
        if let Some((path, kind)) = self.nested {
            return Some((BTreeSet::from([path]), TemplatePlace::Nested(kind)));
        }
        let (path, kind) = self.policy?;
        Some((BTreeSet::from([path]), TemplatePlace::Carried(kind)))
    }

    /// Finds the pod templates below a node: a mapping under a key such as `template`, with containers that have a name
    /// and an image; policies of admission engines; and callers of webhooks. `inside` is the kind of the nested object
    /// around the node.
    fn search<'d>(&mut self, node: NodeRef<'d, '_>, path: &mut Keys, inside: Option<&'d str>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if path.last().is_some_and(|key| key.to_ascii_lowercase().contains("template")) && is_template(node) {
            match inside {
                None => {
                    self.own.insert(path.clone());
                }
                Some(kind) if self.nested.is_none() => {
                    self.nested = Some((path.clone(), escape_line(kind).into_owned()));
                }
                Some(_) => {}
            }
            return;
        }
        let own = node.get("apiVersion").and(node.get("kind")).and_then(NodeRef::text).filter(|_| depth > 0);
        if own.is_some() && self.policy.is_none() {
            let is_policy = |(group, kind): &(&str, &str)| {
                catalog::is_admission_policy(group, kind) || nested_callers::calls_webhook(node, group, kind)
            };
            let policy = group_and_kind(node).filter(is_policy);
            self.policy = policy.map(|(_, kind)| (path.clone(), escape_line(kind).into_owned()));
        }
        let inside = inside.or(own);
        for (key, value) in node.entries().filter_map(|(key, value)| Some((key.text()?, value))) {
            path.push(key.to_owned());
            self.search(value, path, inside, depth + 1);
            path.pop();
        }
        let Some(last) = path.last_mut() else { return };
        let length = last.len();
        last.push_str("[]");
        for item in node.items() {
            self.search(item, path, inside, depth + 1);
        }
        if let Some(last) = path.last_mut() {
            last.truncate(length);
        }
    }
}

/// Effect of a field on the pods of an operator: the mapping around it, its key and its value.
type FieldEffect<'f> = &'f dyn Fn(NodeRef<'_, '_>, &str, NodeRef<'_, '_>) -> Option<TemplatePlace>;

/// True field for the host network.
fn host_network(_: NodeRef<'_, '_>, key: &str, value: NodeRef<'_, '_>) -> Option<TemplatePlace> {
    (HOST_NETWORK.contains(&key) && value.as_bool() == Some(true)).then_some(TemplatePlace::Operator)
}

/// Field with a port of the nodes, unless the mapping around it is switched off.
fn host_port(around: NodeRef<'_, '_>, key: &str, value: NodeRef<'_, '_>) -> Option<TemplatePlace> {
    let number = match key {
        _ if key == HOST_PORT.0 => value.as_int(),
        _ if key == HOST_PORT.1 => value.items().find_map(|item| item.get("port")?.as_int()),
        _ => None,
    };
    let is_off = around.get("enabled").and_then(NodeRef::as_bool) == Some(false);
    let number = u16::try_from(number?).ok().filter(|number| *number != 0 && !is_off)?;
    Some(TemplatePlace::HostPort(number))
}

/// Path of the first field with an effect below a node, outside of nested objects.
fn find_field(
    node: NodeRef<'_, '_>,
    path: &str,
    depth: usize,
    effect: FieldEffect<'_>,
) -> Option<(String, TemplatePlace)> {
    if depth > MAX_DEPTH || depth > 0 && node.get("apiVersion").and(node.get("kind")).is_some() {
        return None;
    }
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let mut entries = node.entries().filter_map(|(key, value)| Some((key.text()?, value)));
    let of_entries = entries.find_map(|(key, value)| match effect(node, key, value) {
        Some(place) => Some((below(key), place)),
        None => find_field(value, &below(key), depth + 1, effect),
    });
    of_entries.or_else(|| node.items().find_map(|item| find_field(item, &format!("{path}[]"), depth + 1, effect)))
}

/// True for a node that has the form of a pod template.
fn is_template(node: NodeRef<'_, '_>) -> bool {
    let containers = node.get("spec").and_then(|spec| spec.get("containers"));
    let mut containers = containers.into_iter().flat_map(NodeRef::items);
    let text = |container: NodeRef<'_, '_>, key: &str| container.get(key).and_then(NodeRef::non_null_text).is_some();
    containers.next().is_some_and(|first| text(first, "name") && text(first, "image"))
}
