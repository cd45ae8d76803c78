//! Facts about programs and their ports from a config.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::{self, KnownSetting, Program};
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

    /// Returns the role of the listener whose number this flag or variable of a scaffold sets: a scaffold of the
    /// config, or one of the catalogue that the config does not replace.
    pub(super) fn scaffold_role(&self, name: &str) -> Option<&str> {
        let scaffolds = self.programs.iter().filter(|program| program.images.is_empty());
        let mut rows = scaffolds.flat_map(|scaffold| &scaffold.listeners);
        let own = rows.find(|row| row.settings.iter().any(|known| known.name() == name)).map(|row| row.role.as_str());
        let replaced = |name: &str| self.programs.iter().any(|program| program.name == name);
        let known = || catalog::scaffolds_with(name).find(|(scaffold, _)| !replaced(scaffold)).map(|(_, role)| role);
        own.or_else(known)
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
