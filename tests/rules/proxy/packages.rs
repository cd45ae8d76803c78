//! Crossplane's packages, whose containers are configured by a DeploymentRuntimeConfig or ControllerConfig.

use hostnet::api::{AnyConfig, HostNetworkConfig};
use hostnet::kinds;
use krm::{Input, Origin};

use super::{CLUSTER, run, settled};

pub(super) const SPEC: &str = "httpsProxy: 'http://p:3128', case: Upper, crossplane: {version: v2.3.4, namespace: crossplane-system}, \
                    targets: [{select: {group: pkg.crossplane.io, kind: Provider}}]";

pub(super) fn provider(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec:\n  package: example.com/{name}:v1.0.0\n{spec}---\n"
    )
}

fn provider_with_runtime_config(name: &str, config: &str) -> String {
    provider(name, &format!("  runtimeConfigRef: {{name: {config}}}\n"))
}

const RUNTIME: &str = "\
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: shared}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            env:
            - {name: A, value: b} # theirs
";

pub(super) fn shown((output, log): (String, String)) -> String {
    format!("{}{}", output.replace(CLUSTER, "CLUSTER"), log.replace(CLUSTER, "CLUSTER"))
}

#[test]
fn a_runtime_config_of_selected_packages_is_changed_once() {
    let manifest = provider_with_runtime_config("a", "shared") + &provider_with_runtime_config("b", "shared") + RUNTIME;
    let (output, _) = settled(SPEC, &manifest);
    assert_eq!(output.matches("HTTPS_PROXY").count(), 1, "{output}");
    assert!(!output.contains("hostnet-"), "{output}");
}

/// Two packages need different entries, and share a list.
#[test]
fn a_runtime_config_of_two_targets_gets_the_entries_of_both() {
    let spec = SPEC.replace(
        "targets: [{select: {group: pkg.crossplane.io, kind: Provider}}]",
        "noProxy: [all.com], targets: [{select: {name: a}, noProxy: [a.com]}, {select: {name: b}, noProxy: [b.com]}]",
    );
    let (output, _) = settled(
        &spec,
        &(provider_with_runtime_config("a", "shared") + &provider_with_runtime_config("b", "shared") + RUNTIME),
    );
    assert!(output.contains("a.com,all.com,localhost") && output.contains(",b.com\""), "{output}");
}

#[test]
fn a_target_may_name_containers_of_a_runtime_config() {
    let sidecar = RUNTIME.to_owned() + "          - name: sidecar\n            image: example.com/sidecar\n";
    let spec = |containers: &str| {
        SPEC.replace("kind: Provider}}]", &format!("kind: Provider}}, containers: [{containers}]}}]"))
    };
    let manifest = provider_with_runtime_config("a", "shared") + &sidecar;
    let (own, _) = settled(SPEC, &manifest);
    assert_eq!(own, settled(&spec("package-runtime"), &manifest).0);
    let (output, log) = settled(&spec("sidecar, gone"), &manifest);
    let (runtime, other) = output.split_once("- name: sidecar").unwrap();
    assert!(!runtime.contains("HTTPS_PROXY") && other.contains("HTTPS_PROXY"), "{output}");
    assert!(log.contains("Provider a: it has no container gone"), "{log}");
    assert_eq!(settled(&spec("package-runtime, sidecar"), &manifest).0.matches("HTTPS_PROXY").count(), 2);
    let (output, log) = settled(&spec("gone"), &provider("a", ""));
    assert!(!output.contains("hostnet-a") && log.contains("no container gone"), "{output}{log}");
}

