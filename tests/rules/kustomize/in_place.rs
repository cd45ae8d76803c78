//! New objects in files that a kustomization renames.

use std::path::PathBuf;

use crate::support::run::hostnet;

const PROVIDER: &str = "apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: s3}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0'}
";

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: p}
spec: {targets: [{select: {kind: Provider}, ports: auto}], crossplane: {version: v2.0.0}}
";

/// A folder with a base and files of an overlay, and the messages of `apply --in-place --sources`.
fn applied(files: &[(&str, &str)]) -> (tempfile::TempDir, String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let base = [
        ("base/provider.yaml", PROVIDER),
        ("base/kustomization.yaml", "resources: [provider.yaml]\n"),
        ("fn.yaml", CONFIG),
    ];
    for (name, text) in base.iter().chain(files) {
        let path: PathBuf = folder.path().join("tree").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let run = hostnet(folder.path(), &["apply", "-c", "tree/fn.yaml", "--in-place", "--sources", "tree"], b"");
    let place = folder.path().canonicalize().unwrap().display().to_string();
    let log = run.stderr.replace(&place, "DIR");
    let is_new = std::fs::read_to_string(folder.path().join("tree/base/provider.yaml")).unwrap().contains("hostnet-s3");
    (folder, log, is_new)
}

fn errors(log: &str) -> String {
    log.lines().filter(|line| line.starts_with("error")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_new_object_that_an_overlay_renames_needs_a_row() {
    let (_folder, log, is_new) = applied(&[("top/kustomization.yaml", "resources: [../base]\nnamePrefix: a-\n")]);
    assert!(!is_new);
    insta::assert_snapshot!(errors(&log), @"error: tree/base/provider.yaml:1:1: DeploymentRuntimeConfig hostnet-s3 is new, and namePrefix of DIR/tree/top/kustomization.yaml changes its name, but no reference to it. Give the build this row in a file of `configurations`: nameReference: [{kind: DeploymentRuntimeConfig, fieldSpecs: [{group: pkg.crossplane.io, kind: Provider, path: spec/runtimeConfigRef/name}, {group: pkg.crossplane.io, kind: Function, path: spec/runtimeConfigRef/name}, {group: pkg.crossplane.io, kind: ImageConfig, path: spec/runtime/configRef/name}]}]; or run hostnet on the output of `kustomize build` [kustomize-name]");
    // The row from the message works when it is pasted.
    let row = log.split_once("nameReference: ").unwrap().1.split_once("; or run").unwrap().0;
    let (folder, log, is_new) = applied(&[
        ("top/kustomization.yaml", "resources: [../base]\nnamePrefix: a-\nconfigurations: [names.yaml]\n"),
        ("top/names.yaml", &format!("nameReference: {row}\n")),
    ]);
    assert!(is_new, "{log}");
    drop(folder);
}

#[test]
fn a_new_object_that_keeps_its_name_needs_no_row() {
    let kustomizations = [
        "resources: [../base]\nnamespace: ops\n",
        "resources: [../base]\nnamePrefix: ''\n",
        "resources: [../other]\nnamePrefix: a-\n",
    ];
    for kustomization in kustomizations {
        let other = ("other/kustomization.yaml", "resources: [config.yaml]\n");
        let config = ("other/config.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
        let (_folder, log, is_new) = applied(&[("top/kustomization.yaml", kustomization), other, config]);
        assert!(is_new && errors(&log).is_empty(), "{kustomization}{log}");
    }
}
