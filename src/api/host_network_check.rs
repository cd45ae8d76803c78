//! `kind: HostNetworkCheck`: the checked objects, the severities, and facts about the cluster.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::fail_on::FailOn;
use super::host_network::Metadata;
use super::nodes::Nodes;
use super::select::Select;
use super::suppress::Suppress;
use crate::rule::{self, Severity};

/// The kind that reports and changes nothing.
pub const HOST_NETWORK_CHECK: &str = "HostNetworkCheck";

/// Judges the host networking of objects as it is written. Changes nothing.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetworkCheck {
    /// `hostnet.dev/v1alpha1`
    pub api_version: String,
    /// `HostNetworkCheck`
    pub kind: String,
    /// Name and annotations; hosts add annotations too.
    #[serde(default)]
    pub metadata: Metadata,
    /// The objects to judge, and the severities. Default: everything, with the severities of the rules.
    #[serde(default)]
    pub spec: HostNetworkCheckSpec,
}

/// The objects to judge, and the severities.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetworkCheckSpec {
    /// The objects that are judged; of several selects one has to match. Default: all. Others are still read.
    #[serde(default)]
    pub select: Vec<Select>,
    /// Objects that are not judged.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The severity of rules, by their ids. What a rule gives as information stays so, unless the rule is `Disabled`.
    #[serde(default)]
    #[schemars(extend("propertyNames" = {"enum": checked_ids()}))]
    pub rules: BTreeMap<String, RuleSeverity>,
    /// Findings that are known and accepted.
    #[serde(default)]
    pub suppress: Vec<Suppress>,
    /// The severity from which on the run fails. Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// The place of the API server. Default: `Inside`.
    #[serde(default)]
    pub api_server: ApiServer,
    /// The versions of what admits and runs the objects. A rule that depends on one that is not known warns.
    #[serde(default)]
    pub versions: Versions,
    /// The nodes of the cluster. Default: those of the input; without any it is unknown how many there are.
    #[serde(default)]
    pub nodes: Option<Nodes>,
}

/// The ids of the rules of a check.
fn checked_ids() -> Vec<&'static str> {
    rule::checked().map(|rule| rule.id).collect()
}

/// The severity that a config gives a rule.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub enum RuleSeverity {
    /// The run fails, unless `failOn` allows it.
    Error,
    /// It is reported.
    Warning,
    /// It is reported as information.
    Info,
    /// The rule does not run.
    Disabled,
}

impl RuleSeverity {
    /// The severity of the rule's findings; `None` if the rule does not run.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Disabled => None,
        }
    }
}

/// The place of the API server.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
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
