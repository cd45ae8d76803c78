//! A folder with a config, a base, and the files generated from them.

use crate::patch::cases::{HOSTNET, command};
use crate::support::{run, text};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The files of one test. The base is `all.yaml`, as `kustomize build` or `helm template` would write it.
pub(crate) struct Bench {
    folder: TempDir,
}

/// Exit code, standard output, standard error.
pub(crate) type ProgramOutput = (Option<i32>, String, String);

impl Bench {
    pub(crate) fn new(config: &str, base: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hostnet.yaml"), config).unwrap();
        std::fs::write(folder.path().join("all.yaml"), base).unwrap();
        Self { folder }
    }

    pub(crate) fn at(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.at().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs `hostnet ARGUMENTS` in the folder, with the config.
    pub(crate) fn hostnet(&self, arguments: &[&str]) -> ProgramOutput {
        let (name, rest) = arguments.split_first().unwrap();
        let mut command = Command::new(HOSTNET);
        command.current_dir(self.at()).arg(name).arg("-c").arg("hostnet.yaml").args(rest);
        let output = run(&mut command, b"");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Runs a command that must succeed and returns its output.
    pub(crate) fn made(&self, arguments: &[&str]) -> String {
        let (code, out, log) = self.hostnet(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {log}");
        out
    }

    /// Returns the patches for the base in a form.
    pub(crate) fn patches(&self, form: &str) -> String {
        self.made(&["patch", "--as", form, "all.yaml"])
    }

    /// Builds a folder; returns the output or kustomize's error.
    pub(crate) fn build(&self, kustomize: &Path, folder: &str) -> Result<String, String> {
        let output = run(command(kustomize).arg("build").arg(self.at().join(folder)), b"");
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Builds the base with the component that `hostnet patch` writes.
    pub(crate) fn with_component(&self, kustomize: &Path) -> Result<String, String> {
        self.made(&["patch", "--as", "component", "--output-dir", "component", "all.yaml"]);
        self.write("kustomization.yaml", "resources: [all.yaml]\ncomponents: [component]\n");
        self.build(kustomize, ".")
    }
}
