//! Requirements on one label: of a node for a pod, or of a pod in an anti-affinity term.
//!
//! Source: kubernetes v1.36 `staging/src/k8s.io/apimachinery/pkg/labels/selector.go`, `Requirement.Matches`.

use std::fmt;

use lossless_yaml::NodeRef;

/// Key for the name of a node among its labels; not a valid label key.
pub(super) const NODE_NAME: &str = "";

/// Node label whose value is unique per node.
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";

/// The only node field that terms may match.
/// Source: kubernetes v1.36 `pkg/apis/core/validation/validation.go`, `nodeFieldSelectorValidators`.
const NAME_FIELD: &str = "metadata.name";

/// Requirement on one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) key: Box<str>,
    operator: Operator,
    /// The values, in a list because they are few.
    values: Box<[Box<str>]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Gt,
    Lt,
}

impl Operator {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            _ => return None,
        })
    }
}

impl Requirement {
    /// Requirement that a label has this value.
    pub(super) fn for_value(key: &str, value: &str) -> Self {
        Self { key: key.into(), operator: Operator::In, values: Box::new([value.into()]) }
    }

    /// Requirements of a mapping of labels: each label must have its value.
    pub(super) fn from_labels(labels: Option<NodeRef<'_, '_>>) -> impl Iterator<Item = Self> {
        let entries = labels.into_iter().flat_map(NodeRef::entries);
        entries.filter_map(|(key, value)| Some(Self::for_value(key.text()?, value.text()?)))
    }

    /// Parses an element of `matchExpressions`; `None` if malformed.
    pub(super) fn read(expression: NodeRef<'_, '_>) -> Option<Self> {
        let operator = Operator::parse(expression.get("operator")?.text()?)?;
        let values = expression.get("values").into_iter().flat_map(NodeRef::items);
        let values: Box<[Box<str>]> = values.filter_map(|value| value.text().map(Into::into)).collect();
        let found = Self { key: expression.get("key")?.text()?.into(), operator, values };
        (!matches!(operator, Operator::Gt | Operator::Lt) || found.number().is_some()).then_some(found)
    }

    /// Parses an element of `matchFields`; `None` if malformed.
    pub(super) fn from_field(expression: NodeRef<'_, '_>) -> Option<Self> {
        let found = Self::read(expression).filter(|found| *found.key == *NAME_FIELD)?;
        Some(Self { key: NODE_NAME.into(), ..found })
    }

    /// True if a label selector can have this operator; label selectors compare no numbers.
    pub(super) fn is_of_pods(&self) -> bool {
        !matches!(self.operator, Operator::Gt | Operator::Lt)
    }

    /// The key and its value, if the requirement allows exactly one value.
    pub(super) fn single(&self) -> Option<(&str, &str)> {
        let [value] = &*self.values else { return None };
        (self.operator == Operator::In).then_some((&*self.key, &**value))
    }

    /// Names of the nodes that the requirement allows; `None` if it does not list nodes by name or host name.
    pub(super) fn nodes(&self) -> Option<&[Box<str>]> {
        (self.operator == Operator::In && [NODE_NAME, HOSTNAME].contains(&&*self.key)).then_some(&self.values)
    }

    /// Bound of `Gt` and `Lt`.
    fn number(&self) -> Option<i64> {
        self.values.first()?.parse().ok()
    }

    /// True if this value of the label satisfies the requirement; `None` for a missing label.
    pub(super) fn fits(&self, value: Option<&str>) -> bool {
        let is_one = || value.is_some_and(|value| self.values.iter().any(|one| **one == *value));
        let numbers = || value.and_then(|value| value.parse::<i64>().ok()).zip(self.number());
        match self.operator {
            Operator::In => is_one(),
            Operator::NotIn => !is_one(),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => numbers().is_some_and(|(value, bound)| value > bound),
            Operator::Lt => numbers().is_some_and(|(value, bound)| value < bound),
        }
    }

    /// True if certainly no value satisfies both requirements.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        self.key == other.key && (self.excludes_all_of(other) || other.excludes_all_of(self))
    }

    /// True if no value that satisfies this requirement satisfies the other.
    fn excludes_all_of(&self, other: &Self) -> bool {
        use Operator::{DoesNotExist, Gt, In, Lt};
        match (self.operator, other.operator) {
            (In, _) => !self.values.iter().any(|value| other.fits(Some(value))),
            (DoesNotExist, _) => !other.fits(None),
            // No number is greater than the lower bound and less than the upper bound.
            (Gt, Lt) => self.number().zip(other.number()).is_some_and(|(low, high)| high <= low.saturating_add(1)),
            _ => false,
        }
    }
}

/// Formats the requirement for messages: `pool: edge`, or `cpus Gt 4`.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if *self.key == *NODE_NAME { NAME_FIELD } else { &*self.key };
        match (self.single(), self.operator) {
            (Some((_, value)), _) => write!(f, "{key}: {value}"),
            (None, Operator::Exists | Operator::DoesNotExist) => write!(f, "{key} {:?}", self.operator),
            (None, operator) => write!(f, "{key} {operator:?} {}", self.values.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Requirement;
    use lossless_yaml::Tree;

    fn read(text: &str) -> Requirement {
        Requirement::read(Tree::parse(text).unwrap().root(0).unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let above = read("{key: n, operator: Gt, values: ['5']}");
        assert!(above.fits(Some("10")) && !above.fits(Some("5")) && !above.fits(Some("x")) && !above.fits(None));
        for other in [
            "{key: n, operator: Lt, values: ['6']}",
            "{key: n, operator: In, values: ['1', x]}",
            "{key: n, operator: DoesNotExist}",
        ] {
            assert!(above.excludes(&read(other)) && read(other).excludes(&above), "{other}");
        }
        for other in [
            "{key: n, operator: Lt, values: ['7']}",
            "{key: m, operator: Lt, values: ['6']}",
            "{key: n, operator: In, values: ['1', '6']}",
            "{key: n, operator: NotIn, values: ['6']}",
            "{key: n, operator: Gt, values: ['9']}",
            "{key: n, operator: Exists}",
        ] {
            assert!(!above.excludes(&read(other)) && !read(other).excludes(&above), "{other}");
        }
        let text = "{key: n, operator: Gt, values: [x]}";
        assert_eq!(Requirement::read(Tree::parse(text).unwrap().root(0).unwrap()), None);
    }

    #[test]
    fn requirements_are_shown_as_key_operator_and_values() {
        for (text, said) in [
            ("{key: n, operator: In, values: [a]}", "n: a"),
            ("{key: n, operator: NotIn, values: [a, b]}", "n NotIn a, b"),
            ("{key: n, operator: Exists}", "n Exists"),
        ] {
            assert_eq!(read(text).to_string(), said);
        }
    }
}
