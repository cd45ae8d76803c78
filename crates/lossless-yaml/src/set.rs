//! Replacement of a node's value.

use super::draft::Drafts;
use super::lines;
use super::node::NodeRef;
use super::op::EditError;
use super::path::Path;
use super::rewrite::Scalar;
use super::scalar::{self, Quote, Surroundings};
use super::shape;
use super::tree::{Kind, Style};
use super::value::Value;
use super::write;

/// Container of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// A key of a block mapping at this column.
    Key(usize),
    /// A dash at this column.
    Dash(usize),
    /// The document.
    Root,
}

/// Replaces the value of a node. `replaced` is true if the whole value is replaced, false if only its last entry is
/// removed.
pub(super) fn set<'t, 's>(
    drafts: &mut Drafts<'t, 's>,
    node: NodeRef<'t, 's>,
    value: &Value,
    path: &Path,
    replaced: bool,
) -> Result<(), EditError> {
    let refuse = |why| Err(EditError::Unsupported { path: path.clone(), line: node.tree.line(node.start()), why });
    if node.is_tagged() && !fits_tag(node, value) {
        return refuse("its tag sets the type of its value");
    }
    if *value == Value::Null && node.is_null() {
        return Ok(());
    }
    let in_flow = node.parent().is_some_and(NodeRef::is_flow);
    if let Some(key) = shape::key_without_colon(node) {
        if !in_flow {
            return refuse("it is a `?` key without a `:`");
        }
        let with_anchor = lines::part(node.tree.text, key.start()..key.span().end);
        if with_anchor.contains(['\n', '\r']) {
            return refuse("its key has several lines, which Go's YAML reader accepts only without a value");
        }
        let text = write::flow(value, Quote::Needed, shape::flow_layout(node.parent().unwrap_or(node)));
        drafts.replace(node.span(), format!(": {text}"));
        return Ok(());
    }
    if in_flow || (node.is_flow() && node.parent().is_none()) {
        set_in_flow(drafts, node, value);
        return Ok(());
    }
    // Computed on demand: replacing a scalar by a scalar needs no layout, and a large mapping takes long to examine.
    let layout = || shape::layout(node);
    match (shape::is_block(node), scalar::inline(value, Surroundings::Block, Quote::Needed)) {
        (false, Some(text)) => set_inline(drafts, node, value, &text, Surroundings::Block),
        (false, None) => open(drafts, node, value, &layout()),
        (true, Some(text)) => close(drafts, node, &text, replaced),
        (true, None) => reopen(drafts, node, value, &layout(), replaced),
    }
    Ok(())
}

/// True if the value has the type of the node's explicit tag; false for tags without a listed type.
fn fits_tag(node: NodeRef<'_, '_>, value: &Value) -> bool {
    match node.tag() {
        "!" | "!!str" => matches!(value, Value::Str(_)),
        "!!int" => matches!(value, Value::Int(_)),
        "!!bool" => matches!(value, Value::Bool(_)),
        "!!map" => matches!(value, Value::Map(_)),
        "!!seq" => matches!(value, Value::Seq(_)),
        _ => false,
    }
}

/// Replaces a single-line value by another value.
fn set_inline(
    drafts: &mut Drafts<'_, '_>,
    node: NodeRef<'_, '_>,
    value: &Value,
    text: &str,
    surroundings: Surroundings,
) {
    let span = node.span();
    let Kind::Scalar(style) = node.kind() else {
        drafts.replace(span, text);
        return;
    };
    // Search the line break only for block scalars: any other scalar may be on one very long line.
    let line_break = match style {
        Style::Literal | Style::Folded => lines::break_around(drafts.text, span.start),
        _ => "\n",
    };
    let old = Scalar { raw: node.raw(), style, value: node.text().unwrap_or_default(), surroundings, line_break };
    let (range, text) = match value {
        Value::Str(new) => old.replace(new),
        _ => (0..old.end(), format!("{text}{}", old.header_comment())),
    };
    // An empty scalar directly follows its colon, dash or anchor.
    let glue = span.is_empty() && style == Style::Plain && !text.is_empty() && !ends_blank(drafts.text, span.start);
    let text = if glue { format!(" {text}") } else { text };
    drafts.replace(span.start + range.start..span.start + range.end, text);
}

/// True if the text before the offset is empty or ends with white space.
fn ends_blank(text: &str, at: usize) -> bool {
    let before = lines::part(text, 0..at);
    before.is_empty() || before == "\u{feff}" || before.ends_with([' ', '\t', '\n', '\r'])
}

fn set_in_flow(drafts: &mut Drafts<'_, '_>, node: NodeRef<'_, '_>, value: &Value) {
    let layout = shape::flow_layout(node.parent().unwrap_or(node));
    let text = write::flow(value, Quote::Needed, layout);
    let surroundings = if layout.json { Surroundings::Json } else { Surroundings::Flow };
    set_inline(drafts, node, value, &text, surroundings);
}

/// Position of the node: the whole document, or after a key or a dash at a column.
fn holder(node: NodeRef<'_, '_>) -> Holder {
    let text = node.tree.text;
    match node.parent() {
        Some(parent) => {
            let column = lines::column(text, parent.span().start);
            if matches!(parent.kind(), Kind::Mapping { .. }) { Holder::Key(column) } else { Holder::Dash(column) }
        }
        None => Holder::Root,
    }
}

