//! Rule `port-assigned`: automatic numbers that `assigned` does not contain.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{ALL, all_and, changes, deployment_named, infos, numbers, stream};

#[test]
fn a_number_that_is_not_recorded_is_reported() {
    let web = deployment_named("web", 8080, true);
    assert_snapshot!(worded(infos(ALL, &web, "port-assigned")), @"info: Deployment shop/web, container web, port http (8080): 26657 is chosen, not recorded; `hostnet pin` writes it into `assigned` [port-assigned]");
    assert_snapshot!(infos(&all_and("assigned: {shop/Deployment/web/http: 20443}"), &web, "port-assigned"), @"");
    assert_snapshot!(worded(changes(&all_and("requireAssigned: true"), &web)), @"error: standard input:10:50: Deployment shop/web, container web, port http (8080) has no number in `assigned`, and `requireAssigned` at hostnet.yaml:1:125 forbids to choose one. Run `hostnet pin`, or write `shop/Deployment/web/http: 26657` under `assigned` [port-assigned]");
    assert_snapshot!(numbers(&all_and("requireAssigned: true, assigned: {shop/Deployment/web/http: 20443}"), &web), @"shop/Deployment/web/http 8080 -> 20443 Assigned");
    // A listener that keeps its number needs no record, and `pin` would not add one.
    let stuck = stream([web.replace("8080}]}", "8080}], livenessProbe: {exec: {command: [nc, -z, web, '8080']}}}")]);
    assert_snapshot!(worded(numbers(&all_and("requireAssigned: true"), &stuck)), @"
    shop/Deployment/web/http 8080
    warning: standard input:10:132: Deployment shop/web, container web, port http (8080): cannot move to 26657: Deployment shop/web at spec.template.spec.containers[0].livenessProbe.exec.command[3] refers to 8080 and cannot be changed: `8080` contains the port in a form that hostnet does not edit. It keeps 8080. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-reference]
    ");
    assert_snapshot!(brief(numbers(&all_and("requireAssigned: true"), &deployment_named("web", 9443, false))), @r#"
    shop/Deployment/web/http 9443
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (10:29, 9443)
    "#);
}

/// All keys without a listener have a single message.
#[test]
fn keys_that_no_listener_has_are_listed_once() {
    let web = deployment_named("web", 8080, true);
    let spec = all_and(
        "assigned: {shop/Deployment/web/http: 20443, shop/Deployment/web/https: 20444, shop/Deployment/other/http: 20445}",
    );
    assert_snapshot!(worded(infos(&spec, &web, "port-assigned").lines().filter(|line| line.contains("that their workloads do not have")).collect::<String>()), @"info: at hostnet.yaml:1:179 `assigned` has keys for listeners that their workloads do not have: `shop/Deployment/web/https`. `hostnet pin --prune` removes them; give it all manifests that the config applies to [port-assigned]");
    let used = all_and("assigned: {shop/Deployment/web/http: 20443}");
    assert!(!infos(&used, &web, "port-assigned").contains("that their workloads do not have"));
    // A workload that does not move still has its key.
    let forbidden = web.replace("      containers:", "      hostUsers: false\n      containers:");
    assert!(!infos(&used, &forbidden, "port-assigned").contains("that their workloads do not have"));
}

#[test]
fn a_recorded_number_of_a_port_that_cannot_move_is_a_warning() {
    let fixed = deployment_named("web", 8080, false);
    let reported = |spec: &str, manifest: &str| {
        let log = changes(spec, manifest);
        log.lines().filter(|line| line.ends_with("[port-assigned]")).collect::<Vec<_>>().join("\n")
    };
    let recorded = all_and("assigned: {shop/Deployment/web/http: 20443}");
    assert_snapshot!(worded(reported(&recorded, &fixed)), @"warning: standard input:10:29: Deployment shop/web, container web, port http (8080): 20443 in `assigned` at hostnet.yaml:1:145 has no effect: the port is 8080, which cannot change. Remove the entry, or give the setting of the port with `bind` [port-assigned]");
    // The record is the number of the port, the target gives another number, or the port moves.
    assert_eq!(reported(&all_and("assigned: {shop/Deployment/web/http: 8080}"), &fixed), "");
    let given = "{targets: [{select: {name: web}, ports: keep}], assigned: {shop/Deployment/web/http: 20443}}";
    assert_eq!(reported(given, &fixed), "");
    assert_eq!(reported(&recorded, &deployment_named("web", 8080, true)), "");
}

/// A Function has no number of its own: its port never moves.
#[test]
fn a_recorded_number_of_a_function_has_no_effect() {
    use super::packages::FUNCTION;
    let log = |more: &str, key: &str| {
        let spec =
            format!("{{targets: [{{select: {{kind: Function}}, ports: auto}}], assigned: {{{key}: 21443}}{more}}}");
        let log = super::run(&spec, FUNCTION).1;
        log.into_iter().filter(|line| line.contains("[port-assigned]")).collect::<Vec<_>>().join("\n")
    };
    let grpc = "pkg.crossplane.io/Function/function-auto-ready/grpc";
    insta::assert_snapshot!(crate::support::results::worded(log("", grpc)), @"warning: standard input:1:1: Function function-auto-ready: 21443 of `pkg.crossplane.io/Function/function-auto-ready/grpc` in `assigned` has no effect: the Function stays in the pod network. Remove the entry [port-assigned]");
    insta::assert_snapshot!(crate::support::results::worded(log(", crossplane: {functions: OnePerNode}", grpc)), @"warning: standard input:1:1: Function function-auto-ready, container package-runtime, port grpc (9443): 21443 in `assigned` at hostnet.yaml:1:178 has no effect: the port is 9443, which cannot change. Remove the entry [port-assigned]");
    assert_eq!(log("", "pkg.crossplane.io/Function/another/grpc"), "");
}

/// `pin` records the numbers of several inputs in one config, so the owner of a number may be elsewhere.
#[test]
fn a_kept_number_of_a_workload_elsewhere_is_a_conflict() {
    let found = |spec: &str, protocol: &str| {
        let op = deployment_named("op", 24686, false).replace("24686}", &format!("24686, protocol: {protocol}}}"));
        let (_, log) = super::run(&all_and(spec), &op);
        log.into_iter().filter(|line| line.contains("[port-conflict]")).collect::<String>()
    };
    let other = "assigned: {kyverno/Deployment/cleanup/https: 24686}";
    let warning = found(other, "TCP");
    assert!(warning.starts_with("warning: ") && warning.contains("gives to kyverno/Deployment/cleanup"), "{warning}");
    let shared = "shared: [{port: 24686, between: [kyverno/Deployment/cleanup, shop/Deployment/op]}]";
    assert_eq!(found(&format!("{other}, {shared}"), "TCP"), "");
    assert_eq!(found(other, "UDP"), "");
    assert_eq!(found("assigned: {shop/Deployment/op/https: 24686}", "TCP"), "");
    assert_eq!(found("assigned: {kyverno/Deployment/cleanup/https: 24687}", "TCP"), "");
}
