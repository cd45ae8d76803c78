//! Guessed listeners (known only by the name of a setting) whose numbers another workload uses on
//! the node.

use super::conflict::conflict;
use crate::check::port_use::{Bound, Use, Uses};
use crate::check::{CheckContext, Finding, Workload};
use crate::model::listener::{Guess, program_row};
use crate::model::text::Form;
use crate::rule::{PORT_CONFLICT, Severity};

/// Reports the guesses of workloads on the host network whose numbers other workloads use. A guess may be the port of a
/// client, so two guesses with the same number are not reported.
pub(super) fn find(context: &CheckContext<'_>, uses: &Uses<'_, '_>) -> Vec<Finding> {
    let on_host = context.workloads.iter().filter(|workload| workload.on_host());
    let guesses = on_host.flat_map(|workload| workload.ports.guesses.iter().map(move |guess| (workload, guess)));
    guesses.filter_map(|(workload, guess)| conflict_of_guess(context, uses, workload, guess)).collect()
}

/// Returns the finding about the first workload that uses the number of a guess and may share a node.
fn conflict_of_guess(
    context: &CheckContext<'_>,
    uses: &Uses<'_, '_>,
    workload: &Workload<'_>,
    guess: &Guess,
) -> Option<Finding> {
    let (number, protocol) = (guess.setting.port, guess.protocol());
    let known = uses.get(&(number, protocol.to_owned()))?;
    let container = workload.template.containers.get(guess.container)?;
    let one = Use {
        workload,
        container: container.name.clone(),
        path: guess.setting.place.path.clone(),
        listener: None,
        address: "",
        bound: Bound::new(container, &guess.setting),
        is_declared: false,
        is_certain: false,
    };
    let other = known.iter().find(|other| conflict(context, number, &one, other))?;
    // A client of an address of all interfaces reaches its own pod, so a process of the pod listens there.
    let severity = if guess.setting.form == Form::AnyAddress { Severity::Warning } else { Severity::Info };
    let message = format!(
        "{}: `{}` {number} may be a port of the process according to its name only, and {} uses port {number}/{protocol} of their node: if the process \
         listens there, the second one on a node fails with `bind: address already in use`. If it does, give one of the two another number; if \
         not, write under `programs` of a HostNetwork that you give with `-c` `- {}`",
        one.display_name(),
        guess.setting.name,
        other.display_name(),
        program_row(container, Some(&guess.setting.name)),
    );
    let finding = Finding::new(severity, PORT_CONFLICT, message).on_object(one.workload.object).at(one.path.clone());
    let finding = finding.of_port(number).with(other.workload.object, other.path.clone());
    let fix = "give one of the two another port if both listen on it: only a name shows it";
    let finding = finding.brief(fix, format!("perhaps {number}/{protocol}"));
    Some(finding.about(format!("{} and {}", workload.meta, other.workload.meta)))
}
