//! `patch --into`: a render in another namespace than its release gets no patches, since they would match no object.

use std::fs;
use std::path::Path;

use super::{config, deployment};
use crate::support::run::{Run, hostnet};

const SOURCE: &str = "{kind: OCIRepository, name: web}";

fn release(more: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: web\nspec:\n  chartRef: {SOURCE}\n{more}"
    )
}

/// A repository with a release that a Kustomization of Flux installs into the namespace `prod`.
fn repository(more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("apps/web/app/release.yaml", &release(more));
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec: {path: \
                ./apps/web/app, targetNamespace: prod}\n";
    write("apps/web/ks.yaml", flux);
    write("host.yaml", &config("  targets: [{select: {kind: Deployment}, ports: auto}]\n"));
    folder
}

/// A render whose objects are in a namespace, with the labels of the release.
fn render(namespace: &str) -> String {
    let labels = "labels: {app.kubernetes.io/instance: web, helm.sh/chart: web-1.0.0}";
    let role =
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: leases, namespace: kube-system}\n";
    let text = deployment("web").replace("namespace: shop", &format!("namespace: {namespace}, {labels}"));
    format!("{text}{role}")
}

fn patch(folder: &Path, into: &str, render: (&str, &str)) -> Run {
    fs::write(folder.join(render.0), render.1).unwrap();
    hostnet(folder, &["patch", "-c", "host.yaml", "--into", into, render.0], b"")
}

#[test]
fn a_render_of_another_namespace_is_refused() {
    for into in ["apps", "apps/web/app/release.yaml"] {
        let folder = repository("");
        let run = patch(folder.path(), into, ("render.yaml", &render("default")));
        assert_eq!(run.code, Some(1), "{into}: {}", run.stderr);
        assert!(
            run.stderr.contains("render.yaml: its objects are in the namespace default, and HelmRelease prod/web in ")
                && run.stderr.contains("render it with `helm template -n prod`, or by the script of `hostnet charts`"),
            "{into}: {}",
            run.stderr
        );
        assert_eq!(fs::read_to_string(folder.path().join("apps/web/app/release.yaml")).unwrap(), release(""));
    }
}

/// Renders in the namespace of the release, without a namespace, of `hostnet charts`, and with values that set the
/// namespace.
#[test]
fn a_render_that_may_be_correct_is_accepted() {
    let without = render("default").replace("namespace: default, ", "");
    let own = "  values: {namespaceOverride: default}\n";
    let made = format!("# hostnet charts: apps/web/app/release.yaml#0\n{}", render("default"));
    for (more, name, text) in [
        ("", "render.yaml", render("prod")),
        ("", "render.yaml", without),
        (own, "render.yaml", render("default")),
        ("", "helmrelease_prod_web.yaml", made),
    ] {
        for into in ["apps", "apps/web/app/release.yaml"] {
            let folder = repository(more);
            let run = patch(folder.path(), into, (name, &text));
            assert_eq!(run.code, Some(0), "{into}: {text}{}", run.stderr);
            let written = fs::read_to_string(folder.path().join("apps/web/app/release.yaml")).unwrap();
            assert!(written.contains("# hostnet patch: "), "{written}");
        }
    }
}
