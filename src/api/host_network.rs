//! `kind: HostNetwork`: the workloads that move to the host network, and their ports.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::fail_on::FailOn;
use super::nodes::Nodes;
use super::port_range::PortRange;
use super::ports::{Port, Ports};
use super::select::Select;
use super::suppress::Suppress;
use crate::catalog::{PortReference, Program};
use crate::rule::Severity;
use crate::word_enum::word_enum;

/// The API group of all config kinds.
pub const GROUP: &str = "hostnet.dev";
/// Group and version of all config kinds.
pub const API_VERSION: &str = "hostnet.dev/v1alpha1";
/// The kind that moves workloads.
pub const HOST_NETWORK: &str = "HostNetwork";

/// Moves workloads to the host network: `hostNetwork`, `dnsPolicy`, ports, explicit `hostPort`s, and every reference
/// to those ports.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetwork {
    /// `hostnet.dev/v1alpha1`
    pub api_version: String,
    /// `HostNetwork`
    pub kind: String,
    /// Name and annotations; hosts add annotations too.
    #[serde(default)]
    pub metadata: Metadata,
    /// Workloads and their moves.
    pub spec: HostNetworkSpec,
}

/// The metadata of a config. It does not change the result.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Metadata {
    /// The name of the config in messages.
    #[serde(default)]
    pub name: String,
    /// The annotations, such as `config.kubernetes.io/function`, by which kustomize finds the function.
    pub annotations: Option<BTreeMap<String, String>>,
}

/// Workloads and their moves.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostNetworkSpec {
    /// The targets. The first target that matches an object applies.
    #[schemars(length(min = 1))]
    pub targets: Vec<Target>,
    /// Objects that no target matches.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The numbers that `ports: auto` may give. Default: `20000-29999`.
    pub port_pool: Option<PortRange>,
    /// The recorded numbers of listeners, by `NAMESPACE/KIND/NAME/PORT`, with the pod template before the port for
    /// kinds that may have several. `hostnet pin` writes them; they override the choice of `auto`.
    #[serde(default)]
    pub assigned: BTreeMap<String, Port>,
    /// `true`: `auto` only uses numbers of `assigned`, and a listener without a number there is an error. Default:
    /// `false`.
    #[serde(default)]
    pub require_assigned: bool,
    /// More ports that the nodes use; `auto` never chooses them.
    #[serde(default)]
    pub reserved: Vec<PortRange>,
    /// Ports that several workloads may use because they never share a node.
    #[serde(default)]
    pub shared: Vec<Shared>,
    /// The result for a target that matches nothing. Default: `Warn`.
    #[serde(default)]
    pub unmatched: Unmatched,
    /// The lowest severity that makes the run fail without changes. With `Never`, errors are reported and the objects
    /// are returned unchanged. Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// Additional programs, in the schema of the catalogue. They override catalogue entries with the same name or the
    /// same image.
    #[serde(default)]
    pub programs: Vec<Program>,
    /// Additional kinds that contain pod templates.
    #[serde(default)]
    pub templates: Vec<TemplateKind>,
    /// Additional kinds that name ports of pods, in the schema of the catalogue. They override catalogue entries with
    /// the same kind.
    #[serde(default)]
    pub references: Vec<PortReference>,
    /// The `dnsPolicy` of a pod on the host network whose policy is absent or `ClusterFirst`. Default:
    /// `ClusterFirstWithHostNet`. An existing `None` or `Default` is kept and reported.
    #[serde(default)]
    pub dns_policy: DnsPolicy,
    /// Replacement of pods on the host network. Default: `Keep`.
    #[serde(default)]
    pub rollout: RolloutPolicy,
    /// Changes of a Namespace whose enforced Pod Security level refuses pods on the host network.
    /// Default: `Keep`.
    #[serde(default)]
    pub pod_security: PodSecurityPolicy,
    /// The nodes of the cluster. Default: the Nodes of the input; without Nodes their number is unknown.
    pub nodes: Option<Nodes>,
    /// Warnings that are known and accepted.
    #[serde(default)]
    pub suppress: Vec<Suppress>,
    /// Crossplane's packages.
    #[serde(default)]
    pub crossplane: Crossplane,
}

