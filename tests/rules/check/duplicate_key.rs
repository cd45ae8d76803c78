//! Rule `duplicate-key`: a mapping has a key twice.

use insta::assert_snapshot;

use super::said;

#[test]
fn a_key_that_stands_twice_is_a_warning() {
    assert_snapshot!(said("duplicate-key", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '1', a: '2'}\n"), @"warning: a.yaml:1:1: ConfigMap a: key `a` stands on line 4 and again on line 4; readers differ in which of them counts, and the API server's refuses both. Remove one");
}

/// A key of each of two mappings is not a key twice.
#[test]
fn keys_of_two_mappings_are_not_reported() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {a: '1'}}\ndata: {a: '1', b: '2'}\n";
    assert_eq!(said("duplicate-key", map), "");
}
