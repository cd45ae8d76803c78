//! Rule `unused-ignore`: `suppress` and annotations that suppress warnings of a HostNetwork.

use super::{config, deployment_named, infos, run};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const SPEC: &str = "targets: [{select: {kind: Deployment}, ports: auto}]";

/// A workload with a warning of `port-setting`, because its number cannot be set.
fn warned() -> String {
    deployment_named("web", 8000, false)
}

fn left(rest: &str, manifest: &str) -> Vec<String> {
    run(&format!("{{{SPEC}{rest}}}"), manifest).1
}

fn accept(rest: &str) -> String {
    format!(", suppress: [{{rule: port-setting, select: {{name: web}}, reason: ours{rest}}}]")
}

#[test]
fn an_accepted_warning_is_counted_and_not_shown() {
    assert_eq!(left("", &warned()).len(), 1, "{:?}", left("", &warned()));
    assert_eq!(left(&accept(""), &warned()), Vec::<String>::new());
    assert_snapshot!(worded(infos(&format!("{{{SPEC}{}}}", accept("")), &warned(), "unused-ignore")), @"info: not shown, since the config or an annotation accepts it: 1 of `port-setting` [unused-ignore]");
    assert_eq!(left(&accept(", until: 9999-12-31"), &warned()).len(), 0);
    assert_eq!(left(&accept(", ports: [8000]"), &warned()).len(), 0);
    let annotated = warned()
        .replace("metadata: {name: web", "metadata: {annotations: {ignore.hostnet.dev/port-setting: ours}, name: web");
    assert_ne!(annotated, warned());
    assert_eq!(left("", &annotated).len(), 0);
}

#[test]
fn a_suppression_without_a_match_is_reported() {
    assert_snapshot!(brief(left(&accept(", until: 2020-01-31"), &warned()).join("\n")), @r#"
    warning: unused-ignore (hostnet.yaml:1:190)
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000)
    "#);
    assert_snapshot!(brief(left(&accept(", ports: [8001]"), &warned()).join("\n")), @"
    warning: unused-ignore (8000, Deployment shop/web, hostnet.yaml:1:127)
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000)
    ");
    // A config may be used for several renders, so `unmatched` decides about suppressions for objects of other renders.
    let other = accept("").replace("name: web", "name: other");
    assert_eq!(left(&other, &warned()).len(), 2);
    assert_eq!(left(&format!("{other}, unmatched: Ignore"), &warned()).len(), 1);
    let glob = accept("").replace("name: web", "name: 'we*'");
    assert_eq!(left(&format!("{glob}, unmatched: Ignore"), &warned()).len(), 2, "a glob is wrong in every render");
}

#[test]
fn an_error_is_not_accepted() {
    let forbidden = warned().replace("    spec:\n", "    spec:\n      hostUsers: false\n");
    let spec = "{targets: [{select: {name: web}}], suppress: [{rule: pod-forbids, select: {name: web}, reason: ours}]}";
    let log = run(spec, &forbidden).1;
    assert!(log.len() == 1 && log[0].starts_with("error: ") && log[0].contains("[pod-forbids]"), "{log:?}");
}

#[test]
fn the_fields_are_the_same_as_in_a_check() {
    let refused = |rest: &str| config(&format!("{{{SPEC}, {rest}}}")).unwrap_err();
    assert_snapshot!(refused("suppress: [{rule: port-seting, select: {name: web}, reason: ours}]"), @r#"
        hostnet.yaml:1:134: unknown rule `port-seting`: did you mean `port-setting`? `hostnet explain` lists all
          |
        1 | , kind: HostNetwork, spec: {targets: [{select: {kind: Deployment}, ports: auto}], suppress: [{rule: port-seting, select: {name: web},...
          |                                                                                                     ^
    "#);
    assert_snapshot!(refused("suppress: [{rule: port-setting, select: {name: web}}]"), @r#"
        hostnet.yaml:1:127: `reason` is missing: write why this is accepted
          |
        1 | 1alpha1, kind: HostNetwork, spec: {targets: [{select: {kind: Deployment}, ports: auto}], suppress: [{rule: port-setting, select: {nam...
          |                                                                                                     ^
    "#);
    assert_snapshot!(refused("suppress: [{rule: config, select: {name: web}, reason: ours}]"), @"
    hostnet.yaml:1:134: `config` cannot be suppressed: it reports what was not checked
      |
    1 | , kind: HostNetwork, spec: {targets: [{select: {kind: Deployment}, ports: auto}], suppress: [{rule: config, select: {name: web}, reas...
      |                                                                                                     ^
    ");
    assert_snapshot!(refused("nodes: 0"), @r#"
        hostnet.yaml:1:123: expected at least one node; remove `nodes` if the number of nodes is not known
          |
        1 | ev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {kind: Deployment}, ports: auto}], nodes: 0}}
          |                                                                                                     ^
    "#);
    assert_snapshot!(refused("nodes: many"), @r#"
        hostnet.yaml:1:123: `many` is not a number: `nodes` takes a number from 1 to 4294967295, or a list
          |
        1 | ev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {kind: Deployment}, ports: auto}], nodes: many}}
          |                                                                                                     ^
    "#);
    assert_snapshot!(refused("podSecurity: privileged"), @r#"
        hostnet.yaml:1:129: `privileged` is not a value of `podSecurity`: did you mean `Privileged`? It takes `Keep`, `Privileged`
          |
        1 | lpha1, kind: HostNetwork, spec: {targets: [{select: {kind: Deployment}, ports: auto}], podSecurity: privileged}}
          |                                                                                                     ^
    "#);
}
