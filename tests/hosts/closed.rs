//! Closed standard streams: closed output or closed input is an error.
#![cfg(target_os = "linux")]

use crate::cases::{EXAMPLE, HOSTNET};
use crate::support::{project, run, text};
use std::path::Path;
use std::process::{Command, Output};

/// Runs `hostnet ARGUMENTS` with shell redirections.
fn redirected(at: &Path, redirections: &str, arguments: &[&str], stdin: &[u8]) -> Output {
    let mut command = Command::new("sh");
    let script = format!("exec \"$0\" \"$@\" {redirections}");
    run(command.current_dir(at).args(["-c", &script, HOSTNET]).args(arguments), stdin)
}

const APPLY: &[&str] = &["apply", "-c", "hostnet.yaml", "base/crossplane.yaml"];

/// Command lines that print output.
const PRINTING: [&[&str]; 13] = [
    APPLY,
    &["apply", "-c", "hostnet.yaml"],
    &["apply", "-c", "hostnet.yaml", "--diff", "base/crossplane.yaml"],
    &["apply", "-c", "hostnet.yaml", "--diff"],
    &["ports", "-c", "hostnet.yaml", "base/crossplane.yaml"],
    &["ports", "-c", "hostnet.yaml", "-o", "json", "base/crossplane.yaml"],
    &["patch", "-c", "hostnet.yaml", "--as", "flux", "base/crossplane.yaml"],
    &["explain", "crossplane-system/crossplane", "-c", "hostnet.yaml", "base/crossplane.yaml"],
    &["explain", "port-setting"],
    &["catalog"],
    &["schema"],
    &["--help"],
    &["--version"],
];

#[test]
fn closed_output_is_an_error() {
    let at = project().join(EXAMPLE);
    let input = std::fs::read(at.join("base/crossplane.yaml")).unwrap();
    for arguments in PRINTING {
        // Standard output that is closed, or not open for writing.
        for closed in [">&-", "1</dev/null", "1<hostnet.yaml", "<&- >&-"] {
            if closed.starts_with('<') && arguments.len() <= 4 && arguments.contains(&"apply") && arguments != APPLY {
                continue;
            }
            let output = redirected(&at, closed, arguments, &input);
            let log = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{arguments:?} {closed}: {log}");
            assert!(log.contains("standard output"), "{arguments:?} {closed}: {log}");
            if closed.ends_with(">&-") {
                let remedy = "open `/dev/null` only for writing to discard the output, as `>/dev/null` does";
                assert!(log.contains(remedy), "{arguments:?}: {log}");
            }
        }
        for open in [">/dev/null", ">>/dev/null", "2>/dev/null", ">/dev/stdout"] {
            let output = redirected(&at, open, arguments, &input);
            assert!(output.status.success(), "{arguments:?} {open}: {}", text(&output.stderr));
        }
        let full = redirected(&at, ">/dev/full", arguments, &input);
        assert_eq!(full.status.code(), Some(1), "{arguments:?}: {}", text(&full.stderr));
    }
}

#[test]
fn commands_without_output_accept_closed_output() {
    let folder = tempfile::tempdir().unwrap();
    crate::cases::copy(&project().join(EXAMPLE), folder.path());
    let at = folder.path();
    for (arguments, code) in [
        (&["apply", "-c", "hostnet.yaml", "--check", "base/crossplane.yaml"][..], 1),
        (&["patch", "-c", "hostnet.yaml", "--as", "component", "--output-dir", "component", "base/crossplane.yaml"], 0),
        (&["patch", "-c", "hostnet.yaml", "--verify", "want.yaml", "base/crossplane.yaml"], 0),
        (&["pin", "-c", "hostnet.yaml", "base/crossplane.yaml"], 0),
        (&["apply", "-c", "hostnet.yaml", "--in-place", "base/crossplane.yaml"], 0),
        (&["apply", "-c", "hostnet.yaml", "--check", "base/crossplane.yaml"], 0),
    ] {
        let output = redirected(at, ">&-", arguments, b"");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn closed_input_is_an_error_and_not_empty_input() {
    let at = project().join(EXAMPLE);
    let verify = ["patch", "-c", "hostnet.yaml", "--verify", "-", "base/crossplane.yaml"];
    for arguments in [&[][..], &["apply", "-c", "hostnet.yaml"], &["ports", "-c", "hostnet.yaml"], &verify] {
        let output = redirected(&at, "<&-", arguments, b"");
        let log = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()), "{arguments:?}: {log}");
        assert!(log.contains("standard input is closed"), "{arguments:?}: {log}");
        let empty = redirected(&at, "</dev/null", arguments, b"");
        assert_eq!(empty.status.code(), Some(1), "{arguments:?}");
        assert!(text(&empty.stderr).contains("the input is empty"), "{arguments:?}: {}", text(&empty.stderr));
    }
    let output = redirected(&at, "<&-", APPLY, b"");
    assert!(output.status.success(), "files need no standard input: {}", text(&output.stderr));
}

#[test]
fn a_closed_standard_error_changes_no_exit_status() {
    let at = project().join(EXAMPLE);
    let output = redirected(&at, "2>&-", APPLY, b"");
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(text(&output.stdout), std::fs::read_to_string(at.join("want.yaml")).unwrap());
    for arguments in
        [&["apply", "-c", "absent.yaml", "base/crossplane.yaml"][..], &["apply", "-c", "hostnet.yaml", "absent"]]
    {
        for closed in ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
            let output = redirected(&at, closed, arguments, b"");
            assert_eq!(output.status.code(), Some(1), "{arguments:?} {closed}: {}", output.status);
        }
    }
    let usage = redirected(&at, "2>&-", &["--no-such-flag"], b"");
    assert_eq!(usage.status.code(), Some(2), "{}", usage.status);
}
