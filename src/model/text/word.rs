//! Words of a command line: what the process gets, and where each part of it is written.

use std::ops::Range;
use std::sync::Arc;

use lossless_yaml::Path;

/// A part of a scalar: a port number, or all of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// The scalar's path in the object.
    pub path: Path,
    /// The scalar's whole text. Shared, since a script may have thousands of places.
    pub text: Arc<str>,
    /// The part, in bytes of the text.
    pub range: Range<usize>,
}

/// A stretch of a word that is written as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Literal {
    /// In bytes of the word.
    word: Range<usize>,
    /// Where it starts in the scalar.
    written: usize,
}

/// A word of a command: a whole element of a list, or a word of a script.
#[derive(Debug, Clone)]
pub(in crate::model) struct Word {
    path: Path,
    whole: Arc<str>,
    text: String,
    literals: Vec<Literal>,
    /// Where the whole word is written, quotes included.
    written: Range<usize>,
    /// The command that it belongs to: words of different commands say nothing of each other.
    pub(in crate::model) command: usize,
}

impl Word {
    /// A whole scalar.
    pub(in crate::model) fn whole(path: Path, text: &str, command: usize) -> Self {
        let whole: Arc<str> = text.into();
        Self::part(path, &whole, 0..text.len(), command)
    }

    /// A range of a scalar that is read as it is written.
    pub(in crate::model) fn part(path: Path, whole: &Arc<str>, written: Range<usize>, command: usize) -> Self {
        let mut word = Self::empty(path, whole, written.clone(), command);
        word.push_literal(written);
        word
    }

    /// A word whose text is still to be pushed.
    pub(in crate::model) fn empty(path: Path, whole: &Arc<str>, written: Range<usize>, command: usize) -> Self {
        Self { path, whole: Arc::clone(whole), text: String::new(), literals: Vec::new(), written, command }
    }

    /// Adds what is read as it is written.
    pub(in crate::model) fn push_literal(&mut self, written: Range<usize>) {
        let Some(text) = self.whole.get(written.clone()) else { return };
        let start = self.text.len();
        self.text.push_str(text);
        match self.literals.last_mut() {
            Some(last) if last.word.end == start && last.written + last.word.len() == written.start => {
                last.word.end = self.text.len();
            }
            _ => self.literals.push(Literal { word: start..self.text.len(), written: written.start }),
        }
    }

    /// Adds what is written otherwise: a variable, an escape.
    pub(in crate::model) fn push_read(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// What the process gets; variables as `$(NAME)`.
    pub(in crate::model) fn text(&self) -> &str {
        &self.text
    }

    /// The path of the element that it is, or that it is a part of.
    pub(in crate::model) fn path(&self) -> &Path {
        &self.path
    }

    /// All of the word, as it is written.
    pub(in crate::model) fn as_written(&self) -> &str {
        self.whole.get(self.written.clone()).unwrap_or_default()
    }

    /// Where a range of the word is written; none when a variable or an escape is in it.
    pub(in crate::model) fn place(&self, range: Range<usize>) -> Option<TextPlace> {
        let literal = self.literals.iter().find(|l| l.word.start <= range.start && range.end <= l.word.end)?;
        let start = literal.written + (range.start - literal.word.start);
        Some(TextPlace { path: self.path.clone(), text: Arc::clone(&self.whole), range: start..start + range.len() })
    }

    /// Where the whole word is written, quotes included.
    pub(in crate::model) fn whole_place(&self) -> TextPlace {
        TextPlace { path: self.path.clone(), text: Arc::clone(&self.whole), range: self.written.clone() }
    }
}
