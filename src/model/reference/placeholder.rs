//! Port fields whose number is filled in later.

use std::collections::BTreeSet;

use super::pod_fields::PodFields;
use crate::catalog;
use crate::model::facts::FieldPort;
use crate::model::id::ObjectId;
use crate::model::listener::{WorkloadView, declared, listens, loopback};
use crate::model::text::{may_become_port, variables};
use lossless_yaml::Path;

/// A port that is filled in later and may be a listener of the pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialled {
    /// The object with the placeholder.
    pub object: ObjectId,
    /// Path of the placeholder.
    pub path: Path,
    /// Text of the field.
    pub text: String,
    /// Relation of the placeholder to the pod.
    pub relation: Relation,
}

/// Relation of a port placeholder to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// A process listens on the port: a flag or variable sets it.
    Listens,
    /// A port of the pod is dialled, declared or not.
    Dialled,
    /// Port of a loopback address, or of an object outside of the pod: it may belong to another container.
    Elsewhere,
}

/// Placeholders for ports of these pods, in the pod template and in fields of other objects. Excludes declared ports
/// and texts with the variable of a declared port.
pub fn dialled(pods: WorkloadView<'_>, fields: &PodFields<'_>) -> Vec<Dialled> {
    let placeholders: BTreeSet<&str> = declared(pods.template).map(|port| port.text).collect();
    let known: BTreeSet<&str> = placeholders.iter().flat_map(|text| variables(text)).collect();
    let mut found = Vec::new();
    let mut add = |object: ObjectId, path: Path, text: &str, relation: Relation| {
        if !placeholders.contains(text) && !variables(text).any(|name| known.contains(name)) {
            found.push(Dialled { object, path, text: text.to_owned(), relation });
        }
    };
    for (_, container) in pods.template.running() {
        for probe in container.probes.iter().filter(|probe| probe.is_own() && may_become_port(&probe.port.text)) {
            add(pods.id.object, probe.path.clone(), &probe.port.text, Relation::Dialled);
        }
        let listens: Vec<_> = listens(container).collect();
        let is_listen_path = |path: &Path| listens.iter().any(|(_, listen_path, _)| listen_path == path);
        for (path, text) in loopback(container).filter(|(path, _)| !is_listen_path(path)) {
            add(pods.id.object, path, text, Relation::Elsewhere);
        }
        for (_, path, text) in &listens {
            add(pods.id.object, path.clone(), text, Relation::Listens);
        }
    }
    let annotations = |path: Path| path.key("metadata").key("annotations");
    for key in catalog::PORT_ANNOTATIONS {
        if let Some(text) = pods.template.annotations.get(key).filter(|text| may_become_port(text)) {
            add(pods.id.object, annotations(pods.template.path.clone()).key(*key), text, Relation::Dialled);
        }
    }
    for named in fields.iter().filter(|named| named.field.port == FieldPort::Later) {
        add(named.object, named.field.path.clone(), &named.field.value.text, Relation::Elsewhere);
    }
    found
}
