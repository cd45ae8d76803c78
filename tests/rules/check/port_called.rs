//! Rule `port-called`.

use super::{on_host, reported, reported_with, workload};
use crate::support::results::worded;
use crate::support::run::hostnet;
use insta::assert_snapshot;

const OUTSIDE: &str = "{apiServer: Outside}";

fn called(workload: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{name: a.b.c, \
         clientConfig: {{service: {{namespace: shop, name: web}}}}}}]\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: \
         {{selector: {{app: web}}, ports: [{{port: 443, targetPort: 9443}}]}}\n---\n{workload}"
    )
}

fn in_pod_network() -> String {
    workload("Deployment", "web", "{containers: [{name: web, ports: [{containerPort: 9443}]}]}")
}

#[test]
fn a_webhook_that_the_api_server_cannot_reach() {
    assert_snapshot!(worded(reported_with("port-called", OUTSIDE, &called(&in_pod_network()))), @"error: a.yaml:17:11: Deployment shop/web is in the pod network, which the API server does not reach (`apiServer: Outside`), and the API server calls it: ValidatingWebhookConfiguration hook calls it through Service shop/web. Its calls end with `Address is not allowed` or a time-out. Move it with a HostNetwork: `targets: [{select: {kind: Deployment, namespace: shop, name: web}, ports: auto}]`");
}

#[test]
fn a_webhook_on_the_host_network_or_an_api_server_inside_is_not_reported() {
    assert_eq!(reported_with("port-called", OUTSIDE, &called(&on_host("web", ""))), "");
    assert_eq!(reported("port-called", &called(&in_pod_network())), "");
    assert_eq!(reported_with("port-called", OUTSIDE, &in_pod_network()), "");
}

#[test]
fn a_program_that_registers_itself_is_a_warning() {
    let spec = "{containers: [{name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.0.2', args: [core, start]}]}";
    let log = reported_with("port-called", OUTSIDE, &workload("Deployment", "crossplane", spec));
    assert!(log.starts_with("warning: ") && log.contains("registers its webhooks"), "{log}");
}

/// A namespace that only some of the objects have hides no call.
#[test]
fn a_missing_namespace_is_an_error_or_a_warning() {
    let (hook, service) = ("{namespace: shop, name: web}}", "{name: web, namespace: shop}\nspec: {selector");
    for missing in 0..8 {
        let mut pods = in_pod_network();
        if missing & 1 != 0 {
            pods = pods.replace(", namespace: shop", "");
        }
        let mut manifest = called("");
        if missing & 2 != 0 {
            manifest = manifest.replace(service, &service.replace(", namespace: shop", ""));
        }
        if missing & 4 != 0 {
            manifest = manifest.replace(hook, &hook.replace("namespace: shop, ", ""));
        }
        let log = reported_with("port-called", OUTSIDE, &format!("{manifest}{pods}"));
        assert!(!log.is_empty(), "{missing:b}: {manifest}{pods}");
    }
    let pods = in_pod_network().replace(", namespace: shop", "");
    assert_snapshot!(worded(reported_with("port-called", OUTSIDE, &called(&pods))), @"warning: a.yaml:9:18: ValidatingWebhookConfiguration hook makes the API server call Service shop/web, whose selector has the labels of Deployment web, but only the Service has a namespace: it is unknown whether the Service selects these pods, so the workload is not treated as called. Write the namespace into the workload too, or run hostnet on a render that has both");
    let other = pods.replace("{app: web}", "{app: other}");
    assert!(!reported_with("port-called", OUTSIDE, &called(&other)).contains("has a namespace"));
}

/// Operator Lifecycle Manager makes the Service and the webhook configuration of a bundle.
#[test]
fn olm_bundle_with_webhooks_counts_as_called() {
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: a}\nspec:\n  targets: [{select: {calledByApiServer: true}, \
                  ports: auto}]\n  templates: [{group: operators.coreos.com, kind: ClusterServiceVersion, path: \
                  'spec.install.spec.deployments[].spec.template'}]\n";
    let checked = |bundle: String| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hostnet.yaml"), config).unwrap();
        hostnet(
            folder.path(),
            &["check", "-v", "--api-server", "outside", "-c", "hostnet.yaml", "-"],
            bundle.as_bytes(),
        )
    };
    let bundle = |definitions: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: web, namespace: shop}}\nspec:\n  install:\n    \
             spec: {{deployments: [{{name: web, spec: {{template: {{spec: {{containers: [{{name: web, ports: [{{containerPort: 9443}}]}}]}}}}}}}}]}}\n  {definitions}\n"
        )
    };
    let hook = "webhookdefinitions: [{type: ValidatingAdmissionWebhook, deploymentName: web, containerPort: 443, targetPort: 9443}]";
    let api = "apiservicedefinitions: {owned: [{name: v1, deploymentName: web, containerPort: 5443}]}";
    for definitions in [hook, api] {
        let run = checked(bundle(definitions));
        assert!(run.code == Some(1) && run.text().contains("Operator Lifecycle Manager makes"), "{}", run.text());
    }
    assert!(!checked(bundle("version: 1.0.0")).text().contains("port-called"));
}

