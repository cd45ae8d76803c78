//! Pod templates: containers, ports, port settings and probes.

use std::collections::{BTreeMap, HashMap};

use super::container::{Container, Role, container_nodes, read_containers};
use super::dialled::{Dialled, of_container};
use super::host_names::host_names;
use super::old_pods::{OldPods, old_pods};
use super::owner::{Owner, owner};
use super::placement::Placement;
use super::pod_count::pod_count;
use super::read::collect;
use super::redirect::{Redirect, redirects};
use super::resource_claim::{ResourceClaim, resource_claims};
use super::rollout::Rollout;
use super::scalar::{Scalar, Typed, value_of};
use super::subset::{Subset, subsets};
use super::unread_list::unread_lists;
use super::volume::{ConfigDataReference, Mount, Volume, VolumeSource, config_maps, projects_token, secrets, volumes};
use crate::catalog;
use crate::model::text::Labels;
use lossless_yaml::{NodeRef, Path, Value};

/// A pod template of an object.
#[derive(Debug, Clone)]
pub struct PodTemplate {
    /// Path of the template in the object; the root for a Pod.
    pub path: Path,
    /// Path of the pod spec.
    spec: Path,
    /// Name that distinguishes the template from others in the object, for kinds that may have several.
    pub name: Option<Box<str>>,
    /// True if the object has several templates.
    pub has_siblings: bool,
    /// Workload that the object also names, such as `Deployment web`. Without a template of its own, the object would
    /// use the template of this workload.
    pub workload_ref: Option<Box<str>>,
    /// Namespace of the pods of a package (packages are cluster-scoped); `None` if the input does not show the
    /// namespace.
    pub package_namespace: Option<Box<str>>,
    /// Labels of the pods.
    pub labels: Labels,
    /// Annotations of the pods.
    pub annotations: Labels,
    /// `hostNetwork`, as written.
    pub host_network: Option<Scalar>,
    /// `dnsPolicy`, as written.
    pub dns_policy: Option<Scalar>,
    /// True if `dnsConfig` has name servers.
    pub has_name_servers: bool,
    /// Paths of lists that have another form, so that nothing of them was read.
    pub unread_lists: Vec<Path>,
    /// Claims of devices.
    pub resource_claims: Box<[ResourceClaim]>,
    /// Fields that forbid the host network: path in the object and value.
    pub forbidding: Vec<Forbidding>,
    /// Containers that redirect the traffic of their pod; empty if the template is not read in full.
    pub redirects: Vec<Redirect>,
    /// Regular containers, then sidecars and plain init containers.
    pub containers: Vec<Container>,
    /// Volumes with ConfigMaps.
    pub volumes: Vec<Volume>,
    /// All ConfigMaps that the pods read, sorted.
    pub config_maps: Vec<ConfigDataReference>,
    /// All Secrets that the pods read.
    pub secrets: Vec<ConfigDataReference>,
    /// Node requirements of the pods, if any.
    pub placement: Option<Box<Placement>>,
    /// `serviceName` of a `StatefulSet`.
    pub service_name: Option<Box<str>>,
    /// Fields that set the host name, with their values; empty if the template is not read in full.
    pub host_names: Vec<(Path, String)>,
    /// Named hosts that the containers dial, by port number.
    pub dialled: Vec<Dialled>,
    /// Update strategy of the object; `None` if the template is not read completely.
    pub rollout: Option<Box<Rollout>>,
    /// Number of concurrent pods; `None` if each node has one or the number is unknown.
    pub pods: Option<u32>,
    /// Reason why an apply does not replace all pods; `None` if it does, or if the template is not read in full.
    pub old_pods: Option<Box<OldPods>>,
    /// Subsets of the pods with separate placement; empty if the template is not read in full.
    pub subsets: Box<[Subset]>,
    /// The service account of the pods.
    pub service_account: Box<str>,
    /// Annotations of the service account that Crossplane creates for a package, with their path.
    pub account_annotations: Option<Box<(Path, Labels)>>,
    /// `runtimeClassName`, if set.
    pub runtime_class: Option<Box<str>>,
    /// Token of the service account in the pods.
    pub token: Token,
    /// Owner of the object: the Deployment of a `ReplicaSet`, the `ReplicaSet` of a Pod.
    pub owner: Option<Box<Owner>>,
    /// True if two runs may overlap: `concurrencyPolicy` of a `CronJob` is absent or `Allow`, and it is not suspended.
    pub may_overlap: bool,
}

