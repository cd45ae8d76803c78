//! Places where Go's YAML parser reads a `:` or `?` differently from YAML 1.2.

use super::super::lines;
use super::super::node::NodeRef;
use super::super::tree::{Kind, ParseError, Style, Tree};

impl Tree<'_> {
    /// Returns an error at the first key, or text in a flow collection, that Go's parser rejects or reads differently.
    /// Nodes are checked only if the text contains characters that may cause this.
    pub(super) fn refused_indicator(&self) -> Option<ParseError> {
        if !has_unusual_indicator(self.text.as_bytes()) {
            return None;
        }
        let found = self.all_nodes().find_map(|node| match node.kind() {
            Kind::Mapping { .. } => {
                node.entries_without_aliases().find_map(|(key, value)| refused_indicator_in_entry(key, value))
            }
            Kind::Scalar(Style::Plain) => refused_indicator_in_scalar(node),
            _ => None,
        });
        found.map(|(at, why)| ParseError::refused(self.text, at, why))
    }
}

/// True if a text may contain a `?`, a filled flow collection, a key that is only an anchor, or a `:` that is not
/// between a word and white space.
fn has_unusual_indicator(text: &[u8]) -> bool {
    let filled = |close: u8| move |at: usize| text.get(at + 1) != Some(&close);
    memchr::memchr2(b'?', b'&', text).is_some()
        || memchr::memchr_iter(b'{', text).any(filled(b'}'))
        || memchr::memchr_iter(b'[', text).any(filled(b']'))
        || memchr::memchr_iter(b':', text).any(|at| {
            let (before, after) = text.split_at_checked(at).unwrap_or_default();
            let word = before.last().is_some_and(|b| !b" \t\r\n{}[],-\"'".contains(b));
            !word || after.get(1).is_some_and(|b| b",[]{}#".contains(b))
        })
}

fn refused_indicator_in_entry(key: NodeRef<'_, '_>, value: NodeRef<'_, '_>) -> Option<(usize, &'static str)> {
    if key.raw().is_empty() && !key.is_tagged() {
        return Some((key.start(), "Go's YAML reader refuses an empty key: write a name in quotes"));
    }
    let text = key.tree.text;
    let colon = lines::find_outside_comments(text, key.span().end, value.start(), b":")?;
    let joined = text.as_bytes().get(colon + 1).is_some_and(|b| !b.is_ascii_whitespace());
    let flow = key.parent().is_some_and(NodeRef::is_flow);
    if text.as_bytes().get(colon + 1) == Some(&b'#') {
        return Some((colon, "a comment needs a space before its `#`"));
    }
    let quoted = flow && !matches!(key.kind(), Kind::Scalar(Style::Plain) | Kind::Alias);
    if joined && !quoted {
        return Some((
            colon,
            "Go's YAML reader reads this `:` as part of a text: put the text in quotes, or write a space after it",
        ));
    }
    let explicit = || lines::part(text, 0..key.start()).trim_end().ends_with('?');
    let lines = flow && lines::part(text, key.start()..colon).contains(['\n', '\r']);
    (lines && !explicit()).then_some((
        colon,
        "Go's YAML reader refuses a key of several lines in a flow collection: write it on one line",
    ))
}

fn refused_indicator_in_scalar(node: NodeRef<'_, '_>) -> Option<(usize, &'static str)> {
    if !node.parent().is_some_and(NodeRef::is_flow) {
        return None;
    }
    let at = node.raw().bytes().enumerate().find(|&(at, b)| b == b'?' || b == b':' && at == 0)?.0;
    let why = "Go's YAML reader reads this character as an indicator, not as text: write the text in quotes";
    Some((node.span().start + at, why))
}
