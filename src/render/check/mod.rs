//! What `hostnet check` found, in the forms that people and programs read.

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
use crate::plan::Brief;
use crate::render::{Diagnostic, ResourceRef, Source};
use crate::rule::{self, Rule, Severity};
use krm::line_hashes;
use lossless_yaml::{Path, Step};

pub use github::github;
pub use json::json;
pub use sarif::{Root, sarif};
pub use screen::screen;
pub use text::text;

/// What a run found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// All findings, the worst first, those that are suppressed too.
    pub entries: Vec<Entry>,
    /// The rules that ran.
    pub rules: Vec<Rule>,
    /// How many objects there were.
    pub objects: usize,
    /// Number of workloads among the objects.
    pub workloads: usize,
    /// Counts of the parts of the input that were not read.
    pub not_read: Vec<String>,
    /// The objects for which somebody else renders manifests: a line each, with the command that shows them.
    pub rendered: Vec<String>,
    /// How many findings of the baseline there are no more; none without one.
    pub gone: Option<usize>,
    /// True if a run that only asks for changes found one; `None` for any other run.
    pub differs: Option<bool>,
    /// The first file of the input, where a form needs a place for what is about all of it.
    pub first_file: Option<String>,
}

/// A finding, with where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// How bad it is.
    pub severity: Severity,
    /// The rule.
    pub rule: Rule,
    /// What is wrong, and what to write instead.
    pub message: String,
    /// The object.
    pub object: Option<Arc<ResourceRef>>,
    /// The field.
    pub path: Option<Path>,
    /// Where it is written.
    pub place: Option<Location>,
    /// The file that a host says the object is from.
    pub source: Option<Arc<Source>>,
    /// The other object of a pair, and where that is written.
    pub other: Option<(Arc<ResourceRef>, Option<Location>)>,
    /// Why it is accepted, if it is.
    pub suppressed: Option<Suppressed>,
    /// Whether the run fails because of it.
    pub fails: bool,
    /// What stays the same when lines move: the rule, the object and the field, by their names.
    pub fingerprint: String,
    /// Whether a former report has it; none without one.
    pub baseline: Option<Baseline>,
    /// What sites that scan code know its line by.
    pub line_hash: Option<String>,
    /// The message in short, for a screen.
    pub brief: Option<Brief>,
}

/// Whether a former report has a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// It has not.
    New,
    /// It has: the finding never fails.
    Unchanged,
}

impl Baseline {
    /// As SARIF writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Where something is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file; none for standard input.
    pub file: Option<String>,
    /// Line and column in characters, counted from 1.
    pub position: Option<(usize, usize)>,
}

impl Report {
    /// Whether something makes the run fail.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.entries.iter().any(|entry| entry.fails)
    }

    /// Makes findings from a severity on fail, and no others.
    pub fn fail_from(&mut self, fail_on: FailOn) {
        for entry in &mut self.entries {
            entry.fails = entry.suppressed.is_none() && fail_on.fails(entry.severity);
        }
    }

    /// How many findings of a severity are not suppressed.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.open().filter(|entry| entry.severity == severity).count()
    }

    /// The findings that are neither suppressed nor in the baseline.
    pub fn open(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.suppressed.is_none() && entry.baseline != Some(Baseline::Unchanged))
    }

    /// How many findings are suppressed.
    #[must_use]
    pub fn suppressed(&self) -> usize {
        self.entries.iter().filter(|entry| entry.suppressed.is_some()).count()
    }

    /// How many findings the baseline has too.
    #[must_use]
    pub fn unchanged(&self) -> usize {
        let unchanged = |entry: &&Entry| entry.suppressed.is_none() && entry.baseline == Some(Baseline::Unchanged);
        self.entries.iter().filter(unchanged).count()
    }

    /// Gives each finding in a file the hash of its line; `text` has the texts of files by their names.
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

    /// The results of a command that transforms, as a report.
    #[must_use]
    pub fn of_results(results: &[Diagnostic], objects: usize) -> Self {
        let entry = |result: &Diagnostic| {
            Some(Entry {
                severity: result.severity,
                rule: rule::find(result.rule)?,
                message: result.message.clone(),
                object: result.resource.clone(),
                path: result.path.clone(),
                place: result.place.as_deref().map(Location::read),
                source: result.source.clone(),
                other: None,
                suppressed: None,
                fails: result.severity == Severity::Error,
                fingerprint: String::new(),
                baseline: None,
                line_hash: None,
                brief: None,
            })
        };
        let mut entries: Vec<Entry> = results.iter().filter_map(entry).collect();
        entries.sort_by_key(|entry| entry.severity);
        fingerprint(&mut entries);
        Self { entries, objects, ..Self::default() }
    }

    /// The findings as results of a function. What the config lets pass is a warning at most, so that the host does not fail.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Diagnostic> {
        let outcome = |entry: &Entry| Diagnostic {
            severity: if entry.fails { entry.severity } else { entry.severity.max(Severity::Warning) },
            resource: entry.object.clone(),
            path: entry.path.clone(),
            source: entry.source.clone(),
            place: entry.place.as_ref().map(ToString::to_string),
            ..Diagnostic::error(entry.rule, entry.message.clone())
        };
        self.open().map(outcome).collect()
    }
}

impl Location {
    /// Reads `FILE:LINE:COLUMN`, or a file alone.
    #[must_use]
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

/// What messages call an input without a file.
const STDIN: &str = "standard input";

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.file.as_deref().unwrap_or(STDIN))?;
        self.position.map_or(Ok(()), |(line, column)| write!(f, ":{line}:{column}"))
    }
}

/// The name of an object in logical locations and fingerprints: `shop/apps/Deployment/web`.
#[must_use]
pub fn full_name(object: &ResourceRef) -> String {
    let group = object.api_version.rsplit_once('/').map(|(group, _)| format!("{group}/")).unwrap_or_default();
    let namespace = object.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    format!("{namespace}{group}{}/{}", object.kind, object.name)
}

/// A hash of rule, object and field that no line, index or number changes; findings that are alike are numbered from the second
/// one on.
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
