//! Peers and clients that name the pods of a headless Service connect to the pods' own port; their texts move with it.

use super::{changes, deployment_named};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

/// A StatefulSet `db` whose pods listen on 2380, with more of the container.
fn set(rest: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db, namespace: shop}}
spec:
  serviceName: db-peers
  template:
    metadata:
      labels: {{app: db}}
    spec:
      containers:
      - name: db
        ports: [{{name: peer, containerPort: 2380}}]
{rest}"
    )
}

const LISTEN: &str = "        args: ['--listen=:2380']\n";
const SPEC: &str = "{targets: [{select: {name: db, kind: StatefulSet}, ports: {peer: 20380}}]}";
const HEADLESS: &str = "---\napiVersion: v1\nkind: Service\nmetadata: {name: db-peers, namespace: shop}\nspec: {clusterIP: None, selector: {app: db}, ports: [{name: peer, port: 2380, targetPort: peer}]}\n";
const NORMAL: &str = "---\napiVersion: v1\nkind: Service\nmetadata: {name: db, namespace: shop}\nspec: {selector: {app: db}, ports: [{name: peer, port: 2380, targetPort: peer}]}\n";

/// The changes and messages, without the changes of the port itself.
fn reported(manifest: &str) -> String {
    let log = changes(SPEC, manifest);
    let own = [
        "hostNetwork:",
        "dnsPolicy:",
        "name: peer, containerPort",
        "is headless",
        "args: ['--listen=:2380']",
        "args: ['--listen=:20380']",
    ];
    let own = |line: &&str| !own.iter().any(|part| line.contains(part));
    log.lines().filter(own).map(|line| format!("{line}\n")).collect()
}

const OWN: [&str; 16] = [
    "http://db-0.db-peers:2380",
    "http://db-0.db-peers.shop:2380",
    "http://db-0.db-peers.shop.svc:2380",
    "http://DB-0.db-peers.shop.svc.cluster.local.:2380/x",
    "db-peers:2380",
    "db-peers.shop.svc.cluster.local:2380",
    "db-0=http://db-0.db-peers:2380,db-1=http://db-1.db-peers.shop.svc:2380",
    "server.1=db-0.db-peers:2888:2380;2181 server.2=db-1.db-peers:2380:3888",
    "http://$(POD_NAME).db-peers:2380",
    "http://$(POD_NAME).db-peers.$(NAMESPACE).svc.cluster.local:2380",
    "http://$(HOSTNAME).db-peers.shop.svc:2380",
    "http://$(SET)-0.$(SERVICE):2380",
    "http://$(POD_NAME).$(UNKNOWN):2380",
    "http://$(HOSTNAME):2380",
    "http://db-{0...3}.db-peers:2380/data",
    "db-$(ID).db-peers:2380",
];

const ENV: &str = "        env: [{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: SET, value: db}, {name: SERVICE, value: db-peers}]\n";

#[test]
fn peers_in_the_pods_own_texts_follow() {
    for around in ["", HEADLESS] {
        for text in OWN {
            let args = format!("        args: ['--listen=:2380', '--cluster={text}']\n");
            let new = args.replace(":2380", ":20380");
            assert_eq!(
                reported(&format!("{}{around}", set(&format!("{args}{ENV}")))),
                format!("-{args}+{new}"),
                "{text}"
            );
        }
    }
    let env = "        env: [{name: CLUSTER, value: 'db-0.db-peers:2380'}]\n";
    let new = env.replace("2380", "20380");
    assert_eq!(reported(&set(&format!("{LISTEN}{env}"))), format!("-{env}+{new}"));
}

