//! Edit operations, resulting replacements and errors.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::path::Path;
use super::tree::ParseError;
use super::value::Value;

/// One edit of a document. The paths of all edits in a set refer to the document before any edit.
///
/// Comments are kept except those inside of a removed or replaced collection. New text follows the
/// surrounding style: indentation, sequence indent, block or flow, JSON, LF or CRLF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Replaces a node's value. A string that replaces a scalar keeps the quote style, and only the
    /// differing bytes change; numbers, booleans and null are written plain. Anchors and tags are
    /// kept.
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
        /// Path of the node.
        path: Path,
        /// New value.
        value: Value,
    },
    /// Inserts a key into the mapping at `parent`, on separate lines at the position given by
    /// [`KeyPosition`]. An empty mapping (`{}`) or null becomes a mapping with this key.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, KeyPosition, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "ports:\n- name: https # TLS\n  containerPort: 8443 # see args\n  # nothing else\nlabels: {}\n";
    /// let after = "ports:\n- name: https # TLS\n  containerPort: 8443 # see args\n  hostPort: 8443\n  # nothing else\nlabels:\n  a: b\n";
    /// let place = KeyPosition { after: vec!["containerPort".into()], before: vec![] };
    /// let ops = [
    ///     Op::Add { parent: Path::dotted("ports").item(0), key: "hostPort".into(), value: 8443_u16.into(), place },
    ///     Op::Add { parent: Path::dotted("labels"), key: "a".into(), value: "b".into(), place: KeyPosition::default() },
    /// ];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Add {
        /// Path of the mapping.
        parent: Path,
        /// The new key.
        key: String,
        /// Value of the key.
        value: Value,
        /// Position of the key.
        place: KeyPosition,
    },
    /// Appends an element to the sequence at `sequence`. `[]` or null becomes a sequence with this
    /// element. A string is quoted like the other elements if their quotes agree; a collection uses
    /// flow style if the preceding element does.
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
        /// Path of the sequence.
        sequence: Path,
        /// The new element.
        value: Value,
    },
    /// Inserts an element after another element of the sequence, in the style of an appended
    /// element. Elements inserted after the same element keep the order of the edits; comments of
    /// the existing element stay with it.
    ///
    /// ```
    /// # use lossless_yaml::{Op, Path, edit_text};
    /// # fn main() -> Result<(), lossless_yaml::EditError> {
    /// let before = "args:\n- -v # loud\n# the last one\n- -x\nenv: [a, b]\n";
    /// let after = "args:\n- -v # loud\n- -w\n# the last one\n- -x\nenv: [a, c, b]\n";
    /// let ops = [
    ///     Op::Insert { after: Path::dotted("args").item(0), value: "-w".into() },
    ///     Op::Insert { after: Path::dotted("env").item(0), value: "c".into() },
    /// ];
    /// assert_eq!(edit_text(before, 0, &Path::root(), &ops)?, after);
    /// # Ok(())
    /// # }
    /// ```
    Insert {
        /// Path of the existing element.
        after: Path,
        /// The new element.
        value: Value,
    },
    /// Removes a key with its value, or an element: the lines, the comments on these lines, and more
    /// deeply indented comments after a collection. Comments above are kept, because they may apply
    /// to more than one entry. A collection without remaining entries becomes `{}` or `[]`.
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
        /// Path of the key or element.
        path: Path,
    },
}

impl Op {
    /// Returns the path of the edited node, or of the collection that gets an element or key.
    pub fn path(&self) -> &Path {
        match self {
            Self::Set { path, .. } | Self::Remove { path } => path,
            Self::Add { parent, .. } => parent,
            Self::Append { sequence, .. } => sequence,
            Self::Insert { after, .. } => after,
        }
    }
}

/// Position of a new key, by the first rule that applies: after the first existing key of `after`
/// with a single-line value; before the first existing key of `before` and its comment lines; after
/// the last entry with a single-line value; at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPosition {
    /// Keys that the new key may follow, in order of preference.
    pub after: Vec<Cow<'static, str>>,
    /// Keys that the new key may precede, in order of preference.
    pub before: Vec<Cow<'static, str>>,
}

/// A range of a text and its replacement. An empty range inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Byte offsets in [`Tree::text`](super::Tree::text).
    pub range: Range<usize>,
    /// Replacement text.
    pub text: String,
}

/// Applies splices to a text. The splices must be sorted and must not overlap, as returned by [`edit`](super::edit()).
pub fn splice(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    out.extend(spliced(text, splices));
    out
}

