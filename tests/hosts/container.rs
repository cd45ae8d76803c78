//! The image without a container engine: the static binary alone in an empty root, as an unprivileged user, without
//! network.
//!
//! `make test` builds the binary and sets `HOSTNET_STATIC_BIN` to its path.

// Helper functions may panic like the tests themselves; clippy.toml only excuses functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::support;
use crate::support::example;

use example::resource_list;
use std::path::PathBuf;
use std::process::Command;
use support::{find_program, not_run, project, run, text};

pub(crate) fn static_binary() -> Option<PathBuf> {
    let Some(binary) = std::env::var_os("HOSTNET_STATIC_BIN") else {
        not_run("HOSTNET_STATIC_BIN names no static binary (`make test` builds one)");
        return None;
    };
    let binary = PathBuf::from(binary);
    assert!(binary.is_file(), "{} is missing: run `make static`", binary.display());
    Some(binary)
}

/// A dynamic binary has an INTERP program header, or NEEDED entries in its dynamic section.
#[test]
fn the_binary_is_static() {
    let Some(binary) = static_binary() else { return };
    let Some(readelf) = find_program("readelf") else {
        return not_run("readelf (binutils) is missing");
    };
    let output = run(Command::new(readelf).args(["--wide", "--program-headers", "--dynamic"]).arg(binary), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let headers = text(&output.stdout);
    assert!(headers.contains("LOAD"), "{headers}");
    assert!(!headers.contains("INTERP") && !headers.contains("NEEDED"), "{headers}");
}

#[test]
fn the_binary_runs_unprivileged_in_an_empty_root() {
    let Some(binary) = static_binary() else { return };
    let (Some(unshare), Some(_)) = (find_program("unshare"), find_program("chroot")) else {
        return not_run("unshare (util-linux) or chroot (coreutils) is missing");
    };
    let root = tempfile::tempdir().unwrap();
    let inside = root.path().join("hostnet");
    std::fs::copy(binary, &inside).unwrap();
    // As in the image: readable for all users, and not writable.
    run(Command::new("chmod").arg("0555").args([root.path(), &inside]), b"");
    let chroot = |arguments: &[&str], input: &[u8]| {
        let mut command = Command::new(&unshare);
        command.args(["--net", "chroot", "--userspec=65534:65534"]).arg(root.path()).arg("/hostnet");
        // Without HOME, PATH and TMPDIR, because the image sets no variables.
        run(command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").args(arguments), input)
    };
    let version = chroot(&["--version"], b"");
    if !version.status.success() && text(&version.stderr).contains("not permitted") {
        return not_run(&format!("an empty root needs root's rights: {}", text(&version.stderr).trim()));
    }
    assert!(version.status.success(), "{}", text(&version.stderr));
    let output = chroot(&[], resource_list().as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let moved = text(&output.stdout);
    assert_eq!(moved.matches("hostPort: 20").count(), 3, "{moved}");
    assert!(moved.contains("\nresults:\n"), "{moved}");
    let refused = chroot(&[], resource_list().replace("20443", "70000").as_bytes());
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("70000"), "{}", text(&refused.stderr));
}

/// The last stage of the Dockerfile, compared as text because no container engine is available.
#[test]
fn the_dockerfile_ends_in_a_minimal_image() {
    let file = std::fs::read_to_string(project().join("Dockerfile")).unwrap();
    let last_stage = file.rsplit("\nFROM ").next().unwrap();
    insta::assert_snapshot!(last_stage, @r#"
    scratch
    COPY --from=builder /hostnet /hostnet
    USER 65534:65534
    ENTRYPOINT ["/hostnet"]
    "#);
}
