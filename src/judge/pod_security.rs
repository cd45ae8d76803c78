//! Namespaces whose Pod Security level forbids host networking: Namespaces of the input, and Namespaces that are
//! created for an Application or a release.
//!
//! Source: kubernetes/pod-security-admission@8f84a87 `policy/check_hostNamespaces.go`, `check_hostPorts.go`,
//! `api/constants.go`: both checks belong to `baseline`, and so to `restricted`, and include init containers.

use std::collections::BTreeSet;

use crate::model::pod::PodTemplate;
use crate::model::text::holds_placeholder;
use crate::model::{Meta, Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{POD_SECURITY, Severity};
use lossless_yaml::Path;

/// Namespace label for the enforced level.
pub const ENFORCE: &str = "pod-security.kubernetes.io/enforce";
/// Namespace label that pins the policy version.
const ENFORCE_VERSION: &str = "pod-security.kubernetes.io/enforce-version";
/// Level that allows everything.
pub const PRIVILEGED: &str = "privileged";

/// Modes that do not reject pods, and their Namespace labels.
const WARNING_MODES: [(&str, &str); 2] =
    [("warn", "pod-security.kubernetes.io/warn"), ("audit", "pod-security.kubernetes.io/audit")];

/// Pod Security result for pods on the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodSecurityResult<'m> {
    /// Pods are rejected.
    Refuses(RefusingNamespace<'m>),
    /// Pods are admitted with a warning or audit entry: the mode and its level.
    Warns(&'static str, &'m str),
    /// The Namespace is in the input without a label, so the cluster's default applies.
    Unlabelled,
    /// Pods are allowed, or the Namespace is not in the input.
    Nothing,
}

/// A Namespace that rejects pods on the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusingNamespace<'m> {
    /// Object with the labels of the Namespace.
    pub object: ObjectId,
    /// The Namespace.
    pub namespace: &'m Meta,
    /// The enforced level.
    pub level: &'m str,
    /// Path of the labels in an object that creates the Namespace; `None` for the Namespace itself.
    pub labels: Option<&'m Path>,
}

/// Pod Security result for a namespace. If several Namespaces in the input have this name, the strictest one for which
/// `counts` is true applies.
pub fn pod_security_result<'m>(
    model: &'m Model,
    name: &str,
    counts: impl Fn(ObjectId) -> bool,
) -> PodSecurityResult<'m> {
    if let Some(refusing) = refusing(model, name).find(|refusing| counts(refusing.object)) {
        return PodSecurityResult::Refuses(refusing);
    }
    let namespaces = || labelled(model, name).filter(|(id, ..)| counts(*id));
    let warning_mode = |meta| WARNING_MODES.into_iter().find_map(|(mode, label)| Some((mode, forbids(meta, label)?)));
    if let Some((mode, level)) = namespaces().find_map(|(_, meta, _)| warning_mode(meta)) {
        return PodSecurityResult::Warns(mode, level);
    }
    let mut unlabelled = namespaces().filter(|(_, meta, _)| meta.labels.get(ENFORCE).is_none());
    if unlabelled.next().is_some() { PodSecurityResult::Unlabelled } else { PodSecurityResult::Nothing }
}

/// Namespace objects that show the labels of the Namespace `name`: if one in the input has an enforced level, all in
/// the input; else created Namespaces with a level; else all Namespaces in the input; else all created Namespaces.
fn labelled<'m>(
    model: &'m Model,
    name: &str,
) -> impl Iterator<Item = (ObjectId, &'m Meta, Option<&'m Path>)> + use<'m> {
    let has_level = |meta: &Meta| meta.labels.get(ENFORCE).is_some();
    let mut all: Vec<_> = model.namespaces(name).map(|(id, meta)| (id, meta, None)).collect();
    if !all.iter().any(|(_, meta, _)| has_level(meta)) {
        let made = model.made_namespaces(name).map(|(id, made)| (id, &made.meta, made.labels.as_ref()));
        let (with_level, without): (Vec<_>, Vec<_>) = made.partition(|(_, meta, _)| has_level(meta));
        if !with_level.is_empty() {
            all = with_level;
        } else if all.is_empty() {
            all = without;
        }
    }
    all.into_iter()
}

/// True if a Namespace of this name has an enforced level.
pub fn has_level(model: &Model, name: &str) -> bool {
    labelled(model, name).any(|(_, meta, _)| meta.labels.get(ENFORCE).is_some())
}

/// First object that shows the labels of a Namespace.
pub fn first_object(model: &Model, name: &str) -> Option<ObjectId> {
    labelled(model, name).next().map(|(id, ..)| id)
}

/// Namespaces of this name that reject pods on the host network.
pub fn refusing<'m>(model: &'m Model, name: &str) -> impl Iterator<Item = RefusingNamespace<'m>> + use<'m> {
    let refusing = |(object, namespace, labels)| {
        Some(RefusingNamespace { object, namespace, level: forbids(namespace, ENFORCE)?, labels })
    };
    labelled(model, name).filter_map(refusing)
}

/// Level of a label, if it forbids host networking. An unknown level of the enforced ones counts as `restricted`.
///
/// Source: kubernetes/pod-security-admission@8f84a87 `api/helpers.go`, `ParseLevel`, `PolicyToEvaluate`.
fn forbids<'m>(meta: &'m Meta, label: &str) -> Option<&'m str> {
    let counts = |level: &&str| matches!(*level, "baseline" | "restricted") || label == ENFORCE && is_unknown(level);
    meta.labels.get(label).filter(counts)
}

