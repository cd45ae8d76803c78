//! Facts about the CA certificates of Crossplane's core, from its Deployment and from values of its chart.

use super::core::runs_core_process;
use super::core_env::{self, EnvFrom, KeyRef, VARIABLE};
use crate::crossplane::{CoreChart, ProgramValues, REGISTRY, ValuesSource};
use crate::model::Object;
use crate::releases::{Release, Values};
use krm::may_have_placeholder;
use lossless_yaml::{NodeRef, Path, Tree, Value};

/// The chart values with a list `packages`, and the package kind of each. The chart passes the lists as arguments to
/// the core's init container.
const CHART_PACKAGES: [(&str, &str); 3] =
    [("provider", "Provider"), ("configuration", "Configuration"), ("function", "Function")];

/// The value of the chart with variables of the core.
const CHART_VARIABLES: &str = "extraEnvVarsCrossplane";

/// The chart value with the ConfigMap of CA certificates.
pub(super) const CHART_VALUE: &str = "registryCaBundleConfig";

/// A container that runs the core, with the fields that configure its CA certificates.
#[derive(Debug, Clone)]
pub(super) struct CoreContainer {
    pub(super) template: usize,
    pub(super) container: usize,
    pub(super) pod: Path,
    /// The value of the variable in `env`; null for a value from elsewhere.
    pub(super) variable: Option<Value>,
    /// The value of the variable with the default registry, as above.
    pub(super) registry: Option<Value>,
    /// The key of a ConfigMap with that value.
    pub(super) registry_key: Option<KeyRef>,
    /// The sources in `envFrom`, in order.
    pub(super) env_from: Vec<EnvFrom>,
    /// The paths of all mounts; `None` without a list.
    pub(super) mounts: Option<Vec<String>>,
    /// The names of all volumes; `None` without a list.
    pub(super) volumes: Option<Vec<String>>,
    /// The lists that are written as null.
    pub(super) nulls: Vec<Path>,
}

/// An object that installs Crossplane's chart.
#[derive(Debug, Clone)]
pub(super) struct CoreChartFacts {
    /// `registryCaBundleConfig`: name and key.
    pub(super) ca: Option<(String, String)>,
    /// True if other values set the variable.
    pub(super) sets_variable: bool,
    /// Packages in the chart's values, which the core installs.
    pub(super) packages: Vec<ChartPackage>,
    /// Values that concern the chart's programs.
    pub(super) programs: ProgramValues,
    /// The chart's version, as written.
    pub(super) version: Option<String>,
    /// The name or address of the cluster, if the object names a cluster.
    pub(super) cluster: Option<String>,
    /// The path of the values in the object, where a chart value has to be written.
    pub(super) values: String,
    pub(super) namespace: Option<String>,
    /// Sources of further values that have not been read, in order; the values of the object override them.
    pub(super) further: Vec<ValuesSource>,
}

impl CoreChartFacts {
    /// Adds the values of a source. Values that are already known override them.
    pub(super) fn add_values(&mut self, source: &ValuesSource, values: NodeRef<'_, '_>) {
        self.ca = self.ca.take().or_else(|| ca_bundle_of_values(values));
        self.sets_variable |= sets_variable(values);
        let mut programs = ProgramValues::read(values);
        programs.overlay(&self.programs);
        self.programs = programs;
        for (value, kind) in CHART_PACKAGES {
            if self.packages.iter().all(|known| known.value != value) {
                self.packages.extend(packages_of(values, value, kind, Some(source)).unwrap_or_default());
            }
        }
    }
}

impl CoreChartFacts {
    /// True if a template fills in packages.
    pub(super) fn has_template_packages(&self) -> bool {
        self.packages.iter().any(|package| may_have_placeholder(&package.source))
    }

    /// Replaces packages that a template fills in by the packages of the releases that are made from the template.
    pub(super) fn fill_packages(&mut self, releases: &[Release]) {
        let filled: Vec<ChartPackage> =
            releases.iter().flat_map(|release| packages_of_release(&release.values)).collect();
        if filled.is_empty() {
            return;
        }
        self.packages.retain(|package| !may_have_placeholder(&package.source));
        for package in filled {
            let is_same = |known: &ChartPackage| known.value == package.value && known.source == package.source;
            if !self.packages.iter().any(is_same) {
                self.packages.push(package);
            }
        }
    }
}

/// Packages in the values of a release, of which later values override earlier ones.
fn packages_of_release(values: &[Values]) -> Vec<ChartPackage> {
    let mut all = Vec::new();
    for (value, kind) in CHART_PACKAGES {
        let mut packages = Vec::new();
        for one in values {
            match one {
                Values::Text { text, .. } => {
                    let Ok(tree) = Tree::parse(text) else { continue };
                    let found = tree.root(0).and_then(|root| packages_of(root, value, kind, None));
                    packages = found.unwrap_or(packages);
                }
                Values::Set(_, set) => {
                    let Some((path, text)) = set.split_once('=') else { continue };
                    packages.extend(packages_from_set_value((path, &text.replace("\\,", ",")), value, kind));
                }
                Values::File(_) | Values::Missing { .. } => {}
            }
        }
        all.extend(packages);
    }
    all
}

