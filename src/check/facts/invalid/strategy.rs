//! Update strategies that the API server refuses.
//!
//! Source: Kubernetes v1.36 `pkg/apis/apps/validation/validation.go` (`ValidateDeploymentStrategy`,
//! `ValidateDaemonSetUpdateStrategy`, `ValidateStatefulSetSpec`, `ValidatePositiveIntOrPercent`), and
//! `pkg/apis/apps/v1/defaults.go` for missing fields.

use super::scalar::{amount, enum_fault, mapping_fault};
use lossless_yaml::{NodeRef, Path};

/// Remedy for a strategy of an unknown type.
const TYPE: &str = "Write one of the supported values, or remove the field";

/// Remedy for a strategy that is not a mapping.
const MAPPING: &str = "Write the word as its `type`: `{type: Recreate}`, `{type: RollingUpdate}` or `{type: OnDelete}`";

/// Remedy for a rolling update that is not a mapping.
const AMOUNTS: &str = "Write `{maxUnavailable: 1}`";

/// Remedy for `rollingUpdate` in a strategy of another type.
const NO_ROLLING_UPDATE: &str = "Remove `rollingUpdate`";

/// Remedy for an invalid `maxSurge` or `maxUnavailable`.
const AMOUNT: &str = "Write a number from 0 without quotes, or a percentage such as 25%";

/// Remedy for a rolling update with `maxSurge` and `maxUnavailable` both 0, which cannot replace any pod.
const NOT_BOTH_ZERO: &str = "Set `maxUnavailable` or `maxSurge` to at least 1";

/// Remedy for a DaemonSet with `maxSurge` and `maxUnavailable` both above 0.
const SURGE_OR_UNAVAILABLE_REMEDY: &str = "Set `maxUnavailable: 0` next to `maxSurge`";

/// Kinds with the field and the types of their strategy.
const KINDS: [(&str, &str, [&str; 2]); 3] = [
    ("DaemonSet", "updateStrategy", ["OnDelete", ROLLING_UPDATE]),
    ("Deployment", "strategy", ["Recreate", ROLLING_UPDATE]),
    ("StatefulSet", "updateStrategy", ["OnDelete", ROLLING_UPDATE]),
];

const ROLLING_UPDATE: &str = "RollingUpdate";

/// An invalid field, with the reason and the remedy.
pub(super) type Fault = (Path, String, &'static str);

/// Returns the invalid fields of the update strategy of a workload at a path.
pub(super) fn strategy_faults(kind: &str, object: NodeRef<'_, '_>, path: &Path) -> Vec<Fault> {
    let Some((kind, field, types)) = KINDS.into_iter().find(|(known, ..)| kind == *known) else { return Vec::new() };
    let Some(strategy) = object.get("spec").and_then(|spec| spec.get(field)) else { return Vec::new() };
    let path = path.key("spec").key(field);
    let invalid = |path: Path, reason: String, remedy: &'static str| vec![(path, reason, remedy)];
    if let Some(reason) = mapping_fault(strategy) {
        return invalid(path, reason, MAPPING);
    }
    if let Some(reason) = strategy.get("rollingUpdate").and_then(mapping_fault) {
        return invalid(path.key("rollingUpdate"), reason, AMOUNTS);
    }
    if let Some(reason) = strategy.get("type").and_then(|value| enum_fault(value, &types)) {
        return invalid(path.key("type"), reason, TYPE);
    }
    let Some(rolling) = strategy.get("rollingUpdate").filter(|node| node.is_mapping()) else { return Vec::new() };
    let path = path.key("rollingUpdate");
    let is_rolling = match strategy.get("type").and_then(NodeRef::non_null_text) {
        None | Some("" | ROLLING_UPDATE) => true,
        Some("Recreate") => {
            let reason = "Forbidden: may not be specified when strategy `type` is 'Recreate'".to_owned();
            return invalid(path, reason, NO_ROLLING_UPDATE);
        }
        Some("OnDelete") if kind == "StatefulSet" => {
            let reason = "Invalid value: only allowed for updateStrategy 'RollingUpdate'".to_owned();
            return invalid(path, reason, NO_ROLLING_UPDATE);
        }
        Some(_) => false,
    };
    let [surge, unavailable] = ["maxSurge", "maxUnavailable"].map(|key| rolling.get(key).map(amount));
    let mut found = Vec::new();
    for (key, value) in [("maxSurge", &surge), ("maxUnavailable", &unavailable)] {
        if let Some(Err(reason)) = value {
            found.extend(invalid(path.key(key), reason.clone(), AMOUNT));
        }
    }
    if !found.is_empty() || !is_rolling {
        return found;
    }
    // True and false for a known number, `None` for a placeholder.
    let is_zero = |value: &Option<Result<Option<bool>, String>>, default: bool| match value {
        Some(Ok(is_zero)) => *is_zero,
        _ => Some(default),
    };
    let fault = match kind {
        "Deployment" if (is_zero(&surge, false), is_zero(&unavailable, false)) == (Some(true), Some(true)) => {
            Some(("maxUnavailable", "Invalid value: 0: may not be 0 when `maxSurge` is 0", NOT_BOTH_ZERO))
        }
        "DaemonSet" => match (is_zero(&surge, true), is_zero(&unavailable, false)) {
            (Some(true), Some(true)) => {
                Some(("maxUnavailable", "Required value: cannot be 0 when maxSurge is 0", NOT_BOTH_ZERO))
            }
            (Some(false), Some(false)) => Some((
                "maxSurge",
                "Invalid value: may not be set when maxUnavailable is non-zero",
                SURGE_OR_UNAVAILABLE_REMEDY,
            )),
            _ => None,
        },
        _ => None,
    };
    found.extend(fault.into_iter().flat_map(|(key, reason, remedy)| invalid(path.key(key), reason.to_owned(), remedy)));
    found
}
