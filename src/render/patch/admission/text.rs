//! YAML of the policies and their bindings.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use super::super::change::one_line;
use super::super::form::MADE_BY;
use super::generated::GeneratedName;
use super::policy::MutatingPolicy;
use crate::catalog::WORKLOAD_KINDS;
use crate::model::Meta;
use crate::render::policy::{indented, text as quoted};

/// API version of the policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// `v1`: Kubernetes v1.36 and later.
    V1,
    /// `v1beta1`: Kubernetes v1.34 and v1.35 with feature gate `MutatingAdmissionPolicy` and the API enabled.
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

/// True for the kinds with pods.
fn is_workload(meta: &Meta) -> bool {
    WORKLOAD_KINDS.iter().any(|row| row.group == meta.gvk.group && row.kind == meta.gvk.kind)
}

/// Kinds whose pods cannot change after creation: the API server would refuse every update that the policy changes.
const CREATED_ONLY: [(&str, &str); 2] = [("", "Pod"), ("batch", "Job")];

/// End of the names of all policies.
pub const OWN_POLICY: &str = ".hostnet.dev";

/// Introduces the commands that let the policies change existing objects.
const NEXT_WRITE_HEADER: &str = "\
# Existing objects change when they are next written. After the policies, run in this order (Services that refer to ports by
# name come before workloads, Services with numbers after them):
";

/// Policies and bindings as a YAML stream, with `guard` also a ValidatingAdmissionPolicy for each of them.
pub fn text(policies: &[MutatingPolicy], version: ApiVersion, guard: Option<Guard>) -> String {
    let mut out = format!(
        "{MADE_BY} Each policy changes one object, or several equal objects, when they are written.\n{}",
        version.needs()
    );
    let policies = named_policies(policies);
    if !policies.is_empty() {
        out.push_str(NEXT_WRITE_HEADER);
    }
    let writes = policies
        .iter()
        .flat_map(|(_, policy)| policy.objects())
        .map(|object| format!("#   {}\n", next_write_command(object)));
    out.extend(writes);
    for (name, policy) in policies {
        policy.write(&mut out, &name, version);
        if let Some(guard) = guard {
            policy.write_guard(&mut out, &name, guard);
        }
    }
    out
}

/// Policies in the order of application, with their names.
pub fn named_policies(policies: &[MutatingPolicy]) -> Vec<(String, &MutatingPolicy)> {
    let mut policies: Vec<&MutatingPolicy> = policies.iter().collect();
    policies.sort_by_key(|policy| policy.rank());
    let mut names = HashMap::new();
    policies.into_iter().map(|policy| (unique(policy.name(), &mut names), policy)).collect()
}

/// Name of a policy: `web.shop.deployment.hostnet.dev`.
fn name(object: &str, meta: &Meta) -> String {
    let group = Some(meta.gvk.group.as_str()).filter(|group| !GROUPS.contains(group));
    let parts = [Some(object), meta.namespace.as_deref(), Some(&meta.gvk.kind), group];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let name: String = parts.join(".").chars().map(plain).collect();
    // A name has at most 253 characters; each part between dots begins and ends with a letter or digit.
    let name: String = name.chars().take(200).collect();
    let parts = name.split('.').map(|part| part.trim_matches('-')).filter(|part| !part.is_empty());
    format!("{}{OWN_POLICY}", parts.collect::<Vec<_>>().join("."))
}

/// The name, with a number in front if another policy has it.
fn unique(name: String, names: &mut HashMap<String, usize>) -> String {
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    if *count == 1 { name } else { format!("{count}.{name}") }
}

/// Command that writes the object, so that its policy changes it.
fn next_write_command(object: &Meta) -> String {
    if is_created_only(object) {
        return format!("{object} changes when it is created anew");
    }
    let gvk = &object.gvk;
    let namespace = object.namespace.as_deref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
    let group = Some(&gvk.group).filter(|group| !group.is_empty()).map(|group| format!(".{}.{group}", gvk.version));
    let kind = gvk.kind.to_lowercase() + &group.unwrap_or_default();
    format!("kubectl{namespace} annotate --overwrite {kind} {} hostnet.dev/written=\"$(date +%s)\"", object.name)
}

/// True if the API server refuses changes of the pods of an existing object.
fn is_created_only(object: &Meta) -> bool {
    CREATED_ONLY.contains(&(object.gvk.group.as_str(), object.gvk.kind.as_str()))
}

impl MutatingPolicy {
    /// True if the policy only applies to new objects, but matches names that no new object gets.
    pub fn matches_no_new_object(&self) -> bool {
        self.generated.is_none() && self.is_generated && is_created_only(&self.meta)
    }

    fn name(&self) -> String {
        let stable = self.generated.as_ref().map(GeneratedName::stable_part);
        name(stable.as_deref().unwrap_or(&self.meta.name), &self.meta)
    }

