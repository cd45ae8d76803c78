//! Values as text: blocks, flow collections, whole documents.

use super::scalar::{self, Quote, Surroundings};
use super::value::Value;

/// Style of the blocks around new text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Indentation of a nested mapping.
    pub(super) step: usize,
    /// Indentation of a sequence relative to its key; 0 is kustomize's compact style.
    pub(super) sequence: usize,
    pub(super) line_break: &'static str,
}

impl Default for Layout {
    fn default() -> Self {
        Self { step: 2, sequence: 0, line_break: "\n" }
    }
}

impl Layout {
    /// A line break and an indentation.
    pub(super) fn new_line(&self, column: usize) -> String {
        format!("{}{}", self.line_break, " ".repeat(column))
    }

    /// Adds a line break and an indentation.
    fn push_line(&self, out: &mut String, column: usize) {
        out.push_str(self.line_break);
        push_blanks(out, column);
    }

    /// Returns the column of a collection that is the value of a key at `column`.
    pub(super) fn column_below(&self, value: &Value, column: usize) -> usize {
        column + if matches!(value, Value::Seq(_)) { self.sequence } else { self.step }
    }
}

/// Adds blanks.
fn push_blanks(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Formats `key: value` with the key at `column`. The first line is not indented; the last has no line break.
pub(super) fn entry(key: &str, value: &Value, column: usize, layout: &Layout) -> String {
    let mut out = String::new();
    push_entry(&mut out, key, value, column, layout);
    out
}

/// Formats `- value` with the dash at `column` and the value `gap` columns to its right.
pub(super) fn item(value: &Value, column: usize, gap: usize, quote: Quote, layout: &Layout) -> String {
    let mut out = String::new();
    push_item(&mut out, value, column, gap, quote, layout);
    out
}

/// Formats a value as a block with its first character at `column`.
pub(super) fn block(value: &Value, column: usize, layout: &Layout) -> String {
    let mut out = String::new();
    push_block(&mut out, value, column, layout);
    out
}

/// Adds an entry of a block mapping.
fn push_entry(out: &mut String, key: &str, value: &Value, column: usize, layout: &Layout) {
    scalar::push_string(out, key, Surroundings::Block, Quote::Needed);
    out.push(':');
    if is_inline(value) {
        out.push(' ');
    } else {
        layout.push_line(out, layout.column_below(value, column));
    }
    push_block(out, value, layout.column_below(value, column), layout);
}

/// Adds an element of a block sequence, `gap` blanks after its dash.
fn push_item(out: &mut String, value: &Value, column: usize, gap: usize, quote: Quote, layout: &Layout) {
    out.push('-');
    push_blanks(out, gap);
    match value {
        Value::Str(text) => scalar::push_string(out, text, Surroundings::Block, quote),
        _ => push_block(out, value, column + 1 + gap, layout),
    }
}

/// Adds a value in block style.
fn push_block(out: &mut String, value: &Value, column: usize, layout: &Layout) {
    match value {
        Value::Seq(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                if index > 0 {
                    layout.push_line(out, column);
                }
                push_item(out, value, column, 1, Quote::Needed, layout);
            }
        }
        Value::Map(entries) if !entries.is_empty() => {
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    layout.push_line(out, column);
                }
                push_entry(out, key, value, column, layout);
            }
        }
        _ => scalar::push_inline(out, value, Surroundings::Block, Quote::Needed),
    }
}

/// True if a value fits on its key's line: a scalar or an empty collection.
fn is_inline(value: &Value) -> bool {
    match value {
        Value::Seq(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => true,
    }
}

/// Style of the flow collections around new text.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowLayout {
    pub(super) json: bool,
    /// True if no space follows colons and commas.
    pub(super) dense: bool,
}

impl FlowLayout {
    /// Position of a value, which limits its scalar styles.
    fn surroundings(self) -> Surroundings {
        if self.json { Surroundings::Json } else { Surroundings::Flow }
    }

    /// Separator between entries.
    pub(super) fn comma(self) -> &'static str {
        if self.dense { "," } else { ", " }
    }
}

/// Formats `key: value` for a flow mapping.
pub(super) fn flow_entry(key: &str, value: &Value, layout: FlowLayout) -> String {
    format!("{}{}", flow_key(key, layout), flow(value, Quote::Needed, layout))
}

/// Formats a key with its colon for a flow mapping.
pub(super) fn flow_key(key: &str, layout: FlowLayout) -> String {
    let key = scalar::string(key, layout.surroundings(), Quote::Needed);
    // After an unquoted key the colon needs a space.
    let colon = if layout.dense && layout.json { ":" } else { ": " };
    format!("{key}{colon}")
}

/// Formats a value in flow style, on one line.
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
        _ => scalar::inline(value, layout.surroundings(), quote).unwrap_or_default(),
    }
}

/// Formats a value in flow style on one line, for messages with YAML to paste.
///
/// ```
/// use lossless_yaml::Value;
/// let value = Value::Map(vec![("names".into(), Value::Seq(vec!["web*".into(), "*".into()]))]);
/// assert_eq!(lossless_yaml::one_line(&value), "{names: [web*, \"*\"]}");
/// ```
pub fn one_line(value: &Value) -> String {
    flow(value, Quote::Needed, FlowLayout { json: false, dense: false })
}

/// Formats a value as a YAML document in the style of kustomize: indentation of two spaces, compact lists.
///
/// ```
/// use lossless_yaml::Value;
/// let value = Value::Map(vec![
///     ("kind".into(), "Service".into()),
///     ("ports".into(), Value::Seq(vec![Value::Map(vec![("port".into(), Value::Int(443)), ("name".into(), "8080".into())])])),
///     ("empty".into(), Value::Map(vec![])),
/// ]);
/// assert_eq!(lossless_yaml::document(&value), "kind: Service\nports:\n- port: 443\n  name: \"8080\"\nempty: {}\n");
/// ```
pub fn document(value: &Value) -> String {
    let mut text = block(value, 0, &Layout::default());
    text.push('\n');
    text
}

/// Appends an element of a block sequence to a text, with the dash at `column` and a final line break.
///
/// ```
/// use lossless_yaml::Value;
/// let mut text = "results:\n".to_owned();
/// let result = Value::Map(vec![("message".into(), "a: b".into()), ("severity".into(), "info".into())]);
/// lossless_yaml::push_element(&mut text, &result, 2, "\n");
/// assert_eq!(text, "results:\n  - message: \"a: b\"\n    severity: info\n");
/// ```
pub fn push_element(text: &mut String, value: &Value, column: usize, line_break: &'static str) {
    let layout = Layout { line_break, ..Layout::default() };
    push_blanks(text, column);
    push_item(text, value, column, 1, Quote::Needed, &layout);
    text.push_str(line_break);
}
