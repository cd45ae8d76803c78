//! Every kind that names a port of pods outside of their template, with each form of the port: a number, a placeholder,
//! a form that YAML readers parse differently, and a number of two workloads.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hostnet::catalog::PortReference;
use hostnet::model::{Facts, Kinds, Object};
use krm::{Input, Origin};

use super::{neighbour, ports, run};
use crate::support::project;

/// A kind, and an object with `PORT` in place of the port.
const KINDS: &[(&str, &str)] = &[
    ("Service", "v1 Service spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: PORT}]}"),
    (
        "Service, annotation",
        "v1 Service metadata.annotations: {prometheus.io/port: 'PORT'} spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}",
    ),
    (
        "Service, health check",
        "v1 Service metadata.annotations: {alb.ingress.kubernetes.io/healthcheck-port: 'PORT'} spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}",
    ),
    (
        "ServiceMonitor",
        "monitoring.coreos.com/v1 ServiceMonitor spec: {selector: {matchLabels: {svc: web}}, endpoints: [{targetPort: PORT}]}",
    ),
    (
        "PodMonitor",
        "monitoring.coreos.com/v1 PodMonitor spec: {selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{portNumber: PORT}]}",
    ),
    (
        "ServiceMonitor of Azure",
        "azmonitoring.coreos.com/v1 ServiceMonitor spec: {selector: {matchLabels: {svc: web}}, endpoints: [{targetPort: PORT}]}",
    ),
    (
        "PodMonitor of Azure",
        "azmonitoring.coreos.com/v1 PodMonitor spec: {selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{portNumber: PORT}]}",
    ),
    (
        "VMServiceScrape",
        "operator.victoriametrics.com/v1beta1 VMServiceScrape spec: {selector: {matchLabels: {svc: web}}, endpoints: [{targetPort: PORT}]}",
    ),
    (
        "VMPodScrape",
        "operator.victoriametrics.com/v1beta1 VMPodScrape spec: {selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{targetPort: PORT}]}",
    ),
    (
        "PodMonitoring",
        "monitoring.googleapis.com/v1 PodMonitoring spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: PORT}]}",
    ),
    (
        "ClusterPodMonitoring",
        "monitoring.googleapis.com/v1 ClusterPodMonitoring spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: PORT}]}",
    ),
    (
        "PodProbeMarker",
        "apps.kruise.io/v1alpha1 PodProbeMarker spec: {selector: {matchLabels: {app: web}}, probes: [{name: a, containerName: web, probe: {tcpSocket: {port: PORT}}}]}",
    ),
    (
        "NetworkPolicy, ingress",
        "networking.k8s.io/v1 NetworkPolicy spec: {podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: PORT}]}]}",
    ),
    (
        "NetworkPolicy, egress",
        "networking.k8s.io/v1 NetworkPolicy spec: {podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: PORT}]}]}",
    ),
    (
        "CiliumNetworkPolicy",
        "cilium.io/v2 CiliumNetworkPolicy spec: {endpointSelector: {matchLabels: {app: web}}, ingress: [{toPorts: [{ports: [{port: 'PORT', protocol: TCP}]}]}]}",
    ),
    (
        "Calico NetworkPolicy",
        "crd.projectcalico.org/v1 NetworkPolicy spec: {selector: app == 'web', ingress: [{action: Allow, protocol: TCP, destination: {ports: [PORT]}}]}",
    ),
    (
        "TargetGroupBinding",
        "elbv2.k8s.aws/v1beta1 TargetGroupBinding spec: {serviceRef: {name: web, port: 80}, networking: {ingress: [{ports: [{port: PORT}]}]}}",
    ),
    ("BackendConfig", "cloud.google.com/v1 BackendConfig spec: {healthCheck: {port: PORT}}"),
    (
        "HealthCheckPolicy",
        "networking.gke.io/v1 HealthCheckPolicy spec: {targetRef: {kind: Service, name: web}, default: {config: {httpHealthCheck: {port: PORT}}}}",
    ),
    (
        "AuthorizationPolicy",
        "security.istio.io/v1 AuthorizationPolicy spec: {selector: {matchLabels: {app: web}}, rules: [{to: [{operation: {ports: ['PORT']}}]}]}",
    ),
    (
        "PeerAuthentication",
        "security.istio.io/v1 PeerAuthentication spec: {selector: {matchLabels: {app: web}}, portLevelMtls: {PORT: {mode: DISABLE}}}",
    ),
    (
        "Sidecar",
        "networking.istio.io/v1 Sidecar spec: {workloadSelector: {labels: {app: web}}, ingress: [{port: {number: PORT}}]}",
    ),
    (
        "TraefikService",
        "traefik.io/v1alpha1 TraefikService spec: {weighted: {services: [{name: web, port: 80, healthCheck: {port: PORT}}]}}",
    ),
    (
        "IngressRoute",
        "traefik.io/v1alpha1 IngressRoute spec: {routes: [{services: [{name: web, port: 80, healthCheck: {port: PORT}}]}]}",
    ),
    ("EndpointSlice", "discovery.k8s.io/v1 EndpointSlice addressType: IPv4 ports: [{port: PORT}]"),
    (
        "WorkloadSpread",
        "apps.kruise.io/v1alpha1 WorkloadSpread spec: {targetRef: {kind: Deployment, name: web}, subsets: [{patch: {spec: {containers: [{name: web, ports: [{containerPort: PORT}]}]}}}]}",
    ),
    (
        "Ingress",
        "networking.k8s.io/v1 Ingress metadata.annotations: {alb.ingress.kubernetes.io/healthcheck-port: 'PORT', alb.ingress.kubernetes.io/target-type: ip} spec: {rules: [{http: {paths: [{backend: {service: {name: web, port: {name: http}}}}]}}]}",
    ),
    (
        "webhook configuration",
        "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration webhooks: [{name: a.b.c, clientConfig: {url: 'https://10.0.0.1:PORT/x'}}]",
    ),
    ("an unknown kind", "example.com/v1 Prober spec: {targetRef: {kind: Deployment, name: web}, port: PORT}"),
];

