//! Rule `admission-policy`: policies of the input that refuse pods on the host network. The cases are those of `hostnet check` too.

use super::{config, named, run, stream};
use insta::assert_snapshot;

/// The outcome for Deployment `shop/web`, whose one port has no number from 5000 to 9000 on the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its Pods are refused.
    Refused,
    /// They may be, and nobody can tell.
    Unsure,
    /// Nothing is said.
    Silent,
}

use Outcome::{Refused, Silent, Unsure};

/// A namespace with labels for selectors.
const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n";

/// A ClusterPolicy with one rule.
fn kyverno(spec: &str, rule: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: disallow}}\nspec:\n  {spec}\n  rules:\n  - name: host\n{rule}"
    )
}

const PODS: &str = "    match: {any: [{resources: {kinds: [Pod]}}]}\n";
const ENFORCE: &str = "validationFailureAction: Enforce";
const NETWORK: &str = "    validate: {pattern: {spec: {=(hostPID): 'false', =(hostNetwork): 'false'}}}\n";

/// One that is enforced for all pods.
fn validates(validate: &str) -> String {
    kyverno(ENFORCE, &format!("{PODS}    validate: {validate}\n"))
}

/// One that forbids the host network to what it matches.
fn matching(filters: &str) -> String {
    kyverno(ENFORCE, &format!("    {filters}\n{NETWORK}"))
}

/// The same for all pods, with an exception.
fn excepted(exception: &str, filter: &str) -> String {
    let exception = format!(
        "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: web, namespace: shop}}\nspec:\n  exceptions: [{exception}]\n  match: \
         {{any: [{{resources: {filter}}}]}}\n"
    );
    stream([kyverno(ENFORCE, &format!("{PODS}{NETWORK}")), exception])
}

