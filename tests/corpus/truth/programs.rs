//! The programs of the truth set, and runs of hostnet on them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hostnet::api::HostNetworkConfig;
use hostnet::kinds;
use hostnet::rule::Severity;
use krm::{Input, Origin};
use serde_json::{Value, json};

use super::classify::{Ask, Item, Judge, Level, LogEntry, Verdict};
use super::known::{Listener, Truth, Whose};
use super::learned::Learned;
use super::objects::{Objects, container, containers, template_path};

/// A folder of `tests/corpus/truth`.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) truth: Truth,
    pub(crate) input: Objects,
    pub(crate) text: String,
}

/// The first number for runs with explicit numbers: outside the pool of `auto`, and unused by the programs.
const ASKED: u16 = 17001;

/// Returns all folders, by name.
pub(crate) fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/truth");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|folder| folder.is_dir()).collect();
    folders.sort();
    folders.iter().map(|folder| Program::read(folder)).collect()
}

impl Program {
    fn read(folder: &Path) -> Self {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let read = |file: &str| {
            std::fs::read_to_string(folder.join(file)).unwrap_or_else(|why| panic!("{name}/{file}: {why}"))
        };
        let text = read("input.yaml");
        let truth = serde_yaml::from_str(&read("truth.yaml")).unwrap_or_else(|why| panic!("{name}/truth.yaml: {why}"));
        Self { truth, input: Objects::read(&text), text, name }
    }

    /// Returns the number of listeners.
    pub(crate) fn listeners(&self) -> usize {
        self.truth.containers.iter().map(|container| container.listeners.len()).sum()
    }

    /// Returns the items that are not right with these `bind` entries, each with its runs.
    pub(crate) fn items(&self, learned: &Learned) -> Vec<(Item, Vec<&'static str>)> {
        let mut found: Vec<(Item, Vec<&'static str>)> = Vec::new();
        for (run, ask) in self.asks() {
            let (output, log) = self.run(&ask, learned);
            let judge = Judge { truth: &self.truth, input: &self.input, output: &output, log: &log, ask: &ask };
            for item in judge.items().into_iter().filter(|item| item.verdict != Verdict::Right) {
                match found.iter_mut().find(|(known, _)| same(known, &item)) {
                    Some((_, runs)) if runs.contains(&run) => {}
                    Some((_, runs)) => runs.push(run),
                    None => found.push((item, vec![run])),
                }
            }
        }
        found.sort_by(|(a, _), (b, _)| (b.verdict, &a.what).cmp(&(a.verdict, &b.what)));
        found
    }

    /// Returns all configurations: all listeners at once, and each listener alone.
    fn asks(&self) -> Vec<(&'static str, Ask)> {
        let mut asks = vec![("auto", Ask::Auto), ("keep", Ask::Keep)];
        let all = self.truth.containers.iter();
        let all = all.flat_map(|container| container.listeners.iter().map(move |one| (&container.container, one)));
        let mut numbers: Vec<(&Whose, u16)> = all.map(|(whose, listener)| (whose, listener.number)).collect();
        numbers.dedup();
        let number = |((whose, number), to): ((&Whose, u16), u16)| Ask::Number { whose: whose.clone(), number, to };
        asks.extend(numbers.into_iter().zip(ASKED..).map(|one| ("number", number(one))));
        asks
    }

    /// Runs hostnet and returns its output and messages.
    fn run(&self, ask: &Ask, learned: &Learned) -> (Objects, Vec<LogEntry>) {
        let config = self.config(ask, learned);
        let config = HostNetworkConfig::read(&config.to_string(), "hostnetwork.yaml", 1)
            .unwrap_or_else(|error| panic!("{error}"));
        let input = Input::read(Origin::stdin(), self.text.clone().into_bytes()).unwrap();
        let run = kinds::run(std::slice::from_ref(&input), &config, true).unwrap();
        let mut output = Vec::new();
        input.write(&run.splices[0], &mut output).unwrap();
        let log = run.results.iter().filter(|result| !result.is_change).map(|result| LogEntry {
            level: match result.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
                Severity::Info => Level::Info,
            },
            object: result.resource.as_ref().map(|object| format!("{}/{}", object.kind, object.name)),
            message: result.message.clone(),
        });
        (Objects::read(&String::from_utf8(output).unwrap()), log.collect())
    }

