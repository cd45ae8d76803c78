//! Profiles of AWS Fargate.

use super::Outcome::{self, Refused, Silent, Unsure};

/// A profile of this group and kind, with a spec.
fn profile(kind: &str, spec: &str) -> String {
    format!("apiVersion: {kind}\nmetadata: {{name: serverless}}\nspec: {{clusterName: prod, {spec}}}\n")
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let ack = "eks.services.k8s.aws/v1alpha1\nkind: FargateProfile";
    let upbound = "eks.aws.upbound.io/v1beta1\nkind: FargateProfile";
    let shop = "selectors: [{namespace: other}, {namespace: shop}]";
    let with = |selector: &str| profile(ack, &format!("selectors: [{selector}]"));
    let eksctl = |namespace: &str| {
        format!(
            "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {{name: prod, region: eu-west-1}}\nfargateProfiles: [{{name: a, \
             selectors: [{{namespace: {namespace}}}]}}]\n"
        )
    };
    vec![
        (Refused, profile(ack, shop)),
        (Refused, profile("infrastructure.cluster.x-k8s.io/v1beta2\nkind: AWSFargateProfile", shop)),
        (Refused, profile("eks.aws.crossplane.io/v1alpha1\nkind: FargateProfile", &format!("forProvider: {{{shop}}}"))),
        (Refused, profile(upbound, "forProvider: {selector: [{namespace: shop}]}")),
        (Refused, eksctl("shop")),
        (Refused, with("{namespace: 's*p', labels: {'a?p': w*}}")),
        // Profiles of one cluster, and of two, of which the input does not show which one has the pods.
        (Refused, [with("{namespace: shop}"), eksctl("other")].join("---\n")),
        (Unsure, [with("{namespace: shop}"), eksctl("other").replace("prod", "dev")].join("---\n")),
        (Silent, eksctl("shopping")),
        (Silent, with("{namespace: other}")),
        (Silent, with("{namespace: shop, labels: {app: web, tier: front}}")),
        (Silent, with("{labels: {app: web}}")),
        (Silent, profile(upbound, "forProvider: {roleSelector: [{namespace: shop}]}")),
        (Silent, profile("example.com/v1\nkind: FargateProfile", shop)),
    ]
}
