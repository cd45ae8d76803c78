//! Pod Security levels of Namespaces without a label: the API server's configuration, and Rancher's template of it.
//!
//! Source: kubernetes.io/docs/tasks/configure-pod-container/enforce-standards-admission-controller (`defaults`,
//! `exemptions`); rancher/rancher `pkg/apis/management.cattle.io/v3`, `PodSecurityAdmissionConfigurationTemplate`.

use super::policy::{Certainty, Outcome, Policy};
use super::read::{at, items, text, texts};
use super::subject::{Pods, is_one_of};
use crate::judge::pod_security::{ENFORCE, PRIVILEGED, has_level};
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// A configuration of Pod Security whose level forbids host networking.
pub(super) struct PodSecurityDefaults<'m> {
    model: &'m Model,
    meta: &'m Meta,
    configuration: &'m Value,
}

impl<'m> PodSecurityDefaults<'m> {
    /// Returns the configuration of an object, if its level forbids host networking.
    pub(super) fn new(model: &'m Model, meta: &'m Meta, object: &'m Value) -> Option<Self> {
        let of_plugins = items(object, &["plugins"]).iter().filter_map(|plugin| at(plugin, &["configuration"]));
        let mut all = of_plugins.chain(at(object, &["configuration"])).chain([object]);
        let forbids = |configuration: &&Value| {
            matches!(text(configuration, &["defaults", "enforce"]), Some("baseline" | "restricted"))
        };
        Some(Self { model, meta, configuration: all.find(forbids)? })
    }
}

impl Policy for PodSecurityDefaults<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let exempt = texts(self.configuration, &["exemptions", "namespaces"]);
        let is_labelled = pods.namespace().is_some_and(|name| has_level(self.model, name));
        if is_labelled || is_one_of(&exempt, pods).value == Some(true) || !pods.has_host_fields() {
            return None;
        }
        // Only `May`: the configuration is for one cluster, where the Namespace may have a label.
        Some(Outcome { certainty: Certainty::May, parts: Vec::new() })
    }

    fn name(&self, _: &[String]) -> String {
        self.meta.to_string().trim_end().to_owned()
    }

    fn remedy(&self, pods: &Pods<'_>, _: &[String]) -> String {
        let namespace = pods.namespace().unwrap_or("NAMESPACE");
        format!("label the Namespace {namespace} `{ENFORCE}: {PRIVILEGED}`")
    }
}
