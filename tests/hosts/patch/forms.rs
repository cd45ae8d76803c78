//! The four forms of patches, their content, and invalid uses.

use crate::patch::build::Bench;
use crate::patch::cases::{canonical, host};
use crate::patch::guards::{CONFIG, SAMPLE};
use insta::assert_snapshot;
use serde_yaml::Value;

pub(crate) const BASE: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 8080}]}
";

pub(crate) fn config(target: &str) -> String {
    format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: web}}\nspec: {{targets: [{target}]}}\n"
    )
}

fn bench(base: &str) -> Bench {
    Bench::new(&config("{select: {name: web}, ports: {http: 20080}}"), base)
}

#[test]
fn a_component_is_complete() {
    assert_snapshot!(bench(BASE).patches("component"), @"
    # Made by `hostnet patch`. A test of the old value precedes each change (null: no value may exist). When the patched objects have
    # changed, the build fails, and the patches have to be made again.
    apiVersion: kustomize.config.k8s.io/v1alpha1
    kind: Component
    patches:
    - target:
        group: apps
        version: v1
        kind: Deployment
        name: web
        namespace: shop
      patch: |
        # hostnet patch: this object, and no copy of it with another name (HostNetwork web)
        - op: test
          path: /metadata/name
          value: web
        - op: test
          path: /metadata/namespace
          value: shop
        # moves to the host network
        - op: test
          path: /spec/template/spec/hostNetwork
          value: null
        - op: add
          path: /spec/template/spec/hostNetwork
          value: true
        # dnsPolicy absent -> ClusterFirstWithHostNet
        - op: test
          path: /spec/template/spec/dnsPolicy
          value: null
        - op: add
          path: /spec/template/spec/dnsPolicy
          value: ClusterFirstWithHostNet
        # container web, port http (8080): --listen 8080 -> 20080
        - op: test
          path: /spec/template/spec/containers/0/name
          value: web
        - op: test
          path: /spec/template/spec/containers/0/args/0
          value: --listen=:8080
        - op: replace
          path: /spec/template/spec/containers/0/args/0
          value: --listen=:20080
        # container web, port http (8080): containerPort 8080 -> 20080
        - op: test
          path: /spec/template/spec/containers/0/ports/0
          value:
            name: http
            containerPort: 8080
        - op: replace
          path: /spec/template/spec/containers/0/ports/0/containerPort
          value: 20080
        # spec.template.spec.containers[0].ports[0].hostPort is 20080, written out
        - op: add
          path: /spec/template/spec/containers/0/ports/0/hostPort
          value: 20080
    - target:
        version: v1
        kind: Service
        name: web
        namespace: shop
      patch: |
        # hostnet patch: this object, and no copy of it with another name (HostNetwork web)
        - op: test
          path: /metadata/name
          value: web
        - op: test
          path: /metadata/namespace
          value: shop
        # Deployment shop/web, container web, port http (8080): spec.ports[0].targetPort 8080 -> http
        - op: test
          path: /spec/ports/0
          value:
            port: 8080
        - op: add
          path: /spec/ports/0/targetPort
          value: http
    ");
}

#[test]
fn the_documentation_shows_the_output() {
    let docs = include_str!("../../../docs/patch.md");
    let (_, shown) = docs.split_once("```yaml\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert!(bench(BASE).patches("component").ends_with(shown), "{shown}");
}

#[test]
fn every_form_holds_the_same_patches() {
    let bench = Bench::new(CONFIG, SAMPLE);
    let component: Value = serde_yaml::from_str(&bench.patches("component")).unwrap();
    let parsed = |form: &str| -> Value { serde_yaml::from_str(&bench.patches(form)).unwrap() };
    let kinds =
        |value: &Value| format!("{} {}", value["apiVersion"].as_str().unwrap(), value["kind"].as_str().unwrap());
    assert_eq!(kinds(&component), "kustomize.config.k8s.io/v1alpha1 Component");
    let kustomization = parsed("kustomization");
    assert_eq!(kinds(&kustomization), "kustomize.config.k8s.io/v1beta1 Kustomization");
    let flux = parsed("flux");
    assert_eq!(kinds(&flux), "kustomize.toolkit.fluxcd.io/v1 Kustomization");
    let release = parsed("helmrelease");
    assert_eq!(kinds(&release), "helm.toolkit.fluxcd.io/v2 HelmRelease");
    let [renderer] = release["spec"]["postRenderers"].as_sequence().unwrap().as_slice() else { panic!("{release:?}") };
    for patches in [&kustomization["patches"], &flux["spec"]["patches"], &renderer["kustomize"]["patches"]] {
        assert_eq!(*patches, component["patches"]);
    }
    // Flux accepts only these fields: no options, no path.
    for patch in component["patches"].as_sequence().unwrap() {
        let keys: Vec<_> = patch.as_mapping().unwrap().keys().map(|key| key.as_str().unwrap()).collect();
        assert_eq!(keys, ["target", "patch"]);
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let bench = Bench::new(CONFIG, SAMPLE);
    for form in ["component", "kustomization", "flux", "helmrelease"] {
        assert_eq!(bench.patches(form), bench.patches(form));
    }
}

#[test]
fn variables_in_patches_are_reported_for_flux() {
    let note = "kustomize.toolkit.fluxcd.io/substitute: disabled";
    let bench = Bench::new(CONFIG, SAMPLE);
    assert!(bench.patches("flux").contains(note));
    assert!(bench.patches("helmrelease").contains(note));
    assert!(!bench.patches("component").contains(note));
    assert!(!self::bench(BASE).patches("flux").contains(note));
}

#[test]
fn changed_manifests_need_no_patch() {
    let bench = bench(BASE);
    bench.write("all.yaml", &bench.made(&["apply", "all.yaml"]));
    assert_snapshot!(bench.patches("helmrelease"), @"
    # Made by `hostnet patch`. A test of the old value precedes each change (null: no value may exist). When the patched objects have
    # changed, the build fails, and the patches have to be made again.
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    spec:
      postRenderers:
      - kustomize:
          patches: []
    ");
    let (code, _, log) = bench.hostnet(&["patch", "--verify", "all.yaml", "all.yaml"]);
    assert_eq!(code, Some(0));
    assert_snapshot!(log, @"warning: PATH has no changes, so no patch was checked: PATH seems to be built with the patches already; give the manifests that they are applied to");
}

#[test]
fn a_kustomization_is_written_into_a_folder() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = bench(BASE);
    bench.write("base/all.yaml", BASE);
    bench.write("base/kustomization.yaml", "resources: [all.yaml]\n");
    let arguments =
        ["patch", "--as", "kustomization", "--resource", "../../base", "--output-dir", "over/lay", "all.yaml"];
    let counts = "2 objects patched, 0 new, 0 warnings (-v shows all)\n".to_owned();
    assert_eq!(bench.hostnet(&arguments), (Some(0), String::new(), counts));
    let built = bench.build(&kustomize, "over/lay").unwrap();
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])));
}

