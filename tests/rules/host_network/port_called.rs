//! Rule `port-called`: ports that the API server calls, and `calledByApiServer` of a select.

use super::{changes, deployment, deployment_named, infos, numbers, run, stream};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const CALLED: &str = "{targets: [{select: {calledByApiServer: true}, ports: auto}]}";

fn service(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{selector: {{app: {name}}}, ports: [{{port: 443, targetPort: http}}]}}\n"
    )
}

fn webhooks(kind: &str, service: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: {kind}\nmetadata: {{name: hooks}}\nwebhooks: [{{name: a, clientConfig: {{url: 'https://x/'}}}}, {{name: b, clientConfig: {{service: {{namespace: shop, name: {service}}}}}}}]\n"
    )
}

fn conversion(service: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.shop}}\nspec: {{conversion: {{strategy: Webhook, webhook: {{clientConfig: {{service: {{namespace: shop, name: {service}}}}}}}}}}}\n"
    )
}

fn api_service(service: &str) -> String {
    format!(
        "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {{name: v1.shop}}\nspec: {{service: {{namespace: shop, name: {service}}}}}\n"
    )
}

/// A Deployment and its Service.
fn both(name: &str) -> String {
    stream([deployment_named(name, 9000, true), service(name)])
}

#[test]
fn every_kind_of_caller_leads_through_its_service() {
    let objects = stream([
        webhooks("ValidatingWebhookConfiguration", "validating"),
        webhooks("MutatingWebhookConfiguration", "mutating"),
        conversion("conversion"),
        api_service("metrics"),
        both("validating"),
        both("mutating"),
        both("conversion"),
        both("metrics"),
        both("nobody"),
    ]);
    assert_snapshot!(numbers(CALLED, &objects), @"
    shop/Deployment/conversion/http 9000 -> 28999 Pool
    shop/Deployment/metrics/http 9000 -> 24992 Pool
    shop/Deployment/mutating/http 9000 -> 21392 Pool
    shop/Deployment/validating/http 9000 -> 26352 Pool
    ");
    assert_snapshot!(worded(infos(CALLED, &objects, "port-called")), @"
    info: the API server must reach these ports of the nodes: 26352 (Deployment shop/validating, http), 21392 (Deployment shop/mutating, http), 28999 (Deployment shop/conversion, http), 24992 (Deployment shop/metrics, http) [port-called]
    info: MutatingWebhookConfiguration hooks makes the API server call https://x/, which names no Service: `calledByApiServer` does not follow the call. If a workload of the input answers, select it by name [port-called]
    info: ValidatingWebhookConfiguration hooks makes the API server call https://x/, which names no Service: `calledByApiServer` does not follow the call. If a workload of the input answers, select it by name [port-called]
    info: Deployment shop/conversion is called by the API server: CustomResourceDefinition things.shop calls it through Service shop/conversion [port-called]
    info: Deployment shop/metrics is called by the API server: APIService v1.shop calls it through Service shop/metrics [port-called]
    info: Deployment shop/mutating is called by the API server: MutatingWebhookConfiguration hooks calls it through Service shop/mutating [port-called]
    info: Deployment shop/validating is called by the API server: ValidatingWebhookConfiguration hooks calls it through Service shop/validating [port-called]
    ");
}

/// A Service whose name a tool fills in later may be in the input.
#[test]
fn the_name_of_a_called_service_may_be_filled_in_later() {
    let webhook = webhooks("ValidatingWebhookConfiguration", "'${NAME:=web}'");
    let log = run(CALLED, &stream([webhook, both("web")])).1.join("\n");
    assert!(log.contains("whose name is filled in later") && !log.contains("not in the input"), "{log}");
    let log = run(CALLED, &stream([webhooks("ValidatingWebhookConfiguration", "gone"), both("web")])).1.join("\n");
    assert!(log.contains("Service shop/gone, which is not in the input"), "{log}");
}

/// Crossplane copies the conversion of its definitions into CRDs; CRDs of v1beta1 have a field of their own.
#[test]
fn conversions_of_other_definitions_count() {
    let with = |from: &str, to: &str| {
        let definition = conversion("web").replace(from, to);
        numbers(CALLED, &stream([definition, both("web")]))
    };
    let head = "apiextensions.k8s.io/v1\nkind: CustomResourceDefinition";
    for (from, to) in [
        (head, "apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition"),
        (head, "apiextensions.crossplane.io/v2\nkind: CompositeResourceDefinition"),
        (head, "apiextensions.crossplane.io/v1alpha1\nkind: ManagedResourceDefinition"),
        (
            "webhook: {clientConfig: {service: {namespace: shop, name: web}}}",
            "webhookClientConfig: {service: {namespace: shop, name: web}}",
        ),
    ] {
        assert!(with(from, to).starts_with("shop/Deployment/web/http 9000 -> "), "{to}: {}", with(from, to));
    }
    for (from, to) in [(head, "example.org/v1\nkind: CompositeResourceDefinition"), ("conversion:", "conversions:")] {
        assert!(brief(with(from, to)).contains("unmatched"), "{to}");
    }
}

#[test]
fn a_service_of_another_namespace_selects_no_workload() {
    let elsewhere = |object: String| object.replace("namespace: shop", "namespace: elsewhere");
    let hooks = webhooks("ValidatingWebhookConfiguration", "web");
    assert_snapshot!(brief(numbers(CALLED, &stream([hooks.clone(), elsewhere(both("web"))]))), @"
    warning: port-called (Service shop/web)
    warning: unmatched (hostnet.yaml:1:81)
    warning: port-called ValidatingWebhookConfiguration hooks webhooks[0].clientConfig.url (4:42)
    ");
    assert_snapshot!(worded(numbers(CALLED, &stream([hooks.clone(), service("web"), elsewhere(deployment_named("web", 9000, true))]))), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]
    warning: standard input:4:42: ValidatingWebhookConfiguration hooks makes the API server call https://x/, which names no Service: `calledByApiServer` does not follow the call. If a workload of the input answers, select it by name [port-called]
    warning: standard input:9:18: ValidatingWebhookConfiguration hooks makes the API server call Service shop/web, which selects no workload of the input: no pod template has the labels `app: web`. Run hostnet on a render that contains its pods [port-called]
    ");
    // A Service that selects other pods or no pods leads nowhere.
    assert_snapshot!(brief(numbers(CALLED, &stream([hooks.clone(), service("web"), deployment_named("api", 9000, true)]))), @"
    warning: unmatched (hostnet.yaml:1:81)
    warning: port-called ValidatingWebhookConfiguration hooks webhooks[0].clientConfig.url (4:42)
    warning: port-called Service shop/web spec.selector (9:18)
    ");
    assert_snapshot!(worded(numbers(
        CALLED,
        &stream([
            hooks,
            service("web").replace("selector: {app: web}", "type: ExternalName"),
            deployment_named("web", 9000, true)
        ])
    )), @"
    warning: hostnet.yaml:1:81: this target matches no object of the input. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if this is intended [unmatched]
    warning: standard input:4:42: ValidatingWebhookConfiguration hooks makes the API server call https://x/, which names no Service: `calledByApiServer` does not follow the call. If a workload of the input answers, select it by name [port-called]
    warning: standard input:9:7: ValidatingWebhookConfiguration hooks makes the API server call Service shop/web, which has no selector in the input: its pods are not known. If they run in this cluster, select their workload by name [port-called]
    ");
}

#[test]
fn a_service_that_is_not_in_the_input_is_a_warning() {
    assert_snapshot!(worded(changes(
        CALLED,
        &stream([
            webhooks("ValidatingWebhookConfiguration", "far"),
            webhooks("MutatingWebhookConfiguration", "web"),
            both("web")
        ])
    )), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=9000], ports: [{name: http, containerPort: 9000}]}
    +      - {name: web, args: [--port=26657], ports: [{name: http, containerPort: 26657, hostPort: 26657}]}
    warning: ValidatingWebhookConfiguration hooks makes the API server call Service shop/far, which is not in the input, so its workload was not found. Run hostnet on manifests that contain both [port-called]
    ");
}

/// Without `calledByApiServer`, the message appears if a port moves that the Service may lead to.
#[test]
fn a_service_that_is_not_in_the_input_may_lead_to_a_port_that_moves() {
    let web = super::deployment(
        "      - name: web\n        args: [--webhook-port=9443]\n        ports: [{name: webhook, containerPort: 9443}]\n",
    );
    let reported = |spec: &str, web: &str| {
        let log = changes(spec, &stream([webhooks("ValidatingWebhookConfiguration", "far"), web.to_owned()]));
        worded(log.lines().filter(|line| !line.starts_with(['+', '-'])).collect::<String>())
    };
    let moves = super::ports("{webhook: 20443}");
    assert_snapshot!(reported(&moves, &web), @"warning: ValidatingWebhookConfiguration hooks makes the API server call Service shop/far, which is not in the input: if its targetPort is the number of a port that moves, change it too: Deployment shop/web (9443 -> 20443) [port-called]");
    assert_eq!(reported(&moves, &web.replace("namespace: shop", "namespace: cellar")), "");
    assert_eq!(
        reported(&moves, &web.replace(", namespace: shop", "")),
        reported(&moves, &web).replace("shop/web", "web")
    );
    assert_eq!(reported("{targets: [{select: {name: web}}]}", &web), "");
    assert_eq!(reported(&moves.replace("webhook:", "http:"), &web.replace("webhook", "http")), "");
}

#[test]
fn a_service_without_namespace_may_be_the_called_one() {
    let bare = |object: String| object.replace(", namespace: shop", "");
    assert_snapshot!(changes(CALLED, &stream([webhooks("ValidatingWebhookConfiguration", "web"), bare(both("web"))])), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=9000], ports: [{name: http, containerPort: 9000}]}
    +      - {name: web, args: [--port=29628], ports: [{name: http, containerPort: 29628, hostPort: 29628}]}
    ");
}

const CROSSPLANE: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane, namespace: crossplane-system}
spec:
  template:
    spec:
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4
        args: [core, start]
        ports: [{name: webhooks, containerPort: 9443}]
";
const KYVERNO: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: kyverno-admission-controller, namespace: kyverno}
spec:
  template:
    spec:
      containers:
      - name: kyverno
        image: ghcr.io/kyverno/kyverno:v1.19.0
        ports: [{name: https, containerPort: 9443}]
";

#[test]
fn programs_that_register_themselves_are_called() {
    let objects = stream([CROSSPLANE.to_owned(), KYVERNO.to_owned(), both("web")]);
    assert_snapshot!(worded(numbers(CALLED, &objects)), @"
    crossplane-system/Deployment/crossplane/metrics 8080 -> 21500 Pool
    crossplane-system/Deployment/crossplane/readyz 8081 -> 23928 Pool
    crossplane-system/Deployment/crossplane/webhooks 9443 -> 24173 Pool
    kyverno/Deployment/kyverno-admission-controller/ctrl-metrics 8080
    kyverno/Deployment/kyverno-admission-controller/https 9443
    kyverno/Deployment/kyverno-admission-controller/metrics-port 8000
    warning: standard input:20:9: Deployment kyverno/kyverno-admission-controller, container kyverno, port ctrl-metrics (8080): `--controllerRuntimeMetricsAddress=:22129` cannot be added: the container has neither command nor args, and args would replace the image's own. It keeps 8080. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-setting]
    warning: standard input:22:17: Deployment kyverno/kyverno-admission-controller, container kyverno, port https (9443): `--webhookServerPort=24185` cannot be added: the container has neither command nor args, and args would replace the image's own. It keeps 9443 [port-setting]
    warning: standard input:20:9: Deployment kyverno/kyverno-admission-controller, container kyverno, port metrics-port (8000): `--metricsPort=29523` cannot be added: the container has neither command nor args, and args would replace the image's own. It keeps 8000 [port-setting]
    ");
    assert_snapshot!(worded(infos(CALLED, &objects, "port-called")), @"
    info: the API server must reach these ports of the nodes: \
         24173 (Deployment crossplane-system/crossplane, webhooks), 9443 (Deployment kyverno/kyverno-admission-controller, https) \
         [port-called]
    info: Deployment crossplane-system/crossplane is called by the API server: crossplane registers its webhooks \
         and APIs with the API server at run time [port-called]
    info: Deployment kyverno/kyverno-admission-controller is called by \
         the API server: kyverno registers its webhooks and APIs with the API server at run time [port-called]
    ");
}

#[test]
fn workloads_that_are_not_called_are_matched_by_false() {
    let objects = stream([webhooks("ValidatingWebhookConfiguration", "web"), both("web"), both("api")]);
    assert_snapshot!(numbers("{targets: [{select: {calledByApiServer: false}, ports: auto}]}", &objects), @"shop/Deployment/api/http 9000 -> 26587 Pool");
}

#[test]
fn all_fields_of_the_select_must_match() {
    let objects = stream([webhooks("ValidatingWebhookConfiguration", "web"), both("web"), CROSSPLANE.to_owned()]);
    assert_snapshot!(numbers(
        "{targets: [{select: {calledByApiServer: true, namespace: shop}, ports: auto}]}",
        &objects
    ), @"shop/Deployment/web/http 9000 -> 26657 Pool");
    assert_snapshot!(brief(numbers(
        "{targets: [{select: {calledByApiServer: true, kind: DaemonSet}, ports: auto}]}",
        &objects
    )), @"
    warning: unmatched (hostnet.yaml:1:81)
    warning: port-called ValidatingWebhookConfiguration hooks webhooks[0].clientConfig.url (4:42)
    ");
}

#[test]
fn exclude_supports_called_workloads() {
    let objects = stream([webhooks("ValidatingWebhookConfiguration", "web"), both("web"), both("api")]);
    assert_snapshot!(numbers(
        "{targets: [{select: {kind: Deployment}, ports: auto}], exclude: [{calledByApiServer: true}]}",
        &objects
    ), @"shop/Deployment/api/http 9000 -> 26587 Pool");
    assert_snapshot!(numbers(
        "{targets: [{select: {kind: Deployment}, ports: auto}], exclude: [{calledByApiServer: false}]}",
        &objects
    ), @"shop/Deployment/web/http 9000 -> 26657 Pool");
}

/// Firewalls have to open called ports whatever select matched their workloads.
#[test]
fn ports_that_the_api_server_must_reach_are_listed() {
    let objects = stream([
        webhooks("ValidatingWebhookConfiguration", "web"),
        api_service("api"),
        both("web"),
        both("api"),
        both("mail"),
    ]);
    assert_snapshot!(worded(infos(
        "{targets: [{select: {name: web|mail}, ports: {http: keep}}, {select: {name: api}, ports: {http: 20443}}]}",
        &objects,
        "port-called"
    )), @"info: the API server must reach these ports of the nodes: 9000 (Deployment shop/web, http), 20443 (Deployment shop/api, http) [port-called]");
    assert_snapshot!(infos("{targets: [{select: {name: mail}}]}", &objects, "port-called"), @"");
}

/// A target by calls is unmatched if the API server calls no workload of the input.
#[test]
fn a_target_that_matches_nothing_called_is_unmatched() {
    assert_snapshot!(brief(changes(CALLED, &deployment_named("web", 9000, true))), @"warning: unmatched (hostnet.yaml:1:81)");
    let strict = "{unmatched: Error, targets: [{select: {calledByApiServer: true}}]}";
    assert!(changes(strict, &deployment_named("web", 9000, true)).starts_with("error"));
    // A workload of an earlier target is called, so the target is not unmatched.
    let other = "{targets: [{select: {name: web}}, {select: {calledByApiServer: true}}]}";
    let all = stream([webhooks("ValidatingWebhookConfiguration", "web"), both("web")]);
    assert!(!changes(other, &all).contains("unmatched"));
}

/// A Service that the API server calls shows a listener on its target port.
#[test]
fn a_called_number_that_nothing_declares_is_a_listener() {
    let web = |target: &str| {
        let silent = deployment_named("web", 9000, false).replace(", ports: [{name: http, containerPort: 9000}]", "");
        let service = service("web").replace("targetPort: http", target);
        changes(CALLED, &stream([webhooks("ValidatingWebhookConfiguration", "web"), silent, service]))
    };
    let declared = |target: &str| web(target).lines().find(|line| line.contains("hostPort")).unwrap().to_owned();
    assert_snapshot!(declared("targetPort: 8443}, {port: 80, targetPort: 8080"), @"+      - {name: web, ports: [{name: webhook, containerPort: 8443, hostPort: 8443}, {name: service, containerPort: 8080, hostPort: 8080}]}");
    assert_snapshot!(declared("name: x"), @"+      - {name: web, ports: [{name: x, containerPort: 443, hostPort: 443}]}");
    // Other listeners of the workload are different ports.
    let changes_with = |target: &str| {
        let service = service("web").replace("targetPort: http", target);
        changes(
            CALLED,
            &stream([webhooks("ValidatingWebhookConfiguration", "web"), deployment_named("web", 9000, true), service]),
        )
    };
    assert!(changes_with("targetPort: 8443").contains("containerPort: 8443"));
    assert!(!changes_with("targetPort: 9000").contains("containerPort: 443"));
}

/// A cluster role with this rule, and its binding.
fn role(rule: &str, subject: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: r}}\nrules: [{rule}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: \
         ClusterRoleBinding\nmetadata: {{name: b}}\nroleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}}\nsubjects: [{subject}]\n"
    )
}

