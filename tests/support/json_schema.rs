//! The part of JSON Schema that the schema of the configs uses.

use serde_json::Value;

/// Strictness when the types of scalars are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalars {
    /// Types are compared as JSON Schema requires.
    Typed,
    /// Every scalar matches every scalar type, because YAML often omits quotes.
    Alike,
}

/// True if a value fits the whole schema.
pub(crate) fn fits(schema: &Value, value: &Value, scalars: Scalars) -> bool {
    Check { whole: schema, scalars }.fits(schema, value)
}

struct Check<'s> {
    whole: &'s Value,
    scalars: Scalars,
}

impl Check<'_> {
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let Some(fields) = schema.as_object() else { return schema != &Value::Bool(false) };
        fields.iter().all(|(key, rule)| self.keeps(key, rule, schema, value))
    }

    /// True if a value satisfies one keyword of a schema; keywords that do not constrain values always do.
    fn keeps(&self, key: &str, rule: &Value, schema: &Value, value: &Value) -> bool {
        let rules = || rule.as_array().into_iter().flatten();
        let named = |name: &Value| name.as_str().and_then(|name| value.get(name)).is_some();
        match key {
            "$ref" => {
                let target = rule.as_str().and_then(|path| self.whole.pointer(path.strip_prefix('#')?));
                self.fits(target.unwrap(), value)
            }
            "allOf" => rules().all(|one| self.fits(one, value)),
            "anyOf" => rules().any(|one| self.fits(one, value)),
            "oneOf" => {
                rules().filter(|one| self.fits(one, value)).count() == 1
                    || self.scalars == Scalars::Alike && rules().any(|one| self.fits(one, value))
            }
            "type" => {
                let types = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
                types.iter().filter_map(Value::as_str).any(|name| self.is_type(name, value))
            }
            "enum" => rules().any(|one| self.is_same(one, value)),
            "const" => self.is_same(rule, value),
            "pattern" => {
                value.as_str().is_none_or(|text| regex::Regex::new(rule.as_str().unwrap()).unwrap().is_match(text))
            }
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "minProperties" => value.as_object().is_none_or(|fields| fields.len() as u64 >= rule.as_u64().unwrap()),
            "items" => value.as_array().is_none_or(|items| items.iter().all(|item| self.fits(rule, item))),
            "required" => !value.is_object() || rules().all(named),
            "properties" => rule
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, one)| value.get(name).is_none_or(|field| self.fits(one, field))),
            "propertyNames" => {
                value.as_object().is_none_or(|object| object.keys().all(|name| self.fits(rule, &name.as_str().into())))
            }
            "additionalProperties" => {
                let known = |name: &str| schema["properties"].get(name).is_some();
                value
                    .as_object()
                    .is_none_or(|object| object.iter().all(|(name, field)| known(name) || self.fits(rule, field)))
            }
            "$schema" | "$id" | "$defs" | "title" | "description" | "default" | "format" => true,
            other => panic!("unsupported keyword {other}"),
        }
    }

    fn is_type(&self, name: &str, value: &Value) -> bool {
        let is_scalar = matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
        match name {
            "string" | "integer" | "boolean" if self.scalars == Scalars::Alike => is_scalar,
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            other => panic!("unsupported type {other}"),
        }
    }

    fn is_same(&self, one: &Value, value: &Value) -> bool {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        one == value || self.scalars == Scalars::Alike && text(one) == text(value)
    }
}
