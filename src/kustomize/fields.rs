//! Fields of an object that contain names of other objects.

use crate::catalog::{self, NameReference};
use crate::model::{Kinds, Meta};
use lossless_yaml::{NodeRef, Path, Pattern};

/// Namespace next to a name in a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrittenNamespace {
    /// The field is a string: the named object may only be in the referrer's namespace.
    Scalar,
    /// The field is a mapping without `namespace`.
    Missing,
    /// The field is a mapping with this `namespace`.
    Written(String),
}

/// A field that contains another object's name.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Path of the name.
    pub(super) path: Path,
    /// Name as written.
    pub(super) name: String,
    pub(super) namespace: WrittenNamespace,
    /// Kind of the named object.
    pub(super) kind: String,
    /// `kind` of a `roleRef`.
    pub(super) role: Option<String>,
    /// True if the field is not in kustomize's own table.
    pub(super) is_added: bool,
    /// True if namespaces are not compared.
    pub(super) is_global: bool,
}

/// A row of the table, prepared for one kind.
struct NameField<'r> {
    to: &'r str,
    to_default: &'r str,
    is_added: bool,
    is_global: bool,
}

impl NameField<'static> {
    fn new(row: &NameReference) -> Self {
        Self { to: row.to, to_default: row.to_default, is_added: row.added, is_global: row.global }
    }
}

/// Name fields of an object whose original kind was `first_kind`, in kustomize's order.
pub(super) fn fields(meta: &Meta, first_kind: &str, node: NodeRef<'_, '_>, kinds: &Kinds<'_>) -> Vec<Field> {
    let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
    let mut found = Finder { object: node, fields: Vec::new() };
    let templates: Vec<Path> = kinds.template_paths(meta, node);
    for row in catalog::NAME_REFERENCES {
        let is_of = row.is_of(group, first_kind);
        if is_of {
            for at in row.at {
                found.pattern(at, row.key, &NameField::new(row));
            }
        }
        if !row.pods.is_empty() {
            let known = standard_template(kind).filter(|_| is_of);
            for template in &templates {
                let is_known = known.as_ref().is_some_and(|known| known.is_same_place(template));
                found.pod(template, row.pods, &NameField { is_added: !is_known, ..NameField::new(row) });
            }
        }
    }
    let added = |to| NameField { to, to_default: "", is_added: true, is_global: false };
    for row in kinds.references_of(group, kind) {
        let Some(pods) = &row.pods else { continue };
        pods.service.iter().for_each(|at| found.pattern(at, "", &added("Service")));
        pods.target.iter().for_each(|at| found.pattern(at, "", &added("")));
        if let Some(at) = &pods.namespaces {
            found.pattern(&format!("{at}[]"), "", &added("Namespace"));
            found.pattern(&format!("{at}.matchNames[]"), "", &added("Namespace"));
        }
    }
    let instead = catalog::WORKLOAD_KINDS.iter().filter(|row| row.group == group && row.kind == kind);
    instead.filter_map(|row| row.workload_ref).for_each(|at| found.pattern(at, "", &added("")));
    found.fields
}

/// Pod template path that kustomize's table uses for a kind, regardless of the group.
fn standard_template(kind: &str) -> Option<Path> {
    let row = catalog::WORKLOAD_KINDS.iter().find(|row| row.kind == kind && ["", "apps", "batch"].contains(&row.group));
    row.and_then(|row| Pattern::new(row.path).to_path())
}

struct Finder<'t, 's> {
    object: NodeRef<'t, 's>,
    fields: Vec<Field>,
}

impl<'t, 's> Finder<'t, 's> {
    /// Adds the fields that match a pattern and hold names.
    fn pattern(&mut self, at: &str, key: &'static str, row: &NameField<'_>) {
        for found in Pattern::new(at).find(self.object) {
            match key {
                "" => self.node(&found.path, found.node, row),
                key => {
                    if let Some(node) = found.node.get(key) {
                        self.node(&found.path.key(key), node, row);
                    }
                }
            }
        }
    }

    /// Adds the name fields of a pod template.
    fn pod(&mut self, template: &Path, pods: &[&str], row: &NameField<'_>) {
        let spec = template.key("spec");
        let Some(node) = self.object.lookup(&spec) else { return };
        for at in pods {
            for found in Pattern::new(at).find(node) {
                self.node(&spec.join(&found.path), found.node, row);
            }
        }
    }

    /// Adds the names at a node.
    fn node(&mut self, path: &Path, node: NodeRef<'t, 's>, row: &NameField<'_>) {
        if node.is_sequence() {
            for (index, item) in node.items().enumerate().filter(|(_, item)| !item.is_sequence()) {
                self.node(&path.item(index), item, row);
            }
            return;
        }
        let text = |key: &str| node.get(key).and_then(NodeRef::non_null_text);
        let (path, name, namespace) = if node.is_mapping() {
            let namespace = text("namespace")
                .map_or(WrittenNamespace::Missing, |written| WrittenNamespace::Written(written.to_owned()));
            (path.key("name"), text("name"), namespace)
        } else {
            (path.clone(), node.non_null_text(), WrittenNamespace::Scalar)
        };
        let kind = if row.to.is_empty() { text("kind").unwrap_or(row.to_default) } else { row.to };
        let Some(name) = name.filter(|name| !name.is_empty() && !kind.is_empty()) else { return };
        let role_ref = Path::dotted("roleRef.name").is_same_place(&path);
        let role = self.object.get("roleRef").filter(|_| role_ref).and_then(|role| role.get("kind")?.text());
        self.fields.push(Field {
            path,
            name: name.to_owned(),
            namespace,
            kind: kind.to_owned(),
            role: role.map(str::to_owned),
            is_added: row.is_added,
            is_global: row.is_global,
        });
    }
}
