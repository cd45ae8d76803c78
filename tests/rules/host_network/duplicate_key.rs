//! Rule `duplicate-key`: an object that changes must not have a key twice.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::left_out::WEB;
use super::{changes, deployment, ports, run};

#[test]
fn duplicate_keys_of_changed_objects_are_errors() {
    let twice =
        deployment("      - {name: web}\n").replace("kind: Deployment\n", "kind: Deployment\nkind: Deployment\n");
    assert_snapshot!(worded(changes(&ports("keep"), &twice)), @"error: standard input:3:1: Deployment shop/web: key `kind` is on line 2 and again on line 3; parsers differ in which one they use, and the API server's refuses both. Remove one [duplicate-key]");
    assert_snapshot!(brief(changes("{targets: [{select: {name: api}}], unmatched: Ignore}", &twice)), @"warning: duplicate-key Deployment shop/web (3:1, 2, 3)");
}

/// Duplicate keys in the status of a changed object are refused like those elsewhere.
#[test]
fn duplicate_keys_in_the_status_of_changed_objects_are_errors() {
    let twice = deployment(WEB) + "status:\n  replicas: 1\n  replicas: 2\n";
    let log = run("{targets: [{select: {name: web}, ports: {http: 20080}}]}", &twice).1.join("\n");
    assert!(log.contains("error") && log.contains("key `replicas` is on line"), "{log}");
}

/// Duplicate keys are reported independently of other objects, even if no target matches.
#[test]
fn a_warning_does_not_depend_on_another_object() {
    let objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: v\n  k: w\n---\napiVersion: \
                   rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: b}\nrules: []\nrules: []\n";
    let other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, annotations: {note: not hostNetwork}}\n";
    for config in ["{targets: [{select: {name: nobody}}], unmatched: Ignore}", "{targets: [{select: {name: nobody}}]}"]
    {
        let reported = |input: &str| {
            let log = changes(config, input);
            log.lines().filter(|line| line.ends_with("[duplicate-key]")).map(str::to_owned).collect::<Vec<_>>()
        };
        let alone = reported(objects);
        assert_eq!(alone.len(), 2, "{alone:?}");
        assert_eq!(reported(&format!("{objects}{other}")), alone);
    }
}

#[test]
fn an_object_whose_first_api_version_is_empty_does_not_change() {
    let twice = format!("apiVersion:\n{}", deployment(WEB));
    let log = worded(changes(&ports("{http: 20080}"), &twice));
    assert!(
        log.starts_with(
            "error: standard input:2:1: Deployment shop/web: key `apiVersion` is on line 1 and again on line 2"
        ),
        "{log}"
    );
}
