//! A plan as results: one for every change and every finding (the `Result` of the KRM functions specification).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Edit, Finding, Plan, Together};
use crate::rule::{self, Rule, Severity};
use krm::shown;
use lossless_yaml::{Path, Value, without_passwords};

/// Where the page of each rule is.
const PAGES: &str = concat!(env!("CARGO_PKG_HOMEPAGE"), "/docs/rules");

/// The file that an object comes from, when it is a real one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Slash-separated path.
    pub path: String,
    /// The position of the object in the file, from 0.
    pub index: usize,
}

/// The object that a result is about; its results share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceRef {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`
    pub namespace: Option<String>,
}

/// As messages write it: `Deployment shop/web`.
impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        write!(f, "{} {namespace}{}", self.kind, self.name)
    }
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The rule's id.
    pub rule: &'static str,
    /// All that a person needs: what, where, old, new, what to do.
    pub message: String,
    /// The object.
    pub resource: Option<Arc<ResourceRef>>,
    /// The field.
    pub path: Option<Path>,
    /// What it held.
    pub current: Option<Value>,
    /// What it holds now, or should.
    pub proposed: Option<Value>,
    /// Whether it is a change: one that is not made when an error stops the run.
    pub is_change: bool,
    /// Of a moved listener: what shows that it listens, and what sets its number.
    pub evidence: Option<Arc<str>>,
    /// The file; the results of an object share it.
    pub source: Option<Arc<Source>>,
    /// `FILE:LINE:COLUMN` of what an error or a warning is about, as far as known.
    pub place: Option<String>,
}

/// A file, or what else an input is called, with a line and a column.
pub type FilePlace = (String, (usize, usize));

/// What results say of objects.
pub trait Objects {
    /// The identity of an object and the file it comes from.
    fn describe(&self, object: ObjectId) -> Option<(&Meta, Option<Source>)>;

    /// File, line and column of fields of objects, in the order in which they are asked for. All at once, since each
    /// document has to be parsed for it.
    fn places(&self, asked: &[(ObjectId, Option<&Path>)]) -> Vec<Option<FilePlace>>;
}

/// The results of a plan, sorted as kyaml sorts them: file, severity, text. Those of `changes` only when asked for.
#[must_use]
pub fn results(plan: Plan, objects: &impl Objects, changes: bool) -> Vec<Diagnostic> {
    let moved = plan.moves.into_iter().flat_map(|moved| {
        let evidence: Arc<str> = moved.evidence.into();
        moved.edits.into_iter().map(move |edit| (edit, Some(Arc::clone(&evidence))))
    });
    let edits = plan.edits.into_iter().map(|edit| (edit, None)).chain(moved);
    let mut references = References::default();
    let mut all: Vec<Diagnostic> = Vec::new();
    let mut places = places(&plan.findings, objects).into_iter();
    for finding in plan.findings {
        let reference = references.of(finding.object, objects);
        let place = if has_place(&finding) { places.next().flatten() } else { None };
        let place = place.map(|(file, position)| {
            let (line, column) = finding.position.unwrap_or(position);
            format!("{file}:{line}:{column}")
        });
        all.push(of_finding(finding, reference, place));
    }
    for (edit, evidence) in edits.filter(|_| changes) {
        let reference = references.of(Some(edit.object), objects);
        let says = edit.rule == rule::PORT_MOVED || edit.rule == rule::PORT_DECLARED;
        all.push(Diagnostic { evidence: evidence.filter(|_| says), ..of_edit(edit, reference) });
    }
    for together in plan.together.into_iter().filter(|_| changes) {
        let reference = references.of(Some(together.object), objects);
        all.push(of_together(together, reference));
    }
    all.sort_by(|a, b| {
        (&a.source, a.severity, &a.resource, &a.message).cmp(&(&b.source, b.severity, &b.resource, &b.message))
    });
    all.dedup();
    all
}

/// Where errors and warnings stand is said.
fn has_place(finding: &Finding) -> bool {
    finding.severity != Severity::Info && finding.object.is_some()
}

/// The places of the findings that have one, in their order.
fn places(findings: &[Finding], objects: &impl Objects) -> Vec<Option<FilePlace>> {
    let asked = findings.iter().filter(|finding| has_place(finding));
    let asked: Vec<_> = asked.filter_map(|finding| Some((finding.object?, finding.path.as_ref()))).collect();
    if asked.is_empty() { Vec::new() } else { objects.places(&asked) }
}

type Reference = (Option<Arc<ResourceRef>>, Option<Arc<Source>>);

/// The reference of each object that has results.
#[derive(Default)]
struct References(HashMap<ObjectId, Reference>);

impl References {
    fn of(&mut self, object: Option<ObjectId>, objects: &impl Objects) -> Reference {
        let Some(id) = object else { return (None, None) };
        let known = self.0.entry(id).or_insert_with(|| {
            let Some((meta, source)) = objects.describe(id) else { return (None, None) };
            let reference = ResourceRef {
                api_version: meta.api_version(),
                kind: meta.gvk.kind.clone(),
                name: meta.name.clone(),
                namespace: meta.namespace.clone(),
            };
            (Some(Arc::new(reference)), source.map(Arc::new))
        });
        known.clone()
    }
}

/// Of a longer text a result shows the line that changes: a script may have thousands of them.
const LONGEST_TEXT: usize = 2_000;

