//! Origin of a text, and position of an object in it.

use std::fmt;
use std::path::{Path, PathBuf};

use lossless_yaml::NodeRef;

use super::escape::shown_path;

/// Origin of a text, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(From);

#[derive(Debug, Clone, PartialEq, Eq)]
enum From {
    Stdin,
    File(PathBuf),
    Build(PathBuf),
}

impl Origin {
    /// Standard input, from a pipe or a KRM host.
    pub fn stdin() -> Self {
        Self(From::Stdin)
    }

    /// A file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(From::File(path.into()))
    }

    /// The output of a build of this folder.
    pub fn build(folder: impl Into<PathBuf>) -> Self {
        Self(From::Build(folder.into()))
    }

    /// Returns the file; `None` for standard input and for a build.
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            From::File(path) => Some(path),
            From::Stdin | From::Build(_) => None,
        }
    }

    /// Returns the folder of a build; `None` for other inputs.
    pub fn build_folder(&self) -> Option<&Path> {
        match &self.0 {
            From::Build(folder) => Some(folder),
            From::Stdin | From::File(_) => None,
        }
    }

    /// True for the output of a build.
    pub fn is_build(&self) -> bool {
        matches!(self.0, From::Build(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            From::File(path) => f.write_str(&shown_path(path)),
            From::Build(folder) => write!(f, "the build of {}", shown_path(folder)),
            From::Stdin => f.write_str("standard input"),
        }
    }
}

/// Position of an object.
#[derive(Debug, Clone)]
pub struct ObjectPlace<'i> {
    /// Origin of the input.
    pub origin: &'i Origin,
    /// Number of the document in the stream, counted from 1.
    pub document: usize,
    /// Number (counted from 1) of the list item that is or contains the object; `None` outside of a list.
    pub item: Option<usize>,
    /// First line of the object, counted from 1.
    pub line: usize,
    /// First line of the unit that contains the object.
    pub(super) unit_line: usize,
}

/// A duplicate key of a mapping. Parsers differ in which value they use; Go's parser rejects the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
    /// Line and column of the first occurrence in the input, counted from 1.
    pub first: (usize, usize),
    /// Line and column of the second occurrence.
    pub second: (usize, usize),
}

impl ObjectPlace<'_> {
    /// Returns the line in the input, counted from 1, of a node of this object.
    pub fn line_of(&self, node: NodeRef<'_, '_>) -> usize {
        self.unit_line + node.tree().line(node.start()) - 1
    }

    /// Finds the duplicate keys in mappings of this object.
    pub fn duplicate_keys(&self, object: NodeRef<'_, '_>) -> Vec<DuplicateKey> {
        let at = |(line, column): (usize, usize)| (self.unit_line + line - 1, column);
        let found = object.tree().duplicate_keys(object).into_iter();
        found.map(|(key, [first, second])| DuplicateKey { key, first: at(first), second: at(second) }).collect()
    }
}

impl fmt::Display for ObjectPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.origin, self.line)
    }
}
