//! `hostnet learn --write`: the new config, and the ports that a run then moves.

use super::{Folder, PFLAG, workload};
use crate::support::run::hostnet;

const LINE: &str = "{container: manager, port: p8443, number: 8443, arg: --listen-port}";

#[test]
fn the_only_workload_of_a_target_gets_its_entry_there() {
    let folder = Folder::new(&[workload("web", "[serve]", &[8443])]);
    let run = folder.learn(&["--write", "shop/web"], PFLAG);
    assert_eq!((run.code, run.text().as_str()), (Some(0), ""), "{}", run.stderr);
    let end = "    bind:\n    - container: manager\n      port: p8443\n      number: 8443\n      arg: --listen-port\n";
    assert_eq!(folder.config(), format!("{}{end}", super::CONFIG));
    let again = folder.learn(&["--write", "shop/web"], PFLAG);
    assert!(again.stderr.contains("0 entries written"), "{}", again.stderr);
    let moved = hostnet(folder.0.path(), &["apply", "-c", "config.yaml", "input.yaml"], b"");
    assert!(moved.code == Some(0) && moved.text().contains("--listen-port=2"), "{}{}", moved.stderr, moved.text());
}

#[test]
fn a_workload_among_others_gets_a_target_of_its_own() {
    let folder = Folder::new(&[workload("web", "[serve]", &[8443]), workload("api", "[serve]", &[8443])]);
    let run = folder.learn(&["--write", "shop/web"], PFLAG);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let own = format!(
        "  - select: {{kind: Deployment, namespace: shop, name: web}}\n    ports: auto\n    bind:\n    - {LINE}\n"
    );
    assert_eq!(folder.config(), super::CONFIG.replace("  # All", &format!("{own}  # All")));
    let moved = hostnet(folder.0.path(), &["apply", "-c", "config.yaml", "input.yaml"], b"");
    assert_eq!(moved.text().matches("--listen-port=2").count(), 1, "only the program of the help: {}", moved.stderr);
}

#[test]
fn a_config_without_space_for_a_target_is_unchanged() {
    let folder = Folder::new(&[workload("web", "[serve]", &[8443]), workload("api", "[serve]", &[8443])]);
    let flow = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec: {targets: [{select: {kind: Deployment}, ports: auto}]}\n";
    std::fs::write(folder.0.path().join("config.yaml"), flow).unwrap();
    let run = folder.learn(&["--write", "shop/web"], PFLAG);
    assert_eq!((run.code, folder.config().as_str()), (Some(1), flow));
    assert!(
        run.stderr.contains("cannot add a target for Deployment shop/web") && run.stderr.contains(LINE),
        "{}",
        run.stderr
    );
}

#[test]
fn a_container_without_arguments_gets_the_variable() {
    let manifest = workload("web", "[serve]", &[8443]).replace(", args: [serve]", "");
    let folder = Folder::new(&[manifest]);
    let run = folder.learn(&["shop/web"], "Flags:\n   --listen-port value  (default: 8443) [$LISTEN_PORT]\n");
    assert_eq!(run.text(), "- {container: manager, port: p8443, number: 8443, env: LISTEN_PORT}\n");
    let run = folder.learn(&["shop/web"], PFLAG);
    assert!(run.stderr.contains("has neither `command` nor `args`, so no flag can be added"), "{}", run.stderr);
}