/// Changes of a Namespace that would refuse moved pods.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum PodSecurityPolicy {
    /// The Namespace stays unchanged, and so does the workload.
    #[default]
    Keep,
    /// The Namespace gets the level `privileged`.
    Privileged,
}

impl PodSecurityPolicy {
    /// True if a Namespace that rejects the pods is relabeled, instead of leaving the workload unchanged.
    pub fn labels_namespaces(self) -> bool {
        match self {
            Self::Keep => false,
            Self::Privileged => true,
        }
    }
}

/// Replacement of pods on the host network, where only one pod per node can use a port.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum RolloutPolicy {
    /// The update strategy stays as written.
    #[default]
    Keep,
    /// The old pod stops before the new one starts: `maxSurge: 0`, and `maxUnavailable` at least 1.
    FreePortFirst,
}

impl RolloutPolicy {
    /// True if rollouts are changed to free a port before a new pod needs it.
    pub fn frees_ports(self) -> bool {
        match self {
            Self::Keep => false,
            Self::FreePortFirst => true,
        }
    }
}

/// Facts about Crossplane that manifests lack.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Crossplane {
    /// The version of Crossplane, such as `v2.0.2`. Default: the version of the core Deployment's image or of the
    /// HelmRelease in the input, else the newest version.
    pub version: Option<String>,
    /// The network of Functions. Default: `PodNetwork`.
    #[serde(default)]
    pub functions: Functions,
    /// Packages whose runtime config is not in the input. Default: `Refuse`.
    #[serde(default)]
    pub missing_runtime_config: MissingRuntimeConfig,
}

/// The network of Functions.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum Functions {
    /// Functions stay in the pod network, because Crossplane always dials port 9443 of their pods.
    #[default]
    PodNetwork,
    /// Functions may move to the host network with port 9443: at most one per node, and no other process of the node
    /// may use this port.
    OnePerNode,
}

impl Functions {
    /// True if Functions may move to the host network.
    pub fn may_move(self) -> bool {
        match self {
            Self::PodNetwork => false,
            Self::OnePerNode => true,
        }
    }
}

/// Packages whose runtime config is not in the input.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MissingRuntimeConfig {
    /// Report an error, because the content of the runtime config, such as an IAM role, would be lost.
    #[default]
    Refuse,
    /// Create a new runtime config.
    CreateNew,
}

impl MissingRuntimeConfig {
    /// True if a new runtime config is written instead of the missing config.
    pub fn creates(self) -> bool {
        match self {
            Self::Refuse => false,
            Self::CreateNew => true,
        }
    }
}

/// Workloads, and what happens to their ports.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    /// The selected objects. All given fields must match, and at least one is required.
    pub select: Select,
    /// The numbers of the listeners. Default: `keep`.
    #[serde(default)]
    pub ports: Ports,
    /// The program in the catalogue, `NAME` or `NAME@VERSION`, if image and tag do not show it.
    pub program: Option<String>,
    /// Settings of ports that neither the manifest nor the catalogue shows.
    #[serde(default)]
    pub bind: Vec<Bind>,
}

