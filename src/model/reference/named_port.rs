//! Port fields outside of pod templates, each with the certainty that it applies to the pods.

use std::borrow::Cow;
use std::rc::Rc;

use crate::model::facts::{PortField, Reach};
use crate::model::id::ObjectId;

/// Port field that applies to some pods.
#[derive(Debug, Clone)]
pub struct NamedPort<'m> {
    /// The object with the field.
    pub object: ObjectId,
    /// The field.
    pub field: Cow<'m, PortField>,
    /// Certainty that the field applies to these pods.
    pub reach: Reach,
    pub(in crate::model) subject: Subject,
}

/// Pods that some fields apply to: pods of Services, or pods of a group of the index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::model) enum Subject {
    Services(Vec<ObjectId>),
    Group(usize),
}

/// Ports that the fields of an index group name, for all pods of the group.
pub(in crate::model) type Group<'m> = Rc<[NamedPort<'m>]>;
