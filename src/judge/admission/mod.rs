//! Admission policies in the input that reject pods on the host network: one file per engine.

mod added_containers;
mod answer;
mod autogen;
mod cel;
mod conditions;
mod deletion;
mod fargate;
mod gatekeeper;
mod grants;
mod kubewarden;
mod kyverno;
mod mutating;
mod namespace_levels;
mod pattern;
mod pod_security_defaults;
mod pod_security_policy;
mod pod_security_rule;
mod polaris;
mod policy;
mod read;
mod security_context_constraints;
mod stackrox;
mod subject;
mod unread;
mod validating;

use std::collections::{BTreeMap, BTreeSet};

pub use added_containers::AddedContainers;
pub use namespace_levels::rules_against_privileged;
pub use policy::Certainty;
pub use subject::{ContainerPorts, Pods};

use subject::HOST_DNS;

use cel::Context;
use deletion::Deletion;
use fargate::FargateProfiles;
use gatekeeper::Constraint;
use kubewarden::Kubewarden;
use kyverno::KyvernoPolicy;
use mutating::{Assign, MutatingPolicy};
use namespace_levels::NamespaceLevels;
use pod_security_defaults::PodSecurityDefaults;
use pod_security_policy::PodSecurityPolicies;
use polaris::Polaris;
use policy::{Outcome, Policy};
use read::{names_host_fields, text};
use security_context_constraints::{SecurityContextConstraints, may_have_required_scc};
use stackrox::StackRoxPolicy;
use unread::UnreadPolicy;
use validating::{ActivatedBy, ValidatingPolicy};

use crate::model::facts::{PodsView, is_rego};
use crate::model::{Meta, Model, ObjectId};
use crate::plan::{Finding, listed};
use crate::rule::{ADMISSION_POLICY, Severity};
use lossless_yaml::Value;

/// Maximum number of host ports or policies that one message lists.
const NAMED: usize = 5;

/// Maximum number of policies reported one by one for a workload: users exempt only a few at a time.
const REPORTED: usize = 10;

/// Policies of the input that may depend on host fields.
pub struct Policies<'m>(Vec<(Option<ObjectId>, Box<dyn Policy + 'm>)>);

/// Rejection of pods by a policy, certain or possible.
#[derive(Debug, Clone)]
pub struct PolicyRejection {
    /// Certainty of the rejection.
    pub certainty: Certainty,
    /// Name of the policy and of its rules.
    pub name: String,
    message: String,
}

/// True if `matchConditions` of a webhook exclude the objects of a rollout on the host network: the pods if `of_pods`
/// is true, else the pods and their controllers.
pub fn is_excluded_by_match_conditions(
    model: &Model,
    workload: PodsView<'_>,
    of_pods: bool,
    conditions: &[String],
) -> bool {
    let pods = Pods { host_network: true, ..Pods::as_written(workload) };
    let subjects = pods.subjects();
    let is_false = |condition: &String| {
        subjects
            .iter()
            .filter(|subject| subject.is_pod() || !of_pods)
            .all(|subject| Context::new(model, *subject, &[]).answer(condition).value == Some(false))
    };
    conditions.iter().any(is_false)
}

