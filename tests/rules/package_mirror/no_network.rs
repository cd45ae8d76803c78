//! Commands that open no connection run without any network.

use std::process::Command;

use crate::support::{find_program, not_run, project, run, text};

#[test]
fn commands_that_need_no_network_run_without_one() {
    let Some(unshare) = find_program("unshare") else { return not_run("unshare is missing") };
    let without = |arguments: &[&str], stdin: &[u8]| {
        let mut command = Command::new(&unshare);
        command.args(["--map-root-user", "--net"]).arg(env!("CARGO_BIN_EXE_hostnet")).args(arguments);
        run(command.current_dir(project().join("examples/private-mirror")), stdin)
    };
    let probe = run(Command::new(&unshare).args(["--map-root-user", "--net", "true"]), b"");
    if !probe.status.success() {
        return not_run(&format!("this machine makes no network namespace: {}", text(&probe.stderr)));
    }
    let manifests = "base/crossplane.yaml";
    for arguments in [
        &["apply", "-c", "hostnet.yaml", manifests][..],
        &["mirror", "list", "-c", "hostnet.yaml", manifests],
        &["mirror", "script", "-c", "hostnet.yaml", "--tool", "crane", manifests],
        &["mirror", "node-config", "-c", "hostnet.yaml", "--http", "registry.example.com"],
    ] {
        let output = without(arguments, b"");
        assert!(output.status.success() && !output.stdout.is_empty(), "{arguments:?}: {}", text(&output.stderr));
    }
    let list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n";
    let output = without(&[], list.as_bytes());
    assert!(text(&output.stdout).contains("kind: ResourceList"), "{}", text(&output.stderr));
    // A command that needs the network fails.
    let output = without(&["mirror", "verify", "127.0.0.1:5000/o/p:v1"], b"");
    assert_eq!(output.status.code(), Some(1));
}
