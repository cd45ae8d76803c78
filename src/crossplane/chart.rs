//! Objects of other tools that install Crossplane's Helm chart, and their chart values.

use super::program_values::ProgramValues;
use super::version::is_core_chart;
use crate::model::facts::{VALUES_KEY, chart_file};
use lossless_yaml::{NodeRef, Path, Tree};

/// Kinds with chart values.
const HOLDERS: [Holder; 6] = [
    Holder {
        group: "helm.toolkit.fluxcd.io",
        kind: "HelmRelease",
        sources: &["spec"],
        charts: &["chart.spec.chart", "chartRef.name"],
        version: "chart.spec.version",
        namespace: "spec.targetNamespace",
        clusters: &["spec.kubeConfig.secretRef.name"],
        values: &["values"],
    },
    Holder {
        group: ARGO,
        kind: "Application",
        sources: &["spec.sources", "spec.source"],
        namespace: "spec.destination.namespace",
        clusters: &["spec.destination.name", "spec.destination.server"],
        ..APPLICATION
    },
    Holder {
        group: ARGO,
        kind: "ApplicationSet",
        sources: &["spec.template.spec.sources", "spec.template.spec.source"],
        namespace: "spec.template.spec.destination.namespace",
        clusters: &["spec.template.spec.destination.name", "spec.template.spec.destination.server"],
        ..APPLICATION
    },
    Holder {
        group: "helm.cattle.io",
        kind: "HelmChart",
        sources: &["spec"],
        charts: &["chart"],
        version: "version",
        namespace: "spec.targetNamespace",
        clusters: &[],
        values: &["valuesContent"],
    },
    Holder { group: "helm.crossplane.io", ..RELEASE },
    Holder { group: "helm.m.crossplane.io", ..RELEASE },
];

const ARGO: &str = "argoproj.io";

/// Field paths in a source of an Argo CD application; the rows of `Application` and `ApplicationSet` add the rest.
const APPLICATION: Holder = Holder {
    group: ARGO,
    kind: "",
    sources: &[],
    charts: &["chart", "repoURL"],
    version: "targetRevision",
    namespace: "",
    clusters: &[],
    values: &["helm.valuesObject", "helm.values"],
};

/// Kind of provider-helm.
const RELEASE_KIND: &str = "Release";

/// Field paths of provider-helm's `Release`.
const RELEASE: Holder = Holder {
    group: "",
    kind: RELEASE_KIND,
    sources: &["spec.forProvider"],
    charts: &["chart.url", "chart.name"],
    version: "chart.version",
    namespace: "spec.forProvider.namespace",
    clusters: &["spec.providerConfigRef.name"],
    values: &["values"],
};

struct Holder {
    group: &'static str,
    kind: &'static str,
    /// Paths of the chart's source or of a list of sources, in order of precedence: the first path with a value is
    /// read, because Argo CD ignores `source` if `sources` is set.
    ///
    /// Source: argoproj/argo-cd@v3.2.0 `pkg/apis/application/v1alpha1/types.go`, `GetSources`.
    sources: &'static [&'static str],
    /// Paths in a source of the chart's name or URL; the first path with a value is read. `version` and `values` are
    /// paths in a source too. Values are a mapping or a text.
    charts: &'static [&'static str],
    version: &'static str,
    values: &'static [&'static str],
    /// Path of the namespace in the object.
    namespace: &'static str,
    /// Paths of the name or address of another cluster.
    clusters: &'static [&'static str],
}

impl Holder {
    /// Paths of the chart's sources in an object.
    fn sources(&self, object: NodeRef<'_, '_>) -> Vec<Path> {
        let of_path = |path: &&str| {
            let path = Path::dotted(path);
            let node = object.lookup(&path)?;
            let paths: Vec<Path> = match node.is_sequence() {
                true => node.items().enumerate().map(|(index, _)| path.item(index)).collect(),
                false => vec![path],
            };
            Some(paths).filter(|paths| !paths.is_empty())
        };
        self.sources.iter().find_map(of_path).unwrap_or_default()
    }
}

/// An object that installs Crossplane's chart.
#[derive(Debug)]
pub(crate) struct CoreChart<'o> {
    /// The namespace of the release.
    pub(crate) namespace: Option<&'o str>,
    /// The name or address of the cluster, if the object names a cluster.
    pub(crate) cluster: Option<&'o str>,
    /// The chart's version, as written.
    pub(crate) version: Option<&'o str>,
    /// The paths of the values in this object, as a mapping or as text.
    pub(crate) values: Vec<Path>,
    /// Single values, as path and value of `--set`, which override all others.
    pub(crate) sets: Vec<(&'o str, &'o str)>,
    /// Sources of further values in order, which the values in the object override.
    pub(crate) further: Vec<ValuesSource>,
}

/// A source of chart values outside of the object that installs the chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValuesSource {
    /// A values file of Argo CD: a path in a repository or in the chart.
    File(String),
    /// `valuesFrom` of Flux and provider-helm: a key of a ConfigMap or Secret.
    Key {
        /// `ConfigMap` or `Secret`.
        kind: String,
        /// The namespace of the object with the key, by default the one that refers to it.
        namespace: Option<String>,
        /// The name of the object.
        name: String,
        /// The key.
        key: String,
    },
}

