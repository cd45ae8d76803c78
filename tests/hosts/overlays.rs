//! Two overlays build one release into two namespaces with two ports. Patching the base is refused; a patch in each
//! overlay works, as the message suggests.

use std::fs;
use std::path::Path;

use crate::cases::{command_with, host};
use crate::support::{run, text};

const CHART: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: {{ .Release.Namespace }}
  labels: {app.kubernetes.io/instance: web, helm.sh/chart: web-1.0.0}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: manager
        image: example.com/web:v1
        args: ['--webhook-port={{ .Values.port }}']
        ports: [{name: https, containerPort: {{ .Values.port }}}]
";

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
spec:
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}
";

const PATCH: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
spec: {postRenderers: []}
";

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: web}
spec:
  targets:
  - {select: {kind: Deployment}, ports: auto}
";

fn overlay(namespace: &str, port: u16) -> String {
    format!(
        "namespace: {namespace}\nresources: [../base]\npatches:\n- path: host-network.yaml\n- target: {{kind: HelmRelease}}\n  patch: |\n    - {{op: add, \
         path: /spec/values, value: {{port: {port}}}}}\n"
    )
}

#[test]
fn each_overlay_has_a_patch_of_its_own() {
    let (Some(helm), Some(kustomize), Some(flux)) = (host("helm"), host("kustomize"), host("fluxbuild")) else {
        return;
    };
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    fs::create_dir(root.join(".git")).unwrap();
    for (name, content) in [
        ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("charts/web/templates/all.yaml", CHART),
        ("base/release.yaml", RELEASE),
        ("base/kustomization.yaml", "resources: [release.yaml]\n"),
        ("eu/kustomization.yaml", &overlay("eu", 8443)),
        ("eu/host-network.yaml", PATCH),
        ("us/kustomization.yaml", &overlay("us", 9443)),
        ("us/host-network.yaml", PATCH),
        ("hostnet.yaml", CONFIG),
    ] {
        let file = root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    let programs = tempfile::tempdir().unwrap();
    let own = Path::new(env!("CARGO_BIN_EXE_hostnet"));
    for (name, program) in [("helm", helm.as_path()), ("kustomize", &kustomize), ("fluxbuild", &flux), ("hostnet", own)]
    {
        std::os::unix::fs::symlink(program, programs.path().join(name)).unwrap();
    }
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let shell = |line: &str| {
        let mut command = command_with(Path::new("/bin/sh"), root);
        let output = run(command.args(["-c", line]).current_dir(root).env("PATH", &path), b"");
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (_, _, log) = shell("hostnet charts . | sh");
    assert!(
        log.contains("eu and us build the object differently")
            && log.contains("`kustomize build eu | hostnet charts --with . - | sh`"),
        "{log}"
    );
    for namespace in ["eu", "us"] {
        let (is_well, _, log) =
            shell(&format!("kustomize build {namespace} | hostnet charts --to {namespace}-render - | sh"));
        assert!(is_well, "{log}");
        let (is_well, _, log) = shell(&format!("hostnet patch --into . {namespace}-render"));
        assert!(!is_well && log.contains("the same patches cannot fit both"), "{log}");
        let (is_well, _, log) =
            shell(&format!("hostnet patch --into {namespace}/host-network.yaml {namespace}-render"));
        assert!(is_well, "{log}");
        let line = format!(
            "kustomize build {namespace} >{namespace}.built && fluxbuild helm-post-render --helmrelease {namespace}.built \
             <{namespace}-render/helmrelease_{namespace}_web.yaml"
        );
        let (is_well, built, log) = shell(&line);
        assert!(
            is_well && built.contains("hostNetwork: true") && built.contains(&format!("namespace: {namespace}\n")),
            "{log}{built}"
        );
    }
}
