//! Facts about packages and images, collected while parsing, that `Model` does not keep.

use std::collections::{BTreeMap, BTreeSet};

use super::ca_data::CaData;
use super::core_env::{self, EnvData};
use super::core_facts::{self, CoreChartFacts, CoreContainer};
use super::custom::{self, CustomResourceImages};
use super::hints::{self, Hint};
use super::image_field::{ImageEvidence, ImageField};
use super::nested::{self, NestedPackage};
use crate::api::PACKAGE_KINDS;
use crate::catalog::names_image;
use crate::crossplane::ValuesSource;
use crate::model::facts::package::{CONTAINER, GROUP, POD_SPEC};
use crate::model::{Object, ObjectId};
use crate::releases::Release;
use crate::xpkg::{CrdFault, crd_faults};
use lossless_yaml::{NodeRef, Path, Value};
use oci::name::ImageRef;

/// The source of a package, and the fields on which it depends.
#[derive(Debug, Clone)]
pub(super) struct PackageSource {
    /// `spec.package`
    pub(super) source: String,
    /// `spec.packagePullSecrets`
    pub(super) pull_secrets: Option<Value>,
    /// `spec.packagePullPolicy`
    pub(super) pull_policy: Option<Value>,
    /// `spec.skipDependencyResolution`
    pub(super) skips: Option<Value>,
    /// The names in `spec.runtimeConfigRef` and `spec.controllerConfigRef`.
    pub(super) configured_by: [Option<String>; 2],
}

/// The packages and images of an object.
#[derive(Debug, Clone, Default)]
pub struct MirrorObject {
    package: Option<PackageSource>,
    nested: Vec<NestedPackage>,
    installed: Vec<String>,
    images: Vec<ImageField>,
    pull_secrets: bool,
    has_command: bool,
    hints: BTreeSet<Hint>,
    artifacts: BTreeSet<String>,
    core_containers: Vec<CoreContainer>,
    core_chart: Option<CoreChartFacts>,
    env_data: Option<EnvData>,
    ca_data: Option<CaData>,
    crd_faults: Vec<CrdFault>,
}

impl MirrorObject {
    /// Reads an object.
    pub fn read(object: &Object, node: NodeRef<'_, '_>) -> Self {
        let mut pods: Vec<Path> = object.templates().iter().map(|template| template.path.key("spec")).collect();
        let paths =
            object.templates().iter().flat_map(|template| &template.containers).map(|container| container.path.clone());
        let mut paths: Vec<Path> = paths.collect();
        let (group, kind) = (object.meta.gvk.group.as_str(), object.meta.gvk.kind.as_str());
        let is_ours = group == GROUP;
        let pod = Path::dotted(POD_SPEC);
        let is_runtime = is_ours && kind == "DeploymentRuntimeConfig";
        if is_runtime {
            paths =
                ["containers", "initContainers"].into_iter().flat_map(|list| containers(node, &pod, list)).collect();
            pods = vec![pod.clone()];
        }
        let mut images: Vec<ImageField> = paths.iter().flat_map(|path| read_container(node, path)).collect();
        images.extend(pods.iter().flat_map(|pod| read_volumes(node, pod)));
        let CustomResourceImages { images: custom, artifacts } = custom::read(object, node);
        images.extend(custom);
        if is_ours && kind == "ControllerConfig" {
            let path = Path::dotted("spec.image");
            let image = node.lookup(&path).and_then(NodeRef::non_null_text).map(str::to_owned);
            let field =
                |image| ImageField { path, before: String::new(), image, part: None, evidence: ImageEvidence::Field };
            images.extend(image.map(field));
        }
        let secrets = node.lookup(&pod.key("imagePullSecrets")).filter(|_| is_runtime);
        let pull_secrets = secrets.is_some_and(|list| list.items().next().is_some());
        let is_package = |node: &NodeRef<'_, '_>| node.get("name").and_then(NodeRef::text) == Some(CONTAINER);
        let runtime = paths.iter().filter_map(|path| node.lookup(path)).find(is_package).filter(|_| is_runtime);
        let has_command = runtime.and_then(|runtime| runtime.get("command")?.items().next()).is_some();
        let hints = hints::read(&object.meta, node);
        Self {
            package: package(kind, node).filter(|_| is_ours),
            nested: nested::read(node),
            installed: if is_ours && kind == "Lock" { installed(node) } else { Vec::new() },
            images,
            pull_secrets,
            has_command,
            hints,
            artifacts,
            core_containers: core_facts::containers(object, node),
            core_chart: core_facts::chart(node),
            env_data: core_env::data(&object.meta, node),
            ca_data: CaData::read(&object.meta, node),
            crd_faults: if kind == "ImageConfig" { crd_faults(&object.meta, node) } else { Vec::new() },
        }
    }
}

