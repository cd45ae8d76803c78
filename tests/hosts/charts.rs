//! The script of `hostnet charts`, run with the real helm and kustomize on a repository for Flux, Argo CD and k3s.

use std::fs;
use std::path::Path;

use crate::cases::{Failures, canonical, command_with, host};
use crate::support::{run, text};

/// Files of the repository.
const FILES: [(&str, &str); 19] = [
    ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ("charts/web/values.yaml", "first: chart\nsecond: chart\nthird: chart\n"),
    (
        "charts/web/templates/web.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}\ndata:\n  all: {{ \
         printf \"%v %v %v %v\" .Values.first .Values.second .Values.third .Values.fourth | quote }}\n  kube: {{ .Capabilities.KubeVersion.Version \
         }}\n",
    ),
    (
        "charts/web/crds/crd.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.example.com}\n",
    ),
    (
        "clusters/apps.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec:\n  path: \
         ./apps\n  targetNamespace: shop\n  postBuild: {substitute: {A: b}}\n",
    ),
    (
        "apps/kustomization.yaml",
        "resources: [release.yaml, note.yaml]\nconfigMapGenerator:\n- name: generated\n  files: [values.yaml=own.yaml]\n",
    ),
    ("apps/own.yaml", "second: generated\n"),
    ("apps/note.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\ndata: {a: '${A}'}\n"),
    (
        "apps/release.yaml",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec:\n  chart:\n    spec: {chart: charts/web, \
         sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}\n  valuesFrom:\n  - {kind: ConfigMap, name: settings}\n  - \
         {kind: ConfigMap, name: generated}\n  - {kind: Secret, name: hidden, valuesKey: third, targetPath: third}\n  values: {fourth: inline}\n",
    ),
    (
        "apps/settings.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {values.yaml: 'first: config map'}\n",
    ),
    (
        "argo/application.yaml",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  destination: {namespace: \
         shop}\n  sources:\n  - repoURL: https://git.example/repo\n    path: charts/web\n    helm:\n      valueFiles: [$values/argo/own.yaml]\n      \
         valuesObject: {second: object}\n      parameters: [{name: third, value: 'a,b'}, {name: fourth, value: '007', forceString: true}]\n  - \
         {repoURL: 'https://git.example/repo', ref: values}\n",
    ),
    ("argo/own.yaml", "first: file\nsecond: file\n"),
    (
        "argo/set.yaml",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n  generators:\n  - list: \
         {elements: [{name: one, first: '1'}, {name: two, first: '2'}]}\n  - git: {files: [{path: 'argo/*.json'}]}\n  template:\n    \
         metadata: {name: '{{name}}'}\n    spec:\n      destination: {namespace: shop}\n      source:\n        repoURL: https://git.example/repo\n        \
         path: charts/web\n        helm: {values: 'first: {{first}}'}\n",
    ),
    ("argo/three.json", "{\"name\": \"three\", \"first\": \"3\"}\n"),
    (
        "k3s/chart.yaml",
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: web, namespace: kube-system}\nspec:\n  chart: ./charts/web\n  \
         targetNamespace: shop\n  valuesContent: 'first: content'\n  set: {third: '3', fourth: text}\n---\napiVersion: helm.cattle.io/v1\nkind: \
         HelmChartConfig\nmetadata: {name: web, namespace: kube-system}\nspec: {valuesContent: 'second: config'}\n",
    ),
    ("base/charts/web/values.yaml", "a: b\n"),
    ("base/charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ("base/charts/web/templates/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n"),
    ("base/kustomization.yaml", "helmCharts:\n- {name: web, releaseName: inner, namespace: shop, includeCRDs: true}\n"),
];

/// Texts that each rendered file must contain.
const WANT: [(&str, &[&str]); 7] = [
    (
        "helmrelease_shop_web.yaml",
        &["name: web, namespace: shop", "\"config map generated filled inline\"", "kube: v1.33.0", "webs.example.com"],
    ),
    ("kustomization_flux-system_apps.yaml", &["kind: HelmRelease", "${A}"]),
    ("application_argocd_web.yaml", &["\"file object a,b 007\"", "namespace: shop"]),
    ("application_argocd_one.yaml", &["name: one,", "\"1 chart chart"]),
    ("application_argocd_three.yaml", &["name: three,", "\"3 chart chart"]),
    ("helmchart_kube-system_web.yaml", &["\"content config 3 text\""]),
    ("kustomization__base.yaml", &["name: inner"]),
];

