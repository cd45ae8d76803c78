//! References in service and pod monitors: numbers move, names stay.

use super::{ALL, changes, deployment, moved_with, neighbour, numbers_twice, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const SERVICE: &str = "---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
";

fn service_monitor(namespace: &str, selector: &str, endpoints: &str) -> String {
    format!(
        "---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {{name: web, namespace: {namespace}}}
spec:
  selector: {selector}
  endpoints:
{endpoints}"
    )
}

fn pod_monitor(rest: &str) -> String {
    format!(
        "---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: web, namespace: shop}}\nspec:\n{rest}"
    )
}

fn moved(around: &str) -> String {
    moved_with(&ports("{http: 20080}"), around)
}

#[test]
fn a_service_monitors_number_follows_and_names_stay() {
    let endpoints = "  - targetPort: 8080 # metrics\n  - port: http\n  - targetPort: http\n  - targetPort: 8081\n  - targetPort: \"8080\"\n";
    let monitor = service_monitor("shop", "{matchLabels: {app: web}}", endpoints);
    assert_snapshot!(moved(&format!("{SERVICE}{monitor}")), @r#"
    -  - targetPort: 8080 # metrics
    +  - targetPort: 20080 # metrics
    -  - targetPort: "8080"
    +  - targetPort: "20080"
    "#);
}

#[test]
fn expressions_and_namespaces_of_a_service_monitor_count() {
    let endpoint = "  - targetPort: 8080\n";
    let expressions =
        "{matchExpressions: [{key: app, operator: In, values: [web, api]}, {key: tier, operator: DoesNotExist}]}";
    assert_snapshot!(moved(&format!("{SERVICE}{}", service_monitor("shop", expressions, endpoint))), @"
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    let any = "{matchLabels: {app: web}}\n  namespaceSelector: {any: true}";
    assert_snapshot!(moved(&format!("{SERVICE}{}", service_monitor("monitoring", any, endpoint))), @"
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    let named = "{}\n  namespaceSelector: {matchNames: [other, shop]}";
    assert_snapshot!(moved(&format!("{SERVICE}{}", service_monitor("monitoring", named, endpoint))), @"
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    let elsewhere = [
        service_monitor("monitoring", "{matchLabels: {app: web}}", endpoint),
        service_monitor("monitoring", "{}\n  namespaceSelector: {matchNames: [other]}", endpoint),
        service_monitor("shop", "{matchLabels: {app: api}}", endpoint),
        service_monitor("shop", "{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}", endpoint),
    ];
    for monitor in elsewhere {
        assert_eq!(moved(&format!("{SERVICE}{monitor}")), "", "{monitor}");
    }
}

#[test]
fn a_pod_monitors_numbers_follow() {
    let monitor = pod_monitor(
        "  selector: {matchLabels: {app: web}}\n  podMetricsEndpoints:\n  - portNumber: 8080\n  - targetPort: 8080\n  - port: http\n",
    );
    assert_snapshot!(moved(&monitor), @"
    -  - portNumber: 8080
    -  - targetPort: 8080
    +  - portNumber: 20080
    +  - targetPort: 20080
    ");
    assert_eq!(moved(&monitor.replace("app: web", "app: api")), "");
    assert_eq!(moved(&monitor.replace("namespace: shop", "namespace: other")), "");
}

#[test]
fn monitors_of_victoria_metrics_are_read_like_others() {
    let of_theirs = |monitor: String| {
        monitor
            .replace("monitoring.coreos.com/v1", "operator.victoriametrics.com/v1beta1")
            .replace("kind: ", "kind: VM")
    };
    let scrape = |monitor: String| of_theirs(monitor).replace("Monitor\n", "Scrape\n");
    let service =
        scrape(service_monitor("shop", "{matchLabels: {app: web}}", "  - targetPort: 8080\n  - port: http\n"));
    assert_snapshot!(moved(&format!("{SERVICE}{service}")), @"
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    let pods =
        "  selector: {matchLabels: {app: web}}\n  podMetricsEndpoints:\n  - portNumber: 8080\n  - targetPort: 8080\n";
    assert_snapshot!(moved(&scrape(pod_monitor(pods))), @"
    -  - portNumber: 8080
    -  - targetPort: 8080
    +  - portNumber: 20080
    +  - targetPort: 20080
    ");
}

#[test]
fn a_monitor_of_several_workloads_needs_one_new_number() {
    let other = format!("---\n{}", neighbour("api", "web"));
    let around = format!("{other}{}", pod_monitor("  selector: {}\n  podMetricsEndpoints: [{portNumber: 8080}]\n"));
    assert_snapshot!(brief(moved(&around)), @"error: port-reference PodMonitor shop/web spec.podMetricsEndpoints[0].portNumber (28:38, 20080, 8080, Deployment shop/api, Deployment shop/web)");
    let both = "{targets: [{select: {kind: Deployment, name: web}, ports: {http: 20080}}, {select: {kind: Deployment, name: api}, ports: {http: 20080}}], shared: [{port: 20080, between: [shop/Deployment/web, shop/Deployment/api]}]}";
    assert_snapshot!(moved_with(both, &around), @"
    -  podMetricsEndpoints: [{portNumber: 8080}]
    +  podMetricsEndpoints: [{portNumber: 20080}]
    ");
    let apart = both.replacen("20080", "20081", 1);
    assert!(moved_with(&apart, &around).contains("error"));
    // A workload that does not declare the number is not scraped on it.
    let undeclared = around.replacen("containerPort: 8080", "containerPort: 9000", 1);
    assert_snapshot!(moved(&undeclared), @"
    -  podMetricsEndpoints: [{portNumber: 8080}]
    +  podMetricsEndpoints: [{portNumber: 20080}]
    ");
    let services = format!("{other}{SERVICE}{}", service_monitor("shop", "{}", "  - targetPort: 8080\n"));
    assert_snapshot!(brief(moved(&services)), @"error: port-reference ServiceMonitor shop/web spec.endpoints[0].targetPort (34:17, 20080, 8080, Deployment shop/api, Deployment shop/web)");
}

#[test]
fn a_service_monitor_selects_pods_by_its_services() {
    let other = format!("---\n{}{}", neighbour("api", "api"), SERVICE.replace("web", "api"));
    let monitor = service_monitor("shop", "{matchLabels: {app: web}}", "  - targetPort: 8080\n");
    assert_snapshot!(moved(&format!("{other}{SERVICE}{monitor}")), @"
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    // A workload with the number as another protocol is not scraped.
    let dns = neighbour("api", "web").replace("containerPort: 8080", "containerPort: 8080, protocol: UDP");
    let pods = pod_monitor("  selector: {}\n  podMetricsEndpoints: [{portNumber: 8080}]\n");
    assert_snapshot!(moved(&format!("---\n{dns}{pods}")), @"
    -  podMetricsEndpoints: [{portNumber: 8080}]
    +  podMetricsEndpoints: [{portNumber: 20080}]
    ");
}

/// Two workloads with undeclared ports would each move the number of the monitor.
#[test]
fn a_monitor_of_undeclared_ports_keeps_all_its_workloads() {
    let undeclared = |name: &str, number: u16| {
        deployment(&format!("      - {{name: web, args: [--metrics-bind-address=:{number}]}}\n"))
            .replace("name: web, namespace", &format!("name: {name}, namespace"))
    };
    let pods = pod_monitor("  selector: {}\n  podMetricsEndpoints: [{portNumber: 8080}]\n");
    let both = format!("{}---\n{}{pods}", undeclared("web", 8080), undeclared("api", 8080));
    let log = worded(numbers_twice(ALL, &both));
    assert!(log.starts_with("shop/Deployment/api/metrics 8080\nshop/Deployment/web/metrics 8080\n"), "{log}");
    for (one, other) in [("web", "api"), ("api", "web")] {
        let kept = format!(
            "warning: standard input:28:38: Deployment shop/{one}, container web, port metrics (8080): cannot move to "
        );
        let line = log.lines().find(|line| line.starts_with(&kept)).unwrap();
        assert!(line.contains(&format!("Deployment shop/{other} also uses 8080 there")), "{line}");
        assert!(line.ends_with("It keeps 8080. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-reference]"), "{line}");
    }
    assert!(!log.contains("error"), "{log}");
    // If both move to one number, the monitor follows.
    let alike = "{targets: [{select: {name: web}, ports: {metrics: 20080}}, {select: {name: api}, ports: {metrics: 20080}}], shared: [{port: 20080, between: [shop/Deployment/web, shop/Deployment/api]}]}";
    assert!(changes(alike, &both).contains("+  podMetricsEndpoints: [{portNumber: 20080}]"));
    // A workload on another number is not scraped.
    let apart = format!("{}---\n{}{pods}", undeclared("web", 8080), undeclared("api", 9090));
    assert!(changes(&ports("{metrics: 20080}"), &apart).contains("+  podMetricsEndpoints: [{portNumber: 20080}]"));
}

/// Relabelings that pick a port by its number stop the move.
#[test]
fn relabelings_with_the_number_stop_the_move() {
    let monitor = |rule: &str| {
        pod_monitor(&format!(
            "  selector: {{matchLabels: {{app: web}}}}\n  podMetricsEndpoints: [{{path: /m, relabelings: [{rule}]}}]\n"
        ))
    };
    let regex = "{sourceLabels: [__meta_kubernetes_pod_container_port_number], regex: '8080', action: keep}";
    assert_snapshot!(worded(moved(&monitor(regex))), @"error: standard input:17:119: Deployment shop/web, container web, port http (8080): cannot move to 20080: PodMonitor shop/web at spec.podMetricsEndpoints[0].relabelings[0].regex refers to 8080 and cannot be changed: `regex` picks the port by its number; pick it by its name, with `__meta_kubernetes_pod_container_port_name` [port-reference]");
    let replacement = "{sourceLabels: [__meta_kubernetes_pod_ip], replacement: '$1:8080', targetLabel: __address__}";
    assert_snapshot!(brief(moved(&monitor(replacement))), @"error: port-reference PodMonitor shop/web spec.podMetricsEndpoints[0].relabelings[0].replacement (17:106, 20080, 8080, Deployment shop/web)");
    let service = service_monitor(
        "shop",
        "{matchLabels: {app: web}}",
        &format!("  - {{port: http, relabelings: [{}]}}\n", regex.replace("'8080'", "9090|8080")),
    );
    assert_snapshot!(brief(moved(&format!("{SERVICE}{service}"))), @"error: port-reference ServiceMonitor shop/web spec.endpoints[0].relabelings[0].regex (23:101, 20080, 8080, Deployment shop/web)");
    let scrape = |rules: &str| {
        format!(
            "---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: web, namespace: mon}}\nspec:\n  kubernetesSDConfigs: [{{role: Pod, namespaces: {{names: [shop]}}}}]\n  relabelings: [{rules}]\n"
        )
    };
    let of =
        |app: &str| format!("{{sourceLabels: [__meta_kubernetes_pod_label_app], regex: {app}, action: keep}}, {regex}");
    assert_snapshot!(brief(moved(&scrape(&of("web")))), @"error: port-reference ScrapeConfig mon/web spec.relabelings[1].regex (17:163, 20080, 8080, Deployment shop/web)");
    assert_eq!(brief(moved(&scrape(&of("api")))), "");
    // The pods are not known.
    assert_snapshot!(worded(moved(&scrape(regex))), @"warning: standard input:17:86: Deployment shop/web, container web, port http (8080): moves to 20080, and `regex` of a relabeling picks port 8080 of the pods that it finds in ScrapeConfig mon/web; if that refers to this port, change it too [port-reference]");
    for other in [
        regex.replace("8080", "9090"),
        regex.replace("_container_port_number", "_label_build"),
        replacement.replace("__address__", "instance"),
        replacement.replace("$1:8080", "web-8080"),
    ] {
        assert_eq!(moved(&monitor(&other)), "", "{other}");
    }
}
