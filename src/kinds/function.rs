//! Common interface of configs that change objects.

use super::places;
use crate::api::{ConfigError, FailOn};
use crate::model::{Meta, ObjectId};
use crate::plan::Plan;
use crate::render::{FilePlace, Objects, Source};
use krm::{Input, ReadError};
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

    /// Kind and name of the config, and severity from which on a run fails.
    fn kind_name_and_fail_on(&self) -> (&'static str, &str, FailOn);

    /// Severity from which on a run fails.
    fn fail_on(&self) -> FailOn {
        self.kind_name_and_fail_on().2
    }

    /// Kind and name of the config, for messages.
    fn label(&self) -> String {
        let (kind, name, _) = self.kind_name_and_fail_on();
        format!("{kind} {name}")
    }
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
    pub(super) fn input_of(&self, id: ObjectId) -> Option<(usize, usize)> {
        places::input_of(&self.firsts, id)
    }
}

impl Objects for ObjectIndex<'_> {
    fn describe(&self, object: usize) -> Option<(&Meta, Option<Source>)> {
        let source = self.sources.binary_search_by_key(&object, |(id, _)| *id).ok();
        let source = source.and_then(|index| self.sources.get(index)).map(|(_, source)| source.clone());
        Some((self.metas.get(object)?, source))
    }

    fn places(&self, requests: &[(ObjectId, Option<&Path>)]) -> Vec<Option<FilePlace>> {
        let root = Path::root();
        let fields: Vec<(ObjectId, &Path)> = requests.iter().map(|(id, path)| (*id, path.unwrap_or(&root))).collect();
        let places = places::positions(self.inputs, &self.firsts, &fields);
        let place = |(input, position): (&Input, _)| Some((input.origin().to_string(), position?));
        places.into_iter().map(|found| found.and_then(place)).collect()
    }
}
