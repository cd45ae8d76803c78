//! Chart that Flux, Argo CD or k3s renders in the cluster; the input shows only the name and version of the chart.

use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Tree};

/// `HelmRelease` of Flux, `Application` of Argo CD, `HelmChart` of k3s, `Release` of provider-helm, or a chart that a `HelmRelease` references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelmRelease {
    /// `spec.chart.spec.chart`: name of the chart, its path in a Git repository, or its URL. For `spec.chartRef`, the
    /// name of the referenced object. `chart` in the sources of an Application and in the spec of a HelmChart;
    /// `chart.url` or `chart.name` of a Release.
    pub chart: String,
    /// `spec.chart.spec.version`, `targetRevision` or `spec.version`: a version, or a version range.
    pub version: Option<String>,
    /// Tag of the image in the values.
    pub image_tag: Option<String>,
    /// Object that has the name and version of the chart.
    pub place: ChartPlace,
    /// `spec.targetNamespace`, `spec.destination.namespace` of an Application, or `spec.forProvider.namespace`.
    target_namespace: Option<String>,
}

/// Object that has the name and version of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChartPlace {
    /// The release itself.
    Release,
    /// Another object: its kind, namespace and name.
    Reference(String, Option<String>, String),
    /// The object is a chart source, which installs nothing by itself.
    Source,
}

/// Text of a field.
fn text(node: NodeRef<'_, '_>, path: &str) -> Option<String> {
    node.lookup(&Path::dotted(path)).and_then(NodeRef::non_null_text).map(str::to_owned)
}

impl HelmRelease {
    fn new(chart: String, version: Option<String>) -> Self {
        Self { chart, version, image_tag: None, place: ChartPlace::Release, target_namespace: None }
    }

    pub(in crate::model) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let release = match spec.get("chart").and_then(|chart| chart.get("spec")) {
            Some(chart) => Self::new(text(chart, "chart")?, text(chart, "version")),
            None => {
                let name = text(spec, "chartRef.name")?;
                let namespace = text(spec, "chartRef.namespace").or_else(|| text(object, "metadata.namespace"));
                let place = ChartPlace::Reference(text(spec, "chartRef.kind")?, namespace, name.clone());
                Self { place, ..Self::new(name, None) }
            }
        };
        let image_tag = spec.get("values").and_then(image_tag);
        Some(Self { image_tag, target_namespace: text(spec, "targetNamespace"), ..release })
    }

    /// Reads an `OCIRepository` or `HelmChart` of Flux. Its digest overrides its range, which
    /// overrides its tag: fluxcd/source-controller@v1.7.0 `api/v1/ocirepository_types.go`, `OCIRepositoryRef`.
    pub(in crate::model) fn read_source(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let source = match text(spec, "url") {
            Some(url) => {
                let version = text(spec, "ref.semver").or_else(|| text(spec, "ref.tag"));
                Self::new(url, version.filter(|_| text(spec, "ref.digest").is_none()))
            }
            None => Self::new(text(spec, "chart")?, text(spec, "version")),
        };
        Some(Self { place: ChartPlace::Source, ..source })
    }

    /// Reads an `Application`: a release for each source with a chart. Argo CD ignores `source` next to `sources`:
    /// argoproj/argo-cd@v3.2.0 `pkg/apis/application/v1alpha1/types.go`, `GetSources`.
    pub(in crate::model) fn read_application(object: NodeRef<'_, '_>) -> Vec<Self> {
        let Some(spec) = object.get("spec") else { return Vec::new() };
        let mut sources: Vec<NodeRef<'_, '_>> = spec.get("sources").into_iter().flat_map(NodeRef::items).collect();
        if sources.is_empty() {
            sources.extend(spec.get("source"));
        }
        let namespace = text(spec, "destination.namespace");
        let release = |source: NodeRef<'_, '_>| {
            // An artifact of a registry is a chart or a folder of manifests; only its name and settings show which.
            let is_chart = |url: &String| {
                url.starts_with("oci://")
                    && (source.get("helm").is_some() || url.to_ascii_lowercase().contains("chart"))
            };
            let chart = text(source, "chart").or_else(|| text(source, "repoURL").filter(is_chart))?;
            let helm = source.get("helm");
            let image_tag = helm.and_then(|helm| {
                let parameters = || helm.get("parameters").into_iter().flat_map(NodeRef::items);
                let mut tags = parameters().filter(|one| text(*one, "name").as_deref() == Some("image.tag"));
                let tag = tags.find_map(|one| text(one, "value"));
                let values = || helm.get("valuesObject").or_else(|| helm.get("values")).and_then(image_tag);
                tag.or_else(values)
            });
            let target_namespace = namespace.clone();
            Some(Self { image_tag, target_namespace, ..Self::new(chart, text(source, "targetRevision")) })
        };
        sources.into_iter().filter_map(release).collect()
    }

    /// Reads a `HelmChart` of k3s.
    pub(in crate::model) fn read_helm_chart(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let set = spec.get("set").and_then(|set| set.get("image.tag")?.non_null_text()).map(str::to_owned);
        let image_tag = set.or_else(|| spec.get("valuesContent").and_then(image_tag));
        let target_namespace = text(spec, "targetNamespace");
        Some(Self { image_tag, target_namespace, ..Self::new(text(spec, "chart")?, text(spec, "version")) })
    }

    /// Reads a `Release` of Crossplane's provider-helm.
    pub(in crate::model) fn read_provider_helm(object: NodeRef<'_, '_>) -> Option<Self> {
        let given = object.get("spec")?.get("forProvider")?;
        let url = text(given, "chart.url");
        let version = text(given, "chart.version").filter(|_| url.is_none());
        let chart = url.or_else(|| text(given, "chart.name"))?;
        let mut sets = given.get("set").into_iter().flat_map(NodeRef::items);
        let set =
            sets.find(|set| text(*set, "name").as_deref() == Some("image.tag")).and_then(|set| text(set, "value"));
        let image_tag = set.or_else(|| given.get("values").and_then(image_tag));
        Some(Self { image_tag, target_namespace: text(given, "namespace"), ..Self::new(chart, version) })
    }

    /// Name of the chart, without its folder.
    pub fn name(&self) -> &str {
        chart_file(&self.chart).0
    }

    /// Version or version range of the chart: from its field, else from the file name of the chart.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref().or(chart_file(&self.chart).1)
    }

    /// Namespace for which Flux renders the chart.
    pub fn namespace<'m>(&'m self, meta: &'m Meta) -> Option<&'m str> {
        self.target_namespace.as_deref().or(meta.namespace.as_deref())
    }
}

