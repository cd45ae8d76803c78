//! Facts about programs and their ports from a config.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::{KnownSetting, Program};
use crate::model::id::ObjectId;
use crate::version::ProgramVersion;

/// Facts from a config that neither the manifest nor the catalogue has.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// Program that the target names, and its version.
    pub program: Option<(Arc<Program>, ProgramVersion)>,
    /// True if an image in the target shows that program; the program then counts only for containers with such an
    /// image.
    pub is_program_shown: bool,
    /// Programs that the config defines.
    pub programs: Arc<[Arc<Program>]>,
    /// Entries of `bind`.
    pub bind: Vec<BindHint>,
    /// Objects that are ignored as evidence for these pods, even if their selectors match, because
    /// their files are never applied together with the pods.
    pub apart: Arc<[Range<ObjectId>]>,
}

impl Hints {
    /// False for an object that is ignored as evidence for the pods.
    pub(in crate::model) fn counts(&self, object: ObjectId) -> bool {
        !self.apart.iter().any(|range| range.contains(&object))
    }
}

/// Entry of `bind`: the setting of the port number of a listener.
#[derive(Debug, Clone)]
pub struct BindHint {
    /// Name of the container.
    pub container: String,
    /// Name of the port.
    pub port: String,
    /// Current number.
    pub number: Option<u16>,
    /// Setting of the port number.
    pub set_by: HintedBy,
}

/// Setting of a port number in a config.
#[derive(Debug, Clone)]
pub enum HintedBy {
    /// Flag or variable, and its value, with `{port}` for the number.
    Setting(KnownSetting, String),
    /// Annotation of the pod template, and its value, with `{port}` for the number.
    Annotation(String, String),
    /// Key of a mounted file.
    File {
        /// Path in the container.
        path: String,
        /// Key, such as `server.port`.
        key: String,
    },
    /// `fixed: true`: the port number never changes.
    Nothing,
}
