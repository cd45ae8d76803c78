//! Crossplane's own store of ImageConfigs reads the written ImageConfigs.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::{package, run_all};
use crate::support::crossplane::judged;
use crate::support::{find_program, not_run, run, text};

#[test]
fn crossplane_rewrites_and_authenticates_as_configured() {
    let Some(program) = find_program("imageconfig") else {
        return not_run("imageconfig is missing (`make tools` builds it with Go)");
    };
    let spec = "rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}, {from: xpkg.crossplane.io/own, to: \
                'other.example.com:5000'}, {from: 'a.io:5000/x/y', to: 172.18.0.5:5000/y}], pullSecret: mine";
    let (output, result) = run_all(spec, &package("Function", "a", "xpkg.crossplane.io/o/a:v1"));
    assert!(!result.failed(), "{:#?}", result.results);
    let references = [
        "xpkg.crossplane.io/o/a:v1",
        "xpkg.crossplane.io/own/fn:v1",
        "xpkg.crossplane.io/owner/a:v1",
        "xpkg.crossplane.io/own/deep/a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        // Crossplane lists the versions of a dependency by a name without a tag.
        "xpkg.crossplane.io/own/fn",
        "a.io:5000/x/y/z:v1",
        "a.io:5000/x/yy/z:v1",
        "xpkg.crossplane.io.example.com/o/a:v1",
        "registry.example.com/xpkg/o/a:v1",
    ];
    let answers = asked(&program, &output, &references.map(str::to_owned))
        .replace("\x1f\n", " with nothing\n")
        .replace('\x1f', " with ");
    insta::assert_snapshot!(answers, @"
    registry.example.com/xpkg/o/a:v1 with mine
    other.example.com:5000/fn:v1 with mine
    registry.example.com/xpkg/owner/a:v1 with mine
    other.example.com:5000/deep/a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef with mine
    other.example.com:5000/fn with mine
    172.18.0.5:5000/y/z:v1 with mine
    a.io:5000/x/yy/z:v1 with nothing
    xpkg.crossplane.io.example.com/o/a:v1 with nothing
    registry.example.com/xpkg/o/a:v1 with mine
    ");
}

/// The answers of the store, one line for each reference.
fn asked(program: &Path, objects: &str, references: &[String]) -> String {
    let input = format!("{objects}\n===\n{}\n", references.join("\n"));
    let answer = run(&mut Command::new(program), input.as_bytes());
    assert!(answer.status.success(), "{}", text(&answer.stderr));
    text(&answer.stdout)
}

/// Random rules and references: the longest `from` wins, by whole segments, with any text after the name.
#[test]
fn crossplane_applies_random_rules() {
    let Some(program) = find_program("imageconfig") else {
        return not_run("imageconfig is missing (`make tools` builds it with Go)");
    };
    let digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let hosts = ["xpkg.crossplane.io", "a.io:5000", "registry.a.io"];
    let paths = ["", "/own", "/own/deep", "/owner", "/own/deep/er"];
    let ends = ["", ":v1", ":v1.2.3-rc.1", "@", ":v1@"];
    let mut dice = 2026_u64;
    let mut chance = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).unwrap() % below
    };
    for _ in 0..25 {
        let mut rules: BTreeMap<String, String> = BTreeMap::new();
        for at in 0..=chance(5) {
            let from = format!("{}{}", hosts[chance(3)], paths[chance(5)]);
            rules.insert(from, format!("{}/m{at}", ["m.io", "172.18.0.5:5000"][chance(2)]));
        }
        let references: Vec<String> = (0..20)
            .map(|_| {
                let end = ends[chance(5)].replace('@', &format!("@{digest}"));
                let path = paths[chance(5)];
                let more = ["", "/o", if path.is_empty() { "/er" } else { "er" }];
                format!("{}{path}{}/fn{end}", hosts[chance(3)], more[chance(3)])
            })
            .collect();
        let spec: Vec<String> = rules.iter().map(|(from, to)| format!("{{from: '{from}', to: '{to}'}}")).collect();
        let spec = format!("rules: [{}], pullSecret: mine", spec.join(", "));
        let (output, result) = run_all(&spec, &package("Function", "a", "xpkg.crossplane.io/o/a:v1"));
        assert!(!result.failed(), "{spec}: {:#?}", result.results);
        let meant = references.iter().map(|reference| {
            let below = rules.iter().filter(|(from, _)| reference.starts_with(&format!("{from}/")));
            match below.max_by_key(|(from, _)| from.len()) {
                Some((from, to)) => format!("{to}{}\x1fmine\n", reference.strip_prefix(from.as_str()).unwrap()),
                None => format!("{reference}\x1f\n"),
            }
        });
        assert_eq!(asked(&program, &output, &references), meant.collect::<String>(), "{spec}");
    }
}

