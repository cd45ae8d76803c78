//! Pods of Crossplane packages: rules about pod templates also judge runtime configs.

use super::{on_host, report, reported, reported_with, workload};
use crate::support::results::{brief, worded};
use hostnet::render::check::text;
use insta::assert_snapshot;

fn provider(name: &str, config: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec: {{package: 'example.org/{name}:v1', runtimeConfigRef: {{name: {config}}}}}\n---\n"
    )
}

/// A runtime config whose container declares these ports, with more fields of the pod spec.
fn config(name: &str, spec: &str, ports: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {{hostNetwork: true, {spec} \
         containers: [{{name: package-runtime, ports: [{{name: webhook, containerPort: 20443, hostPort: 20443}}, {ports}]}}]}}}}}}}}}}\n---\n"
    )
}

const DNS: &str = "dnsPolicy: ClusterFirstWithHostNet,";

fn metrics(number: u16, host: u16) -> String {
    format!("{{name: metrics, containerPort: {number}, hostPort: {host}}}")
}

fn of_one(spec: &str, ports: &str) -> String {
    [provider("p", "p"), config("p", spec, ports)].concat()
}

#[test]
fn rules_about_a_template_judge_a_runtime_config() {
    assert_snapshot!(worded(reported("host-port", &of_one(DNS, &metrics(20080, 20081)))), @r#"error: a.yaml:9:272: Provider p, container package-runtime: hostPort is 20081 and containerPort 20080; the API server refuses the Deployment that Crossplane makes of it: "spec.template.spec.containers[0].ports[1].hostPort: Invalid value: 20081: must match `containerPort` when `hostNetwork` is true" (up to v1.27 the message is the same error for `containerPort`: "must match `hostPort`"). Write `hostPort: 20080`"#);
    assert_snapshot!(brief(reported("pod-forbids", &of_one("dnsPolicy: Default, hostUsers: false,", &metrics(20080, 20080)))), @"error: pod-forbids DeploymentRuntimeConfig p spec.deploymentTemplate.spec.template.spec.hostUsers (a.yaml:9:118, v1.33)");
    assert_snapshot!(brief(reported("dns-policy", &of_one("", &metrics(20080, 20080)))), @"warning: dns-policy DeploymentRuntimeConfig p spec.deploymentTemplate.spec.template.spec.dnsPolicy (a.yaml:9:67)");
    assert_snapshot!(worded(reported("node-port", &of_one(DNS, &metrics(10250, 10250)))), @"error: a.yaml:9:224: Provider p, container package-runtime, port metrics (10250) is the port of kubelet on every node: it cannot listen there; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does");
    assert_eq!(text(&report("{nodes: 3}", &of_one(DNS, &metrics(20080, 20080)))).lines().count(), 1);
}

#[test]
fn a_port_of_a_package_is_taken_from_others() {
    let set = workload("DaemonSet", "a", &super::host_spec("ports: [{containerPort: 20080, hostPort: 20080}]"));
    assert_snapshot!(worded(reported("port-conflict", &[of_one(DNS, &metrics(20080, 20080)), set].concat())), @"error: a.yaml:17:125: DaemonSet shop/a, container web and Provider p, container package-runtime both use port 20080/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 20080, between: [pkg.crossplane.io/Provider/p, shop/DaemonSet/a]}]` in a HostNetwork that you give with `-c`");
    let second = |webhook: &str| {
        let ports = metrics(20081, 20081);
        [of_one(DNS, &metrics(20080, 20080)), provider("q", "q"), config("q", DNS, &ports).replace("20443", webhook)]
            .concat()
    };
    assert_eq!(reported("port-conflict", &second("20444")), "");
    // The webhook port that Crossplane declares by itself counts too.
    assert_eq!(reported("port-conflict", &second("20443")).lines().count(), 1);
    let bare = |name: &str| {
        [
            provider(name, name),
            config(name, DNS, "").replace("{name: webhook, containerPort: 20443, hostPort: 20443}, ", ""),
        ]
        .concat()
    };
    assert_eq!(reported("port-conflict", &[bare("a"), bare("b")].concat()).lines().count(), 2);
}

/// Packages that share a runtime config have a single finding, of rule `runtime-config`; Functions have one of rule
/// `function`.
#[test]
fn packages_that_another_rule_reports_are_not_a_conflict() {
    let shared = [provider("a", "x"), provider("b", "x"), config("x", DNS, &metrics(20080, 20080))].concat();
    assert_eq!(
        (reported("port-conflict", &shared).as_str(), reported("runtime-config", &shared).lines().count()),
        ("", 1)
    );
    let function = |name: &str| {
        [provider(name, name), config(name, DNS, &metrics(20080, 20080))].concat().replace("Provider", "Function")
    };
    let both = [function("a"), function("b")].concat();
    assert_eq!((reported("port-conflict", &both).as_str(), reported("function", &both).lines().count()), ("", 1));
}

/// Selects, suppressions and annotations may name a package or its runtime config.
#[test]
fn a_select_may_name_the_package_or_its_runtime_config() {
    let manifest = of_one("", &metrics(20080, 20080));
    let count = |spec: &str| reported_with("dns-policy", spec, &manifest).lines().count();
    for select in ["{kind: Provider}", "{kind: DeploymentRuntimeConfig}"] {
        assert_eq!(count(&format!("{{select: [{select}]}}")), 1, "{select}");
        assert_eq!(count(&format!("{{exclude: [{select}]}}")), 0, "{select}");
        assert_eq!(
            count(&format!("{{suppress: [{{rule: dns-policy, select: {select}, reason: ours}}]}}")),
            0,
            "{select}"
        );
    }
    assert_eq!(count("{select: [{kind: Deployment}]}"), 0);
    let annotated = manifest
        .replace("Provider\nmetadata: {", "Provider\nmetadata: {annotations: {ignore.hostnet.dev/dns-policy: ours}, ");
    assert_eq!((reported("dns-policy", &annotated).as_str(), reported("unused-ignore", &annotated).as_str()), ("", ""));
}

/// A dump also holds the Deployment that Crossplane created for the package.
#[test]
fn a_package_and_its_deployment_are_one_workload() {
    let made = on_host("p-7f", "ports: [{containerPort: 20080, hostPort: 20080}]")
        .replace("metadata: {name: p-7f,", "metadata: {name: p-7f, ownerReferences: [{apiVersion: pkg.crossplane.io/v1, kind: ProviderRevision, name: p-7f, controller: true}],")
        .replace("labels: {app: p-7f}", "labels: {pkg.crossplane.io/provider: p}");
    let package = of_one(DNS, &metrics(20080, 20080));
    assert_eq!(reported("port-conflict", &[package.clone(), made.clone()].concat()), "");
    assert_ne!(reported("port-conflict", &[package.replace("name: p}", "name: q}"), made].concat()), "");
}

#[test]
fn replicas_of_a_runtime_config_count() {
    let two = of_one(DNS, &metrics(20080, 20080)).replace("selector: {}", "replicas: 2, selector: {}");
    assert_snapshot!(brief(reported_with("replicas-nodes", "{nodes: 1}", &two)), @"error: replicas-nodes DeploymentRuntimeConfig p spec.deploymentTemplate.spec.replicas (a.yaml:9:46, 1, 2, 20443/TCP)");
}

/// The kind of runtime configs is known, so the report does not list it as unknown.
#[test]
fn the_kind_of_runtime_configs_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let reported = |group: &str, kind: &str| {
        let manifest = format!(
            "apiVersion: {group}/v1beta1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: \
             {{containers: [{{name: package-runtime, image: 'a.io/o/a:v1'}}]}}}}}}}}}}\n"
        );
        std::fs::write(folder.path().join("a.yaml"), manifest).unwrap();
        let run = crate::support::run::hostnet(folder.path(), &["check", "a.yaml"], b"");
        format!("{}{}", run.text(), run.stderr)
    };
    assert!(!reported("pkg.crossplane.io", "DeploymentRuntimeConfig").contains("not read"));
    for (group, kind) in [("example.com", "DeploymentRuntimeConfig"), ("pkg.crossplane.io", "OtherConfig")] {
        let log = reported(group, kind);
        assert!(log.contains("does not know the kind"), "{group} {kind}: {log}");
    }
}

