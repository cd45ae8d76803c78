//! Servers that the API server calls and that are not followed: files, which are not in the input, contain their
//! addresses, or another program makes the webhooks.
//!
//! Source: kubernetes v1.36 `staging/src/k8s.io/apiserver/pkg/apis/apiserver/v1/types.go` (`WebhookConnectionInfo`),
//! `v1beta1/types.go` (`Issuer`), `plugin/pkg/admission/imagepolicy/config.go` (`imagePolicyWebhookConfig`),
//! `cmd/kubeadm/app/apis/kubeadm/v1beta4/types.go` (`ControlPlaneComponent`); operator-framework/api v0.39.0
//! `pkg/operators/v1alpha1/clusterserviceversion_types.go`.

use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Pattern};

/// Group of Operator Lifecycle Manager.
pub(in crate::model) const OLM: &str = "operators.coreos.com";

/// Group of the files that the API server reads.
const FILES: &str = "apiserver.config.k8s.io";

/// Fields with a kubeconfig of a called server: group, kind and path. A `kubeConfigFile` of the plugins that call
/// webhooks has only the credentials of their servers.
const KUBECONFIGS: [(&str, &str, &str); 2] = [
    (FILES, "AuthorizationConfiguration", "authorizers[].webhook.connectionInfo.kubeConfigFile"),
    (FILES, "AdmissionConfiguration", "plugins[].configuration.imagePolicy.kubeConfigFile"),
];

/// Flags of the API server with the kubeconfig of a called server.
///
/// Source: kubernetes v1.36 `pkg/kubeapiserver/options`, `staging/src/k8s.io/apiserver/pkg/server/options/audit.go`.
const FLAGS: [&str; 3] =
    ["audit-webhook-config-file", "authentication-token-webhook-config-file", "authorization-webhook-config-file"];

/// Objects with flags of the API server in mappings or, since v1beta4 of kubeadm, in lists: group, kind and path.
const FLAG_FIELDS: [(&str, &str, &str); 5] = [
    ("kubeadm.k8s.io", "ClusterConfiguration", "apiServer.extraArgs"),
    ("bootstrap.cluster.x-k8s.io", "KubeadmConfig", "spec.clusterConfiguration.apiServer.extraArgs"),
    (
        "bootstrap.cluster.x-k8s.io",
        "KubeadmConfigTemplate",
        "spec.template.spec.clusterConfiguration.apiServer.extraArgs",
    ),
    (
        "controlplane.cluster.x-k8s.io",
        "KubeadmControlPlane",
        "spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs",
    ),
    (
        "controlplane.cluster.x-k8s.io",
        "KubeadmControlPlaneTemplate",
        "spec.template.spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs",
    ),
];

/// Returns the calls of an object that are not followed, each with its path and the called server. `is_service` is true
/// for a URL whose host is a Service.
pub(super) fn unfollowed_calls(
    meta: &Meta,
    object: NodeRef<'_, '_>,
    is_service: impl Fn(&str) -> bool,
) -> Vec<(Path, String)> {
    let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
    let row = |rows: &[(&str, &str, &'static str)]| {
        rows.iter().find(|(of, its, _)| (*of, *its) == (group, kind)).map(|(.., path)| *path)
    };
    if let Some(path) = row(&KUBECONFIGS) {
        let files = Pattern::new(path);
        let files = files.find(object).filter_map(|found| Some((found.path, server_of_file(found.node.text()?))));
        return files.collect();
    }
    if let Some(path) = row(&FLAG_FIELDS) {
        return calls_by_flags(object, &Path::dotted(path));
    }
    match (group, kind) {
        (OLM, "ClusterServiceVersion") => {
            let paths = ["spec.webhookdefinitions", "spec.apiservicedefinitions.owned"].map(Path::dotted);
            let defines = |path: &Path| object.lookup(path).is_some_and(|list| list.items().next().is_some());
            let first = paths.into_iter().find(defines);
            let made = |path| (path, "the webhooks and APIs that Operator Lifecycle Manager makes from it".to_owned());
            first.map(made).into_iter().collect()
        }
        (FILES, "AuthenticationConfiguration") => calls_of_issuers(object, is_service),
        ("", "Config") => calls_of_kubeconfig(object, is_service),
        _ => Vec::new(),
    }
}

/// Text for the server of a kubeconfig file.
fn server_of_file(file: &str) -> String {
    format!("the server of kubeconfig {file}")
}

/// Server of the kubeconfig that a command line of the API server names: the position of the flag among the words, and
/// the server.
pub(in crate::model) fn calls_by_command<'w>(words: &[&'w str]) -> Vec<(usize, String)> {
    let flag = |(index, word): (usize, &&'w str)| {
        let (name, value) = match word.strip_prefix("--")?.split_once('=') {
            Some((name, value)) => (name, value),
            None => (word.strip_prefix("--")?, *words.get(index + 1)?),
        };
        FLAGS.contains(&name).then(|| (index, server_of_file(value)))
    };
    words.iter().enumerate().filter_map(flag).collect()
}

fn calls_by_flags(object: NodeRef<'_, '_>, path: &Path) -> Vec<(Path, String)> {
    let Some(flags) = object.lookup(path) else { return Vec::new() };
    let by_key = FLAGS.iter().filter_map(|flag| Some((path.key(*flag), server_of_file(flags.get(flag)?.text()?))));
    let by_name = flags.items().enumerate().filter_map(|(index, flag)| {
        let (name, value) = (flag.get("name")?.text()?, flag.get("value")?.text()?);
        FLAGS.contains(&name).then(|| (path.item(index).key("value"), server_of_file(value)))
    });
    by_key.chain(by_name).collect()
}

/// Issuers of tokens that are Services: the API server reads their keys, at `discoveryURL` if there is one.
fn calls_of_issuers(object: NodeRef<'_, '_>, is_service: impl Fn(&str) -> bool) -> Vec<(Path, String)> {
    let has_other = |issuer: &NodeRef<'_, '_>| issuer.get("discoveryURL").is_some_and(|url| !url.is_null());
    let issuers = Pattern::new("jwt[].issuer");
    let calls = issuers.find(object).filter_map(|found| {
        let key = if has_other(&found.node) { "discoveryURL" } else { "url" };
        let (server, _) = found.node.get(key)?.text().filter(|url| is_service(url)).and_then(authority_and_path)?;
        Some((found.path.key(key), format!("the issuer {server}")))
    });
    calls.collect()
}

/// Servers of a kubeconfig that are Services. A URL without a path belongs to an API server, whose clients read the
/// file.
fn calls_of_kubeconfig(object: NodeRef<'_, '_>, is_service: impl Fn(&str) -> bool) -> Vec<(Path, String)> {
    let servers = Pattern::new("clusters[].cluster.server");
    let calls = servers.find(object).filter_map(|found| {
        let (server, path) = found.node.text().filter(|url| is_service(url)).and_then(authority_and_path)?;
        let has_path = !path.trim_matches('/').is_empty();
        has_path.then(|| (found.path, format!("the server {server} of a kubeconfig")))
    });
    calls.collect()
}

/// Splits a URL into host and port, and the rest.
fn authority_and_path(url: &str) -> Option<(&str, &str)> {
    let address = url.strip_prefix("https://")?;
    Some(address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len())))
}
