//! Rule `duplicate-key`: an object that changes must not have a key twice.

use insta::assert_snapshot;

use super::left_out::WEB;
use super::{changes, deployment, ports, run};

#[test]
fn a_key_that_stands_twice_is_an_error_where_something_changes() {
    let twice =
        deployment("      - {name: web}\n").replace("kind: Deployment\n", "kind: Deployment\nkind: Deployment\n");
    assert_snapshot!(changes(&ports("keep"), &twice), @"error: standard input:1:1: Deployment shop/web: key `kind` stands on line 2 and again on line 3; readers differ in which of them counts, and the API server's refuses both. Remove one [duplicate-key]");
    assert_snapshot!(changes("{targets: [{select: {name: api}}], unmatched: Ignore}", &twice), @"warning: standard input:1:1: Deployment shop/web: key `kind` stands on line 2 and again on line 3; readers differ in which of them counts, and the API server's refuses both. Remove one [duplicate-key]");
}

/// The status of an object that changes is refused as the rest of it is.
#[test]
fn an_object_that_changes_has_no_key_twice_in_its_status() {
    let twice = deployment(WEB) + "status:\n  replicas: 1\n  replicas: 2\n";
    let said = run("{targets: [{select: {name: web}, ports: {http: 20080}}]}", &twice).1.join("\n");
    assert!(said.contains("error") && said.contains("key `replicas` stands on line"), "{said}");
}
