//! Renders among the inputs: files of `hostnet charts`, and workloads with the labels of a Helm release.

use std::collections::{BTreeSet, HashMap};

use memchr::memmem;

use crate::model::Meta;
use crate::releases::{Release, Rendered};
use crate::render::charts_script::file_names;
use crate::version::ProgramVersion;
use krm::Input;
use lossless_yaml::NodeRef;

/// Label with the chart and its version, which Helm's own scaffold writes: `web-1.2.3`.
const CHART: &str = "helm.sh/chart";

/// Annotation with the release, which Helm adds in the cluster.
const RELEASE: &str = "meta.helm.sh/release-name";

/// Label with the release, which Helm's own scaffold writes.
const INSTANCE: &str = "app.kubernetes.io/instance";

/// Label with the HelmRelease, which Flux adds in the cluster.
const FLUX: &str = "helm.toolkit.fluxcd.io/name";

/// Renders among the inputs.
#[derive(Debug, Default)]
pub(super) struct Renders {
    /// File names of the inputs.
    files: BTreeSet<String>,
    /// Workloads that Helm rendered, by each name that a label or annotation gives to the release.
    workloads: HashMap<String, Vec<Meta>>,
}

impl Renders {
    /// Collects the renders among the inputs.
    pub(super) fn new(inputs: &[Input]) -> Self {
        let files = inputs.iter().filter_map(|input| input.origin().path()?.file_name());
        let marks = [CHART, RELEASE, FLUX].map(memmem::Finder::new);
        let may_be_render = |input: &&Input| marks.iter().any(|mark| mark.find(input.text().as_bytes()).is_some());
        let workload = |object: NodeRef<'_, '_>| {
            let spec = object.get("spec")?;
            let has_pods = ["template", "jobTemplate"].into_iter().any(|key| spec.get(key).is_some());
            has_pods.then(|| Meta::read(object))
        };
        // Invalid inputs are reported by the code that reads them completely.
        let of_input = |input: &Input| input.objects(|_, object| workload(object)).unwrap_or_default();
        let mut workloads: HashMap<String, Vec<Meta>> = HashMap::new();
        for meta in inputs.iter().filter(may_be_render).flat_map(of_input).flatten() {
            let labels = [FLUX, INSTANCE].map(|key| meta.labels.get(key));
            let names: BTreeSet<&str> = labels.into_iter().chain([meta.annotations.get(RELEASE)]).flatten().collect();
            for name in names {
                workloads.entry(name.to_owned()).or_default().push(meta.clone());
            }
        }
        Self { files: files.map(|name| name.to_string_lossy().into_owned()).collect(), workloads }
    }

    /// True if an input has this file name.
    pub(super) fn has_name(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    /// True if the file that `hostnet charts` writes for the object is among the inputs.
    pub(super) fn has_file(&self, rendered: &Rendered) -> bool {
        file_names(std::slice::from_ref(rendered)).iter().any(|name| self.files.contains(name))
    }

    /// True if the object's render is among the inputs. A release without a namespace may get a namespace when it is
    /// built.
    pub(super) fn has(&self, rendered: &Rendered) -> bool {
        let kind = format!("{}_", rendered.kind.to_lowercase());
        let has_file = match &rendered.namespace {
            Some(namespace) => self.files.contains(&format!("{kind}{namespace}_{}.yaml", rendered.name)),
            None => {
                let end = format!("_{}.yaml", rendered.name);
                self.files.iter().any(|name| name.starts_with(&kind) && name.ends_with(&end))
            }
        };
        let is_own = |release: &Release| {
            let names = BTreeSet::from([rendered.name.as_str(), release.name.as_str()]);
            let mut workloads = names.into_iter().filter_map(|name| self.workloads.get(name)).flatten();
            workloads.any(|meta| is_of_release(meta, rendered, release))
        };
        has_file || rendered.release().is_some_and(is_own)
    }
}

/// True if the labels or annotations of a workload name the release.
fn is_of_release(meta: &Meta, rendered: &Rendered, release: &Release) -> bool {
    let (label, annotation) = (|key: &str| meta.labels.get(key), |key: &str| meta.annotations.get(key));
    let is_same = |given: Option<&str>, wanted: Option<&str>| given.is_none() || wanted.is_none() || given == wanted;
    let namespace = release.namespace.as_deref();
    let by_flux = label(FLUX) == Some(rendered.name.as_str())
        && is_same(label("helm.toolkit.fluxcd.io/namespace"), rendered.namespace.as_deref());
    let by_helm = annotation(RELEASE) == Some(release.name.as_str())
        && is_same(annotation("meta.helm.sh/release-namespace"), namespace);
    let chart = release.chart.chart.rsplit('/').next().unwrap_or_default();
    let by_chart = || {
        let version = label(CHART)?.strip_prefix(chart)?.strip_prefix('-')?;
        ProgramVersion::read(version).is_known().then_some(())
    };
    let by_label = !chart.is_empty()
        && by_chart().is_some()
        && label(INSTANCE) == Some(release.name.as_str())
        && is_same(meta.namespace.as_deref(), namespace);
    by_flux || by_helm || by_label
}
