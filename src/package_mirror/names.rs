//! Package names after the run that the API server or Crossplane refuses.

use super::conflict::Conflict;
use super::core::{self, Installed};
use super::core_packages;
use super::crossplane::Style;
use super::lock::{Lock, LockPackage};
use super::rules::MirrorRules;
use super::writer::Writer;
use crate::catalog::full_names_required_since;
use crate::model::ObjectId;
use crate::rule::{self, Severity};
use crate::version::ProgramVersion;
use crate::xpkg::{certain_refusal, name_refusal, validates_names};
use lossless_yaml::Path;
use oci::name::ImageRef;

/// Reports packages of objects, and packages that the core's init container creates from its arguments or chart values.
pub(super) fn check(writer: &mut Writer<'_>) {
    let severity = severity_for(writer.core.version());
    let path = Path::dotted("spec.package");
    for id in writer.packages.clone() {
        let Some(package) = writer.facts.packages.get(&id) else { continue };
        let before = package.source.clone();
        let after = writer.planned_text(id, &path).map_or_else(|| before.clone(), str::to_owned);
        let label = format!("{}: `spec.package`", writer.display_name(id));
        report_name(writer, severity, id, &label, (&before, &after));
    }
    for package in core_packages::packages(writer.model, writer.facts, Some(writer.rules)) {
        if package.is_argument {
            continue;
        }
        let severity = severity_for(package.core.version_or(writer.core.version()));
        let label = format!("{}: the object that Crossplane's core creates from", package.label);
        report_name(writer, severity, package.object, &label, (&package.source, &package.source));
    }
    for installed in core::installed(writer.model) {
        let word = writer.planned_text(installed.object, &installed.path).unwrap_or(&installed.word).to_owned();
        let after = Installed { word, ..installed.clone() };
        let label = format!(
            "{}: container {}: the {} that it creates from",
            writer.display_name(installed.object),
            installed.container,
            installed.kind
        );
        for (before, after) in installed.packages().zip(after.packages()) {
            report_name(writer, severity, installed.object, &label, (before, after));
        }
    }
}

/// Severity of a name that the API server refuses, by version; `None` if it accepts all names.
fn severity_for(version: &ProgramVersion) -> Option<Severity> {
    match validates_names(version) {
        Some(true) => Some(Severity::Error),
        None => Some(Severity::Warning),
        Some(false) => None,
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
        writer.add_finding(Severity::Error, rule::PACKAGE_REGISTRY, format!("{label}: {reason}"), Some(id));
        return;
    }
    let Some(severity) = severity else { return };
    let is_of_rule = || before != after && name_refusal(&format!("{}:v1", ImageRef::split(after).name)).is_some();
    // If the version is unknown, the code that adds the registry reports a name without registry.
    let is_open = severity == Severity::Warning && ImageRef::split(after).is_unqualified();
    if is_of_rule() || is_open {
        return;
    }
    let Some(message) = refused(label, after, writer.style, writer.rules) else { return };
    writer.add_finding(severity, rule::PACKAGE_REGISTRY, message, Some(id));
}

/// Message about a name that the API server refuses; `None` for a valid name. Unreadable names are reported elsewhere.
fn refused(label: &str, after: &str, style: Style, rules: &MirrorRules<'_>) -> Option<String> {
    let refusal = certain_refusal(after)?;
    let is_led = style == Style::ImageConfig && rules.of_package(ImageRef::split(after).name).is_some();
    let led = if is_led { ". An ImageConfig does not help, since the object is never stored" } else { "" };
    Some(format!(
        "{label} `{after}` is refused by the API server with Crossplane from {} on: {refusal}{led}",
        full_names_required_since().unwrap_or_default()
    ))
}

/// Conflicts of packages whose names the API server refuses. Names without registry are left out: the list reports them
/// as unknown.
pub(super) fn conflicts(lock: &Lock<'_>, version: &ProgramVersion) -> Vec<Conflict> {
    let named = lock.packages.iter().filter(|package| !ImageRef::split(&package.written).is_unqualified());
    let conflict = |package: &LockPackage| {
        let severity = severity_for(package.core.version_or(version))?;
        let field = if package.is_object { "`spec.package`" } else { "the object that the core makes of" };
        let message = refused(&format!("{}: {field}", package.label), &package.written, lock.style, lock.rules)?;
        Some(Conflict { severity, message, source: package.source.clone(), object: Some(package.object) })
    };
    named.filter_map(conflict).collect()
}
