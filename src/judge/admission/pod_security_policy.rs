//! `PodSecurityPolicy`, part of Kubernetes up to v1.24: pods need a policy that accepts them and that their service
//! account may use.
//!
//! Source: kubernetes v1.24 staging/src/k8s.io/api/policy/v1beta1/types.go (`hostNetwork`, `hostPorts`),
//! pkg/security/podsecuritypolicy/provider.go.

use super::grants::Account;
use super::policy::{Certainty, Outcome, Policy};
use super::read::{at, items};
use super::subject::Pods;
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// All `PodSecurityPolicies` of the input.
pub(super) struct PodSecurityPolicies<'m> {
    pub(super) model: &'m Model,
    pub(super) all: Vec<(&'m Meta, &'m Value)>,
}

impl Policy for PodSecurityPolicies<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let account = Account::new(pods)?;
        let names = account.usable_policy_names(self.model, ("policy", "podsecuritypolicies"), |_| None);
        let is_named = |meta: &Meta| names.iter().any(|name| name == "*" || *name == meta.name);
        let used: Vec<_> = self.all.iter().filter(|(meta, _)| is_named(meta)).collect();
        // A policy that is not in the input may accept the pods.
        let is_elsewhere = |name: &String| name != "*" && self.all.iter().all(|(meta, _)| meta.name != *name);
        let is_accepted = used.iter().any(|(_, policy)| accepts(policy, pods));
        if used.is_empty() || !pods.has_host_fields() || is_accepted || names.iter().any(is_elsewhere) {
            return None;
        }
        // Manifests do not show if the API server still enforces these policies.
        let parts = used.iter().map(|(meta, _)| meta.name.clone()).collect();
        Some(Outcome { certainty: Certainty::May, parts })
    }

    fn name(&self, parts: &[String]) -> String {
        format!("PodSecurityPolicy {}", parts.join(", "))
    }

    fn remedy(&self, _: &Pods<'_>, _: &[String]) -> String {
        "let its service account `use` one with `hostNetwork: true` and these ports under `hostPorts` (Kubernetes has such policies up to \
         v1.24)"
            .to_owned()
    }
}

/// True if a `PodSecurityPolicy` allows the host network and the host ports of the pods.
fn accepts(policy: &Value, pods: &Pods<'_>) -> bool {
    let network = !pods.host_network || at(policy, &["spec", "hostNetwork"]) == Some(&Value::Bool(true));
    let bound = |range: &Value, key: &str| match at(range, &[key]) {
        Some(Value::Int(bound)) => *bound,
        _ => 0,
    };
    let ranges = items(policy, &["spec", "hostPorts"]);
    let is_in =
        |port: &u16| ranges.iter().any(|range| (bound(range, "min")..=bound(range, "max")).contains(&i64::from(*port)));
    network && pods.host_ports().iter().all(is_in)
}
