//! Servers that the API server calls: webhooks, conversions of CRDs, and aggregated APIs.
//!
//! Source: Kubernetes v1.37 `pkg/apis/admissionregistration/validation/validation.go` (`validateValidatingWebhook`,
//! `validateAdmissionReviewVersions`), `staging/src/k8s.io/apiserver/pkg/util/webhook/validation.go`
//! (`ValidateWebhookURL`, `ValidateWebhookService`),
//! `staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go`
//! (`validateCustomResourceConversion`),
//! `staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go` (`ValidateAPIService`).

use super::scalar::{enum_fault, port_fault};
use super::{Invalid, InvalidFields, NAME, NUMBER, REQUIRED};
use crate::model::Meta;
use lossless_yaml::{NodeRef, Path};

/// Remedy for a `clientConfig` without one of `url` and `service`.
const ONE_TARGET: &str = "Keep `url` or `service`";

/// Remedy for a missing `service`.
const SERVICE: &str = "Write the Service, with `namespace` and `name`";

/// Remedy for a missing namespace of a Service.
const NAMESPACE: &str = "Write the namespace of the Service";

/// Remedy for an invalid URL of a webhook.
const HTTPS: &str = "Write a URL that begins with https://";

/// Operations of a webhook's rule.
const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/// Remedy for an unknown operation in a rule of a webhook.
const OPERATION: &str = "Write CREATE, UPDATE, DELETE, CONNECT or *";

/// Remedy for an unknown `failurePolicy`.
const FAILURE_POLICY: &str = "Write Fail or Ignore";

/// Remedy for missing or unknown side effects of a webhook.
const SIDE_EFFECTS: &str = "Write None or NoneOnDryRun";

/// Remedy for an unknown strategy of a conversion.
const STRATEGY: &str = "Write None or Webhook";

/// Remedy for a conversion by webhook without a webhook.
const CONVERSION_WEBHOOK: &str = "Write the webhook, or the strategy None";

impl InvalidFields {
    /// Checks the calls of an object. Fields are required only if a field that no patch repeats shows the whole object.
    pub(super) fn called(&mut self, meta: &Meta, object: NodeRef<'_, '_>) {
        let is_v1 = meta.gvk.version == "v1";
        match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
                for (webhook, path) in self.mappings(object, &Path::root(), "webhooks") {
                    self.webhook(webhook, &path, is_v1);
                }
            }
            ("apiextensions.k8s.io", "CustomResourceDefinition") if is_v1 => self.conversion(object),
            ("apiregistration.k8s.io", "APIService") => {
                let Some(spec) = object.get("spec") else { return };
                let is_whole = is_v1 && is_written(spec, "groupPriorityMinimum");
                self.called_service(spec, &Path::root().key("spec"), is_whole);
            }
            _ => {}
        }
    }

    fn webhook(&mut self, webhook: NodeRef<'_, '_>, path: &Path, is_v1: bool) {
        let is_whole = is_v1 && is_written(webhook, "admissionReviewVersions");
        self.scalar(webhook, path, "failurePolicy", FAILURE_POLICY, |value| enum_fault(value, &["Fail", "Ignore"]));
        if is_v1 {
            self.scalar(webhook, path, "sideEffects", SIDE_EFFECTS, |value| {
                enum_fault(value, &["None", "NoneOnDryRun"])
            });
        }
        if is_whole && !is_written(webhook, "sideEffects") {
            self.add(path, "sideEffects", REQUIRED.to_owned(), SIDE_EFFECTS);
        }
        for (rule, path) in self.mappings(webhook, path, "rules") {
            for (index, operation) in rule.get("operations").into_iter().flat_map(NodeRef::items).enumerate() {
                if let Some(reason) = enum_fault(operation, &OPERATIONS) {
                    self.push(path.key("operations").item(index), reason, OPERATION);
                }
            }
        }
        self.client(webhook, path, is_whole);
    }

    /// Checks the conversion of a CRD. Patches of kubebuilder add it to a CRD whose names are in another file.
    fn conversion(&mut self, object: NodeRef<'_, '_>) {
        let Some(spec) = object.get("spec") else { return };
        let Some(conversion) = spec.get("conversion").filter(|conversion| conversion.is_mapping()) else { return };
        let (path, is_whole) = (Path::dotted("spec.conversion"), is_written(spec, "names"));
        self.scalar(conversion, &path, "strategy", STRATEGY, |value| enum_fault(value, &["None", "Webhook"]));
        if conversion.get("strategy").and_then(NodeRef::text) != Some("Webhook") {
            return;
        }
        match conversion.get("webhook").filter(|webhook| !webhook.is_null()) {
            Some(webhook) => {
                self.client(webhook, &path.key("webhook"), is_whole || is_written(webhook, "conversionReviewVersions"));
            }
            None if is_whole => {
                let reason = format!("{REQUIRED}: required when strategy is set to Webhook");
                self.add(&path, "webhook", reason, CONVERSION_WEBHOOK);
            }
            None => {}
        }
    }

    /// Checks the `clientConfig` of a webhook or a conversion.
    fn client(&mut self, caller: NodeRef<'_, '_>, path: &Path, is_whole: bool) {
        let one = || format!("{REQUIRED}: exactly one of url or service is required");
        let Some(client) = caller.get("clientConfig").filter(|client| client.is_mapping()) else {
            if is_whole && !is_written(caller, "clientConfig") {
                self.add(path, "clientConfig", one(), SERVICE);
            }
            return;
        };
        let path = path.key("clientConfig");
        match (is_written(client, "url"), is_written(client, "service")) {
            (true, true) => self.add(&path, "url", one(), ONE_TARGET),
            (false, false) if is_whole => self.add(&path, "service", one(), SERVICE),
            (true, false)
                if client.get("url").and_then(NodeRef::text).is_some_and(|url| url.starts_with("http://")) =>
            {
                let reason = "Invalid value: \"http\": 'https' is the only allowed URL scheme".to_owned();
                self.add(&path, "url", reason, HTTPS);
            }
            _ => {}
        }
        self.called_service(client, &path, is_whole);
    }

    /// Checks the field `service`.
    fn called_service(&mut self, caller: NodeRef<'_, '_>, path: &Path, is_whole: bool) {
        let Some(service) = caller.get("service").filter(|service| service.is_mapping()) else { return };
        let path = path.key("service");
        self.scalar(service, &path, "port", NUMBER, |value| port_fault(value, 1, true));
        let is_missing = |key: &str| !is_written(service, key) || service.get(key).and_then(NodeRef::text) == Some("");
        let missing = [("name", NAME), ("namespace", NAMESPACE)].into_iter().filter(|(key, _)| is_missing(key));
        for (key, remedy) in missing.filter(|_| is_whole) {
            let name = service.get("name").and_then(NodeRef::non_null_text).filter(|_| key == "namespace");
            self.list.push(Invalid {
                path: path.key(key),
                reason: REQUIRED.to_owned(),
                remedy,
                namespace_of: name.map(Box::from),
            });
        }
    }
}

/// True for a field with a value other than null.
fn is_written(node: NodeRef<'_, '_>, key: &str) -> bool {
    node.get(key).is_some_and(|value| !value.is_null())
}