/// The forms of a port, with their names in the table.
const FORMS: [(&str, &str); 4] = [("number", "8080"), ("`${X}`", "${X}"), ("`0x1F90`", "0x1F90"), ("shared", "8080")];

/// The Service of the pods, which other objects may name.
const SERVICE: &str = "---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {svc: web}, annotations: {cloud.google.com/backend-config: '{\"default\": \"m\"}'}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
";

fn object(row: &str, port: &str) -> String {
    let mut words = row.splitn(3, ' ');
    let (api, kind, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (annotations, rest) = match rest.strip_prefix("metadata.annotations: ") {
        Some(rest) => {
            let (annotations, rest) = rest.split_once("} ").unwrap();
            (format!(", annotations: {annotations}}}"), rest)
        }
        None => (String::new(), rest),
    };
    let rest = rest.replace(" ports: [{port: PORT}]", "\nports: [{port: PORT}]");
    let rest = if kind == "EndpointSlice" { rest } else { rest.replace("\nports", " ports") };
    let text =
        format!("---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: m, namespace: shop{annotations}}}\n{rest}\n");
    // A flow-style key or value that contains braces is quoted.
    let quoted =
        if port.starts_with('$') && !text.contains("'PORT'") { format!("\"{port}\"") } else { port.to_owned() };
    text.replace("PORT", &quoted)
}

/// The outcome for the object if the Deployment's port moves from 8080 to 20080.
fn outcome(row: &str, form: &str, port: &str) -> &'static str {
    let object = object(row, port);
    let mut objects = format!("{}{SERVICE}{object}", neighbour("web", "web"));
    if form == "shared" {
        // Another workload with the same labels and number, which does not move.
        objects += &format!("---\n{}", neighbour("other", "web"));
    }
    // The config names the number, so a reference that stops the move is an error.
    let (output, log) = run(&ports("{http: 20080}"), &objects);
    let field_moved = output.matches("20080").count() > 3;
    let errors = log.iter().any(|line| line.starts_with("error"));
    let about = |line: &&String| {
        line.contains("port-reference") || line.contains("port-placeholder") || line.contains("service-target")
    };
    let warned = log.iter().filter(about).any(|line| line.starts_with("warning"));
    match (errors, warned, output.contains(" http\n") || output.contains("targetPort: http")) {
        (true, ..) => "refused",
        (_, true, _) => "reported",
        _ if field_moved => "moved",
        _ if !output.contains(&object) => "moved by name",
        _ => "SILENT",
    }
}

