//! Rule `port-moved`: each changed field, its old number and its new value.

use hostnet::kinds::host_network;
use insta::assert_snapshot;
use krm::{Input, Origin};

use super::{deployment, explained, neighbour, ports, results_of, stream};

fn service(port: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{port}]}}\n"
    )
}

#[test]
fn the_new_value_is_reported_as_it_is_written() {
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

#[test]
fn uncertain_settings_of_a_number_are_reported() {
    let evidence = |args: &str| {
        let manifest =
            deployment(&format!("      - {{name: web, {args}ports: [{{name: http, containerPort: 8080}}]}}\n"));
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        let config = super::config(&ports("keep")).unwrap();
        host_network::ports(std::slice::from_ref(&input), &config, false).unwrap().0[0].places.join("\n")
    };
    assert_snapshot!(evidence(""), @"the setting of its number is not known");
    assert_snapshot!(evidence("args: [--workers=8080], "), @"the number is in `--workers` (spec.template.spec.containers[0].args[0])");
}

#[test]
fn a_kept_number_does_not_move() {
    let web = deployment("      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}\n");
    assert_snapshot!(results_of("port-moved", &ports("{http: 20080}"), &web), @"info: port-moved Deployment shop/web spec.template.spec.containers[0].ports[0].containerPort (20080, 8080)");
    assert_eq!(results_of("port-moved", &ports("keep"), &web), "");
}
