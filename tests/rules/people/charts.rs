//! `hostnet charts`: a script that renders charts and builds of the manifests. Here small programs replace helm and
//! kustomize, and log their arguments; tests/hosts/charts.rs uses the real programs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::run::hostnet;

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec: {chart: {spec: {chart: web, version: 1.x, sourceRef: {kind: HelmRepository, name: own}}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: own, namespace: shop}
spec: {url: https://charts.example}
";

/// The calls of a script, one line for each argument; its standard error; and true if it succeeded.
fn called(folder: &Path, script: &str) -> (String, String, bool) {
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    for name in ["helm", "kustomize", "argocd", "flux-operator"] {
        let log = folder.join("log");
        let text = format!(
            "#!/bin/sh\nfor word in {name} \"$@\"; do printf '%s\\n' \"<$word>\"; done >>'{0}'\nfor word; do [ ! -f \"$word\" ] || cat \
             \"$word\" >>'{0}'; done\necho 'a: b'\n",
            log.display()
        );
        fs::write(programs.join(name), text).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(folder.join("render.sh"), script).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("/bin/sh")
        .arg("render.sh")
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    (log, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.success())
}

#[test]
fn a_release_is_rendered_with_all_settings_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let script = hostnet(folder.path(), &["charts", "--to", "out", "-"], RELEASE.as_bytes());
    assert_eq!(script.code, Some(0), "{}", script.stderr);
    let (log, stderr, is_well) = called(folder.path(), &script.text());
    let words = [
        "helm",
        "template",
        "web",
        "web",
        "--repo",
        "https://charts.example",
        "--version",
        "1.x",
        "--namespace",
        "shop",
    ];
    let want: String = words.iter().chain(&["--include-crds"]).map(|word| format!("<{word}>\n")).collect();
    assert_eq!((log, is_well), (want, true), "{stderr}");
    assert_eq!(
        fs::read_to_string(folder.path().join("out/helmrelease_shop_web.yaml")).unwrap(),
        "a: b\n",
        "standard input has no path"
    );
    assert!(stderr.contains("1 rendered into out, 0 not"), "{stderr}");
}

/// Names, URLs and values that try to run a command, end the heredoc of the values, or add an option.
#[test]
fn text_of_the_input_is_not_executed() {
    let bad = [
        "$(touch pwned)",
        "`touch pwned`",
        "'; touch pwned; '",
        "\\n touch pwned",
        "--post-renderer=./pwned",
        "a\\nEND_OF_VALUES\\ntouch pwned",
    ];
    for word in bad {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("{word:?}").replace("\\\\n", "\\n");
        let release = RELEASE
            .replace("name: web,", &format!("name: {name},"))
            .replace("chart: web,", &format!("chart: {name},"))
            .replace("1.x", &name)
            .replace("https://charts.example", &name)
            .replace("}}}}\n---", &format!("}}}}}}, targetNamespace: {name}, values: {{a: {name}, {name}: b}}}}\n---"));
        let more = format!(
            "---\napiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {{name: {name}, namespace: {name}}}\nspec: {{}}\n---\n\
             apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{source: {{repoURL: {name}, chart: {name}, helm: \
             {{values: {name}, parameters: [{{name: {name}, value: {name}}}], valueFiles: [{name}]}}}}}}\n---\napiVersion: helm.cattle.io/v1\nkind: \
             HelmChart\nmetadata: {{name: {name}}}\nspec: {{chart: {name}, set: {{{name}: {name}}}}}\n---\napiVersion: \
             kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: {name}}}\n---\n\
             apiVersion: helm.crossplane.io/v1beta1\nkind: Release\nmetadata: {{name: {name}}}\nspec: {{forProvider: {{namespace: {name}, chart: \
             {{name: {name}, repository: {name}}}, values: {{{name}: {name}}}, set: [{{name: {name}, value: {name}}}], valuesFrom: [{{secretKeyRef: \
             {{name: {name}, key: {name}}}}}]}}}}\n"
        );
        let script = hostnet(folder.path(), &["charts", "-"], format!("{release}{more}").as_bytes());
        assert_eq!(script.code, Some(0), "{word}: {}", script.stderr);
        let (log, stderr, _) = called(folder.path(), &script.text());
        assert!(!folder.path().join("pwned").exists(), "{word}: {}", script.text());
        assert_eq!(log.matches("<helm>").count(), 4, "{word}: {log}\n{stderr}");
        // An argument after a flag with a value is not a flag.
        let flags = log.replace("<--set>\n<", "").replace("<--set-string>\n<", "");
        assert!(!flags.contains("<--post-renderer"), "{log}");
        // No file is created outside the folder.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "{word}");
    }
}

/// Values of a Release in the order of provider-helm: `valuesFrom`, `values`, `set`. A chart's URL overrides its name.
#[test]
fn a_release_of_crossplane_is_rendered() {
    let folder = tempfile::tempdir().unwrap();
    let release = "apiVersion: helm.m.crossplane.io/v1beta1\nkind: Release\nmetadata: {name: xp, namespace: team, annotations: \
                   {crossplane.io/external-name: web}}\nspec:\n  forProvider:\n    chart: {url: 'oci://a.io/charts/web:2.0.2', name: other}\n    \
                   skipCRDs: true\n    valuesFrom: [{configMapKeyRef: {name: v}}, {secretKeyRef: {name: s, key: k}}]\n    values: {b: 1}\n    \
                   set: [{name: c, value: '1,d=2'}, {name: e, valueFrom: {configMapKeyRef: {name: v, key: e}}}]\n    patchesFrom: [{configMapKeyRef: \
                   {name: p}}]\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: team}\ndata: {values.yaml: 'a: 1', e: f}\n";
    let run = hostnet(folder.path(), &["charts", "-"], release.as_bytes());
    let (_, made) = run.text().split_once("# Release team/xp\n").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    insta::assert_snapshot!(made, @r#"
    # its patchesFrom is not part of the render
    set -- web oci://a.io/charts/web --version 2.0.2 --namespace team
    # ConfigMap team/v, key values.yaml
    cat >"$work/0.yaml" <<'END_OF_VALUES'
    a: 1
    END_OF_VALUES
    set -- "$@" --values "$work/0.yaml"
    if given secret_team_s_k 'Release team/xp: Secret team/s, key k'; then set -- "$@" --values "$VALUES"/secret_team_s_k; fi
    # spec.forProvider.values
    cat >"$work/2.yaml" <<'END_OF_VALUES'
    b: 1
    END_OF_VALUES
    set -- "$@" --values "$work/2.yaml"
    set -- "$@" --set c=1,d=2
    set -- "$@" --set e=f
    keep release_team_xp.yaml '' helm template "$@" $HELM_FLAGS

    echo "$rendered rendered into $to, $failed not" >&2
    [ "$failed" -eq 0 ]
    "#);
    assert!(run.stderr.contains("Release team/xp: its patchesFrom is not part of the render"), "{}", run.stderr);
    let one = |object: &str, spec: &str| {
        let object =
            format!("apiVersion: {object}\nkind: Release\nmetadata: {{name: a}}\nspec: {{forProvider: {spec}}}\n");
        let run = hostnet(folder.path(), &["charts", "-"], object.as_bytes());
        run.text().lines().find(|line| line.starts_with("set -- a ")).unwrap_or("-").to_owned()
    };
    let chart = "{namespace: b, chart: {name: web, repository: 'https://a.io', version: 1.0.0}}";
    insta::assert_snapshot!(one("helm.crossplane.io/v1beta1", chart), @"set -- a web --repo https://a.io --version 1.0.0 --namespace b --include-crds");
    // A kind of another group, a Release without a chart, and one without its repository.
    assert_eq!(one("release.example.com/v1", chart), "-");
    assert_eq!(one("helm.crossplane.io/v1beta1", "{namespace: b}"), "-");
    assert_eq!(one("helm.crossplane.io/v1beta1", "{namespace: b, chart: {name: web}}"), "-");
}

/// An object that cannot be rendered becomes a comment with the reason, and a message.
#[test]
fn unrendered_objects_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    for (object, why) in [
        (
            RELEASE.split("---").next().unwrap().to_owned(),
            "HelmRelease shop/web: the source of the chart web 1.x is not in the input",
        ),
        (
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {values: {}}\n".to_owned(),
            "HelmRelease web: it names no chart",
        ),
        (
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ../x}\n".to_owned(),
            "Kustomization a: its path ../x is not a folder of the input",
        ),
        (
            "apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\nmetadata: {name: s}\n".to_owned(),
            "KnativeServing s: the manifest that its operator creates (the webhooks of Knative Serving) is visible only in the cluster",
        ),
    ] {
        let run = hostnet(folder.path(), &["charts", "-"], object.as_bytes());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("not rendered: {why}")), "{why}: {}", run.stderr);
        assert!(run.text().contains("\n# not rendered: "), "{}", run.text());
    }
}

