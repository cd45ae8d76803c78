//! Subsets of a workload's pods with separate nodes: OpenKruise's `UnitedDeployment`.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/uniteddeployment_types.go`, `Subset`: `nodeSelectorTerm`,
//! `tolerations` and `replicas`, a number or a percentage; `pkg/controller/uniteddeployment/allocator.go`: subsets
//! without `replicas` share the remaining pods evenly.

use super::placement::Placement;
use super::pod_count::parse_pod_count;
use lossless_yaml::{NodeRef, Path};

/// Kind with subsets: `UnitedDeployment`.
const KIND: (&str, &str) = ("apps.kruise.io", "UnitedDeployment");

/// A subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subset {
    /// Subset name.
    pub name: String,
    /// Number of pods; `None` if unknown.
    pub replicas: Option<u32>,
    /// Additional node requirements of the subset.
    pub placement: Option<Box<Placement>>,
}

/// Reads the subsets of an object; empty for an object without subsets.
pub(super) fn subsets(object: NodeRef<'_, '_>) -> Box<[Subset]> {
    let text = |key: &str| object.get(key).and_then(NodeRef::text);
    let group = text("apiVersion").and_then(|version| Some(version.rsplit_once('/')?.0));
    if group.zip(text("kind")) != Some(KIND) {
        return Box::default();
    }
    let written = object.get("spec").and_then(|spec| spec.get("replicas")).filter(|number| !number.is_null());
    let replicas = written.map_or(Some(1), parse_pod_count);
    let list: Vec<NodeRef<'_, '_>> =
        object.lookup(&Path::dotted("spec.topology.subsets")).into_iter().flat_map(NodeRef::items).collect();
    let written: Vec<SubsetSize> = list.iter().map(|subset| SubsetSize::read(*subset, replicas)).collect();
    let pods = |share: &SubsetSize| if let SubsetSize::Pods(pods) = share { *pods } else { Some(0) };
    let known = written.iter().map(pods).try_fold(0_u32, |all, pods| Some(all.saturating_add(pods?)));
    let without = u32::try_from(written.iter().filter(|share| **share == SubsetSize::Rest).count()).unwrap_or(u32::MAX);
    let rest = replicas.zip(known).map(|(all, known)| all.saturating_sub(known));
    // If the remaining pods cannot be divided evenly, the share of each subset depends on names and
    // order, so it is unknown.
    let share = rest.filter(|rest| without > 0 && rest % without == 0).map(|rest| rest / without);
    let read = |(subset, written): (NodeRef<'_, '_>, SubsetSize)| Subset {
        name: subset.get("name").and_then(NodeRef::text).unwrap_or_default().to_owned(),
        replicas: if let SubsetSize::Pods(pods) = written { pods } else { share },
        placement: Placement::from_subset(subset),
    };
    list.into_iter().zip(written).map(read).collect()
}

/// `replicas` of a subset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SubsetSize {
    /// Number of pods; `None` if unknown.
    Pods(Option<u32>),
    /// Equal share of the remaining pods.
    Rest,
}

impl SubsetSize {
    /// Reads the size of a subset; `workload_pods` is the number of pods of the whole workload.
    fn read(subset: NodeRef<'_, '_>, workload_pods: Option<u32>) -> Self {
        let Some(number) = subset.get("replicas").filter(|number| !number.is_null()) else { return Self::Rest };
        if number.as_go_int().is_some() {
            return Self::Pods(parse_pod_count(number));
        }
        let percent: Option<u32> = number.text().and_then(|text| text.strip_suffix('%')?.parse().ok());
        // Rounded to the nearest.
        Self::Pods(
            workload_pods.zip(percent).map(|(all, percent)| (all.saturating_mul(percent).saturating_add(50)) / 100),
        )
    }
}
