//! `--into FOLDER`, `--check` and `--remove`: patches of many renders, each written to the release that it comes from.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::patch::build::Bench;
use crate::patch::cases::{Failures, canonical, host};
use crate::patch::forms::config;
use crate::support::{files_below, run, text};

/// Number of releases in the repository.
const RELEASES: usize = 30;

/// A release; every third one has a comment and patches of its own.
fn release(index: usize) -> String {
    let own = "  postRenderers:   # ours\n  - kustomize:\n      patches:\n      - {target: {kind: Deployment}, patch: '[]'}\n";
    format!(
        "# release {index}\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web-{index}, namespace: shop}}\nspec:\n  \
         chart:\n    spec: {{chart: web, version: 1.0.0, sourceRef: {{kind: HelmRepository, name: own}}}}\n{}",
        if index.is_multiple_of(3) { own } else { "" }
    )
}

/// The render of a release's chart.
fn render(index: usize) -> String {
    let name = format!("web-{index}");
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: shop\n  labels: {{app.kubernetes.io/instance: {name}, \
         helm.sh/chart: web-1.0.0}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec:\n      containers:\n      - name: web\n        image: example/web:v1\n        args: [--listen=:8080]\n        ports:\n        - {{name: http, \
         containerPort: 8080}}\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  selector: {{app: {name}}}\n  \
         ports: [{{port: 80, targetPort: 8080}}]\n"
    )
}

/// A repository with one release per file, except for one file with two, and their renders.
fn bench() -> Bench {
    let bench = Bench::new(&config("{select: {kind: Deployment}, ports: auto}"), "");
    std::fs::remove_file(bench.at().join("all.yaml")).unwrap();
    std::fs::create_dir(bench.at().join(".git")).unwrap();
    for folder in ["clusters", "rendered"] {
        std::fs::create_dir(bench.at().join(folder)).unwrap();
    }
    let mut several = String::new();
    for index in 0..RELEASES {
        if index < 2 {
            let _ = writeln!(several, "{}---", release(index));
        } else {
            bench.write(&format!("clusters/web-{index}.yaml"), &release(index));
        }
        bench.write(&format!("rendered/helmrelease_shop_web-{index}.yaml"), &render(index));
    }
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: own, namespace: shop}\nspec: {url: 'https://charts.example'}\n";
    bench.write("clusters/several.yaml", &(several + source));
    bench
}

fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    files_below(folder).into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

const INTO: [&str; 5] = ["patch", "--into", "clusters", "rendered", "-q"];

#[test]
fn patches_are_written_to_each_release_and_removed() {
    let bench = bench();
    let before = files(&bench.at().join("clusters"));
    assert_eq!(bench.hostnet(&[&INTO[..], &["--check"]].concat()).0, Some(1));
    assert_eq!(files(&bench.at().join("clusters")), before, "--check writes nothing");
    let (code, _, log) = bench.hostnet(&["patch", "--into", "clusters", "rendered"]);
    assert!(code == Some(0) && log.contains("30 releases changed, 0 unchanged"), "{log}");
    let patched = files(&bench.at().join("clusters"));
    for index in 2..RELEASES {
        let own = &patched[&bench.at().join(format!("clusters/web-{index}.yaml"))];
        assert_eq!(own.matches("# hostnet patch: ").count(), 2, "{own}");
        assert!(own.contains(&format!("name: web-{index}\n")), "{own}");
    }
    // A second run changes nothing, and `--remove` restores all files.
    assert_eq!(bench.hostnet(&[&INTO[..], &["--check"]].concat()).0, Some(0));
    assert_eq!(bench.hostnet(&["patch", "--remove", "--into", "clusters", "--check"]).0, Some(1));
    assert_eq!(files(&bench.at().join("clusters")), patched, "--check writes nothing");
    let (code, _, log) = bench.hostnet(&["patch", "--remove", "--into", "clusters"]);
    assert!(code == Some(0) && log.contains("60 patches removed, 29 files"), "{log}");
    assert_eq!(files(&bench.at().join("clusters")), before);
    assert_eq!(bench.hostnet(&["patch", "--remove", "--into", "clusters", "--check"]).0, Some(0));
}

