//! Tests that splitting a text into pieces has no visible effect: the pieces contain the same
//! objects as the whole text, at the same positions.

use proptest::prelude::*;

use lossless_yaml::{NodeRef, Tree};

use super::chunk::{self, Chunk};
use super::objects::{self, ObjectsError};
use super::{Input, Origin};

/// Range of a node in the input, its kind, and its text.
type Seen = (std::ops::Range<usize>, String, Option<String>);

fn seen(base: usize, node: NodeRef<'_, '_>, into: &mut Vec<Seen>) {
    let span = node.span();
    let range = base + span.start..base + span.end;
    into.push((
        range,
        format!("{:?} {} {}", node.kind(), node.is_anchored(), node.is_tagged()),
        node.text().map(str::to_owned),
    ));
    for child in node.children() {
        seen(base, child, into);
    }
}

/// All objects of a text, node by node, if the text is split into documents only, or not at all.
fn whole(text: &str, units: &[Chunk]) -> Result<Vec<Vec<Seen>>, String> {
    let mut all = Vec::new();
    for unit in units {
        let part = text.get(unit.range.clone()).unwrap();
        let tree = Tree::parse(part).map_err(|error| error.to_string())?;
        let found = objects::objects(&tree, unit.part).map_err(|error| match error {
            ObjectsError::Cut => "cut".to_owned(),
            ObjectsError::Input { message, .. } => message,
        })?;
        for object in found {
            let mut nodes = Vec::new();
            seen(unit.range.start, object.node, &mut nodes);
            all.push(nodes);
        }
    }
    Ok(all)
}

fn stream_as_one(text: &str) -> Result<Vec<Vec<Seen>>, String> {
    let unit = Chunk { range: 0..text.len(), line: 1, document: 0, part: objects::UnitKind::Document };
    whole(text, &[unit])
}

/// Parses a text piece by piece and as a whole, and compares the objects.
fn check(text: &str) -> Result<bool, TestCaseError> {
    let Ok(input) = Input::read(Origin::file("x"), text.into()) else { return Ok(false) };
    let documents = chunk::documents(text);
    let cut = documents.iter().any(|document| document.list.is_some()) || documents.len() > 1;
    let units = chunk::units(text, &documents, &[]);
    let by_pieces = whole(text, &units);
    let as_one = stream_as_one(text);
    // Do not compare the number of documents: a lone `---` starts a document without content.
    // Compare only the objects.
    match (&by_pieces, &as_one) {
        (Ok(pieces), Ok(one)) => prop_assert_eq!(pieces, one, "{:?}", text),
        (Ok(_), Err(error)) => {
            // A byte order mark after `---` is allowed in each document, as in kustomize, which also splits first.
            let starts: Vec<_> = text.split_inclusive('\n').collect();
            let mark = starts.windows(2).any(|two| two[0].trim_end() == "---" && two[1].starts_with('\u{feff}'));
            let json_stream = super::json::values(text).is_some();
            prop_assert!(json_stream || mark, "read by pieces, but not as a whole: {}", error);
        }
        _ => {}
    }
    // A text that can be read as a whole can also be read in pieces, with the same number of objects.
    let objects = input.objects(|_, _| ());
    if let Ok(one) = as_one {
        prop_assert!(objects.is_ok(), "{:?}", objects);
        prop_assert_eq!(objects.unwrap().len(), one.len());
    }
    Ok(cut)
}

/// Pieces of text that decide how lines are read.
const FRAGMENTS: [&str; 52] = [
    "\n",
    "\n\n",
    " ",
    "  ",
    "- ",
    "-",
    "- - ",
    "\n- ",
    "\n  - ",
    "\n-\n",
    "---\n",
    "\n---\n",
    "\n--- ",
    "\n...\n",
    ":",
    ": ",
    "items:",
    "\nitems:",
    "items :",
    "\nitems: []",
    "kind: List\n",
    "kind: ResourceList\n",
    "\"kind\": List\n",
    "# c\n",
    "\n# c\n",
    "\n  # c\n",
    " # c",
    "|\n",
    ">-\n",
    "|+\n\n",
    "|2\n   ",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "? ",
    "&a ",
    "*a",
    "!t ",
    "%",
    "\t",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{2028}",
    "apiVersion: v1\n",
    "kind: Pod\n",
    "  kind: Pod\n",
    "~",
];

