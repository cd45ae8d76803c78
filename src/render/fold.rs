//! Folds additions below an added value into that value: document edits can address only nodes that already exist.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::roots::Roots;
use super::value_edit::{add, below, index, insert, remove, value_at};
use crate::plan::{Change, Edit};
use lossless_yaml::{Path, Value};

/// Edits of one object after folding.
#[derive(Debug, Default)]
pub(super) struct Folded<'e> {
    /// Added values with their paths, in plan order.
    pub added: Vec<(Path, Value)>,
    /// All other edits, and additions that do not fit into the added value above them.
    pub rest: Vec<&'e Edit>,
}

/// A byte range of a text and the port number that replaces it.
pub(super) type PortReplacement = (Range<usize>, u16);

/// Folds the edits of one object.
pub(super) fn fold<'e>(edits: &[&'e Edit]) -> Folded<'e> {
    let mut adds: Vec<(usize, &'e Path, &'e Value)> = Vec::new();
    let mut others = Vec::new();
    for (position, &edit) in edits.iter().enumerate() {
        match &edit.change {
            Change::Add { new } => adds.push((position, &edit.path, new)),
            _ => others.push(edit),
        }
    }
    if adds.is_empty() {
        return Folded { added: Vec::new(), rest: others };
    }
    // Shorter paths first; elements of one list keep their planned order.
    adds.sort_by_cached_key(|(_, path, _)| (path.steps().len(), index(path)));
    let mut roots: Vec<(usize, Path, Value)> = Vec::new();
    let mut known = Roots::default();
    for (position, path, value) in adds {
        let enclosing = known.enclosing(path).and_then(|root| roots.get_mut(root));
        let folded = enclosing.is_some_and(|(_, root, into)| add(into, root, path, value));
        if !folded {
            known.insert(path, roots.len());
            roots.push((position, path.clone(), value.clone()));
        }
    }
    roots.sort_by_key(|(position, ..)| *position);
    let mut added: Vec<(Path, Value)> = roots.into_iter().map(|(_, path, value)| (path, value)).collect();
    let rest = change(&mut added, others);
    Folded { added, rest }
}

/// Splits edits into replaced maps and lists (with all later changes below them applied) and all other edits.
pub(super) fn replacements<'e>(edits: &[&'e Edit]) -> (Vec<(Path, Value)>, Vec<&'e Edit>) {
    let is_new = |path: &Path| {
        edits.iter().any(|edit| matches!(edit.change, Change::Add { .. }) && below(path, &edit.path).is_some())
    };
    let whole = |edit: &'e Edit| match &edit.change {
        Change::Set { new: new @ (Value::Map(_) | Value::Seq(_)), .. } if !is_new(&edit.path) => Some(new),
        _ => None,
    };
    let mut replacements = Vec::new();
    let mut rest = edits.to_vec();
    while let Some((position, value)) = rest.iter().enumerate().find_map(|(index, edit)| Some((index, whole(edit)?))) {
        let root = &rest.remove(position).path;
        let (inside, outside): (Vec<_>, Vec<_>) = rest.into_iter().partition(|edit| below(&edit.path, root).is_some());
        let (value, left) = into_value(root, value, &inside);
        replacements.push((root.clone(), value));
        rest = [outside, left].concat();
    }
    (replacements, rest)
}

/// Applies all edits at or below `root` to its new value; returns the value and the edits that do not fit.
pub(super) fn into_value<'e>(root: &Path, value: &Value, edits: &[&'e Edit]) -> (Value, Vec<&'e Edit>) {
    let mut value = value.clone();
    let mut adds: Vec<&'e Edit> = Vec::new();
    let mut others = Vec::new();
    for &edit in edits {
        if matches!(edit.change, Change::Add { .. }) { adds.push(edit) } else { others.push(edit) }
    }
    adds.sort_by_cached_key(|edit| (edit.path.steps().len(), index(&edit.path)));
    adds.retain(|edit| !matches!(&edit.change, Change::Add { new } if add(&mut value, root, &edit.path, new)));
    let mut whole = vec![(root.clone(), value)];
    let mut rest = change(&mut whole, others);
    rest.extend(adds);
    (whole.pop().map_or(Value::Null, |(_, value)| value), rest)
}

