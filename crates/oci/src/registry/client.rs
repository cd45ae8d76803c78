//! Sends requests to registries, within limits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde::Deserialize;
use ureq::http::Response;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{ConnectProxyConnector, Connector, TcpConnector};
use ureq::{Agent, Body, ResponseExt};

use super::challenge::Challenge;
use super::credentials::Credentials;
use super::error_text::error_text;
use super::realm::Realm;
use super::tls::TlsConnector;
use super::trust::{NotTrusted, client_config};
use crate::budget::{Budget, Counted};
use crate::name::{host_of, is_loopback, may_be_http};
use crate::store::StoreError;
use go_no_proxy::{Decision, Environment, Matcher};

/// Maximum bytes read of an error response.
const ERROR_LIMIT: u64 = 64 << 10;

/// Maximum bytes read of a token response.
const TOKEN_LIMIT: u64 = 1 << 20;

/// Timeout of a request and its response. Blobs get more, by the size in the descriptor.
const REQUEST: Duration = Duration::from_mins(1);
const BLOB_TIMEOUT: Duration = Duration::from_mins(15);
const BYTES_A_SECOND: u64 = 64 << 10;

/// Consecutive transport failures after which a registry is not contacted again.
const MAX_FAILURES: usize = 4;

/// Connection settings for registries.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A PEM file of certificates in addition to the system's.
    pub ca: Option<PathBuf>,
    /// True to allow plain HTTP for every registry; else only for registries that Crossplane contacts by HTTP.
    pub plain_http: bool,
    /// Credentials per lower-case registry, overriding the Docker config file.
    pub users: BTreeMap<String, Credentials>,
}

/// The reason why no client can be created.
#[derive(Debug, thiserror::Error)]
pub enum NoClient {
    /// The system has no root certificates.
    #[error("this system has no root certificates to verify registries; give a file of them with `--ca FILE`")]
    NoRoots,
    /// The file of certificates cannot be used.
    #[error("{0}: {1}")]
    Ca(PathBuf, String),
    /// TLS setup failed.
    #[error("TLS: {0}")]
    Tls(String),
}

/// A registry client.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    plain_http: bool,
    users: BTreeMap<String, Credentials>,
    proxies: [String; 3],
    budget: Rc<Budget>,
    /// First response or error of each registry: no second request follows.
    known: RefCell<BTreeMap<String, Result<FirstResponse, StoreError>>>,
    /// Consecutive transport failures per registry.
    failures: RefCell<BTreeMap<String, usize>>,
    /// `Authorization` headers per registry and repository.
    headers: RefCell<BTreeMap<String, Option<String>>>,
}

