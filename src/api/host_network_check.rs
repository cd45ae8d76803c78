//! `kind: HostNetworkCheck`: what is judged, how severely, and with which knowledge of the cluster.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::host_network::{Metadata, Select};
use super::ports::Port;

/// The kind that judges and changes nothing.
pub const HOST_NETWORK_CHECK: &str = "HostNetworkCheck";

/// Judges the host networking of objects as it is written. Changes nothing.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetworkCheck {
    /// `hostnet.dev/v1alpha1`
    pub api_version: String,
    /// `HostNetworkCheck`
    pub kind: String,
    /// Name and annotations; hosts add annotations of their own.
    #[serde(default)]
    pub metadata: Metadata,
    /// What is judged, and how severely. Default: everything, with the severities of the rules.
    #[serde(default)]
    pub spec: HostNetworkCheckSpec,
}

/// What is judged, and how severely.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetworkCheckSpec {
    /// The objects that are judged; of several selects one has to match. Default: all. Others are read all the same.
    #[serde(default)]
    pub select: Vec<Select>,
    /// Objects that are not judged.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The severity of rules, by their ids. What a rule gives as information stays so, unless the rule is `Disabled`.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleSeverity>,
    /// Findings that are known and accepted.
    #[serde(default)]
    pub suppress: Vec<Suppress>,
    /// The severity from which on the run fails. Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// Where the API server is. Default: `Inside`.
    #[serde(default)]
    pub api_server: ApiServer,
    /// The versions of what admits and runs the objects. A rule that depends on one that is not known warns.
    #[serde(default)]
    pub versions: Versions,
    /// The nodes of the cluster. Default: those of the input; without any it is unknown how many there are.
    #[serde(default)]
    pub nodes: Option<Nodes>,
}

/// The severity that a config gives a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum RuleSeverity {
    /// The run fails, unless `failOn` lets it pass.
    Error,
    /// It is said.
    Warning,
    /// It is said as information.
    Info,
    /// The rule does not run.
    Disabled,
}

/// Findings that are known and accepted. They are counted, and never fail.
///
/// ```yaml
/// {rule: node-port, select: {kind: DaemonSet, name: node-exporter}, ports: [9100], reason: "ours, on every node", until: 2027-03-31}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppress {
    /// The rule's id.
    pub rule: String,
    /// The objects that the findings are about.
    pub select: Select,
    /// Only findings about one of these ports. Default: all.
    #[serde(default)]
    pub ports: Vec<Port>,
    /// Why it is accepted.
    #[serde(default)]
    pub reason: String,
    /// The last day, as `2027-03-31`, on which it is accepted. Default: no end.
    #[serde(default)]
    pub until: Option<String>,
}

/// The severity from which on a run fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum FailOn {
    /// Errors fail.
    #[default]
    Error,
    /// Warnings fail too.
    Warning,
    /// Nothing fails.
    Never,
}

/// Where the API server is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum ApiServer {
    /// It reaches the pod network.
    #[default]
    Inside,
    /// It reaches the nodes only: what it calls has to be on the host network.
    Outside,
}

/// Versions of what admits and runs the objects, such as `v1.33` or `v1.8.4`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Versions {
    /// The API server's. Default: unknown.
    #[serde(default)]
    pub kubernetes: Option<String>,
    /// OpenKruise's. Default: the tag of its image in the input, else the version of the chart `kruise` in a HelmRelease, else unknown.
    #[serde(default)]
    pub openkruise: Option<String>,
    /// Crossplane's. Default: `crossplane.version` of a HostNetwork, else that of its image or chart in the input, else unknown.
    #[serde(default)]
    pub crossplane: Option<String>,
}

/// The nodes of a cluster: how many, or groups of them by their labels.
///
/// ```yaml
/// nodes: 3
/// nodes: [{labels: {pool: web}, count: 2}, {count: 1}]
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nodes {
    /// So many; what labels they have is not known.
    Count(u32),
    /// Groups of nodes with their labels.
    Groups(Vec<NodeGroup>),
}

/// Nodes with the same labels.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeGroup {
    /// The labels that these nodes have; which others they have is not known.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// How many.
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Nodes, A::Error> {
        let mut groups = Vec::new();
        while let Some(group) = list.next_element()? {
            groups.push(group);
        }
        Ok(Nodes::Groups(groups))
    }
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodesVisitor)
    }
}

impl JsonSchema for Nodes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Nodes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let group = generator.subschema_for::<NodeGroup>();
        json_schema!({
            "description": "How many nodes there are, or groups of them by their labels.",
            "oneOf": [{"type": "integer", "minimum": 1, "maximum": u32::MAX}, {"type": "array", "items": group, "minItems": 1}],
        })
    }
}
