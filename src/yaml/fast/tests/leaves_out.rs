//! Entries that are left out: the rest of the tree is as ever.

use super::check;
use crate::yaml::fast::compare::RULES;
use crate::yaml::fast::{read, read_without};

#[test]
fn the_rest_of_the_tree_is_as_ever() {
    for text in [
        "apiVersion: v1\ndata:\n  a: b\nkind: A\nmetadata:\n  name: a\n  managedFields:\n  - a: b\n  labels: {a: b}\nstatus: {}\n",
        "- kind: A\n  status:\n    a: [b]\n- status:\n  kind: B\n-\n  status: |\n    a\n  spec: a\n",
        "- - kind: A\n    status: a\n  - status: b\n",
        "kind: A\nstatus:\nmetadata:\n  managedFields:\nspec:\n- status: a\n",
        "status: a\n",
        "<<: {metadata: {name: a}}\nstatus:\n  <<: {phase: b}\nspec:\n  <<:\n    a: b\n",
        "status:\n- a\n- b\nmetadata: {managedFields: a}\n",
    ] {
        assert!(read(text).is_some(), "{text}");
        check(text);
    }
}

/// What is left out is read by the same rules: where it is not such YAML, granit has to say what it is.
#[test]
fn what_is_left_out_is_not_trusted() {
    for text in
        ["status: [a\n", "status: 'a\n", "status:\n  a: b: c\n", "status: &a b\nkind: *a\n", "status: a\n b: c\n"]
    {
        for rule in RULES {
            assert!(read_without(text, Some(rule)).is_none(), "{text}");
        }
    }
}

/// Every shape of line, inside of an entry that is left out and beside it.
#[test]
fn lines_are_walked_as_they_are_read() {
    let lines = [
        "a: b",
        "a:",
        "- a",
        "- a: b",
        "-",
        "- - a",
        "a: 'b'",
        "\"a\": \"b\"",
        "'a' : b",
        "a: {}",
        "a: [ ]",
        "a: [b, c]",
        "a: b # c",
        "a: |",
        "a: >-",
        "# c",
        "",
        "a",
        "'a'",
        "a: b: c",
        "a: - b",
        "a: :b",
        "a: -b",
        "--a: b",
        "---",
        "...",
        "a: \"b\\n\"",
        "a: 'b''c'",
        "a:b",
        "a: b#c",
        "- |",
        "- # c",
        "a: # c",
        "- a:",
        "-  - a: b",
        "a: &b c",
        "a:\tb",
        "? a",
    ];
    let columns = [0, 1, 2, 4];
    let all: Vec<String> =
        lines.iter().flat_map(|line| columns.map(|column| format!("{}{line}\n", " ".repeat(column)))).collect();
    for one in &all {
        for other in &all {
            check(&format!("status:\n{one}{other}kind: A\n"));
        }
    }
    for first in &all {
        for second in &all {
            check(&format!("- status:\n    a: b\n  {first}  {second}"));
        }
    }
}
