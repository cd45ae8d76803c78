//! What Go programs read (`tests/go/readers`) before and after a run, held against what the plan says: field by field, by kyaml and by
//! sigs.k8s.io/yaml.

use hostnet::api::AnyConfig;
use hostnet::kinds::{self, Function as _};
use krm::{Changes, Input, Origin};
use serde_json::{Map, Value, json};

use super::edited::expected;
use test_programs::go_readers::{read_by, readers};

/// A file before and after a run that changes it, and what its plan says.
pub(crate) struct Changed {
    pub(crate) name: String,
    before: String,
    after: String,
    changes: Changes,
    /// How many objects the product sees in it.
    objects: usize,
}

/// What came of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Files that both readers read, and the objects in them.
    pub(crate) files: usize,
    pub(crate) objects: usize,
    /// Files whose input one of the readers refuses or divides otherwise: nothing can be compared.
    pub(crate) unread: Vec<String>,
    pub(crate) differences: Vec<String>,
    /// Objects that change, as kubectl reads them: before, and after.
    pub(crate) changed: Vec<(Value, Value)>,
}

/// The files that a run over these changes; none when it ends in an error.
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

/// Compares what both readers see in files, which are made only if the readers are there. `None` without them, which is reported.
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
                        compared
                            .differences
                            .extend(difference("", wanted, after).map(|said| format!("{name}: {said}")));
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

/// The objects that a reader sees, those of lists among them.
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

/// The first place where two values differ.
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
