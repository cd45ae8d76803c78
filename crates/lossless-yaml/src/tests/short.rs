//! Every edit of every short text.

use super::{EditError, KeyPosition, Op, Path, Value, edit_text, map, seq};
use crate::{Kind, NodeRef, Tree};

/// Text before and after the short texts.
const AROUND: [(&str, &str); 7] = [
    ("", ""),
    ("a: |\n  b\n", ""),
    ("? a\n", ""),
    ("? - |+\n\n", ""),
    ("{\"a\": ", ""),
    ("k: {a: ", "}\n"),
    ("k: [[], ", "\n]\n"),
];
const PARTS: [&str; 18] =
    ["? ", "- ", ":", ": ", " ", "a", "\n", "\n  ", "{", "}", "[", "]", ",", "\"b\"", "# ", "&x ", "\t", ">-\n"];

/// A failed verification is an internal error, so the writer must support or reject each of these positions.
#[test]
fn edits_of_short_texts_pass_verification() {
    let (mut edited, mut wrong) = (0, Vec::new());
    for text in texts(3) {
        let Ok(tree) = Tree::parse(&text) else { continue };
        let Some(root) = tree.root(0).filter(|_| tree.roots().count() == 1 && tree.go_parse_error().is_none()) else {
            continue;
        };
        for ops in edits(root, &Path::root()) {
            match edit_text(&text, 0, &Path::root(), &ops) {
                Err(EditError::Internal(why)) => wrong.push(format!("{text:?}: {ops:?}: {why}")),
                result => edited += usize::from(result.is_ok()),
            }
        }
    }
    assert!(edited > 10_000, "{edited}");
    assert!(wrong.is_empty(), "{} edits are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns all combinations of `parts` parts, in each context.
fn texts(parts: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut longer = vec![String::new()];
    for _ in 0..parts {
        longer = longer.iter().flat_map(|text| PARTS.map(|part| format!("{text}{part}"))).collect();
        found.extend(longer.iter().flat_map(|text| AROUND.map(|(start, end)| format!("{start}{text}{end}"))));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns all single edits below a node, and some pairs of edits.
fn edits(node: NodeRef<'_, '_>, path: &Path) -> Vec<Vec<Op>> {
    let (text, block) = (Value::from("x"), map(&[("n", seq(&["y"]))]));
    let set = |value: &Value| Op::Set { path: path.clone(), value: value.clone() };
    let mut found: Vec<Vec<Op>> = [&text, &"y: z\n".into(), &1_u16.into(), &block, &seq(&["y"]), &map(&[])]
        .map(|value| vec![set(value)])
        .to_vec();
    found.push(vec![Op::Remove { path: path.clone() }]);
    let keys = node.entries().filter_map(|(key, value)| Some((path.clone().key(key.text()?.to_owned()), value)));
    let items = node.items().enumerate().map(|(index, value)| (path.clone().item(index), value));
    let children: Vec<(Path, NodeRef<'_, '_>)> = keys.chain(items).collect();
    for value in [&text, &block] {
        found.push(vec![Op::Insert { after: path.clone(), value: value.clone() }]);
        let mut more = Vec::new();
        if node.is_mapping() {
            let places = [
                KeyPosition::default(),
                KeyPosition { after: vec!["a".into()], before: vec![] },
                KeyPosition { after: vec![], before: vec!["a".into()] },
            ];
            more.extend(places.map(|place| Op::Add {
                parent: path.clone(),
                key: "k".to_owned(),
                value: value.clone(),
                place,
            }));
        } else if node.is_sequence() {
            more.push(Op::Append { sequence: path.clone(), value: value.clone() });
        }
        for more in more {
            // Edits next to a first child that is removed or replaced.
            if let Some((first, _)) = children.first() {
                let becomes = |value: &Value| Op::Set { path: first.clone(), value: value.clone() };
                found.extend(
                    [Op::Remove { path: first.clone() }, becomes(&text), becomes(&block)]
                        .map(|op| vec![op, more.clone()]),
                );
            }
            found.push(vec![more]);
        }
    }
    // An alias may refer to a node that contains it.
    let below = children.iter().filter(|(_, child)| child.kind() != Kind::Alias);
    found.extend(below.flat_map(|(path, child)| edits(*child, path)));
    found
}
