//! Checks that patches have the same effect as `hostnet apply`.

use hostnet::kinds::{Function, patch};
use hostnet::render::patch::{Form, Renames};
use hostnet::rule::Severity;
use krm::{Input, Origin};
use serde::Deserialize as _;
use serde_json::Value;

/// Creates the patches for a manifest, applies them as kustomize does, and asserts that the objects equal `output`, the
/// output of `hostnet apply`. `--verify` must find the changes in `output`, too.
pub(crate) fn same(config: &impl Function, manifest: &str, output: &str) {
    let read = |text: &str| Input::read(Origin::stdin(), text.to_owned().into()).unwrap();
    let patches = patch::patches(&[read(manifest)], config, &Renames::default(), false).unwrap();
    let errors: Vec<_> = patches.results.iter().filter(|result| result.severity == Severity::Error).collect();
    if !errors.is_empty() {
        // kustomize would not build these manifests.
        let known = |message: &str| message.contains("more than once") || message.contains("without a name");
        assert!(errors.iter().all(|error| known(&error.message)), "{errors:?}");
        return;
    }
    let missing = patch::verify(&patches, &read(output), &Renames::default()).unwrap();
    assert!(missing.is_empty(), "{missing:?}\n{output}");
    let component: Value = serde_yaml::from_str(&patches.text(Form::Component, &[])).unwrap();
    let mut objects = patched(&component, objects(manifest)).unwrap();
    objects.extend(patches.new.iter().flat_map(|new| self::objects(&new.text)));
    let mut wanted = self::objects(output);
    objects.sort_by_key(identity);
    wanted.sort_by_key(identity);
    assert_eq!(objects.len(), wanted.len());
    for (patched, applied) in objects.iter().zip(&wanted) {
        assert_eq!(patched, applied, "\n{component}");
    }
}

/// Applies the patches of a component to objects; an error names the operation that failed.
pub(crate) fn patched(component: &Value, mut objects: Vec<Value>) -> Result<Vec<Value>, String> {
    for patch in component["patches"].as_array().unwrap() {
        let text = patch["patch"].as_str().unwrap();
        if text.starts_with("$patch: delete\n") {
            let gone: Value = serde_yaml::from_str(text).unwrap();
            let before = objects.len();
            objects.retain(|object| identity(object) != identity(&gone));
            assert_eq!(objects.len() + 1, before, "{gone}");
            continue;
        }
        let operations: Vec<Value> = serde_yaml::from_str(text).unwrap();
        let mut matched = 0;
        for object in objects.iter_mut().filter(|object| is_target(object, &patch["target"])) {
            matched += 1;
            for operation in &operations {
                apply(object, operation).ok_or_else(|| operation.to_string())?;
            }
        }
        assert_eq!(matched, 1, "{}", patch["target"]);
    }
    Ok(objects)
}

pub(crate) fn identity(object: &Value) -> [String; 4] {
    let word = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    ["/kind", "/metadata/namespace", "/metadata/name", "/apiVersion"].map(word)
}

pub(crate) fn objects(stream: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for document in serde_yaml::Deserializer::from_str(stream) {
        // Skips documents that `serde_yaml` rejects, such as those with duplicate keys: no patch changes them.
        let Ok(mut value) = serde_yaml::Value::deserialize(document) else { continue };
        value.apply_merge().unwrap();
        let value = serde_json::to_value(value).unwrap();
        match value.get("items").and_then(Value::as_array) {
            Some(items) => all.extend(items.iter().cloned()),
            None => all.push(value),
        }
    }
    all
}

pub(crate) fn is_target(object: &Value, target: &Value) -> bool {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let matches = |field: &str, value: &str| {
        target[field]
            .as_str()
            .is_none_or(|pattern| regex::Regex::new(&format!("^(?:{pattern})$")).unwrap().is_match(value))
    };
    let metadata = |field: &str| object["metadata"][field].as_str();
    matches("group", group)
        && matches("version", version)
        && matches("kind", object["kind"].as_str().unwrap_or_default())
        && matches("name", metadata("name").unwrap_or_default())
        && matches("namespace", metadata("namespace").unwrap_or("default"))
}

/// Applies one operation like kustomize's JSON patch library: a `test` for null also passes if the field is missing.
/// Returns `None` if the operation fails.
fn apply(object: &mut Value, operation: &Value) -> Option<()> {
    let path = operation["path"].as_str().unwrap();
    let value = operation["value"].clone();
    let (parent, last) = path.rsplit_once('/').unwrap();
    let last = last.replace("~1", "/").replace("~0", "~");
    let at = object.pointer_mut(parent)?;
    let index = |items: &[Value]| if last == "-" { Some(items.len()) } else { last.parse().ok() };
    match (operation["op"].as_str().unwrap(), at) {
        ("test", at) => {
            let found = match at {
                Value::Array(items) => items.get(index(items)?)?.clone(),
                at => at.get(&last).cloned().unwrap_or_default(),
            };
            return (found == value).then_some(());
        }
        ("add", Value::Array(items)) => {
            let index = index(items).filter(|index| *index <= items.len())?;
            items.insert(index, value);
        }
        ("add", at) => _ = at.as_object_mut()?.insert(last, value),
        ("replace", Value::Array(items)) => *items.get_mut(last.parse::<usize>().ok()?)? = value,
        ("replace", at) => *at.get_mut(&last).filter(|old| !old.is_null())? = value,
        ("remove", Value::Array(items)) => {
            let index = index(items).filter(|index| *index < items.len())?;
            drop(items.remove(index));
        }
        ("remove", at) => drop(at.as_object_mut()?.remove(&last)?),
        (op, _) => panic!("{op}"),
    }
    Some(())
}
