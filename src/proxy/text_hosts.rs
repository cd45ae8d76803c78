//! Hosts in texts of containers and ConfigMaps: before a port, or in a URL.

use std::collections::{BTreeSet, HashMap};

use crate::model::text::{filled, hosts_in, port};
use lossless_yaml::NodeRef;

/// A host in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextHost {
    /// The scheme of the URL; empty for a host that is not in a URL.
    pub(super) scheme: Box<str>,
    /// The name, as written.
    pub(super) name: Box<str>,
    pub(super) port: Option<u16>,
}

/// Hosts in the texts of one object, and the domains of Services that some texts write with a final dot.
#[derive(Debug, Clone, Default)]
pub(super) struct TextHosts {
    /// Hosts of each container, per pod template.
    pub(super) templates: Vec<Vec<Vec<TextHost>>>,
    /// Hosts of the keys of a ConfigMap, without keys that have no hosts.
    pub(super) keys: Vec<(String, Vec<TextHost>)>,
    pub(super) final_dots: BTreeSet<String>,
}

impl TextHosts {
    /// Reads the hosts in command, args and variables of a container; replaces references to its namespace by the name.
    pub(super) fn of_container(&mut self, node: NodeRef<'_, '_>, namespace: Option<&str>) -> Vec<TextHost> {
        let list = |key: &str| node.get(key).into_iter().flat_map(NodeRef::items);
        let mut texts: Vec<&str> = Vec::new();
        for key in ["command", "args"] {
            let mut before = "";
            for word in list(key).filter_map(NodeRef::text) {
                let flag = word.split_once('=').map_or(before, |(flag, _)| flag);
                if !is_proxy_setting_name(flag) {
                    texts.push(word);
                }
                before = if word.starts_with('-') && !word.contains('=') { word } else { "" };
            }
        }
        let mut values: HashMap<&str, &str> = HashMap::new();
        for variable in list("env") {
            let Some(name) = variable.get("name").and_then(NodeRef::text) else { continue };
            let field = variable.lookup(&lossless_yaml::Path::dotted("valueFrom.fieldRef.fieldPath"));
            if let Some(value) = variable.get("value").and_then(NodeRef::text) {
                values.insert(name, value);
                if !is_proxy_setting_name(name) {
                    texts.push(value);
                }
            } else if let Some(namespace) = namespace
                && field.and_then(NodeRef::text) == Some("metadata.namespace")
            {
                values.insert(name, namespace);
            }
        }
        let mut all = Vec::new();
        for text in texts {
            let text = filled(text, |name| values.get(name).copied());
            all.extend(hosts(&text));
            self.final_dots.extend(final_dots(&text).map(str::to_owned));
        }
        all
    }

    /// Adds the hosts of a key of a ConfigMap.
    pub(super) fn add_key(&mut self, key: &str, text: &str) {
        self.final_dots.extend(final_dots(text).map(str::to_owned));
        let found = if is_proxy_setting_name(key) { Vec::new() } else { hosts(text) };
        if !found.is_empty() {
            self.keys.push((key.to_owned(), found));
        }
    }
}

/// True for the name of a flag or variable that holds a proxy, or the hosts to reach without a proxy: `HTTP_PROXY`,
/// `--proxy`.
fn is_proxy_setting_name(name: &str) -> bool {
    let words = name.rsplit(['-', '_', '.']).next();
    words.is_some_and(|last| last.eq_ignore_ascii_case("proxy"))
}

/// Hosts of URLs, and other hosts before a port.
pub(super) fn hosts(text: &str) -> Vec<TextHost> {
    let mut found: Vec<TextHost> = Vec::new();
    for (at, separator) in text.match_indices("://") {
        let (before, after) =
            (text.get(..at).unwrap_or_default(), text.get(at + separator.len()..).unwrap_or_default());
        let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let scheme = before.trim_end_matches(is_of_scheme);
        let scheme = before.get(scheme.len()..).unwrap_or_default().to_ascii_lowercase();
        // A target of gRPC has an empty authority: `dns:///web.shop:9443`.
        let after = if scheme == "dns" { after.trim_start_matches('/') } else { after };
        let is_end = |c: char| c.is_whitespace() || "/?#\"'`,;<>|\\()[]{}&".contains(c);
        let authority = after.split(is_end).next().unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (name, number) = host.split_once(':').map_or((host, None), |(name, digits)| (name, port(digits)));
        if !name.is_empty() {
            found.push(TextHost { scheme: scheme.into(), name: name.into(), port: number });
        }
    }
    for (number, name) in hosts_in(text) {
        let is_known = |host: &TextHost| *host.name == *name && host.port == Some(number.port);
        if !found.iter().any(is_known) {
            found.push(TextHost { scheme: Box::default(), name: name.into(), port: Some(number.port) });
        }
    }
    found
}

/// Domains after `.svc.` that end with a dot, without it: `cluster.local` of `http://web.shop.svc.cluster.local./`.
fn final_dots(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(".svc.").filter_map(|(at, before)| {
        let rest = text.get(at + before.len()..)?;
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.')).unwrap_or(rest.len());
        rest.get(..end)?.strip_suffix('.').filter(|domain| !domain.is_empty() && !domain.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let port = |host: &TextHost| host.port.map(|port| format!(":{port}")).unwrap_or_default();
        hosts(text).iter().map(|host| format!("{}|{}{}", host.scheme, host.name, port(host))).collect()
    }

    #[test]
    fn hosts_are_before_a_port_or_in_a_url() {
        for (text, expected) in [
            ("--repo-server=argocd-repo-server:8081", &["|argocd-repo-server:8081"][..]),
            ("http://u:p@backend.shop/x?y=1", &["http|backend.shop"]),
            ("a=HTTPS://web:8443,b=dns:///fn.ns:9443", &["https|web:8443", "dns|fn.ns:9443"]),
            ("web", &[]),
            ("example.com/web:8080", &[]),
            ("127.0.0.1:80 :80", &[]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_final_dot_belongs_to_the_domain_of_a_service() {
        for (text, expected) in [
            ("--storage-adv-addr=source-controller.$(NS).svc.cluster.local.", &["cluster.local"][..]),
            ("http://a.b.svc.cluster.local./ http://a.b.svc.corp.:80", &["cluster.local", "corp"]),
            ("http://a.b.svc.cluster.local/ a.b.svc. a.b.svc.x..", &[]),
            ("example.com.", &[]),
        ] {
            assert_eq!(final_dots(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn names_of_proxies_are_known() {
        assert!(["HTTP_PROXY", "no_proxy", "--https-proxy", "--proxy"].into_iter().all(is_proxy_setting_name));
        assert!(["PROXY_BACKEND", "--proxy-upstream", "UPSTREAM"].into_iter().all(|name| !is_proxy_setting_name(name)));
    }
}
