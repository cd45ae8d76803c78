//! Rejected edits and their errors.

use insta::assert_snapshot;

use super::{add, append, at, remove, set, show};
use crate::{EditError, Tree, Value, edit};

const SHARED: &str = "a: &port 8443\nb: *port\nc: &list\n- 1\nd: *list\ne: &alone 1\nbase: &base\n  k: v\n  l: w\nf:\n  <<: *base\n  l: own\n";

#[test]
fn a_shared_node_changes_when_every_site_changes_alike() {
    assert_snapshot!(show(SHARED, &[set("a", 1_u16)]), @"ERROR: line 1: a is shared through the anchor &port: change all its aliases in the same way, or write the value out");
    assert_snapshot!(show(SHARED, &[set("b", 1_u16)]), @"ERROR: line 1: b is shared through the anchor &port: change all its aliases in the same way, or write the value out");
    assert_snapshot!(show(SHARED, &[set("a", 1_u16), set("b", 2_u16)]), @"ERROR: line 1: b is shared through the anchor &port: change all its aliases in the same way, or write the value out");
    assert_snapshot!(show(SHARED, &[set("d.0", 2_u16)]), @"ERROR: line 3: d[0] is shared through the anchor &list: change all its aliases in the same way, or write the value out");
    assert_snapshot!(show(SHARED, &[append("c", "x")]), @"ERROR: line 3: c is shared through the anchor &list: change all its aliases in the same way, or write the value out");
    assert_snapshot!(show(SHARED, &[set("base.k", "x")]), @"ERROR: line 7: base.k is shared through the anchor &base: change all its aliases in the same way, or write the value out");
    let ops = [
        set("b", 1_u16),
        set("a", 1_u16),
        append("c", "x"),
        append("d", "x"),
        set("c.0", 5_u16),
        set("d.0", 5_u16),
        set("e", 2_u16),
    ];
    assert_snapshot!(show(SHARED, &ops), @"
    a: &port 1
    b: *port
    c: &list
    - 5
    - x
    d: *list
    e: &alone 2
    base: &base
      k: v
      l: w
    f:
      <<: *base
      l: own
    ");
}

#[test]
fn an_anchor_that_is_needed_is_not_removed() {
    assert_snapshot!(show(SHARED, &[remove("a")]), @"ERROR: line 1: a is shared through the anchor &port: change all its aliases in the same way, or write the value out");
    assert_snapshot!(show(SHARED, &[remove("b"), remove("e")]), @"
    a: &port 8443
    c: &list
    - 1
    d: *list
    base: &base
      k: v
      l: w
    f:
      <<: *base
      l: own
    ");
    assert_snapshot!(show("x:\n  y: &a 1\nz: *a\n", &[set("x", 1_u16)]), @"ERROR: line 2: x is shared through the anchor &a: change all its aliases in the same way, or write the value out");
}

#[test]
fn merged_keys_are_refused_and_own_ones_are_not() {
    assert_snapshot!(show(SHARED, &[set("f.k", "x")]), @"ERROR: line 7: f.k comes through `<<` from the anchor &base: write the key out where it is needed");
    assert_snapshot!(show(SHARED, &[add("f", "k", "x", &[], &[])]), @"ERROR: line 7: f.k comes through `<<` from the anchor &base: write the key out where it is needed");
    assert_snapshot!(show(SHARED, &[set("f.l", "x"), add("f", "m", "x", &[], &[])]), @"
    a: &port 8443
    b: *port
    c: &list
    - 1
    d: *list
    e: &alone 1
    base: &base
      k: v
      l: w
    f:
      <<: *base
      l: x
      m: x
    ");
    let nested = "a: &a {k: v}\nb: &b {<<: *a}\nc:\n  <<: [*b]\nd: {<<: {k: v}}\n";
    assert_snapshot!(show(nested, &[set("c.k", "x")]), @"ERROR: line 1: c.k comes through `<<` from the anchor &a: write the key out where it is needed");
    assert_snapshot!(show(nested, &[set("d.k", "x")]), @"ERROR: line 5: d.k comes through `<<`: write the key out where it is needed");
}

#[test]
fn duplicate_keys_are_refused_with_both_lines() {
    let text = "a: 1\nb:\n  c: 1\n  d: 1\n  c: 2\n";
    assert_snapshot!(show(text, &[set("b.c", 3_u16)]), @"ERROR: lines 3 and 5: b.c occurs twice: remove one");
    assert_snapshot!(show(text, &[set("b.d", 3_u16)]), @"
    a: 1
    b:
      c: 1
      d: 3
      c: 2
    ");
    let tree = Tree::parse(text).unwrap();
    assert_eq!(tree.duplicate_keys(tree.root(0).unwrap()), [("c".to_owned(), [(3, 3), (5, 3)])]);
}

#[test]
fn missing_paths_and_overlapping_edits_are_refused() {
    let text = "a: 1\nb: [1]\nc: {d: 1}\n";
    assert_snapshot!(show(text, &[set("x.y", 1_u16)]), @"ERROR: there is no x");
    assert_snapshot!(show(text, &[set("b.1", 1_u16)]), @"ERROR: there is no b[1]");
    assert_snapshot!(show(text, &[add("a", "k", 1_u16, &[], &[])]), @"ERROR: line 1: a is not a mapping");
    assert_snapshot!(show(text, &[append("c", 1_u16)]), @"ERROR: line 3: c is not a sequence");
    assert_snapshot!(show(text, &[add("c", "d", 1_u16, &[], &[])]), @"ERROR: line 3: c.d already exists");
    assert_snapshot!(show(text, &[set("a", 1_u16), set("a", 2_u16)]), @"ERROR: a is edited twice");
    assert_snapshot!(show(text, &[set("c", 1_u16), set("c.d", 2_u16)]), @"ERROR: c.d is edited twice");
    assert_snapshot!(show(text, &[remove("a"), set("a", 2_u16)]), @"ERROR: a is edited twice");
    assert_snapshot!(show(text, &[remove("c"), add("c", "k", 2_u16, &[], &[])]), @"ERROR: c is edited twice");
    assert_snapshot!(show(text, &[remove("b"), remove("b"), set("a", 2_u16), set("a", 2_u16)]), @"
    a: 2
    c: {d: 1}
    ");
    assert_snapshot!(show(text, &[remove("")]), @"ERROR: line 1: the document cannot be edited: cannot remove the document root");
    assert_snapshot!(show("a: {\n  # c\n}\n", &[add("a", "k", 1_u16, &[], &[])]), @"ERROR: line 1: a cannot be edited: the empty collection contains a comment");
    assert_snapshot!(show("- [a: b]\n", &[add("0.0", "k", 1_u16, &[], &[])]), @"ERROR: line 1: [0][0] cannot be edited: it is a single pair inside of a flow sequence; put it in braces");
    assert_snapshot!(show("- |\n  text", &[append("", "x")]), @"ERROR: line 2: the document cannot be edited: the text ends inside of a block scalar, without a line break: end the last line");
}

#[test]
fn texts_that_go_refuses_cannot_be_edited() {
    assert_snapshot!(show("a: \"x\\/y\"\nb: 1\n", &[set("b", 2_u16)]), @r"ERROR: line 1, column 6: Go's YAML reader knows neither `\/` nor surrogate escapes: write the character itself");
    assert_snapshot!(show("a: 1 # \u{2028}\n", &[set("a", 2_u16)]), @r"ERROR: line 1, column 8: Go's YAML reader reads this character (NEL, LS or PS) as a line break: write it as an escape in double quotes (\N, \L or \P), or remove it");
    assert_snapshot!(show("a: \"one\n---two\"\nb: 1\n", &[set("b", 2_u16)]), @"ERROR: line 2, column 1: a line of a text starts with `---` or `...` here: indent it");
    assert_snapshot!(show("a: \"one\n ---two\"\nb: 1\n", &[set("b", 2_u16)]), @r#"
    a: "one
     ---two"
    b: 2
    "#);
    assert_snapshot!(show("%YAML 1.2\n---\na: 1\n", &[set("a", 2_u16)]), @"ERROR: line 1, column 1: Go's YAML reader refuses directives: remove the line");
}

#[test]
fn errors_name_the_line_of_an_open_quote_or_bracket() {
    let error = |text: &str| Tree::parse(text).unwrap_err().to_string();
    assert_snapshot!(error("a: \"one\nb: 1\nc: \"two\"\n"), @"line 3, column 5: text after the end of a quoted text that starts 2 lines above: close the quote there, or remove this text");
    assert_snapshot!(error("a: \"one\nb: \"two\"\n"), @"line 2, column 5: text after the end of a quoted text that starts on the line above: close the quote there, or remove this text");
    assert_snapshot!(error("a: \"one\nb: 'C:\\dir'\n"), @r"line 1, column 4: a `\` in this quoted text begins an escape, and no such escape exists: close the quote if the text ends on this line, or write `\\`");
    assert_snapshot!(error("a: \"C:\\dir\"\n"), @r"line 1, column 4: a `\` in double quotes begins an escape, and no such escape exists: write `\\`, or use single quotes");
    assert_snapshot!(error("a: [vault.${DOMAIN}:8200]\n"), @"line 1, column 12: a `{` ends a text in brackets; if `${DOMAIN}` is filled in later, put the whole text in quotes");
    assert_snapshot!(error("a: {b: ${DOMAIN}}\n"), @"line 1, column 9: a `{` ends a text in brackets; if `${DOMAIN}` is filled in later, put the whole text in quotes");
    assert_snapshot!(error("a: [b {c}]\n"), @"line 1, column 7: the `[` on this line is not closed: write `,` or `]` before this");
    assert_snapshot!(error("a: [-[b]]\n"), @"line 1, column 5: a `-` directly before a bracket: write `,` between the items, or put the text in quotes");
    assert_snapshot!(error("a: [b,\n  c\n\nd: e\n"), @"line 4, column 2: the `[` 3 lines above is not closed: write `,` or `]` before this");
}

#[test]
fn an_object_in_a_list_is_a_root_like_any_other() {
    let text = "kind: List\nitems:\n- a: &x 1\n- b: *x\n  c: 1\n";
    let tree = Tree::parse(text).unwrap();
    let item = tree.root(0).unwrap().lookup(&at("items.1")).unwrap();
    assert!(edit(item, &[set("c", 2_u16)]).is_ok());
    assert!(matches!(edit(item, &[set("b", 2_u16)]), Err(EditError::Aliased { .. })));
}

/// Go's parser includes following white space in a plain scalar, even tabs at the start of a line; after a quoted
/// scalar it rejects such a tab.
#[test]
fn a_tab_is_accepted_only_after_plain_text() {
    let text = "a:\n  b: c\n     \t\nd: e\n";
    assert_snapshot!(show(text, &[set("a.b", 1_u16)]), @"
    a:
      b: 1
         →
    d: e
    ");
    assert_snapshot!(show(text, &[set("a.b", "true")]), @"ERROR: line 3, column 6: Go's YAML reader would refuse this tab after the edit: remove it");
    assert_snapshot!(show(text, &[set("d", "true")]), @r#"
    a:
      b: c
         →
    d: "true"
    "#);
    assert_snapshot!(show("a\n\t", &[set("", Value::Seq(Vec::new()))]), @"ERROR: line 2, column 1: Go's YAML reader would refuse this tab after the edit: remove it");
    assert_snapshot!(show("a:\n\tb: c\n", &[set("d", "true")]), @"ERROR: line 2, column 1: a tab: YAML is indented with spaces; write spaces in its place");
}

#[test]
fn a_key_of_several_lines_gets_no_value() {
    assert_snapshot!(show("a: {b\n  c}\n", &[set("a.b c", 1_i64)]), @r#"ERROR: line 2: a["b c"] cannot be edited: its key has several lines, which Go's YAML reader accepts only without a value"#);
    // An anchor on the line above belongs to the key.
    assert_snapshot!(show("a: {b: ,\n&c\n\nd}\n", &[set("a.d", "x")]), @"ERROR: line 4: a.d cannot be edited: its key has several lines, which Go's YAML reader accepts only without a value");
    assert_snapshot!(show("a: {b c}\n", &[set("a.b c", 1_i64)]), @"a: {b c: 1}");
}

/// A document marker at the start of a line ends the document if white space follows.
#[test]
fn a_text_with_a_line_that_could_end_the_document() {
    let why = "a line of a text starts with `---` or `...` here: indent it";
    for text in ["[a\n...,\nb]\n", "[a,\n---,\nb]\n", "{a: b\n---}\n"] {
        let ops = [if text.starts_with('[') { remove("1") } else { add("", "c", 1_u16, &[], &[]) }];
        assert!(show(text, &ops).contains(why), "{text}: {}", show(text, &ops));
    }
    assert_snapshot!(show("a: [b\n  ..., c]\n", &[remove("a.1")]), @"
    a: [b
      ...]
    ");
}

/// Go's parser rejects a tab at the start of a line in a flow collection only after a plain scalar.
#[test]
fn a_tab_that_plain_text_would_make_wrong() {
    let text = "a: [{}\n\t\n]\n";
    assert_snapshot!(show(text, &[append("a", 1_u16)]), @"ERROR: line 2, column 1: Go's YAML reader would refuse this tab after the edit: remove it");
    assert_snapshot!(show("a: [\"b\"\n\t\n]\n", &[append("a", "c")]), @r#"
    a: ["b", "c"
    →
    ]
    "#);
}
