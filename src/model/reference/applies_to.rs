//! Whom a port field is about: how an object finds its pods.

use std::sync::Arc;

use crate::model::labels::Labels;
use crate::model::package::{self, REVISION};
use crate::model::pod::PodTemplate;
use crate::model::scope::{Requirements, Scope};
use crate::model::service::Service;
use crate::model::{Meta, Model, WorkloadId, label_hash};

/// The pods that an object is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppliesTo {
    /// Pods with some labels; with a container of this name, where one is given.
    Pods(Scope, Option<Box<str>>),
    /// The pods behind Services with some labels.
    ServicesWith(Scope),
    /// The pods behind a Service, by the namespaces that may be meant and its name.
    Service(Box<str>, Box<str>),
    /// The pods behind the Services of a namespace that name the object in one of these annotations.
    ServicesNaming(Box<str>, Arc<[String]>, Box<str>),
    /// The pods of a workload, by namespace, kind (where one is given) and name.
    Workload(Box<str>, Option<Box<str>>, Box<str>),
    /// Pods as the selectors of a network plugin's policy ask for them.
    Endpoints(Vec<Endpoints>),
    /// The pods that a rule of a network policy leads to.
    Peers(Box<str>, Arc<[super::Peer]>),
    /// The pods that read a key of a Secret: namespace, name and key.
    Readers(Box<str>, Box<str>, Box<str>),
    /// Those that an object of an unknown kind names.
    Named(Arc<super::Naming>),
    /// All pods of a namespace.
    Namespace(Box<str>),
    /// All pods.
    Anyone,
}

/// Whether an object is about some pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// It may be: one of the two has no namespace, and may be meant for the other's (`kubectl apply -n`); or the labels of a namespace are
    /// not known.
    Maybe,
    /// It is.
    Sure,
}

/// Pods with labels as Cilium and Calico ask for them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoints {
    /// Their namespace; none is everywhere.
    pub namespace: Option<Box<str>>,
    /// What their labels must be, the namespace being one of them; none is a selector that is not read.
    pub requirements: Option<Requirements>,
}

impl Endpoints {
    fn reach(&self, pods: PodsView<'_>) -> Option<Reach> {
        let own = pods.meta.namespace.as_deref().unwrap_or_default();
        let value = |key: &str| if key == NAMESPACE { Some(own) } else { pods.template.labels.get(key) };
        let here = self.namespace.as_ref().map_or(Some(Reach::Sure), |namespace| pods.is_in(namespace));
        here.filter(|_| self.requirements.as_ref().is_none_or(|requirements| requirements.matched_by(value)))
    }
}

/// The label of every endpoint of Cilium with the namespace of its pod.
pub(crate) const NAMESPACE: &str = "io.kubernetes.pod.namespace";

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
    /// The namespace; none where every one may be meant: Crossplane runs packages in its own.
    pub(in crate::model) fn namespace(self) -> Option<&'m str> {
        (!package::is_package(self.meta)).then(|| self.meta.namespace.as_deref().unwrap_or_default())
    }

    /// Whether an object of a namespace, empty where it says none, and these pods are in one.
    pub(crate) fn is_in(self, namespace: &str) -> Option<Reach> {
        match self.namespace() {
            None => Some(Reach::Sure),
            Some(own) => near(own, namespace),
        }
    }

    fn is_in_any(self, namespaces: Option<&Vec<String>>) -> Option<Reach> {
        let Some(namespaces) = namespaces else { return Some(Reach::Sure) };
        namespaces.iter().filter_map(|namespace| self.is_in(namespace)).max()
    }

    /// Whether the pods have all of these labels.
    pub(crate) fn has_labels(self, labels: &Labels) -> bool {
        let has = |(key, value): (&str, &str)| {
            let is_revision = key == REVISION && package::is_revision_of(self.meta, value);
            is_revision || self.template.labels.get(key) == Some(value)
        };
        labels.iter().all(has)
    }

    /// Whether a Service selects them.
    pub(crate) fn is_selected_by(self, meta: &Meta, service: &Service) -> Option<Reach> {
        let here = self.is_in(meta.namespace.as_deref().unwrap_or_default());
        here.filter(|_| self.has_labels(&service.selector))
    }

    /// Whether the pods have the labels that are asked for.
    pub(crate) fn matches(self, requirements: &Requirements) -> bool {
        // The name of a package's revision ends in a hash that nothing but a cluster knows.
        let wanted = requirements.labels().find(|(key, _)| *key == REVISION).map(|(_, value)| value);
        let revision = wanted.filter(|value| package::is_revision_of(self.meta, value));
        requirements.matched_by(|key| match revision {
            Some(revision) if key == REVISION => Some(revision),
            _ => self.template.labels.get(key),
        })
    }

    /// Whether a scope selects them.
    pub(crate) fn is_selected(self, scope: &Scope) -> Option<Reach> {
        self.is_in_any(scope.namespaces.as_ref()).filter(|_| self.matches(&scope.selector))
    }
}

