//! Validation of a `HostNetwork` beyond its types.

use super::error::ConfigError;
use super::read::HostNetworkConfig;
use super::suggest::unknown_rule;
use crate::catalog;
use crate::rule;
use lossless_yaml::Path;

impl HostNetworkConfig {
    /// Validates constraints that the types cannot express.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let spec = &self.host_network.spec;
        let targets = Path::dotted("spec.targets");
        if spec.targets.is_empty() {
            let message = "no target: write `targets: [{select: {kind: Deployment, name: web}}]`";
            return Err(self.error_at(&targets, message));
        }
        for (index, target) in spec.targets.iter().enumerate() {
            let path = targets.item(index);
            for (index, bind) in target.bind.iter().enumerate() {
                let path = path.key("bind").item(index);
                if !bind.has_exactly_one_setting() {
                    let message = "give one of `arg` (a flag), `env` (a variable), `annotation`, `file` with `key`, and `fixed: true`";
                    return Err(self.error_at(&path, message));
                }
                if let Some((key, message)) = bind.wrong_name() {
                    return Err(self.error_at(&path.key(key), message));
                }
                if bind.file.is_some() != bind.key.is_some() {
                    let message =
                        "`file` and `key` go together: the path that the container sees, and the key in that file";
                    return Err(self.error_at(&path, message));
                }
                if bind.value.is_some() && (bind.file.is_some() || bind.fixed) {
                    let message = "`value` goes with `arg`, `env` and `annotation`: leave it out";
                    return Err(self.error_at(&path.key("value"), message));
                }
                if bind.value.as_ref().is_some_and(|value| value.matches("{port}").count() != 1) {
                    return Err(self.error_at(
                        &path.key("value"),
                        "expected a text with one `{port}`, the place of the number: \":{port}\"",
                    ));
                }
            }
        }
        if let Some((path, message)) = super::numbers::find_malformed_key(spec) {
            return Err(self.error_at(&path, message));
        }
        if let Some((path, message)) = super::numbers::pattern(spec) {
            return Err(self.error_at(&path, message));
        }
        if let Some((path, message)) = super::numbers::wrong_workloads(spec) {
            return Err(self.error_at(&path, message));
        }
        if let Some((path, message)) = super::numbers::find_number_assigned_twice(spec) {
            return Err(self.error_at(&path, message));
        }
        for (index, program) in spec.programs.iter().enumerate() {
            let path = Path::dotted("spec.programs").item(index);
            let wrong = catalog::check(program);
            if !wrong.is_empty() {
                return Err(self.error_at(&path, format!("program `{}`: {}", program.name, wrong.join("; "))));
            }
            let earlier = spec.programs.iter().take(index);
            if let Some(other) = earlier.clone().find(|other| other.name == program.name) {
                let lists: Vec<&str> = other.not_listen.iter().chain(&program.not_listen).map(String::as_str).collect();
                let advice = match other.images == program.images && !program.not_listen.is_empty() {
                    true => format!("write one, with `notListen: [{}]`", lists.join(", ")),
                    false => "give each its own name".to_owned(),
                };
                return Err(self.error_at(&path.key("name"), format!("a second program `{}`: {advice}", other.name)));
            }
            if let Some(other) = earlier.into_iter().find(|other| other.is_like(program)) {
                let message = format!(
                    "programs `{}` and `{}` have the same image, and cannot be distinguished: give each its `command`",
                    other.name, program.name
                );
                return Err(self.error_at(&path.key("images"), message));
            }
        }
        for (index, reference) in spec.references.iter().enumerate() {
            let wrong = reference.check();
            if !wrong.is_empty() {
                let path = Path::dotted("spec.references").item(index);
                return Err(self.error_at(&path, wrong.join("; ")));
            }
        }
        for (index, template) in spec.templates.iter().enumerate() {
            let is_key = |key: &str| {
                let name = key.trim_end_matches("[]");
                name == "*" || (!name.is_empty() && name.chars().all(char::is_alphanumeric))
            };
            if !template.path.split('.').all(is_key) {
                let path = Path::dotted("spec.templates").item(index).key("path");
                let message =
                    "expected the path of the pod template, such as `spec.template` or `spec.groups[].template`";
                return Err(self.error_at(&path, message));
            }
        }
        super::nodes::validate(spec.nodes.as_ref(), self)?;
        super::suppress::validate(&spec.suppress, self, |id| {
            let known: Vec<&str> = rule::ALL.iter().map(|rule| rule.id).collect();
            rule::find(id).is_none().then(|| unknown_rule(id, &known))
        })
    }
}
