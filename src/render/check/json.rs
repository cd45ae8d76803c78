//! JSON output of all findings.

use serde_json::{Map, Value, json};

use super::{Entry, Location, Report};
use crate::render::ResourceRef;
use crate::rule::Severity;

/// All findings, including suppressed ones, with counts.
#[must_use]
pub fn json(report: &Report) -> Value {
    let mut json = json!({
        "findings": report.entries.iter().map(entry).collect::<Vec<_>>(),
        "summary": {
            "objects": report.objects,
            "workloads": report.workloads,
            "notRead": report.not_read.iter().chain(&report.rendered).collect::<Vec<_>>(),
            "error": report.count(Severity::Error),
            "warning": report.count(Severity::Warning),
            "info": report.count(Severity::Info),
            "suppressed": report.suppressed(),
            "fails": report.fails(),
        },
    });
    if let (Some(summary), Some(differs)) = (json.get_mut("summary").and_then(Value::as_object_mut), report.differs) {
        summary.insert("differs".to_owned(), differs.into());
    }
    if let (Some(summary), Some(gone)) = (json.get_mut("summary").and_then(Value::as_object_mut), report.gone) {
        summary.insert("unchanged".to_owned(), report.unchanged().into());
        summary.insert("gone".to_owned(), gone.into());
    }
    json
}

fn entry(entry: &Entry) -> Value {
    let mut map = Map::new();
    let mut add = |key: &str, value: Value| _ = map.insert(key.to_owned(), value);
    add("rule", entry.rule.id.into());
    add("severity", entry.severity.as_str().into());
    add("message", entry.message.as_str().into());
    if let Some(object) = &entry.object {
        add("resourceRef", resource(object));
    }
    if let Some(path) = &entry.path {
        add("field", json!({"path": path.to_string()}));
    }
    if let Some(place) = &entry.place {
        add("place", location(place));
    }
    if let Some((object, place)) = &entry.other {
        let mut other = json!({"resourceRef": resource(object)});
        if let (Some(map), Some(place)) = (other.as_object_mut(), place) {
            map.insert("place".to_owned(), location(place));
        }
        add("other", other);
    }
    if let Some(suppressed) = &entry.suppressed {
        let by = if suppressed.in_source { "annotation" } else { "config" };
        add("suppressed", json!({"by": by, "reason": suppressed.reason}));
    }
    if let Some(state) = entry.baseline {
        add("baselineState", state.as_str().into());
    }
    add("fails", entry.fails.into());
    add("fingerprint", entry.fingerprint.as_str().into());
    Value::Object(map)
}

fn resource(object: &ResourceRef) -> Value {
    let mut map = json!({"apiVersion": object.api_version, "kind": object.kind, "name": object.name});
    if let (Some(map), Some(namespace)) = (map.as_object_mut(), &object.namespace) {
        map.insert("namespace".to_owned(), namespace.as_str().into());
    }
    map
}

fn location(place: &Location) -> Value {
    let mut map = Map::new();
    if let Some(file) = &place.file {
        map.insert("file".to_owned(), file.as_str().into());
    }
    if let Some((line, column)) = place.position {
        map.insert("line".to_owned(), line.into());
        map.insert("column".to_owned(), column.into());
    }
    Value::Object(map)
}
