//! `hostnet patch`: converts a plan to patches, and verifies that built output contains them.

use std::collections::{BTreeMap, HashMap};

use super::function::{Function, ObjectIndex, Planned, RunError};
use super::run::{checked_ops, run};
use crate::api::FailOn;
use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Edit, Finding, Plan};
use crate::render::patch::{Form, ObjectPatch, Renames, Target, name_without_hash, of_object, text};
use crate::render::{Diagnostic, results};
use crate::rule::{self, Severity};
use krm::{Input, ReadError};
use lossless_yaml::{Kind, NodeRef};

mod admission;
mod applied_patches;
mod late_names;
mod pairs;
mod refusals;
mod set_namespace;
mod verify;

pub use admission::{Policies, policies};
pub use applied_patches::find_already_patched_object;
pub use late_names::{already_renamed_message, are_in_namespace, have_name_affixes};
pub use pairs::{Carrier, ReleaseMatch, carriers, evidence, pair, refuse_other_namespaces, release_of_other_carrier};
pub use refusals::{refuse_after_component, refuse_changed_by_builds, refuse_later_steps, release_warnings};
pub use set_namespace::{former_namespace_entry, refuse_set_namespace};
pub use verify::verify;

/// Patches of a config, with objects that patches cannot contain.
#[derive(Debug)]
pub struct Patches {
    /// One patch per changed object, in input order; empty if an error stops the run.
    pub patches: Vec<ObjectPatch>,
    /// New objects.
    pub new: Vec<NewObject>,
    /// Removed objects.
    pub removed: Vec<Meta>,
    /// All results, sorted.
    pub results: Vec<Diagnostic>,
    /// Severity from which on the run fails.
    pub fail_on: FailOn,
}

/// A new object, which a JSON6902 patch cannot create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewObject {
    /// Identity of the object.
    pub meta: Meta,
    /// YAML of the object.
    pub text: String,
}

impl NewObject {
    /// File name for the object.
    pub fn file(&self) -> String {
        let name = [&self.meta.gvk.kind, self.meta.namespace.as_deref().unwrap_or_default(), &self.meta.name];
        let words: Vec<&str> = name.into_iter().filter(|word| !word.is_empty()).collect();
        let plain =
            |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c.to_ascii_lowercase() } else { '-' };
        format!("{}.yaml", words.join("-").chars().map(plain).collect::<String>())
    }
}

impl Patches {
    /// True if findings stopped the run.
    pub fn failed(&self) -> bool {
        self.results.iter().any(|result| self.fail_on.stops(result.severity))
    }

    /// True if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.patches.is_empty() && self.new.is_empty() && self.removed.is_empty()
    }

    /// Reason why the form cannot contain the new and removed objects; `None` if it can, or without such objects. With
    /// `folder` each new object gets its own file.
    pub fn form_problem(&self, form: Form, folder: bool) -> Option<String> {
        let new = self.new.iter().map(|new| format!("{} is new", new.meta));
        let objects: Vec<String> = new.chain(self.removed.iter().map(|meta| format!("{meta} is removed"))).collect();
        let objects = objects.join(", ");
        if !objects.is_empty() && !form.holds_objects() {
            return Some(format!(
                "{objects}: Flux's own objects hold only patches. `--as component` and `--as kustomization` with \
                 --output-dir DIR can do it, and so can `hostnet apply` on the files that Flux reads"
            ));
        }
        (!self.new.is_empty() && !folder)
            .then(|| format!("{objects}: give --output-dir DIR, which takes a file for each new object"))
    }

    /// Writes the patches in a form; `resources` are further resources of a kustomization.
    ///
    /// ```
    /// # use hostnet::api::HostNetworkConfig;
    /// # use hostnet::kinds::patch;
    /// # use hostnet::render::patch::{Form, Renames};
    /// # use krm::{Input, Origin};
    /// let config = "{kind: HostNetwork, apiVersion: hostnet.dev/v1alpha1, spec: {targets: [{select: {name: web}}]}}";
    /// let config = HostNetworkConfig::read(config, "hostnet.yaml", 1)?;
    /// let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web}]}}";
    /// let input = Input::read(Origin::stdin(), pod.into())?;
    /// let patches = patch::patches(&[input], &config, &Renames::default(), false)?;
    /// assert_eq!(patches.text(Form::Flux, &[]), "\
    /// ## Made by `hostnet patch`. A test of the old value precedes each change (null: no value may exist). When the patched objects have
    /// ## changed, the build fails, and the patches have to be made again.
    /// apiVersion: kustomize.toolkit.fluxcd.io/v1
    /// kind: Kustomization
    /// spec:
    ///   patches:
    ///   - target:
    ///       version: v1
    ///       kind: Pod
    ///       name: web
    ///     patch: |
    ///       ## hostnet patch: this object, and no copy of it with another name (HostNetwork)
    ///       - op: test
    ///         path: /metadata/name
    ///         value: web
    ///       - op: test
    ///         path: /metadata/namespace
    ///         value: null
    ///       ## moves to the host network
    ///       - op: test
    ///         path: /spec/hostNetwork
    ///         value: null
    ///       - op: add
    ///         path: /spec/hostNetwork
    ///         value: true
    ///       ## dnsPolicy absent -> ClusterFirstWithHostNet
    ///       - op: test
    ///         path: /spec/dnsPolicy
    ///         value: null
    ///       - op: add
    ///         path: /spec/dnsPolicy
    ///         value: ClusterFirstWithHostNet
    /// ");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text(&self, form: Form, resources: &[String]) -> String {
        let new = self.new.iter().map(NewObject::file);
        let resources: Vec<String> = resources.iter().cloned().chain(new).collect();
        text(form, &resources, &self.patches, &self.removed)
    }
}

