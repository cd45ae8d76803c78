//! Errors of invalid configs: the position, the expected value, and the remedy.

use hostnet::api::AnyConfig;
use hostnet::package_mirror::MirrorRules;

use super::{RULE, config};

#[test]
fn invalid_specs_are_refused_with_their_position() {
    let hex = "0".repeat(64);
    let cases = [
        "style: Auto".to_owned(),
        "rules: []".to_owned(),
        "rules: [{from: a.io}]".to_owned(),
        "rules: [{from: 'https://a.io', to: b.io}]".to_owned(),
        "rules: [{from: a.io/, to: b.io}]".to_owned(),
        "rules: [{from: 'a.io/x:v1', to: b.io}]".to_owned(),
        "rules: [{from: crossplane, to: b.io}]".to_owned(),
        "rules: [{from: a.io/X, to: b.io}]".to_owned(),
        "rules: [{from: a.io, to: 'b.io/x@y'}]".to_owned(),
        "rules: [{from: a.io, to: 'b.io:99999'}]".to_owned(),
        "rules: [{from: a.io, to: 'b.io:0/x'}]".to_owned(),
        "rules: [{from: a.io, to: 'fd00::1'}]".to_owned(),
        "rules: [{from: '[fd00::1]:99999', to: a.io}]".to_owned(),
        "rules: [{from: a.io, to: b.io/a}, {from: c.io, to: d.io}, {from: a.io, to: e.io}]".to_owned(),
        "rules: [{from: docker.io, to: b.io/a}, {from: index.docker.io, to: b.io/b}]".to_owned(),
        "rules: [{from: a.io, to: a.io}]".to_owned(),
        "rules: [{from: a.io, to: b.io/a}, {from: b.io, to: c.io}]".to_owned(),
        format!("{RULE}, style: image"),
        format!("{RULE}, pullSecret: Credentials"),
        format!("{RULE}, packages: {{'a.io/b/c': {{}}}}"),
        format!("{RULE}, packages: {{'a.io/b/c:v1@sha256:{hex}': {{}}}}"),
        format!("{RULE}, packages: {{'b/c:v1': {{}}}}"),
        format!("{RULE}, packages: {{'a.io/B:v1': {{}}}}"),
        format!("{RULE}, packages: {{'a.io/b/c:v1': {{digest: 'sha256:0'}}}}"),
        format!("{RULE}, packages: {{'a.io/b/c:v1': {{dependsOn: ['a.io/b/d:v1']}}}}"),
        format!("{RULE}, crossplane: {{version: newest}}"),
        format!("{RULE}, select: [{{}}]"),
        format!("{RULE}, exclude: [{{kind: Provider, calledByApiServer: true}}]"),
    ];
    let log = cases.iter().map(|spec| match config(spec) {
        Err(error) => format!("{spec}\n  {error}"),
        Ok(AnyConfig::Mirror(config)) => {
            format!(
                "{spec}\n  {}",
                MirrorRules::compile(&config).map(drop).unwrap_err().lines().collect::<Vec<_>>().join("\n  ")
            )
        }
        Ok(_) => panic!("{spec}"),
    });
    insta::assert_snapshot!(log.collect::<Vec<_>>().join("\n"), @"
    style: Auto
      mirror.yaml:4:7: `rules` is missing in `spec`: write it as `rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]`
    rules: []
      mirror.yaml:4:15: no rule: write `rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]`
    rules: [{from: a.io}]
      mirror.yaml:4:16: `to` is missing in an item of `rules`: write it as `{from: xpkg.crossplane.io, to: registry.example.com/xpkg}`
    rules: [{from: 'https://a.io', to: b.io}]
      mirror.yaml:4:23: `https://a.io` is not a registry with an optional path: it has a scheme; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io/, to: b.io}]
      mirror.yaml:4:23: `a.io/` is not a registry with an optional path: it has no text after a slash; write one such as `registry.example.com/xpkg`
    rules: [{from: 'a.io/x:v1', to: b.io}]
      mirror.yaml:4:23: `a.io/x:v1` is not a registry with an optional path: it has a tag or a digest; write one such as `registry.example.com/xpkg`
    rules: [{from: crossplane, to: b.io}]
      mirror.yaml:4:23: `crossplane` is not a registry with an optional path: its first part is not a host, which has a dot or a port; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io/X, to: b.io}]
      mirror.yaml:4:23: `a.io/X` is not a registry with an optional path: its path has other characters than lower-case letters, digits, `_`, `-` and `.`; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io, to: 'b.io/x@y'}]
      mirror.yaml:4:33: `b.io/x@y` is not a registry with an optional path: it has a tag or a digest; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io, to: 'b.io:99999'}]
      mirror.yaml:4:33: `b.io:99999` is not a registry with an optional path: its port is not a number from 1 to 65535; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io, to: 'b.io:0/x'}]
      mirror.yaml:4:33: `b.io:0/x` is not a registry with an optional path: its port is not a number from 1 to 65535; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io, to: 'fd00::1'}]
      mirror.yaml:4:33: `fd00::1` is not a registry with an optional path: write an IPv6 address in brackets, as in `[fd00::1]:5000`; write one such as `registry.example.com/xpkg`
    rules: [{from: '[fd00::1]:99999', to: a.io}]
      mirror.yaml:4:23: `[fd00::1]:99999` is not a registry with an optional path: its port is not a number from 1 to 65535; write one such as `registry.example.com/xpkg`
    rules: [{from: a.io, to: b.io/a}, {from: c.io, to: d.io}, {from: a.io, to: e.io}]
      mirror.yaml:4:73: `a.io` is the `from` of an earlier rule too; remove one of the two
    rules: [{from: docker.io, to: b.io/a}, {from: index.docker.io, to: b.io/b}]
      mirror.yaml:4:75: `docker.io` and `index.docker.io` are one registry for images, and their rules lead to two; give both the same `to`
    rules: [{from: a.io, to: a.io}]
      mirror.yaml:4:33: `a.io` is both `from` and `to`: such a rule only sets the credentials of a registry, and the spec has no `pullSecret`; write `pullSecret: registry-credentials`, or the mirror as `to`
    rules: [{from: a.io, to: b.io/a}, {from: b.io, to: c.io}]
      mirror.yaml:4:33: `b.io/a` is at or below `b.io`, the `from` of a rule, so a second run would move it again; mirror it to another registry, or narrow that `from`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], style: image
      mirror.yaml:4:83: `image` is not a value of `style`: did you mean `ImageConfig`? It takes `Auto`, `ImageConfig`, `Rewrite`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], pullSecret: Credentials
      mirror.yaml:4:88: `Credentials` is not the name of a Secret; write one such as `registry-credentials`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], packages: {'a.io/b/c': {}}
      mirror.yaml:4:99: `a.io/b/c` has no tag, so its version could not be compared; write it as `xpkg.crossplane.io/org/provider-aws-s3:v2.0.0`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], packages: {'a.io/b/c:v1@sha256:0000000000000000000000000000000000000000000000000000000000000000': {}}
      mirror.yaml:4:174: `a.io/b/c:v1@sha256:0000000000000000000000000000000000000000000000000000000000000000` has a digest, which belongs under `digest`; write it as `xpkg.crossplane.io/org/provider-aws-s3:v2.0.0`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], packages: {'b/c:v1': {}}
      mirror.yaml:4:97: `b/c:v1` has no registry; write it as `xpkg.crossplane.io/org/provider-aws-s3:v2.0.0`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], packages: {'a.io/B:v1': {}}
      mirror.yaml:4:100: `a.io/B:v1` is not an image reference: a path has 2 to 255 characters out of lower-case letters, digits, `_`, `-`, `.` and `/`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], packages: {'a.io/b/c:v1': {digest: 'sha256:0'}}
      mirror.yaml:4:111: `sha256:0` is not a digest: write `sha256:` with 64 of the digits 0 to 9 and a to f
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], packages: {'a.io/b/c:v1': {dependsOn: ['a.io/b/d:v1']}}
      mirror.yaml:4:115: `a.io/b/d:v1` is not a package with a range of versions: write `xpkg.crossplane.io/org/provider-family-aws >=v2.0.0`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], crossplane: {version: newest}
      mirror.yaml:4:98: `newest` is not a version: expected one such as `v2.0.2`
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], select: [{}]
      mirror.yaml:4:85: an empty select would match everything: give at least one of group, version, kind, name, namespace, labelSelector, annotationSelector, calledByApiServer
    rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], exclude: [{kind: Provider, calledByApiServer: true}]
      mirror.yaml:4:122: `calledByApiServer` does not select by images; remove it
    ");
}