/// Returns the pieces of a text with splices applied, in order and without copying.
pub fn spliced<'a>(text: &'a str, splices: &'a [Splice]) -> impl Iterator<Item = &'a str> {
    let starts = splices.iter().map(|splice| splice.range.start).chain([text.len()]);
    let ends = std::iter::once(0).chain(splices.iter().map(|splice| splice.range.end));
    let new = splices.iter().map(|splice| splice.text.as_str()).chain([""]);
    ends.zip(starts).zip(new).flat_map(|((from, to), new)| [text.get(from..to).unwrap_or_default(), new])
}

/// Reason why a document cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The path does not exist.
    NotFound {
        /// Path up to the first missing step.
        path: Path,
    },
    /// The node has to be a mapping or a sequence but is not.
    WrongKind {
        /// Path of the node.
        path: Path,
        /// Line of the node, counted from 1.
        line: usize,
        /// "mapping" or "sequence".
        expected: &'static str,
    },
    /// The key to add already exists.
    Exists {
        /// Path of the key.
        path: Path,
        /// Line of the key, counted from 1.
        line: usize,
    },
    /// The node has an anchor, and aliases elsewhere would change with it.
    Aliased {
        /// Path of the node.
        path: Path,
        /// Name of the anchor.
        anchor: String,
        /// Line of the anchor, counted from 1.
        line: usize,
    },
    /// The key exists only through a merge key.
    Merged {
        /// Path of the key.
        path: Path,
        /// Name of the anchor; empty if the merged mapping has no anchor.
        anchor: String,
        /// Line of the merged mapping, counted from 1.
        line: usize,
    },
    /// A key on the path is duplicated.
    Duplicate {
        /// Path of the key.
        path: Path,
        /// Line of the first occurrence, counted from 1.
        first: usize,
        /// Line of the second occurrence, counted from 1.
        second: usize,
    },
    /// Two edits of one set change the same bytes.
    Conflict {
        /// Path of the node.
        path: Path,
    },
    /// A YAML form that edits do not support.
    Unsupported {
        /// Path of the node.
        path: Path,
        /// Line of the node, counted from 1.
        line: usize,
        /// Reason why the form is not supported.
        why: &'static str,
    },
    /// Go's YAML parser refuses the text, so it is read-only.
    ReadOnly(ParseError),
    /// The text is not YAML.
    Parse(ParseError),
    /// Internal error: the edited text does not contain the requested value. Nothing may be written.
    Internal(String),
}

impl EditError {
    /// Line of the document that the error is about, counted from 1.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::WrongKind { line, .. }
            | Self::Exists { line, .. }
            | Self::Aliased { line, .. }
            | Self::Merged { line, .. }
            | Self::Unsupported { line, .. } => Some(*line),
            Self::Duplicate { second, .. } => Some(*second),
            Self::NotFound { .. } | Self::Conflict { .. } | Self::ReadOnly(_) | Self::Parse(_) | Self::Internal(_) => {
                None
            }
        }
    }

    /// Text of the error without line numbers.
    pub fn reason(&self) -> String {
        match self {
            Self::NotFound { path } => format!("there is no {}", path_text(path)),
            Self::WrongKind { path, expected, .. } => format!("{} is not a {expected}", path_text(path)),
            Self::Exists { path, .. } => format!("{} already exists", path_text(path)),
            Self::Aliased { path, anchor, .. } => format!(
                "{} is shared through the anchor &{anchor}: change all its aliases in the same way, or write the value out",
                path_text(path)
            ),
            Self::Merged { path, anchor, .. } => {
                let from = if anchor.is_empty() { String::new() } else { format!(" from the anchor &{anchor}") };
                format!("{} comes through `<<`{from}: write the key out where it is needed", path_text(path))
            }
            Self::Duplicate { path, .. } => format!("{} occurs twice: remove one", path_text(path)),
            Self::Conflict { path } => format!("{} is edited twice", path_text(path)),
            Self::Unsupported { path, why, .. } => format!("{} cannot be edited: {why}", path_text(path)),
            Self::ReadOnly(error) | Self::Parse(error) => error.to_string(),
            Self::Internal(why) => format!("internal error: the edited text differs from the requested change: {why}"),
        }
    }
}

/// The reason, after the line numbers.
impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.line()) {
            (Self::Duplicate { first, second, .. }, _) => write!(f, "lines {first} and {second}: ")?,
            (_, Some(line)) => write!(f, "line {line}: ")?,
            (_, None) => {}
        }
        f.write_str(&self.reason())
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Parse(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ParseError> for EditError {
    fn from(error: ParseError) -> Self {
        Self::Parse(error)
    }
}

/// Formats a path for a message; the empty root path gets a description.
fn path_text(path: &Path) -> String {
    if path.last().is_none() { "the document".to_owned() } else { path.to_string() }
}
