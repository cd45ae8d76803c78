//! Facts about proxies, collected while parsing, that `Model` does not keep.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

use super::host_configs;
use super::package_reads;
use super::planned_state::PlannedState;
use super::policy::Policy;
use super::text_hosts::{TextHost, TextHosts};
use super::variables::Variables;
use crate::api::HostNetworkConfig;
use crate::crossplane::{CoreChart, ProgramValues, runs_core};
use crate::model::facts::UnevaluatedPolicy;
use crate::model::pod::ConfigDataReference;
use crate::model::{Meta, Object, ObjectId, WorkloadId};
use lossless_yaml::{NodeRef, Path, Value};

/// Longer ConfigMap values, in bytes, are not kept: no proxy variable is this long.
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// Facts about proxies from one object.
#[derive(Debug, Clone, Default)]
pub struct ObjectFacts {
    /// The variables of each container, per pod template.
    templates: Vec<Vec<Variables>>,
    data: Option<Data>,
    functions_on_nodes: bool,
    host_config: Option<HostNetworkConfig>,
    policy: Option<Policy>,
    unread: Option<UnevaluatedPolicy>,
    /// True for a policy that may set a proxy variable of pods.
    is_mutating: bool,
    /// The selector of the workload, if it runs Crossplane's core.
    core: Option<Value>,
    /// Values of Crossplane's chart, if the object installs it.
    core_chart: Option<ProgramValues>,
    /// The ConfigMaps that pods of packages read, for a runtime config or a ControllerConfig.
    package_maps: Option<Vec<ConfigDataReference>>,
    /// The address of Service default/kubernetes.
    api_server: Option<String>,
    /// True for a service account whose pods get no token unless they request it.
    is_account_without_token: bool,
    hosts: TextHosts,
}

/// The keys of a ConfigMap or Secret; values are kept for ConfigMaps only.
#[derive(Debug, Clone, Default)]
pub(super) struct Data {
    pub(super) object: ObjectId,
    pub(super) keys: Vec<(String, Option<String>)>,
    pub(super) immutable: bool,
}

impl ObjectFacts {
    /// Collects the facts of one object.
    pub fn read(object: &Object, node: NodeRef<'_, '_>) -> Self {
        let value = |path: &Path| node.lookup(path).and_then(NodeRef::to_value);
        let of_container = |path: &Path| {
            let env = value(&path.key("env"));
            Variables::parse(env.as_ref(), value(&path.key("envFrom")).as_ref())
        };
        let (mut hosts, mut templates) = (TextHosts::default(), Vec::new());
        for template in object.templates() {
            templates.push(template.containers.iter().map(|container| of_container(&container.path)).collect());
            let nodes = template.containers.iter().map(|container| node.lookup(&container.path));
            let namespace = object.meta.namespace.as_deref();
            let found = nodes.map(|node| node.map(|node| hosts.of_container(node, namespace)).unwrap_or_default());
            let found: Vec<Vec<TextHost>> = found.collect();
            hosts.templates.push(found);
        }
        let gvk = &object.meta.gvk;
        let data = match (gvk.group.as_str(), gvk.kind.as_str()) {
            ("", "ConfigMap") => Some(data(node, &["data"], true)),
            ("", "Secret") => Some(data(node, &["data", "stringData"], false)),
            _ => None,
        };
        for (key, text) in data.iter().flat_map(|data| &data.keys) {
            hosts.add_key(key, text.as_deref().unwrap_or_default());
        }
        let on_nodes = Path::dotted("spec.crossplane.functions");
        let is_host_network = gvk.group == crate::api::GROUP && gvk.kind == crate::api::HOST_NETWORK;
        let functions_on_nodes = is_host_network && value(&on_nodes) == Some(Value::from("OnePerNode"));
        let is_policy = gvk.group == "networking.k8s.io" && gvk.kind == "NetworkPolicy";
        let policy = is_policy.then(|| Policy::read(&object.meta, node)).flatten();
        // The model keeps rules of admission control, which may make a NetworkPolicy too, as such.
        let unread = object.unread_policy().cloned().or_else(|| UnevaluatedPolicy::read(&object.meta, node));
        let has_core = object.templates().iter().any(runs_core);
        let core = has_core.then(|| value(&Path::dotted("spec.selector"))).flatten();
        let host_config = is_host_network.then(|| host_configs::read(node)).flatten();
        let package_maps = package_reads::read(&object.meta, node);
        let api_server = api_server(&object.meta, node);
        let core_chart = CoreChart::from_object(node).map(|chart| chart.program_values(node));
        Self {
            templates,
            data,
            functions_on_nodes,
            host_config,
            policy,
            unread,
            is_mutating: names_proxy_variable(&object.meta, node),
            core,
            core_chart,
            package_maps,
            api_server,
            is_account_without_token: is_account_without_token(&object.meta, node),
            hosts,
        }
    }
}

