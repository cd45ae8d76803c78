//! Properties of generated texts: blocks mixed with flow collections, comments everywhere, LF and CRLF. serde_yaml,
//! which shares no code with the crate, provides the expected values.

use lossless_yaml::{EditError, KeyPosition, Op, Path, Step, Tree, Value, edit, edit_text};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_yaml::Value as Meaning;

/// A document before it is written. Texts are the sources of scalars.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Scalar(&'static str),
    /// The header and the lines.
    Block(&'static str, Vec<&'static str>),
    Flow(String),
    Map(Vec<(String, Node, Trivia)>),
    Seq(Vec<(Node, Trivia)>),
}

/// Comments and blank lines of an entry: a comment line above, a comment at the end of its line, a deeper comment line
/// below, a blank line.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is there or not, without the others")]
pub(crate) struct Trivia {
    above: bool,
    comment_after: bool,
    below: bool,
    blank: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    step: usize,
    sequence: usize,
    crlf: bool,
    last_break: bool,
    marker: bool,
}

pub(crate) fn trivia() -> impl Strategy<Value = Trivia> {
    let seldom = || prop::bool::weighted(0.15);
    (seldom(), seldom(), seldom(), seldom()).prop_map(|(above, comment_after, below, blank)| Trivia {
        above,
        comment_after,
        below,
        blank,
    })
}

pub(crate) fn scalar() -> impl Strategy<Value = Node> {
    prop_oneof![
        prop::sample::select(vec![
            "plain",
            "8443",
            "\"8443\"",
            "'it''s'",
            "\"a\\tb\\u00e9\"",
            "null",
            "",
            "~",
            "true",
            "--port=8443",
            "${VAR}",
            "0.0.0.0:8080",
            "a#b",
            "\"# no\"",
            "'- x'",
            "two words",
            "é ü",
            "1.5",
            "http://x:80/y",
            "-1",
            // Quoted text may continue at any column.
            "'one\n# no comment\n\n - last: x'",
            "\"one\\\n  two\nk0: three\"",
        ])
        .prop_map(Node::Scalar),
        (
            prop::sample::select(vec!["|", "|-", "|+", ">", ">-"]),
            prop::collection::vec(prop::sample::select(vec!["text", "  deeper", "# no comment", "- a: b", ""]), 1..4)
        )
            .prop_map(|(header, mut lines)| {
                // The first line determines the indentation.
                lines.insert(0, "first");
                Node::Block(header, lines)
            }),
        prop::sample::select(vec!["{}", "[]", "{a: 1}", "[a, \"b\"]", "{\"a\": [1, {b: c}], d: }", "[{a: 'x'}, []]"])
            .prop_map(|text| Node::Flow(text.to_owned())),
    ]
}

pub(crate) fn node() -> impl Strategy<Value = Node> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec((inner.clone(), trivia()), 1..4).prop_map(|entries| {
                let named = entries.into_iter().enumerate();
                Node::Map(named.map(|(index, (node, trivia))| (format!("k{index}"), node, trivia)).collect())
            }),
            prop::collection::vec((inner, trivia()), 1..4).prop_map(Node::Seq),
        ]
    })
}

pub(crate) fn style() -> impl Strategy<Value = Style> {
    let sequence = prop::sample::select(vec![0_usize, 2, 4]);
    (2_usize..5, sequence, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(step, sequence, crlf, last_break, marker)| Style { step, sequence, crlf, last_break, marker })
}

pub(crate) struct Writer {
    style: Style,
    out: String,
}

impl Writer {
    fn lines_above(&mut self, column: usize, trivia: Trivia) {
        if trivia.blank {
            self.out.push('\n');
        }
        if trivia.above {
            self.out.push_str(&format!("{}# above\n", " ".repeat(column)));
        }
    }

    fn lines_below(&mut self, column: usize, trivia: Trivia, node: &Node) {
        // After a block scalar such a line would be part of the text.
        if trivia.below && matches!(node, Node::Map(_) | Node::Seq(_)) {
            self.out.push_str(&format!("{}# below\n", " ".repeat(column + 1)));
        }
    }

    /// Writes a node after `key:` or a dash; `column` is the column of the key, or of the text after the dash.
    fn value(&mut self, node: &Node, column: usize, dash: bool, trivia: Trivia) {
        let comment = if trivia.comment_after { " # after" } else { "" };
        match node {
            Node::Scalar("") => self.out.push_str(&format!("{comment}\n")),
            Node::Scalar(text) => self.out.push_str(&format!(" {text}{comment}\n")),
            Node::Flow(text) => self.out.push_str(&format!(" {text}{comment}\n")),
            Node::Block(header, lines) => {
                self.out.push_str(&format!(" {header}{comment}\n"));
                let blanks = " ".repeat(column + self.style.step);
                for line in lines {
                    self.out.push_str(&if line.is_empty() { "\n".to_owned() } else { format!("{blanks}{line}\n") });
                }
            }
            Node::Map(_) | Node::Seq(_) if dash && !trivia.comment_after => {
                self.out.push(' ');
                self.entries(node, column, true);
            }
            Node::Map(_) => {
                self.out.push_str(&format!("{comment}\n"));
                self.entries(node, if dash { column } else { column + self.style.step }, false);
            }
            Node::Seq(_) => {
                self.out.push_str(&format!("{comment}\n"));
                self.entries(node, if dash { column } else { column + self.style.sequence }, false);
            }
        }
    }