/// Identity that kustomize requires to be unique in a build.
type Identity<'m> = (&'m str, &'m str, &'m str, Option<&'m str>, &'m str);

fn identity(meta: &Meta) -> Identity<'_> {
    (&meta.gvk.group, &meta.gvk.version, &meta.gvk.kind, meta.namespace.as_deref(), &meta.name)
}

/// Patches for the changes of a config in inputs that belong together. With `changes` every change has a result.
///
/// `carrier` contains the name changes that a kustomization makes after its patches, if the inputs are the build of
/// that kustomization.
pub fn patches(
    inputs: &[Input],
    config: &impl Function,
    carrier: &Renames,
    changes: bool,
) -> Result<Patches, RunError> {
    patches_of_several(inputs, config, &vec![carrier; inputs.len()], changes)
}

/// Patches for several inputs, each with its own carrier.
///
/// # Errors
///
/// As for [`patches`].
pub fn patches_of_several(
    inputs: &[Input],
    config: &impl Function,
    carriers: &[&Renames],
    changes: bool,
) -> Result<Patches, RunError> {
    let Planned { mut plan, mut read } = config.plan(inputs)?;
    checked_ops(&mut plan, &read);
    let (mut patches, mut removed) = (Vec::new(), Vec::new());
    if !plan.has_errors() {
        let (made, broken) = patches_from_plan(&read, &plan, carriers)?;
        patches = made;
        let owner = owner(config);
        for patch in &mut patches {
            patch.set_owner(&owner);
        }
        let removals = plan.all_edits().filter(|edit| edit.change == Change::RemoveDocument);
        removed = removals.filter_map(|edit| read.metas.get(edit.object).cloned()).collect();
        let has_namespace = carriers.iter().any(|carrier| carrier.namespace.is_some());
        for meta in removed.iter_mut().filter(|_| has_namespace) {
            meta.namespace = None;
        }
        plan.findings.extend(broken);
    }
    let added = std::mem::take(&mut plan.new);
    read.metas.extend(added.iter().cloned());
    let results = results(plan, &read, changes);
    let mut this = Patches { patches, new: Vec::new(), removed, results, fail_on: config.fail_on() };
    if this.failed() {
        this.patches.clear();
        this.removed.clear();
        // After an error planned changes are not made.
        this.results.retain(|result| !result.is_change);
        return Ok(this);
    }
    if !added.is_empty() {
        this.new = new_objects(inputs, config, &added)?;
    }
    Ok(this)
}

/// Kind and name of a config, as its patches name it.
pub fn owner(config: &impl Function) -> String {
    // The comment with the name is one line, and ends with a parenthesis.
    config.label().trim().replace(|c: char| c.is_control() || "()".contains(c), "-")
}

/// Edits of the input's objects.
fn edits_by_object<'p>(plan: &'p Plan, read: &ObjectIndex<'_>) -> BTreeMap<ObjectId, Vec<&'p Edit>> {
    let mut edits: BTreeMap<ObjectId, Vec<&Edit>> = BTreeMap::new();
    for edit in plan.all_edits().filter(|edit| edit.object < read.metas.len()) {
        edits.entry(edit.object).or_default().push(edit);
    }
    edits
}

