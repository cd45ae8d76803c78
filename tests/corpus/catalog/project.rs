//! A project's folder, and a config that moves all its movable ports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hostnet::api::HostNetworkConfig;
use hostnet::catalog::WORKLOAD_KINDS;
use hostnet::kinds;
use hostnet::model::listener::{Hints, ports};
use hostnet::model::{Kinds, Model, Object, TemplateKind};
use hostnet::rule::Severity;
use krm::{Input, Origin};
use serde_json::{Value, json};

/// A folder of `tests/corpus/catalog`.
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    input: String,
}

/// Output and messages of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) output: String,
    pub(crate) log: Vec<String>,
}

impl Run {
    pub(crate) fn failed(&self) -> bool {
        self.log.iter().any(|line| line.starts_with("error"))
    }
}

/// Returns all folders with an input, by name.
pub(crate) fn projects() -> impl Iterator<Item = Project> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/catalog");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.into_iter().filter(|folder| folder.is_dir()).map(|folder| Project {
        name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
        input: std::fs::read_to_string(folder.join("input.yaml")).unwrap(),
        folder,
    })
}

impl Project {
    pub(crate) fn input(&self) -> &str {
        &self.input
    }

    /// The project with another input.
    pub(crate) fn with_input(&self, input: String) -> Self {
        Self { name: self.name.clone(), folder: self.folder.clone(), input }
    }

    pub(crate) fn run(&self, config: &Value) -> Run {
        run(&self.input, config)
    }

    /// Compares the output of a run to the result of patches for the input.
    pub(crate) fn compare_patches(&self, config: &Value, run: &Run) {
        if !run.failed() {
            crate::catalog::patched::same(&read(config), &self.input, &run.output);
        }
    }

    /// Runs the config again over the output of a run.
    pub(crate) fn rerun(&self, config: &Value, output: &str) -> String {
        assert!(!self.input.is_empty());
        let again = run(output, config);
        if again.failed() { output.to_owned() } else { again.output }
    }

    /// Returns the folder's `hostnetwork.yaml`, or else a config with `ports: auto` for every workload. The input may
    /// contain variants of one workload, so `shared` lists all numbers. `programs` replace entries of the catalog.
    pub(crate) fn config(&self, programs: &[Value]) -> Value {
        if let Ok(text) = std::fs::read_to_string(self.folder.join("hostnetwork.yaml")) {
            let mut config: Value = serde_saphyr::from_str(&text).unwrap();
            config["spec"]["programs"] = programs.into();
            return config;
        }
        let templates = WORKLOAD_KINDS.iter().map(TemplateKind::from).collect();
        let kinds = Kinds { templates, references: &[] };
        let input = Input::read(Origin::stdin(), self.input.clone().into_bytes()).unwrap();
        let model = Model::new(input.objects(|_, node| Object::read(node, &kinds, |_| Some(&[]))).unwrap());
        let (mut targets, mut keys, mut numbers) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (_, object, template) in model.workloads() {
            let meta = &object.meta;
            let mut select =
                json!({"group": meta.gvk.group, "kind": meta.gvk.kind, "name": meta.name.replace('.', "\\.")});
            let namespace = meta.namespace.clone().unwrap_or_default();
            select["namespace"] = namespace.clone().into();
            targets.push(json!({"select": select, "ports": "auto"}));
            let prefix = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
            keys.push(format!("{prefix}{}/{}", meta.gvk.kind, meta.name));
            let known = ports(&model, meta, template, &Hints::default());
            numbers.extend(known.listeners.iter().map(|listener| listener.number));
        }
        // One workload shares no port.
        let numbers = numbers.iter().filter(|_| keys.len() > 1);
        let shared: Vec<Value> = numbers.map(|port| json!({"port": port, "between": keys})).collect();
        let spec = json!({"targets": targets, "programs": programs, "shared": shared});
        json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "spec": spec})
    }
}

fn read(config: &Value) -> HostNetworkConfig {
    HostNetworkConfig::read(&config.to_string(), "hostnetwork.yaml", 1).unwrap_or_else(|error| panic!("{error}"))
}

fn run(input: &str, config: &Value) -> Run {
    let config = read(config);
    let input = Input::read(Origin::stdin(), input.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, false).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    let log = run.results.iter().filter(|result| result.severity != Severity::Info).map(ToString::to_string);
    Run { output: String::from_utf8(output).unwrap(), log: log.collect() }
}