/// True for a policy of an engine that changes pods, with the name of a proxy variable in one of its texts.
fn names_proxy_variable(meta: &Meta, node: NodeRef<'_, '_>) -> bool {
    let changes_pods = match meta.gvk.group.as_str() {
        "kyverno.io" | "policies.kyverno.io" | "mutations.gatekeeper.sh" => true,
        "admissionregistration.k8s.io" => meta.gvk.kind == "MutatingAdmissionPolicy",
        _ => false,
    };
    let has_name = |text: &str| ["HTTPS_PROXY", "HTTP_PROXY"].iter().any(|name| text.contains(name));
    let mut open = if changes_pods { vec![node] } else { Vec::new() };
    while let Some(node) = open.pop() {
        open.extend(node.items());
        open.extend(node.entries().map(|(_, value)| value));
        if node.text().is_some_and(has_name) {
            return true;
        }
    }
    false
}

fn is_account_without_token(meta: &Meta, node: NodeRef<'_, '_>) -> bool {
    let is_account = meta.gvk.group.is_empty() && meta.gvk.kind == "ServiceAccount";
    is_account && node.get("automountServiceAccountToken").and_then(NodeRef::as_bool) == Some(false)
}

/// The address of Service default/kubernetes, which the kubelet sets as `KUBERNETES_SERVICE_HOST`.
///
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/kubelet/kubelet_pods.go`, `getServiceEnvVarMap`.
fn api_server(meta: &Meta, node: NodeRef<'_, '_>) -> Option<String> {
    let is_match = meta.gvk.group.is_empty() && meta.gvk.kind == "Service" && meta.name == "kubernetes";
    if !is_match || meta.namespace.as_deref() != Some("default") {
        return None;
    }
    let address = node.lookup(&Path::dotted("spec.clusterIP"))?.text()?;
    address.parse::<IpAddr>().ok().map(|address| address.to_string())
}

/// Reads the keys of a ConfigMap or Secret; the values only with `texts`.
fn data(node: NodeRef<'_, '_>, fields: &[&str], texts: bool) -> Data {
    let entries = fields.iter().filter_map(|field| node.get(field)).flat_map(NodeRef::entries);
    let keys = entries.filter_map(|(key, value)| {
        let text = value.text().filter(|text| texts && text.len() <= MAX_VALUE_BYTES);
        Some((key.text()?.to_owned(), text.map(str::to_owned)))
    });
    let immutable = node.get("immutable").and_then(NodeRef::as_bool) == Some(true);
    Data { object: 0, keys: keys.collect(), immutable }
}

/// Facts about proxies from all objects.
#[derive(Debug, Default)]
pub struct ProxyFacts {
    templates: HashMap<ObjectId, Vec<Vec<Variables>>>,
    data: HashMap<(&'static str, Option<String>, String), Data>,
    /// Variables that a plan writes into the containers of packages.
    packages: HashMap<ObjectId, Vec<(String, Variables)>>,
    pub(super) policies: Vec<Policy>,
    /// Network policies of other kinds than `NetworkPolicy`, whose rules are not evaluated.
    pub(super) unread_policies: Vec<UnevaluatedPolicy>,
    /// Policies that may set proxy variables of pods.
    pub(super) mutating_policies: Vec<ObjectId>,
    /// HostNetwork configs of the input.
    pub(super) host_configs: Vec<HostNetworkConfig>,
    /// The selectors of workloads that run Crossplane's core.
    pub(super) cores: HashMap<ObjectId, Value>,
    /// Values of Crossplane's chart, by the object that installs it.
    pub(super) core_charts: BTreeMap<ObjectId, ProgramValues>,
    /// Runtime configs and ControllerConfigs, with the ConfigMaps that pods of their packages read.
    pub(super) package_maps: Vec<(ObjectId, Vec<ConfigDataReference>)>,
    /// The address of the API server's Service, if the input has that Service.
    pub(super) api_server: Option<String>,
    /// Namespace and name of service accounts whose pods get no token unless they request it.
    pub(super) accounts_without_token: HashSet<(Option<String>, String)>,
    /// The hosts in texts of containers and ConfigMaps.
    hosts: HashMap<ObjectId, TextHosts>,
    /// Namespaces and names of all Services, also of those without a selector.
    services: HashSet<(Option<String>, String)>,
    /// Domains of Services that texts write with a final dot, such as `cluster.local`.
    pub(super) final_dots: BTreeSet<String>,
    /// True if a HostNetwork of the input runs functions on the host network.
    pub(super) functions_on_nodes: bool,
}

impl ProxyFacts {
    /// Adds the facts of one object.
    pub fn add(&mut self, id: ObjectId, object: &Object, seen: ObjectFacts) {
        self.functions_on_nodes |= seen.functions_on_nodes;
        self.host_configs.extend(seen.host_config);
        if object.meta.is_local_config() {
            return;
        }
        if let Some(data) = seen.data {
            let kind = if object.meta.gvk.kind == "Secret" { "Secret" } else { "ConfigMap" };
            let key = (kind, object.meta.namespace.clone(), object.meta.name.clone());
            self.data.insert(key, Data { object: id, ..data });
        }
        if !seen.templates.is_empty() {
            self.templates.insert(id, seen.templates);
        }
        self.policies.extend(seen.policy.map(|policy| policy.on(id)));
        self.unread_policies.extend(seen.unread);
        self.mutating_policies.extend(seen.is_mutating.then_some(id));
        self.cores.extend(seen.core.map(|selector| (id, selector)));
        self.core_charts.extend(seen.core_chart.map(|values| (id, values)));
        self.package_maps.extend(seen.package_maps.map(|uses| (id, uses)));
        self.api_server = self.api_server.take().or(seen.api_server);
        if seen.is_account_without_token {
            self.accounts_without_token.insert((object.meta.namespace.clone(), object.meta.name.clone()));
        }
        if object.meta.gvk.group.is_empty() && object.meta.gvk.kind == "Service" {
            self.services.insert((object.meta.namespace.clone(), object.meta.name.clone()));
        }
        let mut hosts = seen.hosts;
        self.final_dots.append(&mut hosts.final_dots);
        if !hosts.templates.is_empty() || !hosts.keys.is_empty() {
            self.hosts.insert(id, hosts);
        }
    }

    /// Updates the facts to the state after a plan.
    pub(super) fn write(&mut self, written: PlannedState) {
        for ((object, template, container), variables) in written.containers {
            let own = self.templates.get_mut(&object).and_then(|templates| templates.get_mut(template));
            if let Some(own) = own.and_then(|containers| containers.get_mut(container)) {
                *own = variables;
            }
        }
        self.packages.extend(written.packages);
        if !written.texts.is_empty() {
            for data in self.data.values_mut() {
                for (key, text) in &mut data.keys {
                    if let Some(new) = written.texts.get(&(data.object, key.clone())) {
                        *text = Some(new.clone());
                    }
                }
            }
        }
        for policy in written.policies {
            self.policies.retain(|known| known.object != policy.object);
            self.policies.push(policy);
        }
    }

    /// Variables that a plan wrote into the containers of a package.
    pub(super) fn package(&self, package: ObjectId) -> Option<&[(String, Variables)]> {
        self.packages.get(&package).map(Vec::as_slice)
    }

    /// The variables of a container.
    pub(super) fn container(&self, object: ObjectId, template: usize, container: usize) -> Option<&Variables> {
        self.templates.get(&object)?.get(template)?.get(container)
    }

    /// Hosts in the texts of a container.
    pub(super) fn text_hosts(&self, id: WorkloadId, container: usize) -> &[TextHost] {
        let template = self.hosts.get(&id.object).and_then(|hosts| hosts.templates.get(id.template));
        template.and_then(|containers| containers.get(container)).map_or(&[], Vec::as_slice)
    }

    /// Hosts in the texts of a ConfigMap, by key.
    pub(super) fn map_hosts(&self, namespace: Option<&str>, name: &str) -> &[(String, Vec<TextHost>)] {
        let map = self.data("ConfigMap", namespace, name).and_then(|data| self.hosts.get(&data.object));
        map.map_or(&[], |hosts| &hosts.keys)
    }

    /// True if the input has a Service of this name.
    pub(super) fn has_service(&self, namespace: Option<&str>, name: &str) -> bool {
        self.services.contains(&(namespace.map(str::to_owned), name.to_owned()))
    }

    /// A `ConfigMap` or a Secret.
    pub(super) fn data(&self, kind: &'static str, namespace: Option<&str>, name: &str) -> Option<&Data> {
        self.data.get(&(kind, namespace.map(str::to_owned), name.to_owned()))
    }

    /// The namespaces that have a Secret or ConfigMap of this name.
    pub(super) fn namespaces<'f>(&'f self, kind: &'f str, name: &'f str) -> impl Iterator<Item = Option<&'f str>> {
        let named = self.data.keys().filter(move |(known_kind, _, known)| *known_kind == kind && known == name);
        named.map(|(_, namespace, _)| namespace.as_deref())
    }
}