    /// Writes the entries of a collection; the first entry has no lines above it if it follows a dash.
    fn entries(&mut self, node: &Node, column: usize, inline: bool) {
        let count = match node {
            Node::Map(entries) => entries.len(),
            Node::Seq(items) => items.len(),
            _ => 0,
        };
        for index in 0..count {
            let (head, value, trivia, dash) = match node {
                Node::Map(entries) => (format!("{}:", entries[index].0), &entries[index].1, entries[index].2, false),
                Node::Seq(items) => ("-".to_owned(), &items[index].0, items[index].1, true),
                _ => unreachable!(),
            };
            if !inline || index > 0 {
                self.lines_above(column, trivia);
                self.out.push_str(&" ".repeat(column));
            }
            self.out.push_str(&head);
            self.value(value, if dash { column + 2 } else { column }, dash, trivia);
            self.lines_below(column, trivia, value);
        }
    }
}

pub(crate) fn write(entries: &[(Node, Trivia)], style: Style) -> String {
    let named = entries.iter().enumerate().map(|(index, (node, trivia))| (format!("k{index}"), node.clone(), *trivia));
    let mut writer = Writer { style, out: if style.marker { "---\n".to_owned() } else { String::new() } };
    writer.entries(&Node::Map(named.collect()), 0, false);
    let ends_in_block = {
        let tree = Tree::parse(&writer.out).unwrap();
        tree.root(0).is_some_and(|root| root.raw().ends_with('\n'))
    };
    let mut text = writer.out;
    if !style.last_break && !ends_in_block {
        text.pop();
    }
    if style.crlf { text.replace('\n', "\r\n") } else { text }
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    (prop::collection::vec((node(), trivia()), 1..5), style()).prop_map(|(entries, style)| write(&entries, style))
}

/// The paths of all nodes, with their values in serde_yaml.
pub(crate) fn paths(meaning: &Meaning, path: &Path, found: &mut Vec<(Path, Meaning)>) {
    found.push((path.clone(), meaning.clone()));
    match meaning {
        Meaning::Mapping(entries) => {
            for (key, value) in entries {
                if let Some(key) = key.as_str() {
                    paths(value, &path.key(key.to_owned()), found);
                }
            }
        }
        Meaning::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                paths(item, &path.item(index), found);
            }
        }
        _ => {}
    }
}

pub(crate) fn at<'m>(meaning: &'m mut Meaning, path: &Path) -> &'m mut Meaning {
    path.steps().into_iter().fold(meaning, |node, step| match step {
        Step::Item { index, .. } => &mut node[*index],
        Step::Key(key) => &mut node[key.as_ref()],
    })
}

/// The value of a text. `serde_yaml` counts a byte order mark as a character of the first line, which shifts that line
/// by one column compared with Go's readers.
pub(crate) fn read(text: &str) -> Result<Meaning, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_yaml::from_str(text).map_err(|error| error.to_string())
}

pub(crate) fn meaning(text: &str) -> Meaning {
    read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| ["# above", "# after", "# below"].into_iter().find(|c| line.ends_with(c))).collect()
}

pub(crate) fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<bool>().prop_map(Value::Bool),
        prop::sample::select(vec![
            "yes", "0o17", "x: y", "# z", "", "a\nb\n", "it's", "20443", "--a=b", "\t", "é", "- a"
        ])
        .prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        prop::collection::vec("[a-z]{1,3}".prop_map(Value::from), 0..3).prop_map(Value::Seq),
        Just(Value::Map(vec![("name".into(), "x".into()), ("list".into(), Value::Seq(vec![1_u16.into()]))])),
    ]
}

pub(crate) fn meant(value: &Value) -> Meaning {
    match value {
        Value::Null => Meaning::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Str(text) | Value::Raw(text) => text.as_str().into(),
        Value::Seq(items) => Meaning::Sequence(items.iter().map(meant).collect()),
        Value::Map(entries) => {
            Meaning::Mapping(entries.iter().map(|(key, value)| (key.as_str().into(), meant(value))).collect())
        }
    }
}

