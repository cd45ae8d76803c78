//! One run over a unit, and invariants of every run.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use hostnet::api::HostNetworkConfig;
use hostnet::catalog::WORKLOAD_KINDS;
use hostnet::host_network::PortRow;
use hostnet::kinds::{self, host_network};
use hostnet::model::{Facts, Kinds, Object, TemplateKind};
use hostnet::render::Diagnostic;
use hostnet::rule::Severity;
use krm::{Input, Origin};

use crate::everything::material::Unit;

/// Selects every workload and every package, but no objects that only configure packages.
pub(crate) const CONFIG_TEXT: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec:\n  unmatched: Ignore\n  \
                targets: [{select: {kind: '.+'}, ports: auto}]\n  \
                exclude: [{group: pkg.crossplane.io, kind: '.*Config|Configuration|.*Revision|Lock'}]\n";
static CONFIG: LazyLock<HostNetworkConfig> =
    LazyLock::new(|| HostNetworkConfig::read(CONFIG_TEXT, "all.yaml", 1).unwrap());

/// Results of a unit.
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) files: usize,
    /// Files that were left out because a run with them fails, with the rule of the error.
    pub(crate) left_out: Vec<(String, &'static str)>,
    /// Number of workloads and packages.
    pub(crate) workloads: usize,
    /// The changed pod templates.
    pub(crate) moved: BTreeSet<String>,
    /// All listeners of the selected workloads; empty after an error.
    pub(crate) rows: Vec<PortRow>,
    pub(crate) results: Vec<Diagnostic>,
    /// Violated invariants.
    pub(crate) faults: Vec<String>,
}

impl Measured {
    pub(crate) fn with_severity(&self, severity: Severity) -> impl Iterator<Item = &Diagnostic> {
        self.results.iter().filter(move |outcome| outcome.severity == severity && !outcome.is_change)
    }

    /// Returns the warnings of a successful run.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.with_severity(Severity::Warning).filter(|_| !self.failed())
    }

    pub(crate) fn failed(&self) -> bool {
        self.with_severity(Severity::Error).next().is_some()
    }

    /// Returns the warnings about a listener.
    pub(crate) fn warnings_of<'m>(&'m self, row: &'m PortRow) -> impl Iterator<Item = &'m Diagnostic> {
        let container = format!(", container {}, port ", row.container);
        let (name, number) = (format!("{container}{} ({})", row.port, row.from), format!("{container}{}", row.from));
        self.with_severity(Severity::Warning).filter(move |outcome| {
            let own = |call: &str| {
                outcome.message.match_indices(call).any(|(at, _)| {
                    let object = outcome.message[..at].rsplit([' ', '/']).next();
                    object == row.workload.rsplit('/').next()
                })
            };
            own(&name) || own(&number) || is_one_of_several(&outcome.message, row)
        })
    }
}

/// True if a warning about several kept ports of a workload includes the port of a row.
fn is_one_of_several(message: &str, row: &PortRow) -> bool {
    let Some((before, reasons)) = message.split_once(" ports keep their numbers: ") else { return false };
    let object = before.rsplit_once(": ").and_then(|(object, _)| object.split(", ").next()?.rsplit([' ', '/']).next());
    let of_container = reasons.split("container ").filter(|part| part.starts_with(&format!("{}, port", row.container)));
    let (name, number) = (format!("{} ({})", row.port, row.from), row.from.to_string());
    let mut ports = of_container.flat_map(|part| part.split(": ").next().unwrap_or_default().split([',', ' ']));
    let by_number = ports.any(|port| port == number);
    row.workload.split('/').any(|part| Some(part) == object) && (by_number || reasons.contains(&name))
}

/// Measures all units in parallel.
pub(crate) fn all(units: &[Unit]) -> Vec<Measured> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = Vec::new();
        while let Some((position, unit)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| units.get(at).map(|unit| (at, unit)))
        {
            own.push((position, measure(unit)));
        }
        own
    };
    let mut measured: Vec<(usize, Measured)> = std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(2, usize::from);
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    measured.sort_by_key(|(position, _)| *position);
    measured.into_iter().map(|(_, measured)| measured).collect()
}

/// Runs all files of a unit. If that fails, runs only those files that succeed together.
fn measure(unit: &Unit) -> Measured {
    let all: Vec<&(String, String)> = unit.files.iter().collect();
    let whole = run(&unit.name, &all);
    if !whole.failed() || all.len() == 1 {
        return whole;
    }
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for file in all {
        kept.push(file);
        if let Some(error) = error(&kept) {
            left_out.push((file.0.clone(), error));
            kept.pop();
        }
    }
    let mut rest = run(&unit.name, &kept);
    rest.faults.extend(whole.faults);
    Measured { files: unit.files.len(), left_out, ..rest }
}

/// Returns the rule of the first error in a run over these files.
fn error(files: &[&(String, String)]) -> Option<&'static str> {
    let Ok(inputs) = read(files) else { return Some("document") };
    let Ok((_, found)) = host_network::ports(&inputs, &CONFIG, false) else { return Some("document") };
    found.iter().find(|outcome| outcome.severity == Severity::Error).map(|outcome| outcome.rule)
}