/// Token of a service account in the pods of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// The pods have a token.
    Mounted,
    /// The pods have a token unless their service account forbids it.
    OfAccount,
    /// The pods have no token.
    Absent,
}

/// Declared port that a pod occupies on its node.
#[derive(Debug, Clone, Copy)]
pub struct HeldPort<'p> {
    /// Container of the port.
    pub container: &'p Container,
    /// Index in the container's ports.
    pub index: usize,
    /// Port number.
    pub number: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'p str,
}

impl PodTemplate {
    /// Reads the template at `path` of an object; `None` without a pod spec. `whole` lists variables to read with any
    /// value. If it is `None` and the pods are not on the host network, only the fields are read that other workloads
    /// with the same Service need, mainly labels and ports.
    pub fn read(object: NodeRef<'_, '_>, path: &Path, whole: Option<&[String]>) -> Option<Self> {
        let template = object.lookup(path)?;
        let spec = template.get("spec").filter(|spec| spec.is_mapping())?;
        let spec_path = path.key("spec");
        let on_host = spec.get("hostNetwork").and_then(NodeRef::as_bool) == Some(true);
        let whole = whole.or(if on_host { Some(&[]) } else { None });
        let metadata =
            |key: &str| template.get("metadata").and_then(|m| m.get(key)).map(Labels::read).unwrap_or_default();
        let mut containers = read_containers(spec, &spec_path, "containers", whole, |_| Role::Regular);
        let mut init = read_containers(spec, &spec_path, "initContainers", whole, |container| {
            let always = container.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
            if always { Role::Sidecar } else { Role::Init }
        });
        containers.append(&mut init);
        containers.shrink_to_fit();
        let volumes = if whole.is_some() { volumes(spec) } else { Vec::new() };
        for container in &mut containers {
            // Other mounts, such as data and certificates, are numerous and contain no ports, so they are dropped.
            container.mounts.retain(|mount| volumes.iter().any(|volume| volume.name == mount.volume));
            container.mounts.shrink_to_fit();
        }
        let nodes = ["containers", "initContainers"].into_iter().flat_map(|list| container_nodes(spec, list));
        let dialled = nodes.zip(&containers).enumerate();
        let dialled =
            dialled.flat_map(|(index, (node, container))| of_container(node, &container.path, index, whole.is_some()));
        let mut dialled = collect(dialled);
        dialled.sort_by_key(|dialled| dialled.port);
        Some(Self {
            path: path.clone(),
            name: None,
            has_siblings: false,
            workload_ref: None,
            package_namespace: None,
            service_name: service_name(object, path),
            host_names: if whole.is_some() { host_names(spec, &spec_path) } else { Vec::new() },
            rollout: whole.and_then(|_| Rollout::read(object, path)),
            pods: whole.and_then(|_| pod_count(object, path)),
            old_pods: whole.and_then(|_| old_pods(object)),
            subsets: whole.map(|_| subsets(object)).unwrap_or_default(),
            dialled,
            labels: metadata("labels"),
            annotations: metadata("annotations"),
            host_network: spec.get("hostNetwork").and_then(Scalar::read),
            dns_policy: spec.get("dnsPolicy").and_then(Scalar::read),
            has_name_servers: has_name_servers(spec),
            unread_lists: unread_lists(spec, &spec_path),
            resource_claims: resource_claims(spec, &spec_path),
            forbidding: forbidding(spec, &spec_path),
            redirects: if whole.is_some() { redirects(spec, &spec_path) } else { Vec::new() },
            containers,
            volumes,
            config_maps: config_maps(spec),
            secrets: if whole.is_some() { secrets(spec) } else { Vec::new() },
            placement: Placement::read(spec),
            service_account: service_account(spec),
            account_annotations: None,
            runtime_class: spec.get("runtimeClassName").and_then(NodeRef::non_null_text).map(Into::into),
            token: token(spec),
            spec: spec_path,
            owner: owner(object),
            may_overlap: may_overlap(object),
        })
    }

