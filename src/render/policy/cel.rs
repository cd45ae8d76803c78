//! CEL expressions for objects that contain pod templates.

use std::collections::{BTreeMap, BTreeSet};

use super::re2;
use crate::api::{Select, TemplateKind};
use crate::catalog::WORKLOAD_KINDS;

/// Kinds that contain pod templates, with the template paths.
#[derive(Debug, Default)]
pub struct Kinds {
    kinds: BTreeMap<String, BTreeSet<String>>,
    paths: BTreeSet<String>,
    /// Kinds that are a pod template themselves.
    whole: BTreeSet<String>,
}

impl Kinds {
    /// Combines the built-in kinds with the kinds of a config.
    pub fn new(added: &[TemplateKind]) -> Self {
        let mut found = Self::default();
        for row in WORKLOAD_KINDS {
            found.add(row.group, row.kind, row.path);
        }
        for row in added {
            found.add(&row.group, &row.kind, &row.path);
        }
        found
    }

    /// Adds a kind and the path of its pod spec.
    fn add(&mut self, group: &str, kind: &str, path: &str) {
        self.kinds.entry(group.to_owned()).or_default().insert(kind.to_owned());
        self.paths.insert(path.to_owned());
        self.whole.extend(Some(kind.to_owned()).filter(|_| path.is_empty()));
    }

    /// API groups with their resources. Plural names of kinds in other groups are unknown, so `*` selects all resources
    /// there and [`Self::condition`] filters by kind.
    pub(super) fn groups(&self) -> Vec<(&str, String)> {
        let core = |kinds: &BTreeSet<String>| {
            let plurals: Vec<String> = kinds.iter().map(|kind| format!("{}s", kind.to_lowercase())).collect();
            plurals.join(", ")
        };
        let resources = |(group, kinds): (&'_ String, &BTreeSet<String>)| match group.as_str() {
            "" => core(kinds),
            _ => "\"*\"".to_owned(),
        };
        self.kinds.iter().map(|row| (row.0.as_str(), resources(row))).collect()
    }

    /// Expression that is true for objects of these kinds.
    pub fn condition(&self) -> String {
        let all: BTreeSet<&String> = self.kinds.values().flatten().collect();
        format!("request.kind.kind in [{}]", quoted(all))
    }

    /// Expression that is true if the controller owner is of one of these kinds; the policy then checks only the owner.
    pub fn owned_by_checked_kind_expression(&self) -> String {
        let all: BTreeSet<&String> = self.kinds.values().flatten().collect();
        format!(
            "object.metadata.?ownerReferences.orValue([]).exists(o,\n  o.?controller.orValue(false) && o.kind in [{}])",
            quoted(all)
        )
    }

    /// Expression for the list of all pod template specs of an object.
    pub fn pod_specs(&self) -> String {
        self.specs_of("object", |_| true)
    }

    /// Expression that is true if the pod specs differ from the old object's. For kinds that are a pod template the
    /// whole spec is compared; for other kinds fields outside of the template, such as replicas or pause, do not count.
    pub fn templates_differ(&self) -> String {
        let differ = |is_one: fn(&str) -> bool| {
            format!("{} !=\n{}", self.specs_of("object", is_one), self.specs_of("oldObject", is_one))
        };
        let own = differ(str::is_empty);
        let inside = differ(|path| !path.is_empty());
        format!("(request.kind.kind in [{}] ?\n{own} :\n{inside})", quoted(&self.whole))
    }

    /// Expression for the pod specs at the selected template paths.
    fn specs_of(&self, object: &str, is_one: impl Fn(&str) -> bool) -> String {
        let paths = self.paths.iter().filter(|path| is_one(path));
        let (lists, single): (Vec<&String>, Vec<&String>) =
            paths.partition(|path| path.contains("[]") || path.split('.').any(|step| step == "*"));
        let single: Vec<String> = single.into_iter().map(|path| format!("  {}", optional(object, path))).collect();
        let mut all = vec![format!("[\n{}\n].filter(s, s.hasValue()).map(s, s.value())", single.join(",\n"))];
        all.extend(lists.into_iter().map(|path| pod_specs_expression(object, path)));
        all.join(" +\n")
    }
}