/// Users have to add the values of a Secret, and a failure affects only one release.
#[test]
fn values_that_are_missing_and_failures_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let release = RELEASE.replace("}}}}\n---", "}}}, valuesFrom: [{kind: Secret, name: hidden}]}\n---");
    let script = hostnet(folder.path(), &["charts", "-"], release.as_bytes()).text();
    let (log, stderr, is_well) = called(folder.path(), &script);
    assert!(
        is_well && stderr.contains("Put it into values/secret_shop_hidden_values.yaml") && !log.contains("--values"),
        "{stderr}{log}"
    );
    fs::create_dir(folder.path().join("values")).unwrap();
    fs::write(folder.path().join("values/secret_shop_hidden_values.yaml"), "a: secret\n").unwrap();
    let (log, _, _) = called(folder.path(), &script);
    assert!(log.contains("<--values>\n<values/secret_shop_hidden_values.yaml>") && log.contains("a: secret"), "{log}");
    // helm fails only for this release.
    let second = RELEASE.replace("name: web,", "name: other,").replace("chart: web", "chart: fails");
    let script = hostnet(folder.path(), &["charts", "-"], format!("{RELEASE}---\n{second}").as_bytes()).text();
    let script =
        script.replace("keep helmrelease_shop_other.yaml '' helm", "keep helmrelease_shop_other.yaml '' false");
    let (_, stderr, is_well) = called(folder.path(), &script);
    assert!(
        !is_well
            && stderr.contains("not rendered: rendered/helmrelease_shop_other.yaml")
            && stderr.contains("1 rendered"),
        "{stderr}"
    );
    assert!(folder.path().join("rendered/helmrelease_shop_web.yaml").exists());
}

/// A chart whose source is not in the input is not counted among those that the script renders.
#[test]
fn releases_without_a_source_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let release = |name: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{chart: {{spec: {{chart: web, version: 1.0.0, \
             sourceRef: {{kind: HelmRepository, name: absent}}}}}}}}\n"
        )
    };
    fs::write(folder.path().join("in.yaml"), format!("{}---\n{}", release("a"), release("b"))).unwrap();
    let stderr = hostnet(folder.path(), &["ports", "in.yaml"], b"").stderr;
    assert!(stderr.contains("HelmRelease shop/a") && !stderr.contains("renders all"), "{stderr}");
}

/// The command for all objects follows the lines about unread objects.
#[test]
fn other_commands_suggest_charts() {
    let folder = tempfile::tempdir().unwrap();
    let second = RELEASE.replace("name: web,", "name: other,");
    fs::write(folder.path().join("in.yaml"), format!("{RELEASE}---\n{second}")).unwrap();
    let stderr = hostnet(folder.path(), &["ports", "in.yaml"], b"").stderr;
    assert!(stderr.contains("not read: `hostnet charts in.yaml | sh` renders all 2 into rendered/"), "{stderr}");
    fs::write(folder.path().join("in.yaml"), RELEASE).unwrap();
    let stderr = hostnet(folder.path(), &["ports", "in.yaml"], b"").stderr;
    assert!(!stderr.contains("hostnet charts"), "{stderr}");
}

/// A repository with these files and a remote.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:acme/fleet.git\n[branch \"main\"]\n\tremote = origin\n";
    for (name, content) in files.iter().chain(&[(".git/config", config)]) {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

/// A HelmRelease of a chart in an OCI registry, with other fields of its spec.
fn oci(name: &str, more: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec: {{chartRef: {{kind: OCIRepository, name: chart}}{more}}}\n\
         ---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: chart}}\nspec: {{url: 'oci://a.example/chart', ref: {{tag: 1.0.0}}}}\n"
    )
}

fn build(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {{path: {path}{more}}}\n"
    )
}

/// Flux's build sets the namespace of an object without one, or else the kustomizations that list the file.
#[test]
fn the_build_sets_the_namespace() {
    let (release, lists) = (oci("web", ""), "namespace: listed\nresources: [release.yaml]\n");
    let script = |files: &[(&str, &str)]| {
        let folder = repository(files);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        (run.text(), run.stderr)
    };
    let target = build("web", "./apps/web", ", targetNamespace: target");
    let outer = build("apps", "./apps", ", targetNamespace: outer");
    let inner = build("web", "./apps/web", "");
    let (file, own) = ("apps/web/release.yaml", "apps/web/kustomization.yaml");
    for (files, namespace) in [
        (vec![(file, release.as_str()), (own, lists)], "listed"),
        (vec![(file, &release), (own, lists), ("flux.yaml", &target)], "target"),
        (vec![(file, &release), ("outer.yaml", &outer)], "outer"),
        (
            vec![
                (file, &release),
                (own, lists),
                ("apps/kustomization.yaml", "resources: [other.yaml]\n"),
                ("outer.yaml", &outer),
                ("inner.yaml", &inner),
            ],
            "listed",
        ),
        (
            vec![(file, &release), ("apps/kustomization.yaml", "namespace: above\nresources: [web]\n"), (own, lists)],
            "above",
        ),
    ] {
        let (text, stderr) = script(&files);
        assert!(
            text.contains(&format!("set -- web oci://a.example/chart --version 1.0.0 --namespace {namespace} ")),
            "{files:?}: {stderr}{text}"
        );
    }
    // A kustomization that lists another file does not affect this file.
    let (text, stderr) = script(&[(file, &release), (own, "namespace: listed\nresources: [other.yaml]\n")]);
    assert!(!text.contains("--namespace "), "{text}");
    assert!(stderr.contains("info: HelmRelease web: its namespace is not in the input"), "{stderr}");
}

/// Sources in another repository or in this one.
#[test]
fn sources_in_other_repositories_are_not_rendered_from_this_one() {
    let source = |url: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: src, namespace: flux-system}}\nspec: {{url: '{url}'}}\n"
        )
    };
    let kustomization = build("web", "./deploy", ", sourceRef: {kind: GitRepository, name: src}");
    let reported = |url: &str, files: &[(&str, &str)]| {
        let source = source(url);
        let folder = repository(&[files, &[("source.yaml", source.as_str())]].concat());
        let run = hostnet(folder.path(), &["charts", "."], b"");
        format!("{}{}", run.stderr, run.text())
    };
    let files = [("flux.yaml", kustomization.as_str()), ("deploy/kustomization.yaml", "resources: []\n")];
    assert!(reported("https://github.com/acme/fleet", &files).contains("1 kustomization"));
    assert!(
        reported("https://github.com/other/podinfo", &files)
            .contains("not rendered: Kustomization flux-system/web: its GitRepository src is not this repository")
    );
    let application = |url: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec: {{source: {{repoURL: '{url}', path: deploy}}}}\n"
        )
    };
    for (url, command) in [
        ("https://github.com/acme/fleet.git", "kustomize build"),
        ("https://github.com/other/repo", "argocd app manifests web"),
        ("oci://ghcr.io/acme/fleet", "argocd app manifests web"),
    ] {
        let application = application(url);
        let text = reported("x", &[("app.yaml", &application), ("deploy/kustomization.yaml", "resources: []\n")]);
        assert!(text.contains(&format!("keep application_argocd_web.yaml './app.yaml#0' {command}")), "{text}");
    }
}

