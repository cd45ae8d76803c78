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
mod ranges;
mod refused_field;
mod verdict;
mod whole_name;

pub use cache::{cache_file, file_of_release, pre_cached_file};
pub use check_options::{CheckOptions, Depth};
pub use content::{Dependency, PackageMeta};
pub use content_check::Verdict;
pub use crd::{CrdFault, crd_faults};
pub use era::{ERAS, Era};
pub use findings::{About, Finding};
pub use image::{FetchError, PackageImage, platforms};
pub use package_name::{certain_refusal, name_refusal, validates_names};
pub use ranges::library;
pub use verdict::{PackageVerdict, judge, package_yaml};
pub use whole_name::whole_name;
