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
            "12345678901234567890: it is not an int32",
        ),
        ("ports: [{containerPort: '8080'}]", "ports[0].containerPort", "\"8080\": it is a text, not an int32"),
        ("ports: [{containerPort: 8080, hostPort: 65536}]", "ports[0].hostPort", "65536: must be between"),
        ("ports: [{containerPort: 8080, protocol: tcp}]", "ports[0].protocol", "Unsupported value: \"tcp\""),
        ("ports: [{containerPort: 8080, protocol: TCP/UDP}]", "ports[0].protocol", "Unsupported value: \"TCP/UDP\""),
        ("ports: [{containerPort: 8080, protocol: 'TCP '}]", "ports[0].protocol", "Unsupported value: \"TCP \""),
        ("ports: [{containerPort: 8080, protocol: '6'}]", "ports[0].protocol", "Unsupported value: \"6\""),
        ("env: [{name: PORT, value: 8085}]", "env[0].value", "8085: it is a number, not a text. Put quotes"),
        ("env: [{name: DEBUG, value: true}]", "env[0].value", "true: it is a boolean, not a text"),
        ("args: [--port, 8085]", "args[1]", "8085: it is a number, not a text"),
        ("command: /manager", "command", "\"/manager\": it is a text, not a list"),
        ("readinessProbe: {httpGet: {port: 99999}}", "readinessProbe.httpGet.port", "99999: must be between"),
        (
            "livenessProbe: {tcpSocket: {port: '8080'}}",
            "livenessProbe.tcpSocket.port",
            "must contain at least one letter",
        ),
        ("ports: [{containerPort: 20080abc}]", "ports[0].containerPort", "\"20080abc\": it is a text, not an int32"),
        ("ports: [{containerPort: 1.5}]", "ports[0].containerPort", "1.5: it is not an int32"),
        ("ports: [{containerPort: 1e9999}]", "ports[0].containerPort", "\"1e9999\": it is a text, not an int32"),
        ("ports: [{containerPort: 8080# web}]", "ports[0].containerPort", "a comment needs a space before `#`"),
        ("ports: [{containerPort: [8080]}]", "ports[0].containerPort", "it is not an int32"),
        ("ports: [{containerPort: null, hostPort: 20081}]", "ports[0].containerPort", "Required value"),
        ("ports: [{hostPort: 20081}]", "ports[0].containerPort", "Required value"),
        ("ports: {}", "ports", "it is not a list"),
        ("ports: 8080", "ports", "\"8080\": it is a text, not a list"),
        ("ports: [http]", "ports[0]", "\"http\": it is a text, not a mapping"),
        ("ports: [null]", "ports[0]", "null: it is not a mapping"),
        ("ports: [{containerPort: 80, name: webhook-server-port}]", "ports[0].name", "no more than 15 characters"),
        ("ports: [{containerPort: 80, name: Webhook}]", "ports[0].name", "must contain only alphanumeric characters"),
        (
            "ports: [{containerPort: 80, name: http_metrics}]",
            "ports[0].name",
            "must contain only alphanumeric characters",
        ),
        ("ports: [{containerPort: 80, name: HTTP}]", "ports[0].name", "must contain only alphanumeric characters"),
        ("ports: [{containerPort: 80, name: a--b}]", "ports[0].name", "must not contain consecutive hyphens"),
        ("ports: [{containerPort: 80, name: '443'}]", "ports[0].name", "must contain at least one letter"),
        ("livenessProbe: {httpGet: {path: /}}", "livenessProbe.httpGet.port", "Required value"),
        (
            "livenessProbe: {httpGet: {port: 20080, scheme: https}}",
            "livenessProbe.httpGet.scheme",
            "Unsupported value: \"https\"",
        ),
        (
            "livenessProbe: {httpGet: {port: 20080}, tcpSocket: {port: 20080}}",
            "livenessProbe.tcpSocket",
            "Forbidden: may not specify more than 1 handler type",
        ),
        ("lifecycle: {preStop: {httpGet: {port: 99999}}}", "lifecycle.preStop.httpGet.port", "99999: must be between"),
        ("lifecycle: {postStart: {tcpSocket: {}}}", "lifecycle.postStart.tcpSocket.port", "Required value"),
        ("startupProbe: {tcpSocket: {port: -1}}", "startupProbe.tcpSocket.port", "-1: must be between"),
        ("startupProbe: {grpc: {port: '8080'}}", "startupProbe.grpc.port", "\"8080\": it is a text, not an int32"),
    ] {
        let found = found(&on_host("web", container));
        let [(severity, path, message)] = found.as_slice() else { panic!("{container}: {found:?}") };
        assert_eq!((*severity, path.as_str()), (Severity::Error, format!("{CONTAINER}.{field}").as_str()));
        assert!(message.contains(reason) && message.starts_with("Deployment shop/web: "), "{message}");
    }
}

