//! Edits that cancel each other out restore the input's bytes: every scalar is set to its own value, and a key in every
//! mapping and an element in every sequence are added and removed again. The snapshots count refused edits and
//! differences.

use std::collections::BTreeMap;

use lossless_yaml::{EditError, KeyPosition, Kind, NodeRef, Op, Path, Style, Tree, Value, edit, splice, verify};

use crate::yaml::inputs;

/// Number of occurrences by description.
type Tally = BTreeMap<String, usize>;

fn count(tally: &mut Tally, what: &str) {
    *tally.entry(what.to_owned()).or_default() += 1;
}

fn shown(tally: &Tally) -> String {
    tally.iter().map(|(what, count)| format!("{count:>7} {what}\n")).collect()
}

/// Returns all nodes that a path can reach, with their paths. Nodes of aliases are reached at their anchors.
fn reachable_nodes<'t, 's>(root: NodeRef<'t, 's>, tally: &mut Tally) -> Vec<(Path, NodeRef<'t, 's>)> {
    let mut found = Vec::new();
    let mut open = vec![(Path::root(), root)];
    while let Some((path, node)) = open.pop() {
        match node.kind() {
            Kind::Mapping { .. } => {
                for (key, value) in node.entries() {
                    match key.kind() {
                        Kind::Scalar(_) => open.push((path.key(key.text().unwrap().to_owned()), value)),
                        _ => count(tally, "unreachable: the key is not a scalar"),
                    }
                }
            }
            Kind::Sequence { .. } => {
                open.extend(node.children().enumerate().map(|(index, child)| (path.item(index), child)));
            }
            _ => {}
        }
        found.push((path, node));
    }
    found
}

fn reason(error: &EditError) -> &'static str {
    match error {
        EditError::Aliased { .. } => "refused: shared by an alias",
        EditError::Merged { .. } => "refused: merged",
        EditError::Duplicate { .. } => "refused: duplicate key",
        EditError::Unsupported { why, .. } => why,
        EditError::ReadOnly(_) => "refused: Go refuses the text",
        other => panic!("{other}"),
    }
}

/// True if a single edit is not refused.
fn is_accepted(root: NodeRef<'_, '_>, op: &Op, tally: &mut Tally) -> bool {
    let error = edit(root, std::slice::from_ref(op)).err();
    if let Some(error) = &error {
        count(tally, reason(error));
    }
    error.is_none()
}

fn apply(name: &str, root: NodeRef<'_, '_>, ops: &[Op]) -> String {
    let text = splice(root.tree().text(), &edit(root, ops).unwrap_or_else(|e| panic!("{name}: {e}")));
    verify(root, ops, &text).unwrap_or_else(|e| panic!("{name}: {e}\n{}", text.get(..3000).unwrap_or(&text)));
    text
}

/// Returns the value of a scalar, as an edit would write it.
fn own_value(node: NodeRef<'_, '_>) -> Option<Value> {
    let text = node.text()?;
    if node.is_null() {
        return Some(Value::Null);
    }
    if let Some(value) = node.as_bool() {
        return Some(Value::Bool(value)).filter(|_| text == "true" || text == "false");
    }
    if let Some(value) = node.as_int() {
        return Some(Value::Int(value));
    }
    let string = serde_yaml::Value::String(text.to_owned());
    let plain = node.kind() == Kind::Scalar(Style::Plain) && !node.is_tagged();
    // No edit writes floats, dates or octal numbers.
    let is_string = !plain || serde_yaml::from_str::<serde_yaml::Value>(node.raw()).is_ok_and(|value| value == string);
    is_string.then(|| Value::Str(text.to_owned()))
}

fn set_to_itself(name: &str, root: NodeRef<'_, '_>, tally: &mut Tally) {
    let tree = root.tree();
    for (path, node) in reachable_nodes(root, tally) {
        if !matches!(node.kind(), Kind::Scalar(_)) {
            continue;
        }
        let Some(value) = own_value(node) else {
            count(tally, "no value: a plain number or date that is not a whole number");
            continue;
        };
        match edit(root, &[Op::Set { path, value: value.clone() }]) {
            Ok(splices) if splice(node.raw(), &[]) == node.raw() && unchanged(tree.text(), &splices) => {
                count(tally, "same");
            }
            Ok(_) if value == Value::Null => count(tally, "null is written out"),
            Ok(splices) if is_quoted(node, &splices) => {
                count(tally, "quoted: a plain string that some reader mistakes");
            }
            Ok(splices) => panic!("{name}, line {}: {:?} -> {splices:?}", tree.line(node.start()), node.raw()),
            Err(error) => count(tally, reason(&error)),
        }
    }
}

