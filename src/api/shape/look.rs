//! Finds the values of a config that do not match its schema.

use serde_json::{Map, Value};

use super::forms::{Schemas, has_type};
use super::{scalar, words};
use crate::api::schema::json_schema;
use lossless_yaml::{NodeRef, Path};

/// A value that does not match its field.
#[derive(Debug)]
pub(in crate::api) struct Mismatch {
    /// The path of the field.
    pub(in crate::api) path: Path,
    /// The byte offset of the value.
    pub(in crate::api) offset: usize,
    /// The error, with the correction.
    pub(in crate::api) message: String,
}

/// The values of a config that its kind's schema rejects, in the order of the text.
pub(in crate::api) fn mismatches(root: NodeRef<'_, '_>, kind: &str) -> Vec<Mismatch> {
    let whole = json_schema();
    let mut kinds = whole.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let Some(schema) = kinds.find(|schema| schema.get("title").and_then(Value::as_str) == Some(kind)) else {
        return Vec::new();
    };
    let look = |nulls| Validation { schemas: Schemas { whole: &whole }, nulls };
    let start = At { name: String::new(), path: Path::root(), enclosing: Vec::new() };
    // A field without value often means the default, so it is reported only if nothing else is wrong.
    let mut mismatches = look(false).value(root, schema, &start);
    if mismatches.is_empty() {
        mismatches = look(true).value(root, schema, &start);
    }
    mismatches.sort_by_key(|mismatch| mismatch.offset);
    mismatches
}

/// The schemas and options of a validation.
struct Validation<'w> {
    schemas: Schemas<'w>,
    /// True to report fields without value.
    nulls: bool,
}

/// The current position of a validation.
#[derive(Clone)]
struct At<'t, 's, 'w> {
    /// The name of the value in messages.
    name: String,
    path: Path,
    /// The enclosing mappings with their fields, innermost last.
    enclosing: Vec<(NodeRef<'t, 's>, &'w Map<String, Value>, String)>,
}

impl At<'_, '_, '_> {
    /// Mismatch of a node.
    fn mismatch(&self, node: NodeRef<'_, '_>, message: String) -> Mismatch {
        Mismatch { path: self.path.clone(), offset: node.start(), message }
    }
}

impl<'w> Validation<'w> {
    /// Mismatches of a value with a schema.
    fn value<'t, 's>(&self, node: NodeRef<'t, 's>, schema: &'w Value, at: &At<'t, 's, 'w>) -> Vec<Mismatch> {
        let forms = self.schemas.forms(schema);
        let form = |kind: &str| forms.iter().copied().find(|form| has_type(form, kind));
        let value = node.resolved();
        if value.is_null() {
            let may = form("null").is_some() || !self.nulls;
            return (!may)
                .then(|| at.mismatch(node, words::empty(&at.name, &forms, self.schemas)))
                .into_iter()
                .collect();
        }
        if value.is_mapping() {
            return match form("object") {
                Some(form) => self.mapping(node, form, at),
                None => vec![at.mismatch(node, words::not_a_mapping(value, &at.name, &forms, self.schemas))],
            };
        }
        if value.is_sequence() {
            return match form("array") {
                Some(form) => self.list(node, form, at),
                None => vec![at.mismatch(node, words::not_a_list(value, &at.name, &forms, self.schemas))],
            };
        }
        scalar::scalar_mismatch(value, &at.name, &forms, self.schemas)
            .map(|message| at.mismatch(node, message))
            .into_iter()
            .collect()
    }

    /// Mismatches of the elements of a list.
    fn list<'t, 's>(&self, node: NodeRef<'t, 's>, schema: &'w Value, at: &At<'t, 's, 'w>) -> Vec<Mismatch> {
        let Some(items) = schema.get("items") else { return Vec::new() };
        let item = |(index, item)| {
            let name = format!("an item of `{}`", at.name);
            self.value(item, items, &At { name, path: at.path.item(index), enclosing: at.enclosing.clone() })
        };
        node.resolved().items().enumerate().flat_map(item).collect()
    }

    /// Finds unknown fields, missing fields and mismatches of the values in a mapping.
    fn mapping<'t, 's>(&self, node: NodeRef<'t, 's>, schema: &'w Value, at: &At<'t, 's, 'w>) -> Vec<Mismatch> {
        let fields = schema.get("properties").and_then(Value::as_object);
        let has = |name: &str| fields.is_some_and(|fields| fields.contains_key(name));
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let value = node.resolved();
        let mut enclosing = at.enclosing.clone();
        enclosing.extend(fields.map(|fields| (value, fields, at.name.clone())));
        let inside =
            |key: &str| At { name: key.to_owned(), path: at.path.key(key.to_owned()), enclosing: enclosing.clone() };
        let keyed = || value.entries().filter_map(|(key, value)| Some((key, key.text()?, value)));
        let unknown = keyed().filter(|(_, name, _)| is_closed && !has(name));
        let mut mismatches: Vec<Mismatch> =
            unknown.map(|(key, name, _)| at.mismatch(key, self.schemas.unknown_field(name, &enclosing))).collect();
        // A misspelled field is also missing under its right name; report one error.
        if mismatches.is_empty() {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let missing = required.filter_map(Value::as_str).filter(|field| value.get(field).is_none());
            let forms = |field: &str| {
                fields.and_then(|fields| Some(self.schemas.forms(fields.get(field)?))).unwrap_or_default()
            };
            mismatches.extend(
                missing.map(|field| at.mismatch(node, words::missing(field, &at.name, &forms(field), self.schemas))),
            );
        }
        mismatches.extend(keyed().flat_map(|(_, name, value)| {
            let schema = fields.and_then(|fields| fields.get(name)).or(others);
            schema.map(|schema| self.value(value, schema, &inside(name))).unwrap_or_default()
        }));
        mismatches
    }
}
