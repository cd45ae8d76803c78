//! Rule `duplicate-object`: objects that occur twice in the input.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::packages::{self, S3_IMAGE, all, provider};
use super::{all_and, changes, deployment_named, results_of, stream};

#[test]
fn the_same_object_twice_is_an_error_naming_both_places() {
    assert_snapshot!(worded(changes(
        &all_and("unmatched: Warn"),
        &stream([deployment_named("web", 8000, true), deployment_named("web", 8000, true)])
    )), @"
    error: standard input:1:1: Deployment shop/web is in the input more than once; it is undefined which one the cluster stores. Remove one, or, if kustomizations rename them, give the build of each [duplicate-object]
    error: standard input:12:1: Deployment shop/web is in the input more than once; it is undefined which one the cluster stores. Remove one, or, if kustomizations rename them, give the build of each [duplicate-object]
    ");
}

#[test]
fn a_package_that_occurs_twice_is_one_whatever_its_namespace() {
    let elsewhere =
        provider("s3", S3_IMAGE, None).replace("  name: s3\n", "  name: s3\n  namespace: crossplane-system\n");
    let twice = |other: &str| {
        changes(&all("ports: auto"), &packages::stream(&[provider("s3", S3_IMAGE, None), other.to_owned()]))
    };
    let errors = |log: String| log.lines().filter(|line| line.starts_with("error")).collect::<Vec<_>>().join("\n");
    assert_snapshot!(worded(errors(twice(&elsewhere))), @"
    error: standard input:1:1: Provider s3 is in the input more than once (a Provider has no namespace, so two objects of one name are the same object); it is undefined which one the cluster stores. Remove one, or, if kustomizations rename them, give the build of each [duplicate-object]
    error: standard input:8:1: Provider crossplane-system/s3 is in the input more than once (a Provider has no namespace, so two objects of one name are the same object); it is undefined which one the cluster stores. Remove one, or, if kustomizations rename them, give the build of each [duplicate-object]
    ");
    assert!(!twice(&elsewhere).contains("of that name"));
    assert_snapshot!(brief(errors(twice(&provider("s3", S3_IMAGE, None)))), @"
    error: duplicate-object Provider s3 (1:1)
    error: duplicate-object Provider s3 (8:1)
    ");
}

/// Charts often omit the namespace; two releases in different namespaces then have equal objects.
#[test]
fn objects_without_a_namespace_may_be_two() {
    let web = deployment_named("web", 8000, true).replace(", namespace: shop", "").replace("  namespace: shop\n", "");
    assert!(!web.contains("namespace: shop"), "{web}");
    let log = changes(&all_and("unmatched: Warn"), &stream([web.clone(), web]));
    assert_eq!(log.matches("each with its own config and `portPool`").count(), 2, "{log}");
}

/// Objects with one name in two namespaces, or of two kinds, are different objects.
#[test]
fn objects_of_other_namespaces_and_kinds_are_different() {
    let web = deployment_named("web", 8000, true);
    for other in [web.replace("namespace: shop", "namespace: bar"), web.replace("kind: Deployment", "kind: DaemonSet")]
    {
        assert_eq!(results_of("duplicate-object", &all_and("unmatched: Warn"), &stream([web.clone(), other])), "");
    }
}

/// Templates of several folders may have one placeholder as a name, which gets a value for each.
#[test]
fn objects_whose_name_is_filled_in_later_are_no_duplicates() {
    let web =
        |name: &str| deployment_named("web", 8000, true).replace("name: web, namespace", &format!("{name}, namespace"));
    for name in ["name: '${NAME}'", "name: '{{ name }}-web'", "name: <NAME>"] {
        let twice = stream([web(name), web(name)]);
        assert_eq!(results_of("duplicate-object", &all_and("unmatched: Warn"), &twice), "", "{twice}");
    }
    let other = deployment_named("web", 8000, true).replace("namespace: shop", "namespace: '${NAMESPACE}'");
    let twice = stream([other.clone(), other]);
    assert_eq!(results_of("duplicate-object", &all_and("unmatched: Warn"), &twice), "");
    let twice = packages::stream(&[provider("${name}", S3_IMAGE, None), provider("${name}", S3_IMAGE, None)]);
    assert_eq!(results_of("duplicate-object", &all("ports: auto"), &twice), "");
    // Braces and signs of other texts are no placeholders.
    let odd = web("name: 'web__a'");
    assert_ne!(results_of("duplicate-object", &all_and("unmatched: Warn"), &stream([odd.clone(), odd])), "");
}

/// Hooks of different events are never applied together.
#[test]
fn hooks_of_different_events_both_move() {
    let hook = |event: &str| {
        deployment_named("web", 8000, true)
            .replace("namespace: shop}", &format!("namespace: shop, annotations: {{helm.sh/hook: {event}}}}}"))
    };
    let twice = |one: &str, other: &str| {
        changes("{targets: [{select: {name: web}, ports: auto}]}", &stream([hook(one), hook(other)]))
    };
    assert!(!twice("pre-install", "post-delete").contains("[duplicate-object]"));
    assert_eq!(twice("pre-install", "'pre-install,pre-upgrade'").matches("[duplicate-object]").count(), 2);
}
