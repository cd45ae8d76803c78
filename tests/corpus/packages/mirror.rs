//! A `PackageMirror` on packages of public repositories: only the configured fields change, a second run changes
//! nothing, and Crossplane's types accept the output.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::support::crossplane::judged;
use crate::support::material::material;
use crate::support::{files_below, specs};

const RULES: &str = "rules: [{from: xpkg.crossplane.io, to: m.example.com/xc}, {from: xpkg.upbound.io, to: m.example.com/xu}, {from: ghcr.io, to: \
                     m.example.com/ghcr}, {from: index.docker.io, to: m.example.com/hub}, {from: registry.upbound.io, to: m.example.com/ru}], pullSecret: \
                     mine, pullPolicy: IfNotPresent, select: [{group: pkg.crossplane.io}, {kind: Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod}]";

/// Returns the objects of a stream; `None` if it is not YAML.
fn objects(text: &str) -> Option<Vec<Value>> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let all: Result<Vec<Value>, _> = documents.map(<Value as serde::Deserialize>::deserialize).collect();
    Some(all.ok()?.into_iter().filter(|object| !object.is_null()).collect())
}

/// Removes everything that a config may change: fields of packages, images, and new ImageConfigs.
fn without(objects: Vec<Value>) -> Vec<Value> {
    let mut objects: Vec<Value> = objects.into_iter().filter(|object| object["kind"] != "ImageConfig").collect();
    for object in &mut objects {
        let is_package = object["apiVersion"].as_str().is_some_and(|version| version.starts_with("pkg.crossplane.io/"));
        if let Some(Value::Object(spec)) = object.get_mut("spec").filter(|_| is_package) {
            for field in ["package", "packagePullSecrets", "packagePullPolicy", "image"] {
                spec.remove(field);
            }
        }
        images(object);
    }
    objects
}

fn images(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(images),
        Value::Object(map) => {
            for list in ["containers", "initContainers"] {
                for container in map.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                    if let Value::Object(container) = container {
                        container.remove("image");
                        container.remove("args");
                    }
                }
            }
            map.values_mut().for_each(images);
        }
        _ => {}
    }
}

/// Collects all references of a stream that a config can pin.
fn references(objects: &[Value], found: &mut BTreeMap<String, String>) {
    let mut add = |text: &str| {
        let Ok(image) = oci::name::ImageRef::read(text) else { return };
        if image.registry.is_some() && image.tag.is_some() && image.digest.is_none() {
            let digest = format!("sha256:{:064x}", found.len() + 1);
            found.entry(text.to_owned()).or_insert(digest);
        }
    };
    for object in objects {
        walk(object, &mut add);
    }
}

/// Visits every image and package of an object.
fn walk(value: &Value, add: &mut dyn FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, add)),
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if key == "image" || key == "package" => add(text),
                    value => walk(value, add),
                }
            }
        }
        _ => {}
    }
}

/// Runs a config over a file and returns the output; `None` if nothing changes or the run fails.
fn run(path: &Path, spec: &str, text: &str) -> Option<String> {
    let before = objects(text).map(without)?;
    let (output, result) = specs::run("PackageMirror", spec, text);
    if result.failed() {
        assert_eq!(output, text, "{}: a run that fails writes nothing", path.display());
        return None;
    }
    let (again, second) = specs::run("PackageMirror", spec, &output);
    assert_eq!(again, output, "{}: a second run changes something", path.display());
    assert!(!second.failed(), "{}: a second run refuses", path.display());
    assert_eq!(objects(&output).map(without), Some(before), "{}", path.display());
    (output != text).then_some(output)
}

#[test]
fn in_public_packages_only_configured_fields_change() {
    let Some(folder) = material("corpus/packages") else { return };
    let mut counts = BTreeMap::new();
    let mut written: BTreeMap<&str, String> = BTreeMap::new();
    for path in files_below(&folder) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // A `ResourceList` also gets results, and files that the reader rejects do not change.
        let Some(all) = objects(&text).filter(|_| !text.contains("kind: ResourceList")) else { continue };
        let input = krm::Input::read(krm::Origin::stdin(), text.clone().into());
        if input.is_ok_and(|input| input.objects(|_, _| ()).is_err()) {
            continue;
        }
        let mut known = BTreeMap::new();
        references(&all, &mut known);
        let known: Vec<String> =
            known.iter().map(|(key, digest)| format!("'{key}': {{digest: '{digest}', dependsOn: []}}")).collect();
        let pins = format!("{RULES}, packages: {{{}}}", known.join(", "));
        let with = |more: &str, version: &str| format!("{more}, crossplane: {{version: {version}}}");
        for (what, line, spec) in [
            ("ImageConfig", "v1.20", with(RULES, "v1.20.11")),
            ("ImageConfig", "v2", with(RULES, "v2.3.4")),
            ("Rewrite", "v1.14", with(&format!("{RULES}, style: Rewrite"), "v1.14.5")),
            ("Pin", "v2", with(&format!("{pins}, digests: Pin"), "v2.3.4")),
            ("Pin", "v1.20", with(&format!("{pins}, digests: Pin"), "v1.20.11")),
        ] {
            let Some(output) = run(&path, &spec, &text) else { continue };
            *counts.entry(what).or_insert(0) += 1;
            // The original file may be for another Crossplane release.
            if judged(line, &text).is_some_and(|verdict| verdict.is_ok()) {
                let all = written.entry(line).or_default();
                all.push_str("---\n");
                all.push_str(&output);
                all.push('\n');
            }
        }
    }
    for (line, stream) in &written {
        if let Some(Err(problem)) = judged(line, stream) {
            panic!("{line}: {problem}");
        }
    }
    println!("{counts:?}");
    assert!(
        ["ImageConfig", "Rewrite", "Pin"].iter().all(|what| counts.get(what).is_some_and(|count| *count > 10)),
        "{counts:?}"
    );
}
