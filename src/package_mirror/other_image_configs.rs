//! ImageConfigs of the input: those that rewrite the same images, and those that match none any more once images are rewritten.

use super::crossplane::Style;
use super::image_configs::{pin_name, short_hash};
use super::writer::Writer;
use crate::api::{MirrorConfig, MirrorRule};
use crate::image::ImageRef;
use crate::model::facts::ImageConfig;
use crate::model::{Meta, ObjectId};
use crate::rule::{self, Severity};

/// ImageConfigs of the input that rewrite the same images, or that stop matching once these are rewritten.
///
/// Crossplane looks for the pull secret, the verification and the runtime of an image by its rewritten name.
/// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/resolver/reconciler.go`; crossplane-runtime@v2.3.3
/// `pkg/xpkg/client.go`, `Get`.
pub(super) fn check(writer: &mut Writer<'_>) {
    let all = writer.rules.config.mirror.spec.rules.iter();
    let rules: Vec<&MirrorRule> = all.filter(|rule| !rule.is_credentials_alone()).collect();
    let model = writer.model;
    for (id, meta, config) in model.image_configs() {
        if is_own(writer.rules.config, meta, config) {
            stale(writer, id, meta, config);
            continue;
        }
        if config.rewrite.is_some() && writer.style == Style::ImageConfig {
            rewrites_too(writer, id, meta, config, &rules);
        }
        let missing = missing(writer, config, &rules);
        let Some(first) = missing.first() else { continue };
        let list = missing.join(", ");
        let (severity, what) = match (config.verifies, config.runtime_config.is_some(), config.pull_secret.is_some()) {
            (true, ..) => (Severity::Error, "verifies signatures"),
            (_, true, _) => (Severity::Error, "chooses a runtime config"),
            (.., true) => (Severity::Warning, "names a pull secret"),
            _ => continue,
        };
        let message = format!(
            "{meta} {what} of images by their old names, and Crossplane looks for that by the names in the mirror: it matches none of them any \
             more. Add to its `matchImages`: {{type: Prefix, prefix: {first}}}{}",
            if missing.len() > 1 { format!(", and the like for {list}") } else { String::new() }
        );
        writer.say(severity, rule::PACKAGE_SOURCE, message, Some(id));
    }
}

/// Whether an ImageConfig is one that this config makes, or made.
pub(super) fn is_own(config: &MirrorConfig, meta: &Meta, own: &ImageConfig) -> bool {
    let name = &config.mirror.metadata.name;
    let is_rule = |rule: &MirrorRule| meta.name == format!("{name}-{}", short_hash(&rule.from));
    config.mirror.spec.rules.iter().any(is_rule) || made_for(name, meta, own).is_some()
}

/// What one of our ImageConfigs was made for, as its name says.
enum MadeFor<'c> {
    /// A rule with this `from`.
    Rule(&'c str),
    /// The pull secret of a rule with this `to`.
    PullSecret(&'c str),
    /// The pin of this reference.
    Pin(&'c str),
}

/// What a config of this name made an ImageConfig for; none where another one made it. Its name ends in a hash of what it is about.
fn made_for<'c>(name: &str, meta: &Meta, own: &'c ImageConfig) -> Option<MadeFor<'c>> {
    own.prefixes.iter().find_map(|prefix| {
        if meta.name == pin_name(name, prefix) {
            return Some(MadeFor::Pin(prefix));
        }
        let folder = prefix.strip_suffix('/')?;
        if meta.name == format!("{name}-{}", short_hash(folder)) {
            return Some(MadeFor::Rule(folder));
        }
        (meta.name == format!("{name}-auth-{}", short_hash(folder))).then_some(MadeFor::PullSecret(folder))
    })
}

