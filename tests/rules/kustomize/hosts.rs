//! Host names in texts, which kustomize never renames.

use super::{CALLED, operator, reported_names, stream, webhook};

fn client(host: &str) -> String {
    let client = operator().split("---\n").next().unwrap().replace("manager", "client").replace("ledger", "client");
    client.replace("--webhook-port=9443", &format!("--server=https://{host}:443"))
}

fn reported(host: &str) -> Vec<String> {
    reported_names(CALLED, &stream(&[operator(), client(host), webhook("[system|ops]", "[hook|a-hook]")]))
}

#[test]
fn a_host_with_a_former_name_is_a_warning() {
    let log = reported("hook.system.svc");
    assert!(log.len() == 1, "{log:?}");
    assert!(
        log[0].starts_with("warning: ")
            && log[0].contains("the host hook.system.svc has the former name of Service ops/a-hook"),
        "{log:?}"
    );
}

#[test]
fn other_hosts_are_not_reported() {
    for host in ["a-hook.ops.svc", "hook.elsewhere.svc", "hook.example.com", "other.system.svc"] {
        assert_eq!(reported(host), Vec::<String>::new(), "{host}");
    }
}
