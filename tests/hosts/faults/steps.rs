//! Injects a fault at every step of a run, in a separate run for each step.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::traced::{Fault, traced};
use super::tree::{Writing, hostnet, is_passing, tree};
use super::web;
use crate::support::text;

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec:
  targets:
  - {select: {name: a}, ports: {http: 20001}}
  - {select: {name: b}, ports: {http: 20002}}
  - {select: {name: c}, ports: {http: 20003}}
";

const ENOSPC: i32 = 28;
const EIO: i32 = 5;
const EMFILE: i32 = 24;

/// Three files that change, in three folders and with different modes, one of them through a symlink; a file that does
/// not change, and the config.
fn manifests(at: &Path) {
    let mode = |name: &str, mode| std::fs::set_permissions(at.join(name), PermissionsExt::from_mode(mode)).unwrap();
    for folder in ["in/sub", "elsewhere"] {
        std::fs::create_dir_all(at.join(folder)).unwrap();
    }
    std::fs::write(at.join("hostnet.yaml"), CONFIG).unwrap();
    std::fs::write(at.join("in/a.yaml"), web("a", 8080)).unwrap();
    std::fs::write(at.join("in/sub/b.yaml"), web("b", 8080)).unwrap();
    std::fs::write(at.join("elsewhere/c.yaml"), web("c", 8080)).unwrap();
    std::fs::write(at.join("in/stays.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stays}\n").unwrap();
    symlink("../elsewhere/c.yaml", at.join("in/link.yaml")).unwrap();
    mode("in/a.yaml", 0o640);
    mode("in/sub/b.yaml", 0o4755);
}

fn in_place() -> Writing {
    Writing::new(&["apply", "-c", "hostnet.yaml", "--in-place", "in", "elsewhere/c.yaml"], manifests)
}

/// Returns the other commands that write files.
fn others() -> [Writing; 4] {
    fn pinned(at: &Path) {
        manifests(at);
        let auto = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec:\n  targets:\n  - select: {kind: Deployment}\n    ports: auto\n";
        std::fs::write(at.join("hostnet.yaml"), auto).unwrap();
    }
    fn patched(at: &Path) {
        manifests(at);
        std::fs::create_dir(at.join("patches")).unwrap();
    }
    fn reported(at: &Path) {
        manifests(at);
        std::fs::write(at.join("report.json"), "the last report\n").unwrap();
    }
    fn called(at: &Path) {
        std::fs::create_dir(at.join("in")).unwrap();
        let webhook = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks: [{name: a.b.c, clientConfig: {service: {name: a, namespace: shop}}}]\n---\napiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\nspec: {selector: {app: a}, ports: [{port: 443, targetPort: http}]}\n";
        std::fs::write(at.join("in/a.yaml"), web("a", 8080) + webhook).unwrap();
    }
    [
        Writing::new(&["pin", "-c", "hostnet.yaml", "in"], pinned),
        Writing::new(&["patch", "-c", "hostnet.yaml", "--as", "component", "--output-dir", "patches", "in"], patched),
        Writing::new(&["check", "-o", "sarif=report.json", "in"], reported),
        Writing::new(&["init", "--to", "made.yaml", "in"], called),
    ]
}

/// Kills a run at every `stride`-th step: each file is old or new, and the next run finishes the work and removes
/// temporary files.
fn killed(writing: &Writing, signal: i32, stride: usize) {
    let (mut left, mut part) = (0, 0);
    for step in (1..).step_by(stride) {
        let folder = writing.folder();
        let at = folder.path();
        let Some(run) = traced(at, ".yaml", step, &Fault::Kill(signal), writing.arguments, b"") else { return };
        let of = format!("{:?}, signal {signal} at step {step} ({:?})", writing.arguments, run.call);
        let written = writing.written(at, &of);
        if run.call.is_none() {
            assert!(run.output.status.success() && step > 10, "{of}");
            break;
        }
        assert_eq!(run.output.status.code(), Some(128 + signal), "{of}");
        left += tree(at).keys().filter(|name| is_passing(name)).count();
        part += usize::from(!written.is_empty() && written.len() < writing.changes());
        let again = hostnet(at, writing.arguments);
        // `init` does not overwrite its file.
        let is_done = written.len() == writing.changes() && writing.arguments[0] == "init";
        assert!(again.status.success() || is_done, "{of}: {}", text(&again.stderr));
        assert_eq!(tree(at), writing.after, "{of}, and a run after it");
    }
    assert!(left > 0, "{:?}: no run was killed while a temporary file existed", writing.arguments);
    assert!(part > 0 || writing.changes() == 1, "{:?}: no run was killed between two files", writing.arguments);
}

#[test]
fn killed_at_any_step_each_file_is_old_or_new() {
    let writing = in_place();
    assert_eq!(writing.changes(), 4, "three files, and one of them by two names");
    killed(&writing, 9, 1);
    killed(&writing, 15, 3);
}

#[test]
fn killed_while_another_command_writes_each_file_is_old_or_new() {
    for writing in others() {
        killed(&writing, 9, 1);
    }
}

/// Fails a system call at each step: the run fails and names the new files, or it succeeds completely.
fn failed(writing: &Writing, error: i32) {
    let mut refused = 0;
    for step in 1.. {
        let folder = writing.folder();
        let at = folder.path();
        let Some(run) = traced(at, ".yaml", step, &Fault::Fail(error), writing.arguments, b"") else { return };
        let log = text(&run.output.stderr);
        let of = format!("{:?}, error {error} at step {step} ({:?})\n{log}", writing.arguments, run.call);
        let written = writing.written(at, &of);
        if run.output.status.success() {
            assert_eq!(written.len(), writing.changes(), "{of}: some files are not written");
        } else {
            refused += 1;
            assert_eq!(run.output.status.code(), Some(1), "{of}");
        }
        if run.call.is_none() {
            break;
        }
        let again = hostnet(at, writing.arguments);
        let is_done = written.len() == writing.changes() && writing.arguments[0] == "init";
        assert!(again.status.success() || is_done, "{of}: {}", text(&again.stderr));
        assert_eq!(tree(at), writing.after, "{of}, and a run after it");
    }
    assert!(refused > 3, "{:?}: {refused} errors were noticed", writing.arguments);
}

#[test]
fn a_disk_that_is_full_at_any_step_leaves_each_file_whole() {
    failed(&in_place(), ENOSPC);
    for writing in others() {
        failed(&writing, ENOSPC);
    }
}

#[test]
fn an_error_at_any_step_leaves_each_file_whole() {
    for error in [EIO, EMFILE] {
        failed(&in_place(), error);
    }
}

/// A run that fails after it replaced the first file names the files that are new.
#[test]
fn a_run_that_stops_between_two_files_names_those_that_are_new() {
    let (writing, mut between) = (in_place(), 0);
    for step in 1.. {
        let folder = writing.folder();
        let Some(run) = traced(folder.path(), ".yaml", step, &Fault::Fail(EIO), writing.arguments, b"") else { return };
        if run.call.is_none() {
            break;
        }
        let (log, written) = (text(&run.output.stderr), writing.written(folder.path(), "between"));
        if run.output.status.success() || written.is_empty() || written.len() == writing.changes() {
            continue;
        }
        between += 1;
        let (_, complete) = log.split_once("already changed, and complete: ").unwrap_or_else(|| panic!("{log}"));
        for name in written.iter().filter(|name| !name.starts_with("elsewhere")) {
            assert!(complete.contains(name), "{name}: {log}");
        }
    }
    assert!(between > 0);
}

/// A run from standard input to standard output has exit code 0 only if the output is complete.
#[test]
fn a_stream_that_breaks_at_any_step_is_an_error() {
    let at = tempfile::tempdir().unwrap();
    manifests(at.path());
    let input = web("a", 8080).repeat(40).replace("apiVersion", "---\napiVersion");
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec: {targets: [{select: {name: b}}], unmatched: Ignore}\n";
    std::fs::write(at.path().join("hostnet.yaml"), config).unwrap();
    let arguments = ["apply", "-c", "hostnet.yaml"];
    for error in [EIO, ENOSPC] {
        let mut refused = 0;
        for step in 1.. {
            let fault = Fault::Fail(error);
            let Some(run) = traced(at.path(), "hostnet.yaml", step, &fault, &arguments, input.as_bytes()) else {
                return;
            };
            let log = text(&run.output.stderr);
            if run.output.status.success() {
                assert_eq!(text(&run.output.stdout), input, "step {step} ({:?}): {log}", run.call);
            } else {
                refused += 1;
                assert_eq!(run.output.status.code(), Some(1), "step {step} ({:?}): {log}", run.call);
            }
            if run.call.is_none() {
                break;
            }
        }
        assert!(refused >= 4, "{refused} errors were noticed");
    }
}

/// If another program writes a file while a run reads, edits and replaces it, that program's version is kept; only a
/// write immediately before the rename is lost.
#[test]
fn a_file_that_changes_under_a_run_is_not_overwritten() {
    let writing = in_place();
    let append = "echo '# by somebody else' >>in/a.yaml";
    let replace = "cp in/a.yaml other && echo '# by somebody else' >>other && mv other in/a.yaml";
    for command in [append, replace] {
        let (mut lost, mut refused) = (Vec::new(), 0);
        for step in 1.. {
            let folder = writing.folder();
            let fault = Fault::Meanwhile(command.to_owned());
            let Some(run) = traced(folder.path(), ".yaml", step, &fault, writing.arguments, b"") else { return };
            if run.call.is_none() {
                break;
            }
            let now = std::fs::read_to_string(folder.path().join("in/a.yaml")).unwrap();
            let log = text(&run.output.stderr);
            if !now.ends_with("# by somebody else\n") {
                lost.push(run.call);
            }
            if !run.output.status.success() {
                refused += 1;
                assert!(log.contains("in/a.yaml: the file changed while this program ran"), "step {step}: {log}");
            }
        }
        assert!(lost.len() <= 1, "{command}: lost before {lost:?}");
        assert!(refused > 3, "{command}: {refused}");
    }
}
