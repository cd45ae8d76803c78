//! Finds listeners that the API server calls, and drafts a config for them: `hostnet ports` and `hostnet init` without
//! a config.

use std::collections::{BTreeMap, BTreeSet};

use super::function::RunError;
use super::host_network::{DraftPlan, Reading};
use super::run::run;
use crate::api::{API_VERSION, HOST_NETWORK, HostNetworkConfig};
use crate::host_network::{PortRow, remedies, scalar};
use crate::model::ObjectId;
use crate::model::index::object_key;
use crate::plan::pattern::exact;
use crate::render::Diagnostic;
use crate::rule::{self, Severity};
use krm::Input;

/// Result of a survey of inputs without a config.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Listeners of workloads that the API server calls; listeners of all workloads if it calls no workload.
    pub rows: Vec<PortRow>,
    /// True if the API server calls a workload.
    pub called: bool,
    /// True if an object of the input makes the API server call Services or URLs.
    pub has_callers: bool,
    /// Called URLs that name no Service, each with the object that configures the call.
    pub addresses: Vec<String>,
    /// Text of the drafted config; `None` after errors, or if no workload is called. Without a call it names the workloads
    /// with a port whose role suggests one.
    pub config: Option<String>,
    /// Results of a run with the drafted config.
    pub results: Vec<Diagnostic>,
}

/// Finds listeners that the API server calls, and drafts a config that moves them.
///
/// The draft is tested: a workload for which `ports: auto` causes a warning gets a separate target that keeps the ports
/// that cannot move or that clients on the node use, if this reduces the number of warnings. Without `may_name` the draft
/// has no names of objects.
pub fn survey(inputs: &[Input], may_name: bool) -> Result<Survey, RunError> {
    let called = draft(&config_for_called())?;
    let mut reading = Reading::new(inputs, &called)?;
    let (has_callers, addresses) = (reading.has_callers(), reading.called_addresses());
    let mut first = reading.plan(&called, true)?;
    if first.rows.is_empty() {
        // This plan only serves to find listeners; its findings are not reported.
        let all = draft(&(config("  - select: {name: .*}\n") + "  unmatched: Ignore\n"))?;
        let rows = reading.plan(&all, true)?.rows;
        let by_role = if may_name { by_role(&reading, &rows)? } else { None };
        let (config, own, mut found) = match by_role {
            Some((own, last)) => (Some(text(&own, false)), own, results(&mut reading, last)),
            None => (None, BTreeMap::new(), Vec::new()),
        };
        // A target by name answers the warning that no call leads to the workload.
        let key = |id: ObjectId| reading.objects().get(id).map(|object| object_key(&object.meta));
        let is_own = |id: ObjectId| key(id).is_some_and(|key| own.contains_key(&key));
        first
            .plan
            .findings
            .retain(|finding| finding.rule.id != rule::UNMATCHED.id && !finding.object.is_some_and(is_own));
        let of_calls = results(&mut reading, first);
        let new: Vec<Diagnostic> = of_calls.into_iter().filter(|result| !found.contains(result)).collect();
        found.extend(new);
        return Ok(Survey { rows, called: false, has_callers, addresses, config, results: found });
    }
    let rows = std::mem::take(&mut first.rows);
    if first.plan.has_errors() {
        let results = results(&mut reading, first);
        return Ok(Survey { rows, called: true, has_callers, addresses, config: None, results });
    }
    let mut trials = DraftPlans::new(&reading, first);
    if may_name {
        trials.keep_ports_if_fewer_warnings(&rows)?;
    }
    let DraftPlans { own, last, .. } = trials;
    let results = results(&mut reading, last);
    Ok(Survey { rows, called: true, has_callers, addresses, config: Some(text(&own, true)), results })
}

/// Targets of single workloads, by object key.
type Targets = BTreeMap<String, String>;

/// Targets by name for workloads with a port whose role suggests a call, and their plan; `None` without such workloads,
/// and after errors.
fn by_role(reading: &Reading<'_>, rows: &[PortRow]) -> Result<Option<(Targets, DraftPlan)>, RunError> {
    let own = targets_by_role(rows);
    if own.is_empty() {
        return Ok(None);
    }
    let mut first = reading.plan(&draft(&text(&own, false))?, true)?;
    if first.plan.has_errors() {
        return Ok(None);
    }
    let rows = std::mem::take(&mut first.rows);
    let mut trials = DraftPlans { own, is_called: false, ..DraftPlans::new(reading, first) };
    trials.keep_ports_if_fewer_warnings(&rows)?;
    Ok(Some((trials.own, trials.last)))
}

/// Results of a run with a drafted config inside of a kustomize build, where some warnings are errors.
///
/// # Errors
///
/// Input that cannot be read.
pub fn results_in_build(inputs: &[Input], config: &str) -> Result<Vec<Diagnostic>, RunError> {
    let mut results = run(inputs, &draft(config)?, false)?.results;
    warn_of_self_registering(&mut results);
    Ok(results)
}

