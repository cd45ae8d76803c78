//! Report of `hostnet check` and its output formats.

mod github;
mod json;
mod sarif;
mod screen;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use crate::api::FailOn;
use crate::judge::suppress::Suppressed;
use crate::model::text::fnv_1a;
use crate::plan::FindingSummary;
use crate::render::{Diagnostic, ResourceRef, Source};
use crate::rule::{self, Rule, Severity};
use crate::word_enum::word_enum;
use krm::line_hashes;
use lossless_yaml::{Path, Step};

pub use github::github;
pub(super) use json::FindingsReport;
pub use json::json;
pub use sarif::{Root, sarif};
pub use screen::{errors, screen};
pub use text::text;

/// Result of a check.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// All findings, including suppressed ones, most severe first.
    pub entries: Vec<Entry>,
    /// The rules that ran.
    pub rules: Vec<Rule>,
    /// Number of objects.
    pub objects: usize,
    /// Number of workloads among the objects.
    pub workloads: usize,
    /// Number of workloads that the config selects; `None` for a run that selects none.
    pub selected: Option<usize>,
    /// Counts of the parts of the input that were not read.
    pub not_read: Vec<String>,
    /// Objects whose manifests another program renders: one line each, with the command that prints them.
    pub rendered: Vec<String>,
    /// True if parts of the input that were not read make the run fail.
    pub unread_fails: bool,
    /// Number of baseline findings that no longer occur; `None` without a baseline.
    pub gone: Option<usize>,
    /// True if a run that only looks for changes (`--check`) found one; `None` for other runs.
    pub differs: Option<bool>,
    /// First input file, used as the location of findings about the whole run.
    pub first_file: Option<String>,
}

/// A finding with its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Severity of the finding.
    pub severity: Severity,
    /// The rule.
    pub rule: Rule,
    /// Problem and remedy.
    pub message: String,
    /// The object, if the finding is about an object.
    pub object: Option<Arc<ResourceRef>>,
    /// The field, if the finding is about a field.
    pub path: Option<Path>,
    /// Location of the field or object.
    pub place: Option<Location>,
    /// Source file of the object according to the function host.
    pub source: Option<Arc<Source>>,
    /// Second object of a finding about two objects, with its location.
    pub other: Option<(Arc<ResourceRef>, Option<Location>)>,
    /// Suppression of the finding, with its reason.
    pub suppressed: Option<Suppressed>,
    /// True if the finding makes the run fail.
    pub fails: bool,
    /// Hash of rule, object and field; independent of line numbers.
    pub fingerprint: String,
    /// State relative to the baseline; `None` without a baseline.
    pub baseline: Option<Baseline>,
    /// Hash of the line, with which code scanning sites track findings.
    pub line_hash: Option<String>,
    /// Ports of the finding.
    pub ports: Vec<u16>,
    /// Short message for a terminal.
    pub brief: Option<FindingSummary>,
}

impl Entry {
    /// Creates an open finding without an object.
    pub fn new(severity: Severity, rule: Rule, message: String) -> Self {
        Self {
            severity,
            rule,
            message,
            object: None,
            path: None,
            place: None,
            source: None,
            other: None,
            suppressed: None,
            fails: false,
            fingerprint: String::new(),
            baseline: None,
            line_hash: None,
            ports: Vec::new(),
            brief: None,
        }
    }
}

word_enum! {
    /// State of a finding relative to the baseline.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Baseline {
        /// The finding is not in the baseline.
        New = "new",
        /// The finding is in the baseline; it never makes the run fail.
        Unchanged = "unchanged",
    }
}

/// Location in an input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file; `None` for standard input.
    pub file: Option<String>,
    /// Line and column in characters, counted from 1.
    pub position: Option<(usize, usize)>,
}

impl Report {
    /// True if a finding, or a part of the input that was not read, makes the run fail.
    pub fn fails(&self) -> bool {
        self.unread_fails || self.entries.iter().any(|entry| entry.fails)
    }

    /// Makes exactly the findings fail that have at least this severity and are not suppressed.
    pub fn fail_from(&mut self, fail_on: FailOn) {
        for entry in &mut self.entries {
            entry.fails = entry.suppressed.is_none() && fail_on.fails(entry.severity);
        }
    }

