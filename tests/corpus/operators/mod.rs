//! Ten operators in one input: five from the catalog, and five with the same webhook number that no manifest sets. One
//! operator of the catalog has a version that cannot change its number. All workloads that the API server calls move,
//! or a message names them with the line to add.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::run::{Run, hostnet};

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: called}
spec:
  targets:
  - select: {calledByApiServer: true}
    ports: auto
";

/// Operators of the catalog, with manifests of the truth set.
const KNOWN: [&str; 5] = ["capsule", "external-secrets", "kueue", "lws", "victoria-metrics-operator"];

/// Operators that are not in the catalog, each with the file of its help text and its container.
const UNKNOWN: [(&str, &str); 5] = [
    ("cacppt", "cacppt-system/cacppt-controller-manager"),
    ("capi-test-extension", "test-extension-system/test-extension-manager"),
    ("greenhouse-authz", "greenhouse/greenhouse-webhook"),
    ("hmc-controller", "hmc-system/hmc-controller-manager"),
    ("marin3r-webhook", "marin3r-system/marin3r-controller-webhook"),
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A folder with the config and one file with all manifests.
fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let known = KNOWN.map(|name| project().join("corpus/truth").join(name).join("input.yaml"));
    let files = known.into_iter().chain([project().join("corpus/operators/unknown.yaml")]);
    let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    std::fs::write(folder.path().join("input.yaml"), texts.join("---\n")).unwrap();
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    folder
}

fn apply(folder: &TempDir) -> Run {
    hostnet(folder.path(), &["apply", "-v", "-c", "config.yaml", "input.yaml"], b"")
}

/// Returns the Deployments of Services in webhook configurations, and the subset on the host network.
fn called(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let objects: Vec<Value> =
        serde_yaml::Deserializer::from_str(text).map(|one| serde::Deserialize::deserialize(one).unwrap()).collect();
    let of_kind = |kind: &str| objects.iter().filter(move |one| one["kind"].as_str() == Some(kind)).collect::<Vec<_>>();
    let mut found = (BTreeSet::new(), BTreeSet::new());
    let hooks = [of_kind("ValidatingWebhookConfiguration"), of_kind("MutatingWebhookConfiguration")].concat();
    let hooks = hooks.iter().flat_map(|one| one["webhooks"].as_array().unwrap());
    for service in hooks.map(|hook| &hook["clientConfig"]["service"]) {
        let is_it = |one: &&&Value| {
            let metadata = &one["metadata"];
            (&metadata["name"], &metadata["namespace"]) == (&service["name"], &service["namespace"])
        };
        let selector = of_kind("Service").iter().find(is_it).unwrap()["spec"]["selector"].clone();
        let workloads = of_kind("Deployment").into_iter().filter(|one| {
            let labels = &one["spec"]["template"]["metadata"]["labels"];
            let has = |(key, value): (&String, &Value)| labels[key] == *value;
            one["metadata"]["namespace"] == service["namespace"] && selector.as_object().unwrap().iter().all(has)
        });
        for workload in workloads {
            let name = workload["metadata"]["name"].as_str().unwrap().to_owned();
            if workload["spec"]["template"]["spec"]["hostNetwork"] == true {
                found.1.insert(name.clone());
            }
            found.0.insert(name);
        }
    }
    found
}

#[test]
fn workloads_that_stay_are_named_with_a_remedy() {
    let run = apply(&folder(CONFIG));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (all, moved) = called(&run.text());
    assert_eq!((all.len(), moved.len()), (10, 7), "{moved:?}");
    let left: Vec<&String> = all.difference(&moved).collect();
    let lines: Vec<&str> =
        run.stderr.lines().filter(|line| line.contains("9443") && line.contains("not changed")).collect();
    assert!(lines.len() == 1 && left.iter().all(|name| lines[0].contains(name.as_str())), "{left:?}: {}", run.stderr);
    // Adds the line that the message suggests.
    let line = lines[0].split('`').find(|part| part.starts_with("nodes: ")).unwrap();
    let run = apply(&folder(&format!("{CONFIG}  {line}\n")));
    let (all, moved) = called(&run.text());
    assert_eq!((run.code, all.difference(&moved).count()), (Some(0), 0), "{}", run.stderr);
}

#[test]
fn with_learned_bind_lines_all_operators_move() {
    let folder = folder(CONFIG);
    for (help, workload) in UNKNOWN {
        let help = std::fs::read(project().join("rules/learn/helps").join(format!("{help}.txt"))).unwrap();
        let run = hostnet(folder.path(), &["learn", "--write", "-c", "config.yaml", workload, "input.yaml"], &help);
        assert_eq!(run.code, Some(0), "{workload}: {}", run.stderr);
    }
    let run = apply(&folder);
    let (all, moved) = called(&run.text());
    assert_eq!((run.code, moved.len(), all.len()), (Some(0), 10, 10), "{}", run.stderr);
    // One operator of the catalog has a version that cannot change its number.
    assert_eq!(run.text().matches("hostPort: 9443").count(), 1);
    assert!(!run.stderr.contains("[port-conflict]"), "{}", run.stderr);
}
