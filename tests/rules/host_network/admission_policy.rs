//! Rule `admission-policy`: policies of the input that refuse pods on the host network. `hostnet check` has the same
//! cases.

mod deletion;
mod fargate;
mod gatekeeper;
mod grants;
mod kubewarden;
mod kyverno;
mod namespace_levels;
mod polaris;
mod stackrox;
mod validating;

use super::{config, deployment_named, run, stream};
use crate::support::results::worded;
use gatekeeper::constraint;
use grants::scc;
use insta::assert_snapshot;
use kyverno::{ENFORCE, NETWORK, PODS, kyverno, matching, validates};
use validating::{DENY, admission, validating};

/// The outcome for Deployment `shop/web`, whose only port gets a number outside of 5000-9000 on the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The policies refuse its Pods.
    Refused,
    /// The policy may refuse its Pods.
    Unsure,
    /// No message.
    Silent,
}

use Outcome::{Refused, Silent, Unsure};

/// A namespace with labels for selectors.
const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n";

/// All cases: the outcome, and the policies.
pub(crate) fn cases() -> Vec<(Outcome, String)> {
    [
        kyverno::cases(),
        kubewarden::cases(),
        validating::cases(),
        gatekeeper::cases(),
        grants::cases(),
        deletion::cases(),
        polaris::cases(),
        fargate::cases(),
        stackrox::cases(),
        namespace_levels::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Policies, the workload, and its namespace.
pub(crate) fn with_namespace(policies: &str, workload: &str) -> String {
    stream([NAMESPACE.to_owned(), policies.to_owned(), workload.to_owned()])
}

fn web() -> String {
    deployment_named("web", 8000, true).replace("{name: web, args", "{name: web, image: example/web:v1, args")
}

const AUTO: &str = "{targets: [{select: {kind: Deployment}, ports: auto}]}";

/// True if the workload moved, and the messages of the rule.
fn moved(spec: &str, policies: &str) -> (bool, Vec<String>) {
    let (output, log) = run(spec, &with_namespace(policies, &web()));
    let own = log.into_iter().filter(|line| line.contains("[admission-policy]"));
    (output.contains("hostNetwork: true\n      dnsPolicy"), own.collect())
}

#[test]
fn refused_workloads_stay_and_possibly_refused_ones_move_with_a_warning() {
    for (outcome, policies) in cases() {
        let (moved, log) = moved(AUTO, &policies);
        let expected = match outcome {
            Refused => !moved && log.iter().all(|line| line.contains("The workload is not changed")) && !log.is_empty(),
            Unsure => moved && log.len() == 1 && log.iter().all(|line| line.starts_with("warning: ")),
            Silent => moved && log.is_empty(),
        };
        assert!(expected, "{outcome:?}: moved: {moved}, {log:#?}\n{policies}");
    }
}

#[test]
fn a_workload_that_is_named_or_gets_numbers_is_an_error() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    for spec in [
        "{targets: [{select: {name: web}, ports: auto}]}",
        "{targets: [{select: {kind: Deployment}, ports: {http: 20080}}]}",
    ] {
        let (_, log) = moved(spec, &policy);
        assert!(log.len() == 1 && log[0].starts_with("error: "), "{spec}: {log:?}");
    }
}

/// The labels of a namespace outside of the input are unknown, except the label with its name.
#[test]
fn labels_of_a_missing_namespace_are_unknown() {
    let of = |selector: &str| {
        let filters = format!("match: {{any: [{{resources: {{kinds: [Pod], namespaceSelector: {selector}}}}}]}}");
        let manifest = stream([matching(&filters), web()]);
        let (_, log) = run(AUTO, &manifest);
        log.iter().filter(|line| line.contains("[admission-policy]")).count()
    };
    assert_eq!(of("{matchLabels: {team: shop}}"), 1);
    assert_eq!(of("{matchLabels: {kubernetes.io/metadata.name: other}}"), 0);
}

/// Kyverno's chart excludes these namespaces.
#[test]
fn kyverno_skips_namespaces_of_the_system() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    let manifest = stream([policy, web().replace("namespace: shop", "namespace: kube-system")]);
    let (output, log) = run(AUTO, &manifest);
    assert!(
        output.contains("hostNetwork: true\n      dnsPolicy")
            && !log.iter().any(|line| line.contains("admission-policy"))
    );
}

