//! Style ImageConfig: writes an ImageConfig for each rule. Only packages without registry are edited.

use super::chart_packages;
use super::core;
use super::core_packages;
use super::crossplane::{qualified, unqualified_unchanged_reason};
use super::own_image_configs::pin_name;
use super::writer::Writer;
use crate::api::MirrorRule;
use crate::crossplane::new_object;
use crate::model::facts::ImageConfig;
use crate::model::text::short_hash;
use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Content, Edit};
use crate::rule::{self, Rule, Severity};
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

/// Writes the ImageConfigs, and adds the registry to packages that these would not match.
pub(super) fn write(writer: &mut Writer<'_>) {
    add_default_registry(writer);
    let of_core = || {
        core_packages::packages(writer.model, writer.facts, Some(writer.rules)).first().map(|package| package.object)
    };
    let anchor = writer.packages.first().copied().or_else(of_core);
    let Some(anchor) = anchor else { return };
    not_selected(writer);
    let mirror = &writer.rules.config.mirror;
    let mut secrets: Vec<&str> = Vec::new();
    for rule in &mirror.spec.rules {
        let name = format!("{}-{}", mirror.metadata.name, short_hash(&rule.from));
        if !rule.is_credentials_alone() {
            write_image_config(
                writer,
                anchor,
                &name,
                &format!("{}/", rule.from),
                &ImageConfigContent::Rewrite(format!("{}/", rule.to)),
            );
        }
        if let Some(secret) = &mirror.spec.pull_secret
            && !secrets.contains(&rule.to.as_str())
        {
            secrets.push(&rule.to);
            let name = format!("{}-auth-{}", mirror.metadata.name, short_hash(&rule.to));
            write_image_config(
                writer,
                anchor,
                &name,
                &format!("{}/", rule.to),
                &ImageConfigContent::PullSecret(secret.clone()),
            );
        }
    }
    for pin in writer.pins.clone() {
        let name = pin_name(&mirror.metadata.name, &pin.source);
        let content = if pin.is_longer { ImageConfigContent::Longer(pin.to) } else { ImageConfigContent::Pin(pin.to) };
        write_image_config(writer, anchor, &name, &pin.source, &content);
    }
}

/// The content of an ImageConfig that this config generates.
enum ImageConfigContent {
    Rewrite(String),
    Pin(String),
    Longer(String),
    PullSecret(String),
}

impl ImageConfigContent {
    /// Field of the ImageConfig and its value.
    fn value(&self) -> (&'static str, Value) {
        match self {
            Self::Rewrite(prefix) | Self::Pin(prefix) | Self::Longer(prefix) => {
                ("rewriteImage", Value::map([("prefix", prefix.as_str().into())]))
            }
            Self::PullSecret(name) => {
                let reference = Value::map([("pullSecretRef", Value::map([("name", name.as_str().into())]))]);
                ("registry", Value::map([("authentication", reference)]))
            }
        }
    }

    /// Rule id for messages.
    fn rule(&self) -> Rule {
        if matches!(self, Self::Pin(_) | Self::Longer(_)) { rule::PACKAGE_DIGEST } else { rule::PACKAGE_SOURCE }
    }

    /// The path of the field, its new value, and its value in an existing ImageConfig.
    fn field<'c>(&self, config: &'c ImageConfig) -> (Path, &str, Option<&'c str>) {
        match self {
            Self::Rewrite(prefix) | Self::Pin(prefix) | Self::Longer(prefix) => {
                (Path::dotted("spec.rewriteImage.prefix"), prefix, config.rewrite.as_deref())
            }
            Self::PullSecret(name) => {
                (Path::dotted("spec.registry.authentication.pullSecretRef.name"), name, config.pull_secret.as_deref())
            }
        }
    }
}