const WRITES: &str =
    "{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, create]}";

/// An operator may register its webhook at runtime.
#[test]
fn workloads_that_may_write_webhook_configurations_are_reported() {
    let operator =
        deployment_named("web", 9000, true).replace("    spec:\n", "    spec:\n      serviceAccountName: op\n");
    let reported = |rule: &str, subject: &str, workload: &str| {
        let spec = "{unmatched: Ignore, targets: [{select: {calledByApiServer: true}}]}";
        infos(spec, &stream([role(rule, subject), workload.to_owned()]), "port-called")
    };
    let own = "{kind: ServiceAccount, name: op, namespace: shop}";
    assert_snapshot!(worded(reported(WRITES, own, &operator)), @"info: Deployment shop/web may register webhooks when it runs: its role lets it write webhook configurations, and the catalogue does not know its program. `calledByApiServer` does not match it: if the API server calls it, select it by name [port-called]");
    for rule in [
        "{apiGroups: [admissionregistration.k8s.io], resources: ['*'], verbs: ['*']}",
        "{apiGroups: ['*'], resources: ['*', validatingwebhookconfigurations], verbs: ['*']}",
        "{apiGroups: [apps, admissionregistration.k8s.io], resources: [mutatingwebhookconfigurations], verbs: [create, patch]}",
    ] {
        assert!(reported(rule, own, &operator).contains("Deployment shop/web"), "{rule}");
    }
    for rule in [
        "{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, list, watch, delete]}",
        "{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [update, patch], resourceNames: [x]}",
        "{apiGroups: [admissionregistration.k8s.io], resources: ['*'], verbs: ['*'], resourceNames: [x]}",
        "{apiGroups: [admissionregistration.k8s.io], resources: [validatingadmissionpolicies], verbs: [create]}",
        "{apiGroups: [apps], resources: [validatingwebhookconfigurations], verbs: [create]}",
        "{nonResourceURLs: ['*'], verbs: ['*']}",
    ] {
        assert_eq!(reported(rule, own, &operator), "", "{rule}");
    }
    for (subject, is_reported) in [
        ("{kind: ServiceAccount, name: op}", true),
        ("{kind: ServiceAccount, name: op, namespace: other}", false),
        ("{kind: ServiceAccount, name: default, namespace: shop}", false),
        ("{kind: User, name: op}", false),
    ] {
        assert_eq!(!reported(WRITES, subject, &operator).is_empty(), is_reported, "{subject}");
    }
    // A pod without `serviceAccountName` uses `default`; the built-in roles of Kubernetes are not in the input.
    assert!(
        reported(
            WRITES,
            "{kind: ServiceAccount, name: default, namespace: shop}",
            &deployment_named("web", 9000, true)
        )
        .contains("shop/web")
    );
    // Charts often write the namespace only into the binding. A Job ends and serves no webhook.
    let without_namespace = operator.replace(", namespace: shop", "");
    assert!(reported(WRITES, own, &without_namespace).contains("Deployment web may register"));
    assert_eq!(reported(WRITES, "{kind: ServiceAccount, name: other, namespace: shop}", &without_namespace), "");
    let job = operator.replace("apiVersion: apps/v1\nkind: Deployment", "apiVersion: batch/v1\nkind: Job");
    assert_eq!(reported(WRITES, own, &job), "");
    // Without a token of the account the program can write nothing.
    let without_token = operator.replace(
        "      serviceAccountName: op\n",
        "      serviceAccountName: op\n      automountServiceAccountToken: false\n",
    );
    assert_eq!(reported(WRITES, own, &without_token), "");
    let projected = "      volumes: [{name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}]\n";
    let projected =
        without_token.replace("      serviceAccountName: op\n", &format!("      serviceAccountName: op\n{projected}"));
    assert!(reported(WRITES, own, &projected).contains("shop/web"));
    // Workloads in the catalogue and called workloads are not listed, and without `calledByApiServer` there is no list.
    let known = operator.replace("{name: web,", "{name: web, image: 'registry.k8s.io/kueue/kueue:v0.19.2',");
    assert!(!reported(WRITES, own, &known).contains("may register"), "{}", reported(WRITES, own, &known));
    let called = stream([webhooks("ValidatingWebhookConfiguration", "web"), service("web"), operator.clone()]);
    assert!(!reported(WRITES, own, &called).contains("may register"), "{}", reported(WRITES, own, &called));
    let by_name = infos("{targets: [{select: {name: web}}]}", &stream([role(WRITES, own), operator]), "port-called");
    assert!(!by_name.contains("may register"), "{by_name}");
}

