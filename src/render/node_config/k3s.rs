//! Writes `registries.yaml`, from which k3s and RKE2 configure their bundled containerd.
//!
//! Source: rancher/wharfie@v0.7.1 `pkg/registries/types.go`; k3s-io/k3s `pkg/agent/containerd/config.go`, which selects
//! mirrors by the registry of an image, and certificates by the host of the endpoint.

use super::host::{MARK, NodeFile, NodeHost};
use lossless_yaml::{Value, document};

/// Builds the file for these registries.
pub(super) fn file(hosts: &[NodeHost]) -> NodeFile {
    let is_elsewhere = |node_host: &&NodeHost| node_host.url != format!("https://{}", node_host.host);
    let mirror = |node_host: &NodeHost| {
        let endpoints = Value::Seq(vec![node_host.url.as_str().into()]);
        (node_host.host.clone(), Value::map([("endpoint", endpoints)]))
    };
    let mirrors: Vec<(String, Value)> = hosts.iter().filter(is_elsewhere).map(mirror).collect();
    let mut configs: Vec<(String, Value)> = Vec::new();
    for node_host in hosts {
        let is_new = configs.iter().all(|(authority, _)| authority != node_host.authority());
        if let Some(ca) = node_host.ca.as_deref().filter(|_| is_new) {
            let tls = Value::map([("ca_file", ca.into())]);
            configs.push((node_host.authority().to_owned(), Value::map([("tls", tls)])));
        }
    }
    let parts = [("mirrors", mirrors), ("configs", configs)].into_iter().filter(|(_, entries)| !entries.is_empty());
    let value = Value::map(parts.map(|(key, entries)| (key, Value::Map(entries))));
    let text = format!(
        "{MARK}\n# For RKE2 the path is /etc/rancher/rke2/registries.yaml. Restart k3s or RKE2 afterwards: it then regenerates containerd's own files.\n{}",
        document(&value)
    );
    NodeFile { place: Some("/etc/rancher/k3s/registries.yaml".to_owned()), below: "registries.yaml".to_owned(), text }
}
