//! Rule `unmatched`: targets that match no object.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{changes, deployment, run};

fn reported(kind: &str, manifest: &str) -> String {
    run(&format!("{{targets: [{{select: {{kind: {kind}}}}}]}}"), manifest).1.join("\n")
}

#[test]
fn a_kind_without_pods_names_the_remedy() {
    let object =
        |api: &str, kind: &str| format!("{{apiVersion: {api}, kind: {kind}, metadata: {{name: a}}, spec: {{}}}}\n");
    for (api, kind, instead) in [
        ("pkg.crossplane.io/v1alpha1", "ControllerConfig", "select: {group: pkg.crossplane.io, kind: Provider}"),
        ("pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig", "select: {group: pkg.crossplane.io, kind: Provider}"),
        ("v1", "Service", "select the workload that it leads to"),
        ("apiregistration.k8s.io/v1", "APIService", "select: {calledByApiServer: true}"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "select: {calledByApiServer: true}"),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", "`helm template` prints"),
    ] {
        let log = reported(kind, &object(api, kind));
        assert!(log.contains(instead), "{kind}: {log}");
    }
    assert_snapshot!(worded(reported("Service", &object("v1", "Service"))), @"warning: hostnet.yaml:1:81: this target matches no object of the input. Service a runs no pods itself: select the workload that it leads to, such as `select: {kind: Deployment, name: web}`. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]");
    // An unknown kind has no further advice.
    assert!(!reported("Gadget", &object("example.com/v1", "Gadget")).contains("instead"));
}

#[test]
fn the_config_sets_the_severity_of_unmatched_targets() {
    let web = deployment("      - {name: web}\n");
    assert_snapshot!(worded(changes("{targets: [{select: {name: api}}]}", &web)), @"warning: hostnet.yaml:1:81: this target matches no object of the input. No workload or package of it has `name: api`. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]");
    assert_snapshot!(brief(changes("{targets: [{select: {name: api}}], unmatched: Error}", &web)), @"error: unmatched (hostnet.yaml:1:81)");
    assert_snapshot!(changes("{targets: [{select: {name: api}}], unmatched: Ignore}", &web), @"");
}

#[test]
fn fields_without_a_match_are_reported() {
    let web = deployment("      - {name: web}\n");
    let other = web.replace("name: web", "name: api").replace("shop", "cert-manager");
    let input = format!("{web}---\n{other}");
    let reported = |select: &str| {
        let log = changes(&format!("{{targets: [{{select: {select}}}]}}"), &input);
        let (_, why) = log.split_once("no object of the input").unwrap();
        why.split_once(". Patterns").unwrap().0.to_owned()
    };
    assert_snapshot!(reported("{kind: deployment}"), @". No workload or package of it has `kind: deployment` (did you mean `Deployment`?)");
    assert_snapshot!(reported("{kind: Deploymnet, name: web}"), @". No workload or package of it has `kind: Deploymnet` (did you mean `Deployment`?)");
    assert_snapshot!(reported("{namespace: certmanager, name: w.b-.*}"), @". No workload or package of it has `name: w.b-.*` or `namespace: certmanager` (did you mean `cert-manager`?)");
    assert_snapshot!(reported("{group: app, kind: Deployment}"), @". No object of it has `group: app` (did you mean `apps`?)");
    assert_snapshot!(reported("{labelSelector: app=web2}"), @". No workload or package of it has `labelSelector: app=web2`");
    assert_snapshot!(reported("{name: web, namespace: cert-manager}"), @". No workload or package of it has `name: web` and `namespace: cert-manager` at once");
    assert_snapshot!(reported("{calledByApiServer: true, kind: Deployment, name: web}"), @"");
    assert_snapshot!(reported("{kind: DaemonSet}"), @". No workload or package of it has `kind: DaemonSet`");
}

#[test]
fn a_glob_in_exclude_is_reported() {
    let input = format!(
        "{}---\n{}",
        deployment("      - {name: web}\n"),
        deployment("      - {name: web}\n").replace("name: web", "name: web-api")
    );
    let reported =
        |select: &str| changes(&format!("{{targets: [{{select: {{name: web}}}}], exclude: [{{{select}}}]}}"), &input);
    assert_snapshot!(worded(reported("name: 'web-a*'")), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    warning: hostnet.yaml:1:106: this entry of `exclude` matches no object of the input: `name: web-a*` (did you mean `web-a.*`? Patterns are regular expressions, where `*` repeats what is before it) [unmatched]
    ");
    let globs = ["namespace: 'sh?p'", "name: 'a|w*i'", "kind: 'Deploy*', name: web"].map(reported);
    assert_snapshot!(brief(globs.join("\n")), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    warning: unmatched (hostnet.yaml:1:106)

    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    warning: unmatched (hostnet.yaml:1:106)

    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    warning: unmatched (hostnet.yaml:1:106)
    ");
    // Regular expressions, and globs that match no object either.
    for select in ["name: 'web-.*'", "name: 'webs?'", "name: 'api-*'", "name: 'a*'", "labelSelector: 'app=w*'"] {
        assert!(!reported(select).contains("[unmatched]"), "{select}");
    }
}