/// One that was made for a rule, for a pull secret or for a pin that is not there any more.
fn stale(writer: &mut Writer<'_>, id: ObjectId, meta: &Meta, config: &ImageConfig) {
    let mirror = &writer.rules.config.mirror;
    if config.prefixes.len() != 1 || writer.style != Style::ImageConfig {
        return;
    }
    let (rule, message) = match made_for(&mirror.metadata.name, meta, config) {
        Some(MadeFor::Pin(prefix)) if writer.pins.iter().all(|own| own.source != prefix) => (
            rule::PACKAGE_DIGEST,
            format!("{meta} pins `{prefix}`, which nothing here asks for or the config does not pin: remove it"),
        ),
        Some(MadeFor::Rule(from))
            if mirror.spec.rules.iter().all(|own| own.from != from || own.is_credentials_alone()) =>
        {
            (
                rule::PACKAGE_SOURCE,
                format!("{meta} leads `{from}/` to a mirror, and no rule of the config has that `from`: remove it"),
            )
        }
        Some(MadeFor::PullSecret(to))
            if mirror.spec.pull_secret.is_none() || mirror.spec.rules.iter().all(|own| own.to != to) =>
        {
            (
                rule::PACKAGE_SOURCE,
                format!(
                    "{meta} names a pull secret for `{to}/`, which no rule of the config leads to with one: remove it"
                ),
            )
        }
        _ => return,
    };
    writer.say(Severity::Info, rule, message, Some(id));
}

/// The prefixes in the mirror that an ImageConfig lacks: of rules, and of pinned packages that these would not match.
fn missing(writer: &Writer<'_>, config: &ImageConfig, rules: &[&MirrorRule]) -> Vec<String> {
    let pairs = rules.iter().map(|own| (format!("{}/", own.from), format!("{}/", own.to)));
    let pinned = |prefix: &str| {
        writer
            .pins
            .iter()
            .any(|own| own.source.starts_with(prefix) && prefix.len() > ImageRef::of(&own.source).name.len())
    };
    // What ends in a tag matches none of those that are pulled by digest.
    let of_rules = pairs.filter_map(|(from, to)| stops_matching(config, &from, &to));
    let mut missing: Vec<String> = of_rules.filter(|(old, _)| !pinned(old)).map(|(_, new)| new).collect();
    for own in &writer.pins {
        let moved = writer.rules.moved_package(&own.source);
        let matched = [Some(own.source.as_str()), moved.as_deref()].into_iter().flatten();
        let matched = matched.filter_map(|reference| config.matches(reference)).max();
        let is_matched =
            config.matches(&own.to).is_some() || missing.iter().any(|prefix| own.to.starts_with(prefix.as_str()));
        if matched.is_some() && !is_matched {
            let end = own.to.split_once('@').map_or(own.to.len(), |(name, _)| name.len() + 1);
            missing.push(own.to.get(..end).unwrap_or_default().to_owned());
        }
    }
    missing
}

fn rewrites_too(writer: &mut Writer<'_>, id: ObjectId, meta: &Meta, config: &ImageConfig, rules: &[&MirrorRule]) {
    for own in rules {
        let from = format!("{}/", own.from);
        // What is said of a pinned package's own prefix is said elsewhere.
        let is_pinned = |prefix: &str| writer.pins.iter().any(|own| own.source == prefix);
        let prefixes: Vec<&String> =
            config.prefixes.iter().filter(|prefix| prefix.starts_with(&from) && !is_pinned(prefix)).collect();
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
            writer.say(severity, rule::PACKAGE_SOURCE, message, Some(id));
        }
    }
}

/// A prefix of an ImageConfig that matches nothing any more, once images below `from` are those below `to`, and what it would have to be.
fn stops_matching(config: &ImageConfig, from: &str, to: &str) -> Option<(String, String)> {
    config.prefixes.iter().find_map(|prefix| {
        let new = match prefix.strip_prefix(from) {
            Some(rest) => format!("{to}{rest}"),
            None if from.starts_with(prefix.as_str()) => to.to_owned(),
            None => return None,
        };
        let is_there = config.prefixes.iter().any(|other| new.starts_with(other.as_str()));
        (!is_there).then(|| (prefix.clone(), new))
    })
}
