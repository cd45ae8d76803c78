//! Rule `crossplane-version`: the version of Crossplane that runs the packages.

use crate::support::results;
use crate::support::results::brief;

use super::{RULE, core, package, run_all, stream};

fn found(spec: &str, manifest: &str) -> String {
    let (_, run) = run_all(spec, manifest);
    let found = run.results.iter().filter(|result| result.rule == "crossplane-version");
    found.map(|result| format!("{}\n", results::line(result))).collect()
}

/// hostnet assumes the newest version if neither the input nor the config sets one.
#[test]
fn an_unknown_version_is_reported_once() {
    let packages = [
        package("Provider", "s3", "xpkg.crossplane.io/o/p:v1"),
        package("Provider", "s4", "xpkg.crossplane.io/o/q:v1"),
    ];
    insta::assert_snapshot!(brief(found(RULE, &stream(&packages))), @"info: crossplane-version (v2.0.2)");
    let known = [packages[0].clone(), core("v2.3.4", "--activation=x")];
    assert_eq!(found(RULE, &stream(&known)), "", "the image of the core sets the version");
    assert_eq!(found(&format!("{RULE}, crossplane: {{version: v2.3.4}}"), &stream(&packages)), "");
    assert_eq!(found(RULE, &core("latest", "--activation=x")), "", "no package");
}

/// Flux installs the newest version of a range, so a range counts as all its versions.
#[test]
fn a_range_of_chart_versions_has_the_answer_of_all_its_versions() {
    let release = |version: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec:\n  \
             chart: {{spec: {{chart: crossplane, version: '{version}'}}}}\n"
        )
    };
    let result = |version: &str| {
        let (output, run) =
            run_all(RULE, &stream(&[release(version), package("Provider", "s3", "xpkg.crossplane.io/o/p:v1")]));
        let found = run.results.iter().filter(|result| result.rule == "crossplane-version");
        (output.contains("rewriteImage"), found.map(results::line).collect::<Vec<_>>().join("\n"))
    };
    for version in ["1.19.2", "1.19.x", "~1.19", "1.19.*", ">=1.19.0 <1.20.0", "<1.20"] {
        assert_eq!(result(version), (false, String::new()), "{version}");
    }
    for version in ["1.20.x", ">=1.20", "^2.0.0", "~2"] {
        assert_eq!(result(version), (true, String::new()), "{version}");
    }
    insta::assert_snapshot!(result(">=1.18.0").1, @"warning: crossplane-version (HelmRelease crossplane-system/crossplane, v1.20.0, v2.0.2) | warning: the chart version >=1.18.0 of HelmRelease crossplane-system/crossplane allows releases before v1.20.0 and later ones, and these packages differ between them. The newest is assumed; find the release that runs, and give it with `crossplane: {version: v2.0.2}` in the spec [crossplane-version]");
}

/// Argo CD and k3s install the chart too.
#[test]
fn applications_and_helm_charts_show_the_version() {
    let rewrites = |object: &str| {
        let (output, _) =
            run_all(RULE, &stream(&[object.to_owned(), package("Provider", "s3", "xpkg.crossplane.io/o/p:v1")]));
        output.contains("rewriteImage")
    };
    for version in ["1.19.2", "1.19.*"] {
        let source =
            format!("chart: crossplane, repoURL: 'https://charts.crossplane.io/stable', targetRevision: '{version}'");
        for spec in [
            format!("source: {{{source}}}"),
            format!(
                "sources: [{{chart: cert-manager, targetRevision: v1.19.0}}, {{repoURL: a, ref: values}}, {{{source}}}]"
            ),
        ] {
            assert!(!rewrites(&format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: x, namespace: argocd}}\nspec: {{{spec}, destination: \
                 {{namespace: crossplane-system}}}}\n"
            )));
        }
        assert!(!rewrites(&format!(
            "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: x, namespace: kube-system}}\nspec: {{chart: crossplane, version: \
             '{version}', targetNamespace: crossplane-system}}\n"
        )));
    }
    assert!(rewrites(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\nspec: {source: {chart: podinfo, targetRevision: 1.19.2}}\n"
    ));
}