/// A role that permits everything shows no purpose: the pods must show a server of webhooks.
#[test]
fn workloads_with_all_permissions_may_register_only_if_they_show_a_webhook() {
    let own = "{kind: ServiceAccount, name: op, namespace: shop}";
    let everything = role("{apiGroups: ['*'], resources: ['*'], verbs: ['*']}", own);
    let admin = everything.replace("kind: ClusterRole, name: r}", "kind: ClusterRole, name: cluster-admin}");
    let both = stream([admin.clone(), role(WRITES, own).replace("name: b}", "name: c}")]);
    let reported = |roles: &str, container: &str, more: &str| {
        let operator = deployment(&format!("      - {container}\n"))
            .replace("    spec:\n", "    spec:\n      serviceAccountName: op\n");
        let spec = "{unmatched: Ignore, targets: [{select: {calledByApiServer: true}}]}";
        let manifest = stream([roles.to_owned(), operator, more.to_owned()]);
        infos(spec, &manifest, "port-called").contains("shop/web may register webhooks")
    };
    let service = |port: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{port}]}}\n"
        )
    };
    let http = "{name: web, ports: [{name: http, containerPort: 8080}]}";
    for (container, more, is_reported) in [
        ("{name: web, ports: [{name: whk-server, containerPort: 9443}]}", "", true),
        ("{name: web, ports: [{name: webhook-api, containerPort: 9089}]}", "", true),
        ("{name: web, args: [--webhook-port=9000]}", "", true),
        ("{name: web, env: [{name: WEBHOOK_PORT, value: '9000'}]}", "", true),
        (http, &*service("{port: 443, targetPort: http}"), true),
        (http, &*service("{port: 80, targetPort: http}"), false),
        (http, "", false),
        ("{name: web}", "", false),
        // argo-cd's gitops-engine/agent, with git-sync.
        ("{name: web, args: [--webhook-url, 'http://localhost:9001/api/v1/sync', --dest, repo]}", "", false),
        // calico/app-policy's kube-dns, and the controller of Kubeflow's profiles.
        (
            "{name: web, ports: [{name: dns, containerPort: 53, protocol: UDP}], args: [--v=2, --logtostderr]}",
            "",
            false,
        ),
        ("{name: web, args: [-userid-header, $(H)], ports: [{name: kfam-http, containerPort: 8081}]}", "", false),
    ] {
        for roles in [&everything, &admin] {
            assert_eq!(reported(roles, container, more), is_reported, "{container} {more}");
        }
        assert!(reported(&both, container, more), "{container} {more}");
    }
}

