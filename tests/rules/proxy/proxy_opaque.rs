//! Rule `proxy-opaque`: variables whose values come from a ConfigMap or a Secret.

use super::merging::{MAP, WEB, all, deployment};
use super::{run, run_all, settled};
use crate::support::results::worded;

/// The value in a ConfigMap of the input is known, with `env` and with `envFrom`.
#[test]
fn a_proxy_of_a_config_map_is_known() {
    let map = |text: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: px, namespace: shop}}\ndata: {{p: '{text}'}}\n"
        )
    };
    let (other, same) = (map("http://u:secret@other:1"), map("http://p:3128"));
    let env = "env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}]";
    insta::assert_snapshot!(worded(all(&[
        (env, "", other.as_str()),
        (env, "existing: Keep", other.as_str()),
        (env, "existing: Replace", other.as_str()),
        (env, "", same.as_str()),
        (env, "", ""),
    ])), @r#"
    (with objects)  <- env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}] 
      ->, env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: px, namespace: shop}
        data: {p: 'http://u:secret@other:1'}
        error: standard input:8:38: WEB: HTTPS_PROXY is key p of ConfigMap px, which holds http://u:***@other:1, and the config has http://p:3128. Remove one of the two, or write `existing: Keep` or `existing: Replace` in the spec [proxy-existing]
    (with objects)  <- env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}] existing: Keep
      ->, env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, valueFrom: {configMapKeyRef: {name: px, key: p}}}, {name: no_proxy, value: "a.com,CLUSTER"}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: px, namespace: shop}
        data: {p: 'http://u:secret@other:1'}
        warning: standard input:8:38: WEB: HTTPS_PROXY stays key p of ConfigMap px, which holds http://u:***@other:1, where the config has http://p:3128 [proxy-existing]
    (with objects)  <- env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}] existing: Replace
      ->, env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, value: "a.com,CLUSTER"}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: px, namespace: shop}
        data: {p: 'http://u:secret@other:1'}
        info: WEB: HTTPS_PROXY was key p of ConfigMap px, which holds http://u:***@other:1, and becomes http://p:3128 [proxy-existing]
    (with objects)  <- env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}] 
      ->, env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, valueFrom: {configMapKeyRef: {name: px, key: p}}}, {name: no_proxy, value: "a.com,CLUSTER"}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: px, namespace: shop}
        data: {p: 'http://p:3128'}
      <- env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}] 
      ->, env: [{name: HTTPS_PROXY, valueFrom: {configMapKeyRef: {name: px, key: p}}}, {name: NO_PROXY, value: "a.com,CLUSTER"}, {name: https_proxy, valueFrom: {configMapKeyRef: {name: px, key: p}}}, {name: no_proxy, value: "a.com,CLUSTER"}]}
        warning: standard input:8:38: WEB: HTTPS_PROXY stays key p of ConfigMap px: the input does not show its value, which must be http://p:3128 [proxy-opaque]
    "#);
}

/// An optional variable does not become a required one.
#[test]
fn optional_variables_are_optional_in_the_other_case() {
    let secret = "env: [{name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}]";
    let spec = "httpsProxy: {secretKeyRef: {name: s, key: k}}, targets: [{select: {name: web}}]";
    let (output, log) = settled(spec, &deployment(secret, ""));
    assert_eq!(output.matches("optional: true").count(), 2, "{output}{log}");
}

/// `$(NAME)` is not expanded in objects: neither in a Secret nor in a ConfigMap that has other readers or is immutable.
#[test]
fn entries_of_an_unexpanded_list_have_no_references() {
    let secret = "env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]";
    let map = "env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: k}}}]";
    let fixed = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\nimmutable: true\ndata: {k: b.com}\n";
    let service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: kubernetes, namespace: default}\nspec: {clusterIP: 10.96.0.1}\n";
    insta::assert_snapshot!(worded(all(&[
        (secret, "", ""),
        (secret, "cluster: {services: [10.96.0.0/12]}", ""),
        (secret, "", service),
        (map, "cluster: {services: [10.96.0.0/12]}", fixed),
        (map, "", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\ndata: {other: b.com}\n"),
    ])), @"
      <- env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key k of Secret s, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
      <- env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] cluster: {services: [10.96.0.0/12]}
      ->, env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key k of Secret s, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,10.96.0.0/12,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal [proxy-opaque]
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
        ---
        apiVersion: v1
        kind: Service
        metadata: {name: kubernetes, namespace: default}
        spec: {clusterIP: 10.96.0.1}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key k of Secret s, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal,10.96.0.1 [proxy-opaque]
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: k}}}] cluster: {services: [10.96.0.0/12]}
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: k}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        immutable: true
        data: {k: b.com}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key k of ConfigMap m, and it is immutable. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,10.96.0.0/12,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal [proxy-opaque]
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: k}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: k}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {other: b.com}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key k of ConfigMap m, and it is not in the input. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
    ");
}

