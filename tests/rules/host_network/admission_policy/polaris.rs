//! The webhook of Polaris and its config.

use super::Outcome::{self, Silent, Unsure};
use crate::host_network::stream;

/// Polaris with this config and subcommand; its webhook calls it if it is the subcommand `webhook`.
pub(super) fn polaris(config: &str, command: &str) -> String {
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: polaris, namespace: polaris}}\ndata:\n  config.yaml: |\n    {config}\n"
    );
    let pods = format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: polaris, namespace: polaris}}\nspec:\n  selector: {{matchLabels: {{app: \
         polaris}}}}\n  template:\n    metadata: {{labels: {{app: polaris}}}}\n    spec:\n      containers: [{{name: polaris, image: \
         'example/checks:9', args: [{command}], ports: [{{containerPort: 9876}}], volumeMounts: [{{name: c, mountPath: /config}}]}}]\n      \
         volumes: [{{name: c, configMap: {{name: polaris}}}}]\n"
    );
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: polaris, namespace: polaris}\nspec: {selector: {app: polaris}, ports: [{port: 443, targetPort: 9876}]}\n";
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: polaris}\nwebhooks: [{name: polaris.fairwinds.com, clientConfig: {service: {name: polaris, namespace: polaris}}}]\n";
    let called = if command == "webhook" { vec![webhook.to_owned()] } else { Vec::new() };
    stream([vec![map, pods, service.to_owned()], called].concat())
}

/// Polaris without a ConfigMap, with these arguments.
fn by_default(args: &str) -> String {
    let all = polaris("{}", "webhook").replace("example/checks:9", "quay.io/fairwinds/polaris:9.6");
    let (_, rest) = all.split_once("---\n").unwrap_or_default();
    let volumes =
        ", volumeMounts: [{name: c, mountPath: /config}]}]\n      volumes: [{name: c, configMap: {name: polaris}}]";
    rest.replace(volumes, "}]").replace("[webhook]", args)
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    vec![
        (Unsure, by_default("[polaris, webhook]")),
        (Silent, by_default("[polaris, webhook, --config=/opt/a.yaml]")),
        (Silent, by_default("[polaris, dashboard]")),
        (Unsure, polaris("{checks: {hostNetworkSet: danger}}", "webhook")),
        (Unsure, polaris("{checks: {hostPortSet: danger}}", "webhook")),
        (Silent, polaris("{checks: {hostNetworkSet: warning, hostPortSet: ignore}}", "webhook")),
        (Silent, polaris("{checks: {hostNetworkSet: danger}}", "dashboard")),
        (
            Silent,
            polaris(
                "{checks: {hostNetworkSet: danger}, exemptions: [{namespace: shop, rules: [hostNetworkSet]}]}",
                "webhook",
            ),
        ),
        (
            Unsure,
            polaris(
                "{checks: {hostNetworkSet: danger}, exemptions: [{namespace: other, rules: [hostNetworkSet]}]}",
                "webhook",
            ),
        ),
    ]
}
