//! Merging with existing variables: each case has an `env`, settings of the config in addition to the proxy, and the
//! resulting `env`.

use super::{CLUSTER, run, settled};
use crate::support::results::worded;

pub(super) const WEB: &str = "httpsProxy: 'http://p:3128', noProxy: [a.com], targets: [{select: {name: web}}]";

pub(super) fn deployment(env: &str, more: &str) -> String {
    let env = if env.is_empty() { String::new() } else { format!(", {env}") };
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  template:\n    spec:\n      \
         containers:\n      - {{name: web, image: web{env}}}\n{more}"
    )
}

/// The resulting container, followed by the other objects and the reports.
fn outcome(env: &str, settings: &str, more: &str) -> String {
    let spec = if settings.is_empty() { WEB.to_owned() } else { format!("{WEB}, {settings}") };
    let (output, log) = run(&spec, &deployment(env, more));
    if !log.contains("error") {
        settled(&spec, &deployment(env, more));
    }
    let (_, container) = output.split_once("- {name: web, image: web").unwrap();
    let shown = container.replace(CLUSTER, "CLUSTER");
    let log = log.replace(CLUSTER, "CLUSTER").replace("Deployment shop/web: container web", "WEB");
    let log = if log.is_empty() { String::new() } else { format!("\n    {}", log.replace('\n', "\n    ")) };
    format!(
        "{}  <- {env} {settings}\n  ->{}{log}",
        if more.is_empty() { "" } else { "(with objects)" },
        shown.trim_end().replace('\n', "\n    ")
    )
}

pub(super) fn all(cases: &[(&str, &str, &str)]) -> String {
    cases.iter().map(|(env, settings, more)| outcome(env, settings, more)).collect::<Vec<_>>().join("\n")
}

