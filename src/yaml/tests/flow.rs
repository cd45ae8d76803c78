//! Y1: flow collections and JSON.

use insta::assert_snapshot;

use super::{add, append, map, remove, seq, set, show};

#[test]
fn one_line_stays_one_line() {
    let text = "metadata: {name: cm, annotations: {a: '1', b: '2'}} # kpt\n";
    let ops = [
        add("metadata", "first", "x", &[], &["name"]),
        add("metadata", "labels", map(&[("k", "8080".into()), ("l", "a,b".into())]), &["name"], &[]),
        add("metadata.annotations", "c", "3", &["b"], &[]),
    ];
    assert_snapshot!(show(text, &ops), @r#"metadata: {first: x, name: cm, labels: {k: "8080", l: "a,b"}, annotations: {a: '1', b: '2', c: "3"}} # kpt"#);
    assert_snapshot!(show("[a, b,]\n", &[append("", "c"), append("", "d: e")]), @r#"[a, b, c, "d: e",]"#);
    assert_snapshot!(show("{a: {}, b: [], c: , d}\n", &[add("a", "k", "v", &[], &[]), append("b", "x"), set("c", 1_u16), set("d", 2_u16)]), @"{a: {k: v}, b: [x], c: 1 , d: 2}");
}

#[test]
fn several_lines_get_lines_of_their_own() {
    let text = "a: {\n  b: 1, # one\n  c: 2 # two\n}\nd: [\n  e,\n]\n";
    let ops = [add("a", "k", "v", &["b"], &[]), add("a", "l", "w", &["c"], &[]), append("d", "f"), append("d", "g")];
    assert_snapshot!(show(text, &ops), @"
    a: {
      b: 1, # one
      k: v,
      c: 2, # two
      l: w
    }
    d: [
      e,
      f,
      g,
    ]
    ");
    let text = "{\n  # about b\n  b: 1,\n  c: 2}\n";
    assert_snapshot!(show(text, &[add("", "k", "v", &[], &["b"]), add("", "l", "w", &["c"], &[])]), @"
    {
      k: v,
      # about b
      b: 1,
      c: 2,
      l: w}
    ");
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
fn entries_go_with_their_commas() {
    let text = "{a: 1, b: 2, c: 3}\n";
    assert_snapshot!(show(text, &[remove("a")]), @"{b: 2, c: 3}");
    assert_snapshot!(show(text, &[remove("b")]), @"{a: 1, c: 3}");
    assert_snapshot!(show(text, &[remove("c")]), @"{a: 1, b: 2}");
    assert_snapshot!(show(text, &[remove("a"), remove("b")]), @"{c: 3}");
    assert_snapshot!(show(text, &[remove("b"), remove("c")]), @"{a: 1}");
    assert_snapshot!(show(text, &[remove("a"), remove("b"), remove("c")]), @"{}");
    assert_snapshot!(show(text, &[remove("a"), remove("c"), add("", "k", "v", &["b"], &[])]), @"{b: 2, k: v}");
    let text = "[\n  a, # one\n  b, # two\n  c # three\n]\n";
    assert_snapshot!(show(text, &[remove("0")]), @"
    [
      b, # two
      c # three
    ]
    ");
    assert_snapshot!(show(text, &[remove("2")]), @"
    [
      a, # one
      b # two
    ]
    ");
    assert_snapshot!(show(text, &[remove("1"), remove("2")]), @"
    [
      a # one
    ]
    ");
    assert_snapshot!(show("{a: 1,\n b: 2}\n", &[remove("b")]), @"{a: 1}");
    assert_snapshot!(show(text, &[remove("2"), append("", "d")]), @"ERROR: line 4: the document cannot be edited: two edits change the same bytes");
}
