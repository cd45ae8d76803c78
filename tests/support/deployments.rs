//! Kubernetes' own types as a referee for the Deployment templates in `DeploymentRuntimeConfig`s.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::DeploymentSpec;
use serde_json::{Value, json};

/// Validates the Deployment templates of all runtime configs. Returns their number and the errors: unknown fields,
/// values of a wrong type, and duplicate keys in lists.
pub(crate) fn judged(objects: &[serde_yaml::Value]) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for object in objects.iter().filter(|object| object["kind"] == "DeploymentRuntimeConfig") {
        let spec = &object["spec"]["deploymentTemplate"]["spec"];
        if spec.is_null() {
            continue;
        }
        count += 1;
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        wrong.extend(faults(&serde_json::to_value(spec).unwrap()).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    (count, wrong)
}

fn faults(spec: &Value) -> Vec<String> {
    let mut spec = spec.clone();
    let mut faults = Vec::new();
    for list in ["containers", "initContainers"] {
        let containers = spec.pointer_mut(&format!("/template/spec/{list}")).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            quantities(container);
            faults.extend(twice(container, "ports", |port| {
                json!([port["containerPort"], port.get("protocol").unwrap_or(&json!("TCP"))])
            }));
            faults.extend(twice(container, "ports", |port| port["name"].clone()));
            faults.extend(twice(container, "env", |variable| variable["name"].clone()));
            faults.extend(twice(container, "volumeMounts", |mount| mount["mountPath"].clone()));
        }
        faults.extend(twice(&spec["template"]["spec"], list, |container| container["name"].clone()));
    }
    faults.extend(twice(&spec["template"]["spec"], "volumes", |volume| volume["name"].clone()));
    match serde_json::from_value::<DeploymentSpec>(spec.clone()) {
        Ok(known) => unknown(&spec, &serde_json::to_value(known).unwrap(), "spec", &mut faults),
        Err(error) => faults.push(error.to_string()),
    }
    faults
}

/// Turns numeric quantities into strings: Kubernetes accepts both, `k8s-openapi` only strings.
fn quantities(container: &mut Value) {
    for list in ["limits", "requests"] {
        let quantities = container.pointer_mut(&format!("/resources/{list}")).and_then(Value::as_object_mut);
        for (_, quantity) in quantities.into_iter().flatten() {
            if quantity.is_number() {
                *quantity = quantity.to_string().into();
            }
        }
    }
}

fn twice(parent: &Value, list: &str, key: impl Fn(&Value) -> Value) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let keys = parent[list].as_array().into_iter().flatten().map(key).filter(|key| !key.is_null());
    keys.filter(|key| !seen.insert(key.to_string())).map(|key| format!("{list}: duplicate {key}")).collect()
}

/// Reports fields that were lost when the object was decoded as a Deployment: a Deployment has no such field.
fn unknown(given: &Value, known: &Value, path: &str, faults: &mut Vec<String>) {
    match given {
        Value::Object(fields) => {
            for (field, value) in fields.iter().filter(|(_, value)| !is_empty(value)) {
                match known.get(field) {
                    Some(known) => unknown(value, known, &format!("{path}.{field}"), faults),
                    None => faults.push(format!("{path}.{field} is not a field")),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                unknown(item, &known[index], &format!("{path}[{index}]"), faults);
            }
        }
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
