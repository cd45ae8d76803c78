//! Messages about values whose form does not match their field, such as a text instead of a list.

use serde_json::Value;

use super::forms::{Schemas, has_type};
use crate::api::PortRange;
use lossless_yaml::{Kind, NodeRef, Tree};

/// Examples of fields whose form one word cannot describe.
const EXAMPLES: &[(&str, &str)] = &[
    ("annotations", "{team: web}"),
    ("assigned", "{shop/Deployment/web/http: 20443}"),
    ("between", "[ingress/DaemonSet/public, ingress/DaemonSet/internal]"),
    ("bind", "[{container: manager, port: health, arg: --health-probe-bind-address, value: \":{port}\"}]"),
    ("ca", "{name: registry-ca, key: ca.crt}"),
    ("cluster", "{services: [10.96.0.0/12]}"),
    ("crossplane", "{version: v2.0.2}"),
    ("crossplane", "{namespace: crossplane-system}"),
    ("destinations", "[{host: registry.example.com, route: Direct}]"),
    ("exclude", "[{kind: Job}]"),
    ("labels", "{pool: web}"),
    ("metadata", "{name: webhooks}"),
    ("nodes", "[{labels: {pool: web}, count: 2}]"),
    ("portPool", "20000-29999"),
    ("ports", "{http: 20080}"),
    ("reserved", "[9100, 10000-10100]"),
    ("rules", "{node-port: Warning}"),
    ("rules", "[{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]"),
    ("select", "{kind: Deployment, name: web}"),
    ("select", "[{kind: Deployment, name: web}]"),
    ("shared", "[{port: 443, between: [ingress/DaemonSet/public, ingress/DaemonSet/internal]}]"),
    ("spec", "{targets: [{select: {kind: Deployment, name: web}, ports: auto}]}"),
    ("spec", "{targets: [{select: {kind: Deployment, name: web}}]}"),
    ("spec", "{rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]}"),
    ("spec", "{nodes: 3}"),
    ("suppress", "[{rule: node-port, select: {kind: DaemonSet, name: exporter}, reason: \"ours, on every node\"}]"),
    ("targets", "[{select: {kind: Deployment, name: web}, ports: auto}]"),
    ("targets", "[{select: {kind: Deployment, name: web}}]"),
    ("versions", "{kubernetes: v1.33}"),
];

/// The examples of fields with this name.
fn examples_of(field: &str) -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().filter(move |(known, _)| *known == field).map(|(_, example)| *example)
}

/// The first example that one of the field's forms accepts, because fields with the same name differ between kinds.
/// Without forms, the first example.
fn example(name: &str, forms: &[&Value], schemas: Schemas<'_>) -> Option<String> {
    let fits = |example: &str| {
        let tree = Tree::parse(example).ok();
        let root = tree.as_ref().and_then(|tree| tree.root(0));
        forms.is_empty() || root.is_some_and(|root| forms.iter().any(|form| schemas.accept(root, form)))
    };
    if let Some(list) = name.strip_prefix("an item of `").and_then(|name| name.strip_suffix('`')) {
        let mut items = examples_of(list).filter_map(|example| example.strip_prefix('[')?.strip_suffix(']'));
        return items.find(|item| fits(item)).map(|item| format!("write it as `{item}`"));
    }
    let example = examples_of(name).find(|example| fits(example))?;
    Some(format!("write it as `{name}: {example}`"))
}

/// The name of a field at the start of a sentence.
pub(super) fn subject(name: &str) -> String {
    match name {
        "" => "the config".to_owned(),
        name if name.contains('`') => name.to_owned(),
        name => format!("`{name}`"),
    }
}

/// Describes all forms of a field: `a list`, `auto, keep or a mapping`.
pub(super) fn expected(forms: &[&Value]) -> String {
    let kinds = [
        ("array", "a list"),
        ("integer", "a number"),
        ("boolean", "`true` or `false`"),
        ("string", "text"),
        ("object", "a mapping"),
    ];
    let words: Vec<String> = words(forms).iter().map(|word| format!("`{word}`")).collect();
    let has = |kind: &str| forms.iter().any(|form| has_type(form, kind));
    let kinds = kinds.into_iter().filter(|(kind, _)| has(kind) && (*kind != "string" || words.is_empty()));
    either(words.iter().map(String::as_str).chain(kinds.map(|(_, word)| word)))
}

/// Joins words: `a`, `a or b`, `a, b or c`.
pub(in crate::api) fn either<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// The words that a field accepts.
pub(super) fn words<'w>(forms: &[&'w Value]) -> Vec<&'w str> {
    let listed = forms.iter().flat_map(|form| form.get("enum").and_then(Value::as_array).into_iter().flatten());
    let single = forms.iter().filter_map(|form| form.get("const"));
    listed.chain(single).filter_map(Value::as_str).collect()
}

/// The error for a field without value.
pub(super) fn empty(name: &str, forms: &[&Value], schemas: Schemas<'_>) -> String {
    let hint =
        example(name, forms, schemas).unwrap_or_else(|| "write it after the `:`, or indented below it".to_owned());
    format!("{} has no value: {hint}", subject(name))
}

/// The error for a missing required field.
pub(super) fn missing(field: &str, mapping: &str, forms: &[&Value], schemas: Schemas<'_>) -> String {
    let hint = example(field, forms, schemas)
        .or_else(|| example(mapping, &[], schemas))
        .map(|example| format!(": {example}"))
        .unwrap_or_default();
    let mapping = if mapping.is_empty() { String::new() } else { format!(" in {}", subject(mapping)) };
    format!("`{field}` is missing{mapping}{hint}")
}