impl<'m> Policies<'m> {
    /// Collects the policies that may depend on host fields.
    pub fn new(model: &'m Model) -> Self {
        let all: Vec<(ObjectId, &Meta, &Value)> = model.admission_objects().collect();
        let of_kind = |group: &'static str, kind: &'static str| {
            let all = all.iter().filter(move |(_, meta, _)| meta.gvk.group == group && meta.gvk.kind == kind);
            all.map(|(id, meta, object)| (*id, *meta, *object))
        };
        let profiles = all.iter().filter(|(_, meta, _)| fargate::has_profiles(meta));
        let clusters: BTreeSet<_> = profiles.map(|(_, meta, object)| fargate::cluster(meta, object)).collect();
        let has_other_clusters = clusters.len() > 1;
        let objects = |group, kind| of_kind(group, kind).map(|(.., object)| object).collect::<Vec<_>>();
        let mut policies: Vec<(Option<ObjectId>, Box<dyn Policy + 'm>)> = Vec::new();
        for (id, meta, object) in &all {
            let (id, meta, object) = (*id, *meta, *object);
            if let Some(levels) = NamespaceLevels::new(model, meta, object) {
                policies.push((Some(id), Box::new(levels)));
            }
            let policy: Box<dyn Policy + 'm> = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
                // Skip policies that hostnet generated: `check` evaluates the same fields itself.
                (
                    _,
                    "ValidatingPolicy"
                    | "NamespacedValidatingPolicy"
                    | "ValidatingAdmissionPolicy"
                    | "MutatingPolicy"
                    | "NamespacedMutatingPolicy"
                    | "MutatingAdmissionPolicy"
                    | "DeletingPolicy"
                    | "NamespacedDeletingPolicy"
                    | "CleanupPolicy"
                    | "ClusterCleanupPolicy",
                ) if meta.name.ends_with(".hostnet.dev") || !names_host_fields(object) => {
                    continue;
                }
                ("kyverno.io", "ClusterPolicy" | "Policy") => {
                    let exceptions = objects("kyverno.io", "PolicyException");
                    Box::new(KyvernoPolicy { model, meta, object, exceptions })
                }
                ("kyverno.io", "CleanupPolicy" | "ClusterCleanupPolicy")
                | ("policies.kyverno.io", "DeletingPolicy" | "NamespacedDeletingPolicy") => {
                    Box::new(Deletion::new(model, meta, object))
                }
                ("policies.kyverno.io", "ValidatingPolicy" | "NamespacedValidatingPolicy") => {
                    let by = ActivatedBy::Kyverno(objects("policies.kyverno.io", "PolicyException"));
                    Box::new(ValidatingPolicy { model, meta, object, by })
                }
                ("policies.kyverno.io", "MutatingPolicy" | "NamespacedMutatingPolicy") => {
                    let by = ActivatedBy::Kyverno(objects("policies.kyverno.io", "PolicyException"));
                    Box::new(MutatingPolicy(ValidatingPolicy { model, meta, object, by }))
                }
                (
                    group @ "admissionregistration.k8s.io",
                    kind @ ("ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy"),
                ) => {
                    let bindings = all.iter().filter(|(_, binding_meta, binding)| {
                        binding_meta.gvk.group == group
                            && binding_meta.gvk.kind.strip_suffix("Binding") == Some(kind)
                            && text(binding, &["spec", "policyName"]) == Some(&meta.name)
                    });
                    let by = ActivatedBy::Bindings(bindings.map(|(_, meta, binding)| (*meta, *binding)).collect());
                    let policy = ValidatingPolicy { model, meta, object, by };
                    if kind == "MutatingAdmissionPolicy" { Box::new(MutatingPolicy(policy)) } else { Box::new(policy) }
                }
                ("policies.kubewarden.io", _) => Box::new(Kubewarden { model, meta, object }),
                ("mutations.gatekeeper.sh", _) => {
                    let configs = objects("config.gatekeeper.sh", "Config");
                    Box::new(Assign(Constraint { model, meta, object, template: None, configs }))
                }
                ("constraints.gatekeeper.sh", kind) => {
                    let mut templates = of_kind("templates.gatekeeper.sh", "ConstraintTemplate");
                    let path = ["spec", "crd", "spec", "names", "kind"];
                    let template = templates
                        .find(|(.., template)| text(template, &path) == Some(kind))
                        .map(|(.., template)| template);
                    let configs = objects("config.gatekeeper.sh", "Config");
                    Box::new(Constraint { model, meta, object, template, configs })
                }
                _ if fargate::has_profiles(meta) => Box::new(FargateProfiles { meta, object, has_other_clusters }),
                _ => match policy_by_content(model, meta, object) {
                    Some(policy) => policy,
                    None => continue,
                },
            };
            policies.push((Some(id), policy));
        }
        let together = |group, kind| {
            let mut own = of_kind(group, kind).peekable();
            let first = own.peek().map(|(id, ..)| *id)?;
            Some((Some(first), own.map(|(_, meta, object)| (meta, object)).collect::<Vec<_>>()))
        };
        // A pod may require one of OpenShift's default constraints, which clusters have without an object in the input.
        let required = || may_have_required_scc(model).then(|| (None, Vec::new()));
        if let Some((id, all)) = together("security.openshift.io", "SecurityContextConstraints").or_else(required) {
            policies.push((id, Box::new(SecurityContextConstraints { model, all })));
        }
        let polaris = Polaris::by_default(model).into_iter();
        policies.extend(polaris.map(|(id, policy)| (Some(id), Box::new(policy) as Box<dyn Policy + 'm>)));
        if let Some((id, all)) = together("policy", "PodSecurityPolicy") {
            policies.push((id, Box::new(PodSecurityPolicies { model, all })));
        }
        Self(policies)
    }

    /// True without policies that may depend on host fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Rejections of pods by the policies for which `counts` is true. Policies after the first `REPORTED` share one
    /// rejection for each certainty.
    pub fn rejections(&self, pods: &Pods<'_>, counts: impl Fn(ObjectId) -> bool) -> Vec<PolicyRejection> {
        if !pods.has_host_fields() {
            return Vec::new();
        }
        let policies = self.0.iter().filter(|(id, _)| id.is_none_or(&counts)).map(|(_, policy)| policy.as_ref());
        let mut outcomes = policies.filter_map(|policy| Some((policy, policy.evaluate(pods)?)));
        let first = outcomes.by_ref().take(REPORTED).map(|(policy, outcome)| refusal(policy, pods, &outcome));
        let mut found: Vec<PolicyRejection> = first.collect();
        let mut further: BTreeMap<Certainty, Vec<(&dyn Policy, Outcome)>> = BTreeMap::new();
        for (policy, outcome) in outcomes {
            further.entry(outcome.certainty).or_default().push((policy, outcome));
        }
        found.extend(further.into_iter().map(|(certainty, policies)| summary(certainty, &policies)));
        found
    }
}

/// Policy in an object that is a policy only with certain content, such as a ConfigMap with a config of Polaris.
fn policy_by_content<'m>(model: &'m Model, meta: &'m Meta, object: &'m Value) -> Option<Box<dyn Policy + 'm>> {
    Some(match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("config.stackrox.io", _) => Box::new(StackRoxPolicy::new(meta, object)?),
        ("management.cattle.io" | "apiserver.config.k8s.io" | "pod-security.admission.config.k8s.io", _) => {
            Box::new(PodSecurityDefaults::new(model, meta, object)?)
        }
        ("", "ConfigMap") if !is_rego(meta) => Box::new(Polaris::new(model, meta, object)?),
        _ => Box::new(UnreadPolicy::new(meta, object)?),
    })
}

