//! Patches of subsets of pods: OpenKruise's `UnitedDeployment` and `WorkloadSpread`.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/uniteddeployment_types.go` (`topology.subsets[].patch`) and
//! `workloadspread_types.go` (`subsets[].patch`): any fields of a pod, which no webhook of `UnitedDeployment`
//! validates.

use crate::model::id::ObjectId;
use crate::model::meta::Meta;
use crate::model::text::numbers_by_line;
use lossless_yaml::{NodeRef, Path};

/// Fields of subset patches that concern the host network.
#[derive(Debug, Clone)]
pub struct SubsetPatches {
    /// Path and value of each field that concerns the host network, ports, or probes.
    pub fields: Vec<(Path, String)>,
    /// Numbers in commands, arguments and variables that may be ports: path, text and number.
    pub numbers: Vec<(Path, String, u16)>,
    /// Path of the first patch, even without any of these fields.
    pub first: Path,
    /// Kind and name of the workload whose pods are patched; `None` if the object with the patches is the workload.
    pub target: Option<(String, String)>,
}

/// Pod fields about the host network, ports, or clients of ports.
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

/// Fields of a container whose texts may hold a port of its process.
const TEXTS: [&str; 3] = ["args", "command", "env"];

impl SubsetPatches {
    /// Reads the patches of an object; `None` without patch or target.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let (mut fields, mut numbers, mut first) = (Vec::new(), Vec::new(), None);
        let target = object.lookup(&Path::dotted("spec.targetRef"));
        let target = |key: &str| Some(target?.get(key)?.text()?.to_owned());
        let target = target("kind").zip(target("name"));
        if meta.gvk.kind == "WorkloadSpread" && target.is_none() {
            return None;
        }
        for list in ["spec.topology.subsets", "spec.subsets"].map(Path::dotted) {
            for (index, subset) in object.lookup(&list).into_iter().flat_map(NodeRef::items).enumerate() {
                let name = subset.get("name").and_then(NodeRef::text);
                if let Some(patch) = subset.get("patch") {
                    let path = list.named_item(index, name).key("patch");
                    below(patch, &path, &mut fields, &mut numbers);
                    if first.is_none() && patch.is_mapping() {
                        first = Some(path);
                    }
                }
            }
        }
        Some(Self { fields, numbers, first: first?, target })
    }

    /// True if the pods of `workload` are patched. `own` is the object that has the patches.
    pub fn is_about(&self, own: (ObjectId, &Meta), workload: (ObjectId, &Meta)) -> bool {
        let ((id, patching), (workload_id, meta)) = (own, workload);
        match &self.target {
            None => id == workload_id,
            Some((kind, name)) => meta.namespace == patching.namespace && meta.gvk.kind == *kind && meta.name == *name,
        }
    }
}

/// Collects the fields in `FIELDS` and the numbers in texts below a node.
fn below(node: NodeRef<'_, '_>, path: &Path, found: &mut Vec<(Path, String)>, numbers: &mut Vec<(Path, String, u16)>) {
    for (index, item) in node.items().enumerate() {
        let name = item.get("name").and_then(NodeRef::text);
        below(item, &path.named_item(index, name), found, numbers);
    }
    for (key, value) in node.entries() {
        let Some(key) = key.text() else { continue };
        let path = path.key(key.to_owned());
        if FIELDS.contains(&key) {
            found.push((path, value.text().unwrap_or_default().to_owned()));
        } else if TEXTS.contains(&key) {
            texts(value, &path, numbers);
        } else {
            below(value, &path, found, numbers);
        }
    }
}

/// Adds the numbers in all texts below a field.
fn texts(node: NodeRef<'_, '_>, path: &Path, numbers: &mut Vec<(Path, String, u16)>) {
    for (index, item) in node.items().enumerate() {
        let name = item.get("name").and_then(NodeRef::text);
        texts(item, &path.named_item(index, name), numbers);
    }
    for (key, value) in node.entries() {
        if let Some(key) = key.text() {
            texts(value, &path.key(key.to_owned()), numbers);
        }
    }
    let Some(text) = node.text() else { return };
    numbers.extend(numbers_by_line(text).into_iter().map(|(_, port)| (path.clone(), text.to_owned(), port)));
}
