//! MutatingAdmissionPolicies of a config, for objects that operators make in the cluster.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::function::{Function, ObjectIndex, Planned, RunError};
use super::super::run::checked_ops;
use super::{Identity, edits_by_object, first_whole_object_edit, identity};
use crate::api::FailOn;
use crate::catalog::WORKLOAD_KINDS;
use crate::check::generator::generator;
use crate::model::index::{object_key, owner_key};
use crate::model::pod::{Owner, owner};
use crate::model::{Meta, ObjectId};
use crate::plan::{Edit, Finding, Plan};
use crate::render::patch::admission::{GeneratedName, MutatingPolicy, OWN_POLICY, join, named_policies, of_object};
use crate::render::{Diagnostic, results};
use crate::rule::{self, Severity};
use krm::{Input, ReadError};
use lossless_yaml::NodeRef;

/// Policies of a config.
#[derive(Debug)]
pub struct Policies {
    /// Policies in input order; empty if an error stops the run.
    pub policies: Vec<MutatingPolicy>,
    /// Number of changed objects that workloads of the input make from their templates.
    pub made: usize,
    /// All results, sorted.
    pub results: Vec<Diagnostic>,
    /// Severity from which on the run fails.
    pub fail_on: FailOn,
}

impl Policies {
    /// True if findings stopped the run.
    pub fn failed(&self) -> bool {
        self.results.iter().any(|result| self.fail_on.stops(result.severity))
    }
}

/// Policies for the changes of a config in inputs that belong together. With `changes` every change has a result.
///
/// # Errors
///
/// An input that cannot be read, or an invalid config.
pub fn policies(inputs: &[Input], config: &impl Function, changes: bool) -> Result<Policies, RunError> {
    let Planned { mut plan, read } = config.plan(inputs)?;
    checked_ops(&mut plan, &read);
    let converted = if plan.has_errors() { Converted::default() } else { convert(&read, &plan)? };
    plan.findings.extend(converted.broken);
    let results = results(plan, &read, changes);
    let Converted { policies, made, .. } = converted;
    let mut this = Policies { policies, made, results, fail_on: config.fail_on() };
    if this.failed() {
        this.policies.clear();
        // After an error planned changes are not made.
        this.results.retain(|result| !result.is_change);
    }
    Ok(this)
}

/// A plan as policies.
#[derive(Default)]
struct Converted {
    policies: Vec<MutatingPolicy>,
    /// Number of objects that workloads of the input make.
    made: usize,
    /// Findings about changes that policies cannot express.
    broken: Vec<Finding>,
}

/// Result of converting a changed object.
enum Object {
    Policy(Box<MutatingPolicy>),
    /// No policy: this workload creates the object from its template.
    Made(Owner),
    /// No policy: severity and reason.
    Without(Severity, String),
}

/// Converts a plan to policies.
fn convert(read: &ObjectIndex<'_>, plan: &Plan) -> Result<Converted, ReadError> {
    let mut this = Converted::default();
    let error = |message: String| Finding::new(Severity::Error, rule::DOCUMENT, message);
    if let Some(whole) = first_whole_object_edit(plan) {
        let message = format!("{}: policies change objects but do not create any; use `hostnet apply`", whole.message);
        this.broken.push(error(message));
        return Ok(this);
    }
    let edits = edits_by_object(plan, read);
    let mut changed: HashMap<Identity<'_>, (ObjectId, &[&Edit])> = HashMap::new();
    let mut copies: HashMap<Identity<'_>, usize> = HashMap::new();
    for meta in &read.metas {
        *copies.entry(identity(meta)).or_default() += 1;
    }
    for (id, edits) in &edits {
        let Some(meta) = read.metas.get(*id) else { continue };
        if copies.get(&identity(meta)).is_some_and(|count| *count > 1) {
            let message =
                format!("{meta} is in the input more than once; keep one copy, so that one policy can change it");
            this.broken.push(error(message).on_object(*id));
            continue;
        }
        changed.insert(identity(meta), (*id, edits));
    }
    let given: LazyCell<HashSet<String>, _> = LazyCell::new(|| read.metas.iter().map(object_key).collect());
    let mut generated: BTreeMap<GeneratedName, usize> = BTreeMap::new();
    for input in read.inputs {
        let found = input.objects(|_, node| {
            let meta = Meta::read(node);
            let change = changed.get(&identity(&meta));
            (GeneratedName::read(&meta, node), change.map(|(id, edits)| (*id, object(&meta, node, edits))))
        })?;
        for (name, object) in found {
            if let Some(name) = name {
                *generated.entry(name).or_default() += 1;
            }
            let Some((id, object)) = object else { continue };
            let (severity, message) = match object {
                Object::Policy(policy) => {
                    this.policies.push(*policy);
                    continue;
                }
                Object::Without(severity, message) => (severity, message),
                Object::Made(owner) => {
                    let Some(meta) = read.metas.get(id) else { continue };
                    let made = format!("{meta}: a {} creates it from a template of its own", owner.kind);
                    if has_controller_in_objects(&given, meta, &owner) {
                        this.made += 1;
                        (Severity::Info, format!("{made}, so no policy is printed for it"))
                    } else {
                        let message =
                            format!("{made} and is not in the input, so no policy changes it: add it to the input");
                        (Severity::Warning, message)
                    }
                }
            };
            this.broken.push(Finding::new(severity, rule::DOCUMENT, message).on_object(id));
        }
    }
    this.policies = join(this.policies, &generated);
    for policy in this.policies.iter().filter(|policy| policy.matches_no_new_object()) {
        let message = format!(
            "{}: its name is generated, and other objects of its controller change differently or not at all, so no \
             policy can find the next object. Put these objects under `exclude`, and set their ports at their operator",
            policy.meta
        );
        this.broken.push(error(message));
    }
    this.broken.extend(earlier_policy_findings(read, &this.policies));
    Ok(this)
}