/// A kustomization from another source is not overwritten; one that `hostnet patch` wrote is.
#[test]
fn an_existing_kustomization_is_kept() {
    let bench = bench(BASE);
    let arguments = ["patch", "--as", "component", "--output-dir", "out", "all.yaml"];
    bench.made(&arguments);
    let printed = std::fs::read_to_string(bench.at().join("out/kustomization.yaml")).unwrap();
    bench.made(&arguments);
    for name in ["kustomization.yaml", "kustomization.yml", "Kustomization"] {
        bench.write(&format!("{name}.d/{name}"), "resources: [own.yaml]\n");
        let log = refused(&bench, &["--as", "component", "--output-dir", &format!("{name}.d"), "all.yaml"]);
        assert_eq!(
            log,
            format!(
                "error: {name}.d/{name}: `hostnet patch` has not made this file, and would overwrite it: give another folder to --output-dir, or --force\n"
            )
        );
        let kept = std::fs::read_to_string(bench.at().join(format!("{name}.d/{name}"))).unwrap();
        assert_eq!(kept, "resources: [own.yaml]\n");
        assert_eq!(std::fs::read_dir(bench.at().join(format!("{name}.d"))).unwrap().count(), 1);
    }
    assert_eq!(std::fs::read_to_string(bench.at().join("out/kustomization.yaml")).unwrap(), printed);
}

/// A build that includes the component already has its changes; patches made from it would be empty and replace the
/// existing ones.
#[test]
fn patches_are_not_lost_to_a_build_that_has_them() {
    let bench = bench(BASE);
    let arguments = ["--as", "component", "--output-dir", "out", "all.yaml"];
    bench.made(&[&["patch"], &arguments[..]].concat());
    let file = bench.at().join("out/kustomization.yaml");
    let printed = std::fs::read_to_string(&file).unwrap();
    let applied = bench.made(&["apply", "all.yaml"]);
    bench.write("all.yaml", &applied);
    assert_snapshot!(refused(&bench, &arguments), @"error: out/kustomization.yaml: the input has no changes, and the existing patches would be lost. The input seems to be built with them already: give the build without `out`, or delete `out` if no patches are needed any more");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    // Without existing patches nothing can be lost, so the command succeeds.
    std::fs::remove_dir_all(bench.at().join("out")).unwrap();
    for _ in 0..2 {
        bench.made(&[&["patch"], &arguments[..]].concat());
    }
    assert!(std::fs::read_to_string(&file).unwrap().ends_with("\npatches: []\n"));
}

