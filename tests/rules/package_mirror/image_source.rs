//! Images that ImageConfigs do not rewrite.

use super::{RULE, changes, core, package, stream};
use crate::support::results::{brief, worded};
use crate::support::run::hostnet;

const RUNTIME: &str = "apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: own}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - {name: package-runtime, image: xpkg.crossplane.io/o/runtime:v1} # kept
          initContainers:
          - {name: setup, image: 'quay.io/o/setup:v1'}
---
apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata: {name: old}
spec: {image: 'xpkg.crossplane.io/o/controller:v1'}
";

#[test]
fn runtime_configs_and_the_core_itself() {
    let manifest = stream(&[RUNTIME.to_owned(), core("v2.3.4", "--debug").replace("quay.io", "xpkg.crossplane.io")]);
    insta::assert_snapshot!(changes(RULE, &manifest), @r#"
        -          - {name: package-runtime, image: xpkg.crossplane.io/o/runtime:v1} # kept
        +          - {name: package-runtime, image: registry.example.com/xpkg/o/runtime:v1} # kept
        -spec: {image: 'xpkg.crossplane.io/o/controller:v1'}
        +spec: {image: 'registry.example.com/xpkg/o/controller:v1'}
        -      - {name: crossplane-init, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, init, --debug]}
        +      - {name: crossplane-init, image: 'registry.example.com/xpkg/crossplane/crossplane:v2.3.4', args: [core, init, --debug]}
        -      - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, start]}
        +      - {name: crossplane, image: 'registry.example.com/xpkg/crossplane/crossplane:v2.3.4', args: [core, start]}
    "#);
}

