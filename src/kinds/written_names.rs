//! Warns of names that a run writes and that kustomize does not replace at the end of a build.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::kustomize_names::{MAX_NAMED, field_path};
use crate::catalog::{self, NameReference};
use crate::model::{GENERATED_KINDS, Meta, Model, ObjectId};
use crate::plan::{Change, Content, Edit, Finding, Plan, listed};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

/// Annotation of a generated object that gets a hash at the end of the build.
const NEEDS_HASH: &str = "internal.config.kubernetes.io/needsHashSuffix";

/// References to one object by one name, in fields that kustomize does not follow.
#[derive(Default)]
struct LostReferences {
    /// Objects with the references, in order of the edits.
    referrers: Vec<String>,
    /// The fields, in kustomize's field spec syntax.
    fields: BTreeSet<String>,
    /// Input object of the first reference, and the path there.
    first: Option<(ObjectId, Path)>,
    /// True if an object and a reference to it have different namespaces for kustomize.
    is_elsewhere: bool,
}

/// Adds a warning for each Secret and ConfigMap that an edit names and that has another name at the
/// end of the build.
pub(super) fn report_lost_references(model: &Model, plan: &mut Plan) {
    let metas = model.objects().iter().enumerate().map(|(id, object)| (id, &object.meta));
    let targets: Vec<(ObjectId, &Meta)> =
        metas.filter(|(_, meta)| meta.is_generated_kind() && !meta.is_local_config()).collect();
    if !targets.iter().any(|(_, meta)| needs_hash(meta) || meta.was_renamed()) {
        return;
    }
    let added: HashMap<ObjectId, ObjectId> = plan.all_edits().filter_map(anchor).collect();
    let mut lost: BTreeMap<(ObjectId, String), LostReferences> = BTreeMap::new();
    for edit in plan.all_edits() {
        let known = model.object(edit.object).map(|object| &object.meta);
        let new = || edit.object.checked_sub(model.objects().len()).and_then(|at| plan.new.get(at));
        let Some(referrer) = known.or_else(new) else { continue };
        for (path, name) in written_texts(edit) {
            let field = field_path(&path);
            let Some(row) = row_missing_in_kustomize_table(referrer, &field) else { continue };
            let Some((target, meta)) = renamed_target(&targets, referrer, row, name) else { continue };
            let references = lost.entry((target, name.to_owned())).or_default();
            let label = referrer.to_string();
            if !references.referrers.contains(&label) {
                references.referrers.push(label);
            }
            let gvk = &referrer.gvk;
            let group = if gvk.group.is_empty() { String::new() } else { format!("group: {}, ", gvk.group) };
            references.fields.insert(format!("{{{group}kind: {}, path: {field}}}", gvk.kind));
            references.is_elsewhere |= compared_namespace(referrer) != compared_namespace(meta);
            let place = added.get(&edit.object).copied().unwrap_or(edit.object);
            references.first.get_or_insert((place, path));
        }
    }
    let findings = lost.iter().filter_map(|((target, name), references)| {
        let meta = &model.object(*target)?.meta;
        let (object, path) = references.first.clone()?;
        let finding = Finding::new(Severity::Warning, rule::KUSTOMIZE_NAME, message(meta, name, references));
        // A path in a new object does not exist in the input object at which the finding is reported.
        Some(if added.values().any(|after| *after == object) {
            finding.on_object(object)
        } else {
            finding.on_object(object).at(path)
        })
    });
    let findings: Vec<Finding> = findings.collect();
    plan.findings.extend(findings);
}

