//! Reads a `HostNetworkCheck`, with validation beyond its types.

use super::config_type::config_type;
use super::document::Document;
use super::error::ConfigError;
use super::host_network_check::HostNetworkCheck;
use super::suggest::unknown_rule;
use crate::rule;
use lossless_yaml::Path;

config_type!(CheckConfig { check: HostNetworkCheck });

impl CheckConfig {
    /// The error for a command that needs a config that changes objects.
    pub fn changing_kind_needed_error(&self) -> ConfigError {
        let message = "kind is `HostNetworkCheck`, expected `HostNetwork`; use `hostnet check` for this kind";
        self.document.error_at(&Path::root().key("kind"), message)
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let spec = &self.check.spec;
        for (id, level) in &spec.rules {
            let path = Path::dotted("spec.rules").key(id.clone());
            Self::check_rule_id(id).map_err(|message| self.document.error_at(&path, message))?;
            if *id == rule::DOCUMENT.id && level.severity().is_none() {
                let message = format!("`{id}` cannot be disabled: it reports what was not checked");
                return Err(self.document.error_at(&path, message));
            }
        }
        super::suppress::validate(&spec.suppress, self, |id| Self::check_rule_id(id).err())?;
        let versions = [
            ("kubernetes", &spec.versions.kubernetes),
            ("openkruise", &spec.versions.openkruise),
            ("crossplane", &spec.versions.crossplane),
        ];
        for (key, version) in versions {
            if let Some(version) = version.as_ref().filter(|version| !is_version(version)) {
                let message = format!("`{version}` is not a version; write it as `v1.33` or `v1.8.4`");
                return Err(self.document.error_at(&Path::dotted("spec.versions").key(key), message));
            }
        }
        super::nodes::validate(spec.nodes.as_ref(), self)
    }

    /// Returns an error for an unknown rule id.
    fn check_rule_id(id: &str) -> Result<(), String> {
        let known: Vec<&str> = rule::checked().map(|rule| rule.id).collect();
        if known.contains(&id) {
            return Ok(());
        }
        Err(match rule::find(id) {
            Some(_) => format!("rule `{id}` is not one of `hostnet check`: known are {}", known.join(", ")),
            None => unknown_rule(id, &known),
        })
    }
}

/// True for a version such as `v1.33`, `1.8.4` or `v1.9.0-alpha1`.
pub fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = numbers.split('.').collect();
    (2..=3).contains(&parts.len()) && parts.iter().all(|part| part.parse::<u32>().is_ok())
}
