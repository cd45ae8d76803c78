//! Replacement of scalars: the style is kept where possible, and only differing bytes change.

use insta::assert_snapshot;

use super::{Path, Value, edit_text, map, seq, set, show, visible};
use crate::Tree;

#[test]
fn quote_styles_are_kept() {
    let text = "a: 8443 # c\nb: \"8443\"\nc: '8443'\nd: --port=8443\ne: text\nf: 'it''s'\ng: \"a\\tb\"\n";
    let ops = [
        set("a", 20443_u16),
        set("b", "20443"),
        set("c", "20443"),
        set("d", "--port=20443"),
        set("e", "other text"),
        set("f", "it's not"),
        set("g", "a\tc"),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    a: 20443 # c
    b: "20443"
    c: '20443'
    d: --port=20443
    e: other text
    f: 'it''s not'
    g: "a\tc"
    "#);
}

#[test]
fn types_decide_about_quotes() {
    let text = "a: 9443\nb: \"9443\"\nc: x\nd: y z\ne: x\nf: x\ng:\nh: ~\ni: null # c\nj: &k\n";
    let ops = [
        set("a", "20443"),
        set("b", 20443_u16),
        set("c", "yes"),
        set("d", "y: z"),
        set("e", true),
        set("f", Value::Null),
        set("g", "text"),
        set("h", "~"),
        set("i", 1_u16),
        set("j", 1_u16),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    a: "20443"
    b: 20443
    c: "yes"
    d: "y: z"
    e: true
    f: null
    g: text
    h: "~"
    i: 1 # c
    j: &k 1
    "#);
}

/// Blank lines between two changed lines keep their bytes, with and without blanks.
#[test]
fn blank_lines_between_changes_of_a_block_keep_their_bytes() {
    let text = "a: |\n  b: 1\n\n  c: 2 \n \n    \n  d: 3\n\n";
    let with = |b: &str, d: &str| format!("b: {b}\n\nc: 2 \n\n  \nd: {d}\n");
    let expected = text.replace("b: 1", "b: 10").replace('3', "30");
    assert_eq!(show(text, &[set("a", with("10", "30").as_str())]), visible(&expected));
    // Added lines without text have no indentation.
    assert_eq!(show("a: |\n  b\n  c\n", &[set("a", "b\n\nx\n\nd\n")]), "a: |\n  b\n\n  x\n\n  d");
    let with_cr = show("a: |\r\n  b\r\n\r\n  c\r\n", &[set("a", "x\n\ny\n")]);
    assert_eq!(with_cr, visible("a: |\r\n  x\r\n\r\n  y\r\n"));
}

#[test]
fn a_range_inside_of_a_block_changes_and_nothing_else() {
    let text = "a: |-  # header\n    exec foo \\\n      --port 8443 \\\n      # not a comment\n      -v\nb: >\n  one two\n  three 8443\n\n  four\nc: 1\n";
    let ops =
        [set("a", "exec foo \\\n  --port 20443 \\\n  # not a comment\n  -v"), set("b", "one two three 20443\nfour\n")];
    assert_snapshot!(show(text, &ops), @r"
    a: |-  # header
        exec foo \
          --port 20443 \
          # not a comment
          -v
    b: >
      one two
      three 20443

      four
    c: 1
    ");
    let ops = [set("a", "exec foo\n--a\n--b\n"), set("b", "one\ntwo\n")];
    assert_snapshot!(show(text, &ops), @"
    a: |  # header
        exec foo
        --a
        --b
    b: >
      one

      two
    c: 1
    ");
    let ops = [set("a", " leading"), set("b", 8443_u16)];
    assert_snapshot!(show(text, &ops), @r#"
    a: " leading"  # header
    b: 8443
    c: 1
    "#);
    assert_snapshot!(show("a: |\n  x\n\n\nb: |+\n  x\n\nc: |1\n   x\n", &[set("a", "y\nz\n"), set("b", "y\n\n"), set("c", "  y\n")]), @"
    a: |
      y
      z


    b: |+
      y

    c: |1
       y
    ");
}

#[test]
fn text_over_several_lines_stays_on_several_lines() {
    let text = "a: \"one\n  two 8443\\\n  \\ three\"\nb: 'one\n\n  two 8443'\nc: one\n  two 8443\n  three\n";
    let ops = [set("a", "one two 20443 three"), set("b", "one\ntwo 20443"), set("c", "one two 20443 three")];
    assert_snapshot!(show(text, &ops), @r#"
    a: "one
      two 20443\
      \ three"
    b: 'one

      two 20443'
    c: one
      two 20443
      three
    "#);
    let ops = [set("a", "x"), set("b", "one\ntwo\nthree"), set("c", "one: two")];
    assert_snapshot!(show(text, &ops), @r#"
    a: "x"
    b: "one\ntwo\nthree"
    c: "one: two"
    "#);
}

#[test]
fn collections_and_scalars_replace_each_other() {
    let list = || seq(&["x", "y"]);
    let text = "a: 1 # c\nb: {x: 1} # c\nc:\n  d: 1 # gone\n  # gone too\ne:\n- f\ng: |\n  text\nh: [\n  1\n]\ni: 1\n";
    let ops = [
        set("a", list()),
        set("b", map(&[("k", "v".into())])),
        set("c", 1_u16),
        set("e", Value::Seq(vec![])),
        set("g", list()),
        set("h", list()),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    a: # c
    - x
    - "y"
    b: # c
      k: v
    c: 1
    e: []
    g:
    - x
    - "y"
    h:
    - x
    - "y"
    i: 1
    "#);
    let ops = [set("c", list()), set("e", map(&[("k", "v".into())])), set("b.x", list())];
    assert_snapshot!(show(text, &ops), @r#"
    a: 1 # c
    b: {x: [x, "y"]} # c
    c:
    - x
    - "y"
    e:
      k: v
    g: |
      text
    h: [
      1
    ]
    i: 1
    "#);
    assert_snapshot!(show("- a: 1\n  b: 2\n- c\n- - d\n", &[set("0", "x"), set("1", map(&[("k", 1_u16.into()), ("l", list())])), set("2", list())]), @r#"
    - x
    - k: 1
      l:
      - x
      - "y"
    - - x
      - "y"
    "#);
    assert_snapshot!(show("a: 1\n", &[set("", list())]), @r#"
    - x
    - "y"
    "#);
    assert_snapshot!(show("a:\n  b: 1\nc: {}\n", &[set("a", map(&[("k", list())])), set("c", map(&[("k", list())]))]), @r#"
    a:
      k:
      - x
      - "y"
    c:
      k:
      - x
      - "y"
    "#);
}

#[test]
fn anchors_and_tags_stay() {
    let text = "a: &x 1\nb: !!str 8443\nc: ! 'y'\nd: &y\n  e: 1\nf: !t 1\n";
    assert_snapshot!(show(text, &[set("a", 2_u16), set("b", "20443"), set("c", "z"), set("d", 1_u16)]), @r#"
    a: &x 2
    b: !!str "20443"
    c: ! 'z'
    d: &y 1
    f: !t 1
    "#);
    assert_snapshot!(show(text, &[set("b", 1_u16)]), @"ERROR: line 2: b cannot be edited: its tag sets the type of its value");
    assert_snapshot!(show(text, &[set("f", "x")]), @"ERROR: line 6: f cannot be edited: its tag sets the type of its value");
}

/// kyaml reads a last line without a line break as it is, regardless of the header of the block scalar.
#[test]
fn an_edited_block_at_the_end_of_a_text_has_the_chomping_of_its_value() {
    let set = |text: &str, value: &str| edit_text(text, 0, &Path::root(), &[self::set("a", value)]).unwrap();
    assert_eq!(set("a: >-\n  b", "c\nd\n"), "a: >\n  c\n\n  d\n");
    assert_eq!(set("a: |-\r\n  b", "c\n"), "a: |\r\n  c\r\n");
    assert_eq!(set("a: |-\n  b", "c"), "a: |-\n  c");
    assert_eq!(set("a: |-\n  b\n", "c\n"), "a: |\n  c\n");
}

#[test]
fn a_substitution_elsewhere_is_not_changed() {
    let text = "a: ${PORT}\nb: ${PORT:=8080}\nc: \"${X}\"\nd: 1\n";
    assert_snapshot!(show(text, &[set("d", 2_u16)]), @r#"
    a: ${PORT}
    b: ${PORT:=8080}
    c: "${X}"
    d: 2
    "#);
}

/// kubectl adds a missing line break at the end of a file, kustomize does not, so only the old header is right for
/// both.
#[test]
fn a_block_at_the_end_of_a_text_without_a_line_break_keeps_its_header() {
    for header in ["|", ">", "|2", "|+"] {
        let text = |number: u16| format!("a: {header}\n  x: 1\n  y: {number}");
        let value = |number: u16| {
            Tree::parse(&text(number)).unwrap().root(0).unwrap().get("a").unwrap().text().unwrap().to_owned()
        };
        let set = [set("a", value(20080))];
        assert_eq!(edit_text(&text(8080), 0, &Path::root(), &set).unwrap(), text(20080));
    }
}
