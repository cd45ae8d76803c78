//! `hostnet mirror cache`: writes package files for Crossplane's cache, for packages that it never pulls.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::registry::{Registry, complete_version, remote_host};
use super::streams::print_stderr;
use crate::kinds::mirror_verify::row;
use crate::render::mirror_verify::text;
use crate::xpkg::{CheckOptions, Depth, file_of_release};
use krm::{escape_line, shown_path};
use oci::Source;
use oci::name::ImageRef;

/// Write the files that Crossplane's package cache needs for packages with `packagePullPolicy: Never`.
///
/// Each package is verified, and all are read before a file is written. Up to Crossplane v2.1 the files are in folders,
/// so they do not fit into a ConfigMap; from v2.2 on a package must be named by its digest, or pinned.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror cache --crossplane v1.20.11 --output cache/ xpkg.crossplane.io/o/provider-a:v1.2.0
  hostnet mirror cache --crossplane v2.3.4 --output cache/ xpkg.crossplane.io/o/provider-a:v1.2.0=oci:mirror:v1.2.0")]
pub(super) struct Cache {
    /// `spec.package` as written, if it can be read from there; or `PACKAGE=SOURCE` for a package in another place,
    /// with SOURCE as in `mirror verify`.
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// The release of Crossplane that reads the files.
    #[arg(long, value_name = "VERSION")]
    crossplane: String,
    /// The folder of the volume: /cache up to v1.19, /cache/xpkg from v1.20 on.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    registry: Registry,
}

impl Cache {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let version = complete_version(&self.crossplane)?;
        let check = CheckOptions { version: Some(&version), kind: None, is_resolved: false, depth: Depth::Needed };
        let place = |source: &String| remote_host(source.split_once('=').map_or(source.as_str(), |(_, place)| place));
        let hosts: Vec<String> = self.sources.iter().filter_map(place).collect();
        let verifier = self.registry.verifier(check, &hosts, &[])?;
        let mut files: BTreeMap<String, (String, Vec<u8>)> = BTreeMap::new();
        let mut refused = Vec::new();
        for source in &self.sources {
            let (package, place) = match source.split_once('=') {
                Some((package, place)) => (package, place),
                None => (source.as_str(), source.as_str()),
            };
            ImageRef::read(package)?;
            // The package name becomes part of a path.
            ensure!(package.split('/').all(|part| !matches!(part, "" | "." | "..")), "`{package}` is not a package");
            let source = Source::read(place)?;
            let report = row(place, verifier.verify(place, &source))?;
            let digest = report.digest.clone().or_else(|| ImageRef::split(package).digest.map(str::to_owned));
            let (Some(digest), false) = (digest, report.is_refused()) else {
                print_stderr(&format!("{}\n", text(std::slice::from_ref(&report))))?;
                refused.push(place);
                continue;
            };
            let Some(content) = verifier.package_yaml(place, &source, &version)? else {
                bail!("{place}: its package.yaml cannot be read a second time");
            };
            let file = file_of_release(&version, package, &digest);
            if let Some((other, _)) = files.insert(file.clone(), (package.to_owned(), content)) {
                ensure!(
                    other == package,
                    "{other} and {package} have the same file in Crossplane's cache, {file}: only one of them can be cached, so \
                     nothing is written"
                );
            }
        }
        ensure!(
            refused.is_empty(),
            "{} cannot be cached, so nothing is written: each is refused, cannot be read, or has no digest before it is pushed",
            refused.join(", ")
        );
        for (file, (package, content)) in &files {
            let path = self.output.join(file);
            write(&path, content).with_context(|| shown_path(&path))?;
            print_stderr(&format!("{}: {}\n", escape_line(package), shown_path(&path)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes a gzip-compressed file atomically.
fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&packed.finish()?)?;
    // Crossplane may run as a different user than the command that fills the volume.
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    file.persist(path)?;
    Ok(())
}
