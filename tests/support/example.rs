//! The shipped example as a host sends it.

use crate::support::project;

/// Returns the shipped example as a `ResourceList`, with its comments.
pub(crate) fn resource_list() -> String {
    let example = |path: &str| std::fs::read_to_string(project().join("examples/crossplane-core").join(path)).unwrap();
    let indented = |text: &str| text.lines().flat_map(|line| ["  ", line, "\n"]).collect::<String>();
    let manifest = example("base/crossplane.yaml");
    let items: String = manifest
        .split("---\n")
        .skip(1)
        .map(indented)
        .flat_map(|item| ["- ".to_owned(), item.trim_start().to_owned()])
        .collect();
    let config = indented(&example("plugin/hostnet.yaml"));
    format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}functionConfig:\n{config}")
}
