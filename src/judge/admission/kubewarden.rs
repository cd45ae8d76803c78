//! Kubewarden's policies for Pods. The policy for host namespaces is evaluated; the settings of others are searched for
//! host fields.
//!
//! Source: kubewarden/host-namespaces-psp-policy README.md (settings and their defaults); kubewarden/kubewarden-controller
//! api/policies/v1/policy.go (`mode`, `rules`, selectors).

use super::answer::Answer;
use super::policy::{Outcome, Policy, certainty, combined};
use super::read::{at, items, mentions, names_host_fields, text};
use super::subject::{Pods, Subject, in_namespaces};
use super::validating::matches_rule;
use crate::catalog::is_namespace_exempt;
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// A policy or a group of policies.
pub(super) struct Kubewarden<'m> {
    pub(super) model: &'m Model,
    pub(super) meta: &'m Meta,
    pub(super) object: &'m Value,
}

impl Policy for Kubewarden<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let namespace = pods.namespace();
        let is_elsewhere = self.meta.namespace.is_some() && self.meta.namespace.as_deref() != namespace;
        let is_exempt = namespace.is_some_and(|namespace| is_namespace_exempt("kubewarden", namespace));
        if is_elsewhere || is_exempt || text(self.object, &["spec", "mode"]) == Some("monitor") {
            return None;
        }
        let demand = self.evaluate_settings(pods);
        let results = pods.subjects().into_iter().filter_map(|subject| certainty(self.applies(subject), demand));
        combined(results.map(|certainty| (String::new(), certainty)).collect())
    }

    fn name(&self, _: &[String]) -> String {
        self.meta.to_string()
    }

    fn remedy(&self, pods: &Pods<'_>, _: &[String]) -> String {
        let namespace = pods.namespace().unwrap_or("NAMESPACE");
        format!(
            "leave its namespace {namespace} out by the `namespaceSelector` in the spec of the policy, or permit the fields in its \
             `settings`"
        )
    }
}

impl Kubewarden<'_> {
    /// True if the policy applies to a subject, by its rules, selectors and conditions.
    fn applies(&self, subject: Subject<'_, '_>) -> Answer {
        let conditions = items(self.object, &["spec", "matchConditions"]);
        Answer::all([
            Answer::plain(items(self.object, &["spec", "rules"]).iter().any(|rule| matches_rule(subject, rule))),
            subject.is_selected(at(self.object, &["spec", "objectSelector"])),
            in_namespaces(self.model, subject.pods, at(self.object, &["spec", "namespaceSelector"])),
            if conditions.is_empty() { Answer::TRUE } else { Answer::OTHER },
        ])
    }

    /// True if the pods satisfy the policy's settings for host namespaces and host ports.
    fn evaluate_settings(&self, pods: &Pods<'_>) -> Answer {
        let spec = ["spec"];
        let is_host_namespaces = |module: &str| module.contains("host-namespaces-psp");
        if !text(self.object, &["spec", "module"]).is_some_and(is_host_namespaces) {
            let spec = at(self.object, &spec);
            return Answer::unknown(
                spec.is_some_and(|spec| names_host_fields(spec) || mentions(spec, &is_host_namespaces)),
            );
        }
        let setting = |key: &str| at(self.object, &["spec", "settings", key]);
        let allows = setting("allow_host_network") == Some(&Value::Bool(true));
        let bound = |range: &Value, key: &str| match at(range, &[key]) {
            Some(Value::Int(bound)) => Some(*bound),
            _ => None,
        };
        let ranges = items(self.object, &["spec", "settings", "allow_host_ports"]);
        let is_allowed = |port: u16| {
            let port = i64::from(port);
            ranges.iter().any(|range| {
                bound(range, "min").is_none_or(|min| port >= min) && bound(range, "max").is_none_or(|max| port <= max)
            })
        };
        Answer::all([
            Answer::depends_on_host(allows || !pods.host_network),
            Answer::depends_on_host(pods.host_ports().into_iter().all(is_allowed)),
        ])
    }
}
