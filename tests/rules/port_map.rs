//! `hostnet ports --all`: all holders of the ports of nodes, before and after a plan.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::run::{Run, hostnet};

const WEBHOOK: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        args: [--listen=:8443, --metrics-addr=:9090]
        ports: [{name: https, containerPort: 8443}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks: [{name: a.example.com, clientConfig: {service: {name: web, namespace: shop, port: 443}}}]
---
";

const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec:
  targets:
  - select: {calledByApiServer: true}
    ports: {https: 20443, metrics: 20090}
  reserved: [5000-5010]
  assigned: {other/Deployment/api/https: 20001}
";

fn run(config: Option<&str>, manifest: &str, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("input.yaml"), manifest).unwrap();
    let mut all = vec!["ports", "--all"];
    if let Some(config) = config {
        std::fs::write(folder.path().join("config.yaml"), config).unwrap();
        all.extend(["-c", "config.yaml"]);
    }
    all.extend(arguments);
    all.push("input.yaml");
    hostnet(folder.path(), &all, b"")
}

fn out(config: Option<&str>, manifest: &str, arguments: &[&str]) -> String {
    let run = run(config, manifest, arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.text()
}

fn report(config: Option<&str>, manifest: &str) -> Value {
    serde_json::from_str(&run(config, manifest, &["-o", "json"]).text()).unwrap()
}

/// Holders of the input as `PORT KIND HOLDER WHEN`, without ranges and processes of nodes.
fn holders(config: Option<&str>, manifest: &str) -> Vec<String> {
    let report = report(config, manifest);
    let is_of_input = |holder: &&Value| {
        let others = ["node-process", "reserved", "assigned", "pool", "node-port-range", "client-range"];
        !others.contains(&holder["kind"].as_str().unwrap())
    };
    let line = |holder: &Value| {
        let when = match (holder["before"].as_bool().unwrap(), holder["after"].as_bool().unwrap()) {
            (true, true) => "both",
            (true, false) => "before",
            (false, true) => "after",
            (false, false) => panic!("held neither before nor after: {holder}"),
        };
        let range = if holder["first"] == holder["last"] { String::new() } else { format!("-{}", holder["last"]) };
        let text = |key: &str| holder[key].as_str().unwrap_or_default().to_owned();
        format!("{}{range}/{} {} {} {when}", holder["first"], text("protocol"), text("kind"), text("holder"))
    };
    report["holders"].as_array().unwrap().iter().filter(is_of_input).map(line).collect()
}

fn pods(kind: &str, name: &str, spec: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  template:\n    metadata: {{labels: {{app: \
         {name}}}}}\n    spec: {spec}\n---\n"
    )
}

fn service(spec: &str) -> String {
    format!("apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{{spec}}}\n---\n")
}

const AGENT: &str = "{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: a, ports: [{containerPort: 9710, hostPort: 9710}]}]}";