/// Listeners of workloads that the API server calls and that are not in `selected`.
pub fn unselected_called_listeners(inputs: &[Input], selected: &[PortRow]) -> Result<Vec<PortRow>, RunError> {
    let called = draft(&config_for_called())?;
    let mut rows = Reading::new(inputs, &called)?.plan(&called, true)?.rows;
    let selected: BTreeSet<&str> = selected.iter().map(|row| row.object.as_str()).collect();
    rows.retain(|row| row.is_called() && !selected.contains(row.object.as_str()));
    Ok(rows)
}

/// Parses a drafted config.
fn draft(text: &str) -> Result<HostNetworkConfig, RunError> {
    HostNetworkConfig::read(text, "the drafted config", 1).map_err(RunError::Config)
}

/// Results of a trial; information about workloads that may register webhooks at runtime becomes a warning.
fn results(reading: &mut Reading<'_>, trial: DraftPlan) -> Vec<Diagnostic> {
    let mut results = reading.results(trial);
    warn_of_self_registering(&mut results);
    results
}

/// Maximum number of plans per survey; more than a few are needed only if workloads with kept ports conflict.
const MAX_TRIALS: usize = 24;

/// Drafts planned one after another over the same objects.
struct DraftPlans<'r, 'i> {
    reading: &'r Reading<'i>,
    /// Accepted targets.
    own: Targets,
    /// Plan with the accepted targets.
    last: DraftPlan,
    left: usize,
    /// False for workloads that only the roles of their ports select.
    is_called: bool,
}

impl<'r, 'i> DraftPlans<'r, 'i> {
    fn new(reading: &'r Reading<'i>, last: DraftPlan) -> Self {
        Self { reading, own: BTreeMap::new(), last, left: MAX_TRIALS, is_called: true }
    }

    /// Adds a separate target for each workload with a warning if it reduces the warnings. Kept ports are listed by
    /// name; if that does not help, by number.
    fn keep_ports_if_fewer_warnings(&mut self, rows: &[PortRow]) -> Result<(), RunError> {
        let before = self.warnings(&self.last);
        let mut pending: Vec<Candidate<'_>> = rows_by_object(rows)
            .into_iter()
            .filter(|(object, _)| before.contains_key(*object))
            .map(|(object, rows)| Candidate { object, rows })
            .collect();
        for named in [true, false] {
            pending = self.accept(pending, named)?;
        }
        Ok(())
    }

    /// Accepts the candidates whose separate target reduces warnings, and returns the others. Tests all candidates
    /// together; if that fails, each half.
    fn accept<'w>(&mut self, candidates: Vec<Candidate<'w>>, named: bool) -> Result<Vec<Candidate<'w>>, RunError> {
        if candidates.is_empty() || self.left == 0 {
            return Ok(candidates);
        }
        self.left -= 1;
        let drafted = candidates.iter().filter_map(|one| Some((one.object.to_owned(), self.target(one, named)?)));
        let own: Targets = self.own.clone().into_iter().chain(drafted).collect();
        let trial = self.reading.plan(&draft(&text(&own, self.is_called))?, true)?;
        let (before, after) = (self.warnings(&self.last), self.warnings(&trial));
        let total = |warnings: &BTreeMap<String, usize>| warnings.values().sum::<usize>();
        let failed = trial.plan.has_errors();
        let is_better = |one: &Candidate<'_>| !failed && after.get(one.object) < before.get(one.object);
        let (mut better, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_better);
        if others.is_empty() && total(&after) < total(&before) {
            (self.own, self.last) = (own, trial);
            return Ok(Vec::new());
        }
        if better.is_empty() && !failed {
            return Ok(others);
        }
        if !better.is_empty() && !others.is_empty() {
            better = self.accept(better, named)?;
            better.extend(others);
            return Ok(better);
        }
        // The plan fails, or each candidate has fewer warnings but the total is not lower: try each half.
        better.extend(others);
        if better.len() == 1 {
            return Ok(better);
        }
        let second = better.split_off(better.len() / 2);
        let mut left = self.accept(better, named)?;
        left.extend(self.accept(second, named)?);
        Ok(left)
    }

    /// Target of a candidate, with the reason for a workload that no call leads to.
    fn target(&self, one: &Candidate<'_>, named: bool) -> Option<String> {
        let target = target(one.object, &one.rows, named)?;
        Some(if self.is_called { target } else { format!("{}{target}", reason(&one.rows)) })
    }

    /// Number of warnings per object key; warnings without an object have the empty key.
    fn warnings(&self, trial: &DraftPlan) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for finding in trial.plan.findings.iter().filter(|finding| finding.severity == Severity::Warning) {
            let object = finding.object.and_then(|id| self.reading.objects().get(id));
            *counts.entry(object.map(|object| object_key(&object.meta)).unwrap_or_default()).or_default() += 1;
        }
        counts
    }
}

/// A workload that may get a separate target.
struct Candidate<'w> {
    /// Key of the workload's object.
    object: &'w str,
    rows: Vec<&'w PortRow>,
}

/// Raises information about workloads that may register webhooks at runtime to a warning: without them the list of
/// called workloads may be incomplete. A run that changes files reports them only as information.
pub fn warn_of_self_registering(results: &mut [Diagnostic]) {
    // Other information of this rule has no field.
    let is_match = |result: &&mut Diagnostic| result.rule == rule::PORT_CALLED.id && result.path.is_some();
    for result in results.iter_mut().filter(is_match) {
        result.severity = result.severity.min(Severity::Warning);
    }
}