/// Manifests of another Git repository and of a vendor's artifact are not in this repository, although its folders have
/// the same paths.
#[test]
fn builds_of_foreign_sources_are_not_read() {
    let source = |kind: &str, url: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata: {{name: src, namespace: flux-system}}\nspec: {{url: '{url}'}}\n"
        )
    };
    let missing = |path: &str, kind: &str, url: &str| {
        let build = build("web", path, &format!(", sourceRef: {{kind: {kind}, name: src}}"));
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
        let files = [("flux.yaml", build.as_str()), ("deploy/a.yaml", map)];
        let source = source(kind, url);
        let folder = repository(&[&files[..], &[("source.yaml", &source)]].concat());
        let run = hostnet(folder.path(), &["check", "--strict", "."], b"");
        let labels =
            "-l kustomize.toolkit.fluxcd.io/name=web,kustomize.toolkit.fluxcd.io/namespace=flux-system -o yaml`";
        let is_named = run.text().contains("not read: Kustomization flux-system/web: ") && run.text().contains(labels);
        assert_eq!(run.code, Some(i32::from(is_named)), "{}", run.text());
        is_named
    };
    assert!(missing("./deploy", "GitRepository", "https://github.com/other/podinfo"));
    assert!(missing("./", "GitRepository", "https://github.com/other/podinfo"));
    assert!(missing("./", "OCIRepository", "oci://ghcr.io/other/manifests/podinfo"));
    // The packages of another owner of GitHub.
    assert!(missing("./deploy", "OCIRepository", "oci://ghcr.io/other/manifests/podinfo"));
    // Artifacts of this repository, whose URL has its name, and a folder that only this repository has.
    for (path, kind, url) in [
        ("./deploy", "GitRepository", "https://github.com/acme/fleet"),
        ("./", "OCIRepository", "oci://ghcr.io/acme/fleet"),
        ("./", "OCIRepository", "oci://registry.example.com/team/fleet-manifests"),
        ("./deploy", "OCIRepository", "oci://registry.example.com/team/gitops"),
        ("./deploy", "OCIRepository", "oci://ghcr.io/Acme/manifests"),
    ] {
        assert!(!missing(path, kind, url), "{url}");
    }
}

/// Patches of a Kustomization or Application may set old ports again, so their result is not read until it is rendered.
#[test]
fn patches_of_an_object_are_not_read_in_its_folder() {
    let not_read = |patch: &str| {
        let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
        let flux =
            build("web", "./deploy", &format!(", sourceRef: {{kind: GitRepository, name: fleet}}, patches: [{patch}]"));
        let argo = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec: {{source: {{repoURL: 'https://github.com/acme/fleet', path: deploy, kustomize: {{patches: [{patch}]}}}}}}\n"
        );
        let [flux, argo] = [flux, argo].map(|object| {
            let files = [
                ("app.yaml", object.as_str()),
                ("deploy/a.yaml", web),
                ("deploy/kustomization.yaml", "resources: [a.yaml]\n"),
            ];
            let run = hostnet(repository(&files).path(), &["check", "--strict", "."], b"");
            let is_named = run
                .text()
                .contains("the result of its patches is not part of the input: `hostnet charts ./app.yaml | sh`");
            assert_eq!(run.code, Some(i32::from(is_named)), "{}", run.text());
            is_named
        });
        assert_eq!(flux, argo, "{patch}");
        flux
    };
    for patch in [
        "{target: {kind: Deployment}, patch: '[]'}",
        "{target: {kind: 'Deployment|StatefulSet'}, patch: '[]'}",
        "{target: {labelSelector: a=b}, patch: '[]'}",
        "{patch: '{kind: Service, metadata: {name: a}}'}",
    ] {
        assert!(not_read(patch), "{patch}");
    }
    for patch in [
        "{target: {kind: HelmRelease}, patch: '[]'}",
        "{patch: '{kind: Namespace, metadata: {name: a}}'}",
        "{target: {kind: Deployment}, patch: \"# hostnet patch: ports move.\\n[]\"}",
    ] {
        assert!(!not_read(patch), "{patch}");
    }
}

/// The nearest of several ConfigMaps with the same name is used; variables of Flux and patches of other files are
/// reported.
#[test]
fn doubts_are_reported() {
    let map = |first: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: own}}\ndata: {{values.yaml: 'first: {first}'}}\n")
    };
    let release = oci("web", ", valuesFrom: [{kind: ConfigMap, name: own}]");
    let (one, two) = (map("one"), map("two"));
    let folder = repository(&[("a/release.yaml", &release), ("a/map.yaml", &one), ("b/map.yaml", &two)]);
    assert!(hostnet(folder.path(), &["charts", "."], b"").text().contains("first: one\n"));
    let folder = repository(&[("a/release.yaml", &release), ("b/map.yaml", &one), ("c/map.yaml", &two)]);
    assert!(
        hostnet(folder.path(), &["charts", "."], b"").text().contains("if given configmap__own_values.yaml"),
        "two that differ"
    );
    for (files, line) in [
        (vec![("a.yaml", oci("'${APP}-x'", ""))], "not rendered: HelmRelease ${APP}-x: its name holds a variable that Flux fills in"),
        (
            vec![
                ("base/a.yaml", oci("web", "")),
                ("prod/a.yaml", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {chart: {spec: {version: 2.x}}}\n".to_owned()),
                ("prod/kustomization.yaml", "resources: [../base/a.yaml]\npatchesStrategicMerge: [a.yaml]\n".to_owned()),
            ],
            "info: HelmRelease web: a patch in prod/kustomization.yaml changes what it renders",
        ),
        (vec![("a.yaml", oci("web", ", postRenderers: [{kustomize: {patches: [{patch: '[]'}]}}]"))], "info: HelmRelease web: its own postRenderers"),
        (vec![("a.yaml", oci("web", ", values: {a: [}"))], "; it is skipped"),
    ] {
        let files: Vec<(&str, &str)> = files.iter().map(|(name, content)| (*name, content.as_str())).collect();
        let folder = repository(&files);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
}

/// A second run does not read the rendered files of the first.
#[test]
fn renders_are_not_read_as_input() {
    let folder = repository(&[("a.yaml", &oci("web", "")), ("rendered/kustomization_a_b.yaml", &oci("web", ""))]);
    let run = hostnet(folder.path(), &["charts", "."], b"");
    assert_eq!(run.text().matches("\nkeep ").count(), 1, "{}", run.text());
}

/// Releases in the templates of a ResourceSet, next to their sources: rendered if the set replaces no part of them.
#[test]
fn releases_of_a_resource_set_are_rendered() {
    let source = "{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: chart, namespace: shop}, spec: {url: 'oci://a.example/chart', ref: {tag: 1.0.0}}}";
    let release = |name: &str| {
        format!(
            "{{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {{name: '{name}', namespace: shop}}, spec: {{chartRef: {{kind: OCIRepository, name: chart}}}}}}"
        )
    };
    let set = format!(
        "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {{name: all}}\nspec:\n  resources:\n  - {source}\n  - {}\n  - {}\n  - a text\n",
        release("web"),
        release("<< inputs.name >>")
    );
    let folder = repository(&[("set.yaml", &set)]);
    let run = hostnet(folder.path(), &["charts", "."], b"");
    let text = run.text();
    assert!(
        text.contains(
            "keep resourceset__all.yaml './set.yaml#0' flux-operator build resourceset -f \"$work/object.yaml\"\n"
        ),
        "{text}"
    );
    assert!(text.contains("set -- web oci://a.example/chart --version 1.0.0 --namespace shop --include-crds\nkeep helmrelease_shop_web.yaml './set.yaml#0.spec.resources[1]' "), "{text}");
    let why = "not rendered: HelmRelease shop/<< inputs.name >>: ResourceSet all fills in a part of it (`<<`)";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    let stderr = hostnet(folder.path(), &["ports", "set.yaml"], b"").stderr;
    assert!(
        stderr.contains("HelmRelease shop/web: the chart chart 1.0.0 is not part of the input")
            && !stderr.contains("inputs.name"),
        "{stderr}"
    );
}

/// Releases in the template text of a ResourceSet: rendered if the whole document is known.
#[test]
fn releases_of_a_template_text_are_found() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: chart, namespace: shop}\nspec: {url: 'oci://a.example/chart', ref: {tag: 1.0.0}}\n";
    let release = |name: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: {name}\n  namespace: shop\nspec:\n  chartRef: {{kind: OCIRepository, name: chart}}\n"
        )
    };
    let range = "<<- range $app := inputs.apps >>\n---\n";
    let text = [
        source.to_owned(),
        release("web"),
        format!("{range}{}", release("inner")),
        format!("{}<<- end >>\n", release("<< $app.name >>")),
        release("behind"),
        "kind: << if inputs.x >>\n  : [\n".to_owned(),
    ];
    let indented = text.join("---\n").lines().map(|line| format!("    {line}\n")).collect::<String>();
    let set = format!(
        "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {{name: all}}\nspec:\n  resourcesTemplate: |\n{indented}"
    );
    let folder = repository(&[("set.yaml", &set)]);
    let run = hostnet(folder.path(), &["charts", "."], b"");
    let text = run.text();
    assert!(
        text.contains(
            "keep resourceset__all.yaml './set.yaml#0' flux-operator build resourceset -f \"$work/object.yaml\"\n"
        ),
        "{text}"
    );
    for name in ["web", "behind"] {
        assert!(
            text.contains(&format!("set -- {name} oci://a.example/chart --version 1.0.0 --namespace shop")),
            "{name}: {text}{}",
            run.stderr
        );
    }
    for name in ["inner", "<< $app.name >>"] {
        let why = format!(
            "not rendered: HelmRelease shop/{name}: ResourceSet all fills in a part of it, or decides if it exists (`<<`)"
        );
        assert!(run.stderr.contains(&why), "{name}: {}", run.stderr);
    }
    assert!(run.stderr.contains("2 releases, 0 kustomizations, 1 of other programs, 2 not rendered"), "{}", run.stderr);
}

