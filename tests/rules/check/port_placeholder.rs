//! Rule `port-placeholder`.

use super::{on_host, reported};
use crate::support::results::worded;
use insta::assert_snapshot;

#[test]
fn a_port_that_is_filled_in_later_is_information() {
    let manifest = on_host("web", "ports: [{containerPort: '${PORT}'}, {containerPort: '${OTHER}'}]");
    assert_snapshot!(worded(reported("port-placeholder", &manifest)), @"info: a.yaml:7:125: Deployment shop/web: `${PORT}`, `${OTHER}` is a placeholder, so this port was not checked. Run the check on the rendered manifests");
    assert_eq!(reported("port-placeholder", &on_host("web", "ports: [{containerPort: 80}]")), "");
    for rule in ["host-port", "node-port", "port-conflict", "port-declared"] {
        assert_eq!(reported(rule, &[manifest.clone(), manifest.replace("web", "api")].concat()), "", "{rule}");
    }
}
