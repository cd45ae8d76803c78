//! Patches of kustomizations and of Flux's Kustomizations that change objects which other programs render.

use std::fs;
use std::path::Path;
use std::slice::from_ref;
use std::sync::Arc;

use super::names::{PATCH_COMMENT_PREFIX, group_and_kind, text};
use crate::api::Select;
use crate::model::Meta;
use crate::plan::Matcher;
use lossless_yaml::{NodeRef, Tree, Value};

/// A patch, and the objects that it changes.
#[derive(Debug)]
pub(super) struct Patch {
    target: Matcher,
    /// The target without its namespace.
    anywhere: Matcher,
    /// Objects of the target that the patch leaves out.
    rejected: Vec<Matcher>,
    content: Content,
    /// Display name of the file or object that has the patch.
    pub(super) by: String,
}

/// Content of a patch.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    /// A part of the object, merged into it.
    Merge(Value),
    /// Operations of JSON6902.
    Operations(Vec<Operation>),
}

/// An operation of JSON6902.
#[derive(Debug, PartialEq, Eq)]
struct Operation {
    is_test: bool,
    is_addition: bool,
    /// Keys and indices of the pointer.
    path: Vec<String>,
    value: Option<Value>,
}

impl Patch {
    /// Reads an entry of `patches` or `patchesJson6902`, without the patches of `hostnet patch`. `folder` is the folder
    /// of the kustomization.
    pub(super) fn entry(entry: NodeRef<'_, '_>, folder: Option<&Path>, by: &str) -> Vec<Arc<Self>> {
        let inline = text(entry, "patch").map(str::to_owned);
        let of_file = || fs::read_to_string(folder?.join(text(entry, "path")?)).ok();
        let Some(written) = inline.or_else(of_file).filter(|written| !written.starts_with(PATCH_COMMENT_PREFIX)) else {
            return Vec::new();
        };
        Self::documents(&written, entry.get("target"), by)
    }

    /// Reads an entry of `patchesStrategicMerge`: a file, or its text.
    pub(super) fn strategic(entry: &str, folder: &Path, by: &str) -> Vec<Arc<Self>> {
        let written = fs::read_to_string(folder.join(entry)).unwrap_or_else(|_| entry.to_owned());
        Self::documents(&written, None, by)
    }

    /// Reads the patches of a text, without patches that kustomize would reject.
    fn documents(written: &str, target: Option<NodeRef<'_, '_>>, by: &str) -> Vec<Arc<Self>> {
        let Ok(tree) = Tree::parse(written) else { return Vec::new() };
        let patch = |root: NodeRef<'_, '_>| {
            let content = Content::read(root)?;
            let select = target.map_or_else(|| identity(root), |target| Some(select(target)))?;
            Self::new(select, &[], content, by)
        };
        tree.roots().filter_map(patch).collect()
    }

    fn new(select: Select, rejected: &[Select], content: Content, by: &str) -> Option<Arc<Self>> {
        let target = Matcher::compile(&select).ok()?;
        let anywhere = Matcher::compile(&Select { namespace: None, ..select }).ok()?;
        let rejected = rejected.iter().map(Matcher::compile).collect::<Result<_, _>>().ok()?;
        Some(Arc::new(Self { target, anywhere, rejected, content, by: by.to_owned() }))
    }

    /// Patch that gives a value to the field at a path, in the objects of `select` without the objects of `rejected`.
    pub(super) fn for_value(
        select: &Select,
        rejected: &[Select],
        (path, value): (Vec<String>, Option<Value>),
        by: &str,
    ) -> Option<Arc<Self>> {
        let operation = Operation { is_test: false, is_addition: false, path, value };
        Self::new(select.clone(), rejected, Content::Operations(vec![operation]), by)
    }

    /// True if the patch changes an object with one of these identities: kustomize compares former names too.
    pub(super) fn matches(&self, identities: &[Meta]) -> bool {
        identities.iter().any(|meta| self.target.matches(meta)) && !self.rejects(identities)
    }

    /// Like [`Patch::matches`], for objects whose namespace at the time of the patch is unknown.
    pub(super) fn matches_anywhere(&self, identities: &[Meta]) -> bool {
        identities.iter().any(|meta| self.anywhere.matches(meta)) && !self.rejects(identities)
    }

    /// True if the patch excludes an object.
    fn rejects(&self, identities: &[Meta]) -> bool {
        self.rejected.iter().any(|rejected| identities.iter().any(|meta| rejected.matches(meta)))
    }

    /// Name that an operation gives to the object.
    pub(super) fn new_name(&self) -> Option<&str> {
        let Content::Operations(all) = &self.content else { return None };
        let given = all.iter().find(|one| !one.is_test && one.path == ["metadata", "name"])?;
        if let Some(Value::Str(name)) = &given.value { Some(name) } else { None }
    }

