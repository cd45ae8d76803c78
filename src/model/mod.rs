//! What is there: read-only views of the objects and the edges between them. Knows the catalogue, not the config.
//!
//! [`Object::of`] reads one object while its tree is at hand and keeps only what the rules need; [`Model`] holds the
//! objects of a whole input and finds the edges between them: the listeners of a pod ([`listener`]) with how each is
//! told its port, and every reference to a port ([`reference`]).

pub mod called;
pub mod caller;
mod config_file;
mod config_lines;
pub mod config_map;
mod config_references;
pub mod dialled;
pub mod endpoints;
pub mod env;
pub mod evidence;
mod exec;
pub mod health_check;
pub mod helm_release;
pub mod labels;
pub mod listener;
pub mod low_ports;
mod map_index;
mod map_variables;
pub mod mesh;
mod meta;
pub mod network_policy;
mod own_address;
pub mod owner;
pub mod package;
mod peer_names;
mod peers;
pub mod placeholder;
pub mod placement;
pub mod plugin_policy;
pub mod pod;
mod pod_texts;
mod port_name;
mod port_owners;
pub mod probe;
pub mod probe_marker;
pub mod program;
pub mod protocol;
pub mod redirect;
pub mod reference;
pub mod role;
pub mod rollout;
pub mod scope;
pub mod secret;
mod seen_ports;
pub mod service;
pub mod shown;
mod siblings;
pub mod text;
mod told;
mod told_elsewhere;
mod transport;
mod variable;
pub mod version;
pub mod volume;
mod workload;
pub mod workload_spread;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::OnceLock;

pub use meta::Meta;
pub use pod_texts::PodTexts;
pub use workload::{TemplateKind, WorkloadId};

use crate::catalog::{self, PortReference};
use crate::yaml::{NodeRef, Value};

use caller::Call;
use config_map::ConfigMap;
use evidence::{Name, PortSetting};
use health_check::Ingress;
use helm_release::HelmRelease;
use network_policy::NetworkPolicy;
use package::{ControllerConfig, ImageConfig, Package, PackageKind};
use peers::DialledHosts;
use pod::PodTemplate;
use port_owners::PortOwners;
use reference::{FieldIndex, PodsView, PortFields, Reach};
use scope::Scope;
use service::Service;
use told_elsewhere::ToldPorts;
use volume::DataUse;
use workload::{Templates, templates};

/// An object of the input, by its position in reading order.
pub type ObjectId = usize;

/// The kinds that are data: those of the catalogue and of a config.
#[derive(Debug, Clone, Default)]
pub struct Kinds<'c> {
    /// Those that hold a pod template.
    pub templates: Vec<TemplateKind>,
    /// Those of the config that name ports of pods; they win over the catalogue's.
    pub references: &'c [PortReference],
}

impl Kinds<'_> {
    fn port_fields(&self, group: &str, kind: &str, meta: &Meta, node: NodeRef<'_, '_>) -> PortFields {
        let is_it = |row: &&PortReference| row.group == group && row.kinds.iter().any(|own| own == kind);
        let own: Vec<&PortReference> = self.references.iter().filter(is_it).collect();
        let rows: Vec<_> = if own.is_empty() { catalog::references_of(group, kind).collect() } else { Vec::new() };
        let rows: Vec<&PortReference> = own.into_iter().chain(rows.iter().map(AsRef::as_ref)).collect();
        reference::fields_of_kind(&rows, meta, node)
    }
}

