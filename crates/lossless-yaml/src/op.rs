//! Edits, what they become, and why one is refused.

use std::borrow::Cow;
use std::ops::Range;

use super::path::Path;
use super::tree::ParseError;
use super::value::Value;

/// One edit of a document. All edits of a set name nodes of the document before any of them.
///
/// Comments stay, but those that are part of a removed or replaced collection. What is new is written as its
/// surroundings are: their indentation, their sequence indent, block or flow, JSON, LF or CRLF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Replaces a node's value. A string over a scalar keeps its quote style, and only the bytes change that differ;
    /// numbers, booleans and null are written plain. An anchor and a tag stay.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "args:\n- '--port=8443'  # TLS\n- |\n  serve --port 8443 \\\n    --verbose\n";
    /// let after = "args:\n- '--port=20443'  # TLS\n- |\n  serve --port 20443 \\\n    --verbose\n";
    /// let ops = [
    ///     Op::Set { path: Path::dotted("args").item(0), value: "--port=20443".into() },
    ///     Op::Set { path: Path::dotted("args").item(1), value: "serve --port 20443 \\\n  --verbose\n".into() },
    /// ];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Set {
        /// The node.
        path: Path,
        /// What it becomes.
        value: Value,
    },
    /// Inserts a key into the mapping at `parent`, on lines of its own and at the place that [`Place`] says. In `{}`
    /// and in null it is the first key.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, Place, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "ports:\n- name: https # TLS\n  containerPort: 8443 # see args\n  # nothing else\nlabels: {}\n";
    /// let after = "ports:\n- name: https # TLS\n  containerPort: 8443 # see args\n  hostPort: 8443\n  # nothing else\nlabels:\n  a: b\n";
    /// let place = Place { after: vec!["containerPort".into()], before: vec![] };
    /// let ops = [
    ///     Op::Add { parent: Path::dotted("ports").item(0), key: "hostPort".into(), value: 8443_u16.into(), place },
    ///     Op::Add { parent: Path::dotted("labels"), key: "a".into(), value: "b".into(), place: Place::default() },
    /// ];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Add {
        /// The mapping.
        parent: Path,
        /// The new key.
        key: String,
        /// Its value.
        value: Value,
        /// Where it goes.
        place: Place,
    },
    /// Appends an element to the sequence at `sequence`. In `[]` and in null it is the first. A string is quoted as
    /// the other elements are, when they agree; a collection is in flow style when the element before it is.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "args:\n  - \"-v\" # loud\n  # - \"-x\"\nenv: [a, b]\n";
    /// let after = "args:\n  - \"-v\" # loud\n  - \"-w\"\n  # - \"-x\"\nenv: [a, b, c]\n";
    /// let ops = [
    ///     Op::Append { sequence: Path::dotted("args"), value: "-w".into() },
    ///     Op::Append { sequence: Path::dotted("env"), value: "c".into() },
    /// ];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Append {
        /// The sequence.
        sequence: Path,
        /// The new element.
        value: Value,
    },
    /// Puts an element behind another one of its sequence, written as an appended one is. Those behind one element keep
    /// the order of the edits; comments of that element stay with it.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "args:\n- -v # loud\n# the last one\n- -x\nenv: [a, b]\n";
    /// let after = "args:\n- -v # loud\n- -w\n# the last one\n- -x\nenv: [a, c, b]\n";
    /// let ops = [
    ///     Op::Insert { behind: Path::dotted("args").item(0), value: "-w".into() },
    ///     Op::Insert { behind: Path::dotted("env").item(0), value: "c".into() },
    /// ];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Insert {
        /// The element that it follows.
        behind: Path,
        /// The new element.
        value: Value,
    },
    /// Removes a key with its value, or an element: its lines, the comments on them, and comments that stand deeper
    /// below a collection. Comments above stay: they may speak of more than the one entry. A collection that loses
    /// its last entry becomes `{}` or `[]`.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "# the pod\nspec:\n  # shared\n  hostUsers: false # gone\n  containers: []\nlabels: # none\n  a: b\n";
    /// let after = "# the pod\nspec:\n  # shared\n  containers: []\nlabels: {} # none\n";
    /// let ops = [Op::Remove { path: Path::dotted("spec.hostUsers") }, Op::Remove { path: Path::dotted("labels.a") }];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Remove {
        /// The entry.
        path: Path,
    },
}