/// The first response of a registry.
#[derive(Debug, Clone)]
struct FirstResponse {
    scheme: &'static str,
    challenge: Option<Challenge>,
    /// False if a redirect led to a challenge of another host.
    is_own: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Token {
    token: String,
    access_token: String,
}

/// A response.
pub(super) struct Answer {
    pub(super) response: Response<Body>,
    pub(super) url: String,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    /// If there are no root certificates.
    pub fn new(options: &Options, budget: Rc<Budget>) -> Result<Self, NoClient> {
        let tls = client_config(roots(options)?).map_err(|error| NoClient::Tls(error.to_string()))?;
        let connector =
            ().chain(ConnectProxyConnector::default())
                .chain(TcpConnector::default())
                .chain(TlsConnector(Arc::new(tls)));
        let config = Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(5)
            .user_agent(concat!("hostnet/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(Duration::from_secs(10)))
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(30)))
            .timeout_per_read(Some(Duration::from_secs(30)))
            .build();
        // Like Go: the upper-case variable first, then the lower-case one.
        let variable = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.is_empty())
                .or_else(|| std::env::var(name.to_lowercase()).ok())
        };
        let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map(|name| variable(name).unwrap_or_default());
        Ok(Self {
            agent: Agent::with_parts(config, connector, DefaultResolver::default()),
            plain_http: options.plain_http,
            users: options.users.clone(),
            proxies,
            budget,
            known: RefCell::default(),
            failures: RefCell::default(),
            headers: RefCell::default(),
        })
    }

    /// Requests a path below `/v2/` of a repository. `accept` is a list of media types, `size` the expected size of
    /// the response.
    pub(super) fn request(
        &self,
        method: &str,
        registry: &str,
        repository: &str,
        path: &str,
        accept: &str,
        size: u64,
    ) -> Result<Answer, StoreError> {
        let known = self.contact_registry(registry)?;
        let scheme = known.scheme;
        let url = format!("{scheme}://{registry}/v2/{repository}/{path}");
        let header = self.header(registry, repository, &known)?;
        let time = BLOB_TIMEOUT.min(REQUEST + Duration::from_secs(size / BYTES_A_SECOND));
        let response =
            self.send(method, &url, accept, header.as_deref(), time).map_err(|error| self.failed(registry, error))?;
        self.failures.borrow_mut().remove(registry);
        let status = response.status();
        if status.is_success() {
            return Ok(Answer { response, url });
        }
        let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
        let is_final = matches!(code, 400 | 404 | 405 | 410);
        let body = self.read(response, ERROR_LIMIT).unwrap_or_default();
        Err(StoreError { message: error_text(method, &url, (code, reason), &body), is_final })
    }

    /// Counts a transport failure, unless a limit of the run caused it: the next request may succeed, but repeated
    /// timeouts are avoided.
    fn failed(&self, registry: &str, error: StoreError) -> StoreError {
        if self.budget.limit_or_incomplete_reason().is_some() {
            return error;
        }
        let count = {
            let mut failures = self.failures.borrow_mut();
            let count = failures.entry(registry.to_owned()).or_default();
            *count += 1;
            *count
        };
        if count < MAX_FAILURES { error } else { self.mark_unreachable(registry, error) }
    }

    /// Records that a registry is unreachable.
    fn mark_unreachable(&self, registry: &str, error: StoreError) -> StoreError {
        self.known.borrow_mut().insert(registry.to_owned(), Err(error.clone()));
        error
    }

    /// The body of a response, counted against the budget.
    pub(super) fn body(&self, body: Body) -> impl Read + 'static {
        let inner =
            TimedOut { inner: body.into_with_config().limit(u64::MAX).reader(), budget: Rc::clone(&self.budget) };
        Counted { inner, budget: Rc::clone(&self.budget) }
    }

    /// Reads a response body of at most `limit` bytes.
    pub(super) fn read(&self, response: Response<Body>, limit: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.body(response.into_body()).take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The budget of the run.
    pub(super) fn budget(&self) -> &Rc<Budget> {
        &self.budget
    }

    /// Sends a request through the proxy of its URL, within `time` and the remaining time of the run.
    fn send(
        &self,
        method: &str,
        url: &str,
        accept: &str,
        authorization: Option<&str>,
        time: Duration,
    ) -> Result<Response<Body>, StoreError> {
        let left =
            self.budget.time_left().map_err(|error| StoreError { message: error.to_string(), is_final: false })?;
        let request = match method {
            "HEAD" => self.agent.head(url),
            _ => self.agent.get(url),
        };
        let mut request = request
            .config()
            .proxy(self.proxy(url))
            // Redirects must not lead from HTTPS to HTTP.
            .https_only(url.starts_with("https://"))
            .timeout_global(Some(time.min(left)))
            .build();
        if !accept.is_empty() {
            request = request.header("Accept", accept);
        }
        if let Some(value) = authorization {
            request = request.header("Authorization", value);
        }
        let verb = if method == "HEAD" { "Head" } else { "Get" };
        request.call().map_err(|error| {
            let why = match (self.budget.time_left(), &error) {
                (Err(limit), _) => Some(limit.to_string()),
                (Ok(_), ureq::Error::Other(own)) => own.downcast_ref::<NotTrusted>().map(ToString::to_string),
                _ => None,
            };
            let why = why.unwrap_or_else(|| error.to_string());
            StoreError { message: format!("{verb} \"{url}\": {why}"), is_final: false }
        })
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

    /// Contacts a registry once by HTTPS, then by HTTP if Crossplane's client would.
    /// Source: google/go-containerregistry@v0.21.6 `pkg/v1/remote/transport/ping.go`.
    fn contact_registry(&self, registry: &str) -> Result<FirstResponse, StoreError> {
        if let Some(known) = self.known.borrow().get(registry) {
            return known.clone();
        }
        let mut schemes = vec!["https"];
        if self.plain_http || may_be_http(registry, false) {
            schemes.push("http");
        }
        let mut errors = Vec::new();
        for scheme in schemes {
            let url = format!("{scheme}://{registry}/v2/");
            match self.send("GET", &url, "", None, REQUEST) {
                Ok(response) if !matches!(response.status().as_u16(), 200 | 401) => {
                    let status = response.status();
                    let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
                    let body = self.read(response, ERROR_LIMIT).unwrap_or_default();
                    errors.push(error_text("GET", &url, (code, reason), &body));
                }
                Ok(response) => {
                    let header = response.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
                    let challenge = header.filter(|_| response.status() == 401).and_then(Challenge::read);
                    let from = response.get_uri();
                    let is_own = from.scheme_str() == Some(scheme)
                        && from.authority().is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(registry));
                    let known = FirstResponse { scheme, challenge, is_own };
                    self.known.borrow_mut().insert(registry.to_owned(), Ok(known.clone()));
                    return Ok(known);
                }
                Err(error) if self.budget.limit_or_incomplete_reason().is_some() => return Err(error),
                Err(error) => errors.push(error.message),
            }
        }
        Err(self.mark_unreachable(registry, StoreError { message: errors.join("; "), is_final: false }))
    }

    /// The credentials for a registry: given by the user, else from the Docker config file.
    fn credentials(&self, registry: &str) -> Option<Credentials> {
        self.users.get(&registry.to_ascii_lowercase()).cloned().or_else(|| Credentials::from_docker(registry))
    }

    /// The `Authorization` header of a request. Credentials are sent only for a known challenge of the registry's own
    /// host.
    fn header(&self, registry: &str, repository: &str, known: &FirstResponse) -> Result<Option<String>, StoreError> {
        let key = format!("{registry}/{repository}");
        if let Some(header) = self.headers.borrow().get(&key) {
            return Ok(header.clone());
        }
        let credentials = || if known.is_own { self.credentials(registry) } else { None };
        let header = match &known.challenge {
            Some(challenge) if challenge.scheme == "bearer" => {
                let realm = Realm::read(challenge, registry, known.scheme, self.plain_http)?;
                Some(format!("Bearer {}", self.token(&realm, repository, credentials())?))
            }
            Some(challenge) if challenge.scheme == "basic" => match credentials() {
                Some(_) if known.scheme != "https" && !self.plain_http && !is_loopback(host_of(registry)) => {
                    return Err(StoreError {
                        message: format!(
                            "{registry} is reached by HTTP; a password is sent there only with `--plain-http`"
                        ),
                        is_final: false,
                    });
                }
                other => other.map(|credentials| credentials.basic()),
            },
            _ => None,
        };
        self.headers.borrow_mut().insert(key, header.clone());
        Ok(header)
    }

    /// Requests a token for pulling from a repository.
    fn token(&self, realm: &Realm, repository: &str, credentials: Option<Credentials>) -> Result<String, StoreError> {
        let failed = |why: &str| StoreError { message: format!("the registry's token: {why}"), is_final: false };
        if credentials.is_some() && !realm.may_have_password {
            return Err(failed(&format!(
                "`{}` is reached by HTTP; a password is sent there only with `--plain-http`",
                realm.url
            )));
        }
        let mark = if realm.url.contains('?') { '&' } else { '?' };
        let mut url = format!("{}{mark}scope=repository:{repository}:pull", realm.url);
        if let Some(service) = &realm.service {
            url.push_str(&format!("&service={}", escaped(service)));
        }
        let basic = credentials.map(|credentials| credentials.basic());
        let response = self.send("GET", &url, "", basic.as_deref(), REQUEST)?;
        let status = response.status();
        let body = self.read(response, TOKEN_LIMIT).map_err(|error| failed(&error.to_string()))?;
        if !status.is_success() {
            let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
            return Err(StoreError { message: error_text("GET", &url, (code, reason), &body), is_final: false });
        }
        let Token { token, access_token } = serde_json::from_slice(&body).unwrap_or_default();
        [token, access_token]
            .into_iter()
            .find(|token| !token.is_empty())
            .ok_or_else(|| failed("the response has no token"))
    }
}

