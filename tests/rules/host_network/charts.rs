//! A target that matches nothing, beside a HelmRelease whose chart the catalogue knows.

use super::{changes, stream};
use insta::assert_snapshot;

const TARGET: &str = "{targets: [{select: {namespace: cert-manager, name: cert-manager-webhook}, ports: auto}]}";

fn release(spec: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: certs, namespace: cert-manager}}\nspec: {{{spec}}}\n"
    )
}

fn source(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata: {{name: jetstack, namespace: flux-system}}\nspec: {{{spec}}}\n"
    )
}

fn said(release: String, more: Vec<String>) -> String {
    changes(TARGET, &stream(std::iter::once(release).chain(more)))
}

const CHART: &str = "chart: {spec: {chart: cert-manager, version: v1.21.1, sourceRef: {kind: HelmRepository, name: jetstack, \
                     namespace: flux-system}}}";

#[test]
fn the_line_that_makes_its_patches_is_printed() {
    let repository = source("HelmRepository", "url: https://charts.jetstack.io");
    let values = format!("{CHART}, values: {{crds: {{enabled: true}}}}");
    assert_snapshot!(said(release(&values), vec![repository.clone()]), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template certs cert-manager --repo https://charts.jetstack.io --version v1.21.1 --namespace cert-manager --values VALUES | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
    // The names that Helm gives are those that Flux gives it.
    assert_snapshot!(said(release(&format!("{CHART}, targetNamespace: cert-manager")), vec![repository.clone()]), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template cert-manager-certs cert-manager --repo https://charts.jetstack.io --version v1.21.1 --namespace cert-manager | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
    assert_snapshot!(said(release(&format!("{CHART}, releaseName: cm")), vec![repository]), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template cm cert-manager --repo https://charts.jetstack.io --version v1.21.1 --namespace cert-manager | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
}

#[test]
fn a_chart_comes_from_all_sources_of_flux() {
    let oci = source("HelmRepository", "type: oci, url: oci://quay.io/jetstack/charts");
    assert_snapshot!(said(release(&CHART.replace("v1.21.1", "'>=1.20 <2'")), vec![oci]), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template certs oci://quay.io/jetstack/charts/cert-manager --version '>=1.20 <2' --namespace cert-manager | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
    let reference = "chartRef: {kind: OCIRepository, name: cert-manager, namespace: flux-system}";
    let chart = source("OCIRepository", "url: oci://quay.io/jetstack/charts/cert-manager")
        .replace("jetstack,", "cert-manager,");
    assert_snapshot!(said(release(reference), vec![chart]), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template certs oci://quay.io/jetstack/charts/cert-manager --namespace cert-manager | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
    let git =
        "chart: {spec: {chart: ./deploy/charts/cert-manager, sourceRef: {kind: GitRepository, name: cert-manager}}}";
    assert_snapshot!(said(release(git), Vec::new()), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template certs ./deploy/charts/cert-manager --namespace cert-manager | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
    // The repository is not in the input, and others are not it.
    let url = "url: https://example.com";
    let others = vec![
        source("HelmRepository", url).replace("jetstack", "other"),
        source("HelmRepository", url).replace("flux-system", "other"),
        source("OCIRepository", url),
    ];
    assert_eq!(said(release(CHART), others), said(release(CHART), Vec::new()));
    assert_snapshot!(said(release(CHART), Vec::new()), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]
    warning: these HelmReleases make objects in the cluster, where hostnet does not see them; each command prints patches for one. HelmRelease cert-manager/certs (cert-manager): `helm template certs jetstack/cert-manager --version v1.21.1 --namespace cert-manager | hostnet patch -c CONFIG --as helmrelease` [unmatched]
    ");
}

#[test]
fn other_releases_are_not_said() {
    let unknown = release(&CHART.replace("chart: cert-manager", "chart: podinfo"));
    let elsewhere = release(&format!("{CHART}, targetNamespace: other"));
    let broken = release("chart: {spec: {}}");
    for release in [unknown, elsewhere, broken] {
        assert!(!said(release, Vec::new()).contains("helm template"));
    }
    // What matches something needs no hint.
    let config = "{targets: [{select: {name: web}}]}";
    let web = super::deployment("      - name: web\n");
    assert!(!changes(config, &stream([web, release(CHART)])).contains("helm template"));
}