/// Expression for the pod spec at a dotted template path, as an optional value.
fn optional(from: &str, path: &str) -> String {
    let steps = path.split('.').chain(["spec"]).filter(|step| !step.is_empty());
    steps.fold(from.to_owned(), |text, step| format!("{text}.?{step}"))
}

/// Expression for the pod specs below a path with one list (`[]`) or mapping (`*`). Pod specs below a second list or
/// mapping are not included.
fn pod_specs_expression(object: &str, path: &str) -> String {
    let (before, after, elements) = match (path.split_once("[]"), path.split_once(".*")) {
        (Some((before, after)), _) => (before, after, "orValue([])"),
        (None, Some((before, after))) => (before, after, "orValue({})"),
        (None, None) => (path, "", "orValue([])"),
    };
    let steps = before.split('.').filter(|step| !step.is_empty());
    let list = steps.fold(object.to_owned(), |text, step| format!("{text}.?{step}"));
    let list = format!("{list}.{elements}");
    let list = if elements.contains('{') { format!("{list}.map(k, {list}[k])") } else { list };
    let spec = optional("t", after.trim_start_matches('.'));
    format!("{list}.map(t, {spec}).filter(s, s.hasValue()).map(s, s.value())")
}

/// Quotes a text as a string literal valid in CEL, JSON and YAML. Characters that end a line for some YAML parsers are
/// escaped, because they would end an expression in a block scalar.
///
/// ```
/// assert_eq!(hostnet::render::policy::text("a\"\u{2028}\n"), r#""a\"\u2028\n""#);
/// ```
pub fn text(value: &str) -> String {
    let ends_line =
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let quoted = serde_json::Value::from(value).to_string();
    quoted.chars().fold(String::with_capacity(quoted.len()), |mut out, c| {
        if ends_line(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
        out
    })
}

/// List of quoted texts, separated by commas.
fn quoted<'t>(all: impl IntoIterator<Item = &'t String>) -> String {
    let all: Vec<String> = all.into_iter().map(|one| text(one)).collect();
    all.join(", ")
}

/// Reason why a select cannot be converted to CEL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// Field with data that is not available to a policy.
    Field,
    /// Regular expression feature that RE2 lacks.
    Pattern(&'static str),
}

/// Expression that is true if an object matches a select. The error holds the field that cannot be converted, and the
/// reason.
pub fn matching(select: &Select) -> Result<String, (&'static str, Unknown)> {
    let Select { group, version, kind, name, namespace, label_selector, annotation_selector, called_by_api_server } =
        select;
    let known = [
        ("namespace", namespace, "request.?namespace.orValue(\"\")"),
        ("kind", kind, "request.kind.kind"),
        ("name", name, "object.metadata.?name.orValue(\"\")"),
        ("group", group, "request.kind.group"),
        ("version", version, "request.kind.version"),
    ];
    let unknown = [
        (label_selector.is_some(), "labelSelector"),
        (annotation_selector.is_some(), "annotationSelector"),
        (called_by_api_server.is_some(), "calledByApiServer"),
    ];
    if let Some((_, field)) = unknown.into_iter().find(|(is_there, _)| *is_there) {
        return Err((field, Unknown::Field));
    }
    let mut all = Vec::new();
    for (field, pattern, of) in known {
        let Some(pattern) = pattern else { continue };
        if let Some(what) = re2::lacks(pattern.as_ref()) {
            return Err((field, Unknown::Pattern(what)));
        }
        all.push(format!("{of}.matches({})", text(&format!("^(?:{pattern})$"))));
    }
    Ok(if all.is_empty() { "true".to_owned() } else { all.join(" && ") })
}

/// Expression for an annotation's value, trimmed; the empty string without the annotation.
pub fn annotation(key: &str) -> String {
    format!("object.metadata.?annotations[?{}].orValue(\"\").trim()", text(key))
}

/// List literal of port numbers.
pub fn port_list(ports: impl IntoIterator<Item = u16>) -> String {
    let ports: Vec<String> = ports.into_iter().map(|port| port.to_string()).collect();
    format!("[{}]", ports.join(", "))
}
