//! A ProxyEnvironment on manifests of public projects: it only adds variables, and a second run changes nothing.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use serde_json::Value;

use crate::support::material::material;
use crate::support::{files_below, project, specs};

const SPEC: &str = "httpsProxy: 'http://p:3128', cluster: {pods: [10.244.0.0/16]}, existing: Keep, unmatched: Ignore, targets: [{select: {kind: \
                    'Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod'}}, {select: {group: pkg.crossplane.io, kind: Provider|Function}}], crossplane: \
                    {namespace: crossplane-system, missingRuntimeConfig: CreateNew}";

/// Returns the output, and all results that are not changes.
fn run(text: &str) -> (String, String) {
    let (output, run) = specs::run("ProxyEnvironment", SPEC, text);
    (output, specs::findings(&run))
}

/// Returns the added lines, if all old lines remain in the same order; otherwise the first lost line.
fn added<'t>(before: &str, after: &'t str) -> Result<Vec<&'t str>, String> {
    let mut rest = before.lines().peekable();
    let added = after.lines().filter(|line| rest.next_if(|next| next == line).is_none()).collect();
    rest.next().map_or(Ok(added), |lost| Err(lost.to_owned()))
}

#[test]
fn in_projects_of_the_catalog_only_variables_change() {
    let mut files = 0;
    for entry in std::fs::read_dir(project().join("tests/corpus/catalog")).unwrap() {
        let path = entry.unwrap().path().join("input.yaml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let (output, log) = run(&text);
        assert_eq!(run(&output).0, output, "{}: a second run changes nothing", path.display());
        assert!(!log.contains("error"), "{}: {log}", path.display());
        // Packages get new objects and references to them.
        if text.contains("pkg.crossplane.io") {
            continue;
        }
        // In flow style, the line with the container or the `env` list changes.
        let flow = |line: &&str| line.contains('{') || line.contains('[');
        let plain = |text: &str| text.lines().filter(|line| !flow(line)).collect::<Vec<_>>().join("\n");
        let (before, after) = (plain(&text), plain(&output));
        let added = added(&before, &after).unwrap_or_else(|lost| panic!("{}: lost {lost}", path.display()));
        let is_variable = |line: &str| {
            let line = line.trim().trim_start_matches("- ");
            line == "env:"
                || ["name: HTTPS_PROXY", "name: NO_PROXY", "name: https_proxy", "name: no_proxy", "value: "]
                    .iter()
                    .any(|start| line.starts_with(start))
        };
        let others: Vec<&&str> = added.iter().filter(|line| !is_variable(line)).collect();
        assert!(others.is_empty(), "{}: {others:?}", path.display());
        files += 1;
    }
    assert!(files > 40, "{files}");
}

const NAMES: [&str; 6] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/// Returns the objects of a stream without proxy variables and without empty lists of variables; `None` if the stream
/// is not YAML.
fn without_variables(text: &str) -> Option<Vec<Value>> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let mut objects: Vec<Value> =
        documents.map(<Value as serde::Deserialize>::deserialize).collect::<Result<_, _>>().ok()?;
    objects.retain(|object| !object.is_null());
    objects.iter_mut().for_each(strip);
    Some(objects)
}

fn strip(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(map) => {
            if let Some(Value::Array(env)) = map.get_mut("env") {
                let named: Vec<String> = env.iter().filter_map(|one| one["name"].as_str()).map(str::to_owned).collect();
                for name in NAMES {
                    let count = named.iter().filter(|known| *known == name).count();
                    assert!(count < 2, "{name} occurs {count} times: {named:?}");
                }
                env.retain(|one| !NAMES.iter().any(|name| one["name"] == *name));
            }
            let is_empty = matches!(map.get("env"), Some(Value::Array(env)) if env.is_empty())
                || map.get("env") == Some(&Value::Null);
            if is_empty {
                map.remove("env");
            }
            map.values_mut().for_each(strip);
        }
        _ => {}
    }
}

/// Runs a config over a file twice. Returns true if the file changed, and `None` if it cannot be read or the run fails.
fn only_variables(path: &std::path::Path) -> Option<bool> {
    let text = std::fs::read_to_string(path).ok()?;
    // A `ResourceList` also gets results, so it is skipped.
    let before = without_variables(&text).filter(|_| !text.contains("kind: ResourceList"))?;
    let is_package = text.contains("pkg.crossplane.io");
    let input = krm::Input::read(krm::Origin::stdin(), text.clone().into()).ok()?;
    // Files that the reader rejects do not change.
    input.objects(|_, _| ()).ok()?;
    let (output, log) = run(&text);
    if log.lines().any(|line| line.starts_with("error")) {
        assert_eq!(output, text, "{}: {log}", path.display());
        return None;
    }
    assert_eq!(run(&output).0, output, "{}: a second run changes nothing", path.display());
    if !is_package {
        assert_eq!(without_variables(&output)?, before, "{}", path.display());
    }
    Some(output != text)
}

#[test]
fn in_charts_of_crossplane_only_variables_change() {
    let Some(charts) = material("corpus/charts") else { return };
    for chart in [
        "crossplane-v1.14-metrics-on",
        "crossplane-v1.19-metrics-on",
        "crossplane-v1.20-metrics-on",
        "crossplane-v2.3-metrics-on",
    ] {
        for file in ["default.yaml", "hostnetwork.yaml"] {
            assert_eq!(only_variables(&charts.join(chart).join(file)), Some(true), "{chart}/{file}");
        }
    }
}

/// Files of public repositories: workloads of all kinds, and packages with their configs.
#[test]
fn in_public_files_only_variables_change() {
    let Some(corpus) = material("corpus") else { return };
    for (folder, at_least) in [("workloads", 60), ("packages", 20)] {
        let (mut changed, mut same) = (0, 0);
        for path in files_below(&corpus.join(folder)) {
            match only_variables(&path) {
                Some(true) => changed += 1,
                Some(false) => same += 1,
                None => {}
            }
        }
        assert!(changed >= at_least, "{folder}: {changed} files changed, {same} did not");
    }
}
