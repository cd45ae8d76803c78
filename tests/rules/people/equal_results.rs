//! Results that are equal but for the object: one line stands for all of them, with a count.

use super::config;
use crate::support::run::hostnet;

/// A Deployment with an annotation that names its port and that hostnet does not know.
fn deployment(name: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  \
         template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec: {{hostUsers: false, containers: [{{name: web, image: example/web:v1}}]}}\n---\n"
    )
}

/// The standard error of a run over so many Deployments, without the line of counts.
fn said(count: usize, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("host.yaml"), config("  targets: [{select: {kind: Deployment}}]\n")).unwrap();
    let input: String = (0..count).map(|index| deployment(&format!("web-{index}"))).collect();
    let command = [&["apply", "-c", "host.yaml"], options, &["-"]].concat();
    hostnet(folder.path(), &command, input.as_bytes()).stderr
}

#[test]
fn ten_equal_refusals_are_one_with_a_count() {
    let said = said(10, &[]);
    assert_eq!(said.matches("[pod-forbids]").count(), 1, "{said}");
    assert!(said.contains("the same of Deployment shop/web-1, ") && said.contains(" and 4 more\n"), "{said}");
}

#[test]
fn few_results_and_all_with_verbose_are_lines_of_their_own() {
    for (count, options) in [(3, &[][..]), (10, &["-v"][..])] {
        let said = said(count, options);
        assert_eq!(said.matches("[pod-forbids]").count(), count, "{said}");
        assert!(!said.contains("the same of"), "{said}");
    }
}
