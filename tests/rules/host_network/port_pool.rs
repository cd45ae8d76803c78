//! Rule `port-pool`: the pool of `ports: auto` has no free number.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{all_and, deployment_named, numbers, numbers_twice, stream};

#[test]
fn the_config_sets_the_pool() {
    assert_snapshot!(numbers_twice(&all_and("portPool: 21000-21099"), &deployment_named("web", 8080, true)), @"shop/Deployment/web/http 8080 -> 21057 Pool");
}

#[test]
fn a_full_pool_is_an_error() {
    let objects = stream([deployment_named("web", 8080, true), deployment_named("api", 8080, true)]);
    assert_snapshot!(worded(numbers(&all_and("portPool: '20000'"), &objects)), @"
    shop/Deployment/api/http 8080 -> 20000 Pool
    shop/Deployment/web/http 8080
    error: standard input:1:1: Deployment shop/web, container web, port http (8080) gets no number: all 1 of the pool 20000 (hostnet.yaml:1:118) are assigned, reserved or used by the nodes. Give a larger `portPool`, or remove numbers that are no longer used from `assigned` (`hostnet pin --prune`) [port-pool]
    ");
    assert_snapshot!(brief(numbers(&all_and("portPool: 30000-30009"), &deployment_named("web", 8080, true))), @"
    shop/Deployment/web/http 8080
    error: port-pool Deployment shop/web (1:1, 10, 8080, hostnet.yaml:1:118)
    ");
}

/// A listener that cannot move keeps its number, and its number of the pool is free for others.
#[test]
fn a_listener_that_stays_takes_no_number_of_the_pool() {
    let of_one_monitor = |name: &str| deployment_named(name, 8080, true).replace(&format!("app: {name}"), "app: read");
    let monitor = "apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: read, namespace: shop}
spec: {selector: {matchLabels: {app: read}}, podMetricsEndpoints: [{portNumber: 8080}]}
";
    let objects = stream([
        of_one_monitor("api"),
        of_one_monitor("mail"),
        deployment_named("web", 8081, true),
        monitor.to_owned(),
    ]);
    let log = numbers_twice(&all_and("portPool: '20000'"), &objects);
    assert!(!log.contains("error"), "{log}");
    for line in [
        "shop/Deployment/api/http 8080\n",
        "shop/Deployment/mail/http 8080\n",
        "shop/Deployment/web/http 8081 -> 20000 Pool\n",
    ] {
        assert!(log.contains(line), "{log}");
    }
    // A listener that could move gets no number then.
    let apart = objects.replacen("app: read", "app: api", 1);
    assert!(numbers(&all_and("portPool: '20000'"), &apart).contains("gets no number"));
}
