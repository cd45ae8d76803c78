//! `hostnet ports --all` for 10, 1,000 and 10,000 moving workloads: time, memory, and size of the HTML page and of the
//! JSON output.

use std::path::Path;

use super::{Inputs, Table, ratio};

/// A third of the resources move.
const RESOURCES: [usize; 3] = [30, 3_000, 30_000];

/// Limit: size of the page for a thousand workloads, in KB.
const PAGE: f64 = 500.0;

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    for count in RESOURCES {
        let input = inputs.stream(count);
        let bytes = std::fs::metadata(&input).unwrap().len();
        let (page, json) = (inputs.folder.join("ports.html"), inputs.folder.join("ports.json"));
        let [to_page, to_json] =
            [("html", &page), ("json", &json)].map(|(format, file)| format!("{format}={}", file.display()));
        let [page_flag, json_flag] = [Path::new(&to_page), Path::new(&to_json)];
        let command = [
            &inputs.tools.hostnet,
            Path::new("ports"),
            Path::new("--all"),
            Path::new("-c"),
            &inputs.config,
            Path::new("-o"),
            page_flag,
            Path::new("-o"),
            json_flag,
            Path::new("-"),
        ];
        let run = inputs.tools.once(&input, &command);
        let size = |file: &Path| ratio(std::fs::metadata(file).unwrap().len(), 1_000);
        let what = format!("ports --all, {} workloads move", count / 3);
        if count == 3_000 {
            table.at_most(&format!("{what}: page, KB"), size(&page), PAGE);
        } else {
            table.for_information(&format!("{what}: page, KB"), size(&page));
        }
        table.for_information(&format!("{what}: JSON, KB"), size(&json));
        table.for_information(&format!("{what}: time, s"), run.time.as_secs_f64());
        table.for_information(&format!("{what}: peak memory / input"), ratio(run.peak_bytes, bytes));
    }
}
