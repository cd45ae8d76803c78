//! Registries of packages, metadata services, and proxies, as `hostnet proxy check` judges them.

use super::check::{check, core, env};

fn package(image: &str) -> String {
    format!(
        "---\napiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: p}}\nspec: {{package: '{image}'}}\n"
    )
}

/// The reports about registries.
pub(super) fn reported(args: &[&str], list: &str, image: &str) -> String {
    let (log, _) = check(args, &(core("v2.3.4", &env(list)) + &package(image)));
    log.lines().filter(|line| line.contains("registry of packages")).collect::<Vec<_>>().join("\n")
}

#[test]
fn registry_is_inside_or_outside_of_the_cluster() {
    let all = [
        reported(&[], ".svc", "registry.kube-system.svc:5000/a/b:v1"),
        reported(&[], ".com", "registry.kube-system.svc:5000/a/b:v1"),
        reported(&[], "registry.kube-system.svc:443", "registry.kube-system.svc:5000/a/b:v1"),
        reported(&[], ".crossplane.io", "xpkg.crossplane.io/a/b:v1"),
        reported(&[], ".com", "xpkg.crossplane.io/a/b:v1"),
        reported(&[], ".example.com", "registry.example.com/a/b:v1"),
        reported(&[], "*", "xpkg.crossplane.io/a/b:v1"),
        reported(&[], "*", "a/b:v1"),
    ];
    insta::assert_snapshot!(all.join("\n---\n"), @r"
    direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.kube-system.svc:5000: the entry `.svc` matches
    ---
    warning: proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.kube-system.svc:5000: no entry matches. Add to NO_PROXY: registry.kube-system.svc [proxy-reach]
    ---
    warning: proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.kube-system.svc:5000: no entry matches. Add to NO_PROXY: registry.kube-system.svc [proxy-reach]
    ---
    warning: direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: the entry `.crossplane.io` matches, and it is outside of the cluster [proxy-reach]
    ---
    proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: no entry matches
    ---
    direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages registry.example.com: the entry `.example.com` matches
    ---
    direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: the entry `*` matches everything
    ---
    ");
}

/// The registry that a release pulls from: the default registry for a name without registry, and for Docker Hub its API
/// host.
#[test]
fn the_contacted_registry_is_judged() {
    let hosts = |version: &str, args: &str, image: &str, more: &str| {
        let core = core(version, &env("")).replace("[core, start]", args);
        let (log, _) = check(&[], &(core + &package(image) + more));
        let lines = log.lines().filter_map(|line| line.split_once("registry of packages "));
        lines.map(|(_, rest)| rest.split(": ").next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let plain = "[core, start]";
    assert_eq!(hosts("v1.14.0", plain, "a/b:v1", ""), "index.docker.io");
    assert_eq!(hosts("v1.19.3", plain, "a/b:v1", ""), "xpkg.upbound.io");
    assert_eq!(hosts("v1.20.5", plain, "a/b:v1", ""), "xpkg.crossplane.io");
    assert_eq!(hosts("v1.20.5", "[core, start, --registry=r.corp:5000]", "a/b:v1", ""), "r.corp:5000");
    assert_eq!(hosts("v2.3.4", plain, "a/b:v1", ""), "", "v2 refuses names without registry");
    assert_eq!(hosts("latest", plain, "a/b:v1", ""), "", "the default registry is unknown");
    assert_eq!(hosts("v2.3.4", plain, "docker.io/a/b:v1", ""), "index.docker.io");
    let rewrite = "---\napiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {name: i}\nspec: {matchImages: [{prefix: x.io}], rewriteImage: {prefix: PREFIX}}\n";
    assert_eq!(hosts("v2.3.4", plain, "x.io/b:v1", &rewrite.replace("PREFIX", "m.corp/mirror")), "m.corp");
    assert_eq!(hosts("v2.3.4", plain, "x.io/b:v1", &rewrite.replace("PREFIX", "m.corp")), "m.corp");
    assert_eq!(hosts("v2.3.4", plain, "y.io/b:v1", &rewrite.replace("PREFIX", "m.corp/mirror")), "m.corp y.io");
    assert_eq!(hosts("v1.19.3", plain, "x.io/b:v1", &rewrite.replace("PREFIX", "m.corp/mirror")), "x.io");
    // Up to v1.20 a prefix is compared with the name as it is written.
    let short = rewrite.replace("prefix: x.io", "prefix: a/").replace("PREFIX", "m.corp/a/");
    assert_eq!(hosts("v1.20.5", plain, "a/b:v1", &short), "m.corp");
    assert_eq!(hosts("v1.20.5", plain, "c/b:v1", &short), "m.corp xpkg.crossplane.io");
    assert_eq!(hosts("v2.3.4", plain, "${REGISTRY}/b:v1", ""), "");
}

#[test]
fn entries_of_the_config_define_the_wanted_route() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("proxy.yaml");
    let with = |entries: &str, image: &str| {
        let spec = format!(
            "{{httpsProxy: 'http://p:3128', noProxy: [{entries}], targets: [{{select: {{name: crossplane}}}}]}}"
        );
        std::fs::write(&config, format!("apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nspec: {spec}\n"))
            .unwrap();
        reported(&["-c", config.to_str().unwrap()], "", image)
    };
    let all = [
        with(".crossplane.io", "xpkg.crossplane.io/a/b:v1"),
        // An entry for subdomains does not match the domain itself.
        with(".example.com", "example.com/a/b:v1"),
        with("example.com", "example.com/a/b:v1"),
    ];
    insta::assert_snapshot!(all.join("\n---\n"), @r"
    direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: the entry `.crossplane.io` matches
    ---
    warning: proxy: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages example.com: no entry matches. Add to NO_PROXY: example.com [proxy-reach]
    ---
    direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages example.com: the entry `example.com` matches
    ");
}

#[test]
fn metadata_services_are_judged_by_the_config() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("proxy.yaml");
    let provider = "---\napiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: p}\nspec: {package: 'example.com/p:v1', runtimeConfigRef: {name: c}}\n---\napiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: c}\nspec: {deploymentTemplate: {spec: {selector: {}, template: {spec: {containers: [{name: package-runtime, env: [{name: HTTP_PROXY, value: 'http://p:1'}, {name: NO_PROXY, value: 169.254.0.0/17}]}]}}}}}\n";
    let with = |service: &str, target: &str| {
        let spec = format!(
            "{{httpProxy: 'http://p:1', metadataService: {service}, crossplane: {{version: v2.3.4, namespace: n}}, targets: [{{select: {{{target}}}}}]}}"
        );
        std::fs::write(&config, format!("apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nspec: {spec}\n"))
            .unwrap();
        let (log, _) = check(&["-c", config.to_str().unwrap()], provider);
        log.lines().filter(|line| line.contains("metadata")).collect::<Vec<_>>().join("\n")
    };
    let all = [
        check(&[], provider).0,
        with("Direct", "kind: Provider"),
        with("Direct", "kind: Deployment"),
        with("Proxy", "kind: Deployment"),
    ];
    insta::assert_snapshot!(all.join("\n---\n"), @"
    warning: proxy: Provider p -> metadata services of clouds 169.254.169.254: no entry matches. Add to NO_PROXY: 169.254.169.254 [proxy-reach]
    proxy: Provider p -> metadata services of clouds fd00:ec2::254 169.254.170.2 169.254.170.23 fd00:ec2::23 metadata.google.internal: no entry matches

    ---
    direct: Provider p -> metadata services of clouds 169.254.169.254 fd00:ec2::254 169.254.170.2 169.254.170.23 fd00:ec2::23 metadata.google.internal: entries match
    ---
    warning: proxy: Provider p -> metadata services of clouds 169.254.169.254 fd00:ec2::254 169.254.170.2 169.254.170.23 fd00:ec2::23 metadata.google.internal: no entry matches. Add to NO_PROXY: 169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal [proxy-reach]
    ---
    proxy: Provider p -> metadata services of clouds 169.254.169.254 fd00:ec2::254 169.254.170.2 169.254.170.23 fd00:ec2::23 metadata.google.internal: no entry matches
    ");
}

/// Go silently drops an invalid URL, and connects directly.
#[test]
fn a_proxy_that_is_not_a_url_is_not_used() {
    let env = "{name: HTTPS_PROXY, value: \"http://p:3128\\n\"}, {name: NO_PROXY, value: ''}";
    let (log, code) = check(&[], &core("v2.3.4", env));
    assert!(code == Some(0) && log.contains("direct: ") && log.contains("Go drops it"), "{log}");
}

/// Addresses and names of private networks, and public ones that look similar.
#[test]
fn registries_of_private_networks_are_direct() {
    for (host, is_warned) in [
        ("10.1.2.3:5000", true),
        ("192.168.1.9", true),
        ("harbor.corp.internal", true),
        ("registry.local:5000", true),
        ("8.8.8.8:5000", false),
        ("172.32.0.1:5000", false),
        ("internal.example.com", false),
        ("harborcorp.com", false),
    ] {
        let log = reported(&[], "localhost", &format!("{host}/a/b:v1"));
        assert_eq!(log.starts_with("warning: proxy: "), is_warned, "{host}: {log}");
        assert!(!reported(&[], "*", &format!("{host}/a/b:v1")).contains("warning"), "{host}");
    }
    assert!(reported(&[], "localhost", "10.1.2.3:5000/a/b:v1").contains("Add to NO_PROXY: 10.1.2.3"));
}
