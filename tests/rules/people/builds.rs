//! `hostnet charts` and `patch --into`: objects whose namespace, name, values or patches are changed by builds of the
//! repository.

use std::fs;
use std::path::Path;

use super::{config, deployment};
use crate::support::run::{Run, hostnet};

const FILE: &str = "base/release.yaml";

fn release(spec: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web}}\nspec:\n  chartRef: {{kind: OCIRepository, name: web, namespace: \
         flux-system}}\n{spec}"
    )
}

const SOURCE: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: web, namespace: flux-system}\nspec: {url: \
                      'oci://a.example/web', ref: {tag: 1.0.0}}\n";

/// A Kustomization of Flux, with other fields of its spec.
fn flux(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: \
         {path}\n{more}"
    )
}

fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let config = config("  targets: [{select: {kind: Deployment}, ports: auto}]\n");
    for (name, text) in files.iter().chain(&[("host.yaml", config.as_str()), ("base/source.yaml", SOURCE)]) {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

/// The release of `base`, with a kustomization that lists it, and these files.
fn based(files: &[(&str, &str)]) -> tempfile::TempDir {
    let release = release("");
    repository(
        &[&[(FILE, release.as_str()), ("base/kustomization.yaml", "resources: [release.yaml]\n")], files].concat(),
    )
}

/// Patches a folder with a render that the script of `hostnet charts` made in a namespace.
fn patch(folder: &Path, into: &str, (file, position): (&str, &str), namespace: &str) -> Run {
    let labels = "labels: {app.kubernetes.io/instance: web, helm.sh/chart: web-1.0.0}";
    let text = deployment("web").replace("namespace: shop", &format!("namespace: {namespace}, {labels}"));
    fs::write(folder.join("render.yaml"), format!("# hostnet charts: {file}#{position}\n{text}")).unwrap();
    hostnet(folder, &["patch", "-c", "host.yaml", "--into", into, "render.yaml"], b"")
}

#[test]
fn a_base_has_the_name_and_namespace_of_its_overlay() {
    let (outer, apps) = ("namespace: prod\nresources: [../base]\n", flux("apps", "./prod", ""));
    let whole = [("prod/kustomization.yaml", outer), ("flux.yaml", &apps)];
    let prefixed =
        [("prod/kustomization.yaml", "namePrefix: a-\nnameSuffix: -z\nnamespace: prod\nresources: [../base]\n")];
    let component = [
        ("prod/kustomization.yaml", "resources: [../base]\ncomponents: [../part]\n"),
        ("part/kustomization.yaml", "kind: Component\nnamespace: prod\n"),
    ];
    let same = [("prod/kustomization.yaml", outer), ("other/kustomization.yaml", outer)];
    for (files, name) in
        [(&whole[..], "web"), (&whole[..1], "web"), (&prefixed, "a-web-z"), (&component, "web"), (&same, "web")]
    {
        let folder = based(files);
        for path in [".", "base"] {
            let run = hostnet(folder.path(), &["charts", path], b"");
            let call = format!("set -- {name} oci://a.example/web --version 1.0.0 --namespace prod ");
            assert!(
                run.text().contains(&call) && !run.stderr.contains("info: "),
                "{files:?}: {}{}",
                run.stderr,
                run.text()
            );
        }
        let run = patch(folder.path(), ".", (FILE, "0"), "prod");
        assert_eq!(run.code, Some(0), "{files:?}: {}", run.stderr);
    }
}

/// Flux's own builds are used, and a kustomization that Flux does not apply is not.
#[test]
fn builds_of_flux_decide() {
    let apps = flux("apps", "./prod", "  targetNamespace: target\n  namePrefix: p-\n");
    let folder = based(&[
        ("prod/kustomization.yaml", "namePrefix: own-\nnamespace: own\nresources: [../base]\n"),
        ("trial/kustomization.yaml", "namespace: trial\nresources: [../base]\n"),
        ("flux.yaml", &apps),
    ]);
    let run = hostnet(folder.path(), &["charts", "."], b"");
    assert!(
        run.text().contains("set -- p-web oci://a.example/web --version 1.0.0 --namespace target "),
        "{}",
        run.text()
    );
}

#[test]
fn different_builds_get_no_common_patches() {
    let values = |number: u8| {
        format!(
            "resources: [../base]\npatches:\n- target: {{kind: HelmRelease}}\n  patch: |\n    - {{op: add, path: /spec/values, value: {{port: {number}}}}}\n"
        )
    };
    let (one, two) = (values(1), values(2));
    let (eu, us) = ("namespace: eu\nresources: [../base]\n", "namespace: us\nresources: [../base]\n");
    let (dev, prod) =
        (flux("dev", "./base", "  targetNamespace: dev\n"), flux("prod", "./base", "  targetNamespace: prod\n"));
    for (files, builds) in [
        (vec![("eu/kustomization.yaml", eu), ("us/kustomization.yaml", us)], "eu and us build the object differently"),
        (
            vec![("eu/kustomization.yaml", &one), ("us/kustomization.yaml", &two)],
            "eu and us build the object differently",
        ),
        (
            vec![("dev.yaml", &dev), ("prod.yaml", &prod)],
            "Kustomization flux-system/dev (./dev.yaml) and Kustomization flux-system/prod (./prod.yaml) build the object differently",
        ),
    ] {
        let folder = based(&files);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        assert!(
            run.stderr.contains(&format!("info: HelmRelease web: {builds}: rendered as it is in its file")),
            "{}",
            run.stderr
        );
        let before = fs::read_to_string(folder.path().join(FILE)).unwrap();
        for into in [".", FILE] {
            let run = patch(folder.path(), into, (FILE, "0"), "default");
            assert_eq!(run.code, Some(1), "{into}");
            assert!(
                run.stderr.contains(&format!("HelmRelease web: {builds}, so the same patches cannot fit both")),
                "{}",
                run.stderr
            );
        }
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), before);
    }
    // The remedy of the message: a patch for each build.
    let own =
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {postRenderers: []}\n";
    let folder = based(&[
        ("eu/kustomization.yaml", &format!("{eu}patches: [{{path: host-network.yaml}}]\n")),
        ("eu/host-network.yaml", own),
        ("us/kustomization.yaml", us),
    ]);
    let run = patch(folder.path(), "eu/host-network.yaml", ("", ""), "eu");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(fs::read_to_string(folder.path().join("eu/host-network.yaml")).unwrap().contains("namespace: eu"));
}