/// ConfigMap and key with the certificates of registries in the chart's values.
fn ca_bundle_of_values(values: NodeRef<'_, '_>) -> Option<(String, String)> {
    let text = |key: &str| values.get(CHART_VALUE)?.get(key)?.non_empty_text();
    Some((text("name")?.to_owned(), text("key")?.to_owned()))
}

/// True if the chart's values set the variable with the certificates.
fn sets_variable(values: NodeRef<'_, '_>) -> bool {
    values.get(CHART_VARIABLES).and_then(|variables| variables.get(VARIABLE)).is_some()
}

/// Packages in the list of a value; `None` without the list.
fn packages_of(
    values: NodeRef<'_, '_>,
    value: &'static str,
    kind: &'static str,
    place: Option<&ValuesSource>,
) -> Option<Vec<ChartPackage>> {
    let items = values.get(value)?.get("packages")?.items();
    let package = |item: NodeRef<'_, '_>| {
        Some(ChartPackage { value, kind, source: item.non_null_text()?.to_owned(), place: place.cloned() })
    };
    Some(items.filter_map(package).collect())
}

/// Packages of a single value: `provider.packages[0]=a.io/o/p:v1` or `provider.packages={a.io/o/p:v1,a.io/o/q:v1}`.
fn packages_from_set_value((path, text): (&str, &str), value: &'static str, kind: &'static str) -> Vec<ChartPackage> {
    let list = path.strip_prefix(value).and_then(|rest| rest.strip_prefix(".packages"));
    let Some(index) = list.filter(|index| index.is_empty() || index.starts_with('[')) else { return Vec::new() };
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let sources = if index.is_empty() { inner.unwrap_or_default() } else { text };
    let sources = sources.split(',').map(str::trim).filter(|source| !source.is_empty());
    sources.map(|source| ChartPackage { value, kind, source: source.to_owned(), place: None }).collect()
}

/// A package in a list `packages` of the chart's values.
#[derive(Debug, Clone)]
pub(super) struct ChartPackage {
    /// The chart value that contains the list.
    pub(super) value: &'static str,
    pub(super) kind: &'static str,
    /// The reference, as written.
    pub(super) source: String,
    /// The source of the values; `None` for values in the object.
    pub(super) place: Option<ValuesSource>,
}

/// Reads the containers of an object that run the core.
pub(super) fn containers(object: &Object, node: NodeRef<'_, '_>) -> Vec<CoreContainer> {
    let mut all = Vec::new();
    for (at, template) in object.templates().iter().enumerate() {
        for (index, container) in template.running().filter(|(_, container)| runs_core_process(template, container)) {
            let pod = template.path.key("spec");
            let list = |path: &Path, key: &'static str| node.lookup(&path.key(key)).filter(|list| list.is_sequence());
            let entry = |name: &str| {
                let env = list(&container.path, "env").into_iter().flat_map(NodeRef::items);
                env.filter(|variable| variable.get("name").and_then(NodeRef::text) == Some(name)).last()
            };
            let variable =
                |name: &str| Some(entry(name)?.get("value").and_then(NodeRef::text).map_or(Value::Null, Value::from));
            let text =
                |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
            let lists = [container.path.key("env"), container.path.key("volumeMounts"), pod.key("volumes")];
            let is_null = |path: &Path| node.lookup(path).and_then(NodeRef::to_value) == Some(Value::Null);
            all.push(CoreContainer {
                template: at,
                container: index,
                variable: variable(VARIABLE),
                registry: variable(REGISTRY.variable),
                registry_key: entry(REGISTRY.variable).and_then(KeyRef::read),
                env_from: core_env::sources(node.lookup(&container.path)),
                mounts: list(&container.path, "volumeMounts")
                    .map(|list| list.items().map(|item| text(item, "mountPath")).collect()),
                volumes: list(&pod, "volumes").map(|list| list.items().map(|item| text(item, "name")).collect()),
                nulls: lists.into_iter().filter(is_null).collect(),
                pod,
            });
        }
    }
    all
}

/// Reads an object that installs the chart.
pub(super) fn chart(node: NodeRef<'_, '_>) -> Option<CoreChartFacts> {
    let chart = CoreChart::from_object(node)?;
    let ca = chart.with_values(node, ca_bundle_of_values);
    let sets_variable = chart.with_values(node, |values| sets_variable(values).then_some(())).is_some();
    let packages = CHART_PACKAGES.into_iter().flat_map(|(value, kind)| {
        let mut all = chart.with_values(node, |values| packages_of(values, value, kind, None)).unwrap_or_default();
        all.extend(chart.sets.iter().flat_map(|set| packages_from_set_value(*set, value, kind)));
        all
    });
    Some(CoreChartFacts {
        ca,
        sets_variable,
        packages: packages.collect(),
        programs: chart.program_values(node),
        version: chart.version.map(str::to_owned),
        cluster: chart.cluster.map(str::to_owned),
        values: chart
            .values
            .iter()
            .find(|path| node.lookup(path).is_some())
            .or_else(|| chart.values.first())?
            .to_string(),
        namespace: chart.namespace.map(str::to_owned),
        further: chart.further,
    })
}