/// The part of a text that a result of a change shows.
fn excerpt(text: &str, range: &Range<usize>) -> Range<usize> {
    if text.len() <= LONGEST_TEXT {
        return 0..text.len();
    }
    let at = |near: usize| (near..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(range.end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| range.end + at);
    let half = LONGEST_TEXT / 2;
    at(start.max(range.start.saturating_sub(half)))..at(end.min(range.end + half)).max(range.end)
}

fn of_edit(edit: Edit, (resource, source): Reference) -> Diagnostic {
    let (current, proposed) = match edit.change {
        Change::Set { old, new } => (Some(old), Some(new)),
        Change::Add { new } | Change::Insert { new } => (None, Some(new)),
        Change::Remove { old } => (Some(old), None),
        // The object is what changes, and the message says how.
        Change::AddDocument { .. } | Change::RemoveDocument => (None, None),
        Change::Text { old, range, new } => {
            let shown = excerpt(&old, &range);
            let before = old.get(shown.start..range.start).unwrap_or_default();
            let after = old.get(range.end..shown.end).unwrap_or_default();
            let proposed = Value::Str(format!("{before}{new}{after}"));
            (old.get(shown).map(Value::from), Some(proposed))
        }
    };
    Diagnostic {
        severity: Severity::Info,
        rule: edit.rule.id,
        message: one_line(edit.message),
        resource,
        // Of an object as a whole there is no field.
        path: Some(edit.path).filter(|path| path.last().is_some()),
        current: current.map(masked),
        proposed: proposed.map(masked),
        is_change: true,
        evidence: None,
        source,
        place: None,
    }
}

/// Changes that are one for a person.
fn of_together(together: Together, reference: Reference) -> Diagnostic {
    let Together { object, path, rule, message, .. } = together;
    let change = Change::Set { old: Value::Null, new: Value::Null };
    Diagnostic { current: None, proposed: None, ..of_edit(Edit { object, path, change, rule, message }, reference) }
}

/// A message with what objects and files are called: a terminal must not obey it, and it stays one line.
fn one_line(message: String) -> String {
    match shown(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(shown) => shown,
    }
}

/// A value as results show it, without the passwords of its URLs.
fn masked(value: Value) -> Value {
    match value {
        Value::Str(text) => Value::Str(without_passwords(&text).into_owned()),
        Value::Raw(text) => Value::Raw(without_passwords(&text).into_owned()),
        Value::Seq(items) => Value::Seq(items.into_iter().map(masked).collect()),
        Value::Map(entries) => Value::Map(entries.into_iter().map(|(key, value)| (key, masked(value))).collect()),
        other => other,
    }
}

/// What stops a run, or is left as it was, as a result.
fn of_finding(finding: Finding, (resource, source): Reference, place: Option<String>) -> Diagnostic {
    Diagnostic {
        severity: finding.severity,
        rule: finding.rule.id,
        message: one_line(finding.message),
        resource,
        path: finding.path,
        current: finding.current.map(masked),
        proposed: None,
        is_change: false,
        evidence: None,
        source,
        place,
    }
}

impl Diagnostic {
    /// An error that is about no object in particular.
    #[must_use]
    pub fn error(rule: Rule, message: String) -> Self {
        Self {
            severity: Severity::Error,
            rule: rule.id,
            message,
            resource: None,
            path: None,
            current: None,
            proposed: None,
            is_change: false,
            evidence: None,
            source: None,
            place: None,
        }
    }

    /// The result as the functions spec writes it.
    #[must_use]
    pub fn into_value(self) -> Value {
        let text = |text: &str| Value::Str(text.to_owned());
        let mut result = vec![
            ("message".to_owned(), Value::Str(self.message)),
            ("severity".to_owned(), text(self.severity.as_str())),
        ];
        if let Some(object) = self.resource {
            let mut reference = vec![
                ("apiVersion".to_owned(), text(&object.api_version)),
                ("kind".to_owned(), text(&object.kind)),
                ("name".to_owned(), text(&object.name)),
            ];
            reference.extend(object.namespace.as_ref().map(|namespace| ("namespace".to_owned(), text(namespace))));
            result.push(("resourceRef".to_owned(), Value::Map(reference)));
        }
        if let Some(path) = self.path {
            let mut field = vec![("path".to_owned(), Value::Str(path.to_string()))];
            field.extend(self.current.map(|value| ("currentValue".to_owned(), value)));
            field.extend(self.proposed.map(|value| ("proposedValue".to_owned(), value)));
            result.push(("field".to_owned(), Value::Map(field)));
        }
        if let Some(source) = self.source {
            let index = i64::try_from(source.index).unwrap_or(i64::MAX);
            let file = vec![("path".to_owned(), text(&source.path)), ("index".to_owned(), Value::Int(index))];
            result.push(("file".to_owned(), Value::Map(file)));
        }
        let mut tags = vec![
            ("rule".to_owned(), text(self.rule)),
            ("doc".to_owned(), Value::Str(format!("{PAGES}/{}.md", self.rule))),
        ];
        tags.extend(self.evidence.map(|evidence| ("evidence".to_owned(), text(&evidence))));
        result.push(("tags".to_owned(), Value::Map(tags)));
        Value::Map(result)
    }
}

impl Severity {
    /// The severity as results write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// `error: PLACE: MESSAGE [rule]`, as it is written to stderr.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        write!(f, "{}: {place}{} [{}]", self.severity.as_str(), self.message, self.rule)
    }
}
