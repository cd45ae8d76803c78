//! `hostnet mirror pin`: records digests and dependencies of packages and images in the config.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::input::{Given, Manifests, read_config, read_inputs};
use super::output::write_texts;
use super::registry::{Registry, complete_version, mirror_hosts, remote_host};
use super::streams::print_stderr;
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{KnownPackage, MirrorConfig};
use crate::dependency::needed_package;
use crate::kinds::build_patches::unknown_images_of_builds;
use crate::kinds::mirror_pin::{record, write};
use crate::kinds::mirror_verify::{Verifier, no_answer};
use crate::kinds::package_mirror::list;
use crate::package_mirror::{Listed, ListedKind, MirrorRules, Routes, missing_rule_text, uncovered};
use crate::render::mirror_verify::text;
use crate::render::summary::many;
use crate::xpkg::{About, CheckOptions, Depth, whole_name};
use krm::{escape_line, shown_path};
use oci::name::{ImageRef, RemoteRef};
use oci::{Source, StoreError};

/// Record digests, and the dependencies of packages, in the config's `packages`.
///
/// Packages are verified first. The file is changed in place: entries are sorted, comments are kept, and only --prune
/// removes entries. Exit codes: 0 everything is recorded; 1 a source is refused or unreadable, and nothing is written;
/// 2 wrong usage.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  hostnet mirror pin -c mirror.yaml --manifests manifests/
  hostnet mirror pin -c mirror.yaml xpkg.crossplane.io/o/provider-a:v1.2.0
  hostnet mirror pin -c mirror.yaml xpkg.crossplane.io/o/provider-a:v1.2.0=oci:mirror:v1.2.0")]
pub(super) struct Pin {
    /// A reference with registry and tag, original or in the mirror; or `REFERENCE=SOURCE` for a package in another
    /// place, with SOURCE as in `mirror verify`.
    #[arg(value_name = "SOURCE", required_unless_present = "manifests")]
    sources: Vec<String>,
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// Also record everything that `mirror list` finds in these files and folders, and its dependencies: for each
    /// version range the newest version in the registry.
    #[arg(long, value_name = "PATH")]
    manifests: Vec<PathBuf>,
    /// Read from the mirror instead of the registry that the manifests name.
    #[arg(long, requires = "manifests")]
    from_mirror: bool,
    /// The SOURCEs are images, not packages.
    #[arg(long)]
    image: bool,
    /// Remove entries that the manifests do not use. The manifests must include everything that uses the config.
    #[arg(long, requires = "manifests")]
    prune: bool,
    /// Change nothing; exit with 1 when something would change.
    #[arg(long)]
    check: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long = "sources")]
    sources_only: bool,
    #[command(flatten)]
    registry: Registry,
}

/// Collects entries for the config, and counts sources without an entry.
struct Finder<'p> {
    verifier: Verifier<'p>,
    config: MirrorConfig,
    /// Crossplane's version, which determines the default registry.
    version: Option<String>,
    found: BTreeMap<String, KnownPackage>,
    /// Requested keys, including rejected ones.
    tried: BTreeSet<String>,
    refused: usize,
    /// Number of keys without a result.
    unanswered: usize,
    /// Version ranges already resolved.
    ranges: BTreeSet<(String, String)>,
}