/// A patch of the only build requires rendering that build. A patch that does not affect the render, or patches another
/// object, is not reported.
#[test]
fn a_patch_of_the_build_changes_the_render() {
    let kustomization = "resources: [../base]\npatches:\n- {path: own.yaml, target: {kind: HelmRelease, name: we.}}\n";
    let own = |spec: &str| {
        format!("apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: any}}\nspec: {spec}\n")
    };
    for (spec, is_stale) in [
        ("{values: {port: 1}}", true),
        ("{chart: {spec: {version: 2.x}}}", true),
        ("{install: {crds: Skip}, interval: 1h}", false),
        ("{chart: {spec: {interval: 1h}}}", false),
    ] {
        let text = own(spec);
        let folder = based(&[("prod/kustomization.yaml", kustomization), ("prod/own.yaml", &text)]);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        let line = "a patch in prod/kustomization.yaml changes what it renders: render what prod builds, by `kustomize build prod | hostnet charts --with . - | sh`";
        assert_eq!(run.stderr.contains(line), is_stale, "{spec}: {}", run.stderr);
        fs::write(
            folder.path().join(FILE),
            release("").replace("name: web}\nspec:\n  chart", "name: web, namespace: shop}\nspec:\n  chart"),
        )
        .unwrap();
        let run = patch(folder.path(), ".", (FILE, "0"), "shop");
        assert_eq!((run.code == Some(1), run.stderr.contains(line)), (is_stale, is_stale), "{spec}: {}", run.stderr);
        if is_stale {
            // The render of the build has no line with the name of this file.
            let text = fs::read_to_string(folder.path().join("render.yaml")).unwrap();
            fs::write(folder.path().join("render.yaml"), text.split_once('\n').unwrap().1).unwrap();
            let run = hostnet(folder.path(), &["patch", "-c", "host.yaml", "--into", ".", "render.yaml"], b"");
            assert_eq!(run.code, Some(0), "{}", run.stderr);
        }
    }
    let other = "resources: [../base]\npatches:\n- target: {kind: HelmRelease, name: we}\n  patch: |\n    - {op: add, path: /spec/values, value: {}}\n";
    let folder = based(&[("prod/kustomization.yaml", other)]);
    assert!(!hostnet(folder.path(), &["charts", "."], b"").stderr.contains("changes what it renders"));
}

