//! Patches of a kustomization that set an old value again: `apply --sources` does not change such files.

use crate::support::run::{Run, hostnet};

const MANAGER: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: system}
spec:
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec:
      containers:
      - name: manager
        image: example/op:v1
        args: [--leader-elect, '--health-probe-bind-address=:8081']
        livenessProbe: {httpGet: {path: /healthz, port: 8081}}
      - {name: sidecar, image: 'example/sidecar:v1', args: [run]}
---
apiVersion: v1
kind: Service
metadata: {name: health, namespace: system}
spec: {selector: {app: op}, ports: [{port: 80, targetPort: 8081}]}
";

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec: {podSecurity: Privileged, targets: [{select: {kind: Deployment}, ports: auto}]}
";

/// A tree with these files, next to the operator and its config.
fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let common = [
        ("config/manager/kustomization.yaml", "resources: [manager.yaml]\n"),
        ("config/manager/manager.yaml", MANAGER),
        ("fn.yaml", CONFIG),
    ];
    for (name, text) in common.iter().chain(files) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// A tree whose `default` has one patch, with this target.
fn patched(target: &str, patch: &str) -> tempfile::TempDir {
    let kustomization =
        format!("namePrefix: shop-\nresources: [../manager]\npatches:\n- path: patch.yaml\n  target: {target}\n");
    tree(&[("config/default/kustomization.yaml", &kustomization), ("config/default/patch.yaml", patch)])
}

fn applied(folder: &tempfile::TempDir) -> Run {
    hostnet(folder.path(), &["apply", "-c", "fn.yaml", "--in-place", "--sources", "config"], b"")
}

fn error_at_offset(folder: &tempfile::TempDir) -> String {
    let run = applied(folder);
    let is_same = std::fs::read_to_string(folder.path().join("config/manager/manager.yaml")).unwrap() == MANAGER;
    assert_eq!(is_same, run.code == Some(1), "{}", run.stderr);
    run.stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default().to_owned()
}

/// A strategic merge patch with these fields of the manager.
fn of_manager(fields: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: operator}}\nspec: {{template: {{spec: {{containers: [{{name: manager, {fields}}}]}}}}}}\n"
    )
}

fn operation(op: &str, path: &str, value: &str) -> String {
    format!("- {{op: {op}, path: /spec/template/spec/{path}, value: {value}}}\n")
}

#[test]
fn a_patch_with_the_old_number_in_a_setting_is_refused() {
    let args = of_manager("args: ['--health-probe-bind-address=:8081', --metrics]");
    insta::assert_snapshot!(error_at_offset(&patched("{kind: Deployment}", &args)), @"error: config/default/patch.yaml:4: this patch has 8081 in args, which moves in the files, so the build would have the old number too: run hostnet on the build, `kustomize build config/default | hostnet apply -c fn.yaml -`");
    for (patch, field) in [
        (operation("add", "containers/0/args/-", "'--health-probe-bind-address=:8081'"), "args"),
        (operation("add", "containers/0/env", "[{name: HEALTH_PORT, value: '8081'}]"), "env"),
        (of_manager("env: [{name: HEALTH_ADDR, value: ':8081'}]"), "env"),
        (of_manager("startupProbe: {httpGet: {path: /, port: 8081}}"), "startupProbe"),
        (operation("add", "containers/0", "{name: other, args: [--health=localhost:8081]}"), "args"),
    ] {
        let error = error_at_offset(&patched("{kind: Deployment}", &patch));
        assert!(error.contains(&format!("has 8081 in {field}, ")), "{patch}: {error}");
    }
}