/// A select that matches a package also selects the runtime config of the package.
#[test]
fn a_select_of_packages_includes_their_runtime_configs() {
    let own =
        package("Provider", "a", "xpkg.crossplane.io/o/a:v1").replace("v1'}", "v1', runtimeConfigRef: {name: own}}");
    let manifest = stream(&[RUNTIME.to_owned(), own]);
    let text = changes(&format!("{RULE}, select: [{{kind: Provider}}]"), &manifest);
    let images: Vec<&str> = text.lines().filter(|line| line.contains("image:")).collect();
    insta::assert_snapshot!(images.join("\n"), @r#"
        -          - {name: package-runtime, image: xpkg.crossplane.io/o/runtime:v1} # kept
        +          - {name: package-runtime, image: registry.example.com/xpkg/o/runtime:v1} # kept
    "#);
}

#[test]
fn selected_workloads_are_changed() {
    let workload = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      initContainers:
      - {name: a, image: 'nginx:1@sha256:0a'}
      containers:
      - {name: b, image: 'docker.io/o/b'} # kept
      - {name: c, image: localhost/c, args: ['--helper=docker.io/o/helper:v1', '--log=a/b']}
      - {name: d, image: index.docker.io/o/d:v1}
      - {name: e, image: '${REGISTRY}/o/e:v1'}
";
    let spec = "rules: [{from: docker.io, to: registry.example.com/hub}]";
    insta::assert_snapshot!(worded(changes(&format!("{spec}, select: [{{name: web}}]"), workload)), @"
    -      - {name: a, image: 'nginx:1@sha256:0a'}
    +      - {name: a, image: 'registry.example.com/hub/library/nginx:1@sha256:0a'}
    -      - {name: b, image: 'docker.io/o/b'} # kept
    +      - {name: b, image: 'registry.example.com/hub/o/b'} # kept
    -      - {name: d, image: index.docker.io/o/d:v1}
    +      - {name: d, image: registry.example.com/hub/o/d:v1}
    warning: standard input:1:1: Deployment shop/web: container c is given `docker.io/o/helper:v1`, which matches a `from` but may not be an image, so it is not edited [image-source]
    warning: standard input:1:1: Deployment shop/web: container e is not changed: its image `${REGISTRY}/o/e:v1` is filled in later. Write a name in the mirror there [image-source]
    ");
    assert!(!changes(spec, workload).contains("registry.example.com/hub/"), "by default workloads are unchanged");
}

/// Arguments and variables with an image in their name are changed; others are unchanged and reported.
#[test]
fn arguments_and_variables_that_are_images() {
    let workload = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: a
        image: quay.io/o/a:v1
        args: [--sidecar-image=quay.io/o/b:v1, --init-image, 'quay.io/o/c:v1', --images=quay.io/o/d:v1, --log=quay.io]
        env:
        - {name: RELATED_IMAGE_E, value: 'quay.io/o/e@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}
        - {name: F_IMAGE, value: 'quay.io/o/f'} # kept
        - {name: G_IMAGE, value: o/g}
        - {name: H, value: 'quay.io/o/h:v1'}
        - {name: I_IMAGE, value: 'other.io/o/i:v1'}
";
    let spec = "rules: [{from: quay.io, to: m.io/q}], select: [{name: web}]";
    insta::assert_snapshot!(brief(changes(spec, workload)), @"
    -        image: quay.io/o/a:v1
    -        args: [--sidecar-image=quay.io/o/b:v1, --init-image, 'quay.io/o/c:v1', --images=quay.io/o/d:v1, --log=quay.io]
    +        image: m.io/q/o/a:v1
    +        args: [--sidecar-image=m.io/q/o/b:v1, --init-image, 'm.io/q/o/c:v1', --images=quay.io/o/d:v1, --log=quay.io]
    -        - {name: RELATED_IMAGE_E, value: 'quay.io/o/e@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}
    -        - {name: F_IMAGE, value: 'quay.io/o/f'} # kept
    +        - {name: RELATED_IMAGE_E, value: 'm.io/q/o/e@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}
    +        - {name: F_IMAGE, value: 'm.io/q/o/f'} # kept
    warning: image-source Deployment web (1:1, quay.io/o/d:v1)
    warning: image-source Deployment web (1:1, quay.io/o/h:v1)
    ");
}

/// Crossplane replaces the pull secrets of a runtime config with those that the package has.
#[test]
fn pull_secrets_of_a_runtime_config_are_reported() {
    let runtime = RUNTIME
        .replace("          containers:\n", "          imagePullSecrets: [{name: own}]\n          containers:\n");
    let text = changes(&format!("{RULE}, pullSecret: mine"), &runtime);
    insta::assert_snapshot!(worded(text.lines().filter(|line| line.starts_with("warning")).collect::<Vec<_>>().join("\n")), @"
    warning: the input holds neither a package nor Crossplane's core, so nothing is moved [unmatched]
    warning: standard input:1:1: DeploymentRuntimeConfig own: its `imagePullSecrets` have no effect, because Crossplane replaces them by the secrets of the package, also for the images of other containers. Put all needed credentials into one Secret, or into the service account [image-source]
    ");
}

/// Nodes pull the image of a volume. Images outside pod templates are unchanged, and reported if a select matches the
/// object.
#[test]
fn image_volumes_are_changed_and_custom_resources_are_reported() {
    let manifest = stream(&[
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  containers:\n  - {name: c, image: 'xpkg.crossplane.io/o/c:1'}\n  volumes:\n  - {name: v, image: {reference: 'xpkg.crossplane.io/o/vol:1', pullPolicy: Always}}\n".to_owned(),
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: kn, namespace: n}\nspec: {template: {spec: {containers: [{image: 'xpkg.crossplane.io/o/kn:1'}]}}}\n".to_owned(),
    ]);
    insta::assert_snapshot!(worded(changes(&format!("{RULE}, select: [{{kind: .*}}]"), &manifest)), @"
    -  - {name: c, image: 'xpkg.crossplane.io/o/c:1'}
    +  - {name: c, image: 'registry.example.com/xpkg/o/c:1'}
    -  - {name: v, image: {reference: 'xpkg.crossplane.io/o/vol:1', pullPolicy: Always}}
    +  - {name: v, image: {reference: 'registry.example.com/xpkg/o/vol:1', pullPolicy: Always}}
    warning: standard input:10:1: Service n/kn: spec.template.spec.containers[0].image is `xpkg.crossplane.io/o/kn:1`, which matches a `from` but is not an image of a container here, so it is not edited. Write the name in the mirror by hand [image-source]
    ");
}

/// Up to v1.20 Crossplane runs the image that a package's metadata names, and no ImageConfig rewrites it. The test
/// pastes the lines of the message.
#[test]
fn images_of_metadata_are_named_in_a_runtime_config() {
    let spec = |version: &str| {
        format!(
            "rules: [{{from: xpkg.crossplane.io, to: m.io/x}}], crossplane: {{version: {version}}}, packages: {{'xpkg.crossplane.io/o/a:v1': {{dependsOn: [], \
             runtimeImage: 'o/a-controller:v1'}}, 'xpkg.crossplane.io/o/b:v1': {{dependsOn: [], runtimeImage: quay.io/o/b}}}}"
        )
    };
    let reported = |version: &str, manifest: &[String]| {
        let text = changes(&spec(version), &stream(manifest));
        text.lines().filter(|line| line.contains("package.yaml")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let own =
        |more: &str| package("Provider", "a", "xpkg.crossplane.io/o/a:v1").replace("'} #", &format!("'{more}}} #"));
    let message = reported("v1.20.11", &[own("")]);
    insta::assert_snapshot!(worded(&message), @"warning: standard input:1:1: Provider a: Crossplane before v2.0.0 runs xpkg.crossplane.io/o/a-controller:v1, which its package.yaml names, and not the package's own image; no ImageConfig rewrites it: write `runtimeConfigRef: {name: a}` into its spec, and add `{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: a}, spec: {deploymentTemplate: {spec: {selector: {}, template: {spec: {containers: [{name: package-runtime, image: 'm.io/x/o/a-controller:v1'}]}}}}}}` [image-source]");
    let lines: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let pasted = [own(&format!(", {}", lines[0])), format!("{}\n", lines[1])];
    assert_eq!(reported("v1.20.11", &pasted), "");
    insta::assert_snapshot!(worded(reported("v1.20.11", &[package("Function", "b", "xpkg.crossplane.io/o/b:v1")])), @"warning: standard input:1:1: Function b: Crossplane before v2.0.0 runs quay.io/o/b, which its package.yaml names, and not the package's own image; no ImageConfig rewrites it: its pod pulls that image from the original registry, which no rule matches: add `- {from: quay.io, to: 'm.io/quay.io'}` to `rules` [image-source]");
    // The registry of the mirror needs no rule.
    let at = |image: &str| {
        let spec = spec("v1.20.11").replace("quay.io/o/b", image);
        let text = changes(&spec, &package("Function", "b", "xpkg.crossplane.io/o/b:v1"));
        text.lines().any(|line| line.contains("package.yaml"))
    };
    assert_eq!(["m.io/o/b", "m.io/x/o/b", "m.io:5000/o/b", "n.m.io/o/b"].map(at), [false, false, true, true]);
    let config = |image: &str| {
        format!(
            "{{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {{name: a}}, spec: {{deploymentTemplate: {{spec: {{selector: {{}}, \
             template: {{spec: {{containers: [{{name: package-runtime{image}}}]}}}}}}}}}}}}\n"
        )
    };
    let named = own(", runtimeConfigRef: {name: a}");
    assert_eq!(reported("v1.20.11", &[named.clone(), config(", image: 'm.io/x/o/a-controller:v1'")]), "");
    insta::assert_snapshot!(worded(reported("v1.20.11", &[named, config("")])), @"warning: standard input:1:1: Provider a: Crossplane before v2.0.0 runs xpkg.crossplane.io/o/a-controller:v1, which its package.yaml names, and not the package's own image; no ImageConfig rewrites it: write into DeploymentRuntimeConfig a `spec: {deploymentTemplate: {spec: {selector: {}, template: {spec: {containers: [{name: package-runtime, image: 'm.io/x/o/a-controller:v1'}]}}}}}` [image-source]");
    // A runtime config of two packages, a runtime config for all packages, and a runtime config that already has the
    // name.
    let other = package("Provider", "b", "b.io/o/b:v1").replace("'} #", "', runtimeConfigRef: {name: shared}} #");
    let shared = config("").replace("name: a}", "name: shared}");
    let with = own(", runtimeConfigRef: {name: shared}");
    let for_all = config("").replace("name: a}", "name: default}");
    for (before, others) in [
        (with, vec![other.clone(), shared]),
        (own(""), vec![for_all]),
        (own(", runtimeConfigRef: {name: default}"), vec![]),
        (own(""), vec![config("")]),
        (own(""), vec![other.replace("name: shared", "name: a")]),
    ] {
        let message = reported("v1.20.11", &[std::slice::from_ref(&before), &others[..]].concat());
        let lines: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        assert_eq!(lines.len(), 2, "{message}");
        let pasted = [vec![own(&format!(", {}", lines[0])), format!("{}\n", lines[1])], others.clone()].concat();
        assert_eq!(reported("v1.20.11", &pasted), "", "{message}");
        assert!(
            others.iter().all(|other| !other.contains(lines[0].strip_prefix("runtimeConfigRef: {").unwrap())),
            "{message}"
        );
    }
    // Names without registry refer to the default registry of the release; from v2.0 on the package's own image runs.
    insta::assert_snapshot!(brief(reported("v1.19.0", &[own("")])), @"warning: image-source Provider a (1:1, v2.0.0, xpkg.upbound.io/o/a-controller:v1)");
    assert_eq!(reported("v2.0.0", &[own("")]), "");
}

/// Images of metadata without a known version, and of a package that no rule matches.
#[test]
fn images_of_metadata_without_a_version_or_a_rule() {
    let reported = |version: &str, runtime_image: &str, manifest: &[String]| {
        let spec = format!(
            "rules: [{{from: xpkg.crossplane.io, to: m.io/x}}]{version}, packages: {{'xpkg.crossplane.io/o/a:v1': {{dependsOn: [], runtimeImage: \
             '{runtime_image}'}}, 'b.io/o/b:v1': {{dependsOn: [], runtimeImage: '{runtime_image}'}}}}"
        );
        let text = changes(&spec, &stream(manifest));
        text.lines().filter(|line| line.contains("package.yaml")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let (old, new) = (", crossplane: {version: v1.20.11}", ", crossplane: {version: v2.0.0}");
    let a = [package("Provider", "a", "xpkg.crossplane.io/o/a:v1")];
    insta::assert_snapshot!(worded(reported("", "quay.io/o/a:v1", &a)), @"warning: standard input:1:1: Provider a: not known: whether its pods run quay.io/o/a:v1, which its package.yaml names and Crossplane before v2.0.0 uses, or the package's own image; write the version: `crossplane: {version: v1.20.0}` in the spec [image-source]");
    let b = [package("Provider", "b", "b.io/o/b:v1")];
    insta::assert_snapshot!(brief(reported(old, "xpkg.crossplane.io/o/b-controller:v1", &b)), @"warning: image-source Provider b (1:1, m.io/x/o/b-controller:v1, pkg.crossplane.io/v1beta1, v2.0.0, xpkg.crossplane.io/o/b-controller:v1)");
    // No report if the image is in the mirror, if neither the package nor its image matches a rule, if the package's own image runs, or if a runtime
    // config of all packages sets an image.
    assert_eq!(reported(old, "m.io/x/o/a-controller:v1", &a), "");
    assert_eq!(reported(old, "b.io/o/b-controller:v1", &b) + &reported("", "b.io/o/b-controller:v1", &b), "");
    assert_eq!(reported(new, "quay.io/o/a:v1", &a) + &reported(new, "xpkg.crossplane.io/o/b-controller:v1", &b), "");
    let default = "{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: default}, spec: {deploymentTemplate: {spec: \
                   {selector: {}, template: {spec: {containers: [{name: package-runtime, image: m.io/x/o/a:v1}]}}}}}}\n";
    assert_eq!(reported("", "quay.io/o/a:v1", &[a[0].clone(), default.to_owned()]), "");
}

/// Platforms of a package's own image count only if that image runs.
#[test]
fn platforms_of_images_that_do_not_run_have_no_effect() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {kubernetes.io/arch: amd64, kubernetes.io/os: linux}}\n";
    let reported = |version: &str, more: &[String]| {
        let spec = format!(
            "rules: [{{from: xpkg.crossplane.io, to: m.io/x}}], crossplane: {{version: {version}}}, packages: {{'xpkg.crossplane.io/o/a:v1': \
             {{dependsOn: [], platforms: [linux/arm64], runtimeImage: 'quay.io/o/a:v1'}}}}"
        );
        let own = [package("Provider", "a", "xpkg.crossplane.io/o/a:v1"), node.to_owned()];
        changes(&spec, &stream(&[&own, more].concat())).contains("which cannot run it")
    };
    assert!(!reported("v1.20.11", &[]) && reported("v2.0.0", &[]));
    let default = "{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: default}, spec: {deploymentTemplate: {spec: \
                   {selector: {}, template: {spec: {containers: [{name: package-runtime, image: m.io/x/o/a:v1}]}}}}}}\n";
    assert!(!reported("v2.0.0", &[default.to_owned()]));
}

/// Only nodes on which the pods may run count.
#[test]
fn platforms_of_nodes_without_the_pods_have_no_effect() {
    let node = |name: &str, arch: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{kubernetes.io/arch: {arch}, kubernetes.io/os: linux}}}}\n{more}"
        )
    };
    let reported = |arm: &str, spec: &str| {
        let config = "rules: [{from: xpkg.crossplane.io, to: m.io/x}], crossplane: {version: v2.0.0}, packages: \
                      {'xpkg.crossplane.io/o/a:v1': {dependsOn: [], platforms: [linux/amd64]}}";
        let runtime = format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: default}}\nspec: {{deploymentTemplate: {{spec: \
             {{selector: {{}}, template: {{spec: {{{spec} containers: [{{name: package-runtime}}]}}}}}}}}}}\n"
        );
        let own = package("Provider", "a", "xpkg.crossplane.io/o/a:v1");
        let nodes = [node("one", "amd64", ""), node("two", "arm64", arm)];
        changes(config, &stream(&[&[own, runtime], &nodes[..]].concat()))
            .contains("nodes of linux/arm64, which cannot run it")
    };
    let taint = "spec: {taints: [{key: kubernetes.io/arch, value: arm64, effect: NoSchedule}]}\n";
    assert!(reported("", ""));
    assert!(!reported("", "nodeSelector: {kubernetes.io/arch: amd64},"));
    assert!(!reported(taint, ""));
    assert!(reported(taint, "tolerations: [{operator: Exists}],"));
}

/// Images of objects of any kind that a select matches, and images that are filled in later.
#[test]
fn images_of_selected_objects_of_any_kind_are_reported() {
    let manifest = stream(&[
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p, namespace: n}\nspec: {image: 'quay.io/o/prom:v2', version: v2}\n".to_owned(),
        "apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: t, namespace: n}\nspec: {steps: [{name: s, image: 'quay.io/o/build:v1'}, {name: b, image: 'ghcr.io/o/b:v1'}]}\n".to_owned(),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec: {containers: [{name: x, image: '${REG}/list:3'}, {name: y, image: REGISTRY/list}, {name: z, image: 'quay.io/o/z:${TAG}'}]}\n".to_owned(),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: n}\nspec: {containers: [{name: x, image: 'ghcr.io/o/b:${TAG}'}, {name: y, image: nginx}]}\n".to_owned(),
    ]);
    let reported = |select: &str| {
        let text = changes(&format!("rules: [{{from: quay.io, to: m.io/q}}], select: [{select}]"), &manifest);
        let is_about = |line: &&str| !line.starts_with(['+', '-']);
        text.lines().filter(is_about).map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(worded(reported("{namespace: n}")), @"
    warning: standard input:1:1: Prometheus n/p: spec.image is `quay.io/o/prom:v2`, which matches a `from` but is not an image of a container here, so it is not edited. Write the name in the mirror by hand [image-source]
    warning: standard input:6:1: Task n/t: spec.steps[0].image is `quay.io/o/build:v1`, which matches a `from` but is not an image of a container here, so it is not edited. Write the name in the mirror by hand [image-source]
    warning: standard input:11:1: Pod n/a: container x is not changed: its image `${REG}/list:3` is filled in later. Write a name in the mirror there [image-source]
    warning: standard input:11:1: Pod n/a: container y is not changed: its image `REGISTRY/list` is filled in later. Write a name in the mirror there [image-source]
    ");
    insta::assert_snapshot!(brief(reported("{kind: Prometheus}")), @"warning: image-source Prometheus n/p (1:1, quay.io/o/prom:v2)");
    assert_eq!(reported("{name: b}"), "", "images without a rule");
    assert!(reported("{kind: Prometheu}").contains("[unmatched]"));
}

/// Entries of `images` find images by the names that a run replaces in the files.
#[test]
fn images_of_a_kustomization_that_lose_their_images_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
    let config = |select: &str| {
        format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: [{{from: docker.io, to: m.io/hub}}]{select}}}\n"
        )
    };
    write("config.yaml", &config(", select: [{name: a}]"));
    write(
        "web.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: x, image: 'nginx:1.20'}]}\n",
    );
    let reported = |images: &str| {
        write("kustomization.yaml", &format!("resources: [web.yaml]\nimages: [{images}]\n"));
        let run = hostnet(folder.path(), &["apply", "-c", "config.yaml", "--sources", "--check", "."], b"");
        run.stderr.lines().filter(|line| line.contains("images")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let found = reported("{name: nginx, newTag: 1.27.3}");
    insta::assert_snapshot!(found.replace(&*folder.path().to_string_lossy(), "FOLDER"), @"warning: .: entries of `images` in its kustomization find images by the names that this run replaces in the files: write the name `m.io/hub/library/nginx` for nginx");
    // An entry with the new name, another registry, and an image that no file has.
    for near in [
        "{name: m.io/hub/library/nginx, newTag: '1'}",
        "{name: quay.io/o/a, newTag: '1'}",
        "{name: redis, newTag: '1'}",
    ] {
        assert_eq!(reported(near), "", "{near}");
    }
    write("config.yaml", &config(""));
    assert_eq!(reported("{name: nginx, newTag: 1.27.3}"), "", "without a select the image stays");
}

/// Flux and Argo CD change images of a build as `images` of its kustomization do.
#[test]
fn images_of_flux_and_argo_cd_that_lose_their_images_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
    for name in ["shop", ".git", "other"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    write(
        "config.yaml",
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec: {rules: [{from: docker.io, to: m.io/hub}], select: [{name: a}]}\n",
    );
    for name in ["shop", "other"] {
        let image = if name == "shop" { "nginx" } else { "redis" };
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: {name}}}\nspec: {{containers: [{{name: x, image: '{image}:1.20'}}]}}\n"
        );
        write(&format!("{name}/a.yaml"), &pod);
        write(&format!("{name}/kustomization.yaml"), "resources: [a.yaml]\n");
    }
    let flux = |path: &str, name: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: k, namespace: f}}\nspec: {{path: ./{path}, sourceRef: \
             {{kind: GitRepository, name: g}}, images: [{{name: {name}, newTag: '2'}}]}}\n"
        )
    };
    let argo = |image: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: k, namespace: f}}\nspec: {{source: {{repoURL: 'https://g.io/s', \
             path: shop, kustomize: {{images: ['{image}']}}}}}}\n"
        )
    };
    let reported = |object: &str| {
        write("app.yaml", object);
        let apply = ["apply", "-c", "config.yaml", "--sources", "--check", "app.yaml", "shop", "other"];
        let list = ["mirror", "list", "--complete", "--sources", "app.yaml", "shop", "other"];
        let lines = |args: &[&str]| {
            let run = hostnet(folder.path(), args, b"");
            run.stderr
                .lines()
                .filter(|line| line.contains("`images`"))
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        lines(&apply) + &lines(&list)
    };
    insta::assert_snapshot!(reported(&flux("shop", "nginx")), @"
    warning: app.yaml: Kustomization f/k: its `images` find images by the names that this run replaces in the files: write the name `m.io/hub/library/nginx` for nginx
    error: not known: Kustomization f/k: the images that its `images` set
    ");
    for same in [argo("nginx=docker.io/library/nginx:2"), argo("nginx:2"), argo("nginx@sha256:0")] {
        assert_eq!(reported(&same).replace("Application", "Kustomization"), reported(&flux("shop", "nginx")), "{same}");
    }
    let set = |generator: &str, path: &str, image: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: k, namespace: f}}\nspec: {{generators: [{generator}], \
             template: {{metadata: {{name: '{{{{x}}}}'}}, spec: {{sources: [{{repoURL: 'https://g.io/s', path: '{path}', kustomize: {{images: \
             ['{image}']}}}}]}}}}}}\n"
        )
    };
    let list = "{list: {elements: [{x: shop}, {x: none}]}}";
    for same in [
        argo("nginx:2").replace("source: ", "sources: [").replace("}}}\n", "}}]}\n"),
        set(list, "{{x}}", "nginx={{x}}.io/nginx:{{x}}"),
        set(list, "shop", "nginx:{{x}}"),
        set("{clusters: {}}", "shop", "nginx:{{server}}"),
    ] {
        let kinds = reported(&same).replace("ApplicationSet", "Kustomization").replace("Application", "Kustomization");
        assert_eq!(kinds, reported(&flux("shop", "nginx")), "{same}");
    }
    // Folders that the input does not show, and folders without the image.
    for near in [set("{clusters: {}}", "{{x}}", "nginx:2"), set("{list: {elements: [{x: other}]}}", "{{x}}", "nginx:2")]
    {
        assert_eq!(reported(&near), "", "{near}");
    }
    // An image that no file of the build has, and an entry with the new name.
    for near in [flux("other", "nginx"), flux("shop", "redis"), flux("shop", "m.io/hub/library/nginx")] {
        assert_eq!(reported(&near), "", "{near}");
    }
}
