//! Simulates how Crossplane reads the image of a package: the search for `package.yaml`, and the errors.

mod cache;
mod check_options;
mod content;
mod content_check;
mod crd;
mod era;
mod findings;
mod image;
mod lint;
mod lookup;
mod package_name;
mod package_report;
mod ranges;
mod refused_field;
mod whole_name;

pub use cache::{cache_file, file_of_release, pre_cached_file};
pub use check_options::{CheckOptions, Depth};
pub use content::{Dependency, PackageMeta};
pub use content_check::ReleaseResult;
pub use crd::{CrdFault, crd_faults};
pub use era::{ERAS, Era};
pub use findings::{About, Finding};
pub use image::{FetchError, PackageImage, platforms};
pub use package_name::{certain_refusal, name_refusal, validates_names};
pub use package_report::{PackageReport, check_package, package_yaml};
pub use ranges::library;
pub use whole_name::whole_name;
