//! Image names in texts that may or may not be pulled.

use super::{config, core, stream};
use hostnet::api::AnyConfig;
use krm::{Input, Origin};

/// Hints of `hostnet mirror list`.
fn hints(rules: Option<&str>, manifest: &str) -> Vec<String> {
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let config = rules.map(|rules| config(rules).unwrap());
    let config = config.as_ref().map(|config| match config {
        AnyConfig::Mirror(config) => config.as_ref(),
        _ => panic!("another kind"),
    });
    hostnet::kinds::package_mirror::list(std::slice::from_ref(&input), config).unwrap().hints
}

const MAP: &str = r#"apiVersion: v1
kind: ConfigMap
metadata: {name: injector, namespace: mesh}
data:
  values: |
    image: "ghcr.io/mesh/proxy:1.2.3"
    sidecar: {image: ghcr.io/mesh/init:1.2.3, address: mesh.example.com:8080}
    see: https://ghcr.io/mesh/docs:1
  range: 10.0.0.0/8
  other: quay.io/o/a:v1
"#;

const COMPOSITION: &str = "apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: c}
spec:
  pipeline:
  - step: kcl
    functionRef: {name: function-kcl}
    input: {apiVersion: krm.kcl.dev/v1alpha1, kind: KCLInput, spec: {source: 'oci://ghcr.io/kcl-lang/s3'}}
  - step: more
    input: {spec: {source: 'import x\\nmodule = \"oci://other.example.com/o/m:v2\"'}}
";

