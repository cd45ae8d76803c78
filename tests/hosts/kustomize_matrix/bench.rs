//! Compares a build with the function to the same build through a pipe.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize as _;
use serde_yaml::Value;

use super::layouts::Layout;
use super::objects::{IDLE, NAMES, Referrer, WORKLOAD};
use crate::cases::{HOSTNET, command_with, host};
use crate::support::{run, text};

/// Ways in which a host runs the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As an exec plugin, in kustomize.
    Plugin,
    /// As an exec plugin, in kubectl.
    KubectlPlugin,
    /// As a KRM function with a program.
    Exec,
    /// As a KRM function with an image; a script instead of Docker runs the program.
    Container,
}

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Plugin, Self::KubectlPlugin, Self::Exec, Self::Container];

    fn annotation(self) -> &'static str {
        match self {
            Self::Plugin | Self::KubectlPlugin => "",
            Self::Exec => "\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: hostnet}'",
            Self::Container => {
                "\n  annotations:\n    config.kubernetes.io/function: 'container: {image: \"hostnet:test\"}'"
            }
        }
    }
}

/// Result of a row.
pub(super) enum Outcome {
    /// The objects of both builds are equal.
    Equal {
        /// True if the function changed something.
        changed: bool,
    },
    /// The build failed; `by_pipe` is true if the pipe failed, too.
    Refused { message: String, by_pipe: bool },
    /// The builds differ.
    Differs(String),
    /// kustomize rejects the folders even without the function.
    NotBuilt(String),
}

/// The programs, and a folder with the plugins.
pub(super) struct Bench {
    kustomize: PathBuf,
    kubectl: PathBuf,
    pub(super) helm: Option<PathBuf>,
    scratch: tempfile::TempDir,
}

pub(crate) type Objects = BTreeMap<String, Value>;

impl Bench {
    pub(super) fn new(kustomize: PathBuf, kubectl: PathBuf) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let plugins =
            run(Command::new(HOSTNET).args(["install", "--kustomize-plugin"]).arg(scratch.path().join("home")), b"");
        assert!(plugins.status.success(), "{}", text(&plugins.stderr));
        let programs = scratch.path().join("programs");
        std::fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink(HOSTNET, programs.join("hostnet")).unwrap();
        let docker = programs.join("docker");
        std::fs::write(&docker, "#!/bin/sh\nexec hostnet\n").unwrap();
        std::fs::set_permissions(&docker, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { kustomize, kubectl, helm: host("helm"), scratch }
    }

    pub(super) fn compare(&self, layout: &Layout, referrer: &Referrer, form: Form) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let config = write(folder.path(), layout, referrer, form);
        let plain = self.build(&folder.path().join("plain").join(layout.top), Form::Plugin);
        if !plain.status.success() {
            return Outcome::NotBuilt(text(&plain.stderr));
        }
        let piped = if referrer.kind == "HostNetworkCheck" {
            let check = run(Command::new(HOSTNET).args(["check", "-c"]).arg(&config).arg("-"), &plain.stdout);
            Output { stdout: plain.stdout.clone(), stderr: check.stdout, ..check }
        } else {
            run(Command::new(HOSTNET).args(["apply", "-c"]).arg(&config), &plain.stdout)
        };
        let built = self.build(&folder.path().join("with").join(layout.top), form);
        match (piped.status.success(), built.status.success()) {
            (false, false) if [&piped, &built].iter().all(|output| text(&output.stderr).contains("[port-called]")) => {
                Outcome::Equal { changed: true }
            }
            (passes, false) => Outcome::Refused { message: text(&built.stderr), by_pipe: !passes },
            (false, true) => Outcome::Differs(format!("the pipe refuses:\n{}", text(&piped.stderr))),
            (true, true) => {
                // A kustomization above the function also prefixes the name of a new object.
                let built_names = text(&built.stdout).replace("b-hostnet-", "hostnet-b-");
                let (before, wanted, got) =
                    (objects(&plain.stdout), objects(&piped.stdout), objects(built_names.as_bytes()));
                let difference = difference(&wanted, &got);
                if difference.is_empty() {
                    Outcome::Equal { changed: wanted != before }
                } else {
                    Outcome::Differs(format!("{difference}{}", text(&built.stderr)))
                }
            }
        }
    }

    pub(super) fn build(&self, folder: &Path, form: Form) -> Output {
        let host = if form == Form::KubectlPlugin { &self.kubectl } else { &self.kustomize };
        let mut command = command_with(host, &self.scratch.path().join("programs"));
        command.env("KUSTOMIZE_PLUGIN_HOME", self.scratch.path().join("home"));
        match form {
            Form::KubectlPlugin => command.args(["kustomize", "--enable-alpha-plugins"]),
            _ => command.args(["build", "--enable-alpha-plugins", "--enable-exec"]),
        };
        if let Some(helm) = &self.helm {
            command.arg("--enable-helm").arg("--helm-command").arg(helm);
        }
        run(command.arg(folder), b"")
    }
}

