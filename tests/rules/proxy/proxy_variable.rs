//! Rule `proxy-variable`: variables that a container gets, and containers that get no variables.

use super::settled;
use super::workloads::{SPEC, core};
use crate::support::results::worded;

#[test]
fn containers_that_only_call_the_api_server_get_no_variables() {
    let (output, log) = settled(&format!("{SPEC}, cluster: {{pods: [10.244.0.0/16]}}"), &core("v2.3.4"));
    insta::assert_snapshot!(worded(format!("{output}{log}")), @r#"
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: crossplane, namespace: crossplane-system}
    spec:
      template:
        spec:
          initContainers:
          - {name: crossplane-init, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, init]}
          containers:
          - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{name: HTTPS_PROXY, value: http://p:3128}, {name: NO_PROXY, value: "localhost,127.0.0.1,::1,$(KUBERNETES_SERVICE_HOST),kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.crossplane-system,10.244.0.0/16,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal"}]}
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: crossplane-rbac-manager, namespace: crossplane-system}
    spec:
      template:
        spec:
          containers:
          - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [rbac, start]}
    info: Deployment crossplane-system/crossplane: container crossplane-init gets no variables: the core's init container calls only the API server [proxy-variable]
    info: Deployment crossplane-system/crossplane: container crossplane: the entry `.crossplane-system` excludes functions by name, including functions installed later; other Services of that namespace are also reached directly [proxy-variable]
    info: Deployment crossplane-system/crossplane-rbac-manager: container crossplane gets no variables: the RBAC manager calls only the API server [proxy-variable]
    "#);
}

/// A container that is not Crossplane's gets its variables without a report.
#[test]
fn an_ordinary_container_has_no_result() {
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: crossplane-system}\nspec: {template: {spec: {containers: [{name: a, image: x}]}}}\n";
    let (output, log) = settled(SPEC, manifest);
    assert!(output.contains("HTTPS_PROXY") && !log.contains("[proxy-variable]"), "{output}{log}");
}
