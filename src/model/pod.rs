//! A pod template as the rules need it: containers, ports, what they are told and who probes them.

use std::borrow::Cow;

use super::dialled::{Dialled, of_container};
use super::env::Env;
use super::evidence::whole_numbers;
use super::labels::Labels;
use super::low_ports::LowPorts;
use super::own_address::is_own_host;
use super::placement::Placement;
use super::probe::{Probe, probes};
use super::protocol::{TCP, protocol};
use super::redirect::{Redirect, redirects};
use super::rollout::Rollout;
use super::volume::{DataUse, EnvSource, Mount, Volume, config_maps, env_sources, mounts, secrets, volumes};
use crate::yaml::{NodeRef, Path, Step, Value};

/// A pod template of an object.
#[derive(Debug, Clone)]
pub struct PodTemplate {
    /// The template's path in its object; the root for a Pod.
    pub path: Path,
    /// What tells it from other templates of its object, for kinds that may have several.
    pub name: Option<Box<str>>,
    /// Whether its object has other templates too.
    pub has_siblings: bool,
    /// The workload that its object names beside it, whose template it would take if it had none: `Deployment web`.
    pub beside: Option<Box<str>>,
    /// Labels of the pods.
    pub labels: Labels,
    /// Annotations of the pods.
    pub annotations: Labels,
    /// `hostNetwork`, as written.
    pub host_network: Option<Scalar>,
    /// `dnsPolicy`, as written.
    pub dns_policy: Option<Scalar>,
    /// Fields that forbid the host network: path in the object and value.
    pub forbidding: Vec<(Path, Value)>,
    /// Containers that redirect the traffic of their pod; none where the template is not read whole.
    pub redirects: Vec<Redirect>,
    /// Regular containers, then sidecars and plain init containers.
    pub containers: Vec<Container>,
    /// Volumes that hold ConfigMaps.
    pub volumes: Vec<Volume>,
    /// All ConfigMaps that the pods read, sorted.
    pub config_maps: Vec<DataUse>,
    /// All Secrets that the pods read.
    pub secrets: Vec<DataUse>,
    /// What the pods ask of their node, if they do.
    pub placement: Option<Box<Placement>>,
    /// The Service that a `StatefulSet` says its pods have their names from.
    pub service_name: Option<Box<str>>,
    /// The hosts by name that its containers dial, by their numbers.
    pub dialled: Vec<Dialled>,
    /// How the object replaces its pods; none where the template is not read whole.
    pub rollout: Option<Box<Rollout>>,
    /// The object that made this one: a `ReplicaSet`'s Deployment, a Pod's `ReplicaSet`.
    pub owner: Option<Box<Owner>>,
}

/// The object that controls another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Its API group.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// A scalar as it was read: small, since a large input holds very many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// Its text, empty for null.
    pub text: Box<str>,
    typed: Typed,
}

/// What readers take a scalar for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typed {
    Null,
    Bool(bool),
    Int(i64),
    Text,
}

impl Scalar {
    pub(super) fn of(node: NodeRef<'_, '_>) -> Option<Self> {
        let text = node.text()?;
        let (text, typed) = match value_of(node) {
            Value::Null => ("", Typed::Null),
            Value::Bool(value) => (text, Typed::Bool(value)),
            Value::Int(value) => (text, Typed::Int(value)),
            _ => (text, Typed::Text),
        };
        Some(Self { text: text.into(), typed })
    }

    /// A string.
    pub(super) fn string(text: &str) -> Self {
        Self { text: text.into(), typed: Typed::Text }
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.typed == Typed::Null
    }

    /// The value, typed as readers take it.
    #[must_use]
    pub fn value(&self) -> Value {
        match self.typed {
            Typed::Null => Value::Null,
            Typed::Bool(value) => Value::Bool(value),
            Typed::Int(value) => Value::Int(value),
            Typed::Text => Value::from(self.text.as_ref()),
        }
    }
}

/// A scalar's value, typed: what an edit reports as old and new.
fn value_of(node: NodeRef<'_, '_>) -> Value {
    if node.is_null() {
        return Value::Null;
    }
    node.as_bool()
        .map(Value::Bool)
        .or_else(|| node.as_int().map(Value::Int))
        .unwrap_or_else(|| Value::from(node.text().unwrap_or_default()))
}

