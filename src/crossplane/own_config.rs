//! Creates the initial runtime config of a package, before any setting moves.

use super::base::Base;
use super::draft::Draft;
use super::maker::{Candidate, Maker};
use super::new_object::{self, PREFIX, runtime_spec};
use super::runtime_config::Named;
use crate::plan::{Change, Content, Edit};
use crate::rule;
use lossless_yaml::{Path, Value};

/// The longest name of an object (a DNS subdomain).
const MAX_NAME_LENGTH: usize = 253;

impl<'m> Maker<'m, '_> {
    /// Creates the package's runtime config in its initial state; reports a finding if the name is taken.
    pub(super) fn draft(
        &mut self,
        candidate: Candidate<'m>,
        base: &Base<'m>,
        named: Named<'_>,
        edits: &mut Vec<Edit>,
    ) -> Option<Draft> {
        let Candidate { meta, .. } = candidate;
        let name = format!("{PREFIX}{}", meta.name);
        let label = |name: &str| format!("{meta}: DeploymentRuntimeConfig {name}");
        if let Base::Own(id, value) = base {
            return Some(Draft::new(*id, (*value).clone(), label(named.name)));
        }
        if name.len() > MAX_NAME_LENGTH {
            let message = format!(
                "{meta} is not changed: its runtime config would be called {name}, which is longer than the {MAX_NAME_LENGTH} characters \
                 that a name may have. Give the package its own DeploymentRuntimeConfig, and name it in `runtimeConfigRef`"
            );
            self.add_finding(candidate, candidate.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        if let Some(taken) = self.names.insert(("DeploymentRuntimeConfig".to_owned(), name.clone()), Some(meta)) {
            // A duplicate package object shares the config of the first object; duplicates are reported separately.
            if taken.is_some_and(|other| other.gvk.kind == meta.gvk.kind) {
                return None;
            }
            let reason = match taken {
                Some(other) => format!(
                    "{other} gets a DeploymentRuntimeConfig of that name in this run. Give one of the two its own \
                     DeploymentRuntimeConfig, and name it in its spec.runtimeConfigRef"
                ),
                None => "a DeploymentRuntimeConfig of that name exists. If it belongs to this package, name it in \
                         spec.runtimeConfigRef; else rename it"
                    .to_owned(),
            };
            let message = format!("{meta} is not changed: its runtime config would be called {name}, and {reason}");
            self.add_finding(candidate, candidate.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        let near = match base {
            Base::Copy(config, _) => self.model.object(*config).map_or(meta, |config| &config.meta),
            _ => meta,
        };
        let object = self.add("DeploymentRuntimeConfig", &name, near);
        let (after, content, value, from) = match base {
            Base::Own(..) => return None,
            Base::Copy(config, value) => (
                *config,
                Content::Copy,
                (*value).clone(),
                format!("a copy of {}, which other packages use too", named.name),
            ),
            Base::New(after) => {
                let value = new_object::meta("DeploymentRuntimeConfig", &name, meta).with_spec(runtime_spec());
                (*after, Content::New(value.clone()), value, "new".to_owned())
            }
        };
        let change = Change::AddDocument { after, content };
        let message = format!("{meta}: DeploymentRuntimeConfig {name} is {from}").into();
        edits.push(Edit { object, path: Path::root(), change, rule: rule::RUNTIME_CONFIG, message });
        let mut draft = Draft::new(object, value, label(&name));
        draft.put(&Path::dotted("metadata.name"), Value::Str(name), rule::RUNTIME_CONFIG, "is its name");
        Some(draft)
    }
}
