//! Output of `hostnet mirror node-config`: registry configuration for nodes. This module writes the
//! files of containerd.
//!
//! Source: containerd/containerd@v2.2.0 `docs/hosts.md`, `docs/cri/registry.md`; `core/remotes/docker/config/hosts.go`.

mod crio;
mod host;
mod k3s;

pub use host::{NodeFile, NodeHost};

use std::fmt::Write as _;

use host::{MARK, toml_string};

/// containerd's registry folder on a node.
pub const FOLDER: &str = "/etc/containerd/certs.d";

/// True if `hostnet mirror node-config` wrote the file.
pub fn is_generated(text: &str) -> bool {
    text.starts_with(MARK)
}

/// Container runtime of the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeRuntime {
    /// containerd with its own configuration.
    Containerd(Containerd),
    /// containerd bundled with k3s or RKE2.
    K3s,
    /// CRI-O
    Crio,
}

/// The major version of containerd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containerd {
    /// 1.6 and 1.7
    One,
    /// 2.x
    Two,
}

impl NodeHost {
    /// Path of the registry's file below [`FOLDER`].
    pub fn file(&self) -> String {
        format!("{}/hosts.toml", self.host)
    }

    /// Content of the registry's `hosts.toml`.
    pub fn hosts_toml(&self) -> String {
        // A `[host."…"]` table would add a second endpoint that is tried before `server`.
        let mut text = format!("{MARK}\nserver = {}\ncapabilities = [\"pull\", \"resolve\"]\n", toml_string(&self.url));
        if let Some(ca) = &self.ca {
            let _ = writeln!(text, "ca = {}", toml_string(ca));
        }
        text + "\n# Without this table containerd 1.7 does not read the file.\n[host]\n"
    }
}

/// Lines of containerd's main configuration that enable the registry folder.
pub fn config_toml(version: Containerd) -> String {
    let (number, plugin, note) = match version {
        Containerd::One => (2, "io.containerd.grpc.v1.cri", ""),
        Containerd::Two => {
            (3, "io.containerd.cri.v1.images", "# containerd from 2.2 on reads it without these lines.\n")
        }
    };
    format!(
        "{MARK}\n# In /etc/containerd/config.toml, whose first line says `version = {number}`; restart containerd after it.\n\
         # `registry.mirrors` must not be set together with `config_path`: containerd then starts without its CRI plugin.\n{note}\
         [plugins.\"{plugin}\".registry]\n  config_path = \"{FOLDER}\"\n"
    )
}

/// Files for a node with this runtime.
pub fn files(hosts: &[NodeHost], runtime: NodeRuntime) -> Vec<NodeFile> {
    let version = match runtime {
        NodeRuntime::Containerd(version) => version,
        NodeRuntime::K3s => return vec![k3s::file(hosts)],
        NodeRuntime::Crio => return vec![crio::file(hosts)],
    };
    let of_host = |node_host: &NodeHost| NodeFile {
        place: Some(format!("{FOLDER}/{}", node_host.file())),
        below: format!("certs.d/{}", node_host.file()),
        text: node_host.hosts_toml(),
    };
    let config = NodeFile { place: None, below: "config.toml".to_owned(), text: config_toml(version) };
    hosts.iter().map(of_host).chain([config]).collect()
}

/// Concatenates all files, each after a line with its path unless the content names it.
pub fn text(files: &[NodeFile]) -> String {
    let named = |file: &NodeFile| match &file.place {
        Some(place) => format!("# {place}\n{}", file.text),
        None => file.text.clone(),
    };
    files.iter().map(named).collect::<Vec<_>>().join("\n")
}

/// Script that creates a kind cluster and a registry without TLS. Crossplane's core, the nodes and this machine reach
/// the registry by the mirror's `address`.
pub fn kind(address: &str, version: Containerd) -> String {
    let (host, url) = (address.to_owned(), format!("http://{address}"));
    let host = NodeHost { host, prefixes: Vec::new(), url, ca: None };
    let (ip, port) = address.rsplit_once(':').unwrap_or((address, "80"));
    let plugin = match version {
        Containerd::One => "io.containerd.grpc.v1.cri",
        Containerd::Two => "io.containerd.cri.v1.images",
    };
    format!(
        r#"#!/bin/sh
# A cluster of kind, and a registry without TLS at {address}, by which Crossplane's core, the nodes and this machine
# know it. Written by `hostnet mirror node-config --kind`. It may be run again.
set -eu
network=$(docker network inspect -f '{{{{range .IPAM.Config}}}}{{{{.Subnet}}}} {{{{end}}}}' kind 2>/dev/null || :)
if [ -z "$network" ]; then
  # kind uses a network of this name where there is one; a subnet of its own lets the address be chosen.
  docker network create --subnet {subnet} kind
fi
if ! docker inspect mirror >/dev/null 2>&1; then
  docker run --detach --restart=always --name mirror --network kind --ip {ip} \
    --env REGISTRY_HTTP_ADDR=0.0.0.0:{port} registry:2
fi
if ! kind get clusters 2>/dev/null | grep -qx kind; then
  kind create cluster --config=- <<'CLUSTER'
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
containerdConfigPatches:
- |-
  [plugins."{plugin}".registry]
    config_path = "{FOLDER}"
CLUSTER
fi
for node in $(kind get nodes); do
  docker exec "$node" mkdir -p '{FOLDER}/{address}'
  docker exec --interactive "$node" tee '{FOLDER}/{file}' >/dev/null <<'HOSTS'
{hosts}HOSTS
done
"#,
        subnet = subnet(ip),
        file = host.file(),
        hosts = host.hosts_toml(),
    )
}

/// The /16 network of an IPv4 address.
fn subnet(ip: &str) -> String {
    let mut parts = ip.split('.');
    format!("{}.{}.0.0/16", parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}
