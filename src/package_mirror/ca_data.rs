//! ConfigMaps of the input that may contain the certificates of the mirror.

use crate::model::Meta;
use crate::model::text::is_placeholder;
use lossless_yaml::NodeRef;

/// The first line of each certificate in a file.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";

/// Start of a value that SOPS encrypted: getsops/sops@v3.9.0 `aes/cipher.go`, `Encrypt`.
const ENCRYPTED: &str = "ENC[";

/// Labels and annotations of ConfigMaps whose data controllers write: `OpenShift`'s operators of networks and of service
/// certificates, mittwald/kubernetes-replicator (`replicate/common/consts.go`), and emberstack/kubernetes-reflector
/// (`README.md`, "Create mirror").
const CONTROLLER_FILLED_KEYS: [&str; 4] = [
    "config.openshift.io/inject-trusted-cabundle",
    "service.beta.openshift.io/inject-cabundle",
    "replicator.v1.mittwald.de/replicate-from",
    "reflector.v1.k8s.emberstack.com/reflects",
];

/// A ConfigMap, with its keys.
#[derive(Debug, Clone)]
pub(super) struct CaData {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    /// Each key; false if its value contains no certificate.
    keys: Vec<(String, bool)>,
}

impl CaData {
    /// Reads a ConfigMap; `None` for other objects, and for a ConfigMap whose data a controller writes.
    pub(super) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Self> {
        if !meta.gvk.group.is_empty() || meta.gvk.kind != "ConfigMap" {
            return None;
        }
        if CONTROLLER_FILLED_KEYS
            .iter()
            .any(|key| [&meta.labels, &meta.annotations].iter().any(|map| map.get(key).is_some()))
        {
            return None;
        }
        let keys = ["data", "binaryData"].into_iter().flat_map(|field| {
            let entries = node.get(field).into_iter().flat_map(NodeRef::entries);
            entries.filter_map(move |(key, value)| {
                let text = value.text().unwrap_or_default();
                let is_hidden = text.starts_with(ENCRYPTED) || is_placeholder(text);
                let may_be = field == "binaryData" || text.contains(CERTIFICATE) || is_hidden;
                Some((key.text()?.to_owned(), may_be))
            })
        });
        Some(Self { name: meta.name.clone(), namespace: meta.namespace.clone(), keys: keys.collect() })
    }

    /// Reason why the core cannot read certificates from this key; `None` if it can.
    pub(super) fn obstacle(&self, key: &str) -> Option<String> {
        match self.keys.iter().find(|(known, _)| known == key) {
            Some((_, true)) => None,
            Some((_, false)) => Some(format!(
                "its key {key} contains no certificate in PEM form (`{CERTIFICATE}`), and the core ends at its start"
            )),
            None if self.keys.is_empty() => Some(format!("it has no key {key}, and the pod of the core waits for it")),
            None => {
                let keys: Vec<&str> = self.keys.iter().map(|(key, _)| key.as_str()).collect();
                Some(format!("it has no key {key}, and the pod of the core waits for it; it has {}", keys.join(", ")))
            }
        }
    }
}
