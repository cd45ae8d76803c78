//! Converts the edits of one object to a MutatingAdmissionPolicy, for objects that operators make in the cluster.
//!
//! The policy acts only on an object that fits the plan: each planned field has its old or its new value, and
//! containers have the names, images and ports of the plan. It then sets the new values, which changes nothing the
//! second time. List elements are found by name or value, never by index, because other webhooks may have inserted
//! elements.
//!
//! Source: kubernetes v1.37 `staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating`; macros of two
//! variables such as `transformList` exist since v1.32 (`pkg/cel/environment/base.go`).

mod change;
mod element;
mod fit;
mod generated;
mod literal;
mod mutation;
mod pod;
mod policy;
#[cfg(test)]
mod tests;
mod text;

pub use generated::GeneratedName;
pub use policy::{MutatingPolicy, join};
pub use text::{ApiVersion, Guard, OWN_POLICY, named_policies, text};

use self::change::changes;
use self::element::Elements;
use super::change::Reasons;
use super::edit_site::Site;
use crate::model::Meta;
use crate::model::text::is_placeholder;
use crate::plan::{Change, Edit};
use crate::rule;
use lossless_yaml::{NodeRef, Value};

/// Maximum bytes of an expression. The CEL parser accepts 100,000 characters (cel-go `parser/options.go`).
const MAX_EXPRESSION_BYTES: usize = 90_000;

/// Builds the policy for the edits of an object; `edits` must not be empty.
///
/// # Errors
///
/// A sentence about an object or a change that a policy cannot express.
pub fn of_object(meta: &Meta, object: NodeRef<'_, '_>, edits: &[&Edit]) -> Result<MutatingPolicy, String> {
    let policy = build(meta, object, edits).map_err(|why| format!("{meta}: {why}"))?;
    let lengths = policy.variables.iter().map(|(_, text)| text.len());
    let longest = lengths.chain([policy.fits.len(), policy.mutation.len()]).max();
    if longest > Some(MAX_EXPRESSION_BYTES) {
        return Err(format!("{meta}: its values are longer than an expression of a policy may be"));
    }
    Ok(policy)
}

/// Creates the policy that makes these edits of an object.
fn build(meta: &Meta, object: NodeRef<'_, '_>, edits: &[&Edit]) -> Result<MutatingPolicy, String> {
    check_names(meta)?;
    let sites = Site::all(object, edits)?;
    let reasons_of_edits = Reasons::new(edits);
    let mut reasons: Vec<String> = sites.iter().flat_map(|site| reasons_of_edits.why(site)).collect();
    reasons.dedup();
    let changes = changes(object, sites)?;
    if pod::was_moved(object, &changes) {
        return Err("it is on the host network with a number of `ports: auto` already: a policy of an earlier print has changed it, \
                    and a new policy would replace that policy and have only the other changes. Give the object as its operator \
                    writes it, such as in the input of the earlier print"
            .to_owned());
    }
    let elements = Elements::new(object, &changes);
    let mut tests = pod::tests(object, &changes)?;
    tests.extend(fit::tests(object, &changes));
    let generated = GeneratedName::read(meta, object);
    Ok(MutatingPolicy {
        meta: meta.clone(),
        alike: Vec::new(),
        is_generated: generated.is_some(),
        generated,
        sets_target_number: edits.iter().any(|edit| sets_target_number(edit)),
        reasons,
        fits: fit::expression(&elements, &tests)?,
        done: fit::expression(&elements, &fit::conditions_after_changes(&changes))?,
        variables: elements.variables()?,
        mutation: mutation::expression(&elements, &changes)?,
    })
}

/// True for an edit that gives a port of a Service a number as its target.
fn sets_target_number(edit: &Edit) -> bool {
    let (Change::Set { new, .. } | Change::Add { new }) = &edit.change else { return false };
    edit.rule == rule::SERVICE_TARGET && matches!(new, Value::Int(_))
}

/// Refuses an object that a policy cannot find by name and namespace.
fn check_names(meta: &Meta) -> Result<(), String> {
    if meta.name.is_empty() {
        return Err("a policy finds objects by name, and this object has no name".to_owned());
    }
    if [Some(&meta.name), meta.namespace.as_ref()].into_iter().flatten().any(|name| is_placeholder(name)) {
        return Err("a policy finds objects by name, and this name has a placeholder".to_owned());
    }
    // The names also appear in policy names and in shell commands, so only plain names are allowed.
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let gvk = &meta.gvk;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    if ![&meta.name, namespace, &gvk.group, &gvk.version, &gvk.kind].into_iter().all(is_plain) {
        return Err("a policy finds objects by name, and the API server refuses this name".to_owned());
    }
    if meta.namespace.is_none() && text::is_namespaced(meta) {
        return Err("a policy needs its namespace, which the input does not have".to_owned());
    }
    Ok(())
}
