//! What stands where a text stops being YAML, and what to write instead: the parser's faults in the words of whoever wrote the text.

use granit_parser::ErrorKind;

use super::line_index::LineIndex;
use super::lines::find_outside_comments;

/// What is known where the parser stopped.
pub(super) struct Stopped<'s> {
    pub(super) text: &'s str,
    /// Where it stopped.
    pub(super) at: usize,
    /// The end of the last node that was read.
    pub(super) read: usize,
    /// Where the innermost bracket opens that is still open.
    pub(super) bracket: Option<usize>,
}

/// Where the fault is, and what to say of it.
pub(super) fn fault(stopped: &Stopped<'_>, kind: &ErrorKind, raw: &str) -> (usize, String) {
    let line = Line::at(stopped.text, stopped.at);
    let elsewhere = || line.conflict().or_else(|| line.template());
    if let Some(found) = elsewhere() {
        return found;
    }
    match kind {
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => {
            (line.tab(stopped.at), "a tab: YAML is indented with spaces; write spaces in its place".to_owned())
        }
        ErrorKind::InvalidQuotedScalarIndent => {
            (stopped.at, stopped.open_quote("indent this line deeper than its key"))
        }
        ErrorKind::DocumentIndicatorInQuotedScalar | ErrorKind::UnclosedQuotedScalar => {
            (stopped.at, stopped.open_quote("before the document ends"))
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => stopped.colon(&line),
        ErrorKind::ExpectedBlockMappingKey => stopped.key(&line),
        kind => (stopped.at, stopped.other(kind, raw)),
    }
}

impl Stopped<'_> {
    fn line_of(&self, offset: usize) -> usize {
        LineIndex::new(self.text).line(offset)
    }

    /// A quote that is not closed, or text of several lines that is not indented.
    fn open_quote(&self, or: &str) -> String {
        match find_outside_comments(self.text, self.read, self.at, b"\"'") {
            Some(quote) => {
                format!("the quote that opens on line {} is not closed: close it, or {or}", self.line_of(quote))
            }
            None => format!("a quote is not closed: close it, or {or}"),
        }
    }

    /// A bracket that is not closed, when there is one.
    fn open_bracket(&self) -> Option<String> {
        let open = self.bracket?;
        let (opens, closes) = if self.text.get(open..)?.starts_with('[') { ('[', ']') } else { ('{', '}') };
        let line = self.line_of(open);
        Some(format!("the `{opens}` on line {line} is not closed: write `,` or `{closes}` before this"))
    }

    /// A `:` where no key can be.
    fn colon(&self, line: &Line<'_>) -> (usize, String) {
        if let Some(message) = self.open_bracket() {
            return (self.at, message);
        }
        if line.first_colon().is_some_and(|first| self.at > first) {
            let message = "a second `: ` in one line: put the value in quotes when it holds one, or write the key on a line of its own";
            return (self.at, message.to_owned());
        }
        let Some(above) = line.above() else {
            return (self.at, "a `:` is not expected here: put the text in quotes when it holds one".to_owned());
        };
        let said = above.said();
        let message = match above.first_colon() {
            None if above.content().contains(':') => format!("`{said}` above is text: write a space behind its `:`"),
            None => format!(
                "`{said}` above is text, and this line continues it: start it where other keys do, or write `:` behind the key above"
            ),
            Some(_) => format!(
                "this line is indented deeper than `{said}` above, which has a value already: start both at the same column"
            ),
        };
        (line.content_start(), message)
    }

    /// Something that is not a key, where one is expected.
    fn key(&self, line: &Line<'_>) -> (usize, String) {
        let content = line.content();
        if content == "-" || content.starts_with("- ") {
            let message =
                "a list item among keys: indent it deeper than the key that it belongs to, which has no other value";
            return (line.content_start(), message.to_owned());
        }
        if self.at > line.content_start() {
            let message = "text behind a value that has ended: remove it, or put the whole value in quotes";
            return (self.at, message.to_owned());
        }
        let columns: Vec<String> = line.columns_above().iter().map(ToString::to_string).collect();
        let message = match columns.as_slice() {
            [] => "a key is expected here, with a `:` behind it".to_owned(),
            columns => format!(
                "this line starts at column {}, and what is above it at column {}: start it where the other keys of its mapping do",
                line.indent() + 1,
                columns.join(" or ")
            ),
        };
        (self.at, message)
    }

    fn other(&self, kind: &ErrorKind, raw: &str) -> String {
        match kind {
            ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
                self.open_bracket().unwrap_or_else(|| "write `,` between what stands in brackets".to_owned())
            }
            ErrorKind::UnexpectedEofFlowSequence
            | ErrorKind::UnexpectedEofFlowMapping
            | ErrorKind::UnexpectedEofImplicitFlowMapping => {
                self.open_bracket().unwrap_or_else(|| "a bracket is not closed".to_owned())
            }
            ErrorKind::UnclosedFlowCollection { open } => format!("this `{open}` is not closed"),
            ErrorKind::MisplacedFlowCollectionEnd => {
                "this bracket closes nothing: remove it, or put the text in quotes".to_owned()
            }
            ErrorKind::MismatchedFlowCollectionEnd { open, close } => format!("`{open}` is closed by `{close}`"),
            ErrorKind::ExpectedBlockSequenceEntry => {
                "the lines above are items of a list, and this one does not start with `- `: write it, or start the line where \
                 the key of the list does"
                    .to_owned()
            }
            ErrorKind::BlockSequenceEntryNotAllowed => {
                "`- ` cannot stand here: write the items of a list on lines of their own, below the key".to_owned()
            }
            ErrorKind::BlockEntryInFlowCollection => "`- ` inside of brackets: write `,` between items there".to_owned(),
            ErrorKind::InvalidBlockEntryWhitespace => "write a space behind `-`".to_owned(),
            ErrorKind::InvalidMappingValueWhitespace | ErrorKind::FlowMappingValueAdjacentCollection => {
                "write a space behind `:`".to_owned()
            }
            ErrorKind::CommentNotSeparated => "write a space before `#`".to_owned(),
            ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
                format!("a control character (U+{:04X}): remove it", u32::from(*character))
            }
            ErrorKind::BomInsideDocument => "a byte order mark (U+FEFF) inside of a text: remove it".to_owned(),
            ErrorKind::UnexpectedCharacter { character } => {
                format!("`{}` cannot start a value: put the value in quotes", character.escape_default())
            }
            ErrorKind::UnknownAnchor => {
                let name: String = self.rest().chars().take_while(|c| !c.is_whitespace() && !",]}".contains(*c)).collect();
                let name = name.trim_start_matches('*');
                format!("`*{name}` is an alias, and there is no `&{name}` before it; a text that starts with `*` needs quotes")
            }
            ErrorKind::MissingAnchorOrAliasName => {
                "a text that starts with `&` or `*` needs quotes: these begin an anchor or an alias".to_owned()
            }
            ErrorKind::UnknownQuotedScalarEscape | ErrorKind::InvalidQuotedScalarHexEscape => {
                "a `\\` in double quotes begins an escape, and here it is not one: write `\\\\`, or use single quotes".to_owned()
            }
            ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
                "text behind a closing quote: remove it, or put the whole value in quotes".to_owned()
            }
            ErrorKind::ExpectedDocumentStart => {
                "this line starts further left than the document, or follows its end: start all its keys at the same column, or \
                 write `---` before a new document"
                    .to_owned()
            }
            ErrorKind::InvalidBlockScalarHeader => {
                "text behind `|` or `>`: write it on the next line, deeper than the key".to_owned()
            }
            ErrorKind::InvalidBlockScalarIndent => {
                "an empty line before a text is indented deeper than the text: take its spaces away".to_owned()
            }
            ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
                "a key without `:`: write it behind the key, on the same line".to_owned()
            }
            ErrorKind::RecursionLimitExceeded => {
                format!("more than {} lists and mappings inside each other", super::tree::NESTING_LIMIT)
            }
            _ => format!("this is not YAML: {raw}"),
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