/// Levels of Pod Security.
const LEVELS: [&str; 3] = [PRIVILEGED, "baseline", "restricted"];

/// True for a text that is neither a level nor a placeholder.
fn is_unknown(level: &str) -> bool {
    !LEVELS.contains(&level) && !holds_placeholder(level)
}

/// Labels of a Namespace with an unknown level, each with the level.
pub fn unknown_levels(meta: &Meta) -> impl Iterator<Item = (&'static str, &str)> {
    let labels = [ENFORCE].into_iter().chain(WARNING_MODES.into_iter().map(|(_, label)| label));
    labels.filter_map(|label| Some((label, meta.labels.get(label).filter(|level| is_unknown(level))?)))
}

/// Additional violations of a template by hosts of probes and hooks, which policies from v1.34 on forbid, in the
/// wording of Pod Security. Empty without such hosts, and if the Namespace pins an older policy.
///
/// Source: kubernetes/pod-security-admission `policy/check_hostProbesAndhostLifecycle.go`.
pub fn probe_hosts(template: &PodTemplate, namespace: &Meta) -> String {
    let pinned = namespace.labels.get(ENFORCE_VERSION).and_then(|version| version.strip_prefix("v1."));
    if pinned.and_then(|minor| minor.parse().ok()).is_some_and(|minor: u32| minor < 34) {
        return String::new();
    }
    let dialled = template.containers.iter().flat_map(|container| {
        let hosts = container.probes.iter().filter_map(|probe| probe.host.as_ref());
        hosts.map(|host| (format!("\"{}\"", container.name), format!("\"{host}\"")))
    });
    let (containers, hosts): (BTreeSet<String>, BTreeSet<String>) = dialled.unzip();
    let (s, uses) = if containers.len() == 1 { ("", "uses") } else { ("s", "use") };
    let list = |items: &BTreeSet<String>| items.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let ends = if hosts.len() == 1 { "" } else { "s" };
    let description =
        format!("container{s} {} {uses} probe or lifecycle host{ends} {}", list(&containers), list(&hosts));
    if hosts.is_empty() { String::new() } else { format!(", probe or lifecycle host ({description})") }
}

/// Message about pods that violate the enforced level of their Namespace; `kind` is the kind of the object with the
/// template.
pub fn refusal(kind: &str, namespace: &Meta, level: &str, violation: &str) -> String {
    let version = namespace.labels.get(ENFORCE_VERSION).unwrap_or("latest");
    let words = format!("`violates PodSecurity \"{level}:{version}\": {violation}`");
    let refusal_text = match kind {
        "Pod" => format!("the API server refuses it: {words}"),
        kind => format!(
            "the {kind} is accepted, and each of its Pods refused, which only an event FailedCreate shows: {words}"
        ),
    };
    format!("its Namespace enforces `{level}`: {refusal_text}")
}

/// Message about pods that a Namespace admits with a warning or an audit entry.
pub fn warning(mode: &str, level: &str, violation: &str) -> String {
    format!(
        "its Namespace has Pod Security mode `{mode}` for Pods that violate `{level}`: {violation}. The Pods are admitted now, and refused if the Namespace enforces that \
         level. Write `pod-security.kubernetes.io/{mode}: {PRIVILEGED}` on a Namespace of such workloads"
    )
}

/// Message, once per run, about Namespaces without a label.
pub fn unlabelled(names: &BTreeSet<&str>) -> Option<Finding> {
    let names: Vec<&str> = names.iter().copied().collect();
    let message = format!(
        "Namespaces with host networking and without a label `{ENFORCE}`: {}. The cluster's default level is not visible in manifests",
        names.join(", ")
    );
    (!names.is_empty()).then(|| Finding::new(Severity::Info, POD_SECURITY, message))
}

/// Violation of every pod on the host network, in the wording of Pod Security.
pub const HOST_NETWORK: &str = "host namespaces (hostNetwork=true)";

/// Violations of a template, in the wording of Pod Security; `None` without violations.
pub fn violation(template: &PodTemplate) -> Option<String> {
    let on_host = template.on_host_network();
    let (mut containers, mut numbers) = (Vec::new(), BTreeSet::new());
    for container in &template.containers {
        let mut uses = false;
        for port in container.ports.iter().flatten() {
            // In Pods on the host network, the API server sets absent host ports before admission.
            if let Some(number) = port.host_number().or_else(|| port.number().filter(|_| on_host)) {
                numbers.insert(number.to_string());
                uses = true;
            }
        }
        if uses {
            containers.push(format!("\"{}\"", container.name));
        }
    }
    let mut parts = Vec::new();
    if on_host {
        parts.push(HOST_NETWORK.to_owned());
    }
    if !containers.is_empty() {
        let (s, uses) = if containers.len() == 1 { ("", "uses") } else { ("s", "use") };
        let port = if numbers.len() == 1 { "hostPort" } else { "hostPorts" };
        let numbers: Vec<String> = numbers.into_iter().collect();
        parts.push(format!("hostPort (container{s} {} {uses} {port} {})", containers.join(", "), numbers.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
