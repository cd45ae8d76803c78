//! The same comparison in Flux: its build with the patches in a `Kustomization`, and helm-controller's post-renderers.

use crate::patch::build::Bench;
use crate::patch::cases::{Failures, canonical, cases, command, host};
use crate::patch::parity::{base_of, examples, pairs, read};
use crate::support::material::material;
use crate::support::{run, text};
use std::path::Path;
use std::process::Output;

/// Returns a Flux object with these patches.
pub(crate) fn object(printed: &str, more: &str) -> String {
    let fields =
        printed.replacen("\nspec:\n", &format!("\nmetadata: {{name: all, namespace: flux-system}}\nspec:\n{more}"), 1);
    assert_ne!(fields, printed);
    fields
}

pub(crate) const KUSTOMIZATION: &str = "  interval: 1h\n  prune: true\n  sourceRef: {kind: GitRepository, name: all}\n";
/// Examples with variables, which Flux substitutes after kustomize.
const OPEN: [&str; 2] = ["flux-patches", "flux-prerender"];
const VARIABLES: &str =
    "  postBuild: {substitute: {replicas: '3', cluster: prod, cluster_id: '7', debug_port: '20090', quote: '\"'}}\n";
pub(crate) const RELEASE: &str = "  interval: 1h\n  chartRef: {kind: OCIRepository, name: all}\n";

fn outcome(output: &Output) -> Result<String, String> {
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// Builds a file as kustomize-controller does.
pub(crate) fn build(fluxbuild: &Path, bench: &Bench, kustomization: &str, all: &str) -> Result<String, String> {
    bench.write("flux.yaml", kustomization);
    bench.write("artifact/all.yaml", all);
    let mut build = command(fluxbuild);
    build.current_dir(bench.at()).args(["--kustomization", "flux.yaml", "--path", "artifact"]);
    outcome(&run(&mut build, b""))
}

pub(crate) fn post_render(fluxbuild: &Path, bench: &Bench, release: &str, all: &str) -> Result<String, String> {
    bench.write("release.yaml", release);
    let mut render = command(fluxbuild);
    render.current_dir(bench.at()).args(["helm-post-render", "--helmrelease", "release.yaml"]);
    outcome(&run(&mut render, all.as_bytes()))
}

fn compare(what: &str, config: &str, base: &str, fluxbuild: &Path, failures: &mut Failures) {
    let bench = Bench::new(config, base);
    let applied = bench.made(&["apply", "all.yaml"]);
    let (code, printed, log) = bench.hostnet(&["patch", "--as", "flux", "all.yaml"]);
    if code != Some(0) {
        assert!(log.contains("Flux's own objects hold only patches"), "{what}: {log}");
        with_component(what, &bench, &applied, base, fluxbuild, failures);
        return;
    }
    let patched = object(&printed, &format!("{KUSTOMIZATION}{}", if OPEN.contains(&what) { VARIABLES } else { "" }));
    let (unpatched, _) = patched.split_once("  patches:\n").unwrap();
    // Flux writes both sides.
    let want = build(fluxbuild, &bench, unpatched, &applied);
    let built = want.and_then(|want| Ok((want, build(fluxbuild, &bench, &patched, base)?)));
    match built {
        Ok((want, built)) => failures.compare(&format!("{what}: flux"), &canonical(&want), &canonical(&built)),
        Err(log) => failures.add(format!("{what}: flux: {log}")),
    }
    // A chart has no variables left.
    if OPEN.contains(&what) {
        return;
    }
    let release = object(&bench.patches("helmrelease"), RELEASE);
    let (plain, _) = release.split_once("  postRenderers:\n").unwrap();
    // helm-controller only builds with a post-renderer, so the plain release has one that changes nothing.
    let plain = format!("{plain}  postRenderers: [{{kustomize: {{images: [{{name: none, newTag: none}}]}}}}]\n");
    let want = post_render(fluxbuild, &bench, &plain, &applied);
    let rendered = want.and_then(|want| Ok((want, post_render(fluxbuild, &bench, &release, base)?)));
    match rendered {
        Ok((want, built)) => failures.compare(&format!("{what}: helmrelease"), &canonical(&want), &canonical(&built)),
        Err(log) => failures.add(format!("{what}: helmrelease: {log}")),
    }
}

/// Patches cannot add or remove objects; a component in the repository does it.
fn with_component(what: &str, bench: &Bench, applied: &str, base: &str, fluxbuild: &Path, failures: &mut Failures) {
    let head = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n";
    let kustomization = object(head, KUSTOMIZATION);
    let want = build(fluxbuild, bench, &kustomization, applied).unwrap();
    bench.made(&["patch", "--as", "component", "--output-dir", "artifact/component", "all.yaml"]);
    bench.write("artifact/kustomization.yaml", "resources: [all.yaml]\ncomponents: [component]\n");
    match build(fluxbuild, bench, &kustomization, base) {
        Ok(built) => failures.compare(&format!("{what}: component"), &canonical(&want), &canonical(&built)),
        Err(log) => failures.add(format!("{what}: component: {log}")),
    }
}

#[test]
fn flux_builds_every_kustomization_test() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let mut failures = Failures::default();
    for case in cases() {
        compare(&case.name, &read(&case.config()), &base_of(&case, &kustomize), &fluxbuild, &mut failures);
    }
    failures.end();
}

#[test]
fn flux_builds_every_example() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let mut failures = Failures::default();
    for (folder, config, base) in examples(&kustomize) {
        compare(&folder, &config, &base, &fluxbuild, &mut failures);
    }
    failures.end();
}

#[test]
fn flux_builds_every_chart_pair() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let Some(folder) = material("corpus/charts") else { return };
    let mut failures = Failures::default();
    for (pair, config) in pairs(&folder) {
        compare(&pair.name, &config, &pair.input, &fluxbuild, &mut failures);
    }
    failures.end();
}
