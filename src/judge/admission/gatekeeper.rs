//! Gatekeeper constraints: the host networking constraints of its library are evaluated; other
//! templates are searched for host fields.
//!
//! Source: open-policy-agent/gatekeeper@0a4c472ac pkg/mutation/match/match.go (`match`),
//! `pkg/util/enforcement_action.go` (default `deny`), website/docs/exempt-namespaces.md;
//! open-policy-agent/gatekeeper-library@5c441fb64 library/pod-security-policy/host-network-ports/template.yaml.

use super::answer::Answer;
use super::policy::{Outcome, Policy, certainty, combined, list};
use super::read::{at, glob, has_key_or_text, is_host_text, items, names_host_fields, text, texts};
use super::subject::{Pods, Subject, in_namespaces, is_one_of};
use crate::catalog::{host_constraint, is_namespace_exempt};
use crate::model::{Meta, Model};
use lossless_yaml::{Value, one_line};

/// A constraint, or another object of Gatekeeper with the `match` field of constraints.
pub(super) struct Constraint<'m> {
    pub(super) model: &'m Model,
    pub(super) meta: &'m Meta,
    pub(super) object: &'m Value,
    /// ConstraintTemplate of the constraint's kind, if the input has it.
    pub(super) template: Option<&'m Value>,
    /// Gatekeeper `HostNetworkConfig` objects.
    pub(super) configs: Vec<&'m Value>,
}

impl Policy for Constraint<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        if !self.denies() {
            return None;
        }
        // The constraints of the library read the host fields of Pods. Other templates may read the host fields of
        // controllers.
        let is_known = host_constraint(&self.meta.gvk.kind).is_some();
        let subjects = if is_known { vec![pods.subject()] } else { pods.subjects() };
        let applies = Answer::any(subjects.into_iter().map(|subject| self.applies(subject)));
        let certainty = certainty(applies, self.evaluate_parameters(pods))?;
        combined(vec![(String::new(), certainty)])
    }

    fn name(&self, _: &[String]) -> String {
        self.meta.to_string()
    }

    fn remedy(&self, pods: &Pods<'_>, _: &[String]) -> String {
        let mut namespaces = texts(self.object, &["spec", "match", "excludedNamespaces"]);
        namespaces.push(pods.namespace().unwrap_or("NAMESPACE"));
        let excluded = one_line(&Value::map([("excludedNamespaces", list(namespaces))]));
        format!("write `match: {excluded}` into the spec of {}, next to the other fields of its `match`", self.meta)
    }
}