/// Crossplane makes a Deployment of these values, which the API server refuses.
#[test]
fn invalid_values_of_a_runtime_config_are_errors() {
    let of = |spec: &str, ports: &str| {
        let manifest = of_one(spec, ports);
        (reported("document", &manifest), reported("port-declared", &manifest))
    };
    let (document, declared) =
        of("dnsPolicy: ClusterFirstWithHostnet,", "{name: metrics, containerPort: 8080, protocol: tcp}");
    assert_snapshot!(brief(document), @"
    error: document DeploymentRuntimeConfig p spec.deploymentTemplate.spec.template.spec.dnsPolicy (a.yaml:9:98)
    error: document DeploymentRuntimeConfig p spec.deploymentTemplate.spec.template.spec.containers[0].ports[1].protocol (a.yaml:9:271)
    ");
    assert_eq!(declared, "", "the number is declared, with a wrong protocol");
    for ports in
        ["{containerPort: 70000}", "{containerPort: 8080, hostPort: '22'}", "{name: webhook, containerPort: 20444}"]
    {
        let (document, _) = of(DNS, ports);
        assert_eq!(document.lines().count(), 1, "{ports}: {document}");
    }
    assert_eq!(of(DNS, &metrics(8080, 8080)), (String::new(), String::new()));
    let strategy = of_one(DNS, "").replace("selector: {}", "selector: {}, strategy: {type: rollingUpdate}");
    assert_snapshot!(brief(reported("document", &strategy)), @"error: document DeploymentRuntimeConfig p spec.deploymentTemplate.spec.strategy.type (a.yaml:9:67)");
}
