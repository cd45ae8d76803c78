//! Kinds of other projects that name ports of pods: kinds in the catalogue, kinds in the config, and unknown kinds.

use super::{changes, config, moved_with, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

/// The changes and warnings for an object, next to a Deployment that moves from 8080 to 20080 and its Service with port
/// 80.
fn moved(object: &str) -> String {
    moved_with(&ports("{http: 20080}"), &format!("---\n{SERVICE}---\n{object}"))
}

const SERVICE: &str = "apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}, annotations: {cloud.google.com/backend-config: '{\"default\": \"web-check\"}'}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
";

fn object(api: &str, kind: &str, name: &str, spec: &str) -> String {
    format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec: {spec}\n")
}

#[test]
fn ports_dialled_by_load_balancers_follow() {
    let binding = |port: &str| {
        let rest = format!("networking: {{ingress: [{{ports: [{{protocol: TCP, port: {port}}}]}}]}}");
        object(
            "elbv2.k8s.aws/v1beta1",
            "TargetGroupBinding",
            "web",
            &format!("{{serviceRef: {{name: web, port: 80}}, {rest}}}"),
        )
    };
    assert_snapshot!(moved(&binding("8080")), @"
    -spec: {serviceRef: {name: web, port: 80}, networking: {ingress: [{ports: [{protocol: TCP, port: 8080}]}]}}
    +spec: {serviceRef: {name: web, port: 80}, networking: {ingress: [{ports: [{protocol: TCP, port: 20080}]}]}}
    ");
    // A name stays, and so does the port of the Service.
    assert_eq!(moved(&binding("http")), "");
    assert_eq!(moved(&binding("8080").replace("name: web, port", "name: api, port")), "");
    let check = object("cloud.google.com/v1", "BackendConfig", "web-check", "{healthCheck: {type: HTTP, port: 8080}}");
    assert_snapshot!(moved(&check), @"
    -spec: {healthCheck: {type: HTTP, port: 8080}}
    +spec: {healthCheck: {type: HTTP, port: 20080}}
    ");
    assert_eq!(moved(&check.replace("web-check", "web-checks")), "");
    let policy = object(
        "networking.gke.io/v1",
        "HealthCheckPolicy",
        "web",
        "{default: {config: {type: HTTP, httpHealthCheck: {portSpecification: USE_FIXED_PORT, port: 8080}}}, targetRef: {group: '', kind: Service, name: web}}",
    );
    assert_snapshot!(moved(&policy), @"
    -spec: {default: {config: {type: HTTP, httpHealthCheck: {portSpecification: USE_FIXED_PORT, port: 8080}}}, targetRef: {group: '', kind: Service, name: web}}
    +spec: {default: {config: {type: HTTP, httpHealthCheck: {portSpecification: USE_FIXED_PORT, port: 20080}}}, targetRef: {group: '', kind: Service, name: web}}
    ");
    assert_eq!(moved(&policy.replace("kind: Service, name: web", "kind: Service, name: api")), "");
}

#[test]
fn scrapes_of_other_operators_follow() {
    let google = "{selector: {matchLabels: {app: web}}, endpoints: [{port: 8080}, {port: http}]}";
    assert_snapshot!(moved(&object("monitoring.googleapis.com/v1", "PodMonitoring", "web", google)), @"
    -spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: 8080}, {port: http}]}
    +spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: 20080}, {port: http}]}
    ");
    let cluster = "{selector: {matchLabels: {app: web}}, endpoints: [{port: 8080}]}";
    assert_snapshot!(moved(&object("monitoring.googleapis.com/v1", "ClusterPodMonitoring", "web", cluster)), @"
    -spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: 8080}]}
    +spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: 20080}]}
    ");
    let azure = "{selector: {matchLabels: {app: web}}, endpoints: [{targetPort: 8080}]}";
    assert_snapshot!(moved(&object("azmonitoring.coreos.com/v1", "ServiceMonitor", "web", azure)), @"
    -spec: {selector: {matchLabels: {app: web}}, endpoints: [{targetPort: 8080}]}
    +spec: {selector: {matchLabels: {app: web}}, endpoints: [{targetPort: 20080}]}
    ");
    let other = "{selector: {matchLabels: {app: api}}, endpoints: [{targetPort: 8080}]}";
    assert_eq!(moved(&object("azmonitoring.coreos.com/v1", "ServiceMonitor", "web", other)), "");
}