/// A pinned package is pulled by its digest, even if another reference continues its name; its versions are still
/// listed.
#[test]
fn crossplane_pulls_pinned_packages_by_digest() {
    let Some(program) = find_program("imageconfig") else {
        return not_run("imageconfig is missing (`make tools` builds it with Go)");
    };
    let digest = |digit: char| format!("sha256:{}", digit.to_string().repeat(64));
    let known: Vec<String> = [("a:v1.2.1", '1'), ("a:v1.2.10", '2'), ("b:v1", '3')]
        .map(|(end, digit)| format!("'xpkg.crossplane.io/o/{end}': {{digest: '{}', dependsOn: []}}", digest(digit)))
        .to_vec();
    let spec = format!(
        "rules: [{{from: xpkg.crossplane.io, to: registry.example.com/xpkg}}], pullSecret: mine, digests: Pin, packages: {{{}}}",
        known.join(", ")
    );
    let whole = format!("xpkg.crossplane.io/o/b:v1@{}", digest('4'));
    let sources =
        ["xpkg.crossplane.io/o/a:v1.2.1", "xpkg.crossplane.io/o/a:v1.2.10", "xpkg.crossplane.io/o/b:v1", &whole];
    let manifest: Vec<String> =
        sources.iter().enumerate().map(|(at, source)| package("Function", &format!("f{at}"), source)).collect();
    let (output, result) = run_all(&spec, &super::stream(&manifest));
    assert!(!result.failed(), "{:#?}", result.results);
    let references: Vec<String> =
        sources.iter().map(|source| (*source).to_owned()).chain(["xpkg.crossplane.io/o/a".to_owned()]).collect();
    let to = |end: &str| format!("registry.example.com/xpkg/o/{end}\x1fmine\n");
    let want = [
        to(&format!("a@{}", digest('1'))),
        to(&format!("a@{}", digest('2'))),
        to(&format!("b@{}", digest('3'))),
        to(&format!("b:v1@{}", digest('4'))),
        to("a"),
    ];
    assert_eq!(asked(&program, &output, &references), want.concat());
    if let Some(judged) = judged("v2", &output) {
        assert_eq!(judged, Ok(4 + 2 + 4), "{output}");
    }
}

/// Random references, most of which are a prefix of another.
#[test]
fn crossplane_pulls_any_pinned_packages_by_digest() {
    let Some(program) = find_program("imageconfig") else {
        return not_run("imageconfig is missing (`make tools` builds it with Go)");
    };
    let tags = ["v1", "v1.2", "v1.2.1", "v1.2.10", "v1.2.1-rc.1", "v1.2.10-rc.1", "v10", "v1.20", "1", "latest"];
    let names = ["o/a", "o/ab", "o/a/b", "pp"];
    let mut dice = 16_u64;
    let mut chance = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).unwrap() % below
    };
    for round in 0..25 {
        let mut known = BTreeMap::new();
        let mut sources = BTreeMap::new();
        for at in 0..20 {
            let reference = format!("{}:{}", names[chance(4)], tags[chance(10)]);
            // The first five digits differ, because names of cache files contain no more.
            let digest = format!("sha256:{:05x}{}", round * 100 + at, "0".repeat(59));
            if chance(4) == 0 {
                let whole = format!("{reference}@{digest}");
                sources.insert(format!("x.io/{whole}"), format!("m.io/y/{whole}"));
            } else {
                let name = reference.split(':').next().unwrap().to_owned();
                sources.insert(format!("x.io/{reference}"), format!("m.io/y/{name}@{digest}"));
                known.insert(format!("x.io/{reference}"), digest);
            }
        }
        let packages: Vec<String> =
            known.iter().map(|(key, digest)| format!("'{key}': {{digest: '{digest}', dependsOn: []}}")).collect();
        let spec = format!("rules: [{{from: x.io, to: m.io/y}}], digests: Pin, packages: {{{}}}", packages.join(", "));
        let manifest: Vec<String> =
            sources.keys().enumerate().map(|(at, source)| package("Provider", &format!("p{at}"), source)).collect();
        let (output, result) = run_all(&spec, &super::stream(&manifest));
        assert!(!result.failed(), "{spec}: {:#?}", result.results);
        let references: Vec<String> = sources.keys().cloned().collect();
        let want: String = sources.values().map(|to| format!("{to}\x1f\n")).collect();
        assert_eq!(asked(&program, &output, &references), want, "{spec}");
        // Crossplane lists versions by a name without a tag.
        let listed = names.map(|name| format!("x.io/{name}"));
        let want: String = names.iter().map(|name| format!("m.io/y/{name}\x1f\n")).collect();
        assert_eq!(asked(&program, &output, &listed), want, "{spec}");
    }
}

#[test]
fn crossplanes_types_accept_the_output() {
    let spec = "rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], pullSecret: mine";
    let manifest = package("Provider", "a", "xpkg.crossplane.io/o/a:v1");
    let rewritten = run_all(&format!("{spec}, style: Rewrite, packages: {{}}"), &manifest).0;
    let configured = run_all(spec, &manifest).0;
    for (line, stream, count) in
        [("v1.14", &rewritten, 1), ("v1.20", &configured, 3), ("v2", &configured, 3), ("v2", &rewritten, 1)]
    {
        if let Some(judged) = judged(line, stream) {
            assert_eq!(judged, Ok(count), "{line}:\n{stream}");
        }
    }
}
