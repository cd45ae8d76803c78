//! H2: which listener a key of `ports` means.

use super::{changes, deployment, ports};
use insta::assert_snapshot;

const WEB: &str = "      - name: web
        args: [--listen=:8080, --metrics-addr=:9090]
        ports:
        - {name: http, containerPort: 8080}
        - {containerPort: 9090}
";

#[test]
fn a_key_is_a_name_a_number_or_a_role() {
    assert_snapshot!(changes(&ports("{http: 20080}"), &deployment(WEB)), @"");
    assert_snapshot!(changes(&ports("{web/9090: 20090}"), &deployment(WEB)), @"");
    assert_snapshot!(changes(&ports("{metrics: 20090}"), &deployment(WEB)), @"");
}

#[test]
fn a_name_comes_before_a_role() {
    let web = "      - name: web
        args: [--listen=:8080, --metrics-addr=:9090]
        ports:
        - {name: metrics, containerPort: 8080}
        - {name: prometheus, containerPort: 9090}
";
    assert_snapshot!(changes(&ports("{metrics: 20080}"), &deployment(web)), @"");
}

#[test]
fn a_number_key_finds_its_listener_again() {
    // changes() runs twice, and the second time 8080 is 20080 already.
    assert_snapshot!(changes(&ports("{8080: 20080}"), &deployment(WEB)), @"");
}

#[test]
fn keys_that_do_not_mean_one_listener_are_errors() {
    assert_snapshot!(changes(&ports("{htttp: 20080}"), &deployment(WEB)), @"");
    assert_snapshot!(changes(&ports("{http: 20080, web/8080: 20081}"), &deployment(WEB)), @"");
    let two = "      - {name: a, args: [--port=1111], ports: [{name: http, containerPort: 1111}]}
      - {name: b, args: [--port=2222], ports: [{name: http, containerPort: 2222}]}
";
    assert_snapshot!(changes(&ports("{http: 20080}"), &deployment(two)), @"");
    assert_snapshot!(changes(&ports("{http: keep}"), &deployment(two)), @"");
}

#[test]
fn a_number_is_given_to_one_object_only() {
    let manifest = format!("{}---\n{}", deployment(WEB), deployment(WEB).replace("shop", "other"));
    assert_snapshot!(changes(&ports("{http: 20080}"), &manifest), @"");
}
