//! Renders among the inputs: files of `hostnet charts`, and workloads with the labels of a Helm release.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use memchr::memmem;

use super::read_files::ReadFiles;
use crate::model::Meta;
use crate::releases::{Release, Rendered, place_of_render};
use crate::render::charts_script::{differs_by_number_only, file_names};
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
    /// File names of the renders whose first lines name an object of another input: resolved file, and position.
    placed: HashMap<(PathBuf, String), Vec<String>>,
    /// File names of the other inputs.
    unplaced: BTreeSet<String>,
    /// Workloads that Helm rendered, by each name that a label or annotation gives to the release.
    workloads: HashMap<String, Vec<Meta>>,
}

impl Renders {
    /// Collects the renders among the inputs.
    pub(super) fn new(inputs: &[Input], read: &ReadFiles) -> Self {
        let mut renders = Self::default();
        // The path in the first line is relative to the folder of another run.
        let place = |input: &Input| {
            let (file, position) = place_of_render(input.text()).filter(|(file, _)| read.has_file(file))?;
            Some((file.canonicalize().ok()?, position.to_owned()))
        };
        let (placed, others): (Vec<_>, Vec<_>) =
            inputs.iter().map(|input| (input, place(input))).partition(|(_, place)| place.is_some());
        let name = |input: &Input| Some(input.origin().path()?.file_name()?.to_string_lossy().into_owned());
        renders.files = inputs.iter().filter_map(name).collect();
        renders.unplaced = others.iter().filter_map(|(input, _)| name(input)).collect();
        for (name, place) in placed.into_iter().filter_map(|(input, place)| Some((name(input)?, place?))) {
            renders.placed.entry(place).or_default().push(name);
        }
        let marks = [CHART, RELEASE, FLUX].map(memmem::Finder::new);
        let may_be_render = |input: &&Input| marks.iter().any(|mark| mark.find(input.text().as_bytes()).is_some());
        let workload = |object: NodeRef<'_, '_>| {
            let spec = object.get("spec")?;
            let has_pods = ["template", "jobTemplate"].into_iter().any(|key| spec.get(key).is_some());
            has_pods.then(|| Meta::read(object))
        };
        // Invalid inputs are reported by the code that reads them completely.
        let of_input = |input: &Input| input.objects(|_, object| workload(object)).unwrap_or_default();
        let others = others.into_iter().map(|(input, _)| input);
        for meta in others.filter(may_be_render).flat_map(of_input).flatten() {
            let labels = [FLUX, INSTANCE].map(|key| meta.labels.get(key));
            let names: BTreeSet<&str> = labels.into_iter().chain([meta.annotations.get(RELEASE)]).flatten().collect();
            for name in names {
                renders.workloads.entry(name.to_owned()).or_default().push(meta.clone());
            }
        }
        renders
    }

    /// True if an input has this file name.
    pub(super) fn has_name(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    /// True if the file that `hostnet charts` writes for the object is among the inputs.
    pub(super) fn has_file(&self, rendered: &Rendered) -> bool {
        file_names(std::slice::from_ref(rendered)).iter().any(|name| self.files.contains(name))
    }

    /// For each program that renders an object, true if its output is among the inputs. For an object of a render
    /// (`is_copy`), the first lines of renders may name the file from which it was copied.
    pub(super) fn found(&self, all: &[Rendered], is_copy: bool) -> Vec<bool> {
        let names = file_names(all);
        let is_found = |(rendered, name): (&Rendered, &String)| {
            let is_own =
                |other: &&String| differs_by_number_only(other, name) || is_of_unknown_namespace(other, rendered);
            let place = rendered.file.as_ref().and_then(|file| Some((file.canonicalize().ok()?, rendered.position())));
            let placed = place.and_then(|place| self.placed.get(&place)).into_iter().flatten();
            let placed: Vec<&String> = placed.filter(is_own).collect();
            // The numbers in the names count all objects of a script.
            let sources = names.iter().filter(|other| differs_by_number_only(other, name)).count();
            let others = if is_copy { &self.files } else { &self.unplaced };
            placed.contains(&name)
                || !placed.is_empty() && placed.len() >= sources
                || others.contains(name)
                || others.iter().any(|other| is_of_unknown_namespace(other, rendered))
                || rendered.release().is_some_and(|release| self.has_workload(rendered, release))
        };
        all.iter().zip(&names).map(is_found).collect()
    }

    /// True if a workload has the labels of a release.
    fn has_workload(&self, rendered: &Rendered, release: &Release) -> bool {
        let names = BTreeSet::from([rendered.name.as_str(), release.name.as_str()]);
        let mut workloads = names.into_iter().filter_map(|name| self.workloads.get(name)).flatten();
        workloads.any(|meta| is_of_release(meta, rendered, release))
    }
}

/// True if a file name may be that of an object without a namespace, which may get one when it is built.
fn is_of_unknown_namespace(file: &str, rendered: &Rendered) -> bool {
    let kind = format!("{}_", rendered.kind.to_lowercase());
    rendered.namespace.is_none() && file.starts_with(&kind) && file.ends_with(&format!("_{}.yaml", rendered.name))
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
