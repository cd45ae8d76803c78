//! YAML of the policies and their bindings.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::change::one_line;
use super::super::form::MADE_BY;
use super::policy::MutatingPolicy;
use crate::catalog::workload_kinds;
use crate::model::Meta;
use crate::render::policy::{indented, text as quoted};

/// API version of the policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// Kubernetes v1.36 and later.
    V1,
    /// Kubernetes v1.34 and v1.35 with the feature gate and the API switched on.
    V1Beta1,
}

impl ApiVersion {
    fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }

    /// Comment about the required version of Kubernetes.
    fn needs(self) -> &'static str {
        match self {
            Self::V1 => "# They need Kubernetes v1.36 or later.\n",
            Self::V1Beta1 => {
                "\
# They need Kubernetes v1.34 or v1.35 whose API server runs with
# --feature-gates=MutatingAdmissionPolicy=true --runtime-config=admissionregistration.k8s.io/v1beta1=true
"
            }
        }
    }
}

/// Action of the API server on an object that arrives without its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Stores it, with a warning and an entry in the audit log.
    Audit,
    /// Refuses it.
    Deny,
}

/// API groups of Kubernetes whose resource names follow from the kinds; other groups are matched by kind.
const GROUPS: [&str; 5] = ["", "apps", "batch", "networking.k8s.io", "policy"];

/// True for a kind that is known to be in namespaces.
pub(super) fn is_namespaced(meta: &Meta) -> bool {
    GROUPS.contains(&meta.gvk.group.as_str()) || is_workload(meta)
}

fn is_workload(meta: &Meta) -> bool {
    workload_kinds().iter().any(|row| row.group == meta.gvk.group && row.kind == meta.gvk.kind)
}

/// Kinds whose pods cannot change after creation: the API server would refuse every update that the policy changes.
const CREATED_ONLY: [(&str, &str); 2] = [("", "Pod"), ("batch", "Job")];

/// Introduces the commands after which existing objects have changed.
const NEXT: &str = "\
# Objects that exist change when they are written next. After the policies, in this order (Services lead to ports by name, so
# they come before workloads):
";

/// Policies and bindings as a YAML stream, with `guard` also a ValidatingAdmissionPolicy for each object.
#[must_use]
pub fn text(policies: &[MutatingPolicy], version: ApiVersion, guard: Option<Guard>) -> String {
    let mut out =
        format!("{MADE_BY} Each policy makes the changes of one object when it is written.\n{}", version.needs());
    let mut policies: Vec<&MutatingPolicy> = policies.iter().collect();
    policies.sort_by_key(|policy| policy.rank());
    if !policies.is_empty() {
        out.push_str(NEXT);
    }
    out.extend(policies.iter().map(|policy| format!("#   {}\n", policy.next_write())));
    let mut names = HashMap::new();
    for policy in policies {
        let name = unique(name(&policy.meta), &mut names);
        policy.write(&mut out, &name, version);
        if let Some(guard) = guard {
            policy.write_guard(&mut out, &name, guard);
        }
    }
    out
}

/// Name of an object's policy: `web.shop.deployment.hostnet.dev`.
fn name(meta: &Meta) -> String {
    let group = Some(meta.gvk.group.as_str()).filter(|group| !GROUPS.contains(group));
    let parts = [Some(meta.name.as_str()), meta.namespace.as_deref(), Some(&meta.gvk.kind), group];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let name: String = parts.join(".").chars().map(plain).collect();
    // A name has at most 253 characters; each part between dots begins and ends with a letter or digit.
    let name: String = name.chars().take(200).collect();
    let parts = name.split('.').map(|part| part.trim_matches('-')).filter(|part| !part.is_empty());
    format!("{}.hostnet.dev", parts.collect::<Vec<_>>().join("."))
}

/// The name, with a number in front if another policy has it.
fn unique(name: String, names: &mut HashMap<String, usize>) -> String {
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    if *count == 1 { name } else { format!("{count}.{name}") }
}

