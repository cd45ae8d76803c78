//! What the API server calls in some inputs, and the config that moves it: what `hostnet ports` and `hostnet init` say without one.

use std::collections::{BTreeMap, BTreeSet};

use super::function::RunError;
use super::host_network;
use crate::api::{API_VERSION, Config, HOST_NETWORK};
use crate::host_network::{PortRow, remedies};
use crate::render::Diagnostic;
use crate::rule::{self, Severity};
use crate::wire::Input;

/// What was found in inputs that nobody has written a config for.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The listeners of the workloads that the API server calls; of all workloads when it calls none.
    pub rows: Vec<PortRow>,
    /// Whether it calls some.
    pub called: bool,
    /// The config that moves them, as a file's text; none after errors, and when nothing is called.
    pub config: Option<String>,
    /// What a run with this config has to say.
    pub results: Vec<Diagnostic>,
}

/// Looks for what the API server calls, and drafts the config that moves it.
///
/// The draft is tried: a workload for which `ports: auto` would warn gets a target of its own, in which the ports are kept that cannot
/// move or that clients of the node use, when there is less to warn of then.
pub fn survey(inputs: &[Input]) -> Result<Survey, RunError> {
    let (rows, results) = tried(inputs, &text(&[]))?;
    if rows.is_empty() {
        // Nobody has asked for a move of what is shown here: of the trial only its listeners count.
        let (rows, _) = tried(inputs, &(config("  - select: {name: .*}\n") + "  unmatched: Ignore\n"))?;
        let results = results.into_iter().filter(|result| result.rule != rule::UNMATCHED.id).collect();
        return Ok(Survey { rows, called: false, config: None, results });
    }
    let mut survey = Survey { rows, called: true, config: None, results };
    if failed(&survey.results) {
        return Ok(survey);
    }
    let mut own: Vec<String> = Vec::new();
    for (object, rows) in by_object(&survey.rows) {
        let before = warnings(&survey.results, Some(object));
        if before == 0 {
            continue;
        }
        for named in [true, false] {
            let targets: Vec<String> = own.iter().cloned().chain(target(object, &rows, named)).collect();
            let (_, results) = tried(inputs, &text(&targets))?;
            if !failed(&results) && warnings(&results, None) < warnings(&survey.results, None) {
                (own, survey.results) = (targets, results);
                break;
            }
        }
    }
    survey.config = Some(text(&own));
    Ok(survey)
}

/// The listeners of workloads that the API server calls, and that are not among these.
pub fn called_beside(inputs: &[Input], selected: &[PortRow]) -> Result<Vec<PortRow>, RunError> {
    let (mut rows, _) = tried(inputs, &text(&[]))?;
    let selected: BTreeSet<&str> = selected.iter().map(|row| row.object.as_str()).collect();
    rows.retain(|row| row.is_called() && !selected.contains(row.object.as_str()));
    Ok(rows)
}

/// What a run with a drafted config has to say, and the listeners that it selects.
fn tried(inputs: &[Input], text: &str) -> Result<(Vec<PortRow>, Vec<Diagnostic>), RunError> {
    let config = Config::read(text, "the drafted config", 1).map_err(RunError::Config)?;
    let (rows, mut results) = host_network::ports(inputs, &config, true)?;
    warn_of_self_registering(&mut results);
    Ok((rows, results))
}

/// Makes a warning of the information that workloads may register webhooks when they run. A list of what the API server calls is wrong
/// without them; a run that changes files only reports that they were left.
pub fn warn_of_self_registering(results: &mut [Diagnostic]) {
    // Of the results of this rule that are no more than information, these alone are about a field.
    let is_it = |result: &&mut Diagnostic| result.rule == rule::PORT_CALLED.id && result.path.is_some();
    for result in results.iter_mut().filter(is_it) {
        result.severity = result.severity.min(Severity::Warning);
    }
}

fn failed(results: &[Diagnostic]) -> bool {
    results.iter().any(|result| result.severity == Severity::Error)
}