/// What a container is to the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// One of `containers`.
    Regular,
    /// An init container with `restartPolicy: Always`.
    Sidecar,
    /// A plain init container: it has ended before anything listens, so it is never touched.
    Init,
}

/// A container.
#[derive(Debug, Clone)]
pub struct Container {
    /// Its path in the object.
    pub path: Path,
    /// What it is to the pod.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// Its image, as written.
    pub image: String,
    /// `command`; none when the field is absent.
    pub command: Option<Vec<String>>,
    /// `args`; none when the field is absent.
    pub args: Option<Vec<String>>,
    /// Of `env`, the variables that may have to do with a port.
    pub env: Env,
    /// The length of `env`; none when the field is absent.
    pub env_len: Option<usize>,
    /// ConfigMaps of `envFrom`.
    pub env_from: Vec<EnvSource>,
    /// Where it sees volumes.
    pub mounts: Vec<Mount>,
    /// Whether it may listen below 1024.
    pub low_ports: LowPorts,
    /// Declared ports; none when the field is absent.
    pub ports: Option<Vec<ContainerPort>>,
    /// The length of the list of ports in the document: what comes after these in `ports` is not written there, but
    /// declared by whoever makes pods of the template.
    pub ports_len: Option<usize>,
    /// Probes and lifecycle hooks that dial a port.
    pub probes: Vec<Probe>,
    /// Commands of exec probes and hooks: path of the command list, its words.
    pub execs: Vec<(Path, Vec<String>)>,
}

/// A variable of a container.
#[derive(Debug, Clone)]
pub struct EnvVar {
    /// Its position in `env`.
    pub index: usize,
    /// Its name.
    pub name: Box<str>,
    /// Its value; none when it comes from elsewhere.
    pub value: Option<Box<str>>,
    /// The ConfigMap and key that it comes from.
    pub config_map: Option<Box<(String, String)>>,
    /// Whose address it holds, when Kubernetes fills one in.
    pub ip: Option<IpOf>,
}

/// Whose address a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpOf {
    /// The pod's.
    Pod,
    /// That of the node it runs on.
    Node,
    /// Not an address, but the pod's name.
    Name,
}

impl IpOf {
    /// Reads the field that a variable comes from.
    fn of(value_from: NodeRef<'_, '_>) -> Option<Self> {
        match value_from.get("fieldRef")?.get("fieldPath")?.text()? {
            "status.podIP" | "status.podIPs" => Some(Self::Pod),
            "status.hostIP" | "status.hostIPs" => Some(Self::Node),
            "metadata.name" => Some(Self::Name),
            _ => None,
        }
    }
}

/// A declared port of a container.
#[derive(Debug, Clone)]
pub struct ContainerPort {
    /// Its name.
    pub name: Option<String>,
    /// `containerPort` as written; a placeholder such as `${PORT}` is not a number.
    pub container_port: Option<Scalar>,
    /// `hostPort` as written.
    pub host_port: Option<Scalar>,
    /// `hostIP` as written; empty when it is absent.
    pub host_ip: Box<str>,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Cow<'static, str>,
}

impl ContainerPort {
    /// The number, when it is one from 1 to 65535.
    #[must_use]
    pub fn number(&self) -> Option<u16> {
        self.container_port.as_ref().and_then(number)
    }

    /// The host port, when it is one from 1 to 65535.
    #[must_use]
    pub fn host_number(&self) -> Option<u16> {
        self.host_port.as_ref().and_then(number)
    }
}

/// A declared port that a pod takes on its node.
#[derive(Debug, Clone, Copy)]
pub struct HeldPort<'p> {
    /// The container.
    pub container: &'p Container,
    /// Its position in the container's ports.
    pub index: usize,
    /// The number.
    pub number: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'p str,
}

fn number(scalar: &Scalar) -> Option<u16> {
    match scalar.typed {
        Typed::Int(number) => u16::try_from(number).ok().filter(|number| *number > 0),
        _ => None,
    }
}

impl Container {
    /// The path of a command word, `list` being `command` or `args`.
    #[must_use]
    pub fn word_path(&self, list: &'static str, index: usize) -> Path {
        self.path.key(list).item(index)
    }

