//! `nodes` of a config: number and labels of nodes.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, json_schema};
use serde::Deserialize;
use serde::de::{self, SeqAccess, Visitor};

use super::label::{label_key_fault, label_value_fault};
use super::written_forms::{elements, written_forms};
use super::{ConfigError, Positions};
use lossless_yaml::Path;

/// The nodes of a cluster: their number, or groups of nodes with their labels.
///
/// ```yaml
/// nodes: 3
/// nodes: [{labels: {pool: web}, count: 2}, {count: 1}]
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nodes {
    /// The number of nodes, with unknown labels.
    Count(u32),
    /// Groups of nodes with their labels.
    Groups(Vec<NodeGroup>),
}

/// Nodes with the same labels.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeGroup {
    /// Labels of these nodes. The nodes may have further labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The number of these nodes.
    pub count: u32,
}

struct NodesVisitor;

impl<'de> Visitor<'de> for NodesVisitor {
    type Value = Nodes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of nodes, or a list such as `[{labels: {pool: web}, count: 2}]`")
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Nodes, E> {
        u32::try_from(count).map(Nodes::Count).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(count), &self))
    }

    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Nodes, E> {
        u32::try_from(count).map(Nodes::Count).map_err(|_| E::invalid_value(de::Unexpected::Signed(count), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Nodes, A::Error> {
        elements(list).map(Nodes::Groups)
    }
}

written_forms!(Nodes, NodesVisitor, |generator| {
    let group = generator.subschema_for::<NodeGroup>();
    json_schema!({
        "description": "Number of nodes, or groups of nodes by their labels.",
        "oneOf": [{"type": "integer", "minimum": 1, "maximum": u32::MAX}, {"type": "array", "items": group, "minItems": 1}],
    })
});

/// Validation beyond the types.
pub(super) fn validate(nodes: Option<&Nodes>, config: &impl Positions) -> Result<(), ConfigError> {
    let path = Path::dotted("spec.nodes");
    let none = |path: &Path| {
        let message = "expected at least one node; remove `nodes` if the number of nodes is not known";
        Err(config.error_at(path, message.to_owned()))
    };
    match nodes {
        Some(Nodes::Count(0)) => none(&path),
        Some(Nodes::Groups(groups)) if groups.is_empty() => none(&path),
        Some(Nodes::Groups(groups)) => match groups.iter().position(|group| group.count == 0) {
            Some(index) => none(&path.item(index).key("count")),
            None => labels(groups, &path, config),
        },
        _ => Ok(()),
    }
}

/// Checks the labels of all groups.
fn labels(groups: &[NodeGroup], path: &Path, config: &impl Positions) -> Result<(), ConfigError> {
    for (index, group) in groups.iter().enumerate() {
        for (key, value) in &group.labels {
            if let Some(fault) = label_key_fault(key).or_else(|| label_value_fault(value)) {
                return Err(config.error_at(&path.item(index).key("labels").key(key.clone()), fault));
            }
        }
    }
    Ok(())
}
