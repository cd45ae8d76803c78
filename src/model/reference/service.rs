//! Services: target ports, and annotations that name a port of the pods.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::catalog;
use crate::model::facts::{AppliesTo, Count, Effect, FieldPort, PortField, Service, ServicePort};
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use crate::model::text::{Labels, listed_ports, mentioned_ports};
use lossless_yaml::Path;

/// The port fields of a Service.
pub(in crate::model) fn fields(meta: &Meta, service: &Service) -> Vec<PortField> {
    let mut found: Vec<PortField> =
        service.ports.iter().enumerate().filter_map(|(index, port)| target(index, port)).collect();
    let metadata = Path::root().key("metadata");
    found.extend(annotations(&metadata, &meta.annotations));
    let own: Vec<u16> = service.ports.iter().filter_map(|port| port.port).collect();
    found.extend(unknown_annotations(&metadata, &meta.annotations, &own));
    found
}

/// Returns the field of a Service port with the number or name of the port of the pods.
fn target(index: usize, port: &ServicePort) -> Option<PortField> {
    let (field, named, value) = match (port.target_number(), &port.placeholder, &port.target) {
        (Some(number), _, target) => {
            let value = target.clone().unwrap_or_else(|| Scalar::string(&number.to_string()));
            ("targetPort", FieldPort::Numbers(number..=number), value)
        }
        (None, Some((field, text)), _) => (*field, FieldPort::Later, Scalar::string(text)),
        (None, None, Some(target)) => match FieldPort::parse(&target.text) {
            // Clients of a headless Service dial the number, even if `targetPort` is a name.
            None => ("targetPort", FieldPort::Named, target.clone()),
            Some((named, _)) => ("targetPort", named, target.clone()),
        },
        (None, None, None) => return None,
    };
    Some(PortField {
        path: port.path.key(field),
        range: 0..value.text.len(),
        value,
        port: named,
        protocol: Some(port.protocol.clone()),
        applies_to: Arc::new(AppliesTo::AllPods),
        effect: Effect::Target(index),
    })
}

/// Annotations whose value is a port of the pods or a list of them, of a template or a Service.
pub(in crate::model) fn annotations(metadata: &Path, annotations: &Labels) -> Vec<PortField> {
    let mut found = Vec::new();
    for key in catalog::PORT_ANNOTATIONS {
        let Some(text) = annotations.get(key) else { continue };
        let path = metadata.key("annotations").key(*key);
        let listed = listed_ports(text);
        if listed.is_empty()
            && let Some((port, range)) = FieldPort::parse(text)
        {
            found.push(annotation(&path, text, port, range, Effect::Follows(Count::All)));
        } else if listed.is_empty() {
            found.extend(blocks(
                &path,
                text,
                &format!("`{text}` contains the port in a form that hostnet does not edit"),
            ));
        }
        found.extend(listed.into_iter().map(|number| {
            let port = FieldPort::Numbers(number.port..=number.port);
            annotation(&path, text, port, number.range, Effect::Follows(Count::All))
        }));
    }
    found
}

/// Other annotations that name a port, without a known edit. A port of the Service itself is not a reference to pods.
pub(in crate::model) fn unknown_annotations(metadata: &Path, all: &Labels, own_ports: &[u16]) -> Vec<PortField> {
    let is_known = |key: &str| {
        let is_check = catalog::HEALTH_CHECKS.iter().any(|check| check.key == key);
        is_check || catalog::PORT_ANNOTATIONS.contains(&key)
    };
    let mut found = Vec::new();
    for (key, text) in all.iter().filter(|(key, _)| !is_known(key) && is_port_annotation(key)) {
        let path = metadata.key("annotations").key(key.to_owned());
        let reason = format!("annotation `{key}` names the port, and its format is not known");
        found.extend(
            blocks(&path, text, &reason).filter(|field| !own_ports.iter().any(|number| field.port.has(*number))),
        );
    }
    found
}

/// False for annotations of function hosts and of `kubectl`: they contain whole objects or positions, never a reference
/// to a port.
fn is_port_annotation(key: &str) -> bool {
    !(key.contains("config.kubernetes.io/")
        || key.contains("config.k8s.io/")
        || key.starts_with("kubectl.kubernetes.io/"))
}

/// Ports that a text mentions; each blocks the move of its listener.
fn blocks(path: &Path, text: &str, reason: &str) -> impl Iterator<Item = PortField> {
    let numbers: BTreeSet<u16> = mentioned_ports(text).collect();
    numbers.into_iter().map(move |number| {
        let port = FieldPort::Numbers(number..=number);
        annotation(path, text, port, 0..text.len(), Effect::Blocks(reason.to_owned()))
    })
}

fn annotation(path: &Path, text: &str, port: FieldPort, range: Range<usize>, effect: Effect) -> PortField {
    let applies_to = Arc::new(AppliesTo::AllPods);
    PortField { path: path.clone(), value: Scalar::string(text), range, port, protocol: Some(TCP), applies_to, effect }
}
