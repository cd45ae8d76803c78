//! `hostnet charts` for a hundred releases, each with its own values and source, in processor time.

use std::path::Path;

use super::{Inputs, ROUNDS, Table};

/// Number of releases in the repository.
const RELEASES: usize = 100;

/// Limit: processor time of one call, in seconds.
const PROCESSOR: f64 = 1.0;

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    let folder = inputs.folder.join("releases");
    for index in 0..RELEASES {
        let own = folder.join(format!("apps/web-{index}"));
        std::fs::create_dir_all(&own).unwrap();
        let values: String = (0..200).map(|line| format!("    key-{line}: ${{VALUE}} of web-{index}\n")).collect();
        let release = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web-{index}, namespace: web-{index}}}\nspec:\n  chartRef: {{kind: \
             OCIRepository, name: web}}\n  values:\n{values}---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: web, namespace: \
             web-{index}}}\nspec: {{url: 'oci://r.example/web', ref: {{tag: 1.0.0}}}}\n"
        );
        std::fs::write(own.join("release.yaml"), release).unwrap();
        std::fs::write(own.join("kustomization.yaml"), "resources: [release.yaml]\n").unwrap();
    }
    let command = [&inputs.tools.hostnet, Path::new("charts"), &folder];
    let none = inputs.folder.join("none");
    std::fs::write(&none, "").unwrap();
    let script = inputs.tools.output(&none, &command);
    assert_eq!(script.matches("\nkeep ").count(), RELEASES);
    let runs = inputs.tools.many(ROUNDS, &none, &command);
    let least = runs.iter().map(|run| run.processor.as_secs_f64()).fold(f64::MAX, f64::min);
    table.at_most("`charts` of 100 releases, processor time in seconds", least, PROCESSOR);
}
