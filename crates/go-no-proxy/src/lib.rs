//! Decides whether Go programs reach a host directly or through a proxy, from `HTTPS_PROXY`, `HTTP_PROXY` and
//! `NO_PROXY`.
//!
//! The rules come from `golang.org/x/net/http/httpproxy`, which `net/http` includes as a copy and `grpc-go` also uses.
//! Other readers of these variables (curl, Python, gRPC's C core) have different rules. No I/O: like Go, this module
//! does not resolve names.
//!
//! ```
//! use go_no_proxy::{DirectReason, Decision, Environment};
//! let environment = Environment { https_proxy: "http://proxy:3128", no_proxy: "10.0.0.0/8,.svc", ..Environment::default() };
//! assert_eq!(environment.decide("https", "10.1.2.3", "443"), Decision::Direct(DirectReason::Entry("10.0.0.0/8")));
//! assert_eq!(environment.decide("https", "web.shop.svc", "443"), Decision::Direct(DirectReason::Entry(".svc")));
//! // An address range never matches a name, whatever it resolves to.
//! assert!(matches!(environment.decide("https", "web.shop", "443"), Decision::Proxy(_)));
//! ```

mod address;
mod client_go;
mod list;
mod misread;
mod same_proxy;
mod url;
mod useless;

pub use address::Range;
pub use client_go::client_go_bypasses;
pub use list::{Matcher, NoProxy};
pub use misread::misread;
pub use same_proxy::same_proxy;
pub use url::{ProxyUrl, proxy_url};
pub use useless::useless;

/// The proxy variables of a program; empty text for an unset variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Environment<'e> {
    /// `HTTP_PROXY`, for `http` URLs.
    pub http_proxy: &'e str,
    /// `HTTPS_PROXY`, for `https` URLs; it never falls back to `HTTP_PROXY`.
    pub https_proxy: &'e str,
    /// `NO_PROXY`.
    pub no_proxy: &'e str,
    /// The version of Go's matcher.
    pub matcher: Matcher,
}

/// The route to a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<'e> {
    /// A direct connection.
    Direct(DirectReason<'e>),
    /// A connection through this proxy.
    Proxy(ProxyUrl),
}

/// The reason for a direct connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectReason<'e> {
    /// No proxy is set for the scheme.
    NoProxyVariable,
    /// The proxy is not a valid URL; Go ignores it silently.
    UnreadableProxy(String),
    /// The host is `localhost` or a loopback address.
    Local,
    /// This entry of `NO_PROXY`, as written, matches the host.
    Entry(&'e str),
    /// Go cannot parse the host.
    NoHost,
}

impl<'e> Environment<'e> {
    /// Decides the route to `scheme://host:port`. `host` is without brackets; `port` is empty if the URL has none.
    pub fn decide(&self, scheme: &str, host: &str, port: &str) -> Decision<'e> {
        let proxy = match scheme {
            "https" => self.https_proxy,
            "http" => self.http_proxy,
            _ => "",
        };
        if proxy.is_empty() {
            return Decision::Direct(DirectReason::NoProxyVariable);
        }
        let url = match self.matcher.proxy_url(proxy) {
            Ok(url) => url,
            Err(why) => return Decision::Direct(DirectReason::UnreadableProxy(why)),
        };
        let port = match (port, scheme) {
            ("", "https") => "443",
            ("", "http") => "80",
            _ => port,
        };
        NoProxy::read(self.no_proxy, self.matcher).bypass(host, port).map_or(Decision::Proxy(url), Decision::Direct)
    }
}

/// Converts a name to the form that Go compares: non-ASCII names in Punycode, all in lower case.
fn ascii_name(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    let uts46 = idna::uts46::Uts46::new();
    let (hyphens, length) = (idna::uts46::Hyphens::Check, idna::uts46::DnsLength::Ignore);
    let ascii = uts46.to_ascii(name.as_bytes(), idna::AsciiDenyList::STD3, hyphens, length);
    ascii.map_or_else(|_| name.to_owned(), std::borrow::Cow::into_owned)
}

/// Lower case like Go's `strings.ToLower`: maps each character to exactly one.
fn lower(text: &str) -> String {
    let letter = |c: char| {
        let mut small = c.to_lowercase();
        // Only U+0130 maps to two characters, `i` and a combining dot; Go keeps the `i`.
        small.next().unwrap_or(c)
    };
    text.chars().map(letter).collect()
}

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
