//! All projects of `tests/corpus/catalog` as one input, as in one cluster: nothing conflicts, no reference is lost, and
//! workloads that cannot move are reported.
//!
//! Their objects are unchanged. One name occurs in two projects (an APIService, which never changes); all workloads,
//! Services and objects that refer to ports have unique names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines
)]
#![allow(clippy::print_stderr, clippy::string_slice, reason = "these are tests")]

mod referee;
use crate::support::run;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use hostnet::api::HostNetworkConfig;
use hostnet::kinds;
use hostnet::render::Diagnostic;
use hostnet::rule::Severity;
use insta::assert_snapshot;
use krm::{Input, Origin};
use serde_json::{Value, json};

/// The workloads that can move, as one input, and the output for it.
static MOVABLE: LazyLock<(String, String)> = LazyLock::new(|| {
    let movable: Vec<String> = DOCUMENTS.iter().filter(|document| !is_fixed(document)).cloned().collect();
    let input = stream(&movable);
    let output = applied(&input, &config([]));
    (input, output)
});

/// The API group of Crossplane packages, which a select must name.
const PACKAGES: &str = "pkg.crossplane.io";

/// The documents of all projects, with only one copy of Crossplane's default runtime config, which every file of
/// packages contains.
static DOCUMENTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/catalog");
    let mut inputs: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path().join("input.yaml")).collect();
    inputs.sort();
    let texts = inputs.iter().filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).unwrap());
    let mut seen = BTreeSet::new();
    let mut first = |document: &String| !document.contains("  name: default\n") || seen.insert(document.clone());
    texts.flat_map(|text| documents(&text)).filter(|document| first(document)).collect()
});

/// Workloads that keep a number, with the message for each listener. Workloads with the same number are reported
/// together, with the `shared` entry to add; with that entry, each has its own message.
static FIXED: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let input = stream(&DOCUMENTS);
    let mut shared: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    let log = loop {
        let log = reported(&input, &with_shared(&shared));
        let advice: Vec<_> = log.iter().filter_map(|outcome| advice(&outcome.message)).collect();
        if advice.is_empty() {
            break log;
        }
        for (port, between) in advice {
            shared.entry(port).or_default().extend(between);
        }
    };
    let mut fixed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for outcome in log.iter().filter(|outcome| keeps(outcome)) {
        let why = outcome.message.split(". ").next().unwrap();
        fixed.entry(about(outcome)).or_default().insert(format!("{why} [{}]", outcome.rule));
    }
    fixed
});

/// True if the result says that its object keeps a number or does not change. A kept number that is also a node port is
/// not a separate reason.
fn keeps(outcome: &Diagnostic) -> bool {
    let stays = ["keeps its number", "It keeps", " stays on the pod network"];
    outcome.severity == Severity::Error || stays.iter().any(|words| outcome.message.contains(words))
}

/// Returns the port and the workloads of the `shared` entry that a message suggests.
fn advice(message: &str) -> Option<(u64, Vec<String>)> {
    let (_, advice) = message.split_once("write `shared: ")?;
    let shared: Value = serde_yaml::from_str(advice.split('`').next()?).unwrap();
    Some((shared[0]["port"].as_u64().unwrap(), serde_json::from_value(shared[0]["between"].clone()).unwrap()))
}

fn with_shared(shared: &BTreeMap<u64, BTreeSet<String>>) -> Value {
    let mut config = config([]);
    // Enough nodes for all pods with one number: workloads that keep a number can then move.
    config["spec"]["nodes"] = json!(1000);
    config["spec"]["shared"] = shared.iter().map(|(port, between)| json!({"port": port, "between": between})).collect();
    config
}

/// Returns one line per workload that keeps numbers, for packages or for other workloads.
fn kept(packages: bool) -> String {
    let is_package = |line: &&String| line.starts_with("Provider ") || line.starts_with("Function ");
    let lines: Vec<&str> =
        FIXED.values().flatten().filter(|line| is_package(line) == packages).map(String::as_str).collect();
    lines.join("\n")
}

