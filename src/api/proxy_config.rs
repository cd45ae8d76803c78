//! Reads a `ProxyEnvironment`, with validation beyond its types.

use super::config_type::config_type;
use super::document::Document;
use super::error::ConfigError;
use super::proxy_environment::{ApiServerHosts, KeyRef, LiteralCredentials, Proxy, ProxyEnvironment};
use go_no_proxy::{Range, misread, proxy_url, useless};
use krm::{holds_placeholder, may_have_placeholder, split_at_commas};
use lossless_yaml::Path;

config_type!(ProxyConfig { proxy: ProxyEnvironment });

impl ProxyConfig {
    /// Refuses values that the schema cannot express, with a correction.
    fn validate(&self) -> Result<(), ConfigError> {
        let spec = &self.proxy.spec;
        let root = Path::root().key("spec");
        let error = |path: &Path, message: String| Err(self.document.error_at(path, message));
        if spec.http_proxy.is_none() && spec.https_proxy.is_none() {
            let message =
                "neither `httpProxy` nor `httpsProxy` is given; write `httpsProxy: http://proxy.example.com:3128`";
            return error(&root, message.to_owned());
        }
        for (key, proxy) in [("httpProxy", &spec.http_proxy), ("httpsProxy", &spec.https_proxy)] {
            if let Some(wrong) = proxy.as_ref().and_then(|proxy| wrong_proxy(proxy, spec.literal_credentials)) {
                return error(&root.key(key), wrong);
            }
        }
        if spec.targets.is_empty() {
            let message = "no target: write `targets: [{select: {namespace: crossplane-system, name: crossplane}}]`";
            return error(&root.key("targets"), message.to_owned());
        }
        self.entries(&root.key("noProxy"), &spec.no_proxy)?;
        for (index, target) in spec.targets.iter().enumerate() {
            self.entries(&root.key("targets").item(index).key("noProxy"), &target.no_proxy)?;
        }
        let cluster = root.key("cluster");
        let ranges =
            [("pods", &spec.cluster.pods), ("services", &spec.cluster.services), ("nodes", &spec.cluster.nodes)];
        for (key, ranges) in ranges {
            if let Some((index, range)) = ranges.iter().enumerate().find(|(_, range)| Range::read(range).is_none()) {
                let reason = useless(range).map(|reason| format!(" ({reason})")).unwrap_or_default();
                let message =
                    format!("`{range}` is not a range of addresses{reason}; write one such as `10.244.0.0/16`");
                return error(&cluster.key(key).item(index), message);
            }
        }
        let domain = &spec.cluster.domain;
        if let Some(reason) =
            fault(domain).or_else(|| domain.starts_with('.').then(|| "it begins with a dot".to_owned()))
        {
            let message = format!("`{domain}` is not a domain: {reason}; write `cluster.local`");
            return error(&cluster.key("domain"), message);
        }
        if let ApiServerHosts::Hosts(hosts) = &spec.cluster.api_server {
            if hosts.is_empty() {
                let message = "no host: write `[api.example.com]`, or `FromService`";
                return error(&cluster.key("apiServer"), message.to_owned());
            }
            let is_no_host = |host: &String| host.trim() == "*" || Range::read(host.trim()).is_some();
            if let Some((index, host)) = hosts.iter().enumerate().find(|(_, host)| is_no_host(host)) {
                let message = format!(
                    "`{host}` is not one host; write the API server's name or address, such as `10.0.0.1` or `api.example.com:6443`, and put \
                     ranges into `noProxy`"
                );
                return error(&cluster.key("apiServer").item(index), message);
            }
            self.entries(&cluster.key("apiServer"), hosts)?;
        }
        Ok(())
    }

    /// Refuses entries that can never match.
    fn entries(&self, path: &Path, entries: &[String]) -> Result<(), ConfigError> {
        for (index, entry) in entries.iter().enumerate() {
            let at = path.item(index);
            if split_at_commas(entry).len() > 1 {
                let message = format!("`{entry}` is several entries; write each as an element of the list");
                return Err(self.document.error_at(&at, message));
            }
            if entry.trim() == "*" && entries.len() > 1 {
                let message = "`*` matches everything, so it must be the only entry; remove the others, or the `*`";
                return Err(self.document.error_at(&at, message));
            }
            if let Some(reason) = fault(entry) {
                return Err(self.document.error_at(&at, format!("`{entry}` never matches: {reason}")));
            }
        }
        Ok(())
    }
}

/// The reason why an entry can never match; `None` if it can, or if a part of it is filled in later.
fn fault(entry: &str) -> Option<String> {
    if holds_placeholder(entry) { None } else { useless(entry) }
}

/// The error for a name or key that the API server refuses.
///
/// Source: Kubernetes v1.36 `staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go`
/// (`IsDNS1123Subdomain`, `IsConfigMapKey`).
fn wrong_source(KeyRef { name, key }: &KeyRef) -> Option<String> {
    let is_small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| {
        label.starts_with(is_small) && label.ends_with(is_small) && label.chars().all(|c| is_small(c) || c == '-')
    };
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    if !may_have_placeholder(name) && !name.split('.').all(is_label) {
        return Some(format!("`{name}` is not the name of an object: write lower-case letters, digits, `-` and `.`"));
    }
    (!may_have_placeholder(key) && !is_key(key))
        .then(|| format!("`{key}` is not a key: write letters, digits, `-`, `_` and `.`"))
}

/// True if a URL of which a part is filled in later has a password that is written out.
fn written_password(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    user.is_some_and(|user| user.contains(':') && !holds_placeholder(user))
}

/// The error for an invalid proxy. It never contains the whole URL, which may include a password.
fn wrong_proxy(proxy: &Proxy, credentials: LiteralCredentials) -> Option<String> {
    let url = match proxy {
        Proxy::From(source) => {
            let one = "give one of `secretKeyRef` and `configMapKeyRef`";
            return match (&source.value, &source.secret_key_ref, &source.config_map_key_ref) {
                (None, Some(source), None) | (None, None, Some(source)) => wrong_source(source),
                (Some(_), None, None) => {
                    Some("a URL is written in place of the mapping: `http://proxy.example.com:3128`".into())
                }
                (Some(_), ..) => {
                    Some(format!("a value and a reference exclude each other; leave out `value`, or {one}"))
                }
                _ => Some(one.to_owned()),
            };
        }
        Proxy::Url(url) => url,
    };
    let is_open = holds_placeholder(url);
    let wrong = if is_open { None } else { misread(url) };
    if !url.contains("://") && wrong.is_none() && !is_open {
        return Some("a proxy is a URL with its scheme; write one such as `http://proxy.example.com:3128`".to_owned());
    }
    let has_password = || match is_open {
        true => written_password(url),
        false => proxy_url(url).is_ok_and(|url| url.has_password),
    };
    wrong.or_else(|| {
        (credentials.are_refused() && has_password()).then(|| {
            "it contains a password, which every reader of the manifest sees: put the whole URL into a Secret, and write `{secretKeyRef: \
             {name: proxy, key: url}}`; or accept it with `literalCredentials: Warn` in the spec"
                .to_owned()
        })
    })
}