/// Other hosts and other names than those of ports.
#[test]
fn another_number_in_a_setting_is_not_refused() {
    for fields in [
        "env: [{name: UPSTREAM, value: 'http://api:8081'}]",
        "env: [{name: TIMEOUT_MS, value: '8081'}]",
        "env: [{name: HEALTH_PORT, value: '8082'}]",
        "env: [{name: LIMIT, value: 8081Mi}]",
        "resources: {limits: {memory: 8081}}",
        "startupProbe: {periodSeconds: 8081, httpGet: {path: /, port: 9090}}",
    ] {
        assert_eq!(error_at_offset(&patched("{kind: Deployment}", &of_manager(fields))), "", "{fields}");
    }
    let sidecar = of_manager("args: [--other]").replace("name: manager", "name: sidecar");
    assert_eq!(error_at_offset(&patched("{kind: Deployment}", &sidecar)), "");
    for op in ["remove", "test"] {
        let patch = operation(op, "containers/0/args/0", "--leader-elect");
        assert_eq!(error_at_offset(&patched("{kind: Deployment}", &patch)), "", "{op}");
    }
    // Objects that the patch does not change.
    let args = of_manager("args: ['--health-probe-bind-address=:8081']");
    for target in ["{kind: StatefulSet}", "{kind: Deployment, name: other}", "{kind: Deployment, labelSelector: a=b}"] {
        assert_eq!(error_at_offset(&patched(target, &args)), "", "{target}");
    }
}

#[test]
fn a_patch_that_replaces_a_changed_field_is_refused() {
    let args = of_manager("args: [--leader-elect]");
    insta::assert_snapshot!(error_at_offset(&patched("{kind: Deployment}", &args)), @"error: config/default/patch.yaml:4: this patch sets spec.template.spec.containers[0].args, which changes in the files, so the build would not have the new value: run hostnet on the build, `kustomize build config/default | hostnet apply -c fn.yaml -`");
    for (patch, field) in [
        (operation("replace", "containers/0/args/1", "--other"), "spec.template.spec.containers[0].args[1]"),
        (
            operation("add", "containers/0/ports", "[{name: web, containerPort: 7000}]"),
            "spec.template.spec.containers[0].ports",
        ),
        (operation("add", "hostNetwork", "false"), "spec.template.spec.hostNetwork"),
    ] {
        let error = error_at_offset(&patched("{kind: Deployment}", &patch));
        assert!(error.contains(&format!("sets {field}, ")), "{patch}: {error}");
    }
    let service = "- {op: replace, path: /spec/ports/0/targetPort, value: 8081}\n";
    let error = error_at_offset(&patched("{kind: Service}", service));
    assert!(error.contains("sets spec.ports[0].targetPort, "), "{error}");
    let merged =
        "apiVersion: v1\nkind: Service\nmetadata: {name: health}\nspec: {ports: [{port: 80, targetPort: 8081}]}\n";
    let error = error_at_offset(&patched("{kind: Service}", merged));
    assert!(error.contains("sets spec.ports[0].targetPort, "), "{error}");
}

#[test]
fn a_patch_that_keeps_changed_fields_is_not_refused() {
    for patch in [
        operation("add", "hostNetwork", "true"),
        operation("add", "containers/0/args/0", "--verbose"),
        operation("replace", "containers/1/args", "[--other]"),
        of_manager("imagePullPolicy: Always"),
        of_manager("livenessProbe: {initialDelaySeconds: 5}"),
        of_manager("ports: [{name: other, containerPort: 7000}]"),
    ] {
        assert_eq!(error_at_offset(&patched("{kind: Deployment}", &patch)), "", "{patch}");
    }
    let merged =
        "apiVersion: v1\nkind: Service\nmetadata: {name: health}\nspec: {ports: [{port: 90, targetPort: 7000}]}\n";
    assert_eq!(error_at_offset(&patched("{kind: Service}", merged)), "");
}

/// kustomize takes the target, whatever name the patch has, and names with the prefix match too.
#[test]
fn a_target_replaces_the_name_in_the_patch() {
    let other = of_manager("args: ['--health-probe-bind-address=:8081']").replace("operator", "controller-manager");
    assert!(error_at_offset(&patched("{kind: Deployment}", &other)).contains("patch.yaml:4"));
    assert!(error_at_offset(&patched("{kind: Deployment, name: 'op.*'}", &other)).contains("patch.yaml:4"));
    assert!(error_at_offset(&patched("{kind: Deployment, name: shop-operator}", &other)).contains("patch.yaml:4"));
    assert_eq!(error_at_offset(&patched("{kind: Deployment, name: controller-manager}", &other)), "");
}