#[test]
fn all_holders_are_listed_before_and_after() {
    let edge = pods("Deployment", "edge", "{containers: [{name: a, ports: [{containerPort: 8080, hostPort: 7080}]}]}");
    let manifest = [WEBHOOK, &pods("DaemonSet", "agent", AGENT), &edge].concat();
    assert_snapshot!(out(Some(CONFIG), &manifest, &[]), @"
    Port         When   Holder                Listener     Kind             Moves      Nodes    Called by   Certainty
    5000-5010    both   reserved                           reserved                    all                  certain
    7080/TCP     both   shop/Deployment/edge  a/other      host-port                   unknown              certain
    9710/TCP     both   shop/DaemonSet/agent  a/other      host-network                unknown              certain
    10248/TCP    both   kubelet (healthz)                  node-process                all                  certain
    10249/TCP    both   kube-proxy (metrics)               node-process                all                  certain
    10250/TCP    both   kubelet                            node-process                all                  certain
    10256/TCP    both   kube-proxy (healthz)               node-process                all                  certain
    20000-29999  both   auto                               pool                        all                  certain
    20001        both   other/Deployment/api  https        assigned                    unknown              certain
    20090/TCP    after  shop/Deployment/web   app/metrics  moved            from 9090  unknown              certain
    20443/TCP    after  shop/Deployment/web   app/https    moved            from 8443  unknown  API server  certain
    30000-32767  both   Services                           node-port-range             all                  certain
    32768-60999  both   clients on the node                client-range                all                  certain
    ");
    assert_snapshot!(out(Some(CONFIG), &manifest, &["-o", "markdown"]), @"
    | Port | When | Holder | Listener | Kind | Moves | Nodes | Called by | Certainty |
    |---|---|---|---|---|---|---|---|---|
    | 5000-5010 | both | reserved |  | reserved |  | all |  | certain |
    | 7080/TCP | both | shop/Deployment/edge | a/other | host-port |  | unknown |  | certain |
    | 9710/TCP | both | shop/DaemonSet/agent | a/other | host-network |  | unknown |  | certain |
    | 10248/TCP | both | kubelet (healthz) |  | node-process |  | all |  | certain |
    | 10249/TCP | both | kube-proxy (metrics) |  | node-process |  | all |  | certain |
    | 10250/TCP | both | kubelet |  | node-process |  | all |  | certain |
    | 10256/TCP | both | kube-proxy (healthz) |  | node-process |  | all |  | certain |
    | 20000-29999 | both | auto |  | pool |  | all |  | certain |
    | 20001 | both | other/Deployment/api | https | assigned |  | unknown |  | certain |
    | 20090/TCP | after | shop/Deployment/web | app/metrics | moved | from 9090 | unknown |  | certain |
    | 20443/TCP | after | shop/Deployment/web | app/https | moved | from 8443 | unknown | API server | certain |
    | 30000-32767 | both | Services |  | node-port-range |  | all |  | certain |
    | 32768-60999 | both | clients on the node |  | client-range |  | all |  | certain |
    ");
    assert_snapshot!(out(Some(CONFIG), &manifest, &["-o", "ranges"]), @"TCP 7080,9710,20090,20443");
    assert_snapshot!(out(Some(CONFIG), &manifest, &["--called", "-o", "json"]), @r#"
    {
      "nodeGroups": [],
      "holders": [
        {
          "first": 20443,
          "last": 20443,
          "protocol": "TCP",
          "kind": "moved",
          "holder": "shop/Deployment/web",
          "namespace": "shop",
          "container": "app",
          "port": "https",
          "role": "webhook",
          "before": false,
          "after": true,
          "movesFrom": 8443,
          "certainty": "certain",
          "evidence": "declared + --listen",
          "apiServer": true,
          "clients": [
            "Service shop/web",
            "ValidatingWebhookConfiguration hooks calls it through Service shop/web"
          ],
          "everyNode": false
        }
      ],
      "findings": []
    }
    "#);
    assert_eq!(
        holders(None, &manifest),
        ["7080/TCP host-port shop/Deployment/edge both", "9710/TCP host-network shop/DaemonSet/agent both"]
    );
}

#[test]
fn a_listener_that_moves_holds_its_old_port_before() {
    let manifest = WEBHOOK.replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    assert_eq!(
        holders(Some(CONFIG), &manifest),
        [
            "8443/TCP host-network shop/Deployment/web before",
            "9090/TCP host-network shop/Deployment/web before",
            "20090/TCP moved shop/Deployment/web after",
            "20443/TCP moved shop/Deployment/web after",
        ]
    );
    let report = report(Some(CONFIG), &manifest);
    let of = |first: u16| {
        let mut pods = report["holders"].as_array().unwrap().iter().filter(|one| one["kind"] != "node-process");
        pods.find(|one| one["first"] == first).unwrap()
    };
    assert_eq!((of(8443)["movesTo"].as_u64(), of(8443)["movesFrom"].as_u64()), (Some(20443), None));
    assert_eq!((of(20443)["movesTo"].as_u64(), of(20443)["movesFrom"].as_u64()), (None, Some(8443)));
    let keep = CONFIG.replace("{https: 20443, metrics: 20090}", "keep");
    assert_eq!(
        holders(Some(&keep), &manifest),
        ["8443/TCP kept shop/Deployment/web both", "9090/TCP kept shop/Deployment/web both",]
    );
    let on_host = holders(Some(&keep), WEBHOOK);
    assert_eq!(on_host, ["8443/TCP kept shop/Deployment/web after", "9090/TCP kept shop/Deployment/web after"]);
}

#[test]
fn clients_and_certainty_are_named() {
    let manifest = WEBHOOK.replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    for report in [report(Some(CONFIG), &manifest), report(None, &manifest)] {
        let mut called = report["holders"].as_array().unwrap().iter().filter(|one| one["role"] == "webhook");
        let first = called.next().unwrap();
        assert_eq!(first["apiServer"], true);
        assert_eq!(first["certainty"], "certain");
        assert_eq!(
            first["clients"],
            serde_json::json!([
                "Service shop/web",
                "ValidatingWebhookConfiguration hooks calls it through Service shop/web"
            ])
        );
    }
    // Only a probe shows the second port.
    let second =
        manifest.replace("      - name: app\n", "      - name: app\n        livenessProbe: {httpGet: {port: 8081}}\n");
    let report = report(None, &second);
    let likely = report["holders"].as_array().unwrap().iter().find(|one| one["first"] == 8081).unwrap();
    assert_eq!((likely["certainty"].as_str(), likely["apiServer"].as_bool()), (Some("likely"), Some(false)));
}

#[test]
fn a_host_port_of_the_pod_network_has_no_client_of_the_pod() {
    let manifest = WEBHOOK.replace("containerPort: 8443", "containerPort: 8443, hostPort: 7443");
    let first = report(None, &manifest)["holders"][0].clone();
    assert_eq!((&first["first"], &first["kind"]), (&7443.into(), &"host-port".into()));
    assert_eq!((&first["apiServer"], &first["clients"]), (&Value::Bool(false), &serde_json::json!([])));
    // The API server calls the address of the pod.
    assert_eq!(out(None, &manifest, &["--called", "-o", "ranges"]), "TCP 8443\n");
    assert_eq!(out(None, &manifest, &["-o", "ranges"]), "TCP 7443\n");
    let called: Value = serde_json::from_str(&out(None, &manifest, &["--called", "-o", "json"])).unwrap();
    let [one] = called["holders"].as_array().unwrap().as_slice() else { panic!("{called}") };
    assert_eq!((&one["first"], &one["kind"], &one["apiServer"]), (&8443.into(), &"pod-network".into(), &true.into()));
    // On the host network the two ports have the same number.
    let on_host = WEBHOOK.replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    assert_eq!(out(None, &on_host, &["--called", "-o", "ranges"]), "TCP 8443\n");
    assert_eq!(out(Some(CONFIG), &manifest, &["--called", "-o", "ranges"]), "TCP 20443\n");
}

/// A Pod of an owner, as in a dump of a cluster.
fn pod_of(owner: &str, name: &str, node: &str, number: u16) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, ownerReferences: [{{apiVersion: apps/v1, kind: DaemonSet, name: {owner}, controller: \
         true}}]}}\nspec: {{nodeName: {node}, containers: [{{name: a, image: a, ports: [{{containerPort: 80, hostPort: {number}}}]}}]}}\n---\n"
    )
}

