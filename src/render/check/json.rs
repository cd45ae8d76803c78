//! JSON output of all findings.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Entry, Location, Report};
use crate::render::ResourceRef;
use crate::rule::Severity;

/// All findings, including suppressed ones, with counts.
pub fn json(report: &Report) -> Value {
    // Serialization fails only for a mapping with keys that are not text, which reports do not have.
    serde_json::to_value(FindingsReport::from(report)).unwrap_or_default()
}

/// Report of a check, or of the results of a command that changes objects.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::render) struct FindingsReport<'r> {
    findings: Vec<FindingReport<'r>>,
    summary: Summary<'r>,
}

/// Counts of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary<'r> {
    /// Number of objects.
    objects: usize,
    /// Number of workloads among the objects.
    workloads: usize,
    /// Parts of the input that were not read.
    not_read: Vec<&'r str>,
    /// Number of open errors.
    error: usize,
    /// Number of open warnings.
    warning: usize,
    /// Number of open information.
    info: usize,
    /// Number of suppressed findings.
    suppressed: usize,
    /// True if the run fails.
    fails: bool,
    /// True if a run with `--check` or `--diff` would change something; absent for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<bool>,
    /// Number of open findings that the baseline has too; absent without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchanged: Option<usize>,
    /// Number of findings of the baseline that no longer occur; absent without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<usize>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FindingReport<'r> {
    /// Id of the rule.
    rule: &'r str,
    /// `error`, `warning` or `info`.
    severity: &'static str,
    /// Problem and remedy.
    message: &'r str,
    /// The object, if the finding is about an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_ref: Option<ObjectReport<'r>>,
    /// The field, if the finding is about a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<Field>,
    /// Location of the field or object.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place<'r>>,
    /// Second object of a finding about two objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<OtherReport<'r>>,
    /// Suppression of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<SuppressedReport<'r>>,
    /// `new` or `unchanged`; absent without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    /// True if the finding makes the run fail.
    fails: bool,
    /// Hash of rule, object and field; independent of line numbers.
    fingerprint: &'r str,
}

/// An object.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ObjectReport<'r> {
    api_version: &'r str,
    kind: &'r str,
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'r str>,
}

/// A field of an object.
#[derive(Debug, Serialize, JsonSchema)]
struct Field {
    path: String,
}

/// A place in an input.
#[derive(Debug, Serialize, JsonSchema)]
struct Place<'r> {
    /// The file; absent for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    /// Line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Column in characters, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

/// Second object of a finding.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OtherReport<'r> {
    resource_ref: ObjectReport<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place<'r>>,
}

/// Suppression of a finding.
#[derive(Debug, Serialize, JsonSchema)]
struct SuppressedReport<'r> {
    /// `annotation` or `config`.
    by: &'static str,
    reason: &'r str,
}

impl<'r> From<&'r Report> for FindingsReport<'r> {
    fn from(report: &'r Report) -> Self {
        let summary = Summary {
            objects: report.objects,
            workloads: report.workloads,
            not_read: report.not_read.iter().chain(&report.rendered).map(String::as_str).collect(),
            error: report.count(Severity::Error),
            warning: report.count(Severity::Warning),
            info: report.count(Severity::Info),
            suppressed: report.suppressed(),
            fails: report.fails(),
            differs: report.differs,
            unchanged: report.gone.map(|_| report.unchanged()),
            gone: report.gone,
        };
        Self { findings: report.entries.iter().map(FindingReport::from).collect(), summary }
    }
}

impl<'r> From<&'r Entry> for FindingReport<'r> {
    fn from(entry: &'r Entry) -> Self {
        let suppressed = entry.suppressed.as_ref().map(|suppressed| SuppressedReport {
            by: if suppressed.in_source { "annotation" } else { "config" },
            reason: &suppressed.reason,
        });
        let other = entry.other.as_ref().map(|(object, place)| OtherReport {
            resource_ref: ObjectReport::from(&**object),
            place: place.as_ref().map(Place::from),
        });
        Self {
            rule: entry.rule.id,
            severity: entry.severity.as_str(),
            message: &entry.message,
            resource_ref: entry.object.as_deref().map(ObjectReport::from),
            field: entry.path.as_ref().map(|path| Field { path: path.to_string() }),
            place: entry.place.as_ref().map(Place::from),
            other,
            suppressed,
            baseline_state: entry.baseline.map(super::Baseline::as_str),
            fails: entry.fails,
            fingerprint: &entry.fingerprint,
        }
    }
}

impl<'r> From<&'r ResourceRef> for ObjectReport<'r> {
    fn from(object: &'r ResourceRef) -> Self {
        let namespace = object.namespace.as_deref();
        Self { api_version: &object.api_version, kind: &object.kind, name: &object.name, namespace }
    }
}

impl<'r> From<&'r Location> for Place<'r> {
    fn from(place: &'r Location) -> Self {
        let (line, column) = place.position.unzip();
        Self { file: place.file.as_deref(), line, column }
    }
}
