//! Compares with charts that have an option for host networking: the output of `hostnet` for the plain render must
//! agree with the chart's own render for the host network. If the chart is wrong or uses another solution,
//! `chart_pairs/excuses.yaml` lists the object, container and field, with the correct value.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(clippy::print_stderr, reason = "these are tests; a skipped one is loud")]

use crate::support::material::material;
use crate::support::pair;
use crate::support::run;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use pair::Pair;
use serde::Deserialize;
use serde_yaml::Value;
use view::{Fields, Place};

const EXCUSES: &str = include_str!("excuses.yaml");
const COUNTS: &str = include_str!("counts.yaml");
const MOVES: &str = include_str!("moves.yaml");

/// A field where the chart is not a reference, with the correct value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Excuse {
    pairs: Vec<String>,
    object: String,
    #[serde(default)]
    container: String,
    field: String,
    /// Code of the exception or note in `pair.yaml` that justifies the excuse.
    code: String,
    /// Explanation for the reader.
    #[allow(dead_code, reason = "for the reader of the file, and required there")]
    reason: String,
    /// The value that hostnet must write, `(none)` for no value.
    ours: String,
}

/// Moves of a pair that its `pair.yaml` does not list: pair, object, key, number.
type Moves = BTreeMap<String, BTreeMap<String, BTreeMap<String, u16>>>;

fn pairs() -> Vec<Pair> {
    let Some(folder) = material("corpus/charts") else { return Vec::new() };
    let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.iter().filter(|path| path.is_dir()).map(|path| Pair::read(path)).collect()
}

fn moves() -> Moves {
    serde_yaml::from_str(MOVES).expect("moves.yaml")
}

/// Returns the fields of all compared workloads in a render.
fn all_fields(pair: &Pair, render: &str) -> Fields {
    let objects = view::documents(render);
    let mut out = Fields::new();
    for workload in pair.compared() {
        out.extend(view::fields(&objects, &workload.id()));
    }
    out
}

/// Result of one comparison.
#[derive(Debug, Default, PartialEq)]
struct Report {
    compared: usize,
    /// Differences without an excuse, and unused excuses.
    faults: Vec<String>,
}

/// Compares the fields of hostnet's output with the chart's.
fn compare(pair: &Pair, ours: &Fields, chart: &Fields, excuses: &[Excuse]) -> Report {
    let mut report = Report::default();
    let none = "(none)".to_owned();
    let mut used = BTreeSet::new();
    for place in ours.keys().chain(chart.keys()).collect::<BTreeSet<_>>() {
        let mine = ours.get(place).unwrap_or(&none);
        let Some(wanted) = chart.get(place).cloned().or_else(|| (!may_be_extra(place)).then(|| none.clone())) else {
            continue;
        };
        report.compared += 1;
        // If a chart sets no hostPort, the API server sets it to the container port.
        let wanted = match place.field.strip_suffix(".hostPort") {
            Some(port) if wanted == none => host_port_of(chart, place, port),
            _ => wanted,
        };
        let applying = excuses.iter().enumerate().find(|(_, excuse)| excuse.matches(pair, place));
        match applying {
            Some((_, excuse)) if *mine != excuse.ours => {
                report.faults.push(format!("{place}: ours {mine}, the excuse wants {}", excuse.ours));
            }
            Some((_, excuse)) if *mine == wanted => {
                report.faults.push(format!("{place}: excuse {} is not needed, the chart agrees", excuse.code));
            }
            Some((index, _)) => drop(used.insert(index)),
            None if *mine != wanted => report.faults.push(format!("{place}: ours {mine}, the chart {wanted}")),
            None => {}
        }
    }
    for (index, excuse) in excuses.iter().enumerate() {
        if excuse.pairs.contains(&pair.name) && !used.contains(&index) && report.faults.is_empty() {
            report.faults.push(format!("excuse matches nothing: {} {}", excuse.object, excuse.field));
        }
    }
    report
}

/// True for port declarations: hostnet may add more than the chart.
fn may_be_extra(place: &Place) -> bool {
    place.field.starts_with("ports[") && !place.container.is_empty()
}

fn host_port_of(chart: &Fields, place: &Place, port: &str) -> String {
    let port = Place { field: port.to_owned(), ..place.clone() };
    chart[&port].split('/').next().unwrap().to_owned()
}

impl Excuse {
    fn matches(&self, pair: &Pair, place: &Place) -> bool {
        self.pairs.contains(&pair.name)
            && self.object == place.object
            && self.container == place.container
            && self.field == place.field
    }

    /// True if the pair itself has an exception or note with this code for this object.
    fn is_grounded(&self, pair: &Pair) -> bool {
        let remarks = pair.facts.exceptions.iter().chain(&pair.facts.notes);
        remarks.into_iter().any(|remark| remark.code == self.code && remark.object.starts_with(&self.object))
    }
}

fn excuses() -> Vec<Excuse> {
    serde_yaml::from_str(EXCUSES).expect("excuses.yaml")
}

#[test]
fn every_excuse_has_a_remark_in_its_pair() {
    let pairs = pairs();
    if pairs.is_empty() {
        return;
    }
    for excuse in excuses() {
        for name in &excuse.pairs {
            let pair = pairs.iter().find(|pair| pair.name == *name).unwrap_or_else(|| panic!("no pair {name}"));
            assert!(excuse.is_grounded(pair), "{name} has no {} for {}", excuse.code, excuse.object);
        }
    }
}