/// One rejection for all policies that get no message of their own.
fn summary(certainty: Certainty, policies: &[(&dyn Policy, Outcome)]) -> PolicyRejection {
    let named = policies.iter().take(NAMED).map(|(policy, outcome)| policy.name(&outcome.parts));
    let more = match policies.len().saturating_sub(NAMED) {
        0 => String::new(),
        1 => "; and 1 more policy".to_owned(),
        more => format!("; and {more} more policies"),
    };
    let name = format!("{}{more}", named.collect::<Vec<_>>().join("; "));
    let verb = |one, several| if policies.len() == 1 { one } else { several };
    let problem = match certainty {
        Certainty::Refuses => format!("also {} its Pods", verb("refuses", "refuse")),
        Certainty::May => format!(
            "also {} its host fields, and the input does not show whether {} to these Pods",
            verb("forbids", "forbid"),
            verb("it applies", "they apply")
        ),
        Certainty::Changes => format!("also {} `hostNetwork` of its Pods to false", verb("sets", "set")),
        Certainty::Deletes => format!("also {} its Pods", verb("deletes", "delete")),
        Certainty::Unread => {
            format!("also {} a condition about host fields that cannot be read", verb("has", "have"))
        }
    };
    let message = format!("{name} {problem}. Exempt the Pods as in the other messages about this workload");
    PolicyRejection { certainty, name, message }
}

/// Message and certainty for a policy that rejects pods.
fn refusal(policy: &dyn Policy, pods: &Pods<'_>, outcome: &Outcome) -> PolicyRejection {
    let name = policy.name(&outcome.parts);
    let forbidden = || forbidden(policy, pods, outcome.certainty);
    let remedy = policy.remedy(pods, &outcome.parts);
    let message = match outcome.certainty {
        Certainty::Refuses => {
            format!("{name} refuses its Pods, since it forbids {}. To exempt them, {remedy}", forbidden())
        }
        Certainty::May => {
            let doubt = "and the input does not show whether it applies to these Pods. If it does";
            format!("{name} forbids {}, {doubt}, {remedy}", forbidden())
        }
        Certainty::Changes => format!(
            "{name} sets `hostNetwork` of new Pods to false: where it applies to its Pods, they are in the pod network, with the host \
             ports of this workload. To exempt them, {remedy}"
        ),
        Certainty::Deletes => {
            let what = forbidden();
            format!(
                "{name} deletes its Pods, or the workload, at each run of its `schedule`, since they have {what}. To keep them, {remedy}"
            )
        }
        Certainty::Unread => {
            let doubt = "has a condition about host fields that cannot be read. If it does not accept";
            format!("{name} {doubt} {}, {remedy}", forbidden())
        }
    };
    PolicyRejection { certainty: outcome.certainty, name, message }
}

/// Host fields of pods that a policy rejects individually; all host fields if it rejects them only
/// in combination.
fn forbidden(policy: &dyn Policy, pods: &Pods<'_>, certainty: Certainty) -> String {
    let is_forbidden = |pods: Pods<'_>| policy.evaluate(&pods).is_some_and(|outcome| outcome.certainty == certainty);
    let network = pods.host_network && is_forbidden(pods.with_only_host_fields(true, None));
    let dns = pods.host_dns && certainty != Certainty::Unread && is_forbidden(pods.with_only_dns_policy());
    let ports = pods.host_ports();
    let forbidden: Vec<u16> =
        ports.iter().copied().filter(|port| is_forbidden(pods.with_only_host_fields(false, Some(*port)))).collect();
    let all = !network && !dns && forbidden.is_empty();
    let mut fields = Vec::new();
    if network || all && pods.host_network {
        fields.push("`hostNetwork: true`".to_owned());
    }
    if dns {
        fields.push(format!("`dnsPolicy: {HOST_DNS}`"));
    }
    let ports = if all { ports } else { forbidden };
    if !ports.is_empty() {
        fields.push(format!("hostPort {}", listed(ports, NAMED)));
    }
    fields.join(" and ")
}

impl PolicyRejection {
    /// Warning about a workload; `more` is added to the message.
    pub fn finding(&self, workload: PodsView<'_>, more: &str) -> Finding {
        Finding::new(Severity::Warning, ADMISSION_POLICY, format!("{workload}: {}{more}", self.message))
    }
}
