//! Loads the objects of all inputs with the data that rules need. Unreadable documents are recorded and skipped.

use std::sync::Arc;

use crate::api::HostNetworkSpec;
use crate::check::CheckFacts;
use crate::kinds::load::{kinds, source};
use crate::kustomize::View;
use crate::model::{Kinds, Model, Object, ObjectId};
use crate::render::Source;
use krm::{DuplicateKey, Input, ReadError};

use crate::kinds::places::file;
use crate::kinds::readable::read_documents;

/// Objects of all inputs.
pub(super) struct Loaded {
    pub(super) model: Model,
    /// Data of each object that the model does not keep.
    pub(super) facts: Vec<CheckFacts>,
    /// Index of each object's input.
    pub(super) inputs: Vec<usize>,
    /// Index of each input's first object.
    pub(super) firsts: Vec<usize>,
    pub(super) duplicates: Vec<(ObjectId, DuplicateKey)>,
    /// Source files of objects according to function hosts.
    sources: Vec<(ObjectId, Arc<Source>)>,
    /// Maps names in references to the names that the objects have at the end of a kustomize build.
    pub(super) view: View,
    /// Read errors with their files.
    pub(super) errors: Vec<(Option<String>, ReadError)>,
}

/// An object, with facts collected while reading it.
struct LoadedObject {
    object: Object,
    facts: CheckFacts,
    source: Option<Source>,
    duplicates: Vec<DuplicateKey>,
}

impl Loaded {
    /// Reads the objects of all inputs, with the facts that rules need.
    pub(super) fn load(inputs: &mut [Input], unread: Vec<ReadError>, config: Option<&HostNetworkSpec>) -> Self {
        let kinds = kinds(config);
        let mut objects = Vec::new();
        let mut loaded = Self {
            model: Model::default(),
            facts: Vec::new(),
            inputs: Vec::new(),
            firsts: Vec::new(),
            duplicates: Vec::new(),
            sources: Vec::new(),
            // Unreadable documents are reported below.
            view: View::new(inputs, &kinds).unwrap_or_default(),
            errors: unread.into_iter().map(|error| (Some(error.place.clone()), error)).collect(),
        };
        let view = std::mem::take(&mut loaded.view);
        for (index, input) in inputs.iter_mut().enumerate() {
            loaded.firsts.push(objects.len());
            for seen in loaded.read(input, view.edited(index), &kinds) {
                let id = objects.len();
                loaded.duplicates.extend(seen.duplicates.into_iter().map(|duplicate| (id, duplicate)));
                loaded.sources.extend(seen.source.map(|source| (id, Arc::new(source))));
                loaded.facts.push(seen.facts);
                loaded.inputs.push(index);
                objects.push(seen.object);
            }
        }
        loaded.view = view;
        loaded.model = Model::new(objects);
        loaded
    }

    /// Reads the objects of an input; blanks out unreadable documents in it.
    fn read(&mut self, input: &mut Input, view: Option<&Input>, kinds: &Kinds<'_>) -> Vec<LoadedObject> {
        let (found, errors) = read_documents(input, |input| {
            let look = |place: krm::ObjectPlace<'_>, node: lossless_yaml::NodeRef<'_, '_>| {
                let object = Object::read(node, kinds, |_| Some(&[]));
                let facts = CheckFacts::read(&object.meta, node, object.templates());
                let source = source(&object.meta, input, place.document - 1);
                LoadedObject { object, facts, source, duplicates: place.duplicate_keys(node) }
            };
            view.unwrap_or(input).objects(look)
        });
        let file = file(input);
        self.errors.extend(errors.into_iter().map(|error| (file.clone(), error)));
        found.unwrap_or_default()
    }

    /// Source file of an object according to the function host.
    pub(super) fn source(&self, id: ObjectId) -> Option<Arc<Source>> {
        let index = self.sources.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        self.sources.get(index).map(|(_, source)| Arc::clone(source))
    }
}