#[test]
fn a_missing_service_is_a_warning() {
    let hook = called("").split("---\n").next().unwrap().to_owned();
    assert_snapshot!(worded(reported_with("port-called", OUTSIDE, &hook)), @"warning: a.yaml:1:1: ValidatingWebhookConfiguration hook makes the API server call Service shop/web, which is not in the input, so its reachability was not checked");
}

/// The API server reaches its own Service `default/kubernetes`, which no manifest contains.
#[test]
fn the_api_servers_own_service_is_not_reported() {
    let hook = called("")
        .split("---\n")
        .next()
        .unwrap()
        .replace("{namespace: shop, name: web}", "{namespace: default, name: kubernetes}");
    assert_eq!(reported_with("port-called", OUTSIDE, &hook), "");
    let other = hook.replace("namespace: default", "namespace: shop");
    assert!(reported_with("port-called", OUTSIDE, &other).contains("Service shop/kubernetes"));
}

/// A Provider registers webhooks for the APIs that it serves; on the host network the API server reaches it.
#[test]
fn packages_that_register_themselves() {
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: aws}\nspec: {package: 'xpkg.upbound.io/upbound/provider-aws-s3:v1.20.0', runtimeConfigRef: {name: \
                    aws}}\n---\n";
    let config = |host: bool| {
        format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: aws}}\nspec: {{deploymentTemplate: {{spec: {{template: {{spec: {{hostNetwork: {host}}}}}}}}}}}\n---\n"
        )
    };
    let of = |host: bool| reported_with("port-called", OUTSIDE, &[provider, &config(host)].concat());
    assert!(of(false).starts_with("warning: ") && of(false).contains("Provider aws"), "{}", of(false));
    assert_eq!(of(true), "");
}

/// The manifests of `tests/corpus/cluster` contain cert-manager, and twenty workloads that the API server does not
/// call.
#[test]
fn all_called_workloads_of_a_cluster() {
    let folder = crate::support::project().join("tests/corpus/cluster");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let manifests = files.filter(|file| file.extension().is_some_and(|end| end == "yaml"));
    let mut all: Vec<_> = manifests.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    all.sort();
    let log = reported_with("port-called", OUTSIDE, &all.join("\n---\n"));
    let mut called: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split(" is in the pod network").next()?.rsplit_once(": "))
        .map(|(_, name)| name)
        .collect();
    called.sort_unstable();
    assert_snapshot!(called.join("\n"), @"
    Deployment cert-manager/cert-manager-webhook
    Deployment crossplane-system/crossplane
    Deployment gatekeeper-system/gatekeeper-controller-manager
    Deployment kube-system/metrics-server
    Deployment kyverno/kyverno-admission-controller
    Deployment kyverno/kyverno-cleanup-controller
    Deployment project-v4-system/project-v4-controller-manager
    ");
}

/// A program whose role may write webhook configurations may register itself, which no manifest shows.
#[test]
fn a_workload_that_may_register_webhooks_is_a_warning() {
    let pod = |account: &str| {
        format!("{{serviceAccountName: {account}, containers: [{{name: web, ports: [{{containerPort: 9443}}]}}]}}")
    };
    let role = |resource: &str, kind: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: r}}\nrules: [{{apiGroups: [admissionregistration.k8s.io], \
             resources: [{resource}], verbs: [create]}}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: b}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}}\nsubjects: [{{kind: {kind}, name: op, namespace: shop}}]\n---\n"
        )
    };
    let writer = role("validatingwebhookconfigurations", "ServiceAccount");
    let found = reported_with("port-called", OUTSIDE, &(writer.clone() + &workload("Deployment", "web", &pod("op"))));
    assert!(found.starts_with("warning: "), "{found}");
    assert!(found.contains("Deployment shop/web may register webhooks when it runs"), "{found}");
    assert!(
        found.contains("`targets: [{select: {kind: Deployment, namespace: shop, name: web}, ports: auto}]`"),
        "{found}"
    );
    let on_host = workload("Deployment", "web", &pod("op").replacen('{', "{hostNetwork: true, ", 1));
    let silent = [
        (OUTSIDE, writer.clone() + &workload("Deployment", "web", &pod("default"))),
        (OUTSIDE, role("validatingadmissionpolicies", "ServiceAccount") + &workload("Deployment", "web", &pod("op"))),
        (OUTSIDE, role("validatingwebhookconfigurations", "User") + &workload("Deployment", "web", &pod("op"))),
        (OUTSIDE, writer.clone() + &on_host),
        ("{apiServer: Inside}", writer + &workload("Deployment", "web", &pod("op"))),
    ];
    for (spec, manifest) in silent {
        assert_eq!(reported_with("port-called", spec, &manifest), "", "{manifest}");
    }
}