#[test]
fn pods_of_an_owner_outside_of_the_input_are_on_all_their_nodes() {
    let nodes = |dump: &[String]| {
        let report = report(None, &dump.concat());
        let all = report["holders"].as_array().unwrap().iter().filter(|one| one["kind"] == "host-port");
        all.map(|one| (one["first"].clone(), one["node"].clone(), one["nodes"].clone())).collect::<Vec<_>>()
    };
    let (a, b, c) = (pod_of("x", "a", "n1", 7080), pod_of("x", "b", "n2", 7080), pod_of("x", "c", "n3", 7080));
    let both = serde_json::json!(["n1", "n2"]);
    assert_eq!(nodes(&[a.clone(), b.clone()]), [(7080.into(), Value::Null, both)]);
    assert!(out(None, &[a.clone(), b.clone(), c].concat(), &[]).contains("nodes n1, n2, n3"));
    assert_eq!(nodes(std::slice::from_ref(&a)), [(7080.into(), "n1".into(), Value::Null)]);
    // A Pod of another revision has another port.
    let other = pod_of("x", "b", "n2", 7081);
    assert_eq!(nodes(&[a, other]), [(7080.into(), "n1".into(), Value::Null), (7081.into(), "n2".into(), Value::Null)]);
}

#[test]
fn static_pods_of_a_node_are_holders_of_their_own() {
    let pod = |name: &str, number: u16| {
        let pod = pod_of("x", name, "n1", number).replace("kind: DaemonSet, name: x", "kind: Node, name: n1");
        pod.replace("namespace: shop", "namespace: shop, annotations: {kubernetes.io/config.mirror: abc}")
    };
    assert_eq!(
        holders(None, &[pod("proxy", 7080), pod("api", 7080)].concat()),
        ["7080/TCP host-port shop/Pod/api both", "7080/TCP host-port shop/Pod/proxy both"]
    );
}

