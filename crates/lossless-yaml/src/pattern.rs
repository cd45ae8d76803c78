//! Patterns for field paths in lists and mappings, such as `spec.endpoints[].targetPort`.

use super::{NodeRef, Path};

/// A path with `[]` for each element of a list, `*` for each key of a mapping, and `{}` for the keys themselves.
///
/// ```
/// use lossless_yaml::{Pattern, Tree};
/// let tree = Tree::parse("{a: [{b: 1}, {b: 2}], c: {x: {d: 3}, y: {}}, e: {5: f}}").unwrap();
/// let root = tree.root(0).unwrap();
/// let found = |pattern: &str| -> Vec<String> {
///     Pattern::new(pattern).find(root).map(|found| format!("{} {}", found.path, found.node.text().unwrap())).collect()
/// };
/// assert_eq!(found("a[].b"), ["a[0].b 1", "a[1].b 2"]);
/// assert_eq!(found("c.*.d"), ["c.x.d 3"]);
/// assert_eq!(found("e{}"), ["e.5 5"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<PatternSegment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternSegment {
    Key(String),
    Each,
    AnyKey,
    Keys,
}

/// A node that matches a pattern.
#[derive(Debug, Clone)]
pub struct PatternMatch<'t, 's> {
    /// Path of the node.
    pub path: Path,
    /// The node.
    pub node: NodeRef<'t, 's>,
    /// Positions of the list elements and keys on the path.
    way: Vec<usize>,
}

impl Pattern {
    /// Parses a pattern; every text is valid.
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        for word in text.split('.').filter(|word| !word.is_empty()) {
            let mut name = word;
            let mut ends = Vec::new();
            loop {
                if let Some(rest) = name.strip_suffix("[]") {
                    ends.push(PatternSegment::Each);
                    name = rest;
                } else if let Some(rest) = name.strip_suffix("{}") {
                    ends.push(PatternSegment::Keys);
                    name = rest;
                } else {
                    break;
                }
            }
            match name {
                "" => {}
                "*" => parts.push(PatternSegment::AnyKey),
                name => parts.push(PatternSegment::Key(name.to_owned())),
            }
            parts.extend(ends.into_iter().rev());
        }
        Self(parts)
    }

    /// Converts the pattern to a path; `None` if it contains `[]`, `*` or `{}`.
    pub fn to_path(&self) -> Option<Path> {
        self.0.iter().try_fold(Path::root(), |path, part| match part {
            PatternSegment::Key(key) => Some(path.key(key.clone())),
            PatternSegment::Each | PatternSegment::AnyKey | PatternSegment::Keys => None,
        })
    }

    /// Returns all matching nodes of an object, in order.
    pub fn find<'t, 's>(&self, object: NodeRef<'t, 's>) -> impl Iterator<Item = PatternMatch<'t, 's>> {
        let mut found = vec![PatternMatch { path: Path::root(), node: object, way: Vec::new() }];
        for part in &self.0 {
            found = found.into_iter().flat_map(|from| from.step(part)).collect();
        }
        found.into_iter()
    }

    /// Returns the nodes next to a match of the pattern `other`: in the same list elements and mapping entries, as far
    /// as both patterns start with the same parts.
    pub fn matches_next_to<'t, 's>(
        &self,
        other: &Self,
        found: &PatternMatch<'t, 's>,
        object: NodeRef<'t, 's>,
    ) -> impl Iterator<Item = PatternMatch<'t, 's>> {
        let common = self.0.iter().zip(&other.0).take_while(|(own, other)| own == other);
        let lists = common.filter(|(part, _)| !matches!(part, PatternSegment::Key(_))).count();
        let way: Vec<usize> = found.way.iter().take(lists).copied().collect();
        self.find(object).filter(move |own| own.way.starts_with(&way))
    }
}

impl<'t, 's> PatternMatch<'t, 's> {
    /// Matches of the next segment below this match.
    fn step(&self, part: &PatternSegment) -> Vec<Self> {
        let on = |at: usize| self.way.iter().copied().chain([at]).collect::<Vec<_>>();
        match part {
            PatternSegment::Key(key) => {
                let to = |node| Self { path: self.path.key(key.clone()), node, way: self.way.clone() };
                self.node.get(key).map(to).into_iter().collect()
            }
            PatternSegment::Each => {
                let to = |(at, node)| Self { path: self.path.item(at), node, way: on(at) };
                self.node.items().enumerate().map(to).collect()
            }
            PatternSegment::AnyKey | PatternSegment::Keys => {
                let entries = self.node.entries().enumerate();
                let to = |(at, (key, value)): (usize, (NodeRef<'t, 's>, NodeRef<'t, 's>))| {
                    let node = if *part == PatternSegment::Keys { key } else { value };
                    Some(Self { path: self.path.key(key.text()?.to_owned()), node, way: on(at) })
                };
                entries.filter_map(to).collect()
            }
        }
    }
}
