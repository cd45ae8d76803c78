//! Loads the objects of inputs, independently of the config kind.

use std::collections::HashSet;

use super::duplicate_keys;
use super::function::{ObjectIndex, Planned};
use super::kustomize_names;
use super::written_names;
use crate::api::HostNetworkSpec;
use crate::catalog::WORKLOAD_KINDS;
use crate::kustomize::View;
use crate::model::index::drop_controller_created_templates;
use crate::model::{Kinds, Meta, Model, Object, ObjectId, TemplateKind};
use crate::plan::{Change, Content, Plan};
use crate::render::Source;
use crate::rule::Severity;
use krm::{DuplicateKey, Input, ReadError};
use lossless_yaml::NodeRef;

/// An object of an input, with facts collected while reading it.
struct LoadedObject {
    object: Object,
    /// Rarely present, boxed because an input may have very many objects.
    noticed: Option<Box<RareObjectData>>,
}

struct RareObjectData {
    source: Option<Source>,
    duplicates: Vec<DuplicateKey>,
}

impl RareObjectData {
    fn new(source: Option<Source>, duplicates: Vec<DuplicateKey>) -> Option<Box<Self>> {
        let is_something = source.is_some() || !duplicates.is_empty();
        is_something.then(|| Box::new(Self { source, duplicates }))
    }
}

/// Objects loaded from all inputs.
#[derive(Default)]
pub(super) struct LoadedModel {
    pub(super) model: Model,
    /// Source files of objects, in object order.
    pub(super) sources: Vec<(ObjectId, Source)>,
    pub(super) firsts: Vec<usize>,
    pub(super) duplicates: Vec<(ObjectId, DuplicateKey)>,
    /// Maps names in references to the names that the objects have at the end of a kustomize build.
    view: View,
}

impl LoadedModel {
    /// Plans with `decide` and returns the plan and further results. Drops the model before rendering, to lower peak
    /// memory. `is_chosen` is true for workloads that the config selects if the API server calls them.
    pub(super) fn planned<T>(
        self,
        inputs: &[Input],
        is_chosen: impl Fn(&Meta) -> bool,
        decide: impl FnOnce(&Model) -> (Plan, T),
    ) -> (Planned<'_>, T) {
        let (mut plan, more) = decide(&self.model);
        self.add_input_findings(is_chosen, &mut plan);
        let read = ObjectIndex { inputs, metas: self.model.into_metas(), sources: self.sources, firsts: self.firsts };
        (Planned { plan, read }, more)
    }

    /// Adds findings about names inside a kustomize build and about duplicate keys to a plan.
    pub(super) fn add_input_findings(&self, is_chosen: impl Fn(&Meta) -> bool, plan: &mut Plan) {
        kustomize_names::report_names(&self.view, &self.model, is_chosen, plan);
        written_names::report_lost_references(&self.model, plan);
        report_duplicates(&self.duplicates, &self.model, plan);
    }
}

/// Reads all objects with `read`; passes its additional data to `keep`, in reading order.
pub(super) fn load<T: Send>(
    inputs: &[Input],
    kinds: &Kinds<'_>,
    read: impl Fn(NodeRef<'_, '_>) -> (Object, T) + Sync,
    mut keep: impl FnMut(ObjectId, &Object, T),
) -> Result<LoadedModel, ReadError> {
    let mut objects = Vec::new();
    let mut loaded = LoadedModel { view: View::new(inputs, kinds)?, ..LoadedModel::default() };
    for (position, input) in inputs.iter().enumerate() {
        loaded.firsts.push(objects.len());
        let seen = loaded.view.edited(position).unwrap_or(input).object_batches(|place, node| {
            let (object, more) = read(node);
            let source = source(&object.meta, input, place.document - 1);
            Some((LoadedObject { object, noticed: RareObjectData::new(source, place.duplicate_keys(node)) }, more))
        })?;
        let seen = seen.unwrap_or_default();
        objects.reserve_exact(seen.iter().map(Vec::len).sum());
        for (seen, more) in seen.into_iter().flatten() {
            keep(objects.len(), &seen.object, more);
            if let Some(noticed) = seen.noticed {
                loaded.duplicates.extend(noticed.duplicates.into_iter().map(|duplicate| (objects.len(), duplicate)));
                loaded.sources.extend(noticed.source.map(|source| (objects.len(), source)));
            }
            objects.push(seen.object);
        }
    }
    drop_controller_created_templates(&mut objects);
    loaded.model = Model::new(objects);
    Ok(loaded)
}

/// Adds findings about duplicate keys: parsers differ in which value they use, so a changed object must not have any.
fn report_duplicates(duplicates: &[(ObjectId, DuplicateKey)], model: &Model, plan: &mut Plan) {
    if duplicates.is_empty() {
        return;
    }
    let changed = plan.all_edits().filter_map(|edit| match &edit.change {
        Change::AddDocument { after, content } => Some(*after).filter(|_| *content == Content::Copy),
        Change::RemoveDocument => None,
        _ => Some(edit.object),
    });
    let changed: HashSet<ObjectId> = changed.collect();
    let severity = |object| if changed.contains(&object) { Severity::Error } else { Severity::Warning };
    plan.findings.extend(duplicate_keys::findings(duplicates, model, severity));
}

/// Combines built-in kinds with the kinds of a config.
pub(super) fn kinds(config: Option<&HostNetworkSpec>) -> Kinds<'_> {
    let own = config.into_iter().flat_map(|config| &config.templates);
    let own = own.map(|template| {
        TemplateKind::new(&template.group, &template.kind, &template.path)
            .with_versions(template.versions.iter().map(String::as_str))
    });
    let templates = own.chain(WORKLOAD_KINDS.iter().map(TemplateKind::from));
    Kinds { templates: templates.collect(), references: config.map_or(&[], |config| &config.references) }
}

/// Source file of an object: from kpt's annotation, kustomize's origin, or the opened file.
pub(super) fn source(meta: &Meta, input: &Input, document: usize) -> Option<Source> {
    if let Some(path) = input.origin().path() {
        return Some(Source { path: path.display().to_string(), index: document });
    }
    let annotation = |key: &str| meta.annotations.get(key);
    if let Some(origin) = annotation("config.kubernetes.io/origin") {
        let path = origin.lines().find_map(|line| line.strip_prefix("path: "))?;
        return Some(Source { path: path.trim().to_owned(), index: 0 });
    }
    // From the second function of a build on, kustomize makes paths up; paths of kpt are real.
    if annotation("kustomize.config.k8s.io/id").is_some() {
        return None;
    }
    let path = annotation("internal.config.kubernetes.io/path").or_else(|| annotation("config.kubernetes.io/path"))?;
    let index = annotation("internal.config.kubernetes.io/index").or_else(|| annotation("config.kubernetes.io/index"));
    Some(Source { path: path.to_owned(), index: index.and_then(|index| index.parse().ok()).unwrap_or(0) })
}
