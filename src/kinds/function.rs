//! Common interface of configs that change objects.

use std::collections::BTreeMap;

use crate::api::{ConfigError, FailOn};
use crate::model::{Meta, ObjectId};
use crate::plan::Plan;
use crate::render::{FilePlace, Objects, Source};
use krm::{Form, Input, ReadError};
use lossless_yaml::Path;

/// Plan of a config for inputs that belong together.
#[derive(Debug)]
pub struct Planned<'i> {
    /// Changes and findings.
    pub(super) plan: Plan,
    /// Identities of the objects.
    pub(super) read: ObjectIndex<'i>,
}

/// A config that changes objects.
pub trait Function {
    /// Plans the changes of inputs that belong together.
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError>;

    /// Severity from which on a run fails.
    fn fail_on(&self) -> FailOn;

    /// Kind and name of the config, for messages.
    fn label(&self) -> String;
}

/// Reason why a run could not start.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The config is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl RunError {
    /// True if the input is the reason.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Read(_))
    }
}

/// Identities of all objects of the inputs, with their source files.
#[derive(Debug)]
pub(super) struct ObjectIndex<'i> {
    pub(super) inputs: &'i [Input],
    pub(super) metas: Vec<Meta>,
    /// Source files of objects, in object order.
    pub(super) sources: Vec<(ObjectId, Source)>,
    /// Index of each input's first object.
    pub(super) firsts: Vec<usize>,
}

impl ObjectIndex<'_> {
    /// Index of an object's input, and its index in that input.
    pub(super) fn input_of(&self, id: usize) -> Option<(usize, usize)> {
        let index = self.firsts.partition_point(|&first| first <= id).checked_sub(1)?;
        Some((index, id - self.firsts.get(index)?))
    }
}

/// Index of the query, and the query: an object's index in its input, and a path.
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
            // A ResourceList has no positions: the text of its objects is not that of the source files.
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
