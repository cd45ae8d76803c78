//! Folders with several kustomizations, of which some cannot be read or differ from their files.

use std::fs;

use super::{config, deployment};
use crate::support::run::{Run, hostnet};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn run(folder: &tempfile::TempDir, arguments: &str) -> Run {
    hostnet(folder.path(), &arguments.split(' ').collect::<Vec<_>>(), b"")
}

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {SELECTORports: [{port: 80, targetPort: 8443}]}\n";

/// kustomize writes `commonLabels` also into a selector that is missing, so the pods of this Service are unknown.
#[test]
fn labels_of_a_kustomization_are_named_and_may_refuse_a_move() {
    let host = config("  targets: [{select: {name: web}, ports: auto}]\n");
    let (web, none) = (deployment("web"), SERVICE.replace("SELECTOR", ""));
    let (own, endpoint) =
        (SERVICE.replace("SELECTOR", "selector: {app: web}, "), SERVICE.replace("SELECTOR", "type: ExternalName, "));
    for (labels, service, code, named) in [
        ("commonLabels: {app: web}\n", &none, 1, true),
        ("labels: [{pairs: {app: web}, includeSelectors: true}]\n", &none, 1, true),
        ("labels: [{pairs: {team: a}}]\n", &none, 0, false),
        ("commonAnnotations: {a: b}\n", &none, 0, false),
        ("commonLabels: {team: a}\n", &own, 0, true),
        ("commonLabels: {team: a}\n", &endpoint, 0, true),
    ] {
        let kustomization = format!("resources: [web.yaml, service.yaml]\n{labels}");
        let files = [
            ("app/web.yaml", web.as_str()),
            ("app/service.yaml", service),
            ("app/kustomization.yaml", &kustomization),
            ("host.yaml", &host),
        ];
        let folder = folder(&files);
        let apply = run(&folder, "apply --sources -c host.yaml --diff app");
        assert_eq!(apply.code, Some(code), "{labels}: {}", apply.stderr);
        let refusal = "app/service.yaml: Service shop/web has no selector, and ";
        assert_eq!(apply.stderr.contains(refusal), code == 1, "{labels}: {}", apply.stderr);
        let check = run(&folder, "check app");
        let line = "app: the kustomization sets ";
        assert_eq!(format!("{}{}", check.text(), check.stderr).contains(line), named, "{labels}: {}", check.text());
    }
}

/// The kustomization that is named lists the Service, also through another one, or is a Component.
#[test]
fn the_kustomization_that_labels_a_service_is_named() {
    let host = config("  targets: [{select: {name: web}, ports: auto}]\n");
    let (web, service) = (deployment("web"), SERVICE.replace("SELECTOR", ""));
    for (default, part, build) in [
        (
            "commonLabels: {x: y}\nresources: [../app, ../crd]\n",
            "resources: [crd.yaml]\n",
            Some(["config/default", "config/default"]),
        ),
        ("resources: [../app, ../crd]\n", "resources: [crd.yaml]\n", None),
        (
            "namespace: x\nresources: [../app]\ncomponents: [../crd]\n",
            "kind: Component\nresources: [crd.yaml]\n",
            Some(["config/crd", "config/default"]),
        ),
    ] {
        let part = format!("commonLabels: {{a: b}}\n{part}");
        let files = [
            ("config/app/web.yaml", web.as_str()),
            ("config/app/service.yaml", &service),
            ("config/app/kustomization.yaml", "resources: [web.yaml, service.yaml]\n"),
            ("config/crd/crd.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("config/crd/kustomization.yaml", &part),
            ("config/default/kustomization.yaml", default),
            ("host.yaml", &host),
        ];
        let folder = folder(&files);
        let apply = run(&folder, "apply --sources -c host.yaml --diff config");
        assert_eq!(apply.code, Some(i32::from(build.is_some())), "{default}: {}", apply.stderr);
        let named = build.map(|[folder, build]| {
            format!(
                "of the kustomization in {folder} may add one: run hostnet on the build, `kustomize build {build} | hostnet apply -c host.yaml -`"
            )
        });
        assert!(named.is_none_or(|named| apply.stderr.contains(&named)), "{default}: {}", apply.stderr);
    }
}

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: r}}}}\n";

/// An encrypted file does not hide the other parts that are not read.
#[test]
fn all_unread_parts_are_named_next_to_an_encrypted_file() {
    let secret = "apiVersion: ENC[AES256_GCM,data:a,type:str]\nsops: {mac: 'ENC[AES256_GCM,data:a]'}\n";
    let web = deployment("web");
    let folder = folder(&[("a.yaml", &web), ("release.yaml", RELEASE), ("secret.yaml", secret)]);
    let check = run(&folder, "check .");
    let text = check.text();
    assert!(text.contains("not read: HelmRelease shop/web: the chart web "), "{text}");
    assert!(text.contains("./secret.yaml") && check.code == Some(1), "{text}");
}

