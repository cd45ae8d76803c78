//! `patch --into`: assigns renders to the objects that get their patches, if names, first lines and labels differ.

use std::fs;
use std::path::Path;

use super::{config, deployment};
use crate::support::run::{Run, hostnet};

fn release(name: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  chartRef: {{kind: OCIRepository, \
         name: web}}\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: web, namespace: shop}}\nspec: {{url: \
         'oci://a.example/web', ref: {{tag: 1.0.0}}}}\n"
    )
}

fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    write(folder.path(), "host.yaml", &config("  targets: [{select: {kind: Deployment}, ports: auto}]\n"));
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn labelled(instance: &str) -> String {
    let labels = format!("labels: {{app.kubernetes.io/instance: {instance}, helm.sh/chart: web-1.0.0}}");
    deployment("web").replace("namespace: shop", &format!("namespace: shop, {labels}"))
}

fn patch(folder: &Path, into: &str, renders: &str) -> Run {
    hostnet(folder, &["patch", "-c", "host.yaml", "--into", into, renders], b"")
}

/// The release of a render is in a file outside of the folder for the patches.
#[test]
fn a_render_of_a_file_outside_of_the_folder_is_named() {
    let render = format!("# hostnet charts: cluster/web.yaml#0\n{}", deployment("web"));
    let folder = repository(&[
        ("cluster/web.yaml", &release("web")),
        ("apps/other.yaml", &release("other")),
        ("rendered/helmrelease_shop_web.yaml", &render),
    ]);
    let refused = patch(folder.path(), "apps", "rendered");
    let message =
        "its first line names cluster/web.yaml, and --into has no release in that file: give --into cluster/web.yaml";
    assert_eq!((refused.code, refused.stderr.contains(message)), (Some(1), true), "{}", refused.stderr);
    assert_eq!(patch(folder.path(), "cluster/web.yaml", "rendered").code, Some(0));
}

/// A chart and a kustomization with charts cannot carry patches; the releases of the folder still get theirs.
#[test]
fn renders_without_a_carrier_do_not_stop_the_others() {
    let (release, chart) = (release("web"), "apiVersion: v2\nname: own\nversion: 1.0.0\n");
    let folder = repository(&[
        ("apps/web.yaml", &release),
        ("charts/own/Chart.yaml", chart),
        ("built/kustomization.yaml", "helmCharts: [{name: x, repo: 'https://a.example'}]\n"),
        ("rendered/helmrelease_shop_web.yaml", &format!("# hostnet charts: apps/web.yaml#0\n{}", labelled("web"))),
        ("rendered/chart__charts-own.yaml", &deployment("own").replace("8443", "8444")),
        ("rendered/kustomization__built.yaml", &deployment("built").replace("8443", "8445")),
    ]);
    let run = patch(folder.path(), ".", "rendered");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for object in ["Chart ./charts/own", "Kustomization ./built"] {
        assert!(
            run.stderr.contains(&format!("warning: {object} has no field for the patches of 1 object: ")),
            "{}",
            run.stderr
        );
    }
    assert!(fs::read_to_string(folder.path().join("apps/web.yaml")).unwrap().contains("# hostnet patch: "));
}

/// Patches follow the post-renderers of a release, whose result `hostnet charts` does not render.
#[test]
fn own_post_renderers_of_a_release_are_named() {
    let warned = |renderers: &str, render: &str| {
        let folder = repository(&[
            ("apps/web.yaml", &release("web").replacen("name: web}\n", &format!("name: web}}\n{renderers}"), 2)),
            ("rendered/helmrelease_shop_web.yaml", &format!("# hostnet charts: apps/web.yaml#0\n{render}")),
        ]);
        let run = || {
            let run = patch(folder.path(), "apps", "rendered");
            let warning = "warning: HelmRelease shop/web: the patches follow its own postRenderers, which are not part of the render";
            (run.code, run.stderr.contains(warning))
        };
        (run(), run())
    };
    let own = "  postRenderers: [{kustomize: {patches: [{target: {kind: Service}, patch: '[]'}]}}]\n";
    assert_eq!(warned(own, &labelled("web")), ((Some(0), true), (Some(0), true)));
    // Patches that hostnet has written are no others, and a render without patches cannot fail.
    assert_eq!(warned("", &labelled("web")), ((Some(0), false), (Some(0), false)));
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    assert!(!warned(own, map).0.1);
}

