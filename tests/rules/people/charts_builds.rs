//! `hostnet charts`: releases whose components, generated values, variables and outer builds are in the repository.

use std::fs;

use super::{config, deployment};
use crate::support::run::hostnet;

/// A repository with these files and a remote.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "[remote \"origin\"]\n\turl = git@github.com:acme/fleet.git\n";
    for (name, content) in files.iter().chain(&[(".git/config", config), ("sources/web.yaml", SOURCE)]) {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

const SOURCE: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: own, namespace: flux-system}\nspec: {url: 'https://a.example'}\n";

/// A release in `base/release.yaml`, with a version of its chart and other fields of its spec.
fn release(version: &str, more: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web, namespace: shop}}\nspec:\n  chart: {{spec: {{chart: web, version: \
         '{version}', sourceRef: {{kind: HelmRepository, name: own, namespace: flux-system}}}}}}\n{more}"
    )
}

/// A Kustomization of Flux, with other fields of its spec.
fn flux(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: \
         {path}\n{more}"
    )
}

/// Script and messages for these files.
fn charts(files: &[(&str, &str)]) -> (String, String) {
    let run = hostnet(repository(files).path(), &["charts", "."], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (run.text(), run.stderr)
}

const PATCH: &str =
    "patches:\n- target: {kind: HelmRelease}\n  patch: '[{op: add, path: /spec/values, value: {a: 1}}]'\n";

/// Components change the objects that precede them, also objects of other components, and no objects that follow.
#[test]
fn components_change_objects_of_earlier_components() {
    let component = "kind: Component\n";
    let (own, patching) =
        (format!("{component}resources: [release.yaml]\n"), format!("{component}namespace: eu\n{PATCH}"));
    let nested = format!("{component}components: [../patch]\n");
    let release = release("1.0.0", "");
    let [first, last] = ["[../own, ../patch]", "[../patch, ../own]"];
    for (kustomization, spec, is_patched) in [
        (format!("components: {first}\n"), String::new(), true),
        (format!("components: {last}\n"), String::new(), false),
        ("components: [../own, ../nested]\n".to_owned(), String::new(), true),
        ("resources: []\n".to_owned(), format!("  components: {first}\n"), true),
        ("resources: []\n".to_owned(), format!("  components: {last}\n"), false),
        ("components: [../own]\n".to_owned(), "  components: [../patch]\n".to_owned(), true),
        ("components: [../patch]\n".to_owned(), "  components: [../own]\n".to_owned(), false),
    ] {
        let flux = flux("web", "./app", &spec);
        let (text, stderr) = charts(&[
            ("flux.yaml", &flux),
            ("app/kustomization.yaml", &kustomization),
            ("own/kustomization.yaml", &own),
            ("own/release.yaml", &release),
            ("nested/kustomization.yaml", &nested),
            ("patch/kustomization.yaml", &patching),
        ]);
        let namespace = if is_patched { "eu" } else { "shop" };
        assert!(text.contains(&format!("--namespace {namespace} ")), "{kustomization}{spec}: {text}");
        let line = "a patch in patch/kustomization.yaml changes what it renders";
        assert_eq!(stderr.contains(line), is_patched, "{kustomization}{spec}: {stderr}");
    }
    // The component of another Kustomization of the same folder.
    let (one, two) =
        (flux("one", "./app", "  components: [../own]\n"), flux("two", "./app", "  targetNamespace: two\n"));
    let (text, _) = charts(&[
        ("one.yaml", &one),
        ("two.yaml", &two),
        ("app/kustomization.yaml", "resources: []\n"),
        ("own/kustomization.yaml", &own),
        ("own/release.yaml", &release),
    ]);
    assert!(text.contains("--namespace shop "), "{text}");
}

/// Patches of the kustomization of a folder follow the components of its Kustomization, so that they find their objects.
#[test]
fn patches_of_a_folder_follow_components() {
    let spec = "  components: [../own]\n  namePrefix: new-\n  patches: [{patch: '[]', target: {kind: A}}]\n";
    let flux = flux("web", "./app", spec);
    let kustomization = "resources: [a.yaml, ../base]\ncomponents: [../first]\nnamePrefix: old-\npatches:\n- {path: patch.yaml, target: {kind: HelmRelease}}\n";
    let (text, stderr) = charts(&[
        ("flux.yaml", &flux),
        ("app/kustomization.yaml", kustomization),
        ("app/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ("app/patch.yaml", "- {op: add, path: /spec/values, value: {a: 1}}\n"),
        ("base/kustomization.yaml", "resources: []\n"),
        ("first/kustomization.yaml", "kind: Component\n"),
        ("own/kustomization.yaml", "kind: Component\nresources: [release.yaml]\n"),
        ("own/release.yaml", &release("1.0.0", "")),
    ]);
    let want = "gather kustomization_flux-system_web.yaml './flux.yaml#0' \\\n  app/a.yaml \\\n  app/../base \\\n  --components \\\n  app/../first \\\n  own \\\n  '--field=namePrefix: new-' \\\n  '--field=patches: [{patch: \"- {op: add, path: /spec/values, value: {a: 1}}\\n\", target: {kind: HelmRelease}}, {patch: \"[]\", target: {kind: A}}]'\n";
    assert!(text.contains(want), "{text}");
    assert!(!stderr.contains("but Flux applies them before"), "{stderr}");
}

/// Generators and replacements get the contents of the folder's files, so that they may follow the components.
#[test]
fn files_of_generators_and_replacements_follow_components() {
    let flux = flux("web", "./app", "  components: [../own]\n");
    let content = "{source: {kind: ConfigMap}, targets: [{select: {kind: A}, fieldPaths: [spec.a]}]}";
    let big = "a".repeat(70_000);
    for (generator, want) in [
        ("files: [a.yaml]", Some("literals: [\"a.yaml=a: 1\\n\"]")),
        ("literals: [b=c], files: [k=a.yaml]", Some("literals: [b=c, \"k=a: 1\\n\"]")),
        ("literals: [b=c]", Some("literals: [b=c]")),
        ("files: [quoted.txt]", None),
        ("files: [big.txt]", None),
        ("files: [missing.txt]", None),
        ("envs: [a.env]", None),
        ("literals: [b=c]}]\nsecretGenerator: [{name: s, files: [a.yaml]", None),
    ] {
        let kustomization = format!(
            "resources: [release.yaml]\nconfigMapGenerator: [{{name: m, {generator}}}]\nreplacements: [{{path: r.yaml}}, {content}]\n"
        );
        let (text, stderr) = charts(&[
            ("flux.yaml", &flux),
            ("app/kustomization.yaml", &kustomization),
            ("app/release.yaml", &release("1.0.0", "")),
            ("app/a.yaml", "a: 1\n"),
            ("app/a.env", "a=1\n"),
            ("app/quoted.txt", "'a'"),
            ("app/big.txt", &big),
            ("app/r.yaml", &format!("- {content}\n")),
            ("own/kustomization.yaml", "kind: Component\n"),
        ]);
        let generator_field = want.map(|want| format!("'--field=configMapGenerator: [{{name: m, {want}}}]'"));
        assert!(generator_field.is_none_or(|field| text.contains(&field)), "{generator}: {text}");
        let replacements = format!("'--field=replacements: [{content}, {content}]'");
        assert_eq!(text.contains(&replacements), want.is_some(), "{generator}: {text}");
        assert_eq!(stderr.contains("but Flux applies them before"), want.is_none(), "{generator}: {stderr}");
    }
}

/// The recommended command applies the changes that outer builds make to the Kustomization, and keeps the sources of the
/// repository.
#[test]
fn the_command_of_a_build_starts_at_the_outermost_change() {
    let outer = |field: &str| {
        let patch = format!(
            "    patch: '[{{op: add, path: /spec/{field}, value: [{{target: {{kind: HelmRelease}}, patch: \"[{{op: add, path: /spec/values, value: {{a: 1}}}}]\"}}]}}]'\n"
        );
        flux("outer", "./clusters", &format!("  patches:\n  - target: {{kind: Kustomization}}\n{patch}"))
    };
    let release = release("1.0.0", "");
    let files = |outer: &str, inner: &str| {
        charts(&[
            ("outer.yaml", outer),
            ("clusters/kustomization.yaml", "resources: [web]\n"),
            ("clusters/web/kustomization.yaml", "resources: [web.yaml]\n"),
            ("clusters/web/web.yaml", inner),
            ("base/kustomization.yaml", "resources: [release.yaml]\n"),
            ("base/release.yaml", &release),
        ])
        .1
    };
    let stderr = files(&outer("patches"), &flux("web", "./base", ""));
    let commands = "by `hostnet charts --to built --with . ./outer.yaml | sh; hostnet charts --to built-2 --with . built/*.yaml | sh; hostnet charts --with . built-2/*.yaml | sh`";
    assert!(stderr.contains(commands), "{stderr}");
    // An outer build that changes nothing of the build.
    let own = flux("web", "./base", &PATCH.replace('\n', "\n  ").replacen("patches", "  patches", 1));
    let stderr = files(&outer("dependsOn"), own.trim_end_matches(' '));
    let commands = "by `hostnet charts --to built --with . ./clusters/web/web.yaml | sh; hostnet charts --with . built/*.yaml | sh`";
    assert!(stderr.contains(commands), "{stderr}");
}

/// Objects of `--with` are sources and values, and are not rendered.
#[test]
fn sources_in_other_files_are_read() {
    let (own, other) = (release("1.0.0", ""), release("1.0.0", "").replace("name: web", "name: other"));
    let folder = repository(&[("base/release.yaml", &own), ("base/other.yaml", &other)]);
    let run = |args: &[&str]| hostnet(folder.path(), &[&["charts"], args].concat(), b"");
    let without = run(&["base/release.yaml"]);
    assert!(without.stderr.contains("the source of the chart web 1.0.0 is not in the input"), "{}", without.stderr);
    let with = run(&["--with", ".", "base/release.yaml"]);
    assert!(with.text().contains("set -- web web --repo https://a.example --version 1.0.0"), "{}", with.text());
    assert!(with.stderr.starts_with("1 release, 0 kustomizations"), "{}", with.stderr);
}

/// A chart whose place holds a variable is not rendered, unless the build has its value.
#[test]
fn variables_in_the_place_of_a_chart_are_filled_in_or_reported() {
    let run = |version: &str, spec: &str| {
        let (release, flux) = (release(version, "  values: {url: 'https://${HOST}'}\n"), flux("web", "./base", spec));
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: all, namespace: flux-system}\ndata: {V: '2.0.0', HOST: a}\n";
        charts(&[
            ("flux.yaml", &flux),
            ("map.yaml", map),
            ("base/kustomization.yaml", "resources: [release.yaml]\n"),
            ("base/release.yaml", &release),
        ])
    };
    for (version, spec, filled) in [
        ("${V}", "  postBuild: {substitute: {V: '1.0.0'}}\n", Some("1.0.0")),
        ("${V}", "  postBuild: {substituteFrom: [{kind: ConfigMap, name: all}]}\n", Some("2.0.0")),
        (
            "${V}",
            "  postBuild: {substituteFrom: [{kind: ConfigMap, name: all}], substitute: {V: '1.0.0'}}\n",
            Some("1.0.0"),
        ),
        ("${W:=3.0.0}", "  postBuild: {substitute: {V: '1.0.0'}}\n", Some("3.0.0")),
        ("${V}", "  postBuild: {substituteFrom: [{kind: Secret, name: all}]}\n", None),
        ("${V}", "", None),
        ("{{ .Values.version }}", "  postBuild: {substitute: {V: '1.0.0'}}\n", None),
        ("$VERSION", "", None),
        (">=1.0.0 <2.0.0", "", Some("'>=1.0.0 <2.0.0'")),
    ] {
        let (text, stderr) = run(version, spec);
        let line = format!("not rendered: HelmRelease shop/web: the version of its chart holds a variable: {version}");
        assert_eq!(stderr.contains(&line), filled.is_none(), "{version}{spec}: {stderr}");
        let call = filled.map(|filled| format!("--version {filled} "));
        assert!(call.is_none_or(|call| text.contains(&call)), "{version}{spec}: {text}");
    }
    let (text, _) = run("1.0.0", "  postBuild: {substituteFrom: [{kind: ConfigMap, name: all}]}\n");
    assert!(text.contains("url: https://a\n"), "{text}");
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: 'https://a.example', chart: web, \
                       targetRevision: '{{version}}'}}\n";
    let folder = repository(&[("a.yaml", application)]);
    let run = hostnet(folder.path(), &["charts", "a.yaml"], b"");
    assert!(run.stderr.contains("not rendered: Application web: the version of its chart holds"), "{}", run.stderr);
    let run = hostnet(folder.path(), &["check", "a.yaml"], b"");
    assert!(run.text().contains("is not part of the input: `argocd app manifests web`"), "{}", run.text());
}

