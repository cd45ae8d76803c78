//! `hostnet mirror list`: the images that the mirror needs.

use hostnet::api::AnyConfig;
use hostnet::kinds::package_mirror::list;
use hostnet::package_mirror::ListedKind;
use hostnet::render::mirror::{json, lines, text};
use krm::{Input, Origin};

use super::{RULE, config, core, image_config, package, stream};
use crate::support::run::hostnet;

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

/// Dependencies are listed transitively; of several known versions in range, the newest is listed.
#[test]
fn dependencies_are_listed_transitively() {
    let spec = format!(
        "{RULE}, packages: {{'xpkg.crossplane.io/o/platform:v1.0.0': {{digest: 'sha256:{}', dependsOn: ['xpkg.crossplane.io/o/provider-a \
         >=v1.0.0, <v2.0.0', 'xpkg.crossplane.io/o/function-b']}}, 'xpkg.crossplane.io/o/provider-a:v1.2.0': {{dependsOn: \
         ['xpkg.crossplane.io/o/family >=v1']}}, 'xpkg.crossplane.io/o/provider-a:v1.10.0': {{dependsOn: ['xpkg.crossplane.io/o/family \
         >=v1.0.0']}}, 'xpkg.crossplane.io/o/provider-a:v2.0.0': {{}}, 'xpkg.crossplane.io/o/family:v1.1.0': {{}}}}",
        "0".repeat(64)
    );
    let manifest = package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0");
    insta::assert_snapshot!(shown(Some(&spec), &manifest), @"
    Kind     Source                                   Target                                          Digest                                                                   Used by
    package  xpkg.crossplane.io/o/family:v1.1.0       registry.example.com/xpkg/o/family:v1.1.0       -                                                                        xpkg.crossplane.io/o/provider-a:v1.10.0 (>=v1.0.0)
    package  xpkg.crossplane.io/o/platform:v1.0.0     registry.example.com/xpkg/o/platform:v1.0.0     sha256:0000000000000000000000000000000000000000000000000000000000000000  Configuration platform
    package  xpkg.crossplane.io/o/provider-a:v1.10.0  registry.example.com/xpkg/o/provider-a:v1.10.0  -                                                                        xpkg.crossplane.io/o/platform:v1.0.0 (>=v1.0.0, <v2.0.0)

    xpkg.crossplane.io/o/platform:v1.0.0: the version of xpkg.crossplane.io/o/function-b that it needs (any version)
    xpkg.crossplane.io/o/provider-a:v1.10.0: the packages that xpkg.crossplane.io/o/family:v1.1.0 needs; record it with `hostnet mirror pin`
    ");
}

/// Crossplane up to v1.20 compares prefixes of ImageConfigs with names as `spec.package` and dependencies write them.
#[test]
fn a_name_without_registry_has_the_target_of_its_image_config() {
    let manifest = |prefix: &str| {
        stream(&[
            core("v1.20.5", "--debug").replace("[core, start]", "[core, start, --registry=a.io]"),
            image_config("own", prefix, "rewriteImage: {prefix: harbor.example.com/org/}"),
            package("Function", "a", "org/a:v1"),
            package("Function", "b", "other/b:v1"),
            package("Function", "c", "a.io/org/c:v1"),
        ])
    };
    let targets = |rules: &str, prefix: &str| {
        let spec =
            format!("rules: [{rules}], packages: {{'a.io/org/a:v1': {{dependsOn: ['org/d']}}, 'a.io/org/d:v2': {{}}}}");
        let listing = listing(Some(&spec), &manifest(prefix));
        let packages = listing.entries.iter().filter(|entry| entry.kind == ListedKind::Package);
        packages
            .map(|entry| format!("{} -> {}\n", entry.source, entry.target.as_deref().unwrap_or("-")))
            .collect::<String>()
    };
    insta::assert_snapshot!(targets("{from: b.io, to: r.example.com/b}", "org/"), @"
    a.io/org/a:v1 -> harbor.example.com/org/a:v1
    a.io/org/c:v1 -> -
    a.io/org/d:v2 -> harbor.example.com/org/d:v2
    a.io/other/b:v1 -> -
    ");
    insta::assert_snapshot!(targets("{from: b.io, to: r.example.com/b}", "a.io/org/"), @"
    a.io/org/a:v1 -> -
    a.io/org/c:v1 -> harbor.example.com/org/c:v1
    a.io/org/d:v2 -> -
    a.io/other/b:v1 -> -
    ");
    insta::assert_snapshot!(targets("{from: a.io, to: r.example.com/a}", "org/"), @"
    a.io/org/a:v1 -> harbor.example.com/org/a:v1
    a.io/org/c:v1 -> r.example.com/a/org/c:v1
    a.io/org/d:v2 -> harbor.example.com/org/d:v2
    a.io/other/b:v1 -> r.example.com/a/other/b:v1
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
    insta::assert_snapshot!(shown(Some(spec), &manifest), @"
    Kind     Source                                                        Target                                                               Digest  Used by
    package  xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0  registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0  -       Provider s3
    package  xpkg.crossplane.io/o/p:v1                                     registry.example.com/xpkg/o/p:v1                                     -       Deployment crossplane-system/crossplane: container crossplane-init
    image    docker.io/crossplane/crossplane:v1.20.0                       registry.example.com/hub/crossplane/crossplane:v1.20.0               -       Deployment crossplane-system/crossplane: container crossplane, Deployment crossplane-system/crossplane: container crossplane-init
    image    docker.io/library/nginx                                       registry.example.com/hub/library/nginx                               -       Job j: container a

    Deployment crossplane-system/crossplane: container crossplane-init: the packages that xpkg.crossplane.io/o/p:v1 needs; record it with `hostnet mirror pin`
    Provider s3: the packages that xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0 needs (most likely a provider-family-aws, of this registry or another); record it with `hostnet mirror pin`
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
fn signatures_of_verified_packages_are_listed() {
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
      "conflicts": [],
      "unknown": [
        "Function a: the packages that xpkg.crossplane.io/o/p:v1@sha256:1111111111111111111111111111111111111111111111111111111111111111 needs; record it with `hostnet mirror pin`",
        "Function b: the packages that xpkg.crossplane.io/o/q:v1 needs; record it with `hostnet mirror pin`",
        "ImageConfig signed: the signature of xpkg.crossplane.io/o/q:v1, without its digest"
      ],
      "hints": []
    }
    "#);
}

#[test]
fn a_name_without_registry_needs_the_version() {
    insta::assert_snapshot!(shown(None, &package("Function", "a", "o/a:v1")), @"
    Kind     Source  Target  Digest  Used by
    package  o/a:v1  -       -       Function a

    Function a: the packages that o/a:v1 needs; record it with `hostnet mirror pin`
    Function a: the registry of `o/a:v1`, without the version of Crossplane
    ");
}

#[test]
fn two_sources_with_the_same_target() {
    let manifest = stream(&[
        package("Provider", "a", "a.io/o/p:v1"),
        package("Provider", "b", "b.io/o/p:v1"),
        package("Provider", "c", "b.io/o/p:v2"),
    ]);
    let listing = listing(Some("rules: [{from: a.io, to: m.io/x}, {from: b.io, to: m.io/x}]"), &manifest);
    let log: Vec<&String> = listing.unknown.iter().filter(|unknown| unknown.contains("its source, ")).collect();
    assert_eq!(log, ["m.io/x/o/p:v1: its source, a.io/o/p:v1 or b.io/o/p:v1: rules map both to this name"]);
}

/// A kustomization may change image names, but without `--build` only its resources are read.
#[test]
fn images_of_a_kustomization_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n");
    write("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: x, newName: ghcr.io/o/x, newTag: '1'}]\n");
    let reported = |args: &[&str]| {
        let run = crate::support::run::hostnet(folder.path(), &[&["mirror", "list"], args].concat(), b"");
        format!("{}{}exit code {}\n", run.text(), run.stderr, run.code.unwrap())
    };
    assert_eq!(reported(&["--sources", "."]), reported(&["."]));
    insta::assert_snapshot!([reported(&["."]), reported(&["--complete", "."])].join("---\n"), @"
    Kind   Source               Target  Digest  Used by
    image  docker.io/library/x  -       -       Pod a: container c
    warning: not known: ./kustomization.yaml: the images that its `images` field sets; give the output of `kustomize build`
    exit code 0
    ---
    Kind   Source               Target  Digest  Used by
    image  docker.io/library/x  -       -       Pod a: container c
    error: not known: ./kustomization.yaml: the images that its `images` field sets; give the output of `kustomize build`
    exit code 1
    ");
}

/// A patch may change each image: a list without `--build` is not complete, and names the build.
#[test]
fn images_that_a_patch_may_change_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("base")).unwrap();
    write(
        "base/a.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: ghcr.io/o/x:v1}]}\n",
    );
    write("base/kustomization.yaml", "resources: [a.yaml]\n");
    let complete = |args: &[&str]| {
        crate::support::run::hostnet(folder.path(), &[&["mirror", "list", "--complete"], args].concat(), b"")
    };
    assert_eq!(complete(&["base"]).code, Some(0), "no field changes anything");
    std::fs::create_dir(folder.path().join("over")).unwrap();
    let over = "resources: [../base]\npatches: [{path: p.yaml, target: {kind: Pod}}]\n";
    write("over/p.yaml", "[{op: replace, path: /spec/containers/0/image, value: quay.io/a/b:v2}]\n");
    write("over/kustomization.yaml", over);
    let run = complete(&["."]);
    assert!(
        run.stderr.contains("error: not known: all images: ./over: the kustomization sets patches"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("`hostnet mirror list --build ./over` reads the build"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
    write("over/kustomization.yaml", "resources: [../base]\nnamePrefix: x-\n");
    assert_eq!(complete(&["."]).code, Some(0), "only names change");
}

/// Crossplane uses the longest matching prefix of all ImageConfigs, including those that the config creates.
#[test]
fn image_configs_of_the_input_decide() {
    let packages = ["ghcr.io/acme/a:v1", "ghcr.io/other/b:v1", "xpkg.upbound.io/o/c:v1", "xpkg.example.com/o/d:v1"];
    let packages: Vec<String> =
        packages.iter().enumerate().map(|(at, source)| package("Function", &format!("f{at}"), source)).collect();
    let two = image_config(
        "two",
        "xpkg.upbound.io/', type: Prefix}, {type: Prefix, prefix: 'ghcr.io/acme/",
        "rewriteImage: {prefix: team.example.com/}",
    );
    let manifest = stream(&[stream(&packages), two]);
    let places = |spec: &str| lines(&listing(Some(spec), &manifest)).unwrap();
    let spec = "rules: [{from: ghcr.io, to: registry.example.com/ghcr}], crossplane: {version: v2.3.4}";
    insta::assert_snapshot!(places(spec), @"
    ghcr.io/acme/a:v1 team.example.com/a:v1
    ghcr.io/other/b:v1 registry.example.com/ghcr/other/b:v1
    xpkg.example.com/o/d:v1
    xpkg.upbound.io/o/c:v1 team.example.com/o/c:v1
    ");
    // A name or a prefix that is filled in later.
    for (prefix, new) in [("ghcr.io/acme/", "'${REG}/'"), ("ghcr.io/acme/", "'{{ .reg }}/'")] {
        let own = image_config("own", prefix, &format!("rewriteImage: {{prefix: {new}}}"));
        assert_eq!(
            lines(&listing(Some(spec), &stream(&[packages[0].clone(), own]))).unwrap(),
            "ghcr.io/acme/a:v1\n",
            "{new}"
        );
    }
    // An ImageConfig of a removed rule still counts, since it stays in the cluster; an ImageConfig of an existing rule
    // gets the target of the rule.
    let before = super::run_all(spec, &packages[1]).0;
    let places = |to: &str, from: &str| {
        let spec = format!("rules: [{{from: {from}, to: {to}}}], crossplane: {{version: v2.3.4}}");
        lines(&listing(Some(&spec), &before)).unwrap()
    };
    assert_eq!(places("new.example.com", "ghcr.io"), "ghcr.io/other/b:v1 new.example.com/other/b:v1\n");
    assert_eq!(places("new.example.com", "a.io"), "ghcr.io/other/b:v1 registry.example.com/ghcr/other/b:v1\n");
    // Before v1.20 ImageConfigs rewrite nothing.
    let spec = "rules: [{from: ghcr.io, to: registry.example.com/ghcr}], crossplane: {version: v1.18.0}";
    insta::assert_snapshot!(lines(&listing(Some(spec), &manifest)).unwrap(), @"
    ghcr.io/acme/a:v1 registry.example.com/ghcr/acme/a:v1
    ghcr.io/other/b:v1 registry.example.com/ghcr/other/b:v1
    xpkg.example.com/o/d:v1
    xpkg.upbound.io/o/c:v1
    ");
}

/// If the input has a package under the mirror's name and another package needs it under its original name, Crossplane
/// installs both, so the list is not complete.
#[test]
fn conflicts_in_the_lock_make_a_list_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec:\n  rules: [{from: a.io, to: m.io/a}]\n  \
                  packages: {'b.io/o/db:v1.0.0': {dependsOn: [a.io/o/t >=v1.0.0]}, 'a.io/o/t:v1.0.0': {dependsOn: []}}\n";
    write("mirror.yaml", config);
    let run = |command: &[&str], source: &str| {
        let manifest = stream(&[package("Provider", "t", source), package("Configuration", "db", "b.io/o/db:v1.0.0")]);
        write("a.yaml", &manifest);
        crate::support::run::hostnet(
            folder.path(),
            &[&["mirror"], command, &["-c", "mirror.yaml", "a.yaml"]].concat(),
            b"",
        )
    };
    let log = "Configuration db needs a.io/o/t, and Provider t has that package as m.io/a/o/t";
    for command in [&["list", "--complete"][..], &["script", "--tool", "crane", "--complete"]] {
        let wrong = run(command, "m.io/a/o/t:v1.0.0");
        assert!(
            wrong.code == Some(1) && wrong.stderr.contains(&format!("error: {log}")),
            "{command:?}: {}",
            wrong.stderr
        );
    }
    let right = run(&["list", "--complete"], "a.io/o/t:v1.0.0");
    assert_eq!((right.code, right.stderr.as_str()), (Some(0), ""));
    let warned = run(&["list"], "m.io/a/o/t:v1.0.0");
    assert!(warned.code == Some(0) && warned.stderr.contains(&format!("warning: {log}")), "{}", warned.stderr);
    let json: serde_json::Value =
        serde_json::from_str(&run(&["list", "-o", "json"], "m.io/a/o/t:v1.0.0").text()).unwrap();
    assert!(json["conflicts"][0].as_str().unwrap().starts_with(log), "{json}");
}

/// Up to v1.20 the image that a package's metadata names is listed, with the default registry of the release.
#[test]
fn images_of_metadata_are_listed() {
    let known = "packages: {'xpkg.upbound.io/o/a:v1.0.0': {runtimeImage: 'o/a-controller:v1.0.0', dependsOn: [xpkg.upbound.io/o/b >=v1.0.0]}, \
                 'xpkg.upbound.io/o/b:v1.0.0': {runtimeImage: 'quay.io/o/b-controller', dependsOn: []}}";
    let images = |version: &str| {
        let spec = format!(
            "rules: [{{from: xpkg.upbound.io, to: m.io/u}}, {{from: docker.io, to: m.io/hub}}], {known}, crossplane: {{version: {version}}}"
        );
        let listing = listing(Some(&spec), &package("Provider", "a", "xpkg.upbound.io/o/a:v1.0.0"));
        let images = listing.entries.iter().filter(|entry| entry.kind.as_str() == "image");
        images.map(|entry| format!("{} {}\n", entry.source, entry.target.as_deref().unwrap_or("-"))).collect::<String>()
    };
    insta::assert_snapshot!(["v1.14.0", "v1.19.0", "v1.20.11", "v2.0.0"].map(|version| format!("{version}\n{}", images(version))).concat(), @"
    v1.14.0
    docker.io/o/a-controller:v1.0.0 m.io/hub/o/a-controller:v1.0.0
    quay.io/o/b-controller -
    v1.19.0
    quay.io/o/b-controller -
    xpkg.upbound.io/o/a-controller:v1.0.0 m.io/u/o/a-controller:v1.0.0
    v1.20.11
    quay.io/o/b-controller -
    xpkg.crossplane.io/o/a-controller:v1.0.0 -
    v2.0.0
    ");
}

/// A name or an ImageConfig that the API server refuses is never stored, so the list is not complete.
#[test]
fn objects_that_the_api_server_refuses_make_a_list_incomplete() {
    let spec = |version: &str| {
        format!(
            "rules: [{{from: 'localhost:5000', to: '172.18.255.5:5000'}}], crossplane: {{version: {version}}}, packages: {{}}"
        )
    };
    let function = package("Function", "a", "localhost:5000/o/a:v1");
    let conflicts = |version: &str, manifest: &str| {
        let listing = listing(Some(&spec(version)), manifest);
        listing
            .all_conflicts()
            .map(|conflict| format!("{:?}: {}\n", conflict.severity, conflict.message))
            .collect::<String>()
    };
    insta::assert_snapshot!(conflicts("v2.3.4", &function), @"Error: Function a: `spec.package` `localhost:5000/o/a:v1` is refused by the API server with Crossplane from v2.0.0 on: `must be a fully qualified image name, including the registry, repository, and tag or digest`; `localhost:5000` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000`. An ImageConfig does not help, since the object is never stored");
    assert!(
        conflicts("v2.3.4", &core("v2.3.4", "--function, 'localhost:5000/o/a:v1'")).starts_with("Error: Deployment")
    );
    assert_eq!(conflicts("v1.19.0", &function), "");
    // Style Rewrite writes a name that the API server accepts.
    let rewrite = format!("{}, style: Rewrite", spec("v2.3.4"));
    assert!(listing(Some(&rewrite), &function).all_conflicts().next().is_none());
    let empty = "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {name: empty}\nspec: {matchImages: [], rewriteImage: {prefix: a.io/}}\n";
    insta::assert_snapshot!(conflicts("v1.19.2", empty), @"
    Error: ImageConfig empty: spec.matchImages: Invalid value: matchImages should have at least one element. Add an element such as `{type: Prefix, prefix: registry.example.com/}`
    Warning: ImageConfig empty: spec.rewriteImage: unknown field: Crossplane before v1.20.0 rewrites no images, and the API server drops it. Write the mirror's name into `spec.package`
    ");
    insta::assert_snapshot!(conflicts("v2.3.4", empty), @"Error: ImageConfig empty: spec.matchImages: Invalid value: matchImages should have at least one element. Add an element such as `{type: Prefix, prefix: registry.example.com/}`");
}

/// `failOn: Warning` of the config counts as `--strict` does.
#[test]
fn the_config_decides_which_warnings_fail() {
    let folder = tempfile::tempdir().unwrap();
    let code = |fail_on: &str, arguments: &[&str]| {
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{{RULE}{fail_on}}}\n"
        );
        std::fs::write(folder.path().join("m.yaml"), config).unwrap();
        std::fs::write(folder.path().join("a.yaml"), package("Function", "a", "xpkg.crossplane.io/o/a:v1")).unwrap();
        let run = hostnet(folder.path(), &[&["mirror"], arguments, &["-c", "m.yaml", "a.yaml"]].concat(), b"");
        (run.code, run.stderr.contains("makes warnings fail"))
    };
    for command in [&["list"][..], &["script", "--tool", "crane"]] {
        assert_eq!(code("", command), (Some(0), false), "{command:?}");
        assert_eq!(code(", failOn: Warning", command), (Some(1), true), "{command:?}");
        let never = [command, &["--fail-on", "never"]].concat();
        assert_eq!(code(", failOn: Warning", &never), (Some(0), false), "{command:?}");
        assert_eq!(code("", &[command, &["--strict"]].concat()), (Some(1), true), "{command:?}");
    }
}

/// A reference with a placeholder can neither be copied nor pulled.
#[test]
fn a_placeholder_makes_a_list_incomplete() {
    let list = |source: &str| {
        let text = package("Provider", "t", source).replace("spec: {", "spec: {skipDependencyResolution: true, ");
        let command = ["mirror", "list", "--complete", "-"];
        crate::support::run::hostnet(std::path::Path::new("."), &command, text.as_bytes())
    };
    let run = list("a.io/o/t:${version}");
    let message = "error: not known: a.io/o/t:${version} is not a reference until its placeholders are filled in";
    assert!(run.code == Some(1) && run.stderr.contains(message), "{}", run.stderr);
    assert!(!list("a.io/o/t:v1.0.0").stderr.contains("placeholders"));
}

/// Packages inside of other objects and packages that the lock of a cluster names are needed too.
#[test]
fn nested_and_installed_packages_are_listed() {
    let manifest = stream(&[
        package("Provider", "s3", "xpkg.crossplane.io/o/s3:v1"),
        "apiVersion: kro.run/v1alpha1\nkind: ResourceGraphDefinition\nmetadata: {name: a}\nspec: {resources: [{template: {apiVersion: \
         pkg.crossplane.io/v1, kind: Function, spec: {package: 'xpkg.crossplane.io/o/f:v1'}}}]}\n"
            .to_owned(),
        format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: Lock\nmetadata: {{name: lock}}\npackages:\n- {{name: s3-1, type: Provider, source: \
             xpkg.crossplane.io/o/s3, version: v1, dependencies: []}}\n- {{name: family-1, type: Provider, source: xpkg.crossplane.io/o/family, \
             version: 'sha256:{}'}}\n- {{name: none, type: Provider, source: xpkg.crossplane.io/o/none}}\n",
            "0".repeat(64)
        ),
    ]);
    insta::assert_snapshot!(shown(Some(RULE), &manifest), @"
    Kind     Source                                                                                               Target                                                                                                      Digest                                                                   Used by
    package  xpkg.crossplane.io/o/f:v1                                                                            registry.example.com/xpkg/o/f:v1                                                                            -                                                                        ResourceGraphDefinition a: Function in spec.resources[0].template
    package  xpkg.crossplane.io/o/family@sha256:0000000000000000000000000000000000000000000000000000000000000000  registry.example.com/xpkg/o/family@sha256:0000000000000000000000000000000000000000000000000000000000000000  sha256:0000000000000000000000000000000000000000000000000000000000000000  Lock lock
    package  xpkg.crossplane.io/o/s3:v1                                                                           registry.example.com/xpkg/o/s3:v1                                                                           -                                                                        Lock lock, Provider s3

    Provider s3: the packages that xpkg.crossplane.io/o/s3:v1 needs; record it with `hostnet mirror pin`
    ");
}
