//! Findings about packages in values of Crossplane's chart, which are not edited.

use super::core_packages;
use super::names::unreadable;
use super::rewritten::is_final;
use super::writer::Writer;
use crate::crossplane::ValuesSource;
use crate::model::ObjectId;
use crate::rule::{self, Severity};
use oci::name::ImageRef;

/// Reports packages that get another name. `renamed` returns the new name of a whole reference.
pub(super) fn report_chart_packages(writer: &mut Writer<'_>, renamed: impl Fn(&Writer<'_>, &str) -> Option<String>) {
    for package in core_packages::packages(writer.model, writer.facts, Some(writer.rules))
        .into_iter()
        .filter(|package| !package.is_argument && unreadable(&package.source).is_none())
    {
        let whole = package.whole(writer.unqualified);
        let Some(new) = renamed(writer, &whole).filter(|new| *new != package.source) else { continue };
        let message = format!(
            "{}: `{}` is not changed, because values of a chart are not edited: write `{new}`",
            package.label, package.source
        );
        writer.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(package.object));
    }
    report_unfilled_packages(writer);
    let unread: Vec<(ObjectId, &ValuesSource)> = writer
        .facts
        .core_charts
        .iter()
        .flat_map(|(id, chart)| chart.further.iter().map(|source| (*id, source)))
        .collect();
    for (id, source) in unread {
        let name = writer.display_name(id);
        let message = match source {
            ValuesSource::File(_) => {
                format!("{name}: its {source} is not in the input, so packages in it are not known: give the file too")
            }
            ValuesSource::Key { kind, .. } if kind == "ConfigMap" => format!(
                "{name}: its values are in {source}, which is not in the input, so packages in it are not known: give the ConfigMap too"
            ),
            ValuesSource::Key { .. } => {
                format!("{name}: its values are in {source}, which is not read, so packages in it are not known")
            }
        };
        writer.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(id));
    }
}

/// Reports packages of Crossplane's core whose names another program fills in. Values of the chart are left out if the
/// input also has the core, whose arguments name the packages.
fn report_unfilled_packages(writer: &mut Writer<'_>) {
    let has_core = !writer.facts.core_containers.is_empty();
    let packages = core_packages::packages(writer.model, writer.facts, Some(writer.rules)).into_iter();
    let packages = packages.filter(|package| {
        let is_name = ImageRef::read(ImageRef::split(&package.source).name).is_ok();
        !is_name && !is_final(&package.source) && (package.is_argument || !has_core)
    });
    for package in packages.collect::<Vec<_>>() {
        let message = format!(
            "{}: `{}` is filled in later, so this package is neither moved nor compared with others: write the \
             name of the package, or add the manifest in which the name is filled in",
            package.label, package.source
        );
        writer.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(package.object));
    }
}
