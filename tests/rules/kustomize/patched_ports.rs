//! Container ports that patches of a kustomization set: `apply --sources` does not change such files.

use crate::support::run::{Run, hostnet};

const MANIFESTS: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: controller-manager, namespace: system}
spec:
  selector: {matchLabels: {app: gate}}
  template:
    metadata: {labels: {app: gate}}
    spec:
      containers:
      - {name: manager, image: 'example/gate:v1', args: [--webhook-port=9443], ports: [{name: metrics, containerPort: 8080}], readinessProbe: {tcpSocket: {port: 9443}}}
---
apiVersion: v1
kind: Service
metadata: {name: gate, namespace: system}
spec: {selector: {app: gate}, ports: [{port: 443, targetPort: 9443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: gate}
webhooks:
- {name: gate.example.com, clientConfig: {service: {name: gate, namespace: system}}, sideEffects: None, admissionReviewVersions: [v1]}
";

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: gate}
spec: {targets: [{select: {calledByApiServer: true}, ports: auto}]}
";

/// A tree with this kustomization in `default`, and these other files.
fn tree(kustomization: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let common = [
        ("config/manager/kustomization.yaml", "resources: [manager.yaml]\n"),
        ("config/manager/manager.yaml", MANIFESTS),
        ("config/default/kustomization.yaml", kustomization),
        ("fn.yaml", CONFIG),
    ];
    for (name, text) in common.iter().chain(files) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn applied(folder: &tempfile::TempDir) -> Run {
    hostnet(folder.path(), &["apply", "-c", "fn.yaml", "--in-place", "--sources", "config"], b"")
}

fn is_changed(folder: &tempfile::TempDir) -> bool {
    std::fs::read_to_string(folder.path().join("config/manager/manager.yaml")).unwrap() != MANIFESTS
}

const INLINE: &str = "namePrefix: gate-
resources: [../manager]
patches:
- target: {kind: Deployment, name: controller-manager}
  patch: |-
    - op: add
      path: /spec/template/spec/containers/0/ports/-
      value: {containerPort: 9443, name: webhook-server}
";

const OF_FILE: &str = "namePrefix: gate-\nresources: [../manager]\npatches: [{path: webhook_patch.yaml}]\n";

const FILE: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: controller-manager, namespace: system}
spec:
  template:
    spec:
      containers:
      - name: manager
        ports:
        - {containerPort: 9443, name: webhook-server}
";

#[test]
fn a_patch_with_the_old_number_is_refused() {
    let folder = tree(INLINE, &[]);
    let run = applied(&folder);
    let error = run.stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default();
    insta::assert_snapshot!(error, @"error: config/default/kustomization.yaml:5: this patch sets containerPort 9443, which moves in the files, so the build would have the old number too: run hostnet on the build, `kustomize build config/default | hostnet apply -c fn.yaml -`");
    assert_eq!((run.code, is_changed(&folder)), (Some(1), false));

    let folder = tree(OF_FILE, &[("config/default/webhook_patch.yaml", FILE)]);
    let run = applied(&folder);
    assert!(run.stderr.contains("error: config/default/webhook_patch.yaml:10: "), "{}", run.stderr);
    assert_eq!((run.code, is_changed(&folder)), (Some(1), false));
}

#[test]
fn a_patch_of_another_port_or_object_is_not_refused() {
    let file = |from: &str, to: &str| [("config/default/webhook_patch.yaml", FILE.replace(from, to))];
    for (from, to) in [
        ("9443, name: webhook-server", "7000, name: other"),
        ("name: controller-manager", "name: other"),
        ("{containerPort: 9443,", "{$patch: delete, containerPort: 9443,"),
    ] {
        let files = file(from, to);
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let folder = tree(OF_FILE, &files);
        let run = applied(&folder);
        assert_eq!((run.code, is_changed(&folder)), (Some(0), true), "{to}: {}", run.stderr);
    }
    for (from, to) in [("op: add", "op: test"), ("name: controller-manager}", "name: other}")] {
        let folder = tree(&INLINE.replacen(from, to, 1), &[]);
        let run = applied(&folder);
        assert_eq!((run.code, is_changed(&folder)), (Some(0), true), "{to}: {}", run.stderr);
    }
}

/// A port that stays and that only the patch declares, under a name of its own.
#[test]
fn a_patch_that_declares_a_kept_port_is_refused() {
    let kept = MANIFESTS
        .replace(", args: [--webhook-port=9443]", ", args: [run]")
        .replace("tcpSocket: {port: 9443}", "tcpSocket: {port: 8080}");
    let manager = [("config/manager/manager.yaml", kept.as_str())];
    let folder = tree(INLINE, &manager);
    let run = applied(&folder);
    let error = run.stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default();
    insta::assert_snapshot!(error, @"error: config/default/kustomization.yaml:5: this patch declares containerPort 9443, and the changed files declare it too, so the build could lose the port's name: run hostnet on the build, `kustomize build config/default | hostnet apply -c fn.yaml -`");
    let is_same = std::fs::read_to_string(folder.path().join("config/manager/manager.yaml")).unwrap() == kept;
    assert_eq!((run.code, is_same), (Some(1), true));
    // The files declare another port than the patch.
    let folder = tree(&INLINE.replace("9443", "7000"), &manager);
    let run = applied(&folder);
    assert_eq!((run.code, is_changed(&folder)), (Some(0), true), "{}", run.stderr);
}

#[test]
fn init_recommends_the_build_where_patches_set_ports() {
    let next = |kustomization: &str| {
        let folder = tree(kustomization, &[]);
        std::fs::remove_file(folder.path().join("fn.yaml")).unwrap();
        let run = hostnet(folder.path(), &["init", "config"], b"");
        let next = run.stderr.split_once("look at `").and_then(|(_, rest)| rest.split_once('`'));
        next.map(|(next, _)| next.to_owned()).unwrap_or_default()
    };
    assert_eq!(next(INLINE), "kustomize build config/default | hostnet apply -c hostnet.yaml --diff -");
    let without = "namePrefix: gate-\nresources: [../manager]\n";
    assert_eq!(next(without), "hostnet apply --diff --sources config");
}