#[test]
fn addresses_of_ports_are_named_and_loopback_needs_no_firewall() {
    let port = |number: u16, address: &str| format!("{{containerPort: 80, hostPort: {number}, hostIP: '{address}'}}");
    let ports = [
        port(5300, "10.0.0.1"),
        port(5300, "10.0.0.2"),
        port(5301, "127.0.0.1"),
        port(5302, "0.0.0.0"),
        port(5303, "::1"),
    ];
    let pod_network = |ports: &[String]| {
        pods("DaemonSet", "lb", &format!("{{containers: [{{name: a, ports: [{}]}}]}}", ports.join(", ")))
    };
    let lines = |manifest: &str| {
        let text = run(None, manifest, &["--fail-on", "never"]).text();
        let own = text.lines().filter(|line| line.contains("shop/"));
        own.map(|line| line.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let manifest = pod_network(&ports);
    assert_eq!(
        lines(&manifest),
        ["10.0.0.1:5300/TCP", "10.0.0.2:5300/TCP", "127.0.0.1:5301/TCP", "5302/TCP", "[::1]:5303/TCP"]
    );
    assert_eq!(report(None, &manifest)["holders"][0]["address"], "10.0.0.1");
    assert_eq!(run(None, &manifest, &["-o", "ranges", "--fail-on", "never"]).text(), "TCP 5300,5302\n");
    // On the host network, the setting of the process decides the address, not `hostIP`.
    let on_host = |container: &str| {
        pods(
            "Deployment",
            "web",
            &format!(
                "{{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{{name: a, {container}}}]}}"
            ),
        )
    };
    let bound = on_host("ports: [{containerPort: 5301, hostPort: 5301, hostIP: 127.0.0.1}]");
    assert_eq!(
        (lines(&bound), out(None, &bound, &["-o", "ranges"])),
        (vec!["5301/TCP".to_owned()], "TCP 5301\n".to_owned())
    );
    let both = on_host("args: [--metrics-bind-address=127.0.0.1:9710, --listen=:9711]");
    assert_eq!(lines(&both), ["localhost:9710/TCP", "9711/TCP"]);
    assert_eq!(out(None, &both, &["-o", "ranges"]), "TCP 9711\n");
}

#[test]
fn services_hold_node_ports_and_the_port_of_their_health_check() {
    let balancer = "type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31000";
    let ports = "ports: [{name: a, port: 1, nodePort: 30001}, {name: b, port: 2, protocol: UDP, nodePort: 30001}, {name: c, port: 3}]";
    assert_eq!(
        holders(None, &service(&format!("{balancer}, {ports}"))),
        [
            "30000-32767/TCP node-port Service shop/web both",
            "30001/TCP node-port Service shop/web both",
            "30001/UDP node-port Service shop/web both",
            "31000/TCP health-check Service shop/web both",
        ]
    );
    // A Service without a selector also has node ports.
    assert_eq!(holders(None, &service("type: NodePort, ports: [{port: 1, nodePort: 30001}]")).len(), 1);
}

#[test]
fn services_without_node_ports_are_not_listed() {
    for spec in [
        "ports: [{port: 80, targetPort: 8080}]",
        "type: ClusterIP, ports: [{port: 80, nodePort: 30001}]",
        "type: ExternalName, externalName: a.example.com",
        "type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 80}]",
        "type: NodePort, externalTrafficPolicy: Local, ports: []",
    ] {
        assert_eq!(holders(None, &service(spec)), [""; 0], "{spec}");
    }
    let local = service("type: NodePort, ports: [{port: 1, nodePort: 30001}]")
        .replace("namespace: shop}", "namespace: shop, annotations: {config.kubernetes.io/local-config: 'true'}}");
    assert_eq!(holders(None, &local), [""; 0]);
}

#[test]
fn pods_that_hold_nothing_are_not_listed() {
    let none = [
        pods("Deployment", "a", "{containers: [{name: a, ports: [{containerPort: 8080}]}]}"),
        pods("ReplicaSet", "b", AGENT).replace("spec:\n  template", "spec:\n  replicas: 0\n  template"),
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: c}}\nspec: {AGENT}\nstatus: {{phase: Succeeded}}\n---\n"),
    ];
    assert_eq!(holders(None, &none.concat()), [""; 0]);
}

