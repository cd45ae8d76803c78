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

/// Argo CD builds a kustomization only for one source without a chart and without the fields of another tool.
#[test]
fn an_application_of_another_tool_gets_no_patches() {
    let source = |fields: &str| {
        format!("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\nspec:\n  {fields}\n")
    };
    for (fields, holds) in [
        ("source: {repoURL: 'https://a.example', chart: web, targetRevision: 1.0.0}", false),
        ("source: {repoURL: 'https://a.example/b', path: x, helm: {releaseName: w}}", false),
        ("source: {repoURL: 'https://a.example/b', path: x, directory: {recurse: true}}", false),
        ("source: {repoURL: 'https://a.example/b', path: x, plugin: {name: p}}", false),
        ("sources: [{repoURL: 'https://a.example/b', path: x}]", false),
        ("sources: [{repoURL: 'https://a.example/b', path: x}, {repoURL: 'https://a.example/c', path: y}]", false),
        ("source: {repoURL: 'https://a.example/b', path: plain}", false),
        ("source: {repoURL: 'https://a.example/b', path: x, helm: null, directory: ~}", true),
        ("source: {repoURL: 'https://a.example/b', path: x}\n  sources: []", true),
        ("source: {repoURL: 'https://a.example/b', path: built}", true),
    ] {
        let before = source(fields);
        let folder = folder(&before);
        for (name, text) in [("plain/web.yaml", "a: b\n"), ("built/kustomization.yaml", "resources: []\n")] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let run = run(&folder, "patch -c host.yaml --into carrier.yaml all.yaml");
        let text = fs::read_to_string(folder.path().join("carrier.yaml")).unwrap();
        assert_eq!((run.code, text != before), (Some(i32::from(!holds)), holds), "{fields}: {}", run.stderr);
        let message = "Application web has no field for the patches of 1 object: run `hostnet apply` in the pipeline";
        assert_eq!(run.stderr.contains(message), !holds, "{fields}: {}", run.stderr);
    }
}

/// A kustomization sets its names after its patches: patches for the names of its build would match nothing.
#[test]
fn objects_with_the_names_of_the_carrier_need_carrier() {
    let at = |name: &str| deployment(name);
    for (names, listed, path, refused) in [
        ("namePrefix: pre-\n", "web", "pre-web", Some("namePrefix `pre-`")),
        ("nameSuffix: -b\n", "web", "web-b", Some("nameSuffix `-b`")),
        ("namePrefix: pre-\nnameSuffix: -b\n", "web", "pre-web-b", Some("namePrefix `pre-` and nameSuffix `-b`")),
        ("namePrefix: pre-\nnameSuffix: -b\n", "pre-web", "pre-web", None),
        // The object has the prefix before, or PATH is the input of the kustomization.
        ("namePrefix: pre-\n", "pre-web", "pre-web", None),
        ("namePrefix: pre-\n", "web", "web", None),
    ] {
        let folder = folder(&format!("resources: [web.yaml]\n{names}"));
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("kustomization.yaml", &format!("resources: [web.yaml]\n{names}"));
        write("web.yaml", &at(listed));
        write("all.yaml", &at(path));
        write("host.yaml", &config("  targets: [{select: {kind: Deployment}, ports: {https: 20443}}]\n"));
        let made = run(&folder, "patch -c host.yaml --into kustomization.yaml all.yaml");
        assert_eq!(made.code, Some(i32::from(refused.is_some())), "{names}: {}", made.stderr);
        let Some(refused) = refused else { continue };
        let message = format!(
            "kustomization.yaml: all patched objects have its {refused} already. It sets names after its patches, so the patches \
             would match nothing: PATH seems to be its build. Add `--carrier kustomization.yaml`; if the objects have these names \
             before, use `--as component`"
        );
        assert!(made.stderr.contains(&message), "{}", made.stderr);
        let remedy = run(&folder, "patch -c host.yaml --into kustomization.yaml --carrier kustomization.yaml all.yaml");
        assert_eq!(remedy.code, Some(0), "{}", remedy.stderr);
        let text = fs::read_to_string(folder.path().join("kustomization.yaml")).unwrap();
        assert!(text.contains("name: web\n"), "{text}");
    }
}

/// Objects may be in the namespace of the carrier before or after its patches: the target has none.
#[test]
fn a_target_in_the_namespace_of_the_carrier_has_none() {
    for (namespace, kept) in [("shop", false), ("other", true)] {
        let folder = folder("");
        let kustomization = format!("resources: [web.yaml]\nnamespace: {namespace}\n");
        fs::write(folder.path().join("kustomization.yaml"), kustomization).unwrap();
        let made = run(&folder, "patch -c host.yaml --into kustomization.yaml all.yaml");
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let text = fs::read_to_string(folder.path().join("kustomization.yaml")).unwrap();
        assert_eq!(text.contains("    namespace: shop\n"), kept, "{text}");
    }
}
