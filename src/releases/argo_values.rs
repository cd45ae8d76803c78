//! Values files of an Application of Argo CD.

use std::path::Path;

use super::names::text;
use super::release::Values;
use super::repository::Repository;
use lossless_yaml::NodeRef;

/// The name by which values files refer to a source, and the source.
pub(super) type Ref<'t, 's> = (&'t str, NodeRef<'t, 's>);

/// Values file of an Application: in the chart's folder, below the root of its repository (`/envs/common.yaml`), or in
/// another source (`$values/apps/web.yaml`).
pub(super) fn values_file(
    file: &str,
    (own, folder): (NodeRef<'_, '_>, Option<&Path>),
    refs: &[Ref<'_, '_>],
    repository: &Repository<'_>,
) -> Values {
    let referred = file.strip_prefix('$').and_then(|rest| {
        let (name, path) = rest.split_once('/')?;
        refs.iter().find(|(known, _)| *known == name).map(|(_, source)| (*source, path))
    });
    let from_source = referred.and_then(|(source, path)| {
        // Only files of this repository can be read.
        let is_here = !repository.is_other_url(text(source, "repoURL").unwrap_or_default());
        is_here.then(|| repository.file(path))?
    });
    let of_folder = || {
        if file.starts_with('/') {
            return folder.and_then(|_| repository.file(file));
        }
        let path = folder?.join(file);
        path.is_file().then_some(path)
    };
    match from_source.or_else(of_folder) {
        Some(path) => Values::File(path),
        None => {
            let (source, path) = referred.unwrap_or((own, file));
            let url = text(source, "repoURL").unwrap_or_default();
            // Sources of other repositories may have files of the same name.
            let field = |key: &str| text(source, key).unwrap_or_default();
            let place = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches(".git");
            // Without a user and a password.
            let place = place.split_once('@').filter(|(user, _)| !user.contains('/')).map_or(place, |(_, rest)| rest);
            let revision = Some(field("targetRevision")).filter(|revision| *revision != "HEAD").unwrap_or_default();
            let parts = [place, field("chart"), revision, path].into_iter().filter(|part| !part.is_empty());
            let name: Vec<String> =
                parts.map(|part| part.trim_matches('/').replace(['/', ':', '@', '$'], "_")).collect();
            Values::Missing { what: format!("the values file {file} of {place}"), file: name.join("_"), path: None }
        }
    }
}
