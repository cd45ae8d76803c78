//! Rules of all kinds: the `rule` tags of results, and the arguments of `hostnet explain`. Each id has one page.

use std::ops::Deref;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Certain failure; stops the whole run.
    Error,
    /// Skipped change or possible failure.
    Warning,
    /// Note.
    Info,
}

/// Rule with its id and page; as small as a pointer, since each planned edit has a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule(&'static RuleText);

impl Deref for Rule {
    type Target = RuleText;

    fn deref(&self) -> &RuleText {
        self.0
    }
}

/// Id, texts and severities of a rule.
#[derive(Debug, PartialEq, Eq)]
pub struct RuleText {
    /// Id in results.
    pub id: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Page printed by `hostnet explain`.
    pub page: &'static str,
    /// Severities of findings from `hostnet check`, the worst first; empty for rules that `check` does not use.
    pub check: &'static [Severity],
}

/// Address of the page of a rule.
pub fn page_of(id: &str) -> String {
    format!("{}/docs/rules/{id}.md", env!("CARGO_PKG_HOMEPAGE"))
}

macro_rules! rules {
    ($($name:ident = $id:literal, $summary:literal $(, check $($severity:ident)+)?;)*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $summary, "; see `docs/rules/", $id, ".md`.")]
            pub const $name: Rule = Rule(&RuleText {
                id: $id,
                summary: $summary,
                page: include_str!(concat!("../docs/rules/", $id, ".md")),
                check: &[$($(Severity::$severity),+)?],
            });
        )*

        /// All rules, by id.
        pub const ALL: &[Rule] = &[$($name),*];
    };
}

rules! {
    ADMISSION_POLICY = "admission-policy", "a policy of the input refuses pods on the host network", check Error Warning;
    CONFIG = "config", "the config cannot be used";
    CONTROLLER_CONFIG = "controller-config", "a ControllerConfig becomes a DeploymentRuntimeConfig";
    CROSSPLANE_VERSION = "crossplane-version", "the version of Crossplane, and its limits";
    DNS_POLICY = "dns-policy", "a pod on the host network needs dnsPolicy ClusterFirstWithHostNet", check Error Warning Info;
    DOCUMENT = "document", "a document cannot be read, or does not allow the change of an object", check Error Warning;
    DUPLICATE_KEY = "duplicate-key", "a mapping has a key twice", check Warning;
    DUPLICATE_OBJECT = "duplicate-object", "an object is in the input more than once", check Error Info;
    FUNCTION = "function", "a Function of Crossplane on the host network; it belongs in the pod network", check Error;
    HOOK = "hook", "a hook of a release, or a Job without a port, is not moved by a broad select";
    HOST_NAME = "host-name", "a program on the host network finds the node's name where it expects the pod's", check Warning;
    HOST_NETWORK = "host-network", "the pod template gets hostNetwork: true";
    HOST_PORT = "host-port", "on the host network a declared port has a hostPort that equals its containerPort", check Error Warning Info;
    IMAGE_SOURCE = "image-source", "an image comes from the mirror";
    KNATIVE = "knative", "a Knative Service uses the host network", check Error;
    KUSTOMIZE_NAME = "kustomize-name", "a reference that kustomize updates only at the end of a build, or never";
    MESH = "mesh", "a workload that is on the host network or moves there is in a service mesh", check Warning;
    NETWORK_POLICY = "network-policy", "a NetworkPolicy selects pods that are on the host network", check Warning;
    NODE_PORT = "node-port", "a listener gets or keeps a port that nodes use", check Error Warning Info;
    PACKAGE = "package", "a target matches a package without pods";
    PACKAGE_DEPENDENCY = "package-dependency", "dependencies of packages, by their names after the change";
    PACKAGE_DIGEST = "package-digest", "a package or an image has a digest, or needs one";
    PACKAGE_POLICY = "package-policy", "pull policies of packages, and files of Crossplane's cache";
    PACKAGE_REGISTRY = "package-registry", "the protocol by which Crossplane reaches a registry, and package names without registry";
    PACKAGE_SOURCE = "package-source", "a package comes from the mirror";
    POD_FORBIDS = "pod-forbids", "a field of the pod spec forbids the host network", check Error Warning;
    POD_SECURITY = "pod-security", "a Namespace enforces a Pod Security level that forbids host networking", check Error Warning Info;
    PORT_ASSIGNED = "port-assigned", "an automatic number is not recorded in `assigned`";
    PORT_CALLED = "port-called", "the API server has to reach the workloads that it calls", check Error Warning;
    PORT_CONFLICT = "port-conflict", "two listeners have the same port on the host network", check Error Warning;
    PORT_DECLARED = "port-declared", "a process listens on a port that the manifest does not declare", check Warning;
    PORT_GUESS = "port-guess", "only the name of a setting suggests that a process listens on its number";
    PORT_KEY = "port-key", "a key of `ports` does not match exactly one port";
    PORT_MOVED = "port-moved", "a listener gets another number";
    PORT_PLACEHOLDER = "port-placeholder", "a port is a variable that Flux fills in later", check Info;
    PORT_POOL = "port-pool", "`ports: auto` found no free number";
    PORT_REFERENCE = "port-reference", "references to a listener's number move with it";
    PORT_SETTING = "port-setting", "the setting of a process's port";
    PROBE_ADDRESS = "probe-address", "a probe of a pod on the host network dials a port that the pod does not listen on", check Warning;
    PROGRAM_ALONE = "program-alone", "a program whose port cannot be set and that nothing calls is not moved";
    PROGRAM_UNKNOWN = "program-unknown", "a container of a moved workload runs a program that the catalogue does not know";
    PROXY_ENTRY = "proxy-entry", "an entry of NO_PROXY never matches";
    PROXY_EXISTING = "proxy-existing", "a container has proxy variables already";
    PROXY_OPAQUE = "proxy-opaque", "the value of a proxy variable is not in the input";
    PROXY_REACH = "proxy-reach", "a host is reached through the proxy instead of directly, or the reverse";
    PROXY_URL = "proxy-url", "side effects of the URL of a proxy";
    PROXY_VARIABLE = "proxy-variable", "a container gets proxy variables";
    REPLICAS_NODES = "replicas-nodes", "more replicas than eligible nodes; a node runs one pod per host port", check Error Warning;
    ROLLOUT = "rollout", "a rollout frees host ports before new pods need them, if the config enables it";
    ROLLOUT_SURGE = "rollout-surge", "a rolling update of pods with host ports cannot finish", check Error Warning Info;
    RUNTIME_CONFIG = "runtime-config", "a package on the host network needs its own runtime config", check Error;
    SERVICE_TARGET = "service-target", "the container port of a Service's targetPort", check Error Warning;
    SIDECAR_PORT = "sidecar-port", "another object injects ports into pods on the host network", check Error Warning;
    SUBSET_PATCH = "subset-patch", "a patch of a subset changes the host network, ports or probes of pods", check Error Warning;
    UNMATCHED = "unmatched", "a target matches nothing, or less than its text suggests";
    UNUSED_IGNORE = "unused-ignore", "a suppression matches no finding, or has no reason", check Warning;
}

/// Finds a rule by id.
pub fn find(id: &str) -> Option<Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

/// Rules that `hostnet check` uses, by id.
pub fn checked() -> impl Iterator<Item = &'static Rule> {
    ALL.iter().filter(|rule| !rule.check.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{ALL, find};

    #[test]
    fn a_rule_is_found_by_its_id() {
        assert!(ALL.iter().all(|rule| find(rule.id) == Some(*rule)));
        assert_eq!(find("nothing"), None);
    }
}
