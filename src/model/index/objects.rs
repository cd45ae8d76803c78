//! The objects of an input, and indexes of the links between them.

mod called_addresses;
mod crossplane;
mod services;

pub(crate) use called_addresses::{AnsweringObject, CalledAddress};

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;

use super::registrars::Registrars;
use crate::model::facts::{
    Autoscaler, CLUSTER_ADMIN, Call, ChartPlace, ConfigMap, ConfigPlace, CreatedNamespace, Facts, Ingress, MapRead,
    NetworkPolicy, Node, Object, PodChange, PortFields, RegisteringRole, Registration, RoleBinding, Scope, SecondCopy,
    UnevaluatedPolicy, label_hash,
};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::meta::Meta;
use crate::model::pod::{ConfigDataReference, PodTemplate};
use crate::model::text::Labels;
use lossless_yaml::{Step, Value};

/// Maximum number of levels of aggregated roles that are followed.
const AGGREGATIONS: usize = 5;

/// Maximum number of roles that are compared with each other in a level.
const MAX_ROLES: usize = 1_000;

impl ConfigPlace {
    /// The workloads whose pods read this key of the ConfigMap.
    pub fn readers(&self, model: &Objects) -> Vec<WorkloadId> {
        let (Some(object), Some(Step::Key(key))) = (model.object(self.object), self.place.path.last()) else {
            return Vec::new();
        };
        model.readers(object.meta.namespace.as_deref(), &object.meta.name, key)
    }
}

/// The objects of an input, with indexes of the links between them: Services and workloads by labels, ConfigMaps by
/// their readers, packages by name.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    objects: Vec<Object>,
    /// Groups of Services by one label of their selector, as hashes of namespace, key and value, so that a large input
    /// is not searched pair by pair.
    services: HashMap<u64, Vec<usize>>,
    /// Workloads by every label of their pods, as hashes of namespace, key and value.
    workloads: HashMap<u64, Vec<WorkloadId>>,
    /// The Services of each namespace and selector, which all select the same pods.
    service_groups: Vec<Vec<ObjectId>>,
    /// All Services, as hashes of namespace and name.
    service_names: HashSet<u64>,
    /// Addresses of all Services.
    service_addresses: HashSet<IpAddr>,
    /// Workloads by the Service in their `serviceName`, as hashes of namespace and name.
    named_by: HashMap<u64, Vec<WorkloadId>>,
    /// Calls by name of the Service, each with the object that causes the call.
    calls: BTreeMap<String, Vec<(ObjectId, Call)>>,
    /// The objects with port fields, except Services.
    with_port_fields: Vec<ObjectId>,
    /// Services by name.
    services_by_name: HashMap<u64, Vec<ObjectId>>,
    /// Ingresses with annotations for health checks, by namespace and name of each of their Services.
    ingresses: HashMap<u64, Vec<ObjectId>>,
    /// Crossplane's packages, ImageConfigs, and HelmReleases, because a HelmRelease may install Crossplane.
    crossplane: Vec<ObjectId>,
    /// Sources of charts by kind, namespace and name.
    chart_sources: HashMap<(String, Option<String>, String), ObjectId>,
    /// ImageConfigs, which are read for each package.
    image_configs: Vec<ObjectId>,
    /// Configurations of packages, by name.
    runtime_configs: BTreeMap<String, Vec<ObjectId>>,
    controller_configs: BTreeMap<String, ObjectId>,
    namespaces: BTreeMap<String, Vec<ObjectId>>,
    /// Objects for which a Namespace is created, by its name.
    made_namespaces: BTreeMap<String, Vec<ObjectId>>,
    nodes: Vec<ObjectId>,
    /// Cluster roles that permit writing webhook configurations, and bindings of all roles.
    roles: Vec<ObjectId>,
    /// The objects that change pods at creation.
    pod_changes: Vec<ObjectId>,
    /// The objects that admission control reads.
    admission: Vec<ObjectId>,
    /// Policies of network plugins.
    unread_policies: Vec<ObjectId>,
    /// The objects that create a second copy of a workload's pods, by namespace and workload.
    second_copies: BTreeMap<(Option<String>, Box<str>), ObjectId>,
    /// Autoscalers by namespace, and by kind and name of the workload.
    autoscalers: BTreeMap<(Option<String>, KindAndName), Vec<ObjectId>>,
    /// `PersistentVolumeClaim`s whose volume only one node can mount, as hashes of namespace and name.
    claims_of_one_node: HashSet<u64>,
    config_maps: BTreeMap<(Option<String>, String), ObjectId>,
    /// `ServiceAccount`s with annotations.
    service_accounts: BTreeMap<(Option<String>, String), ObjectId>,
    /// Workloads by the ConfigMaps that their pods read, as hashes of namespace and name.
    readers: HashMap<u64, Vec<WorkloadId>>,
    /// Objects without a pod template by the ConfigMaps that they read, as hashes of namespace and name.
    other_readers: HashMap<u64, Vec<ObjectId>>,
}

