//! Where a config is not of the shape that its schema asks for, and what to write there.
//!
//! A reader of types says what it expected of a parser: "expected sequence start". Here the same schema that editors use is held
//! against the text, so that the message can name the field, show its form, and say where a field that stands elsewhere belongs.

mod field;
mod scalar;
mod words;

use serde_json::{Map, Value};

use super::schema::json_schema;
use crate::yaml::{NodeRef, Path};

pub(super) use words::either;

/// A value that is not what its field takes.
#[derive(Debug)]
pub(super) struct Misfit {
    /// The field.
    pub(super) path: Path,
    /// The byte where it begins.
    pub(super) offset: usize,
    /// What is wrong, and what to write.
    pub(super) message: String,
}

/// The first value of a config that its kind's schema does not allow, as far as a schema can tell.
pub(super) fn misfit(root: NodeRef<'_, '_>, kind: &str) -> Option<Misfit> {
    let whole = json_schema();
    let kinds = whole.get("oneOf")?.as_array()?;
    let schema = kinds.iter().find(|schema| schema.get("title").and_then(Value::as_str) == Some(kind))?;
    let look = |nulls| Look { whole: &whole, nulls };
    let start = At { name: String::new(), path: Path::root(), around: Vec::new() };
    // A field without a value is often taken for its default: it is said where nothing else is wrong.
    look(false).value(root, schema, &start).or_else(|| look(true).value(root, schema, &start))
}

/// A schema, and what counts as wrong.
struct Look<'w> {
    whole: &'w Value,
    /// Whether a field without a value is wrong.
    nulls: bool,
}

/// Where a look is.
#[derive(Clone)]
struct At<'t, 's, 'w> {
    /// What messages call the value.
    name: String,
    path: Path,
    /// The mappings around it, the nearest last, with their fields.
    around: Vec<(NodeRef<'t, 's>, &'w Map<String, Value>, String)>,
}

impl At<'_, '_, '_> {
    fn misfit(&self, node: NodeRef<'_, '_>, message: String) -> Misfit {
        Misfit { path: self.path.clone(), offset: node.start(), message }
    }
}

impl<'w> Look<'w> {
    fn value<'t, 's>(&self, node: NodeRef<'t, 's>, schema: &'w Value, at: &At<'t, 's, 'w>) -> Option<Misfit> {
        let forms = self.forms(schema);
        let form = |kind: &str| forms.iter().copied().find(|form| has_type(form, kind));
        let value = node.resolved();
        if value.is_null() {
            let may = form("null").is_some() || !self.nulls;
            return (!may).then(|| at.misfit(node, words::empty(&at.name, &forms)));
        }
        if value.is_mapping() {
            return match form("object") {
                Some(form) => self.mapping(node, form, at),
                None => Some(at.misfit(node, words::not_a_mapping(value, &at.name, &forms))),
            };
        }
        if value.is_sequence() {
            return match form("array") {
                Some(form) => self.list(node, form, at),
                None => Some(at.misfit(node, words::not_a_list(value, &at.name, &forms))),
            };
        }
        scalar::wrong(value, &at.name, &forms).map(|message| at.misfit(node, message))
    }

    fn list<'t, 's>(&self, node: NodeRef<'t, 's>, schema: &'w Value, at: &At<'t, 's, 'w>) -> Option<Misfit> {
        let items = schema.get("items")?;
        node.resolved().items().enumerate().find_map(|(index, item)| {
            let name = format!("an item of `{}`", at.name);
            self.value(item, items, &At { name, path: at.path.item(index), around: at.around.clone() })
        })
    }

    fn mapping<'t, 's>(&self, node: NodeRef<'t, 's>, schema: &'w Value, at: &At<'t, 's, 'w>) -> Option<Misfit> {
        let fields = schema.get("properties").and_then(Value::as_object);
        let has = |name: &str| fields.is_some_and(|fields| fields.contains_key(name));
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let value = node.resolved();
        let mut around = at.around.clone();
        around.extend(fields.map(|fields| (value, fields, at.name.clone())));
        let inside = |key: &str| At { name: key.to_owned(), path: at.path.key(key.to_owned()), around: around.clone() };
        let keyed = || value.entries().filter_map(|(key, value)| Some((key, key.text()?, value)));
        if let Some((key, name, _)) = keyed().find(|(_, name, _)| is_closed && !has(name)) {
            return Some(at.misfit(key, self.unknown_field(name, &around)));
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = required.into_iter().find(|field| value.get(field).is_none()) {
            let forms =
                fields.and_then(|fields| fields.get(missing)).map(|schema| self.forms(schema)).unwrap_or_default();
            return Some(at.misfit(node, words::missing(missing, &at.name, &forms)));
        }
        keyed().find_map(|(_, name, value)| {
            self.value(value, fields.and_then(|fields| fields.get(name)).or(others)?, &inside(name))
        })
    }

    /// The forms that a value may have.
    fn forms(&self, schema: &'w Value) -> Vec<&'w Value> {
        let schema = self.resolved(schema);
        let several = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
        let forms: Vec<&Value> = several.flat_map(|form| self.forms(form)).collect();
        if forms.is_empty() { vec![schema] } else { forms }
    }

    fn resolved(&self, schema: &'w Value) -> &'w Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
        name.and_then(|pointer| self.whole.pointer(pointer)).unwrap_or(schema)
    }
}

/// Whether a schema allows values of a type.
fn has_type(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(own)) => own == kind,
        Some(Value::Array(own)) => own.iter().any(|own| own == kind),
        _ => kind == "string" && schema.get("enum").is_some(),
    }
}
