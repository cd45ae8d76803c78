//! Services: target ports, and annotations that name a port of the pods.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::catalog;
use crate::model::facts::{AppliesTo, Count, Effect, FieldPort, PortField, Service, ServicePort};
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use crate::model::text::{Labels, Name, Number, is_alone, listed_ports, literal_host_kind, numbers};
use lossless_yaml::Path;

/// The port fields of a Service.
pub(in crate::model) fn fields(meta: &Meta, service: &Service) -> Vec<PortField> {
    let mut found: Vec<PortField> =
        service.ports.iter().enumerate().filter_map(|(index, port)| target(index, port, service.headless)).collect();
    let metadata = Path::root().key("metadata");
    found.extend(annotations(&metadata, &meta.annotations));
    let of_pods = |host: &str, _: u16| host.split('.').next() == Some(meta.name.as_str());
    let unknown = unknown_annotations(&metadata, &meta.annotations, |_| true, of_pods);
    found.extend(without_service_port_numbers(unknown, service));
    found
}

/// Returns the fields whose number is not a port of the Service itself: a port of a Service does not refer to pods.
pub(in crate::model) fn without_service_port_numbers(fields: Vec<PortField>, service: &Service) -> Vec<PortField> {
    let own: Vec<u16> = service.ports.iter().filter_map(|port| port.port).collect();
    fields.into_iter().filter(|field| !own.iter().any(|number| field.port.has(*number))).collect()
}

/// Returns the field of a Service port with the number of the port of the pods. Clients of a headless Service dial the
/// number, even if `targetPort` is a name; the name in another Service stays right.
fn target(index: usize, port: &ServicePort, headless: bool) -> Option<PortField> {
    let (field, named, value) = match (port.target_number(), &port.placeholder, &port.target) {
        (Some(number), _, target) => {
            let value = target.clone().unwrap_or_else(|| Scalar::string(&number.to_string()));
            ("targetPort", FieldPort::Numbers(number..=number), value)
        }
        (None, Some((field, text)), _) => (*field, FieldPort::Later, Scalar::string(text)),
        (None, None, Some(target)) => match FieldPort::parse(&target.text) {
            None if headless => ("targetPort", FieldPort::Named, target.clone()),
            None => return None,
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

/// Reads the annotations of a template or a Service whose value is a port of the pods or a list of such ports.
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
            let reason = format!("`{text}` contains the port in a form that hostnet does not edit");
            found.extend(blocks(&path, text, &reason, |_, _| true));
        }
        found.extend(listed.into_iter().map(|number| {
            let port = FieldPort::Numbers(number.port..=number.port);
            annotation(&path, text, port, number.range, Effect::Follows(Count::All))
        }));
    }
    for (key, text) in annotations.iter().filter(|(key, _)| is_autodiscovery(key)) {
        let path = metadata.key("annotations").key(key.to_owned());
        let own = numbers(text).filter(|number| is_alone(text, number) && follows_pod_address(text, number));
        found.extend(own.map(|number| {
            let port = FieldPort::Numbers(number.port..=number.port);
            annotation(&path, text, port, number.range, Effect::Follows(Count::All))
        }));
    }
    found
}

/// True for an annotation with the checks that Datadog's agent makes of the pods. The checks of `service` dial the Service.
///
/// Source: DataDog/datadog-agent 7.60.0 `comp/core/autodiscovery/configresolver/configresolver.go`, `getHost`.
fn is_autodiscovery(key: &str) -> bool {
    key.strip_prefix("ad.datadoghq.com/").is_some_and(|check| !check.starts_with("service."))
}

/// True for a port number after `%%host%%`, the variable for the address of the pod.
fn follows_pod_address(text: &str, number: &Number) -> bool {
    let host = text.get(..number.range.start).and_then(|before| before.strip_suffix("%%:"));
    host.and_then(|before| before.rsplit("%%").next()).is_some_and(|name| name == "host" || name.starts_with("host_"))
}

