//! `hostnet check --as policy` for every workload of the corpora: evaluated by the API server's own CEL compiler, the
//! policies reject an object exactly if a check of that object has findings.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use hostnet::api::Day;
use hostnet::catalog::WORKLOAD_KINDS;
use hostnet::kinds::check::{Configs, policies, run as check};
use hostnet::rule::Severity;
use k8s_openapi::api::core::v1::PodSpec;
use krm::{Input, Origin};
use serde_json::{Value, json};

use crate::everything::{external, own};
use crate::support::{find_program, judged, not_run, run, text};

/// A check with many features of policies, and recorded numbers.
const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetworkCheck
spec:
  exclude: [{namespace: kube-.*}, {kind: Job, name: .*-init}]
  suppress:
  - {rule: dns-policy, select: {kind: Pod}, reason: known}
  - {rule: host-port, select: {kind: DaemonSet}, ports: [8080], reason: known}
---
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
spec:
  targets: [{select: {name: web}}]
  portPool: 8000-9999
  reserved: [9100]
  assigned: {shop/Deployment/web/http: 8080, cert-manager/Deployment/cert-manager/http-metrics: 9402}
  shared: [{port: 9402, between: [cert-manager/Deployment/cert-manager, cert-manager/Deployment/cert-manager-webhook]}]
";

const RULES: [&str; 3] = ["dns-policy", "host-port", "port-conflict"];

fn configs() -> Configs {
    let mut configs = Configs::default();
    configs.add(CONFIG, "check.yaml").unwrap();
    configs
}

fn today() -> Day {
    Day::read("2026-11-22").unwrap()
}

/// Returns every workload of the corpora, unchanged and on the host network in several variants that the rules check.
fn objects() -> Vec<Value> {
    let kinds: BTreeSet<&str> = WORKLOAD_KINDS.iter().map(|row| row.kind).collect();
    let units = own().into_iter().chain(external()).flat_map(|corpus| corpus.units);
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    for (_, text) in units.flat_map(|unit| unit.files) {
        for document in serde_yaml::Deserializer::from_str(&text) {
            let Ok(document) = <Value as serde::Deserialize>::deserialize(document) else { break };
            let items = document["items"].as_array().cloned().unwrap_or_else(|| vec![document]);
            for mut object in items {
                without_nulls(&mut object);
                if object["kind"].as_str().is_some_and(|kind| kinds.contains(kind)) && arrives(&object) {
                    all.insert(object.to_string(), object);
                }
            }
        }
    }
    let forced = all.values().enumerate().filter_map(|(index, object)| on_host(object, index));
    all.values().cloned().chain(forced.collect::<Vec<_>>()).collect()
}

/// True if the API server evaluates policies for an object: it can decode it, and the object is not being deleted.
/// Objects with variables are excluded, because a variable in a number field is text.
fn arrives(object: &Value) -> bool {
    let specs = ["/spec", "/template/spec", "/spec/template/spec", "/spec/jobTemplate/spec/template/spec"];
    let mut specs =
        specs.iter().filter_map(|path| object.pointer(path)).filter(|spec| spec.get("containers").is_some());
    let is_read = specs.all(|spec| serde_json::from_value::<PodSpec>(spec.clone()).is_ok());
    let is_kept = object["metadata"].get("deletionTimestamp").is_none() && object["apiVersion"].is_string();
    let text = object.to_string();
    is_read && is_kept && !text.contains('$') && !text.contains("config.kubernetes.io/local-config")
}

/// Removes null fields, as the API server does.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// Returns the object with its first pod template on the host network.
fn on_host(object: &Value, index: usize) -> Option<Value> {
    let mut object = object.clone();
    let spec = object.pointer_mut("/spec/template/spec").filter(|spec| spec["containers"].is_array())?;
    let map = spec.as_object_mut()?;
    map.insert("hostNetwork".into(), json!(true));
    if let Some(policy) = [None, Some("ClusterFirst"), Some("ClusterFirstWithHostNet"), Some("Default")][index % 4] {
        map.insert("dnsPolicy".into(), json!(policy));
    }
    if index.is_multiple_of(5) {
        map.insert("nodeSelector".into(), json!({"kubernetes.io/os": "windows"}));
    }
    let port = spec.pointer_mut("/containers/0/ports/0").and_then(Value::as_object_mut);
    if let Some(port) = port.filter(|_| index.is_multiple_of(3)) {
        port.insert("hostPort".into(), json!(8443));
    }
    if index.is_multiple_of(7) {
        let reasons = ["8080: known", "known", "8443,9090: known", " "];
        let rule = format!("ignore.hostnet.dev/{}", RULES[index % 3]);
        let annotations = object["metadata"].as_object_mut()?.entry("annotations").or_insert(json!({}));
        annotations.as_object_mut()?.insert(rule, json!(reasons[index % 4]));
    }
    Some(object)
}

/// Returns the rules with findings for this object alone, without suppressed findings.
fn found(object: &Value, configs: &Configs) -> BTreeSet<String> {
    let input = Input::read(Origin::file("object.json"), object.to_string().into_bytes()).unwrap();
    let report = check(&mut [input], Vec::new(), configs, today()).unwrap();
    let open = report.entries.iter().filter(|entry| entry.suppressed.is_none() && entry.severity != Severity::Info);
    // Other webhooks reject a missing `hostPort`, and a conflict of two objects is not visible in one object.
    let is_judged = |message: &str, rule: &str| match rule {
        "host-port" => !message.contains(": no hostPort for "),
        "port-conflict" => message.contains("of the config"),
        _ => true,
    };
    let open = open.filter(|entry| RULES.contains(&entry.rule.id) && is_judged(&entry.message, entry.rule.id));
    open.map(|entry| entry.rule.id.to_owned()).collect()
}

#[test]
fn policies_reject_exactly_the_findings_of_a_check() {
    let Some(referee) = find_program("admission-policy") else {
        return not_run("admission-policy is missing (`make tools` builds it with Go)");
    };
    let configs = configs();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), policies(&configs, today()).unwrap()).unwrap();
    let objects = objects();
    let stream: String = objects.iter().map(|object| format!("{}\n", json!({ "object": object }))).collect();
    let output = run(Command::new(referee).arg(file.path()), stream.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answers: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), objects.len());
    let (mut wrong, mut refused) = (Vec::new(), BTreeMap::<String, usize>::new());
    for (object, answer) in objects.iter().zip(&answers) {
        let refusals = answer.as_array().unwrap();
        let rules = refusals.iter().map(|refusal| refusal["policy"].as_str().unwrap());
        let rules = rules.map(|policy| policy.replace("-sidecars", "").replace(".hostnet.dev", ""));
        let rules: BTreeSet<String> = rules.collect();
        let found = found(object, &configs);
        for rule in &rules {
            *refused.entry(rule.clone()).or_default() += 1;
        }
        if rules != found || refusals.iter().any(|refusal| refusal["failed"] == true) {
            wrong.push(format!("check {found:?}, policies {answer}: {object}"));
        }
    }
    judged("CEL of Kubernetes v1.37", &format!("workloads against policies: {}", objects.len()), wrong.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), objects.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(RULES.iter().all(|rule| refused.get(*rule) > Some(&50)), "{refused:?}");
}
