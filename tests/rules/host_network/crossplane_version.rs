//! Rule `crossplane-version`: features that the running version of Crossplane lacks.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::packages::{EC2, FUNCTION, NUMBERS, S3_IMAGE, all, all_with, provider, runtime_config, stream};
use super::{changes, infos, run};

#[test]
fn features_of_crossplane_depend_on_its_version() {
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own")]);
    let of = |ports: &str, version: &str| changes(&all_with(ports, &format!("version: {version}")), &manifest);
    assert_snapshot!(worded(of("ports: keep", "v1.13.2")), @"error: standard input:1:1: Provider s3 cannot move: Crossplane v1.13.2 (`crossplane.version` of the config) has no DeploymentRuntimeConfig, which came with v1.14.0, and a ControllerConfig cannot set `hostNetwork`. Upgrade Crossplane, or put the package under `exclude` [crossplane-version]");
    for version in ["v1.14.0", "v1.18.5"] {
        assert_eq!(of("ports: keep", version), of("ports: keep", "v1.16.0"));
        assert_eq!(of(NUMBERS, version).replace(version, "v1.16.0"), of(NUMBERS, "v1.16.0"));
    }
    assert_snapshot!(brief(of("ports: keep", "v1.16.0")), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 8080)
    ");
    assert_snapshot!(worded(of("ports: auto", "v1.16.0")), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: standard input:1:1: Provider s3: keeps its ports: Crossplane v1.16.0 (`crossplane.version` of the config) adds its own ports to the ports of a runtime config; v1.19.0 is the first version that uses the runtime config's ports. Only hostNetwork and dnsPolicy can be set [crossplane-version]
    warning: standard input:25:13: Provider s3, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: `auto` could not move it: name the setting of its number in `bind`, or put the workload under `exclude` [node-port]
    ");
    let named = of("ports: {webhook: keep, metrics: auto}", "v1.16.0");
    assert!(named.contains("keeps its ports: Crossplane v1.16.0") && !named.contains("cannot move"), "{named}");
    assert_snapshot!(worded(of(NUMBERS, "v1.16.0")), @"error: standard input:1:1: Provider s3: its ports cannot move: Crossplane v1.16.0 (`crossplane.version` of the config) adds its own ports to the ports of a runtime config; v1.19.0 is the first version that uses the runtime config's ports. Upgrade Crossplane, or write `ports: keep` [crossplane-version]");
    for version in ["v2.0.0", "v2.2.0", "v2.3.4"] {
        assert_eq!(of(NUMBERS, version), of(NUMBERS, "v1.19.0"), "{version}");
    }
    assert_eq!(of(NUMBERS, "v2.3.4"), changes(&all(NUMBERS), &manifest), "unknown is the newest");
}

#[test]
fn the_version_comes_from_the_core_in_the_input() {
    let package = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own")]);
    let core = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane, namespace: crossplane-system}
spec:
  template:
    spec:
      containers:
      - {name: crossplane, image: xpkg.crossplane.io/crossplane/crossplane:v1.18.5, args: [core, start]}
";
    let release = |version: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane}}\nspec:\n  chart:\n    \
             spec: {{chart: crossplane, version: {version}}}\n"
        )
    };
    let reported = |more: &str| run(&all(NUMBERS), &stream(&[package.clone(), more.to_owned()])).1.join("\n");
    assert_snapshot!(worded(reported(core)), @"error: standard input:1:1: Provider s3: its ports cannot move: Crossplane v1.18.5 (the image of Deployment crossplane-system/crossplane) adds its own ports to the ports of a runtime config; v1.19.0 is the first version that uses the runtime config's ports. Upgrade Crossplane, or write `ports: keep` [crossplane-version]");
    assert_snapshot!(worded(reported(&release("1.13.0"))), @"error: standard input:1:1: Provider s3 cannot move: Crossplane v1.13.0 (the chart version of HelmRelease crossplane) has no DeploymentRuntimeConfig, which came with v1.14.0, and a ControllerConfig cannot set `hostNetwork`. Upgrade Crossplane, or put the package under `exclude` [crossplane-version]");
    // A range has the answer of all its versions: Flux installs the newest.
    for range in ["1.13.x", "~1.13.2", ">=1.12.0 <1.14.0"] {
        let message = reported(&release(&format!("'{range}'")));
        assert!(
            message.contains(&format!("(the chart version {range} of HelmRelease crossplane) has no Dep")),
            "{message}"
        );
    }
    for range in ["^2.0.0", ">=1.19 <2.0.0", "1.20.*", "*"] {
        assert_eq!(reported(&release(&format!("'{range}'"))), "", "{range}");
    }
    assert_snapshot!(worded(reported(&release("'>=1.13'"))), @"warning: the chart version >=1.13 of HelmRelease crossplane allows releases before v1.14.0 and later ones, and these packages differ between them. The newest is assumed; find the release that runs, and give it with `crossplane: {version: v2.0.2}` in the spec [crossplane-version]");
    assert_eq!(reported(&release("1.13.0").replace("chart: crossplane,", "chart: podinfo,")), "");
    let newest = infos(&all(NUMBERS), &package, "crossplane-version");
    assert_eq!(infos(&all(NUMBERS), &stream(&[package, core.to_owned()]), "crossplane-version"), "");
    assert_eq!(infos(&all(NUMBERS), FUNCTION, "crossplane-version"), "", "nothing moves");
    assert_snapshot!(worded(newest), @"info: the input does not show the version of Crossplane, so the newest is assumed; give it with `crossplane: {version: v2.0.2}` in the spec [crossplane-version]");
}

