//! Lines about objects whose manifests another program renders.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::catalog;
use crate::model::facts::DUMP_KINDS;
use crate::releases::{RENDER_OF, Rendered, Renderer, Repository, name_of, rendered, text};
use krm::{Input, shell_operand, shown};
use lossless_yaml::NodeRef;

/// Matches texts that may hold such an object: one of these API groups, or a kustomization field for charts.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let known = [
        "helm.toolkit.fluxcd.io",
        "kustomize.toolkit.fluxcd.io",
        "helm.cattle.io",
        "argoproj.io",
        "fluxcd.controlplane.io",
        "helmCharts",
    ];
    let marks = known.into_iter().chain(catalog::operands().iter().map(|row| row.group)).map(regex::escape);
    Regex::new(&marks.collect::<Vec<_>>().join("|")).ok()
});

/// Line about an object whose manifests are not part of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// `HelmRelease shop/web`
    object: String,
    /// Missing manifests: a chart, or a description.
    what: String,
    /// Command that prints the missing manifests.
    command: String,
    /// Note about a chart in the catalogue.
    note: &'static str,
    /// True for an object in a render of `hostnet charts`, whose script has not rendered it.
    is_in_render: bool,
}

/// Note about a Flux chart in the catalogue.
const PATCHES: &str = " (its programs are in the catalogue: `… | hostnet patch -c hostnet.yaml --as helmrelease` prints the patches of the release)";

/// Note about another chart in the catalogue.
const KNOWN: &str = " (its programs are in the catalogue)";

impl Line {
    /// Line about a chart that the kustomization of a folder renders.
    pub(super) fn of_kustomization(folder: &str, chart: &str) -> Self {
        Self {
            object: format!("Kustomization {folder}"),
            what: format!("the chart {chart}"),
            command: format!("kustomize build --enable-helm {}", quoted(folder)),
            note: if catalog::project_of_chart(chart).is_some() { KNOWN } else { "" },
            is_in_render: false,
        }
    }

    /// Formats the line.
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.without_note(), self.note)
    }

    /// Formats the line without the note, for commands that move nothing.
    pub(super) fn without_note(&self) -> String {
        format!("{}: {} is not part of the input: `{}`", self.object, self.what, self.command)
    }

    /// Marks the line as one about an object of an input, which may be a render of `hostnet charts`.
    pub(super) fn in_input(self, input: &Input) -> Self {
        Self { is_in_render: input.text().starts_with(RENDER_OF), ..self }
    }

    /// True if `hostnet charts` renders the object.
    pub(super) fn is_scripted(&self) -> bool {
        !self.is_in_render && !["kubectl ", "helm get "].iter().any(|program| self.command.starts_with(program))
    }

    /// True for a chart in the catalogue.
    pub(super) fn is_known(&self) -> bool {
        !self.note.is_empty()
    }

    /// Line about a rendered object; `None` if nothing is missing.
    fn for_rendered(rendered: &Rendered) -> Option<Self> {
        let object = rendered.object();
        let (what, command, note) = match &rendered.by {
            Renderer::Helm(release) => {
                let mut words = vec!["helm".to_owned(), "template".to_owned(), quoted(&release.name)];
                let (reference, options) = release.chart.reference();
                words.push(quoted(&reference));
                words.extend(options.into_iter().flat_map(|(option, value)| [option.to_owned(), quoted(value)]));
                words.extend(release.namespace.iter().flat_map(|namespace| ["-n".to_owned(), quoted(namespace)]));
                if !release.values.is_empty() {
                    words.extend(["--values", "VALUES"].map(str::to_owned));
                }
                let known = if rendered.kind == "HelmRelease" { PATCHES } else { KNOWN };
                (
                    shown(&release.chart.what()).into_owned(),
                    words.join(" "),
                    if release.chart.is_known() { known } else { "" },
                )
            }
            Renderer::Program { what, command, operand } => {
                ((*what).to_owned(), format!("{command} {}", quoted(operand)), "")
            }
            Renderer::Operator { what } => (what.clone(), format!("kubectl get {DUMP_KINDS} -A -o yaml"), ""),
            // A partial release: the cluster has the complete one.
            Renderer::Nothing(_) if rendered.kind == "HelmRelease" && !rendered.is_embedded() => {
                let namespace = rendered.namespace.iter().map(|namespace| format!(" -n {}", quoted(namespace)));
                let command = format!("helm get manifest {}{}", quoted(&rendered.name), namespace.collect::<String>());
                ("what it renders".to_owned(), command, "")
            }
            Renderer::Kustomize(_) | Renderer::Nothing(_) => return None,
        };
        Some(Self { object, what, command, note, is_in_render: false })
    }
}

