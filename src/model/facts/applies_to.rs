//! Pods that a port field applies to.

use std::sync::Arc;

use super::label_hash::{ALL_NAMESPACES, ANY, everywhere, hash};
use super::naming::Naming;
use super::package;
use super::peer::Peer;
use super::pods_view::{PodsView, Reach};
use super::scope::{Requirements, Scope};

/// Pods that an object applies to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppliesTo {
    /// Pods with some labels, and with a container of this name if given.
    Pods(Scope, Option<Box<str>>),
    /// Pods of Services with some labels.
    ServicesWith(Scope),
    /// Pods of a Service, by possible namespaces and name.
    Service(Box<str>, Box<str>),
    /// Pods of the Services of a namespace that name the object in one of these annotations: namespace, annotations,
    /// and name of the object.
    ServicesNaming(Box<str>, Arc<[String]>, Box<str>),
    /// Pods of a workload, by namespace, kind (if given) and name.
    Workload(Box<str>, Option<Box<str>>, Box<str>),
    /// Pods of one template of a `ClusterServiceVersion`: namespace and name of the object, and name of the list element
    /// with the template.
    Template(Box<str>, Box<str>, Box<str>),
    /// Pods that the selectors of a network plugin's policy select.
    Endpoints(Vec<Endpoints>),
    /// Pods that the peers of a network policy rule select.
    Peers(Box<str>, Arc<[Peer]>),
    /// Pods that read a key of a Secret: namespace, name and key.
    Readers(Box<str>, Box<str>, Box<str>),
    /// Pods that an object of an unknown kind names.
    Named(Arc<Naming>),
    /// All pods of a namespace.
    Namespace(Box<str>),
    /// All pods.
    AllPods,
}

/// Pods that a selector of Cilium or Calico selects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoints {
    /// Namespace of the pods; `None` for all namespaces.
    pub namespace: Option<Box<str>>,
    /// Requirements on the labels, which include the namespace; `None` without a selector, or if it cannot be read: all
    /// pods match.
    pub requirements: Option<Requirements>,
}

impl Endpoints {
    /// Certainty that the endpoints select these pods; `None` if they do not.
    pub(in crate::model) fn reach(&self, pods: PodsView<'_>) -> Option<Reach> {
        let own = pods.meta.namespace.as_deref().unwrap_or_default();
        let value = |key: &str| if key == NAMESPACE { Some(own) } else { pods.template.labels.get(key) };
        let here = self.namespace.as_ref().map_or(Some(Reach::Sure), |namespace| pods.is_in(namespace));
        here.filter(|_| self.requirements.as_ref().is_none_or(|requirements| requirements.matched_by(value)))
    }
}

/// Label of Cilium endpoints with the namespace of the pod.
pub(crate) const NAMESPACE: &str = "io.kubernetes.pod.namespace";

impl AppliesTo {
    /// True if labels of the pods, or of their Services, select the pods.
    pub(in crate::model) fn is_selector(&self) -> bool {
        matches!(self, Self::Pods(..) | Self::ServicesWith(_))
    }
}

impl AppliesTo {
    /// Hashes for the index: each pod that the object applies to has one of these hashes.
    pub(in crate::model) fn hashes(&self) -> Vec<u64> {
        let by_scope = |kind: &'static str, scope: &Scope| {
            // Only the cluster has the value of a revision label.
            let label = scope.selector.labels().find(|(key, _)| *key != package::REVISION).unwrap_or(ANY);
            let namespaces =
                scope.namespaces.as_ref().map(|all| all.iter().map(|namespace| Some(namespace.as_str())).collect());
            let namespaces: Vec<Option<&str>> = namespaces.unwrap_or_else(|| vec![Some(ALL_NAMESPACES)]);
            namespaces.into_iter().chain([None]).map(|namespace| hash(kind, namespace, label)).collect()
        };
        match self {
            Self::Pods(scope, _) => by_scope("pods", scope),
            Self::ServicesWith(scope) => by_scope("services", scope),
            Self::Service(_, name) => vec![hash("service", None, (name, ""))],
            Self::Workload(_, _, name) | Self::Template(_, name, _) => vec![hash("workload", None, (name, ""))],
            Self::Endpoints(whose) => {
                let label = |whose: &Endpoints| {
                    let labels = whose.requirements.iter().flat_map(Requirements::labels);
                    labels
                        .filter(|(key, _)| *key != NAMESPACE)
                        .map(everywhere)
                        .next()
                        .unwrap_or_else(|| everywhere(ANY))
                };
                whose.iter().flat_map(label).collect()
            }
            Self::Peers(_, peers) => {
                let labels = peers.iter().map(Peer::label).collect::<Option<Vec<_>>>();
                let labels = labels.filter(|labels| !labels.is_empty()).unwrap_or_else(|| vec![ANY]);
                labels.into_iter().flat_map(everywhere).collect()
            }
            Self::Named(naming) => naming.hashes(),
            Self::Readers(_, name, _) => vec![hash("secret", None, (name, ""))],
            Self::Namespace(namespace) => [Some(namespace.as_ref()), None].map(|at| hash("pods", at, ANY)).to_vec(),
            Self::ServicesNaming(..) | Self::AllPods => everywhere(ANY).to_vec(),
        }
    }
}
