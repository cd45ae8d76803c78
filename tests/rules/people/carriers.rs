//! Patches of several configs in one carrier, and carriers that change the patched fields later.

use std::fs;

use super::{config, deployment};
use crate::support::run::{Run, hostnet};

const PROXY: &str = "apiVersion: hostnet.dev/v1alpha1
kind: ProxyEnvironment
metadata: {name: corp}
spec:
  httpsProxy: http://proxy.example.com:3128
  cluster: {pods: [10.0.0.0/8], services: [172.20.0.0/16]}
  targets: [{select: {name: web}}]
";

const MIRROR: &str = "apiVersion: hostnet.dev/v1alpha1
kind: PackageMirror
metadata: {name: m}
spec: {rules: [{from: example.com, to: r.example/x}], select: [{name: web}]}
";

/// Carriers without patches.
const CARRIERS: [&str; 4] = [
    "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: [web.yaml]\n",
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web}\nspec: {path: ./app}\n",
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec:\n  interval: 1h\n",
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  source:\n    path: app\n",
];

fn folder(carrier: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("host.yaml", config("  targets: [{select: {name: web}, ports: {https: 20443}}]\n")),
        ("proxy.yaml", PROXY.to_owned()),
        ("mirror.yaml", MIRROR.to_owned()),
        ("all.yaml", deployment("web")),
        ("carrier.yaml", carrier.to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn run(folder: &tempfile::TempDir, arguments: &str) -> Run {
    hostnet(folder.path(), &arguments.split(' ').collect::<Vec<_>>(), b"")
}

#[test]
fn patches_of_two_configs_stay_in_one_carrier() {
    for carrier in CARRIERS {
        let folder = folder(carrier);
        let text = || fs::read_to_string(folder.path().join("carrier.yaml")).unwrap();
        let succeeds = |arguments: &str| {
            let run = run(&folder, arguments);
            assert_eq!(run.code, Some(0), "{arguments}: {}", run.stderr);
        };
        succeeds("patch -c host.yaml --into carrier.yaml all.yaml");
        let first = text();
        succeeds("patch -c proxy.yaml --into carrier.yaml all.yaml");
        for part in ["(HostNetwork hooks)", "(ProxyEnvironment corp)", "HTTPS_PROXY", "hostNetwork"] {
            assert!(text().contains(part), "{part}: {}", text());
        }
        for config in ["host.yaml", "proxy.yaml"] {
            succeeds(&format!("patch -c {config} --into carrier.yaml --check all.yaml"));
        }
        succeeds("patch -c proxy.yaml --remove --into carrier.yaml");
        assert_eq!(text(), first);
        succeeds("patch --remove --into carrier.yaml");
        assert_eq!(text(), carrier);
    }
}

/// Patches of earlier versions do not name their config, and belong to every config.
#[test]
fn patches_without_a_config_are_replaced() {
    let folder = folder(CARRIERS[0]);
    let path = folder.path().join("carrier.yaml");
    run(&folder, "patch -c host.yaml --into carrier.yaml all.yaml");
    let named = fs::read_to_string(&path).unwrap();
    fs::write(&path, named.replace(" (HostNetwork hooks)", "")).unwrap();
    assert_eq!(run(&folder, "patch -c host.yaml --into carrier.yaml all.yaml").code, Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), named);
}

#[test]
fn a_folder_with_patches_of_another_config_is_not_overwritten() {
    let folder = folder(CARRIERS[0]);
    let component = |config: &str, more: &str| {
        run(&folder, &format!("patch -c {config} --as component --output-dir out{more} all.yaml"))
    };
    assert_eq!(component("host.yaml", "").code, Some(0));
    let refused = component("proxy.yaml", "");
    let message = "out/kustomization.yaml: it has the patches of HostNetwork hooks, which would be lost";
    assert!(refused.code == Some(1) && refused.stderr.contains(message), "{}", refused.stderr);
    assert_eq!(component("host.yaml", "").code, Some(0));
    assert_eq!(component("proxy.yaml", " --force").code, Some(0));
}

/// `images` runs after the patches: it would not find the patched image any more, or the patch not the image that
/// `images` makes.
#[test]
fn an_image_that_the_carrier_sets_later_is_not_patched() {
    let image = "example.com/web";
    for (carrier, images) in [
        (CARRIERS[0], format!("images: [{{name: {image}, newTag: v2}}]\n")),
        (CARRIERS[0], format!("images: [{{name: other, newName: {image}}}]\n")),
        (CARRIERS[2], format!("  postRenderers: [{{kustomize: {{images: [{{name: {image}, newTag: v2}}]}}}}]\n")),
        (CARRIERS[3], format!("    kustomize: {{images: ['{image}=other:v1']}}\n")),
        (CARRIERS[3], format!("    kustomize: {{images: ['{image}:v1']}}\n")),
    ] {
        let folder = folder(&format!("{carrier}{images}"));
        let refused = run(&folder, "patch -c mirror.yaml --into carrier.yaml all.yaml");
        let message = format!("its `images` sets {image} after its patches");
        assert!(refused.code == Some(1) && refused.stderr.contains(&message), "{images}: {}", refused.stderr);
        let other = run(&folder, "patch -c host.yaml --into carrier.yaml all.yaml");
        assert_eq!(other.code, Some(0), "{images}: {}", other.stderr);
    }
    let folder = folder(&format!("{}images: [{{name: example.com/api, newTag: v2}}]\n", CARRIERS[0]));
    let made = run(&folder, "patch -c mirror.yaml --into carrier.yaml all.yaml");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
}
