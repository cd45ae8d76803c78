//! Charts that Flux renders in the cluster, beside a target that meets nothing (F3).

use super::select::Matcher;
use crate::catalog;
use crate::model::helm_release::HelmRelease;
use crate::model::{Meta, Model};

/// How many releases are said.
const SAID: usize = 3;

/// What is said of the releases that may make what a select means: none when the catalogue knows none of their charts.
pub(super) fn hint(model: &Model, matcher: &Matcher) -> String {
    let known = model.helm_releases().filter_map(|(_, meta, release)| {
        let project = catalog::project_of_chart(release.name())?;
        matcher.is_of_namespace(release.namespace(meta)).then_some((meta, release, project))
    });
    known
        .take(SAID)
        .map(|(meta, release, project)| {
            format!(
                ". {meta} makes objects of {project} in the cluster, where hostnet does not see them: patches for it are \
                 printed by `{} | hostnet patch -c CONFIG --as helmrelease`",
                template(model, meta, release)
            )
        })
        .collect()
}

/// The command that renders a release as Flux does.
fn template(model: &Model, meta: &Meta, release: &HelmRelease) -> String {
    let chart = match (release.source.0.as_str(), model.chart_url(meta, release)) {
        ("OCIRepository", Some(url)) => url.to_owned(),
        ("HelmRepository", Some(url)) if url.starts_with("oci://") => {
            format!("{}/{}", url.trim_end_matches('/'), release.chart)
        }
        ("HelmRepository", Some(url)) => format!("{} --repo {url}", release.chart),
        ("GitRepository" | "Bucket", _) => release.chart.clone(),
        _ => format!("{}/{}", release.source.2, release.name()),
    };
    let mut command = format!("helm template {} {chart}", release.release(meta));
    if let Some(version) = &release.version {
        let quote = if version.chars().all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c)) { "" } else { "'" };
        command.push_str(&format!(" --version {quote}{version}{quote}"));
    }
    if let Some(namespace) = release.namespace(meta) {
        command.push_str(&format!(" --namespace {namespace}"));
    }
    if release.has_values {
        command.push_str(" --values VALUES");
    }
    command
}