    /// Path of the pod spec.
    pub fn spec_path(&self) -> Path {
        self.spec.clone()
    }

    /// Containers that listen while the pod runs: regular ones and sidecars.
    pub fn running(&self) -> impl Iterator<Item = (usize, &Container)> {
        self.containers.iter().enumerate().filter(|(_, container)| container.role != Role::Init)
    }

    /// The ConfigMaps in the pods' volumes by name, each with all its positions in volumes.
    pub fn mounted_config_maps(&self) -> BTreeMap<&str, Vec<&VolumeSource>> {
        let mut found: BTreeMap<&str, Vec<&VolumeSource>> = BTreeMap::new();
        for source in self.volumes.iter().flat_map(|volume| &volume.config_maps) {
            found.entry(&source.config_map).or_default().push(source);
        }
        found
    }

    /// True if a key of a ConfigMap is a file in a volume of the pods.
    pub fn mounts(&self, config_map: &str, key: &str) -> bool {
        let mut sources = self.volumes.iter().flat_map(|volume| &volume.config_maps);
        sources.any(|source| source.config_map == config_map && source.path(key).is_some())
    }

    /// The ConfigMaps that a container mounts as files, with the mounts.
    pub fn seen_config_maps<'c>(&'c self, container: &'c Container) -> Vec<(&'c VolumeSource, &'c Mount)> {
        let volumes: HashMap<&str, &Volume> =
            self.volumes.iter().map(|volume| (volume.name.as_str(), volume)).collect();
        let seen = container.mounts.iter().filter_map(|mount| Some((volumes.get(mount.volume.as_str())?, mount)));
        seen.flat_map(|(volume, mount)| volume.config_maps.iter().map(move |source| (source, mount))).collect()
    }

    /// True if a regular container or sidecar declares this port.
    pub fn declares(&self, number: u16, protocol: &str) -> bool {
        let mut ports = self.running().flat_map(|(_, container)| container.ports.iter().flatten());
        ports.any(|port| port.number() == Some(number) && port.protocol == protocol)
    }

    /// True if a regular container or sidecar has this name.
    pub fn has_container(&self, name: &str) -> bool {
        self.running().any(|(_, container)| container.name == name)
    }

    /// Declared ports that the pods occupy on their node: all on the host network, else the ports with a `hostPort`.
    pub fn held_ports(&self) -> impl Iterator<Item = HeldPort<'_>> {
        let on_host = self.on_host_network();
        self.running().flat_map(move |(_, container)| {
            container.ports.iter().flatten().enumerate().filter_map(move |(index, port)| {
                let number = if on_host { port.number() } else { port.host_number() };
                Some(HeldPort { container, index, number: number?, protocol: &port.protocol })
            })
        })
    }

    /// True if the template already sets the host network.
    pub fn on_host_network(&self) -> bool {
        self.host_network.as_ref().is_some_and(|field| field.typed == Typed::Bool(true))
    }
}

/// The Service whose host names the pods get (`serviceName: true` in `catalog/workloads.yaml`).
fn service_name(object: NodeRef<'_, '_>, template: &Path) -> Option<Box<str>> {
    let kind = object.get("kind")?.text()?;
    let mut rows = catalog::WORKLOAD_KINDS.iter().filter(|row| row.service_name && row.kind == kind);
    if !rows.any(|row| *template == Path::dotted(row.path)) {
        return None;
    }
    let name = object.lookup(&template.parent()?)?.get("serviceName")?.non_null_text()?;
    Some(name.into()).filter(|_| !name.is_empty())
}

/// A kind of field that cannot be used together with `hostNetwork: true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddingField {
    /// `hostUsers: false`
    HostUsers,
    /// `hostnameOverride`
    HostnameOverride,
    /// The name of a sysctl of the network.
    Sysctl,
}

/// A field that cannot be used together with `hostNetwork: true`.
#[derive(Debug, Clone, PartialEq)]
pub struct Forbidding {
    /// Kind of the field.
    pub field: ForbiddingField,
    /// Path of the field.
    pub path: Path,
    /// Value of the field.
    pub value: Value,
}