/// `tcpSocket` has no scheme: the API server drops it, whatever it is.
#[test]
fn a_scheme_of_another_handler_has_no_values() {
    assert_eq!(found(&on_host("web", "livenessProbe: {tcpSocket: {port: 20080, scheme: https}}")), []);
}

/// Forms of an integer that the API server reads as 20080 and other YAML readers as another number or a text.
#[test]
fn numbers_in_other_forms() {
    const FORMS: [&str; 10] = [
        "0x4e70",
        "0o47160",
        "047160",
        "0b100111001110000",
        "2_0080",
        "+20080",
        "20080.0",
        "2.008e4",
        "20080_",
        "!!float 20080",
    ];
    for form in FORMS {
        for (container, field) in [
            (format!("ports: [{{containerPort: {form}}}]"), "ports[0].containerPort"),
            (format!("ports: [{{containerPort: 8080, hostPort: {form}}}]"), "ports[0].hostPort"),
            (format!("livenessProbe: {{tcpSocket: {{port: {form}}}}}"), "livenessProbe.tcpSocket.port"),
            (format!("livenessProbe: {{grpc: {{port: {form}}}}}"), "livenessProbe.grpc.port"),
        ] {
            let found = found(&on_host("web", &container));
            let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{container}: {found:?}") };
            assert_eq!(*path, format!("{CONTAINER}.{field}"));
            assert!(message.contains("is 20080 for the API server"), "{message}");
        }
        // Ports of Services are read in every form.
        assert_eq!(found(&service(&format!("{{port: {form}, nodePort: {form}}}"))), [], "{form}");
    }
    let [(_, path, _)] = &*found(&service("{port: 80, targetPort: 0x4e70}")) else { panic!() };
    assert_eq!(path, "spec.ports[0].targetPort");
}

/// A value with a YAML tag is read as its type.
#[test]
fn tagged_values_are_read() {
    let twice = "ports: [{containerPort: !!int '20080'}, {name: b, containerPort: !!int 20080}]";
    let manifest = on_host("web", twice).replace("hostNetwork: true", "hostNetwork: !!bool 'true'");
    assert_eq!(found(&manifest), []);
    let report = report("{}", &manifest);
    let rules: Vec<_> = report.open().map(|entry| entry.rule.id).collect();
    assert!(rules.contains(&"host-port"), "{rules:?}");
}

#[test]
fn names_of_ports_and_dns_policies_that_are_valid_or_filled_in_later() {
    for name in ["webhook-server", "https", "8080-tcp", "'${NAME_OF_THE_PORT}'", "WEBHOOK_PORT_NAME", "''"] {
        let named = on_host("web", &format!("ports: [{{containerPort: 80, name: {name}}}]"));
        assert_eq!(found(&named), [], "{name}");
    }
    let with = |policy: &str| {
        workload("Deployment", "web", &format!("{{hostNetwork: true, dnsPolicy: {policy}, containers: []}}"))
    };
    for policy in [
        "ClusterFirstWithHostNet",
        "ClusterFirst",
        "Default",
        "None, dnsConfig: {nameservers: [192.0.2.1]}",
        "'${DNS}'",
        "''",
        "null",
    ] {
        assert_eq!(found(&with(policy)), [], "{policy}");
    }
    for policy in ["clusterFirstWithHostNet", "ClusterFirstWithHostnet", "Host"] {
        let found = found(&with(policy));
        let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{policy}: {found:?}") };
        assert_eq!(path, "spec.template.spec.dnsPolicy");
        assert!(message.contains("Unsupported value"), "{message}");
    }
}

#[test]
fn fields_that_choose_nodes() {
    let with = |fields: &str| workload("Deployment", "web", &format!("{{{fields}, containers: []}}"));
    for (fields, field, reason) in [
        ("tolerations: [{operator: exists}]", "tolerations[0].operator", "Unsupported value: \"exists\""),
        ("nodeSelector: {a: true}", "nodeSelector.a", "true: it is a boolean, not a text"),
    ] {
        let found = found(&with(fields));
        let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{fields}: {found:?}") };
        assert_eq!(*path, format!("spec.template.spec.{field}"));
        assert!(message.contains(reason), "{message}");
    }
    for fields in
        ["tolerations: [{operator: Exists}, {operator: '${OPERATOR}'}, {}]", "nodeSelector: {a: 'true', b: c}"]
    {
        assert_eq!(found(&with(fields)), [], "{fields}");
    }
}