/// How many warnings there are, of one object or of all.
fn warnings(results: &[Diagnostic], object: Option<&str>) -> usize {
    let is_own = |result: &&Diagnostic| match (object, &result.resource) {
        (None, _) => true,
        (Some(object), Some(resource)) => {
            let name = format!("{}/{}", resource.kind, resource.name);
            object.ends_with(&name) && resource.namespace.as_ref().is_none_or(|own| object.starts_with(own.as_str()))
        }
        (Some(_), None) => false,
    };
    results.iter().filter(|result| result.severity == Severity::Warning).filter(is_own).count()
}

fn by_object(rows: &[PortRow]) -> BTreeMap<&str, Vec<&PortRow>> {
    let mut objects: BTreeMap<&str, Vec<&PortRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.is_guess) {
        objects.entry(&row.object).or_default().push(row);
    }
    objects
}

/// A target for one object: what cannot move, or what clients of the node reach, is kept by name. `named` keys are names, others
/// numbers.
fn target(object: &str, rows: &[&PortRow], named: bool) -> Option<String> {
    let mut key = object.rsplit('/');
    let (name, kind) = (key.next()?, key.next()?);
    let around: Vec<&str> = key.collect();
    let group = around.first().filter(|part| part.contains('.'));
    let namespace = around.last().filter(|part| Some(*part) != group);
    let field = |key: &str, value: Option<&&str>| value.map(|value| format!("{key}: {value}, ")).unwrap_or_default();
    let (group, namespace) = (field("group", group), field("namespace", namespace));
    let (mut choices, mut notes, mut seen) = (Vec::new(), String::new(), BTreeSet::new());
    let (mut kept, mut movable) = (Vec::new(), Vec::new());
    for row in rows {
        let key = if named { row.port.clone() } else { row.from.to_string() };
        let stays = row.stays.as_ref().filter(|_| row.to == row.from);
        let why = match (row.to == row.from, row.has_host_port) {
            (true, _) => {
                let why = stays.map_or("nothing moves it", |why| why.text.as_str());
                format!("{} stays: {why}.", row.from)
            }
            (false, true) => format!("{} is a hostPort, which clients of the node use", row.from),
            (false, false) => String::new(),
        };
        if !seen.insert(key.clone()) {
            continue;
        }
        kept.extend(stays.map(|why| &why.remedy));
        movable.extend(stays.filter(|why| why.remedy.may_move()).map(|_| format!("`{key}: auto`")));
        if !why.is_empty() {
            notes.push_str(&comment(&format!("{key}: {why}")));
        }
        choices.push(format!("{key}: {}", if why.is_empty() { "auto" } else { "keep" }));
    }
    let remedies = remedies(kept.into_iter(), true);
    if !remedies.is_empty() {
        notes.push_str(&comment(&remedies));
    }
    if !movable.is_empty() {
        notes.push_str(&comment(&format!("Then write {} in `ports`", movable.join(", "))));
    }
    let ports = if choices.is_empty() { "keep".to_owned() } else { format!("{{{}}}", choices.join(", ")) };
    Some(format!("{notes}  - select: {{{group}kind: {kind}, {namespace}name: {name}}}\n    ports: {ports}\n"))
}

/// A comment of the config, a line for each sentence. Names of the input cannot end it: a line break would.
fn comment(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_inclusive(". ").map(|sentence| format!("  # {}\n", sentence.trim_end())).collect()
}

/// The config that moves whatever the API server calls.
#[must_use]
pub fn any_called() -> String {
    text(&[])
}

/// A config with these targets, and one for all else that the API server calls.
fn text(own: &[String]) -> String {
    let rest = if own.is_empty() { "" } else { "  # All else that the API server calls.\n" };
    config(&format!("{}{rest}  - select: {{calledByApiServer: true}}\n    ports: auto\n", own.concat()))
}

fn config(targets: &str) -> String {
    format!(
        "apiVersion: {API_VERSION}\nkind: {HOST_NETWORK}\nmetadata:\n  name: webhooks\nspec:\n  targets:\n{targets}"
    )
}
