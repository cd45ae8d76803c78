//! A plan as results: one for every change and every finding (design: R; the functions spec's Result).

use std::fmt;

use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Edit, Finding, Plan, Rule, Severity};
use crate::yaml::{Path, Value};

/// Where the page of each rule is.
const PAGES: &str = "docs/rules";

/// The file that an object comes from, when it is a real one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Slash-separated path.
    pub path: String,
    /// The position of the object in the file, from 0.
    pub index: usize,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How bad it is.
    pub severity: Severity,
    /// The rule's id.
    pub rule: &'static str,
    /// All that a person needs: what, where, old, new, what to do.
    pub message: String,
    /// The object's apiVersion, kind, name and namespace.
    pub resource: Option<(String, String, String, Option<String>)>,
    /// The field.
    pub path: Option<Path>,
    /// What it held.
    pub current: Option<Value>,
    /// What it holds now, or should.
    pub proposed: Option<Value>,
    /// The file.
    pub source: Option<Source>,
    /// `FILE:LINE:COLUMN` of what an error or a warning is about, as far as known.
    pub place: Option<String>,
}

/// What results say of objects.
pub trait Objects {
    /// The identity of an object and the file it comes from.
    fn describe(&self, object: ObjectId) -> Option<(&Meta, Option<Source>)>;

    /// `FILE:LINE:COLUMN` of a field of an object.
    fn place(&self, object: ObjectId, path: Option<&Path>) -> Option<String>;
}

/// The results of a plan, sorted as kyaml sorts them: file, severity, text. Those of `changes` only when asked for.
#[must_use]
pub fn results(plan: Plan, objects: &impl Objects, changes: bool) -> Vec<Outcome> {
    let edits = plan.edits.into_iter().chain(plan.moves.into_iter().flat_map(|moved| moved.edits));
    let edits = edits.filter(|_| changes).map(|edit| of_edit(edit, objects));
    let findings = plan.findings.into_iter().map(|finding| of_finding(finding, objects));
    let mut all: Vec<Outcome> = findings.chain(edits).collect();
    all.sort_by(|a, b| {
        (&a.source, a.severity, &a.resource, &a.message).cmp(&(&b.source, b.severity, &b.resource, &b.message))
    });
    all.dedup();
    all
}

fn of_edit(edit: Edit, objects: &impl Objects) -> Outcome {
    let (current, proposed) = match edit.change {
        Change::Set { old, new } => (Some(old), new),
        Change::Add { new } => (None, new),
        Change::Text { old, range, new } => {
            let before = old.get(..range.start).unwrap_or_default();
            let after = old.get(range.end..).unwrap_or_default();
            let proposed = Value::Str(format!("{before}{new}{after}"));
            (Some(Value::Str(old)), proposed)
        }
    };
    let (resource, source) = of_object(Some(edit.object), objects);
    Outcome {
        severity: Severity::Info,
        rule: edit.rule.id,
        message: edit.message,
        resource,
        path: Some(edit.path),
        current,
        proposed: Some(proposed),
        source,
        place: None,
    }
}

/// What stops a run, or is left as it was, as a result.
fn of_finding(finding: Finding, objects: &impl Objects) -> Outcome {
    let (resource, source) = of_object(finding.object, objects);
    let said = finding.severity != Severity::Info;
    let place = finding.object.filter(|_| said).and_then(|object| objects.place(object, finding.path.as_ref()));
    Outcome {
        severity: finding.severity,
        rule: finding.rule.id,
        message: finding.message,
        resource,
        path: finding.path,
        current: finding.current,
        proposed: None,
        source,
        place,
    }
}

type Resource = (String, String, String, Option<String>);

fn of_object(id: Option<ObjectId>, objects: &impl Objects) -> (Option<Resource>, Option<Source>) {
    let Some((meta, source)) = id.and_then(|id| objects.describe(id)) else { return (None, None) };
    let resource = (meta.api_version(), meta.gvk.kind.clone(), meta.name.clone(), meta.namespace.clone());
    (Some(resource), source)
}

impl Outcome {
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
        if let Some((api_version, kind, name, namespace)) = self.resource {
            let mut reference = vec![
                ("apiVersion".to_owned(), Value::Str(api_version)),
                ("kind".to_owned(), Value::Str(kind)),
                ("name".to_owned(), Value::Str(name)),
            ];
            reference.extend(namespace.map(|namespace| ("namespace".to_owned(), Value::Str(namespace))));
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
            let file = vec![("path".to_owned(), Value::Str(source.path)), ("index".to_owned(), Value::Int(index))];
            result.push(("file".to_owned(), Value::Map(file)));
        }
        let tags = vec![
            ("rule".to_owned(), text(self.rule)),
            ("doc".to_owned(), Value::Str(format!("{PAGES}/{}.md", self.rule))),
        ];
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
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        write!(f, "{}: {place}{} [{}]", self.severity.as_str(), self.message, self.rule)
    }
}
