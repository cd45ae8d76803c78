//! Rule `controller-config`: ControllerConfigs that cannot get variables.

use super::packages::{CONTROLLER, SPEC, provider, shown};
use super::{run, settled};

#[test]
fn a_controller_config_is_written_in_place() {
    let spec = SPEC.replace("v2.3.4", "v1.19.3");
    let manifest = provider("a", "  controllerConfigRef: {name: c}\n") + CONTROLLER;
    insta::assert_snapshot!(shown(settled(&spec, &manifest)), @r#"
        apiVersion: pkg.crossplane.io/v1
        kind: Provider
        metadata: {name: a}
        spec:
          package: example.com/a:v1.0.0
          controllerConfigRef: {name: c}
        ---
        apiVersion: pkg.crossplane.io/v1alpha1
        kind: ControllerConfig
        metadata: {name: c}
        spec:
          env:
          - {name: A, value: b}
          - {name: HTTPS_PROXY, value: http://p:3128}
          - {name: NO_PROXY, value: "CLUSTER"}
    "#);
    let two = provider("b", "  controllerConfigRef: {name: c}\n") + &manifest;
    let (output, log) = run(&spec.replace("kind: Provider", "name: a"), &two);
    assert!(output == two && log.contains("Provider b has ControllerConfig c too"), "{log}");
    let (output, log) = run(&spec, &provider("a", "  controllerConfigRef: {name: c}\n"));
    assert!(log.contains("error") && !output.contains("HTTPS_PROXY"), "{log}");
}

/// Two results of the rule about packages without variables: another package shares the object, or the object is
/// missing.
#[test]
fn a_package_without_an_own_controller_config_is_unchanged() {
    let spec = SPEC.replace("v2.3.4", "v1.19.3");
    let own = provider("a", "  controllerConfigRef: {name: c}\n");
    let two = provider("b", "  controllerConfigRef: {name: c}\n") + &own + CONTROLLER;
    let shared = run(&spec.replace("kind: Provider", "name: a"), &two).1;
    let missing = run(&spec, &own).1;
    let found =
        |log: &str| log.lines().filter(|line| line.ends_with("[controller-config]")).collect::<Vec<_>>().join("\n");
    let (shared, missing) = (found(&shared), found(&missing));
    assert!(
        shared.starts_with("warning: ") && shared.contains("Provider a is not changed: Provider b has"),
        "{shared}"
    );
    assert!(
        missing.starts_with("error: ") && missing.contains("Provider a names ControllerConfig c, which is not"),
        "{missing}"
    );
    assert_eq!(found(&run(&spec, &(own + CONTROLLER)).1), "");
}
