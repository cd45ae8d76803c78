//! The API server's own validation as a referee of the rules `host-port`, `port-conflict` (within a pod) and
//! `pod-forbids`, and of `document` for webhooks: for generated objects `check` reports an error exactly if the API
//! server of that version rejects the object. `make referees` compares about 20,000 objects with all versions of Kubernetes, a normal
//! test run about 1,000 with two versions.

use std::collections::BTreeSet;

use hostnet::api::Day;
use hostnet::kinds::check::{Configs, run as check};
use hostnet::render::check::Report;
use krm::{Input, Origin};
use serde_json::{Map, Value, json};

use super::support::validation::refused;
use super::support::{judged, runs_slow_tests};

/// Pseudo-random numbers that are equal in every run (Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn pick(&mut self, values: &[Value]) -> Value {
        values[self.roll(values.len())].clone()
    }

    /// Sets a field to one of these values; null omits the field.
    fn set(&mut self, map: &mut Map<String, Value>, key: &str, values: &[Value]) {
        let value = self.pick(values);
        if !value.is_null() {
            map.insert(key.to_owned(), value);
        }
    }
}

fn port(dice: &mut Dice) -> Value {
    let numbers = [json!(80), json!(8080), json!(8081)];
    let mut port = Map::new();
    let number = dice.pick(&numbers);
    let host = [Value::Null, number.clone(), number.clone(), json!(0), dice.pick(&numbers)];
    port.insert("containerPort".to_owned(), number);
    dice.set(&mut port, "hostPort", &host);
    dice.set(&mut port, "protocol", &[Value::Null, Value::Null, json!("TCP"), json!("UDP"), json!("SCTP")]);
    let address = [Value::Null, Value::Null, Value::Null, json!(""), json!("0.0.0.0"), json!("127.0.0.1"), json!("::")];
    dice.set(&mut port, "hostIP", &address);
    port.into()
}

fn containers(dice: &mut Dice, name: &str, count: usize, fields: &[(&str, &[Value])]) -> Value {
    let container = |index: usize| {
        let mut container = Map::new();
        container.insert("name".to_owned(), format!("{name}{index}").into());
        container.insert("image".to_owned(), "example/web:v1".into());
        let ports: Vec<Value> = (0..dice.roll(4)).map(|_| port(dice)).collect();
        container.insert("ports".to_owned(), ports.into());
        for (key, values) in fields {
            dice.set(&mut container, key, values);
        }
        Value::Object(container)
    };
    (0..count).map(container).collect()
}

fn pod_spec(dice: &mut Dice) -> Value {
    let mut spec = Map::new();
    let count = 1 + dice.roll(2);
    spec.insert("containers".to_owned(), containers(dice, "c", count, &[]));
    let sidecars = dice.roll(3).saturating_sub(1);
    let always = [Value::Null, json!("Always")];
    spec.insert("initContainers".to_owned(), containers(dice, "i", sidecars, &[("restartPolicy", &always)]));
    dice.set(&mut spec, "hostNetwork", &[json!(true), json!(true), json!(true), json!(false), Value::Null]);
    let rare = |value: Value| [vec![Value::Null; 9], vec![value]].concat();
    dice.set(&mut spec, "hostUsers", &[rare(json!(false)), vec![json!(true)]].concat());
    dice.set(&mut spec, "hostnameOverride", &rare(json!("web")));
    let sysctl = |name: &str| json!({"sysctls": [{"name": name, "value": "1"}]});
    let sysctls = [rare(sysctl("net.ipv4.tcp_syncookies")), rare(sysctl("kernel.shm_rmid_forced"))].concat();
    dice.set(&mut spec, "securityContext", &sysctls);
    spec.into()
}

/// Rules that an object breaks: `host-port`, `port-conflict` within a pod, `pod-forbids`.
#[derive(Debug, PartialEq, Eq)]
struct Breaks {
    host_port: bool,
    twice: bool,
    forbids: bool,
}

fn by_the_api_server(errors: &[String]) -> Breaks {
    let says = |words: &[&str]| errors.iter().any(|error| words.iter().any(|word| error.contains(word)));
    Breaks {
        host_port: says(&["must match `containerPort`", "must match `hostPort`"]),
        twice: errors.iter().any(|error| error.contains("hostPort: Duplicate value")),
        forbids: says(&[
            "ostUsers` is false",
            "may not be specified when hostNetwork",
            "may not be specified when 'hostNetwork'",
        ]),
    }
}

fn by_the_check(line: &str, object: &Value) -> Breaks {
    let report = report(line, object);
    let error = |rule: &str, says: &str| {
        let mut entries = report.entries.iter();
        entries.any(|entry| entry.rule.id == rule && entry.severity.as_str() == "error" && entry.message.contains(says))
    };
    Breaks {
        host_port: error("host-port", ""),
        twice: error("port-conflict", "the API server refuses its Pods"),
        forbids: error("pod-forbids", "the API server refuses"),
    }
}

/// The report of a check for this version of Kubernetes.
fn report(line: &str, object: &Value) -> Report {
    let mut configs = Configs::default();
    let config = json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetworkCheck", "spec": {"versions": {"kubernetes": line}}});
    configs.add(&config.to_string(), "check.yaml").unwrap();
    let mut inputs = [Input::read(Origin::file("a.json"), object.to_string().into_bytes()).unwrap()];
    check(&mut inputs, Vec::new(), &configs, Day::read("2026-11-22").unwrap()).unwrap()
}