/// Applies edits inside added values; returns the edits of other paths.
fn change<'e>(added: &mut [(Path, Value)], edits: Vec<&'e Edit>) -> Vec<&'e Edit> {
    let mut rest = Vec::new();
    let mut texts: BTreeMap<&Path, (&str, Vec<PortReplacement>)> = BTreeMap::new();
    let mut moving = Vec::new();
    let roots = Roots::new(added);
    for edit in edits {
        let enclosing = roots.enclosing(&edit.path).and_then(|root| added.get_mut(root));
        let inside = enclosing.and_then(|(root, value)| value_at(value, &below(&edit.path, root)?));
        match (&edit.change, inside) {
            (Change::Set { new, .. }, Some(value)) => *value = new.clone(),
            (Change::Text { old, range, new }, Some(Value::Str(text))) if **text == **old => {
                let (_, parts) = texts.entry(&edit.path).or_insert_with(|| (old, Vec::new()));
                parts.push((range.clone(), *new));
            }
            (Change::Remove { .. } | Change::Insert { .. }, Some(_)) => moving.push(edit),
            _ => rest.push(edit),
        }
    }
    for (path, (old, parts)) in texts {
        let enclosing = roots.enclosing(path).and_then(|root| added.get_mut(root));
        if let Some(text) = enclosing.and_then(|(root, value)| value_at(value, &below(path, root)?)) {
            *text = Value::Str(replaced(old, parts));
        }
    }
    // From the last element to the first, so that inserts and removals keep earlier indexes valid. Inserts after one
    // element also run in reverse.
    moving.reverse();
    moving.sort_by_key(|edit| (Reverse(&edit.path), matches!(edit.change, Change::Remove { .. })));
    for edit in moving {
        let enclosing = edit.path.parent().and_then(|list| roots.enclosing(&list)).and_then(|root| added.get_mut(root));
        let made = enclosing.is_some_and(|(root, value)| match &edit.change {
            Change::Insert { new } => insert(value, root, &edit.path, new),
            _ => remove(value, root, &edit.path),
        });
        if !made {
            rest.push(edit);
        }
    }
    rest
}

