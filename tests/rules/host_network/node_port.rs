//! Rule `node-port`: ports that nodes use, and ports below 1024.

use super::{ALL, all_and, changes, deployment_named, numbers, numbers_twice, ports, run};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const KEEP: &str = "{targets: [{select: {name: web}}]}";

fn reported(spec: &str, manifest: &str) -> String {
    run(spec, manifest).1.join("\n")
}

#[test]
fn a_port_of_every_node_is_an_error_kept_or_moved() {
    assert_snapshot!(worded(reported(KEEP, &deployment_named("web", 10250, false))), @r#"error: standard input:10:29: Deployment shop/web, container web, port http (10250) keeps the port of kubelet on every node: the bind would fail; its number cannot be set: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: web, port: http, number: 10250, env: NAME_10250}]`, with `value: ":{port}"` for an address. Then write `http: auto` in `ports` [node-port]"#);
    assert_snapshot!(worded(reported(&ports("{http: 10256}"), &deployment_named("web", 8000, true))), @"error: standard input:10:50: Deployment shop/web, container web, port http (8000) moves to 10256, the port of kube-proxy (healthz) on every node: the bind would fail; write `auto` or another number for `http` in `ports` [node-port]");
    assert_snapshot!(changes(ALL, &deployment_named("web", 10250, true)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=10250], ports: [{name: http, containerPort: 10250}]}
    +      - {name: web, args: [--port=26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    ");
}

#[test]
fn a_port_that_auto_cannot_move_names_the_remedy() {
    assert_snapshot!(worded(reported(ALL, &deployment_named("web", 10250, false))), @r#"
    error: standard input:10:29: Deployment shop/web, container web, port http (10250) keeps the port of kubelet on every node: the bind would fail; `auto` could not move it: name the setting of its number in `bind`, or put the workload under `exclude` [node-port]
    warning: standard input:10:29: Deployment shop/web, container web, port http (10250): keeps its number: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: web, port: http, number: 10250, env: NAME_10250}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes [port-setting]
    "#);
}

/// The remedy of a kept port that has no known setting works.
#[test]
fn a_kept_port_without_a_setting_names_the_remedy_of_auto() {
    let web = deployment_named("web", 9100, false);
    let kept = reported(&ports("{http: keep}"), &web);
    assert_snapshot!(worded(&kept), @r#"warning: standard input:10:29: Deployment shop/web, container web, port http (9100) keeps the port of node-exporter on nodes that run it. If your nodes run it: its number cannot be set: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: web, port: http, number: 9100, env: NAME_9100}]`, with `value: ":{port}"` for an address. Then write `http: auto` in `ports` [node-port]"#);
    let pasted =
        |bind: &str| format!("{{targets: [{{select: {{name: web}}, ports: {{http: auto}}, bind: [{bind}]}}]}}");
    let entry = kept.split("`bind: [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    assert_snapshot!(reported(&pasted(entry), &web), @"");
    // A setting is known.
    let by_flag = reported(&ports("{http: keep}"), &deployment_named("web", 9100, true));
    assert!(by_flag.contains("write `auto` or another number for `http`"), "{by_flag}");
}

#[test]
fn a_port_of_many_nodes_and_of_ranges_is_a_warning() {
    assert_snapshot!(worded(reported(KEEP, &deployment_named("web", 9100, false))), @r#"warning: standard input:10:29: Deployment shop/web, container web, port http (9100) keeps the port of node-exporter on nodes that run it. If your nodes run it: its number cannot be set: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: web, port: http, number: 9100, env: NAME_9100}]`, with `value: ":{port}"` for an address. Then write `http: auto` in `ports` [node-port]"#);
    assert_snapshot!(worded(reported(&ports("{http: 9100}"), &deployment_named("web", 8000, true))), @"warning: standard input:10:50: Deployment shop/web, container web, port http (8000) moves to 9100, the port of node-exporter on nodes that run it. If your nodes run it: write `auto` or another number for `http` in `ports` [node-port]");
    assert_snapshot!(worded(reported(&ports("{http: 30080}"), &deployment_named("web", 8000, true))), @"warning: standard input:10:50: Deployment shop/web, container web, port http (8000) moves to 30080, which is one of the node ports of Services (30000-32767) [node-port]");
    assert_snapshot!(worded(reported(&ports("{http: 32768}"), &deployment_named("web", 8000, true))), @"warning: standard input:10:50: Deployment shop/web, container web, port http (8000) moves to 32768, which is one of the ports that the kernel assigns to outgoing connections (32768-60999): such a connection may use it already [node-port]");
    assert_snapshot!(worded(reported(
        "{targets: [{select: {name: web}, ports: {http: 22623}}], reserved: [22000-22999]}",
        &deployment_named("web", 8000, true)
    )), @"warning: standard input:10:50: Deployment shop/web, container web, port http (8000) moves to 22623, which is one of the numbers under `reserved` in the config [node-port]");
    assert_snapshot!(reported(KEEP, &deployment_named("web", 8000, false)), @"");
}

#[test]
fn the_other_protocol_of_a_node_port_is_free() {
    assert_snapshot!(reported(KEEP, &deployment_named("web", 10250, false).replace("10250}", "10250, protocol: UDP}")), @"");
}

#[test]
fn an_owner_keeps_its_own_port() {
    let proxy = |image: &str| {
        deployment_named("web", 10256, false).replace("name: web, ports", &format!("name: web, image: {image}, ports"))
    };
    assert_snapshot!(reported(KEEP, &proxy("registry.k8s.io/kube-proxy:v1.36.0@sha256:0")), @"");
    assert!(reported(KEEP, &proxy("registry.k8s.io/not-kube-proxy:v1.36.0")).contains("kube-proxy (healthz)"));
}

#[test]
fn auto_assigns_no_port_of_a_node() {
    // 10248, 10249 and 10250 are ports of kubelet and kube-proxy.
    assert_snapshot!(numbers_twice(&all_and("portPool: 10248-10251"), &deployment_named("web", 8000, true)), @"shop/Deployment/web/http 8000 -> 10251 Pool");
    assert_snapshot!(brief(numbers(&all_and("portPool: 10248-10250"), &deployment_named("web", 8000, true))), @"
    shop/Deployment/web/http 8000
    error: port-pool Deployment shop/web (1:1, 3, 8000, hostnet.yaml:1:118)
    ");
    assert_snapshot!(numbers_twice(&all_and("portPool: 32700-61000"), &deployment_named("web", 8000, true)), @"shop/Deployment/web/http 8000 -> 61000 Pool");
    assert_snapshot!(numbers_twice(&all_and("portPool: 1000-1024"), &deployment_named("web", 8000, true)), @"shop/Deployment/web/http 8000 -> 1024 Pool");
}

/// A Service without `targetPort` alone is weak evidence: scaffolds leave one with port 443 behind, without a listener.
#[test]
fn a_low_port_that_only_a_service_shows_is_a_warning() {
    let service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 443}]}\n";
    let security = "securityContext: {runAsNonRoot: true, capabilities: {drop: [ALL]}}";
    let web =
        deployment_named("web", 8000, false).replace("name: web, ports", &format!("name: web, {security}, ports"));
    let of = |more: &str| {
        let all = reported(KEEP, &format!("{web}{more}"));
        worded(all.lines().filter(|line| line.contains("[node-port]")).collect::<Vec<_>>().join("\n"))
    };
    assert_snapshot!(of(service), @"warning: standard input:9:7: Deployment shop/web: Service shop/web targets 443, since it has no `targetPort`, and on the host network no container can listen on that port. If no process does, remove the port from Service shop/web, or write the `targetPort` that its pods have [node-port]");
    // The port is not declared, so a second run gives the same warning.
    let (output, _) = run(KEEP, &format!("{web}{service}"));
    assert!(!output.contains("hostPort: 443"), "{output}");
    // A written target and a call by the API server are strong evidence.
    assert!(of(&service.replace("port: 443}", "port: 443, targetPort: 443}")).starts_with("error"));
    let webhook = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: web}\nwebhooks: [{name: a.example.com, clientConfig: {service: {name: web, namespace: shop}}}]\n";
    assert!(of(&format!("{service}{webhook}")).starts_with("error"));
    assert_eq!(of(&service.replace("app: web", "app: api")), "");
}

#[test]
fn a_port_below_1024_needs_a_privilege() {
    let web = |security: &str| {
        reported(
            KEEP,
            &deployment_named("web", 444, false)
                .replace("name: web, ports", &format!("name: web, securityContext: {security}, ports")),
        )
    };
    for allowed in [
        "{}",
        "{runAsUser: 0}",
        "{runAsUser: 0, runAsNonRoot: false, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}",
        // An info, which this output leaves out.
        "{runAsNonRoot: true, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}",
    ] {
        assert_eq!(web(allowed), "", "{allowed}");
    }
    assert_snapshot!(worded(web("{runAsUser: 0, capabilities: {drop: [ALL]}}")), @"error: standard input:10:91: Deployment shop/web, container web, port http (444) would listen on 444, and `capabilities` drops NET_BIND_SERVICE, which root needs too: on the host network the bind would fail. Give it a number from 1024 on [node-port]");
    assert_snapshot!(worded(web("{runAsUser: 1000}")), @"warning: standard input:10:65: Deployment shop/web, container web, port http (444) gets port 444, and the container does not run as root: on the host network, ports below 1024 then need the capability NET_BIND_SERVICE. Give it a number from 1024 on [node-port]");
    assert_snapshot!(worded(web("{runAsNonRoot: true, capabilities: {drop: [ALL]}}")), @"error: standard input:10:97: Deployment shop/web, container web, port http (444) would listen on 444, and the container is neither root nor has the capability NET_BIND_SERVICE: on the host network the bind would fail. Give it a number from 1024 on [node-port]");
    assert_snapshot!(brief(web("{runAsUser: 1000, allowPrivilegeEscalation: false}")), @"error: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (10:98, 1024, 444)");
    // 1024 needs no privilege.
    let first = deployment_named("web", 1024, false)
        .replace("name: web, ports", "name: web, securityContext: {runAsUser: 1000}, ports");
    assert_eq!(reported(KEEP, &first), "");
    // The pod's security context counts if the container has no user.
    let pod = deployment_named("web", 444, false).replace(
        "    spec:\n      containers",
        "    spec:\n      securityContext: {runAsUser: 1000}\n      containers",
    );
    assert_snapshot!(brief(reported(KEEP, &pod)), @"warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (11:29, 1024, 444)");
    // `auto` moves the port.
    assert_snapshot!(changes(
        ALL,
        &deployment_named("web", 444, true).replace(
            "name: web, args",
            "name: web, securityContext: {runAsUser: 1000, allowPrivilegeEscalation: false}, args"
        )
    ), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, securityContext: {runAsUser: 1000, allowPrivilegeEscalation: false}, args: [--port=444], ports: [{name: http, containerPort: 444}]}
    +      - {name: web, securityContext: {runAsUser: 1000, allowPrivilegeEscalation: false}, args: [--port=26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    ");
}

#[test]
fn nodes_of_the_input_report_the_port_of_their_kubelet() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {daemonEndpoints: {kubeletEndpoint: {Port: 10350}}}\n---\n";
    let to = |number: u16| {
        reported(&ports(&format!("{{http: {number}}}")), &[node, &deployment_named("web", 8000, true)].concat())
    };
    assert!(to(10350).contains("the port of kubelet on every node"));
    assert!(!to(10250).contains("kubelet"));
}

#[test]
fn the_node_port_of_another_service_is_an_error() {
    let service = |selector: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: one, namespace: shop}}\nspec: {{type: NodePort, selector: {{app: {selector}}}, ports: [{{port: 80, targetPort: 8000, nodePort: 30080}}]}}\n---\n"
        )
    };
    let to = |number: u16, selector: &str| {
        reported(
            &ports(&format!("{{http: {number}}}")),
            &[service(selector), deployment_named("web", 8000, true)].concat(),
        )
    };
    assert_snapshot!(worded(to(30080, "other")), @"error: standard input:15:50: Deployment shop/web, container web, port http (8000) moves to 30080, the node port of Service shop/one, which gets the connections: write `auto` or another number for `http` in `ports` [node-port]");
    assert!(to(30081, "other").contains("one of the node ports of Services"));
    // The Service leads to the listener itself.
    assert!(!to(30080, "web").contains("error: "), "{}", to(30080, "web"));
}