#[test]
fn update_strategies() {
    let with = |kind: &str, fields: &str| {
        let workload = workload(kind, "web", "{containers: []}");
        workload.replace("spec:\n  template", &format!("spec:\n  {fields}\n  template"))
    };
    for (kind, fields, field, reason) in [
        ("Deployment", "strategy: {type: rollingUpdate}", "strategy.type", "Unsupported value"),
        ("DaemonSet", "updateStrategy: {type: Rolling}", "updateStrategy.type", "Unsupported value"),
        ("StatefulSet", "updateStrategy: {type: Recreate}", "updateStrategy.type", "Unsupported value"),
        ("Deployment", "strategy: Recreate", "strategy", "it is a text, not a mapping"),
        ("DaemonSet", "updateStrategy: OnDelete", "updateStrategy", "Write the word as its `type`"),
        ("Deployment", "strategy: [Recreate]", "strategy", "it is not a mapping"),
        ("Deployment", "strategy: {rollingUpdate: 1}", "strategy.rollingUpdate", "it is a text, not a mapping"),
        ("Deployment", "strategy: {type: Recreate, rollingUpdate: {}}", "strategy.rollingUpdate", "Forbidden"),
        (
            "Deployment",
            "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}",
            "strategy.rollingUpdate.maxUnavailable",
            "may not be 0 when `maxSurge` is 0",
        ),
        (
            "Deployment",
            "strategy: {rollingUpdate: {maxSurge: '1'}}",
            "strategy.rollingUpdate.maxSurge",
            "must be a valid percent value",
        ),
        (
            "Deployment",
            "strategy: {rollingUpdate: {maxUnavailable: 101%}}",
            "strategy.rollingUpdate.maxUnavailable",
            "must not be greater than 100%",
        ),
        (
            "DaemonSet",
            "updateStrategy: {rollingUpdate: {maxSurge: 1}}",
            "updateStrategy.rollingUpdate.maxSurge",
            "may not be set when maxUnavailable is non-zero",
        ),
        (
            "DaemonSet",
            "updateStrategy: {rollingUpdate: {maxUnavailable: 0}}",
            "updateStrategy.rollingUpdate.maxUnavailable",
            "cannot be 0 when maxSurge is 0",
        ),
        (
            "StatefulSet",
            "updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}",
            "updateStrategy.rollingUpdate",
            "only allowed for updateStrategy",
        ),
    ] {
        let found = found(&with(kind, fields));
        let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{fields}: {found:?}") };
        assert_eq!(*path, format!("spec.{field}"), "{message}");
        assert!(message.contains(reason), "{message}");
    }
    for (kind, fields) in [
        ("Deployment", "strategy: {type: Recreate, rollingUpdate: null}"),
        ("Deployment", "strategy: {rollingUpdate: {maxSurge: 0}}"),
        ("Deployment", "strategy: {rollingUpdate: {maxSurge: '${SURGE}', maxUnavailable: 0}}"),
        ("Deployment", "strategy: {type: '${TYPE}', rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}"),
        ("DaemonSet", "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"),
        ("DaemonSet", "updateStrategy: {type: OnDelete}"),
        ("StatefulSet", "updateStrategy: {rollingUpdate: {partition: 1}}"),
        ("Rollout", "strategy: {type: Recreate, rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}"),
    ] {
        assert_eq!(found(&with(kind, fields)), [], "{fields}");
    }
}

#[test]
fn ports_of_called_services() {
    let service = |port: &str| format!("service: {{name: web, namespace: shop, port: {port}}}");
    let hooks = |port: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\n\
             webhooks: [{{name: a.example.com, clientConfig: {{{}}}}}]\n",
            service(port)
        )
    };
    let api = |port: &str| {
        format!(
            "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {{name: v1.a}}\nspec: {{{}}}\n",
            service(port)
        )
    };
    for (manifest, field) in [
        (hooks("70000"), "webhooks[0].clientConfig.service.port"),
        (hooks("'443'"), "webhooks[0].clientConfig.service.port"),
        (api("0"), "spec.service.port"),
    ] {
        let found = found(&manifest);
        let [(Severity::Error, path, _)] = found.as_slice() else { panic!("{manifest}: {found:?}") };
        assert_eq!(path, field);
    }
    for manifest in [hooks("443"), hooks("'${PORT}'"), api("8443")] {
        assert_eq!(found(&manifest), [], "{manifest}");
    }
}

#[test]
fn lists_of_containers() {
    for (containers, field) in [
        ("foo", "containers"),
        ("null", "containers"),
        ("{name: web, image: a/b:v1}", "containers"),
        ("[web]", "containers[0]"),
        ("[], initContainers: foo", "initContainers"),
    ] {
        let found = found(&workload("Deployment", "web", &format!("{{containers: {containers}}}")));
        let [(Severity::Error, path, _)] = found.as_slice() else { panic!("{containers}: {found:?}") };
        assert_eq!(*path, format!("spec.template.spec.{field}"));
    }
    let placeholder = "{containers: [], initContainers: ['${INIT}']}";
    assert_eq!(found(&workload("Deployment", "web", placeholder)), []);
}

