//! Services of the input that containers dial by short names. grpc-go and Go's HTTP client compare the name as written.

use super::check::check;
use super::{run, settled};

const SPEC: &str = "httpProxy: 'http://p:3128', httpsProxy: 'http://p:3128', case: Upper, cluster: {services: [10.96.0.0/12]}, targets: [{select: {kind: Deployment}}]";

/// Services, each as `NAMESPACE/NAME`.
fn services(names: &[&str]) -> String {
    let one = |name: &&str| {
        let (namespace, name) = name.split_once('/').unwrap();
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{ports: [{{port: 8081}}]}}\n"
        )
    };
    names.iter().map(one).collect()
}

/// Deployment of namespace argocd with these fields of its container, and more of its pod.
fn deployment(container: &str, pod: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: server, namespace: argocd}}\nspec: {{template: {{spec: {{containers: [{{name: \
         server, {container}}}]{pod}}}}}}}\n"
    )
}

/// The entries after those that every container gets.
fn added(manifest: &str) -> String {
    let (output, log) = settled(SPEC, manifest);
    assert_eq!(log, "", "{output}");
    let list = output.split("NO_PROXY, value: ").nth(1).unwrap().split(['}', '\n']).next().unwrap();
    list.trim_matches('"').split_once(",metadata.google.internal").unwrap().1.to_owned()
}

#[test]
fn hosts_of_texts_get_entries() {
    let all = services(&["argocd/repo", "shop/backend", "argocd/peers", "p/p"]);
    for (container, expected) in [
        ("args: ['--repo-server=repo:8081']", ",repo"),
        ("args: [--repo-server, 'Repo:8081']", ",repo"),
        ("command: [sh, -c, 'exec web --backend http://backend.shop/x']", ",backend.shop"),
        (
            "env: [{name: A, value: 'https://u:p@repo'}, {name: B, value: 'repo:8081,backend.shop:8080'}]",
            ",repo,backend.shop",
        ),
        (
            "env: [{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}, {name: A, value: 'repo.$(NS):8081'}]",
            ",repo.argocd",
        ),
        ("args: ['--peer=peers-0.peers:8081']", ",peers-0.peers"),
        // Other entries match these.
        ("args: ['http://repo.argocd.svc:8081', 'https://backend.shop.svc.cluster.local']", ""),
        // No Services of the input, in this namespace.
        ("args: ['http://other', 'http://backend', 'http://repo.shop', 'https://example.com']", ""),
        // Not dialled by a client that reads proxy variables.
        (
            "args: ['--db=postgres://repo/x', '--redis=repo:6379', '--name=repo', 'quay.io/repo:8081', '--http-proxy=http://repo:3128']",
            "",
        ),
        // The proxy itself.
        ("args: ['--proxy-server=http://p:3128', --url, 'http://p.p:1']", ",p.p"),
    ] {
        assert_eq!(added(&(deployment(container, "") + &all)), expected, "{container}");
    }
}

#[test]
fn hosts_of_config_maps_get_entries() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: params, namespace: argocd}\ndata: {repo.server: 'repo:8081', other: 'http://backend.shop'}\n";
    let all = services(&["argocd/repo", "shop/backend"]) + map;
    let env = "env: [{name: A, valueFrom: {configMapKeyRef: {name: params, key: repo.server}}}]";
    assert_eq!(added(&(deployment(env, "") + &all)), ",repo");
    assert_eq!(added(&(deployment("envFrom: [{configMapRef: {name: params}}]", "") + &all)), ",repo,backend.shop");
    let volume = ", volumes: [{name: v, configMap: {name: params}}]";
    assert_eq!(added(&(deployment("volumeMounts: [{name: v, mountPath: /etc}]", volume) + &all)), ",repo,backend.shop");
    assert_eq!(added(&(deployment("image: web", "") + &all)), "");
}

/// Argo CD dials its Services by names that no manifest has.
#[test]
fn built_in_hosts_of_programs_get_entries() {
    let all = services(&["argocd/argocd-repo-server", "argocd/argocd-dex-server", "argocd/argocd-redis"]);
    let image = "image: 'quay.io/argoproj/argocd:v3.1.0'";
    assert_eq!(added(&(deployment(image, "") + &all)), ",argocd-repo-server,argocd-dex-server");
    assert_eq!(added(&deployment(image, "")), "");
    assert_eq!(added(&(deployment("image: 'example.com/argocd-tool:v1'", "") + &all)), "");
}

#[test]
fn a_check_shows_routes_of_dialled_services() {
    let manifest = |list: &str| {
        deployment(
            &format!(
                "args: ['--repo-server=repo:8081', '--backend=http://backend.shop:8080'], env: [{{name: HTTPS_PROXY, value: 'http://p:3128'}}, \
                 {{name: NO_PROXY, value: '{list}'}}]"
            ),
            "",
        ) + &services(&["argocd/repo", "shop/backend"])
    };
    let (log, code) = check(&[], &manifest("$(KUBERNETES_SERVICE_HOST),.svc"));
    insta::assert_snapshot!(log, @"
    warning: proxy: Deployment argocd/server, container server -> Service argocd/repo repo:8081: no entry matches. Add to NO_PROXY: repo [proxy-reach]
    direct: Deployment argocd/server, container server -> the API server: the entry `$(KUBERNETES_SERVICE_HOST)` is its address
    ");
    assert_eq!(code, Some(0));
    let (log, code) = check(&["--strict"], &manifest("$(KUBERNETES_SERVICE_HOST),repo"));
    assert!(
        code == Some(0) && log.contains("direct: Deployment argocd/server, container server -> Service argocd/repo"),
        "{log}"
    );
}

/// A list that cannot be changed: the message has the entries.
#[test]
fn an_opaque_list_names_missing_services() {
    let env =
        "args: ['--repo-server=repo:8081'], env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]";
    let (_, log) = run(SPEC, &(deployment(env, "") + &services(&["argocd/repo"])));
    assert!(log.contains(",metadata.google.internal,repo"), "{log}");
}