/// Components of a Kustomization are part of its build; a message reports fields whose result depends on their order.
#[test]
fn components_are_part_of_the_build() {
    let flux = build("web", "./apps/web", ", components: [../../components/backup]");
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    let run = |kustomization: &str, flux: &str| {
        let folder = repository(&[
            ("flux.yaml", flux),
            ("apps/web/kustomization.yaml", kustomization),
            ("components/backup/kustomization.yaml", component),
        ]);
        let run = hostnet(folder.path(), &["charts", "flux.yaml"], b"");
        (run.text(), run.stderr)
    };
    let (text, stderr) = run("namespace: shop\nresources: []\n", &flux);
    let gathered = "gather kustomization_flux-system_web.yaml 'flux.yaml#0' \\\n  apps/web \\\n  --components \\\n  components/backup \\\n  '--field=namespace: shop'\n";
    assert!(text.contains(gathered), "{text}");
    assert!(!stderr.contains("info: "), "{stderr}");
    let (_, stderr) = run("crds: []\nresources: []\n", &flux);
    let remark = "info: Kustomization flux-system/web: its components are applied after crds of ./apps/web, but Flux applies them before";
    assert!(stderr.contains(remark), "{stderr}");
    let (text, stderr) = run("resources: []\n", &flux.replace("/backup]", "/other]"));
    assert!(stderr.contains("its component ../../components/other is not a folder of the input"), "{stderr}");
    assert!(text.contains("kustomize build $KUSTOMIZE_FLAGS apps/web\n"), "{text}");
    let (_, stderr) = run("resources: []\n", &flux.replace("/backup]", "/other], ignoreMissingComponents: true"));
    assert!(!stderr.contains("components/other"), "{stderr}");
    // A namespace with special characters stays one value of the kustomization, and one word of the script.
    let (text, _) = run("namespace: \"a'\\n$(touch x)\"\nresources: []\n", &flux);
    assert!(text.contains(r#"'--field=namespace: "a'\''\n$(touch x)"'"#), "{text}");
}

/// Fields of a Kustomization and of an Application that change the build of their folder; a message reports the others.
#[test]
fn fields_of_the_object_are_part_of_the_build() {
    let own = "patches: [{patch: '# hostnet patch: x'}, {patch: '- {a: b}', target: {kind: Deployment}}]";
    let application = |kustomize: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\nspec: {{source: {{repoURL: 'https://github.com/acme/fleet', \
             path: apps/web, kustomize: {{{kustomize}}}}}}}\n"
        )
    };
    let flux = |fields: &str| build("web", "./apps/web", &format!(", {fields}"));
    let patches = r#"'--field=patches: [{patch: "- {a: b}", target: {kind: Deployment}}]'"#;
    for (object, base, lines, remark) in [
        (flux(&format!("{own}, targetNamespace: shop")), "", vec!["'--field=namespace: shop'", patches], ""),
        (
            flux("images: [{name: web, newTag: '2'}]"),
            "namespace: other\n",
            vec![r#"'--field=images: [{name: web, newTag: "2"}]'"#],
            "",
        ),
        (flux("nameSuffix: -v2"), "", vec!["'--field=nameSuffix: -v2'"], ""),
        (
            flux("namePrefix: eu-"),
            "namePrefix: a-\n",
            vec![],
            "its namePrefix replaces the same field of the kustomization, and is not part of the build",
        ),
        (
            flux("targetNamespace: '${NS}'"),
            "",
            vec![],
            "its targetNamespace holds a variable, and is not part of the build",
        ),
        (
            flux("targetNamespace: shop"),
            "helmCharts: [{name: a}]\n",
            vec![],
            "not part of the build, since the kustomization renders charts: namespace of the Kustomization",
        ),
        (flux("patches: [{patch: '# hostnet patch: x'}]"), "", vec![], ""),
        (
            application(&format!("{own}, namePrefix: eu-, images: []")),
            "",
            vec!["'--field=namePrefix: eu-'", patches],
            "",
        ),
        (
            application("images: ['web:2']"),
            "",
            vec![],
            "images of spec.source.kustomize of the Application: not part of the build",
        ),
    ] {
        let folder =
            repository(&[("a.yaml", &object), ("apps/web/kustomization.yaml", &format!("{base}resources: []\n"))]);
        let run = hostnet(folder.path(), &["charts", "a.yaml"], b"");
        let (text, fields) = (run.text(), lines.len());
        for line in lines {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert_eq!(text.matches("'--field=").count(), fields, "{text}");
        assert_eq!(run.stderr.contains("info: "), !remark.is_empty(), "{}", run.stderr);
        assert!(run.stderr.contains(remark), "{remark}: {}", run.stderr);
    }
}

/// An `ArtifactGenerator` of the input maps a path of its artifact to a folder.
#[test]
fn a_path_of_a_generated_artifact_is_found() {
    let generator = |copy: &str| {
        format!(
            "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {{name: all, namespace: flux-system}}\nspec:\n  \
             sources: [{{alias: git, kind: GitRepository, name: flux-system}}, {{alias: other, kind: Bucket, name: other}}]\n  artifacts:\n  \
             - {{name: shop, copy: [{copy}]}}\n"
        )
    };
    let flux = build("web", "./prod", ", sourceRef: {kind: ExternalArtifact, name: shop}");
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let run = |copy: &str| {
        let folder = repository(&[("flux.yaml", &flux), ("all.yaml", &generator(copy)), ("apps/prod/a.yaml", map)]);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        (run.text(), run.stderr)
    };
    for copy in ["{from: '@git/apps/**', to: '@artifact/'}", "{from: '@git/apps/prod/**', to: '@artifact/prod/'}"] {
        let (text, stderr) = run(copy);
        assert!(
            text.contains("gather kustomization_flux-system_web.yaml './flux.yaml#0' \\\n  apps/prod/a.yaml\n"),
            "{text}{stderr}"
        );
        assert!(!stderr.contains("info: "), "{stderr}");
    }
    for copy in [
        "{from: '@other/apps/**', to: '@artifact/'}",
        "{from: '@git/apps/*.yaml', to: '@artifact/'}",
        "{from: '@git/apps/**', to: '@artifact/'}, {from: '@other/more/**', to: '@artifact/prod/'}",
    ] {
        let why = "not rendered: Kustomization flux-system/web: its path ./prod of ExternalArtifact shop (ArtifactGenerator flux-system/all makes it)";
        assert!(run(copy).1.contains(why), "{copy}: {}", run(copy).1);
    }
}

/// A Kustomization for a folder without a kustomization, and for a folder without manifests.
#[test]
fn a_folder_without_a_kustomization_is_gathered() {
    let flux = build("web", "./deploy", "");
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let folder = repository(&[
        ("flux.yaml", &flux),
        ("deploy/a/b.yml", map),
        ("deploy/c.json", "{}"),
        ("deploy/.github/workflow.yaml", "on: push\n"),
        ("deploy/k/kustomization.yaml", ""),
    ]);
    let text = hostnet(folder.path(), &["charts", "flux.yaml"], b"").text();
    assert!(
        text.contains("gather kustomization_flux-system_web.yaml 'flux.yaml#0' \\\n  deploy/a/b.yml \\\n  deploy/k\n"),
        "{text}"
    );
    let folder = repository(&[("flux.yaml", &flux), ("deploy/c.json", "{}")]);
    let stderr = hostnet(folder.path(), &["charts", "flux.yaml"], b"").stderr;
    assert!(
        stderr.contains("not rendered: Kustomization flux-system/web: its path ./deploy has no manifests"),
        "{stderr}"
    );
    // Flux ignores files listed in `.sourceignore` and in `spec.ignore` of the source; hostnet reads neither.
    let folder = repository(&[("flux.yaml", &flux), ("deploy/a.yaml", map), (".sourceignore", "*.yaml")]);
    let stderr = hostnet(folder.path(), &["charts", "flux.yaml"], b"").stderr;
    assert!(stderr.contains("info: Kustomization flux-system/web: .sourceignore is not read"), "{stderr}");
    let flux = build("web", "./deploy", ", sourceRef: {kind: GitRepository, name: fleet}");
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: fleet, namespace: flux-system}\nspec: {url: \
                  'https://github.com/acme/fleet', ignore: '/*.yaml'}\n";
    let folder = repository(&[("flux.yaml", &flux), ("source.yaml", source), ("deploy/a.yaml", map)]);
    let stderr = hostnet(folder.path(), &["charts", "."], b"").stderr;
    assert!(stderr.contains("spec.ignore of GitRepository fleet is not read"), "{stderr}");
}

/// The content of an artifact may differ from this repository.
#[test]
fn an_assumed_path_of_an_artifact_is_reported() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let reported = |path: &str, kind: &str| {
        let flux = build("web", path, &format!(", sourceRef: {{kind: {kind}, name: shop}}"));
        let folder = repository(&[("flux.yaml", &flux), ("deploy/a.yaml", map)]);
        hostnet(folder.path(), &["charts", "flux.yaml"], b"").stderr
    };
    for kind in ["OCIRepository", "ExternalArtifact"] {
        let line = format!(
            "info: Kustomization flux-system/web: its path ./deploy of {kind} shop is assumed to be that folder of this repository"
        );
        assert!(reported("./deploy", kind).contains(&line));
        let line = format!(
            "not rendered: Kustomization flux-system/web: its path ./prod of {kind} shop is not a folder of the input"
        );
        assert!(reported("./prod", kind).contains(&line));
    }
    assert!(!reported("./deploy", "GitRepository").contains("is taken for"));
}

