//! Names and scalar fields of objects, and paths of a repository.

use std::path::{Component, Path, PathBuf};

use krm::escape_line;
use lossless_yaml::NodeRef;

/// First words of every patch that `hostnet patch` writes.
pub const PATCH_COMMENT_PREFIX: &str = "# hostnet patch: ";

/// First words of each file that the script of `hostnet charts` renders; path and position of the object's document
/// follow.
pub const RENDERED_FILE_HEADER: &str = "# hostnet charts: ";

/// The group of Flux's `HelmRelease`.
pub(super) const FLUX_HELM: &str = "helm.toolkit.fluxcd.io";

/// The group of Flux's `Kustomization`.
pub(super) const FLUX_KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io";

/// The group of Flux Operator's `ResourceSet` and `FluxInstance`.
pub(super) const FLUX_OPERATOR: &str = "fluxcd.controlplane.io";

/// The group of k3s' `HelmChart` and `HelmChartConfig`.
pub(super) const K3S_HELM: &str = "helm.cattle.io";

/// The group of Argo CD's `Application` and `ApplicationSet`.
pub(super) const ARGO_CD: &str = "argoproj.io";

/// File of the object from which `hostnet charts` rendered a text; `None` for other texts.
pub fn source_of_render(text: &str) -> Option<PathBuf> {
    place_of_render(text).map(|(file, _)| file)
}

/// File of the object from which `hostnet charts` rendered a text, and its position there; `None` for other texts.
pub fn place_of_render(text: &str) -> Option<(PathBuf, &str)> {
    let (file, position) = text.strip_prefix(RENDERED_FILE_HEADER)?.lines().next()?.rsplit_once('#')?;
    Some((PathBuf::from(file), position))
}

/// First folders in which the paths of two files differ: `clusters/prod` and `clusters/staging`. `None` for files of one
/// folder.
pub fn different_folders(one: &Path, other: &Path) -> Option<(PathBuf, PathBuf)> {
    let parts = |path: &Path| -> Option<Vec<PathBuf>> {
        let folder = path.parent()?.components().filter(|part| *part != Component::CurDir);
        Some(folder.map(|part| PathBuf::from(part.as_os_str())).collect())
    };
    let (one, other) = (parts(one)?, parts(other)?);
    let common = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let folder = |parts: &[PathBuf]| Some(parts.get(..=common)?.iter().collect::<PathBuf>());
    Some((folder(&one)?, folder(&other)?))
}

/// String at a path of keys; `None` if it is missing, empty or null.
pub fn text<'t>(node: NodeRef<'t, '_>, path: &str) -> Option<&'t str> {
    let node = path.split('.').try_fold(node, NodeRef::get)?;
    node.non_empty_text()
}

/// The group and the kind of an object.
pub fn group_and_kind<'t>(object: NodeRef<'t, '_>) -> Option<(&'t str, &'t str)> {
    let version = object.get("apiVersion")?.text()?;
    Some((version.split_once('/').map_or("", |(group, _)| group), object.get("kind")?.text()?))
}

/// Display name such as `HelmRelease shop/web`, without control characters.
pub fn name_of(object: NodeRef<'_, '_>, kind: &str) -> String {
    from_parts(kind, text(object, "metadata.namespace"), text(object, "metadata.name").unwrap_or_default())
}

/// Display name from kind, namespace and name, as [`name_of`] writes it.
pub(super) fn from_parts(kind: &str, namespace: Option<&str>, name: &str) -> String {
    let namespace = namespace.map(|namespace| format!("{}/", escape_line(namespace)));
    format!("{} {}{}", escape_line(kind), namespace.unwrap_or_default(), escape_line(name)).trim_end().to_owned()
}

/// True if one of these fields has a non-empty value.
pub(super) fn has_any_field(node: NodeRef<'_, '_>, keys: &[&str]) -> bool {
    keys.iter().any(|key| node.get(key).is_some_and(|value| !value.is_null()))
}

/// Escapes commas, at which Helm splits parameters, unless they are already escaped. A list in braces keeps its commas.
pub(super) fn with_commas(value: &str) -> String {
    if value.starts_with('{') && value.ends_with('}') {
        return value.to_owned();
    }
    let mut escaped = String::with_capacity(value.len());
    let mut before = None;
    for c in value.chars() {
        if c == ',' && before != Some('\\') {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

/// Formats a folder for Helm, which treats a path without a leading dot as a chart of a repository.
pub(super) fn helm_folder_argument(folder: &Path) -> String {
    let shown = folder.to_string_lossy();
    if folder.is_absolute() || shown.starts_with('.') { shown.into_owned() } else { format!("./{shown}") }
}

/// Normalizes a path relative to a repository; `None` if it leaves the repository.
pub(super) fn below(path: &str) -> Option<PathBuf> {
    let mut below = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => below.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir => below.pop().then_some(())?,
            Component::Prefix(_) => return None,
        }
    }
    Some(below)
}