/// Other annotations that name a port of the pods, without a known edit. `is_wanted` takes the name of an annotation;
/// `of_pods` returns false for the host and port of another program.
pub(in crate::model) fn unknown_annotations(
    metadata: &Path,
    all: &Labels,
    is_wanted: impl Fn(&Name) -> bool,
    of_pods: impl Fn(&str, u16) -> bool,
) -> Vec<PortField> {
    let is_known = |key: &str| {
        let is_check = catalog::HEALTH_CHECKS.iter().any(|check| check.key == key);
        is_check || catalog::PORT_ANNOTATIONS.contains(&key)
    };
    let mut found = Vec::new();
    for (key, text) in all.iter().filter(|(key, _)| !is_known(key) && is_port_annotation(key)) {
        let path = || metadata.key("annotations").key(key.to_owned());
        found.extend(numbers_in_key(key).map(|number| {
            let port = FieldPort::Numbers(number..=number);
            let reason = format!("the key of annotation `{key}` contains the port, and its format is not known");
            annotation(&path(), text, port, 0..text.len(), Effect::Blocks(reason))
        }));
        let name = Name::new(key.rsplit('/').next().unwrap_or(key));
        if name.is_not_own_port_annotation() || !is_wanted(&name) {
            continue;
        }
        let reason = format!("annotation `{key}` names the port, and its format is not known");
        found.extend(blocks(&path(), text, &reason, &of_pods));
    }
    found
}

/// Numbers that are whole parts of the key of an annotation: `io.opentelemetry.discovery.metrics.8080/enabled`.
///
/// Source: open-telemetry/opentelemetry-collector-contrib `receiver/receivercreator/README.md`, whose keys name a declared
/// port of a container.
fn numbers_in_key(key: &str) -> impl Iterator<Item = u16> {
    key.split(['.', '/', '-', '_']).filter_map(|part| part.parse().ok())
}

/// False for annotations of function hosts and of `kubectl`: they contain whole objects or positions, never a reference
/// to a port.
fn is_port_annotation(key: &str) -> bool {
    !(key.contains("config.kubernetes.io/")
        || key.contains("config.k8s.io/")
        || key.starts_with("kubectl.kubernetes.io/"))
}

/// Ports of the pods that a text mentions; each blocks the move of its listener.
fn blocks(
    path: &Path,
    text: &str,
    reason: &str,
    of_pods: impl Fn(&str, u16) -> bool,
) -> impl Iterator<Item = PortField> {
    let is_own = |number: &Number| match place_of(text, number.range.start) {
        NumberPosition::PartOfUrl => false,
        _ if follows_pod_address(text, number) => false,
        NumberPosition::After(host) => literal_host_kind(host).is_some() || of_pods(host, number.port),
        NumberPosition::Other => true,
    };
    let numbers = numbers(text).filter(|number| is_alone(text, number) && is_own(number));
    let numbers: BTreeSet<u16> = numbers.map(|number| number.port).collect();
    numbers.into_iter().map(move |number| {
        let port = FieldPort::Numbers(number..=number);
        annotation(path, text, port, 0..text.len(), Effect::Blocks(reason.to_owned()))
    })
}

/// Position of a number in a text.
enum NumberPosition<'t> {
    /// Number in the path of a URL, or after `#`, like the number of a pull request.
    PartOfUrl,
    /// After a host and a colon, in a URL or with several labels.
    After(&'t str),
    /// Anywhere else.
    Other,
}

/// Returns the position of the port number that starts at `at`.
fn place_of(text: &str, at: usize) -> NumberPosition<'_> {
    let before = text.get(..at).unwrap_or_default();
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '(' | '<')).next();
    let word = word.unwrap_or_default();
    let authority = word.split_once("://").map(|(_, rest)| rest);
    if word.ends_with('#') || authority.is_some_and(|rest| rest.contains('/') && !rest.contains('?')) {
        return NumberPosition::PartOfUrl;
    }
    let host = authority.unwrap_or(word).strip_suffix(':').map(|host| host.rsplit(['@', '=']).next().unwrap_or(host));
    match host.filter(|host| !host.contains(['$', '{'])) {
        Some(host) if authority.is_some() || host.contains('.') => NumberPosition::After(host),
        _ => NumberPosition::Other,
    }
}

/// Creates the port field for a number in an annotation.
fn annotation(path: &Path, text: &str, port: FieldPort, range: Range<usize>, effect: Effect) -> PortField {
    let applies_to = Arc::new(AppliesTo::AllPods);
    PortField { path: path.clone(), value: Scalar::string(text), range, port, protocol: Some(TCP), applies_to, effect }
}
