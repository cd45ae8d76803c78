//! Builds new objects for packages.

use std::sync::Arc;

use kube_core::GroupVersionKind;

use crate::model::Meta;
use crate::model::facts::package;
use crate::model::text::Labels;
use lossless_yaml::Value;

/// The name prefix of generated runtime configs; the package name follows.
pub(super) const PREFIX: &str = "hostnet-";

/// Metadata of a new object, written next to another one.
pub(crate) fn meta(kind: &str, name: &str, near: &Meta) -> Meta {
    Meta {
        gvk: Arc::new(GroupVersionKind::gvk(package::GROUP, "v1beta1", kind)),
        name: name.to_owned(),
        namespace: near.namespace.clone(),
        labels: Labels::default(),
        annotations: Labels::default(),
    }
}

/// Builds a new object for a package. It copies the package's namespace field: packages are cluster-scoped, but
/// kustomize, which wrote the field, updates references only within a namespace.
pub(crate) fn new_object(kind: &str, name: &str, package: &Meta, spec: Value) -> Value {
    let mut metadata = vec![("name".to_owned(), name.into())];
    metadata.extend(package.namespace.as_deref().map(|namespace| ("namespace".to_owned(), namespace.into())));
    let metadata = Value::Map(metadata);
    Value::Map(vec![
        ("apiVersion".to_owned(), format!("{}/v1beta1", package::GROUP).into()),
        ("kind".to_owned(), kind.into()),
        ("metadata".to_owned(), metadata),
        ("spec".to_owned(), spec),
    ])
}

/// The minimal `spec` accepted by the schema of runtime configs, with the package container.
pub(super) fn runtime_spec() -> Value {
    let map = |key: &str, value: Value| Value::Map(vec![(key.to_owned(), value)]);
    let container = map("name", package::CONTAINER.into());
    let template = map("spec", map("containers", Value::Seq(vec![container])));
    let deployment =
        Value::Map(vec![("selector".to_owned(), Value::Map(Vec::new())), ("template".to_owned(), template)]);
    map("deploymentTemplate", map("spec", deployment))
}
