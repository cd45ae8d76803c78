//! Layouts of JSON for generated inputs, and readers for the output.

use serde::{Deserialize as _, Serialize as _};
use serde_json::Value;

/// Layout of one JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Without any white space.
    Dense,
    /// On one line, with spaces after colons and commas.
    Line,
    /// On several lines, with this indentation.
    Pretty(&'static str),
    /// Like `Pretty`, with commas at the start of lines.
    LeadingCommas,
    /// Like `Pretty`, with CRLF.
    Crlf,
}

pub(crate) const ALL: [Layout; 7] = [
    Layout::Dense,
    Layout::Line,
    Layout::Pretty("  "),
    Layout::Pretty("    "),
    Layout::Pretty("\t"),
    Layout::LeadingCommas,
    Layout::Crlf,
];

impl Layout {
    pub(crate) fn write(self, value: &Value) -> String {
        match self {
            Self::Dense => value.to_string(),
            Self::Line => line(value),
            Self::Pretty(indent) => pretty(value, indent),
            // A comma at the end of a line is never part of a string: JSON strings contain no line breaks.
            Self::LeadingCommas => {
                let text = pretty(value, "  ");
                let mut lines: Vec<String> = Vec::new();
                let mut comma = false;
                for line in text.lines() {
                    let (blanks, body) = line.split_at(line.len() - line.trim_start().len());
                    let body = body.strip_suffix(',').unwrap_or(body);
                    lines.push(format!("{blanks}{}{body}", if comma { ", " } else { "" }));
                    comma = line.ends_with(',');
                }
                lines.join("\n")
            }
            Self::Crlf => pretty(value, "  ").replace('\n', "\r\n"),
        }
    }
}

fn pretty(value: &Value, indent: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter)).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn line(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), line(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(line).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

/// Form of several values in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    ResourceList,
    List,
    /// One value after the other.
    Values,
    /// Separated by `---`.
    Stream,
    /// As one array, as `jq -s` prints it.
    Array,
}

pub(crate) const FORMS: [Form; 5] = [Form::ResourceList, Form::List, Form::Values, Form::Stream, Form::Array];

impl Form {
    pub(crate) fn write(self, objects: &[Value], layout: Layout) -> String {
        let list = |kind: &str| {
            let version = if kind == "List" { "v1" } else { "config.kubernetes.io/v1" };
            layout.write(&serde_json::json!({"apiVersion": version, "kind": kind, "items": objects}))
        };
        let each = |between: &str| objects.iter().map(|object| layout.write(object)).collect::<Vec<_>>().join(between);
        let line_break = if layout == Layout::Crlf { "\r\n" } else { "\n" };
        match self {
            Self::ResourceList => list("ResourceList"),
            Self::List => list("List"),
            Self::Values => each(line_break),
            Self::Stream => each(&format!("{line_break}---{line_break}")),
            Self::Array => layout.write(&Value::Array(objects.to_vec())),
        }
    }

    /// Reads the objects of a text in this form; an error if it is not JSON.
    pub(crate) fn read(self, text: &str) -> Result<Vec<Value>, String> {
        let text = text.trim_start_matches('\u{feff}');
        match self {
            Self::ResourceList | Self::List => {
                let list = single_value(text)?;
                Ok(list["items"].as_array().ok_or("no items")?.clone())
            }
            Self::Values => all(text),
            // No line of JSON starts with dashes, so splitting at them is safe.
            Self::Stream => {
                let mut values = Vec::new();
                for part in text.split("\n---").map(|part| part.trim_start_matches("---")) {
                    values.extend(all(part)?);
                }
                Ok(values)
            }
            Self::Array => single_value(text)?.as_array().cloned().ok_or_else(|| "no array".to_owned()),
        }
    }
}

fn all(text: &str) -> Result<Vec<Value>, String> {
    serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())
}

fn single_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Returns the items if the only value is a `List`: a single JSON object becomes a `List` when objects are added.
pub(crate) fn of_list(values: Vec<Value>) -> Vec<Value> {
    match values.as_slice() {
        [list] if list["kind"] == "List" => list["items"].as_array().cloned().unwrap_or_default(),
        _ => values,
    }
}

/// Reads YAML documents as JSON values; an error if `serde_yaml` rejects the text or JSON cannot represent it.
pub(crate) fn of_yaml(text: &str) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text.trim_start_matches('\u{feff}')) {
        let mut value = serde_yaml::Value::deserialize(document).map_err(|error| error.to_string())?;
        value.apply_merge().map_err(|error| error.to_string())?;
        let value = serde_json::to_value(value).map_err(|error| error.to_string())?;
        values.extend(Some(value).filter(|value| !value.is_null()));
    }
    Ok(values)
}