/// The error for a mapping where the field expects another form.
pub(super) fn not_a_mapping(node: NodeRef<'_, '_>, name: &str, forms: &[&Value], schemas: Schemas<'_>) -> String {
    let (subject, is) = (subject(name), expected(forms));
    let takes_node = |form: &&Value| form.get("items").is_none_or(|items| schemas.accept(node, items));
    let mut lists = forms.iter().filter(|form| has_type(form, "array")).copied();
    if lists.clone().next().is_some()
        && (lists.any(|form| takes_node(&form)) || example(name, forms, schemas).is_none())
    {
        let first = node.entries().next().and_then(|(key, _)| key.text()).unwrap_or_default();
        return match node.kind() {
            Kind::Mapping { flow: true } => {
                format!("{subject} must be a list, not a mapping: write `[` before it and `]` after it")
            }
            _ => format!("{subject} must be a list, not a mapping: write `- ` before `{first}`"),
        };
    }
    if name == "labelSelector" || name == "annotationSelector" {
        let written = selector(node).unwrap_or_else(|| "app=web".to_owned());
        return format!("{subject} is text, as `kubectl get -l` takes it: write `{name}: {}`", quoted(&written));
    }
    let hint = example(name, forms, schemas).map(|example| format!(": {example}")).unwrap_or_default();
    format!("{subject} must be {is}, not a mapping{hint}")
}

/// Fields of a select that are regular expressions.
const PATTERNS: [&str; 5] = ["kind", "name", "namespace", "group", "version"];

/// The error for a list where the field expects another form.
pub(super) fn not_a_list(node: NodeRef<'_, '_>, name: &str, forms: &[&Value], schemas: Schemas<'_>) -> String {
    let (subject, is) = (subject(name), expected(forms));
    let items: Vec<&str> = node.items().filter_map(NodeRef::text).collect();
    let are_texts = !items.is_empty() && items.len() == node.items().count();
    if forms.iter().any(|form| has_type(form, "object")) {
        if let [item] = items.as_slice()
            && words(forms).contains(item)
        {
            return format!("{subject} must be {is}, not a list: write `{name}: {item}`");
        }
        if name == "ports" && are_texts {
            let ports: Vec<String> = items.iter().map(|port| format!("{}: auto", quoted(port))).collect();
            return format!("{subject} must be {is}, not a list: write `{name}: {{{}}}`", ports.join(", "));
        }
        let hint = example(name, forms, schemas).unwrap_or_else(|| "leave out the `- `".to_owned());
        return format!("{subject} must be {is}, not a list: {hint}");
    }
    if is == "text" && are_texts {
        let between = match name {
            "labelSelector" | "annotationSelector" => ",",
            _ if PATTERNS.contains(&name) => "|",
            _ => {
                let first = items.first().copied().unwrap_or_default();
                let rest = if name == "rule" { ", and an entry for each of the others" } else { "" };
                return format!("{subject} must be text, not a list: write `{name}: {}`{rest}", quoted(first));
            }
        };
        return format!("{subject} must be text, not a list: write `{name}: {}`", quoted(&items.join(between)));
    }
    let hint = example(name, forms, schemas).map(|example| format!(": {example}")).unwrap_or_default();
    format!("{subject} must be {is}, not a list{hint}")
}

/// The error for a scalar where the field expects a list or a mapping.
pub(super) fn not_a_scalar(node: NodeRef<'_, '_>, name: &str, forms: &[&Value], schemas: Schemas<'_>) -> String {
    let (subject, is) = (subject(name), expected(forms));
    let takes_scalars = |form: &&Value| {
        form.get("items").is_some_and(|items| !has_type(items, "object") && items.get("$ref").is_none())
    };
    let given = line_of(node).unwrap_or_default();
    // A single workload shares its port with none.
    let takes_one = name != "between" && forms.iter().any(takes_scalars);
    if takes_one || name == "reserved" && given.parse::<PortRange>().is_ok() {
        return format!("{subject} is a list: write `{name}: [{given}]`");
    }
    let hint = example(name, forms, schemas).map(|example| format!(": {example}")).unwrap_or_default();
    format!("{subject} must be {is}, not `{given}`{hint}")
}

/// The source text of a value, if it is one short line.
pub(super) fn line_of(node: NodeRef<'_, '_>) -> Option<String> {
    let raw = node.raw();
    (!raw.is_empty() && raw.len() <= 60 && !raw.contains('\n')).then(|| raw.to_owned())
}

/// Converts a label selector from the mapping form of manifests to the syntax of `kubectl`.
fn selector(node: NodeRef<'_, '_>) -> Option<String> {
    let equal = |labels: NodeRef<'_, '_>| {
        let pairs = labels.entries().map(|(key, value)| Some(format!("{}={}", key.text()?, value.text()?)));
        pairs.collect::<Option<Vec<String>>>()
    };
    if node.get("matchLabels").is_none() && node.get("matchExpressions").is_none() {
        return Some(equal(node)?.join(","));
    }
    let mut parts = node.get("matchLabels").map_or(Some(Vec::new()), equal)?;
    for expression in node.get("matchExpressions").into_iter().flat_map(NodeRef::items) {
        let key = expression.get("key")?.text()?;
        let values: Option<Vec<&str>> =
            expression.get("values").into_iter().flat_map(NodeRef::items).map(NodeRef::text).collect();
        let values = values?.join(",");
        parts.push(match expression.get("operator")?.text()? {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        });
    }
    Some(parts.join(","))
}

/// Formats a text for block or flow style, quoted if needed.
fn quoted(text: &str) -> String {
    let plain =
        text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=|*".contains(c)) && !text.starts_with(['*', '|']);
    if plain { text.to_owned() } else { format!("'{text}'") }
}
