//! Rule `runtime-config`: the DeploymentRuntimeConfig of a package that moves.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::packages::{
    EC2, FUNCTION, NUMBERS, S3, S3_IMAGE, all, all_with, image_config, provider, runtime_config, stream,
};
use super::{changes, infos, run};

#[test]
fn an_own_runtime_config_is_edited_in_place() {
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own")]);
    assert_snapshot!(changes(&all(NUMBERS), &manifest), @r#"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 20080, hostPort: 20080
    +            - name: readyz, containerPort: 20081, hostPort: 20081
    +            env:
    +            - name: WEBHOOK_PORT, value: "20443"
    +            - name: METRICS_BIND_ADDRESS, value: :20080
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :20081
    "#);
}

#[test]
fn without_a_runtime_config_there_is_a_new_one_and_a_warning() {
    assert_snapshot!(brief(changes(&all(NUMBERS), S3)), @r#"
    +  runtimeConfigRef:
    +    name: hostnet-s3
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-s3
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
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 20080, hostPort: 20080
    +            - name: readyz, containerPort: 20081, hostPort: 20081
    +            env:
    +            - name: WEBHOOK_PORT, value: "20443"
    +            - name: METRICS_BIND_ADDRESS, value: :20080
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :20081
    warning: runtime-config Provider s3 (1:1)
    "#);
}

#[test]
fn a_missing_runtime_config_is_an_error_or_a_new_one() {
    let manifest = provider("s3", S3_IMAGE, Some("elsewhere"));
    assert_snapshot!(worded(changes(&all("ports: keep"), &manifest)), @"error: standard input:1:1: Provider s3 names DeploymentRuntimeConfig elsewhere, which is not in the input: its settings (such as an IAM role) would be lost. Add it to the input, or write `crossplane: {missingRuntimeConfig: CreateNew}` in the spec [runtime-config]");
    assert_snapshot!(worded(changes(&all_with("ports: keep", "missingRuntimeConfig: CreateNew"), &manifest)), @"
    -    name: elsewhere
    +    name: hostnet-s3
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-s3
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
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: standard input:1:1: Provider s3 names DeploymentRuntimeConfig elsewhere, which is not in the input: a new one replaces it, and its settings no longer apply to the package [runtime-config]
    warning: standard input:1:1: Provider s3, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    ");
}

#[test]
fn a_name_that_is_taken_leaves_the_package() {
    let manifest = stream(&[provider("s3", S3_IMAGE, None), runtime_config("hostnet-s3")]);
    assert_snapshot!(brief(changes(&all("ports: auto"), &manifest)), @"error: runtime-config Provider s3 (1:1)");
    let other = provider("ec2", EC2, None);
    let spec = "{targets: [{select: {kind: Provider}, ports: auto}], assigned: {pkg.crossplane.io/Provider/ec2/webhook: 20444}}";
    let log = run(spec, &stream(&[manifest, other])).1;
    assert_snapshot!(worded(log.join("\n")), @"
    warning: standard input:25:1: Provider ec2 names no runtime config, and the input has none called `default`: the package gets a new one, so settings of the cluster's `default` no longer apply to it. If the cluster has that object, add it to the input [runtime-config]
    warning: standard input:1:1: Provider s3 is not changed: its runtime config would be called hostnet-s3, and a DeploymentRuntimeConfig of that name exists. If it belongs to this package, name it in spec.runtimeConfigRef; else rename it [runtime-config]
    ");
}

#[test]
fn a_name_that_another_package_got_is_reported() {
    let function = FUNCTION.replace("function-auto-ready", "s3");
    let manifest = stream(&[provider("s3", S3_IMAGE, None), function]);
    let log = run(&all_with("ports: keep", "functions: OnePerNode"), &manifest).1;
    let log = log.into_iter().filter(|line| line.contains("stays")).collect::<Vec<_>>();
    assert_snapshot!(worded(log.join("\n")), @"");
}

#[test]
fn missing_dependencies_are_named_once() {
    let two = stream(&[provider("s3", S3_IMAGE, None), provider("ec2", EC2, None)]);
    assert_snapshot!(worded(infos(&all("ports: auto"), &two, "runtime-config")), @"info: packages that Crossplane installs as dependencies stay on the pod network: provider-family-aws (with s3, and with ec2 if it belongs to that family). Make each a separate Provider, or choose its runtime config by an ImageConfig (`spec.runtime.configRef`, Crossplane v2.2) [runtime-config]");
    let family = provider("family", "xpkg.upbound.io/upbound/provider-family-aws:v2.6.0", None);
    let listed = infos(&all("ports: auto"), &stream(&[two, family]), "runtime-config");
    assert!(!listed.contains("provider-family-aws (with"), "{listed}");
}

/// Dependencies are resolved unless a package skips them, and a family of one publisher is not the family of another.
#[test]
fn missing_dependencies_depend_on_the_publisher() {
    let missing = |packages: &[(&str, &str)]| {
        let packages: Vec<String> = packages.iter().map(|(name, image)| provider(name, image, None)).collect();
        let log = infos(&all("ports: auto"), &stream(&packages), "runtime-config");
        let list = log.lines().find_map(|line| line.split_once("as dependencies stay on the pod network: "));
        list.and_then(|(_, rest)| rest.split(". Make each").next()).unwrap_or_default().to_owned()
    };
    let (s3, family) = ("xpkg.upbound.io/upbound/provider-aws-s3:v2.6.0", "upbound/provider-family-aws:v2.6.0");
    let contrib = "xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.6.0";
    let other = "ghcr.io/acme/provider-aws-eks:v1.0.0";
    assert_eq!(missing(&[("s3", s3)]), "provider-family-aws (with s3)");
    // A mirror keeps the organization.
    assert_eq!(missing(&[("s3", s3), ("f", &format!("r.example.com/{family}"))]), "");
    assert_eq!(
        missing(&[("ec2", contrib), ("f", &format!("xpkg.upbound.io/{family}"))]),
        "provider-family-aws (with ec2)"
    );
    assert_eq!(
        missing(&[("s3", s3), ("eks", other)]),
        "provider-family-aws (with s3, and with eks if it belongs to that family)"
    );
    assert_eq!(missing(&[("eks", other), ("f", &format!("xpkg.upbound.io/{family}"))]), "");
    // A package of a private registry may only have the name of a package of the family.
    for (registry, with) in [("x", "with eks if it belongs to that family"), ("crossplane-contrib", "with eks")] {
        let image = format!("r.example.com/{registry}/provider-aws-eks:v2.6.0");
        assert_eq!(missing(&[("eks", &image)]), format!("provider-family-aws ({with})"));
    }
    let skips = provider("s3", s3, None).replace("package:", "skipDependencyResolution: true\n  package:");
    assert!(skips.contains("skipDependencyResolution: true"), "{skips}");
    let log = infos(&all("ports: auto"), &skips, "runtime-config");
    assert!(!log.contains("as dependencies"), "{log}");
}

#[test]
fn an_image_config_that_would_win_leaves_the_package() {
    let with = |config: String| stream(&[provider("s3", S3_IMAGE, None), config, runtime_config("aws")]);
    let long = image_config("several", &["xpkg.upbound.io/upbound/provider-aws-s3:v2", "registry.example/"]);
    assert_snapshot!(worded(changes(&all("ports: auto"), &with(long))), @"error: standard input:1:1: Provider s3 is not changed: ImageConfig several chooses a runtime config for this and other images, by a prefix that is at least as long as xpkg.upbound.io/upbound/provider-aws-s3:, so that an ImageConfig only for this package would not win. Shorten that prefix, or give the package its own ImageConfig and runtime config [runtime-config]");
    let as_long =
        image_config("several", &["xpkg.upbound.io/upbound/provider-aws-s3:", "registry.example/provider-aws-s3:"]);
    assert_snapshot!(brief(changes(&all("ports: auto"), &with(as_long))), @"error: runtime-config Provider s3 (1:1, xpkg.upbound.io/upbound/provider-aws-s3)");
    let taken = image_config("hostnet-s3", &["xpkg.upbound.io/"]);
    assert_snapshot!(worded(changes(&all("ports: auto"), &with(taken))), @"error: standard input:1:1: Provider s3 is not changed: ImageConfig hostnet-s3 chooses its runtime config, so it needs its own ImageConfig, which would be called hostnet-s3, but another ImageConfig has that name. Rename the other ImageConfig [runtime-config]");
}

#[test]
fn an_image_config_that_chooses_a_missing_config_is_named() {
    let manifest = stream(&[provider("s3", S3_IMAGE, None), image_config("of-aws", &["xpkg.upbound.io/"])]);
    assert_snapshot!(worded(changes(&all("ports: auto"), &manifest)), @"error: standard input:1:1: Provider s3: ImageConfig of-aws chooses DeploymentRuntimeConfig aws for it, which is not in the input: its settings (such as an IAM role) would be lost. Add it to the input, or write `crossplane: {missingRuntimeConfig: CreateNew}` in the spec [runtime-config]");
}

#[test]
fn local_configs_do_not_count() {
    let mark = "metadata:\n  annotations: {config.kubernetes.io/local-config: \"true\"}\n";
    let local = |object: String| object.replacen("metadata:\n", mark, 1);
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), local(runtime_config("own"))]);
    assert_snapshot!(brief(changes(&all("ports: auto"), &manifest)), @"error: runtime-config Provider s3 (1:1)");
    let chooser = local(image_config("of-aws", &["xpkg.upbound.io/"]));
    let other = local(provider("ec2", EC2, Some("own")));
    let own = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own")]);
    let more = stream(&[own.clone(), chooser, other]);
    assert_eq!(changes(&all("ports: auto"), &more), changes(&all("ports: auto"), &own), "it is the package's own");
    // kustomize refuses two objects with one name, even if one is local.
    let taken = local(runtime_config("hostnet-s3"));
    let manifest = stream(&[provider("s3", S3_IMAGE, None), taken]);
    assert_snapshot!(brief(changes(&all("ports: auto"), &manifest)), @"error: runtime-config Provider s3 (1:1)");
}

#[test]
fn a_package_whose_config_would_have_too_long_a_name_stays_as_it_is() {
    let fits = "a".repeat(253 - "hostnet-".len());
    let manifest = |name: &str| stream(&[provider(name, S3_IMAGE, None), provider("ec2", EC2, None)]);
    let log = changes(&all("ports: auto"), &manifest(&fits));
    assert!(log.contains(&format!("name: hostnet-{fits}\n")) && !log.contains("stays"), "{log}");
    // Other packages still move.
    let too_long = "a".repeat(253);
    let log = changes(&all("ports: auto"), &manifest(&too_long));
    let warning = format!(
        "warning: standard input:1:1: Provider {too_long} is not changed: its runtime config would be called hostnet-{too_long}, which is longer than the 253 characters that a name may have. Give the package its own DeploymentRuntimeConfig, and name it in `runtimeConfigRef` [runtime-config]"
    );
    assert!(log.contains(&warning) && log.contains("name: hostnet-ec2"), "{log}");
    // If it is the only package, or has numbers in the config, the run stops.
    let log = changes(&all("ports: auto"), &provider(&too_long, S3_IMAGE, None));
    assert!(log.starts_with("error: ") && log.contains("is not changed"), "{log}");
    // A package with its own runtime config needs no new name.
    let own = stream(&[provider(&too_long, S3_IMAGE, Some("own")), runtime_config("own")]);
    assert!(changes(&all("ports: auto"), &own).contains("hostNetwork: true"));
}

/// Two runtime configs of one name belong to two environments: which one the package uses is undefined.
#[test]
fn two_runtime_configs_of_one_name_are_an_error() {
    let one = |more: &[String]| {
        let mut objects = vec![provider("s3", S3_IMAGE, Some("own")), runtime_config("own")];
        objects.extend(more.iter().cloned());
        run(&all(NUMBERS), &stream(&objects)).1.join("\n")
    };
    assert_snapshot!(worded(one(&[runtime_config("own")])), @"error: standard input:27:1: DeploymentRuntimeConfig own is in the input more than once, and Provider s3 uses it: it is undefined which one wins. Remove one, or give the files of one cluster, or of one render, at a time [duplicate-object]");
    let (output, _) = run(
        &all(NUMBERS),
        &stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own"), runtime_config("own")]),
    );
    assert!(!output.contains("hostNetwork"), "{output}");
    assert!(!one(&[runtime_config("other")]).contains("duplicate-object"));
}

#[test]
fn one_of_several_configs_whose_name_is_filled_in_later_stays() {
    let manifest =
        |name: &str| stream(&[provider("s3", S3_IMAGE, Some(name)), runtime_config(name), runtime_config(name)]);
    assert_snapshot!(worded(changes(&all("ports: auto"), &manifest("${config}"))), @"warning: standard input:1:1: Provider s3 is not changed: the name of its DeploymentRuntimeConfig, ${config}, is filled in later, and several objects of the input have it. Give the files of one package at a time [runtime-config]");
    assert_snapshot!(brief(changes(&all("ports: auto"), &manifest("aws"))), @"error: duplicate-object DeploymentRuntimeConfig aws (27:1)");
}
