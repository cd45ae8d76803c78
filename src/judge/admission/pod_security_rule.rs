//! Kyverno rules with a Pod Security level.
//!
//! Source: kyverno/kyverno@111e07bbe pkg/pss/evaluate.go, pkg/pss/utils/mapping.go (names of controls),
//! `api/kyverno/v1/common_types.go` (`PodSecurityStandard`).

use super::answer::Answer;
use super::read::{glob, items, scalar, text, texts};
use super::subject::Subject;
use lossless_yaml::Value;

/// True if a level accepts the host fields of pods, apart from the excluded controls.
pub(super) fn accepts(subject: Subject<'_, '_>, level: &Value, excluded: &[&Value]) -> Answer {
    // Checking Pods is enough, because Kyverno generates the rules for their controllers from these rules.
    if !subject.is_pod() || !matches!(text(level, &["level"]), Some("baseline" | "restricted")) {
        return Answer::TRUE;
    }
    let exclusions = |control: &'static str| {
        excluded.iter().filter(move |exclusion| text(exclusion, &["controlName"]) == Some(control)).copied()
    };
    let has_value = |exclusion: &Value, value: &str| {
        let values: Vec<String> = items(exclusion, &["values"]).iter().filter_map(scalar).collect();
        values.is_empty() || values.iter().any(|pattern| glob(pattern, value))
    };
    let is_field =
        |value: &Value, end: &str| text(value, &["restrictedField"]).is_none_or(|field| field.ends_with(end));
    let pods = subject.pods;
    let mut controls = exclusions("Host Namespaces").filter(|exclusion| is_field(exclusion, "hostNetwork"));
    let network = !pods.host_network || controls.any(|control| has_value(control, "true"));
    let port = |image: &str, port: u16| {
        exclusions("Host Ports").filter(|exclusion| is_field(exclusion, "hostPort")).any(|exclusion| {
            let images = texts(exclusion, &["images"]);
            (images.is_empty() || images.iter().any(|pattern| glob(pattern, image)))
                && has_value(exclusion, &port.to_string())
        })
    };
    let mut ports = pods
        .containers
        .iter()
        .flat_map(|container| container.host_ports.iter().map(|port| (&*container.container.image, *port)));
    let ports = ports.all(|(image, number)| port(image, number));
    Answer::all([Answer::depends_on_host(network), Answer::depends_on_host(ports)])
}
