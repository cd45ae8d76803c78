//! Cases in the folders of `kustomization-tests`, and comparisons of their results.

use crate::support::{find_program, not_run, project, run, text};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The binary under test.
pub(crate) const HOSTNET: &str = env!("CARGO_BIN_EXE_hostnet");

/// Path of the config in the shipped example.
pub(crate) const EXAMPLE: &str = "examples/crossplane-core";

/// One folder of `kustomization-tests`.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The expected manifests. For a refusal: parts of the expected error output, one per line.
    pub(crate) want: String,
}

impl Case {
    /// Path of the function's config: in the folder, in a base or component below it, or else in the example.
    pub(crate) fn config(&self) -> PathBuf {
        let below = std::fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path());
        std::iter::once(self.folder.clone())
            .chain(below)
            .map(|folder| folder.join("hostnet.yaml"))
            .find(|file| file.is_file())
            .unwrap_or_else(|| project().join(EXAMPLE).join("hostnet.yaml"))
    }

    /// True if only a function that runs inside kustomize has this output, because kustomize changes names or hashes
    /// after the function.
    pub(crate) fn renames_afterwards(&self) -> bool {
        ["transformer-in-base", "package-name-prefix", "webhook-renamed"].contains(&self.name.as_str())
    }

    /// Describes the problem if a host did not refuse this case as the function should; `None` if it did. A successful
    /// build is a problem, and so is a failure for another reason, such as a function that was not found.
    pub(crate) fn not_refused(&self, output: &Output) -> Option<String> {
        let log = text(&output.stderr);
        let silent: Vec<&str> = self.want.lines().filter(|part| !log.contains(part)).collect();
        let printed = if output.stdout.is_empty() { "" } else { "printed manifests, and " };
        let refused = !output.status.success() && printed.is_empty() && silent.is_empty();
        (!refused).then(|| format!("{}: {printed}{}, without saying {silent:#?}:\n{log}", self.name, output.status))
    }
}

/// All cases that build, by name.
pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Case> = with("want.yaml").collect();
    assert!(cases.len() >= 25, "cases are missing: {}", cases.len());
    cases
}

/// All cases that the function has to refuse, by name.
pub(crate) fn refusals() -> Vec<Case> {
    let cases: Vec<Case> = with("want.txt").collect();
    assert!(cases.len() >= 2, "refusals are missing: {}", cases.len());
    cases
}

fn with(want: &'static str) -> impl Iterator<Item = Case> {
    let root = project().join("kustomization-tests");
    let mut names: Vec<String> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.into_iter().filter(move |name| folder(name).join(want).is_file()).map(|name| case(&name))
}

fn folder(name: &str) -> PathBuf {
    project().join("kustomization-tests").join(name)
}

/// One case by name.
pub(crate) fn case(name: &str) -> Case {
    let folder = folder(name);
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    let moved = read("want.yaml").inspect(|want| {
        let marks = ["hostNetwork: true", "name: https_proxy", "registry.example.com"];
        let changed = marks.iter().any(|mark| want.contains(mark));
        assert!(changed, "{name}: this want.yaml passes even if the function changes nothing");
    });
    let refused = read("want.txt").inspect(|want| {
        assert!(want.ends_with("]\n"), "{name}: want.txt must name a rule, or any failure would match");
    });
    let ((Some(want), None) | (None, Some(want))) = (moved, refused) else {
        panic!("{name} has want.yaml or want.txt, not both")
    };
    Case { name: name.to_owned(), folder, want }
}

/// Path of a host program; `None`, with a printed note, if it is missing.
pub(crate) fn host(name: &str) -> Option<PathBuf> {
    let found = find_program(name);
    if found.is_none() {
        not_run(&format!("{name} is missing (`make tools` installs kustomize, helm and Flux's build)"));
    }
    found
}

/// Command for a host that finds the binary under test by its bare name.
pub(crate) fn command(host: &Path) -> Command {
    command_with(host, Path::new(HOSTNET).parent().unwrap())
}

/// Command for a host that searches this folder first for `hostnet`.
pub(crate) fn command_with(host: &Path, folder: &Path) -> Command {
    let mut command = Command::new(host);
    command.env("PATH", path_with(folder));
    command
}

fn path_with(folder: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path))).unwrap()
}

/// The function's input: the output of kustomize for a case with the function skipped.
pub(crate) fn unmoved(kustomize: &Path, folder: &Path) -> String {
    let output = run(command(kustomize).args(["build", "--enable-alpha-plugins"]).arg(folder), b"");
    assert!(output.status.success(), "{}: {}", folder.display(), text(&output.stderr));
    text(&output.stdout)
}

/// A list of failed comparisons, so that one run shows all of them.
#[derive(Default)]
pub(crate) struct Failures(Vec<String>);

impl Failures {
    /// Compares two texts and keeps the difference.
    pub(crate) fn compare(&mut self, what: &str, want: &str, got: &str) {
        if want != got {
            let diff = similar::TextDiff::from_lines(want, got);
            self.0.push(format!("{what}\n{}", diff.unified_diff().header("want", "got")));
        }
    }

    /// Compares the output of a host with the expected manifests of a case.
    pub(crate) fn compare_build(&mut self, name: &str, want: &str, output: &Output) {
        if output.status.success() {
            self.compare(name, want, &text(&output.stdout));
        } else {
            self.add(format!("{name}: {}\n{}", output.status, text(&output.stderr)));
        }
    }

    pub(crate) fn add(&mut self, message: impl Into<Option<String>>) {
        self.0.extend(message.into());
    }

    /// All failures as one text; `None` if there are none.
    #[allow(dead_code, reason = "not every test binary that shares this file needs it")]
    pub(crate) fn all(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("\n"))
    }

    /// Panics with all failures, if there are any.
    pub(crate) fn end(self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

/// Brings a stream of objects into one form, independent of order and style, with another YAML reader than the
/// product's.
pub(crate) fn canonical(stream: &str) -> String {
    let mut objects = BTreeMap::new();
    for document in serde_yaml::Deserializer::from_str(stream) {
        let value = <serde_yaml::Value as serde::Deserialize>::deserialize(document)
            .unwrap_or_else(|error| panic!("{error} in\n{stream}"));
        if value.is_null() {
            continue;
        }
        // Converted to JSON first, because its maps are sorted: the order of keys has no meaning.
        let json: serde_json::Value = serde_json::to_value(value).unwrap();
        let word = |path: &str| json.pointer(path).and_then(|v| v.as_str()).unwrap_or("-").to_owned();
        let key = (word("/kind"), word("/metadata/namespace"), word("/metadata/name"), word("/apiVersion"));
        let text = serde_yaml::to_string(&sorted(&json)).unwrap();
        assert!(objects.insert(key.clone(), text).is_none(), "duplicate object {key:?}");
    }
    objects.into_values().collect::<Vec<_>>().join("---\n")
}

fn sorted(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(map) => {
            let ordered: BTreeMap<_, _> = map.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            serde_json::Value::Object(ordered.into_iter().collect())
        }
        serde_json::Value::Array(items) => serde_json::Value::Array(items.iter().map(sorted).collect()),
        scalar => scalar.clone(),
    }
}

/// A copy of a folder, for tests that write.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
