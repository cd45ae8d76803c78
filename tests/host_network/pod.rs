//! H4 and H6: the pod spec.

use super::{changes, deployment, ports};
use insta::assert_snapshot;

const WEB: &str = "      - name: web
        image: example/web
        ports:
        - containerPort: 8080
          name: http
        - {containerPort: 53, protocol: UDP}
";

#[test]
fn keep_writes_host_network_dns_policy_and_host_ports() {
    assert_snapshot!(changes(&ports("keep"), &deployment(WEB)), @"");
}

#[test]
fn what_is_there_is_replaced_where_it_stands() {
    let manifest = deployment("      - {name: web}\n").replace(
        "    spec:\n",
        "    spec:\n      dnsPolicy: \"ClusterFirst\" # the default\n      hostNetwork: false\n",
    );
    assert_snapshot!(changes(&ports("keep"), &manifest), @"");
}

#[test]
fn an_authors_dns_policy_is_kept() {
    let manifest = deployment("      - {name: web}\n").replace("    spec:\n", "    spec:\n      dnsPolicy: None\n");
    assert_snapshot!(changes(&ports("keep"), &manifest), @"");
}

#[test]
fn the_config_may_ask_for_another_dns_policy() {
    let spec = "{targets: [{select: {name: web}}], dnsPolicy: Default}";
    assert_snapshot!(changes(spec, &deployment("      - {name: web}\n")), @"");
}

#[test]
fn sidecars_get_host_ports_and_init_containers_none() {
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
    assert_snapshot!(changes(&ports("keep"), &manifest), @"");
}

#[test]
fn a_host_port_that_differs_is_somebodys_and_stops_the_run() {
    let web = "      - name: web\n        args: [--port=8080]\n        ports:\n        - {name: http, containerPort: 8080, hostPort: 80}\n";
    assert_snapshot!(changes(&ports("keep"), &deployment(web)), @"");
    assert_snapshot!(changes(&ports("{http: keep}"), &deployment(web)), @"");
    assert_snapshot!(changes(&ports("{http: 20080}"), &deployment(web)), @"");
}

#[test]
fn a_placeholder_is_repeated() {
    let web = "      - name: web\n        ports:\n        - containerPort: ${PORT}\n";
    assert_snapshot!(changes(&ports("keep"), &deployment(web)), @"");
}

#[test]
fn fields_that_forbid_the_host_network_refuse_it() {
    let field = |field: &str| deployment("      - {name: web}\n").replace("    spec:\n", &format!("    spec:\n      {field}\n"));
    assert_snapshot!(changes(&ports("keep"), &field("hostUsers: false")), @"");
    assert_snapshot!(changes(&ports("keep"), &field("hostnameOverride: me")), @"");
    let sysctl = "securityContext: {sysctls: [{name: net.core.somaxconn, value: '1'}]}";
    assert_snapshot!(changes(&ports("keep"), &field(sysctl)), @"");
    assert_snapshot!(changes(&ports("keep"), &field("hostUsers: true")), @"");
}

#[test]
fn among_others_a_forbidden_pod_is_left_with_a_warning() {
    let manifest = format!(
        "{}---\n{}",
        deployment("      - {name: web}\n").replace("    spec:\n", "    spec:\n      hostUsers: false\n"),
        deployment("      - {name: api}\n").replace("name: web, ", "name: api, ")
    );
    assert_snapshot!(changes("{targets: [{select: {kind: Deployment}}]}", &manifest), @"");
}

#[test]
fn two_listeners_of_a_pod_cannot_have_one_number() {
    let two = "      - {name: a, ports: [{containerPort: 8080}]}\n      - {name: b, ports: [{containerPort: 8080}]}\n";
    assert_snapshot!(changes(&ports("keep"), &deployment(two)), @"");
    let protocols = "      - {name: a, ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]}\n";
    assert_snapshot!(changes(&ports("keep"), &deployment(protocols)), @"");
}
