//! Excerpts of source lines for messages, with a mark under the error.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::line_index::LineIndex;
use super::passwords::passwords;

/// Maximum number of characters shown before and after the error.
const MAX_SHOWN_CHARS: usize = 100;

/// Part of a line, and the position of the error in it.
///
/// ```
/// let (position, excerpt) = lossless_yaml::Excerpt::at_offset("a: b\nports: atuo\n", 12);
/// assert_eq!(position, (2, 8));
/// assert_eq!(excerpt.to_string(), "  |\n2 | ports: atuo\n  |        ^");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Line number, counted from 1.
    line: usize,
    text: Box<str>,
    at: usize,
}

impl Excerpt {
    /// Returns line and column of a byte offset (column in characters, both counted from 1), and the excerpt of its
    /// line.
    pub fn at_offset(text: &str, offset: usize) -> ((usize, usize), Self) {
        let lines = LineIndex::new(text);
        let (line, column) = lines.position(offset);
        let whole = text.get(lines.start(line)..).unwrap_or_default();
        // Show only the part of a very long line that is near the offset.
        let skipped = (column - 1).saturating_sub(MAX_SHOWN_CHARS);
        let at = column - 1 - skipped;
        let whole = whole.split(['\n', '\r']).next().unwrap_or_default();
        let hidden = passwords(whole);
        let shown = whole
            .char_indices()
            .skip(skipped)
            .take(at + MAX_SHOWN_CHARS)
            .map(|(place, c)| if hidden.iter().any(|range| range.contains(&place)) { '*' } else { visible(c) });
        ((line, column), Self { line, text: shown.collect(), at })
    }
}

/// Formats the line with its number, and the mark under it.
impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = char_span(&self.text, self.at);
        let snippet = Snippet::source(&*self.text).line_start(self.line).annotation(AnnotationKind::Primary.span(span));
        // The title is not part of the excerpt, so that it can also be printed as one line of a log.
        let report = &[Group::with_level(Level::ERROR).element(snippet)];
        f.write_str(&Renderer::plain().render(report))
    }
}

/// Replaces characters that could control the terminal.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_control_or_invisible(c) => '\u{fffd}',
        c => c,
    }
}

/// True for control characters, line separators, characters that change the text direction, and invisible characters.
pub fn is_control_or_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

fn char_span(text: &str, at: usize) -> std::ops::Range<usize> {
    let start = text.char_indices().nth(at).map_or(text.len(), |(start, _)| start);
    let end = text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
    start..end
}