#[test]
fn a_message_names_the_policy_the_fields_and_the_remedy() {
    let of = |policies: &str| moved(AUTO, policies).1.join("\n");
    assert_snapshot!(worded(of(&kyverno(ENFORCE, &format!("{PODS}{NETWORK}")))), @"warning: standard input:23:7: Deployment shop/web: ClusterPolicy disallow, rule host refuses its Pods, since it forbids `hostNetwork: true`. To exempt them, write `{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: web-disallow, namespace: shop}, spec: {exceptions: [{policyName: disallow, ruleNames: [host, autogen-host]}], match: {any: [{resources: {kinds: [Pod, Deployment], namespaces: [shop], names: [web, web-*]}}]}}}`, which Kyverno reads where its feature policyExceptions is enabled, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    assert_snapshot!(worded(of(&constraint("K8sPSPHostNetworkingPorts", "parameters: {hostNetwork: false}"))), @"warning: standard input:20:7: Deployment shop/web: K8sPSPHostNetworkingPorts psp refuses its Pods, since it forbids `hostNetwork: true`. To exempt them, write `match: {excludedNamespaces: [shop]}` into the spec of K8sPSPHostNetworkingPorts psp, next to the other fields of its `match`, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    assert_snapshot!(worded(of(&admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY))), @"warning: standard input:26:7: Deployment shop/web: ValidatingAdmissionPolicy no-host with its ValidatingAdmissionPolicyBinding no-host refuses its Pods, since it forbids `hostNetwork: true`. To exempt them, write `matchResources: {namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}}` into the spec of the binding no-host, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    let bound = admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY);
    let narrowed =
        bound.replace(DENY, &format!("{DENY}, matchResources: {{objectSelector: {{matchLabels: {{app: web}}}}}}"));
    let remedy = "add `namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}` to \
                  `matchResources`, next to its other fields, in the spec of the binding no-host";
    assert!(narrowed != bound && of(&narrowed).contains(remedy), "{}", of(&narrowed));
    let expression = "{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}";
    for (selector, remedy) in [
        (
            "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}",
            format!("add `{expression}` to `matchExpressions` of `matchResources.namespaceSelector` in the spec of"),
        ),
        (
            "{matchLabels: {team: shop}}",
            format!(
                "add `matchExpressions: [{expression}]` to `matchResources.namespaceSelector`, next to its other fields, in"
            ),
        ),
    ] {
        let selected = bound.replace(DENY, &format!("{DENY}, matchResources: {{namespaceSelector: {selector}}}"));
        let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n";
        let log = of(&format!("{selected}{namespace}"));
        assert!(log.contains(&remedy), "{selector}: {log}");
    }
    assert_snapshot!(worded(of(&validating("validationActions: [Deny]", ""))), @"warning: standard input:22:7: Deployment shop/web: ValidatingPolicy disallow refuses its Pods, since it forbids `hostNetwork: true`. To exempt them, write `{apiVersion: policies.kyverno.io/v1beta1, kind: PolicyException, metadata: {name: web-disallow, namespace: shop}, spec: {policyRefs: [{name: disallow, kind: ValidatingPolicy}], matchConditions: [{name: workload, expression: object.metadata.namespace == 'shop' && (object.metadata.name == 'web' || object.metadata.name.startsWith('web-'))}]}}`, which Kyverno reads where its feature policyExceptions is enabled, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    assert_snapshot!(worded(of(&scc("restricted", false, "groups: [system:authenticated]"))), @"warning: standard input:21:7: Deployment shop/web: SecurityContextConstraints restricted refuses its Pods, since it forbids `hostNetwork: true` and hostPort 26657. To exempt them, write `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: web-hostnetwork, namespace: shop}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:openshift:scc:hostnetwork-v2}, subjects: [{kind: ServiceAccount, name: default, namespace: shop}]}`, which lets its service account use one that accepts the host network, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    assert_snapshot!(worded(of(&validates("{foreach: [{list: request.object.spec.containers, pattern: {=(hostPort): 0}}]}"))), @"warning: standard input:23:7: Deployment shop/web: ClusterPolicy disallow, rule host has a condition about host fields that cannot be read. If it does not accept `hostNetwork: true` and hostPort 26657, write `{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: web-disallow, namespace: shop}, spec: {exceptions: [{policyName: disallow, ruleNames: [host, autogen-host]}], match: {any: [{resources: {kinds: [Pod, Deployment], namespaces: [shop], names: [web, web-*]}}]}}}`, which Kyverno reads where its feature policyExceptions is enabled, or put the workload under `exclude` [admission-policy]");
    assert_snapshot!(worded(of(&matching("match: {any: [{resources: {kinds: [Pod]}}]}\n    exclude: {any: [{clusterRoles: [a]}]}"))), @"warning: standard input:24:7: Deployment shop/web: ClusterPolicy disallow, rule host forbids `hostNetwork: true`, and the input does not show whether it applies to these Pods. If it does, write `{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: web-disallow, namespace: shop}, spec: {exceptions: [{policyName: disallow, ruleNames: [host, autogen-host]}], match: {any: [{resources: {kinds: [Pod, Deployment], namespaces: [shop], names: [web, web-*]}}]}}}`, which Kyverno reads where its feature policyExceptions is enabled, or put the workload under `exclude` [admission-policy]");
}

#[test]
fn deleting_policies_and_polaris_have_separate_messages() {
    let of = |policies: &str| moved(AUTO, policies).1.join("\n");
    assert_snapshot!(worded(of(&deletion::deleting("pods", "object.spec.hostNetwork == true"))), @"warning: standard input:21:7: Deployment shop/web: DeletingPolicy delete deletes its Pods, or the workload, at each run of its `schedule`, since they have `hostNetwork: true`. To keep them, leave them out of DeletingPolicy delete, or put the workload under `exclude` [admission-policy]");
    assert_snapshot!(worded(of(&polaris::polaris("{checks: {hostNetworkSet: danger}}", "webhook"))), @r#"warning: standard input:41:7: Deployment shop/web: ConfigMap polaris/polaris of Polaris, with `danger` for hostNetworkSet, forbids `hostNetwork: true`, and the input does not show whether it applies to these Pods. If it does, annotate the workload with `polaris.fairwinds.com/hostNetworkSet-exempt: "true"`, or put the workload under `exclude` [admission-policy]"#);
}

/// Only the first ten policies have a message of their own about one workload.
#[test]
fn many_policies_share_a_message() {
    let policy = |number: usize| {
        kyverno(ENFORCE, &format!("{PODS}{NETWORK}")).replace("name: disallow", &format!("name: disallow-{number:02}"))
    };
    let judged = |policies: usize| moved(AUTO, &stream((0..policies).map(policy)));
    let (moved, messages) = judged(18);
    assert!(!moved);
    let rules = |line: &str| line.matches(", rule host").count();
    assert_eq!(messages.iter().map(|line| rules(line)).collect::<Vec<_>>(), [[1; 10].as_slice(), &[5]].concat());
    assert_snapshot!(worded(messages[10].clone()), @"warning: standard input:193:7: Deployment shop/web: ClusterPolicy disallow-10, rule host; ClusterPolicy disallow-11, rule host; ClusterPolicy disallow-12, rule host; ClusterPolicy disallow-13, rule host; ClusterPolicy disallow-14, rule host; and 3 more policies also refuse its Pods. Exempt the Pods as in the other messages about this workload, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    assert_snapshot!(worded(judged(11).1[10].clone()), @"warning: standard input:123:7: Deployment shop/web: ClusterPolicy disallow-10, rule host also refuses its Pods. Exempt the Pods as in the other messages about this workload, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    assert!(judged(16).1[10].contains("; and 1 more policy also refuse its Pods"));
}

/// The manifest in a message, as a document.
fn pasted(message: &str) -> String {
    format!("{}\n", message.split("write `").nth(1).unwrap().split('`').next().unwrap())
}

#[test]
fn the_manifest_of_a_message_works_when_it_is_pasted() {
    let everybody = scc("restricted", false, "groups: [system:authenticated]");
    for policies in
        [kyverno(ENFORCE, &format!("{PODS}{NETWORK}")), validating("validationActions: [Deny]", ""), everybody]
    {
        let (_, log) = moved(AUTO, &policies);
        let exempt = stream([policies, pasted(&log[0])]);
        assert_eq!(moved(AUTO, &exempt), (true, Vec::new()), "{exempt}");
    }
    // These messages contain fields of existing objects instead.
    let own = constraint("K8sPSPHostNetworkingPorts", "parameters: {hostNetwork: false}");
    let exempt = pasted(&moved(AUTO, &own).1[0]).replace("match: {", "").replace("}\n", "");
    assert_eq!(moved(AUTO, &own.replace("match: {", &format!("match: {{{exempt}, "))), (true, Vec::new()));
    let own = admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY);
    let exempt = pasted(&moved(AUTO, &own).1[0]);
    assert_eq!(moved(AUTO, &own.replace(DENY, &format!("{DENY}, {}", exempt.trim_end()))), (true, Vec::new()));
}

const CRON_JOB: &str = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web, namespace: shop}\nspec:\n  schedule: 1 * * * *\n  \
                        concurrencyPolicy: Forbid\n  jobTemplate:\n    spec:\n      template:\n        spec: {containers: [{name: web, image: \
                        'example/web:v1', ports: [{name: http, containerPort: 8000}]}]}\n";

/// A package of Crossplane, with its core in a namespace.
pub(crate) fn provider(namespace: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: web}}\nspec: {{package: 'xpkg.crossplane.io/acme/web:v1.0.0'}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: {namespace}}}\nspec:\n  selector: {{matchLabels: {{app: \
         crossplane}}}}\n  template:\n    metadata: {{labels: {{app: crossplane}}}}\n    spec: {{containers: [{{name: crossplane, image: \
         'crossplane/crossplane:v1.20.0', args: [core, start]}}]}}\n"
    )
}

