//! Requests to registries, within bounds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use ureq::http::Response;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

use super::challenge::Challenge;
use super::credentials::Credentials;
use super::said::said;
use crate::image::may_be_http;
use crate::no_proxy::{Decision, Environment, Matcher};
use crate::oci::store::Trouble;

/// Bytes of an error that are read.
const ERROR_LIMIT: u64 = 64 << 10;

/// Bytes of a token that are read.
const TOKEN_LIMIT: u64 = 1 << 20;

/// How registries are reached.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A file of certificates in PEM, instead of the system's.
    pub ca: Option<PathBuf>,
    /// Whether a registry without TLS may be any; else those that Crossplane reaches so.
    pub plain_http: bool,
    /// `NAME:PASSWORD`, instead of those of the Docker config file.
    pub user: Option<String>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum NoClient {
    /// The system has no certificates.
    #[error("this system has no certificates to know registries by; give a file of them with `--ca FILE`")]
    NoRoots,
    /// The file of certificates cannot be used.
    #[error("{0}: {1}")]
    Ca(PathBuf, String),
    /// The user is not one.
    #[error("`--user` takes NAME:PASSWORD")]
    User,
}

/// Asks registries.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    plain_http: bool,
    user: Option<Credentials>,
    proxies: [String; 3],
    /// By registry: the scheme that it answers to, and its challenge.
    known: RefCell<BTreeMap<String, (String, Option<Challenge>)>>,
    /// By registry and repository.
    headers: RefCell<BTreeMap<String, Option<String>>>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Token {
    token: String,
    access_token: String,
}

/// An answer that was asked for.
pub(super) struct Answer {
    pub(super) response: Response<Body>,
    pub(super) url: String,
}

