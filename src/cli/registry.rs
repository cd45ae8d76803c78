//! How registries are reached, and which Crossplane asks them.

use clap::Args;

use super::usage::usage;
use crate::kinds::mirror_verify::Verifier;
use crate::model::text::ProgramVersion;
use crate::xpkg::Asked;

/// How registries are reached; nothing in a build that reads none.
#[derive(Debug, Args)]
pub(super) struct Registry {
    /// Certificates in PEM by which registries are known, instead of the system's.
    #[cfg(feature = "registry")]
    #[arg(long, value_name = "FILE")]
    ca: Option<std::path::PathBuf>,
    /// Let any registry be one without TLS, not just those that Crossplane reaches so.
    #[cfg(feature = "registry")]
    #[arg(long)]
    plain_http: bool,
    /// The name and the password, instead of those of the Docker config file.
    #[cfg(feature = "registry")]
    #[arg(long, value_name = "NAME:PASSWORD")]
    user: Option<String>,
}

impl Registry {
    /// What looks at packages in this way.
    #[cfg(feature = "registry")]
    pub(super) fn verifier<'a>(&self, asked: Asked<'a>) -> Verifier<'a> {
        let (ca, user) = (self.ca.clone(), self.user.clone());
        Verifier::new(asked, crate::oci::registry::Options { ca, plain_http: self.plain_http, user })
    }

    /// What looks at packages in files and folders.
    #[cfg(not(feature = "registry"))]
    #[allow(clippy::unused_self, reason = "the other build needs it")]
    pub(super) fn verifier<'a>(&self, asked: Asked<'a>) -> Verifier<'a> {
        Verifier::new(asked)
    }
}

/// A version with all its numbers: `v2.3` is `v2.3.0`.
pub(super) fn whole_version(text: &str) -> anyhow::Result<String> {
    let version = ProgramVersion::read(text);
    if version == ProgramVersion::unknown() {
        usage!("`{text}` is not a version of Crossplane; write it as `v1.20.11` or `v2.3.4`");
    }
    let dots = text.split(['-', '+']).next().unwrap_or_default().matches('.').count();
    Ok(format!("v{}{}", text.trim_start_matches('v'), ".0".repeat(2_usize.saturating_sub(dots))))
}
