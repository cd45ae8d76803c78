//! Selects the program that renders an object, by the object's kind.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::applied_objects::{applied, deleted, doubts_with_remarks, identity, release, target_namespace};
use super::names::{ARGO_CD, FLUX_HELM, FLUX_KUSTOMIZE, FLUX_OPERATOR, K3S_HELM, group_and_kind, name_of, text};
use super::release::{Build, Doubts, Operand, Rendered, Renderer};
use super::repository::Repository;
use super::resource_set::{TemplateDocument, documents, embedded, is_template};
use super::unknown_chart;
use super::{argo, flux, helm_chart, provider_helm};
use crate::catalog;
use lossless_yaml::{NodeRef, Path, Tree, document};

/// API group of Crossplane's compositions.
const COMPOSITIONS: &str = "apiextensions.crossplane.io";

/// Programs that render an object, and the objects in its templates; empty for an object that is applied directly.
/// `file` and `document` are the object's location.
pub fn rendered(
    object: NodeRef<'_, '_>,
    file: Option<&std::path::Path>,
    document: usize,
    repository: &Repository<'_>,
) -> Vec<Rendered> {
    let mut all = read_object(object, (file, document, &Path::root()), repository);
    for (at, inner) in embedded(object) {
        let mut found = read_object(inner, (file, document, &at), repository);
        if is_template(inner) {
            found.truncate(1);
            for one in &mut found {
                one.by = Renderer::Nothing(format!("{} fills in a part of it (`<<`)", name_of(object, "ResourceSet")));
            }
        }
        all.extend(found);
    }
    for TemplateDocument { at, text, is_template } in documents(object) {
        // Templates that are YAML only after they are filled in are covered by the message about the ResourceSet.
        let tree = Tree::parse(&text).ok();
        let Some(inner) = tree.as_ref().and_then(|tree| tree.root(0)).filter(|root| root.is_mapping()) else {
            continue;
        };
        for mut found in read_object(inner, (file, document, &at), repository) {
            found.is_own = false;
            if is_template {
                let set = name_of(object, "ResourceSet");
                found.by = Renderer::Nothing(format!("{set} fills in a part of it, or decides if it exists (`<<`)"));
            }
            all.push(found);
        }
    }
    all.extend(operands_inside(object));
    all
}

