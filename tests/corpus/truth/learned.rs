//! The `bind` entries that `hostnet learn` reads from help texts. The help texts are generated from the flags in the
//! truth.

use std::collections::BTreeMap;

use hostnet::api::HostNetworkConfig;
use hostnet::help;
use hostnet::host_network::BindEntry;
use hostnet::kinds::learn;
use krm::{Input, Origin};
use serde_json::{Value, json};

use super::known::{Container, KnownSetting, Whose};
use super::objects::container;
use super::programs::Program;

/// The entries of each workload, by `Kind/NAME`.
pub(crate) type Learned = BTreeMap<String, Vec<Value>>;

/// Returns the entries that `hostnet learn` finds in the help of each container.
pub(crate) fn learned(program: &Program) -> Learned {
    let config = json!({
        "apiVersion": "hostnet.dev/v1alpha1",
        "kind": "HostNetwork",
        "spec": {"targets": [{"select": {"name": ".*"}, "ports": "auto"}]},
    });
    let config =
        HostNetworkConfig::read(&config.to_string(), "hostnetwork.yaml", 1).unwrap_or_else(|error| panic!("{error}"));
    let input = Input::read(Origin::stdin(), program.text.clone().into_bytes()).unwrap();
    let mut found = Learned::new();
    for truth in &program.truth.containers {
        let settings = help::settings(&help_of(program, truth));
        let whose = &truth.container;
        let namespace = program.input.find(&whose.workload()).unwrap()["metadata"]["namespace"].clone();
        let what = format!("{}/{}/{}", namespace.as_str().unwrap_or_default(), whose.name, whose.container);
        // Fails for two objects with one name, or for an object that no target can move.
        let Ok(target) = learn::learn(std::slice::from_ref(&input), &config, &what, &settings).unwrap() else {
            continue;
        };
        if target.object.gvk.kind != whose.kind {
            continue;
        }
        let entry = |bind: &BindEntry| {
            let mut entry = json!({"container": bind.container, "port": bind.port, "number": bind.number});
            for (key, text) in bind.settings() {
                entry[key] = json!(text);
            }
            entry
        };
        found.entry(whose.workload()).or_default().extend(target.learned.binds.iter().map(entry));
    }
    found.retain(|_, binds| !binds.is_empty());
    found
}

/// Returns a help text in the form of Go's package `flag`: the flags of the program's listeners with their defaults.
/// Flags in the manifest are omitted, because their defaults are unknown.
fn help_of(program: &Program, truth: &Container) -> String {
    let own = text_of(program, &truth.container);
    let is_given = |known: &KnownSetting| {
        [&known.arg, &known.env].into_iter().flatten().any(|name| own.contains(&format!("\"{name}")))
    };
    let mut help = "Usage of program:\n".to_owned();
    for listener in truth.listeners.iter().filter(|listener| !listener.settings.iter().any(is_given)) {
        for known in &listener.settings {
            let Some(flag) = &known.arg else { continue };
            let value = known.value.as_ref().unwrap_or(&listener.value).replace("{port}", &listener.number.to_string());
            let (kind, value) =
                if value.parse::<u16>().is_ok() { ("int", value) } else { ("string", format!("\"{value}\"")) };
            help.push_str(&format!("  {flag} {kind}\n    \tWhere to listen. (default {value})\n"));
        }
    }
    help
}

/// Returns the container's command, arguments and variables.
fn text_of(program: &Program, whose: &Whose) -> String {
    let workload = program.input.find(&whose.workload()).unwrap();
    let own = container(workload, &whose.container).unwrap();
    ["command", "args", "env"].map(|key| own[key].to_string()).concat()
}
