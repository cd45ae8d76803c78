//! Rule `duplicate-key`: a mapping has a key twice.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::reported;

#[test]
fn a_key_that_occurs_twice_is_a_warning() {
    assert_snapshot!(brief(reported("duplicate-key", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '1', a: '2'}\n")), @"warning: duplicate-key ConfigMap a (a.yaml:4:16, 4)");
}

/// Two mappings may have the same key.
#[test]
fn keys_of_two_mappings_are_not_reported() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {a: '1'}}\ndata: {a: '1', b: '2'}\n";
    assert_eq!(reported("duplicate-key", map), "");
}

/// The place is the second key, whichever object contains it.
#[test]
fn the_place_is_that_of_the_second_key() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n";
    let map =
        format!("{pod}apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: '1'\n  b: '2'\n  a: '3'\n");
    assert!(
        worded(reported("duplicate-key", &map))
            .starts_with("warning: a.yaml:12:3: ConfigMap a: key `a` is on line 10 and again on line 12")
    );
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  kind: ConfigMap\n  metadata: {name: a}\n";
    assert!(
        worded(reported("duplicate-key", list))
            .starts_with("warning: a.yaml:6:3: ConfigMap a: key `kind` is on line 5")
    );
    let two = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nkind: Pod\napiVersion: v1\nspec: {}\n";
    assert!(
        worded(reported("duplicate-key", two))
            .starts_with("warning: a.yaml:4:1: ConfigMap a: line 4 begins another object")
    );
}

/// The first value that is not empty decides if a document is an object.
#[test]
fn a_key_without_a_value_before_another_one_is_reported() {
    for (empty, full, key) in [
        ("apiVersion:", "apiVersion: v1", "apiVersion"),
        ("apiVersion: ''", "apiVersion: v1", "apiVersion"),
        ("kind: ~", "kind: ConfigMap", "kind"),
    ] {
        let rest = ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: a}"]
            .map(|line| if line == full { empty } else { line });
        let map = format!("{}\n{full}\n", rest.join("\n"));
        let want = format!("warning: a.yaml:4:1: ConfigMap a: key `{key}` is on line ");
        assert!(worded(reported("duplicate-key", &map)).starts_with(&want), "{map}");
    }
    let json =
        "{\"apiVersion\": null, \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}, \"apiVersion\": \"v1\"}\n";
    assert!(worded(reported("duplicate-key", json)).starts_with("warning: a.yaml:1:70: ConfigMap a: key `apiVersion`"));
    // Without another value the document is not an object and is not judged.
    assert_eq!(reported("duplicate-key", "apiVersion:\nkind: ConfigMap\nmetadata: {name: a}\n"), "");
}
