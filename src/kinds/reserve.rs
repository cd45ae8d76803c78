//! `hostnet pin --reserve`: records the node ports in use by a running cluster in the config's `reserved`.

use std::collections::{BTreeMap, BTreeSet};

use super::config_text;
use crate::api::{HOST_NETWORK, HostNetworkConfig};
use crate::model::facts::{kubelet_port, service_node_ports};
use crate::render::ranges::{joined, range};
use krm::{Input, ReadError};
use lossless_yaml::{EditError, KeyPosition, NodeRef, Op, Path, Value};

/// Node ports in use according to a dump, each with one object that uses it.
pub type DumpPorts = BTreeMap<u16, String>;

/// A config with additional reserved ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// New text of the config.
    pub text: String,
    /// Added ports, each with the object that uses it.
    pub added: DumpPorts,
}

/// Node ports in use according to a dump (`kubectl get pods,nodes,services -A -o yaml`): declared ports of running Pods
/// on the host network, hostPorts of other running Pods, kubelet ports of Nodes, and nodePorts of Services. Pods of
/// workloads with a key in `own` (`NAMESPACE/[GROUP/]KIND/NAME`) are excluded, because their ports become free.
pub fn used_ports(dump: &Input, own: &BTreeSet<&str>) -> Result<DumpPorts, ReadError> {
    let of_object = |_: krm::ObjectPlace<'_>, object: NodeRef<'_, '_>| {
        let text = |node: Option<NodeRef<'_, '_>>| node.and_then(NodeRef::text).unwrap_or_default().to_owned();
        let kind = text(object.get("kind"));
        let metadata = object.get("metadata");
        let name = text(metadata.and_then(|metadata| metadata.get("name")));
        let namespace = text(metadata.and_then(|metadata| metadata.get("namespace")));
        let name = if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") };
        let numbers = match kind.as_str() {
            "Pod" if is_own(object, &namespace, own) => BTreeSet::new(),
            "Pod" => read_pod(object),
            "Node" => kubelet_port(object).into_iter().collect(),
            "Service" => service_node_ports(object).into_iter().filter_map(|port| port.number).collect(),
            _ => BTreeSet::new(),
        };
        (name, numbers)
    };
    let mut held = DumpPorts::new();
    for (name, numbers) in dump.objects(of_object)? {
        for number in numbers {
            held.entry(number).or_insert_with(|| name.clone());
        }
    }
    Ok(held)
}

/// True if a dump has a Node or a Pod: every running cluster has both.
pub fn has_node_or_pod(dump: &Input) -> Result<bool, ReadError> {
    let is_known = |_: krm::ObjectPlace<'_>, object: NodeRef<'_, '_>| {
        matches!(object.get("kind").and_then(NodeRef::text), Some("Node" | "Pod"))
    };
    Ok(dump.objects(is_known)?.contains(&true))
}

/// True if a Pod belongs to one of these workloads: it is controlled by the workload, or by a `ReplicaSet` whose name
/// is a Deployment's name and a hash.
fn is_own(pod: NodeRef<'_, '_>, namespace: &str, own: &BTreeSet<&str>) -> bool {
    let text =
        |owner: NodeRef<'_, '_>, key: &str| owner.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
    items(pod.get("metadata"), "ownerReferences").into_iter().any(|owner| {
        let (kind, name) = (text(owner, "kind"), text(owner, "name"));
        let (kind, name) = match name.rsplit_once('-').filter(|_| kind == "ReplicaSet") {
            Some((deployment, _)) => ("Deployment", deployment),
            None => (kind.as_str(), name.as_str()),
        };
        let end = format!("/{kind}/{name}");
        own.iter().any(|key| key.ends_with(&end) && key.split('/').next() == Some(namespace))
    })
}

fn port(node: Option<NodeRef<'_, '_>>) -> Option<u16> {
    node.and_then(NodeRef::as_int).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0)
}

fn items<'t, 's>(node: Option<NodeRef<'t, 's>>, key: &str) -> Vec<NodeRef<'t, 's>> {
    node.and_then(|node| node.get(key)).into_iter().flat_map(NodeRef::items).collect()
}

/// Ports of the node that a running Pod uses.
fn read_pod(pod: NodeRef<'_, '_>) -> BTreeSet<u16> {
    let phase = pod.lookup(&Path::dotted("status.phase")).and_then(NodeRef::text);
    if matches!(phase, Some("Succeeded" | "Failed")) {
        return BTreeSet::new();
    }
    let spec = pod.get("spec");
    let on_host = spec.and_then(|spec| spec.get("hostNetwork")).and_then(NodeRef::as_bool) == Some(true);
    // An init container with `restartPolicy: Always` is a sidecar, which keeps running.
    let stays = |node: &NodeRef<'_, '_>| node.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
    let containers =
        items(spec, "containers").into_iter().chain(items(spec, "initContainers").into_iter().filter(stays));
    let ports = containers.flat_map(|container| items(Some(container), "ports"));
    let number = |declared: NodeRef<'_, '_>| {
        port(declared.get("hostPort")).or_else(|| port(declared.get("containerPort")).filter(|_| on_host))
    };
    ports.filter_map(number).collect()
}

