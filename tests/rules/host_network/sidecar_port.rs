//! Rule `sidecar-port`: ports that a `SidecarSet` adds to moved pods.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{deployment_named, run};

fn set(app: &str, port: u16) -> String {
    format!(
        "---\napiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {{name: agent}}\nspec:\n  selector: {{matchLabels: {{app: {app}}}}}\n  \
         containers: [{{name: agent, ports: [{{containerPort: {port}}}]}}]\n"
    )
}

/// The messages of a rule, and true if the manifest changed.
pub(super) fn reported(rule: &str, select: &str, port: u16, manifest: &str) -> (String, bool) {
    let (output, log) = run(&format!("{{targets: [{{select: {{{select}}}, ports: {{http: {port}}}}}]}}"), manifest);
    let tag = format!("[{rule}]");
    (log.into_iter().filter(|line| line.ends_with(&tag)).collect::<Vec<_>>().join("\n"), output != manifest)
}

#[test]
fn an_injected_port_becomes_a_port_of_the_node() {
    let manifest = [deployment_named("web", 8080, true), set("web", 15000)].concat();
    let (warning, changed) = reported("sidecar-port", "name: web", 21000, &manifest);
    assert_snapshot!(worded(warning), @"warning: standard input:17:38: SidecarSet agent: injects 15000/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Use another selector [sidecar-port]");
    assert!(changed);
    let other = [deployment_named("web", 8080, true), set("api", 15000)].concat();
    assert_eq!(reported("sidecar-port", "name: web", 21000, &other), (String::new(), true));
}

/// On the host network the API server refuses a host port that differs from the port.
#[test]
fn a_workload_with_an_injected_different_host_port_does_not_move() {
    let mapped = |app: &str| set(app, 15000).replace("containerPort: 15000", "containerPort: 15000, hostPort: 15001");
    let manifest = [deployment_named("web", 8080, true), mapped("web")].concat();
    let (error, changed) = reported("sidecar-port", "name: web", 21000, &manifest);
    assert!(error.starts_with("error: ") && error.contains("containerPort 15000 with hostPort 15001"), "{error}");
    assert!(!changed);
    let other = [deployment_named("web", 8080, true), mapped("api")].concat();
    assert_eq!(reported("sidecar-port", "name: web", 21000, &other), (String::new(), true));
}

/// The new number is compared with the ports of the set, not the old one.
#[test]
fn a_workload_does_not_move_to_an_injected_port() {
    let manifest = [deployment_named("web", 8080, true), set("web", 21000)].concat();
    let (error, changed) = reported("sidecar-port", "name: web", 21000, &manifest);
    assert_snapshot!(worded(error), @"error: standard input:17:38: SidecarSet agent: injects 21000/TCP into pods on the host network that listen on it themselves (Deployment shop/web): the API server checks this only for the Pod, and the second process fails with `bind: address already in use`. Use another number or selector [sidecar-port]");
    assert!(!changed);
    let away = [deployment_named("web", 8080, true), set("web", 8080)].concat();
    assert!(reported("sidecar-port", "name: web", 21000, &away).0.contains("where it is a port of the node"));
}

/// `auto` does not assign a number that a `SidecarSet` makes a port of the node; ports of sets for other pods in the
/// pod network are free.
#[test]
fn an_automatic_number_is_not_an_injected_port() {
    let auto = |manifest: &str| {
        let (output, log) = run("{targets: [{select: {name: web}, ports: auto}], portPool: 21000-21001}", manifest);
        let given = output.lines().find_map(|line| line.split("hostPort: ").nth(1)).unwrap_or_default();
        (given.trim_end_matches(['}', ']']).parse::<u16>().unwrap(), log)
    };
    let web = deployment_named("web", 8080, true);
    let (free, _) = auto(&web);
    let (other, log) = auto(&[web.as_str(), &set("web", free)].concat());
    assert!(
        other != free && !log.iter().any(|line| line.starts_with("error") || line.contains("listen there themselves")),
        "{log:?}"
    );
    assert_eq!(auto(&[web.as_str(), &set("api", free)].concat()).0, free);
    let api = deployment_named("api", 8081, true).replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    assert_eq!(auto(&[web.as_str(), "---\n", &api, &set("api", free)].concat()).0, other);
}

