//! Patches in a kustomization that sets names: the patches target the objects before the renaming.

use crate::patch::build::Bench;
use crate::patch::cases::{canonical, case, copy, host};
use crate::patch::guards::{CONFIG, SAMPLE};
use crate::support::run;
use std::path::Path;

const RENAMES: &str = "namePrefix: eu-\nnameSuffix: -b\nnamespace: prod\n";
const FLAGS: [&str; 6] = ["--name-prefix", "eu-", "--name-suffix=-b", "--namespace", "prod", "all.yaml"];

pub(crate) fn verified(bench: &Bench, built: &str, flags: &[&str]) -> (Option<i32>, String) {
    bench.write("built.yaml", built);
    let (code, out, log) = bench.hostnet(&[&["patch", "--verify", "built.yaml"], flags].concat());
    assert_eq!(out, "");
    let errors = log.lines().filter(|line| line.starts_with("error")).map(|line| format!("{line}\n")).collect();
    (code, errors)
}

/// Builds a kustomization that patches and renames, made by `hostnet patch --as kustomization`.
fn renamed(bench: &Bench, kustomize: &Path) -> String {
    let patches = bench.made(&["patch", "--as", "kustomization", "--resource", "all.yaml", "all.yaml"]);
    assert!(patches.contains("\nresources:\n- all.yaml\n"), "{patches}");
    bench.write("kustomization.yaml", &format!("{patches}{RENAMES}"));
    bench.build(kustomize, ".").unwrap()
}

#[test]
fn patches_target_names_before_the_renaming() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(CONFIG, SAMPLE);
    let built = renamed(&bench, &kustomize);
    bench.write("applied/all.yaml", &bench.made(&["apply", "all.yaml"]));
    bench.write("applied/kustomization.yaml", &format!("resources: [all.yaml]\n{RENAMES}"));
    assert_eq!(canonical(&built), canonical(&bench.build(&kustomize, "applied").unwrap()));
    assert!(built.contains("name: eu-web.v1-b\n  namespace: prod\n"), "{built}");
    assert_eq!(verified(&bench, &built, &FLAGS), (Some(0), String::new()));
    // Verification needs the names that the kustomization sets.
    let (code, log) = verified(&bench, &built, &["all.yaml"]);
    assert_eq!(code, Some(1));
    assert!(
        log.contains(
            "error: built.yaml: the patch of Deployment shop/web.v1 matched nothing: the build has no Deployment shop/web.v1. There \
             is Deployment prod/eu-web.v1-b: give --name-prefix, --name-suffix and --namespace as the kustomization that \
             carries the patches sets them\n"
        ),
        "{log}"
    );
}

#[test]
fn patches_of_the_renamed_build_miss_silently_and_verify_says_so() {
    let Some(kustomize) = host("kustomize") else { return };
    let base =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: example/web}]}\n";
    let config = |name: &str| {
        format!(
            "{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {{name: x}}, spec: {{targets: [{{select: \
             {{name: {name}}}}}]}}}}\n"
        )
    };
    let bench = Bench::new(&config("eu-web"), base);
    bench.write("renamed/kustomization.yaml", "resources: [../all.yaml]\nnamePrefix: eu-\n");
    std::fs::copy(bench.at().join("all.yaml"), bench.at().join("renamed/all.yaml")).unwrap();
    bench.write("renamed/kustomization.yaml", "resources: [all.yaml]\nnamePrefix: eu-\n");
    let after = bench.build(&kustomize, "renamed").unwrap();
    bench.write("after.yaml", &after);
    bench.write("component/kustomization.yaml", &bench.made(&["patch", "--as", "component", "after.yaml"]));
    // A patch of the renamed objects, in the kustomization that sets the prefix, is applied too early.
    bench.write("kustomization.yaml", "resources: [all.yaml]\ncomponents: [component]\nnamePrefix: eu-\n");
    let built = bench.build(&kustomize, ".").unwrap();
    assert_eq!(built, after, "kustomize ignores a patch without a match");
    assert_eq!(
        verified(&bench, &built, &["after.yaml"]),
        (
            Some(1),
            "error: built.yaml: the patch of Pod eu-web was not applied: spec.hostNetwork is absent, not `true`\nerror: \
             built.yaml: the patch of Pod eu-web was not applied: spec.dnsPolicy is absent, not \
             `ClusterFirstWithHostNet`\n"
                .to_owned()
        )
    );
    // The patch works in a kustomization above, which has the renamed build as its base.
    bench.write("component/kustomization.yaml", &bench.made(&["patch", "--as", "component", "after.yaml"]));
    bench.write("kustomization.yaml", "resources: [renamed]\ncomponents: [component]\n");
    let built = bench.build(&kustomize, ".").unwrap();
    assert_eq!(verified(&bench, &built, &["after.yaml"]), (Some(0), String::new()));
}

