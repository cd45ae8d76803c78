//! Field values about ports and the host network that the API server refuses, or that YAML readers interpret
//! differently.

mod called;
mod handlers;
mod metadata;
mod missing_pod;
mod other_kinds;
mod scalar;
mod strategy;
mod unknown_fields;

use std::collections::BTreeSet;

use super::pod_count::{MOST_JOBS, PodCount};
use crate::judge::refused_text::{DNS_POLICIES, PROTOCOLS};
use crate::model::Meta;
use crate::model::facts::package;
use crate::model::pod::PodTemplate;
use lossless_yaml::{NodeRef, Path};
use scalar::{
    boolean_fault, count_fault, element_fault, enum_fault, list_fault, port_fault, port_name_fault, port_or_name_fault,
    text_fault,
};
use strategy::strategy_faults;

/// Field with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Path of the field.
    pub path: Path,
    /// Reason, in the words of the API server if it has an error message for it.
    pub reason: String,
    /// Remedy: a valid value.
    pub remedy: &'static str,
    /// Name of the Service whose namespace is missing here: kustomize writes it if the Service gets its namespace from
    /// a kustomization.
    pub namespace_of: Option<Box<str>>,
}

/// Path of the Deployment in a `DeploymentRuntimeConfig`. Its CRD accepts values that the API server refuses in the
/// Deployment that Crossplane creates from it.
const RUNTIME_DEPLOYMENT: &str = "spec.deploymentTemplate";

/// Remedy for a port number.
const NUMBER: &str = "Write a number from 1 to 65535, without quotes";

/// Remedy for a port that may have a name.
const NUMBER_OR_NAME: &str = "Write a number from 1 to 65535, without quotes, or the name of a port";

/// Remedy for a boolean.
const BOOLEAN: &str = "Write `true` or `false`, without quotes";

/// Remedy for an unknown protocol.
const PROTOCOL: &str = "Write TCP, UDP or SCTP";

/// Remedy for a list.
const LIST: &str = "Write a list: each element begins with `- ` and is a mapping";

/// Remedy for a text.
const TEXT: &str = "Put quotes around it";

/// Remedy for a list of texts.
const TEXTS: &str = "Write a list of texts, such as `[\"/manager\", \"--port=8080\"]`";

/// Remedy for an unknown operator of a toleration.
const OPERATOR: &str = "Write Equal or Exists";

/// Remedy for an invalid number of pods.
const COUNT: &str = "Write a number from 0 to 2147483647, without quotes";

/// Groups of Kubernetes with pod templates.
const BUILTIN_GROUPS: [&str; 4] = ["", "apps", "batch", "extensions"];

/// Remedy for an unknown DNS policy; `ClusterFirstWithHostNet` resolves names of Services on the host network.
const DNS_POLICY: &str = "Write ClusterFirstWithHostNet for a pod on the host network";

/// Remedy for an invalid name of a container port.
const PORT_NAME: &str = "Write at most 15 lower-case letters, digits and hyphens";

/// Remedy for an unnamed port of a Service that has several ports.
const PORT_NAMES: &str = "Give each of several ports a name";

/// Remedy for two ports or containers with the same name.
const OTHER_NAME: &str = "Give it another name, or remove it";

/// Reason for a missing field.
const REQUIRED: &str = "Required value";

/// Remedy for a missing name.
const NAME: &str = "Give it a name";

/// Remedy for a port of a Service that is there twice.
const OTHER_PORT: &str = "Give one of them another number or protocol, or remove it";

/// Remedy for a variable with a wrong name.
const VARIABLE: &str = "Write the name of the variable, without its value";

/// Remedy for a variable with two values.
const ONE_VALUE: &str = "Keep `value` or `valueFrom`";

/// Remedy for a required anti-affinity without a topology.
const TOPOLOGY: &str = "Write a label of the nodes, such as `kubernetes.io/hostname`";