/// Values of generated ConfigMaps are those of the build, with the changes of outer generators.
#[test]
fn values_of_generated_config_maps_are_those_of_the_build() {
    let release = release("1.0.0", "  valuesFrom: [{kind: ConfigMap, name: web}]\n");
    let generator = |more: &str| format!("configMapGenerator: [{{name: web, {more}}}]\n");
    let file = generator("files: [values.yaml=own.yaml]");
    let merging = format!("resources: [../base]\n{}", generator("behavior: merge, files: [values.yaml=own.yaml]"));
    for (base, outer, value) in [
        (file.as_str(), "resources: [../base]\n".to_owned(), Some("own: base")),
        (&file, merging.clone(), Some("own: outer")),
        (&file, merging.replace("values.yaml=own.yaml", "other=own.yaml"), Some("own: base")),
        (&file, merging.replace("behavior: merge", "behavior: replace").replace("values.yaml=", "other="), None),
        ("", format!("resources: [../base]\n{file}"), Some("own: outer")),
        ("", "resources: [../base, ../values]\n".to_owned(), Some("own: values")),
        ("", "resources: [../base]\n".to_owned(), None),
        (&generator("literals: ['values.yaml=own: text']"), "resources: [../base]\n".to_owned(), Some("own: text")),
        (
            &generator("files: [values.yaml=../values/own.yaml]"),
            "resources: [../base]\n".to_owned(),
            Some("own: values"),
        ),
        (&generator("files: [values.yaml=../../own.yaml]"), "resources: [../base]\n".to_owned(), None),
    ] {
        let base = format!("resources: [release.yaml]\n{base}");
        let flux = flux("web", "./outer", "");
        let (text, _) = charts(&[
            ("flux.yaml", &flux),
            ("base/kustomization.yaml", &base),
            ("base/release.yaml", &release),
            ("base/own.yaml", "own: base\n"),
            ("outer/kustomization.yaml", &outer),
            ("outer/own.yaml", "own: outer\n"),
            ("values/kustomization.yaml", &file),
            ("values/own.yaml", "own: values\n"),
        ]);
        let is_missing = text.contains("if given configmap_shop_web_values.yaml");
        assert_eq!(is_missing, value.is_none(), "{base}{outer}: {text}");
        assert!(value.is_none_or(|value| text.contains(&format!("\n{value}\n"))), "{base}{outer}: {text}");
    }
}

