//! Containers of a pod template.

use std::collections::HashSet;

use super::env::{Env, EnvVar, env_var, is_proxy};
use super::low_ports::LowPorts;
use super::port::{ContainerPort, container_port};
use super::probe::{Probe, probes};
use super::protocol::TCP;
use super::read::{collect, texts};
use super::scalar::{Scalar, Typed};
use super::volume::{EnvSource, Mount, env_sources, mounts};
use crate::model::text::{port, script_of};
use lossless_yaml::{NodeRef, Path, Step};

/// Role of a container in the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Regular container, from `containers`.
    Regular,
    /// An init container with `restartPolicy: Always`.
    Sidecar,
    /// A plain init container. It ends before other containers listen, so it is never changed.
    Init,
}

/// Container of a pod template.
#[derive(Debug, Clone)]
pub struct Container {
    /// Path of the container in the object.
    pub path: Path,
    /// Role in the pod.
    pub role: Role,
    /// Container name.
    pub name: String,
    /// Image, as written.
    pub image: String,
    /// `command`; `None` if absent.
    pub command: Option<Vec<String>>,
    /// `args`; `None` if absent.
    pub args: Option<Vec<String>>,
    /// Variables of `env` that may concern a port.
    pub env: Env,
    /// Length of `env`; `None` if absent.
    pub env_len: Option<usize>,
    /// ConfigMaps of `envFrom`.
    pub env_from: Vec<EnvSource>,
    /// Names in `$(NAME)` references of words and variables that neither `env` nor a Secret of `envFrom` can define.
    pub undefined: Box<[Box<str>]>,
    /// Volume mounts of the container.
    pub mounts: Vec<Mount>,
    /// Permission to listen on ports below 1024.
    pub low_ports: LowPorts,
    /// True if the manifest puts the pod on the host network.
    pub on_host: bool,
    /// Declared ports; `None` if absent.
    pub ports: Option<Vec<ContainerPort>>,
    /// The length of the list of ports in the document. Further elements of `ports` are not in the document: the
    /// controller that creates the pods declares them.
    pub ports_len: Option<usize>,
    /// Probes and lifecycle hooks that dial a port.
    pub probes: Vec<Probe>,
    /// Commands of exec probes and hooks: path of the command list, its words.
    pub execs: Vec<(Path, Vec<String>)>,
}

impl Container {
    /// Path of a command word; `list` is `command` or `args`.
    pub fn word_path(&self, list: &'static str, index: usize) -> Path {
        self.path.key(list).item(index)
    }

    /// Variable with this name; the last variable if there are several, as in Kubernetes.
    pub fn env_var(&self, name: &str) -> Option<(usize, EnvVar<'_>)> {
        self.env.variable(name).map(|var| (var.index, var))
    }

    /// True if a variable of the manifest has this name and, unless `value` is `None`, this value in its list.
    pub fn has_env_var(&self, name: &str, value: Option<&str>) -> bool {
        let text = self.env_var(name).map(|(_, var)| var.value.unwrap_or_default());
        text.is_some_and(|text| value.is_none_or(|value| text.split(',').any(|part| part.trim() == value)))
    }

    /// True if the manifest has this variable or flag and, unless `value` is `None`, this value in its list. System
    /// properties of Java (`-D`) count in variables with options too.
    pub fn has_setting(&self, name: &str, value: Option<&str>) -> bool {
        if !name.starts_with('-') {
            return self.has_env_var(name, value);
        }
        let variables = name.starts_with("-D").then(|| self.env.effective().filter_map(|var| var.value));
        let variables = variables.into_iter().flatten();
        let words = self.words().map(|(.., word)| word).chain(variables).flat_map(str::split_whitespace);
        let parts = words.map(|word| word.split_once('=').map_or((word, None), |(own, text)| (own, Some(text))));
        let has =
            |text: Option<&str>, value: &str| text.is_some_and(|text| text.split(',').any(|part| part.trim() == value));
        parts.into_iter().any(|(own, text)| own == name && value.is_none_or(|value| has(text, value)))
    }

    /// Variable whose value has this path.
    pub fn env_var_at_path(&self, path: &Path) -> Option<EnvVar<'_>> {
        let item = path.parent()?;
        let Some(Step::Item { index, .. }) = item.last() else { return None };
        (path.parent()?.parent()? == self.path.key("env")).then(|| self.env.variable_at(*index))?
    }

    /// Path of a variable's value.
    pub fn env_path(&self, index: usize) -> Path {
        let name = self.env.variable_at(index).map(|var| var.name);
        self.path.key("env").named_item(index, name).key("value")
    }

    /// True if the declared port is written in the document.
    pub fn is_written(&self, index: usize) -> bool {
        self.ports_len.is_some_and(|len| index < len)
    }

    /// Adds a port that the document lacks but that the pods will have; does nothing if a port has this name.
    pub fn add_implied_port(&mut self, name: &str, number: u16) {
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

    /// Path of a declared port.
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

    /// The script of a shell that command and args start: list, index and text.
    pub fn script(&self) -> Option<(&'static str, usize, &str)> {
        self.words().nth(script_of(self.words().map(|(.., word)| word))?)
    }
}

