//! List elements on the paths of changes: expressions that find them by name or value.

use std::collections::HashMap;

use super::super::guard::pointer;
use super::change::Change;
use super::literal::{field, literal, one_of, select};
use crate::render::policy::text;
use lossless_yaml::{NodeRef, Path, Step, Value};

/// Keys of ports that identify an element without a name, together with its protocol.
const NUMBERS: [&str; 2] = ["containerPort", "port"];

/// List elements on the paths of changes, each with a variable for its index.
pub(super) struct Elements<'t, 's> {
    pub(super) object: NodeRef<'t, 's>,
    /// New values by JSON pointer.
    new: HashMap<String, Value>,
    /// Paths of the elements and names of their variables, in the order of the changes.
    variables: Vec<(Path, String)>,
    /// Names of the variables by JSON pointer.
    names: HashMap<String, String>,
    /// Elements whose number changes.
    renumbered: Vec<Renumbered>,
}

/// A list element whose number changes: `containerPort` of a container, `port` of a Service.
///
/// These numbers are the keys by which server-side apply and strategic merge patches find an
/// element. When the creator of an object writes the object again, the element with the old number
/// is added next to the element with the new number.
struct Renumbered {
    /// Path of the element.
    path: Path,
    key: &'static str,
    old: Value,
    new: Value,
    protocol: String,
}

impl Renumbered {
    /// Expression that is true for an element with the new number if its list also has an element with the old number.
    fn is_left(&self, element: &str, all: &str) -> Result<String, String> {
        let is = |element: &str, number: &Value| {
            let number = format!("{}.orValue(dyn(null)) == {}", field(element, self.key), literal(number)?);
            let protocol = format!("{}.orValue(\"TCP\") == {}", field(element, "protocol"), text(&self.protocol));
            Ok::<String, String>(format!("{number} && {protocol}"))
        };
        Ok(format!("{} && {all}.exists(x, {})", is(element, &self.new)?, is("x", &self.old)?))
    }
}

impl<'t, 's> Elements<'t, 's> {
    pub(super) fn new(object: NodeRef<'t, 's>, changes: &[Change]) -> Self {
        let (new, variables, names) = (HashMap::new(), Vec::new(), HashMap::new());
        let renumbered = renumbered(object, changes);
        let mut this = Self { object, new, variables, names, renumbered };
        let mut counts: HashMap<String, usize> = HashMap::new();
        for change in changes {
            if let Change::Put { path, new, .. } = change {
                this.new.insert(pointer(path), new.clone());
            }
            for beginning in super::super::guard::beginnings(change.path()) {
                if !matches!(beginning.last(), Some(Step::Item { .. })) || this.names.contains_key(&pointer(&beginning))
                {
                    continue;
                }
                let key = beginning.parent().and_then(|list| match list.last() {
                    Some(Step::Key(key)) if key.chars().all(|c| c.is_ascii_alphanumeric()) => Some(key.to_string()),
                    _ => None,
                });
                let key = key.unwrap_or_else(|| "element".to_owned());
                let count = counts.entry(key.clone()).or_default();
                let name = format!("{key}{count}");
                *count += 1;
                this.names.insert(pointer(&beginning), name.clone());
                this.variables.push((beginning, name));
            }
        }
        this
    }

    /// Names and expressions of the variables: indexes of the elements.
    pub(super) fn variables(&self) -> Result<Vec<(String, String)>, String> {
        let variable = |(path, name): &(Path, String)| {
            let list = self.plain(&path.parent().unwrap_or_default());
            let found = self.predicate(path, "i", "e", &list)?;
            Ok((name.clone(), format!("{list}.transformList(i, e, {found}, i)[0]")))
        };
        self.variables.iter().map(variable).collect()
    }