impl AppliesTo {
    /// Whether it is about these pods.
    pub(crate) fn reach(&self, model: &Model, pods: PodsView<'_>) -> Option<Reach> {
        let service = |matches: &dyn Fn(&Meta) -> Option<Reach>| {
            let services = model.services_reaching(pods).into_iter();
            services.filter_map(|(_, meta, _, reach)| Some(matches(meta)?.min(reach))).max()
        };
        match self {
            Self::Pods(scope, container) => pods
                .is_selected(scope)
                .filter(|_| container.as_ref().is_none_or(|name| pods.template.has_container(name))),
            Self::ServicesWith(scope) => service(&|meta| {
                let own = meta.namespace.as_deref().unwrap_or_default();
                let here = |all: &Vec<String>| all.iter().filter_map(|namespace| near(own, namespace)).max();
                let reach = scope.namespaces.as_ref().map_or(Some(Reach::Sure), here);
                reach.filter(|_| scope.selector.matches(&meta.labels))
            }),
            Self::Service(namespace, name) => service(&|meta| same(meta, namespace).filter(|_| *meta.name == **name)),
            Self::ServicesNaming(namespace, keys, name) => service(&|meta| {
                let says = |key: &String| meta.annotations.get(key).is_some_and(|text| has_word(text, name));
                same(meta, namespace).filter(|_| keys.iter().any(says))
            }),
            Self::Workload(namespace, kind, name) => pods.is_in(namespace).filter(|_| {
                let kind = kind.as_ref().is_none_or(|kind| *pods.meta.gvk.kind == **kind);
                kind && *pods.meta.name == **name
            }),
            Self::Endpoints(all) => all.iter().filter_map(|endpoints| endpoints.reach(pods)).max(),
            Self::Peers(namespace, peers) => super::peers_reach(model, namespace, peers, pods),
            Self::Readers(namespace, name, key) => {
                pods.is_in(namespace).filter(|_| pods.template.secrets.iter().any(|used| used.has(name, key)))
            }
            Self::Named(naming) => naming.reach(model, pods),
            Self::Namespace(namespace) => pods.is_in(namespace),
            Self::Anyone => Some(Reach::Sure),
        }
    }

    /// Whether it selects pods by labels: where it has some, others without a namespace are not meant.
    pub(super) fn is_selector(&self) -> bool {
        matches!(self, Self::Pods(..) | Self::ServicesWith(_))
    }

    /// The workloads that it may be about, and that it is surely about all of them are among.
    pub(super) fn near(&self, model: &Model) -> Vec<WorkloadId> {
        let behind = |matches: &dyn Fn(&Meta) -> bool| {
            let services = model.services().filter(|(_, meta, _)| matches(meta));
            services.flat_map(|(_, meta, service)| model.selected_by(meta, service)).map(|(id, _)| id).collect()
        };
        match self {
            Self::Pods(scope, _) => model.near(scope),
            Self::ServicesWith(scope) => behind(&|meta| scope.matches(meta.namespace.as_deref(), &meta.labels)),
            Self::Service(_, name) => behind(&|meta| *meta.name == **name),
            _ => model.workloads().map(|(id, ..)| id).collect(),
        }
    }

