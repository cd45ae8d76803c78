//! Digests: packages without a digest, and pins that keep the version visible.

use super::{RULE, changes, core, image_config, package, run_all, stream};
use crate::support::results::{brief, worded};

const ONE: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";
const TWO: &str = "sha256:2222222222222222222222222222222222222222222222222222222222222222";
const THREE: &str = "sha256:3333333333333333333333333333333333333333333333333333333333333333";

/// A spec that pins, with these `packages`.
fn pins(packages: &str) -> String {
    format!("{RULE}, digests: Pin, packages: {{{packages}}}")
}

/// The reports, without changes.
fn reported(spec: &str, manifest: &str) -> String {
    let text = changes(spec, manifest);
    let lines = text.lines().filter(|line| !line.starts_with(['+', '-']));
    lines.map(|line| line.replace(ONE, "sha256:1…").replace(TWO, "sha256:2…") + "\n").collect()
}

/// The ImageConfigs that pin: the matched prefix and the new prefix.
fn pinned(spec: &str, manifest: &str) -> String {
    let (output, run) = run_all(spec, manifest);
    assert!(!run.failed(), "{:#?}", run.results);
    let text = output.replace(ONE, "sha256:1…").replace(TWO, "sha256:2…").replace(THREE, "sha256:3…");
    let mut pairs = Vec::new();
    for document in text.split("---\n").filter(|document| document.contains("-pin-")) {
        let value = |key: &str| {
            document.lines().rfind(|line| line.trim().starts_with(key)).unwrap_or_default().trim().to_owned()
        };
        let first =
            document.lines().find(|line| line.trim().starts_with("prefix:")).unwrap_or_default().trim().to_owned();
        pairs.push(format!("{first}\n  {}\n", value("prefix:")));
    }
    pairs.concat()
}