/// Reads the package source of a package object.
fn package(kind: &str, node: NodeRef<'_, '_>) -> Option<PackageSource> {
    let spec = node.get("spec").filter(|_| PACKAGE_KINDS.contains(&kind))?;
    let value = |key: &str| spec.get(key).and_then(NodeRef::to_value);
    let name = |key: &str| Some(spec.get(key)?.get("name")?.non_null_text()?.to_owned());
    Some(PackageSource {
        source: spec.get("package")?.non_null_text()?.to_owned(),
        pull_secrets: value("packagePullSecrets"),
        pull_policy: value("packagePullPolicy"),
        skips: value("skipDependencyResolution"),
        configured_by: [name("runtimeConfigRef"), name("controllerConfigRef")],
    })
}

/// References of the packages that a `Lock` names: Crossplane has installed them, also as dependencies of others.
///
/// Source: crossplane/crossplane@v2.3.4 `apis/pkg/v1beta1/lock.go` (`version` is a tag or a digest).
fn installed(node: NodeRef<'_, '_>) -> Vec<String> {
    let reference = |package: NodeRef<'_, '_>| {
        let text = |key: &str| package.get(key)?.non_empty_text();
        let (source, version) = (text("source")?, text("version")?);
        Some(format!("{source}{}{version}", if version.starts_with("sha256:") { '@' } else { ':' }))
    };
    node.get("packages").into_iter().flat_map(NodeRef::items).filter_map(reference).collect()
}

/// The paths of a list of containers.
fn containers(node: NodeRef<'_, '_>, pod: &Path, list: &'static str) -> Vec<Path> {
    let list = pod.key(list);
    let items = node.lookup(&list).into_iter().flat_map(NodeRef::items).enumerate();
    items.map(|(index, item)| list.named_item(index, item.get("name").and_then(NodeRef::text))).collect()
}

/// Image volumes of a pod.
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/apis/core/types.go`, `ImageVolumeSource`.
fn read_volumes(node: NodeRef<'_, '_>, pod: &Path) -> Vec<ImageField> {
    let list = pod.key("volumes");
    let volumes = node.lookup(&list).into_iter().flat_map(NodeRef::items).enumerate();
    let field = |(index, volume): (usize, NodeRef<'_, '_>)| {
        let image = volume.get("image")?.get("reference")?.non_null_text().filter(|image| !image.is_empty())?;
        let name = volume.get("name").and_then(NodeRef::text);
        let path = list.named_item(index, name).key("image").key("reference");
        let part = Some(format!("volume {}", name.unwrap_or_default()));
        Some(ImageField { path, before: String::new(), image: image.to_owned(), part, evidence: ImageEvidence::Field })
    };
    volumes.filter_map(field).collect()
}

/// Texts of a container that are images, or look like images.
fn read_container(node: NodeRef<'_, '_>, path: &Path) -> Vec<ImageField> {
    let Some(container) = node.lookup(path) else { return Vec::new() };
    let name = container.get("name").and_then(NodeRef::text).unwrap_or_default();
    let mut all = Vec::new();
    let mut add = |path: Path, before: &str, image: &str, evidence: ImageEvidence| {
        let (before, image, part) = (before.to_owned(), image.to_owned(), Some(format!("container {name}")));
        all.push(ImageField { path, before, image, part, evidence });
    };
    if let Some(image) = container.get("image").and_then(NodeRef::non_null_text).filter(|image| !image.is_empty()) {
        add(path.key("image"), "", image, ImageEvidence::Field);
    }
    for list in ["command", "args"] {
        let words =
            container.get(list).into_iter().flat_map(NodeRef::items).map(|word| word.text().unwrap_or_default());
        let mut named_by_last = false;
        for (index, word) in words.enumerate() {
            let path = path.key(list).item(index);
            let is_flag = |word: &str| word.starts_with('-') && names_image(word);
            let by_flag = word.split_once('=').filter(|(flag, _)| is_flag(flag));
            let (before, value) = by_flag.or_else(|| word.rsplit_once('=')).unwrap_or(("", word));
            let before = word.get(..word.len() - value.len()).filter(|_| !before.is_empty()).unwrap_or_default();
            let named = by_flag.is_some() || std::mem::take(&mut named_by_last) && value == word;
            named_by_last = is_flag(word);
            match looks_like_image(value) {
                Some(_) if named => add(path, before, value, ImageEvidence::Name),
                Some(true) => add(path, before, value, ImageEvidence::Form),
                _ => {}
            }
        }
    }
    let list = path.key("env");
    for (index, variable) in container.get("env").into_iter().flat_map(NodeRef::items).enumerate() {
        let text = |key: &str| variable.get(key).and_then(NodeRef::text).unwrap_or_default();
        let path = list.named_item(index, variable.get("name").and_then(NodeRef::text)).key("value");
        match looks_like_image(text("value")) {
            Some(_) if names_image(text("name")) => add(path, "", text("value"), ImageEvidence::Name),
            Some(true) => add(path, "", text("value"), ImageEvidence::Form),
            Some(false) => {}
            // A list of images.
            None => {
                let parts = text("value").split(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
                for part in parts.filter(|part| looks_like_image(part) == Some(true)) {
                    add(path.clone(), "", part, ImageEvidence::Form);
                }
            }
        }
    }
    all
}

/// True for an image reference with a registry, false without; `None` if the text is not an image reference.
fn looks_like_image(text: &str) -> Option<bool> {
    let image = ImageRef::read(text).ok()?;
    Some(image.registry.is_some() || image.path.starts_with("localhost/"))
}

/// The packages and images of all objects.
#[derive(Debug, Default)]
pub struct MirrorFacts {
    pub(super) packages: BTreeMap<ObjectId, PackageSource>,
    /// Packages inside of other objects.
    pub(super) nested: BTreeMap<ObjectId, Vec<NestedPackage>>,
    /// Packages that a `Lock` names as installed.
    pub(super) installed: BTreeMap<ObjectId, Vec<String>>,
    pub(super) images: BTreeMap<ObjectId, Vec<ImageField>>,
    /// DeploymentRuntimeConfigs with `imagePullSecrets`.
    pub(super) with_pull_secrets: BTreeSet<ObjectId>,
    /// DeploymentRuntimeConfigs with a `command` for the package's container.
    pub(super) with_command: BTreeSet<ObjectId>,
    /// Images in texts.
    pub(super) hints: BTreeMap<ObjectId, BTreeSet<Hint>>,
    /// References with `oci://`.
    pub(super) artifacts: BTreeMap<ObjectId, BTreeSet<String>>,
    /// Containers that run Crossplane's core.
    pub(super) core_containers: BTreeMap<ObjectId, Vec<CoreContainer>>,
    /// Objects that install Crossplane's chart.
    pub(super) core_charts: BTreeMap<ObjectId, CoreChartFacts>,
    /// ConfigMaps and Secrets, whose keys `envFrom` turns into variables.
    pub(super) env_data: Vec<EnvData>,
    /// ConfigMaps that may contain certificates.
    pub(super) ca_data: Vec<CaData>,
    /// ImageConfigs with fields that the API server refuses or drops.
    pub(super) invalid_image_configs: BTreeMap<ObjectId, Vec<CrdFault>>,
}

