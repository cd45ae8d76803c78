//! Rule `crossplane-version`: the version of Crossplane that runs the packages.

use crate::support::results;
use crate::support::results::brief;

use super::{RULE, core, package, run_all, stream};

fn found(spec: &str, manifest: &str) -> String {
    let (_, run) = run_all(spec, manifest);
    let found = run.results.iter().filter(|result| result.rule == "crossplane-version");
    found.map(|result| format!("{}\n", results::line(result))).collect()
}

/// hostnet assumes the newest version if neither the input nor the config sets one.
#[test]
fn an_unknown_version_is_reported_once() {
    let packages = [
        package("Provider", "s3", "xpkg.crossplane.io/o/p:v1"),
        package("Provider", "s4", "xpkg.crossplane.io/o/q:v1"),
    ];
    insta::assert_snapshot!(brief(found(RULE, &stream(&packages))), @"info: crossplane-version (v2.0.2)");
    let known = [packages[0].clone(), core("v2.3.4", "--activation=x")];
    assert_eq!(found(RULE, &stream(&known)), "", "the image of the core sets the version");
    assert_eq!(found(&format!("{RULE}, crossplane: {{version: v2.3.4}}"), &stream(&packages)), "");
    assert_eq!(found(RULE, &core("latest", "--activation=x")), "", "no package");
}
