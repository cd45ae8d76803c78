//! The template of a generator of an `ApplicationSet`.
//!
//! Source: argoproj/argo-cd@00134ea90 `applicationset/generators/generator_spec_processor.go` (`mergeGeneratorTemplate`).

use lossless_yaml::{NodeRef, Value};

/// The template for the elements of a generator: its own template, with the fields that it leaves empty from the
/// template of the set.
pub(super) fn merged(generator: NodeRef<'_, '_>, of_set: &Value) -> Value {
    let own = generator.entries().find_map(|(_, fields)| fields.get("template")?.to_value());
    own.map_or_else(|| of_set.clone(), |own| filled(own, of_set))
}

/// A value with the fields that it leaves empty from another.
fn filled(own: Value, other: &Value) -> Value {
    match (own, other) {
        (Value::Map(mut own), Value::Map(others)) => {
            for (key, other) in others {
                match own.iter_mut().find(|(known, _)| known == key) {
                    // Argo CD takes this mapping whole.
                    Some((key, Value::Map(entries))) if key == "valuesObject" && !entries.is_empty() => {}
                    Some((_, value)) => *value = filled(std::mem::replace(value, Value::Null), other),
                    None => own.push((key.clone(), other.clone())),
                }
            }
            Value::Map(own)
        }
        (own, other) if is_empty(&own) => other.clone(),
        (own, _) => own,
    }
}

/// True for the value of a field that is left out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Str(text) => text.is_empty(),
        Value::Seq(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}