/// Findings about policies of an earlier `hostnet patch` in the input: the objects of these policies already have all
/// or some of the changes.
fn earlier_policy_findings(read: &ObjectIndex<'_>, policies: &[MutatingPolicy]) -> Vec<Finding> {
    let is_ours = |meta: &Meta| meta.gvk.kind == "MutatingAdmissionPolicy" && meta.name.ends_with(OWN_POLICY);
    let earlier = read.metas.iter().enumerate().filter(|(_, meta)| is_ours(meta));
    let printed: HashSet<String> = named_policies(policies).into_iter().map(|(name, _)| name).collect();
    let finding = |(id, meta): (ObjectId, &Meta)| {
        let (severity, message) = if printed.contains(&meta.name) {
            let message = "the input already has the changes of this policy, so the new policy would have only the remaining changes. Give the \
                       object as its operator writes it, such as in the input of the earlier print";
            (Severity::Error, message)
        } else {
            let message = "it is not printed again, because its object has all changes. Keep the policy if a tool deletes policies that \
                       are no longer printed";
            (Severity::Warning, message)
        };
        Finding::new(severity, rule::DOCUMENT, format!("{meta}: {message}")).on_object(id)
    };
    earlier.map(finding).collect()
}

/// Converts the changes of one object.
fn object(meta: &Meta, node: NodeRef<'_, '_>, edits: &[&Edit]) -> Object {
    let owner = owner(node);
    // The pods of a Deployment follow from its template.
    let is_workload =
        |owner: &Owner| WORKLOAD_KINDS.iter().any(|row| row.group == owner.group && row.kind == owner.kind);
    match owner {
        Some(owner) if is_workload(&owner) => return Object::Made(*owner),
        Some(_) => {}
        None => {
            if let Some((row, made_by)) = generator(meta).filter(|(row, _)| row.is_source) {
                let change = row.change;
                let message = format!(
                    "{meta}: {made_by} applies it, so no policy is printed: change it in {change} (`hostnet patch --into`)"
                );
                return Object::Without(Severity::Warning, message);
            }
        }
    }
    match of_object(meta, node, edits) {
        Ok(policy) => Object::Policy(Box::new(policy)),
        Err(message) => Object::Without(Severity::Error, message),
    }
}

/// True if the controller of an object is among these objects, or the Deployment or `CronJob` that makes the
/// controller.
fn has_controller_in_objects(given: &HashSet<String>, meta: &Meta, owner: &Owner) -> bool {
    let kind = match owner.kind.as_str() {
        "ReplicaSet" => Some("Deployment"),
        "Job" => Some("CronJob"),
        _ => None,
    };
    let maker = kind.zip(owner.name.rsplit_once('-')).map(|(kind, (name, _))| Owner {
        group: owner.group.clone(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    });
    [Some(owner), maker.as_ref()].into_iter().flatten().any(|owner| given.contains(&owner_key(meta, owner)))
}
