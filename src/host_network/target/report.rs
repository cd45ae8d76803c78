//! Reports targets without matches, and matched objects that have nothing to move.

use std::collections::BTreeSet;

use super::{Compiled, Targets};
use crate::catalog::PackageKind;
use crate::host_network::called::Called;
use crate::host_network::left_kinds;
use crate::model::facts::package;
use crate::model::{Model, Object, ObjectId};
use crate::plan::{Finding, instead, left_kind, unmatched};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

impl Targets<'_> {
    /// Reports matched objects of a target that have nothing to move; without matches, reports the target.
    pub(super) fn report(
        &self,
        model: &Model,
        index: usize,
        ids: &[ObjectId],
        called: &Called,
        findings: &mut Vec<Finding>,
    ) {
        let place = || self.config.place_of(&Path::dotted("spec.targets").item(index).key("select"));
        if ids.is_empty() {
            // Objects under `exclude` and objects of earlier targets count as matches.
            if self.matched(model, index, called).next().is_some() {
                findings.extend(self.decided_before(model, index, called));
                return;
            }
            let Some(severity) = self.config.host_network.spec.unmatched.severity() else { return };
            let Some(target) = self.compiled.get(index) else { return };
            let message = format!(
                "{}: this target matches no object of the input{}. Patterns match whole names, after prefixes and suffixes of kustomize \
                 were added; write `unmatched: Ignore` in the spec if this is intended",
                place(),
                unmatched::hint(model, &target.matcher, &target.target.select),
            );
            findings.push(Finding::new(severity, rule::UNMATCHED, message));
            return;
        }
        let objects = || ids.iter().filter_map(|&id| Some((id, model.object(id)?)));
        let is_nothing = |object: &Object| !object.has_template() && !object.is_package();
        let none = objects().all(|(_, object)| is_nothing(object));
        left_kinds::report(objects(), place, none, findings);
        let is_reported = left_kind::has_reason;
        for (id, object) in objects().filter(|(_, object)| is_nothing(object) && !is_reported(object)) {
            let meta = &object.meta;
            let instead = instead(&meta.gvk.group, &meta.gvk.kind);
            let (severity, rule, reason) = if meta.gvk.group == package::GROUP {
                // Package sets usually also contain the objects that configure packages.
                if !none && meta.gvk.kind != "Configuration" {
                    continue;
                }
                let severity = if none { Severity::Error } else { Severity::Info };
                let reason = match PackageKind::from_meta(meta) {
                    Some(_) => "it has no spec.package".to_owned(),
                    None => format!(
                        "Crossplane runs no pods for it; {}",
                        instead.unwrap_or("only Providers and Functions move")
                    ),
                };
                (severity, rule::PACKAGE, reason)
            } else {
                let severity = if none { Severity::Error } else { Severity::Warning };
                let other = "other kinds that do go under `templates` in the spec";
                (severity, rule::UNMATCHED, format!("it has no pod template ({})", instead.unwrap_or(other)))
            };
            let message = format!("{meta} is matched by the target at {} and not changed: {reason}", place());
            findings.push(Finding::new(severity, rule, message).on(id));
        }
    }

    /// Reports a target whose objects all belong to earlier targets: a warning if the earlier target is broader, which
    /// shows a wrong order; else a note, since a broad target after narrow ones is intended.
    fn decided_before(&self, model: &Model, index: usize, called: &Called) -> Option<Finding> {
        let place = |index: usize| self.config.place_of(&Path::dotted("spec.targets").item(index).key("select"));
        let own: BTreeSet<ObjectId> = self.matched(model, index, called).map(|(id, _)| id).collect();
        let excluded = |id: ObjectId| {
            model.object(id).is_none_or(|object| {
                let is_called = called.contains_key(&id);
                object.meta.is_local_config()
                    || self
                        .exclude
                        .iter()
                        .any(|matcher| matcher.matches(&object.meta) && matcher.matches_call(is_called))
            })
        };
        let mut before = BTreeSet::new();
        for id in own.iter().copied().filter(|id| !excluded(*id)) {
            let matches = |target: &Compiled<'_>| {
                let matches = |o: &&Object| target.matcher.matches_if_called(o, called.contains_key(&id));
                model.object(id).filter(matches).is_some_and(|o| !target.skips(model, o))
            };
            before.extend(self.compiled.iter().take(index).position(matches));
        }
        let broad = before
            .iter()
            .copied()
            .find(|earlier| self.matched(model, *earlier, called).any(|(id, _)| !own.contains(&id)));
        if let Some(broad) = broad {
            let message = format!(
                "{}: all objects that this target matches are also matched by the target at {}, which comes first, and the first match \
                 decides. Put this target before that one",
                place(index),
                place(broad)
            );
            return Some(Finding::new(Severity::Warning, rule::UNMATCHED, message));
        }
        let first = before.into_iter().next()?;
        let message = format!(
            "{}: all objects that this target matches are decided by earlier ones, the first at {}",
            place(index),
            place(first)
        );
        Some(Finding::new(Severity::Info, rule::UNMATCHED, message))
    }
}