/// The messages of the rule for `web`.
fn messages(policies: &str, workload: &str) -> Vec<String> {
    let spec = "{crossplane: {version: v1.20.0}, targets: [{select: {name: web}, ports: auto}]}";
    let (_, log) = run(spec, &with_namespace(policies, workload));
    log.into_iter().filter(|line| line.contains("[admission-policy]")).collect()
}

/// Exceptions cover the objects between the workload and its Pods, under the names of Kyverno's generated rules.
#[test]
fn exceptions_cover_the_objects_that_controllers_make() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    for (workload, rules, kinds) in [
        (CRON_JOB, "[host, autogen-host, autogen-cronjob-host]", "[Pod, Job, CronJob]"),
        (&provider("shop"), "[host, autogen-host]", "[Pod, Deployment]"),
    ] {
        let message = messages(&policy, workload).concat();
        assert!(message.contains(&format!("ruleNames: {rules}")), "{message}");
        assert!(message.contains(&format!("kinds: {kinds}, namespaces: [shop]")), "{message}");
        let exception = pasted(&message);
        assert!(messages(&stream([policy.clone(), exception.clone()]), workload).is_empty(), "{exception}");
        // Without the name of a generated rule, or the kind of an object between.
        let fewer_rules = exception.replace(rules, "[host]");
        let fewer_kinds = exception.replace(kinds, "[Pod, CronJob, Provider]");
        for narrow in [fewer_rules, fewer_kinds] {
            assert_eq!(messages(&stream([policy.clone(), narrow.clone()]), workload).len(), 1, "{narrow}");
        }
    }
}

