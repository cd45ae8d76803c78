//! The pods of a template, as selectors see them.

use super::package;
use super::scope::{Requirements, Scope};
use super::service::Service;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::text::Labels;

/// Whether an object is about some pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// It may be: one of the two has no namespace, and may be meant for the other's (`kubectl apply -n`); or the labels of a namespace are
    /// not known.
    Maybe,
    /// It is.
    Sure,
}

/// Some pods, as a selector sees them.
#[derive(Debug, Clone, Copy)]
pub struct PodsView<'m> {
    /// The workload's identity.
    pub meta: &'m Meta,
    /// Its template.
    pub template: &'m PodTemplate,
}

/// `Deployment shop/web`; `JobSet shop/train, template workers` where the object has several.
impl std::fmt::Display for PodsView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.meta)?;
        match &self.template.name {
            Some(name) if self.template.has_siblings => write!(f, ", template {name}"),
            _ => Ok(()),
        }
    }
}

impl<'m> PodsView<'m> {
    /// The namespace. The pods of packages are in that of Crossplane's core: `None` where the input does not show it.
    pub(crate) fn namespace(self) -> Option<&'m str> {
        match package::is_package(self.meta) {
            true => self.template.package_namespace.as_deref(),
            false => Some(self.meta.namespace.as_deref().unwrap_or_default()),
        }
    }

    /// Whether an object of a namespace, empty where it says none, and these pods are in one.
    pub(crate) fn is_in(self, namespace: &str) -> Option<Reach> {
        match self.namespace() {
            Some(own) => near(own, namespace),
            None => matches!(namespace, "" | package::CORE_NAMESPACE).then_some(Reach::Sure),
        }
    }

    /// Reach of an object of a namespace that selects by these labels. Where the core's namespace is not known, labels of packages show it.
    fn is_in_with<'l>(self, namespace: &str, mut labels: impl Iterator<Item = (&'l str, &'l str)>) -> Option<Reach> {
        let mut names_packages = || labels.any(|(key, _)| key.starts_with(package::LABELS));
        match self.is_in(namespace) {
            None if self.namespace().is_none() && names_packages() => Some(Reach::Sure),
            reach => reach,
        }
    }

    fn is_in_any(self, namespaces: Option<&Vec<String>>, selector: &Requirements) -> Option<Reach> {
        let Some(namespaces) = namespaces else { return Some(Reach::Sure) };
        namespaces.iter().filter_map(|namespace| self.is_in_with(namespace, selector.labels())).max()
    }

    /// Whether the pods have all of these labels.
    pub(crate) fn has_labels(self, labels: &Labels) -> bool {
        let has = |(key, value): (&str, &str)| {
            let is_revision = key == package::REVISION && package::is_revision_of(self.meta, value);
            is_revision || self.template.labels.get(key) == Some(value)
        };
        labels.iter().all(has)
    }

    /// Whether a Service selects them.
    pub(crate) fn is_selected_by(self, meta: &Meta, service: &Service) -> Option<Reach> {
        let here = self.is_in_with(meta.namespace.as_deref().unwrap_or_default(), service.selector.iter());
        here.filter(|_| self.has_labels(&service.selector) && service.allows(&self.template.labels))
    }

    /// Whether the pods have the labels that are asked for.
    pub(crate) fn matches(self, requirements: &Requirements) -> bool {
        // The name of a package's revision ends in a hash that nothing but a cluster knows.
        let wanted = requirements.labels().find(|(key, _)| *key == package::REVISION).map(|(_, value)| value);
        let revision = wanted.filter(|value| package::is_revision_of(self.meta, value));
        requirements.matched_by(|key| match revision {
            Some(revision) if key == package::REVISION => Some(revision),
            _ => self.template.labels.get(key),
        })
    }

    /// Whether a scope selects them.
    pub(crate) fn is_selected(self, scope: &Scope) -> Option<Reach> {
        self.is_in_any(scope.namespaces.as_ref(), &scope.selector).filter(|_| self.matches(&scope.selector))
    }
}

/// Whether two namespaces, empty where none is said, are one.
pub(in crate::model) fn near(one: &str, other: &str) -> Option<Reach> {
    if one == other {
        return Some(Reach::Sure);
    }
    (one.is_empty() || other.is_empty()).then_some(Reach::Maybe)
}