/// kustomize replaces lists of custom resources, so a patch of a parent overrides the list in the file.
#[test]
fn lists_that_a_parent_replaces_get_no_patches() {
    let parent = |target: &str, patch: &str| {
        let more =
            format!("  patches:\n  - target: {{{target}}}\n    patch: |\n      {}\n", patch.replace('\n', "\n      "));
        flux("cluster", "./apps", &more)
    };
    let child = flux("web", "./manifests", "");
    let render = deployment("web");
    let merged = "apiVersion: a/v1\nkind: Kustomization\nmetadata: {name: any}\nspec: {patches: [{patch: '[]', target: {kind: HelmRelease}}]}";
    for (target, patch_text, is_refused) in [
        ("kind: Kustomization", merged, true),
        ("kind: Kustomization, labelSelector: 'own notin (yes)'", merged, true),
        ("kind: Kustomization", "[{op: replace, path: /spec/patches, value: []}]", true),
        ("kind: Kustomization", "[{op: add, path: /spec/patches/-, value: {patch: '[]'}}]", false),
        ("kind: Kustomization, labelSelector: own=yes", merged, false),
        ("kind: Kustomization, name: other", merged, false),
        ("kind: HelmRelease", merged, false),
    ] {
        let cluster = parent(target, patch_text);
        let folder = repository(&[
            ("cluster.yaml", &cluster),
            ("apps/ks.yaml", &child),
            ("manifests/kustomization.yaml", "resources: [web.yaml]\n"),
            ("manifests/web.yaml", &render),
        ]);
        let run = patch(folder.path(), "apps", ("apps/ks.yaml", "0"), "shop");
        assert_eq!(run.code, Some(0), "the parent is not in the input: {}", run.stderr);
        hostnet(folder.path(), &["patch", "--remove", "--into", "apps"], b"");
        for into in [".", "apps/ks.yaml"] {
            let run = patch(folder.path(), into, ("apps/ks.yaml", "0"), "shop");
            let line = "Kustomization flux-system/web: a patch in Kustomization flux-system/cluster replaces its spec.patches, so";
            assert_eq!(
                (run.code == Some(1), run.stderr.contains(line)),
                (is_refused, is_refused),
                "{into} {target} {patch_text}: {}",
                run.stderr
            );
        }
    }
    // Patches that the parent adds to the child belong to the child.
    let renderers = "apiVersion: a/v1\nkind: Kustomization\nmetadata: {name: any}\nspec:\n  patches:\n  - target: {kind: HelmRelease}\n    patch: |\n      \
                     apiVersion: a/v2\n      kind: HelmRelease\n      metadata: {name: any}\n      spec: {postRenderers: []}";
    let cluster = parent("kind: Kustomization", renderers);
    let release = release("").replace("name: web}\nspec:\n  chart", "name: web, namespace: shop}\nspec:\n  chart");
    let folder = repository(&[("cluster.yaml", &cluster), ("apps/ks.yaml", &child), ("manifests/web.yaml", &release)]);
    let run = patch(folder.path(), ".", ("manifests/web.yaml", "0"), "shop");
    assert!(
        run.stderr.contains(
            "HelmRelease shop/web: a patch in Kustomization flux-system/cluster replaces its spec.postRenderers"
        ),
        "{}",
        run.stderr
    );
}

