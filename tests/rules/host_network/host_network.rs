//! Rule `host-network`: `hostNetwork: true` in the pod template.

use crate::support::results::brief;
use hostnet::kinds;
use insta::assert_snapshot;
use krm::{Input, Origin};

use super::{changes, deployment, ports, results_of};

const WEB: &str = "      - name: web
        image: example/web
        ports:
        - containerPort: 8080
          name: http
        - {containerPort: 53, protocol: UDP}
";

#[test]
fn keep_writes_host_network_dns_policy_and_host_ports() {
    assert_snapshot!(brief(changes(&ports("keep"), &deployment(WEB))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          hostPort: 8080
    -        - {containerPort: 53, protocol: UDP}
    +        - {containerPort: 53, hostPort: 53, protocol: UDP}
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[1] (15:11, 53)
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (13:11, 8080)
    ");
}

#[test]
fn existing_fields_are_replaced_in_place() {
    let manifest = deployment("      - {name: web}\n").replace(
        "    spec:\n",
        "    spec:\n      dnsPolicy: \"ClusterFirst\" # the default\n      hostNetwork: false\n",
    );
    assert_snapshot!(changes(&ports("keep"), &manifest), @r#"
    -      dnsPolicy: "ClusterFirst" # the default
    -      hostNetwork: false
    +      dnsPolicy: "ClusterFirstWithHostNet" # the default
    +      hostNetwork: true
    "#);
}

#[test]
fn correct_fields_do_not_change() {
    let web = "      - {name: web, args: [--port=7000], ports: [{name: http, containerPort: 7000}, {name: udp, containerPort: 7001, protocol: UDP}]}\n";
    let spec = "{targets: [{select: {name: web}, ports: {http: 20080}}], dnsPolicy: ClusterFirst}";
    let manifest = deployment(web).replace("      containers", "      dnsPolicy: ClusterFirst\n      containers");
    let (output, log) = super::run(spec, &manifest);
    assert_snapshot!(log.join("\n"), @"");
    assert!(output.contains("hostNetwork: true\n      dnsPolicy: ClusterFirst\n"), "{output}");
    let again = |manifest: &str| {
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        kinds::run(std::slice::from_ref(&input), &super::config(spec).unwrap(), true).unwrap()
    };
    assert!(again(&manifest).changes && !again(&output).changes);
    assert!(!again(&output).results.iter().any(|result| result.is_change));
}

/// The result of the change names the field; a pod that already has the value has no result.
#[test]
fn the_change_is_a_result_of_this_rule() {
    let manifest = deployment("      - {name: web}\n");
    let found = |manifest: &str| results_of("host-network", &ports("keep"), manifest);
    assert_snapshot!(found(&manifest), @"info: host-network Deployment shop/web spec.template.spec.hostNetwork");
    assert_eq!(found(&manifest.replace("    spec:\n", "    spec:\n      hostNetwork: true\n")), "");
}