    /// True if both patches have the same content.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.content == other.content
    }

    /// True if the patch takes the whole object out of the build.
    pub(super) fn is_removal(&self) -> bool {
        matches!(&self.content, Content::Merge(value) if value.get("$patch") == Some(&"delete".into()))
    }

    /// True if the patch changes a field, a part of the field, or a structure that contains the
    /// field.
    pub(super) fn changes(&self, field: &[&str]) -> bool {
        self.changes_by(field, |_| true)
    }

    /// True if the patch changes a field by an operation that `counts` accepts.
    fn changes_by(&self, field: &[&str], counts: impl Fn(&Operation) -> bool) -> bool {
        match &self.content {
            Content::Merge(value) => lookup(value, field).is_some(),
            Content::Operations(all) => {
                let overlaps = |path: &[String]| path.iter().zip(field).all(|(key, field)| key == field);
                all.iter().any(|one| !one.is_test && overlaps(&one.path) && counts(one))
            }
        }
    }

    /// True if the patch removes existing elements of a list: kustomize has no schema of custom
    /// resources, and replaces their lists.
    pub(super) fn replaces(&self, list: &[&str]) -> bool {
        let is_element = |one: &Operation| one.is_addition && one.path.len() > list.len();
        self.changes_by(list, |one| !is_element(one))
    }

    /// Paths of the fields that the patch changes.
    pub(super) fn paths(&self) -> Vec<Vec<Option<String>>> {
        match &self.content {
            Content::Merge(value) => scalar_paths(value),
            Content::Operations(all) => {
                let changes = all.iter().filter(|one| !one.is_test);
                changes.map(|one| one.path.iter().map(|key| (key != "-").then(|| key.clone())).collect()).collect()
            }
        }
    }

    /// Value that the patch merges into a field, or that the last of its operations gives to the field.
    pub(super) fn value(&self, field: &[&str]) -> Option<&Value> {
        match &self.content {
            Content::Merge(value) => lookup(value, field),
            Content::Operations(all) => {
                let given = |one: &Operation| one.path.iter().map(String::as_str).eq(field.iter().copied());
                all.iter().rev().find(|one| !one.is_test && given(one)).and_then(|one| one.value.as_ref())
            }
        }
    }

    /// Text that the patch gives to a field; `None` for an unknown text, and for a text with a variable that Flux fills
    /// in.
    pub(super) fn text(&self, field: &[&str]) -> Option<&str> {
        match self.value(field)? {
            Value::Str(text) if !text.is_empty() && !text.contains("${") => Some(text),
            _ => None,
        }
    }

    /// Elements that the patch gives to a list, each as YAML.
    pub(super) fn elements(&self, list: &[&str]) -> Vec<&Value> {
        match &self.content {
            Content::Merge(value) => lookup(value, list).into_iter().flat_map(Value::items).collect(),
            Content::Operations(all) => {
                let given = |one: &&Operation| {
                    one.path.len() >= list.len() && one.path.iter().zip(list).all(|(key, field)| key == field)
                };
                let all = all.iter().filter(given).filter_map(|one| Some((one.path.len(), one.value.as_ref()?)));
                all.flat_map(|(length, value)| if length == list.len() { value.items() } else { from_ref(value) })
                    .collect()
            }
        }
    }
}

/// Paths of the scalars of a patch that is merged, without the fields that name its object; `None` for elements of
/// lists.
fn scalar_paths(patch: &Value) -> Vec<Vec<Option<String>>> {
    let (mut found, mut open) = (Vec::new(), vec![(Vec::new(), patch)]);
    while let Some((path, value)) = open.pop() {
        let below = |key: Option<&String>| path.iter().cloned().chain([key.cloned()]).collect::<Vec<_>>();
        match value {
            Value::Map(entries) if !entries.is_empty() => {
                open.extend(entries.iter().map(|(key, value)| (below(Some(key)), value)));
            }
            Value::Seq(items) if !items.is_empty() => open.extend(items.iter().map(|item| (below(None), item))),
            _ => found.push(path),
        }
    }
    let is_identity = |path: &Vec<Option<String>>| {
        let keys: Vec<&str> = path.iter().flatten().map(String::as_str).collect();
        matches!(keys.as_slice(), ["apiVersion" | "kind"] | ["metadata", "name" | "namespace"])
    };
    found.retain(|path| !is_identity(path));
    found
}

impl Content {
    fn read(root: NodeRef<'_, '_>) -> Option<Self> {
        if root.is_mapping() {
            return root.to_value().map(Self::Merge);
        }
        let operation = |item: NodeRef<'_, '_>| {
            let op = text(item, "op")?;
            Some(Operation {
                is_test: op == "test",
                is_addition: op == "add",
                path: text(item, "path").unwrap_or_default().split('/').skip(1).map(unescaped).collect(),
                value: item.get("value").and_then(NodeRef::to_value),
            })
        };
        let all: Vec<Operation> = root.items().filter_map(operation).collect();
        (!all.is_empty()).then_some(Self::Operations(all))
    }
}

/// Decodes a key of a JSON pointer (RFC 6901).
pub fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

/// Value at a path of keys.
fn lookup<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// The `target` of a patch.
pub(super) fn select(target: NodeRef<'_, '_>) -> Select {
    let field = |key: &str| text(target, key).map(str::to_owned);
    Select {
        group: field("group"),
        version: field("version"),
        kind: field("kind"),
        name: field("name"),
        namespace: field("namespace"),
        label_selector: field("labelSelector"),
        annotation_selector: field("annotationSelector"),
        called_by_api_server: None,
    }
}

/// Selects the object that a patch without `target` names.
pub(super) fn identity(root: NodeRef<'_, '_>) -> Option<Select> {
    let (group, kind) = group_and_kind(root)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let word = |text: &str| Some(if text.chars().all(is_word) { text.to_owned() } else { regex::escape(text) });
    Some(Select { group: word(group), kind: word(kind), name: word(text(root, "metadata.name")?), ..Select::default() })
}