fn write(root: &Path) {
    fs::create_dir(root.join(".git")).unwrap();
    for (name, content) in FILES {
        let file = root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
}

#[test]
fn the_script_renders_a_whole_repository() {
    let (Some(helm), Some(kustomize)) = (host("helm"), host("kustomize")) else { return };
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    write(root);
    let script = run(
        command_with(Path::new(env!("CARGO_BIN_EXE_hostnet")), root).current_dir(root).args([
            "charts",
            "--kube-version",
            "1.33.0",
            ".",
        ]),
        b"",
    );
    assert!(script.status.success(), "{}", text(&script.stderr));
    assert!(text(&script.stderr).contains("6 releases, 2 kustomizations"), "{}", text(&script.stderr));
    fs::create_dir(root.join("values")).unwrap();
    fs::write(root.join("values/secret_shop_hidden_third"), "filled").unwrap();
    let programs = tempfile::tempdir().unwrap();
    for (name, program) in [("helm", &helm), ("kustomize", &kustomize)] {
        std::os::unix::fs::symlink(program, programs.path().join(name)).unwrap();
    }
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let rendered = run(command_with(Path::new("/bin/sh"), root).current_dir(root).env("PATH", path), &script.stdout);
    assert!(rendered.status.success(), "{}\n{}", text(&rendered.stderr), text(&script.stdout));
    let mut failures = Failures::default();
    for (name, parts) in WANT {
        let found = fs::read_to_string(root.join("rendered").join(name)).unwrap_or_default();
        for part in parts {
            failures.add((!found.contains(part)).then(|| format!("{name}: no `{part}` in\n{found}")));
        }
    }
    failures.end();
}

/// A webhook server, its Service and its webhook configuration.
const HOOK: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: hook, namespace: hooks}
spec:
  selector: {matchLabels: {app: hook}}
  template:
    metadata: {labels: {app: hook}}
    spec:
      containers:
      - name: hook
        image: registry.example/hook:1.0.0
        args: [--webhook-port=9443]
        ports: [{name: https, containerPort: 9443}]
---
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: hooks}
spec: {selector: {app: hook}, ports: [{port: 443, targetPort: https}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- {name: a.example.com, clientConfig: {service: {name: hook, namespace: hooks}}, sideEffects: None, admissionReviewVersions: [v1]}
";

/// File names with content.
type Files = &'static [(&'static str, &'static str)];

/// Pull request jobs of `examples/ci`: the job's file, the folder of its objects, the file with the webhook, and more
/// files.
const JOBS: [(&str, &str, &str, Files); 2] = [
    (
        "github-flux.yaml",
        "clusters",
        "charts/hook/templates/hook.yaml",
        &[
            ("charts/hook/Chart.yaml", "apiVersion: v2\nname: hook\nversion: 1.0.0\n"),
            (
                "clusters/hook.yaml",
                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: hook, namespace: hooks}\nspec:\n  chart:\n    spec: \
                 {chart: charts/hook, sourceRef: {kind: GitRepository, name: flux-system}}\n",
            ),
        ],
    ),
    (
        "github-argo-cd.yaml",
        "apps",
        "deploy/hook.yaml",
        &[
            ("deploy/kustomization.yaml", "resources: [hook.yaml]\n"),
            (
                "apps/hook.yaml",
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: hook, namespace: argocd}\nspec:\n  destination: {namespace: \
                 hooks}\n  source:\n    repoURL: https://git.example/repo\n    path: deploy\n",
            ),
        ],
    ),
];

