//! Edits and results in every form, without other changes.

use std::collections::BTreeMap;

use krm::{Form, Input};
use lossless_yaml::{KeyPosition, Op, Path, Value};

use crate::support::read;

fn replicas(number: i64) -> Vec<Op> {
    vec![Op::Set { path: Path::dotted("spec.replicas"), value: Value::Int(number) }]
}

fn host_network() -> Vec<Op> {
    let place = KeyPosition { after: Vec::new(), before: Vec::new() };
    let value = Value::Bool(true);
    vec![Op::Add { parent: Path::dotted("spec"), key: "hostNetwork".to_owned(), value, place }]
}

fn results() -> Vec<Value> {
    let result = |message: &str| {
        Value::Map(vec![("message".to_owned(), message.into()), ("severity".to_owned(), "info".into())])
    };
    vec![result("[moved] 8080 -> 20080: yes"), result("second")]
}

/// The output; also checks that it can be read again with the same number of objects.
fn rendered(input: &Input, edits: &BTreeMap<usize, Vec<Op>>, results: &[Value]) -> String {
    let splices = input.render(edits, results).unwrap();
    let output = input.output(&splices);
    let count = |input: &Input| input.objects(|_, _| ()).unwrap().len();
    let again = read(output.clone());
    assert_eq!(count(input), count(&again));
    assert_eq!(input.form(), again.form());
    assert_eq!(input.function_config(), again.function_config());
    output
}

fn with_results(text: &str) -> String {
    rendered(&read(text), &BTreeMap::new(), &results())
}

const LIST: &str = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Pod
";