impl Pin {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let before = read_config(&self.config)?;
        let place = shown_path(&self.config);
        let config = MirrorConfig::read(&before, &place, 1)?;
        let version = config.mirror.spec.crossplane.version.as_deref().map(complete_version).transpose()?;
        let check = CheckOptions { version: version.as_deref(), kind: None, is_resolved: false, depth: Depth::Needed };
        let hosts = self.hosts(&config);
        let verifier = self.registry.verifier(check, &hosts, &self.manifests)?;
        let known = config.mirror.spec.packages.clone();
        let mut finder = Finder {
            verifier,
            config,
            version: version.clone(),
            found: BTreeMap::new(),
            tried: BTreeSet::new(),
            refused: 0,
            unanswered: 0,
            ranges: BTreeSet::new(),
        };
        finder.verifier.expect(self.sources.iter().map(String::as_str));
        for source in &self.sources {
            let (key, text) = finder.read(source)?;
            finder.pin_reference(&key, &text, &Source::read(&text)?, (self.image, true))?;
        }
        let removed = if self.manifests.is_empty() { BTreeSet::new() } else { self.pin_manifests(&mut finder)? };
        if finder.refused + finder.unanswered > 0 {
            let refused = Some(format!("{} refused", many(finder.refused, "package"))).filter(|_| finder.refused > 0);
            let none = Some(format!("{} not read", finder.unanswered)).filter(|_| finder.unanswered > 0);
            let all: Vec<String> = refused.into_iter().chain(none).collect();
            print_stderr(&format!("error: {}, so nothing is written\n", all.join(", ")))?;
            return Ok(ExitCode::FAILURE);
        }
        let removed = if self.prune { removed } else { BTreeSet::new() };
        let pinned = write(&before, &known, &finder.found, &removed).with_context(|| place.clone())?;
        for (key, digest) in &pinned.changed {
            print_stderr(&format!("{}: {digest}\n", escape_line(key)))?;
        }
        for key in &pinned.removed {
            print_stderr(&format!("{}: removed\n", escape_line(key)))?;
        }
        // The new config is validated before it is written.
        MirrorConfig::read(&pinned.text, &place, 1)?;
        let changes = write_texts([(self.config.clone(), (before, pinned.text))], self.check)?;
        if changes && self.check {
            print_stderr(&format!("{place}: would change\n"))?;
        }
        Ok(if changes && self.check { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Registries for the login: the registries of the SOURCEs, else the mirror.
    fn hosts(&self, config: &MirrorConfig) -> Vec<String> {
        let source = |text: &String| match text.split_once('=') {
            Some((_, source)) => remote_host(source),
            None => remote_host(text),
        };
        let sources: Vec<String> = self.sources.iter().filter_map(source).collect();
        if sources.is_empty() { mirror_hosts(config) } else { sources }
    }

    /// Records packages and images of manifests, and returns the config's unused keys.
    fn pin_manifests(&self, finder: &mut Finder<'_>) -> anyhow::Result<BTreeSet<String>> {
        let Manifests { inputs, unknown_images, .. } = read_inputs(
            Given::files(&self.manifests, self.sources_only),
            Some(&self.config),
            "mirror pin -c CONFIG --manifests",
            Verbosity::default(),
        )?;
        for unknown in unknown_images.into_iter().chain(unknown_images_of_builds(&inputs)) {
            Verbosity::default().note(&format!("warning: not known: {unknown}\n"))?;
        }
        loop {
            let mut config = finder.config.clone();
            config.mirror.spec.packages.extend(finder.found.clone());
            let listing = list(&inputs, Some(&config))?;
            let used: BTreeMap<String, (&Listed, bool)> = listing
                .entries
                .iter()
                .filter(|entry| entry.kind != ListedKind::Signature)
                .filter_map(|entry| Some((key(&entry.source)?, (entry, entry.kind == ListedKind::Image))))
                .collect();
            let todo: Vec<(&String, &(&Listed, bool))> = used.iter().filter(|(key, _)| !finder.is_done(key)).collect();
            let source =
                |entry: &'_ Listed| entry.target.as_ref().filter(|_| self.from_mirror).unwrap_or(&entry.source).clone();
            let sources: Vec<String> = todo.iter().map(|(_, (entry, _))| source(entry)).collect();
            finder.verifier.expect(sources.iter().map(String::as_str));
            for ((key, (entry, is_image)), source) in todo.iter().zip(&sources) {
                match uncovered(entry, &listing.routes).filter(|_| self.from_mirror) {
                    Some(message) => {
                        finder.tried.insert((*key).clone());
                        finder.no_answer(&entry.source, &message)?;
                    }
                    None => finder.remote(key, source, *is_image, entry.is_run && !entry.has_command)?,
                }
            }
            if !todo.is_empty() {
                continue;
            }
            let mut more = false;
            for (name, range) in &listing.open {
                more |= finder.newest(name, range, Some(&listing.routes).filter(|_| self.from_mirror))?;
            }
            if !more {
                for conflict in listing.all_conflicts() {
                    Verbosity::default().note(&format!("warning: {}\n", escape_line(&conflict.message)))?;
                }
                let known = finder.config.mirror.spec.packages.keys();
                return Ok(known.filter(|key| !used.contains_key(*key)).cloned().collect());
            }
        }
    }
}

/// Key of a reference in `packages`; `None` without registry or tag.
fn key(reference: &str) -> Option<String> {
    let image = ImageRef::read(reference).ok()?;
    let named = ImageRef::without_digest(reference);
    match (image.registry, image.tag, image.digest) {
        (Some(_), Some(_), _) => Some(named.to_owned()),
        (Some(_), None, None) => Some(format!("{named}:latest")),
        _ => None,
    }
}

impl Finder<'_> {
    /// True if the key was read already, or has an entry.
    fn is_done(&self, key: &str) -> bool {
        self.tried.contains(key) || self.found.contains_key(key)
    }

    /// Parses a SOURCE into its key and the location to read.
    fn read(&self, text: &str) -> anyhow::Result<(String, String)> {
        if let Some((before, source)) = text.split_once('=')
            && let Some(key) = key(before)
        {
            return Ok((key, source.to_owned()));
        }
        let Some(own) = key(text) else {
            usage!(
                "`{text}` is not a reference with registry and tag, the key in `packages`; write one such as \
                 `xpkg.crossplane.io/org/provider-a:v1.2.0`, or `REFERENCE=SOURCE`"
            );
        };
        let rules = MirrorRules::compile(&self.config)?;
        let origins: BTreeSet<String> = rules.origins(&own).collect();
        let mut origins = origins.into_iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok((own, text.to_owned())),
            (Some(origin), None) => Ok((origin, text.to_owned())),
            (Some(first), Some(second)) => {
                usage!("`{text}` may be the copy of {first} or of {second}; write `{first}={text}`")
            }
        }
    }

