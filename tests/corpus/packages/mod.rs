//! Unchanged packages of public repositories: the output for each file is complete, or the file is refused with a
//! message that states the remedy. The checks of the output do not use the product's code.

// Helper functions may panic like the tests themselves; clippy.toml only excuses functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(clippy::print_stderr, reason = "a skipped test is loud")]

use crate::support::crossplane;
use crate::support::deployments;
use crate::support::files;
mod loss;
mod mirror;
mod moved;
mod objects;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use files::{File, Outcome, corpus, groups};
use insta::assert_snapshot;
use objects::{find, is, objects, providers};
use serde_yaml::Value;

/// Every file with its results for `ports: auto` and `ports: keep`.
static APPLIED: LazyLock<Vec<(File, [Outcome; 2])>> =
    LazyLock::new(|| corpus().into_iter().map(|file| (file.clone(), PORTS.map(|ports| file.applied(ports)))).collect());
const PORTS: [&str; 2] = ["auto", "keep"];

/// Returns every run: the file, `ports`, and the result.
fn runs() -> impl Iterator<Item = (&'static File, &'static str, &'static Outcome)> {
    APPLIED
        .iter()
        .flat_map(|(file, outcomes)| PORTS.iter().zip(outcomes).map(move |(ports, outcome)| (file, *ports, outcome)))
}

/// Snapshot of the result for each file, with the reason.
#[test]
fn the_table_of_all_files() {
    if APPLIED.is_empty() {
        return;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, ports, outcome) in runs() {
        *counts.entry(format!("{ports}: {}", outcome.what)).or_default() += 1;
    }
    let lines = APPLIED.iter().flat_map(|(File { name, .. }, [auto, keep])| {
        let (auto, keep) = (auto.line(), keep.line());
        if auto == keep {
            vec![format!("{name}: {auto}")]
        } else {
            vec![format!("{name}:"), format!("  auto: {auto}"), format!("  keep: {keep}")]
        }
    });
    let table: Vec<String> = lines.collect();
    assert_snapshot!(format!("{counts:#?}"), @r#"
    {
        "auto: changed": 32,
        "auto: refused": 6,
        "auto: unchanged": 56,
        "keep: changed": 32,
        "keep: refused": 6,
        "keep: unchanged": 56,
    }
    "#);
    insta::with_settings!({prepend_module_to_snapshot => false, snapshot_path => ".", omit_expression => true}, {
        assert_snapshot!("table", table.join("\n"));
    });
}

/// Returns the expected result for a file, from its objects alone.
fn expected(file: &File, ports: &str) -> &'static str {
    let Some(objects) = objects(&file.text) else { return "unchanged" };
    let all: Vec<&Value> = providers(&objects).collect();
    if all.is_empty() && objects.iter().any(|object| is(object, "Provider")) {
        // A Provider without `spec.package`.
        return "refused";
    }
    let is_there = |kind: &str, reference: &str, package: &Value| {
        let name = package["spec"][reference]["name"].as_str();
        name.is_none_or(|name| name == "default" || find(&objects, kind, name).is_some())
    };
    let complete = |package: &&Value| {
        is_there("DeploymentRuntimeConfig", "runtimeConfigRef", package)
            && is_there("ControllerConfig", "controllerConfigRef", package)
    };
    match all.len() {
        0 => "unchanged",
        // The settings of a runtime config in another file would be lost.
        _ if !all.iter().all(complete) => "refused",
        // All Providers use 8080 and 9443, so each of them needs a node; three nodes are assumed.
        4.. if ports == "keep" => "refused",
        _ => "changed",
    }
}

#[test]
fn movable_packages_move() {
    for (file, ports, outcome) in runs() {
        assert_eq!(outcome.what, expected(file, ports), "{} with {ports}: {}", file.name, outcome.log);
    }
}

/// An error names the object and a remedy.
#[test]
fn a_refusal_names_the_remedy() {
    for (file, _, outcome) in runs().filter(|(.., outcome)| outcome.what == "refused") {
        assert_eq!(outcome.after, "", "{}", file.name);
        for error in outcome.errors() {
            let remedy = [
                "Add it to the input, or write `",
                "Give one of the two another number in `ports`. ",
                "it has no spec.package",
            ];
            assert!(error.contains("Provider ") && remedy.iter().any(|one| error.contains(one)), "{error}");
        }
    }
}

