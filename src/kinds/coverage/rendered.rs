//! Lines about objects whose manifests another program renders.

use std::path::{Component, Path, PathBuf};

use memchr::memmem;

use super::api_groups::ApiGroups;
use super::dependencies::{self, Dependencies, NeededPackages, needed_packages};
use super::owned::Identity;
use super::read_files::ReadFiles;
use super::renders::Renders;
use crate::catalog;
use crate::kustomize::build_needs::build_command;
use crate::model::facts::DUMP_KINDS;
use crate::releases::{
    ARGOCD_MANIFESTS, Build, Operand, RENDERED_FILE_HEADER, Rendered, Renderer, Repository, chart_with_default_values,
    group_and_kind, helmfile, helmfile_command, local_chart, may_be_rendered, name_of, rendered, text, unknown_chart,
};
use krm::files::{Absent, chart_command};
use krm::kustomization::RESOURCES;
use krm::{Input, ObjectPlace, escape_line, shell_operand, shell_path};
use lossless_yaml::NodeRef;

/// API group of kustomizations.
const KUSTOMIZE: &str = "kustomize.config.k8s.io";

/// Field of a kustomization that renders charts.
const CHARTS: &str = "helmCharts";

/// Line about an object whose manifests are not part of the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// `HelmRelease shop/web`
    object: String,
    /// Missing manifests: a chart, or a description.
    what: String,
    /// Command that prints the missing manifests.
    command: String,
    /// Note about a chart in the catalogue.
    note: &'static str,
    /// True if `hostnet charts` renders the object.
    is_scripted: bool,
    /// The custom resource of an operator; `None` for other objects.
    operand: Option<OperatorManagedResource>,
    /// The packages that a package of Crossplane needs; `None` for other objects.
    dependencies: Option<Dependencies>,
}

/// Custom resource for which an operator makes objects.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OperatorManagedResource {
    identity: Identity,
    /// True if the objects are in other clusters.
    is_elsewhere: bool,
}

/// Output folder for objects in a render that another program has to render in turn.
const NESTED_RENDERS: &str = "rendered-again";

/// Note about a Flux chart in the catalogue.
const PATCHES: &str = " (its programs are in the catalogue: `… | hostnet patch -c hostnet.yaml --as helmrelease` prints the patches of the release)";

/// Note about another chart in the catalogue.
const KNOWN: &str = " (its programs are in the catalogue)";

impl Line {
    /// Line about a part of a build that is not in the files of the kustomization of a folder.
    pub(super) fn for_kustomization(folder: &str, part: &Absent) -> Self {
        let (what, is_known) = match part {
            Absent::Chart(chart) => (format!("the chart {chart}"), catalog::project_of_chart(chart).is_some()),
            Absent::Remote(url) => (format!("its resource {url}"), false),
            Absent::Generator(kind) => (format!("the output of its generator {kind}"), false),
        };
        Self {
            object: format!("Kustomization {folder}"),
            what: escape_line(&what).into_owned(),
            command: build_command(Path::new(folder), matches!(part, Absent::Chart(_))),
            note: if is_known { KNOWN } else { "" },
            is_scripted: !matches!(part, Absent::Generator(_)),
            ..Self::default()
        }
    }

    /// Line about packages that a package of Crossplane needs.
    fn for_packages(needed: NeededPackages) -> Self {
        let NeededPackages { object, what, dependencies } = needed;
        let (command, what) = (dependencies::COMMAND.to_owned(), escape_line(&what).into_owned());
        Self { object, what, command, dependencies: Some(dependencies), ..Self::default() }
    }

