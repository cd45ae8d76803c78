//! The same through Flux: its build with the patches in a `Kustomization`, and helm-controller's post-renderers.

use crate::build::Bench;
use crate::cases::{Failures, canonical, cases, command, host, unmoved};
use crate::pair::Pair;
use crate::parity::read;
use crate::run::material;
use crate::support::{project, run, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Output;

/// A Flux object that has these patches.
fn object(printed: &str, more: &str) -> String {
    let fields =
        printed.replacen("\nspec:\n", &format!("\nmetadata: {{name: all, namespace: flux-system}}\nspec:\n{more}"), 1);
    assert_ne!(fields, printed);
    fields
}

const KUSTOMIZATION: &str = "  interval: 1h\n  prune: true\n  sourceRef: {kind: GitRepository, name: all}\n";
const RELEASE: &str = "  interval: 1h\n  chartRef: {kind: OCIRepository, name: all}\n";

fn outcome(output: &Output) -> Result<String, String> {
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A file as the controller builds it: of spec.path, the current folder.
fn build(fluxbuild: &Path, bench: &Bench, kustomization: &str, all: &str) -> Result<String, String> {
    bench.write("flux.yaml", kustomization);
    bench.write("artifact/all.yaml", all);
    let mut build = command(fluxbuild);
    build.current_dir(bench.at()).args(["--kustomization", "flux.yaml", "--path", "artifact"]);
    outcome(&run(&mut build, b""))
}

fn post_render(fluxbuild: &Path, bench: &Bench, release: &str, all: &str) -> Result<String, String> {
    bench.write("release.yaml", release);
    let mut render = command(fluxbuild);
    render.current_dir(bench.at()).args(["helm-post-render", "--helmrelease", "release.yaml"]);
    outcome(&run(&mut render, all.as_bytes()))
}

/// Kinds, namespaces and names of the objects of a stream.
fn identities(stream: &str) -> BTreeSet<[String; 3]> {
    let documents = serde_yaml::Deserializer::from_str(stream);
    let objects = documents.map(|document| <serde_yaml::Value as serde::Deserialize>::deserialize(document).unwrap());
    let text = |value: &serde_yaml::Value| value.as_str().unwrap_or_default().to_owned();
    let identity = |object: serde_yaml::Value| {
        [text(&object["kind"]), text(&object["metadata"]["namespace"]), text(&object["metadata"]["name"])]
    };
    objects.map(identity).collect()
}

fn compare(what: &str, config: &str, base: &str, fluxbuild: &Path, failures: &mut Failures) {
    let bench = Bench::new(config, base);
    let applied = bench.made(&["apply", "all.yaml"]);
    if identities(&applied) != identities(base) {
        // Patches neither add nor remove objects.
        for form in ["flux", "helmrelease"] {
            let (code, printed, said) = bench.hostnet(&["patch", "--as", form, "all.yaml"]);
            if code != Some(1) || !printed.is_empty() || !said.contains("patches alone") {
                failures.add(format!("{what}: {form} has patches for objects that come or go: {said}"));
            }
        }
        return;
    }
    let patched = object(&bench.patches("flux"), KUSTOMIZATION);
    let (unpatched, _) = patched.split_once("  patches:\n").unwrap();
    // Flux writes both sides.
    let want = build(fluxbuild, &bench, unpatched, &applied);
    let built = want.and_then(|want| Ok((want, build(fluxbuild, &bench, &patched, base)?)));
    match built {
        Ok((want, built)) => failures.compare(&format!("{what}: flux"), &canonical(&want), &canonical(&built)),
        Err(said) => failures.add(format!("{what}: flux: {said}")),
    }
    let release = object(&bench.patches("helmrelease"), RELEASE);
    let (plain, _) = release.split_once("  postRenderers:\n").unwrap();
    // Without a post-renderer nothing is built: so one that changes nothing.
    let plain = format!("{plain}  postRenderers: [{{kustomize: {{images: [{{name: none, newTag: none}}]}}}}]\n");
    let want = post_render(fluxbuild, &bench, &plain, &applied);
    let rendered = want.and_then(|want| Ok((want, post_render(fluxbuild, &bench, &release, base)?)));
    match rendered {
        Ok((want, built)) => failures.compare(&format!("{what}: helmrelease"), &canonical(&want), &canonical(&built)),
        Err(said) => failures.add(format!("{what}: helmrelease: {said}")),
    }
}

#[test]
fn of_every_kustomization_test_and_example() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let mut failures = Failures::default();
    // The overlay of the case left out renames objects after its base's function has run.
    for case in cases().iter().filter(|case| case.name != "transformer-in-base") {
        compare(&case.name, &read(&case.config()), &unmoved(&kustomize, &case.folder), &fluxbuild, &mut failures);
    }
    let examples = project().join("examples");
    for (config, folder) in [
        ("crossplane-core/hostnet.yaml", "crossplane-core"),
        ("two-renders/config/hostnet.yaml", "two-renders/certificates"),
        ("two-renders/config/hostnet.yaml", "two-renders/metrics"),
    ] {
        let base = unmoved(&kustomize, &examples.join(folder));
        compare(folder, &read(&examples.join(config)), &base, &fluxbuild, &mut failures);
    }
    failures.end();
}

#[test]
fn of_every_chart_pair() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let Some(folder) = material("corpus/charts") else { return };
    let mut failures = Failures::default();
    let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|path| path.is_dir()) {
        let pair = Pair::read(folder);
        compare(&pair.name, &pair.config(&BTreeMap::new()), &pair.input, &fluxbuild, &mut failures);
    }
    failures.end();
}