/// Reads the containers of a list.
pub(in crate::model) fn container_nodes<'n, 't>(
    spec: NodeRef<'n, 't>,
    list: &str,
) -> impl Iterator<Item = NodeRef<'n, 't>> {
    spec.get(list).into_iter().flat_map(NodeRef::items).filter(|node| node.is_mapping())
}

/// Reads a list of containers. `whole` lists the variables to keep if the containers are not read in full.
pub(in crate::model) fn read_containers(
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

/// Names in `$(NAME)` references that a container does not define. ConfigMaps of `envFrom` are not considered.
fn undefined(container: NodeRef<'_, '_>) -> Box<[Box<str>]> {
    let items = |key: &'static str| container.get(key).into_iter().flat_map(NodeRef::items);
    let values = items("env").filter_map(|var| var.get("value"));
    let texts = items("command").chain(items("args")).chain(values).filter_map(NodeRef::text);
    let mut names: Vec<&str> = texts.flat_map(references).collect();
    if names.is_empty() {
        return Box::default();
    }
    let defined: HashSet<&str> = items("env").filter_map(|var| var.get("name")?.text()).collect();
    let secrets: Vec<&str> = items("envFrom")
        .filter(|source| source.get("configMapRef").is_none())
        .map(|source| source.get("prefix").and_then(NodeRef::text).unwrap_or_default())
        .collect();
    let may_be_defined = |name: &str| defined.contains(name) || secrets.iter().any(|prefix| name.starts_with(prefix));
    // The kubelet adds variables for each Service.
    names.retain(|name| !may_be_defined(name) && !name.contains("_SERVICE_"));
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(Box::from).collect()
}

/// Names in `$(NAME)` references of a text; the escape `$$(NAME)` does not count.
fn references(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let at = text.match_indices("$(").filter(|(at, _)| !text.get(..*at).is_some_and(|before| before.ends_with('$')));
    at.filter_map(|(at, open)| Some(text.get(at + open.len()..)?.split_once(')')?.0)).filter(is_name)
}

/// Reads a container. Without `whole`, reads only the fields that references of other workloads need.
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
    // Without `--config` the webhook of Polaris has its default config, which refuses pods with host fields.
    let image = text("image");
    let is_polaris = image.contains("polaris");
    let list = |key: &str| node.get(key).filter(is_list).filter(|_| whole.is_some() || is_polaris || key == "ports");
    let (probes, execs) = if whole.is_some() { probes(node, &path) } else { Default::default() };
    // A variable of `env` overrides a variable of `envFrom`, whatever its value.
    let env_from = if whole.is_some() { env_sources(node) } else { Vec::new() };
    let named = |name: &str| !env_from.is_empty() || whole.is_some_and(|names| names.iter().any(|known| known == name));
    // In a container that is not read in full, keep variables that may be ports of other workloads, and proxies.
    let port_of_another = |item: &(usize, NodeRef<'_, '_>)| {
        let is_port = item.1.get("value").and_then(NodeRef::text).is_some_and(|value| port(value).is_some());
        let name = item.1.get("name").and_then(NodeRef::text).unwrap_or_default();
        whole.is_some() || is_port && name.contains('_') || is_proxy(name)
    };
    let env_var = |item| env_var(item, named);
    let variables = node.get("env").filter(is_list).into_iter().flat_map(NodeRef::items).enumerate();
    Container {
        role,
        name: text("name"),
        image,
        command: list("command").map(texts),
        args: list("args").map(texts),
        env: Env::new(variables.filter(port_of_another).filter_map(env_var)),
        undefined: if whole.is_some() { undefined(node) } else { Box::default() },
        env_len: list("env").map(|env| env.items().count()),
        mounts: if whole.is_some() { mounts(node) } else { Vec::new() },
        low_ports: if whole.is_some() { LowPorts::read(node, spec) } else { LowPorts::Allowed },
        on_host: spec.get("hostNetwork").and_then(NodeRef::as_bool) == Some(true),
        ports: list("ports").map(|ports| collect(ports.items().map(container_port))),
        ports_len: list("ports").map(|ports| ports.items().count()),
        probes,
        execs,
        path,
        env_from,
    }
}
