//! Rule `service-target`: target ports of Services change, never the ports of the Services.

use super::{changes, deployment, ports, results_of, run};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const WEB: &str = "      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n";

fn service(rest: &str) -> String {
    format!("---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec:\n{rest}")
}

fn moved(web: &str, rest: &str) -> String {
    let log = changes(&ports("{8080: 20080}"), &format!("{}{}", deployment(web), service(rest)));
    log.lines()
        .filter(|line| !line.contains("host") && !line.contains("dnsPolicy"))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn a_number_becomes_the_ports_name() {
    assert_snapshot!(moved(WEB, "  selector: {app: web}\n  ports:\n  - port: 80\n    targetPort: 8080\n"), @"
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    -    targetPort: 8080
    +    targetPort: http
    ");
}

#[test]
fn an_absent_target_port_is_added() {
    assert_snapshot!(moved(WEB, "  selector: {app: web}\n  ports:\n  - port: 8080 # clients\n    protocol: TCP\n"), @"
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +    targetPort: http
    ");
}

#[test]
fn names_and_other_ports_stay() {
    let rest = "  selector: {app: web}\n  ports: [{port: 80, targetPort: http}, {port: 81, targetPort: 8081}, {port: 8082, targetPort: 8082, protocol: UDP}]\n";
    assert_snapshot!(moved(WEB, rest), @"-      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}");
}

#[test]
fn without_a_name_the_target_is_the_new_number() {
    let unnamed = WEB.replace("name: http, ", "");
    assert_snapshot!(moved(&unnamed, "  selector: {app: web}\n  ports: [{port: 80, targetPort: 8080}]\n"), @"
    -      - {name: web, args: [--listen=:8080], ports: [{containerPort: 8080}]}
    -  ports: [{port: 80, targetPort: 8080}]
    +  ports: [{port: 80, targetPort: 20080}]
    ");
    let twice = format!("{WEB}      - {{name: other, ports: [{{name: http, containerPort: 9000}}]}}\n");
    assert_snapshot!(moved(&twice, "  selector: {app: web}\n  ports: [{port: 80, targetPort: 8080}]\n"), @"
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    -      - {name: other, ports: [{name: http, containerPort: 9000}]}
    -  ports: [{port: 80, targetPort: 8080}]
    +  ports: [{port: 80, targetPort: 20080}]
    ");
}

#[test]
fn services_of_other_pods_stay() {
    for rest in [
        "  selector: {app: api}\n  ports: [{port: 8080}]\n",
        "  ports: [{port: 8080}]\n",
        "  type: ExternalName\n  selector: {app: web}\n  ports: [{port: 8080}]\n",
    ] {
        let log = moved(WEB, rest);
        assert!(!log.contains("targetPort"), "{rest}{log}");
    }
}

#[test]
fn a_headless_service_is_a_warning() {
    assert_snapshot!(worded(moved(WEB, "  clusterIP: None\n  selector: {app: web}\n  ports: [{port: 8080}]\n")), @"
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    -  ports: [{port: 8080}]
    +  ports: [{port: 8080, targetPort: http}]
    warning: standard input:18:11: Deployment shop/web, container web, port http (8080): Service shop/web is headless: its clients dial 8080 directly; configure them to use 20080 [service-target]
    ");
}

/// Only the first ten headless Services have a message of their own about one listener.
#[test]
fn many_headless_services_share_a_warning() {
    let services = (0..18).map(|number| {
        let rest = "  clusterIP: None\n  selector: {app: web}\n  ports: [{port: 8080, targetPort: 8080}]\n";
        format!(
            "---\n{}",
            service(rest).trim_start_matches("---\n").replace("name: web", &format!("name: web-{number:02}"))
        )
    });
    let manifest = format!("{}{}", deployment(WEB), services.collect::<String>());
    let changed = changes(&ports("{http: 20080}"), &manifest);
    assert_eq!(changed.matches("+  ports: [{port: 8080, targetPort: http}]").count(), 18, "{changed}");
    let warnings: Vec<_> = changed.lines().filter(|line| line.contains("headless")).collect();
    assert_eq!(warnings.len(), 11, "{changed}");
    assert_snapshot!(worded(warnings[10]), @"warning: standard input:98:11: Deployment shop/web, container web, port http (8080): Service shop/web-10, Service shop/web-11, Service shop/web-12, Service shop/web-13, Service shop/web-14 and 3 more are headless: their clients dial 8080 directly; configure them to use 20080 [service-target]");
}

#[test]
fn templates_of_one_service_move_to_one_number_or_have_the_name() {
    let other = |name: &str, port: &str| {
        format!(
            "---\n{}",
            deployment(&WEB.replace("name: http", port)).replace("name: web, ", &format!("name: {name}, "))
        )
    };
    let rest = "  selector: {app: web}\n  ports: [{port: 80, targetPort: 8080}]\n";
    let with = |second: &str| {
        let manifest = format!("{}{}{second}", deployment(WEB), service(rest));
        changes(&ports("{http: 20080}"), &manifest)
            .lines()
            .filter(|l| l.contains("targetPort") || l.contains("error"))
            .map(|l| format!("{l}\n"))
            .collect::<String>()
    };
    assert_snapshot!(with(&other("api", "name: http")), @"
    -  ports: [{port: 80, targetPort: 8080}]
    +  ports: [{port: 80, targetPort: http}]
    ");
    assert_snapshot!(worded(with(&other("api", "name: web"))), @"error: standard input:17:11: Deployment shop/web, container web, port http (8080): cannot move to 20080: Service shop/web targets Deployment shop/web, Deployment shop/api by the number 8080, and not all of them move to 20080. Only a port name can resolve to different numbers: give the port the same name in each of them, as in `{name: http, containerPort: 8080}` [service-target]");
}

#[test]
fn annotations_of_a_service_follow() {
    let manifest =
        format!("{}{}", deployment(WEB), service("  selector: {app: web}\n  ports: [{port: 80, targetPort: http}]\n"))
            .replace(
                "kind: Service\nmetadata: {name: web, namespace: shop}",
                "kind: Service\nmetadata:\n  name: web\n  namespace: shop\n  annotations: {prometheus.io/port: '8080'}",
            );
    assert_snapshot!(changes(&ports("{http: 20080}"), &manifest), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:20080], ports: [{name: http, containerPort: 20080, hostPort: 20080}]}
    -  annotations: {prometheus.io/port: '8080'}
    +  annotations: {prometheus.io/port: '20080'}
    ");
}

#[test]
fn an_annotation_of_a_service_applies_to_all_its_templates() {
    let service = service("  selector: {app: web}\n  ports: [{port: 80, targetPort: http}]\n").replace(
        "metadata: {name: web, namespace: shop}",
        "metadata: {name: web, namespace: shop, annotations: {prometheus.io/port: '8080'}}",
    );
    let around = format!("---\n{}{service}", super::neighbour("api", "web"));
    assert_snapshot!(brief(super::moved_with(&ports("{http: 20080}"), &around)), @r#"error: port-reference Service shop/web metadata.annotations["prometheus.io/port"] (25:74, 20080, 8080, Deployment shop/api, Deployment shop/web)"#);
}

/// The lines about target ports, and errors, for a Service and Deployments with these names and labels. Only `web`
/// names its port `http`.
fn service_changes(selector: &str, deployments: &[(&str, &str)]) -> String {
    let objects = deployments.iter().map(|(name, labels)| {
        let port = if *name == "web" { "http" } else { "port" };
        let named = deployment(&WEB.replace("name: http", &format!("name: {port}")));
        let named = named.replace("name: web, namespace", &format!("name: {name}, namespace"));
        named.replace("{app: web}", labels)
    });
    let rest = format!("  selector: {selector}\n  ports: [{{port: 80, targetPort: 8080}}]\n");
    let log = changes(&ports("{http: 20080}"), &(super::stream(objects) + &service(&rest)));
    log.lines().filter(|line| line.contains("targetPort") || line.contains("error")).map(|l| format!("{l}\n")).collect()
}

#[test]
fn a_service_leads_to_pods_with_all_labels_of_its_selector() {
    let labels = "{app: web, tier: front}";
    assert_snapshot!(service_changes("{app: web}", &[("web", labels)]), @"
    -  ports: [{port: 80, targetPort: 8080}]
    +  ports: [{port: 80, targetPort: http}]
    ");
    assert_snapshot!(service_changes("{app: web, tier: back}", &[("web", labels)]), @"");
    // Pods with only one of the labels do not match the Service and need not have the port's name.
    let others = [("other", "{app: web, tier: back}"), ("third", "{app: api, tier: front}")];
    assert_snapshot!(service_changes(labels, &[("web", labels), others[0], others[1]]), @"
    -  ports: [{port: 80, targetPort: 8080}]
    +  ports: [{port: 80, targetPort: http}]
    ");
}

#[test]
fn an_empty_target_port_is_the_services_own() {
    for target in ["", "0", "''", "~"] {
        let log =
            moved(WEB, &format!("  selector: {{app: web}}\n  ports:\n  - port: 8080\n    targetPort: {target}\n"));
        assert!(log.replace('\'', "").contains("+    targetPort: http"), "{target}: {log}");
    }
}

#[test]
fn a_target_becomes_the_name_of_a_newly_declared_port() {
    let undeclared = "      - {name: web, args: [--listen=:8080]}\n";
    let log = moved(undeclared, "  selector: {app: web}\n  ports: [{port: 80, targetPort: 8080}]\n");
    assert!(log.contains("+  ports: [{port: 80, targetPort: listen}]"), "{log}");
}

#[test]
fn a_name_that_a_template_has_twice_is_not_used() {
    let twice = format!("{WEB}      - {{name: side, ports: [{{name: http, containerPort: 9000}}]}}\n");
    let api = deployment(&twice).replace("name: web, namespace", "name: api, namespace");
    let service = service("  selector: {app: web}\n  ports: [{port: 80, targetPort: 8080}]\n");
    let both = "{targets: [{select: {name: web}, ports: {http: 20080}}, {select: {name: api}, ports: {web/http: 20080}}], shared: [{port: 20080, between: [shop/Deployment/web, shop/Deployment/api]}]}";
    let log = changes(both, &format!("{}---\n{api}{service}", deployment(WEB)));
    let log: Vec<&str> = log.lines().filter(|line| line.contains("targetPort") || line.contains("error")).collect();
    assert_snapshot!(log.join("\n"), @"
    -  ports: [{port: 80, targetPort: 8080}]
    +  ports: [{port: 80, targetPort: 20080}]
    ");
}

/// Clients of a headless Service connect to the pod's own number, whether the target is a name or a number.
#[test]
fn a_headless_service_with_a_name_is_a_warning_too() {
    let reported = |rest: &str| moved(WEB, rest).lines().filter(|line| !line.starts_with('-')).collect::<String>();
    let named = "  clusterIP: None\n  selector: {app: web}\n  ports: [{port: 80, targetPort: http}]\n";
    assert_snapshot!(brief(reported(named)), @"warning: service-target Service shop/web spec.ports[0] (18:11, 20080, 8080, Deployment shop/web)");
    for headless in
        ["clusterIP: 'None'", "clusterIPs: [None]", "clusterIPs: [\"None\"]", "clusterIP: None\n  clusterIPs: [None]"]
    {
        let log = reported(&named.replace("clusterIP: None", headless));
        assert!(log.contains("Service shop/web is headless"), "{headless}: {log}");
    }
    // The Service with the API server's defaults.
    assert_eq!(reported(&named.replace("{port: 80,", "{port: 80, protocol: TCP,")), reported(named));
    for silent in [
        named.replace("clusterIP: None", "clusterIP: 10.0.0.1"),
        named.replace("clusterIP: None", "clusterIPs: [10.0.0.1]"),
        named.replace("clusterIP: None", "clusterIP: ''"),
        named.replace("clusterIP: None", "clusterIP: None\n  type: ExternalName"),
        named.replace("  selector: {app: web}\n", ""),
        named.replace("targetPort: http", "targetPort: other"),
        named.replace("targetPort: http", "targetPort: http, protocol: UDP"),
        named.replace("app: web", "app: api"),
    ] {
        assert_eq!(reported(&silent), "", "{silent}");
    }
    // The number of a listener that stays does not change for clients.
    let keep = changes(&ports("keep"), &format!("{}{}", deployment(WEB), service(named)));
    assert!(!keep.contains("headless"), "{keep}");
    // One cause has a single warning.
    let twice = named.replace("[{", "[{name: a, port: 81, targetPort: http}, {name: b, ");
    assert_snapshot!(brief(reported(&twice)), @"warning: service-target Service shop/web spec.ports[0] (18:11, 20080, 8080, Deployment shop/web)");
    let both = named.replace("[{", "[{name: a, port: 8080}, {name: b, ");
    assert_snapshot!(brief(reported(&both)), @"+  ports: [{name: a, port: 8080, targetPort: http}, {name: b, port: 80, targetPort: http}]warning: service-target Service shop/web spec.ports[0] (18:11, 20080, 8080, Deployment shop/web)");
}

#[test]
fn a_headless_service_without_a_namespace_with_a_name_is_reported() {
    let named = service("  clusterIP: None\n  selector: {app: web}\n  ports: [{port: 80, targetPort: http}]\n");
    let homeless = named.replace(", namespace: shop", "");
    let log = changes(&ports("{http: 20080}"), &format!("{}{homeless}", deployment(WEB)));
    let log: Vec<&str> = log.lines().filter(|line| line.starts_with("warning")).collect();
    assert_snapshot!(worded(log.join("\n")), @"warning: standard input:18:11: Deployment shop/web, container web, port http (8080): moves to 20080, and 8080 is the port that clients dial as `http` of a headless Service with these labels, and only one of the two has a namespace, in Service web; if that refers to this port, change it too [port-reference]");
    let cluster = homeless.replace("  clusterIP: None\n", "");
    let log = changes(&ports("{http: 20080}"), &format!("{}{cluster}", deployment(WEB)));
    assert!(!log.contains("warning"), "{log}");
}

/// A Service by number for a webhook about pods: when it is applied first, the webhook's own new pods are refused.
#[test]
fn a_service_by_number_of_a_webhook_that_refuses_pods_is_a_warning() {
    let web = deployment("      - {name: web, args: [--listen=:8080], ports: [{containerPort: 8080}]}\n");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 443, targetPort: 8080}]}\n";
    let webhook = |more: &str, resources: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{name: a.b.c, {more}\
             clientConfig: {{service: {{namespace: shop, name: web}}}}, rules: [{{operations: [CREATE], apiGroups: [''], apiVersions: [v1], \
             resources: [{resources}]}}]}}]\n"
        )
    };
    let reported = |web: &str, more: &str, resources: &str| {
        let manifest = [web, service, &webhook(more, resources)].join("---\n");
        let (_, log) = run(&ports("{8080: 20080}"), &manifest);
        log.into_iter().filter(|line| line.ends_with("[service-target]")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(worded(reported(&web, "", "pods")), @"warning: standard input:15:62: Service shop/web reaches the pods of Deployment shop/web by number: 8080 becomes 20080, on which old pods do not listen. MutatingWebhookConfiguration hook is called for pods with `failurePolicy: Fail`, so once the Service is applied the API server refuses the new pods too. Before the move give the port a name, and give the Service that name as `targetPort`; or set `failurePolicy: Ignore` until the new pods are ready; or leave out namespace shop with a `namespaceSelector` [service-target]");
    for more in ["failurePolicy: Fail, ", "objectSelector: {matchLabels: {app: web}}, ", "namespaceSelector: {}, "] {
        assert!(reported(&web, more, "'*'").starts_with("warning: "), "{more}");
    }
    for more in [
        "failurePolicy: Ignore, ",
        "objectSelector: {matchLabels: {app: other}}, ",
        "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}, ",
    ] {
        assert_eq!(reported(&web, more, "pods"), "", "{more}");
    }
    // kustomize drops warnings of a build that succeeds.
    let in_build = web.replace("namespace: shop}", "namespace: shop, annotations: {kustomize.config.k8s.io/id: '1'}}");
    assert!(in_build != web && reported(&in_build, "", "pods").starts_with("error: "), "{in_build}");
    let condition = |expression: &str| format!("matchConditions: [{{name: a, expression: \"{expression}\"}}], ");
    for expression in [
        "request.namespace != 'shop'",
        "object.metadata.namespace != 'shop'",
        "!(request.namespace in ['kube-system', 'shop'])",
        "!object.spec.hostNetwork",
    ] {
        assert_eq!(reported(&web, &condition(expression), "pods"), "", "{expression}");
    }
    for (expression, words) in [
        ("request.namespace != 'kube-system'", "the new pods too, unless its `matchConditions` leave them out."),
        ("request.userInfo.username != 'me'", "the new pods too, unless its `matchConditions` leave them out."),
    ] {
        assert!(reported(&web, &condition(expression), "pods").contains(words), "{expression}");
    }
    assert_eq!(reported(&web, "", "deployments"), "");
    // The scheduler binds each new pod; a binding has no labels.
    for resources in ["pods/binding", "'pods/*'", "'*/binding'"] {
        assert!(reported(&web, "", resources).contains("called for bindings of pods"), "{resources}");
    }
    assert_eq!(reported(&web, "objectSelector: {matchLabels: {app: web}}, ", "pods/binding"), "");
    // The kubelet asks for a token for each new pod that mounts one.
    let token = "serviceaccounts/token";
    assert!(reported(&web, "", token).contains("refuses the tokens of the new pods too"));
    let without = web.replace(
        "    spec:\n      containers",
        "    spec:\n      automountServiceAccountToken: false\n      containers",
    );
    assert!(without != web && reported(&without, "", token).is_empty(), "{without}");
    for resources in ["pods/status", "pods/exec", "pods/eviction", "serviceaccounts"] {
        assert_eq!(reported(&web, "", resources), "", "{resources}");
    }
    let by_name = web.replace("{containerPort: 8080}", "{name: http, containerPort: 8080}");
    assert_eq!(reported(&by_name, "", "pods"), "", "the target port becomes a name");
    // The move declares the port, so old pods do not have the name that the target port becomes.
    let undeclared = web.replace(", ports: [{containerPort: 8080}]", "");
    let log = reported(&undeclared, "", "pods");
    assert!(log.starts_with("warning: ") && log.contains("a name that old pods do not have"), "{log}");
    let log = reported(&undeclared, "failurePolicy: Ignore, ", "pods");
    assert_eq!(log, "", "infos are not shown");
    assert_eq!(reported(&web, "", "pods], scope: Cluster, x: ["), "", "pods have a namespace");
}

/// The new `ReplicaSet`, and the update of the workload itself, are requests that the webhook answers.
#[test]
fn a_webhook_for_other_objects_of_a_rollout_is_a_warning() {
    let web = deployment("      - {name: web, args: [--listen=:8080], ports: [{containerPort: 8080}]}\n");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 443, targetPort: 8080}]}\n";
    let start = |operation: &str, resources: &str| {
        let hook = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{name: a.b.c, \
             clientConfig: {{service: {{namespace: shop, name: web}}}}, rules: [{{operations: [{operation}], apiGroups: [apps], apiVersions: [v1], \
             resources: [{resources}]}}]}}]\n"
        );
        let hook = if resources == "endpointslices" { hook.replace("[apps]", "[discovery.k8s.io]") } else { hook };
        let hook = if resources == "leases" { hook.replace("[apps]", "[coordination.k8s.io]") } else { hook };
        let hook = if resources.starts_with("pods/") { hook.replace("[apps]", "['']") } else { hook };
        let (_, log) = run(&ports("{8080: 20080}"), &[&web, service, &hook].join("---\n"));
        let log = log.into_iter().find(|line| line.ends_with("[service-target]") && line.contains("old pods"));
        log.and_then(|line| line.split(':').next().map(str::to_owned)).unwrap_or_default()
    };
    for (operation, resource, severity) in [
        ("CREATE", "replicasets", "warning"),
        ("UPDATE", "deployments", "warning"),
        ("'*'", "'*/*'", "warning"),
        ("UPDATE", "pods/status", "warning"),
        ("CREATE", "pods/status", ""),
        ("UPDATE", "endpointslices", "warning"),
        ("UPDATE", "leases", "warning"),
        ("DELETE", "leases", ""),
        ("DELETE", "endpointslices", ""),
        ("CREATE", "controllerrevisions", ""),
        ("UPDATE", "replicasets", ""),
        ("CREATE", "deployments", ""),
        ("UPDATE", "daemonsets, statefulsets", ""),
        ("UPDATE", "deployments/scale", ""),
    ] {
        assert_eq!(start(operation, resource), severity, "{operation} {resource}");
    }
    // The Leases of Kubernetes' controllers are in kube-system, wherever the workload is.
    for (namespace, count) in [("kube-system", 0), ("shop", 1)] {
        let hook = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{name: a.b.c, \
             namespaceSelector: {{matchExpressions: [{{key: kubernetes.io/metadata.name, operator: NotIn, values: [{namespace}]}}]}}, clientConfig: {{service: \
             {{namespace: shop, name: web}}}}, rules: [{{operations: [UPDATE], apiGroups: ['*'], apiVersions: [v1], resources: [leases]}}]}}]\n"
        );
        let (_, log) = run(&ports("{8080: 20080}"), &[&web, service, &hook].join("---\n"));
        let refused = log.iter().filter(|line| line.contains("leave out namespace kube-system"));
        assert_eq!(refused.count(), count, "{namespace}: {log:?}");
    }
    // Only StatefulSets and DaemonSets have revisions.
    let of_sets = web.replace("kind: Deployment", "kind: StatefulSet");
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.b.c, clientConfig: {service: {namespace: shop, name: web}}, rules: [{operations: [CREATE], apiGroups: [apps], apiVersions: [v1], resources: [controllerrevisions]}]}]\n";
    let (_, log) =
        run("{targets: [{select: {name: web}, ports: {8080: 20080}}]}", &[&of_sets, service, hook].join("---\n"));
    assert!(log.iter().any(|line| line.contains("refuses the new ControllerRevision")), "{log:?}");
    let api = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.a}\nspec: {service: {name: web, namespace: shop}}\n";
    let manifest = [&web, service, api].join("---\n");
    let results = results_of("service-target", "{targets: [{select: {name: web}, ports: {8080: 20080}}]}", &manifest);
    assert!(results.contains("info: service-target Service shop/web"), "{results}");
}

/// A call of a port that the Service does not have fails before and after the move.
#[test]
fn a_called_port_that_the_service_does_not_have_is_a_warning() {
    let of = |client: &str| {
        let hook = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: \
             [{{name: a.b.c, clientConfig: {{{client}}}}}]\n"
        );
        let own = service("  selector: {app: web}\n  ports: [{port: 443, targetPort: http}]\n");
        results_of("service-target", &ports("auto"), &format!("{}{own}---\n{hook}", deployment(WEB)))
    };
    for client in ["service: {namespace: shop, name: web, port: 8443}", "url: 'https://web.shop.svc:8443/a'"] {
        assert!(
            of(client).starts_with("warning: service-target ValidatingWebhookConfiguration hook"),
            "{}",
            of(client)
        );
    }
    for client in
        ["service: {namespace: shop, name: web}", "url: 'https://web.shop.svc/a'", "url: 'https://a.example.com:8443'"]
    {
        assert_eq!(of(client), "", "{client}");
    }
}
