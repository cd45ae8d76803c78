//! Folders and renders that count as read: the files of an object's folder and the output of its program, and no
//! similar paths.

use std::fs;

use crate::support::run::hostnet;

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// A Git repository with these files.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "[remote \"origin\"]\n\turl = https://git.example.com/acme/fleet.git\n";
    for (name, content) in files.iter().chain(&[(".git/config", config)]) {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

/// A Kustomization of Flux.
fn flux(name: &str, path: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {{path: {path}, sourceRef: \
         {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

/// An Application of Argo CD with these sources of its own repository.
fn argo(name: &str, source: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec: {{destination: {{namespace: prod}}, source: \
         {{repoURL: 'https://git.example.com/acme/fleet.git', {source}}}}}\n"
    )
}

/// Objects of the paths whose manifests are not read, and the exit code of a strict check.
fn unread(folder: &tempfile::TempDir, paths: &[&str]) -> (Option<i32>, String) {
    let run = hostnet(folder.path(), &[&["check", "--strict"], paths].concat(), b"");
    let lines = run.text();
    let objects =
        lines.lines().filter_map(|line| line.strip_prefix("not read: ")?.split_once(": ").map(|(one, _)| one));
    (run.code, objects.collect::<Vec<_>>().join(", "))
}

#[test]
fn only_the_folder_itself_counts_as_read() {
    let (apps, whole) = (flux("apps", "./apps"), flux("whole", "./"));
    let folder = repository(&[
        ("apps/web.yaml", MAP),
        ("clusters/prod/apps/k.yaml", &apps),
        ("clusters/dev/k.yaml", &apps),
        ("clusters/root/w.yaml", &whole),
        ("own/k.yaml", &flux("own", "own")),
        ("own/web.yaml", MAP),
    ]);
    let named = (Some(1), "Kustomization flux-system/apps".to_owned());
    // A folder whose path only ends with the same name is another folder.
    assert_eq!(unread(&folder, &["clusters/prod"]), named);
    assert_eq!(unread(&folder, &["clusters/dev"]), named);
    assert_eq!(unread(&folder, &["clusters/root"]).1, "Kustomization flux-system/whole");
    // One file of a folder is not the folder.
    assert_eq!(unread(&folder, &["own/k.yaml"]).1, "Kustomization flux-system/own");
    let read = (Some(0), String::new());
    assert_eq!(unread(&folder, &["clusters/prod", "apps"]), read);
    assert_eq!(unread(&folder, &["clusters/dev/k.yaml", "apps/web.yaml"]), read);
    assert_eq!(unread(&folder, &["own"]), read);
    assert_eq!(unread(&folder, &["."]), read);
}

#[test]
fn the_files_of_a_kustomization_count_as_its_folder() {
    let folder = repository(&[
        ("apps/web/kustomization.yaml", "resources: [web.yaml, ../base]\n"),
        ("apps/web/web.yaml", MAP),
        ("apps/web/other.yaml", MAP),
        ("apps/base/kustomization.yaml", "resources: [base.yaml]\n"),
        ("apps/base/base.yaml", &MAP.replace("name: a", "name: b")),
        ("k.yaml", &flux("web", "apps/web")),
    ]);
    assert_eq!(unread(&folder, &["k.yaml", "apps/web/web.yaml", "apps/base/base.yaml"]).1, "");
    assert_eq!(unread(&folder, &["k.yaml", "apps"]).1, "");
    for partly in ["apps/web/web.yaml", "apps/web/other.yaml"] {
        assert_eq!(unread(&folder, &["k.yaml", partly]).1, "Kustomization flux-system/web", "{partly}");
    }
}

#[test]
fn a_directory_of_an_application_is_read_with_its_files() {
    let folder = repository(&[
        ("apps/plain.yaml", &argo("plain", "path: plain")),
        ("apps/deep.yaml", &argo("deep", "path: deep, directory: {recurse: true}")),
        ("apps/flat.yaml", &argo("flat", "path: deep")),
        ("apps/some.yaml", &argo("some", "path: plain, directory: {include: 'b*'}")),
        ("apps/jsonnet.yaml", &argo("jsonnet", "path: jsonnet")),
        ("plain/a.yaml", MAP),
        ("deep/down/a.yaml", &MAP.replace("name: a", "name: c")),
        ("jsonnet/main.jsonnet", "{}\n"),
        ("jsonnet/a.yaml", &MAP.replace("name: a", "name: d")),
    ]);
    let run = hostnet(folder.path(), &["check", "apps/plain.yaml"], b"");
    insta::assert_snapshot!(run.text(), @"
    not read: Application argocd/plain: its directory plain (give it as PATH too) is not part of the input: `argocd app manifests plain`
    1 object: nothing found; not read: 1 object that other programs render
    ");
    assert_eq!(unread(&folder, &["apps/plain.yaml"]), (Some(1), "Application argocd/plain".to_owned()));
    assert_eq!(unread(&folder, &["apps/deep.yaml"]).1, "Application argocd/deep");
    // Argo CD applies no file of these.
    for none in ["apps/flat.yaml", "apps/some.yaml"] {
        assert_eq!(unread(&folder, &[none]), (Some(0), String::new()), "{none}");
    }
    assert_eq!(unread(&folder, &["apps/plain.yaml", "plain"]), (Some(0), String::new()));
    assert_eq!(unread(&folder, &["apps/deep.yaml", "deep"]), (Some(0), String::new()));
    // Only Argo CD renders Jsonnet.
    assert_eq!(unread(&folder, &["."]).1, "Application argocd/jsonnet");
    let list = hostnet(folder.path(), &["mirror", "list", "--complete", "apps/plain.yaml"], b"");
    assert_eq!(list.code, Some(1));
}

#[test]
fn a_render_counts_for_the_object_of_its_first_line() {
    let release = |version: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web, namespace: shop}}\nspec: {{chart: {{spec: {{chart: web, version: \
             {version}, sourceRef: {{kind: HelmRepository, name: stable}}}}}}}}\n"
        )
    };
    let several = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec: {destination: {namespace: shop}, sources: \
                   [{repoURL: 'https://a.example/c', chart: web, targetRevision: 1.0.0}, {repoURL: 'https://a.example/c', chart: two, targetRevision: 1.0.0}]}\n";
    let rendered = |place: &str| format!("# hostnet charts: {place}#0\n{MAP}");
    let folder = repository(&[
        ("clusters/a/web.yaml", &release("1.0.0")),
        ("clusters/b/web.yaml", &release("2.0.0")),
        ("several.yaml", several),
        ("one/helmrelease_shop_web_2.yaml", &rendered("clusters/b/web.yaml")),
        ("elsewhere/helmrelease_shop_web.yaml", &rendered("other/web.yaml")),
        ("first/application_argocd_web.yaml", &rendered("several.yaml")),
        ("second/application_argocd_web_2.yaml", &rendered("several.yaml")),
    ]);
    let count = |paths: &[&str]| unread(&folder, paths).1.matches("web").count();
    assert_eq!(count(&["clusters/a", "clusters/b", "one"]), 1);
    assert_eq!(count(&["clusters/b", "one"]), 0);
    // A path of another working folder says nothing about these objects.
    assert_eq!(count(&["clusters/a", "elsewhere"]), 0);
    assert_eq!(count(&["several.yaml"]), 2);
    assert_eq!(count(&["several.yaml", "first"]), 1);
    assert_eq!(count(&["several.yaml", "first", "second"]), 0);
}

/// Argo CD's command prints all sources of an Application, so that it would print a chart a second time.
#[test]
fn an_application_is_not_rendered_twice() {
    let source = |repository: &str, path: &str| {
        format!("{{repoURL: 'https://git.example.com/acme/{repository}.git', path: {path}}}")
    };
    let application = |sources: [String; 2]| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec: {{destination: {{namespace: shop}}, sources: [{}]}}\n",
            sources.join(", ")
        )
    };
    let script = |sources: [String; 2]| {
        let folder = repository(&[
            ("web.yaml", &application(sources)),
            ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ]);
        let text = hostnet(folder.path(), &["charts", "web.yaml"], b"").text();
        let calls = |of: &str| text.lines().filter(|line| line.starts_with("keep ") && line.contains(of)).count();
        (calls("helm template"), calls("argocd app manifests"), unread(&folder, &["web.yaml"]).1.matches("web").count())
    };
    assert_eq!(script([source("fleet", "charts/web"), source("other", "manifests")]), (1, 0, 2));
    assert_eq!(script([source("other", "a"), source("other", "b")]), (0, 1, 1));
}

