//! kustomize builds. kustomize drops the results of a function, and since v5.4.0 the warnings of a successful exec
//! plugin, so important findings are errors there.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::GROUP;
use crate::model::{Meta, ObjectId};
use crate::plan::pattern::{escaped, quoted};
use crate::plan::{Finding, NothingSelected, Plan, listed};
use crate::rule::{self, Severity};
use krm::{Form, Input};

/// Annotation that kustomize sets on every object it sends to a function (`api/internal/plugins/utils/utils.go`).
pub(super) const ID: &str = "kustomize.config.k8s.io/id";

/// Maximum number of workloads per error.
const MAX_WORKLOADS: usize = 20;

/// True if the inputs are a kustomize build.
pub(super) fn is_build<'m>(inputs: &[Input], mut metas: impl Iterator<Item = &'m Meta>) -> bool {
    inputs.iter().any(Input::is_of_kustomize) || metas.any(|meta| meta.annotations.get(ID).is_some())
}

/// True if the input's text may be a kustomize build; a quick test.
pub fn may_be_build(input: &Input) -> bool {
    input.is_of_kustomize() || input.text().contains(ID)
}

/// True for a build without objects: kustomize then sends the config as the only item, marked as local (`fnplugin.go`).
pub(super) fn is_empty_build(inputs: &[Input], metas: &[Meta]) -> bool {
    matches!(inputs, [input] if input.form() == Form::ResourceList && input.function_config().is_some())
        && matches!(metas, [only] if only.gvk.group == GROUP && only.is_local_config())
}

/// Adds errors about objects that the config should have changed, and turns warnings about numbers without effect into
/// errors.
pub(super) fn report_unreached_objects(config: &str, plan: &mut Plan, metas: &[Meta]) {
    for finding in plan.findings.iter_mut().filter(|finding| finding.is_error_in_build) {
        finding.severity = Severity::Error;
    }
    let meta = |id: &ObjectId| metas.get(*id);
    let nothing = plan.missed.nothing_selected.as_ref().filter(|_| plan.all_edits().next().is_none());
    if let Some(nothing) = nothing {
        let may_register: Vec<&Meta> = nothing.may_register.iter().filter_map(meta).collect();
        let message = nothing_selected(config, nothing, &may_register);
        plan.findings.push(Finding::new(Severity::Error, rule::UNMATCHED, message));
    }
    let left: Vec<&Meta> = plan.missed.called_staying.iter().filter_map(meta).collect();
    plan.findings
        .extend(unmoved_finding("the API server calls these workloads, and they stay on the pod network", &left));
    if plan.findings.iter().any(|finding| finding.severity == Severity::Error) {
        return;
    }
    // A workload that stays unchanged as intended, such as a Function, has no warning.
    let warnings = plan.findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let warned: BTreeSet<ObjectId> = warnings.filter_map(|finding| finding.object).collect();
    let unmoved: Vec<&Meta> = plan.missed.unmoved.iter().filter(|id| warned.contains(id)).filter_map(meta).collect();
    let finding =
        unmoved_finding("a target matches these workloads, and all of them stay on the pod network", &unmoved);
    plan.findings.extend(finding);
}

/// Error about a config that selects no object of a build.
fn nothing_selected(config: &str, nothing: &NothingSelected, may_register: &[&Meta]) -> String {
    let by_call = if nothing.by_call {
        ". The API server calls no workload of this build: where a layer above adds the webhooks, list the config in that layer"
    } else {
        ". Patterns match whole names, with the prefixes and suffixes of this layer and the layers below"
    };
    let named = match may_register {
        [] => String::new(),
        some => format!(
            ". The program of {} may register webhooks when it runs: if the API server calls it, select it by name",
            listed(some, MAX_WORKLOADS)
        ),
    };
    format!(
        "{config} selects no object of this build, so nothing changes{by_call}{named}. If this is intended, write `{}` in its spec",
        nothing.accepted_by
    )
}

/// Message about a check whose selects match no object.
pub(super) fn nothing_checked_message(check: &str) -> String {
    let check = format!("HostNetworkCheck {check}");
    format!(
        "{} selects no object of this build, so nothing is checked. Patterns match whole names, with the prefixes and suffixes of this \
         layer and the layers below. If this is intended, write `failOn: Never` in its spec",
        check.trim_end()
    )
}

/// Error about workloads that stay on the pod network; `why` is the reason.
fn unmoved_finding(why: &str, left: &[&Meta]) -> Option<Finding> {
    if left.is_empty() {
        return None;
    }
    let names = listed(left, MAX_WORKLOADS);
    let mut entries: BTreeMap<(&str, Option<&str>), Vec<String>> = BTreeMap::new();
    for meta in left {
        entries.entry((&meta.gvk.kind, meta.namespace.as_deref())).or_default().push(escaped(&meta.name));
    }
    let entries: Vec<String> =
        entries.iter().map(|((kind, namespace), names)| exclude_entry(kind, *namespace, names)).collect();
    let message = format!(
        "{why}: {names}. Fix the causes of the warnings about them, or exclude them in the spec: `exclude: [{}]`",
        entries.join(", ")
    );
    Some(Finding::new(Severity::Error, rule::HOST_NETWORK, message))
}

/// A select of objects by name: `{kind: Deployment, namespace: shop, name: 'web|api'}`.
fn exclude_entry(kind: &str, namespace: Option<&str>, names: &[String]) -> String {
    let fields =
        [("kind", Some(escaped(kind))), ("namespace", namespace.map(escaped)), ("name", Some(names.join("|")))];
    let fields = fields.into_iter().filter_map(|(key, pattern)| Some(format!("{key}: {}", quoted(pattern?))));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::{escaped, exclude_entry};

    #[test]
    fn names_of_one_namespace_share_an_entry() {
        let names = ["web", "a.b"].map(escaped);
        assert_eq!(exclude_entry("Job", Some("shop"), &names), r"{kind: Job, namespace: shop, name: 'web|a\.b'}");
        assert_eq!(exclude_entry("Provider", None, &names[..1]), "{kind: Provider, name: web}");
    }
}
