//! The forms that a schema allows.

use lossless_yaml::NodeRef;
use serde_json::Value;

/// The schemas of all config kinds, which may refer to each other.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'w> {
    pub(super) whole: &'w Value,
}

impl<'w> Schemas<'w> {
    /// Resolves the alternatives of a schema.
    pub(super) fn forms(self, schema: &'w Value) -> Vec<&'w Value> {
        let schema = self.resolved(schema);
        let several = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
        let forms: Vec<&Value> = several.flat_map(|form| self.forms(form)).collect();
        if forms.is_empty() { vec![schema] } else { forms }
    }

    /// True if a schema accepts the forms of a value and of all values in it; patterns and ranges are not checked.
    pub(super) fn accept(self, value: NodeRef<'_, '_>, schema: &Value) -> bool {
        self.forms(schema).iter().any(|form| {
            if value.is_mapping() {
                let given = |name: &str| form.get(name).and_then(Value::as_object);
                let field = |key: &str| {
                    given("properties").and_then(|fields| fields.get(key)).or(form.get("additionalProperties"))
                };
                let is_known = |(key, value): (NodeRef<'_, '_>, NodeRef<'_, '_>)| {
                    key.text().and_then(field).is_some_and(|schema| *schema != false && self.accept(value, schema))
                };
                let required = form.get("required").and_then(Value::as_array).into_iter().flatten();
                let is_complete = required.filter_map(Value::as_str).all(|field| value.get(field).is_some());
                has_type(form, "object") && is_complete && value.entries().all(is_known)
            } else if value.is_sequence() {
                let is_item = |item| form.get("items").is_none_or(|schema| self.accept(item, schema));
                has_type(form, "array") && value.items().all(is_item)
            } else {
                !has_type(form, "object") && !has_type(form, "array")
            }
        })
    }

    /// Schema to which a `$ref` points.
    fn resolved(self, schema: &'w Value) -> &'w Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
        name.and_then(|pointer| self.whole.pointer(pointer)).unwrap_or(schema)
    }
}

/// True if a schema allows values of a type.
pub(super) fn has_type(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(known)) => known == kind,
        Some(Value::Array(all)) => all.iter().any(|known| known == kind),
        _ => kind == "string" && schema.get("enum").is_some(),
    }
}