impl Op {
    /// The node or the collection that the edit is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Set { path, .. } | Self::Remove { path } => path,
            Self::Add { parent, .. } => parent,
            Self::Append { sequence, .. } => sequence,
            Self::Insert { behind, .. } => behind,
        }
    }
}

/// Where a new key goes: behind the first of `after` that is there and has a value on a single line; else above the
/// first of `before` that is there, and above the comment lines that belong to it; else behind the last entry with a
/// value on a single line; else at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The keys it may follow, nearest first.
    pub after: Vec<Cow<'static, str>>,
    /// The keys it may precede, nearest first.
    pub before: Vec<Cow<'static, str>>,
}

/// A range of a text and what takes its place. An empty range inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Byte offsets in [`Tree::text`](super::Tree::text).
    pub range: Range<usize>,
    /// The new bytes.
    pub text: String,
}

/// A text with its splices applied. They are sorted and do not overlap, as [`edit`](super::edit) returns them.
#[must_use]
pub fn splice(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    out.extend(spliced(text, splices));
    out
}

/// The pieces of a text with its splices applied, one after the other: nothing is copied.
pub fn spliced<'a>(text: &'a str, splices: &'a [Splice]) -> impl Iterator<Item = &'a str> {
    let starts = splices.iter().map(|splice| splice.range.start).chain([text.len()]);
    let ends = std::iter::once(0).chain(splices.iter().map(|splice| splice.range.end));
    let new = splices.iter().map(|splice| splice.text.as_str()).chain([""]);
    ends.zip(starts).zip(new).flat_map(|((from, to), new)| [text.get(from..to).unwrap_or_default(), new])
}

/// Why a document is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The path leads nowhere.
    #[error("there is no {}", shown(path))]
    NotFound {
        /// Where the way ends.
        path: Path,
    },
    /// A mapping or a sequence is needed where something else is.
    #[error("line {line}: {} is not a {expected}", shown(path))]
    WrongKind {
        /// The node.
        path: Path,
        /// Its line, from 1.
        line: usize,
        /// "mapping" or "sequence".
        expected: &'static str,
    },
    /// The key to add is there.
    #[error("line {line}: {} is there already", shown(path))]
    Exists {
        /// The key.
        path: Path,
        /// Its line, from 1.
        line: usize,
    },
    /// The node has an anchor, and other places that would change with it.
    #[error(
        "line {line}: {} is shared through the anchor &{anchor}: change the alias sites alike, or write the value out",
        shown(path)
    )]
    Aliased {
        /// The node.
        path: Path,
        /// The anchor's name.
        anchor: String,
        /// The anchor's line, from 1.
        line: usize,
    },
    /// The key is there only through a merge key.
    #[error(
        "line {line}: {} comes through `<<` from the anchor &{anchor}: write the key out where it is needed",
        shown(path)
    )]
    Merged {
        /// The key.
        path: Path,
        /// The anchor's name; empty when the merged mapping has none.
        anchor: String,
        /// The merged mapping's line, from 1.
        line: usize,
    },
    /// A key on the way is there twice.
    #[error("lines {first} and {second}: {} is there twice: remove one", shown(path))]
    Duplicate {
        /// The key.
        path: Path,
        /// The line of the first, from 1.
        first: usize,
        /// The line of the second.
        second: usize,
    },
    /// Two edits of one set want the same bytes.
    #[error("{} is edited twice", shown(path))]
    Conflict {
        /// The node.
        path: Path,
    },
    /// A form that edits do not reach.
    #[error("line {line}: {} cannot be edited: {why}", shown(path))]
    Unsupported {
        /// The node.
        path: Path,
        /// Its line, from 1.
        line: usize,
        /// What is in the way.
        why: &'static str,
    },
    /// The text was repaired to be read.
    #[error("{0}")]
    ReadOnly(ParseError),
    /// The text is not YAML.
    #[error("{0}")]
    Parse(#[from] ParseError),
    /// The edited text does not say what was asked for: a fault of this program. Nothing may be written.
    #[error("internal error: the edited text differs from what was asked for: {0}")]
    Internal(String),
}

/// A path in a message; that of the root says nothing by itself.
fn shown(path: &Path) -> String {
    if path.last().is_none() { "the document".to_owned() } else { path.to_string() }
}
