//! For every text: adding an object changes no other byte, and removing it again restores the text.

use std::collections::{BTreeMap, BTreeSet};

use krm::{Added, Changes, Form, Input, Origin};
use lossless_yaml::Value;
use proptest::prelude::*;

use crate::support::material::{Text as File, own_texts};
use crate::support::wire::{contents, read};
use crate::wire::texts::{corpus, documents, item};

fn new() -> Added {
    let ports = Value::Seq(vec![Value::Map(vec![("port".to_owned(), Value::Int(1))])]);
    let entries = [("apiVersion", "v1".into()), ("kind", "New".into()), ("ports", ports)];
    Added::New(Value::Map(entries.map(|(key, value)| (key.to_owned(), value)).into()), Vec::new())
}

fn added_after(objects: impl IntoIterator<Item = usize>, new: &Added) -> Changes {
    let added: BTreeMap<_, _> = objects.into_iter().map(|object| (object, vec![new.clone()])).collect();
    Changes { added, ..Changes::default() }
}

fn written(input: &Input, changes: Changes) -> Result<String, String> {
    let splices = input.render(changes, Vec::<Value>::new()).map_err(|error| error.to_string())?;
    Ok(input.output(&splices))
}

/// Adds an object after each of `objects`, checks the output, and removes the new objects again.
fn there_and_back(text: &str, objects: &[usize], new: &Added) -> Result<(), String> {
    let input = Input::read(Origin::stdin(), text.into()).unwrap();
    let splices = input
        .render(added_after(objects.iter().copied(), new), Vec::<Value>::new())
        .map_err(|error| error.to_string())?;
    let output = input.output(&splices);
    let again = Input::read(Origin::stdin(), output.clone().into()).unwrap();
    let positions = objects.iter().enumerate().map(|(before, object)| object + before + 1);
    let positions: BTreeSet<usize> = positions.collect();
    let (old, all) = (contents(&input).unwrap(), contents(&again).unwrap());
    assert_eq!(all.len(), old.len() + objects.len(), "{text}\n->\n{output}");
    let others: Vec<_> = all.iter().enumerate().filter(|(at, _)| !positions.contains(at)).map(|(_, one)| one).collect();
    assert!(others.iter().copied().eq(&old), "{text}\n->\n{output}");
    if input.form() == Form::Single && again.form() == Form::List {
        // A single JSON object became a list.
        return Ok(());
    }
    assert!(splices.iter().all(|splice| splice.range.is_empty()), "{text}\n->\n{output}");
    let back = written(&again, Changes { removed: positions, ..Changes::default() })?;
    if back != text {
        let line = back.lines().zip(text.lines()).take_while(|(one, other)| one == other).count();
        let around = |text: &str| text.lines().skip(line.saturating_sub(9)).take(18).collect::<Vec<_>>().join("\n");
        panic!("line {}:\n{}\n-- instead of\n{}", line + 1, around(&back), around(text));
    }
    Ok(())
}

/// Returns the numbers of files and objects, and the files that refuse a new object.
fn streams(texts: Vec<File>) -> String {
    let (mut files, mut objects, mut refused) = (0, 0, Vec::new());
    for file in texts {
        let Ok(text) = String::from_utf8(file.bytes) else { continue };
        let Ok(found) = read(text.clone()).objects(|_, _| ()) else { continue };
        files += 1;
        objects += found.len();
        let every: Vec<usize> = (0..found.len()).collect();
        // Only some files and objects get the second kind of new object, because each text is read several times.
        let some: Vec<usize> = every.iter().copied().filter(|_| files % 4 == 0).step_by(7).collect();
        for (objects, new) in [(&every, &Added::Copy(Vec::new())), (&some, &new())] {
            if let Err(error) = there_and_back(&text, objects, new) {
                let line = error.lines().next().unwrap_or_default().to_owned();
                refused.push(format!("{}: {line}", file.name));
            }
        }
    }
    format!("{files} files, {objects} objects, refused:\n{}", refused.join("\n"))
}

