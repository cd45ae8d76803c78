//! What the steps share that make the runtimes of packages.

use std::collections::BTreeMap;

use super::new_object;
use super::runtime_config::By;
use super::terms::{SelectedPackage, Terms};
use super::version::Core;
use crate::api::Ports;
use crate::model::facts::Package;
use crate::model::{Facts, Meta, Model, Object, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Rule, Severity};

/// A package that a target matches, with what it is.
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
    pub(super) fn of(model: &'m Model, selected: SelectedPackage<'m>) -> Option<Self> {
        let SelectedPackage { id, ports, strict, only_functions } = selected;
        let object = model.object(id)?;
        let Facts::Package(package) = &object.facts else { return None };
        Some(Self { id, meta: &object.meta, package, ports, strict, only_functions })
    }

    /// How bad it is when the package cannot be moved.
    pub(super) fn severity(self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }
}

/// Makes the runtimes of packages, one after the other.
pub(super) struct Maker<'m, 'f> {
    pub(super) model: &'m Model,
    pub(super) terms: &'m Terms<'m>,
    pub(super) core: Core,
    /// The namespace of the core, where the pods of packages are.
    pub(super) namespace: Option<&'m str>,
    /// How many packages have each runtime config.
    pub(super) users: BTreeMap<&'m str, usize>,
    /// How many of those that targets match.
    pub(super) chosen: BTreeMap<&'m str, usize>,
    pub(super) new: Vec<Meta>,
    /// Kind and name of what is there or was made, as far as new objects might be called so, and the package that it was made
    /// for.
    pub(super) names: BTreeMap<(String, String), Option<&'m Meta>>,
    pub(super) findings: &'f mut Vec<Finding>,
    /// What is to be said of the package in hand if it moves.
    pub(super) if_moved: Vec<Finding>,
}

impl<'m> Maker<'m, '_> {
    /// Whether to go on without something that the package names and that is not in the input.
    pub(super) fn missing(&mut self, of: Candidate<'m>, kind: &str, name: &str, by: By<'_>) -> bool {
        let Candidate { meta, .. } = of;
        let is_former = |object: &&Object| object.meta.gvk.kind == kind && object.meta.was_called(name);
        let former = self.model.objects().iter().find(is_former);
        let create = self.terms.missing.creates() && former.is_none();
        let what = match by {
            By::ImageConfig { meta: chooser, .. } => {
                format!("{meta}: {chooser} chooses {kind} {name} for it, which is not in the input")
            }
            By::Package | By::Nobody => format!("{meta} names {kind} {name}, which is not in the input"),
        };
        if let Some(Object { meta: former, .. }) = former {
            let message = format!(
                "{what}: {former} had that name before kustomize renamed it, and may be another base's. Write the present name of the one \
                 that is meant"
            );
            self.say(of, Severity::Error, rule::RUNTIME_CONFIG, message);
        } else if create {
            let message = format!("{what}: a new one takes its place, and what it holds no longer reaches the package");
            self.warn(of.id, rule::RUNTIME_CONFIG, message);
        } else {
            let message = format!(
                "{what}: what it holds (an IAM role, say) would be lost. Add it to the input, or write `crossplane: \
                 {{missingRuntimeConfig: CreateNew}}` in the spec"
            );
            self.say(of, Severity::Error, rule::RUNTIME_CONFIG, message);
        }
        create
    }

    /// A finding about a package, whether it moves or not.
    pub(super) fn say(&mut self, of: Candidate<'m>, severity: Severity, rule: Rule, message: String) {
        self.findings.push(Finding::new(severity, rule, message).on(of.id));
    }

    /// A warning about an object, for the case that the package moves.
    pub(super) fn warn(&mut self, object: ObjectId, rule: Rule, message: String) {
        self.if_moved.push(Finding::new(Severity::Warning, rule, message).on(object));
    }

    /// The id of a new object.
    pub(super) fn add(&mut self, kind: &str, name: &str, beside: &Meta) -> ObjectId {
        self.new.push(new_object::meta(kind, name, beside));
        self.model.objects().len() + self.new.len() - 1
    }
}
