//! Fields that Kubernetes has at another level, or spells differently. With strict validation, the default of kubectl
//! and of server-side apply, the API server refuses them; without it, it drops them.

use super::InvalidFields;
use lossless_yaml::{NodeRef, Path};

/// Fields of a pod spec that are written next to it, or next to the template.
const POD_FIELDS: [&str; 4] = ["containers", "dnsPolicy", "hostNetwork", "initContainers"];

/// Remedy for such a field.
const POD_SPEC: &str = "Move it into the spec of the pod, next to `containers`";

/// Wrong names of fields of a pod spec, in lower case, with the right names.
const MISSPELLED: [(&str, &str, &str); 5] = [
    ("container", "containers", "Write `containers`"),
    ("containers", "containers", "Write `containers`"),
    ("dnspolicy", "dnsPolicy", "Write `dnsPolicy`"),
    ("hostnetwork", "hostNetwork", "Write `hostNetwork`"),
    ("initcontainers", "initContainers", "Write `initContainers`"),
];

/// Wrong names of fields of a container port, in lower case, with the right names.
const MISSPELLED_PORT: [(&str, &str, &str); 2] =
    [("hostip", "hostIP", "Write `hostIP`"), ("hostport", "hostPort", "Write `hostPort`")];

impl InvalidFields {
    /// Reports fields of a pod spec in the objects around it.
    pub(super) fn around_pod(&mut self, object: NodeRef<'_, '_>, template: &Path) {
        for path in [Some(template.clone()), template.parent()].into_iter().flatten() {
            let Some(node) = object.lookup(&path) else { continue };
            for key in POD_FIELDS.iter().filter(|key| node.get(key).is_some()) {
                self.unknown(&path, key, POD_SPEC);
            }
        }
    }

    /// Reports misspelled fields of a pod spec.
    pub(super) fn pod_names(&mut self, spec: NodeRef<'_, '_>, path: &Path) {
        self.misspelled(spec, path, &MISSPELLED);
    }

    /// Reports misspelled fields of a port of a container.
    pub(super) fn port_names(&mut self, port: NodeRef<'_, '_>, path: &Path) {
        self.misspelled(port, path, &MISSPELLED_PORT);
    }

    /// Adds the misspelled fields of a mapping. `names` has the wrong name, the right name and the remedy.
    fn misspelled(&mut self, node: NodeRef<'_, '_>, path: &Path, names: &[(&'static str, &'static str, &'static str)]) {
        for key in node.entries().filter_map(|(key, _)| key.text()) {
            let row = names.iter().find(|(wrong, right, _)| key.eq_ignore_ascii_case(wrong) && key != *right);
            if let Some((.., remedy)) = row {
                self.unknown(path, key, remedy);
            }
        }
    }

    /// Adds an unknown field.
    fn unknown(&mut self, path: &Path, key: &str, remedy: &'static str) {
        let path = path.key(key.to_owned());
        let reason = format!("unknown field \"{path}\"");
        self.push(path, reason, remedy);
    }
}