/// Images of custom resources are listed like images of workloads; possible images, and artifacts, are reported as not
/// known.
#[test]
fn images_outside_pod_templates_are_listed_or_reported() {
    let objects = [
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p, namespace: n}\nspec: {image: 'ghcr.io/o/prom:1', thanos: {baseImage: ghcr.io/o/thanos}}\n",
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: kn, namespace: n}\nspec: {template: {spec: {containers: [{image: 'ghcr.io/o/kn:1'}]}}}\n",
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: o, namespace: n}\nspec: {url: 'oci://ghcr.io/o/manifests', ref: {tag: '1'}}\n",
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: h, namespace: n}\nspec: {url: 'oci://quay.io/charts'}\n",
        "apiVersion: compute.example.org/v1\nkind: Instance\nmetadata: {name: vm}\nspec: {image: ubuntu-os-cloud/ubuntu-2204, bootImage: 'projects/x:1'}\nstatus: {image: 'ghcr.io/o/old:1'}\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  containers: [{name: c, image: 'quay.io/o/c:1', args: ['ghcr.io/o/pos:1', 'quay.io/o/pos:1']}]\n  volumes: [{name: v, image: {reference: 'ghcr.io/o/vol:1'}}]\n",
    ];
    let all = stream(&objects.map(str::to_owned));
    let reported = |rules: Option<&str>| {
        let input = Input::read(Origin::stdin(), all.clone().into()).unwrap();
        let config = rules.map(|rules| config(rules).unwrap());
        let config = config.as_ref().map(|config| match config {
            AnyConfig::Mirror(config) => config.as_ref(),
            _ => panic!("another kind"),
        });
        let listing = hostnet::kinds::package_mirror::list(std::slice::from_ref(&input), config).unwrap();
        let entries = listing.entries.iter().map(|entry| format!("{} <- {}", entry.source, entry.used_by.join(", ")));
        entries.chain(listing.unknown).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(reported(Some("rules: [{from: ghcr.io, to: m.example.com/ghcr}]")), @"
    ghcr.io/o/kn:1 <- Service n/kn: spec.template.spec.containers[0].image
    ghcr.io/o/manifests:1 <- OCIRepository n/o
    ghcr.io/o/prom:1 <- Prometheus n/p: spec.image
    ghcr.io/o/vol:1 <- Pod n/a: volume v
    quay.io/o/c:1 <- Pod n/a: container c
    Pod n/a: container c: whether its value `ghcr.io/o/pos:1` is an image
    Prometheus n/p: spec.thanos.baseImage: the version of the image `ghcr.io/o/thanos`
    ");
    insta::assert_snapshot!(reported(None), @"
    ghcr.io/o/kn:1 <- Service n/kn: spec.template.spec.containers[0].image
    ghcr.io/o/manifests:1 <- OCIRepository n/o
    ghcr.io/o/prom:1 <- Prometheus n/p: spec.image
    ghcr.io/o/vol:1 <- Pod n/a: volume v
    quay.io/o/c:1 <- Pod n/a: container c
    HelmRepository n/h: the versions of oci://quay.io/charts that it pulls
    Prometheus n/p: spec.thanos.baseImage: the version of the image `ghcr.io/o/thanos`
    ");
}

/// An `OCIRepository` names a version by tag or digest; a range is chosen by its controller.
#[test]
fn an_oci_repository_names_its_version() {
    let digest = format!("sha256:{}", "1".repeat(64));
    let listed = |reference: &str| {
        let manifest = format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: o, namespace: n}}\nspec: {{url: oci://ghcr.io/o/charts/c, ref: {{{reference}}}}}\n"
        );
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        let listing = hostnet::kinds::package_mirror::list(std::slice::from_ref(&input), None).unwrap();
        let sources = listing.entries.iter().map(|entry| entry.source.clone());
        (sources.collect::<Vec<_>>().join(" "), listing.unknown.len())
    };
    assert_eq!(listed("tag: 1.20.1"), ("ghcr.io/o/charts/c:1.20.1".to_owned(), 0));
    assert_eq!(listed(&format!("tag: 1.20.1, digest: '{digest}'")), (format!("ghcr.io/o/charts/c@{digest}"), 0));
    for range in ["semver: 1.x", "semver: 1.x, tag: 1.20.1", "tag: '${VERSION}'", ""] {
        assert_eq!(listed(range), (String::new(), 1), "{range}");
    }
}

/// A tag shows an image of Docker Hub without a host; a number may be a port.
#[test]
fn images_of_docker_hub_are_listed_by_their_tags() {
    let pod = |args: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: n}}\nspec: {{containers: [{{name: c, image: o/c, args: [{args}]}}]}}\n"
        )
    };
    let custom = |spec: &str| {
        format!("apiVersion: example.com/v1\nkind: Cache\nmetadata: {{name: a, namespace: n}}\nspec: {{{spec}}}\n")
    };
    let sources = |manifest: &str| -> Vec<String> {
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        let listing = hostnet::kinds::package_mirror::list(std::slice::from_ref(&input), None).unwrap();
        listing.entries.into_iter().map(|entry| entry.source).filter(|source| source != "docker.io/o/c").collect()
    };
    assert_eq!(sources(&pod("--helper-image=busybox:1.36")), ["docker.io/library/busybox:1.36"]);
    assert_eq!(sources(&pod("--server-image, 'o/server:latest'")), ["docker.io/o/server:latest"]);
    assert_eq!(sources(&custom("exporter: {image: 'redis:7-alpine'}")), ["docker.io/library/redis:7-alpine"]);
    assert_eq!(sources(&custom("imageName: 'ghcr.io/o/pg:17.2'")), ["ghcr.io/o/pg:17.2"]);
    let parts = "toolkit: {repository: quay.io/o, image: kit, version: v1}, web: {image: {repository: ghcr.io/o/web, tag: '2'}}";
    assert_eq!(sources(&custom(parts)), ["ghcr.io/o/web:2", "quay.io/o/kit:v1"]);
    let annotated =
        "metadata: {annotations: {sidecar.istio.io/proxyImage: 'quay.io/o/proxy:1', team: 'quay.io/o/team:1'}}";
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a, namespace: n}}\nspec: {{template: {{{annotated}, spec: {{containers: [{{name: c, image: o/c}}]}}}}}}\n"
    );
    assert_eq!(sources(&deployment), ["quay.io/o/proxy:1"]);
    for near in [
        "repository: git.example.com/o/web",
        "repository: o/web, version: v1",
        "repository: 'https://a.example/x', tag: '1'",
    ] {
        assert_eq!(sources(&custom(near)), [""; 0], "{near}");
    }
    for near in [pod("--helper-image=busybox"), pod("--cache-image=redis:6379"), pod("--helper=busybox:1.36")] {
        assert_eq!(sources(&near), [""; 0], "{near}");
    }
    for near in ["image: debian-cloud/debian-12", "image: 'cache:6379'", "images: ['redis:7.2']"] {
        assert_eq!(sources(&custom(near)), [""; 0], "{near}");
    }
}