/// `hostnet charts` does not read renders of its own script, so no message suggests to run it on them.
#[test]
fn an_object_in_a_render_gets_no_second_script() {
    let set = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: NAME}\nspec: {}\n";
    let two = format!("{}---\n{}", set.replace("NAME", "one"), set.replace("NAME", "two"));
    let reported = |head: &str| {
        let folder = repository(&[("rendered/kustomization_a_b.yaml", &format!("{head}{two}"))]);
        hostnet(folder.path(), &["ports", "rendered"], b"").stderr
    };
    assert!(reported("").contains("`hostnet charts rendered | sh` renders all 2"));
    let stderr = reported("# hostnet charts: a.yaml#0\n");
    assert!(
        stderr.contains("ResourceSet one: its rendered manifest is not part of the input: `hostnet charts --to rendered-again rendered/kustomization_a_b.yaml | sh`")
            && !stderr.contains("renders all"),
        "{stderr}"
    );
}

/// The script that a render needs again writes into another folder.
#[test]
fn a_kustomization_in_a_render_is_rendered_elsewhere() {
    let apps = "# hostnet charts: flux.yaml#0\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec: {path: ./apps, targetNamespace: shop, sourceRef: {kind: GitRepository, name: flux-system}}\n";
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let folder = repository(&[("rendered/kustomization_flux-system_all.yaml", apps), ("apps/a.yaml", config_map)]);
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    let stderr = hostnet(folder.path(), &["ports", "rendered"], b"").stderr;
    let command = "hostnet charts --to rendered-again rendered/kustomization_flux-system_all.yaml";
    assert!(stderr.contains(&format!("`{command} | sh`")), "{stderr}");
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let script = hostnet(folder.path(), &arguments, b"");
    assert!(script.stderr.contains("1 kustomization"), "{}", script.stderr);
}

/// Two clusters in one repository have releases of one name.
#[test]
fn releases_of_two_clusters_are_named() {
    let release = |chart: &str| RELEASE.replace("chart: web", &format!("chart: {chart}"));
    let charts = |other: &str, text: &str| {
        let folder = repository(&[("clusters/main/web.yaml", RELEASE), (other, text)]);
        hostnet(folder.path(), &["charts", "."], b"").stderr
    };
    let stderr = charts("clusters/staging/web.yaml", &release("other"));
    insta::assert_snapshot!(stderr.lines().find(|line| line.contains("two clusters")).unwrap_or_default(), @"info: HelmRelease shop/web is in clusters/main and in clusters/staging: if these are two clusters, render one at a time, `hostnet charts clusters/main`");
    // A patch of the release, another release, and a release in another file of the folder.
    let patch = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {values: {a: b}}\n";
    let other = release("web").replace("name: web,", "name: other,");
    for (file, text) in [
        ("clusters/staging/web.yaml", patch),
        ("clusters/staging/web.yaml", &other),
        ("clusters/main/b.yaml", &release("b")),
    ] {
        let stderr = charts(file, text);
        assert!(!stderr.contains("two clusters"), "{stderr}");
    }
}

