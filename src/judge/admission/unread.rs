//! Policies of engines that hostnet does not evaluate: a policy that names a host field may reject pods with that field.
//!
//! Source: `catalog/admission-policies.yaml`, `unread`.

use super::policy::{Certainty, Outcome, Policy};
use super::read::{mentions, names_host_fields};
use super::subject::Pods;
use crate::catalog::unread_words;
use crate::model::Meta;
use lossless_yaml::Value;

/// A policy that names host fields, of an engine that hostnet does not evaluate.
pub(super) struct UnreadPolicy<'m>(&'m Meta);

impl<'m> UnreadPolicy<'m> {
    /// Returns the policy if hostnet does not evaluate its engine, and it names a host field or contains a word of the
    /// engine's catalogue row.
    pub(super) fn new(meta: &'m Meta, object: &Value) -> Option<Self> {
        let words = unread_words(&meta.gvk.group)?;
        let has_word = |text: &str| words.iter().any(|word| text.contains(word));
        (names_host_fields(object) || mentions(object, &has_word)).then_some(Self(meta))
    }
}

impl Policy for UnreadPolicy<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        pods.has_host_fields().then(|| Outcome { certainty: Certainty::Unread, parts: Vec::new() })
    }

    fn name(&self, _: &[String]) -> String {
        self.0.to_string()
    }

    fn remedy(&self, _: &Pods<'_>, _: &[String]) -> String {
        "exempt these Pods in it".to_owned()
    }
}
