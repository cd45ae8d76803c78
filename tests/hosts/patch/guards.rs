//! Every change is preceded by a test: if the base has changed since the patches were made, the build fails and
//! kustomize names the path.

use crate::patch::build::Bench;
use crate::patch::cases::{Failures, canonical, command, host};
use crate::patch::flux::{KUSTOMIZATION, RELEASE, build, object, post_render};
use crate::patch::objects::{PACKAGES, PACKAGES_CONFIG};
use crate::support::run;
use serde::Deserialize as _;
use serde_yaml::Value;

/// A base that needs every sort of patch operation.
pub(crate) const SAMPLE: &str = include_str!("sample.yaml");
pub(crate) const CONFIG: &str = include_str!("sample.hostnet.yaml");

/// Returns the patches of a component: their targets and operations.
pub(crate) fn patches(component: &str) -> Vec<(Value, Vec<Value>)> {
    let component: Value = serde_yaml::from_str(component).unwrap();
    let all = component["patches"].as_sequence().unwrap().iter();
    // A patch without a target removes an object.
    all.filter(|patch| patch.get("target").is_some())
        .map(|patch| (patch["target"].clone(), serde_yaml::from_str(patch["patch"].as_str().unwrap()).unwrap()))
        .collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

#[test]
fn the_sample_builds_into_the_output_of_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(CONFIG, SAMPLE);
    let built = bench.with_component(&kustomize).unwrap();
    let applied = bench.made(&["apply", "all.yaml"]);
    bench.write("applied/all.yaml", &applied);
    bench.write("applied/kustomization.yaml", "resources: [all.yaml]\n");
    assert_eq!(canonical(&built), canonical(&bench.build(&kustomize, "applied").unwrap()));
    bench.write("built.yaml", &built);
    bench.made(&["patch", "--verify", "built.yaml", "all.yaml"]);
    // kubectl contains its own, older kustomize.
    if let Some(kubectl) = host("kubectl") {
        let output = run(command(&kubectl).arg("kustomize").arg(bench.at()), b"");
        assert_eq!(canonical(&built), canonical(&crate::support::text(&output.stdout)), "{output:?}");
    }
    // A strategic merge would lose these.
    for kept in ["image: example/one:v1", "image: example/two:v1", "hostPort: ${PLACED:=8099}", "value: ${NOTE} yes"] {
        assert!(built.contains(kept), "{kept}\n{built}");
    }
}

/// A change may be covered by the test of another place: an element appended to a list by the test of the last element,
/// and a field by the test of its whole element.
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
                _ => {
                    let whole = path.rsplit_once('/').map(|(element, _)| element);
                    assert!(tested.iter().any(|tested| *tested == path || Some(*tested) == whole), "{target:?} {path}");
                }
            }
            // The names of the containers in the path are tested, too.
            for (at, _) in path.match_indices("/containers/") {
                let end = path[at + 12..].find('/').map(|end| at + 12 + end);
                let name = format!("{}/name", &path[..end.unwrap()]);
                assert!(tested.contains(&name.as_str()), "{path} without {name}");
            }
        }
    }
    assert_eq!(format!("{kinds:?}"), r#"{"add": 19, "replace": 15, "test": 47}"#);
}

/// Ways in which a base may change at a tested place.
#[derive(Debug, Clone, Copy)]
enum How {
    /// Another value, or a new one.
    Set,
    /// The value or the element is removed.
    Remove,
    /// Another element is inserted before it.
    Insert,
    /// The parent mapping or list is removed.
    RemoveParent,
    /// An element that is tested whole has one more field.
    More,
}

