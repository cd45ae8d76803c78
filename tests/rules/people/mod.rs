//! The first ten minutes at the terminal: mistakes, screens, the first config, completions and man pages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod colour;
mod counts;
mod first_config;
mod found_config;
mod generated;
mod mistakes;
mod screens;
mod terminal;

/// A Deployment that listens on two ports and says so.
fn deployment(name: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - name: app
        image: example.com/{name}:v1
        args: [--listen=:8443, --metrics-addr=:9090]
        ports:
        - {{name: https, containerPort: 8443}}
        - {{name: metrics, containerPort: 9090}}
"
    )
}

/// What makes the API server call `web`.
const HOOKS: &str = "---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: https}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks: [{name: a.shop, clientConfig: {service: {namespace: shop, name: web}}}]
";

/// A config whose spec is this.
fn config(spec: &str) -> String {
    format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: hooks\nspec:\n{spec}")
}
