//! Runs a config of a given kind and spec over a manifest, and returns the output and the results.

use hostnet::api::{AnyConfig, ConfigError};
use hostnet::kinds::{self, Run};
use krm::{Input, Origin};

use crate::support::results;

/// Reads a config of a kind with this spec, in flow style without the braces.
pub(crate) fn config(kind: &str, spec: &str) -> Result<AnyConfig, ConfigError> {
    let text = format!("apiVersion: hostnet.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: mine}}\nspec: {{{spec}}}\n");
    let file = match kind {
        "PackageMirror" => "mirror.yaml",
        _ => "proxy.yaml",
    };
    AnyConfig::read(&text, file, 1)
}

/// Runs a config over one manifest and returns the output and the results.
pub(crate) fn run(kind: &str, spec: &str, manifest: &str) -> (String, Run) {
    let config = config(kind, spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, true).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    (String::from_utf8(output).unwrap(), run)
}

/// Formats all results that are not changes, one per line.
pub(crate) fn findings(run: &Run) -> String {
    let findings = run.results.iter().filter(|result| !result.is_change).map(results::line);
    findings.collect::<Vec<_>>().join("\n")
}