/// The file has changed since the render: name and first line disagree.
#[test]
fn an_outdated_first_line_is_an_error() {
    let all = format!("{}---\n{}", release("logs"), release("web").split("---").next().unwrap());
    let files = [("apps/all.yaml", all.as_str())];
    for (name, position, fails) in [
        ("helmrelease_shop_web.yaml", 0, true),
        ("helmrelease_shop_old.yaml", 0, true),
        ("helmrelease_shop_web.yaml", 2, false),
        ("helmrelease_shop_logs_2.yaml", 0, false),
        ("web.yaml", 2, false),
    ] {
        let render = format!("# hostnet charts: apps/all.yaml#{position}\n{}", deployment("web"));
        let folder = repository(&files);
        write(folder.path(), &format!("rendered/{name}"), &render);
        let run = patch(folder.path(), ".", "rendered");
        let is_refused = run.stderr.contains("its first line names HelmRelease shop/logs in ");
        assert_eq!((run.code, is_refused), (Some(i32::from(fails)), fails), "{name}: {}", run.stderr);
    }
}

/// The first line has a path relative to the folder where the script ran.
#[test]
fn the_working_folder_may_change() {
    let folder = repository(&[
        ("k8s/apps/web.yaml", &release("web")),
        (
            "k8s/rendered/helmrelease_shop_web.yaml",
            &format!("# hostnet charts: apps/web.yaml#0\n{}", labelled("other")),
        ),
    ]);
    let run = patch(folder.path(), "k8s/apps", "k8s/rendered");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("1 release changed"), "{}", run.stderr);
}

/// Another release has a name that begins with the name of the file's release; without that release, the chart chose
/// the name.
#[test]
fn a_file_gets_no_render_of_another_release_of_the_repository() {
    let (web, admin) = (release("web"), release("web-admin"));
    for (others, fails) in [(vec![("apps/admin.yaml", admin.as_str())], true), (Vec::new(), false)] {
        let folder = repository(&[&[("apps/web.yaml", web.as_str())], &others[..]].concat());
        write(folder.path(), "render.yaml", &labelled("web-admin"));
        let run = patch(folder.path(), "apps/web.yaml", "render.yaml");
        assert_eq!(
            (run.code, run.stderr.contains("its labels name the release web-admin")),
            (Some(i32::from(fails)), fails),
            "{}",
            run.stderr
        );
    }
}

/// Renders of the script are not input, in any folder.
#[test]
fn leftover_renders_are_not_changed() {
    let head = "# hostnet charts: apps/all.yaml#0\n";
    let nested = format!("{head}{}", release("inner"));
    let folder = repository(&[("apps/web.yaml", &release("web")), ("rendered/kustomization_a_b.yaml", &nested)]);
    let script = |paths: &[&str]| hostnet(folder.path(), &[&["charts", "--to", "again"], paths].concat(), b"").text();
    assert!(!script(&["."]).contains("inner"));
    assert!(script(&["rendered/kustomization_a_b.yaml"]).contains("inner"), "a file given as an argument");
    let patched = format!("{nested}  postRenderers: []\n# hostnet patch: \n");
    write(folder.path(), "rendered/kustomization_a_b.yaml", &patched);
    let run = hostnet(folder.path(), &["patch", "--remove", "--into", "."], b"");
    assert!(run.code == Some(0) && run.stderr.contains("0 patches removed"), "{}", run.stderr);
}

