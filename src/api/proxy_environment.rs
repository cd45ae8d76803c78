//! `kind: ProxyEnvironment`: the containers that get proxy variables, and the values.

use std::fmt;

use schemars::{JsonSchema, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};

use super::fail_on::FailOn;
use super::host_network::{Metadata, MissingRuntimeConfig, Unmatched};
use super::select::Select;
use super::written_forms::{elements, written_forms};

/// The kind that writes proxy variables.
pub const PROXY_ENVIRONMENT: &str = "ProxyEnvironment";

/// Writes `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` into containers, and into objects from which Crossplane creates
/// containers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxyEnvironment {
    /// `hostnet.dev/v1alpha1`
    pub api_version: String,
    /// `ProxyEnvironment`
    pub kind: String,
    /// Name and annotations; hosts add annotations too.
    #[serde(default)]
    pub metadata: Metadata,
    /// Proxies, and the workloads that get them.
    pub spec: ProxyEnvironmentSpec,
}

/// Proxies, and the workloads that get them.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["targets"]))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxyEnvironmentSpec {
    /// The proxy for `http` URLs: a URL, or a reference to it. At least one of the two proxies is required.
    pub http_proxy: Option<Proxy>,
    /// The proxy for `https` URLs, and for Crossplane's calls of functions.
    pub https_proxy: Option<Proxy>,
    /// Entries of `NO_PROXY`, in this order: names (`.example.com`), addresses and ranges of addresses. Entries that
    /// the cluster itself needs are added.
    #[serde(default)]
    pub no_proxy: Vec<String>,
    /// The targets. The first target that matches an object applies.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub targets: Vec<ProxyTarget>,
    /// Objects that no target matches.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The result for a target that matches nothing. Default: `Warn`.
    #[serde(default)]
    pub unmatched: Unmatched,
    /// The lowest severity that makes the run fail without changes. With `Never`, errors are reported and the objects
    /// are returned unchanged. Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// The addresses and names of the cluster.
    #[serde(default)]
    pub cluster: Cluster,
    /// The route to cloud metadata services. Default: `Direct`.
    #[serde(default)]
    pub metadata_service: MetadataService,
    /// The case of the variables' names. Default: `Both`.
    #[serde(default)]
    pub case: Case,
    /// Existing proxy variables. Default: `Merge`.
    #[serde(default)]
    pub existing: Existing,
    /// URLs with passwords in the config. Default: `Refuse`.
    #[serde(default)]
    pub literal_credentials: LiteralCredentials,
    /// Adds a network policy that allows only Crossplane's core to call functions. Default: `None`.
    #[serde(default)]
    pub network_policy: FunctionPolicy,
    /// Additional hosts for `hostnet proxy check`.
    #[serde(default)]
    pub destinations: Vec<Destination>,
    /// Facts about Crossplane that manifests lack.
    #[serde(default)]
    pub crossplane: ProxyCrossplane,
}

/// Workloads or packages that get the variables.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxyTarget {
    /// The selected objects. All given fields must match, and at least one is required.
    pub select: Select,
    /// Additional entries of `NO_PROXY` for these objects, before the common entries.
    #[serde(default)]
    pub no_proxy: Vec<String>,
    /// The containers, by name. Default: all containers and init containers, except Crossplane's own containers that
    /// only dial the API server.
    #[serde(default)]
    pub containers: Vec<String>,
}

/// The addresses and names of a cluster.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cluster {
    /// The ranges of the pods' addresses. Crossplane up to v1.19 needs them to reach its functions.
    #[serde(default)]
    pub pods: Vec<String>,
    /// The ranges of the Services' addresses.
    #[serde(default)]
    pub services: Vec<String>,
    /// The ranges of the nodes' addresses.
    #[serde(default)]
    pub nodes: Vec<String>,
    /// The cluster's domain. Default: `cluster.local`.
    #[serde(default = "cluster_domain")]
    pub domain: String,
    /// The address of the API server in containers. Default: `FromService`.
    #[serde(default)]
    pub api_server: ApiServerHosts,
}

fn cluster_domain() -> String {
    "cluster.local".to_owned()
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            pods: Vec::new(),
            services: Vec::new(),
            nodes: Vec::new(),
            domain: cluster_domain(),
            api_server: ApiServerHosts::default(),
        }
    }
}

/// The route to cloud metadata services.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MetadataService {
    /// Directly: the addresses of the services are entries of `NO_PROXY`.
    #[default]
    Direct,
    /// Through the proxy, unless other entries match them.
    Proxy,
}

impl MetadataService {
    /// True if containers reach the services directly.
    pub(crate) fn is_direct(self) -> bool {
        match self {
            Self::Direct => true,
            Self::Proxy => false,
        }
    }
}

