//! Runs of a config whose spec a test gives: a kind and a manifest in, the output and the results out.

use hostnet::api::{AnyConfig, ConfigError};
use hostnet::kinds::{self, Run};
use krm::{Input, Origin};

use crate::support::results;

/// A config of a kind with this spec, in flow style without the braces.
pub(crate) fn config(kind: &str, spec: &str) -> Result<AnyConfig, ConfigError> {
    let text = format!("apiVersion: hostnet.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: mine}}\nspec: {{{spec}}}\n");
    let file = match kind {
        "PackageMirror" => "mirror.yaml",
        _ => "proxy.yaml",
    };
    AnyConfig::read(&text, file, 1)
}

/// The output and the results of a config over one manifest.
pub(crate) fn run(kind: &str, spec: &str, manifest: &str) -> (String, Run) {
    let config = config(kind, spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, true).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    (String::from_utf8(output).unwrap(), run)
}

/// The results that are not changes, a line each.
pub(crate) fn findings(run: &Run) -> String {
    let findings = run.results.iter().filter(|result| !result.is_change).map(results::line);
    findings.collect::<Vec<_>>().join("\n")
}
