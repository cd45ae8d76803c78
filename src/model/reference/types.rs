//! References to a port, and the effect of a move on each.

use std::borrow::Cow;
use std::sync::Arc;

use super::transports::ListenerMatch;
use crate::model::facts::{Count, PolicyRule};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::pod::Scalar;
use crate::model::text::TextPlace;
use lossless_yaml::Path;

/// A reference to a listener's number.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A field whose whole value is the port number: probes, hooks, annotations, monitors.
    Field {
        /// The object with the field.
        object: ObjectId,
        /// The field.
        path: Path,
        /// The value of the field.
        value: Scalar,
        /// Workloads that the text applies to: all must move to the same port number.
        others: AffectedWorkloads,
    },
    /// The number inside a text: an address of the pod itself, a flag of an exec probe.
    Text {
        /// The object that has the text.
        object: ObjectId,
        /// Position of the port number.
        place: TextPlace,
        /// Workloads that the text applies to: all must move to the same port number.
        others: AffectedWorkloads,
    },
    /// Text that refers to one of several listeners with the port number and with different protocols, without showing
    /// to which one. All of these listeners move to the same number, or none of them moves.
    Either {
        /// The object that has the text.
        object: ObjectId,
        /// Position of the port number.
        place: TextPlace,
        /// Workloads that the text applies to: all must move to the same port number.
        others: AffectedWorkloads,
        /// The protocols of the other listeners.
        protocols: Vec<Cow<'static, str>>,
    },
    /// A port that a network policy opens.
    PolicyPort(PolicyPort),
    /// Port of a policy that may apply to the listener: reported, without an effect on the move.
    PossiblePolicyPort {
        /// The policy.
        object: ObjectId,
        /// The path of the port.
        path: Path,
        /// The rule.
        rule: Arc<PolicyRule>,
    },
    /// A target port of a Service.
    Target(ServiceTarget),
    /// Reference that cannot be moved and blocks the move.
    Blocking {
        /// Object that has the reference.
        object: ObjectId,
        /// Path of the reference.
        path: Path,
        /// Reason against the move, as a clause after "because".
        why: String,
    },
    /// Possible reference: it is reported and does not block the move.
    Seen {
        /// Object that has the reference.
        object: ObjectId,
        /// Path of the reference.
        path: Path,
        /// Description of the reference.
        what: String,
    },
}

impl Reference {
    /// Reference to a port number inside a text; `None` if the text refers to a listener with another protocol.
    pub(in crate::model) fn text(
        object: ObjectId,
        place: TextPlace,
        others: AffectedWorkloads,
        listener_match: ListenerMatch,
    ) -> Option<Self> {
        match listener_match {
            ListenerMatch::Own => Some(Self::Text { object, place, others }),
            ListenerMatch::Either(protocols) => Some(Self::Either { object, place, others, protocols }),
            ListenerMatch::Another => None,
        }
    }

    /// Object and field of a reference that is only reported.
    pub(super) fn reported_object_and_path(&self) -> Option<(ObjectId, Path)> {
        match self {
            Self::Seen { object, path, .. } => Some((*object, path.clone())),
            _ => None,
        }
    }

    /// Object and field of a reference that is reported or blocks the move.
    pub(super) fn unchanged(&self) -> Option<(ObjectId, Path)> {
        match self {
            Self::Seen { object, path, .. } | Self::Blocking { object, path, .. } => Some((*object, path.clone())),
            _ => None,
        }
    }

    /// Object and text with the port number.
    pub(in crate::model) fn text_object_and_path(&self) -> Option<(ObjectId, Path)> {
        match self {
            Self::Text { object, place, .. } | Self::Either { object, place, .. } => {
                Some((*object, place.path.clone()))
            }
            _ => self.unchanged(),
        }
    }

    /// The path of a reference in the pod template itself: a probe, a text or a variable.
    pub(super) fn pod_template_path(&self) -> Option<&Path> {
        match self {
            Self::Field { path, .. } | Self::Blocking { path, .. } | Self::Seen { path, .. } => Some(path),
            Self::Text { place, .. } | Self::Either { place, .. } => Some(&place.path),
            Self::PolicyPort(_) | Self::PossiblePolicyPort { .. } | Self::Target(_) => None,
        }
    }
}

/// Workloads that a reference applies to; may include the workload of the listener.
#[derive(Debug, Clone, Default)]
pub struct AffectedWorkloads {
    /// The workloads.
    pub workloads: Arc<[WorkloadId]>,
    /// Selects the workloads that count.
    pub count: Count,
}

impl From<Vec<WorkloadId>> for AffectedWorkloads {
    fn from(workloads: Vec<WorkloadId>) -> Self {
        Self { workloads: workloads.into(), count: Count::All }
    }
}

/// A target port of a Service that leads to a listener by number.
#[derive(Debug, Clone)]
pub struct ServiceTarget {
    /// The Service.
    pub service: ObjectId,
    /// The port of the Service.
    pub port: Path,
    /// Path of `targetPort`; shared by all references to the port.
    pub path: Path,
    /// `targetPort`; `None` if missing.
    pub target: Option<Scalar>,
    /// The pod templates that the Service selects.
    pub templates: Arc<[WorkloadId]>,
    /// A port name that refers only to this listener in every template that the Service selects.
    pub name: Option<String>,
    /// `clusterIP: None`: clients dial the port number itself.
    pub headless: bool,
}

/// A port that a rule of a network policy opens.
#[derive(Debug, Clone)]
pub struct PolicyPort {
    /// The policy.
    pub object: ObjectId,
    /// The path of `port`.
    pub path: Path,
    /// `port`
    pub value: Scalar,
    /// True if the rule opens a range.
    pub is_range: bool,
    /// The rule.
    pub rule: Arc<PolicyRule>,
    /// Workloads whose pods the rule applies to; workloads with the port number must all move to the same number.
    pub others: Arc<[WorkloadId]>,
}
