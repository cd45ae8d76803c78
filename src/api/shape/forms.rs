//! The forms that a schema allows.

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
