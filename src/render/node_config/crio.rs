//! Writes a `registries.conf.d` file, which configures the registries of CRI-O.
//!
//! Source: containers/image@v5.36.2 `pkg/sysregistriesv2/system_registries_v2.go`; for certificates
//! `docker/docker_client.go`, `dockerCertDir`, and `pkg/tlsclientconfig`.

use super::host::{MARK, NodeFile, NodeHost, toml_string};
use crate::render::mirror_script::quoted as shell_word;

/// Builds the file for these registries.
pub(super) fn file(hosts: &[NodeHost]) -> NodeFile {
    let mut text = format!("{MARK}\n# CRI-O reads it again on `systemctl reload crio`.\n");
    for node_host in hosts {
        let authority = node_host.authority();
        if let Some(ca) = &node_host.ca {
            let folder = shell_word(&format!("/etc/containers/certs.d/{authority}"));
            text.push_str(&format!(
                "# CRI-O has no setting for certificates. On each node: mkdir -p {folder} && cp {} {folder}/ca.crt\n",
                shell_word(ca)
            ));
        }
    }
    let is_elsewhere = |node_host: &&NodeHost| node_host.url != format!("https://{}", node_host.host);
    for node_host in hosts.iter().filter(is_elsewhere) {
        for prefix in &node_host.prefixes {
            let path = prefix.strip_prefix(&node_host.host).unwrap_or_default();
            let location = format!("{}{path}", node_host.authority());
            text.push_str("\n[[registry]]\n");
            if path.is_empty() && !node_host.host.contains(':') {
                text.push_str("# CRI-O takes it for this host with any port too.\n");
            }
            text.push_str(&format!("prefix = {}\nlocation = {}\n", toml_string(prefix), toml_string(&location)));
            if node_host.url.starts_with("http://") {
                text.push_str("insecure = true\n");
            }
        }
    }
    let place = "/etc/containers/registries.conf.d/hostnet.conf".to_owned();
    NodeFile { place: Some(place), below: "registries.conf.d/hostnet.conf".to_owned(), text }
}
