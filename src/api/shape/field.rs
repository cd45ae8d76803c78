//! Errors about unknown fields: the correct parent, or a similar name.

use serde_json::{Map, Value};

use super::forms::{Schemas, has_type};
use super::words::line_of;
use crate::api::suggest::unknown;
use lossless_yaml::{Kind, LineIndex, NodeRef};

/// A mapping, its known fields, and its name in messages.
type EnclosingMapping<'t, 's, 'w> = (NodeRef<'t, 's>, &'w Map<String, Value>, String);

impl<'w> Schemas<'w> {
    /// The error for a field that the last of these mappings does not have.
    pub(super) fn unknown_field(self, name: &str, enclosing: &[EnclosingMapping<'_, '_, 'w>]) -> String {
        let Some((own, fields, here)) = enclosing.last() else { return unknown("field", name, &[]) };
        let value = own.get(name);
        let inside = fields.iter().find(|(_, schema)| self.has_field(schema, name, value));
        if let Some((field, schema)) = inside {
            let is_list = self.forms(schema).iter().any(|form| has_type(form, "array"));
            let misplaced = own.entries().filter(|(key, _)| {
                key.text().is_some_and(|key| !fields.contains_key(key) && self.has_field(schema, key, own.get(key)))
            });
            let shown = misplaced.filter_map(|(key, value)| {
                Some(format!("{}: {}", key.text()?, line_of(value).unwrap_or_else(|| "...".to_owned())))
            });
            let shown: Vec<String> = shown.collect();
            return field_too_shallow_error(name, &shown.join(", "), field, is_list);
        }
        let outside = enclosing.iter().rev().skip(1).find(|(mapping, fields, _)| {
            mapping.get(name).is_none()
                && fields.get(name).is_some_and(|schema| value.is_none_or(|value| self.accept(value, schema)))
        });
        if let Some((mapping, _, outer)) = outside {
            return field_too_deep_error(name, here, outer, *mapping, *own);
        }
        let known: Vec<&str> = fields.keys().map(String::as_str).collect();
        unknown("field", name, &known)
    }

    /// True if a field's mapping, or each mapping in its list, has a field of this name that accepts the value.
    fn has_field(self, schema: &'w Value, name: &str, value: Option<NodeRef<'_, '_>>) -> bool {
        let has = |form: &Value| {
            let field = form.get("properties").and_then(|fields| fields.get(name));
            field.is_some_and(|field| value.is_none_or(|value| self.accept(value, field)))
        };
        self.forms(schema).iter().any(|form| {
            has(form) || form.get("items").is_some_and(|items| self.forms(items).iter().any(|item| has(item)))
        })
    }
}

/// Error about a field that is indented too far: it belongs to an outer mapping.
fn field_too_deep_error(name: &str, here: &str, outer: &str, mapping: NodeRef<'_, '_>, own: NodeRef<'_, '_>) -> String {
    let place = if outer.is_empty() { "the top level".to_owned() } else { quoted_name(outer) };
    let here = quoted_name(here);
    if own.kind() == (Kind::Mapping { flow: true }) {
        return format!("`{name}` is a field of {place}, and not of {here}: write it after the `}}` of {here}");
    }
    let (_, column) = LineIndex::new(mapping.tree().text()).position(mapping.start());
    format!(
        "`{name}` is a field of {place}, and not of {here}: this line is indented too far; start it at column {column}"
    )
}

/// The error for fields that belong in `field`; `fields` lists all of them with their values.
fn field_too_shallow_error(name: &str, fields: &str, field: &str, is_list: bool) -> String {
    let (open, close) = if is_list { ("[{", "}]") } else { ("{", "}") };
    format!("`{name}` is a field of `{field}`, and not allowed here: write `{field}: {open}{fields}{close}`")
}

/// Puts a name in backquotes, unless it contains some already.
fn quoted_name(name: &str) -> String {
    if name.contains('`') { name.to_owned() } else { format!("`{name}`") }
}
