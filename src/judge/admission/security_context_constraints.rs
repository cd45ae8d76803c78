//! `SecurityContextConstraints` of `OpenShift`: pods need one that accepts them and that their service account may use.
//!
//! Source: openshift/apiserver-library-go@0666a1481 pkg/securitycontextconstraints/sccadmission/admission.go;
//! openshift/api security/v1/types.go (`users`, `groups`, `allowHostNetwork`, `allowHostPorts`).

use super::grants::Account;
use super::policy::{Certainty, Outcome, Policy, manifest};
use super::read::{at, texts};
use super::subject::Pods;
use crate::catalog::is_refusing_scc;
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// All `SecurityContextConstraints` of the input.
pub(super) struct SecurityContextConstraints<'m> {
    pub(super) model: &'m Model,
    pub(super) all: Vec<(&'m Meta, &'m Value)>,
}

/// Prefix of the roles in every cluster that allow the use of one of these constraints.
const ROLE: &str = "system:openshift:scc:";

impl Policy for SecurityContextConstraints<'_> {
    fn judge(&self, pods: &Pods<'_>) -> Option<Outcome> {
        // A Pod that a user creates may also be accepted by constraints that the user may use.
        let certainty = if pods.view.meta.is_pod() { Certainty::May } else { Certainty::Refuses };
        let account = Account::new(pods)?;
        let user = account.user();
        let mut names = account.may_use(self.model, ("security.openshift.io", "securitycontextconstraints"), |role| {
            role.strip_prefix(ROLE)
        });
        let granted = self.all.iter().filter(|(_, constraints)| {
            let users = texts(constraints, &["users"]);
            users.contains(&user.as_str()) || texts(constraints, &["groups"]).iter().any(|group| account.is_in(group))
        });
        names.extend(granted.map(|(meta, _)| meta.name.clone()));
        let accepts = |name: &String| match self.all.iter().find(|(meta, _)| meta.name == *name) {
            Some((_, own)) => {
                let is_on = |key: &str| at(own, &[key]) == Some(&Value::Bool(true));
                (is_on("allowHostNetwork") || !pods.host_network)
                    && (is_on("allowHostPorts") || pods.host_ports().is_empty())
            }
            // Constraints that are not in the input may accept the pods, except default ones that reject host fields.
            None => !is_refusing_scc(name),
        };
        if names.is_empty() || !pods.has_host_fields() || names.iter().any(accepts) {
            return None;
        }
        names.sort_unstable();
        names.dedup();
        Some(Outcome { certainty, parts: names })
    }

    fn name(&self, parts: &[String]) -> String {
        format!("SecurityContextConstraints {}", parts.join(", "))
    }

    fn remedy(&self, pods: &Pods<'_>, _: &[String]) -> String {
        let Some(account) = Account::new(pods) else { return String::new() };
        let role = Value::map([
            ("apiGroup", "rbac.authorization.k8s.io".into()),
            ("kind", "ClusterRole".into()),
            ("name", format!("{ROLE}hostnetwork-v2").into()),
        ]);
        let subject = Value::map([
            ("kind", "ServiceAccount".into()),
            ("name", account.name.into()),
            ("namespace", account.namespace.into()),
        ]);
        let rest = [("roleRef", role), ("subjects", Value::Seq(vec![subject]))];
        let binding = manifest(("rbac.authorization.k8s.io/v1", "RoleBinding"), pods, "hostnetwork", rest);
        format!("write {binding}, which lets its service account use one that accepts the host network")
    }
}
