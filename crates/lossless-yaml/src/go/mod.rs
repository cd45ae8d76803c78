//! Checks for YAML 1.2 that Go's YAML parser (kubectl, kustomize, kpt) rejects or reads differently. Such a document is
//! read, but not edited, because these tools must be able to read the result.

mod indicators;
mod tabs;

use super::lines;
use super::node::NodeRef;
use super::tree::{Kind, ParseError, Style, Tree};

impl Tree<'_> {
    /// Returns an error at the first place that Go's YAML parser would reject or read differently. The text is searched
    /// for the few characters that can cause this; nodes are checked only if it contains some.
    ///
    /// ```
    /// use lossless_yaml::Tree;
    /// assert_eq!(Tree::parse("a: b\n")?.go_parse_error(), None);
    /// let error = Tree::parse("%YAML 1.2\n---\na: b\n")?.go_parse_error().unwrap();
    /// assert_eq!(error.to_string(), "line 1, column 1: Go's YAML reader refuses directives: remove the line");
    /// # Ok::<(), lossless_yaml::ParseError>(())
    /// ```
    pub fn go_parse_error(&self) -> Option<ParseError> {
        // JSON is read by a JSON parser.
        if self.json {
            return None;
        }
        self.refused_by_go.get_or_init(|| self.go_yaml_parse_error()).clone()
    }

    /// Performs the check for any text that Go's parser gets as YAML, even if it is JSON after an edit, such as `[]` in
    /// place of a text.
    pub(super) fn go_yaml_parse_error(&self) -> Option<ParseError> {
        let found = [
            self.line_separator_error(),
            self.directive(),
            self.byte_order_mark_error(),
            self.escape(),
            self.refused_tab(),
            self.refused_indicator(),
            self.marker_in_text_error(),
        ];
        found.into_iter().flatten().min_by_key(|error| error.offset)
    }

    /// Checks for NEL, LS and PS: YAML 1.1 parsers read them as line breaks, even in a comment.
    fn line_separator_error(&self) -> Option<ParseError> {
        if self.text.is_ascii() {
            return None;
        }
        let found = ['\u{85}', '\u{2028}', '\u{2029}'].into_iter().filter_map(|c| self.text.find(c)).min();
        let why = "Go's YAML reader reads this character (NEL, LS or PS) as a line break: write it as an escape in \
                   double quotes (\\N, \\L or \\P), or remove it";
        found.map(|at| ParseError::refused(self.text, at, why))
    }

    /// Error about a directive, which Go's YAML parser refuses.
    fn directive(&self) -> Option<ParseError> {
        // A `%` at the start of a line is a directive only outside of documents.
        let starts = self.text.match_indices('%').map(|(at, _)| at).find(|&at| {
            let before = self.text.get(..at).unwrap_or_default();
            self.is_outside(at) && (before.is_empty() || before == lines::BOM || before.ends_with(['\n', '\r']))
        });
        let why = "Go's YAML reader refuses directives: remove the line";
        starts.map(|at| ParseError::refused(self.text, at, why))
    }

    /// Checks for byte order marks. YAML 1.2 ignores one before any document, Go's parser only at the start of the
    /// text.
    fn byte_order_mark_error(&self) -> Option<ParseError> {
        // A mark after other marks also starts the line.
        let starts_line = |at| {
            let before = lines::part(self.text, 0..at).trim_end_matches(lines::BOM);
            before.ends_with(['\n', '\r']) || at > 0 && before.is_empty()
        };
        let mut found = memchr::memmem::find_iter(self.text.as_bytes(), lines::BOM);
        let at = found.find(|&at| starts_line(at) && self.is_outside(at))?;
        let why = "Go's YAML reader reads a byte order mark (U+FEFF) here as text: remove it";
        Some(ParseError::refused(self.text, at, why))
    }

    /// Checks for text in a flow collection with a line that starts with `---` or `...`, and for
    /// quoted text with a line that starts with `---`. In a flow collection all parsers read such a
    /// line as text, but they end the document there if white space follows, for example after the
    /// removal of a comma. In quoted text, kubectl and kustomize split the document at such a line
    /// before they parse it.
    fn marker_in_text_error(&self) -> Option<ParseError> {
        let starts_line = |at| lines::part(self.text, 0..at).ends_with(['\n', '\r']);
        let marks = MARKS.map(|mark| found(mark, self.text));
        // Almost no text has such a line. Check the nodes only if there is one, and only once for
        // all lines.
        marks.into_iter().flatten().find(|&at| starts_line(at) && !self.is_outside(at))?;
        let in_node = |node: NodeRef<'_, '_>| {
            let marks: &[&str] = match node.kind() {
                Kind::Scalar(Style::Plain) if node.parent().is_some_and(NodeRef::is_flow) => &MARKS,
                Kind::Scalar(Style::SingleQuoted | Style::DoubleQuoted) => &[SEPARATOR],
                _ => return None,
            };
            let first = |mark| found(mark, node.raw()).map(|at| node.span().start + at).find(|&at| starts_line(at));
            marks.iter().copied().filter_map(first).min()
        };
        let at = self.all_nodes().find_map(in_node)?;
        Some(ParseError::refused(self.text, at, "a line of a text starts with `---` or `...` here: indent it"))
    }

    /// True if an offset is outside of every document node.
    fn is_outside(&self, at: usize) -> bool {
        let root = self.roots.partition_point(|&id| self.node(id).is_some_and(|node| node.span.0 as usize <= at));
        let root = root.checked_sub(1).and_then(|index| self.root(index));
        root.is_none_or(|root| !root.span().contains(&at))
    }

    /// Checks for escapes of JSON that Go's parser rejects: `\/` and surrogate pairs.
    fn escape(&self) -> Option<ParseError> {
        // Searching one character is faster than searching two.
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

/// Starts of lines that separate and end documents.
const MARKS: [&str; 2] = [SEPARATOR, "..."];
const SEPARATOR: &str = "---";

/// Returns the offsets of a mark in a text.
fn found<'t>(mark: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    memchr::memmem::find_iter(text.as_bytes(), mark)
}

/// Returns the offset of the first escape in a double-quoted scalar that Go's parser rejects.
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
