//! H2: which listener a key of `ports` means.

use super::{changes, deployment, ports};
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
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:20080, --metrics-addr=:9090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 20080, hostPort: 20080}
    +        - {containerPort: 9090, hostPort: 9090}
    ");
    assert_snapshot!(changes(&ports("{web/9090: 20090}"), &deployment(WEB)), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:8080, --metrics-addr=:20090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    +        - {containerPort: 20090, hostPort: 20090}
    warning: standard input:13:11: Deployment shop/web, container web, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. Where yours do: write `auto` or another number for `http` in `ports` [node-port]
    ");
    assert_snapshot!(changes(&ports("{metrics: 20090}"), &deployment(WEB)), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:8080, --metrics-addr=:20090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    +        - {containerPort: 20090, hostPort: 20090}
    warning: standard input:13:11: Deployment shop/web, container web, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. Where yours do: write `auto` or another number for `http` in `ports` [node-port]
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
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
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
    // changes() runs twice, and the second time 8080 is 20080 already.
    assert_snapshot!(changes(&ports("{8080: 20080}"), &deployment(WEB)), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080, --metrics-addr=:9090]
    +        args: [--listen=:20080, --metrics-addr=:9090]
    -        - {name: http, containerPort: 8080}
    -        - {containerPort: 9090}
    +        - {name: http, containerPort: 20080, hostPort: 20080}
    +        - {containerPort: 9090, hostPort: 9090}
    ");
}

#[test]
fn keys_that_do_not_mean_one_listener_are_errors() {
    assert_snapshot!(changes(&ports("{htttp: 20080}"), &deployment(WEB)), @"error: hostnet.yaml:1:127: `htttp` meets no port of Deployment shop/web; did you mean `http`? There are: web/9090 (metrics), web/http (8080, other) [port-key]");
    assert_snapshot!(changes(&ports("{http: 20080, web/8080: 20081}"), &deployment(WEB)), @"error: hostnet.yaml:1:143: keys `http` and `web/8080` both meet Deployment shop/web, container web, port http (8080); leave one of them out [port-key]");
    let two = "      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111}]}
      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222}]}
";
    assert_snapshot!(changes(&ports("{http: 20080}"), &deployment(two)), @"error: hostnet.yaml:1:126: `http` meets 2 listeners, and a number can be given to one only: Deployment shop/web, container a, port http (1111); Deployment shop/web, container b, port http (2222). Write CONTAINER/PORT, or a target for each object [port-key]");
    assert_snapshot!(changes(&ports("{http: keep}"), &deployment(two)), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111}]}
    -      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222}]}
    +      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111, hostPort: 1111}]}
    +      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222, hostPort: 2222}]}
    ");
}

#[test]
fn a_number_is_given_to_one_object_only() {
    let manifest = format!("{}---\n{}", deployment(WEB), deployment(WEB).replace("shop", "other"));
    assert_snapshot!(changes(&ports("{http: 20080}"), &manifest), @"error: hostnet.yaml:1:126: `http` meets 2 listeners, and a number can be given to one only: Deployment shop/web, container web, port http (8080); Deployment other/web, container web, port http (8080). Write CONTAINER/PORT, or a target for each object [port-key]");
}
