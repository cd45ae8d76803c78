//! Chart releases, folder builds, and other rendered objects.

use std::path::PathBuf;

use super::names::from_parts;
use crate::catalog;
use crate::model::text::holds_placeholder;
use lossless_yaml::{NodeRef, Path, Tree, Value};

/// An object of the input and the program that renders manifests from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Kind of the object.
    pub kind: String,
    /// Namespace of the object.
    pub namespace: Option<String>,
    /// Name of the object; for a kustomization, its folder.
    pub name: String,
    /// Program that renders the object.
    pub by: Renderer,
    /// File of the object; `None` for standard input, and for a kustomization with charts that no object builds.
    pub file: Option<PathBuf>,
    /// Index of the object's document in the file.
    pub document: usize,
    /// Path of the object in its document: the root, except for objects in the templates of a `ResourceSet`.
    pub at: Path,
    /// False for an object that another object generates (an Application of an `ApplicationSet`), for one of several
    /// sources, and for an Application whose fields select another tool than kustomize.
    pub is_own: bool,
    /// Differences between the object in its file and the object that is applied.
    pub doubts: Doubts,
}

/// Differences between an object in its file and the object that its builds apply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubts {
    /// Reason why patches in the object do not change the applied objects.
    pub obstacle: Option<String>,
    /// Reason why a render of the object as written in its file differs from the applied objects.
    pub stale: Option<String>,
}

impl Rendered {
    /// An object that no file of the input holds.
    pub(super) fn without_file(kind: &str, namespace: Option<&str>, name: String, by: Renderer) -> Self {
        Self {
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name,
            by,
            file: None,
            document: 0,
            at: Path::root(),
            is_own: false,
            doubts: Doubts::default(),
        }
    }

    /// Display name such as `HelmRelease shop/web`, without control characters.
    pub fn object(&self) -> String {
        from_parts(&self.kind, self.namespace.as_deref(), &self.name)
    }

    /// Helm release of the object, if any.
    pub fn release(&self) -> Option<&Release> {
        if let Renderer::Helm(release) = &self.by { Some(release) } else { None }
    }

    /// Helm release of the object, if any.
    pub fn into_release(self) -> Option<Release> {
        if let Renderer::Helm(release) = self.by { Some(*release) } else { None }
    }

    /// True for an object with a field for patches: a `HelmRelease`, a Kustomization of Flux, a `FluxInstance`, an
    /// Application that builds a kustomization.
    pub fn holds_patches(&self) -> bool {
        match &self.by {
            // The text of a template contains no patches.
            Renderer::Helm(_) => self.kind == "HelmRelease" && self.is_own,
            Renderer::Kustomize(_) => self.is_own,
            // The operator adds the patches of a FluxInstance to the kustomization that it builds.
            Renderer::Program { .. } => self.kind == "FluxInstance",
            Renderer::Operator { .. } | Renderer::Directory { .. } | Renderer::Foreign(_) | Renderer::Nothing(_) => {
                false
            }
        }
    }

    /// True for an Application that has no field for patches, or whose folder is not in the input and may be a
    /// kustomization.
    pub fn may_hold_patches(&self) -> bool {
        let is_elsewhere = self.is_own && matches!(self.by, Renderer::Program { .. });
        self.kind != "Application" || is_elsewhere || self.holds_patches()
    }

    /// Message about patches for which the object has no field; `count` is the number of objects with patches.
    pub fn no_place_for_patches(&self, count: &str) -> String {
        let plugin = if self.kind == "Application" { ", or the plugin of Argo CD," } else { "" };
        let object = self.object();
        format!("{object} has no field for the patches of {count}: run `hostnet apply` in the pipeline{plugin} instead")
    }

    /// Folder build of the object, if any.
    pub fn build(&self) -> Option<&Build> {
        self.by.build()
    }

    /// True for an object in the templates of a `ResourceSet`.
    pub fn is_embedded(&self) -> bool {
        self.at != Path::root()
    }

    /// Position of the object in its file, such as `0`, or `0.spec.resources[2]` in a `ResourceSet`.
    pub fn position(&self) -> String {
        let point = if self.is_embedded() { "." } else { "" };
        format!("{}{point}{}", self.document, self.at)
    }
}