/// A component that several namespaces use creates its objects in each of them.
#[test]
fn objects_of_a_component_are_in_each_namespace_that_uses_it() {
    let source = SOURCE.replace("HelmRepository", "OCIRepository").replace(", namespace: flux-system", "");
    let source = source.replace("'https://a.example'", "'oci://a.example/own', ref: {tag: 5.0.1}");
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec:\n  chartRef: {kind: OCIRepository, name: own}\n  valuesFrom: [{kind: ConfigMap, name: web}]\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {values.yaml: 'shared: true'}\n";
    let mut files = vec![
        ("flux.yaml".to_owned(), flux("apps", "./apps", "")),
        ("apps/kustomization.yaml".to_owned(), "resources: [a, b, c]\n".to_owned()),
        ("common/kustomization.yaml".to_owned(), "kind: Component\nresources: [source.yaml, map.yaml]\n".to_owned()),
        ("common/source.yaml".to_owned(), source),
        ("common/map.yaml".to_owned(), map.to_owned()),
    ];
    for (name, component) in [("a", "components: [../../common]\n"), ("b", "components: [../../common]\n"), ("c", "")] {
        let kustomization = format!("namespace: {name}\n{component}resources: [release.yaml]\n");
        files.push((format!("apps/{name}/kustomization.yaml"), kustomization));
        files.push((format!("apps/{name}/release.yaml"), release.to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (text, stderr) = charts(&files);
    for (namespace, count) in [("a", 1), ("b", 1), ("c", 0)] {
        let call = format!("set -- web oci://a.example/own --version 5.0.1 --namespace {namespace} ");
        assert_eq!(text.matches(&call).count(), count, "{namespace}: {text}");
        let line =
            format!("not rendered: HelmRelease {namespace}/web: the source of the chart own is not in the input");
        assert_eq!(stderr.contains(&line), count == 0, "{stderr}");
    }
    assert_eq!(text.matches("\nshared: true\n").count(), 2, "{text}");
    let check = hostnet(repository(&files).path(), &["check", "."], b"").text();
    assert!(check.contains("helm template web oci://a.example/own --version 5.0.1 -n b"), "{check}");
}

/// Kustomizations of Flux get their namespace from other objects of the folder that lists them.
#[test]
fn namespaces_that_replacements_and_patches_set_are_read() {
    let target = |select: &str, more: &str| {
        format!(
            "targets: [{{select: {{kind: {select}}}, {more}fieldPaths: [spec.targetNamespace], options: {{create: true}}}}]"
        )
    };
    let copies = |source: &str, select: &str, more: &str| format!("source: {source}, {}", target(select, more));
    let of_namespace = copies("{kind: Namespace}", "Kustomization", "");
    let own = |one: &str| format!("namespace: ai\nreplacements: [{{{one}}}]\n");
    let list = format!("- {{{of_namespace}}}\n");
    let mapping = format!("{{{of_namespace}}}\n");
    let component = format!("kind: Component\nreplacements: [{{{of_namespace}}}]\n");
    let generated = "configMapGenerator: [{name: all, literals: [NS=made]}]\n";
    let patch =
        "patches: [{target: {kind: Kustomization}, patch: '[{op: add, path: /spec/targetNamespace, value: TEXT}]'}]\n";
    let unread = "a patch in apps/ai/kustomization.yaml (replacements) changes what it renders";
    for (kustomization, namespace, line) in [
        (own(&of_namespace), Some("ai"), ""),
        (own("path: ../../common/list.yaml"), Some("ai"), ""),
        (own("path: ../../common/mapping.yaml"), Some("ai"), ""),
        ("namespace: ai\ncomponents: [../../part]\n".to_owned(), Some("not-used"), ""),
        (own(&copies("{kind: Namespace, name: not-used, fieldPath: metadata.name}", "Kust.*", "")), Some("ai"), ""),
        (own(&copies("{kind: Namespace}", "Kustomization", "reject: [{name: other}], ")), Some("ai"), ""),
        (own(&copies("{kind: Namespace}", "Kustomization", "reject: [{name: web}], ")), None, ""),
        (own(&copies("{kind: Namespace}", "ConfigMap", "")), None, ""),
        (own(&copies("{kind: Namespace, name: other}", "Kustomization", "")), None, unread),
        (own(&copies("{kind: Secret, fieldPath: data.a}", "Kustomization", "")), None, unread),
        (
            own(&copies("{kind: Namespace}", "Kustomization", "").replace("create: true", "delimiter: '-'")),
            None,
            unread,
        ),
        (own(&format!("sourceValue: lit, {}", target("Kustomization", ""))), Some("lit"), ""),
        (
            format!("{}{generated}", own(&copies("{kind: ConfigMap, fieldPath: data.NS}", "Kustomization", ""))),
            Some("made"),
            "",
        ),
        (
            own(&copies(
                "{kind: Namespace, fieldPath: 'metadata.labels.[a/b.c]', options: {delimiter: '-', index: 1}}",
                "Kustomization",
                "",
            )),
            Some("two"),
            "",
        ),
        (patch.replace("TEXT", "eu"), Some("eu"), ""),
        (patch.replace("TEXT", "\"${NS}\""), None, "a patch in apps/ai/kustomization.yaml changes what it renders"),
    ] {
        let kustomization = format!("resources: [namespace.yaml, web.yaml]\n{kustomization}");
        let (apps, web) = (flux("apps", "./apps", ""), flux("web", "./base", ""));
        let release = release("1.0.0", "").replace(", namespace: shop", "");
        let folder = repository(&[
            ("flux.yaml", &apps),
            ("host.yaml", &config("  targets: [{select: {kind: Deployment}, ports: auto}]\n")),
            ("apps/ai/kustomization.yaml", &kustomization),
            (
                "apps/ai/namespace.yaml",
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: not-used, labels: {a/b.c: one-two}}\n",
            ),
            ("apps/ai/web.yaml", &web),
            ("common/list.yaml", &list),
            ("common/mapping.yaml", &mapping),
            ("part/kustomization.yaml", &component),
            ("base/kustomization.yaml", "resources: [release.yaml]\n"),
            ("base/release.yaml", &release),
        ]);
        let run = hostnet(folder.path(), &["charts", "."], b"");
        let (text, stderr) = (run.text(), run.stderr);
        let call = namespace.map(|namespace| format!("--version 1.0.0 --namespace {namespace} "));
        assert!(call.is_none_or(|call| text.contains(&call)), "{kustomization}: {text}");
        let is_unknown = stderr.contains("info: HelmRelease web: its namespace is not in the input");
        assert_eq!(is_unknown, namespace.is_none(), "{kustomization}: {stderr}");
        let field = namespace.map(|namespace| format!("'--field=namespace: {namespace}'"));
        assert!(field.is_none_or(|field| text.contains(&field)), "{kustomization}: {text}");
        assert_eq!(stderr.contains("changes what it renders"), !line.is_empty(), "{kustomization}: {stderr}");
        for object in ["HelmRelease web", "Kustomization ai/web", "Kustomization flux-system/web"] {
            let has_line = stderr.contains(&format!("info: {object}: {line}"));
            assert!(line.is_empty() || has_line || object.starts_with('K'), "{kustomization}: {stderr}");
        }
        let Some(namespace) = namespace else { continue };
        let labels = "labels: {app.kubernetes.io/instance: web, helm.sh/chart: web-1.0.0}";
        let render = deployment("web").replace("namespace: shop", &format!("namespace: {namespace}, {labels}"));
        fs::write(folder.path().join("r.yaml"), format!("# hostnet charts: base/release.yaml#0\n{render}")).unwrap();
        let run = hostnet(folder.path(), &["patch", "-c", "host.yaml", "--into", ".", "r.yaml"], b"");
        assert_eq!(run.code, Some(0), "{kustomization}: {}", run.stderr);
    }
}

/// Texts with a variable of Flux are in no command.
#[test]
fn variables_of_paths_and_names_are_named() {
    let web = flux("web", "./apps/${CLUSTER}", "");
    let release = release("1.0.0", "").replace("name: web, namespace: shop", "name: 'run-${CLUSTER}', namespace: ci");
    let files = [("flux.yaml", web.as_str()), ("release.yaml", &release)];
    let (_, stderr) = charts(&files);
    let line = "not rendered: Kustomization flux-system/web: its path holds a variable that Flux fills in: ./apps/${CLUSTER}\n";
    assert!(stderr.contains(line), "{stderr}");
    let check = hostnet(repository(&files).path(), &["check", "."], b"").text();
    let labels = "-l kustomize.toolkit.fluxcd.io/name=web,kustomize.toolkit.fluxcd.io/namespace=flux-system -o yaml`";
    assert!(check.contains(labels), "{check}");
    assert!(check.contains("`helm get manifest NAME -n ci`"), "{check}");
}

const CHART_WITHOUT_NAMESPACE: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: cilium}\nspec: {url: \
     'oci://a.example/cilium', ref: {tag: 1.20.1}}\n---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: \
     cilium}\nspec: {chartRef: {kind: OCIRepository, name: cilium}}\n";

