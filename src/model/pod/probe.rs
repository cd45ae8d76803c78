//! Probes and lifecycle hooks: fields that dial a port of the pod, and commands that may dial it.

use super::read::{texts, without_spare};
use super::scalar::Scalar;
use crate::model::text::port;
use lossless_yaml::{NodeRef, Path};

/// Field that dials a port.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Path of the port in the object.
    pub path: Path,
    /// Port as written: a number or a declared name.
    pub port: Scalar,
    /// Host that is dialled; `None` for the pod's address.
    pub host: Option<String>,
}

const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];

const HOOKS: [&str; 2] = ["postStart", "preStop"];

const DIALLING_HANDLERS: [&str; 3] = ["httpGet", "tcpSocket", "grpc"];

/// Actions of probes and hooks: fields that dial a port, and commands with the paths of their lists.
pub(in crate::model) type Actions = (Vec<Probe>, Vec<(Path, Vec<String>)>);

/// Adds the actions of the probe or hook at `path`, if present.
pub(in crate::model) fn action(node: Option<NodeRef<'_, '_>>, path: &Path, found: &mut Actions) {
    let Some(node) = node else { return };
    for kind in DIALLING_HANDLERS {
        if let Some(action) = node.get(kind)
            && let Some(port) = action.get("port").and_then(Scalar::read)
        {
            let host = action.get("host").and_then(NodeRef::non_null_text).filter(|host| !host.is_empty());
            found.0.push(Probe { path: path.key(kind).key("port"), port, host: host.map(str::to_owned) });
        }
    }
    if let Some(command) = node.get("exec").and_then(|exec| exec.get("command")) {
        found.1.push((path.key("exec").key("command"), texts(command)));
    }
}

/// Probes and lifecycle hooks of a container.
pub(in crate::model) fn probes(container: NodeRef<'_, '_>, path: &Path) -> Actions {
    let mut found = Actions::default();
    for probe in PROBES {
        action(container.get(probe), &path.key(probe), &mut found);
    }
    let lifecycle = container.get("lifecycle");
    for hook in HOOKS {
        let node = lifecycle.and_then(|lifecycle| lifecycle.get(hook));
        action(node, &path.key("lifecycle").key(hook), &mut found);
    }
    (without_spare(found.0), found.1)
}

impl Probe {
    /// The dialled port number; `None` for a port name, and if the field dials another host.
    pub fn number(&self) -> Option<u16> {
        port(&self.port.text).filter(|_| self.is_own())
    }

    /// True if the field dials the pod itself.
    pub fn is_own(&self) -> bool {
        self.host.as_deref().is_none_or(|host| matches!(host, "127.0.0.1" | "localhost" | "::1"))
    }
}
