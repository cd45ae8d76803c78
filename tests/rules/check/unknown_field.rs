//! Rule `document` for fields at a wrong level or with a wrong name, and for names and labels that the API server
//! refuses.

use super::{report, workload};

/// Fields of the findings of the rule, with the first words of the reason.
fn found(manifest: &str) -> Vec<String> {
    let report = report("{}", manifest);
    let own = report.entries.iter().filter(|entry| entry.rule.id == "document");
    let own = own.map(|entry| entry.message.split_once(": ").map_or("", |(_, text)| text).to_owned());
    own.map(|text| text.split(". ").next().unwrap_or_default().to_owned()).collect()
}

fn pod(spec: &str) -> String {
    workload("Deployment", "web", spec)
}

#[test]
fn fields_at_another_level_or_with_another_name() {
    let web = pod("{containers: [{name: web, image: web}]}");
    let outside = web.replace("spec:\n  template:\n", "spec:\n  hostNetwork: true\n  template:\n");
    assert_eq!(found(&outside), ["spec.hostNetwork: unknown field \"spec.hostNetwork\""]);
    let template = web.replace("    metadata:", "    hostNetwork: true\n    metadata:");
    assert_eq!(found(&template), ["spec.template.hostNetwork: unknown field \"spec.template.hostNetwork\""]);
    for (spec, field) in [
        ("{hostnetwork: true, containers: [{name: web, image: web}]}", "hostnetwork"),
        ("{container: [{name: web, image: web}]}", "container"),
        (
            "{containers: [{name: web, image: web, ports: [{containerPort: 80, hostport: 80}]}]}",
            "containers[0].ports[0].hostport",
        ),
    ] {
        let path = format!("spec.template.spec.{field}");
        assert_eq!(found(&pod(spec)), [format!("{path}: unknown field \"{path}\"")]);
    }
    assert_eq!(found(&web), [""; 0]);
    // Other kinds have such fields.
    let custom =
        "apiVersion: example.com/v1\nkind: Web\nmetadata: {name: web}\nspec: {hostNetwork: true, containers: []}\n";
    assert_eq!(found(custom), [""; 0]);
}

#[test]
fn labels_annotations_and_selectors_are_texts() {
    let web = pod("{containers: [{name: web, image: web}]}");
    let labels = |text: &str| found(&web.replace("labels: {app: web}", text));
    assert_eq!(
        labels("labels: {app: 1}"),
        ["spec.template.metadata.labels.app: Invalid value: 1: it is a number, not a text"]
    );
    assert_eq!(
        labels("labels: {app: web}, annotations: {prometheus.io/port: 9443}"),
        ["spec.template.metadata.annotations[\"prometheus.io/port\"]: Invalid value: 9443: it is a number, not a text"]
    );
    assert_eq!(labels("labels: [app]"), ["spec.template.metadata.labels: Invalid value: it is not a mapping"]);
    for text in
        ["labels: {app: web}, annotations: {a: '1', b: '${B}', c: , d: __D__}", "labels: ", "labels: {a: 1.2.3}"]
    {
        assert_eq!(labels(text), [""; 0], "{text}");
    }
    let meta = |text: &str| found(&format!("apiVersion: example.com/v1\nkind: Web\nmetadata: {{name: web, {text}}}\n"));
    assert_eq!(meta("labels: {a: true}"), ["metadata.labels.a: Invalid value: true: it is a boolean, not a text"]);
    assert_eq!(meta("generation: 1"), [""; 0]);
}

#[test]
fn names_that_are_missing_or_there_twice() {
    let containers = |text: &str| found(&pod(&format!("{{containers: [{text}]}}")));
    let place = "spec.template.spec.containers";
    assert_eq!(containers("{image: web}"), [format!("{place}[0].name: Required value")]);
    assert_eq!(
        containers("{name: a, image: a}, {name: a, image: b}"),
        [format!("{place}[1].name: Duplicate value: \"a\"")]
    );
    let env = |text: &str| containers(&format!("{{name: a, image: a, env: [{text}]}}"));
    let place = format!("{place}[0].env[0]");
    assert_eq!(env("{name: '', value: x}"), [format!("{place}.name: Required value")]);
    assert!(env("{name: A=B, value: x}")[0].starts_with(&format!("{place}.name: Invalid value: \"A=B\"")));
    assert!(
        env("{name: A, value: x, valueFrom: {fieldRef: {fieldPath: a}}}")[0].starts_with(&format!("{place}.valueFrom"))
    );
    assert_eq!(env("{name: A, value: '', valueFrom: {fieldRef: {fieldPath: a}}}, {name: A.b, value: x}"), [""; 0]);
    let service = |ports: &str| {
        found(&format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: a}}\nspec: {{selector: {{a: b}}, ports: [{ports}]}}\n"
        ))
    };
    assert_eq!(service("{name: a, port: 443}, {name: b, port: 443}"), ["spec.ports[1].port: Duplicate value: 443/TCP"]);
    assert_eq!(service("{name: a, port: 443}, {name: b, port: 443, protocol: UDP}"), [""; 0]);
    let affinity = |term: &str| {
        found(&pod(&format!(
            "{{affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{labelSelector: {{}}{term}}}]}}}}, \
             containers: [{{name: a, image: a}}]}}"
        )))
    };
    assert_eq!(affinity("").len(), 1);
    assert_eq!(affinity(", topologyKey: kubernetes.io/hostname"), [""; 0]);
}
