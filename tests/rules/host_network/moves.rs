//! What is said of a move: every field, its old number and its new value.

use super::{deployment, explained, neighbour, ports, stream};
use hostnet::kinds::{self, host_network};
use hostnet::wire::{Input, Origin};
use insta::assert_snapshot;

fn service(port: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{port}]}}\n"
    )
}

#[test]
fn the_new_value_is_said_as_it_is_written() {
    let target =
        |port: &str| explained(&ports("{http: 20080}"), &stream([neighbour("web", "web"), service(port)])).join("\n");
    assert_snapshot!(target("{port: 80, targetPort: 8080}"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http --listen 8080 -> 20080 [port-setting]
    shop/Deployment/web/http Service shop/web spec.ports[0].targetPort 8080 -> http [service-target]
    ");
    assert_snapshot!(target("{port: 8080}"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http --listen 8080 -> 20080 [port-setting]
    shop/Deployment/web/http Service shop/web spec.ports[0].targetPort 8080 -> http [service-target]
    ");
}

const CORE: &str = "      - name: crossplane
        image: crossplane/crossplane:v1.20.0
        args: [core, start]
        env: [{name: A, value: b}]
        ports: [{name: webhooks, containerPort: 9443}]
";

#[test]
fn what_is_added_is_said_with_its_place() {
    let spec = "{targets: [{select: {name: web}, ports: {webhook: 20443, metrics: 20080, health: 20081}, bind: [{container: crossplane, port: x, number: 7000, arg: --x}, {container: crossplane, port: y, number: 7001, arg: --y}]}]}".replace("20081}", "20081, x: 20070, y: 20071}");
    let manifest = deployment(CORE);
    assert_snapshot!(explained(&spec, &manifest).join("\n"), @"
    shop/Deployment/web/metrics Deployment shop/web, container crossplane: listens on 20080 (metrics), which was not declared [port-declared]
    shop/Deployment/web/metrics variable METRICS_PORT 8080 -> 20080 [port-setting]
    shop/Deployment/web/readyz Deployment shop/web, container crossplane: listens on 20081 (health), which was not declared [port-declared]
    shop/Deployment/web/readyz variable HEALTH_PROBE_PORT 8081 -> 20081 [port-setting]
    shop/Deployment/web/webhooks containerPort 9443 -> 20443 [port-moved]
    shop/Deployment/web/webhooks variable WEBHOOK_PORT 9443 -> 20443 [port-setting]
    shop/Deployment/web/x Deployment shop/web, container crossplane: listens on 20070 (other), which was not declared [port-declared]
    shop/Deployment/web/x argument --x 7000 -> 20070 [port-setting]
    shop/Deployment/web/y Deployment shop/web, container crossplane: listens on 20071 (other), which was not declared [port-declared]
    shop/Deployment/web/y argument --y 7001 -> 20071 [port-setting]
    ");
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &super::config(&spec).unwrap(), true).unwrap();
    let paths = run
        .results
        .iter()
        .filter(|result| result.is_change)
        .filter_map(|result| Some(format!("{}\n", result.path.as_ref()?)));
    assert_snapshot!(paths.collect::<String>(), @"
    spec.template.spec.containers[0].env[2]
    spec.template.spec.containers[0].env[3]
    spec.template.spec.containers[0].ports[0].containerPort
    spec.template.spec.containers[0].env[1]
    spec.template.spec.containers[0].args[2]
    spec.template.spec.containers[0].args[3]
    spec.template.spec.containers[0].ports[3]
    spec.template.spec.containers[0].ports[4]
    spec.template.spec.containers[0].ports[1]
    spec.template.spec.containers[0].ports[2]
    spec.template.spec.dnsPolicy
    spec.template.spec.hostNetwork
    spec.template.spec.containers[0].ports[0].hostPort
    ");
}

#[test]
fn what_is_not_known_to_tell_a_number_is_said() {
    let evidence = |args: &str| {
        let manifest =
            deployment(&format!("      - {{name: web, {args}ports: [{{name: http, containerPort: 8080}}]}}\n"));
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        let config = super::config(&ports("keep")).unwrap();
        host_network::ports(std::slice::from_ref(&input), &config, false).unwrap().0[0].places.join("\n")
    };
    assert_snapshot!(evidence(""), @"nothing says what sets its number");
    assert_snapshot!(evidence("args: [--workers=8080], "), @"the number stands in `--workers` (spec.template.spec.containers[0].args[0])");
}