#[test]
fn the_config_name_must_be_a_valid_name_prefix() {
    let read = |metadata: &str| {
        let text =
            format!("apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {metadata}\nspec: {{{RULE}}}\n");
        AnyConfig::read(&text, "mirror.yaml", 1)
            .map(drop)
            .map_err(|error| error.lines().collect::<Vec<_>>().join("\n  "))
    };
    let wrong = ["{}", "{name: My}", "{name: a-}"].map(|metadata| read(metadata).unwrap_err());
    insta::assert_snapshot!(wrong.join("\n"), @r#"
        mirror.yaml:3:11: `metadata.name` begins the names of new ImageConfigs: write one of 1 to 40 lower-case letters, digits and `-`, such as `internal`
        mirror.yaml:3:18: `metadata.name` begins the names of new ImageConfigs: write one of 1 to 40 lower-case letters, digits and `-`, such as `internal`
        mirror.yaml:3:18: `metadata.name` begins the names of new ImageConfigs: write one of 1 to 40 lower-case letters, digits and `-`, such as `internal`
    "#);
    assert_eq!(read("{name: internal}"), Ok(()));
}

#[test]
fn both_names_of_docker_hub_may_have_the_same_target() {
    assert!(config("rules: [{from: docker.io, to: b.io/a}, {from: index.docker.io, to: b.io/a}]").is_ok());
}

/// Crossplane compares prefixes literally, so a pattern or list would match no image.
#[test]
fn a_registry_is_no_pattern() {
    let read = |from: &str, to: &str| config(&format!("rules: [{{from: '{from}', to: '{to}'}}]"));
    for (from, to) in [
        ("*.io", "b.io/a"),
        ("xpkg.*.io", "b.io"),
        ("ghcr.io,quay.io", "b.io"),
        ("a.io", "(b|c).io"),
        ("?.io/x", "b.io"),
    ] {
        let error = read(from, to).unwrap_err();
        let reason = "a registry cannot be a pattern or a list: write one rule for each registry";
        assert!(error.contains(reason), "{from} {to}: {error}");
    }
    for (from, to) in [("xpkg.a-b.io:5000/x", "b.io"), ("localhost/x", "b.io"), ("a.io", "[fd00::1]:5000/x")] {
        assert!(read(from, to).is_ok(), "{from} {to}");
    }
}

#[test]
fn a_platform_has_a_system_and_an_architecture() {
    let spec = |platform: &str| format!("{RULE}, packages: {{'a.io/o/a:v1': {{platforms: ['{platform}']}}}}");
    for platform in ["amd64", "linux/", "/amd64", "linux/arm/v7/x"] {
        let error = config(&spec(platform)).unwrap_err();
        assert!(error.contains(&format!("`{platform}` is not a platform: write one such as `linux/amd64`")), "{error}");
    }
    for platform in ["linux/amd64", "linux/arm/v7"] {
        config(&spec(platform)).unwrap();
    }
}