/// `default/kubernetes` is the API server itself, and no manifest contains it.
#[test]
fn a_call_of_the_api_servers_own_service_is_not_reported() {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {template: {spec: {containers: [{name: web}]}}}\n";
    let hook = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hooks}\nwebhooks:\n- name: a.example.com\n  clientConfig: {service: {name: NAME, namespace: default, path: /apis/x/v1}}\n";
    let reported = |name: &str| {
        super::run(
            "{targets: [{select: {calledByApiServer: true}}], unmatched: Ignore}",
            &format!("{web}{}", hook.replace("NAME", name)),
        )
        .1
        .join("\n")
    };
    assert!(!reported("kubernetes").contains("not in the input"), "{}", reported("kubernetes"));
    assert!(reported("other").contains("not in the input"), "{}", reported("other"));
}

/// `web`, and a Service whose selector has labels that no template of `web` has.
fn selects(labels: &str, templates: &[String]) -> String {
    let service = service("web").replace("{app: web}", &format!("{{app: web, {labels}}}"));
    let hooks = webhooks("ValidatingWebhookConfiguration", "web");
    stream([hooks, service].into_iter().chain(templates.iter().cloned()))
}

/// The warnings of rule `port-called`, and true if a port moves.
fn called_warnings(objects: &str) -> (Vec<String>, bool) {
    let log = numbers(CALLED, objects);
    let counts = |line: &&str| line.ends_with("[port-called]") && !line.contains("https://x/");
    let warnings = log.lines().filter(counts).map(str::to_owned).collect();
    (warnings, log.contains(" Pool"))
}

