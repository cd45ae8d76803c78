//! Flux's build of manifests that hostnet changed before or after it. No package registry has the flux CLI; `fluxbuild`
//! (tests/go/flux) performs the same steps with Flux's own packages.

use crate::cases::{Failures, HOSTNET, canonical, command, copy, host};
use crate::support::{project, run, text};
use crate::typed::deserialize_all;
use std::path::Path;
use std::process::{Command, Output};

const PRERENDER: &str = "examples/flux-prerender";

/// Runs kustomize-controller's build of an artifact.
fn flux_build(fluxbuild: &Path, kustomization: &Path, artifact: &Path, more: &[&str]) -> Output {
    let mut build = Command::new(fluxbuild);
    build.arg("--kustomization").arg(kustomization).arg("--path").arg(artifact).args(more);
    run(&mut build, b"")
}

fn apply(config: &Path, input: &str) -> String {
    let output = run(Command::new(HOSTNET).args(["apply", "-c"]).arg(config), input.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// `kustomize build deploy | hostnet apply`, pushed as an artifact: hostnet keeps the variables, and after Flux has
/// substituted them every object has valid types.
#[test]
fn an_artifact_keeps_its_variables_for_flux() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let example = project().join(PRERENDER);
    let built = succeeded(&run(command(&kustomize).arg("build").arg(example.join("deploy")), b""));
    let rendered = apply(&example.join("hostnet.yaml"), &built);
    for variable in ["${namespace:=tagger}", "${replicas:=2}", "${tag:=v1.4.0}", "${quote}${cluster_id}${quote}"] {
        assert_eq!(rendered.matches(variable).count(), built.matches(variable).count(), "{variable}");
    }
    let artifact = tempfile::tempdir().unwrap();
    std::fs::write(artifact.path().join("tagger.yaml"), &rendered).unwrap();
    let settings = example.join("clusters/prod/settings.yaml");
    let cluster = ["--cluster", settings.to_str().unwrap()];
    let kustomization = example.join("clusters/prod/tagger.yaml");
    let applied = succeeded(&flux_build(&fluxbuild, &kustomization, artifact.path(), &cluster));
    let want = std::fs::read_to_string(example.join("want.yaml")).unwrap();
    let mut failures = Failures::default();
    failures.compare("output of Flux", &want, &applied);
    failures.end();
    assert_eq!(deserialize_all(&applied), 4);
}

/// `flux build kustomization | hostnet apply` gives the same objects, with variables substituted first.
#[test]
fn hostnet_after_flux_gives_the_same_objects() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let example = project().join(PRERENDER);
    let settings = example.join("clusters/prod/settings.yaml");
    let cluster = ["--cluster", settings.to_str().unwrap()];
    let kustomization = example.join("clusters/prod/tagger.yaml");
    let built = succeeded(&flux_build(&fluxbuild, &kustomization, &example.join("deploy"), &cluster));
    let moved = apply(&example.join("hostnet.yaml"), &built);
    let want = std::fs::read_to_string(example.join("want.yaml")).unwrap();
    let mut failures = Failures::default();
    failures.compare("flux build | hostnet", &canonical(&want), &canonical(&moved));
    failures.end();
}

/// The repository's own files, changed in place, also give the same objects.
#[test]
fn sources_with_variables_can_be_changed_in_place() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join(PRERENDER), folder.path());
    let arguments = ["apply", "-c", "hostnet.yaml", "--sources", "--in-place", "deploy"];
    succeeded(&run(Command::new(HOSTNET).args(arguments).current_dir(folder.path()), b""));
    let at = |path: &str| folder.path().join(path);
    let settings = at("clusters/prod/settings.yaml");
    let cluster = ["--cluster", settings.to_str().unwrap()];
    let applied = succeeded(&flux_build(&fluxbuild, &at("clusters/prod/tagger.yaml"), &at("deploy"), &cluster));
    let want = std::fs::read_to_string(at("want.yaml")).unwrap();
    let mut failures = Failures::default();
    // The order of objects differs, because kustomize sorts the objects of several files.
    failures.compare("in place, then Flux", &canonical(&want), &canonical(&applied));
    failures.end();
}

/// `fluxbuild` rejects the same inputs as Flux; otherwise the tests above would prove nothing.
#[test]
fn fluxbuild_refuses_what_flux_refuses() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let example = project().join(PRERENDER);
    let kustomization = example.join("clusters/prod/tagger.yaml");
    let settings = example.join("clusters/prod/settings.yaml");
    let cluster = ["--cluster", settings.to_str().unwrap()];
    let refused = |artifact: &Path, more: &[&str], why: &str| {
        let output = flux_build(&fluxbuild, &kustomization, artifact, more);
        assert!(!output.status.success(), "{why}");
        assert!(text(&output.stderr).contains(why), "{why}: {}", text(&output.stderr));
    };
    let deploy = example.join("deploy");
    refused(&deploy, &[], "substitute from 'ConfigMap/cluster-settings' error");
    refused(&deploy, &[&cluster[..], &["--substitute", "debug_port=none"]].concat(), "unrecognized type: int32");
    let folder = tempfile::tempdir().unwrap();
    copy(&deploy, folder.path());
    std::fs::write(folder.path().join("more.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"${x}\"}\n")
        .unwrap();
    std::fs::write(folder.path().join("kustomization.yaml"), "resources: [more.yaml]\n").unwrap();
    refused(folder.path(), &cluster, "variable not set (strict mode): \"x\"");
    // Flux disables plugins, so hostnet cannot run inside Flux.
    std::fs::copy(project().join("examples/crossplane-core/hostnet.yaml"), folder.path().join("hostnet.yaml")).unwrap();
    std::fs::write(
        folder.path().join("kustomization.yaml"),
        "resources: [tagger.yaml]\ntransformers: [hostnet.yaml]\n",
    )
    .unwrap();
    refused(folder.path(), &cluster, "unable to load external plugin");
}

