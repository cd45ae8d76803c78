//! Listeners that cannot get another number, and what to write for them.

use super::assignments::{Assignment, Assignments};
use super::workload::Workload;
use crate::catalog::PackageKind;
use crate::model::listener::{Binding, Listener, filled_in_later};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Listeners with an automatic number that cannot get one: a warning, unless the config names them. They keep theirs.
pub(super) fn keep(workloads: &[Workload<'_>], wanted: &mut Assignments, findings: &mut Vec<Finding>) {
    for workload in workloads {
        for (position, listener) in workload.listeners.iter().enumerate() {
            if wanted.choice(workload.id, position) != Assignment::Auto {
                continue;
            }
            let Some(why) = why(workload, listener) else { continue };
            let named = wanted.names(workload, position);
            // That a Function keeps its ports is what the config asks for when it moves one.
            if !named && PackageKind::of(workload.meta) == Some(PackageKind::Function) {
                wanted.keep(workload.id, position);
                continue;
            }
            let severity = if named { Severity::Error } else { Severity::Warning };
            let call = workload.call(listener);
            let what = if named { "`auto` cannot move it" } else { "keeps its number" };
            let message = format!("{call}: {what}: {why}. {}", bind_hint(workload, listener));
            let finding = Finding::new(severity, rule::PORT_SETTING, message);
            findings.push(finding.on(workload.id.object).at(workload.field(listener)).of_port(listener.number));
            wanted.keep(workload.id, position);
        }
    }
}

/// Why a listener cannot get another number; none when it can.
pub(super) fn why(workload: &Workload<'_>, listener: &Listener) -> Option<String> {
    match &listener.binding {
        Binding::Visible(_) | Binding::ConfigMap(_) | Binding::Add { .. } | Binding::Phantom => None,
        Binding::Fixed(why) => Some(why.clone()),
        Binding::Unknown(places) if places.is_empty() => {
            let later = workload.container(listener).map(filled_in_later).unwrap_or_default();
            Some(match later.is_empty() {
                true => "nothing in the manifest or the catalogue says what sets its number".to_owned(),
                false => format!("{} is filled in later, and may be what sets it", later.join(", ")),
            })
        }
        Binding::Unknown(places) => {
            Some(format!("the number stands in {}, which may or may not be where it listens", places.join(", ")))
        }
    }
}

/// The line of the config that says how.
pub(super) fn bind_hint(workload: &Workload<'_>, listener: &Listener) -> String {
    let container = workload.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
    let program = match PackageKind::of(workload.meta) {
        Some(_) => "If `spec.package` does not say what runs, say it in the target: `program: NAME@VERSION`. ",
        None => "",
    };
    format!(
        "{program}If you know the flag or variable, add to the target: `bind: [{{container: {container}, port: {}, number: {}, \
         arg: --FLAG, value: \":{{port}}\"}}]`",
        listener.label, listener.number
    )
}
