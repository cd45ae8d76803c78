//! Flux: `HelmRelease`, and `Kustomization`, which builds a folder.
//!
//! Source: fluxcd/helm-controller@v1.4.0 `api/v2/helmrelease_types.go` (names of releases), fluxcd/pkg@ba6cf5601
//! `chartutil/values.go` (later references override earlier references, and `values` overrides all of them).

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::generated;
use super::kustomization::KustomizationFile;
use super::names::{has_any_field, text};
use super::overlay;
use super::own_fields::OwnFields;
use super::release::{Build, Chart, OWN_POST_RENDERERS, Release, Renderer, UNKNOWN_URL, Values};
use super::repository::Repository;
use super::sources::{key, values_files};
use crate::model::facts::VALUES_KEY;
use lossless_yaml::{NodeRef, Value, document};

/// Reads a `HelmRelease` of a file, with namespace and name of the applied object. `folders` are the kustomizations of its
/// build that contain it.
pub(super) fn release(
    object: NodeRef<'_, '_>,
    (file, own, folders): (Option<&Path>, Option<&str>, &[PathBuf]),
    name: &str,
    repository: &Repository<'_>,
) -> Option<Renderer> {
    let spec = object.get("spec")?;
    let template = spec.get("chart").and_then(|chart| chart.get("spec"));
    if spec.get("chartRef").or_else(|| template.and_then(|chart| chart.get("sourceRef"))).is_none() {
        return Some(Renderer::Nothing(PARTIAL_RELEASE_REASON.to_owned()));
    }
    let target = text(spec, "targetNamespace");
    let release = match (text(spec, "releaseName"), target) {
        (Some(release), _) => release.to_owned(),
        (None, Some(target)) => format!("{target}-{name}"),
        (None, None) => name.to_owned(),
    };
    if let Some(why) = unnamed(&release) {
        return Some(Renderer::Nothing(why));
    }
    let (chart, files, mut remarks) = chart(spec, own.unwrap_or_default(), file, repository);
    let mut all = own_values(&files, &chart, repository, &mut remarks);
    all.extend(values(spec, own, (file, folders), repository));
    if has_set_before_text(&all) {
        all = all.into_iter().map(as_text).collect();
    }
    if has_set_before_text(&all) {
        remarks.push(
            "single values (targetPath) override all others here; in Flux a later value overrides an earlier one"
                .to_owned(),
        );
    }
    if has_any_field(spec, &["postRenderers"]) && !is_by_hostnet(spec) {
        remarks.push(OWN_POST_RENDERERS.to_owned());
    }
    if target.or(own).is_none() {
        remarks.push(
            "its namespace is not in the input: it is rendered into the namespace of Helm's own configuration"
                .to_owned(),
        );
    }
    Some(Renderer::Helm(Box::new(Release {
        name: shortened(release),
        namespace: target.or(own).map(str::to_owned),
        chart,
        values: all,
        patches_hooks: matches!(text(spec, "postRenderStrategy"), Some("combined" | "separate")),
        crds: true,
        remarks,
    })))
}

/// Reason why a partial release is not rendered.
const PARTIAL_RELEASE_REASON: &str = "it names no chart: a kustomization merges it into another HelmRelease";

/// Reason why a release name is invalid for Helm; `None` if it is valid.
fn unnamed(release: &str) -> Option<String> {
    if release.is_empty() {
        return Some("it has no name before it is applied".to_owned());
    }
    release.contains("${").then(|| format!("its name holds a variable that Flux fills in: {release}"))
}

