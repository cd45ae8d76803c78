//! Rule `unmatched`: selects of a check that match no object of a kustomize build.

use super::{PORT, on_host, reported_with};

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