/// Fields that the API server rejects together with `hostNetwork: true` (Kubernetes v1.36
/// `pkg/apis/core/validation/validation.go:3922`, `4000`, `5485`).
fn forbidding(spec: NodeRef<'_, '_>, path: &Path) -> Vec<Forbidding> {
    let mut found = Vec::new();
    let mut add = |field, path, value| found.push(Forbidding { field, path, value });
    if let Some(users) = spec.get("hostUsers").filter(|users| users.as_bool() == Some(false)) {
        add(ForbiddingField::HostUsers, path.key("hostUsers"), value_of(users));
    }
    if let Some(name) = spec.get("hostnameOverride").filter(|name| !name.is_null()) {
        add(ForbiddingField::HostnameOverride, path.key("hostnameOverride"), value_of(name));
    }
    let sysctls = spec.get("securityContext").and_then(|context| context.get("sysctls"));
    for (index, sysctl) in sysctls.into_iter().flat_map(NodeRef::items).enumerate() {
        let name = sysctl.get("name").and_then(NodeRef::text).unwrap_or_default();
        if name.starts_with("net.") || name.starts_with("net/") {
            let path = path.key("securityContext").key("sysctls").named_item(index, Some(name)).key("name");
            add(ForbiddingField::Sysctl, path, Value::from(name));
        }
    }
    found
}

/// True if `dnsConfig` of a pod spec has name servers, or may have some.
fn has_name_servers(spec: NodeRef<'_, '_>) -> bool {
    let servers = spec.get("dnsConfig").and_then(|config| config.get("nameservers"));
    servers.is_some_and(|servers| !servers.is_null() && (!servers.is_sequence() || servers.items().next().is_some()))
}

/// Token of the service account in the pods of a spec.
///
/// Source: kubernetes/kubernetes@v1.34.2 `plugin/pkg/admission/serviceaccount/admission.go` (`shouldAutomount`).
fn token(spec: NodeRef<'_, '_>) -> Token {
    match spec.get("automountServiceAccountToken").and_then(NodeRef::as_bool) {
        _ if projects_token(spec) => Token::Mounted,
        Some(true) => Token::Mounted,
        Some(false) => Token::Absent,
        None => Token::OfAccount,
    }
}

/// Service account of a pod spec; `default` if absent.
fn service_account(spec: NodeRef<'_, '_>) -> Box<str> {
    let named = ["serviceAccountName", "serviceAccount"].into_iter().filter_map(|key| spec.get(key)?.non_null_text());
    named.into_iter().find(|name| !name.is_empty()).unwrap_or("default").into()
}

/// `CronJob` of Kubernetes and `AdvancedCronJob` of OpenKruise (kubernetes v1.36 `batch/v1`, openkruise/kruise v1.9.0
/// `apis/apps/v1alpha1/advancedcronjob_types.go`: the default is `Allow`).
fn may_overlap(object: NodeRef<'_, '_>) -> bool {
    let spec = |key: &str| object.get("spec")?.get(key);
    let policy = || spec("concurrencyPolicy")?.non_null_text();
    let is_suspended = || spec("suspend").and_then(NodeRef::as_bool) == Some(true);
    object.get("kind").and_then(NodeRef::text).is_some_and(|kind| kind.ends_with("CronJob"))
        && policy().is_none_or(|policy| policy == "Allow")
        && !is_suspended()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::Tree;

    /// Patches address list elements by name, so paths contain the names.
    #[test]
    fn template_paths_use_the_names_of_list_elements() {
        let text = "spec: {containers: [{name: web, ports: [{name: a, containerPort: 1}, {name: b, containerPort: 2}], \
                    env: [{name: A_PORT, value: '1'}, {name: B_PORT, value: '2'}]}]}";
        let tree = Tree::parse(text).unwrap();
        let template = PodTemplate::read(tree.root(0).unwrap(), &Path::root(), Some(&[])).unwrap();
        let web = Path::dotted("spec.containers").named_item(0, Some("web"));
        let container = &template.containers[0];
        assert_eq!(container.env_path(1), web.key("env").named_item(1, Some("B_PORT")).key("value"));
        assert_eq!(container.port_path(1), web.key("ports").named_item(1, Some("b")));
        assert_ne!(container.env_path(1), web.key("env").named_item(1, Some("A_PORT")).key("value"));
    }
}
