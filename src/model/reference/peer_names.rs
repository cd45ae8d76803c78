//! Host names that resolve to the pods of a workload and not to a port of a Service: names of headless Services, and
//! of pods below such Services.

use std::cell::OnceCell;

use crate::model::facts::Service;
use crate::model::id::WorkloadId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{AddressOwner, Container, PodTemplate};
use crate::model::text::{filled, labels, variable_in_host};

/// A headless Service of a workload.
#[derive(Debug)]
struct Headless<'m> {
    name: String,
    /// The Service; `None` for a name without a Service in the input.
    service: Option<(&'m Meta, &'m Service)>,
    /// Other workloads that the Service selects; computed at first use, because few texts name a Service of many
    /// workloads.
    others: OnceCell<Vec<WorkloadId>>,
}

/// The host names by which clients dial the pods of a workload directly.
#[derive(Debug)]
pub(in crate::model) struct PeerNames<'m> {
    model: &'m Model,
    meta: &'m Meta,
    template: &'m PodTemplate,
    /// The name of the workload.
    pub(in crate::model) workload: String,
    services: Vec<Headless<'m>>,
}

/// Owner of the pods that a host name resolves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Peer<'p> {
    /// Pods of the workload only.
    Own,
    /// Pods of the workload and of these workloads.
    Shared(&'p [WorkloadId]),
    /// Possibly pods of the workload: the namespace is unknown.
    Possible,
}

impl<'m> PeerNames<'m> {
    pub(in crate::model) fn new(model: &'m Model, meta: &'m Meta, template: &'m PodTemplate) -> Self {
        let headless = |name: &str, service| {
            let (name, others) = (name.to_ascii_lowercase(), OnceCell::new());
            Headless { name, service, others }
        };
        let services = model.services_of(meta, template).filter(|(_, _, service)| service.headless);
        let mut services: Vec<_> =
            services.map(|(_, meta, service)| headless(&meta.name, Some((meta, service)))).collect();
        // `serviceName` must be the name of a headless Service, because only headless Services give pods host names.
        let name = template.service_name.as_deref().filter(|name| !model.has_service(meta, name));
        services.extend(name.map(|name| headless(name, None)));
        Self { model, meta, template, workload: meta.name.to_ascii_lowercase(), services }
    }

    /// Namespace of the pods.
    fn namespace(&self) -> Option<&'m str> {
        self.meta.namespace.as_deref()
    }

    /// Other workloads whose pods have host names of the Service.
    fn other_workloads(&self, service: &Headless<'m>) -> Vec<WorkloadId> {
        let is_own =
            |id: WorkloadId| self.model.workload(id).is_some_and(|(_, template)| std::ptr::eq(template, self.template));
        match (service.service, self.template.service_name.as_deref()) {
            (Some((meta, service)), _) => {
                self.model.selected_by(meta, service).map(|(id, _)| id).filter(|id| !is_own(*id)).collect()
            }
            (None, Some(name)) => {
                self.model.workloads_named_by_service(self.meta, name).filter(|id| !is_own(*id)).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    /// Peers that a host name of the Service may mean; `sure` is false if the name may be another host.
    fn peer_of_service<'s>(&self, service: &'s Headless<'m>, own_pod: Option<&str>, sure: bool) -> Peer<'s> {
        if !sure {
            return Peer::Possible;
        }
        let others = || service.others.get_or_init(|| self.other_workloads(service)).as_slice();
        match own_pod.map_or_else(others, |_| &[]) {
            [] => Peer::Own,
            others => Peer::Shared(others),
        }
    }

    /// Possible first or second labels of the pods' host names.
    pub(in crate::model) fn labels(&self) -> impl Iterator<Item = &str> {
        self.services.iter().map(|service| service.name.as_str()).chain([self.workload.as_str()])
    }

    /// Resolves a host that an object of a namespace names; `container` is the container that names the host, if it
    /// belongs to the workload.
    pub(in crate::model) fn resolve(
        &self,
        host: &str,
        namespace: Option<&str>,
        container: Option<&Container>,
    ) -> Option<Peer<'_>> {
        let host = host.to_ascii_lowercase();
        let labels = labels(&host);
        let (first, rest) = labels.split_first()?;
        // Pods without a headless Service are not dialled by name.
        if self.services.is_empty() {
            return None;
        }
        let itself = container.is_some_and(|container| is_own_pod(container, first));
        let own_pod = itself || is_pod(&self.workload, first);
        let of_unknown = rest.first().is_some_and(|service| service.starts_with('$')) && rest.get(1) != Some(&"svc");
        if container.is_some() && ((itself && rest.is_empty()) || (own_pod && of_unknown)) {
            return Some(Peer::Own);
        }
        let named = |label: &str| self.services.iter().find(|service| service.name == label);
        let compare = |rest: &[&str]| self.compare_namespace(rest, namespace, container.is_some());
        if let Some((service, sure)) = named(first).and_then(|service| Some((service, compare(rest)?))) {
            return Some(self.peer_of_service(service, None, sure));
        }
        let (second, rest) = rest.split_first()?;
        let (service, sure) = named(second).and_then(|service| Some((service, compare(rest)?)))?;
        Some(self.peer_of_service(service, own_pod.then_some(*first), sure))
    }

    /// Compares the labels after a Service name with the namespace of the workload: `None` if different, `Some(false)`
    /// if unsure.
    pub(in crate::model) fn compare_namespace(
        &self,
        rest: &[&str],
        from: Option<&str>,
        from_own_pod: bool,
    ) -> Option<bool> {
        let variable = |label: &str| label.contains('$');
        let in_cluster = rest.get(1).is_none_or(|zone| matches!(*zone, "" | "svc") || variable(zone));
        let namespace = self.namespace();
        let here = from == namespace;
        let unknown = namespace.is_none() || from.is_none();
        let sure = match rest.first() {
            _ if !in_cluster => return None,
            None | Some(&"") if here => true,
            None | Some(&"") => unknown.then_some(false)?,
            Some(label) if variable(label) => from_own_pod,
            Some(label) => match namespace {
                Some(namespace) => (namespace == *label).then_some(true)?,
                None => from_own_pod,
            },
        };
        Some(sure)
    }
}

/// True if a label is the name of one or several pods of a workload: `web-0`, `web-$(ID)`, `web-{0...3}`.
fn is_pod(workload: &str, label: &str) -> bool {
    let number = label.strip_prefix(workload).and_then(|rest| rest.strip_prefix('-'));
    let digits = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    !workload.is_empty() && number.is_some_and(|number| digits(number) || number.starts_with(['$', '{']))
}

/// True if a label is the name of the container's pod, such as `$(hostname)`. Labels are in lower case.
fn is_own_pod(container: &Container, label: &str) -> bool {
    let Some(name) = variable_in_host(label) else { return label.starts_with("$(hostname ") || label == "$(hostname)" };
    let own = container.env.iter().rfind(|var| var.name.eq_ignore_ascii_case(name));
    match own {
        Some(var) => var.ip == Some(AddressOwner::Name),
        None => matches!(name, "hostname" | "pod_name"),
    }
}

/// Resolves a host that a container of the workload names; `value` returns variables of scripts and from ConfigMaps.
pub(in crate::model) fn of_container<'p, 'v>(
    names: &'p PeerNames<'_>,
    container: &Container,
    host: &str,
    value: impl Fn(&str) -> Option<&'v str>,
) -> Option<Peer<'p>> {
    let resolve = |host: &str| names.resolve(host, names.namespace(), Some(container));
    resolve(host).or_else(|| resolve(&filled(host, value)).filter(|_| host.contains('$')))
}
