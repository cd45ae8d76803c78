//! Errors of reading an input and writing an edit, with position and an excerpt of the line.

use std::path::Path;
use std::{fmt, io};

use super::escape::shown_path;
use lossless_yaml::Excerpt;

/// Hosts read empty output as "delete everything", and empty input most often means that an earlier
/// command of the pipe failed.
pub(super) const EMPTY: &str = "nothing to read: the input is empty. Did the command before this one in the pipe fail?";

/// Error for a list without items, which the functions spec requires: the list was truncated or is not a list.
pub(super) const NO_ITEMS: &str = "a ResourceList has `items`, a list of objects; write `items: []` for an empty list";

/// An input that cannot be read. Nothing was written.
///
/// `Display` prints a complete one-line message, then the line of the input:
///
/// ```
/// use krm::{Input, Origin};
/// let broken = "apiVersion: v1\nkind: ConfigMap\n---\nkind: {{ .Values.kind }}-x\n";
/// let input = Input::read(Origin::file("chart.yaml"), broken.into()).unwrap();
/// let error = input.objects(|_, _| ()).unwrap_err();
/// assert!(error.to_string().starts_with("chart.yaml, document 2, line 4, column "), "{error}");
/// assert!(error.to_string().contains("kind: {{ .Values.kind }}-x"), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Name of the input, with document and item as far as known.
    pub place: String,
    /// Line and column (in characters), counted from 1; `None` for an error of the whole input.
    pub position: Option<(usize, usize)>,
    /// The problem and, where known, the remedy.
    pub message: String,
    pub(super) excerpt: Option<Excerpt>,
}

impl ReadError {
    /// Creates an error about an input, with the place as text.
    pub(super) fn for_input(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), position: None, message: message.into(), excerpt: None }
    }

    /// Creates an error of the whole run, without a place.
    pub fn for_run(message: String) -> Self {
        Self::for_input("", message)
    }

    /// Creates an error for a file or folder that cannot be read.
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Self::for_input(shown_path(path), error.to_string())
    }

    /// Creates an error at byte `offset` of the whole input.
    pub(super) fn at(place: impl Into<String>, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let (position, excerpt) = Excerpt::at_offset(text, offset);
        Self { place: place.into(), position: Some(position), message: message.into(), excerpt: Some(excerpt) }
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        let Some((line, column)) = self.position else {
            return if self.place.is_empty() { f.write_str(&self.message) } else { write!(f, ": {}", self.message) };
        };
        write!(f, ", line {line}, column {column}: {}", self.message)?;
        self.excerpt.as_ref().map_or(Ok(()), |excerpt| write!(f, "\n{excerpt}"))
    }
}

/// An edit that cannot be written. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct RenderError {
    /// Index of the object in the order of [`Input::objects`](super::Input::objects); `None` for an
    /// error of the envelope.
    pub object: Option<usize>,
    /// The place, the problem and, where known, the remedy.
    pub error: ReadError,
}

impl From<ReadError> for RenderError {
    fn from(error: ReadError) -> Self {
        Self { object: None, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_shown() {
        let error = ReadError::at("a.yaml", "a: b\nkey: \u{1b}[31m}\n", 11, "no");
        insta::assert_snapshot!(error, @r"
        a.yaml, line 2, column 7: no
          |
        2 | key: �[31m}
          |       ^
        ");
    }

    #[test]
    fn long_lines_are_cut_and_the_column_stays_right() {
        let text = format!("a: {}}}{}", "x".repeat(10_000), "y".repeat(10_000));
        let error = ReadError::at("a.yaml", &text, 10_003, "no");
        assert_eq!(error.position, Some((1, 10_004)));
        assert!(error.to_string().len() < 1000);
    }

    #[test]
    fn every_offset_has_a_place() {
        let text = "ä: \r\n\rx\ry\u{1f600}";
        for offset in 0..=text.len() + 1 {
            let error = ReadError::at("a", text, offset, "m").to_string();
            assert!(error.starts_with("a, line "));
        }
        assert_eq!(Excerpt::at_offset(text, text.len()).0.0, 4);
    }
}
