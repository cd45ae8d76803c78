//! What is wrong with host networking as it is written: rules over what is there. Plans nothing, edits nothing, does no I/O.
//!
//! A [`Situation`] is built once of the model and of what the config knows; each rule of [`rules`] is a pure predicate over it
//! and gives [`Finding`]s. A rule says who refuses or breaks, in which versions and in whose words, and what to write instead.
//! It is an error only where something certainly fails.

mod alternatives;
pub mod facts;
mod generator;
mod given;
mod listening;
mod packages;
pub mod rules;
mod running;
mod scale;
mod sharing;
mod situation;
mod versions;

pub use crate::model::listener::called;
pub use crate::plan::Finding;
pub use facts::Facts;
pub use running::{Running, RunningPod};
pub use situation::{Settings, Situation, Workload};

use crate::model::ObjectId;

/// All findings of the rules that `runs` lets run, in the order of the objects.
#[must_use]
pub fn run(situation: &Situation<'_>, runs: impl Fn(&str) -> bool) -> Vec<Finding> {
    let rules = rules::ALL.iter().filter(|rule| runs(rule.rule.id));
    let mut findings: Vec<Finding> = rules.flat_map(|rule| (rule.check)(situation)).collect();
    findings.sort_by_key(|finding| finding.object);
    let mut made: Option<(ObjectId, Option<String>)> = None;
    for finding in &mut findings {
        let Some(id) = finding.object.filter(|_| finding.path.is_some()) else { continue };
        if made.as_ref().is_none_or(|(known, _)| *known != id) {
            made = Some((id, generator::sentence(situation, id)));
        }
        if let Some((_, Some(sentence))) = &made {
            finding.message = format!("{}. {sentence}", finding.message);
        }
    }
    findings
}
