//! Messages for parse errors: the cause in the source text, and the correction to write.

use granit_parser::ErrorKind;

use super::line_index::LineIndex;
use super::lines::{BOM, find_outside_comments, line_end, part};
use super::source_line::Line;

/// State of the parser when it stopped.
pub(super) struct ParserStop<'s> {
    pub(super) text: &'s str,
    /// Offset at which the parser stopped.
    pub(super) at: usize,
    /// End of the last node that was read.
    pub(super) read: usize,
    /// Offset of the innermost bracket that is still open.
    pub(super) bracket: Option<usize>,
}

/// Returns the offset of the error, and its message.
pub(super) fn fault(stopped: &ParserStop<'_>, kind: &ErrorKind, raw: &str) -> (usize, String) {
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
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            (stopped.at, stopped.after_quote().unwrap_or_else(|| stopped.other_message(kind, raw)))
        }
        ErrorKind::DocumentIndicatorInQuotedScalar | ErrorKind::UnclosedQuotedScalar => {
            (stopped.at, "a quote that opens here is not closed: write it again after the text".to_owned())
        }
        ErrorKind::UnknownQuotedScalarEscape | ErrorKind::InvalidQuotedScalarHexEscape => {
            (stopped.at, stopped.escape().to_owned())
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => stopped.colon(&line),
        ErrorKind::ExpectedBlockMappingKey => stopped.key(&line),
        kind => (stopped.at, stopped.other_message(kind, raw)),
    }
}

