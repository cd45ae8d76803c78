//! Style Rewrite: writes the mirror's name into the packages.

use super::chart_packages;
use super::core;
use super::crossplane::{qualified, unqualified_unchanged_reason};
use super::writer::Writer;
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

/// The new reference of a package, in the mirror if a rule matches, with the digest of `packages`.
fn pinned(writer: &Writer<'_>, source: &str) -> Option<String> {
    let is_pin = writer.rules.config.mirror.spec.digests.are_written();
    if !is_pin || ImageRef::split(source).digest.is_some() {
        return None;
    }
    let digest = writer.rules.digest_of_package(source)?;
    Some(format!("{}@{digest}", writer.rules.package_in_mirror(source).unwrap_or_else(|| source.to_owned())))
}

/// Writes packages, including packages that the core's init container installs.
pub(super) fn write(writer: &mut Writer<'_>) {
    for id in writer.packages.clone() {
        let Some(package) = writer.facts.packages.get(&id) else { continue };
        let source = package.source.as_str();
        let whole = qualified(source, writer.unqualified);
        let new = pinned(writer, &whole).or_else(|| writer.rules.package_in_mirror(&whole));
        if let Some(reason) = unqualified_unchanged_reason(source, writer.unqualified) {
            let message = format!("{} is not changed: {reason}", writer.display_name(id));
            writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, Some(id));
        }
        let is_mirrored = new.is_some() || writer.rules.is_mirrored(ImageRef::split(source).name);
        if let Some(new) = new {
            writer.set(id, Path::dotted("spec.package"), (source, new), rule::PACKAGE_SOURCE);
        }
        let secret = writer.rules.config.mirror.spec.pull_secret.as_deref();
        let is_absent = |value: &Value| *value == Value::Null || *value == Value::Seq(Vec::new());
        if let Some(secret) = secret.filter(|_| is_mirrored && package.pull_secrets.as_ref().is_none_or(is_absent)) {
            let list = Value::Seq(vec![Value::map([("name", secret.into())])]);
            let old = package.pull_secrets.clone();
            writer.put(id, Path::dotted("spec.packagePullSecrets"), old, list, rule::PACKAGE_SOURCE);
        }
    }
    chart_packages::report_chart_packages(writer, |writer, whole| {
        pinned(writer, whole).or_else(|| writer.rules.package_in_mirror(whole))
    });
    for installed in core::installed(writer.model) {
        let new = installed.renamed(|source| {
            let whole = qualified(source, writer.unqualified);
            let new = pinned(writer, &whole).or_else(|| writer.rules.package_in_mirror(&whole));
            new.unwrap_or_else(|| source.to_owned())
        });
        let Some(new) = new else { continue };
        let label = format!("{}: container {}", writer.display_name(installed.object), installed.container);
        writer.set(installed.object, installed.path.clone(), (&installed.word, new), rule::PACKAGE_SOURCE);
        let message = format!(
            "{label} installs each {} under a name that it makes of the path: if this name changes, it creates a \
             second object in the cluster. Remove the old object from the cluster",
            installed.kind
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_SOURCE, message, Some(installed.object));
        // The core also uses the pull secrets of its ServiceAccount, and adds them to the ServiceAccounts of packages.
        // Source: crossplane/crossplane@v1.20.11 `internal/xpkg/fetch.go`, `K8sFetcher`;
        // `internal/controller/pkg/revision/reconciler.go`, `BuilderWithServiceAccountPullSecrets`.
        if let Some(secret) = writer.rules.config.mirror.spec.pull_secret.as_deref() {
            let message = format!(
                "{label} installs each {} without `packagePullSecrets`, and no argument names a Secret: put {secret} into the `imagePullSecrets` of the \
                 core's ServiceAccount, which the core and the pods of packages have too (`imagePullSecrets` of the chart), or leave out the argument and \
                 add the {} to the input",
                installed.kind, installed.kind
            );
            writer.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(installed.object));
        }
    }
}
