//! Rule `knative`.

use super::reported;
use crate::support::results::worded;
use insta::assert_snapshot;

fn service(spec: &str) -> String {
    format!(
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{template: {{spec: {spec}}}}}\n"
    )
}

#[test]
fn a_knative_service_on_the_host_network() {
    assert_snapshot!(worded(reported("knative", &service("{hostNetwork: true}"))), @"error: a.yaml:4:39: Service shop/web: spec.template.spec.hostNetwork is true; Knative's webhook refuses it unless the feature `kubernetes.podspec-hostnetwork` is enabled, and its proxy in each pod always takes 8012, 8013, 8022, 9090 and 9091: one pod a node. Remove it");
}

#[test]
fn a_knative_service_in_the_pod_network_is_not_reported() {
    assert_eq!(reported("knative", &service("{containers: []}")), "");
    assert_eq!(reported("knative", &service("{hostNetwork: false}")), "");
}
