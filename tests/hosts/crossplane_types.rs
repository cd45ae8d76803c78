//! Tests of the referee with Crossplane's own types: valid objects pass, invalid ones do not.

// Helper functions may panic like the tests themselves; clippy.toml only excuses functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::support;
use crate::support::crossplane;

use crossplane::{LINES, judged};

const PACKAGES: &str = "# What every line knows.
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: provider-shop}
spec:
  package: example.com/acme/provider-shop:v1.0.0
  runtimeConfigRef: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: of-no-package}
data: {runtimeConfigref: is nothing to it}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: Function
metadata: {name: function-shop}
spec: {package: 'example.com/acme/function-shop:v1.0.0'}
---
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata: {name: shop}
spec: {package: 'example.com/acme/shop:v1.0.0'}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: shop}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          hostNetwork: true
          containers:
          - name: package-runtime
            env:
            - {name: WEBHOOK_PORT, value: '21443'}
            ports:
            - {name: webhook, containerPort: 21443, hostPort: 21443}
            - {name: dns, containerPort: 21443, hostPort: 21443, protocol: UDP}
";
const CONTROLLER_CONFIG: &str = "apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata: {name: shop}
spec:
  args: [--debug]
";
const IMAGE_CONFIG: &str = "apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: {name: shop}
spec:
  matchImages: [{type: Prefix, prefix: example.com/acme}]
";

#[test]
fn valid_packages_are_decoded() {
    for line in LINES {
        let Some(judged) = judged(line, PACKAGES) else { return };
        assert_eq!(judged, Ok(4), "{line}");
    }
    assert_eq!(judged("v2", "").unwrap(), Ok(0));
}

/// Crossplane's types decode every package of the catalog after a move.
#[test]
fn packages_of_the_catalog_are_decoded() {
    for project in ["crossplane-functions", "crossplane-provider-upjet", "crossplane-providers"] {
        let path = support::project().join("tests/corpus/catalog").join(project).join("want.yaml");
        let stream = std::fs::read_to_string(path).unwrap();
        let objects = stream.matches("apiVersion: pkg.crossplane.io/").count();
        assert!(objects > 10, "{project}: {objects}");
        for line in ["v1.20", "v2"] {
            let Some(judged) = judged(line, &stream) else { return };
            assert_eq!(judged, Ok(objects), "{line} {project}");
        }
    }
}

/// True if the referee of a version accepts the object.
fn accepts(line: &str, object: &str) -> Option<bool> {
    Some(judged(line, object)?.map_or_else(|_| false, |count| count == 1))
}

#[test]
fn each_version_accepts_only_its_kinds_and_fields() {
    let runtime = format!("{IMAGE_CONFIG}  runtime: {{configRef: {{name: shop}}}}\n");
    for (line, controller, image, with_runtime) in
        [("v1.14", true, false, false), ("v1.20", true, true, false), ("v2", false, true, true)]
    {
        let Some(accepted) = accepts(line, CONTROLLER_CONFIG) else { return };
        assert_eq!(accepted, controller, "{line} ControllerConfig");
        assert_eq!(accepts(line, IMAGE_CONFIG), Some(image), "{line} ImageConfig");
        assert_eq!(accepts(line, &runtime), Some(with_runtime), "{line} ImageConfig with a runtime");
    }
}

#[test]
fn invalid_objects_are_rejected() {
    let runtime = "document 5: DeploymentRuntimeConfig shop: ";
    let pod = "spec.deploymentTemplate.spec.template.spec";
    for (right, wrong, log) in [
        (
            "runtimeConfigRef",
            "runtimeConfigref",
            "document 1: Provider provider-shop: strict decoding error: unknown field \"spec.runtimeConfigref\""
                .to_owned(),
        ),
        (
            "hostNetwork:",
            "hostNetworks:",
            format!("{runtime}strict decoding error: unknown field \"{pod}.hostNetworks\""),
        ),
        ("hostNetwork: true", "hostNetwork: 'true'", format!("{runtime}json: cannot unmarshal string")),
        (
            "value: '21443'",
            "value: '1', value: '2'",
            format!("{runtime}strict decoding error: yaml: unmarshal errors:\n  line 14: key \"value\" already set"),
        ),
        ("      selector: {}\n", "", format!("{runtime}spec.deploymentTemplate.spec.selector is required")),
        (
            "containers:\n          - name: package-runtime",
            "initContainers:\n          - name: package-runtime",
            format!("{runtime}{pod}.containers is required"),
        ),
        (
            "- name: package-runtime",
            "- name: package-runtime\n          - name: package-runtime",
            format!("{runtime}{pod}.containers and initContainers has package-runtime twice"),
        ),
        (
            "protocol: UDP",
            "protocol: TCP",
            format!("{runtime}{pod}.containers[package-runtime].ports has 21443/TCP twice"),
        ),
        ("name: dns", "name: webhook", format!("{runtime}{pod}.containers[package-runtime].ports has webhook twice")),
        (
            "containerPort: 21443, hostPort: 21443}",
            "hostPort: 21443}",
            format!("{runtime}{pod}.containers[package-runtime].ports[webhook].containerPort is required"),
        ),
        (
            "            ports:",
            "            - {name: WEBHOOK_PORT, value: a}\n            ports:",
            format!("{runtime}{pod}.containers[package-runtime].env has WEBHOOK_PORT twice"),
        ),
        (
            "          containers:",
            "          volumes: [{name: a}, {name: a}]\n          containers:",
            format!("{runtime}{pod}.volumes has a twice"),
        ),
        (
            "kind: Configuration",
            "kind: ConfigurationList",
            "document 4: a ConfigurationList: give its items as a stream".to_owned(),
        ),
        (
            "kind: Configuration",
            "kind: Konfiguration",
            "document 4: Konfiguration shop: no kind \"Konfiguration\" is registered".to_owned(),
        ),
        ("kind: Configuration", "kind: [", "document 4: error converting YAML to JSON".to_owned()),
    ] {
        let stream = PACKAGES.replacen(right, wrong, 1);
        assert_ne!(stream, PACKAGES, "{right}");
        for line in LINES {
            let Some(judged) = judged(line, &stream) else { return };
            let problem = judged.unwrap_err();
            assert!(problem.starts_with(&log), "{line}: {wrong}: {problem}");
        }
    }
}
