//! Rule `host-name`.

use super::{reported, workload};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn set(kind: &str, container: &str) -> String {
    workload(kind, "web", &format!("{{hostNetwork: true, containers: [{{name: web, {container}}}]}}"))
}

const ORDINAL: &str = "command: [sh, -c, 'id=${HOSTNAME##*-}; run $id']";

#[test]
fn a_stateful_set_that_reads_its_host_name() {
    assert_snapshot!(brief(reported("host-name", &set("StatefulSet", ORDINAL))), @"warning: host-name StatefulSet shop/web spec.template.spec.containers[0].command[2] (a.yaml:7:74)");
}

#[test]
fn fields_that_give_a_host_name() {
    let spec = "{hostNetwork: true, hostname: web, setHostnameAsFQDN: true}";
    assert_snapshot!(worded(reported("host-name", &workload("Deployment", "web", spec))), @"
    warning: a.yaml:7:41: Deployment shop/web: spec.template.spec.hostname is `web`, and on the host network the host name is the node's: no process gets this value; the DNS record is unchanged. Give the name by a variable, and remove the field if no DNS record needs it
    warning: a.yaml:7:65: Deployment shop/web: spec.template.spec.setHostnameAsFQDN is `true`, and on the host network the host name is the node's: no process gets this value. Give the name by a variable, and remove the field
    ");
}

#[test]
fn the_name_by_a_variable_and_the_pod_network_are_not_reported() {
    let field = "valueFrom: {fieldRef: {fieldPath: metadata.name}}";
    assert_eq!(
        reported("host-name", &set("StatefulSet", &format!("{ORDINAL}, env: [{{name: HOSTNAME, {field}}}]"))),
        ""
    );
    assert_eq!(
        reported(
            "host-name",
            &set("StatefulSet", &format!("command: [run, $(POD_NAME)], env: [{{name: POD_NAME, {field}}}]"))
        ),
        ""
    );
    assert_eq!(reported("host-name", &set("Deployment", ORDINAL)), "");
    assert_eq!(
        reported("host-name", &set("StatefulSet", ORDINAL).replace("hostNetwork: true", "hostNetwork: false")),
        ""
    );
    assert_eq!(
        reported("host-name", &workload("Deployment", "web", "{hostNetwork: true, setHostnameAsFQDN: false}")),
        ""
    );
}

/// The owner gives a Pod its name and the records of its Service, as `StatefulSets` and indexed Jobs do.
#[test]
fn a_pod_has_its_name_from_its_owner() {
    let pod = |owner: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: web-0, namespace: shop{owner}}}\nspec: {{hostNetwork: true, hostname: web-0, subdomain: \
             web, containers: []}}\n"
        )
    };
    let owner = ", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: a, controller: true}]";
    assert_eq!(reported("host-name", &pod(owner)), "");
    assert_eq!(reported("host-name", &pod("")).lines().count(), 2);
}
