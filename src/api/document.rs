//! The text of a config, and where its values stand.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::error::{ConfigError, on_one_line};
use lossless_yaml::{Excerpt, Kind, NodeRef, Path, Step, Tree};

/// What messages call the config of a function, while its kind is not known.
const FUNCTION_CONFIG: &str = "functionConfig";

/// One document of a config's text.
#[derive(Debug, Clone)]
pub(super) struct Document {
    from: From,
    text: String,
    flat: bool,
    places: OnceLock<Places>,
}

/// Where a text is from, and so how its places are called.
#[derive(Debug, Clone)]
enum From {
    /// Something with lines that a person can look at: its name, and the number of the text's first line.
    Lines(String, usize),
    /// A host, such as kustomize, that has put it into a stream which nobody sees.
    Host,
}

/// Where the values of a config stand (line, column, byte): found out once, however many messages name a place.
#[derive(Debug, Clone, Default)]
struct Places {
    of: HashMap<Path, (usize, usize, usize)>,
    /// `HostNetwork webhooks`
    object: Option<String>,
}

impl Document {
    /// A text that `origin` names in errors; `first_line` is its first line there, counted from 1.
    pub(super) fn new(origin: &str, text: &str, first_line: usize) -> Self {
        Self::with(From::Lines(origin.to_owned(), first_line), text.to_owned(), false)
    }

    /// The config that a host sent.
    pub(super) fn of_host(text: &str) -> Self {
        Self::with(From::Host, text.to_owned(), false)
    }

    fn with(from: From, text: String, flat: bool) -> Self {
        Self { from, text, flat, places: OnceLock::new() }
    }

    /// A part of it with blanks before, so that lines and columns are those of the whole. `flat` is a `ConfigMap`.
    pub(super) fn part(&self, text: String, flat: bool) -> Self {
        Self::with(self.from.clone(), text, flat)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_flat(&self) -> bool {
        self.flat
    }

    /// Whether a host sent it.
    pub(super) fn is_of_host(&self) -> bool {
        matches!(self.from, From::Host)
    }

    /// What the whole of it is called.
    pub(super) fn origin(&self) -> &str {
        match &self.from {
            From::Lines(origin, _) => origin,
            From::Host => FUNCTION_CONFIG,
        }
    }

    /// The text as YAML.
    pub(super) fn tree(&self) -> Result<Tree<'_>, ConfigError> {
        Tree::parse(&self.text).map_err(|error| self.error_before(error.offset, error.message))
    }

    /// An error about what begins at a byte of the text.
    pub(super) fn error_before(&self, offset: usize, message: impl Into<String>) -> ConfigError {
        let ((line, column), excerpt) = Excerpt::of(&self.text, offset);
        match &self.from {
            From::Lines(origin, 1) => {
                ConfigError { excerpt: Some(excerpt), ..ConfigError::new(format!("{origin}:{line}:{column}"), message) }
            }
            From::Lines(origin, first) => ConfigError::new(format!("{origin}:{}:{column}", line + first - 1), message),
            // A host writes the lines of its stream itself: a person wrote others.
            From::Host => ConfigError::new(format!("{FUNCTION_CONFIG}, its line {line}"), message),
        }
    }

    /// An error about the value at `path`, which begins at a byte of the text.
    pub(super) fn error_of(&self, path: &Path, offset: usize, message: impl Into<String>) -> ConfigError {
        let message = on_one_line(&message.into());
        if self.is_of_host() { self.error_at(path, message) } else { self.error_before(offset, message) }
    }

    /// An error about the value at `path`, with its position.
    pub(super) fn error_at(&self, path: &Path, message: impl Into<String>) -> ConfigError {
        let known = Some(self.places()).filter(|_| matches!(self.from, From::Lines(_, 1)));
        let excerpt =
            known.and_then(|places| places.around(&self.path(path))).map(|(.., at)| Excerpt::of(&self.text, at).1);
        ConfigError { excerpt, ..ConfigError::new(self.place_of(path), on_one_line(&message.into())) }
    }

    /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it; `KIND NAME, PATH` of what a host sent.
    pub(super) fn place_of(&self, path: &Path) -> String {
        let path = self.path(path);
        let places = self.places();
        match &self.from {
            From::Lines(origin, first) => places
                .around(&path)
                .map_or_else(|| origin.clone(), |(line, column, _)| format!("{origin}:{}:{column}", line + first - 1)),
            From::Host => {
                let object = places.object.as_deref().unwrap_or(FUNCTION_CONFIG);
                if path.last().is_none() { object.to_owned() } else { format!("{object}, {path}") }
            }
        }
    }

    /// Where a path of the config's types is in the text: a ConfigMap's flat keys have no such path.
    fn path(&self, path: &Path) -> Path {
        let is_own = path.steps().first().is_some_and(|step| matches!(step, Step::Key(key) if key == "data"));
        if self.flat && !is_own { Path::root().key("data") } else { path.clone() }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(&self.text))
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
            places.entry(path).or_insert((line, column, start));
        }
        let name = root.get("metadata").and_then(|metadata| metadata.get("name")).and_then(NodeRef::text);
        let kind = root.get("kind").and_then(NodeRef::text);
        let object = kind.map(|kind| name.map_or_else(|| kind.to_owned(), |name| format!("{kind} {name}")));
        Self { of: places, object }
    }

    /// Where the value at a path stands, or the nearest collection around it.
    fn around(&self, path: &Path) -> Option<(usize, usize, usize)> {
        let mut around = Some(path.clone());
        while let Some(path) = around {
            if let Some(place) = self.of.get(&path) {
                return Some(*place);
            }
            around = path.parent();
        }
        None
    }
}
