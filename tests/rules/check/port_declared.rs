//! Rule `port-declared`.

use super::{on_host, said, workload};
use insta::assert_snapshot;

#[test]
fn a_flag_tells_a_listener_that_no_port_declares() {
    assert_snapshot!(said("port-declared", &on_host("web", "args: ['--metrics-bind-address=:20443']")), @"warning: a.yaml:7:80: Deployment shop/web, container web, port 20443 is not declared (scaffold): neither the scheduler nor the autoscaler sees it, and a second pod on the node crashes with `bind: address already in use` instead of staying Pending. Add to the container's `ports`: `- {name: metrics, containerPort: 20443, hostPort: 20443}`");
}

#[test]
fn a_declared_one_and_one_that_is_off_are_not_said() {
    let args = "args: ['--metrics-bind-address=:20443'], ports: [{containerPort: 20443, hostPort: 20443}]";
    assert_eq!(said("port-declared", &on_host("web", args)), "");
    assert_eq!(said("port-declared", &on_host("web", "args: ['--metrics-bind-address=0']")), "");
    let pod_network = "{containers: [{name: a, args: ['--metrics-bind-address=:20443']}]}";
    assert_eq!(said("port-declared", &workload("Deployment", "web", pod_network)), "");
}
