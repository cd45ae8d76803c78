//! `hostnet mirror list`: what has to be in the mirror.

use hostnet::api::AnyConfig;
use hostnet::kinds::package_mirror::list;
use hostnet::render::mirror::{json, lines, text};
use hostnet::wire::{Input, Origin};

use super::{RULE, config, core, image_config, package, stream};

fn listing(spec: Option<&str>, manifest: &str) -> hostnet::package_mirror::Listing {
    let config = spec.map(|spec| config(spec).unwrap());
    let config = config.as_ref().map(|config| match config {
        AnyConfig::Mirror(config) => &**config,
        _ => panic!("{spec:?}"),
    });
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    list(std::slice::from_ref(&input), config).unwrap()
}

fn shown(spec: Option<&str>, manifest: &str) -> String {
    let listing = listing(spec, manifest);
    format!("{}\n{}", text(&listing), listing.unknown.join("\n"))
}

/// What packages need is followed to its end, and of several known versions in range the newest is taken.
#[test]
fn what_packages_need_is_followed() {
    let spec = format!(
        "{RULE}, packages: {{'xpkg.crossplane.io/o/platform:v1.0.0': {{digest: 'sha256:{}', dependsOn: ['xpkg.crossplane.io/o/provider-a \
         >=v1.0.0, <v2.0.0', 'xpkg.crossplane.io/o/function-b']}}, 'xpkg.crossplane.io/o/provider-a:v1.2.0': {{dependsOn: \
         ['xpkg.crossplane.io/o/family >=v1']}}, 'xpkg.crossplane.io/o/provider-a:v1.10.0': {{dependsOn: ['xpkg.crossplane.io/o/family \
         >=v1.0.0']}}, 'xpkg.crossplane.io/o/provider-a:v2.0.0': {{}}, 'xpkg.crossplane.io/o/family:v1.1.0': {{}}}}",
        "0".repeat(64)
    );
    let manifest = package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0");
    insta::assert_snapshot!(shown(Some(&spec), &manifest), @r"
    Kind     Source                                   Target                                          Digest                                                                   Used by
    package  xpkg.crossplane.io/o/family:v1.1.0       registry.example.com/xpkg/o/family:v1.1.0       -                                                                        xpkg.crossplane.io/o/provider-a:v1.10.0 (>=v1.0.0)
    package  xpkg.crossplane.io/o/platform:v1.0.0     registry.example.com/xpkg/o/platform:v1.0.0     sha256:0000000000000000000000000000000000000000000000000000000000000000  Configuration platform
    package  xpkg.crossplane.io/o/provider-a:v1.10.0  registry.example.com/xpkg/o/provider-a:v1.10.0  -                                                                        xpkg.crossplane.io/o/platform:v1.0.0 (>=v1.0.0, <v2.0.0)

    xpkg.crossplane.io/o/platform:v1.0.0: which version of xpkg.crossplane.io/o/function-b it needs (any version)
    xpkg.crossplane.io/o/provider-a:v1.10.0: which packages xpkg.crossplane.io/o/family:v1.1.0 needs; record it with `hostnet mirror pin`
    ");
}

#[test]
fn everything_that_names_an_image_is_listed() {
    let manifest = stream(&[
        core("v1.20.0", "--provider, o/p:v1").replace("quay.io/crossplane", "docker.io/crossplane"),
        package("Provider", "s3", "xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0"),
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {containers: [{name: a, image: nginx}]}}}\n".to_owned(),
    ]);
    let spec = "rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}, {from: docker.io, to: registry.example.com/hub}]";
    insta::assert_snapshot!(shown(Some(spec), &manifest), @r"
    Kind     Source                                                        Target                                                               Digest  Used by
    package  xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0  registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0  -       Provider s3
    package  xpkg.crossplane.io/o/p:v1                                     registry.example.com/xpkg/o/p:v1                                     -       Deployment crossplane-system/crossplane: container crossplane-init
    image    docker.io/crossplane/crossplane:v1.20.0                       registry.example.com/hub/crossplane/crossplane:v1.20.0               -       Deployment crossplane-system/crossplane: container crossplane, Deployment crossplane-system/crossplane: container crossplane-init
    image    docker.io/library/nginx                                       registry.example.com/hub/library/nginx                               -       Job j: container a

    Deployment crossplane-system/crossplane: container crossplane-init: which packages xpkg.crossplane.io/o/p:v1 needs; record it with `hostnet mirror pin`
    Provider s3: which version of xpkg.crossplane.io/crossplane-contrib/provider-family-aws it needs
    ");
    insta::assert_snapshot!(lines(&listing(Some(spec), &manifest)).unwrap(), @r#"
        xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0 registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0
        xpkg.crossplane.io/o/p:v1 registry.example.com/xpkg/o/p:v1
        docker.io/crossplane/crossplane:v1.20.0 registry.example.com/hub/crossplane/crossplane:v1.20.0
        docker.io/library/nginx registry.example.com/hub/library/nginx
    "#);
    insta::assert_snapshot!(lines(&listing(None, &manifest)).unwrap(), @r#"
        xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0
        xpkg.crossplane.io/o/p:v1
        docker.io/crossplane/crossplane:v1.20.0
        docker.io/library/nginx
    "#);
}

#[test]
fn signatures_are_beside_the_package_that_is_verified() {
    let source = format!("xpkg.crossplane.io/o/p:v1@sha256:{}", "1".repeat(64));
    let manifest = stream(&[
        package("Function", "a", &source),
        package("Function", "b", "xpkg.crossplane.io/o/q:v1"),
        image_config("signed", "xpkg.crossplane.io/o/", "verification: {provider: Cosign}"),
    ]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&listing(Some(RULE), &manifest))).unwrap(), @r#"
    {
      "entries": [
        {
          "kind": "package",
          "source": "xpkg.crossplane.io/o/p:v1@sha256:1111111111111111111111111111111111111111111111111111111111111111",
          "target": "registry.example.com/xpkg/o/p:v1@sha256:1111111111111111111111111111111111111111111111111111111111111111",
          "digest": "sha256:1111111111111111111111111111111111111111111111111111111111111111",
          "usedBy": [
            "Function a"
          ]
        },
        {
          "kind": "package",
          "source": "xpkg.crossplane.io/o/q:v1",
          "target": "registry.example.com/xpkg/o/q:v1",
          "digest": null,
          "usedBy": [
            "Function b"
          ]
        },
        {
          "kind": "signature",
          "source": "xpkg.crossplane.io/o/p:sha256-1111111111111111111111111111111111111111111111111111111111111111.att",
          "target": "registry.example.com/xpkg/o/p:sha256-1111111111111111111111111111111111111111111111111111111111111111.att",
          "digest": null,
          "usedBy": [
            "ImageConfig signed"
          ]
        },
        {
          "kind": "signature",
          "source": "xpkg.crossplane.io/o/p:sha256-1111111111111111111111111111111111111111111111111111111111111111.sig",
          "target": "registry.example.com/xpkg/o/p:sha256-1111111111111111111111111111111111111111111111111111111111111111.sig",
          "digest": null,
          "usedBy": [
            "ImageConfig signed"
          ]
        }
      ],
      "unknown": [
        "Function a: which packages xpkg.crossplane.io/o/p:v1@sha256:1111111111111111111111111111111111111111111111111111111111111111 needs; record it with `hostnet mirror pin`",
        "Function b: which packages xpkg.crossplane.io/o/q:v1 needs; record it with `hostnet mirror pin`",
        "ImageConfig signed: the signature of xpkg.crossplane.io/o/q:v1, without its digest"
      ],
      "hints": []
    }
    "#);
}

#[test]
fn a_name_without_registry_needs_the_version() {
    insta::assert_snapshot!(shown(None, &package("Function", "a", "o/a:v1")), @r"
    Kind     Source  Target  Digest  Used by
    package  o/a:v1  -       -       Function a

    Function a: which packages o/a:v1 needs; record it with `hostnet mirror pin`
    Function a: which registry `o/a:v1` is in, without the version of Crossplane
    ");
}

#[test]
fn two_sources_for_one_place() {
    let manifest = stream(&[
        package("Provider", "a", "a.io/o/p:v1"),
        package("Provider", "b", "b.io/o/p:v1"),
        package("Provider", "c", "b.io/o/p:v2"),
    ]);
    let listing = listing(Some("rules: [{from: a.io, to: m.io/x}, {from: b.io, to: m.io/x}]"), &manifest);
    let said: Vec<&String> = listing.unknown.iter().filter(|own| own.contains("which of")).collect();
    assert_eq!(said, ["m.io/x/o/p:v1: which of a.io/o/p:v1 and b.io/o/p:v1 it is, since rules lead both there"]);
}

/// A kustomization may give images other names, and `--sources` reads its resources alone.
#[test]
fn images_of_a_kustomization_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n");
    write("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: x, newName: ghcr.io/o/x, newTag: '1'}]\n");
    let said = |args: &[&str]| {
        let run = crate::support::run::hostnet(folder.path(), &[&["mirror", "list"], args].concat(), b"");
        format!("{}{}exit code {}\n", run.text(), run.stderr, run.code.unwrap())
    };
    insta::assert_snapshot!([said(&["--sources", "."]), said(&["--sources", "--complete", "."]), said(&["."])].join("---\n"), @"
    Kind   Source               Target  Digest  Used by
    image  docker.io/library/x  -       -       Pod a: container c
    warning: not known: ./kustomization.yaml: which images its `images` make of those that its resources name; give what `kustomize build` makes of it
    exit code 0
    ---
    Kind   Source               Target  Digest  Used by
    image  docker.io/library/x  -       -       Pod a: container c
    error: not known: ./kustomization.yaml: which images its `images` make of those that its resources name; give what `kustomize build` makes of it
    exit code 1
    ---
    error: some files are only the sources of what reaches the cluster
      . is a kustomization: kustomize build . | hostnet mirror list
    or give the folder and --sources to take the resources that its kustomizations list
    or read what such a folder builds: hostnet mirror list --build .
    exit code 1
    ");
}