/// Steps of the kustomization after its patches: an error if they may change the patched fields.
#[test]
fn steps_after_the_patches_are_checked() {
    let replaced = |kind: &str, field: &str| {
        format!(
            "replacements:\n- source: {{kind: Service, name: web, fieldPath: metadata.name}}\n  targets:\n  - select: {{kind: {kind}}}\n    fieldPaths: \
             ['{field}']\n"
        )
    };
    let operations = |path: &str| {
        format!(
            "patchesJson6902:\n- target: {{kind: Deployment, name: web, version: v1}}\n  patch: '[{{op: replace, path: {path}, value: a}}]'\n"
        )
    };
    let transformer =
        |kind: &str| format!("transformers:\n- |\n  apiVersion: builtin\n  kind: {kind}\n  metadata: {{name: any}}\n");
    for (more, field) in [
        (replaced("Deployment", "spec.template.spec.containers.[name=web].args.0"), Some("replacements")),
        (replaced("Deployment", "spec.template.spec.containers.*.ports"), Some("replacements")),
        (replaced("Deployment|Service", "metadata.namespace"), Some("replacements")),
        (replaced("Deployment", "metadata.annotations.a"), None),
        (replaced("Secret", "spec.template"), None),
        (operations("/spec/template/spec/hostNetwork"), Some("patchesJson6902")),
        (operations("/spec/replicas"), None),
        (transformer("NamespaceTransformer"), Some("transformers")),
        (transformer("AnnotationsTransformer"), None),
        ("transformers: [own.yaml]\n".to_owned(), None),
        ("transformers: [own]\n".to_owned(), Some("transformers")),
    ] {
        let (kustomization, render) = (format!("resources: [web.yaml]\n{more}"), deployment("web"));
        let own = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: any}\ntarget: {kind: Service}\npatch: '[{op: replace, path: /spec, value: {}}]'\n";
        let folder = repository(&[
            ("ks.yaml", &flux("web", "./app", "")),
            ("app/kustomization.yaml", &kustomization),
            ("app/own.yaml", own),
            ("app/web.yaml", &render),
        ]);
        for into in [".", "ks.yaml", "app/kustomization.yaml"] {
            let run = patch(folder.path(), into, ("ks.yaml", "0"), "shop");
            assert_eq!(run.code, Some(i32::from(field.is_some())), "{into} {more}: {}", run.stderr);
            let line = |field: &str| {
                format!("{field} of the kustomization in app run after its patches and may change Deployment")
            };
            assert!(field.is_none_or(|field| run.stderr.contains(&line(field))), "{into} {more}: {}", run.stderr);
        }
        // The remedy: move the steps to a kustomization below.
        fs::create_dir(folder.path().join("app/below")).unwrap();
        for file in ["kustomization.yaml", "web.yaml", "own.yaml"] {
            fs::rename(folder.path().join("app").join(file), folder.path().join("app/below").join(file)).unwrap();
        }
        fs::write(folder.path().join("app/kustomization.yaml"), "resources: [below]\n").unwrap();
        assert_eq!(patch(folder.path(), ".", ("ks.yaml", "0"), "shop").code, Some(0));
    }
}

/// A release without a namespace is rendered into a namespace that Helm chooses.
#[test]
fn a_release_without_a_namespace_gets_no_patches_with_a_namespace() {
    let release = release("");
    for (namespace, code) in [("namespace: default", 1), ("", 0)] {
        let folder = repository(&[(FILE, release.as_str())]);
        let labels = "labels: {app.kubernetes.io/instance: web, helm.sh/chart: web-1.0.0}";
        let text = deployment("web").replace(
            "namespace: shop",
            &format!("{labels}{}{namespace}", if namespace.is_empty() { "" } else { ", " }),
        );
        fs::write(folder.path().join("render.yaml"), format!("# hostnet charts: {FILE}#0\n{text}")).unwrap();
        for into in [".", FILE] {
            let run = hostnet(folder.path(), &["patch", "-c", "host.yaml", "--into", into, "render.yaml"], b"");
            assert_eq!(
                (run.code, run.stderr.contains("its namespace is not in the input")),
                (Some(code), code == 1),
                "{into}: {}",
                run.stderr
            );
        }
    }
}

