//! Reports targets without matches, and matched objects that have nothing to move.

use std::collections::BTreeSet;

use super::{Compiled, Targets};
use crate::api::{PortChoice, Ports, Target};
use crate::catalog::PackageKind;
use crate::host_network::called::Called;
use crate::host_network::left_kinds;
use crate::model::facts::package;
use crate::model::{Meta, Model, Object, ObjectId};
use crate::plan::{Finding, Matcher, left_kind, listed, misread, select_suggestion, unmatched};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Maximum number of names in a message.
const LISTED: usize = 5;

impl Targets<'_> {
    /// Reports matched objects of a target that have nothing to move; without matches, reports the target.
    pub(super) fn report_unmoved_objects(
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
            let finding = Finding::new(severity, rule::UNMATCHED, message);
            let is_glob = misread::misses_by_glob(model, &target.matcher, &target.target.select);
            findings.push(if is_glob { finding.error_in_build() } else { finding });
            return;
        }
        let objects = || ids.iter().filter_map(|&id| Some((id, model.object(id)?)));
        let is_nothing = |object: &Object| !object.has_template() && object.package().is_none();
        let none = objects().all(|(_, object)| is_nothing(object));
        let (reported, numbers) = (findings.len(), self.numbers(index));
        left_kinds::report_objects_without_pods(objects(), place, none, findings);
        if none && findings.len() > reported && !numbers.is_empty() {
            let message = format!("{}: {numbers} has no effect: no object that this target matches moves", place());
            findings.push(Finding::new(Severity::Warning, rule::UNMATCHED, message).error_in_build());
        }
        let is_reported = left_kind::is_reported_with_reason;
        for (id, object) in objects().filter(|(_, object)| is_nothing(object) && !is_reported(object)) {
            let meta = &object.meta;
            let instead = select_suggestion(&meta.gvk.group, &meta.gvk.kind);
            let (severity, rule, reason) = if meta.gvk.group == package::GROUP {
                // Do not report objects that only configure packages: a target for several packages
                // usually matches them too.
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
                let other = "if its kind has one, list the kind under `templates` in the spec";
                (severity, rule::UNMATCHED, format!("it has no pod template ({})", instead.unwrap_or(other)))
            };
            let message = format!("{meta} is matched by the target at {} and not changed: {reason}", place());
            findings.push(Finding::new(severity, rule, message).on_object(id));
        }
    }

    /// Reports a target whose objects all belong to earlier targets or `exclude`. A warning if an
    /// earlier target is broader, because the order is then wrong, or if a number of the target has
    /// no effect. Otherwise a note, because a broad target after narrow targets is intended.
    fn decided_before(&self, model: &Model, index: usize, called: &Called) -> Option<Finding> {
        let place = |index: usize| self.config.place_of(&Path::dotted("spec.targets").item(index).key("select"));
        let own: BTreeSet<ObjectId> = self.matched(model, index, called).map(|(id, _)| id).collect();
        let (mut before, mut excluding) = (BTreeSet::new(), BTreeSet::new());
        for id in own.iter().copied() {
            let Some(object) = model.object(id).filter(|object| !object.meta.is_local_config()) else { continue };
            let is_called = called.contains_key(&id);
            let excludes = |matcher: &Matcher| matcher.matches(&object.meta) && matcher.matches_call(is_called);
            if let Some(entry) = self.exclude.iter().position(excludes) {
                excluding.insert(entry);
                continue;
            }
            let decides = |target: &Compiled<'_>| {
                target.matcher.matches_if_called(object, is_called) && !target.skips(model, object)
            };
            before.extend(self.compiled.iter().take(index).position(decides));
        }
        let given = self.numbers_without_effect(index, &before, &excluding);
        let shown = if given.is_empty() { String::new() } else { format!("{given} has no effect: ") };
        let broad = before
            .iter()
            .copied()
            .find(|earlier| self.matched(model, *earlier, called).any(|(id, _)| !own.contains(&id)));
        let decides = broad.or(before.first().copied().filter(|_| !given.is_empty()));
        if let Some(earlier) = decides {
            let message = format!(
                "{}: {shown}all objects that this target matches are also matched by the target at {}, which comes \
                 first, and the first match decides. Move this target before it",
                place(index),
                place(earlier)
            );
            let finding = Finding::new(Severity::Warning, rule::UNMATCHED, message);
            return Some(if given.is_empty() { finding } else { finding.error_in_build() });
        }
        if let Some(entry) = excluding.first().filter(|_| !given.is_empty()) {
            let severity = self.config.host_network.spec.unmatched.severity()?;
            let message = format!(
                "{}: {shown}all objects that this target matches are excluded by the entry at {}. Remove the target or \
                 the entry",
                place(index),
                self.config.place_of(&Path::dotted("spec.exclude").item(*entry))
            );
            return Some(Finding::new(severity, rule::UNMATCHED, message).error_in_build());
        }
        let Some(first) = before.into_iter().next() else {
            return if excluding.is_empty() { self.all_stay(model, index, &own) } else { None };
        };
        let message = format!(
            "{}: earlier targets match all objects that this target matches; the first of these targets is at {}",
            place(index),
            place(first)
        );
        Some(Finding::new(Severity::Info, rule::UNMATCHED, message))
    }

    /// Reports a target that only matches objects that are not applied to the cluster, or hooks and Jobs that it skips.
    /// An error if the target has numbers, which have no effect.
    fn all_stay(&self, model: &Model, index: usize, own: &BTreeSet<ObjectId>) -> Option<Finding> {
        let metas: Vec<&Meta> = own.iter().filter_map(|id| model.object(*id)).map(|object| &object.meta).collect();
        let numbers = self.numbers(index);
        let are_local = metas.iter().all(|meta| meta.is_local_config());
        let severity = match numbers.is_empty() {
            false => Severity::Error,
            // A select without a name is not meant for one hook; `hooks::report_hooks` lists the skipped objects.
            true if !are_local || self.compiled.get(index)?.target.select.name.is_none() => return None,
            true => self.config.host_network.spec.unmatched.severity()?,
        };
        let reason = if are_local {
            "have the annotation `config.kubernetes.io/local-config`, so they are not applied and stay unchanged"
        } else {
            "are hooks of a release or Jobs without a port, which a broad select leaves on the pod network; to move one, \
             select it by `name`, `kind` or `labelSelector`"
        };
        let effect = if numbers.is_empty() { numbers } else { format!("{numbers} has no effect: ") };
        let place = self.config.place_of(&Path::dotted("spec.targets").item(index).key("select"));
        let message =
            format!("{place}: {effect}all objects that this target matches {reason}: {}", listed(metas, LISTED));
        Some(Finding::new(severity, rule::UNMATCHED, message))
    }

    /// Lists the numbers of a target that have no effect, as `hook: 20443`, because its objects belong to earlier
    /// targets or to entries of `exclude`. Empty if all of these are narrower than the target, as exceptions of it.
    fn numbers_without_effect(&self, index: usize, before: &BTreeSet<usize>, excluding: &BTreeSet<usize>) -> String {
        let Some(Compiled { matcher, .. }) = self.compiled.get(index) else { return String::new() };
        let earlier = before.iter().filter_map(|index| Some(&self.compiled.get(*index)?.matcher));
        let mut deciding = earlier.chain(excluding.iter().filter_map(|entry| self.exclude.get(*entry)));
        if deciding.all(|deciding| deciding.is_narrower(matcher)) {
            return String::new();
        }
        self.numbers(index)
    }

    /// Lists the numbers of a target, as `hook: 20443`.
    fn numbers(&self, index: usize) -> String {
        let Some(Compiled { target: Target { ports: Ports::Map(map), .. }, .. }) = self.compiled.get(index) else {
            return String::new();
        };
        let shown = map.iter().filter_map(|(key, choice)| match choice {
            PortChoice::Number(number) => Some(format!("`{key}: {number}`")),
            PortChoice::Keep | PortChoice::Auto => None,
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}
