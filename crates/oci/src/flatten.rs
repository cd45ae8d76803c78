//! Computes the visible files of an image from its layers.

use std::collections::HashMap;

/// The name prefix of whiteouts, which hide files of lower layers.
const WHITEOUT: &str = ".wh.";

/// An entry of a layer.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'e> {
    /// The name as written in the layer.
    pub name: &'e str,
    /// True for a folder.
    pub is_folder: bool,
    /// The target of a link.
    pub link: Option<&'e str>,
}

/// Decides which layer entries are visible in the image. Layers are given from top to bottom, each in its own order.
///
/// Source: google/go-containerregistry `pkg/v1/mutate/mutate.go`, `extract`: @v0.20.7, and @v0.21.6, which leaves out
/// links that lead out of the image and lets a whiteout take the place of a file of its own layer.
#[derive(Debug)]
pub struct Flattened {
    handled: HashMap<String, bool>,
    is_newer: bool,
}

impl Flattened {
    /// Creates the state before the first layer. `is_newer` selects the rules of v0.21.6.
    pub fn new(is_newer: bool) -> Self {
        Self { handled: HashMap::new(), is_newer }
    }

    /// Returns the name of an entry if the image shows it.
    pub fn visible_name(&mut self, entry: Entry<'_>) -> Option<String> {
        let whole = clean_path(entry.name);
        let (folder, base) = match whole.rsplit_once('/') {
            Some(("", base)) => ("/", base),
            Some((folder, base)) => (folder, base),
            None => (".", whole.as_str()),
        };
        let leads_out =
            |link: &str| !link.starts_with('/') && clean_path(&format!("{folder}/{link}")).starts_with("..");
        if self.is_newer && entry.link.is_some_and(leads_out) {
            return None;
        }
        let hidden = base.strip_prefix(WHITEOUT);
        let name =
            if entry.is_folder { whole.clone() } else { clean_path(&format!("{folder}/{}", hidden.unwrap_or(base))) };
        let may_repeat = self.is_newer && hidden.is_some();
        if self.handled.contains_key(&name) && !may_repeat || self.is_in_hidden_folder(&name) {
            return None;
        }
        self.handled.insert(name, hidden.is_some() || !entry.is_folder);
        hidden.is_none().then_some(whole)
    }

    fn is_in_hidden_folder(&self, name: &str) -> bool {
        let mut at = name;
        loop {
            let folder = match at.rsplit_once('/') {
                Some(("", _)) => "/",
                Some((folder, _)) => folder,
                None => ".",
            };
            if folder == at {
                return false;
            }
            if self.handled.get(folder) == Some(&true) {
                return true;
            }
            at = folder;
        }
    }
}

/// The shortest equivalent path, like Go's `path.Clean`.
///
/// ```
/// use oci::clean_path;
/// assert_eq!(clean_path("./a//b/../c/"), "a/c");
/// assert_eq!((clean_path("../a"), clean_path("/.."), clean_path("")), ("../a".into(), "/".into(), ".".into()));
/// ```
pub fn clean_path(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            ("..", _) if is_rooted => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (is_rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
