//! Manifests as an independent YAML reader sees them.

use serde::Deserialize as _;
use serde_json::Value;

/// The objects of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Objects(pub(crate) Vec<Value>);

impl Objects {
    pub(crate) fn read(stream: &str) -> Self {
        let mut all = Vec::new();
        for document in serde_yaml::Deserializer::from_str(stream) {
            let mut value = serde_yaml::Value::deserialize(document).unwrap();
            value.apply_merge().unwrap();
            match serde_json::to_value(value).unwrap() {
                Value::Null => {}
                value => all.push(value),
            }
        }
        Self(all)
    }

    /// Returns the object `Kind/NAME`; panics if there are several.
    pub(crate) fn find(&self, id: &str) -> Option<&Value> {
        let mut found = self.0.iter().filter(|object| self::id(object) == id);
        let object = found.next()?;
        assert!(found.next().is_none(), "duplicate object {id}");
        Some(object)
    }

    /// Returns the content of a ConfigMap key: `KEY`, or `NAME/KEY` if several ConfigMaps have that key.
    pub(crate) fn config_file(&self, file: &str) -> Option<&str> {
        let (name, key) = file.rsplit_once('/').map_or((None, file), |(name, key)| (Some(name), key));
        let maps = self.0.iter().filter(|object| object["kind"] == "ConfigMap");
        let mut maps = maps.filter(|map| name.is_none_or(|name| map["metadata"]["name"] == name));
        maps.find_map(|map| map["data"][key].as_str())
    }
}

/// `Kind/NAME`
pub(crate) fn id(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{}/{}", text(&object["kind"]), text(&object["metadata"]["name"]))
}

/// Returns the path of an object's pod template, if it has one.
pub(crate) fn template_path(object: &Value) -> Option<&'static str> {
    Some(match object["kind"].as_str()? {
        "Deployment" | "DaemonSet" | "StatefulSet" | "ReplicaSet" | "Job" => "spec.template",
        "CronJob" => "spec.jobTemplate.spec.template",
        _ => return None,
    })
}

/// Returns the pod spec of a workload.
pub(crate) fn pod_spec(object: &Value) -> Option<&Value> {
    at(object, template_path(object)?)?.get("spec")
}

/// Returns the containers that run at the same time, including sidecars.
pub(crate) fn containers(object: &Value) -> Vec<&Value> {
    let list = |key: &str| pod_spec(object).and_then(|spec| spec[key].as_array()).into_iter().flatten();
    list("containers").chain(list("initContainers").filter(|one| one["restartPolicy"] == "Always")).collect()
}

/// Returns a container by name.
pub(crate) fn container<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    containers(object).into_iter().find(|container| container["name"] == name)
}

/// Splits a path such as `spec.ports[0].targetPort` or `data["a.yaml"]` into its steps.
pub(crate) fn steps(path: &str) -> Vec<String> {
    let (mut steps, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        if let Some((quoted, tail)) = rest.strip_prefix("[\"").and_then(|tail| tail.split_once("\"]")) {
            steps.push(quoted.to_owned());
            rest = tail;
        } else if let Some((index, tail)) = rest.strip_prefix('[').and_then(|tail| tail.split_once(']')) {
            steps.push(index.to_owned());
            rest = tail;
        } else {
            let word = rest.strip_prefix('.').unwrap_or(rest);
            let end = word.find(['.', '[']).unwrap_or(word.len());
            steps.push(word[..end].to_owned());
            rest = &word[end..];
        }
    }
    steps
}

/// Returns the value at a path.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    steps(path).iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

/// Returns the value at a path; `#path` continues inside a text that is YAML.
pub(crate) fn at_inner(value: &Value, path: &str) -> Option<Value> {
    match path.split_once('#') {
        None => at(value, path).cloned(),
        Some((outer, inner)) => inside(at(value, outer)?.as_str()?, inner),
    }
}

/// Returns the value at a path inside a YAML text. Stops at the first error, which the reader would otherwise repeat
/// forever.
pub(crate) fn inside(text: &str, path: &str) -> Option<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let mut values = documents.map_while(|document| Value::deserialize(document).ok());
    values.find_map(|value| at(&value, path).cloned())
}

/// Returns the whole numbers of a text. Numbers next to a letter, digit, dot or hyphen are part of something else.
pub(crate) fn whole_numbers(text: &str) -> Vec<u16> {
    let bytes = text.as_bytes();
    let whole = runs(text).filter(|&(start, end)| !is_continued(bytes, start) && !is_inside(bytes, end));
    whole.filter_map(|(start, end)| text[start..end].parse().ok()).collect()
}

/// True if the preceding character belongs to the number; in `${PORT:-8080}` it does not.
fn is_continued(bytes: &[u8], start: usize) -> bool {
    match start.checked_sub(1).and_then(|at| bytes.get(at)) {
        Some(b'-') => start < 2 || bytes[start - 2] != b':',
        Some(byte) => byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'),
        None => false,
    }
}

/// True if the following character belongs to the number, as in `8080.5` and `8080m`, but not in `8080.` at the end of
/// a sentence.
fn is_inside(bytes: &[u8], end: usize) -> bool {
    let alphanumeric = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    match bytes.get(end) {
        Some(b'.' | b'-' | b'_') => alphanumeric(end + 1),
        _ => alphanumeric(end),
    }
}

/// Returns the ranges of digits in a text.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..bytes.len()).filter(move |&at| digit(at) && !(at > 0 && digit(at - 1)));
    starts.map(move |start| (start, (start..bytes.len()).find(|&end| !digit(end)).unwrap_or(bytes.len())))
}

/// True if a text contains a number as a whole.
pub(crate) fn holds(text: &str, number: u16) -> bool {
    whole_numbers(text).contains(&number)
}

/// Collects all texts and numbers below a value, with their paths.
pub(crate) fn leaves(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| leaves(item, &format!("{path}[{index}]"), found));
        }
        Value::Object(fields) => fields.iter().for_each(|(key, field)| {
            let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
            let dot = if path.is_empty() { "" } else { "." };
            let path = if plain { format!("{path}{dot}{key}") } else { format!("{path}[\"{key}\"]") };
            leaves(field, &path, found);
        }),
        Value::String(text) => found.push((path.to_owned(), text.clone())),
        Value::Null => {}
        other => found.push((path.to_owned(), other.to_string())),
    }
}