/// Writes the folders, with the function in `with` and without it in `plain`; returns the config for the pipe.
fn write(root: &Path, layout: &Layout, referrer: &Referrer, form: Form) -> PathBuf {
    // An automatic number depends on the name that the function sees.
    let ports = if layout.twice { "auto" } else { "{'9443': 20443}" };
    let spec = referrer.spec.replace("PORTS", ports);
    let fixed = regex::Regex::new(r"FIXED(\{[^}]*\})").unwrap();
    let spec = fixed.replace_all(&spec, if layout.twice { "auto" } else { "$1" });
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: {}\nmetadata:\n  name: matrix{}\nspec: {{{spec}}}\n",
        referrer.kind,
        form.annotation()
    );
    for (variant, transformers) in [("plain", ""), ("with", "transformers: [hostnet.yaml]")] {
        let root = root.join(variant);
        for (name, content) in layout.files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        for (name, kustomization) in layout.folders {
            let folder = root.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let mut files = Vec::new();
            if *name == "base" {
                std::fs::write(folder.join("workload.yaml"), WORKLOAD).unwrap();
                std::fs::write(folder.join("names.yaml"), NAMES).unwrap();
                files.push("workload.yaml");
            }
            if *name == layout.caller {
                std::fs::write(folder.join("referrer.yaml"), referrer.objects).unwrap();
                files.push("referrer.yaml");
            }
            if *name == layout.more {
                std::fs::write(folder.join("idle.yaml"), IDLE).unwrap();
            }
            if *name == layout.function && variant == "with" {
                std::fs::write(folder.join("hostnet.yaml"), &config).unwrap();
            }
            let kustomization = kustomization.replace("FILES", &files.join(", ")).replace("TRANSFORMERS", transformers);
            let kustomization =
                kustomization.replace(" FUNCTION", if variant == "with" { ", hostnet.yaml" } else { "" });
            std::fs::write(folder.join("kustomization.yaml"), kustomization).unwrap();
        }
    }
    let path = root.join("pipe.yaml");
    std::fs::write(&path, config).unwrap();
    path
}

/// Reads the objects of a stream, by kind, namespace and name.
pub(crate) fn objects(stream: &[u8]) -> Objects {
    let documents = serde_yaml::Deserializer::from_slice(stream);
    let values = documents.map(|document| Value::deserialize(document).unwrap()).filter(|value| !value.is_null());
    let name = |value: &Value| {
        let part = |key: &str| value["metadata"][key].as_str().unwrap_or_default().to_owned();
        format!("{} {}/{}", value["kind"].as_str().unwrap_or_default(), part("namespace"), part("name"))
    };
    values.map(|value| (name(&value), sorted(value))).collect()
}

/// Sorts the keys of all mappings, because kustomize and the pipe write them in different order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Mapping(map) => {
            let mut entries: Vec<(Value, Value)> = map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            entries.sort_by_cached_key(|(key, _)| serde_yaml::to_string(key).unwrap());
            Value::Mapping(entries.into_iter().collect())
        }
        Value::Sequence(items) => Value::Sequence(items.into_iter().map(sorted).collect()),
        value => value,
    }
}

/// Lists the differing objects, each as a diff.
pub(crate) fn difference(wanted: &Objects, got: &Objects) -> String {
    let mut names: Vec<&String> = wanted.keys().chain(got.keys()).collect();
    names.sort();
    names.dedup();
    let shown = |objects: &Objects, name: &str| objects.get(name).map(|value| serde_yaml::to_string(value).unwrap());
    let mut all = String::new();
    for name in names {
        let (wanted, got) = (shown(wanted, name).unwrap_or_default(), shown(got, name).unwrap_or_default());
        if wanted != got {
            let lines = similar::TextDiff::from_lines(&wanted, &got);
            all.push_str(&format!("{name}\n{}", lines.unified_diff().context_radius(1).header("pipe", "build")));
        }
    }
    all
}