/// Returns the invalid values of an object, in the fields that rules read.
///
/// Source: Kubernetes v1.36 `pkg/apis/core/validation/validation.go` (`validateContainerPorts`,
/// `validateHTTPGetAction`, `validateServicePort`, `ValidatePortNumOrName`),
/// `staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go` (`IsValidPortNum`).
pub(super) fn invalid(
    meta: &Meta,
    object: NodeRef<'_, '_>,
    templates: &[PodTemplate],
    counts: &[PodCount],
) -> Box<[Invalid]> {
    let is_builtin = BUILTIN_GROUPS.contains(&meta.gvk.group.as_str());
    let is_runtime = meta.gvk.group == package::GROUP && meta.gvk.kind == "DeploymentRuntimeConfig";
    let mut found = InvalidFields { list: Vec::new(), is_builtin: is_builtin || is_runtime };
    let path = Path::dotted(package::POD_SPEC);
    if let Some(spec) = object.lookup(&path).filter(|_| is_runtime) {
        found.pod(spec, &path);
    }
    found.metadata(object, &Path::root());
    found.missing_pod(meta, object);
    for template in templates {
        if found.is_builtin && template.path.parent().is_some() {
            found.around_pod(object, &template.path);
            found.metadata(object.lookup(&template.path).unwrap_or(object), &template.path);
        }
        let path = template.spec_path();
        if let Some(spec) = object.lookup(&path) {
            found.pod(spec, &path);
        }
    }
    for count in counts {
        found.counts(object, count);
    }
    if meta.gvk.group.is_empty() && meta.gvk.kind == "Service" {
        found.service(object);
    }
    found.called(meta, object);
    found.by_kind(meta, object);
    let deployment = Path::dotted(RUNTIME_DEPLOYMENT);
    let faults = if is_runtime {
        let template = object.lookup(&deployment);
        template.map(|template| strategy_faults("Deployment", template, &deployment)).unwrap_or_default()
    } else if meta.gvk.group == "apps" {
        strategy_faults(&meta.gvk.kind, object, &Path::root())
    } else {
        Vec::new()
    };
    for (path, reason, remedy) in faults {
        found.push(path, reason, remedy);
    }
    found.list.into()
}

struct InvalidFields {
    list: Vec<Invalid>,
    /// True for an object of Kubernetes' own groups: the API server requires the fields of its pods.
    is_builtin: bool,
}

impl InvalidFields {
    /// Checks the fields of a pod spec.
    fn pod(&mut self, spec: NodeRef<'_, '_>, path: &Path) {
        self.scalar(spec, path, "hostNetwork", BOOLEAN, boolean_fault);
        self.scalar(spec, path, "dnsPolicy", DNS_POLICY, |value| enum_fault(value, &DNS_POLICIES));
        self.name_servers(spec, path);
        if self.is_builtin {
            self.placement(spec, path);
            self.pod_names(spec, path);
        }
        if self.is_builtin && spec.get("containers").is_some_and(NodeRef::is_null) {
            self.add(path, "containers", REQUIRED.to_owned(), LIST);
        }
        let mut all = Vec::new();
        for list in ["containers", "initContainers"] {
            for (container, path) in self.mappings(spec, path, list) {
                self.container(container, &path);
                all.push((container, path));
            }
        }
        self.names(&all);
        let unnamed = all.iter().filter(|(container, _)| container.get("name").is_none_or(NodeRef::is_null));
        for (_, path) in unnamed.filter(|_| self.is_builtin).cloned().collect::<Vec<_>>() {
            self.add(&path, "name", REQUIRED.to_owned(), NAME);
        }
    }

    /// Checks the fields that choose the nodes of a pod.
    ///
    /// Source: Kubernetes v1.36 `pkg/apis/core/validation/validation.go`, `ValidateTolerations`.
    fn placement(&mut self, spec: NodeRef<'_, '_>, path: &Path) {
        for (toleration, path) in self.mappings(spec, path, "tolerations") {
            let supported = ["Equal", "Exists", "Lt", "Gt"];
            self.scalar(toleration, &path, "operator", OPERATOR, |value| enum_fault(value, &supported));
        }
        self.texts(Some(spec), path, "nodeSelector");
        let required = "affinity.podAntiAffinity".split('.').try_fold(spec, NodeRef::get);
        let below = path.key("affinity").key("podAntiAffinity");
        if let Some(affinity) = required {
            for (term, path) in self.mappings(affinity, &below, "requiredDuringSchedulingIgnoredDuringExecution") {
                if term.get("topologyKey").is_none_or(|key| key.is_null() || key.text() == Some("")) {
                    self.add(&path, "topologyKey", REQUIRED.to_owned(), TOPOLOGY);
                }
            }
        }
    }

