//! Rule `duplicate-object`.

use super::{on_host, report_of, reported};
use crate::support::results::worded;
use hostnet::kinds::check::Configs;
use insta::assert_snapshot;

#[test]
fn one_object_twice_with_different_content() {
    assert_snapshot!(worded(reported("duplicate-object", &[on_host("web", ""), on_host("web", "args: [x]")].concat())), @"error: a.yaml:9:1: Deployment shop/web is in the input more than once, with different content: it is undefined which one the cluster stores. Remove one");
}

#[test]
fn equal_content_and_other_names_are_not_reported() {
    assert_eq!(reported("duplicate-object", &[on_host("web", ""), on_host("web", "")].concat()), "");
    let seen = on_host("web", "").replace("---\n", "status: {replicas: 1}\n---\n");
    assert_eq!(reported("duplicate-object", &[on_host("web", ""), seen].concat()), "");
    assert_eq!(reported("duplicate-object", &[on_host("web", ""), on_host("api", "args: [x]")].concat()), "");
    // A name that is filled in later may be two names.
    assert_eq!(reported("duplicate-object", &[on_host("'${APP}'", ""), on_host("'${APP}'", "args: [x]")].concat()), "");
}

/// Roles and CRDs have no effect on host networking.
#[test]
fn kinds_that_no_rule_reads_are_not_reported() {
    for (kind, spec, is_reported) in [
        ("apiVersion: v1\nkind: Namespace", "", true),
        ("apiVersion: v1\nkind: Service", "selector: {app: web}, ", true),
        (
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler",
            "scaleTargetRef: {kind: Deployment, name: web}, ",
            true,
        ),
        ("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy", "podSelector: {}, ", true),
        ("apiVersion: pkg.crossplane.io/v1\nkind: Provider", "package: 'example.com/a/b:v1', ", true),
        ("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole", "", false),
        ("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition", "", false),
        ("apiVersion: example.com/v1\nkind: Sample", "", false),
    ] {
        let one =
            |replicas: u8| format!("{kind}\nmetadata: {{name: web}}\nspec: {{{spec}maxReplicas: {replicas}}}\n---\n");
        let manifest = [one(1), one(2)].concat();
        assert_eq!(!reported("duplicate-object", &manifest).is_empty(), is_reported, "{manifest}");
    }
}

/// A folder need not be applied as a whole, so the run has a single information that names objects on the host network.
#[test]
fn across_files_it_is_information() {
    let reported = |files: &[(&str, &str)]| -> Vec<String> {
        let report = report_of(&Configs::default(), files);
        let found = report.entries.into_iter().filter(|entry| entry.rule.id == "duplicate-object");
        found.map(|entry| format!("{}: {}", entry.severity.as_str(), entry.message)).collect()
    };
    let both = |arguments: &str| ["a", "b", "c", "d"].map(|name| on_host(name, arguments)).concat();
    let files = [both(""), both("args: [x]"), both("args: [y]")];
    let found = reported(&[("base.yaml", &files[0]), ("one.yaml", &files[1]), ("two.yaml", &files[2])]);
    assert_snapshot!(found.join("\n"), @"info: In several files with different content, as in a base and its patch or for two clusters: Deployment shop/a, Deployment shop/b, Deployment shop/c and 1 more. Such files were not compared with each other. To check one cluster, check its rendered manifests: `kustomize build DIR | hostnet check -`");
    // Objects in the pod network are not named.
    let files = files.map(|file| file.replace("hostNetwork: true, ", ""));
    assert_eq!(reported(&[("base.yaml", &files[0]), ("one.yaml", &files[1])]), [""; 0]);
}

/// Local objects, objects without a name and configs of hostnet are not objects of the cluster; packages have no
/// namespace.
#[test]
fn local_and_nameless_objects_do_not_count() {
    let two = |one: &str| reported("duplicate-object", &[one, &one.replace("web:v1", "web:v2")].concat());
    let web = on_host("web", "");
    assert_ne!(two(&web), "");
    assert_eq!(two(&web.replace("name: web, namespace", "generateName: web, namespace")), "");
    let local = "annotations: {config.kubernetes.io/local-config: 'true'}, name: web, namespace";
    assert_eq!(two(&web.replace("name: web, namespace", local)), "");
    let own = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{image: 'example/web:v1'}]}}}\n---\n";
    assert_eq!(two(own), "");
    let package = |namespace: &str, version: u8| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: web{namespace}}}\nspec: {{package: 'example.org/web:v{version}'}}\n---\n"
        )
    };
    assert_ne!(reported("duplicate-object", &[package("", 1), package(", namespace: a", 2)].concat()), "");
    let other = web.replace("namespace: shop", "namespace: other").replace("web:v1", "web:v2");
    assert_eq!(reported("duplicate-object", &[web, other].concat()), "");
    let set = "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}, containers: [{name: a, image: 'example/web:v1', \
               ports: [{containerPort: 15000}]}]}\n---\n";
    assert_ne!(two(set), "");
}

/// Objects of several files are reported if one copy takes ports of its node and the object is selected.
#[test]
fn across_files_one_copy_with_node_ports_is_enough() {
    let count = |spec: &str, one: &str, two: &str| {
        let mut configs = Configs::default();
        configs
            .add(&format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {spec}}}"), "check.yaml")
            .unwrap();
        let report = report_of(&configs, &[("one.yaml", one), ("two.yaml", two)]);
        report.entries.iter().filter(|entry| entry.rule.id == "duplicate-object").count()
    };
    let on = on_host("web", "");
    let off = on.replace("hostNetwork: true", "hostNetwork: false");
    let mapped = off.replace("v1', ", "v1', ports: [{containerPort: 1, hostPort: 9}], ");
    for (one, two, found) in [(&on, &off, 1), (&off, &on, 1), (&mapped, &off, 1), (&off, &off.replace("v1", "v2"), 0)] {
        assert_eq!(count("{}", one, two), found, "{one}{two}");
    }
    assert_eq!(count("{select: [{namespace: other}]}", &on, &off), 0);
    assert_eq!(count("{select: [{name: web}]}", &on, &off), 1);
}

/// A tool runs hooks of other events at another time, so that it never applies both.
#[test]
fn hooks_of_different_events_are_no_duplicates() {
    let hook = |events: &str, container: &str| {
        let annotated = format!("namespace: shop, annotations: {{{events}}}}}");
        on_host("web", container).replacen("namespace: shop}", &annotated, 1)
    };
    let twice =
        |one: &str, other: &str| reported("duplicate-object", &[hook(one, ""), hook(other, "args: [x]")].concat());
    assert_eq!(twice("helm.sh/hook: post-delete", "helm.sh/hook: 'post-install, post-upgrade'"), "");
    assert_eq!(twice("argocd.argoproj.io/hook: PreSync", "argocd.argoproj.io/hook: PostSync"), "");
    for (one, other) in [
        ("helm.sh/hook: post-install", "helm.sh/hook: 'post-install,post-upgrade'"),
        ("helm.sh/hook: post-install", "argocd.argoproj.io/hook: PreSync"),
        ("helm.sh/hook: post-install", "helm.sh/hook-weight: '1'"),
    ] {
        assert!(twice(one, other).starts_with("error: "), "{one} {other}");
    }
    let three = ["post-delete", "post-install", "post-install"].map(|event| format!("helm.sh/hook: {event}"));
    let [one, two, three] = three;
    let all = [hook(&one, ""), hook(&two, "args: [x]"), hook(&three, "args: [y]")].concat();
    assert_eq!(reported("duplicate-object", &all).lines().count(), 1);
}
