//! JSON Schemas of machine-readable reports, generated from the serialized types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::check::FindingsReport;
use super::port_map::MapReport;
use super::ports::ListenerReport;

/// Report of commands with `-o json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonReport {
    /// `hostnet ports`, with and without `--all`.
    Ports,
    /// `hostnet check`, and the results of `apply` and `patch`.
    Check,
}

/// The JSON Schema of a report.
pub fn report_schema(report: JsonReport) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    match report {
        JsonReport::Ports => {
            let listeners = Vec::<ListenerReport<'_>>::json_schema(&mut generator).to_value();
            let map = MapReport::json_schema(&mut generator).to_value();
            schema(generator, "ports", "Report of `hostnet ports -o json`", &[listeners, map])
        }
        JsonReport::Check => {
            let findings = FindingsReport::json_schema(&mut generator).to_value();
            schema(
                generator,
                "check",
                "Report of `hostnet check -o json`, and of commands that change objects",
                &[findings],
            )
        }
    }
}

/// JSON schema of a report.
fn schema(mut generator: SchemaGenerator, name: &str, title: &str, forms: &[Value]) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("{}/schema/report-{name}.json", env!("CARGO_PKG_HOMEPAGE")),
        "title": title,
        "oneOf": forms,
        "$defs": generator.take_definitions(true),
    })
}
