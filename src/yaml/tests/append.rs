//! Elements at the end of a sequence.

use insta::assert_snapshot;

use super::{Value, append, map, remove, seq, show};

fn port() -> Value {
    map(&[("name", "health".into()), ("containerPort", 8081_u16.into())])
}

#[test]
fn as_the_last_element_is_written() {
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
fn behind_all_kinds_of_last_elements() {
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
