//! Whether two texts name one proxy.

use super::url::proxy_url;

/// Whether Go reads two texts as one proxy: of a URL it asks scheme, user and host alone. Scheme and host are the same in upper and lower
/// case, `http://` is put before a text without a scheme, and what stands behind the host is never sent. A port that is not given is not taken
/// for that of the scheme, since grpc-go takes another one.
///
/// Source: golang.org/x/net@v0.46.0 `http/httpproxy/proxy.go`, `parseProxy`; go@1.26 `net/http/transport.go`, `connectMethod`.
///
/// ```
/// use go_no_proxy::same_proxy;
/// assert!(same_proxy("http://proxy:3128/", "HTTP://Proxy:3128") && same_proxy("proxy:3128", "http://proxy:3128"));
/// assert!(!same_proxy("http://proxy:3128", "http://proxy:3129") && !same_proxy("http://a@proxy:1", "http://proxy:1"));
/// ```
#[must_use]
pub fn same_proxy(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (proxy_url(one), proxy_url(other)) else { return one == other };
    one.scheme == other.scheme && one.user == other.user && one.host.eq_ignore_ascii_case(&other.host)
}
