//! `examples/controllerconfig-migration`: files of a repository converted in place; its kustomization still builds.

use crate::cases::{HOSTNET, command, copy, host};
use crate::files::{git, repository};
use crate::support::{project, run, text};
use std::path::Path;
use std::process::{Command, Output};

const EXAMPLE: &str = "examples/controllerconfig-migration";
/// The command in the example's README.
const APPLY: [&str; 5] = ["apply", "-c", "hostnet.yaml", "--sources", "--in-place"];

fn hostnet(at: &Path, arguments: &[&str]) -> Output {
    run(Command::new(HOSTNET).current_dir(at).args(arguments), b"")
}

fn converted(at: &Path) {
    let output = hostnet(at, &[&APPLY[..], &["."]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn build(kustomize: &Path, at: &Path) -> String {
    let output = run(command(kustomize).arg("build").arg(at), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn edit(file: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{text}");
    std::fs::write(file, text.replace(old, new)).unwrap();
}

#[test]
fn the_kustomization_builds_without_a_controller_config() {
    let (Some(kustomize), Some(folder)) = (host("kustomize"), repository(EXAMPLE)) else { return };
    let at = folder.path();
    // A patch of the removed object must still match something.
    let patch = "- target: {kind: ControllerConfig}\n  patch: |\n    - {op: add, path: /spec/replicas, value: 1}\n";
    edit(&at.join("kustomization.yaml"), "resources:\n", &format!("patches:\n{patch}resources:\n"));
    assert_eq!(build(&kustomize, at).matches("kind: ControllerConfig\n").count(), 2);
    converted(at);
    let after = build(&kustomize, at);
    assert_eq!(after.matches("kind: ControllerConfig\n").count(), 0, "{after}");
    assert!(!after.contains("controllerConfigRef"), "{after}");
    for name in ["provider-aws-s3", "provider-aws-rds", "provider-kubernetes"] {
        assert!(after.contains(&format!("  runtimeConfigRef:\n    name: hostnet-{name}\n")), "{after}");
        assert!(
            after.contains(&format!("kind: DeploymentRuntimeConfig\nmetadata:\n  name: hostnet-{name}\n")),
            "{after}"
        );
    }
    // A second run changes nothing.
    git(at, &["commit", "--quiet", "-am", "moved"]);
    converted(at);
    assert_eq!(git(at, &["status", "--short"]), "");
}

/// Each diff in the README is part of git's diff.
#[test]
fn the_readme_shows_the_diff_of_git() {
    let Some(folder) = repository(EXAMPLE) else { return };
    let at = folder.path();
    converted(at);
    assert_eq!(
        git(at, &["status", "--short"]),
        " M providers/aws.yaml\n M providers/controller-config.yaml\n M providers/kubernetes.yaml\n"
    );
    let diff = git(at, &["diff", "--no-color"]);
    let readme = std::fs::read_to_string(at.join("README.md")).unwrap();
    assert!(readme.contains(&format!("hostnet {} .\n", APPLY.join(" "))), "the command is another one");
    let shown: Vec<&str> =
        readme.split("```diff\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert_eq!(shown.len(), 3);
    for part in shown {
        assert!(diff.contains(part), "the README shows\n{part}\nand git\n{diff}");
    }
}

/// A ControllerConfig that no kustomization lists is removed, unless its file contains nothing else.
#[test]
fn an_unlisted_controller_config_is_removed_unless_its_file_would_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    copy(&project().join(EXAMPLE).join("providers"), at);
    std::fs::copy(project().join(EXAMPLE).join("hostnet.yaml"), at.join("hostnet.yaml")).unwrap();
    std::fs::remove_file(at.join("kustomization.yaml")).unwrap();
    // With an existing runtime config, no new object is added to the ControllerConfig's file.
    edit(&at.join("aws.yaml"), "  controllerConfigRef:", "  runtimeConfigRef: {name: base}\n  controllerConfigRef:");
    let base = "---\napiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: base}\n";
    let aws = std::fs::read_to_string(at.join("aws.yaml")).unwrap();
    std::fs::write(at.join("aws.yaml"), format!("{aws}{base}spec: {{}}\n")).unwrap();
    converted(at);
    let read = |file: &str| std::fs::read_to_string(at.join(file)).unwrap();
    assert!(!read("kubernetes.yaml").contains("ControllerConfig\n"), "{}", read("kubernetes.yaml"));
    let before = std::fs::read_to_string(project().join(EXAMPLE).join("providers/controller-config.yaml")).unwrap();
    let mark = "    config.kubernetes.io/local-config: \"true\"\nspec:\n";
    assert_eq!(read("controller-config.yaml"), before.replace("spec:\n", mark));
}

/// A file that a kustomization lists is kept even if all its objects are removed, so that the kustomization still
/// builds.
#[test]
fn a_listed_file_without_objects_is_kept() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |file: &str, text: &str| std::fs::write(at.join(file), text).unwrap();
    std::fs::copy(project().join(EXAMPLE).join("hostnet.yaml"), at.join("hostnet.yaml")).unwrap();
    write("kustomization.yaml", "resources: [providers.yaml, old.yaml, default.yaml]\n");
    let provider = |name: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec:\n  package: \
             xpkg.upbound.io/upbound/{name}:v1.22.0\n  controllerConfigRef: {{name: old}}\n"
        )
    };
    write("providers.yaml", &format!("{}---\n{}", provider("provider-aws-s3"), provider("provider-aws-ec2")));
    let old = "apiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: old}\nspec: {args: [--debug]}\n";
    write("old.yaml", old);
    let default =
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: default}\nspec: {}\n";
    write("default.yaml", default);
    converted(at);
    let read = |file: &str| std::fs::read_to_string(at.join(file)).unwrap();
    let mark = "{name: old, annotations: {config.kubernetes.io/local-config: \"true\"}}";
    assert_eq!(read("old.yaml"), old.replace("{name: old}", mark));
    let after = build(&kustomize, at);
    assert_eq!(after.matches("kind: ControllerConfig\n").count(), 0, "{after}");
    assert_eq!(after.matches("            - --debug\n").count(), 2, "both have its settings: {after}");
    let first = ["providers.yaml", "old.yaml", "default.yaml"].map(read);
    converted(at);
    assert_eq!(["providers.yaml", "old.yaml", "default.yaml"].map(read), first);
}
