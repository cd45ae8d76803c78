//! Kinds that people select and that run no pods themselves: what to select instead.

/// A group, its kinds, and the select to write.
const ROWS: &[(&str, &[&str], &str)] = &[
    (
        "pkg.crossplane.io",
        &["ControllerConfig", "DeploymentRuntimeConfig"],
        "select the packages that use it, such as `select: {group: pkg.crossplane.io, kind: Provider}`",
    ),
    (
        "admissionregistration.k8s.io",
        &["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
        "select what it leads to: `select: {calledByApiServer: true}`",
    ),
    ("apiregistration.k8s.io", &["APIService"], "select what it leads to: `select: {calledByApiServer: true}`"),
    (
        "apiextensions.k8s.io",
        &["CustomResourceDefinition"],
        "select what converts it: `select: {calledByApiServer: true}`",
    ),
    ("", &["Service"], "select the workload that it leads to, such as `select: {kind: Deployment, name: web}`"),
    (
        "helm.toolkit.fluxcd.io",
        &["HelmRelease"],
        "select what its chart makes, such as `select: {kind: Deployment, name: web}`, and give what `helm template` prints of it",
    ),
    (
        "kustomize.toolkit.fluxcd.io",
        &["Kustomization"],
        "select what it builds, such as `select: {kind: Deployment, name: web}`, and give what `flux build kustomization` prints",
    ),
];

/// What to select instead of a kind that runs nothing itself.
pub(crate) fn instead(group: &str, kind: &str) -> Option<&'static str> {
    ROWS.iter().find(|(own, kinds, _)| *own == group && kinds.contains(&kind)).map(|(.., what)| *what)
}