/// Returns bases that have changed at one tested place each: a description, the path, and the stream.
fn changed_bases(base: &str, component: &str) -> Vec<(String, String, String)> {
    let objects: Vec<Value> =
        serde_yaml::Deserializer::from_str(base).map(|document| Value::deserialize(document).unwrap()).collect();
    let mut all = Vec::new();
    for (target, operations) in patches(component) {
        let name = text(&target, "name").replace('\\', "");
        let group = target.get("group").map_or("", |group| group.as_str().unwrap()).replace(['\\', '^', '$'], "");
        for operation in operations.iter().filter(|operation| text(operation, "op") == "test") {
            let path = text(operation, "path");
            if path.starts_with("/metadata/name") {
                continue;
            }
            for how in [How::Set, How::Remove, How::Insert, How::RemoveParent, How::More] {
                let mut changed = objects.clone();
                let object = changed.iter_mut().find(|object| {
                    let version = text(object, "apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
                    text(&object["metadata"], "name") == name && object["kind"] == target["kind"] && version == group
                });
                if change(object.unwrap(), path, how) {
                    let stream: Vec<String> =
                        changed.iter().map(|object| serde_yaml::to_string(object).unwrap()).collect();
                    // If a whole parent is missing, the first test inside it fails.
                    let (parent, _) = path.rsplit_once('/').unwrap();
                    let log = if matches!(how, How::RemoveParent) { parent } else { path };
                    all.push((format!("{name} {path}: {how:?}"), log.to_owned(), stream.join("---\n")));
                }
            }
        }
    }
    all
}

/// Describes a build that succeeded, or that failed without naming the path.
fn unnoticed(what: &str, path: &str, built: Result<String, String>) -> Option<String> {
    match built {
        Ok(_) => Some(format!("{what}: the build succeeded")),
        Err(log) if !log.contains(path) => Some(format!("{what}: {log}")),
        Err(_) => None,
    }
}

#[test]
fn a_changed_base_fails_the_build_with_the_path() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    // The second base also has values that are removed.
    for (config, base, least) in [(CONFIG, SAMPLE, 100), (PACKAGES_CONFIG, PACKAGES, 6)] {
        let bench = Bench::new(config, base);
        bench.with_component(&kustomize).unwrap();
        let component = std::fs::read_to_string(bench.at().join("component/kustomization.yaml")).unwrap();
        let bases = changed_bases(base, &component);
        assert!(bases.len() >= least, "{}", bases.len());
        for (what, path, changed) in bases {
            bench.write("all.yaml", &changed);
            failures.add(unnoticed(&what, &path, bench.build(&kustomize, ".")));
        }
    }
    failures.end();
}

/// Flux's controllers fail in the same way, so the cluster keeps its objects.
#[test]
fn a_changed_base_fails_the_build_of_flux() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let bench = Bench::new(CONFIG, SAMPLE);
    let kustomization = object(&bench.patches("flux"), KUSTOMIZATION);
    let release = object(&bench.patches("helmrelease"), RELEASE);
    let mut failures = Failures::default();
    for (what, path, changed) in changed_bases(SAMPLE, &bench.patches("component")) {
        failures.add(unnoticed(&what, &path, build(&fluxbuild, &bench, &kustomization, &changed)));
        if what.ends_with(": Set") {
            failures.add(unnoticed(&what, &path, post_render(&fluxbuild, &bench, &release, &changed)));
        }
    }
    failures.end();
}

/// A host port must equal its container port, and an absent target port equals the port: if these numbers change, the
/// patch must fail.
#[test]
fn numbers_that_a_port_depends_on_are_tested() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(CONFIG, SAMPLE);
    bench.with_component(&kustomize).unwrap();
    for (old, new, path) in [
        ("containerPort: \"${PLACED:=8099}\"", "containerPort: 8098", "/spec/template/spec/containers/0/ports/3"),
        ("    port: 9443\n---", "    port: 9444\n---", "/spec/ports/1"),
    ] {
        assert_eq!(SAMPLE.matches(old).count(), 1, "{old}");
        bench.write("all.yaml", &SAMPLE.replace(old, new));
        let log = bench.build(&kustomize, ".").unwrap_err();
        assert!(log.contains(&format!("testing value {path} failed")), "{log}");
    }
}

/// A target also matches original names. The build fails instead of patching a copy that has another prefix or
/// namespace.
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
        let log = bench.build(&kustomize, ".").unwrap_err();
        assert!(log.contains(&format!("testing value {path} failed")), "{log}");
    }
}

/// Changes the value at a pointer. Returns true if the change is possible and makes a difference.
fn change(object: &mut Value, pointer: &str, how: How) -> bool {
    let mut steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let mut last = steps.pop().unwrap();
    if matches!(how, How::RemoveParent) {
        last = steps.pop().unwrap();
        if steps.is_empty() {
            // kustomize does not read an object without these.
            return false;
        }
    }
    let mut at = object;
    for step in steps {
        at = match at {
            Value::Sequence(items) => &mut items[step.parse::<usize>().unwrap()],
            other => &mut other[step.as_str()],
        };
    }
    let new = Value::from("something else");
    match (at, how) {
        (Value::Sequence(items), How::Set) => items[last.parse::<usize>().unwrap()] = new,
        (Value::Sequence(items), How::Insert) => items.insert(last.parse().unwrap(), new),
        (Value::Sequence(items), How::More) => match &mut items[last.parse::<usize>().unwrap()] {
            Value::Mapping(fields) => _ = fields.insert("hostPort".into(), 1.into()),
            _ => return false,
        },
        (Value::Sequence(items), _) => drop(items.remove(last.parse().unwrap())),
        (other, How::Set) => other[last.as_str()] = new,
        (_, How::More) => return false,
        (Value::Mapping(fields), How::Remove | How::RemoveParent) => {
            // A test treats null and a missing field as equal.
            return fields.remove(last.as_str()).is_some_and(|old| !old.is_null());
        }
        _ => return false,
    }
    true
}
