//! Layout of collections: ranges of their entries, comments and style.

use super::json;
use super::lines;
use super::node::NodeRef;
use super::scalar::Quote;
use super::tree::{Kind, Style};
use super::value::Value;
use super::write::{FlowLayout, Layout};

/// A key with its value, or an element of a sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'t, 's> {
    /// `None` for an element of a sequence.
    pub(super) key: Option<NodeRef<'t, 's>>,
    pub(super) value: NodeRef<'t, 's>,
    /// Offset of the key, of its `?` or anchor, or of the dash.
    pub(super) start: usize,
    /// End of the entry's text, without trailing comment and line break.
    pub(super) end: usize,
}

impl Entry<'_, '_> {
    /// True if the entry is on a single line.
    pub(super) fn is_single_line(&self, text: &str) -> bool {
        !lines::part(text, self.start..self.end).contains(['\n', '\r'])
    }
}

/// Returns the entries of a collection in the order of the text.
pub(super) fn entries<'t, 's>(collection: NodeRef<'t, 's>) -> Vec<Entry<'t, 's>> {
    let text = collection.tree.text;
    let flow = collection.is_flow();
    let mut from = collection.span().start;
    let mut found = Vec::new();
    let mut children = collection.children();
    let mapping = matches!(collection.kind(), Kind::Mapping { .. });
    while let Some(first) = children.next() {
        let (key, value) = match mapping {
            true => match children.next() {
                Some(value) => (Some(first), value),
                None => break,
            },
            false => (None, first),
        };
        let indicator: &[u8] = if mapping { b"?" } else { b"-" };
        let sought = !flow || mapping;
        let start = sought.then(|| lines::find_outside_comments(text, from, first.start(), indicator)).flatten();
        let start = start.unwrap_or(first.start());
        let end = content_end(value).max(key.map_or(0, content_end));
        // In `{a: , b}` and `[a: , b]` the space is part of the entry, because parsers need it to read `a:` as a key.
        let blank = flow && lines::part(text, 0..end).ends_with(':') && text.as_bytes().get(end) == Some(&b' ');
        let end = if blank { end + 1 } else { end };
        from = value.span().end.max(end);
        found.push(Entry { key, value, start, end });
    }
    found
}

/// True for the pair in `[a: b]`, a mapping without braces.
pub(super) fn is_single_pair(node: NodeRef<'_, '_>) -> bool {
    let start = node.span().start;
    let key = || node.children().next().is_some_and(|key| key.start() == start);
    node.kind() == (Kind::Mapping { flow: true }) && (!node.raw().starts_with('{') || key())
}

/// True for a block collection.
pub(super) fn is_block(node: NodeRef<'_, '_>) -> bool {
    matches!(node.kind(), Kind::Sequence { flow: false } | Kind::Mapping { flow: false })
}

/// Returns the key of an empty value without a colon, anchor or tag; text cannot be inserted
/// directly after such a key.
pub(super) fn key_without_colon<'t, 's>(node: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
    let bare = node.span().is_empty() && node.start() == node.span().start;
    let mapping = node.parent().filter(|parent| bare && parent.is_mapping())?;
    let before = NodeRef { tree: node.tree, id: node.id.checked_sub(1)? };
    let key = std::iter::successors(Some(before), |node| node.parent()).find(|node| node.parent() == Some(mapping))?;
    Some(key).filter(|key| !lines::part(node.tree.text, key.span().end..node.start()).ends_with(':'))
}

/// Returns the last scalar, alias or flow collection of a node. For `? |` without a value this is the key's text.
pub(super) fn last_leaf<'t, 's>(node: NodeRef<'t, 's>) -> NodeRef<'t, 's> {
    let leaf = last_leaf_or_empty(node);
    let mut text = leaf;
    while let Some(key) = key_without_colon(text) {
        text = last_leaf_or_empty(key);
    }
    if is_block_text(text) { text } else { leaf }
}

/// Returns the last scalar, alias or flow collection of a node, including empty values.
fn last_leaf_or_empty<'t, 's>(node: NodeRef<'t, 's>) -> NodeRef<'t, 's> {
    let mut node = node;
    while is_block(node) {
        match node.last_child() {
            Some(child) => node = child,
            None => break,
        }
    }
    node
}

/// True for a block scalar (`|` or `>`).
pub(super) fn is_block_text(node: NodeRef<'_, '_>) -> bool {
    matches!(node.kind(), Kind::Scalar(Style::Literal | Style::Folded))
}

/// True if the line breaks after a node are part of its value.
pub(super) fn keeps_breaks(node: NodeRef<'_, '_>) -> bool {
    let leaf = last_leaf(node);
    let header = leaf.raw().split([' ', '\t', '#', '\n', '\r']).next().unwrap_or_default();
    is_block_text(leaf) && header.contains('+')
}

/// Returns the end of a node's text, before the final line break.
pub(super) fn content_end(node: NodeRef<'_, '_>) -> usize {
    let leaf = last_leaf(node);
    if is_block_text(leaf) {
        leaf.span().start + super::decode::block_text_end(leaf.raw(), leaf.text().unwrap_or_default())
    } else {
        leaf.span().end
    }
}

/// Returns the start of the line after an entry that ends at `end` and after the comments of the entry: lines that
/// continue its trailing comment at the same column, and lines indented deeper than `column`.
pub(super) fn line_after(text: &str, end: usize, column: usize) -> usize {
    let comment = lines::skip_blanks(text, end);
    let trailing = text.get(comment..).is_some_and(|rest| rest.starts_with('#')).then(|| lines::column(text, comment));
    let first = lines::next_line(text, end);
    let mut after = first;
    if trailing.is_some_and(|at| at > column) {
        while after < text.len() && lines::comment_column(text, after) == trailing {
            after = lines::next_line(text, after);
        }
    }
    let mut at = after;
    while at < text.len() {
        match lines::comment_column(text, at) {
            Some(found) if found > column => {
                at = lines::next_line(text, at);
                after = at;
            }
            None if lines::is_blank_line(text, at) => at = lines::next_line(text, at),
            _ => break,
        }
    }
    after
}

