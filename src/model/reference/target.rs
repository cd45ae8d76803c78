//! Target ports of Services.

use super::health_check;
use super::named_port::NamedPort;
use super::pod_fields::AllPods;
use super::types::{Reference, ServiceTarget};
use crate::model::facts::{FieldPort, Reach};
use crate::model::listener::{Listener, WorkloadView};
use crate::model::pod::PodTemplate;

/// Text about a field that applies to the pods only if a missing namespace is filled in.
pub(in crate::model) fn possible_match_message(listener: &Listener, port_description: &str) -> String {
    format!("{} is {port_description} with these labels, and only one of the two has a namespace,", listener.number)
}

/// A target port of a Service; `None` if the target is not the listener.
pub(in crate::model) fn target(
    all: &AllPods<'_>,
    pods: WorkloadView<'_>,
    named: &NamedPort<'_>,
    index: usize,
    listener: &Listener,
) -> Option<Reference> {
    // A Service and a pod may have thousands of ports each.
    if matches!(named.field.port, FieldPort::Numbers(_)) && !named.field.port.has(listener.number) {
        return None;
    }
    let (meta, service) = all.model.service(named.object)?;
    let port = service.ports.get(index)?;
    let by_name = service.headless && listener.name.is_some() && port.target_name() == listener.name.as_deref();
    let by_number = port.target_number() == Some(listener.number);
    if port.protocol != listener.protocol || !(by_number || by_name) {
        return None;
    }
    if named.reach == Reach::Maybe {
        let what = match port.target_name() {
            Some(name) => possible_match_message(
                listener,
                &format!("the port that clients dial as `{name}` of a headless Service"),
            ),
            None => possible_match_message(listener, "a target port"),
        };
        return Some(Reference::Seen { object: named.object, path: port.path.clone(), what });
    }
    let templates = all.audience(&named.subject).sure;
    let alone = |name: &String| {
        let means_another = |template: &PodTemplate| {
            let ports = template.running().flat_map(|(_, c)| c.ports.iter().flatten());
            let mut named = ports.filter(|port| port.name.as_ref() == Some(name));
            let first = named.next().map(|port| (port.number(), port.protocol.as_ref()));
            first != Some((Some(listener.number), listener.protocol.as_ref())) || named.next().is_some()
        };
        let others = || {
            let all = templates.iter().copied().filter(|id| all.template(*id).is_some_and(means_another));
            all.take(2).collect()
        };
        is_port_name_unique(pods, listener, name)
            && all.differing((named.object, index, name), others).iter().all(|other| *other == pods.id)
    };
    let is_checked = || health_check::is_named(all.model, meta, port.name.as_deref());
    Some(Reference::Target(ServiceTarget {
        service: named.object,
        port: port.path.clone(),
        path: named.field.path.clone(),
        target: port.target.clone(),
        name: port_name_after_run(listener).filter(|name| by_name || alone(name)).filter(|_| by_name || !is_checked()),
        templates,
        headless: service.headless,
    }))
}

/// The port's name after the run: an undeclared port gets its label, a declared port without name stays unnamed.
fn port_name_after_run(listener: &Listener) -> Option<String> {
    match listener.declared {
        Some(_) => listener.name.clone(),
        None => Some(listener.label.clone()),
    }
}

/// True if only the listener's port has this name in the pod.
fn is_port_name_unique(pods: WorkloadView<'_>, listener: &Listener, name: &String) -> bool {
    let declared = pods.template.running().flat_map(|(_, c)| c.ports.iter().flatten());
    let declared = declared.filter(|port| port.name.as_ref() == Some(name)).count();
    declared + usize::from(listener.declared.is_none()) == 1
}
