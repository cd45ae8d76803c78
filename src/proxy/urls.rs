//! Reports notable proxy URLs of a config.

use crate::api::{Proxy, ProxyConfig};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use go_no_proxy::proxy_url;
use krm::holds_placeholder;
use lossless_yaml::Path;

/// Reports passwords in proxy URLs, and the effects of the port and the scheme of `httpsProxy` on function calls.
pub(super) fn report_urls(config: &ProxyConfig, findings: &mut Vec<Finding>) {
    let spec = &config.proxy.spec;
    for (key, proxy) in [("httpProxy", &spec.http_proxy), ("httpsProxy", &spec.https_proxy)] {
        let Some(Proxy::Url(url)) = proxy else { continue };
        let is_open = holds_placeholder(url);
        let Ok(url) = proxy_url(url) else { continue };
        let place = config.place_of(&Path::root().key("spec").key(key));
        if url.has_password && !spec.literal_credentials.are_refused() {
            let message =
                format!("{place}: {key} holds a password, and so does every manifest that it is written into");
            findings.push(Finding::new(Severity::Warning, rule::PROXY_URL, message));
        }
        if key != "httpsProxy" || is_open {
            continue;
        }
        let mut messages = Vec::new();
        if url.port().is_none() {
            messages.push("it has no port: HTTP clients use the default port of its scheme, and calls of functions by Crossplane fail (grpc-go up to v1.70) or go to port 443");
        }
        if url.scheme != "http" {
            messages.push("Crossplane calls functions through the proxy by plain HTTP, whatever the scheme of the URL");
        }
        if !messages.is_empty() {
            let message = format!(
                "{place}: {key}: {}. Calls of functions that NO_PROXY excludes are not affected",
                messages.join("; ")
            );
            findings.push(Finding::new(Severity::Info, rule::PROXY_URL, message));
        }
    }
}