    /// Expressions that remove elements with new numbers next to elements with old numbers.
    pub(super) fn removals(&self) -> Result<Vec<String>, String> {
        let mut lists: Vec<(Path, Vec<String>)> = Vec::new();
        for renumbered in &self.renumbered {
            let list = renumbered.path.parent().unwrap_or_default();
            let left = renumbered.is_left("e", &self.plain(&list))?;
            match lists.iter_mut().find(|(known, _)| known.is_same_place(&list)) {
                Some((_, all)) => all.push(left),
                None => lists.push((list, vec![left])),
            }
        }
        let removal = |(list, left): &(Path, Vec<String>)| {
            let (all, path) = (self.plain(list), self.pointer(list, "/"));
            // Each removal moves the later elements down by one.
            format!(
                "{all}.transformList(i, e, {}, i).transformList(k, i, JSONPatch{{op: \"remove\", path: {path} + string(i - k)}})",
                left.join(" || ")
            )
        };
        Ok(lists.iter().map(removal).collect())
    }

    /// Expression for a value that exists.
    pub(super) fn plain(&self, path: &Path) -> String {
        path.steps()
            .into_iter()
            .fold((Path::root(), "object".to_owned()), |(at, text), step| {
                let at = at.step(step.clone());
                let text = match step {
                    Step::Key(key) => select(&text, key),
                    Step::Item { .. } => format!("{text}[{}]", self.index(&at)),
                };
                (at, text)
            })
            .1
    }

    /// Expression for a value that may be missing below the last list element of its path, as an optional value.
    pub(super) fn optional(&self, path: &Path) -> String {
        let steps = path.steps();
        let keys = steps.iter().rev().take_while(|step| matches!(step, Step::Key(_))).count();
        let (outside, inside) = steps.split_at(steps.len() - keys);
        let outside = outside.iter().fold(Path::root(), |path, step| path.step((*step).clone()));
        let base = self.plain(&outside);
        inside.iter().fold(base, |text, step| match step {
            Step::Key(key) => field(&text, key),
            Step::Item { .. } => text,
        })
    }

    /// Expression for the JSON pointer of a path, followed by `end`.
    pub(super) fn pointer(&self, path: &Path, end: &str) -> String {
        let (mut parts, mut word, mut at) = (Vec::new(), String::new(), Path::root());
        for step in path.steps() {
            at = at.step(step.clone());
            match step {
                Step::Key(_) => word.push_str(&pointer(&Path::root().step(step.clone()))),
                Step::Item { .. } => {
                    word.push('/');
                    parts.push(text(&std::mem::take(&mut word)));
                    parts.push(format!("string({})", self.index(&at)));
                }
            }
        }
        word.push_str(end);
        parts.extend((!word.is_empty()).then(|| text(&word)));
        parts.join(" + ")
    }

    fn index(&self, path: &Path) -> String {
        let name = self.names.get(&pointer(path)).map_or("", String::as_str);
        format!("variables.{name}")
    }

    /// Expression that is true for one element of a list: `element` with the index `index` of the list `all`.
    pub(super) fn predicate(&self, path: &Path, index: &str, element: &str, all: &str) -> Result<String, String> {
        let list = self.object.lookup(&path.parent().unwrap_or_default());
        let elements: Vec<NodeRef<'_, '_>> = list.into_iter().flat_map(NodeRef::items).collect();
        let position = match path.last() {
            Some(Step::Item { index, .. }) => *index,
            _ => return Err(format!("{path} is not an element of a list")),
        };
        let Some(node) = elements.get(position).copied() else { return Err(format!("there is no {path}")) };
        let twice =
            || format!("{path} cannot be distinguished from another element of its list, so a policy cannot find it");
        if node.is_mapping() {
            let mut found = self.mapping(path, node, &elements, element)?.ok_or_else(twice)?;
            if let Some(renumbered) = self.renumbered.iter().find(|renumbered| renumbered.path.is_same_place(path)) {
                found.push_str(&format!(" && !({})", renumbered.is_left(element, all)?));
            }
            return Ok(found);
        }
        let own = node.to_value().ok_or_else(twice)?;
        // A word without dash may be the value of the flag before it.
        let is_flag = matches!(&own, Value::Str(word) if word.starts_with('-'));
        let before = position.checked_sub(1).filter(|_| !is_flag);
        let before = before.and_then(|before| Some((before, elements.get(before)?.to_value()?)));
        let equal = elements.iter().enumerate().filter(|(at, other)| {
            let other_before = at.checked_sub(1).and_then(|at| elements.get(at)?.to_value());
            other.to_value().as_ref() == Some(&own)
                && before.as_ref().is_none_or(|(_, before)| other_before.as_ref() == Some(before))
        });
        if equal.count() != 1 {
            return Err(twice());
        }
        let mut found = is_old_or_new(element, own, self.new.get(&pointer(path)))?;
        if let Some((position, before)) = before {
            let path = path.parent().unwrap_or_default().item(position);
            let before = is_old_or_new(&format!("{all}[{index} - 1]"), before, self.new.get(&pointer(&path)))?;
            found.push_str(&format!(" && {index} > 0 && {before}"));
        }
        Ok(found)
    }