/// The leader of several pods gets its label at runtime.
#[test]
fn a_runtime_label_leads_to_the_only_workload_with_the_other_labels() {
    for label in ["hami.io/scheduler-role: leader", "vault-active: 'true'"] {
        let objects = selects(label, &[deployment_named("web", 9000, true)]);
        let (warnings, moves) = called_warnings(&objects);
        assert!(moves && warnings.len() == 1, "{warnings:?}");
        assert!(
            warnings[0].contains(&label.replace('\'', "")) && warnings[0].contains("Deployment shop/web"),
            "{warnings:?}"
        );
    }
    // The number in the target port moves too.
    let objects = selects("hami.io/scheduler-role: leader", &[deployment_named("web", 9000, true)])
        .replace("targetPort: http", "targetPort: 9000");
    assert!(changes(CALLED, &objects).contains("targetPort: http"), "{}", changes(CALLED, &objects));
}

#[test]
fn a_label_of_several_workloads_or_of_unknown_origin_is_not_followed() {
    let other = deployment_named("other", 9001, true).replace("app: other", "app: web");
    let of_two = selects("hami.io/scheduler-role: leader", &[deployment_named("web", 9000, true), other.clone()]);
    let unknown = selects("tier: front", &[deployment_named("web", 9000, true), other]);
    for objects in [of_two, unknown] {
        let (warnings, moves) = called_warnings(&objects);
        assert!(!moves && warnings.len() == 1, "{warnings:?}");
        let names = ["Deployment shop/web", "Deployment shop/other"];
        assert!(names.iter().all(|name| warnings[0].contains(name)), "{warnings:?}");
    }
    // A template with another value of the label does not match the Service.
    let follower =
        deployment_named("web", 9000, true).replace("app: web", "app: web, hami.io/scheduler-role: follower");
    let (warnings, moves) = called_warnings(&selects("hami.io/scheduler-role: leader", &[follower]));
    assert!(!moves && warnings[0].contains("selects no workload of the input"), "{warnings:?}");
}

