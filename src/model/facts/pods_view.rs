//! Pods of a template, with the data that selectors compare.

use super::package;
use super::scope::{Requirements, Scope};
use super::service::Service;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::text::Labels;

/// Certainty that an object applies to some pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Possible: one of the objects has no namespace and may get the same namespace (`kubectl apply -n`), or the labels
    /// of a namespace are unknown.
    Maybe,
    /// Certain.
    Sure,
}

/// Pods of a template, with the data that selectors read.
#[derive(Debug, Clone, Copy)]
pub struct PodsView<'m> {
    /// The workload's identity.
    pub meta: &'m Meta,
    /// Pod template of the workload.
    pub template: &'m PodTemplate,
}

/// `Deployment shop/web`, or `JobSet shop/train, template workers` if the object has several templates.
impl std::fmt::Display for PodsView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.meta)?;
        self.template_name().map_or(Ok(()), |name| write!(f, ", template {name}"))
    }
}

impl<'m> PodsView<'m> {
    /// Name of the template; `None` if the object has only one template.
    pub(crate) fn template_name(self) -> Option<&'m str> {
        self.template.name.as_deref().filter(|_| self.template.has_siblings)
    }

    /// Namespace of the pods. Pods of packages run in the namespace of Crossplane's core; `None` if the input does not
    /// show that namespace.
    pub(crate) fn namespace(self) -> Option<&'m str> {
        match package::is_package(self.meta) {
            true => self.template.package_namespace.as_deref(),
            false => Some(self.meta.namespace.as_deref().unwrap_or_default()),
        }
    }

    /// Compares a namespace, empty if missing, with the namespace of these pods.
    pub(crate) fn is_in(self, namespace: &str) -> Option<Reach> {
        match self.namespace() {
            Some(own) => compare_namespaces(own, namespace),
            None => matches!(namespace, "" | package::CORE_NAMESPACE).then_some(Reach::Sure),
        }
    }

    /// Like `is_in`, for an object that selects pods by these labels. If the namespace of
    /// Crossplane's core is unknown, a selector with labels of packages certainly applies.
    fn is_in_with<'l>(self, namespace: &str, mut labels: impl Iterator<Item = (&'l str, &'l str)>) -> Option<Reach> {
        let mut names_packages = || labels.any(|(key, _)| key.starts_with(package::LABELS));
        match self.is_in(namespace) {
            None if self.namespace().is_none() && names_packages() => Some(Reach::Sure),
            reach => reach,
        }
    }

    /// Certainty that the pods are in one of these namespaces and have the labels of the selector.
    fn is_in_any(self, namespaces: Option<&Vec<String>>, selector: &Requirements) -> Option<Reach> {
        let Some(namespaces) = namespaces else { return Some(Reach::Sure) };
        namespaces.iter().filter_map(|namespace| self.is_in_with(namespace, selector.labels())).max()
    }

    /// True if the pods have all of these labels.
    pub(crate) fn has_labels(self, labels: &Labels) -> bool {
        let is_revision =
            |(key, value): (&str, &str)| key == package::REVISION && package::is_revision_of(self.meta, value);
        self.template.labels.contains_unless(labels, is_revision)
    }

    /// Certainty that a Service selects the pods; `None` if it does not select them.
    pub(crate) fn is_selected_by(self, meta: &Meta, service: &Service) -> Option<Reach> {
        let here = self.is_in_with(meta.namespace.as_deref().unwrap_or_default(), service.selector.iter());
        here.filter(|_| self.has_labels(&service.selector) && service.allows(&self.template.labels))
    }

    /// True if the labels of the pods satisfy the requirements.
    pub(crate) fn matches(self, requirements: &Requirements) -> bool {
        // The name of a revision ends with a hash that only the cluster computes.
        let wanted = requirements.labels().find(|(key, _)| *key == package::REVISION).map(|(_, value)| value);
        let revision = wanted.filter(|value| package::is_revision_of(self.meta, value));
        requirements.matched_by(|key| match revision {
            Some(revision) if key == package::REVISION => Some(revision),
            _ => self.template.labels.get(key),
        })
    }

    /// Certainty that a scope selects the pods; `None` if it does not select them.
    pub(crate) fn is_selected(self, scope: &Scope) -> Option<Reach> {
        self.is_in_any(scope.namespaces.as_ref(), &scope.selector).filter(|_| self.matches(&scope.selector))
    }
}

/// Compares two namespaces; an empty one is missing in the manifest.
pub(in crate::model) fn compare_namespaces(one: &str, other: &str) -> Option<Reach> {
    if one == other {
        return Some(Reach::Sure);
    }
    (one.is_empty() || other.is_empty()).then_some(Reach::Maybe)
}
