//! Peers of a network policy rule.

use super::scope::Requirements;

/// Peer of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Peer {
    /// Pods with these labels: in the namespace of the policy, or in namespaces that a selector matches.
    Pods(Requirements, Option<Namespaces>),
    /// Addresses, and other peers that are not evaluated.
    Other,
}

/// Selector of namespaces, and the label keys in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Namespaces {
    pub(in crate::model) selector: Requirements,
    pub(in crate::model) keys: Vec<String>,
}

/// Label of every namespace with its name.
pub(in crate::model) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

impl Peer {
    /// Label that selected pods must have; `None` without a required label.
    pub(in crate::model) fn label(&self) -> Option<(&str, &str)> {
        match self {
            Self::Pods(selector, _) => selector.labels().next(),
            Self::Other => None,
        }
    }
}