    /// Expression that finds a mapping by its name, its number and protocol, as the only element, or by a scalar that
    /// no other element has.
    fn mapping(
        &self,
        path: &Path,
        node: NodeRef<'_, '_>,
        all: &[NodeRef<'_, '_>],
        element: &str,
    ) -> Result<Option<String>, String> {
        let key = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let is_known = |name: &str, absent: &str| {
            let old = node.get(name).and_then(NodeRef::to_value).unwrap_or(Value::Null);
            let value = format!("{}.orValue({absent})", field(element, name));
            is_old_or_new(&value, old, self.new.get(&pointer(&path.key(name.to_owned()))))
        };
        let is_only =
            |name: &String| all.iter().filter(|other| key(**other, "name").as_ref() == Some(name)).count() == 1;
        if key(node, "name").as_ref().is_some_and(is_only) {
            return is_known("name", "\"\"").map(Some);
        }
        let protocol = |node: NodeRef<'_, '_>| key(node, "protocol").unwrap_or_else(|| "TCP".to_owned());
        for number in NUMBERS {
            let Some(own) = key(node, number) else { continue };
            let is_same = |other: &&NodeRef<'_, '_>| {
                key(**other, number).as_ref() == Some(&own) && protocol(**other) == protocol(node)
            };
            if all.iter().filter(is_same).count() == 1 {
                let number = is_known(number, "dyn(null)")?;
                let protocol = text(&protocol(node));
                return Ok(Some(format!("{number} && {}.orValue(\"TCP\") == {protocol}", field(element, "protocol"))));
            }
        }
        if all.len() == 1 {
            return Ok(Some("true".to_owned()));
        }
        let mut keys = node.entries().filter_map(|(name, _)| name.text());
        let is_own = |name: &&str| {
            let own = key(node, name);
            own.is_some() && all.iter().filter(|other| key(**other, name) == own).count() == 1
        };
        keys.find(is_own).map(|name| is_known(name, "dyn(null)")).transpose()
    }
}

/// Elements whose number changes to one that no element of their list has.
fn renumbered(object: NodeRef<'_, '_>, changes: &[Change]) -> Vec<Renumbered> {
    let one = |change: &Change| {
        let Change::Put { path, old: Some(old), new } = change else { return None };
        let Some(Step::Key(key)) = path.last() else { return None };
        let key = NUMBERS.into_iter().find(|number| number == key)?;
        let path = path.parent().filter(|path| matches!(path.last(), Some(Step::Item { .. })))?;
        let list = object.lookup(&path.parent()?)?;
        if list.items().any(|other| other.get(key).and_then(NodeRef::to_value).as_ref() == Some(new)) {
            return None;
        }
        let protocol =
            object.lookup(&path.key("protocol")).and_then(NodeRef::non_empty_text).unwrap_or("TCP").to_owned();
        Some(Renumbered { path, key, old: old.clone(), new: new.clone(), protocol })
    };
    changes.iter().filter_map(one).collect()
}

/// Expression that is true for the old and the new value.
fn is_old_or_new(value: &str, old: Value, new: Option<&Value>) -> Result<String, String> {
    let new = new.filter(|new| **new != old).cloned();
    one_of(value, &std::iter::once(old).chain(new).collect::<Vec<_>>())
}
