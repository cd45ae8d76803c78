//! State shared by the steps that build runtimes of packages.

use std::collections::BTreeMap;

use super::new_object;
use super::runtime_config::ChosenBy;
use super::terms::{SelectedPackage, Terms};
use super::version::Core;
use crate::api::Ports;
use crate::model::facts::Package;
use crate::model::{Meta, Model, Object, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Rule, Severity};

/// A package that a target matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'m> {
    pub(super) id: ObjectId,
    pub(super) meta: &'m Meta,
    pub(super) package: &'m Package,
    pub(super) ports: &'m Ports,
    strict: bool,
    pub(super) only_functions: bool,
}

impl<'m> Candidate<'m> {
    pub(super) fn new(model: &'m Model, selected: SelectedPackage<'m>) -> Option<Self> {
        let SelectedPackage { id, ports, strict, only_functions } = selected;
        let object = model.object(id)?;
        let package = object.package()?;
        Some(Self { id, meta: &object.meta, package, ports, strict, only_functions })
    }

    /// The severity if the package cannot be moved.
    pub(super) fn severity(self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }
}

/// Builds the runtimes of packages one by one.
pub(super) struct Maker<'m, 'f> {
    pub(super) model: &'m Model,
    pub(super) terms: &'m Terms<'m>,
    pub(super) core: Core,
    /// The namespace of the core, in which packages run.
    pub(super) namespace: Option<&'m str>,
    /// The number of packages using each runtime config.
    pub(super) users: BTreeMap<&'m str, usize>,
    /// The number of matched packages using each runtime config.
    pub(super) chosen: BTreeMap<&'m str, usize>,
    pub(super) new: Vec<Meta>,
    /// Kind and name of existing and created objects that a new object could collide with, and the package that an
    /// object was created for.
    pub(super) names: BTreeMap<(String, String), Option<&'m Meta>>,
    pub(super) findings: &'f mut Vec<Finding>,
    /// Findings about the current package, reported if it moves.
    pub(super) if_moved: Vec<Finding>,
}

impl<'m> Maker<'m, '_> {
    /// Reports an object that the package references and that is not in the input. True if a new object replaces it.
    pub(super) fn missing(&mut self, candidate: Candidate<'m>, kind: &str, name: &str, by: ChosenBy<'_>) -> bool {
        let Candidate { meta, .. } = candidate;
        let is_former = |object: &&Object| object.meta.gvk.kind == kind && object.meta.had_name(name);
        let former = self.model.objects().iter().find(is_former);
        let create = self.terms.missing.creates() && former.is_none();
        let problem = match by {
            ChosenBy::ImageConfig { meta: chooser, .. } => {
                format!("{meta}: {chooser} chooses {kind} {name} for it, which is not in the input")
            }
            ChosenBy::Package | ChosenBy::Default => format!("{meta} names {kind} {name}, which is not in the input"),
        };
        if let Some(Object { meta: former, .. }) = former {
            let message = format!(
                "{problem}: {former} had that name before kustomize renamed it, and may belong to another base. Write \
                 the present name of the intended object"
            );
            self.add_finding(candidate, Severity::Error, rule::RUNTIME_CONFIG, message);
        } else if create {
            let message = format!("{problem}: a new one replaces it, and its settings no longer apply to the package");
            self.warn(candidate.id, rule::RUNTIME_CONFIG, message);
        } else {
            let message = format!(
                "{problem}: its settings (such as an IAM role) would be lost. Add it to the input, or write `crossplane: \
                 {{missingRuntimeConfig: CreateNew}}` in the spec"
            );
            self.add_finding(candidate, Severity::Error, rule::RUNTIME_CONFIG, message);
        }
        create
    }

    /// Reports a finding about a package, regardless of whether it moves.
    pub(super) fn add_finding(&mut self, candidate: Candidate<'m>, severity: Severity, rule: Rule, message: String) {
        self.findings.push(Finding::new(severity, rule, message).on_object(candidate.id));
    }

    /// Reports a warning about an object if the package moves.
    pub(super) fn warn(&mut self, object: ObjectId, rule: Rule, message: String) {
        self.if_moved.push(Finding::new(Severity::Warning, rule, message).on_object(object));
    }

    /// Registers a new object and returns its id.
    pub(super) fn add(&mut self, kind: &str, name: &str, near: &Meta) -> ObjectId {
        self.new.push(new_object::meta(kind, name, near));
        self.model.objects().len() + self.new.len() - 1
    }
}
