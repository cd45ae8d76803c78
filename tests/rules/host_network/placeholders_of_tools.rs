//! Rule `port-placeholder` for placeholders of any tool.

use super::port_placeholder::{reported, service, web};
use super::{changes, ports, run, stream};

const RULE: &str = "port-placeholder";

/// Placeholders of many tools, and a word for `sed`.
const OF_ANY_TOOL: [&str; 12] = [
    "{{ port }}",
    "#{PORT}",
    "<PORT>",
    "__PORT__",
    "%PORT%",
    "$(Port)",
    "((port))",
    "[[ port ]]",
    "@@PORT@@",
    "$PORT",
    "<path:a/b#port>",
    "PORT_NUMBER",
];

/// A Service, a probe, an annotation, a policy and a monitor with this text as their port.
fn references(text: &str) -> [String; 5] {
    let annotation = format!("labels: {{app: web}}\n      annotations: {{prometheus.io/port: \"{text}\"}}");
    let object = |kind: &str, spec: &str| {
        let meta = "metadata: {name: web, namespace: shop}\nspec: ";
        stream([web(""), format!("{kind}\n{meta}{{{spec}}}\n").replace("TEXT", &format!("\"{text}\""))])
    };
    [
        stream([web(""), service(&format!("{{port: 80, targetPort: \"{text}\"}}"))]),
        web(&format!("        readinessProbe: {{httpGet: {{port: \"{text}\"}}}}\n")),
        web("").replace("labels: {app: web}", &annotation),
        object(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy",
            "podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: TEXT}]}]",
        ),
        object(
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor",
            "selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{targetPort: TEXT}]",
        ),
    ]
}

#[test]
fn a_reference_with_a_placeholder_of_any_tool_is_reported() {
    for text in OF_ANY_TOOL {
        for manifest in references(text) {
            let log = reported(&manifest);
            assert_eq!(log.matches("[port-placeholder]").count(), 1, "{manifest}{log}");
        }
    }
    for text in ["port", "http-metrics", "http_metrics", "http"] {
        for manifest in references(text) {
            assert!(!reported(&manifest).contains(RULE), "{manifest}");
        }
    }
}

#[test]
fn a_declared_port_with_a_placeholder_of_any_tool_stays() {
    let debug = |text: &str| {
        changes(
            &ports("{http: 20080}"),
            &web(&format!("      - name: debug\n        ports:\n        - containerPort: {text}\n")),
        )
    };
    for text in OF_ANY_TOOL {
        let changed = debug(&format!("\"{text}\""));
        assert!(changed.contains("containerPort: 20080"), "{changed}");
        assert!(
            changed.contains(&format!("hostPort: {text}\n")) || changed.contains(&format!("hostPort: \"{text}\"\n")),
            "{changed}"
        );
    }
    // A text in quotes is no copy of a template without quotes.
    let template = web("      - name: debug\n        ports:\n        - containerPort: {{ .Values.port }}\n");
    let (output, _) = run(&ports("{http: 20080}"), &template);
    assert!(output.contains("containerPort: 20080") && output.matches("Values").count() == 1, "{output}");
    for text in ["'8080'", "8_080", "http"] {
        assert!(!debug(text).contains("containerPort: 20080"), "{text}");
    }
}

/// A variable that the container does not define stays in the text, and so does a setting with two signs.
#[test]
fn a_setting_that_is_filled_in_later_is_named() {
    let web = |args: &str, more: &str| {
        let container = format!("name: web, args: ['{args}']{more}, ports: [{{name: hook, containerPort: 9443}}]");
        run(super::ALL, &super::deployment(&format!("      - {{{container}}}\n"))).1.join("\n")
    };
    for text in ["@@PORT@@", ":@@PORT@@", "%PORT%"] {
        let log = web(&format!("--webhook-port={text}"), "");
        assert!(log.contains(&format!("`--webhook-port` (`{text}`) has a placeholder")), "{log}");
    }
    let undefined = "`--webhook-port` is $(PORT), which no variable of the container defines";
    assert!(web("--webhook-port=$(PORT)", "").contains(undefined), "{}", web("--webhook-port=$(PORT)", ""));
    for (args, more) in [
        ("--webhook-port=$(PORT)", ", env: [{name: PORT, value: '9443'}]"),
        ("--webhook-port=$(PORT)", ", envFrom: [{secretRef: {name: web}}]"),
        ("--webhook-port=$(PORT)", ", envFrom: [{configMapRef: {name: web}}]"),
        ("--webhook-port=$$(PORT)", ""),
        ("--peer=$(PORT)", ""),
    ] {
        assert!(!web(args, more).contains("no variable of the container"), "{args}{more}: {}", web(args, more));
    }
}
