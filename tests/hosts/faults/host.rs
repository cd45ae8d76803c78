//! Limited hosts: no room for large files, no home, no `/tmp`, no permissions; and hosts with very many files.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use super::web;
use crate::cases::HOSTNET;
use crate::support::{not_run, run, text};

const ALL: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec: {targets: [{select: {kind: Deployment}, ports: keep}]}
";

/// Runs `hostnet ARGUMENTS` in a folder, under limits that the shell sets.
fn limited(at: &Path, limits: &str, arguments: &[&str]) -> Output {
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    run(Command::new("sh").current_dir(at).args(["-c", &script, HOSTNET]).args(arguments), b"")
}

fn names(at: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The system kills a run whose file exceeds the size limit; the next run removes the temporary file.
#[test]
fn a_limit_of_file_sizes_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let before = format!("{}# {}\n", web("web", 8080), "x".repeat(9_000));
    std::fs::write(at.join("web.yaml"), &before).unwrap();
    std::fs::write(at.join("hostnet.yaml"), ALL).unwrap();
    let arguments = ["apply", "-c", "hostnet.yaml", "--in-place", "web.yaml"];
    let output = limited(at, "ulimit -f 8", &arguments);
    assert!(!output.status.success());
    assert_eq!(std::fs::read_to_string(at.join("web.yaml")).unwrap(), before);
    let output = limited(at, "true", &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(names(at), ["hostnet.yaml", "web.yaml"]);
}

/// More files change than a process may have open.
#[test]
fn many_files_change_with_few_open() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("hostnet.yaml"), ALL).unwrap();
    std::fs::create_dir(at.join("in")).unwrap();
    for index in 0..600_u16 {
        std::fs::write(at.join(format!("in/{index}.yaml")), web(&format!("web-{index}"), 8080 + index)).unwrap();
    }
    let output = limited(at, "ulimit -n 160", &["apply", "-c", "hostnet.yaml", "--in-place", "in"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(names(&at.join("in")).len(), 600);
    let moved = |index: u16| std::fs::read_to_string(at.join(format!("in/{index}.yaml"))).unwrap();
    assert!((0..600).all(|index| moved(index).contains("hostNetwork: true")));
}

/// An unprivileged user without home, environment variables and `/tmp`, who can only write in the folder with the
/// files.
#[test]
fn an_unprivileged_user_without_a_home_writes_in_place() {
    use std::os::unix::process::CommandExt as _;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("hostnet.yaml"), ALL).unwrap();
    std::fs::write(at.join("web.yaml"), web("web", 8080)).unwrap();
    std::fs::copy(HOSTNET, at.join("hostnet")).unwrap();
    std::fs::set_permissions(at, PermissionsExt::from_mode(0o777)).unwrap();
    let command = |is_nobody: bool| {
        let mut command = Command::new(at.join("hostnet"));
        command.current_dir(at).env_clear().env("HOME", "/nonexistent").env("TMPDIR", "/nonexistent");
        if is_nobody {
            command.uid(65_534).gid(65_534);
        }
        command.args(["apply", "-c", "hostnet.yaml", "--in-place", "web.yaml"]).output()
    };
    let output = match command(true) {
        Err(_) => {
            not_run("only root can run as another user");
            command(false).unwrap()
        }
        Ok(output) => output,
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(std::fs::read_to_string(at.join("web.yaml")).unwrap().contains("hostNetwork: true"));
    assert_eq!(names(at), ["hostnet", "hostnet.yaml", "web.yaml"]);
}

/// A symlink to a folder outside is not followed, and neither is a circular one; a dangling symlink is ignored. A
/// symlink to a file outside is refused, unless that file is also given as a PATH; the symlink is kept.
#[test]
fn links_out_of_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for name in ["in", "out/folder"] {
        std::fs::create_dir_all(at.join(name)).unwrap();
    }
    std::fs::write(at.join("hostnet.yaml"), ALL).unwrap();
    for (name, workload) in [("in/web.yaml", "web"), ("out/file.yaml", "file"), ("out/folder/web.yaml", "folder")] {
        std::fs::write(at.join(name), web(workload, if workload == "web" { 8080 } else { 8081 })).unwrap();
    }
    for (name, target) in
        [("folder", "../out/folder"), ("circle", "."), ("file.yaml", "../out/file.yaml"), ("lost.yaml", "/nonexistent")]
    {
        symlink(target, at.join("in").join(name)).unwrap();
    }
    let output = limited(at, "true", &["apply", "-c", "hostnet.yaml", "--in-place", "in"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("error: in/file.yaml: a symlink that leads out of the given folders"));
    let output = limited(at, "true", &["apply", "-c", "hostnet.yaml", "--in-place", "in", "out/file.yaml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let is_moved = |name: &str| std::fs::read_to_string(at.join(name)).unwrap().contains("hostNetwork: true");
    assert!(is_moved("in/web.yaml") && is_moved("out/file.yaml") && !is_moved("out/folder/web.yaml"));
    assert!(at.join("in/file.yaml").is_symlink());
    assert_eq!(names(&at.join("out")), ["file.yaml", "folder"]);
}

/// Unreadable arguments are errors: a dangling symlink, a folder with the name of a file, a file without content to
/// read.
#[test]
fn an_unreadable_file_leaves_all_files_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("hostnet.yaml"), ALL).unwrap();
    let before = web("web", 8080);
    std::fs::write(at.join("web.yaml"), &before).unwrap();
    std::fs::create_dir(at.join("folder.yaml")).unwrap();
    symlink("/nonexistent", at.join("lost.yaml")).unwrap();
    for second in ["lost.yaml", "folder.yaml", "/proc/self/mem", "web.yaml/x"] {
        let output = limited(at, "true", &["apply", "-c", "hostnet.yaml", "--in-place", "web.yaml", second]);
        assert_eq!(output.status.code(), Some(1), "{second}: {}", text(&output.stderr));
        assert_eq!(std::fs::read_to_string(at.join("web.yaml")).unwrap(), before, "{second}");
    }
}

/// A hundred thousand files in a hundred folders; every hundredth changes.
#[test]
fn a_hundred_thousand_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("hostnet.yaml"), ALL.replace("keep", "auto")).unwrap();
    for index in 0..100_000_u32 {
        let below = at.join(format!("in/{}", index / 1_000));
        if index % 1_000 == 0 {
            std::fs::create_dir_all(&below).unwrap();
        }
        let text = match index % 100 {
            0 => web(&format!("web-{index}"), 8080),
            _ => format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{index}}}\n"),
        };
        std::fs::write(below.join(format!("{index}.yaml")), text).unwrap();
    }
    let output = limited(at, "true", &["apply", "-c", "hostnet.yaml", "--in-place", "in"]);
    let log = text(&output.stderr);
    assert!(output.status.success(), "{log}");
    assert!(log.contains("1000 workloads moved, 1000 ports, 1000 files changed, "), "{log}");
    assert_eq!((0..100).map(|below| names(&at.join(format!("in/{below}"))).len()).sum::<usize>(), 100_000);
}
