//! Any text as a config, for the program and for its JSON Schema: what the program takes the schema takes, and what the schema takes has the
//! form of a config for the program.

use std::sync::OnceLock;

use hostnet::api::{AnyConfig, Day, json_schema};
use hostnet::kinds::check::{self, Configs};
use hostnet::kinds::{Function as _, RunError};
use serde::Deserialize as _;
use serde_json::Value;

use crate::support::json_schema::{Scalars, fits};

/// How a reader of types begins what it says of a form that it does not take.
const OF_FORM: [&str; 4] = ["invalid type", "missing field", "unknown field", "unknown variant"];

pub fn schemas(data: &[u8]) {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let schema = SCHEMA.get_or_init(json_schema);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(value) = value(text) else { return };
    let config = AnyConfig::read_all(text, "config.yaml", 1);
    match config {
        // The flat keys of a ConfigMap have no schema, and each document of several is a config of its own.
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

/// True if a run over no objects does not refuse the config: selectors, for one, are compiled by the run.
fn is_taken(config: &AnyConfig) -> bool {
    match config {
        AnyConfig::Check(config) => {
            let configs = Configs { check: Some((**config).clone()), ..Configs::default() };
            check::run(&mut [], Vec::new(), &configs, Day::after_1970(0)).is_ok()
        }
        others => !matches!(others.plan(&[]), Err(RunError::Config(_))),
    }
}

/// The one document of a text, as another reader has it. That reader follows YAML 1.1, whose further line breaks are characters of a scalar in
/// YAML 1.2: a text with one of them has two meanings, and no value here.
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
    serde_json::to_value(value).ok()
}