#[test]
fn texts_of_config_maps_and_compositions_are_searched() {
    let both = stream(&[MAP.to_owned(), COMPOSITION.to_owned()]);
    insta::assert_snapshot!(hints(Some("rules: [{from: ghcr.io, to: m.example.com/ghcr}]"), &both).join("\n"), @"
    ConfigMap mesh/injector: whether ghcr.io/mesh/init:1.2.3 (in the mirror m.example.com/ghcr/mesh/init:1.2.3) is pulled
    ConfigMap mesh/injector: whether ghcr.io/mesh/proxy:1.2.3 (in the mirror m.example.com/ghcr/mesh/proxy:1.2.3) is pulled
    Composition c: whether oci://ghcr.io/kcl-lang/s3 (in the mirror oci://m.example.com/ghcr/kcl-lang/s3) is pulled
    Composition c: whether oci://other.example.com/o/m:v2 is pulled
    ");
    // Without rules, every text with the form of an image is a hint.
    assert_eq!(hints(None, MAP).len(), 3);
    assert_eq!(hints(None, &core("v2.3.4", "--debug")), [""; 0]);
    // At most 100 hints are kept.
    let many: String = (0..5000).map(|at| format!("  k{at}: ghcr.io/o/a{at}:v1\n")).collect();
    let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata:\n{many}");
    assert_eq!(hints(None, &map).len(), 100);
}

/// Images of objects of unknown kinds: containers name short images too, lists and parts of names count, and no number
/// of images ends the list.
#[test]
fn images_of_unknown_kinds_are_listed_completely() {
    let images = |spec: &str| {
        let object =
            format!("apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: t, namespace: n}}\nspec: {{{spec}}}\n");
        let input = Input::read(Origin::stdin(), object.into()).unwrap();
        let listing = hostnet::kinds::package_mirror::list(std::slice::from_ref(&input), None).unwrap();
        listing.entries.iter().map(|entry| entry.source.clone()).collect::<Vec<_>>().join(", ")
    };
    for (spec, listed) in [
        (
            "templates: [{container: {image: 'alpine:3'}}, {script: {image: python}}]",
            "docker.io/library/alpine:3, docker.io/library/python",
        ),
        (
            "template: {spec: {initContainers: [{image: busybox}], containers: [{image: 'mysql:8'}]}}",
            "docker.io/library/busybox, docker.io/library/mysql:8",
        ),
        ("image: 'node:20'", "docker.io/library/node:20"),
        ("images: ['quay.io/o/a:v1']", "quay.io/o/a:v1"),
        ("imageRepository: quay.io/o/a, imageTag: v2", "quay.io/o/a:v2"),
        ("env: [{name: RELATED_IMAGE_A, value: 'quay.io/o/a:v1'}]", "quay.io/o/a:v1"),
        // Machine images, files, patterns of policies, and other variables.
        ("image: ubuntu", ""),
        ("image: {name: 'ubuntu:22'}", ""),
        ("bootImage: 'projects/x:1'", ""),
        ("images: [logo.png, 'example.com/logo.png']", ""),
        ("containers: [{image: '*:latest'}]", ""),
        ("containers: [{name: image}], container: {image: {name: a}}", ""),
        ("imageRepository: quay.io/o/a", ""),
        ("env: [{name: IMAGE_POLICY, value: 'quay.io/o/a:v1'}]", ""),
    ] {
        assert_eq!(images(spec), listed, "{spec}");
    }
    let many: Vec<String> = (0..130).map(|number| format!("{{image: 'quay.io/o/i{number}:v1'}}")).collect();
    assert_eq!(images(&format!("relatedImages: [{}]", many.join(", "))).split(", ").count(), 130);
}
