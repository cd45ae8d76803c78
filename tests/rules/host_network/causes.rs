//! Each cause has a single result, and local objects do not count.

use super::{changes, config, deployment, infos, ports, stream};
use crate::support::results::worded;
use insta::assert_snapshot;

fn lines<'t>(text: &'t str, part: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.contains(part)).collect()
}

#[test]
fn a_kept_number_has_one_warning() {
    let web = deployment("      - {name: web, ports: [{name: http, containerPort: 8080}]}\n");
    let log = changes(&ports("auto"), &web);
    assert_eq!(lines(&log, "warning").len(), 1, "{log}");
    assert!(
        log.contains("neither the manifest nor the catalogue shows the setting of its number")
            && log.contains("have 8080 taken"),
        "{log}"
    );
    // An error about a port that the config names explicitly contains the reason.
    let log = changes(&ports("{http: auto}"), &web);
    assert_eq!(
        lines(&log, ": ").iter().filter(|line| line.starts_with("error") || line.starts_with("warning")).count(),
        1,
        "{log}"
    );
    assert!(!log.contains("write `auto`"), "{log}");
}

#[test]
fn all_policies_of_a_pod_are_one_result() {
    let policy = |name: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{podSelector: {{matchLabels: {{app: web}}}}, policyTypes: [Ingress]}}\n"
        )
    };
    let web = deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n");
    let log = changes(&ports("auto"), &stream([web, policy("one"), policy("two")]));
    let policies = lines(&log, "[network-policy]");
    assert_eq!(policies.len(), 1, "{log}");
    assert!(policies[0].contains("NetworkPolicy shop/one, NetworkPolicy shop/two select"), "{log}");
}

#[test]
fn another_host_port_leaves_the_workload_unchanged_under_auto() {
    let web = deployment(
        "      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080, hostPort: 80}]}\n",
    );
    let log = changes(&ports("auto"), &web);
    assert!(
        log.starts_with("warning") && log.contains("The workload is not changed") && log.lines().count() == 1,
        "{log}"
    );
    assert!(changes(&ports("keep"), &web).starts_with("error"));
    assert!(changes(&ports("{http: 80}"), &web).contains("containerPort: 80"));
}

#[test]
fn a_target_after_a_broader_one_is_a_warning() {
    let web = deployment("      - {name: web}\n");
    let api = web.replacen("name: web", "name: api", 1);
    let both = stream([web, api]);
    let broad = "{targets: [{select: {kind: Deployment}}, {select: {name: web}}]}";
    let log = changes(broad, &both);
    let unmatched = lines(&log, "[unmatched]");
    assert_eq!(unmatched.len(), 1, "{log}");
    assert!(unmatched[0].starts_with("warning") && unmatched[0].contains("Move this target before it"), "{log}");
    assert!(!changes(&broad.replace("{targets", "{unmatched: Ignore, targets"), &both).is_empty());
    // A broad target after narrow ones is intended.
    let narrow = "{targets: [{select: {name: web}}, {select: {name: api}}, {select: {kind: Deployment}}]}";
    assert!(lines(&changes(narrow, &both), "[unmatched]").is_empty());
    assert_snapshot!(worded(infos(narrow, &both, "unmatched")), @"info: hostnet.yaml:1:127: earlier targets match all objects that this target matches; the first of these targets is at hostnet.yaml:1:81 [unmatched]");
    // Objects under `exclude` were not taken by an earlier target.
    let excluded = "{targets: [{select: {kind: Deployment}}, {select: {name: web}}], exclude: [{name: web}]}";
    assert!(lines(&changes(excluded, &both), "[unmatched]").is_empty());
}

