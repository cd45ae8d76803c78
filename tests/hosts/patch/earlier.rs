//! Patches of an earlier run stay if PATH is built with them and another object moves.

use crate::patch::build::Bench;
use crate::patch::cases::{canonical, host};
use crate::patch::forms::{BASE, config};

const OTHER: &str = "\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, namespace: shop}
spec:
  template:
    metadata: {labels: {app: other}}
    spec:
      containers:
      - {name: other, args: [--listen=:9443], ports: [{name: http, containerPort: 9443}]}
";

const ONE: &str = "{select: {name: web}, ports: {http: 20080}}";
const TWO: &str = "{select: {name: web}, ports: {http: 20080}}, {select: {name: other}, ports: {http: 20443}}";

/// A base with two workloads, and a kustomization with the patches of the first.
fn first_run(output: &[&str]) -> Bench {
    let base = format!("{BASE}{OTHER}");
    let bench = Bench::new(&config(ONE), &base);
    bench.write("base/kustomization.yaml", "resources: [all.yaml]\n");
    bench.write("base/all.yaml", &base);
    bench.write("deploy/kustomization.yaml", "resources:\n- ../base\ncomponents: []\n");
    bench.made(&[&["patch"], output, &["all.yaml"]].concat());
    bench.write("hostnet.yaml", &config(TWO));
    bench
}

fn read(bench: &Bench, file: &str) -> String {
    std::fs::read_to_string(bench.at().join(file)).unwrap()
}

#[test]
fn a_build_with_the_patches_is_refused_and_the_remedy_works() {
    let Some(kustomize) = host("kustomize") else { return };
    let into = ["patch", "--into", "deploy/kustomization.yaml", "built.yaml"];
    let bench = first_run(&into[1..3]);
    let first = read(&bench, "deploy/kustomization.yaml");
    bench.write("built.yaml", &bench.build(&kustomize, "deploy").unwrap());
    let (code, _, log) = bench.hostnet(&into);
    assert_eq!((code, read(&bench, "deploy/kustomization.yaml")), (Some(1), first));
    insta::assert_snapshot!(log, @"error: deploy/kustomization.yaml: PATH seems to be built with the existing patches, which would be lost: Deployment shop/web has their values. Run `hostnet patch --remove --into deploy/kustomization.yaml -c hostnet.yaml`, build PATH again, and repeat this command");
    // The remedy: remove the patches, build again, repeat.
    bench.made(&["patch", "--remove", "--into", "deploy/kustomization.yaml"]);
    bench.write("built.yaml", &bench.build(&kustomize, "deploy").unwrap());
    bench.made(&into);
    let built = bench.build(&kustomize, "deploy").unwrap();
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])));
}

#[test]
fn a_component_in_the_build_is_refused() {
    let Some(kustomize) = host("kustomize") else { return };
    let output = ["--as", "component", "--output-dir", "hn"];
    let bench = first_run(&output);
    bench.write("deploy/kustomization.yaml", "resources:\n- ../base\ncomponents: [../hn]\n");
    bench.write("built.yaml", &bench.build(&kustomize, "deploy").unwrap());
    let first = read(&bench, "hn/kustomization.yaml");
    let (code, _, log) = bench.hostnet(&[&["patch"], output.as_slice(), &["built.yaml"]].concat());
    assert_eq!((code, read(&bench, "hn/kustomization.yaml")), (Some(1), first));
    insta::assert_snapshot!(log, @"error: hn/kustomization.yaml: PATH seems to be built with the existing patches, which would be lost: Deployment shop/web has their values. Give the build without `hn`, or delete `hn` if these patches are not needed any more");
}

/// The former base, a base in which one object got the new values, and one in which another value changed.
#[test]
fn a_base_without_the_patches_gets_both() {
    let port = "args: [--listen=:8080]";
    assert!(BASE.contains(port));
    for (old, new) in [
        ("", ""),
        ("ports: [{port: 8080}]", "ports: [{port: 8080, targetPort: http}]"),
        ("    spec:\n      containers:", "    spec:\n      dnsPolicy: ClusterFirstWithHostNet\n      containers:"),
        (port, "args: [--listen=:8080, --log-level=debug]"),
    ] {
        let bench = first_run(&["--into", "deploy/kustomization.yaml"]);
        bench.write("all.yaml", &format!("{}{OTHER}", BASE.replacen(old, new, 1)));
        bench.made(&["patch", "--into", "deploy/kustomization.yaml", "all.yaml"]);
        let patched = read(&bench, "deploy/kustomization.yaml");
        assert!(["name: other\n", "name: web\n"].iter().all(|name| patched.contains(name)), "{new}: {patched}");
    }
}
