//! Reports entries of a target that add a setting to several programs: a program without that setting does not start,
//! or keeps its port.

use std::collections::BTreeSet;

use super::assignments::{Assignment, Assignments};
use super::workload::Workload;
use crate::api::{HostNetworkConfig, Target};
use crate::catalog::{Program, best_match};
use crate::model::listener::Binding;
use crate::model::pod::Container;
use crate::plan::{Finding, listed};
use crate::rule::{self, Severity};
use lossless_yaml::Path;
use oci::name::ImageRef;

/// Maximum number of containers in a message.
const LISTED: usize = 5;

/// Warns of entries of `bind`, and of `program`, that add settings to containers with different images.
pub(super) fn report(
    config: &HostNetworkConfig,
    index: usize,
    target: &Target,
    matched: &[&Workload<'_>],
    assignments: &Assignments,
    findings: &mut Vec<Finding>,
) {
    let path = Path::dotted("spec.targets").item(index);
    let mut warn = |path: &Path, shown: &str, all: &[(&Workload<'_>, &Container)]| {
        let images: BTreeSet<&str> = all.iter().map(|(_, container)| ImageRef::split(&container.image).name).collect();
        if images.len() < 2 {
            return;
        }
        let all = all.iter().map(|(workload, it)| format!("container {} of {workload} ({})", it.name, it.image));
        let message = format!(
            "{}: {shown} for several images: {}. A program without the setting does not start, or keeps its port: write \
             it in a target that matches only its workload",
            config.place_of(path),
            listed(all, LISTED)
        );
        findings.push(Finding::new(Severity::Warning, rule::PORT_SETTING, message));
    };
    for (position, bind) in target.bind.iter().enumerate() {
        let Some(name) = bind.arg.as_ref().or(bind.env.as_ref()) else { continue };
        let adding = |(_, index, container): &(&Workload<'_>, usize, &Container), workload: &Workload<'_>| {
            let has_setting = |program: &Program| {
                program.listeners.iter().flat_map(|row| &row.settings).any(|known| known.name() == name)
            };
            container.name == bind.container
                && !workload.programs.get(*index).and_then(Option::as_deref).is_some_and(has_setting)
                && adds(workload, *index, assignments, |known| known == name)
        };
        let all: Vec<_> = containers(matched).filter(|it| adding(it, it.0)).map(|(it, _, own)| (it, own)).collect();
        warn(&path.key("bind").item(position), &format!("this entry adds `{name}`"), &all);
    }
    let Some(named) = target.program.as_deref() else { return };
    let name = named.split('@').next().unwrap_or_default();
    let runs = |workload: &Workload<'_>, index: usize, container: &Container| {
        let program = workload.programs.get(index).and_then(Option::as_deref);
        program.filter(|program| program.name == name).is_some_and(|program| {
            best_match(&program.images, ImageRef::split(&container.image).name).is_none()
                && adds(workload, index, assignments, |_| true)
        })
    };
    let all: Vec<_> = containers(matched)
        .filter(|(workload, index, container)| runs(workload, *index, container))
        .map(|(workload, _, container)| (workload, container))
        .collect();
    warn(&path.key("program"), &format!("`program: {named}` counts"), &all);
}

/// Running containers with an image.
fn containers<'w>(matched: &'w [&'w Workload<'_>]) -> impl Iterator<Item = (&'w Workload<'w>, usize, &'w Container)> {
    matched.iter().copied().flat_map(|workload| {
        let running = workload.template.running().filter(|(_, container)| !container.image.is_empty());
        running.map(move |(index, container)| (workload, index, container))
    })
}

/// True if the move adds a setting for which `is_meant` is true to a container.
fn adds(workload: &Workload<'_>, index: usize, assignments: &Assignments, is_meant: impl Fn(&str) -> bool) -> bool {
    workload.listeners.iter().enumerate().any(|(position, listener)| {
        assignments.choice(workload.id, position) != Assignment::Keep
            && listener.bindings().any(|binding| {
                matches!(binding, Binding::Add { container, known, .. } if *container == index && is_meant(known.name()))
            })
    })
}
