//! References in health checks of load balancers.

use super::{changes, deployment, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const WEB: &str = "      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n";
const ALB: &str = "alb.ingress.kubernetes.io/healthcheck-port";
const NLB: &str = "service.beta.kubernetes.io/aws-load-balancer-healthcheck-port";
const ALB_TARGET: &str = "alb.ingress.kubernetes.io/target-type";
const NLB_TARGET: &str = "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type";

/// A Service with this name for pods with this label.
fn service(name: &str, app: &str, annotations: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: shop
  annotations: {{{annotations}}}
spec:
  selector: {{app: {app}}}
  ports: [{{name: main, port: 80, targetPort: http}}]
"
    )
}

/// An Ingress with these backends.
fn ingress(annotations: &str, services: &[&str]) -> String {
    let path = |name: &&str| format!("      - backend: {{service: {{name: {name}, port: {{number: 80}}}}}}\n");
    let paths: String = services.iter().map(path).collect();
    format!(
        "---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: all
  namespace: shop
  annotations: {{{annotations}}}
spec:
  rules:
  - http:
      paths:
{paths}"
    )
}

/// The changed lines about annotations and target ports, and the warnings, when `web` moves from 8080 to 20080.
fn moved_on(host: &str, around: &str) -> String {
    let web = deployment(WEB).replace("      containers:", &format!("{host}      containers:"));
    let log = changes(&ports("{http: 20080}"), &format!("{web}{around}"));
    let own = |line: &&str| !["hostNetwork: true", "dnsPolicy", "- {name: web"].iter().any(|part| line.contains(part));
    log.lines().filter(own).map(|line| format!("{line}\n")).collect()
}

fn moved(around: &str) -> String {
    moved_on("", around)
}

#[test]
fn checks_of_a_service_follow() {
    for key in [ALB, NLB] {
        let log = moved(&service("web", "web", &format!("{key}: '8080'")));
        let line = |number: u16| format!("  annotations: {{{key}: '{number}'}}\n");
        assert_eq!(log, format!("-{}+{}", line(8080), line(20080)));
        for other in ["traffic-port", "'8081'", "main", "http"] {
            assert_eq!(moved(&service("web", "web", &format!("{key}: {other}"))), "", "{other}");
        }
        assert_eq!(moved(&service("web", "api", &format!("{key}: '8080'"))), "", "a Service of other pods");
    }
}

