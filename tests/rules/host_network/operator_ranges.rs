//! Ports of nodes that operators of the input give to their pods: `auto` assigns none of them.

use super::{ALL, all_and, deployment, deployment_named, numbers, numbers_twice, stream};
use crate::support::results::worded;
use insta::assert_snapshot;

/// An operator with this container. `auto` would assign 26657 to the other workload.
fn input(container: &str) -> String {
    let operator = deployment(&format!("      - {{name: manager, {container}}}\n"));
    stream([operator.replace("name: web,", "name: operator,"), deployment_named("web", 8080, true)])
}

#[test]
fn numbers_of_an_operators_range_are_not_assigned() {
    for (container, number) in [
        (
            "image: fluidcloudnative/alluxioruntime-controller:v1.1.0, args: [--runtime-node-port-range=20000-26660]",
            26661,
        ),
        (
            "image: fluidcloudnative/jindoruntime-controller:v1.1.0, args: [--runtime-node-port-range=26000-26700]",
            26701,
        ),
        // The default is 20000-25000.
        ("image: fluidcloudnative/alluxioruntime-controller:v1.1.0", 26657),
        (
            "image: agones-controller:1.50.0, env: [{name: MIN_PORT, value: '26000'}, {name: MAX_PORT, value: '27000'}]",
            27001,
        ),
        // The flag wins.
        (
            "image: agones-controller:1.50.0, args: [--max-port=26700], env: [{name: MIN_PORT, value: '26000'}, {name: MAX_PORT, value: '27000'}]",
            26701,
        ),
        (
            "image: apecloud/kubeblocks:1.0.0, env: [{name: HOST_PORT_INCLUDE_RANGES, value: '55000-59999,26600-26699'}]",
            26700,
        ),
        // The names of flags and variables mean nothing in another program.
        ("image: example/controller:v1, args: [--runtime-node-port-range=20000-27000]", 26657),
        ("image: example/game:v1, env: [{name: MIN_PORT, value: '26000'}, {name: MAX_PORT, value: '27000'}]", 26657),
        // Without both ends there is no range.
        ("image: agones-controller:1.50.0, env: [{name: MIN_PORT, value: '26000'}]", 26657),
        (
            "image: agones-controller:1.50.0, env: [{name: MIN_PORT, value: '27000'}, {name: MAX_PORT, value: '26000'}]",
            26657,
        ),
    ] {
        let log = numbers_twice(ALL, &input(container));
        assert!(log.contains(&format!("web/http 8080 -> {number} Pool")), "{container}\n{log}");
        assert!(!log.contains("node-port"), "{log}");
    }
}

/// A range that covers the whole pool leaves no other number, so the number is reported.
#[test]
fn a_number_in_an_operators_range_is_a_warning() {
    let all = input("image: apecloud/kubeblocks:1.0.0, env: [{name: HOST_PORT_INCLUDE_RANGES, value: '1025-65536'}]");
    let log = numbers(ALL, &all);
    assert!(log.contains("web/http 8080 -> 26657 Pool"), "{log}");
    assert_snapshot!(worded(log.lines().find(|line| line.contains("node-port")).unwrap()), @"warning: standard input:21:50: Deployment shop/web, container web, port http (8080) moves to 26657, which is one of the ports of nodes that Deployment shop/operator gives to Clusters of KubeBlocks (1025-65535) [node-port]");
    let given = all_and("assigned: {shop/Deployment/web/http: 20007}");
    let fluid = input("image: fluidcloudnative/alluxioruntime-controller:v1.1.0");
    assert!(numbers(&given, &fluid).contains("warning: node-port"), "{}", numbers(&given, &fluid));
}
