//! A project's folder, and a config that moves all that can be moved of it.

use std::path::{Path, PathBuf};

use hostnet::api::Config;
use hostnet::catalog::workload_kinds;
use hostnet::kinds::host_network;
use hostnet::model::listener::{Hints, listeners};
use hostnet::model::{Model, Object, TemplateKind};
use hostnet::plan::Severity;
use hostnet::wire::{Input, Origin};
use serde_json::{Map, Value, json};

/// A folder of `tests/catalog`.
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    input: String,
}

/// What a run writes and says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) output: String,
    pub(crate) said: Vec<String>,
}

impl Run {
    fn failed(&self) -> bool {
        self.said.iter().any(|line| line.starts_with("error"))
    }
}

/// All folders with an input, by name.
pub(crate) fn projects() -> impl Iterator<Item = Project> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalog");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.into_iter().filter(|folder| folder.is_dir()).map(|folder| Project {
        name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
        input: std::fs::read_to_string(folder.join("input.yaml")).unwrap(),
        folder,
    })
}

impl Project {
    pub(crate) fn run(&self, config: &Value) -> Run {
        run(&self.input, config)
    }

    /// The output of a run over the output of another.
    pub(crate) fn rerun(&self, config: &Value, output: &str) -> String {
        assert!(!self.input.is_empty());
        let again = run(output, config);
        if again.failed() { output.to_owned() } else { again.output }
    }

    /// The folder's `hostnetwork.yaml`; without one a target for every workload, and in it a number for every listener
    /// that can move alone. What cannot is kept, and said. `programs` are entries that replace the catalogue's.
    pub(crate) fn config(&self, programs: &[Value]) -> (Value, Vec<String>) {
        if let Ok(text) = std::fs::read_to_string(self.folder.join("hostnetwork.yaml")) {
            let mut config: Value = serde_saphyr::from_str(&text).unwrap();
            config["spec"]["programs"] = programs.into();
            return (config, Vec::new());
        }
        let (mut targets, mut refused, mut number) = (Vec::new(), Vec::new(), 20000u16);
        for (select, keys) in self.workloads() {
            let alone = |ports: Value| self.run(&config(&[json!({"select": select, "ports": ports})], programs));
            let stays = alone(json!("keep"));
            if stays.failed() {
                refused.extend(stays.said.into_iter().map(|line| format!("not selected: {line}")));
                continue;
            }
            let mut ports = Map::new();
            for key in keys {
                let run = alone(json!({ key.clone(): number }));
                if run.failed() {
                    let errors = run.said.into_iter().filter(|line| line.starts_with("error"));
                    refused.extend(errors.map(|line| format!("kept: {line}")));
                } else {
                    ports.insert(key, number.into());
                }
                number += 1;
            }
            let ports = if ports.is_empty() { json!("keep") } else { Value::Object(ports) };
            targets.push(json!({"select": select, "ports": ports}));
        }
        (config(&targets, programs), refused)
    }

    /// The workloads: a select that meets each alone, and a key for each of its listeners.
    fn workloads(&self) -> Vec<(Value, Vec<String>)> {
        let kinds: Vec<TemplateKind> =
            workload_kinds().iter().map(|row| TemplateKind::new(row.group, row.kind, row.path)).collect();
        let input = Input::read(Origin::stdin(), self.input.clone().into_bytes()).unwrap();
        let model = Model::new(input.objects(|_, node| Object::of(node, &kinds, |_| true)).unwrap());
        let workloads = model.workloads().map(|(_, object, template)| {
            let meta = &object.meta;
            let mut select =
                json!({"group": meta.gvk.group, "kind": meta.gvk.kind, "name": meta.name.replace('.', "\\.")});
            if let Some(namespace) = &meta.namespace {
                select["namespace"] = namespace.clone().into();
            }
            let found = listeners(&model, meta, template, &Hints::default());
            let keys = found.iter().map(|listener| {
                let port = match (listener.declared, &listener.name) {
                    (Some(_), None) => listener.number.to_string(),
                    _ => listener.label.clone(),
                };
                format!("{}/{port}", template.containers[listener.container].name)
            });
            (select, keys.collect())
        });
        workloads.collect()
    }
}

fn config(targets: &[Value], programs: &[Value]) -> Value {
    let spec = json!({"targets": targets, "programs": programs});
    json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "spec": spec})
}

fn run(input: &str, config: &Value) -> Run {
    let config = Config::read(&config.to_string(), "hostnetwork.yaml", 1).unwrap_or_else(|error| panic!("{error}"));
    let input = Input::read(Origin::stdin(), input.into()).unwrap();
    let run = host_network::run(std::slice::from_ref(&input), &config, false).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    let said = run.results.iter().filter(|result| result.severity != Severity::Info).map(ToString::to_string);
    Run { output: String::from_utf8(output).unwrap(), said: said.collect() }
}
