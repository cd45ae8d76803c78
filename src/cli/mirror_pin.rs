//! `hostnet mirror pin`: digests of packages and images, and what packages need, recorded in the config.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::input::{Given, Manifests, read_config, read_inputs};
use super::registry::{Registry, mirror_hosts, remote_host, whole_version};
use super::said::Said;
use super::streams::say;
use super::usage::usage;
use crate::api::{KnownPackage, MirrorConfig};
use crate::image::{ImageRef, RemoteRef, needed_package};
use crate::kinds::mirror_pin::write;
use crate::kinds::mirror_verify::Verifier;
use crate::kinds::package_mirror::list;
use crate::oci::Source;
use crate::package_mirror::{ListedKind, MirrorRules, whole_name};
use crate::render::mirror_verify::text;
use crate::render::summary::many;
use crate::wire::{Input, Origin, in_place, shown, shown_path};
use crate::xpkg::{Asked, Depth};
use crate::yaml::Splice;

/// Record digests, and what packages need, in the config's `packages`.
///
/// A package is verified first. The file is changed in place: sorted, comments kept, nothing removed but with --prune. Exit codes: 0 all is
/// recorded; 1 something is refused or cannot be read, and nothing is written; 2 wrong usage.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  hostnet mirror pin -c mirror.yaml --manifests manifests/
  hostnet mirror pin -c mirror.yaml xpkg.crossplane.io/o/provider-a:v1.2.0
  hostnet mirror pin -c mirror.yaml xpkg.crossplane.io/o/provider-a:v1.2.0=oci:mirror:v1.2.0")]
pub(super) struct Pin {
    /// A reference with its registry and tag, there or in the mirror; or `REFERENCE=SOURCE` for one that lies elsewhere, SOURCE as in `mirror verify`.
    #[arg(value_name = "SOURCE", required_unless_present = "manifests")]
    sources: Vec<String>,
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// Record all that `mirror list` finds in these files and folders too, and what that needs: of each range of versions the newest that the
    /// registry has.
    #[arg(long, value_name = "PATH")]
    manifests: Vec<PathBuf>,
    /// Look for it in the mirror, not where the manifests say.
    #[arg(long, requires = "manifests")]
    from_mirror: bool,
    /// The SOURCEs are images, and not packages.
    #[arg(long)]
    image: bool,
    /// Remove what nothing in the manifests uses. They have to be everything that uses the config.
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

/// What was recorded, and what was refused.
struct Finder<'p> {
    verifier: Verifier<'p>,
    config: MirrorConfig,
    /// That of Crossplane, which says what a name without registry means.
    version: Option<String>,
    found: BTreeMap<String, KnownPackage>,
    /// The keys that were asked for, found or refused.
    tried: BTreeSet<String>,
    refused: usize,
}

