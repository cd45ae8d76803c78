//! Compares two manifests field by field.

use serde_json::Value;

use super::objects::{Objects, id, template_path};

/// A field that was changed, added or removed.
#[derive(Debug)]
pub(crate) struct Difference {
    /// `Kind/NAME`
    pub(crate) object: String,
    /// Path in the form of `truth.yaml`.
    pub(crate) path: String,
    /// Short path below a pod spec: `hostNetwork`, `CONTAINER/args[2]` or `CONTAINER/env.NAME`.
    pub(crate) in_pod: Option<String>,
    pub(crate) old: Option<Value>,
    pub(crate) new: Option<Value>,
    /// The previous argument, in a list of arguments.
    before: Option<String>,
}

impl Difference {
    /// True if the field is the value of a flag, or the text that contains the flag.
    pub(crate) fn is_of(&self, arg: &str) -> bool {
        let bare = arg.trim_start_matches('-');
        let is_flag = |word: &str| {
            let flag = word.trim_start_matches(['"', '\'']);
            let Some(rest) = flag
                .strip_prefix('-')
                .map(|flag| flag.trim_start_matches('-'))
                .and_then(|flag| flag.strip_prefix(bare))
            else {
                return false;
            };
            rest.is_empty() || rest.starts_with('=') || bare.len() == 1
        };
        let texts = [&self.old, &self.new].into_iter().flatten().filter_map(Value::as_str);
        self.before.as_deref().is_some_and(|word| !word.contains('=') && is_flag(word))
            || texts.flat_map(str::split_whitespace).any(is_flag)
    }
}

/// Returns all differences.
pub(crate) fn differences(input: &Objects, output: &Objects) -> Vec<Difference> {
    let mut found = Vec::new();
    for old in &input.0 {
        let object = id(old);
        let new = output.find(&object).cloned().unwrap_or_default();
        let pod = template_path(old).map(|path| format!("{path}.spec"));
        compare(old, &new, "", &mut |path, old, new, before| {
            let in_pod = pod.as_deref().and_then(|pod| in_pod(path, pod, input, &object));
            found.push(Difference { object: object.clone(), path: path.to_owned(), in_pod, old, new, before });
        });
    }
    for new in output.0.iter().filter(|new| input.find(&id(new)).is_none()) {
        found.push(Difference {
            object: id(new),
            path: String::new(),
            in_pod: None,
            old: None,
            new: Some(new.clone()),
            before: None,
        });
    }
    found
}

/// Converts `spec.template.spec.containers[0].args[1]` to `CONTAINER/args[1]`.
fn in_pod(path: &str, pod: &str, input: &Objects, object: &str) -> Option<String> {
    let rest = path.strip_prefix(pod)?.strip_prefix('.')?;
    let Some((list, index, field)) = split(rest) else { return Some(rest.to_owned()) };
    if !["args", "command", "env", "ports"].iter().any(|start| field.starts_with(start)) {
        return None;
    }
    let name = super::objects::at(input.find(object)?, &format!("{pod}.{list}[{index}].name"))?.as_str()?;
    Some(format!("{name}/{field}"))
}

/// Splits `containers[0].args[1]` into its three parts.
fn split(path: &str) -> Option<(&str, &str, &str)> {
    let (list, rest) = path.split_once('[')?;
    let (index, field) = rest.split_once("].")?;
    ["containers", "initContainers"].contains(&list).then_some((list, index, field))
}

/// True if the last step of a path is `step`.
fn ends(path: &str, step: &str) -> bool {
    path.rsplit('.').next() == Some(step)
}

type Report<'r> = dyn FnMut(&str, Option<Value>, Option<Value>, Option<String>) + 'r;

fn compare(old: &Value, new: &Value, path: &str, report: &mut Report<'_>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::Object(was), Value::Object(is)) => {
            let mut keys: Vec<&String> = was.keys().chain(is.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
                let dot = if path.is_empty() { "" } else { "." };
                let below = if plain { format!("{path}{dot}{key}") } else { format!("{path}[\"{key}\"]") };
                field(was.get(key), is.get(key), &below, report);
            }
        }
        (Value::Array(was), Value::Array(is)) if ends(path, "env") => {
            let name = |one: &Value| one["name"].as_str().unwrap_or_default().to_owned();
            let last = |list: &[Value], wanted: &str| list.iter().rfind(|one| name(one) == wanted).cloned();
            let mut names: Vec<String> = was.iter().chain(is).map(name).collect();
            names.sort();
            names.dedup();
            for wanted in names {
                let (was, is) = (last(was, &wanted), last(is, &wanted));
                if was != is {
                    report(&format!("{path}.{wanted}"), was, is, None);
                }
            }
        }
        (Value::Array(was), Value::Array(is)) if ends(path, "args") || ends(path, "command") => {
            words(was, is, path, report);
        }
        (Value::Array(was), Value::Array(is)) => {
            for index in 0..was.len().max(is.len()) {
                field(was.get(index), is.get(index), &format!("{path}[{index}]"), report);
            }
        }
        (old, new) => report(path, Some(old.clone()), Some(new.clone()), None),
    }
}

fn field(old: Option<&Value>, new: Option<&Value>, path: &str, report: &mut Report<'_>) {
    match (old, new) {
        (Some(old), Some(new)) => compare(old, new, path, report),
        (None, Some(new)) if ends(path, "args") => {
            words(&[], new.as_array().map_or(&[], Vec::as_slice), path, report);
        }
        (None, Some(Value::Array(new))) if ends(path, "env") => {
            for one in new {
                let name = one["name"].as_str().unwrap_or_default();
                report(&format!("{path}.{name}"), None, Some(one.clone()), None);
            }
        }
        (old, new) => report(path, old.cloned(), new.cloned(), None),
    }
}

/// Compares arguments; one may have been added anywhere.
fn words(was: &[Value], is: &[Value], path: &str, report: &mut Report<'_>) {
    let text = |list: &[Value]| list.iter().map(|one| one.as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>();
    let (was, is) = (text(was), text(is));
    let value = |list: &[String], at: usize| list.get(at).map(|text| Value::from(text.as_str()));
    let before = |list: &[String], at: usize| at.checked_sub(1).and_then(|at| list.get(at)).cloned();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &was, &is) {
        let (_, old, new) = op.as_tag_tuple();
        if op.tag() == similar::DiffTag::Equal {
            continue;
        }
        for offset in 0..old.len().max(new.len()) {
            let (was_at, is_at) = (old.start + offset, new.start + offset);
            let (gone, come) = (offset < old.len(), offset < new.len());
            let at = if gone { was_at } else { is_at };
            let before = if come { before(&is, is_at) } else { before(&was, was_at) };
            let (old, new) = (value(&was, was_at).filter(|_| gone), value(&is, is_at).filter(|_| come));
            report(&format!("{path}[{at}]"), old, new, before);
        }
    }
}
