//! `hostnet mirror verify`: whether Crossplane takes what a mirror holds.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::streams::print;
use crate::kinds::mirror_verify::Verifier;
use crate::model::text::ProgramVersion;
use crate::oci::Source;
use crate::render::mirror_verify::{json, text};
use crate::rule::Severity;
use crate::xpkg::{Asked, Depth};

/// Say what Crossplane makes of packages before the cluster pulls them: whether each installs, what is said otherwise, and why.
///
/// Read are manifests, the config and the layer with package.yaml; all layers down to it where none is annotated. Exit codes: 0 every
/// package installs; 1 one does not, or cannot be read; 2 wrong usage. Without `--crossplane` all releases count, but those that a package says
/// it is not for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror verify provider-aws-s3.xpkg
  hostnet mirror verify registry.example.com/xpkg/o/provider-aws-s3:v2.6.0
  hostnet mirror verify --crossplane v2.3.4 --full oci:mirror:v2.6.0 docker-archive:provider.tar")]
pub(super) struct Verify {
    /// A reference with its registry, `oci:DIR[@DIGEST|:NAME]`, `oci-archive:FILE[@DIGEST|:NAME]`, `docker-archive:FILE` or FILE.xpkg.
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// The release of Crossplane that pulls them.
    #[arg(long, value_name = "VERSION")]
    crossplane: Option<String>,
    /// The kind of object that asks for them.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Read and digest every layer.
    #[arg(long)]
    full: bool,
    /// Warnings fail too.
    #[arg(long)]
    strict: bool,
    /// How to show what was found.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
    #[cfg(feature = "registry")]
    #[command(flatten)]
    registry: Registry,
}

/// How registries are reached.
#[cfg(feature = "registry")]
#[derive(Debug, Args)]
struct Registry {
    /// Certificates in PEM by which registries are known, instead of the system's.
    #[arg(long, value_name = "FILE")]
    ca: Option<std::path::PathBuf>,
    /// Let any registry be one without TLS, not just those that Crossplane reaches so.
    #[arg(long)]
    plain_http: bool,
    /// The name and the password, instead of those of the Docker config file.
    #[arg(long, value_name = "NAME:PASSWORD")]
    user: Option<String>,
}

#[cfg(feature = "registry")]
impl Registry {
    fn options(&self) -> crate::oci::registry::Options {
        crate::oci::registry::Options { ca: self.ca.clone(), plain_http: self.plain_http, user: self.user.clone() }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    #[value(name = "Provider")]
    Provider,
    #[value(name = "Configuration")]
    Configuration,
    #[value(name = "Function")]
    Function,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Output {
    Text,
    Json,
}

impl Verify {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let version = self.crossplane.as_deref().map(whole_version).transpose()?;
        let kind = self.kind.map(|kind| match kind {
            Kind::Provider => "Provider",
            Kind::Configuration => "Configuration",
            Kind::Function => "Function",
        });
        let depth = if self.full { Depth::Full } else { Depth::Needed };
        let asked = Asked { version: version.as_deref(), kind, depth };
        let sources =
            self.sources.iter().map(|text| Ok((text, Source::read(text)?))).collect::<anyhow::Result<Vec<_>>>()?;
        #[cfg(feature = "registry")]
        let verifier = Verifier::new(asked, self.registry.options());
        #[cfg(not(feature = "registry"))]
        let verifier = Verifier::new(asked);
        let judged = sources.iter().map(|(text, source)| Ok(verifier.verify(text, source)?));
        let judged = judged.collect::<anyhow::Result<Vec<_>>>()?;
        print(&match self.output {
            Output::Text => text(&judged),
            Output::Json => format!("{}\n", serde_json::to_string_pretty(&json(&judged))?),
        })?;
        let warns = judged.iter().flat_map(|own| &own.findings).any(|own| own.severity == Severity::Warning);
        let fails = judged.iter().any(crate::xpkg::Judged::is_refused) || self.strict && warns;
        Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// A version with all its numbers: `v2.3` is `v2.3.0`.
fn whole_version(text: &str) -> anyhow::Result<String> {
    let version = ProgramVersion::read(text);
    anyhow::ensure!(
        version != ProgramVersion::unknown(),
        "`{text}` is not a version of Crossplane; write it as `v1.20.11` or `v2.3.4`"
    );
    let dots = text.split(['-', '+']).next().unwrap_or_default().matches('.').count();
    Ok(format!("v{}{}", text.trim_start_matches('v'), ".0".repeat(2_usize.saturating_sub(dots))))
}
