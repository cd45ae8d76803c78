//! `hostnet mirror node-config`: configures nodes to use the mirror.

use std::collections::BTreeMap;
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::input::read_config;
use super::output::replace_generated_files;
use super::streams::print;
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::MirrorConfig;
use crate::render::node_config::{Containerd, NodeHost, NodeRuntime, files, is_generated, kind, text};
use krm::{escape_line, shown_path};
use oci::name::is_registry;

/// Print the registry configuration of containerd, k3s, RKE2 or CRI-O for a mirror without TLS, with its own CA, or
/// with another address on nodes.
///
/// A mirror whose certificate the nodes trust needs no such files. Crossplane's core does not read them; it trusts the
/// CA in `ca` of the config: see `hostnet explain package-registry`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror node-config -c mirror.yaml --http 172.18.0.5:5000
  hostnet mirror node-config -c mirror.yaml --ca registry.example.com=/etc/ssl/mirror.pem --output files/
  hostnet mirror node-config -c mirror.yaml --runtime k3s --http 172.18.0.5:5000 >registries.yaml
  hostnet mirror node-config -c mirror.yaml --kind >kind.sh")]
pub(super) struct NodeConfig {
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// The program that runs containers on the nodes.
    #[arg(long, value_enum, default_value_t = Runtime::Containerd)]
    runtime: Runtime,
    /// The major version of containerd (default: 2).
    #[arg(long, value_name = "1|2", value_parser = clap::value_parser!(u8).range(1..=2))]
    containerd: Option<u8>,
    /// A registry in a `to` of the config, if nodes reach it without TLS.
    #[arg(long, value_name = "HOST")]
    http: Vec<String>,
    /// A registry in a `to` of the config, and a file on the nodes with its CA certificates.
    #[arg(long, value_name = "HOST=FILE")]
    ca: Vec<String>,
    /// A registry in a `to` of the config, and its URL on the nodes.
    #[arg(long, value_name = "HOST=URL")]
    at: Vec<String>,
    /// Write the files into this folder: `certs.d/HOST/hosts.toml` for each registry, and `config.toml`; for k3s and
    /// RKE2 `registries.yaml`; for CRI-O `registries.conf.d/hostnet.conf`.
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    output: Option<PathBuf>,
    /// With --output, also replace files that `hostnet mirror node-config` did not write.
    #[arg(long, requires = "output")]
    force: bool,
    /// Print a script that creates a kind cluster with the mirror next to it, at one address for all clients.
    #[arg(long, conflicts_with_all = ["http", "ca", "at"])]
    kind: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Runtime {
    /// containerd with its own config, as in kind and kubeadm.
    Containerd,
    /// k3s or RKE2, which write their containerd's files from `registries.yaml`.
    K3s,
    /// CRI-O, which reads `registries.conf.d`.
    CriO,
}

impl NodeConfig {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let config = MirrorConfig::read(&read_config(&self.config)?, &shown_path(&self.config), 1)?;
        let version = if self.containerd == Some(1) { Containerd::One } else { Containerd::Two };
        let runtime = match self.runtime {
            Runtime::Containerd => NodeRuntime::Containerd(version),
            Runtime::K3s => NodeRuntime::K3s,
            Runtime::CriO => NodeRuntime::Crio,
        };
        if !matches!(self.runtime, Runtime::Containerd) {
            if self.containerd.is_some() {
                usage!("`--containerd` is the version of a containerd with its own config: leave it out");
            }
            if self.kind {
                usage!("nodes of kind have a containerd with its own config: leave `--runtime` out");
            }
        }
        let mut hosts: Vec<&str> =
            config.mirror.spec.rules.iter().map(|rule| rule.to.split('/').next().unwrap_or_default()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        if self.kind {
            return print(&kind(address(&hosts)?, version));
        }
        let known = self.node_hosts(&hosts, &config)?;
        if known.is_empty() {
            usage!(
                "it is not known how nodes reach {}: a registry whose certificate they trust needs no file; else use `--http HOST`, \
                 `--ca HOST=FILE` or `--at HOST=URL`",
                hosts.join(", ")
            );
        }
        let needs_ca: Vec<&str> =
            known.iter().filter(|host| host.ca.is_some()).map(|host| host.host.as_str()).collect();
        if !needs_ca.is_empty() && config.mirror.spec.ca.is_none() {
            let namespace = config.mirror.spec.crossplane.namespace.as_deref().unwrap_or("crossplane-system");
            Verbosity::default().note(&format!(
                "warning: Crossplane's core reads none of these files, and must trust the certificates of {} too: write `ca: {{name: registry-ca, key: \
                 ca.crt}}` into the spec (`registryCaBundleConfig` of its chart), and `kubectl create configmap registry-ca --namespace \
                 {namespace} --from-file=ca.crt=FILE`\n",
                escape_line(&needs_ca.join(", "))
            ))?;
        }
        let files = files(&known, runtime);
        let Some(folder) = &self.output else { return print(&text(&files)) };
        let files: Vec<(PathBuf, String)> =
            files.into_iter().map(|file| (folder.join(file.below), file.text)).collect();
        replace_generated_files(&files, is_generated, self.force)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Registry settings of the arguments, by host.
    fn node_hosts(&self, hosts: &[&str], config: &MirrorConfig) -> anyhow::Result<Vec<NodeHost>> {
        let mut known: BTreeMap<String, NodeHost> = BTreeMap::new();
        let pair = |flag: &str, text: &str| match text.split_once('=') {
            Some((host, value)) if !value.is_empty() => Ok((host.to_owned(), value.to_owned())),
            _ => usage!("`{flag} {text}` has no `=`: write `{flag} HOST=…`"),
        };
        let http = self.http.iter().map(|host| Ok((host.clone(), Some(format!("http://{host}")), None)));
        let at = self.at.iter().map(|text| pair("--at", text).map(|(host, url)| (host, Some(url), None)));
        let ca = self.ca.iter().map(|text| pair("--ca", text).map(|(host, file)| (host, None, Some(file))));
        for option in http.chain(at).chain(ca) {
            let (host, url, ca) = option?;
            if !hosts.contains(&host.as_str()) {
                usage!("no `to` has the registry `{host}`; the registries are {}", hosts.join(", "));
            }
            // The host becomes a folder name.
            if host.bytes().all(|b| b == b'.') {
                usage!("`{host}` is not a host");
            }
            if let Some(ca) = ca.as_deref().filter(|ca| ca.chars().any(char::is_control)) {
                usage!(
                    "`--ca {host}={}`: a path with control characters is not written into files of nodes",
                    escape_line(ca)
                );
            }
            let is_below = |to: &&String| to.split('/').next() == Some(host.as_str());
            let mut prefixes: Vec<String> =
                config.mirror.spec.rules.iter().map(|rule| &rule.to).filter(is_below).cloned().collect();
            prefixes.sort_unstable();
            prefixes.dedup();
            let new = NodeHost { host: host.clone(), prefixes, url: format!("https://{host}"), ca: None };
            let entry = known.entry(host).or_insert(new);
            if let Some(url) = url {
                let authority = ["http://", "https://"].into_iter().find_map(|scheme| url.strip_prefix(scheme));
                if !authority.is_some_and(|authority| !authority.is_empty() && is_registry(authority)) {
                    usage!(
                        "`{url}` is not the URL of a registry: write it as `http://172.18.0.5:5000` or `https://registry.example.com`"
                    );
                }
                entry.url = url;
            }
            entry.ca = ca.or(entry.ca.take());
        }
        Ok(known.into_values().collect())
    }
}

/// The single registry address shared by core, nodes and this machine; with a host name, Crossplane's core in a kind
/// cluster would require TLS or not resolve it.
fn address<'h>(hosts: &[&'h str]) -> anyhow::Result<&'h str> {
    let is_private =
        |host: &str| host.parse::<SocketAddrV4>().is_ok_and(|address| address.ip().is_private() && address.port() > 0);
    match hosts {
        [only] if is_private(only) => Ok(only),
        _ => bail!(
            "a cluster of kind knows one mirror, by an address and port of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16, which Crossplane's core \
             reaches by HTTP; write `to: 172.18.0.5:5000` in each rule instead of {}",
            hosts.join(", ")
        ),
    }
}
