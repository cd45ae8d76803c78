//! What `hostnet check` found, in the forms that people and programs read.

mod github;
mod json;
mod sarif;
mod text;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::judge::suppress::Suppressed;
use crate::render::{Diagnostic, ResourceRef, Source};
use crate::rule::{Rule, Severity};
use crate::yaml::{Path, Step};

pub use github::github;
pub use json::json;
pub use sarif::{Root, sarif};
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

    /// How many findings of a severity are not suppressed.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.open().filter(|entry| entry.severity == severity).count()
    }

    /// The findings that are not suppressed.
    pub fn open(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.suppressed.is_none())
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

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.file.as_deref().unwrap_or("standard input"))?;
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
        let hash = format!("{:016x}", fnv(&text));
        let count = counts.entry(hash.clone()).or_default();
        *count += 1;
        entry.fingerprint = if *count == 1 { hash } else { format!("{hash}#{count}") };
    }
}

/// FNV-1a: the same in every version of this program.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
