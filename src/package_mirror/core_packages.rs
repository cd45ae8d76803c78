//! Packages that Crossplane's core installs: one reading of arguments and of values of its chart.

use super::core;
use super::crossplane::qualified;
use super::facts::MirrorFacts;
use super::names::unreadable;
use super::writer::Writer;
use crate::model::{Model, ObjectId};
use crate::rule::{self, Severity};

/// A package that the core installs: by an argument of its init container, or by a value of its chart, of which Helm makes such an argument.
#[derive(Debug)]
pub(super) struct CorePackage {
    pub(super) object: ObjectId,
    /// The object, and the container or the value in it, for a person.
    pub(super) label: String,
    /// The reference as it is written.
    pub(super) source: String,
    pub(super) kind: &'static str,
    /// True for an argument, which a run may edit.
    pub(super) is_argument: bool,
}

/// The packages that the core installs.
pub(super) fn packages(model: &Model, facts: &MirrorFacts) -> Vec<CorePackage> {
    let meta = |id: ObjectId| model.object(id).map(|object| object.meta.to_string()).unwrap_or_default();
    let mut all = Vec::new();
    for own in core::installed(model) {
        let label = format!("{}: container {}", meta(own.object), own.container);
        all.extend(own.packages().map(|source| CorePackage {
            object: own.object,
            label: label.clone(),
            source: source.to_owned(),
            kind: own.kind,
            is_argument: true,
        }));
    }
    for (id, chart) in &facts.core_charts {
        all.extend(chart.packages.iter().map(|own| CorePackage {
            object: *id,
            label: format!("{}: `{}.packages`", meta(*id), own.value),
            source: own.source.clone(),
            kind: own.kind,
            is_argument: false,
        }));
    }
    all
}

/// Reports packages in chart values that get another name: chart values are not edited. `renamed` returns the new name of a whole reference.
pub(super) fn chart_packages(writer: &mut Writer<'_>, renamed: impl Fn(&Writer<'_>, &str) -> Option<String>) {
    for own in packages(writer.model, writer.facts)
        .into_iter()
        .filter(|own| !own.is_argument && unreadable(&own.source).is_none())
    {
        let whole = qualified(&own.source, &writer.unqualified);
        let Some(new) = renamed(writer, &whole).filter(|new| *new != own.source) else { continue };
        let message = format!(
            "{}: `{}` stays as it is, because values of a chart are not edited: write `{new}`",
            own.label, own.source
        );
        writer.say(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(own.object));
    }
}
