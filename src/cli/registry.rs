//! Access to registries, and the Crossplane version whose access is simulated.

#[cfg(feature = "registry")]
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "registry")]
use anyhow::{Context as _, bail, ensure};
use clap::Args;

use super::usage::usage;
use crate::api::MirrorConfig;
use crate::kinds::mirror_verify::Verifier;
use crate::version::ProgramVersion;
use crate::xpkg::CheckOptions;
use oci::Source;
#[cfg(feature = "registry")]
use oci::name::is_registry;
use oci::name::{DOCKER_HUB, ImageRef};
#[cfg(feature = "registry")]
use oci::registry::Credentials;

/// Flags for the connection to registries; empty in a build without the feature `registry`.
#[derive(Debug, Args)]
pub(super) struct Registry {
    /// CA certificates in PEM for registries, in addition to the system's, like `CA_BUNDLE_PATH` of Crossplane's core.
    #[cfg(feature = "registry")]
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Allow every registry to be without TLS, not only the registries that Crossplane reaches without TLS.
    #[cfg(feature = "registry")]
    #[arg(long)]
    plain_http: bool,
    /// Name and password for one registry, instead of the credentials in the Docker config file: for HOST, else for the
    /// registry of the SOURCE, or the mirror. Without `:PASSWORD` the password is read from standard input or from
    /// `HOSTNET_PASSWORD`. May be given once for each HOST.
    #[cfg(feature = "registry")]
    #[arg(long, value_name = "[HOST=]NAME[:PASSWORD]")]
    user: Vec<String>,
    /// Read the password of `--user` from standard input.
    #[cfg(feature = "registry")]
    #[arg(long, requires = "user")]
    password_stdin: bool,
    /// The time limit for all reading.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    time_limit: u32,
}

/// Environment variable with the password for `--user`.
#[cfg(feature = "registry")]
const PASSWORD: &str = "HOSTNET_PASSWORD";

impl Registry {
    /// Time limit of the run.
    fn time(&self) -> Duration {
        Duration::from_secs(u64::from(self.time_limit))
    }

    /// A longer time limit in seconds, for a second run.
    pub(super) fn longer(&self) -> u32 {
        self.time_limit.saturating_mul(4)
    }

    /// Creates a verifier for packages in registries. `hosts` are the registries of the command line, `paths` its
    /// inputs.
    #[cfg(feature = "registry")]
    pub(super) fn verifier<'a>(
        &self,
        check: CheckOptions<'a>,
        hosts: &[String],
        paths: &[PathBuf],
    ) -> anyhow::Result<Verifier<'a>> {
        let users = self.users(hosts, paths)?;
        let options = oci::registry::Options { ca: self.ca.clone(), plain_http: self.plain_http, users };
        Ok(Verifier::new(check, self.time(), options))
    }

    /// Creates a verifier for packages in files and folders.
    #[cfg(not(feature = "registry"))]
    #[allow(clippy::unnecessary_wraps, reason = "the other build needs it")]
    pub(super) fn verifier<'a>(
        &self,
        check: CheckOptions<'a>,
        _: &[String],
        _: &[PathBuf],
    ) -> anyhow::Result<Verifier<'a>> {
        Ok(Verifier::new(check, self.time()))
    }

    /// Credentials by registry. No message contains the value of `--user`, which may include a password.
    #[cfg(feature = "registry")]
    fn users(&self, hosts: &[String], paths: &[PathBuf]) -> anyhow::Result<BTreeMap<String, Credentials>> {
        let mut users = BTreeMap::new();
        let mut stdin = None;
        for text in &self.user {
            let (host, rest) = match split_user_host(text) {
                Some((host, rest)) => (host, rest),
                None => (single_registry_host(hosts)?, text.as_str()),
            };
            let (name, password) = match rest.split_once(':') {
                Some((name, password)) => (name, password.to_owned()),
                None if self.password_stdin => {
                    ensure!(!paths.iter().any(|path| path.as_os_str() == "-"), "{BOTH}");
                    ensure!(stdin.replace(()).is_none(), "`--password-stdin` is for one `--user` without a password");
                    let mut text = String::new();
                    std::io::stdin().read_line(&mut text).context("the password on standard input")?;
                    (rest, text.trim_end_matches(['\r', '\n']).to_owned())
                }
                None => match std::env::var(PASSWORD) {
                    Ok(password) => (rest, password),
                    Err(_) => bail!(
                        "`--user` has no password: write `--user NAME:PASSWORD`, add `--password-stdin`, or set {PASSWORD}"
                    ),
                },
            };
            ensure!(
                !name.is_empty() && !password.is_empty(),
                "`--user` takes [HOST=]NAME:PASSWORD, both of them not empty"
            );
            let one = users.insert(host.clone(), Credentials::new(name, &password));
            ensure!(one.is_none(), "`--user` is given twice for {host}");
        }
        ensure!(!self.password_stdin || stdin.is_some(), "`--password-stdin` is for a `--user` without a password");
        Ok(users)
    }
}

/// Error for standard input that is used both for PATH and for the password.
#[cfg(feature = "registry")]
const BOTH: &str = "standard input cannot be both PATH and the password; set HOSTNET_PASSWORD instead";

/// Splits `HOST=` from a `--user` value: the host contains a dot or a port, as in references. Names and passwords may
/// also contain `=`.
#[cfg(feature = "registry")]
fn split_user_host(text: &str) -> Option<(String, &str)> {
    let (host, rest) = text.split_once('=')?;
    let is_host = host.contains(['.', ':']) && is_registry(host) && !host.ends_with(':');
    is_host.then(|| (contacted_host(host), rest))
}

/// Registry for a `--user` without a host.
#[cfg(feature = "registry")]
fn single_registry_host(hosts: &[String]) -> anyhow::Result<String> {
    let hosts: BTreeSet<&String> = hosts.iter().collect();
    match (hosts.first(), hosts.len()) {
        (Some(host), 1) => Ok((*host).clone()),
        (None, _) => bail!(
            "`--user NAME:PASSWORD` is for a registry, and no SOURCE is in one; write `--user HOST=NAME:PASSWORD`"
        ),
        _ => bail!(
            "`--user NAME:PASSWORD` is for one registry, and the SOURCEs are in several: {}; write `--user HOST=NAME:PASSWORD` for each",
            hosts.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Host that is contacted for a registry, in lower case.
fn contacted_host(registry: &str) -> String {
    let path = format!("{registry}/a/b");
    ImageRef::split(&path).location(DOCKER_HUB).0.to_ascii_lowercase()
}

/// Registry of a SOURCE; `None` for a file.
pub(super) fn remote_host(source: &str) -> Option<String> {
    match Source::read(source).ok()? {
        Source::Registry(reference) => Some(contacted_host(reference.host())),
        _ => None,
    }
}

/// Registries of the mirror.
pub(super) fn mirror_hosts(config: &MirrorConfig) -> Vec<String> {
    let rules = config.mirror.spec.rules.iter();
    rules.map(|rule| contacted_host(rule.to.split('/').next().unwrap_or_default())).collect()
}

/// Completes a version to three numbers: `v2.3` becomes `v2.3.0`.
pub(super) fn complete_version(text: &str) -> anyhow::Result<String> {
    let version = ProgramVersion::read(text);
    if !version.is_known() {
        usage!("`{text}` is not a version of Crossplane; write it as `v1.20.11` or `v2.3.4`");
    }
    let dots = text.split(['-', '+']).next().unwrap_or_default().matches('.').count();
    Ok(format!("v{}{}", text.trim_start_matches('v'), ".0".repeat(2_usize.saturating_sub(dots))))
}
