//! Rule `unmatched`: selects and rules that match no object.

use super::{changes, package};
use crate::support::results::{brief, worded};

#[test]
fn a_select_that_matches_nothing_is_reported() {
    let manifest = package("Provider", "s3", "xpkg.crossplane.io/o/p:v1");
    insta::assert_snapshot!(worded(changes(&format!("{}, select: [{{kind: Provider, name: s4}}]", super::RULE), &manifest)), @"warning: mirror.yaml:4:85: the select matches nothing in the input. No workload or package of the input has `name: s4` [unmatched]");
    insta::assert_snapshot!(worded(changes(super::RULE, "{apiVersion: v1, kind: Service, metadata: {name: a}}\n")), @"warning: the input holds neither a package nor Crossplane's core, so nothing is moved [unmatched]");
}

#[test]
fn a_select_that_matches_a_package_is_not_reported() {
    let manifest = package("Provider", "s3", "xpkg.crossplane.io/o/p:v1");
    let log = changes(&format!("{}, select: [{{kind: Provider, name: s3}}]", super::RULE), &manifest);
    assert!(log.contains("registry.example.com/xpkg") && !log.contains("[unmatched]"), "{log}");
}

#[test]
fn a_glob_in_exclude_is_reported() {
    let manifest = package("Provider", "provider-s3", "xpkg.crossplane.io/o/p:v1");
    let reported = |name: &str| changes(&format!("{}, exclude: [{{name: '{name}'}}]", super::RULE), &manifest);
    insta::assert_snapshot!(brief(reported("provider-s*").lines().filter(|line| line.contains("[unmatched]")).collect::<String>()), @"warning: unmatched (mirror.yaml:4:86)");
    assert!(!reported("provider-s.*").contains("this entry"));
    let two = format!("{manifest}---\n{}", manifest.replace("provider-s3", "provider-s3-2"));
    for list in ["exclude", "select"] {
        let log = changes(&format!("{}, {list}: [{{name: 'provider-s3*'}}]", super::RULE), &two);
        let found = log.lines().filter(|line| line.contains("[unmatched]")).collect::<String>();
        assert!(found.contains("Provider provider-s3-2: `name: provider-s3*` (did you mean"), "{list}: {log}");
    }
}

/// Packages in values of Crossplane's chart are packages of the input.
#[test]
fn a_release_of_crossplanes_chart_is_no_input_without_a_core() {
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: flux}}\nspec:\n  chart: {{spec: \
             {{chart: crossplane, version: v2.3.4}}}}\n{values}"
        )
    };
    let packages = release("  values: {provider: {packages: ['xpkg.crossplane.io/o/a:v1']}}\n");
    let log = changes(super::RULE, &packages);
    assert!(log.contains("rewriteImage") && !log.contains("[unmatched]"), "{log}");
    insta::assert_snapshot!(worded(changes(super::RULE, &release(""))), @"warning: standard input:1:1: HelmRelease flux/crossplane installs Crossplane's core by its chart, which is not rendered here, and the input holds no package, so nothing is moved. Add the output of the script that `hostnet charts` prints [unmatched]");
}