/// Subjects that mean the service account, aggregated roles, and APIServices.
#[test]
fn other_forms_of_roles_permit_a_registration() {
    let pod = "{serviceAccountName: op, containers: [{name: web, ports: [{containerPort: 9443}]}]}";
    let rbac = "apiVersion: rbac.authorization.k8s.io/v1";
    let role = |name: &str, more: &str| {
        format!("{rbac}\nkind: ClusterRole\nmetadata: {{name: {name}, labels: {{to: {name}}}}}\n{more}\n---\n")
    };
    let rules_of = |group: &str, resource: &str, verb: &str| {
        format!("rules: [{{apiGroups: [{group}], resources: [{resource}], verbs: [{verb}]}}]")
    };
    let writes = rules_of("admissionregistration.k8s.io", "validatingwebhookconfigurations", "create");
    let bound = |role: &str, subject: &str| {
        format!(
            "{rbac}\nkind: ClusterRoleBinding\nmetadata: {{name: b}}\nroleRef: {{kind: ClusterRole, name: {role}}}\nsubjects: [{{{subject}}}]\n---\n"
        )
    };
    let account = "kind: ServiceAccount, name: op, namespace: shop";
    let aggregated = |label: &str| {
        role(
            "all",
            &format!("aggregationRule: {{clusterRoleSelectors: [{{matchLabels: {{to: {label}}}}}]}}\nrules: []"),
        )
    };
    let services = |verb: &str| role("r", &rules_of("apiregistration.k8s.io", "apiservices", verb));
    let reported = |manifest: &str| {
        reported_with("port-called", OUTSIDE, &(manifest.to_owned() + &workload("Deployment", "web", pod)))
    };
    for (manifest, what) in [
        (role("r", &writes) + &bound("r", "kind: Group, name: 'system:serviceaccounts:shop'"), "webhooks"),
        (role("r", &writes) + &bound("r", "kind: Group, name: 'system:serviceaccounts'"), "webhooks"),
        (role("r", &writes) + &bound("r", "kind: User, name: 'system:serviceaccount:shop:op'"), "webhooks"),
        (role("r", &writes) + &aggregated("r") + &bound("all", account), "webhooks"),
        (services("create") + &bound("r", account), "an APIService"),
    ] {
        let found = reported(&manifest);
        assert!(found.contains(&format!("Deployment shop/web may register {what} when it runs")), "{manifest}{found}");
    }
    for manifest in [
        role("r", &writes) + &bound("r", "kind: Group, name: 'system:serviceaccounts:other'"),
        role("r", &writes) + &bound("r", "kind: Group, name: admins"),
        role("r", &writes) + &bound("r", "kind: User, name: 'system:serviceaccount:other:op'"),
        role("r", &writes) + &aggregated("x") + &bound("all", account),
        services("update") + &bound("r", account),
    ] {
        assert_eq!(reported(&manifest), "", "{manifest}");
    }
}

/// A `url` with the name of a Service leads to the pods of the Service, whatever the domain of the cluster.
#[test]
fn a_webhook_that_is_called_by_the_url_of_a_service() {
    let by_url = |url: &str| {
        called(&in_pod_network()).replace("{service: {namespace: shop, name: web}}", &format!("{{url: \"{url}\"}}"))
    };
    for url in [
        "https://web.shop.svc/validate",
        "https://Web.Shop.SVC/validate",
        "https://web.shop.svc:443/validate",
        "https://web.shop.svc.cluster.local",
        "https://web.shop.svc.corp.example.com:443/x?y",
    ] {
        let found = reported_with("port-called", OUTSIDE, &by_url(url));
        assert!(found.starts_with("warning: ") && found.contains("Deployment shop/web"), "{url}: {found}");
    }
    for url in [
        "https://web.shop.example.com",
        "https://web.other.svc.corp.example.com",
        "https://web.shop",
        "https://${HOST}.shop.svc",
    ] {
        assert_eq!(reported_with("port-called", OUTSIDE, &by_url(url)), "", "{url}");
    }
    let missing = reported_with("port-called", OUTSIDE, &by_url("https://web.other.svc"));
    assert!(
        missing.starts_with("warning: ") && missing.contains("Service other/web, which is not in the input"),
        "{missing}"
    );
}

