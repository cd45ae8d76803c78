//! Charts that Flux renders in the cluster, where hostnet does not see what they make.

use crate::catalog;
use crate::model::facts::HelmRelease;
use crate::model::{Meta, Model};
use crate::plan::{Finding, Matcher};
use crate::rule::{self, Severity};
use crate::wire::shell_operand;

/// The API groups of releases and of what their charts come from.
pub(super) const GROUPS: [&str; 2] = ["helm.toolkit.fluxcd.io", "source.toolkit.fluxcd.io"];

/// What is said of the releases whose charts the catalogue knows: all of them in one result, and a warning beside a target that
/// matches nothing, since one of them may make what that means.
pub(super) fn report<'m>(
    model: &Model,
    mut matchers: impl Iterator<Item = &'m Matcher> + Clone,
    is_unmatched: bool,
) -> Option<Finding> {
    let known: Vec<String> = model
        .helm_releases()
        .filter_map(|(_, meta, release)| {
            let project = catalog::project_of_chart(release.name())?;
            let is_meant = matchers.clone().any(|matcher| matcher.is_of_namespace(release.namespace(meta)));
            is_meant.then(|| {
                let command = template(model, meta, release);
                format!("{meta} ({project}): `{command} | hostnet patch -c CONFIG --as helmrelease`")
            })
        })
        .collect();
    matchers.next()?;
    let severity = if is_unmatched { Severity::Warning } else { Severity::Info };
    let message = format!(
        "these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. {}",
        known.join("; ")
    );
    (!known.is_empty()).then(|| Finding::new(severity, rule::UNMATCHED, message))
}

/// The command that renders a release as Flux does.
fn template(model: &Model, meta: &Meta, release: &HelmRelease) -> String {
    let mut repo = None;
    let chart = match (release.source.0.as_str(), model.chart_url(meta, release)) {
        ("OCIRepository", Some(url)) => url.to_owned(),
        ("HelmRepository", Some(url)) if url.starts_with("oci://") => {
            format!("{}/{}", url.trim_end_matches('/'), release.chart)
        }
        ("HelmRepository", Some(url)) => {
            repo = Some(url.to_owned());
            release.chart.clone()
        }
        ("GitRepository" | "Bucket", _) => release.chart.clone(),
        _ => format!("{}/{}", release.source.2, release.name()),
    };
    let words = [release.release(meta).clone(), chart];
    let mut command = format!("helm template {}", words.map(|word| shell_operand(&word)).join(" "));
    let options = [
        ("--repo", repo),
        ("--version", release.version.clone()),
        ("--namespace", release.namespace(meta).map(str::to_owned)),
    ];
    for (name, value) in options.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        command.push_str(&format!(" {name} {}", shell_operand(&value)));
    }
    if release.has_values {
        command.push_str(" --values VALUES");
    }
    command
}
