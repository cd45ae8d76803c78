//! The registries from which Crossplane pulls packages after the config is applied, by rules and by ImageConfigs of the
//! input.

use std::collections::BTreeMap;

use super::core_packages;
use super::crossplane::{Style, Unqualified, qualified};
use super::facts::MirrorFacts;
use super::own_image_configs::{ImageConfigOrigin, image_config_origin};
use super::rules::MirrorRules;
use crate::catalog::IMAGE_REWRITES_SINCE;
use crate::dependency::needed_package;
use crate::model::facts::ImageConfig;
use crate::model::{Meta, Model, ObjectId};
use crate::version::ProgramVersion;
use oci::name::{DOCKER_HUB, ImageRef};

/// The rewrites of a package's reference before Crossplane pulls it. Pins are left out: they keep the same
/// repository. A prefix matches the reference as `spec.package` or a dependency writes it, also without registry.
///
/// Source: `RewritePath` in crossplane/crossplane@v1.20.11 `internal/xpkg/config.go` and crossplane-runtime@v2.3.3
/// `pkg/xpkg/config.go`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routes {
    /// Style Rewrite: prefixes of `spec.package`, and their replacements.
    renamed: Vec<(String, String)>,
    /// Prefixes that ImageConfigs rewrite, and their replacements: of the config, then of the input.
    rewritten: Vec<(String, String)>,
    /// Position of the first rewrite by an ImageConfig of the input.
    first_of_input: usize,
    /// Registries that Crossplane reaches directly, from rules that only set credentials.
    direct: Vec<String>,
    /// Names that stay without a registry; the key is the name with its registry.
    short_names: BTreeMap<String, String>,
}

impl Routes {
    /// Creates the routes of a config and an input. `unqualified` is the meaning of names without registry.
    pub(super) fn new(
        (model, facts): (&Model, &MirrorFacts),
        rules: &MirrorRules<'_>,
        (version, style): (&ProgramVersion, Style),
        unqualified: &Unqualified,
    ) -> Self {
        let spec = &rules.config.mirror.spec;
        let own: Vec<(String, String)> = spec
            .rules
            .iter()
            .filter(|rule| !rule.is_credentials_alone())
            .map(|rule| (format!("{}/", rule.from), format!("{}/", rule.to)))
            .collect();
        let others = rewriting(model, rules, version, style);
        let pairs = others.flat_map(|(_, _, config)| {
            let new = config.rewrite.iter().filter(|new| !new.is_empty());
            new.flat_map(|new| config.prefixes.iter().map(|prefix| (prefix.clone(), new.clone())))
        });
        let others = pairs.filter(|(prefix, _)| !prefix.is_empty() && !ImageConfig::is_pattern(prefix));
        let with_credentials = spec.rules.iter().filter(|rule| rule.is_credentials_alone());
        let direct: Vec<String> = with_credentials.map(|rule| host(&rule.from).to_owned()).collect();
        let short_names = BTreeMap::new();
        let mut routes = match style {
            Style::Rewrite => {
                Self { renamed: own, rewritten: others.collect(), first_of_input: 0, direct, short_names }
            }
            Style::ImageConfig => {
                let first_of_input = own.len();
                let rewritten = own.into_iter().chain(others).collect();
                Self { renamed: Vec::new(), rewritten, first_of_input, direct, short_names }
            }
        };
        routes.short_names = routes.short_names((model, facts), rules, style, unqualified);
        routes
    }

    /// Names without registry that the run does not change: no rule matches them with registry, or an ImageConfig of
    /// the input rewrites them as they are written, or the run does not edit the package. Names that the input also
    /// has with registry are left out.
    fn short_names(
        &self,
        (model, facts): (&Model, &MirrorFacts),
        rules: &MirrorRules<'_>,
        style: Style,
        unqualified: &Unqualified,
    ) -> BTreeMap<String, String> {
        let of_objects = facts.packages.iter().map(|(id, package)| {
            let is_edited = model.object(*id).is_some_and(|object| rules.is_about(object));
            (package.source.clone(), qualified(&package.source, unqualified), is_edited)
        });
        let of_core = core_packages::packages(model, facts, Some(rules)).into_iter();
        let of_core = of_core.map(|package| (package.source.clone(), package.whole(unqualified), true));
        let dependencies = rules.config.mirror.spec.packages.values().filter_map(|known| known.depends_on.as_deref());
        let dependencies = dependencies.flatten().filter_map(|needed| needed_package(needed)).map(|needed| {
            let name = needed.name.to_owned();
            let whole = qualified(&name, unqualified);
            (name, whole, true)
        });
        let mut short_names = BTreeMap::new();
        let mut whole_names: Vec<String> = Vec::new();
        for (written, whole, is_edited) in of_objects.chain(of_core).chain(dependencies) {
            let name = ImageRef::split(&whole).name;
            if written == whole {
                whole_names.push(name.to_owned());
                continue;
            }
            let has_rule = rules.of_package(name).is_some();
            let is_kept =
                !has_rule || style == Style::ImageConfig && (!is_edited || self.rewritten(&written).is_some());
            if is_kept {
                short_names.insert(name.to_owned(), ImageRef::split(&written).name.to_owned());
            }
        }
        for name in &whole_names {
            short_names.remove(name);
        }
        short_names
    }

    /// The reference without its registry if the package keeps a name without registry, else the reference unchanged.
    pub(super) fn as_written(&self, reference: &str) -> String {
        let image = ImageRef::split(reference);
        match self.short_names.get(image.name) {
            Some(name) => format!("{name}{}", image.suffix(reference)),
            None => reference.to_owned(),
        }
    }

