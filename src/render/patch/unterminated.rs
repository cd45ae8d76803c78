//! Block scalars at the end of a text without a final line break. kustomize and Flux then read the scalar without a
//! line break; this program's parser adds one.

use lossless_yaml::{Kind, NodeRef, Style, Value};

/// Text of a scalar as Go's YAML parser reads it.
pub(super) fn text<'t>(node: NodeRef<'t, '_>) -> Option<&'t str> {
    let text = node.text()?;
    Some(if is_cut(node.resolved()) { text.strip_suffix('\n').unwrap_or(text) } else { text })
}

/// Returns `value`, which is the value of a node or its replacement, as Go's YAML parser reads it.
pub(super) fn value(node: NodeRef<'_, '_>, value: Value) -> Value {
    let node = node.resolved();
    if is_ended(node) {
        return value;
    }
    match value {
        Value::Str(text) if is_cut(node) => Value::Str(text.strip_suffix('\n').unwrap_or(&text).to_owned()),
        Value::Seq(items) if node.is_sequence() => {
            let mut nodes = node.items();
            let own = |item| match nodes.next() {
                Some(node) => self::value(node, item),
                None => item,
            };
            Value::Seq(items.into_iter().map(own).collect())
        }
        Value::Map(entries) if node.is_mapping() => {
            let own = |(key, value): (String, Value)| match node.get(&key) {
                Some(node) => (key, self::value(node, value)),
                None => (key, value),
            };
            Value::Map(entries.into_iter().map(own).collect())
        }
        value => value,
    }
}

/// True if the document's last line ends with a line break.
fn is_ended(node: NodeRef<'_, '_>) -> bool {
    let text = node.tree().text();
    text.is_empty() || text.ends_with(['\n', '\r'])
}

/// True if the node is a block scalar that ends the document without a line break.
fn is_cut(node: NodeRef<'_, '_>) -> bool {
    let block = matches!(node.kind(), Kind::Scalar(Style::Literal | Style::Folded));
    if !block || is_ended(node) || node.span().end < node.tree().text().len() {
        return false;
    }
    let line = |text: &str| text.rsplit(['\n', '\r']).next().unwrap_or_default().to_owned();
    // Spaces count as a line if they are indented deeper than the text.
    let is_blank = |line: &str| line.trim_matches(' ').is_empty();
    let own = node.text().map(|text| line(text.strip_suffix('\n').unwrap_or(text))).unwrap_or_default();
    !is_blank(&line(node.raw())) || (is_blank(&own) && !own.is_empty())
}
