//! Target ports of Services.

use super::health_check;
use super::named_port::NamedPort;
use super::pod_fields::AllPods;
use super::types::{Reference, ServiceTarget};
use crate::model::facts::{PodsView, Reach};
use crate::model::id::WorkloadId;
use crate::model::listener::{Listener, WorkloadView};

/// What is said of a field that may be about the pods.
pub(in crate::model) fn maybe(listener: &Listener, what: &str) -> String {
    format!("{} is {what} with these labels, and only one of the two has a namespace,", listener.number)
}

/// A target port of a Service, where it leads to the listener.
pub(in crate::model) fn target(
    all: &AllPods<'_>,
    pods: WorkloadView<'_>,
    named: &NamedPort<'_>,
    index: usize,
    listener: &Listener,
) -> Option<Reference> {
    let (_, service) = all.model.service(named.object)?;
    let port = service.ports.get(index)?;
    let by_name = service.headless && listener.name.is_some() && port.target_name() == listener.name.as_deref();
    let by_number = port.target_number() == Some(listener.number);
    if port.protocol != listener.protocol || !(by_number || by_name) {
        return None;
    }
    if named.reach == Reach::Maybe {
        let what = match port.target_name() {
            Some(name) => maybe(listener, &format!("what clients dial as port `{name}` of a headless Service")),
            None => maybe(listener, "a target port"),
        };
        return Some(Reference::Seen { object: named.object, path: port.path.clone(), what });
    }
    let templates: Vec<WorkloadId> = all.audience(&named.subject).sure.to_vec();
    let alone = |name: &String| {
        let others = templates.iter().filter(|id| **id != pods.id).filter_map(|id| all.template(*id));
        occurs_once(pods, listener, name)
            && others.into_iter().all(|template| {
                let ports = template.running().flat_map(|(_, c)| c.ports.iter().flatten());
                let mut named = ports.filter(|port| port.name.as_ref() == Some(name));
                let first = named.next().map(|port| (port.number(), port.protocol.as_ref()));
                first == Some((Some(listener.number), listener.protocol.as_ref())) && named.next().is_none()
            })
    };
    let view = PodsView { meta: pods.meta, template: pods.template };
    let is_checked = || health_check::is_named(all.model, view, named.object, port.name.as_deref());
    Some(Reference::Target(ServiceTarget {
        service: named.object,
        port: port.path.clone(),
        target: port.target.clone(),
        name: future_name(listener).filter(|name| by_name || alone(name)).filter(|_| by_name || !is_checked()),
        templates,
        headless: service.headless,
    }))
}

/// The port's name when all is done: an undeclared one gets its label, an unnamed one stays unnamed.
fn future_name(listener: &Listener) -> Option<String> {
    match listener.declared {
        Some(_) => listener.name.clone(),
        None => Some(listener.label.clone()),
    }
}

fn occurs_once(pods: WorkloadView<'_>, listener: &Listener, name: &String) -> bool {
    let declared = pods.template.running().flat_map(|(_, c)| c.ports.iter().flatten());
    let declared = declared.filter(|port| port.name.as_ref() == Some(name)).count();
    declared + usize::from(listener.declared.is_none()) == 1
}
