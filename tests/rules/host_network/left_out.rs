//! Parts of objects that a run reads only on demand: each test needs such a part.

use super::{deployment, run};

pub(super) const WEB: &str = "      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}\n";

const WEBHOOK: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration # the only one
metadata: {name: hook}
webhooks:
- name: a.b.c
  clientConfig: {service: {name: SERVICE, namespace: shop, port: 443}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 8080}]}
---
";

#[test]
fn a_select_by_calls_reads_webhooks_even_without_a_match() {
    for spec in [
        "{targets: [{select: {calledByApiServer: true, namespace: nobody}}], unmatched: Ignore}",
        "{targets: [{select: {name: nobody}}], exclude: [{calledByApiServer: true}], unmatched: Ignore}",
    ] {
        let reported =
            |service: &str| run(spec, &(WEBHOOK.replace("SERVICE", service) + &deployment(WEB))).1.join("\n");
        assert!(reported("gone").contains("call Service shop/gone, which is not in the input"), "{}", reported("gone"));
        assert_eq!(reported("web"), "", "{spec}");
    }
}

#[test]
fn labels_of_negative_selectors_are_read() {
    let thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t, labels: {app: web}}\n";
    for selector in ["app!=web", "!app", "app notin (web)"] {
        let spec = format!(
            "{{targets: [{{select: {{group: example.com, labelSelector: '{selector}'}}}}], unmatched: Ignore}}"
        );
        assert_eq!(run(&spec, thing), (thing.to_owned(), Vec::new()), "{selector}");
    }
}

#[test]
fn merge_keys_are_read() {
    let merged = deployment(WEB).replacen("metadata:", "<<:\n  metadata:", 1);
    assert!(merged.contains("<<:"));
    for unmatched in ["Warn", "Ignore"] {
        let spec = format!("{{targets: [{{select: {{name: web}}, ports: {{http: 20080}}}}], unmatched: {unmatched}}}");
        let (output, log) = run(&spec, &merged);
        assert!(output.contains("--port=20080"), "{output} {log:?}");
    }
}

#[test]
fn a_status_path_in_the_config_is_read() {
    let fleet = deployment(WEB)
        .replace("apps/v1", "example.com/v1")
        .replace("Deployment", "Fleet")
        .replace("spec:\n  template", "status:\n  template");
    assert!(fleet.contains("status:"), "{fleet}");
    let spec = "{targets: [{select: {kind: Fleet}, ports: {http: 20080}}], templates: [{group: example.com, kind: Fleet, path: status.template}]}";
    assert!(run(spec, &fleet).0.contains("--port=20080"), "{:?}", run(spec, &fleet));
}
