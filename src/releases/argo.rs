//! Argo CD: `Application`, and `ApplicationSet`, which generates Applications.
//!
//! Source: argoproj/argo-cd@v3.2.0 `reposerver/repository/repository.go` (values files, then `values`, then
//! parameters), `util/helm/cmd.go` (commas in parameters), `applicationset/generators/git.go` and `matrix.go`
//! (parameters of files and folders, and their combinations), `reposerver/repository/repository.go` (folders whose
//! names begin with a dot are left out).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::argo_values::{Ref, values_file};
use super::directory::{directory, globs};
use super::generator_template;
use super::names::{has_any_field, text, with_commas};
use super::overlay;
use super::release::{Build, Chart, Operand, Release, Rendered, Renderer, UNKNOWN_URL, Values};
use super::repository::Repository;
use lossless_yaml::{NodeRef, Tree, Value, document};

/// Finds the programs that render the sources of an `Application`.
pub(super) fn application(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Option<Vec<Renderer>> {
    let spec = object.get("spec")?;
    let all = sources(spec);
    let name = text(object, "metadata.name").unwrap_or_default();
    let namespace = text(spec, "destination.namespace");
    let refs: Vec<Ref<'_, '_>> = all.iter().filter_map(|source| Some((text(*source, "ref")?, *source))).collect();
    let rendered = all.iter().filter_map(|source| read_source(*source, name, namespace, &refs, repository));
    // Argo CD's command prints the manifests of all sources.
    let (whole, mut parts): (Vec<_>, Vec<_>) = rendered.partition(|by| matches!(by, Renderer::Program { .. }));
    if parts.is_empty() {
        return Some(vec![argocd_manifests_renderer(name)]);
    }
    if !whole.is_empty() {
        let why = format!("`{ARGOCD_MANIFESTS} {name}` prints all its sources, also those that are not rendered here");
        parts.push(Renderer::Foreign(why));
    }
    Some(parts)
}

/// The sources of an Application: with several, the single one has no effect.
///
/// Source: argoproj/argo-cd@v3.2.0 `pkg/apis/application/v1alpha1/types.go`, `GetSources`.
pub fn sources<'t, 's>(spec: NodeRef<'t, 's>) -> Vec<NodeRef<'t, 's>> {
    let several: Vec<NodeRef<'t, 's>> = spec.get("sources").into_iter().flat_map(NodeRef::items).collect();
    if several.is_empty() { spec.get("source").into_iter().collect() } else { several }
}

/// Finds the programs that render the Applications of an `ApplicationSet`, as far as its template is the same for all.
pub(super) fn template(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Vec<Renderer> {
    let template = object.get("spec").and_then(|spec| spec.get("template"));
    template.and_then(|template| application(template, repository)).unwrap_or_default()
}

/// True if Argo CD may build a kustomization for an Application, as far as its own fields show: one source, without a
/// chart and without the fields of another tool.
///
/// Source: argoproj/argo-cd@v3.2.0 `pkg/apis/application/v1alpha1/types.go` (`ExplicitType` refuses two tools,
/// `HasMultipleSources` ignores `source`).
pub(super) fn may_build_kustomization(object: NodeRef<'_, '_>) -> bool {
    let Some(spec) = object.get("spec") else { return true };
    let has_several = spec.get("sources").is_some_and(|sources| sources.items().next().is_some());
    let is_set = |source: NodeRef<'_, '_>, field: &str| source.get(field).is_some_and(|value| !value.is_null());
    let is_other = |source: NodeRef<'_, '_>| {
        text(source, "chart").is_some_and(|chart| !chart.is_empty())
            || ["helm", "directory", "plugin"].iter().any(|field| is_set(source, field))
    };
    !has_several && !spec.get("source").is_some_and(is_other)
}

/// Argo CD's command that prints the manifests of an Application.
pub const ARGOCD_MANIFESTS: &str = "argocd app manifests";

fn argocd_manifests_renderer(name: &str) -> Renderer {
    let operand = Operand::Name(name.to_owned());
    Renderer::Program { what: "its rendered manifest", command: ARGOCD_MANIFESTS, operand }
}

/// Program that renders one source of an Application; `None` without chart and path.
fn read_source(
    source: NodeRef<'_, '_>,
    name: &str,
    namespace: Option<&str>,
    refs: &[Ref<'_, '_>],
    repository: &Repository<'_>,
) -> Option<Renderer> {
    if let Some(chart) = text(source, "chart") {
        let url = text(source, "repoURL").unwrap_or(UNKNOWN_URL);
        // Argo CD writes OCI registries without a scheme.
        let url = if url.contains("://") || url == UNKNOWN_URL { url.to_owned() } else { format!("oci://{url}") };
        let chart = Chart {
            name: chart.to_owned(),
            chart: chart.to_owned(),
            repository: Some(url),
            version: text(source, "targetRevision").map(str::to_owned),
            digest: None,
            has_dependencies: false,
            is_found: true,
        };
        return Some(Renderer::Helm(Box::new(release(source, chart, None, (name, namespace), refs, repository))));
    }
    let path = text(source, "path")?;
    if repository.is_other_url(text(source, "repoURL").unwrap_or_default()) {
        return Some(argocd_manifests_renderer(name));
    }
    let Some(folder) = repository.folder(path) else { return Some(argocd_manifests_renderer(name)) };
    // Argo CD looks at the files only if all of these fields are unset.
    let is_set = |field: &str| source.get(field).is_some_and(|value| !value.is_null());
    if is_set("plugin") {
        return Some(argocd_manifests_renderer(name));
    }
    if is_set("directory") {
        let filters = |field: &&str| text(source, &format!("directory.{field}")).is_some();
        let filter = ["exclude", "include"].into_iter().find(filters);
        let all = filter.map(|field| format!(", whatever its `{field}` is")).unwrap_or_default();
        let why = format!("is a directory: its files are read as they are{all}");
        return Some(directory(source, repository, &why).unwrap_or_else(|| argocd_manifests_renderer(name)));
    }
    if !is_set("helm") && repository.has_kustomization(&folder) {
        return Some(Renderer::Kustomize(build(folder, source, repository)));
    }
    if !is_set("kustomize") && repository.chart(path).is_some() {
        let chart = Chart::in_folder(path, &folder);
        return Some(Renderer::Helm(Box::new(release(
            source,
            chart,
            Some(&folder),
            (name, namespace),
            refs,
            repository,
        ))));
    }
    let why = "is neither a kustomization nor a chart: its files are read as they are";
    Some(directory(source, repository, why).unwrap_or_else(|| argocd_manifests_renderer(name)))
}

/// The build of a folder, with the `kustomize` options of an Application's source.
fn build(folder: PathBuf, source: NodeRef<'_, '_>, repository: &Repository<'_>) -> Build {
    let base = repository.kustomization(&folder);
    let has_charts = repository.renders_charts(&folder);
    let remarks = revision(source).into_iter().collect();
    let mut build = Build { folder, has_charts, remarks, ..Build::default() };
    let Some(options) = source.get("kustomize") else { return build };
    let fields = overlay::fields(options, overlay::ARGO, base.as_deref(), &mut build.remarks);
    let is_read = |key: &str| !has_charts && overlay::ARGO.iter().any(|(known, _)| *known == key);
    let set =
        options.entries().filter(|(_, value)| value.children().next().is_some() || value.non_null_text().is_some());
    let left: Vec<&str> = set.filter_map(|(key, _)| key.text()).filter(|key| !is_read(key)).collect();
    if !left.is_empty() {
        build
            .remarks
            .push(format!("{} of spec.source.kustomize of the Application: not part of the build", left.join(", ")));
    }
    if !has_charts && !fields.is_empty() {
        (build.generated, build.fields) = (vec![build.folder.clone()], fields);
    }
    build
}

/// Remark about a source at a tag or commit, whose files may differ.
fn revision(source: NodeRef<'_, '_>) -> Option<String> {
    let revision = text(source, "targetRevision")?;
    let is_commit = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = revision.trim_start_matches(['v', '^', '~', '>', '=', '<', ' ']);
    let is_tag =
        revision.starts_with("refs/tags/") || number.contains('.') && number.starts_with(|c: char| c.is_ascii_digit());
    let is_fixed = is_commit || is_tag || revision.contains('*');
    is_fixed.then(|| format!("its targetRevision is {revision}: the local files are rendered, which may differ"))
}

/// The Helm release of a source, with its values in Argo CD's order.
fn release(
    source: NodeRef<'_, '_>,
    chart: Chart,
    folder: Option<&Path>,
    (name, namespace): (&str, Option<&str>),
    refs: &[Ref<'_, '_>],
    repository: &Repository<'_>,
) -> Release {
    let helm = source.get("helm");
    let items = |key: &str| helm.and_then(|helm| helm.get(key)).into_iter().flat_map(NodeRef::items);
    let mut values: Vec<Values> = Vec::new();
    for file in items("valueFiles").filter_map(NodeRef::text) {
        values.push(values_file(file, (source, folder), refs, repository));
    }
    let own = helm.and_then(|helm| {
        let mapping = helm.get("valuesObject").filter(|values| values.is_mapping()).and_then(NodeRef::to_value);
        let from = |key: &str| format!("spec.source.helm.{key}");
        match mapping {
            Some(mapping) => Some(Values::Text { from: from("valuesObject"), text: document(&mapping) }),
            None => Some(Values::Text { from: from("values"), text: text(helm, "values")?.to_owned() }),
        }
    });
    values.extend(own);
    values.extend(items("parameters").filter_map(|parameter| {
        let forced = parameter.get("forceString").and_then(NodeRef::as_bool) == Some(true);
        let value = text(parameter, "value").unwrap_or_default();
        let flag = if forced { "--set-string" } else { "--set" };
        Some(Values::Set(flag, format!("{}={}", text(parameter, "name")?, with_commas(value))))
    }));
    let mut remarks: Vec<String> = revision(source).filter(|_| folder.is_some()).into_iter().collect();
    for field in ["fileParameters", "apiVersions", "kubeVersion", "namespace"] {
        if helm.is_some_and(|helm| has_any_field(helm, &[field])) {
            remarks.push(format!("helm.{field} of the Application is not applied here"));
        }
    }
    Release {
        name: helm.and_then(|helm| text(helm, "releaseName")).unwrap_or(name).to_owned(),
        namespace: namespace.map(str::to_owned),
        chart,
        values,
        patches_hooks: false,
        crds: helm.and_then(|helm| helm.get("skipCrds")?.as_bool()) != Some(true),
        remarks,
    }
}

/// Applications of an `ApplicationSet` whose generators are lists, or files and folders of this repository; the error
/// is a reason, such as another generator.
pub(super) fn applications(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Result<Vec<Rendered>, String> {
    let spec = object.get("spec").ok_or_else(|| "it has no spec".to_owned())?;
    if has_any_field(spec, &["templatePatch"]) {
        return Err("it has a templatePatch".to_owned());
    }
    let template = spec.get("template").and_then(NodeRef::to_value).ok_or_else(|| "it has no template".to_owned())?;
    let style = if spec.get("goTemplate").and_then(NodeRef::as_bool) == Some(true) { Style::Go } else { Style::Plain };
    let mut made = Vec::new();
    for generator in spec.get("generators").into_iter().flat_map(NodeRef::items) {
        let template = generator_template::merged(generator, &template);
        for element in elements(generator, repository, style)? {
            let mut application = filled(&template, &element, style)?;
            if let Value::Map(entries) = &mut application {
                entries.insert(0, ("apiVersion".to_owned(), "argoproj.io/v1alpha1".into()));
                entries.insert(1, ("kind".to_owned(), "Application".into()));
            }
            let written = document(&application);
            let tree = Tree::parse(&written).map_err(|error| format!("its template cannot be read: {error}"))?;
            let root = tree.root(0).ok_or_else(|| "its template is empty".to_owned())?;
            let own_namespace = text(object, "metadata.namespace");
            let name = text(root, "metadata.name").unwrap_or_default().to_owned();
            for by in self::application(root, repository).unwrap_or_default() {
                made.push(Rendered::without_file("Application", own_namespace, name.clone(), by));
            }
        }
    }
    if made.is_empty() { Err("its generators make no Application of the input".to_owned()) } else { Ok(made) }
}

/// Parameters of an element: dotted names and values.
type Parameters = Vec<(String, String)>;

/// Syntax of parameters in a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `{{name}}`; unknown names stay as they are.
    Plain,
    /// Go's `{{.name}}`, with `goTemplate: true`.
    Go,
}

/// Elements of a generator.
fn elements(generator: NodeRef<'_, '_>, repository: &Repository<'_>, style: Style) -> Result<Vec<Parameters>, String> {
    if has_any_field(generator, &["selector"]) {
        return Err("a generator has a selector".to_owned());
    }
    // Fields that change the elements.
    for field in ["elementsYaml", "pathParamPrefix"] {
        if generator.entries().any(|(_, value)| has_any_field(value, &[field])) {
            return Err(format!("a generator has {field}"));
        }
    }
    if let Some(list) = generator.get("list") {
        let elements = list.get("elements").into_iter().flat_map(NodeRef::items);
        return Ok(elements.map(|element| parameters(element, "")).collect());
    }
    if let Some(git) = generator.get("git") {
        if repository.is_other_url(text(git, "repoURL").unwrap_or_default()) {
            return Err("its files are in another repository".to_owned());
        }
        // Argo CD reads files only without directories.
        let has_folders = git.get("directories").is_some_and(|folders| folders.items().next().is_some());
        if let Some(folders) = git.get("directories").filter(|_| has_folders) {
            return folders_of(repository, folders, style);
        }
        let files = || git.get("files").into_iter().flat_map(NodeRef::items);
        if files().any(|file| file.get("exclude").is_some()) {
            return Err("some of its files are excluded".to_owned());
        }
        let patterns: Vec<&str> = files().filter_map(|file| text(file, "path")).collect();
        return files_of(repository, &patterns, style);
    }
    if let Some(matrix) = generator.get("matrix") {
        return combinations(matrix, repository, style);
    }
    let kind = generator.entries().next().and_then(|(key, _)| key.text()).unwrap_or("none");
    Err(format!("it has a generator ({kind}) whose elements are not in the input"))
}

/// Parameters that Argo CD reads from files matching these patterns: their values by dotted names, and `path` with the
/// parts of the file's path.
///
/// By default Argo CD lists the files with Git, where `*` also matches `/`; with
/// `ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_NEW_GIT_FILE_GLOBBING` it does not.
fn files_of(repository: &Repository<'_>, patterns: &[&str], style: Style) -> Result<Vec<Parameters>, String> {
    let (narrow, wide) = (globs(patterns, true)?, globs(patterns, false)?);
    let mut found = Vec::new();
    for (path, file) in repository.files(patterns).into_iter().filter(|(path, _)| wide.is_match(path)) {
        if !narrow.is_match(&path) {
            return Err("a setting of Argo CD decides if `*` in its file patterns matches subfolders".to_owned());
        }
        let content = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", path.display()))?;
        let tree = Tree::parse(&content).map_err(|error| format!("{}: {error}", path.display()))?;
        let root = tree.root(0);
        found.extend(root.into_iter().flat_map(NodeRef::items).map(|item| read_file(item, &path, style)));
        found.extend(root.filter(|root| root.is_mapping()).map(|root| read_file(root, &path, style)));
    }
    Ok(found)
}

/// Parameters of a file, or of an element of the list in it.
fn read_file(node: NodeRef<'_, '_>, file: &Path, style: Style) -> Parameters {
    let mut found = parameters(node, "");
    found.extend(path_parameters(file.parent().unwrap_or(Path::new("")), style));
    found.push(("path.filename".to_owned(), file_name(file)));
    found
}

/// Parameters of a folder's path.
fn path_parameters(folder: &Path, style: Style) -> Parameters {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (shown, name) = (folder.to_string_lossy().into_owned(), file_name(folder));
    let own = if style == Style::Go { "path.path" } else { "path" };
    let segments = folder.components().enumerate();
    let segments =
        segments.map(|(index, part)| (format!("path[{index}]"), part.as_os_str().to_string_lossy().into_owned()));
    let named = [(own, shown), ("path.basenameNormalized", normalized(&name)), ("path.basename", name)];
    named.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(segments).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| ".".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Like Argo CD: lower case, `-` for characters that DNS names do not allow, at most 253 characters.
fn normalized(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let lower: String = name.to_lowercase().chars().map(|c| if is_kept(c) { c } else { '-' }).take(253).collect();
    lower.trim_matches(['-', '.']).to_owned()
}

/// Parameters of the repository's folders that match a path and no excluded path of a git generator.
fn folders_of(repository: &Repository<'_>, folders: NodeRef<'_, '_>, style: Style) -> Result<Vec<Parameters>, String> {
    let patterns = |excluded: bool| -> Result<Vec<String>, String> {
        let is_excluded = |one: NodeRef<'_, '_>| one.get("exclude").and_then(NodeRef::as_bool) == Some(true);
        let own = folders.items().filter(|one| is_excluded(*one) == excluded).filter_map(|one| text(one, "path"));
        own.map(plain_pattern).collect()
    };
    let (included, excluded) = (patterns(false)?, patterns(true)?);
    let (wanted, left) = (globs(&included, true)?, globs(&excluded, true)?);
    let files = repository.files(&included);
    // Git has no empty folders.
    let all: BTreeSet<&Path> = files.iter().flat_map(|(path, _)| path.ancestors().skip(1)).collect();
    let is_hidden = |folder: &Path| folder.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
    let is_wanted = |folder: &&Path| !is_hidden(folder) && wanted.is_match(folder) && !left.is_match(folder);
    let all = all.into_iter().filter(|folder| !folder.as_os_str().is_empty());
    Ok(all.filter(is_wanted).map(|folder| path_parameters(folder, style)).collect())
}

/// Converts a pattern of Go's `path.Match`, where `**` means the same as `*`, to a glob.
fn plain_pattern(pattern: &str) -> Result<String, String> {
    if pattern.contains(['[', '{', '\\']) {
        return Err(format!("the pattern {pattern} of its folders is not read"));
    }
    let mut plain = pattern.to_owned();
    while plain.contains("**") {
        plain = plain.replace("**", "*");
    }
    Ok(plain)
}

/// Maximum number of elements of a matrix.
const COMBINATIONS: usize = 1_000;

/// Each element of the first generator of a matrix with each element of the second one.
fn combinations(matrix: NodeRef<'_, '_>, repository: &Repository<'_>, style: Style) -> Result<Vec<Parameters>, String> {
    let generators: Vec<NodeRef<'_, '_>> = matrix.get("generators").into_iter().flat_map(NodeRef::items).collect();
    let [first, second] = generators.as_slice() else {
        return Err("its matrix does not have exactly two generators".to_owned());
    };
    if [first, second].iter().any(|generator| generator.raw().contains("{{")) {
        return Err("one generator of its matrix uses parameters of the other one".to_owned());
    }
    let has_template =
        |generator: &NodeRef<'_, '_>| generator.entries().any(|(_, value)| value.get("template").is_some());
    if [first, second].into_iter().any(has_template) {
        return Err("a generator of its matrix has a template".to_owned());
    }
    let (first, second) = (elements(*first, repository, style)?, elements(*second, repository, style)?);
    if first.len().saturating_mul(second.len()) > COMBINATIONS {
        return Err(format!("its matrix has more than {COMBINATIONS} elements"));
    }
    let mut combined = Vec::new();
    for one in &first {
        for other in &second {
            let differs = |(key, value): &(String, String)| {
                other.iter().any(|(other_key, text)| other_key == key && text != value)
            };
            if let Some((key, _)) = one.iter().find(|parameter| differs(parameter)) {
                return Err(format!("both generators of its matrix have the parameter {key}"));
            }
            combined.push(one.iter().chain(other).cloned().collect());
        }
    }
    Ok(combined)
}

/// Scalars of a mapping by dotted names.
fn parameters(node: NodeRef<'_, '_>, prefix: &str) -> Parameters {
    let mut found = Vec::new();
    for (key, value) in node.entries() {
        let Some(key) = key.text() else { continue };
        let name = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
        match value.text() {
            Some(text) => found.push((name, text.to_owned())),
            None => found.extend(parameters(value, &name)),
        }
    }
    found
}

/// Fills `{{name}}`, or in Go's style `{{.name}}`, of a template with parameters.
fn filled(value: &Value, parameters: &Parameters, style: Style) -> Result<Value, String> {
    let fill = |value: &Value| filled(value, parameters, style);
    Ok(match value {
        Value::Str(text) | Value::Raw(text) if text.contains("{{") => Value::Str(filled_text(text, parameters, style)?),
        Value::Seq(items) => Value::Seq(items.iter().map(fill).collect::<Result<_, _>>()?),
        Value::Map(entries) => {
            let entry = |(key, value): &(String, Value)| Ok((key.clone(), fill(value)?));
            Value::Map(entries.iter().map(entry).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

fn filled_text(text: &str, parameters: &Parameters, style: Style) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, tail) = after.split_once("}}").ok_or_else(|| format!("`{text}` of its template has no end"))?;
        let name = match (style, inside.trim()) {
            (Style::Plain, name) => Some(Cow::Borrowed(name)),
            (Style::Go, name) => match name.strip_prefix("index .path.segments ") {
                Some(index) => Some(Cow::Owned(format!("path[{}]", index.trim()))),
                None => name.strip_prefix('.').filter(|name| !name.contains('[')).map(Cow::Borrowed),
            },
        };
        let value =
            parameters.iter().find(|(known, _)| Some(known.as_str()) == name.as_deref()).map(|(_, value)| value);
        let value =
            value.ok_or_else(|| format!("`{{{{{inside}}}}}` of its template is not a parameter of the input"))?;
        filled.push_str(before);
        filled.push_str(value);
        rest = tail;
    }
    filled.push_str(rest);
    Ok(filled)
}