/// Only the kustomization of the given folder ends the run.
#[test]
fn an_unreadable_kustomization_below_is_named() {
    let web = deployment("web");
    let files = [("a/web.yaml", web.as_str()), ("b/kustomization.yaml", "resources: [{{ .Values.a }}\n")];
    let folder = folder(&files);
    let check = run(&folder, "check .");
    assert_eq!(check.code, Some(0), "{}", check.text());
    assert!(check.text().contains("not read: ./b/kustomization.yaml: "), "{}", check.text());
    assert_eq!(run(&folder, "check --strict .").code, Some(1));
    assert_eq!(run(&folder, "check b").code, Some(1));
}

/// Objects without a namespace of two kustomizations are in different namespaces of the cluster.
#[test]
fn different_namespaces_of_files_are_a_change() {
    let web = deployment("web").replace(", namespace: shop", "");
    let of_namespace = |name: &str| format!("namespace: {name}\nresources: [web.yaml]\n");
    let (a, b) = (of_namespace("a"), of_namespace("b"));
    for (other, base, code) in [(&b, "web.yaml", 1), (&a, "web.yaml", 0), (&b, "../base", 0)] {
        let second = other.replace("web.yaml", base);
        let files = [
            ("a/web.yaml", web.as_str()),
            ("a/kustomization.yaml", &a),
            ("b/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"),
            ("b/kustomization.yaml", &second),
            ("base/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: base}\n"),
            ("base/kustomization.yaml", "resources: [map.yaml]\n"),
        ];
        let check = run(&folder(&files), "check --strict .");
        assert_eq!(check.code, Some(code), "{other} {base}: {}", check.text());
    }
}

/// Many skipped files do not hide the findings.
#[test]
fn a_few_skipped_files_are_named() {
    let web = deployment("web");
    let names: Vec<String> = (0..20).map(|at| format!("app/values-{at}.yaml")).collect();
    let list = names.iter().map(|name| name.trim_start_matches("app/")).collect::<Vec<_>>().join(", ");
    let kustomization = format!("resources: [web.yaml]\nconfigurations: [{list}]\n");
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "a: b\n")).collect();
    files.extend([("app/web.yaml", web.as_str()), ("app/kustomization.yaml", &kustomization)]);
    let folder = folder(&files);
    let lines =
        |arguments: &str| run(&folder, arguments).stderr.lines().filter(|line| line.contains("skipped")).count();
    assert_eq!((lines("check app"), lines("check -v app")), (4, 20));
    assert_eq!(lines("ports --sources app"), 4);
}

/// Flux builds files outside of the folder, and kustomize only with a flag.
#[test]
fn commands_for_files_outside_of_a_folder_have_the_flag_of_kustomize() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n";
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: shop}\nspec: {path: ./apps/web, targetNamespace: shop, sourceRef: {kind: GitRepository, name: r}}\n";
    let flag = "--load-restrictor LoadRestrictionsNone ";
    for (entry, is_outside) in [("../common.yaml", true), ("own.yaml", false), ("../base", false)] {
        let kustomization = format!("resources: [{entry}]\n");
        let files = [
            ("apps/common.yaml", map),
            ("apps/base/own.yaml", map),
            ("apps/base/kustomization.yaml", "resources: [own.yaml]\n"),
            ("apps/web/own.yaml", map),
            ("apps/web/kustomization.yaml", &kustomization),
            ("flux.yaml", flux),
        ];
        let folder = folder(&files);
        let charts = run(&folder, "charts .").text();
        let flags = format!("'--flags={}'", flag.trim());
        assert!(charts.contains("gather kustomization_shop_web.yaml"), "{charts}");
        assert_eq!(charts.contains(&flags), is_outside, "{entry}: {charts}");
        let build = run(&folder, "check --build apps/web");
        let refusal = format!("pipe `kustomize build {flag}apps/web | hostnet check -`");
        assert_eq!(build.stderr.contains(&refusal), is_outside, "{entry}: {}", build.stderr);
    }
}