    /// Formats the line.
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.text_without_note(), self.note)
    }

    /// Formats the line without the note, for commands that move nothing.
    pub(super) fn text_without_note(&self) -> String {
        format!("{}: {} is not part of the input: `{}`", self.object, self.what, self.command)
    }

    /// Command that prints the manifests.
    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// True if `hostnet charts` renders the object.
    pub(super) fn is_scripted(&self) -> bool {
        self.is_scripted
    }

    /// The custom resource for which an operator makes objects in this cluster.
    pub(super) fn operand(&self) -> Option<&Identity> {
        self.operand.as_ref().filter(|operand| !operand.is_elsewhere).map(|operand| &operand.identity)
    }

    /// True if the manifests are for other clusters, so that a check of this cluster does not need
    /// them.
    pub(super) fn is_for_other_clusters(&self) -> bool {
        self.operand.as_ref().is_some_and(|operand| operand.is_elsewhere)
    }

    /// Line about a chart folder that no object renders; `None` for a library chart, and if its render is an input.
    pub(super) fn for_chart(folder: &Path, renders: &Renders) -> Option<Self> {
        let rendered = chart_with_default_values(folder).filter(|rendered| !renders.has_file(rendered))?;
        let release = rendered.release()?;
        Some(Self {
            object: rendered.object(),
            what: escape_line(&release.chart.chart_name_and_version()).into_owned(),
            command: chart_command(&release.name, folder),
            note: if release.chart.is_known() { KNOWN } else { "" },
            is_scripted: true,
            ..Self::default()
        })
    }

    /// Line about a Helmfile.
    pub(super) fn for_helmfile(file: &Path) -> Self {
        Self {
            object: helmfile(file).object(),
            what: "the manifest of its releases".to_owned(),
            command: helmfile_command(file),
            ..Self::default()
        }
    }

    /// The packages that a package of Crossplane needs.
    pub(super) fn dependencies(&self) -> Option<Dependencies> {
        self.dependencies
    }

    /// True for a chart in the catalogue.
    pub(super) fn is_known(&self) -> bool {
        !self.note.is_empty()
    }

    /// Line about a rendered object; `None` if nothing is missing.
    fn for_rendered(rendered: &Rendered, source: Source<'_>, repository: &Repository<'_>) -> Option<Self> {
        let object = rendered.object();
        let (mut is_scripted, mut operand) = (!source.is_render(), None);
        let (what, command, note) = match &rendered.by {
            // The location of the chart contains a variable, so Helm cannot find the chart before another program fills
            // it in.
            Renderer::Helm(release) if release.chart.variable().is_some() => {
                is_scripted = false;
                let command = match rendered.kind.as_str() {
                    "Application" => format!("{ARGOCD_MANIFESTS} {}", quoted(&rendered.name)),
                    _ => helm_manifest_command(&release.name, release.namespace.as_deref()),
                };
                (escape_line(&release.chart.chart_name_and_version()).into_owned(), command, "")
            }
            Renderer::Helm(release) => {
                is_scripted &= release.chart.obstacle().is_none();
                let mut words = Vec::new();
                if release.chart.has_dependencies {
                    words.extend(["helm dependency build".to_owned(), quoted(&release.chart.chart), "&&".to_owned()]);
                }
                words.extend(["helm".to_owned(), "template".to_owned(), quoted(&release.name)]);
                let (reference, options) = release.chart.reference();
                words.push(quoted(&reference));
                words.extend(options.into_iter().flat_map(|(option, value)| [option.to_owned(), quoted(value)]));
                words.extend(release.namespace.iter().flat_map(|namespace| ["-n".to_owned(), quoted(namespace)]));
                if !release.values.is_empty() {
                    words.extend(["--values", "VALUES"].map(str::to_owned));
                }
                let known = if rendered.kind == "HelmRelease" { PATCHES } else { KNOWN };
                (
                    escape_line(&release.chart.chart_name_and_version()).into_owned(),
                    words.join(" "),
                    if release.chart.is_known() { known } else { "" },
                )
            }
            Renderer::Kustomize(build)
                if matches!(rendered.kind.as_str(), "Application" | "Kustomization")
                    && !source.read.has_folder(&build.folder, repository) =>
            {
                let command = match build.generated.is_empty() {
                    true => build_command(&build.folder, build.has_charts),
                    false => source.charts_command(),
                };
                (BUILD.to_owned(), command, "")
            }
            Renderer::Kustomize(build) if build.patches_pods() => {
                ("the result of its patches".to_owned(), source.charts_command(), "")
            }
            Renderer::Program { what, command, operand: Operand::Name(name) } => {
                ((*what).to_owned(), format!("{command} {}", quoted(name)), "")
            }
            Renderer::Program { what, command, operand: Operand::Object(_) } => {
                let command = match source.input.origin().path() {
                    Some(file) if source.is_alone && !rendered.is_embedded() => {
                        format!("{command} {}", shell_path(file))
                    }
                    _ => source.charts_command(),
                };
                ((*what).to_owned(), command, "")
            }
            Renderer::Operator { what, group, is_elsewhere, through } => {
                is_scripted = false;
                let identity = Identity {
                    group: group.clone(),
                    kind: rendered.kind.clone(),
                    namespace: rendered.namespace.clone(),
                    name: rendered.name.clone(),
                };
                operand = Some(OperatorManagedResource { identity, is_elsewhere: *is_elsewhere });
                let cluster = if *is_elsewhere { "--context CLUSTER " } else { "" };
                let kinds = std::iter::once(DUMP_KINDS).chain(through.iter().copied()).collect::<Vec<_>>().join(",");
                (what.clone(), format!("kubectl {cluster}get {kinds} -A -o yaml"), "")
            }
            Renderer::Directory { files, path, .. } if !files.iter().all(|file| source.read.has_file(file)) => {
                is_scripted = false;
                let what = format!("its directory {} (give it as PATH too)", escape_line(path));
                (what, format!("{ARGOCD_MANIFESTS} {}", quoted(&rendered.name)), "")
            }
            Renderer::Foreign(_) if rendered.kind == "Application" => {
                is_scripted = false;
                ("the rest of its manifest".to_owned(), format!("{ARGOCD_MANIFESTS} {}", quoted(&rendered.name)), "")
            }
            Renderer::Foreign(_) => {
                is_scripted = false;
                (BUILD.to_owned(), applied_objects_command(&rendered.name, rendered.namespace.as_deref()), "")
            }
            // The file contains only a part of the release; the cluster contains the whole release.
            Renderer::Nothing(_) if rendered.kind == "HelmRelease" && !rendered.is_embedded() => {
                is_scripted = false;
                let command = helm_manifest_command(&rendered.name, rendered.namespace.as_deref());
                ("its rendered manifest".to_owned(), command, "")
            }
            Renderer::Kustomize(_) | Renderer::Directory { .. } | Renderer::Nothing(_) => return None,
        };
        Some(Self { object, what, command, note, is_scripted, operand, dependencies: None })
    }
}