fn rewrites(objects: &[String]) -> bool {
    let package = package("Provider", "s3", "xpkg.crossplane.io/o/p:v1");
    run_all(RULE, &stream(&[objects, &[package]].concat())).0.contains("rewriteImage")
}

/// Flux takes the version from another object, and a chart has it in its URL.
#[test]
fn charts_of_references_and_urls_show_the_version() {
    let release = |kind: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: x, namespace: flux-system}}\nspec: {{chartRef: \
             {{kind: {kind}, name: xp}}}}\n"
        )
    };
    let source = |kind: &str, spec: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata: {{name: xp, namespace: flux-system}}\nspec: {{{spec}}}\n"
        )
    };
    let url = "url: 'oci://ghcr.io/crossplane/charts/crossplane'";
    for (kind, spec) in [
        ("OCIRepository", format!("{url}, ref: {{tag: 1.19.2}}")),
        ("OCIRepository", format!("{url}, ref: {{semver: 1.19.x, tag: 2.1.3}}")),
        ("HelmChart", "chart: crossplane, version: 1.19.2, sourceRef: {kind: HelmRepository, name: x}".to_owned()),
    ] {
        let source = source(kind, &spec);
        assert!(!rewrites(&[release(kind), source.clone()]), "{spec}");
        assert!(rewrites(&[source]), "a source alone installs nothing: {spec}");
    }
    for spec in [
        format!("{url}, ref: {{tag: 1.19.2, digest: 'sha256:1'}}"),
        "url: 'oci://ghcr.io/me/charts/podinfo', ref: {tag: 1.19.2}".to_owned(),
    ] {
        assert!(rewrites(&[release("OCIRepository"), source("OCIRepository", &spec)]), "{spec}");
    }
    let chart = |chart: &str| {
        format!("apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: x}}\nspec: {{chart: '{chart}'}}\n")
    };
    assert!(!rewrites(&[chart("https://charts.crossplane.io/stable/crossplane-1.19.2.tgz")]));
    assert!(rewrites(&[chart("https://charts.crossplane.io/stable/crossplane-2.1.3.tgz")]));
    assert!(rewrites(&[chart("https://example.com/crossplane-docs-1.19.2.tgz")]));
    let source = "repoURL: 'oci://ghcr.io/crossplane/charts/crossplane', path: ., targetRevision: 1.19.2";
    for (kind, spec) in [
        ("Application", format!("source: {{{source}}}")),
        ("ApplicationSet", format!("template: {{spec: {{source: {{{source}}}}}}}")),
    ] {
        let object = |spec: &str| {
            format!("apiVersion: argoproj.io/v1alpha1\nkind: {kind}\nmetadata: {{name: x}}\nspec: {{{spec}}}\n")
        };
        assert!(!rewrites(&[object(&spec)]), "{kind}");
        // A folder of manifests in a registry or in Git.
        for other in ["oci://ghcr.io/me/manifests/crossplane", "https://github.com/me/charts/crossplane"] {
            assert!(rewrites(&[object(&spec.replace("oci://ghcr.io/crossplane/charts/crossplane", other))]), "{other}");
        }
    }
}

/// The image that runs counts, and not the chart.
#[test]
fn the_tag_in_the_values_is_the_version() {
    let flux = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: x}}\nspec: {{chart: {{spec: {{chart: crossplane, \
             version: 2.1.3}}}}, values: {values}}}\n"
        )
    };
    let argo = |helm: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: x}}\nspec: {{source: {{chart: crossplane, \
             targetRevision: 2.1.3, helm: {helm}}}}}\n"
        )
    };
    let k3s = |field: &str| {
        format!(
            "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: x}}\nspec: {{chart: crossplane, version: 2.1.3, {field}}}\n"
        )
    };
    for object in [
        flux("{image: {tag: v1.19.2}}"),
        argo("{valuesObject: {image: {tag: v1.19.2}}}"),
        argo("{values: 'image: {tag: v1.19.2}'}"),
        argo("{parameters: [{name: image.tag, value: v1.19.2}]}"),
        k3s("valuesContent: 'image: {tag: v1.19.2}'"),
        k3s("set: {image.tag: v1.19.2}"),
    ] {
        assert!(!rewrites(std::slice::from_ref(&object)), "{object}");
        assert!(rewrites(&[object.replace("v1.19.2", "prod")]), "{object}");
    }
}
