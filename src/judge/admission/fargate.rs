//! AWS Fargate: EKS runs the pods that a profile selects on Fargate, which runs no pods on the host network or with host
//! ports, and no pods of a `DaemonSet`.
//!
//! Source: awsdocs/amazon-eks-user-guide `latest/ug/nodes/fargate.adoc` and `fargate-profile.adoc` (selectors, wildcards);
//! examples of crossplane-contrib/provider-aws and provider-upjet-aws `examples/eks/fargateprofile.yaml`, eksctl-io/eksctl
//! `examples/16-fargate-profile.yaml`, aws-controllers-k8s/eks-controller `apis/v1alpha1/fargate_profile.go`.

use super::policy::{Certainty, Outcome, Policy};
use super::read::{at, glob, items, scalar, text};
use super::subject::Pods;
use crate::model::Meta;
use lossless_yaml::Value;

/// Paths of the selectors in an object with one profile.
const SELECTORS: [&[&str]; 4] = [
    &["spec", "selectors"],
    &["spec", "forProvider", "selectors"],
    &["spec", "forProvider", "selector"],
    &["spec", "initProvider", "selector"],
];

/// Paths of the name of the cluster in an object with one profile.
const CLUSTERS: [&[&str]; 4] = [
    &["spec", "clusterName"],
    &["spec", "clusterRef", "from", "name"],
    &["spec", "forProvider", "clusterName"],
    &["spec", "forProvider", "clusterNameRef", "name"],
];

/// A profile, or a config of eksctl with profiles.
pub(super) struct FargateProfiles<'m> {
    pub(super) meta: &'m Meta,
    pub(super) object: &'m Value,
    /// True if the input has profiles of several clusters, so that the cluster of the pods is unknown.
    pub(super) has_other_clusters: bool,
}

/// True for an object that the Fargate rules read.
pub(super) fn has_profiles(meta: &Meta) -> bool {
    matches!(meta.gvk.kind.as_str(), "FargateProfile" | "AWSFargateProfile") || meta.gvk.group == "eksctl.io"
}

/// Name of the cluster of an object with profiles.
pub(super) fn cluster<'m>(meta: &'m Meta, object: &'m Value) -> Option<&'m str> {
    let named = || CLUSTERS.into_iter().find_map(|path| text(object, path));
    if meta.gvk.group == "eksctl.io" { Some(&meta.name) } else { named() }
}

impl Policy for FargateProfiles<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        if !pods.has_host_fields() || pods.view.meta.gvk.kind.ends_with("DaemonSet") {
            return None;
        }
        let one =
            SELECTORS.into_iter().flat_map(|path| items(self.object, path)).any(|selector| selects(selector, pods));
        let listed = items(self.object, &["fargateProfiles"]).iter();
        let listed =
            listed.filter(|profile| items(profile, &["selectors"]).iter().any(|selector| selects(selector, pods)));
        let parts: Vec<String> =
            listed.map(|profile| text(profile, &["name"]).unwrap_or_default().to_owned()).collect();
        let certainty = if self.has_other_clusters { Certainty::May } else { Certainty::Refuses };
        (one || !parts.is_empty()).then_some(Outcome { certainty, parts })
    }

    fn name(&self, parts: &[String]) -> String {
        let profile = if parts.is_empty() { String::new() } else { format!("profile {} of ", parts.join(", ")) };
        format!("{profile}{}, which selects the Pods for AWS Fargate,", self.meta)
    }

    fn remedy(&self, _: &Pods<'_>, _: &[String]) -> String {
        "change its `selectors` so that they do not match these Pods".to_owned()
    }
}

/// True if the selector of a profile selects pods: by namespace, and by all of its labels.
fn selects(selector: &Value, pods: &Pods<'_>) -> bool {
    let labels = at(selector, &["labels"]).map(Value::entries).unwrap_or_default();
    let has = |(key, value): &(String, Value)| {
        let value = scalar(value).unwrap_or_default();
        pods.view.template.labels.iter().any(|(own, label)| glob(key, own) && glob(&value, label))
    };
    let namespace = text(selector, &["namespace"]).zip(pods.namespace());
    namespace.is_some_and(|(pattern, own)| glob(pattern, own)) && labels.iter().all(has)
}