impl MirrorFacts {
    /// Reads the values of Crossplane's chart outside of the objects that install the chart. `read` calls its second
    /// argument with the values of a source, and returns false for a source that is not in the input.
    pub fn read_further_values(&mut self, read: impl Fn(&ValuesSource, &mut dyn FnMut(NodeRef<'_, '_>)) -> bool) {
        for chart in self.core_charts.values_mut() {
            let sources = std::mem::take(&mut chart.further);
            // The last source wins.
            for source in sources.into_iter().rev() {
                if !read(&source, &mut |values| chart.add_values(&source, values)) {
                    chart.further.insert(0, source);
                }
            }
        }
    }

    /// Fills in packages in the chart values of templates. `releases` returns the releases of Crossplane's chart that an
    /// object makes from its template; empty if they are not known.
    pub fn fill_templates(&mut self, releases: impl Fn(ObjectId) -> Vec<Release>) {
        for (id, chart) in self.core_charts.iter_mut().filter(|(_, chart)| chart.has_template_packages()) {
            chart.fill_packages(&releases(*id));
        }
    }

    /// Adds the facts of an object.
    pub fn add(&mut self, id: ObjectId, object: &Object, read: MirrorObject) {
        if object.meta.is_local_config() {
            return;
        }
        self.env_data.extend(read.env_data);
        self.ca_data.extend(read.ca_data);
        self.invalid_image_configs.extend(Some((id, read.crd_faults)).filter(|(_, found)| !found.is_empty()));
        self.packages.extend(read.package.map(|package| (id, package)));
        self.nested.extend(Some((id, read.nested)).filter(|(_, found)| !found.is_empty()));
        self.installed.extend(Some((id, read.installed)).filter(|(_, found)| !found.is_empty()));
        self.core_charts.extend(read.core_chart.map(|chart| (id, chart)));
        self.core_containers.extend(Some((id, read.core_containers)).filter(|(_, found)| !found.is_empty()));
        self.with_pull_secrets.extend(read.pull_secrets.then_some(id));
        self.with_command.extend(read.has_command.then_some(id));
        self.hints.extend(Some((id, read.hints)).filter(|(_, found)| !found.is_empty()));
        self.artifacts.extend(Some((id, read.artifacts)).filter(|(_, found)| !found.is_empty()));
        self.images.extend(Some((id, read.images)).filter(|(_, found)| !found.is_empty()));
    }
}