#[test]
fn results_follow_the_envelope() {
    insta::assert_snapshot!(with_results(&format!("{LIST}functionConfig:\n  kind: X # mine\n")), @r#"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items:
    - apiVersion: v1
      kind: Pod
    functionConfig:
      kind: X # mine
    results:
    - message: "[moved] 8080 -> 20080: yes"
      severity: info
    - message: second
      severity: info
    "#);
}

#[test]
fn results_are_written_as_the_items_are() {
    insta::assert_snapshot!(with_results("kind: ResourceList\nitems:\n  - {kind: Pod, apiVersion: v1}\n"), @r#"
    kind: ResourceList
    items:
      - {kind: Pod, apiVersion: v1}
    results:
      - message: "[moved] 8080 -> 20080: yes"
        severity: info
      - message: second
        severity: info
    "#);
}

#[test]
fn results_follow_earlier_ones() {
    insta::assert_snapshot!(with_results(&format!("results:\n- message: first # of another\n{LIST}")), @r#"
    results:
    - message: first # of another
    - message: "[moved] 8080 -> 20080: yes"
      severity: info
    - message: second
      severity: info
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items:
    - apiVersion: v1
      kind: Pod
    "#);
}

#[test]
fn results_replace_an_empty_list() {
    insta::assert_snapshot!(with_results(&format!("{LIST}results: [] # none\nother: field\n")), @r#"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items:
    - apiVersion: v1
      kind: Pod
    results: # none
    - message: "[moved] 8080 -> 20080: yes"
      severity: info
    - message: second
      severity: info
    other: field
    "#);
}

#[test]
fn results_in_flow_style() {
    insta::assert_snapshot!(with_results("{kind: ResourceList, items: [{kind: Pod, apiVersion: v1}]}\n"), @r#"{kind: ResourceList, items: [{kind: Pod, apiVersion: v1}], results: [{message: "[moved] 8080 -> 20080: yes", severity: info}, {message: second, severity: info}]}"#);
    insta::assert_snapshot!(with_results("kind: ResourceList\nitems: []\n"), @r#"
    kind: ResourceList
    items: []
    results:
    - message: "[moved] 8080 -> 20080: yes"
      severity: info
    - message: second
      severity: info
    "#);
}

#[test]
fn results_in_json() {
    let json = r#"{"kind": "ResourceList", "items": [{"kind": "Pod", "apiVersion": "v1"}]}"#;
    insta::assert_snapshot!(with_results(json), @r#"{"kind": "ResourceList", "items": [{"kind": "Pod", "apiVersion": "v1"}], "results": [{"message": "[moved] 8080 -> 20080: yes", "severity": "info"}, {"message": "second", "severity": "info"}]}"#);
    let json =
        "{\n  \"kind\": \"ResourceList\",\n  \"items\": [\n    {\"kind\": \"Pod\", \"apiVersion\": \"v1\"}\n  ]\n}\n";
    insta::assert_snapshot!(with_results(json), @r#"
    {
      "kind": "ResourceList",
      "results": [{"message": "[moved] 8080 -> 20080: yes", "severity": "info"}, {"message": "second", "severity": "info"}],
      "items": [
        {"kind": "Pod", "apiVersion": "v1"}
      ]
    }
    "#);
}

#[test]
fn results_do_not_change_texts() {
    // The text at the end has no line end; writing results below it would add one.
    let text = format!("{LIST}  text: |\n    a");
    let output = with_results(&text);
    assert!(output.ends_with("  text: |\n    a"), "{output}");
    // Preserved line ends are part of a text.
    let text = format!("{LIST}  text: |+\n    a\n\n\n");
    assert!(with_results(&text).starts_with(&format!("{text}results:\n")));
    let text = format!("{LIST}...\n");
    assert!(with_results(&text).ends_with("...\n"));
    let text = LIST.replace('\n', "\r\n");
    let output = with_results(&text);
    assert_eq!(output.matches('\n').count(), output.matches("\r\n").count());
}

#[test]
fn results_need_a_resource_list() {
    for text in ["apiVersion: v1\nkind: Pod\n", "kind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n"] {
        assert_eq!(with_results(text), text);
    }
}

/// The same two objects in every form, with the same edit.
#[test]
fn edits_in_every_form() {
    let forms = [
        (
            "kind: D # a\napiVersion: v1\nspec:\n  replicas: 2 # two\n---\napiVersion: v1\nkind: D\nspec: {replicas: 2}\n",
            Form::Stream,
        ),
        (
            "kind: List\nitems:\n- kind: D # a\n  apiVersion: v1\n  spec:\n    replicas: 2 # two\n-\n  apiVersion: v1\n  kind: D\n  spec: {replicas: 2}",
            Form::List,
        ),
        (
            "kind: ResourceList\nitems:\n  - # head\n    kind: D # a\n    apiVersion: v1\n    spec:\n      replicas: 2 # two\n\n  - {apiVersion: v1, kind: D, spec: {replicas: 2}}\nfunctionConfig: {}\n",
            Form::ResourceList,
        ),
        (
            "{\"kind\": \"List\", \"items\": [{\"kind\": \"D\", \"apiVersion\": \"v1\", \"spec\": {\"replicas\": 2}}, {\"apiVersion\": \"v1\", \"kind\": \"D\", \"spec\": {\"replicas\": 2}}]}",
            Form::List,
        ),
        (
            "{\n\t\"apiVersion\": \"v1\", \"kind\": \"D\", \"spec\": {\"replicas\": 2}}\n{\"apiVersion\": \"v1\", \"kind\": \"D\", \"spec\": {\"replicas\": 2}}",
            Form::Stream,
        ),
        (
            "[{apiVersion: v1, kind: D, spec: {replicas: 2}}, {apiVersion: v1, kind: D, spec: {replicas: 2}}]",
            Form::Single,
        ),
        (
            "kind: List\nitems: [{apiVersion: v1, kind: D, spec: {replicas: 2}}, {apiVersion: v1, kind: D, spec: {replicas: 2}}]",
            Form::List,
        ),
        (
            "kind: List\nx: &x v1\nitems:\n- {apiVersion: *x, kind: D, spec: {replicas: 2}}\n- {apiVersion: *x, kind: D, spec: {replicas: 2}}\n",
            Form::List,
        ),
    ];
    for (text, form) in forms {
        let input = read(text);
        assert_eq!(input.form(), form, "{text}");
        assert_eq!(text.matches('2').count(), 2);
        let both = BTreeMap::from([(0, replicas(3)), (1, replicas(4))]);
        let (first, second) = text.split_once("replicas").unwrap();
        let want = format!("{first}replicas{}", second.replacen('2', "3", 1).replacen('2', "4", 1));
        let output = rendered(&input, &both, &[]);
        assert_eq!(output, want);
        // A change of one object does not affect the other.
        let output = rendered(&input, &BTreeMap::from([(1, replicas(2)), (0, replicas(3))]), &[]);
        assert_eq!(output, format!("{first}replicas{}", second.replacen('2', "3", 1)));
        let output = rendered(&input, &BTreeMap::from([(1, host_network()), (0, host_network())]), &[]);
        assert_eq!(output.matches("hostNetwork").count(), 2, "{output}");
        assert_eq!(rendered(&input, &BTreeMap::from([(1, vec![])]), &[]), text);
    }
}

#[test]
fn edits_and_results_at_the_end() {
    let text = "kind: ResourceList\nitems:\n- apiVersion: v1\n  kind: D\n  spec: {}\n";
    let input = read(text);
    insta::assert_snapshot!(rendered(&input, &BTreeMap::from([(0, host_network())]), &results()), @r#"
    kind: ResourceList
    items:
    - apiVersion: v1
      kind: D
      spec:
        hostNetwork: true
    results:
    - message: "[moved] 8080 -> 20080: yes"
      severity: info
    - message: second
      severity: info
    "#);
}

#[test]
fn shared_nodes_change_when_all_of_them_do() {
    let text = "kind: List\nitems:\n- apiVersion: v1\n  kind: D\n  spec: &spec\n    replicas: 2\n- apiVersion: v1\n  kind: D\n  spec: *spec\n";
    let input = read(text);
    let both = BTreeMap::from([(0, replicas(3)), (1, replicas(3))]);
    assert_eq!(rendered(&input, &both, &[]), text.replace('2', "3"));
    let error = input.render(BTreeMap::from([(1, replicas(3))]), Vec::<lossless_yaml::Value>::new()).unwrap_err();
    assert_eq!(error.object, Some(1));
    insta::assert_snapshot!(error, @r"
    x.yaml, line 5, column 3: spec.replicas is shared through the anchor &spec: change all its aliases in the same way, or write the value out
      |
    5 |   spec: &spec
      |   ^
    ");
}