#[test]
fn streams_of_own_documents() {
    // `template.yaml` is not YAML.
    let mut texts = own_texts();
    texts.retain(|text| text.name != "template.yaml");
    insta::assert_snapshot!(streams(texts), @"
    24 files, 45 objects, refused:
    anchors.yaml: standard input, line 18, column 9: a copy of this object cannot be made: `*meta` is an alias, and there is no `&meta` before it; a text that starts with `*` needs quotes: write out the values that it shares with other objects
    tags.yaml: standard input, line 3, column 1: documents cannot be added or removed in a file with directives (`%YAML`), or with lines that end in a carriage return only: remove the directives, or end the lines with a line feed
    ");
}

#[test]
fn real_streams() {
    let corpus = corpus();
    if !corpus.is_empty() {
        insta::assert_snapshot!(streams(corpus), @"783 files, 3282 objects, refused:");
    }
}

#[test]
fn real_objects_in_lists() {
    // Uses only documents that can be edited: documents that only Go can read have no known places.
    let edited = |text: &str| lossless_yaml::Tree::parse(text).is_ok();
    let documents: Vec<_> = documents().iter().step_by(5).filter(|document| edited(&document.text)).collect();
    for (head, column, first, tail) in [
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n",
            0,
            "- # item",
            "functionConfig:\n  kind: X\n",
        ),
        ("kind: List\nitems: # all\n", 4, "-", ""),
    ] {
        for some in documents.chunks(250) {
            let items: String = some.iter().map(|document| item(&document.text, column, first)).collect();
            let text = format!("{head}{items}{tail}");
            for (step, new) in [(3, Added::Copy(Vec::new())), (7, new())] {
                let objects: Vec<usize> = (0..some.len()).step_by(step).collect();
                if let Err(error) = there_and_back(&text, &objects, &new) {
                    panic!("{error}");
                }
            }
        }
    }
}

/// Objects that may be in a stream or, indented, in a list.
const BODIES: [&str; 9] = [
    "apiVersion: v1\nkind: A\n",
    "# above\napiVersion: v1\nkind: B # beside\nlist:\n  - 1\n# below\n\n",
    "{apiVersion: v1, kind: C}\n",
    "kind: D\napiVersion: v1\ntext: |\n  a\n",
    "kind: E\napiVersion: v1\ntext: |+\n  a\n\n\n",
    "kind: F\napiVersion: v1\ntext: >-\n  a\n  b\n",
    "kind: G\napiVersion: v1\nx: &x {a: b}\ny: *x\n",
    "{\"apiVersion\": \"v1\",\n  \"kind\": \"H\"\n}\n",
    "kind: I\napiVersion: v1\nempty:\n",
];

#[derive(Debug, Clone)]
struct Text {
    text: String,
}

/// A stream of objects and other documents, with all kinds of separators.
fn stream() -> impl Strategy<Value = Text> {
    let head = prop_oneof![
        Just(""),
        Just("---\n"),
        Just("# top\n---\n"),
        Just("\u{feff}"),
        Just("\u{feff}--- # head\n"),
        Just("\n")
    ];
    let body = (0..BODIES.len() + 2).prop_map(|at| BODIES.get(at).copied().unwrap_or("- no object\n"));
    let between = prop_oneof![
        4 => Just("---\n"),
        1 => Just("--- # c\n"),
        1 => Just("---   \n"),
        1 => Just("...\n---\n"),
        1 => Just("...\n"),
        1 => Just("---\n# nothing\n---\n"),
    ];
    let rest = prop::collection::vec((between, body.clone()), 0..4);
    let tail = prop_oneof![3 => Just(""), 1 => Just("...\n"), 1 => Just("---\n"), 1 => Just("# end\n")];
    (head, body, rest, tail, any::<bool>(), any::<bool>()).prop_map(|(head, body, rest, tail, ended, crlf)| {
        let rest: String = rest.into_iter().map(|(between, body)| format!("{between}{body}")).collect();
        finished(format!("{head}{body}{rest}{tail}"), ended, crlf)
    })
}

fn finished(text: String, ended: bool, crlf: bool) -> Text {
    let text = if ended { text } else { text.trim_end().to_owned() };
    Text { text: if crlf { text.replace('\n', "\r\n") } else { text } }
}

