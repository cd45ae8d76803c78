//! Ports of a `ClusterServiceVersion` that the API server calls. Operator Lifecycle Manager makes a Service for each
//! deployment with descriptions of webhooks or APIs, and a webhook configuration or an `APIService` for each description.
//!
//! Source: operator-framework/operator-lifecycle-manager `pkg/controller/install/certresources.go` (`getServicePort`:
//! `targetPort` of a webhook, else `containerPort`, else 443; `certResourcesForDeployment`: the `deploymentName`).

use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Count, Effect, FieldPort, PortField, PortFields};
use super::scope::own_namespace;
use super::unfollowed_calls::OLM;
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use lossless_yaml::{NodeRef, Pattern, Step};

/// Lists of descriptions: of webhooks and of APIs.
const DESCRIPTIONS: [&str; 2] = ["spec.webhookdefinitions[]", "spec.apiservicedefinitions.owned[]"];

/// Default port of the Service, and of the pods.
const DEFAULT_PORT: u16 = 443;

/// Returns the called ports, each for the deployment of its description.
pub(super) fn called_ports(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    if (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) != (OLM, "ClusterServiceVersion") {
        return found;
    }
    for described in DESCRIPTIONS.iter().flat_map(|list| Pattern::new(list).find(object).collect::<Vec<_>>()) {
        let field = |key: &str| described.node.get(key).filter(|value| !value.is_null());
        let Some(deployment) = field("deploymentName").and_then(NodeRef::text) else { continue };
        let applies_to = AppliesTo::Template(own_namespace(meta).into(), meta.name.as_str().into(), deployment.into());
        let applies_to = Arc::new(applies_to);
        let has_target = described.path.steps().get(1).is_some_and(|step| is_key(step, "webhookdefinitions"));
        let target = has_target.then(|| field("targetPort")).flatten().map(|port| (port, "targetPort"));
        let Some((port, key)) = target.or_else(|| Some((field("containerPort")?, "containerPort"))) else {
            let number = FieldPort::Numbers(DEFAULT_PORT..=DEFAULT_PORT);
            let reason =
                format!("the description sets no port, so Operator Lifecycle Manager uses port {DEFAULT_PORT}");
            let (path, value, effect) = (described.path.clone(), Scalar::string(""), Effect::Blocks(reason));
            let field = PortField { path, value, range: 0..0, port: number, protocol: Some(TCP), applies_to, effect };
            found.fields.push(field);
            continue;
        };
        let path = described.path.key(key);
        let named = || {
            let value = Scalar::read(port)?;
            let (range, effect) = (0..value.text.len(), Effect::Follows(Count::Having));
            let (path, applies_to) = (path.clone(), Arc::clone(&applies_to));
            Some(PortField { path, value, range, port: FieldPort::Named, protocol: Some(TCP), applies_to, effect })
        };
        found.fields.extend(PortField::read(port, path.clone(), &applies_to).or_else(named));
    }
    found
}

/// True for a description of an API, false for a description of a webhook.
pub(in crate::model) fn is_of_api(field: &PortField) -> bool {
    field.path.steps().get(1).is_some_and(|step| is_key(step, "apiservicedefinitions"))
}

fn is_key(step: &Step, key: &str) -> bool {
    matches!(step, Step::Key(own) if &**own == key)
}
