//! Required affinity of pods to other pods, and required anti-affinity.
//!
//! Source: kubernetes v1.37 `staging/src/k8s.io/kube-scheduler/framework/types.go`, `AffinityTerm.Matches`;
//! `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go`.

use super::requirement::{HOSTNAME, Requirement};
use crate::model::text::Labels;
use lossless_yaml::NodeRef;

/// Labels of nodes that several nodes share, and that each node of a cloud has.
/// Source: kubernetes v1.37 `staging/src/k8s.io/api/core/v1/well_known_labels.go`.
const SHARED_LABELS: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
];

/// Label of each namespace with its name.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Namespace and labels of a pod.
pub(super) type PodLabels<'p> = (Option<&'p str>, &'p Labels);

/// A required affinity or anti-affinity term, which selects other pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PodTerm {
    /// True if the term is about single nodes, false if it is about zones or regions.
    is_of_node: bool,
    /// Labels of the other pods.
    labels: Box<[Requirement]>,
    /// Namespaces of the other pods; `None` for the namespace of the pod.
    namespaces: Option<Namespaces>,
}

/// Namespaces of a term: by name, or by label.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Namespaces {
    names: Box<[Box<str>]>,
    /// Requirements on the name of the namespace; `None` without a readable selector.
    by_label: Option<Box<[Requirement]>>,
}

impl PodTerm {
    /// Reads a term of `requiredDuringSchedulingIgnoredDuringExecution`; `None` for a term that cannot be evaluated:
    /// nodes may lack its topology label, or it uses `matchLabelKeys`, whose values are not known.
    pub(super) fn read(term: NodeRef<'_, '_>) -> Option<Self> {
        let key = term.get("topologyKey").and_then(NodeRef::non_null_text)?;
        let is_of_node = key == HOSTNAME;
        let has = |key: &str| term.get(key).is_some();
        if !is_of_node && !SHARED_LABELS.contains(&key) || has("matchLabelKeys") || has("mismatchLabelKeys") {
            return None;
        }
        Some(Self { is_of_node, labels: selector(term.get("labelSelector")?)?, namespaces: Namespaces::read(term) })
    }

    /// True if the term of `own` pods selects the `other` pods.
    fn is_about(&self, own: PodLabels<'_>, other: PodLabels<'_>) -> bool {
        let is_here = match &self.namespaces {
            None => own.0 == other.0,
            Some(namespaces) => namespaces.has(other.0),
        };
        is_here && self.labels.iter().all(|requirement| requirement.fits(other.1.get(&requirement.key)))
    }
}

/// True if anti-affinity keeps `own` pods away from the node of the `other` pods.
pub(super) fn keeps_away(terms: &[PodTerm], own: PodLabels<'_>, other: PodLabels<'_>) -> bool {
    terms.iter().any(|term| term.is_about(own, other))
}

/// True if affinity puts `own` pods on the node of the `other` pods.
pub(super) fn affinity_colocates(terms: &[PodTerm], own: PodLabels<'_>, other: PodLabels<'_>) -> bool {
    terms.iter().any(|term| term.is_of_node && term.is_about(own, other))
}

impl Namespaces {
    fn read(term: NodeRef<'_, '_>) -> Option<Self> {
        let written = |key: &str| term.get(key).filter(|value| !value.is_null());
        let (names, by_label) = (written("namespaces"), written("namespaceSelector"));
        let names: Box<[Box<str>]> =
            names.into_iter().flat_map(NodeRef::items).filter_map(|name| name.text().map(Into::into)).collect();
        // An empty list counts as missing.
        if names.is_empty() && by_label.is_none() {
            return None;
        }
        let is_name = |requirement: &Requirement| *requirement.key == *NAMESPACE_NAME;
        let by_label = by_label.and_then(selector).filter(|all| all.iter().all(is_name));
        Some(Self { names, by_label })
    }

    /// True if the namespace is certainly one of these.
    fn has(&self, namespace: Option<&str>) -> bool {
        let namespace = namespace.filter(|name| !name.is_empty());
        let is_named = |name: &str| self.names.iter().any(|one| **one == *name);
        let is_selected = |all: &[Requirement]| {
            all.is_empty() || namespace.is_some() && all.iter().all(|requirement| requirement.fits(namespace))
        };
        namespace.is_some_and(is_named) || self.by_label.as_deref().is_some_and(is_selected)
    }
}

/// Requirements of a label selector; `None` for one that selects nothing or cannot be read. An empty selector selects
/// everything.
/// Source: kubernetes v1.37 `apimachinery/pkg/apis/meta/v1/helpers.go`, `LabelSelectorAsSelector`.
fn selector(selector: NodeRef<'_, '_>) -> Option<Box<[Requirement]>> {
    let expressions = selector.get("matchExpressions").into_iter().flat_map(NodeRef::items);
    let expressions = expressions.map(|expression| Requirement::read(expression).filter(Requirement::is_of_pods));
    let expressions: Vec<Requirement> = expressions.collect::<Option<_>>()?;
    let all: Box<[Requirement]> = Requirement::from_labels(selector.get("matchLabels")).chain(expressions).collect();
    let is_empty =
        |value: NodeRef<'_, '_>| value.is_null() || value.text().is_none() && value.children().next().is_none();
    let selects_all = || selector.is_mapping() && selector.entries().all(|(_, value)| is_empty(value));
    (!all.is_empty() || selects_all()).then_some(all)
}
