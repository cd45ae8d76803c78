//! Patches of subsets of pods: OpenKruise's `UnitedDeployment` and `WorkloadSpread`.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/uniteddeployment_types.go` (`topology.subsets[].patch`) and
//! `workloadspread_types.go` (`subsets[].patch`): any fields of a pod, which no webhook of `UnitedDeployment` looks into.

use crate::yaml::{NodeRef, Path};

/// What patches say of the host network.
#[derive(Debug, Clone)]
pub struct Patches {
    /// Each field that concerns it: path and value.
    pub fields: Vec<(Path, String)>,
    /// The first patch, whatever it says, of a `WorkloadSpread`; and kind and name of the workload that it is about.
    pub first: Option<(Path, String, String)>,
}

/// Fields of a pod that are about the host network, its ports, or who dials them.
const FIELDS: [&str; 8] = [
    "hostNetwork",
    "hostPort",
    "containerPort",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "dnsPolicy",
    "hostUsers",
];

impl Patches {
    pub(super) fn of(object: NodeRef<'_, '_>) -> Option<Self> {
        let (mut fields, mut first) = (Vec::new(), None);
        let target = object.lookup(&Path::dotted("spec.targetRef"));
        let target = |key: &str| Some(target?.get(key)?.text()?.to_owned());
        for list in ["spec.topology.subsets", "spec.subsets"].map(Path::dotted) {
            for (index, subset) in object.lookup(&list).into_iter().flat_map(NodeRef::items).enumerate() {
                let name = subset.get("name").and_then(NodeRef::text);
                if let Some(patch) = subset.get("patch") {
                    let path = list.named_item(index, name).key("patch");
                    below(patch, &path, &mut fields);
                    if first.is_none() && patch.is_mapping() {
                        first = target("kind").zip(target("name")).map(|(kind, name)| (path, kind, name));
                    }
                }
            }
        }
        (!fields.is_empty() || first.is_some()).then_some(Self { fields, first })
    }
}

fn below(node: NodeRef<'_, '_>, path: &Path, found: &mut Vec<(Path, String)>) {
    for (index, item) in node.items().enumerate() {
        let name = item.get("name").and_then(NodeRef::text);
        below(item, &path.named_item(index, name), found);
    }
    for (key, value) in node.entries() {
        let Some(key) = key.text() else { continue };
        let path = path.key(key.to_owned());
        if FIELDS.contains(&key) {
            found.push((path, value.text().unwrap_or_default().to_owned()));
        } else {
            below(value, &path, found);
        }
    }
}
