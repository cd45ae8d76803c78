//! Results that only differ in their object are printed as one line with a count.

use super::config;
use crate::support::run::hostnet;

/// A Deployment with `hostUsers: false`, which forbids the host network.
fn deployment(name: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  \
         template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec: {{hostUsers: false, containers: [{{name: web, image: example/web:v1}}]}}\n---\n"
    )
}

/// Standard error of a run on `count` Deployments.
fn reported(count: usize, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("host.yaml"), config("  targets: [{select: {kind: Deployment}}]\n")).unwrap();
    let input: String = (0..count).map(|index| deployment(&format!("web-{index}"))).collect();
    let command = [&["apply", "-c", "host.yaml"], options, &["-"]].concat();
    hostnet(folder.path(), &command, input.as_bytes()).stderr
}

#[test]
fn ten_equal_errors_are_one_line_with_a_count() {
    let log = reported(10, &[]);
    assert_eq!(log.matches("[pod-forbids]").count(), 1, "{log}");
    assert!(log.contains("the same of Deployment shop/web-1, ") && log.contains(" and 4 more\n"), "{log}");
}

#[test]
fn few_results_and_verbose_runs_have_one_line_each() {
    for (count, options) in [(3, &[][..]), (10, &["-v"][..])] {
        let log = reported(count, options);
        assert_eq!(log.matches("[pod-forbids]").count(), count, "{log}");
        assert!(!log.contains("the same of"), "{log}");
    }
}