/// Shortens a release name as Flux does, to Helm's limit of 53 characters.
///
/// Source: fluxcd/helm-controller@v1.4.0 `internal/release/name.go`.
fn shortened(name: String) -> String {
    let Some(kept) = name.get(..40).filter(|_| name.len() > 53) else { return name };
    let digest: String = Sha256::digest(name.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{kept}-{digest}")
}

/// True if all post-renderers contain only patches by `hostnet patch`.
fn is_by_hostnet(spec: NodeRef<'_, '_>) -> bool {
    let renderers = spec.get("postRenderers").into_iter().flat_map(NodeRef::items);
    let patches = renderers.filter_map(|one| one.get("kustomize")?.get("patches"));
    patches.flat_map(NodeRef::items).all(overlay::is_by_hostnet)
}

/// True if a single value precedes a values file.
fn has_set_before_text(values: &[Values]) -> bool {
    let mut rest =
        values.iter().skip_while(|value| !matches!(value, Values::Set(..) | Values::Missing { path: Some(_), .. }));
    rest.any(|value| matches!(value, Values::Text { .. } | Values::File(_) | Values::Missing { path: None, .. }))
}

/// Converts a single value to a values file, so that later values override it; unchanged if Helm interprets its path or
/// its text in a special way.
///
/// Source: helm/helm@v3.19.0 `pkg/strvals/parser.go` (types of values, and escapes).
fn as_text(values: Values) -> Values {
    let Values::Set(flag, set) = &values else { return values };
    let Some((path, value)) = set.split_once('=') else { return values };
    let is_plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    let is_simple = path.split('.').all(is_plain) && !value.contains(['\\', ',', '{', '}', '[', ']', '\n', '=']);
    // A number with a leading zero is a text for Helm.
    let is_number = value == "0" || value.parse::<i64>().is_ok() && !value.starts_with(['0', '+']);
    let scalar = match value {
        _ if *flag == "--set-string" => Value::from(value),
        "true" | "false" => Value::Bool(value == "true"),
        "null" => Value::Null,
        _ if is_number => Value::Int(value.parse().unwrap_or_default()),
        _ => Value::from(value),
    };
    if !is_simple {
        return values;
    }
    let nested = path.rsplit('.').fold(scalar, |inner, key| Value::map([(key, inner)]));
    Values::Text { from: format!("targetPath {path}"), text: document(&nested) }
}

/// Files of values that a release or its `HelmChart` selects; they are read if the chart is in this repository.
///
/// Source: fluxcd/source-controller@316edc33e `internal/helm/chart/builder_local.go` (paths are relative to the
/// source).
fn own_values(files: &[String], chart: &Chart, repository: &Repository<'_>, remarks: &mut Vec<String>) -> Vec<Values> {
    let is_local = chart.repository.is_none() && chart.is_found;
    let found: Vec<Values> =
        files.iter().filter(|_| is_local).filter_map(|file| repository.file(file)).map(Values::File).collect();
    if found.len() < files.len() {
        let why = if is_local { "are no files of this repository" } else { "are inside of the chart" };
        remarks.push(format!("missing from its values, because these files {why}: {}", files.join(", ")));
    }
    found
}

/// The chart of a release, its files of values, and remarks about its source.
fn chart(
    spec: NodeRef<'_, '_>,
    namespace: &str,
    file: Option<&Path>,
    repository: &Repository<'_>,
) -> (Chart, Vec<String>, Vec<String>) {
    let template = spec.get("chart").and_then(|chart| chart.get("spec"));
    let reference = spec.get("chartRef").or_else(|| template.and_then(|chart| chart.get("sourceRef")));
    let mut source_key = key(reference, namespace);
    let mut written = template.and_then(|chart| text(chart, "chart")).map(str::to_owned);
    let mut version = template.and_then(|chart| text(chart, "version")).map(str::to_owned);
    let mut source = repository.source(&source_key, file);
    let mut files = template.map(values_files).unwrap_or_default();
    let mut name = written.clone().unwrap_or_else(|| source_key.2.clone());
    // A HelmChart replaces `spec.chart` and has its own source.
    if let Some((chart, of_chart)) = source.and_then(|source| source.chart.clone()) {
        version = version.or_else(|| source.and_then(|source| source.version.clone()));
        files = source.map(|source| source.values_files.clone()).unwrap_or_default();
        (source_key, written, name) = (of_chart, Some(chart.clone()), chart);
        source = repository.source(&source_key, file);
    }
    // The URL of an OCIRepository is the URL of the chart.
    let has_chart_url = written.is_none() && source_key.0 == "OCIRepository";
    let of_url = source.map(|source| source.url.trim_end_matches('/')).filter(|url| has_chart_url && !url.is_empty());
    let name = of_url.map_or(name, str::to_owned);
    let name = if name.is_empty() { "CHART".to_owned() } else { name };
    let is_repository = source_key.0 == "HelmRepository" || source_key.0 == "OCIRepository";
    let url = source.map(|source| source.url.clone()).or_else(|| is_repository.then(|| UNKNOWN_URL.to_owned()));
    let is_elsewhere = is_repository || repository.is_foreign(&source_key);
    let folder = if is_elsewhere { None } else { repository.chart(&name) };
    if let Some(folder) = &folder {
        let remarks = repository.unknown_source(&source_key).into_iter().chain(repository.revision(&source_key));
        return (Chart { version, ..Chart::in_folder(&name, folder) }, files, remarks.collect());
    }
    let chart = Chart {
        chart: if has_chart_url { String::new() } else { name.clone() },
        has_dependencies: false,
        is_found: is_repository,
        name,
        repository: url.filter(|_| is_repository),
        version: version.or_else(|| source?.version.clone()),
        digest: source.and_then(|source| source.digest.clone()),
    };
    (chart, files, Vec::new())
}

/// Values of a `HelmRelease` in Flux's order: `valuesFrom`, then `values`.
fn values(
    spec: NodeRef<'_, '_>,
    namespace: Option<&str>,
    place: (Option<&Path>, &[PathBuf]),
    repository: &Repository<'_>,
) -> Vec<Values> {
    let mut found = Vec::new();
    for reference in spec.get("valuesFrom").into_iter().flat_map(NodeRef::items) {
        let field = |key: &str| text(reference, key);
        let (kind, name) = (field("kind").unwrap_or_default(), field("name").unwrap_or_default());
        let key = field("valuesKey").unwrap_or(VALUES_KEY);
        let what = match namespace {
            Some(namespace) => format!("{kind} {namespace}/{name}, key {key}"),
            None => format!("{kind} {name}, key {key}"),
        };
        let is_read = kind == "ConfigMap";
        let there = is_read.then(|| repository.config_map((namespace, name), key, place)).flatten();
        let path = field("targetPath").map(str::to_owned);
        found.push(match (there, path) {
            (Some(text), None) => Values::Text { from: what, text },
            (Some(text), Some(path)) => single(&path, &text),
            (None, path) => {
                let file = format!("{}_{}_{name}_{key}", kind.to_lowercase(), namespace.unwrap_or_default());
                Values::Missing { what, file, path }
            }
        });
    }
    let inline = spec.get("values").filter(|values| values.is_mapping()).and_then(NodeRef::to_value);
    found.extend(inline.map(|values| Values::Text { from: "spec.values".to_owned(), text: document(&values) }));
    found
}

/// A single value; a quoted value is a string, regardless of its content.
fn single(path: &str, value: &str) -> Values {
    let unquoted = ['\'', '"'].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    match unquoted {
        Some(text) => Values::Set("--set-string", format!("{path}={text}")),
        None => Values::Set("--set", format!("{path}={value}")),
    }
}

/// The folder that a `Kustomization` of Flux builds. `namespace` is the `targetNamespace` that patches give to it.
pub(super) fn build(
    object: NodeRef<'_, '_>,
    file: Option<&Path>,
    namespace: Option<&str>,
    repository: &Repository<'_>,
) -> Option<Renderer> {
    let spec = object.get("spec")?;
    let path = text(spec, "path").unwrap_or(".");
    if path.contains("${") {
        return Some(Renderer::Nothing(format!("its path holds a variable that Flux fills in: {path}")));
    }
    let source = key(spec.get("sourceRef"), text(object, "metadata.namespace").unwrap_or_default());
    if repository.is_foreign(&source) {
        return Some(Renderer::Foreign(format!("its {} {} is not this repository", source.0, source.2)));
    }
    let made = repository.artifact(&source, file);
    let is_other_artifact = || {
        !repository.artifact_may_contain_repository(&source, file)
            && (Repository::is_root(path) || repository.is_of_other_owner(&source, file))
    };
    if made.is_none() && is_artifact(&source.0) && is_other_artifact() {
        let reason = format!("its {} {} is not known to contain this repository", source.0, source.2);
        return Some(Renderer::Foreign(reason));
    }
    let copied = made.and_then(|made| repository.copied(made, path));
    // An artifact may contain this repository or one of its folders.
    let artifact = match made {
        Some(made) => Some(format!("{} {} ({} makes it)", source.0, source.2, made.generator)),
        None => Some(format!("{} {}", source.0, source.2)).filter(|_| is_artifact(&source.0)),
    };
    let is_copied = copied.is_some();
    let Some(folder) = copied.or_else(|| repository.folder(path).filter(|_| made.is_none())) else {
        let of_artifact = artifact.map(|artifact| format!(" of {artifact}")).unwrap_or_default();
        return Some(Renderer::Nothing(format!("its path {path}{of_artifact} is not a folder of the input")));
    };
    let kustomization = repository.kustomization(&folder);
    let has_charts = repository.renders_charts(&folder);
    let has_kustomization = kustomization.is_some();
    let mut generated = if has_kustomization { Vec::new() } else { generated::resources(&folder) };
    if !has_kustomization && generated.is_empty() {
        return Some(Renderer::Nothing(format!("its path {path} has no manifests")));
    }
    let mut remarks: Vec<String> =
        repository.unknown_source(&source).into_iter().chain(repository.revision(&source)).collect();
    let artifact = artifact.filter(|_| !is_copied);
    remarks.extend(
        artifact
            .map(|artifact| format!("its path {path} of {artifact} is assumed to be that folder of this repository")),
    );
    if !has_kustomization {
        let has_file = folder.join(".sourceignore").is_file() || repository.file(".sourceignore").is_some();
        let ignores = repository.source(&source, file).is_some_and(|source| source.ignores);
        let left =
            [(has_file, ".sourceignore".to_owned()), (ignores, format!("spec.ignore of {} {}", source.0, source.2))];
        for (_, name) in left.into_iter().filter(|(is_set, _)| *is_set) {
            remarks.push(format!("{name} is not read: the files that it excludes are part of the build"));
        }
    }
    let components = components(spec, &folder, repository, &mut remarks);
    let has_ordered =
        kustomization.as_ref().is_some_and(|own| own.fields.iter().any(|field| is_order_dependent_field(field)));
    let is_whole = !components.is_empty() && has_ordered && !has_charts;
    // The folder's own fields have to follow the components.
    if let Some(mut all) = is_whole.then(|| OwnFields::read(&folder)).flatten() {
        for (field, value) in fields(spec, namespace, None, &mut remarks) {
            all.set(field, value);
        }
        all.components.extend(components);
        let OwnFields { resources: generated, components, fields } = all;
        return Some(Renderer::Kustomize(Build { folder, generated, components, fields, remarks, ..Build::default() }));
    }
    let mut fields = fields(spec, namespace, kustomization.as_deref(), &mut remarks);
    if let Some(own) = kustomization.filter(|_| !components.is_empty() || !fields.is_empty()) {
        if has_charts {
            let set = fields.iter().map(|(field, _)| *field).chain((!components.is_empty()).then_some("components"));
            let set = set.collect::<Vec<_>>().join(", ");
            remarks.push(format!(
                "not part of the build, since the kustomization renders charts: {set} of the Kustomization"
            ));
            return Some(Renderer::Kustomize(Build { folder, has_charts: true, remarks, ..Build::default() }));
        }
        let other: Vec<String> = own.fields.iter().filter(|field| is_order_dependent_field(field)).cloned().collect();
        if !components.is_empty() && !other.is_empty() {
            remarks.push(format!(
                "its components are applied after {} of {path}, but Flux applies them before",
                other.join(", ")
            ));
        }
        if !components.is_empty() && !fields.iter().any(|(field, _)| *field == "namespace") {
            fields.extend(own.namespace.iter().map(|namespace| ("namespace", Value::from(namespace.as_str()))));
        }
        generated = vec![folder.clone()];
        return Some(Renderer::Kustomize(Build { folder, generated, components, fields, remarks, ..Build::default() }));
    }
    Some(Renderer::Kustomize(Build { folder, has_charts, generated, components, fields, remarks }))
}

/// Fields that a `Kustomization` of Flux sets in the kustomization of its folder, with the namespace that patches give
/// to it.
fn fields(
    spec: NodeRef<'_, '_>,
    namespace: Option<&str>,
    base: Option<&KustomizationFile>,
    remarks: &mut Vec<String>,
) -> Vec<(&'static str, Value)> {
    let mut found = overlay::fields(spec, overlay::FLUX, base, remarks);
    if let Some(namespace) = namespace {
        found.retain(|(field, _)| *field != "namespace");
        found.insert(0, ("namespace", Value::from(namespace)));
    }
    found
}

/// Fields of a kustomization whose effects do not depend on when the build applies components.
const ORDER_INDEPENDENT_FIELDS: [&str; 9] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "components",
    "namespace",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
];

/// True for a field of a kustomization whose effect depends on when the build applies components.
fn is_order_dependent_field(field: &str) -> bool {
    !ORDER_INDEPENDENT_FIELDS.contains(&field)
}

/// Folders of the components that Flux adds to the kustomization of a folder.
///
/// Source: fluxcd/pkg@0180cac2f `kustomize/kustomize_generator.go` (paths are relative to `spec.path`).
fn components(
    spec: NodeRef<'_, '_>,
    folder: &Path,
    repository: &Repository<'_>,
    remarks: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for component in spec.get("components").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text) {
        match repository.relative_folder(folder, component) {
            Some(folder) => found.push(folder),
            None if spec.get("ignoreMissingComponents").and_then(NodeRef::as_bool) == Some(true) => {}
            None => remarks.push(format!("its component {component} is not a folder of the input")),
        }
    }
    found
}

/// True for a kind of source whose content another program packs.
fn is_artifact(kind: &str) -> bool {
    matches!(kind, "OCIRepository" | "ExternalArtifact")
}
