//! The text of a config, and the positions of its values.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::error::{ConfigError, on_one_line};
use lossless_yaml::{Excerpt, Kind, NodeRef, Path, Step, Tree};

/// The name of a `functionConfig` in messages before its kind is known.
const FUNCTION_CONFIG: &str = "functionConfig";

/// One YAML document of a config's text.
#[derive(Debug, Clone)]
pub(super) struct Document {
    from: From,
    text: String,
    flat: bool,
    places: OnceLock<Places>,
}

/// The origin of a text, which decides how positions are reported.
#[derive(Debug, Clone)]
enum From {
    /// A file or stream that the user can view: its name, and the number of the text's first line.
    Lines(String, usize),
    /// A host such as kustomize, which sends the config in an internal stream.
    Host,
}

/// The positions of a config's values (line, column, byte), computed once for all messages.
#[derive(Debug, Clone, Default)]
struct Places {
    of: HashMap<Path, (usize, usize, usize)>,
    /// Kind and name of the config: `HostNetwork webhooks`
    object: Option<String>,
}

impl Document {
    /// Creates a document; `origin` is its name in errors, `first_line` the number of its first line there, counted
    /// from 1.
    pub(super) fn new(origin: &str, text: &str, first_line: usize) -> Self {
        Self::with(From::Lines(origin.to_owned(), first_line), text.to_owned(), false)
    }

    /// Creates the document of a config sent by a host.
    pub(super) fn from_host(text: &str) -> Self {
        Self::with(From::Host, text.to_owned(), false)
    }

    /// Creates a document of this origin.
    fn with(from: From, text: String, flat: bool) -> Self {
        Self { from, text, flat, places: OnceLock::new() }
    }

    /// Creates a part of the document, padded with blanks so that lines and columns match the whole. `flat` marks a
    /// `ConfigMap`.
    pub(super) fn part(&self, text: String, flat: bool) -> Self {
        Self::with(self.from.clone(), text, flat)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// True for a `ConfigMap` with flat keys.
    pub(super) fn is_flat(&self) -> bool {
        self.flat
    }

    /// True if a host sent the document.
    pub(super) fn is_sent_by_host(&self) -> bool {
        matches!(self.from, From::Host)
    }

    /// The name of the origin.
    pub(super) fn origin(&self) -> &str {
        match &self.from {
            From::Lines(origin, _) => origin,
            From::Host => FUNCTION_CONFIG,
        }
    }

    /// Parses the text as YAML.
    pub(super) fn tree(&self) -> Result<Tree<'_>, ConfigError> {
        Tree::parse(&self.text).map_err(|error| self.error_before(error.offset, error.message))
    }

    /// An error at a byte offset of the text.
    pub(super) fn error_before(&self, offset: usize, message: impl Into<String>) -> ConfigError {
        let ((line, column), excerpt) = Excerpt::at_offset(&self.text, offset);
        match &self.from {
            From::Lines(origin, 1) => {
                ConfigError { excerpt: Some(excerpt), ..ConfigError::new(format!("{origin}:{line}:{column}"), message) }
            }
            From::Lines(origin, first) => ConfigError::new(format!("{origin}:{}:{column}", line + first - 1), message),
            // A host generates its own lines, which differ from the user's.
            From::Host => ConfigError::new(format!("{FUNCTION_CONFIG}, its line {line}"), message),
        }
    }

    /// An error about the value at `path`, which starts at a byte offset.
    pub(super) fn error_at_offset(&self, path: &Path, offset: usize, message: impl Into<String>) -> ConfigError {
        let message = on_one_line(&message.into());
        if self.is_sent_by_host() { self.error_at(path, message) } else { self.error_before(offset, message) }
    }

    /// An error about the value at `path`, with its position.
    pub(super) fn error_at(&self, path: &Path, message: impl Into<String>) -> ConfigError {
        let known = Some(self.places()).filter(|_| matches!(self.from, From::Lines(_, 1)));
        let excerpt = known
            .and_then(|places| places.enclosing(&self.path(path)))
            .map(|(.., at)| Excerpt::at_offset(&self.text, at).1);
        ConfigError { excerpt, ..ConfigError::new(self.place_of(path), on_one_line(&message.into())) }
    }

    /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it; `KIND NAME, PATH` for a
    /// config from a host.
    pub(super) fn place_of(&self, path: &Path) -> String {
        let path = self.path(path);
        let places = self.places();
        match &self.from {
            From::Lines(origin, first) => places
                .enclosing(&path)
                .map_or_else(|| origin.clone(), |(line, column, _)| format!("{origin}:{}:{column}", line + first - 1)),
            From::Host => {
                let object = places.object.as_deref().unwrap_or(FUNCTION_CONFIG);
                if path.last().is_none() { object.to_owned() } else { format!("{object}, {path}") }
            }
        }
    }

    /// Converts a path of the config types to a path in the text, which differs for the flat keys of a ConfigMap.
    fn path(&self, path: &Path) -> Path {
        let is_own = path.steps().first().is_some_and(|step| matches!(step, Step::Key(key) if key == "data"));
        if self.flat && !is_own { Path::root().key("data") } else { path.clone() }
    }

    /// Positions of the paths in the text, read at first use.
    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::new(&self.text))
    }
}

impl Places {
    fn new(text: &str) -> Self {
        let tree = Tree::parse(text).ok();
        let Some(root) = tree.as_ref().and_then(|tree| tree.roots().find(|root| root.is_mapping())) else {
            return Self::default();
        };
        let mut starts: Vec<(usize, Path)> = Vec::new();
        let mut open = vec![(root, Path::root())];
        while let Some((node, path)) = open.pop() {
            // The anchored value of an alias has its own position; the alias may be inside that value.
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
            places.entry(path).or_insert((line, column, start));
        }
        let name = root.get("metadata").and_then(|metadata| metadata.get("name")).and_then(NodeRef::text);
        let kind = root.get("kind").and_then(NodeRef::text);
        let object = kind.map(|kind| name.map_or_else(|| kind.to_owned(), |name| format!("{kind} {name}")));
        Self { of: places, object }
    }

    /// The position of the value at a path, or of the nearest collection around it.
    fn enclosing(&self, path: &Path) -> Option<(usize, usize, usize)> {
        let mut enclosing = Some(path.clone());
        while let Some(path) = enclosing {
            if let Some(place) = self.of.get(&path) {
                return Some(*place);
            }
            enclosing = path.parent();
        }
        None
    }
}