fn refused(bench: &Bench, arguments: &[&str]) -> String {
    let (code, out, log) = bench.hostnet(&[&["patch"], arguments].concat());
    // 2 is wrong usage, 1 any other error.
    assert!(matches!(code, Some(1 | 2)) && out.is_empty(), "{code:?} {log}");
    log
}

#[test]
fn an_error_of_the_plan_leaves_no_patch() {
    let bench = Bench::new(&config("{select: {name: web}, ports: {htp: 20080}}"), BASE);
    assert_snapshot!(refused(&bench, &["--as", "component", "all.yaml"]), @r#"
        error: hostnet.yaml:4:53: `htp` matches no port of Deployment shop/web; did you mean `http`? Known are: web/http (8080, other) [port-key]
        1 error, 0 warnings
    "#);
    assert_snapshot!(refused(&bench, &["--verify", "all.yaml", "all.yaml"]), @r#"
        error: hostnet.yaml:4:53: `htp` matches no port of Deployment shop/web; did you mean `http`? Known are: web/http (8080, other) [port-key]
        1 error, 0 warnings
    "#);
}

#[test]
fn changes_without_a_patch_are_reported() {
    let nameless = BASE.replace("{name: web, namespace: shop}", "{generateName: web-, labels: {name: web}}");
    let config = config("{select: {kind: Deployment}, ports: {http: 20080}}");
    assert_snapshot!(refused(&Bench::new(&config, &nameless), &["--as", "component", "all.yaml"]), @r#"
        error: all.yaml:1:1: Deployment without a name: kustomize builds no such object; `hostnet apply` can change it [document]
        error: all.yaml:11:1: Service without a name: kustomize builds no such object; `hostnet apply` can change it [document]
        2 errors, 0 warnings (-v shows all)
    "#);
    // The input contains the Deployment once and its Service twice.
    let (_, service) = BASE.split_once("---\n").unwrap();
    let twice = format!("{BASE}---\n{service}");
    assert_snapshot!(refused(&Bench::new(&config, &twice), &["--as", "flux", "all.yaml"]), @r#"
        error: all.yaml:11:1: Service shop/web is in the input more than once, and kustomize builds no such input; `hostnet apply` can change it [document]
        error: all.yaml:16:1: Service shop/web is in the input more than once, and kustomize builds no such input; `hostnet apply` can change it [document]
        2 errors, 0 warnings (-v shows all)
    "#);
}

#[test]
fn incompatible_flags_are_refused() {
    let bench = bench(BASE);
    let log: String = [
        &["--as", "component", "--resource", "base", "all.yaml"][..],
        &["--as", "flux", "--output-dir", "out", "all.yaml"],
        &["--as", "flux", "-", "all.yaml"],
        &["--verify", "-"],
        &["--verify", "absent.yaml", "all.yaml"],
    ]
    .map(|arguments| refused(&bench, arguments))
    .concat();
    assert_snapshot!(log, @"
    error: --resource is for `--as kustomization`; the other forms are not built alone
    error: --output-dir is for `--as component` and `--as kustomization`; the others are a part of one object
    error: `-` means standard input and cannot be combined with another PATH
    error: standard input cannot be both PATH and BUILT; name a file for one of them
    error: absent.yaml: No such file or directory (os error 2)
    ");
    for arguments in [&["patch", "all.yaml"][..], &["patch", "--as", "flux", "--name-prefix", "x", "all.yaml"]] {
        assert_eq!(bench.hostnet(arguments).0, Some(2), "{arguments:?}");
    }
}

#[test]
fn warnings_are_reported_and_changes_on_request() {
    let bench = bench(BASE);
    let policy = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: shop}\nspec: {podSelector: {}}\n";
    bench.write("all.yaml", &format!("{BASE}{policy}"));
    let (_, _, log) = bench.hostnet(&["patch", "--as", "component", "all.yaml"]);
    assert!(log.starts_with("warning: all.yaml:"), "{log}");
    assert_eq!(log.lines().count(), 2, "a warning and the counts: {log}");
    let (_, _, log) = bench.hostnet(&["patch", "-v", "--as", "component", "all.yaml"]);
    assert!(log.contains("info: Deployment shop/web: moves to the host network [host-network]\n"), "{log}");
}
