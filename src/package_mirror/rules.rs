//! The compiled rules of a config, and the choice of the rule for a name.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{ConfigError, KnownPackage, MirrorConfig, MirrorRule};
use crate::model::Object;
use crate::plan::Matcher;
use crate::version::ProgramVersion;
use lossless_yaml::Path;
use oci::name::{DOCKER_HUB, ImageRef, RepositoryPrefix};

/// The compiled rules and selects of a config.
#[derive(Debug)]
pub struct MirrorRules<'c> {
    /// The config.
    pub(super) config: &'c MirrorConfig,
    pub(super) select: Vec<Matcher>,
    exclude: Vec<Matcher>,
    /// The rules by `from` as written, because Crossplane compares text.
    by_from: BTreeMap<&'c str, &'c MirrorRule>,
    /// The rules by `from` in the spelling of container runtimes.
    by_registry: BTreeMap<String, &'c MirrorRule>,
    targets: BTreeSet<&'c str>,
    /// The digests of `packages`, by name and tag in the spelling of container runtimes.
    digests: BTreeMap<String, &'c str>,
}

impl<'c> MirrorRules<'c> {
    /// Compiles a config.
    ///
    /// # Errors
    /// Returns an error for an invalid select or an invalid version of Crossplane.
    pub fn compile(config: &'c MirrorConfig) -> Result<Self, ConfigError> {
        let spec = &config.mirror.spec;
        let compiled = |list: &'static str, selects: &'c [crate::api::Select]| {
            let matchers = selects.iter().enumerate().map(|(index, select)| {
                let path = Path::root().key("spec").key(list).item(index);
                if select.called_by_api_server.is_some() {
                    let message = "`calledByApiServer` does not select by images; remove it";
                    return Err(config.error_at(&path.key("calledByApiServer"), message));
                }
                Matcher::new(select, config, &path)
            });
            matchers.collect::<Result<Vec<_>, _>>()
        };
        if let Some(version) = spec.crossplane.version.as_deref()
            && !ProgramVersion::read(version).is_known()
        {
            let message = format!("`{version}` is not a version: expected one such as `v2.0.2`");
            return Err(config.error_at(&Path::dotted("spec.crossplane.version"), message));
        }
        let leading = || spec.rules.iter().filter(|rule| !rule.is_credentials_alone());
        Ok(Self {
            config,
            select: compiled("select", &spec.select)?,
            exclude: compiled("exclude", &spec.exclude)?,
            by_from: leading().map(|rule| (rule.from.as_str(), rule)).collect(),
            by_registry: leading().map(|rule| (container_runtime_prefix(&rule.from), rule)).collect(),
            targets: spec.rules.iter().map(|rule| rule.to.as_str()).collect(),
            digests: spec
                .packages
                .iter()
                .filter_map(|(key, package)| Some((as_image(key)?, package.digest.as_deref()?)))
                .collect(),
        })
    }

    /// True if the config applies to a package or its runtime config; without `select` it applies to all.
    pub(super) fn is_about(&self, object: &Object) -> bool {
        (self.select.is_empty() || self.selects(object)) && !self.excludes(object)
    }

    /// True if a select matches the object.
    pub(super) fn selects(&self, object: &Object) -> bool {
        self.select.iter().any(|matcher| matcher.matches_object(object))
    }

    /// True if a select matches an object with images, which may be of any kind.
    pub(super) fn selects_images(&self, object: &Object) -> bool {
        self.select.iter().any(|matcher| matcher.matches(&object.meta))
    }

    /// True if `exclude` matches an object with images, which may be of any kind.
    pub(super) fn excludes_images(&self, object: &Object) -> bool {
        self.exclude.iter().any(|matcher| matcher.matches(&object.meta))
    }

    /// True if `exclude` of the config matches the object.
    pub(super) fn excludes(&self, object: &Object) -> bool {
        self.exclude.iter().any(|matcher| matcher.matches_object(object))
    }

