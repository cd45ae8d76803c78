//! Manifests of other people's projects: nothing but variables is added, and a second run changes nothing.

use super::settled;
use crate::support::project;

const SPEC: &str = "httpsProxy: 'http://p:3128', cluster: {pods: [10.244.0.0/16]}, existing: Keep, unmatched: Ignore, targets: [{select: {kind: \
                    'Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod'}}, {select: {group: pkg.crossplane.io, kind: Provider|Function}}], crossplane: \
                    {namespace: crossplane-system, missingRuntimeConfig: CreateNew}";

/// Lines that are not in the text before, if that has lost none and has them in the same order.
fn added<'t>(before: &str, after: &'t str) -> Result<Vec<&'t str>, String> {
    let mut rest = before.lines().peekable();
    let added = after.lines().filter(|line| rest.next_if(|next| next == line).is_none()).collect();
    rest.next().map_or(Ok(added), |lost| Err(lost.to_owned()))
}

#[test]
fn of_every_project_of_the_catalogue_only_variables_change() {
    let mut files = 0;
    for entry in std::fs::read_dir(project().join("tests/corpus/catalog")).unwrap() {
        let path = entry.unwrap().path().join("input.yaml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let (output, said) = settled(SPEC, &text);
        assert!(!said.contains("error"), "{}: {said}", path.display());
        // Packages get objects of their own, and references to them.
        if text.contains("pkg.crossplane.io") {
            continue;
        }
        // A container in braces, and an `env` in brackets, is one line that grows.
        let flow = |line: &&str| line.contains('{') || line.contains('[');
        let plain = |text: &str| text.lines().filter(|line| !flow(line)).collect::<Vec<_>>().join("\n");
        let (before, after) = (plain(&text), plain(&output));
        let added = added(&before, &after).unwrap_or_else(|lost| panic!("{}: lost {lost}", path.display()));
        let is_variable = |line: &str| {
            let line = line.trim().trim_start_matches("- ");
            line == "env:"
                || ["name: HTTPS_PROXY", "name: NO_PROXY", "name: https_proxy", "name: no_proxy", "value: "]
                    .iter()
                    .any(|start| line.starts_with(start))
        };
        let others: Vec<&&str> = added.iter().filter(|line| !is_variable(line)).collect();
        assert!(others.is_empty(), "{}: {others:?}", path.display());
        files += 1;
    }
    assert!(files > 40, "{files}");
}