/// Name of a chart, and its version if the text is a file such as `https://example.com/crossplane-1.19.2.tgz`.
///
/// ```
/// use hostnet::model::facts::chart_file;
/// assert_eq!(chart_file("charts/crossplane"), ("crossplane", None));
/// assert_eq!(chart_file("https://example.com/a-b-1.19.2-rc.1.tgz"), ("a-b", Some("1.19.2-rc.1")));
/// assert_eq!(chart_file("oci://example.com/charts/a:1.19.2"), ("a", Some("1.19.2")));
/// ```
pub fn chart_file(chart: &str) -> (&str, Option<&str>) {
    let (chart, tag) = chart_tag(chart);
    let file = chart.trim_end_matches('/').rsplit('/').next().unwrap_or(chart);
    let Some(stem) = file.strip_suffix(".tgz") else { return (file, tag) };
    let is_version = |at: &usize| {
        let rest = stem.get(at + 1..).unwrap_or_default();
        rest.strip_prefix('v').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    };
    let dash = stem.match_indices('-').map(|(at, _)| at).find(is_version);
    let parts = dash.and_then(|at| Some((stem.get(..at)?, stem.get(at + 1..)?)));
    parts.map_or((stem, None), |(name, version)| (name, Some(version)))
}

/// URL of a chart without the tag of a registry, and that tag.
pub fn chart_tag(url: &str) -> (&str, Option<&str>) {
    let parts = url.rsplit_once(':').filter(|(url, tag)| url.starts_with("oci://") && !tag.contains('/'));
    parts.map_or((url, None), |(url, tag)| (url, Some(tag)))
}

/// `image.tag` of values, which are a mapping or a text.
fn image_tag(values: NodeRef<'_, '_>) -> Option<String> {
    match values.non_null_text() {
        Some(written) if written.contains("tag") => {
            Tree::parse(written).ok()?.roots().find_map(|values| text(values, "image.tag"))
        }
        Some(_) => None,
        None => text(values, "image.tag"),
    }
}
