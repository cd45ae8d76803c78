//! Style Rewrite: packages that need others of a registry that moves.

use super::{changes, package, stream};

const FAMILY: &str = "xpkg.crossplane.io/crossplane-contrib/provider-family-aws";

fn spec(more: &str) -> String {
    format!("style: Rewrite, {}, {more}", super::RULE)
}

#[test]
fn a_family_and_what_the_config_knows() {
    let s3 = package("Provider", "s3", "xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0");
    let family = package("Provider", "family", &format!("{FAMILY}:v2.6.0"));
    let known = format!("packages: {{'{FAMILY}:v2.6.0': {{dependsOn: []}}}}");
    let both = stream(&[s3.clone(), family]);
    insta::assert_snapshot!(changes(&spec(&known), &both), @"error: standard input:1:1: Provider s3 needs xpkg.crossplane.io/crossplane-contrib/provider-family-aws, by that name: Crossplane would install it from there, beside or instead of that of the mirror. Use style ImageConfig (Crossplane v1.20 or later), or write `dependencies: Skip` and have all of them in the input [package-dependency]");
    insta::assert_snapshot!(changes(&spec(&format!("dependencies: Skip, {known}")), &s3), @"error: standard input:1:1: Provider s3 needs xpkg.crossplane.io/crossplane-contrib/provider-family-aws, which is not in the input, and with `dependencies: Skip` nobody installs it: add it as a package of its own [package-dependency]");
    insta::assert_snapshot!(changes(&spec(&format!("dependencies: Skip, {known}")), &both), @r#"
        -spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0'} # kept
        +spec: {package: 'registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0', skipDependencyResolution: true} # kept
        -spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-family-aws:v2.6.0'} # kept
        +spec: {package: 'registry.example.com/xpkg/crossplane-contrib/provider-family-aws:v2.6.0'} # kept
    "#);
}

#[test]
fn what_is_not_known_is_said_once() {
    let manifest = stream(&[
        package("Configuration", "a", "xpkg.crossplane.io/o/a:v1"),
        package("Configuration", "b", "xpkg.crossplane.io/o/b:v1"),
        package("Configuration", "c", "a.io/o/c:v1"),
    ]);
    insta::assert_snapshot!(changes(&spec("packages: {}"), &manifest), @r#"
        -spec: {package: 'xpkg.crossplane.io/o/a:v1'} # kept
        +spec: {package: 'registry.example.com/xpkg/o/a:v1'} # kept
        -spec: {package: 'xpkg.crossplane.io/o/b:v1'} # kept
        +spec: {package: 'registry.example.com/xpkg/o/b:v1'} # kept
        warning: what these packages need is not known, and what they need below a `from` would still be pulled from there: Configuration a (xpkg.crossplane.io/o/a:v1), Configuration b (xpkg.crossplane.io/o/b:v1). Write it under `packages` in the spec, `dependsOn: []` for one that needs none [package-dependency]
        info: Configuration c stays as it is: no rule has a `from` above a.io/o/c [package-source]
    "#);
    let known = "packages: {'xpkg.crossplane.io/o/a:v1': {dependsOn: ['a.io/o/x >=v1']}, 'xpkg.crossplane.io/o/b:v1': {dependsOn: []}}";
    assert!(!changes(&spec(known), &manifest).contains("package-dependency"));
}
