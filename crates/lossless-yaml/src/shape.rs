//! How a collection is written: where its entries start and end, and what its neighbours do.

use super::json;
use super::lines;
use super::node::NodeRef;
use super::scalar::Quote;
use super::tree::{Kind, Style};
use super::value::Value;
use super::write::{FlowLayout, Layout};

/// A key with its value, or an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'t, 's> {
    /// None for an element.
    pub(super) key: Option<NodeRef<'t, 's>>,
    pub(super) value: NodeRef<'t, 's>,
    /// Where the key, its `?`, its anchor, or the dash starts.
    pub(super) start: usize,
    /// Where its text ends, trailing comment and break not included.
    pub(super) end: usize,
}

impl Entry<'_, '_> {
    /// Whether it stands on one line.
    pub(super) fn is_single_line(&self, text: &str) -> bool {
        !lines::part(text, self.start..self.end).contains(['\n', '\r'])
    }
}

/// The entries of a collection in the order of the text.
pub(super) fn entries<'t, 's>(collection: NodeRef<'t, 's>) -> Vec<Entry<'t, 's>> {
    let text = collection.tree.text;
    let flow = is_flow(collection);
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
        // `{a: , b}` and `[a: , b]`: the blank is part of what makes `a:` a key for every reader.
        let blank = flow && lines::part(text, 0..end).ends_with(':') && text.as_bytes().get(end) == Some(&b' ');
        let end = if blank { end + 1 } else { end };
        from = value.span().end.max(end);
        found.push(Entry { key, value, start, end });
    }
    found
}

/// Whether a node is a flow collection, or the pair in `[a: b]`.
pub(super) fn is_flow(node: NodeRef<'_, '_>) -> bool {
    matches!(node.kind(), Kind::Sequence { flow: true } | Kind::Mapping { flow: true })
}

/// Whether a node is the pair in `[a: b]`: it has no braces of its own.
pub(super) fn is_single_pair(node: NodeRef<'_, '_>) -> bool {
    let start = node.span().start;
    let key = || node.children().next().is_some_and(|key| key.start() == start);
    node.kind() == (Kind::Mapping { flow: true }) && (!node.raw().starts_with('{') || key())
}

/// Whether a node is a collection written as a block.
pub(super) fn is_block(node: NodeRef<'_, '_>) -> bool {
    matches!(node.kind(), Kind::Sequence { flow: false } | Kind::Mapping { flow: false })
}

/// The key of an empty value that no colon stands before, nor properties: text cannot follow at once.
pub(super) fn key_without_colon<'t, 's>(node: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
    let bare = node.span().is_empty() && node.start() == node.span().start;
    let mapping = node.parent().filter(|parent| bare && parent.is_mapping())?;
    let before = NodeRef { tree: node.tree, id: node.id.checked_sub(1)? };
    let key = std::iter::successors(Some(before), |node| node.parent()).find(|node| node.parent() == Some(mapping))?;
    Some(key).filter(|key| !lines::part(node.tree.text, key.span().end..node.start()).ends_with(':'))
}

/// The last scalar, alias or flow collection of a node. Where it ends with `? |` and no value, that is the text of the key.
pub(super) fn last_leaf<'t, 's>(node: NodeRef<'t, 's>) -> NodeRef<'t, 's> {
    let leaf = last_written(node);
    let mut text = leaf;
    while let Some(key) = key_without_colon(text) {
        text = last_written(key);
    }
    if is_block_text(text) { text } else { leaf }
}

/// The last scalar, alias or flow collection, an empty value too.
fn last_written<'t, 's>(node: NodeRef<'t, 's>) -> NodeRef<'t, 's> {
    let mut node = node;
    while is_block(node) {
        match node.last_child() {
            Some(child) => node = child,
            None => break,
        }
    }
    node
}

/// Whether a node is a text in a block: `|` or `>`.
pub(super) fn is_block_text(node: NodeRef<'_, '_>) -> bool {
    matches!(node.kind(), Kind::Scalar(Style::Literal | Style::Folded))
}

