//! The ids of the rules: what a result's `rule` tag says, and what `hostnet explain` takes.

/// A rule: its id and its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What results call it.
    pub id: &'static str,
    /// What `hostnet explain` prints.
    pub page: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "`: see `docs/rules/", $id, ".md`.")]
            pub const $name: Rule =
                Rule { id: $id, page: include_str!(concat!("../../docs/rules/", $id, ".md")) };
        )*

        /// All rules, by id.
        pub const ALL: &[Rule] = &[$($name),*];
    };
}

rules! {
    CONFIG = "config";
    CONTROLLER_CONFIG = "controller-config";
    CROSSPLANE_VERSION = "crossplane-version";
    DNS_POLICY = "dns-policy";
    DOCUMENT = "document";
    DUPLICATE_KEY = "duplicate-key";
    DUPLICATE_OBJECT = "duplicate-object";
    FUNCTION = "function";
    HOST_NETWORK = "host-network";
    HOST_PORT = "host-port";
    NETWORK_POLICY = "network-policy";
    NODE_PORT = "node-port";
    PACKAGE = "package";
    POD_FORBIDS = "pod-forbids";
    PORT_ASSIGNED = "port-assigned";
    PORT_CALLED = "port-called";
    PORT_CONFLICT = "port-conflict";
    PORT_DECLARED = "port-declared";
    PORT_KEY = "port-key";
    PORT_MOVED = "port-moved";
    PORT_PLACEHOLDER = "port-placeholder";
    PORT_POOL = "port-pool";
    PORT_REFERENCE = "port-reference";
    PORT_TOLD = "port-told";
    PROGRAM_ALONE = "program-alone";
    RUNTIME_CONFIG = "runtime-config";
    SERVICE_TARGET = "service-target";
    UNMATCHED = "unmatched";
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
