//! Results in the envelope of a ResourceList.

use std::borrow::Borrow;

use crate::yaml::{self, Kind, NodeRef, Op, Path, Place, Splice, Tree, Value};

/// The replacements that append entries to the `results` of the list whose text this is.
pub(super) fn append(text: &str, entries: impl IntoIterator<Item: Borrow<Value>>) -> Result<Vec<Splice>, String> {
    let mut entries = entries.into_iter().peekable();
    if entries.peek().is_none() {
        return Ok(Vec::new());
    }
    let tree = Tree::parse(text).map_err(|error| error.to_string())?;
    let root = tree.root(0).ok_or("the list is gone")?;
    match root.get_own("results") {
        None if can_follow(text, root) => at_the_end(text, root, entries),
        None => {
            let place = Place { after: vec!["functionConfig".to_owned(), "items".to_owned()], before: Vec::new() };
            let value = Value::Seq(entries.map(|entry| entry.borrow().clone()).collect());
            edit(root, &[Op::Add { parent: Path::root(), key: "results".to_owned(), value, place }])
        }
        Some(results) if results.is_sequence() || results.is_null() => {
            let sequence = Path::root().key("results");
            let append = |value: &Value| Op::Append { sequence: sequence.clone(), value: value.clone() };
            edit(root, &entries.map(|entry| append(entry.borrow())).collect::<Vec<_>>())
        }
        Some(_) => Err("the input has `results` that are no sequence".to_owned()),
    }
}

fn edit(root: NodeRef<'_, '_>, ops: &[Op]) -> Result<Vec<Splice>, String> {
    let splices = yaml::edit(root, ops).map_err(|error| error.to_string())?;
    yaml::verify(root, ops, &yaml::splice(root.tree().text(), &splices)).map_err(|error| error.to_string())?;
    Ok(splices)
}

/// Whether a key can simply be written below the text: a block at column 0 whose last line is ended and final.
fn can_follow(text: &str, root: NodeRef<'_, '_>) -> bool {
    let column_0 =
        text.get(..root.start()).is_none_or(|before| before.is_empty() || before.ends_with(['\n', '\u{feff}']));
    let closed = text.starts_with("...") || text.contains("\n...");
    root.kind() == Kind::Mapping { flow: false } && column_0 && text.ends_with('\n') && !closed
}

/// There may be many results, so only the first is read again together with the list (Y2): what is true of one element
/// of a block sequence is true of those below it. Each is a small text of its own, for which there is room where the
/// result was; one large text would need room beside all of them.
fn at_the_end(
    text: &str,
    root: NodeRef<'_, '_>,
    entries: impl Iterator<Item: Borrow<Value>>,
) -> Result<Vec<Splice>, String> {
    let column = root.get_own("items").map_or(0, |items| dash_column(text, items));
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut splices = Vec::new();
    for entry in entries {
        let mut lines = if splices.is_empty() { format!("results:{line_break}") } else { String::new() };
        yaml::push_element(&mut lines, entry.borrow(), column, line_break);
        if splices.is_empty() {
            verify(text, root, &lines)?;
        }
        lines.shrink_to_fit();
        splices.push(Splice { range: text.len()..text.len(), text: lines });
    }
    Ok(splices)
}

/// The column of the dashes of a block sequence; 0 for everything else.
fn dash_column(text: &str, sequence: NodeRef<'_, '_>) -> usize {
    let start = sequence.children().next().map_or(0, NodeRef::start);
    let before = text.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if sequence.kind() == (Kind::Sequence { flow: false }) {
        line.len() - line.trim_start_matches(' ').len()
    } else {
        0
    }
}

/// Y2 for the envelope: with the first result below it, all that was there is still there.
fn verify(text: &str, old: NodeRef<'_, '_>, results: &str) -> Result<(), String> {
    let new_text = format!("{text}{results}");
    let tree = Tree::parse(&new_text).map_err(|error| format!("internal error: {error}"))?;
    let new = tree.root(0).ok_or("internal error: no root")?;
    let others = |root: NodeRef<'_, '_>| -> Vec<(String, String)> {
        let others = root.entries().filter(|(key, _)| key.text() != Some("results"));
        others.map(|(key, value)| (key.raw().to_owned(), value.raw().to_owned())).collect()
    };
    let one = new.get_own("results").map_or(0, |results| results.items().count()) == 1;
    let same = others(old) == others(new) && one && tree.roots().count() == 1;
    if same { Ok(()) } else { Err("internal error: the envelope would change".to_owned()) }
}
