//! ValidatingAdmissionPolicies: what the API server refuses on every write, in place of a check that somebody has to run.
//!
//! Source: kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy (v1 since v1.30); its CEL has optional fields
//! since v1.29 (kubernetes v1.37 `staging/src/k8s.io/apiserver/pkg/cel/environment/base.go`).

mod cel;
mod re2;

use std::fmt::Write as _;

pub use cel::{Kinds, Unknown, annotation, matching, port_list, text};

/// A policy and its binding.
#[derive(Debug)]
pub struct Policy {
    /// The name of both; that of the rule is in it.
    pub name: String,
    /// What it refuses, for a person who reads the cluster's policies.
    pub about: String,
    /// What the API server does with a write that it refuses.
    pub action: Action,
    /// Names and expressions: a write is judged where all of them are true.
    pub conditions: Vec<(String, String)>,
    /// Names and expressions that later ones use.
    pub variables: Vec<(&'static str, String)>,
    /// It is refused unless this is true.
    pub validation: String,
    /// The expression that makes the message of a refusal.
    pub message: String,
}

/// What the API server does with a write that a policy refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is refused.
    Deny,
    /// It is let through, with a warning and an entry in the audit log.
    Warn,
    /// It is let through, with an entry in the audit log.
    Audit,
}

/// Policies and bindings as a YAML stream, for objects of some kinds.
#[must_use]
pub fn yaml(policies: &[Policy], kinds: &Kinds) -> String {
    let mut out = String::new();
    for policy in policies {
        write_policy(&mut out, policy, kinds);
    }
    out
}

fn write_policy(out: &mut String, policy: &Policy, kinds: &Kinds) {
    let Policy { name, about, action, conditions, variables, validation, message } = policy;
    let actions = match action {
        Action::Deny => "[Deny]",
        Action::Warn => "[Warn, Audit]",
        Action::Audit => "[Audit]",
    };
    let rules: String = kinds.groups().into_iter().map(|(group, resources)| rule(group, &resources)).collect();
    let conditions = named(conditions.iter().map(|(name, expression)| (name.as_str(), expression)));
    let variables = named(variables.iter().map(|(name, expression)| (*name, expression)));
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "\
---
# {about}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {name}
spec:
  # What goes wrong inside of the policy never stops a write.
  failurePolicy: Ignore
  matchConstraints:
    resourceRules:
{rules}  matchConditions:
{conditions}  variables:
{variables}  validations:
  - expression: |-
{validation}    messageExpression: |-
{message}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {name}
spec:
  policyName: {name}
  validationActions: {actions}
",
        validation = indented(validation, 6),
        message = indented(message, 6),
    );
}

fn rule(group: &str, resources: &str) -> String {
    format!(
        "    - {{apiGroups: [\"{group}\"], apiVersions: [\"*\"], operations: [CREATE, UPDATE], resources: [{resources}]}}\n"
    )
}

/// The elements of a list of expressions with names.
fn named<'e>(list: impl Iterator<Item = (&'e str, &'e String)>) -> String {
    list.map(|(name, expression)| format!("  - name: {name}\n    expression: |-\n{}", indented(expression, 6)))
        .collect()
}

/// The lines of an expression, for a block scalar.
fn indented(text: &str, by: usize) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{:by$}{line}", "");
        out
    })
}
