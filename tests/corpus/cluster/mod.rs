//! The manifests of a whole cluster with a typical config: all workloads that the API server calls move to the host
//! network, with automatic ports, and nothing else changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(clippy::print_stderr, clippy::too_many_lines, reason = "these are tests")]

use crate::support::run;

use insta::assert_snapshot;
use run::{Run, hostnet};
use std::path::Path;
use tempfile::TempDir;

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: called}
spec:
  targets:
  - {select: {calledByApiServer: true}, ports: auto}
";

fn manifests() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cluster");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

/// A folder with the manifests and the config.
fn cluster() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    std::fs::create_dir(folder.path().join("all")).unwrap();
    for (name, text) in manifests() {
        std::fs::write(folder.path().join("all").join(name), text).unwrap();
    }
    folder
}

fn run_on(folder: &TempDir, arguments: &[&str]) -> Run {
    let (command, rest) = arguments.split_first().unwrap();
    let run = hostnet(folder.path(), &[&[*command, "-c", "config.yaml"], rest, &["all"]].concat(), b"");
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    run
}

/// Returns the files after `apply --in-place`.
fn applied(folder: &TempDir) -> Vec<(String, String)> {
    run_on(folder, &["apply", "--in-place"]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("all").join(name)).unwrap();
    manifests().into_iter().map(|(name, _)| (name.clone(), read(&name))).collect()
}

/// Returns `Kind name` of each document with this line.
fn documents_with(text: &str, line: &str) -> Vec<String> {
    let word = |document: &str, key: &str| {
        let found = document.lines().find_map(|line| Some(line.strip_prefix(key)?.trim().to_owned()));
        found.unwrap_or_default()
    };
    let with = text.split("---\n").filter(|document| document.lines().any(|have| have.trim() == line));
    with.map(|document| format!("{} {}", word(document, "kind:"), word(document, "  name:"))).collect()
}

#[test]
fn exactly_the_called_workloads_move() {
    let folder = cluster();
    let before = manifests().iter().flat_map(|(_, text)| documents_with(text, "hostNetwork: true")).count();
    assert_eq!(before, 0, "another process runs already");
    let moved: Vec<String> =
        applied(&folder).iter().flat_map(|(_, text)| documents_with(text, "hostNetwork: true")).collect();
    assert_eq!(
        moved,
        [
            "Deployment cert-manager-webhook",
            "Deployment crossplane",
            "Deployment gatekeeper-controller-manager",
            "Deployment kyverno-admission-controller",
            "Deployment kyverno-cleanup-controller",
            "Deployment metrics-server",
            "Deployment project-v4-controller-manager",
        ]
    );
}

