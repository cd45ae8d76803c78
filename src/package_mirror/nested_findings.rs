//! Findings about packages inside of other objects, which stay as they are.

use super::crossplane::{Style, qualified};
use super::writer::Writer;
use crate::model::text::holds_placeholder;
use crate::plan::Finding;
use crate::rule::{PACKAGE_SOURCE, Severity};
use oci::name::ImageRef;

/// Reports packages inside of other objects for which the config has a rule, or whose names are filled in later.
pub(super) fn report_nested_findings(writer: &mut Writer<'_>) {
    let facts = writer.facts;
    for (id, packages) in &facts.nested {
        let Some(object) = writer.model.object(*id).filter(|object| !writer.rules.excludes(object)) else { continue };
        for package in packages {
            let label = package.label(&object.meta);
            let Some(message) = message(writer, &label, &package.source) else { continue };
            let is_pulled = writer.style == Style::ImageConfig && !holds_placeholder(&package.source);
            let severity = if is_pulled { Severity::Info } else { Severity::Warning };
            let finding = Finding::new(severity, PACKAGE_SOURCE, message).on_object(*id).at(package.path.clone());
            writer.plan.findings.push(finding);
        }
    }
}

/// Message about a package; `None` for a name in the mirror and for a name without a rule.
fn message(writer: &Writer<'_>, label: &str, source: &str) -> Option<String> {
    let whole = qualified(source, writer.unqualified);
    let name = ImageRef::split(&whole).name;
    if writer.rules.is_mirrored(name) {
        return None;
    }
    match writer.rules.package_in_mirror(&whole) {
        Some(new) if writer.style == Style::Rewrite => {
            Some(format!("{label} is not changed, because it is inside of another object: write {new} there"))
        }
        Some(_) => Some(format!(
            "{label} is not changed, because it is inside of another object: Crossplane pulls {source} from the mirror only in a cluster that \
             has the ImageConfigs of this config"
        )),
        None if holds_placeholder(source) => {
            Some(format!("{label} is not changed: `{source}` is filled in later. Write a name in the mirror there"))
        }
        None => None,
    }
}