fn kyverno_cases() -> Vec<(Outcome, String)> {
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
    vec![
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
        (Refused, level("")),
        (Refused, level(", exclude: [{controlName: Host Namespaces}]")),
        (Silent, level(", exclude: [{controlName: Host Namespaces}, {controlName: Host Ports, images: ['*']}]")),
        (Silent, validates("{podSecurity: {level: privileged}}")),
        (
            Refused,
            cel("object.spec.?hostNetwork.orValue(false) == false && object.spec.?hostPID.orValue(false) == false"),
        ),
        (Silent, cel("object.spec.?hostPID.orValue(false) == false")),
        // Which action counts.
        (Silent, kyverno("validationFailureAction: Audit", &format!("{PODS}{NETWORK}"))),
        (Silent, kyverno("background: true", &format!("{PODS}{NETWORK}"))),
        (Silent, kyverno("validationFailureAction: Enforce\n  admission: false", &format!("{PODS}{NETWORK}"))),
        (Silent, own_action("Audit")),
        (Refused, own_action("Enforce")),
        (Silent, overrides("Enforce", "{action: Audit, namespaces: ['sh*']}")),
        (Refused, overrides("Enforce", "{action: Audit, namespaces: [other]}")),
        (Refused, overrides("Audit", "{action: Enforce, namespaceSelector: {matchLabels: {team: shop}}}")),
        (Silent, overrides("Audit", "{action: Enforce, namespaceSelector: {matchLabels: {team: other}}}")),
        // What is matched.
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

/// A ValidatingAdmissionPolicy for pods with a binding.
fn admission(validation: &str, more: &str, binding: &str) -> String {
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

const DENY: &str = "validationActions: [Deny]";

fn admission_cases() -> Vec<(Outcome, String)> {
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

/// Kyverno's ValidatingPolicy, with an exception under a condition.
fn validating(actions: &str, condition: &str) -> String {
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

/// A constraint of Gatekeeper for pods.
fn constraint(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: {kind}\nmetadata: {{name: psp}}\nspec:\n  match: {{kinds: [{{apiGroups: [''], kinds: [Pod]}}]}}\n  {spec}\n"
    )
}

fn gatekeeper_cases() -> Vec<(Outcome, String)> {
    let ports = |spec: &str| constraint("K8sPSPHostNetworkingPorts", spec);
    let matching =
        |what: &str| ports("parameters: {hostNetwork: false}").replace("match: {", &format!("match: {{{what}, "));
    let template = |rego: &str| {
        let template = format!(
            "apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate\nmetadata: {{name: k8sown}}\nspec:\n  crd: {{spec: {{names: {{kind: \
             K8sOwn}}}}}}\n  targets: [{{target: admission.k8s.gatekeeper.sh, rego: \"{rego}\"}}]\n"
        );
        stream([template, constraint("K8sOwn", "enforcementAction: deny")])
    };
    let configured = |process: &str| {
        let config = format!(
            "apiVersion: config.gatekeeper.sh/v1alpha1\nkind: Config\nmetadata: {{name: config, namespace: gatekeeper-system}}\nspec: {{match: \
             [{{excludedNamespaces: ['sh*'], processes: [{process}]}}]}}\n"
        );
        stream([config, ports("parameters: {hostNetwork: false}")])
    };
    vec![
        (Refused, ports("parameters: {hostNetwork: false}")),
        (Refused, ports("enforcementAction: deny")),
        (Refused, ports("parameters: {hostNetwork: true, min: 80, max: 9000}")),
        (Silent, ports("parameters: {hostNetwork: true, min: 80, max: 65535}")),
        (Silent, ports("parameters: {hostNetwork: true}")),
        (Silent, ports("parameters: {hostNetwork: true, min: 80, max: 9000, exemptImages: ['example/*']}")),
        (Refused, ports("parameters: {hostNetwork: false, exemptImages: ['example/*']}")),
        (Silent, ports("enforcementAction: dryrun")),
        (Silent, ports("enforcementAction: warn")),
        (
            Refused,
            ports(
                "enforcementAction: scoped\n  scopedEnforcementActions: [{action: deny, enforcementPoints: [{name: validation.gatekeeper.sh}]}]",
            ),
        ),
        (
            Silent,
            ports(
                "enforcementAction: scoped\n  scopedEnforcementActions: [{action: deny, enforcementPoints: [{name: audit.gatekeeper.sh}]}]",
            ),
        ),
        (Silent, matching("excludedNamespaces: [kube-system, 'sh*']")),
        (Refused, matching("excludedNamespaces: [kube-system]")),
        (Silent, matching("namespaces: [other]")),
        (Silent, matching("labelSelector: {matchLabels: {app: api}}")),
        (Silent, matching("namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}")),
        (Silent, ports("parameters: {}").replace("kinds: [Pod]", "kinds: [Deployment]")),
        (Silent, constraint("K8sPSPHostNamespace", "enforcementAction: deny")),
        (
            Unsure,
            template(
                "package a\\nviolation[{\\\"msg\\\": m}] { input.review.object.spec.hostNetwork; m := \\\"no\\\" }",
            ),
        ),
        (
            Silent,
            template("package a\\nviolation[{\\\"msg\\\": m}] { input.review.object.spec.hostPID; m := \\\"no\\\" }"),
        ),
        (Silent, configured("webhook")),
        (Refused, configured("audit")),
    ]
}

/// A `SecurityContextConstraints` with users or groups.
fn scc(name: &str, allows: bool, who: &str) -> String {
    format!(
        "apiVersion: security.openshift.io/v1\nkind: SecurityContextConstraints\nmetadata: {{name: {name}}}\nallowHostNetwork: {allows}\nallowHostPorts: \
         {allows}\nallowPrivilegedContainer: false\n{who}\n"
    )
}

/// A binding of the service account of the pods to a role.
fn binding(role: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: web, namespace: shop}}\nroleRef: {{apiGroup: \
         rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}\nsubjects: [{{kind: ServiceAccount, name: default, namespace: shop}}]\n"
    )
}

fn grant_cases() -> Vec<(Outcome, String)> {
    let psp = |name: &str, spec: &str| {
        format!("apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n")
    };
    let role = |name: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: use-{name}}}\nrules: [{{apiGroups: [policy], resources: \
             [podsecuritypolicies], verbs: [use], resourceNames: [{name}]}}]\n"
        )
    };
    let everybody = "groups: [system:authenticated]";
    vec![
        (Refused, scc("restricted", false, everybody)),
        (Refused, scc("own", false, "users: ['system:serviceaccount:shop:default']")),
        (Silent, scc("own", true, everybody)),
        (Silent, scc("own", false, "users: ['system:serviceaccount:other:default']")),
        (Silent, stream([scc("own", false, everybody), scc("net", true, "groups: ['system:serviceaccounts:shop']")])),
        (Silent, stream([scc("own", false, everybody), binding("system:openshift:scc:hostnetwork-v2")])),
        (Refused, stream([scc("own", false, everybody), binding("system:openshift:scc:anyuid")])),
        (Silent, stream([scc("own", false, everybody), binding("cluster-admin")])),
        (Unsure, stream([psp("restricted", "hostNetwork: false"), role("restricted"), binding("use-restricted")])),
        (
            Unsure,
            stream([
                psp("net", "hostNetwork: true, hostPorts: [{min: 80, max: 9000}]"),
                role("net"),
                binding("use-net"),
            ]),
        ),
        (
            Silent,
            stream([
                psp("net", "hostNetwork: true, hostPorts: [{min: 80, max: 65535}]"),
                role("net"),
                binding("use-net"),
            ]),
        ),
        (Silent, stream([psp("restricted", "hostNetwork: false"), role("restricted")])),
        (Silent, psp("restricted", "hostNetwork: false")),
    ]
}

