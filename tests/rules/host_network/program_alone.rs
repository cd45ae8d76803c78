//! Rule `program-alone`: programs whose port cannot be set and that nothing calls.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::changes;

#[test]
fn crossplanes_rbac_manager_needs_a_target_by_name() {
    let manifest = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane-rbac-manager}
spec:
  template:
    spec:
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4
        args: [rbac, start]
";
    assert_snapshot!(worded(changes("{targets: [{select: {kind: Deployment}}]}", manifest)), @"warning: standard input:1:1: Deployment crossplane-rbac-manager stays on the pod network: the ports of crossplane-rbac-manager cannot be set (metrics 8080), and nothing in the cluster calls it. A select whose name matches only this object moves it anyway [program-alone]");
    assert_snapshot!(brief(changes("{targets: [{select: {name: crossplane-rbac-manager}}]}", manifest)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: metrics, containerPort: 8080, hostPort: 8080
    warning: node-port Deployment crossplane-rbac-manager spec.template.spec.containers[0] (8:9, 8080)
    ");
}