#[test]
fn the_ports_of_meshes_follow_or_are_reported() {
    let rules = "rules: [{to: [{operation: {ports: ['8080', '9090'], notPorts: ['8080']}}]}]";
    let policy = |selector: &str| {
        object("security.istio.io/v1", "AuthorizationPolicy", "web", &format!("{{{selector}{rules}}}"))
    };
    assert_snapshot!(moved(&policy("selector: {matchLabels: {app: web}}, ")), @"
    -spec: {selector: {matchLabels: {app: web}}, rules: [{to: [{operation: {ports: ['8080', '9090'], notPorts: ['8080']}}]}]}
    +spec: {selector: {matchLabels: {app: web}}, rules: [{to: [{operation: {ports: ['20080', '9090'], notPorts: ['20080']}}]}]}
    ");
    // Without a selector the policy applies to all pods of the namespace.
    assert_snapshot!(moved(&policy("")), @"
    -spec: {rules: [{to: [{operation: {ports: ['8080', '9090'], notPorts: ['8080']}}]}]}
    +spec: {rules: [{to: [{operation: {ports: ['20080', '9090'], notPorts: ['20080']}}]}]}
    ");
    assert_eq!(moved(&policy("selector: {matchLabels: {app: api}}, ")), "");
    let peer = "{selector: {matchLabels: {app: web}}, portLevelMtls: {8080: {mode: DISABLE}}}";
    assert_snapshot!(worded(moved(&object("security.istio.io/v1", "PeerAuthentication", "web", peer))), @"warning: standard input:20:67: Deployment shop/web, container web, port http (8080): moves to 20080, and the key `8080` is a port of its pods in PeerAuthentication shop/web; if that refers to this port, change it too [port-reference]");
    let sidecar = "{workloadSelector: {labels: {app: web}}, ingress: [{port: {number: 8080, protocol: HTTP, name: http}, defaultEndpoint: '127.0.0.1:8080'}], egress: [{port: {number: 8080, protocol: HTTP, name: x}, hosts: ['*/*']}]}";
    assert_snapshot!(moved(&object("networking.istio.io/v1", "Sidecar", "web", sidecar)), @"
    -spec: {workloadSelector: {labels: {app: web}}, ingress: [{port: {number: 8080, protocol: HTTP, name: http}, defaultEndpoint: '127.0.0.1:8080'}], egress: [{port: {number: 8080, protocol: HTTP, name: x}, hosts: ['*/*']}]}
    +spec: {workloadSelector: {labels: {app: web}}, ingress: [{port: {number: 20080, protocol: HTTP, name: http}, defaultEndpoint: '127.0.0.1:20080'}], egress: [{port: {number: 8080, protocol: HTTP, name: x}, hosts: ['*/*']}]}
    ");
}

#[test]
fn conditions_on_the_destination_port_follow() {
    let policy = |rules: &str| {
        let spec = format!("{{selector: {{matchLabels: {{app: web}}}}, rules: [{rules}]}}");
        moved(&object("security.istio.io/v1", "AuthorizationPolicy", "web", &spec))
    };
    let rule = "{to: [{operation: {ports: ['8080']}}], when: [{key: destination.port, values: ['9090', '8080'], notValues: ['8080']}]}";
    assert_snapshot!(policy(rule), @"
    -spec: {selector: {matchLabels: {app: web}}, rules: [{to: [{operation: {ports: ['8080']}}], when: [{key: destination.port, values: ['9090', '8080'], notValues: ['8080']}]}]}
    +spec: {selector: {matchLabels: {app: web}}, rules: [{to: [{operation: {ports: ['20080']}}], when: [{key: destination.port, values: ['9090', '20080'], notValues: ['20080']}]}]}
    ");
    // Values of other keys are no ports of the workload, also next to a condition on the port.
    let other = "{when: [{key: 'request.headers[x-port]', values: ['8080']}, {key: source.ip, notValues: ['8080']}, {values: ['8080']}]}";
    assert_eq!(policy(other), "");
    let both = "{when: [{key: 'request.headers[x]', values: ['8080']}, {key: destination.port, values: ['8080']}]}";
    assert_snapshot!(policy(&format!("{other}, {both}")), @"
    -spec: {selector: {matchLabels: {app: web}}, rules: [{when: [{key: 'request.headers[x-port]', values: ['8080']}, {key: source.ip, notValues: ['8080']}, {values: ['8080']}]}, {when: [{key: 'request.headers[x]', values: ['8080']}, {key: destination.port, values: ['8080']}]}]}
    +spec: {selector: {matchLabels: {app: web}}, rules: [{when: [{key: 'request.headers[x-port]', values: ['8080']}, {key: source.ip, notValues: ['8080']}, {values: ['8080']}]}, {when: [{key: 'request.headers[x]', values: ['8080']}, {key: destination.port, values: ['20080']}]}]}
    ");
}

#[test]
fn ports_of_a_service_stay_and_its_health_check_follows() {
    let service = |name: &str| {
        let list =
            format!("{{weighted: {{services: [{{name: {name}, port: 8080, healthCheck: {{path: /, port: 8080}}}}]}}}}");
        object("traefik.io/v1alpha1", "TraefikService", "web", &list)
    };
    assert_snapshot!(moved(&service("web")), @"
    -spec: {weighted: {services: [{name: web, port: 8080, healthCheck: {path: /, port: 8080}}]}}
    +spec: {weighted: {services: [{name: web, port: 8080, healthCheck: {path: /, port: 20080}}]}}
    ");
    assert_eq!(moved(&service("api")), "");
    let route = "{parentRefs: [{name: gateway}], rules: [{backendRefs: [{name: web, port: 8080}]}]}";
    assert_eq!(moved(&object("gateway.networking.k8s.io/v1", "HTTPRoute", "web", route)), "");
}

#[test]
fn an_unknown_kind_that_names_the_pods_is_reported() {
    let unknown = |spec: &str| moved(&object("example.com/v1", "Prober", "probe", spec));
    assert_snapshot!(worded(unknown("{targetRef: {kind: Deployment, name: web}, check: {httpPort: 8080}}")), @"warning: standard input:20:68: Deployment shop/web, container web, port http (8080): moves to 20080, and `spec.check.httpPort` is 8080, and these pods are named next to it, in Prober shop/probe; if that refers to this port, change it too [port-reference]");
    assert_snapshot!(brief(unknown("{service: web.shop.svc.cluster.local, ports: [9090, 8080]}")), @"warning: port-reference Prober shop/probe spec.ports[1] (20:59, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(brief(unknown("{podSelector: {matchLabels: {app: web}}, port: {number: 8080}}")), @"warning: port-reference Prober shop/probe spec.port.number (20:63, 20080, 8080, Deployment shop/web)");
    // Other names for a port.
    for port in
        ["targetPortNumber: 8080", "targetPorts: [{number: 8080}]", "ports: {http: 8080}", "portNumbers: ['8080']"]
    {
        let log = unknown(&format!("{{targetRef: {{kind: Deployment, name: web}}, {port}}}"));
        assert_eq!(log.matches("[port-reference]").count(), 1, "{port}: {log}");
    }
    for silent in [
        "{targetRef: {kind: Deployment, name: api}, check: {httpPort: 8080}}",
        "{targetRef: {kind: Deployment, name: web}, check: {httpPort: 8081}}",
        "{targetRef: {kind: Deployment, name: web}, transport: 8080, support: {size: 8080}}",
        "{podSelector: {matchLabels: {app: web, tier: back}}, port: 8080}",
        "{service: web.cellar, port: 8080}",
    ] {
        assert_eq!(unknown(silent), "", "{silent}");
    }
}

/// A number that is a port of the Service named in the same mapping is the Service's port.
#[test]
fn a_port_next_to_the_service_name_is_the_services() {
    let unknown = |spec: &str| moved(&object("example.com/v1", "Route", "route", spec));
    assert_eq!(unknown("{backend: {service: {name: web, port: {number: 80}}}}"), "");
    assert_eq!(unknown("{host: web.shop.svc, levels: [{port: 80}]}"), "");
    assert_snapshot!(brief(unknown("{backend: {service: {name: web, port: {number: 8080}}}}")), @"warning: port-reference Route shop/route spec.backend.service.port.number (20:54, 20080, 8080, Deployment shop/web)");
}

#[test]
fn a_config_may_define_kinds() {
    let own = "references: [{group: example.com, kinds: [Prober], ports: ['spec.checks[].port'], pods: {selector: spec.pods}}]";
    let spec = format!("{{targets: [{{select: {{kind: Deployment, name: web}}, ports: {{http: 20080}}}}], {own}}}");
    let prober = object(
        "example.com/v1",
        "Prober",
        "probe",
        "{pods: {matchLabels: {app: web}}, checks: [{port: 8080}, {port: 1}]}",
    );
    assert_snapshot!(moved_with(&spec, &format!("---\n{prober}")), @"
    -spec: {pods: {matchLabels: {app: web}}, checks: [{port: 8080}, {port: 1}]}
    +spec: {pods: {matchLabels: {app: web}}, checks: [{port: 20080}, {port: 1}]}
    ");
    let wrong = |reference: &str| {
        config(&format!("{{targets: [{{select: {{name: web}}}}], references: [{reference}]}}")).unwrap_err()
    };
    assert_snapshot!(wrong("{group: example.com, kinds: [Prober], ports: [spec.port]}"), @r#"
        hostnet.yaml:1:109: `pods` needs exactly one of `selector`, `labels`, `serviceSelector`, `service`, `target`, `serviceAnnotations` and `all`
          |
        1 | ion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], references: [{group: example.com, kinds: [Prob...
          |                                                                                                     ^
    "#);
    assert_snapshot!(wrong("{group: example.com, kinds: [], servicePorts: ['spec..port']}"), @r#"
        hostnet.yaml:1:109: `kinds` is empty: name at least one; `spec..port` is not a path such as `spec.endpoints[].targetPort`
          |
        1 | ion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], references: [{group: example.com, kinds: [], s...
          |                                                                                                     ^
    "#);
}

/// Annotations of Services follow the rule for annotations of the pod template.
#[test]
fn an_unknown_annotation_of_a_service_with_the_port_stops_the_move() {
    let service = |annotation: &str| {
        let text = format!("{}---\n{}", super::neighbour("web", "web"), SERVICE.replace("labels: {app: web}, ", ""));
        let (start, rest) = text.split_once("annotations: {").unwrap();
        let rest = rest.split_once("'}}").map_or(rest, |(_, rest)| rest);
        changes(&ports("auto"), &format!("{start}annotations: {{{annotation}}}}}{rest}"))
    };
    assert_snapshot!(worded(service("example.com/checked-port: '8080'")), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080, hostPort: 8080}]}
    warning: standard input:14:80: Deployment shop/web, container web, port http (8080): cannot move to 26657: Service shop/web at metadata.annotations["example.com/checked-port"] refers to 8080 and cannot be changed: annotation `example.com/checked-port` names the port, and its format is not known. It keeps 8080. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-reference]
    "#);
    // 80 is a port of the Service itself.
    assert_snapshot!(service("example.com/tls-ports: '80'"), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    ");
}

/// The number of something else in an annotation is no reference.
#[test]
fn annotations_of_other_ports_and_counts_do_not_stop_the_move() {
    let changed = |of_pods: &str, of_object: &str| {
        let text = super::neighbour("web", "web");
        let text =
            text.replace("labels: {app: web}", &format!("labels: {{app: web}}\n      annotations: {{{of_pods}}}"));
        changes(
            &ports("auto"),
            &text.replacen("namespace: shop}", &format!("namespace: shop, annotations: {{{of_object}}}}}"), 1),
        )
    };
    let moves = |of_pods: &str, of_object: &str| changed(of_pods, of_object).contains("hostPort: 26657");
    for other in [
        "config.linkerd.io/skip-outbound-ports: '8080'",
        "traffic.sidecar.istio.io/excludeOutboundPorts: '8080,9090'",
        "git/pr: 'https://github.com/acme/web/pull/8080'",
        "git/issue: 'acme/web#8080'",
        "example.com/link: 'http://other.svc:8080/x'",
        "example.com/link: 'http://api:8080'",
        "example.com/build: '8080'",
        "example.com/max-connections: '8080'",
    ] {
        assert!(moves(other, "") && moves("", other), "{other}: {}", changed(other, ""));
    }
    for own in [
        "example.com/port: '8080'",
        "config.linkerd.io/skip-inbound-ports: '8080'",
        "example.com/build-port: '8080'",
        "example.com/check-address: 'http://0.0.0.0:8080/x'",
        "example.com/listener-port: 'http:8080'",
        "skupper.io/port: '80:8080'",
    ] {
        assert!(!moves(own, "") && !moves("", own), "{own}: {}", changed("", own));
    }
    // Annotations of the object itself count by their names.
    assert!(!moves("example.com/checked: '8080'", "") && moves("", "example.com/checked: '8080'"));
    assert_snapshot!(crate::support::results::brief(changed("", "skupper.io/port: '8080'")), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080, hostPort: 8080}]}
    warning: port-reference Deployment shop/web metadata.annotations["skupper.io/port"] (3:71, 26657, 8080)
    "#);
}

/// Objects of an unknown kind are searched once: large numbers of ports and nested aliases take no longer.
#[test]
fn large_and_hostile_objects_are_read_once() {
    let object = |spec: &str| {
        format!("apiVersion: example.com/v1\nkind: Table\nmetadata: {{name: t, namespace: shop}}\nspec:\n{spec}")
    };
    let many: String = (0..3_000).map(|n| format!("  entry-{n}: {{name: web, port: 8080}}\n")).collect();
    let log = moved(&object(&many));
    assert_eq!(log.lines().count(), 3_000);
    let mut bomb = "  a0: &a0 [{name: web, port: 8080}]\n".to_owned();
    for level in 1..3 {
        let before = level - 1;
        bomb += &format!("  a{level}: &a{level} [*a{before}, *a{before}, *a{before}, *a{before}]\n");
    }
    // A message for each place where an alias puts the value.
    assert_eq!(moved(&object(&bomb)).lines().count(), 1 + 4 + 16);
}

/// A policy for a whole namespace selects many workloads; only those with the number need the entry unchanged.
#[test]
fn a_workload_without_the_number_does_not_hold_a_policy_back() {
    let policy = "---\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: all, namespace: shop}\nspec: {rules: [{to: [{operation: {ports: ['8080']}}]}]}\n";
    let changes_with = |other: &str| moved_with(&ports("{http: 20080}"), &format!("{policy}---\n{other}"));
    assert!(changes_with(&super::deployment_named("api", 9090, true)).contains("ports: ['20080']"));
    let log = changes_with(&super::deployment_named("api", 8080, true));
    assert!(log.contains("Deployment shop/api also uses 8080 there and does not move to 20080"), "{log}");
}
