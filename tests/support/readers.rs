//! Compares every field that Go programs (`tests/go/readers`: kyaml and sigs.k8s.io/yaml) read before and after a run
//! with the planned changes.

use hostnet::api::AnyConfig;
use hostnet::kinds::{self, Function as _};
use krm::{Changes, Input, Origin};
use serde_json::{Map, Value, json};

use super::edited::expected;
use test_programs::go_readers::{read_by, readers};

/// A file before and after a run, with the planned changes.
pub(crate) struct Changed {
    pub(crate) name: String,
    before: String,
    after: String,
    changes: Changes,
    /// Number of objects that the product reads from the file.
    objects: usize,
}

/// Result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Files that both readers accept, and the number of their objects.
    pub(crate) files: usize,
    pub(crate) objects: usize,
    /// Files that were not compared, because a reader rejects them or finds another number of objects.
    pub(crate) unread: Vec<String>,
    pub(crate) differences: Vec<String>,
    /// Changed objects as kubectl reads them, before and after.
    pub(crate) changed: Vec<(Value, Value)>,
}

/// Runs a config over files and returns those that change; empty if the run fails.
pub(crate) fn changed(files: &[(String, String)], config: &str) -> Vec<Changed> {
    let Ok(config) = AnyConfig::read(config, "hostnet.yaml", 1) else { return Vec::new() };
    let read = |(name, text): &(String, String)| Input::read(Origin::file(name), text.clone().into_bytes());
    let Ok(inputs) = files.iter().map(read).collect::<Result<Vec<_>, _>>() else { return Vec::new() };
    let Ok(run) = kinds::run(&inputs, &config, false) else { return Vec::new() };
    if run.failed() {
        return Vec::new();
    }
    let changes = config.plan(&inputs).unwrap().changes();
    let mut all = Vec::new();
    for (((input, splices), changes), (name, text)) in inputs.iter().zip(&run.splices).zip(changes).zip(files) {
        let (after, objects) = (input.output(splices), input.objects(|_, _| ()).unwrap().len());
        if after != *text || !changes.is_empty() {
            all.push(Changed { name: name.clone(), before: text.clone(), after, changes, objects });
        }
    }
    all
}

/// Compares the objects that both readers see in each file; `files` is called only if the readers are installed.
/// Returns `None`, and reports it, if they are not.
pub(crate) fn compare(files: impl FnOnce() -> Vec<Changed>) -> Option<Compared> {
    let program = readers()?;
    let files = &files();
    let texts: Vec<&str> = files.iter().flat_map(|file| [file.before.as_str(), file.after.as_str()]).collect();
    let seen = read_by(&program, &texts);
    let mut compared = Compared::default();
    for (file, seen) in files.iter().zip(seen.chunks(2)) {
        let mut is_read = true;
        for reader in ["kyaml", "sigs"] {
            let name = format!("{} ({reader})", file.name);
            let before = match objects(&seen[0], reader) {
                Ok(before) if before.len() == file.objects => before,
                other => {
                    is_read = false;
                    compared.unread.push(format!("{name}: {:?}", other.map(|objects| objects.len())));
                    continue;
                }
            };
            match objects(&seen[1], reader) {
                Err(error) => compared.differences.push(format!("{name}: the output is refused: {error}")),
                Ok(after) => {
                    let wanted = expected(&before, &file.changes, after.len());
                    if wanted.len() != after.len() {
                        let lengths = format!("{} objects, and not {}", after.len(), wanted.len());
                        compared.differences.push(format!("{name}: {lengths}"));
                    }
                    for (wanted, after) in wanted.iter().zip(&after) {
                        compared.differences.extend(difference("", wanted, after).map(|log| format!("{name}: {log}")));
                    }
                    if reader == "sigs" && file.changes.removed.is_empty() && file.changes.added.is_empty() {
                        let pairs = before.into_iter().zip(after).enumerate();
                        let pairs = pairs.filter(|(index, _)| file.changes.edits.contains_key(index));
                        compared.changed.extend(pairs.map(|(_, pair)| pair));
                    }
                }
            }
        }
        compared.files += usize::from(is_read);
        compared.objects += file.objects;
    }
    Some(compared)
}

/// Returns the objects that a reader sees, including the items of lists.
fn objects(seen: &Value, reader: &str) -> Result<Vec<Value>, String> {
    if let Some(error) = seen["errors"].get(reader) {
        return Err(error.as_str().unwrap_or_default().to_owned());
    }
    let mut found = Vec::new();
    let documents = seen[reader].as_array().map(Vec::as_slice).unwrap_or_default();
    for document in documents {
        flatten(document, &mut found);
    }
    Ok(found)
}

fn flatten(document: &Value, found: &mut Vec<Value>) {
    let is_text = |key: &str| document[key].as_str().is_some_and(|text| !text.is_empty());
    let is_list = document["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
    match (document, &document["items"]) {
        (Value::Array(items), _) => items.iter().for_each(|item| flatten(item, found)),
        (_, Value::Array(items)) if is_list => items.iter().for_each(|item| flatten(item, found)),
        _ if is_text("apiVersion") && is_text("kind") => found.push(document.clone()),
        _ => {}
    }
}

/// Describes the first difference between two values.
fn difference(place: &str, wanted: &Value, is: &Value) -> Option<String> {
    match (wanted, is) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let value = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or_else(|| json!("(absent)"));
                difference(&format!("{place}.{key}"), &value(one), &value(other))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(index, (one, other))| difference(&format!("{place}[{index}]"), one, other))
        }
        _ if wanted == is => None,
        _ => Some(format!("{place} is {is}, and should be {wanted}")),
    }
}
