//! `hostnet apply --in-place`, `--diff` and `--check` on the files of a git working tree.

use crate::cases::{EXAMPLE, HOSTNET, copy};
use crate::support::{find_program, not_run, project, run, text};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

pub(crate) fn git(at: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    // Ignores the user's settings: no hooks, no external diff, no signing.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").current_dir(at);
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let output = run(command.args(identity).args(args), b"");
    assert!(output.status.success(), "git {args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Commits an example into a new git repository.
pub(crate) fn repository(example: &str) -> Option<TempDir> {
    if find_program("git").is_none() {
        not_run("git is missing");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join(example), folder.path());
    git(folder.path(), &["init", "--quiet"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "-m", "before"]);
    Some(folder)
}

fn apply(at: &Path, args: &[&str]) -> Output {
    run(Command::new(HOSTNET).current_dir(at).args(["apply", "-c", "hostnet.yaml"]).args(args), b"")
}

const FILE: &str = "base/crossplane.yaml";

#[test]
fn in_place_changes_only_necessary_lines() {
    let Some(folder) = repository(EXAMPLE) else { return };
    let at = folder.path();
    let output = apply(at, &["--in-place", FILE]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(git(at, &["status", "--short"]), format!(" M {FILE}\n"));
    let diff = git(at, &["diff", "-U0", "--no-color"]);
    let (_, hunks) = diff.split_once("+++ b/base/crossplane.yaml\n").unwrap();
    insta::assert_snapshot!(hunks, @r#"
    @@ -93 +93 @@ spec:
    -    targetPort: 9443
    +    targetPort: webhooks
    @@ -117 +117 @@ spec:
    -        prometheus.io/port: "8080"
    +        prometheus.io/port: "20080"
    @@ -126 +126,2 @@ spec:
    -      hostNetwork: false
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    @@ -180 +181,2 @@ spec:
    -          containerPort: 8081
    +          containerPort: 20081
    +          hostPort: 20081
    @@ -182 +184,2 @@ spec:
    -          containerPort: 8080 # scraped
    +          containerPort: 20080 # scraped
    +          hostPort: 20080
    @@ -184 +187,2 @@ spec:
    -          containerPort: 9443
    +          containerPort: 20443
    +          hostPort: 20443
    @@ -205,0 +210,6 @@ spec:
    +          - name: HEALTH_PROBE_PORT
    +            value: "20081"
    +          - name: METRICS_PORT
    +            value: "20080"
    +          - name: WEBHOOK_PORT
    +            value: "20443"
    "#);
    // The second run changes nothing and does not touch the file.
    git(at, &["commit", "--quiet", "-am", "moved"]);
    let before = std::fs::metadata(at.join(FILE)).unwrap().modified().unwrap();
    assert!(apply(at, &["--in-place", FILE]).status.success());
    assert_eq!(git(at, &["status", "--short"]), "");
    assert_eq!(std::fs::metadata(at.join(FILE)).unwrap().modified().unwrap(), before);
    let check = apply(at, &["--check", FILE]);
    assert!(check.status.success());
    assert_eq!(text(&check.stderr), "0 workloads to move, 0 ports, 0 files to change, 0 warnings\n");
}

#[test]
fn check_and_diff_write_nothing() {
    let Some(folder) = repository(EXAMPLE) else { return };
    let at = folder.path();
    let check = apply(at, &["--check", FILE]);
    assert_eq!(check.status.code(), Some(1), "{}", text(&check.stderr));
    assert_eq!(
        text(&check.stderr),
        format!("{FILE}: would change\n1 workload to move, 3 ports, 1 file to change, 0 warnings (-v shows all)\n")
    );
    let shown = apply(at, &["--diff", FILE]);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    assert_eq!(git(at, &["status", "--short"]), "");
    // The output of `--diff` is a valid patch with the same result as `--in-place`.
    let Some(patch) = find_program("patch") else { return not_run("patch is missing") };
    let applied = run(Command::new(patch).current_dir(at).args(["--quiet", FILE]), &shown.stdout);
    assert!(applied.status.success(), "{}{}", text(&applied.stdout), text(&shown.stdout));
    let want = std::fs::read_to_string(at.join("want.yaml")).unwrap();
    assert_eq!(std::fs::read_to_string(at.join(FILE)).unwrap(), want);
}

/// In-place changes of a folder with a kustomization are refused: the kustomization would be built from changed files.
#[test]
fn a_folder_with_a_kustomization_names_the_command_to_use() {
    let Some(folder) = repository(EXAMPLE) else { return };
    let output = apply(folder.path(), &["--in-place", "base"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("kustomize build"), "{}", text(&output.stderr));
    assert_eq!(git(folder.path(), &["status", "--short"]), "");
    let output = apply(folder.path(), &["--in-place", "--sources", "base"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(git(folder.path(), &["status", "--short"]), format!(" M {FILE}\n"));
}

/// If the second of two files cannot be read, the first is not written.
#[test]
fn one_bad_file_leaves_all_files_alone() {
    let Some(folder) = repository(EXAMPLE) else { return };
    let at = folder.path();
    std::fs::write(at.join("bad.yaml"), "kind: [\n").unwrap();
    git(at, &["add", "."]);
    git(at, &["commit", "--quiet", "-m", "bad"]);
    let output = apply(at, &["--in-place", FILE, "bad.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("bad.yaml"), "{}", text(&output.stderr));
    assert_eq!(git(at, &["status", "--short"]), "");
}

/// A world-writable folder with a config and a Deployment.
#[cfg(unix)]
fn shared_folder() -> TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (from, to) in [(FILE, "crossplane.yaml"), ("hostnet.yaml", "hostnet.yaml")] {
        std::fs::copy(project().join(EXAMPLE).join(from), at.join(to)).unwrap();
    }
    std::fs::copy(HOSTNET, at.join("hostnet")).unwrap();
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// Mode, owner and group of a file.
#[cfg(unix)]
fn rights(path: &Path) -> (u32, u32, u32) {
    use std::os::unix::fs::MetadataExt as _;
    let of = std::fs::metadata(path).unwrap();
    (of.mode() & 0o7777, of.uid(), of.gid())
}

#[cfg(unix)]
#[test]
fn in_place_keeps_every_bit_of_the_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = shared_folder();
    let file = folder.path().join("crossplane.yaml");
    let before = std::fs::read(&file).unwrap();
    for mode in [0o400, 0o640, 0o666, 0o1644, 0o2755, 0o4755, 0o6711, 0o7777] {
        std::fs::write(&file, &before).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let (_, uid, gid) = rights(&file);
        let output = apply(folder.path(), &["--in-place", "crossplane.yaml"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_ne!(std::fs::read(&file).unwrap(), before);
        assert_eq!(rights(&file), (mode, uid, gid), "{mode:o}");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
}

/// Runs `apply` as an unprivileged user; only root can do this.
#[cfg(unix)]
fn as_nobody(at: &Path, args: &[&str]) -> Option<Output> {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(at.join("hostnet"));
    command.current_dir(at).args(["apply", "-c", "hostnet.yaml"]).args(args).uid(65_534).gid(65_534);
    command.stdin(std::process::Stdio::null()).output().ok()
}

/// Root keeps the file's owner. Another user cannot, so setuid and setgid bits are dropped: they were meant for another
/// owner's file.
#[cfg(unix)]
#[test]
fn in_place_keeps_the_owner_or_drops_setuid_bits() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    let folder = shared_folder();
    let (at, file) = (folder.path(), folder.path().join("crossplane.yaml"));
    let before = std::fs::read(&file).unwrap();
    let renew = |uid, gid, mode| {
        std::fs::write(&file, &before).unwrap();
        chown(&file, Some(uid), Some(gid)).is_ok()
            && std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).is_ok()
    };
    if !renew(1234, 5678, 0o6755) {
        return not_run("only root can give files away");
    }
    assert!(apply(at, &["--in-place", "crossplane.yaml"]).status.success());
    assert_eq!(rights(&file), (0o6755, 1234, 5678));
    for (uid, gid, mode, kept) in [
        (65_534, 65_534, 0o6755, (0o6755, 65_534, 65_534)),
        (65_534, 0, 0o6755, (0o4755, 65_534, 65_534)),
        (0, 0, 0o7755, (0o1755, 65_534, 65_534)),
        (0, 65_534, 0o6755, (0o2755, 65_534, 65_534)),
    ] {
        assert!(renew(uid, gid, mode));
        let Some(output) = as_nobody(at, &["--in-place", "crossplane.yaml"]) else { return not_run("no other user") };
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_ne!(std::fs::read(&file).unwrap(), before);
        assert_eq!(rights(&file), kept, "{uid}:{gid} {mode:o}");
    }
}

/// A config that changes every Deployment.
#[cfg(unix)]
const AUTO: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec: {targets: [{select: {kind: Deployment}, ports: auto}]}\n";

/// If the folder of the second file is not writable, neither file changes, and no temporary file remains.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = shared_folder();
    let at = folder.path();
    let before = std::fs::read_to_string(at.join("crossplane.yaml")).unwrap();
    std::fs::create_dir(at.join("closed")).unwrap();
    std::fs::write(at.join("closed/other.yaml"), before.replace("name: crossplane", "name: other")).unwrap();
    std::os::unix::fs::symlink("closed/other.yaml", at.join("link.yaml")).unwrap();
    std::fs::write(at.join("hostnet.yaml"), AUTO).unwrap();
    for (path, mode) in [("crossplane.yaml", 0o666), ("closed/other.yaml", 0o666), ("closed", 0o555)] {
        std::fs::set_permissions(at.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    for second in ["closed/other.yaml", "link.yaml"] {
        let Some(output) = as_nobody(at, &["--in-place", "crossplane.yaml", second]) else {
            return not_run("only root can run as another user");
        };
        let log = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.contains(second) && log.contains("no file was changed"), "{log}");
        assert_eq!(std::fs::read_to_string(at.join("crossplane.yaml")).unwrap(), before);
        let left: Vec<_> = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".hostnet-")), "{left:?}");
    }
}
