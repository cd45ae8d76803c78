//! Autoscalers, which set the replicas of workloads.

use lossless_yaml::NodeRef;

/// `HorizontalPodAutoscaler`, or `ScaledObject` of KEDA.
#[derive(Debug, Clone)]
pub struct Autoscaler {
    /// Kind and name of the scaled workload.
    pub target: (String, String),
    /// Minimum number of replicas.
    pub fewest: u32,
    /// Maximum number of replicas.
    pub most: u32,
}

impl Autoscaler {
    /// Reads a `HorizontalPodAutoscaler`.
    /// Source: kubernetes v1.36 `staging/src/k8s.io/api/autoscaling/v2/types.go`: `minReplicas` defaults to 1.
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        Self::with_keys(object, ["minReplicas", "maxReplicas"], 1)
    }

    /// Reads a `ScaledObject`; `None` without `maxReplicaCount`, because the default of 100 is not a choice of the
    /// author.
    /// Source: kedacore/keda v2.16 `apis/keda/v1alpha1/scaledobject_types.go`: the kind defaults to Deployment.
    pub(super) fn read_scaled_object(object: NodeRef<'_, '_>) -> Option<Self> {
        Self::with_keys(object, ["minReplicaCount", "maxReplicaCount"], 0)
    }

    fn with_keys(object: NodeRef<'_, '_>, [fewest, most]: [&str; 2], default: u32) -> Option<Self> {
        let spec = object.get("spec")?;
        let target = spec.get("scaleTargetRef")?;
        let text = |key: &str| target.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let number = |key: &str| spec.get(key).and_then(NodeRef::as_int).and_then(|number| u32::try_from(number).ok());
        Some(Self {
            target: (text("kind").unwrap_or_else(|| "Deployment".to_owned()), text("name")?),
            fewest: number(fewest).unwrap_or(default),
            most: number(most)?,
        })
    }
}