#[test]
fn a_duplicate_target_is_refused() {
    let bench = Bench::new(CONFIG, SAMPLE);
    let applied = bench.made(&["apply", "all.yaml"]);
    let (code, log) = verified(&bench, &format!("{applied}---\n{applied}"), &["all.yaml"]);
    assert_eq!(code, Some(1));
    assert!(
        log.contains(
            "the patch of CloneSet shop/clones matches 2 objects: CloneSet shop/clones is in the build more than once\n"
        ),
        "{log}"
    );
}

/// Additions by other patches do not fail the verification: elements are identified by their names.
#[test]
fn verify_identifies_elements_by_name_and_compares_types() {
    let bench = Bench::new(CONFIG, SAMPLE);
    let applied = bench.made(&["apply", "all.yaml"]);
    let first = "      containers:\n      - name: web\n";
    assert!(applied.contains(first));
    let more =
        applied.replace(first, "      containers:\n      - {name: mesh, image: example/mesh}\n      - name: web\n");
    assert_eq!(verified(&bench, &more, &["all.yaml"]), (Some(0), String::new()));
    let filled = applied.replace("\"${PLACED:=8099}\"", "8099").replace("${NOTE}", "a note");
    assert_eq!(verified(&bench, &filled, &["all.yaml"]), (Some(0), String::new()));
    for (right, wrong, log) in [
        (
            "targetPort: http",
            "targetPort: 8080",
            "Service shop/web was not applied: spec.ports[0].targetPort is `8080`, not `http`",
        ),
        ("containerPort: 20080", "containerPort: \"20080\"", "containerPort is `\"20080\"`, not `20080`"),
        ("value: \"20081\"", "value: 20081", "containers[2].env has no element `{name: HEALTH_PORT, value: 20081}`"),
        ("--metrics=:20082", "--metrics=:8382", "containers[2].args is `[--metrics=:8382]`, not `[--metrics=:20082]`"),
        (
            "{name: visibility, containerPort: 8082",
            "{name: visibility, containerPort: 8083",
            "ports has no element `{name: visibility, containerPort: 8082, hostPort: 8082}`",
        ),
        (
            "name: clones",
            "name: other",
            "the patch of CloneSet shop/clones matched nothing: the build has no CloneSet shop/clones\n",
        ),
    ] {
        assert!(applied.contains(right), "{right}");
        let (code, errors) = verified(&bench, &applied.replace(right, wrong), &["all.yaml"]);
        assert_eq!(code, Some(1), "{right} -> {wrong}");
        assert!(errors.contains(log), "{right} -> {wrong}: {errors}");
    }
}