/// What an object is to the rules. A large input has many objects, most of which are nothing: so what they are is apart.
#[derive(Debug, Clone)]
pub enum Facts {
    /// Holds pod templates, most of them one.
    Workload(Box<[PodTemplate]>),
    /// Holds none of its own, and takes that of another object: `Deployment web`.
    TakesTemplateOf(Box<str>),
    /// Leads to pods.
    Service(Box<Service>),
    /// Makes the API server call Services, and URLs.
    Caller(Vec<Call>, Box<PortFields>),
    /// Opens ports of pods.
    NetworkPolicy(Box<NetworkPolicy>),
    /// Names ports of other objects' pods.
    PortFields(Box<PortFields>),
    /// Has Services checked by a load balancer.
    Ingress(Box<Ingress>),
    /// Holds texts with port numbers.
    ConfigMap(Box<ConfigMap>),
    /// A Crossplane package with a runtime.
    Package(Box<Package>),
    /// A `DeploymentRuntimeConfig`: what Crossplane makes a package's Deployment of. The whole object.
    RuntimeConfig(Box<Value>),
    /// A `ControllerConfig`, which came before that.
    ControllerConfig(Box<ControllerConfig>),
    /// Settings of all packages from some images.
    ImageConfig(Box<ImageConfig>),
    /// A chart that Flux renders in the cluster.
    HelmRelease(Box<HelmRelease>),
    /// Where Flux gets charts from: the URL of a `HelmRepository` or an `OCIRepository`.
    ChartSource(Box<str>),
    /// Nothing that concerns ports.
    Other,
}

/// An object of the input.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its identity.
    pub meta: Meta,
    /// What the rules need of it.
    pub facts: Facts,
}

impl Object {
    /// Reads an object as its kind says; of those with a pod template the `chosen` are read whole, with the variables that are named for
    /// them.
    #[must_use]
    pub fn of<'c>(node: NodeRef<'_, '_>, kinds: &Kinds<'_>, chosen: impl Fn(&Meta) -> Option<&'c [String]>) -> Self {
        let meta = Meta::of(node);
        let facts = facts(&meta, node, kinds, chosen);
        Self { meta, facts }
    }

    /// What the object names of other objects' pods, but for a Service.
    pub(crate) fn port_fields(&self) -> Option<&PortFields> {
        match &self.facts {
            Facts::Caller(_, fields) | Facts::PortFields(fields) => Some(fields),
            Facts::NetworkPolicy(policy) => Some(&policy.fields),
            _ => None,
        }
    }

    /// Whether the object is a Crossplane package with a runtime.
    #[must_use]
    pub fn is_package(&self) -> bool {
        matches!(self.facts, Facts::Package(_))
    }

    /// The pod templates that the object holds.
    #[must_use]
    pub fn templates(&self) -> &[PodTemplate] {
        match &self.facts {
            Facts::Workload(templates) => templates,
            _ => &[],
        }
    }

    /// Whether the object holds a pod template.
    #[must_use]
    pub fn has_template(&self) -> bool {
        !self.templates().is_empty()
    }
}

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
    match (group, kind) {
        ("", "Service") => found(Service::of(node), Facts::Service),
        ("", "ConfigMap") => Facts::ConfigMap(Box::new(ConfigMap::of(node))),
        ("", "Secret") => named(secret::fields(meta, node)),
        ("", "Endpoints") => named(endpoints::of_endpoints(meta, node)),
        ("discovery.k8s.io", "EndpointSlice") => named(endpoints::of_slice(meta, node)),
        ("apps.kruise.io", "WorkloadSpread") => named(workload_spread::fields(meta, node)),
        ("apps.kruise.io", "PodProbeMarker") => named(probe_marker::fields(meta, node)),
        ("networking.k8s.io", "NetworkPolicy") => found(NetworkPolicy::of(meta, node), Facts::NetworkPolicy),
        ("networking.k8s.io" | "extensions", "Ingress") => found(Ingress::of(meta, node), Facts::Ingress),
        ("cilium.io", "CiliumNetworkPolicy" | "CiliumClusterwideNetworkPolicy") => {
            named(plugin_policy::cilium(meta, node))
        }
        ("projectcalico.org" | "crd.projectcalico.org", "NetworkPolicy" | "GlobalNetworkPolicy") => {
            named(plugin_policy::calico(meta, node))
        }
        (package::GROUP, kind) => of_package(meta, node, kind),
        ("source.toolkit.fluxcd.io", "HelmRepository" | "OCIRepository") => {
            let url = node.get("spec").and_then(|spec| spec.get("url")).and_then(NodeRef::non_null_text);
            url.map_or(Facts::Other, |url| Facts::ChartSource(url.into()))
        }
        ("helm.toolkit.fluxcd.io", "HelmRelease") => found(HelmRelease::of(node), Facts::HelmRelease),
        _ => {
            let (calls, urls) = (caller::calls(meta, node), caller::urls(meta, node));
            if !calls.is_empty() || !urls.fields.is_empty() {
                return Facts::Caller(calls, Box::new(urls));
            }
            let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
            named(kinds.port_fields(group, kind, meta, node))
        }
    }
}