/// Replaces a scalar, an alias or a flow collection by a filled block collection, on the lines below the key or after
/// the dash.
fn open(drafts: &mut Drafts<'_, '_>, node: NodeRef<'_, '_>, value: &Value, layout: &write::Layout) {
    let text = drafts.text;
    let span = node.span().start..shape::content_end(node);
    let depth = std::iter::successors(node.parent(), |node| node.parent()).count();
    let plain = node.start() == span.start;
    let header = node.raw().get(..lines::line_end(node.raw(), 0)).unwrap_or_default();
    let header_comment = header.find([' ', '\t']).filter(|_| shape::is_block_text(node));
    let alone = header_comment.is_none() && lines::skip_blanks(text, span.end) == lines::line_end(text, span.end);
    let column = match holder(node) {
        Holder::Dash(column) if plain && alone => {
            let glue = if span.is_empty() && !ends_blank(text, span.start) { " " } else { "" };
            let column = if span.is_empty() { column + 2 } else { lines::column(text, span.start) };
            drafts.replace(span, format!("{glue}{}", write::block(value, column, layout)));
            return;
        }
        Holder::Root if plain && lines::starts_line(text, span.start) && !span.is_empty() => {
            let column = lines::column(text, span.start);
            drafts.replace(span, write::block(value, column, layout));
            return;
        }
        Holder::Dash(column) => column + 2,
        Holder::Key(column) => layout.column_below(value, column),
        Holder::Root => 0,
    };
    let own_line = alone && lines::starts_line(text, span.start);
    if let Some(comment) = header_comment {
        // The comment of the block scalar header stays on the key's line.
        drafts.replace(span.start..span.start + comment + 1, "");
        drafts.replace(span.start + header.len()..span.end, "");
    } else if own_line && !span.is_empty() {
        // The empty collection `{}` is on a separate line below its key or anchor: remove that
        // line.
        drafts.remove_lines(lines::line_start(text, span.start)..lines::next_line(text, span.end));
    } else if !span.is_empty() {
        let blank = usize::from(lines::part(text, 0..span.start).ends_with([' ', '\t']));
        // Leave no trailing spaces; a comment moves to the start of the replaced text.
        let after = lines::skip_blanks(text, span.end);
        let all = alone || lines::starts_line(text, span.start);
        // Go's YAML parser rejects a tab after a dash.
        let tab = !all && lines::part(text, span.end..after).contains('\t');
        let end = if all || tab { after } else { span.end };
        drafts.replace(span.start - blank..end, if tab { " " } else { "" });
    }
    let block = format!("{}{}{}", " ".repeat(column), write::block(value, column, layout), layout.line_break);
    drafts.insert_lines(lines::next_line(text, span.end), block, depth);
}

/// Returns the end of the last line (without line break) of a block and its comments: comments
/// indented deeper than the block and, if the whole block is `replaced`, deeper than its container.
fn block_end(node: NodeRef<'_, '_>, replaced: bool) -> usize {
    let text = node.tree.text;
    let column = match holder(node) {
        Holder::Key(column) | Holder::Dash(column) if replaced => column,
        _ => lines::column(text, node.span().start),
    };
    let after = shape::line_after(text, shape::content_end(node), column);
    after - lines::break_before(text, after).len()
}

/// Replaces a block by a single-line value.
fn close(drafts: &mut Drafts<'_, '_>, node: NodeRef<'_, '_>, new: &str, replaced: bool) {
    let text = drafts.text;
    let start = node.span().start;
    let end = block_end(node, replaced);
    if !lines::starts_line(text, start) {
        // After the dash.
        drafts.replace(start..end, new);
        return;
    }
    // Move the value up to its container: after the colon, the dash, or the anchor and tag.
    let Some(head) = head(node) else {
        drafts.replace(start..end, new);
        return;
    };
    let blanks = lines::skip_blanks(text, head);
    let comment = text.get(blanks..).is_some_and(|rest| rest.starts_with('#'));
    let at = if comment { head } else { blanks };
    drafts.replace(at..at, format!(" {new}"));
    drafts.remove_lines(lines::line_start(text, start)..lines::next_line(text, end));
}

/// Returns the end of the colon, dash, anchor or tag before a block that starts on a new line.
fn head(node: NodeRef<'_, '_>) -> Option<usize> {
    if let Some(end) = node.properties_end() {
        return Some(end);
    }
    let parent = node.parent()?;
    let entries = shape::entries(parent);
    let entry = entries.iter().find(|entry| entry.value == node)?;
    let (from, indicator): (usize, &[u8]) = match entry.key {
        Some(key) => (key.span().end, b":"),
        None => (entry.start, b"-"),
    };
    lines::find_outside_comments(node.tree.text, from, node.start(), indicator).map(|at| at + 1)
}

/// Replaces a block by a filled collection, at the same column if both are of the same kind.
fn reopen(drafts: &mut Drafts<'_, '_>, node: NodeRef<'_, '_>, value: &Value, layout: &write::Layout, replaced: bool) {
    let text = drafts.text;
    let start = node.span().start;
    let end = block_end(node, replaced);
    let same =
        matches!((node.kind(), value), (Kind::Mapping { .. }, Value::Map(_)) | (Kind::Sequence { .. }, Value::Seq(_)));
    if !lines::starts_line(text, start) {
        drafts.replace(start..end, write::block(value, lines::column(text, start), layout));
        return;
    }
    let column = match holder(node) {
        Holder::Key(column) if !same => layout.column_below(value, column),
        _ => lines::column(text, start),
    };
    let block = format!("{}{}", " ".repeat(column), write::block(value, column, layout));
    drafts.replace(lines::line_start(text, start)..end, block);
}
