//! Packages that Crossplane's core installs, from arguments and from values of its chart.

use super::core;
use super::facts::MirrorFacts;
use crate::model::{Model, ObjectId};

/// A package that the core installs: named by an argument of its init container, or by a chart value that Helm renders
/// to such an argument.
#[derive(Debug)]
pub(super) struct CorePackage {
    pub(super) object: ObjectId,
    /// The object with its container or chart value, for messages.
    pub(super) label: String,
    /// The reference, as written.
    pub(super) source: String,
    pub(super) kind: &'static str,
    /// True for an argument, which a run may edit.
    pub(super) is_argument: bool,
}

/// The packages that the core installs.
pub(super) fn packages(model: &Model, facts: &MirrorFacts) -> Vec<CorePackage> {
    let meta = |id: ObjectId| model.object(id).map(|object| object.meta.to_string()).unwrap_or_default();
    let mut all = Vec::new();
    for installed in core::installed(model) {
        let label = format!("{}: container {}", meta(installed.object), installed.container);
        all.extend(installed.packages().map(|source| CorePackage {
            object: installed.object,
            label: label.clone(),
            source: source.to_owned(),
            kind: installed.kind,
            is_argument: true,
        }));
    }
    for (id, chart) in &facts.core_charts {
        all.extend(chart.packages.iter().map(|package| CorePackage {
            object: *id,
            label: match &package.file {
                Some(file) => format!("{}: `{}.packages` of {file}", meta(*id), package.value),
                None => format!("{}: `{}.packages`", meta(*id), package.value),
            },
            source: package.source.clone(),
            kind: package.kind,
            is_argument: false,
        }));
    }
    all
}
