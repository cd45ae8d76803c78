//! Manifests that many tests share.

/// A Deployment in namespace `shop` whose pods have the label `app` with its name; `containers` is the YAML list of
/// containers.
pub(crate) fn deployment(name: &str, containers: &str) -> String {
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
{containers}"
    )
}

/// A Deployment that declares two ports: 9090 for metrics, and the given one.
pub(crate) fn two_ports(name: &str, port: &str, number: u16) -> String {
    let container = format!(
        "      - name: app
        image: example.com/{name}:v1
        args: [--listen=:{number}, --metrics-addr=:9090]
        ports:
        - {{name: {port}, containerPort: {number}}}
        - {{name: metrics, containerPort: 9090}}
"
    );
    deployment(name, &container)
}

/// A Service and a webhook configuration: the API server calls port `https` of `web`.
pub(crate) const HOOKS: &str = "apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: https}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks: [{name: a.shop, clientConfig: {service: {namespace: shop, name: web}}}]
";

/// A Deployment `web` with one port, without a selector: short, for tests that are not about manifests.
pub(crate) const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        args: [--listen=:8080]
        ports: [{name: http, containerPort: 8080}]
";

/// A config that moves port `http` of `web` to 20080.
pub(crate) const MOVES_WEB: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec:
  targets:
  - select: {name: web}
    ports: {http: 20080}
";

/// A headless Service that selects `web`.
pub(crate) const HEADLESS: &str = "apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 8080}]}
";
