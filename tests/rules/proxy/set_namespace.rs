//! `hostnet patch` into a file that sets another namespace after the patches.

use std::path::Path;
use std::process::Command;

use super::check::core;
use crate::support::{run, text};

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: p}\nspec: {httpsProxy: 'http://p:3128', NO_PROXY targets: [{select: {name: crossplane}}]}\n";

const KUSTOMIZATION: &str =
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: upbound-system\nresources: [base]\n";

const FLUX: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: flux-system}\nspec: {path: ./a, targetNamespace: upbound-system}\n";

/// The error output and the exit code of a run in a new folder with these files.
fn patch(config: &str, carrier: &str, manifest: &str, args: &[&str]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(Path::join(folder.path(), name), text).unwrap();
    write("proxy.yaml", config);
    write("carrier.yaml", carrier);
    write("core.yaml", manifest);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let command = command.args(["patch", "-c", "proxy.yaml"]).args(args).arg("core.yaml").current_dir(folder.path());
    let output = run(command, b"");
    (text(&output.stderr), output.status.code())
}

#[test]
fn an_entry_with_the_former_namespace_is_an_error() {
    let config = CONFIG.replace("NO_PROXY ", "");
    let manifest = core("v2.3.4", "");
    let into = ["--into", "carrier.yaml"];
    let verify = ["--verify", "core.yaml", "--namespace", "upbound-system"];
    let logs = [
        patch(&config, KUSTOMIZATION, &manifest, &into),
        patch(&config, FLUX, &manifest, &into),
        patch(&config, KUSTOMIZATION, &manifest, &verify),
    ];
    insta::assert_snapshot!(logs.map(|(log, code)| format!("{log}({})\n", code.unwrap())).concat(), @"
    error: carrier.yaml sets the namespace upbound-system after the patches, so NO_PROXY of Deployment crossplane-system/crossplane would contain `.crossplane-system`, but the object needs `.upbound-system`. Make the patches from the build with that namespace, with --carrier; or add `.upbound-system` to `noProxy` of the config
    (1)
    error: carrier.yaml sets the namespace upbound-system after the patches, so NO_PROXY of Deployment crossplane-system/crossplane would contain `.crossplane-system`, but the object needs `.upbound-system`. Make the patches from the build with that namespace, with --carrier; or add `.upbound-system` to `noProxy` of the config
    (1)
    error: --namespace sets the namespace upbound-system after the patches, so NO_PROXY of Deployment crossplane-system/crossplane would contain `.crossplane-system`, but the object needs `.upbound-system`. Make the patches from the build with that namespace, with --carrier; or add `.upbound-system` to `noProxy` of the config
    (1)
    ");
    // Both remedies work.
    let listed = CONFIG.replace("NO_PROXY ", "noProxy: [.upbound-system], ");
    assert_eq!(patch(&listed, KUSTOMIZATION, &manifest, &into).1, Some(0));
    let built = manifest.replace("namespace: crossplane-system", "namespace: upbound-system");
    let carried = ["--into", "carrier.yaml", "--carrier", "carrier.yaml"];
    assert_eq!(patch(&config, KUSTOMIZATION, &built, &carried).1, Some(0));
}

#[test]
fn entries_without_a_namespace_are_written() {
    let config = CONFIG.replace("NO_PROXY ", "noProxy: [.crossplane-system], ");
    let other =
        core("v2.3.4", "").replace("[core, start]", "[web]").replace("xpkg.crossplane.io/crossplane/crossplane", "web");
    let into = ["--into", "carrier.yaml"];
    assert_eq!(patch(&config, KUSTOMIZATION, &other, &into).1, Some(0));
    let same = KUSTOMIZATION.replace("upbound-system", "crossplane-system");
    assert_eq!(patch(&config, &same, &core("v2.3.4", ""), &into).1, Some(0));
}

/// Runs the function with this config in `base`, as a kustomize that builds `folder` runs it.
#[cfg(target_os = "linux")]
fn in_base(config: &str, built: &str, overlay: &str, manifest: &str) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("base/core.yaml", manifest);
    write("base/kustomization.yaml", "resources: [core.yaml]\ntransformers: [proxy.yaml]\n");
    write("base/proxy.yaml", config);
    write("over/kustomization.yaml", overlay);
    write("middle/kustomization.yaml", "resources: [../base]\n");
    write("part/kustomization.yaml", "kind: Component\nnamespace: xp-system\n");
    write("plain/kustomization.yaml", "resources: [../base]\nnamePrefix: eu-\n");
    write("kustomize", "cd base\n\"$1\" <list.yaml\nexit $?\n");
    let item = manifest.replace(
        "namespace: crossplane-system}",
        "namespace: crossplane-system, annotations: {kustomize.config.k8s.io/id: '1'}}",
    );
    let indented = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
    let list = format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n{}items:\n-{}",
        indented(config),
        indented(&item).get(1..).unwrap()
    );
    write("base/list.yaml", &list);
    let mut command = Command::new("sh");
    let built = folder.path().join(built);
    command.args(["./kustomize", env!("CARGO_BIN_EXE_hostnet")]).arg(built).current_dir(folder.path());
    let output = run(&mut command, b"");
    (text(&output.stderr), output.status.code())
}

/// kustomize sets the namespace of an overlay after the functions of the base.
#[cfg(target_os = "linux")]
#[test]
fn an_overlay_with_another_namespace_is_an_error() {
    let config = CONFIG.replace("NO_PROXY ", "");
    let manifest = core("v2.3.4", "");
    let overlay = |lists: &str, more: &str| format!("resources: [{lists}]\n{more}");
    let other = overlay("../base", "namespace: xp-system\n");
    let (log, code) = in_base(&config, "over", &other, &manifest);
    insta::assert_snapshot!(format!("{log}({})", code.unwrap()), @"
    error: ProxyEnvironment p: ../over sets the namespace xp-system after this kustomization, so NO_PROXY of Deployment crossplane-system/crossplane would contain `.crossplane-system`, but the object needs `.xp-system`. List the config under transformers of ../over; or add `.xp-system` to `noProxy` of the config
    (1)
    ");
    for overlay in [overlay("../middle", "namespace: xp-system\n"), overlay("../base", "components: [../part]\n")] {
        assert_eq!(in_base(&config, "over", &overlay, &manifest).1, Some(1), "{overlay}");
    }
    for (built, overlay) in [
        ("base", other.clone()),
        ("plain", other.clone()),
        ("over", overlay("../base", "")),
        ("over", overlay("../base", "namePrefix: eu-\n")),
        ("over", overlay("../base", "namespace: crossplane-system\n")),
    ] {
        assert_eq!(in_base(&config, built, &overlay, &manifest), (String::new(), Some(0)), "{built} {overlay}");
    }
    let listed = CONFIG.replace("NO_PROXY ", "noProxy: [.xp-system], ");
    assert_eq!(in_base(&listed, "over", &other, &manifest), (String::new(), Some(0)));
    let web = manifest.replace("[core, start]", "[web]").replace("xpkg.crossplane.io/crossplane/crossplane", "web");
    assert_eq!(in_base(&config, "over", &other, &web), (String::new(), Some(0)));
}