/// Description of a folder that is not among the inputs.
const BUILD: &str = "the folder that it builds";

/// The input that contains an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// The input.
    pub(super) input: &'a Input,
    /// True if the input contains nothing but the object.
    pub(super) is_alone: bool,
    /// Index of the object's document.
    document: usize,
    /// Files and builds among all inputs.
    read: &'a ReadFiles,
}

impl<'a> Source<'a> {
    pub(super) fn new(place: &ObjectPlace<'_>, input: &'a Input, read: &'a ReadFiles) -> Self {
        let is_alone = input.pieces() == 1 && place.item.is_none();
        Self { input, is_alone, document: place.document.saturating_sub(1), read }
    }

    /// Command that renders the objects of the input. `hostnet charts` leaves out the files of its own output folder.
    fn charts_command(&self) -> String {
        let to = if self.is_render() { format!("--to {NESTED_RENDERS} ") } else { String::new() };
        format!("hostnet charts {to}{} | sh", self.input.origin().path().map_or_else(|| "-".to_owned(), shell_path))
    }

    /// True if `hostnet charts` rendered the input.
    fn is_render(&self) -> bool {
        self.input.text().starts_with(RENDERED_FILE_HEADER)
    }
}

/// True for a text that may contain an object whose manifests another program renders.
pub(super) fn may_contain(text: &str, groups: &ApiGroups<'_>) -> bool {
    let is_shown = |group: &str| may_be_rendered(group) || group == KUSTOMIZE;
    groups.any(is_shown)
        || unknown_chart::may_contain(text) && groups.any(unknown_chart::may_be)
        || dependencies::may_contain(text, groups)
        || memmem::find(text.as_bytes(), CHARTS.as_bytes()).is_some()
}

/// An object that another program renders.
#[derive(Debug, Default)]
pub(super) struct RenderedObject {
    /// Lines about missing manifests.
    pub(super) lines: Vec<Line>,
    /// Chart folders from which the object is rendered.
    pub(super) charts: Vec<PathBuf>,
    /// Folders whose builds are among the inputs.
    pub(super) built: Vec<PathBuf>,
}

/// Lines about an object that another program renders; `None` for other objects. The inputs include the renders.
pub(super) fn for_object(
    object: NodeRef<'_, '_>,
    source: Source<'_>,
    repository: &Repository<'_>,
    renders: &Renders,
) -> Option<RenderedObject> {
    if let Some(line) =
        for_kustomization(object, source.input).or_else(|| needed_packages(object).map(Line::for_packages))
    {
        return Some(RenderedObject { lines: vec![line], ..RenderedObject::default() });
    }
    let all = rendered(object, source.input.origin().path(), source.document, repository);
    let (found, missing): (Vec<_>, Vec<_>) =
        all.iter().zip(renders.found(&all, source.is_render())).partition(|(_, is_found)| *is_found);
    let missing = missing.into_iter().map(|(one, _)| one);
    let mut lines: Vec<Line> = missing.filter_map(|one| Line::for_rendered(one, source, repository)).collect();
    let is_unknown = |one: &Rendered| matches!(one.by, Renderer::Nothing(_));
    let is_flux_build = group_and_kind(object) == Some(("kustomize.toolkit.fluxcd.io", "Kustomization"));
    if is_flux_build && all.iter().all(is_unknown) {
        lines.extend(flux_build_line(object, source, repository, renders));
    }
    let charts = all.iter().filter_map(|one| local_chart(&one.release()?.chart)).collect();
    let found = found.into_iter().filter_map(|(one, _)| one.build());
    let built = found.flat_map(Build::folders).cloned().collect();
    (!all.is_empty() || !lines.is_empty()).then_some(RenderedObject { lines, charts, built })
}

