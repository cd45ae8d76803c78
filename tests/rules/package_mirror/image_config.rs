//! Style ImageConfig: the new ImageConfigs, and the unchanged packages.

use super::{RULE, changes, core, image_config, package, stream};
use crate::support::results::{brief, worded};

#[test]
fn packages_are_unchanged_and_each_rule_makes_an_image_config() {
    let manifest = stream(&[
        package("Provider", "s3", "xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0"),
        package("Configuration", "platform", "xpkg.upbound.io/acme/platform:v1"),
    ]);
    let spec = format!("{RULE}, pullSecret: registry-credentials");
    insta::assert_snapshot!(brief(changes(&spec, &manifest)), @"
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: registry.example.com/xpkg/
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    +metadata:
    +  name: mine-auth-70344d17
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: registry.example.com/xpkg/
    +  registry:
    +    authentication:
    +      pullSecretRef:
    +        name: registry-credentials
    +---
    info: package-source Configuration platform
    ");
}

/// Another rule, or another target, does not change the name of an ImageConfig.
#[test]
fn names_depend_only_on_their_own_rule() {
    let manifest = package("Provider", "s3", "xpkg.crossplane.io/o/p:v1");
    let name = |spec: &str| {
        let text = changes(spec, &manifest);
        text.lines().find(|line| line.contains("name: mine-")).unwrap().to_owned()
    };
    let first = name(RULE);
    let more = "rules: [{from: xpkg.crossplane.io, to: other.example.com}, {from: a.io, to: b.io}]";
    assert_eq!(first, name(more));
}

#[test]
fn packages_installed_by_the_core_are_covered() {
    let manifest = core("v2.3.4", "--provider, xpkg.crossplane.io/o/p:v1");
    insta::assert_snapshot!(changes(RULE, &manifest), @r#"
        +---
        +apiVersion: pkg.crossplane.io/v1beta1
        +kind: ImageConfig
        +metadata:
        +  name: mine-81a80ec7
        +spec:
        +  matchImages:
        +  - type: Prefix
        +    prefix: xpkg.crossplane.io/
        +  rewriteImage:
        +    prefix: registry.example.com/xpkg/
    "#);
}

#[test]
fn our_own_image_config_follows_the_config() {
    let manifest = package("Provider", "s3", "xpkg.crossplane.io/o/p:v1");
    let (before, _) = super::run_all(RULE, &manifest);
    let other = "rules: [{from: xpkg.crossplane.io, to: registry.example.com/new}]";
    insta::assert_snapshot!(changes(other, &before), @r#"
        -    prefix: registry.example.com/xpkg/
        +    prefix: registry.example.com/new/
    "#);
    let taken = before.replace("prefix: xpkg.crossplane.io/", "prefix: xpkg.example.com/");
    insta::assert_snapshot!(worded(changes(other, &taken)), @"error: standard input:6:1: ImageConfig mine-81a80ec7 has the name of the ImageConfig for `xpkg.crossplane.io/`, and another purpose: rename it, or give this config another `metadata.name` [package-source]");
}

#[test]
fn one_image_config_names_the_pull_secret() {
    let theirs =
        image_config("theirs", "registry.example.com/xpkg/", "registry: {authentication: {pullSecretRef: {name: x}}}");
    let manifest = stream(&[package("Provider", "s3", "xpkg.crossplane.io/o/p:v1"), theirs]);
    let same = changes(&format!("{RULE}, pullSecret: x"), &manifest);
    assert!(same.contains("rewriteImage") && !same.contains("mine-auth-"), "{same}");
    insta::assert_snapshot!(worded(changes(&format!("{RULE}, pullSecret: y"), &manifest)), @"error: standard input:6:1: ImageConfig theirs names Secret x for `registry.example.com/xpkg/`, and the config names y: it is undefined which of two ImageConfigs with the same prefix wins. Leave out one of them [package-source]");
}

#[test]
fn an_image_config_cannot_exclude_a_package() {
    let manifest = stream(&[
        package("Provider", "s3", "xpkg.crossplane.io/o/p:v1"),
        package("Provider", "s3-dev", "xpkg.crossplane.io/o/q:v1"),
    ]);
    insta::assert_snapshot!(worded(changes(&format!("{RULE}, exclude: [{{name: .*-dev}}]"), &manifest)), @"
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: registry.example.com/xpkg/
    +---
    warning: standard input:6:1: Provider s3-dev is excluded by the config, but still comes from the mirror: an ImageConfig applies to every package below xpkg.crossplane.io/. Narrow that `from`, or use style Rewrite [package-source]
    ");
}

#[test]
fn other_image_configs_with_the_same_images() {
    let own = package("Provider", "s3", "xpkg.crossplane.io/o/p:v1");
    let with = |prefix: &str, more: &str| {
        let text = changes(RULE, &stream(&[own.clone(), image_config("theirs", prefix, more)]));
        let log = text.lines().filter(|line| !line.starts_with('+') && !line.starts_with('-'));
        format!("{prefix} {more}\n  {}\n", log.collect::<Vec<_>>().join("\n  "))
    };
    let text: String = [
        ("xpkg.crossplane.io/", "rewriteImage: {prefix: a.io/}"),
        ("xpkg.crossplane.io/o/", "rewriteImage: {prefix: a.io/o/}"),
        ("xpkg.upbound.io/", "rewriteImage: {prefix: a.io/}"),
        ("xpkg.crossplane.io/o/p", "runtime: {configRef: {name: x}}"),
        ("xpkg.", "verification: {provider: Cosign}"),
        ("xpkg.crossplane.io/", "registry: {authentication: {pullSecretRef: {name: x}}}"),
        ("registry.example.com/xpkg/o/p", "runtime: {configRef: {name: x}}"),
        ("registry.example.com/xpkg/", "registry: {authentication: {pullSecretRef: {name: x}}}"),
        ("", "verification: {provider: Cosign}"),
    ]
    .map(|(prefix, more)| with(prefix, more))
    .concat();
    insta::assert_snapshot!(worded(text), @"
    xpkg.crossplane.io/ rewriteImage: {prefix: a.io/}
      error: standard input:6:1: ImageConfig theirs rewrites `xpkg.crossplane.io/` too, and it is undefined which of two ImageConfigs with the same prefix wins: remove it, or the rule [package-source]
    xpkg.crossplane.io/o/ rewriteImage: {prefix: a.io/o/}
      info: ImageConfig theirs rewrites `xpkg.crossplane.io/o/` and wins there: its prefix is longer than `xpkg.crossplane.io/` [package-source]
    xpkg.upbound.io/ rewriteImage: {prefix: a.io/}
      
    xpkg.crossplane.io/o/p runtime: {configRef: {name: x}}
      error: standard input:6:1: ImageConfig theirs chooses a runtime config of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer matches any. Add to its `matchImages`: {type: Prefix, prefix: registry.example.com/xpkg/o/p} [package-source]
    xpkg. verification: {provider: Cosign}
      error: standard input:6:1: ImageConfig theirs verifies signatures of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer matches any. Add to its `matchImages`: {type: Prefix, prefix: registry.example.com/xpkg/} [package-source]
    xpkg.crossplane.io/ registry: {authentication: {pullSecretRef: {name: x}}}
      warning: standard input:6:1: ImageConfig theirs names a pull secret of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer matches any. Add to its `matchImages`: {type: Prefix, prefix: registry.example.com/xpkg/} [package-source]
    registry.example.com/xpkg/o/p runtime: {configRef: {name: x}}
      
    registry.example.com/xpkg/ registry: {authentication: {pullSecretRef: {name: x}}}
      
     verification: {provider: Cosign}
    ");
}

/// Crossplane rewrites a reference once: `chain` does not rewrite the names that `team` makes.
#[test]
fn a_name_made_by_one_image_config_is_not_rewritten_by_another() {
    let team = image_config("team", "a.io/acme/", "rewriteImage: {prefix: b.io/team/}");
    let chain = image_config("chain", "b.io/team/", "rewriteImage: {prefix: c.io/x/}");
    let reported = |spec: &str, source: &str, prefix: &str| {
        let verify = image_config("verify", prefix, "verification: {provider: Cosign}");
        let own = package("Function", "a", source);
        let text = changes(spec, &stream(&[own, team.clone(), chain.clone(), verify]));
        text.lines()
            .filter(|line| line.contains("ImageConfig verify"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    for prefix in ["b.io/", "b.io/team/", "b.io/team/function-a"] {
        assert_eq!(reported(RULE, "a.io/acme/function-a:v1", prefix), "", "{prefix}");
        // A package that `chain` rewrites.
        let message = reported(RULE, "b.io/team/function-a:v1", prefix);
        assert!(message.contains("it no longer matches any") && message.contains("c.io/x/"), "{prefix}: {message}");
    }
    let message = reported(RULE, "a.io/acme/function-a:v1", "a.io/acme/function-");
    assert!(message.contains("prefix: b.io/team/function-}"), "{message}");
}

/// A registry that is not moved, but requires credentials.
#[test]
fn a_rule_may_only_add_credentials() {
    let rules = "rules: [{from: registry.corp.example, to: registry.corp.example}], crossplane: {version: v2.3.4}";
    let own = package("Function", "a", "registry.corp.example/o/a:v1");
    let spec = format!("{rules}, pullSecret: mine");
    insta::assert_snapshot!(changes(&spec, &own), @"
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    +metadata:
    +  name: mine-auth-9e8b58df
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: registry.corp.example/
    +  registry:
    +    authentication:
    +      pullSecretRef:
    +        name: mine
    ");
    let old = spec.replace("v2.3.4", "v1.19.0");
    insta::assert_snapshot!(changes(&old, &own), @"
    -spec: {package: 'registry.corp.example/o/a:v1'} # kept
    +spec: {package: 'registry.corp.example/o/a:v1', packagePullSecrets: [{name: mine}]} # kept
    ");
    insta::assert_snapshot!(super::config(rules).unwrap_err(), @"mirror.yaml:4:50: `registry.corp.example` is both `from` and `to`: such a rule only sets the credentials of a registry, and the spec has no `pullSecret`; write `pullSecret: registry-credentials`, or the mirror as `to`");
    let below = "rules: [{from: a.io, to: m.io}, {from: a.io/own, to: a.io/own}], pullSecret: mine";
    assert!(super::config(below).unwrap_err().contains("so a second run would move it again"));
}

/// With two ImageConfigs of the same prefix, Crossplane may use either.
#[test]
fn two_image_configs_with_one_prefix() {
    let one = |name: &str, prefix: &str, more: &str| image_config(name, prefix, more);
    let own = package("Provider", "a", "b.io/o/a:v1.0.0");
    let first = one("one", "b.io/o/", "rewriteImage: {prefix: m.io/one/}");
    let second = one("two", "b.io/o/", "rewriteImage: {prefix: m.io/two/}");
    let spec = format!("{RULE}, crossplane: {{version: v2.3.4}}");
    let warned = |others: &[&String]| {
        let manifest: Vec<String> = std::iter::once(&own).chain(others.iter().copied()).cloned().collect();
        let text = changes(&spec, &stream(&manifest));
        text.lines().filter(|line| line.starts_with("warning: ")).map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(worded(warned(&[&first, &second])), @"warning: standard input:11:1: ImageConfig one rewrites `b.io/o/` to `m.io/one/` and ImageConfig two to `m.io/two/`, and it is undefined which of two ImageConfigs with the same prefix wins: remove that prefix from one of them [package-source]");
    for other in [
        one("two", "b.io/o/", "rewriteImage: {prefix: m.io/one/}"),
        one("two", "b.io/o", "rewriteImage: {prefix: m.io/two/}"),
        one("two", "b.io/o/", "registry: {authentication: {pullSecretRef: {name: x}}}"),
        one("one", "b.io/o/", "rewriteImage: {prefix: m.io/two/}"),
    ] {
        assert!(!warned(&[&first, &other]).contains("undefined"), "{other}");
    }
    // Of prefixes below a rule, only one with a single target wins.
    let wins = |others: &[&String]| {
        let manifest: Vec<String> = std::iter::once(&own).chain(others.iter().copied()).cloned().collect();
        changes("rules: [{from: b.io, to: r.example.com/b}]", &stream(&manifest)).matches("and wins there").count()
    };
    let third = one("three", "b.io/o/x", "rewriteImage: {prefix: m.io/three/}");
    assert_eq!(
        [wins(&[&first]), wins(&[&first, &second]), wins(&[&first, &second, &third]), wins(&[&first, &third])],
        [1, 0, 1, 2]
    );
    let folder = tempfile::tempdir().unwrap();
    let config =
        format!("apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{{spec}}}\n");
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    std::fs::write(folder.path().join("a.yaml"), stream(&[first, second])).unwrap();
    for command in [&["list"][..], &["script", "--tool", "crane"], &["verify"]] {
        let run = crate::support::run::hostnet(
            folder.path(),
            &[&["mirror"], command, &["-c", "mirror.yaml", "a.yaml"]].concat(),
            b"",
        );
        let log = format!("{}{}", run.text(), run.stderr);
        assert!(
            run.code == Some(0) && log.contains("warning: ImageConfig one rewrites `b.io/o/`"),
            "{command:?}: {log}"
        );
    }
}

/// Each prefix is named once.
#[test]
fn several_prefixes_of_an_image_config_are_listed_once() {
    let secret = "registry: {authentication: {pullSecretRef: {name: s}}}";
    let spec =
        "rules: [{from: a.io/one, to: m.io/one}, {from: a.io/two, to: m.io/two}, {from: a.io/three, to: m.io/three}]";
    let text =
        changes(spec, &stream(&[image_config("team", "a.io/", secret), package("Function", "a", "a.io/one/a:v1")]));
    let own = text.lines().find(|line| line.contains("Add to its `matchImages`")).unwrap_or_default();
    assert!(own.contains("{type: Prefix, prefix: m.io/one/}, and such an entry for m.io/two/, m.io/three/"), "{own}");
}
