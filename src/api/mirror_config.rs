//! Reads a `PackageMirror`, with validation beyond its types.

use std::collections::BTreeMap;

use super::config_type::config_type;
use super::document::Document;
use super::error::ConfigError;
use super::package_mirror::{MirrorRule, PackageMirror};
use crate::dependency::needed_package;
use lossless_yaml::Path;
use oci::name::{DOCKER_HUB, ImageRef, RepositoryPrefix};

/// Maximum length of the config's name, which starts the names of generated objects; their limit is a DNS label.
const MAX_NAME_LENGTH: usize = 40;

/// The kinds of Crossplane packages.
pub const PACKAGE_KINDS: [&str; 3] = ["Provider", "Configuration", "Function"];

config_type!(MirrorConfig { mirror: PackageMirror });

impl MirrorConfig {
    /// Refuses values that the schema cannot express, with a correction.
    fn validate(&self) -> Result<(), ConfigError> {
        let name = &self.mirror.metadata.name;
        if !is_name(name) || name.len() > MAX_NAME_LENGTH {
            let message = format!(
                "`metadata.name` begins the names of new ImageConfigs: write one of 1 to {MAX_NAME_LENGTH} lower-case letters, digits \
                 and `-`, such as `internal`"
            );
            return Err(self.error_at(&Path::dotted("metadata.name"), message));
        }
        self.rules()?;
        let spec = &self.mirror.spec;
        if let Some(secret) = spec.pull_secret.as_deref().filter(|secret| !secret.split('.').all(is_name)) {
            let message = format!("`{secret}` is not the name of a Secret; write one such as `registry-credentials`");
            return Err(self.error_at(&Path::dotted("spec.pullSecret"), message));
        }
        if let Some(ca) = &spec.ca {
            let path = Path::dotted("spec.ca");
            if !ca.name.split('.').all(is_name) {
                let message = format!("`{}` is not the name of a ConfigMap; write one such as `registry-ca`", ca.name);
                return Err(self.error_at(&path.key("name"), message));
            }
            let is_key = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
            if !ca.key.bytes().all(is_key) || ca.key.is_empty() || ca.key.starts_with("..") || ca.key == "." {
                let message = format!("`{}` is not a key of a ConfigMap; write one such as `ca.crt`", ca.key);
                return Err(self.error_at(&path.key("key"), message));
            }
        }
        for (reference, known) in &spec.packages {
            let path = Path::dotted("spec.packages").key(reference.clone());
            self.package(reference, &path)?;
            if let Some(digest) = &known.digest
                && ImageRef::read(&format!("a/b@{digest}")).is_err()
            {
                let message =
                    format!("`{digest}` is not a digest: write `sha256:` with 64 of the digits 0 to 9 and a to f");
                return Err(self.error_at(&path.key("digest"), message));
            }
            if let Some(kind) = known.kind.as_deref().filter(|kind| !PACKAGE_KINDS.contains(kind)) {
                let message = format!("`{kind}` is not a kind of package: write one of {}", PACKAGE_KINDS.join(", "));
                return Err(self.error_at(&path.key("kind"), message));
            }
            for (index, platform) in known.platforms.iter().enumerate() {
                let parts: Vec<&str> = platform.split('/').collect();
                if !(2..=3).contains(&parts.len()) || parts.contains(&"") {
                    let message = format!("`{platform}` is not a platform: write one such as `linux/amd64`");
                    return Err(self.error_at(&path.key("platforms").item(index), message));
                }
            }
            if let Some(Err(error)) = known.runtime_image.as_deref().map(ImageRef::read) {
                return Err(self.error_at(&path.key("runtimeImage"), error.to_string()));
            }
            for (index, needed) in known.depends_on.iter().flatten().enumerate() {
                if needed_package(needed).is_none() {
                    let message = format!(
                        "`{needed}` is not a package with a range of versions: write \
                         `xpkg.crossplane.io/org/provider-family-aws >=v2.0.0`"
                    );
                    return Err(self.error_at(&path.key("dependsOn").item(index), message));
                }
            }
        }
        Ok(())
    }

