//! Pull policies of packages, and the files of Crossplane's package cache.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane::{Style, qualified};
use super::writer::Writer;
use crate::api::MirrorPullPolicy;
use crate::catalog::{CACHE_BY_DIGEST_SINCE, CACHE_FOLDER_SINCE};
use crate::model::ObjectId;
use crate::rule::{self, Severity};
use crate::xpkg::{cache_file, pre_cached_file};
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

/// Writes pull policies, and reports their effect on the cache.
pub(super) fn write(writer: &mut Writer<'_>) {
    let wanted = match writer.rules.config.mirror.spec.pull_policy {
        MirrorPullPolicy::Keep => None,
        MirrorPullPolicy::IfNotPresent => Some("IfNotPresent"),
        MirrorPullPolicy::Always => Some("Always"),
        MirrorPullPolicy::Never => Some("Never"),
    };
    let is_old = writer.core.version().has(CACHE_BY_DIGEST_SINCE) == Some(false);
    let mut files: BTreeMap<String, Vec<(ObjectId, String)>> = BTreeMap::new();
    for id in writer.packages.clone() {
        let Some(package) = writer.facts.packages.get(&id) else { continue };
        let own = match &package.pull_policy {
            Some(Value::Str(own)) => Some(own.as_str()),
            _ => None,
        };
        if let Some(wanted) = wanted.filter(|wanted| own != Some(wanted)) {
            let path = Path::dotted("spec.packagePullPolicy");
            writer.put(id, path, package.pull_policy.clone(), wanted.into(), rule::PACKAGE_POLICY);
        }
        let source = writer.planned_text(id, &Path::dotted("spec.package")).unwrap_or(&package.source).to_owned();
        if ImageRef::read(&source).is_err() {
            continue;
        }
        let policy = wanted.or(own).unwrap_or("IfNotPresent");
        let file = if is_old {
            pull_policy_effects_before_v2_2(writer, id, &source, policy)
        } else {
            new(writer, id, &source, policy)
        };
        if let Some(file) = file {
            files.entry(file).or_default().push((id, source));
        }
    }
    report_shared_cache_files(writer, &files, is_old);
    report_digest_resolution(writer, wanted);
}

/// Effects since v2.2: every reconcile requests the digest of a tag from the registry, and the package is unhealthy
/// without an answer.
/// Source: crossplane-runtime@v2.3.3 `pkg/xpkg/client.go`, `CachedClient.Get`.
fn report_digest_resolution(writer: &mut Writer<'_>, wanted: Option<&str>) {
    if writer.core.version().has(CACHE_BY_DIGEST_SINCE) != Some(true) {
        return;
    }
    let pins = writer.style == Style::ImageConfig && writer.rules.config.mirror.spec.digests.are_written();
    let mut count = 0;
    let mut hosts: BTreeSet<String> = BTreeSet::new();
    for package in writer.packages.iter().filter_map(|id| writer.facts.packages.get(id)) {
        let source = qualified(&package.source, writer.unqualified);
        let is_never = wanted.map_or(package.pull_policy == Some("Never".into()), |wanted| wanted == "Never");
        let is_named =
            ImageRef::split(&source).digest.is_some() || pins && writer.rules.digest_of_package(&source).is_some();
        let Some(target) = writer.routes.pulled(&source).filter(|_| !is_never && !is_named) else { continue };
        count += 1;
        hosts.extend(ImageRef::split(&target).registry.map(str::to_owned));
    }
    if count > 0 {
        let message = format!(
            "Crossplane from {CACHE_BY_DIGEST_SINCE} on asks the registry for the digest of a tag at every reconciliation of a package, whatever its pull \
             policy: while {} is down, {} unhealthy. `digests: Pin` avoids that for packages in its cache",
            hosts.into_iter().collect::<Vec<_>>().join(" or "),
            if count == 1 { "one package is".to_owned() } else { format!("{count} packages are") }
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_POLICY, message, None);
    }
}

