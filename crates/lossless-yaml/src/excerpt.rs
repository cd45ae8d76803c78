//! The line of a text that a message is about, with a mark under the place.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::line_index::LineIndex;
use super::passwords::passwords;

/// Characters of a line that are shown around a place.
const SHOWN: usize = 100;

/// Part of a line, and where in it (in characters) the place is.
///
/// ```
/// let (position, excerpt) = lossless_yaml::Excerpt::of("a: b\nports: atuo\n", 12);
/// assert_eq!(position, (2, 8));
/// assert_eq!(excerpt.to_string(), "  |\n2 | ports: atuo\n  |        ^");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Its number, counted from 1.
    line: usize,
    text: Box<str>,
    at: usize,
}

impl Excerpt {
    /// Line and column (in characters, both counted from 1) of a byte of a text, and the line itself.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> ((usize, usize), Self) {
        let lines = LineIndex::new(text);
        let (line, column) = lines.position(offset);
        let whole = text.get(lines.start(line)..).unwrap_or_default();
        // Of a very long line only the end before the place and the start after it is of use.
        let skipped = (column - 1).saturating_sub(SHOWN);
        let at = column - 1 - skipped;
        let whole = whole.split(['\n', '\r']).next().unwrap_or_default();
        let hidden = passwords(whole);
        let shown = whole
            .char_indices()
            .skip(skipped)
            .take(at + SHOWN)
            .map(|(place, c)| if hidden.iter().any(|range| range.contains(&place)) { '*' } else { visible(c) });
        ((line, column), Self { line, text: shown.collect(), at })
    }
}

/// The line with its number, and the mark under it.
impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = char_span(&self.text, self.at);
        let snippet = Snippet::source(&*self.text).line_start(self.line).annotation(AnnotationKind::Primary.span(span));
        // The title is written apart, in a form that also fits in one line of a log.
        let report = &[Group::with_level(Level::ERROR).element(snippet)];
        f.write_str(&Renderer::plain().render(report))
    }
}

/// A terminal must not obey what a text holds.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_obeyed(c) => '\u{fffd}',
        c => c,
    }
}

/// Control characters, what ends a line for some readers, what turns the direction of the text around it, and what is not seen at all.
#[must_use]
pub fn is_obeyed(c: char) -> bool {
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