/// The program that renders an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renderer {
    /// Helm.
    Helm(Box<Release>),
    /// kustomize.
    Kustomize(Build),
    /// Another program.
    Program {
        /// Description of its output.
        what: &'static str,
        /// The program and its first arguments.
        command: &'static str,
        /// Last argument of the command.
        operand: Operand,
    },
    /// An operator in the cluster, whose output is not available outside of it.
    Operator {
        /// Description of the operator's objects.
        what: String,
        /// API group of the custom resource.
        group: String,
        /// True if the objects are in other clusters.
        is_elsewhere: bool,
        /// Kinds of objects between the custom resource and its workloads, as `kubectl get` names them.
        through: &'static [&'static str],
    },
    /// Argo CD, which applies files of this repository as they are.
    Directory {
        /// The files.
        files: Vec<PathBuf>,
        /// The directory, as the object names it.
        path: String,
        /// Reason why no program has to render them.
        why: String,
    },
    /// A Kustomization of Flux whose files are not in this repository, for this reason.
    Foreign(String),
    /// The object cannot be rendered, for this reason.
    Nothing(String),
}

impl Renderer {
    /// Folder build, if any.
    pub(super) fn build(&self) -> Option<&Build> {
        if let Self::Kustomize(build) = self { Some(build) } else { None }
    }
}

/// Last argument of a command that renders an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// Name of the object.
    Name(String),
    /// The YAML text of the object, for a file that contains only this object: these programs read
    /// only one document of a file.
    Object(String),
}

/// A release of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Name of the release.
    pub name: String,
    /// Target namespace.
    pub namespace: Option<String>,
    /// Chart of the release.
    pub chart: Chart,
    /// Values in order; later values override earlier values.
    pub values: Vec<Values>,
    /// True if the object sends the chart's hooks through its post-renderers, in every version of Flux.
    pub patches_hooks: bool,
    /// True if the chart's CRDs are installed.
    pub crds: bool,
    /// Remarks about missing parts of the render.
    pub remarks: Vec<String>,
}

/// Remark about the post-renderers of a release.
pub(super) const OWN_POST_RENDERERS: &str = "its own postRenderers are not part of the render";

impl Release {
    /// True if Flux changes the render by post-renderers that are not by `hostnet patch`.
    pub fn has_own_post_renderers(&self) -> bool {
        self.remarks.iter().any(|remark| remark == OWN_POST_RENDERERS)
    }
}

/// A chart, with the location for `helm template`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Display name of the chart.
    pub name: String,
    /// Chart name in the repository, or a path; empty if the repository's URL is the chart's URL.
    pub chart: String,
    /// URL of the repository; `URL` if it is not in the input.
    pub repository: Option<String>,
    /// Version or version range of the chart.
    pub version: Option<String>,
    /// Digest of the chart's manifest, which overrides the version.
    pub digest: Option<String>,
    /// True for a chart folder whose dependencies have to be fetched before Helm renders it.
    pub has_dependencies: bool,
    /// False for a chart in a Git repository or bucket that is not in the input.
    pub is_found: bool,
}

/// Placeholder for a URL that is not in the input.
pub(super) const UNKNOWN_URL: &str = "URL";

impl Chart {
    /// Chart name and version as written, such as `the chart web 1.2.3`.
    pub fn chart_name_and_version(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        format!("the chart {}{version}", self.short())
    }