/// A line of a text.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Line<'t> {
    /// The line of an offset.
    fn at(text: &'t str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        Self { text, start: before.rfind('\n').map_or(0, |at| at + 1) }
    }

    fn whole(&self) -> &'t str {
        self.text.get(self.start..).unwrap_or_default().lines().next().unwrap_or_default()
    }

    fn content(&self) -> &'t str {
        self.whole().trim()
    }

    /// How many characters are before its content.
    fn indent(&self) -> usize {
        self.whole().len() - self.whole().trim_start().len()
    }

    fn content_start(&self) -> usize {
        self.start + self.indent()
    }

    /// Its content as a message shows it.
    fn said(&self) -> String {
        let content = self.content();
        if content.chars().count() <= 40 {
            content.to_owned()
        } else {
            content.chars().take(37).chain("...".chars()).collect()
        }
    }

    /// The nearest line above that holds more than a comment.
    fn above(&self) -> Option<Self> {
        let mut line = *self;
        while line.start > 0 {
            line = Self::at(self.text, line.start - 1);
            let content = line.content();
            if !content.is_empty() && !content.starts_with('#') {
                return Some(line).filter(|_| !content.starts_with("---"));
            }
        }
        None
    }

    /// The columns, from 1, where the lines above start that this one may belong to: the nearest first.
    fn columns_above(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        let mut above = self.above();
        // A line of a thousand collections needs no list of their columns.
        while let Some(line) = above.filter(|_| columns.len() < 8) {
            let dashes = line.content().len() - line.content().trim_start_matches("- ").len();
            for column in [line.indent() + dashes + 1, line.indent() + 1] {
                if columns.last().is_none_or(|last| column < *last) {
                    columns.push(column);
                }
            }
            above = line.above().filter(|_| line.indent() > 0);
        }
        columns
    }

    /// Where its first key's `:` is.
    fn first_colon(&self) -> Option<usize> {
        let whole = self.whole().trim_end();
        let colon = whole.find(": ").or_else(|| whole.len().checked_sub(1).filter(|_| whole.ends_with(':')));
        colon.map(|at| self.start + at)
    }

    /// The next tab, when it is what indents this line or the next one.
    fn tab(&self, from: usize) -> usize {
        let next = self.start + self.whole().len() + 1;
        for line in [*self, Self { text: self.text, start: next }] {
            let blank = line.whole().len() - line.whole().trim_start().len();
            if let Some(tab) = line.whole().get(..blank).and_then(|blank| blank.find('\t')) {
                return line.start + tab;
            }
        }
        self.text.get(from..).and_then(|rest| rest.find('\t')).map_or(from, |tab| from + tab)
    }

    /// This line or one beside it is what git leaves of two versions.
    fn conflict(&self) -> Option<(usize, String)> {
        let after = Self { text: self.text, start: self.start + self.whole().len() + 1 };
        let lines = [self.above(), Some(*self), Some(after)];
        let marked = lines.into_iter().flatten().find(|line| {
            ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.whole().starts_with(mark)) || line.whole() == "======="
        })?;
        Some((marked.start, "a merge that is not finished: git left both versions here; keep one of them".to_owned()))
    }

    /// This line or the one above is for a program that makes YAML of it.
    fn template(&self) -> Option<(usize, String)> {
        let lines = [self.above(), Some(*self)];
        let at = lines.into_iter().flatten().find_map(|line| Some(line.start + line.whole().find("{{")?))?;
        let message =
            "this is a template and not YAML yet: give what is made of it, such as `helm template NAME CHART` prints";
        Some((at, message.to_owned()))
    }
}