/// The case of the variables' names.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum Case {
    /// Upper and lower case with equal values, because some programs read only one of them.
    #[default]
    Both,
    /// Upper case only.
    Upper,
}

/// Existing proxy variables.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum Existing {
    /// Lists are merged; a different existing proxy is an error.
    #[default]
    Merge,
    /// Lists are merged; a different existing proxy stays, with a warning.
    Keep,
    /// Lists are merged; existing proxies are replaced.
    Replace,
}

/// URLs with passwords in the config.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum LiteralCredentials {
    /// Report an error, because every reader of the manifest can see the password.
    #[default]
    Refuse,
    /// Report a warning.
    Warn,
}

impl LiteralCredentials {
    /// True if a URL with a password is an error.
    pub fn are_refused(self) -> bool {
        match self {
            Self::Refuse => true,
            Self::Warn => false,
        }
    }
}

/// The network policies to write.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum FunctionPolicy {
    /// No policy.
    #[default]
    None,
    /// `hostnet-functions` in the namespace of Crossplane's core: only the core may call functions.
    Functions,
}

impl FunctionPolicy {
    /// True if the policy for functions is written.
    pub fn is_written(self) -> bool {
        match self {
            Self::Functions => true,
            Self::None => false,
        }
    }
}

/// A host whose route is checked.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Destination {
    /// `HOST` or `HOST:PORT`, also after `http://` or `https://` (default).
    pub host: String,
    /// The required route. Default: `Any`.
    #[serde(default)]
    pub wanted: Route,
}

/// The required route to a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Route {
    /// Any route is accepted; the route is shown.
    #[default]
    Any,
    /// Directly.
    Direct,
    /// Through the proxy.
    Proxy,
}

/// Facts about Crossplane that manifests lack.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxyCrossplane {
    /// The version, such as `v2.3.4`. Default: the version of the core Deployment's image or of the HelmRelease in the
    /// input, else unknown.
    pub version: Option<String>,
    /// The namespace of the core, which contains the Services of functions. Default: the namespace of the core
    /// Deployment in the input.
    pub namespace: Option<String>,
    /// Packages whose runtime config is not in the input. Default: `Refuse`.
    #[serde(default)]
    pub missing_runtime_config: MissingRuntimeConfig,
}

/// A proxy: its URL, or a reference to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proxy {
    /// The URL.
    Url(String),
    /// A key of a Secret or a `ConfigMap` that contains the whole URL.
    From(ProxySource),
}

/// The source of a value: a key of a Secret or of a `ConfigMap`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxySource {
    /// Always rejected: a URL is written in place of the mapping, not as one of its fields.
    #[serde(default)]
    #[schemars(skip)]
    pub value: Option<String>,
    /// A key of a Secret in the namespace of the pods.
    pub secret_key_ref: Option<KeyRef>,
    /// A key of a `ConfigMap` in the namespace of the pods.
    pub config_map_key_ref: Option<KeyRef>,
}

/// A key of an object.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyRef {
    /// The object's name.
    pub name: String,
    /// The key.
    pub key: String,
}

/// The address of the API server in containers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ApiServerHosts {
    /// The value of `KUBERNETES_SERVICE_HOST`, which the kubelet sets.
    #[default]
    FromService,
    /// A list of hosts and addresses.
    Hosts(Vec<String>),
}

struct ProxyVisitor;

impl<'de> Visitor<'de> for ProxyVisitor {
    type Value = Proxy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a URL such as `http://proxy.example.com:3128`, or `{secretKeyRef: {name: proxy, key: url}}`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Proxy, E> {
        Ok(Proxy::Url(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Proxy, A::Error> {
        ProxySource::deserialize(MapAccessDeserializer::new(map)).map(Proxy::From)
    }
}

written_forms!(Proxy, ProxyVisitor, |generator| {
    let source = generator.subschema_for::<ProxySource>();
    json_schema!({
        "description": "A proxy: its URL, or a reference to it.",
        "oneOf": [{"type": "string", "minLength": 1}, source],
    })
});

struct HostsVisitor;

impl<'de> Visitor<'de> for HostsVisitor {
    type Value = ApiServerHosts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`FromService`, or a list of hosts and addresses such as `[api.example.com, 10.96.0.1]`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ApiServerHosts, E> {
        match text {
            "FromService" => Ok(ApiServerHosts::FromService),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<ApiServerHosts, A::Error> {
        elements(list).map(ApiServerHosts::Hosts)
    }
}

written_forms!(ApiServerHosts, HostsVisitor, |_| {
    json_schema!({
        "description": "Address of the API server for containers: the address that the kubelet sets, or these hosts \
                        and addresses.",
        "oneOf": [{"const": "FromService"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
    })
});
