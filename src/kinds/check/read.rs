//! Loads the objects of all inputs with the data that rules need. Unreadable documents are recorded and skipped.

use std::sync::Arc;

use crate::api::HostNetworkSpec;
use crate::check::CheckFacts;
use crate::kinds::load::{kinds, source};
use crate::kustomize::View;
use crate::model::{Model, Object, ObjectId};
use crate::render::Source;
use krm::{DuplicateKey, Input, ReadError};

use crate::kinds::places::file;
use crate::kinds::readable::read_documents;

/// Objects of all inputs.
#[derive(Default)]
pub(super) struct CheckedModel {
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

impl CheckedModel {
    /// Reads the objects of all inputs, with the facts that rules need; blanks out unreadable documents in the inputs.
    pub(super) fn load(inputs: &mut [Input], unread: Vec<ReadError>, config: Option<&HostNetworkSpec>) -> Self {
        let kinds = kinds(config);
        let errors = unread.into_iter().map(|error| (Some(error.place.clone()), error)).collect();
        // Unreadable documents are reported below.
        let view = View::new(inputs, &kinds).unwrap_or_default();
        let mut loaded = Self { view, errors, ..Self::default() };
        let mut objects = Vec::new();
        for (index, input) in inputs.iter_mut().enumerate() {
            loaded.firsts.push(objects.len());
            let (found, errors) = read_documents(input, |input| {
                loaded.view.edited(index).unwrap_or(input).objects(|place, node| {
                    let object = Object::read(node, &kinds, |_| Some(&[]));
                    let facts = CheckFacts::read(&object.meta, node, object.templates());
                    let source = source(&object.meta, input, place.document - 1);
                    (object, facts, source, place.duplicate_keys(node))
                })
            });
            let file = file(input);
            loaded.errors.extend(errors.into_iter().map(|error| (file.clone(), error)));
            for (object, facts, source, duplicates) in found.unwrap_or_default() {
                let id = objects.len();
                loaded.duplicates.extend(duplicates.into_iter().map(|duplicate| (id, duplicate)));
                loaded.sources.extend(source.map(|source| (id, Arc::new(source))));
                loaded.facts.push(facts);
                loaded.inputs.push(index);
                objects.push(object);
            }
        }
        loaded.model = Model::new(objects);
        loaded
    }

    /// Source file of an object according to the function host.
    pub(super) fn source(&self, id: ObjectId) -> Option<Arc<Source>> {
        let index = self.sources.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        self.sources.get(index).map(|(_, source)| Arc::clone(source))
    }
}