#[test]
fn older_versions_refuse_a_port_of_crossplane() {
    let with = |port: &str| {
        let ports = format!("            ports:\n            - {port}\n");
        stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own") + &ports])
    };
    let of = |port: &str| changes(&all_with("ports: keep", "version: v1.18.5"), &with(port));
    assert_snapshot!(worded(of("{name: metrics, containerPort: 8080}")), @"error: standard input:1:1: Provider s3 is not changed: Crossplane v1.18.5 (`crossplane.version` of the config) declares ports webhook (9443; of a Function grpc) and metrics (8080) in addition to the ports of a runtime config, and that config also declares port metrics (8080), so that its Deployment would have a name or a number twice. Remove that port, or upgrade Crossplane to v1.19.0 [crossplane-version]");
    assert_snapshot!(brief(of("{containerPort: 9443}")), @"error: crossplane-version Provider s3 (1:1, 8080, 9443, v1.18.5, v1.19.0)");
    assert_snapshot!(brief(of("{name: webhook, containerPort: 9444}")), @"error: crossplane-version Provider s3 (1:1, 8080, 9443, 9444, v1.18.5, v1.19.0)");
    assert_snapshot!(brief(of("{name: more, containerPort: 9999}")), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -            - {name: more, containerPort: 9999}
    +            - {name: more, containerPort: 9999, hostPort: 9999}
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 8080)
    ");
    assert_snapshot!(brief(of("{name: dns, containerPort: 9443, protocol: UDP}")), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -            - {name: dns, containerPort: 9443, protocol: UDP}
    +            - {name: dns, containerPort: 9443, hostPort: 9443, protocol: UDP}
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 8080)
    ");
}

#[test]
fn older_versions_stop_a_second_provider_with_the_reason() {
    let manifest = stream(&[provider("s3", S3_IMAGE, None), provider("ec2", EC2, None)]);
    let log = run(&all_with("ports: auto", "version: v1.18.5"), &manifest).1;
    let versions: Vec<String> = log.into_iter().filter(|line| line.contains("[crossplane-version]")).collect();
    assert_snapshot!(brief(versions.join("\n")), @"
    warning: crossplane-version Provider ec2 (8:1, v1.18.5, v1.19.0)
    warning: crossplane-version Provider s3 (1:1, v1.18.5, v1.19.0)
    ");
}

#[test]
fn the_version_in_the_config_wins_over_the_input() {
    let core = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: uxp}\nspec:\n  template:\n    spec:\n      containers:\n      - \
                {name: core, image: 'xpkg.upbound.io/upbound/universal-crossplane:v1.13.2-up.1'}\n";
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own"), core.to_owned()]);
    assert_snapshot!(worded(run(&all("ports: auto"), &manifest).1.join("\n")), @"error: standard input:1:1: Provider s3 cannot move: Crossplane v1.13.2-up.1 (the image of Deployment uxp) has no DeploymentRuntimeConfig, which came with v1.14.0, and a ControllerConfig cannot set `hostNetwork`. Upgrade Crossplane, or put the package under `exclude` [crossplane-version]");
    assert_eq!(run(&all_with("ports: auto", "version: v2.3.4"), &manifest).1, [""; 0]);
}

/// The API server never stores such a package, so the move has no effect.
#[test]
fn a_name_that_the_api_server_refuses_is_a_warning() {
    let found = |version: &str, image: &str| {
        let manifest = stream(&[provider("s3", image, Some("own")), runtime_config("own")]);
        let log = run(&all_with("ports: keep", &format!("version: {version}")), &manifest).1;
        log.into_iter().filter(|line| line.contains("refused by the API server")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(worded(found("v2.3.4", "localhost:5000/acme/provider-demo:v0.1.0")), @"warning: standard input:1:1: Provider s3: `spec.package` `localhost:5000/acme/provider-demo:v0.1.0` is refused by the API server with Crossplane v2.3.4 (`crossplane.version` of the config): `must be a fully qualified image name, including the registry, repository, and tag or digest`; `localhost:5000` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000` [crossplane-version]");
    assert_eq!(found("v1.20.11", "localhost:5000/acme/provider-demo:v0.1.0"), "");
    assert_eq!(found("v2.3.4", S3_IMAGE), "");
}
