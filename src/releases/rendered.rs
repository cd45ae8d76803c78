//! Selects the program that renders an object, by the object's kind.

use std::cell::LazyCell;
use std::path::Path;

use super::names::{FLUX_HELM, FLUX_KUSTOMIZE, K3S_HELM, group_and_kind, text};
use super::release::{By, Rendered};
use super::repository::Repository;
use super::{argo, flux, helm_chart};
use crate::catalog;
use lossless_yaml::NodeRef;

/// Programs that render an object; empty for an object that is applied directly. `file` and `document` are the object's
/// location.
#[must_use]
pub fn rendered(
    object: NodeRef<'_, '_>,
    file: Option<&Path>,
    document: usize,
    repository: &Repository<'_>,
) -> Vec<Rendered> {
    let Some((group, kind)) = group_and_kind(object) else { return Vec::new() };
    let program = |what, command| By::Program {
        what,
        command,
        operand: file.map_or_else(|| "-".to_owned(), |file| file.to_string_lossy().into_owned()),
    };
    // Reads the kustomizations above the file, so it runs only for rendered objects.
    let namespace = LazyCell::new(|| repository.namespace_of(text(object, "metadata.namespace"), file));
    let all: Vec<By> = match (group, kind) {
        (FLUX_HELM, "HelmRelease") => {
            flux::release(object, (file, namespace.as_deref()), repository).into_iter().collect()
        }
        (FLUX_KUSTOMIZE, "Kustomization") => flux::build(object, repository).into_iter().collect(),
        (K3S_HELM, "HelmChart") => {
            helm_chart::release(object, repository).map(|release| By::Helm(Box::new(release))).into_iter().collect()
        }
        ("argoproj.io", "Application") => argo::application(object, repository).unwrap_or_default(),
        ("argoproj.io", "ApplicationSet") => match argo::applications(object, repository) {
            Ok(applications) => {
                let place = |made| Rendered { file: file.map(Path::to_owned), document, ..made };
                return applications.into_iter().map(place).collect();
            }
            Err(_) => vec![program("what its Applications render", "argocd appset generate")],
        },
        ("fluxcd.controlplane.io", "ResourceSet") => {
            vec![program("what it renders", "flux-operator build resourceset -f")]
        }
        ("fluxcd.controlplane.io", "FluxInstance") => {
            vec![program("what it renders", "flux-operator build instance -f")]
        }
        _ => {
            let row = catalog::operands().iter().find(|row| row.group == group && row.kind == kind);
            let what = |row: &catalog::Operand| format!("what its operator runs ({})", row.runs);
            row.map(|row| By::Operator { what: what(row) }).into_iter().collect()
        }
    };
    let is_own = all.len() == 1;
    let rendered = |by| Rendered {
        kind: kind.to_owned(),
        namespace: namespace.clone(),
        name: text(object, "metadata.name").unwrap_or_default().to_owned(),
        by,
        file: file.map(Path::to_owned),
        document,
        is_own,
    };
    all.into_iter().map(rendered).collect()
}
