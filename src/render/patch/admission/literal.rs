//! CEL literals and field selections.

use crate::model::text::is_placeholder;
use crate::render::policy::text;
use lossless_yaml::Value;

/// Words that CEL reserves (cel-spec `doc/langdef.md`); a selection quotes them.
const RESERVED: [&str; 20] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "void",
    "while",
];

/// Writes a value as a CEL literal.
pub(super) fn literal(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Str(value) => text(value),
        Value::Raw(raw) if is_placeholder(raw) => {
            return Err(format!("`{raw}` has a placeholder, and the API server has the text instead of it"));
        }
        Value::Raw(raw) => {
            number(raw).ok_or_else(|| format!("programs read `{raw}` in two ways; write it with quotes"))?
        }
        Value::Seq(items) => list(items)?,
        Value::Map(entries) => {
            let wrap = wrap(entries.iter().map(|(_, value)| value));
            let entry = |(key, value): &(String, Value)| Ok(format!("{}: {}", text(key), wrap(literal(value)?)));
            let entries: Vec<String> = entries.iter().map(entry).collect::<Result<_, String>>()?;
            format!("{{{}}}", entries.join(", "))
        }
    })
}

/// Writes values as a CEL list.
fn list(values: &[Value]) -> Result<String, String> {
    let wrap = wrap(values.iter());
    let items: Vec<String> = values.iter().map(|value| literal(value).map(&wrap)).collect::<Result<_, String>>()?;
    Ok(format!("[{}]", items.join(", ")))
}

/// The API server accepts literals of lists and maps only with values of one type; `dyn` hides the type.
fn wrap<'v>(mut values: impl Iterator<Item = &'v Value>) -> impl Fn(String) -> String {
    let first = values.next().map(std::mem::discriminant);
    let is_nested = |value: &Value| matches!(value, Value::Seq(_) | Value::Map(_));
    let is_mixed = values.any(|value| Some(std::mem::discriminant(value)) != first || is_nested(value));
    move |text| if is_mixed { format!("dyn({text})") } else { text }
}

/// Parses a number that YAML and JSON read in the same way.
fn number(raw: &str) -> Option<String> {
    let number: serde_json::Number = raw.parse().ok()?;
    let is_float = number.is_f64();
    let text = number.to_string();
    Some(if is_float && !text.contains(['.', 'e', 'E']) { format!("{text}.0") } else { text })
}

/// CEL expression that selects a key which exists.
pub(super) fn select(base: &str, key: &str) -> String {
    if is_plain(key) { format!("{base}.{key}") } else { format!("{base}[{}]", text(key)) }
}

/// CEL expression that selects a key which may be missing, as an optional value.
pub(super) fn field(base: &str, key: &str) -> String {
    if is_plain(key) { format!("{base}.?{key}") } else { format!("{base}[?{}]", text(key)) }
}

/// True for a key that needs no quotes in CEL.
fn is_plain(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic())
        && chars.all(|rest| rest.is_ascii_alphanumeric())
        && !RESERVED.contains(&key)
}

/// Expression that is true if an optional value is a scalar, or contains all keys of a mapping.
pub(super) fn equals_expression(optional: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::Null => Ok(format!("{optional}.orValue(dyn(null)) == null")),
        Value::Map(entries) => contains(optional, entries),
        value => Ok(format!("{optional}.orValue(dyn(null)) == {}", literal(value)?)),
    }
}

/// Expression that is true if a mapping contains these entries. It may contain more: the API server adds defaults.
pub(super) fn contains(base: &str, entries: &[(String, Value)]) -> Result<String, String> {
    let all = entries.iter().map(|(key, value)| equals_expression(&field(base, key), value));
    let all: Vec<String> = all.collect::<Result<_, String>>()?;
    Ok(if all.is_empty() { "true".to_owned() } else { all.join(" && ") })
}

/// Expression that is true if a value equals any of these.
pub(super) fn one_of(value: &str, values: &[Value]) -> Result<String, String> {
    match values {
        [one] => Ok(format!("{value} == {}", literal(one)?)),
        values => Ok(format!("{value} in {}", list(values)?)),
    }
}