/// Whether the line breaks behind a node belong to it.
pub(super) fn keeps_breaks(node: NodeRef<'_, '_>) -> bool {
    let leaf = last_leaf(node);
    let header = leaf.raw().split([' ', '\t', '#', '\n', '\r']).next().unwrap_or_default();
    is_block_text(leaf) && header.contains('+')
}

/// Where the text of a node ends: before the break of its last line.
pub(super) fn content_end(node: NodeRef<'_, '_>) -> usize {
    let leaf = last_leaf(node);
    if is_block_text(leaf) {
        leaf.span().start + super::decode::block_text_end(leaf.raw(), leaf.text().unwrap_or_default())
    } else {
        leaf.span().end
    }
}

/// The start of the line behind an entry that ends at `end`, and behind the comments that belong to it: those that
/// continue its trailing comment at the same column, and those deeper than `column`.
pub(super) fn line_behind(text: &str, end: usize, column: usize) -> usize {
    let comment = lines::skip_blanks(text, end);
    let trailing = text.get(comment..).is_some_and(|rest| rest.starts_with('#')).then(|| lines::column(text, comment));
    let first = lines::next_line(text, end);
    let mut behind = first;
    if trailing.is_some_and(|at| at > column) {
        while behind < text.len() && lines::comment_column(text, behind) == trailing {
            behind = lines::next_line(text, behind);
        }
    }
    let mut at = behind;
    while at < text.len() {
        match lines::comment_column(text, at) {
            Some(found) if found > column => {
                at = lines::next_line(text, at);
                behind = at;
            }
            None if lines::is_blank_line(text, at) => at = lines::next_line(text, at),
            _ => break,
        }
    }
    behind
}

/// The start of the first line of the comments right above an entry which belong to it: not deeper than itself, no
/// blank line between, none from before `floor`.
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

/// The layout of the blocks around and inside a node.
pub(super) fn layout(node: NodeRef<'_, '_>) -> Layout {
    let text = node.tree.text;
    let line_break = lines::break_around(text, node.span().start);
    let (mut step, mut sequence) = (None, None);
    // What is inside says most, then the siblings, then what is around them.
    let mut around = Some(node);
    while let Some(collection) = around {
        look(collection, &mut step, &mut sequence);
        if step.is_some() && sequence.is_some() {
            break;
        }
        // A list that is the whole text may be the value of a key that stands elsewhere.
        if collection.parent().is_none() && collection.kind() == (Kind::Sequence { flow: false }) {
            sequence = sequence.or(Some(lines::column(text, collection.span().start)));
        }
        around = collection.parent();
    }
    Layout { step: step.unwrap_or(2), sequence: sequence.unwrap_or(0), line_break }
}

/// What the direct children of a mapping say about the layout.
fn look(mapping: NodeRef<'_, '_>, step: &mut Option<usize>, sequence: &mut Option<usize>) {
    let text = mapping.tree.text;
    if !matches!(mapping.kind(), Kind::Mapping { flow: false }) {
        return;
    }
    let column = lines::column(text, mapping.span().start);
    for (_, value) in mapping.entries_written() {
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

/// The layout of a flow collection: JSON when all around it is, or when the strings around are in double quotes.
pub(super) fn flow_layout(node: NodeRef<'_, '_>) -> FlowLayout {
    let text = node.tree.text;
    let mut json = json::around(node).map(|_| true);
    let mut dense = None;
    let mut around = Some(node);
    while let Some(collection) = around.filter(|&node| is_flow(node)) {
        let strings = collection.children().filter(|node| matches!(node.kind(), Kind::Scalar(_)));
        if json.is_some() && dense.is_some() {
            break;
        }
        for (key, value) in collection.entries_written() {
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
            // Strings alone say that it may be JSON; the keys around decide. Where that is known, all elements of a large list
            // need no look.
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
        around = collection.parent();
    }
    // A document that is a flow collection and says nothing else is taken for JSON, which YAML contains.
    FlowLayout { json: json.unwrap_or(around.is_none()), dense: dense.unwrap_or(false) }
}

/// The quote style that all strings among the elements share.
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

/// Whether a value is a collection with something in it.
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