/// A work tree, remotes with other names, and short URLs identify this repository; without a remote it is unknown.
#[test]
fn a_repository_is_known_by_all_of_its_remotes() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: own, namespace: flux-system}\nspec: {url: \
                  'https://github.com/acme/fleet'}\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: \
                  flux-system}\nspec: {path: ./deploy, sourceRef: {kind: GitRepository, name: own}}\n";
    let files = [("flux.yaml", source), ("deploy/kustomization.yaml", "resources: []\n")];
    let config = |remote: &str, url: &str| format!("[remote \"{remote}\"]\n\turl = {url}\n");
    let (own, fork) = ("git@github.com:acme/fleet.git", "https://github.com/me/fleet");
    let short = format!("{}[url \"git@github.com:\"]\n\tinsteadOf = gh:\n", config("origin", "gh:acme/fleet"));
    let unknown = "its GitRepository own is assumed to be this repository, which has no Git remote";
    for (text, builds, has_remark) in [
        (config("upstream", own), true, false),
        (config("origin", fork) + &config("upstream", own), true, false),
        (short, true, false),
        (config("origin", fork), false, false),
        (String::new(), true, true),
    ] {
        let folder = repository(&files);
        write(folder.path(), ".git/config", &text);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        assert_eq!(
            (run.stderr.contains("1 kustomization,"), run.stderr.contains(unknown)),
            (builds, has_remark),
            "{text}: {}",
            run.stderr
        );
    }
    let tree = tempfile::tempdir().unwrap();
    let folder = repository(&files);
    fs::remove_dir(folder.path().join(".git")).unwrap();
    let git = tree.path().join(".git/worktrees/own");
    write(folder.path(), ".git", &format!("gitdir: {}\n", git.display()));
    write(&git, "commondir", "../..\n");
    write(tree.path(), ".git/config", &config("origin", own));
    let run = hostnet(folder.path(), &["charts", "."], b"");
    assert!(run.stderr.contains("1 kustomization,") && !run.stderr.contains("info: "), "{}", run.stderr);
}

/// Hooks of a chart: before Flux 2.9, post-renderers do not process them.
#[test]
fn hooks_of_a_chart_may_get_no_patches() {
    let hook = labelled("web").replace(
        "{name: web, namespace: shop",
        "{name: web, annotations: {helm.sh/hook: pre-install}, namespace: shop",
    );
    assert!(hook.contains("helm.sh/hook"), "{hook}");
    for (render, strategy, warned) in [
        (&hook, "", true),
        (&hook, "  postRenderStrategy: nohooks\n", true),
        (&hook, "  postRenderStrategy: combined\n", false),
        (&labelled("web"), "", false),
    ] {
        let release = release("web").replace("spec:\n  chartRef", &format!("spec:\n{strategy}  chartRef"));
        for into in [".", "apps/web.yaml"] {
            let folder = repository(&[("apps/web.yaml", &release), ("render.yaml", render)]);
            let run = patch(folder.path(), into, "render.yaml");
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            let line = "warning: Deployment shop/web is a hook of the chart of HelmRelease shop/web: ";
            assert_eq!(
                (run.stderr.contains(line), run.stderr.contains(" 1 warning")),
                (warned, warned),
                "{into} {strategy}: {}",
                run.stderr
            );
        }
    }
}

/// A symlink to a release in the folder is not read twice; the message about incomplete text has a remedy.
#[test]
fn files_are_read_once_and_refusals_have_a_remedy() {
    let folder = repository(&[("apps/web.yaml", &release("web")), ("render.yaml", &labelled("web"))]);
    fs::create_dir(folder.path().join("real")).unwrap();
    std::os::unix::fs::symlink("../apps/web.yaml", folder.path().join("real/web.yaml")).unwrap();
    let script = hostnet(folder.path(), &["charts", "."], b"").text();
    assert_eq!(script.matches("\nkeep ").count(), 1, "{script}");
    let run = patch(folder.path(), ".", "render.yaml");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let own = "  postRenderers:\n  - kustomize:\n      patches:\n      - patch: |\n          []";
    let cut = format!("{}{own}", release("web").split("---").next().unwrap());
    write(folder.path(), "apps/web.yaml", &cut);
    let run = patch(folder.path(), "apps/web.yaml", "render.yaml");
    assert!(run.code == Some(1) && run.stderr.contains("end the last line"), "{}", run.stderr);
    write(folder.path(), "apps/web.yaml", &format!("{cut}\n"));
    assert_eq!(patch(folder.path(), "apps/web.yaml", "render.yaml").code, Some(0));
    // A folder that only contains kustomizations in subfolders.
    write(folder.path(), "remote/a/kustomization.yaml", "resources: ['https://a.example/b.yaml']\n");
    let log = hostnet(folder.path(), &["ports", "remote"], b"").stderr;
    assert!(log.contains("`hostnet ports --build remote/a`"), "{log}");
}
