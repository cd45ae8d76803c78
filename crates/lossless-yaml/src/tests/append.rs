//! Elements at the end of a sequence.

use insta::assert_snapshot;

use super::{Value, append, insert, map, remove, seq, set, show};

fn port() -> Value {
    map(&[("name", "health".into()), ("containerPort", 8081_u16.into())])
}

#[test]
fn an_appended_element_has_the_style_of_the_last_one() {
    let text = "ports:\n  -   name: a # dash\n      containerPort: 1\n      # foot of a\n  # containerPort: 2\nb: 1\n";
    assert_snapshot!(show(text, &[append("ports", port())]), @"
    ports:
      -   name: a # dash
          containerPort: 1
          # foot of a
      -   name: health
          containerPort: 8081
      # containerPort: 2
    b: 1
    ");
    let text = "env:\n- {name: \"ON\", value: \"yes\"}\nports:\n- {name: a, containerPort: 1}\n";
    assert_snapshot!(show(text, &[append("env", port()), append("ports", port()), append("ports", "x")]), @r#"
    env:
    - {name: "ON", value: "yes"}
    - {name: health, containerPort: 8081}
    ports:
    - {name: a, containerPort: 1}
    - {name: health, containerPort: 8081}
    - x
    "#);
    let text = "args:\n- '--a'\n- '--b=it''s'\n";
    assert_snapshot!(show(text, &[append("args", "--c=it's"), append("args", "a\nb")]), @r#"
    args:
    - '--a'
    - '--b=it''s'
    - '--c=it''s'
    - "a\nb"
    "#);
    let text = "args:\n- \"a\"\n- b\n";
    assert_snapshot!(show(text, &[append("args", "c")]), @r#"
    args:
    - "a"
    - b
    - c
    "#);
}

#[test]
fn elements_are_appended_after_every_kind_of_last_element() {
    let texts = [
        "- - a\n  - b\n",
        "- |\n  a\n\n- |+\n  b\n\n",
        "- a\n-\n",
        "- - - a\n",
        "- >-\n  a\n# end\n",
        "- [a,\n  b]\n",
        "-\n  a: b\n",
    ];
    let shown: Vec<String> = texts.map(|text| show(text, &[append("", "new")])).to_vec();
    assert_snapshot!(shown.join("\n---\n"), @"
    - - a
      - b
    - new
    ---
    - |
      a

    - |+
      b

    - new
    ---
    - a
    -
    - new
    ---
    - - - a
    - new
    ---
    - >-
      a
    - new
    # end
    ---
    - [a,
      b]
    - new
    ---
    -
      a: b
    - new
    ");
    assert_snapshot!(show("- - a\n  - b\n- c\n", &[append("0", "new"), append("", seq(&["d", "e"]))]), @"
    - - a
      - b
      - new
    - c
    - - d
      - e
    ");
}

#[test]
fn an_empty_sequence_or_null_becomes_a_block() {
    let text = "spec:\n  a: []\n  b: [] # none\n  c:\n  d:\n  - e\n";
    let ops = [append("spec.a", "x"), append("spec.a", "y"), append("spec.b", port()), append("spec.c", "z")];
    assert_snapshot!(show(text, &ops), @r#"
    spec:
      a:
      - x
      - "y"
      b: # none
      - name: health
        containerPort: 8081
      c:
      - z
      d:
      - e
    "#);
    assert_snapshot!(show(&text.replace("  - e", "    - e"), &ops), @r#"
    spec:
      a:
        - x
        - "y"
      b: # none
        - name: health
          containerPort: 8081
      c:
        - z
      d:
        - e
    "#);
    assert_snapshot!(show("- []\n- - []\n", &[append("0", "x"), append("1.0", port())]), @"
    - - x
    - - - name: health
          containerPort: 8081
    ");
}

#[test]
fn the_only_element_can_be_exchanged() {
    assert_snapshot!(show("a:\n- b # c\nd: 1\n", &[remove("a.0"), append("a", "x")]), @"
    a:
    - x
    d: 1
    ");
}

#[test]
fn elements_are_inserted_after_a_given_element() {
    let text = "env:\n- name: A # first\n  value: |\n    x\n\n# of B\n- name: B\n  value: b # b\n  # foot\n- {name: C}\n\n- name: D\nafter: 1\n";
    let ops = [
        insert("env.0", port()),
        insert("env.1", port()),
        insert("env.1", "x"),
        insert("env.2", port()),
        append("env", "y"),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    env:
    - name: A # first
      value: |
        x
    - name: health
      containerPort: 8081

    # of B
    - name: B
      value: b # b
      # foot
    - name: health
      containerPort: 8081
    - x
    - {name: C}
    - {name: health, containerPort: 8081}

    - name: D
    - "y"
    after: 1
    "#);
    // Together with changes of the element itself and of a following element.
    assert_snapshot!(show("a:\n- b # c\n- - d\n  - e\n- f", &[set("a.0", "B"), insert("a.0", "x"), insert("a.1.0", "y"), set("a.2", "g"), insert("a.2", "z")]), @r#"
    a:
    - B # c
    - x
    - - d
      - "y"
      - e
    - g
    - z<no line break>
    "#);
    let flow = "a: [b, c]\nd: [\n  e, # e\n  f # f\n]\ng: [{h: 1}, {h: 2}]\n";
    assert_snapshot!(show(flow, &[insert("a.0", "x"), insert("a.0", "y"), insert("d.0", "x"), insert("d.1", "y"), insert("g.0", port())]), @r#"
    a: [b, x, "y", c]
    d: [
      e, # e
      x,
      f, # f
      "y"
    ]
    g: [{h: 1}, {name: health, containerPort: 8081}, {h: 2}]
    "#);
    assert_snapshot!(show("{\"a\": [1, 2]}", &[insert("a.0", "x")]), @r#"{"a": [1, "x", 2]}<no line break>"#);
}

#[test]
fn an_insert_after_a_missing_element_is_refused() {
    let refused = |text: &str, path: &str| show(text, &[insert(path, "x")]);
    assert_snapshot!(
        [refused("a: [b]", "a.1"), refused("a: {b: c}", "a.b"), refused("a", ""), refused("x: &a [1]\ny: *a", "x.0")].join("\n"),
        @"
    ERROR: there is no a[1]
    ERROR: line 1: a is not a sequence
    ERROR: line 1: the document cannot be edited: cannot insert after the document root
    ERROR: line 1: x is shared through the anchor &a: change all its aliases in the same way, or write the value out
    "
    );
    assert_snapshot!(show("a: [b, c]", &[remove("a.0"), insert("a.0", "x")]), @"ERROR: a is edited twice");
    assert_snapshot!(show("a: [b, c]", &[set("a", "d"), insert("a.0", "x")]), @"ERROR: a is edited twice");
}
