//! What a config that changes objects is: it plans, and nothing is written yet.

use std::collections::BTreeMap;

use crate::api::{ConfigError, FailOn};
use crate::model::{Meta, ObjectId};
use crate::plan::Plan;
use crate::render::{FilePlace, Objects, Source};
use krm::{Form, Input, ReadError};
use lossless_yaml::Path;

/// What a config makes of inputs that belong together, before anything is written.
#[derive(Debug)]
pub struct Planned<'i> {
    /// What changes, and what is said.
    pub(super) plan: Plan,
    /// The identities of the objects.
    pub(super) read: ObjectIndex<'i>,
}

/// A config that changes objects.
pub trait Function {
    /// Decides what changes in inputs that belong together.
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError>;

    /// The severity from which on a run fails.
    fn fail_on(&self) -> FailOn;

    /// Kind and name of the config, as messages call it.
    fn label(&self) -> String;
}

/// Why a run could not even start.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An input that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A config that has no meaning.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl RunError {
    /// Whether the input itself is the reason.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Read(_))
    }
}

/// The identities of all objects of the inputs, and where they come from.
#[derive(Debug)]
pub(super) struct ObjectIndex<'i> {
    pub(super) inputs: &'i [Input],
    pub(super) metas: Vec<Meta>,
    /// The objects that come from a file, in order.
    pub(super) sources: Vec<(ObjectId, Source)>,
    /// The position of each input's first object.
    pub(super) firsts: Vec<usize>,
}

impl ObjectIndex<'_> {
    /// The position of an object's input, and that of the object in it.
    pub(super) fn input_of(&self, id: usize) -> Option<(usize, usize)> {
        let index = self.firsts.partition_point(|&first| first <= id).checked_sub(1)?;
        Some((index, id - self.firsts.get(index)?))
    }
}

/// The position of a question for a place, and what it asks: an object of its input and a path.
type Asked<'p> = (usize, (usize, &'p Path));

impl Objects for ObjectIndex<'_> {
    fn describe(&self, object: usize) -> Option<(&Meta, Option<Source>)> {
        let source = self.sources.binary_search_by_key(&object, |(id, _)| *id).ok();
        let source = source.and_then(|index| self.sources.get(index)).map(|(_, source)| source.clone());
        Some((self.metas.get(object)?, source))
    }

    fn places(&self, asked: &[(ObjectId, Option<&Path>)]) -> Vec<Option<FilePlace>> {
        let mut places = vec![None; asked.len()];
        let root = Path::root();
        let mut by_input: BTreeMap<usize, Vec<Asked<'_>>> = BTreeMap::new();
        for (index, (object, path)) in asked.iter().enumerate() {
            if let Some((input, position)) = self.input_of(*object) {
                by_input.entry(input).or_default().push((index, (position, path.unwrap_or(&root))));
            }
        }
        for (input, asked) in by_input {
            // Nobody has the text of an envelope at hand.
            let Some(input) = self.inputs.get(input).filter(|input| input.form() != Form::ResourceList) else {
                continue;
            };
            let (indices, asked): (Vec<usize>, Vec<(usize, &Path)>) = asked.into_iter().unzip();
            for (index, position) in indices.into_iter().zip(input.positions(&asked)) {
                if let Some(slot) = places.get_mut(index) {
                    *slot = position.map(|position| (input.origin().to_string(), position));
                }
            }
        }
        places
    }
}
