//! `hostnet mirror verify`: verifies that Crossplane accepts the content of a mirror.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::fails::Fails;
use super::input::{Given, Manifests, read_config, read_inputs};
use super::registry::{Registry, complete_version, mirror_hosts, remote_host};
use super::streams::{print, print_escaped, print_stderr};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{FailOn, MirrorConfig, PACKAGE_KINDS};
use crate::kinds::build_patches::unknown_images_of_builds;
use crate::kinds::coverage::Coverage;
use crate::kinds::mirror_check::check;
use crate::kinds::mirror_verify::{NotOpened, row};
use crate::kinds::package_mirror::list;
use crate::plan::listed;
use crate::render::mirror_verify::{json, text};
use crate::rule::Severity;
use crate::version::ProgramVersion;
use crate::xpkg::{CheckOptions, Depth, ERAS, PackageReport};
use krm::{escape_line, json_text, shell_word, shown_path};
use oci::Source;

/// Predict whether Crossplane can install packages, with its error text and the cause, before the cluster pulls them.
///
/// Reads image manifests, image configs and the layer with package.yaml; without an annotated layer, all layers down to
/// the layer with package.yaml. Exit codes: 0 every package installs; 1 a package does not install, or cannot be read;
/// 2 wrong usage. Without `--crossplane` all releases count, except releases that a package excludes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror verify provider-aws-s3.xpkg
  hostnet mirror verify registry.example.com/xpkg/o/provider-aws-s3:v2.6.0
  hostnet mirror verify -c mirror.yaml manifests/
  hostnet mirror verify --crossplane v2.3.4 --full oci:mirror:v2.6.0 docker-archive:provider.tar")]
