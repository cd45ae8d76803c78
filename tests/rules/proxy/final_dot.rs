//! Names of Services with a final dot, which Go compares literally. Flux writes them: its documents ask for the entry
//! `.cluster.local.` (fluxcd/flux2 v2.7.0 `manifests/bases/source-controller/patch.yaml`).

use super::check::check;
use super::{config, run, settled};
use crate::support::{self, results::brief};
use std::process::Command;

const SPEC: &str = "httpProxy: 'http://p:3128', httpsProxy: 'http://p:3128', case: Upper, targets: [{select: {namespace: flux-system}}]";

/// Deployment of Flux with these arguments.
fn controller(name: &str, args: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {{template: {{spec: {{containers: [{{name: \
         manager, image: 'ghcr.io/fluxcd/{name}:v1.6.2', args: [{args}], env: [{{name: NS, valueFrom: {{fieldRef: {{fieldPath: \
         metadata.namespace}}}}}}]}}]}}}}}}\n---\n"
    )
}

const ADDRESS: &str = "'--storage-adv-addr=source-controller.$(NS).svc.cluster.local.'";

/// The other controllers receive the address in `status`, so that all containers get the entry.
#[test]
fn entry_with_final_dot_is_added() {
    let other = controller("kustomize-controller", "--watch-all-namespaces");
    let (output, log) = settled(SPEC, &(controller("source-controller", ADDRESS) + &other));
    assert_eq!((output.matches(",.cluster.local,.cluster.local.,").count(), log.as_str()), (2, ""), "{output}");
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: flux-system}\ndata: {a.yaml: \"url: http://a.b.svc.cluster.local.:80\\n\"}\n";
    assert!(settled(SPEC, &(other.clone() + map)).0.contains(",.cluster.local.,"));
    for args in
        ["'--addr=http://a.flux-system.svc.cluster.local/'", "'--addr=a.example.com.'", "'--addr=a.b.svc.corp.'"]
    {
        let (output, _) = settled(SPEC, &controller("kustomize-controller", args));
        assert!(output.contains("NO_PROXY") && !output.contains(".local.,") && !output.contains(",.corp"), "{output}");
    }
    let corp = format!("{SPEC}, cluster: {{domain: corp}}");
    assert!(settled(&corp, &controller("c", "'--addr=a.b.svc.corp.'")).0.contains(",.corp,.corp.,"));
}

#[test]
fn an_entry_with_the_dot_is_accepted() {
    assert!(config(&format!("{SPEC}, noProxy: [.cluster.local., example.com.]")).is_ok());
    let official = controller("source-controller", ADDRESS).replace(
        "env: [",
        "env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: NO_PROXY, value: '.cluster.local.,.cluster.local,.svc'}, ",
    );
    assert_eq!(run(SPEC, &official).1, "");
    let mut explain = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    explain.args(["proxy", "explain", "source-controller.flux-system.svc.cluster.local.:80", "--no-proxy"]);
    let output = support::run(explain.arg(".cluster.local."), b"");
    insta::assert_snapshot!(support::text(&output.stdout), @"direct: the entry `.cluster.local.` matches source-controller.flux-system.svc.cluster.local.:80");
}

/// Without the entry, a check shows the route of each such Service of the input.
#[test]
fn a_check_reports_hosts_with_a_final_dot() {
    let manifest = |list: &str| {
        let notifications = "'--events-addr=http://notification-controller.$(NS).svc.cluster.local./'";
        controller("kustomize-controller", notifications).replace(
            "metadata.namespace}}}",
            &format!(
                "metadata.namespace}}}}}}, {{name: HTTP_PROXY, value: 'http://p:3128'}}, {{name: NO_PROXY, value: '{list}'}}"
            ),
        ) + "apiVersion: v1\nkind: Service\nmetadata: {name: notification-controller, namespace: flux-system}\nspec: {ports: [{port: 80}]}\n"
    };
    let (log, code) = check(&[], &manifest(".svc,.cluster.local"));
    insta::assert_snapshot!(log, @"warning: proxy: Deployment flux-system/kustomize-controller, container manager -> Service flux-system/notification-controller notification-controller.flux-system.svc.cluster.local.: no entry matches. Add to NO_PROXY: notification-controller.flux-system.svc.cluster.local. [proxy-reach]");
    assert_eq!(code, Some(0));
    assert_eq!(
        brief(check(&["--strict"], &manifest(".svc,.cluster.local,.cluster.local.")).0).matches("warning").count(),
        0
    );
}