fn of_package(meta: &Meta, node: NodeRef<'_, '_>, kind: &str) -> Facts {
    match kind {
        "DeploymentRuntimeConfig" => found(node.to_value(), Facts::RuntimeConfig),
        "ControllerConfig" => found(ControllerConfig::of(node), Facts::ControllerConfig),
        "ImageConfig" => found(ImageConfig::of(node), Facts::ImageConfig),
        _ => found(PackageKind::of(meta).and_then(|kind| Package::of(kind, node)), Facts::Package),
    }
}

fn found<T>(what: Option<T>, facts: impl Fn(Box<T>) -> Facts) -> Facts {
    what.map_or(Facts::Other, |what| facts(Box::new(what)))
}

fn named(own: PortFields) -> Facts {
    let is_nothing = own.fields.is_empty() && own.commands.is_empty();
    if is_nothing { Facts::Other } else { Facts::PortFields(Box::new(own)) }
}

/// The objects of an input.
#[derive(Debug, Clone, Default)]
pub struct Model {
    objects: Vec<Object>,
    /// Services by one label of their selector, workloads by every label of their pods: hashes of namespace, key and
    /// value, so that a large input is not searched pair by pair.
    services: HashMap<u64, Vec<ObjectId>>,
    workloads: HashMap<u64, Vec<WorkloadId>>,
    /// All Services, hashes of namespace and name; and workloads by the Services that they say their pods have names from.
    service_names: HashSet<u64>,
    named_by: HashMap<u64, Vec<WorkloadId>>,
    /// Calls by name of the Service.
    calls: BTreeMap<String, Vec<Call>>,
    /// The objects with port fields, but for Services.
    with_port_fields: Vec<ObjectId>,
    /// Services by name.
    services_by_name: HashMap<u64, Vec<ObjectId>>,
    /// Ingresses that say something of health checks.
    ingresses: Vec<ObjectId>,
    /// Crossplane's packages, ImageConfigs, and HelmReleases, one of which may install Crossplane.
    crossplane: Vec<ObjectId>,
    /// What configures packages, by name.
    runtime_configs: BTreeMap<String, ObjectId>,
    controller_configs: BTreeMap<String, ObjectId>,
    namespaces: BTreeMap<String, ObjectId>,
    config_maps: BTreeMap<(Option<String>, String), ObjectId>,
    /// Workloads by the ConfigMaps that their pods read, as hashes of namespace and name.
    readers: HashMap<u64, Vec<WorkloadId>>,
    /// Services and workloads by the ports that they have: made when it is first asked for.
    owners: OnceLock<PortOwners>,
    /// Flags and variables of workloads by the ports that they hold: the same.
    told: OnceLock<ToldPorts>,
    /// Port fields by the pods that they are about: the same.
    field_index: OnceLock<FieldIndex>,
    /// The hosts that workloads and ConfigMaps name: the same.
    dialled: OnceLock<DialledHosts>,
}

/// In place of a namespace: all of them.
const EVERY_NAMESPACE: Option<&str> = Some("*");

fn label_hash(namespace: Option<&str>, label: (&str, &str)) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((namespace, label))
}

