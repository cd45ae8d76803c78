//! Registry hosts, and the URL scheme that Crossplane uses for them.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Characters allowed in a URL host in addition to letters and digits.
const HOST_MARKS: &[u8] = b"-_.~!$&'()*+,;=:[]<>\"";

/// True if a text is the authority of a URL: host with optional port.
///
/// Source: go@1.26 `net/url`, `parseHost`; google/go-containerregistry@v0.21.6 `pkg/name/registry.go`, `checkRegistry`.
pub fn is_registry(text: &str) -> bool {
    let is_port = |port: &str| {
        let digits = port.strip_prefix(':');
        port.is_empty() || digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
    };
    if !text.bytes().all(|b| !b.is_ascii() || b.is_ascii_alphanumeric() || HOST_MARKS.contains(&b)) {
        return false;
    }
    match text.rfind('[') {
        Some(0) => {
            let inside = text.strip_prefix('[').and_then(|rest| rest.rsplit_once(']'));
            inside.is_some_and(|(address, port)| is_port(port) && address.parse::<Ipv6Addr>().is_ok())
        }
        Some(_) => false,
        None => is_port(text.rfind(':').and_then(|colon| text.get(colon..)).unwrap_or_default()),
    }
}

/// True if Crossplane also tries plain HTTP for a registry (`HOST` or `HOST:PORT`); it has no option for this. With
/// `dot_local`, hosts below `.local` count too, as in go-containerregistry up to v0.21.5.
///
/// Source: google/go-containerregistry@v0.20.7 and @v0.21.6 `pkg/name/registry.go`, `Scheme`.
///
/// ```
/// use oci::name::may_be_http;
/// assert!(may_be_http("172.18.0.5:5000", false));
/// assert!(may_be_http("registry.ns.svc.cluster.local:5000", true));
/// assert!(!may_be_http("registry.ns.svc.cluster.local:5000", false));
/// ```
pub fn may_be_http(registry: &str, dot_local: bool) -> bool {
    let (host, port) = registry.split_once(':').unwrap_or((registry, ""));
    let has_short_port = port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
    let is_whole = !registry.ends_with(':') && has_short_port;
    host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_private())
        || registry.starts_with("localhost:")
        || is_whole && (host.ends_with(".localhost") || dot_local && host.strip_suffix(".local").is_some())
        || registry.contains("127.0.0.1")
        || registry.contains("::1")
}

/// The host of `HOST` or `HOST:PORT`, without the brackets of an IPv6 address.
///
/// ```
/// use oci::name::host_of;
/// assert_eq!((host_of("[::1]:5000"), host_of("r.io:5000"), host_of("r.io")), ("::1", "r.io", "r.io"));
/// ```
pub fn host_of(registry: &str) -> &str {
    match registry.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => registry.split_once(':').map_or(registry, |(host, _)| host),
    }
}

/// True for the local machine: `localhost`, or a loopback address.
///
/// ```
/// use oci::name::is_loopback;
/// assert!(is_loopback("127.0.0.1") && is_loopback("::1") && is_loopback("localhost"));
/// assert!(!is_loopback("127.0.0.1.example.com"));
/// ```
pub fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
