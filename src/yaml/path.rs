//! Where a node is inside a document: keys and list positions from the document's root.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// One step from a collection to a node in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The value under this key of a mapping.
    Key(Cow<'static, str>),
    /// An element of a sequence, counted from 0.
    Item {
        /// The position, which decides.
        index: usize,
        /// What the element calls itself (its `name`), for people and for patches; not used to look it up.
        name: Option<Arc<str>>,
    },
}

/// The way from a document's root to a node.
///
/// It prints as Kubernetes writes field paths:
///
/// ```
/// use hostnet::yaml::Path;
/// let path = Path::root().key("metadata").key("annotations").key("prometheus.io/port");
/// assert_eq!(path.to_string(), r#"metadata.annotations["prometheus.io/port"]"#);
/// assert_eq!(Path::root().key("ports").item(2).key("hostPort").to_string(), "ports[2].hostPort");
/// ```
/// Paths share their beginnings: the fields of a container hold its path once.
#[derive(Clone, Default)]
pub struct Path(Option<Arc<Link>>);

struct Link {
    parent: Path,
    step: Step,
}

impl Path {
    /// The document itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of dotted plain keys, as in `spec.template`.
    #[must_use]
    pub fn dotted(keys: &str) -> Self {
        let keys = keys.split('.').filter(|key| !key.is_empty());
        keys.fold(Self::root(), |path, key| path.key(key.to_owned()))
    }

    /// This path and one key more.
    #[must_use]
    pub fn key(&self, key: impl Into<Cow<'static, str>>) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// This path and one list position more.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.step(Step::Item { index, name: None })
    }

    /// This path and the element at `index`, which calls itself `name`.
    #[must_use]
    pub fn named_item(&self, index: usize, name: Option<&str>) -> Self {
        self.step(Step::Item { index, name: name.map(Arc::from) })
    }

    /// This path and one step more.
    #[must_use]
    pub fn step(&self, step: Step) -> Self {
        Self(Some(Arc::new(Link { parent: self.clone(), step })))
    }

    /// This path, continued by another.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        other.steps().into_iter().fold(self.clone(), |path, step| path.step(step.clone()))
    }

    /// The path of the collection that holds the node; none for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.as_ref().map(|link| link.parent.clone())
    }

    /// The last step; none for the root.
    #[must_use]
    pub fn last(&self) -> Option<&Step> {
        self.0.as_ref().map(|link| &link.step)
    }

    /// The steps, from the root.
    #[must_use]
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

impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        self.steps().cmp(&other.steps())
    }
}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.steps().hash(state);
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

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