/// Policies for the Deployment of a package and the Job of a `CronJob` refuse them.
#[test]
fn objects_that_controllers_make_are_judged() {
    let kyverno = |kind: &str| {
        let filters = format!("match: {{any: [{{resources: {{kinds: [{kind}]}}}}]}}");
        matching(&filters)
            .replace(NETWORK, "    validate: {pattern: {spec: {template: {spec: {=(hostNetwork): false}}}}}\n")
    };
    let on_deployments =
        admission("!object.spec.template.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY);
    let on_deployments =
        on_deployments.replace("apiGroups: ['']", "apiGroups: [apps]").replace("[pods]", "[deployments]");
    let on_jobs = on_deployments.replace("[apps]", "[batch]").replace("[deployments]", "[jobs]");
    for (policy, workload, refused) in [
        (kyverno("Job"), CRON_JOB, true),
        (kyverno("batch/v1/Job"), CRON_JOB, true),
        (kyverno("Deployment"), CRON_JOB, false),
        (kyverno("Deployment"), &provider("shop"), true),
        (kyverno("StatefulSet"), &provider("shop"), false),
        (on_deployments, &provider("shop"), true),
        (on_jobs.clone(), CRON_JOB, true),
        (on_jobs, &provider("shop"), false),
    ] {
        assert_eq!(messages(&policy, workload).len(), usize::from(refused), "{policy}");
    }
}

/// Pods can require constraints that every cluster has.
#[test]
fn required_constraints_alone_accept_the_pods() {
    let with = |name: &str, policies: &str| {
        let own = format!("{{app: web}}\n      annotations: {{openshift.io/required-scc: {name}}}");
        let manifest = with_namespace(policies, &web().replace("{app: web}", &own));
        let (output, log) = run(AUTO, &manifest);
        let own = log.into_iter().filter(|line| line.contains("[admission-policy]"));
        (output.contains("hostNetwork: true\n      dnsPolicy"), own.collect::<Vec<_>>().join("\n"))
    };
    let route = "apiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: web, namespace: shop}\n---\n";
    let (moved, log) = with("restricted-v2", route);
    assert!(!moved);
    assert_snapshot!(worded(log), @"warning: standard input:19:7: Deployment shop/web: SecurityContextConstraints restricted-v2 refuses its Pods, since it forbids `hostNetwork: true` and hostPort 26657. To exempt them, write `openshift.io/required-scc: hostnetwork-v2` in the annotations of its pod template, and let its service account use these constraints, or put the workload under `exclude`. The workload is not changed [admission-policy]");
    // Manifests for all clusters have the annotation too, which only OpenShift reads.
    let (moved, log) = with("restricted-v2", "");
    assert!(moved && log.starts_with("warning: ") && log.contains("does not show whether it applies"), "{log}");
    // Constraints of the input that would accept the pods do not count.
    assert!(!with("restricted-v2", &scc("net", true, "groups: [system:authenticated]")).0);
    assert!(!with("own", &scc("own", false, "groups: [system:authenticated]")).0);
    for (name, policies) in [
        ("hostnetwork-v2", String::new()),
        ("privileged", String::new()),
        ("node-exporter", String::new()),
        ("''", String::new()),
        ("own", scc("own", true, "groups: [system:authenticated]")),
        ("hostnetwork-v2", scc("own", false, "groups: [system:authenticated]")),
    ] {
        assert_eq!(with(name, &policies), (true, String::new()), "{name}");
    }
}

/// Policies of engines that are not evaluated, and default levels of Pod Security.
#[test]
fn policies_of_other_engines_that_name_host_fields_are_a_warning() {
    let rego = |name: &str, label: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: rego, namespace: opa, labels: {{{label}}}}}\ndata: {{a.rego: 'deny[m] {{ input.request.object.spec.{name} }}'}}\n"
        )
    };
    let kube_mgmt = "openpolicyagent.org/policy: rego";
    let weave = |code: &str| {
        format!("apiVersion: pac.weave.works/v2beta2\nkind: Policy\nmetadata: {{name: a}}\nspec: {{code: '{code}'}}\n")
    };
    let neuvector = |name: &str| {
        format!(
            "apiVersion: neuvector.com/v1\nkind: NvAdmissionControlSecurityRule\nmetadata: {{name: local}}\nspec: {{rules: [{{action: deny, criteria: [{{name: {name}, op: '=', value: 'true'}}]}}]}}\n"
        )
    };
    let rancher = |level: &str, exempt: &str| {
        format!(
            "apiVersion: management.cattle.io/v3\nkind: PodSecurityAdmissionConfigurationTemplate\nmetadata: {{name: r}}\nconfiguration: {{defaults: {{enforce: {level}}}, exemptions: {{namespaces: [{exempt}]}}}}\n"
        )
    };
    let log = |policy: &str| moved(AUTO, policy).1.join("\n");
    assert_snapshot!(worded(log(&rego("hostNetwork", kube_mgmt))), @"warning: standard input:18:7: Deployment shop/web: ConfigMap opa/rego has a condition about host fields that cannot be read. If it does not accept `hostNetwork: true` and hostPort 26657, exempt these Pods in it, or put the workload under `exclude` [admission-policy]");
    assert_snapshot!(worded(log(&rancher("restricted", "kube-system"))), @"warning: standard input:18:7: Deployment shop/web: PodSecurityAdmissionConfigurationTemplate r forbids `hostNetwork: true` and hostPort 26657, and the input does not show whether it applies to these Pods. If it does, label the Namespace shop `pod-security.kubernetes.io/enforce: privileged`, or put the workload under `exclude` [admission-policy]");
    for policy in [weave("spec.hostNetwork == true"), neuvector("shareNetWithHost"), rancher("baseline", "")] {
        let (is_moved, log) = moved(AUTO, &policy);
        assert!(is_moved && log.len() == 1 && log[0].starts_with("warning: "), "{log:?}\n{policy}");
    }
    for policy in [
        rego("hostPID", kube_mgmt),
        rego("hostNetwork", "team: a"),
        weave("spec.hostPID == true"),
        neuvector("runAsRoot"),
        rancher("privileged", ""),
        rancher("restricted", "shop"),
    ] {
        assert_eq!(moved(AUTO, &policy), (true, Vec::new()), "{policy}");
    }
}

