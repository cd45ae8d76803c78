//! Any text as a config, for the program and for its JSON Schema: the schema accepts each config that the program
//! accepts, and the program accepts the form of each config that the schema accepts.

use std::sync::OnceLock;

use hostnet::api::{AnyConfig, Day, json_schema};
use hostnet::kinds::check::{self, Configs};
use hostnet::kinds::{Function as _, RunError};
use serde::Deserialize as _;
use serde_json::Value;

use crate::support::json_schema::{Scalars, fits};

/// Beginnings of serde errors about the form of a config.
const OF_FORM: [&str; 4] = ["invalid type", "missing field", "unknown field", "unknown variant"];

pub fn schemas(data: &[u8]) {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let schema = SCHEMA.get_or_init(json_schema);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(value) = value(text) else { return };
    let config = AnyConfig::read_all(text, "config.yaml", 1);
    match config {
        // A ConfigMap with flat keys has no schema, and each of several documents is a separate config.
        Ok(configs) if configs.len() == 1 && value["kind"] != "ConfigMap" && configs.iter().all(is_taken) => {
            assert!(fits(schema, &value, Scalars::Alike), "the schema refuses {value}");
        }
        Ok(_) => {}
        Err(error) => {
            let is_of_form = OF_FORM.iter().any(|words| error.message.contains(words));
            assert!(!is_of_form || !fits(schema, &value, Scalars::Typed), "the schema takes {value}: {error}");
        }
    }
}

/// True if a run without objects accepts the config; only a run compiles selectors, for example.
fn is_taken(config: &AnyConfig) -> bool {
    match config {
        AnyConfig::Check(config) => {
            let configs = Configs { check: Some((**config).clone()), ..Configs::default() };
            check::run(&mut [], Vec::new(), &configs, Day::after_1970(0)).is_ok()
        }
        others => !matches!(others.plan(&[]), Err(RunError::Config(_))),
    }
}

/// The only document of a text, parsed by `serde_yaml`. `serde_yaml` follows YAML 1.1, whose additional line breaks are
/// characters of a scalar in YAML 1.2: a text with one of them is ambiguous and gives `None`. So does a text with an
/// application's tag (`!name`): `serde_yaml` makes a map of the tag and the value, and `hostnet` and Kubernetes drop the
/// tag.
fn value(text: &str) -> Option<Value> {
    if text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return None;
    }
    let mut documents = serde_yaml::Deserializer::from_str(text);
    let mut value = serde_yaml::Value::deserialize(documents.next()?).ok()?;
    if documents.next().is_some() {
        return None;
    }
    value.apply_merge().ok()?;
    if has_tag(&value) {
        return None;
    }
    serde_json::to_value(value).ok()
}

fn has_tag(value: &serde_yaml::Value) -> bool {
    match value {
        serde_yaml::Value::Tagged(_) => true,
        serde_yaml::Value::Sequence(items) => items.iter().any(has_tag),
        serde_yaml::Value::Mapping(entries) => entries.iter().any(|(key, value)| has_tag(key) || has_tag(value)),
        _ => false,
    }
}
