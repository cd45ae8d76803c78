//! Why an input cannot be read or an edit not be written: where, and the line itself.

use std::fmt;

use lossless_yaml::Excerpt;

/// Empty output is what hosts take for "delete everything", and empty input is most often a failure further up a pipe.
pub(super) const EMPTY: &str = "nothing to read: the input is empty. Did the command before this one in the pipe fail?";

/// The functions spec requires items; a list without them was cut short, or is not a list.
pub(super) const NO_ITEMS: &str =
    "a ResourceList has `items`, a list of objects; write `items: []` when there are none";

/// An input that cannot be read. Nothing of it was written.
///
/// It prints as one line that says everything, then the line of the input:
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
    /// The name of the input, with document and item as far as known.
    pub place: String,
    /// Line and column (in characters), counted from 1; none when the whole input is meant.
    pub position: Option<(usize, usize)>,
    /// What is wrong, and what to do about it where that is known.
    pub message: String,
    pub(super) excerpt: Option<Excerpt>,
}

impl ReadError {
    pub(super) fn of_input(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), position: None, message: message.into(), excerpt: None }
    }

    /// An error of all inputs together.
    #[must_use]
    pub fn of_run(message: String) -> Self {
        Self::of_input("", message)
    }

    /// An error at byte `offset` of the whole input.
    pub(super) fn at(place: impl Into<String>, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let (line, column, excerpt) = locate(text, offset);
        Self { place: place.into(), position: Some((line, column)), message: message.into(), excerpt: Some(excerpt) }
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_error(f, &self.place, self.position, &self.message, self.excerpt.as_ref())
    }
}

/// An edit that cannot be written. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderError {
    /// The position of the object in the order of [`Input::objects`](super::Input::objects); none when the envelope is
    /// meant.
    pub object: Option<usize>,
    /// The name of the input, with document and item as far as known.
    pub place: String,
    /// Line and column (in characters), counted from 1.
    pub position: Option<(usize, usize)>,
    /// What is in the way, and the remedy where one is known.
    pub message: String,
    pub(super) excerpt: Option<Excerpt>,
}

impl std::error::Error for RenderError {}

impl From<ReadError> for RenderError {
    fn from(error: ReadError) -> Self {
        let ReadError { place, position, message, excerpt } = error;
        Self { object: None, place, position, message, excerpt }
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_error(f, &self.place, self.position, &self.message, self.excerpt.as_ref())
    }
}

/// Line, column and excerpt of a byte of a text.
pub(super) fn locate(text: &str, offset: usize) -> (usize, usize, Excerpt) {
    let ((line, column), excerpt) = Excerpt::of(text, offset);
    (line, column, excerpt)
}

fn write_error(
    f: &mut fmt::Formatter<'_>,
    place: &str,
    position: Option<(usize, usize)>,
    message: &str,
    excerpt: Option<&Excerpt>,
) -> fmt::Result {
    f.write_str(place)?;
    let Some((line, column)) = position else {
        return if place.is_empty() { f.write_str(message) } else { write!(f, ": {message}") };
    };
    write!(f, ", line {line}, column {column}: {message}")?;
    let Some(excerpt) = excerpt else { return Ok(()) };
    write!(f, "\n{excerpt}")
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
        assert_eq!(locate(text, text.len()).0, 4);
    }
}
