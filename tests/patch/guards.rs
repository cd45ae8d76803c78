//! Every change is tested first: a base that changed after the patches were made fails the build, and kustomize says
//! the path.

use crate::build::Bench;
use crate::cases::{canonical, command, host};
use crate::support::run;
use serde::Deserialize as _;
use serde_yaml::Value;

/// Everything that a patch has to do, in one base.
pub(crate) const SAMPLE: &str = include_str!("sample.yaml");
pub(crate) const CONFIG: &str = include_str!("sample.hostnet.yaml");

/// The patches of a component: what each is for, and its operations.
pub(crate) fn patches(component: &str) -> Vec<(Value, Vec<Value>)> {
    let component: Value = serde_yaml::from_str(component).unwrap();
    let all = component["patches"].as_sequence().unwrap().iter();
    all.map(|patch| (patch["target"].clone(), serde_yaml::from_str(patch["patch"].as_str().unwrap()).unwrap()))
        .collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

#[test]
fn the_sample_builds_into_what_apply_writes() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(CONFIG, SAMPLE);
    let built = bench.with_component(&kustomize).unwrap();
    let applied = bench.made(&["apply", "all.yaml"]);
    bench.write("applied/all.yaml", &applied);
    bench.write("applied/kustomization.yaml", "resources: [all.yaml]\n");
    assert_eq!(canonical(&built), canonical(&bench.build(&kustomize, "applied").unwrap()));
    bench.write("built.yaml", &built);
    bench.made(&["patch", "--verify", "built.yaml", "all.yaml"]);
    // kubectl has a kustomize of its own, and an older one.
    if let Some(kubectl) = host("kubectl") {
        let output = run(command(&kubectl).arg("kustomize").arg(bench.at()), b"");
        assert_eq!(canonical(&built), canonical(&crate::support::text(&output.stdout)), "{output:?}");
    }
    // What a strategic merge would lose.
    for kept in ["image: example/one:v1", "image: example/two:v1", "hostPort: ${PLACED:=8099}", "value: ${NOTE} yes"] {
        assert!(built.contains(kept), "{kept}\n{built}");
    }
}

/// A change without a test of its own place: what is added behind a list's last element, which is tested instead.
#[test]
fn every_change_has_a_test_before_it() {
    let bench = Bench::new(CONFIG, SAMPLE);
    let mut kinds = std::collections::BTreeMap::new();
    for (target, operations) in patches(&bench.patches("component")) {
        let mut tested: Vec<&str> = Vec::new();
        for operation in &operations {
            let (op, path) = (text(operation, "op"), text(operation, "path"));
            *kinds.entry(op.to_owned()).or_insert(0) += 1;
            match (op, path.strip_suffix("/-")) {
                ("test", _) => tested.push(path),
                (_, Some(list)) => assert!(tested.iter().any(|tested| tested.starts_with(list)), "{target:?} {path}"),
                _ => assert!(tested.contains(&path), "{target:?} {path}"),
            }
            // The names of the elements on the way.
            for (at, _) in path.match_indices("/containers/") {
                let end = path[at + 12..].find('/').map(|end| at + 12 + end);
                let name = format!("{}/name", &path[..end.unwrap()]);
                assert!(tested.contains(&name.as_str()), "{path} without {name}");
            }
        }
    }
    assert_eq!(format!("{kinds:?}"), r#"{"add": 19, "replace": 15, "test": 57}"#);
}

#[test]
fn a_changed_base_fails_the_build_and_kustomize_says_where() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(CONFIG, SAMPLE);
    bench.with_component(&kustomize).unwrap();
    let base: Vec<Value> =
        serde_yaml::Deserializer::from_str(SAMPLE).map(|document| Value::deserialize(document).unwrap()).collect();
    let mut failures = Vec::new();
    for (target, operations) in patches(&bench.patches("component")) {
        let name = text(&target, "name").replace('\\', "");
        let group = target.get("group").map_or("", |group| group.as_str().unwrap()).replace(['\\', '^', '$'], "");
        for operation in operations.iter().filter(|operation| text(operation, "op") == "test") {
            let path = text(operation, "path");
            if path.starts_with("/metadata/name") {
                continue;
            }
            let mut changed = base.clone();
            let object = changed.iter_mut().find(|object| {
                let version = text(object, "apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
                text(&object["metadata"], "name") == name && object["kind"] == target["kind"] && version == group
            });
            change(object.unwrap(), path);
            let stream: Vec<String> = changed.iter().map(|object| serde_yaml::to_string(object).unwrap()).collect();
            bench.write("all.yaml", &stream.join("---\n"));
            match bench.build(&kustomize, ".") {
                Ok(_) => failures.push(format!("{name} {path}: the build went through")),
                Err(said) if !said.contains(path) => failures.push(format!("{name} {path}: {said}")),
                Err(_) => {}
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A target meets names from before a rename too: a copy that a prefix or a namespace sets apart is not patched along.
#[test]
fn a_renamed_copy_fails_the_build() {
    let Some(kustomize) = host("kustomize") else { return };
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: web}]}\n";
    let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {name: web}}]}}";
    let bench = Bench::new(config, pod);
    bench.with_component(&kustomize).unwrap();
    bench.write("copy/all.yaml", pod);
    bench.write("kustomization.yaml", "resources: [all.yaml, copy]\ncomponents: [component]\n");
    for (rename, path) in [("namePrefix: canary-", "/metadata/name"), ("namespace: canary", "/metadata/namespace")] {
        bench.write("copy/kustomization.yaml", &format!("resources: [all.yaml]\n{rename}\n"));
        let said = bench.build(&kustomize, ".").unwrap_err();
        assert!(said.contains(&format!("testing value {path} failed")), "{said}");
    }
}

/// Writes something else where a pointer leads.
fn change(object: &mut Value, pointer: &str) {
    let mut steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let last = steps.pop().unwrap();
    let mut at = object;
    for step in steps {
        at = match at {
            Value::Sequence(items) => &mut items[step.parse::<usize>().unwrap()],
            other => &mut other[step.as_str()],
        };
    }
    let new = Value::from("something else");
    match at {
        Value::Sequence(items) => items[last.parse::<usize>().unwrap()] = new,
        other => other[last.as_str()] = new,
    }
}
