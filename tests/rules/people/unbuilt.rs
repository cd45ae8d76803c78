//! `apply --sources` to standard output, whose readers apply the manifests: files that are not those of the build; and
//! `--build` without a folder that it can build.

use crate::support::run::{Run, hostnet};

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1', args: [--port=8080], ports: [{name: http, containerPort: 8080}]}]}}}\n";

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: web}\nspec: {podSecurity: Privileged, targets: [{select: {kind: Deployment}, ports: {http: 20080}}]}\n";

fn applied(kustomization: &str, flags: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let files = [("app/web.yaml", WEB), ("app/hostnet.yaml", CONFIG), ("app/kustomization.yaml", kustomization)];
    std::fs::create_dir(folder.path().join("app")).unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    hostnet(folder.path(), &[&["apply", "-c", "app/hostnet.yaml", "--sources"], flags, &["app"]].concat(), b"")
}

#[test]
fn files_that_differ_from_their_build_are_not_printed() {
    let run = applied("resources: [web.yaml]\nimages: [{name: web, newTag: '2'}]\n", &[]);
    let error = run.stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default();
    insta::assert_snapshot!(error, @"error: app: the kustomization sets images, which its files do not show, so no manifests are printed: run hostnet on the build, `kustomize build app | hostnet apply -c app/hostnet.yaml -`");
    assert_eq!((run.code, run.text()), (Some(1), String::new()));
    for field in [
        "namespace: shop",
        "namePrefix: a-",
        "configMapGenerator: [{name: a, literals: [a=b]}]",
        "replicas: [{name: web, count: 3}]",
    ] {
        let kustomization = format!("resources: [web.yaml]\n{field}\n");
        assert_eq!(applied(&kustomization, &[]).code, Some(1), "{field}");
        // Files in place are the sources of the build.
        assert_eq!(applied(&kustomization, &["--diff"]).code, Some(0), "{field}");
    }
}

#[test]
fn files_of_a_plain_kustomization_are_printed() {
    for rest in
        ["", "transformers: [hostnet.yaml]\n", "sortOptions: {order: fifo}\n", "namespace: ''\n", "images: []\n"]
    {
        let run = applied(&format!("resources: [web.yaml]\n{rest}"), &[]);
        assert_eq!((run.code, run.text().contains("--port=20080")), (Some(0), true), "{rest}: {}", run.stderr);
    }
}

/// `--build` of a folder of folders names those that it can build.
#[test]
fn folders_below_that_can_be_built_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let error = |path: &str| {
        let run = hostnet(folder.path(), &["ports", "--build", path], b"");
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        run.stderr
    };
    write("all/empty/a.yaml", "a: b\n");
    let nothing = error("all");
    write("all/base/kustomization.yaml", "resources: []\n");
    write("all/part/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n");
    write("all/over/a/kustomization.yaml", "resources: [../../base]\ncomponents: [../../part]\n");
    write("all/over/b/kustomization.yml", "resources: [../../base]\n");
    write("all/chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
    insta::assert_snapshot!(format!("{nothing}{}", error("all")), @"
    error: --build builds kustomizations and charts, and no PATH is the folder of one: give such a folder, or leave --build out
    error: --build builds kustomizations and charts, and no PATH is the folder of one. Below are folders that it builds: all/chart, all/over/a, all/over/b. Give one: `hostnet ports --build all/chart`
    ");
}