#[test]
fn a_number_that_an_earlier_target_or_exclude_drops_is_a_warning() {
    let web = deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n");
    let number = "{select: {name: web}, ports: {http: 20081}}";
    let log = |spec: &str| lines(&changes(&format!("{{{spec}}}"), &web), "[unmatched]").join("\n");
    assert_snapshot!(worded(log(&format!("targets: [{{select: {{kind: Deployment}}, ports: auto}}, {number}]"))), @"warning: hostnet.yaml:1:124: `http: 20081` has no effect: all objects that this target matches are also matched by the target at hostnet.yaml:1:81, which comes first, and the first match decides. Move this target before it [unmatched]");
    assert_snapshot!(worded(log(&format!("targets: [{number}], exclude: [{{name: web}}]"))), @"warning: hostnet.yaml:1:81: `http: 20081` has no effect: all objects that this target matches are excluded by the entry at hostnet.yaml:1:128. Remove the target or the entry [unmatched]");
    for earlier in
        ["{select: {namespace: shop}, ports: {http: 20080}}", "{select: {name: web}}", "{select: {name: w.*}}"]
    {
        assert!(log(&format!("targets: [{earlier}, {number}]")).contains("`http: 20081` has no effect"), "{earlier}");
    }
    // An exception of a broad target, and targets without a number.
    for intended in [
        "targets: [{select: {name: web}, ports: {http: 20080}}, {select: {name: .*}, ports: {http: 20081}}]".to_owned(),
        "targets: [{select: {kind: Deployment}, ports: {http: 20081}}], exclude: [{name: web}]".to_owned(),
        "targets: [{select: {kind: Deployment}, ports: auto}, {select: {name: web}, ports: {http: auto}}]".to_owned(),
        "targets: [{select: {name: web}, ports: auto}], exclude: [{name: web}]".to_owned(),
    ] {
        assert_eq!(log(&intended), "", "{intended}");
    }
}

#[test]
fn a_local_object_has_no_pods() {
    let local = |text: &str| {
        text.replacen("namespace: shop", "namespace: shop, annotations: {config.kubernetes.io/local-config: 'true'}", 1)
    };
    let web = deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}\n";
    let log = changes(&ports("{http: 20080}"), &stream([web.clone(), local(service)]));
    assert!(!log.contains("targetPort"), "{log}");
    // A pod of a local Deployment with the number would otherwise keep the Service from moving.
    let other = local(&web.replacen("name: web", "name: old", 1).replace("name: http", "name: old"));
    let log = changes(&ports("{http: 20080}"), &stream([web.clone(), service.to_owned(), other.clone()]));
    assert!(log.contains("targetPort: http") && !log.contains("error"), "{log}");
    let on_host =
        other.replace("      containers:", "      hostNetwork: true\n      containers:").replace("8080", "20080");
    assert!(!changes(&ports("{http: 20080}"), &stream([web, on_host])).contains("port-conflict"));
}

#[test]
fn a_kind_may_have_its_template_at_several_paths() {
    let spec = "{targets: [{select: {kind: Fleet}}], templates: [{group: example.com, kind: Fleet, path: spec.a}, {group: example.com, kind: Fleet, path: spec.b}]}";
    for path in ["a", "b"] {
        let fleet = format!(
            "apiVersion: example.com/v1\nkind: Fleet\nmetadata: {{name: web}}\nspec: {{{path}: {{spec: {{containers: [{{name: web, image: web}}]}}}}}}\n"
        );
        assert!(changes(spec, &fleet).contains("hostNetwork: true"), "{path}");
    }
}

#[test]
fn keys_that_no_listener_can_have_are_refused_with_the_form() {
    let error =
        |key: &str| config(&format!("{{targets: [{{select: {{name: web}}}}], assigned: {{{key}: 20080}}}}")).err();
    for key in [
        "web",
        "shop/web/http",
        "shop/Deployment/web",
        "shop/deployment/web/http",
        "a/b/c/Deployment/web/http",
        "shop//web/http",
    ] {
        assert!(error(key).is_some_and(|error| error.contains("expected NAMESPACE/KIND/NAME/PORT")), "{key}");
    }
    for key in [
        "Deployment/web/http",
        "shop/Deployment/web/http",
        "shop/apps.kruise.io/CloneSet/web/http",
        "pkg.crossplane.io/Provider/s3/webhook",
    ] {
        assert_eq!(error(key), None, "{key}");
    }
}
