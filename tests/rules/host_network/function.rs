//! Rule `function`: Functions of Crossplane belong in the pod network.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::packages::{FUNCTION, all, all_with, runtime_config, stream};
use super::{changes, infos, run};

#[test]
fn a_function_stays_in_the_pod_network() {
    assert_snapshot!(changes(&all("ports: auto"), FUNCTION), @"");
    assert_snapshot!(worded(infos(&all("ports: auto"), FUNCTION, "function")), @"info: Function function-auto-ready stays in the pod network: Crossplane dials port 9443 of a Function's own pod, so on the host network a node can run only one. `crossplane: {functions: OnePerNode}` in the spec moves it anyway [function]");
}

/// The results for each key of `ports`, informational ones included.
fn run_function(ports: &str) -> (Vec<String>, String) {
    let spec = all(&format!("ports: {{{ports}}}"));
    (run(&spec, FUNCTION).1, infos(&spec, FUNCTION, "function"))
}

#[test]
fn a_number_for_a_function_is_reported() {
    assert_snapshot!(worded(run_function("grpc: 21443").0.join("\n")), @"error: standard input:1:1: Function function-auto-ready, port grpc (9443): cannot move to 21443: Crossplane always dials port 9443 of a Function's own pod. Leave `grpc` out of `ports`, or put the Function under `exclude` [function]");
    for key in ["grpc", "9443", "'9443'"] {
        let (log, infos) = run_function(&format!("{key}: 21443"));
        let key = key.trim_matches('\'');
        assert!(log.len() == 1 && infos.is_empty(), "{key}: {log:?} {infos}");
        assert!(log[0].starts_with("error: ") && log[0].ends_with("[function]"), "{log:?}");
        assert!(log[0].contains("cannot move to 21443") && log[0].contains(&format!("Leave `{key}` out")), "{log:?}");
    }
    // The metrics port could move, but the pod stays in the pod network.
    assert_snapshot!(worded(run_function("metrics: 21080").0.join("\n")), @"warning: standard input:1:1: Function function-auto-ready, port metrics (8080): cannot move to 21080: the Function stays in the pod network. Leave `metrics` out of `ports`, or put the Function under `exclude` [function]");
    // A key that matches no port of a Function is an error, as for a Provider.
    assert_snapshot!(worded(run_function("health: 21443").0.join("\n")), @"error: standard input:1:1: Function function-auto-ready, port health: cannot move to 21443: the Function has no such port, and stays in the pod network. Leave `health` out of `ports`, or put the Function under `exclude` [function]");
    for key in ["webhook", "8081", "package-runtime/health"] {
        let (log, infos) = run_function(&format!("{key}: 21443"));
        assert!(log.len() == 1 && infos.is_empty() && log[0].starts_with("error: "), "{key}: {log:?} {infos}");
    }
    // Keys without a number, and present numbers.
    for ports in ["grpc: auto", "grpc: keep", "grpc: 9443", "metrics: 8080", "health: auto", ""] {
        let (log, infos) = run_function(ports);
        assert!(log.is_empty() && infos.contains("stays in the pod network"), "{ports}: {log:?} {infos}");
    }
    // A port of a Provider that the same target matches.
    let provider = super::packages::provider("s3", "xpkg.upbound.io/o/provider-s3:v1.0.0", None);
    let both = stream(&[provider, FUNCTION.to_owned()]);
    assert!(infos(&all("ports: {webhook: 21443}"), &both, "function").contains("stays in the pod network"));
    // A port that the Function's runtime config declares.
    let own = FUNCTION.replace("spec:\n", "spec:\n  runtimeConfigRef: {name: own}\n");
    let config = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: own}\nspec: {deploymentTemplate: {spec: \
                  {selector: {}, template: {spec: {containers: [{name: package-runtime, ports: [{name: health, containerPort: 8081}]}]}}}}}\n";
    for key in ["health", "8081"] {
        let log = run(&all(&format!("ports: {{{key}: 21443}}")), &stream(&[own.clone(), config.to_owned()])).1;
        assert!(log.len() == 1 && log[0].starts_with("warning: "), "{key}: {log:?}");
    }
    let excluded =
        "{targets: [{select: {kind: Function}, ports: {grpc: 21443}}], exclude: [{kind: Function}], unmatched: Ignore}";
    assert_eq!(run(excluded, FUNCTION).1, [""; 0]);
}

