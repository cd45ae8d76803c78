//! Label selectors of an object, and the namespaces that they apply to.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::{Expression, Selector};

use crate::model::meta::Meta;
use crate::model::text::Labels;
use lossless_yaml::NodeRef;

/// Parsed label selector; labels must satisfy all expressions. Labels are compared without a copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Requirements(Box<[Expression]>);

impl Requirements {
    /// Requires all of these labels.
    pub(in crate::model) fn from_labels(labels: &Labels) -> Self {
        Self(labels.iter().map(|(key, value)| Expression::Equal(key.to_owned(), value.to_owned())).collect())
    }

    /// True if the labels satisfy all expressions; `value` returns the value of a key.
    pub(crate) fn matched_by<'l>(&self, value: impl Fn(&str) -> Option<&'l str>) -> bool {
        self.0.iter().all(|expression| is_satisfied(expression, value(key(expression))))
    }

    /// True if the labels satisfy all expressions; `None` if that depends on an unknown value. `value` returns the value
    /// of a key.
    pub(crate) fn decide<'l>(&self, value: impl Fn(&str) -> LabelValue<'l>) -> Option<bool> {
        let decided = self.0.iter().map(|expression| match value(key(expression)) {
            LabelValue::Is(value) => Some(is_satisfied(expression, Some(value))),
            LabelValue::Absent => Some(is_satisfied(expression, None)),
            LabelValue::Unknown => None,
        });
        all_of(decided)
    }

    /// True if these labels satisfy all expressions.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.matched_by(|key| labels.get(key))
    }

    /// Values that the expressions allow for a key, if they restrict it to a list of values.
    pub(crate) fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().flat_map(move |expression| -> Box<dyn Iterator<Item = &'a str> + 'a> {
            match expression {
                Expression::Equal(own, value) if own == key => Box::new(std::iter::once(value.as_str())),
                Expression::In(own, values) if own == key => Box::new(values.iter().map(String::as_str)),
                _ => Box::new(std::iter::empty()),
            }
        })
    }

    /// Labels that every matching object must have, for the index.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|expression| match expression {
            Expression::Equal(key, value) => Some((key.as_str(), value.as_str())),
            Expression::In(key, values) if values.len() == 1 => Some((key.as_str(), values.first()?.as_str())),
            _ => None,
        })
    }
}

/// Logical AND of all answers; `None` if the result depends on unknown answers.
pub(super) fn all_of(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    answers.into_iter().fold(Some(true), three_valued_and)
}

/// Logical AND of two answers; `None` if the result depends on an unknown answer.
pub(super) fn three_valued_and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Value of a label, or `Unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelValue<'l> {
    /// Label with this value.
    Is(&'l str),
    /// Missing label.
    Absent,
    /// Value that only the cluster has.
    Unknown,
}

/// Returns the key of an expression.
fn key(expression: &Expression) -> &str {
    match expression {
        Expression::In(key, _)
        | Expression::NotIn(key, _)
        | Expression::Equal(key, _)
        | Expression::NotEqual(key, _)
        | Expression::Exists(key)
        | Expression::DoesNotExist(key) => key,
    }
}

/// True if an expression holds for the value of its key.
fn is_satisfied(expression: &Expression, value: Option<&str>) -> bool {
    match expression {
        Expression::In(_, values) => value.is_some_and(|value| values.contains(value)),
        Expression::NotIn(_, values) => value.is_none_or(|value| !values.contains(value)),
        Expression::Equal(_, wanted) => value == Some(wanted),
        Expression::NotEqual(_, other) => value != Some(other),
        Expression::Exists(_) => value.is_some(),
        Expression::DoesNotExist(_) => value.is_none(),
    }
}

/// Selector with the namespaces that it applies to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    /// Labels that selected objects must have.
    pub selector: Requirements,
    /// Namespaces of selected objects; `None` for all namespaces.
    pub namespaces: Option<Vec<String>>,
}

impl Scope {
    /// Scope of a selector within the namespace of the object; `None` for a malformed selector.
    pub fn own(selector: Option<NodeRef<'_, '_>>, meta: &Meta) -> Option<Self> {
        Some(Self { selector: label_selector(selector)?, namespaces: Some(vec![own_namespace(meta)]) })
    }

    /// True if an object with these labels in this namespace is selected.
    pub fn matches(&self, namespace: Option<&str>, labels: &Labels) -> bool {
        let here = self.namespaces.as_ref();
        here.is_none_or(|all| all.iter().any(|known| known == namespace.unwrap_or_default()))
            && self.selector.matches(labels)
    }
}

/// Namespace of an object, empty if missing.
pub(in crate::model) fn own_namespace(meta: &Meta) -> String {
    meta.namespace.clone().unwrap_or_default()
}

/// Parses `matchLabels` and `matchExpressions`. A missing selector selects everything; `None` for a malformed one.
pub(crate) fn label_selector(node: Option<NodeRef<'_, '_>>) -> Option<Requirements> {
    selector_by(node, |key| Some(key.to_owned()))
}

/// Parses a selector and renames its keys with `key`; requirements on keys without a new name are dropped.
pub(in crate::model) fn selector_by(
    node: Option<NodeRef<'_, '_>>,
    mut key: impl FnMut(&str) -> Option<String>,
) -> Option<Requirements> {
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
    let labels = node.and_then(|node| node.get("matchLabels")).map(Labels::read);
    let mut keyed = |labels: Labels| labels.iter().filter_map(|(k, v)| Some((key(k)?, v.to_owned()))).collect();
    let selector = LabelSelector { match_labels: labels.map(&mut keyed), match_expressions };
    Some(Requirements(Selector::try_from(selector).ok()?.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_core::{Expression, Selector, SelectorExt};

    use crate::model::text::Labels;
    use lossless_yaml::Tree;

    /// Compares `Requirements` with kube's `Selector`, for every operator with matching and other values.
    #[test]
    fn requirements_match_like_kube_selector() {
        let values = |all: &[&str]| all.iter().map(|&value| value.to_owned()).collect();
        let key = || "a".to_owned();
        let all = [
            Expression::In(key(), values(&["x"])),
            Expression::In(key(), values(&["x", "y"])),
            Expression::In(key(), values(&[])),
            Expression::NotIn(key(), values(&["x", "y"])),
            Expression::Equal(key(), "x".to_owned()),
            Expression::NotEqual(key(), "x".to_owned()),
            Expression::Exists(key()),
            Expression::DoesNotExist(key()),
        ];
        for text in ["{}", "{a: x}", "{a: y, b: x}", "{a: z}", "{b: x}", "{a: ''}"] {
            let tree = Tree::parse(text).unwrap();
            let labels = Labels::read(tree.root(0).unwrap());
            for one in &all {
                for other in &all {
                    let both = [one.clone(), other.clone()];
                    let kube: Selector = both.iter().cloned().collect();
                    let wanted = kube.matches(&labels.to_map());
                    assert_eq!(Requirements(both.into()).matches(&labels), wanted, "{text} {kube}");
                }
            }
        }
    }

    #[test]
    fn required_labels_are_those_with_a_single_value() {
        let one = ["x".to_owned()].into();
        let two = ["x".to_owned(), "y".to_owned()].into();
        let all = Requirements(Box::new([
            Expression::In("a".to_owned(), two),
            Expression::Equal("b".to_owned(), "v".to_owned()),
            Expression::In("c".to_owned(), one),
            Expression::NotEqual("d".to_owned(), "v".to_owned()),
        ]));
        assert_eq!(all.labels().collect::<Vec<_>>(), [("b", "v"), ("c", "x")]);
    }
}