/// Renders of two clusters hold objects of one name.
#[test]
fn renders_of_two_clusters_are_named() {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1', args: [--port=9443]}]}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 443, targetPort: 9443}]}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: web}\nwebhooks: [{name: web.example.com, clientConfig: {service: {name: web, namespace: shop}}, sideEffects: None, admissionReviewVersions: [v1]}]\n";
    let init = |one: &str, other: &str| {
        let head = |source: &str| format!("# hostnet charts: {source}#0\n{web}");
        let folder = repository(&[("rendered/a.yaml", &head(one)), ("rendered/a_2.yaml", &head(other))]);
        let run = hostnet(folder.path(), &["init", "rendered"], b"");
        assert_eq!(run.code, Some(1));
        run.stderr.lines().find(|line| line.contains("Deployment")).unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(init("./kubernetes/main/apps/web.yaml", "./kubernetes/staging/apps/web.yaml"), @"error: rendered/a.yaml:2:1: Deployment shop/web is in the input more than once, in renders of kubernetes/main and kubernetes/staging. If these are two clusters, render one at a time into an empty folder: `hostnet charts kubernetes/main | sh`. Else remove one [duplicate-object]");
    assert!(!init("./apps/a.yaml", "./apps/b.yaml").contains("two clusters"));
}

/// Only helmfile renders a Helmfile.
#[test]
fn a_helmfile_is_named_with_its_command() {
    let helmfile = "repositories: [{name: jetstack, url: 'https://charts.jetstack.io'}]\nreleases:\n- {name: cert-manager, namespace: cert-manager, chart: jetstack/cert-manager, version: v1.15.0}\n";
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let folder = repository(&[
        ("a/apps.yaml", helmfile),
        ("a/values.yaml", "crds: {enabled: true}\n"),
        ("a/cm.yaml", config_map),
    ]);
    let run = |arguments: &[&str]| hostnet(folder.path(), arguments, b"");
    let charts = run(&["charts", "a"]).stderr;
    assert!(
        charts.contains(
            "not rendered: Helmfile a/apps.yaml: `helmfile --file a/apps.yaml template` renders its releases"
        ),
        "{charts}"
    );
    let check = run(&["check", "a"]);
    let log = format!("{}{}", check.stderr, check.text());
    assert!(log.contains("Helmfile a/apps.yaml: the manifest of its releases is not part of the input: `helmfile --file a/apps.yaml template`"), "{log}");
    assert!(log.contains("1 file without an object (a/values.yaml)"), "{log}");
    // Without an object, and with values that look similar.
    fs::remove_file(folder.path().join("a/cm.yaml")).unwrap();
    let alone = run(&["ports", "a"]).stderr;
    assert!(alone.contains("a/apps.yaml: this is a Helmfile and not a manifest"), "{alone}");
    fs::write(folder.path().join("a/apps.yaml"), "releases: [{name: a}]\nchart: b\n").unwrap();
    assert!(!run(&["ports", "a"]).stderr.contains("Helmfile"));
}

/// In Flux, a later value overrides a single value (`targetPath`): the single value is written as a values file if the
/// result is the same.
#[test]
fn a_single_value_keeps_its_precedence() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {a: VALUE, values.yaml: 'first: file'}\n";
    let script = |value: &str, path: &str, rest: &str| {
        let release = oci(
            "web",
            &format!(", valuesFrom: [{{kind: ConfigMap, name: own, valuesKey: a, targetPath: {path}}}{rest}]"),
        );
        let folder = repository(&[("a.yaml", &release), ("map.yaml", &map.replace("VALUE", value))]);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        (run.text(), run.stderr)
    };
    let file = ", {kind: ConfigMap, name: own}";
    for (value, path, written) in [
        ("'8080'", "a.b-c", "a:\n  b-c: 8080\n"),
        ("'\"8080\"'", "a", "a: \"8080\"\n"),
        ("'true'", "a", "a: true\n"),
        ("'007'", "a", "a: \"007\"\n"),
        ("some text", "a", "a: some text\n"),
    ] {
        let (text, stderr) = script(value, path, file);
        assert!(text.contains(&format!("\n{written}END_OF_VALUES")) && !text.contains("--set"), "{value}: {text}");
        assert!(!stderr.contains("targetPath"), "{stderr}");
    }
    for (value, path) in [("'a,b'", "a"), ("'{a,b}'", "a"), ("x", "'a[0]'"), ("x", r"'a\.b'")] {
        let (text, stderr) = script(value, path, file);
        assert!(
            text.contains("--set") && stderr.contains("single values (targetPath) override all others here"),
            "{stderr}"
        );
    }
    // The last value stays a flag of Helm.
    assert!(script("'8080'", "a", "").0.contains("--set a=8080\n"));
}

/// Generators with unknown elements are reported, and templates with unsupported placeholders.
#[test]
fn generators_with_elements_in_the_repository_are_read() {
    let set = |generators: &str, more: &str, name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n  generators: {generators}\n{more}  template:\n    metadata: \
             {{name: '{name}'}}\n    spec: {{source: {{repoURL: a.example, chart: web, targetRevision: 1.0.0}}}}\n"
        )
    };
    let script = |generators: &str, more: &str, name: &str| {
        let set = set(generators, more, name);
        let json = |name: &str| format!("{{\"name\": \"{name}\"}}");
        let folder =
            repository(&[("argo/set.yaml", &set), ("envs/one/c.json", &json("a")), ("envs/two/c.json", &json("b"))]);
        hostnet(folder.path(), &["charts", "argo"], b"").text()
    };
    let (list, files) = (
        "[{list: {elements: [{name: a}, {name: b}]}}]",
        "[{git: {repoURL: 'https://github.com/acme/fleet', files: [{path: 'envs/*/c.json'}]}}]",
    );
    let go = "  goTemplate: true\n";
    for (generators, more, name) in [
        (list, "", "{{name}}"),
        (list, go, "{{ .name }}"),
        // Files outside PATH are used too.
        (files, "", "{{name}}"),
        (files, go, "{{.name}}"),
    ] {
        let text = script(generators, more, name);
        assert!(
            text.contains("set -- a oci://a.example/web") && text.contains("set -- b oci://"),
            "{generators}{more}{name}: {text}"
        );
    }
    assert!(script(files, "", "{{path.basename}}").contains("set -- one oci://"));
    // A generator's own template wins, and leaves the rest to the template of the set.
    let own = "[{list: {elements: [{name: a}], template: {metadata: {}, spec: {source: {targetRevision: 2.0.0, chart: ''}}}}}, {list: {elements: [{name: b}]}}]";
    let text = script(own, "", "{{name}}");
    for line in ["set -- a oci://a.example/web --version 2.0.0", "set -- b oci://a.example/web --version 1.0.0"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(script(files, go, "{{.path.basename}}").contains("set -- two oci://"));
    for (generators, more, name) in [
        ("[{list: {elementsYaml: '[]', elements: [{name: a}]}}]", "", "{{name}}"),
        (
            "[{matrix: {generators: [{list: {elements: [{name: a}], template: {spec: {}}}}, {list: {elements: [{b: c}]}}]}}]",
            "",
            "{{name}}",
        ),
        (
            "[{git: {repoURL: 'https://github.com/acme/fleet', files: [{path: 'envs/*/c.json'}], pathParamPrefix: p}}]",
            "",
            "{{name}}",
        ),
        ("[{git: {repoURL: 'https://github.com/acme/fleet', files: [{path: 'envs/*.json'}]}}]", "", "{{name}}"),
        ("[{clusters: {}}]", "", "{{name}}"),
        (list, "", "{{.name}}"),
        (list, go, "{{name}}"),
        (list, go, "{{ .name | upper }}"),
        (list, "  templatePatch: 'a: b'\n", "{{name}}"),
    ] {
        let text = script(generators, more, name);
        assert!(
            text.contains("argocd appset generate -o yaml \"$work/object.yaml\"\n"),
            "{generators}{more}{name}: {text}"
        );
    }
}

