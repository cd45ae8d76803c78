//! Removal of entries: text that is removed with an entry, and text that is kept.

use insta::assert_snapshot;

use super::{remove, show};

#[test]
fn lines_are_removed_with_their_comments_and_comments_above_stay() {
    let text = "# above a\na: 1 # at a\n     # more of it\n# above b\nb:\n  c: 1\n  # deeper below b\n\n# above d\nd: |\n  text\n\ne: 1\n";
    assert_snapshot!(show(text, &[remove("a")]), @"
    # above a
    # above b
    b:
      c: 1
      # deeper below b

    # above d
    d: |
      text

    e: 1
    ");
    assert_snapshot!(show(text, &[remove("b")]), @"
    # above a
    a: 1 # at a
         # more of it
    # above b

    # above d
    d: |
      text

    e: 1
    ");
    assert_snapshot!(show(text, &[remove("d")]), @"
    # above a
    a: 1 # at a
         # more of it
    # above b
    b:
      c: 1
      # deeper below b

    # above d

    e: 1
    ");
    assert_snapshot!(show("- a\n# between\n-\n  b: 1\n- - c\n", &[remove("1"), remove("2.0")]), @"
    - a
    # between
    - []
    ");
}

#[test]
fn the_next_key_moves_to_the_dash_of_a_removed_first_key() {
    assert_snapshot!(show("- name: a\n  # about b\n  b: 1\n- c: 1\n\n  d: 2\n", &[remove("0.name"), remove("1.c")]), @"
    - # about b
      b: 1
    - d: 2
    ");
    assert_snapshot!(show("- a:\n    x: 1\n  b: 1\n  c: 1\n", &[remove("0.a"), remove("0.b")]), @"- c: 1");
    assert_snapshot!(show("- - a\n  - b\n", &[remove("0.0")]), @"- - b");
}

#[test]
fn removing_the_last_entry_leaves_an_empty_collection() {
    let text = "a: # of a\n  # above b\n  b: 1\nc:\n- d # at d\ne:\n  - f\n";
    assert_snapshot!(show(text, &[remove("a.b"), remove("c.0"), remove("e.0")]), @"
    a: {} # of a
      # above b
    c: []
    e: []
    ");
    assert_snapshot!(show("- a: 1\n- - b\n", &[remove("0.a"), remove("1.0")]), @"
    - {}
    - []
    ");
    assert_snapshot!(show("a: 1\n", &[remove("a")]), @"{}");
    assert_snapshot!(show("a: &x\n  b: 1\nc: !t\n- d\n", &[remove("a.b"), remove("c.0")]), @"ERROR: line 3: c cannot be edited: its tag sets the type of its value");
}

#[test]
fn last_lines_without_a_line_break_are_removed() {
    assert_snapshot!(show("a: 1\nb: 2\nc: 3", &[remove("b"), remove("c")]), @"a: 1<no line break>");
    assert_snapshot!(show("a: 1\nb:\n- c", &[remove("b.0")]), @"
    a: 1
    b: []<no line break>
    ");
    // The block scalar of a key keeps its line break.
    assert_snapshot!(show("? |+\n b\n\na: 1", &[remove("a")]), @"
    ? |+
     b
    ");
}

/// Blank lines after several removed entries must not become part of the block scalar above them.
#[test]
fn blank_lines_between_removed_entries_do_not_become_text() {
    let gone = [remove("y"), remove("z")];
    for (text, left) in [
        ("a: |+\n  x\ny: 1\n\nz: 2", "a: |+\n  x\n"),
        ("a: |+\n  x\n\ny:\n- 1\n\nz: 2\n\n", "a: |+\n  x\n\n"),
        ("a: |\n  x\ny: 1\n    \nz: 2\nb: 1\n", "a: |\n  x\nb: 1\n"),
        // No blank lines are removed after a block scalar that does not include them.
        ("a: |\n  x\ny: 1\n\nz: 2\nb: 1\n", "a: |\n  x\n\nb: 1\n"),
        ("a: 1\n\ny: 1\n\nz: 2", "a: 1\n\n"),
    ] {
        assert_eq!(super::edit_text(text, 0, &super::Path::root(), &gone).unwrap(), left, "{text:?}");
    }
}
