//! Policies that apply by permission of a service account: `SecurityContextConstraints` of `OpenShift`, and
//! `PodSecurityPolicy`.

use super::Outcome::{self, Refused, Silent, Unsure};
use crate::host_network::stream;

/// A `SecurityContextConstraints` with users or groups.
pub(super) fn scc(name: &str, allows: bool, who: &str) -> String {
    format!(
        "apiVersion: security.openshift.io/v1\nkind: SecurityContextConstraints\nmetadata: {{name: {name}}}\nallowHostNetwork: {allows}\nallowHostPorts: \
         {allows}\nallowPrivilegedContainer: false\n{who}\n"
    )
}

/// A binding of the service account of the pods to a role.
pub(super) fn binding(role: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: web, namespace: shop}}\nroleRef: {{apiGroup: \
         rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}\nsubjects: [{{kind: ServiceAccount, name: default, namespace: shop}}]\n"
    )
}

/// A binding of the older group of `OpenShift`, whose lists of names replace the subjects.
fn openshift(role: &str, names: &str) -> String {
    binding(role).replace("rbac.authorization.k8s.io/v1", "authorization.openshift.io/v1") + names + "\n"
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let psp = |name: &str, spec: &str| {
        format!("apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n")
    };
    let role = |name: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: use-{name}}}\nrules: [{{apiGroups: [policy], resources: \
             [podsecuritypolicies], verbs: [use], resourceNames: [{name}]}}]\n"
        )
    };
    let everybody = "groups: [system:authenticated]";
    vec![
        (Refused, scc("restricted", false, everybody)),
        (Refused, scc("own", false, "users: ['system:serviceaccount:shop:default']")),
        (Silent, scc("own", true, everybody)),
        (Silent, scc("own", false, "users: ['system:serviceaccount:other:default']")),
        (Silent, stream([scc("own", false, everybody), scc("net", true, "groups: ['system:serviceaccounts:shop']")])),
        (Silent, stream([scc("own", false, everybody), binding("system:openshift:scc:hostnetwork-v2")])),
        (Refused, stream([scc("own", false, everybody), binding("system:openshift:scc:anyuid")])),
        (Silent, stream([scc("own", false, everybody), binding("cluster-admin")])),
        (Silent, stream([scc("own", false, everybody), openshift("system:openshift:scc:hostnetwork-v2", "")])),
        (Refused, stream([scc("own", false, everybody), openshift("system:openshift:scc:anyuid", "")])),
        (
            Refused,
            stream([
                scc("own", false, everybody),
                openshift("system:openshift:scc:hostnetwork-v2", "groupNames: [auditors]"),
            ]),
        ),
        (Unsure, stream([psp("restricted", "hostNetwork: false"), role("restricted"), binding("use-restricted")])),
        (
            Unsure,
            stream([
                psp("net", "hostNetwork: true, hostPorts: [{min: 80, max: 9000}]"),
                role("net"),
                binding("use-net"),
            ]),
        ),
        (
            Silent,
            stream([
                psp("net", "hostNetwork: true, hostPorts: [{min: 80, max: 65535}]"),
                role("net"),
                binding("use-net"),
            ]),
        ),
        (Silent, stream([psp("restricted", "hostNetwork: false"), role("restricted")])),
        (Silent, psp("restricted", "hostNetwork: false")),
    ]
}
