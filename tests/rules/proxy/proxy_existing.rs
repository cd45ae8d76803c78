//! Rule `proxy-existing`: containers that already have proxy variables.

use super::attacks::{SPEC, web};
use super::merging::all;
use super::{run, settled};
use crate::support::results::{brief, worded};

#[test]
fn existing_proxies_are_kept_or_replaced() {
    insta::assert_snapshot!(worded(all(&[
        ("env: [{name: HTTPS_PROXY, value: 'http://u:secret@other:1'}]", "", ""),
        ("env: [{name: https_proxy, value: 'http://other:1'}]", "case: Upper", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: 'http://other:1'}]", "", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://other:1'}]", "existing: Keep", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://a:1'}, {name: https_proxy, value: 'http://b:1'}]", "existing: Keep", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://a:1'}, {name: https_proxy, value: 'http://b:1'}]", "existing: Replace", ""),
        ("env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "", ""),
        ("env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "existing: Keep", ""),
        ("env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "existing: Replace", ""),
        ("env: [{name: HTTPS_PROXY, value: ''}]", "case: Upper", ""),
        ("env: [{name: HTTPS_PROXY, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]", "case: Upper", ""),
    ])), @r#"
    <- env: [{name: HTTPS_PROXY, value: 'http://u:secret@other:1'}] 
    ->, env: [{name: HTTPS_PROXY, value: 'http://u:secret@other:1'}]}
      error: standard input:8:38: WEB: HTTPS_PROXY is http://u:***@other:1, and the config has http://p:3128. Remove one of the two, or write `existing: Keep` or `existing: Replace` in the spec [proxy-existing]
    <- env: [{name: https_proxy, value: 'http://other:1'}] case: Upper
    ->, env: [{name: https_proxy, value: 'http://other:1'}]}
      error: standard input:8:38: WEB: https_proxy is http://other:1, and the config has http://p:3128. Remove one of the two, or write `existing: Keep` or `existing: Replace` in the spec [proxy-existing]
    <- env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: 'http://other:1'}] 
    ->, env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: 'http://other:1'}]}
      error: standard input:8:38: WEB: HTTPS_PROXY is http://p:3128 and https_proxy is http://other:1, and the config has http://p:3128. Remove one of the two, or write `existing: Keep` or `existing: Replace` in the spec [proxy-existing]
    <- env: [{name: HTTPS_PROXY, value: 'http://other:1'}] existing: Keep
    ->, env: [{name: HTTPS_PROXY, value: 'http://other:1'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://other:1}, {name: no_proxy, value: "a.com,CLUSTER"}]}
      warning: standard input:8:38: WEB: HTTPS_PROXY stays http://other:1, where the config has http://p:3128 [proxy-existing]
    <- env: [{name: HTTPS_PROXY, value: 'http://a:1'}, {name: https_proxy, value: 'http://b:1'}] existing: Keep
    ->, env: [{name: HTTPS_PROXY, value: 'http://a:1'}, {name: https_proxy, value: 'http://b:1'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: no_proxy, value: "a.com,CLUSTER"}]}
      warning: standard input:8:38: WEB: HTTPS_PROXY stays http://a:1, where the config has http://p:3128; HTTPS_PROXY and https_proxy differ, so programs differ in the proxy that they use [proxy-existing]
    <- env: [{name: HTTPS_PROXY, value: 'http://a:1'}, {name: https_proxy, value: 'http://b:1'}] existing: Replace
    ->, env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: 'http://p:3128'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: no_proxy, value: "a.com,CLUSTER"}]}
      info: WEB: HTTPS_PROXY was http://a:1, and becomes http://p:3128 [proxy-existing]
    <- env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] 
    ->, env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: no_proxy, value: "a.com,CLUSTER"}]}
      warning: standard input:8:38: WEB: HTTPS_PROXY stays key k of Secret s: the input does not show its value, which must be http://p:3128 [proxy-opaque]
    <- env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] existing: Keep
    ->, env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: no_proxy, value: "a.com,CLUSTER"}]}
      warning: standard input:8:38: WEB: HTTPS_PROXY stays key k of Secret s, where the config has http://p:3128 [proxy-existing]
    <- env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] existing: Replace
    ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "a.com,CLUSTER"}]}
      info: WEB: HTTPS_PROXY was key k of Secret s, and becomes http://p:3128 [proxy-existing]
    <- env: [{name: HTTPS_PROXY, value: ''}] case: Upper
    ->, env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    <- env: [{name: HTTPS_PROXY, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}] case: Upper
    ->, env: [{name: HTTPS_PROXY, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
      warning: standard input:8:38: WEB: HTTPS_PROXY stays a value that is known only when the pod runs: the input does not show its value, which must be http://p:3128 [proxy-opaque]
    "#);
}

/// Go uses only scheme, user and host of a proxy, and ignores their case.
#[test]
fn two_spellings_of_a_proxy_are_equal() {
    insta::assert_snapshot!(brief(all(&[
        ("env: [{name: HTTPS_PROXY, value: 'http://p:3128/'}]", "", ""),
        ("env: [{name: HTTPS_PROXY, value: 'p:3128'}, {name: https_proxy, value: 'HTTP://P:3128'}]", "", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://u@p:3128'}]", "", ""),
        ("env: [{name: HTTPS_PROXY, value: 'http://p:3128$(X)'}]", "", ""),
    ])), @r#"
    <- env: [{name: HTTPS_PROXY, value: 'http://p:3128/'}] 
    ->, env: [{name: HTTPS_PROXY, value: 'http://p:3128/'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128/}, {name: no_proxy, value: "a.com,CLUSTER"}]}
    <- env: [{name: HTTPS_PROXY, value: 'p:3128'}, {name: https_proxy, value: 'HTTP://P:3128'}] 
    ->, env: [{name: HTTPS_PROXY, value: 'p:3128'}, {name: https_proxy, value: 'HTTP://P:3128'}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: no_proxy, value: "a.com,CLUSTER"}]}
    <- env: [{name: HTTPS_PROXY, value: 'http://u@p:3128'}] 
    ->, env: [{name: HTTPS_PROXY, value: 'http://u@p:3128'}]}
      error: proxy-existing Deployment shop/web spec.template.spec.containers[0].env (8:38, http://p:3128, http://u@p:3128)
    <- env: [{name: HTTPS_PROXY, value: 'http://p:3128$(X)'}] 
    ->, env: [{name: HTTPS_PROXY, value: 'http://p:3128$(X)'}]}
      error: proxy-existing Deployment shop/web spec.template.spec.containers[0].env (8:38, http://p:3128, http://p:3128$(X)
    "#);
}

/// A second config merges with the output of the first; another proxy is an error.
#[test]
fn two_configs_for_one_container() {
    let first = format!("{SPEC}, noProxy: [one.com]");
    let second = format!("{SPEC}, noProxy: [two.com], cluster: {{services: [10.96.0.0/12]}}");
    let (once, _) = settled(&first, &web("env: []"));
    let (twice, log) = settled(&second, &once);
    assert!(
        twice.contains("one.com,localhost") && twice.contains("two.com,10.96.0.0/12") && log.is_empty(),
        "{twice}{log}"
    );
    let (unchanged, log) = run(&second.replace("p:3128", "q:3128"), &once);
    assert!(unchanged == once && log.contains("error") && log.contains("proxy-existing"), "{log}");
}
