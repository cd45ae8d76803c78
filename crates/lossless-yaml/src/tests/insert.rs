//! Position and format of new keys.

use insta::assert_snapshot;

use super::{Value, add, map, remove, seq, set, show};

#[test]
fn a_key_is_inserted_after_its_nearest_predecessor_and_its_comment() {
    let text = "ports:\n- containerPort: 8443 # see args\n  # foot\n  protocol: TCP\n";
    let ops = [add("ports.0", "hostPort", 8443_u16, &["containerPort"], &[])];
    assert_snapshot!(show(text, &ops), @"
    ports:
    - containerPort: 8443 # see args
      hostPort: 8443
      # foot
      protocol: TCP
    ");
    let long = "a: 1 # a comment that\n     # goes on\n# about b\nb: 2\n";
    assert_snapshot!(show(long, &[add("", "new", 1_u16, &["a"], &[])]), @"
    a: 1 # a comment that
         # goes on
    new: 1
    # about b
    b: 2
    ");
}

#[test]
fn a_value_of_several_lines_is_not_a_predecessor() {
    let text = "spec:\n  a: 1\n  selector:\n    app: x\n  b: 2\n";
    assert_snapshot!(show(text, &[add("spec", "new", true, &["selector", "a"], &["b"])]), @"
    spec:
      a: 1
      new: true
      selector:
        app: x
      b: 2
    ");
    assert_snapshot!(show(text, &[add("spec", "new", true, &["selector"], &["b"])]), @"
    spec:
      a: 1
      selector:
        app: x
      new: true
      b: 2
    ");
}

#[test]
fn a_key_is_inserted_above_its_successor_and_the_comments_of_it() {
    let text = "spec:\n  volumes:\n  - a\n  # deeper below volumes\n\n  # shared\n\n  # about containers,\n  # two lines\n  containers: []\n";
    assert_snapshot!(show(text, &[add("spec", "hostNetwork", true, &["none"], &["containers"])]), @"
    spec:
      volumes:
      - a
      # deeper below volumes

      # shared

      hostNetwork: true
      # about containers,
      # two lines
      containers: []
    ");
    let text = "spec:\n  volumes:\n    - a\n    # foot of volumes\n  containers: []\n";
    assert_snapshot!(show(text, &[add("spec", "hostNetwork", true, &[], &["containers"])]), @"
    spec:
      volumes:
        - a
        # foot of volumes
      hostNetwork: true
      containers: []
    ");
}

#[test]
fn a_key_is_inserted_above_a_first_key_on_the_line_of_a_dash() {
    let text = "- name: a # the one\n  image: b\n- # head of b\n  name: b\n-   name: c\n- - name: d\n";
    let ops = [
        add("0", "first", 1_u16, &[], &["name"]),
        add("1", "first", 1_u16, &[], &["name"]),
        add("2", "first", 1_u16, &[], &["name"]),
        add("3.0", "first", 1_u16, &[], &["name"]),
    ];
    assert_snapshot!(show(text, &ops), @"
    - first: 1
      name: a # the one
      image: b
    - # head of b
      first: 1
      name: b
    -   first: 1
        name: c
    - - first: 1
        name: d
    ");
}

#[test]
fn several_keys_at_one_place_keep_their_order() {
    let text = "spec:\n  containers:\n  - name: a\n  nodeName: b\n";
    let ops = [
        add("spec", "hostNetwork", true, &[], &["containers"]),
        add("spec", "dnsPolicy", "ClusterFirstWithHostNet", &[], &["containers"]),
        add("spec", "x", 1_u16, &["nodeName"], &[]),
        add("spec", "y", 2_u16, &["nodeName"], &[]),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    spec:
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      containers:
      - name: a
      nodeName: b
      x: 1
      "y": 2
    "#);
}

#[test]
fn a_key_is_inserted_after_the_last_value_on_one_line_or_at_the_end() {
    assert_snapshot!(show("a: 1\nb:\n  c: 2\n", &[add("", "new", 1_u16, &[], &[])]), @"
    a: 1
    new: 1
    b:
      c: 2
    ");
    let text = "b:\n  c: 2\n  # foot of b\n# foot of all\n---\nd: 1\n";
    assert_snapshot!(show(text, &[add("", "new", 1_u16, &[], &[])]), @"
    b:
      c: 2
      # foot of b
    new: 1
    # foot of all
    ---
    d: 1
    ");
}

#[test]
fn no_key_is_inserted_after_a_block_that_keeps_line_breaks() {
    let text = "a: |+\n  text\n\nb: |+\n  text\n\n";
    assert_snapshot!(show(text, &[add("", "new", 1_u16, &["a"], &[])]), @"
    new: 1
    a: |+
      text

    b: |+
      text
    ");
    let text = "c:\n- d\na: |+\n  text\n\n";
    assert_snapshot!(show(text, &[add("", "new", 1_u16, &[], &[])]), @"
    c:
    - d
    new: 1
    a: |+
      text
    ");
}

#[test]
fn an_empty_mapping_or_null_becomes_a_block() {
    let text = "a: {}\nb: {} # none yet\nc:\nd: null # nothing\ne: ~\nf:\n  # g: h\ng: &x {}\nh:\n    {}\n";
    let ops = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|key| add(key, "k", "v", &[], &[]));
    assert_snapshot!(show(text, &ops), @"
    a:
      k: v
    b: # none yet
      k: v
    c:
      k: v
    d: # nothing
      k: v
    e:
      k: v
    f:
      k: v
      # g: h
    g: &x
      k: v
    h:
      k: v
    ");
    let text = "- {}\n- {} # none\n-\n- - {}\n-   {}\n";
    let ops = ["0", "1", "2", "3.0", "4"].map(|key| add(key, "k", "v", &[], &[]));
    assert_snapshot!(show(text, &ops), @"
    - k: v
    - # none
      k: v
    - k: v
    - - k: v
    -   k: v
    ");
    assert_snapshot!(show("--- # nothing\n", &[add("", "k", "v", &[], &[])]), @"
    --- # nothing
    k: v
    ");
}

#[test]
fn nested_values_have_the_indentation_of_their_neighbours() {
    let value =
        || map(&[("list", seq(&["x", "y"])), ("map", map(&[("k", Value::Null)])), ("none", Value::Seq(vec![]))]);
    let wide = "spec:\n    a: 1\n    b:\n      - c\n";
    assert_snapshot!(show(wide, &[add("spec", "new", value(), &["a"], &[])]), @r#"
    spec:
        a: 1
        new:
            list:
              - x
              - "y"
            map:
                k: null
            none: []
        b:
          - c
    "#);
    let compact = "spec:\n  a: 1\n  b:\n  - c\n";
    assert_snapshot!(show(compact, &[add("spec", "new", value(), &["a"], &[])]), @r#"
    spec:
      a: 1
      new:
        list:
        - x
        - "y"
        map:
          k: null
        none: []
      b:
      - c
    "#);
}

#[test]
fn inserted_lines_use_the_line_breaks_of_the_text() {
    let text = "a:\r\n  b: 1\r\n  c: {}\r\n";
    assert_snapshot!(show(text, &[add("a", "k", "v", &["b"], &[]), add("a.c", "k", "v", &[], &[])]), @"
    a:␍
      b: 1␍
      k: v␍
      c:␍
        k: v␍
    ");
    assert_snapshot!(show("a: 1\rb: 2\r", &[add("", "k", "v", &["a"], &[])]), @"a: 1␍k: v␍b: 2␍<no line break>");
}

#[test]
fn a_text_without_a_final_line_break_stays_without() {
    assert_snapshot!(show("a: 1", &[add("", "k", "v", &[], &[])]), @"
    a: 1
    k: v<no line break>
    ");
    let text = "a:\n  b:\n  - c";
    let ops = [add("", "k", "v", &[], &[]), add("a", "l", "w", &[], &[]), set("a.b.0", "d")];
    assert_snapshot!(show(text, &ops), @"
    a:
      b:
      - d
      l: w
    k: v<no line break>
    ");
    assert_snapshot!(show("a: 1\nb: 2", &[remove("b"), add("", "k", "v", &["a"], &[])]), @"
    a: 1
    k: v<no line break>
    ");
}

#[test]
fn document_ends_byte_order_marks_and_blanks_are_kept() {
    assert_snapshot!(show("\u{feff}a: 1  \n...\n", &[add("", "k", "v", &[], &["a"])]), @"
    ﻿k: v
    a: 1··
    ...
    ");
    assert_snapshot!(show("a:\t1\t\n\n\n---\nb: 1\n", &[add("", "k", "v", &[], &[])]), @"
    a:→1→
    k: v


    ---
    b: 1
    ");
}

#[test]
fn explicit_keys_count_as_neighbours() {
    let text = "? a\n: 1\n? b\n? |\n  c\n: - d\n";
    assert_snapshot!(show(text, &[add("", "k", "v", &["a"], &["b"])]), @"
    ? a
    : 1
    k: v
    ? b
    ? |
      c
    : - d
    ");
    assert_snapshot!(show(text, &[add("", "k", "v", &["b"], &[])]), @"
    ? a
    : 1
    ? b
    k: v
    ? |
      c
    : - d
    ");
}

#[test]
fn keys_and_values_are_quoted_where_a_reader_would_mistake_them() {
    let text = "labels:\n  a: b\n";
    let ops = [
        add("labels", "on", "0o17", &[], &[]),
        add("labels", "8080", "${PORT}", &[], &[]),
        add("labels", "x: y", "1_000", &[], &[]),
        add("labels", "plain/key.io", "12:30:45", &[], &[]),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    labels:
      a: b
      "on": "0o17"
      "8080": ${PORT}
      "x: y": "1_000"
      plain/key.io: "12:30:45"
    "#);
}

#[test]
fn keys_are_inserted_where_all_other_keys_are_removed() {
    let text = "- name: a\n  image: b\n  args: [c]\n";
    let ops = [remove("0.name"), remove("0.image"), add("0", "k", "v", &["name"], &["args"])];
    assert_snapshot!(show(text, &ops), @"
    - k: v
      args: [c]
    ");
    assert_snapshot!(show("a:\n  b: 1 # c\nd: 1\n", &[remove("a.b"), add("a", "k", "v", &["b"], &[])]), @"
    a:
      k: v
    d: 1
    ");
}