/// All cases: the outcome, and the policies.
pub(crate) fn cases() -> Vec<(Outcome, String)> {
    [kyverno_cases(), admission_cases(), gatekeeper_cases(), grant_cases()].into_iter().flatten().collect()
}

/// Policies with the namespace that they look at.
pub(crate) fn with_namespace(policies: &str, workload: &str) -> String {
    stream([NAMESPACE.to_owned(), policies.to_owned(), workload.to_owned()])
}

fn web() -> String {
    named("web", 8000, true).replace("{name: web, args", "{name: web, image: example/web:v1, args")
}

const AUTO: &str = "{targets: [{select: {kind: Deployment}, ports: auto}]}";

/// Whether the workload moved, and what the rule said of it.
fn moved(spec: &str, policies: &str) -> (bool, Vec<String>) {
    let (output, said) = run(spec, &with_namespace(policies, &web()));
    let own = said.into_iter().filter(|line| line.contains("[admission-policy]"));
    (output.contains("hostNetwork: true\n      dnsPolicy"), own.collect())
}

#[test]
fn what_is_refused_stays_what_nobody_can_tell_is_said_and_the_rest_is_silent() {
    for (outcome, policies) in cases() {
        let (moved, said) = moved(AUTO, &policies);
        let expected = match outcome {
            Refused => {
                !moved && said.iter().all(|line| line.contains("The workload is left as it is")) && !said.is_empty()
            }
            Unsure => moved && said.len() == 1 && said.iter().all(|line| line.starts_with("warning: ")),
            Silent => moved && said.is_empty(),
        };
        assert!(expected, "{outcome:?}: moved: {moved}, {said:#?}\n{policies}");
    }
}

#[test]
fn a_workload_that_is_named_or_gets_numbers_is_an_error() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    for spec in [
        "{targets: [{select: {name: web}, ports: auto}]}",
        "{targets: [{select: {kind: Deployment}, ports: {http: 20080}}]}",
    ] {
        let (_, said) = moved(spec, &policy);
        assert!(said.len() == 1 && said[0].starts_with("error: "), "{spec}: {said:?}");
    }
}

