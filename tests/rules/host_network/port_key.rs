//! Rule `port-key`: the listener that a key of `ports` matches.

use super::{changes, deployment, numbers_twice, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const WEB: &str = "      - name: web
        args: [--listen=:8080, --metrics-addr=:9090]
        ports:
        - {name: http, containerPort: 8080}
        - {containerPort: 9090}
";

#[test]
fn a_key_is_a_name_a_number_or_a_role() {
    assert_snapshot!(changes(&ports("{http: 20080}"), &deployment(WEB)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:20080, --metrics-addr=:9090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 20080, hostPort: 20080}
    +        - {containerPort: 9090, hostPort: 9090}
    ");
    assert_snapshot!(brief(changes(&ports("{web/9090: 20090}"), &deployment(WEB))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:8080, --metrics-addr=:20090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    +        - {containerPort: 20090, hostPort: 20090}
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (13:11, 8080)
    ");
    assert_snapshot!(brief(changes(&ports("{metrics: 20090}"), &deployment(WEB))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:8080, --metrics-addr=:20090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    +        - {containerPort: 20090, hostPort: 20090}
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (13:11, 8080)
    ");
}

#[test]
fn a_name_comes_before_a_role() {
    let web = "      - name: web
        args: [--listen=:8080, --metrics-addr=:9090]
        ports:
        - {name: metrics, containerPort: 8080}
        - {name: prometheus, containerPort: 9090}
";
    assert_snapshot!(changes(&ports("{metrics: 20080}"), &deployment(web)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:20080, --metrics-addr=:9090]
    -        - {name: metrics, containerPort: 8080}
    -        - {name: prometheus, containerPort: 9090}
    +        - {name: metrics, containerPort: 20080, hostPort: 20080}
    +        - {name: prometheus, containerPort: 9090, hostPort: 9090}
    ");
}

#[test]
fn a_number_key_finds_its_listener_again() {
    // `changes` runs twice; in the second run 8080 is already 20080.
    assert_snapshot!(changes(&ports("{8080: 20080}"), &deployment(WEB)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:20080, --metrics-addr=:9090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 20080, hostPort: 20080}
    +        - {containerPort: 9090, hostPort: 9090}
    ");
}

#[test]
fn keys_that_do_not_match_one_listener_are_errors() {
    assert_snapshot!(worded(changes(&ports("{htttp: 20080}"), &deployment(WEB))), @"error: hostnet.yaml:1:127: `htttp` matches no port of Deployment shop/web; did you mean `http`? Known are: web/9090 (metrics), web/http (8080, other) [port-key]");
    assert_snapshot!(brief(changes(&ports("{htttp: auto}"), &deployment(WEB))), @"error: port-key (8080, Deployment shop/web, hostnet.yaml:1:127, web/9090)");
    assert_snapshot!(worded(changes(&ports("{7070: auto}"), &deployment(WEB))), @"error: hostnet.yaml:1:126: `7070` matches no port of Deployment shop/web. Known are: web/9090 (metrics), web/http (8080, other) [port-key]");
    assert_snapshot!(worded(changes(&ports("{http: 20080, web/8080: 20081}"), &deployment(WEB))), @"error: hostnet.yaml:1:143: keys `http` and `web/8080` both match Deployment shop/web, container web, port http (8080); remove one of the keys [port-key]");
    let two = "      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111}]}
      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222}]}
";
    assert_snapshot!(worded(changes(&ports("{http: 20080}"), &deployment(two))), @"error: hostnet.yaml:1:126: `http` matches 2 listeners, and a number can be given to one only: Deployment shop/web, container a, port http (1111); Deployment shop/web, container b, port http (2222). Write CONTAINER/PORT, or a target for each object [port-key]");
    assert_snapshot!(changes(&ports("{http: keep}"), &deployment(two)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111}]}
    -      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222}]}
    +      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111, hostPort: 1111}]}
    +      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222, hostPort: 2222}]}
    ");
}