#[test]
fn peers_in_scripts_follow() {
    for script in [
        "exec db --listen=:2380 --advertise=http://${HOSTNAME}.db-peers:2380",
        "exec db --listen=:2380 --advertise=http://$(hostname -s).db-peers.shop.svc:2380",
        "exec db --listen=:2380 --advertise=http://$(hostname -f):2380",
        "DOMAIN=db-peers.shop.svc; exec db --listen=:2380 --cluster=http://db-0.${DOMAIN}:2380",
        "for i in 0 1; do PEERS=\"$PEERS,db-$i.db-peers:2380\"; done; exec db --listen=:2380 --cluster=$PEERS",
    ] {
        let args = format!("        command: [sh, -c, '{script}']\n");
        let new = args.replace(":2380", ":20380");
        let log = reported(&set(&args));
        // Rule `host-name` also reports a script that uses the host name.
        let moved: Vec<&str> = log.lines().filter(|line| !line.ends_with("[host-name]")).collect();
        assert_eq!(moved.join("\n") + "\n", format!("-{args}+{new}"), "{script}");
    }
    let variable = "        args: ['--listen=:$(PORT)', '--initial-advertise-peer-urls=http://db-0.db-peers:$(PORT)']\n        env: [{name: PORT, value: '2380'}]\n";
    assert_snapshot!(reported(&set(variable)), @"
    -        env: [{name: PORT, value: '2380'}]
    +        env: [{name: PORT, value: '20380'}]
    ");
    let init = format!(
        "{LISTEN}      initContainers:\n      - {{name: wait, command: [sh, -c, 'nc -z db-0.db-peers:2380']}}\n"
    );
    assert_snapshot!(reported(&set(&init)), @"
    -      - {name: wait, command: [sh, -c, 'nc -z db-0.db-peers:2380']}
    +      - {name: wait, command: [sh, -c, 'nc -z db-0.db-peers:20380']}
    ");
}

#[test]
fn other_hosts_and_numbers_stay() {
    for text in [
        "http://db-0.db-peers:2381",
        "http://db-0.db-peers.other.svc:2380",
        "http://db-0.db-peers.example.com:2380",
        "http://cache-0.cache:2380",
        "http://db-peers-x:2380",
        "http://db:2380",
        "http://db.shop.svc:2380",
    ] {
        let args = format!("        args: ['--listen=:2380', '--cluster={text}']\n");
        let new = args.replacen(":2380", ":20380", 1);
        assert_eq!(reported(&format!("{}{HEADLESS}{NORMAL}", set(&args))), format!("-{args}+{new}"), "{text}");
    }
}

/// Another workload, which no target selects.
fn client(container: &str) -> String {
    format!("---\n{}", deployment_named("api", 9000, false).replace("ports: [", &format!("{container}, ports: [")))
}

#[test]
fn clients_of_a_headless_service_follow() {
    for text in [
        "args: ['--db=db-0.db-peers:2380,db-1.db-peers:2380']",
        "args: ['--db=dnssrv+_peer._tcp.db-peers.shop.svc.cluster.local:2380']",
        "args: ['--db=http://db-peers.shop.svc.cluster.local:2380']",
        "env: [{name: DB_URL, value: 'http://db-peers:2380'}]",
        "command: [sh, -c, 'until nc -z db-peers:2380; do sleep 1; done']",
        "command: [nc, -z, db-peers, '2380']",
        "env: [{name: HOST, value: db-peers}, {name: URL, value: 'http://$(HOST):2380'}]",
    ] {
        for around in ["", HEADLESS] {
            let manifest = format!("{}{around}{}", set(LISTEN), client(text));
            let log = reported(&manifest);
            assert!(log.contains(&format!("+      - {{name: web, {}", text.replace("2380", "20380"))), "{text}: {log}");
            assert_eq!(log.lines().count(), 2, "{log}");
        }
    }
}

#[test]
fn the_port_of_a_normal_service_is_not_reported() {
    for text in [
        "args: ['--db=http://db:2380', '--other=db-peers:2381', '--x=http://db.shop.svc:2380']",
        "env: [{name: DB_HOST, value: db}, {name: DB_PORT, value: '2380'}]",
        "env: [{name: CACHE_HOST, value: cache}, {name: CACHE_PORT, value: '2380'}]",
        "args: ['--db=dnssrv+_peer._tcp.db-peers.other.svc:2380']",
        "args: ['--db=http://db-peers.other:2380', '--db=db-0.db-peers.shop.example.com:2380']",
    ] {
        assert_eq!(reported(&format!("{}{HEADLESS}{NORMAL}{}", set(LISTEN), client(text))), "", "{text}");
    }
    let elsewhere = client("args: ['--db=db-peers:2380']").replace("namespace: shop", "namespace: other");
    assert_eq!(reported(&format!("{}{HEADLESS}{elsewhere}", set(LISTEN))), "");
    let named = client("args: ['--db=db-peers.shop:2380']").replace("namespace: shop", "namespace: other");
    assert!(reported(&format!("{}{HEADLESS}{named}", set(LISTEN))).contains("db-peers.shop:20380"));
    // `serviceName` has no effect if the Service has an address.
    let normal = NORMAL.replace("name: db,", "name: db-peers,");
    assert_eq!(reported(&format!("{}{normal}{}", set(LISTEN), client("args: ['--db=db-peers:2380']"))), "");
}

#[test]
fn a_number_next_to_the_name_is_a_warning() {
    let around = |text: &str| reported(&format!("{}{HEADLESS}{}", set(LISTEN), client(text)));
    assert_snapshot!(worded(around("env: [{name: STORE_HOST, value: db-peers}, {name: STORE_PORT, value: '2380'}]")), @"warning: standard input:29:90: StatefulSet shop/db, container db, port peer (2380): moves to 20380, and `STORE_PORT` holds 2380 next to the host `db-peers` in Deployment shop/api; if that refers to this port, change it too [port-reference]");
    assert_snapshot!(brief(around("args: [--store-host=db-0.db-peers, --store-port=2380]")), @"warning: port-reference Deployment shop/api spec.template.spec.containers[0].args[1] (29:56, 20380, 2380, StatefulSet shop/db, db-0.db-peers)");
    assert_snapshot!(brief(around("args: [--store-host, db, --store-port, '2380']")), @"warning: port-reference Deployment shop/api spec.template.spec.containers[0].args[3] (29:60, 20380, 2380, StatefulSet shop/db)");
    assert_snapshot!(brief(around("env: [{name: DB_SERVICE_PORT, value: '2380'}, {name: DB_SERVICE, value: db.shop}]")), @"warning: port-reference Deployment shop/api spec.template.spec.containers[0].env[0].value (29:58, 20380, 2380, StatefulSet shop/db)");
    assert_snapshot!(brief(around("args: [--db-port=2380]")), @"warning: port-reference Deployment shop/api spec.template.spec.containers[0].args[0] (29:28, 20380, 2380, StatefulSet shop/db)");
    for other in [
        "args: [--store-host=db-peers, --store-port=2381, --other-port=2380]",
        // `HOST` has no word in common with the other variable.
        "env: [{name: HOST, value: db-peers}, {name: STORE_PORT, value: '2380'}]",
    ] {
        assert_eq!(around(other), "", "{other}");
    }
    // The client declares the port, so the flag sets its own port.
    let own = client("args: [--db-port=2380]").replace("containerPort: 9000", "containerPort: 2380");
    assert_eq!(reported(&format!("{}{HEADLESS}{own}", set(LISTEN))), "");
}

#[test]
fn a_headless_service_of_several_workloads_is_a_warning_for_clients() {
    let other = format!("---\n{}", set(LISTEN).replace("name: db,", "name: more,"));
    let shared = |text: &str| reported(&format!("{}{HEADLESS}{other}{}", set(LISTEN), client(text)));
    assert_snapshot!(worded(shared("args: ['--db=db-peers:2380']")), @"warning: standard input:43:28: StatefulSet shop/db, container db, port peer (2380): moves to 20380, and `db-peers:2380`, which may be one of its pods, is in Deployment shop/api; if that refers to this port, change it too [port-reference]");
    // A pod name belongs to a single workload.
    let finding = shared("args: ['--db=db-0.db-peers:2380,more-0.db-peers:2380']");
    assert!(finding.contains("'--db=db-0.db-peers:20380,more-0.db-peers:2380'"), "{finding}");
    let own = "        args: ['--listen=:2380', '--cluster=db-peers:2380']\n";
    assert_snapshot!(worded(reported(&format!("{}{HEADLESS}{other}", set(own)))), @"error: standard input:13:34: StatefulSet shop/db, container db, port peer (2380): cannot move to 20380: StatefulSet shop/db at spec.template.spec.containers[0].args[1] refers to 2380 and cannot be changed: StatefulSet shop/more also uses 2380 there and does not move to 20380; move all of them to one number, or use a separate object for each [port-reference]");
}

#[test]
fn config_maps_follow_or_are_named() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster, namespace: shop}\ndata:\n  CLUSTER: 'http://db-0.db-peers:2380'\n  other: 'http://db:2380'\n";
    let file = "  db.cfg: |\n    server.1=db-0.db-peers:2380:3888\n    server.2=db-1.db-peers:2380:3888\n";
    let env = format!("{LISTEN}        envFrom: [{{configMapRef: {{name: cluster}}}}]\n");
    assert_snapshot!(reported(&format!("{}{map}", set(&env))), @"
    -  CLUSTER: 'http://db-0.db-peers:2380'
    +  CLUSTER: 'http://db-0.db-peers:20380'
    ");
    let volume = format!("{LISTEN}      volumes: [{{name: v, configMap: {{name: cluster}}}}]\n");
    assert_snapshot!(worded(reported(&format!("{}{map}{file}", set(&volume)))), @"
    warning: standard input:20:12: StatefulSet shop/db, container db, port peer (2380): moves to 20380, and the mounted file `CLUSTER` holds 2380 (line 1) in ConfigMap shop/cluster; if that refers to this port, change it too [port-reference]
    warning: standard input:22:11: StatefulSet shop/db, container db, port peer (2380): moves to 20380, and the mounted file `db.cfg` holds 2380 (lines 1, 2) in ConfigMap shop/cluster; if that refers to this port, change it too [port-reference]
    ");
    // The ConfigMap of another workload.
    assert_snapshot!(brief(reported(&format!("{}{map}{file}", set(LISTEN)))), @r#"
    warning: port-reference ConfigMap shop/cluster data.CLUSTER (19:12, 1, 20380, 2380, StatefulSet shop/db)
    warning: port-reference ConfigMap shop/cluster data["db.cfg"] (21:11, 1, 2, 20380, 2380, StatefulSet shop/db)
    "#);
}

#[test]
fn a_name_in_a_variable_from_a_config_map_is_expanded() {
    let sources = "        envFrom: [{configMapRef: {name: first}}, {prefix: DB_, configMapRef: {name: second}}]\n";
    let map = |name: &str, data: &str| {
        format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: shop}}\ndata: {{{data}}}\n")
    };
    let reported = |variable: &str, data: [&str; 2]| {
        let args = format!("        args: ['--listen=:2380', '--cluster=http://$({variable}):2380']\n");
        let manifest = set(&format!("{args}{sources}")).replace("db-peers", "portal-peers");
        reported(&format!("{manifest}{}{}", map("first", data[0]), map("second", data[1])))
    };
    // The key need not be a host's; the last of two sources counts.
    for (variable, data) in [
        ("PEERS_HOST", ["PEERS_HOST: portal-peers", "X: y"]),
        ("GROUP", ["GROUP: portal-peers", "X: y"]),
        ("DB_GROUP", ["DB_GROUP: portal-others", "GROUP: portal-peers"]),
    ] {
        assert!(reported(variable, data).contains(&format!("--cluster=http://$({variable}):20380")), "{variable}");
    }
    for data in [["DB_GROUP: portal-peers", "GROUP: portal-others"], ["X: y", "GROUPS: portal-peers"]] {
        let log = reported("DB_GROUP", data);
        assert!(!log.contains("):20380"), "{log}");
    }
}

#[test]
fn a_variable_next_to_the_name_of_the_own_service_stops_the_move() {
    let env = "        env: [{name: PEER_HOST, value: db-peers}, {name: PEER_PORT, value: '2380'}]\n";
    assert_snapshot!(worded(reported(&set(&format!("{LISTEN}{env}")))), @"error: standard input:14:76: StatefulSet shop/db, container db, port peer (2380): cannot move to 20380: StatefulSet shop/db at spec.template.spec.containers[0].env[1].value refers to 2380 and cannot be changed: `PEER_PORT` also contains 2380, and may refer to this port or to another one: where it is this port, add to a target for this workload alone `bind: [{container: db, port: peer, env: PEER_PORT}]`; where it is not, write under `programs` `- {name: db, images: [db], notListen: [PEER_PORT], listeners: []}` [port-reference]");
}

#[test]
fn a_headless_service_is_reported_with_a_named_target_too() {
    for target in ["targetPort: peer", "targetPort: 2380"] {
        let log = changes(SPEC, &format!("{}{}", set(LISTEN), HEADLESS.replace("targetPort: peer", target)));
        assert!(log.contains("Service shop/db-peers is headless: its clients dial 2380 directly"), "{log}");
    }
}
