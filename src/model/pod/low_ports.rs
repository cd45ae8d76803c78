//! Permission of a container to listen below port 1024 on the host network.

use lossless_yaml::NodeRef;

/// The first port that every process may listen on (the kernel's `ip_unprivileged_port_start`). In the pod network
/// containerd lowers it to 0, on the host network it does not (containerd v2.0
/// `internal/cri/server/podsandbox/sandbox_run_linux.go`).
pub const FIRST_UNPRIVILEGED_PORT: u16 = 1024;

/// Permission of a container to listen on privileged ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LowPorts {
    /// Runs as root, or no field denies root.
    Allowed,
    /// Runs as non-root with the capability added. Kubernetes sets no ambient capabilities (KEP-2763), so the image's
    /// program needs the file capability.
    Added,
    /// Runs as non-root; a file capability of the image's program may still permit low ports.
    Doubtful,
    /// Runs as non-root and cannot gain capabilities.
    Denied,
    /// The capability is dropped, which root needs too: the kernel checks the capability and not the user (linux v6.12
    /// `net/ipv4/af_inet.c`, `__inet_bind`).
    Dropped,
}

impl LowPorts {
    /// Reads the security contexts of a container and its pod spec.
    pub(in crate::model) fn read(container: NodeRef<'_, '_>, spec: NodeRef<'_, '_>) -> Self {
        let own = container.get("securityContext");
        let pod = spec.get("securityContext");
        let field = |key: &str| own.and_then(|security_context| security_context.get(key)).or_else(|| pod?.get(key));
        let user = field("runAsUser").and_then(NodeRef::as_int);
        let not_root = field("runAsNonRoot").and_then(NodeRef::as_bool) == Some(true);
        let capabilities = own.and_then(|security_context| security_context.get("capabilities"));
        let has = |list: &str| {
            let names =
                capabilities.and_then(|capabilities| capabilities.get(list)).into_iter().flat_map(NodeRef::items);
            names.filter_map(NodeRef::text).any(|name| {
                let name = name.to_ascii_uppercase();
                ["NET_BIND_SERVICE", "ALL"].contains(&name.trim_start_matches("CAP_"))
            })
        };
        let flag = |key: &str| own.and_then(|security_context| security_context.get(key)).and_then(NodeRef::as_bool);
        if user.map_or(!not_root, |user| user == 0) {
            // `privileged` overrides the lists (containerd v2.0 `internal/cri/server/container_create.go`).
            let is_dropped = || has("drop") && !has("add") && flag("privileged") != Some(true);
            return if is_dropped() { Self::Dropped } else { Self::Allowed };
        }
        if has("add") {
            return Self::Added;
        }
        if flag("allowPrivilegeEscalation") == Some(false) || has("drop") { Self::Denied } else { Self::Doubtful }
    }
}