/// A block list of objects, with nested lists.
fn list() -> impl Strategy<Value = Text> {
    let one = (0..BODIES.len(), prop_oneof![Just("-"), Just("- # item")]);
    let tail = prop_oneof![Just(""), Just("other: field\n"), Just("# end\n")];
    let kind = prop_oneof![Just("List"), Just("ResourceList")];
    (kind, prop::collection::vec(one, 1..5), 0..5_usize, tail, any::<bool>(), any::<bool>()).prop_map(
        |(kind, all, column, tail, ended, crlf)| {
            let inner = format!("kind: List\nitems:\n{}", item(BODIES[1], column, "-"));
            let items = all.iter().map(|(at, first)| item(BODIES[*at], column, first)).collect::<String>();
            let items = format!("{items}{}", item(&inner, column, "-"));
            finished(format!("kind: {kind}\nitems:\n{items}{tail}"), ended, crlf)
        },
    )
}

/// JSON in all forms.
fn json() -> impl Strategy<Value = Text> {
    let one = prop_oneof![
        Just(r#"{"apiVersion":"v1","kind":"A"}"#),
        Just(r#"{"apiVersion": "v1", "kind": "B", "list": [1, 2]}"#),
        Just("{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"C\"\n}"),
    ];
    let around = prop_oneof![
        Just(("{\"kind\":\"List\",\"items\":[", ",", "]}")),
        Just(("{\"kind\": \"ResourceList\", \"items\": [\n  ", ",\n  ", "\n], \"x\": 1}")),
        Just(("[", " , ", "]")),
        Just(("[ ", ",", ", 7]")),
        Just(("kind: List\nitems: [ ", ", # c\n ", " ]")),
        Just(("", "\n", "")),
        Just(("", "\n\n", "")),
        Just(("", "", "\n")),
        Just(("", "\n---\n", "")),
    ];
    (around, prop::collection::vec(one, 1..4), any::<bool>(), any::<bool>()).prop_map(
        |((head, between, tail), all, ended, crlf)| {
            finished(format!("{head}{}{tail}\n", all.join(between)), ended, crlf)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_texts(text in prop_oneof![stream(), list(), json()], at in any::<prop::sample::Index>(), also in any::<prop::sample::Index>(), copy in any::<bool>()) {
        let Text { text } = text;
        let Ok(input) = Input::read(Origin::stdin(), text.clone().into()) else { return Ok(()) };
        let Ok(found) = input.objects(|_, _| ()) else { return Ok(()) };
        if found.is_empty() {
            return Ok(());
        }
        let mut objects = vec![at.index(found.len()), also.index(found.len())];
        objects.sort_unstable();
        objects.dedup();
        let new = if copy { Added::Copy(Vec::new()) } else { new() };
        if let Err(error) = there_and_back(&text, &objects, &new) {
            let known = error.contains("inside of a block scalar") || error.contains("share");
            prop_assert!(known, "{error}\n{text}");
        }
    }

    /// Removing any objects leaves the others unchanged.
    #[test]
    fn objects_are_removed_from_generated_texts(text in prop_oneof![stream(), list(), json()], gone in any::<u8>(), new_too in any::<u8>()) {
        let Text { text } = text;
        let Ok(input) = Input::read(Origin::stdin(), text.clone().into()) else { return Ok(()) };
        let Ok(old) = contents(&input) else { return Ok(()) };
        let bits = |bits: u8| (0..old.len()).filter(|at| bits >> (at % 8) & 1 == 1).collect::<BTreeSet<usize>>();
        let (removed, places) = (bits(gone), bits(new_too));
        let changes = Changes { removed: removed.clone(), ..added_after(places.iter().copied(), &new()) };
        if !input.marks(&changes).is_empty() {
            return Ok(());
        }
        match written(&input, changes) {
            Ok(output) => {
                let again = Input::read(Origin::stdin(), output.clone().into()).unwrap();
                let all = contents(&again).unwrap();
                prop_assert_eq!(all.len(), old.len() - removed.len() + places.len(), "{}\n->\n{}", text, output);
                // The output may end in another way: a blank line above a removed object may become the last line, and
                // the final line break of a block scalar is part of its value.
                let blank = text.contains("\n\n") || text.contains("\r\n\r\n");
                let in_value = text.contains("|\n") || text.contains("|\r\n");
                let ends = blank || (in_value && output.ends_with('\n')) || text.ends_with('\n') == output.ends_with('\n');
                prop_assert!(ends, "{}\n->\n{}", text, output);
            }
            Err(error) => {
                let known = error.contains("inside of a block scalar") || error.contains("share");
                prop_assert!(known, "{error}\n{text}");
            }
        }
    }
}