/// For each release, helm-controller's result equals the output of `apply` on all renders.
#[test]
fn flux_builds_the_output_of_apply() {
    let Some(flux) = host("fluxbuild") else { return };
    let bench = bench();
    assert_eq!(bench.hostnet(&INTO).0, Some(0));
    let mut failures = Failures::default();
    for index in (2..RELEASES).step_by(9) {
        let (_, applied, _) = bench.hostnet(&["apply", "rendered", "-q"]);
        let release = bench.at().join(format!("clusters/web-{index}.yaml"));
        let built = run(
            Command::new(&flux).args(["helm-post-render", "--helmrelease"]).arg(&release),
            render(index).as_bytes(),
        );
        assert!(built.status.success(), "{}", text(&built.stderr));
        let own: Vec<&str> = applied
            .split("---\n")
            .filter(|object| {
                object.contains(&format!("name: web-{index}\n")) || object.contains(&format!("name: web-{index},"))
            })
            .collect();
        failures.compare(&format!("web-{index}"), &canonical(&own.join("---\n")), &canonical(&text(&built.stdout)));
    }
    failures.end();
}

/// Renders of another release, of no release, and without a release name.
#[test]
fn a_render_of_another_release_is_refused() {
    let bench = bench();
    let before = files(&bench.at().join("clusters"));
    bench.write("rendered/helmrelease_shop_web-7.yaml", &render(7).replace("instance: web-7", "instance: web-8"));
    let (code, _, log) = bench.hostnet(&INTO);
    assert!(
        code == Some(1)
            && log.contains("its labels name the release web-8, but HelmRelease shop/web-7 is a different release"),
        "{log}"
    );
    bench.write("rendered/helmrelease_shop_web-7.yaml", &render(7));
    bench.write("rendered/other.yaml", &render(7).replace("web-7", "other"));
    let (code, _, log) = bench.hostnet(&INTO);
    assert!(
        code == Some(1)
            && log.contains("rendered/other.yaml: no release of the folder is rendered into a file of this name"),
        "{log}"
    );
    assert_eq!(files(&bench.at().join("clusters")), before, "a refused run changes no file");
    // If the file name does not name the release, its labels do.
    std::fs::remove_file(bench.at().join("rendered/other.yaml")).unwrap();
    std::fs::rename(bench.at().join("rendered/helmrelease_shop_web-7.yaml"), bench.at().join("rendered/seven.yaml"))
        .unwrap();
    assert_eq!(bench.hostnet(&INTO).0, Some(0));
    // For a single file: the release's own render, another release's render, and a render without labels.
    let one = ["patch", "--into", "clusters/web-9.yaml"];
    let refused = bench.hostnet(&[&one[..], &["rendered/helmrelease_shop_web-8.yaml"]].concat());
    assert!(refused.0 == Some(1) && refused.2.contains("is the release web-9"), "{}", refused.2);
    bench.write("plain.yaml", &render(9).replace("helm.sh/chart", "other"));
    let plain = bench.hostnet(&[&one[..], &["plain.yaml"]].concat());
    assert!(plain.0 == Some(0) && plain.2.contains("info: plain.yaml does not name its release"), "{}", plain.2);
}

/// Some charts set another instance label than the release's name (traefik's adds the namespace), so the file name is
/// enough. Each release has one render, and with `--strict` warnings prevent all writes.
#[test]
fn file_names_have_priority_over_unknown_labels() {
    let bench = bench();
    bench.write("rendered/helmrelease_shop_web-5.yaml", &render(5).replace("instance: web-5", "instance: web-5-shop"));
    assert_eq!(bench.hostnet(&INTO).0, Some(0));
    let edge = render(6).replace("instance: web-6", "instance: web-6-shop");
    bench.write("edge.yaml", &edge);
    assert_eq!(
        bench.hostnet(&["patch", "--into", "clusters/web-6.yaml", "edge.yaml"]).0,
        Some(0),
        "the chart's label names the release"
    );
    bench.write("more/helmrelease_shop_web-5.yaml", &render(5).replace("web-5", "other-5"));
    let (code, _, log) = bench.hostnet(&["patch", "--into", "clusters", "rendered", "more"]);
    assert!(code == Some(1) && log.contains("HelmRelease shop/web-5 has a render already"), "{log}");
    // A release with patches and without a render.
    std::fs::remove_file(bench.at().join("rendered/helmrelease_shop_web-5.yaml")).unwrap();
    bench.write("rendered/helmrelease_shop_web-7.yaml", &render(7).replace("8080", "8081"));
    let before = files(&bench.at().join("clusters"));
    let strict = bench.hostnet(&["patch", "--into", "clusters", "rendered", "--strict"]);
    assert!(
        strict.0 == Some(1) && strict.2.contains("HelmRelease shop/web-5 has patches, and PATH has no render of it"),
        "{}",
        strict.2
    );
    assert_eq!(files(&bench.at().join("clusters")), before, "nothing is written");
    assert_eq!(bench.hostnet(&INTO).0, Some(0));
    assert_ne!(files(&bench.at().join("clusters")), before);
}