/// Returns `text` with its ranges replaced.
pub(super) fn replaced(text: &str, mut ranges: Vec<PortReplacement>) -> String {
    ranges.sort_by_key(|(range, _)| range.start);
    ranges.dedup();
    let mut new = String::with_capacity(text.len());
    let mut end = 0;
    for (range, with) in ranges {
        new.push_str(text.get(end..range.start).unwrap_or_default());
        new.push_str(&with.to_string());
        end = range.end;
    }
    new.push_str(text.get(end..).unwrap_or_default());
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Message;
    use crate::rule;

    fn edit(path: Path, change: Change) -> Edit {
        Edit { object: 0, path, change, rule: rule::PORT_SETTING, message: Message::default() }
    }

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::map(entries.iter().cloned())
    }

    fn added(edits: &[Edit]) -> Vec<(String, Value)> {
        let folded = fold(&edits.iter().collect::<Vec<_>>());
        assert_eq!(folded.rest, Vec::<&Edit>::new());
        folded.added.into_iter().map(|(path, value)| (path.to_string(), value)).collect()
    }

    #[test]
    fn keys_and_elements_below_a_new_value_are_part_of_it() {
        let spec = Path::dotted("spec");
        let ports = spec.key("containers").item(0).key("ports");
        // Plan order does not matter: a move may precede the list that it extends.
        let edits = [
            edit(ports.named_item(1, Some("b")), Change::Add { new: map(&[("containerPort", 2_u16.into())]) }),
            edit(ports.item(1).key("hostPort"), Change::Add { new: 2_u16.into() }),
            edit(ports.item(0), Change::Add { new: map(&[("containerPort", 1_u16.into())]) }),
            edit(ports.clone(), Change::Add { new: Value::Seq(Vec::new()) }),
            edit(ports.item(1).key("name"), Change::Add { new: "b".into() }),
        ];
        let first = map(&[("containerPort", 1_u16.into())]);
        let second = map(&[("name", "b".into()), ("containerPort", 2_u16.into()), ("hostPort", 2_u16.into())]);
        assert_eq!(added(&edits), [("spec.containers[0].ports".to_owned(), Value::Seq(vec![first, second]))]);
    }

    #[test]
    fn neighbouring_new_values_stay_separate() {
        let edits = [
            edit(Path::dotted("a.b"), Change::Add { new: map(&[]) }),
            edit(Path::dotted("a.c"), Change::Add { new: 1_u16.into() }),
            edit(Path::dotted("a.b.d"), Change::Add { new: 2_u16.into() }),
        ];
        let b = map(&[("d", 2_u16.into())]);
        assert_eq!(added(&edits), [("a.b".to_owned(), b), ("a.c".to_owned(), 1_u16.into())]);
    }

    #[test]
    fn elements_below_a_new_element_of_an_old_list() {
        let ports = Path::dotted("ports");
        let edits = [
            edit(ports.item(3), Change::Add { new: map(&[("containerPort", 3_u16.into())]) }),
            edit(ports.item(3).key("hostPort"), Change::Add { new: 3_u16.into() }),
            edit(ports.item(0).key("hostPort"), Change::Add { new: 1_u16.into() }),
        ];
        let element = map(&[("containerPort", 3_u16.into()), ("hostPort", 3_u16.into())]);
        assert_eq!(added(&edits), [("ports[3]".to_owned(), element), ("ports[0].hostPort".to_owned(), 1_u16.into())]);
    }

    #[test]
    fn all_changes_of_a_new_object_are_its_value() {
        let value = map(&[
            ("kind", "D".into()),
            (
                "spec",
                map(&[
                    ("containers", Value::Seq(vec!["--a=1 --b=1".into(), "y".into(), "z".into()])),
                    ("x", true.into()),
                ]),
            ),
        ]);
        let list = Path::dotted("spec.containers");
        let text = |range: Range<usize>| Change::Text { old: "--a=1 --b=1".into(), range, new: 22 };
        let edits = [
            edit(list.item(1), Change::Remove { old: "y".into() }),
            edit(list.item(2), Change::Remove { old: "z".into() }),
            edit(list.item(0), text(10..11)),
            edit(list.item(0), text(4..5)),
            edit(Path::dotted("spec.hostNetwork"), Change::Add { new: true.into() }),
            edit(Path::dotted("spec.x"), Change::Remove { old: true.into() }),
            edit(Path::dotted("kind"), Change::Set { old: "D".into(), new: "E".into() }),
            edit(Path::dotted("metadata"), Change::Add { new: map(&[]) }),
            edit(Path::dotted("metadata.name"), Change::Add { new: "n".into() }),
        ];
        let (value, rest) = into_value(&Path::root(), &value, &edits.iter().collect::<Vec<_>>());
        assert!(rest.is_empty());
        insta::assert_snapshot!(lossless_yaml::document(&value), @r#"
        kind: E
        metadata:
          name: "n"
        spec:
          hostNetwork: true
          containers:
          - --a=22 --b=22
        "#);
    }

    #[test]
    fn elements_inserted_into_a_new_object_keep_their_order() {
        let list = Path::dotted("env");
        let value = map(&[("env", Value::Seq(vec!["a".into(), "b".into(), "c".into(), "d".into()]))]);
        let insert = |index: usize, new: &str| edit(list.item(index), Change::Insert { new: new.into() });
        let edits = [
            insert(0, "1"),
            insert(0, "2"),
            insert(2, "3"),
            edit(list.item(1), Change::Remove { old: "b".into() }),
            edit(list.item(4), Change::Add { new: "e".into() }),
            insert(9, "nowhere"),
        ];
        let (value, rest) = into_value(&Path::root(), &value, &edits.iter().collect::<Vec<_>>());
        let all = ["a", "1", "2", "c", "3", "d", "e"].map(Value::from).to_vec();
        assert_eq!((value, rest), (map(&[("env", Value::Seq(all))]), vec![&edits[5]]));
    }

    #[test]
    fn changes_that_cannot_be_folded_are_kept() {
        let value = map(&[("kind", "D".into())]);
        let edits = [
            edit(Path::dotted("spec.a"), Change::Add { new: true.into() }),
            edit(Path::dotted("kind"), Change::Add { new: "E".into() }),
            edit(Path::dotted("spec"), Change::Set { old: "a".into(), new: "b".into() }),
            edit(Path::dotted("spec"), Change::Remove { old: "a".into() }),
        ];
        let edits: Vec<&Edit> = edits.iter().collect();
        let (new, rest) = into_value(&Path::root(), &value, &edits);
        assert_eq!((new, rest.len()), (value, edits.len()));
    }

    #[test]
    fn changes_below_a_replacement_are_part_of_it() {
        let list = Path::dotted("spec.args");
        let set = |new: Value| Change::Set { old: Value::Seq(Vec::new()), new };
        let two = Value::Seq(vec!["--a=1".into(), "--b".into()]);
        let edits = [
            edit(list.clone(), set(two)),
            edit(list.item(0), Change::Text { old: "--a=1".into(), range: 4..5, new: 2 }),
            edit(list.item(2), Change::Add { new: "--c".into() }),
            edit(Path::dotted("spec.other"), set(Value::Str("x".into()))),
        ];
        let edits: Vec<&Edit> = edits.iter().collect();
        let (replacements, rest) = replacements(&edits);
        let all = Value::Seq(vec!["--a=2".into(), "--b".into(), "--c".into()]);
        assert_eq!(replacements, [(list, all)]);
        assert_eq!(rest, [edits[3]]);
    }

    #[test]
    fn replacements_below_a_new_value_are_part_of_it() {
        let edits = [
            edit(Path::dotted("a"), Change::Add { new: map(&[("b", map(&[]))]) }),
            edit(Path::dotted("a.b"), Change::Set { old: map(&[]), new: map(&[("c", 1_u16.into())]) }),
        ];
        let edits: Vec<&Edit> = edits.iter().collect();
        let (replacements, rest) = replacements(&edits);
        assert_eq!((replacements, &rest), (Vec::new(), &edits));
        assert_eq!(fold(&rest).added, [(Path::dotted("a"), map(&[("b", map(&[("c", 1_u16.into())]))]))]);
    }
}