/// The setting of a listener's port: a flag or a variable, which is added if missing, or an existing text. All entries
/// for one port change together.
///
/// ```yaml
/// {container: manager, port: health, number: 8081, arg: --health-probe-bind-address, value: ":{port}"}
/// {container: web, port: http, file: /etc/web/application.properties, key: server.port}
/// {container: proxy, port: admin, number: 9901, fixed: true}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bind {
    /// The name of the container whose process listens. Another container may declare the port.
    pub container: String,
    /// The declared name of the port, or the name for an undeclared port.
    pub port: String,
    /// The current number; required if the port is not declared.
    pub number: Option<Port>,
    /// The flag that sets the number.
    pub arg: Option<String>,
    /// The variable that sets the number.
    pub env: Option<String>,
    /// The annotation of the pod template that has the number.
    pub annotation: Option<String>,
    /// A file that the container mounts from a ConfigMap of the input; `key` is the key in it.
    pub file: Option<String>,
    /// The key of `file` with the number: a dotted path of YAML or JSON, or the text before `=`, `:` or a blank in a
    /// line.
    pub key: Option<String>,
    /// `true`: the port keeps its number, because the number cannot change; nothing is reported. Default: `false`.
    #[serde(default)]
    pub fixed: bool,
    /// The value of the flag, variable or annotation; `{port}` is replaced by the number. Default: `{port}`.
    pub value: Option<String>,
}

impl Bind {
    /// True if exactly one field selects how the number is set.
    pub(super) fn has_exactly_one_setting(&self) -> bool {
        let named = [&self.arg, &self.env, &self.annotation, &self.file];
        named.into_iter().flatten().count() + usize::from(self.fixed) == 1
    }

    /// Field with an invalid name of a flag, variable or annotation, and the error.
    pub(super) fn wrong_name(&self) -> Option<(&'static str, String)> {
        let is_no_word = |name: &str| name.is_empty() || name.contains(char::is_whitespace);
        let is_no_flag = |name: &&String| !name.starts_with('-') || name.contains('=') || is_no_word(name);
        let is_no_variable = |name: &&String| name.contains('=') || is_no_word(name);
        let flag = self.arg.as_ref().filter(is_no_flag);
        let flag = flag.map(|name| ("arg", format!("`{name}`: a flag is written with its dashes and without a value")));
        let variable = self.env.as_ref().filter(is_no_variable);
        let variable = variable.map(|name| ("env", format!("`{name}`: a variable is written without a value")));
        flag.or(variable)
    }
}

/// A port that several workloads share.
///
/// ```yaml
/// {port: 443, between: [ingress/DaemonSet/public, ingress/DaemonSet/internal]}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shared {
    /// The port.
    pub port: Port,
    /// The workloads, as `NAMESPACE/KIND/NAME`; as `NAMESPACE/GROUP/KIND/NAME` for kinds of other groups than
    /// Kubernetes' own, followed by `/TEMPLATE` for kinds with several pod templates.
    pub between: Vec<String>,
}

/// A kind that contains pod templates.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateKind {
    /// API group; `""` is the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// The versions of the kind with templates at this path. Default: all.
    #[serde(default)]
    pub versions: Vec<String>,
    /// The path of the pod template (its `metadata` and `spec`), such as `spec.template`; `[]` is each element of a
    /// list and `*` each key of a mapping, as in `spec.groups[].template`. A kind with several paths has several
    /// entries; all paths that exist in an object are used.
    pub path: String,
}

/// The result for a target that matches nothing.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum Unmatched {
    /// Report a warning.
    #[default]
    Warn,
    /// Report nothing.
    Ignore,
    /// Report an error.
    Error,
}

impl Unmatched {
    /// The severity of the finding; `None` if nothing is reported.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Warn => Some(Severity::Warning),
            Self::Ignore => None,
            Self::Error => Some(Severity::Error),
        }
    }
}

word_enum! {
    /// The DNS policies of Kubernetes.
    #[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
    pub enum DnsPolicy {
        /// Use the cluster's DNS, also on the host network.
        #[default]
        ClusterFirstWithHostNet = "ClusterFirstWithHostNet",
        /// Use the cluster's DNS; on the host network, Kubernetes silently uses the node's resolver instead.
        ClusterFirst = "ClusterFirst",
        /// Use the node's resolver.
        Default = "Default",
        /// Use only `dnsConfig`.
        None = "None",
    }
}
