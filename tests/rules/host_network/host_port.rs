//! Rule `host-port`: ports outside of the template that OpenKruise refuses.

use super::{deployment_named, run};
use crate::support::results::worded;
use insta::assert_snapshot;

fn spread(ports: &str) -> String {
    format!(
        "---\napiVersion: apps.kruise.io/v1alpha1\nkind: WorkloadSpread\nmetadata: {{name: spread, namespace: shop}}\nspec:\n  targetRef: {{apiVersion: \
         apps/v1, kind: Deployment, name: web}}\n  subsets:\n  - name: a\n    patch: {{spec: {{containers: [{{name: side, ports: [{ports}]}}]}}}}\n"
    )
}

fn kruise(version: &str) -> String {
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: kruise-controller-manager, namespace: kruise-system}}\nspec:\n  template:\n    \
         spec: {{containers: [{{name: manager, image: 'openkruise/kruise-manager:{version}'}}]}}\n"
    )
}

fn reported(select: &str, version: &str, ports: &str) -> (String, bool) {
    let manifest = format!("{}{}{}", deployment_named("web", 8000, true), spread(ports), kruise(version));
    let (output, log) = run(&format!("{{targets: [{{select: {{{select}}}}}]}}"), &manifest);
    let own: Vec<String> = log.into_iter().filter(|line| line.contains("[host-port]")).collect();
    (own.join("\n"), output != manifest)
}

#[test]
fn a_port_that_a_patch_adds_is_refused_by_some_versions() {
    let added = "{containerPort: 9000}";
    let (error, changed) = reported("name: web", "v1.8.4", added);
    assert_snapshot!(worded(error), @r#"error: standard input:19:70: Deployment shop/web: WorkloadSpread shop/spread adds port 9000 to its pods without a hostPort; OpenKruise v1.8.4 refuses it: admission webhook "vworkloadspread.kb.io" denied the request: spec.subsets[0].patch.containers[0].ports[0].hostPort: Invalid value: 0: must match `containerPort` when `hostNetwork` is true. Write `hostPort: 9000` there [host-port]"#);
    assert!(!changed);
    let (warning, changed) = reported("name: web.*", "v1.8.4", added);
    assert!(warning.starts_with("warning: ") && warning.contains("The workload is not changed"), "{warning}");
    assert!(!changed);
    let (unknown, changed) = reported("name: web", "latest", added);
    assert!(unknown.starts_with("warning: ") && unknown.contains("from v1.7.0 on, and before v1.9.0,"), "{unknown}");
    assert!(changed);
    for version in ["v1.6.4", "v1.9.0"] {
        assert_eq!(reported("name: web", version, added), (String::new(), true), "{version}");
    }
    for fine in ["{containerPort: 9000, hostPort: 9000}", "{containerPort: 8000}"] {
        assert_eq!(reported("name: web", "v1.8.4", fine), (String::new(), true), "{fine}");
    }
}