#[test]
fn a_runtime_config_shared_with_other_packages_is_copied() {
    let function = "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: f}\nspec: {package: 'example.com/f:v1', runtimeConfigRef: {name: shared}}\n---\n";
    let manifest = provider_with_runtime_config("a", "shared") + function + RUNTIME;
    insta::assert_snapshot!(shown(settled(SPEC, &manifest)), @r#"
        apiVersion: pkg.crossplane.io/v1
        kind: Provider
        metadata: {name: a}
        spec:
          package: example.com/a:v1.0.0
          runtimeConfigRef: {name: hostnet-a}
        ---
        apiVersion: pkg.crossplane.io/v1
        kind: Function
        metadata: {name: f}
        spec: {package: 'example.com/f:v1', runtimeConfigRef: {name: shared}}
        ---
        apiVersion: pkg.crossplane.io/v1beta1
        kind: DeploymentRuntimeConfig
        metadata: {name: shared}
        spec:
          deploymentTemplate:
            spec:
              selector: {}
              template:
                spec:
                  containers:
                  - name: package-runtime
                    env:
                    - {name: A, value: b} # theirs
        ---
        apiVersion: pkg.crossplane.io/v1beta1
        kind: DeploymentRuntimeConfig
        metadata: {name: hostnet-a}
        spec:
          deploymentTemplate:
            spec:
              selector: {}
              template:
                spec:
                  containers:
                  - name: package-runtime
                    env:
                    - {name: A, value: b} # theirs
                    - {name: HTTPS_PROXY, value: http://p:3128}
                    - {name: NO_PROXY, value: "CLUSTER"}
    "#);
}

/// The addresses are entries for every container, unless the config leaves them to the proxy.
#[test]
fn metadata_services_are_direct_by_default() {
    let manifest = provider_with_runtime_config("a", "shared") + RUNTIME;
    let web = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: n}\nspec: {template: {spec: {containers: [{name: web}]}}}\n";
    let spec = SPEC.replace("targets: [", "targets: [{select: {kind: Deployment}}, ");
    let all = ",169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal";
    let output = settled(&spec, &(manifest.clone() + web)).0;
    assert_eq!(output.matches(all).count(), 2, "{output}");
    let output = settled(&format!("{spec}, metadataService: Proxy"), &(manifest + web)).0;
    assert!(output.matches("NO_PROXY").count() == 2 && !output.contains("169.254"), "{output}");
}

pub(super) const CONTROLLER: &str = "apiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: c}\nspec:\n  env:\n  - {name: A, value: b}\n";

#[test]
fn a_missing_runtime_config_is_an_error() {
    let (_, log) = run(SPEC, &provider_with_runtime_config("a", "gone"));
    assert!(log.contains("DeploymentRuntimeConfig gone, which is not in the input"), "{log}");
    let (_, log) = run(&SPEC.replace("v2.3.4", "v1.13.0"), &provider("a", ""));
    assert!(log.contains("Provider a cannot get variables: Crossplane v1.13.0"), "{log}");
}

#[test]
fn duplicate_variables_are_errors_with_server_side_apply() {
    let doubled = RUNTIME.replace(
        "{name: A, value: b}",
        "{name: HTTPS_PROXY, value: 'http://p:3128'}\n            - {name: HTTPS_PROXY, value: 'http://p:3128'}",
    );
    let manifest = provider_with_runtime_config("a", "shared") + &doubled;
    assert!(run(SPEC, &manifest).1.contains("warning"), "{}", run(SPEC, &manifest).1);
    let newer = SPEC.replace("v2.3.4", "v2.4.0");
    assert!(run(&newer, &manifest).1.contains("error"), "{}", run(&newer, &manifest).1);
}

/// The objects of a stream, without the order of variables, which does not matter if no variable refers to another.
fn objects(text: &str) -> Vec<serde_json::Value> {
    let mut objects: Vec<serde_json::Value> = serde_yaml::Deserializer::from_str(text)
        .map(|document| <serde_json::Value as serde::Deserialize>::deserialize(document).unwrap())
        .filter(|object| !object.is_null())
        .collect();
    for object in &mut objects {
        let path = "/spec/deploymentTemplate/spec/template/spec/containers/0/env";
        if let Some(serde_json::Value::Array(env)) = object.pointer_mut(path) {
            env.sort_by_key(|variable| variable["name"].to_string());
        }
    }
    objects.sort_by_key(|object| (object["kind"].to_string(), object["metadata"]["name"].to_string()));
    objects
}

/// Results of a ProxyEnvironment after a HostNetwork, and before it.
fn in_both_orders(manifest: &str) -> [String; 2] {
    let proxy = super::config(SPEC).unwrap();
    let network = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {crossplane: {version: v2.3.4}, targets: [{select: {kind: Provider}, ports: auto}]}}";
    let network = AnyConfig::HostNetwork(Box::new(HostNetworkConfig::read(network, "h.yaml", 1).unwrap()));
    let apply = |config: &AnyConfig, manifest: &str| {
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        let run = kinds::run(std::slice::from_ref(&input), config, false).unwrap();
        assert!(!run.failed(), "{:?}", run.results);
        input.output(&run.splices[0])
    };
    [apply(&proxy, &apply(&network, manifest)), apply(&network, &apply(&proxy, manifest))]
}