    /// The variable of this name; of several the last, which wins in Kubernetes.
    #[must_use]
    pub fn env_var(&self, name: &str) -> Option<(usize, &EnvVar)> {
        self.env.named(name).map(|var| (var.index, var))
    }

    /// The variable whose value is at a path.
    #[must_use]
    pub fn env_at(&self, path: &Path) -> Option<&EnvVar> {
        let item = path.parent()?;
        let Some(Step::Item { index, .. }) = item.last() else { return None };
        (path.parent()?.parent()? == self.path.key("env")).then(|| self.env.at(*index))?
    }

    /// The path of a variable's value.
    #[must_use]
    pub fn env_path(&self, index: usize) -> Path {
        let name = self.env.at(index).map(|var| var.name.as_ref());
        self.path.key("env").named_item(index, name).key("value")
    }

    /// Whether a declared port stands in the document.
    #[must_use]
    pub fn is_written(&self, index: usize) -> bool {
        self.ports_len.is_some_and(|len| index < len)
    }

    /// Adds a port that the document does not have, and that its pods will: by its name, unless it has that one.
    pub fn imply(&mut self, name: &str, number: u16) {
        let ports = self.ports.get_or_insert_default();
        if ports.iter().all(|port| port.name.as_deref() != Some(name)) {
            let number = Scalar { text: number.to_string().into(), typed: Typed::Int(number.into()) };
            let name = Some(name.to_owned());
            ports.push(ContainerPort {
                name,
                container_port: Some(number),
                host_port: None,
                host_ip: Box::default(),
                protocol: TCP,
            });
        }
    }

    /// The path of a declared port.
    #[must_use]
    pub fn port_path(&self, index: usize) -> Path {
        let name = self.ports.iter().flatten().nth(index).and_then(|port| port.name.as_deref());
        self.path.key("ports").named_item(index, name)
    }

    /// Command and args, in order, each with the name of its list and its index there.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, usize, &str)> {
        let lists = [("command", &self.command), ("args", &self.args)];
        lists.into_iter().flat_map(|(list, words)| {
            words.iter().flatten().enumerate().map(move |(index, word)| (list, index, word.as_str()))
        })
    }

    /// The script, when command and args start a shell with one: list, index and text.
    #[must_use]
    pub fn script(&self) -> Option<(&'static str, usize, &str)> {
        self.words().nth(script_of(self.words().map(|(.., word)| word))?)
    }
}

/// The position of the script among the words of a command: `sh -c SCRIPT`, `bash -ec SCRIPT`, `tini -- sh -e -c SCRIPT`.
#[must_use]
pub fn script_of<'w>(words: impl Iterator<Item = &'w str>) -> Option<usize> {
    let is_shell = |word: &str| matches!(word.rsplit('/').next(), Some("sh" | "bash" | "ash" | "dash" | "zsh" | "ksh"));
    let mut words = words.enumerate().skip_while(|(_, word)| !is_shell(word)).skip(1);
    loop {
        match words.next()?.1 {
            // An option's name follows.
            "-o" | "+o" => _ = words.next(),
            word if word.starts_with('-') && !word.starts_with("--") && word.ends_with('c') => break,
            word if word.starts_with(['-', '+']) => {}
            _ => return None,
        }
    }
    words.find(|(_, word)| *word != "--").map(|(index, _)| index)
}

