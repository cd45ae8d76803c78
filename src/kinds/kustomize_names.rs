//! Findings about names that kustomize replaces at the end of a build and that affect a plan.

use std::collections::HashSet;

use super::function::ObjectIndex;
use crate::catalog::{self, NameReference};
use crate::kustomize::{AmbiguousReference, FormerNameReference, View};
use crate::model::{Facts, Meta, Model, ObjectId};
use crate::plan::{Finding, Plan};
use crate::render::Ops;
use crate::rule::{self, Severity};
use krm::Input;
use lossless_yaml::{Path, Step};

/// Maximum number of objects per message.
pub(super) const MAX_NAMED: usize = 5;

/// Objects that a plan affects.
struct AffectedObjects<'m, F> {
    model: &'m Model,
    edited: HashSet<ObjectId>,
    is_chosen: F,
}

impl<F: Fn(&Meta) -> bool> AffectedObjects<'_, F> {
    /// True if the object changes, or refers to a workload that changes.
    fn has(&self, id: ObjectId) -> bool {
        self.edited.contains(&id) || self.leads_to(id, |workload| self.edited.contains(&workload))
    }

    /// True if the object refers to a workload that the config would select if the API server calls it.
    fn may_have(&self, id: ObjectId) -> bool {
        let is_chosen = |workload| self.model.object(workload).is_some_and(|object| (self.is_chosen)(&object.meta));
        self.leads_to(id, is_chosen)
    }

    /// True if the Service selects pods of a matching object.
    fn leads_to(&self, service: ObjectId, is_match: impl Fn(ObjectId) -> bool) -> bool {
        let service = self.model.service(service);
        service.is_some_and(|(meta, service)| self.model.selected_by(meta, service).any(|(id, _)| is_match(id.object)))
    }

    /// Display name of an object.
    fn name(&self, id: ObjectId) -> String {
        self.model.object(id).map(|object| object.meta.to_string()).unwrap_or_default()
    }
}

/// Adds findings about references to a plan. `is_chosen` is true for workloads that the config selects if the API
/// server calls them.
pub(super) fn report_names(view: &View, model: &Model, is_chosen: impl Fn(&Meta) -> bool, plan: &mut Plan) {
    if !view.is_in_build() {
        return;
    }
    let concerned = AffectedObjects { model, edited: plan.all_edits().map(|edit| edit.object).collect(), is_chosen };
    let of_several = view.dangling.iter().filter(|reference| {
        let is_caller = || model.object(reference.referrer).is_some_and(|one| matches!(one.facts, Facts::Caller(_)));
        concerned.edited.contains(&reference.referrer)
            || reference.candidates.iter().any(|&id| concerned.has(id) || is_caller() && concerned.may_have(id))
    });
    let mut findings: Vec<Finding> = of_several.map(|reference| several(&concerned, reference)).collect();
    findings.extend(former_name_findings(view, &concerned));
    for (object, path, host) in model.dialled_host_texts() {
        let mut labels = host.split('.');
        let (Some(name), Some(namespace), Some("svc")) = (labels.next(), labels.next(), labels.next()) else {
            continue;
        };
        let services = view.renamed("Service", namespace, name);
        if let Some(now) = services.into_iter().find(|&id| concerned.has(id)) {
            let finding = former_host_finding(&concerned, object, host, now);
            findings.push(finding.on_object(object).at(path));
        }
    }
    plan.findings.extend(findings);
}

/// Findings about references by former names in fields that are not in kustomize's table, if the reference is in one of
/// these objects or names one of them.
pub(super) fn former_names(view: &View, model: &Model, objects: HashSet<ObjectId>) -> Vec<Finding> {
    former_name_findings(view, &AffectedObjects { model, edited: objects, is_chosen: |_: &Meta| false })
}

fn former_name_findings<F: Fn(&Meta) -> bool>(view: &View, concerned: &AffectedObjects<'_, F>) -> Vec<Finding> {
    let has = |reference: &&FormerNameReference| {
        concerned.edited.contains(&reference.referrer) || concerned.has(reference.target)
    };
    view.former.iter().filter(has).filter_map(|reference| former_name_finding(concerned, reference)).collect()
}