/// The jobs pass if the patches fit the repository, and fail after the rendered objects have changed.
#[test]
fn the_jobs_fail_if_patches_no_longer_fit() {
    let (Some(helm), Some(kustomize)) = (host("helm"), host("kustomize")) else { return };
    let programs = tempfile::tempdir().unwrap();
    for (name, program) in
        [("helm", helm.as_path()), ("kustomize", &kustomize), ("hostnet", Path::new(env!("CARGO_BIN_EXE_hostnet")))]
    {
        std::os::unix::fs::symlink(program, programs.path().join(name)).unwrap();
    }
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    for (job, objects, hook, files) in JOBS {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let shell = |lines: &str| {
            let output = run(
                command_with(Path::new("/bin/bash"), root)
                    .args(["-eo", "pipefail", "-c", lines])
                    .current_dir(root)
                    .env("PATH", &path),
                b"",
            );
            (output.status.success(), text(&output.stderr) + &text(&output.stdout))
        };
        fs::create_dir(root.join(".git")).unwrap();
        for (name, content) in files.iter().chain(&[(hook, HOOK)]) {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let (is_well, log) = shell(&format!(
            "hostnet charts {objects} | sh && hostnet init rendered && hostnet pin rendered && hostnet patch --into {objects} rendered && rm -r rendered"
        ));
        assert!(is_well && log.contains("1 release changed"), "{job}: {log}");
        let file = crate::support::project().join("examples/ci").join(job);
        let job: serde_yaml::Value = serde_yaml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let steps = job["jobs"]["patches"]["steps"].as_sequence().unwrap();
        let lines: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
        let lines = lines.join("\n");
        let (is_well, log) = shell(&lines);
        assert!(is_well, "{log}");
        let changed = HOOK.replace("name: https, containerPort", "name: web, containerPort");
        fs::write(root.join(hook), changed.replace("targetPort: https", "targetPort: web")).unwrap();
        let (is_well, log) = shell(&lines);
        assert!(
            !is_well && log.contains("is chosen") | log.contains("would change") | log.contains("to change"),
            "{log}"
        );
    }
}

/// A folder that Flux builds without a kustomization: hostile file names, and a folder with a kustomization that lists
/// another folder.
const FLAT: [(&str, &str); 7] = [
    (
        "clusters/apps.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec:\n  path: ./apps\n  \
         targetNamespace: market\n  sourceRef: {kind: GitRepository, name: flux-system}\n",
    ),
    (
        "apps/web/deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: \
         {labels: {app: web}}\n    spec:\n      containers:\n      - {name: web, image: 'example/web:v1', args: [--webhook-port=9443], ports: [{name: \
         https, containerPort: 9443}]}\n",
    ),
    (
        "apps/o'dd $(touch pwned)/service.yml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 443, targetPort: 9443}]}\n",
    ),
    ("apps/inner/kustomization.yaml", "namePrefix: in-\nresources: [../../base]\n"),
    ("apps/inner/unlisted.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: unlisted}\n"),
    ("base/kustomization.yaml", "resources: [map.yaml]\n"),
    ("base/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n"),
];

/// Flux builds a folder without a kustomization from all its files. The script does the same, and the patches fit
/// Flux's build.
#[test]
fn a_folder_without_a_kustomization_is_built_as_flux_builds_it() {
    let (Some(flux), Some(kustomize)) = (host("fluxbuild"), host("kustomize")) else { return };
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    fs::create_dir(root.join(".git")).unwrap();
    for (name, content) in FLAT {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), content).unwrap();
    }
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec: {targets: [{select: {name: web}, ports: {https: 20443}}]}\n";
    fs::write(root.join("hostnet.yaml"), config).unwrap();
    let programs = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&kustomize, programs.path().join("kustomize")).unwrap();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let hostnet = |arguments: &[&str], input: &[u8]| {
        let output =
            run(command_with(Path::new(env!("CARGO_BIN_EXE_hostnet")), root).current_dir(root).args(arguments), input);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let script = hostnet(&["charts", "clusters"], b"");
    let rendered = run(command_with(Path::new("/bin/sh"), root).current_dir(root).env("PATH", path), script.as_bytes());
    assert!(rendered.status.success(), "{}\n{script}", text(&rendered.stderr));
    assert!(!root.join("pwned").exists());
    let whole = fs::read_to_string(root.join("rendered/kustomization_flux-system_apps.yaml")).unwrap();
    assert!(whole.contains("name: in-map") && !whole.contains("unlisted"), "{whole}");
    hostnet(&["patch", "--into", "clusters", "rendered"], b"");
    let build = |file: &str| {
        let file = root.join(file);
        let built = run(command_with(&flux, root).arg("--kustomization").arg(file).arg("--path").arg(root), b"");
        assert!(built.status.success(), "{}", text(&built.stderr));
        text(&built.stdout)
    };
    let patched = build("clusters/apps.yaml");
    hostnet(&["patch", "--remove", "--into", "clusters"], b"");
    assert_eq!(fs::read_to_string(root.join("clusters/apps.yaml")).unwrap(), FLAT[0].1);
    let plain = build("clusters/apps.yaml");
    assert_ne!(plain, patched);
    assert_eq!(canonical(&patched), canonical(&hostnet(&["apply", "-"], plain.as_bytes())));
}

/// A folder with a kustomization, and components that Flux adds to it.
const COMPONENTS: [(&str, &str); 6] = [
    (
        "clusters/web.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec:\n  interval: 1h\n  \
         prune: true\n  path: ./apps/web\n  sourceRef: {kind: GitRepository, name: flux-system}\n  components: [../../components/port, ../../components/volume]\n",
    ),
    (
        "apps/web/kustomization.yaml",
        "namespace: shop\nresources: [web.yaml]\nconfigMapGenerator:\n- {name: web, literals: [a=b]}\n",
    ),
    (
        "apps/web/web.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: \
         {labels: {app: web}}\n    spec:\n      containers:\n      - {name: web, image: web, envFrom: [{configMapRef: {name: web}}]}\n",
    ),
    (
        "components/port/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Deployment}\n  patch: '[{\"op\": \
         \"add\", \"path\": \"/spec/template/spec/hostNetwork\", \"value\": true}]'\n",
    ),
    (
        "components/volume/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [claim.yaml]\n",
    ),
    ("components/volume/claim.yaml", "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: web}\n"),
];

