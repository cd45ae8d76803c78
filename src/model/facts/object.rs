//! Facts about an object of the input, by kind.

use std::net::IpAddr;
use std::sync::Arc;

use super::autoscaler::Autoscaler;
use super::caller::Calls;
use super::config_map::ConfigMap;
use super::devices::Devices;
use super::endpoints::EndpointPods;
use super::helm_release::HelmRelease;
use super::ingress::Ingress;
use super::made_namespace::CreatedNamespace;
use super::map_read::{self, MapRead};
use super::network_policy::NetworkPolicy;
use super::node::Node;
use super::numbers_outside::{self, OutsideNumber};
use super::package::{self, ControllerConfig, ImageConfig, Package};
use super::pod_change::PodChange;
use super::port_field::PortFields;
use super::role::{self, RegisteringRole, RoleBinding};
use super::routed_hosts::RoutedHosts;
use super::second_copy::{self, SecondCopy};
use super::service::{Service, service_addresses, service_of_alias};
use super::service_node_port::{ServiceNodePort, service_node_ports};
use super::templates::templates;
use super::unread_policy::UnevaluatedPolicy;
use super::workload::{TemplateKind, Templates};
use super::{admission_object, endpoints, olm, plugin_policy, probe_marker, rows, secret, workload_spread};
use crate::catalog::{self, PackageKind, PortReference};
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use lossless_yaml::{NodeRef, Path, Value};

/// Kinds described as data, by the catalogue and by a config.
#[derive(Debug, Clone, Default)]
pub struct Kinds<'c> {
    /// Kinds that hold a pod template.
    pub templates: Vec<TemplateKind<'c>>,
    /// References of the config to ports of pods; they override the catalogue.
    pub references: &'c [PortReference],
}

impl Kinds<'_> {
    /// Reads the fields of an object that name ports of pods, by the rows for its kind.
    fn port_fields(&self, group: &str, kind: &str, meta: &Meta, node: NodeRef<'_, '_>) -> PortFields {
        let rows = self.references_of(group, kind);
        let rows: Vec<&PortReference> = rows.iter().map(AsRef::as_ref).collect();
        rows::fields(&rows, meta, node)
    }

    /// Rows that describe the port fields of a kind: from the config, else from the catalogue.
    pub fn references_of(&self, group: &str, kind: &str) -> Vec<Arc<PortReference>> {
        let is_match = |row: &&PortReference| row.group == group && row.kinds.iter().any(|row_kind| row_kind == kind);
        let own: Vec<_> = self.references.iter().filter(is_match).cloned().map(Arc::new).collect();
        if own.is_empty() { catalog::references_of(group, kind).collect() } else { own }
    }

    /// Paths of the pod templates of an object.
    pub fn template_paths(&self, meta: &Meta, node: NodeRef<'_, '_>) -> Vec<Path> {
        self.templates.iter().filter(|row| row.is_of(meta)).flat_map(|row| row.paths(node)).collect()
    }
}

/// Facts that the rules need, by kind. Most objects of a large input are [`Facts::Other`], so the data of the other
/// variants is boxed.
#[derive(Debug, Clone)]
pub enum Facts {
    /// Object with pod templates, usually one.
    Workload(Box<[PodTemplate]>),
    /// Object without a template that uses the template of another workload, such as `Deployment web`.
    TakesTemplateOf(Box<str>),
    /// Service that sends traffic to pods.
    Service(Box<Service>),
    /// Object that makes the API server call Services or URLs.
    Caller(Box<Calls>),
    /// Policy that opens ports of pods.
    NetworkPolicy(Box<NetworkPolicy>),
    /// Object with ports of other objects' pods.
    PortFields(Box<PortFields>),
    /// `Ingress` that configures load balancer health checks of Services.
    Ingress(Box<Ingress>),
    /// `ConfigMap`, whose texts may have port numbers.
    ConfigMap(Box<ConfigMap>),
    /// Crossplane package with a runtime.
    Package(Box<Package>),
    /// Whole `DeploymentRuntimeConfig`, from which Crossplane makes the Deployment of a package.
    RuntimeConfig(Box<Value>),
    /// `ControllerConfig`, the predecessor of `DeploymentRuntimeConfig`.
    ControllerConfig(Box<ControllerConfig>),
    /// `ImageConfig`: settings of all packages from some images.
    ImageConfig(Box<ImageConfig>),
    /// Charts that another program renders in the cluster.
    HelmReleases(Box<[HelmRelease]>),
    /// Node of the cluster.
    Node(Box<Node>),
    /// `ClusterRole` that permits a registration with the API server, or aggregates others.
    RegisteringRole(Box<RegisteringRole>),
    /// `RoleBinding` or `ClusterRoleBinding`.
    RoleBinding(Box<RoleBinding>),
    /// Object without port data.
    Other,
}

