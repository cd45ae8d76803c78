//! Compares the findings of `hostnet check` in the manifests of this and of public repositories with a person's
//! verdicts.
//!
//! `judged.tsv` has a row for each error, and for thirty other findings of each rule, warnings first: `true`,
//! `harmless` (true, but unimportant) or `false`. An error is never false. Each file is checked alone, with the other
//! files of its folder, and with all files of its repository; `port-called` with `apiServer: Outside`. A failure prints
//! the rows to judge.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::path::Path;

use hostnet::api::Day;
use hostnet::kinds::check::{Configs, run};
use hostnet::rule::{self, Severity};
use krm::{Input, Origin};

use super::material::yaml;
use crate::support::material::{LISTED, material};

const OUTSIDE: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {apiServer: Outside}}";
const OWN: &str = "this repository";
/// Number of findings per rule that are judged, apart from errors.
const DRAWN: usize = 30;

/// A finding: rule, severity, source, file, object and field.
type Finding = [String; 6];

#[test]
fn every_error_has_a_row_and_every_row_a_finding() {
    let judged = judged();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["examples", "kustomization-tests", "tests/corpus/catalog", "tests/corpus/cluster"];
    let mut found = BTreeMap::new();
    for folder in folders {
        find(&yaml(own, &own.join(folder)), folder.matches('/').count() + 2, |_| OWN.to_owned(), &mut found);
    }
    let root_of_material = material("corpus");
    if let Some(root) = &root_of_material {
        for folder in ["charts", "flux", "packages", "workloads"] {
            let mut files = yaml(root, &root.join(folder));
            files.retain(|(name, _)| LISTED.contains_key(&format!("corpus/{name}")));
            find(&files, 2, |file| LISTED[&format!("corpus/{file}")].clone(), &mut found);
        }
    }
    let is_there = |finding: &&Finding| root_of_material.is_some() || finding[2] == OWN;
    let gone: Vec<&Finding> = judged.iter().filter(is_there).filter(|finding| !found.contains_key(*finding)).collect();
    let errors =
        found.iter().filter(|(finding, _)| finding[1] == Severity::Error.as_str() && !judged.contains(*finding));
    let mut open: Vec<(&Finding, &String)> = errors.collect();
    if root_of_material.is_some() {
        open.extend(not_drawn(&found, &judged));
    }
    let row = |(finding, message): &(&Finding, &String)| format!("{}\t?\t{message}\n", finding.join("\t"));
    let gone: String = gone.iter().map(|finding| format!("{}\n", finding.join("\t"))).collect();
    let open: String = open.iter().map(row).collect();
    assert!(gone.is_empty() && open.is_empty(), "no longer found:\n{gone}\nto judge by hand:\n{open}");
}

/// Returns the rows of the table without their verdicts.
fn judged() -> BTreeSet<Finding> {
    let mut judged = BTreeSet::new();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/everything/judged.tsv");
    for row in std::fs::read_to_string(table).unwrap().lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [rule, severity, source, file, object, field, verdict, why] = cells[..] else { panic!("{row}") };
        assert!(rule::checked().any(|known| known.id == rule), "{row}");
        assert!(["true", "harmless"].contains(&verdict) || verdict == "false" && severity != "error", "{row}");
        assert!(!why.is_empty(), "{row}");
        assert!(judged.insert([rule, severity, source, file, object, field].map(str::to_owned)), "twice: {row}");
    }
    judged
}

/// Returns findings that still need a verdict: for each rule, as many as are missing to thirty, apart from errors.
fn not_drawn<'f>(
    found: &'f BTreeMap<Finding, String>,
    judged: &'f BTreeSet<Finding>,
) -> impl Iterator<Item = (&'f Finding, &'f String)> {
    rule::checked().flat_map(|rule| {
        let is_of = |finding: &&Finding| finding[0] == rule.id && finding[1] != Severity::Error.as_str();
        let known = judged.iter().filter(is_of).count();
        let others = found.iter().filter(|(finding, _)| is_of(finding) && !judged.contains(*finding));
        let mut others: Vec<_> = others.collect();
        // Sorts warnings first: alphabetically, "warning" follows "info".
        let draw = |finding: &Finding| BuildHasherDefault::<DefaultHasher>::default().hash_one(finding);
        others.sort_by(|(a, _), (b, _)| b[1].cmp(&a[1]).then_with(|| draw(a).cmp(&draw(b))));
        others.into_iter().take(DRAWN.saturating_sub(known))
    })
}

/// Checks each file alone, with its folder, and with all files below the folder with `parts` path components, and
/// collects the findings.
fn find(
    files: &[(String, String)],
    parts: usize,
    source: impl Fn(&str) -> String,
    found: &mut BTreeMap<Finding, String>,
) {
    let mut units: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, (name, _)) in files.iter().enumerate() {
        units.insert(vec![position]);
        let folder = name.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
        let above: Vec<&str> = name.split('/').take(parts).collect();
        for group in BTreeSet::from([format!("in {folder}"), format!("below {}", above.join("/"))]) {
            groups.entry(group).or_default().push(position);
        }
    }
    units.extend(groups.into_values());
    let mut configs = Configs::default();
    configs.add(OUTSIDE, "check.yaml").unwrap();
    for unit in units {
        let read = |position: &usize| {
            let (name, text) = &files[*position];
            Input::read(Origin::file(name), text.clone().into_bytes()).ok()
        };
        let mut inputs: Vec<Input> = unit.iter().filter_map(read).collect();
        let report = run(&mut inputs, Vec::new(), &configs, Day::read("2026-11-23").unwrap()).unwrap();
        for entry in report.entries {
            let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            let file = entry.place.as_ref().and_then(|place| place.file.clone());
            let file = file.unwrap_or_else(|| files[unit[0]].0.clone());
            // Folders of public repositories are named by their sources.
            let of_source = source(&file);
            let name = if of_source == OWN { file.as_str() } else { file.split_once('/').unwrap().1 };
            let object = text(entry.object.map(|object| format!("{} {}", object.kind, object.name)));
            let field = text(entry.path.map(|path| path.to_string()).filter(|path| !path.is_empty()));
            let finding = [
                entry.rule.id.to_owned(),
                entry.severity.as_str().to_owned(),
                of_source,
                name.to_owned(),
                object.replace(['\t', '\n'], " "),
                field.replace(['\t', '\n'], " "),
            ];
            found.entry(finding).or_insert(entry.message);
        }
    }
}