/// Without the core in the input, its default namespace is probable.
#[test]
fn policies_for_the_default_namespace_of_crossplane_may_apply_to_packages() {
    let only = provider("shop").split("---\n").next().unwrap().to_owned();
    let policy = |namespace: &str| {
        matching(&format!("match: {{any: [{{resources: {{kinds: [Pod], namespaces: [{namespace}]}}}}]}}"))
    };
    let log = messages(&policy("crossplane-*"), &only).concat();
    assert!(log.starts_with("warning: ") && log.contains("does not show whether it applies"), "{log}");
    assert!(messages(&policy("other"), &only).is_empty());
}

/// A name with special characters does not break the manifest in the message.
#[test]
fn special_names_are_quoted() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}")).replace("name: disallow", "name: \"a: [b, '}\"");
    let (_, log) = moved(AUTO, &policy);
    let exempt = stream([policy, pasted(&log[0])]);
    assert_eq!(moved(AUTO, &exempt), (true, Vec::new()));
    assert!(config(AUTO).is_ok());
}

#[test]
fn a_policy_that_clears_host_network_is_reported() {
    let policy = kyverno(
        "background: false",
        &format!("{PODS}    mutate: {{patchStrategicMerge: {{spec: {{hostNetwork: false}}}}}}\n"),
    );
    let (_, log) = moved(AUTO, &policy);
    assert_snapshot!(worded(log.join("\n")), @"warning: standard input:23:7: Deployment shop/web: ClusterPolicy disallow, rule host sets `hostNetwork` of new Pods to false: where it applies to its Pods, they are in the pod network, with the host ports of this workload. To exempt them, write `{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: web-disallow, namespace: shop}, spec: {exceptions: [{policyName: disallow, ruleNames: [host, autogen-host]}], match: {any: [{resources: {kinds: [Pod, Deployment], namespaces: [shop], names: [web, web-*]}}]}}}`, which Kyverno reads where its feature policyExceptions is enabled, or put the workload under `exclude` [admission-policy]");
    let dns = validates("{pattern: {spec: {=(dnsPolicy): ClusterFirst}}}");
    let (_, log) = moved(AUTO, &dns);
    assert!(log.concat().contains("forbids `dnsPolicy: ClusterFirstWithHostNet`"), "{log:?}");
    // The policy accepts the `dnsPolicy` that a config or the manifest has.
    assert!(
        moved("{dnsPolicy: ClusterFirst, targets: [{select: {kind: Deployment}, ports: auto}]}", &dns).1.is_empty()
    );
}