#[test]
fn missing_digests_are_errors_if_required() {
    let manifest = stream(&[
        core("v2.3.4", "--provider=xpkg.crossplane.io/o/init:v1"),
        package("Provider", "known", "xpkg.crossplane.io/o/known:v1.0.0"),
        package("Provider", "own", &format!("xpkg.crossplane.io/o/own@{TWO}")),
        package("Provider", "none", "xpkg.crossplane.io/o/none:v1.0.0"),
        package("Provider", "filled", "${REGISTRY}/o/none:v1.0.0"),
    ]);
    let spec = format!(
        "{RULE}, digests: Require, packages: {{'xpkg.crossplane.io/o/known:v1.0.0': {{digest: '{ONE}'}}, 'quay.io/crossplane/crossplane:v2.3.4': {{digest: '{TWO}'}}, 'a.io/o/gone:v1': {{digest: '{TWO}'}}}}"
    );
    insta::assert_snapshot!(worded(reported(&spec, &manifest)), @"
    error: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane-init: xpkg.crossplane.io/o/init:v1 has no digest, and `packages` has none for it: add it with `hostnet mirror pin -c CONFIG xpkg.crossplane.io/o/init:v1` [package-digest]
    error: standard input:22:1: Provider none: xpkg.crossplane.io/o/none:v1.0.0 has no digest, and `packages` has none for it: add it with `hostnet mirror pin -c CONFIG xpkg.crossplane.io/o/none:v1.0.0` [package-digest]
    warning: standard input:27:1: Provider filled is not changed: `${REGISTRY}/o/none` is not a name of a package, or is filled in later [package-source]
    info: nothing in the input uses a.io/o/gone:v1, of `packages`; `hostnet mirror pin --prune` removes it [package-digest]
    ");
}

#[test]
fn images_get_the_digest_after_the_tag() {
    let workload = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: a, image: nginx}\n      - {name: b, image: 'quay.io/o/b:v1'} # kept\n      - {name: c, image: 'm.io/hub/library/nginx:latest'}\n";
    let spec = format!(
        "rules: [{{from: docker.io, to: m.io/hub}}], select: [{{kind: Job}}], digests: Pin, packages: {{'docker.io/nginx:latest': {{digest: '{ONE}'}}, 'quay.io/o/b:v1': {{digest: '{TWO}'}}}}"
    );
    insta::assert_snapshot!(changes(&spec, workload).replace(ONE, "sha256:1…").replace(TWO, "sha256:2…"), @r"
    -      - {name: a, image: nginx}
    -      - {name: b, image: 'quay.io/o/b:v1'} # kept
    -      - {name: c, image: 'm.io/hub/library/nginx:latest'}
    +      - {name: a, image: m.io/hub/library/nginx@sha256:1…}
    +      - {name: b, image: 'quay.io/o/b:v1@sha256:2…'} # kept
    +      - {name: c, image: 'm.io/hub/library/nginx:latest@sha256:1…'}
    ");
    insta::assert_snapshot!(worded(reported(&spec, &workload.replace("o/b:v1", "o/b:v2"))), @"
    error: standard input:1:1: Job j: the image of container b, quay.io/o/b:v2, has no digest, and `packages` has none for it: add it with `hostnet mirror pin` [package-digest]
    info: nothing in the input uses quay.io/o/b:v1, of `packages`; `hostnet mirror pin --prune` removes it [package-digest]
    ");
}

/// The version stays readable, and dependencies are pinned too.
#[test]
fn each_package_is_pinned_by_an_image_config() {
    let manifest = stream(&[
        package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0"),
        package("Provider", "a", "xpkg.crossplane.io/o/a:v1.2.1"),
    ]);
    let four = format!("sha256:{}", "4".repeat(64));
    let spec = pins(&format!(
        "'xpkg.crossplane.io/o/platform:v1.0.0': {{digest: '{ONE}', dependsOn: ['xpkg.crossplane.io/o/a >=v1.0.0', 'xpkg.crossplane.io/o/b', 'xpkg.crossplane.io/o/c {four}']}}, 'xpkg.crossplane.io/o/a:v1.2.1': {{digest: '{TWO}', dependsOn: []}}, 'xpkg.crossplane.io/o/b:v3.0.0': {{digest: '{THREE}', dependsOn: []}}"
    ));
    insta::assert_snapshot!(pinned(&spec, &manifest), @r"
    prefix: xpkg.crossplane.io/o/a:v1.2.1
      prefix: registry.example.com/xpkg/o/a@sha256:2…
    prefix: xpkg.crossplane.io/o/b:v3.0.0
      prefix: registry.example.com/xpkg/o/b@sha256:3…
    prefix: xpkg.crossplane.io/o/platform:v1.0.0
      prefix: registry.example.com/xpkg/o/platform@sha256:1…
    ");
    insta::assert_snapshot!(brief(reported(&spec, &manifest)), @"warning: package-digest (v1.2.1, v1.2.10, xpkg.crossplane.io/o/a:v1.2.1, xpkg.crossplane.io/o/b:v3.0.0, xpkg.crossplane.io/o/platform:v1.0.0)");
}

/// `:v1.2.1` is a prefix of `:v1.2.10`, and of `:v1.2.1` with a digest.
#[test]
fn references_that_continue_a_pin_get_a_longer_prefix() {
    let manifest = stream(&[
        package("Provider", "a", "xpkg.crossplane.io/o/a:v1.2.1"),
        package("Provider", "b", "xpkg.crossplane.io/o/a:v1.2.10"),
        package("Provider", "c", &format!("xpkg.crossplane.io/o/a:v1.2.1@{TWO}")),
    ]);
    let of = |more: &str| pins(&format!("'xpkg.crossplane.io/o/a:v1.2.1': {{digest: '{ONE}', dependsOn: []}}{more}"));
    insta::assert_snapshot!(pinned(&of(&format!(", 'xpkg.crossplane.io/o/a:v1.2.10': {{digest: '{TWO}', dependsOn: []}}")), &manifest), @r"
    prefix: xpkg.crossplane.io/o/a:v1.2.1
      prefix: registry.example.com/xpkg/o/a@sha256:1…
    prefix: xpkg.crossplane.io/o/a:v1.2.10
      prefix: registry.example.com/xpkg/o/a@sha256:2…
    prefix: xpkg.crossplane.io/o/a:v1.2.1@sha256:2…
      prefix: registry.example.com/xpkg/o/a:v1.2.1@sha256:2…
    ");
}

/// A pin of an earlier run still matches.
#[test]
fn pins_of_earlier_runs_are_considered() {
    let of = |tag: &str, digest: &str| {
        pins(&format!("'xpkg.crossplane.io/o/a:{tag}': {{digest: '{digest}', dependsOn: []}}"))
    };
    let before = run_all(&of("v1.2.1", ONE), &package("Provider", "a", "xpkg.crossplane.io/o/a:v1.2.1")).0;
    // Another digest of the same tag updates the same ImageConfig.
    insta::assert_snapshot!(brief(changes(&of("v1.2.1", TWO), &before).replace(ONE, "sha256:1…").replace(TWO, "sha256:2…")), @"
    -    prefix: registry.example.com/xpkg/o/a@sha256:1…
    +    prefix: registry.example.com/xpkg/o/a@sha256:2…
    warning: package-digest (v1.2.1, v1.2.10, xpkg.crossplane.io/o/a:v1.2.1)
    ");
    let newer = before.replace("package: 'xpkg.crossplane.io/o/a:v1.2.1'", "package: 'xpkg.crossplane.io/o/a:v1.2.10'");
    insta::assert_snapshot!(worded(reported(&of("v1.2.10", TWO), &newer)), @"
    warning: Crossplane compares prefixes: a later package whose reference continues a pinned one (`:v1.2.10` after `:v1.2.1`) gets an invalid reference. Run hostnet again with that package in the input. Pinned: xpkg.crossplane.io/o/a:v1.2.10 [package-digest]
    info: ImageConfig mine-pin-5ad20272 pins `xpkg.crossplane.io/o/a:v1.2.1`, which no package here uses or the config does not pin: remove it [package-digest]
    ");
    insta::assert_snapshot!(pinned(&of("v1.2.10", TWO), &newer), @r"
    prefix: xpkg.crossplane.io/o/a:v1.2.10
      prefix: registry.example.com/xpkg/o/a@sha256:2…
    prefix: xpkg.crossplane.io/o/a:v1.2.1
      prefix: registry.example.com/xpkg/o/a@sha256:1…
    ");
}

#[test]
fn a_digest_hides_the_version_that_others_need() {
    let known = "packages: {'xpkg.crossplane.io/o/platform:v1.0.0': {dependsOn: ['xpkg.crossplane.io/o/a >=v1.0.0']}}";
    let with = |source: String| {
        let own =
            [package("Configuration", "p", "xpkg.crossplane.io/o/platform:v1.0.0"), package("Provider", "a", &source)];
        reported(&format!("{RULE}, {known}"), &stream(&own))
    };
    insta::assert_snapshot!(worded(with(format!("xpkg.crossplane.io/o/a@{ONE}"))), @"warning: standard input:6:1: Provider a is named by its digest, and xpkg.crossplane.io/o/platform:v1.0.0 needs xpkg.crossplane.io/o/a by a range of versions: Crossplane finds no version to compare and reports `invalid semantic version`. Name it by its tag; `digests: Pin` pins it by an ImageConfig [package-digest]");
    insta::assert_snapshot!(brief(with(format!("xpkg.crossplane.io/o/a:v1.0.0@{ONE}"))), @"error: package-dependency Provider a (6:1, xpkg.crossplane.io/o/a:v1.0.0)");
    assert_eq!(with("xpkg.crossplane.io/o/a:v1.0.0".to_owned()), "");
}

#[test]
fn style_rewrite_pins_packages_without_dependents() {
    let manifest = stream(&[
        package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0"),
        core("v1.18.0", "--provider=xpkg.crossplane.io/o/init:v1"),
    ]);
    let alone = format!(
        "style: Rewrite, {}",
        pins(&format!(
            "'xpkg.crossplane.io/o/platform:v1.0.0': {{digest: '{ONE}', dependsOn: []}}, 'xpkg.crossplane.io/o/init:v1': {{digest: '{TWO}', dependsOn: []}}, 'quay.io/crossplane/crossplane:v1.18.0': {{digest: '{TWO}'}}"
        ))
    );
    insta::assert_snapshot!(brief(changes(&alone, &manifest).replace(ONE, "sha256:1…").replace(TWO, "sha256:2…")), @"
    -spec: {package: 'xpkg.crossplane.io/o/platform:v1.0.0'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/platform:v1.0.0@sha256:1…'} # kept
    -      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.18.0', args: [core, init, --provider=xpkg.crossplane.io/o/init:v1]}
    +      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.18.0@sha256:2…', args: [core, init, --provider=registry.example.com/xpkg/o/init:v1@sha256:2…]}
    -      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v1.18.0', args: [core, start]}
    +      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v1.18.0@sha256:2…', args: [core, start]}
    info: package-source Deployment crossplane-system/crossplane
    ");
    let needed = alone.replacen("dependsOn: []", "dependsOn: ['xpkg.crossplane.io/o/init >=v1.0.0']", 1);
    let manifest = stream(&[manifest, package("Provider", "init", "xpkg.crossplane.io/o/init:v1")]);
    // With `skipDependencyResolution`, Crossplane compares no versions.
    assert!(!reported(&format!("dependencies: Skip, {needed}"), &manifest).contains("is not pinned"));
    let elsewhere = |text: &str| text.replace("xpkg.crossplane.io/o/init", "a.io/o/init");
    insta::assert_snapshot!(worded(reported(&elsewhere(&needed), &elsewhere(&manifest))), @"
    error: standard input:6:1: Deployment crossplane-system/crossplane: container crossplane-init is not pinned: xpkg.crossplane.io/o/platform:v1.0.0 needs it by a range of versions, and Crossplane reads the digest as the version. Style ImageConfig (Crossplane v1.20 or later) pins it; else write `digests: Require` [package-digest]
    error: standard input:17:1: Provider init is not pinned: xpkg.crossplane.io/o/platform:v1.0.0 needs it by a range of versions, and Crossplane reads the digest as the version. Style ImageConfig (Crossplane v1.20 or later) pins it; else write `digests: Require` [package-digest]
    info: Deployment crossplane-system/crossplane: container crossplane-init installs each Provider under a name that it makes of the path: if this name changes, it creates a second object in the cluster. Remove the old object from the cluster [package-source]
    info: Provider init is not changed: no rule has a `from` above a.io/o/init [package-source]
    ");
}

/// An ImageConfig for a tag in the mirror does not match a package that is pulled by digest.
#[test]
fn pins_that_bypass_verification_are_errors() {
    let own = package("Provider", "a", "xpkg.crossplane.io/o/a:v1");
    let spec = pins(&format!("'xpkg.crossplane.io/o/a:v1': {{digest: '{ONE}', dependsOn: []}}"));
    let with = |prefix: &str| {
        let theirs = image_config("theirs", prefix, "verification: {provider: Cosign}");
        let text = reported(&spec, &stream(&[own.clone(), theirs]));
        let text: String = text.lines().filter(|line| line.contains("theirs")).collect();
        format!("{prefix}\n  {text}\n")
    };
    let text = [
        "xpkg.crossplane.io/o/a:v1",
        "registry.example.com/xpkg/o/a:v1",
        "registry.example.com/xpkg/o/a",
        "xpkg.crossplane.io/o/a",
    ]
    .map(with);
    insta::assert_snapshot!(worded(text.concat()), @"
    xpkg.crossplane.io/o/a:v1
      error: standard input:6:1: ImageConfig theirs verifies signatures of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer matches any. Add to its `matchImages`: {type: Prefix, prefix: registry.example.com/xpkg/o/a@} [package-source]
    registry.example.com/xpkg/o/a:v1
      error: standard input:6:1: ImageConfig theirs verifies signatures of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer matches any. Add to its `matchImages`: {type: Prefix, prefix: registry.example.com/xpkg/o/a@} [package-source]
    registry.example.com/xpkg/o/a
      
    xpkg.crossplane.io/o/a
      error: standard input:6:1: ImageConfig theirs verifies signatures of images by their old names, but Crossplane compares them with the names in the mirror, so it no longer matches any. Add to its `matchImages`: {type: Prefix, prefix: registry.example.com/xpkg/o/a} [package-source]
    ");
}

#[test]
fn another_rewrite_of_the_same_reference() {
    let own = package("Provider", "a", "xpkg.crossplane.io/o/a:v1");
    let spec = pins(&format!("'xpkg.crossplane.io/o/a:v1': {{digest: '{ONE}', dependsOn: []}}"));
    let with = |prefix: &str, new: &str| {
        stream(&[own.clone(), image_config("theirs", prefix, &format!("rewriteImage: {{prefix: '{new}'}}"))])
    };
    insta::assert_snapshot!(worded(reported(&spec, &with("xpkg.crossplane.io/o/a:v1", "b.io/x/a:v1"))), @"
    error: standard input:6:1: ImageConfig theirs rewrites `xpkg.crossplane.io/o/a:v1` too, and it is undefined which of two ImageConfigs with the same prefix wins: remove it, or write `digests: Keep` [package-digest]
    warning: Crossplane compares prefixes: a later package whose reference continues a pinned one (`:v1.2.10` after `:v1.2.1`) gets an invalid reference. Run hostnet again with that package in the input. Pinned: xpkg.crossplane.io/o/a:v1 [package-digest]
    ");
    // A longer prefix than the `from` of the rule leads the package elsewhere, and the pin uses that location.
    insta::assert_snapshot!(pinned(&spec, &with("xpkg.crossplane.io/o/", "b.io/x/")), @r"
    prefix: xpkg.crossplane.io/o/a:v1
      prefix: b.io/x/a@sha256:1…
    ");
}

/// A package gets one report.
#[test]
fn missing_digests_are_reported_once() {
    let manifest = package("Provider", "p10", "xpkg.crossplane.io/o/p:v1.2.10");
    insta::assert_snapshot!(brief(reported(&pins(&format!("'xpkg.crossplane.io/o/p:v1.2.1': {{digest: '{ONE}'}}")), &manifest)), @"
    error: package-digest Provider p10 (1:1, xpkg.crossplane.io/o/p:v1.2.10)
    info: package-digest (xpkg.crossplane.io/o/p:v1.2.1)
    ");
}