/// Kind and name of a workload.
type KindAndName = (String, String);

/// Placeholder for all namespaces.
const EVERY_NAMESPACE: Option<&str> = Some("*");

impl Objects {
    /// Indexes objects. The objects keep their order.
    pub fn new(objects: Vec<Object>) -> Self {
        let mut joined = Self::default();
        let mut groups: HashMap<(Option<&str>, &Labels, &Labels), usize> = HashMap::new();
        for (id, object) in objects.iter().enumerate() {
            let namespace = object.meta.namespace.as_deref();
            // Local config is never applied, so it has no pods, makes no calls and refers to nothing.
            if object.meta.is_local_config() {
                continue;
            }
            if object.meta.is_service() {
                joined.service_names.insert(label_hash(namespace, ("", &object.meta.name)));
                joined.service_addresses.extend(object.service_addresses());
            }
            if let Some(made) = object.made_namespace() {
                joined.made_namespaces.entry(made.meta.name.clone()).or_default().push(id);
            }
            if object.is_claim_of_one_node() {
                joined.claims_of_one_node.insert(label_hash(namespace, ("", &object.meta.name)));
            }
            joined.pod_changes.extend(object.pod_change().map(|_| id));
            joined.admission.extend(object.admission().map(|_| id));
            joined.unread_policies.extend(object.unread_policy().map(|_| id));
            for read in object.map_reads() {
                joined.other_readers.entry(label_hash(namespace, ("", &read.name))).or_default().push(id);
            }
            if let Some(copy) = object.second_copy() {
                joined.second_copies.insert((object.meta.namespace.clone(), copy.workload.clone()), id);
            }
            if let Some(autoscaler) = object.autoscaler() {
                let target = (object.meta.namespace.clone(), autoscaler.target.clone());
                joined.autoscalers.entry(target).or_default().push(id);
            }
            match &object.facts {
                Facts::Workload(templates) => {
                    joined.with_port_fields.extend(object.port_fields().map(|_| id));
                    for (index, template) in templates.iter().enumerate() {
                        joined.add_workload(WorkloadId { object: id, template: index }, namespace, template);
                    }
                }
                Facts::Service(service) => {
                    let next = joined.service_groups.len();
                    let group = *groups.entry((namespace, &service.selector, &service.run_time)).or_insert(next);
                    match joined.service_groups.get_mut(group) {
                        Some(services) => services.push(id),
                        None => {
                            joined.service_groups.push(vec![id]);
                            for label in service.selector.iter().take(1) {
                                for namespace in [namespace, EVERY_NAMESPACE] {
                                    joined.services.entry(label_hash(namespace, label)).or_default().push(group);
                                }
                            }
                        }
                    }
                    joined.services_by_name.entry(label_hash(None, ("", &object.meta.name))).or_default().push(id);
                }
                Facts::Caller(caller) => {
                    for call in &caller.services {
                        joined.calls.entry(call.service.clone()).or_default().push((id, call.clone()));
                    }
                    joined.with_port_fields.extend(Some(id).filter(|_| !caller.urls.fields.is_empty()));
                }
                Facts::NetworkPolicy(_) | Facts::PortFields(_) => joined.with_port_fields.push(id),
                Facts::Ingress(ingress) => {
                    for backend in &ingress.backends {
                        joined.ingresses.entry(label_hash(namespace, ("", backend))).or_default().push(id);
                    }
                }
                Facts::ConfigMap(_) => {
                    let key = (object.meta.namespace.clone(), object.meta.name.clone());
                    joined.config_maps.insert(key, id);
                }
                Facts::ImageConfig(_) => {
                    joined.crossplane.push(id);
                    joined.image_configs.push(id);
                }
                Facts::HelmReleases(releases) => {
                    joined.crossplane.push(id);
                    if releases.iter().any(|release| release.place == ChartPlace::Source) {
                        let Meta { gvk, namespace, name, .. } = &object.meta;
                        let key = (gvk.kind.clone(), namespace.clone(), name.clone());
                        joined.chart_sources.entry(key).or_insert(id);
                    }
                }
                Facts::Package(_) => joined.crossplane.push(id),
                Facts::RuntimeConfig(_) => {
                    joined.runtime_configs.entry(object.meta.name.clone()).or_default().push(id);
                }
                Facts::ControllerConfig(_) => {
                    joined.controller_configs.entry(object.meta.name.clone()).or_insert(id);
                }
                Facts::Other if is_namespace(&object.meta) => {
                    joined.namespaces.entry(object.meta.name.clone()).or_default().push(id);
                }
                Facts::Other if is_annotated_account(&object.meta) => joined.add_account(id, &object.meta),
                Facts::Node(_) => joined.nodes.push(id),
                Facts::RegisteringRole(_) | Facts::RoleBinding(_) => joined.roles.push(id),
                Facts::TakesTemplateOf(_) | Facts::Other => {}
            }
        }
        joined.objects = objects;
        joined.add_calls_through_external_names();
        joined
    }

