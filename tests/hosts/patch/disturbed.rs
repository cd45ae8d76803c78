//! The base changes in lists that a patch refers to: elements have another place, name or number, or there are new
//! elements. The patch must fail, or have the same result as `hostnet apply` on the changed base.

use crate::patch::forms;
use crate::patch::guards::{CONFIG, SAMPLE};
use crate::support::{in_process, patched};
use hostnet::api::HostNetworkConfig;
use hostnet::kinds::patch;
use hostnet::render::patch::{Form, Renames};
use krm::{Input, Origin};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Ports with all possible fields, one number with two protocols, and a Service that refers to a port by name.
const PORTS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        args: [--listen=:8080, --metrics-bind-address=:9090, --health-probe-bind-address=:9091]
        ports:
        - {name: http, containerPort: 8080, protocol: TCP}
        - {name: http-udp, containerPort: 8080, protocol: UDP}
        - {name: metrics, containerPort: 9090}
        - {containerPort: 9091}
        - {name: kept, containerPort: 7777}
      - {name: side}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 8080}
  - {name: alt, port: 80, targetPort: 8080, protocol: TCP}
  - {name: metrics, port: 9090, targetPort: 9090, nodePort: 30000}
  - {name: quic, port: 443, targetPort: 8080, protocol: UDP}
";

/// Returns the component for a manifest.
fn component(config: &str, manifest: &str) -> Value {
    let input = Input::read(Origin::stdin(), manifest.to_owned().into()).unwrap();
    let config = HostNetworkConfig::read(config, "config.yaml", 1).unwrap();
    let patches = patch::patches(&[input], &config, &Renames::default(), false).unwrap();
    let text = patches.text(Form::Component, &[]);
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{:?}", patches.results))
}

/// Part of an element that a patch tests. Without a name it may test only a number, which other elements may share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tested {
    Number,
    Name,
    Whole,
}

/// Returns the elements of lists that the patches test or change: the object, the list, the index.
fn elements(component: &Value, objects: &[Value]) -> BTreeSet<(usize, String, usize, Tested)> {
    let mut all = BTreeSet::new();
    for patch in component["patches"].as_array().unwrap() {
        let object = objects.iter().position(|object| patched::is_target(object, &patch["target"])).unwrap();
        let operations: Vec<Value> = serde_yaml::from_str(patch["patch"].as_str().unwrap()).unwrap();
        let is_tested = |path: &str| operations.iter().any(|test| test["op"] == "test" && test["path"] == path);
        for operation in &operations {
            let path = operation["path"].as_str().unwrap();
            let ends = path.match_indices('/').map(|(end, _)| end).skip(1).chain([path.len()]);
            for place in ends.map(|end| &path[..end]) {
                let (list, index) = place.rsplit_once('/').unwrap();
                if objects[object].pointer(list).is_some_and(Value::is_array)
                    && let Ok(index) = index.parse()
                {
                    let tested = match is_tested(place) {
                        true => Tested::Whole,
                        false if is_tested(&format!("{place}/name")) => Tested::Name,
                        false => Tested::Number,
                    };
                    all.insert((object, list.to_owned(), index, tested));
                }
            }
        }
    }
    all
}

/// Returns variants of a list with one changed element, each with a description.
fn disturbed(list: &[Value], index: usize, tested: Tested) -> Vec<(String, Vec<Value>)> {
    let mut all = Vec::new();
    let mut add = |what: &str, change: &dyn Fn(&mut Vec<Value>)| {
        let mut list = list.to_vec();
        change(&mut list);
        all.push((what.to_owned(), list));
    };
    for other in 0..list.len() {
        add(&format!("swapped with {other}"), &|list| list.swap(index, other));
    }
    add("removed", &|list| drop(list.remove(index)));
    add("a text before", &|list| list.insert(index, "new".into()));
    if !list[index].is_object() {
        add("another text", &|list| list[index] = "new".into());
        return all;
    }
    add("another element before", &|list| list.insert(index, json!({"name": "new", "containerPort": 7, "port": 7})));
    for key in ["containerPort", "port", "targetPort", "value"] {
        if list[index].get(key).is_some() {
            add(&format!("another {key}"), &|list| list[index][key] = 7.into());
            add(&format!("no {key}"), &|list| drop(list[index].as_object_mut().unwrap().remove(key)));
        }
    }
    if tested == Tested::Number {
        return all;
    }
    // Another listener with the same number.
    let twin = |old: &Value| {
        let mut new = old.clone();
        new["name"] = "new".into();
        new["protocol"] = if old["protocol"] == "UDP" { "TCP" } else { "UDP" }.into();
        new
    };
    add("a twin before", &|list| list.insert(index, twin(&list[index])));
    add("its twin instead", &|list| list[index] = twin(&list[index]));
    add("another name", &|list| list[index]["name"] = "new".into());
    if tested == Tested::Whole {
        add("another protocol", &|list| list[index]["protocol"] = twin(&list[index])["protocol"].clone());
    }
    all
}

/// Returns the failures of a manifest's patches, and the number of changed bases.
fn faults(config: &str, manifest: &str) -> (Vec<String>, usize) {
    let component = component(config, manifest);
    let objects = patched::objects(manifest);
    let (mut faults, mut tried) = (Vec::new(), 0);
    for (object, path, index, tested) in elements(&component, &objects) {
        let list = objects[object].pointer(&path).unwrap().as_array().unwrap();
        if index >= list.len() {
            continue;
        }
        for (what, list) in disturbed(list, index, tested) {
            let mut changed = objects.clone();
            *changed[object].pointer_mut(&path).unwrap() = Value::Array(list);
            tried += 1;
            let Ok(mut made) = patched::patched(&component, changed.clone()) else { continue };
            let stream: Vec<String> = changed.iter().map(|object| format!("{object}\n")).collect();
            let applied = in_process::apply(config, &stream.join("---\n"));
            let mut wanted = if applied.code == Some(0) { patched::objects(&applied.text()) } else { Vec::new() };
            made.sort_by_key(patched::identity);
            wanted.sort_by_key(patched::identity);
            if made != wanted {
                faults.push(format!("{} {path}/{index}: {what}", objects[object]["kind"]));
            }
        }
    }
    (faults, tried)
}

#[test]
fn a_patch_fails_or_equals_apply() {
    let web = "{select: {name: web}, ports: {http: 20080, http-udp: 20080, metrics: 20090, web/9091: 20091}}";
    for (config, manifest, least) in [
        (CONFIG.to_owned(), SAMPLE, 100),
        (forms::config(web), PORTS, 100),
        (forms::config("{select: {name: web}, ports: auto}"), PORTS, 100),
        (forms::config("{select: {name: web}, ports: keep}"), PORTS, 50),
    ] {
        let (faults, tried) = faults(&config, manifest);
        assert_eq!(faults.join("\n"), "", "{config}");
        assert!(tried >= least, "{tried}");
    }
}