/// A patch of a kustomization that builds other files is not about these.
#[test]
fn a_patch_of_another_build_is_not_refused() {
    let patch = of_manager("args: ['--health-probe-bind-address=:8081']");
    let folder = tree(&[
        (
            "config/other/kustomization.yaml",
            "resources: [web.yaml]\npatches: [{path: p.yaml, target: {kind: Deployment}}]\n",
        ),
        (
            "config/other/web.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: manager}]}}}\n",
        ),
        ("config/other/p.yaml", &patch),
    ]);
    assert_eq!(error_at_offset(&folder), "");
}

/// A Component has no build of its own.
#[test]
fn the_command_builds_a_kustomization_that_lists_the_component() {
    let patch = of_manager("args: ['--health-probe-bind-address=:8081']");
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: p.yaml}]\n";
    let with = |user: &str| {
        tree(&[
            ("config/components/webhook/kustomization.yaml", component),
            ("config/components/webhook/p.yaml", &patch),
            ("config/deployments/all/kustomization.yaml", user),
            ("config/deployments/plain/kustomization.yaml", "resources: [../../manager]\n"),
        ])
    };
    let error = error_at_offset(&with("resources: [../../manager]\ncomponents: [../../components/webhook]\n"));
    assert!(error.contains("error: config/components/webhook/p.yaml:4: "), "{error}");
    assert!(error.contains("`kustomize build config/deployments/all | hostnet"), "{error}");
    // No kustomization of PATH builds the workload with the component.
    assert_eq!(error_at_offset(&with("components: [../../components/webhook]\n")), "");
}

fn in_git(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tree(files);
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

/// The patches of Flux's Kustomizations and Argo CD's Applications, also in files of the repository that are not in PATH.
#[test]
fn patches_of_flux_and_argo_cd_are_refused() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: op, namespace: flux-system}
spec:
  path: ./config/manager
  sourceRef: {kind: GitRepository, name: flux-system}
  patches:
  - target: {kind: Deployment}
    patch: |
      - op: replace
        path: /spec/template/spec/containers/0/args
        value: ['--health-probe-bind-address=:8081']
";
    let error = error_at_offset(&in_git(&[("clusters/op.yaml", flux)]));
    insta::assert_snapshot!(error, @"error: clusters/op.yaml:8: this patch has 8081 in args, which moves in the files, so the build would have the old number too: patch the build instead of the files, `hostnet charts clusters/op.yaml | sh` and `hostnet patch -c fn.yaml --into clusters/op.yaml rendered`");
    let argo = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: op, namespace: argocd}
spec:
  destination: {namespace: system}
  source:
    path: config/manager
    repoURL: https://git.example.com/op.git
    kustomize: {patches: [{target: {kind: Deployment}, patch: '[{op: add, path: /spec/template/spec/containers/0/args/-, value: --port=8081}]'}]}
";
    assert!(
        error_at_offset(&in_git(&[("config/apps/op.yaml", argo)]))
            .contains("config/apps/op.yaml:9: this patch has 8081 in args")
    );
    let set = argo
        .replace("kind: Application", "kind: ApplicationSet")
        .replace("spec:\n", "spec:\n  generators: [{clusters: {}}]\n  template:\n   spec:\n")
        .replace("  destination", "    destination")
        .replace("  source", "    source");
    let set = set.replace("\n    path", "\n      path").replace("\n    repo", "\n      repo");
    let set = set.replace("\n    kustomize", "\n      kustomize");
    insta::assert_snapshot!(error_at_offset(&in_git(&[("config/apps/op.yaml", &set)])), @"error: config/apps/op.yaml:12: this patch has 8081 in args, which moves in the files, so the build would have the old number too: ApplicationSet argocd/op has no field for patches of hostnet: run `hostnet apply` in the pipeline, or the plugin of Argo CD, instead");
    // Another folder, another number.
    let other = flux.replace("./config/manager", "./config/other");
    assert_eq!(error_at_offset(&in_git(&[("clusters/op.yaml", &other), ("config/other/a.yaml", "")])), "");
    assert_eq!(
        error_at_offset(&in_git(&[(
            "clusters/op.yaml",
            &flux.replace("containers/0/args", "containers/1/args").replace("8081", "7000")
        )])),
        ""
    );
}