/// Effects up to v2.1, and the cache file that is read without a request.
fn pull_policy_effects_before_v2_2(
    writer: &mut Writer<'_>,
    id: ObjectId,
    source: &str,
    policy: &str,
) -> Option<String> {
    let label = writer.display_name(id);
    let image = ImageRef::split(source);
    if policy == "Never" {
        let folder = match writer.core.version().has(CACHE_FOLDER_SINCE) {
            Some(false) => "/cache",
            _ => "/cache/xpkg",
        };
        let file = pre_cached_file(source);
        let message = format!(
            "{label} is never pulled: its package.yaml, packed with gzip, has to be {folder}/{file} in the core's container, and its \
             image on every node. Other versions that differ only after the last dot read the same file. From {CACHE_FOLDER_SINCE} on the folder is \
             /cache/xpkg, and from {CACHE_BY_DIGEST_SINCE} on the file has another name, made of the digest"
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_POLICY, message, Some(id));
        return Some(file);
    }
    if policy == "IfNotPresent" && image.digest.is_none() && matches!(image.tag, None | Some("latest")) {
        let message = format!(
            "{label} has the tag `latest` and pull policy IfNotPresent, so a newer package is never pulled. Name a version, or \
             write `pullPolicy: Always`"
        );
        writer.add_finding(Severity::Warning, rule::PACKAGE_POLICY, message, Some(id));
    }
    report_pointless_always_pull(writer, id, source, policy);
    None
}

/// Effects since v2.2, and for an unknown version; returns the cache file.
fn new(writer: &mut Writer<'_>, id: ObjectId, source: &str, policy: &str) -> Option<String> {
    let label = writer.display_name(id);
    let known = writer.rules.digest_of_package(source);
    let is_pinned = writer.style == Style::ImageConfig && writer.rules.config.mirror.spec.digests.are_written();
    let is_named = ImageRef::split(source).digest.is_some() || is_pinned && known.is_some();
    if policy == "Never" && !is_named {
        let message = format!(
            "{label} is never pulled, and is named by a tag: Crossplane from {CACHE_BY_DIGEST_SINCE} on asks the registry for its digest each time, whatever \
             the policy, and reports `package not in cache and pull policy is Never`. Pin it (`digests: Pin`), or write `pullPolicy: \
             IfNotPresent` and have a registry that the core and the nodes reach"
        );
        writer.add_finding(Severity::Error, rule::PACKAGE_POLICY, message, Some(id));
        return None;
    }
    report_pointless_always_pull(writer, id, source, policy);
    let file = cache_file(source, &known?);
    if policy == "Never" {
        let message = format!(
            "{label} is never pulled: its package.yaml, packed with gzip, has to be /cache/xpkg/{file} in the core's container, and its image on \
             every node, by its digest"
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_POLICY, message, Some(id));
    }
    (policy != "Always").then_some(file)
}

fn report_pointless_always_pull(writer: &mut Writer<'_>, id: ObjectId, source: &str, policy: &str) {
    if policy == "Always" && ImageRef::split(source).digest.is_some() {
        let message = format!(
            "{} is named by its digest, so its content never changes: `packagePullPolicy: Always` has no use",
            writer.display_name(id)
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_POLICY, message, Some(id));
    }
}

/// Reports different packages with the same cache file, where Crossplane could install one package instead of the
/// other.
fn report_shared_cache_files(writer: &mut Writer<'_>, files: &BTreeMap<String, Vec<(ObjectId, String)>>, is_old: bool) {
    for (file, users) in files {
        let Some(((first, source), rest)) = users.split_first() else { continue };
        let digest = |source: &str| writer.rules.digest_of_package(source);
        let own = digest(source);
        let differs = |other: &str| if is_old { other != source } else { digest(other) != own };
        let Some((id, other)) = rest.iter().find(|(_, other)| differs(other)) else { continue };
        let (id, first) = (*id, writer.display_name(*first));
        let advice = if is_old {
            "Give their versions different numbers before the last dot, or another policy"
        } else {
            "Write `packagePullPolicy: Always` for one of them: it then reads no file"
        };
        let message = format!(
            "{} ({other}) and {first} ({source}) are one file of Crossplane's cache, {file}: the second package is \
             installed with the content of the first. {advice}",
            writer.display_name(id)
        );
        writer.add_finding(Severity::Error, rule::PACKAGE_POLICY, message, Some(id));
    }
}