    /// Checks that a pod without the DNS of its node or cluster names a server.
    fn name_servers(&mut self, spec: NodeRef<'_, '_>, path: &Path) {
        let has_none = spec.get("dnsPolicy").and_then(NodeRef::non_null_text) == Some("None");
        let servers = spec.get("dnsConfig").and_then(|config| config.get("nameservers"));
        let is_empty = servers
            .is_none_or(|servers| servers.is_null() || servers.is_sequence() && servers.items().next().is_none());
        if self.is_builtin && has_none && is_empty {
            let reason = "Required value: must provide at least one DNS nameserver when `dnsPolicy` is None".to_owned();
            self.add(path, "dnsPolicy", reason, DNS_POLICY);
        }
    }

    /// Checks the fields of a container.
    fn container(&mut self, container: NodeRef<'_, '_>, path: &Path) {
        // A container without an image is completed by another tool, such as a patch.
        let is_complete = self.is_builtin && container.get("image").is_some();
        let ports = self.mappings(container, path, "ports");
        self.names(&ports);
        for (port, path) in ports {
            if is_complete && port.get("containerPort").is_none_or(NodeRef::is_null) {
                self.add(&path, "containerPort", REQUIRED.to_owned(), NUMBER);
            }
            self.scalar(port, &path, "containerPort", NUMBER, |value| port_fault(value, 1, false));
            // `hostPort: 0` is the same as no host port.
            self.scalar(port, &path, "hostPort", NUMBER, |value| port_fault(value, 0, false));
            self.protocol(port, &path);
            self.scalar(port, &path, "name", PORT_NAME, port_name_fault);
            if self.is_builtin {
                self.port_names(port, &path);
            }
        }
        self.handlers(container, path, is_complete);
        if !self.is_builtin {
            return;
        }
        for (variable, path) in self.mappings(container, path, "env") {
            self.scalar(variable, &path, "value", TEXT, text_fault);
            let name = variable.get("name").map(|name| name.non_null_text().unwrap_or_default());
            if name.is_none_or(str::is_empty) {
                self.add(&path, "name", REQUIRED.to_owned(), VARIABLE);
            } else if let Some(name) = name.filter(|name| name.contains('=')) {
                self.add(&path, "name", format!("Invalid value: \"{name}\": a variable name consists of printable ASCII characters other than '='"), VARIABLE);
            }
            let value = variable.get("value").and_then(NodeRef::non_empty_text);
            if value.is_some() && variable.get("valueFrom").is_some_and(|from| !from.is_null()) {
                self.add(
                    &path,
                    "valueFrom",
                    "Invalid value: may not be specified when `value` is not empty".to_owned(),
                    ONE_VALUE,
                );
            }
        }
        for key in ["command", "args"] {
            self.scalar(container, path, key, TEXTS, list_fault);
            for (index, word) in container.get(key).into_iter().flat_map(NodeRef::items).enumerate() {
                if let Some(reason) = text_fault(word) {
                    self.push(path.key(key).item(index), reason, TEXT);
                }
            }
        }
    }

