//! Pods that a policy of a network plugin selects, or that one of its rules names.
//!
//! Sources: cilium/cilium `pkg/k8s/apis/cilium.io/utils/utils.go`; projectcalico/calico
//! `libcalico-go/lib/backend/syncersv1/updateprocessors`.

use super::applies_to::{Endpoints, NAMESPACE};
use super::calico_selector::selects;
use super::package::{REVISION, package_of_revision};
use super::scope::{LabelValue, Requirements};
use crate::model::text::Labels;

/// Selector of pods in the form of a network plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PolicySubject {
    Cilium(Endpoints),
    /// Namespace of a namespaced policy, selector of pods and selector of namespaces.
    Calico(Option<String>, String, String),
    /// Selector of namespaces and selector of pods; `None` for a malformed one.
    Admin(Option<Requirements>, Option<Requirements>),
}

/// Pods that are compared with selectors of network plugins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PolicyPods<'p> {
    /// Namespace, empty if missing.
    pub(crate) namespace: &'p str,
    /// Known labels of the namespace.
    pub(crate) namespace_labels: &'p Labels,
    /// True if the input has the Namespace object, so that all namespace labels are known.
    pub(crate) is_namespace_read: bool,
    /// Labels of the pods.
    pub(crate) labels: &'p Labels,
    /// Package of the pods. Crossplane also labels pods with the package revision: package name and hash.
    pub(crate) package: Option<&'p str>,
}

impl<'p> PolicyPods<'p> {
    /// True if a selector matches the labels of the pods.
    pub(crate) fn are_selected_by(self, selector: &Requirements) -> bool {
        self.are_selected_with(selector, |_| None)
    }

    /// True if a selector matches the labels of the pods together with `more`, the labels that a network plugin adds.
    fn are_selected_with<'s>(self, selector: &'s Requirements, more: impl Fn(&str) -> Option<&'s str>) -> bool
    where
        'p: 's,
    {
        let is_own = |revision: &&str| package_of_revision(revision) == self.package;
        let required = selector.values(REVISION).find(is_own);
        let revision: Option<&'s str> = self.package.map(|package| required.unwrap_or(package));
        let own = |key: &str| self.labels.get(key).or_else(|| revision.filter(|_| key == REVISION));
        selector.matched_by(|key| own(key).or_else(|| more(key)))
    }

    /// Value of a namespace label, if known.
    fn namespace_label(self, key: &str) -> LabelValue<'p> {
        match self.namespace_labels.get(key) {
            Some(value) => LabelValue::Is(value),
            None if self.is_namespace_read => LabelValue::Absent,
            None => LabelValue::Unknown,
        }
    }

    /// Pod label as Calico sees it, including labels of the namespace and of the service account.
    fn calico_label(self, key: &str) -> LabelValue<'p> {
        match key {
            "projectcalico.org/namespace" => LabelValue::Is(self.namespace),
            "projectcalico.org/orchestrator" => LabelValue::Is("k8s"),
            "projectcalico.org/serviceaccount" => LabelValue::Unknown,
            _ if key.starts_with("pcsa.") => LabelValue::Unknown,
            _ => match key.strip_prefix("pcns.") {
                Some(key) => self.calico_namespace_label(key),
                None if key == REVISION && self.package.is_some() => LabelValue::Unknown,
                None => self.labels.get(key).map_or(LabelValue::Absent, LabelValue::Is),
            },
        }
    }

    fn calico_namespace_label(self, key: &str) -> LabelValue<'p> {
        let key = if key == "projectcalico.org/name" { "kubernetes.io/metadata.name" } else { key };
        self.namespace_label(key)
    }
}

impl PolicySubject {
    /// True if pods of a namespace may be selected, whatever their labels are.
    pub(super) fn may_be_in(&self, namespace: &str) -> bool {
        self.own_namespace().is_none_or(|own_namespace| own_namespace == namespace)
    }

    /// Only namespace with selected pods; `None` for several.
    fn own_namespace(&self) -> Option<&str> {
        match self {
            Self::Cilium(selected) => selected.namespace.as_deref(),
            Self::Calico(own_namespace, ..) => own_namespace.as_deref(),
            Self::Admin(..) => None,
        }
    }

    /// True if the selector may match the pods: values that only the cluster has count as matching.
    pub(super) fn may_select(&self, pods: PolicyPods<'_>) -> bool {
        self.may_be_in(pods.namespace)
            && match self {
                Self::Cilium(selected) => {
                    let namespace = |key: &str| (key == NAMESPACE).then_some(pods.namespace);
                    selected
                        .requirements
                        .as_ref()
                        .is_none_or(|requirements| pods.are_selected_with(requirements, namespace))
                }
                Self::Calico(_, selector, namespaces) => {
                    selects(selector, |key| pods.calico_label(key)) != Some(false)
                        && selects(namespaces, |key| pods.calico_namespace_label(key)) != Some(false)
                }
                Self::Admin(namespaces, selector) => {
                    namespaces.as_ref().is_none_or(|namespace_selector| {
                        namespace_selector.may_be_matched_by(|key| pods.namespace_label(key))
                    }) && selector.as_ref().is_none_or(|selector| pods.are_selected_by(selector))
                }
            }
    }
}
