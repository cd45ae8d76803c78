//! A second run changes nothing, whatever a manifest of the catalogue lacks.

use serde_json::{Map, Value};

use super::project::{Project, projects};

/// Removes a part from an object.
type Remove = fn(&mut Value);

/// Names of the parts that a manifest lacks.
const PARTS: [(&str, Remove); 6] = [
    ("ports", |object| containers(object, &mut |container| _ = container.remove("ports"))),
    ("names of ports", |object| ports(object, &mut |ports| ports.iter_mut().for_each(without_name))),
    ("last ports", |object| ports(object, &mut |ports| _ = ports.pop())),
    ("first ports", |object| ports(object, &mut |ports| drop(ports.drain(..1)))),
    ("args", |object| containers(object, &mut |container| _ = container.remove("args"))),
    ("env", |object| {
        containers(object, &mut |container| _ = (container.remove("env"), container.remove("envFrom")));
    }),
];

/// Parts that an input lacks together, by position, and a kind of its missing objects.
const MISSING: [(&[usize], &str); 9] = [
    (&[0], ""),
    (&[1], ""),
    (&[2], ""),
    (&[3], ""),
    (&[4], ""),
    (&[5], ""),
    (&[], "ConfigMap"),
    (&[], "Service"),
    (&[0, 4], ""),
];

#[test]
fn a_second_run_over_incomplete_manifests_changes_nothing() {
    let all: Vec<Project> = projects().collect();
    let (first, second) = all.split_at(all.len() / 2);
    let (compared, wrong) = std::thread::scope(|scope| {
        let other = scope.spawn(|| differences(first));
        let ((own, found), (others, more)) = (differences(second), other.join().unwrap());
        (own + others, [found, more].concat())
    });
    assert!(compared > 300, "{compared} inputs");
    assert!(wrong.is_empty(), "{} inputs: {}", wrong.len(), wrong.join("\n"));
}

/// Number of inputs that a first run changes without an error, and those that a second run changes.
fn differences(projects: &[Project]) -> (usize, Vec<String>) {
    let (mut compared, mut found) = (0, Vec::new());
    for project in projects {
        let objects: Vec<Value> = serde_saphyr::from_multiple(project.input()).unwrap();
        for (parts, kind) in MISSING {
            let rest = objects.iter().filter(|object| object["kind"] != *kind);
            let mut rest: Vec<Value> = rest.cloned().collect();
            for part in parts {
                rest.iter_mut().for_each(PARTS[*part].1);
            }
            if rest == objects {
                continue;
            }
            let text: String = rest.iter().map(|object| format!("---\n{object}\n")).collect();
            let incomplete = project.with_input(text);
            let config = incomplete.config(&[]);
            let first = incomplete.run(&config);
            if first.failed() {
                continue;
            }
            compared += 1;
            let second = project.with_input(first.output.clone()).run(&config);
            if second.failed() || first.output != second.output {
                let what: Vec<&str> = parts.iter().map(|part| PARTS[*part].0).chain([kind]).collect();
                let changed = difference(&first.output, &second.output);
                found.push(format!("{} without {what:?}: {changed} {:?}", project.name, second.log));
            }
        }
    }
    (compared, found)
}

/// The first line that differs, in two outputs.
fn difference(first: &str, second: &str) -> String {
    let (one, other) = first.lines().zip(second.lines()).find(|(one, other)| one != other).unwrap_or_default();
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let part = |line: &str| line.bytes().skip(same.saturating_sub(60)).take(160).map(char::from).collect::<String>();
    format!("\n  {}\n  {}", part(one), part(other))
}

fn without_name(port: &mut Value) {
    if let Some(port) = port.as_object_mut() {
        port.remove("name");
    }
}

/// Calls a function for each container of an object, at any depth.
fn containers(object: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match object {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::Array(items) if key == "containers" => {
                        items.iter_mut().filter_map(Value::as_object_mut).for_each(&mut *change);
                    }
                    value => containers(value, change),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| containers(item, change)),
        _ => {}
    }
}

/// Calls a function for the ports of each container that has some.
fn ports(object: &mut Value, change: &mut dyn FnMut(&mut Vec<Value>)) {
    containers(object, &mut |container| {
        let ports = container.get_mut("ports").and_then(Value::as_array_mut);
        ports.filter(|ports| !ports.is_empty()).into_iter().for_each(&mut *change);
    });
}