fn unchanged(text: &str, splices: &[lossless_yaml::Splice]) -> bool {
    splices.iter().all(|splice| text[splice.range.clone()] == splice.text)
}

fn is_quoted(node: NodeRef<'_, '_>, splices: &[lossless_yaml::Splice]) -> bool {
    let [splice] = splices else { return false };
    node.kind() == Kind::Scalar(Style::Plain) && splice.text.trim_start() == format!("{:?}", node.text().unwrap())
}

fn all_set_to_themselves(inputs: &[inputs::Input]) -> String {
    let mut tally = Tally::new();
    for input in inputs {
        let Ok(tree) = Tree::parse(&input.text) else { continue };
        tree.roots().for_each(|root| set_to_itself(&input.name, root, &mut tally));
    }
    shown(&tally)
}

#[test]
fn setting_scalars_of_own_documents_to_their_values_changes_no_byte() {
    insta::assert_snapshot!(all_set_to_themselves(&inputs::own()), @"
     12 no value: a plain number or date that is not a whole number
     10 quoted: a plain string that some reader mistakes
      9 refused: Go refuses the text
      2 refused: duplicate key
      1 refused: merged
      2 refused: shared by an alias
    525 same
      2 unreachable: the key is not a scalar
    ");
}

#[test]
fn setting_scalars_of_the_corpus_to_their_values_changes_no_byte() {
    let corpus = inputs::corpus();
    if !corpus.is_empty() {
        insta::assert_snapshot!(all_set_to_themselves(&corpus), @"
             8 quoted: a plain string that some reader mistakes
             2 refused: duplicate key
            38 refused: shared by an alias
        176713 same
             2 unreachable: the key is not a scalar
        ");
    }
}

#[test]
fn setting_scalars_of_the_test_suite_to_their_values_changes_no_byte() {
    let suite = inputs::suite().0;
    if !suite.is_empty() {
        insta::assert_snapshot!(all_set_to_themselves(&suite), @"
          6 its tag sets the type of its value
         14 no value: a plain number or date that is not a whole number
         16 quoted: a plain string that some reader mistakes
        126 refused: Go refuses the text
         19 refused: shared by an alias
        479 same
         23 unreachable: the key is not a scalar
        ");
    }
}

const KEY: &str = "hostnet-was-here";

/// Returns a place of each kind: the default, after the first key, before the first key.
fn places(node: NodeRef<'_, '_>) -> Vec<KeyPosition> {
    let first = node.entries().next().and_then(|(key, _)| key.text()).map(str::to_owned);
    let mut places = vec![KeyPosition::default()];
    if let Some(first) = first {
        places.push(KeyPosition { after: vec![first.clone().into()], before: vec![first.clone().into()] });
        places.push(KeyPosition { after: vec![], before: vec![first.into()] });
    }
    places
}

fn additions(root: NodeRef<'_, '_>, which: usize, tally: &mut Tally) -> (Vec<Op>, Vec<Op>) {
    let mut adds = Vec::new();
    let mut removes = Vec::new();
    for (path, node) in reachable_nodes(root, tally) {
        if let Some(why) = loses_its_form(node).filter(|_| which == 0) {
            count(tally, why);
            continue;
        }
        match node.kind() {
            Kind::Mapping { .. } => {
                let Some(place) = places(node).get(which).cloned() else { continue };
                removes.push(Op::Remove { path: path.key(KEY) });
                adds.push(Op::Add { parent: path, key: KEY.into(), value: "value".into(), place });
            }
            Kind::Sequence { .. } if which == 0 => {
                removes.push(Op::Remove { path: path.item(node.children().count()) });
                adds.push(Op::Append { sequence: path, value: "value".into() });
            }
            _ => {}
        }
    }
    if edit(root, &adds).is_ok() {
        return (adds, removes);
    }
    adds.into_iter().zip(removes).filter(|(add, _)| is_accepted(root, add, tally)).unzip()
}

/// Adds everywhere at once, and then removes all additions.
fn add_and_remove(input: &inputs::Input, index: usize, which: usize, tally: &mut Tally) {
    let tree = Tree::parse(&input.text).unwrap();
    let root = tree.root(index).unwrap();
    let (adds, removes) = additions(root, which, tally);
    if adds.is_empty() {
        return;
    }
    let longer = apply(&input.name, root, &adds);
    let new = Tree::parse(&longer).unwrap();
    let back = apply(&input.name, new.root(index).unwrap(), &removes);
    if back == input.text {
        *tally.entry("same".into()).or_default() += adds.len();
        return;
    }
    // Finds the addition that causes the difference.
    for (add, remove) in adds.iter().zip(&removes) {
        let longer = apply(&input.name, root, std::slice::from_ref(add));
        let new = Tree::parse(&longer).unwrap();
        let back = apply(&input.name, new.root(index).unwrap(), std::slice::from_ref(remove));
        assert_eq!(back, input.text, "{} {add:?}", input.name);
    }
    panic!("{}: only together they differ", input.name);
}

/// Returns the reason why an empty collection has another form after an entry was added and removed.
fn loses_its_form(node: NodeRef<'_, '_>) -> Option<&'static str> {
    let before = &node.tree().text()[..node.start()];
    if matches!(node.kind(), Kind::Scalar(_) | Kind::Alias) || node.children().next().is_some() {
        return None;
    }
    if node.raw().len() > 2 {
        return Some("differs: blanks inside of an empty collection are not written again");
    }
    let own_line = node.parent().is_some() && before.trim_end_matches(' ').ends_with('\n');
    own_line.then_some("differs: {} or [] on a line of its own comes back behind its key")
}

/// Runs in parallel, because this is the longest test.
fn add_and_remove_all(inputs: &[inputs::Input]) -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = |first: usize| {
        let mut tally = Tally::new();
        for input in inputs.iter().skip(first).step_by(threads) {
            let Ok(tree) = Tree::parse(&input.text) else { continue };
            for index in 0..tree.roots().count() {
                (0..3).for_each(|which| add_and_remove(input, index, which, &mut tally));
            }
        }
        tally
    };
    let mut all = Tally::new();
    std::thread::scope(|scope| {
        let shares: Vec<_> = (0..threads).map(|first| scope.spawn(move || share(first))).collect();
        for (what, times) in shares.into_iter().flat_map(|share| share.join().unwrap()) {
            *all.entry(what).or_default() += times;
        }
    });
    shown(&all)
}

#[test]
fn adding_and_removing_restores_own_documents() {
    insta::assert_snapshot!(add_and_remove_all(&inputs::own()), @"
     18 refused: Go refuses the text
      3 refused: merged
      6 refused: shared by an alias
    911 same
      6 unreachable: the key is not a scalar
    ");
}

#[test]
fn adding_and_removing_restores_the_test_suite() {
    let suite = inputs::suite().0;
    if !suite.is_empty() {
        insta::assert_snapshot!(add_and_remove_all(&suite), @"
          2 differs: blanks inside of an empty collection are not written again
         32 it is a single pair inside of a flow sequence; put it in braces
        192 refused: Go refuses the text
          6 refused: shared by an alias
        699 same
          2 the text ends inside of a block scalar, without a line break: end the last line
         69 unreachable: the key is not a scalar
        ");
    }
}

#[test]
fn adding_and_removing_restores_the_corpus() {
    // Tests each document separately: a file of a hundred documents would otherwise be parsed three hundred times.
    let documents: Vec<inputs::Input> = inputs::corpus().into_iter().flat_map(documents).collect();
    if !documents.is_empty() {
        insta::assert_snapshot!(add_and_remove_all(&documents), @"
             3 differs: blanks inside of an empty collection are not written again
            98 differs: {} or [] on a line of its own comes back behind its key
            36 refused: shared by an alias
        318048 same
             6 unreachable: the key is not a scalar
        ");
    }
}

fn documents(input: inputs::Input) -> Vec<inputs::Input> {
    if input.text.len() < 20_000 || input.text.starts_with('%') {
        return vec![input];
    }
    let cuts = input.text.match_indices("\n---\n").map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(cuts).collect();
    let ends = starts.iter().skip(1).copied().chain([input.text.len()]);
    let part = |(number, (start, end)): (usize, (&usize, usize))| inputs::Input {
        name: format!("{} #{number}", input.name),
        text: input.text[*start..end].to_owned(),
    };
    starts.iter().zip(ends).enumerate().map(part).collect()
}
