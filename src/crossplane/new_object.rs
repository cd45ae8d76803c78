//! New objects that configure packages.

use std::sync::Arc;

use kube_core::GroupVersionKind;

use crate::model::Meta;
use crate::model::facts::package;
use crate::model::text::Labels;
use crate::yaml::Value;

/// Who a new object is.
pub(crate) fn meta(kind: &str, name: &str, beside: &Meta) -> Meta {
    Meta {
        gvk: Arc::new(GroupVersionKind::gvk(package::GROUP, "v1beta1", kind)),
        name: name.to_owned(),
        namespace: beside.namespace.clone(),
        labels: Labels::default(),
        annotations: Labels::default(),
    }
}

/// What a new object holds. What is written as the namespace of the object beside it is its own too: it means nothing to a cluster,
/// but kustomize, which wrote it, renames references within a namespace only.
pub(crate) fn value(kind: &str, name: &str, beside: &Meta, spec: Value) -> Value {
    let mut metadata = vec![("name".to_owned(), name.into())];
    metadata.extend(beside.namespace.as_deref().map(|namespace| ("namespace".to_owned(), namespace.into())));
    let metadata = Value::Map(metadata);
    Value::Map(vec![
        ("apiVersion".to_owned(), format!("{}/v1beta1", package::GROUP).into()),
        ("kind".to_owned(), kind.into()),
        ("metadata".to_owned(), metadata),
        ("spec".to_owned(), spec),
    ])
}