#[test]
fn workloads_that_keep_a_number() {
    assert_snapshot!(kept(false), @r#"
    DaemonSet kube-system/agent-defaults, container aws-eks-nodeagent, port pprof (6060): keeps its number: aws-network-policy-agent has no flag or variable for it in any version [port-setting]
    DaemonSet node-feature-discovery/nfd-worker, container worker, port health (8082): keeps its number: `-grpc-health` of nfd-worker does not exist before v0.16.5, and this is v0.16.4 [port-setting]
    DaemonSet velero/node-agent, container node-agent, port ctrl-metrics (8080): keeps its number: velero-node-agent has no flag or variable for it in any version [port-setting]
    DaemonSet velero/node-agent-defaults, container node-agent, port ctrl-metrics (8080): keeps its number: velero-node-agent has no flag or variable for it in any version [port-setting]
    Deployment argo-events/events-webhook, container webhook, port webhook (443): keeps its number: argo-events-webhook has no flag or variable for it in any version [port-setting]
    Deployment argo/argo-server-elsewhere, container argo-server, port web (2746): keeps its number: `-p` is `$(P_FROM)`, not a port number [port-setting]
    Deployment argo/argo-server-elsewhere-2, container argo-server, port web (2746): keeps its number: `ARGO_PORT` is a value from elsewhere, not a port number [port-setting]
    Deployment argocd/argocd-redis, container redis, port 6379: keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment auth/oauth2-proxy-alpha, container oauth2-proxy, port http (4180): keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment auth/oauth2-proxy-tls-elsewhere, container oauth2-proxy, port https (4443): keeps its number: `OAUTH2_PROXY_HTTPS_ADDRESS` is a value from elsewhere, not a port number [port-setting]
    Deployment azure-workload-identity-system/azure-wi-webhook-controller-manager, container manager, port webhook-server (9443): keeps its number: azure-workload-identity-webhook has no flag or variable for it in any version [port-setting]
    Deployment azure-workload-identity/webhook-defaults, container main, port webhook-server (9443): keeps its number: azure-workload-identity-webhook has no flag or variable for it in any version [port-setting]
    Deployment capa-system/capa-controller-manager-elsewhere, container main, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capg-system/capg-controller-manager-elsewhere, container main, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capi-kubeadm-bootstrap-system/capi-kubeadm-bootstrap-controller-manager-elsewhere, container manager, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capi-kubeadm-control-plane-system/capi-kubeadm-control-plane-controller-manager-elsewhere, container manager, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capi-system/capi-controller-manager-elsewhere, container manager, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capm3-system/capm3-controller-manager-elsewhere, container main, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capo-system/capo-controller-manager-elsewhere, container main, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capsule-system/capsule-controller-manager, container manager, port health-api (10080): keeps its number: capsule has no flag or variable for it in any version [port-setting]
    Deployment capsule/capsule-defaults, container main, port health-api (10080): keeps its number: capsule has no flag or variable for it in any version [port-setting]
    Deployment capv-system/capv-controller-manager-elsewhere, container main, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment capz-system/capz-controller-manager-elsewhere, container main, port metrics (8443): keeps its number: `--metrics-bind-addr` is `$(METRICS_BIND_ADDR_FROM)`, not a port number [port-setting]
    Deployment cattle-fleet-system/fleet-controller, container fleet-controller, port pprof (6060): keeps its number: fleet-controller has no flag or variable for it in any version [port-setting]
    Deployment cattle-fleet-system/fleet-controller-env, container fleet-controller, port pprof (6060): keeps its number: fleet-controller has no flag or variable for it in any version [port-setting]
    Deployment cattle-fleet-system/gitjob-elsewhere, container gitjob, port metrics (8081): keeps its number: `--metrics-bind-address` is `$(METRICS_BIND_ADDRESS_FROM)`, not a port number [port-setting]
    Deployment cattle-fleet-system/helmops-elsewhere, container helmops, port metrics (8081): keeps its number: `--metrics-bind-address` is `$(METRICS_BIND_ADDRESS_FROM)`, not a port number [port-setting]
    Deployment cnpg-system/cnpg-controller-manager-pprof, container manager, port pprof (6060): keeps its number: cloudnative-pg has no flag or variable for it in any version [port-setting]
    Deployment crossplane-system/crossplane-rbac-manager stays on the pod network: the ports of crossplane-rbac-manager cannot be set (metrics 8080), and nothing in the cluster calls it [program-alone]
    Deployment dapr-system/dapr-operator, container dapr-operator, port webhook (19443): keeps its number: `--webhook-server-port` of dapr-operator does not exist before v1.14.0, and this is v1.13.4 [port-setting]
    Deployment dapr-system/dapr-sidecar-injector, container dapr-sidecar-injector, port https (4000): keeps its number: `--port` of dapr-sidecar-injector does not exist before v1.14.0, and this is v1.13.4 [port-setting]
    Deployment external-dns/external-dns-elsewhere, container external-dns, port http (7979): keeps its number: `EXTERNAL_DNS_METRICS_ADDRESS` is a value from elsewhere, not a port number [port-setting]
    Deployment external-dns/external-dns-webhook, container webhook, port http-webhook (8080): keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment jobset-system/jobset-args, container controller, port webhook (9443): keeps its number: jobset reads it from `webhook.port` of its config file, and no flag names that file [port-setting]
    Deployment jobset-system/jobset-controller-manager, container manager, port webhook-server (9443): keeps its number: jobset reads it from `webhook.port` of its config file, and key `controller_manager_config.yaml` of ConfigMap `jobset-manager-config` (`/controller_manager_config.yaml`) has no such field; write it there first [port-setting]
    Deployment knative-eventing/eventing-controller, container eventing-controller, port probes (8080): keeps its number: knative-eventing-controller has no flag or variable for it in any version [port-setting]
    Deployment knative-serving/autoscaler, container autoscaler, port websocket (8080): keeps its number: knative-serving-autoscaler has no flag or variable for it in any version [port-setting]
    Deployment knative-serving/controller, container controller, port probes (8080): keeps its number: knative-serving-controller has no flag or variable for it in any version [port-setting]
    Deployment knative-serving/controller-env, container controller-env, port probes (8080): keeps its number: knative-serving-controller has no flag or variable for it in any version [port-setting]
    Deployment kuberay/kuberay-webhooks, container main, port webhook-server (9443): keeps its number: kuberay-operator has no flag or variable for it in any version [port-setting]
    Deployment kubewarden/kubewarden-defaults, container main, port webhook-server (9443): keeps its number: kubewarden-controller has no flag or variable for it in any version [port-setting]
    Deployment kueue-system/kueue-controller-manager, container manager, port visibility (8082): keeps its number: kueue reads it from `visibilityServer.bindPort` of its config file, and key `controller_manager_config.yaml` of ConfigMap `kueue-manager-config` (`/controller_manager_config.yaml`) has no such field; write it there first; `--visibility-server-port` of kueue was removed in v0.18.0, and this is v0.19.2 [port-setting]
    Deployment legacy/metrics-server, container metrics-server, port https (443): `--secure-port=22348` cannot be added: the container has neither command nor args, and args would replace the image's own [port-setting]
    Deployment linkerd/linkerd-proxy-injector, container proxy-injector, port proxy-injector (8443): cannot move to 22080: Deployment linkerd/linkerd-proxy-injector at spec.template.metadata.annotations["config.linkerd.io/opaque-ports"] refers to 8443 and cannot be changed: annotation `config.linkerd.io/opaque-ports` names the port, and its format is not known [port-reference]
    Deployment lws/lws-defaults, container main, port webhook-server (9443): keeps its number: lws reads it from `webhook.port` of its config file, and no flag names that file [port-setting]
    Deployment mesh/control-plane-defaults, container control-plane, port 5678: keeps its number: `KUMA_DP_SERVER_PORT` also sets the number that data planes dial at the Service [port-setting]
    Deployment mesh/kuma-control-plane, container control-plane, port 5678: keeps its number: `KUMA_DP_SERVER_PORT` also sets the number that data planes dial at the Service [port-setting]
    Deployment messaging-topology-operator-system/messaging-topology-operator, container main, port webhook-server (9443): keeps its number: messaging-topology-operator has no flag or variable for it in any version [port-setting]
    Deployment messaging-topology-operator-system/messaging-topology-operator-defaults, container main, port webhook-server (9443): keeps its number: messaging-topology-operator has no flag or variable for it in any version [port-setting]
    Deployment metallb-system/metallb-controller, container main, port webhook-server (9443): keeps its number: metallb-controller has no flag or variable for it in any version [port-setting]
    Deployment metallb-system/metallb-controller-defaults, container main, port webhook-server (9443): keeps its number: metallb-controller has no flag or variable for it in any version [port-setting]
    Deployment mongodb-kubernetes-system/mongodb-kubernetes-operator, container main, port metrics (8080): keeps its number: mongodb-kubernetes-operator has no flag or variable for it in any version [port-setting]
    Deployment mongodb-kubernetes-system/mongodb-kubernetes-operator-defaults, container main, port metrics (8080): keeps its number: mongodb-kubernetes-operator has no flag or variable for it in any version [port-setting]
    Deployment nginx-ingress/nginx-ingress, container nginx-ingress, port prometheus (9113): keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment nginx-ingress/nginx-passthrough, container main, port https (443): keeps its number: `-tls-passthrough-port` is `$(TLS)`, not a port number [port-setting]
    Deployment olm/catalog-operator, container catalog-operator, port metrics (8443): keeps its number: olm-catalog-operator has no flag or variable for it in any version [port-setting]
    Deployment olm/olm-operator, container olm-operator, port metrics (8080): keeps its number: olm-operator has no flag or variable for it in any version [port-setting]
    Deployment opentelemetry-operator-system/opentelemetry-operator-controller-manager-env-elsewhere, container manager, port https (8443): keeps its number: `--metrics-addr` is `$(METRICS_ADDR_FROM)`, not a port number [port-setting]
    Deployment polaris-system/polaris-dashboard-elsewhere, container main, port http (8080): keeps its number: `-p` is `$(P_FROM)`, not a port number [port-setting]
    Deployment polaris-system/polaris-webhook, container main, port metrics (8080): keeps its number: polaris-webhook has no flag or variable for it in any version [port-setting]
    Deployment polaris-system/polaris-webhook-defaults, container main, port metrics (8080): keeps its number: polaris-webhook has no flag or variable for it in any version [port-setting]
    Deployment project-v2-system/project-v2-controller-manager, container manager, port webhook-server (9443): keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment project-v4-system/project-v4-controller-manager, container manager, port webhook-server (9443): keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment redpanda/redpanda-operator, container manager, port webhook-server (9443): keeps its number: redpanda-operator has no flag or variable for it in any version [port-setting]
    Deployment redpanda/redpanda-operator-quiet, container manager, port pprof (6060): keeps its number: neither the manifest nor the catalogue shows the setting of its number [port-setting]
    Deployment registry/core-alone, container main, port 8080: keeps its number: harbor-core has no flag or variable for it in any version [port-setting]
    Deployment registry/core-tls, container main, port 8443: keeps its number: harbor-core has no flag or variable for it in any version [port-setting]
    Deployment registry/harbor-core, container core, port 8080: keeps its number: harbor-core has no flag or variable for it in any version [port-setting]
    Deployment registry/trivy-elsewhere, container main, port api-server (8080): keeps its number: `SCANNER_API_SERVER_ADDR` is a value from elsewhere, not a port number [port-setting]
    Deployment tekton-pipelines-resolvers/tekton-pipelines-remote-resolvers, container controller, port probes (8080): keeps its number: tekton-pipelines-remote-resolvers has no flag or variable for it in any version [port-setting]
    Deployment tekton-pipelines-resolvers/tekton-pipelines-remote-resolvers-defaults, container controller, port probes (8080): keeps its number: tekton-pipelines-remote-resolvers has no flag or variable for it in any version [port-setting]
    Deployment vault/vault-injector-env-elsewhere, container sidecar-injector, port https (8080): keeps its number: `-listen` is `$(LISTEN_FROM)`, not a port number [port-setting]
    Deployment velero-cli/velero, container velero, port ctrl-metrics (8080): keeps its number: velero has no flag or variable for it in any version [port-setting]
    Deployment velero/velero, container velero, port ctrl-metrics (8080): keeps its number: velero has no flag or variable for it in any version [port-setting]
    Deployment vm/operator, container manager, port webhook-server (9443): keeps its number: `--webhook.port` of victoria-metrics-operator does not exist before v0.48.0, and this is v0.47.3 [port-setting]
    "#);
}

#[test]
fn packages_that_keep_a_number() {
    assert_snapshot!(kept(true), @"
    Provider provider-aws-classic, container package-runtime, port metrics (8080): keeps its number: provider-aws has no flag or variable for it in any version [port-setting]
    Provider provider-helm-before-ports, container package-runtime, port metrics (8080): keeps its number: `METRICS_BIND_ADDRESS` of provider-helm does not exist before v1.4.0, and this is v1.3.0 [port-setting]
    Provider provider-http, container package-runtime, port metrics (8080): keeps its number: provider-http has no flag or variable for it in any version [port-setting]
    Provider provider-nop, container package-runtime, port metrics (8080): keeps its number: provider-nop has no flag or variable for it in any version [port-setting]
    Provider provider-sql-before-ports, container package-runtime, port metrics (8080): keeps its number: `--metrics-bind-address` of provider-sql does not exist before v0.15.0, and this is v0.9.0 [port-setting]
    Provider provider-terraform, container package-runtime, port metrics (8080): keeps its number: provider-terraform has no flag or variable for it in any version [port-setting]
    ");
}

#[test]
fn all_movable_workloads_move_together() {
    let (movable, output) = &*MOVABLE;
    let config = config([]);
    assert_snapshot!(referee::judge(output, &BTreeSet::new()), @r#"
    352 workloads, 857 ports, 143 Service ports, 220 probes and hooks, 19 scrape annotations
    Deployment argo/workflow-controller: not on the host network
    Deployment argo/workflow-controller, container workflow-controller: port 9090: hostPort Null
    Deployment argo/workflow-controller, container workflow-controller: port 6060: hostPort Null
    Deployment argo/workflow-controller, container workflow-controller: 6060 is a port of the nodes
    Deployment capsule/capsule-elsewhere, container main and Deployment azure-workload-identity/webhook-elsewhere, container main: both on 9443
    Deployment capsule/capsule-elsewhere, container main: 8080 is a port of the nodes
    Deployment capsule/capsule-elsewhere, container main and Deployment capsule/capsule-pprof, container main: both on 10080
    Deployment consul-k8s/injector-defaults, container main and Deployment consul/consul-connect-injector, container sidecar-injector: both on 9444
    Deployment consul-k8s/injector-defaults, container main and Deployment consul/consul-connect-injector, container sidecar-injector: both on 9445
    Deployment consul-k8s/injector-elsewhere, container main: 8080 is a port of the nodes
    Deployment consul-k8s/injector-elsewhere, container main and Deployment capsule/capsule-elsewhere, container main: both on 8080
    Deployment consul-k8s/injector-elsewhere, container main and Deployment consul-k8s/injector-defaults, container main: both on 9444
    Deployment consul-k8s/injector-elsewhere, container main and Deployment consul-k8s/injector-defaults, container main: both on 9445
    Deployment crossplane-system/crossplane-old: not on the host network
    Deployment crossplane-system/crossplane-old, container crossplane: port 8081: hostPort Null
    Deployment crossplane-system/crossplane-old, container crossplane: port 8080: hostPort Null
    Deployment crossplane-system/crossplane-old, container crossplane: 8080 is a port of the nodes
    Deployment crossplane-system/crossplane-old, container crossplane and Deployment consul-k8s/injector-elsewhere, container main: both on 8080
    Deployment crossplane-system/crossplane-old, container crossplane: port 9443: hostPort Null
    Deployment crossplane-system/crossplane-old, container crossplane and Deployment capsule/capsule-elsewhere, container main: both on 9443
    Deployment crossplane-system/crossplane-elsewhere, container crossplane and Deployment crossplane-system/crossplane-old, container crossplane: both on 8081
    Deployment crossplane-system/crossplane-elsewhere, container crossplane: 8080 is a port of the nodes
    Deployment crossplane-system/crossplane-elsewhere, container crossplane and Deployment crossplane-system/crossplane-old, container crossplane: both on 8080
    Deployment crossplane-system/crossplane-elsewhere, container crossplane and Deployment crossplane-system/crossplane-old, container crossplane: both on 9443
    DeploymentRuntimeConfig default: not on the host network
    DeploymentRuntimeConfig provider-aws-rds: not on the host network
    DeploymentRuntimeConfig family-aws-told: not on the host network
    DeploymentRuntimeConfig provider-azure-told: not on the host network
    DeploymentRuntimeConfig family-azure-told: not on the host network
    DeploymentRuntimeConfig provider-gcp-told: not on the host network
    DeploymentRuntimeConfig family-gcp-told: not on the host network
    DeploymentRuntimeConfig kubernetes: not on the host network
    DeploymentRuntimeConfig provider-helm-told: not on the host network
    Deployment dapr/dapr-operator-elsewhere: not on the host network
    Deployment dapr/dapr-operator-elsewhere, container main: port 19443: hostPort Null
    Deployment dapr/dapr-operator-elsewhere, container main: port 6500: hostPort Null
    Deployment dapr/dapr-operator-elsewhere, container main: port 8080: hostPort Null
    Deployment dapr/dapr-operator-elsewhere, container main: 8080 is a port of the nodes
    Deployment dapr/dapr-operator-elsewhere, container main and Deployment crossplane-system/crossplane-elsewhere, container crossplane: both on 8080
    Deployment dapr/dapr-operator-elsewhere, container main: port 9090: hostPort Null
    Deployment dapr/dapr-operator-elsewhere, container main and Deployment argo/workflow-controller, container workflow-controller: both on 9090
    Deployment dapr/dapr-injector-elsewhere: not on the host network
    Deployment dapr/dapr-injector-elsewhere, container main: port 4000: hostPort Null
    Deployment dapr/dapr-injector-elsewhere, container main: port 8080: hostPort Null
    Deployment dapr/dapr-injector-elsewhere, container main: 8080 is a port of the nodes
    Deployment dapr/dapr-injector-elsewhere, container main and Deployment dapr/dapr-operator-elsewhere, container main: both on 8080
    Deployment dapr/dapr-injector-elsewhere, container main: port 9090: hostPort Null
    Deployment dapr/dapr-injector-elsewhere, container main and Deployment dapr/dapr-operator-elsewhere, container main: both on 9090
    Deployment dex/dex-elsewhere, container main and Deployment argocd/argocd-dex-server, container dex: both on 5556
    Deployment dex/dex-elsewhere, container main and Deployment argocd/argocd-dex-server, container dex: both on 5558
    Deployment dex/dex-elsewhere, container main and Deployment argocd/argocd-dex-server, container dex: both on 5557
    StatefulSet elastic-system/elastic-operator-elsewhere: not on the host network
    StatefulSet elastic-system/elastic-operator-elsewhere, container manager: port 8080: hostPort Null
    StatefulSet elastic-system/elastic-operator-elsewhere, container manager: 8080 is a port of the nodes
    StatefulSet elastic-system/elastic-operator-elsewhere, container manager and Deployment dapr/dapr-injector-elsewhere, container main: both on 8080
    StatefulSet elastic-system/elastic-operator-elsewhere, container manager: port 9443: hostPort Null
    StatefulSet elastic-system/elastic-operator-elsewhere, container manager and Deployment crossplane-system/crossplane-elsewhere, container crossplane: both on 9443
    StatefulSet elastic-system/elastic-operator-flags-elsewhere: not on the host network
    StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager: port 8080: hostPort Null
    StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager: 8080 is a port of the nodes
    StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager and StatefulSet elastic-system/elastic-operator-elsewhere, container manager: both on 8080
    StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager: port 9443: hostPort Null
    StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager and StatefulSet elastic-system/elastic-operator-elsewhere, container manager: both on 9443
    Deployment flux-defaults/source-controller-elsewhere: not on the host network
    Deployment flux-defaults/source-controller-elsewhere, container manager: port 9090: hostPort Null
    Deployment flux-defaults/source-controller-elsewhere, container manager and Deployment dapr/dapr-injector-elsewhere, container main: both on 9090
    Deployment flux-defaults/source-controller-elsewhere, container manager: port 8080: hostPort Null
    Deployment flux-defaults/source-controller-elsewhere, container manager: 8080 is a port of the nodes
    Deployment flux-defaults/source-controller-elsewhere, container manager and StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager: both on 8080
    Deployment flux-defaults/source-controller-elsewhere, container manager: port 9440: hostPort Null
    Deployment flux-defaults/source-controller-elsewhere, container manager and Deployment azure-workload-identity/webhook-elsewhere, container main: both on 9440
    Deployment karmada/webhook-elsewhere: not on the host network
    Deployment karmada/webhook-elsewhere, container main: port 8443: hostPort Null
    Deployment karmada/webhook-elsewhere, container main: 8443 is a port of the nodes
    Deployment karmada/webhook-elsewhere, container main: port 8080: hostPort Null
    Deployment karmada/webhook-elsewhere, container main: 8080 is a port of the nodes
    Deployment karmada/webhook-elsewhere, container main and Deployment flux-defaults/source-controller-elsewhere, container manager: both on 8080
    Deployment karmada/webhook-elsewhere, container main: port 8000: hostPort Null
    Deployment karmada/webhook-elsewhere, container main: port 6060: hostPort Null
    Deployment karmada/webhook-elsewhere, container main: 6060 is a port of the nodes
    Deployment karmada/webhook-elsewhere, container main and Deployment argo/workflow-controller, container workflow-controller: both on 6060
    Deployment karmada/scheduler-elsewhere: not on the host network
    Deployment karmada/scheduler-elsewhere, container main: port 8080: hostPort Null
    Deployment karmada/scheduler-elsewhere, container main: 8080 is a port of the nodes
    Deployment karmada/scheduler-elsewhere, container main and Deployment karmada/webhook-elsewhere, container main: both on 8080
    Deployment karmada/scheduler-elsewhere, container main: port 10351: hostPort Null
    Deployment karmada/estimator-elsewhere, container main and Deployment karmada/scheduler-elsewhere, container main: both on 10351
    Deployment kube-system/karpenter-elsewhere: not on the host network
    Deployment kube-system/karpenter-elsewhere, container controller: port 8080: hostPort Null
    Deployment kube-system/karpenter-elsewhere, container controller: 8080 is a port of the nodes
    Deployment kube-system/karpenter-elsewhere, container controller and Deployment karmada/scheduler-elsewhere, container main: both on 8080
    Deployment kube-system/karpenter-elsewhere, container controller: port 8081: hostPort Null
    Deployment kube-system/karpenter-elsewhere, container controller and Deployment crossplane-system/crossplane-elsewhere, container crossplane: both on 8081
    Deployment kube-system/karpenter-elsewhere, container controller: port 8443: hostPort Null
    Deployment kube-system/karpenter-elsewhere, container controller: 8443 is a port of the nodes
    Deployment kube-system/karpenter-elsewhere, container controller and Deployment karmada/webhook-elsewhere, container main: both on 8443
    Deployment kube-system/karpenter-elsewhere, container controller: port 8001: hostPort Null
    Deployment katib-system/katib-controller-defaults: not on the host network
    Deployment katib-system/katib-controller-defaults, container main: port 8443: hostPort Null
    Deployment katib-system/katib-controller-defaults, container main: 8443 is a port of the nodes
    Deployment katib-system/katib-controller-defaults, container main and Deployment kube-system/karpenter-elsewhere, container controller: both on 8443
    Deployment katib-system/katib-controller-defaults, container main: port 8080: hostPort Null
    Deployment katib-system/katib-controller-defaults, container main: 8080 is a port of the nodes
    Deployment katib-system/katib-controller-defaults, container main and Deployment kube-system/karpenter-elsewhere, container controller: both on 8080
    Deployment katib-system/katib-controller-defaults, container main: port 18080: hostPort Null
    Deployment knative-eventing/job-sink: not on the host network
    Deployment knative-eventing/job-sink, container job-sink: port 8080: hostPort Null
    Deployment knative-eventing/job-sink, container job-sink: 8080 is a port of the nodes
    Deployment knative-eventing/job-sink, container job-sink and Deployment katib-system/katib-controller-defaults, container main: both on 8080
    Deployment knative-eventing/job-sink, container job-sink: port 8443: hostPort Null
    Deployment knative-eventing/job-sink, container job-sink: 8443 is a port of the nodes
    Deployment knative-eventing/job-sink, container job-sink and Deployment katib-system/katib-controller-defaults, container main: both on 8443
    Deployment knative-eventing/job-sink, container job-sink: port 9092: hostPort Null
    Deployment knative-eventing/job-sink, container job-sink: 9092 is a port of the nodes
    Deployment kserve/kserve-elsewhere: not on the host network
    Deployment kserve/kserve-elsewhere, container main: port 9443: hostPort Null
    Deployment kserve/kserve-elsewhere, container main and StatefulSet elastic-system/elastic-operator-flags-elsewhere, container manager: both on 9443
    Deployment kserve/kserve-elsewhere, container main: port 8080: hostPort Null
    Deployment kserve/kserve-elsewhere, container main: 8080 is a port of the nodes
    Deployment kserve/kserve-elsewhere, container main and Deployment knative-eventing/job-sink, container job-sink: both on 8080
    Deployment kserve/kserve-elsewhere, container main: port 8081: hostPort Null
    Deployment kserve/kserve-elsewhere, container main and Deployment kube-system/karpenter-elsewhere, container controller: both on 8081
    Deployment kuberay/kuberay-elsewhere: not on the host network
    Deployment kuberay/kuberay-elsewhere, container main: port 8080: hostPort Null
    Deployment kuberay/kuberay-elsewhere, container main: 8080 is a port of the nodes
    Deployment kuberay/kuberay-elsewhere, container main and Deployment kserve/kserve-elsewhere, container main: both on 8080
    Deployment kuberay/kuberay-elsewhere, container main: port 8082: hostPort Null
    Deployment kuberay/kuberay-elsewhere, container main and Deployment capsule/capsule-pprof, container main: both on 8082
    Deployment kuberay/kuberay-untold: not on the host network
    Deployment kuberay/kuberay-untold, container main: port 8080: hostPort Null
    Deployment kuberay/kuberay-untold, container main: 8080 is a port of the nodes
    Deployment kuberay/kuberay-untold, container main and Deployment kuberay/kuberay-elsewhere, container main: both on 8080
    Deployment kubewarden/kubewarden-controller: not on the host network
    Deployment kubewarden/kubewarden-controller, container manager: port 9443: hostPort Null
    Deployment kubewarden/kubewarden-controller, container manager and Deployment kserve/kserve-elsewhere, container main: both on 9443
    Deployment kubewarden/kubewarden-controller, container manager: livenessProbe dials Number(8081), which it does not declare
    Deployment kubewarden/kubewarden-controller, container manager: readinessProbe dials Number(8081), which it does not declare
    Deployment kubewarden/kubewarden-elsewhere: not on the host network
    Deployment kubewarden/kubewarden-elsewhere, container main: port 8088: hostPort Null
    Deployment kubewarden/kubewarden-elsewhere, container main: port 8081: hostPort Null
    Deployment kubewarden/kubewarden-elsewhere, container main and Deployment kserve/kserve-elsewhere, container main: both on 8081
    DaemonSet longhorn-system/longhorn-manager: not on the host network
    DaemonSet longhorn-system/longhorn-manager, container longhorn-manager: port 9500: hostPort Null
    DaemonSet longhorn-system/longhorn-manager, container longhorn-manager: port 9501: hostPort Null
    DaemonSet longhorn-system/longhorn-manager, container longhorn-manager: port 9502: hostPort Null
    DaemonSet longhorn-system/longhorn-manager, container longhorn-manager: port 9503: hostPort Null
    Deployment lws/lws-elsewhere: not on the host network
    Deployment lws/lws-elsewhere, container main: port 8443: hostPort Null
    Deployment lws/lws-elsewhere, container main: 8443 is a port of the nodes
    Deployment lws/lws-elsewhere, container main and Deployment knative-eventing/job-sink, container job-sink: both on 8443
    Deployment lws/lws-elsewhere, container main: port 8081: hostPort Null
    Deployment lws/lws-elsewhere, container main and Deployment kubewarden/kubewarden-elsewhere, container main: both on 8081
    Deployment nginx-ingress/nginx-elsewhere: not on the host network
    Deployment nginx-ingress/nginx-elsewhere, container main: port 80: hostPort Null
    Deployment nginx-ingress/nginx-elsewhere, container main: 80 is a port of the nodes
    Deployment nginx-ingress/nginx-elsewhere, container main: 80 is not one to give away
    Deployment nginx-ingress/nginx-elsewhere, container main: port 443: hostPort Null
    Deployment nginx-ingress/nginx-elsewhere, container main: 443 is a port of the nodes
    Deployment nginx-ingress/nginx-elsewhere, container main: 443 is not one to give away
    Deployment nginx-ingress/nginx-elsewhere, container main: port 8080: hostPort Null
    Deployment nginx-ingress/nginx-elsewhere, container main: 8080 is a port of the nodes
    Deployment nginx-ingress/nginx-elsewhere, container main and Deployment kuberay/kuberay-untold, container main: both on 8080
    Deployment nginx-ingress/nginx-elsewhere, container main: port 8081: hostPort Null
    Deployment nginx-ingress/nginx-elsewhere, container main and Deployment lws/lws-elsewhere, container main: both on 8081
    Deployment nginx-ingress/nginx-elsewhere, container main: port 9113: hostPort Null
    Deployment nginx-ingress/nginx-elsewhere, container main: port 9114: hostPort Null
    Deployment node-feature-discovery/nfd-master: not on the host network
    Deployment node-feature-discovery/nfd-master, container master: port 8080: hostPort Null
    Deployment node-feature-discovery/nfd-master, container master: 8080 is a port of the nodes
    Deployment node-feature-discovery/nfd-master, container master and Deployment nginx-ingress/nginx-elsewhere, container main: both on 8080
    Deployment node-feature-discovery/nfd-master, container master: port 8081: hostPort Null
    Deployment node-feature-discovery/nfd-master, container master and Deployment nginx-ingress/nginx-elsewhere, container main: both on 8081
    Deployment node-feature-discovery/nfd-master, container master: livenessProbe dials Number(8082), which it does not declare
    Deployment node-feature-discovery/nfd-master, container master: readinessProbe dials Number(8082), which it does not declare
    Deployment node-feature-discovery/master-elsewhere, container main and Deployment node-feature-discovery/nfd-master, container master: both on 8081
    Deployment node-feature-discovery/master-elsewhere, container main and Deployment kuberay/kuberay-elsewhere, container main: both on 8082
    Deployment node-feature-discovery/worker-elsewhere: not on the host network
    Deployment node-feature-discovery/worker-elsewhere, container main: port 8081: hostPort Null
    Deployment node-feature-discovery/worker-elsewhere, container main and Deployment node-feature-discovery/master-elsewhere, container main: both on 8081
    Deployment node-feature-discovery/worker-elsewhere, container main: port 8082: hostPort Null
    Deployment node-feature-discovery/worker-elsewhere, container main and Deployment node-feature-discovery/master-elsewhere, container main: both on 8082
    Deployment node-feature-discovery/topology-updater-elsewhere: not on the host network
    Deployment node-feature-discovery/topology-updater-elsewhere, container main: port 8081: hostPort Null
    Deployment node-feature-discovery/topology-updater-elsewhere, container main and Deployment node-feature-discovery/worker-elsewhere, container main: both on 8081
    Deployment node-feature-discovery/topology-updater-elsewhere, container main: port 8082: hostPort Null
    Deployment node-feature-discovery/topology-updater-elsewhere, container main and Deployment node-feature-discovery/worker-elsewhere, container main: both on 8082
    Deployment node-feature-discovery/gc-elsewhere, container main and Deployment node-feature-discovery/topology-updater-elsewhere, container main: both on 8081
    Deployment node-feature-discovery/gc-elsewhere, container main and Deployment node-feature-discovery/topology-updater-elsewhere, container main: both on 8082
    Deployment auth/oauth2-proxy-elsewhere, container oauth2-proxy: 44180 is not one to give away
    Deployment auth/oauth2-proxy-elsewhere, container oauth2-proxy: 44181 is not one to give away
    Deployment polaris-system/polaris-webhook-elsewhere: not on the host network
    Deployment polaris-system/polaris-webhook-elsewhere, container main: port 9876: hostPort Null
    Deployment polaris-system/polaris-webhook-elsewhere, container main: port 8080: hostPort Null
    Deployment polaris-system/polaris-webhook-elsewhere, container main: 8080 is a port of the nodes
    Deployment polaris-system/polaris-webhook-elsewhere, container main and Deployment node-feature-discovery/nfd-master, container master: both on 8080
    Deployment sigstore-policy-controller-system/sigstore-policy-controller: not on the host network
    Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main: port 8443: hostPort Null
    Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main: 8443 is a port of the nodes
    Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main and Deployment lws/lws-elsewhere, container main: both on 8443
    Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main: port 9090: hostPort Null
    Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main and Deployment flux-defaults/source-controller-elsewhere, container manager: both on 9090
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults: not on the host network
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: port 8443: hostPort Null
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: 8443 is a port of the nodes
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main and Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main: both on 8443
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: port 9090: hostPort Null
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main and Deployment sigstore-policy-controller-system/sigstore-policy-controller, container main: both on 9090
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: port 8008: hostPort Null
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: port 8080: hostPort Null
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: 8080 is a port of the nodes
    Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main and Deployment polaris-system/polaris-webhook-elsewhere, container main: both on 8080
    Deployment tempo-operator-system/tempo-operator-defaults: not on the host network
    Deployment tempo-operator-system/tempo-operator-defaults, container main: port 9443: hostPort Null
    Deployment tempo-operator-system/tempo-operator-defaults, container main and Deployment kubewarden/kubewarden-controller, container manager: both on 9443
    Deployment tempo-operator-system/tempo-operator-defaults, container main: port 8443: hostPort Null
    Deployment tempo-operator-system/tempo-operator-defaults, container main: 8443 is a port of the nodes
    Deployment tempo-operator-system/tempo-operator-defaults, container main and Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: both on 8443
    Deployment tempo-operator-system/tempo-operator-defaults, container main: port 8081: hostPort Null
    Deployment tempo-operator-system/tempo-operator-defaults, container main and Deployment node-feature-discovery/gc-elsewhere, container main: both on 8081
    Deployment volcano/admission-elsewhere, container main: 8443 is a port of the nodes
    Deployment volcano/admission-elsewhere, container main and Deployment tempo-operator-system/tempo-operator-defaults, container main: both on 8443
    Deployment volcano/controllers-elsewhere: not on the host network
    Deployment volcano/controllers-elsewhere, container main: port 11251: hostPort Null
    Deployment volcano/controllers-elsewhere, container main and Deployment volcano/admission-elsewhere, container main: both on 11251
    Deployment volcano/controllers-elsewhere, container main: port 8081: hostPort Null
    Deployment volcano/controllers-elsewhere, container main and Deployment tempo-operator-system/tempo-operator-defaults, container main: both on 8081
    Deployment volcano/scheduler-elsewhere: not on the host network
    Deployment volcano/scheduler-elsewhere, container main: port 11251: hostPort Null
    Deployment volcano/scheduler-elsewhere, container main and Deployment volcano/controllers-elsewhere, container main: both on 11251
    Deployment volcano/scheduler-elsewhere, container main: port 8080: hostPort Null
    Deployment volcano/scheduler-elsewhere, container main: 8080 is a port of the nodes
    Deployment volcano/scheduler-elsewhere, container main and Deployment sigstore-policy-controller-system/sigstore-policy-controller-defaults, container main: both on 8080
    Service kubewarden/kubewarden-controller-metrics-service: Number(8080) is 0 ports of Deployment kubewarden/kubewarden-controller
    Service kubewarden/kubewarden-controller-metrics-service: String("https") is 0 ports of Deployment kubewarden/kubewarden-controller
    "#);
    assert_snapshot!(counted(&reported(movable, &config)), @"
    -: warning unmatched
    ClusterServiceVersion olm/packageserver: warning port-reference x2
    ConfigMap auth/dex: warning port-reference x2
    Deployment argo/workflow-controller: warning port-conflict
    Deployment argocd/argocd-dex-server: warning port-conflict x3
    Deployment argocd/argocd-dex-server: warning port-setting
    Deployment auth/oauth2-proxy-elsewhere: warning port-setting
    Deployment azure-workload-identity/webhook-elsewhere: warning port-conflict
    Deployment azure-workload-identity/webhook-elsewhere: warning port-setting
    Deployment capsule/capsule-elsewhere: warning port-conflict x2
    Deployment capsule/capsule-elsewhere: warning port-setting
    Deployment capsule/capsule-pprof: warning port-conflict
    Deployment capsule/capsule-pprof: warning port-setting
    Deployment chaos-mesh-system/chaos-controller-manager: warning port-reference
    Deployment chart/podinfo-elsewhere: warning port-setting
    Deployment consul-k8s/injector-defaults: warning port-conflict x2
    Deployment consul-k8s/injector-defaults: warning port-setting
    Deployment consul-k8s/injector-elsewhere: warning port-setting
    Deployment consul/consul-connect-injector: warning port-setting
    Deployment crossplane-system/crossplane-elsewhere: warning port-conflict
    Deployment crossplane-system/crossplane-elsewhere: warning port-setting
    Deployment crossplane-system/crossplane-old: warning port-conflict x2
    Deployment datadog-agent/datadog-cluster-agent: warning rollout-surge
    Deployment default/datadog-cluster-agent-1: warning port-setting
    Deployment dex/dex-elsewhere: warning port-setting
    Deployment ingress-nginx/ingress-nginx-controller: warning host-port x2
    Deployment karmada/estimator-elsewhere: warning port-setting
    Deployment knative-eventing/eventing-webhook-defaults: warning port-setting x3
    Deployment knative-eventing/eventing-webhook: warning port-setting x2
    Deployment knative-serving/activator: warning port-setting x3
    Deployment knative-serving/webhook-defaults: warning port-setting x3
    Deployment knative-serving/webhook: warning port-setting x2
    Deployment kruise-rollout/kruise-rollout-controller-manager: warning rollout-surge
    Deployment kruise-system/kruise-controller-manager: warning rollout-surge
    Deployment mesh/control-plane-elsewhere: warning port-setting
    Deployment node-feature-discovery/gc-elsewhere: warning port-setting
    Deployment node-feature-discovery/master-elsewhere: warning port-setting
    Deployment node-feature-discovery/nfd-master: warning port-conflict
    Deployment node-feature-discovery/topology-updater-elsewhere: warning port-conflict
    Deployment shop/elsewhere: warning port-setting
    Deployment volcano/admission-elsewhere: warning port-setting
    NetworkPolicy auth/dex: warning network-policy
    NetworkPolicy flux-system/allow-scraping: warning network-policy
    Provider provider-aws-by-digest: warning port-setting x3
    Service default/prometheus-operator: warning service-target
    Service kube-system/kube-state-metrics: warning service-target x2
    Service linkerd/linkerd-policy: warning service-target
    Service logging/chunks-cache: warning service-target
    ");
    assert!(applied(output, &config) == *output, "a second run changes something");
}

#[test]
fn only_fixed_workloads_are_reported() {
    let input = stream(&DOCUMENTS);
    let log = reported(&input, &config([]));
    assert_snapshot!(counted(&log), @"
    -: warning unmatched
    ClusterServiceVersion olm/packageserver: warning port-reference x2
    ConfigMap auth/dex: warning port-reference x2
    Deployment argo-events/events-webhook: warning port-conflict
    Deployment argo-events/events-webhook: warning port-setting
    Deployment argo/argo-server-elsewhere-2: warning port-setting
    Deployment argo/argo-server-elsewhere: warning port-conflict
    Deployment argo/argo-server-elsewhere: warning port-setting
    Deployment argo/workflow-controller: warning port-conflict
    Deployment argocd/argocd-dex-server: warning port-conflict x3
    Deployment argocd/argocd-dex-server: warning port-setting
    Deployment argocd/argocd-redis: warning port-setting
    Deployment auth/oauth2-proxy-alpha: warning port-conflict
    Deployment auth/oauth2-proxy-alpha: warning port-setting
    Deployment auth/oauth2-proxy-elsewhere: warning port-setting
    Deployment auth/oauth2-proxy-tls-elsewhere: warning port-setting
    Deployment azure-workload-identity-system/azure-wi-webhook-controller-manager: warning port-conflict
    Deployment azure-workload-identity-system/azure-wi-webhook-controller-manager: warning port-setting
    Deployment azure-workload-identity/webhook-defaults: warning port-setting
    Deployment azure-workload-identity/webhook-elsewhere: warning port-conflict
    Deployment capa-system/capa-controller-manager-elsewhere: warning port-conflict
    Deployment capa-system/capa-controller-manager-elsewhere: warning port-setting
    Deployment capg-system/capg-controller-manager-elsewhere: warning port-setting
    Deployment capi-kubeadm-bootstrap-system/capi-kubeadm-bootstrap-controller-manager-elsewhere: warning port-setting
    Deployment capi-kubeadm-control-plane-system/capi-kubeadm-control-plane-controller-manager-elsewhere: warning port-conflict
    Deployment capsule-system/capsule-controller-manager: warning port-conflict
    Deployment capsule-system/capsule-controller-manager: warning port-setting
    Deployment capsule/capsule-defaults: warning port-setting
    Deployment capsule/capsule-elsewhere: warning port-conflict
    Deployment capsule/capsule-pprof: warning port-conflict
    Deployment cattle-fleet-system/gitjob-elsewhere: warning port-conflict
    Deployment cattle-fleet-system/gitjob-elsewhere: warning port-setting
    Deployment cattle-fleet-system/helmops-elsewhere: warning port-setting
    Deployment chaos-mesh-system/chaos-controller-manager: warning port-reference
    Deployment chart/podinfo-elsewhere: warning port-setting
    Deployment consul-k8s/injector-defaults: warning port-conflict x2
    Deployment consul-k8s/injector-defaults: warning port-setting
    Deployment consul/consul-connect-injector: warning port-setting
    Deployment crossplane-system/crossplane-rbac-manager: warning program-alone
    Deployment dapr-system/dapr-operator: warning port-setting
    Deployment dapr-system/dapr-sidecar-injector: warning port-setting
    Deployment datadog-agent/datadog-cluster-agent: warning rollout-surge
    Deployment default/datadog-cluster-agent-1: warning port-setting
    Deployment dex/dex-elsewhere: warning port-setting
    Deployment external-dns/external-dns-elsewhere: warning port-setting
    Deployment ingress-nginx/ingress-nginx-controller: warning host-port x2
    Deployment karmada/estimator-elsewhere: warning port-setting
    Deployment knative-eventing/eventing-webhook-defaults: warning port-setting x3
    Deployment knative-eventing/eventing-webhook: warning port-setting x2
    Deployment knative-serving/activator: warning port-setting x3
    Deployment knative-serving/webhook-defaults: warning port-setting x3
    Deployment knative-serving/webhook: warning port-setting x2
    Deployment kruise-rollout/kruise-rollout-controller-manager: warning rollout-surge
    Deployment kruise-system/kruise-controller-manager: warning rollout-surge
    Deployment legacy/metrics-server: warning port-setting
    Deployment mesh/control-plane-defaults: warning port-conflict
    Deployment mesh/control-plane-defaults: warning port-setting
    Deployment mesh/control-plane-elsewhere: warning port-setting
    Deployment mesh/kuma-control-plane: warning port-conflict
    Deployment nginx-ingress/nginx-ingress: warning port-setting
    Deployment nginx-ingress/nginx-passthrough: warning port-setting
    Deployment shop/elsewhere: warning port-setting
    Deployment volcano/controllers-elsewhere: warning port-setting
    NetworkPolicy auth/dex: warning network-policy
    NetworkPolicy flux-system/allow-scraping: warning network-policy
    Provider provider-aws-by-digest: warning port-setting x3
    Service default/prometheus-operator: warning service-target
    Service kube-system/kube-state-metrics: warning service-target x2
    Service linkerd/linkerd-policy: warning service-target
    Service logging/chunks-cache: warning service-target
    ");
    // Every workload that does not move is named, in its own message or in the message of the workload that it
    // conflicts with.
    let unnamed = |name: &&String| !log.iter().any(|outcome| names(outcome, name));
    assert_eq!(FIXED.keys().filter(unnamed).collect::<Vec<_>>(), Vec::<&String>::new());
    // The activator's Service has its TLS port (8112) in every install, but the container declares no such port, so it
    // cannot move. Workloads that alone keep a number are on the host network with it. Workloads that share a number
    // are scheduled to different nodes; the referee assumes one node.
    let output = applied(&input, &config([]));
    let mut left = referee::on_pod_network(&output);
    left.extend(log.iter().filter_map(|outcome| advice(&outcome.message)).flat_map(|(_, between)| between).map(
        |key| {
            let mut parts = key.rsplitn(3, '/');
            let (name, kind) = (parts.next().unwrap(), parts.next().unwrap());
            parts.next().map_or_else(|| format!("{kind} {name}"), |namespace| format!("{kind} {namespace}/{name}"))
        },
    ));
    assert_snapshot!(referee::judge(&output, &left), @"306 workloads, 750 ports, 136 Service ports, 212 probes and hooks, 21 scrape annotations");
}

#[test]
fn excluded_workloads_do_not_change_and_are_not_reported() {
    let input = stream(&DOCUMENTS);
    let config = config(FIXED.keys());
    let log = reported(&input, &config);
    let of_fixed = log.iter().filter(|outcome| FIXED.keys().any(|name| names(outcome, name)));
    assert_eq!(of_fixed.map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    let output = applied(&input, &config);
    let left: BTreeSet<String> = FIXED.keys().cloned().collect();
    assert_eq!(referee::judge(&output, &left).to_string(), referee::judge(&MOVABLE.1, &BTreeSet::new()).to_string());
    let (before, after) = (documents(&input), documents(&output));
    let ids = |documents: &[String]| -> Vec<String> { documents.iter().filter_map(|d| referee::workload(d)).collect() };
    assert_eq!(ids(&before), ids(&after));
    let changed = before.iter().filter(|document| is_fixed(document) && !after.contains(document));
    assert_eq!(changed.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_referee_finds_errors() {
    let manifest = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}, annotations: {prometheus.io/port: '20001'}}
    spec:
      initContainers:
      - {name: plain, ports: [{containerPort: 1}]}
      - {name: side, restartPolicy: Always, ports: [{name: http, containerPort: 20080, hostPort: 20080}]}
      containers:
      - name: web
        ports:
        - {name: http, containerPort: 20080, hostPort: 20080}
        - {name: dns, containerPort: 20080, hostPort: 20080, protocol: UDP}
        - {containerPort: 10250, hostPort: 8080}
        - {containerPort: 30000}
        livenessProbe: {httpGet: {port: https}}
        readinessProbe: {httpGet: {port: http}}
        lifecycle: {preStop: {tcpSocket: {port: 8081}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: https}, {port: 80, targetPort: http}, {port: 30000}]}
";
    assert_snapshot!(referee::judge(manifest, &BTreeSet::new()), @r#"
    1 workloads, 5 ports, 3 Service ports, 3 probes and hooks, 1 scrape annotations
    Deployment shop/web: not on the host network
    Deployment shop/web, container web: port 10250: hostPort Number(8080)
    Deployment shop/web, container web: 10250 is a port of the nodes
    Deployment shop/web, container web: port 30000: hostPort Null
    Deployment shop/web, container web: 30000 is not one to give away
    Deployment shop/web, container web: livenessProbe dials String("https"), which it does not declare
    Deployment shop/web, container web: preStop dials Number(8081), which it does not declare
    Deployment shop/web, container side and Deployment shop/web, container web: both on 20080
    Deployment shop/web: prometheus.io/port is 20001, which it does not declare
    Service shop/web: String("https") is 0 ports of Deployment shop/web
    Service shop/web: String("http") is 2 ports of Deployment shop/web
    "#);
}

/// Returns the output of the binary, which must succeed.
fn applied(input: &str, config: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), config.to_string()).unwrap();
    let run = run::hostnet(folder.path(), &["apply", "-c", "config.yaml", "-"], input.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.text()
}

/// Returns the errors and warnings of a run.
fn reported(input: &str, config: &Value) -> Vec<Diagnostic> {
    let config = HostNetworkConfig::read(&config.to_string(), "hostnetwork.yaml", 1).unwrap();
    let input = Input::read(Origin::stdin(), input.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, false).unwrap();
    run.results.into_iter().filter(|outcome| outcome.severity != Severity::Info).collect()
}

/// Returns one line per object and rule, with the number of results.
fn counted(log: &[Diagnostic]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in log {
        let severity = format!("{:?}", outcome.severity).to_lowercase();
        *counts.entry(format!("{}: {severity} {}", about(outcome), outcome.rule)).or_default() += 1;
    }
    counts
        .iter()
        .map(|(line, count)| if *count == 1 { format!("{line}\n") } else { format!("{line} x{count}\n") })
        .collect()
}

/// Returns the object of a result as `Kind namespace/name`; for a runtime config, the package that it belongs to.
fn about(outcome: &Diagnostic) -> String {
    let Some(object) = &outcome.resource else { return "-".to_owned() };
    if object.kind == "DeploymentRuntimeConfig" {
        return outcome.message.split(", ").next().unwrap().to_owned();
    }
    let namespace = object.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    format!("{} {namespace}{}", object.kind, object.name)
}

/// True if a result is for the object of this name, or mentions it.
fn names(outcome: &Diagnostic, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-.".contains(c));
    about(outcome) == name
        || outcome.message.match_indices(name).any(|(at, _)| ends(&outcome.message[at + name.len()..]))
}

/// Returns a config with `ports: auto` for everything except these objects.
fn config<'n>(exclude: impl IntoIterator<Item = &'n String>) -> Value {
    let exclude = exclude.into_iter().map(|id| {
        let (kind, name) = id.split_once(' ').unwrap();
        let (namespace, name) = name.split_once('/').unwrap_or(("", name));
        match kind {
            "Provider" => json!({"group": PACKAGES, "kind": kind, "name": name}),
            _ => json!({"kind": kind, "namespace": namespace, "name": name.replace('.', "\\.")}),
        }
    });
    // Two functions cannot run on one node, because Crossplane dials 9443 of each.
    let selects = [json!({"name": ".*"}), json!({"group": PACKAGES, "kind": "Provider"})];
    let targets = selects.map(|select| json!({"select": select, "ports": "auto"}));
    let spec = json!({"targets": targets, "exclude": exclude.collect::<Vec<_>>()});
    json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "spec": spec})
}

fn is_fixed(document: &str) -> bool {
    referee::workload(document).is_some_and(|id| FIXED.contains_key(&id))
}

fn stream(documents: &[String]) -> String {
    documents.join("---\n")
}

/// Splits a stream into its documents.
fn documents(text: &str) -> Vec<String> {
    text.split("---\n").map(str::to_owned).collect()
}
