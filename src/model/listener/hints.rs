//! What a config knows of programs and their ports that neither manifest nor catalogue says.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::{KnownSetting, Program};
use crate::model::id::ObjectId;
use crate::version::ProgramVersion;

/// What a config knows that neither manifest nor catalogue says.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The program of the workload's containers, and its version.
    pub program: Option<(Arc<Program>, ProgramVersion)>,
    /// Programs of the config's own.
    pub programs: Arc<[Arc<Program>]>,
    /// What sets the numbers of listeners.
    pub bind: Vec<BindHint>,
    /// Objects that say nothing of these pods, whatever they select: those of files that are never applied with theirs.
    pub apart: Arc<[Range<ObjectId>]>,
}

impl Hints {
    /// Whether what an object says of the pods counts.
    pub(in crate::model) fn counts(&self, object: ObjectId) -> bool {
        !self.apart.iter().any(|range| range.contains(&object))
    }
}

/// What sets the number of a listener.
#[derive(Debug, Clone)]
pub struct BindHint {
    /// The container's name.
    pub container: String,
    /// The port's name.
    pub port: String,
    /// The number it listens on now.
    pub number: Option<u16>,
    /// The setting of the number.
    pub set_by: HintedBy,
}

/// The setting of a number, as a config says.
#[derive(Debug, Clone)]
pub enum HintedBy {
    /// A flag or variable, and its value, `{port}` for the number.
    Setting(KnownSetting, String),
    /// An annotation of the pod template, and its value.
    Annotation(String, String),
    /// A key of a mounted file.
    File {
        /// The path that the container sees.
        path: String,
        /// The key.
        key: String,
    },
    /// Nothing: the number never changes.
    Nothing,
}
