//! The rules of `ProxyEnvironment` and `PackageMirror`, each on a small manifest: what changes, what is reported, what stays.

mod package_mirror;
mod proxy;
#[path = "../support/mod.rs"]
mod support;
