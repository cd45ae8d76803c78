//! Jobs and Pods with the labels of a Deployment: they are endpoints of its Service only if they declare a port of the
//! Service.

use super::{ALL, changes, explained, neighbour, ports};
use crate::support::results::worded;
use insta::assert_snapshot;

const SERVICE: &str = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, \
                       ports: [{port: 80, targetPort: 8080}]}\n";

/// A Job or Pod whose pods have the labels of Deployment `web`.
fn worker(kind: &str, container: &str) -> String {
    let pods = format!("labels: {{app: web}}}}, spec: {{containers: [{container}]}}");
    match kind {
        "Pod" => format!("---\n{{apiVersion: v1, kind: Pod, metadata: {{name: work, namespace: shop, {pods}}}\n"),
        _ => format!(
            "---\n{{apiVersion: batch/v1, kind: {kind}, metadata: {{name: work, namespace: shop}}, spec: {{template: {{metadata: \
             {{{pods}}}}}}}\n"
        ),
    }
}

/// The changes when Deployment `web` moves next to a Job or Pod.
fn changes_next_to(worker: &str) -> String {
    changes(&ports("{http: 20080}"), &format!("{}{SERVICE}{worker}", neighbour("web", "web")))
}

#[test]
fn a_target_port_moves_next_to_a_job_without_ports() {
    let moved = changes_next_to("");
    // The target port becomes the name of the moved port.
    assert_snapshot!(moved, @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:20080], ports: [{name: http, containerPort: 20080, hostPort: 20080}]}
    -spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
    +spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
    ");
    for kind in ["Job", "Pod"] {
        assert_eq!(changes_next_to(&worker(kind, "{name: migrate}")), moved, "{kind}");
        assert_eq!(changes_next_to(&worker(kind, "{name: migrate, ports: [{containerPort: 9000}]}")), moved, "{kind}");
    }
}

#[test]
fn a_job_that_declares_the_port_is_an_endpoint() {
    for kind in ["Job", "Pod"] {
        let log = changes_next_to(&worker(kind, "{name: batch, ports: [{containerPort: 8080}]}"));
        assert!(log.contains("not all of them move to 20080"), "{kind}: {log}");
    }
}

#[test]
fn a_pod_that_is_the_only_endpoint_counts() {
    let pod = worker("Pod", "{name: web, args: ['--listen=:8080']}");
    let manifest = format!("{}{SERVICE}", pod.trim_start_matches("---\n"));
    assert_snapshot!(explained(ALL, &manifest).join("\n"), @"
    shop/Pod/work/listen listens on 22199 (other), which was not declared [port-declared]
    shop/Pod/work/listen --listen 8080 -> 22199 [port-setting]
    shop/Pod/work/listen Service shop/web spec.ports[0].targetPort 8080 -> listen [service-target]
    ");
}

/// For the Job, the Service leads to another workload, so `APP_PORT` is a setting of a client.
#[test]
fn the_service_name_is_another_host_for_a_job() {
    let env = "env: [{name: APP_HOST, value: web}, {name: APP_PORT, value: '8080'}]";
    let job = worker("Job", &format!("{{name: work, {env}, livenessProbe: {{httpGet: {{port: 8080}}}}}}"));
    let manifest = format!("{}{SERVICE}{job}", neighbour("web", "web"));
    let spec = "{targets: [{select: {kind: Job}, ports: auto}]}";
    assert_snapshot!(worded(changes(spec, &manifest)), @r#"
    -{apiVersion: batch/v1, kind: Job, metadata: {name: work, namespace: shop}, spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: work, env: [{name: APP_HOST, value: web}, {name: APP_PORT, value: '8080'}], livenessProbe: {httpGet: {port: 8080}}}]}}}}
    +{apiVersion: batch/v1, kind: Job, metadata: {name: work, namespace: shop}, spec: {template: {metadata: {labels: {app: web}}, spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: work, ports: [{name: health, containerPort: 8080, hostPort: 8080}], env: [{name: APP_HOST, value: web}, {name: APP_PORT, value: '8080'}], livenessProbe: {httpGet: {port: 8080}}}]}}}}
    warning: standard input:17:146: Job shop/work, container work, port health (8080): keeps its number: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: work, port: health, number: 8080, env: NAME_8080}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-setting]
    "#);
}