/// Object of the input.
#[derive(Debug, Clone)]
pub struct Object {
    /// Identity of the object.
    pub meta: Meta,
    /// Facts that the rules need.
    pub facts: Facts,
    /// Rarely present data, boxed to keep `Object` small.
    more: Option<Box<RareFacts>>,
    /// Namespace that is created for the object.
    made_namespace: Option<Box<CreatedNamespace>>,
}

/// Rarely present data of an object.
#[derive(Debug, Clone)]
enum RareFacts {
    /// Change to pods that is not in their templates.
    PodChange(PodChange),
    /// Ports in a workload outside of its pod templates: numbers that may be ports, and fields with ports of its pods.
    OutsideTemplates(Vec<OutsideNumber>, PortFields),
    /// Whole object that admission control reads.
    Admission(Value),
    /// Second copy of a workload's pods, created by this object.
    SecondCopy(SecondCopy),
    /// Autoscaler of a workload.
    Autoscaler(Autoscaler),
    /// Addresses of a Service, and its ports of nodes.
    Service(Vec<IpAddr>, Box<[ServiceNodePort]>),
    /// ConfigMaps that an object without a pod template reads.
    MapReads(Vec<MapRead>),
    /// Policy of a network plugin.
    UnreadPolicy(UnevaluatedPolicy),
    /// Namespace and name of the Service that a Service of type `ExternalName` names.
    Alias(Box<str>, Box<str>),
    /// Host names that a router sends to Services.
    RoutedHosts(Vec<RoutedHosts>),
    /// Pods behind a Service.
    EndpointPods(EndpointPods),
    /// Devices that a class or claim selects.
    Devices(Devices),
    /// Handler of a `RuntimeClass`.
    RuntimeHandler(Box<str>),
    /// `PersistentVolumeClaim` whose volume only one node can mount.
    ClaimOfOneNode,
}

/// API group and kind of classes of container runtimes.
const RUNTIME_CLASS: (&str, &str) = ("node.k8s.io", "RuntimeClass");

