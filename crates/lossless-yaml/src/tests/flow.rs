//! Flow collections and JSON.

use insta::assert_snapshot;

use super::{Op, add, append, map, remove, seq, set, show};

/// The output on one line, with `⏎` for line breaks.
fn line(text: &str, ops: &[Op]) -> String {
    show(text, ops).replace('\n', "⏎")
}

#[test]
fn one_line_stays_one_line() {
    let text = "metadata: {name: cm, annotations: {a: '1', b: '2'}} # kpt\n";
    let ops = [
        add("metadata", "first", "x", &[], &["name"]),
        add("metadata", "labels", map(&[("k", "8080".into()), ("l", "a,b".into())]), &["name"], &[]),
        add("metadata.annotations", "c", "3", &["b"], &[]),
    ];
    assert_snapshot!(line(text, &ops), @r#"metadata: {first: x, name: cm, labels: {k: "8080", l: "a,b"}, annotations: {a: '1', b: '2', c: "3"}} # kpt"#);
    assert_snapshot!(line("[a, b,]\n", &[append("", "c"), append("", "d: e")]), @r#"[a, b, c, "d: e",]"#);
    assert_snapshot!(line("{a: {}, b: [], c: , d}\n", &[add("a", "k", "v", &[], &[]), append("b", "x"), set("c", 1_u16), set("d", 2_u16)]), @"{a: {k: v}, b: [x], c: 1 , d: 2}");
}

#[test]
fn several_lines_get_lines_of_their_own() {
    let text = "a: {\n  b: 1, # one\n  c: 2 # two\n}\nd: [\n  e,\n]\n";
    let ops = [add("a", "k", "v", &["b"], &[]), add("a", "l", "w", &["c"], &[]), append("d", "f"), append("d", "g")];
    assert_snapshot!(line(text, &ops), @"a: {⏎  b: 1, # one⏎  k: v,⏎  c: 2, # two⏎  l: w⏎}⏎d: [⏎  e,⏎  f,⏎  g,⏎]");
    let text = "{\n  # about b\n  b: 1,\n  c: 2}\n";
    assert_snapshot!(line(text, &[add("", "k", "v", &[], &["b"]), add("", "l", "w", &["c"], &[])]), @"{⏎  k: v,⏎  # about b⏎  b: 1,⏎  c: 2,⏎  l: w}");
}

#[test]
fn json_keeps_its_form() {
    let text = "{\n  \"kind\": \"Pod\",\n  \"spec\": {\n    \"containers\": [\n      {\n        \"name\": \"a\"\n      }\n    ],\n    \"labels\": {}\n  }\n}\n";
    let ops = [
        add("spec", "hostNetwork", true, &[], &["containers"]),
        add("spec.containers.0", "ports", seq(&["x"]), &["name"], &[]),
        append("spec.containers", map(&[("name", "b".into())])),
        add("spec.labels", "on", "off", &[], &[]),
        set("kind", "a\"b\u{85}"),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    {
      "kind": "a\"b\u0085",
      "spec": {
        "hostNetwork": true,
        "containers": [
          {
            "name": "a",
            "ports": ["x"]
          },
          {"name": "b"}
        ],
        "labels": {"on": "off"}
      }
    }
    "#);
    let dense = "{\"a\":1,\"b\":{\"c\":[1,2]},\"d\":{}}";
    let ops = [add("", "k", "v", &["a"], &[]), append("b.c", 3_i64), add("d", "x", "y", &[], &[])];
    assert_snapshot!(show(dense, &ops), @r#"{"a":1,"k":"v","b":{"c":[1,2,3]},"d":{"x":"y"}}<no line break>"#);
    assert_snapshot!(show("{}\n", &[add("", "k", "v", &[], &[])]), @r#"{"k": "v"}"#);
}

#[test]
fn entries_are_removed_with_their_commas() {
    let text = "{a: 1, b: 2, c: 3}\n";
    assert_snapshot!(line(text, &[remove("a")]), @"{b: 2, c: 3}");
    assert_snapshot!(line(text, &[remove("b")]), @"{a: 1, c: 3}");
    assert_snapshot!(line(text, &[remove("c")]), @"{a: 1, b: 2}");
    assert_snapshot!(line(text, &[remove("a"), remove("b")]), @"{c: 3}");
    assert_snapshot!(line(text, &[remove("b"), remove("c")]), @"{a: 1}");
    assert_snapshot!(line(text, &[remove("a"), remove("b"), remove("c")]), @"{}");
    assert_snapshot!(line(text, &[remove("a"), remove("c"), add("", "k", "v", &["b"], &[])]), @"{b: 2, k: v}");
    let text = "[\n  a, # one\n  b, # two\n  c # three\n]\n";
    assert_snapshot!(line(text, &[remove("0")]), @"[⏎  b, # two⏎  c # three⏎]");
    assert_snapshot!(line(text, &[remove("2")]), @"[⏎  a, # one⏎  b # two⏎]");
    assert_snapshot!(line(text, &[remove("1"), remove("2")]), @"[⏎  a # one⏎]");
    assert_snapshot!(line("{a: 1,\n b: 2}\n", &[remove("b")]), @"{a: 1}");
    assert_snapshot!(line(text, &[remove("2"), append("", "d")]), @"[⏎  a, # one⏎  b, # two⏎  d⏎]");
}

/// After every combination of removed and new entries exactly one comma separates two entries.
#[test]
fn a_comma_is_between_two_entries() {
    let lines = "[\n  a,\n  b,\n  c\n]\n";
    let map = "{\n  a: 1,\n  b: 2,\n  c: 3\n}\n";
    let new = |after: &str| add("", "k", "v", &[after], &[]);
    // The last entry is removed, and a new one is inserted before it.
    assert_snapshot!(line(map, &[remove("c"), new("a")]), @"{⏎  a: 1,⏎  k: v,⏎  b: 2⏎}");
    assert_snapshot!(line(map, &[remove("c"), new("b")]), @"{⏎  a: 1,⏎  b: 2,⏎  k: v⏎}");
    assert_snapshot!(line(map, &[remove("b"), remove("c"), new("b")]), @"{⏎  a: 1,⏎  k: v⏎}");
    assert_snapshot!(line(map, &[remove("a"), add("", "k", "v", &[], &["b"])]), @"{⏎  k: v,⏎  b: 2,⏎  c: 3⏎}");
    assert_snapshot!(line(map, &[remove("b"), new("a"), add("", "l", "w", &[], &["c"])]), @"{⏎  a: 1,⏎  k: v,⏎  l: w,⏎  c: 3⏎}");
    assert_snapshot!(line(map, &[remove("a"), remove("b"), remove("c"), new("b")]), @"{k: v}");
    assert_snapshot!(line(lines, &[remove("1"), remove("2"), append("", "d"), append("", "e")]), @"[⏎  a,⏎  d,⏎  e⏎]");
    assert_snapshot!(line(lines, &[remove("0"), remove("1"), append("", "d")]), @"[⏎  c,⏎  d⏎]");
    assert_snapshot!(line(lines, &[set("2", "cc"), append("", "d")]), @"[⏎  a,⏎  b,⏎  cc,⏎  d⏎]");
    assert_snapshot!(line("[a, b]\n", &[set("1", "bb"), append("", "c")]), @"[a, bb, c]");
    assert_snapshot!(line("[a, [b]]\n", &[append("1", "c"), append("", "d")]), @"[a, [b, c], d]");
    assert_snapshot!(line("[a: , ]\n", &[append("", true)]), @"[a: , true, ]");
    assert_snapshot!(line("{a: , b}\n", &[set("b", 1_i64), add("", "c", 2_i64, &["b"], &[]), add("", "d", 3_i64, &["a"], &[])]), @"{a: , d: 3, b: 1, c: 2}");
    assert_snapshot!(line("[a:\n, b]\n", &[remove("1")]), @"[a: ]");
    assert_snapshot!(line("{'a': , # c\n  b: 1\n}\n", &[remove("b")]), @"{'a':  # c⏎}");
    assert_snapshot!(line("{a: 1, b: }\n", &[remove("a"), new("b")]), @"{b: , k: v}");
}

#[test]
fn a_comma_may_start_a_line() {
    let text = "{\n  a: 1\n  , b: 2 # two\n  # about c\n  , c: 3\n}\n";
    let new = |after: &[&str], before: &[&str]| add("", "k", "v", after, before);
    assert_snapshot!(line(text, &[new(&["b"], &[])]), @"{⏎  a: 1⏎  , b: 2 # two⏎  , k: v⏎  # about c⏎  , c: 3⏎}");
    assert_snapshot!(line(text, &[new(&["c"], &[])]), @"{⏎  a: 1⏎  , b: 2 # two⏎  # about c⏎  , c: 3⏎  , k: v⏎}");
    assert_snapshot!(line(text, &[new(&["a"], &[])]), @"{⏎  a: 1⏎  , k: v⏎  , b: 2 # two⏎  # about c⏎  , c: 3⏎}");
    assert_snapshot!(line(text, &[new(&[], &["a"])]), @"{⏎  k: v⏎  , a: 1⏎  , b: 2 # two⏎  # about c⏎  , c: 3⏎}");
    assert_snapshot!(line(text, &[new(&[], &["b"])]), @"{⏎  a: 1⏎  , k: v⏎  , b: 2 # two⏎  # about c⏎  , c: 3⏎}");
}

#[test]
fn an_entry_is_removed_with_the_comma_that_starts_its_line() {
    let text = "{\n  a: 1\n  , b: 2 # two\n  # about c\n  , c: 3\n}\n";
    let new = |after: &[&str], before: &[&str]| add("", "k", "v", after, before);
    assert_snapshot!(line(text, &[remove("a")]), @"{⏎  b: 2 # two⏎  # about c⏎  , c: 3⏎}");
    assert_snapshot!(line(text, &[remove("b")]), @"{⏎  a: 1⏎  # about c⏎  , c: 3⏎}");
    assert_snapshot!(line(text, &[remove("c")]), @"{⏎  a: 1⏎  , b: 2 # two⏎  # about c⏎}");
    assert_snapshot!(line(text, &[remove("a"), remove("c"), new(&["b"], &[])]), @"{⏎  b: 2 # two⏎  , k: v⏎  # about c⏎}");
    assert_snapshot!(line(text, &[remove("b"), new(&["a"], &[]), add("", "l", "w", &[], &["c"])]), @"{⏎  a: 1⏎  , k: v⏎  # about c⏎  , l: w⏎  , c: 3⏎}");
    let json = "[\r\n\t  {\"a\": 1}\r\n\t, {\"a\": 2}\r\n]\r\n";
    assert_snapshot!(line(json, &[append("", map(&[("a", 3_i64.into())]))]), @r#"[␍⏎→  {"a": 1}␍⏎→, {"a": 2}␍⏎→, {"a": 3}␍⏎]␍"#);
    assert_snapshot!(line(json, &[remove("0")]), @r#"[␍⏎→{"a": 2}␍⏎]␍"#);
    assert_snapshot!(line(json, &[remove("1"), append("", "x")]), @r#"[␍⏎→  {"a": 1}␍⏎→  , "x"␍⏎]␍"#);
    assert_snapshot!(line("{\"a\": 1\n,\"b\": 2\n,\"c\": 3}\n", &[remove("b"), new(&["c"], &[])]), @r#"{"a": 1⏎,"c": 3,⏎"k": "v"}"#);
    assert_snapshot!(line("[a\n , b, c]\n", &[remove("1")]), @"[a⏎ , c]");
    // Commas on separate lines.
    assert_snapshot!(line("[\n  a\n  ,\n  b\n  ,\n  c\n]\n", &[remove("1"), append("", "d")]), @"[⏎  a⏎  ,⏎  c⏎  , d⏎]");
    assert_snapshot!(line("[\n  a\n  ,\n  b\n]\n", &[remove("1")]), @"[⏎  a⏎]");
}

#[test]
fn comments_between_entries_stay() {
    let text = "[ # top\n  a, # one\n\n  # about b\n  b, # two\n  # about c\n  c, d, # more\n  e # last\n  # end\n]\n";
    assert_snapshot!(line(text, &[remove("0")]), @"[ # top⏎⏎  # about b⏎  b, # two⏎  # about c⏎  c, d, # more⏎  e # last⏎  # end⏎]");
    assert_snapshot!(line(text, &[remove("1")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  # about c⏎  c, d, # more⏎  e # last⏎  # end⏎]");
    assert_snapshot!(line(text, &[remove("2")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  b, # two⏎  # about c⏎  d, # more⏎  e # last⏎  # end⏎]");
    assert_snapshot!(line(text, &[remove("3")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  b, # two⏎  # about c⏎  c, # more⏎  e # last⏎  # end⏎]");
    assert_snapshot!(line(text, &[remove("4")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  b, # two⏎  # about c⏎  c, d # more⏎  # end⏎]");
}

#[test]
fn comments_between_several_entries_stay() {
    let text = "[ # top\n  a, # one\n\n  # about b\n  b, # two\n  # about c\n  c, d, # more\n  e # last\n  # end\n]\n";
    assert_snapshot!(line(text, &[remove("3"), remove("4")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  b, # two⏎  # about c⏎  c⏎  # end⏎]");
    assert_snapshot!(line(text, &[remove("2"), remove("3")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  b, # two⏎  # about c⏎  e # last⏎  # end⏎]");
    assert_snapshot!(line(text, &[remove("1"), remove("2"), remove("3"), append("", "f")]), @"[ # top⏎  a, # one⏎⏎  # about b⏎  # about c⏎  e, # last⏎  f⏎  # end⏎]");
    assert_snapshot!(line("[a,\n b # c\n , d]\n", &[remove("1")]), @"[a⏎ , d]");
    assert_snapshot!(line("[a, # c\n # d\n b]\n", &[remove("1")]), @"[a # c⏎ # d⏎ ]");
    assert_snapshot!(line("[ a, # c\n b]\n", &[remove("0")]), @"[ # c⏎ b]");
    assert_snapshot!(line("[a, b, # c\n d,]\n", &[remove("1")]), @"[a, # c⏎ d,]");
    assert_snapshot!(line("[a, b, # c\n d,]\n", &[remove("1"), remove("2")]), @"[a,]");
}

/// `kubectl apply -f -` as a list: granit refuses the last item, kubectl and kustomize read the text `-`.
#[test]
fn a_dash_alone_is_a_text() {
    let text = "args: [apply, -f, -] # [a, -]\nb: {c: -, \"-,\": '-]', d: [-,-]}\ne: |\n  [f, -]\n   - {g: -}\nh: >-\n  i -,\n  j\n\n  k -]\nl: m -,\n";
    let tree = crate::Tree::parse(text).unwrap();
    let texts: Vec<&str> = tree.root(0).unwrap().descendants().filter_map(crate::NodeRef::text).collect();
    assert_snapshot!(texts.join("|"), @"
    m -,|l|i -, j
    k -]|h|[f, -]
     - {g: -}
    |e|-|-|d|-]|-,|-|c|b|-|-f|apply|args
    ");
    assert_snapshot!(line(text, &[set("args.1", "-k"), append("args", "x"), set("e", "n"), set("b.d.1", "o")]), @r#"args: [apply, -k, -, x] # [a, -]⏎b: {c: -, "-,": '-]', d: [-,o]}⏎e: |-⏎  n⏎h: >-⏎  i -,⏎  j⏎⏎  k -]⏎l: m -,"#);
    assert_snapshot!(line("---\n\u{feff}a: b\nc: [d, -]\n", &[set("a", "e")]), @"ERROR: line 2, column 1: Go's YAML reader reads a byte order mark (U+FEFF) here as text: remove it");
}