#[test]
fn checks_of_an_ingress_follow() {
    assert_snapshot!(moved(&(service("web", "web", "") + &ingress(&format!("{ALB}: '8080'"), &["web"]))), @"
    -  annotations: {alb.ingress.kubernetes.io/healthcheck-port: '8080'}
    +  annotations: {alb.ingress.kubernetes.io/healthcheck-port: '20080'}
    ");
    let not = |ingress: &str| assert_eq!(moved(&(service("web", "web", "") + ingress)), "", "{ingress}");
    not(&ingress(&format!("{ALB}: '8080'"), &["api"]));
    not(&ingress(&format!("{NLB}: '8080'"), &["web"]));
    not(&ingress(&format!("{ALB}: '8081'"), &["web"]));
    not(&ingress(&format!("{ALB}: '8080'"), &["web"]).replace("namespace: shop", "namespace: other"));
    let follows = |ingress: &str| {
        let log = moved(&(service("web", "web", "") + ingress));
        assert!(log.contains(&format!("{ALB}: '20080'")), "{ingress}{log}");
    };
    let plain = ingress(&format!("{ALB}: '8080'"), &["other"]);
    follows(&format!("{plain}  defaultBackend: {{service: {{name: web}}}}\n"));
    follows(&plain.replace("service: {name: other, port: {number: 80}}", "serviceName: web"));
    follows(&format!("{plain}  backend: {{serviceName: web}}\n").replace("networking.k8s.io/v1", "extensions/v1beta1"));
    let action = "alb.ingress.kubernetes.io/actions.other: '{\"serviceName\":\"web\",\"servicePort\":80}'";
    follows(&ingress(&format!("{ALB}: '8080', {action}"), &["other"]));
    not(&ingress(&format!("{ALB}: '8080', {}", action.replace("web", "webs")), &["other"]));
}

#[test]
fn an_annotation_of_a_service_wins_over_its_ingress() {
    let both = service("web", "web", &format!("{ALB}: traffic-port")) + &ingress(&format!("{ALB}: '8080'"), &["web"]);
    assert_eq!(moved(&both), "");
    let both = service("web", "web", &format!("{ALB_TARGET}: ip"))
        + &ingress(&format!("{ALB_TARGET}: instance, {ALB}: '8080'"), &["web"]);
    assert!(moved(&both).contains("20080"));
}

#[test]
fn a_port_of_nodes_is_not_a_port_of_the_pods() {
    let alone = [
        service("web", "web", &format!("{ALB_TARGET}: instance, {ALB}: '8080'")),
        service("web", "web", &format!("{NLB_TARGET}: instance, {NLB}: '8080'")),
        service("web", "web", "") + &ingress(&format!("{ALB_TARGET}: instance, {ALB}: '8080'"), &["web"]),
        service("web", "web", &format!("{ALB_TARGET}: instance")) + &ingress(&format!("{ALB}: '8080'"), &["web"]),
        service("web", "web", &format!("{ALB}: '8080'")) + &ingress(&format!("{ALB_TARGET}: instance"), &["web"]),
    ];
    for around in &alone {
        assert_eq!(moved(around), "", "{around}");
        // On the host network, a port of the node is the port of the pod.
        assert!(moved_on("      hostNetwork: true\n", around).contains("'20080'"), "{around}");
    }
    let two = service("web", "web", &format!("{ALB}: '8080'"))
        + &ingress(&format!("{ALB_TARGET}: instance"), &["web"])
        + &ingress(&format!("{ALB_TARGET}: ip"), &["web"]).replace("name: all", "name: other");
    assert!(moved(&two).contains("20080"));
    // Ingresses without health checks or with other backends decide nothing.
    let silent = alone[4].clone() + &ingress("", &["web"]).replace("name: all", "name: other");
    assert_eq!(moved(&silent), "");
    let elsewhere =
        service("web", "web", &format!("{ALB}: '8080'")) + &ingress(&format!("{ALB_TARGET}: instance"), &["api"]);
    assert!(moved(&elsewhere).contains("20080"));
}

#[test]
fn a_host_port_is_a_number_of_the_node_too() {
    let web = deployment(&WEB.replace("8080}]", "8080, hostPort: 8080}]"));
    let around = service("web", "web", &format!("{ALB_TARGET}: instance, {ALB}: '8080'"));
    assert!(changes(&ports("{http: 20080}"), &format!("{web}{around}")).contains(&format!("{ALB}: '20080'")));
}

#[test]
fn a_check_of_a_service_moves_if_all_its_workloads_do() {
    let other = super::deployment_named("api", 8080, true).replace("app: api", "app: web");
    let around = format!("---\n{other}{}", service("web", "web", &format!("{ALB}: '8080'")));
    assert_snapshot!(worded(moved(&around)), @r#"error: standard input:28:61: Deployment shop/web, container web, port http (8080): cannot move to 20080: Service shop/web at metadata.annotations["alb.ingress.kubernetes.io/healthcheck-port"] refers to 8080 and cannot be changed: Deployment shop/api also uses 8080 there and does not move to 20080; move all of them to one number, or use the port's name, where the field takes one [port-reference]"#);
}

#[test]
fn a_check_of_several_backends_moves_if_all_do() {
    let two = |api: &str| {
        let ingress = ingress(&format!("{ALB}: '8080'"), &["web", "api"]);
        format!(
            "---\n{}{}{}{ingress}",
            super::deployment_named("api", 8080, true),
            service("web", "web", ""),
            service("api", "api", api)
        )
    };
    assert_snapshot!(brief(moved(&two(""))), @r#"error: port-reference Ingress shop/all metadata.annotations["alb.ingress.kubernetes.io/healthcheck-port"] (48:61, 20080, 8080, Deployment shop/api, Deployment shop/web)"#);
    // The annotation of the Service that stays wins over the Ingress.
    assert_snapshot!(moved(&two(&format!("{ALB}: '8080'"))), @"
    -  annotations: {alb.ingress.kubernetes.io/healthcheck-port: '8080'}
    +  annotations: {alb.ingress.kubernetes.io/healthcheck-port: '20080'}
    ");
}

#[test]
fn a_port_that_is_checked_by_its_name_keeps_a_number() {
    let named = |service: String| service.replace("targetPort: http", "targetPort: 8080");
    let check = format!("{ALB}: main");
    assert_snapshot!(moved(&named(service("web", "web", &check))), @"
    -  ports: [{name: main, port: 80, targetPort: 8080}]
    +  ports: [{name: main, port: 80, targetPort: 20080}]
    ");
    assert!(moved(&(named(service("web", "web", "")) + &ingress(&check, &["web"]))).contains("targetPort: 20080"));
    for other in [format!("{ALB}: other"), format!("{check}, {ALB_TARGET}: instance")] {
        assert!(moved(&named(service("web", "web", &other))).contains("targetPort: http"), "{other}");
    }
}

#[test]
fn a_check_that_is_filled_in_later_is_reported() {
    assert_snapshot!(brief(moved(&service("web", "web", &format!("{NLB}: '${{CHECK}}'")))), @r#"warning: port-placeholder Service shop/web metadata.annotations["service.beta.kubernetes.io/aws-load-balancer-healthcheck-port"] (17:80, 20080, 8080, Deployment shop/web)"#);
}

/// Annotations of an Ingress for the ports of the pods: a known one follows, others stop the move.
#[test]
fn annotations_of_an_ingress_for_ports_of_pods() {
    let around = |annotation: &str| format!("{}{}", service("web", "web", ""), ingress(annotation, &["web"]));
    assert_snapshot!(moved(&around("appgw.ingress.kubernetes.io/health-probe-port: '8080'")), @"
    -  annotations: {appgw.ingress.kubernetes.io/health-probe-port: '8080'}
    +  annotations: {appgw.ingress.kubernetes.io/health-probe-port: '20080'}
    ");
    assert_snapshot!(brief(moved(&around("ingress.example.com/backend-port: '8080'"))), @r#"error: port-reference Ingress shop/all metadata.annotations["ingress.example.com/backend-port"] (27:51, 20080, 8080, Deployment shop/web)"#);
    for other in [
        "alb.ingress.kubernetes.io/listen-ports: '[{\"HTTPS\": 8080}]'",
        "appgw.ingress.kubernetes.io/override-frontend-port: '8080'",
        "ingress.example.com/health-timeout: '8080'",
        "ingress.example.com/backend-port: '9090'",
        "ingress.example.com/backend-port: '80'",
    ] {
        assert_eq!(moved(&around(other)), "", "{other}");
    }
    let of_another =
        format!("{}{}", service("web", "web", ""), ingress("ingress.example.com/backend-port: '8080'", &["api"]));
    assert_eq!(moved(&of_another), "");
}
