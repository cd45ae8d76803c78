//! Baseline of a check: findings of an earlier report do not make the run fail.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::ConfigError;
use crate::render::check::{Baseline, Report};

/// Marks findings that an earlier report also contains, and counts the findings of that report that no longer occur.
/// `former` is the earlier report, JSON or SARIF of this program; `origin` is its name in messages.
pub fn compare(report: &mut Report, former: &str, origin: &str) -> Result<(), ConfigError> {
    let former = read(former, origin)?;
    for entry in &mut report.entries {
        let is_known = former.contains(&entry.fingerprint);
        entry.baseline = Some(if is_known { Baseline::Unchanged } else { Baseline::New });
        entry.fails &= !is_known;
    }
    let now: BTreeSet<&str> = report.entries.iter().map(|entry| entry.fingerprint.as_str()).collect();
    report.gone = Some(former.iter().filter(|known| !now.contains(known.as_str())).count());
    Ok(())
}

/// Fingerprints in a report. Suppressed findings are excluded, so they are new once the suppression is removed.
fn read(text: &str, origin: &str) -> Result<BTreeSet<String>, ConfigError> {
    let wrong = |place: String, problem: &str| {
        let how = "a baseline is a report of `hostnet check -o json=FILE` or `-o sarif=FILE`";
        ConfigError::new(place, format!("{problem}; {how}"))
    };
    let report: Value = serde_json::from_str(text).map_err(|error| {
        let place = format!("{origin}:{}:{}", error.line(), error.column());
        let problem = error.to_string();
        wrong(place, problem.rsplit_once(" at line ").map_or(problem.as_str(), |(problem, _)| problem))
    })?;
    let print = |result: &Value| match (result.get("fingerprint"), result.pointer("/partialFingerprints/hostnet~1v1")) {
        (Some(Value::String(print)), _) | (None, Some(Value::String(print))) => Some(print.clone()),
        _ => None,
    };
    let is_open = |result: &&Value| {
        let suppressions = result.get("suppressions").and_then(Value::as_array);
        result.get("suppressed").is_none() && suppressions.is_none_or(Vec::is_empty)
    };
    let runs = report.get("runs").and_then(Value::as_array);
    let runs = runs.map(|runs| runs.iter().map(|run| run.get("results")).collect::<Vec<_>>());
    let lists = runs.unwrap_or_else(|| vec![report.get("findings")]);
    let mut prints = BTreeSet::new();
    for list in lists {
        let list = list.and_then(Value::as_array);
        let list =
            list.ok_or_else(|| wrong(origin.to_owned(), "it has neither `findings` nor `runs` with `results`"))?;
        for result in list.iter().filter(is_open) {
            prints
                .insert(print(result).ok_or_else(|| {
                    wrong(origin.to_owned(), "a finding in the report has no fingerprint of hostnet")
                })?);
        }
    }
    Ok(prints)
}
