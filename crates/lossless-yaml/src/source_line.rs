//! Lines of a text that is not YAML, and causes of the error in the lines around them.

use super::lines;

/// A line of a text.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Line<'t> {
    /// Returns the line that contains an offset.
    pub(super) fn at(text: &'t str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        Self { text, start: before.rfind(['\n', '\r']).map_or(0, |at| at + 1) }
    }

    /// The line with its indentation.
    pub(super) fn whole(&self) -> &'t str {
        lines::part(self.text, self.start..lines::line_end(self.text, self.start))
    }

    /// The line without indentation and line break.
    pub(super) fn content(&self) -> &'t str {
        self.whole().trim()
    }

    /// Returns the number of bytes before the content.
    pub(super) fn indent(&self) -> usize {
        self.whole().len() - self.whole().trim_start().len()
    }

    pub(super) fn content_start(&self) -> usize {
        self.start + self.indent()
    }

    /// Returns the content, shortened for a message.
    pub(super) fn message(&self) -> String {
        let content = self.content();
        if content.chars().count() <= 40 {
            content.to_owned()
        } else {
            content.chars().take(37).chain("...".chars()).collect()
        }
    }

    /// Returns the nearest line above that has more than a comment; `None` at the start of the document.
    pub(super) fn above(&self) -> Option<Self> {
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

    /// Returns the next line; empty after the last line.
    fn below(&self) -> Self {
        Self { text: self.text, start: lines::next_line(self.text, self.start) }
    }

    /// Returns the columns (from 1) of lines above to which this line may belong, nearest first.
    pub(super) fn columns_above(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        let mut above = self.above();
        // Eight columns are enough for a message, even in deep nesting.
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

    /// Returns the offset of the `:` of the first key.
    pub(super) fn first_colon(&self) -> Option<usize> {
        let whole = self.whole().trim_end();
        let colon = whole.find(": ").or_else(|| whole.len().checked_sub(1).filter(|_| whole.ends_with(':')));
        colon.map(|at| self.start + at)
    }

    /// Returns the first tab in the indentation of this line or the next; otherwise the next tab after `from`.
    pub(super) fn tab(&self, from: usize) -> usize {
        for line in [*self, self.below()] {
            let blank = line.whole().len() - line.whole().trim_start().len();
            if let Some(tab) = line.whole().get(..blank).and_then(|blank| blank.find('\t')) {
                return line.start + tab;
            }
        }
        self.text.get(from..).and_then(|rest| rest.find('\t')).map_or(from, |tab| from + tab)
    }

    /// Returns the message for a merge conflict marker of git on this line or an adjacent line.
    pub(super) fn conflict(&self) -> Option<(usize, String)> {
        let lines = [self.above(), Some(*self), Some(self.below())];
        let marked = lines.into_iter().flatten().find(|line| {
            ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.whole().starts_with(mark)) || line.whole() == "======="
        })?;
        Some((marked.start, "a merge that is not finished: git left both versions here; keep one of them".to_owned()))
    }

    /// Returns the message for a template expression (`{{`) on this line or the line above.
    pub(super) fn template(&self) -> Option<(usize, String)> {
        let lines = [self.above(), Some(*self)];
        let at = lines.into_iter().flatten().find_map(|line| Some(line.start + line.whole().find("{{")?))?;
        let output = template_output(self.text);
        Some((at, format!("this is a template and not YAML yet: give {output}, or list the file in `.krmignore`")))
    }
}

/// Parts of templates of Helm's charts, which other programs with `{{ ... }}` do not have.
const HELM: [&str; 12] = [
    ".Values",
    ".Release.",
    ".Chart.",
    ".Capabilities.",
    ".Files.",
    ".Template.",
    "include \"",
    "define \"",
    "template \"",
    "toYaml",
    "nindent ",
    "| indent ",
];

/// Name of the output to give in place of a template: of Helm for a template of a chart, of ytt for its comments.
///
/// ```
/// use lossless_yaml::template_output;
/// assert_eq!(template_output("a: {{ .Values.a }}"), "the output of `helm template NAME CHART`");
/// assert_eq!(template_output("a: #@ b"), "the output of `ytt --file FOLDER`");
/// for other in ["a: {{ a }} # indent 2", "{% include \"a\" %}\nb: {{ b }}"] {
///     assert_eq!(template_output(other), "the output of the program that fills it in");
/// }
/// ```
pub fn template_output(text: &str) -> &'static str {
    // Jinja's `{% include "a" %}`.
    match !text.contains("{%") && HELM.iter().any(|part| text.contains(part)) {
        true => "the output of `helm template NAME CHART`",
        false if text.contains("#@ ") && !text.contains("{{") => "the output of `ytt --file FOLDER`",
        false => "the output of the program that fills it in",
    }
}