    /// Adds a service account to the index.
    fn add_account(&mut self, id: ObjectId, meta: &Meta) {
        self.service_accounts.insert((meta.namespace.clone(), meta.name.clone()), id);
    }

    /// Adds the calls of Services of type `ExternalName` as calls of the Services that these name.
    fn add_calls_through_external_names(&mut self) {
        let mut followed = Vec::new();
        for object in self.objects.iter().filter(|object| !object.meta.is_local_config()) {
            let Some((namespace, name)) = object.alias() else { continue };
            let through = |(id, call): (ObjectId, &Call)| {
                let by = format!("{} (through {})", call.by, object.meta);
                (id, Call { namespace: namespace.to_owned(), service: name.to_owned(), by, ..call.clone() })
            };
            followed.extend(self.calls_with_cause(&object.meta).map(through));
        }
        for (id, call) in followed {
            self.calls.entry(call.service.clone()).or_default().push((id, call));
        }
    }

    /// Adds a workload to the indexes by label, service name and ConfigMap.
    pub(in crate::model) fn add_workload(&mut self, id: WorkloadId, namespace: Option<&str>, template: &PodTemplate) {
        if let Some(name) = &template.service_name {
            self.named_by.entry(label_hash(namespace, ("", name))).or_default().push(id);
        }
        for label in template.labels.iter() {
            self.workloads.entry(label_hash(namespace, label)).or_default().push(id);
        }
        for used in &template.config_maps {
            let readers = self.readers.entry(label_hash(namespace, ("", &used.name))).or_default();
            // A pod may read very many keys of one ConfigMap.
            if readers.last() != Some(&id) {
                readers.push(id);
            }
        }
    }