/// If a render no longer has changes, its existing patches are not removed silently.
#[test]
fn existing_patches_of_an_unchanged_render_are_an_error() {
    let bench = bench();
    assert_eq!(bench.hostnet(&INTO).0, Some(0));
    bench.write(
        "rendered/helmrelease_shop_web-4.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n",
    );
    let (code, _, log) = bench.hostnet(&[&INTO[..], &["--check"]].concat());
    assert!(
        code == Some(1) && log.contains("clusters/web-4.yaml: HelmRelease shop/web-4: its render has no changes"),
        "{log}"
    );
}

/// Argo CD adds the patches of an Application to the kustomization that it builds. The result equals the output of
/// `apply`, even if the kustomization sets a prefix and a namespace.
#[test]
fn an_application_of_a_kustomization_carries_patches() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = bench();
    let application = |more: &str| {
        format!(
            "# ours\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: base, namespace: argocd}}\nspec:\n  source:\n    repoURL: \
             https://git.example/repo\n    path: base\n{more}  destination: {{namespace: shop}}\n"
        )
    };
    let own = "namePrefix: eu-\nnamespace: market\nresources: [all.yaml]\n";
    bench.write("base/kustomization.yaml", own);
    bench.write("base/all.yaml", &render(40));
    let built = bench.build(&kustomize, "base").unwrap();
    bench.write("built/application_argocd_base.yaml", &built);
    let theirs = "    kustomize:\n      patches:\n      - {target: {kind: Deployment}, patch: '[]'}\n";
    for before in [application(""), application(theirs)] {
        bench.write("argo/application.yaml", &before);
        let run = bench.hostnet(&["patch", "--into", "argo", "built", "-q"]);
        assert_eq!(run.0, Some(0), "{}", run.2);
        let after = std::fs::read_to_string(bench.at().join("argo/application.yaml")).unwrap();
        let carried: serde_yaml::Value = serde_yaml::from_str(&after).unwrap();
        let patches = carried["spec"]["source"]["kustomize"]["patches"].clone();
        let patches = serde_yaml::to_string(&serde_yaml::Mapping::from_iter([("patches".into(), patches)])).unwrap();
        bench.write("with/kustomization.yaml", &format!("{own}{patches}"));
        bench.write("with/all.yaml", &render(40));
        let with = bench.build(&kustomize, "with").unwrap();
        assert_eq!(canonical(&with), canonical(&bench.made(&["apply", "built", "-q"])), "{after}");
        assert_eq!(bench.hostnet(&["patch", "--remove", "--into", "argo"]).0, Some(0));
        assert_eq!(std::fs::read_to_string(bench.at().join("argo/application.yaml")).unwrap(), before);
    }
}

/// A ResourceSet with a literal release, and one that contains inputs.
const SET: &str = "\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: shop, namespace: shop}
spec:
  inputs: [{name: other}]
  resources:
    # a release as it is
    - apiVersion: helm.toolkit.fluxcd.io/v2
      kind: HelmRelease
      metadata: {name: web-40, namespace: shop}
      spec: {chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: own}}}, interval: 10m}
    - apiVersion: helm.toolkit.fluxcd.io/v2
      kind: HelmRelease
      metadata: {name: web-<< inputs.name >>, namespace: shop}
      spec: {chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: own}}}}
  steps:
    - name: more
      resources:
        - apiVersion: helm.toolkit.fluxcd.io/v2
          kind: HelmRelease
          metadata:
            name: web-41
            namespace: shop
          spec:
            chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: own}}}
";