    /// The rule with the longest `from` that matches a package's name (registry and path), compared as text.
    pub(super) fn of_package(&self, name: &str) -> Option<&'c MirrorRule> {
        folders(name).find_map(|folder| self.by_from.get(folder).copied())
    }

    /// True if a rule matches the name except for upper and lower case.
    pub(super) fn matches_ignoring_case(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.by_from.keys().any(|from| RepositoryPrefix::new(&from.to_lowercase()).below(&name).is_some())
    }

    /// True if a `from` is the name itself: rules match only names below their `from`.
    pub(super) fn equals_rule_source(&self, name: &str) -> bool {
        self.by_from.contains_key(name)
    }

    /// The whole reference of a package in the mirror; `None` if no rule matches.
    pub fn package_in_mirror(&self, source: &str) -> Option<String> {
        let image = ImageRef::split(source);
        let rule = self.of_package(image.name)?;
        let below = image.name.get(rule.from.len()..)?;
        Some(format!("{}{below}{}", rule.to, image.suffix(source)))
    }

    /// The whole reference of an image in the mirror; `None` if no rule matches.
    pub(super) fn image_in_mirror(&self, image: &str) -> Option<String> {
        let reference = ImageRef::split(image);
        let name = reference.pulled_name()?;
        let (folder, rule) = folders(&name).find_map(|folder| Some((folder, *self.by_registry.get(folder)?)))?;
        let below = name.get(folder.len()..)?;
        Some(format!("{}{below}{}", rule.to, reference.suffix(image)))
    }

    /// The new name of an image that a run may rename: of a workload that a select matches, or of Crossplane's core.
    pub fn renamed_image(&self, name: &str) -> Option<String> {
        let is_core = || ImageRef::split(name).last_segment() == "crossplane";
        self.image_in_mirror(name).filter(|_| !self.select.is_empty() || is_core())
    }

    /// The digest in `packages` for an image, whose reference may already name the mirror.
    pub(super) fn digest_of_image(&self, image: &str) -> Option<String> {
        let own = as_image(image)?;
        let found = self
            .digests
            .get(&own)
            .or_else(|| self.origins(&own).find_map(|origin| self.digests.get(&as_image(&origin)?)));
        found.map(|digest| (*digest).to_owned())
    }

    /// The record of a reference in `packages`, by tag or digest; for a reference in the mirror the record of its
    /// original.
    pub(super) fn entry(&self, source: &str) -> Option<&'c KnownPackage> {
        self.record(source)
            .or_else(|| self.origins(source).find_map(|origin| self.record(&origin)))
            .map(|(_, package)| package)
    }

    /// The digest of a package, from its reference or from its record.
    pub(super) fn digest_of_package(&self, source: &str) -> Option<String> {
        let own = ImageRef::split(source).digest.map(str::to_owned);
        own.or_else(|| self.entry(source)?.digest.clone())
    }

    /// The tag of a reference, or the tag of the entry in `packages` with the same digest.
    pub(super) fn tag_of(&self, source: &str) -> Option<String> {
        let key = |source: &str| Some(ImageRef::split(self.record(source)?.0).tag?.to_owned());
        let own = ImageRef::split(source).tag.map(str::to_owned);
        own.or_else(|| key(source)).or_else(|| self.origins(source).find_map(|origin| key(&origin)))
    }

    /// The entry of `packages` with the tag of a reference, or with its digest if it has no tag.
    fn record(&self, source: &str) -> Option<(&'c str, &'c KnownPackage)> {
        let known = &self.config.mirror.spec.packages;
        let image = ImageRef::split(source);
        let found = if image.tag.is_some() {
            known.get_key_value(ImageRef::without_digest(source))
        } else {
            let digest = image.digest?;
            known.iter().find(|(key, package)| {
                ImageRef::split(key).name == image.name && package.digest.as_deref() == Some(digest)
            })
        };
        found.map(|(key, package)| (key.as_str(), package))
    }

    /// The possible originals of a reference in the mirror.
    pub fn origins<'r>(&'r self, reference: &'r str) -> impl Iterator<Item = String> + 'r {
        let rules = self.config.mirror.spec.rules.iter().filter(|rule| !rule.is_credentials_alone());
        rules.filter_map(move |rule| {
            let below = reference.strip_prefix(rule.to.as_str()).filter(|rest| rest.starts_with('/'))?;
            Some(format!("{}{below}", rule.from))
        })
    }

    /// True for a name below the `to` of a rule.
    pub(super) fn is_mirrored(&self, name: &str) -> bool {
        folders(name).any(|folder| self.targets.contains(folder))
    }
}

/// The parent paths of a name, longest first.
fn folders(name: &str) -> impl Iterator<Item = &str> {
    name.rmatch_indices('/').filter_map(|(at, _)| name.get(..at))
}

/// The key of a reference in `packages`: without digest, in the spelling of container runtimes.
pub(super) fn key_of(reference: &str) -> String {
    as_image(reference).unwrap_or_else(|| ImageRef::without_digest(reference).to_owned())
}

/// Name and tag of an image in the spelling of container runtimes.
fn as_image(text: &str) -> Option<String> {
    let image = ImageRef::split(text);
    Some(format!("{}:{}", image.pulled_name()?, image.tag.unwrap_or("latest")))
}

/// Returns a repository prefix in the spelling of container runtimes.
fn container_runtime_prefix(folder: &str) -> String {
    match folder.strip_prefix(DOCKER_HUB) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("docker.io{rest}"),
        _ => folder.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::AnyConfig;

    #[test]
    fn whole_segments_decide_and_the_longest_wins() {
        let text = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec:\n  rules:\n  \
                    - {from: a.io, to: m.io/a}\n  - {from: a.io/x, to: m.io/x}\n  - {from: docker.io, to: m.io/hub}\n";
        let Ok(AnyConfig::Mirror(config)) = AnyConfig::read(text, "c.yaml", 1) else { panic!("{text}") };
        let rules = MirrorRules::compile(&config).unwrap();
        let moved = |text: &str| rules.package_in_mirror(text).unwrap_or_default();
        assert_eq!(moved("a.io/b:v1"), "m.io/a/b:v1");
        assert_eq!(moved("a.io/x/b:v1@sha256:0a"), "m.io/x/b:v1@sha256:0a");
        assert_eq!(moved("a.io/xy/b:v1"), "m.io/a/xy/b:v1");
        assert_eq!((moved("a.io:5000/b:v1"), moved("nginx"), moved("index.docker.io/a/b")), Default::default());
        let image = |text: &str| rules.image_in_mirror(text).unwrap_or_default();
        assert_eq!(
            (image("nginx:1"), image("index.docker.io/a/b")),
            ("m.io/hub/library/nginx:1".into(), "m.io/hub/a/b".into())
        );
        assert!(rules.is_mirrored("m.io/hub/a") && !rules.is_mirrored("m.io/other/a"));
    }
}
