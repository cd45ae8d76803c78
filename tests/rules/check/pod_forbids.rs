//! Rule `pod-forbids`.

use super::{said, said_with, workload};
use insta::assert_snapshot;

fn spec(fields: &str) -> String {
    workload("Deployment", "web", &format!("{{hostNetwork: true, {fields}}}"))
}

#[test]
fn fields_that_the_api_server_refuses() {
    assert_snapshot!(said("pod-forbids", &spec("hostUsers: false")), @"error: a.yaml:7:42: Deployment shop/web: spec.template.spec.hostUsers is `false`, which the API server refuses beside `hostNetwork: true`: Forbidden: when `hostUsers` is false. Remove one of the two");
    assert_snapshot!(said("pod-forbids", &spec("securityContext: {sysctls: [{name: net.ipv4.ip_forward, value: '1'}]}")), @"error: a.yaml:7:66: Deployment shop/web: spec.template.spec.securityContext.sysctls[0].name is `net.ipv4.ip_forward`, which the API server refuses beside `hostNetwork: true`: Invalid value: may not be specified when 'hostNetwork' is true. Remove one of the two");
    assert_snapshot!(said("pod-forbids", &spec("hostnameOverride: web")), @"error: a.yaml:7:49: Deployment shop/web: spec.template.spec.hostnameOverride is `web`, which the API server refuses beside `hostNetwork: true`: Forbidden: may not be specified when hostNetwork is true. Remove one of the two");
    assert!(
        said_with("pod-forbids", "{versions: {kubernetes: v1.33}}", &spec("hostUsers: false"))
            .contains("pod.Spec.HostUsers")
    );
}

#[test]
fn what_it_accepts_is_not_said() {
    for fields in ["hostUsers: true", "securityContext: {sysctls: [{name: kernel.shm_rmid_forced, value: '1'}]}"] {
        assert_eq!(said("pod-forbids", &spec(fields)), "", "{fields}");
    }
    assert_eq!(said("pod-forbids", &workload("Deployment", "web", "{hostUsers: false}")), "");
}
