//! Workloads: the pod templates of an object, and their paths in each kind.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::catalog::WorkloadKind;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use lossless_yaml::{NodeRef, Path, Pattern, Step};

/// Row for a kind with pod templates and the path of the templates; a kind with several paths has several rows.
#[derive(Debug, Clone)]
pub struct TemplateKind<'c> {
    /// API group, empty for the core group.
    group: &'c str,
    /// Kind of the objects.
    kind: &'c str,
    /// Versions with templates at the path; empty for all versions.
    versions: Vec<&'c str>,
    /// Path of the templates, with `[]` for each element of a list; empty for the root of the object.
    path: &'c str,
    /// Path of a reference to a workload whose template the object uses.
    workload_ref: Option<&'c str>,
    /// Parsed paths, computed on first use: most inputs have objects of few kinds.
    parsed: OnceLock<Parsed>,
}

/// Paths of a row.
#[derive(Debug, Clone)]
struct Parsed {
    pattern: Pattern,
    /// Path of the template if the pattern has no lists; shared by all objects.
    plain: Option<Path>,
    workload_ref: Option<Path>,
}

impl<'c> TemplateKind<'c> {
    /// Creates a row for templates at a path, with `[]` for each element of a list. An empty path is the root of the
    /// object.
    pub fn new(group: &'c str, kind: &'c str, path: &'c str) -> Self {
        Self { group, kind, versions: Vec::new(), path, workload_ref: None, parsed: OnceLock::new() }
    }

    /// Limits the row to these versions of the kind.
    pub fn with_versions(self, versions: impl IntoIterator<Item = &'c str>) -> Self {
        Self { versions: versions.into_iter().collect(), ..self }
    }

    /// True if the row applies to this kind, in any version.
    pub(super) fn is_named(&self, group: &str, kind: &str) -> bool {
        self.kind == kind && self.group == group
    }

    /// True if the row applies to the object's kind and version.
    pub(super) fn is_of(&self, meta: &Meta) -> bool {
        let gvk = &meta.gvk;
        self.is_named(&gvk.group, &gvk.kind)
            && (self.versions.is_empty() || self.versions.contains(&gvk.version.as_str()))
    }

    /// The parsed paths of the row, created at first use.
    fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| {
            let pattern = Pattern::new(self.path);
            Parsed { plain: pattern.to_path(), pattern, workload_ref: self.workload_ref.map(Path::dotted) }
        })
    }

    /// Pattern of the paths of the templates.
    pub(super) fn pattern(&self) -> &Pattern {
        &self.parsed().pattern
    }

    /// True if an object has at most one template at the path.
    pub(super) fn is_plain(&self) -> bool {
        self.parsed().plain.is_some()
    }

    /// Path of a reference to a workload whose template the object uses.
    pub(super) fn workload_ref(&self) -> Option<&Path> {
        self.parsed().workload_ref.as_ref()
    }

    /// Paths of the pod templates of an object.
    pub(super) fn paths(&self, object: NodeRef<'_, '_>) -> Vec<Path> {
        match &self.parsed().plain {
            Some(path) => vec![path.clone()],
            None => self.pattern().find(object).map(|found| with_item_names(object, &found.path)).collect(),
        }
    }
}

impl From<&'static WorkloadKind> for TemplateKind<'_> {
    fn from(row: &'static WorkloadKind) -> Self {
        let new = Self::new(row.group, row.kind, row.path).with_versions(row.versions.iter().copied());
        Self { workload_ref: row.workload_ref, ..new }
    }
}

/// Pod templates of an object.
#[derive(Debug)]
pub(in crate::model) enum Templates {
    /// The kind has no pod templates.
    NotOne,
    /// Templates in the object, in the order of the rows and of their lists.
    Own(Vec<PodTemplate>),
    /// No template in the object; it uses the template of this workload.
    Of(Box<str>),
}

/// Label of the workload that a reference names: `Deployment web`.
pub(in crate::model) fn referenced_workload_label(object: NodeRef<'_, '_>, path: &Path) -> Option<Box<str>> {
    let reference = object.lookup(path).filter(|reference| reference.is_mapping())?;
    let text = |key: &str| reference.get(key).and_then(NodeRef::non_null_text);
    Some(format!("{} {}", text("kind")?, text("name")?).into())
}

/// Replaces list positions in a path with the names of the list elements.
fn with_item_names(object: NodeRef<'_, '_>, path: &Path) -> Path {
    let (mut named, mut node) = (Path::root(), Some(object));
    for step in path.steps() {
        match step {
            Step::Key(key) => {
                node = node.and_then(|node| node.get(key));
                named = named.key(key.clone());
            }
            Step::Item { index, .. } => {
                node = node.and_then(|node| node.items().nth(*index));
                named =
                    named.named_item(*index, node.and_then(|node| node.get("name")).and_then(NodeRef::non_null_text));
            }
        }
    }
    named
}

/// Gives each template of an object a unique name.
pub(in crate::model) fn name_all(templates: &mut [PodTemplate]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for template in templates.iter() {
        *counts.entry(word(&template.path)).or_default() += 1;
    }
    let has_siblings = templates.len() > 1;
    for template in templates {
        let word = word(&template.path);
        let name = if counts.get(&word) == Some(&1) { word } else { template.path.to_string() };
        template.name = Some(name.into());
        template.has_siblings = has_siblings;
    }
}

/// Name that distinguishes a template from other templates of the object: the names of the enclosing list elements,
/// else the last key of the path except `template` and `spec`.
fn word(path: &Path) -> String {
    let steps = path.steps();
    let mut elements: Vec<String> = Vec::new();
    let mut list = "";
    for step in &steps {
        match step {
            Step::Key(key) => list = key,
            Step::Item { name: Some(name), .. } => elements.push(name.to_string()),
            Step::Item { index, name: None } => elements.push(format!("{list}-{index}")),
        }
    }
    if !elements.is_empty() {
        return elements.join(".");
    }
    let keys = steps.into_iter().rev().filter_map(|step| match step {
        Step::Key(key) => Some(key.to_string()),
        Step::Item { .. } => None,
    });
    let mut keys = keys.filter(|key| !matches!(key.as_str(), "template" | "spec"));
    keys.next().unwrap_or_else(|| path.to_string())
}
