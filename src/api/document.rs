//! The text of a config, and where its values stand.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::read::ConfigError;
use crate::yaml::{Kind, LineIndex, NodeRef, Path, Tree};

/// One document of a config's text.
#[derive(Debug, Clone)]
pub(super) struct Document {
    origin: String,
    text: String,
    first_line: usize,
    flat: bool,
    places: OnceLock<Places>,
}

/// Where the values of a config stand: found out once, however many messages name a place.
#[derive(Debug, Clone, Default)]
struct Places(HashMap<Path, (usize, usize)>);

impl Document {
    /// A text that `origin` names in errors; `first_line` is its first line there, counted from 1. `flat` is a `ConfigMap`.
    pub(super) fn new(origin: &str, text: &str, first_line: usize, flat: bool) -> Self {
        Self { origin: origin.to_owned(), text: text.to_owned(), first_line, flat, places: OnceLock::new() }
    }

    /// A part of it with blanks before, so that lines and columns are those of the whole.
    pub(super) fn part(&self, text: String, flat: bool) -> Self {
        Self { text, flat, ..Self::new(&self.origin, "", self.first_line, flat) }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    pub(super) fn is_flat(&self) -> bool {
        self.flat
    }

    /// The text as YAML.
    pub(super) fn tree(&self) -> Result<Tree<'_>, ConfigError> {
        Tree::parse(&self.text).map_err(|error| self.error_on(error.line, error.column, error.message))
    }

    /// An error on a line and column of the text, both counted from 1.
    pub(super) fn error_on(&self, line: usize, column: usize, message: String) -> ConfigError {
        ConfigError { place: format!("{}:{}:{column}", self.origin, line + self.first_line - 1), message }
    }

    /// An error about what begins at a byte of the text.
    pub(super) fn error_before(&self, offset: usize, message: String) -> ConfigError {
        let (line, column) = LineIndex::new(&self.text).position(offset);
        self.error_on(line, column, message)
    }

    /// An error about the value at `path`, with its position.
    pub(super) fn error_at(&self, path: &Path, message: impl Into<String>) -> ConfigError {
        ConfigError { place: self.place_of(path), message: message.into() }
    }

    /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it.
    pub(super) fn place_of(&self, path: &Path) -> String {
        // A ConfigMap's flat keys have no such path.
        let path = if self.flat { Path::root().key("data") } else { path.clone() };
        let places = self.places.get_or_init(|| Places::of(&self.text));
        let mut around = Some(path);
        while let Some(path) = around {
            if let Some((line, column)) = places.0.get(&path) {
                return format!("{}:{}:{column}", self.origin, line + self.first_line - 1);
            }
            around = path.parent();
        }
        self.origin.clone()
    }
}

impl Places {
    fn of(text: &str) -> Self {
        let tree = Tree::parse(text).ok();
        let Some(root) = tree.as_ref().and_then(|tree| tree.roots().find(|root| root.is_mapping())) else {
            return Self::default();
        };
        let mut starts: Vec<(usize, Path)> = Vec::new();
        let mut open = vec![(root, Path::root())];
        while let Some((node, path)) = open.pop() {
            // What an alias stands for has a place of its own; the alias may be inside of it.
            let node_itself = Some(node).filter(|node| node.kind() != Kind::Alias);
            for (key, value) in node_itself.into_iter().flat_map(NodeRef::entries) {
                open.extend(key.text().map(|key| (value, path.key(key.to_owned()))));
            }
            for (index, item) in node_itself.into_iter().flat_map(NodeRef::items).enumerate() {
                open.push((item, path.item(index)));
            }
            starts.push((node.start(), path));
        }
        starts.sort_unstable();
        let mut places = HashMap::new();
        let (mut line, mut column, mut from) = (1, 1, 0);
        for (start, path) in starts {
            let since = text.get(from..start).unwrap_or_default();
            line += since.matches('\n').count();
            let (before, last) = since.rsplit_once('\n').map_or((column, since), |(_, last)| (1, last));
            column = before + last.chars().count();
            from = start;
            places.entry(path).or_insert((line, column));
        }
        Self(places)
    }
}
