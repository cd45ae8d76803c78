//! Merges a ControllerConfig into a runtime config.

use super::controller_config;
use super::draft::Draft;
use super::maker::{Candidate, Maker};
use super::runtime_config::ChosenBy;
use crate::model::ObjectId;
use crate::model::facts::ControllerConfig;
use crate::rule;
use lossless_yaml::{Path, Value};

/// A ControllerConfig with its id and its name.
pub(super) type Conversion<'m> = (ObjectId, &'m ControllerConfig, &'m str);

impl<'m> Maker<'m, '_> {
    /// The ControllerConfig of a package: `Some(None)` without a ControllerConfig, `None` if it cannot be converted.
    #[allow(clippy::option_option, reason = "a missing ControllerConfig differs from one that cannot be converted")]
    pub(super) fn controller_config(&mut self, candidate: Candidate<'m>) -> Option<Option<Conversion<'m>>> {
        let Candidate { meta, package, .. } = candidate;
        let Some(name) = package.controller_config.as_deref() else { return Some(None) };
        let Some((id, config)) = self.model.controller_config(name) else {
            return self.missing(candidate, "ControllerConfig", name, ChosenBy::Package).then_some(None);
        };
        let unknown = controller_config::unknown_fields(&config.object);
        if !unknown.is_empty() {
            let message = format!(
                "{meta} is not changed: {} of ControllerConfig {name} has no place in a DeploymentRuntimeConfig and would be lost. \
                 Remove it, or put the package under `exclude`",
                unknown.join(", ")
            );
            self.add_finding(candidate, candidate.severity(), rule::CONTROLLER_CONFIG, message);
            return None;
        }
        if self.core.lacks_controller_configs() {
            let message = format!(
                "{meta}: {} does not support ControllerConfigs any more and ignores {name}: with the runtime config its settings apply again",
                self.core.display_name()
            );
            self.warn(candidate.id, rule::CONTROLLER_CONFIG, message);
        }
        Some(Some((id, config, name)))
    }

    /// Applies a ControllerConfig to the runtime config `draft`, and removes the reference from `package`. `declared`
    /// are the ports that Crossplane always declares; equal ports of the ControllerConfig are left out.
    pub(super) fn convert(
        &mut self,
        candidate: Candidate<'m>,
        (id, config, name): Conversion<'m>,
        draft: &mut Draft,
        package: &mut Draft,
        container: &Path,
        declared: &[(&'static str, u16)],
    ) {
        let meta = candidate.meta;
        if config.has_comments {
            let message = format!(
                "{meta}: comments of ControllerConfig {name} are not copied to DeploymentRuntimeConfig {}; copy useful \
                 comments by hand",
                draft.name()
            );
            self.warn(id, rule::CONTROLLER_CONFIG, message);
        }
        let laid = controller_config::apply_controller_config(&config.object, draft, container, name, declared);
        package.remove(
            &Path::dotted("spec.controllerConfigRef"),
            rule::CONTROLLER_CONFIG,
            "is removed: the runtime config replaces it",
        );
        self.move_pull_settings(candidate, laid.package, package, name);
        for variable in laid.overruled {
            let message = format!(
                "{meta}: ControllerConfig {name} sets the variable {variable}, which Crossplane sets too: Crossplane used \
                 the value of the ControllerConfig, but overrides the value of a runtime config. Remove the variable if it is not needed"
            );
            self.warn(id, rule::CONTROLLER_CONFIG, message);
        }
    }

    /// Moves image pull settings of a ControllerConfig to the package.
    fn move_pull_settings(
        &mut self,
        candidate: Candidate<'m>,
        fields: Vec<(&'static str, Value)>,
        package: &mut Draft,
        name: &str,
    ) {
        let Candidate { meta, .. } = candidate;
        for (field, value) in fields {
            let path = Path::root().key("spec").key(field);
            match package.value.lookup(&path).filter(|old| **old != Value::Null) {
                None => package.put(&path, value, rule::CONTROLLER_CONFIG, &format!("is from ControllerConfig {name}")),
                Some(old) if *old == value => {}
                Some(old) => {
                    let message = format!(
                        "{meta}: spec.{field} is {old}, and ControllerConfig {name} has {value}: the package's value now applies to \
                         its Deployment too"
                    );
                    self.warn(candidate.id, rule::CONTROLLER_CONFIG, message);
                }
            }
        }
    }
}
