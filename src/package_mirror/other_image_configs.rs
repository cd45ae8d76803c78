//! ImageConfigs of the input: those that rewrite the same images, and those that match none any more once images are rewritten.

use super::crossplane::Style;
use super::image_configs::short_hash;
use super::writer::Writer;
use crate::api::MirrorRule;
use crate::model::facts::ImageConfig;
use crate::model::{Meta, ObjectId};
use crate::rule::{self, Severity};

/// ImageConfigs of the input that rewrite the same images, or that stop matching once these are rewritten.
///
/// Crossplane looks for the pull secret, the verification and the runtime of an image by its rewritten name.
/// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/resolver/reconciler.go`; crossplane-runtime@v2.3.3
/// `pkg/xpkg/client.go`, `Get`.
pub(super) fn check(writer: &mut Writer<'_>) {
    let own_prefix = format!("{}-", writer.rules.config.mirror.metadata.name);
    let rules: Vec<&MirrorRule> = writer.rules.config.mirror.spec.rules.iter().collect();
    let model = writer.model;
    for (id, meta, config) in model.image_configs() {
        let is_own = |own: &&MirrorRule| meta.name == format!("{own_prefix}{}", short_hash(&own.from));
        if rules.iter().any(is_own) {
            continue;
        }
        if config.rewrite.is_some() && writer.style == Style::ImageConfig {
            rewrites_too(writer, id, meta, config, &rules);
        }
        let stops = rules.iter().filter_map(|own| stops_matching(config, own));
        let missing: Vec<String> = stops.collect();
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

fn rewrites_too(writer: &mut Writer<'_>, id: ObjectId, meta: &Meta, config: &ImageConfig, rules: &[&MirrorRule]) {
    for own in rules {
        let from = format!("{}/", own.from);
        for prefix in config.prefixes.iter().filter(|prefix| prefix.starts_with(&from)) {
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

/// The prefix in the mirror that an ImageConfig lacks for images of a rule.
fn stops_matching(config: &ImageConfig, own: &MirrorRule) -> Option<String> {
    let (from, to) = (format!("{}/", own.from), format!("{}/", own.to));
    config.prefixes.iter().find_map(|prefix| {
        let new = match prefix.strip_prefix(&from) {
            Some(rest) => format!("{to}{rest}"),
            None if from.starts_with(prefix.as_str()) => to.clone(),
            None => return None,
        };
        (!config.prefixes.iter().any(|other| new.starts_with(other.as_str()))).then_some(new)
    })
}
