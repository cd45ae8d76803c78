//! Ports of nodes that pods use: ports of the input before a plan, listeners of the plan after it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::groups::Groups;
use super::holder::{Certainty, HolderKind, OnNodes, PortHolder};
use crate::catalog;
use crate::check::port_use::{Use, Uses, collect};
use crate::check::{CheckContext, Workload};
use crate::host_network::PortRow;
use crate::judge::node_port;
use crate::judge::sidecars::injectors;
use crate::model::facts::package;
use crate::model::index::{object_key, workload_key};
use crate::model::listener::{Guess, Listener, WorkloadEvidence, may_be_called};
use crate::model::pod::{PodTemplate, TCP};
use crate::model::{Meta, ObjectId};

/// Address of listeners on the loopback interface.
const LOOPBACK: &str = "localhost";

/// Pods that hold ports, their listeners in the pod network, and ports of node processes that pods use.
#[derive(Default)]
pub(super) struct Pods {
    pub(super) holders: Vec<PortHolder>,
    /// Listeners in the pod network that the API server calls.
    pub(super) called_in_pod_network: Vec<PortHolder>,
    /// Ports of processes that run in pods of the input.
    pub(super) processes: BTreeSet<(u16, &'static str)>,
    /// Ports of processes of nodes that pods of other programs have.
    pub(super) on_process_ports: BTreeSet<(u16, &'static str)>,
}

/// Namespace of a workload's key; `None` for objects without a namespace.
pub(super) fn namespace(key: &str) -> Option<String> {
    let (first, rest) = key.split_once('/')?;
    // A first part with a dot is a group, one with a capital letter is a kind: the object then has no namespace.
    let is_namespace = rest.contains('/') && !first.contains('.') && !first.contains(char::is_uppercase);
    is_namespace.then(|| first.to_owned())
}

/// Holders of all pods.
pub(super) fn holders(checked: &CheckContext<'_>, rows: &[PortRow], groups: &Groups<'_>) -> Pods {
    let mut by_workload: HashMap<&str, Vec<&PortRow>> = HashMap::new();
    let selected: BTreeSet<&str> = rows.iter().filter(|row| !row.is_left).map(|row| row.workload.as_str()).collect();
    for row in rows.iter().filter(|row| !row.is_left) {
        by_workload.entry(&row.workload).or_default().push(row);
    }
    let called = crate::check::called(checked.model);
    let context = Context { checked, groups, called: &called, packages: packages(checked) };
    let mut pods = Pods::default();
    for workload in checked.workloads.iter().chain(&checked.static_pods) {
        for (name, owner) in context.names(workload) {
            let own = by_workload.remove(name.as_str());
            WorkloadPorts {
                context: &context,
                workload,
                name,
                owner,
                evidence: OnceCell::new(),
                nodes: OnceCell::new(),
            }
            .list(own.as_deref(), &mut pods);
        }
    }
    // Add the selected objects that a check ignores, such as old revisions.
    for row in by_workload.into_values().flatten() {
        pods.holders.push(row_holder(row, false, OnNodes::Unknown));
    }
    pods.holders.extend(context.injected(&selected));
    pods
}

struct Context<'c, 'm> {
    checked: &'c CheckContext<'m>,
    groups: &'c Groups<'c>,
    called: &'c BTreeMap<ObjectId, crate::model::listener::CallReasons>,
    /// Packages of each runtime config.
    packages: HashMap<ObjectId, Vec<(ObjectId, &'m Meta)>>,
}

/// Packages of the input, by the runtime config of their pods.
fn packages<'m>(checked: &CheckContext<'m>) -> HashMap<ObjectId, Vec<(ObjectId, &'m Meta)>> {
    let mut packages: HashMap<ObjectId, Vec<(ObjectId, &'m Meta)>> = HashMap::new();
    for (config, package) in checked.package_objects() {
        if let Some(object) = checked.model.object(package) {
            packages.entry(config).or_default().push((package, &object.meta));
        }
    }
    packages
}

impl<'m> Context<'_, 'm> {
    /// Keys of a workload, each with the object that the API server may call. Packages that share a runtime config have
    /// one workload.
    fn names(&self, workload: &Workload<'m>) -> Vec<(String, ObjectId)> {
        if workload.meta.gvk.group == package::GROUP
            && let Some(packages) = self.packages.get(&workload.object)
        {
            return packages.iter().map(|(id, meta)| (object_key(meta), *id)).collect();
        }
        // Static Pods share the key of their node, but each static Pod is a separate holder.
        let is_own = workload.is_static || workload.key == object_key(workload.meta);
        let name = if is_own { workload_key(workload.pods_view()) } else { workload.key.clone() };
        vec![(name, workload.object)]
    }

    /// Ports of containers that are injected into pods on the host network. `selected` are the workloads that are on
    /// the host network after the plan.
    fn injected(&self, selected: &BTreeSet<&str>) -> Vec<PortHolder> {
        let checked = self.checked;
        let mut holders = Vec::new();
        let mut listed = BTreeSet::new();
        for injector in injectors(checked.model) {
            let id = injector.id;
            let pods = |workload: &&Workload<'_>| injector.selects(checked.model, workload.pods_view());
            let pods =
                checked.workloads.iter().filter(pods).filter(|workload| !checked.are_alternatives(id, workload.object));
            for workload in pods {
                let names = self.names(workload).into_iter().map(|(name, _)| name);
                for name in names.filter(|name| workload.on_host() || selected.contains(name.as_str())) {
                    for (_, number, protocol) in &*injector.ports {
                        listed.insert((name.clone(), *number, protocol.clone()));
                        holders.push(PortHolder {
                            is_before: workload.on_host(),
                            ..self.injected_holder(
                                workload.template,
                                name.clone(),
                                *number,
                                protocol,
                                &injector.to_string(),
                            )
                        });
                    }
                }
            }
        }
        for pod in &checked.running.pods {
            for held in pod.injected() {
                if listed.insert((pod.key.clone(), held.number, held.protocol.to_owned())) {
                    let evidence = format!("container {} of {}", held.container.name, pod.meta);
                    holders.push(PortHolder {
                        container: Some(held.container.name.clone()),
                        ..self.injected_holder(pod.template, pod.key.clone(), held.number, held.protocol, &evidence)
                    });
                }
            }
        }
        holders
    }

    /// User of a port that another object adds to the pods.
    fn injected_holder(
        &self,
        template: &PodTemplate,
        name: String,
        number: u16,
        protocol: &str,
        evidence: &str,
    ) -> PortHolder {
        PortHolder {
            protocol: Some(protocol.to_owned()),
            namespace: namespace(&name),
            evidence: evidence.to_owned(),
            nodes: self.groups.nodes_for(template),
            ..PortHolder::from_range(number, number, HolderKind::Injected, name)
        }
    }
}

/// A workload of the input, with its ports.
struct WorkloadPorts<'c, 'm> {
    context: &'c Context<'c, 'm>,
    workload: &'c Workload<'m>,
    name: String,
    /// Object that the API server may call.
    owner: ObjectId,
    evidence: OnceCell<WorkloadEvidence<'c>>,
    nodes: OnceCell<OnNodes>,
}

impl WorkloadPorts<'_, '_> {
    /// Adds the ports before a plan, and after it: `rows` are the listeners of a selected workload.
    fn list(&self, rows: Option<&[&PortRow]>, pods: &mut Pods) {
        let mut uses = Uses::new();
        collect(self.workload, &mut uses);
        let mut kept = BTreeSet::new();
        for ((number, protocol), uses) in &uses {
            self.remember_node_port(*number, protocol, pods);
            for one in uses {
                let row = rows.into_iter().flatten().find(|row| is_listener_of_use(row, one, *number, protocol));
                if row.is_some_and(|row| row.to == *number) {
                    kept.insert((*number, protocol.as_str(), one.container.as_str()));
                    continue;
                }
                let holder = self.use_holder(one, *number, protocol);
                let other = row.map(|row| row.to);
                pods.holders.push(PortHolder { is_after: rows.is_none(), other, ..holder });
            }
        }
        for row in rows.into_iter().flatten() {
            self.remember_node_port(row.to, &row.protocol, pods);
            let is_before = kept.contains(&(row.to, row.protocol.as_str(), row.container.as_str()))
                || row.is_guess && self.workload.on_host();
            pods.holders.push(row_holder(row, is_before, self.nodes()));
        }
        if rows.is_none() && self.workload.on_host() {
            pods.holders.extend(self.workload.ports.guesses.iter().map(|guess| self.guess_holder(guess)));
        } else if rows.is_none() {
            let called = self.workload.ports.listeners.iter().filter(|listener| self.is_called(listener));
            pods.called_in_pod_network.extend(called.map(|listener| self.pod_network_holder(listener)));
        }
    }

    /// Nodes on which the pods may run.
    fn nodes(&self) -> OnNodes {
        self.nodes.get_or_init(|| self.context.groups.nodes_for_workload(self.workload)).clone()
    }

    /// Records a port that the catalogue lists for a process of nodes.
    fn remember_node_port(&self, number: u16, protocol: &str, pods: &mut Pods) {
        let rows = catalog::NODE_PORTS.iter().filter(|row| row.port == number && row.protocol == protocol);
        for row in rows {
            let is_process = node_port::runs_process_of(self.workload.template, row);
            let list = if is_process { &mut pods.processes } else { &mut pods.on_process_ports };
            list.insert((row.port, row.protocol));
        }
    }

    /// The holder for a port that a pod template uses.
    fn use_holder(&self, one: &Use<'_, '_>, number: u16, protocol: &str) -> PortHolder {
        let kind = if self.workload.on_host() { HolderKind::HostNetwork } else { HolderKind::HostPort };
        let listener = one.listener;
        // Services, probes and scrapers call the address of the pod, not the `hostPort` of a pod in the pod network.
        let reached = listener.filter(|_| self.workload.on_host());
        let is_called = reached.is_some_and(|listener| self.is_called(listener));
        let certainty = if one.is_certain { Certainty::Certain } else { Certainty::Likely };
        // On the host network a `hostIP` does not bind the process.
        let host_ip =
            Some(one.address).filter(|address| !self.workload.on_host() && !matches!(*address, "" | "0.0.0.0" | "::"));
        let is_loopback = reached.is_some_and(Listener::is_loopback);
        PortHolder {
            address: host_ip.or(is_loopback.then_some(LOOPBACK)).map(str::to_owned),
            protocol: Some(protocol.to_owned()),
            namespace: namespace(&self.name),
            container: Some(one.container.clone()),
            port: listener.map(|listener| listener.label.clone()),
            role: listener.map(|listener| listener.role),
            certainty,
            evidence: listener.map_or_else(|| "declared".to_owned(), Listener::evidence),
            is_called,
            clients: reached.map(|listener| self.clients(listener, is_called)).unwrap_or_default(),
            nodes: self.nodes(),
            ..PortHolder::from_range(number, number, kind, self.name.clone())
        }
    }

    /// A listener that the API server calls at the address of a pod in the pod network.
    fn pod_network_holder(&self, listener: &Listener) -> PortHolder {
        let number = listener.number;
        PortHolder {
            protocol: Some(listener.protocol.to_string()),
            namespace: namespace(&self.name),
            container: self.workload.container(listener).map(|container| container.name.clone()),
            port: Some(listener.label.clone()),
            role: Some(listener.role),
            certainty: if listener.is_certain() { Certainty::Certain } else { Certainty::Likely },
            evidence: listener.evidence(),
            is_called: true,
            clients: self.clients(listener, true),
            nodes: self.nodes(),
            ..PortHolder::from_range(number, number, HolderKind::PodNetwork, self.name.clone())
        }
    }

    /// User of a port that only the name of a setting suggests.
    fn guess_holder(&self, guess: &Guess) -> PortHolder {
        let number = guess.setting.port;
        let container = self.workload.template.containers.get(guess.container);
        PortHolder {
            protocol: Some(TCP.into_owned()),
            namespace: namespace(&self.name),
            container: container.map(|container| container.name.clone()),
            port: Some(guess.label()),
            certainty: Certainty::Possible,
            evidence: guess.setting.name.clone(),
            nodes: self.nodes(),
            ..PortHolder::from_range(number, number, HolderKind::HostNetwork, self.name.clone())
        }
    }

    /// True if the API server may call the listener.
    fn is_called(&self, listener: &Listener) -> bool {
        !listener.is_role_by_word && may_be_called(self.context.checked.model, self.owner, self.workload.meta, listener)
    }

    /// Clients of the listener that the input shows.
    fn clients(&self, listener: &Listener, is_called: bool) -> BTreeSet<String> {
        let (model, workload) = (self.context.checked.model, self.workload);
        let evidence = self.evidence.get_or_init(|| WorkloadEvidence::new(model, workload.meta, workload.template));
        let mut clients = evidence.clients(model, listener.container, listener.number);
        if let Some(why) = self.context.called.get(&self.owner).filter(|_| is_called) {
            clients.extend(why.reasons());
        }
        clients
    }
}

/// True if a row describes the listener of a use.
fn is_listener_of_use(row: &PortRow, one: &Use<'_, '_>, number: u16, protocol: &str) -> bool {
    let from = one.listener.map_or(number, |listener| listener.number);
    !row.is_guess && row.from == from && row.protocol == protocol && row.container == one.container
}

/// Holder after the plan.
fn row_holder(row: &PortRow, is_before: bool, nodes: OnNodes) -> PortHolder {
    let is_moved = row.to != row.from;
    let kind = if is_moved { HolderKind::Moved } else { HolderKind::Kept };
    let certainty = match (row.is_guess, row.is_certain) {
        (true, _) => Certainty::Possible,
        (false, true) => Certainty::Certain,
        (false, false) => Certainty::Likely,
    };
    let mut clients = row.clients.clone();
    clients.extend(row.callers.iter().filter(|_| row.is_called()).cloned());
    PortHolder {
        address: row.is_loopback.then(|| LOOPBACK.to_owned()),
        protocol: Some(row.protocol.clone()),
        namespace: namespace(&row.workload),
        container: Some(row.container.clone()),
        port: Some(row.port.clone()),
        role: Some(row.role),
        is_before,
        other: is_moved.then_some(row.from),
        certainty,
        evidence: row.evidence.clone(),
        is_called: row.is_called(),
        clients,
        nodes,
        ..PortHolder::from_range(row.to, row.to, kind, row.workload.clone())
    }
}