impl PodTemplate {
    /// Reads the template at `path` of an object; none when there is no pod spec. Of one that is not read `whole` only labels
    /// and ports are: what others need to know that share a Service with it; but what is on the host network already shares its
    /// node too, whatever it declares. `whole` has the names of variables that are read whatever they hold.
    #[must_use]
    pub fn of(object: NodeRef<'_, '_>, path: &Path, whole: Option<&[String]>) -> Option<Self> {
        let template = object.lookup(path)?;
        let spec = template.get("spec").filter(|spec| spec.is_mapping())?;
        let spec_path = path.key("spec");
        let on_host = spec.get("hostNetwork").and_then(NodeRef::as_bool) == Some(true);
        let whole = whole.or(if on_host { Some(&[]) } else { None });
        let metadata =
            |key: &str| template.get("metadata").and_then(|m| m.get(key)).map(Labels::of).unwrap_or_default();
        let mut containers = read_containers(spec, &spec_path, "containers", whole, |_| Role::Regular);
        let mut init = read_containers(spec, &spec_path, "initContainers", whole, |container| {
            let always = container.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
            if always { Role::Sidecar } else { Role::Init }
        });
        containers.append(&mut init);
        containers.shrink_to_fit();
        let volumes = if whole.is_some() { volumes(spec) } else { Vec::new() };
        for container in &mut containers {
            // Other mounts (data, certificates) are many, and hold no port.
            container.mounts.retain(|mount| volumes.iter().any(|volume| volume.name == mount.volume));
            container.mounts.shrink_to_fit();
        }
        let nodes = ["containers", "initContainers"].into_iter().flat_map(|list| container_nodes(spec, list));
        let dialled = nodes.zip(&containers).enumerate();
        let dialled = dialled.flat_map(|(index, (node, own))| of_container(node, &own.path, index, whole.is_some()));
        let mut dialled = collect(dialled);
        dialled.sort_by_key(|dialled| dialled.port);
        Some(Self {
            path: path.clone(),
            name: None,
            has_siblings: false,
            beside: None,
            service_name: service_name(object, path),
            rollout: whole.and_then(|_| Rollout::of(object, path)),
            dialled,
            labels: metadata("labels"),
            annotations: metadata("annotations"),
            host_network: spec.get("hostNetwork").and_then(Scalar::of),
            dns_policy: spec.get("dnsPolicy").and_then(Scalar::of),
            forbidding: forbidding(spec, &spec_path),
            redirects: if whole.is_some() { redirects(spec, &spec_path) } else { Vec::new() },
            containers,
            volumes,
            config_maps: config_maps(spec),
            secrets: if whole.is_some() { secrets(spec) } else { Vec::new() },
            placement: Placement::of(spec),
            owner: owner(object),
        })
    }

    /// The path of the pod spec.
    #[must_use]
    pub fn spec_path(&self) -> Path {
        self.path.key("spec")
    }

    /// Containers that listen while the pod runs: regular ones and sidecars.
    pub fn running(&self) -> impl Iterator<Item = (usize, &Container)> {
        self.containers.iter().enumerate().filter(|(_, container)| container.role != Role::Init)
    }

    /// ConfigMaps that are mounted.
    pub fn mounted_config_maps(&self) -> impl Iterator<Item = &str> {
        self.volumes.iter().flat_map(|volume| &volume.config_maps).map(|source| source.config_map.as_str())
    }

    /// Whether a container or sidecar declares this port.
    #[must_use]
    pub fn declares(&self, number: u16, protocol: &str) -> bool {
        let mut ports = self.running().flat_map(|(_, container)| container.ports.iter().flatten());
        ports.any(|port| port.number() == Some(number) && port.protocol == protocol)
    }

    /// Whether a container or sidecar has this name.
    #[must_use]
    pub fn has_container(&self, name: &str) -> bool {
        self.running().any(|(_, container)| container.name == name)
    }

    /// The declared ports that its pods take on their node: all on the host network, else those with a `hostPort`.
    pub fn held_ports(&self) -> impl Iterator<Item = HeldPort<'_>> {
        let on_host = self.on_host_network();
        self.running().flat_map(move |(_, container)| {
            container.ports.iter().flatten().enumerate().filter_map(move |(index, port)| {
                let number = if on_host { port.number() } else { port.host_number() };
                Some(HeldPort { container, index, number: number?, protocol: &port.protocol })
            })
        })
    }

    /// Whether the template is on the host network already.
    #[must_use]
    pub fn on_host_network(&self) -> bool {
        self.host_network.as_ref().is_some_and(|field| field.typed == Typed::Bool(true))
    }
}

/// The containers of a list.
fn container_nodes<'n, 't>(spec: NodeRef<'n, 't>, list: &str) -> impl Iterator<Item = NodeRef<'n, 't>> {
    spec.get(list).into_iter().flat_map(NodeRef::items).filter(|node| node.is_mapping())
}

/// The kinds that give their pods names from the Service that they name beside the template: Kubernetes' and OpenKruise's `StatefulSet`,
/// and what makes one of itself (openkruise/kruise-game `apis/v1alpha1/gameserverset_types.go`, `ServiceName`).
const SETS: [&str; 2] = ["StatefulSet", "GameServerSet"];

