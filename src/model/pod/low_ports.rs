//! Permission of a container to listen below port 1024 on the host network.

use lossless_yaml::NodeRef;

/// The first port that every process may listen on (the kernel's `ip_unprivileged_port_start`). In the pod network
/// containerd lowers it to 0, on the host network it does not (containerd v2.0
/// `internal/cri/server/podsandbox/sandbox_run_linux.go`).
pub const FIRST_FREE: u16 = 1024;

/// Permission of a container to listen on privileged ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LowPorts {
    /// Runs as root, or no field denies root.
    Allowed,
    /// Runs as non-root; a file capability of the image's program may still permit low ports.
    Doubtful,
    /// Runs as non-root and cannot gain capabilities.
    Denied,
}

impl LowPorts {
    /// Reads the security contexts of a container and its pod spec.
    pub(in crate::model) fn read(container: NodeRef<'_, '_>, spec: NodeRef<'_, '_>) -> Self {
        let own = container.get("securityContext");
        let pod = spec.get("securityContext");
        let field = |key: &str| own.and_then(|security_context| security_context.get(key)).or_else(|| pod?.get(key));
        let user = field("runAsUser").and_then(NodeRef::as_int);
        let not_root = field("runAsNonRoot").and_then(NodeRef::as_bool) == Some(true);
        if user.map_or(!not_root, |user| user == 0) {
            return Self::Allowed;
        }
        let capabilities = own.and_then(|security_context| security_context.get("capabilities"));
        let has = |list: &str, wanted: &[&str]| {
            let names =
                capabilities.and_then(|capabilities| capabilities.get(list)).into_iter().flat_map(NodeRef::items);
            names.filter_map(NodeRef::text).any(|name| wanted.contains(&name.trim_start_matches("CAP_")))
        };
        if has("add", &["NET_BIND_SERVICE", "ALL"]) {
            return Self::Allowed;
        }
        let no_more = own
            .and_then(|security_context| security_context.get("allowPrivilegeEscalation"))
            .and_then(NodeRef::as_bool)
            == Some(false);
        if no_more || has("drop", &["NET_BIND_SERVICE", "ALL"]) { Self::Denied } else { Self::Doubtful }
    }
}
