//! Crossplane's containers in images whose names mirrors changed.

use super::{run, settled};
use crate::support::results::{brief, worded};

const SPEC: &str = "httpsProxy: 'http://p:3128', case: Upper, targets: [{select: {namespace: crossplane-system}}]";

const FUNCTION: &str =
    "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: fn}\nspec: {package: 'm.example.com/fn:v1'}\n";

/// Deployment with pods of these labels and one container with this name, image and arguments.
fn pods(labels: &str, container: &str, image: &str, args: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d, namespace: crossplane-system}}\nspec: {{template: {{metadata: {{labels: \
         {{{labels}}}}}, spec: {{containers: [{{name: {container}, image: '{image}', args: [{args}]}}]}}}}}}\n---\n"
    )
}

/// Command and either image, container or label are the evidence.
#[test]
fn the_core_is_recognized_in_renamed_images() {
    for (labels, container, image) in [
        ("", "main", "m.example.com/crossplane-core:v2.0.2"),
        ("", "main", "m.example.com/crossplane-crossplane:v2.0.2"),
        ("", "main", "m.example.com/mirrored_crossplane@sha256:0"),
        ("", "crossplane", "m.example.com/base:v2.0.2"),
        ("", "universal-crossplane", "m.example.com/uxp:v2.0.2"),
        ("app.kubernetes.io/part-of: crossplane", "main", "m.example.com/base:v2.0.2"),
        ("app: crossplane", "main", "m.example.com/base:v2.0.2"),
    ] {
        let (output, log) = settled(SPEC, &(pods(labels, container, image, "core, start, --debug") + FUNCTION));
        assert!(output.contains(",.crossplane-system,"), "{labels} {container} {image}: {output}{log}");
        for args in ["core, init", "rbac, start", "rbac, init"] {
            let (output, log) = settled(SPEC, &(pods(labels, container, image, args) + FUNCTION));
            assert!(!output.contains("PROXY") && log.contains("calls only the API server"), "{args}: {output}{log}");
        }
    }
}

/// The tag of a renamed image is the version of Crossplane.
#[test]
fn a_renamed_image_has_the_version() {
    let manifest = pods("", "crossplane", "m.example.com/base:v1.19.3", "core, start");
    insta::assert_snapshot!(brief(run(SPEC, &manifest).1), @"error: proxy-reach Deployment crossplane-system/d (1:1, 10.244.0.0/16, v1.19.3)");
}

#[test]
fn other_programs_with_such_words_are_no_core() {
    for (labels, container, image, args) in [
        ("app: crossplane", "crossplane", "m.example.com/crossplane-exporter:v1", "start"),
        ("", "main", "m.example.com/crossplane-contrib/ui:v1", "core, start"),
        ("app: crossplane-ui", "crossplane-ui", "m.example.com/ui:v1", "core, start"),
    ] {
        let (output, log) = settled(SPEC, &pods(labels, container, image, args));
        assert!(output.contains("HTTPS_PROXY") && !output.contains(",.crossplane-system"), "{image} {args}: {output}");
        assert_eq!(log, "", "{image} {args}");
    }
}

/// Without a Crossplane in the input or the config the command alone shows nothing.
#[test]
fn a_container_that_may_be_the_core_is_reported() {
    let manifest = pods("", "main", "m.example.com/base:v2.0.2", "core, start");
    insta::assert_snapshot!(worded(run(SPEC, &(manifest.clone() + FUNCTION)).1), @"warning: standard input:1:1: Deployment crossplane-system/d: container main may be Crossplane's core; only its command suggests that. If it is, its calls of functions go through the proxy. Name the container `crossplane` [proxy-reach]");
    let spec = format!("{SPEC}, crossplane: {{namespace: crossplane-system}}");
    insta::assert_snapshot!(brief(run(&spec, &manifest).1), @"warning: proxy-reach Deployment crossplane-system/d (1:1)");
    let core = pods("", "crossplane", "m.example.com/base:v2.0.2", "core, start");
    assert!(!run(SPEC, &(core + &manifest + FUNCTION)).1.contains("may be Crossplane's core"));
    // Packages whose core is in another repository.
    assert!(!run(SPEC, &(pods("", "main", "m.example.com/web:v1", "serve") + FUNCTION)).1.contains("proxy-reach"));
}
