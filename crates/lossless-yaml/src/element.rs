//! Source ranges of sequence elements, and formatting of new elements and documents in the style of existing ones.

use std::ops::Range;

use super::draft::ends_block_text;
use super::lines;
use super::node::NodeRef;
use super::scalar::Quote;
use super::shape;
use super::tree::{Kind, Tree};
use super::value::Value;
use super::write::{self, FlowLayout};

/// Source ranges of the elements of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements {
    /// Block sequence: whole lines, from the line of the dash to the line after the comments of the element.
    Lines(Vec<Range<usize>>),
    /// Flow sequence: elements without their commas.
    Flow {
        /// Ranges of the elements.
        elements: Vec<Range<usize>>,
        /// Range between the brackets.
        inside: Range<usize>,
    },
}

/// Returns the source ranges of the elements of a sequence. `None` for a block sequence with a dash that does not start
/// its line, and for any other kind of node.
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
                lines::line_start(text, entry.start)..shape::line_after(text, entry.end, column)
            };
            alone.then(|| Elements::Lines(entries.iter().map(range).collect()))
        }
        _ => None,
    }
}

/// Returns the offset for `[]` when a block sequence loses its last element: after anchor and tag, or after the colon
/// of the key. `None` for a sequence that has neither anchor nor tag and is not the value of a key.
pub fn offset_for_empty(sequence: NodeRef<'_, '_>) -> Option<usize> {
    if let Some(end) = sequence.properties_end() {
        return Some(end);
    }
    let (key, _) = sequence.parent()?.entries_without_aliases().find(|(_, value)| *value == sequence)?;
    let text = sequence.tree.text;
    lines::find_outside_comments(text, key.span().end, sequence.start(), b":").map(|colon| colon + 1)
}

/// Formats a value as an element in the style of another element of the same sequence. In a block sequence the result
/// is whole lines, without the final line break.
pub fn element_in_style_of(element: NodeRef<'_, '_>, value: &Value) -> String {
    let text = element.tree.text;
    let entry = element.parent().filter(|parent| shape::is_block(*parent));
    let entry = entry.and_then(|parent| shape::entries(parent).into_iter().find(|entry| entry.value == element));
    let Some(entry) = entry else { return flow_in_style_of(element, value) };
    let column = lines::column(text, entry.start);
    let between = lines::part(text, entry.start + 1..element.start());
    let gap = if between.is_empty() || between.bytes().any(|b| b != b' ') { 1 } else { between.len() };
    let blanks = " ".repeat(column);
    if element.is_flow() {
        return format!("{blanks}-{}{}", " ".repeat(gap), flow_in_style_of(element, value));
    }
    format!("{blanks}{}", write::item(value, column, gap, Quote::Needed, &shape::layout(element)))
}

/// Formats a value as a document in the style of another document, without the final line break.
pub fn document_in_style_of(root: NodeRef<'_, '_>, value: &Value) -> String {
    if root.is_flow() { flow_in_style_of(root, value) } else { write::block(value, 0, &shape::layout(root)) }
}

/// Formats a value in flow style; on several lines if the collection `sibling` has its entries on lines of their own.
fn flow_in_style_of(sibling: NodeRef<'_, '_>, value: &Value) -> String {
    let layout = shape::flow_layout(sibling);
    let text = sibling.tree.text;
    let raw = sibling.raw();
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let last = lines::line_start(text, sibling.span().end);
    let base = lines::part(text, last..last + blanks(lines::part(text, last..sibling.span().end)));
    let inner = raw.lines().nth(1).and_then(|line| line.get(..blanks(line))).and_then(|line| line.strip_prefix(base));
    match inner {
        Some(step) if last > sibling.span().start && !step.is_empty() => {
            let style = Pretty { layout, step, line_break: lines::break_around(text, sibling.span().start) };
            let mut out = String::new();
            style.push(&mut out, value, base);
            out
        }
        _ => write::flow(value, Quote::Needed, layout),
    }
}

/// Flow style with each entry on a separate line.
struct Pretty<'s> {
    layout: FlowLayout,
    step: &'s str,
    line_break: &'static str,
}

impl Pretty<'_> {
    /// Appends a value; `base` is the indentation of its first line.
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
    /// True if the text ends inside of a block scalar that a following line break would change.
    pub fn ends_in_block_text(&self) -> bool {
        lines::break_before(self.text, self.text.len()).is_empty() && ends_block_text(self, self.text.len())
    }
}