#[test]
fn a_label_in_a_template_is_followed_without_a_message() {
    let leader = deployment_named("web", 9000, true).replace("app: web", "app: web, hami.io/scheduler-role: leader");
    let (warnings, moves) = called_warnings(&selects("hami.io/scheduler-role: leader", std::slice::from_ref(&leader)));
    assert!(moves && warnings.is_empty(), "{warnings:?}");
    let changes_with = deployment_named("other", 9001, true).replace("app: other", "app: web");
    let log = numbers(CALLED, &selects("hami.io/scheduler-role: leader", &[leader, changes_with]));
    assert!(log.contains("Deployment/web/") && !log.contains("Deployment/other/"), "{log}");
}

/// The API server does not call this Service, so its target does not matter.
#[test]
fn a_service_that_is_not_called_is_not_reported() {
    let objects = selects("tier: front", &[deployment_named("web", 9000, true)]);
    let objects = objects.split_once("---\n").unwrap().1;
    assert!(!numbers("{targets: [{select: {name: web}, ports: auto}]}", objects).contains("[port-called]"));
}

/// A target that matches nothing is meant for a workload whose webhook the input does not show.
#[test]
fn a_target_without_a_match_names_workloads_that_may_register_themselves() {
    let operator =
        deployment_named("web", 9000, true).replace("    spec:\n", "    spec:\n      serviceAccountName: op\n");
    let input = stream([role(WRITES, "{kind: ServiceAccount, name: op, namespace: shop}"), operator]);
    assert_snapshot!(brief(changes(CALLED, &input)), @"
    warning: unmatched (hostnet.yaml:1:81)
    warning: port-called Deployment shop/web spec.template.spec.serviceAccountName (20:27)
    ");
    // Where no match is intended, the workload is an info.
    let ignore = CALLED.replacen('{', "{unmatched: Ignore, ", 1);
    assert_eq!(changes(&ignore, &input), "");
}

/// Called hosts that routers of the input lead to a Service, and ports of the loopback address.
#[test]
fn routes_and_loopback_addresses_show_who_answers() {
    let to = |url: &str, route: &str| {
        let hook = webhooks("ValidatingWebhookConfiguration", "web")
            .replace("service: {namespace: shop, name: web}", &format!("url: '{url}'"));
        let (_, log) = run(CALLED, &stream([hook, both("web"), route.to_owned()]));
        log.into_iter().filter(|line| line.contains(url)).collect::<Vec<_>>().join("\n")
    };
    let route = |kind: &str, spec: &str| {
        format!("apiVersion: {kind}\nmetadata: {{name: r, namespace: shop}}\nspec: {{{spec}}}\n")
    };
    let url = "https://hooks.example.com/v";
    let ingress = |host: &str, service: &str| {
        let path =
            format!("{{path: /, pathType: Prefix, backend: {{service: {{name: {service}, port: {{number: 443}}}}}}}}");
        route("networking.k8s.io/v1\nkind: Ingress", &format!("rules: [{{host: {host}, http: {{paths: [{path}]}}}}]"))
    };
    assert_snapshot!(worded(to(url, &ingress("hooks.example.com", "web"))), @"warning: standard input:4:88: ValidatingWebhookConfiguration hooks makes the API server call https://hooks.example.com/v, which names no Service: `calledByApiServer` does not follow the call. Ingress shop/r routes that host to Service shop/web: select its workload by name [port-called]");
    for routed in [
        ingress("'*.example.com'", "web"),
        route("route.openshift.io/v1\nkind: Route", "host: hooks.example.com, to: {kind: Service, name: web}"),
        route(
            "gateway.networking.k8s.io/v1alpha2\nkind: TLSRoute",
            "hostnames: [hooks.example.com], rules: [{backendRefs: [{name: web, port: 443}]}]",
        ),
        route(
            "projectcontour.io/v1\nkind: HTTPProxy",
            "virtualhost: {fqdn: hooks.example.com}, tcpproxy: {services: [{name: web, port: 443}]}",
        ),
        route(
            "traefik.io/v1alpha1\nkind: IngressRouteTCP",
            "routes: [{match: 'HostSNI(`hooks.example.com`)', services: [{name: web, port: 443}]}]",
        ),
    ] {
        assert!(to(url, &routed).contains("to Service shop/web: select its workload by name"), "{routed}");
    }
    for other in
        [ingress("example.com", "web"), ingress("a.hooks.example.com", "web"), ingress("hooks.example.com", "api")]
    {
        assert!(to(url, &other).contains("If a workload of the input answers, select it by name"), "{other}");
    }
    assert_snapshot!(worded(to("https://127.0.0.1:9000/v", "")), @"warning: standard input:4:88: ValidatingWebhookConfiguration hooks makes the API server call https://127.0.0.1:9000/v, which names no Service: `calledByApiServer` does not follow the call. Only a pod on the host network of the API server's node answers there, and Deployment shop/web declares that port: select it by name [port-called]");
    assert!(to("https://[::1]:9000/v", "").contains("Deployment shop/web declares that port"));
    assert!(!to("https://127.0.0.1:9001/v", "").contains("declares that port"));
}

/// A call to an unknown server is a warning if the target matches nothing, and otherwise a note.
#[test]
fn calls_of_unknown_servers_are_warnings_if_nothing_matches() {
    let external = webhooks("ValidatingWebhookConfiguration", "web")
        .replace("service: {namespace: shop, name: web}", "url: 'https://hooks.example.com/v'");
    let alone = stream([external.clone(), both("web")]);
    assert!(run(CALLED, &alone).1.iter().any(|line| line.ends_with("[port-called]")));
    let api = webhooks("MutatingWebhookConfiguration", "web");
    let followed = stream([external, api, both("web")]);
    assert_eq!(run(CALLED, &followed).1, Vec::<String>::new());
    let ignored = CALLED.replacen('{', "{unmatched: Ignore, ", 1);
    assert_eq!(run(&ignored, &alone).1, Vec::<String>::new());
}

/// Endpoints of a Service without selector name pods of the input.
#[test]
fn the_pods_of_a_service_without_selector_are_named() {
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {ports: [{port: 443}]}\n";
    let slice = |service: &str, pod: &str| {
        format!(
            "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: s, namespace: shop, labels: {{kubernetes.io/service-name: {service}}}}}\naddressType: IPv4\nports: []\nendpoints: [{{addresses: [10.1.2.3], targetRef: {{kind: Pod, name: {pod}}}}}]\n"
        )
    };
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web-0, namespace: shop}\nspec: {containers: [{name: web}]}\n";
    let log = |slice: String| {
        let hooks = webhooks("ValidatingWebhookConfiguration", "web");
        called_warnings(&stream([hooks, service.to_owned(), slice, pod.to_owned()])).0.join("\n")
    };
    assert!(
        log(slice("web", "web-0")).contains("whose endpoints are Pod shop/web-0"),
        "{}",
        log(slice("web", "web-0"))
    );
    for (service, pod) in [("api", "web-0"), ("web", "web-1")] {
        assert!(log(slice(service, pod)).contains("its pods are not known"), "{service} {pod}");
    }
}