/// The first edit that makes or removes an object.
fn first_whole_object_edit(plan: &Plan) -> Option<&Edit> {
    let is_whole = |edit: &&Edit| matches!(edit.change, Change::AddDocument { .. } | Change::RemoveDocument);
    plan.all_edits().find(is_whole)
}

/// Converts a plan to patches; adds findings about changes that patches cannot express.
fn patches_from_plan(
    read: &ObjectIndex<'_>,
    plan: &Plan,
    carriers: &[&Renames],
) -> Result<(Vec<ObjectPatch>, Vec<Finding>), ReadError> {
    let mut edits = edits_by_object(plan, read);
    edits.retain(|_, edits| !edits.iter().any(|edit| edit.change == Change::RemoveDocument));
    if let Some(whole) = first_whole_object_edit(plan).filter(|_| carriers.iter().any(|carrier| carrier.renames())) {
        // kustomize would rename the new object, but not the references to it.
        let message = format!(
            "{}: patches cannot express this after namePrefix and nameSuffix: make them from the build without these",
            whole.message
        );
        return Ok((Vec::new(), vec![Finding::new(Severity::Error, rule::DOCUMENT, message)]));
    }
    let mut broken = Vec::new();
    let mut refuse = |id: ObjectId, reason: String| {
        broken.push(Finding::new(Severity::Error, rule::DOCUMENT, reason).on_object(id));
    };
    // A target can match only objects of the same kind and name; the name may have a generator's hash.
    let mut alike: HashMap<(&str, &str), Vec<&Meta>> = HashMap::new();
    for meta in &read.metas {
        alike.entry((&meta.gvk.kind, name_without_hash(meta))).or_default().push(meta);
    }
    let mut changed: HashMap<Identity<'_>, (ObjectId, Target, &[&Edit])> = HashMap::new();
    for (id, edits) in &edits {
        let Some(meta) = read.metas.get(*id) else { continue };
        let alike = alike.get(&(meta.gvk.kind.as_str(), name_without_hash(meta))).into_iter().flatten().copied();
        let carrier = read.input_of(*id).and_then(|(input, _)| carriers.get(input));
        match Target::new(meta, alike)
            .and_then(|target| carrier.map_or(Ok(target.clone()), |carrier| carrier.undo(target)))
        {
            Ok(target) => _ = changed.insert(identity(meta), (*id, target, edits)),
            Err(reason) => refuse(*id, reason),
        }
    }
    let mut patches = Vec::new();
    for (position, input) in read.inputs.iter().enumerate() {
        let found = input.objects(|_, node| {
            let meta = Meta::read(node);
            let (id, target, edits) = changed.get(&identity(&meta))?;
            Some((*id, of_object(&meta, target.clone(), node, edits)))
        })?;
        for (id, patch) in found.into_iter().flatten() {
            match patch {
                Ok(mut patch) => {
                    patch.input = position;
                    patches.push(patch);
                }
                Err(reason) => refuse(id, format!("{reason}; `hostnet apply` writes it")),
            }
        }
    }
    Ok((patches, broken))
}

/// The new objects, as `hostnet apply` writes them.
fn new_objects(inputs: &[Input], config: &impl Function, added: &[Meta]) -> Result<Vec<NewObject>, RunError> {
    let run = run(inputs, config, false)?;
    let mut new = Vec::new();
    for (input, splices) in inputs.iter().zip(&run.splices).filter(|(_, splices)| !splices.is_empty()) {
        let output = Input::read(input.origin().clone(), input.output(splices).into_bytes())?;
        let found = output.objects(|_, node| {
            let meta = Meta::read(node);
            let is_new = added.iter().any(|new| identity(new) == identity(&meta));
            is_new.then(|| NewObject { text: document(node), meta })
        })?;
        new.extend(found.into_iter().flatten());
    }
    Ok(new)
}

/// Writes an object as a separate document: its original text with trailing comments, if that is valid on its own.
fn document(node: NodeRef<'_, '_>) -> String {
    let text = node.tree().text();
    let (before, after) =
        (text.get(..node.start()).unwrap_or_default(), text.get(node.span().end..).unwrap_or_default());
    let alone = node.kind() == (Kind::Mapping { flow: false }) && (before.is_empty() || before.ends_with('\n'));
    match node.to_value() {
        Some(value) if !alone => lossless_yaml::document(&value),
        _ => {
            let mut text = node.raw().to_owned();
            for line in after.split_inclusive('\n') {
                // After a value, text on the same line is not a document marker.
                let is_marker = line.starts_with("---") || line.starts_with("...");
                if is_marker && text.ends_with('\n') {
                    break;
                }
                text.push_str(line);
            }
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text
        }
    }
}
