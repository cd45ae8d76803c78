//! The starting point of a package's runtime config.

use super::maker::{Candidate, Maker};
use super::new_object::PREFIX;
use super::runtime_config::{self, Named};
use crate::model::ObjectId;
use crate::model::facts::ControllerConfig;
use crate::model::facts::package::DEFAULT;
use crate::rule;
use lossless_yaml::Value;

/// The starting point of a package's runtime config.
pub(super) enum Base<'m> {
    /// The existing runtime config, used by this package only.
    Own(ObjectId, &'m Value),
    /// A copy of a runtime config that other packages share.
    Copy(ObjectId, &'m Value),
    /// A new runtime config, written after this object.
    New(ObjectId),
}

impl<'m> Maker<'m, '_> {
    /// Determines the starting point of a package's runtime config; `None` if the referenced one is missing.
    pub(super) fn base(
        &mut self,
        candidate: Candidate<'m>,
        named: Named<'m>,
        controller_config: Option<(ObjectId, &ControllerConfig, &str)>,
    ) -> Option<Base<'m>> {
        let Candidate { meta, package, .. } = candidate;
        if let Some((id, value)) = self.model.runtime_config(named.name) {
            let users = self.users.get(named.name);
            // A setting that all packages of the shared runtime config get can be written once,
            // into that object.
            let only =
                if self.terms.moves.is_some() { users == Some(&1) } else { users == self.chosen.get(named.name) };
            let free =
                named.name != DEFAULT && !runtime_config::may_have_other_users(self.model, &self.core, named.name);
            // A run of another config made it for this package.
            let is_made = named.name.strip_prefix(PREFIX) == Some(meta.name.as_str());
            let own = only && free && (controller_config.is_none() || is_made);
            return Some(if own { Base::Own(id, value) } else { Base::Copy(id, value) });
        }
        if named.name != DEFAULT && !self.missing(candidate, "DeploymentRuntimeConfig", named.name, named.by) {
            return None;
        }
        if named.name == DEFAULT && package.controller_config.is_none() {
            let message = format!(
                "{meta} names no runtime config, and the input has none called `{DEFAULT}`: the package gets a new one, so settings of the cluster's `{DEFAULT}` no longer apply to it. If the cluster has that object, add it to the input"
            );
            self.warn(candidate.id, rule::RUNTIME_CONFIG, message);
        }
        Some(Base::New(controller_config.map_or(candidate.id, |(id, ..)| id)))
    }
}
