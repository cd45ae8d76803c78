//! A `HostNetworkCheck` as a function of kustomize, of kpt and in a pipe: it returns the items unchanged, and its
//! errors make the host fail.

use crate::cases::{HOSTNET, command, host};
use crate::kustomize::FLAGS;
use crate::support::{run, text};
use std::path::Path;
use std::process::Command;

/// A Deployment whose host port differs from the container port, which the API server rejects.
const MANIFEST: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 4 # one for each zone
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - image: example/web:v1
        name: web
        ports:
        - containerPort: 20080
          hostPort: 20081
      dnsPolicy: ClusterFirstWithHostNet
      hostNetwork: true
";

fn config(fail_on: &str) -> String {
    format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nmetadata:\n  name: check\n  annotations:\n    config.kubernetes.io/function: |\n      \
         exec: {{path: hostnet}}\nspec:\n  failOn: {fail_on}\n"
    )
}

/// A folder with the manifest, a config and a kustomization.
fn folder(fail_on: &str, kustomization: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("web.yaml", MANIFEST);
    write("check.yaml", &config(fail_on));
    write("kustomization.yaml", kustomization);
    folder
}

#[test]
fn in_kustomize_errors_fail_the_build_and_nothing_changes() {
    let Some(kustomize) = host("kustomize") else { return };
    let build = |fail_on: &str, transformers: &str| {
        let folder = folder(fail_on, &format!("resources: [web.yaml]\n{transformers}"));
        run(command(&kustomize).args(FLAGS).arg(folder.path()), b"")
    };
    let plain = build("Error", "");
    assert!(plain.status.success(), "{}", text(&plain.stderr));
    let never = build("Never", "transformers: [check.yaml]\n");
    assert!(never.status.success(), "{}", text(&never.stderr));
    assert!(text(&never.stderr).contains("host-port"), "the function ran: {}", text(&never.stderr));
    assert_eq!(text(&never.stdout), text(&plain.stdout));
    let failed = build("Error", "transformers: [check.yaml]\n");
    assert!(!failed.status.success() && failed.stdout.is_empty());
    assert!(text(&failed.stderr).contains("host-port"), "{}", text(&failed.stderr));
}

#[test]
fn in_kpt_errors_fail_the_run_and_nothing_changes() {
    let Some(kpt) = host("kpt") else { return };
    for (fail_on, succeeds) in [("Never", true), ("Error", false)] {
        let (package, config_folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (file, config_file) = (package.path().join("web.yaml"), config_folder.path().join("check.yaml"));
        std::fs::write(&file, MANIFEST).unwrap();
        std::fs::write(&config_file, config(fail_on)).unwrap();
        let mut eval = command(&kpt);
        eval.args(["fn", "eval"]).arg(package.path()).args(["--truncate-output=false", "--exec", HOSTNET]);
        let output = run(eval.arg("--fn-config").arg(&config_file), b"");
        assert_eq!(output.status.success(), succeeds, "{fail_on}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("host-port"), "the function ran: {}", text(&output.stderr));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), MANIFEST, "{fail_on}");
    }
}

#[test]
fn in_a_pipe_the_list_is_returned_with_results() {
    let items = MANIFEST.lines().map(|line| format!("  {line}\n")).collect::<String>().replacen(
        "  apiVersion",
        "- apiVersion",
        1,
    );
    for (fail_on, code) in [("Never", 0), ("Error", 1)] {
        let function: String = config(fail_on).lines().map(|line| format!("  {line}\n")).collect();
        let list = format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n{function}items:\n{items}"
        );
        let output = run(Command::new(Path::new(HOSTNET)).args(["check", "-"]), list.as_bytes());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let stdout = text(&output.stdout);
        assert!(stdout.contains(&items) && stdout.contains("\nresults:\n"), "{stdout}");
    }
}
