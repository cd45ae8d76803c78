//! The tutorial on a repository of thirty releases, from the first command to patches that Helm and Flux's own build
//! apply. The charts are manifests of real projects.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_yaml::Value;

use crate::cases::{Failures, canonical, command_with, host};
use crate::support::{files_below, project, run, text};

/// Projects of `tests/corpus/catalog`; the API server calls programs of the first twenty.
const PROJECTS: [&str; 30] = [
    "actions-runner-controller",
    "aws-load-balancer-controller",
    "cert-manager",
    "cloudnative-pg",
    "eck-operator",
    "external-secrets",
    "gatekeeper",
    "ingress-nginx",
    "istio",
    "keda",
    "kserve",
    "kyverno",
    "lws",
    "metrics-server",
    "opentelemetry-operator",
    "spark-operator",
    "trust-manager",
    "vault-k8s",
    "volcano",
    "vpa",
    "argo-cd",
    "cluster-autoscaler",
    "dex",
    "external-dns",
    "kube-state-metrics",
    "metallb",
    "oauth2-proxy",
    "podinfo",
    "sealed-secrets",
    "velero",
];

/// Number of releases that get patches.
const CALLED: usize = 20;

/// A Kustomization for a folder without `kustomization.yaml`.
const APPS: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 1h
  path: ./kubernetes/apps
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
";

fn write(root: &Path, name: &str, content: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

fn repository(root: &Path) {
    fs::create_dir(root.join(".git")).unwrap();
    write(root, "kubernetes/flux/apps.yaml", APPS);
    for name in PROJECTS {
        let manifests = project().join("tests/corpus/catalog").join(name).join("input.yaml");
        let manifests = fs::read_to_string(manifests).unwrap();
        write(root, &format!("charts/{name}/Chart.yaml"), &format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n"));
        write(root, &format!("charts/{name}/templates/all.yaml"), &manifests.replace("{{", "{{ \"{{\" }}"));
        let release = format!(
            "---\n# {name}\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: {name}\n  namespace: {name}\nspec:\n  interval: 1h\n  \
             chart:\n    spec:\n      chart: charts/{name}\n      sourceRef: {{kind: GitRepository, name: flux-system, namespace: flux-system}}\n"
        );
        write(root, &format!("kubernetes/apps/{name}/release.yaml"), &release);
    }
}

/// Returns the called workloads as `NAMESPACE/KIND/NAME`.
fn called(ports: &str) -> BTreeSet<String> {
    let rows: Value = serde_yaml::from_str(ports).unwrap();
    rows.as_sequence().unwrap().iter().map(|row| row["workload"].as_str().unwrap().to_owned()).collect()
}

/// Returns the workloads of a stream whose pods are on the host network.
fn on_the_host(stream: &str) -> BTreeSet<String> {
    let objects = serde_yaml::Deserializer::from_str(stream).map(|one| serde::Deserialize::deserialize(one).unwrap());
    let objects: Vec<Value> = objects.collect();
    let is_on_host = |object: &&Value| object["spec"]["template"]["spec"]["hostNetwork"].as_bool() == Some(true);
    let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = |object: &Value| {
        let meta = &object["metadata"];
        format!("{}/{}/{}", part(&meta["namespace"]), part(&object["kind"]), part(&meta["name"]))
    };
    objects.iter().filter(is_on_host).map(name).collect()
}

#[test]
fn thirty_releases_move_and_are_restored() {
    let (Some(helm), Some(kustomize), Some(flux)) = (host("helm"), host("kustomize"), host("fluxbuild")) else {
        return;
    };
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    repository(root);
    let before: Vec<String> =
        files_below(&root.join("kubernetes")).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let programs = tempfile::tempdir().unwrap();
    let own = Path::new(env!("CARGO_BIN_EXE_hostnet"));
    for (name, program) in [("helm", helm.as_path()), ("kustomize", &kustomize), ("hostnet", own)] {
        std::os::unix::fs::symlink(program, programs.path().join(name)).unwrap();
    }
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let shell = |line: &str| {
        let mut command = command_with(Path::new("/bin/sh"), root);
        let output = run(command.args(["-c", line]).current_dir(root).env("PATH", &path), b"");
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    // The user needs five commands, for any number of releases.
    assert!(shell("hostnet charts kubernetes >render.sh").1.contains("30 releases, 1 kustomization, 0 warnings"));
    assert!(shell("sh render.sh").1.contains("31 rendered into rendered, 0 not"));
    shell("hostnet init rendered");
    shell("hostnet pin rendered");
    let (_, log) = shell("hostnet patch --into kubernetes rendered");
    assert!(log.contains(&format!("{CALLED} releases changed, {} unchanged, 0 warnings", 31 - CALLED)), "{log}");
    // Flux builds the releases, and helm-controller their renders.
    let mut flux_build = command_with(&flux, root);
    flux_build.arg("--kustomization").arg(root.join("kubernetes/flux/apps.yaml")).arg("--path").arg(root);
    let releases = run(&mut flux_build, b"");
    assert!(releases.status.success(), "{}", text(&releases.stderr));
    let mut built = String::new();
    for release in text(&releases.stdout).split("---\n").filter(|part| !part.is_empty()) {
        let object: Value = serde_yaml::from_str(release).unwrap();
        let name = object["metadata"]["name"].as_str().unwrap();
        write(root, "one.yaml", release);
        let render = fs::read(root.join(format!("rendered/helmrelease_{name}_{name}.yaml"))).unwrap();
        let mut post = command_with(&flux, root);
        let output = run(post.args(["helm-post-render", "--helmrelease"]).arg(root.join("one.yaml")), &render);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        built = format!("{built}---\n{}", text(&output.stdout));
    }
    let mut failures = Failures::default();
    // Only the renders of releases; the render of the Kustomization contains the releases themselves.
    let (applied, _) = shell("hostnet apply rendered/helmrelease_*");
    failures.compare("Flux and apply", &canonical(&applied), &canonical(&built));
    failures.end();
    // All workloads that the API server calls are on the host network, and a check reports nothing.
    write(root, "built.yaml", &built);
    let called = called(&shell("hostnet ports --called -o json built.yaml").0);
    let moved = on_the_host(&built);
    let left: Vec<&String> = called.difference(&moved).collect();
    assert!(called.len() > CALLED && left.is_empty(), "{left:?}");
    let (log, _) = shell("hostnet check built.yaml");
    assert!(log.contains("workloads: 0 errors, 0 warnings"), "{log}");
    // The CI checks pass, a second run changes nothing, and `--remove` restores all files.
    shell("hostnet pin --check rendered && hostnet patch --check --into kubernetes rendered");
    shell("hostnet patch --remove --into kubernetes");
    let after: Vec<String> =
        files_below(&root.join("kubernetes")).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    assert_eq!(before, after);
}
