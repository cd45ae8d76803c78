//! New and removed objects: kustomize builds new ones from separate files and removes others by name.

use crate::patch::build::Bench;
use crate::patch::cases::{canonical, host};
use hostnet::api::HostNetworkConfig;
use hostnet::kinds::patch::{self, NewObject, Patches};
use hostnet::model::Meta;
use hostnet::render::patch::{Form, Renames};
use krm::{Input, Origin};
use lossless_yaml::Tree;

const BASE: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: example/web}]}
---
apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata: {name: old}
";
const NEW: &str = "\
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: hostnet-s3} # a copy
";
const CONFIG: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {name: web}}]}}";

pub(crate) const PACKAGES: &str = "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: s3}
spec:
  package: xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0
  runtimeConfigRef: {name: default}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: ec2}
spec:
  package: xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.6.0
  controllerConfigRef: {name: role}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: default}
spec:
  serviceAccountTemplate:
    metadata:
      annotations:
        eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a # the role
---
apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata: {name: role}
spec: {replicas: 2}
";
pub(crate) const PACKAGES_CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: packages}
spec:
  targets: [{select: {group: pkg.crossplane.io, kind: Provider}, ports: auto}]
  crossplane: {version: v1.20.0}
";

fn meta(text: &str) -> Meta {
    Meta::read(Tree::parse(text).unwrap().root(0).unwrap())
}

fn input(text: &str) -> Input {
    Input::read(Origin::stdin(), text.into()).unwrap()
}

/// Returns patches with objects that no patch can contain.
fn patches() -> Patches {
    let config = HostNetworkConfig::read(CONFIG, "hostnet.yaml", 1).unwrap();
    let mut patches = patch::patches(&[input(BASE)], &config, &Renames::default(), false).unwrap();
    patches.new.push(NewObject { meta: meta(NEW), text: NEW.to_owned() });
    patches
        .removed
        .push(meta("{apiVersion: pkg.crossplane.io/v1alpha1, kind: ControllerConfig, metadata: {name: old}}"));
    patches
}

#[test]
fn new_objects_are_resources_and_others_are_removed() {
    let Some(kustomize) = host("kustomize") else { return };
    let patches = patches();
    let [new] = patches.new.as_slice() else { panic!() };
    assert_eq!(new.file(), "deploymentruntimeconfig-hostnet-s3.yaml");
    let bench = Bench::new(CONFIG, BASE);
    let want = canonical(&format!("{}---\n{NEW}", bench.made(&["apply", "all.yaml"]).split("---").next().unwrap()));
    let made = |form: Form, resources: &[String], folder: &str| {
        assert_eq!(patches.form_problem(form, true), None);
        bench.write(&format!("{folder}/{}", new.file()), &new.text);
        bench.write(&format!("{folder}/kustomization.yaml"), &patches.text(form, resources));
    };
    made(Form::Component, &[], "component");
    bench.write("kustomization.yaml", "resources: [all.yaml]\ncomponents: [component]\n");
    let built = bench.build(&kustomize, ".").unwrap();
    assert_eq!(canonical(&built), want);
    assert_eq!(patch::verify(&patches, &input(&built), &Renames::default()).unwrap(), [""; 0]);
    // If an object to remove does not exist, the build fails.
    bench.write("all.yaml", BASE.split("---").next().unwrap());
    let log = bench.build(&kustomize, ".").unwrap_err();
    assert!(log.contains("no matches for Id ControllerConfig.v1alpha1.pkg.crossplane.io/old"), "{log}");
    bench.write("base/all.yaml", BASE);
    bench.write("base/kustomization.yaml", "resources: [all.yaml]\n");
    made(Form::Kustomization, &["../base".to_owned()], "overlay");
    assert_eq!(canonical(&bench.build(&kustomize, "overlay").unwrap()), want);
}

/// Crossplane packages with a copied runtime config, a new one, and a removed ControllerConfig.
#[test]
fn packages_get_separate_runtime_configs() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(PACKAGES_CONFIG, PACKAGES);
    let built = bench.with_component(&kustomize).unwrap();
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])));
    bench.write("built.yaml", &built);
    bench.made(&["patch", "--verify", "built.yaml", "all.yaml"]);
    let (_, _, log) = bench.hostnet(&["patch", "--verify", "all.yaml", "all.yaml"]);
    for missing in [
        "DeploymentRuntimeConfig hostnet-s3 is new, and does not occur exactly once\n",
        "ControllerConfig role should be removed, but exists\n",
        "Provider s3 was not applied: spec.runtimeConfigRef.name is `default`, not `hostnet-s3`\n",
        "Provider ec2 was not applied: spec.controllerConfigRef is `{name: role}`, and should be removed\n",
    ] {
        assert!(log.contains(missing), "{missing}{log}");
    }
    let file = |name: &str| std::fs::read_to_string(bench.at().join("component").join(name)).unwrap();
    // A copy keeps its comments.
    let copy = file("deploymentruntimeconfig-hostnet-s3.yaml");
    assert!(
        copy.starts_with("# Made by `hostnet patch`.\napiVersion: ")
            && copy.contains("{name: hostnet-s3}\n")
            && copy.ends_with("# the role\n"),
        "{copy}"
    );
    for form in ["flux", "helmrelease"] {
        let (code, out, log) = bench.hostnet(&["patch", "--as", form, "all.yaml"]);
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(log.contains("`--as component` and `--as kustomization` with --output-dir DIR can do it"), "{log}");
    }
    let (code, out, log) = bench.hostnet(&["patch", "--as", "component", "all.yaml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(log.contains("give --output-dir DIR"), "{log}");
}

#[test]
fn forms_without_objects_name_the_other_forms() {
    let mut patches = patches();
    for form in [Form::Flux, Form::HelmRelease] {
        assert_eq!(
            patches.form_problem(form, false).unwrap(),
            "DeploymentRuntimeConfig hostnet-s3 is new, ControllerConfig old is removed: Flux's own objects hold only patches. \
             `--as component` and `--as kustomization` with --output-dir DIR can do it, and so can `hostnet apply` on the files that Flux reads"
        );
    }
    assert_eq!(
        patches.form_problem(Form::Component, false).unwrap(),
        "DeploymentRuntimeConfig hostnet-s3 is new, ControllerConfig old is removed: give --output-dir DIR, which takes a file for each \
         new object"
    );
    patches.new.clear();
    assert_eq!(patches.form_problem(Form::Component, false), None);
    assert!(patches.form_problem(Form::Flux, false).is_some());
}

#[test]
fn verify_reports_missing_and_remaining_objects() {
    assert_eq!(
        patch::verify(&patches(), &input(BASE), &Renames::default()).unwrap(),
        [
            "DeploymentRuntimeConfig hostnet-s3 is new, and does not occur exactly once",
            "ControllerConfig old should be removed, but exists",
            "the patch of Pod web was not applied: spec.hostNetwork is absent, not `true`",
            "the patch of Pod web was not applied: spec.dnsPolicy is absent, not `ClusterFirstWithHostNet`",
        ]
    );
}