/// True for a text that may hold an object whose manifests another program renders.
pub(super) fn may_be_in(text: &str) -> bool {
    MARKS.as_ref().is_none_or(|marks| marks.is_match(text))
}

/// Names of inputs that the script of `hostnet charts` wrote.
#[derive(Debug, Default)]
pub(super) struct Renders(BTreeSet<String>);

impl Renders {
    /// Collects inputs whose file names match those of `hostnet charts`.
    pub(super) fn new(inputs: &[Input]) -> Self {
        let files = inputs.iter().filter_map(|input| input.origin().path()?.file_name());
        Self(files.map(|name| name.to_string_lossy().into_owned()).collect())
    }

    /// True if the object's render is among the inputs. A release without a namespace may get one when it is built.
    fn has(&self, rendered: &Rendered) -> bool {
        let kind = format!("{}_", rendered.kind.to_lowercase());
        match &rendered.namespace {
            Some(namespace) => self.0.contains(&format!("{kind}{namespace}_{}.yaml", rendered.name)),
            None => {
                let end = format!("_{}.yaml", rendered.name);
                self.0.iter().any(|name| name.starts_with(&kind) && name.ends_with(&end))
            }
        }
    }
}

/// True for an object that another program renders, with the lines about missing manifests. `inputs` include the
/// renders.
pub(super) fn of_object(
    object: NodeRef<'_, '_>,
    file: Option<&Path>,
    repository: &Repository<'_>,
    (inputs, renders): (&[Input], &Renders),
) -> (bool, Vec<Line>) {
    if let Some(line) = of_flux_build(object, inputs, renders).or_else(|| of_kustomization(object)) {
        return (true, vec![line]);
    }
    let all = rendered(object, file, 0, repository);
    let lines = all.iter().filter(|one| !renders.has(one)).filter_map(Line::for_rendered).collect();
    (!all.is_empty(), lines)
}

/// Line about a folder that Flux builds and that is not among the inputs.
fn of_flux_build(object: NodeRef<'_, '_>, inputs: &[Input], renders: &Renders) -> Option<Line> {
    if !text(object, "apiVersion")?.starts_with("kustomize.toolkit.fluxcd.io/")
        || text(object, "kind")? != "Kustomization"
    {
        return None;
    }
    let path = text(object, "spec.path")?;
    let folder = Path::new(path.trim_start_matches("./"));
    let files = inputs.iter().filter_map(|input| input.origin().path());
    let is_read = files.flat_map(Path::ancestors).any(|above| above.ends_with(folder));
    let own = |key: &str| text(object, key).unwrap_or_default();
    let name = format!("kustomization_{}_{}.yaml", own("metadata.namespace"), own("metadata.name"));
    (!is_read && !renders.0.contains(&name) && folder.components().next().is_some()).then(|| Line {
        object: name_of(object, "Kustomization"),
        what: "the folder that it builds".to_owned(),
        command: format!("kustomize build {}", quoted(path)),
        note: "",
        is_in_render: false,
    })
}

fn of_kustomization(object: NodeRef<'_, '_>) -> Option<Line> {
    if !text(object, "apiVersion")?.starts_with("kustomize.config.k8s.io/") {
        return None;
    }
    let chart = object.get("helmCharts")?.items().next()?;
    let name = text(chart, "name")?;
    let version = text(chart, "version").map(|version| format!(" {version}")).unwrap_or_default();
    Some(Line {
        object: name_of(object, "Kustomization"),
        what: shown(&format!("the chart {name}{version}")).into_owned(),
        command: "kustomize build --enable-helm .".to_owned(),
        note: if catalog::project_of_chart(name).is_some() { KNOWN } else { "" },
        is_in_render: false,
    })
}

/// Quotes a text of a manifest as a command operand, without control characters.
fn quoted(text: &str) -> String {
    shell_operand(&shown(text))
}
