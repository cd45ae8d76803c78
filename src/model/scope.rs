//! Whom an object selects by labels, and in which namespaces.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::{Selector, SelectorExt};

use super::Meta;
use super::labels::Labels;
use crate::yaml::NodeRef;

/// Labels that the selected must have, and where they are.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Labels that the selected must have.
    pub selector: Selector,
    /// Namespaces of the selected; none is everywhere.
    pub namespaces: Option<Vec<String>>,
}

impl Scope {
    /// The scope of a selector that selects in the object's own namespace; none when it is malformed.
    #[must_use]
    pub fn own(selector: Option<NodeRef<'_, '_>>, meta: &Meta) -> Option<Self> {
        Some(Self { selector: label_selector(selector)?, namespaces: Some(vec![own_namespace(meta)]) })
    }

    /// The scope of a monitor's `selector` and `namespaceSelector`: `any`, `matchNames`, or its own namespace.
    #[must_use]
    pub fn monitored(spec: NodeRef<'_, '_>, meta: &Meta) -> Option<Self> {
        let namespaces = spec.get("namespaceSelector");
        let any = namespaces.and_then(|selector| selector.get("any")).and_then(NodeRef::as_bool) == Some(true);
        let names = namespaces.and_then(|selector| selector.get("matchNames")).into_iter().flat_map(NodeRef::items);
        let mut names: Vec<String> = names.filter_map(|name| name.text().map(str::to_owned)).collect();
        if names.is_empty() {
            names.push(own_namespace(meta));
        }
        let selector = label_selector(Some(spec.get("selector")?))?;
        Some(Self { selector, namespaces: (!any).then_some(names) })
    }

    /// Whether something with these labels in this namespace is selected.
    #[must_use]
    pub fn meets(&self, namespace: Option<&str>, labels: &Labels) -> bool {
        let here = self.namespaces.as_ref();
        here.is_none_or(|all| all.iter().any(|known| known == namespace.unwrap_or_default()))
            && self.selector.matches(&labels.to_map())
    }
}

fn own_namespace(meta: &Meta) -> String {
    meta.namespace.clone().unwrap_or_default()
}

/// A selector of `matchLabels` and `matchExpressions`; an absent one selects everything, a malformed one is none.
pub(super) fn label_selector(node: Option<NodeRef<'_, '_>>) -> Option<Selector> {
    selector_by(node, |key| Some(key.to_owned()))
}

/// The same, with other keys; what is asked of a key that is none is left out.
pub(super) fn selector_by(
    node: Option<NodeRef<'_, '_>>,
    mut key: impl FnMut(&str) -> Option<String>,
) -> Option<Selector> {
    let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
    let list = node.and_then(|node| node.get("matchExpressions"));
    let expressions = list.into_iter().flat_map(NodeRef::items).filter_map(|expression| {
        let values = expression.get("values").into_iter().flat_map(NodeRef::items);
        Some(LabelSelectorRequirement {
            key: key(&text(expression, "key"))?,
            operator: text(expression, "operator"),
            values: Some(values.filter_map(|value| value.text().map(str::to_owned)).collect()),
        })
    });
    let match_expressions = Some(expressions.collect());
    let labels = node.and_then(|node| node.get("matchLabels")).map(Labels::of);
    let mut keyed = |labels: Labels| labels.iter().filter_map(|(k, v)| Some((key(k)?, v.to_owned()))).collect();
    let selector = LabelSelector { match_labels: labels.map(&mut keyed), match_expressions };
    Selector::try_from(selector).ok()
}
