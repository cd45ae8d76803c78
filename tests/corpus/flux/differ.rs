//! Compares two streams with an independent YAML reader.

use serde::Deserialize as _;
use serde_yaml::Value;

/// Names of fields that a move to the host network may change.
const CONCERNED: [&str; 9] =
    ["annotations", "args", "command", "containerPort", "data", "dnsPolicy", "hostNetwork", "hostPort", "targetPort"];

/// Returns the documents of a stream; `None` if one cannot be read.
pub(crate) fn objects(text: &str) -> Option<Vec<Value>> {
    serde_yaml::Deserializer::from_str(text).map(|document| Value::deserialize(document).ok()).collect()
}

/// Returns unexpected differences.
pub(crate) fn differences(before: &[Value], after: &[Value]) -> Vec<String> {
    if before.len() != after.len() {
        return vec![format!("{} objects became {}", before.len(), after.len())];
    }
    let mut found = Vec::new();
    for (before, after) in before.iter().zip(after) {
        let name = before["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        differ(before, after, &name, &mut found);
    }
    found
}

fn differ(before: &Value, after: &Value, path: &str, found: &mut Vec<String>) {
    match (before, after) {
        (Value::Mapping(before), Value::Mapping(after)) => {
            for (key, old) in before {
                let path = format!("{path}.{}", key.as_str().unwrap_or_default());
                match after.get(key) {
                    Some(new) => differ(old, new, &path, found),
                    None => found.push(format!("{path} is gone")),
                }
            }
            for (key, _) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                let path = format!("{path}.{}", key.as_str().unwrap_or_default());
                check(&path, ["ports", "env"].contains(&last(&path)), found);
            }
        }
        (Value::Sequence(before), Value::Sequence(after)) if before.len() <= after.len() => {
            for (index, (old, new)) in before.iter().zip(after).enumerate() {
                differ(old, new, &format!("{path}.{index}"), found);
            }
            if before.len() < after.len() {
                check(path, ["ports", "env", "args"].contains(&last(path)), found);
            }
        }
        _ if before == after => {}
        _ => {
            let dials = ["Probe.", ".lifecycle.", ".ingress.", ".egress."];
            let dialled = last(path) == "port" && dials.iter().any(|field| path.contains(field));
            check(path, dialled || (path.contains(".env.") && last(path) == "value"), found);
        }
    }
}

/// Returns the last key of a path.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

fn check(path: &str, concerned: bool, found: &mut Vec<String>) {
    if !concerned && !CONCERNED.iter().any(|field| path.split('.').any(|key| key == *field)) {
        found.push(format!("{path} differs"));
    }
}