/// Returns the start of the comment lines directly above an entry that belong to it: not indented
/// deeper than the entry, without a blank line between, and not before `floor`.
pub(super) fn comment_block_above(text: &str, start: usize, floor: usize) -> usize {
    let column = lines::column(text, start);
    let mut top = lines::line_start(text, start);
    loop {
        let line_break = lines::break_before(text, top);
        if line_break.is_empty() {
            return top;
        }
        let above = lines::line_start(text, top - line_break.len());
        if above < floor || lines::comment_column(text, above).is_none_or(|found| found > column) {
            return top;
        }
        top = above;
    }
}

/// Returns the layout of the blocks that contain a node or are inside of it.
pub(super) fn layout(node: NodeRef<'_, '_>) -> Layout {
    let text = node.tree.text;
    let line_break = lines::break_around(text, node.span().start);
    let (mut step, mut sequence) = (None, None);
    // Children determine the layout first, then siblings, then parents.
    let mut ancestor = Some(node);
    while let Some(collection) = ancestor {
        read_child_layout(collection, &mut step, &mut sequence);
        if step.is_some() && sequence.is_some() {
            break;
        }
        // If the root is a sequence, use its column: in another text it may be the value of a key.
        if collection.parent().is_none() && collection.kind() == (Kind::Sequence { flow: false }) {
            sequence = sequence.or(Some(lines::column(text, collection.span().start)));
        }
        ancestor = collection.parent();
    }
    Layout { step: step.unwrap_or(2), sequence: sequence.unwrap_or(0), line_break }
}

/// Reads the layout from the direct children of a mapping.
fn read_child_layout(mapping: NodeRef<'_, '_>, step: &mut Option<usize>, sequence: &mut Option<usize>) {
    let text = mapping.tree.text;
    if !matches!(mapping.kind(), Kind::Mapping { flow: false }) {
        return;
    }
    let column = lines::column(text, mapping.span().start);
    for (_, value) in mapping.entries_without_aliases() {
        if !is_block(value) || !lines::starts_line(text, value.span().start) {
            continue;
        }
        let inner = lines::column(text, value.span().start);
        match value.kind() {
            Kind::Mapping { .. } if inner > column => _ = step.get_or_insert(inner - column),
            Kind::Sequence { .. } if inner >= column => _ = sequence.get_or_insert(inner - column),
            _ => {}
        }
        if step.is_some() && sequence.is_some() {
            return;
        }
    }
}

/// Returns the layout of a flow collection: JSON if all surrounding collections are JSON, or if the
/// surrounding strings are in double quotes.
pub(super) fn flow_layout(node: NodeRef<'_, '_>) -> FlowLayout {
    let text = node.tree.text;
    let mut json = json::enclosing_json(node).map(|_| true);
    let mut dense = None;
    let mut ancestor = Some(node);
    while let Some(collection) = ancestor.filter(|node| node.is_flow()) {
        let strings = collection.children().filter(|node| matches!(node.kind(), Kind::Scalar(_)));
        if json.is_some() && dense.is_some() {
            break;
        }
        for (key, value) in collection.entries_without_aliases() {
            json.get_or_insert(key.kind() == Kind::Scalar(Style::DoubleQuoted));
            let gap = lines::part(text, key.span().end..value.start());
            if !value.span().is_empty() {
                dense.get_or_insert(gap == ":");
            }
            if json.is_some() && dense.is_some() {
                break;
            }
        }
        if !matches!(collection.kind(), Kind::Mapping { .. }) {
            let style = || strings.map(NodeRef::kind).find(|&kind| kind != Kind::Scalar(Style::Plain));
            // Strings alone only suggest JSON; the surrounding keys decide. Once that is known, skip
            // the elements of a large list.
            if json.is_none()
                && (style() == Some(Kind::Scalar(Style::SingleQuoted)) || collection.children().any(is_plain_string))
            {
                json = Some(false);
            }
            let ends: Vec<usize> = collection.children().take(2).map(NodeRef::start).collect();
            if let [first, second] = ends.as_slice() {
                dense.get_or_insert(!lines::part(text, *first..*second).ends_with([' ', '\n', '\r', '\t']));
            }
        }
        ancestor = collection.parent();
    }
    // A flow collection that is the whole document and gives no other hint is written as JSON, a subset of YAML.
    FlowLayout { json: json.unwrap_or(ancestor.is_none()), dense: dense.unwrap_or(false) }
}

/// Returns the quote style shared by all strings among the elements.
pub(super) fn quote_of_elements(sequence: NodeRef<'_, '_>) -> Quote {
    let mut shared = None;
    for element in sequence.children() {
        let quote = match element.kind() {
            Kind::Scalar(Style::SingleQuoted) => Quote::Single,
            Kind::Scalar(Style::DoubleQuoted) => Quote::Double,
            _ => return Quote::Needed,
        };
        if *shared.get_or_insert(quote) != quote {
            return Quote::Needed;
        }
    }
    shared.unwrap_or(Quote::Needed)
}

/// True for a non-empty collection.
pub(super) fn is_filled(value: &Value) -> bool {
    match value {
        Value::Seq(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        _ => false,
    }
}

fn is_plain_string(node: NodeRef<'_, '_>) -> bool {
    node.kind() == Kind::Scalar(Style::Plain) && super::resolve::is_string(node.raw())
}
