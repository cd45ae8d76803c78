//! The pods of Crossplane packages are in the namespace of Crossplane's core; objects of other namespaces do not apply
//! to them.

use super::changes;

const PROVIDER: &str = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: s3}\nspec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0'}\n";
const SPEC: &str = "{targets: [{select: {group: pkg.crossplane.io, kind: Provider}, ports: {webhook: 20443, metrics: 20080, health: 20081}}]}";

fn core(namespace: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: {namespace}}}\nspec: {{selector: {{matchLabels: {{app: c}}}}, template: {{metadata: {{labels: {{app: c}}}}, spec: {{containers: [{{name: crossplane, image: 'quay.io/crossplane/crossplane:v2.0.2', args: [core, start]}}]}}}}}}\n"
    )
}

/// Objects of kinds that select all pods of their namespace, or the pods of a package by its label.
fn selecting_objects(namespace: &str, selector: &str) -> Vec<String> {
    let meta = |kind: &str| format!("kind: {kind}\nmetadata: {{name: x, namespace: {namespace}}}\n");
    let labels = format!("{{matchLabels: {{{selector}}}}}");
    let mut all = vec![
        format!(
            "apiVersion: monitoring.coreos.com/v1\n{}spec: {{selector: {labels}, podMetricsEndpoints: [{{portNumber: 8080}}]}}\n",
            meta("PodMonitor")
        ),
        format!(
            "apiVersion: networking.k8s.io/v1\n{}spec: {{podSelector: {labels}, ingress: [{{ports: [{{port: 8080}}]}}]}}\n",
            meta("NetworkPolicy")
        ),
        format!(
            "apiVersion: networking.k8s.io/v1\n{}spec: {{podSelector: {{}}, policyTypes: [Egress], egress: [{{to: [{{podSelector: {labels}}}], ports: [{{port: 8080}}]}}]}}\n",
            meta("NetworkPolicy")
        ),
        format!(
            "apiVersion: security.istio.io/v1\n{}spec: {{selector: {labels}, rules: [{{to: [{{operation: {{ports: ['8080']}}}}]}}]}}\n",
            meta("AuthorizationPolicy")
        ),
    ];
    if !selector.is_empty() {
        all.push(format!(
            "apiVersion: v1\n{}spec: {{selector: {{{selector}}}, ports: [{{port: 8080}}]}}\n",
            meta("Service")
        ));
    }
    all
}

const LABEL: &str = "pkg.crossplane.io/provider: s3";

fn is_changed(core_in: Option<&str>, object: &str) -> bool {
    let documents: Vec<String> =
        [Some(PROVIDER.to_owned()), core_in.map(core), Some(object.to_owned())].into_iter().flatten().collect();
    let text = changes(SPEC, &documents.join("---\n"));
    let line = object.lines().last().unwrap();
    text.contains(&format!("-{line}"))
}

#[test]
fn objects_of_another_namespace_stay() {
    for object in selecting_objects("shop", "").iter().chain(&selecting_objects("shop", LABEL)) {
        assert!(!is_changed(Some("core"), object), "{object}");
    }
    for object in selecting_objects("shop", "") {
        assert!(!is_changed(None, &object), "{object}");
    }
}

#[test]
fn objects_of_the_namespace_of_the_core_follow() {
    for object in selecting_objects("core", "").iter().chain(&selecting_objects("core", LABEL)) {
        assert!(is_changed(Some("core"), object), "{object}");
    }
    for object in
        selecting_objects("crossplane-system", "").iter().chain(&selecting_objects("crossplane-system", LABEL))
    {
        assert!(is_changed(None, object), "{object}");
    }
    // Without the core in the input its namespace is unknown; a label of a package shows it.
    for object in selecting_objects("elsewhere", LABEL) {
        let is_egress = object.contains("Egress");
        assert_eq!(is_changed(None, &object), !is_egress, "{object}");
    }
}