/// Adds ports to `reserved` in a config's text, except for ports that are already reserved or that the config assigns.
///
/// ```
/// # use hostnet::api::HostNetworkConfig;
/// # use hostnet::kinds::reserve::{reserve, used_ports};
/// # use krm::{Input, Origin};
/// let config = "\
/// apiVersion: hostnet.dev/v1alpha1
/// kind: HostNetwork
/// spec:
///   targets: [{select: {kind: Pod}, ports: auto}]
///   reserved: [9100] # node-exporter
///   assigned: {shop/Pod/a/http: 9400}
/// ";
/// let dump = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {hostNetwork: true, containers: [{ports: \
///             [{containerPort: 9100}, {containerPort: 9101}, {containerPort: 9102}, {containerPort: 9400}]}]}}";
/// let read = HostNetworkConfig::read(config, "config.yaml", 1).unwrap();
/// let held = used_ports(&Input::read(Origin::stdin(), dump.into()).unwrap(), &Default::default()).unwrap();
/// let reserved = reserve(config, &read, held).unwrap();
/// assert_eq!(reserved.text, config.replace("[9100]", "[9100, 9101-9102]"));
/// ```
pub fn reserve(text: &str, config: &HostNetworkConfig, held: DumpPorts) -> Result<Reserved, EditError> {
    let spec = &config.host_network.spec;
    let known = |number: u16| spec.reserved.iter().any(|range| range.contains(number));
    let given: BTreeSet<u16> = spec.assigned_port_numbers().collect();
    let added: DumpPorts = held.into_iter().filter(|(number, _)| !known(*number) && !given.contains(number)).collect();
    let ranges = joined(added.keys().map(|number| (*number, *number)).collect());
    let value = |(first, last): &(u16, u16)| {
        if first == last { Value::from(*first) } else { Value::Str(range(*first, *last)) }
    };
    if ranges.is_empty() {
        return Ok(Reserved { text: text.to_owned(), added });
    }
    let list = Path::dotted("spec.reserved");
    let ops: Vec<Op> = if config_text::has(HOST_NETWORK, text, &list) {
        ranges.iter().map(|range| Op::Append { sequence: list.clone(), value: value(range) }).collect()
    } else {
        let place =
            KeyPosition { after: ["portPool", "exclude"].map(Into::into).to_vec(), before: vec!["assigned".into()] };
        let value = Value::Seq(ranges.iter().map(value).collect());
        vec![Op::Add { parent: Path::dotted("spec"), key: "reserved".to_owned(), value, place }]
    };
    let mut text = text.to_owned();
    config_text::apply(HOST_NETWORK, &mut text, &ops)?;
    Ok(Reserved { text, added })
}

#[cfg(test)]
mod tests {
    use super::used_ports;
    use krm::{Input, Origin};

    #[test]
    fn reserved_ports_are_read_from_a_dump() {
        let dump = "\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: host, namespace: a}, spec: {hostNetwork: true, containers: [{ports: [{containerPort: 1}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: pod, namespace: a}, spec: {containers: [{ports: [{containerPort: 2}, {containerPort: 3, hostPort: 4}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {hostNetwork: true, containers: [{ports: [{containerPort: 5}]}]}, status: {phase: Succeeded}}
- {apiVersion: v1, kind: Pod, metadata: {name: init}, spec: {hostNetwork: true, initContainers: [{ports: [{containerPort: 6}]}, {restartPolicy: Always, ports: [{containerPort: 7}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: x, namespace: a, ownerReferences: [{kind: ReplicaSet, name: own-5d}]}, spec: {hostNetwork: true, containers: [{ports: [{containerPort: 8}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: y, namespace: b, ownerReferences: [{kind: ReplicaSet, name: own-5d}]}, spec: {hostNetwork: true, containers: [{ports: [{containerPort: 9}]}]}}
- {apiVersion: v1, kind: Node, metadata: {name: n}, status: {daemonEndpoints: {kubeletEndpoint: {Port: 10250}}}}
- {apiVersion: v1, kind: Service, metadata: {name: s, namespace: a}, spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80, nodePort: 30080}], healthCheckNodePort: 30081}}
";
        let held =
            used_ports(&Input::read(Origin::stdin(), dump.into()).unwrap(), &["a/Deployment/own"].into()).unwrap();
        let numbers: Vec<u16> = held.keys().copied().collect();
        assert_eq!(numbers, [1, 4, 7, 9, 10250, 30080, 30081]);
        assert_eq!((held[&1].as_str(), held[&10250].as_str()), ("Pod a/host", "Node n"));
    }
}
