//! Identifiers of objects and workloads: positions in the input.

/// An object of the input, by its position in reading order.
pub type ObjectId = usize;

/// A workload of the input: the pods of one template of an object.
///
/// ```
/// use hostnet::model::WorkloadId;
/// let workers = WorkloadId { object: 3, template: 1 };
/// assert!(WorkloadId::first(3) < workers);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkloadId {
    /// The object that holds the template.
    pub object: ObjectId,
    /// Position of the pod template in the object.
    pub template: usize,
}

impl WorkloadId {
    /// The first template of an object; most objects have only one template.
    pub fn first(object: ObjectId) -> Self {
        Self { object, template: 0 }
    }
}