impl Model {
    /// A model of objects, which keep their order.
    #[must_use]
    pub fn new(objects: Vec<Object>) -> Self {
        let mut model = Self::default();
        for (id, object) in objects.iter().enumerate() {
            let namespace = object.meta.namespace.as_deref();
            // Nobody applies such an object: it has no pods, calls nobody, and refers to nothing.
            if object.meta.is_local_config() {
                continue;
            }
            if object.meta.gvk.group.is_empty() && object.meta.gvk.kind == "Service" {
                model.service_names.insert(label_hash(namespace, ("", &object.meta.name)));
            }
            match &object.facts {
                Facts::Workload(templates) => {
                    for (index, template) in templates.iter().enumerate() {
                        model.add_workload(WorkloadId { object: id, template: index }, namespace, template);
                    }
                }
                Facts::Service(service) => {
                    for label in service.selector.iter().take(1) {
                        for namespace in [namespace, EVERY_NAMESPACE] {
                            model.services.entry(label_hash(namespace, label)).or_default().push(id);
                        }
                    }
                    model.services_by_name.entry(label_hash(None, ("", &object.meta.name))).or_default().push(id);
                }
                Facts::Caller(calls, urls) => {
                    for call in calls {
                        model.calls.entry(call.service.clone()).or_default().push(call.clone());
                    }
                    model.with_port_fields.extend(Some(id).filter(|_| !urls.fields.is_empty()));
                }
                Facts::NetworkPolicy(_) | Facts::PortFields(_) => model.with_port_fields.push(id),
                Facts::Ingress(_) => model.ingresses.push(id),
                Facts::ConfigMap(_) => {
                    let key = (object.meta.namespace.clone(), object.meta.name.clone());
                    model.config_maps.insert(key, id);
                }
                Facts::Package(_) | Facts::ImageConfig(_) | Facts::HelmRelease(_) => model.crossplane.push(id),
                Facts::RuntimeConfig(_) => _ = model.runtime_configs.entry(object.meta.name.clone()).or_insert(id),
                Facts::ControllerConfig(_) => {
                    model.controller_configs.entry(object.meta.name.clone()).or_insert(id);
                }
                Facts::Other if object.meta.gvk.group.is_empty() && object.meta.gvk.kind == "Namespace" => {
                    model.namespaces.insert(object.meta.name.clone(), id);
                }
                Facts::TakesTemplateOf(_) | Facts::ChartSource(_) | Facts::Other => {}
            }
        }
        model.objects = objects;
        model
    }

    fn add_workload(&mut self, id: WorkloadId, namespace: Option<&str>, template: &PodTemplate) {
        if let Some(name) = &template.service_name {
            self.named_by.entry(label_hash(namespace, ("", name))).or_default().push(id);
        }
        for label in template.labels.iter() {
            self.workloads.entry(label_hash(namespace, label)).or_default().push(id);
        }
        for used in &template.config_maps {
            let readers = self.readers.entry(label_hash(namespace, ("", &used.name))).or_default();
            // A pod may read very many keys of one.
            if readers.last() != Some(&id) {
                readers.push(id);
            }
        }
    }

    /// All objects, in reading order.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Only the identities of the objects, in reading order: what is left to say once everything is decided.
    #[must_use]
    pub fn into_metas(self) -> Vec<Meta> {
        self.objects.into_iter().map(|object| object.meta).collect()
    }

