//! `ResourceSet` of Flux Operator: objects in its templates.
//!
//! Source: controlplaneio-fluxcd/flux-operator@0ac4a1266 `internal/builder/resourceset.go` (templates with the
//! delimiters `<<` and `>>`; objects are built once for each input).

use super::names::{FLUX_OPERATOR, group_and_kind};
use lossless_yaml::{NodeRef, Path, document};

/// Delimiter of a template.
const DELIMITER: &str = "<<";

/// End of a template action.
const END: &str = ">>";

/// Objects in the `resources` of a `ResourceSet` and of its steps, with their paths; empty for other objects.
///
/// ```
/// # use hostnet::releases::embedded;
/// # use lossless_yaml::Tree;
/// let set = "{apiVersion: fluxcd.controlplane.io/v1, kind: ResourceSet, spec: {resources: [{kind: Pod}]}}";
/// let tree = Tree::parse(set).unwrap();
/// let found = embedded(tree.root(0).unwrap());
/// assert_eq!(found[0].0.to_string(), "spec.resources[0]");
/// ```
pub fn embedded<'t, 'n>(object: NodeRef<'t, 'n>) -> Vec<(Path, NodeRef<'t, 'n>)> {
    steps(object)
        .flat_map(|(at, parent)| {
            let at = at.key("resources");
            let items = parent.get("resources").into_iter().flat_map(NodeRef::items).enumerate();
            items
                .filter(|(_, item)| item.is_mapping())
                .map(move |(index, item)| (at.item(index), item))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Steps of a `ResourceSet` and its `spec`, each of which may hold templates; empty for other objects.
fn steps<'t, 'n>(object: NodeRef<'t, 'n>) -> impl Iterator<Item = (Path, NodeRef<'t, 'n>)> {
    let is_set = group_and_kind(object) == Some((FLUX_OPERATOR, "ResourceSet"));
    let at = Path::dotted("spec");
    object.get("spec").filter(|_| is_set).into_iter().flat_map(move |spec| {
        let steps = spec.get("steps").into_iter().flat_map(NodeRef::items).enumerate();
        let steps: Vec<_> = steps.map(|(index, step)| (at.key("steps").item(index), step)).collect();
        steps.into_iter().chain([(at.clone(), spec)])
    })
}

/// A document of a template text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateDocument {
    /// Path of the template text in the set.
    pub(super) at: Path,
    /// YAML without lines that consist only of template actions.
    pub(super) text: String,
    /// True if the set fills in a part of the document, or decides whether it exists.
    pub(super) is_template: bool,
}

/// Documents in the `resourcesTemplate` of a `ResourceSet` and of its steps; empty for other objects.
pub(super) fn documents(object: NodeRef<'_, '_>) -> Vec<TemplateDocument> {
    let template = |(at, parent): (Path, NodeRef<'_, '_>)| {
        let text = parent.get("resourcesTemplate")?.text()?.to_owned();
        Some((at.key("resourcesTemplate"), text))
    };
    steps(object).filter_map(template).flat_map(|(at, text)| split(&at, &text)).collect()
}

/// Splits a template text at the markers of YAML documents.
fn split(at: &Path, text: &str) -> Vec<TemplateDocument> {
    let new = |depth: usize| TemplateDocument { at: at.clone(), text: String::new(), is_template: depth > 0 };
    let (mut depth, mut all) = (0, vec![new(0)]);
    for line in text.lines() {
        if line.trim_end() == "---" {
            all.push(new(depth));
            continue;
        }
        let Some(last) = all.last_mut() else { continue };
        last.is_template |= holds_template(line);
        depth = depth_after(line, depth);
        let is_action =
            line.trim().strip_prefix(DELIMITER).is_some_and(|rest| rest.find(END) == rest.len().checked_sub(2));
        if !is_action {
            last.text.push_str(line);
            last.text.push('\n');
        }
    }
    all
}

/// Number of template blocks that are open after a line.
fn depth_after(line: &str, depth: usize) -> usize {
    line.split(DELIMITER).skip(1).fold(depth, |depth, rest| {
        let action = rest.split(END).next().unwrap_or_default().trim_start_matches('-');
        match action.split_whitespace().next() {
            Some("if" | "range" | "with" | "define" | "block") => depth + 1,
            Some("end") => depth.saturating_sub(1),
            _ => depth,
        }
    })
}

/// True if the set fills in a part of an object in its templates.
pub fn is_template(object: NodeRef<'_, '_>) -> bool {
    object.raw().contains(DELIMITER) || object.to_value().is_none_or(|value| document(&value).contains(DELIMITER))
}

/// True if a set would fill in a part of this text.
pub fn holds_template(text: &str) -> bool {
    text.contains(DELIMITER)
}
