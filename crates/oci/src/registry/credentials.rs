//! Credentials for registries: given by the user, or from the Docker config file and its helpers.
//!
//! Source: docker/cli@v29.2.0 `cli/config/configfile/file.go`; docker/docker-credential-helpers@v0.9.3
//! `client/client.go`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// The key of Docker Hub in the config file.
const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// User name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ConfigFile {
    auths: BTreeMap<String, Auth>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Auth {
    auth: String,
    username: String,
    password: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperOutput {
    username: String,
    secret: String,
}

impl Credentials {
    /// Creates credentials from user name and password.
    pub fn new(user: &str, password: &str) -> Self {
        Self { user: user.to_owned(), password: password.to_owned() }
    }

    /// Parses `NAME:PASSWORD`.
    fn read(text: &str) -> Option<Self> {
        text.split_once(':').map(|(user, password)| Self::new(user, password))
    }

    /// Credentials for a registry from the Docker config file; `None` if missing or unreadable.
    pub(super) fn from_docker(registry: &str) -> Option<Self> {
        let text = std::fs::read_to_string(config_file()?).ok()?;
        let file: ConfigFile = serde_json::from_str(&text).ok()?;
        let names = names(registry);
        let helper = names.iter().find_map(|name| file.cred_helpers.get(name)).unwrap_or(&file.creds_store);
        if !helper.is_empty()
            && let Some(found) = names.iter().find_map(|name| run_helper(helper, name))
        {
            return Some(found);
        }
        let auth = names.iter().find_map(|name| file.auths.get(name))?;
        if !auth.username.is_empty() {
            return Some(Self { user: auth.username.clone(), password: auth.password.clone() });
        }
        Self::read(String::from_utf8(STANDARD.decode(&auth.auth).ok()?).ok()?.trim_end_matches('\0'))
    }

    /// The header value for basic authentication.
    pub(super) fn basic(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.user, self.password)))
    }
}

/// The keys that the config file may use for a registry.
fn names(registry: &str) -> Vec<String> {
    let mut names = vec![registry.to_owned(), format!("https://{registry}"), format!("https://{registry}/v1/")];
    if registry == crate::name::DOCKER_HUB {
        names.extend([DOCKER_HUB.to_owned(), "docker.io".to_owned()]);
    }
    names
}

/// Path of Docker's config file.
fn config_file() -> Option<PathBuf> {
    let folder = match std::env::var_os("DOCKER_CONFIG") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".docker"),
    };
    Some(folder.join("config.json"))
}

/// Runs a credential helper.
fn run_helper(helper: &str, registry: &str) -> Option<Credentials> {
    // The helper name becomes part of a program name; path separators are rejected.
    if !helper.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) {
        return None;
    }
    let mut command = Command::new(format!("docker-credential-{helper}"));
    let mut child =
        command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(registry.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let HelperOutput { username, secret } =
        serde_json::from_slice(&output.stdout).ok().filter(|_| output.status.success())?;
    // Identity tokens need a token exchange that this client does not implement.
    (username != "<token>").then_some(Credentials { user: username, password: secret })
}
