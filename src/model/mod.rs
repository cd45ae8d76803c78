//! What is there: read-only views of the objects and the edges between them. Knows the catalogue, not the config.
//!
//! [`Object::of`] reads one object while its tree is at hand and keeps only what the rules need; [`Model`] holds the
//! objects of a whole input and finds the edges between them: the listeners of a pod ([`listener`]) with how each is
//! told its port, and every reference to a port ([`reference`]).

pub mod caller;
mod config_file;
mod config_lines;
pub mod config_map;
pub mod dialled;
pub mod endpoints;
pub mod evidence;
mod exec;
pub mod health_check;
pub mod helm_release;
pub mod labels;
pub mod listener;
pub mod low_ports;
pub mod mesh;
mod meta;
pub mod network_policy;
mod own_address;
pub mod package;
mod peer_names;
mod peers;
pub mod placeholder;
pub mod placement;
pub mod plugin_policy;
pub mod pod;
mod pod_texts;
mod port_name;
pub mod probe;
pub mod probe_marker;
pub mod program;
pub mod protocol;
pub mod redirect;
pub mod reference;
pub mod role;
pub mod scope;
pub mod secret;
mod seen_ports;
pub mod service;
pub mod shown;
pub mod text;
mod told;
mod transport;
mod variable;
pub mod version;
pub mod volume;
pub mod workload_spread;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::OnceLock;

pub use meta::Meta;
pub use pod_texts::PodTexts;

use crate::catalog::{self, PortReference};
use crate::yaml::{NodeRef, Path, Value};

use caller::Call;
use config_map::ConfigMap;
use evidence::{Form, PortSetting, port_settings};
use health_check::Ingress;
use helm_release::HelmRelease;
use network_policy::NetworkPolicy;
use package::{ControllerConfig, ImageConfig, Package, PackageKind};
use peers::DialledHosts;
use pod::PodTemplate;
use reference::{FieldIndex, PodsView, PortFields, Reach};
use scope::Scope;
use service::Service;

/// An object of the input, by its position in reading order.
pub type ObjectId = usize;

/// A kind that holds a pod template.
#[derive(Debug, Clone)]
pub struct TemplateKind {
    /// API group, empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// The path of the pod template.
    pub path: Path,
}

impl TemplateKind {
    /// The kind whose template is at a dotted path; the root when that is empty.
    #[must_use]
    pub fn new(group: &str, kind: &str, path: &str) -> Self {
        Self { group: group.to_owned(), kind: kind.to_owned(), path: Path::dotted(path) }
    }
}

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
    /// Holds a pod template.
    Workload(Box<PodTemplate>),
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

    /// The pod template, when the object holds one.
    #[must_use]
    pub fn template(&self) -> Option<&PodTemplate> {
        match &self.facts {
            Facts::Workload(template) => Some(template),
            _ => None,
        }
    }
}

