//! Rule `unmatched`: selects of a check that match no object.

use super::{PORT, on_host, report, reported_with};
use crate::support::results::{brief, worded};
use hostnet::render::check::text;
use insta::assert_snapshot;

/// A Deployment with an annotation, such as one of kustomize.
fn annotated(key: &str) -> String {
    on_host("web", PORT).replace("metadata: {name: web,", &format!("metadata: {{annotations: {{{key}: a}}, name: web,"))
}

#[test]
fn a_check_that_selects_no_object_of_a_build_is_an_error() {
    let found =
        |name: &str, manifest: &str| reported_with("unmatched", &format!("{{select: [{{name: {name}}}]}}"), manifest);
    let build = annotated("kustomize.config.k8s.io/id");
    let error = found("api", &build);
    assert!(error.starts_with("error: ") && error.contains("selects no object of this build"), "{error}");
    assert_eq!(found("web", &build), "");
    let warning = found("api", &annotated("example.com/id"));
    assert!(warning.starts_with("warning: "), "the input is no build: {warning}");
    assert_eq!(reported_with("unmatched", "{}", &build), "", "the check has no select");
}

#[test]
fn a_glob_in_select_or_exclude_is_reported() {
    let found = |list: &str, name: &str| {
        brief(reported_with("unmatched", &format!("{{{list}: [{{name: '{name}'}}]}}"), &on_host("web", PORT)))
    };
    assert_snapshot!(found("select", "w*b"), @"warning: unmatched (check.yaml:1:76)");
    assert_snapshot!(found("exclude", "w*b"), @"warning: unmatched (check.yaml:1:77)");
    let two = format!("{}---\n{}", on_host("web", PORT), on_host("web-2", PORT));
    let twice = |list: &str, name: &str| reported_with("unmatched", &format!("{{{list}: [{{name: '{name}'}}]}}"), &two);
    assert_snapshot!(brief(twice("select", "web*")), @"warning: unmatched (check.yaml:1:76, Deployment shop/web-2, shop/web-2)");
    assert_snapshot!(brief(twice("exclude", "web*")), @"warning: unmatched (check.yaml:1:77, Deployment shop/web-2, shop/web-2)");
    assert_eq!(twice("exclude", "web.*"), "");
    for name in ["w.*b", "api", "api-*", "web?"] {
        assert_eq!(found("exclude", name), "", "{name}");
    }
    assert_eq!((found("select", "w.*b"), found("select", "web?")), (String::new(), String::new()));
}

/// A gate that checks nothing does not read as clean.
#[test]
fn a_select_that_matches_nothing_is_a_warning() {
    let spec = |select: &str| format!("{{select: [{select}]}}");
    let found = |select: &str| reported_with("unmatched", &spec(select), &on_host("shop-gate", PORT));
    assert_snapshot!(worded(found("{namespace: shpo}, {name: shop-gat}")), @"
    warning: check.yaml:1:76: this entry of `select` matches no object of the input. No object of the input has `namespace: shpo` (did you mean `shop`?)
    warning: check.yaml:1:95: this entry of `select` matches no object of the input. No object of the input has `name: shop-gat` (did you mean `shop-gate`?)
    ");
    assert_eq!(found("{name: other}").lines().count(), 1);
    // An entry of several may be about objects of another input.
    assert_eq!(found("{name: other}, {name: shop-gate}"), "");
    let last = |select: &str| {
        let two = [on_host("web", PORT), on_host("api", PORT).replace("8080", "8081")].concat();
        text(&report(&spec(select), &two)).lines().last().unwrap().to_owned()
    };
    assert!(last("{name: none}").starts_with("2 objects, 0 of 2 workloads selected: "), "{}", last("{name: none}"));
    assert!(last("{name: web}").starts_with("2 objects, 1 of 2 workloads selected: "), "{}", last("{name: web}"));
    assert!(last("{kind: Deployment}").starts_with("2 objects, 2 workloads: "), "{}", last("{kind: Deployment}"));
}