    /// Last path segment of the chart name.
    fn short(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// True if the catalogue contains the chart's programs.
    pub fn is_known(&self) -> bool {
        catalog::project_of_chart(self.short()).is_some()
    }

    /// Reason why Helm cannot find the chart: its location is not in the input, or another program fills in a part of
    /// its name, URL, version or digest; `None` for a chart that Helm finds.
    pub fn obstacle(&self) -> Option<String> {
        if !self.is_found || self.repository.as_deref() == Some(UNKNOWN_URL) {
            return Some(format!("the source of {} is not in the input", self.chart_name_and_version()));
        }
        self.variable().map(|(field, text)| format!("the {field} of its chart holds a variable: {text}"))
    }

    /// Part of the chart's location that another program fills in: its description and its text.
    pub fn variable(&self) -> Option<(&'static str, &str)> {
        let (name, url) = (Some(self.chart.as_str()), self.repository.as_deref());
        let parts =
            [("name", name), ("URL", url), ("version", self.version.as_deref()), ("digest", self.digest.as_deref())];
        let mut parts = parts.into_iter().filter_map(|(field, text)| Some((field, text?)));
        parts.find(|(_, text)| holds_placeholder(text))
    }

    /// Arguments for `helm template`: chart reference, and options with values.
    pub fn reference(&self) -> (String, Vec<(&'static str, &str)>) {
        let digest = self.digest.as_deref().map(|digest| format!("@{digest}")).unwrap_or_default();
        let mut options = Vec::new();
        let reference = match self.repository.as_deref() {
            Some(url) if self.chart.is_empty() => format!("{url}{digest}"),
            Some(url) if url.starts_with("oci://") => format!("{}/{}{digest}", url.trim_end_matches('/'), self.chart),
            Some(url) => {
                options.push(("--repo", url));
                self.chart.clone()
            }
            None => self.chart.clone(),
        };
        let version = self.version.as_deref().filter(|_| self.digest.is_none());
        options.extend(version.map(|version| ("--version", version)));
        (reference, options)
    }
}

/// Values of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// Text of a values file, with its origin.
    Text {
        /// Object and field that contain the text.
        from: String,
        /// YAML text.
        text: String,
    },
    /// Values file in the repository.
    File(PathBuf),
    /// A single value: the flag of `helm template`, and `KEY=VALUE`.
    Set(&'static str, String),
    /// Values that are not in the input: from a Secret, or from a file inside the chart.
    Missing {
        /// Object and key of the values.
        what: String,
        /// File name for the values.
        file: String,
        /// Path that the value sets; `None` for a values file.
        path: Option<String>,
    },
}

/// A folder that kustomize builds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Build {
    /// The folder, relative to the working folder.
    pub folder: PathBuf,
    /// True if the folder's kustomization renders charts.
    pub has_charts: bool,
    /// Resources of the kustomization that is generated for the build if the folder has none, or if
    /// the object sets components or fields; empty if the folder is built unchanged.
    pub generated: Vec<PathBuf>,
    /// Components of the generated kustomization.
    pub components: Vec<PathBuf>,
    /// Other fields of the generated kustomization.
    pub fields: Vec<(&'static str, Value)>,
    /// Remarks about missing parts of the build.
    pub remarks: Vec<String>,
}

impl Build {
    /// The folder, and the resources and components of a generated kustomization.
    pub fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.folder].into_iter().chain(&self.generated).chain(&self.components)
    }

    /// True if patches of the object may change pods or the references to their ports, so that the build differs from
    /// the files of the folder.
    pub fn patches_pods(&self) -> bool {
        let patches = self.fields.iter().filter(|(field, _)| *field == "patches").map(|(_, value)| value);
        let mut entries = patches.flat_map(Value::items);
        entries.any(may_patch_pods)
    }
}

/// Kinds with ports of pods, in addition to kinds with pod templates.
const KINDS_WITH_PORTS: [&str; 2] = ["ConfigMap", "Service"];

/// True if a patch may change an object with pods or with their ports: its target, or the patch itself if it has no
/// target, has such a kind, no kind, or a pattern as kind.
fn may_patch_pods(entry: &Value) -> bool {
    let field = |value: &Value, key: &str| match value.get(key) {
        Some(Value::Str(text)) => text.clone(),
        _ => String::new(),
    };
    let kind = match entry.get("target") {
        Some(target) => field(target, "kind"),
        None => {
            let patch = field(entry, "patch");
            let tree = Tree::parse(&patch).ok();
            let kind = tree.as_ref().and_then(|tree| tree.root(0)?.get("kind")).and_then(NodeRef::text);
            kind.unwrap_or_default().to_owned()
        }
    };
    let has_template = || catalog::WORKLOAD_KINDS.iter().any(|row| row.kind == kind);
    let is_pattern = !kind.chars().all(|c| c.is_ascii_alphanumeric());
    kind.is_empty() || is_pattern || KINDS_WITH_PORTS.contains(&kind.as_str()) || has_template()
}
