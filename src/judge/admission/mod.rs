//! Policies of admission control in the input that refuse pods on the host network: one file an engine.

mod answer;
mod cel;
mod conditions;
mod gatekeeper;
mod grants;
mod kyverno;
mod pattern;
mod pod_security_policy;
mod pod_security_rule;
mod policy;
mod read;
mod security_context_constraints;
mod subject;
mod validating;

pub use policy::Certainty;
pub use subject::{ContainerPorts, Pods};

use gatekeeper::Constraint;
use kyverno::KyvernoPolicy;
use pod_security_policy::PodSecurityPolicies;
use policy::{Outcome, Policy};
use read::{names_host_fields, text};
use security_context_constraints::SecurityContextConstraints;
use validating::{By, ValidatingPolicy};

use crate::model::{Meta, Model, ObjectId};
use crate::plan::{Finding, listed};
use crate::rule::{ADMISSION_POLICY, Severity};
use crate::yaml::Value;

/// The number of host ports that a message names.
const NAMED: usize = 5;

/// All policies of the input.
pub struct Policies<'m>(Vec<(ObjectId, Box<dyn Policy + 'm>)>);

/// What a policy says of pods that it does not simply accept.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The policy.
    pub policy: ObjectId,
    /// How sure it is.
    pub certainty: Certainty,
    /// The policy and the host fields that it forbids.
    pub message: String,
    /// What to write so that the pods are accepted.
    pub remedy: String,
    /// The name of the policy.
    pub name: String,
}

impl<'m> Policies<'m> {
    /// The policies that may be about host fields.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        let all: Vec<(ObjectId, &Meta, &Value)> = model.admission_objects().collect();
        let of_kind = |group: &'static str, kind: &'static str| {
            let all = all.iter().filter(move |(_, meta, _)| meta.gvk.group == group && meta.gvk.kind == kind);
            all.map(|(id, meta, object)| (*id, *meta, *object))
        };
        let objects = |group, kind| of_kind(group, kind).map(|(.., object)| object).collect::<Vec<_>>();
        let mut policies: Vec<(ObjectId, Box<dyn Policy + 'm>)> = Vec::new();
        for (id, meta, object) in &all {
            let (id, meta, object) = (*id, *meta, *object);
            let policy: Box<dyn Policy + 'm> = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
                (_, "ValidatingPolicy" | "NamespacedValidatingPolicy" | "ValidatingAdmissionPolicy")
                    if !names_host_fields(object) =>
                {
                    continue;
                }
                ("kyverno.io", "ClusterPolicy" | "Policy") => {
                    let exceptions = objects("kyverno.io", "PolicyException");
                    Box::new(KyvernoPolicy { model, meta, object, exceptions })
                }
                ("policies.kyverno.io", "ValidatingPolicy" | "NamespacedValidatingPolicy") => {
                    let by = By::Kyverno(objects("policies.kyverno.io", "PolicyException"));
                    Box::new(ValidatingPolicy { model, meta, object, by })
                }
                (group @ "admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => {
                    let bindings = all.iter().filter(|(_, own, binding)| {
                        own.gvk.group == group
                            && own.gvk.kind == "ValidatingAdmissionPolicyBinding"
                            && text(binding, &["spec", "policyName"]) == Some(&meta.name)
                    });
                    let by = By::Bindings(bindings.map(|(_, meta, binding)| (*meta, *binding)).collect());
                    Box::new(ValidatingPolicy { model, meta, object, by })
                }
                ("constraints.gatekeeper.sh", kind) => {
                    let mut templates = of_kind("templates.gatekeeper.sh", "ConstraintTemplate");
                    let of = ["spec", "crd", "spec", "names", "kind"];
                    let template = templates.find(|(.., own)| text(own, &of) == Some(kind)).map(|(.., own)| own);
                    let configs = objects("config.gatekeeper.sh", "Config");
                    Box::new(Constraint { model, meta, object, template, configs })
                }
                _ => continue,
            };
            policies.push((id, policy));
        }
        let together = |group, kind| {
            let mut own = of_kind(group, kind).peekable();
            let first = own.peek().map(|(id, ..)| *id)?;
            Some((first, own.map(|(_, meta, object)| (meta, object)).collect::<Vec<_>>()))
        };
        if let Some((id, all)) = together("security.openshift.io", "SecurityContextConstraints") {
            policies.push((id, Box::new(SecurityContextConstraints { model, all })));
        }
        if let Some((id, all)) = together("policy", "PodSecurityPolicy") {
            policies.push((id, Box::new(PodSecurityPolicies { model, all })));
        }
        Self(policies)
    }

    /// The refusals of pods by the policies that `counts` lets count.
    pub fn judge(&self, pods: &Pods<'_>, counts: impl Fn(ObjectId) -> bool) -> Vec<Refusal> {
        let refusals = self.0.iter().filter(|(id, _)| counts(*id)).filter_map(|(id, policy)| {
            let outcome = policy.judge(pods)?;
            Some(refusal(*id, policy.as_ref(), pods, &outcome))
        });
        refusals.collect()
    }
}

fn refusal(id: ObjectId, policy: &dyn Policy, pods: &Pods<'_>, outcome: &Outcome) -> Refusal {
    let name = policy.name(&outcome.parts);
    let forbidden = forbidden(policy, pods, outcome.certainty);
    let message = match outcome.certainty {
        Certainty::Refuses => format!("{name} refuses its Pods: {forbidden} is forbidden"),
        Certainty::May => {
            format!("{name} forbids {forbidden}, and whether that counts for its Pods cannot be read from the input")
        }
        Certainty::Unread => {
            format!("{name} is about host fields and cannot be read: check that it accepts {forbidden}")
        }
    };
    let remedy = policy.remedy(pods, &outcome.parts);
    Refusal { policy: id, certainty: outcome.certainty, message, remedy, name }
}

/// The host fields of pods that a policy does not accept by themselves; all of them where it is only their combination.
fn forbidden(policy: &dyn Policy, pods: &Pods<'_>, certainty: Certainty) -> String {
    let is_forbidden = |pods: Pods<'_>| policy.judge(&pods).is_some_and(|outcome| outcome.certainty == certainty);
    let network = pods.host_network && is_forbidden(pods.with_only(true, None));
    let ports = pods.host_ports();
    let forbidden: Vec<u16> =
        ports.iter().copied().filter(|port| is_forbidden(pods.with_only(false, Some(*port)))).collect();
    let all = !network && forbidden.is_empty();
    let mut fields = Vec::new();
    if network || all && pods.host_network {
        fields.push("`hostNetwork: true`".to_owned());
    }
    let ports = if all { ports } else { forbidden };
    if !ports.is_empty() {
        fields.push(format!("hostPort {}", listed(ports.iter().map(u16::to_string), NAMED)));
    }
    fields.join(" and ")
}

/// The finding about a refusal, a warning. `workload` is how messages call the pods.
#[must_use]
pub fn finding(workload: &dyn std::fmt::Display, refusal: &Refusal, more: &str) -> Finding {
    let message = format!("{workload}: {}. {}{more}", refusal.message, refusal.remedy);
    Finding::new(Severity::Warning, ADMISSION_POLICY, message)
}
