//! Policies of `StackRox`.

use super::Outcome::{self, Silent, Unsure};

/// An enforced policy with these criteria, and with more fields.
fn policy(groups: &str, more: &str) -> String {
    with_actions("[FAIL_DEPLOYMENT_CREATE_ENFORCEMENT]", groups, more)
}

fn with_actions(actions: &str, groups: &str, more: &str) -> String {
    format!(
        "apiVersion: config.stackrox.io/v1alpha1\nkind: SecurityPolicy\nmetadata: {{name: host, namespace: stackrox}}\nspec: {{policyName: no \
         host network, lifecycleStages: [BUILD, DEPLOY], enforcementActions: {actions}, policySections: [{{policyGroups: [{groups}]}}]{more}}}\n"
    )
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let network = "{fieldName: Host Network, values: [{value: 'true'}]}";
    let off = "{fieldName: Host Network, values: [{value: 'false'}]}";
    let image = "{fieldName: Image Tag, values: [{value: latest}]}";
    vec![
        (Unsure, policy(network, "")),
        (Unsure, policy(&format!("{network}, {image}"), "")),
        (Unsure, policy("{fieldName: Port Exposure Method, values: [{value: EXTERNAL}, {value: HOST}]}", "")),
        (Unsure, with_actions("[SCALE_TO_ZERO_ENFORCEMENT]", network, "")),
        (Unsure, policy(network, ", scope: [{namespace: other}, {namespace: sh.*}]")),
        (Unsure, policy(network, ", exclusions: [{deployment: {name: web, scope: {cluster: prod}}}]")),
        (Silent, policy(network, ", scope: [{namespace: other}]")),
        (Silent, policy(network, ", exclusions: [{deployment: {name: web, scope: {namespace: shop}}}]")),
        (Silent, policy(network, ", disabled: true")),
        (Silent, with_actions("[]", network, "")),
        (Silent, with_actions("[FAIL_BUILD_ENFORCEMENT, KILL_POD_ENFORCEMENT]", network, "")),
        (Silent, policy(off, "")),
        (Silent, policy(&format!("{network}, {off}"), "")),
        (Silent, policy("{fieldName: Port Exposure Method, values: [{value: EXTERNAL}]}", "")),
        (Silent, policy("{fieldName: Host PID, values: [{value: 'true'}]}", "")),
    ]
}