#[test]
fn numbers_of_pods() {
    let with = |kind: &str, fields: &str| {
        let workload = workload(kind, "web", "{containers: []}");
        workload.replace("spec:\n  template", &format!("spec:\n{fields}  template"))
    };
    for (value, reason) in [
        ("'3'", "\"3\": it is a text, not an int32"),
        ("-1", "-1: must be greater than or equal to 0"),
        ("9999999999999", "9999999999999: it is not an int32"),
        ("2147483648", "2147483648: it is not an int32"),
        ("1.5", "1.5: it is not an int32"),
        ("many", "\"many\": it is a text, not an int32"),
    ] {
        for kind in ["Deployment", "StatefulSet"] {
            let found = found(&with(kind, &format!("  replicas: {value}\n")));
            let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{value}: {found:?}") };
            assert_eq!(path, "spec.replicas");
            assert!(message.contains(reason), "{message}");
        }
    }
    let job = with("Job", "  parallelism: 1\n  completions: '3'\n").replace("apps/v1", "batch/v1");
    let [(_, path, _)] = &*found(&job) else { panic!("{:?}", found(&job)) };
    assert_eq!(path, "spec.completions");
    for fine in
        ["0", "3", "null", "1e9", "3.0", "0x3", "2147483647", "${REPLICAS}", "REPLICAS", "{{ .Values.replicas }}"]
    {
        assert_eq!(found(&with("Deployment", &format!("  replicas: {fine}\n"))), [], "{fine}");
    }
    // The API server does not check an unknown field of a DaemonSet.
    assert_eq!(found(&with("DaemonSet", "  replicas: '3'\n")), []);
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

/// A patch that sets an old port again leaves two ports with one name.
#[test]
fn two_ports_with_one_name() {
    let names = |manifest: &str| -> Vec<(String, bool)> {
        let found = found(manifest).into_iter();
        found.map(|(_, path, message)| (path, message.contains("Duplicate value: \"web\""))).collect()
    };
    let ports = "{name: web, containerPort: 8080}, {name: web, containerPort: 9090}";
    let path = format!("{CONTAINER}.ports[1].name");
    assert_eq!(names(&on_host("a", &format!("ports: [{ports}]"))), [(path, true)]);
    let service = service("{name: web, port: 80}, {name: web, port: 81}");
    assert_eq!(names(&service), [("spec.ports[1].name".to_owned(), true)]);
    let other = "{name: '', containerPort: 1}, {name: '', containerPort: 2}, {name: '${A}', containerPort: 3}, {name: '${A}', containerPort: 4}";
    assert_eq!(names(&on_host("a", &format!("ports: [{other}]"))), []);
}

#[test]
fn booleans_that_readers_parse_differently() {
    for value in ["yes", "On", "NO", "off", "'true'", "1", "true# x", "tRUE", "{}"] {
        let manifest = workload("Deployment", "web", &format!("{{hostNetwork: {value}, containers: []}}"));
        let found = found(&manifest);
        let [(Severity::Error, path, _)] = found.as_slice() else { panic!("{value}: {found:?}") };
        assert_eq!(path, "spec.template.spec.hostNetwork");
    }
}

/// A tag decides the type for kubectl and kustomize alike, but for `!`.
#[test]
fn a_tag_makes_a_value_a_text() {
    for (value, is_text) in [
        ("!!str 8085", true),
        ("!!str true", true),
        ("!!str yes", true),
        ("!<tag:yaml.org,2002:str> 8085", true),
        ("!port 8085", true),
        ("8085", false),
        ("! 8085", false),
        ("!!int 8085", false),
        ("!!float 8085", false),
        ("!!bool true", false),
    ] {
        let manifest = on_host("web", &format!("command: [web, {value}], env: [{{name: A, value: {value}}}]"));
        assert_eq!(found(&manifest).len(), if is_text { 0 } else { 2 }, "{value}");
    }
    let manifest = on_host("web", "ports: [{containerPort: !!str 8085}]");
    let [(Severity::Error, _, reason)] = &found(&manifest)[..] else { panic!() };
    assert!(reason.contains("\"8085\": it is a text, not an int32"), "{reason}");
}

/// Placeholders, defaults, and objects that are not applied.
#[test]
fn values_that_the_api_server_accepts_are_not_reported() {
    for container in [
        "ports: [{containerPort: 1}, {containerPort: 65535, hostPort: 0}, {containerPort: 53, protocol: UDP}]",
        "ports: [{containerPort: '${PORT}'}, {containerPort: WEBHOOK_PORT}, {containerPort: <port>}, {containerPort: web_port}]",
        "ports: [{containerPort: 8080, hostPort: null, protocol: '${PROTOCOL}'}]",
        "ports: null",
        "ports: ['${PORTS}']",
        "ports: {{ .Values.ports }}",
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
    // A patch has no image.
    let patch = on_host("web", "ports: [{hostPort: 8080}]").replace(", image: 'example/web:v1'", "");
    assert_eq!(found(&patch), []);
    let external = service("{port: 70000}").replace("spec: {", "spec: {type: ExternalName, externalName: a.example, ");
    assert_eq!(found(&external), []);
    let other = service("{port: 70000}").replace("v1\n", "example.com/v1\n");
    assert_eq!(found(&other), [], "a kind of another group");
    let local = on_host("web", "ports: [{containerPort: 70000}]")
        .replace("namespace: shop}", "namespace: shop, annotations: {config.kubernetes.io/local-config: 'true'}}");
    assert_eq!(found(&local), []);
}

/// Names and ImageConfigs that the CRDs of Crossplane refuse.
#[test]
fn values_that_the_crds_of_crossplane_refuse() {
    let found = |version: &str, kind: &str, spec: &str| {
        let served = match kind {
            "ImageConfig" | "ImageConfig/v1" => "v1beta1",
            "ControllerConfig" => "v1alpha1",
            kind => kind.split_once('/').map_or("v1", |(_, version)| version),
        };
        let kind = if kind == "ImageConfig/v1" { kind } else { kind.split('/').next().unwrap() };
        let manifest =
            format!("apiVersion: pkg.crossplane.io/{served}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{{spec}}}\n");
        let manifest = manifest.replace("v1beta1\nkind: ImageConfig/v1\n", "v1\nkind: ImageConfig\n");
        let report = report(&format!("{{versions: {{crossplane: {version}}}}}"), &manifest);
        let own = report.entries.iter().filter(|entry| entry.rule.id == "document");
        own.map(|entry| format!("{:?}: {}", entry.severity, entry.message)).collect::<Vec<_>>().join("\n")
    };
    let package = "package: 'localhost:5000/acme/function-demo:v0.1.0'";
    insta::assert_snapshot!(found("v2.3.4", "Function", package), @"Error: Function a: spec.package: Invalid value: `must be a fully qualified image name, including the registry, repository, and tag or digest`; `localhost:5000` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000`. Write the whole name, such as xpkg.crossplane.io/ORG/NAME:v1");
    for kind in ["Provider", "Configuration"] {
        assert!(found("v2.0.0", kind, package).contains("`localhost:5000` has no dot"), "{kind}");
    }
    assert_eq!(found("v1.20.11", "Function", package), "", "the CRDs of v1 accept all names");
    for (kind, spec, reason) in [
        ("ControllerConfig", "image: x", "kind: no matches for kind \"ControllerConfig\""),
        (
            "ImageConfig/v1",
            "matchImages: [{type: Prefix, prefix: a.io/}]",
            "no matches for kind \"ImageConfig\" in version \"pkg.crossplane.io/v1\"",
        ),
        (
            "Provider/v1beta1",
            "package: 'a.io/b/c:v1'",
            "in version \"pkg.crossplane.io/v1beta1\". Write `pkg.crossplane.io/v1`",
        ),
        ("Function/v1alpha1", "package: 'a.io/b/c:v1'", "in version \"pkg.crossplane.io/v1alpha1\""),
        ("DeploymentRuntimeConfig/v1", "", "Write `pkg.crossplane.io/v1beta1`"),
        ("Provider", "package: 'a.io/b/c:v1', runtimeConfigRef: {}", "spec.runtimeConfigRef.name: Required value"),
        (
            "Provider",
            "package: 'a.io/b/c:v1', packagePullSecrets: [regcred]",
            "spec.packagePullSecrets[0]: Invalid value",
        ),
    ] {
        assert!(found("v2.3.4", kind, spec).contains(reason), "{kind}: {}", found("v2.3.4", kind, spec));
    }
    assert_eq!(found("v1.20.11", "ControllerConfig", "image: x"), "");
    assert_eq!(found("v2.3.4", "Function/v1beta1", "package: 'a.io/b/c:v1'"), "");
    assert_eq!(found("v1.13.0", "Function/v1alpha1", "package: 'a.io/b/c:v1'"), "", "an older release");
    for valid in
        ["package: 'xpkg.crossplane.io/a/b:v1'", "package: '${REGISTRY}/a/b:v1'", "package: '172.18.255.5:5000/a:v1'"]
    {
        assert_eq!(found("v2.3.4", "Function", valid), "", "{valid}");
    }
    let matches = "matchImages: [{type: Prefix, prefix: a.io/}]";
    let config = |version: &str, spec: &str| found(version, "ImageConfig", spec);
    insta::assert_snapshot!(config("v2.3.4", "matchImages: []"), @"Error: ImageConfig a: spec.matchImages: Invalid value: matchImages should have at least one element. Add an element such as `{type: Prefix, prefix: registry.example.com/}`");
    insta::assert_snapshot!(config("v2.3.4", "matchImages: [{type: Regex, prefix: a.io/}]"), @r#"Error: ImageConfig a: spec.matchImages[0].type: Unsupported value: "Regex": supported values: "Prefix". Write `type: Prefix`, and a prefix"#);
    insta::assert_snapshot!(config("v1.19.2", &format!("{matches}, rewriteImage: {{prefix: b.io/}}")), @"Warning: ImageConfig a: spec.rewriteImage: unknown field: Crossplane before v1.20.0 rewrites no images, and the API server drops it. Write the mirror's name into `spec.package`");
    assert_eq!(config("v1.20.0", &format!("{matches}, rewriteImage: {{prefix: b.io/}}")), "");
    assert_eq!(config("v1.19.2", matches), "");
    let package = "package: 'xpkg.crossplane.io/a/b:v1'";
    let named = format!("{package}, controllerConfigRef: {{name: c}}");
    insta::assert_snapshot!(found("v2.3.4", "Provider", &named), @"Warning: Provider a: spec.controllerConfigRef: unknown field: Crossplane from v2.0.0 on has no ControllerConfigs, and the API server drops it. Write `runtimeConfigRef` with the name of a DeploymentRuntimeConfig");
    assert_eq!(found("v1.20.11", "Provider", &named), "");
    insta::assert_snapshot!(found("v1.20.11", "Configuration", &format!("{package}, runtimeConfigRef: {{name: c}}")), @"Warning: Configuration a: spec.runtimeConfigRef: unknown field: a Configuration has no pods, and the API server drops it. Write it into the packages that have pods");
    let skips = |value: &str| found("v2.3.4", "Function", &format!("{package}, skipDependencyResolution: {value}"));
    insta::assert_snapshot!(skips("'true'"), @r#"Error: Function a: spec.skipDependencyResolution: Invalid value: "true": must be of type boolean. Write `true` or `false`, without quotes"#);
    assert_eq!(["true", "yes", "~", "'${SKIP}'"].map(skips), ["", "", "", ""]);
    assert_eq!(config("v2.3.4", "registry: {}"), "", "a patch");
}

/// Fields of other objects that rules read.
#[test]
fn fields_of_autoscalers_policies_ingresses_and_webhooks() {
    let object = |api: &str, kind: &str, content: &str| {
        found(&format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a, namespace: shop}}\n{content}\n"))
    };
    let scaler = |spec: &str| object("autoscaling/v2", "HorizontalPodAutoscaler", &format!("spec: {{{spec}}}"));
    let policy = |port: &str| {
        let spec = format!("spec: {{podSelector: {{matchLabels: {{app: z}}}}, ingress: [{{ports: [{{{port}}}]}}]}}");
        object("networking.k8s.io/v1", "NetworkPolicy", &spec)
    };
    let ingress = |number: &str| {
        let backend = format!("backend: {{service: {{name: a, port: {{number: {number}}}}}}}");
        object("networking.k8s.io/v1", "Ingress", &format!("spec: {{rules: [{{http: {{paths: [{{{backend}}}]}}}}]}}"))
    };
    let webhook = |content: &str| {
        let kind = "ValidatingWebhookConfiguration";
        object("admissionregistration.k8s.io/v1", kind, &format!("webhooks: [{{name: a.b.c, {content}}}]"))
    };
    let service = |ports: &str| found(&service(ports));
    let port = "spec.ingress[0].ports[0]";
    for (found, field, reason) in [
        (scaler("maxReplicas: '5'"), "spec.maxReplicas".to_owned(), "\"5\": it is a text, not an int32"),
        (scaler("maxReplicas: 0"), "spec.maxReplicas".to_owned(), "0: must be greater than 0"),
        (scaler("maxReplicas: -1"), "spec.maxReplicas".to_owned(), "-1: must be greater than 0"),
        (
            scaler("minReplicas: 3, maxReplicas: 2"),
            "spec.maxReplicas".to_owned(),
            "2: must be greater than or equal to `minReplicas`",
        ),
        (policy("port: '20443', endPort: 20444"), format!("{port}.port"), "must contain at least one letter"),
        (policy("port: 70000, endPort: 20444"), format!("{port}.port"), "70000: must be between"),
        (policy("port: 20443, endPort: 0"), format!("{port}.endPort"), "0: must be between"),
        (policy("port: 70000"), format!("{port}.port"), "70000: must be between"),
        (policy("port: '20443'"), format!("{port}.port"), "must contain at least one letter"),
        (policy("port: 20443, endPort: 20000"), format!("{port}.endPort"), "must be greater than or equal to `port`"),
        (policy("port: http, endPort: 20000"), format!("{port}.endPort"), "when `port` is non-numeric"),
        (policy("endPort: 20000"), format!("{port}.endPort"), "when `port` is not specified"),
        (
            ingress("70000"),
            "spec.rules[0].http.paths[0].backend.service.port.number".to_owned(),
            "70000: must be between",
        ),
        (webhook("failurePolicy: fail"), "webhooks[0].failurePolicy".to_owned(), "Unsupported value: \"fail\""),
        (
            webhook("rules: [{operations: [create]}]"),
            "webhooks[0].rules[0].operations[0]".to_owned(),
            "Unsupported value: \"create\"",
        ),
        (
            webhook("clientConfig: {url: 'https://a/b', service: {name: a, namespace: shop}}"),
            "webhooks[0].clientConfig.url".to_owned(),
            "exactly one of url or service is required",
        ),
        (
            webhook("clientConfig: {url: 'http://a.shop.svc/b'}"),
            "webhooks[0].clientConfig.url".to_owned(),
            "'https' is the only allowed URL scheme",
        ),
        (service("{targetPort: http}"), "spec.ports[0].port".to_owned(), "Required value"),
        (service("{port: 80, name: a}, {port: 81}"), "spec.ports[1].name".to_owned(), "Required value"),
    ] {
        let [(severity, path, message)] = found.as_slice() else { panic!("{field}: {found:?}") };
        assert_eq!((*severity, path), (Severity::Error, &field));
        assert!(message.contains(reason), "{message}");
    }
    for found in [
        scaler("maxReplicas: 5"),
        scaler("maxReplicas: '${MOST}'"),
        policy("port: 20443, endPort: 20444"),
        policy("port: '${PORT}', endPort: 20000"),
        scaler("minReplicas: 3, maxReplicas: 3"),
        scaler("minReplicas: 3, maxReplicas: '${MOST}'"),
        policy("protocol: TCP"),
        policy("port: http"),
        ingress("443"),
        webhook("failurePolicy: Ignore, clientConfig: {url: 'https://a/b', service: null}"),
        service("{port: 80}"),
        service("{port: 80, name: a}, {port: 81, name: b}"),
    ] {
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_pod_without_name_servers() {
    let found =
        |dns: &str| found(&workload("Deployment", "web", &format!("{{{dns}, containers: [{{name: web, image: a}}]}}")));
    let [(_, path, message)] = &*found("dnsPolicy: None") else { panic!() };
    assert_eq!(path, "spec.template.spec.dnsPolicy");
    assert!(message.contains("must provide at least one DNS nameserver"), "{message}");
    assert_eq!(found("dnsPolicy: None, dnsConfig: {nameservers: []}").len(), 1);
    for fine in ["dnsPolicy: None, dnsConfig: {nameservers: [192.0.2.1]}", "dnsPolicy: Default"] {
        assert!(found(fine).is_empty(), "{fine}");
    }
}

/// A number that is no port has one message, not another reason of the rules about names.
#[test]
fn a_number_that_is_no_port_is_no_name() {
    let ids = |manifest: &str| {
        let report = report("{}", manifest);
        let of_rule = |id: &&str| ["document", "probe-address", "service-target"].contains(id);
        report.entries.iter().map(|entry| entry.rule.id).filter(of_rule).collect::<Vec<_>>()
    };
    let port = "ports: [{name: http, containerPort: 20080, hostPort: 20080}]";
    for probe in ["httpGet: {port: 70000}", "tcpSocket: {port: -1}", "grpc: {port: 0}", "httpGet: {port: '20080'}"] {
        assert_eq!(ids(&on_host("web", &format!("{port}, livenessProbe: {{{probe}}}"))), ["document"], "{probe}");
    }
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 443, targetPort: 70000}]}\n---\n";
    assert_eq!(ids(&[service, &on_host("web", port)].concat()), ["document"]);
}

/// Texts that a program replaces later.
#[test]
fn placeholders_of_port_names_are_accepted() {
    for name in ["PORT_NAME", "__port__", "'${NAME}'", "'{{ x }}'"] {
        assert_eq!(found(&on_host("web", &format!("ports: [{{containerPort: 20080, name: {name}}}]"))), [], "{name}");
    }
}

/// The API server refuses workloads without a pod; parts of objects, such as patches, have no selector.
#[test]
fn pods_that_are_missing() {
    const SELECTOR: &str = "selector: {matchLabels: {app: web}}";
    const LABELS: &str = "metadata: {labels: {app: web}}";
    let object = |kind: &str, spec: &str| {
        let version = match kind {
            "Pod" => "v1",
            "Job" | "CronJob" => "batch/v1",
            "Rollout" => "argoproj.io/v1alpha1",
            _ => "apps/v1",
        };
        found(&format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\n{spec}\n"))
    };
    for (kind, spec, field, reason) in [
        (
            "Deployment",
            format!("spec: {{{SELECTOR}, template: {{{LABELS}, spec: null}}}}"),
            "template.spec",
            "Required",
        ),
        ("StatefulSet", format!("spec: {{{SELECTOR}, template: null}}"), "template", "Required value"),
        (
            "DaemonSet",
            format!("spec: {{{SELECTOR}, template: {{spec: web}}}}"),
            "template.spec",
            "it is a text, not a mapping",
        ),
        (
            "Deployment",
            format!("spec: {{replicas: 2, {SELECTOR}, template: {{{LABELS}}}}}"),
            "template.spec",
            "Required",
        ),
        ("Deployment", format!("spec: {{replicas: 2, {SELECTOR}}}"), "template", "Required value"),
        ("Job", "spec: {template: {spec: ~}}".to_owned(), "template.spec", "Required value"),
        ("CronJob", "spec: {jobTemplate: {spec: null}}".to_owned(), "jobTemplate.spec", "Required value"),
    ] {
        let found = object(kind, &spec);
        let [(Severity::Error, path, message)] = found.as_slice() else { panic!("{spec}: {found:?}") };
        assert_eq!(*path, format!("spec.{field}"), "{message}");
        assert!(message.contains(reason), "{message}");
    }
    assert_eq!(object("Pod", "spec: null").first().map(|found| found.1.as_str()), Some("spec"));
    for (kind, spec) in [
        ("Deployment", "spec: {replicas: 3}".to_owned()),
        ("Deployment", format!("spec: {{template: {{{LABELS}}}}}")),
        ("Deployment", format!("spec: {{{SELECTOR}, template: {{{LABELS}}}}}")),
        ("Deployment", "spec: {template: {spec: null}}".to_owned()),
        ("Deployment", format!("spec: {{replicas: 2, {SELECTOR}, template: {{spec: '${{POD}}'}}}}")),
        ("Rollout", format!("spec: {{replicas: 2, {SELECTOR}, template: null}}")),
        ("Pod", String::new()),
        ("CronJob", "spec: {suspend: true}".to_owned()),
    ] {
        assert_eq!(object(kind, &spec), [], "{kind} {spec}");
    }
}

/// Fields without which the API server refuses a webhook, a conversion or an aggregated API.
#[test]
fn called_servers_that_are_missing() {
    const WHOLE: &str = "admissionReviewVersions: [v1], sideEffects: None";
    const SERVICE: &str = "service: {name: a, namespace: shop}";
    let object = |api: &str, kind: &str, content: &str| {
        found(&format!("apiVersion: {api}/v1\nkind: {kind}\nmetadata: {{name: a}}\n{content}\n"))
    };
    let hook = |content: &str| {
        let content = format!("webhooks: [{{name: a.b.c, {content}}}]");
        object("admissionregistration.k8s.io", "MutatingWebhookConfiguration", &content)
    };
    let client = |content: &str| hook(&format!("{WHOLE}, clientConfig: {{{content}}}"));
    let crd = |content: &str| {
        let content = format!("spec: {{{content}}}");
        object("apiextensions.k8s.io", "CustomResourceDefinition", &content)
    };
    let conversion = |content: &str| crd(&format!("names: {{kind: A}}, conversion: {{{content}}}"));
    let api = |content: &str| object("apiregistration.k8s.io", "APIService", &format!("spec: {{{content}}}"));
    for (found, field, reason) in [
        (client("service: {name: a}"), "webhooks[0].clientConfig.service.namespace", "Required value"),
        (client("service: {namespace: a, name: ''}"), "webhooks[0].clientConfig.service.name", "Required value"),
        (client(""), "webhooks[0].clientConfig.service", "exactly one of url or service is required"),
        (hook(WHOLE), "webhooks[0].clientConfig", "exactly one of url or service is required"),
        (
            hook(&format!("admissionReviewVersions: [v1], clientConfig: {{{SERVICE}}}")),
            "webhooks[0].sideEffects",
            "Required value",
        ),
        (hook("sideEffects: Some"), "webhooks[0].sideEffects", "Unsupported value: \"Some\""),
        (conversion("strategy: webhook"), "spec.conversion.strategy", "Unsupported value: \"webhook\""),
        (conversion("strategy: Webhook"), "spec.conversion.webhook", "required when strategy is set to Webhook"),
        (
            crd(
                "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a}}}}",
            ),
            "spec.conversion.webhook.clientConfig.service.namespace",
            "Required value",
        ),
        (api("groupPriorityMinimum: 100, service: {namespace: a}"), "spec.service.name", "Required value"),
    ] {
        let [(severity, path, message)] = found.as_slice() else { panic!("{field}: {found:?}") };
        assert_eq!((*severity, path.as_str()), (Severity::Error, field));
        assert!(message.contains(reason), "{message}");
    }
    for found in [
        // Parts of objects.
        hook("clientConfig: {service: {name: a}}"),
        hook("clientConfig: {caBundle: Cg==}"),
        crd("conversion: {strategy: Webhook}"),
        crd("conversion: {webhook: {clientConfig: {service: {name: a}}}}"),
        api("service: {name: a}"),
        // Whole objects.
        client(SERVICE),
        client("url: 'https://a.example'"),
        client("service: {name: '${NAME}', namespace: '${NAMESPACE}'}"),
        hook(&format!("{WHOLE}, clientConfig: '${{CLIENT}}'")),
        conversion("strategy: None"),
        conversion(&format!(
            "strategy: Webhook, webhook: {{conversionReviewVersions: [v1], clientConfig: {{{SERVICE}}}}}"
        )),
        api("groupPriorityMinimum: 100, service: null"),
    ] {
        assert!(found.is_empty(), "{found:?}");
    }
    // Kustomize writes the namespace of the Service into the reference.
    let webhooks = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {{name: a}}\n\
         webhooks: [{{name: a.b.c, {WHOLE}, clientConfig: {{service: {{name: a}}}}}}]\n---\n"
    );
    let in_base = service("{port: 443}").replace(", namespace: shop", "");
    assert_eq!(found(&format!("{webhooks}{in_base}")), []);
    assert_eq!(found(&format!("{webhooks}{}", service("{port: 443}"))).len(), 1);
}