/// Folders of this repository by Go's `path.Match`, and combinations of two generators.
#[test]
fn folders_and_combinations_are_read() {
    let set = |generators: &str, more: &str, name: &str, path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n  generators: {generators}\n{more}  template:\n    metadata: \
             {{name: '{name}'}}\n    spec: {{source: {{repoURL: 'https://github.com/acme/fleet', path: '{path}'}}}}\n"
        )
    };
    let script = |generators: &str, more: &str, name: &str, path: &str| {
        let set = set(generators, more, name, path);
        let own = "resources: []\n";
        let folder = repository(&[
            ("argo/set.yaml", set.as_str()),
            ("k8s/infra/a/kustomization.yaml", own),
            ("k8s/infra/B_c/kustomization.yaml", own),
            ("k8s/infra/a/deep/kustomization.yaml", own),
            ("k8s/infra/.hidden/kustomization.yaml", own),
            ("k8s/infra/file.yaml", own),
        ]);
        fs::create_dir(folder.path().join("k8s/infra/empty")).unwrap();
        let run = hostnet(folder.path(), &["charts", "argo"], b"");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.text()
    };
    let built = |text: &str| {
        let lines = text.lines().filter(|line| line.starts_with("keep "));
        let lines = lines.filter_map(|line| line.split_once(" kustomize build $KUSTOMIZE_FLAGS "));
        lines.map(|(file, folder)| format!("{} {folder}", file.split(' ').nth(1).unwrap())).collect::<Vec<_>>()
    };
    let git = |rest: &str| format!("{{git: {{repoURL: 'https://github.com/acme/fleet', directories: [{rest}]}}}}");
    let (all, go) = (git("{path: 'k8s/infra/*'}"), "  goTemplate: true\n");
    let both = ["application__B_c.yaml k8s/infra/B_c", "application__a.yaml k8s/infra/a"];
    assert_eq!(built(&script(&format!("[{all}]"), "", "{{ path.basename }}", "{{path}}")), both);
    assert_eq!(built(&script(&format!("[{all}]"), go, "{{.path.basename}}", "{{.path.path}}")), both);
    let segments = script(&format!("[{all}]"), go, "{{index .path.segments 2}}", "{{.path.path}}");
    assert_eq!(built(&segments), both);
    let normal = script(&format!("[{all}]"), "", "{{path[1]}}-{{path.basenameNormalized}}", "{{path}}");
    assert_eq!(built(&normal), ["application__infra-b-c.yaml k8s/infra/B_c", "application__infra-a.yaml k8s/infra/a"]);
    let some = git(
        "{path: 'k8s/**'}, {path: 'k8s/infra/*'}, {path: k8s/infra/a, exclude: true}, {path: k8s/infra, exclude: true}",
    );
    assert_eq!(built(&script(&format!("[{some}]"), "", "{{path.basename}}", "{{path}}")), both[..1]);
    let clusters = "{list: {elements: [{cluster: x}, {cluster: y}]}}";
    let matrix = format!("[{{matrix: {{generators: [{all}, {clusters}]}}}}]");
    let text = script(&matrix, "", "{{cluster}}-{{path.basename}}", "{{path}}");
    assert_eq!(built(&text).len(), 4);
    assert!(built(&text).contains(&"application__y-a.yaml k8s/infra/a".to_owned()), "{text}");
    for generators in [
        format!("[{}]", git("{path: 'k8s/[a-z]*/*'}")),
        format!("[{}]", all.replace("acme", "other")),
        format!("[{{matrix: {{generators: [{clusters}]}}}}]"),
        format!("[{{matrix: {{generators: [{clusters}, {{clusters: {{}}}}]}}}}]"),
        format!("[{{matrix: {{generators: [{all}, {{list: {{elements: [{{cluster: '{{{{path}}}}'}}]}}}}]}}}}]"),
        format!("[{{matrix: {{generators: [{clusters}, {{list: {{elements: [{{cluster: z}}]}}}}]}}}}]"),
    ] {
        let text = script(&generators, "", "{{path.basename}}{{cluster}}", "{{path}}");
        assert!(text.contains("argocd appset generate -o yaml"), "{generators}: {text}");
    }
}

/// Messages about releases have the same namespace as `hostnet charts`, from any folder of the repository.
#[test]
fn lines_have_the_namespace_of_the_build() {
    let (release, lists) = (oci("web", ""), "namespace: listed\nresources: [release.yaml]\n");
    let target = build("web", "./apps/web", ", targetNamespace: target");
    let (file, own) = ("apps/web/release.yaml", "apps/web/kustomization.yaml");
    for (files, below, path, namespace) in [
        (vec![(file, release.as_str()), (own, lists)], "", ".", " -n listed`"),
        (vec![(file, release.as_str()), (own, lists)], "apps/web", "release.yaml", " -n listed`"),
        (vec![(file, &release), (own, lists), ("flux.yaml", &target)], "", ".", " -n target`"),
        (vec![(file, &release), (own, "namespace: listed\nresources: [other.yaml]\n")], "", file, "--version 1.0.0`"),
    ] {
        let folder = repository(&files);
        let here = folder.path().join(below);
        let stderr = hostnet(&here, &["ports", path], b"").stderr;
        assert!(
            stderr.contains(&format!(
                "helm template web oci://a.example/chart --version 1.0.0{}",
                namespace.trim_start_matches("--version 1.0.0")
            )),
            "{files:?}: {stderr}"
        );
        let script = hostnet(&here, &["charts", path], b"").text();
        let flag = namespace.trim_start_matches(" -n ").trim_end_matches('`');
        assert_eq!(script.contains(&format!("--namespace {flag} ")), namespace.starts_with(" -n"), "{script}");
    }
}

/// A chart has the name at the end of the URL of its `OCIRepository`, whose own name may differ.
#[test]
fn a_chart_of_a_url_has_the_name_of_the_url() {
    let release = oci("sonarr", "").replace("oci://a.example/chart", "oci://a.example/charts/app-template/");
    let stderr = hostnet(Path::new("."), &["ports", "-"], release.as_bytes()).stderr;
    assert!(stderr.contains("HelmRelease sonarr: the chart app-template 1.0.0 is not part of the input"), "{stderr}");
}

/// Chart folders that no object renders: all commands report them, and the script renders them after building their
/// dependencies.
#[test]
fn a_chart_without_a_renderer_is_reported() {
    let umbrella = "apiVersion: v2\nname: cert-manager\nversion: 1.0.0\ndependencies: [{name: cert-manager, repository: 'https://a.example', version: 1.x}]\n";
    let chart = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    let (web, own, library) = (chart("web"), chart("own"), chart("lib") + "type: library\n");
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: 'https://github.com/acme/fleet', path: system/web}}\n";
    let folder = repository(&[
        ("system/cert-manager/Chart.yaml", umbrella),
        ("system/cert-manager/charts/other/Chart.yaml", &own),
        ("system/web/Chart.yaml", &web),
        ("system/lib/Chart.yaml", &library),
        ("system/app.yaml", application),
        ("only/own/Chart.yaml", &own),
    ]);
    let command = "`helm dependency build system/cert-manager && helm template cert-manager system/cert-manager`";
    for arguments in [&["ports", "system"][..], &["check", "system"]] {
        let run = hostnet(folder.path(), arguments, b"");
        let stderr = format!("{}{}", run.stderr, run.text());
        assert!(
            stderr.contains(&format!(
                "not read: Chart system/cert-manager: the chart cert-manager is not part of the input: {command}"
            )),
            "{stderr}"
        );
        assert_eq!(
            (run.code, stderr.matches("system/web").count(), stderr.contains("system/lib")),
            (Some(0), 1, false),
            "{stderr}"
        );
    }
    let script = hostnet(folder.path(), &["charts", "system"], b"");
    let text = script.text();
    assert!(
        text.contains("helm dependency build ./system/cert-manager >&2 || :\nset -- cert-manager ./system/cert-manager --include-crds\nkeep chart__system-cert-manager.yaml '' helm template"),
        "{text}"
    );
    assert_eq!((text.matches("\nset -- ").count(), text.matches("dependency build").count()), (2, 1), "{text}");
    // An existing dependency needs no command.
    fs::write(folder.path().join("system/cert-manager/charts/cert-manager-1.2.3.tgz"), "").unwrap();
    assert!(!hostnet(folder.path(), &["charts", "system"], b"").text().contains("dependency build"));
    // A folder that contains only charts.
    let check = hostnet(folder.path(), &["check", "only"], b"");
    assert!(check.stderr.contains("helm template NAME only/own | hostnet check -\n"), "{}", check.stderr);
    let alone = hostnet(folder.path(), &["ports", "only"], b"");
    assert_eq!(alone.code, Some(1));
    assert!(
        alone.stderr.contains("only/own is a Helm chart: helm template NAME only/own | hostnet ports\n")
            && alone.stderr.contains("hostnet ports --build only/own")
            && !alone.stderr.contains("--sources"),
        "{}",
        alone.stderr
    );
}

