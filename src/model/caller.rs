//! Who the API server calls: Services in webhook configurations, CRD conversions and APIServices.

use super::meta::Meta;
use crate::yaml::NodeRef;

/// A Service that the API server calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The Service's namespace.
    pub namespace: String,
    /// The Service's name.
    pub service: String,
    /// The Service's port.
    pub port: u16,
    /// For an aggregated API; else for a webhook or a conversion.
    pub api_service: bool,
    /// The object that makes the API server call it, as messages write it.
    pub by: String,
}

/// The port of a webhook's or APIService's Service when none is given.
const DEFAULT_PORT: u16 = 443;

/// The Services that the API server calls because of this object.
#[must_use]
pub fn calls(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<Call> {
    let spec = object.get("spec");
    match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            let webhooks = object.get("webhooks").into_iter().flat_map(NodeRef::items);
            webhooks.filter_map(|webhook| call(meta, webhook.get("clientConfig")?.get("service")?, false)).collect()
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let conversion = spec.and_then(|spec| spec.get("conversion")?.get("webhook")?.get("clientConfig"));
            conversion.and_then(|config| call(meta, config.get("service")?, false)).into_iter().collect()
        }
        ("apiregistration.k8s.io", "APIService") => {
            spec.and_then(|spec| call(meta, spec.get("service")?, true)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn call(meta: &Meta, service: NodeRef<'_, '_>, api_service: bool) -> Option<Call> {
    let text = |key: &str| service.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let port = service.get("port").and_then(NodeRef::as_int).and_then(|port| u16::try_from(port).ok());
    Some(Call {
        namespace: text("namespace").unwrap_or_default(),
        service: text("name")?,
        port: port.unwrap_or(DEFAULT_PORT),
        api_service,
        by: meta.to_string(),
    })
}
