//! Rule `admission-policy`, over the cases of `tests/rules/host_network/admission_policy.rs`.

use super::{on_host, reported, workload};
use crate::host_network::admission_policy::{Outcome, cases, with_namespace};

fn web() -> String {
    on_host("web", "image: example/web:v1, ports: [{name: http, containerPort: 20080, hostPort: 20080}]")
}

#[test]
fn refused_pods_are_an_error_and_doubtful_ones_a_warning() {
    for (outcome, policies) in cases() {
        let log = reported("admission-policy", &with_namespace(&policies, &web()));
        let expected = match outcome {
            Outcome::Refused => log.starts_with("error: ") && log.contains("Deployment shop/web"),
            Outcome::Unsure => log.starts_with("warning: ") && log.lines().count() == 1,
            Outcome::Silent => log.is_empty(),
        };
        assert!(expected, "{outcome:?}: {log}\n{policies}");
    }
}

#[test]
fn pods_without_host_fields_are_not_reported() {
    let pod_network = workload(
        "Deployment",
        "web",
        "{containers: [{name: a, image: example/web:v1, ports: [{containerPort: 20080}]}]}",
    );
    for (_, policies) in cases() {
        assert_eq!(reported("admission-policy", &with_namespace(&policies, &pod_network)), "", "{policies}");
    }
}

/// Policies that forbid only host ports refuse pods with host ports, and the message names the ports.
#[test]
fn host_ports_alone_are_judged() {
    let policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: no-host}\nspec:\n  validationFailureAction: Enforce\n  rules:\n  - \
                  {name: host, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {podSecurity: {level: restricted}}}\n";
    let spec = "{containers: [{name: a, image: b, ports: [{containerPort: 1, hostPort: 8080}, {containerPort: 2, hostPort: 8081}]}]}";
    let log = reported("admission-policy", &with_namespace(policy, &workload("Deployment", "web", spec)));
    assert!(log.contains("rule host refuses its Pods, since it forbids hostPort 8080, 8081"), "{log}");
}