    /// An object.
    #[must_use]
    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id)
    }

    /// The workloads: every pod template with its object.
    pub fn workloads(&self) -> impl Iterator<Item = (WorkloadId, &Object, &PodTemplate)> {
        let applied = self.objects.iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
        applied.flat_map(|(id, object)| {
            let templates = object.templates().iter().enumerate();
            templates.map(move |(index, template)| (WorkloadId { object: id, template: index }, object, template))
        })
    }

    /// A workload: its object and its template.
    #[must_use]
    pub fn workload(&self, id: WorkloadId) -> Option<(&Object, &PodTemplate)> {
        let object = self.objects.get(id.object)?;
        Some((object, object.templates().get(id.template)?))
    }

    /// The Services of the input.
    pub fn services(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Service)> {
        let applied =
            (0..self.objects.len()).filter_map(|id| self.service(id).map(|(meta, service)| (id, meta, service)));
        applied.filter(|(_, meta, _)| !meta.is_local_config())
    }

    /// A Service that leads to pods.
    #[must_use]
    pub fn service(&self, id: ObjectId) -> Option<(&Meta, &Service)> {
        match self.objects.get(id) {
            Some(Object { meta, facts: Facts::Service(service) }) => Some((meta, service)),
            _ => None,
        }
    }

    /// The Services of a name, in any namespace.
    fn services_named<'m>(&'m self, name: &'m str) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> {
        let near = self.services_by_name.get(&label_hash(None, ("", name))).into_iter().flatten();
        let named = near.filter_map(|&id| self.service(id).map(|(meta, service)| (id, meta, service)));
        named.filter(move |(_, meta, _)| meta.name == name)
    }

    /// The Services that lead to pods of this template.
    pub fn services_of<'m>(
        &'m self,
        meta: &'m Meta,
        template: &'m PodTemplate,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> {
        self.services_behind(PodsView { meta, template })
    }

    /// The same.
    fn services_behind<'m>(
        &'m self,
        pods: PodsView<'_>,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> + use<'m> {
        let reaching = self.services_reaching(pods).into_iter();
        let sure =
            reaching.filter(|(.., reach)| *reach == Reach::Sure).map(|(id, meta, service, _)| (id, meta, service));
        let leading: Vec<_> = sure.filter(|(.., service)| service.leads_to(pods.meta, pods.template)).collect();
        leading.into_iter()
    }

    /// The Services that select some pods, or that may: one of the two has no namespace then. Also those of Jobs and Pods that declare
    /// none of their ports.
    fn services_reaching<'m>(&'m self, pods: PodsView<'_>) -> Vec<(ObjectId, &'m Meta, &'m Service, Reach)> {
        let own = pods.namespace().filter(|namespace| !namespace.is_empty());
        let places = match own {
            Some(own) => vec![Some(own), None],
            None => vec![EVERY_NAMESPACE],
        };
        let mut found = Vec::new();
        for label in pods.template.labels.iter() {
            for namespace in &places {
                for &id in self.services.get(&label_hash(*namespace, label)).into_iter().flatten() {
                    let Some((meta, service)) = self.service(id) else { continue };
                    if let Some(reach) = pods.is_selected_by(meta, service) {
                        found.push((id, meta, service, reach));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|(id, ..)| *id);
        found.dedup_by_key(|(id, ..)| *id);
        found
    }

    /// Whether a Service of this name is in the input, in the namespace of an object or without any.
    fn has_service(&self, meta: &Meta, name: &str) -> bool {
        let namespaces = [meta.namespace.as_deref(), None];
        namespaces.into_iter().any(|namespace| self.service_names.contains(&label_hash(namespace, ("", name))))
    }

    /// The workloads in the namespace of an object whose pods have their names from this Service.
    fn sets_of_service(&self, meta: &Meta, name: &str) -> impl Iterator<Item = WorkloadId> {
        self.named_by.get(&label_hash(meta.namespace.as_deref(), ("", name))).into_iter().flatten().copied()
    }

    /// Where workloads and ConfigMaps name hosts.
    fn dialled_hosts(&self) -> &DialledHosts {
        self.dialled.get_or_init(|| DialledHosts::of(self))
    }

    /// The templates that a Service leads to.
    pub fn selected_by<'m>(
        &'m self,
        meta: &'m Meta,
        service: &'m Service,
    ) -> impl Iterator<Item = (WorkloadId, &'m PodTemplate)> {
        let namespace = meta.namespace.as_deref();
        let near = service.selector.iter().map(|label| self.workloads.get(&label_hash(namespace, label)));
        // A label that no pod has selects nothing; of the others, the rarest leaves the least to look at.
        let fewest = near.map(|ids| ids.map_or(&[][..], Vec::as_slice)).min_by_key(|ids| ids.len());
        fewest.unwrap_or_default().iter().filter_map(move |&id| {
            let (object, template) = self.workload(id)?;
            let selects = object.meta.namespace == meta.namespace && service.selects(&template.labels);
            (selects && service.leads_to(&object.meta, template)).then_some((id, template))
        })
    }

    /// The Services that the API server calls and that the input does not hold: one call of each.
    pub fn called_elsewhere(&self) -> impl Iterator<Item = &Call> {
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        for object in self.objects.iter().filter(|object| matches!(object.facts, Facts::Service(_))) {
            seen.insert((object.meta.namespace.as_deref().unwrap_or_default(), &object.meta.name));
        }
        let calls = self.calls.values().flatten();
        // Of several calls of one Service the first is said.
        calls.filter(move |call| {
            let bare = seen.contains(&("", call.service.as_str()));
            seen.insert((call.namespace.as_str(), call.service.as_str())) && !bare
        })
    }

    /// What the API server calls at a Service. One without namespace may be meant by a call to any: what renders a
    /// manifest often leaves to `kubectl apply -n` where its objects go, while a webhook configuration has to say it.
    pub fn calls_of(&self, service: &Meta) -> impl Iterator<Item = &Call> {
        let calls = self.calls.get(&service.name).into_iter().flatten();
        let namespace = service.namespace.clone();
        calls.filter(move |call| namespace.as_ref().is_none_or(|namespace| *namespace == call.namespace))
    }

    /// The objects with port fields, but for Services.
    fn with_port_fields(&self) -> impl Iterator<Item = (ObjectId, &PortFields)> {
        self.with_port_fields.iter().filter_map(|&id| Some((id, self.objects.get(id)?.port_fields()?)))
    }

    /// Port fields by the pods that they are about.
    fn field_index(&self) -> &FieldIndex {
        self.field_index.get_or_init(|| FieldIndex::of(self))
    }

    /// The network policies.
    pub fn network_policies(&self) -> impl Iterator<Item = (ObjectId, &Meta, &NetworkPolicy)> {
        self.with_port_fields.iter().filter_map(|&id| match self.objects.get(id) {
            Some(Object { meta, facts: Facts::NetworkPolicy(policy) }) => Some((id, meta, policy.as_ref())),
            _ => None,
        })
    }

    /// The Ingresses that say something of health checks.
    fn ingresses(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Ingress)> {
        self.ingresses.iter().filter_map(|&id| match self.objects.get(id) {
            Some(Object { meta, facts: Facts::Ingress(ingress) }) => Some((id, meta, ingress.as_ref())),
            _ => None,
        })
    }

    /// Crossplane's packages, ImageConfigs, and HelmReleases.
    fn of_crossplane(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.crossplane.iter().filter_map(|&id| Some((id, self.objects.get(id)?)))
    }

    /// Crossplane's packages with a runtime.
    pub fn packages(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Package)> {
        self.of_crossplane().filter_map(|(id, object)| match &object.facts {
            Facts::Package(package) => Some((id, &object.meta, package.as_ref())),
            _ => None,
        })
    }

    /// The `DeploymentRuntimeConfig` of this name, whole.
    #[must_use]
    pub fn runtime_config(&self, name: &str) -> Option<(ObjectId, &Value)> {
        let id = *self.runtime_configs.get(name)?;
        match &self.objects.get(id)?.facts {
            Facts::RuntimeConfig(config) => Some((id, config)),
            _ => None,
        }
    }

    /// The `ControllerConfig` of this name.
    #[must_use]
    pub fn controller_config(&self, name: &str) -> Option<(ObjectId, &ControllerConfig)> {
        let id = *self.controller_configs.get(name)?;
        match &self.objects.get(id)?.facts {
            Facts::ControllerConfig(config) => Some((id, config)),
            _ => None,
        }
    }

    /// The `ImageConfig`s.
    pub fn image_configs(&self) -> impl Iterator<Item = (ObjectId, &Meta, &ImageConfig)> {
        self.of_crossplane().filter_map(|(id, object)| match &object.facts {
            Facts::ImageConfig(config) => Some((id, &object.meta, config.as_ref())),
            _ => None,
        })
    }

    /// The `HelmRelease`s.
    pub fn helm_releases(&self) -> impl Iterator<Item = (ObjectId, &Meta, &HelmRelease)> {
        self.of_crossplane().filter_map(|(id, object)| match &object.facts {
            Facts::HelmRelease(release) => Some((id, &object.meta, release.as_ref())),
            _ => None,
        })
    }

    /// The URL that a chart of a release is from, when the object that has it is in the input.
    #[must_use]
    pub fn chart_url(&self, meta: &Meta, release: &HelmRelease) -> Option<&str> {
        let (kind, namespace, name) = &release.source;
        let namespace = namespace.as_ref().or(meta.namespace.as_ref());
        self.objects.iter().find_map(|object| match &object.facts {
            Facts::ChartSource(url) => {
                let own = &object.meta;
                let is_it = own.gvk.kind == *kind && own.name == *name && own.namespace.as_ref() == namespace;
                is_it.then_some(url.as_ref())
            }
            _ => None,
        })
    }

    /// The workloads that a scope may meet: those with the label that fewest have, where it asks for one, else all.
    #[must_use]
    pub fn near(&self, scope: &Scope) -> Vec<WorkloadId> {
        let with = |label: (&str, &str)| -> Vec<WorkloadId> {
            let namespaces = scope.namespaces.iter().flatten();
            // Without a namespace is the empty one here.
            let both = namespaces.flat_map(|name| [Some(Some(name.as_str())), name.is_empty().then_some(None)]);
            both.flatten()
                .filter_map(|namespace| self.workloads.get(&label_hash(namespace, label)))
                .flatten()
                .copied()
                .collect()
        };
        let labels = scope.selector.labels().filter(|_| scope.namespaces.is_some());
        let Some(mut fewest) = labels.map(with).min_by_key(Vec::len) else {
            return self.workloads().map(|(id, ..)| id).collect();
        };
        fewest.sort_unstable();
        fewest.dedup();
        fewest
    }

    /// The Namespace of this name, when it is in the input.
    fn namespace(&self, name: &str) -> Option<&Object> {
        self.namespaces.get(name).and_then(|&id| self.objects.get(id))
    }

    /// The ConfigMap of this name.
    #[must_use]
    pub fn config_map(&self, namespace: Option<&str>, name: &str) -> Option<(ObjectId, &ConfigMap)> {
        let id = *self.config_maps.get(&(namespace.map(str::to_owned), name.to_owned()))?;
        match &self.objects.get(id)?.facts {
            Facts::ConfigMap(map) => Some((id, map)),
            _ => None,
        }
    }

    /// The flags and variables of workloads that hold this number as a port, as far as their templates were read whole; of very many
    /// only those that may name one of these objects of a namespace.
    fn told_ports<'n>(
        &self,
        port: u16,
        namespace: Option<&str>,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<(WorkloadId, &PortSetting)> {
        let workloads = || self.workloads().map(|(id, object, template)| (id, &object.meta, template));
        self.told.get_or_init(|| ToldPorts::of(workloads())).naming(port, namespace, names)
    }

    /// The Services and workloads that have a port of this number and that a name names: lists of those of one name, each in order.
    fn owners_named(&self, port: u16, name: &Name) -> Vec<&[ObjectId]> {
        self.owners.get_or_init(|| PortOwners::of(&self.objects)).named(port, name, &self.objects)
    }

    /// The workloads whose pods read a key of a ConfigMap.
    pub(crate) fn readers(&self, namespace: Option<&str>, name: &str, key: &str) -> Vec<WorkloadId> {
        let near = self.readers.get(&label_hash(namespace, ("", name))).map_or(&[][..], Vec::as_slice);
        let reads = |id: &WorkloadId| {
            let workload = self.workload(*id).filter(|(object, _)| object.meta.namespace.as_deref() == namespace);
            workload.is_some_and(|(_, template)| DataUse::some_has(&template.config_maps, name, key))
        };
        near.iter().copied().filter(reads).collect()
    }
}
