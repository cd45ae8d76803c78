//! Rollout strategy of an object: fields next to the pod template.

use super::pod_count::parse_pod_count;
use crate::catalog::{RolloutKind, rollout_of_kind, rollout_of_template};
use lossless_yaml::{NodeRef, Path, Step, Value};

/// The strategy of an object that replaces its pods step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollout {
    /// Field names and semantics of the strategy for this kind.
    pub kind: &'static RolloutKind,
    /// Path of the strategy in the object.
    pub path: Path,
    /// Strategy as written; `None` if absent.
    pub strategy: Option<Value>,
    /// Number of pods; 1 if `replicas` is missing. `None` if `replicas` is not a number; also if it is missing for a
    /// kind with one pod per node, or for a nested template, whose objects get `replicas` elsewhere.
    pub replicas: Option<u32>,
}

impl Rollout {
    /// Reads the rollout of the pods of the template at `template`; `None` for kinds without a step-by-step rollout.
    pub fn read(object: NodeRef<'_, '_>, template: &Path) -> Option<Box<Self>> {
        let (kind, inside) = separate_part(template).or_else(|| Some((rollout_kind(object)?, Path::root())))?;
        let path = inside.join(&Path::dotted(kind.strategy));
        let strategy = object.lookup(&path).and_then(NodeRef::to_value);
        let whole = Some(1).filter(|_| inside.last().is_none() && !kind.per_node);
        let spec = object.lookup(&inside.key("spec"));
        let written = spec.and_then(|spec| spec.get("replicas")).filter(|number| !number.is_null());
        let replicas = written.map_or(whole, parse_pod_count);
        Some(Box::new(Self { kind, path, strategy, replicas }))
    }
}

/// The part of an object around its pod template from which a controller creates a separate object.
fn separate_part(template: &Path) -> Option<(&'static RolloutKind, Path)> {
    let path = template.parent()?.parent()?;
    let Some(Step::Key(key)) = path.last() else { return None };
    let kind =
        rollout_of_template(key).filter(|_| path.join(&Path::dotted("spec.template")).is_same_place(template))?;
    Some((kind, path))
}

/// Catalogue row for the rollouts of the object's kind.
fn rollout_kind(object: NodeRef<'_, '_>) -> Option<&'static RolloutKind> {
    let text = |key: &str| object.get(key).and_then(NodeRef::text);
    let (group, _) = text("apiVersion")?.rsplit_once('/')?;
    rollout_of_kind(group, text("kind")?)
}
