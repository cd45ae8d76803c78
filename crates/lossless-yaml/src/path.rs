//! Path of a node in a document: keys and list indexes from the root.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// One step from a collection to a child.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The value under this key of a mapping.
    Key(Cow<'static, str>),
    /// An element of a sequence, counted from 0.
    Item {
        /// Index of the element; used for the lookup.
        index: usize,
        /// `name` field of the element, for messages and patches; not used for the lookup.
        name: Option<Arc<str>>,
    },
}

/// Path from a document's root to a node.
///
/// `Display` prints the form of Kubernetes field paths:
///
/// ```
/// use lossless_yaml::Path;
/// let path = Path::root().key("metadata").key("annotations").key("prometheus.io/port");
/// assert_eq!(path.to_string(), r#"metadata.annotations["prometheus.io/port"]"#);
/// assert_eq!(Path::root().key("ports").item(2).key("hostPort").to_string(), "ports[2].hostPort");
/// ```
/// Paths share their prefixes: the fields of a container store the container's path once.
#[derive(Clone, Default)]
pub struct Path(Option<Arc<Link>>);

struct Link {
    parent: Path,
    step: Step,
}

impl Path {
    /// Returns the path of the document root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Creates a path from dotted plain keys, such as `spec.template`.
    pub fn dotted(keys: &str) -> Self {
        let keys = keys.split('.').filter(|key| !key.is_empty());
        keys.fold(Self::root(), |path, key| path.key(key.to_owned()))
    }

    /// Appends a key.
    pub fn key(&self, key: impl Into<Cow<'static, str>>) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// Appends a list index.
    pub fn item(&self, index: usize) -> Self {
        self.step(Step::Item { index, name: None })
    }

    /// Appends the list index of an element with this `name`.
    pub fn named_item(&self, index: usize, name: Option<&str>) -> Self {
        self.step(Step::Item { index, name: name.map(Arc::from) })
    }

    /// Appends a step.
    pub fn step(&self, step: Step) -> Self {
        Self(Some(Arc::new(Link { parent: self.clone(), step })))
    }

    /// Appends all steps of another path.
    pub fn join(&self, other: &Self) -> Self {
        other.steps().into_iter().fold(self.clone(), |path, step| path.step(step.clone()))
    }

    /// Returns the path of the parent collection; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.as_ref().map(|link| link.parent.clone())
    }

    /// Returns the number of steps.
    fn depth(&self) -> usize {
        std::iter::successors(self.0.as_ref(), |link| link.parent.0.as_ref()).count()
    }

    /// Returns the path without its last `count` steps.
    fn above(&self, count: usize) -> &Self {
        (0..count).fold(self, |path, _| path.0.as_ref().map_or(path, |link| &link.parent))
    }

    /// Returns the last step; `None` for the root.
    pub fn last(&self) -> Option<&Step> {
        self.0.as_ref().map(|link| &link.step)
    }

    /// True if both paths lead to the same node; element names are ignored.
    pub fn is_same_place(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => true,
            (Some(a), Some(b)) => {
                let same = match (&a.step, &b.step) {
                    (Step::Item { index: one, .. }, Step::Item { index: other, .. }) => one == other,
                    (one, other) => one == other,
                };
                same && a.parent.is_same_place(&b.parent)
            }
            _ => false,
        }
    }

    /// Returns the steps from the root.
    pub fn steps(&self) -> Vec<&Step> {
        let links = std::iter::successors(self.0.as_ref(), |link| link.parent.0.as_ref());
        let mut steps: Vec<&Step> = links.map(|link| &link.step).collect();
        steps.reverse();
        steps
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || (a.step == b.step && a.parent == b.parent),
            _ => false,
        }
    }
}

impl Eq for Path {}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares step by step from the root without collecting the steps, because plans sort many paths
/// with long common prefixes.
impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        let (depth, other_depth) = (self.depth(), other.depth());
        let shorter = depth.min(other_depth);
        let of_same_depth = compare_equal_depth(self.above(depth - shorter), other.above(other_depth - shorter));
        of_same_depth.then(depth.cmp(&other_depth))
    }
}

/// Compares paths of equal depth.
fn compare_equal_depth(one: &Path, other: &Path) -> Ordering {
    match (&one.0, &other.0) {
        (Some(a), Some(b)) if !Arc::ptr_eq(a, b) => {
            compare_equal_depth(&a.parent, &b.parent).then_with(|| a.step.cmp(&b.step))
        }
        _ => Ordering::Equal,
    }
}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let links = std::iter::successors(self.0.as_ref(), |link| link.parent.0.as_ref());
        links.for_each(|link| link.step.hash(state));
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps().into_iter().enumerate() {
            match step {
                Step::Key(key) if is_plain(key) => {
                    if position > 0 {
                        f.write_str(".")?;
                    }
                    f.write_str(key)?;
                }
                Step::Key(key) => write!(f, "[{key:?}]")?,
                Step::Item { index, .. } => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// True for a key that needs no quotes in a path.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::collections::HashSet;

    use super::Path;

    #[test]
    fn paths_are_in_the_order_of_their_steps() {
        let sorted = [
            Path::root(),
            Path::dotted("a"),
            Path::dotted("a.a"),
            Path::dotted("a.a.b"),
            Path::dotted("a.b"),
            Path::dotted("a").item(2),
            Path::dotted("a").item(2).key("x"),
            Path::dotted("a").item(10),
            Path::dotted("b"),
        ];
        for (index, path) in sorted.iter().enumerate() {
            for (other_index, other) in sorted.iter().enumerate() {
                assert_eq!(path.cmp(other), index.cmp(&other_index), "{path} {other}");
                assert_eq!(path.cmp(other), path.steps().cmp(&other.steps()), "{path} {other}");
            }
        }
        let long = Path::dotted("a.b.c");
        assert_eq!(long.cmp(&long.clone()), Ordering::Equal);
        assert_eq!(long.key("d").cmp(&long.key("e")), Ordering::Less);
    }

    #[test]
    fn equal_paths_have_one_hash() {
        let paths = HashSet::from([Path::dotted("a").item(1), Path::dotted("a").item(1), Path::dotted("a").item(2)]);
        assert_eq!(paths.len(), 2);
    }
}