/// A port of the pool on the host network looks like a number that `auto` assigned.
#[test]
fn keys_leave_other_ports_of_an_earlier_run() {
    let on = deployment(
        "      - name: web
        args: [--listen=:8080, --metrics-addr=:24242]
        ports: [{name: http, containerPort: 8080}, {name: metrics, containerPort: 24242, hostPort: 24242}]
",
    );
    let on = on.replace("    spec:\n      containers", "    spec:\n      hostNetwork: true\n      containers");
    assert_snapshot!(numbers_twice(&ports("{http: 20080}"), &on), @"
    shop/Deployment/web/http 8080 -> 20080 Config
    shop/Deployment/web/metrics 24242
    ");
    assert_snapshot!(numbers_twice(&ports("{http: auto}"), &on), @"
    shop/Deployment/web/http 8080 -> 26657 Pool
    shop/Deployment/web/metrics 24242
    ");
    assert_snapshot!(worded(changes(&ports("{nope: auto}"), &on)), @"error: hostnet.yaml:1:126: `nope` matches no port of Deployment shop/web. Known are: web/http (8080, other), web/metrics (24242, metrics) [port-key]");
}

/// In a second run the old number is gone; the key matches the listener with the requested number.
#[test]
fn a_number_key_matches_the_same_listener_in_a_second_run() {
    assert_snapshot!(numbers_twice(&ports("{8080: 20080}"), &deployment(WEB)), @"
    shop/Deployment/web/http 8080 -> 20080 Config
    shop/Deployment/web/metrics 9090
    ");
    // A recorded number may be outside of the pool.
    let recorded =
        "{targets: [{select: {name: web}, ports: {8080: auto}}], assigned: {shop/Deployment/web/http: 15443}}";
    assert_snapshot!(numbers_twice(recorded, &deployment(WEB)), @"
    shop/Deployment/web/http 8080 -> 15443 Assigned
    shop/Deployment/web/metrics 9090
    ");
}

/// A number key matches TCP and UDP ports with that number; names are separate keys.
#[test]
fn a_number_key_matches_tcp_and_udp() {
    let twin = "      - name: dns
        args: [--dns-port=53]
        ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]
";
    let service = "---
apiVersion: v1
kind: Service
metadata: {name: dns, namespace: shop}
spec:
  selector: {app: web}
  ports:
  - {name: dns, port: 53, protocol: UDP, targetPort: 53}
  - {name: dns-tcp, port: 53}
";
    let with_service = format!("{}{service}", deployment(twin));
    assert_snapshot!(changes(&ports("{53: 20053}"), &with_service), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--dns-port=53]
    -        ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]
    +        args: [--dns-port=20053]
    +        ports: [{containerPort: 20053, hostPort: 20053, protocol: UDP}, {containerPort: 20053, hostPort: 20053}]
    -  - {name: dns, port: 53, protocol: UDP, targetPort: 53}
    -  - {name: dns-tcp, port: 53}
    +  - {name: dns, port: 53, protocol: UDP, targetPort: 20053}
    +  - {name: dns-tcp, port: 53, targetPort: 20053}
    ");
    assert_snapshot!(changes(&ports("{dns/53: 20053}"), &deployment(twin)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--dns-port=53]
    -        ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]
    +        args: [--dns-port=20053]
    +        ports: [{containerPort: 20053, hostPort: 20053, protocol: UDP}, {containerPort: 20053, hostPort: 20053}]
    ");
    assert_snapshot!(numbers_twice(&ports("{53: 20053}"), &with_service), @"
    shop/Deployment/web/other 53 -> 20053 Config
    shop/Deployment/web/other-2 53 -> 20053 Config
    ");
    assert_snapshot!(numbers_twice(&ports("{53: auto}"), &with_service), @"
    shop/Deployment/web/other 53 -> 24625 Pool
    shop/Deployment/web/other-2 53 -> 24625 Pool
    ");
    assert_snapshot!(numbers_twice(&ports("auto"), &with_service), @"
    shop/Deployment/web/other 53 -> 24625 Pool
    shop/Deployment/web/other-2 53 -> 24625 Pool
    ");
    let recorded =
        "{targets: [{select: {name: web}, ports: {53: auto}}], assigned: {shop/Deployment/web/other: 15353}}";
    assert_snapshot!(numbers_twice(recorded, &deployment(twin)), @"
    shop/Deployment/web/other 53 -> 15353 Assigned
    shop/Deployment/web/other-2 53 -> 15353 Assigned
    ");
    // A name key moves one port, a number key both.
    let named = twin.replace("{containerPort: 53}", "{name: dns-tcp, containerPort: 53}");
    let named = named
        .replace("{containerPort", "{name: dns, containerPort")
        .replace("args: [--dns-port=53]", "args: [--dns-tcp-port=53]");
    assert_snapshot!(brief(numbers_twice(&ports("{dns-tcp: 20053}"), &deployment(&named))), @"
    shop/Deployment/web/dns 53
    shop/Deployment/web/dns-tcp 53 -> 20053 Config
    error: port-setting Deployment shop/web spec.template.spec.containers[0].ports[1] (12:64, 53)
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (12:17, 53)
    ");
    assert_snapshot!(numbers_twice(&ports("{dns: 20053, dns-tcp: 20053}"), &deployment(&named)), @"
    shop/Deployment/web/dns 53 -> 20053 Config
    shop/Deployment/web/dns-tcp 53 -> 20053 Config
    ");
    assert_snapshot!(numbers_twice(&ports("{53: 20053}"), &deployment(&named)), @"
    shop/Deployment/web/dns 53 -> 20053 Config
    shop/Deployment/web/dns-tcp 53 -> 20053 Config
    ");
    // Ports in two containers are separate.
    let two = format!("{twin}{}", twin.replace("name: dns", "name: other"));
    assert_snapshot!(worded(changes(&ports("{53: 20053}"), &deployment(&two))), @"error: hostnet.yaml:1:124: `53` matches 4 listeners, and a number can be given to one only: Deployment shop/web, container dns, port 53; Deployment shop/web, container dns, port 53; Deployment shop/web, container other, port 53; Deployment shop/web, container other, port 53. Write CONTAINER/PORT, or a target for each object [port-key]");
}

#[test]
fn a_number_is_assigned_to_one_object_only() {
    let manifest = format!("{}---\n{}", deployment(WEB), deployment(WEB).replace("shop", "other"));
    assert_snapshot!(brief(changes(&ports("{http: 20080}"), &manifest)), @"error: port-key (2, 8080, Deployment other/web, Deployment shop/web, Write CONTAINER/PORT, hostnet.yaml:1:126)");
}

/// A number key with `auto` matches the listener of an earlier run only if no listener has the key's number.
#[test]
fn a_number_key_matches_an_existing_number_first() {
    let pod = "      - {name: web, args: [--a-port=7000, --b-port=20500], ports: [{name: a, containerPort: 7000}, {name: b, containerPort: 20500, hostPort: 20500}]}\n";
    let manifest = deployment(pod).replace("      containers", "      hostNetwork: true\n      containers");
    assert_snapshot!(super::numbers("{targets: [{select: {name: web}, ports: {7000: auto}}]}", &manifest), @"
    shop/Deployment/web/a 7000 -> 27504 Pool
    shop/Deployment/web/b 20500
    ");
}