/// Two Flux Kustomizations that build one folder into different namespaces; one has more fields that change the build.
const SEVERAL: [(&str, &str); 4] = [
    (
        "clusters/web.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec:\n  interval: 1h\n  \
         prune: true\n  path: ./apps/web\n  sourceRef: {kind: GitRepository, name: flux-system}\n  targetNamespace: east\n  namePrefix: eu-\n  \
         nameSuffix: -v2\n  images: [{name: web, newTag: '2'}]\n  patches:\n  - target: {kind: Deployment, name: web}\n    patch: |\n      \
         - {op: add, path: /spec/replicas, value: 2}\n",
    ),
    (
        "clusters/west.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: west, namespace: flux-system}\nspec:\n  interval: 1h\n  \
         prune: true\n  path: ./apps/web\n  sourceRef: {kind: GitRepository, name: flux-system}\n  targetNamespace: west\n",
    ),
    ("apps/web/kustomization.yaml", "namespace: other\nresources: [web.yaml]\n"),
    (
        "apps/web/web.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: \
         {labels: {app: web}}\n    spec:\n      containers:\n      - {name: web, image: web, args: [--webhook-port=9443], ports: \
         [{name: webhook, containerPort: 9443}]}\n",
    ),
];

#[test]
fn components_are_built_as_flux_builds_them() {
    let Some((_root, [rendered])) = built(&COMPONENTS, ["web"]) else { return };
    assert!(rendered.contains("hostNetwork: true") && rendered.contains("PersistentVolumeClaim"), "{rendered}");
}

/// Two Kustomizations build one folder into two namespaces. The renders contain two workloads with two numbers, and the
/// patches match the objects before Flux renames them.
#[test]
fn patches_are_applied_before_the_fields_of_a_flux_kustomization() {
    let Some((root, rendered)) = built(&SEVERAL, ["web", "west"]) else { return };
    let root = root.path();
    assert!(rendered[0].contains("image: web:2") && rendered[0].contains("name: eu-web-v2"), "{}", rendered[0]);
    let hostnet = |args: &[&str]| {
        let program = &mut command_with(Path::new(env!("CARGO_BIN_EXE_hostnet")), root);
        let done = run(program.current_dir(root).args(args), b"");
        assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
        text(&done.stdout)
    };
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec: {targets: [{select: {kind: Deployment}, ports: auto}]}\n";
    fs::write(root.join("hostnet.yaml"), config).unwrap();
    let applied = hostnet(&["apply", "rendered"]);
    hostnet(&["patch", "--into", "clusters", "rendered"]);
    let patched = ["web", "west"].map(|name| flux(root, name)).join("---\n");
    assert_eq!(patched.matches("hostNetwork: true").count(), 2, "{patched}");
    assert_eq!(canonical(&patched), canonical(&applied));
    hostnet(&["patch", "--into", "clusters", "rendered", "--check"]);
}

/// Runs Flux's build of a Kustomization in `clusters`.
fn flux(root: &Path, name: &str) -> String {
    let file = root.join("clusters").join(format!("{name}.yaml"));
    let program = &mut command_with(&host("fluxbuild").unwrap(), root);
    let done = run(program.arg("--kustomization").arg(file).arg("--path").arg(root), b"");
    assert!(done.status.success(), "{}", text(&done.stderr));
    text(&done.stdout)
}

/// Renders a repository with the script, and compares each Kustomization with Flux's build. Returns `None` if a program
/// is missing.
fn built<const N: usize>(files: &[(&str, &str)], names: [&str; N]) -> Option<(tempfile::TempDir, [String; N])> {
    let (_, kustomize) = (host("fluxbuild")?, host("kustomize")?);
    let repository = tempfile::tempdir().unwrap();
    let root = repository.path();
    fs::create_dir(root.join(".git")).unwrap();
    for (name, content) in files {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), content).unwrap();
    }
    let programs = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&kustomize, programs.path().join("kustomize")).unwrap();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let script = run(
        command_with(Path::new(env!("CARGO_BIN_EXE_hostnet")), root).current_dir(root).args(["charts", "clusters"]),
        b"",
    );
    let rendered = run(command_with(Path::new("/bin/sh"), root).current_dir(root).env("PATH", path), &script.stdout);
    assert!(rendered.status.success(), "{}\n{}", text(&rendered.stderr), text(&script.stdout));
    let rendered = names.map(|name| {
        let file = format!("rendered/kustomization_flux-system_{name}.yaml");
        let rendered = fs::read_to_string(root.join(file)).unwrap();
        assert_eq!(canonical(&rendered), canonical(&flux(root, name)));
        rendered
    });
    Some((repository, rendered))
}