/// Flux replaces variables of a HelmRelease, but the target of a patch is a pattern in which the variable is escaped.
#[test]
fn a_namespace_variable_of_flux_gets_no_patches() {
    let release = release("").replace("name: web}\nspec", "name: web, namespace: '${NS}'}\nspec");
    for (namespace, code) in [("namespace: '${NS}'", 1), ("", 0)] {
        let folder = repository(&[(FILE, release.as_str())]);
        let labels = "labels: {app.kubernetes.io/instance: web, helm.sh/chart: web-1.0.0}";
        let more = if namespace.is_empty() { labels.to_owned() } else { format!("{labels}, {namespace}") };
        fs::write(folder.path().join("render.yaml"), deployment("web").replace("namespace: shop", &more)).unwrap();
        for into in [".", FILE] {
            let run = hostnet(folder.path(), &["patch", "-c", "host.yaml", "--into", into, "render.yaml"], b"");
            let line = "its namespace holds a variable that Flux fills in";
            assert_eq!((run.code, run.stderr.contains(line)), (Some(code), code == 1), "{into}: {}", run.stderr);
        }
    }
}

/// Applications and Kustomizations of a base: overlays that change the rendered source, and overlays that change other
/// fields.
#[test]
fn applications_and_kustomizations_of_a_base_are_checked() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: 'https://a.example/r', path: app}}\n";
    let flux = flux("web", "./app", "");
    for (object, kind, field, differs) in [
        (application, "Application", "spec: {source: {path: other}}", true),
        (application, "Application", "spec: {source: {targetRevision: production}}", false),
        (application, "Application", "spec: {syncPolicy: {}}", false),
        (&flux, "Kustomization", "spec: {path: ./other}", true),
        (&flux, "Kustomization", "spec: {interval: 1h}", false),
    ] {
        let patch_text = format!(
            "resources: [../base]\npatches:\n- target: {{kind: {kind}}}\n  patch: |\n    kind: {kind}\n    metadata: {{name: web}}\n    {field}\n"
        );
        let (render, line) = (deployment("web"), "changes what it renders: render what prod builds");
        let folder = repository(&[
            ("base/object.yaml", object),
            ("base/kustomization.yaml", "resources: [object.yaml]\n"),
            ("prod/kustomization.yaml", &patch_text),
            ("app/kustomization.yaml", "resources: [web.yaml]\n"),
            ("app/web.yaml", &render),
        ]);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        assert_eq!(run.stderr.contains(line), differs, "{kind} {field}: {}", run.stderr);
        let run = patch(folder.path(), ".", ("base/object.yaml", "0"), "shop");
        assert_eq!(
            (run.code, run.stderr.contains(line)),
            (Some(i32::from(differs)), differs),
            "{kind} {field}: {}",
            run.stderr
        );
    }
}

/// `--strict` refuses a script without a release whose chart has no source; objects of operators are never rendered.
#[test]
fn strict_refuses_a_release_without_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let code = |text: &str, arguments: &[&str]| {
        fs::write(folder.path().join("release.yaml"), text).unwrap();
        let run = hostnet(folder.path(), &[&["charts"], arguments, &["release.yaml"]].concat(), b"");
        (run.code, run.stderr.contains("makes warnings fail"))
    };
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec:\n  chart: {spec: {chart: web, \
                   version: 1.0.0, sourceRef: {kind: HelmRepository, name: web}}}\n";
    assert_eq!(code(release, &[]), (Some(0), false));
    assert_eq!(code(release, &["--strict"]), (Some(1), true));
    let source = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: web, namespace: shop}\nspec: {url: 'https://a.io'}\n";
    assert_eq!(code(&format!("{release}{source}"), &["--strict"]), (Some(0), false));
}

/// A Component has no build of its own, so no message recommends to build it.
#[test]
fn a_suggested_build_is_none_of_a_component() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    write("a/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n");
    let run = || hostnet(folder.path(), &["mirror", "list", "."], b"").stderr;
    assert!(run().contains("--build ./a"), "{}", run());
    write("b/kustomization.yaml", "components: [../a]\n");
    assert!(run().contains("--build ./b") && !run().contains("build ./a"), "{}", run());
}