/// Crossplane v2 ignores a ControllerConfig, and a HostNetwork merges it into the runtime config.
#[test]
fn the_order_does_not_matter_with_an_ignored_controller_config() {
    let default = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: default}\nspec: {}\n---\n";
    let named = "  controllerConfigRef: {name: c}\n";
    for variables in ["- {name: A, value: b}", "- {name: NO_PROXY, value: q.com}"] {
        let controller = CONTROLLER.replace("- {name: A, value: b}", variables);
        for (name, config) in [("own", RUNTIME.replace("name: shared", "name: own")), ("default", default.to_owned())] {
            let own = format!("  runtimeConfigRef: {{name: {name}}}\n{named}");
            let [one, other] = in_both_orders(&(provider("a", &own) + &config + "---\n" + &controller));
            // The runtime config that the package no longer names may have the variables.
            let in_force = |text: &str| {
                let is_former = |object: &serde_json::Value| object["metadata"]["name"] == name;
                objects(text).into_iter().filter(|object| !is_former(object)).collect::<Vec<_>>()
            };
            assert_eq!(in_force(&one), in_force(&other), "{name} {variables}");
            let is_moved = one.contains("runtimeConfigRef: {name: hostnet-a}") && one.contains("hostNetwork: true");
            assert!(is_moved && one.contains("HTTPS_PROXY") && !one.contains("controllerConfigRef"), "{one}");
        }
    }
}

/// A package that no target selects references the ControllerConfig too.
#[test]
fn an_ignored_controller_config_of_other_packages_is_reported() {
    let spec = SPEC.replace("kind: Provider", "name: a");
    let named = "  controllerConfigRef: {name: c}\n";
    let manifest = provider("a", named) + &provider("b", named);
    let reported = |controller: &str| {
        let (output, log) = run(&spec, &(manifest.clone() + controller));
        assert!(output.contains("HTTPS_PROXY") && output.ends_with(controller), "{output}");
        log.lines().filter(|line| line.ends_with("[controller-config]")).map(str::to_owned).collect::<String>()
    };
    assert_eq!(reported(CONTROLLER), "");
    insta::assert_snapshot!(reported(&CONTROLLER.replace("name: A", "name: NO_PROXY")), @"warning: controller-config Provider a (1:1, v2.3.4) | warning: standard input:1:1: Provider a: Crossplane v2.3.4 (`crossplane.version` of the config) ignores ControllerConfig c, which has other proxy variables. It is not changed, since Provider b names it too, and a HostNetwork would write them over the new ones: remove `controllerConfigRef` [controller-config]");
}

#[test]
fn the_order_of_the_kinds_does_not_matter() {
    let own = RUNTIME.replace("name: shared", "name: own");
    let manifest = provider_with_runtime_config("a", "own")
        + &provider("b", "")
        + "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: default}\nspec: {}\n---\n"
        + &own;
    let [one, other] = in_both_orders(&manifest);
    assert_eq!(objects(&one), objects(&other));
    assert!(one.contains("hostnet-b") && one.matches("HTTPS_PROXY").count() == 2, "{one}");
}

