//! Conflicts with ImageConfigs of the input.

use std::collections::BTreeSet;

use super::crossplane::Style;
use super::equal_prefixes;
use super::invalid_image_configs;
use super::lock::Lock;
use super::own_image_configs::{ImageConfigOrigin, image_config_origin, is_own};
use super::prefixes;
use super::rewritten;
use super::writer::Writer;
use crate::api::MirrorRule;
use crate::model::facts::ImageConfig;
use crate::model::{Meta, ObjectId};
use crate::rule::{self, Severity};
use oci::name::ImageRef;

/// Reports ImageConfigs of the input that rewrite the same images, or that stop matching after the rewrite.
///
/// Crossplane looks for the pull secret, the verification and the runtime of an image by its rewritten name.
/// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/resolver/reconciler.go`; crossplane-runtime@v2.3.3
/// `pkg/xpkg/client.go`, `Get`.
pub(super) fn check(writer: &mut Writer<'_>) {
    let all = writer.rules.config.mirror.spec.rules.iter();
    let rules: Vec<&MirrorRule> = all.filter(|rule| !rule.is_credentials_alone()).collect();
    let model = writer.model;
    let equal = equal_prefixes::conflicts(model, writer.rules, writer.core.version(), writer.style);
    let unreadable = rewritten::conflicts(&Lock::new(writer.reading));
    let invalid = invalid_image_configs::conflicts(model, writer.facts, writer.core.version());
    let later = prefixes::packages_with_unknown_mirror_names(model, &Lock::new(writer.reading), writer.core.version());
    let never = prefixes::patterns(model);
    for conflict in equal.into_iter().chain(unreadable).chain(invalid).chain(later).chain(never) {
        writer.add_finding(conflict.severity, rule::PACKAGE_SOURCE, conflict.message, conflict.object);
    }
    let packages = Lock::new(writer.reading).packages;
    let sources: Vec<String> = packages.iter().map(|package| package.source.clone()).collect();
    let qualified: Vec<(&str, &str)> = packages
        .iter()
        .filter(|package| package.written != package.given)
        .filter_map(|package| Some((package.given.as_str(), package.source.strip_suffix(&package.given)?)))
        .collect();
    for (id, meta, config) in model.image_configs() {
        if is_own(writer.rules.config, meta, config) {
            report_stale_image_config(writer, id, meta, config);
            continue;
        }
        if config.rewrite.is_some() && writer.style == Style::ImageConfig {
            report_other_rewrites(writer, id, meta, config, &rules);
        }
        let missing = missing(writer, config, &sources, &qualified);
        let Some(first) = missing.first() else { continue };
        let others = missing.iter().skip(1).cloned().collect::<Vec<_>>().join(", ");
        // Rewrites by other ImageConfigs of the input existed before the run.
        let is_ours = rules.iter().any(|rule| missing.iter().any(|new| new.starts_with(&format!("{}/", rule.to))));
        let worst = if is_ours { Severity::Error } else { Severity::Warning };
        let (severity, action) = match (config.verifies, config.runtime_config.is_some(), config.pull_secret.is_some())
        {
            (true, ..) => (worst, "verifies signatures"),
            (_, true, _) => (worst, "chooses a runtime config"),
            (.., true) => (Severity::Warning, "names a pull secret"),
            _ => continue,
        };
        let message = format!(
            "{meta} {action} of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer \
             matches any. Add to its `matchImages`: {{type: Prefix, prefix: {first}}}{}",
            if missing.len() > 1 { format!(", and such an entry for {others}") } else { String::new() }
        );
        writer.add_finding(severity, rule::PACKAGE_SOURCE, message, Some(id));
    }
}

/// Reports a generated ImageConfig whose rule, pull secret or pin no longer exists.
fn report_stale_image_config(writer: &mut Writer<'_>, id: ObjectId, meta: &Meta, config: &ImageConfig) {
    let mirror = &writer.rules.config.mirror;
    if config.prefixes.len() != 1 || writer.style != Style::ImageConfig {
        return;
    }
    let (rule, message) = match image_config_origin(&mirror.metadata.name, meta, config) {
        Some(ImageConfigOrigin::Pin(prefix)) if writer.pins.iter().all(|pin| pin.source != prefix) => (
            rule::PACKAGE_DIGEST,
            format!("{meta} pins `{prefix}`, which no package here uses or the config does not pin: remove it"),
        ),
        Some(ImageConfigOrigin::Rule(from))
            if mirror.spec.rules.iter().all(|rule| rule.from != from || rule.is_credentials_alone()) =>
        {
            (
                rule::PACKAGE_SOURCE,
                format!("{meta} rewrites `{from}/` to a mirror, and no rule of the config has that `from`: remove it"),
            )
        }
        Some(ImageConfigOrigin::PullSecret(to))
            if mirror.spec.pull_secret.is_none() || mirror.spec.rules.iter().all(|rule| rule.to != to) =>
        {
            (
                rule::PACKAGE_SOURCE,
                format!(
                    "{meta} sets a pull secret for `{to}/`, but the config has no `pullSecret` or no rule with this `to`: remove it"
                ),
            )
        }
        _ => return,
    };
    writer.add_finding(Severity::Info, rule, message, Some(id));
}

