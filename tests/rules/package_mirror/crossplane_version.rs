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
