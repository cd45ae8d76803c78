//! Package names after the run that the API server or Crossplane refuses.

use super::core;
use super::core_packages;
use super::crossplane::Style;
use super::writer::Writer;
use crate::catalog::whole_names_since;
use crate::model::ObjectId;
use crate::rule::{self, Severity};
use crate::xpkg::{name_refusal, validates_names};
use lossless_yaml::Path;
use oci::name::ImageRef;

/// Reports packages of objects, and packages that the core's init container creates from its arguments or chart values.
pub(super) fn check(writer: &mut Writer<'_>) {
    let severity = match validates_names(writer.core.version()) {
        Some(true) => Some(Severity::Error),
        None => Some(Severity::Warning),
        Some(false) => None,
    };
    let path = Path::dotted("spec.package");
    for id in writer.packages.clone() {
        let Some(package) = writer.facts.packages.get(&id) else { continue };
        let before = package.source.clone();
        let after = writer.written(id, &path).map_or_else(|| before.clone(), str::to_owned);
        let label = format!("{}: `spec.package`", writer.display_name(id));
        report_name(writer, severity, id, &label, (&before, &after));
    }
    for package in core_packages::packages(writer.model, writer.facts).iter().filter(|package| !package.is_argument) {
        let label = format!("{}: the object that the core makes of", package.label);
        report_name(writer, severity, package.object, &label, (&package.source, &package.source));
    }
    for installed in core::installed(writer.model) {
        let after = installed.with_word(writer.written(installed.object, &installed.path).unwrap_or(&installed.word));
        let label = format!(
            "{}: container {}: the {} that it makes of",
            writer.display_name(installed.object),
            installed.container,
            installed.kind
        );
        for (before, after) in installed.packages().zip(after.packages()) {
            report_name(writer, severity, installed.object, &label, (before, after));
        }
    }
}

/// The reason why Crossplane cannot read a reference whose name is valid; `None` for a text with placeholders.
pub(super) fn unreadable(reference: &str) -> Option<String> {
    let is_name = ImageRef::read(ImageRef::split(reference).name).is_ok();
    let is_filled_in = reference.contains(['$', '{', '}', '<', '>', '%']);
    let error = ImageRef::read(reference).err().filter(|_| is_name && !is_filled_in)?;
    Some(error.to_string())
}

/// Reports one name, unless the `to` of its rule is reported instead. `severity` applies to a name that only the API
/// server refuses; `None` if the API server accepts all names.
fn report_name(
    writer: &mut Writer<'_>,
    severity: Option<Severity>,
    id: ObjectId,
    label: &str,
    (before, after): (&str, &str),
) {
    let is_refused = severity.is_some() && name_refusal(after).is_some();
    if let Some(reason) = unreadable(after).filter(|_| !is_refused) {
        writer.report(Severity::Error, rule::PACKAGE_REGISTRY, format!("{label}: {reason}"), Some(id));
        return;
    }
    let Some(severity) = severity else { return };
    let is_of_rule = || before != after && name_refusal(&format!("{}:v1", ImageRef::split(after).name)).is_some();
    // If the version is unknown, the code that adds the registry reports a name without registry.
    let is_open = severity == Severity::Warning && ImageRef::split(after).is_unqualified();
    let Some(refusal) = name_refusal(after) else { return };
    // A text with `$` is filled in before the API server reads it; an unreadable name is reported elsewhere.
    let is_filled_in = after.contains('$') || ImageRef::read(ImageRef::split(after).name).is_err();
    if is_filled_in || is_of_rule() || is_open {
        return;
    }
    let is_led = writer.style == Style::ImageConfig && writer.rules.of_package(ImageRef::split(after).name).is_some();
    let led = if is_led { ". An ImageConfig does not help, since the object is never stored" } else { "" };
    let message = format!(
        "{label} `{after}` is refused by the API server with Crossplane from {} on: {refusal}{led}",
        whole_names_since().unwrap_or_default()
    );
    writer.report(severity, rule::PACKAGE_REGISTRY, message, Some(id));
}