/// A component in a base, with an overlay that renames objects and generates names with hashes: references still
/// follow.
#[test]
fn a_component_in_a_base_equals_the_function_there() {
    let Some(kustomize) = host("kustomize") else { return };
    let case = case("transformer-in-base");
    let config = std::fs::read_to_string(case.config()).unwrap();
    let bench = Bench::new(&config, "");
    copy(&case.folder, bench.at());
    let base = crate::patch::cases::unmoved(&kustomize, &case.folder.join("base"));
    bench.write("all.yaml", &base);
    bench.write("component/kustomization.yaml", &bench.patches("component"));
    let file = bench.at().join("base/kustomization.yaml");
    let kustomization = std::fs::read_to_string(&file).unwrap();
    let (before, _) = kustomization.split_once("transformers:").unwrap();
    std::fs::write(file, format!("{before}components: [../component]\n")).unwrap();
    let output = run(crate::patch::cases::command(&kustomize).arg("build").arg(bench.at()), b"");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(canonical(&case.want), canonical(&String::from_utf8_lossy(&output.stdout)), "{log}");
}

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: old}
spec: {selector: {app: web}, ports: [{port: 8080}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
";

/// A config that matches the object of `WEB` after any renaming.
fn any_web() -> Bench {
    let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {name: \
                  .*web.*}, ports: {http: 20080}}]}}";
    let bench = Bench::new(config, WEB);
    bench.write("deploy/all.yaml", WEB);
    bench
}

/// PATH is often the build of the kustomization that will carry the patches.
#[test]
fn the_input_may_be_the_build_of_the_carrier() {
    let Some(kustomize) = host("kustomize") else { return };
    for renames in ["namespace: shop\n", "namePrefix: eu-\nnameSuffix: -b\n", "namePrefix: eu-\nnamespace: shop\n", ""]
    {
        let bench = any_web();
        let kustomization = format!("resources: [all.yaml]\n{renames}");
        bench.write("deploy/kustomization.yaml", &kustomization);
        bench.write("all.yaml", &bench.build(&kustomize, "deploy").unwrap());
        let arguments = ["patch", "--carrier", "deploy/kustomization.yaml", "--as", "component", "all.yaml"];
        bench.write("deploy/component/kustomization.yaml", &bench.made(&arguments));
        bench.write("deploy/kustomization.yaml", &format!("{kustomization}components: [component]\n"));
        let built = bench.build(&kustomize, "deploy").unwrap();
        assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])), "{renames}");
        assert_eq!(verified(&bench, &built, &["all.yaml"]), (Some(0), String::new()));
        // Without the carrier, the patches match nothing, except if nothing is renamed.
        if !renames.is_empty() {
            bench.write("deploy/component/kustomization.yaml", &bench.patches("component"));
            let missed = bench.build(&kustomize, "deploy").unwrap();
            assert_eq!(verified(&bench, &missed, &["all.yaml"]).0, Some(1), "{renames}");
        }
    }
}

/// Flux adds its patches to the kustomization at spec.path, so they are applied before that kustomization's namespace.
#[test]
fn flux_patches_before_the_namespace_of_the_kustomization_at_its_path() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let bench = any_web();
    bench.write("deploy/kustomization.yaml", "resources: [all.yaml]\nnamespace: shop\n");
    bench.write("all.yaml", &bench.build(&kustomize, "deploy").unwrap());
    let arguments = ["patch", "--carrier", "deploy/kustomization.yaml", "--as", "flux", "all.yaml"];
    let head = "\nmetadata: {name: all, namespace: flux-system}\nspec:\n  interval: 1h\n  prune: true\n  sourceRef: {kind: GitRepository, \
                name: all}\n";
    let printed = bench.made(&arguments).replacen("\nspec:\n", head, 1);
    bench.write("flux.yaml", &printed);
    let mut flux = crate::patch::cases::command(&fluxbuild);
    let output = run(flux.current_dir(bench.at()).args(["--kustomization", "flux.yaml", "--path", "deploy"]), b"");
    let built = String::from_utf8_lossy(&output.stdout);
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])), "{output:?}");
}

