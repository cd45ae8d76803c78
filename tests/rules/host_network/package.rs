//! Rule `package`: packages without pods.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::packages::{S3, S3_IMAGE, all, provider, runtime_config, stream};
use super::{changes, infos, run};

#[test]
fn other_objects_of_the_group_are_not_changed() {
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own")]);
    let spec = "{targets: [{select: {group: pkg.crossplane.io}, ports: keep}]}";
    assert_eq!(changes(spec, &manifest), changes(&all("ports: keep"), &manifest));
    let configuration =
        "apiVersion: pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: c}\nspec: {package: x/y:v1}\n"
            .to_owned();
    assert_snapshot!(worded(infos(spec, &stream(&[manifest, configuration]), "package")), @"info: Configuration c is matched by the target at hostnet.yaml:1:81 and not changed: Crossplane runs no pods for it; only Providers and Functions move [package]");
    assert_snapshot!(worded(run(spec, &runtime_config("own")).1.join("\n")), @"error: standard input:1:1: DeploymentRuntimeConfig own is matched by the target at hostnet.yaml:1:81 and not changed: Crossplane runs no pods for it; select the packages that use it, such as `select: {group: pkg.crossplane.io, kind: Provider}` [package]");
    let meta = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: s3}\nspec: {package: x}\n";
    assert_snapshot!(worded(changes("{targets: [{select: {kind: Provider}}]}", meta)), @"warning: hostnet.yaml:1:81: this target matches no object of the input. The input has no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]");
}

#[test]
fn a_provider_without_a_package_does_not_count() {
    let manifest = S3.replace("package:", "image:");
    assert_snapshot!(worded(changes(&all("ports: keep"), &manifest)), @"error: standard input:1:1: Provider s3 is matched by the target at hostnet.yaml:1:81 and not changed: it has no spec.package [package]");
}
