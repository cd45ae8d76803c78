//! Fields of the pod spec.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{changes, deployment, ports};

#[test]
fn sidecars_get_host_ports_and_init_containers_do_not() {
    let manifest = format!(
        "{}      initContainers:
      - name: proxy
        restartPolicy: Always
        ports: [{{containerPort: 9000}}]
      - name: setup
        ports: [{{containerPort: 9001}}]
",
        deployment("      - {name: web}\n")
    );
    assert_snapshot!(changes(&ports("keep"), &manifest), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{containerPort: 9000}]
    +        ports: [{containerPort: 9000, hostPort: 9000}]
    ");
}

#[test]
fn a_different_host_port_stops_the_run() {
    let web = "      - name: web\n        args: [--port=8080]\n        ports:\n        - {name: http, containerPort: 8080, hostPort: 80}\n";
    assert_snapshot!(worded(changes(&ports("keep"), &deployment(web))), @"
    error: standard input:13:55: Deployment shop/web, container web, port http (8080): hostPort is 80 and containerPort 8080; on the host network both must be equal, and clients of the node use 80. Name the port in `ports`: `http: 80` to move the process there, or `http: keep` or `http: auto` to give up 80 [host-port]
    warning: standard input:13:11: Deployment shop/web, container web, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `http` in `ports` [node-port]
    ");
    assert_snapshot!(super::current(&ports("keep"), &deployment(web)), @"host-port Int(80) spec.template.spec.containers[0].ports[0].hostPort");
    assert_snapshot!(brief(changes(&ports("{http: keep}"), &deployment(web))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        - {name: http, containerPort: 8080, hostPort: 80}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (13:11, 8080)
    ");
    assert_snapshot!(changes(&ports("{http: 20080}"), &deployment(web)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--port=8080]
    +        args: [--port=20080]
    -        - {name: http, containerPort: 8080, hostPort: 80}
    +        - {name: http, containerPort: 20080, hostPort: 20080}
    ");
}

#[test]
fn a_placeholder_is_repeated() {
    let web = "      - name: web\n        ports:\n        - containerPort: ${PORT}\n";
    assert_snapshot!(changes(&ports("keep"), &deployment(web)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          hostPort: ${PORT}
    ");
}

#[test]
fn two_listeners_of_a_pod_cannot_have_one_number() {
    let two = "      - {name: a, ports: [{containerPort: 8080}]}\n      - {name: b, ports: [{containerPort: 8080}]}\n";
    assert_snapshot!(worded(changes(&ports("keep"), &deployment(two))), @r#"
    error: standard input:11:27: Deployment shop/web, container a, port 8080 and Deployment shop/web, container b, port 8080 both get port 8080/TCP; on the host network a port number can be used only once per node. Give one of them another number in `ports`. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-conflict]
    warning: standard input:10:27: Deployment shop/web, container a, port 8080 keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: its number cannot be set: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: a, port: other, number: 8080, env: NAME_8080}]`, with `value: ":{port}"` for an address. Then write `8080: auto` in `ports` [node-port]
    "#);
    let protocols = "      - {name: a, ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]}\n";
    assert_snapshot!(brief(changes(&ports("keep"), &deployment(protocols))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: a, ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]}
    +      - {name: a, ports: [{containerPort: 53, hostPort: 53}, {containerPort: 53, hostPort: 53, protocol: UDP}]}
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (10:27, 53)
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[1] (10:48, 53)
    ");
}

#[test]
fn every_listener_is_explained_by_its_own_changes() {
    let pod = "      - {name: web, args: [--a-port=7000, --b-port=7001], ports: [{name: a, containerPort: 7000}, {name: b, containerPort: 7001}]}\n      - {name: side, args: [--a-port=7002], ports: [{name: a, containerPort: 7002}]}\n";
    let api = deployment(pod).replace("name: web, namespace", "name: api, namespace");
    let manifest = format!("{}---\n{api}", deployment(pod));
    let target = |name: &str, first: u16| {
        format!("{{select: {{name: {name}}}, ports: {{web/a: {first}, web/b: {}, side/a: {}}}}}", first + 1, first + 2)
    };
    let spec = format!("{{targets: [{}, {}]}}", target("web", 20000), target("api", 20010));
    assert_snapshot!(super::explained(&spec, &manifest).join("\n"), @"
    shop/Deployment/api/a containerPort 7000 -> 20010 [port-moved]
    shop/Deployment/api/a --a-port 7000 -> 20010 [port-setting]
    shop/Deployment/api/a-2 containerPort 7002 -> 20012 [port-moved]
    shop/Deployment/api/a-2 --a-port 7002 -> 20012 [port-setting]
    shop/Deployment/api/b containerPort 7001 -> 20011 [port-moved]
    shop/Deployment/api/b --b-port 7001 -> 20011 [port-setting]
    shop/Deployment/web/a containerPort 7000 -> 20000 [port-moved]
    shop/Deployment/web/a --a-port 7000 -> 20000 [port-setting]
    shop/Deployment/web/a-2 containerPort 7002 -> 20002 [port-moved]
    shop/Deployment/web/a-2 --a-port 7002 -> 20002 [port-setting]
    shop/Deployment/web/b containerPort 7001 -> 20001 [port-moved]
    shop/Deployment/web/b --b-port 7001 -> 20001 [port-setting]
    ");
}

#[test]
fn a_placeholder_is_repeated_as_host_port() {
    let port = |host: &str| {
        let log = changes(
            &ports("keep"),
            &deployment(&format!("      - name: web\n        ports: [{{containerPort: '${{PORT}}'{host}}}]\n")),
        );
        log.lines().filter(|line| line.contains("PORT")).map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_snapshot!(port(""), @r#"
    -        ports: [{containerPort: '${PORT}'}]
    +        ports: [{containerPort: '${PORT}', hostPort: "${PORT}"}]
    "#);
    assert_snapshot!(port(", hostPort: "), @r#"
    -        ports: [{containerPort: '${PORT}', hostPort: }]
    +        ports: [{containerPort: '${PORT}', hostPort: "${PORT}" }]
    "#);
    assert_snapshot!(port(", hostPort: '${PORT}'"), @"");
    assert_snapshot!(worded(port(", hostPort: '${OTHER_PORT}'")), @"warning: standard input:11:54: Deployment shop/web, container web: containerPort is `${PORT}` and hostPort `${OTHER_PORT}`; they can be compared only after the placeholders are filled in [host-port]");
}
