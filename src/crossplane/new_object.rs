//! Builds new objects for packages.

use std::sync::Arc;

use kube_core::GroupVersionKind;

use crate::model::Meta;
use crate::model::facts::package;
use crate::model::text::Labels;
use lossless_yaml::Value;

/// The name prefix of generated runtime configs; the package name follows.
pub(super) const PREFIX: &str = "hostnet-";

/// Metadata of a new object for a package, written next to `near`. It copies the package's namespace field: packages
/// are cluster-scoped, but kustomize, which wrote the field, updates references only within a namespace.
pub(crate) fn meta(kind: &str, name: &str, near: &Meta) -> Meta {
    Meta {
        gvk: Arc::new(GroupVersionKind::gvk(package::GROUP, "v1beta1", kind)),
        name: name.to_owned(),
        namespace: near.namespace.clone(),
        labels: Labels::default(),
        annotations: Labels::default(),
    }
}

/// The minimal `spec` accepted by the schema of runtime configs, with the package container.
pub(super) fn runtime_spec() -> Value {
    let container = Value::map([("name", package::CONTAINER.into())]);
    let pod = Value::map([("containers", Value::Seq(vec![container]))]);
    let template = Value::map([("spec", pod)]);
    let deployment = Value::map([("selector", Value::Map(Vec::new())), ("template", template)]);
    Value::map([("deploymentTemplate", Value::map([("spec", deployment)]))])
}