/// A release in a ResourceSet carries patches if it contains no inputs; helm-controller's result equals the output of
/// `apply`.
#[test]
fn a_release_of_a_resource_set_carries_patches() {
    let bench = bench();
    bench.write("clusters/set.yaml", SET);
    for index in [40, 41] {
        bench.write(&format!("rendered/helmrelease_shop_web-{index}.yaml"), &render(index));
    }
    let run = bench.hostnet(&INTO);
    assert_eq!(run.0, Some(0), "{}", run.2);
    assert_eq!(bench.hostnet(&[&INTO[..], &["--check"]].concat()).0, Some(0));
    let after = std::fs::read_to_string(bench.at().join("clusters/set.yaml")).unwrap();
    let set: serde_yaml::Value = serde_yaml::from_str(&after).unwrap();
    let spec = &set["spec"];
    let releases = [(40, &spec["resources"][0]), (41, &spec["steps"][0]["resources"][0])];
    assert_eq!(after.matches("# hostnet patch: this object").count(), 4, "{after}");
    if let Some(flux) = host("fluxbuild") {
        for (index, release) in releases {
            let file = bench.at().join("release.yaml");
            std::fs::write(&file, serde_yaml::to_string(release).unwrap()).unwrap();
            let built = run_flux(&flux, &file, &render(index));
            bench.write("one.yaml", &render(index));
            assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "one.yaml", "-q"])), "{after}");
        }
    }
    assert_eq!(bench.hostnet(&["patch", "--remove", "--into", "clusters"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(bench.at().join("clusters/set.yaml")).unwrap(), SET);
    // A render of a release with inputs has no target.
    bench.write("rendered/helmrelease_shop_web-other.yaml", &render(42).replace("web-42", "web-other"));
    let (code, _, log) = bench.hostnet(&INTO);
    assert!(code == Some(1) && log.contains("web-other.yaml: no release of the folder"), "{log}");
    // The ResourceSet would substitute an input in the patch.
    std::fs::remove_file(bench.at().join("rendered/helmrelease_shop_web-other.yaml")).unwrap();
    let held = render(40).replace("- name: web\n        image", "- name: web<<\n        image");
    bench.write("rendered/helmrelease_shop_web-40.yaml", &held);
    let (code, _, log) = bench.hostnet(&["patch", "--into", "clusters", "rendered"]);
    assert!(code == Some(0) && log.contains("a patch holds `<<`, which the ResourceSet would fill in"), "{log}");
}

fn run_flux(flux: &Path, release: &Path, render: &str) -> String {
    let built = run(Command::new(flux).args(["helm-post-render", "--helmrelease"]).arg(release), render.as_bytes());
    assert!(built.status.success(), "{}", text(&built.stderr));
    text(&built.stdout)
}

/// Flux Operator adds the patches of a FluxInstance to a kustomization that sets the namespace. The result equals the
/// output of `apply`.
#[test]
fn a_flux_instance_carries_patches() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = bench();
    let instance = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux, namespace: market}\nspec:\n  distribution: \
                    {version: 2.x, registry: ghcr.io/fluxcd}\n";
    bench.write("flux/instance.yaml", instance);
    let own = "namespace: market\nresources: [all.yaml]\n";
    bench.write("base/kustomization.yaml", own);
    bench.write("base/all.yaml", &render(40).replace(", namespace: shop", "").replace("  namespace: shop\n", ""));
    let built = bench.build(&kustomize, "base").unwrap();
    bench.write("built/fluxinstance_market_flux.yaml", &built);
    let run = bench.hostnet(&["patch", "--into", "flux", "built", "-q"]);
    assert_eq!(run.0, Some(0), "{}", run.2);
    let after = std::fs::read_to_string(bench.at().join("flux/instance.yaml")).unwrap();
    let carried: serde_yaml::Value = serde_yaml::from_str(&after).unwrap();
    let patches = carried["spec"]["kustomize"]["patches"].clone();
    let patches = serde_yaml::to_string(&serde_yaml::Mapping::from_iter([("patches".into(), patches)])).unwrap();
    bench.write("base/kustomization.yaml", &format!("{own}{patches}"));
    let with = bench.build(&kustomize, "base").unwrap();
    assert_eq!(canonical(&with), canonical(&bench.made(&["apply", "built", "-q"])), "{after}");
    assert_eq!(bench.hostnet(&["patch", "--remove", "--into", "flux"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(bench.at().join("flux/instance.yaml")).unwrap(), instance);
}
