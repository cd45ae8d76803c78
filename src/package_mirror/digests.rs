//! Missing digests of packages, and the ImageConfigs that pin packages.
//!
//! A package keeps its tag: Crossplane compares the tag with version constraints of other packages, and a digest is not
//! a version. So an ImageConfig whose prefix is the whole reference rewrites it to the digest.

use std::collections::{BTreeMap, BTreeSet};

use super::core_packages;
use super::crossplane::{Style, qualified};
use super::list::{ListedKind, list};
use super::lock::Lock;
use super::own_image_configs::is_own;
use super::pinned::Pinned;
use super::rules::key_of;
use super::writer::Writer;
use crate::model::ObjectId;
use crate::rule::{self, Severity};
use krm::shell_word;
use oci::name::ImageRef;

/// A package of the input: its whole reference, its label, and its object.
type Requested = (String, String, ObjectId);

/// Reports missing digests of packages, and returns the packages to pin by ImageConfigs.
pub(super) fn check(writer: &mut Writer<'_>) -> Vec<Pinned> {
    let requested = requested(writer);
    let needed = dependencies_with_ranges(writer);
    by_digest(writer, &requested, &needed);
    let digests = writer.rules.config.mirror.spec.digests;
    if !digests.are_required() {
        return Vec::new();
    }
    for (source, label, id) in &requested {
        if ImageRef::read(source).is_ok() && writer.rules.digest_of_package(source).is_none() {
            let message = format!(
                "{label}: {source} has no digest, and `packages` has none for it: add it with `hostnet mirror pin -c CONFIG {}`",
                shell_word(source)
            );
            writer.add_finding(Severity::Error, rule::PACKAGE_DIGEST, message, Some(*id));
        }
    }
    let listing = list(writer.model, writer.facts, Some(writer.rules));
    report_unused_packages(writer, listing.entries.iter().map(|entry| entry.source.as_str()));
    if !digests.are_written() {
        return Vec::new();
    }
    if writer.style == Style::Rewrite {
        for (source, label, id) in &requested {
            let name = ImageRef::split(source).name;
            if let Some(others) = needed.get(name).filter(|_| ImageRef::split(source).digest.is_none()) {
                let message = format!(
                    "{label} is not pinned: {} needs it by a range of versions, and Crossplane reads the digest as the version. Style \
                     ImageConfig (Crossplane v1.20 or later) pins it; else write `digests: Require`",
                    others.iter().cloned().collect::<Vec<_>>().join(", ")
                );
                writer.add_finding(Severity::Error, rule::PACKAGE_DIGEST, message, Some(*id));
            }
        }
        return Vec::new();
    }
    let sources: BTreeSet<&str> = listing
        .entries
        .iter()
        .filter(|entry| entry.kind == ListedKind::Package)
        .map(|entry| entry.source.as_str())
        .collect();
    let is_asked = |source: &str| requested.iter().any(|(known, ..)| known == source);
    let mut pins: Vec<Pinned> = Vec::new();
    for source in sources.iter().copied() {
        let image = ImageRef::split(source);
        if image.tag.is_none()
            || image.digest.is_some()
            || !is_asked(source) && writer.rules.of_package(image.name).is_none()
        {
            continue;
        }
        let Some(digest) = writer.rules.digest_of_package(source) else {
            // For a requested package, the missing digest is reported above.
            if is_asked(source) {
                continue;
            }
            let message =
                format!("{source} is not pinned: `packages` has no digest for it, and packages of the input need it");
            writer.add_finding(Severity::Warning, rule::PACKAGE_DIGEST, message, None);
            continue;
        };
        let target = target(writer, source);
        let to = format!("{}@{digest}", ImageRef::split(&target).name);
        pins.push(Pinned { source: writer.routes.as_written(source), to, is_longer: false });
    }
    report_rewrites_of_pinned_prefixes(writer, &pins);
    let longer = references_longer_than_pins(writer, &pins, &sources);
    warn_of_later_packages(writer, &pins);
    pins.extend(longer);
    pins
}

/// The packages of the config and of the core's init containers.
fn requested(writer: &Writer<'_>) -> Vec<Requested> {
    let of_objects = writer.packages.iter().filter_map(|id| {
        let source = qualified(&writer.facts.packages.get(id)?.source, writer.unqualified);
        Some((source, writer.display_name(*id), *id))
    });
    let of_core = core_packages::packages(writer.model, writer.facts, Some(writer.rules)).into_iter();
    let of_core = of_core.map(|package| (package.whole(writer.unqualified), package.label, package.object));
    of_objects.chain(of_core).collect()
}

/// The names of dependencies with a range of versions, and the packages that depend on each.
fn dependencies_with_ranges(writer: &Writer<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for need in Lock::new(writer.reading).needs() {
        if !need.range.starts_with("sha256:") {
            all.entry(need.whole).or_default().insert(need.by);
        }
    }
    all
}