impl MutatingPolicy {
    fn write(&self, out: &mut String, name: &str, version: ApiVersion) {
        let version = version.name();
        let reasons: String = self.reasons.iter().map(|reason| format!("#   {reason}\n")).collect();
        let variables = self
            .variables
            .iter()
            .map(|(name, expression)| format!("  - name: {name}\n    expression: |-\n{}", indented(expression, 6)));
        let variables: String = variables.collect();
        let variables = if variables.is_empty() { variables } else { format!("  variables:\n{variables}") };
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "\
---
# {meta}
{reasons}apiVersion: admissionregistration.k8s.io/{version}
kind: MutatingAdmissionPolicy
metadata:
  name: {name}
  labels: {{app.kubernetes.io/managed-by: hostnet}}
spec:
  # An error inside of the policy never stops a write; the object is then stored as it is.
  failurePolicy: Ignore
  # Again after webhooks that change the object.
  reinvocationPolicy: IfNeeded
{matching}  - name: fits-the-plan
    expression: |-
{fits}{variables}  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: |-
{mutation}---
apiVersion: admissionregistration.k8s.io/{version}
kind: MutatingAdmissionPolicyBinding
metadata:
  name: {name}
  labels: {{app.kubernetes.io/managed-by: hostnet}}
spec:
  policyName: {name}
",
            meta = one_line(&self.meta.to_string()),
            matching = self.matching(),
            fits = indented(&self.fits, 6),
            mutation = indented(&self.mutation, 8),
        );
    }

    /// Position in the order of application: Services, other objects, workloads.
    fn rank(&self) -> usize {
        match (self.meta.is_service(), is_workload(&self.meta)) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        }
    }

    /// Command that writes the object, so that the policy changes it.
    fn next_write(&self) -> String {
        let gvk = &self.meta.gvk;
        if self.is_created_only() {
            return format!("{} changes when it is created anew", self.meta);
        }
        let namespace = self.meta.namespace.as_deref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
        let group = Some(&gvk.group).filter(|group| !group.is_empty()).map(|group| format!(".{}.{group}", gvk.version));
        let kind = gvk.kind.to_lowercase() + &group.unwrap_or_default();
        format!("kubectl{namespace} annotate --overwrite {kind} {} hostnet.dev/written=\"$(date +%s)\"", self.meta.name)
    }

    /// True if the API server refuses changes of the pods of an existing object.
    fn is_created_only(&self) -> bool {
        CREATED_ONLY.contains(&(self.meta.gvk.group.as_str(), self.meta.gvk.kind.as_str()))
    }

    /// Policy that reports the object if it arrives without its changes.
    fn write_guard(&self, out: &mut String, name: &str, guard: Guard) {
        let actions = match guard {
            Guard::Audit => "[Warn, Audit]",
            Guard::Deny => "[Deny]",
        };
        let message = format!(
            "{} arrives without the changes of its MutatingAdmissionPolicy {name}: it no longer fits them",
            self.meta
        );
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "\
---
# {meta}: reported without its changes
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {name}
  labels: {{app.kubernetes.io/managed-by: hostnet}}
spec:
  failurePolicy: Ignore
{matching}  validations:
  - expression: |-
{done}    message: {message}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {name}
  labels: {{app.kubernetes.io/managed-by: hostnet}}
spec:
  policyName: {name}
  validationActions: {actions}
",
            meta = one_line(&self.meta.to_string()),
            matching = self.matching(),
            done = indented(&self.done, 6),
            message = quoted(&message),
        );
    }

    /// Constraints and conditions by which both policies find the object.
    fn matching(&self) -> String {
        format!(
            "  matchConstraints:
{selector}    resourceRules:
    - apiGroups: [{group}]
      apiVersions: [{version}]
      operations: [{operations}]
      resources: [{resource}]
      resourceNames: [{object}]
  matchConditions:
  - name: is-not-deleted
    expression: '!has(object.metadata.deletionTimestamp)'
{kind}",
            selector = self.selector(),
            group = quoted(&self.meta.gvk.group),
            version = quoted(&self.meta.gvk.version),
            operations = if self.is_created_only() { "CREATE" } else { "CREATE, UPDATE" },
            resource = quoted(&self.resource()),
            object = quoted(&self.meta.name),
            kind = self.kind(),
        )
    }

    fn selector(&self) -> String {
        let namespace = self.meta.namespace.as_deref().map(|namespace| {
            format!("    namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {}}}}}\n", quoted(namespace))
        });
        namespace.unwrap_or_default()
    }

    /// Resource name of the kind; `*` if it is unknown.
    fn resource(&self) -> String {
        let kind = self.meta.gvk.kind.to_lowercase();
        if !GROUPS.contains(&self.meta.gvk.group.as_str()) {
            return "*".to_owned();
        }
        match kind.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None if kind.ends_with('s') => format!("{kind}es"),
            None => format!("{kind}s"),
        }
    }

    /// Match condition for a kind whose resource name is unknown.
    fn kind(&self) -> String {
        if self.resource() != "*" {
            return String::new();
        }
        let expression = indented(&format!("request.kind.kind == {}", quoted(&self.meta.gvk.kind)), 6);
        format!("  - name: is-of-kind\n    expression: |-\n{expression}")
    }
}
