//! Pods at one end of a connection, with the labels that selectors match.

use crate::model::facts::{PolicyPods, Requirements};
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
    /// The pods as selectors of policies see them.
    pub(in crate::proxy) fn view(&self) -> PolicyPods<'_> {
        PolicyPods {
            namespace: &self.namespace,
            namespace_labels: &self.namespace_labels,
            is_namespace_read: self.is_namespace_read,
            labels: &self.labels,
            package: self.package.as_deref(),
        }
    }

    /// True if a selector matches the labels of the pods.
    pub(super) fn are_selected_by(&self, selector: &Requirements) -> bool {
        self.view().are_selected_by(selector)
    }
}
