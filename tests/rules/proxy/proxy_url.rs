//! Rule `proxy-url`: URLs of proxies that clients parse differently.

use super::check::{check, core};
use crate::support::results::worded;

/// The effect of a proxy's URL in grpc-go is reported if functions may use the proxy.
#[test]
fn a_proxy_without_a_port_or_with_another_scheme_is_reported() {
    let reported = |url: &str| {
        super::run(
            &format!("httpsProxy: '{url}', targets: [{{select: {{name: web}}}}], unmatched: Ignore"),
            &core("v2.3.4", ""),
        )
        .1
    };
    insta::assert_snapshot!(worded([reported("http://p"), reported("socks5://p:1080"), reported("http://p:3128")].join("\n---\n")), @"
    info: proxy.yaml:4:20: httpsProxy: it has no port: HTTP clients use the default port of its scheme, and calls of functions by Crossplane fail (grpc-go up to v1.70) or go to port 443. Calls of functions that NO_PROXY excludes are not affected [proxy-url]
    ---
    info: proxy.yaml:4:20: httpsProxy: Crossplane calls functions through the proxy by plain HTTP, whatever the scheme of the URL. Calls of functions that NO_PROXY excludes are not affected [proxy-url]
    ---
    ");
}

/// A proxy that Go parses differently: the expected form is reported, without the URL.
#[test]
fn a_proxy_that_go_parses_differently_is_a_warning() {
    let reported = |version: &str, proxy: &str| {
        let env = format!("{{name: HTTPS_PROXY, value: \"{proxy}\"}}, {{name: NO_PROXY, value: '*'}}");
        let (log, _) = check(&[], &core(version, &env));
        log.lines().filter(|line| line.contains("the proxy")).collect::<Vec<_>>().join("\n")
    };
    let all = [
        reported("v2.3.4", "http://u:pa#ss@p:1"),
        reported("v2.3.4", "http://p:3128\\n"),
        reported("v2.3.4", "socks5h://p:1080"),
        reported("v1.17.0", "socks5h://p:1080"),
        reported("v2.3.4", "p:3128"),
        reported("v2.3.4", "${PROXY}"),
        reported("v2.3.4", "http://#{Proxy}:{{ .port }}"),
    ];
    insta::assert_snapshot!(all.join("\n---\n"), @r"
    warning: unknown: Deployment crossplane-system/crossplane, container crossplane -> the proxy: HTTPS_PROXY is not read as intended: a character of its user or password ends the URL's authority before the `@`: in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25 [proxy-url]
    ---
    warning: unknown: Deployment crossplane-system/crossplane, container crossplane -> the proxy: HTTPS_PROXY is not read as intended: it is empty, or has blanks or line breaks around it; write one such as `http://proxy.example.com:3128` [proxy-url]
    ---

    ---
    warning: unknown: Deployment crossplane-system/crossplane, container crossplane -> the proxy: HTTPS_PROXY is not read as intended: the Go of this program (up to v1.22) puts `http://` before schemes other than http, https and socks5, and reads it as a proxy on host `socks5h:` [proxy-url]
    ---

    ---

    ---
    ");
    assert!(!all.join("").contains("pa#ss"));
}
