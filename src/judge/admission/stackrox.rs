//! `StackRox` (Red Hat Advanced Cluster Security): policies that are enforced when a workload is deployed.
//!
//! Source: stackrox/stackrox `config-controller/config/crd/bases/config.stackrox.io_securitypolicies.yaml`,
//! `pkg/booleanpolicy/fieldnames/list.go`.

use super::policy::{Certainty, Outcome, Policy};
use super::read::{at, items, text, texts};
use super::subject::Pods;
use crate::model::Meta;
use lossless_yaml::Value;

/// Actions that refuse a workload, or stop its pods, when it is deployed.
const ENFORCED: [&str; 4] = [
    "FAIL_DEPLOYMENT_CREATE_ENFORCEMENT",
    "FAIL_DEPLOYMENT_UPDATE_ENFORCEMENT",
    "SCALE_TO_ZERO_ENFORCEMENT",
    "UNSATISFIABLE_NODE_CONSTRAINT_ENFORCEMENT",
];

/// An enforced policy.
pub(super) struct StackRoxPolicy<'m> {
    meta: &'m Meta,
    spec: &'m Value,
}

impl<'m> StackRoxPolicy<'m> {
    /// Returns the policy if it is enforced for deployed workloads.
    pub(super) fn new(meta: &'m Meta, object: &'m Value) -> Option<Self> {
        let spec = at(object, &["spec"])?;
        let is_enforced = texts(spec, &["enforcementActions"]).iter().any(|action| ENFORCED.contains(action));
        let is_for_deployments = texts(spec, &["lifecycleStages"]).contains(&"DEPLOY");
        let is_disabled = at(spec, &["disabled"]) == Some(&Value::Bool(true));
        (is_enforced && is_for_deployments && !is_disabled).then_some(Self { meta, spec })
    }
}

impl Policy for StackRoxPolicy<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let scopes = items(self.spec, &["scope"]);
        let is_elsewhere = !scopes.is_empty() && !scopes.iter().any(|scope| may_include(scope, pods));
        let is_excluded = items(self.spec, &["exclusions"]).iter().any(|exclusion| excludes(exclusion, pods));
        let forbids = items(self.spec, &["policySections"]).iter().any(|section| is_violated(section, pods));
        (forbids && !is_elsewhere && !is_excluded).then_some(Outcome { certainty: Certainty::May, parts: Vec::new() })
    }

    fn name(&self, _: &[String]) -> String {
        format!("{} of StackRox", self.meta)
    }

    fn remedy(&self, _: &Pods<'_>, _: &[String]) -> String {
        "name the workload under its `exclusions`".to_owned()
    }
}

/// True if the pods meet every criterion about host fields in a section, and the section has such a criterion. Criteria
/// about other fields are not evaluated.
fn is_violated(section: &Value, pods: &Pods<'_>) -> bool {
    let groups = items(section, &["policyGroups"]).iter();
    let mut of_host = groups.filter_map(|group| {
        let wanted = |value: &str| {
            let values = items(group, &["values"]).iter().filter_map(|value| at(value, &["value"]));
            values.map(ToString::to_string).any(|text| text.eq_ignore_ascii_case(value))
        };
        let has = match text(group, &["fieldName"])? {
            "Host Network" => pods.host_network && wanted("true"),
            "Port Exposure Method" if wanted("HOST") => !pods.host_ports().is_empty(),
            _ => return None,
        };
        Some(has && at(group, &["negate"]) != Some(&Value::Bool(true)))
    });
    of_host.next().is_some_and(|first| first && of_host.all(|has| has))
}

/// True unless the scope has a namespace that does not match the namespace of the pods.
fn may_include(scope: &Value, pods: &Pods<'_>) -> bool {
    let namespace = text(scope, &["namespace"]).filter(|namespace| !namespace.is_empty());
    namespace.zip(pods.namespace()).is_none_or(|(pattern, own)| is_whole_match(pattern, own))
}

/// True if an exclusion matches the workload by name and namespace. False for an exclusion with other fields in its
/// scope, or with an expiration, because it may not apply.
fn excludes(exclusion: &Value, pods: &Pods<'_>) -> bool {
    let Some(deployment) = at(exclusion, &["deployment"]) else { return false };
    let filled = |value: &Value, key: &str| text(value, &[key]).filter(|text| !text.is_empty()).map(str::to_owned);
    let name = filled(deployment, "name");
    let scope = at(deployment, &["scope"]);
    let namespace = scope.and_then(|scope| filled(scope, "namespace"));
    let others = scope.map(Value::entries).unwrap_or_default().iter();
    let has_other_fields = others.clone().any(|(key, value)| *key != "namespace" && *value != Value::Null);
    let is_other = |pattern: &Option<String>, own: Option<&str>| {
        pattern.as_ref().is_some_and(|pattern| !own.is_some_and(|own| is_whole_match(pattern, own)))
    };
    (name.is_some() || namespace.is_some())
        && !has_other_fields
        && at(exclusion, &["expiration"]).is_none()
        && !is_other(&name, Some(&pods.view.meta.name))
        && !is_other(&namespace, pods.namespace())
}

/// True if a regular expression matches a whole text. An expression that cannot be read matches nothing.
fn is_whole_match(pattern: &str, text: &str) -> bool {
    pattern == text || regex::Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|pattern| pattern.is_match(text))
}
