//! Rule `unmatched`: targets that match no object.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{changes, config, deployment, run};

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
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", "the output of `helm template`"),
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
    assert_snapshot!(worded(changes("{targets: [{select: {name: api}}]}", &web)), @"warning: hostnet.yaml:1:81: this target matches no object of the input. No workload or package of the input has `name: api`. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]");
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
    assert_snapshot!(reported("{kind: deployment}"), @". No workload or package of the input has `kind: deployment` (did you mean `Deployment`?)");
    assert_snapshot!(reported("{kind: Deploymnet, name: web}"), @". No workload or package of the input has `kind: Deploymnet` (did you mean `Deployment`?)");
    assert_snapshot!(reported("{namespace: certmanager, name: w.b-.*}"), @". No workload or package of the input has `name: w.b-.*` or `namespace: certmanager` (did you mean `cert-manager`?)");
    assert_snapshot!(reported("{group: app, kind: Deployment}"), @". No object of the input has `group: app` (did you mean `apps`?)");
    assert_snapshot!(reported("{labelSelector: app=web2}"), @". No workload or package of the input has `labelSelector: app=web2`");
    assert_snapshot!(reported("{name: web, namespace: cert-manager}"), @". No workload or package of the input has `name: web` and `namespace: cert-manager` at once");
    assert_snapshot!(reported("{calledByApiServer: true, kind: Deployment, name: web}"), @"");
    assert_snapshot!(reported("{kind: DaemonSet}"), @". No workload or package of the input has `kind: DaemonSet`");
}

/// A suggestion of one name of a list would drop the others, and one without a `!` means the opposite.
#[test]
fn lists_and_negations_are_no_misspelled_names() {
    let web = deployment("      - {name: web}\n");
    let reported = |select: &str| {
        let log = changes(&format!("{{targets: [{{select: {select}}}]}}"), &web);
        log.split_once(" of the input has ").unwrap().1.split_once(". Patterns match").unwrap().0.to_owned()
    };
    assert_snapshot!(reported("{kind: 'deployment,StatefulSet'}"), @"`kind: deployment,StatefulSet` (did you mean `Deployment|StatefulSet`? Patterns are regular expressions, with `|` between names)");
    assert_snapshot!(reported("{name: '!web'}"), @"`name: !web` (patterns have no negation: put `name: web` under `exclude`)");
    for (select, meant) in [
        ("namespace: 'shop, web'", "did you mean `shop|web`?"),
        ("name: 'web api'", "did you mean `web|api`?"),
        ("name: 'web;'", "did you mean `web`?"),
        ("name: 'we*,api|x'", "did you mean `we.*|api|x`?"),
        ("name: '!we*'", "put `name: we.*` under `exclude`"),
        ("name: '!web,api'", "put `name: web|api` under `exclude`"),
        ("kind: '!= Deployment'", "put `kind: Deployment` under `exclude`"),
    ] {
        let log = reported(&format!("{{{select}}}"));
        assert!(log.contains(meant), "{select}: {log}");
    }
    // A selector of labels has lists and negations, and a class of characters is no list.
    for select in ["labelSelector: 'app,!web'", "name: 'web[,;]x'", "name: 'w{1,2}x'"] {
        let log = reported(&format!("{{{select}}}"));
        assert!(!log.contains("did you mean") && !log.contains("exclude"), "{select}: {log}");
    }
}

