//! Images in texts of which nobody here knows whether they are pulled.

use super::{config, core, stream};
use hostnet::api::AnyConfig;
use hostnet::wire::{Input, Origin};

/// What `hostnet mirror list` says of them.
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

#[test]
fn texts_of_config_maps_and_compositions_are_searched() {
    let both = stream(&[MAP.to_owned(), COMPOSITION.to_owned()]);
    insta::assert_snapshot!(hints(Some("rules: [{from: ghcr.io, to: m.example.com/ghcr}]"), &both).join("\n"), @"
    ConfigMap mesh/injector: whether somebody pulls ghcr.io/mesh/init:1.2.3 (in the mirror m.example.com/ghcr/mesh/init:1.2.3)
    ConfigMap mesh/injector: whether somebody pulls ghcr.io/mesh/proxy:1.2.3 (in the mirror m.example.com/ghcr/mesh/proxy:1.2.3)
    Composition c: whether somebody pulls oci://ghcr.io/kcl-lang/s3 (in the mirror oci://m.example.com/ghcr/kcl-lang/s3)
    Composition c: whether somebody pulls oci://other.example.com/o/m:v2
    ");
    // Without rules all that looks like one.
    assert_eq!(hints(None, MAP).len(), 3);
    assert_eq!(hints(None, &core("v2.3.4", "--debug")), [""; 0]);
    // Of very many some are kept.
    let many: String = (0..5000).map(|at| format!("  k{at}: ghcr.io/o/a{at}:v1\n")).collect();
    let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata:\n{many}");
    assert_eq!(hints(None, &map).len(), 100);
}
