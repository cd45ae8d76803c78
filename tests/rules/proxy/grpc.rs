//! Runs a real grpc-go, server, DNS server and proxy in a separate network, and calls a function with the list that
//! hostnet writes.
//!
//! With `HOSTNET_SLOW=1`, as in `make referees`, it runs every version that a release of Crossplane is built with.

use std::fmt::Write as _;
use std::process::Command;

use hostnet::catalog::{Compares, GRPC_VERSIONS};

use super::settled;
use crate::support::{find_program, judged, not_run, run, runs_slow_tests, text};

const FUNCTION: &str = "function-x.crossplane-system:9443";
const PODS: &str = "10.244.0.0/16";

/// The versions whose programs `make tools` builds; with `HOSTNET_SLOW=1` every version of a release.
fn versions() -> Vec<&'static str> {
    if runs_slow_tests("calls of functions by every version of grpc-go that a Crossplane has") {
        return vec!["v1.68.0", "v1.71.1", "v1.72.1", "v1.78.0", "v1.80.0", "v1.82.1"];
    }
    vec!["v1.68.0", "v1.82.1"]
}

/// The request that the proxy received, or an empty text for a direct call.
fn seen(version: &str, no_proxy: &str) -> Option<String> {
    let Some(program) = find_program(&format!("grpc-{version}")) else {
        not_run(&format!("grpc-{version} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let output = run(Command::new(program).args(["http://127.0.0.1:3128", no_proxy, FUNCTION]), b"");
    let log = text(&output.stdout);
    match output.status.code() {
        Some(0) => {
            let first = log.lines().next().unwrap_or_default();
            let (_, how) = first.split_once(' ').unwrap();
            if how != "direct" {
                assert!(
                    log.contains("failed to do connect handshake"),
                    "the error at the start of the page of proxy-reach: {log}"
                );
            }
            Some(how.strip_prefix("proxy ").unwrap_or_default().to_owned())
        }
        Some(3) => {
            not_run(&format!("a network of its own is not allowed here: {}", text(&output.stderr)));
            None
        }
        _ => panic!("grpc-{version}: {}", text(&output.stderr)),
    }
}

/// The list that hostnet writes for a core with this grpc-go, as the kubelet expands it.
fn written(crossplane: &str) -> String {
    let manifest = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec: {{template: {{spec: {{containers: \
         [{{name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:{crossplane}', args: [core, start]}}]}}}}}}\n"
    );
    let spec = format!(
        "httpsProxy: 'http://127.0.0.1:3128', cluster: {{pods: [{PODS}]}}, targets: [{{select: {{name: crossplane}}}}]"
    );
    let (output, log) = settled(&spec, &manifest);
    let list = output.split_once("{name: NO_PROXY, value: \"").unwrap_or_else(|| panic!("{output}{log}")).1;
    list.split('"').next().unwrap().replace("$(KUBERNETES_SERVICE_HOST)", "10.96.0.1")
}

#[test]
fn a_function_is_called_by_proxy_only_without_the_needed_entry() {
    for version in versions() {
        let row = GRPC_VERSIONS.iter().find(|row| row.grpc == version).unwrap();
        let list = written(row.crossplane[0]);
        let Some(saw) = seen(version, &list) else { return };
        assert_eq!(saw, "", "grpc-go {version}, {list}");
        let (needed, connect) = match row.compares {
            Compares::Addresses => (PODS, "CONNECT 10.244.1.7:9443"),
            Compares::Names => (".crossplane-system", "CONNECT function-x.crossplane-system:9443"),
        };
        let without: Vec<&str> = list.split(',').filter(|entry| *entry != needed).collect();
        assert_eq!(seen(version, &without.join(",")), Some(connect.to_owned()), "grpc-go {version}");
        judged(&format!("grpc-go {version}"), "calls of a function with the written list, and with one entry less", 0);
    }
}

/// The table of the page, with the answers of real grpc-go.
#[test]
fn the_table_of_entries_matches_grpc() {
    let entries = [
        PODS,
        "10.244.1.7",
        ".crossplane-system",
        "crossplane-system",
        "*.crossplane-system",
        "function-x.crossplane-system",
        FUNCTION,
        "function-x",
        ".svc",
        ".svc.cluster.local",
        ".cluster.local",
        "function-x.crossplane-system:443",
    ];
    let mut table = String::from("entry | compares addresses | compares names\n");
    for entry in entries {
        let mut by = Vec::new();
        for version in versions() {
            let row = GRPC_VERSIONS.iter().find(|row| row.grpc == version).unwrap();
            let Some(saw) = seen(version, entry) else { return };
            let how = if saw.is_empty() { "direct" } else { "proxy" };
            match by.iter().find(|(compares, _)| *compares == row.compares) {
                Some((_, known)) => assert_eq!(*known, how, "{version} {entry}"),
                None => by.push((row.compares, how)),
            }
        }
        writeln!(table, "{entry} | {} | {}", by[0].1, by[1].1).unwrap();
    }
    insta::assert_snapshot!(table, @r#"
        entry | compares addresses | compares names
        10.244.0.0/16 | direct | proxy
        10.244.1.7 | direct | proxy
        .crossplane-system | proxy | direct
        crossplane-system | proxy | direct
        *.crossplane-system | proxy | direct
        function-x.crossplane-system | proxy | direct
        function-x.crossplane-system:9443 | proxy | direct
        function-x | proxy | proxy
        .svc | proxy | proxy
        .svc.cluster.local | proxy | proxy
        .cluster.local | proxy | proxy
        function-x.crossplane-system:443 | proxy | proxy
    "#);
}
