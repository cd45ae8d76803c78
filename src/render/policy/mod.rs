//! ValidatingAdmissionPolicies: let the API server enforce check rules on every write.
//!
//! Source: kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy (v1 since v1.30); its CEL has
//! optional fields since v1.29 (kubernetes v1.37 `staging/src/k8s.io/apiserver/pkg/cel/environment/base.go`).

mod cel;
mod re2;

use std::fmt::Write as _;

pub use cel::{Kinds, Unknown, annotation, matching, port_list, text};

/// A policy and its binding.
#[derive(Debug)]
pub struct Policy {
    /// Name of the policy and of the binding; contains the rule's id.
    pub name: String,
    /// Description, written as a comment.
    pub about: String,
    /// Action of the API server on a violation.
    pub action: Action,
    /// Match conditions: names and expressions; all must be true for the policy to apply.
    pub conditions: Vec<(String, String)>,
    /// Variables: names and expressions, available to later expressions.
    pub variables: Vec<(&'static str, String)>,
    /// Validation expression: false is a violation.
    pub validation: String,
    /// Expression for the violation's message.
    pub message: String,
}

/// Action of the API server on a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Rejects the write.
    Deny,
    /// Allows the write with a warning and an audit log entry.
    Warn,
    /// Allows the write with an audit log entry.
    Audit,
}

/// Policies and bindings for these kinds, as a YAML stream.
pub fn yaml(policies: &[Policy], kinds: &Kinds) -> String {
    let mut out = String::new();
    for policy in policies {
        write_policy(&mut out, policy, kinds);
    }
    out
}

/// Writes one policy and its binding.
fn write_policy(out: &mut String, policy: &Policy, kinds: &Kinds) {
    let Policy { name, about, action, conditions, variables, validation, message } = policy;
    let actions = match action {
        Action::Deny => "[Deny]",
        Action::Warn => "[Warn, Audit]",
        Action::Audit => "[Audit]",
    };
    let rules: String = kinds.groups().into_iter().map(|(group, resources)| rule(group, &resources)).collect();
    let conditions = named_expressions(conditions.iter().map(|(name, expression)| (name.as_str(), expression)));
    let variables = named_expressions(variables.iter().map(|(name, expression)| (*name, expression)));
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
  # An error inside of the policy never stops a write.
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

/// Resource rule of a policy.
fn rule(group: &str, resources: &str) -> String {
    format!(
        "    - {{apiGroups: [\"{group}\"], apiVersions: [\"*\"], operations: [CREATE, UPDATE], resources: [{resources}]}}\n"
    )
}

/// YAML list items of named expressions.
fn named_expressions<'e>(list: impl Iterator<Item = (&'e str, &'e String)>) -> String {
    list.map(|(name, expression)| format!("  - name: {name}\n    expression: |-\n{}", indented(expression, 6)))
        .collect()
}

/// Indents the lines of an expression for a block scalar.
pub(super) fn indented(text: &str, by: usize) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{:by$}{line}", "");
        out
    })
}