/// Finding about a host in a text that contains the former name of a Service: kustomize does not replace names in
/// texts.
fn former_host_finding<F: Fn(&Meta) -> bool>(
    concerned: &AffectedObjects<'_, F>,
    object: ObjectId,
    host: &str,
    now: ObjectId,
) -> Finding {
    let message = format!(
        "{}: the host {host} has the former name of {}, and kustomize replaces no names in texts: nothing answers at this host. Write the final name \
         there, or fill it in with `replacements`",
        concerned.name(object),
        concerned.name(now)
    );
    Finding::new(Severity::Warning, rule::KUSTOMIZE_NAME, message)
}

/// Warning about a name that several objects of the build may have.
fn several<F: Fn(&Meta) -> bool>(concerned: &AffectedObjects<'_, F>, reference: &AmbiguousReference) -> Finding {
    let AmbiguousReference { referrer, path, name, kind, candidates } = reference;
    let called = candidates.iter().take(MAX_NAMED).map(|&id| concerned.name(id)).collect::<Vec<_>>().join(" or ");
    let more = candidates.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(", or {more} more") } else { String::new() };
    let message = format!(
        "{}: {path} names {kind} {name}, which may be {called}{more}: this build does not show if kustomize replaces that name. Write \
         the present name there, with the present namespace",
        concerned.name(*referrer)
    );
    Finding::new(Severity::Error, rule::KUSTOMIZE_NAME, message).on_object(*referrer).at(path.clone())
}

/// Adds an error for each new object that a source kustomization renames without updating the reference to it.
pub(super) fn report_renamed(inputs: &[Input], ops: &Ops, plan: &mut Plan, read: &ObjectIndex<'_>) {
    let mut found = Vec::new();
    for new in &ops.added {
        let meta = new.object.checked_sub(read.metas.len()).and_then(|at| plan.new.get(at));
        let (Some(meta), Some((position, after))) = (meta, read.input_of(new.after)) else { continue };
        let kind = &meta.gvk.kind;
        let rows: Vec<String> =
            catalog::NAME_REFERENCES.iter().filter(|row| row.added && row.to == kind).flat_map(field_specs).collect();
        let Some(renaming) =
            inputs.get(position).and_then(|input| input.renaming(after, kind)).filter(|_| !rows.is_empty())
        else {
            continue;
        };
        let message = format!(
            "{meta} is new, and {} of {} changes its name, but no reference to it. Give the build this row in a file \
             of `configurations`: nameReference: [{{kind: {kind}, fieldSpecs: [{}]}}]; or run hostnet on the output of \
             `kustomize build`",
            renaming.field,
            renaming.file,
            rows.join(", "),
        );
        found.push(Finding::new(Severity::Error, rule::KUSTOMIZE_NAME, message).on_object(new.after));
    }
    plan.findings.extend(found);
}

/// Fields of a row, in kustomize's field spec syntax.
fn field_specs(row: &NameReference) -> Vec<String> {
    let group = if row.of_group.is_empty() { String::new() } else { format!("group: {}, ", row.of_group) };
    let all = row.of.iter().flat_map(|kind| row.at.iter().map(move |at| (kind, at)));
    all.map(|(kind, at)| format!("{{{group}kind: {kind}, path: {}}}", field_path(&Path::dotted(at)))).collect()
}

/// Reports a reference by a former name that kustomize replaces only with a `nameReference`.
fn former_name_finding<F: Fn(&Meta) -> bool>(
    concerned: &AffectedObjects<'_, F>,
    reference: &FormerNameReference,
) -> Option<Finding> {
    let FormerNameReference { referrer, path, name, target } = reference;
    let (own, to) = (concerned.model.object(*referrer)?, concerned.model.object(*target)?);
    let (gvk, to_kind) = (&own.meta.gvk, &to.meta.gvk.kind);
    let group = if gvk.group.is_empty() { String::new() } else { format!("group: {}, ", gvk.group) };
    let message = format!(
        "{}: {path} names {} by its former name {name}. kustomize replaces the name only if the build has this row in a file of `configurations`: \
         nameReference: [{{kind: {to_kind}, fieldSpecs: [{{{group}kind: {}, path: {}}}]}}]",
        own.meta,
        to.meta,
        gvk.kind,
        field_path(path),
    );
    Some(Finding::new(Severity::Info, rule::KUSTOMIZE_NAME, message).on_object(*referrer).at(path.clone()))
}

/// Path in kustomize's field spec syntax, without list indexes.
pub(super) fn field_path(path: &Path) -> String {
    let keys = path.steps().into_iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.replace('/', "\\/")),
        Step::Item { .. } => None,
    });
    keys.collect::<Vec<_>>().join("/")
}
