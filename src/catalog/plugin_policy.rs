//! Policies of network plugins, clouds and meshes.

use super::data;

/// Kinds of policies with one form of spec.
#[derive(Debug)]
pub struct PluginPolicy {
    /// API group.
    pub group: &'static str,
    /// Kinds.
    pub kinds: &'static [&'static str],
    /// Form of the spec.
    pub form: PolicyForm,
}

/// Form of a policy's spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyForm {
    /// Policies of Cilium.
    Cilium,
    /// Policies of Calico.
    Calico,
    /// `subject`, and rules with `action`.
    Admin,
    /// Policies of Antrea.
    Antrea,
    /// Egress of a whole namespace, with `type: Deny`.
    EgressFirewall,
    /// A dedicated source address for outbound connections of the selected pods; refuses nothing.
    EgressAddress,
    /// The spec of a `NetworkPolicy`.
    Native,
    /// `podSelector` and `egress`; other egress of the selected pods is refused.
    NativeEgress,
    /// Policies of NSX.
    Nsx,
    /// Authorization policies of Istio.
    Istio,
    /// Requirements of Istio for mutual TLS.
    IstioPeer,
    /// Hosts that pods with a proxy of Istio reach.
    IstioSidecar,
    /// Servers of Linkerd.
    Linkerd,
    /// Linkerd's default of a namespace, in an annotation.
    LinkerdDefault,
    /// Policies of Kuma and Consul: rules with an `action`, for services of the mesh.
    MeshService,
    /// Groups of `NeuVector`, with a `policymode`.
    NeuVector,
    /// Rules of Kyverno, some of which make a `NetworkPolicy`.
    Generated,
    /// Tenants of Capsule, with policies for each of their namespaces.
    Tenant,
    /// Subnets of Kube-OVN, with rules for all pods of their namespaces.
    Subnet,
    /// Policies of an unknown plugin.
    Other,
    /// Interfaces of nodes that policies of Calico select.
    CalicoHost,
    /// Rules for connections to nodes.
    NodeFirewall,
}

impl PolicyForm {
    /// True for policies of a service mesh, which has no effect on pods on the host network.
    pub fn is_of_mesh(self) -> bool {
        matches!(
            self,
            Self::Istio
                | Self::IstioPeer
                | Self::IstioSidecar
                | Self::Linkerd
                | Self::LinkerdDefault
                | Self::MeshService
        )
    }
}

/// Form of a kind of policies; `None` for other kinds.
pub fn policy_form(group: &str, kind: &str) -> Option<PolicyForm> {
    let row = data::PLUGIN_POLICIES.iter().find(|row| row.group == group && row.kinds.contains(&kind));
    row.map(|row| row.form).or_else(|| is_unknown_policy(group, kind).then_some(PolicyForm::Other))
}

/// True for a kind that by its name is a policy of a network plugin which the catalogue does not know. Calico does not
/// enforce staged policies (projectcalico/calico `api/pkg/apis/projectcalico/v3/stagednetworkpolicy.go`).
fn is_unknown_policy(group: &str, kind: &str) -> bool {
    let is_kubernetes = !group.contains('.') || group == "networking.k8s.io";
    kind.ends_with("NetworkPolicy") && !kind.starts_with("Staged") && !is_kubernetes
}
