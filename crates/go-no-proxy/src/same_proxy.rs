//! Compares two proxy settings.

use super::url::proxy_url;

/// True if Go reads two texts as the same proxy: it uses only scheme, user and host of a URL. Scheme and host are
/// case-insensitive, `http://` is prepended to a text without scheme, and anything after the host is ignored. A
/// missing port differs from the default port of the scheme, since grpc-go uses another default.
///
/// Source: golang.org/x/net@v0.46.0 `http/httpproxy/proxy.go`, `parseProxy`; go@1.26 `net/http/transport.go`,
/// `connectMethod`.
///
/// ```
/// use go_no_proxy::same_proxy;
/// assert!(same_proxy("http://proxy:3128/", "HTTP://Proxy:3128") && same_proxy("proxy:3128", "http://proxy:3128"));
/// assert!(!same_proxy("http://proxy:3128", "http://proxy:3129") && !same_proxy("http://a@proxy:1", "http://proxy:1"));
/// ```
pub fn same_proxy(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (proxy_url(one), proxy_url(other)) else { return one == other };
    one.scheme == other.scheme && one.user == other.user && one.host.eq_ignore_ascii_case(&other.host)
}
