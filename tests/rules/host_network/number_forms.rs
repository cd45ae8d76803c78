//! Ports of Services in number forms that Go parses as integers. Fields of pods in such forms are refused: see
//! `odd.rs`.

use super::changes;

const SPEC: &str = "{targets: [{select: {kind: Deployment, name: web}, ports: {http: 20443}}]}";

fn manifest(service: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{service}]}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers:\n      - name: c\n        args: ['--port=8443']\n        livenessProbe: {{tcpSocket: {{port: 8443}}}}\n        ports: [{{name: http, containerPort: 8443}}]\n"
    )
}

const FORMS: [&str; 8] =
    ["0x20FB", "8_443", "+8443", "020373", "0b10000011111011", "8.443e3", "!!int 8443", "!!int '8443'"];

/// A Service without `targetPort` uses its own number.
#[test]
fn a_service_follows_in_every_form() {
    for form in FORMS {
        let text = changes(SPEC, &manifest(&format!("{{port: {form}}}")));
        let want = format!("+spec: {{selector: {{app: web}}, ports: [{{port: {form}, targetPort: http}}]}}");
        assert!(text.contains(&want), "{form}: {text}");
        // A Service with another number stays.
        let text = changes(SPEC, &manifest("{port: 0x20FC}"));
        assert!(!text.contains("0x20FC, "), "{text}");
    }
}

/// A value with a YAML tag is edited as its type.
#[test]
fn a_tagged_port_moves() {
    let tagged =
        manifest("{port: 443, targetPort: http}").replace("containerPort: 8443", "containerPort: !!int '8443'");
    let text = changes(SPEC, &tagged);
    assert!(text.contains("ports: [{name: http, containerPort: !!int 20443, hostPort: 20443}]"), "{text}");
}
