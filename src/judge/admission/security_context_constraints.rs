//! `SecurityContextConstraints` of `OpenShift`: pods need one that accepts them and that their service account may use.
//!
//! Source: openshift/apiserver-library-go@a8019f39f pkg/securitycontextconstraints/sccadmission/admission.go (`Admit`,
//! `listSortedSCCs`); openshift/api security/v1/types.go (`users`, `groups`, `allowHostNetwork`, `allowHostPorts`),
//! security/v1/consts.go (`RequiredSCCAnnotation`).

use super::grants::Account;
use super::policy::{Certainty, Outcome, Policy, manifest};
use super::read::{at, texts};
use super::subject::Pods;
use crate::catalog::is_refusing_scc;
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// All `SecurityContextConstraints` of the input.
pub(super) struct SecurityContextConstraints<'m> {
    pub(super) model: &'m Model,
    pub(super) all: Vec<(&'m Meta, &'m Value)>,
}

/// Annotation of pods with the only constraints that may accept them.
const REQUIRED: &str = "openshift.io/required-scc";

/// True if a pod template of the input, or of a package, may have the annotation with the required constraints.
pub(super) fn may_have_required_scc(model: &Model) -> bool {
    model.packages().next().is_some() || model.workloads().any(|(.., template)| required(template).is_some())
}

/// Name of the constraints that a pod template requires.
fn required(template: &PodTemplate) -> Option<&str> {
    template.annotations.get(REQUIRED).filter(|name| !name.is_empty())
}

/// Prefix of built-in roles that allow the use of the constraints whose name follows.
const ROLE: &str = "system:openshift:scc:";

impl Policy for SecurityContextConstraints<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let required = required(pods.view.template);
        // A Pod that a user creates may also be accepted by constraints that the user may use.
        let is_doubtful = pods.view.meta.is_pod() && required.is_none();
        // Manifests for all clusters have the annotation too; only OpenShift reads it.
        let certainty = if is_doubtful || !self.is_openshift() { Certainty::May } else { Certainty::Refuses };
        let mut names = match required {
            Some(name) => vec![name.to_owned()],
            None if self.all.is_empty() => return None,
            None => self.usable(&Account::new(pods)?),
        };
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
        if required(pods.view.template).is_some() {
            return format!(
                "write `{REQUIRED}: hostnetwork-v2` in the annotations of its pod template, and let its service account use these constraints"
            );
        }
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

/// API groups that only `OpenShift` serves. Source: openshift/api@55192328, the folders with `register.go`.
const GROUPS: [&str; 14] = [
    "apps.openshift.io",
    "authorization.openshift.io",
    "build.openshift.io",
    "config.openshift.io",
    "console.openshift.io",
    "image.openshift.io",
    "imageregistry.operator.openshift.io",
    "machineconfiguration.openshift.io",
    "operator.openshift.io",
    "project.openshift.io",
    "route.openshift.io",
    "security.openshift.io",
    "template.openshift.io",
    "user.openshift.io",
];

impl SecurityContextConstraints<'_> {
    /// True if the input has an object that only `OpenShift` accepts.
    fn is_openshift(&self) -> bool {
        let mut groups = self.model.objects().iter().map(|object| object.meta.gvk.group.as_str());
        !self.all.is_empty() || groups.any(|group| GROUPS.contains(&group))
    }

    /// Names of the constraints that a service account may use.
    fn usable(&self, account: &Account<'_>) -> Vec<String> {
        let user = account.user();
        let resource = ("security.openshift.io", "securitycontextconstraints");
        let mut names = account.usable_policy_names(self.model, resource, |role| role.strip_prefix(ROLE));
        let granted = self.all.iter().filter(|(_, constraints)| {
            let users = texts(constraints, &["users"]);
            users.contains(&user.as_str())
                || texts(constraints, &["groups"]).iter().any(|group| account.is_in_group(group))
        });
        names.extend(granted.map(|(meta, _)| meta.name.clone()));
        names
    }
}
