//! Rule `runtime-config`.

use super::reported;
use crate::support::results::worded;
use insta::assert_snapshot;

fn provider(name: &str, config: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec: {{package: 'example.org/{name}:v1', runtimeConfigRef: {{name: {config}}}}}\n---\n"
    )
}

fn config(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {spec}}}}}}}}}\n---\n"
    )
}

#[test]
fn two_packages_with_one_config_on_the_host_network() {
    let all = [provider("a", "default"), provider("b", "default"), config("default", "{hostNetwork: true}")].concat();
    assert_snapshot!(worded(reported("runtime-config", &all)), @"error: a.yaml:14:81: DeploymentRuntimeConfig default puts its packages on the host network, and Provider a, Provider b use it: their pods need the same ports of a node, and the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give each its own runtime config");
    let ports = "{containers: [{name: package-runtime, ports: [{containerPort: 1, hostPort: 8080}]}]}";
    let log = reported("runtime-config", &[provider("a", "x"), provider("b", "x"), config("x", ports)].concat());
    assert!(log.contains("declares host ports"), "{log}");
}

#[test]
fn separate_configs_and_configs_without_host_ports_are_not_reported() {
    let each = [
        provider("a", "a"),
        provider("b", "b"),
        config("a", "{hostNetwork: true}"),
        config("b", "{hostNetwork: true}"),
    ]
    .concat();
    assert_eq!(reported("runtime-config", &each), "");
    let plain = [provider("a", "x"), provider("b", "x"), config("x", "{serviceAccountName: aws}")].concat();
    assert_eq!(reported("runtime-config", &plain), "");
}

/// An ImageConfig may choose another runtime config than the package, in versions of Crossplane that support it.
#[test]
fn the_choice_of_an_image_config_depends_on_the_version() {
    let chosen = "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {name: all}\nspec: {matchImages: [{type: Prefix, prefix: example.org/}], \
                  runtime: {configRef: {name: other}}}\n";
    let shared = [provider("a", "x"), provider("b", "x"), config("x", "{hostNetwork: true}")].concat();
    let all = [shared.as_str(), chosen].concat();
    let at = |version: &str| {
        super::reported_with("runtime-config", &format!("{{versions: {{crossplane: {version}}}}}"), &all)
    };
    assert_eq!(
        (at("v2.1.0").lines().count(), at("v2.2.0").as_str(), reported("runtime-config", &all).as_str()),
        (1, "", "")
    );
    let core = super::workload(
        "Deployment",
        "crossplane",
        "{containers: [{name: core, image: 'xpkg.crossplane.io/crossplane/crossplane:v1.20.0'}]}",
    );
    assert_eq!(reported("runtime-config", &[core, all].concat()).lines().count(), 1);
}

/// The runtime config that an ImageConfig chooses is judged, also for the name that another ImageConfig gives to the
/// image.
#[test]
fn the_runtime_config_of_an_image_config_is_judged() {
    let image_config = |name: &str, prefix: &str, spec: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {{name: {name}}}\nspec: {{matchImages: [{{type: Prefix, prefix: {prefix}}}], {spec}}}\n---\n"
        )
    };
    let packages = [provider("a", "own"), provider("b", "own"), config("shared", "{hostNetwork: true}")].concat();
    let chosen = |prefix: &str| image_config("chosen", prefix, "runtime: {configRef: {name: shared}}");
    let mirror = image_config("mirror", "example.org/", "rewriteImage: {prefix: mirror.example/}");
    let count = |parts: &[&str]| reported("runtime-config", &parts.concat()).lines().count();
    assert_eq!(count(&[&packages, &chosen("example.org/")]), 1);
    assert_eq!(count(&[&packages, &mirror, &chosen("mirror.example/")]), 1);
    // The images have the name of the mirror before a runtime config is chosen.
    assert_eq!(count(&[&packages, &mirror, &chosen("example.org/")]), 0);
    // Near misses: another prefix, and a longer prefix that chooses another runtime config.
    assert_eq!(count(&[&packages, &chosen("example.com/")]), 0);
    let longer = image_config("longer", "example.org/a", "runtime: {configRef: {name: other}}");
    assert_eq!(count(&[&packages, &chosen("example.org/"), &longer]), 0);
}

#[test]
fn a_package_that_occurs_twice_is_one() {
    let twice =
        [provider("a", "x"), provider("a", "x").replace("a:v1", "a:v2"), config("x", "{hostNetwork: true}")].concat();
    assert_eq!(reported("runtime-config", &twice), "");
    // A Function may have the name of a Provider.
    let function = provider("a", "x").replace("Provider", "Function");
    assert_ne!(
        reported("runtime-config", &[provider("a", "x"), function, config("x", "{hostNetwork: true}")].concat()),
        ""
    );
    // Ports without a host port and ports of another container are not ports of the node.
    for spec in [
        "{containers: [{name: package-runtime, ports: [{containerPort: 8080}]}]}",
        "{containers: [{name: other, ports: [{containerPort: 1, hostPort: 8080}]}]}",
    ] {
        assert_eq!(
            reported("runtime-config", &[provider("a", "x"), provider("b", "x"), config("x", spec)].concat()),
            "",
            "{spec}"
        );
    }
}