#[test]
fn a_negation_in_exclude_is_reported() {
    let excluded = with_names("{targets: [{select: {kind: Deployment}}], exclude: [{name: '!gate'}]}", &["gate"]);
    assert_snapshot!(worded(excluded), @"warning: hostnet.yaml:1:113: this entry of `exclude` matches no object of the input: `name: !gate` (patterns have no negation: select the other objects by their names) [unmatched]");
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
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: hostnet.yaml:1:106: this entry of `exclude` matches no object of the input: `name: web-a*` (did you mean `web-a.*`? Patterns are regular expressions, where `*` repeats what is before it) [unmatched]
    ");
    let globs = ["namespace: 'sh?p'", "name: 'a|w*i'", "kind: 'Deploy*', name: web"].map(reported);
    assert_snapshot!(brief(globs.join("\n")), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: unmatched (hostnet.yaml:1:106)

    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: unmatched (hostnet.yaml:1:106)

    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: unmatched (hostnet.yaml:1:106)
    ");
    // Regular expressions, and globs that match no object either.
    for select in ["name: 'web-.*'", "name: 'webs?'", "name: 'api-*'", "name: 'a*'"] {
        assert!(!reported(select).contains("[unmatched]"), "{select}");
    }
}

/// Results for Deployments with these names in namespace `shop`.
fn with_names(spec: &str, names: &[&str]) -> String {
    let web = |name: &&str| deployment("      - {name: web}\n").replace("{name: web, n", &format!("{{name: {name}, n"));
    run(spec, &super::stream(names.iter().map(web))).1.join("\n")
}

#[test]
fn a_glob_that_matches_an_object_as_a_regular_expression_is_reported() {
    let all = "targets: [{select: {kind: Deployment}}]";
    let names = ["gate", "gate-2"];
    assert_snapshot!(worded(with_names(&format!("{{{all}, exclude: [{{name: 'gate*'}}]}}"), &names)), @"warning: hostnet.yaml:1:113: this entry of `exclude` does not match Deployment shop/gate-2: `name: gate*` (did you mean `gate.*`? Patterns are regular expressions, where `*` repeats what is before it) [unmatched]");
    assert_snapshot!(worded(with_names("{targets: [{select: {kind: Deployment, name: 'gate*'}}]}", &names)), @"warning: hostnet.yaml:1:81: this select does not match Deployment shop/gate-2: `name: gate*` (did you mean `gate.*`? Patterns are regular expressions, where `*` repeats what is before it) [unmatched]");
    // No object matches, and a Service has the name.
    let service = "---\n{apiVersion: v1, kind: Service, metadata: {name: gate, namespace: shop}}\n";
    let input = deployment("      - {name: web}\n").replace("{name: web, n", "{name: gate-2, n") + service;
    assert_snapshot!(worded(run("{targets: [{select: {kind: Deployment, name: 'gate*'}}]}", &input).1.join("\n")), @"warning: hostnet.yaml:1:81: this target matches no object of the input. No workload or package of the input has `name: gate*` (did you mean `gate.*`? Patterns are regular expressions, where `*` repeats what is before it). Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]");
    let is_silent = |select: &str, names: &[&str]| {
        let excluded = with_names(&format!("{{{all}, exclude: [{{{select}}}], unmatched: Ignore}}"), names);
        let selected = with_names(&format!("{{targets: [{{select: {{{select}}}}}], unmatched: Ignore}}"), names);
        assert!(
            !excluded.contains("[unmatched]") && !selected.contains("[unmatched]"),
            "{select}: {excluded} {selected}"
        );
    };
    is_silent("name: 'gate.*'", &names);
    is_silent("name: 'x0*'", &["x", "x00"]);
    is_silent("name: 'webs?'", &["web", "webs"]);
    is_silent("name: 'gate*', namespace: other", &names);
    is_silent("name: 'gate|gate-2*'", &names);
    is_silent("name: 'gate*', calledByApiServer: true", &names);
}

#[test]
fn an_exclude_that_matches_in_another_reading_is_reported() {
    let names = ["gate", "cart"];
    let reported = |select: &str| {
        let spec = format!("{{targets: [{{select: {{kind: Deployment}}}}], exclude: [{{{select}}}]}}");
        let log = with_names(&spec, &names);
        log.split_once("of the input: ").map(|(_, hint)| hint.to_owned()).unwrap_or(log)
    };
    assert_snapshot!(reported("name: 'gate,cart'"), @"`name: gate,cart` (did you mean `gate|cart`?) [unmatched]");
    assert_snapshot!(reported("name: shop/gate"), @"`name: shop/gate` (did you mean `gate`?) [unmatched]");
    assert_snapshot!(reported("name: shop/Deployment/gate"), @"`name: shop/Deployment/gate` (did you mean `gate`?) [unmatched]");
    assert_snapshot!(reported("name: '^ca'"), @"`name: ^ca` (did you mean `ca.*`?) [unmatched]");
    assert_snapshot!(reported("name: 'te$'"), @"`name: te$` (did you mean `.*te`?) [unmatched]");
    assert_snapshot!(reported("kind: deployment, name: cart"), @"`kind: deployment` (did you mean `Deployment`?) [unmatched]");
    for select in
        ["name: 'other-.*'", "name: 'gate|x,y'", "kind: deployment, name: other", "name: 'other/x'", "name: ^other"]
    {
        assert_eq!(reported(select), "", "{select}");
    }
}

#[test]
fn a_name_or_label_with_a_character_that_kubernetes_refuses_is_an_error() {
    let error = |spec: &str| config(spec).err().unwrap_or_default();
    let select = |selector: &str| {
        let spec = format!("{{targets: [{{select: {{labelSelector: '{selector}'}}}}]}}");
        run_error(&spec)
    };
    assert_snapshot!(select("app=shop-*"), @"
    hostnet.yaml:1:97: `shop-*` is neither the value of a label (at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends) nor a pattern
      |
    1 | {apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {labelSelector: 'app=shop-*'}}]}}
      |                                                                                                 ^
    ");
    assert_snapshot!(run_error("{targets: [{select: {name: web}}], exclude: [{labelSelector: 'app in (a, shop-*)'}]}"), @"
    hostnet.yaml:1:122: `shop-*` is neither the value of a label (at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends) nor a pattern
      |
    1 | dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], exclude: [{labelSelector: 'app in (a, shop-*)'}]}}
      |                                                                                                     ^
    ");
    for selector in ["app=~shop-.*", "app!=shop-*", "app notin (a b)", "app=a b", "app=-a"] {
        assert!(select(selector).contains("is neither the value of a label"), "{selector}");
    }
    for selector in ["app=", "app=${NAME}", "app=A_b.c", "app", "!app"] {
        assert_eq!(select(selector), "", "{selector}");
    }
    let with = |rest: &str| error(&format!("{{targets: [{{select: {{name: web}}}}], {rest}}}"));
    assert_snapshot!(with("assigned: {'shop/Deployment/*/http': 20443}"), @"
    hostnet.yaml:1:133: `shop/Deployment/*/http` must be the name of one workload, and names cannot contain `*`: only `select` and `exclude` take patterns. Write a line for each workload
      |
    1 | 1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], assigned: {'shop/Deployment/*/http': 20443}}}
      |                                                                                                     ^
    ");
    assert_snapshot!(with("shared: [{port: 443, between: [shop/Deployment/a, 'shop/Deployment/shop-*']}]"), @"
    hostnet.yaml:1:146: `shop/Deployment/shop-*` must be the name of one workload, and names cannot contain `*`: only `select` and `exclude` take patterns. Write a line for each workload
      |
    1 | Network, spec: {targets: [{select: {name: web}}], shared: [{port: 443, between: [shop/Deployment/a, 'shop/Deployment/shop-*']}]}}
      |                                                                                                     ^
    ");
    assert_snapshot!(with("nodes: [{labels: {pool: 'a*'}, count: 2}]"), @"
    hostnet.yaml:1:120: `a*` is neither the value of a label (at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends) nor a pattern
      |
    1 | t.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], nodes: [{labels: {pool: 'a*'}, count: 2}]}}
      |                                                                                                     ^
    ");
    assert_snapshot!(with("nodes: [{labels: {'pool*': a}, count: 2}]"), @"
    hostnet.yaml:1:123: `pool*` is not the key of a label, such as `pool` or `example.com/pool`
      |
    1 | ev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], nodes: [{labels: {'pool*': a}, count: 2}]}}
      |                                                                                                     ^
    ");
    assert_eq!(
        with("assigned: {'${NS}/Deployment/web/http': 20443}, nodes: [{labels: {example.com/pool: a}, count: 2}]"),
        ""
    );
}

/// The error of the first step that refuses a spec; empty for a valid spec.
fn run_error(spec: &str) -> String {
    let config = match config(spec) {
        Ok(config) => config,
        Err(error) => return error,
    };
    hostnet::host_network::Targets::compile(&config).err().map(|error| error.to_string()).unwrap_or_default()
}