impl Pin {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let before = read_config(&self.config)?;
        let place = shown_path(&self.config);
        let config = MirrorConfig::read(&before, &place, 1)?;
        let version = config.mirror.spec.crossplane.version.as_deref().map(whole_version).transpose()?;
        let asked = Asked { version: version.as_deref(), kind: None, depth: Depth::Needed };
        let hosts = self.hosts(&config);
        let verifier = self.registry.verifier(asked, &hosts, &self.manifests)?;
        let known = config.mirror.spec.packages.clone();
        let mut finder = Finder {
            verifier,
            config,
            version: version.clone(),
            found: BTreeMap::new(),
            tried: BTreeSet::new(),
            refused: 0,
        };
        for source in &self.sources {
            let (key, text) = finder.read(source)?;
            finder.one(&key, &text, &Source::read(&text)?, self.image)?;
        }
        let gone = if self.manifests.is_empty() { BTreeSet::new() } else { self.of_manifests(&mut finder)? };
        if finder.refused > 0 {
            say(&format!("error: {} refused, so nothing is written\n", many(finder.refused, "package")))?;
            return Ok(ExitCode::FAILURE);
        }
        let gone = if self.prune { gone } else { BTreeSet::new() };
        let pinned = write(&before, &known, &finder.found, &gone).with_context(|| place.clone())?;
        for (key, digest) in &pinned.changed {
            say(&format!("{}: {digest}\n", shown(key)))?;
        }
        for key in &pinned.removed {
            say(&format!("{}: removed\n", shown(key)))?;
        }
        // What is written is read before anybody else does.
        MirrorConfig::read(&pinned.text, &place, 1)?;
        let changes = pinned.text != before;
        if changes && self.check {
            say(&format!("{place}: would change\n"))?;
        }
        if changes && !self.check {
            let whole = Splice { range: 0..before.len(), text: pinned.text };
            let input = Input::read(Origin::file(self.config.clone()), before.into_bytes())?;
            in_place::write(&[input], &[vec![whole]])?;
        }
        Ok(if changes && self.check { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The registries that the command line means: those of the SOURCEs, else the mirror.
    fn hosts(&self, config: &MirrorConfig) -> Vec<String> {
        let source = |text: &String| match text.split_once('=') {
            Some((_, source)) => remote_host(source),
            None => remote_host(text),
        };
        let sources: Vec<String> = self.sources.iter().filter_map(source).collect();
        if sources.is_empty() { mirror_hosts(config) } else { sources }
    }

    /// Records what manifests ask for, and answers which keys of the config they do not use.
    fn of_manifests(&self, finder: &mut Finder<'_>) -> anyhow::Result<BTreeSet<String>> {
        let Manifests { inputs, unknown_images, .. } = read_inputs(
            Given::files(&self.manifests, self.sources_only),
            Some(&self.config),
            "mirror pin -c CONFIG --manifests",
            Said::default(),
        )?;
        for unknown in unknown_images {
            Said::default().note(&format!("warning: not known: {unknown}\n"))?;
        }
        loop {
            let mut config = finder.config.clone();
            config.mirror.spec.packages.extend(finder.found.clone());
            let listing = list(&inputs, Some(&config))?;
            let used: BTreeMap<String, (String, bool)> = listing
                .entries
                .iter()
                .filter(|own| own.kind != ListedKind::Signature)
                .filter_map(|own| {
                    let source = own.target.as_ref().filter(|_| self.from_mirror).unwrap_or(&own.source);
                    Some((key(&own.source)?, (source.clone(), own.kind == ListedKind::Image)))
                })
                .collect();
            let todo: Vec<(&String, &(String, bool))> = used.iter().filter(|(key, _)| !finder.is_done(key)).collect();
            for (key, (source, is_image)) in &todo {
                finder.remote(key, source, *is_image)?;
            }
            if !todo.is_empty() {
                continue;
            }
            let mut more = false;
            for (name, range) in &listing.open {
                more |= finder.newest(name, range, self.from_mirror)?;
            }
            if !more {
                let known = finder.config.mirror.spec.packages.keys();
                return Ok(known.filter(|key| !used.contains_key(*key)).cloned().collect());
            }
        }
    }
}

/// The key of a reference in `packages`; none when it has no registry or no tag.
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
    fn is_done(&self, key: &str) -> bool {
        self.tried.contains(key) || self.found.contains_key(key)
    }

    /// A key, and where what it names lies.
    fn read(&self, text: &str) -> anyhow::Result<(String, String)> {
        if let Some((before, source)) = text.split_once('=')
            && let Some(key) = key(before)
        {
            return Ok((key, source.to_owned()));
        }
        let Some(own) = key(text) else {
            usage!(
                "`{text}` is not a reference with registry and tag, by which `packages` knows it; write one such as \
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

    /// Pins a reference of a manifest or a package. One that is refused is not asked for again.
    fn remote(&mut self, key: &str, reference: &str, is_image: bool) -> anyhow::Result<()> {
        let source = Source::Registry(RemoteRef::read(reference)?);
        self.tried.insert(key.to_owned());
        self.one(key, reference, &source, is_image)
    }

    /// Verifies and records one package, or records one image.
    fn one(&mut self, key: &str, text_of_source: &str, source: &Source, is_image: bool) -> anyhow::Result<()> {
        let before = self.config.mirror.spec.packages.get(key).cloned().unwrap_or_default();
        if is_image {
            let (digest, platforms) = match self.verifier.digest(text_of_source, source, true)? {
                Ok(found) => found,
                Err(trouble) => bail!("{text_of_source}: {trouble}"),
            };
            let platforms = platforms.iter().map(ToString::to_string).collect();
            self.found.insert(key.to_owned(), KnownPackage { digest: Some(digest), platforms, ..before });
            return Ok(());
        }
        let judged = self.verifier.verify(text_of_source, source)?;
        let Some(digest) = judged.digest.clone().filter(|_| !judged.is_refused()) else {
            self.refused += 1;
            say(&format!("{}\n", text(std::slice::from_ref(&judged))))?;
            if !judged.is_refused() {
                say("  error: it has no digest before it is pushed\n")?;
            }
            return Ok(());
        };
        let mut depends_on = Vec::new();
        for needed in &judged.depends_on {
            let name = whole_name(&needed.package, self.version.as_deref());
            let written = format!("{name} {}", needed.version).trim_end().to_owned();
            if needed_package(&written).is_none() {
                bail!(
                    "{text_of_source} needs `{written}`, which is not a package with its registry and a range of versions; say the version of Crossplane \
                     with `crossplane: {{version: v1.20.0}}` in the spec if it has no registry"
                );
            }
            depends_on.push(written);
        }
        let platforms =
            judged.platforms.iter().flatten().chain(&judged.own_platform).map(ToString::to_string).collect();
        let known = KnownPackage { digest: Some(digest), kind: judged.kind, depends_on: Some(depends_on), platforms };
        self.found.insert(key.to_owned(), known);
        Ok(())
    }

    /// Records the newest version in a range that the registry has; whether there was one to record.
    fn newest(&mut self, name: &str, range: &str, from_mirror: bool) -> anyhow::Result<bool> {
        let rules = MirrorRules::compile(&self.config)?;
        let place = rules.moved_package(name).filter(|_| from_mirror).unwrap_or_else(|| name.to_owned());
        let range = if range == "any version" { "" } else { range };
        let newest = match self.verifier.newest(&RemoteRef::read(&place)?, range)? {
            Ok(newest) => newest,
            Err(trouble) => bail!("{place}, which a package needs: {trouble}"),
        };
        let Some(tag) = newest else {
            bail!("{place} has no version in `{range}`, which a package needs");
        };
        let key = format!("{name}:{tag}");
        if self.is_done(&key) {
            return Ok(false);
        }
        self.verifier.budget().take_dependency().context(place.clone())?;
        self.remote(&key, &format!("{place}:{tag}"), false)?;
        Ok(self.found.contains_key(&key))
    }
}