/// Message about references that kustomize does not update when it changes the object's name.
fn message(meta: &Meta, name: &str, references: &LostReferences) -> String {
    let referrers = listed(&references.referrers, MAX_NAMED);
    let (change, remedy) = if name == meta.name {
        (
            "gets a hash in its name at the end of this build".to_owned(),
            "keep the name with `options: {disableNameSuffixHash: true}` in its generator".to_owned(),
        )
    } else if needs_hash(meta) {
        (
            format!("had the name {name} and gets a hash"),
            format!(
                "write {} in the config, with `options: {{disableNameSuffixHash: true}}` in the generator",
                meta.name
            ),
        )
    } else {
        (format!("had the name {name}"), format!("write {} in the config", meta.name))
    };
    let fields = references.fields.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let namespace = if references.is_elsewhere {
        let namespace = meta.namespace.as_deref().unwrap_or("default");
        format!(
            ", and the field `namespace: {namespace}` in its kustomization, since kustomize compares the namespaces of the objects"
        )
    } else {
        String::new()
    };
    format!(
        "{meta} {change}, and kustomize does not change that name in {referrers}, which then name an object that does not exist. Give the \
         build this row in a file of `configurations`: nameReference: [{{kind: {}, fieldSpecs: [{fields}]}}]{namespace}; or {remedy}",
        meta.gvk.kind
    )
}

fn needs_hash(meta: &Meta) -> bool {
    meta.annotations.get(NEEDS_HASH) == Some("enabled")
}

/// Namespace with which kustomize compares an object; it treats every custom resource as namespaced.
fn compared_namespace(meta: &Meta) -> &str {
    meta.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or("default")
}

/// A new object, and the input object after which it is written.
fn anchor(edit: &Edit) -> Option<(ObjectId, ObjectId)> {
    match edit.change {
        Change::AddDocument { after, .. } => Some((edit.object, after)),
        _ => None,
    }
}

/// Texts that an edit writes, each with its path in the object.
fn written_texts(edit: &Edit) -> Vec<(Path, &str)> {
    let mut texts = Vec::new();
    match &edit.change {
        Change::Set { new, .. }
        | Change::Add { new }
        | Change::Insert { new }
        | Change::AddDocument { content: Content::New(new), .. } => collect_texts(&edit.path, new, &mut texts),
        Change::AddDocument { content: Content::Copy, .. }
        | Change::Text { .. }
        | Change::Remove { .. }
        | Change::RemoveDocument => {}
    }
    texts
}

fn collect_texts<'v>(path: &Path, value: &'v Value, texts: &mut Vec<(Path, &'v str)>) {
    match value {
        Value::Str(text) => texts.push((path.clone(), text)),
        Value::Map(entries) => {
            for (key, value) in entries {
                collect_texts(&path.key(key.clone()), value, texts);
            }
        }
        Value::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_texts(&path.item(index), item, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Raw(_) => {}
    }
}

/// Row of the catalogue for a field that names a Secret or ConfigMap and that is not in kustomize's own table.
fn row_missing_in_kustomize_table(referrer: &Meta, field: &str) -> Option<&'static NameReference> {
    let is_field = |at: &&str| at.replace("[]", "").replace('.', "/") == field;
    let (group, kind) = (&referrer.gvk.group, &referrer.gvk.kind);
    let rows = || catalog::NAME_REFERENCES.iter().filter(|row| GENERATED_KINDS.contains(&row.to));
    let own = rows().find(|row| row.added && row.is_of(group, kind) && row.at.iter().any(is_field));
    own.or_else(|| {
        let of_pods = |at: &&str| {
            let end = at.replace("[]", "").replace('.', "/");
            let spec = field.strip_suffix(&end).and_then(|before| before.strip_suffix("spec/"));
            spec.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        rows().find(|row| !row.of.contains(&kind.as_str()) && row.pods.iter().any(of_pods))
    })
}

/// The object that a reference names, if the object gets another name at the end of the build.
fn renamed_target<'m>(
    targets: &[(ObjectId, &'m Meta)],
    referrer: &Meta,
    row: &NameReference,
    name: &str,
) -> Option<(ObjectId, &'m Meta)> {
    let in_reach = |meta: &Meta| {
        meta.gvk.kind == row.to && (row.global || compared_namespace(meta) == compared_namespace(referrer))
    };
    let near = || targets.iter().filter(|(_, meta)| in_reach(meta));
    let present: Vec<_> = near().filter(|(_, meta)| meta.name == name).collect();
    match present.as_slice() {
        [] => near().find(|(_, meta)| meta.had_name(name)).copied(),
        [first, ..] if present.iter().all(|(_, meta)| needs_hash(meta)) => Some(**first),
        _ => None,
    }
}
