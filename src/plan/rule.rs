//! The ids of the rules: what a result's `rule` tag says, and what `hostnet explain` takes.

/// A rule: its id and its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What results call it.
    pub id: &'static str,
    /// What it is about, in a line.
    pub summary: &'static str,
    /// What `hostnet explain` prints.
    pub page: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $summary:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $summary, "; see `docs/rules/", $id, ".md`.")]
            pub const $name: Rule = Rule {
                id: $id,
                summary: $summary,
                page: include_str!(concat!("../../docs/rules/", $id, ".md")),
            };
        )*

        /// All rules, by id.
        pub const ALL: &[Rule] = &[$($name),*];
    };
}

rules! {
    CONFIG = "config", "the config cannot be used";
    CONTROLLER_CONFIG = "controller-config", "a ControllerConfig becomes a DeploymentRuntimeConfig";
    CROSSPLANE_VERSION = "crossplane-version", "which Crossplane runs the packages, and what that one cannot do";
    DNS_POLICY = "dns-policy", "a pod on the host network needs dnsPolicy ClusterFirstWithHostNet";
    DOCUMENT = "document", "an object has to change, and its document does not allow it";
    DUPLICATE_KEY = "duplicate-key", "a mapping has a key twice";
    DUPLICATE_OBJECT = "duplicate-object", "a selected workload is in the input more than once";
    FUNCTION = "function", "a Function of Crossplane stays in the pod network";
    HOOK = "hook", "a hook of a release, or a Job without a port, is left by a broad select";
    HOST_NETWORK = "host-network", "the pod template gets hostNetwork: true";
    HOST_PORT = "host-port", "every declared port gets a hostPort that equals its containerPort";
    MESH = "mesh", "a workload leaves its service mesh";
    NETWORK_POLICY = "network-policy", "a NetworkPolicy selects pods that are on the host network";
    NODE_PORT = "node-port", "a listener ends on a port that nodes use";
    PACKAGE = "package", "a target meets a package that Crossplane runs nothing of";
    POD_FORBIDS = "pod-forbids", "something in the pod spec forbids the host network";
    PORT_ASSIGNED = "port-assigned", "an automatic number is not recorded in `assigned`";
    PORT_CALLED = "port-called", "what the API server calls has to be reachable";
    PORT_CONFLICT = "port-conflict", "two listeners end on one port of the host network";
    PORT_DECLARED = "port-declared", "a process listens on a port that the manifest does not declare";
    PORT_GUESS = "port-guess", "a number may be a listener's, and nothing but its name says so";
    PORT_KEY = "port-key", "a key of `ports` does not mean exactly what it must";
    PORT_MOVED = "port-moved", "a listener gets another number";
    PORT_PLACEHOLDER = "port-placeholder", "a port is a variable that Flux fills in later";
    PORT_POOL = "port-pool", "`ports: auto` found no free number";
    PORT_REFERENCE = "port-reference", "what refers to a listener's number moves with it";
    PORT_TOLD = "port-told", "how a process is told its port";
    PROGRAM_ALONE = "program-alone", "a program that cannot be told its port, and that nothing calls, stays";
    PROGRAM_UNKNOWN = "program-unknown", "a container of a moved workload runs a program that the catalogue does not know";
    ROLLOUT = "rollout", "a rollout frees host ports before new pods need them, where the config asks for it";
    RUNTIME_CONFIG = "runtime-config", "a Provider of Crossplane moves through a runtime config of its own";
    SERVICE_TARGET = "service-target", "a Service leads to the moved port";
    UNMATCHED = "unmatched", "a target matches nothing";
}

/// The rule of this id.
#[must_use]
pub fn find(id: &str) -> Option<Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
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