#[test]
fn every_kind_and_form_moves_or_is_named() {
    let mut table = String::from("| kind |");
    for (form, _) in FORMS {
        write!(table, " {form} |").unwrap();
    }
    table.push_str("\n|---|---|---|---|---|\n");
    for (name, row) in KINDS {
        write!(table, "| {name} |").unwrap();
        for (form, port) in FORMS {
            write!(table, " {} |", outcome(row, form, port)).unwrap();
        }
        table.push('\n');
    }
    assert!(!table.contains("SILENT"), "{table}");
    insta::assert_snapshot!(table, @"
    | kind | number | `${X}` | `0x1F90` | shared |
    |---|---|---|---|---|
    | Service | moved by name | reported | refused | moved by name |
    | Service, annotation | moved | reported | refused | refused |
    | Service, health check | moved | reported | refused | refused |
    | ServiceMonitor | moved | reported | refused | refused |
    | PodMonitor | moved | reported | refused | refused |
    | ServiceMonitor of Azure | moved | reported | refused | refused |
    | PodMonitor of Azure | moved | reported | refused | refused |
    | VMServiceScrape | moved | reported | refused | refused |
    | VMPodScrape | moved | reported | refused | refused |
    | PodMonitoring | moved | reported | refused | refused |
    | ClusterPodMonitoring | moved | reported | refused | refused |
    | PodProbeMarker | moved | reported | refused | refused |
    | NetworkPolicy, ingress | moved | reported | refused | moved |
    | NetworkPolicy, egress | moved | reported | refused | moved |
    | CiliumNetworkPolicy | reported | reported | refused | reported |
    | Calico NetworkPolicy | reported | reported | refused | reported |
    | TargetGroupBinding | moved | reported | refused | refused |
    | BackendConfig | moved | reported | refused | refused |
    | HealthCheckPolicy | moved | reported | refused | refused |
    | AuthorizationPolicy | moved | reported | refused | refused |
    | PeerAuthentication | reported | reported | reported | reported |
    | Sidecar | moved | reported | refused | refused |
    | TraefikService | moved | reported | refused | refused |
    | IngressRoute | moved | reported | refused | refused |
    | EndpointSlice | reported | reported | reported | reported |
    | WorkloadSpread | reported | reported | reported | reported |
    | Ingress | moved | reported | refused | refused |
    | webhook configuration | reported | reported | reported | reported |
    | an unknown kind | reported | reported | reported | reported |
    ");
}

/// A row of the catalogue that names ports of pods has a line in `KINDS`. Rows that name only ports of Services move
/// nothing.
#[test]
fn every_row_of_the_catalogue_has_a_line() {
    let text = std::fs::read_to_string(project().join("catalog/references.yaml")).unwrap();
    let rows: Vec<PortReference> = serde_yaml::from_str(&text).unwrap();
    let has_line = |row: &PortReference| {
        let is_of = |line: &str| {
            let mut words = line.split(' ');
            let (api, kind) = (words.next().unwrap(), words.next().unwrap());
            api.rsplit_once('/').map_or("", |(group, _)| group) == row.group
                && row.kinds.iter().any(|known| known == kind)
        };
        KINDS.iter().any(|(_, line)| is_of(line))
    };
    let without: Vec<_> = rows.iter().filter(|row| !row.ports.is_empty() && !has_line(row)).collect();
    assert!(without.is_empty(), "rows without a line in KINDS: {without:#?}");
    assert!(rows.len() > 10, "{}", rows.len());
}

/// The place of references in this kind of fact; `None` without references. A new kind of fact does not compile until
/// it has an arm here.
fn source(facts: &Facts) -> Option<&'static str> {
    Some(match facts {
        Facts::Workload(_) => "its own template, and names of its peers",
        Facts::Service(_) => "target ports and annotations",
        Facts::Caller(..) => "URLs",
        Facts::NetworkPolicy(_) => "ports of rules",
        Facts::PortFields(_) => "rows of the catalogue or of the config, or a search",
        Facts::Ingress(_) => "health checks",
        Facts::ConfigMap(_) => "variables and mounted files",
        // Configs of packages become part of a package's template.
        Facts::Package(_) | Facts::RuntimeConfig(_) | Facts::ControllerConfig(_) => "the template of the package",
        Facts::ImageConfig(_)
        | Facts::HelmReleases(_)
        | Facts::TakesTemplateOf(_)
        | Facts::Node(_)
        | Facts::RegisteringRole(_)
        | Facts::RoleBinding(_)
        | Facts::Other => return None,
    })
}

/// `KINDS` contains every kind of fact that names ports of other objects' pods.
#[test]
fn every_kind_of_fact_has_a_row_or_no_references() {
    let mut seen = BTreeSet::new();
    for (name, row) in KINDS {
        let text = object(row, "8080").replacen("---\n", "", 1);
        let input = Input::read(Origin::stdin(), text.into_bytes()).unwrap();
        let objects = input.objects(|_, node| Object::read(node, &Kinds::default(), |_| Some(&[]))).unwrap();
        let found = source(&objects[0].facts);
        assert!(found.is_some(), "{name}: nothing reads it");
        seen.extend(found);
    }
    // References in a pod's own template, in ConfigMaps and in packages have other tests: listeners.rs, config_maps.rs,
    // packages.rs.
    let all = ["target ports and annotations", "URLs", "ports of rules", "health checks"];
    let all = all.into_iter().chain(["rows of the catalogue or of the config, or a search"]);
    assert_eq!(seen, all.collect::<BTreeSet<_>>());
}