const SEEDS: [&str; 8] = [
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  a: [1, {b: c}]\n- # c\n  kind: Pod\n  apiVersion: v1\n  t: |\n    x\n\n    - y\n",
    "kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems:\n  - apiVersion: v1\n    kind: Pod\n    q: \"a\n      b\"\n  # between\n  - kind: Pod\n    apiVersion: v1\nfunctionConfig:\n  kind: X\n  data: {a: b}\nresults: []\n",
    "# head\napiVersion: v1\nkind: Pod\nargs:\n- a\n- - b\n---\n# only\n---\nkind: Pod # x\napiVersion: v1\nplain: a\n  b\n  c\n",
    "--- # one\nkind: List\napiVersion: v1\nitems:\n-   kind: Pod\n    apiVersion: v1\n    f: >-\n      folded\n       more\n-   {kind: Pod, apiVersion: v1}\n...\n---\nkind: Pod\napiVersion: v1\n",
    "kind: List\r\nitems:\r\n- kind: Pod\r\n  apiVersion: v1\r\n- apiVersion: v1\r\n  kind: Pod\r\n",
    "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n  {\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"a\": [1, 2]},\n  {\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n]}\n",
    "kind: List\nitems:\n- &a\n  kind: Pod\n  apiVersion: v1\n- *a\n- kind: List\n  items:\n  - <<: *a\n    b: c\n",
    "apiVersion: v1\nitems:\n- kind: Pod\n  apiVersion: v1\n  text: |+\n\n    a\n\n- kind: Pod\n  apiVersion: v1\n\n\nkind: List\nz: |\n  items:\n",
];

#[derive(Debug, Clone)]
enum Change {
    Insert(usize, usize),
    Replace(usize, usize, usize),
    Delete(usize, usize),
    RepeatLine(usize, usize),
    DeleteLine(usize),
    IndentLine(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..1000usize;
    prop_oneof![
        (at.clone(), 0..FRAGMENTS.len()).prop_map(|(at, what)| Change::Insert(at, what)),
        (at.clone(), 1..4usize, 0..FRAGMENTS.len()).prop_map(|(at, n, what)| Change::Replace(at, n, what)),
        (at.clone(), 1..6usize).prop_map(|(at, n)| Change::Delete(at, n)),
        (at.clone(), at.clone()).prop_map(|(from, to)| Change::RepeatLine(from, to)),
        at.clone().prop_map(Change::DeleteLine),
        (at, 0..5usize).prop_map(|(line, n)| Change::IndentLine(line, n)),
    ]
}

fn apply(text: &mut String, change: &Change) {
    let place = |text: &str, at: usize| {
        let mut at = at % (text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let count = lines.len().max(1);
    match change {
        Change::Insert(at, what) => text.insert_str(place(text, *at), FRAGMENTS[*what]),
        Change::Replace(at, n, what) => {
            let (from, to) = (place(text, *at), place(text, *at + *n));
            text.replace_range(from..to.max(from), FRAGMENTS[*what]);
        }
        Change::Delete(at, n) => {
            let (from, to) = (place(text, *at), place(text, *at + *n));
            text.replace_range(from..to.max(from), "");
        }
        _ if lines.is_empty() => {}
        Change::RepeatLine(from, to) => {
            let line = lines[*from % count].clone();
            lines.insert(*to % count, line);
            *text = lines.concat();
        }
        Change::DeleteLine(line) => {
            lines.remove(*line % count);
            *text = lines.concat();
        }
        Change::IndentLine(line, n) => {
            let line = &mut lines[*line % count];
            *line = format!("{}{}", " ".repeat(*n), line.trim_start_matches(' '));
            *text = lines.concat();
        }
    }
}

/// A case takes microseconds, so there are many; `PROPTEST_CASES` increases the number.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, cases: default.cases.max(4096), ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn units_have_the_content_of_the_whole_text(seed in 0..SEEDS.len(), changes in prop::collection::vec(change(), 0..6)) {
        let mut text = SEEDS[seed].to_owned();
        for change in &changes {
            apply(&mut text, change);
        }
        check(&text)?;
    }
}

#[test]
fn every_seed_is_split() {
    for seed in SEEDS {
        assert!(check(seed).unwrap(), "{seed}");
    }
}

#[test]
fn lone_carriage_returns_end_lines() {
    let text = "kind: List\nitems:\n- kind: Pod\n  apiVersion: v1\n  text: |+\n    a\n\rapiVersion: v1\n";
    assert!(!check(text).unwrap());
}