/// Deployment `web` with annotations of its pods.
fn annotated(annotations: &str) -> String {
    let of_pods = format!("      labels: {{app: web}}\n      annotations: {{{annotations}}}\n");
    deployment_named("web", 8080, true).replacen("      labels: {app: web}\n", &of_pods, 1)
}

/// The messages about Deployment `web` and another object.
fn beside(web: &str, object: &str) -> String {
    let (messages, changed) = reported("sidecar-port", "name: web", 21000, &format!("{web}---\n{object}"));
    assert!(changed, "{messages}");
    messages
}

#[test]
fn a_collector_in_the_mode_sidecar_is_put_into_annotated_pods() {
    let collector = |mode: &str, config: &str| {
        format!(
            "apiVersion: opentelemetry.io/v1beta1\nkind: OpenTelemetryCollector\nmetadata: {{name: side, namespace: shop}}\nspec:\n  mode: {mode}\n  config: {config}\n"
        )
    };
    let otlp =
        "{receivers: {otlp: {protocols: {grpc: {endpoint: '0.0.0.0:4317'}, http: }}, redis: {endpoint: 'redis:6379'}}}";
    let with = |value: &str, mode: &str| {
        let web = annotated(&format!("sidecar.opentelemetry.io/inject: '{value}'"));
        assert_ne!(web, deployment_named("web", 8080, true));
        beside(&web, &collector(mode, otlp))
    };
    assert_snapshot!(worded(with("true", "sidecar")), @r#"
    warning: standard input:18:11: OpenTelemetryCollector shop/side: injects 4317/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Write `sidecar.opentelemetry.io/inject: "false"` on the pods [sidecar-port]
    warning: standard input:18:11: OpenTelemetryCollector shop/side: injects 4318/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Write `sidecar.opentelemetry.io/inject: "false"` on the pods [sidecar-port]
    "#);
    for value in ["side", "shop/side"] {
        assert_eq!(with(value, "sidecar"), with("true", "sidecar"), "{value}");
    }
    for (value, mode) in [("false", "sidecar"), ("other", "sidecar"), ("other/side", "sidecar"), ("true", "deployment")]
    {
        assert_eq!(with(value, mode), "", "{value} {mode}");
    }
    let text = "|\n    receivers:\n      zipkin: {endpoint: '0.0.0.0:9411'}";
    let web = annotated("sidecar.opentelemetry.io/inject: 'true'");
    assert!(beside(&web, &collector("sidecar", text)).contains("injects 9411/TCP"));
}

/// Injectors without an object in the input; each pod has its own numbers.
#[test]
fn an_annotation_alone_lets_an_injector_add_a_container() {
    let moved = |web: &str| {
        let (messages, changed) = reported("sidecar-port", "name: web", 21000, web);
        assert!(changed, "{messages}");
        messages
    };
    let dapr = moved(&annotated("dapr.io/enabled: 'true', dapr.io/grpc-port: '50011'"));
    assert_snapshot!(worded(dapr.lines().next().unwrap()), @r#"warning: standard input:8:38: Dapr (`dapr.io/enabled`): injects 3500/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Write `dapr.io/enabled: "false"` on the pods [sidecar-port]"#);
    let numbers = |messages: &str| {
        let after = messages.lines().filter_map(|line| line.split("injects ").nth(1)?.split(' ').next());
        after.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(numbers(&dapr), @"3500/TCP 3501/TCP 50002/TCP 50011/TCP 9090/TCP");
    let agent = "vault.hashicorp.com/agent-inject: 'true', vault.hashicorp.com/agent-";
    assert_snapshot!(numbers(&moved(&annotated(&format!("{agent}cache-enable: 'true'")))), @"8200/TCP");
    let jaeger = deployment_named("web", 8080, true).replacen(
        "name: web",
        "name: web, annotations: {sidecar.jaegertracing.io/inject: 'true'}",
        1,
    );
    assert_snapshot!(numbers(&moved(&jaeger)), @"14271/TCP 5775/UDP 5778/TCP 6831/UDP 6832/UDP");
    // The value may be the name of a collector that is not in the input, or a word of the injector.
    let collector = |value: &str| annotated(&format!("sidecar.opentelemetry.io/inject: '{value}'"));
    assert_snapshot!(numbers(&(moved(&collector("true")) + &moved(&collector("shop/side")))), @"8888/TCP");
    let telepresence = |value: &str| annotated(&format!("telepresence.io/inject-traffic-agent: {value}"));
    assert_snapshot!(numbers(&moved(&telepresence("enabled"))), @"9900/TCP");
    let has_agent = annotated("dapr.io/enabled: 'true'").replacen(
        "      - {name: web",
        "      - {name: daprd}\n      - {name: web",
        1,
    );
    for web in [
        annotated("dapr.io/enabled: 'false', dapr.io/app-id: web"),
        annotated(agent.rsplit_once(", ").unwrap().0),
        annotated(&format!("{agent}cache-enable: 'true', vault.hashicorp.com/agent-pre-populate-only: 'true'")),
        annotated("sidecar.jaegertracing.io/inject: 'true'"),
        jaeger.replace("inject: 'true'", "inject: 'false'"),
        collector("false"),
        telepresence("disabled"),
        annotated("instrumentation.opentelemetry.io/inject-java: 'true'"),
        has_agent,
    ] {
        assert_eq!(moved(&web), "", "{web}");
    }
}

/// Neither a given number nor one of `auto` is a port of the container that the annotation adds.
#[test]
fn a_workload_does_not_move_to_a_port_of_an_annotated_injector() {
    let web = annotated("dapr.io/enabled: 'true', dapr.io/metrics-port: '21000'");
    let (error, changed) = reported("sidecar-port", "name: web", 21000, &web);
    assert!(error.contains("injects 21000/TCP into pods on the host network that listen on it themselves"), "{error}");
    assert!(!changed);
}

#[test]
fn a_proxy_of_cloud_sql_is_put_into_the_workload_that_it_names() {
    let proxy = |selector: &str| {
        let object = format!(
            "apiVersion: cloudsql.cloud.google.com/v1\nkind: AuthProxyWorkload\nmetadata: {{name: p, namespace: shop}}\nspec: {{workloadSelector: {{{selector}}}, instances: [{{connectionString: 'p:r:i', port: 5432}}]}}\n"
        );
        beside(&deployment_named("web", 8080, true), &object)
    };
    assert_snapshot!(worded(proxy("kind: Deployment, name: web")), @"
    warning: standard input:15:103: AuthProxyWorkload shop/p: injects 5432/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Let it name another workload [sidecar-port]
    warning: standard input:15:7: AuthProxyWorkload shop/p: injects 9801/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Let it name another workload [sidecar-port]
    ");
    assert_eq!(proxy("kind: Deployment, name: api") + &proxy("kind: StatefulSet, name: web"), "");
    assert_eq!(proxy("kind: Deployment, selector: {matchLabels: {tier: db}}"), "");
}

#[test]
fn containers_that_a_rule_of_kyverno_adds() {
    let policy = |match_: &str, mutate: &str| {
        let object = format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: add}}\nspec: {{rules: [{{name: s, match: {{any: [{{resources: {{{match_}}}}}]}}, mutate: {mutate}}}]}}\n"
        );
        beside(&deployment_named("web", 8080, true), &object)
    };
    let merge = |container: &str| {
        format!("{{patchStrategicMerge: {{spec: {{template: {{spec: {{containers: [{container}]}}}}}}}}}}")
    };
    let envoy = "{name: envoy, image: 'envoy:1', ports: [{containerPort: 9901}]}";
    let here = "kinds: [Deployment], namespaces: [shop]";
    assert_snapshot!(worded(policy(here, &merge(envoy))), @"warning: standard input:15:207: ClusterPolicy add: injects 9901/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Exclude them in its `match` [sidecar-port]");
    let operations = "{patchesJson6902: '[{op: add, path: /spec/containers/-, value: {name: e, image: e, ports: [{containerPort: 9901}]}}]'}";
    assert!(policy("kinds: [Pod]", operations).contains("injects 9901/TCP"));
    // Another namespace, existing containers, and a container without ports.
    assert_eq!(policy("kinds: [Deployment], namespaces: [other]", &merge(envoy)), "");
    assert_eq!(policy(here, &merge("{(name): '*', image: x, ports: [{containerPort: 9901}]}")), "");
    assert_eq!(policy(here, &merge("{name: envoy, image: 'envoy:1'}")), "");
}