/// The Service selects no pods of the input, or its selector has a label that no template has.
#[test]
fn a_service_whose_pods_are_not_in_the_input_is_a_warning() {
    for selector in ["{app: elsewhere}", "{app: web, tier: front}"] {
        let manifest = called(&on_host("web", "")).replace("selector: {app: web},", &format!("selector: {selector},"));
        let log = reported_with("port-called", OUTSIDE, &manifest);
        assert!(log.starts_with("warning: ") && log.contains("call Service shop/web"), "{log}");
    }
    let at_run_time = "selector: {app: web, hami.io/scheduler-role: leader},";
    let manifest = |workload: &str| called(workload).replace("selector: {app: web},", at_run_time);
    assert!(reported_with("port-called", OUTSIDE, &manifest(&in_pod_network())).starts_with("error: "));
    assert_eq!(reported_with("port-called", OUTSIDE, &manifest(&on_host("web", ""))), "");
}

/// A webhook whose URL has an address of a Service, or its node port, is not followed.
#[test]
fn a_url_without_the_name_of_a_service_is_a_warning_if_a_service_answers_there() {
    let input = |url: &str, service: &str| {
        called(&in_pod_network())
            .replace("service: {namespace: shop, name: web}", &format!("url: '{url}'"))
            .replace("{selector: {app: web}", &format!("{{{service}, selector: {{app: web}}"))
            .replace("port: 443,", "port: 443, nodePort: 30443,")
    };
    let log = |url: &str, service: &str| reported_with("port-called", OUTSIDE, &input(url, service));
    assert_snapshot!(worded(log("https://10.96.0.99/v", "clusterIP: 10.96.0.99")), @"warning: a.yaml:4:46: ValidatingWebhookConfiguration hook makes the API server call https://10.96.0.99/v, an address of Service shop/web: the call was not followed to its pods. If they are in the pod network, the API server does not reach them (`apiServer: Outside`)");
    assert!(!log("https://localhost:30443/v", "type: NodePort").is_empty());
    assert!(!log("https://192.0.2.7:443/v", "externalIPs: [192.0.2.7]").is_empty());
    for (url, service) in [
        ("https://hooks.example.com/v", "clusterIP: 10.96.0.99"),
        ("https://10.96.0.98/v", "clusterIP: 10.96.0.99"),
        ("https://localhost:30443/v", "type: ClusterIP"),
    ] {
        assert_eq!(log(url, service), "", "{url}");
    }
    assert_eq!(reported("port-called", &input("https://10.96.0.99/v", "clusterIP: 10.96.0.99")), "");
}

/// Calls that only a route, a loopback address or a kubeconfig file shows.
#[test]
fn calls_by_routes_loopback_addresses_and_kubeconfig_files_are_warnings() {
    let input = |url: &str, more: &str| {
        let webhook =
            called(&in_pod_network()).replace("service: {namespace: shop, name: web}", &format!("url: '{url}'"));
        format!("{webhook}---\n{more}")
    };
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\nspec: {rules: [{host: web.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 443}}}}]}}]}\n";
    let log = |input: &str| reported_with("port-called", OUTSIDE, input);
    assert_snapshot!(worded(log(&input("https://web.example.com/v", ingress))), @"warning: a.yaml:4:46: ValidatingWebhookConfiguration hook makes the API server call https://web.example.com/v, a host that Ingress shop/web routes to Service shop/web: the call was not followed to the pods of the router and of the Service. The API server does not reach pods in the pod network (`apiServer: Outside`)");
    assert_eq!(log(&input("https://api.example.com/v", ingress)), "");
    let loopback = log(&input("https://127.0.0.1:9443/v", ingress));
    assert_snapshot!(worded(loopback), @"warning: a.yaml:4:46: ValidatingWebhookConfiguration hook makes the API server call https://127.0.0.1:9443/v, where only a pod on the host network of the API server's node answers. Deployment shop/web declares that port and is in the pod network. Move it with a HostNetwork: `targets: [{select: {kind: Deployment, namespace: shop, name: web}, ports: auto}]`");
    assert_eq!(log(&input("https://127.0.0.1:9444/v", ingress)), "");
    let on_host =
        input("https://127.0.0.1:9443/v", ingress).replace("{containers: [", "{hostNetwork: true, containers: [");
    assert_eq!(log(&on_host), "");
    let file = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [{type: Webhook, name: a, webhook: {connectionInfo: {type: KubeConfigFile, kubeConfigFile: /etc/a.conf}}}]\n";
    assert_snapshot!(worded(log(file)), @"warning: a.yaml:3:105: AuthorizationConfiguration makes the API server call the server of kubeconfig /etc/a.conf: the call was not followed, so its reachability was not checked");
    assert_eq!(reported("port-called", file), "");
}
