//! The rules of `ProxyEnvironment` and `PackageMirror`, each on a small manifest: changes, results, and unchanged
//! parts.

mod package_mirror;
mod proxy;
#[path = "../support/mod.rs"]
mod support;
