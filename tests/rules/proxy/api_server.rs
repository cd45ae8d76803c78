//! `hostnet proxy check` and the API server, with known and unknown addresses.

use super::check::check;
use super::settled;

fn pod(env: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: n}}\nspec: {{containers: [{{name: c, image: x, env: [{{name: HTTPS_PROXY, value: \
         'http://p:3128'}}, {env}]}}]}}\n"
    )
}

fn list(list: &str) -> String {
    pod(&format!("{{name: NO_PROXY, value: '{list}'}}"))
}

/// The verdict, the reason, and the exit code.
fn reported(manifest: &str) -> String {
    let (log, code) = check(&[], manifest);
    let log = log.replace("Pod n/a, container c -> the API server", "POD");
    format!("{} ({})\n", log.trim_end(), code.unwrap())
}

const SERVICE: &str = "---\napiVersion: v1\nkind: Service\nmetadata: {name: kubernetes, namespace: default}\nspec: {clusterIP: 10.96.0.1, ports: [{port: 443}]}\n";

/// The Service may have any address, and nodes may use a name: only a list that can match neither is certainly wrong.
#[test]
fn an_address_that_the_input_does_not_show_is_unknown() {
    let lists = [
        "10.96.0.1",
        "10.96.0.0/12",
        "[fd00::1]:443",
        "api.corp.example.com,.azmk8s.io",
        "localhost,127.0.0.1,::1,127.0.0.0/8,.svc,.svc.corp.local,.cluster.local,kubernetes.default",
        "",
        "*",
        "db,db:80,10.96.0.1:80,api.corp.example.com:8080,metadata.google.internal,169.254.169.254,fe80::/10,https://x.io,10.",
        "db,10.0.0.0/8",
    ];
    insta::assert_snapshot!(lists.map(|entries| reported(&list(entries))).concat(), @"
    unknown: POD: its address is not known, and the entry `10.96.0.1` may match it (0)
    unknown: POD: its address is not known, and the entry `10.96.0.0/12` may match it (0)
    unknown: POD: its address is not known, and the entry `[fd00::1]:443` may match it (0)
    unknown: POD: its address is not known, and the entry `api.corp.example.com` may match it (0)
    warning: proxy: POD: NO_PROXY contains neither its address nor a range; the input does not show if it calls the API server. Add to NO_PROXY: $(KUBERNETES_SERVICE_HOST) [proxy-reach] (0)
    warning: proxy: POD: NO_PROXY contains neither its address nor a range; the input does not show if it calls the API server. Add to NO_PROXY: $(KUBERNETES_SERVICE_HOST) [proxy-reach] (0)
    direct: POD: the entry `*` matches everything (0)
    warning: unknown: Pod n/a, container c -> hosts of `https://x.io`: this entry never matches: an entry has no scheme; leave out `https://` [proxy-entry]
    warning: unknown: Pod n/a, container c -> hosts of `10.`: this entry never matches: the beginning of an address matches nothing; write a range, such as `10.0.0.0/8` [proxy-entry]
    warning: proxy: POD: NO_PROXY contains neither its address nor a range; the input does not show if it calls the API server. Add to NO_PROXY: $(KUBERNETES_SERVICE_HOST) [proxy-reach] (0)
    unknown: POD: its address is not known, and the entry `10.0.0.0/8` may match it (0)
    ");
}

#[test]
fn the_service_of_the_input_has_the_address() {
    let lists = ["10.96.0.1", "10.96.0.0/12", "10.97.0.1,.corp.example.com"];
    let other = SERVICE.replace("namespace: default", "namespace: shop");
    let headless = SERVICE.replace("10.96.0.1", "None");
    let mut all = lists.map(|entries| reported(&(list(entries) + SERVICE))).concat();
    all.extend([reported(&(list("10.97.0.1") + &other)), reported(&(list("10.97.0.1") + &headless))]);
    insta::assert_snapshot!(all, @"
    direct: POD 10.96.0.1: the entry `10.96.0.1` matches (0)
    direct: POD 10.96.0.1: a range of NO_PROXY contains 10.96.0.1 (0)
    warning: proxy: POD 10.96.0.1: no entry matches; the input does not show if it calls the API server. Add to NO_PROXY: $(KUBERNETES_SERVICE_HOST) [proxy-reach] (0)
    unknown: POD: its address is not known, and the entry `10.97.0.1` may match it (0)
    unknown: POD: its address is not known, and the entry `10.97.0.1` may match it (0)
    ");
}

/// The kubelet expands the variable with the value before the list; the program uses the last value.
#[test]
fn a_custom_address_is_expanded_only_in_later_variables() {
    let own = "{name: KUBERNETES_SERVICE_HOST, value: api.internal}";
    let address = "{name: KUBERNETES_SERVICE_HOST, value: 10.0.0.1}";
    let hidden = "{name: KUBERNETES_SERVICE_HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}";
    let list = "{name: NO_PROXY, value: 'a.com,$(KUBERNETES_SERVICE_HOST)'}";
    let named = "{name: NO_PROXY, value: '.internal,$(KUBERNETES_SERVICE_HOST)'}";
    let envs = [
        format!("{own}, {list}"),
        format!("{list}, {own}"),
        format!("{named}, {own}"),
        format!("{list}, {address}"),
        format!("{list}, {hidden}"),
        format!("{hidden}, {list}"),
        format!("{address}, {list}, {own}"),
    ];
    insta::assert_snapshot!(envs.map(|env| reported(&pod(&env))).concat(), @"
    direct: POD api.internal: the entry `$(KUBERNETES_SERVICE_HOST)` is its address (0)
    warning: proxy: POD api.internal: no entry matches: the kubelet expands `$(KUBERNETES_SERVICE_HOST)` to another value, since the container's own KUBERNETES_SERVICE_HOST is not defined before NO_PROXY; the input does not show if it calls the API server. Add to NO_PROXY: api.internal [proxy-reach] (0)
    direct: POD api.internal: the entry `.internal` matches (0)
    unknown: POD 10.0.0.1: no entry matches: the kubelet expands `$(KUBERNETES_SERVICE_HOST)` to another value, since the container's own KUBERNETES_SERVICE_HOST is not defined before NO_PROXY (0)
    unknown: POD: its address is not known, and the entry `a.com` may match it (0)
    direct: POD: the entry `$(KUBERNETES_SERVICE_HOST)` is its address (0)
    unknown: POD api.internal: no entry matches: the kubelet expands `$(KUBERNETES_SERVICE_HOST)` to another value, since the container's own KUBERNETES_SERVICE_HOST is not defined before NO_PROXY (0)
    ");
}

/// Go compares the port of an entry with the port of the URL.
#[test]
fn a_host_of_the_config_may_have_a_port() {
    let hosts = ["10.0.0.1:443", "api.example.com:6443", "[fd00::1]:443", "fd00::1", "10.0.0.1", "${API_SERVER:-a.b}"];
    let reached = |host: &str| {
        let spec = format!(
            "httpsProxy: 'http://p:3128', targets: [{{select: {{name: a}}}}], cluster: {{apiServer: ['{host}']}}"
        );
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("proxy.yaml");
        let text = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {{name: p}}\nspec: {{{spec}}}\n"
        );
        std::fs::write(&file, text).unwrap();
        let (log, code) = check(&["-c", file.to_str().unwrap()], &pod("{name: X, value: x}"));
        let (output, changes) = settled(&spec, &pod("{name: X, value: x}"));
        assert!(output.contains(&format!("::1,{host},kubernetes.default,")), "{output}");
        format!("{log}{changes}({})\n", code.unwrap())
    };
    insta::assert_snapshot!(hosts.map(reached).concat(), @"
    direct: Pod n/a, container c -> the API server 10.0.0.1:443: the entry `10.0.0.1:443` matches
    (0)
    direct: Pod n/a, container c -> the API server api.example.com:6443: the entry `api.example.com:6443` matches
    (0)
    direct: Pod n/a, container c -> the API server [fd00::1]:443: the entry `[fd00::1]:443` matches
    (0)
    direct: Pod n/a, container c -> the API server fd00::1: the entry `fd00::1` matches
    (0)
    direct: Pod n/a, container c -> the API server 10.0.0.1: the entry `10.0.0.1` matches
    (0)
    unknown: Pod n/a, container c -> the API server ${API_SERVER:-a.b}: no other entry matches, and the value of `${API_SERVER:-a.b}` is not known
    (0)
    ");
}

/// Only a container that shows that it calls the API server has to reach it directly.
#[test]
fn containers_without_evidence_of_calls_are_warned_or_silent() {
    let account = |more: &str| {
        format!("---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: default, namespace: n}}{more}\n")
    };
    let binding = |namespace: &str| {
        format!(
            "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: b}}\nroleRef: {{kind: ClusterRole, name: view}}\nsubjects: \
             [{{kind: ServiceAccount, name: default, namespace: {namespace}}}]\n"
        )
    };
    let with = |field: &str| list("localhost").replace("spec: {", &format!("spec: {{{field}, "));
    let none = with("automountServiceAccountToken: false");
    let projected = "volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: token}}]}}]";
    for (manifest, severity, code) in [
        (list("localhost"), "warning: ", 0),
        (list("localhost") + &binding("n"), "error: ", 1),
        (list("localhost") + &binding("other"), "warning: ", 0),
        (list("localhost") + &account(""), "warning: ", 0),
        (list("localhost") + &account("\nautomountServiceAccountToken: false"), "", 0),
        (none.clone(), "", 0),
        (none + &binding("n"), "", 0),
        (with(&format!("automountServiceAccountToken: false, {projected}")) + &binding("n"), "error: ", 1),
        (
            with("automountServiceAccountToken: true") + &account("\nautomountServiceAccountToken: false"),
            "warning: ",
            0,
        ),
    ] {
        let log = reported(&manifest);
        assert!(
            log.starts_with(&format!("{severity}proxy: POD: ")) && log.ends_with(&format!("({code})\n")),
            "{manifest}: {log}"
        );
    }
    let function = "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: f}\nspec: {package: 'a.io/f:v1', runtimeConfigRef: {name: f}}\n---\n\
                    apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: f}\nspec: {deploymentTemplate: {spec: {template: \
                    {spec: {containers: [{name: package-runtime, env: [{name: HTTPS_PROXY, value: 'http://p:1'}]}]}}}}}\n";
    assert!(reported(function).ends_with("(0)\n") && !reported(function).contains("warning"));
    assert!(reported(&function.replace("Function", "Provider")).ends_with("(1)\n"));
}