#[test]
fn a_program_of_the_node_in_the_input_is_listed_once() {
    let processes = |manifest: &str| {
        let report = report(None, manifest);
        let all = report["holders"].as_array().unwrap().iter().filter(|one| one["kind"] == "node-process");
        all.map(|one| format!("{} {}", one["first"], one["holder"].as_str().unwrap())).collect::<Vec<_>>()
    };
    let every_node =
        ["10248 kubelet (healthz)", "10249 kube-proxy (metrics)", "10250 kubelet", "10256 kube-proxy (healthz)"];
    assert_eq!(processes(&pods("DaemonSet", "a", AGENT)), every_node);
    let proxy = "{hostNetwork: true, containers: [{name: a, image: 'registry.k8s.io/kube-proxy:v1.36.0', ports: [{containerPort: 10256}]}]}";
    assert_eq!(processes(&pods("DaemonSet", "kube-proxy", proxy)), every_node[..3]);
    // A program that runs only on some nodes is listed if a pod of another program has its port.
    let on_port = AGENT.replace("9710", "9100");
    assert_eq!(processes(&pods("DaemonSet", "a", &on_port))[0], "9100 node-exporter");
    let kubelet = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {daemonEndpoints: {kubeletEndpoint: {Port: 11250}}}\n---\n";
    let found = processes(kubelet);
    assert!(found.contains(&"11250 kubelet".to_owned()) && !found.contains(&"10250 kubelet".to_owned()), "{found:?}");
    let both = [kubelet, &kubelet.replace("name: n", "name: m").replace("11250", "10250")].concat();
    let report = report(None, &both);
    let kubelets = report["holders"].as_array().unwrap().iter().filter(|one| one["holder"] == "kubelet");
    let kubelets: Vec<_> = kubelets.map(|one| (one["first"].clone(), one["node"].clone())).collect();
    assert_eq!(kubelets, [(10250.into(), "m".into()), (11250.into(), "n".into())]);
}

#[test]
fn nodes_are_grouped_by_the_pods_that_they_take() {
    let node = |name: &str, pool: &str, rest: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{pool: {pool}}}}}\nspec: {{{rest}}}\n---\n"
        )
    };
    let taint = "taints: [{key: a, effect: NoSchedule}]";
    let nodes = [node("n1", "web", ""), node("n2", "web", ""), node("n3", "db", ""), node("n4", "db", taint)].concat();
    let web = AGENT.replace("{hostNetwork", "{nodeSelector: {pool: web}, hostNetwork");
    let bound = AGENT.replace("{hostNetwork", "{nodeName: n3, hostNetwork").replace("9710", "9712");
    let nowhere = AGENT.replace("{hostNetwork", "{nodeSelector: {pool: x}, hostNetwork").replace("9710", "9713");
    let agent = pods("DaemonSet", "agent", &AGENT.replace("9710", "9711"));
    let manifest = [
        nodes,
        pods("DaemonSet", "web", &web),
        agent,
        pods("Deployment", "bound", &bound),
        pods("Deployment", "no", &nowhere),
    ];
    let text = run(None, &manifest.concat(), &["--fail-on", "never"]).text();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("97") || line.contains(" node")).collect();
    assert_snapshot!(lines.join("\n"), @"
    9710/TCP     both  shop/DaemonSet/web     a/other   host-network            pool=web                         certain
    9711/TCP     both  shop/DaemonSet/agent   a/other   host-network            pool=web; n3                     certain
    9712/TCP     both  shop/Deployment/bound  a/other   host-network            node n3                          certain
    9713/TCP     both  shop/Deployment/no     a/other   host-network            no node of the input             certain
    10248/TCP    both  kubelet (healthz)                node-process            all                              certain
    10249/TCP    both  kube-proxy (metrics)             node-process            all                              certain
    10250/TCP    both  kubelet                          node-process            all                              certain
    10256/TCP    both  kube-proxy (healthz)             node-process            all                              certain
    30000-32767  both  Services                         node-port-range         all                              certain
    32768-60999  both  clients on the node              client-range            all                              certain
    pool=web: 2 nodes (n1, n2)
    n3: 1 node (n3)
    n4: 1 node (n4)
    ");
    let groups = CONFIG
        .replace("spec:\n", "spec:\n  nodes: [{labels: {pool: web}, count: 2}, {labels: {pool: db}, count: 3}]\n");
    let report = report(Some(&groups), &[WEBHOOK, &pods("DaemonSet", "web", &web)].concat());
    let of = |first: u16| report["holders"].as_array().unwrap().iter().find(|one| one["first"] == first).unwrap();
    assert_eq!(
        (&of(9710)["nodeGroups"], &of(9710)["everyNode"]),
        (&serde_json::json!(["pool=web"]), &Value::Bool(false))
    );
    assert_eq!(of(20443)["everyNode"], true);
    assert_eq!(report["nodeGroups"][1], serde_json::json!({"name": "pool=db", "count": 3, "nodes": []}));
}

