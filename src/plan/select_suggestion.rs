//! Selected kinds that run no pods themselves, and the kinds to select instead.

/// Groups, kinds, and the selects to write instead.
const ROWS: &[(&str, &[&str], &str)] = &[
    (
        "pkg.crossplane.io",
        &["ControllerConfig", "DeploymentRuntimeConfig"],
        "select the packages that use it, such as `select: {group: pkg.crossplane.io, kind: Provider}`",
    ),
    (
        "admissionregistration.k8s.io",
        &["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
        "select the workload that it leads to: `select: {calledByApiServer: true}`",
    ),
    (
        "apiregistration.k8s.io",
        &["APIService"],
        "select the workload that it leads to: `select: {calledByApiServer: true}`",
    ),
    (
        "apiextensions.k8s.io",
        &["CustomResourceDefinition"],
        "select the workload that converts it: `select: {calledByApiServer: true}`",
    ),
    ("", &["Service"], "select the workload that it leads to, such as `select: {kind: Deployment, name: web}`"),
    (
        "helm.toolkit.fluxcd.io",
        &["HelmRelease"],
        "select an object of its chart, such as `select: {kind: Deployment, name: web}`, and give the output of `helm \
         template` for it",
    ),
    (
        "kustomize.toolkit.fluxcd.io",
        &["Kustomization"],
        "select an object that it builds, such as `select: {kind: Deployment, name: web}`, and give the output of \
         `flux build kustomization`",
    ),
];

/// Select to write instead of a kind that runs no pods itself.
pub(crate) fn select_suggestion(group: &str, kind: &str) -> Option<&'static str> {
    ROWS.iter().find(|(own, kinds, _)| *own == group && kinds.contains(&kind)).map(|(.., what)| *what)
}