impl ParserStop<'_> {
    /// Place of an earlier offset relative to the error: line numbers of the file differ if the text is a part of it.
    fn place_of(&self, offset: usize) -> String {
        match self.lines_since(offset) {
            0 => "on this line".to_owned(),
            1 => "on the line above".to_owned(),
            lines => format!("{lines} lines above"),
        }
    }

    /// Number of lines from an earlier offset to the error.
    fn lines_since(&self, offset: usize) -> usize {
        let lines = LineIndex::new(self.text);
        lines.line(self.at).saturating_sub(lines.line(offset))
    }

    /// Message for text after quoted text of several lines, whose first line probably lacks the closing quote; `None`
    /// if the quoted text is on one line.
    fn after_quote(&self) -> Option<String> {
        let quote = find_outside_comments(self.text, self.read, self.at, b"\"'")?;
        (self.lines_since(quote) > 0).then(|| {
            let place = self.place_of(quote);
            format!(
                "text after the end of a quoted text that starts {place}: close the quote there, or remove this text"
            )
        })
    }

    /// Message for a wrong escape in the double-quoted text that starts here.
    fn escape(&self) -> &'static str {
        let line = self.rest().lines().next().and_then(|line| line.get(1..)).unwrap_or_default();
        match line.contains('"') {
            true => {
                "a `\\` in double quotes begins an escape, and no such escape exists: write `\\\\`, or use single \
                 quotes"
            }
            false => {
                "a `\\` in this quoted text begins an escape, and no such escape exists: close the quote if the text \
                 ends on this line, or write `\\\\`"
            }
        }
    }

    /// Message for a comment up to the line of the error in a text that starts like JSON.
    pub(super) fn json_comment(&self) -> Option<(usize, &'static str)> {
        let starts = self.text.trim_start_matches(BOM).trim_start().starts_with(['{', '[', '/']);
        // `{{/* */}}` is a comment of a template.
        if !starts || self.text.contains("{{") {
            return None;
        }
        let read = part(self.text, 0..line_end(self.text, self.at));
        let (mut quoted, mut escaped, mut last) = (false, false, ' ');
        let comment = read.char_indices().find(|&(at, c)| {
            let starts = !quoted && (last.is_whitespace() || ",[]{}\u{feff}".contains(last));
            let comment = ["//", "/*"].iter().any(|mark| part(read, at..read.len()).starts_with(mark));
            quoted ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            last = c;
            starts && comment
        });
        comment.map(|(at, _)| (at, "JSON has no comments: remove the comment"))
    }

    /// Message for `${NAME}` in brackets, whose `{` ended a text or begins a mapping.
    fn placeholder(&self) -> Option<String> {
        let braces = [Some(self.at), self.bracket];
        braces.into_iter().flatten().find_map(|brace| {
            let name = part(self.text, brace..self.text.len()).strip_prefix('{')?;
            let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let is_whole = name.bytes().find(|b| !(b.is_ascii_alphanumeric() || *b == b'_')) == Some(b'}');
            let placeholder = starts && is_whole && part(self.text, 0..brace).ends_with('$');
            placeholder.then(|| {
                let name = name.split('}').next().unwrap_or_default();
                format!(
                    "a `{{` ends a text in brackets; if `${{{name}}}` is filled in later, put the whole text in quotes"
                )
            })
        })
    }

    /// Message for a bracket that is not closed; `None` if no bracket is open.
    fn open_bracket(&self) -> Option<String> {
        if let Some(message) = self.placeholder() {
            return Some(message);
        }
        let open = self.bracket?;
        let (opens, closes) = if self.text.get(open..)?.starts_with('[') { ('[', ']') } else { ('{', '}') };
        Some(format!("the `{opens}` {} is not closed: write `,` or `{closes}` before this", self.place_of(open)))
    }

    /// Message for a `:` at a position where a key is not allowed.
    fn colon(&self, line: &Line<'_>) -> (usize, String) {
        if let Some(message) = self.open_bracket() {
            return (self.at, message);
        }
        if line.first_colon().is_some_and(|first| self.at > first) {
            let message = "a second `: ` in one line: put the value in quotes if it contains one, or write the key on a separate line";
            return (self.at, message.to_owned());
        }
        let Some(above) = line.above() else {
            return (self.at, "a `:` is not expected here: put the text in quotes if it contains one".to_owned());
        };
        let quoted = above.message();
        let message = match above.first_colon() {
            None if above.content().contains(':') => format!("`{quoted}` above is text: write a space after its `:`"),
            None => format!(
                "`{quoted}` above is text, and this line continues it: start the line at the column of the other keys, \
                 or write `:` after the text above"
            ),
            Some(_) => format!(
                "this line is indented deeper than `{quoted}` above, which has a value already: start both at the same column"
            ),
        };
        (line.content_start(), message)
    }

    /// Message for text that is not a key, at a position where a key is expected.
    fn key(&self, line: &Line<'_>) -> (usize, String) {
        let content = line.content();
        if content == "-" || content.starts_with("- ") {
            let message = "a list item among keys: indent it deeper than the key that it belongs to, and remove any \
                           other value of the key";
            return (line.content_start(), message.to_owned());
        }
        if self.at > line.content_start() {
            let message = "text after the end of a value: remove it, or put the whole value in quotes";
            return (self.at, message.to_owned());
        }
        let columns: Vec<String> = line.columns_above().iter().map(ToString::to_string).collect();
        let message = match columns.as_slice() {
            [] => "a key is expected here, followed by `:`".to_owned(),
            columns => format!(
                "this line starts at column {}, and the lines above at column {}: start it at the column of the other \
                 keys",
                line.indent() + 1,
                columns.join(" or ")
            ),
        };
        (self.at, message)
    }

    /// Message for the remaining kinds of errors; `raw` is granit's text for kinds without a message here.
    fn other_message(&self, kind: &ErrorKind, raw: &str) -> String {
        match kind {
            ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
                self.open_bracket().unwrap_or_else(|| "write `,` between the items in brackets".to_owned())
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
                "the lines above are items of a list, and this line does not start with `- `: add `- `, or start the \
                 line at the column of the list's key"
                    .to_owned()
            }
            ErrorKind::BlockSequenceEntryNotAllowed => {
                "`- ` is not allowed here: write the items of a list on separate lines, below the key".to_owned()
            }
            ErrorKind::BlockEntryInFlowCollection => "`- ` inside of brackets: separate the items by `,`".to_owned(),
            ErrorKind::PlainScalarStartsWithDashFlowIndicator => {
                "a `-` directly before a bracket: write `,` between the items, or put the text in quotes".to_owned()
            }
            ErrorKind::InvalidBlockEntryWhitespace => "write a space after `-`".to_owned(),
            ErrorKind::InvalidMappingValueWhitespace | ErrorKind::FlowMappingValueAdjacentCollection => {
                "write a space after `:`".to_owned()
            }
            ErrorKind::CommentNotSeparated => "write a space before `#`".to_owned(),
            ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
                format!("a control character (U+{:04X}): remove it", u32::from(*character))
            }
            ErrorKind::BomInsideDocument => "a byte order mark (U+FEFF) inside of a text: remove it".to_owned(),
            ErrorKind::UnexpectedCharacter { character: '`' } => {
                "a value cannot start with a backtick: put the value in quotes".to_owned()
            }
            ErrorKind::UnexpectedCharacter { character } => {
                format!("`{}` cannot start a value: put the value in quotes", character.escape_default())
            }
            ErrorKind::UnknownAnchor => {
                let name: String = self.rest().chars().take_while(|c| !c.is_whitespace() && !",]}".contains(*c)).collect();
                let name = name.trim_start_matches('*');
                if let Some(key) = name.strip_suffix(':') {
                    return format!("the name of an alias may have a colon, so this is the alias `{name}`: write `*{key} :` for a key");
                }
                format!("`*{name}` is an alias, and there is no `&{name}` before it; a text that starts with `*` needs quotes")
            }
            ErrorKind::MissingAnchorOrAliasName => {
                "a text that starts with `&` or `*` needs quotes: these begin an anchor or an alias".to_owned()
            }
            ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
                "text after a closing quote: remove it, or put the whole value in quotes".to_owned()
            }
            ErrorKind::ExpectedDocumentStart => {
                "this line starts further left than the document, or follows its end: start all its keys at the same column, or \
                 write `---` before a new document"
                    .to_owned()
            }
            ErrorKind::InvalidBlockScalarHeader => {
                "text after `|` or `>`: write it on the next line, deeper than the key".to_owned()
            }
            ErrorKind::InvalidBlockScalarIndent => {
                "an empty line before a text is indented deeper than the text: remove its spaces".to_owned()
            }
            ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
                "a key without `:`: write it after the key, on the same line".to_owned()
            }
            ErrorKind::RecursionLimitExceeded => {
                format!("more than {} lists and mappings inside each other", super::tree::NESTING_LIMIT)
            }
            _ => format!("this is not YAML: {raw}"),
        }
    }

    /// Text from the position of the error on.
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }
}