#[test]
fn injected_containers_count_on_the_host_network() {
    let set = "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: s}\nspec: {selector: {matchLabels: {app: agent}}, containers: [{name: s, ports: [{containerPort: 15000}]}]}\n---\n";
    let found = holders(None, &[set, &pods("DaemonSet", "agent", AGENT)].concat());
    assert!(found.contains(&"15000/TCP injected shop/DaemonSet/agent both".to_owned()), "{found:?}");
    let in_pod_network = "{containers: [{name: a}]}";
    assert_eq!(holders(None, &[set, &pods("DaemonSet", "agent", in_pod_network)].concat()), [""; 0]);
}

#[test]
fn every_package_of_a_shared_runtime_config_has_its_ports() {
    let provider = |name: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec: {{package: 'xpkg.crossplane.io/a/{name}:v1.0.0', runtimeConfigRef: {{name: host}}}}\n---\n"
        )
    };
    let config = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: host}\nspec: {deploymentTemplate: {spec: {selector: {}, template: {spec: {hostNetwork: true, containers: [{name: package-runtime, ports: [{name: m, containerPort: 9909}]}]}}}}}\n---\n";
    let found = holders(None, &[provider("a"), provider("b"), config.to_owned()].concat());
    let of = |name: &str| {
        found.iter().any(|line| line.starts_with(&format!("9909/TCP host-network pkg.crossplane.io/Provider/{name} ")))
    };
    assert!(of("a") && of("b"), "{found:?}");
}

#[test]
fn findings_about_ports_are_part_of_the_report() {
    let manifest = pods("DaemonSet", "agent", &AGENT.replace("9710", "10250"));
    let run_of = |arguments: &[&str]| run(None, &manifest, arguments);
    let json: Value = serde_json::from_str(&run_of(&["-o", "json"]).text()).unwrap();
    assert_eq!(
        (&json["findings"][0]["rule"], &json["findings"][0]["ports"]),
        (&"node-port".into(), &serde_json::json!([10250]))
    );
    // An error ends with exit 1, as in `check`, and the map is still printed.
    let text = run_of(&[]);
    assert_eq!(text.code, Some(1));
    assert!(text.stderr.contains("[node-port]") && text.text().contains("10250/TCP"), "{}", text.stderr);
    assert_eq!(run_of(&["--fail-on", "never"]).code, Some(0));
}

#[test]
fn unreadable_input_is_an_error() {
    let unread = run(None, &format!("{WEBHOOK}a: [\n"), &[]);
    assert_eq!(unread.code, Some(1));
    assert!(unread.text().contains("10250/TCP"), "the rest is shown");
    assert!(unread.stderr.starts_with("error: input.yaml, document 4, line 23"), "{}", unread.stderr);
}
