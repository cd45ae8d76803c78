//! Pods that a policy of a network plugin selects, or that one of its rules names.
//!
//! Sources: cilium/cilium `pkg/k8s/apis/cilium.io/utils/utils.go`; projectcalico/calico
//! `libcalico-go/lib/backend/syncersv1/updateprocessors`.

use super::applies_to::{Endpoints, NAMESPACE};
use super::calico_selector::selects;
use super::package::{REVISION, package_of_revision};
use super::scope::{LabelValue, Requirements, all_of};
use crate::model::text::Labels;

/// Label that Calico adds to namespaces and service accounts; its value is their name.
const NAME: &str = "projectcalico.org/name";

/// Selector of pods in the form of a network plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PolicySubject {
    Cilium(Endpoints),
    /// Namespace of a namespaced policy, selector of pods, and selectors of namespaces and service accounts.
    Calico(Option<String>, String, [String; 2]),
    /// Selector of namespaces and selector of pods; `None` for a malformed selector.
    Admin(Option<Requirements>, Option<Requirements>),
    /// Pods with a service account, by its namespace and name.
    ServiceAccount(String, String),
    /// Pods that are known only in the cluster, such as the members of a group, in this namespace if given.
    Unknown(Option<String>),
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
    /// Service account of the pods; `None` if unknown.
    pub(crate) service_account: Option<&'p str>,
    /// Package whose pods these are. Crossplane also labels them with the package revision, a name that consists of the
    /// package name and a hash.
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
            "projectcalico.org/serviceaccount" => self.calico_account_label(NAME),
            _ => match (key.strip_prefix("pcns."), key.strip_prefix("pcsa.")) {
                (Some(key), _) => self.calico_namespace_label(key),
                (_, Some(key)) => self.calico_account_label(key),
                _ if key == REVISION && self.package.is_some() => LabelValue::Unknown,
                _ => self.labels.get(key).map_or(LabelValue::Absent, LabelValue::Is),
            },
        }
    }

    /// Label of the service account: only its name is in the manifest of the pods.
    fn calico_account_label(self, key: &str) -> LabelValue<'p> {
        self.service_account.filter(|_| key == NAME).map_or(LabelValue::Unknown, LabelValue::Is)
    }

    /// Value of a namespace label under Calico's names of keys.
    fn calico_namespace_label(self, key: &str) -> LabelValue<'p> {
        let key = if key == NAME { "kubernetes.io/metadata.name" } else { key };
        self.namespace_label(key)
    }
}

impl PolicySubject {
    /// True if pods of a namespace may be selected, whatever their labels are.
    pub(super) fn may_be_in(&self, namespace: &str) -> bool {
        self.own_namespace().is_none_or(|own_namespace| own_namespace == namespace)
    }

    /// The only namespace whose pods may be selected; `None` if there may be several.
    fn own_namespace(&self) -> Option<&str> {
        match self {
            Self::Cilium(selected) => selected.namespace.as_deref(),
            Self::Calico(own_namespace, ..) | Self::Unknown(own_namespace) => own_namespace.as_deref(),
            Self::ServiceAccount(namespace, _) => Some(namespace),
            Self::Admin(..) => None,
        }
    }

    /// True if the selector matches the pods; `None` if that depends on values that only the cluster has.
    pub(super) fn selects(&self, pods: PolicyPods<'_>) -> Option<bool> {
        if !self.may_be_in(pods.namespace) {
            return Some(false);
        }
        match self {
            Self::Cilium(selected) => {
                let namespace = |key: &str| (key == NAMESPACE).then_some(pods.namespace);
                let requirements = selected.requirements.as_ref();
                Some(requirements.is_none_or(|requirements| pods.are_selected_with(requirements, namespace)))
            }
            Self::Calico(_, selector, [namespaces, accounts]) => all_of([
                selects(selector, |key| pods.calico_label(key)),
                selects(namespaces, |key| pods.calico_namespace_label(key)),
                selects(accounts, |key| pods.calico_account_label(key)),
            ]),
            Self::Admin(namespaces, selector) => all_of([
                namespaces.as_ref().map_or(Some(true), |namespace_selector| {
                    namespace_selector.decide(|key| pods.namespace_label(key))
                }),
                Some(selector.as_ref().is_none_or(|selector| pods.are_selected_by(selector))),
            ]),
            Self::ServiceAccount(_, name) => pods.service_account.map(|own| own == name),
            Self::Unknown(_) => None,
        }
    }
}
