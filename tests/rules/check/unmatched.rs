//! Rule `unmatched`: selects of a check that match no object of a kustomize build.

use super::{PORT, on_host, reported_with};
use crate::support::results::brief;
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
    assert_eq!(found("api", &annotated("example.com/id")), "", "the input is no build");
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
        assert_eq!((found("select", name), found("exclude", name)), (String::new(), String::new()), "{name}");
    }
}