fn read(files: &[&(String, String)]) -> Result<Vec<Input>, String> {
    let input = |(path, text): &&(String, String)| Input::read(Origin::file(path), text.clone().into_bytes());
    files.iter().map(input).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

fn run(name: &str, files: &[&(String, String)]) -> Measured {
    let mut measured = Measured {
        name: name.to_owned(),
        files: files.len(),
        left_out: Vec::new(),
        workloads: 0,
        moved: BTreeSet::new(),
        rows: Vec::new(),
        results: Vec::new(),
        faults: Vec::new(),
    };
    let unreadable = |message: String| Diagnostic::error(hostnet::rule::DOCUMENT, message);
    let inputs = match read(files) {
        Ok(inputs) => inputs,
        Err(error) => return Measured { results: vec![unreadable(error)], ..measured },
    };
    let first = kinds::run(&inputs, &*CONFIG, true);
    let shown = host_network::ports(&inputs, &CONFIG, false);
    let (first, (rows, found)) = match (first, shown) {
        (Ok(first), Ok(shown)) => (first, shown),
        (Err(first), Err(shown)) if first.to_string() == shown.to_string() => {
            return Measured { results: vec![unreadable(first.to_string())], ..measured };
        }
        (first, shown) => {
            let log = format!("{:?} and {:?}", first.err(), shown.err());
            measured.faults.push(format!("{name}: one run reads the files and another one fails: {log}"));
            return measured;
        }
    };
    measured.workloads = workloads(&inputs);
    measured.results.clone_from(&first.results);
    // Results must not depend on the iteration order of a map. Writing adds more results.
    let of = |outcomes: &[Diagnostic], rule: &str| -> Vec<String> {
        let own = outcomes.iter().filter(|outcome| !outcome.is_change && outcome.rule == rule);
        own.map(ToString::to_string).collect()
    };
    for rule in hostnet::rule::ALL.iter().filter(|rule| !["document", "duplicate-key"].contains(&rule.id)) {
        if of(&first.results, rule.id) != of(&found, rule.id) {
            measured.faults.push(format!("{name}: two runs differ in {}", rule.id));
        }
    }
    if first.failed() {
        if first.changes {
            measured.faults.push(format!("{name}: an error, and changes"));
        }
        return measured;
    }
    measured.rows = rows.into_iter().filter(|row| !row.is_left).collect();
    measured.moved = first.results.iter().filter_map(moved).collect();
    let outputs = inputs.iter().zip(&first.splices).zip(files).map(|((input, splices), (path, _))| {
        let mut output = Vec::new();
        input.write(splices, &mut output).unwrap();
        (path.clone(), String::from_utf8(output).unwrap())
    });
    let outputs: Vec<(String, String)> = outputs.collect();
    if outputs.iter().zip(files).all(|(output, file)| output == *file) == first.changes {
        measured.faults.push(format!("{name}: changes is {}, and the output differs", first.changes));
    }
    if first.changes {
        let again = again(&outputs.iter().collect::<Vec<_>>());
        measured.faults.extend(again.map(|fault| format!("{name}: a second run {fault}")));
    }
    measured
}

/// Returns the problem of a second run over an output, if it is not a no-op.
fn again(outputs: &[&(String, String)]) -> Option<String> {
    let inputs = match read(outputs) {
        Ok(inputs) => inputs,
        Err(error) => return Some(format!("cannot read: {error}")),
    };
    let run = match kinds::run(&inputs, &*CONFIG, true) {
        Ok(run) => run,
        Err(error) => return Some(format!("does not start: {error}")),
    };
    let error = run.results.iter().find(|outcome| outcome.severity == Severity::Error);
    let change = || run.results.iter().find(|outcome| outcome.is_change);
    match error {
        Some(error) => Some(format!("ends in {error}")),
        None if run.changes => Some(format!("changes something: {:?}", change().map(|outcome| &outcome.message))),
        None => None,
    }
}

/// Returns the pod template that a result changes.
fn moved(outcome: &Diagnostic) -> Option<String> {
    let rules = ["host-network", "dns-policy", "host-port", "port-moved", "port-declared"];
    let resource = outcome.resource.as_ref().filter(|_| outcome.is_change && rules.contains(&outcome.rule))?;
    Some(format!("{} {}/{}", resource.kind, resource.namespace.as_deref().unwrap_or_default(), resource.name))
}

/// Returns the number of workloads and of packages with a runtime.
fn workloads(inputs: &[Input]) -> usize {
    let kinds = Kinds { templates: WORKLOAD_KINDS.iter().map(TemplateKind::from).collect(), references: &[] };
    let is_one = |object: &Object| matches!(object.facts, Facts::Workload(_) | Facts::Package(_));
    let count = |input: &Input| {
        let objects = input.objects(|_, node| Object::read(node, &kinds, |_| Some(&[])));
        objects.unwrap().iter().filter(|object| is_one(object)).count()
    };
    inputs.iter().map(count).sum()
}