/// Defines one method per line; each returns the data of one variant.
macro_rules! views {
    ($self:ident, $data:expr, $enum:ident: $($(#[$doc:meta])+ $name:ident: $variant:ident($type:ty);)+) => {
        $($(#[$doc])+
        pub fn $name(&$self) -> Option<&$type> {
            match $data {
                Some($enum::$variant(data)) => Some(data),
                _ => None,
            }
        })+
    };
}

impl Object {
    views! { self, Some(&self.facts), Facts:
        /// Policy that opens ports of pods.
        network_policy: NetworkPolicy(NetworkPolicy);
        /// `Ingress` that configures load balancer health checks of Services.
        ingress: Ingress(Ingress);
        /// The data of a `ConfigMap`.
        config_map: ConfigMap(ConfigMap);
        /// Crossplane package with a runtime.
        package: Package(Package);
        /// Whole `DeploymentRuntimeConfig`.
        runtime_config: RuntimeConfig(Value);
        /// `ControllerConfig`.
        controller_config: ControllerConfig(ControllerConfig);
        /// `ImageConfig`.
        image_config: ImageConfig(ImageConfig);
        /// Charts that another program installs.
        helm_releases: HelmReleases([HelmRelease]);
        /// Node of the cluster.
        node: Node(Node);
        /// `ClusterRole` that permits a registration with the API server, or aggregates others.
        registering_role: RegisteringRole(RegisteringRole);
        /// `RoleBinding` or `ClusterRoleBinding`.
        role_binding: RoleBinding(RoleBinding);
    }

    views! { self, self.more.as_deref(), RareFacts:
        /// Change to pods that is not in their templates.
        pod_change: PodChange(PodChange);
        /// The whole object if admission control reads it.
        admission: Admission(Value);
        /// The second copy of another object's pods that this object creates.
        second_copy: SecondCopy(SecondCopy);
        /// The autoscaler that this object is.
        autoscaler: Autoscaler(Autoscaler);
        /// The pods that the object names as the endpoints of a Service.
        endpoint_pods: EndpointPods(EndpointPods);
        /// The devices that a class or claim selects.
        devices: Devices(Devices);
    }

    /// Reads an object by kind. Pod templates are read in full if `chosen` returns `Some`, with the variables that it
    /// lists.
    pub fn read<'c>(node: NodeRef<'_, '_>, kinds: &Kinds<'_>, chosen: impl Fn(&Meta) -> Option<&'c [String]>) -> Self {
        let meta = Meta::read(node);
        let facts = facts(&meta, node, kinds, chosen);
        // Numbers in patches are part of the change, so `outside_numbers` is not read for these objects.
        let change = PodChange::read(&meta, node).map(RareFacts::PodChange);
        let change = change.or_else(|| admission_object::read(&meta, node).map(RareFacts::Admission));
        let alias = || {
            let (namespace, name) = service_of_alias(node).filter(|_| meta.is_service())?;
            Some(RareFacts::Alias(namespace.into(), name.into()))
        };
        let addresses = || {
            let found = meta.is_service().then(|| (service_addresses(node), service_node_ports(node)));
            let found = found.filter(|(addresses, ports)| !addresses.is_empty() || !ports.is_empty());
            found.map(|(addresses, ports)| RareFacts::Service(addresses, ports.into()))
        };
        let policy = || UnevaluatedPolicy::read(&meta, node).map(RareFacts::UnreadPolicy);
        let second_copy = || second_copy::read(&meta, node).map(RareFacts::SecondCopy);
        let autoscaler = || {
            let proportional = || Autoscaler::read_proportional(&meta, node);
            let by_words = || (meta.gvk.group == "apps").then(proportional).flatten();
            Autoscaler::read(&meta, node).or_else(by_words).map(RareFacts::Autoscaler)
        };
        let routes =
            || Some(RoutedHosts::read(&meta, node)).filter(|routes| !routes.is_empty()).map(RareFacts::RoutedHosts);
        let handler = || {
            let is_class = (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == RUNTIME_CLASS;
            Some(RareFacts::RuntimeHandler(node.get("handler").filter(|_| is_class)?.text()?.into()))
        };
        let claim = || is_claim_of_one_node(&meta, node).then_some(RareFacts::ClaimOfOneNode);
        let more = change
            .or_else(alias)
            .or_else(addresses)
            .or_else(policy)
            .or_else(second_copy)
            .or_else(autoscaler)
            .or_else(routes)
            .or_else(|| Devices::read(&meta, node).map(RareFacts::Devices))
            .or_else(|| EndpointPods::read(&meta, node).map(RareFacts::EndpointPods))
            .or_else(handler)
            .or_else(claim);
        let more = more.or_else(|| {
            let Facts::Workload(templates) = &facts else {
                return Some(map_read::config_map_reads(&meta, node))
                    .filter(|reads| !reads.is_empty())
                    .map(RareFacts::MapReads);
            };
            let fields = olm::called_ports(&meta, node);
            let numbers = numbers_outside::numbers_outside_templates(&meta, node, templates, &fields);
            let has_some = !numbers.is_empty() || !fields.fields.is_empty();
            has_some.then_some(RareFacts::OutsideTemplates(numbers, fields))
        });
        let made_namespace = CreatedNamespace::read(&meta, node).map(Box::new);
        Self { meta, facts, more: more.map(Box::new), made_namespace }
    }

    /// Namespace that is created for the object unless the cluster has it.
    pub(crate) fn made_namespace(&self) -> Option<&CreatedNamespace> {
        self.made_namespace.as_deref()
    }

    /// True for a `PersistentVolumeClaim` whose volume only one node can mount.
    pub fn is_claim_of_one_node(&self) -> bool {
        matches!(self.more.as_deref(), Some(RareFacts::ClaimOfOneNode))
    }

    /// Addresses of a Service: of the cluster and of its load balancer.
    pub fn service_addresses(&self) -> &[IpAddr] {
        match self.more.as_deref() {
            Some(RareFacts::Service(addresses, _)) => addresses,
            _ => &[],
        }
    }

    /// Ports of nodes that a Service uses.
    pub fn service_node_ports(&self) -> &[ServiceNodePort] {
        match self.more.as_deref() {
            Some(RareFacts::Service(_, ports)) => ports,
            _ => &[],
        }
    }

    /// Namespace and name of the Service that a Service of type `ExternalName` names.
    pub(in crate::model) fn alias(&self) -> Option<(&str, &str)> {
        match self.more.as_deref() {
            Some(RareFacts::Alias(namespace, name)) => Some((namespace, name)),
            _ => None,
        }
    }

    /// Handler of a `RuntimeClass` with this name; `None` for other objects.
    pub fn runtime_handler(&self, class: &str) -> Option<&str> {
        match self.more.as_deref() {
            Some(RareFacts::RuntimeHandler(handler)) if self.meta.name == class => Some(handler),
            _ => None,
        }
    }

    /// Host names that a router sends to Services because of the object.
    pub(in crate::model) fn routed_hosts(&self) -> &[RoutedHosts] {
        match self.more.as_deref() {
            Some(RareFacts::RoutedHosts(routes)) => routes,
            _ => &[],
        }
    }

    /// ConfigMaps that an object without a pod template reads.
    pub fn map_reads(&self) -> &[MapRead] {
        match self.more.as_deref() {
            Some(RareFacts::MapReads(reads)) => reads,
            _ => &[],
        }
    }

    /// Policy of a network plugin, whose rules are not evaluated.
    pub(crate) fn unread_policy(&self) -> Option<&UnevaluatedPolicy> {
        match self.more.as_deref() {
            Some(RareFacts::UnreadPolicy(policy)) => Some(policy),
            _ => None,
        }
    }

    /// Numbers of a workload outside of its pod templates that may be ports.
    pub fn outside_numbers(&self) -> &[OutsideNumber] {
        match self.more.as_deref() {
            Some(RareFacts::OutsideTemplates(numbers, _)) => numbers,
            _ => &[],
        }
    }

    /// Port fields outside of pod templates, except the fields of a Service.
    pub(crate) fn port_fields(&self) -> Option<&PortFields> {
        match &self.facts {
            Facts::Workload(_) => match self.more.as_deref() {
                Some(RareFacts::OutsideTemplates(_, fields)) if !fields.fields.is_empty() => Some(fields),
                _ => None,
            },
            Facts::Caller(caller) => Some(&caller.urls),
            Facts::PortFields(fields) => Some(fields),
            Facts::NetworkPolicy(policy) => Some(&policy.fields),
            _ => None,
        }
    }

    /// Pod templates in the object.
    pub fn templates(&self) -> &[PodTemplate] {
        match &self.facts {
            Facts::Workload(templates) => templates,
            _ => &[],
        }
    }

    /// True if the object contains a pod template.
    pub fn has_template(&self) -> bool {
        !self.templates().is_empty()
    }
}

/// Reads the facts of an object, by its kind.
fn facts<'c>(
    meta: &Meta,
    node: NodeRef<'_, '_>,
    kinds: &Kinds<'_>,
    chosen: impl Fn(&Meta) -> Option<&'c [String]>,
) -> Facts {
    let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
    match templates(&kinds.templates, meta, node, chosen) {
        Templates::NotOne => {}
        Templates::Own(own) if own.is_empty() => return Facts::Other,
        Templates::Own(own) => return Facts::Workload(own.into()),
        Templates::Of(workload) => return Facts::TakesTemplateOf(workload),
    }
    if let Some(read) = reader(group, kind) {
        return read(meta, node);
    }
    // A config may describe ports in an object that also installs a chart.
    let port_fields = || kinds.port_fields(group, kind, meta, node);
    if let Some(mut calls) = Calls::read(meta, node) {
        calls.add_olm_port_fields(meta, port_fields);
        return Facts::Caller(calls);
    }
    let fields = port_fields();
    match (port_fields_or_other(fields), group, kind) {
        (Facts::Other, "argoproj.io", "Application") => releases(HelmRelease::read_application(node)),
        (Facts::Other, "argoproj.io", "ApplicationSet") => {
            let template = node.get("spec").and_then(|spec| spec.get("template"));
            releases(template.into_iter().flat_map(HelmRelease::read_application))
        }
        (Facts::Other, "helm.cattle.io", "HelmChart") => releases(HelmRelease::read_helm_chart(node)),
        (Facts::Other, "helm.crossplane.io" | "helm.m.crossplane.io", "Release") => {
            releases(HelmRelease::read_provider_helm(node))
        }
        (Facts::Other, "source.toolkit.fluxcd.io", "OCIRepository" | "HelmChart") => {
            releases(HelmRelease::read_source(node))
        }
        (facts, ..) => facts,
    }
}

/// True for a `PersistentVolumeClaim` with `ReadWriteOnce` as its only access mode.
/// Source: kubernetes v1.37 `staging/src/k8s.io/api/core/v1/types.go`, `ReadWriteOnce`.
fn is_claim_of_one_node(meta: &Meta, node: NodeRef<'_, '_>) -> bool {
    let modes = || node.get("spec")?.get("accessModes").map(NodeRef::items);
    let is_claim = meta.gvk.group.is_empty() && meta.gvk.kind == "PersistentVolumeClaim";
    let mut modes = is_claim.then(modes).flatten().into_iter().flatten().peekable();
    modes.peek().is_some() && modes.all(|mode| mode.text() == Some("ReadWriteOnce"))
}

/// Function that reads the facts of an object of one kind.
type Reader = fn(&Meta, NodeRef<'_, '_>) -> Facts;

/// Returns the reader of a kind that neither the catalogue nor a config describes; `None` for other kinds.
fn reader(group: &str, kind: &str) -> Option<Reader> {
    Some(match (group, kind) {
        ("", "Service") => |_, node| found(Service::read(node), Facts::Service),
        ("", "Node") => |meta, node| Facts::Node(Box::new(Node::read(meta, node))),
        ("", "ConfigMap") => |_, node| Facts::ConfigMap(Box::new(ConfigMap::read(node))),
        ("", "Secret") => |meta, node| port_fields_or_other(secret::fields(meta, node)),
        ("", "Endpoints") => |meta, node| port_fields_or_other(endpoints::endpoint_ports(meta, node)),
        ("discovery.k8s.io", "EndpointSlice") => |meta, node| port_fields_or_other(endpoints::slice_ports(meta, node)),
        ("apps.kruise.io", "WorkloadSpread") => |meta, node| port_fields_or_other(workload_spread::fields(meta, node)),
        ("apps.kruise.io", "PodProbeMarker") => |meta, node| port_fields_or_other(probe_marker::fields(meta, node)),
        ("networking.k8s.io", "NetworkPolicy") => {
            |meta, node| found(NetworkPolicy::read(meta, node), Facts::NetworkPolicy)
        }
        ("vpcresources.k8s.aws", "SecurityGroupPolicy") => {
            |meta, node| found(NetworkPolicy::of_security_groups(meta, node), Facts::NetworkPolicy)
        }
        ("networking.k8s.io" | "extensions", "Ingress") => {
            |meta, node| found(Ingress::read(meta, node), Facts::Ingress)
        }
        ("cilium.io", "CiliumNetworkPolicy" | "CiliumClusterwideNetworkPolicy")
        | ("isovalent.com", "IsovalentNetworkPolicy" | "IsovalentClusterwideNetworkPolicy") => {
            |meta, node| port_fields_or_other(plugin_policy::cilium(meta, node))
        }
        ("projectcalico.org" | "crd.projectcalico.org", "NetworkPolicy" | "GlobalNetworkPolicy") => {
            |meta, node| port_fields_or_other(plugin_policy::calico(meta, node))
        }
        (role::GROUP | role::GROUP_OF_OPENSHIFT, "ClusterRole") => {
            |_, node| found(RegisteringRole::read(node), Facts::RegisteringRole)
        }
        (role::GROUP | role::GROUP_OF_OPENSHIFT, "RoleBinding" | "ClusterRoleBinding") => {
            |_, node| found(RoleBinding::read(node), Facts::RoleBinding)
        }
        (package::GROUP, _) => package_facts,
        ("helm.toolkit.fluxcd.io", "HelmRelease") => |_, node| releases(HelmRelease::read(node)),
        _ => return None,
    })
}

/// Reads the facts of an object of Crossplane's group `pkg.crossplane.io`.
fn package_facts(meta: &Meta, node: NodeRef<'_, '_>) -> Facts {
    match meta.gvk.kind.as_str() {
        "DeploymentRuntimeConfig" => found(node.to_value(), Facts::RuntimeConfig),
        "ControllerConfig" => found(ControllerConfig::read(node), Facts::ControllerConfig),
        "ImageConfig" => found(ImageConfig::read(node), Facts::ImageConfig),
        _ => found(PackageKind::from_meta(meta).and_then(|kind| Package::read(kind, node)), Facts::Package),
    }
}

/// Wraps facts that were read; `Other` without facts.
fn found<T>(value: Option<T>, facts: impl Fn(Box<T>) -> Facts) -> Facts {
    value.map_or(Facts::Other, |value| facts(Box::new(value)))
}

/// Wraps Helm releases; `Other` for an empty list.
fn releases(all: impl IntoIterator<Item = HelmRelease>) -> Facts {
    let all: Box<[HelmRelease]> = all.into_iter().collect();
    if all.is_empty() { Facts::Other } else { Facts::HelmReleases(all) }
}

/// Wraps port fields; `Other` without fields.
fn port_fields_or_other(port_fields: PortFields) -> Facts {
    let is_nothing = port_fields.fields.is_empty() && port_fields.commands.is_empty();
    if is_nothing { Facts::Other } else { Facts::PortFields(Box::new(port_fields)) }
}
