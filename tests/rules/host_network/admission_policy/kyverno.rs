//! Kyverno's `ClusterPolicy` and `Policy`, in the shapes of its library.

use super::Outcome::{self, Refused, Silent, Unsure};
use crate::host_network::stream;

/// A `ClusterPolicy` with one rule.
pub(super) fn kyverno(spec: &str, rule: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: disallow}}\nspec:\n  {spec}\n  rules:\n  - name: host\n{rule}"
    )
}

pub(super) const PODS: &str = "    match: {any: [{resources: {kinds: [Pod]}}]}\n";
pub(super) const ENFORCE: &str = "validationFailureAction: Enforce";
pub(super) const NETWORK: &str = "    validate: {pattern: {spec: {=(hostPID): 'false', =(hostNetwork): 'false'}}}\n";

/// An enforced `ClusterPolicy` for all pods.
pub(super) fn validates(validate: &str) -> String {
    kyverno(ENFORCE, &format!("{PODS}    validate: {validate}\n"))
}

/// A `ClusterPolicy` that forbids the host network for the objects that it matches.
pub(super) fn matching(filters: &str) -> String {
    kyverno(ENFORCE, &format!("    {filters}\n{NETWORK}"))
}

/// A `ClusterPolicy` that forbids the host network for all pods, with an exception.
pub(super) fn excepted(exception: &str, filter: &str) -> String {
    let exception = format!(
        "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: web, namespace: shop}}\nspec:\n  exceptions: [{exception}]\n  match: \
         {{any: [{{resources: {filter}}}]}}\n"
    );
    stream([kyverno(ENFORCE, &format!("{PODS}{NETWORK}")), exception])
}