    /// Refuses missing rules, invalid prefixes, and two rules for one prefix.
    fn rules(&self) -> Result<(), ConfigError> {
        let path = Path::dotted("spec.rules");
        let rules = &self.mirror.spec.rules;
        if rules.is_empty() {
            let message = "no rule: write `rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]`";
            return Err(self.error_at(&path, message));
        }
        let mut earlier: BTreeMap<String, &MirrorRule> = BTreeMap::new();
        for (index, rule) in rules.iter().enumerate() {
            let path = path.item(index);
            for (key, folder) in [("from", &rule.from), ("to", &rule.to)] {
                if let Err(why) = RepositoryPrefix::read(folder) {
                    let message = format!(
                        "`{folder}` is not a registry with an optional path: {why}; write one such as \
                         `registry.example.com/xpkg`"
                    );
                    return Err(self.error_at(&path.key(key), message));
                }
            }
            // Docker Hub has two names; use one for comparison.
            let docker_hub = |host: &str| if host == "docker.io" { DOCKER_HUB.to_owned() } else { host.to_owned() };
            let from = match rule.from.split_once('/') {
                Some((host, rest)) => format!("{}/{rest}", docker_hub(host)),
                None => docker_hub(&rule.from),
            };
            let Some(other) = earlier.insert(from, rule) else { continue };
            if other.from == rule.from {
                let message = format!("`{}` is the `from` of an earlier rule too; remove one of the two", rule.from);
                return Err(self.error_at(&path.key("from"), message));
            }
            if other.to != rule.to {
                let message = format!(
                    "`{}` and `{}` are one registry for images, and their rules lead to two; give both the same `to`",
                    other.from, rule.from
                );
                return Err(self.error_at(&path.key("to"), message));
            }
        }
        for (index, rule) in rules.iter().enumerate() {
            let is_credentials_alone = rule.is_credentials_alone();
            if is_credentials_alone && self.mirror.spec.pull_secret.is_none() {
                let message = format!(
                    "`{}` is both `from` and `to`: such a rule only sets the credentials of a registry, and the spec has no `pullSecret`; \
                     write `pullSecret: registry-credentials`, or the mirror as `to`",
                    rule.to
                );
                return Err(self.error_at(&path.item(index).key("to"), message));
            }
            let below = |other: &&MirrorRule| {
                RepositoryPrefix::new(&other.from).holds(&rule.to) && !(is_credentials_alone && other.from == rule.from)
            };
            if let Some(other) = rules.iter().find(below) {
                let message = format!(
                    "`{}` is at or below `{}`, the `from` of a rule, so a second run would move it again; mirror it to another registry, or \
                     narrow that `from`",
                    rule.to, other.from
                );
                return Err(self.error_at(&path.item(index).key("to"), message));
            }
        }
        Ok(())
    }

    /// Validates a key of `packages`.
    fn package(&self, reference: &str, path: &Path) -> Result<(), ConfigError> {
        let image = ImageRef::read(reference).map_err(|error| self.error_at(path, error.to_string()))?;
        let wrong = match image {
            ImageRef { digest: Some(_), .. } => "has a digest, which belongs under `digest`",
            ImageRef { tag: None, .. } => "has no tag, so its version could not be compared",
            ImageRef { registry: None, .. } => "has no registry",
            _ => return Ok(()),
        };
        let message = format!("`{reference}` {wrong}; write it as `xpkg.crossplane.io/org/provider-aws-s3:v2.0.0`");
        Err(self.error_at(path, message))
    }
}

/// True if a text is valid between the dots of an object name.
fn is_name(text: &str) -> bool {
    let is_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(is_byte) && !text.starts_with('-') && !text.ends_with('-')
}
