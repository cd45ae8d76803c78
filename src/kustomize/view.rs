//! The input with references as they are at the end of the build.

use std::collections::BTreeMap;

use memchr::memmem;

use super::fields::{Field, WrittenNamespace, fields};
use super::identity::{Identity, effective};
use super::index::Index;
use super::resolve::{ResolvedName, resolve};
use crate::model::{Kinds, Meta, ObjectId, PREVIOUS_NAMES};
use krm::{Input, ReadError};
use lossless_yaml::{KeyPosition, NodeRef, Op, Path, Value};

/// An ambiguous reference.
#[derive(Debug, Clone)]
pub struct AmbiguousReference {
    /// The object that contains the reference.
    pub referrer: ObjectId,
    /// Path of the name.
    pub path: Path,
    /// Name in the reference.
    pub name: String,
    /// Kind of the named object.
    pub kind: String,
    /// Objects with this former name.
    pub candidates: Vec<ObjectId>,
}

/// A reference by a former name, in a field that is not in kustomize's own table.
#[derive(Debug, Clone)]
pub struct FormerNameReference {
    /// The object that contains the reference.
    pub referrer: ObjectId,
    /// Path of the name.
    pub path: Path,
    /// The former name.
    pub name: String,
    /// Object with this former name.
    pub target: ObjectId,
}

/// Inputs with references as kustomize will update them, and unusual references.
#[derive(Debug, Default)]
pub struct View {
    /// Updated text of each input; `None` if it is unchanged.
    inputs: Vec<Option<Input>>,
    /// Objects of the build; `None` outside of a build.
    index: Option<Index>,
    /// Ambiguous references.
    pub dangling: Vec<AmbiguousReference>,
    /// References that are updated only if the build has a row for their field.
    pub former: Vec<FormerNameReference>,
}

/// An object with the fields that contain names.
struct Referrer {
    identity: Identity,
    fields: Vec<Field>,
    /// Namespaces of service accounts in a `RoleBinding`.
    accounts: Vec<String>,
}

impl Referrer {
    fn new(node: NodeRef<'_, '_>, kinds: &Kinds<'_>) -> Self {
        let meta = Meta::read(node);
        let identity = Identity::from_meta(&meta);
        let fields = fields(&meta, identity.first_kind(), node, kinds);
        let subjects = node.get("subjects").filter(|_| meta.gvk.kind == "RoleBinding");
        let accounts = subjects
            .into_iter()
            .flat_map(NodeRef::items)
            .filter(|subject| subject.get("kind").and_then(NodeRef::text) == Some("ServiceAccount"));
        let accounts = accounts.filter_map(|subject| Some(effective(subject.get("namespace")?.text()?).to_owned()));
        Self { identity, fields, accounts: accounts.collect() }
    }
}

impl View {
    /// Creates the view of inputs that belong together. Inputs outside of a build are unchanged, after a quick text
    /// search.
    ///
    /// # Errors
    ///
    /// An input that cannot be read, or whose references cannot be edited.
    pub fn new(inputs: &[Input], kinds: &Kinds<'_>) -> Result<Self, ReadError> {
        let mut view = Self { inputs: inputs.iter().map(|_| None).collect(), ..Self::default() };
        let is_build = |input: &Input| memmem::find(input.text().as_bytes(), PREVIOUS_NAMES.as_bytes()).is_some();
        if !inputs.iter().any(is_build) {
            return Ok(view);
        }
        let (mut identities, mut referring, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        for input in inputs {
            firsts.push(identities.len());
            for Referrer { identity, fields, accounts } in input.objects(|_, node| Referrer::new(node, kinds))? {
                if !fields.is_empty() {
                    referring.push((identities.len(), fields, accounts));
                }
                identities.push(identity);
            }
        }
        let index = Index::new(identities);
        let mut edits = BTreeMap::new();
        for (id, fields, accounts) in &referring {
            let ops = view.replace_former_names(&index, *id, fields, accounts);
            if !ops.is_empty() {
                edits.insert(*id, ops);
            }
        }
        for (position, (input, first)) in inputs.iter().zip(&firsts).enumerate().rev() {
            let own = edits.split_off(first).into_iter().map(|(id, ops)| (id - first, ops)).collect::<BTreeMap<_, _>>();
            if let Some(slot) = view.inputs.get_mut(position).filter(|_| !own.is_empty()) {
                *slot = Some(input.with(own)?);
            }
        }
        view.index = Some(index);
        Ok(view)
    }

    /// True if kustomize renamed an object of the inputs.
    pub fn is_in_build(&self) -> bool {
        self.index.is_some()
    }

    /// Objects of a kind with this former name and namespace, if no object of the kind has it now.
    pub fn renamed(&self, kind: &str, namespace: &str, name: &str) -> Vec<ObjectId> {
        let Some(index) = &self.index else { return Vec::new() };
        if index.with_present_name(name).any(|(_, object)| object.kind == kind && object.namespace == namespace) {
            return Vec::new();
        }
        let had = |object: &Identity| object.had_id(kind, namespace, name);
        index.with_former_name(name).filter(|(_, object)| had(object)).map(|(id, _)| id).collect()
    }

    /// View of an input; `None` if it is unchanged.
    pub fn edited(&self, position: usize) -> Option<&Input> {
        self.inputs.get(position)?.as_ref()
    }

    /// Edits that replace former names in an object's references by the current names.
    fn replace_former_names(&mut self, index: &Index, id: usize, fields: &[Field], accounts: &[String]) -> Vec<Op> {
        let Some(referrer) = index.object(id) else { return Vec::new() };
        let accounts: Vec<&str> = accounts.iter().map(String::as_str).collect();
        let mut names: BTreeMap<&Path, String> = BTreeMap::new();
        let mut ops = Vec::new();
        for field in fields {
            // A row reads the name written by the previous row.
            let name = names.get(&field.path).unwrap_or(&field.name).clone();
            let (path, kind) = (field.path.clone(), field.kind.clone());
            let mut now = Field { name: name.clone(), ..field.clone() };
            let mut meaning = resolve(index, referrer, &accounts, &now);
            if meaning == ResolvedName::Unmatched {
                now.is_added = true;
                meaning = resolve(index, referrer, &accounts, &now);
            }
            match meaning {
                ResolvedName::Stays | ResolvedName::Unmatched => {}
                ResolvedName::Several(candidates) => {
                    self.dangling.push(AmbiguousReference { referrer: id, path, name, kind, candidates });
                }
                ResolvedName::Object(target) => {
                    let Some(object) = index.object(target) else { continue };
                    if now.is_added {
                        self.former.push(FormerNameReference { referrer: id, path: path.clone(), name, target });
                    }
                    if object.name != now.name {
                        ops.retain(|op: &Op| op.path() != &path);
                        ops.push(Op::Set { path, value: object.name.as_str().into() });
                    }
                    ops.extend(namespace(field, object));
                    names.insert(&field.path, object.name.clone());
                }
            }
        }
        ops
    }
}

/// Edit that writes the object's namespace into a reference.
fn namespace(field: &Field, object: &Identity) -> Option<Op> {
    let (parent, namespace) = (field.path.parent()?, object.written.as_deref()?);
    match &field.namespace {
        WrittenNamespace::Missing if !field.is_added => {
            let (key, value) = ("namespace".to_owned(), Value::from(namespace));
            Some(Op::Add { parent, key, value, place: KeyPosition::default() })
        }
        WrittenNamespace::Written(written) if written != namespace => {
            Some(Op::Set { path: parent.key("namespace"), value: namespace.into() })
        }
        _ => None,
    }
}
