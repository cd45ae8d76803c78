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

/// The kind that only reports.
pub const HOST_NETWORK_CHECK: &str = "HostNetworkCheck";

/// Checks the host networking of objects as written. Changes nothing.
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
    /// The objects to check, and the severities. Default: all objects, with the severities of the rules.
    #[serde(default)]
    pub spec: HostNetworkCheckSpec,
}

/// The objects to check, and the severities.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetworkCheckSpec {
    /// The objects to check: one of the selects must match. Default: all. Other objects are still read.
    #[serde(default)]
    pub select: Vec<Select>,
    /// Objects that are not checked.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The severity of rules, by rule id. Findings that a rule reports as information stay information, unless the rule
    /// is `Disabled`.
    #[serde(default)]
    #[schemars(extend("propertyNames" = {"enum": rule::checked().map(|rule| rule.id).collect::<Vec<_>>()}))]
    pub rules: BTreeMap<String, RuleSeverity>,
    /// Findings that are known and accepted.
    #[serde(default)]
    pub suppress: Vec<Suppress>,
    /// The lowest severity that makes the run fail. Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// The network that the API server reaches. Default: `Inside`.
    #[serde(default)]
    pub api_server: ApiServer,
    /// The versions of components that admit and run the objects. A rule that depends on an unknown version warns.
    #[serde(default)]
    pub versions: Versions,
    /// The nodes of the cluster. Default: the Nodes of the input; without Nodes their number is unknown.
    pub nodes: Option<Nodes>,
}

/// The severity of a rule in a config.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub enum RuleSeverity {
    /// Report errors; the run fails unless `failOn` is `Never`.
    Error,
    /// Report warnings.
    Warning,
    /// Report information.
    Info,
    /// Do not run the rule.
    Disabled,
}

impl RuleSeverity {
    /// The severity of the rule's findings; `None` if the rule does not run.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Disabled => None,
        }
    }
}

/// The network that the API server reaches.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum ApiServer {
    /// The API server reaches nodes and pods.
    #[default]
    Inside,
    /// The API server reaches only nodes, so everything it calls must be on the host network.
    Outside,
}

/// Versions of components that admit and run the objects, such as `v1.33` or `v1.8.4`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Versions {
    /// The version of the API server. Default: unknown.
    pub kubernetes: Option<String>,
    /// The version of OpenKruise. Default: the tag of its image in the input, else the version of the chart `kruise` in
    /// a HelmRelease, else unknown.
    pub openkruise: Option<String>,
    /// The version of Crossplane. Default: `crossplane.version` of a HostNetwork, else the version of its image or
    /// chart in the input, else unknown.
    pub crossplane: Option<String>,
}
