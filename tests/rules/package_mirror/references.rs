//! Image references, parsed like go-containerregistry, which Crossplane's core uses for all requests.

use std::collections::BTreeSet;
use std::process::Command;

use oci::name::{DOCKER_HUB, ImageRef, may_be_http};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::support::{find_program, judged, not_run, run, text};

/// The number of references to compare; `HOSTNET_PAIRS` overrides it.
fn count() -> usize {
    std::env::var("HOSTNET_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000)
}

/// References, most of them nearly valid.
fn references() -> BTreeSet<String> {
    let hosts = [
        "xpkg.crossplane.io",
        "docker.io",
        "index.docker.io",
        "localhost",
        "localhost:5000",
        "kind-registry:5000",
        "a.b:",
        "registry.local",
        "registry.svc.cluster.local:5000",
        "x.localhost:80",
        ".localhost",
        "x.local:123456",
        "x.local:a",
        "127.0.0.1:5000",
        "10.1.2.3",
        "172.16.0.1:5000",
        "172.32.0.1",
        "192.168.1.1:5000",
        "010.0.0.1",
        "100.64.0.1:80",
        "[::1]:5000",
        "[::1]",
        "[fd00::1]:5000",
        "[fe80::1%25en0]",
        "[10.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[a.b]",
        "a[b.c]",
        "a].b",
        "fe80::1:5000",
        "REGISTRY.IO",
        "bücher.example",
        "a_b.c",
        "a b.c",
        "u:p@h.io",
        "a.b?c",
        "a.b#c",
        "a%41.io",
        "a.b\\c",
        "a.b\"",
        "a{b}.c",
        "a.b:5000x",
        "",
        ".",
        ":",
    ];
    let segments =
        ["a", "b", "crossplane-contrib", "provider-aws-s3", "A", "a_b", "a.b", "", "-", "é", "library", "x$y", "a@b"];
    let tags = ["v1.2.3", "latest", "", "1", "-x", "a b", "é", "v1:v2", "v1/x", "V_1"];
    let hex = "0123456789abcdef".repeat(4);
    let digests = [
        format!("sha256:{hex}"),
        format!("sha256:{}", hex.to_uppercase()),
        format!("sha256:{}", "0".repeat(63)),
        format!("sha512:{hex}{hex}"),
        hex.clone(),
        String::new(),
        format!("sha256:{hex}@sha256:{hex}"),
    ];
    let host = prop::option::weighted(0.8, prop::sample::select(hosts.to_vec()));
    let path = prop::collection::vec(prop::sample::select(segments.to_vec()), 1..4);
    let long = prop::option::weighted(0.1, 245_usize..260);
    let tag = prop::option::weighted(
        0.6,
        prop_oneof![
            9 => prop::sample::select(tags.to_vec()).prop_map(str::to_owned),
            1 => (127_usize..130).prop_map(|length| "t".repeat(length)),
        ],
    );
    let digest = prop::option::weighted(0.3, prop::sample::select(digests.to_vec()));
    let strategy = (host, path, long, tag, digest).prop_map(|(host, path, long, tag, digest)| {
        let host = host.map(|host| format!("{host}/")).unwrap_or_default();
        let path = long.map_or_else(|| path.join("/"), |length| "p".repeat(length));
        let tag = tag.map(|tag| format!(":{tag}")).unwrap_or_default();
        let digest = digest.map(|digest| format!("@{digest}")).unwrap_or_default();
        format!("{host}{path}{tag}{digest}")
    });
    let mut runner = TestRunner::deterministic();
    (0..count()).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Answers of a build of go-containerregistry for each reference. Returns `None`, and prints a note, if the build is
/// missing.
fn answers(program: &str, references: &BTreeSet<String>) -> Option<Vec<String>> {
    let Some(path) = find_program(program) else {
        not_run(&format!("{program} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let lines: String = references.iter().map(|reference| format!("{reference}\n")).collect();
    let output = run(&mut Command::new(path), lines.as_bytes());
    assert!(output.status.success(), "{program}: {}", text(&output.stderr));
    let answers: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), references.len(), "{program} answers each line");
    Some(answers)
}

fn answer(reference: &str, dot_local: bool) -> String {
    let Ok(image) = ImageRef::read(reference) else { return "refused".to_owned() };
    let (registry, path) = image.location(DOCKER_HUB);
    let scheme = if may_be_http(registry, dot_local) { "http" } else { "https" };
    let identifier = image.digest.or(image.tag).unwrap_or("latest");
    [registry, &path, identifier, scheme].join("\x1f")
}

fn same(program: &str, dot_local: bool) {
    let references = references();
    let Some(answers) = answers(program, &references) else { return };
    let read = answers.iter().filter(|answer| *answer != "refused").count();
    assert!(read > answers.len() / 10 && read < answers.len() * 9 / 10, "{read} of {} are references", answers.len());
    let pairs = references.iter().zip(&answers).filter(|(reference, theirs)| answer(reference, dot_local) != **theirs);
    let different: Vec<String> = pairs
        .map(|(reference, theirs)| format!("{reference}: ours {}, theirs {theirs}", answer(reference, dot_local)))
        .collect();
    judged(program, &format!("references of images: {}", references.len()), different.len());
    let some: Vec<&String> = different.iter().take(20).collect();
    assert!(different.is_empty(), "{} of {} differ: {some:#?}", different.len(), references.len());
}

#[test]
fn go_containerregistry_reads_references_the_same() {
    same("imageref", false);
}

#[test]
fn the_previous_version_uses_http_for_more_registries() {
    same("imageref-v0.20.7", true);
}
