//! Output forms of patches: a kustomization, or an object of Flux or Argo CD.

use super::ObjectPatch;
use crate::model::Meta;
use lossless_yaml::{Tree, Value};

/// Format of the patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A kustomize component.
    Component,
    /// A kustomization.
    Kustomization,
    /// Flux's Kustomization: `spec.patches`.
    Flux,
    /// Flux's HelmRelease: `spec.postRenderers`.
    HelmRelease,
    /// An Application of Argo CD with one source: `spec.source.kustomize.patches`, since Argo CD v2.9.
    Application,
    /// Flux Operator's `FluxInstance`: `spec.kustomize.patches`.
    FluxInstance,
}

/// First line of every generated file.
pub const MADE_BY: &str = "# Made by `hostnet patch`.";

/// The lines after [`MADE_BY`] in every form.
const HEAD: &str = " \
A test of the old value precedes each change (null: no value may exist). When the patched objects have
# changed, the build fails, and the patches have to be made again.
";

/// Note for forms in which Flux substitutes placeholders.
const PLACEHOLDERS: &str = "\
# The patches hold placeholders, which are filled in where the patched objects are. Where a Flux Kustomization with
# postBuild applies this object, annotate it with kustomize.toolkit.fluxcd.io/substitute: disabled.
";

impl Form {
    /// True if the form can contain new and removed objects.
    pub fn holds_objects(self) -> bool {
        matches!(self, Self::Component | Self::Kustomization)
    }

    fn api_version(self) -> &'static str {
        match self {
            Self::Component => "kustomize.config.k8s.io/v1alpha1",
            Self::Kustomization => "kustomize.config.k8s.io/v1beta1",
            Self::Flux => "kustomize.toolkit.fluxcd.io/v1",
            Self::HelmRelease => "helm.toolkit.fluxcd.io/v2",
            Self::Application => "argoproj.io/v1alpha1",
            Self::FluxInstance => "fluxcd.controlplane.io/v1",
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Component => "Component",
            Self::Kustomization | Self::Flux => "Kustomization",
            Self::HelmRelease => "HelmRelease",
            Self::Application => "Application",
            Self::FluxInstance => "FluxInstance",
        }
    }
}

/// True if `hostnet patch` generated the file.
pub fn is_generated(text: &str) -> bool {
    text.starts_with(MADE_BY)
}

/// True if a kustomization file has patches.
pub fn holds_patches(text: &str) -> bool {
    let tree = Tree::parse(text).ok();
    let patches = tree.as_ref().and_then(|tree| tree.root(0)?.get("patches"));
    patches.is_some_and(|patches| patches.children().next().is_some())
}

/// Writes the patches in a form. `resources` and `removed` apply only to forms that can contain objects.
pub fn text(form: Form, resources: &[String], patches: &[ObjectPatch], removed: &[Meta]) -> String {
    let bodies: Vec<String> = patches.iter().map(ObjectPatch::operations).collect();
    let mut text = format!("{MADE_BY}{HEAD}");
    if !form.holds_objects() && bodies.iter().any(|body| body.contains("${")) {
        text.push_str(PLACEHOLDERS);
    }
    text.push_str(&format!("apiVersion: {}\nkind: {}\n", form.api_version(), form.kind()));
    if !resources.is_empty() {
        let resources = resources.iter().map(|path| Value::from(path.as_str())).collect();
        text.push_str(&lossless_yaml::document(&Value::map([("resources", Value::Seq(resources))])));
    }
    let (head, column) = match form {
        Form::Component | Form::Kustomization => ("", 0),
        Form::Flux => ("spec:\n", 2),
        Form::HelmRelease => ("spec:\n  postRenderers:\n  - kustomize:\n", 6),
        Form::Application => ("spec:\n  source:\n    kustomize:\n", 6),
        Form::FluxInstance => ("spec:\n  kustomize:\n", 4),
    };
    text.push_str(head);
    let indent = " ".repeat(column);
    if patches.is_empty() && removed.is_empty() {
        text.push_str(&format!("{indent}patches: []\n"));
        return text;
    }
    text.push_str(&format!("{indent}patches:\n"));
    for (patch, body) in patches.iter().zip(&bodies) {
        let target = lossless_yaml::document(&patch.target.to_value());
        text.push_str(&format!("{indent}- target:\n"));
        push_lines(&mut text, &target, column + 4);
        push_patch(&mut text, "  ", body, column);
    }
    for meta in removed {
        push_patch(&mut text, "- ", &lossless_yaml::document(&deletion(meta)), column);
    }
    text
}

/// Adds a patch as a block scalar.
fn push_patch(text: &mut String, lead: &str, patch: &str, column: usize) {
    text.push_str(&format!("{}{lead}patch: |\n", " ".repeat(column)));
    push_lines(text, patch, column + 4);
}

/// Adds lines with an indentation.
fn push_lines(text: &mut String, lines: &str, column: usize) {
    for line in lines.lines() {
        if !line.is_empty() {
            text.extend(std::iter::repeat_n(' ', column));
            text.push_str(line);
        }
        text.push('\n');
    }
}

/// Strategic merge patch that removes an object. Without a target, it fails the build if the object is missing.
fn deletion(meta: &Meta) -> Value {
    let namespace = meta.namespace.as_deref().map(|namespace| ("namespace", namespace.into()));
    Value::map([
        ("$patch", "delete".into()),
        ("apiVersion", meta.api_version().into()),
        ("kind", meta.gvk.kind.as_str().into()),
        ("metadata", Value::map([("name", meta.name.as_str().into())].into_iter().chain(namespace))),
    ])
}