/// A path into the output folder selects the files there, such as the Applications of a rendered chart; without such a
/// path they are left out.
#[test]
fn applications_of_a_rendered_chart_are_rendered() {
    let folder = repository(&[
        ("rendered/chart__apps.yaml", &argo("web", "chart: web")),
        (
            "rendered/application_argocd_own.yaml",
            &format!("# hostnet charts: in.yaml#0\n{}", argo("own", "chart: own")),
        ),
        ("in.yaml", &argo("own", "chart: own")),
    ]);
    let releases = |path: &str| {
        let text = hostnet(folder.path(), &["charts", path], b"").text();
        let objects = text.lines().filter_map(|line| line.strip_prefix("# Application argocd/"));
        objects.map(str::to_owned).collect::<Vec<_>>().join(", ")
    };
    for (path, expected) in [("rendered/chart__apps.yaml", "web"), ("rendered", "web"), (".", "own")] {
        assert_eq!(releases(path), expected, "{path}");
    }
}

/// Values files of other repositories have names of their own.
#[test]
fn a_values_file_of_another_repository_has_its_own_name() {
    let application = |name: &str, of: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec: {{destination: {{namespace: shop}}, sources: \
             [{{repoURL: 'https://git.example.com/acme/fleet.git', path: charts/web, helm: {{valueFiles: [$values/values.yaml]}}}}, {{repoURL: \
             'https://user:secret@git.example.com/acme/{of}.git', ref: values}}]}}\n---\n"
        )
    };
    let folder = repository(&[
        ("apps.yaml", &[application("a", "one"), application("b", "two"), application("c", "one")].concat()),
        ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ]);
    let text = hostnet(folder.path(), &["charts", "apps.yaml"], b"").text();
    let count = |file: &str| text.matches(&format!("if given {file} ")).count();
    assert_eq!(count("git.example.com_acme_one_values.yaml"), 2, "{text}");
    assert_eq!(count("git.example.com_acme_two_values.yaml"), 1, "{text}");
    assert!(!text.contains("secret"), "{text}");
}