/// Writes a generated `ImageConfig`: sets its field in an existing object, or adds an object after `anchor`.
fn write_image_config(
    writer: &mut Writer<'_>,
    anchor: ObjectId,
    name: &str,
    prefix: &str,
    generated: &ImageConfigContent,
) {
    let existing = writer.model.image_configs().find(|(_, meta, _)| meta.name == name);
    if let Some((id, meta, config)) = existing {
        let (path, new, old) = generated.field(config);
        match old {
            Some(old) if config.prefixes == [prefix] => {
                if old != new {
                    writer.set(id, path, (old, new.to_owned()), generated.rule());
                }
            }
            _ => {
                let message = format!(
                    "{meta} has the name of the ImageConfig for `{prefix}`, and another purpose: rename it, or give this config another \
                     `metadata.name`"
                );
                writer.add_finding(Severity::Error, rule::PACKAGE_SOURCE, message, Some(id));
            }
        }
        return;
    }
    if let ImageConfigContent::PullSecret(secret) = generated
        && find_or_report_pull_secret(writer, prefix, secret)
    {
        return;
    }
    let Some(near) = writer.meta(anchor).cloned() else { return };
    // The core is namespaced; ImageConfigs are cluster-scoped.
    let near = Meta { namespace: near.namespace.filter(|_| writer.packages.contains(&anchor)), ..near };
    let matches = Value::map([("type", "Prefix".into()), ("prefix", prefix.into())]);
    let spec = Value::map([("matchImages", Value::Seq(vec![matches])), generated.value()]);
    let meta = new_object::meta("ImageConfig", name, &near);
    let content = Content::New(meta.with_spec(spec));
    let message: String = match generated {
        ImageConfigContent::Rewrite(to) => {
            format!("ImageConfig {name} is new: Crossplane pulls packages below {prefix} from {to}")
        }
        ImageConfigContent::Pin(to) => format!("ImageConfig {name} is new: Crossplane pulls {prefix} as {to}"),
        ImageConfigContent::Longer(to) => {
            format!(
                "ImageConfig {name} is new: Crossplane pulls {prefix} as {to}, and not by the digest of the shorter tag that is pinned"
            )
        }
        ImageConfigContent::PullSecret(secret) => {
            format!("ImageConfig {name} is new: Crossplane pulls from {prefix} with the credentials of Secret {secret}")
        }
    };
    let object = writer.model.objects().len() + writer.plan.new.len();
    writer.plan.new.push(meta);
    let change = Change::AddDocument { after: anchor, content };
    writer.plan.edits.push(Edit {
        object,
        path: Path::root(),
        change,
        rule: generated.rule(),
        message: message.into(),
    });
}

/// True if an ImageConfig of the input already names a pull secret for the prefix; reports a different secret as an
/// error.
fn find_or_report_pull_secret(writer: &mut Writer<'_>, prefix: &str, secret: &str) -> bool {
    let mut others =
        writer.model.image_configs().filter(|(_, _, config)| config.prefixes.iter().any(|known| known == prefix));
    let found = others.find_map(|(id, meta, config)| Some((id, meta.to_string(), config.pull_secret.clone()?)));
    let Some((id, label, other)) = found else { return false };
    if other != secret {
        let message = format!(
            "{label} names Secret {other} for `{prefix}`, and the config names {secret}: it is undefined which of two ImageConfigs with the same prefix \
             wins. Leave out one of them"
        );
        writer.add_finding(Severity::Error, rule::PACKAGE_SOURCE, message, Some(id));
    }
    true
}

/// Adds the default registry to package names without registry, because a prefix matches the text.
fn add_default_registry(writer: &mut Writer<'_>) {
    for id in writer.packages.clone() {
        let Some(package) = writer.facts.packages.get(&id) else { continue };
        let source = package.source.as_str();
        if !ImageRef::split(source).is_unqualified() {
            continue;
        }
        if let Some(reason) = unqualified_unchanged_reason(source, writer.unqualified) {
            let message = format!("{} is not changed: {reason}", writer.display_name(id));
            writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, Some(id));
        }
        let whole = qualified(source, writer.unqualified);
        if whole == source || writer.rules.of_package(ImageRef::split(&whole).name).is_none() {
            continue;
        }
        if let Some(pulled) = writer.routes.rewritten(source).filter(|_| writer.routes.as_written(&whole) == source) {
            let message = format!(
                "{}: `{source}` stays without registry: an ImageConfig of the input rewrites it to {pulled}, and would not match {whole}",
                writer.display_name(id)
            );
            writer.add_finding(Severity::Info, rule::PACKAGE_REGISTRY, message, Some(id));
            continue;
        }
        writer.set(id, Path::dotted("spec.package"), (source, whole), rule::PACKAGE_REGISTRY);
    }
    chart_packages::report_chart_packages(writer, |writer, whole| {
        let is_matched = writer.rules.of_package(ImageRef::split(whole).name).is_some();
        is_matched.then(|| writer.routes.as_written(whole))
    });
    for installed in core::installed(writer.model) {
        let new = installed.renamed(|source| {
            let whole = qualified(source, writer.unqualified);
            let is_matched = writer.rules.of_package(ImageRef::split(&whole).name).is_some();
            if is_matched { writer.routes.as_written(&whole) } else { source.to_owned() }
        });
        if let Some(new) = new {
            writer.set(installed.object, installed.path.clone(), (&installed.word, new), rule::PACKAGE_REGISTRY);
        }
    }
}

/// Warns about excluded packages: an ImageConfig matches prefixes, so it applies to them too.
fn not_selected(writer: &mut Writer<'_>) {
    let left: Vec<(ObjectId, &MirrorRule)> = writer
        .facts
        .packages
        .iter()
        .filter_map(|(id, package)| {
            let rule = writer.rules.of_package(ImageRef::split(&package.source).name)?;
            writer.packages.binary_search(id).is_err().then_some((*id, rule))
        })
        .collect();
    for (id, rule) in left {
        let message = format!(
            "{} is excluded by the config, but still comes from the mirror: an ImageConfig applies to every package below {}/. Narrow \
             that `from`, or use style Rewrite",
            writer.display_name(id),
            rule.from
        );
        writer.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(id));
    }
}