/// Two overlays that patch a release differently agree on its namespace, in which its source is found. Overlays that
/// delete it are named; one that deletes it in one of two builds only is not.
#[test]
fn sources_are_found_for_releases_that_builds_patch_differently_or_delete() {
    let overlay = |patch: &str| format!("namespace: kube-system\nresources: [../base]\npatches:\n- {patch}\n");
    let values = |number: u8| {
        overlay(&format!(
            "{{target: {{kind: HelmRelease}}, patch: '[{{op: add, path: /spec/values, value: {{a: {number}}}}}]'}}"
        ))
    };
    let deletes = overlay("path: delete.yaml");
    let delete = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\n$patch: delete\n";
    let call = "set -- cilium oci://a.example/cilium --version 1.20.1 --namespace kube-system";
    for (dev, prod, is_rendered) in
        [(values(1), values(2), true), (deletes.clone(), values(2), true), (deletes.clone(), deletes, false)]
    {
        let (text, stderr) = charts(&[
            ("base/kustomization.yaml", "resources: [helm.yaml]\n"),
            ("base/helm.yaml", CHART_WITHOUT_NAMESPACE),
            ("dev/kustomization.yaml", &dev),
            ("dev/delete.yaml", delete),
            ("prod/kustomization.yaml", &prod),
            ("prod/delete.yaml", delete),
        ]);
        assert_eq!(text.contains(call), is_rendered, "{text}");
        assert!(!stderr.contains("is not in the input"), "{stderr}");
        let line = "not rendered: HelmRelease cilium: each build of it deletes it, such as by a patch in dev/kustomization.yaml\n";
        assert_eq!(stderr.contains(line), !is_rendered, "{stderr}");
    }
}

/// Files that kustomizations list under `patches` have no objects of their own, unless one lists them as resources too.
#[test]
fn patch_files_are_no_objects() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: web}\n";
    let patch = format!("{set}spec: {{generators: [{{clusters: {{}}}}]}}\n");
    let whole = format!("{set}spec: {{generators: [{{git: {{}}}}], template: {{}}}}\n");
    for (more, count) in [("", 1), ("resources: [../base, set.yaml]\n", 2)] {
        let overlay =
            format!("{}patches: [{{path: set.yaml}}]\n", if more.is_empty() { "resources: [../base]\n" } else { more });
        let (text, stderr) = charts(&[
            ("base/kustomization.yaml", "resources: [set.yaml]\n"),
            ("base/set.yaml", &whole),
            ("dev/kustomization.yaml", &overlay),
            ("dev/set.yaml", &patch),
        ]);
        assert_eq!(text.matches("argocd appset generate").count(), count, "{text}");
        assert_eq!(stderr.contains("if these are two clusters"), count == 2, "{stderr}");
    }
}
