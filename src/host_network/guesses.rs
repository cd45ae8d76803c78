//! Possible listeners, based only on the name of a setting: left unchanged, and reported once per workload.

use super::bind_entry::BindEntry;
use super::workload::Workload;
use crate::model::listener::{Guess, program_row};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Findings about the guesses of workloads, with the `bind` and `programs` lines to write.
pub(super) fn report_guesses(workloads: &[Workload<'_>]) -> Vec<Finding> {
    workloads.iter().filter_map(workload_finding).collect()
}

/// Reports the settings of a workload that may be ports according to their names, without other
/// evidence.
fn workload_finding(workload: &Workload<'_>) -> Option<Finding> {
    let first = workload.guesses.first()?;
    let container = workload.template.containers.get(first.container)?;
    let list: Vec<String> = workload.guesses.iter().map(|guess| guess_label(workload, guess)).collect();
    // Without any listener in the container, the ports of the process are unknown.
    let is_alone = |guess: &Guess| workload.listeners.iter().all(|listener| listener.container != guess.container);
    let is_certain = |guess: &Guess| is_alone(guess) || is_open_url(workload, guess);
    let severity = if workload.guesses.iter().any(is_certain) { Severity::Warning } else { Severity::Info };
    let (may, each) = match list.len() {
        1 => ("may be a port of the process according to its name only, so it is", "it"),
        _ => ("may be ports of the process according to their names only, so they are", "one"),
    };
    let message = format!(
        "{}: {} {may} not changed. If {each} is one, {}; if not, write under `programs` \
         `- {}`",
        workload,
        list.join(", "),
        workload.add_bind_remedy(&[BindEntry::for_guess(workload, first).to_string()]),
        program_row(container, Some(&first.setting.name)),
    );
    let finding = Finding::new(severity, rule::PORT_GUESS, message);
    Some(finding.on_object(workload.id.object).at(first.setting.place.path.clone()))
}

/// True for a URL of all interfaces with a number that no listener of the pod has: a client of such a URL reaches the
/// pod itself, so some process of the pod listens there.
fn is_open_url(workload: &Workload<'_>, guess: &Guess) -> bool {
    let is_other = || workload.listeners.iter().any(|listener| listener.number == guess.setting.port);
    guess.setting.is_open_url() && !is_other()
}

/// `--port` 8080 (container web)
fn guess_label(workload: &Workload<'_>, guess: &Guess) -> String {
    let container = workload.template.containers.get(guess.container).map(|c| c.name.as_str()).unwrap_or_default();
    format!("`{}` {} (container {container})", guess.setting.name, guess.setting.port)
}