    /// The reference in `spec.package` after a run.
    pub fn new_reference(&self, reference: &str) -> String {
        replaced(&self.renamed, reference).unwrap_or_else(|| reference.to_owned())
    }

    /// The reference that is pulled for a package's reference or name; `None` if it is the same.
    pub fn pulled(&self, reference: &str) -> Option<String> {
        let renamed = replaced(&self.renamed, reference);
        let rewritten = self.rewritten(&renamed.clone().unwrap_or_else(|| self.as_written(reference)));
        rewritten.or(renamed).filter(|pulled| pulled != reference)
    }

    /// The missing rule for a package that Crossplane would pull from neither the mirror nor a directly reached
    /// registry; `None` if no rule is missing.
    pub fn missing_rule(&self, name: &str) -> Option<String> {
        if self.pulled(name).is_some() { None } else { self.rule_for_registry(name) }
    }

    /// The missing rule for the registry of a name; `None` for the registry of a mirror and for a directly reached
    /// registry.
    pub(super) fn rule_for_registry(&self, name: &str) -> Option<String> {
        let registry = ImageRef::split(name).registry?;
        let mirrors = || self.renamed.iter().chain(&self.rewritten).map(|(_, new)| host(new));
        let mut reached = mirrors().chain(self.direct.iter().map(String::as_str));
        if reached.any(|reached_host| reached_host == registry) {
            return None;
        }
        let folder = registry.replace(['[', ']'], "").replace(':', "-").to_lowercase();
        let quote = if registry.starts_with('[') { "'" } else { "" };
        Some(format!("{{from: {quote}{registry}{quote}, to: '{}/{folder}'}}", mirrors().next()?))
    }

    /// The reference to which ImageConfigs rewrite a reference or name as it is written; `None` if no prefix matches.
    pub(super) fn rewritten(&self, reference: &str) -> Option<String> {
        replaced(&self.rewritten, reference)
    }

    /// The rewritten prefixes of images whose references begin with a prefix; empty if nothing rewrites them. `sources` are
    /// the references of the input's packages.
    ///
    /// Crossplane rewrites a reference once: an ImageConfig of the input does not rewrite a name that another rewrite has
    /// made, so it counts for such a name only if a package has a reference that it rewrites.
    pub(super) fn new_prefixes(&self, prefix: &str, sources: &[String]) -> Vec<String> {
        let is_made = self.rewritten.iter().any(|(_, new)| new.starts_with(prefix) || prefix.starts_with(new.as_str()));
        let of_input = self.rewritten.iter().skip(self.first_of_input);
        let of_input = of_input.filter(|(old, _)| {
            let is_rewritten = |source: String| source.starts_with(old.as_str()) && source.starts_with(prefix);
            !is_made || sources.iter().map(|source| self.new_reference(source)).any(is_rewritten)
        });
        let pairs: Vec<&(String, String)> =
            self.renamed.iter().chain(self.rewritten.iter().take(self.first_of_input)).chain(of_input).collect();
        let pairs = || pairs.iter().copied();
        let above = pairs().filter(|(old, _)| prefix.starts_with(old.as_str())).max_by_key(|(old, _)| old.len());
        let above = above.and_then(|(old, new)| Some(format!("{new}{}", prefix.strip_prefix(old.as_str())?)));
        let below = pairs().filter(|(old, _)| old.len() > prefix.len() && old.starts_with(prefix));
        above.into_iter().chain(below.map(|(_, new)| new.clone())).collect()
    }

    /// The registry and path of a package after copying, equal for two names of one package.
    pub(super) fn place(&self, reference: &str) -> String {
        let pulled = self.pulled(reference);
        let image = ImageRef::split(pulled.as_deref().unwrap_or(reference));
        match image.registry {
            None => image.name.to_owned(),
            Some(_) => {
                let (registry, path) = image.location(DOCKER_HUB);
                format!("{registry}/{path}")
            }
        }
    }
}

/// The ImageConfigs of the input that still rewrite images after the run; excludes ImageConfigs that the run replaces.
pub(super) fn rewriting<'m>(
    model: &'m Model,
    rules: &'m MirrorRules<'_>,
    version: &ProgramVersion,
    style: Style,
) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m ImageConfig)> {
    let spec = &rules.config.mirror.spec;
    let is_replaced = move |from: &str| style == Style::ImageConfig && spec.rules.iter().any(|rule| rule.from == from);
    let counts = version.has(IMAGE_REWRITES_SINCE) != Some(false);
    model.image_configs().filter(move |(_, meta, config)| {
        counts
            && match image_config_origin(&rules.config.mirror.metadata.name, meta, config) {
                Some(ImageConfigOrigin::Pin(_)) => false,
                Some(ImageConfigOrigin::Rule(from)) => !is_replaced(from),
                Some(ImageConfigOrigin::PullSecret(_)) | None => true,
            }
    })
}

/// The registry of a prefix.
fn host(prefix: &str) -> &str {
    prefix.split_once('/').map_or(prefix, |(host, _)| host)
}

/// A reference with the longest matching prefix replaced.
fn replaced(prefixes: &[(String, String)], reference: &str) -> Option<String> {
    let matching =
        prefixes.iter().filter_map(|(prefix, new)| Some((prefix, new, reference.strip_prefix(prefix.as_str())?)));
    let (_, new, rest) = matching.max_by_key(|(prefix, ..)| prefix.len())?;
    Some(format!("{new}{rest}"))
}