/// Crossplane's own types accept the output.
#[test]
fn crossplane_accepts_the_output() {
    for (line, version, manifest) in [
        ("v1.14", "v1.14.5", provider("a", "") + &provider_with_runtime_config("b", "shared") + RUNTIME),
        ("v2", "v2.3.4", provider("a", "") + &provider_with_runtime_config("b", "shared") + RUNTIME),
        ("v1.20", "v1.20.0", provider("a", "  controllerConfigRef: {name: c}\n") + CONTROLLER),
    ] {
        let (output, _) = settled(&SPEC.replace("v2.3.4", version), &manifest);
        if let Some(judged) = crate::support::crossplane::judged(line, &output) {
            judged.unwrap_or_else(|problem| panic!("{problem}\n{output}"));
        }
    }
}

/// A list in a ConfigMap is unchanged if pods of unselected packages read it, for any purpose.
#[test]
fn a_list_that_unselected_packages_read_is_unchanged() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: crossplane-system}\ndata: {NO_PROXY: b.com}\n";
    let reads = "- {name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}";
    let own = RUNTIME.replace("- {name: A, value: b} # theirs", reads);
    let other = |container: &str, name: &str| {
        let pod = format!(
            "spec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {{{container}}}}}}}}}}}\n"
        );
        format!(
            "---\napiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\n{pod}"
        )
    };
    let spec = SPEC.replace("case: Upper", "case: Upper, cluster: {services: [10.96.0.0/12]}");
    let reported = |more: &str| {
        let (output, log) = settled(&spec, &(provider_with_runtime_config("a", "shared") + &own + map + more));
        assert_eq!(output.contains("b.com,localhost"), log.is_empty(), "{output}{log}");
        log
    };
    let function = "---\napiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: f}\nspec: {package: 'example.com/f:v1', runtimeConfigRef: {name: other}}\n";
    let env_from = "containers: [{name: package-runtime, envFrom: [{configMapRef: {name: m}}]}]";
    // No other reader, another key, another object, or another selected package.
    assert_eq!(reported(""), "");
    assert_eq!(
        reported(
            &(other(
                "containers: [{name: package-runtime, env: [{name: A, valueFrom: {configMapKeyRef: {name: m, key: A}}}]}]",
                "other"
            ) + function)
        ),
        ""
    );
    assert_eq!(reported(&(other(&env_from.replace("name: m", "name: n"), "other") + function)), "");
    assert_eq!(
        reported(&format!("{}---\n{}", other(env_from, "other"), provider_with_runtime_config("b", "other"))),
        ""
    );
    for (container, name, by) in [
        (env_from, "other", "it is also used by Function f"),
        ("volumes: [{name: v, configMap: {name: m}}]", "other", "it is also used by Function f"),
        (
            "containers: [{name: sidecar, env: [{name: A, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]}]",
            "other",
            "it is also used by Function f",
        ),
        // Packages outside the input may use these runtime configs.
        (env_from, "default", "it is also used by DeploymentRuntimeConfig default"),
        (env_from, "nobodys", "it is also used by DeploymentRuntimeConfig nobodys"),
    ] {
        let log = reported(&(other(container, name) + function));
        assert!(log.contains(by), "{name}: {log}");
    }
    // If no range contains the API server, one warning is reported.
    let (_, unknown) = settled(SPEC, &(provider_with_runtime_config("a", "shared") + &own + map));
    assert!(
        unknown.starts_with("warning") && unknown.lines().count() == 1 && unknown.contains("is not expanded"),
        "{unknown}"
    );
    let old = SPEC.replace("v2.3.4", "v1.19.3");
    let controller = "---\napiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: c}\nspec: {envFrom: [{configMapRef: {name: m}}]}\n";
    let of = function.replace("runtimeConfigRef: {name: other}", "controllerConfigRef: {name: c}");
    let (_, log) = run(&old, &(provider_with_runtime_config("a", "shared") + &own + map + controller + &of));
    assert!(log.contains("it is also used by Function f"), "{log}");
}
