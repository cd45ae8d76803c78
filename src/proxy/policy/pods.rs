//! Pods at one end of a connection, with the labels that selectors match.

use crate::model::facts::package::{REVISION, package_of_revision};
use crate::model::facts::{LabelValue, Requirements};
use crate::model::text::Labels;
use go_no_proxy::Range;

/// Pods of one workload or package.
#[derive(Debug, Clone)]
pub(in crate::proxy) struct Pods {
    pub(in crate::proxy) namespace: String,
    pub(in crate::proxy) namespace_labels: Labels,
    /// True if the input has the Namespace object, so that all namespace labels are known.
    pub(in crate::proxy) is_namespace_read: bool,
    pub(in crate::proxy) labels: Labels,
    /// Package of the pods. Crossplane also labels pods with the package revision: package name and hash.
    pub(in crate::proxy) package: Option<String>,
    /// Address ranges of pods; empty if unknown.
    pub(in crate::proxy) ranges: Vec<Range>,
}

impl Pods {
    /// True if a selector matches the labels of the pods.
    pub(super) fn are_selected_by(&self, selector: &Requirements) -> bool {
        self.are_selected_with(selector, |_| None)
    }

    /// True if a selector matches the labels of the pods together with `more`, the labels that a network plugin adds.
    pub(super) fn are_selected_with<'s>(
        &'s self,
        selector: &'s Requirements,
        more: impl Fn(&str) -> Option<&'s str>,
    ) -> bool {
        let is_own = |revision: &&str| package_of_revision(revision) == self.package.as_deref();
        let required = selector.values(REVISION).find(is_own);
        let revision = self.package.as_deref().map(|package| required.unwrap_or(package));
        let own = |key: &str| self.labels.get(key).or_else(|| revision.filter(|_| key == REVISION));
        selector.matched_by(|key| own(key).or_else(|| more(key)))
    }

    /// Value of a namespace label, if known.
    pub(super) fn namespace_label(&self, key: &str) -> LabelValue<'_> {
        match self.namespace_labels.get(key) {
            Some(value) => LabelValue::Is(value),
            None if self.is_namespace_read => LabelValue::Absent,
            None => LabelValue::Unknown,
        }
    }
}
