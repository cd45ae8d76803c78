//! The objects of all inputs, with what the rules need of them. What cannot be read is noted, and the rest is read.

use std::sync::Arc;

use crate::api::HostNetworkSpec;
use crate::check::Facts;
use crate::kinds::load::{kinds, source};
use crate::kustomize::View;
use crate::model::{Kinds, Model, Object, ObjectId};
use crate::render::Source;
use krm::{DuplicateKey, Form, Input, ReadError};

use super::places::file;

/// The most documents of one input that are left out because they cannot be read.
const MOST: usize = 20;

/// What was read.
pub(super) struct Loaded {
    pub(super) model: Model,
    /// Of each object what the model does not keep.
    pub(super) facts: Vec<Facts>,
    /// The input of each object.
    pub(super) inputs: Vec<usize>,
    /// The position of each input's first object.
    pub(super) firsts: Vec<usize>,
    pub(super) duplicates: Vec<(ObjectId, DuplicateKey)>,
    /// The files that hosts say objects are from, by the objects.
    sources: Vec<(ObjectId, Arc<Source>)>,
    /// The names that references have at the end of a kustomize build.
    pub(super) view: View,
    /// What cannot be read, with its file.
    pub(super) errors: Vec<(Option<String>, ReadError)>,
}

/// An object, and what was noticed while it was read.
struct LoadedObject {
    object: Object,
    facts: Facts,
    source: Option<Source>,
    duplicates: Vec<DuplicateKey>,
}

impl Loaded {
    pub(super) fn of(inputs: &mut [Input], unread: Vec<ReadError>, config: Option<&HostNetworkSpec>) -> Self {
        let kinds = kinds(config);
        let mut objects = Vec::new();
        let mut loaded = Self {
            model: Model::default(),
            facts: Vec::new(),
            inputs: Vec::new(),
            firsts: Vec::new(),
            duplicates: Vec::new(),
            sources: Vec::new(),
            // Documents that cannot be read are reported below.
            view: View::of(inputs, &kinds).unwrap_or_default(),
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

    /// The objects of an input; documents that cannot be read become blank in it.
    fn read(&mut self, input: &mut Input, view: Option<&Input>, kinds: &Kinds<'_>) -> Vec<LoadedObject> {
        for _ in 0..MOST {
            let look = |place: krm::Place<'_>, node: lossless_yaml::NodeRef<'_, '_>| {
                let object = Object::of(node, kinds, |_| Some(&[]));
                let facts = Facts::of(&object.meta, node, object.templates());
                let source = source(&object.meta, input, place.document - 1);
                LoadedObject { object, facts, source, duplicates: place.duplicate_keys(node) }
            };
            let error = match view.unwrap_or(input).objects(look) {
                Ok(seen) => return seen,
                Err(error) => error,
            };
            let rest = without(input, &error);
            self.errors.push((file(input), error));
            match rest {
                Some(rest) => *input = rest,
                None => break,
            }
        }
        Vec::new()
    }

    /// The file that a host says an object is from.
    pub(super) fn source(&self, id: ObjectId) -> Option<Arc<Source>> {
        let index = self.sources.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        self.sources.get(index).map(|(_, source)| Arc::clone(source))
    }
}

/// The input with blanks in place of the document that holds an error; none when there is no other.
fn without(input: &Input, error: &ReadError) -> Option<Input> {
    let (line, _) = error.position?;
    if input.form() != Form::Stream || input.is_json() {
        return None;
    }
    let starts = |text: &str| text == "---" || text.starts_with("--- ") || text.starts_with("---\t");
    let lines: Vec<&str> = input.text().split_inclusive('\n').collect();
    let is_start = |line: &&str| starts(line.trim_end_matches(['\n', '\r']));
    let first = lines.get(..line)?.iter().rposition(is_start).unwrap_or_default();
    let end = lines.get(line..)?.iter().position(is_start).map_or(lines.len(), |after| line + after);
    let blank = |(index, text): (usize, &&str)| {
        let is_blank = (first..end).contains(&index) && !(index == first && is_start(text));
        if is_blank { "\n".to_owned() } else { (*text).to_owned() }
    };
    let text: String = lines.iter().enumerate().map(blank).collect();
    let rest = Input::read(input.origin().clone(), text.into_bytes()).ok()?;
    (rest.text() != input.text()).then_some(rest)
}
