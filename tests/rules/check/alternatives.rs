//! Files that hold one object with different content belong to two clusters, or are a base and its patch. No rule
//! combines objects of such files; each test puts the objects of a rule into one file and into two.

use super::{PORT, host_spec, on_host, report_of, workload};
use hostnet::kinds::check::Configs;

const CONFIG: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {apiServer: Outside, nodes: 3}}";

/// The files in which the rule reports a finding.
fn files(rule: &str, files: &[(&str, &str)]) -> Vec<String> {
    let mut configs = Configs::default();
    configs.add(CONFIG, "check.yaml").unwrap();
    let report = report_of(&configs, files);
    let found = report.entries.into_iter().filter(|entry| entry.rule.id == rule);
    found.filter_map(|entry| entry.place?.file).collect()
}

/// Asserts that the rule reports a finding for `own` and `context` in one file or in two files of one cluster, and no
/// finding if `context` is in a file of another cluster.
fn is_found_together_alone(rule: &str, own: &str, context: &str) {
    let marker = |version: u8| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: marker, namespace: shop}}\nspec: {{externalName: v{version}.example}}\n---\n"
        )
    };
    let (one, two) = ([own, &marker(1)].concat(), [context, &marker(2)].concat());
    assert!(!files(rule, &[("both.yaml", &[own, context].concat())]).is_empty(), "{rule}: one file");
    assert!(!files(rule, &[("one.yaml", own), ("two.yaml", context)]).is_empty(), "{rule}: two files");
    assert_eq!(files(rule, &[("one.yaml", &one), ("two.yaml", &two)]), [""; 0], "{rule}: two clusters");
    // The file that holds both objects has a finding even with a second cluster in the input.
    let first = [context, &one].concat();
    assert!(!files(rule, &[("one.yaml", &first), ("two.yaml", &two)]).is_empty(), "{rule}: in one of them");
}

#[test]
fn namespaces_and_policies_and_sidecars() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}\n---\n";
    is_found_together_alone("pod-security", &on_host("web", PORT), namespace);
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: shop}\nspec: {podSelector: {matchLabels: \
                  {app: web}}}\n---\n";
    is_found_together_alone("network-policy", &on_host("web", PORT), policy);
    let set = "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: mesh}\nspec: {selector: {matchLabels: {app: web}}, containers: \
               [{name: proxy, ports: [{containerPort: 15000}]}]}\n---\n";
    is_found_together_alone("sidecar-port", &on_host("web", PORT), set);
    is_found_together_alone("port-conflict", &on_host("web", PORT), &on_host("api", PORT));
}

#[test]
fn services_and_their_callers() {
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.b.c, \
                clientConfig: {service: {namespace: shop, name: web}}}]\n---\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 443, \
                   targetPort: 9443}]}\n---\n";
    let pods = workload("Deployment", "web", "{containers: [{name: web, ports: [{containerPort: 9443}]}]}");
    is_found_together_alone("port-called", &[pods.as_str(), service].concat(), hook);
    is_found_together_alone("port-called", &pods, &[service, hook].concat());
    is_found_together_alone("port-called", &[pods.as_str(), hook].concat(), service);
    let other = service.replace("9443", "metrics");
    is_found_together_alone("service-target", &on_host("web", PORT), &other);
}

/// The Service selects no port in either file; it is an error only in the file with the webhook that calls it.
#[test]
fn a_caller_of_another_cluster_makes_no_error() {
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.b.c, \
                clientConfig: {service: {namespace: shop, name: web}}}]\n---\n";
    let own = format!(
        "{}apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 443, targetPort: \
         hooks}}]}}\n---\n",
        on_host("web", PORT)
    );
    let severity = |other: &str| {
        let report = report_of(&Configs::default(), &[("one.yaml", &own), ("two.yaml", other)]);
        let mut found = report.entries.into_iter().filter(|entry| entry.rule.id == "service-target");
        found.next().map(|entry| entry.severity.as_str())
    };
    assert_eq!(severity(hook), Some("error"));
    assert_eq!(severity(&[hook, &on_host("web", "args: [x]")].concat()), Some("warning"));
}

#[test]
fn autoscalers_and_rollouts() {
    let scaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\nspec: {minReplicas: 1, maxReplicas: 9, \
                  scaleTargetRef: {kind: Deployment, name: web}}\n---\n";
    is_found_together_alone("replicas-nodes", &on_host("web", PORT), scaler);
    let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 3, workloadRef: {apiVersion: apps/v1, kind: \
                   Deployment, name: web, scaleDown: onsuccess}, strategy: {canary: {maxSurge: 1, maxUnavailable: 0}}}\n---\n";
    let own = on_host("web", PORT).replace("spec:\n  template", "spec:\n  strategy: {type: Recreate}\n  template");
    is_found_together_alone("rollout-surge", &own, rollout);
}

#[test]
fn packages_and_their_configs() {
    let package = |kind: &str, name: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{package: 'example.org/{name}:v1', runtimeConfigRef: {{name: x}}}}\n---\n"
        )
    };
    let config = format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: x}}\nspec: {{deploymentTemplate: {{spec: {{template: {{spec: {}}}}}}}}}\n---\n",
        host_spec(PORT)
    );
    let two = |kind: &str| [package(kind, "a"), package(kind, "b")].concat();
    is_found_together_alone("runtime-config", &two("Provider"), &config);
    is_found_together_alone(
        "runtime-config",
        &[package("Provider", "a"), config.clone()].concat(),
        &package("Provider", "b"),
    );
    is_found_together_alone("function", &two("Function"), &config);
    is_found_together_alone(
        "function",
        &[package("Function", "a"), config.clone()].concat(),
        &package("Function", "b"),
    );
    // A package that occurs in several files is a single package.
    let one = [package("Provider", "a"), config.clone()].concat();
    assert_eq!(files("runtime-config", &[("one.yaml", &one), ("two.yaml", &package("Provider", "a"))]), [""; 0]);
    let one = [package("Function", "a"), config].concat();
    assert_eq!(files("function", &[("one.yaml", &one), ("two.yaml", &package("Function", "a"))]), [""; 0]);
}

/// If the first monitor of a number belongs to another cluster, the second monitor shows the listener.
#[test]
fn a_monitor_of_another_cluster_does_not_hide_the_own_one() {
    let monitor = |name: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{selector: {{matchLabels: {{app: web}}}}, \
             podMetricsEndpoints: [{{targetPort: 9103}}]}}\n---\n"
        )
    };
    let web = |arguments: &str| on_host("web", &format!("{PORT}{arguments}"));
    let (one, two) = ([monitor("a"), web("")].concat(), [monitor("b"), web(", args: [x]")].concat());
    let found = files("port-declared", &[("one.yaml", &one), ("two.yaml", &two)]);
    assert_eq!(found, ["one.yaml", "two.yaml"]);
}