#[test]
fn one_function_on_a_node_keeps_the_port_that_crossplane_dials() {
    let one = all_with("ports: auto", "functions: OnePerNode");
    assert_snapshot!(brief(changes(&one, FUNCTION)), @"
    +  runtimeConfigRef:
    +    name: hostnet-function-auto-ready
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-function-auto-ready
    +spec:
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            ports:
    +            - name: grpc, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    warning: runtime-config Function function-auto-ready (1:1)
    warning: node-port Function function-auto-ready (1:1, 8080)
    ");
    // The name of the port does not matter, and neither does the number of the port that is called `grpc`.
    let named = |name: &str, number: u16| {
        let ports = format!("package-runtime\n            ports: [{{name: {name}, containerPort: {number}}}]\n");
        let config = runtime_config("own").replace("package-runtime # Crossplane's name\n", &ports);
        stream(&[format!("{FUNCTION}  runtimeConfigRef: {{name: own}}\n"), config])
    };
    let moved = |name: &str| all_with(&format!("ports: {{{name}: 20443}}"), "functions: OnePerNode");
    assert!(run(&moved("dialled"), &named("dialled", 9443)).1.join("\n").contains("dials port 9443"));
    assert!(run(&moved("grpc"), &named("grpc", 9444)).1.join("\n").contains("dials port 9443"));
    let moved = all_with("ports: {grpc: 20443}", "functions: OnePerNode");
    assert_snapshot!(worded(run(&moved, FUNCTION).1.join("\n")), @"
    error: standard input:1:1: Function function-auto-ready, container package-runtime, port grpc (9443): cannot move to 20443: Crossplane always dials port 9443 of a Function's own pod, whatever its Service has. Write `grpc: keep`, or leave it out of `ports` [port-setting]
    warning: standard input:1:1: Function function-auto-ready names no runtime config, and the input has none called `default`: the package gets a new one, so settings of the cluster's `default` no longer apply to it. If the cluster has that object, add it to the input [runtime-config]
    warning: standard input:1:1: Function function-auto-ready, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: its number cannot be set: function-auto-ready has no flag or variable for it in any version. Put the workload under `exclude` [node-port]
    ");
    let two = stream(&[FUNCTION.to_owned(), FUNCTION.replace("auto-ready", "go-templating")]);
    assert_snapshot!(worded(run(&one, &two).1.join("\n")), @"
    warning: standard input:1:1: Function function-auto-ready and Function function-go-templating hold 9443/TCP of their node. The scheduler keeps them on different nodes: 2 pods need at least 2 nodes; a rollout that starts new pods first needs one more, and 4 if all workloads roll out at the same time. To accept this, write `shared: [{port: 9443, between: [pkg.crossplane.io/Function/function-auto-ready, pkg.crossplane.io/Function/function-go-templating]}]` in the spec [port-conflict]
    warning: standard input:1:1: Function function-auto-ready names no runtime config, and the input has none called `default`: the package gets a new one, so settings of the cluster's `default` no longer apply to it. If the cluster has that object, add it to the input [runtime-config]
    warning: standard input:1:1: Function function-auto-ready, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: `auto` could not move it: name the setting of its number in `bind`, or put the workload under `exclude` [node-port]
    warning: standard input:7:1: Function function-go-templating names no runtime config, and the input has none called `default`: the package gets a new one, so settings of the cluster's `default` no longer apply to it. If the cluster has that object, add it to the input [runtime-config]
    ");
}

#[test]
fn a_function_on_the_port_of_crossplane_is_an_error() {
    let core = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane, namespace: crossplane-system}
spec:
  template:
    spec:
      hostNetwork: true
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4
        args: [core, start]
        ports: [{name: webhooks, containerPort: 9443}]
";
    let manifest = stream(&[FUNCTION.to_owned(), core.to_owned()]);
    let one = all_with("ports: keep", "functions: OnePerNode");
    assert_snapshot!(worded(run(&one, &manifest).1.join("\n")), @"
    error: standard input:1:1: Function function-auto-ready, container package-runtime, port metrics (8080) and Deployment crossplane-system/crossplane, container crossplane both use port 8080/TCP of their node: the second one could not start. Give one of the two another number in `ports`. If they never share a node, write `shared: [{port: 8080, between: [pkg.crossplane.io/Function/function-auto-ready, crossplane-system/Deployment/crossplane]}]` in the spec. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-conflict]
    warning: standard input:1:1: Deployment crossplane-system/crossplane and Function function-auto-ready hold 9443/TCP of their node. The scheduler keeps them on different nodes: 2 pods need at least 2 nodes; a rollout that starts new pods first needs one more, and 4 if all workloads roll out at the same time. To accept this, write `shared: [{port: 9443, between: [crossplane-system/Deployment/crossplane, pkg.crossplane.io/Function/function-auto-ready]}]` in the spec [port-conflict]
    warning: standard input:1:1: Function function-auto-ready names no runtime config, and the input has none called `default`: the package gets a new one, so settings of the cluster's `default` no longer apply to it. If the cluster has that object, add it to the input [runtime-config]
    ");
}

/// Up to v1.19 the core compares the address of a function with `NO_PROXY`, and the move changes the address.
#[test]
fn the_proxy_of_the_core_is_reported_if_functions_move() {
    let found = |version: &str, list: &str| {
        let core = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec: {{template: {{spec: {{containers: \
             [{{name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:{version}', args: [core, start], env: [{{name: HTTPS_PROXY, value: 'http://p:1'}}, {{name: NO_PROXY, value: '{list}'}}]}}]}}}}}}\n"
        );
        let log = run(&all_with("ports: keep", "functions: OnePerNode"), &stream(&[core, FUNCTION.to_owned()])).1;
        log.into_iter().filter(|line| line.contains("NO_PROXY")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(worded(found("v1.19.2", ".svc,10.244.0.0/16")), @"warning: standard input:1:1: Deployment crossplane-system/crossplane, container crossplane: Crossplane v1.19.2 (the image of Deployment crossplane-system/crossplane) compares the address of a function with NO_PROXY, and Function function-auto-ready gets the address of its node. Add the nodes' range to NO_PROXY, which has only 10.244.0.0/16: `cluster: {nodes: [...]}` of a ProxyEnvironment [function]");
    for (version, list) in
        [("v1.19.2", "10.0.0.0/8"), ("v1.19.2", "10.244.0.0/16,10.1.0.0/16"), ("v1.20.0", "10.244.0.0/16")]
    {
        assert_eq!(found(version, list), "", "{version} {list}");
    }
}
