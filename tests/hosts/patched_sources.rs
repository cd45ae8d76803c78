//! `apply --sources --in-place` and the build of the changed files by kustomize: patches that set an old value again.

use std::path::Path;
use std::process::Command;

use crate::cases::{HOSTNET, command, host};
use crate::support::{run, text};

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
";

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec: {podSecurity: Privileged, targets: [{select: {kind: Deployment}, ports: {health-probe: 20081}}]}
";

fn of_manager(name: &str, fields: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec: {{template: {{spec: {{containers: [{{name: manager, {fields}}}]}}}}}}\n"
    )
}

/// Writes a kustomization with a patch of the operator.
fn write(root: &Path, patch: &str) {
    let files = [
        ("config/manager/kustomization.yaml", "resources: [manager.yaml]\n"),
        ("config/manager/manager.yaml", MANAGER),
        (
            "config/default/kustomization.yaml",
            "namePrefix: shop-\nresources: [../manager]\npatches: [{path: patch.yaml, target: {kind: Deployment}}]\n",
        ),
        ("config/default/patch.yaml", patch),
        ("fn.yaml", CONFIG),
    ];
    for (name, text) in files {
        let file = root.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

/// A build never has the old number, or the run is refused, and then hostnet moves the build.
#[test]
fn no_build_has_an_old_number() {
    let Some(kustomize) = host("kustomize") else { return };
    let operation = |op: &str, path: &str, value: &str| {
        format!("- {{op: {op}, path: /spec/template/spec/containers/0/{path}, value: {value}}}\n")
    };
    for (patch, is_refused) in [
        (of_manager("operator", "args: ['--health-probe-bind-address=:8081', --metrics]"), true),
        (of_manager("controller-manager", "args: ['--health-probe-bind-address=:8081']"), true),
        (operation("add", "args/-", "'--health-probe-bind-address=:8081'"), true),
        (operation("replace", "args/1", "'--health-probe-bind-address=:8081'"), true),
        (operation("add", "args/0", "--metrics"), false),
        (of_manager("operator", "env: [{name: UPSTREAM, value: 'http://api:9000'}]"), false),
        (of_manager("operator", "livenessProbe: {initialDelaySeconds: 5}"), false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        write(at, &patch);
        let apply = |arguments: &[&str], input: &[u8]| {
            run(Command::new(HOSTNET).current_dir(at).args(["apply", "-c", "fn.yaml"]).args(arguments), input)
        };
        let build = || {
            let output = run(command(&kustomize).arg("build").arg(at.join("config/default")), b"");
            assert!(output.status.success(), "{}", text(&output.stderr));
            output.stdout
        };
        let applied = apply(&["--sources", "--in-place", "config"], b"");
        assert_eq!(applied.status.success(), !is_refused, "{patch}: {}", text(&applied.stderr));
        let moved = text(&if is_refused { apply(&["-"], &build()).stdout } else { build() });
        assert!(moved.contains("20081") && !moved.contains(":8081"), "{patch}: {moved}");
    }
}
