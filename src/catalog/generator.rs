//! Generators of objects, recognized by labels and annotations of the objects.

use super::data;

/// Generator of objects.
#[derive(Debug)]
pub struct Generator {
    /// Display name, with the placeholders `{name}` and `{namespace}`.
    pub made_by: &'static str,
    /// Label or annotation with the name of the generator.
    pub name: MetaKey,
    /// Label or annotation with the namespace of the generator; `None` for generators without namespace.
    pub namespace: Option<MetaKey>,
    /// Separator that ends the name in the value; `None` if the value is the name.
    pub until: Option<&'static str>,
    /// Labels that the object must also have, with their values.
    pub labels: &'static [(&'static str, &'static str)],
    /// Place to make a change, for messages.
    pub change: &'static str,
    /// True if the objects' source is available, so that a change is made there and not in the cluster.
    pub is_source: bool,
}

/// Key in the metadata of an object.
#[derive(Debug, Clone, Copy)]
pub enum MetaKey {
    /// Label.
    Label(&'static str),
    /// Annotation.
    Annotation(&'static str),
}

/// All generators. The first match wins, so direct generators are first.
pub static GENERATORS: &[Generator] = data::GENERATORS;