/// True if a folder that Flux builds is among the inputs, or may be, where the root of the repository is not known.
fn is_read(path: &str, read: &ReadFiles, repository: &Repository<'_>) -> bool {
    match repository.folder(path) {
        Some(folder) => read.has_folder(&folder, repository),
        None if repository.has_known_root() => false,
        None => {
            let parts = Path::new(path).components().filter(|part| matches!(part, Component::Normal(_)));
            let folder: PathBuf = parts.collect();
            folder.as_os_str().is_empty() || read.may_have_folder(&folder)
        }
    }
}

/// Line about a folder that Flux builds and that is not among the inputs.
fn flux_build_line(
    object: NodeRef<'_, '_>,
    source: Source<'_>,
    repository: &Repository<'_>,
    renders: &Renders,
) -> Option<Line> {
    let path = text(object, "spec.path")?;
    let field = |key: &str| text(object, key).unwrap_or_default();
    let name = format!("kustomization_{}_{}.yaml", field("metadata.namespace"), field("metadata.name"));
    let has_variable = path.contains(VARIABLE);
    let command = match has_variable {
        true => applied_objects_command(field("metadata.name"), text(object, "metadata.namespace")),
        false => format!("kustomize build {}", quoted(path)),
    };
    (!is_read(path, source.read, repository) && !renders.has_name(&name)).then(|| Line {
        object: name_of(object, "Kustomization"),
        what: BUILD.to_owned(),
        command,
        is_scripted: !has_variable && !source.is_render(),
        ..Line::default()
    })
}

/// Line about a kustomization that has charts, or that is alone in its input, so that its files are not read.
fn for_kustomization(object: NodeRef<'_, '_>, input: &Input) -> Option<Line> {
    group_and_kind(object).filter(|(group, _)| *group == KUSTOMIZE)?;
    let chart = object.get(CHARTS).and_then(|charts| charts.items().next());
    let name = chart.and_then(|chart| text(chart, "name"));
    let (what, command, is_known) = match (chart, name) {
        (Some(chart), Some(name)) => {
            let version = text(chart, "version").map(|version| format!(" {version}")).unwrap_or_default();
            let is_known = catalog::project_of_chart(name).is_some();
            (format!("the chart {name}{version}"), "kustomize build --enable-helm .", is_known)
        }
        _ => {
            let lists = |key: &str| object.get(key).and_then(|entries| entries.items().next()).is_some();
            let is_alone = RESOURCES.into_iter().any(lists) && input.is_kustomization();
            is_alone.then(|| (BUILD.to_owned(), "kustomize build .", false))?
        }
    };
    Some(Line {
        object: name_of(object, "Kustomization"),
        what: escape_line(&what).into_owned(),
        command: command.to_owned(),
        note: if is_known { KNOWN } else { "" },
        is_scripted: true,
        ..Line::default()
    })
}

/// Start of a variable that Flux fills in.
const VARIABLE: &str = "${";

/// Command that prints the objects that a Kustomization of Flux has applied: Flux writes these labels into them.
fn applied_objects_command(name: &str, namespace: Option<&str>) -> String {
    let label = |key: &str, value: &str, unknown: &str| {
        let value = if value.contains(VARIABLE) { unknown } else { value };
        quoted(&format!("kustomize.toolkit.fluxcd.io/{key}={value}"))
    };
    let namespace = namespace.map(|namespace| label("namespace", namespace, "NAMESPACE"));
    let labels: Vec<String> = std::iter::once(label("name", name, "NAME")).chain(namespace).collect();
    format!("kubectl get {DUMP_KINDS} -A -l {} -o yaml", labels.join(","))
}

/// Command that prints the manifest of a release in the cluster.
fn helm_manifest_command(name: &str, namespace: Option<&str>) -> String {
    let known = |text: &str, unknown: &str| if text.contains(VARIABLE) { unknown.to_owned() } else { quoted(text) };
    let namespace = namespace.map(|namespace| format!(" -n {}", known(namespace, "NAMESPACE"))).unwrap_or_default();
    format!("helm get manifest {}{namespace}", known(name, "NAME"))
}

/// Quotes a text of a manifest as a command operand, without control characters.
fn quoted(text: &str) -> String {
    shell_operand(&escape_line(text))
}