/// Returns the patches in the file of a Flux object that `hostnet patch` printed.
fn printed_part<'t>(text: &'t str, field: &str) -> &'t str {
    text.split_once(&format!("\n  {field}:\n")).unwrap().1
}

#[test]
fn patches_in_a_kustomization_make_the_same_objects() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let example = project().join("examples/flux-patches");
    let config = example.join("hostnet.yaml");
    let built = succeeded(&run(command(&kustomize).arg("build").arg(example.join("deploy")), b""));
    let mut patch = Command::new(HOSTNET);
    let printed = succeeded(&run(patch.args(["patch", "--as", "flux", "-c"]).arg(&config), built.as_bytes()));
    let file = example.join("clusters/prod/tagger.yaml");
    let mut failures = Failures::default();
    let object = std::fs::read_to_string(&file).unwrap();
    failures.compare("tagger.yaml", printed_part(&printed, "patches"), printed_part(&object, "patches"));
    let patched = succeeded(&flux_build(&fluxbuild, &file, &example, &[]));
    failures.compare("want.yaml", &std::fs::read_to_string(example.join("want.yaml")).unwrap(), &patched);
    // The same build without patches, from files that hostnet changed.
    let folder = tempfile::tempdir().unwrap();
    copy(&example, folder.path());
    std::fs::write(folder.path().join("deploy/tagger.yaml"), apply(&config, &built)).unwrap();
    let bare = folder.path().join("bare.yaml");
    let printed = format!("  patches:\n{}", printed_part(&object, "patches"));
    std::fs::write(&bare, object.replace(&printed, "")).unwrap();
    let applied = succeeded(&flux_build(&fluxbuild, &bare, folder.path(), &[]));
    failures.compare("patches", &canonical(&applied), &canonical(&patched));
    assert_eq!(deserialize_all(&patched), 3);
    let output = folder.path().join("built.yaml");
    std::fs::write(&output, &patched).unwrap();
    let mut verify = Command::new(HOSTNET);
    verify.args(["patch", "--name-prefix", "prod-", "--namespace", "tagger", "-c"]).arg(&config);
    succeeded(&run(verify.arg("--verify").arg(&output), built.as_bytes()));
    failures.end();
}

/// If the base changes after the patches were made, Flux's build fails and names the missing path.
#[test]
fn a_changed_base_fails_the_build() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join("examples/flux-patches"), folder.path());
    let base = folder.path().join("deploy/tagger.yaml");
    let text = std::fs::read_to_string(&base).unwrap();
    std::fs::write(&base, text.replace("containerPort: 8080", "containerPort: 8081")).unwrap();
    let output = flux_build(&fluxbuild, &folder.path().join("clusters/prod/tagger.yaml"), folder.path(), &[]);
    assert!(!output.status.success());
    let path = "testing value /spec/template/spec/containers/0/ports/1 failed";
    assert!(reported(&output).contains(path), "{}", reported(&output));
}

fn reported(output: &Output) -> String {
    text(&output.stderr)
}

#[test]
fn post_renderers_of_a_helm_release_make_the_same_objects() {
    let (Some(helm), Some(fluxbuild)) = (host("helm"), host("fluxbuild")) else { return };
    let example = project().join("examples/flux-helmrelease");
    let config = example.join("hostnet.yaml");
    let mut template = command(&helm);
    template.args([
        "template",
        "tagger",
        "../helm-post-renderer/chart",
        "--namespace",
        "tagger",
        "--set",
        "replicas=3",
    ]);
    let rendered = succeeded(&run(template.current_dir(&example), b""));
    let mut patch = Command::new(HOSTNET);
    let printed = succeeded(&run(patch.args(["patch", "--as", "helmrelease", "-c"]).arg(&config), rendered.as_bytes()));
    let release = example.join("release.yaml");
    let object = std::fs::read_to_string(&release).unwrap();
    let mut failures = Failures::default();
    failures.compare("release.yaml", printed_part(&printed, "postRenderers"), printed_part(&object, "postRenderers"));
    let post_render = |chart: &str| {
        run(Command::new(&fluxbuild).args(["helm-post-render", "--helmrelease"]).arg(&release), chart.as_bytes())
    };
    let patched = succeeded(&post_render(&rendered));
    failures.compare("want.yaml", &std::fs::read_to_string(example.join("want.yaml")).unwrap(), &patched);
    failures.compare("post-renderers", &canonical(&apply(&config, &rendered)), &canonical(&patched));
    failures.end();
    let upgraded = post_render(&rendered.replace("targetPort: 9443", "targetPort: webhook"));
    assert!(reported(&upgraded).contains("testing value /spec/ports/0 failed"), "{}", reported(&upgraded));
}