/// Warns about packages without a tag on which other packages depend by version.
/// Source: crossplane/crossplane@v1.20.11 and @v2.3.4 `internal/controller/pkg/resolver/reconciler.go`.
fn by_digest(writer: &mut Writer<'_>, requested: &[Requested], needed: &BTreeMap<String, BTreeSet<String>>) {
    for (source, label, id) in requested {
        let image = ImageRef::split(source);
        // A reference with tag and digest has another name in the lock; the checks of the lock
        // report it.
        let is_digest = image.digest.is_some() && image.tag.is_none();
        let Some(others) = needed.get(image.name).filter(|_| is_digest) else { continue };
        let message = format!(
            "{label} is named by its digest, and {} needs {} by a range of versions: Crossplane finds no version to compare and reports \
             `invalid semantic version`. Name it by its tag; `digests: Pin` pins it by an ImageConfig",
            others.iter().cloned().collect::<Vec<_>>().join(", "),
            image.name
        );
        writer.add_finding(Severity::Warning, rule::PACKAGE_DIGEST, message, Some(*id));
    }
}

/// Warns about keys of `packages` with a digest that the input does not use.
fn report_unused_packages<'s>(writer: &mut Writer<'_>, used: impl Iterator<Item = &'s str>) {
    let used: BTreeSet<String> =
        used.flat_map(|source| [key_of(source), ImageRef::without_digest(source).to_owned()]).collect();
    let by_digest = |name: &str, digest: &str| used.contains(&format!("{name}@{digest}"));
    let packages = writer.rules.config.mirror.spec.packages.iter();
    let left = packages.filter(|(reference, known)| {
        let digest = known.digest.as_deref();
        digest.is_some_and(|digest| {
            !used.contains(*reference)
                && !used.contains(&key_of(reference))
                && !by_digest(ImageRef::split(reference).name, digest)
        })
    });
    let left: Vec<&str> = left.map(|(reference, _)| reference.as_str()).collect();
    if !left.is_empty() {
        let message = format!(
            "nothing in the input uses {}, of `packages`; `hostnet mirror pin --prune` removes it",
            left.join(", ")
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_DIGEST, message, None);
    }
}

/// The reference that Crossplane pulls without the pins, after rewriting by prefixes that end before the tag.
fn target(writer: &Writer<'_>, source: &str) -> String {
    let image = ImageRef::split(source);
    let pulled = writer.routes.pulled(image.name);
    pulled.map_or_else(|| source.to_owned(), |name| format!("{name}{}", image.suffix(source)))
}

/// Reports ImageConfigs of the input with the same prefix as a pinned package.
fn report_rewrites_of_pinned_prefixes(writer: &mut Writer<'_>, pins: &[Pinned]) {
    let mut messages = Vec::new();
    for (id, meta, config) in writer.model.image_configs() {
        let same = pins.iter().find(|pin| config.prefixes.contains(&pin.source));
        let Some(pin) = same.filter(|_| config.rewrite.is_some() && !is_own(writer.rules.config, meta, config)) else {
            continue;
        };
        messages.push((
            id,
            format!(
                "{meta} rewrites `{}` too, and it is undefined which of two ImageConfigs with the same prefix wins: remove it, or write `digests: Keep`",
                pin.source
            ),
        ));
    }
    for (id, message) in messages {
        writer.add_finding(Severity::Error, rule::PACKAGE_DIGEST, message, Some(id));
    }
}

/// Packages of the input whose reference continues after the prefix of a pin, such as `v1.2` and
/// `v1.2.1`. The pin was made by this run, or by an earlier run and still exists.
fn references_longer_than_pins(writer: &Writer<'_>, pins: &[Pinned], listed: &BTreeSet<&str>) -> Vec<Pinned> {
    let others = writer.model.image_configs().filter(|(_, _, config)| config.rewrite.is_some());
    let prefixes = others.flat_map(|(_, _, config)| config.prefixes.iter().map(String::as_str));
    let prefixes: Vec<&str> = prefixes.chain(pins.iter().map(|pin| pin.source.as_str())).collect();
    let is_pinned = |source: &str| pins.iter().any(|pin| pin.source == source);
    let continues = |source: &str| {
        let name = ImageRef::split(source).name;
        prefixes
            .iter()
            .any(|prefix| prefix.len() > name.len() && source.starts_with(prefix) && source.len() > prefix.len())
    };
    let sources = listed.iter().copied().filter(|source| !is_pinned(source) && continues(source));
    sources.map(|source| Pinned { source: source.to_owned(), to: target(writer, source), is_longer: true }).collect()
}

/// Warns about the effect of a pin on packages that are added later.
fn warn_of_later_packages(writer: &mut Writer<'_>, pins: &[Pinned]) {
    if pins.is_empty() {
        return;
    }
    let list: Vec<&str> = pins.iter().map(|pin| pin.source.as_str()).collect();
    let message = format!(
        "Crossplane compares prefixes: a later package whose reference continues a pinned one (`:v1.2.10` after `:v1.2.1`) gets an \
         invalid reference. Run hostnet again with that package in the input. Pinned: {}",
        list.join(", ")
    );
    writer.add_finding(Severity::Warning, rule::PACKAGE_DIGEST, message, None);
}
