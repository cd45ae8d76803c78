//! Mistakes in the config that a KRM host sends: positions are given as the kind, name and field of the config.

use super::super::{config, deployment};
use super::Mistake;

pub(super) fn all() -> Vec<Mistake> {
    let good = "  targets: [{select: {name: web}}]\n";
    let configs = vec![
        ("in a host: targets is not a list", config("  targets:\n    select: {name: web}\n")),
        ("in a host: an unknown field", config("  targets:\n  - select: {nmae: web}\n")),
        ("in a host: a port too large", config("  targets:\n  - select: {name: web}\n    ports: {https: 70000}\n")),
        ("in a host: a port as text", config("  targets:\n  - select: {name: web}\n    ports: {https: '20443'}\n")),
        ("in a host: a key that means nothing", config("  targets:\n  - select: {name: web}\n    ports: {htps: 20443}\n")),
        ("in a host: a target that matches nothing", config("  unmatched: Error\n  targets: [{select: {name: wbe}}]\n")),
        ("in a host: not a regular expression", config("  targets: [{select: {name: 'web('}}]\n")),
        ("in a host: another version", config(good).replace("v1alpha1", "v2")),
        ("in a host: a key of a ConfigMap", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fn}\ndata: {nam: web}\n".to_owned()),
        ("in a host: an empty ConfigMap", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fn}\ndata: {}\n".to_owned()),
        ("in a host: a manifest as config", deployment("web")),
        ("in a host: a check with an unknown rule", "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nmetadata: {name: all}\nspec: {rules: {node-prt: Error}}\n".to_owned()),
        (
            "in a host: a check with an unknown severity",
            "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nmetadata: {name: all}\nspec: {rules: {node-port: Fatal}}\n".to_owned(),
        ),
    ];
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let list = |config: &str| {
        let (item, config) = (indented(&deployment("web")), indented(config));
        format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n  -\n{item}functionConfig:\n{config}")
    };
    let all = configs.iter().map(|(name, config)| Mistake::new(name, &[]).stdin(list(config)));
    all.chain([Mistake::new("in a host: no config", &[]).stdin(list("").replace("functionConfig:\n", ""))]).collect()
}

/// Users cannot see the stream of the host, so its line numbers do not help them.
#[test]
fn no_position_is_a_line_of_the_hosts_stream() {
    let line = regex::Regex::new(r"functionConfig:\d|standard input:\d").unwrap();
    for mistake in all() {
        let (_, log) = mistake.reported();
        assert!(!line.is_match(&log), "{}: {log}", mistake.name);
    }
}
