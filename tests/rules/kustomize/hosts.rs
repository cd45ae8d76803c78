//! Host names in texts, which kustomize never renames.

use super::{CALLED, names_said, operator, stream, webhook};

fn client(host: &str) -> String {
    let client = operator().split("---\n").next().unwrap().replace("manager", "client").replace("ledger", "client");
    client.replace("--webhook-port=9443", &format!("--server=https://{host}:443"))
}

fn said(host: &str) -> Vec<String> {
    names_said(CALLED, &stream(&[operator(), client(host), webhook("[system|ops]", "[hook|a-hook]")]))
}

#[test]
fn a_host_with_a_former_name_is_a_warning() {
    let said = said("hook.system.svc");
    assert!(said.len() == 1, "{said:?}");
    assert!(
        said[0].starts_with("warning: ")
            && said[0].contains("the host hook.system.svc has the former name of Service ops/a-hook"),
        "{said:?}"
    );
}

#[test]
fn other_hosts_are_not_reported() {
    for host in ["a-hook.ops.svc", "hook.elsewhere.svc", "hook.example.com", "other.system.svc"] {
        assert_eq!(said(host), Vec::<String>::new(), "{host}");
    }
}
