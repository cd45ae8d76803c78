//! Output of the first commands in real repositories: remedies, with errors first, on one screen; and a config that is
//! accepted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use insta::assert_snapshot;

use crate::support::material::material;
use crate::support::run::hostnet;

/// Size of a terminal: columns and rows.
const SCREEN: (usize, usize) = (100, 40);

fn rows(text: &str) -> usize {
    text.lines().map(|line| line.chars().count().div_ceil(SCREEN.0).max(1)).sum()
}

/// Returns the output and exit code of `hostnet check .` in a repository.
fn first_run(repository: &str) -> Option<String> {
    let folder = material(&format!("corpus/workloads/{repository}"))?;
    let run = hostnet(&folder, &["check", "."], b"");
    let text = run.text();
    // The exit code does not depend on how much is printed.
    assert_eq!(run.code, hostnet(&folder, &["check", "-v", "."], b"").code);
    assert!(rows(&text) <= SCREEN.1, "{} rows: {text}", rows(&text));
    Some(format!("{text}exit code {}\n", run.code.unwrap_or(-1)))
}

#[test]
fn screen_of_a_node_agent_with_renders() {
    let Some(log) = first_run("aws__eks-pod-identity-agent") else { return };
    assert_snapshot!(log, @"
        error: give one of the two other ports, or keep them on different nodes: they cannot run on one node [port-conflict]
          hack/testdata/expected_eks_pod_identity_agent_hybrid_helm_template.yaml:84: DaemonSet default/eks-pod-identity-agent-custom-test-truncate-123213213121321121 and DaemonSet default/eks-pod-identity-agent: 80/TCP, 2703/TCP, perhaps 2705/TCP; made by Helm (release release-name)
          hack/testdata/expected_eks_pod_identity_agent_hybrid_helm_template.yaml:204: DaemonSet default/eks-pod-identity-agent-custom-test-truncate-123213213121-hybrid and DaemonSet default/eks-pod-identity-agent: 80/TCP, 2703/TCP; made by Helm (release release-name)
        warning: add this port to `ports` of the container: the scheduler does not see undeclared ports [port-declared]
          hack/testdata/expected_eks_pod_identity_agent_default_helm_template.yaml:70: DaemonSet default/eks-pod-identity-agent, container eks-pod-identity-agent: `{name: metrics, containerPort: 2705, hostPort: 2705}`; made by Helm (release release-name)
          hack/testdata/expected_eks_pod_identity_agent_hybrid_helm_template.yaml:70: DaemonSet default/eks-pod-identity-agent-custom-test-truncate-123213213121321121, container eks-pod-identity-agent: `{name: metrics, containerPort: 2705, hostPort: 2705}`; made by Helm (release release-name)
          hack/testdata/expected_eks_pod_identity_agent_hybrid_helm_template.yaml:188: DaemonSet default/eks-pod-identity-agent-custom-test-truncate-123213213121-hybrid, container eks-pod-identity-agent: `{name: metrics, containerPort: 2705, hostPort: 2705}`; made by Helm (release release-name)
        4 objects, 4 workloads: 4 errors, 4 warnings, 9 info (dns-policy 4, duplicate-object 1, host-port 4, port-conflict 5, port-declared 3)
        `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
        exit code 1
    ");
}

#[test]
fn screen_of_a_controller_with_samples_and_tutorials() {
    let Some(log) = first_run("openkruise__kruise") else { return };
    assert_snapshot!(log, @"
    warning: write `dnsPolicy: ClusterFirstWithHostNet` (or `Default` on purpose): names of the cluster do not resolve [dns-policy]
      config/manager/manager.yaml:105: DaemonSet system/daemon
    warning: write `dnsPolicy: Default`: Windows nodes do not support ClusterFirstWithHostNet [dns-policy]
      hack/daemon/daemon-windows.yaml:65: DaemonSet kruise-system/kruise-daemon-win
    warning: give one of the two other ports, or keep them on different nodes: they cannot run on one node [port-conflict]
      config/manager/manager.yaml:106: DaemonSet system/daemon and DaemonSet kruise-system/kruise-daemon-win: perhaps 10221/TCP
    warning: add this port to `ports` of the container: the scheduler does not see undeclared ports [port-declared]
      config/manager/manager.yaml:134: DaemonSet system/daemon, container daemon: `{name: health, containerPort: 10221, hostPort: 10221}`
      hack/daemon/daemon-windows.yaml:30: DaemonSet kruise-system/kruise-daemon-win, container daemon: `{name: listen, containerPort: 10221, hostPort: 10221}`
    warning: correct `targetPort`: no container has a port of this name, so it has no target [service-target]
      docs/tutorial/v1/cloneset-guestbook.yaml:13: Service guestbook-clone-svc: `sidecar-server`; its ports are http-server (3000)
      docs/tutorial/v1/guestbook-service.yaml:13: Service guestbook: `sidecar-server`; its ports are http-server (3000)
    58 objects, 29 workloads: 0 errors, 7 warnings, 1 info (dns-policy 2, pod-security 1, port-conflict 1, port-declared 2, service-target 2)
    `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
    exit code 0
    ");
}

#[test]
fn screen_of_a_flux_cluster() {
    let Some(log) = first_run("raspbernetes__k8s-gitops") else { return };
    assert_snapshot!(log, @"
    warning: write `dnsPolicy: ClusterFirstWithHostNet` (or `Default` on purpose): names of the cluster do not resolve [dns-policy]
      k8s/namespaces/base/kube-system/cilium/calico-chaining/cilium.yaml:608: Deployment kube-system/cilium-operator
      k8s/namespaces/base/kube-system/cilium/calico-chaining/json-mock.yaml:127: Deployment echo-b-host
    warning: use another port: another process of the node may listen on this port [node-port]
      k8s/namespaces/base/kube-system/cilium/calico-chaining/json-mock.yaml:129: Deployment echo-b-host: 41000 (32768-60999 are for outgoing connections)
    warning: add this port to `ports` of the container: the scheduler does not see undeclared ports [port-declared]
      k8s/namespaces/base/kube-system/cilium/calico-chaining/cilium.yaml:373: DaemonSet kube-system/cilium, container cilium-agent: `{name: health, containerPort: 9876, hostPort: 9876}`
      k8s/namespaces/base/kube-system/cilium/calico-chaining/cilium.yaml:648: Deployment kube-system/cilium-operator, container cilium-operator: `{name: health, containerPort: 9234, hostPort: 9234}`
      k8s/namespaces/base/kube-system/cilium/calico-chaining/json-mock.yaml:132: Deployment echo-b-host, container echo-b-host-container: `{name: listen, containerPort: 41000, hostPort: 41000}`
    56 objects, 19 workloads: 0 errors, 6 warnings, 2 info (dns-policy 3, node-port 1, port-declared 3, rollout-surge 1)
    `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
    exit code 0
    ");
}

#[test]
fn the_output_for_every_repository_fits_one_screen() {
    for corpus in ["corpus/workloads", "corpus/flux", "corpus/packages"] {
        let Some(folder) = material(corpus) else { return };
        let repositories = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        for folder in repositories.chain([folder.clone()]) {
            let text = hostnet(&folder, &["check", "."], b"").text();
            assert!(rows(&text) <= SCREEN.1, "{}: {} rows: {text}", folder.display(), rows(&text));
            let severities = text.lines().filter_map(|line| Some(line.split_once(": ")?.0));
            let severities: Vec<&str> = severities.filter(|word| ["error", "warning", "info"].contains(word)).collect();
            assert!(severities.is_sorted() && !severities.contains(&"info"), "{text}");
        }
    }
}

/// In real repositories, the generated config is accepted, and the snapshot contains the remaining warnings.
#[test]
fn three_real_repositories_get_a_config() {
    let Some(corpus) = material("corpus") else { return };
    let mut transcript = String::new();
    let rules = regex::Regex::new(r"(?m)^warning: .*\[([a-z-]+)\]$").unwrap();
    for path in [
        "charts/cert-manager/default.yaml",
        "workloads/raspbernetes__k8s-gitops",
        "workloads/open-telemetry__opentelemetry-operator",
        "workloads/aws__amazon-eks-pod-identity-webhook",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let input = corpus.join(path);
        let input = input.to_str().unwrap();
        let run = hostnet(folder.path(), &["init", input], b"");
        assert_eq!(run.code, Some(0), "{path}: {}", run.stderr);
        let config = std::fs::read_to_string(folder.path().join("hostnet.yaml")).unwrap();
        let diff = hostnet(folder.path(), &["apply", "--diff", "--sources", input], b"");
        assert_eq!(diff.code, Some(0), "{path}: {}", diff.stderr);
        assert!(diff.text().contains("+      hostNetwork: true"), "{path}: {}", diff.text());
        let rules: Vec<&str> = rules.captures_iter(&diff.stderr).map(|found| found.get(1).unwrap().as_str()).collect();
        let targets = config.split_once("targets:\n").unwrap().1;
        transcript.push_str(&format!("## {path}\n{targets}{}\n{rules:?}\n\n", diff.stderr.lines().last().unwrap()));
    }
    insta::assert_snapshot!("repositories", transcript);
}
