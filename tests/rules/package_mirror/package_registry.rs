//! Hosts of mirrors, and names without registry.

use super::{RULE, changes, core, image_config, package, stream};
use crate::support::results::{brief, worded};

#[test]
fn a_name_without_registry_gets_the_default_registry() {
    let manifest = |version: &str, init: &str| {
        stream(&[core(version, init), package("Function", "a", "o/a:v1"), package("Function", "b", "a.io/o/b:v1")])
    };
    let none = "packages: {}";
    let spec = format!(
        "rules: [{{from: xpkg.crossplane.io, to: r.example.com/a}}, {{from: xpkg.upbound.io, to: r.example.com/b}}, {{from: a.io, to: r.example.com/c}}], {none}"
    );
    let only = |text: String| {
        text.lines()
            .filter(|line| line.contains("o/a") || line.contains("init"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let text: String = ["v1.19.0", "v1.20.0", "v2.0.0", "latest"]
        .map(|version| format!("{version}\n{}", only(changes(&spec, &manifest(version, "--provider, o/p:v1")))))
        .concat();
    insta::assert_snapshot!(worded(text), @"
    v1.19.0
    -      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.19.0', args: [core, init, --provider, o/p:v1]}
    +      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.19.0', args: [core, init, --provider, r.example.com/b/o/p:v1]}
    -spec: {package: 'o/a:v1'} # kept
    +spec: {package: 'r.example.com/b/o/a:v1'} # kept
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Function a (xpkg.upbound.io/o/a:v1), Function b (a.io/o/b:v1), Deployment crossplane-system/crossplane: container crossplane-init (xpkg.upbound.io/o/p:v1). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    info: Deployment crossplane-system/crossplane: container crossplane-init installs each Provider under a name that it makes of the path: if this name changes, it creates a second object in the cluster. Remove the old object from the cluster [package-source]
    v1.20.0
    -      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.20.0', args: [core, init, --provider, o/p:v1]}
    +      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.20.0', args: [core, init, --provider, xpkg.crossplane.io/o/p:v1]}
    -spec: {package: 'o/a:v1'} # kept
    +spec: {package: 'xpkg.crossplane.io/o/a:v1'} # kept
    v2.0.0
    error: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane-init: the Provider that it creates from `o/p:v1` is refused by the API server with Crossplane from v2.0.0 on: `must be a fully qualified image name, including the registry, repository, and tag or digest`; it has no registry: write one [package-registry]
    error: standard input:12:1: Function a: `spec.package` `o/a:v1` is refused by the API server with Crossplane from v2.0.0 on: `must be a fully qualified image name, including the registry, repository, and tag or digest`; it has no registry: write one [package-registry]
    latest
    warning: standard input:12:1: Function a is not changed: `o/a:v1` has no registry, and the default depends on the version of Crossplane; write the registry, or give the version with `crossplane: {version: v1.20.0}` in the spec [package-registry]
    ");
    let own = manifest("v1.20.0", "--debug").replace("[core, start]", "[core, start, --registry=a.io]");
    insta::assert_snapshot!(only(changes(&spec, &own)), @r#"
        -spec: {package: 'o/a:v1'} # kept
        +spec: {package: 'a.io/o/a:v1'} # kept
    "#);
}

/// Crossplane up to v1.20 compares prefixes of ImageConfigs with the name as `spec.package` writes it.
#[test]
fn a_name_without_registry_that_an_image_config_rewrites_stays() {
    let spec = "rules: [{from: xpkg.crossplane.io, to: r.example.com/a}], packages: {}";
    let manifest = |prefix: &str, more: &str| {
        stream(&[
            core("v1.20.5", "--provider, org/p:v1").replace("quay.io", "xpkg.crossplane.io"),
            image_config("own", prefix, more),
            package("Function", "a", "org/a:v1"),
            package("Function", "b", "other/b:v1"),
        ])
    };
    let rewrites = "rewriteImage: {prefix: harbor.example.com/org/}";
    insta::assert_snapshot!(worded(changes(spec, &manifest("org/", rewrites))), @"
    -      - {name: crossplane-init, image: 'xpkg.crossplane.io/crossplane/crossplane:v1.20.5', args: [core, init, --provider, org/p:v1]}
    +      - {name: crossplane-init, image: 'r.example.com/a/crossplane/crossplane:v1.20.5', args: [core, init, --provider, org/p:v1]}
    -      - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v1.20.5', args: [core, start]}
    +      - {name: crossplane, image: 'r.example.com/a/crossplane/crossplane:v1.20.5', args: [core, start]}
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: r.example.com/a/
    +---
    -spec: {package: 'other/b:v1'} # kept
    +spec: {package: 'xpkg.crossplane.io/other/b:v1'} # kept
    info: Function a: `org/a:v1` stays without registry: an ImageConfig of the input rewrites it to harbor.example.com/org/a:v1, and would not match xpkg.crossplane.io/org/a:v1 [package-registry]
    ");
    // A prefix with the registry matches only names with the registry: the rule's name is longer or equal.
    let whole = changes(spec, &manifest("xpkg.crossplane.io/org/", rewrites));
    assert!(whole.contains("+spec: {package: 'xpkg.crossplane.io/org/a:v1'}"), "{whole}");
    let verifies = changes(spec, &manifest("org/", "verification: {provider: Cosign, cosign: {authorities: []}}"));
    insta::assert_snapshot!(brief(verifies), @"error: package-source ImageConfig own (12:1)");
}

#[test]
fn hosts_with_an_unexpected_meaning_are_reported() {
    let to = |host: &str| {
        let spec = format!("rules: [{{from: xpkg.crossplane.io, to: '{host}'}}]");
        let text = changes(&spec, &package("Function", "a", "xpkg.crossplane.io/o/a:v1"));
        let log = text.lines().filter(|line| !line.starts_with(['+', '-']));
        format!("{host}: {}\n", log.collect::<Vec<_>>().join("\n  "))
    };
    let hosts = [
        "registry.ns.svc.cluster.local:5000/x",
        "localhost:5000",
        "127.0.0.1:5000",
        "10.0.0.1:5000",
        "registry.example.com",
        "kind-registry:5000",
        "registry.ns.svc:5000",
        "registry.svc.example.com",
    ];
    insta::assert_snapshot!(worded(hosts.map(to).concat()), @"
    registry.ns.svc.cluster.local:5000/x: warning: mirror.yaml:4:47: Crossplane reaches hosts below `.local` by HTTP too, and from v2.1.8, v2.2.4, v2.3.4 on by HTTPS alone, so an upgrade ends plain HTTP: `registry.ns.svc.cluster.local:5000` needs TLS then, or a name that is an address of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 [package-registry]
      warning: mirror.yaml:4:47: nodes, which pull the images of pods, do not resolve `registry.ns.svc.cluster.local:5000`, the name of a Service. Write a name or an address that nodes reach, or its address into their configs: `hostnet mirror node-config --at registry.ns.svc.cluster.local:5000=URL` [package-registry]
    localhost:5000: warning: mirror.yaml:4:47: in a pod, `localhost:5000` is the pod itself, so Crossplane's core would look for the registry in its own pod. Write an address that pods reach [package-registry]
    127.0.0.1:5000: warning: mirror.yaml:4:47: in a pod, `127.0.0.1:5000` is the pod itself, so Crossplane's core would look for the registry in its own pod. Write an address that pods reach [package-registry]
    10.0.0.1:5000: 
    registry.example.com: 
    kind-registry:5000: 
    registry.ns.svc:5000: warning: mirror.yaml:4:47: nodes, which pull the images of pods, do not resolve `registry.ns.svc:5000`, the name of a Service. Write a name or an address that nodes reach, or its address into their configs: `hostnet mirror node-config --at registry.ns.svc:5000=URL` [package-registry]
    registry.svc.example.com:
    ");
}

#[test]
fn from_v2_on_a_package_names_a_host_with_a_dot() {
    let spec = "style: Rewrite, rules: [{from: xpkg.crossplane.io, to: 'kind-registry:5000'}]";
    let own = package("Function", "a", "xpkg.crossplane.io/o/a:v1");
    insta::assert_snapshot!(worded(changes(spec, &own)), @"
    error: mirror.yaml:4:63: with Crossplane from v2.0.0 on the API server refuses a `spec.package` of this registry: `must be a fully qualified image name, including the registry, repository, and tag or digest`; `kind-registry:5000` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000`; or use style ImageConfig [package-registry]
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Function a (xpkg.crossplane.io/o/a:v1). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    ");
    let before = changes(&format!("{spec}, crossplane: {{version: v1.20.0}}"), &own);
    assert!(before.contains("kind-registry:5000/o/a:v1"), "{before}");
    let address = spec.replace("kind-registry", "172.18.0.5");
    assert!(changes(&address, &own).contains("172.18.0.5:5000/o/a:v1"));
    assert!(changes(RULE, &own).contains("kind: ImageConfig"));
}

/// The API server validates the names of packages after the run.
#[test]
fn names_that_the_api_server_refuses_are_errors_from_v2_on() {
    let spec = |rest: &str| format!("rules: [{{from: 'localhost:5000', to: '172.18.255.5:5000'}}]{rest}");
    let digest = format!("registry.corp.example/acme/c@sha256:{}", "0".repeat(64));
    let refused = ["localhost:5000/ab:v1", "kind-registry:5000/acme/b:v1", "registry.corp.example/acme/c"];
    let taken = [digest.as_str(), "registry.corp.example:5000/acme/d:v1", "172.18.255.5:5000/ef:v1"];
    let reported = |spec: &str, name: &str| {
        let text = changes(spec, &package("Function", "a", name));
        let mut lines = text.lines().filter(|line| line.contains("must be a fully qualified image name"));
        lines.next().map(|line| line.split(':').next().unwrap_or_default().to_owned())
    };
    let version = |version: &str| spec(&format!(", crossplane: {{version: {version}}}"));
    for name in refused {
        assert_eq!(reported(&version("v2.0.0"), name).as_deref(), Some("error"), "{name}");
        assert_eq!(reported(&version("v1.20.11"), name), None, "{name}");
        assert_eq!(reported(&spec(""), name).as_deref(), Some("warning"), "{name}");
    }
    for name in taken {
        assert_eq!(reported(&version("v2.3.4"), name), None, "{name}");
    }
    // The run corrects the name, or no ImageConfig can.
    assert_eq!(reported(&(version("v2.3.4") + ", style: Rewrite"), refused[0]), None);
    insta::assert_snapshot!(worded(changes(&version("v2.3.4"), &package("Function", "a", refused[0]))), @"error: standard input:1:1: Function a: `spec.package` `localhost:5000/ab:v1` is refused by the API server with Crossplane from v2.0.0 on: `must be a fully qualified image name, including the registry, repository, and tag or digest`; `localhost:5000` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000`. An ImageConfig does not help, since the object is never stored [package-registry]");
    insta::assert_snapshot!(worded(changes(&version("v2.3.4"), &core("v2.3.4", "--function, 'kind-registry:5000/o/a:v1'"))), @"error: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane-init: the Function that it creates from `kind-registry:5000/o/a:v1` is refused by the API server with Crossplane from v2.0.0 on: `must be a fully qualified image name, including the registry, repository, and tag or digest`; `kind-registry:5000` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000` [package-registry]");
}

/// Packages in values of the chart, which passes them to the core's init container.
#[test]
fn names_of_packages_of_the_chart_are_validated() {
    let reported = |version: &str, name: &str| {
        let release = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: upbound}}\nspec:\n  chart: {{spec: {{chart: crossplane, version: {version}}}}}\n  values: {{provider: {{packages: ['{name}']}}}}\n"
        );
        let text = changes(RULE, &stream(&[package("Function", "a", "xpkg.crossplane.io/o/a:v1"), release]));
        text.lines()
            .find(|line| line.contains("`provider.packages`"))
            .map(|line| line.split(':').next().unwrap().to_owned())
    };
    assert_eq!(reported("v2.3.4", "localhost:5000/o/p:v1").as_deref(), Some("error"));
    assert_eq!(reported("v2.3.4", "registry.example.com/o/p:v1"), None);
    assert_eq!(reported("v1.20.0", "localhost:5000/o/p:v1"), None);
}

/// An ImageConfig may rewrite to a name that the API server would refuse.
#[test]
fn image_configs_allow_any_host_of_a_mirror() {
    let spec = |style: &str| {
        format!(
            "rules: [{{from: xpkg.crossplane.io, to: 'kind-registry:5000'}}], style: {style}, crossplane: {{version: v2.3.4}}"
        )
    };
    let own = package("Function", "a", "xpkg.crossplane.io/o/a:v1");
    assert!(!changes(&spec("ImageConfig"), &own).contains("must be a fully qualified"));
    let rewrite = changes(&spec("Rewrite"), &own);
    assert_eq!(rewrite.matches("must be a fully qualified").count(), 1, "{rewrite}");
}

#[test]
fn digests_that_the_api_server_refuses() {
    let reported = |version: &str, end: &str| {
        let spec = format!("{RULE}, crossplane: {{version: {version}}}, packages: {{}}");
        let text = changes(&spec, &package("Function", "a", &format!("xpkg.crossplane.io/o/a{end}")));
        let lines = text.lines().filter(|line| line.contains("[package-registry]")).map(|line| format!("{line}\n"));
        lines.collect::<String>()
    };
    let digest = format!("@sha512:{}", "0".repeat(128));
    assert!(reported("v2.3.4", &digest).contains("does not begin with `sha256:`"), "{}", reported("v2.3.4", &digest));
    insta::assert_snapshot!(worded(reported("v2.3.4", ":v1@sha512:00")), @"error: standard input:1:1: Function a: `spec.package` `xpkg.crossplane.io/o/a:v1@sha512:00` is refused by the API server with Crossplane from v2.0.0 on: `must be a fully qualified image name, including the registry, repository, and tag or digest`; its digest `sha512:00` does not begin with `sha256:`: write the sha256 digest, or the tag alone. An ImageConfig does not help, since the object is never stored [package-registry]");
    for end in [":v1".to_owned(), format!(":v1@sha256:{}", "0".repeat(64)), "@${DIGEST}".to_owned()] {
        assert_eq!(reported("v2.3.4", &end), "", "{end}");
    }
    assert!(reported("v1.20.11", &digest).contains("is not an image reference: a digest is `sha256:`"));
}

/// A reference that no release can parse, in an object, in an argument of the core and in a value of its chart.
#[test]
fn invalid_tags_and_digests_are_reported() {
    let reported = |version: &str, manifest: &str| {
        let spec = format!("rules: [{{from: xpkg.crossplane.io, to: m.io/x}}], crossplane: {{version: {version}}}");
        let text = changes(&spec, manifest);
        text.lines()
            .filter(|line| line.contains("[package-registry]"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let object = |end: &str| package("Function", "a", &format!("xpkg.crossplane.io/o/a{end}"));
    insta::assert_snapshot!(worded(reported("v1.20.11", &object("@sha256:short"))), @"error: standard input:1:1: Function a: `spec.package`: `xpkg.crossplane.io/o/a@sha256:short` is not an image reference: a digest is `sha256:` with 64 of the digits 0 to 9 and a to f [package-registry]");
    for version in ["v1.18.0", "v2.3.4"] {
        assert_eq!(reported(version, &object(":v1@sha256:short")).lines().count(), 1, "{version}");
        assert_eq!(reported(version, &object(":v+1")).lines().count(), 1, "{version}");
        let core = core(version, "--provider=xpkg.crossplane.io/o/p@sha256:short");
        assert!(
            reported(version, &core).contains("container crossplane-init: the Provider that it creates from: "),
            "{version}"
        );
        for taken in [":v1", "@sha256:${DIGEST}", ":{{version}}", &format!(":v1@sha256:{}", "0".repeat(64))] {
            assert_eq!(reported(version, &object(taken)), "", "{version} {taken}");
        }
    }
}

/// The registry of the core's variable, and of values of its chart, with the flag first.
#[test]
fn the_core_or_its_chart_sets_the_registry() {
    let function = package("Function", "a", "o/a:v1");
    let spec =
        "rules: [{from: xpkg.crossplane.io, to: r.example.com/a}, {from: b.io, to: r.example.com/b}], packages: {}";
    let renamed = |first: &str| {
        let text = changes(spec, &stream(&[first.to_owned(), function.clone()]));
        let line = text.lines().find_map(|line| line.strip_prefix("+spec: {package: '"));
        line.and_then(|line| line.split('\'').next()).unwrap_or_default().to_owned()
    };
    let core = |args: &str, env: &str| {
        core("v1.20.1", "--debug").replace("[core, start]", &format!("[core, start{args}], env: [{env}]"))
    };
    let chart = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec: {{chart: {{spec: \
             {{chart: crossplane, version: 1.20.1}}}}, values: {{{values}}}}}\n"
        )
    };
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: xp}\nspec:\n  source: {chart: crossplane, targetRevision: \
                       1.20.1, repoURL: 'https://c.io', helm: {parameters: [{name: 'args[0]', value: '--registry=b.io'}]}}\n";
    let rendered = stream(&[core("", ""), chart("args: ['--registry=b.io']")]);
    for (first, registry) in [
        (core(", -rb.io", ""), "b.io"),
        (core("", "{name: REGISTRY, value: b.io}"), "b.io"),
        (core(", --registry=b.io", "{name: REGISTRY, value: c.io}"), "b.io"),
        (chart("args: ['--registry=b.io']"), "b.io"),
        (chart("args: [--registry, b.io]"), "b.io"),
        (chart("extraEnvVarsCrossplane: {REGISTRY: b.io}"), "b.io"),
        (application.to_owned(), "b.io"),
        // Other arguments and variables, values of other programs, and a core whose chart is rendered in the input.
        (core(", --debug", "{name: OTHER_REGISTRY, value: b.io}"), "xpkg.crossplane.io"),
        (chart("args: [--debug], registry: b.io"), "xpkg.crossplane.io"),
        (
            chart("rbacManager: {args: ['--registry=b.io']}, extraEnvVarsRBACManager: {REGISTRY: b.io}"),
            "xpkg.crossplane.io",
        ),
        (rendered, "xpkg.crossplane.io"),
    ] {
        assert_eq!(renamed(&first), format!("{registry}/o/a:v1"), "{first}");
    }
    // Variables from a ConfigMap of the input, and of another namespace.
    let key = "{name: REGISTRY, valueFrom: {configMapKeyRef: {name: a, key: b}}}";
    let from = |source: &str| core("", "").replace(", env: []", &format!(", envFrom: [{source}]"));
    let map = |namespace: &str, data: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: {namespace}}}\ndata: {{{data}}}\n")
    };
    let here = "crossplane-system";
    for (core, map, expected) in [
        (core("", key), map(here, "b: b.io"), "b.io/o/a:v1"),
        (core("", key), map("shop", "b: b.io"), ""),
        (core("", key), map(here, "c: b.io"), ""),
        (from("{configMapRef: {name: a}}"), map(here, "REGISTRY: b.io"), "b.io/o/a:v1"),
        (from("{configMapRef: {name: a}, prefix: REG}"), map(here, "ISTRY: b.io"), "b.io/o/a:v1"),
        (from("{configMapRef: {name: a}}"), map(here, "OTHER: b.io"), "xpkg.crossplane.io/o/a:v1"),
    ] {
        assert_eq!(renamed(&stream(&[map.clone(), core.clone()])), expected, "{core} {map}");
    }
    // The value of a variable that the input does not show.
    assert_eq!(renamed(&core("", "{name: REGISTRY, valueFrom: {configMapKeyRef: {name: a, key: b}}}")), "");
    assert_eq!(renamed(&from("{secretRef: {name: a}}")), "");
}
