//! Rule `document` for values that the API server refuses, or that YAML readers parse differently.

use hostnet::rule::Severity;

use super::{on_host, report, workload};

/// Severity, field and message of each finding of the rule.
fn found(manifest: &str) -> Vec<(Severity, String, String)> {
    let report = report("{}", manifest);
    let own = report.entries.iter().filter(|entry| entry.rule.id == "document");
    own.map(|entry| (entry.severity, entry.path.as_ref().unwrap().to_string(), entry.message.clone())).collect()
}

fn service(port: &str) -> String {
    format!("apiVersion: v1\nkind: Service\nmetadata: {{name: a, namespace: shop}}\nspec: {{ports: [{port}]}}\n")
}

const CONTAINER: &str = "spec.template.spec.containers[0]";

#[test]
fn ports_of_containers_and_probes() {
    for (container, field, reason) in [
        ("ports: [{containerPort: 70000}]", "ports[0].containerPort", "70000: must be between 1 and 65535, inclusive"),
        ("ports: [{containerPort: 0}]", "ports[0].containerPort", "0: must be between 1 and 65535, inclusive"),
        ("ports: [{containerPort: -1}]", "ports[0].containerPort", "-1: must be between 1 and 65535, inclusive"),
        (
            "ports: [{containerPort: 12345678901234567890}]",
            "ports[0].containerPort",
            "12345678901234567890: it is no int32",
        ),
        ("ports: [{containerPort: '8080'}]", "ports[0].containerPort", "\"8080\": it is a text and no int32"),
        ("ports: [{containerPort: 8080, hostPort: 65536}]", "ports[0].hostPort", "65536: must be between"),
        ("ports: [{containerPort: 8080, protocol: tcp}]", "ports[0].protocol", "Unsupported value: \"tcp\""),
        ("readinessProbe: {httpGet: {port: 99999}}", "readinessProbe.httpGet.port", "99999: must be between"),
        (
            "livenessProbe: {tcpSocket: {port: '8080'}}",
            "livenessProbe.tcpSocket.port",
            "must contain at least one letter",
        ),
        ("startupProbe: {grpc: {port: '8080'}}", "startupProbe.grpc.port", "\"8080\": it is a text and no int32"),
    ] {
        let found = found(&on_host("web", container));
        let [(severity, path, message)] = found.as_slice() else { panic!("{container}: {found:?}") };
        assert_eq!((*severity, path.as_str()), (Severity::Error, format!("{CONTAINER}.{field}").as_str()));
        assert!(message.contains(reason) && message.starts_with("Deployment shop/web: "), "{message}");
    }
}

#[test]
fn ports_of_services() {
    for (port, field, reason) in [
        ("{port: 70000}", "port", "70000: must be between 1 and 65535, inclusive"),
        ("{port: 80, targetPort: 70000}", "targetPort", "70000: must be between 1 and 65535, inclusive"),
        ("{port: 80, targetPort: '8080'}", "targetPort", "must contain at least one letter"),
        ("{port: 80, nodePort: 99999}", "nodePort", "99999: must be between 1 and 65535, inclusive"),
    ] {
        let found = found(&service(port));
        let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{port}: {found:?}") };
        assert_eq!(*path, format!("spec.ports[0].{field}"));
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn booleans_that_readers_parse_differently() {
    for value in ["yes", "On", "NO", "off", "'true'", "1"] {
        let manifest = workload("Deployment", "web", &format!("{{hostNetwork: {value}, containers: []}}"));
        let found = found(&manifest);
        let [(Severity::Error, path, _)] = found.as_slice() else { panic!("{value}: {found:?}") };
        assert_eq!(path, "spec.template.spec.hostNetwork");
    }
}

/// Placeholders, defaults, number forms that only some readers parse, and objects that are not applied.
#[test]
fn values_that_the_api_server_accepts_are_not_reported() {
    for container in [
        "ports: [{containerPort: 1}, {containerPort: 65535, hostPort: 0}, {containerPort: 53, protocol: UDP}]",
        "ports: [{containerPort: '${PORT}'}, {containerPort: WEBHOOK_PORT}, {containerPort: <port>}, {containerPort: 0x1F90}]",
        "ports: [{containerPort: 8080, hostPort: null, protocol: '${PROTOCOL}'}]",
        "readinessProbe: {httpGet: {port: http}}, livenessProbe: {grpc: {port: 8080}}",
    ] {
        assert_eq!(found(&on_host("web", container)), [], "{container}");
    }
    for port in ["{port: 80, targetPort: 0, nodePort: 0}", "{port: 443, targetPort: https}", "{port: '${PORT}'}"] {
        assert_eq!(found(&service(port)), [], "{port}");
    }
    for value in ["True", "false", "null", "'${HOST_NETWORK}'"] {
        assert_eq!(
            found(&workload("Deployment", "web", &format!("{{hostNetwork: {value}, containers: []}}"))),
            [],
            "{value}"
        );
    }
    let external = service("{port: 70000}").replace("spec: {", "spec: {type: ExternalName, externalName: a.example, ");
    assert_eq!(found(&external), []);
    let other = service("{port: 70000}").replace("v1\n", "example.com/v1\n");
    assert_eq!(found(&other), [], "a kind of another group");
    let local = on_host("web", "ports: [{containerPort: 70000}]")
        .replace("namespace: shop}", "namespace: shop, annotations: {config.kubernetes.io/local-config: 'true'}}");
    assert_eq!(found(&local), []);
}
