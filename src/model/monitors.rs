//! All monitors, found by what they select: who asks for those of one pod does not look at all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::monitor::Monitor;
use super::pod::PodTemplate;
use super::protocol::TCP;
use super::scope::Scope;
use super::service::Service;
use super::{Facts, Meta, Model, ObjectId, label_hash};

/// The monitors of the input.
#[derive(Debug, Clone, Default)]
pub(super) struct Monitors {
    of_pods: Near,
    of_services: Near,
    watched: HashMap<ObjectId, Arc<Watched>>,
}

/// What a monitor selects; monitors with the same selector share it.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// The workloads whose pods it selects, in the order of the input.
    pub(super) workloads: Vec<ObjectId>,
    /// The TCP ports that some of them declare.
    declared: BTreeSet<u16>,
}

impl Watched {
    /// Whether some workload declares a TCP port.
    pub(super) fn declares(&self, number: u16) -> bool {
        self.declared.contains(&number)
    }
}

/// Selecting objects by what they ask for at least.
#[derive(Debug, Clone, Default)]
struct Near {
    /// By a label, as a hash with the namespace.
    by_label: HashMap<u64, Vec<ObjectId>>,
    /// By a label, whatever the namespace.
    by_label_alone: HashMap<u64, Vec<ObjectId>>,
    /// By namespace alone.
    by_namespace: HashMap<String, Vec<ObjectId>>,
    /// Those that ask for neither.
    anywhere: Vec<ObjectId>,
}

impl Near {
    fn add(&mut self, id: ObjectId, scope: &Scope) {
        let label = scope.selector.labels().next();
        match (&scope.namespaces, label) {
            (Some(namespaces), Some(label)) => {
                for namespace in namespaces {
                    self.by_label.entry(label_hash(Some(namespace), label)).or_default().push(id);
                }
            }
            (None, Some(label)) => self.by_label_alone.entry(label_hash(None, label)).or_default().push(id),
            (Some(namespaces), None) => {
                for namespace in namespaces {
                    self.by_namespace.entry(namespace.clone()).or_default().push(id);
                }
            }
            (None, None) => self.anywhere.push(id),
        }
    }

    /// Those that may select what has this namespace and these labels.
    fn to<'l>(
        &self,
        namespace: Option<&str>,
        labels: impl Iterator<Item = (&'l str, &'l str)>,
    ) -> impl Iterator<Item = ObjectId> {
        let namespace = namespace.unwrap_or_default();
        let by_label = labels.flat_map(move |label| {
            let here = self.by_label.get(&label_hash(Some(namespace), label));
            here.into_iter().chain(self.by_label_alone.get(&label_hash(None, label)))
        });
        let all = by_label.chain(self.by_namespace.get(namespace)).chain([&self.anywhere]);
        all.flatten().copied()
    }
}

impl Monitors {
    pub(super) fn of(model: &Model) -> Self {
        let mut monitors = Self::default();
        let mut services: Option<Services<'_>> = None;
        let mut known: BTreeMap<(bool, &Scope), Arc<Watched>> = BTreeMap::new();
        for (id, _, monitor) in all(model) {
            let near = if monitor.services { &mut monitors.of_services } else { &mut monitors.of_pods };
            near.add(id, &monitor.scope);
            let watched = known.entry((monitor.services, &monitor.scope)).or_insert_with(|| {
                let workloads: BTreeSet<ObjectId> = if monitor.services {
                    let services = services.get_or_insert_with(|| Services::of(model)).within(&monitor.scope);
                    services.flat_map(|(meta, service)| model.selected_by(meta, service)).map(|(id, _)| id).collect()
                } else {
                    model.workloads_in(&monitor.scope).map(|(id, _)| id).collect()
                };
                let templates = workloads.iter().filter_map(|id| model.object(*id)?.template());
                let declared = templates.flat_map(tcp_ports).collect();
                Arc::new(Watched { workloads: workloads.into_iter().collect(), declared })
            });
            monitors.watched.insert(id, Arc::clone(watched));
        }
        monitors
    }

    /// The monitors that have metrics of these pods read, in the order of the input.
    pub(super) fn selecting<'m>(
        &self,
        model: &'m Model,
        meta: &'m Meta,
        template: &'m PodTemplate,
    ) -> Vec<(ObjectId, &'m Monitor, Arc<Watched>)> {
        let namespace = meta.namespace.as_deref();
        let mut near: BTreeSet<ObjectId> = self.of_pods.to(namespace, template.labels.iter()).collect();
        for (_, service, _) in model.services_of(meta, template) {
            near.extend(self.of_services.to(service.namespace.as_deref(), service.labels.iter()));
        }
        let selecting = near.into_iter().filter_map(|id| match &model.object(id)?.facts {
            Facts::Monitor(monitor) if monitor.selects(model, meta, template) => {
                Some((id, monitor.as_ref(), self.watched.get(&id).cloned().unwrap_or_default()))
            }
            _ => None,
        });
        selecting.collect()
    }
}

fn all(model: &Model) -> impl Iterator<Item = (ObjectId, &Meta, &Monitor)> {
    model.selecting().filter_map(|(id, object)| match &object.facts {
        Facts::Monitor(monitor) => Some((id, &object.meta, monitor.as_ref())),
        _ => None,
    })
}

