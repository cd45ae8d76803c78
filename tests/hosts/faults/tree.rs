//! The content of a folder before a run, and after an undisturbed run.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::cases::HOSTNET;
use crate::support::{files_below, run, text};

/// The files of a folder by name, with their content and mode.
pub(super) type Tree = BTreeMap<String, (String, u32)>;

pub(super) fn tree(at: &Path) -> Tree {
    let file = |path: PathBuf| {
        let name = path.strip_prefix(at).unwrap().to_str().unwrap().to_owned();
        let mode = path.metadata().unwrap().permissions().mode() & 0o7777;
        (name, (std::fs::read_to_string(path).unwrap(), mode))
    };
    files_below(at).into_iter().map(file).collect()
}

/// True for a temporary file.
pub(super) fn is_passing(name: &str) -> bool {
    name.rsplit('/').next().unwrap().starts_with(".hostnet-")
}

/// A command that writes files, and its folder.
pub(super) struct Writing {
    pub(super) arguments: &'static [&'static str],
    pub(super) make: fn(&Path),
    pub(super) before: Tree,
    pub(super) after: Tree,
}

impl Writing {
    pub(super) fn new(arguments: &'static [&'static str], make: fn(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let before = tree(folder.path());
        let output = hostnet(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        let after = tree(folder.path());
        assert_ne!(before, after, "{arguments:?} writes nothing");
        Self { arguments, make, before, after }
    }

    pub(super) fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        (self.make)(folder.path());
        folder
    }

    /// Returns the names of the written files, without temporary files. Asserts that each file is whole: as before or
    /// as after an undisturbed run, or a report about a file that could not be read.
    pub(super) fn written(&self, at: &Path, of: &str) -> Vec<String> {
        let mut now = tree(at);
        now.retain(|name, _| !is_passing(name));
        for name in self.before.keys() {
            assert!(now.contains_key(name), "{of}: {name} is lost");
        }
        let mut written = Vec::new();
        for (name, file) in &now {
            if self.before.get(name) == Some(file) || self.is_report_of_unread_file(file) {
                continue;
            }
            assert_eq!(Some(file), self.after.get(name), "{of}: {name} is neither old nor new");
            written.push(name.clone());
        }
        written
    }

    /// True for a complete report of `check` that has an error of the system about a file: the other files are checked.
    fn is_report_of_unread_file(&self, (content, _): &(String, u32)) -> bool {
        let is_complete = || serde_yaml::from_str::<serde_yaml::Value>(content).is_ok();
        self.arguments.first() == Some(&"check") && content.contains("(os error ") && is_complete()
    }

    /// Returns the number of files that change.
    pub(super) fn changes(&self) -> usize {
        self.after.iter().filter(|(name, file)| self.before.get(*name) != Some(file)).count()
    }
}

pub(super) fn hostnet(at: &Path, arguments: &[&str]) -> Output {
    run(Command::new(HOSTNET).current_dir(at).args(arguments), b"")
}
