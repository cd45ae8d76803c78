//! Pods that a port field applies to.

use super::objects::Objects;
use crate::model::facts::package::CORE_NAMESPACE;
use crate::model::facts::{
    ALL_NAMESPACES, ANY, AppliesTo, NAME_LABEL, Name, Namespaces, Naming, NamingContext, OLM, Peer, PodsView, Reach,
    compare_namespaces, hash,
};
use crate::model::id::WorkloadId;
use crate::model::meta::Meta;
use crate::model::text::Labels;
use lossless_yaml::Step;

impl Namespaces {
    /// True if the selector matches a namespace; `None` if the labels of the namespace are unknown.
    fn matches_namespace(&self, model: &Objects, name: &str) -> Option<bool> {
        let object = model.namespace(name);
        if object.is_none() && self.keys.iter().any(|key| key != NAME_LABEL) {
            return None;
        }
        let label = |key: &str| object.and_then(|meta| meta.labels.get(key));
        Some(self.selector.matched_by(|key| if key == NAME_LABEL { Some(name) } else { label(key) }))
    }
}

impl Peer {
    /// Certainty that the peer selects these pods; `None` if it does not.
    fn reach(&self, model: &Objects, policy: &str, pods: PodsView<'_>) -> Option<Reach> {
        let Self::Pods(selector, namespaces) = self else { return None };
        if !pods.matches(selector) {
            return None;
        }
        let Some(namespaces) = namespaces else { return pods.is_in(policy) };
        match namespaces.matches_namespace(model, pods.namespace().unwrap_or(CORE_NAMESPACE)) {
            Some(true) => Some(Reach::Sure),
            Some(false) => None,
            None => Some(Reach::Maybe),
        }
    }
}

/// Certainty that a rule of a policy in this namespace applies to some pods; a rule without peers may apply to any pod.
pub(in crate::model) fn peers_reach(
    model: &Objects,
    policy: &str,
    peers: &[Peer],
    pods: PodsView<'_>,
) -> Option<Reach> {
    if peers.is_empty() {
        return Some(Reach::Maybe);
    }
    peers.iter().filter_map(|peer| peer.reach(model, policy, pods)).max()
}

impl AppliesTo {
    /// Certainty that the object applies to these pods; `None` if it does not.
    pub(crate) fn reach(&self, model: &Objects, pods: PodsView<'_>) -> Option<Reach> {
        let service = |matches: &dyn Fn(&Meta) -> Option<Reach>| {
            let services = model.services_that_may_select(pods).into_iter();
            services.filter_map(|(_, meta, _, reach)| Some(matches(meta)?.min(reach))).max()
        };
        match self {
            Self::Pods(scope, container) => pods
                .is_selected(scope)
                .filter(|_| container.as_ref().is_none_or(|name| pods.template.has_container(name))),
            Self::ServicesWith(scope) => service(&|meta| {
                let own = meta.namespace.as_deref().unwrap_or_default();
                let here =
                    |all: &Vec<String>| all.iter().filter_map(|namespace| compare_namespaces(own, namespace)).max();
                let reach = scope.namespaces.as_ref().map_or(Some(Reach::Sure), here);
                reach.filter(|_| scope.selector.matches(&meta.labels))
            }),
            Self::Service(namespace, name) => service(&|meta| same(meta, namespace).filter(|_| *meta.name == **name)),
            Self::ServicesNaming(namespace, keys, name) => service(&|meta| {
                let names_service = |key: &String| meta.annotations.get(key).is_some_and(|text| has_word(text, name));
                same(meta, namespace).filter(|_| keys.iter().any(names_service))
            }),
            Self::Workload(namespace, kind, name) => pods.is_in(namespace).filter(|_| {
                let kind = kind.as_ref().is_none_or(|kind| *pods.meta.gvk.kind == **kind);
                kind && *pods.meta.name == **name
            }),
            Self::Template(namespace, name, element) => pods.is_in(namespace).filter(|_| {
                let is_element =
                    |step: &&Step| matches!(step, Step::Item { name: Some(own), .. } if **own == **element);
                pods.meta.gvk.group == OLM
                    && *pods.meta.name == **name
                    && pods.template.path.steps().iter().any(is_element)
            }),
            Self::Endpoints(all) => all.iter().filter_map(|endpoints| endpoints.reach(pods)).max(),
            Self::Peers(namespace, peers) => peers_reach(model, namespace, peers, pods),
            Self::Readers(namespace, name, key) => {
                pods.is_in(namespace).filter(|_| pods.template.secrets.iter().any(|used| used.has(name, key)))
            }
            Self::Named(naming) => naming.reach(model, pods),
            Self::Namespace(namespace) => pods.is_in(namespace),
            Self::AllPods => Some(Reach::Sure),
        }
    }
}

impl AppliesTo {
    /// Candidate workloads: includes all workloads for which [`AppliesTo::reach`] may return a result.
    pub(in crate::model) fn candidates(&self, model: &Objects) -> Vec<WorkloadId> {
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
}

/// The hashes under which the index has every object that may apply to these pods.
pub(in crate::model) fn hashes_of(model: &Objects, pods: PodsView<'_>) -> Vec<u64> {
    let mut found = Vec::new();
    // A missing namespace of the object or the pods matches every namespace.
    let mut add = |kind: &'static str, namespace: Option<&str>, label: (&str, &str)| match namespace {
        Some(own) if !own.is_empty() => {
            found.extend([own, "", ALL_NAMESPACES].map(|namespace| hash(kind, Some(namespace), label)));
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
    for (_, meta, ..) in model.services_that_may_select(pods) {
        add("service", None, (&meta.name, ""));
        for label in meta.labels.iter().chain([ANY]) {
            add("services", meta.namespace.as_deref(), label);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Compares the namespace of a Service with the namespace of an object that names the Service.
fn same(service: &Meta, namespace: &str) -> Option<Reach> {
    compare_namespaces(service.namespace.as_deref().unwrap_or_default(), namespace)
}

/// True if a text has a name as a whole word, as in JSON or in a list.
fn has_word(text: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    text.split(|c: char| !is_name(c)).any(|word| word == name)
}

impl Naming {
    /// Certainty that the object names these pods; `None` if it does not.
    pub(in crate::model) fn reach(&self, model: &Objects, pods: PodsView<'_>) -> Option<Reach> {
        let services = model.services_that_may_select(pods);
        let own = services.iter().map(|(_, meta, ..)| meta.name.as_str()).chain([pods.meta.name.as_str()]);
        let namespaces = own.filter_map(|name| self.names.get(name)).flatten();
        let named = namespaces.filter_map(|namespace| pods.is_in(namespace.as_deref().unwrap_or(&self.namespace)));
        let labelled = || {
            let selects = |labels: &Labels| pods.has_labels(labels);
            self.labels.iter().any(selects).then(|| pods.is_in(&self.namespace)).flatten()
        };
        named.max().or_else(labelled)
    }
}

impl NamingContext {
    /// True if a number is a port of the Service named nearest to it. The number is then a port of the Service, not of
    /// pods.
    pub(in crate::model) fn is_own_port(&self, model: &Objects, number: u16) -> bool {
        let has_port = |(name, namespace): &Name| -> Option<bool> {
            let namespace = namespace.as_deref().unwrap_or(&self.naming.namespace);
            let mut services = model.services_named(name);
            let own = services.find(|(_, meta, _)| meta.namespace.as_deref().unwrap_or_default() == namespace);
            own.map(|(.., service)| service.ports.iter().any(|port| port.port == Some(number)))
        };
        self.levels.iter().find_map(|names| names.iter().find_map(has_port)) == Some(true)
    }
}
