//! Objects for which somebody else renders manifests: charts, sets of resources, and custom resources whose operator runs webhooks.

use std::sync::LazyLock;

use regex::Regex;

use crate::catalog;
use crate::wire::{Input, shell_operand, shown, shown_path};
use crate::yaml::NodeRef;

/// The group of Flux's sources of charts.
const SOURCES: &str = "source.toolkit.fluxcd.io";

/// Matches the text of every such object: it holds one of these groups, or a kustomization's field for charts.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let known = ["helm.toolkit.fluxcd.io", "helm.cattle.io", "argoproj.io", "fluxcd.controlplane.io", "helmCharts"];
    let marks = known.into_iter().chain(catalog::operands().iter().map(|row| row.group)).map(regex::escape);
    Regex::new(&marks.collect::<Vec<_>>().join("|")).ok()
});

/// An object whose manifests are not part of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rendered {
    /// `HelmRelease shop/web`
    object: String,
    /// Name of the missing manifests: a chart, or a description.
    what: String,
    /// The command that shows it.
    command: String,
    /// Note about a chart that the catalogue knows.
    note: &'static str,
}

/// Note about a chart of Flux that the catalogue knows.
const PATCHES: &str = " (its programs are in the catalogue: `… | hostnet patch -c hostnet.yaml --as helmrelease` prints the patches of the release)";

/// Note about another chart that the catalogue knows.
const KNOWN: &str = " (its programs are in the catalogue)";

impl Rendered {
    /// A chart that the kustomization of a folder renders.
    pub(super) fn of_kustomization(folder: &str, chart: &str) -> Self {
        Self {
            object: format!("Kustomization {folder}"),
            what: format!("the chart {chart}"),
            command: format!("kustomize build --enable-helm {}", quoted(folder)),
            note: if catalog::project_of_chart(chart).is_some() { KNOWN } else { "" },
        }
    }

    /// One line for a person.
    pub(super) fn line(&self) -> String {
        format!("{}{}", self.line_without_note(), self.note)
    }

    /// The line for commands that move nothing.
    pub(super) fn line_without_note(&self) -> String {
        format!("{}: {} is not part of the input: `{}`", self.object, self.what, self.command)
    }

    /// True for a chart whose programs the catalogue knows.
    pub(super) fn is_known(&self) -> bool {
        !self.note.is_empty()
    }
}

/// A source of charts of Flux: kind, namespace and name, and what it says.
pub(super) struct Source {
    key: (String, String, String),
    url: String,
    version: Option<String>,
}

/// True for a text that may hold an object for which somebody else renders manifests.
pub(super) fn may_be_in(text: &str) -> bool {
    MARKS.as_ref().is_none_or(|marks| marks.is_match(text))
}

/// Finds the sources of charts in inputs.
pub(super) fn sources(inputs: &[Input]) -> Vec<Source> {
    let inputs = inputs.iter().filter(|input| input.text().contains(SOURCES));
    // A fault of the input is reported by whoever reads it whole.
    let found = inputs.flat_map(|input| input.objects(|_, object| source(object)).unwrap_or_default());
    found.flatten().collect()
}

/// The operand for a command that reads an input.
pub(super) fn operand(input: &Input) -> String {
    input.origin().path().map_or_else(|| "-".to_owned(), |path| quoted(&shown_path(path)))
}

pub(super) fn text<'t>(node: NodeRef<'t, '_>, path: &str) -> Option<&'t str> {
    let node = path.split('.').try_fold(node, NodeRef::get)?;
    node.non_null_text().filter(|text| !text.is_empty())
}

pub(super) fn group_and_kind<'t>(object: NodeRef<'t, '_>) -> Option<(&'t str, &'t str)> {
    let version = object.get("apiVersion")?.text()?;
    Some((version.split_once('/').map_or("", |(group, _)| group), object.get("kind")?.text()?))
}

fn source(object: NodeRef<'_, '_>) -> Option<Source> {
    let (group, kind) = group_and_kind(object)?;
    if group != SOURCES {
        return None;
    }
    let own = |key: &str| text(object, key).unwrap_or_default().to_owned();
    Some(Source {
        key: (kind.to_owned(), own("metadata.namespace"), own("metadata.name")),
        url: own("spec.url"),
        version: text(object, "spec.ref.semver").or_else(|| text(object, "spec.ref.tag")).map(str::to_owned),
    })
}