    /// Reports a source that cannot be recorded; other sources are still processed.
    fn no_answer(&mut self, source: &str, reason: &str) -> anyhow::Result<()> {
        self.unanswered += 1;
        print_stderr(&format!("{}\n  error: {}\n", escape_line(source), escape_line(reason)))?;
        Ok(())
    }

    /// Records a reference of a manifest or package, once. `is_run`: pods start the program of the image.
    fn remote(&mut self, key: &str, reference: &str, is_image: bool, is_run: bool) -> anyhow::Result<()> {
        self.tried.insert(key.to_owned());
        match RemoteRef::read(reference) {
            Ok(remote) => self.pin_reference(key, reference, &Source::Registry(remote), (is_image, is_run)),
            Err(error) => self.no_answer(reference, &error.to_string()),
        }
    }

    /// Records one package, after verification, or one image.
    fn pin_reference(
        &mut self,
        key: &str,
        text_of_source: &str,
        source: &Source,
        (is_image, is_run): (bool, bool),
    ) -> anyhow::Result<()> {
        let before = self.config.mirror.spec.packages.get(key).cloned().unwrap_or_default();
        if is_image {
            let (digest, platforms) = match self.verifier.digest(text_of_source, source, true) {
                Ok(Ok(found)) => found,
                Ok(Err(error)) => return self.no_answer(text_of_source, &error.message),
                Err(error) => return self.no_answer(text_of_source, &no_answer(error)?.message),
            };
            let platforms = platforms.iter().map(ToString::to_string).collect();
            self.found.insert(key.to_owned(), KnownPackage { digest: Some(digest), platforms, ..before });
            return Ok(());
        }
        let report = match self.verifier.verify(text_of_source, source) {
            Ok(report) => report,
            Err(error) => return self.no_answer(text_of_source, &no_answer(error)?.message),
        };
        let Some(digest) = report.digest.clone().filter(|_| !report.is_refused()) else {
            self.refused += 1;
            print_stderr(&format!("{}\n", text(std::slice::from_ref(&report))))?;
            if !report.is_refused() {
                print_stderr("  error: it has no digest before it is pushed\n")?;
            }
            return Ok(());
        };
        // A record does not show this, so no later command reports it.
        let no_program = report.findings.iter().find(|finding| is_run && finding.about == About::NoProgram);
        if let Some(finding) = no_program {
            print_stderr(&format!("{}\n  warning: {}\n", escape_line(text_of_source), escape_line(&finding.message)))?;
        }
        let known = match record(&report) {
            Ok(known) => KnownPackage { digest: Some(digest), ..known },
            Err(written) => {
                let why = format!("it needs `{written}`, which is not the name of a package with a range of versions");
                return self.no_answer(text_of_source, &why);
            }
        };
        self.found.insert(key.to_owned(), known);
        Ok(())
    }

