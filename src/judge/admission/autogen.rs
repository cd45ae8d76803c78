//! Rules that Kyverno generates from rules for Pods: they apply to the controllers of the Pods under names of their
//! own, which exceptions must list.
//!
//! Source: kyverno/kyverno@111e07bbe pkg/autogen/v1/autogen.go (`CanAutoGen`, `computeRules`), pkg/autogen/v1/rule.go
//! (`generateRuleForControllers`, `generateCronJobRule`, `getAutogenRuleName`), api/kyverno/constants.go.

use super::read::{at, items, text, texts};
use super::subject::Subject;
use crate::model::Meta;
use lossless_yaml::Value;

/// Annotation of a policy with the kinds of controllers that get rules.
const CONTROLLERS: &str = "pod-policies.kyverno.io/autogen-controllers";

/// Kinds for which Kyverno generates rules, with the prefix of the names of these rules.
const KINDS: [(&str, &str, &str); 7] = [
    ("apps", "DaemonSet", "autogen-"),
    ("apps", "Deployment", "autogen-"),
    ("apps", "ReplicaSet", "autogen-"),
    ("apps", "StatefulSet", "autogen-"),
    ("batch", "Job", "autogen-"),
    ("", "ReplicationController", "autogen-"),
    ("batch", "CronJob", "autogen-cronjob-"),
];

/// Maximum length of the name of a generated rule.
const MAX_NAME_LENGTH: usize = 63;

/// Name of the rule that Kyverno generates from a rule of a policy for an object; `None` if it generates no rule for
/// such objects.
pub(super) fn generated(meta: &Meta, policy: &Value, rule: &Value, subject: Subject<'_, '_>) -> Option<String> {
    let (group, _, kind) = subject.gvk();
    let (.., prefix) = KINDS.iter().find(|(of_group, of_kind, _)| *of_group == group && *of_kind == kind)?;
    let wanted = meta.annotations.get(CONTROLLERS).unwrap_or("all");
    let is_wanted = wanted.split(',').any(|wanted| wanted == "all" || wanted == kind);
    let name = text(rule, &["name"]).unwrap_or_default();
    let has_pods = |block: Option<&Value>, otherwise: bool| {
        let kinds: Vec<&str> = filters(block).iter().flat_map(|filter| texts(filter, &["kinds"])).collect();
        if kinds.is_empty() { otherwise } else { kinds.iter().any(|kind| is_pod(kind)) }
    };
    let is_for_pods = has_pods(at(rule, &["match"]), false) && has_pods(at(rule, &["exclude"]), true);
    let may_generate = is_wanted && is_for_pods && !name.starts_with("autogen-");
    let is_allowed = || items(policy, &["spec", "rules"]).iter().all(allows_generated);
    (may_generate && is_allowed()).then(|| format!("{prefix}{name}").chars().take(MAX_NAME_LENGTH).collect())
}

/// True if this rule allows Kyverno to generate rules for the whole policy (`CanAutoGen`).
fn allows_generated(rule: &Value) -> bool {
    let is_json = |block: &Value| at(block, &["patchesJson6902"]).is_some();
    let mutate = at(rule, &["mutate"]);
    let has_json = mutate.is_some_and(|mutate| is_json(mutate) || items(mutate, &["foreach"]).iter().any(is_json));
    let blocks = [at(rule, &["match"]), at(rule, &["exclude"])];
    let is_plain = |filter: &&Value| {
        let kinds = texts(filter, &["kinds"]);
        let is_named = ["name", "names", "selector", "annotations"].iter().any(|key| at(filter, &[key]).is_some());
        !is_named && (kinds.len() < 2 || !kinds.iter().any(|kind| is_pod(kind)))
    };
    at(rule, &["generate"]).is_none()
        && !has_json
        && blocks.into_iter().flat_map(filters).all(|filter| is_plain(&filter))
}

/// Descriptions of resources in a `match` or `exclude` block.
fn filters(block: Option<&Value>) -> Vec<&Value> {
    let Some(block) = block else { return Vec::new() };
    let listed = [items(block, &["any"]), items(block, &["all"])].into_iter().flatten();
    listed.chain([block]).filter_map(|filter| at(filter, &["resources"])).collect()
}

/// True for the kind Pod in the notation of policies.
fn is_pod(written: &str) -> bool {
    written.rsplit('/').next() == Some("Pod")
}
