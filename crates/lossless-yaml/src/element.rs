//! Whole elements of sequences and whole documents: where they are written, and how a new one beside them is.

use std::ops::Range;

use super::draft::ends_block_text;
use super::lines;
use super::node::NodeRef;
use super::scalar::Quote;
use super::shape;
use super::tree::{Kind, Tree};
use super::value::Value;
use super::write::{self, FlowLayout};

/// How the elements of a sequence are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements {
    /// On lines of their own: from the dash's line to the line behind the comments that belong to the element.
    Lines(Vec<Range<usize>>),
    /// Between brackets: each without its comma.
    Flow {
        /// The elements.
        elements: Vec<Range<usize>>,
        /// What is between the brackets.
        inside: Range<usize>,
    },
}

/// The elements of a sequence, as they are written; none for those whose dashes share a line with something else, and for
/// every other node.
#[must_use]
pub fn elements(sequence: NodeRef<'_, '_>) -> Option<Elements> {
    let text = sequence.tree.text;
    let entries = shape::entries(sequence);
    match sequence.kind() {
        Kind::Sequence { flow: true } => {
            let Range { start, end } = sequence.span();
            let elements = entries.iter().map(|entry| entry.start..entry.end).collect();
            Some(Elements::Flow { elements, inside: start + 1..end.checked_sub(1)? })
        }
        Kind::Sequence { flow: false } => {
            let alone = entries.iter().all(|entry| lines::starts_line(text, entry.start));
            let column = lines::column(text, entries.first()?.start);
            let range = |entry: &shape::Entry<'_, '_>| {
                lines::line_start(text, entry.start)..shape::line_behind(text, entry.end, column)
            };
            alone.then(|| Elements::Lines(entries.iter().map(range).collect()))
        }
        _ => None,
    }
}

/// Where `[]` is written when a block sequence loses its last element: behind the key's colon, or behind anchor and tag.
/// None for a sequence that is not a value of a key.
#[must_use]
pub fn emptied_at(sequence: NodeRef<'_, '_>) -> Option<usize> {
    if let Some(end) = sequence.properties_end() {
        return Some(end);
    }
    let (key, _) = sequence.parent()?.entries_written().find(|(_, value)| *value == sequence)?;
    let text = sequence.tree.text;
    lines::find_outside_comments(text, key.span().end, sequence.start(), b":").map(|colon| colon + 1)
}

/// A value as an element beside another one of the same sequence, in its style. In a block whole lines, without the break
/// of the last one.
#[must_use]
pub fn element_beside(element: NodeRef<'_, '_>, value: &Value) -> String {
    let text = element.tree.text;
    let entry = element.parent().filter(|parent| shape::is_block(*parent));
    let entry = entry.and_then(|parent| shape::entries(parent).into_iter().find(|entry| entry.value == element));
    let Some(entry) = entry else { return flow_beside(element, value) };
    let column = lines::column(text, entry.start);
    let between = lines::part(text, entry.start + 1..element.start());
    let gap = if between.is_empty() || between.bytes().any(|b| b != b' ') { 1 } else { between.len() };
    let blanks = " ".repeat(column);
    if shape::is_flow(element) {
        return format!("{blanks}-{}{}", " ".repeat(gap), flow_beside(element, value));
    }
    format!("{blanks}{}", write::item(value, column, gap, Quote::Needed, &shape::layout(element)))
}

/// A value as a document in the style of another one, without the break of its last line.
#[must_use]
pub fn document_beside(root: NodeRef<'_, '_>, value: &Value) -> String {
    if shape::is_flow(root) { flow_beside(root, value) } else { write::block(value, 0, &shape::layout(root)) }
}

/// A value in flow style, on as many lines as the collection beside it has.
fn flow_beside(beside: NodeRef<'_, '_>, value: &Value) -> String {
    let layout = shape::flow_layout(beside);
    let text = beside.tree.text;
    let raw = beside.raw();
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let last = lines::line_start(text, beside.span().end);
    let base = lines::part(text, last..last + blanks(lines::part(text, last..beside.span().end)));
    let inner = raw.lines().nth(1).and_then(|line| line.get(..blanks(line))).and_then(|line| line.strip_prefix(base));
    match inner {
        Some(step) if last > beside.span().start && !step.is_empty() => {
            let style = Pretty { layout, step, line_break: lines::break_around(text, beside.span().start) };
            let mut out = String::new();
            style.push(&mut out, value, base);
            out
        }
        _ => write::flow(value, Quote::Needed, layout),
    }
}

/// Flow style with each entry on a line of its own.
struct Pretty<'s> {
    layout: FlowLayout,
    step: &'s str,
    line_break: &'static str,
}

impl Pretty<'_> {
    fn push(&self, out: &mut String, value: &Value, base: &str) {
        let inner = format!("{base}{}", self.step);
        let mut separator = "";
        match value {
            Value::Map(entries) if !entries.is_empty() => {
                out.push('{');
                for (key, value) in entries {
                    out.extend([separator, self.line_break, &inner]);
                    out.push_str(&write::flow_key(key, self.layout));
                    self.push(out, value, &inner);
                    separator = ",";
                }
                out.extend([self.line_break, base, "}"]);
            }
            Value::Seq(items) if !items.is_empty() => {
                out.push('[');
                for item in items {
                    out.extend([separator, self.line_break, &inner]);
                    self.push(out, item, &inner);
                    separator = ",";
                }
                out.extend([self.line_break, base, "]"]);
            }
            _ => out.push_str(&write::flow(value, Quote::Needed, self.layout)),
        }
    }
}

impl Tree<'_> {
    /// Whether the text ends inside of a block scalar that would change if a line break followed.
    #[must_use]
    pub fn ends_in_block_text(&self) -> bool {
        lines::break_before(self.text, self.text.len()).is_empty() && ends_block_text(self, self.text.len())
    }
}