    /// Packages that require this version range of another package.
    fn needed_by(&self, name: &str, range: &str) -> Vec<String> {
        let is_match = |needed: &String| {
            needed_package(needed).is_some_and(|package| {
                whole_name(package.name, self.version.as_deref()) == name
                    && (package.range == range || package.range.is_empty() && range == "any version")
            })
        };
        let all = self.config.mirror.spec.packages.iter().chain(&self.found);
        let needing =
            all.filter(|(_, package)| package.depends_on.iter().flatten().any(is_match)).map(|(key, _)| key.clone());
        needing.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Records the newest version of a range in the registry, or with `routes` in the mirror; returns false without
    /// such a version.
    fn newest(&mut self, name: &str, range: &str, routes: Option<&Routes>) -> anyhow::Result<bool> {
        if !self.ranges.insert((name.to_owned(), range.to_owned())) {
            return Ok(false);
        }
        let place = routes.and_then(|routes| routes.pulled(name)).unwrap_or_else(|| name.to_owned());
        let by = format!("{}, which is needed by {} ({range})", place, self.needed_by(name, range).join(", "));
        if let Some(rule) = routes.and_then(|routes| routes.missing_rule(name)) {
            self.no_answer(&by, &missing_rule_text(name, &rule))?;
            return Ok(false);
        }
        if ImageRef::split(name).is_unqualified() {
            let why = match self.version {
                None => {
                    "which registry its name means depends on the version of Crossplane: write `crossplane: {version: v1.20.0}` in the spec"
                }
                Some(_) => "its name has no registry, and this version of Crossplane accepts no such name",
            };
            self.no_answer(&by, why)?;
            return Ok(false);
        }
        let range = if range == "any version" { "" } else { range };
        let newest = match RemoteRef::read(&place) {
            Ok(remote) => self.verifier.newest(&remote, range),
            Err(error) => Ok(Err(StoreError::permanent(error.to_string()))),
        };
        let why = match newest {
            Ok(Ok(Some(tag))) => Ok(tag),
            Ok(Ok(None)) => Err("it has no version in that range".to_owned()),
            Ok(Err(error)) => Err(error.message),
            Err(error) => Err(no_answer(error)?.message),
        };
        let tag = match why {
            Ok(tag) => tag,
            Err(why) => {
                self.no_answer(&by, &why)?;
                return Ok(false);
            }
        };
        let key = format!("{name}:{tag}");
        if self.is_done(&key) {
            return Ok(false);
        }
        if let Err(error) = self.verifier.budget().count_dependency() {
            self.no_answer(&by, &error.to_string())?;
            return Ok(false);
        }
        self.remote(&key, &format!("{place}:{tag}"), false, true)?;
        Ok(self.found.contains_key(&key))
    }
}
