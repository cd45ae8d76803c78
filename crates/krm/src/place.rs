//! Where a text came from, and where in it an object is.

use std::fmt;
use std::path::{Path, PathBuf};

use lossless_yaml::NodeRef;

use super::shown::shown_path;

/// Where a text came from, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(From);

#[derive(Debug, Clone, PartialEq, Eq)]
enum From {
    Stdin,
    File(PathBuf),
    Build(PathBuf),
}

impl Origin {
    /// What a pipe or a KRM host gave.
    #[must_use]
    pub fn stdin() -> Self {
        Self(From::Stdin)
    }

    /// A file that was opened.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(From::File(path.into()))
    }

    /// The output of a build of this folder.
    #[must_use]
    pub fn build(folder: impl Into<PathBuf>) -> Self {
        Self(From::Build(folder.into()))
    }

    /// The file; `None` for standard input and for a build.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            From::File(path) => Some(path),
            From::Stdin | From::Build(_) => None,
        }
    }

    /// True for the output of a build.
    #[must_use]
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

/// Why a document can be read but not edited: a part of it that this program's parser refuses, though Go's does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnly {
    /// Line in the input, counted from 1.
    pub line: usize,
    /// What stands there, and what to write instead.
    pub reason: String,
}

/// Where an object is.
#[derive(Debug, Clone)]
pub struct Place<'i> {
    /// The input.
    pub origin: &'i Origin,
    /// The document of the stream, counted from 1.
    pub document: usize,
    /// The item of the list that the object is (or is in), counted from 1; none for a document.
    pub item: Option<usize>,
    /// The first line of the object, counted from 1.
    pub line: usize,
    /// Set when an edit of this object is going to be refused.
    pub read_only: Option<ReadOnly>,
    /// The first line of the bytes that were parsed together.
    pub(super) unit_line: usize,
}

/// A key that a mapping has twice: readers differ in which of them counts, and Go's refuses the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
    /// Line and column in the input, counted from 1, of the first one.
    pub first: (usize, usize),
    /// Line and column of the second one.
    pub second: (usize, usize),
}

impl Place<'_> {
    /// The line in the input, counted from 1, of a node of the object that is here.
    #[must_use]
    pub fn line_of(&self, node: NodeRef<'_, '_>) -> usize {
        self.unit_line + node.tree().line(node.start()) - 1
    }

    /// The keys that mappings of the object that is here have twice.
    #[must_use]
    pub fn duplicate_keys(&self, object: NodeRef<'_, '_>) -> Vec<DuplicateKey> {
        let at = |(line, column): (usize, usize)| (self.unit_line + line - 1, column);
        let found = object.tree().duplicate_keys(object).into_iter();
        found.map(|(key, [first, second])| DuplicateKey { key, first: at(first), second: at(second) }).collect()
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.origin, self.line)
    }
}