    /// Checks the fields with the number of pods.
    fn counts(&mut self, object: NodeRef<'_, '_>, count: &PodCount) {
        let Some(parent) = count.path.parent() else { return };
        // The path of the mapping below `parent`, and the field.
        let fields: &[(&str, &'static str)] = match count.field {
            "replicas" if !count.is_written => &[],
            "replicas" => &[("", "replicas")],
            MOST_JOBS => &[("", MOST_JOBS), ("jobTargetRef", "parallelism"), ("jobTargetRef", "completions")],
            _ => &[("", "parallelism"), ("", "completions")],
        };
        for &(below, field) in fields {
            let path = parent.join(&Path::dotted(below));
            // Several templates of an object can share one number.
            let is_new = self.list.iter().all(|invalid| invalid.path != path.key(field));
            if let Some(node) = object.lookup(&path).filter(|_| is_new) {
                let negative = !self.is_builtin;
                self.scalar(node, &path, field, COUNT, |value| count_fault(value, negative));
            }
        }
    }

    /// Checks the ports of a Service.
    fn service(&mut self, service: NodeRef<'_, '_>) {
        let Some(spec) = service.get("spec") else { return };
        // An ExternalName Service is a DNS alias: its ports are not used.
        if spec.get("type").and_then(NodeRef::text) == Some("ExternalName") {
            return;
        }
        let ports = self.mappings(spec, &Path::root().key("spec"), "ports");
        self.names(&ports);
        let is_one = ports.len() == 1;
        self.texts(Some(spec), &Path::root().key("spec"), "selector");
        let mut known = BTreeSet::new();
        for (port, path) in ports {
            let number = port.get("port").and_then(NodeRef::as_go_int);
            let protocol = port.get("protocol").and_then(NodeRef::non_empty_text).unwrap_or("TCP");
            if let Some(number) = number.filter(|number| !known.insert((*number, protocol))) {
                self.add(&path, "port", format!("Duplicate value: {number}/{protocol}"), OTHER_PORT);
            }
            if port.get("port").is_none_or(NodeRef::is_null) {
                self.add(&path, "port", REQUIRED.to_owned(), NUMBER);
            }
            if !is_one && port.get("name").is_none_or(|name| name.is_null() || name.text() == Some("")) {
                self.add(&path, "name", REQUIRED.to_owned(), PORT_NAMES);
            }
            self.scalar(port, &path, "port", NUMBER, |value| port_fault(value, 1, true));
            // `targetPort: 0` is the same as no target port.
            self.scalar(port, &path, "targetPort", NUMBER_OR_NAME, |value| port_or_name_fault(value, 0));
            self.scalar(port, &path, "nodePort", NUMBER, |value| port_fault(value, 0, true));
            self.protocol(port, &path);
        }
    }

    /// Adds the second of two ports with one name: of a container, or of a Service.
    fn names(&mut self, ports: &[(NodeRef<'_, '_>, Path)]) {
        let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !self.is_builtin {
            return;
        }
        let mut known = BTreeSet::new();
        for (port, path) in ports {
            let name = port.get("name").and_then(NodeRef::non_null_text).filter(is_name);
            if let Some(name) = name.filter(|name| !known.insert(*name)) {
                self.add(path, "name", format!("Duplicate value: \"{name}\""), OTHER_NAME);
            }
        }
    }

    /// Adds an invalid field.
    fn add(&mut self, path: &Path, key: &'static str, reason: String, remedy: &'static str) {
        self.push(path.key(key), reason, remedy);
    }

    fn push(&mut self, path: Path, reason: String, remedy: &'static str) {
        self.list.push(Invalid { path, reason, remedy, namespace_of: None });
    }

    /// Returns the elements of a list that are mappings; reports other elements, and a value that is not a list.
    fn mappings<'t, 's>(
        &mut self,
        node: NodeRef<'t, 's>,
        path: &Path,
        key: &'static str,
    ) -> Vec<(NodeRef<'t, 's>, Path)> {
        let Some(list) = node.get(key) else { return Vec::new() };
        if let Some(reason) = list_fault(list) {
            self.add(path, key, reason, LIST);
        }
        let mut mappings = Vec::new();
        for (index, item) in list.items().enumerate() {
            let path = path.key(key).named_item(index, item.get("name").and_then(NodeRef::text));
            match element_fault(item) {
                Some(reason) => self.push(path, reason, LIST),
                None if item.is_mapping() => mappings.push((item, path)),
                None => {}
            }
        }
        mappings
    }

    /// Checks the value of a field.
    fn scalar<'t, 's>(
        &mut self,
        node: NodeRef<'t, 's>,
        path: &Path,
        key: &'static str,
        remedy: &'static str,
        fault: impl Fn(NodeRef<'t, 's>) -> Option<String>,
    ) {
        if let Some(reason) = node.get(key).and_then(fault) {
            self.add(path, key, reason, remedy);
        }
    }

    /// Checks the field `protocol`.
    fn protocol(&mut self, node: NodeRef<'_, '_>, path: &Path) {
        self.scalar(node, path, "protocol", PROTOCOL, |value| enum_fault(value, &PROTOCOLS));
    }
}
