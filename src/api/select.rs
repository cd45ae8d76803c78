//! `select` of a config: matches objects.

use schemars::JsonSchema;
use serde::Deserialize;

/// A selector of objects, in the form of kustomize.
///
/// `group`, `version`, `kind`, `name` and `namespace` are regular expressions that must match as a whole. Selectors
/// have the form of `kubectl -l` and apply to the object's own metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Select {
    /// API group; `""` is the core group.
    pub group: Option<String>,
    /// API version, such as `v1`.
    pub version: Option<String>,
    /// Kind, such as `Deployment|DaemonSet`.
    pub kind: Option<String>,
    /// `metadata.name`
    pub name: Option<String>,
    /// `metadata.namespace`
    pub namespace: Option<String>,
    /// Selector, such as `app=web,tier in (a,b),!canary`.
    pub label_selector: Option<String>,
    /// A selector like `labelSelector`, on annotations.
    pub annotation_selector: Option<String>,
    /// `true`: only workloads that the API server calls: by webhook configurations, conversions of custom resources or
    /// APIServices of the input, or as programs that register themselves according to the catalogue.
    pub called_by_api_server: Option<bool>,
}
