//! Words of a command line: the text for the process, and the position of each part in the manifest.

use std::ops::Range;
use std::sync::Arc;

use lossless_yaml::Path;

/// Part of a scalar: a port number, or a whole value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// Path of the scalar in the object.
    pub path: Path,
    /// Whole text of the scalar. Shared, because a script may have thousands of positions.
    pub text: Arc<str>,
    /// Range of the part, in bytes of the text.
    pub range: Range<usize>,
}

/// Part of a word that is the same in the manifest and for the process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Literal {
    /// Range in bytes of the word.
    word: Range<usize>,
    /// Start of the part in the scalar.
    written: usize,
}

/// Word of a command: an element of a list, or a word of a script.
#[derive(Debug, Clone)]
pub(in crate::model) struct Word {
    path: Path,
    whole: Arc<str>,
    text: String,
    literals: Vec<Literal>,
    /// Range of the whole word in the scalar, including quotes.
    written: Range<usize>,
    /// Number of the command with this word: words of different commands are unrelated.
    pub(in crate::model) command: usize,
}

impl Word {
    /// Creates a word from a whole scalar.
    pub(in crate::model) fn whole(path: Path, text: &str, command: usize) -> Self {
        let whole: Arc<str> = text.into();
        Self::part(path, &whole, 0..text.len(), command)
    }

    /// Creates a word from a literal range of a scalar.
    pub(in crate::model) fn part(path: Path, whole: &Arc<str>, written: Range<usize>, command: usize) -> Self {
        let mut word = Self::empty(path, whole, written.clone(), command);
        word.push_literal(written);
        word
    }

    /// Creates a word without text.
    pub(in crate::model) fn empty(path: Path, whole: &Arc<str>, written: Range<usize>, command: usize) -> Self {
        Self { path, whole: Arc::clone(whole), text: String::new(), literals: Vec::new(), written, command }
    }

    /// Adds a literal part.
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

    /// Adds a part that differs from the manifest: a variable, an escape.
    pub(in crate::model) fn push_expanded_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Text for the process, with variables as `$(NAME)`.
    pub(in crate::model) fn text(&self) -> &str {
        &self.text
    }

    /// Path of the scalar.
    pub(in crate::model) fn path(&self) -> &Path {
        &self.path
    }

    /// The whole word as in the manifest.
    pub(in crate::model) fn as_written(&self) -> &str {
        self.whole.get(self.written.clone()).unwrap_or_default()
    }

    /// Position of a range of the word; `None` if the range contains a variable or an escape.
    pub(in crate::model) fn place(&self, range: Range<usize>) -> Option<TextPlace> {
        let literal = self.literals.iter().find(|l| l.word.start <= range.start && range.end <= l.word.end)?;
        let start = literal.written + (range.start - literal.word.start);
        Some(TextPlace { path: self.path.clone(), text: Arc::clone(&self.whole), range: start..start + range.len() })
    }

    /// Position of the whole word, including quotes.
    pub(in crate::model) fn whole_place(&self) -> TextPlace {
        TextPlace { path: self.path.clone(), text: Arc::clone(&self.whole), range: self.written.clone() }
    }
}