/// Fields other than `resources` name files outside of the folder too, also in components.
#[test]
fn files_of_all_fields_outside_of_a_folder_have_the_flag_of_kustomize() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n";
    let flux = |more: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: web, namespace: shop}}\nspec: {{path: ./apps/web, {more}sourceRef: {{kind: GitRepository, name: r}}}}\n"
        )
    };
    let flag = "--load-restrictor LoadRestrictionsNone";
    for (field, more, is_outside) in [
        ("replacements: [{path: ../outer.yaml}]", "", true),
        ("patches: [{path: ../outer.yaml}]", "", true),
        ("patches: [{path: own.yaml}]", "", false),
        ("patches: [{path: ../missing.yaml}]", "", false),
        ("patchesStrategicMerge: [../outer.yaml]", "", true),
        ("patchesJson6902: [{path: ../outer.yaml, target: {kind: A}}]", "", true),
        ("configMapGenerator: [{name: a, files: [../outer.yaml]}]", "", true),
        ("configMapGenerator: [{name: a, files: [key=../outer.yaml]}]", "", true),
        ("configMapGenerator: [{name: a, files: [key=own.yaml]}]", "", false),
        ("configMapGenerator: [{name: a, literals: ['key=../outer.yaml', ../outer.yaml]}]", "", false),
        ("secretGenerator: [{name: a, envs: [../outer.yaml]}]", "", true),
        ("configurations: [../outer.yaml]", "", true),
        ("transformers: [../outer.yaml]", "", true),
        ("helmCharts: [{name: a, additionalValuesFiles: [../outer.yaml]}]", "", true),
        ("helmCharts: [{name: a, valuesInline: {a: ../outer.yaml}}]", "", false),
        ("components: [../part]", "", true),
        ("namespace: a", "components: [../part], ", true),
        ("namespace: a", "", false),
    ] {
        let kustomization = format!("resources: [own.yaml]\n{field}\n");
        let flux = flux(more);
        let files = [
            ("apps/outer.yaml", map),
            ("apps/part/kustomization.yaml", "kind: Component\nreplacements: [{path: ../outer.yaml}]\n"),
            ("apps/web/own.yaml", map),
            ("apps/web/kustomization.yaml", &kustomization),
            ("flux.yaml", &flux),
        ];
        let folder = folder(&files);
        let charts = run(&folder, "charts flux.yaml").text();
        assert!(charts.contains("kustomization_shop_web.yaml"), "{charts}");
        assert_eq!(charts.contains(flag), is_outside, "{field} {more}: {charts}");
        if more.is_empty() {
            let build = run(&folder, "check --build apps/web");
            let refusal = ", which is outside of the folder and which kustomize builds only with a flag: pipe ";
            assert_eq!(build.stderr.contains(refusal), is_outside, "{field}: {}", build.stderr);
        }
    }
}

/// New objects for a package get into the files of one cluster, so the packages of two clusters are not changed at once.
#[test]
fn packages_of_two_clusters_are_refused() {
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: helm}\nspec: {package: 'xpkg.crossplane.io/c/helm:v1.0.0'}\n";
    let mirror = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec: {rules: [{from: xpkg.crossplane.io, to: r.example/x}]}\n";
    let proxy = "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: p}\nspec: {httpsProxy: 'http://p.example:3128', cluster: {pods: [10.0.0.0/8], services: [172.20.0.0/16]}, targets: [{select: {kind: Provider, name: helm}}]}\n";
    let files = |second: &'static str| {
        [("eu/helm.yaml", provider), ("us/helm.yaml", second), ("mirror.yaml", mirror), ("proxy.yaml", proxy)]
    };
    for config in ["mirror.yaml", "proxy.yaml"] {
        let both = folder(&files(provider));
        let refused = run(&both, &format!("apply -c {config} --diff eu us"));
        let message = "Provider helm is in the input more than once";
        assert_eq!(
            (refused.code, refused.stderr.matches(message).count()),
            (Some(1), 2),
            "{config}: {}",
            refused.stderr
        );
        let one = folder(&files("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"));
        assert_eq!(run(&one, &format!("apply -c {config} --diff eu us")).code, Some(0), "{config}");
    }
}

/// A patch of kubebuilder's layout adds the port to which a Service leads; the check reads no patches.
#[test]
fn a_port_of_a_listed_patch_is_no_missing_target() {
    let service = SERVICE.replace("SELECTOR", "selector: {app: web}, ").replace("8443", "proxied");
    let port = "{name: proxied, containerPort: 8443}";
    let strategic = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec: {{template: {{spec: {{containers: [{{name: proxy, ports: [{port}]}}]}}}}}}\n"
    );
    let inline = format!(
        "patches:\n- target: {{kind: Deployment}}\n  patch: |\n    - op: add\n      path: /spec/template/spec/containers/0/ports/-\n      value: {port}\n"
    );
    let web = deployment("web");
    for (patches, is_reported) in [
        ("patches: [{path: patch.yaml}]\n", false),
        ("patchesStrategicMerge: [patch.yaml]\n", false),
        (inline.as_str(), false),
        ("commonAnnotations: {a: b}\n", true),
        (&inline.replace("proxied", "other"), true),
    ] {
        let kustomization = format!("resources: [web.yaml, service.yaml]\n{patches}");
        let files = [
            ("web.yaml", web.as_str()),
            ("service.yaml", &service),
            ("patch.yaml", &strategic),
            ("kustomization.yaml", &kustomization),
        ];
        let check = run(&folder(&files), "check .");
        assert_eq!(check.text().contains("[service-target]"), is_reported, "{patches}: {}", check.text());
    }
}
