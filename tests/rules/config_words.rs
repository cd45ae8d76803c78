//! Fields of a HostNetwork with a fixed set of words: a HostNetwork and a ConfigMap accept the same words, and only
//! words that Kubernetes accepts reach a pod.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

use hostnet::api::{AnyConfig, json_schema};
use hostnet::kinds;
use krm::{Input, Origin};
use serde_json::Value;

const MANIFEST: &str = "\
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: open}
spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, ports: [{name: http, containerPort: 8080}]}]}}}
";

/// The values of a pod's `dnsPolicy`.
/// Source: kubernetes v1.37 `pkg/apis/core/validation/validation.go`, `validateDNSPolicy`.
const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/// The fields of the spec with a fixed set of words, and the words.
fn words() -> Vec<(String, Vec<String>)> {
    let schema = json_schema();
    let spec = schema["$defs"]["HostNetworkSpec"]["properties"].as_object().unwrap();
    let of = |field: &Value| -> Option<Vec<String>> {
        let name = field["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        let of_one = |form: &Value| {
            let listed = form["enum"].as_array().into_iter().flatten().chain(form.get("const"));
            listed.map(|word| word.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
        };
        let definition = &schema["$defs"][name];
        let forms = definition["oneOf"].as_array().cloned().unwrap_or_else(|| vec![definition.clone()]);
        let words = forms.iter().map(of_one).collect::<Option<Vec<_>>>()?.concat();
        (!words.is_empty() && forms.iter().all(|form| form["type"] == "string")).then_some(words)
    };
    spec.iter().filter_map(|(name, field)| Some((name.clone(), of(field)?))).collect()
}

/// The output and the results of a run.
fn run(config: &str) -> (String, Vec<String>) {
    let config = AnyConfig::read(config, "config.yaml", 1).unwrap();
    let input = Input::read(Origin::stdin(), MANIFEST.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, false).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    (String::from_utf8(output).unwrap(), run.results.iter().map(ToString::to_string).collect())
}

#[test]
fn both_forms_of_a_config_read_the_same_words() {
    let fields = words();
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert!(["dnsPolicy", "podSecurity", "rollout", "unmatched"].iter().all(|name| names.contains(name)), "{names:?}");
    for (field, words) in &fields {
        for word in words {
            let whole = format!(
                "{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {{{field}: {word}, targets: [{{select: {{kind: Deployment}}, ports: \
                 auto}}]}}}}"
            );
            let flat = format!(
                "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}, data: {{kind: Deployment, ports: auto, {field}: {word}}}}}"
            );
            let read = AnyConfig::read(&flat, "config.yaml", 1).err().map(|error| error.to_string());
            assert_eq!(read, None, "a line for `{field}` is missing in src/api/config_map.rs");
            assert_eq!(run(&flat), run(&whole), "{field}: {word}");
        }
        let wrong = format!("{{apiVersion: v1, kind: ConfigMap, data: {{kind: Deployment, {field}: Nonsense}}}}");
        let error = AnyConfig::read(&wrong, "config.yaml", 1).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(&format!("`{word}`"))), "{error}");
    }
}

/// Only words that Kubernetes accepts reach a pod.
#[test]
fn every_dns_policy_that_is_written_is_one_of_kubernetes() {
    let fields = words();
    let (_, words) = fields.iter().find(|(name, _)| name == "dnsPolicy").unwrap();
    // `None` needs name servers in the pod.
    for word in words.iter().filter(|word| *word != "None") {
        let config = format!(
            "{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {{dnsPolicy: {word}, targets: [{{select: {{kind: Deployment}}}}]}}}}"
        );
        let (output, _) = run(&config);
        let written = output.split("dnsPolicy: ").skip(1);
        let written: Vec<&str> = written.map(|value| value.split([',', '}', '\n']).next().unwrap()).collect();
        assert!(
            !written.is_empty() && written.iter().all(|value| DNS_POLICIES.contains(value)),
            "dnsPolicy: {word} writes {written:?}"
        );
    }
}
