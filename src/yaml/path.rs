//! Where a node is inside a document: keys and list positions from the document's root.

use std::fmt;

/// One step from a collection to a node in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The value under this key of a mapping.
    Key(String),
    /// An element of a sequence, counted from 0.
    Item {
        /// The position, which decides.
        index: usize,
        /// What the element calls itself (its `name`), for people and for patches; not used to look it up.
        name: Option<String>,
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
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Step>);

impl Path {
    /// The document itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of dotted plain keys, as in `spec.template`.
    #[must_use]
    pub fn dotted(keys: &str) -> Self {
        Self(keys.split('.').filter(|key| !key.is_empty()).map(|key| Step::Key(key.to_owned())).collect())
    }

    /// This path and one key more.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
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
        self.step(Step::Item { index, name: name.map(str::to_owned) })
    }

    /// This path and one step more.
    #[must_use]
    pub fn step(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// This path, continued by another.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The path of the collection that holds the node; none for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.0.split_last()?;
        Some(Self(rest.to_vec()))
    }

    /// The last step; none for the root.
    #[must_use]
    pub fn last(&self) -> Option<&Step> {
        self.0.last()
    }

    /// The steps, from the root.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
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
