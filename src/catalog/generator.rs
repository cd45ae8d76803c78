//! What makes objects and shows itself in their labels and annotations.

use super::data;

/// What makes objects.
#[derive(Debug)]
pub struct Generator {
    /// Its name for a person, with `{name}` and `{namespace}`.
    pub made_by: &'static str,
    /// What names it.
    pub name: MetaKey,
    /// What names its namespace, if it has one.
    pub namespace: Option<MetaKey>,
    /// What ends the name within the value, if something does.
    pub until: Option<&'static str>,
    /// Labels that have to be there too, with their values.
    pub labels: &'static [(&'static str, &'static str)],
    /// Where a change is to be made.
    pub change: &'static str,
}

/// A key of an object's metadata.
#[derive(Debug, Clone, Copy)]
pub enum MetaKey {
    /// A label.
    Label(&'static str),
    /// An annotation.
    Annotation(&'static str),
}

/// All of them, the nearest to the object first.
#[must_use]
pub fn generators() -> &'static [Generator] {
    data::GENERATORS
}
