//! The objects of an input, and what joins them.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::facts::{
    Call, ConfigMap, ConfigPlace, ControllerConfig, Facts, HelmRelease, ImageConfig, Ingress, NetworkPolicy, Node,
    Object, Package, PodsView, PortFields, Reach, Scope, Service, label_hash,
};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::meta::Meta;
use crate::model::pod::{DataUse, PodTemplate};
use crate::yaml::{Step, Value};

impl ConfigPlace {
    /// The workloads whose pods read the key.
    #[must_use]
    pub fn readers(&self, model: &Objects) -> Vec<WorkloadId> {
        let (Some(object), Some(Step::Key(key))) = (model.object(self.object), self.place.path.last()) else {
            return Vec::new();
        };
        model.readers(object.meta.namespace.as_deref(), &object.meta.name, key)
    }
}

/// The objects of an input, and what joins them: Services and workloads by labels, ConfigMaps by their readers, packages by name.
#[derive(Debug, Clone, Default)]
pub struct Objects {
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
    namespaces: BTreeMap<String, Vec<ObjectId>>,
    nodes: Vec<ObjectId>,
    config_maps: BTreeMap<(Option<String>, String), ObjectId>,
    /// Workloads by the ConfigMaps that their pods read, as hashes of namespace and name.
    readers: HashMap<u64, Vec<WorkloadId>>,
}

/// In place of a namespace: all of them.
const EVERY_NAMESPACE: Option<&str> = Some("*");

impl Objects {
    /// Joins objects, which keep their order.
    #[must_use]
    pub fn new(objects: Vec<Object>) -> Self {
        let mut joined = Self::default();
        for (id, object) in objects.iter().enumerate() {
            let namespace = object.meta.namespace.as_deref();
            // Nobody applies such an object: it has no pods, calls nobody, and refers to nothing.
            if object.meta.is_local_config() {
                continue;
            }
            if object.meta.gvk.group.is_empty() && object.meta.gvk.kind == "Service" {
                joined.service_names.insert(label_hash(namespace, ("", &object.meta.name)));
            }
            match &object.facts {
                Facts::Workload(templates) => {
                    for (index, template) in templates.iter().enumerate() {
                        joined.add_workload(WorkloadId { object: id, template: index }, namespace, template);
                    }
                }
                Facts::Service(service) => {
                    for label in service.selector.iter().take(1) {
                        for namespace in [namespace, EVERY_NAMESPACE] {
                            joined.services.entry(label_hash(namespace, label)).or_default().push(id);
                        }
                    }
                    joined.services_by_name.entry(label_hash(None, ("", &object.meta.name))).or_default().push(id);
                }
                Facts::Caller(calls, urls) => {
                    for call in calls {
                        joined.calls.entry(call.service.clone()).or_default().push(call.clone());
                    }
                    joined.with_port_fields.extend(Some(id).filter(|_| !urls.fields.is_empty()));
                }
                Facts::NetworkPolicy(_) | Facts::PortFields(_) => joined.with_port_fields.push(id),
                Facts::Ingress(_) => joined.ingresses.push(id),
                Facts::ConfigMap(_) => {
                    let key = (object.meta.namespace.clone(), object.meta.name.clone());
                    joined.config_maps.insert(key, id);
                }
                Facts::Package(_) | Facts::ImageConfig(_) | Facts::HelmRelease(_) => joined.crossplane.push(id),
                Facts::RuntimeConfig(_) => _ = joined.runtime_configs.entry(object.meta.name.clone()).or_insert(id),
                Facts::ControllerConfig(_) => {
                    joined.controller_configs.entry(object.meta.name.clone()).or_insert(id);
                }
                Facts::Other if object.meta.gvk.group.is_empty() && object.meta.gvk.kind == "Namespace" => {
                    joined.namespaces.entry(object.meta.name.clone()).or_default().push(id);
                }
                Facts::Node(_) => joined.nodes.push(id),
                Facts::TakesTemplateOf(_) | Facts::ChartSource(_) | Facts::Other => {}
            }
        }
        joined.objects = objects;
        joined
    }

    pub(in crate::model) fn add_workload(&mut self, id: WorkloadId, namespace: Option<&str>, template: &PodTemplate) {
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

    pub(in crate::model) fn into_objects(self) -> Vec<Object> {
        self.objects
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
    pub(in crate::model) fn services_named<'m>(
        &'m self,
        name: &'m str,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> {
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
    pub(in crate::model) fn services_behind<'m>(
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
    pub(in crate::model) fn services_reaching<'m>(
        &'m self,
        pods: PodsView<'_>,
    ) -> Vec<(ObjectId, &'m Meta, &'m Service, Reach)> {
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
    pub(in crate::model) fn has_service(&self, meta: &Meta, name: &str) -> bool {
        let namespaces = [meta.namespace.as_deref(), None];
        namespaces.into_iter().any(|namespace| self.service_names.contains(&label_hash(namespace, ("", name))))
    }

    /// The workloads in the namespace of an object whose pods have their names from this Service.
    pub(in crate::model) fn sets_of_service(&self, meta: &Meta, name: &str) -> impl Iterator<Item = WorkloadId> {
        self.named_by.get(&label_hash(meta.namespace.as_deref(), ("", name))).into_iter().flatten().copied()
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
    pub(in crate::model) fn with_port_fields(&self) -> impl Iterator<Item = (ObjectId, &PortFields)> {
        self.with_port_fields.iter().filter_map(|&id| Some((id, self.objects.get(id)?.port_fields()?)))
    }

    /// The network policies.
    pub fn network_policies(&self) -> impl Iterator<Item = (ObjectId, &Meta, &NetworkPolicy)> {
        self.with_port_fields.iter().filter_map(|&id| match self.objects.get(id) {
            Some(Object { meta, facts: Facts::NetworkPolicy(policy) }) => Some((id, meta, policy.as_ref())),
            _ => None,
        })
    }

    /// The Ingresses that say something of health checks.
    pub(in crate::model) fn ingresses(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Ingress)> {
        self.ingresses.iter().filter_map(|&id| match self.objects.get(id) {
            Some(Object { meta, facts: Facts::Ingress(ingress) }) => Some((id, meta, ingress.as_ref())),
            _ => None,
        })
    }

    /// Crossplane's packages, ImageConfigs, and HelmReleases.
    pub(in crate::model) fn of_crossplane(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
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

    /// The workloads that a scope may match: those with the label that fewest have, where it asks for one, else all.
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
    pub(in crate::model) fn namespace(&self, name: &str) -> Option<&Meta> {
        self.namespaces(name).last().map(|(_, meta)| meta)
    }

    /// The Namespaces of this name in the input: one, unless the input has it twice.
    pub fn namespaces(&self, name: &str) -> impl Iterator<Item = (ObjectId, &Meta)> {
        let ids = self.namespaces.get(name).into_iter().flatten();
        ids.filter_map(|&id| Some((id, &self.objects.get(id)?.meta)))
    }

    /// The nodes of the input.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter_map(|&id| match &self.objects.get(id)?.facts {
            Facts::Node(node) => Some(node.as_ref()),
            _ => None,
        })
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
