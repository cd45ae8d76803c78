//! Rule `host-name`: pods that lose a host name that they use.

use super::{ALL, changes, deployment_named};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn reported(manifest: &str) -> String {
    changes(ALL, manifest)
        .lines()
        .filter(|line| line.ends_with("[host-name]"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn set() -> String {
    let command = "command: [sh, -c, 'id=${HOSTNAME##*-}; run $id'], args";
    deployment_named("web", 8080, true).replace("kind: Deployment", "kind: StatefulSet").replacen("args", command, 1)
}

#[test]
fn a_moved_stateful_set_that_uses_its_host_name_is_reported() {
    assert_snapshot!(worded(reported(&set())), @"warning: standard input:10:39: StatefulSet shop/web: spec.template.spec.containers[0].command[2] uses the host name, which on the host network is the node's and not the pod's. Set the pod's name in a variable: `{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}` [host-name]");
    let variable = "env: [{name: HOSTNAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}], command";
    assert_eq!(reported(&set().replacen("command", variable, 1)), "");
    assert_eq!(reported(&set().replace("StatefulSet", "Deployment")), "");
}

/// The ordinal of a database is mostly read by an init container, or by a script of a ConfigMap.
#[test]
fn init_containers_and_mounted_scripts_that_read_the_host_name() {
    let init =
        "initContainers: [{name: id, image: a/id:v1, command: [bash, -c, '[[ `hostname` =~ -([0-9]+)$ ]] || exit 1']}]";
    let web = deployment_named("web", 8080, true).replace("kind: Deployment", "kind: StatefulSet");
    let with_init = web.replace("    spec:\n", &format!("    spec:\n      {init}\n"));
    assert_snapshot!(brief(reported(&with_init)), @"warning: host-name StatefulSet shop/web spec.template.spec.initContainers[0].command[2] (9:71)");
    let script = |key: &str, text: &str| {
        let volume = "volumes: [{name: run, configMap: {name: run}}]";
        let mounted = web.replace("    spec:\n", &format!("    spec:\n      {volume}\n")).replacen(
            "args",
            "volumeMounts: [{name: run, mountPath: /run}], args",
            1,
        );
        let map = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: run, namespace: shop}}\ndata:\n  {key}: |\n{text}"
        );
        reported(&format!("{mounted}---\n{map}"))
    };
    let reads = "    #!/bin/bash\n    # $HOSTNAME\n    id=${HOSTNAME##*-}\n";
    assert_snapshot!(worded(script("run", reads)), @"warning: standard input:11:35: StatefulSet shop/web: the mounted script `run` (line 3 of ConfigMap `run`) uses the host name, which on the host network is the node's and not the pod's. Set the pod's name in a variable: `{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}` [host-name]");
    assert_ne!(script("run.sh", "    id=$(uname -n)\n"), "");
    assert_eq!(script("notes.txt", "    id=$(uname -n)\n"), "");
    assert_eq!(script("run.sh", "    HOSTNAME=$POD_NAME\n    id=${HOSTNAME##*-}\n"), "");
    // Pods of a Deployment have no stable name.
    assert_eq!(reported(&with_init.replace("StatefulSet", "Deployment")), "");
}

#[test]
fn fields_that_give_a_host_name() {
    let web = deployment_named("web", 8080, true);
    assert_snapshot!(brief(reported(&web.replace("    spec:\n", "    spec:\n      subdomain: web\n"))), @"warning: host-name Deployment shop/web spec.template.spec.subdomain (9:18)");
    assert_eq!(reported(&web), "");
    // A pod on the host network has already lost that name.
    let here = web.replace("    spec:\n", "    spec:\n      hostNetwork: true\n      subdomain: web\n");
    assert_eq!(reported(&here), "");
}
