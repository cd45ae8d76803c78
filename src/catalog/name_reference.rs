//! Fields that hold the name of another object: the rows of `catalog/name-references.yaml`.

use super::data;

/// Fields of some kinds that name objects of another kind.
#[derive(Debug, Clone, Copy)]
pub struct NameReference {
    /// Kind of the named object; empty where the reference has a `kind` of its own.
    pub to: &'static str,
    /// Kind of the named object where the reference has no `kind`; empty without a default.
    pub to_default: &'static str,
    /// Kinds of the objects with the field.
    pub of: &'static [&'static str],
    /// API group of these objects; empty for any group.
    pub of_group: &'static str,
    /// Paths of the field, as [`Pattern`](lossless_yaml::Pattern) reads them.
    pub at: &'static [&'static str],
    /// Last key of the field below each path; empty if the path itself leads to the field.
    pub key: &'static str,
    /// Paths below the spec of each pod template.
    pub pods: &'static [&'static str],
    /// True if kustomize's own table lacks the row.
    pub added: bool,
    /// True if the namespaces of the two objects are not compared.
    pub global: bool,
}

impl NameReference {
    /// True if objects of this kind have the field.
    pub fn is_of(&self, group: &str, kind: &str) -> bool {
        self.of.contains(&kind) && (self.of_group.is_empty() || self.of_group == group)
    }
}

/// All rows, in the order in which kustomize follows them.
pub static NAME_REFERENCES: &[NameReference] = data::NAME_REFERENCES;
