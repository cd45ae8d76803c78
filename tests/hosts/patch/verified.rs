//! `--verify` on builds with changed names: references to a new object are renamed with it, and Flux has substituted
//! variables.

use crate::patch::build::Bench;
use crate::patch::carried::verified;
use crate::patch::cases::{canonical, case, command, copy, host, unmoved};
use crate::patch::flux::{KUSTOMIZATION, build, object};
use crate::support::{run, text};

/// The prefix is set above the patches; `names.yaml` tells kustomize which fields contain names.
#[test]
fn a_reference_to_a_new_object_is_renamed_with_it() {
    let Some(kustomize) = host("kustomize") else { return };
    let case = case("package-name-prefix");
    let bench = Bench::new(&std::fs::read_to_string(case.config()).unwrap(), "");
    copy(&case.folder, bench.at());
    bench.write("all.yaml", &unmoved(&kustomize, &case.folder.join("base")));
    bench.made(&["patch", "--as", "component", "--output-dir", "component", "all.yaml"]);
    bench.write("base/kustomization.yaml", "resources: [input.yaml]\ncomponents: [../component]\n");
    let built = bench.build(&kustomize, ".").unwrap();
    assert_eq!(canonical(&built), canonical(&case.want));
    let flags = ["--name-prefix", "eu-", "--name-suffix=-prod", "all.yaml"];
    assert_eq!(verified(&bench, &built, &flags), (Some(0), String::new()));
    let file = bench.at().join("kustomization.yaml");
    let kustomization = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, kustomization.replace("configurations:\n- names.yaml\n", "")).unwrap();
    let (code, log) = verified(&bench, &bench.build(&kustomize, ".").unwrap(), &flags);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(log, @"
    error: built.yaml: the patch of Provider provider-aws-s3 was not applied: spec.runtimeConfigRef.name is `hostnet-provider-aws-s3`, not `eu-hostnet-provider-aws-s3-prod`: kustomize renames a reference that its `configurations` name as nameReference
    error: built.yaml: the patch of Provider provider-aws-sqs was not applied: spec.runtimeConfigRef.name is `hostnet-provider-aws-sqs`, not `eu-hostnet-provider-aws-sqs-prod`: kustomize renames a reference that its `configurations` name as nameReference
    ");
}

/// Two objects with variables in their names and namespaces, and in names of containers.
const FILLED: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: \"${name}-${cluster:=eu}\", namespace: \"${namespace:=shop}\"}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: \"${mesh}\", image: example/mesh}
      - name: ${name}
        args: [--listen=:8080]
        ports: [{name: http, containerPort: 8080}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: \"${name}\", namespace: \"${namespace:=shop}\"}
spec:
  template:
    metadata: {labels: {app: other}}
    spec:
      containers:
      - {name: other, image: example/other}
";
const CONFIG: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [\
                      {select: {name: .*cluster.*}, ports: {http: 20080}}, {select: {kind: Deployment}}]}}";
const VALUES: &str = "  postBuild: {substitute: {name: web, mesh: envoy}}\n";

#[test]
fn names_with_variables_are_matched() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let bench = Bench::new(CONFIG, FILLED);
    let patches = object(&bench.patches("flux"), &format!("{KUSTOMIZATION}{VALUES}"));
    let built = build(&fluxbuild, &bench, &patches, FILLED).unwrap();
    assert!(built.contains("  name: web-eu\n  namespace: shop\n") && built.contains("name: envoy\n"), "{built}");
    let verified = |built: &str| verified(&bench, built, &["all.yaml"]);
    assert_eq!(verified(&built), (Some(0), String::new()));
    // Each patch needs its own object: an object that matches another patch does not count.
    let (first, second) = built.split_at(built.find("---\n").unwrap());
    let without = |part: &str| part.replace("      hostNetwork: true\n", "");
    for half in [format!("{}{second}", without(first)), format!("{first}{}", without(second))] {
        let (code, log) = verified(&half);
        assert_eq!(code, Some(1), "{half}");
        assert!(log.contains("was not applied: spec.template.spec.hostNetwork is absent, not `true`\n"), "{log}");
        assert_eq!(log.lines().count(), 1, "{log}");
    }
    let (code, log) =
        verified(&built.replace("name: web-eu", "name: api-eu").replace("namespace: shop", "namespace: other"));
    assert_eq!((code, log.as_str()), (Some(0), ""), "any value may have been filled in");
    let (code, log) = verified(&built.replace("name: web-eu", "name: webeu"));
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(log, @"error: built.yaml: the patch of Deployment ${namespace:=shop}/${name}-${cluster:=eu} matched nothing: the build has no Deployment ${namespace:=shop}/${name}-${cluster:=eu}");
    let (code, log) = verified(&built.replace("hostPort: 20080", "hostPort: 8080"));
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(log, @"error: built.yaml: the patch of Deployment ${namespace:=shop}/${name}-${cluster:=eu} was not applied: spec.template.spec.containers[1].ports[0].hostPort is `8080`, not `20080`");
}

/// An object that matches a patch without variables does not count for a patch with variables, in either order.
#[test]
fn a_fixed_name_does_not_match_a_patch_with_variables() {
    let pod = |name: &str| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: a}}]}}\n")
    };
    for base in [[pod("\"${name}\""), pod("web")], [pod("web"), pod("\"${name}\"")]] {
        let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {kind: Pod}}]}}";
        let bench = Bench::new(config, &base.join("---\n"));
        let applied = bench.made(&["apply", "all.yaml"]);
        assert_eq!(verified(&bench, &applied.replace("\"${name}\"", "api"), &["all.yaml"]), (Some(0), String::new()));
        let web = applied.split("---\n").find(|pod| pod.contains("name: web")).unwrap();
        let missed = "error: built.yaml: the patch of Pod ${name} matched nothing: the build has no Pod ${name}\n";
        assert_eq!(verified(&bench, web, &["all.yaml"]), (Some(1), missed.to_owned()));
    }
}

/// Verifies standard input, as in `flux build … | hostnet patch --verify -`.
#[test]
fn the_output_of_a_pipe_is_verified() {
    let bench = Bench::new(CONFIG, FILLED);
    let built = bench.made(&["apply", "all.yaml"]);
    let mut verify = command(std::path::Path::new(crate::patch::cases::HOSTNET));
    verify.current_dir(bench.at()).args(["patch", "-c", "hostnet.yaml", "--verify", "-", "all.yaml"]);
    let output = run(&mut verify, built.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = run(&mut verify, FILLED.as_bytes());
    let log = text(&output.stderr);
    // The program of one workload is unknown, and its manifest shows no port.
    let mut errors = log.lines().filter(|line| !line.ends_with("[program-unknown]"));
    assert!(
        errors.next().is_some_and(|line| line.starts_with("error: standard input: the patch of Deployment ")),
        "{log}"
    );
}
