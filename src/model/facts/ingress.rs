//! Ingresses with annotations for health checks of Services by a load balancer, or for other ports of their pods.

use std::collections::BTreeSet;

use crate::catalog::{self, HealthCheck};
use crate::model::meta::Meta;
use crate::model::text::Name;
use lossless_yaml::NodeRef;

/// `Ingress` with an annotation for a port of its backend pods.
#[derive(Debug, Clone)]
pub struct Ingress {
    /// Names of the Services in paths, in the default backend and in annotations of actions.
    pub(in crate::model) backends: BTreeSet<Box<str>>,
}

/// Prefix of annotation keys that also name Services, with JSON values: every quoted text may be such a name.
/// Source: `pkg/ingress/enhanced_backend_builder.go`, `buildActionViaAnnotation`.
const ACTIONS: &str = "alb.ingress.kubernetes.io/actions.";

impl Ingress {
    /// Reads an `Ingress` of any version; `None` without an annotation for a port of the pods.
    pub fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let has_annotation = |check: &HealthCheck| {
            [check.key, check.target_type].iter().any(|key| is_of(check, meta) && meta.annotations.get(key).is_some())
        };
        let is_named = |key: &str| Name::new(key.rsplit('/').next().unwrap_or(key)).is_port_of_backend();
        let is_wanted =
            catalog::HEALTH_CHECKS.iter().any(has_annotation) || meta.annotations.iter().any(|(key, _)| is_named(key));
        let spec = object.get("spec").filter(|_| is_wanted)?;
        let rules = spec.get("rules").into_iter().flat_map(NodeRef::items);
        let paths = rules.filter_map(|rule| rule.get("http")?.get("paths")).flat_map(NodeRef::items);
        let default = ["defaultBackend", "backend"].into_iter().filter_map(|key| spec.get(key));
        let name = |backend: NodeRef<'_, '_>| {
            let name = backend.get("service").and_then(|service| service.get("name"));
            name.or_else(|| backend.get("serviceName")).and_then(NodeRef::text).map(Box::from)
        };
        let backends = paths.filter_map(|path| path.get("backend")).chain(default).filter_map(name);
        let actions = meta.annotations.iter().filter(|(key, _)| key.starts_with(ACTIONS));
        let quoted = actions.flat_map(|(_, value)| value.split('"').skip(1)).map(Box::from);
        Some(Self { backends: backends.chain(quoted).collect() })
    }

    /// True if the Service is a backend of the Ingress.
    pub(in crate::model) fn leads_to(&self, ingress: &Meta, service: &Meta) -> bool {
        ingress.namespace == service.namespace && self.backends.contains(service.name.as_str())
    }
}

/// True if the health check is for objects of this kind.
pub(in crate::model) fn is_of(check: &HealthCheck, meta: &Meta) -> bool {
    check.kinds.contains(&meta.gvk.kind.as_str())
}

impl Ingress {
    /// True if this Ingress configures the health check of the Service, and no annotation of the Service overrides it.
    /// Without `node`, health checks of nodes (`instance`) do not count.
    pub(in crate::model) fn checks(&self, check: &HealthCheck, ingress: &Meta, service: &Meta, node: bool) -> bool {
        let target = service.annotations.get(check.target_type).or_else(|| ingress.annotations.get(check.target_type));
        self.leads_to(ingress, service)
            && service.annotations.get(check.key).is_none()
            && (node || target != Some("instance"))
    }
}
