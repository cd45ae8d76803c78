//! Conversion of nodes to values, to copy them to another document.

use super::go_number::go_int;
use super::node::NodeRef;
use super::resolve;
use super::scalar::{self, Quote, Surroundings};
use super::shape;
use super::tree::{Kind, Style};
use super::value::Value;

impl NodeRef<'_, '_> {
    /// Converts the node to a value, with aliases and merge keys followed. `None` if a key is a collection.
    ///
    /// ```
    /// use lossless_yaml::{Tree, Value};
    /// let tree = Tree::parse("a: &a {cpu: 0.5, name: '8080'}\nb:\n  <<: *a\n  port: ${PORT}\n  on: \"true\"\n").unwrap();
    /// let b = tree.root(0).unwrap().get("b").unwrap().to_value().unwrap();
    /// assert_eq!(b, Value::Map(vec![
    ///     ("port".into(), Value::Raw("${PORT}".into())),
    ///     ("on".into(), "true".into()),
    ///     ("cpu".into(), Value::Raw("0.5".into())),
    ///     ("name".into(), "8080".into()),
    /// ]));
    /// let tagged = Tree::parse("[!!str 12, !!int '12', !!float 0.5, !mine 12]").unwrap();
    /// let values = vec!["12".into(), Value::Int(12), Value::Raw("0.5".into()), "12".into()];
    /// assert_eq!(tagged.root(0).unwrap().to_value(), Some(Value::Seq(values)));
    /// ```
    pub fn to_value(self) -> Option<Value> {
        copy(self)
    }
}

/// Converts a node and its children to a value.
fn copy(node: NodeRef<'_, '_>) -> Option<Value> {
    if node.is_sequence() {
        return node.items().map(copy).collect::<Option<_>>().map(Value::Seq);
    }
    if node.is_mapping() {
        let mut entries: Vec<(String, Value)> = Vec::new();
        for (key, value) in node.entries() {
            entries.push((key.text()?.to_owned(), copy(value)?));
        }
        return Some(Value::Map(entries));
    }
    Some(copy_scalar(node.resolved()))
}

fn copy_scalar(node: NodeRef<'_, '_>) -> Value {
    let text = node.text().unwrap_or_default();
    let one_line = !node.raw().contains(['\n', '\r']) && !shape::is_block_text(node);
    if node.is_tagged() {
        copy_tagged(node, text)
    } else if let Some(number) = node.as_int() {
        Value::Int(number)
    } else if let Some(value) = node.as_bool() {
        Value::Bool(value)
    } else if node.is_null() {
        Value::Null
    } else if one_line
        && (text.contains("${") || (node.kind() == Kind::Scalar(Style::Plain) && !resolve::is_string(node.raw())))
    {
        // JSON has escapes that YAML parsers do not support.
        let of_json = node.tree().is_json() && node.kind() == Kind::Scalar(Style::DoubleQuoted);
        Value::Raw(if of_json {
            scalar::string(text, Surroundings::Json, Quote::Double)
        } else {
            node.raw().to_owned()
        })
    } else {
        Value::Str(text.to_owned())
    }
}

/// Converts a scalar with a tag: to the type of a standard YAML tag, otherwise to a string.
///
/// Source: go.yaml.in/yaml/v3@v3.0.4 `decode.go`, `scalar`; `resolve.go`, `resolve`.
fn copy_tagged(node: NodeRef<'_, '_>, text: &str) -> Value {
    let typed = match node.yaml_tag() {
        // JSON does not distinguish 8443.0 from 8443.
        Some("int" | "float") => go_int(text).map(Value::Int),
        Some("bool") => match text {
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            _ => None,
        },
        Some("null") => Some(Value::Null),
        _ => return Value::from(text),
    };
    let is_number = node.yaml_tag() == Some("float") && !text.contains(['\n', '\r', ' ']);
    typed.unwrap_or_else(|| if is_number { Value::Raw(text.to_owned()) } else { Value::from(text) })
}