fn tcp_ports(template: &PodTemplate) -> impl Iterator<Item = u16> {
    let ports = template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    ports.filter(|port| port.protocol == TCP).filter_map(super::pod::ContainerPort::number)
}

/// The Services of the input by their own labels, as hashes with the namespace.
struct Services<'m> {
    all: Vec<(&'m Meta, &'m Service)>,
    by_label: HashMap<u64, Vec<usize>>,
}

impl<'m> Services<'m> {
    fn of(model: &'m Model) -> Self {
        let services = model.objects().iter().filter_map(|object| match &object.facts {
            Facts::Service(service) => Some((&object.meta, service.as_ref())),
            _ => None,
        });
        let mut found = Self { all: services.collect(), by_label: HashMap::new() };
        for (index, (meta, _)) in found.all.iter().enumerate() {
            let namespace = meta.namespace.as_deref().unwrap_or_default();
            for label in meta.labels.iter() {
                found.by_label.entry(label_hash(Some(namespace), label)).or_default().push(index);
            }
        }
        found
    }

    /// The Services whose own labels a scope meets.
    fn within(&self, scope: &Scope) -> impl Iterator<Item = (&'m Meta, &'m Service)> {
        let label = scope.selector.labels().next();
        let near: Vec<usize> = match scope.namespaces.as_ref().zip(label) {
            Some((namespaces, label)) => {
                let of = |namespace: &String| self.by_label.get(&label_hash(Some(namespace), label));
                namespaces.iter().filter_map(of).flatten().copied().collect()
            }
            None => (0..self.all.len()).collect(),
        };
        let near = near.into_iter().filter_map(|index| self.all.get(index).copied());
        near.filter(|(meta, _)| scope.meets(meta.namespace.as_deref(), &meta.labels))
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, Meta, Model};
    use crate::catalog;
    use crate::model::pod::PodTemplate;
    use crate::model::{Object, TemplateKind};
    use crate::wire::{Input, Origin};

    /// What is found for each pod is what a look at all monitors finds.
    #[test]
    fn the_monitors_of_a_pod_are_those_that_select_it() {
        let selectors = ["{}", "{matchLabels: {app: a}}", "{matchExpressions: [{key: app, operator: Exists}]}"];
        let namespaces = ["", "\n  namespaceSelector: {any: true}", "\n  namespaceSelector: {matchNames: [n, other]}"];
        let mut text = String::new();
        for (kind, list, field) in
            [("ServiceMonitor", "endpoints", "targetPort"), ("PodMonitor", "podMetricsEndpoints", "portNumber")]
        {
            for (at, selector) in selectors.iter().enumerate() {
                for (also_at, namespace) in namespaces.iter().enumerate() {
                    text += &format!(
                        "apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: m{at}{also_at}, namespace: n}}\n\
                         spec:\n  selector: {selector}{namespace}\n  {list}: [{{{field}: 8080}}]\n---\n"
                    );
                }
            }
        }
        for namespace in ["namespace: n, ", "namespace: other, ", "namespace: third, ", ""] {
            for app in ["a", "b"] {
                text += &format!(
                    "apiVersion: v1\nkind: Service\nmetadata: {{name: {app}, {namespace}labels: {{app: {app}}}}}\n\
                     spec: {{selector: {{app: {app}}}, ports: [{{port: 80}}]}}\n---\n\
                     apiVersion: v1\nkind: Pod\nmetadata: {{name: {app}, {namespace}labels: {{app: {app}}}}}\n\
                     spec: {{containers: [{{name: c, image: i, ports: [{{containerPort: 8080}}]}}]}}\n---\n"
                );
            }
        }
        let rows = catalog::workload_kinds().iter();
        let kinds: Vec<TemplateKind> = rows.map(|row| TemplateKind::new(row.group, row.kind, row.path)).collect();
        let input = Input::read(Origin::stdin(), text.into_bytes()).unwrap();
        let model = Model::new(input.objects(|_, node| Object::of(node, &kinds, |_| Some(&[]))).unwrap());
        let pods: Vec<(usize, &Meta, &PodTemplate)> =
            model.workloads().map(|(id, object, template)| (id, &object.meta, template)).collect();
        assert_eq!(pods.len(), 8);
        let mut selected = 0;
        for (id, meta, template) in &pods {
            let found = model.monitors_of(meta, template);
            let ids: Vec<usize> = found.iter().map(|(id, ..)| *id).collect();
            let wanted: Vec<usize> = model
                .selecting()
                .filter(|(_, object)| matches!(&object.facts, Facts::Monitor(m) if m.selects(&model, meta, template)))
                .map(|(id, _)| id)
                .collect();
            assert_eq!(ids, wanted, "{meta}");
            selected += ids.len();
            for (_, monitor, watched) in found {
                let all = pods.iter().filter(|(_, meta, template)| monitor.selects(&model, meta, template));
                assert_eq!(watched.workloads, all.map(|(id, ..)| *id).collect::<Vec<_>>());
                assert!(watched.workloads.contains(id) && watched.declares(8080) && !watched.declares(80));
            }
        }
        assert!(selected > 20, "{selected}");
    }
}