/// Folders that the Applications of an `ApplicationSet` build, as far as its template is the same for all of them;
/// empty for other objects. The input may not show its generators, which [`rendered()`] needs.
pub fn template_folders(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Vec<PathBuf> {
    if group_and_kind(object) != Some((ARGO_CD, "ApplicationSet")) {
        return Vec::new();
    }
    let all = argo::template(object, repository);
    all.iter().filter_map(Renderer::build).flat_map(Build::folders).cloned().collect()
}

/// Custom resources in the templates of a Composition for which an operator makes objects.
fn operands_inside(object: NodeRef<'_, '_>) -> Vec<Rendered> {
    if group_and_kind(object) != Some((COMPOSITIONS, "Composition")) {
        return Vec::new();
    }
    let row = |node: NodeRef<'_, '_>| {
        let (group, kind) = group_and_kind(node)?;
        catalog::OPERANDS.iter().find(|row| row.group == group && row.kind == kind)
    };
    let rows: BTreeMap<(&str, &str), &catalog::Operand> =
        object.descendants().filter_map(row).map(|row| ((row.group, row.kind), row)).collect();
    let rendered = |row: &catalog::Operand| {
        let by = Renderer::Operator {
            what: format!("what the operator of the {} in it creates ({})", row.kind, row.runs),
            group: row.group.to_owned(),
            is_elsewhere: row.is_elsewhere,
            through: row.through,
        };
        let name = text(object, "metadata.name").unwrap_or_default().to_owned();
        Rendered::without_file("Composition", None, name, by)
    };
    rows.into_values().map(rendered).collect()
}

/// True for an API group with objects whose manifests another program renders.
pub fn may_be_rendered(group: &str) -> bool {
    [ARGO_CD, FLUX_HELM, FLUX_KUSTOMIZE, FLUX_OPERATOR, K3S_HELM].contains(&group)
        || catalog::OPERANDS.iter().any(|row| row.group == group)
}

/// Renderers of one object.
fn read_object(
    object: NodeRef<'_, '_>,
    (file, index, at): (Option<&std::path::Path>, usize, &Path),
    repository: &Repository<'_>,
) -> Vec<Rendered> {
    let Some((group, kind)) = group_and_kind(object) else { return Vec::new() };
    let program = |what, command| {
        let text = object.to_value().map_or_else(|| object.raw().to_owned(), |value| document(&value));
        Renderer::Program { what, command, operand: Operand::Object(text) }
    };
    // Reads kustomizations of the repository, so it runs only for rendered objects. They do not change the templates of
    // a ResourceSet.
    let is_root = *at == Path::root();
    let all_applied = LazyCell::new(|| applied(object, file.filter(|_| is_root), repository));
    let mut doubts = Doubts::default();
    let may_be_deleted = matches!(group, FLUX_HELM | FLUX_KUSTOMIZE | K3S_HELM | ARGO_CD);
    let deleted = may_be_deleted.then(|| deleted(object, file.filter(|_| is_root), repository)).flatten();
    let mut all: Vec<Renderer> = match (group, kind) {
        _ if deleted.is_some() => deleted.into_iter().collect(),
        (FLUX_HELM, "HelmRelease") => {
            let made = release(object, file, &all_applied, repository);
            doubts = made.as_ref().map(|(_, doubts)| doubts.clone()).unwrap_or_default();
            made.into_iter().map(|(by, _)| by).collect()
        }
        (FLUX_KUSTOMIZE, "Kustomization") => {
            flux::build(object, file, target_namespace(&all_applied), repository).into_iter().collect()
        }
        (K3S_HELM, "HelmChart") => helm_chart::release(object, repository)
            .map(|release| Renderer::Helm(Box::new(release)))
            .into_iter()
            .collect(),
        (K3S_HELM, "HelmChartConfig") => helm_chart::packaged(object, repository).into_iter().collect(),
        (ARGO_CD, "Application") => argo::application(object, repository).unwrap_or_default(),
        (ARGO_CD, "ApplicationSet") => match argo::applications(object, repository) {
            Ok(applications) => {
                let place = |made| Rendered {
                    file: file.map(std::path::Path::to_owned),
                    document: index,
                    at: at.clone(),
                    ..made
                };
                return applications.into_iter().map(place).collect();
            }
            Err(_) => vec![program("the rendered manifest of its Applications", "argocd appset generate -o yaml")],
        },
        (FLUX_OPERATOR, "ResourceSet") => {
            vec![program("its rendered manifest", "flux-operator build resourceset -f")]
        }
        (FLUX_OPERATOR, "FluxInstance") => {
            vec![program("its rendered manifest", "flux-operator build instance -f")]
        }
        _ => {
            let row = catalog::OPERANDS.iter().find(|row| row.group == group && row.kind == kind);
            let row = row.filter(|row| row.field.is_none_or(|key| object.get(key).is_some()));
            let what = |row: &catalog::Operand| format!("the manifest that its operator creates ({})", row.runs);
            let operator = |row: &catalog::Operand| Renderer::Operator {
                what: what(row),
                group: row.group.to_owned(),
                is_elsewhere: row.is_elsewhere,
                through: row.through,
            };
            let unknown = || {
                unknown_chart::is_in(object).then(|| Renderer::Operator {
                    what: "what its controller renders of a chart".to_owned(),
                    group: group.to_owned(),
                    is_elsewhere: false,
                    through: &[],
                })
            };
            let release = provider_helm::release(object, file, repository);
            let release = release.map(|release| Renderer::Helm(Box::new(release)));
            release.or_else(|| row.map(operator)).or_else(unknown).into_iter().collect()
        }
    };
    let builds_kustomization = (group, kind) != (ARGO_CD, "Application") || argo::may_build_kustomization(object);
    let is_own = all.len() == 1 && builds_kustomization;
    if all.is_empty() {
        return Vec::new();
    }
    if (group, kind) != (FLUX_HELM, "HelmRelease") {
        doubts = doubts_with_remarks(object, &all_applied, &mut all);
    }
    let (name, namespace) = identity(&all_applied, object);
    let rendered = |by| Rendered {
        kind: kind.to_owned(),
        namespace: namespace.clone(),
        name: name.clone(),
        by,
        file: file.map(std::path::Path::to_owned),
        document: index,
        at: at.clone(),
        is_own,
        doubts: doubts.clone(),
    };
    all.into_iter().map(rendered).collect()
}
