//! The input with the names that references have at the end of the build.

use std::collections::BTreeMap;

use super::fields::{Field, WrittenNamespace, fields};
use super::identity::{Identity, effective};
use super::index::Index;
use super::resolve::{Meaning, resolve};
use crate::model::{Kinds, Meta, ObjectId};
use krm::{Input, ReadError};
use lossless_yaml::{NodeRef, Op, Path, Place, Value};

/// A reference that no object of the build is sure to be meant by.
#[derive(Debug, Clone)]
pub struct Dangling {
    /// The object that refers.
    pub referrer: ObjectId,
    /// The path of the name.
    pub path: Path,
    /// The name.
    pub name: String,
    /// Kind of the named object.
    pub kind: String,
    /// The objects that had the name.
    pub candidates: Vec<ObjectId>,
}

/// A reference by a former name, in a field that kustomize's own table lacks.
#[derive(Debug, Clone)]
pub struct Former {
    /// The object that refers.
    pub referrer: ObjectId,
    /// The path of the name.
    pub path: Path,
    /// The former name.
    pub name: String,
    /// The object that had it.
    pub target: ObjectId,
}

/// Inputs as they will be read once kustomize has mended their references, and what is odd about these references.
#[derive(Debug, Default)]
pub struct View {
    /// For each input the text with present names; `None` where it is the input itself.
    inputs: Vec<Option<Input>>,
    /// The objects of the build; `None` outside of one.
    index: Option<Index>,
    /// References of which several objects had the name.
    pub dangling: Vec<Dangling>,
    /// References that are mended only if the build has a row of its own for them.
    pub former: Vec<Former>,
}

/// An object with the fields that name others.
struct Referrer {
    identity: Identity,
    fields: Vec<Field>,
    /// Namespaces of the service accounts of a `RoleBinding`.
    accounts: Vec<String>,
}

impl Referrer {
    fn of(node: NodeRef<'_, '_>, kinds: &Kinds<'_>) -> Self {
        let meta = Meta::of(node);
        let identity = Identity::of(&meta);
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
    /// The view of inputs that belong together. Inputs outside of a build are viewed as they are, at the cost of a search for one word.
    ///
    /// # Errors
    ///
    /// An input that cannot be read, or whose references cannot be written.
    pub fn of(inputs: &[Input], kinds: &Kinds<'_>) -> Result<Self, ReadError> {
        let mut view = Self { inputs: inputs.iter().map(|_| None).collect(), ..Self::default() };
        if !inputs.iter().any(|input| input.text().contains("internal.config.kubernetes.io/previousNames")) {
            return Ok(view);
        }
        let (mut identities, mut referring, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        for input in inputs {
            firsts.push(identities.len());
            for Referrer { identity, fields, accounts } in input.objects(|_, node| Referrer::of(node, kinds))? {
                if !fields.is_empty() {
                    referring.push((identities.len(), fields, accounts));
                }
                identities.push(identity);
            }
        }
        let index = Index::of(identities);
        let mut edits = BTreeMap::new();
        for (id, fields, accounts) in &referring {
            let ops = view.mend(&index, *id, fields, accounts);
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

    /// True if kustomize has renamed some object of the inputs.
    #[must_use]
    pub fn is_in_build(&self) -> bool {
        self.index.is_some()
    }

    /// Objects of a kind that had a name in a namespace, where no object of the kind has it now.
    #[must_use]
    pub fn renamed(&self, kind: &str, namespace: &str, name: &str) -> Vec<ObjectId> {
        let Some(index) = &self.index else { return Vec::new() };
        if index.presently(name).any(|(_, object)| object.kind == kind && object.namespace == namespace) {
            return Vec::new();
        }
        let had = |object: &Identity| object.had(kind, namespace, name);
        index.formerly(name).filter(|(_, object)| had(object)).map(|(id, _)| id).collect()
    }

    /// The view of the input at a position; `None` where it is the input itself.
    #[must_use]
    pub fn edited(&self, position: usize) -> Option<&Input> {
        self.inputs.get(position)?.as_ref()
    }

    /// The edits that give an object's references present names.
    fn mend(&mut self, index: &Index, id: usize, fields: &[Field], accounts: &[String]) -> Vec<Op> {
        let Some(referrer) = index.object(id) else { return Vec::new() };
        let accounts: Vec<&str> = accounts.iter().map(String::as_str).collect();
        let mut names: BTreeMap<&Path, String> = BTreeMap::new();
        let mut ops = Vec::new();
        for field in fields {
            // A row reads what the one before it has written.
            let name = names.get(&field.path).unwrap_or(&field.name).clone();
            let (path, kind) = (field.path.clone(), field.kind.clone());
            let now = Field { name: name.clone(), ..field.clone() };
            match resolve(index, referrer, &accounts, &now) {
                Meaning::Stays => {}
                Meaning::Several(candidates) => {
                    self.dangling.push(Dangling { referrer: id, path, name, kind, candidates });
                }
                Meaning::Object(target) => {
                    let Some(object) = index.object(target) else { continue };
                    if field.is_added {
                        self.former.push(Former { referrer: id, path: path.clone(), name, target });
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

/// The edit that writes the object's namespace into the mapping of the reference.
fn namespace(field: &Field, object: &Identity) -> Option<Op> {
    let (parent, namespace) = (field.path.parent()?, object.written.as_deref()?);
    match &field.namespace {
        WrittenNamespace::Missing if !field.is_added => {
            let (key, value) = ("namespace".to_owned(), Value::from(namespace));
            Some(Op::Add { parent, key, value, place: Place::default() })
        }
        WrittenNamespace::Written(written) if written != namespace => {
            Some(Op::Set { path: parent.key("namespace"), value: namespace.into() })
        }
        _ => None,
    }
}
