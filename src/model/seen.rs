//! Port numbers that may be a listener's, in objects where nobody can tell or nobody can change them: they are reported (P5).

use std::borrow::Cow;

use super::listener::Listener;
use super::reference::{Pods, Reference};
use super::{Facts, Model};
use crate::yaml::Path;

/// A port number in an object that may be a listener's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPort {
    /// Where it stands.
    pub path: Path,
    /// The number.
    pub port: u16,
    /// Its protocol; none is any.
    pub protocol: Option<Cow<'static, str>>,
    /// What holds it, as messages write it.
    pub what: String,
    /// Whose it may be.
    pub whose: Whose,
}

/// Which pods a number may be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// Any: nothing says which.
    Anyone,
    /// Those of the object's namespace.
    Namespace,
    /// Those that read this key of the object, a Secret.
    Readers(String),
    /// Those of a workload of the object's namespace, of this kind and name.
    Workload(String, String),
}

/// The numbers of such objects that may mean a listener.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (id, object) in model.selecting() {
        let ports = match &object.facts {
            Facts::Caller(_, urls) => urls,
            Facts::Seen(ports) => ports,
            _ => continue,
        };
        let here = object.meta.namespace == pods.meta.namespace;
        let is_about = |whose: &Whose| match whose {
            Whose::Anyone => true,
            Whose::Namespace => here,
            Whose::Readers(key) => here && pods.template.secrets.iter().any(|used| used.has(&object.meta.name, key)),
            Whose::Workload(kind, name) => here && *kind == pods.meta.gvk.kind && *name == pods.meta.name,
        };
        let means = |seen: &&SeenPort| {
            let protocol = seen.protocol.as_ref();
            seen.port == listener.number && protocol.is_none_or(|protocol| *protocol == listener.protocol)
        };
        for seen in ports.iter().filter(means).filter(|seen| is_about(&seen.whose)) {
            found.push(Reference::Seen { object: id, path: seen.path.clone(), what: seen.what.clone() });
        }
    }
}