/// A file with a Flux Kustomization often also contains its source.
#[test]
fn a_carrier_may_follow_other_objects() {
    let bench = any_web();
    bench.write("all.yaml", &WEB.replace("{name: web", "{name: eu-web"));
    bench.write(
        "flux.yaml",
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: all}\n---\napiVersion: \
         kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: all}\nspec: {namePrefix: eu-}\n---\n",
    );
    let printed = bench.made(&["patch", "--carrier", "flux.yaml", "--as", "flux", "all.yaml"]);
    assert_eq!(printed.matches("\n      name: web\n").count(), 1, "{printed}");
}

#[test]
fn a_carrier_that_did_not_build_the_input_is_refused() {
    let bench = any_web();
    let refused = |carrier: &str, input: &str| {
        bench.write("carrier.yaml", carrier);
        bench.write("all.yaml", input);
        let (code, out, log) = bench.hostnet(&["patch", "--carrier", "carrier.yaml", "--as", "component", "all.yaml"]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{log}");
        log
    };
    insta::assert_snapshot!(refused("namePrefix: eu-\n", WEB), @r#"
        error: all.yaml:1:1: Deployment web does not have the namePrefix `eu-` and the nameSuffix `` of the kustomization with the patches: PATH must be the build of this kustomization [document]
        warning: all.yaml:9:38: Deployment web, container web, port http (8080): moves to 20080, and 8080 is a target port with these labels, and only one of the two has a namespace, in Service old/web; if that refers to this port, change it too [port-reference]
        1 error, 1 warning (-v shows all)
    "#);
    insta::assert_snapshot!(refused("namespace: shop\n", &WEB.replace("{name: web}\nspec", "{name: web, namespace: old}\nspec")), @r#"
        error: all.yaml:1:1: Deployment old/web is not in namespace `shop`, which the kustomization with the patches sets: PATH must be the build of this kustomization [document]
        error: all.yaml:6:1: Service old/web is not in namespace `shop`, which the kustomization with the patches sets: PATH must be the build of this kustomization [document]
        2 errors, 0 warnings (-v shows all)
    "#);
    insta::assert_snapshot!(refused("- a\n", WEB), @"error: carrier.yaml: no kustomization: --carrier is a kustomization file, or a file with one Kustomization of Flux");
    insta::assert_snapshot!(refused("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n", WEB), @"error: carrier.yaml: no kustomization: --carrier is a kustomization file, or a file with one Kustomization of Flux");
    insta::assert_snapshot!(refused("namespace: a\n---\nnamespace: b\n", WEB), @"error: carrier.yaml: more than one kustomization: --carrier is a kustomization file, or a file with one Kustomization of Flux");
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {nameSuffix: -b, targetNamespace: shop}\n";
    insta::assert_snapshot!(refused(flux, WEB), @r#"
        error: all.yaml:1:1: Deployment web does not have the namePrefix `` and the nameSuffix `-b` of the kustomization with the patches: PATH must be the build of this kustomization [document]
        warning: all.yaml:9:38: Deployment web, container web, port http (8080): moves to 20080, and 8080 is a target port with these labels, and only one of the two has a namespace, in Service old/web; if that refers to this port, change it too [port-reference]
        1 error, 1 warning (-v shows all)
    "#);
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: eu-s3}\nspec:\n  package: \
                    xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0\n  controllerConfigRef: {name: eu-a}\n---\napiVersion: \
                    pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: eu-a}\n";
    bench.write(
        "hostnet.yaml",
        "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: \
                 {group: pkg.crossplane.io, kind: Provider}, ports: auto}], crossplane: {version: v1.20.0}}}",
    );
    insta::assert_snapshot!(refused("namePrefix: eu-\n", provider), @r#"
        error: Provider eu-s3: DeploymentRuntimeConfig hostnet-eu-s3 is new: patches cannot express this after namePrefix and nameSuffix: make them from the build without these [document]
        1 error, 0 warnings (-v shows all)
    "#);
}
