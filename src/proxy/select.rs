//! Selects the objects that the targets of a config match.

use std::collections::BTreeMap;

use super::explain::Host;
use crate::api::{ConfigError, ProxyConfig, ProxyTarget};
use crate::model::listener::called;
use crate::model::{Model, Object, ObjectId};
use crate::version::ProgramVersion;

use crate::plan::{Finding, Matcher, NothingSelected, misread, reason_not_moved, unmatched};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// The compiled targets of a config.
#[derive(Debug)]
pub struct ProxyTargets<'c> {
    /// The config.
    pub(super) config: &'c ProxyConfig,
    targets: Vec<(Matcher, &'c ProxyTarget)>,
    exclude: Vec<Matcher>,
}

/// The objects that targets select, in reading order, each with its target.
#[derive(Debug, Default)]
pub(super) struct Chosen<'c> {
    pub(super) workloads: Vec<(ObjectId, &'c ProxyTarget)>,
    pub(super) packages: Vec<(ObjectId, &'c ProxyTarget)>,
    /// Set if no target matches any object.
    pub(super) nothing: Option<NothingSelected>,
}

impl<'c> ProxyTargets<'c> {
    /// Compiles the selectors of a config, and validates destinations and version.
    pub fn compile(config: &'c ProxyConfig) -> Result<Self, ConfigError> {
        let spec = &config.proxy.spec;
        let root = Path::root().key("spec");
        let target = |(index, target): (usize, &'c ProxyTarget)| {
            let path = root.key("targets").item(index).key("select");
            Ok((Matcher::new(&target.select, config, &path)?, target))
        };
        for (index, destination) in spec.destinations.iter().enumerate() {
            if let Err(reason) = Host::read(&destination.host) {
                return Err(config.error_at(&root.key("destinations").item(index).key("host"), reason));
            }
        }
        if let Some(version) = spec.crossplane.version.as_deref()
            && !ProgramVersion::read(version).is_known()
        {
            let message = format!("`{version}` is not a version: expected one such as `v2.0.2`");
            return Err(config.error_at(&root.key("crossplane").key("version"), message));
        }
        let exclude = |(index, select)| Matcher::new(select, config, &root.key("exclude").item(index));
        Ok(Self {
            config,
            targets: spec.targets.iter().enumerate().map(target).collect::<Result<_, _>>()?,
            exclude: spec.exclude.iter().enumerate().map(exclude).collect::<Result<_, _>>()?,
        })
    }

    /// Selects workloads and packages; targets without a match, and matches without containers, become findings.
    pub(super) fn choose(&self, model: &Model, findings: &mut Vec<Finding>) -> Chosen<'c> {
        let selects_by_call = |matcher: &Matcher| matcher.called.is_some();
        let by_call = self.targets.iter().map(|(matcher, _)| matcher).chain(&self.exclude).any(selects_by_call);
        let called = if by_call { called(model) } else { BTreeMap::new() };
        let mut chosen = Chosen::default();
        let mut matched = vec![false; self.targets.len()];
        for (id, object) in model.objects().iter().enumerate() {
            let is_called = called.contains_key(&id);
            let mut first = None;
            for ((position, (matcher, target)), matched) in self.targets.iter().enumerate().zip(&mut matched) {
                if matcher.matches_if_called(object, is_called) {
                    *matched = true;
                    first = first.or(Some((position, *target)));
                }
            }
            let excluded = || {
                self.exclude.iter().any(|selector| selector.matches(&object.meta) && selector.matches_call(is_called))
            };
            let Some((position, target)) = first.filter(|_| !object.meta.is_local_config() && !excluded()) else {
                continue;
            };
            if object.has_template() {
                chosen.workloads.push((id, target));
            } else if object.package().is_some() {
                chosen.packages.push((id, target));
            } else {
                self.report_without_containers(id, object, position, findings);
            }
        }
        for (position, (matched, (matcher, target))) in matched.iter().zip(&self.targets).enumerate() {
            if *matched {
                findings.extend(misread::report_target(model, matcher, &target.select, || self.place(position)));
            } else {
                self.unmatched(model, position, findings);
            }
        }
        let exclude = &self.config.proxy.spec.exclude;
        findings.extend(misread::report_excludes(model, self.config, exclude));
        if !matched.contains(&true) && self.config.proxy.spec.unmatched.severity().is_some() {
            let by_call = self.targets.iter().any(|(matcher, _)| matcher.called == Some(true));
            chosen.nothing =
                Some(NothingSelected { by_call, accepted_by: "unmatched: Ignore", ..NothingSelected::default() });
        }
        chosen
    }

    /// Position of a target's select in the config.
    fn place(&self, position: usize) -> String {
        self.config.place_of(&Path::dotted("spec.targets").item(position).key("select"))
    }

    /// Reports a selected object that has no containers.
    fn report_without_containers(&self, id: ObjectId, object: &Object, position: usize, findings: &mut Vec<Finding>) {
        // Runtime configs and other package settings are changed together with their packages.
        if object.meta.gvk.group == crate::model::facts::package::GROUP {
            return;
        }
        let reason = if reason_not_moved(object).is_some() {
            "variables cannot be written into objects of its kind. Put them into its manifest by hand"
        } else {
            "it has no pod template: nothing is written"
        };
        let message = format!("{}: the target at {} selects it, and {reason}", object.meta, self.place(position));
        findings.push(Finding::new(Severity::Warning, rule::UNMATCHED, message).on_object(id));
    }

    /// Reports a target that matches no object.
    fn unmatched(&self, model: &Model, position: usize, findings: &mut Vec<Finding>) {
        let Some(severity) = self.config.proxy.spec.unmatched.severity() else { return };
        let Some((matcher, target)) = self.targets.get(position) else { return };
        let message = format!(
            "{}: this target matches no object of the input{}. Patterns match whole names, after prefixes and suffixes of kustomize were \
             added; write `unmatched: Ignore` in the spec if this is intended",
            self.place(position),
            unmatched::hint(model, matcher, &target.select)
        );
        findings.push(Finding::new(severity, rule::UNMATCHED, message));
    }
}