#[test]
fn the_reason_for_each_is_reported() {
    let log = run_on(&cluster(), &["apply", "-v"]).stderr;
    let reasons: Vec<&str> = log.lines().filter(|line| line.contains("[port-called]")).collect();
    assert_snapshot!(reasons.join("\n"), @"
    info: the API server must reach these ports of the nodes: 28568 (Deployment \
         cert-manager/cert-manager-webhook, https), 24173 (Deployment crossplane-system/crossplane, webhooks), 21641 (Deployment \
         gatekeeper-system/gatekeeper-controller-manager, webhook-server), 24185 (Deployment kyverno/kyverno-admission-controller, \
         https), 24686 (Deployment kyverno/kyverno-cleanup-controller, https), 26204 (Deployment kube-system/metrics-server, https), \
         9443 (Deployment project-v4-system/project-v4-controller-manager, webhook-server) [port-called]
    info: Deployment \
         cert-manager/cert-manager-webhook is called by the API server: ValidatingWebhookConfiguration cert-manager-webhook calls it \
         through Service cert-manager/cert-manager-webhook [port-called]
    info: Deployment crossplane-system/crossplane is called by \
         the API server: crossplane registers its webhooks and APIs with the API server at run time [port-called]
    info: Deployment \
         gatekeeper-system/gatekeeper-controller-manager is called by the API server: MutatingWebhookConfiguration \
         gatekeeper-mutating-webhook-configuration calls it through Service gatekeeper-system/gatekeeper-webhook-service; \
         ValidatingWebhookConfiguration gatekeeper-validating-webhook-configuration calls it through Service \
         gatekeeper-system/gatekeeper-webhook-service [port-called]
    info: Deployment kyverno/kyverno-admission-controller is called \
         by the API server: kyverno registers its webhooks and APIs with the API server at run time [port-called]
    info: Deployment \
         kyverno/kyverno-cleanup-controller is called by the API server: kyverno-cleanup-controller registers its webhooks and APIs with \
         the API server at run time [port-called]
    info: Deployment kube-system/metrics-server is called by the API server: \
         APIService v1beta1.metrics.k8s.io calls it through Service kube-system/metrics-server [port-called]
    info: Deployment \
         project-v4-system/project-v4-controller-manager is called by the API server: CustomResourceDefinition \
         firstmates.crew.testproject.org calls it through Service project-v4-system/project-v4-webhook-service [port-called]
    ");
    let warnings: Vec<&str> = log.lines().filter(|line| !line.starts_with("info")).collect();
    assert_snapshot!(warnings.join("\n"), @r#"
    warning: all/operator.yaml:56:11: Deployment project-v4-system/project-v4-controller-manager, container manager, port webhook-server (9443): keeps its number: neither the manifest nor the catalogue shows the setting of its number. The target of Deployment project-v4-system/project-v4-controller-manager matches other workloads too: write before it a new target `- {select: {kind: Deployment, namespace: project-v4-system, name: project-v4-controller-manager}, ports: auto}`. If you know the flag (or variable: `env`), add to the new target `bind: [{container: manager, port: webhook-server, number: 9443, arg: --FLAG-9443}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes. Or read it from the help of the program: `docker run --rm --entrypoint /manager example.com/acme/firstmate-operator:v0.3.0 --help 2>&1 | hostnet learn -c hostnet.yaml project-v4-system/project-v4-controller-manager/manager MANIFESTS` [port-setting]
    7 workloads moved, 18 ports, 1 warning
    "#);
}

#[test]
fn every_listener_with_a_port_setting_moves() {
    assert_snapshot!(run_on(&cluster(), &["ports"]).text(), @"
    Workload                                                    Container             Port            Role                     Protocol  Old    New    From  Set by                             Evidence
    cert-manager/Deployment/cert-manager-webhook                cert-manager-webhook  healthcheck     health                   TCP       6080   25535  pool  --healthz-port                     catalogue
    cert-manager/Deployment/cert-manager-webhook                cert-manager-webhook  http-metrics    metrics                  TCP       9402   21343  pool  --metrics-listen-address           catalogue
    cert-manager/Deployment/cert-manager-webhook                cert-manager-webhook  https           webhook (API server)     TCP       10250  28568  pool  --secure-port                      catalogue
    crossplane-system/Deployment/crossplane                     crossplane            metrics         metrics                  TCP       8080   21500  pool  METRICS_PORT                       catalogue
    crossplane-system/Deployment/crossplane                     crossplane            readyz          health                   TCP       8081   23928  pool  HEALTH_PROBE_PORT                  catalogue
    crossplane-system/Deployment/crossplane                     crossplane            webhooks        webhook (API server)     TCP       9443   24173  pool  WEBHOOK_PORT                       catalogue
    gatekeeper-system/Deployment/gatekeeper-controller-manager  manager               healthz         health                   TCP       9090   25346  pool  --health-addr                      catalogue
    gatekeeper-system/Deployment/gatekeeper-controller-manager  manager               metrics         metrics                  TCP       8888   25355  pool  --prometheus-port                  catalogue
    gatekeeper-system/Deployment/gatekeeper-controller-manager  manager               webhook-server  webhook (API server)     TCP       8443   21641  pool  --port                             catalogue
    kube-system/Deployment/metrics-server                       metrics-server        https           apiservice (API server)  TCP       10250  26204  pool  --secure-port                      catalogue
    kyverno/Deployment/kyverno-admission-controller             kyverno               ctrl-metrics    metrics                  TCP       8080   22129  pool  --controllerRuntimeMetricsAddress  catalogue
    kyverno/Deployment/kyverno-admission-controller             kyverno               https           webhook (API server)     TCP       9443   24185  pool  --webhookServerPort                catalogue
    kyverno/Deployment/kyverno-admission-controller             kyverno               metrics-port    metrics                  TCP       8000   29523  pool  --metricsPort                      catalogue
    kyverno/Deployment/kyverno-admission-controller             kyverno               profiling-port  pprof                    TCP       6060   29898  pool  --profilePort                      catalogue
    kyverno/Deployment/kyverno-cleanup-controller               controller            https           webhook (API server)     TCP       9443   24686  pool  --cleanupServerPort                catalogue
    kyverno/Deployment/kyverno-cleanup-controller               controller            metrics         metrics                  TCP       8000   21242  pool  --metricsPort                      catalogue
    project-v4-system/Deployment/project-v4-controller-manager  manager?              health          health                   TCP       8081   27254  pool  --health-probe-bind-address        declared + --health-probe-bind-address
    project-v4-system/Deployment/project-v4-controller-manager  manager?              metrics         metrics                  TCP       8443   22949  pool  --metrics-bind-address             scaffold
    project-v4-system/Deployment/project-v4-controller-manager  manager?              webhook-server  webhook (API server)     TCP       9443   9443   kept  unknown                            declared

    cert-manager/Deployment/cert-manager-webhook: ValidatingWebhookConfiguration cert-manager-webhook calls it through Service cert-manager/cert-manager-webhook
    crossplane-system/Deployment/crossplane: crossplane registers its webhooks and APIs with the API server at run time
    gatekeeper-system/Deployment/gatekeeper-controller-manager: MutatingWebhookConfiguration gatekeeper-mutating-webhook-configuration calls it through Service gatekeeper-system/gatekeeper-webhook-service
    gatekeeper-system/Deployment/gatekeeper-controller-manager: ValidatingWebhookConfiguration gatekeeper-validating-webhook-configuration calls it through Service gatekeeper-system/gatekeeper-webhook-service
    kube-system/Deployment/metrics-server: APIService v1beta1.metrics.k8s.io calls it through Service kube-system/metrics-server
    kyverno/Deployment/kyverno-admission-controller: kyverno registers its webhooks and APIs with the API server at run time
    kyverno/Deployment/kyverno-cleanup-controller: kyverno-cleanup-controller registers its webhooks and APIs with the API server at run time
    project-v4-system/Deployment/project-v4-controller-manager: CustomResourceDefinition firstmates.crew.testproject.org calls it through Service project-v4-system/project-v4-webhook-service

    ? the catalogue does not know the program: only listeners that the manifest shows are known

    Once these Services are applied, they no longer reach old pods: project-v4-system/Deployment/project-v4-controller-manager/metrics (8443 -> 22949, Service project-v4-system/project-v4-controller-manager-metrics-service). Apply the workloads first, and apply the Services when the new pods are ready, or give the ports names before the move
    ");
    assert_snapshot!(run_on(&cluster(), &["ports", "--called", "-o", "ranges"]).text(), @"TCP 9443,21641,24173,24185,24686,26204,28568");
}

/// Only the moved workloads and the Services with numeric target ports change.
#[test]
fn no_other_byte_changes() {
    let after = applied(&cluster());
    let mut changed = String::new();
    for ((name, before), (_, after)) in manifests().iter().zip(&after) {
        let (old, new): (Vec<&str>, Vec<&str>) = (before.split("---\n").collect(), after.split("---\n").collect());
        assert_eq!(old.len(), new.len(), "{name}");
        for (old, new) in old.iter().zip(new).filter(|(old, new)| *old != new) {
            let id = |key: &str| old.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
            changed += &format!("{name}:{}{}\n", id("kind:"), id("  name:"));
            let diff = similar::TextDiff::from_lines(*old, new);
            let lines = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
            changed.extend(lines.map(|change| format!("{}{}", change.tag(), change.value())));
        }
    }
    assert_eq!(after[0].0, "apps.yaml");
    assert_eq!(after[0].1.matches("\nkind: ").count(), 24, "twenty workloads and four Services");
    assert_snapshot!(changed, @r#"
    cert-manager.yaml: Deployment cert-manager-webhook
    -        prometheus.io/port: "9402"
    +        prometheus.io/port: "21343"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        - --secure-port=10250
    +        - --secure-port=28568
    +        - --healthz-port=25535
    +        - --metrics-listen-address=0.0.0.0:21343
    -          containerPort: 10250
    +          containerPort: 28568
    +          hostPort: 28568
    -          containerPort: 6080
    -        - containerPort: 9402
    +          containerPort: 25535
    +          hostPort: 25535
    +        - containerPort: 21343
    +          hostPort: 21343
    crossplane.yaml: Service crossplane-webhooks
    -    targetPort: 9443
    +    targetPort: webhooks
    crossplane.yaml: Deployment crossplane
    -        prometheus.io/port: "8080"
    +        prometheus.io/port: "21500"
    -      hostNetwork: false
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -          containerPort: 8081
    +          containerPort: 23928
    +          hostPort: 23928
    -          containerPort: 8080
    +          containerPort: 21500
    +          hostPort: 21500
    -          containerPort: 9443
    +          containerPort: 24173
    +          hostPort: 24173
    +        - name: HEALTH_PROBE_PORT
    +          value: "23928"
    +        - name: METRICS_PORT
    +          value: "21500"
    +        - name: WEBHOOK_PORT
    +          value: "24173"
    gatekeeper.yaml: Deployment gatekeeper-controller-manager
    -      dnsPolicy: ClusterFirst
    -      hostNetwork: false
    +      dnsPolicy: ClusterFirstWithHostNet
    +      hostNetwork: true
    -        - --port=8443
    -        - --health-addr=:9090
    -        - --prometheus-port=8888
    +        - --port=21641
    +        - --health-addr=:25346
    +        - --prometheus-port=25355
    -            port: 9090
    +            port: 25346
    -        - containerPort: 8443
    +        - containerPort: 21641
    +          hostPort: 21641
    -        - containerPort: 8888
    +        - containerPort: 25355
    +          hostPort: 25355
    -        - containerPort: 9090
    +        - containerPort: 25346
    +          hostPort: 25346
    -            port: 9090
    +            port: 25346
    kyverno.yaml: Deployment kyverno-admission-controller
    -      dnsPolicy: ClusterFirst
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        - --webhookServerPort=9443
    +        - --webhookServerPort=24185
    -        - --metricsPort=8000
    -        - --controllerRuntimeMetricsAddress=:8080
    +        - --metricsPort=29523
    +        - --controllerRuntimeMetricsAddress=:22129
    -        - --profilePort=6060
    +        - --profilePort=29898
    -        - containerPort: 9443
    +        - containerPort: 24185
    +          hostPort: 24185
    -        - containerPort: 8000
    +        - containerPort: 29523
    +          hostPort: 29523
    -        - containerPort: 6060
    +        - containerPort: 29898
    +          hostPort: 29898
    +        - name: ctrl-metrics
    +          containerPort: 22129
    +          hostPort: 22129
    -          httpGet: {path: /health/liveness, port: 9443, scheme: HTTPS}
    +          httpGet: {path: /health/liveness, port: 24185, scheme: HTTPS}
    -          httpGet: {path: /health/liveness, port: 9443, scheme: HTTPS}
    +          httpGet: {path: /health/liveness, port: 24185, scheme: HTTPS}
    -          httpGet: {path: /health/readiness, port: 9443, scheme: HTTPS}
    +          httpGet: {path: /health/readiness, port: 24185, scheme: HTTPS}
    kyverno.yaml: Deployment kyverno-cleanup-controller
    -      dnsPolicy: ClusterFirst
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        - containerPort: 9443
    +        - containerPort: 24686
    +          hostPort: 24686
    -        - containerPort: 8000
    +        - containerPort: 21242
    +          hostPort: 21242
    -        - --cleanupServerPort=9443
    +        - --cleanupServerPort=24686
    -        - --metricsPort=8000
    +        - --metricsPort=21242
    -          httpGet: {path: /health/liveness, port: 9443, scheme: HTTPS}
    +          httpGet: {path: /health/liveness, port: 24686, scheme: HTTPS}
    -          httpGet: {path: /health/readiness, port: 9443, scheme: HTTPS}
    +          httpGet: {path: /health/readiness, port: 24686, scheme: HTTPS}
    kyverno.yaml: Service kyverno-svc-metrics
    -    targetPort: 8000
    +    targetPort: metrics-port
    metrics-server.yaml: Deployment metrics-server
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        - --secure-port=10250
    +        - --secure-port=26204
    -          containerPort: 10250
    +          containerPort: 26204
    +          hostPort: 26204
    operator.yaml: Deployment project-v4-controller-manager
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -        - --metrics-bind-address=:8443
    +        - --metrics-bind-address=:22949
    -        - --health-probe-bind-address=:8081
    +        - --health-probe-bind-address=:27254
    -        - containerPort: 8081
    +        - containerPort: 27254
    +          hostPort: 27254
    +          hostPort: 9443
    +        - name: metrics
    +          containerPort: 22949
    +          hostPort: 22949
    -            port: 8081
    +            port: 27254
    -            port: 8081
    +            port: 27254
    operator.yaml: Service project-v4-controller-manager-metrics-service
    -    targetPort: 8443
    +    targetPort: metrics
    "#);
}

#[test]
fn a_second_run_changes_nothing() {
    let folder = cluster();
    let first = applied(&folder);
    assert!(applied(&folder) == first);
    run_on(&folder, &["apply", "--check"]);
}

#[test]
fn recorded_numbers_give_the_same_files() {
    let folder = cluster();
    let pinned = cluster();
    let pin = hostnet(pinned.path(), &["pin", "-c", "config.yaml", "all"], b"");
    assert_eq!(pin.code, Some(0), "{}", pin.stderr);
    assert!(applied(&folder) == applied(&pinned));
}
