//! `hostnet proxy check`: for each container and destination, direct or by proxy.

use std::process::Command;

use crate::support::{run, text};

pub(super) const FUNCTIONS: &str = "\
---
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-auto-ready}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v0.5.0'}
---
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-x}
spec: {package: 'registry.corp.svc/function-x:v1', runtimeConfigRef: {name: renamed}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: renamed}
spec: {serviceTemplate: {metadata: {name: other}}}
";

pub(super) fn core(version: &str, env: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec: {{template: {{spec: {{containers: \
         [{{name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:{version}', args: [core, start], env: [{env}]}}]}}}}}}\n"
    )
}

pub(super) fn env(list: &str) -> String {
    format!("{{name: HTTPS_PROXY, value: 'http://p:3128'}}, {{name: NO_PROXY, value: '{list}'}}")
}

/// The output and the exit code.
pub(super) fn check(args: &[&str], manifest: &str) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = run(command.args(["proxy", "check"]).args(args), manifest.as_bytes());
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

/// An entry that the kubelet does not expand matches nothing.
#[test]
fn an_unexpanded_entry_is_compared_as_text() {
    let manifest = |first: &str, second: &str| {
        core("v2.3.4", &format!("{{name: HTTPS_PROXY, value: 'http://p:3128'}}, {first}, {second}")) + FUNCTIONS
    };
    let (copy, list) = ("{name: NO_PROXY, value: '$(no_proxy)'}", "{name: no_proxy, value: .crossplane-system}");
    let (log, code) = check(&[], &manifest(copy, list));
    assert!(code == Some(1) && log.contains("error: proxy: ") && !log.contains("unknown: "), "{log}");
    let (log, _) = check(&[], &manifest(list, copy));
    assert!(
        log.contains("-> function function-x other.crossplane-system:9443: the entry `.crossplane-system` matches"),
        "{log}"
    );
}

/// The usual list of tutorials, for releases before and after v1.20: its errors, and the missing entries.
#[test]
fn the_usual_list_is_judged_by_version() {
    let usual =
        "localhost,127.0.0.1,.internal,kubernetes.default.svc.cluster.local,kubernetes.default.svc,.cluster.local,.svc";
    let all = ["v1.14.0", "v1.19.3", "v2.3.4", "latest"].map(|version| {
        let (log, code) = check(&[], &(core(version, &env(usual)) + FUNCTIONS));
        format!("{version}: exit code {}\n{log}", code.unwrap())
    });
    insta::assert_snapshot!(all.join("\n"), @r"
        v1.14.0: exit code 1
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: NO_PROXY has no range of addresses; Crossplane v1.14.0 (grpc-go v1.59.0) compares the address of the pod. Add to NO_PROXY: the range of the pods' addresses [proxy-reach]
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: NO_PROXY has no range of addresses; Crossplane v1.14.0 (grpc-go v1.59.0) compares the address of the pod. Add to NO_PROXY: the range of the pods' addresses [proxy-reach]
        unknown: Deployment crossplane-system/crossplane, container crossplane -> the API server: its address is not known, and the entry `.internal` may match it
        direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.corp.svc: the entry `.svc` matches
        proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: no entry matches

        v1.19.3: exit code 1
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: NO_PROXY has no range of addresses; Crossplane v1.19.3 (grpc-go v1.68.0) compares the address of the pod. Add to NO_PROXY: the range of the pods' addresses [proxy-reach]
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: NO_PROXY has no range of addresses; Crossplane v1.19.3 (grpc-go v1.68.0) compares the address of the pod. Add to NO_PROXY: the range of the pods' addresses [proxy-reach]
        unknown: Deployment crossplane-system/crossplane, container crossplane -> the API server: its address is not known, and the entry `.internal` may match it
        direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.corp.svc: the entry `.svc` matches
        proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: no entry matches

        v2.3.4: exit code 1
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: no entry matches; Crossplane v2.3.4 (grpc-go v1.82.1) compares the name. Add to NO_PROXY: .crossplane-system [proxy-reach]
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: no entry matches; Crossplane v2.3.4 (grpc-go v1.82.1) compares the name. Add to NO_PROXY: .crossplane-system [proxy-reach]
        unknown: Deployment crossplane-system/crossplane, container crossplane -> the API server: its address is not known, and the entry `.internal` may match it
        direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.corp.svc: the entry `.svc` matches
        proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: no entry matches

        latest: exit code 1
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: no entry matches; Crossplane from v1.20 on compares the name, and older versions compare the address of the pod; the version is not known. Add to NO_PROXY: .crossplane-system [proxy-reach]
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: no entry matches; Crossplane from v1.20 on compares the name, and older versions compare the address of the pod; the version is not known. Add to NO_PROXY: .crossplane-system [proxy-reach]
        warning: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: NO_PROXY has no range of addresses; Crossplane from v1.20 on compares the name, and older versions compare the address of the pod; the version is not known. Add to NO_PROXY: the range of the pods' addresses [proxy-reach]
        warning: proxy: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: NO_PROXY has no range of addresses; Crossplane from v1.20 on compares the name, and older versions compare the address of the pod; the version is not known. Add to NO_PROXY: the range of the pods' addresses [proxy-reach]
        unknown: Deployment crossplane-system/crossplane, container crossplane -> the API server: its address is not known, and the entry `.internal` may match it
        direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.corp.svc: the entry `.svc` matches
        proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: no entry matches
    ");
}

#[test]
fn names_work_only_from_v1_20_on() {
    let names = "$(KUBERNETES_SERVICE_HOST),.crossplane-system,.svc,.crossplane.io";
    let old = check(&[], &(core("v1.19.3", &env(names)) + FUNCTIONS));
    assert!(old.1 == Some(1) && old.0.contains("Add to NO_PROXY: the range of the pods' addresses"), "{}", old.0);
    let new = check(&[], &(core("v2.3.4", &env(names)) + FUNCTIONS));
    assert_eq!(new.1, Some(0), "{}", new.0);
    assert!(new.0.contains("function function-x other.crossplane-system:9443"), "{}", new.0);
}

#[test]
fn opaque_values_are_unknown_and_no_error() {
    let secret =
        "{name: HTTPS_PROXY, value: 'http://p:1'}, {name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}";
    for env in [secret.to_owned(), env("${NO_PROXY}"), env("a.com,$(OTHER)")] {
        let (log, code) = check(&[], &core("v2.3.4", &env));
        assert!(code == Some(0) && log.contains("unknown: ") && !log.contains("error"), "{log}");
    }
}

#[test]
fn containers_without_a_proxy_are_not_judged() {
    for env in ["", "{name: NO_PROXY, value: a.com}"] {
        assert_eq!(
            check(&[], &core("v2.3.4", env)),
            ("no container has HTTPS_PROXY or HTTP_PROXY\n".to_owned(), Some(0))
        );
    }
}

/// A proxy that a webhook added to a container that may contact the API server.
#[test]
fn the_api_server_by_proxy_is_a_warning_for_any_container() {
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: rbac, namespace: n}\nspec: {containers: [{name: c, image: i, env: [{name: https_proxy, value: 'http://p:1'}]}]}\n";
    let (log, code) = check(&[], manifest);
    assert!(code == Some(0) && log.starts_with("warning: proxy: "), "{log}");
    assert!(log.contains("Add to NO_PROXY: $(KUBERNETES_SERVICE_HOST)"), "{log}");
}

#[test]
fn with_a_config_the_planned_variables_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("proxy.yaml");
    let write = |more: &str| {
        let spec = format!(
            "{{httpsProxy: 'http://p:3128', cluster: {{pods: [10.244.0.0/16], services: [10.96.0.0/12]}}, targets: [{{select: {{name: crossplane}}}}]{more}}}"
        );
        std::fs::write(&config, format!("apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nspec: {spec}\n"))
            .unwrap();
    };
    write(
        ", destinations: [{host: 'git.corp:22', wanted: Direct}, {host: 10.100.0.1, wanted: Proxy}, {host: example.com}]",
    );
    let path = config.to_str().unwrap();
    let (text, code) = check(&["-c", path], &(core("v1.19.3", "") + FUNCTIONS));
    insta::assert_snapshot!(format!("{text}exit code {}", code.unwrap()), @r#"
        error: proxy: Deployment crossplane-system/crossplane, container crossplane -> a destination of the config git.corp:22: no entry matches. Add to NO_PROXY: git.corp [proxy-reach]
        error: direct: Deployment crossplane-system/crossplane, container crossplane -> a destination of the config 10.100.0.1: the entry `10.96.0.0/12` matches [proxy-reach]
        direct: Deployment crossplane-system/crossplane, container crossplane -> the API server 10.96.0.1: the entry `$(KUBERNETES_SERVICE_HOST)` is its address
        direct: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: the entry `10.244.0.0/16` contains the addresses; Crossplane v1.19.3 (grpc-go v1.68.0) compares the address of the pod
        direct: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: the entry `10.244.0.0/16` contains the addresses; Crossplane v1.19.3 (grpc-go v1.68.0) compares the address of the pod
        direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.corp.svc: the entry `.svc` matches
        proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: no entry matches
        proxy: Deployment crossplane-system/crossplane, container crossplane -> a destination of the config example.com: no entry matches
        exit code 1
    "#);
    write("");
    let (json, code) = check(&["-c", path, "-o", "json"], &(core("v1.19.3", "") + FUNCTIONS));
    assert_eq!(code, Some(0), "{json}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["rows"].as_array().unwrap().iter().all(|row| row["severity"].is_null()), "{json}");
}

#[test]
fn a_config_of_another_kind_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.yaml");
    std::fs::write(
        &config,
        "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: a}}]}}",
    )
    .unwrap();
    let (log, code) = check(&["-c", config.to_str().unwrap()], "");
    assert!(code == Some(1) && log.contains("expected `ProxyEnvironment`"), "{log}");
}

/// Go treats an empty upper-case variable as unset, and reads the lower-case variable.
#[test]
fn the_lower_case_is_read_if_the_upper_case_is_empty() {
    let list = "$(KUBERNETES_SERVICE_HOST),.crossplane-system";
    let env = |upper: &str, lower: &str| {
        format!(
            "{{name: HTTPS_PROXY, value: 'http://p:1'}}, {{name: NO_PROXY, value: '{upper}'}}, {{name: no_proxy, value: '{lower}'}}"
        )
    };
    assert_eq!(check(&[], &core("v2.3.4", &env("", list))).1, Some(0));
    assert_eq!(check(&[], &core("v2.3.4", &env(list, "a.com"))).1, Some(0));
    assert_eq!(check(&[], &core("v2.3.4", &env("a.com", list))).1, Some(1));
    assert_eq!(check(&[], &core("v2.3.4", &env(list, "$(NO_PROXY)"))).1, Some(0));
    assert_eq!(
        check(&[], &core("v2.3.4", &env("", list).replace("NO_PROXY, value: ''", "PROXY_LESS, value: ''"))).1,
        Some(0)
    );
}

/// The suggested command has a config only if this command has one.
#[test]
fn the_hint_for_a_kustomization_repeats_the_command() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kustomization.yaml"), "resources: []\n").unwrap();
    let run = crate::support::run::hostnet(folder.path(), &["proxy", "check", "."], b"");
    assert!(run.stderr.contains("`hostnet proxy check --build .` reads its build\n"), "{}", run.stderr);
}

/// Up to v1.19 the core compares the address of a function, which on the host network is a node's.
#[test]
fn functions_on_the_host_network_need_the_range_of_the_nodes() {
    let functions = FUNCTIONS.replace(
        "spec: {serviceTemplate",
        "spec: {deploymentTemplate: {spec: {selector: {}, template: {spec: {hostNetwork: true, containers: []}}}}, serviceTemplate",
    );
    let rows = |version: &str, list: &str| {
        let (log, code) = check(&[], &(core(version, &env(list)) + &functions));
        let rows: Vec<&str> = log.lines().filter(|line| line.contains("-> function ")).collect();
        (rows.join("\n"), code)
    };
    insta::assert_snapshot!(rows("v1.19.2", ".crossplane-system,10.244.0.0/16").0, @"
    warning: unknown: Deployment crossplane-system/crossplane, container crossplane -> function function-x other.crossplane-system:9443: direct if 10.244.0.0/16 has the nodes' addresses, since the function's pod is on the host network; Crossplane v1.19.2 (grpc-go v1.68.0) compares the address of the pod [proxy-reach]
    unknown: Deployment crossplane-system/crossplane, container crossplane -> function function-auto-ready function-auto-ready.crossplane-system:9443: direct if 10.244.0.0/16 has the pods' addresses; Crossplane v1.19.2 (grpc-go v1.68.0) compares the address of the pod
    ");
    for list in ["10.0.0.0/8", "10.244.0.0/16,192.168.0.0/24", "*"] {
        let (log, _) = rows("v1.19.2", list);
        assert!(!log.contains("warning:") && !log.contains("error:"), "{list}: {log}");
    }
    assert!(rows("v1.19.2", ".svc").0.contains("Add to NO_PROXY: the range of the nodes' addresses"));
    assert!(!rows("v1.20.0", ".crossplane-system,10.244.0.0/16").0.contains("warning:"));
}

/// Variables from absent objects, and policies that name one, are not known.
#[test]
fn variables_from_outside_of_the_input_are_unknown() {
    let pod = |env: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: n}}\nspec: {{containers: [{{name: c, image: x, {env}}}]}}\n"
        )
    };
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: p, namespace: n}\ndata: {A: b}\n";
    let policy = |name: &str| {
        format!(
            "---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec: {{rules: [{{mutate: {{patchStrategicMerge: {{spec: {{containers: [{{(name): \
             '*', env: [{{name: {name}, value: x}}]}}]}}}}}}}}]}}\n"
        )
    };
    let from = pod("envFrom: [{configMapRef: {name: p}}]");
    let none = "no container has HTTPS_PROXY or HTTP_PROXY\n";
    insta::assert_snapshot!(check(&[], &from).0, @"
    unknown: Pod n/a, container c: its envFrom names ConfigMap p, which is not in the input
    no container that was read has HTTPS_PROXY or HTTP_PROXY
    ");
    insta::assert_snapshot!(check(&[], &(pod("env: []") + &policy("HTTPS_PROXY"))).0, @"
    unknown: ClusterPolicy p: it names a proxy variable, and is not evaluated
    no container that was read has HTTPS_PROXY or HTTP_PROXY
    ");
    assert_eq!(check(&[], &(from + map)).0, none);
    assert_eq!(check(&[], &(pod("env: []") + &policy("OTHER"))).0, none);
    assert_eq!(check(&[], &pod("envFrom: [{configMapRef: {name: p}, prefix: MY_}]")).0, none);
}