    /// Number of open findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.open().filter(|entry| entry.severity == severity).count()
    }

    /// Findings that are neither suppressed nor in the baseline.
    pub fn open(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.suppressed.is_none() && entry.baseline != Some(Baseline::Unchanged))
    }

    /// Number of suppressed findings.
    pub fn suppressed(&self) -> usize {
        self.entries.iter().filter(|entry| entry.suppressed.is_some()).count()
    }

    /// Number of findings that are also in the baseline and not suppressed.
    pub fn unchanged(&self) -> usize {
        let unchanged = |entry: &&Entry| entry.suppressed.is_none() && entry.baseline == Some(Baseline::Unchanged);
        self.entries.iter().filter(unchanged).count()
    }

    /// Sets the line hash of each finding in a file; `text` returns the text of a file by name.
    pub fn hash_lines<'t>(&mut self, text: impl Fn(&str) -> Option<&'t str>) {
        let place = |entry: &Entry| {
            let place = entry.place.as_ref()?;
            Some((place.file.clone()?, place.position?.0))
        };
        let mut lines: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (file, line) in self.entries.iter().filter_map(place) {
            lines.entry(file).or_default().insert(line);
        }
        let hashes = lines.into_iter().map(|(file, lines)| {
            let hashes = text(&file).map(|text| line_hashes(text, lines)).unwrap_or_default();
            (file, hashes)
        });
        let hashes: BTreeMap<String, BTreeMap<usize, String>> = hashes.collect();
        for entry in &mut self.entries {
            entry.line_hash = place(entry).and_then(|(file, line)| hashes.get(&file)?.get(&line).cloned());
        }
    }

    /// Converts results of a transforming command to a report.
    pub fn from_results(results: &[Diagnostic], objects: usize) -> Self {
        let entry = |result: &Diagnostic| {
            Some(Entry {
                object: result.resource.clone(),
                path: result.path.clone(),
                place: result.place.as_deref().map(Location::read),
                source: result.source.clone(),
                fails: result.severity == Severity::Error,
                ports: result.ports.clone(),
                ..Entry::new(result.severity, rule::find(result.rule)?, result.message.clone())
            })
        };
        let mut entries: Vec<Entry> = results.iter().filter_map(entry).collect();
        entries.sort_by_key(|entry| entry.severity);
        fingerprint(&mut entries);
        Self { entries, objects, ..Self::default() }
    }

    /// Converts open findings to function results. Findings that do not make the run fail are warnings at most, so that
    /// the host does not fail.
    pub fn outcomes(&self) -> Vec<Diagnostic> {
        let outcome = |entry: &Entry| Diagnostic {
            severity: if entry.fails { entry.severity } else { entry.severity.max(Severity::Warning) },
            resource: entry.object.clone(),
            path: entry.path.clone(),
            source: entry.source.clone(),
            place: entry.place.as_ref().map(ToString::to_string),
            ports: entry.ports.clone(),
            ..Diagnostic::error(entry.rule, entry.message.clone())
        };
        self.open().map(outcome).collect()
    }
}

impl Location {
    /// Parses `FILE:LINE:COLUMN` or `FILE`.
    pub fn read(place: &str) -> Self {
        let mut parts = place.rsplitn(3, ':');
        let (column, line) =
            (parts.next().and_then(|part| part.parse().ok()), parts.next().and_then(|part| part.parse().ok()));
        let (file, position) = match (line.zip(column), parts.next()) {
            (Some(position), Some(file)) => (file, Some(position)),
            _ => (place, None),
        };
        Self { file: Some(file.to_owned()).filter(|file| file != STDIN), position }
    }
}

/// Display name of standard input in messages.
const STDIN: &str = "standard input";

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.file.as_deref().unwrap_or(STDIN))?;
        self.position.map_or(Ok(()), |(line, column)| write!(f, ":{line}:{column}"))
    }
}

/// Name of an object in logical locations and fingerprints: `shop/apps/Deployment/web`.
pub fn full_name(object: &ResourceRef) -> String {
    let group = object.api_version.rsplit_once('/').map(|(group, _)| format!("{group}/")).unwrap_or_default();
    let namespace = object.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    format!("{namespace}{group}{}/{}", object.kind, object.name)
}

/// Sets fingerprints: a hash of rule, object and field, independent of lines, list indexes and port numbers. The second
/// and each later of equal fingerprints get a number.
pub fn fingerprint(entries: &mut [Entry]) {
    let mut counts: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for entry in entries {
        let mut text = entry.rule.id.to_owned();
        for object in entry.object.iter().chain(entry.other.iter().map(|(other, _)| other)) {
            let _ = write!(text, "\0{}", full_name(object));
        }
        if entry.object.is_none() {
            let file = entry.place.as_ref().and_then(|place| place.file.as_deref());
            let _ = write!(text, "\0{}", file.unwrap_or_default());
        }
        for step in entry.path.iter().flat_map(Path::steps) {
            match step {
                Step::Key(key) => _ = write!(text, "\0{key}"),
                Step::Item { name, .. } => _ = write!(text, "\0[{}]", name.as_deref().unwrap_or_default()),
            }
        }
        let hash = format!("{:016x}", fnv_1a(&text));
        let count = counts.entry(hash.clone()).or_default();
        *count += 1;
        entry.fingerprint = if *count == 1 { hash } else { format!("{hash}#{count}") };
    }
}
