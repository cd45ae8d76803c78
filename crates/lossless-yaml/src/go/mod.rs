//! What the YAML reader of kubectl, kustomize and kpt refuses, or reads differently, although it is YAML 1.2. Such a
//! document passes through, but is not edited: what is written has to be read by them.

mod indicators;
mod tabs;

use super::lines;
use super::shape;
use super::tree::{Kind, ParseError, Style, Tree};

impl Tree<'_> {
    /// The first place that Go's YAML reader would refuse or take for something else. The text is looked through for
    /// the few bytes that could start such a place; nodes only when there are some.
    ///
    /// ```
    /// use lossless_yaml::Tree;
    /// assert_eq!(Tree::parse("a: b\n")?.go_refuses(), None);
    /// let error = Tree::parse("%YAML 1.2\n---\na: b\n")?.go_refuses().unwrap();
    /// assert_eq!(error.to_string(), "line 1, column 1: Go's YAML reader refuses directives: remove the line");
    /// # Ok::<(), lossless_yaml::ParseError>(())
    /// ```
    #[must_use]
    pub fn go_refuses(&self) -> Option<ParseError> {
        // JSON is read by a JSON reader.
        if self.json {
            return None;
        }
        self.refused_by_go.get_or_init(|| self.go_refuses_as_yaml()).clone()
    }

    /// The same of a text that Go's reader gets as YAML, though it may be JSON by now: `[]` in the place of a text.
    pub(super) fn go_refuses_as_yaml(&self) -> Option<ParseError> {
        let found = [
            self.line_separator(),
            self.directive(),
            self.byte_order_mark(),
            self.escape(),
            self.refused_tab(),
            self.refused_indicator(),
            self.marker_in_text(),
        ];
        found.into_iter().flatten().min_by_key(|error| error.offset)
    }

    /// NEL, LS and PS end a line for a YAML 1.1 reader, even in a comment.
    fn line_separator(&self) -> Option<ParseError> {
        let found = ['\u{85}', '\u{2028}', '\u{2029}'].into_iter().filter_map(|c| self.text.find(c)).min();
        let why = "Go's YAML reader takes this character (NEL, LS or PS) for a line break: write it as an escape in \
                   double quotes (\\N, \\L or \\P), or remove it";
        found.map(|at| ParseError::refused(self.text, at, why))
    }

    fn directive(&self) -> Option<ParseError> {
        // A `%` at the start of a line is a directive only between documents.
        let starts = self.text.match_indices('%').map(|(at, _)| at).find(|&at| {
            let before = self.text.get(..at).unwrap_or_default();
            self.is_outside(at) && (before.is_empty() || before == lines::BOM || before.ends_with(['\n', '\r']))
        });
        let why = "Go's YAML reader refuses directives: remove the line";
        starts.map(|at| ParseError::refused(self.text, at, why))
    }

    /// YAML 1.2 takes a mark before any document for nothing; Go's reader only at the start of all.
    fn byte_order_mark(&self) -> Option<ParseError> {
        // One that follows others starts the line too.
        let starts_line = |at| {
            let before = lines::part(self.text, 0..at).trim_end_matches(lines::BOM);
            before.ends_with(['\n', '\r']) || at > 0 && before.is_empty()
        };
        let mut found = memchr::memmem::find_iter(self.text.as_bytes(), lines::BOM);
        let at = found.find(|&at| starts_line(at) && self.is_outside(at))?;
        let why = "Go's YAML reader takes a byte order mark (U+FEFF) here for text: remove it";
        Some(ParseError::refused(self.text, at, why))
    }

    /// A text between brackets of which a line starts with `---` or `...`: every reader takes it, and every reader ends the document there
    /// once a blank or a line break follows, as when the comma behind it goes.
    fn marker_in_text(&self) -> Option<ParseError> {
        let starts_line = |at| lines::part(self.text, 0..at).ends_with(['\n', '\r']);
        let marks = ["---", "..."].into_iter().flat_map(|mark| memchr::memmem::find_iter(self.text.as_bytes(), mark));
        let inside = marks.filter(|&at| starts_line(at) && !self.is_outside(at));
        let is_text = |at: &usize| {
            let mut texts = self.all_nodes().filter(|node| node.kind() == Kind::Scalar(Style::Plain));
            texts.any(|node| node.span().contains(at) && node.parent().is_some_and(shape::is_flow))
        };
        let at = inside.filter(is_text).min()?;
        Some(ParseError::refused(self.text, at, "a line of a text starts with `---` or `...` here: indent it"))
    }

    /// Whether an offset is outside of every node.
    fn is_outside(&self, at: usize) -> bool {
        let root = self.roots.partition_point(|&id| self.node(id).is_some_and(|node| node.span.0 as usize <= at));
        let root = root.checked_sub(1).and_then(|index| self.root(index));
        root.is_none_or(|root| !root.span().contains(&at))
    }

    /// `\/` and surrogate pairs are JSON's, and no escapes for Go's reader.
    fn escape(&self) -> Option<ParseError> {
        // One character is found faster than two.
        if !self.text.contains('\\') || (!self.text.contains("\\/") && !self.text.contains("\\u")) {
            return None;
        }
        self.all_nodes().filter(|node| node.kind() == Kind::Scalar(Style::DoubleQuoted)).find_map(|node| {
            let at = node.span().start + bad_escape(node.raw())?;
            let why = "Go's YAML reader knows neither `\\/` nor surrogate escapes: write the character itself";
            Some(ParseError::refused(self.text, at, why))
        })
    }
}

/// The first escape in a double-quoted scalar that Go does not know.
fn bad_escape(raw: &str) -> Option<usize> {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..)?.iter().position(|&b| b == b'\\') {
        at += found;
        let surrogate = raw.get(at + 2..at + 4).is_some_and(|digits| {
            digits.starts_with(['d', 'D'])
                && digits.ends_with(['8', '9', 'a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C', 'D', 'E', 'F'])
        });
        match bytes.get(at + 1) {
            Some(b'/') => return Some(at),
            Some(b'u') if surrogate => return Some(at),
            _ => at += 2,
        }
    }
    None
}
