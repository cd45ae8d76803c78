//! OpenKruise's `SidecarSet`: containers that are injected into selected pods.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/sidecarset_types.go`: `selector`, `namespace`,
//! `namespaceSelector`, `containers[]` and `initContainers[]` as in a pod; `pkg/webhook/sidecarset/validating`: an
//! empty selector is refused.

use super::scope::{Requirements, Scope};
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path};

/// `SidecarSet` whose containers have ports.
#[derive(Debug, Clone)]
pub struct SidecarSet {
    /// Labels of the selected pods. Do not use the namespaces of this scope: the fields below select them.
    pub pods: Scope,
    /// Namespace of the selected pods, if set.
    pub namespace: Option<String>,
    /// Labels of the namespaces of the selected pods, if set.
    pub namespaces: Option<Scope>,
    /// Ports: path, number and protocol.
    pub ports: Vec<(Path, u16, String)>,
    /// Ports with a host port of another number: path, number and host port.
    pub mapped: Vec<(Path, u16, u16)>,
}

impl SidecarSet {
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let (mut ports, mut mapped) = (Vec::new(), Vec::new());
        for list in ["containers", "initContainers"] {
            for (index, container) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
                // Plain init containers end before other containers listen.
                let always = container.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
                if list == "initContainers" && !always {
                    continue;
                }
                let name = container.get("name").and_then(NodeRef::text);
                let path = Path::root().key("spec").key(list).named_item(index, name).key("ports");
                for (index, port) in container.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
                    let number =
                        |key: &str| port.get(key).and_then(NodeRef::as_go_int).and_then(|n| u16::try_from(n).ok());
                    let (number, host) = (number("containerPort"), number("hostPort").filter(|host| *host > 0));
                    let name = port.get("name").and_then(NodeRef::text);
                    let differs = number.zip(host).filter(|(number, host)| number != host);
                    mapped.extend(differs.map(|(number, host)| (path.named_item(index, name), number, host)));
                    let protocol = port.get("protocol").and_then(NodeRef::non_null_text).unwrap_or("TCP").to_owned();
                    ports.extend(number.map(|number| (path.named_item(index, name), number, protocol)));
                }
            }
        }
        let selector = |key: &str| spec.get(key).filter(|selector| !selector.is_null());
        Some(Self {
            pods: Scope::own(Some(selector("selector")?), meta)?,
            namespace: spec.get("namespace").and_then(NodeRef::non_null_text).map(str::to_owned),
            namespaces: match selector("namespaceSelector") {
                Some(selector) => Some(Scope::own(Some(selector), meta)?),
                None => None,
            },
            ports,
            mapped,
        })
        // The webhook rejects an empty selector.
        .filter(|set| !set.ports.is_empty() && set.pods.selector != Requirements::default())
    }
}