/// An edit of a node; `expected` gets the new value.
pub(crate) fn an_edit(path: &Path, old: &Meaning, value: &Value, dice: usize, expected: &mut Meaning) -> Op {
    let path = path.clone();
    match (old, dice % 3) {
        (Meaning::Mapping(entries), 0) => {
            let keys: Vec<String> = entries.keys().filter_map(|key| key.as_str().map(str::to_owned)).collect();
            let pick = |salt: usize| keys.get((dice / 3 + salt) % keys.len().max(1)).cloned();
            let place = KeyPosition {
                after: pick(0).map(Into::into).into_iter().collect(),
                before: pick(1).map(Into::into).into_iter().collect(),
            };
            at(expected, &path)["new"] = meant(value);
            Op::Add { parent: path, key: "new".to_owned(), value: value.clone(), place }
        }
        (Meaning::Sequence(_), 0) => {
            at(expected, &path).as_sequence_mut().unwrap().push(meant(value));
            Op::Append { sequence: path, value: value.clone() }
        }
        (Meaning::Mapping(entries), 1) if !entries.is_empty() => {
            let key = entries.keys().nth(dice % entries.len()).and_then(|key| key.as_str().map(str::to_owned)).unwrap();
            at(expected, &path).as_mapping_mut().unwrap().shift_remove(key.as_str());
            Op::Remove { path: path.key(key) }
        }
        (Meaning::Sequence(items), 1) if !items.is_empty() => {
            let index = dice % items.len();
            at(expected, &path).as_sequence_mut().unwrap().remove(index);
            Op::Remove { path: path.item(index) }
        }
        _ => {
            *at(expected, &path) = meant(value);
            Op::Set { path, value: value.clone() }
        }
    }
}

/// The index of a node, the new value, and a number that selects the edit.
pub(crate) type Picked = (Index, Value, usize);

pub(crate) fn picked() -> impl Strategy<Value = Picked> {
    (any::<Index>(), values(), 0_usize..100)
}

/// Checks a single edit. Texts that the generator did not make may have forms that edits do not support.
pub(crate) fn one_holds(text: &str, (pick, value, dice): &Picked, is_generated: bool) -> Result<(), TestCaseError> {
    let old = meaning(text);
    let mut found = Vec::new();
    paths(&old, &Path::root(), &mut found);
    let (path, target) = pick.get(&found);
    let mut expected = old.clone();
    let op = an_edit(path, target, value, *dice, &mut expected);
    let edited = match edit_text(text, 0, &Path::root(), std::slice::from_ref(&op)) {
        Ok(edited) => edited,
        Err(error) => {
            let is_fault = is_generated || matches!(error, EditError::Internal(_));
            prop_assert!(!is_fault, "{}\n{:?}\n{}", error, op, text);
            return Ok(());
        }
    };
    prop_assert_eq!(read(&edited), Ok(expected), "{:?}\n{}\n->\n{}", op, text, edited);
    let (crlf, lf) = (text.contains("\r\n"), text.replace("\r\n", "").contains('\n'));
    prop_assert!(lf || !edited.replace("\r\n", "").contains('\n') || !crlf, "{:?}", edited);
    prop_assert!(text.contains('\r') || !edited.contains('\r'), "{:?}", edited);
    let is_added = matches!(op, Op::Add { .. } | Op::Append { .. });
    let is_scalar = !target.is_mapping() && !target.is_sequence();
    if is_generated && (is_added || (is_scalar && matches!(op, Op::Set { .. }))) {
        prop_assert_eq!(comments(&edited), comments(text), "{:?}\n{}", op, text);
    }
    Ok(())
}

/// Checks several edits of one text, without edits that conflict with the others.
pub(crate) fn several_hold(text: &str, picks: &[Picked]) -> Result<(), TestCaseError> {
    let old = meaning(text);
    let mut found = Vec::new();
    paths(&old, &Path::root(), &mut found);
    let tree = Tree::parse(text).unwrap();
    let root = tree.root(0).unwrap();
    let mut ops = Vec::new();
    // Edits inside a replaced value are conflicts, so the order does not matter.
    let mut expected = old.clone();
    for (pick, value, dice) in picks {
        // Removals would shift the paths of later nodes in the expected value, but not in the text.
        if dice % 3 == 1 {
            continue;
        }
        let (path, target) = pick.get(&found);
        ops.push(an_edit(path, target, value, *dice, &mut old.clone()));
        if edit(root, &ops).is_err() {
            ops.pop();
        } else {
            an_edit(path, target, value, *dice, &mut expected);
        }
    }
    let edited = edit_text(text, 0, &Path::root(), &ops);
    // An edit may produce a tab after quotes, which Go's reader would refuse.
    if matches!(edited, Err(EditError::ReadOnly(_))) && text.contains('\t') {
        return Ok(());
    }
    prop_assert!(edited.is_ok(), "{:?}\n{:?}\n{}", edited, ops, text);
    let edited = edited.unwrap_or_default();
    prop_assert_eq!(read(&edited), Ok(expected), "{:?}\n{}\n->\n{}", ops, text, edited);
    Ok(())
}