/// The fields that hold such an object as a template (openkruise/kruise v1.9.0 `apis/apps/v1alpha1/uniteddeployment_types.go`,
/// `SubsetTemplate`).
const SET_TEMPLATES: [&str; 2] = ["statefulSetTemplate", "advancedStatefulSetTemplate"];

fn service_name(object: NodeRef<'_, '_>, template: &Path) -> Option<Box<str>> {
    let is_set = |kind: &str| SETS.contains(&kind);
    let of_set = |step: &Step| matches!(step, Step::Key(key) if SET_TEMPLATES.contains(&key.as_ref()));
    if !object.get("kind").and_then(NodeRef::text).is_some_and(is_set) && !template.steps().into_iter().any(of_set) {
        return None;
    }
    let name = object.lookup(&template.parent()?)?.get("serviceName")?.non_null_text()?;
    Some(name.into()).filter(|_| !name.is_empty())
}

fn owner(object: NodeRef<'_, '_>) -> Option<Box<Owner>> {
    let owners = object.get("metadata")?.get("ownerReferences")?;
    let owner = owners.items().find(|owner| owner.get("controller").and_then(NodeRef::as_bool) == Some(true))?;
    let text = |key: &str| owner.get(key)?.text().map(str::to_owned);
    let group = text("apiVersion")?.rsplit_once('/').map(|(group, _)| group.to_owned()).unwrap_or_default();
    Some(Box::new(Owner { group, kind: text("kind")?, name: text("name")? }))
}

/// Fields that the API server refuses beside `hostNetwork: true` (Kubernetes v1.36 `pkg/apis/core/validation/validation.go:3922`, `4000`, `5485`).
fn forbidding(spec: NodeRef<'_, '_>, path: &Path) -> Vec<(Path, Value)> {
    let mut found = Vec::new();
    if let Some(users) = spec.get("hostUsers").filter(|users| users.as_bool() == Some(false)) {
        found.push((path.key("hostUsers"), value_of(users)));
    }
    if let Some(name) = spec.get("hostnameOverride").filter(|name| !name.is_null()) {
        found.push((path.key("hostnameOverride"), value_of(name)));
    }
    let sysctls = spec.get("securityContext").and_then(|context| context.get("sysctls"));
    for (index, sysctl) in sysctls.into_iter().flat_map(NodeRef::items).enumerate() {
        let name = sysctl.get("name").and_then(NodeRef::text).unwrap_or_default();
        if name.starts_with("net.") || name.starts_with("net/") {
            let path = path.key("securityContext").key("sysctls").named_item(index, Some(name)).key("name");
            found.push((path, Value::from(name)));
        }
    }
    found
}

fn read_containers(
    spec: NodeRef<'_, '_>,
    spec_path: &Path,
    list: &'static str,
    whole: Option<&[String]>,
    role: impl Fn(NodeRef<'_, '_>) -> Role,
) -> Vec<Container> {
    let items = spec.get(list).into_iter().flat_map(NodeRef::items).enumerate();
    items
        .filter(|(_, node)| node.is_mapping())
        .map(|(index, node)| {
            let name = node.get("name").and_then(NodeRef::text);
            container(node, spec, spec_path.key(list).named_item(index, name), role(node), whole)
        })
        .collect()
}

fn container(
    node: NodeRef<'_, '_>,
    spec: NodeRef<'_, '_>,
    path: Path,
    role: Role,
    whole: Option<&[String]>,
) -> Container {
    let text = |key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
    // An empty field (`ports:`) is a list without elements.
    let is_list = |list: &NodeRef<'_, '_>| list.is_sequence() || list.is_null();
    let list = |key: &str| node.get(key).filter(is_list).filter(|_| whole.is_some() || key == "ports");
    let (probes, execs) = if whole.is_some() { probes(node, &path) } else { Default::default() };
    // A variable wins over one of `envFrom`, whatever it holds.
    let env_from = if whole.is_some() { env_sources(node) } else { Vec::new() };
    let named = |name: &str| !env_from.is_empty() || whole.is_some_and(|names| names.iter().any(|own| own == name));
    // Of what is not read whole, what may be another workload's port.
    let port_of_another = |item: &(usize, NodeRef<'_, '_>)| {
        let is_port =
            item.1.get("value").and_then(NodeRef::text).is_some_and(|value| super::text::port(value).is_some());
        whole.is_some()
            || (is_port && item.1.get("name").and_then(NodeRef::text).is_some_and(|name| name.contains('_')))
    };
    let env_var = |item| env_var(item, named);
    let variables = node.get("env").filter(is_list).into_iter().flat_map(NodeRef::items).enumerate();
    Container {
        role,
        name: text("name"),
        image: text("image"),
        command: list("command").map(texts),
        args: list("args").map(texts),
        env: Env::new(collect(variables.filter(port_of_another).filter_map(env_var))),
        env_len: list("env").map(|env| env.items().count()),
        mounts: if whole.is_some() { mounts(node) } else { Vec::new() },
        low_ports: if whole.is_some() { LowPorts::of(node, spec) } else { LowPorts::Allowed },
        ports: list("ports").map(|ports| collect(ports.items().map(container_port))),
        ports_len: list("ports").map(|ports| ports.items().count()),
        probes,
        execs,
        path,
        env_from,
    }
}

