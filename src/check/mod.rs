//! What is wrong with host networking as it is written: rules over what is there. Plans nothing, edits nothing, does no I/O.
//!
//! A [`Situation`] is built once of the model and of what the config knows; each rule of [`rules`] is a pure predicate over it
//! and gives [`Finding`]s. A rule says who refuses or breaks, in which versions and in whose words, and what to write instead.
//! It is an error only where something certainly fails.

pub mod facts;
mod given;
mod listening;
mod packages;
pub mod rules;
mod situation;
mod versions;

pub use crate::model::listener::called;
pub use crate::plan::Finding;
pub use facts::Facts;
pub use situation::{Settings, Situation, Workload};

/// All findings of the rules that `runs` lets run, in the order of the objects.
#[must_use]
pub fn run(situation: &Situation<'_>, runs: impl Fn(&str) -> bool) -> Vec<Finding> {
    let rules = rules::ALL.iter().filter(|rule| runs(rule.rule.id));
    let mut findings: Vec<Finding> = rules.flat_map(|rule| (rule.check)(situation)).collect();
    findings.sort_by_key(|finding| finding.object);
    findings
}
