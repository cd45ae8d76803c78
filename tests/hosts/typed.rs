//! Decodes objects with Kubernetes' own types, as the API server does.

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use serde::de::DeserializeOwned;

/// Decodes all objects of a stream and returns their number. Panics on invalid objects and unknown kinds.
pub(crate) fn deserialize_all(stream: &str) -> usize {
    let mut count = 0;
    for document in serde_yaml::Deserializer::from_str(stream) {
        let value = <serde_yaml::Value as serde::Deserialize>::deserialize(document).unwrap();
        if !value.is_null() {
            deserialize(serde_json::to_value(value).unwrap());
            count += 1;
        }
    }
    count
}

fn deserialize(object: serde_json::Value) {
    match object["kind"].as_str().unwrap() {
        "ConfigMap" => assert_parses::<ConfigMap>(object),
        "DaemonSet" => assert_parses::<DaemonSet>(object),
        "Deployment" => assert_parses::<Deployment>(object),
        "MutatingWebhookConfiguration" => assert_parses::<MutatingWebhookConfiguration>(object),
        "Namespace" => assert_parses::<Namespace>(object),
        "NetworkPolicy" => assert_parses::<NetworkPolicy>(object),
        "Pod" => assert_parses::<Pod>(object),
        "Service" => assert_parses::<Service>(object),
        "ServiceAccount" => assert_parses::<ServiceAccount>(object),
        "StatefulSet" => assert_parses::<StatefulSet>(object),
        "ValidatingWebhookConfiguration" => assert_parses::<ValidatingWebhookConfiguration>(object),
        kind => panic!("unknown kind {kind}"),
    }
}

fn assert_parses<T: DeserializeOwned>(object: serde_json::Value) {
    let text = object.to_string();
    if let Err(error) = serde_json::from_value::<T>(object) {
        panic!("{error}: {text}");
    }
}

#[test]
#[should_panic(expected = "expected i32")]
fn a_text_is_not_a_port() {
    deserialize_all("{kind: Pod, spec: {containers: [{name: a, ports: [{containerPort: '80'}]}]}}");
}
