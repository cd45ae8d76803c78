//! Rule `port-called`.

use super::{on_host, said, said_with, workload};
use insta::assert_snapshot;

const OUTSIDE: &str = "{apiServer: Outside}";

fn called(workload: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{name: a.b.c, \
         clientConfig: {{service: {{namespace: shop, name: web}}}}}}]\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: \
         {{selector: {{app: web}}, ports: [{{port: 443, targetPort: 9443}}]}}\n---\n{workload}"
    )
}

fn in_pod_network() -> String {
    workload("Deployment", "web", "{containers: [{name: web, ports: [{containerPort: 9443}]}]}")
}

#[test]
fn what_the_api_server_calls_and_cannot_reach() {
    assert_snapshot!(said_with("port-called", OUTSIDE, &called(&in_pod_network())), @"error: a.yaml:17:11: Deployment shop/web is in the pod network, which the API server does not reach (`apiServer: Outside`), and the API server calls it: ValidatingWebhookConfiguration hook calls it through Service shop/web. Its calls end with `Address is not allowed` or a time-out. Move it with a HostNetwork: `targets: [{select: {kind: Deployment, namespace: shop, name: web}, ports: auto}]`");
}

#[test]
fn on_the_host_network_or_inside_it_is_reached() {
    assert_eq!(said_with("port-called", OUTSIDE, &called(&on_host("web", ""))), "");
    assert_eq!(said("port-called", &called(&in_pod_network())), "");
    assert_eq!(said_with("port-called", OUTSIDE, &in_pod_network()), "");
}

#[test]
fn a_program_that_registers_itself_is_a_warning() {
    let spec = "{containers: [{name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.0.2', args: [core, start]}]}";
    let said = said_with("port-called", OUTSIDE, &workload("Deployment", "crossplane", spec));
    assert!(said.starts_with("warning: ") && said.contains("registers what it serves"), "{said}");
}

#[test]
fn a_service_that_is_not_there_is_a_warning() {
    let hook = called("").split("---\n").next().unwrap().to_owned();
    assert_snapshot!(said_with("port-called", OUTSIDE, &hook), @"warning: a.yaml:1:1: ValidatingWebhookConfiguration hook makes the API server call Service shop/web, which is not in the input: whether it can reach that was not judged");
}

/// The API server reaches itself: `default/kubernetes` is its own Service, which no manifest has.
#[test]
fn the_api_servers_own_service_is_not_said() {
    let hook = called("")
        .split("---\n")
        .next()
        .unwrap()
        .replace("{namespace: shop, name: web}", "{namespace: default, name: kubernetes}");
    assert_eq!(said_with("port-called", OUTSIDE, &hook), "");
    let other = hook.replace("namespace: default", "namespace: shop");
    assert!(said_with("port-called", OUTSIDE, &other).contains("Service shop/kubernetes"));
}

/// A Provider registers what it serves; on the host network it is reached.
#[test]
fn packages_that_register_themselves() {
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: aws}\nspec: {package: 'xpkg.upbound.io/upbound/provider-aws-s3:v1.20.0', runtimeConfigRef: {name: \
                    aws}}\n---\n";
    let config = |host: bool| {
        format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: aws}}\nspec: {{deploymentTemplate: {{spec: {{template: {{spec: {{hostNetwork: {host}}}}}}}}}}}\n---\n"
        )
    };
    let of = |host: bool| said_with("port-called", OUTSIDE, &[provider, &config(host)].concat());
    assert!(of(false).starts_with("warning: ") && of(false).contains("Provider aws"), "{}", of(false));
    assert_eq!(of(true), "");
}

/// cert-manager and twenty workloads that nobody calls are among the manifests of `tests/corpus/cluster`.
#[test]
fn exactly_what_is_called_of_a_cluster() {
    let folder = crate::support::project().join("tests/corpus/cluster");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let manifests = files.filter(|file| file.extension().is_some_and(|end| end == "yaml"));
    let mut all: Vec<_> = manifests.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    all.sort();
    let said = said_with("port-called", OUTSIDE, &all.join("\n---\n"));
    let mut called: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split(" is in the pod network").next()?.rsplit_once(": "))
        .map(|(_, name)| name)
        .collect();
    called.sort_unstable();
    assert_snapshot!(called.join("\n"), @"
    Deployment cert-manager/cert-manager-webhook
    Deployment crossplane-system/crossplane
    Deployment gatekeeper-system/gatekeeper-controller-manager
    Deployment kube-system/metrics-server
    Deployment kyverno/kyverno-admission-controller
    Deployment kyverno/kyverno-cleanup-controller
    Deployment project-v4-system/project-v4-controller-manager
    ");
}