pub(super) struct Verify {
    /// A reference with its registry, `oci:DIR[@DIGEST|:NAME]`, `oci-archive:FILE[@DIGEST|:NAME]`,
    /// `docker-archive:FILE` or FILE.xpkg; with --config, files and folders of manifests.
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// Verify all packages and images of manifests, and their dependencies, at the places that the rules of this config
    /// give them.
    #[arg(short, long, value_name = "FILE", conflicts_with = "kind")]
    config: Option<PathBuf>,
    /// The release of Crossplane that pulls the packages.
    #[arg(long, value_name = "VERSION")]
    crossplane: Option<String>,
    /// The kind of object that names the packages.
    #[arg(long, value_parser = PACKAGE_KINDS)]
    kind: Option<String>,
    /// Read and digest every layer.
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    fails: Fails,
    /// Format of the results.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
    #[command(flatten)]
    registry: Registry,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Output {
    Text,
    Json,
}

/// Maximum number of references that a line lists by name.
const NAMED: usize = 8;

/// End of a message about a name that is invalid in `spec.package`.
const IMAGE_CONFIG_NAME_HINT: &str =
    ". It may be the `to` of a rule with style ImageConfig: verify it with `-c CONFIG` and the manifests";

impl Verify {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let version = self.crossplane.as_deref().map(examined_version).transpose()?;
        let kind = self.kind.as_deref();
        let depth = if self.full { Depth::Full } else { Depth::Needed };
        let (mut is_broken, mut of_config) = (false, FailOn::default());
        let (reports, unread) = match &self.config {
            Some(path) => {
                let config = MirrorConfig::read(&read_config(path)?, &shown_path(path), 1)?;
                of_config = config.mirror.spec.fail_on;
                let (reports, coverage, unread) = self.verify_manifests((path, config), version, depth)?;
                is_broken = coverage.is_broken();
                (reports, unread)
            }
            None => {
                let options = CheckOptions { version: version.as_deref(), kind, is_resolved: true, depth };
                let hosts: Vec<String> = self.sources.iter().filter_map(|text| remote_host(text)).collect();
                let verifier = self.registry.verifier(options, &hosts, &[])?;
                verifier.expect(self.sources.iter().map(String::as_str));
                let one = |text: &String| {
                    let source = match Source::read(text) {
                        Ok(source) => source,
                        Err(error) => return Ok(row(text, Err(NotOpened::Source(text.clone(), error.to_string())))?),
                    };
                    let mut report = row(text, verifier.verify(text, &source))?;
                    if let Source::Registry(reference) = &source {
                        report.check_name(reference.as_str(), version.as_deref(), IMAGE_CONFIG_NAME_HINT);
                    }
                    Ok(report)
                };
                let reports = self.sources.iter().map(one).collect::<anyhow::Result<Vec<_>>>()?;
                (reports, verifier.budget().unread())
            }
        };
        match self.output {
            Output::Text => print_escaped(&text(&reports))?,
            Output::Json => print(&json_text(&json(&reports)))?,
        };
        self.name_unread(&unread)?;
        let fail_on = self.fails.or(of_config);
        let warns =
            reports.iter().flat_map(|package| &package.findings).any(|finding| finding.severity == Severity::Warning);
        let fails = |severity, is_there: bool| is_there && fail_on.fails(severity);
        let fails =
            fails(Severity::Error, reports.iter().any(PackageReport::is_refused)) || fails(Severity::Warning, warns);
        Ok(if fails || is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Verifies all packages and images of manifests in the mirror.
    fn verify_manifests(
        &self,
        (path, mut config): (&Path, MirrorConfig),
        version: Option<String>,
        depth: Depth,
    ) -> anyhow::Result<(Vec<PackageReport>, Coverage, BTreeSet<String>)> {
        let paths: Vec<PathBuf> = self.sources.iter().map(PathBuf::from).collect();
        let verbosity = Verbosity::default();
        let given = Given { skips_unreadable: true, ..Given::files(&paths, true) };
        let Manifests { inputs, coverage, unknown_images, .. } =
            read_inputs(given, Some(path), "mirror verify -c CONFIG", verbosity)?;
        let coverage = coverage.without_installed_packages();
        verbosity.not_read(&coverage)?;
        let of_builds = unknown_images_of_builds(&inputs);
        for unknown in unknown_images.into_iter().chain(of_builds).chain(coverage.unknown_images()) {
            verbosity.note(&format!("warning: not known: {}\n", escape_line(&unknown)))?;
        }
        let listing = list(&inputs, Some(&config))?;
        let version = match version {
            Some(version) => Some(version),
            None => listing.crossplane.as_deref().map(examined_version).transpose()?,
        };
        let options = CheckOptions { version: version.as_deref(), kind: None, is_resolved: true, depth };
        let verifier = self.registry.verifier(options, &mirror_hosts(&config), &paths)?;
        let reports = check(&verifier, &listing, version.as_deref(), |learned| {
            config.mirror.spec.packages.extend(learned);
            anyhow::Ok(list(&inputs, Some(&config))?)
        })?;
        Ok((reports, coverage, verifier.budget().unread()))
    }

    /// Names the references for which the time was too short, and the command that gives them more.
    fn name_unread(&self, unread: &BTreeSet<String>) -> anyhow::Result<()> {
        if unread.is_empty() {
            return Ok(());
        }
        let mut command = format!("hostnet mirror verify --time-limit {}", self.registry.longer());
        let flags = [
            ("--crossplane", self.crossplane.clone()),
            ("--kind", self.kind.clone()),
            ("-c", self.config.as_deref().map(|path| path.to_string_lossy().into_owned())),
        ];
        for (flag, value) in flags {
            command.extend(value.map(|value| format!(" {flag} {}", shell_word(&value))));
        }
        command.push_str(if self.full { " --full" } else { "" });
        let again: Vec<&String> = match self.config {
            Some(_) => self.sources.iter().collect(),
            None => unread.iter().collect(),
        };
        command.extend(again.into_iter().map(|source| format!(" {}", shell_word(source))));
        let names = listed(unread.iter().map(|name| escape_line(name)), NAMED);
        print_stderr(&format!(
            "not looked at, because the time was too short: {names}; with more time: `{}`\n",
            escape_line(&command)
        ))
    }
}

/// A version of Crossplane in full. Nothing is known about the verdicts of releases before the first era.
fn examined_version(text: &str) -> anyhow::Result<String> {
    let version = complete_version(text)?;
    let [first, ..] = &ERAS;
    if ProgramVersion::read(&version).has(first.since) == Some(false) {
        usage!(
            "Crossplane {version} was not examined: give `--crossplane` a release from {} on, or leave it out",
            first.since
        );
    }
    Ok(version)
}
