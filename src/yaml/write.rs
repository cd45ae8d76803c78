//! Values as text: blocks, flow collections, whole documents.

use super::scalar::{self, Quote, Surroundings};
use super::value::Value;

/// How the surroundings of something new are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// How much deeper a nested mapping stands.
    pub(super) step: usize,
    /// How much deeper than its key a sequence stands; 0 is kustomize's compact style.
    pub(super) sequence: usize,
    pub(super) line_break: &'static str,
}

impl Default for Layout {
    fn default() -> Self {
        Self { step: 2, sequence: 0, line_break: "\n" }
    }
}

impl Layout {
    pub(super) fn new_line(&self, column: usize) -> String {
        format!("{}{}", self.line_break, " ".repeat(column))
    }

    /// The column of a collection that is the value of a key at `column`.
    pub(super) fn column_below(&self, value: &Value, column: usize) -> usize {
        column + if matches!(value, Value::Seq(_)) { self.sequence } else { self.step }
    }
}

/// `key: value`, the key at `column`; later lines are indented, the first is not, the last has no break.
pub(super) fn entry(key: &str, value: &Value, column: usize, layout: &Layout) -> String {
    let key = scalar::string(key, Surroundings::Block, Quote::Needed);
    match scalar::inline(value, Surroundings::Block, Quote::Needed) {
        Some(text) => format!("{key}: {text}"),
        None => format!("{key}:{}", below(value, column, layout)),
    }
}

/// A non-empty collection on the lines below its key, from the break on.
pub(super) fn below(value: &Value, column: usize, layout: &Layout) -> String {
    let column = layout.column_below(value, column);
    format!("{}{}", layout.new_line(column), block(value, column, layout))
}

/// `- value`, the dash at `column` and the value `gap` columns behind it.
pub(super) fn item(value: &Value, column: usize, gap: usize, quote: Quote, layout: &Layout) -> String {
    let text = match scalar::inline(value, Surroundings::Block, quote) {
        Some(text) => text,
        None => block(value, column + 1 + gap, layout),
    };
    format!("-{}{text}", " ".repeat(gap))
}

/// A value as a block whose first character stands at `column`.
pub(super) fn block(value: &Value, column: usize, layout: &Layout) -> String {
    let parts: Vec<String> = match value {
        Value::Seq(items) if !items.is_empty() => {
            items.iter().map(|value| item(value, column, 1, Quote::Needed, layout)).collect()
        }
        Value::Map(entries) if !entries.is_empty() => {
            entries.iter().map(|(key, value)| entry(key, value, column, layout)).collect()
        }
        _ => scalar::inline(value, Surroundings::Block, Quote::Needed).into_iter().collect(),
    };
    parts.join(&layout.new_line(column))
}

/// How flow collections around something new are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowLayout {
    pub(super) json: bool,
    /// No blank behind colons and commas.
    pub(super) dense: bool,
}

impl FlowLayout {
    fn around(self) -> Surroundings {
        if self.json { Surroundings::Json } else { Surroundings::Flow }
    }

    pub(super) fn comma(self) -> &'static str {
        if self.dense { "," } else { ", " }
    }
}

/// `key: value` inside of braces.
pub(super) fn flow_entry(key: &str, value: &Value, layout: FlowLayout) -> String {
    let key = scalar::string(key, layout.around(), Quote::Needed);
    // Without quotes a colon needs a blank behind it.
    let colon = if layout.dense && layout.json { ":" } else { ": " };
    format!("{key}{colon}{}", flow(value, Quote::Needed, layout))
}

/// A value in flow style, on one line.
pub(super) fn flow(value: &Value, quote: Quote, layout: FlowLayout) -> String {
    match value {
        Value::Seq(items) => {
            let items: Vec<String> = items.iter().map(|item| flow(item, quote, layout)).collect();
            format!("[{}]", items.join(layout.comma()))
        }
        Value::Map(entries) => {
            let entries: Vec<String> = entries.iter().map(|(key, value)| flow_entry(key, value, layout)).collect();
            format!("{{{}}}", entries.join(layout.comma()))
        }
        _ => scalar::inline(value, layout.around(), quote).unwrap_or_default(),
    }
}

/// A value as a YAML document of its own, in the style of kustomize: two blanks, compact lists.
///
/// ```
/// use hostnet::yaml::{self, Value};
/// let value = Value::Map(vec![
///     ("kind".into(), "Service".into()),
///     ("ports".into(), Value::Seq(vec![Value::Map(vec![("port".into(), Value::Int(443)), ("name".into(), "8080".into())])])),
///     ("empty".into(), Value::Map(vec![])),
/// ]);
/// assert_eq!(yaml::document(&value), "kind: Service\nports:\n- port: 443\n  name: \"8080\"\nempty: {}\n");
/// ```
#[must_use]
pub fn document(value: &Value) -> String {
    let mut text = block(value, 0, &Layout::default());
    text.push('\n');
    text
}