/// A reader that records a timeout, which is not a fault of the package.
struct TimedOut<R> {
    inner: R,
    budget: Rc<Budget>,
}

impl<R: Read> Read for TimedOut<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(buffer).map_err(|error| {
            let own = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
            let is_late = matches!(own, Some(ureq::Error::Timeout(_))) || error.kind() == std::io::ErrorKind::TimedOut;
            if !is_late {
                return error;
            }
            let late = || self.budget.mark_incomplete(&format!("the registry does not answer in time: {error}"));
            self.budget.time_left().map_or_else(|limit| limit, |_| late())
        })
    }
}

/// Percent-encodes characters of a query.
fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() || b"-._~:/".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(one).collect()
}

/// The root certificates: the system's and the file's, combined like Crossplane does.
/// Source: crossplane/crossplane@v2.3.4 `cmd/crossplane/core/certs.go`; @v1.14.0 the same.
fn roots(options: &Options) -> Result<Vec<CertificateDer<'static>>, NoClient> {
    let mut roots = rustls_native_certs::load_native_certs().certs;
    let Some(path) = &options.ca else {
        return if roots.is_empty() && !options.plain_http { Err(NoClient::NoRoots) } else { Ok(roots) };
    };
    let wrong = |why: String| NoClient::Ca(path.clone(), why);
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        roots.push(certificate.map_err(|error| wrong(error.to_string()))?);
    }
    if roots.len() == before { Err(wrong("it holds no certificate in PEM".to_owned())) } else { Ok(roots) }
}