    /// Comment lines with the objects and the messages of their changes.
    fn comment(&self) -> String {
        let objects = self.objects().map(|object| format!("# {}\n", one_line(&object.to_string())));
        objects.chain(self.reasons.iter().map(|reason| format!("#   {reason}\n"))).collect()
    }

    /// Writes the policy and its binding.
    fn write(&self, out: &mut String, name: &str, version: ApiVersion) {
        let version = version.name();
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
{comment}apiVersion: admissionregistration.k8s.io/{version}
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
            comment = self.comment(),
            matching = self.matching(),
            fits = indented(&self.fits, 6),
            mutation = indented(&self.mutation, 8),
        );
    }

    /// Position in the order of application: Services, other objects, workloads, and then Services with numbers, on
    /// which old pods do not listen.
    fn rank(&self) -> usize {
        match (self.meta.is_service(), is_workload(&self.meta)) {
            (true, _) if self.sets_target_number => 3,
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        }
    }

    /// Policy that reports the object if it arrives without its changes.
    fn write_guard(&self, out: &mut String, name: &str, guard: Guard) {
        let actions = match guard {
            Guard::Audit => "[Warn, Audit]",
            Guard::Deny => "[Deny]",
        };
        let namespace = if self.meta.namespace.is_some() { "object.metadata.namespace + \"/\" + " } else { "" };
        let message = format!(
            "{} + {namespace}object.metadata.name + {}",
            quoted(&format!("{} ", self.meta.gvk.kind)),
            quoted(&format!(
                " arrives without the changes of its MutatingAdmissionPolicy {name}, because it no longer matches that policy"
            ))
        );
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "\
---
# Reports {objects} without the changes.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {name}
  labels: {{app.kubernetes.io/managed-by: hostnet}}
spec:
  failurePolicy: Ignore
{matching}  validations:
  - expression: |-
{done}    messageExpression: |-
{message}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {name}
  labels: {{app.kubernetes.io/managed-by: hostnet}}
spec:
  policyName: {name}
  validationActions: {actions}
",
            objects = if self.alike.is_empty() { "the object" } else { "the objects" },
            matching = self.matching(),
            done = indented(&self.done, 6),
            message = indented(&message, 6),
        );
    }

    /// Constraints and conditions by which both policies find the objects.
    fn matching(&self) -> String {
        let (mut names, mut namespaces) = (BTreeSet::new(), BTreeSet::new());
        for object in self.objects() {
            names.insert(object.name.as_str());
            namespaces.extend(object.namespace.as_deref());
        }
        let names: Vec<&str> = if self.generated.is_some() { Vec::new() } else { names.into_iter().collect() };
        let namespaces: Vec<&str> = namespaces.into_iter().collect();
        let by_name = if names.is_empty() { String::new() } else { format!("      resourceNames: {}\n", list(&names)) };
        format!(
            "  matchConstraints:
{selector}    resourceRules:
    - apiGroups: [{group}]
      apiVersions: [{version}]
      operations: [{operations}]
      resources: [{resource}]
{by_name}  matchConditions:
  - name: is-not-deleted
    expression: '!has(object.metadata.deletionTimestamp)'
{kind}{of_group}",
            selector = selector(&namespaces),
            group = quoted(&self.meta.gvk.group),
            version = quoted(&self.meta.gvk.version),
            operations = if is_created_only(&self.meta) { "CREATE" } else { "CREATE, UPDATE" },
            resource = quoted(&self.resource()),
            kind = self.kind(),
            of_group = self.group_condition(names.len(), namespaces.len()),
        )
    }

    /// Match condition for the objects of a group, if names and namespaces alone also match other objects.
    fn group_condition(&self, names: usize, namespaces: usize) -> String {
        if let Some(generated) = &self.generated {
            return condition("is-of-its-controller", &generated.condition());
        }
        if self.alike.len() + 1 == names * namespaces.max(1) {
            return String::new();
        }
        let whole = |object: &Meta| format!("{}/{}", object.namespace.as_deref().unwrap_or_default(), object.name);
        let objects: Vec<String> = self.objects().map(whole).collect();
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        condition(
            "is-in-the-plan",
            &format!("object.metadata.namespace + \"/\" + object.metadata.name in {}", list(&objects)),
        )
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
        condition("is-of-kind", &format!("request.kind.kind == {}", quoted(&self.meta.gvk.kind)))
    }
}

/// A match condition.
fn condition(name: &str, expression: &str) -> String {
    format!("  - name: {name}\n    expression: |-\n{}", indented(expression, 6))
}

/// Quoted texts as a list of YAML and CEL.
fn list(texts: &[&str]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// Selects namespaces by the label with their name.
fn selector(namespaces: &[&str]) -> String {
    const LABEL: &str = "kubernetes.io/metadata.name";
    match namespaces {
        [] => String::new(),
        [one] => format!("    namespaceSelector: {{matchLabels: {{{LABEL}: {}}}}}\n", quoted(one)),
        several => {
            let values = list(several);
            format!("    namespaceSelector: {{matchExpressions: [{{key: {LABEL}, operator: In, values: {values}}}]}}\n")
        }
    }
}
