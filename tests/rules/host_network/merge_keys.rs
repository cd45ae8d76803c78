//! Mappings that are read key by key, with keys that come through `<<`: labels, selectors, annotations, data.

use insta::assert_snapshot;

use super::{deployment_named, moved_with, ports, run};
use crate::support::results::brief;

/// Results of a run over a Deployment `web` with these replacements, and more documents.
fn web(spec: &str, replacements: &[(&str, &str)], around: &str) -> String {
    let web = deployment_named("web", 8080, true);
    let text = replacements.iter().fold(web, |text, (from, to)| {
        assert!(text.contains(from), "{from} in {text}");
        text.replacen(from, to, 1)
    });
    let (output, log) = run(spec, &format!("{text}{around}"));
    let moved = if output.contains("hostNetwork: true") { "moved\n" } else { "not moved\n" };
    brief(format!("{moved}{}", log.join("\n")))
}

#[test]
fn labels_and_selectors_are_merged() {
    let service = |selector: &str| {
        let ports = "[{port: 443, targetPort: 8080}]";
        let meta = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop, labels: &l {app: web}}";
        format!("---\n{meta}\nspec: {{selector: {selector}, ports: {ports}}}\n")
    };
    let spec = ports("{http: 20080}");
    let plain = moved_with(&spec, &service("{app: web}"));
    assert!(plain.contains("targetPort: http"), "{plain}");
    for selector in ["{<<: *l}", "{<<: [*l]}", "{<<: {<<: *l}}"] {
        assert_eq!(
            moved_with(&spec, &service(selector)),
            plain.replace("{app: web}, ports", &format!("{selector}, ports"))
        );
    }
    let called = "{targets: [{select: {calledByApiServer: true}, ports: {http: 20080}}]}";
    let labels = [("labels: {app: web}", "labels: {<<: &x {app: web}, tier: x}")];
    let webhook = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration
metadata: {name: hook}\nwebhooks: [{name: a.b.c, clientConfig: {service: {name: web, namespace: shop}}}]\n";
    assert_snapshot!(web(called, &labels, &format!("{}{webhook}", service("{app: web}"))), @"moved");
    let excluded = "{targets: [{select: {kind: Deployment}, ports: auto}], exclude: [{labelSelector: team=a}]}";
    let team = [("namespace: shop}", "namespace: shop, labels: {<<: {team: a}}}")];
    assert_snapshot!(web(excluded, &team, ""), @"not moved");
}

#[test]
fn annotations_and_labels_that_forbid_a_move_are_merged() {
    let spec = ports("{http: 20080}");
    let annotated = |annotations: &str| {
        let to = format!("labels: {{app: web}}\n      annotations: {annotations}");
        web(&spec, &[("labels: {app: web}", &to)], "")
    };
    assert_snapshot!(annotated("{<<: {k8s.v1.cni.cncf.io/networks: x}}"), @r#"
    not moved
    error: pod-forbids Deployment shop/web spec.template.metadata.annotations["k8s.v1.cni.cncf.io/networks"] (8:55, k8s.v1.cni.cncf.io/networks)
    "#);
    assert_snapshot!(annotated("{<<: {linkerd.io/inject: enabled}}"), @r#"
    moved
    warning: mesh Deployment shop/web spec.template.metadata.annotations["linkerd.io/inject"] (8:45)
    "#);
    // The edit of a merged key is refused.
    assert_snapshot!(annotated("{<<: {prometheus.io/port: '8080'}}"), @"
    not moved
    error: document (7, 8, 8080)
      |
    8 |       annotations: {<<: {prometheus.io/port: '8080'}}
      |       ^ [document]
    ");
    let namespace = "---\napiVersion: v1\nkind: Namespace
metadata: {name: shop, labels: {<<: {pod-security.kubernetes.io/enforce: baseline}}}\n";
    assert_snapshot!(web(&spec, &[], namespace), @"
    not moved
    error: pod-security Deployment shop/web spec.template.spec (9:7)
    ");
    let windows = [("      containers:", "      nodeSelector: {<<: {kubernetes.io/os: windows}}\n      containers:")];
    assert_snapshot!(web(&spec, &windows, ""), @"
    not moved
    error: pod-forbids Deployment shop/web spec.template.spec.hostNetwork (9:7, v1.26, v1.32)
    ");
}

#[test]
fn a_merge_in_a_merged_mapping_is_followed() {
    let base =
        "      x-a: &a {nodeName: n1}\n      x-b: &b {<<: *a, dnsPolicy: Default}\n      <<: *b\n      containers:";
    let two = "---\n".to_owned()
        + &deployment_named("api", 8080, true).replace("      containers:", "      nodeName: n1\n      containers:");
    let spec = "{targets: [{select: {kind: Deployment}, ports: keep}]}";
    assert_snapshot!(web(spec, &[("      containers:", base)], &two), @"
    not moved
    error: port-conflict Deployment shop/web spec.template.spec.containers[0].ports[0] (13:50, 8080, 8080/TCP, Deployment shop/api)
    warning: node-port Deployment shop/api spec.template.spec.containers[0].ports[0] (25:50, 8080)
    warning: rollout-surge Deployment shop/api spec.strategy (19:3, 0, 1, 8080/TCP)
    warning: rollout-surge Deployment shop/web spec.strategy (5:3, 0, 1, 8080/TCP)
    ");
}