#[test]
fn texts_of_proxy_lists_are_merged() {
    insta::assert_snapshot!(worded(all(&[
        ("", "", ""),
        ("", "case: Upper", ""),
        ("env: []", "case: Upper", ""),
        ("env: ~", "case: Upper", ""),
        ("env: [{name: A, value: b}]", "case: Upper", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://p:3128'}]", "case: Upper", ""),
        ("env: [{name: https_proxy, value: 'http://p:3128'}]", "", ""),
        ("env: [{name: NO_PROXY, value: 'b.com, a.com'}]", "case: Upper", ""),
        ("env: [{name: no_proxy, value: b.com}]", "", ""),
        ("env: [{name: NO_PROXY, value: b.com}, {name: no_proxy, value: 'c.com,B.com'}]", "", ""),
        ("env: [{name: NO_PROXY, value: ''}, {name: no_proxy, value: c.com}]", "", ""),
        ("env: [{name: NO_PROXY}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, value: 'b.com,'}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, value: '*'}]", "", ""),
        ("env: [{name: NO_PROXY, value: '$(B),${C}'}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, value: '10.*,b.com'}]", "case: Upper", ""),
        ("env: [{name: HTTP_PROXY, value: 'http://other:1'}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, value: one.com}, {name: NO_PROXY, value: two.com}]", "case: Upper", ""),
    ])), @r#"
    <-  
    ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "a.com,CLUSTER"}]}
    <-  case: Upper
    ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [] case: Upper
    ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: ~ case: Upper
    ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [{name: A, value: b}] case: Upper
    ->, env: [{name: A, value: b}, {name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [{name: HTTPS_PROXY, value: 'http://p:3128'}] case: Upper
    ->, env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [{name: https_proxy, value: 'http://p:3128'}] 
    ->, env: [{name: https_proxy, value: 'http://p:3128'}, {name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: no_proxy, value: "a.com,CLUSTER"}]}
    <- env: [{name: NO_PROXY, value: 'b.com, a.com'}] case: Upper
    ->, env: [{name: NO_PROXY, value: 'b.com, a.com,CLUSTER'}, {name: HTTPS_PROXY, value: http://p:3128}]}
    <- env: [{name: no_proxy, value: b.com}] 
    ->, env: [{name: no_proxy, value: "b.com,a.com,CLUSTER"}, {name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "b.com,a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128}]}
    <- env: [{name: NO_PROXY, value: b.com}, {name: no_proxy, value: 'c.com,B.com'}] 
    ->, env: [{name: NO_PROXY, value: "b.com,c.com,a.com,CLUSTER"}, {name: no_proxy, value: 'b.com,c.com,a.com,CLUSTER'}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}]}
    <- env: [{name: NO_PROXY, value: ''}, {name: no_proxy, value: c.com}] 
    ->, env: [{name: NO_PROXY, value: 'c.com,a.com,CLUSTER'}, {name: no_proxy, value: "c.com,a.com,CLUSTER"}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}]}
    <- env: [{name: NO_PROXY}] case: Upper
    ->, env: [{name: NO_PROXY, value: "a.com,CLUSTER"}, {name: HTTPS_PROXY, value: http://p:3128}]}
    <- env: [{name: NO_PROXY, value: 'b.com,'}] case: Upper
    ->, env: [{name: NO_PROXY, value: 'b.com,a.com,CLUSTER'}, {name: HTTPS_PROXY, value: http://p:3128}]}
    <- env: [{name: NO_PROXY, value: '*'}] 
    ->, env: [{name: NO_PROXY, value: '*'}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "*"}]}
      info: WEB: its NO_PROXY is `*`: nothing goes through a proxy, and nothing is added [proxy-existing]
    <- env: [{name: NO_PROXY, value: '$(B),${C}'}] case: Upper
    ->, env: [{name: NO_PROXY, value: '$(B),${C},a.com,CLUSTER'}, {name: HTTPS_PROXY, value: http://p:3128}]}
    <- env: [{name: NO_PROXY, value: '10.*,b.com'}] case: Upper
    ->, env: [{name: NO_PROXY, value: '10.*,b.com,a.com,CLUSTER'}, {name: HTTPS_PROXY, value: http://p:3128}]}
      warning: standard input:8:38: WEB: the entry `10.*` of its NO_PROXY never matches: the beginning of an address matches nothing; write a range, such as `10.0.0.0/8` [proxy-entry]
    <- env: [{name: HTTP_PROXY, value: 'http://other:1'}] case: Upper
    ->, env: [{name: HTTP_PROXY, value: 'http://other:1'}, {name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [{name: NO_PROXY, value: one.com}, {name: NO_PROXY, value: two.com}] case: Upper
    ->, env: [{name: NO_PROXY, value: one.com}, {name: NO_PROXY, value: "two.com,a.com,CLUSTER"}, {name: HTTPS_PROXY, value: http://p:3128}]}
      warning: standard input:8:38: WEB: NO_PROXY is set twice, in env[0] and env[1]: the last one wins. Remove the other [proxy-existing]
    "#);
}

pub(super) const MAP: &str = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\ndata: {NO_PROXY: b.com, HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}\n";

#[test]
fn the_address_of_the_api_server_comes_from_the_container() {
    insta::assert_snapshot!(worded(all(&[
        ("env: [{name: KUBERNETES_SERVICE_HOST, value: api.example.com}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, value: b.com}, {name: KUBERNETES_SERVICE_HOST, value: api.example.com}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, value: b.com}, {name: KUBERNETES_SERVICE_HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]", "case: Upper", ""),
        ("", "case: Upper, cluster: {apiServer: [api.example.com, 10.0.0.1], services: [10.96.0.0/12], pods: [10.244.0.0/16], nodes: [10.0.0.0/16], domain: k8s.local}", ""),
    ])), @r#"
    <- env: [{name: KUBERNETES_SERVICE_HOST, value: api.example.com}] case: Upper
    ->, env: [{name: KUBERNETES_SERVICE_HOST, value: api.example.com}, {name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [{name: NO_PROXY, value: b.com}, {name: KUBERNETES_SERVICE_HOST, value: api.example.com}] case: Upper
    ->, env: [{name: NO_PROXY, value: "b.com,a.com,localhost,127.0.0.1,::1,api.example.com,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal"}, {name: HTTPS_PROXY, value: http://p:3128}, {name: KUBERNETES_SERVICE_HOST, value: api.example.com}]}
    <- env: [{name: NO_PROXY, value: b.com}, {name: KUBERNETES_SERVICE_HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}] case: Upper
    ->, env: [{name: NO_PROXY, value: "b.com,a.com,CLUSTER"}, {name: HTTPS_PROXY, value: http://p:3128}, {name: KUBERNETES_SERVICE_HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]}
      warning: standard input:8:38: WEB: its NO_PROXY is defined before its own KUBERNETES_SERVICE_HOST, so `$(KUBERNETES_SERVICE_HOST)` in it is the address of the Service and not the container's own value. Put NO_PROXY after it [proxy-reach]
    <-  case: Upper, cluster: {apiServer: [api.example.com, 10.0.0.1], services: [10.96.0.0/12], pods: [10.244.0.0/16], nodes: [10.0.0.0/16], domain: k8s.local}
    ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,localhost,127.0.0.1,::1,api.example.com,10.0.0.1,kubernetes.default,kubernetes.default.svc,.svc,.svc.k8s.local,10.96.0.0/12,10.244.0.0/16,10.0.0.0/16,.k8s.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal"}]}
    "#);
}

/// The kubelet expands `$(NAME)` in values; a password may contain dollar signs.
#[test]
fn dollar_signs_of_a_proxy_are_escaped() {
    let spec = |url: &str| {
        format!("httpsProxy: '{url}', case: Upper, literalCredentials: Warn, targets: [{{select: {{name: web}}}}]")
    };
    let shown = |url: &str| {
        let output = settled(&spec(url), &deployment("", "")).0;
        output.split_once("value: ").unwrap().1.split('}').next().unwrap().to_owned()
    };
    assert_eq!(shown("http://u:a$(B)c@p:1"), "http://u:a$$(B)c@p:1");
    assert_eq!(shown("http://u:a$$b@p:1"), "http://u:a$$$$b@p:1");
    assert_eq!(shown("http://u:a$b@p:1"), "http://u:a$b@p:1");
}

/// New variables are inserted together, after the last existing proxy variable and after all variables that a value
/// refers to.
#[test]
fn new_variables_are_inserted_together() {
    insta::assert_snapshot!(worded(all(&[
        ("env: [{name: A, value: a}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: B, value: b}]", "", ""),
        ("env: [{name: no_proxy, value: b.com}, {name: B, value: b}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: C, value: c}]", "", ""),
        ("env: [{name: HTTP_PROXY, value: 'http://q:1'}, {name: A, value: a}]", "case: Upper", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://$(U)@q:1'}, {name: U, value: u}, {name: A, value: a}]", "existing: Keep", ""),
        ("env: [{name: U, value: u}, {name: HTTPS_PROXY, value: 'http://$(U)@q:1'}, {name: A, value: a}]", "existing: Keep", ""),
        ("env: [{name: NO_PROXY, value: b.com}, {name: A, value: a}, {name: KUBERNETES_SERVICE_HOST, value: 10.0.0.1}, {name: B, value: b}]", "", ""),
        ("env: [{name: NO_PROXY, value: '$(MORE)'}, {name: MORE, value: b.com}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: Z, value: z}]", "", ""),
        ("env: [{name: NO_PROXY, value: b.com}, {name: NO_PROXY, value: c.com}, {name: A, value: a}]", "case: Upper", ""),
        ("env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}, {name: A, value: a}]", "", MAP),
    ])), @r#"
      <- env: [{name: A, value: a}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: B, value: b}] 
      ->, env: [{name: A, value: a}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "a.com,CLUSTER"}, {name: B, value: b}]}
      <- env: [{name: no_proxy, value: b.com}, {name: B, value: b}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: C, value: c}] 
      ->, env: [{name: no_proxy, value: "b.com,a.com,CLUSTER"}, {name: B, value: b}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: NO_PROXY, value: "b.com,a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128}, {name: C, value: c}]}
      <- env: [{name: HTTP_PROXY, value: 'http://q:1'}, {name: A, value: a}] case: Upper
      ->, env: [{name: HTTP_PROXY, value: 'http://q:1'}, {name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: A, value: a}]}
      <- env: [{name: HTTPS_PROXY, value: 'http://$(U)@q:1'}, {name: U, value: u}, {name: A, value: a}] existing: Keep
      ->, env: [{name: HTTPS_PROXY, value: 'http://$(U)@q:1'}, {name: U, value: u}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://$(U)@q:1}, {name: no_proxy, value: "a.com,CLUSTER"}, {name: A, value: a}]}
        warning: standard input:8:38: WEB: HTTPS_PROXY stays http://$(U)@q:1, where the config has http://p:3128 [proxy-existing]
      <- env: [{name: U, value: u}, {name: HTTPS_PROXY, value: 'http://$(U)@q:1'}, {name: A, value: a}] existing: Keep
      ->, env: [{name: U, value: u}, {name: HTTPS_PROXY, value: 'http://$(U)@q:1'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://$(U)@q:1}, {name: no_proxy, value: "a.com,CLUSTER"}, {name: A, value: a}]}
        warning: standard input:8:38: WEB: HTTPS_PROXY stays http://$(U)@q:1, where the config has http://p:3128 [proxy-existing]
      <- env: [{name: NO_PROXY, value: b.com}, {name: A, value: a}, {name: KUBERNETES_SERVICE_HOST, value: 10.0.0.1}, {name: B, value: b}] 
      ->, env: [{name: NO_PROXY, value: "b.com,a.com,localhost,127.0.0.1,::1,10.0.0.1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal"}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "b.com,a.com,localhost,127.0.0.1,::1,10.0.0.1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal"}, {name: A, value: a}, {name: KUBERNETES_SERVICE_HOST, value: 10.0.0.1}, {name: B, value: b}]}
      <- env: [{name: NO_PROXY, value: '$(MORE)'}, {name: MORE, value: b.com}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: Z, value: z}] 
      ->, env: [{name: NO_PROXY, value: '$(MORE),a.com,CLUSTER'}, {name: MORE, value: b.com}, {name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "$(MORE),a.com,CLUSTER"}, {name: Z, value: z}]}
        warning: standard input:8:38: WEB: the entry `$(MORE)` of its NO_PROXY never matches: the kubelet expands only variables that are defined before, and MORE is not. Put MORE before NO_PROXY [proxy-entry]
      <- env: [{name: NO_PROXY, value: b.com}, {name: NO_PROXY, value: c.com}, {name: A, value: a}] case: Upper
      ->, env: [{name: NO_PROXY, value: b.com}, {name: NO_PROXY, value: "c.com,a.com,CLUSTER"}, {name: HTTPS_PROXY, value: http://p:3128}, {name: A, value: a}]}
        warning: standard input:8:38: WEB: NO_PROXY is set twice, in env[0] and env[1]: the last one wins. Remove the other [proxy-existing]
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}, {name: A, value: a}] 
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}, {name: A, value: a}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: "b.com,a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal", HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
        warning: standard input:8:38: WEB: its NO_PROXY is a key of ConfigMap m, where `$(KUBERNETES_SERVICE_HOST)` is not expanded: give `cluster: {services: [...]}`, or the API server may be called through the proxy [proxy-opaque]
    "#);
}

/// In block style, comments stay with their variable.
#[test]
fn comments_stay_with_their_variables() {
    let manifest = deployment("", "").replace(
        "      - {name: web, image: web}\n",
        "      - name: web\n        image: web\n        env:\n        # theirs\n        - name: NO_PROXY # the list\n          value: b.com\n          # foot\n\n        # level\n        - name: LEVEL\n          value: debug\n",
    );
    insta::assert_snapshot!(settled(&format!("{WEB}, case: Upper"), &manifest).0.replace(CLUSTER, "CLUSTER"), @"
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web, namespace: shop}
    spec:
      template:
        spec:
          containers:
          - name: web
            image: web
            env:
            # theirs
            - name: NO_PROXY # the list
              value: b.com,a.com,CLUSTER
              # foot
            - name: HTTPS_PROXY
              value: http://p:3128

            # level
            - name: LEVEL
              value: debug
    ");
}

/// Each container has one result with the new values; passwords are hidden.
#[test]
fn a_container_has_one_result() {
    let results = |spec: &str, env: &str| {
        let (_, run) = super::run_all(spec, &deployment(env, ""));
        let changes = run.results.iter().filter(|result| result.is_change);
        let shown = changes.map(|result| {
            let path = result.path.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{} {path}\n  {}", result.rule, result.message.replace(CLUSTER, "CLUSTER"))
        });
        shown.collect::<Vec<_>>().join("\n")
    };
    let secret = "httpsProxy: {secretKeyRef: {name: s, key: k}}, httpProxy: 'http://u:pw@p:1', literalCredentials: Warn, targets: [{select: {name: web}}]";
    insta::assert_snapshot!(
        [
            results(WEB, ""),
            results(WEB, "env: [{name: NO_PROXY, value: 'a.com,CLUSTER'}]").replace("CLUSTER,", ""),
            results(secret, "env: [{name: http_proxy, value: 'http://u:pw@p:1'}]"),
            results(&format!("{WEB}, existing: Keep"), "env: [{name: HTTPS_PROXY, value: 'http://a:1'}, {name: https_proxy, value: 'http://b:1'}]"),
            results(WEB, "env: [{name: NO_PROXY, value: '*'}]"),
            results(WEB, "env: [{name: NO_PROXY, value: 'a.com'}, {name: no_proxy, value: $(NO_PROXY)}]"),
        ]
        .join("\n"),
        @"
    proxy-variable spec.template.spec.containers[0].env
      Deployment shop/web: container web: HTTPS_PROXY, https_proxy = http://p:3128; NO_PROXY, no_proxy = a.com,CLUSTER
    proxy-variable spec.template.spec.containers[0].env
      Deployment shop/web: container web: HTTPS_PROXY, https_proxy = http://p:3128; NO_PROXY, no_proxy = a.com,CLUSTER
    proxy-variable spec.template.spec.containers[0].env
      Deployment shop/web: container web: HTTP_PROXY = http://u:***@p:1; HTTPS_PROXY, https_proxy = key k of Secret s; NO_PROXY, no_proxy = CLUSTER
    proxy-variable spec.template.spec.containers[0].env
      Deployment shop/web: container web: NO_PROXY, no_proxy = a.com,CLUSTER
    proxy-variable spec.template.spec.containers[0].env
      Deployment shop/web: container web: HTTPS_PROXY, https_proxy = http://p:3128; NO_PROXY, no_proxy = *
    proxy-variable spec.template.spec.containers[0].env
      Deployment shop/web: container web: HTTPS_PROXY, https_proxy = http://p:3128; NO_PROXY, no_proxy = a.com,CLUSTER
    "
    );
}