#[allow(clippy::too_many_lines, reason = "one table of cases")]
pub(super) fn cases() -> Vec<(Outcome, String)> {
    let range = |value: &str| {
        let key = "\"{{ request.object.spec.[ephemeralContainers, initContainers, containers][].ports[].hostPort }}\"";
        let deny = format!("{{deny: {{conditions: {{all: [{{key: {key}, operator: AnyNotIn, value: {value}}}]}}}}}}");
        kyverno(ENFORCE, &format!("{PODS}    validate: {deny}\n"))
    };
    let overrides = |action: &str, overrides: &str| {
        let spec = format!("validationFailureAction: {action}\n  validationFailureActionOverrides: [{overrides}]");
        kyverno(&spec, &format!("{PODS}{NETWORK}"))
    };
    let own_action = |action: &str| {
        let validate =
            format!("    validate: {{failureAction: {action}, pattern: {{spec: {{=(hostNetwork): false}}}}}}\n");
        kyverno(ENFORCE, &format!("{PODS}{validate}"))
    };
    let operation = |operator: &str, value: &str| {
        let key = "key: \"{{ request.operation }}\"";
        let preconditions = format!("    preconditions: {{all: [{{{key}, operator: {operator}, value: {value}}}]}}\n");
        kyverno(ENFORCE, &format!("{PODS}{preconditions}{NETWORK}"))
    };
    let level = |rest: &str| validates(&format!("{{podSecurity: {{level: baseline, version: latest{rest}}}}}"));
    let cel = |expression: &str| validates(&format!("{{cel: {{expressions: [{{expression: \"{expression}\"}}]}}}}"));
    let mutates = |mutate: &str| kyverno("background: false", &format!("{PODS}    mutate: {mutate}\n"));
    let patch = |patch: &str| mutates(&format!("{{patchesJson6902: '[{patch}]'}}"));
    vec![
        // `mutate` resets the field; keys with an anchor do not change it.
        (Unsure, mutates("{patchStrategicMerge: {spec: {hostNetwork: false}}}")),
        (Unsure, mutates("{patchStrategicMerge: {spec: {hostNetwork: null}}}")),
        (Silent, mutates("{patchStrategicMerge: {spec: {+(hostNetwork): false}}}")),
        (Silent, mutates("{patchStrategicMerge: {spec: {hostPID: false}}}")),
        (Silent, mutates("{targets: [{kind: Pod}], patchStrategicMerge: {spec: {hostNetwork: false}}}")),
        (Unsure, patch("{op: remove, path: /spec/hostNetwork}")),
        (Unsure, patch("{op: replace, path: /spec/hostNetwork, value: false}")),
        (Silent, patch("{op: add, path: /spec/hostNetwork, value: true}")),
        (Silent, patch("{op: remove, path: /spec/hostPID}")),
        (
            Silent,
            kyverno(
                "background: false",
                "    match: {any: [{resources: {kinds: [Pod], namespaces: [other]}}]}\n    mutate: {patchStrategicMerge: {spec: {hostNetwork: false}}}\n",
            ),
        ),
        // The `dnsPolicy` that the move writes.
        (Refused, validates("{pattern: {spec: {=(dnsPolicy): 'ClusterFirst | Default'}}}")),
        (Silent, validates("{pattern: {spec: {=(dnsPolicy): 'ClusterFirst*'}}}")),
        // The library's patterns.
        (Refused, kyverno(ENFORCE, &format!("{PODS}{NETWORK}"))),
        (Refused, kyverno("validationFailureAction: enforce", &format!("{PODS}{NETWORK}"))),
        (
            Refused,
            validates(
                "{pattern: {spec: {=(initContainers): [{=(ports): [{=(hostPort): 0}]}], containers: [{=(ports): [{=(hostPort): 0}]}]}}}",
            ),
        ),
        (Refused, validates("{pattern: {spec: {X(hostNetwork): 'null'}}}")),
        (Refused, validates("{pattern: {spec: {containers: [{=(ports): [{=(hostPort): 5000-9000}]}]}}}")),
        (Silent, validates("{pattern: {spec: {containers: [{=(ports): [{=(hostPort): 10000-65535 | 0}]}]}}}")),
        (Silent, validates("{pattern: {spec: {=(hostPID): 'false', =(hostIPC): 'false'}}}")),
        (Silent, validates("{pattern: {spec: {=(initContainers): [{=(ports): [{=(hostPort): 0}]}]}}}")),
        (
            Refused,
            validates(
                "{anyPattern: [{spec: {=(hostNetwork): false}}, {spec: {containers: [{=(ports): [{=(hostPort): 0}]}]}}]}",
            ),
        ),
        (Unsure, validates("{anyPattern: [{spec: {=(hostNetwork): false}}, {metadata: {labels: {trusted: 'yes'}}}]}")),
        (Unsure, validates("{pattern: {spec: {(serviceAccountName): '!trusted', hostNetwork: false}}}")),
        (
            Refused,
            validates(
                "{deny: {conditions: {any: [{key: \"{{ request.object.spec.hostNetwork || `false` }}\", operator: Equals, value: true}]}}}",
            ),
        ),
        (
            Silent,
            validates(
                "{deny: {conditions: {any: [{key: \"{{ request.object.spec.hostPID || `false` }}\", operator: Equals, value: true}]}}}",
            ),
        ),
        (
            Unsure,
            validates(
                "{deny: {conditions: {any: [{key: \"{{ request.object.spec.containers[].ports[?hostPort].hostPort | length(@) }}\", operator: GreaterThan, value: 0}]}}}",
            ),
        ),
        (Refused, range("5000-9000")),
        (Silent, range("10000-65535")),
        (
            Unsure,
            validates(
                "{foreach: [{list: request.object.spec.containers, deny: {conditions: {any: [{key: \"{{ element.ports[].hostPort }}\", operator: AnyNotIn, value: [0]}]}}}]}",
            ),
        ),
        (Unsure, validates("{assert: {object: {spec: {'(hostNetwork || `false`)': false}}}}")),
        (Silent, validates("{assert: {object: {spec: {'(hostPID || `false`)': false}}}}")),
        (Refused, level("")),
        (Refused, level(", exclude: [{controlName: Host Namespaces}]")),
        (Silent, level(", exclude: [{controlName: Host Namespaces}, {controlName: Host Ports, images: ['*']}]")),
        (Silent, validates("{podSecurity: {level: privileged}}")),
        (
            Refused,
            cel("object.spec.?hostNetwork.orValue(false) == false && object.spec.?hostPID.orValue(false) == false"),
        ),
        (Silent, cel("object.spec.?hostPID.orValue(false) == false")),
        // The action decides.
        (Silent, kyverno("validationFailureAction: Audit", &format!("{PODS}{NETWORK}"))),
        (Silent, kyverno("background: true", &format!("{PODS}{NETWORK}"))),
        (Silent, kyverno("validationFailureAction: Enforce\n  admission: false", &format!("{PODS}{NETWORK}"))),
        (Silent, own_action("Audit")),
        (Refused, own_action("Enforce")),
        (Silent, overrides("Enforce", "{action: Audit, namespaces: ['sh*']}")),
        (Refused, overrides("Enforce", "{action: Audit, namespaces: [other]}")),
        (Refused, overrides("Audit", "{action: Enforce, namespaceSelector: {matchLabels: {team: shop}}}")),
        (Silent, overrides("Audit", "{action: Enforce, namespaceSelector: {matchLabels: {team: other}}}")),
        // The match decides.
        (Refused, matching("match: {resources: {kinds: [v1/Pod]}}")),
        (Refused, matching("match: {any: [{resources: {kinds: ['*']}}]}")),
        (
            Refused,
            matching("match: {any: [{resources: {kinds: [Pod], namespaces: ['sh?p'], operations: [CREATE, UPDATE]}}]}"),
        ),
        (Refused, matching("match: {all: [{resources: {kinds: [Pod], selector: {matchLabels: {app: w*}}}}]}")),
        (Silent, matching("match: {any: [{resources: {kinds: [Deployment]}}]}")),
        (Silent, matching("match: {any: [{resources: {kinds: [Pod], namespaces: [prod-*]}}]}")),
        (Silent, matching("match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {app: api}}}}]}")),
        (
            Silent,
            matching(
                "match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [shop]}]}}}]}",
            ),
        ),
        (Silent, matching("match: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}")),
        (Silent, matching("match: {any: [{resources: {kinds: [Pod], names: [api-*]}}]}")),
        (
            Silent,
            matching(
                "match: {any: [{resources: {kinds: [Pod]}}]}\n    exclude: {any: [{resources: {namespaces: [kube-system, shop]}}]}",
            ),
        ),
        (
            Refused,
            matching(
                "match: {any: [{resources: {kinds: [Pod]}}]}\n    exclude: {any: [{resources: {namespaces: [kube-system]}}]}",
            ),
        ),
        (
            Unsure,
            matching(
                "match: {any: [{resources: {kinds: [Pod]}}]}\n    exclude: {any: [{clusterRoles: [cluster-admin]}]}",
            ),
        ),
        (Refused, operation("NotEquals", "DELETE")),
        (Silent, operation("Equals", "DELETE")),
        (
            Refused,
            kyverno(
                ENFORCE,
                "    match: {any: [{resources: {kinds: [Deployment]}}]}\n    validate: {pattern: {spec: {template: {spec: {=(hostNetwork): 'false'}}}}}\n",
            ),
        ),
        (
            Silent,
            kyverno(
                ENFORCE,
                "    match: {any: [{resources: {kinds: [StatefulSet]}}]}\n    validate: {pattern: {spec: {template: {spec: {=(hostNetwork): 'false'}}}}}\n",
            ),
        ),
        (
            Refused,
            matching("match: {resources: {kinds: [Pod]}}")
                .replace("kind: ClusterPolicy\nmetadata: {", "kind: Policy\nmetadata: {namespace: shop, "),
        ),
        (
            Silent,
            matching("match: {resources: {kinds: [Pod]}}")
                .replace("kind: ClusterPolicy\nmetadata: {", "kind: Policy\nmetadata: {namespace: other, "),
        ),
        // Exceptions.
        (
            Silent,
            excepted(
                "{policyName: disallow, ruleNames: [host, autogen-host]}",
                "{kinds: [Pod, Deployment], namespaces: [shop], names: [web*]}",
            ),
        ),
        // Kyverno applies the rule to the Deployment under another name, and the exception must match the Deployment.
        (
            Refused,
            excepted(
                "{policyName: disallow, ruleNames: [host]}",
                "{kinds: [Pod, Deployment], namespaces: [shop], names: [web*]}",
            ),
        ),
        (
            Refused,
            excepted(
                "{policyName: disallow, ruleNames: [host, autogen-host]}",
                "{kinds: [Pod], namespaces: [shop], names: [web*]}",
            ),
        ),
        (
            Refused,
            excepted(
                "{policyName: disallow, ruleNames: [autogen-host]}",
                "{kinds: [Pod, Deployment], namespaces: [shop], names: [web*]}",
            ),
        ),
        (Silent, excepted("{policyName: disallow, ruleNames: ['*']}", "{namespaces: [shop]}")),
        // Policies without generated rules.
        (
            Silent,
            excepted("{policyName: disallow, ruleNames: [host]}", "{kinds: [Pod], names: [web*]}").replace(
                "{name: disallow}",
                "{name: disallow, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}",
            ),
        ),
        (
            Silent,
            excepted("{policyName: disallow, ruleNames: [host]}", "{kinds: [Pod], names: [web*]}").replace(
                "{name: disallow}",
                "{name: disallow, annotations: {pod-policies.kyverno.io/autogen-controllers: 'Job,CronJob'}}",
            ),
        ),
        (
            Silent,
            excepted("{policyName: disallow, ruleNames: [host]}", "{kinds: [Pod], names: [web*]}")
                .replace("{resources: {kinds: [Pod]}}]}\n", "{resources: {kinds: [Pod], names: ['*']}}]}\n"),
        ),
        (
            Refused,
            excepted("{policyName: disallow, ruleNames: [other]}", "{kinds: [Pod, Deployment], namespaces: [shop]}"),
        ),
        (
            Refused,
            excepted("{policyName: another, ruleNames: ['*']}", "{kinds: [Pod, Deployment], namespaces: [shop]}"),
        ),
        (
            Refused,
            excepted("{policyName: disallow, ruleNames: ['*']}", "{kinds: [Pod, Deployment], namespaces: [other]}"),
        ),
    ]
}