/// Formats `values file values.yaml` and `ConfigMap apps/crossplane, key values.yaml`.
impl std::fmt::Display for ValuesSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(file) => write!(f, "values file {file}"),
            Self::Key { kind, namespace: Some(namespace), name, key } => {
                write!(f, "{kind} {namespace}/{name}, key {key}")
            }
            Self::Key { kind, namespace: None, name, key } => write!(f, "{kind} {name}, key {key}"),
        }
    }
}

impl<'o> CoreChart<'o> {
    /// Reads an object; `None` if it does not install Crossplane's chart.
    pub(crate) fn from_object(object: NodeRef<'o, '_>) -> Option<Self> {
        let text = |path: &Path| object.lookup(path).and_then(NodeRef::non_null_text);
        let field = |path: &str| text(&Path::dotted(path));
        let (group, kind) = (field("apiVersion")?.split_once('/')?.0, field("kind")?);
        let holder = HOLDERS.iter().find(|holder| (holder.group, holder.kind) == (group, kind))?;
        let is_core = |source: &Path| {
            let mut fields = holder.charts.iter().map(|field| (*field, text(&source.join(&Path::dotted(field)))));
            // A repository in Git is no chart, whatever its name.
            let is_chart = |field: &str, text: &str| field != "repoURL" || text.starts_with("oci://");
            let chart = fields.find_map(|(field, text)| Some((field, text?)));
            chart.is_some_and(|(field, text)| is_chart(field, text) && is_core_chart(chart_file(text).0))
        };
        let source = holder.sources(object).into_iter().find(is_core)?;
        let namespace = field(holder.namespace).or_else(|| field("metadata.namespace"));
        let version = text(&source.join(&Path::dotted(holder.version)));
        let files = object.lookup(&source.join(&Path::dotted("helm.valueFiles"))).filter(|_| group == ARGO);
        // The first part of `$values/apps/web.yaml` names another source.
        let path = |file: &'o str| {
            if file.starts_with('$') { file.split_once('/').map_or(file, |(_, path)| path) } else { file }
        };
        let files = files.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::non_null_text);
        let files = files.map(|file| ValuesSource::File(path(file).to_owned()));
        let from = object.lookup(&source.key("valuesFrom")).filter(|_| matches!(kind, "HelmRelease" | RELEASE_KIND));
        let from = from.into_iter().flat_map(NodeRef::items).filter(|item| item.get("targetPath").is_none());
        let from = from.filter_map(|item| {
            let references = [("Secret", "secretKeyRef"), ("ConfigMap", "configMapKeyRef")];
            let reference = references.into_iter().find_map(|(kind, key)| Some((kind, item.get(key)?, "key")));
            let of_other = reference.and_then(|(_, item, _)| item.get("namespace")?.non_empty_text());
            let (kind, item, key) = reference.or_else(|| Some((item.get("kind")?.text()?, item, "valuesKey")))?;
            let text = |key: &str| item.get(key).and_then(NodeRef::non_empty_text).map(str::to_owned);
            Some(ValuesSource::Key {
                kind: kind.to_owned(),
                namespace: of_other.or_else(|| field("metadata.namespace")).map(str::to_owned),
                name: text("name")?,
                key: text(key).unwrap_or_else(|| VALUES_KEY.to_owned()),
            })
        });
        let parameters = object.lookup(&source.join(&Path::dotted("helm.parameters"))).filter(|_| group == ARGO);
        let parameters = parameters.into_iter().flat_map(NodeRef::items);
        let parameters = parameters.filter_map(|one| Some((one.get("name")?.text()?, one.get("value")?.text()?)));
        let set = object.lookup(&source.key("set")).filter(|_| matches!(kind, "HelmChart" | RELEASE_KIND));
        let listed = set.into_iter().flat_map(NodeRef::items);
        let listed = listed.filter_map(|one| Some((one.get("name")?.text()?, one.get("value")?.text()?)));
        let set = set.into_iter().flat_map(NodeRef::entries);
        let set = set.filter_map(|(path, value)| Some((path.text()?, value.text()?)));
        Some(Self {
            namespace,
            cluster: holder.clusters.iter().find_map(|path| field(path)),
            version,
            sets: parameters.chain(set).chain(listed).collect(),
            values: holder.values.iter().map(|path| source.join(&Path::dotted(path))).collect(),
            further: files.chain(from).collect(),
        })
    }

    /// The values in the object that concern the chart's programs.
    pub(crate) fn program_values(&self, object: NodeRef<'_, '_>) -> ProgramValues {
        let mut all = self.with_values(object, |values| Some(ProgramValues::read(values))).unwrap_or_default();
        for (path, value) in &self.sets {
            all.set(path, value);
        }
        all
    }

    /// Returns the first result of a function over the object's chart values; `None` without readable values.
    pub(crate) fn with_values<T>(
        &self,
        object: NodeRef<'_, '_>,
        read: impl Fn(NodeRef<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        self.values.iter().find_map(|path| {
            let values = object.lookup(path)?;
            match values.non_null_text() {
                Some(written) => read(Tree::parse(written).ok()?.root(0)?),
                None => read(values),
            }
        })
    }
}
