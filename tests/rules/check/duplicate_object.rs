//! Rule `duplicate-object`.

use super::{on_host, report_of, said};
use hostnet::kinds::check::Configs;
use insta::assert_snapshot;

#[test]
fn one_object_twice_with_different_content() {
    assert_snapshot!(said("duplicate-object", &[on_host("web", ""), on_host("web", "args: [x]")].concat()), @"error: a.yaml:9:1: Deployment shop/web is in the input more than once, with different content: which of them the cluster ends up with is undefined. Remove one");
}

#[test]
fn equal_content_and_other_names_are_not_said() {
    assert_eq!(said("duplicate-object", &[on_host("web", ""), on_host("web", "")].concat()), "");
    let seen = on_host("web", "").replace("---\n", "status: {replicas: 1}\n---\n");
    assert_eq!(said("duplicate-object", &[on_host("web", ""), seen].concat()), "");
    assert_eq!(said("duplicate-object", &[on_host("web", ""), on_host("api", "args: [x]")].concat()), "");
}

/// Which role or definition stays says nothing of host networking.
#[test]
fn kinds_that_no_rule_reads_are_not_said() {
    for (kind, spec, is_said) in [
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
        assert_eq!(!said("duplicate-object", &manifest).is_empty(), is_said, "{manifest}");
    }
}

/// A folder is not one apply: one information for the run, of what is on the host network.
#[test]
fn across_files_it_is_information() {
    let said = |files: &[(&str, &str)]| -> Vec<String> {
        let report = report_of(&Configs::default(), files);
        let found = report.entries.into_iter().filter(|entry| entry.rule.id == "duplicate-object");
        found.map(|entry| format!("{}: {}", entry.severity.as_str(), entry.message)).collect()
    };
    let both = |arguments: &str| ["a", "b", "c", "d"].map(|name| on_host(name, arguments)).concat();
    let files = [both(""), both("args: [x]"), both("args: [y]")];
    let found = said(&[("base.yaml", &files[0]), ("one.yaml", &files[1]), ("two.yaml", &files[2])]);
    assert_snapshot!(found.join("\n"), @"info: In several files with different content, as in a base and its patch or for two clusters: Deployment shop/a, Deployment shop/b, Deployment shop/c and 1 more. Such files were not judged against each other. To judge what one cluster gets, check what is rendered for it: `kustomize build DIR | hostnet check -`");
    // Of what is in the pod network it does not matter.
    let files = files.map(|file| file.replace("hostNetwork: true, ", ""));
    assert_eq!(said(&[("base.yaml", &files[0]), ("one.yaml", &files[1])]), [""; 0]);
}