/// An entry that the kubelet would expand never matches in a ConfigMap: it is left out and reported.
#[test]
fn entries_with_references_are_not_written_to_a_config_map() {
    let spec = "httpsProxy: 'http://p:3128', noProxy: ['$(HOST)', a.com], cluster: {services: [10.96.0.0/12]}, targets: [{select: {name: web}}]";
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\ndata: {k: b.com}\n";
    let env = "env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: k}}}]";
    let (output, log) = settled(spec, &deployment(env, map));
    assert!(output.contains("b.com,a.com,localhost") && !output.contains("$(HOST)"), "{output}");
    let (_, secret) = run(spec, &deployment(&env.replace("configMapKeyRef", "secretKeyRef"), ""));
    insta::assert_snapshot!(worded(format!("{log}\n{secret}")), @"
    warning: standard input:8:38: Deployment shop/web: container web: `$(HOST)` would not be expanded in its NO_PROXY, a key of ConfigMap m, and is left out: write its value [proxy-opaque]
    warning: standard input:8:38: Deployment shop/web: container web: its proxy variables are not changed, because its NO_PROXY is key k of Secret m, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,10.96.0.0/12,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; `$(HOST)` would not be expanded there [proxy-opaque]
    ");
}

const SECRET: &str =
    "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {NO_PROXY: b.com}\n";

#[test]
fn no_proxy_from_config_maps_and_secrets() {
    let from_map = "env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]";
    let other = MAP.to_owned()
        + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: other, namespace: shop}\nspec: {containers: [{name: c, envFrom: [{configMapRef: {name: m}}]}]}\n";
    let immutable = MAP.to_owned() + "immutable: true\n";
    insta::assert_snapshot!(worded(all(&[
        (from_map, "cluster: {services: [10.96.0.0/12]}", MAP),
        (from_map, "", MAP),
        (from_map, "", &other),
        (from_map, "", &immutable),
        (from_map, "", ""),
        ("env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "", ""),
        ("env: [{name: no_proxy, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]", "", ""),
        ("envFrom: [{configMapRef: {name: m}}]", "case: Upper", MAP),
        ("envFrom: [{configMapRef: {name: m}, prefix: X_}]", "case: Upper", MAP),
        ("envFrom: [{secretRef: {name: s}}]", "", SECRET),
        ("envFrom: [{secretRef: {name: gone}}]", "case: Upper", ""),
        ("envFrom: [{secretRef: {name: gone}, prefix: DB_}]", "case: Upper", ""),
    ])), @r#"
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}] cluster: {services: [10.96.0.0/12]}
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: "b.com,a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,10.96.0.0/12,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal", HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}, {name: HTTPS_PROXY, value: http://p:3128}, {name: https_proxy, value: http://p:3128}, {name: no_proxy, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: "b.com,a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal", HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
        warning: standard input:8:38: WEB: its NO_PROXY is a key of ConfigMap m, where `$(KUBERNETES_SERVICE_HOST)` is not expanded: give `cluster: {services: [...]}`, or the API server may be called through the proxy [proxy-opaque]
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: b.com, HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: other, namespace: shop}
        spec: {containers: [{name: c, envFrom: [{configMapRef: {name: m}}]}]}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key NO_PROXY of ConfigMap m, and it is also used by Pod shop/other, which no target selects. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
    (with objects)  <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: b.com, HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
        immutable: true
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key NO_PROXY of ConfigMap m, and it is immutable. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
      <- env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}]}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key NO_PROXY of ConfigMap m, and it is not in the input. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
      <- env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}] 
      ->, env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its NO_PROXY is key k of Secret s, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
      <- env: [{name: no_proxy, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}] 
      ->, env: [{name: no_proxy, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]}
        warning: standard input:8:38: WEB: its proxy variables are not changed, because its no_proxy is a value that is known only when the pod runs, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
    (with objects)  <- envFrom: [{configMapRef: {name: m}}] case: Upper
      ->, envFrom: [{configMapRef: {name: m}}], env: [{name: NO_PROXY, value: "b.com,a.com,CLUSTER"}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: b.com, HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
    (with objects)  <- envFrom: [{configMapRef: {name: m}, prefix: X_}] case: Upper
      ->, envFrom: [{configMapRef: {name: m}, prefix: X_}], env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: m, namespace: shop}
        data: {NO_PROXY: b.com, HTTPS_PROXY: 'http://p:3128', P_NO_PROXY: c.com}
    (with objects)  <- envFrom: [{secretRef: {name: s}}] 
      ->, envFrom: [{secretRef: {name: s}}]}
        ---
        apiVersion: v1
        kind: Secret
        metadata: {name: s, namespace: shop}
        stringData: {NO_PROXY: b.com}
        warning: standard input:8:9: WEB: its proxy variables are not changed, because its NO_PROXY is key NO_PROXY of Secret s, and the input does not show its value. Add these entries to it first: a.com,localhost,127.0.0.1,::1,kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal; and the address of the API server's Service, since `$(KUBERNETES_SERVICE_HOST)` is not expanded there (or give `cluster: {services: [...]}` in the spec) [proxy-opaque]
      <- envFrom: [{secretRef: {name: gone}}] case: Upper
      ->, envFrom: [{secretRef: {name: gone}}], env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
        warning: standard input:8:9: WEB: its envFrom names Secret gone, which is not in the input: proxy variables in it would be overridden by variables of `env`. Add it to the input [proxy-opaque]
      <- envFrom: [{secretRef: {name: gone}, prefix: DB_}] case: Upper
      ->, envFrom: [{secretRef: {name: gone}, prefix: DB_}], env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "a.com,CLUSTER"}]}
    "#);
}

/// kustomize hides warnings, so a config that changes nothing because of them fails the build.
#[test]
fn nothing_but_unknown_values_fails_a_build_by_kustomize() {
    let env = "env: [{name: NO_PROXY, valueFrom: {secretKeyRef: {name: px, key: n}}}]";
    let text = deployment(env, "");
    let build = text.replace("metadata: {", "metadata: {annotations: {kustomize.config.k8s.io/id: x}, ");
    assert_ne!(build, text);
    let failed = |text: &str| run_all(WEB, text).1.failed();
    assert_eq!((failed(&text), failed(&build)), (false, true));
}