#[test]
fn the_output_agrees_with_the_chart() {
    let (excuses, moves) = (excuses(), moves());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for pair in pairs() {
        let config = pair.config(moves.get(&pair.name).unwrap_or(&BTreeMap::new()));
        let run = run::apply(&config, &pair.input);
        if run.code != Some(0) {
            faults.push(format!("{}: exit {:?}\n{config}\n{}", pair.name, run.code, run.stderr));
            continue;
        }
        let output = run.text();
        let strays = strays(&pair, &output);
        if !strays.is_empty() {
            faults.extend(strays);
            continue;
        }
        let report = compare(&pair, &all_fields(&pair, &output), &all_fields(&pair, &pair.chart), &excuses);
        faults.extend(report.faults.iter().map(|fault| format!("{}: {fault}", pair.name)));
        counts.insert(pair.name.clone(), report.compared);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if !counts.is_empty() {
        let pinned: Option<BTreeMap<String, usize>> = serde_yaml::from_str(COUNTS).expect("counts.yaml");
        assert_eq!(counts, pinned.unwrap_or_default(), "numbers of compared fields");
    }
}

/// Returns changed objects that are neither compared workloads nor their Services, and ports of hostnet's output that
/// are not declared as host ports.
fn strays(pair: &Pair, output: &str) -> Vec<String> {
    let (before, after) = (view::documents(&pair.input), view::documents(output));
    let ids = |objects: &[Value]| objects.iter().map(view::id).collect::<Vec<_>>();
    if ids(&before) != ids(&after) {
        return vec![format!("{}: not the same objects in the same order", pair.name)];
    }
    let workloads: BTreeSet<_> = pair.compared().iter().map(|workload| workload.id()).collect();
    let mut concerned = workloads.clone();
    for workload in &workloads {
        concerned.extend(view::services_of(&before, view::find(&before, workload)).into_iter().map(view::id));
    }
    let changed = before.iter().zip(&after).filter(|(old, new)| old != new && !concerned.contains(&view::id(new)));
    let mut out: Vec<_> = changed.map(|(_, new)| format!("{}: {} changed", pair.name, view::id(new))).collect();
    let ours = all_fields(pair, output);
    for (place, value) in ours.iter().filter(|(place, _)| place.field.ends_with(".hostPort")) {
        let declared = host_port_of(&ours, place, place.field.strip_suffix(".hostPort").unwrap());
        if *value != declared {
            out.push(format!("{}: {place} is {value}, the container port {declared}", pair.name));
        }
    }
    out
}

/// Before v1.19, Crossplane ignores ports of its runtime config: `keep` works, and a number is an error that names the
/// version.
#[test]
fn old_crossplane_keeps_its_ports() {
    for pair in pairs().into_iter().filter(|pair| is_old_crossplane(&pair.name)) {
        for workload in pair.compared() {
            assert!(workload.moves().is_empty(), "{}: the chart moves nothing", pair.name);
            for port in &workload.ports {
                let mut config = pair::head();
                pair::target(&mut config, workload, &BTreeMap::from([(port.key(), port.old + 12_000)]));
                let run = run::apply(&config, &pair.input);
                let case = format!("{} {}\n{}", pair.name, port.key(), run.stderr);
                assert_eq!(run.code, Some(1), "{case}");
                assert!(run.stdout.is_empty(), "{case}");
                assert!(run.stderr.contains("v1.19"), "{case}");
            }
        }
    }
}

fn is_old_crossplane(name: &str) -> bool {
    name.starts_with("crossplane-v1.14") || name.starts_with("crossplane-v1.18")
}

/// Tests the comparison itself: a render agrees with itself, and each single deviation is found at its place.
#[test]
fn a_deviation_is_found() {
    let all = pairs();
    let Some(pair) = all.iter().find(|pair| pair.name == "gatekeeper") else { return };
    // The chart's own render, with host ports added.
    let chart = all_fields(pair, &pair.chart);
    let complete = |render: &str| {
        let mut fields = all_fields(pair, render);
        for place in fields.keys().cloned().collect::<Vec<_>>() {
            if let Some(port) = place.field.strip_suffix(".hostPort") {
                let number = host_port_of(&fields, &place, port);
                fields.insert(place, number);
            }
        }
        fields
    };
    let same = compare(pair, &complete(&pair.chart), &chart, &[]);
    assert_eq!(same.faults, [""; 0]);
    for (from, to, field) in [
        ("hostNetwork: true", "hostNetwork: false", "hostNetwork"),
        ("dnsPolicy: ClusterFirstWithHostNet", "dnsPolicy: ClusterFirst", "dnsPolicy"),
        ("--health-addr=:21890", "--health-addr=:9090", "args[--health-addr]"),
        ("--health-addr=:21890", "--health=:21890", "args[--health]"),
        ("containerPort: 21843", "containerPort: 8443", "ports[webhook-server]"),
        ("path: /readyz\n            port: 21890", "path: /readyz\n            port: 9090", "readinessProbe"),
        ("targetPort: webhook-server", "targetPort: 8443", "ports[443].targetPort"),
        ("- name: POD_NAMESPACE", "- name: NAMESPACE_OF_POD", "env[POD_NAMESPACE]"),
    ] {
        assert!(pair.chart.contains(from), "{from}");
        let report = compare(pair, &complete(&pair.chart.replace(from, to)), &chart, &[]);
        let seen = report.faults.iter().any(|fault| fault.contains(&format!("] {field}: ours")));
        assert!(seen, "{from} -> {to}: {:?}", report.faults);
    }
}