impl Constraint<'_> {
    /// True if the object applies to a subject, by its `match` and the exempted namespaces.
    pub(super) fn applies(&self, subject: Subject<'_, '_>) -> Answer {
        let is_exempt = subject.pods.namespace().is_some_and(|namespace| is_namespace_exempt("gatekeeper", namespace));
        let is_exempt_by_config = || self.is_exempt_by_config(subject.pods);
        if is_exempt { Answer::FALSE } else { Answer::all([is_exempt_by_config().not(), self.evaluate_match(subject)]) }
    }

    /// True if Gatekeeper rejects objects that violate the constraint.
    fn denies(&self) -> bool {
        match text(self.object, &["spec", "enforcementAction"]).unwrap_or("deny") {
            "deny" => true,
            "scoped" => items(self.object, &["spec", "scopedEnforcementActions"]).iter().any(|action| {
                let mut points =
                    items(action, &["enforcementPoints"]).iter().filter_map(|point| text(point, &["name"]));
                let is_admission = |name| matches!(name, "*" | "validation.gatekeeper.sh" | "vap.k8s.io");
                text(action, &["action"]) == Some("deny") && points.any(is_admission)
            }),
            _ => false,
        }
    }

    /// True if Gatekeeper is configured to exempt the namespace of pods.
    fn is_exempt_by_config(&self, pods: &Pods<'_>) -> Answer {
        let has_label = pods.namespace().is_some_and(|name| {
            let mut all = self.model.namespaces(name);
            all.any(|(_, meta)| meta.labels.get("admission.gatekeeper.sh/ignore").is_some())
        });
        let rows = self.configs.iter().flat_map(|config| items(config, &["spec", "match"]));
        let of_webhook =
            rows.filter(|row| texts(row, &["processes"]).iter().any(|process| matches!(*process, "*" | "webhook")));
        let excluded = of_webhook.map(|row| is_one_of(&texts(row, &["excludedNamespaces"]), pods));
        Answer::any([Answer::plain(has_label)].into_iter().chain(excluded))
    }

    /// Evaluates `spec.match` of a constraint.
    fn evaluate_match(&self, subject: Subject<'_, '_>) -> Answer {
        let Some(wanted) = at(self.object, &["spec", "match"]) else { return Answer::TRUE };
        let (group, _, kind) = subject.gvk();
        let has = |row: &Value, key: &str, actual: &str| {
            let all = texts(row, &[key]);
            all.is_empty() || all.iter().any(|wanted| *wanted == "*" || *wanted == actual)
        };
        let kinds = items(wanted, &["kinds"]);
        let is_kind = kinds.iter().any(|row| has(row, "kinds", kind) && has(row, "apiGroups", group));
        let namespaces = texts(wanted, &["namespaces"]);
        let name = text(wanted, &["name"]).unwrap_or_default();
        Answer::all([
            Answer::plain(kinds.is_empty() || is_kind),
            Answer::plain(text(wanted, &["scope"]) != Some("Cluster")),
            if namespaces.is_empty() { Answer::TRUE } else { is_one_of(&namespaces, subject.pods) },
            is_one_of(&texts(wanted, &["excludedNamespaces"]), subject.pods).not(),
            subject.is_selected(at(wanted, &["labelSelector"])),
            in_namespaces(self.model, subject.pods, at(wanted, &["namespaceSelector"])),
            Answer::plain(name.is_empty() || glob(name, &subject.name())),
        ])
    }

    /// Evaluates the host network and host ports of the pods against the parameters of a constraint.
    fn evaluate_parameters(&self, pods: &Pods<'_>) -> Answer {
        let kind = self.meta.gvk.kind.as_str();
        let Some(known) = host_constraint(kind) else {
            let names_host = is_host_text(kind)
                || at(self.object, &["spec", "parameters"]).is_some_and(names_host_parameter)
                || self.template.and_then(|template| at(template, &["spec", "targets"])).is_some_and(names_host_fields);
            return Answer::unknown(names_host);
        };
        let parameter = |key: &str| at(self.object, &["spec", "parameters", key]);
        let allows = parameter(known.host_network) == Some(&Value::Bool(true));
        let bound = |key: &str| match parameter(key) {
            Some(Value::Int(bound)) => Some(*bound),
            _ => None,
        };
        let exempt = texts(self.object, &["spec", "parameters", known.exempt]);
        let is_exempt = |image: &str| {
            exempt
                .iter()
                .any(|pattern| pattern.strip_suffix('*').map_or(*pattern == image, |prefix| image.starts_with(prefix)))
        };
        let checked = pods.containers.iter().filter(|container| !is_exempt(&container.container.image));
        let mut ports = checked.flat_map(|container| container.host_ports.iter().map(|port| i64::from(*port)));
        let (min, max) = (bound(known.min), bound(known.max));
        let fits = ports.all(|port| min.is_none_or(|min| port >= min) && max.is_none_or(|max| port <= max));
        Answer::all([Answer::depends_on_host(allows || !pods.host_network), Answer::depends_on_host(fits)])
    }
}

/// True if a parameter names a host field. Words with a dash are values of another kind, such as the label
/// `hostNetwork-allowed`.
fn names_host_parameter(value: &Value) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '/');
    let has_field = |text: &str| text.split(|c| !is_of_word(c)).any(|word| !word.contains('-') && is_host_text(word));
    has_key_or_text(value, &has_field)
}