/// A namespace that is not in the input has labels that nobody knows, but for its name.
#[test]
fn labels_of_a_namespace_that_is_not_there_are_not_known() {
    let of = |selector: &str| {
        let filters = format!("match: {{any: [{{resources: {{kinds: [Pod], namespaceSelector: {selector}}}}}]}}");
        let manifest = stream([matching(&filters), web()]);
        let (_, said) = run(AUTO, &manifest);
        said.iter().filter(|line| line.contains("[admission-policy]")).count()
    };
    assert_eq!(of("{matchLabels: {team: shop}}"), 1);
    assert_eq!(of("{matchLabels: {kubernetes.io/metadata.name: other}}"), 0);
}

/// Namespaces that Kyverno leaves out as it is installed.
#[test]
fn kyverno_does_not_look_at_the_system() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    let manifest = stream([policy, web().replace("namespace: shop", "namespace: kube-system")]);
    let (output, said) = run(AUTO, &manifest);
    assert!(
        output.contains("hostNetwork: true\n      dnsPolicy")
            && !said.iter().any(|line| line.contains("admission-policy"))
    );
}

#[test]
fn a_message_names_the_policy_the_fields_and_what_to_write() {
    let of = |policies: &str| moved(AUTO, policies).1.join("\n");
    assert_snapshot!(of(&kyverno(ENFORCE, &format!("{PODS}{NETWORK}"))), @"");
    assert_snapshot!(of(&constraint("K8sPSPHostNetworkingPorts", "parameters: {hostNetwork: false}")), @"");
    assert_snapshot!(of(&admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY)), @"");
    assert_snapshot!(of(&validating("validationActions: [Deny]", "")), @"");
    assert_snapshot!(of(&scc("restricted", false, "groups: [system:authenticated]")), @"");
    assert_snapshot!(of(&validates("{foreach: [{list: request.object.spec.containers, pattern: {=(hostPort): 0}}]}")), @"");
    assert_snapshot!(of(&matching("match: {any: [{resources: {kinds: [Pod]}}]}\n    exclude: {any: [{clusterRoles: [a]}]}")), @"");
}

/// The manifest that a message shows, as a document.
fn pasted(message: &str) -> String {
    format!("{}\n", message.split("Write `").nth(1).unwrap().split('`').next().unwrap())
}

#[test]
fn what_a_message_shows_works_when_it_is_pasted() {
    let everybody = scc("restricted", false, "groups: [system:authenticated]");
    for policies in
        [kyverno(ENFORCE, &format!("{PODS}{NETWORK}")), validating("validationActions: [Deny]", ""), everybody]
    {
        let (_, said) = moved(AUTO, &policies);
        let exempt = stream([policies, pasted(&said[0])]);
        assert_eq!(moved(AUTO, &exempt), (true, Vec::new()), "{exempt}");
    }
    // These are fields of objects that are there.
    let own = constraint("K8sPSPHostNetworkingPorts", "parameters: {hostNetwork: false}");
    let exempt = pasted(&moved(AUTO, &own).1[0]).replace("match: {", "").replace("}\n", "");
    assert_eq!(moved(AUTO, &own.replace("match: {", &format!("match: {{{exempt}, "))), (true, Vec::new()));
    let own = admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY);
    let exempt = pasted(&moved(AUTO, &own).1[0]);
    assert_eq!(moved(AUTO, &own.replace(DENY, &format!("{DENY}, {}", exempt.trim_end()))), (true, Vec::new()));
}

/// Text of others is shown as text: nothing of it ends the manifest that a message shows.
#[test]
fn names_are_quoted_where_they_need_it() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}")).replace("name: disallow", "name: \"a: [b, '}\"");
    let (_, said) = moved(AUTO, &policy);
    let exempt = stream([policy, pasted(&said[0])]);
    assert_eq!(moved(AUTO, &exempt), (true, Vec::new()));
    assert!(config(AUTO).is_ok());
}
