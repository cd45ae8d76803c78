//! Checks that JSON reports fit their published schemas.

use std::path::Path;
use std::sync::OnceLock;

use hostnet::render::{JsonReport, report_schema};
use serde_json::Value;

use crate::support::json_schema::{Scalars, fits};

/// Commands whose reports `docs/schema/report-check.json` describes.
const FINDINGS: [&str; 3] = ["check", "apply", "patch"];

/// Asserts that a report fits its schema.
pub(crate) fn assert_fits(report: JsonReport, value: &Value) {
    static SCHEMAS: OnceLock<[Value; 2]> = OnceLock::new();
    let [ports, check] = SCHEMAS.get_or_init(|| [JsonReport::Ports, JsonReport::Check].map(report_schema));
    let schema = if report == JsonReport::Ports { ports } else { check };
    assert!(fits(schema, value, Scalars::Typed), "does not fit the schema of {report:?}: {value:#}");
}

/// Asserts that the JSON reports of a command line fit their schemas, on standard output and in files of the folder.
pub(crate) fn assert_reports_fit(folder: &Path, arguments: &[&str], stdout: &[u8]) {
    let report = match arguments.first() {
        Some(&"ports") => JsonReport::Ports,
        Some(command) if FINDINGS.contains(command) => JsonReport::Check,
        _ => return,
    };
    let formats = arguments.windows(2).filter(|pair| matches!(pair[0], "-o" | "--output")).map(|pair| pair[1]);
    for format in formats.chain(arguments.iter().filter_map(|argument| argument.strip_prefix("--output="))) {
        let text = match format.split_once('=') {
            None if format == "json" => String::from_utf8(stdout.to_vec()).unwrap(),
            Some(("json", file)) => std::fs::read_to_string(folder.join(file)).unwrap_or_default(),
            _ => continue,
        };
        // A command that fails early writes no report.
        if !text.is_empty() {
            assert_fits(report, &serde_json::from_str(&text).unwrap());
        }
    }
}
