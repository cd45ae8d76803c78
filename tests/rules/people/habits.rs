//! Terminal conventions of every command: colour only on a terminal, a closed pipe, Ctrl-C, flags of kubectl.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::terminal::screen;
use super::{BLOCKED, called_web, config};
use crate::support::run::{Run, hostnet};

/// One call of each command with output.
const COMMANDS: [&str; 18] = [
    "--help",
    "version",
    "apply -c move.yaml web.yaml",
    "apply -c move.yaml --diff web.yaml",
    "patch -c move.yaml --as kustomization web.yaml",
    "check host.yaml",
    "check -v host.yaml",
    "ports web.yaml",
    "ports -c move.yaml web.yaml",
    "explain -c move.yaml web web.yaml",
    "explain mesh",
    "catalog",
    "schema",
    "charts web.yaml",
    "proxy check proxy.yaml",
    "proxy explain --no-proxy=.svc web.shop.svc",
    "mirror list proxy.yaml",
    "mirror script -c mirror.yaml --tool crane proxy.yaml",
];

/// Commands that wait for standard input.
const READERS: [&str; 6] =
    ["apply -c move.yaml -", "check -", "ports -", "pin -c move.yaml -", "proxy check -", "mirror list -"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("web.yaml", &called_web());
    write("host.yaml", &called_web().replace("    spec:\n", "    spec:\n      hostNetwork: true\n"));
    write("move.yaml", &config("  targets: [{select: {name: web}, ports: auto}]\n"));
    write("proxy.yaml", BLOCKED);
    write(
        "mirror.yaml",
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec: {rules: [{from: xpkg.crossplane.io, to: r.example/x}]}\n",
    );
    folder
}

fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

fn run(folder: &Path, command: &str) -> Run {
    hostnet(folder, &words(command), b"")
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(words(arguments)).current_dir(folder).stderr(Stdio::piped());
    for unset in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(unset);
    }
    command
}

/// Text without colour codes.
fn plain(shown: &str) -> String {
    regex::Regex::new(r"\^\[\[[0-9;]*m").unwrap().replace_all(shown, "").into_owned()
}

#[test]
fn colour_depends_on_the_stream_and_the_flag() {
    let folder = folder();
    for one in COMMANDS {
        let piped = run(folder.path(), one);
        assert!(!piped.text().contains('\u{1b}') && !piped.stderr.contains('\u{1b}'), "{one}");
        let (code, shown) = screen(folder.path(), &words(one), &[], None);
        assert_eq!(code, piped.code, "{one}: {shown}");
        let (_, silent) = screen(folder.path(), &words(one), &[("NO_COLOR", "1")], None);
        assert!(!silent.contains("^[["), "{one}: {silent}");
        assert_eq!(plain(&shown), silent, "{one}");
        let (_, never) = screen(folder.path(), &[&["--color", "never"][..], &words(one)].concat(), &[], None);
        assert!(!never.contains("^[["), "{one}: {never}");
    }
}

#[test]
fn tables_and_reports_have_colour_by_the_flag() {
    let folder = folder();
    for one in [
        "ports web.yaml",
        "ports --all web.yaml",
        "check host.yaml",
        "check -v host.yaml",
        "catalog",
        "proxy check proxy.yaml",
        "mirror list proxy.yaml",
    ] {
        let forced = run(folder.path(), &format!("{one} --color always"));
        assert!(forced.text().contains("\u{1b}[1m"), "{one}: {}", forced.text());
    }
    for one in [
        "check -o json host.yaml",
        "schema",
        "charts web.yaml",
        "ports -o ranges -c move.yaml web.yaml",
        "ports --all -o json web.yaml",
    ] {
        let forced = run(folder.path(), &format!("{one} --color always"));
        assert!(!forced.text().contains('\u{1b}'), "output for programs: {one}");
    }
    let wrong = run(folder.path(), "check --color sometimes host.yaml");
    assert_eq!(wrong.code, Some(2));
}

#[test]
fn a_closed_pipe_gives_no_error_message() {
    let folder = folder();
    for one in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(folder.path(), one).stdin(Stdio::null()).stdout(writer).output().unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(!log.contains("pipe") && !log.contains("standard output"), "{one}: {log}");
        assert_ne!(output.status.code(), Some(2), "{one}: {log} {:?}", output.status);
    }
}

#[test]
fn ctrl_c_ends_a_command_that_waits() {
    let folder = folder();
    for one in READERS {
        // A shell that runs tests in the background makes its programs ignore the signal of Ctrl-C.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_hostnet")]).args(words(one));
        command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let start = Instant::now();
        let status = loop {
            let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            assert!(sent.success() && start.elapsed() < Duration::from_secs(30), "{one}");
            std::thread::sleep(Duration::from_millis(20));
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
        };
        assert_eq!(status.signal(), Some(2), "{one}");
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(printed, "", "{one}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5, "no temporary file remains");
}

/// Flags of other programs, and a word of the tip for each.
#[test]
fn flags_of_other_programs_have_a_tip() {
    let folder = folder();
    for (one, tip) in [
        ("apply --dry-run=server web.yaml", "--diff"),
        ("check -f web.yaml", "as PATH"),
        ("apply -R web.yaml", "as PATH"),
        ("check -n shop web.yaml", "kubectl get -n NAMESPACE"),
        ("check --context prod", "no connection to a cluster"),
        ("apply -k web.yaml", "kustomize build"),
        ("apply --set a=b", "helm template"),
        ("check --fix web.yaml", "--in-place"),
    ] {
        let run = run(folder.path(), one);
        assert_eq!(run.code, Some(2), "{one}");
        assert!(run.stderr.contains("  tip: ") && run.stderr.contains(tip), "{one}: {}", run.stderr);
    }
    let other = run(folder.path(), "check --unheard web.yaml");
    assert!(!other.stderr.contains("PATH: `"), "{}", other.stderr);
}

#[test]
fn a_url_is_not_a_path() {
    let folder = folder();
    for one in ["check", "apply -c move.yaml", "mirror list"] {
        let url = run(folder.path(), &format!("{one} https://a.example/$(x).yaml"));
        assert_eq!(url.code, Some(2), "{one}");
        assert!(url.stderr.contains("`curl -sSfL 'https://a.example/$(x).yaml' | hostnet "), "{one}: {}", url.stderr);
    }
    std::fs::create_dir_all(folder.path().join("https:/a")).unwrap();
    std::fs::write(folder.path().join("https:/a/web.yaml"), called_web()).unwrap();
    assert_eq!(run(folder.path(), "check https://a/web.yaml").code, Some(0), "a folder of this name");
}

#[test]
fn flags_of_check_win_over_its_config() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "check.yaml",
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nmetadata: {name: c}\nspec: {apiServer: Outside}\n",
    );
    let reports = |arguments: &str| run(folder.path(), arguments).text().contains("[port-called]");
    assert!(!reports("check web.yaml"));
    assert!(reports("check --api-server outside web.yaml"));
    assert!(reports("check -c check.yaml web.yaml"));
    assert!(!reports("check -c check.yaml --api-server inside web.yaml"));
    let quiet = run(folder.path(), "check -q --api-server outside web.yaml");
    assert!(
        quiet.code == Some(1) && quiet.text().starts_with("error: ") && quiet.stderr.is_empty(),
        "{}",
        quiet.text()
    );
    let nothing = run(folder.path(), "check -q web.yaml");
    assert_eq!((nothing.code, nothing.text().as_str(), nothing.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(run(folder.path(), "check --kruise latest web.yaml").code, Some(2));
}