/// The object for which somebody else renders manifests; `file` is the operand for its input.
pub(super) fn of_object(object: NodeRef<'_, '_>, file: &str, sources: &[Source]) -> Option<Rendered> {
    let (group, kind) = group_and_kind(object)?;
    let (what, command, note) = match (group, kind) {
        ("helm.toolkit.fluxcd.io", "HelmRelease") => of_flux(object, sources)?,
        ("helm.cattle.io", "HelmChart") => of_k3s(object)?,
        ("argoproj.io", "Application") => of_argo(object)?,
        ("argoproj.io", "ApplicationSet") => {
            ("what its Applications render".to_owned(), format!("argocd appset generate {file}"), "")
        }
        ("fluxcd.controlplane.io", "ResourceSet") => {
            ("what it renders".to_owned(), format!("flux-operator build resourceset -f {file}"), "")
        }
        ("fluxcd.controlplane.io", "FluxInstance") => {
            ("what it renders".to_owned(), format!("flux-operator build instance -f {file}"), "")
        }
        ("kustomize.config.k8s.io", _) => of_kustomization(object)?,
        _ => {
            let row = catalog::operands().iter().find(|row| row.group == group && row.kind == kind)?;
            let kinds = "deployments,services,validatingwebhookconfigurations,mutatingwebhookconfigurations";
            (format!("what its operator runs ({})", row.runs), format!("kubectl get {kinds} -A -o yaml"), "")
        }
    };
    Some(Rendered { object: name(object, kind), what, command, note })
}

/// `HelmRelease shop/web`, without characters that a terminal obeys.
pub(super) fn name(object: NodeRef<'_, '_>, kind: &str) -> String {
    let name = shown(text(object, "metadata.name").unwrap_or_default());
    let namespace = text(object, "metadata.namespace").map(|namespace| format!("{}/", shown(namespace)));
    format!("{} {}{name}", shown(kind), namespace.unwrap_or_default()).trim_end().to_owned()
}

/// Description, command and note.
type Parts = (String, String, &'static str);

/// A chart as `helm template` takes it.
struct Chart<'t> {
    release: &'t str,
    /// Display name.
    name: &'t str,
    /// Its name in the repository or its path; empty where the repository is the chart.
    chart: &'t str,
    repository: Option<&'t str>,
    version: Option<&'t str>,
    namespace: Option<&'t str>,
    has_values: bool,
}

impl Chart<'_> {
    fn what(&self) -> String {
        let name = self.name.rsplit('/').next().unwrap_or(self.name);
        let version = self.version.map(|version| format!(" {}", shown(version))).unwrap_or_default();
        format!("the chart {}{version}", shown(name))
    }

    fn command(&self) -> String {
        let mut words = vec!["helm".to_owned(), "template".to_owned(), quoted(self.release)];
        match self.repository {
            Some(url) if self.chart.is_empty() => words.push(quoted(url)),
            Some(url) if url.starts_with("oci://") => {
                words.push(quoted(&format!("{}/{}", url.trim_end_matches('/'), self.chart)));
            }
            Some(url) => words.extend([quoted(self.chart), "--repo".to_owned(), quoted(url)]),
            None => words.push(quoted(self.chart)),
        }
        let mut option = |key: &str, value: Option<&str>| {
            words.extend(value.into_iter().flat_map(|value| [key.to_owned(), quoted(value)]));
        };
        option("--version", self.version);
        option("-n", self.namespace);
        option("--values", self.has_values.then_some("VALUES"));
        words.join(" ")
    }

    fn parts(&self, known: &'static str) -> Parts {
        (self.what(), self.command(), self.note(known))
    }

    /// `known` if the catalogue knows the chart.
    fn note(&self, known: &'static str) -> &'static str {
        let name = self.name.rsplit('/').next().unwrap_or(self.name);
        if catalog::project_of_chart(name).is_some() { known } else { "" }
    }
}

