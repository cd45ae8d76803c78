//! A port field that is about some pods.

use std::borrow::Cow;
use std::rc::Rc;

use crate::model::facts::{PortField, Reach};
use crate::model::id::ObjectId;

/// A port field that is about some pods.
#[derive(Debug, Clone)]
pub struct NamedPort<'m> {
    /// The object that has the field.
    pub object: ObjectId,
    /// The field.
    pub field: Cow<'m, PortField>,
    /// Whether it is about these pods.
    pub reach: Reach,
    pub(in crate::model) subject: Subject,
}

/// What some fields are about: the pods behind Services, or those of a group of the index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::model) enum Subject {
    Services(Vec<ObjectId>),
    Group(usize),
}

/// What the fields of a group of the index name, for all pods that it is about.
pub(in crate::model) type Group<'m> = Rc<[NamedPort<'m>]>;
