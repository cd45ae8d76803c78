//! Converts a plan to results: one per change and finding (the `Result` of the KRM functions specification).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Edit, Finding, MergedChange, Plan};
use crate::rule::{self, Rule, Severity};
use krm::escape_line;
use lossless_yaml::{Path, Value, without_passwords};

/// The file of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Slash-separated path.
    pub path: String,
    /// The position of the object in the file, from 0.
    pub index: usize,
}

/// The object of a result, shared between its results.
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

impl From<&Meta> for ResourceRef {
    fn from(meta: &Meta) -> Self {
        Self {
            api_version: meta.api_version(),
            kind: meta.gvk.kind.clone(),
            name: meta.name.clone(),
            namespace: meta.namespace.clone(),
        }
    }
}

/// The object as in messages: `Deployment shop/web`.
impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        write!(f, "{} {namespace}{}", self.kind, self.name)
    }
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Severity of the result.
    pub severity: Severity,
    /// The rule's id.
    pub rule: &'static str,
    /// Full text: subject, location, old and new value, remedy.
    pub message: String,
    /// The object, if the result is about an object.
    pub resource: Option<Arc<ResourceRef>>,
    /// The field, if the result is about a field.
    pub path: Option<Path>,
    /// Old value of the field.
    pub current: Option<Value>,
    /// New or recommended value of the field.
    pub proposed: Option<Value>,
    /// True for a change; not made if an error stops the run.
    pub is_change: bool,
    /// For a moved listener: evidence that it listens, and the setting of its port.
    pub evidence: Option<Arc<str>>,
    /// The file, shared between the object's results.
    pub source: Option<Arc<Source>>,
    /// `FILE:LINE:COLUMN` of an error or warning, if known.
    pub place: Option<String>,
    /// Ports of a finding.
    pub ports: Vec<u16>,
}

/// File name, or display name of an input without a file, with line and column.
pub type FilePlace = (String, (usize, usize));

/// Access to the objects of a run, for results.
pub trait Objects {
    /// Identity and source file of an object.
    fn describe(&self, object: ObjectId) -> Option<(&Meta, Option<Source>)>;

    /// File, line and column of fields, in the order of the requests. All fields are looked up in one call, because
    /// each document has to be parsed for positions.
    fn places(&self, requests: &[(ObjectId, Option<&Path>)]) -> Vec<Option<FilePlace>>;
}

/// Results of a plan, sorted like kyaml's: by file, severity and text. Changes are included if `changes` is true.
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
        let reference = references.get(finding.object, objects);
        let place = if has_location(&finding) { places.next().flatten() } else { None };
        let place = place.map(|(file, position)| {
            let (line, column) = finding.position.unwrap_or(position);
            format!("{file}:{line}:{column}")
        });
        all.push(from_finding(finding, reference, place));
    }
    for (edit, evidence) in edits.filter(|_| changes) {
        let reference = references.get(Some(edit.object), objects);
        let says = edit.rule == rule::PORT_MOVED || edit.rule == rule::PORT_DECLARED;
        all.push(Diagnostic { evidence: evidence.filter(|_| says), ..from_edit(edit, reference) });
    }
    for together in plan.together.into_iter().filter(|_| changes) {
        let reference = references.get(Some(together.object), objects);
        all.push(diagnostic_from_merged(together, reference));
    }
    all.sort_by(|a, b| {
        (&a.source, a.severity, &a.resource, &a.message).cmp(&(&b.source, b.severity, &b.resource, &b.message))
    });
    all.dedup();
    all
}

/// True for findings that report a position: errors and warnings.
fn has_location(finding: &Finding) -> bool {
    finding.severity != Severity::Info && finding.object.is_some()
}

/// Positions of the findings that have a position, in order.
fn places(findings: &[Finding], objects: &impl Objects) -> Vec<Option<FilePlace>> {
    let requests = findings.iter().filter(|finding| has_location(finding));
    let requests: Vec<_> = requests.filter_map(|finding| Some((finding.object?, finding.path.as_ref()))).collect();
    if requests.is_empty() { Vec::new() } else { objects.places(&requests) }
}

type Reference = (Option<Arc<ResourceRef>>, Option<Arc<Source>>);

/// Object references for results, by object.
#[derive(Default)]
struct References(HashMap<ObjectId, Reference>);

impl References {
    fn get(&mut self, object: Option<ObjectId>, objects: &impl Objects) -> Reference {
        let Some(id) = object else { return (None, None) };
        let known = self.0.entry(id).or_insert_with(|| {
            let Some((meta, source)) = objects.describe(id) else { return (None, None) };
            (Some(Arc::new(meta.into())), source.map(Arc::new))
        });
        known.clone()
    }
}

