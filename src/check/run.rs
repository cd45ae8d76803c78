//! Runs all rules of `check`.

use super::context::CheckContext;
use super::{generator, rules};
use crate::model::ObjectId;
use crate::plan::Finding;

/// Runs the rules whose id `runs` accepts. Findings are sorted by object, and name the generator of the object.
pub fn run(context: &CheckContext<'_>, runs: impl Fn(&str) -> bool) -> Vec<Finding> {
    let rules = rules::ALL.iter().filter(|rule| runs(rule.rule.id));
    let mut findings: Vec<Finding> = rules.flat_map(|rule| (rule.check)(context)).collect();
    findings.sort_by_key(|finding| finding.object);
    let mut made: Option<(ObjectId, Option<(String, String)>)> = None;
    for finding in &mut findings {
        let Some(id) = finding.object.filter(|_| finding.path.is_some()) else { continue };
        if made.as_ref().is_none_or(|(known, _)| *known != id) {
            made = Some((id, generator::find_generator(context, id)));
        }
        let Some((_, Some((made_by, sentence)))) = &made else { continue };
        finding.message = format!("{}. {sentence}", finding.message);
        if let Some(brief) = &mut finding.brief {
            brief.made_by = Some(made_by.clone());
        }
    }
    findings
}
