//! Rule `port-placeholder`.

use super::{on_host, reported};
use crate::support::results::worded;
use insta::assert_snapshot;

#[test]
fn a_port_that_is_filled_in_later_is_information() {
    let manifest = on_host("web", "ports: [{containerPort: '${PORT}'}, {containerPort: '${OTHER}'}]");
    assert_snapshot!(worded(reported("port-placeholder", &manifest)), @"info: a.yaml:7:125: Deployment shop/web: `${PORT}`, `${OTHER}` are placeholders, so these ports were not checked. Run the check on the rendered manifests");
    assert_eq!(reported("port-placeholder", &on_host("web", "ports: [{containerPort: 80}]")), "");
    for rule in ["host-port", "node-port", "port-conflict", "port-declared"] {
        assert_eq!(reported(rule, &[manifest.clone(), manifest.replace("web", "api")].concat()), "", "{rule}");
    }
}

/// A text that no tool fills in is an error of rule `document`.
#[test]
fn a_placeholder_of_any_tool_is_no_missing_port() {
    for text in ["__PORT__", "<PORT>", "'#{Port}'", "PORT_HERE", "web_port", "'((port))'", "{{ .Values.port }}"] {
        let manifest = on_host("web", &format!("ports: [{{containerPort: {text}, hostPort: {text}}}]"));
        let shown = text.trim_matches('\'');
        let message = reported("port-placeholder", &manifest);
        assert!(message.contains(&format!("Deployment shop/web: `{shown}` is a placeholder")), "{text}: {message}");
        assert_eq!(reported("document", &manifest), "", "{text}");
    }
    for text in ["http", "'8080'", "8080", "0x1F90"] {
        let manifest = on_host("web", &format!("ports: [{{containerPort: {text}, hostPort: {text}}}]"));
        assert_eq!(reported("port-placeholder", &manifest), "", "{text}");
    }
}

/// A placeholder in `hostNetwork` counts as false.
#[test]
fn a_host_network_that_is_filled_in_later_is_information() {
    let with = |value: &str| {
        let manifest = on_host("web", "ports: [{containerPort: 80}]")
            .replace("hostNetwork: true", &format!("hostNetwork: {value}"));
        reported("port-placeholder", &manifest)
    };
    assert_snapshot!(worded(with("${HN}")), @"");
    for value in ["PLACEHOLDER", "'{{ x }}'", "__HN__"] {
        assert!(with(value).starts_with("info: "), "{value}");
    }
    for value in ["true", "false", "'true'", "~"] {
        assert_eq!(with(value), "", "{value}");
    }
}

/// A reference that is filled in later is no wrong name; a word with `_` and without capitals is one.
#[test]
fn a_reference_of_any_tool_is_no_wrong_name() {
    let with = |text: &str| {
        let container = "ports: [{name: http, containerPort: 80}], readinessProbe: {httpGet: {port: \"TEXT\"}}";
        let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: \
                       80, targetPort: \"TEXT\"}]}\n";
        let manifest = [on_host("web", container).as_str(), service].concat().replace("TEXT", text);
        ["service-target", "probe-address", "document"].map(|rule| reported(rule, &manifest).lines().count())
    };
    for text in ["{{ port }}", "#{PORT}", "<PORT>", "__PORT__", "$(Port)", "PORT_NUMBER", "[[ port ]]", "http"] {
        assert_eq!(with(text), [0, 0, 0], "{text}");
    }
    for text in ["port", "http-metrics", "http_metrics"] {
        assert_eq!(with(text), [1, 1, 0], "{text}");
    }
}