    /// The hashes under which it is found: a pod that it is about has one of them.
    pub(super) fn hashes(&self) -> Vec<u64> {
        let by_scope = |kind: &'static str, scope: &Scope| {
            // Nobody knows the label of a revision but the cluster.
            let label = scope.selector.labels().find(|(key, _)| *key != REVISION).unwrap_or(ANY);
            let namespaces = scope.namespaces.as_ref().map(|all| all.iter().map(|own| Some(own.as_str())).collect());
            let namespaces: Vec<Option<&str>> = namespaces.unwrap_or_else(|| vec![Some(EVERYWHERE)]);
            namespaces.into_iter().chain([None]).map(|namespace| hash(kind, namespace, label)).collect()
        };
        match self {
            Self::Pods(scope, _) => by_scope("pods", scope),
            Self::ServicesWith(scope) => by_scope("services", scope),
            Self::Service(_, name) => vec![hash("service", None, (name, ""))],
            Self::Workload(_, _, name) => vec![hash("workload", None, (name, ""))],
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
                let labels = peers.iter().map(super::Peer::label).collect::<Option<Vec<_>>>();
                let labels = labels.filter(|labels| !labels.is_empty()).unwrap_or_else(|| vec![ANY]);
                labels.into_iter().flat_map(everywhere).collect()
            }
            Self::Named(naming) => naming.hashes(),
            Self::Readers(_, name, _) => vec![hash("secret", None, (name, ""))],
            Self::Namespace(namespace) => [Some(namespace.as_ref()), None].map(|at| hash("pods", at, ANY)).to_vec(),
            Self::ServicesNaming(..) | Self::Anyone => everywhere(ANY).to_vec(),
        }
    }
}

/// The hashes of what asks for a label in all namespaces.
fn everywhere(label: (&str, &str)) -> [u64; 2] {
    [Some(EVERYWHERE), None].map(|namespace| hash("pods", namespace, label))
}

/// What stands for all labels.
const ANY: (&str, &str) = ("", "");
/// What stands for all namespaces: no namespace is called so.
const EVERYWHERE: &str = "*";

/// A hash of what is asked for; without a namespace it is that of all objects that ask for it.
pub(super) fn hash(kind: &'static str, namespace: Option<&str>, label: (&str, &str)) -> u64 {
    label_hash(Some(kind), label) ^ label_hash(namespace, ANY).rotate_left(17)
}

/// The hashes of some pods, under which all that may be about them is found.
pub(super) fn hashes_of(model: &Model, pods: PodsView<'_>) -> Vec<u64> {
    let mut found = Vec::new();
    // What has no namespace may be meant for any, and any for what has none.
    let mut add = |kind: &'static str, namespace: Option<&str>, label: (&str, &str)| match namespace {
        Some(own) if !own.is_empty() => {
            found.extend([own, "", EVERYWHERE].map(|namespace| hash(kind, Some(namespace), label)));
        }
        _ => found.push(hash(kind, None, label)),
    };
    for label in pods.template.labels.iter().chain([ANY]) {
        add("pods", pods.namespace(), label);
    }
    add("workload", None, (&pods.meta.name, ""));
    for secret in &pods.template.secrets {
        add("secret", None, (&secret.name, ""));
    }
    for (_, meta, ..) in model.services_reaching(pods) {
        add("service", None, (&meta.name, ""));
        for label in meta.labels.iter().chain([ANY]) {
            add("services", meta.namespace.as_deref(), label);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether two namespaces, empty where none is said, are one.
fn near(one: &str, other: &str) -> Option<Reach> {
    if one == other {
        return Some(Reach::Sure);
    }
    (one.is_empty() || other.is_empty()).then_some(Reach::Maybe)
}

/// Whether a Service is in the namespace of an object that names it.
fn same(service: &Meta, namespace: &str) -> Option<Reach> {
    near(service.namespace.as_deref().unwrap_or_default(), namespace)
}

/// Whether a text has a name between other characters: in JSON, in a list.
fn has_word(text: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    text.split(|c: char| !is_name(c)).any(|word| word == name)
}
