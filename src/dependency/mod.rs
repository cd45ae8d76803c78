//! Dependencies of Crossplane packages: names with versions or ranges, and the versions that a range includes.

mod needed;
mod range;
mod range_version;

pub use needed::{NeededPackage, needed_package};
pub use range::{Library, boundaries, in_range, newest, range_error};
pub use range_version::chart_version;