    /// Returns the config of a run. Workloads of one folder may get the same port, because conflicts on a node are not
    /// tested here.
    fn config(&self, ask: &Ask, learned: &Learned) -> Value {
        let select = |kind: &str, name: &str| json!({"kind": kind, "name": name.replace('.', "\\.")});
        let targets: Vec<Value> = match ask {
            Ask::Auto | Ask::Keep => {
                let ports = if *ask == Ask::Auto { "auto" } else { "keep" };
                let own = learned.iter().filter_map(|(workload, binds)| {
                    let (kind, name) = workload.split_once('/')?;
                    Some(json!({"select": select(kind, name), "ports": ports, "bind": binds}))
                });
                own.chain([json!({"select": {"name": ".*"}, "ports": ports})]).collect()
            }
            Ask::Number { whose, number, to } => {
                let keys = self.keys(whose, *number).into_iter().map(|key| (key, Value::from(*to)));
                let ports: serde_json::Map<String, Value> = keys.collect();
                let mut target = json!({"select": select(&whose.kind, &whose.name), "ports": ports});
                if let Some(binds) = learned.get(&whose.workload()) {
                    target["bind"] = json!(binds);
                }
                vec![target]
            }
        };
        let spec = json!({"targets": targets, "shared": self.shared()});
        json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "spec": spec})
    }

    /// Returns the keys of a container's listeners on a number: the names of its declared ports, or the number, which
    /// covers both protocols.
    fn keys(&self, whose: &Whose, number: u16) -> Vec<String> {
        let workload = self.input.find(&whose.workload()).unwrap();
        let own = container(workload, &whose.container).unwrap();
        let ports = own["ports"].as_array().into_iter().flatten().filter(|port| port["containerPort"] == number);
        let names: Vec<String> = ports.filter_map(|port| port["name"].as_str().map(str::to_owned)).collect();
        let of_it = self.truth.containers.iter().filter(|container| container.container == *whose);
        let protocols = of_it.flat_map(|one| &one.listeners).filter(|listener| listener.number == number).count();
        let keys = if names.len() < protocols { vec![number.to_string()] } else { names };
        keys.into_iter().map(|key| format!("{}/{key}", whose.container)).collect()
    }

    fn shared(&self) -> Value {
        let workloads: Vec<&Value> = self.input.0.iter().filter(|object| template_path(object).is_some()).collect();
        let keys: Vec<String> = workloads
            .iter()
            .map(|object| {
                let text =
                    |key: &str| object["metadata"][key].as_str().map(|text| format!("{text}/")).unwrap_or_default();
                let kind = object["kind"].as_str().unwrap_or_default();
                format!("{}{kind}/{}", text("namespace"), text("name").trim_end_matches('/'))
            })
            .collect();
        if keys.len() < 2 {
            return json!([]);
        }
        let listeners = self.truth.containers.iter().flat_map(|container| &container.listeners);
        let numbers_of_settings = listeners.map(|listener: &Listener| u64::from(listener.number));
        let declared = workloads.iter().flat_map(|object| containers(object));
        let declared = declared.flat_map(|one| one["ports"].as_array().into_iter().flatten());
        let declared = declared.filter_map(|port| port["containerPort"].as_u64());
        let numbers: BTreeSet<u64> = numbers_of_settings.chain(declared).collect();
        numbers.iter().map(|port| json!({"port": port, "between": keys})).collect()
    }
}

/// True if two items of different runs are equal, apart from the numbers that the run chose.
fn same(one: &Item, other: &Item) -> bool {
    let bare = |item: &Item| item.why.replace(|c: char| c.is_ascii_digit(), "");
    one.what == other.what && one.verdict == other.verdict && bare(one) == bare(other)
}
