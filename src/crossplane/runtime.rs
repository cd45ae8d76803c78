//! The runtime of one package.

use super::base::Base;
use super::draft::Draft;
use super::maker::{Candidate, Maker};
use super::new_object::PREFIX;
use super::runtime_config::{ChosenBy, Named, chosen_runtime_config};
use super::template::{container, package_ports, template};
use crate::model::ObjectId;
use crate::model::facts::ControllerConfig;
use crate::model::pod::PodTemplate;
use crate::plan::{Edit, Finding};
use crate::rule::{self, Severity};
use krm::holds_placeholder;
use lossless_yaml::{Path, Value};

/// The pods of a package and the edits that give it a separate runtime config.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// The object with the pod template: a runtime config of the input, or a new runtime config.
    pub(crate) document: ObjectId,
    pub(crate) template: PodTemplate,
    /// The value of that object, including the package container.
    pub(crate) value: Value,
    /// True if ports may be declared in the object.
    pub(crate) may_declare: bool,
    /// Edits that give the package a separate runtime config.
    pub(crate) edits: Vec<Edit>,
    /// Findings to report if the package changes.
    pub(crate) findings: Vec<Finding>,
    /// Other runtime configs of the same name in the input, which get the same edits.
    pub(crate) others: Vec<Self>,
    /// The ControllerConfig that was merged into the runtime config.
    pub(super) converted: Option<ObjectId>,
}

impl<'m> Maker<'m, '_> {
    /// Builds the runtime of a package; `None` if the package cannot change, which a finding reports.
    pub(super) fn runtime(&mut self, candidate: Candidate<'m>) -> Option<Runtime> {
        let Candidate { meta, package, .. } = candidate;
        self.if_moved.clear();
        let may_declare = self.may_move(candidate)?;
        let named = chosen_runtime_config(self.model, &self.core, package);
        // A config kind that keeps the network does not convert ControllerConfigs.
        let controller_config = if self.terms.moves.is_some() { self.controller_config(candidate)? } else { None };
        let base = self.base(candidate, named, controller_config)?;
        let edits_all = self.terms.moves.is_none() && matches!(base, Base::Own(..));
        let mut others = self.model.runtime_configs_named(named.name).skip(1).peekable();
        if let Some((id, _)) = others.peek().filter(|_| !edits_all) {
            let name = named.name;
            if holds_placeholder(name) {
                let message = format!(
                    "{meta} is not changed: the name of its DeploymentRuntimeConfig, {name}, is filled in later, and several \
                     objects of the input have it. Give the files of one package at a time"
                );
                self.findings
                    .push(Finding::new(Severity::Warning, rule::RUNTIME_CONFIG, message).on_object(candidate.id));
                return None;
            }
            let message = format!(
                "DeploymentRuntimeConfig {name} is in the input more than once, and {meta} uses it: it is undefined which one wins. Remove \
                 one, or give the files of one cluster, or of one render, at a time"
            );
            self.findings.push(Finding::new(Severity::Error, rule::DUPLICATE_OBJECT, message).on_object(*id));
            return None;
        }
        let mut runtime = self.build_from(candidate, named, controller_config, may_declare, &base)?;
        for (id, value) in others {
            runtime.others.extend(self.build_from(candidate, named, None, may_declare, &Base::Own(id, value)));
        }
        runtime.findings = std::mem::take(&mut self.if_moved);
        Some(runtime)
    }

    /// Builds the runtime of a package from a starting point, without its findings.
    fn build_from(
        &mut self,
        candidate: Candidate<'m>,
        named: Named<'m>,
        controller_config: Option<(ObjectId, &'m ControllerConfig, &'m str)>,
        may_declare: bool,
        base: &Base<'m>,
    ) -> Option<Runtime> {
        let Candidate { meta, package, .. } = candidate;
        let mut edits = Vec::new();
        let mut draft = self.draft(candidate, base, named, &mut edits)?;
        let container = container(&mut draft);
        let mut own = Draft::new(candidate.id, package.object.clone(), meta.to_string());
        let spec = Path::root().key("spec");
        if let Some(conversion) = controller_config {
            let declared = package_ports(package.kind);
            let declared = if may_declare { &[][..] } else { &declared };
            self.convert(candidate, conversion, &mut draft, &mut own, &container, declared);
        }
        if !may_declare && self.terms.moves.is_some() {
            self.refuse_duplicate_declaration(candidate, &draft, &container)?;
        }
        let variables = self.terms.moves.as_ref().map_or(&[][..], |moves| &moves.variables);
        let template = template(self.namespace, &draft, meta, package, variables)?;
        let document = draft.object;
        if !matches!(base, Base::Own(..)) {
            let name = format!("{PREFIX}{}", meta.name);
            if let ChosenBy::ImageConfig { id, meta: chooser, config } = named.by {
                edits.push(self.image_config(candidate, &name, (id, chooser, config))?);
            } else {
                let reason = format!("is {name}: its own runtime config");
                own.put(&spec.key("runtimeConfigRef").key("name"), Value::Str(name), rule::RUNTIME_CONFIG, &reason);
            }
        }
        edits.append(&mut draft.edits);
        edits.append(&mut own.edits);
        let value = draft.value;
        Some(Runtime {
            document,
            template,
            value,
            may_declare,
            edits,
            findings: Vec::new(),
            others: Vec::new(),
            converted: controller_config.map(|(id, ..)| id),
        })
    }
}
