//! Rule `config`: invalid configs, and configs among the objects.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{changes, deployment};

/// A config that a kustomization lists under `resources`: in the piped output it is an object like the others.
#[test]
fn a_config_among_the_objects_is_reported() {
    let with = |metadata: &str| {
        let web = deployment("      - {name: web}\n");
        format!(
            "{web}---\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: x{metadata}}}\nspec: {{}}\n"
        )
    };
    let spec = "{targets: [{select: {kind: Deployment}}], exclude: [{name: w.*}]}";
    assert_snapshot!(worded(changes(spec, &with(""))), @r#"warning: standard input:12:1: HostNetwork x is among the objects: it is a config, which is passed through and which no cluster supports. List it under `transformers` of the kustomization and not under `resources`, or give it with `-c`; if its file must stay among the objects, annotate it with `config.kubernetes.io/local-config: "true"` [config]"#);
    let local = ", annotations: {config.kubernetes.io/local-config: \"true\"}";
    assert_snapshot!(changes(spec, &with(local)), @"");
    // A config needs both the kind and the group.
    for (own, others) in [("hostnet.dev", "example.com"), ("kind: HostNetwork", "kind: Network")] {
        assert_eq!(changes(spec, &with("").replace(own, others)), "");
    }
}

#[test]
fn a_config_without_targets_is_an_error() {
    for targets in ["[]", ""] {
        let text = format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec:\n  targets: {targets}\n");
        let error = hostnet::api::HostNetworkConfig::read(&text, "hostnet.yaml", 1).unwrap_err();
        assert!(error.to_string().starts_with("hostnet.yaml:4:"), "{error}");
        assert!(error.message.contains("targets: [{select:"), "{error}");
    }
}

/// The advice of an error is no other error.
#[test]
fn an_advice_fits_the_value() {
    let refused = |more: &str| super::config(&format!("{{targets: [{{select: {{name: web}}}}], {more}}}")).unwrap_err();
    // The config has its own `kind`.
    let error = refused("references: [{group: a, kind: b}]");
    assert!(error.contains("`kinds`") && !error.contains("top level"), "{error}");
    let error = refused("nodes: {groups: [{labels: {pool: web}, count: 2}]}");
    assert!(error.contains("write it as `nodes: [{labels: {pool: web}, count: 2}]`"), "{error}");
    let error = refused("nodes: {labels: {pool: web}, count: 2}");
    assert!(error.contains("write `[` before it"), "{error}");
}