/// Compares `count` Pods and as many Deployments with the validation of one Kubernetes version.
fn compare(line: &str, count: usize) {
    let mut dice = Dice(7);
    let specs: Vec<Value> = (0..count).map(|_| pod_spec(&mut dice)).collect();
    let pod = |spec: &Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec});
    let deployment = |spec: &Value| {
        let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": spec});
        let spec = json!({"selector": {"matchLabels": {"app": "web"}}, "template": template});
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    };
    let objects: Vec<Value> = specs.iter().flat_map(|spec| [pod(spec), deployment(spec)]).collect();
    let questions: Vec<Value> = objects.iter().map(|object| json!({"as": "object", "object": object})).collect();
    let Some(refused) = refused(line, &questions) else { return };
    let mut differences = Vec::new();
    let mut broken = [0; 3];
    for (objects, refused) in objects.chunks(2).zip(refused.chunks(2)) {
        let of_pod = by_the_api_server(&refused[0]);
        for (index, object) in objects.iter().enumerate() {
            // The API server sets host ports only in Pods, so only Pods show duplicate numbers.
            let wanted = Breaks { twice: of_pod.twice, ..by_the_api_server(&refused[index]) };
            let log = by_the_check(line, object);
            for (count, is_broken) in broken.iter_mut().zip([wanted.host_port, wanted.twice, wanted.forbids]) {
                *count += usize::from(is_broken);
            }
            if log != wanted {
                differences.push(format!("{object}\n  check: {log:?}\n  API server: {:?}", refused[index]));
            }
        }
    }
    let what = format!("findings of `hostnet check` about Pods and Deployments: {}", objects.len());
    judged(&format!("validation of Kubernetes {line}"), &what, differences.len());
    let shown = differences.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{line}: {} differences:\n{shown}", differences.len());
    // Older versions do not have the fields that `pod-forbids` reports.
    let wanted = if line == "v1.37" { 3 } else { 2 };
    assert!(broken.iter().take(wanted).all(|broken| *broken > count / 50), "{line}: {broken:?}");
}

#[test]
fn the_check_agrees_with_the_api_server() {
    for line in ["v1.28", "v1.37"] {
        compare(line, 1000);
    }
}

#[test]
fn the_check_agrees_with_all_versions_of_the_api_server() {
    if !runs_slow_tests("a check against the validation of every line of Kubernetes") {
        return;
    }
    for line in ["v1.27", "v1.28", "v1.30", "v1.37"] {
        compare(line, 20_000);
    }
}

/// Fields of a webhook that are invalid, as the API server groups them: it takes the name of a Service for its namespace.
fn groups(paths: impl Iterator<Item = String>) -> BTreeSet<&'static str> {
    let group = |path: String| {
        let own = path.strip_prefix("webhooks[0].").unwrap_or(&path);
        match own {
            "sideEffects" => "sideEffects",
            "failurePolicy" => "failurePolicy",
            "clientConfig.service.port" => "port",
            "clientConfig.service.name" | "clientConfig.service.namespace" => "service",
            "clientConfig" | "clientConfig.url" | "clientConfig.service" => "clientConfig",
            _ => panic!("{path}"),
        }
    };
    paths.map(group).collect()
}

#[test]
fn the_check_agrees_about_webhooks() {
    let side_effects =
        [Value::Null, json!("None"), json!("NoneOnDryRun"), json!("Some"), json!("Unknown"), json!("none")];
    let policies = [Value::Null, json!("Fail"), json!("ignore")];
    let clients = [
        Value::Null,
        json!({}),
        json!({"service": {"name": "a", "namespace": "b"}}),
        json!({"service": {"name": "a"}}),
        json!({"service": {"namespace": "b", "port": 443}}),
        json!({"service": {"name": "", "namespace": "b"}}),
        json!({"service": {"name": "a", "namespace": null, "port": 0}}),
        json!({"service": {}}),
        json!({"url": "https://a.example/b"}),
        json!({"url": "http://a.example/b"}),
        json!({"url": "https://a.example/b", "service": {"name": "a", "namespace": "b"}}),
    ];
    let mut objects = Vec::new();
    for kind in ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] {
        for (side_effects, policy) in side_effects.iter().flat_map(|one| policies.iter().map(move |two| (one, two))) {
            for client in &clients {
                let mut webhook = json!({"name": "a.b.c", "admissionReviewVersions": ["v1"]});
                for (key, value) in [("sideEffects", side_effects), ("failurePolicy", policy), ("clientConfig", client)]
                {
                    if !value.is_null() {
                        webhook[key] = value.clone();
                    }
                }
                objects.push(json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "a"}, "webhooks": [webhook]}));
            }
        }
    }
    let questions: Vec<Value> = objects.iter().map(|object| json!({"as": "object", "object": object})).collect();
    let Some(refused) = refused("v1.37", &questions) else { return };
    let mut differences = Vec::new();
    for (object, refused) in objects.iter().zip(&refused) {
        let wanted = groups(refused.iter().map(|error| error.split(": ").next().unwrap().to_owned()));
        let report = report("v1.37", object);
        let own = report.entries.iter().filter(|entry| entry.rule.id == "document");
        let found = groups(own.map(|entry| entry.path.as_ref().unwrap().to_string()));
        if found != wanted {
            differences.push(format!("{object}\n  check: {found:?}\n  API server: {refused:?}"));
        }
    }
    let what = format!("findings about webhooks: {}", objects.len());
    judged("validation of Kubernetes v1.37", &what, differences.len());
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}