#[test]
fn no_file_loses_a_setting() {
    let mut faults = Vec::new();
    let mut compared = 0;
    for (name, before, after) in changed() {
        compared += before.iter().map(|object| objects::scalars(object).len()).sum::<usize>();
        faults.extend(loss::lost(&before, &after).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if compared > 0 {
        assert_snapshot!(format!("{compared} scalars"), @"859 scalars");
    }
}

#[test]
fn moved_packages_are_on_the_host_network_with_unique_ports() {
    let mut faults = Vec::new();
    let mut count = 0;
    for (name, before, after) in changed() {
        count += providers(&before).count();
        // The scheduler keeps Providers with one number on different nodes.
        let is_fault = |fault: &String| !name.ends_with("keep") || !fault.contains(" are both on ");
        faults.extend(moved::faults(&after).into_iter().filter(is_fault).map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if count > 0 {
        assert_snapshot!(format!("{count} Providers"), @"78 Providers");
    }
}

/// Returns all changed files and groups of files, with their objects before and after.
fn changed() -> impl Iterator<Item = (String, Vec<Value>, Vec<Value>)> {
    let outcomes = runs().filter(|(.., outcome)| outcome.what == "changed");
    let files = outcomes.map(|(File { name, text }, ports, outcome)| {
        (format!("{name} with {ports}"), text.clone(), outcome.after.clone())
    });
    let groups = groups().into_iter().filter_map(|group| {
        let outcome = group.applied();
        (outcome.what == "changed").then(|| (group.name.clone(), group.text(), outcome.after))
    });
    files.chain(groups).map(|(name, before, after)| {
        let read = |stream: &str| objects(stream).unwrap_or_else(|| panic!("{name}: unreadable:\n{stream}"));
        let (before, after) = (read(&before), read(&after));
        (name, before, after)
    })
}

/// Files that only together contain all objects of their packages.
#[test]
fn files_that_belong_together() {
    let groups = groups();
    if groups.is_empty() {
        return;
    }
    let lines = groups.iter().map(|group| format!("{}: {}", group.name, group.applied().line()));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    awslabs__crossplane-on-eks/bootstrap/terraform-fully-private/providers/aws: changed; warned of port-setting
    awslabs__crossplane-on-eks/bootstrap/terraform-fully-private/providers/upjet-aws: changed; warned of port-setting
    awslabs__crossplane-on-eks/bootstrap/terraform/providers/upjet-aws: changed; warned of port-setting
    crossplane-contrib__provider-sql/examples/cluster: changed; warned of port-setting
    crossplane__crossplane/test/e2e/manifests/pkg/image-config/runtime-config: changed; warned of port-setting
    olga-mir__playground/kubernetes/namespaces/base/crossplane-system: changed; warned of port-setting, runtime-config
    olga-mir__playground/kubernetes/namespaces/base/crossplane-system/providers-bootstrap: changed; warned of port-setting, runtime-config
    ");
}

/// Unchanged files stay the same byte for byte. This includes the sources of packages, which have the same kinds in
/// another group.
#[test]
fn other_objects_do_not_change() {
    let is_source = |file: &File| file.text.contains("apiVersion: meta.pkg.crossplane.io/");
    for (file, _, outcome) in runs().filter(|(file, _, outcome)| outcome.what == "unchanged" || is_source(file)) {
        assert!(outcome.what == "unchanged" && outcome.after == file.text, "{}: {}", file.name, outcome.log);
    }
    let sources = APPLIED.iter().filter(|(file, _)| is_source(file)).count();
    assert!(sources == 6 || sources == 0, "{sources}");
}

/// A second run changes nothing.
#[test]
fn a_second_run_changes_nothing() {
    for (File { name, .. }, ports, Outcome { after, .. }) in runs().filter(|(.., outcome)| outcome.what == "changed") {
        let again = File { name: name.clone(), text: after.clone() }.applied(ports);
        assert!(again.after == *after, "{name} with {ports}: {}", again.log);
    }
}

/// Crossplane's own types accept the output if they accepted the input. For a former ControllerConfig, only the current
/// types must accept it.
#[test]
fn crossplane_accepts_the_output() {
    let mut judged = BTreeMap::new();
    for (name, before, after) in changed() {
        let stream = |objects: &[Value]| {
            objects.iter().map(|object| serde_yaml::to_string(object).unwrap()).collect::<Vec<_>>().join("---\n")
        };
        let had = before.iter().any(|object| is(object, "ControllerConfig"));
        let has = after.iter().any(|object| is(object, "ControllerConfig"));
        for line in crossplane::LINES {
            let Some(accepted) = crossplane::judged(line, &stream(&before)) else { return };
            if accepted.is_err() && !(had && !has && line == "v2") {
                continue;
            }
            match crossplane::judged(line, &stream(&after)).unwrap() {
                Ok(objects) => *judged.entry(line).or_insert(0) += objects,
                Err(error) => panic!("{name}, {line}: {error}"),
            }
        }
        let (_, faults) = deployments::judged(&after);
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
    }
    for (line, objects) in &judged {
        crate::support::judged(
            &format!("types of Crossplane {line}"),
            &format!("objects of packages that change: {objects}"),
            0,
        );
    }
    if !judged.is_empty() {
        assert_snapshot!(format!("{judged:?}"), @r#"{"v1.14": 144, "v1.20": 148, "v2": 157}"#);
    }
}

#[test]
fn the_referee_of_deployments_finds_errors() {
    let config = |pod: &str| {
        let text = format!(
            "{{kind: DeploymentRuntimeConfig, metadata: {{name: c}}, spec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {pod}}}}}}}}}}}"
        );
        deployments::judged(&objects(&text).unwrap())
    };
    assert_eq!(config("{hostNetwork: true, containers: [{name: a, resources: {limits: {cpu: 2}}}]}"), (1, Vec::new()));
    for wrong in [
        "{hostnetwork: true}",
        "{hostNetwork: 'true'}",
        "{containers: [{name: a}, {name: a}]}",
        "{containers: [{name: a, ports: [{containerPort: 1}, {containerPort: 1, protocol: TCP}]}]}",
        "{containers: [{name: a, ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]}]}",
        "{containers: [{name: a, env: [{name: A}, {name: A}]}]}",
    ] {
        assert_eq!(config(wrong).1.len(), 1, "{wrong}");
    }
}