/// Paths of values files of a chart in Git are relative to the repository, also in a HelmChart. In Argo CD such paths
/// begin with a slash, and `$name` refers to another source.
#[test]
fn values_files_belong_to_the_source() {
    let git = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: own, namespace: a}\nspec: {url: 'https://github.com/acme/fleet'}\n";
    let reference =
        "chart: ./charts/web, sourceRef: {kind: GitRepository, name: own}, valuesFiles: [./charts/web/prod.yaml]";
    let release = |spec: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web, namespace: a}}\nspec: {{{spec}}}\n---\n{git}"
        )
    };
    let chart = format!(
        "{}---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmChart\nmetadata: {{name: web, namespace: a}}\nspec: {{{reference}}}\n",
        release("chartRef: {kind: HelmChart, name: web}")
    );
    let application = |repository: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\nspec:\n  sources:\n  - {{repoURL: 'https://github.com/acme/fleet', path: \
             charts/web, helm: {{valueFiles: [prod.yaml, /envs/all.yaml, $values/envs/own.yaml]}}}}\n  - {{repoURL: 'https://github.com/{repository}', ref: values}}\n"
        )
    };
    for (object, files) in [
        (release(&format!("chart: {{spec: {{{reference}}}}}")), &["charts/web/prod.yaml"][..]),
        (release(&format!("chart: {{spec: {{{}}}}}", reference.replace("./charts/web/prod", "prod"))), &[]),
        (chart, &["charts/web/prod.yaml"]),
        (application("acme/fleet"), &["charts/web/prod.yaml", "envs/all.yaml", "envs/own.yaml"]),
        (application("other/values"), &["charts/web/prod.yaml", "envs/all.yaml"]),
    ] {
        let folder = repository(&[
            ("in.yaml", &object),
            ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
            ("charts/web/prod.yaml", "a: b\n"),
            ("envs/all.yaml", "a: b\n"),
            ("envs/own.yaml", "a: b\n"),
        ]);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        let text = run.text();
        let given: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("set -- \"$@\" --values ")).collect();
        assert_eq!(given, files, "{object}: {}{text}", run.stderr);
        assert_eq!(run.stderr.contains("missing from its values"), files.is_empty(), "{}", run.stderr);
        assert_eq!(text.contains("if given"), object.contains("other/values"), "{text}");
    }
}

/// The local files belong to a branch; a source at a tag or a commit may have other files.
#[test]
fn a_source_at_a_tag_is_reported() {
    let flux = |reference: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: own, namespace: flux-system}}\nspec: {{url: \
             'https://github.com/acme/fleet', ref: {{{reference}}}}}\n---\n{}",
            build("web", "./deploy", ", sourceRef: {kind: GitRepository, name: own}")
        )
    };
    let argo = |revision: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\nspec: {{source: {{repoURL: 'https://github.com/acme/fleet', path: \
             deploy, targetRevision: {revision}}}}}\n"
        )
    };
    for (object, is_other) in [
        (flux("tag: v0.9.0"), true),
        (flux("semver: 1.x"), true),
        (flux("branch: main"), false),
        (flux("name: refs/heads/main"), false),
        (argo("v0.9.0"), true),
        (argo("0123456789012345678901234567890123456789"), true),
        (argo("release-1.2"), false),
        (argo("main"), false),
        (argo("HEAD"), false),
    ] {
        let folder = repository(&[("in.yaml", &object), ("deploy/kustomization.yaml", "resources: []\n")]);
        let stderr = hostnet(folder.path(), &["charts", "."], b"").stderr;
        assert!(stderr.contains("1 kustomization,"), "{object}: {stderr}");
        assert_eq!(stderr.contains("the local files are rendered, which may differ"), is_other, "{object}: {stderr}");
    }
}

/// Argo CD uses the fields of the source first, and the files of the folder only without such a field.
#[test]
fn fields_of_the_source_override_its_files() {
    for (field, command) in [
        ("kustomize: {namePrefix: a-}", "gather application__web.yaml"),
        ("helm: {releaseName: own}", " helm template \"$@\""),
        ("plugin: {name: own}", " argocd app manifests web\n"),
        ("directory: {recurse: true}", "# not rendered: deploy is a directory: its files are read as they are\n"),
        (
            "directory: {exclude: 'skip.yaml'}",
            "# not rendered: deploy is a directory: its files are read as they are, whatever its `exclude` is\n",
        ),
        ("directory: null", " kustomize build $KUSTOMIZE_FLAGS deploy\n"),
    ] {
        let object = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\nspec: {{source: {{repoURL: 'https://github.com/acme/fleet', path: \
             deploy, {field}}}}}\n"
        );
        let folder = repository(&[
            ("in.yaml", &object),
            ("deploy/kustomization.yaml", "resources: []\n"),
            ("deploy/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ]);
        let text = hostnet(folder.path(), &["charts", "in.yaml"], b"").text();
        assert!(text.contains(command), "{field}: {text}");
    }
}

/// A chart of a base is rendered with its overlay, and not a second time without it.
#[test]
fn charts_of_a_base_are_part_of_the_overlay() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: 'https://github.com/acme/fleet', path: prod}}\n";
    let folder = repository(&[
        ("in.yaml", application),
        ("prod/kustomization.yaml", "resources: [../base]\n"),
        ("base/kustomization.yaml", "helmCharts: [{name: web}]\n"),
    ]);
    let text = hostnet(folder.path(), &["charts", "."], b"").text();
    assert!(
        text.contains("keep application__web.yaml './in.yaml#0' kustomize build --enable-helm $KUSTOMIZE_FLAGS prod\n"),
        "{text}"
    );
    assert_eq!(text.matches("\nkeep ").count(), 1, "{text}");
}

/// A script that lacks a file is no output of a strict run.
#[test]
fn a_strict_run_with_a_warning_prints_no_script() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("release.yaml"), RELEASE).unwrap();
    fs::write(folder.path().join("page.yaml"), "<!DOCTYPE html>\n<html></html>\n").unwrap();
    let run = |arguments: &[&str]| hostnet(folder.path(), &[&["charts"], arguments, &["."]].concat(), b"");
    let (plain, strict) = (run(&[]), run(&["--strict"]));
    assert_eq!((plain.code, plain.text().contains("helm template")), (Some(0), true), "{}", plain.stderr);
    assert_eq!((strict.code, strict.text().as_str()), (Some(1), ""), "{}", strict.stderr);
}