impl Client {
    /// A client.
    ///
    /// # Errors
    /// When there are no certificates to trust.
    pub fn new(options: &Options) -> Result<Self, NoClient> {
        let roots = roots(options)?;
        let user = match &options.user {
            Some(text) => Some(Credentials::read(text).ok_or(NoClient::User)?),
            None => None,
        };
        let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(roots))).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(5)
            .user_agent(concat!("hostnet/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(Duration::from_secs(10)))
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(30)))
            .timeout_per_read(Some(Duration::from_secs(30)))
            .timeout_global(Some(Duration::from_mins(30)))
            .build();
        // As Go does: the small letters only where there is none in capitals.
        let variable = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.is_empty())
                .or_else(|| std::env::var(name.to_lowercase()).ok())
        };
        let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map(|name| variable(name).unwrap_or_default());
        Ok(Self {
            agent: config.into(),
            plain_http: options.plain_http,
            user,
            proxies,
            known: RefCell::default(),
            headers: RefCell::default(),
        })
    }

    /// Asks for a path below `/v2/` of a repository. `accept` is a list of media types.
    pub(super) fn ask(
        &self,
        method: &str,
        registry: &str,
        repository: &str,
        path: &str,
        accept: &str,
    ) -> Result<Answer, Trouble> {
        let scheme = self.scheme(registry)?;
        let url = format!("{scheme}://{registry}/v2/{repository}/{path}");
        let header = self.header(registry, repository)?;
        let response = self.send(method, &url, accept, header.as_deref())?;
        let status = response.status();
        if status.is_success() {
            return Ok(Answer { response, url });
        }
        let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
        let is_final = matches!(code, 400 | 404 | 405 | 410);
        let body = read(response, ERROR_LIMIT).unwrap_or_default();
        Err(Trouble { said: said(method, &url, (code, reason), &body), is_final })
    }

    fn send(
        &self,
        method: &str,
        url: &str,
        accept: &str,
        authorization: Option<&str>,
    ) -> Result<Response<Body>, Trouble> {
        let request = match method {
            "HEAD" => self.agent.head(url),
            _ => self.agent.get(url),
        };
        let mut request = request.config().proxy(self.proxy(url)).build();
        if !accept.is_empty() {
            request = request.header("Accept", accept);
        }
        if let Some(value) = authorization {
            request = request.header("Authorization", value);
        }
        let verb = if method == "HEAD" { "Head" } else { "Get" };
        request.call().map_err(|error| Trouble { said: format!("{verb} \"{url}\": {error}"), is_final: false })
    }

    /// The proxy for a URL, by Go's rules.
    fn proxy(&self, url: &str) -> Option<ureq::Proxy> {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (authority, ""),
        };
        let [plain, secure, except] = self.proxies.each_ref();
        let environment =
            Environment { http_proxy: plain, https_proxy: secure, no_proxy: except, matcher: Matcher::default() };
        let proxy = if scheme == "https" { secure } else { plain };
        match environment.decide(scheme, host.trim_matches(['[', ']']), port) {
            Decision::Direct(_) => None,
            Decision::Proxy(_) => ureq::Proxy::new(proxy).ok(),
        }
    }

    /// HTTPS; where Crossplane's client does, HTTP after it.
    /// Source: google/go-containerregistry@v0.21.6 `pkg/v1/remote/transport/ping.go`.
    fn scheme(&self, registry: &str) -> Result<String, Trouble> {
        if let Some((scheme, _)) = self.known.borrow().get(registry) {
            return Ok(scheme.clone());
        }
        let mut schemes = vec!["https"];
        if self.plain_http || may_be_http(registry, false) {
            schemes.push("http");
        }
        let mut troubles = Vec::new();
        for scheme in schemes {
            let url = format!("{scheme}://{registry}/v2/");
            match self.send("GET", &url, "", None) {
                Ok(response) if !matches!(response.status().as_u16(), 200 | 401) => {
                    let status = response.status();
                    let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
                    let body = read(response, ERROR_LIMIT).unwrap_or_default();
                    troubles.push(said("GET", &url, (code, reason), &body));
                }
                Ok(response) => {
                    let header = response.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
                    let challenge = header.filter(|_| response.status() == 401).and_then(Challenge::read);
                    self.known.borrow_mut().insert(registry.to_owned(), (scheme.to_owned(), challenge));
                    return Ok(scheme.to_owned());
                }
                Err(trouble) => troubles.push(trouble.said),
            }
        }
        Err(Trouble { said: troubles.join("; "), is_final: false })
    }

    /// What a request says of who asks.
    fn header(&self, registry: &str, repository: &str) -> Result<Option<String>, Trouble> {
        let key = format!("{registry}/{repository}");
        if let Some(header) = self.headers.borrow().get(&key) {
            return Ok(header.clone());
        }
        let challenge = self.known.borrow().get(registry).and_then(|(_, challenge)| challenge.clone());
        let credentials = || self.user.clone().or_else(|| Credentials::of_docker(registry));
        let header = match challenge {
            None => None,
            Some(challenge) if challenge.scheme == "bearer" => {
                Some(format!("Bearer {}", self.token(&challenge, repository, credentials())?))
            }
            Some(_) => credentials().map(|own| own.basic()),
        };
        self.headers.borrow_mut().insert(key, header.clone());
        Ok(header)
    }

    /// A token that allows to pull from a repository.
    fn token(
        &self,
        challenge: &Challenge,
        repository: &str,
        credentials: Option<Credentials>,
    ) -> Result<String, Trouble> {
        let failed = |why: &str| Trouble { said: format!("the registry's token: {why}"), is_final: false };
        let realm = challenge.parameters.get("realm").ok_or_else(|| failed("nobody says where to get it"))?;
        // A name and a password are sent to this URL.
        if !realm.starts_with("https://")
            && !self.plain_http
            && !realm
                .strip_prefix("http://")
                .is_some_and(|rest| may_be_http(rest.split('/').next().unwrap_or_default(), false))
        {
            return Err(failed(&format!("`{realm}` is not reached by HTTPS")));
        }
        let mark = if realm.contains('?') { '&' } else { '?' };
        let mut url = format!("{realm}{mark}scope=repository:{repository}:pull");
        if let Some(service) = challenge.parameters.get("service") {
            url.push_str(&format!("&service={}", escaped(service)));
        }
        let basic = credentials.map(|own| own.basic());
        let response = self.send("GET", &url, "", basic.as_deref())?;
        let status = response.status();
        let body = read(response, TOKEN_LIMIT).map_err(|error| failed(&error.to_string()))?;
        if !status.is_success() {
            let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
            return Err(Trouble { said: said("GET", &url, (code, reason), &body), is_final: false });
        }
        let Token { token, access_token } = serde_json::from_slice(&body).unwrap_or_default();
        [token, access_token]
            .into_iter()
            .find(|own| !own.is_empty())
            .ok_or_else(|| failed("there is none in the answer"))
    }
}

/// Letters that a query needs written otherwise.
fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() || b"-._~:/".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(one).collect()
}

/// All of an answer, up to so many bytes.
pub(super) fn read(response: Response<Body>, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    response.into_body().into_with_config().limit(u64::MAX).reader().take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The certificates by which registries are known.
fn roots(options: &Options) -> Result<Vec<Certificate<'static>>, NoClient> {
    let Some(path) = &options.ca else {
        let found = rustls_native_certs::load_native_certs().certs;
        let roots: Vec<Certificate<'static>> =
            found.iter().map(|own| Certificate::from_der(own.as_ref()).to_owned()).collect();
        return if roots.is_empty() && !options.plain_http { Err(NoClient::NoRoots) } else { Ok(roots) };
    };
    let wrong = |why: String| NoClient::Ca(path.clone(), why);
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let mut roots = Vec::new();
    for item in parse_pem(&bytes) {
        if let PemItem::Certificate(own) = item.map_err(|error| wrong(error.to_string()))? {
            roots.push(own);
        }
    }
    if roots.is_empty() { Err(wrong("it holds no certificate in PEM".to_owned())) } else { Ok(roots) }
}