/// A list without room for more: a large input holds very many.
pub(super) fn collect<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.shrink_to_fit();
    list
}

/// The texts of a list; what is not a scalar is an empty text, so that positions stay.
pub(super) fn texts(list: NodeRef<'_, '_>) -> Vec<String> {
    collect(list.items().map(|item| item.text().unwrap_or_default().to_owned()))
}

/// A variable, if it may have to do with a port or is one of those `named`: most are not, and a large input holds very many.
fn env_var((index, node): (usize, NodeRef<'_, '_>), named: impl Fn(&str) -> bool) -> Option<EnvVar> {
    let name = node.get("name").and_then(NodeRef::text).unwrap_or_default();
    let value = node.get("value").and_then(NodeRef::text);
    let from_elsewhere = node.get("valueFrom").is_some();
    let matters = |value: &str| named(name) || has_port(value) || name_may_be_a_ports(name);
    if !from_elsewhere && !value.is_some_and(matters) {
        return None;
    }
    let ip = node.get("valueFrom").and_then(IpOf::of);
    let from = node.get("valueFrom").and_then(|from| from.get("configMapKeyRef"));
    let of = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
    let config_map = from.map(|from| Box::new((of(from, "name"), of(from, "key"))));
    Some(EnvVar { index, name: name.into(), value: value.map(Into::into), config_map, ip })
}

/// Whether a value may have to do with a port: it has a number that may be one, or it is or names an address of the pod.
fn has_port(value: &str) -> bool {
    whole_numbers(value).next().is_some()
        || is_own_host(value)
        // What another variable holds may be an address.
        || value.contains("$(")
        || super::text::has_loopback_placeholder(value)
}

/// Whether a variable of this name may be one that a program of the catalogue or the config has, or one that says where
/// somebody is.
fn name_may_be_a_ports(name: &str) -> bool {
    crate::catalog::words().may_be_address(name)
}

fn container_port(node: NodeRef<'_, '_>) -> ContainerPort {
    let scalar = |key: &str| node.get(key).and_then(Scalar::of);
    ContainerPort {
        name: node.get("name").and_then(NodeRef::non_null_text).map(str::to_owned),
        container_port: scalar("containerPort"),
        host_port: scalar("hostPort"),
        host_ip: node.get("hostIP").and_then(NodeRef::non_null_text).unwrap_or_default().into(),
        protocol: protocol(node.get("protocol").and_then(NodeRef::non_null_text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Tree;

    /// Patches name the elements of lists, so paths say what each calls itself.
    #[test]
    fn paths_have_the_names_of_what_they_lead_through() {
        let text = "spec: {containers: [{name: web, ports: [{name: a, containerPort: 1}, {name: b, containerPort: 2}], \
                    env: [{name: A_PORT, value: '1'}, {name: B_PORT, value: '2'}]}]}";
        let tree = Tree::parse(text).unwrap();
        let template = PodTemplate::of(tree.root(0).unwrap(), &Path::root(), Some(&[])).unwrap();
        let web = Path::dotted("spec.containers").named_item(0, Some("web"));
        let container = &template.containers[0];
        assert_eq!(container.env_path(1), web.key("env").named_item(1, Some("B_PORT")).key("value"));
        assert_eq!(container.port_path(1), web.key("ports").named_item(1, Some("b")));
        assert_ne!(container.env_path(1), web.key("env").named_item(1, Some("A_PORT")).key("value"));
    }
}
