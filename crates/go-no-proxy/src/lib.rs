//! Whether Go's programs reach a host directly or through a proxy, as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` decide it.
//!
//! The rules are those of `golang.org/x/net/http/httpproxy`, which `net/http` carries a copy of and which `grpc-go` asks as well. Other
//! readers of these variables (curl, Python, gRPC's C core) have rules of their own. No I/O: what a name resolves to is not asked here,
//! and Go does not ask it either.
//!
//! ```
//! use go_no_proxy::{Because, Decision, Environment};
//! let environment = Environment { https_proxy: "http://proxy:3128", no_proxy: "10.0.0.0/8,.svc", ..Environment::default() };
//! assert_eq!(environment.decide("https", "10.1.2.3", "443"), Decision::Direct(Because::Entry("10.0.0.0/8")));
//! assert_eq!(environment.decide("https", "web.shop.svc", "443"), Decision::Direct(Because::Entry(".svc")));
//! // An address range never matches a name, whatever it resolves to.
//! assert!(matches!(environment.decide("https", "web.shop", "443"), Decision::Proxy(_)));
//! ```

mod address;
mod client_go;
mod list;
mod misread;
mod same;
mod url;
mod useless;

pub use address::Range;
pub use client_go::client_go_bypasses;
pub use list::{Matcher, NoProxy};
pub use misread::misread;
pub use same::same_proxy;
pub use url::{ProxyUrl, proxy_url};
pub use useless::useless;

/// The variables that decide, as a program sees them: empty where one is not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Environment<'e> {
    /// `HTTP_PROXY`, for `http` URLs.
    pub http_proxy: &'e str,
    /// `HTTPS_PROXY`, for `https` URLs; it never falls back to `HTTP_PROXY`.
    pub https_proxy: &'e str,
    /// `NO_PROXY`.
    pub no_proxy: &'e str,
    /// Whose matcher reads them.
    pub matcher: Matcher,
}

/// How a host is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<'e> {
    /// Directly.
    Direct(Because<'e>),
    /// Through this proxy.
    Proxy(ProxyUrl),
}

/// Why a host is reached directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because<'e> {
    /// No proxy is set for the scheme.
    NoProxyVariable,
    /// The proxy is set to what is not a URL, which Go drops without a word.
    UnreadableProxy(String),
    /// It is `localhost` or a loopback address.
    Local,
    /// An entry of `NO_PROXY` matches it, as it is written there.
    Entry(&'e str),
    /// The host is not one that Go can take apart.
    NoHost,
}

impl<'e> Environment<'e> {
    /// How `scheme://host:port` is reached. `host` is without brackets; `port` is empty where the URL has none.
    #[must_use]
    pub fn decide(&self, scheme: &str, host: &str, port: &str) -> Decision<'e> {
        let proxy = match scheme {
            "https" => self.https_proxy,
            "http" => self.http_proxy,
            _ => "",
        };
        if proxy.is_empty() {
            return Decision::Direct(Because::NoProxyVariable);
        }
        let url = match self.matcher.proxy_url(proxy) {
            Ok(url) => url,
            Err(why) => return Decision::Direct(Because::UnreadableProxy(why)),
        };
        let port = match (port, scheme) {
            ("", "https") => "443",
            ("", "http") => "80",
            _ => port,
        };
        NoProxy::read(self.no_proxy, self.matcher).bypass(host, port).map_or(Decision::Proxy(url), Decision::Direct)
    }
}

/// A name as Go compares it: names that are not ASCII in Punycode, and all of it in lower case, letter by letter.
fn ascii_name(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    let uts46 = idna::uts46::Uts46::new();
    let (hyphens, length) = (idna::uts46::Hyphens::Check, idna::uts46::DnsLength::Ignore);
    let ascii = uts46.to_ascii(name.as_bytes(), idna::AsciiDenyList::STD3, hyphens, length);
    ascii.map_or_else(|_| name.to_owned(), std::borrow::Cow::into_owned)
}

/// Lower case as Go's `strings.ToLower` has it: each letter by itself, one for one.
fn lower(text: &str) -> String {
    let letter = |c: char| {
        let mut small = c.to_lowercase();
        // Only U+0130 has more than one: an `i` and a dot, of which Go keeps the `i`.
        small.next().unwrap_or(c)
    };
    text.chars().map(letter).collect()
}

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