fn rows_by_object(rows: &[PortRow]) -> BTreeMap<&str, Vec<&PortRow>> {
    let mut objects: BTreeMap<&str, Vec<&PortRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.is_guess) {
        objects.entry(&row.object).or_default().push(row);
    }
    objects
}

/// A target by name for each workload with a port whose role suggests a call, by object key.
fn targets_by_role(rows: &[PortRow]) -> Targets {
    let by_object = rows_by_object(rows).into_iter().filter(|(_, rows)| rows.iter().any(|row| row.is_called()));
    let target = |(object, rows): (&str, Vec<&PortRow>)| {
        Some((object.to_owned(), format!("{}  - select: {}\n    ports: auto\n", reason(&rows), select(object)?)))
    };
    by_object.filter_map(target).collect()
}

/// Comment about a workload that only the roles of its ports select.
fn reason(rows: &[&PortRow]) -> String {
    let ports: BTreeSet<String> =
        rows.iter().filter(|row| row.is_called()).map(|row| format!("{} {}", row.role, row.from)).collect();
    let ports: Vec<String> = ports.into_iter().collect();
    comment(&format!("No call of the input leads here; its ports suggest one: {}", ports.join(", ")))
}

/// Select that matches one object, by its key.
fn select(object: &str) -> Option<String> {
    let mut key = object.rsplit('/');
    let (name, kind) = (key.next()?, key.next()?);
    let segments: Vec<&str> = key.collect();
    let group = segments.first().filter(|part| part.contains('.'));
    let namespace = segments.last().filter(|part| Some(*part) != group);
    let field =
        |key: &str, value: Option<&&str>| value.map(|value| format!("{key}: {}, ", exact(value))).unwrap_or_default();
    let (group, namespace) = (field("group", group), field("namespace", namespace));
    Some(format!("{{{group}kind: {}, {namespace}name: {}}}", exact(kind), exact(name)))
}

/// Target for one object; ports that cannot move or that clients on the node use are kept, by name if `named`,
/// otherwise by number.
fn target(object: &str, rows: &[&PortRow], named: bool) -> Option<String> {
    let (mut choices, mut notes, mut seen) = (Vec::new(), String::new(), BTreeSet::new());
    let (mut kept, mut movable) = (Vec::new(), Vec::new());
    for row in rows {
        let key = if named { row.port.clone() } else { row.from.to_string() };
        let stays = row.stays.as_ref().filter(|_| row.to == row.from);
        let reason = match (row.to == row.from, row.has_host_port) {
            (true, _) => {
                let reason = stays.map_or("no target moves it", |reason| reason.text.as_str());
                format!("{} stays: {reason}.", row.from)
            }
            (false, true) => format!("{} is a hostPort, which clients of the node use", row.from),
            (false, false) => String::new(),
        };
        if !seen.insert(key.clone()) {
            continue;
        }
        kept.extend(stays.map(|reason| &reason.remedy));
        movable.extend(stays.filter(|reason| reason.remedy.may_move()).map(|_| format!("`{key}: auto`")));
        if !reason.is_empty() {
            // Without names the key is the number, with which the reason begins.
            notes.push_str(&comment(&if named { format!("{key}: {reason}") } else { reason.clone() }));
        }
        choices.push(format!("{}: {}", scalar(&key), if reason.is_empty() { "auto" } else { "keep" }));
    }
    let remedies = remedies(kept.into_iter(), true, None);
    if !remedies.is_empty() {
        notes.push_str(&comment(&remedies));
    }
    if !movable.is_empty() {
        notes.push_str(&comment(&format!("Then write {} in `ports`", movable.join(", "))));
    }
    let ports = if choices.is_empty() { "keep".to_owned() } else { format!("{{{}}}", choices.join(", ")) };
    Some(format!("{notes}  - select: {}\n    ports: {ports}\n", select(object)?))
}

/// Comment of the config, one line per sentence. Line breaks in names of the input are removed, because they would end
/// the comment.
fn comment(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_inclusive(". ").map(|sentence| format!("  # {}\n", sentence.trim_end())).collect()
}

/// Config that moves all workloads that the API server calls.
fn config_for_called() -> String {
    text(&BTreeMap::new(), true)
}

/// Config with these targets, with `is_called` followed by one for all other workloads that the API server calls.
fn text(own: &Targets, is_called: bool) -> String {
    let own: String = own.values().map(String::as_str).collect();
    if !is_called {
        return config(&own);
    }
    let rest = if own.is_empty() { "" } else { "  # All other workloads that the API server calls.\n" };
    config(&format!("{own}{rest}  - select: {{calledByApiServer: true}}\n    ports: auto\n"))
}

/// Config with these targets.
fn config(targets: &str) -> String {
    format!(
        "apiVersion: {API_VERSION}\nkind: {HOST_NETWORK}\nmetadata:\n  name: webhooks\nspec:\n  targets:\n{targets}"
    )
}