fn of_flux(object: NodeRef<'_, '_>, sources: &[Source]) -> Option<Parts> {
    let spec = object.get("spec")?;
    let own_namespace = text(object, "metadata.namespace");
    let target = text(spec, "targetNamespace");
    let reference = spec.get("chartRef").or_else(|| spec.get("chart")?.get("spec")?.get("sourceRef"));
    let of_reference = |key: &str| reference.and_then(|node| text(node, key)).unwrap_or_default();
    let namespace = reference.and_then(|node| text(node, "namespace")).or(own_namespace).unwrap_or_default();
    let key = (of_reference("kind"), namespace, of_reference("name"));
    let is_it = |one: &&Source| (one.key.0.as_str(), one.key.1.as_str(), one.key.2.as_str()) == key;
    let source = sources.iter().find(is_it);
    let name = text(object, "metadata.name").unwrap_or_default();
    let release = match (text(spec, "releaseName"), target) {
        (Some(release), _) => release.to_owned(),
        (None, Some(target)) => format!("{target}-{name}"),
        (None, None) => name.to_owned(),
    };
    let written = text(spec, "chart.spec.chart");
    let name_of_chart = Some(written.unwrap_or(key.2)).filter(|name| !name.is_empty()).unwrap_or("CHART");
    let is_repository = key.0 == "HelmRepository" || key.0 == "OCIRepository";
    let chart = Chart {
        release: &release,
        name: name_of_chart,
        // The URL of an OCIRepository is that of the chart itself.
        chart: if written.is_none() && key.0 == "OCIRepository" { "" } else { name_of_chart },
        repository: source
            .map(|source| source.url.as_str())
            .or(is_repository.then_some("URL"))
            .filter(|_| is_repository),
        version: text(spec, "chart.spec.version").or_else(|| source?.version.as_deref()),
        namespace: target.or(own_namespace),
        has_values: ["values", "valuesFrom"].iter().any(|key| spec.get(key).is_some_and(|node| !node.is_null())),
    };
    Some(chart.parts(PATCHES))
}

fn of_k3s(object: NodeRef<'_, '_>) -> Option<Parts> {
    let spec = object.get("spec")?;
    let chart = Chart {
        release: text(object, "metadata.name").unwrap_or_default(),
        name: text(spec, "chart")?,
        chart: text(spec, "chart")?,
        repository: text(spec, "repo"),
        version: text(spec, "version"),
        namespace: text(spec, "targetNamespace").or_else(|| text(object, "metadata.namespace")),
        has_values: ["valuesContent", "values", "set"]
            .iter()
            .any(|key| spec.get(key).is_some_and(|node| !node.is_null())),
    };
    Some(chart.parts(KNOWN))
}

fn of_argo(object: NodeRef<'_, '_>) -> Option<Parts> {
    let spec = object.get("spec")?;
    let name = text(object, "metadata.name").unwrap_or_default();
    let several = spec.get("sources").into_iter().flat_map(NodeRef::items);
    let mut charts = spec.get("source").into_iter().chain(several).filter(|source| text(*source, "chart").is_some());
    let (Some(source), None) = (charts.next(), charts.next()) else {
        return Some(("what it renders".to_owned(), format!("argocd app manifests {}", quoted(name)), ""));
    };
    let url = text(source, "repoURL").unwrap_or("URL");
    // Argo CD writes registries of OCI without a scheme.
    let url = if url.contains("://") || url == "URL" { url.to_owned() } else { format!("oci://{url}") };
    let helm = source.get("helm");
    let values = ["values", "valuesObject", "valueFiles", "parameters"];
    let chart = Chart {
        release: helm.and_then(|helm| text(helm, "releaseName")).unwrap_or(name),
        name: text(source, "chart")?,
        chart: text(source, "chart")?,
        repository: Some(&url),
        version: text(source, "targetRevision"),
        namespace: text(spec, "destination.namespace"),
        has_values: helm.is_some_and(|helm| values.iter().any(|key| helm.get(key).is_some_and(|node| !node.is_null()))),
    };
    Some(chart.parts(KNOWN))
}

fn of_kustomization(object: NodeRef<'_, '_>) -> Option<Parts> {
    let chart = object.get("helmCharts")?.items().next()?;
    let chart = Chart {
        release: text(chart, "releaseName").or_else(|| text(chart, "name"))?,
        name: text(chart, "name")?,
        chart: text(chart, "name")?,
        repository: text(chart, "repo"),
        version: text(chart, "version"),
        namespace: text(chart, "namespace"),
        has_values: ["valuesFile", "valuesInline"].iter().any(|key| chart.get(key).is_some_and(|node| !node.is_null())),
    };
    Some((chart.what(), "kustomize build --enable-helm .".to_owned(), chart.note(KNOWN)))
}

/// A text of a manifest as an operand of a command, without characters that a terminal obeys.
fn quoted(text: &str) -> String {
    shell_operand(&shown(text))
}