fn facts<'c>(
    meta: &Meta,
    node: NodeRef<'_, '_>,
    kinds: &Kinds<'_>,
    chosen: impl Fn(&Meta) -> Option<&'c [String]>,
) -> Facts {
    let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
    // A kind may have its template at one of several paths.
    let mut rows = kinds.templates.iter().filter(|row| row.group == group && row.kind == kind).peekable();
    if rows.peek().is_some() {
        let template = rows.find_map(|row| PodTemplate::of(node, &row.path, chosen(meta)));
        return found(template, Facts::Workload);
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
    workloads: HashMap<u64, Vec<ObjectId>>,
    /// All Services, hashes of namespace and name; and workloads by the Services that they say their pods have names from.
    service_names: HashSet<u64>,
    named_by: HashMap<u64, Vec<ObjectId>>,
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
    readers: HashMap<u64, Vec<ObjectId>>,
    /// Services and workloads by the ports that they have: made when it is first asked for.
    owners: OnceLock<HashMap<u16, Vec<ObjectId>>>,
    /// Flags and variables of workloads by the ports that they hold: the same.
    told: OnceLock<HashMap<u16, Vec<(ObjectId, PortSetting)>>>,
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
                Facts::Workload(template) => {
                    if let Some(name) = &template.service_name {
                        model.named_by.entry(label_hash(namespace, ("", name))).or_default().push(id);
                    }
                    for label in template.labels.iter() {
                        model.workloads.entry(label_hash(namespace, label)).or_default().push(id);
                    }
                    for used in &template.config_maps {
                        model.readers.entry(label_hash(namespace, ("", &used.name))).or_default().push(id);
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
                Facts::ChartSource(_) | Facts::Other => {}
            }
        }
        model.objects = objects;
        model
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

    /// The objects that hold a pod template.
    pub fn workloads(&self) -> impl Iterator<Item = (ObjectId, &Object, &PodTemplate)> {
        let applied = self.objects.iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
        applied.filter_map(|(id, object)| Some((id, object, object.template()?)))
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
        for label in pods.selectable_labels() {
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
    fn sets_of_service(&self, meta: &Meta, name: &str) -> impl Iterator<Item = ObjectId> {
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
    ) -> impl Iterator<Item = (ObjectId, &'m PodTemplate)> {
        let namespace = meta.namespace.as_deref();
        let near = service.selector.iter().map(|label| self.workloads.get(&label_hash(namespace, label)));
        // A label that no pod has selects nothing; of the others, the rarest leaves the least to look at.
        let fewest = near.map(|ids| ids.map_or(&[][..], Vec::as_slice)).min_by_key(|ids| ids.len());
        fewest.unwrap_or_default().iter().filter_map(move |&id| {
            let object = self.objects.get(id)?;
            let template = object.template()?;
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
    pub fn near(&self, scope: &Scope) -> Vec<ObjectId> {
        let with = |label: (&str, &str)| -> Vec<ObjectId> {
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

    /// The flags and variables of workloads that hold this number as a port, as far as their templates were read whole.
    fn told_ports(&self, port: u16) -> impl Iterator<Item = (ObjectId, &PortSetting)> {
        let told = self.told.get_or_init(|| {
            let mut told: HashMap<u16, Vec<(ObjectId, PortSetting)>> = HashMap::new();
            for (id, _, template) in self.workloads() {
                // Flags of what is not read whole.
                for dialled in template.dialled.iter().filter(|dialled| dialled.host.is_empty()) {
                    let name = dialled.apart.as_deref().unwrap_or_default().to_owned();
                    let (form, port, place) = (Form::Bare, dialled.port, dialled.place.clone());
                    told.entry(port).or_default().push((id, PortSetting { name, form, port, variable: false, place }));
                }
                for (_, container) in template.running() {
                    // A name of one word names nobody.
                    for port in port_settings(container).into_iter().filter(|port| port.name.contains(['_', '-', '.']))
                    {
                        told.entry(port.port).or_default().push((id, port));
                    }
                }
            }
            told
        });
        told.get(&port).into_iter().flatten().map(|(id, port)| (*id, port))
    }

    /// The Services and workloads that have a port of this number: a Service by what its clients dial and by what it dials.
    fn owners_of_port(&self, port: u16) -> impl Iterator<Item = ObjectId> {
        let owners = self.owners.get_or_init(|| {
            let mut owners: HashMap<u16, Vec<ObjectId>> = HashMap::new();
            for (id, object) in self.objects.iter().enumerate() {
                let mut ports: Vec<u16> = match &object.facts {
                    Facts::Service(service) => {
                        service.ports.iter().flat_map(|port| [port.port, port.target_number()]).flatten().collect()
                    }
                    Facts::Workload(template) => {
                        let ports = template.running().flat_map(|(_, container)| container.ports.iter().flatten());
                        ports.filter_map(pod::ContainerPort::number).collect()
                    }
                    _ => continue,
                };
                ports.sort_unstable();
                ports.dedup();
                for port in ports {
                    owners.entry(port).or_default().push(id);
                }
            }
            owners
        });
        owners.get(&port).into_iter().flatten().copied()
    }

    /// The workloads whose pods read a key of a ConfigMap.
    fn readers(&self, namespace: Option<&str>, name: &str, key: &str) -> Vec<ObjectId> {
        let near = self.readers.get(&label_hash(namespace, ("", name))).map_or(&[][..], Vec::as_slice);
        let reads = |id: &ObjectId| {
            let object = self.objects.get(*id).filter(|object| object.meta.namespace.as_deref() == namespace);
            let uses = object.and_then(Object::template).map_or(&[][..], |template| &template.config_maps);
            uses.iter().any(|used| used.has(name, key))
        };
        let mut found: Vec<ObjectId> = near.iter().copied().filter(reads).collect();
        found.dedup();
        found
    }
}
