//! Short texts of indicators, words and blanks, compared with Go's reader.

use lossless_yaml::{NodeRef, Tree};
use serde_json::{Map, Value, json};

use test_programs::go_readers::documents_or_errors;

const PARTS: [&str; 17] =
    ["? ", "- ", ":", ": ", " ", "a", "\n", "{", "}", "[", "]", ",", "\"b\"", "#", "&x ", "?", "-"];

/// Longer texts, each with a pattern of the short texts in another position.
const LONGER: [&str; 29] = [
    "a: [b, -f, -]\n",
    "a: {b: -, c: {d: [-, e]}}\n",
    "a: [[b, -], -,\n  -\n  ]\n",
    "a: [b, -] # {c: -}\nd: \"[e, -]\"\nf: 'g -,'\n",
    "a: [-]\nb: |\n  c -,\n\n    [d, -]\ne: >\n  f -]\n  g\n\n   h {-}\n",
    "a: [-]\nb: c -]\n d -, e\nf: \"g \\\n  -, h\\t -]\"\n",
    "a: {-: b, -, c: -}\n",
    "? k\n:a: 1\n",
    "? k\n:{a: 1}\n",
    "? \"k\"\n:a: 1\n",
    "a: {b: c?d}\n",
    "a: [http://b?c=d]\n",
    "a: [\"http://b?c=d\"]\n",
    "a: http://b?c=d\n",
    "{? a\n: b}",
    "{? \"a\"\n:b}",
    "{\"a\": {\"b\":1,\"c\":[2]}}",
    "a: [b:c, d:e]\n",
    "a: [::1]\n",
    "a: ::1\n",
    "\u{feff}a: b\n",
    "\n\u{feff}a: b\n",
    "---\n\u{feff}a: b\n",
    "# a\n\n\u{feff}- a\n",
    "a: \"\u{feff}b\"\n",
    "a: 'b \u{feff}'\n",
    "a: b\n\u{feff}",
    "a: b\n# \u{feff}\n",
    "# \u{feff}\na: b\n",
];

/// An editable text has the same value in Go's reader, and a text with the same value in both readers is editable.
#[test]
fn go_reads_each_short_text_that_is_not_refused_alike() {
    let mut texts: Vec<String> = LONGER.map(str::to_owned).to_vec();
    let mut shorter = vec![String::new()];
    for _ in 0..4 {
        shorter = shorter.iter().flat_map(|text| PARTS.map(|part| format!("{text}{part}"))).collect();
        texts.extend(shorter.iter().cloned());
    }
    texts.sort_unstable();
    texts.dedup();
    let read: Vec<(&str, Value, Option<String>)> = texts.iter().filter_map(|text| ours(text)).collect();
    let all: Vec<&str> = read.iter().map(|(text, ..)| *text).collect();
    let Some(theirs) = documents_or_errors(&all) else { return };
    let (mut missed, mut needless) = (Vec::new(), Vec::new());
    for ((text, value, refused), theirs) in read.iter().zip(theirs) {
        let alike = theirs.as_ref().is_ok_and(|documents| *documents == [value.clone()]);
        match refused {
            // A null key is parsed by Go's reader, which fails only in the conversion to JSON.
            None if theirs.as_ref().is_err_and(|error| error.contains("unsupported map key")) => {}
            None if !alike => missed.push(format!("{text:?}: {value}, and Go's reader says {theirs:?}")),
            // A comment without a blank before it is not YAML 1.2.
            Some(why) if alike && !why.contains("before `#`") => needless.push(format!("{text:?}: {why}")),
            _ => {}
        }
    }
    assert!(all.len() > 10_000, "{}", all.len());
    super::assert_judged_alike(all.len(), &missed, &needless);
}

/// A text with one collection, its value in our reader, and the reason why it is not editable.
fn ours(text: &str) -> Option<(&str, Value, Option<String>)> {
    let tree = Tree::parse(text).ok()?;
    // A stream is split before it is parsed, so `---a` is not part of a document.
    if tree.roots().count() != 1 || text.contains("---") {
        return None;
    }
    let value = meaning(tree.root(0)?)?;
    let collection = value.is_object() || value.is_array();
    collection.then(|| (text, value, tree.go_parse_error().map(|error| error.to_string())))
}

/// `None` if a key is a collection, as in an unfilled template: `{{ .name }}`. Go's reader accepts some of them, but
/// never where it expects text.
fn meaning(node: NodeRef<'_, '_>) -> Option<Value> {
    Some(if node.is_mapping() {
        let is_text = |(key, _): (NodeRef<'_, '_>, _)| !key.is_mapping() && !key.is_sequence();
        let text = |key: NodeRef<'_, '_>| key.text().unwrap_or_default().to_owned();
        let entry = |(key, value)| Some((text(key), meaning(value)?));
        node.entries().all(is_text).then(|| node.entries().map(entry).collect::<Option<Map<String, Value>>>())??.into()
    } else if node.is_sequence() {
        Value::Array(node.items().map(meaning).collect::<Option<_>>()?)
    } else if node.is_null() {
        Value::Null
    } else {
        node.raw().parse::<i64>().map_or_else(|_| json!(node.text()), |number| json!(number))
    })
}
