//! Numbers that `ports: auto` assigns, and listeners that it cannot move.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{ALL, all_and, changes, config, deployment, deployment_named, numbers, numbers_twice, ports, run, stream};

/// FNV-1a 64 of `shop/Deployment/web/http` is 26657 modulo 10000, on every machine and in every version.
#[test]
fn the_number_is_a_hash_of_the_key() {
    assert_snapshot!(changes(ALL, &deployment_named("web", 8080, true)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--port=26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    ");
    assert_snapshot!(numbers_twice(ALL, &deployment_named("web", 8080, true)), @"shop/Deployment/web/http 8080 -> 26657 Pool");
}

#[test]
fn the_key_contains_kind_group_and_namespace_but_no_number() {
    let web = deployment_named("web", 8080, true);
    assert_eq!(numbers(ALL, &web.replace("8080", "9999")), numbers(ALL, &web).replace("8080", "9999"));
    let objects = stream([
        web.replace(", namespace: shop", ""),
        web.replace("apps/v1", "apps.kruise.io/v1alpha1").replace("Deployment", "CloneSet"),
        web.replace("Deployment", "DaemonSet"),
        web.replace("apps/v1", "batch/v1").replace("Deployment", "Job"),
    ]);
    assert_snapshot!(numbers_twice(ALL, &objects), @"
    Deployment/web/http 8080 -> 29628 Pool
    shop/DaemonSet/web/http 8080 -> 27100 Pool
    shop/Job/web/http 8080 -> 21685 Pool
    shop/apps.kruise.io/CloneSet/web/http 8080 -> 23983 Pool
    ");
}

#[test]
fn a_taken_number_is_replaced_by_the_next_one_in_the_order_of_keys() {
    // Three numbers for three listeners: each gets its own, in the order of keys, wherever the objects are in the
    // input.
    let spec = all_and("portPool: 20000-20002");
    let objects = [
        deployment_named("web", 8080, true),
        deployment_named("api", 8080, true),
        deployment_named("mail", 8080, true),
    ];
    let [web, api, mail] = objects.clone();
    let log = numbers_twice(&spec, &stream(objects));
    assert_snapshot!(log, @"
    shop/Deployment/api/http 8080 -> 20000 Pool
    shop/Deployment/mail/http 8080 -> 20001 Pool
    shop/Deployment/web/http 8080 -> 20002 Pool
    ");
    assert_eq!(numbers(&spec, &stream([mail, api, web])), log);
}

#[test]
fn assigned_wins() {
    let web = deployment_named("web", 8080, true);
    assert_snapshot!(numbers_twice(&all_and("assigned: {shop/Deployment/web/http: 20443}"), &web), @"shop/Deployment/web/http 8080 -> 20443 Assigned");
    // An assigned number wins over the present number.
    let moved = run(ALL, &web).0;
    assert_snapshot!(numbers_twice(&all_and("assigned: {shop/Deployment/web/http: 20443}"), &moved), @"shop/Deployment/web/http 26657 -> 20443 Assigned");
    // An assigned number may be outside of the pool and equal to a port of a node.
    assert_snapshot!(worded(numbers_twice(&all_and("assigned: {shop/Deployment/web/http: 10250}"), &web)), @"
    shop/Deployment/web/http 8080 -> 10250 Assigned
    error: standard input:10:50: Deployment shop/web, container web, port http (8080) moves to 10250, the port of kubelet on every node: the bind would fail; give `http` another number in `assigned` [node-port]
    ");
}

#[test]
fn a_host_port_of_the_pool_is_kept() {
    let web = deployment_named("web", 8080, true).replace("8080", "24242").replace("24242}", "24242, hostPort: 24242}");
    let on = web.replace("    spec:\n      containers", "    spec:\n      hostNetwork: true\n      containers");
    assert_snapshot!(numbers_twice(ALL, &on), @"shop/Deployment/web/http 24242 -> 24242 Pool");
    // Ports outside of the pool, in the pod network or without a host port are not kept.
    let elsewhere = |text: String| numbers_twice(ALL, &text).contains("26657");
    assert!(elsewhere(on.replace("24242", "9876")));
    assert!(elsewhere(web));
    assert!(elsewhere(on.replace(", hostPort: 24242", "")));
    // A port that nodes use or `reserved` contains is not kept.
    assert_snapshot!(numbers_twice(&all_and("reserved: [24000-24999]"), &on), @"shop/Deployment/web/http 24242 -> 26657 Pool");
    assert_snapshot!(numbers_twice(&all_and("portPool: 10000-10999"), &on.replace("24242", "10250")), @"shop/Deployment/web/http 10250 -> 10657 Pool");
}

/// The hash of `web` is 26657: `auto` does not assign a number of another workload, even if that workload moves away.
#[test]
fn no_number_in_use_is_assigned() {
    let web = deployment_named("web", 8080, true);
    let on_host = |other: String| {
        other
            .replace("26657}", "26657, hostPort: 26657}")
            .replace("    spec:\n      containers", "    spec:\n      hostNetwork: true\n      containers")
    };
    let keep = "{targets: [{select: {name: web}, ports: auto}, {select: {name: api}, ports: keep}]}";
    let only = "{targets: [{select: {name: web}, ports: auto}]}";
    for (spec, other) in [
        (keep, deployment_named("api", 26657, true)),
        (keep, on_host(deployment_named("api", 26657, true))),
        (only, on_host(deployment_named("api", 26657, true))),
        (only, deployment_named("api", 26657, true).replace("26657}", "26657, hostPort: 26657}")),
        (ALL, on_host(deployment_named("api", 26657, true))),
        (ALL, deployment_named("api", 26657, false)),
    ] {
        let log = numbers_twice(spec, &stream([web.clone(), other.clone()]));
        assert!(log.contains("web/http 8080 -> 26658 Pool"), "{spec}\n{other}\n{log}");
    }
    // A port in the pod network without a host port does not block the number.
    assert!(numbers(only, &stream([web.clone(), deployment_named("api", 26657, true)])).contains("26657 Pool"));
    // Numbers in the config are taken, even if their workloads are missing in the input.
    for more in ["assigned: {other/Deployment/far/http: 26657}", "reserved: [26657]", "reserved: [26000-26657]"] {
        assert!(numbers(&all_and(more), &web).contains("26658 Pool"), "{more}");
    }
    let far = "{targets: [{select: {name: far}, ports: {http: 26657}}, {select: {name: web}, ports: auto}]}";
    assert!(numbers(far, &web).contains("26658 Pool"));
}

#[test]
fn equal_names_are_counted() {
    let two = deployment(
        "      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111}]}
      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222}, {name: http-2, containerPort: 3333}]}
",
    );
    assert_snapshot!(brief(numbers(ALL, &two)), @"
    shop/Deployment/web/http 1111 -> 26657 Pool
    shop/Deployment/web/http-2 2222 -> 26994 Pool
    shop/Deployment/web/http-2-2 3333
    warning: port-setting Deployment shop/web spec.template.spec.containers[1].ports[1] (11:83, 3333)
    ");
}

#[test]
fn an_undeclared_port_has_the_key_of_its_new_name() {
    let web = deployment(
        "      - name: web
        args: [--metrics-bind-address=:9090, --listen=:8080]
        ports: [{containerPort: 8080}]
      - {name: side, args: [--metrics-addr=:9091]}
",
    );
    assert_snapshot!(numbers_twice(ALL, &web), @"
    shop/Deployment/web/metrics 9090 -> 24562 Pool
    shop/Deployment/web/metrics-2 9091 -> 29885 Pool
    shop/Deployment/web/other 8080 -> 24625 Pool
    ");
}

#[test]
fn tcp_and_udp_of_one_number_move_together() {
    let dns = deployment(
        "      - name: web
        args: [--dns-port=5353]
        ports: [{name: dns, containerPort: 5353, protocol: UDP}, {name: dns-tcp, containerPort: 5353}]
",
    );
    assert_snapshot!(changes(ALL, &dns), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--dns-port=5353]
    -        ports: [{name: dns, containerPort: 5353, protocol: UDP}, {name: dns-tcp, containerPort: 5353}]
    +        args: [--dns-port=26464]
    +        ports: [{name: dns, containerPort: 26464, hostPort: 26464, protocol: UDP}, {name: dns-tcp, containerPort: 26464, hostPort: 26464}]
    ");
    // Either name of the two ports records the number for both.
    assert_snapshot!(numbers_twice(&all_and("assigned: {shop/Deployment/web/dns-tcp: 20053}"), &dns), @"
    shop/Deployment/web/dns 5353 -> 20053 Assigned
    shop/Deployment/web/dns-tcp 5353 -> 20053 Assigned
    ");
    assert_snapshot!(numbers_twice(
        &all_and("assigned: {shop/Deployment/web/dns: 20053, shop/Deployment/web/dns-tcp: 20053}"),
        &dns
    ), @"
    shop/Deployment/web/dns 5353 -> 20053 Assigned
    shop/Deployment/web/dns-tcp 5353 -> 20053 Assigned
    ");
    assert_snapshot!(worded(numbers(
        &all_and("assigned: {shop/Deployment/web/dns: 20053, shop/Deployment/web/dns-tcp: 20054}"),
        &dns
    )), @"
    shop/Deployment/web/dns 5353 -> 20053 Assigned
    shop/Deployment/web/dns-tcp 5353 -> 20053 Assigned
    error: standard input:1:1: at hostnet.yaml:1:180 `shop/Deployment/web/dns-tcp` is 20054, and `shop/Deployment/web/dns` is 20053: Deployment shop/web, container web, port dns (5353) has one number for both protocols, and they move together. Give both the same number, or remove one of the lines [port-key]
    ");
}

#[test]
fn a_number_has_one_owner() {
    let error = |spec: &str| config(spec).map_or_else(|error| error, |_| "fine".to_owned());
    assert_snapshot!(error(&all_and("assigned: {a/Deployment/web/http: 20080, b/Deployment/web/http: 20080}")), @r#"
        hostnet.yaml:1:172: 20080 is given here and at spec.assigned["a/Deployment/web/http"], and on the host network only one listener can use a number. Give one of the two listeners another number, or list both workloads under `shared` when they never share a node
          |
        1 | {select: {name: .*}, ports: auto}], assigned: {a/Deployment/web/http: 20080, b/Deployment/web/http: 20080}}}
          |                                                                                                     ^
    "#);
    assert_snapshot!(error(
        "{targets: [{select: {name: a}, ports: {http: 20080}}, {select: {name: b}, ports: {http: 20080}}]}"
    ), @r#"
        hostnet.yaml:1:149: 20080 is given here and at spec.targets[0].ports.http, and on the host network only one listener can use a number. Give one of the two listeners another number, or list both workloads under `shared` when they never share a node
          |
        1 | work, spec: {targets: [{select: {name: a}, ports: {http: 20080}}, {select: {name: b}, ports: {http: 20080}}]}}
          |                                                                                                     ^
    "#);
    assert_snapshot!(error(
        "{targets: [{select: {name: a}, ports: {http: 20080}}], assigned: {b/Deployment/web/http: 20080}}"
    ), @r#"
        hostnet.yaml:1:150: 20080 is given here and at spec.targets[0].ports.http, and on the host network only one listener can use a number. Give one of the two listeners another number, or list both workloads under `shared` when they never share a node; when both mean one listener, this line is not needed
          |
        1 | ork, spec: {targets: [{select: {name: a}, ports: {http: 20080}}], assigned: {b/Deployment/web/http: 20080}}}
          |                                                                                                     ^
    "#);
    // Two names of one workload may be TCP and UDP; other conflicts are found with the pod.
    assert_eq!(error(&all_and("assigned: {a/Deployment/web/dns: 20080, a/Deployment/web/dns-tcp: 20080}")), "fine");
    assert_eq!(error("{targets: [{select: {name: a}, ports: {dns: 20053, dns-tcp: 20053}}]}"), "fine");
    let shared = "shared: [{port: 20080, between: [a/Deployment/web, b/Deployment/web]}]";
    assert_eq!(
        error(&all_and(&format!("assigned: {{a/Deployment/web/http: 20080, b/Deployment/web/http: 20080}}, {shared}"))),
        "fine"
    );
    assert!(
        error(&all_and(&format!("assigned: {{a/Deployment/web/http: 20080, c/Deployment/web/http: 20080}}, {shared}")))
            .contains("20080")
    );
    assert!(
        error(&all_and(&format!("assigned: {{a/Deployment/web/http: 20081, b/Deployment/web/http: 20081}}, {shared}")))
            .contains("20081")
    );
}

#[test]
fn a_phantom_moves_and_a_listener_without_a_setting_keeps_its_number() {
    let gatekeeper = deployment(
        "      - name: manager
        image: openpolicyagent/gatekeeper:v3.23.0
        args: [--port=8443, --prometheus-port=8888, --health-addr=:9090]
        ports: [{name: webhook-server, containerPort: 8443}, {name: mystery, containerPort: 7777}]
",
    );
    assert_snapshot!(brief(numbers(ALL, &gatekeeper)), @"
    shop/Deployment/web/healthz 9090 -> 27243 Pool
    shop/Deployment/web/metrics 8888 -> 24562 Pool
    shop/Deployment/web/mystery 7777
    shop/Deployment/web/webhook-server 8443 -> 24034 Pool
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[1] (13:62, 7777, openpolicyagent/gatekeeper:v3.23.0)
    ");
    let fixed =
        deployment("      - {name: web, ports: [{name: http, containerPort: 8000}, {name: x, containerPort: 8001}]}\n");
    assert_snapshot!(brief(changes(ALL, &fixed)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, ports: [{name: http, containerPort: 8000}, {name: x, containerPort: 8001}]}
    +      - {name: web, ports: [{name: http, containerPort: 8000, hostPort: 8000}, {name: x, containerPort: 8001, hostPort: 8001}]}
    warning: port-setting Deployment shop/web spec.template.spec.containers[0] (10:9, 2, 8000, 8001)
    ");
    assert_snapshot!(brief(changes(&ports("{http: auto}"), &fixed)), @"error: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000)");
}

const STUCK: &str = "      - name: web
        args: [--listen=:8000, --metrics-addr=:9001]
        ports: [{name: http, containerPort: 8000}, {name: metrics, containerPort: 9001}]
        livenessProbe: {exec: {command: [nc, -z, web, '8000']}}
";

#[test]
fn a_reference_that_cannot_move_keeps_its_listener_only() {
    assert_snapshot!(brief(changes(ALL, &deployment(STUCK))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8000, --metrics-addr=:9001]
    -        ports: [{name: http, containerPort: 8000}, {name: metrics, containerPort: 9001}]
    +        args: [--listen=:8000, --metrics-addr=:24562]
    +        ports: [{name: http, containerPort: 8000, hostPort: 8000}, {name: metrics, containerPort: 24562, hostPort: 24562}]
    warning: port-reference Deployment shop/web spec.template.spec.containers[0].livenessProbe.exec.command[3] (13:55, 26657, 8000)
    ");
    assert_snapshot!(brief(changes(&ports("{http: auto}"), &deployment(STUCK))), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].livenessProbe.exec.command[3] (13:55, 26657, 8000)");
}

#[test]
fn a_listener_that_depends_on_a_kept_number_keeps_its_own() {
    let dns = deployment(
        "      - name: web
        args: [--dns-port=5353, --other-port=6363]
        ports: [{name: dns, containerPort: 5353, protocol: UDP}, {name: dns-tcp, containerPort: 5353}, {name: o, containerPort: 6363}]
        livenessProbe: {exec: {command: [nc, -z, web, '5353']}}
",
    );
    assert_snapshot!(brief(numbers(ALL, &dns)), @"
    shop/Deployment/web/dns 5353
    shop/Deployment/web/dns-tcp 5353
    shop/Deployment/web/o 6363 -> 22458 Pool
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (12:17, 5353)
    warning: port-reference Deployment shop/web spec.template.spec.containers[0].livenessProbe.exec.command[3] (13:55, 26464, 5353)
    ");
    // A Service leads to two workloads by number: one of them cannot move, so both keep their numbers.
    let service = "apiVersion: v1
kind: Service
metadata: {name: both, namespace: shop}
spec: {selector: {tier: front}, ports: [{port: 80, targetPort: 8000}]}
";
    let front = |text: String| text.replace("labels: {", "labels: {tier: front, ").replace("name: http, ", "");
    let objects = stream([front(deployment(STUCK)), front(deployment_named("api", 8000, true)), service.to_owned()]);
    assert_snapshot!(worded(numbers(ALL, &objects)), @"
    shop/Deployment/api/other 8000
    shop/Deployment/web/metrics 9001 -> 24562 Pool
    shop/Deployment/web/other 8000
    warning: standard input:24:50: Deployment shop/api and Deployment shop/web hold 8000/TCP of their node. The scheduler keeps them on different nodes: 2 pods need at least 2 nodes; a rollout that starts new pods first needs one more, and 4 if all workloads roll out at the same time. To accept this, write `shared: [{port: 8000, between: [shop/Deployment/api, shop/Deployment/web]}]` in the spec [port-conflict]
    warning: standard input:13:55: Deployment shop/web, container web, port 8000: cannot move to 24625: Deployment shop/web at spec.template.spec.containers[0].livenessProbe.exec.command[3] refers to 8000 and cannot be changed: `8000` contains the port in a form that hostnet does not edit. Also blocking the move: Service shop/both at spec.ports[0]. It keeps 8000 [port-reference]
    warning: standard input:29:41: Deployment shop/api, container web, port 8000: cannot move to 22967: Service shop/both targets Deployment shop/web, Deployment shop/api by the number 8000, and not all of them move to 22967. Only a port name can resolve to different numbers: give the port the same name in each of them, as in `{name: http, containerPort: 8000}`. It keeps 8000 [service-target]
    ");
}

#[test]
fn warnings_of_a_move_that_is_not_made_are_not_reported() {
    let map = "apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data: {web.yaml: 'port: 8000'}
";
    let web = deployment(&format!("{STUCK}      volumes: [{{name: v, configMap: {{name: web}}}}]\n"));
    let log = numbers(ALL, &stream([web, map.to_owned()]));
    assert!(!log.contains("mounted file"), "{log}");
}

#[test]
fn number_keys_find_the_moved_listener() {
    let two = deployment(
        "      - name: web
        args: [--listen=:8080, --metrics-addr=:9090]
        ports: [{containerPort: 8080}, {containerPort: 9090}, {name: other, containerPort: 7000}]
",
    );
    assert_snapshot!(changes(&ports("{8080: auto}"), &two), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    -        ports: [{containerPort: 8080}, {containerPort: 9090}, {name: other, containerPort: 7000}]
    +        args: [--listen=:23266, --metrics-addr=:9090]
    +        ports: [{containerPort: 23266, hostPort: 23266}, {containerPort: 9090, hostPort: 9090}, {name: other, containerPort: 7000, hostPort: 7000}]
    ");
    assert_snapshot!(numbers_twice(&ports("{8080: auto, web/9090: auto}"), &two), @"
    shop/Deployment/web/metrics 9090 -> 24562 Pool
    shop/Deployment/web/other 7000
    shop/Deployment/web/other-2 8080 -> 23266 Pool
    ");
    // A workload without that number does not match, whatever host ports it has.
    let api = deployment_named("api", 5555, true)
        .replace("5555}", "5555, hostPort: 5555}")
        .replace("    spec:\n      containers", "    spec:\n      hostNetwork: true\n      containers");
    let spec = "{targets: [{select: {kind: Deployment}, ports: {8080: auto}}]}";
    assert_snapshot!(numbers(spec, &stream([two, api])), @"
    shop/Deployment/api/http 5555
    shop/Deployment/web/metrics 9090
    shop/Deployment/web/other 7000
    shop/Deployment/web/other-2 8080 -> 23266 Pool
    ");
}

#[test]
fn a_differing_host_port_is_an_error_under_auto_too() {
    let web = deployment_named("web", 8080, true).replace("8080}", "8080, hostPort: 443}");
    assert_snapshot!(worded(changes(ALL, &web)), @"warning: standard input:10:94: Deployment shop/web: port http has hostPort 443 and containerPort 8080; on the host network both must be equal, and clients of the node use 443. The workload is not changed: write `ports: {http: 443}` in a separate target to move the process there, or `http: keep` to give up 443 [host-port]");
    assert_snapshot!(changes(&ports("{http: auto}"), &web), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080, hostPort: 443}]}
    +      - {name: web, args: [--port=26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    ");
}

/// An ingress controller with host port 80: clients of that port would no longer reach it.
#[test]
fn a_host_port_that_auto_moves_is_a_warning() {
    let web = |pod: &str| {
        let web = deployment_named("web", 8080, true).replace("8080}", "8080, hostPort: 8080}");
        web.replace("    spec:\n      containers", &format!("    spec:\n{pod}      containers"))
    };
    assert_snapshot!(worded(changes(ALL, &web(""))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080, hostPort: 8080}]}
    +      - {name: web, args: [--port=26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    warning: standard input:10:94: Deployment shop/web, container web, port http (8080): hostPort 8080 moves to 26657, and clients of the node that use 8080 no longer reach it. To keep it, write `http: keep` in `ports` [host-port]
    ");
    let named = "{targets: [{select: {name: web}, ports: {http: auto}}]}";
    assert!(!changes(named, &web("")).contains("warning"));
    assert!(!changes(ALL, &web("      hostNetwork: true\n")).contains("warning"));
}

/// A port of nodes that a Service of the input uses is taken, also outside of the default range for node ports.
#[test]
fn node_ports_of_services_are_never_given() {
    let service = |spec: &str| {
        format!("---\napiVersion: v1\nkind: Service\nmetadata: {{name: other, namespace: x}}\nspec: {{{spec}}}\n")
    };
    let number = |spec: &str| {
        let all = format!("{}{}", deployment_named("web", 8080, true), service(spec));
        numbers(ALL, &all).trim_end().to_owned()
    };
    assert_eq!(number("selector: {app: x}, ports: [{port: 26657}]"), "shop/Deployment/web/http 8080 -> 26657 Pool");
    for taken in [
        "type: NodePort, selector: {app: x}, ports: [{port: 80, nodePort: 26657}]",
        "type: NodePort, ports: [{port: 80, nodePort: 26657}]",
        "type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 26657, selector: {app: x}, ports: [{port: 80}]",
    ] {
        assert_eq!(number(taken), "shop/Deployment/web/http 8080 -> 26658 Pool", "{taken}");
    }
    let written = format!(
        "{}{}",
        deployment_named("web", 8080, true),
        service("type: NodePort, selector: {app: x}, ports: [{port: 80, nodePort: 21000}]")
    );
    let log = changes("{targets: [{select: {name: web}, ports: {http: 21000}}]}", &written);
    assert!(log.contains("[node-port]") && log.contains("the node port of Service x/other"), "{log}");
}
