//! The token server from a registry's challenge.

use ureq::http::Uri;
use ureq::http::uri::{Authority, PathAndQuery};

use super::challenge::Challenge;
use crate::name::{host_of, is_loopback};
use crate::store::StoreError;

/// The URL of a token server, to which credentials may be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Realm {
    /// Scheme, host and path, without a fragment.
    pub(super) url: String,
    /// The service name that identifies the registry to the token server.
    pub(super) service: Option<String>,
    /// False for plain HTTP to another machine, unless `--plain-http` allows it.
    pub(super) may_have_password: bool,
}

impl Realm {
    /// Parses the realm of a challenge from `registry`, which was reached by `scheme`. The realm must use HTTPS, or
    /// HTTP on the host of a registry that itself uses HTTP.
    pub(super) fn read(
        challenge: &Challenge,
        registry: &str,
        scheme: &str,
        plain_http: bool,
    ) -> Result<Self, StoreError> {
        let failed = |why: &str| StoreError { message: format!("the registry's token: {why}"), is_final: false };
        let realm = challenge
            .parameters
            .get("realm")
            .ok_or_else(|| failed("the challenge has no realm, the URL of the token service"))?;
        let wrong = |why: &str| Err(failed(&format!("`{realm}` {why}")));
        let Some(parsed) = realm.parse::<Uri>().ok().filter(|uri| uri.authority().is_some()) else {
            return wrong("is not a URL");
        };
        let authority = parsed.authority().map(Authority::as_str).unwrap_or_default();
        if authority.contains('@') {
            return wrong("has a user in it");
        }
        let is_same_host = host_of(authority).eq_ignore_ascii_case(host_of(registry));
        let may_have_password = match parsed.scheme_str() {
            Some("https") => true,
            Some("http") if scheme == "http" && is_same_host => plain_http || is_loopback(host_of(registry)),
            _ => return wrong("is not reached by HTTPS"),
        };
        let path = parsed.path_and_query().map(PathAndQuery::as_str).unwrap_or_default();
        let url = format!("{}://{authority}{path}", parsed.scheme_str().unwrap_or_default());
        Ok(Self { url, service: challenge.parameters.get("service").cloned(), may_have_password })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_goes_to_https_or_to_the_same_host() {
        let realm = |realm: &str, registry: &str, scheme: &str, plain_http: bool| {
            let challenge = Challenge::read(&format!("Bearer realm=\"{realm}\"")).unwrap();
            Realm::read(&challenge, registry, scheme, plain_http)
                .map(|realm| realm.may_have_password)
                .map_err(|error| error.message)
        };
        let ok = |url: &str, registry: &str, scheme: &str, plain: bool| realm(url, registry, scheme, plain).unwrap();
        assert!(ok("https://auth.io/token?a=b#c", "r.io", "https", false));
        assert!(ok("http://127.0.0.1:5001/token", "127.0.0.1:5000", "http", false));
        assert!(ok("http://10.0.0.1/token", "10.0.0.1:5000", "http", true));
        assert!(!ok("http://10.0.0.1/token", "10.0.0.1:5000", "http", false));
        for (url, registry, scheme) in [
            ("http://127.0.0.1@evil.io/", "127.0.0.1:5000", "http"),
            ("https://me@r.io/", "r.io", "https"),
            ("http://127.0.0.1.evil.io/", "127.0.0.1:5000", "http"),
            ("http://127.0.0.1/", "evil.io", "https"),
            ("http://evil.io/", "127.0.0.1:5000", "http"),
            ("http://r.io/", "r.io", "https"),
            ("ftp://r.io/", "r.io", "https"),
            ("token", "r.io", "https"),
            ("", "r.io", "https"),
        ] {
            assert!(realm(url, registry, scheme, true).is_err(), "{url}");
        }
    }
}