    /// All objects, in reading order.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    pub(in crate::model) fn into_objects(self) -> Vec<Object> {
        self.objects
    }

    /// An object.
    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id)
    }

    /// The data that `view` returns for the objects of an index.
    fn views<'m, T: ?Sized + 'm>(
        &'m self,
        ids: impl IntoIterator<Item = &'m ObjectId>,
        view: impl Fn(&'m Object) -> Option<&'m T>,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m T)> {
        ids.into_iter().filter_map(move |&id| self.objects.get(id).and_then(|o| Some((id, &o.meta, view(o)?))))
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
    pub fn workload(&self, id: WorkloadId) -> Option<(&Object, &PodTemplate)> {
        let object = self.objects.get(id.object)?;
        Some((object, object.templates().get(id.template)?))
    }

    /// The objects with port fields, except Services.
    pub(in crate::model) fn with_port_fields(&self) -> impl Iterator<Item = (ObjectId, &PortFields)> {
        self.with_port_fields.iter().filter_map(|&id| Some((id, self.objects.get(id)?.port_fields()?)))
    }

    /// Changes to pods at creation, each with the object that makes the change.
    pub fn pod_changes(&self) -> impl Iterator<Item = (ObjectId, &Meta, &PodChange)> {
        self.views(&self.pod_changes, Object::pod_change)
    }

    /// The objects that admission control reads, each as a whole.
    pub fn admission_objects(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Value)> {
        self.views(&self.admission, Object::admission)
    }

    /// The object that creates a second copy of a workload's pods, and the copy.
    pub fn second_copy(&self, workload: &Meta) -> Option<(&Meta, &SecondCopy)> {
        let name = format!("{} {}", workload.gvk.kind, workload.name).into_boxed_str();
        let object = self.object(*self.second_copies.get(&(workload.namespace.clone(), name))?)?;
        Some((&object.meta, object.second_copy()?))
    }

    /// The autoscalers of a workload.
    pub fn autoscalers_of(&self, workload: &Meta) -> impl DoubleEndedIterator<Item = (ObjectId, Autoscaler)> {
        let target = (workload.gvk.kind.clone(), workload.name.clone());
        let found = self.autoscalers.get(&(workload.namespace.clone(), target)).into_iter().flatten();
        let linear = |map: &str| {
            let (_, map) = self.config_map(workload.namespace.as_deref(), map)?;
            map.text("linear").map(AsRef::as_ref)
        };
        found.filter_map(move |&id| Some((id, self.object(id)?.autoscaler()?.with_parameters(linear))))
    }

    /// Minimum number of pods of a workload with `own` replicas, according to its last autoscaler; `None` without a
    /// known number.
    pub fn fewest_replicas(&self, workload: &Meta, own: Option<u32>) -> Option<u32> {
        let autoscaler = self.autoscalers_of(workload).next_back();
        own.map(|own| autoscaler.map_or(own, |(_, autoscaler)| autoscaler.range(own).0))
    }

    /// Claims of the pods of a template whose volumes only one node can mount.
    pub fn claims_of_one_node<'t>(&self, namespace: Option<&str>, template: &'t PodTemplate) -> Vec<&'t str> {
        let claims = template.placement.iter().flat_map(|placement| placement.claims());
        claims.filter(|name| self.claims_of_one_node.contains(&label_hash(namespace, ("", name)))).collect()
    }

    /// The bindings of roles.
    pub fn role_bindings(&self) -> impl Iterator<Item = (ObjectId, &Meta, &RoleBinding)> {
        self.views(&self.roles, Object::role_binding)
    }

    /// The network policies.
    pub fn network_policies(&self) -> impl Iterator<Item = (ObjectId, &Meta, &NetworkPolicy)> {
        self.views(&self.with_port_fields, Object::network_policy)
    }

    /// Policies of network plugins, whose rules are not evaluated.
    pub(crate) fn unread_policies(&self) -> impl Iterator<Item = (ObjectId, &UnevaluatedPolicy)> {
        self.views(&self.unread_policies, Object::unread_policy).map(|(id, _, policy)| (id, policy))
    }

    /// Ingresses with annotations for health checks that name a Service.
    pub(in crate::model) fn ingresses_of(&self, service: &Meta) -> impl Iterator<Item = (ObjectId, &Meta, &Ingress)> {
        let near = || self.ingresses.get(&label_hash(service.namespace.as_deref(), ("", &service.name)));
        // Most inputs have no such Ingress, and this function runs for every pair of a pod and a Service.
        let near = (!self.ingresses.is_empty()).then(near).flatten();
        let ingresses = self.views(near.into_iter().flatten(), Object::ingress);
        ingresses.filter(|(_, meta, ingress)| ingress.leads_to(meta, service))
    }

    /// Workloads that a scope may match: workloads with the rarest label that the scope requires, or all without such
    /// a label.
    pub fn near(&self, scope: &Scope) -> Vec<WorkloadId> {
        let with = |label: (&str, &str)| -> Vec<WorkloadId> {
            let namespaces = scope.namespaces.iter().flatten();
            // An empty name in this list also matches a missing namespace.
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

    /// The Namespace of this name; `None` if it is not in the input.
    pub(in crate::model) fn namespace(&self, name: &str) -> Option<&Meta> {
        self.namespaces(name).last().map(|(_, meta)| meta)
    }

    /// The Namespaces of this name in the input: one, unless the input has it twice.
    pub fn namespaces(&self, name: &str) -> impl Iterator<Item = (ObjectId, &Meta)> {
        let ids = self.namespaces.get(name).into_iter().flatten();
        ids.filter_map(|&id| Some((id, &self.objects.get(id)?.meta)))
    }

    /// The `ServiceAccount` of this name, if it has annotations.
    pub fn annotated_account(&self, namespace: Option<&str>, name: &str) -> Option<(ObjectId, &Meta)> {
        let id = *self.service_accounts.get(&(namespace.map(str::to_owned), name.to_owned()))?;
        Some((id, &self.objects.get(id)?.meta))
    }

    /// The Namespaces of this name that are created for other objects, each with its object.
    pub fn made_namespaces(&self, name: &str) -> impl Iterator<Item = (ObjectId, &CreatedNamespace)> {
        let ids = self.made_namespaces.get(name).into_iter().flatten();
        ids.filter_map(|&id| Some((id, self.objects.get(id)?.made_namespace()?)))
    }

    /// The subjects whose roles permit a registration with the API server.
    pub(crate) fn registrars(&self) -> Registrars<'_> {
        let roles = self.views(&self.roles, Object::registering_role);
        let roles: Vec<(&Meta, &RegisteringRole)> = roles.map(|(_, meta, role)| (meta, role)).collect();
        let own = roles.iter().filter_map(|(meta, role)| Some((meta.name.as_str(), role.own?)));
        let mut of_role: HashMap<&str, Registration> = own.collect();
        of_role.insert(CLUSTER_ADMIN, Registration::Everything);
        // Aggregated roles may be aggregated again.
        for _ in 0..AGGREGATIONS {
            let mut added: Vec<(&str, Registration)> = Vec::new();
            let open = roles
                .iter()
                .filter(|(meta, role)| !role.aggregates.is_empty() && !of_role.contains_key(meta.name.as_str()));
            for (meta, role) in open.take(MAX_ROLES) {
                let known = roles.iter().filter_map(|(other, _)| Some((other, *of_role.get(other.name.as_str())?)));
                let has = |other: &Meta| role.aggregates.iter().any(|selector| selector.matches(&other.labels));
                let found = known.take(MAX_ROLES).find(|(other, _)| has(other));
                added.extend(found.map(|(_, registration)| (meta.name.as_str(), registration)));
            }
            if added.is_empty() {
                break;
            }
            of_role.extend(added);
        }
        // A RoleBinding permits nothing outside of its namespace.
        let of_cluster = self.role_bindings().filter(|(_, meta, _)| meta.gvk.kind == "ClusterRoleBinding");
        let mut registrars = Registrars::default();
        for (.., binding) in of_cluster {
            let Some(&registration) = of_role.get(binding.role.as_str()) else { continue };
            let accounts = binding.accounts.iter().map(|(namespace, name)| (namespace.as_deref(), name.as_str()));
            registrars.add(accounts, binding.groups.iter().map(String::as_str), registration);
        }
        registrars
    }

    /// The nodes of the input.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.views(&self.nodes, Object::node).map(|(.., node)| node)
    }

    /// The ConfigMap of this name.
    pub fn config_map(&self, namespace: Option<&str>, name: &str) -> Option<(ObjectId, &ConfigMap)> {
        let id = *self.config_maps.get(&(namespace.map(str::to_owned), name.to_owned()))?;
        Some((id, self.objects.get(id)?.config_map()?))
    }

    /// The workloads whose pods read a key of a ConfigMap.
    pub(crate) fn readers(&self, namespace: Option<&str>, name: &str, key: &str) -> Vec<WorkloadId> {
        let near = self.readers.get(&label_hash(namespace, ("", name))).map_or(&[][..], Vec::as_slice);
        let reads = |id: &WorkloadId| {
            let workload = self.workload(*id).filter(|(object, _)| object.meta.namespace.as_deref() == namespace);
            workload.is_some_and(|(_, template)| ConfigDataReference::any_has_key(&template.config_maps, name, key))
        };
        near.iter().copied().filter(reads).collect()
    }

    /// The first object without a pod template that reads a key of a ConfigMap.
    pub fn other_reader(&self, map: &Meta, key: &str) -> Option<&Meta> {
        let near = self.other_readers.get(&label_hash(map.namespace.as_deref(), ("", &map.name)));
        let reads = |object: &&Object| {
            let is_key = |read: &MapRead| *read.name == *map.name && read.key.as_deref().is_none_or(|read| read == key);
            object.meta.namespace == map.namespace && object.map_reads().iter().any(is_key)
        };
        near.into_iter().flatten().filter_map(|&id| self.object(id)).find(reads).map(|object| &object.meta)
    }
}

/// True for a `ServiceAccount` with annotations.
fn is_annotated_account(meta: &Meta) -> bool {
    meta.gvk.group.is_empty() && meta.gvk.kind == "ServiceAccount" && !meta.annotations.is_empty()
}

/// True for a Namespace, and for a Project of `OpenShift`, which is one with the same labels.
/// Source: openshift/openshift-apiserver `ConvertProject`, which makes a Namespace with `ObjectMeta: project.ObjectMeta`.
fn is_namespace(meta: &Meta) -> bool {
    matches!((meta.gvk.group.as_str(), meta.gvk.kind.as_str()), ("", "Namespace") | ("project.openshift.io", "Project"))
}
