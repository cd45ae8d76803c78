//! Policies with CEL validations of Kubernetes and Kyverno.

use super::Outcome::{self, Refused, Silent, Unsure};
use crate::host_network::stream;

/// A ValidatingAdmissionPolicy for pods, with a binding.
pub(super) fn admission(validation: &str, more: &str, binding: &str) -> String {
    let rules = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}";
    let policy = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: no-host}}\nspec:\n  matchConstraints: \
         {{resourceRules: [{rules}]}}\n  {more}\n  validations: [{{expression: \"{validation}\"}}]\n"
    );
    let binding = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: no-host}}\nspec: {{policyName: \
         no-host, {binding}}}\n"
    );
    stream([policy, binding])
}

/// A MutatingAdmissionPolicy for pods, with a binding.
fn mutating(expression: &str) -> String {
    admission("true", "failurePolicy: Fail", "matchResources: {}")
        .replace(
            "validations: [{expression: \"true\"}]",
            &format!(
                "mutations: [{{patchType: ApplyConfiguration, applyConfiguration: {{expression: \"{expression}\"}}}}]"
            ),
        )
        .replace("kind: Validating", "kind: Mutating")
}

pub(super) const DENY: &str = "validationActions: [Deny]";

#[allow(clippy::too_many_lines, reason = "one table of cases")]
pub(super) fn cases() -> Vec<(Outcome, String)> {
    let of = |validation: &str| admission(validation, "failurePolicy: Fail", DENY);
    let network = "!has(object.spec.hostNetwork) || object.spec.hostNetwork == false";
    let bound = |binding: &str| admission(network, "failurePolicy: Fail", binding);
    let only = |condition: &str| {
        let conditions = format!("matchConditions: [{{name: only, expression: \"{condition}\"}}]");
        admission(network, &conditions, DENY)
    };
    let containers =
        "variables: [{name: all, expression: 'object.spec.containers + object.spec.?initContainers.orValue([])'}]";
    vec![
        (Refused, of("!has(object.spec.dnsPolicy) || object.spec.dnsPolicy != 'ClusterFirstWithHostNet'")),
        (Refused, of("!(object.spec.?dnsPolicy.orValue('') in ['ClusterFirstWithHostNet', 'None'])")),
        (Silent, of("!object.spec.?hostNetwork.orValue(false) || object.spec.dnsPolicy == 'ClusterFirstWithHostNet'")),
        (Unsure, mutating("Object{spec: Object.spec{hostNetwork: false}}")),
        (Silent, mutating("Object{spec: Object.spec{hostNetwork: true}}")),
        (Silent, mutating("Object{spec: Object.spec{hostNetwork: false}}").replace("[pods]", "[nodes]")),
        (
            Silent,
            mutating("Object{spec: Object.spec{hostNetwork: false}}").replace("policyName: no-host", "policyName: x"),
        ),
        (Refused, of(network)),
        (Refused, of("object.spec.?hostNetwork.orValue(false) == false")),
        (Refused, of("!object.spec.?hostNetwork.orValue(false)")),
        (Refused, of("!(has(object.spec.hostNetwork) && object.spec.hostNetwork)")),
        (Refused, of("has(object.spec.hostNetwork) ? !object.spec.hostNetwork : true")),
        (Silent, of("!object.spec.?hostPID.orValue(false)")),
        (Silent, of("object.metadata.namespace != 'prod' || !object.spec.?hostNetwork.orValue(false)")),
        (
            Unsure,
            of("!object.spec.?hostNetwork.orValue(false) || object.spec.?serviceAccountName.orValue('') == 'trusted'"),
        ),
        (Unsure, of("string(object.spec.hostNetwork).matches('^f')")),
        (
            Refused,
            of("object.spec.containers.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0))"),
        ),
        (
            Refused,
            of(
                "!object.spec.containers.exists(c, has(c.ports) && c.ports.exists(p, has(p.hostPort) && p.hostPort > 0))",
            ),
        ),
        (
            Silent,
            of(
                "object.spec.containers.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort >= 10000))",
            ),
        ),
        (
            Refused,
            admission(
                "variables.all.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0))",
                containers,
                DENY,
            ),
        ),
        (
            Refused,
            admission(
                "variables.all.filter(c, has(c.ports) && c.ports.exists(p, has(p.hostPort))).size() == 0",
                containers,
                DENY,
            ),
        ),
        (
            Refused,
            of(network)
                .replace("apiGroups: ['']", "apiGroups: [apps]")
                .replace("[pods]", "[deployments]")
                .replace("object.spec.", "object.spec.template.spec."),
        ),
        (Silent, of(network).replace("apiGroups: ['']", "apiGroups: [apps]").replace("[pods]", "[deployments]")),
        (
            Refused,
            of(
                "(has(object.spec.template) ? object.spec.template.spec : object.spec).?hostNetwork.orValue(false) == false",
            ),
        ),
        // Policies generated by `hostnet check` are skipped.
        (Silent, of("object.spec.hostNetwork.isOwn()").replace("no-host", "host-port.hostnet.dev")),
        (Silent, bound("validationActions: [Audit, Warn]")),
        (Silent, bound("validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {team: other}}}")),
        (Refused, bound("validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {team: shop}}}")),
        (Silent, bound("validationActions: [Deny], matchResources: {objectSelector: {matchLabels: {app: api}}}")),
        (
            Silent,
            bound(
                "validationActions: [Deny], matchResources: {namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}}",
            ),
        ),
        (Silent, of(network).replace("policyName: no-host", "policyName: other")),
        (Silent, of(network).replace("resources: [pods]", "resources: [services]")),
        (Silent, of(network).replace("operations: [CREATE, UPDATE]", "operations: [DELETE]")),
        (Silent, only("!(request.namespace in ['kube-system', 'shop'])")),
        (Refused, only("object.metadata.namespace != 'kube-system'")),
        (Unsure, only("!('system:nodes' in request.userInfo.groups)")),
        // Kyverno's own kind.
        (Refused, validating("validationActions: [Deny]", "")),
        (Silent, validating("validationActions: [Audit]", "")),
        (
            Silent,
            validating(
                "validationActions: [Deny]",
                "object.metadata.namespace == 'shop' && object.metadata.name.startsWith('web')",
            ),
        ),
        (Refused, validating("validationActions: [Deny]", "object.metadata.namespace == 'other'")),
    ]
}

/// Kyverno's `ValidatingPolicy`, with an exception under a condition.
pub(super) fn validating(actions: &str, condition: &str) -> String {
    let rules = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}";
    let policy = format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: disallow}}\nspec:\n  {actions}\n  matchConstraints: \
         {{resourceRules: [{rules}]}}\n  variables: [{{name: hostNetwork, expression: 'object.spec.?hostNetwork.orValue(false)'}}]\n  validations: \
         [{{expression: '!(variables.hostNetwork || object.spec.?hostPID.orValue(false))'}}]\n"
    );
    let exception = format!(
        "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: web, namespace: shop}}\nspec:\n  policyRefs: [{{name: disallow, \
         kind: ValidatingPolicy}}]\n  matchConditions: [{{name: web, expression: \"{condition}\"}}]\n"
    );
    if condition.is_empty() { policy } else { stream([policy, exception]) }
}
