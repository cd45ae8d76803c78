//! Rule `unmatched`: targets whose objects get no variables.

use super::run;
use crate::support::results::{brief, worded};

/// A Knative Service contains a pod template, but is not changed.
#[test]
fn a_kind_that_is_never_changed_is_reported() {
    let manifest = "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: kn, namespace: n}\nspec: {template: {spec: {containers: [{image: x}]}}}\n";
    let (output, log) = run("httpsProxy: 'http://p:3128', targets: [{select: {kind: Service}}]", manifest);
    assert_eq!(output, manifest);
    insta::assert_snapshot!(worded(log), @"warning: standard input:1:1: Service n/kn: the target at proxy.yaml:4:56 selects it, and variables cannot be written into objects of its kind. Put them into its manifest by hand [unmatched]");
}

#[test]
fn a_target_that_gets_variables_is_not_reported() {
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: n}\nspec: {template: {spec: {containers: [{name: a, image: x}]}}}\n";
    let (output, log) = run("httpsProxy: 'http://p:3128', targets: [{select: {kind: Deployment}}]", manifest);
    assert!(output.contains("HTTPS_PROXY") && !log.contains("[unmatched]"), "{output}{log}");
}

#[test]
fn a_glob_in_exclude_is_reported() {
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: n-a}\nspec: {template: {spec: {containers: [{name: a, image: x}]}}}\n";
    let reported = |select: &str| {
        let rest = format!("targets: [{{select: {{kind: Deployment}}}}], exclude: [{{{select}}}]");
        run(&format!("httpsProxy: 'http://p:3128', {rest}"), manifest).1
    };
    insta::assert_snapshot!(brief(reported("namespace: 'n*a'")), @"warning: unmatched (proxy.yaml:4:88)");
    assert!(!reported("namespace: 'n-.*'").contains("[unmatched]"));
    let two = format!("{manifest}---\n{}", manifest.replace("name: a, n", "name: a-2, n"));
    let selected = run("httpsProxy: 'http://p:3128', targets: [{select: {name: 'a*'}}]", &two).1;
    insta::assert_snapshot!(brief(selected), @"warning: unmatched (Deployment n-a/a-2, n-a/a-2, proxy.yaml:4:56)");
}