/// The prefixes of rewritten images and pinned packages in the mirror that an ImageConfig lacks. `qualified` are
/// references without registry that change, each with the registry that it means and a slash.
fn missing(writer: &Writer<'_>, config: &ImageConfig, sources: &[String], qualified: &[(&str, &str)]) -> Vec<String> {
    let pinned = |prefix: &str| {
        writer
            .pins
            .iter()
            .any(|pin| pin.source.starts_with(prefix) && prefix.len() > ImageRef::split(&pin.source).name.len())
    };
    // A prefix that ends in a tag matches no reference by digest.
    let old = config.prefixes.iter().filter(|prefix| !pinned(prefix));
    let new = old.flat_map(|prefix| {
        let matched = qualified.iter().filter(|(given, _)| !prefix.is_empty() && given.starts_with(prefix.as_str()));
        let whole: BTreeSet<String> = matched.map(|(_, registry)| format!("{registry}{prefix}")).collect();
        let all = std::iter::once(prefix.clone()).chain(whole);
        all.flat_map(|prefix| writer.routes.new_prefixes(&prefix, sources)).collect::<Vec<_>>()
    });
    let mut missing: Vec<String> = Vec::new();
    for new in new {
        let is_there = config.prefixes.iter().chain(&missing).any(|other| new.starts_with(other.as_str()));
        if !is_there {
            missing.push(new);
        }
    }
    for pin in &writer.pins {
        let moved = writer.routes.pulled(&pin.source);
        let matched = [Some(pin.source.as_str()), moved.as_deref()].into_iter().flatten();
        let matched = matched.filter_map(|reference| config.matches(reference)).max();
        let is_matched =
            config.matches(&pin.to).is_some() || missing.iter().any(|prefix| pin.to.starts_with(prefix.as_str()));
        if matched.is_some() && !is_matched {
            let end = pin.to.split_once('@').map_or(pin.to.len(), |(name, _)| name.len() + 1);
            missing.push(pin.to.get(..end).unwrap_or_default().to_owned());
        }
    }
    missing
}

fn report_other_rewrites(
    writer: &mut Writer<'_>,
    id: ObjectId,
    meta: &Meta,
    config: &ImageConfig,
    rules: &[&MirrorRule],
) {
    for rule in rules {
        let from = format!("{}/", rule.from);
        // `digests` reports the prefix of a pinned package.
        let is_pinned = |prefix: &str| writer.pins.iter().any(|pin| pin.source == prefix);
        // `equal_prefixes` reports a prefix that another ImageConfig of the input rewrites to another target.
        let has_two_targets = |prefix: &str| {
            let mut others = writer.model.image_configs().filter(|(_, other, _)| other.to_string() != meta.to_string());
            others.any(|(_, _, other)| {
                other.rewrite.is_some()
                    && other.rewrite != config.rewrite
                    && other.prefixes.iter().any(|known| known == prefix)
            })
        };
        let counts = |prefix: &str| {
            let is_reported = is_pinned(prefix) || ImageConfig::is_pattern(prefix);
            !is_reported && (prefix == from || !has_two_targets(prefix))
        };
        let prefixes: Vec<&String> =
            config.prefixes.iter().filter(|prefix| prefix.starts_with(&from) && counts(prefix)).collect();
        for prefix in prefixes {
            let (severity, message) = if *prefix == from {
                let message = format!(
                    "{meta} rewrites `{from}` too, and it is undefined which of two ImageConfigs with the same prefix wins: remove it, or the rule"
                );
                (Severity::Error, message)
            } else {
                let message = format!("{meta} rewrites `{prefix}` and wins there: its prefix is longer than `{from}`");
                (Severity::Info, message)
            };
            writer.add_finding(severity, rule::PACKAGE_SOURCE, message, Some(id));
        }
    }
}