/// Maximum bytes of a text shown in full; of a longer text only the changed line is shown, because scripts may have
/// thousands of lines.
const MAX_FULL_TEXT_BYTES: usize = 2_000;

/// Range of a text that a change's result shows.
fn excerpt(text: &str, range: &Range<usize>) -> Range<usize> {
    if text.len() <= MAX_FULL_TEXT_BYTES {
        return 0..text.len();
    }
    let at = |near: usize| (near..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(range.end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| range.end + at);
    let half = MAX_FULL_TEXT_BYTES / 2;
    at(start.max(range.start.saturating_sub(half)))..at(end.min(range.end + half)).max(range.end)
}

/// Converts an edit to a result; passwords are masked.
fn from_edit(edit: Edit, (resource, source): Reference) -> Diagnostic {
    let (current, proposed) = match edit.change {
        Change::Set { old, new } => (Some(old), Some(new)),
        Change::Add { new } | Change::Insert { new } => (None, Some(new)),
        Change::Remove { old } => (Some(old), None),
        // The message describes the change of the whole object.
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
        resource,
        // A change of a whole object has no field.
        path: Some(edit.path).filter(|path| path.last().is_some()),
        current: current.map(masked),
        proposed: proposed.map(masked),
        is_change: true,
        source,
        ..Diagnostic::new(Severity::Info, edit.rule, one_line(edit.message.to_string()))
    }
}

/// Result of several changes that are reported as one.
fn diagnostic_from_merged(together: MergedChange, reference: Reference) -> Diagnostic {
    let MergedChange { object, path, rule, message, .. } = together;
    let change = Change::Set { old: Value::Null, new: Value::Null };
    Diagnostic { current: None, proposed: None, ..from_edit(Edit { object, path, change, rule, message }, reference) }
}

/// Removes line breaks and control characters from a message that contains names of the input, so that a terminal does
/// not execute them.
fn one_line(message: String) -> String {
    match escape_line(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(shown) => shown,
    }
}

/// Removes passwords in URLs from a value.
fn masked(value: Value) -> Value {
    value.map_scalars(&|scalar| match scalar {
        Value::Str(text) => Value::Str(without_passwords(&text).into_owned()),
        Value::Raw(text) => Value::Raw(without_passwords(&text).into_owned()),
        other => other,
    })
}

/// Result of a finding.
fn from_finding(finding: Finding, (resource, source): Reference, place: Option<String>) -> Diagnostic {
    Diagnostic {
        resource,
        path: finding.path,
        current: finding.current.map(masked),
        source,
        place,
        ports: finding.ports,
        ..Diagnostic::new(finding.severity, finding.rule, one_line(finding.message))
    }
}

impl Diagnostic {
    /// Creates an error without an object.
    pub fn error(rule: Rule, message: String) -> Self {
        Self::new(Severity::Error, rule, message)
    }

    fn new(severity: Severity, rule: Rule, message: String) -> Self {
        Self {
            severity,
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
            ports: Vec::new(),
        }
    }

    /// Converts the result to the form of the functions specification.
    pub fn into_value(self) -> Value {
        let mut result = vec![("message", self.message.into()), ("severity", self.severity.as_str().into())];
        if let Some(object) = self.resource {
            let reference = [
                ("apiVersion", object.api_version.as_str().into()),
                ("kind", object.kind.as_str().into()),
                ("name", object.name.as_str().into()),
            ];
            let namespace = object.namespace.as_deref().map(|namespace| ("namespace", namespace.into()));
            result.push(("resourceRef", Value::map(reference.into_iter().chain(namespace))));
        }
        if let Some(path) = self.path {
            let values = [("currentValue", self.current), ("proposedValue", self.proposed)];
            let values = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
            result.push(("field", Value::map([("path", path.to_string().into())].into_iter().chain(values))));
        }
        if let Some(source) = self.source {
            let index = i64::try_from(source.index).unwrap_or(i64::MAX);
            result.push(("file", Value::map([("path", source.path.as_str().into()), ("index", index.into())])));
        }
        let tags = [("rule", self.rule.into()), ("doc", rule::page_of(self.rule).into())];
        let evidence = self.evidence.map(|evidence| ("evidence", (*evidence).into()));
        result.push(("tags", Value::map(tags.into_iter().chain(evidence))));
        Value::map(result)
    }
}

impl Severity {
    /// The severity's name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// `error: PLACE: MESSAGE [rule]`, as written to stderr.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        write!(f, "{}: {place}{} [{}]", self.severity.as_str(), self.message, self.rule)
    }
}
