//! Added and removed objects in every form: all other bytes are unchanged.

use std::collections::{BTreeMap, BTreeSet};

use krm::{Added, Changes, Form, Input, Origin};
use lossless_yaml::{Op, Path, Value};

use crate::support::read;

const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: a # the first
---
# about b
apiVersion: v1
kind: Pod
metadata:
  name: b
";

fn name(name: &str) -> Vec<Op> {
    vec![Op::Set { path: Path::dotted("metadata.name"), value: name.into() }]
}

fn copy(new: &str) -> Added {
    Added::Copy(name(new))
}

/// A value with a list, whose style shows in the output.
fn new(name: &str) -> Added {
    let map = |entries: &[(&str, Value)]| {
        Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    };
    let ports = Value::Seq(vec![map(&[("port", Value::Int(1)), ("name", "8080".into())])]);
    let value = map(&[
        ("apiVersion", "v1".into()),
        ("kind", "New".into()),
        ("metadata", map(&[("name", name.into())])),
        ("ports", ports),
    ]);
    Added::New(value, Vec::new())
}

fn added<const N: usize>(all: [(usize, Vec<Added>); N]) -> Changes {
    Changes { added: all.into(), ..Changes::default() }
}

fn removed<const N: usize>(all: [usize; N]) -> Changes {
    Changes { removed: BTreeSet::from(all), ..Changes::default() }
}

/// The output for a text from standard input.
fn rendered(text: &str, changes: Changes) -> String {
    let input = Input::read(Origin::stdin(), text.into()).unwrap();
    output(&input, changes)
}

fn output(input: &Input, changes: Changes) -> String {
    let splices = input.render(changes, Vec::<Value>::new()).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::new();
    input.write(&splices, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn refused(text: &str, changes: Changes) -> String {
    read(text).render(changes, Vec::<Value>::new()).unwrap_err().to_string()
}

/// The names of all objects of a text, in order.
fn names(text: &str) -> Vec<String> {
    let name = |_: krm::ObjectPlace<'_>, node: lossless_yaml::NodeRef<'_, '_>| {
        node.lookup(&Path::dotted("metadata.name"))
            .and_then(lossless_yaml::NodeRef::text)
            .unwrap_or_default()
            .to_owned()
    };
    read(text).objects(name).unwrap()
}

#[test]
fn added_after_documents() {
    insta::assert_snapshot!(rendered(PODS, added([(0, vec![copy("c"), new("d")]), (1, vec![copy("e")])])), @r#"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: c # the first
    ---
    apiVersion: v1
    kind: New
    metadata:
      name: d
    ports:
    - port: 1
      name: "8080"
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: e
    "#);
}

#[test]
fn a_single_document_becomes_a_stream() {
    let pod = "# License\n\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nlist:\n  - b\n";
    insta::assert_snapshot!(rendered(pod, added([(0, vec![copy("c"), new("d")])])), @r#"
    # License

    apiVersion: v1
    kind: Pod
    metadata:
      name: a
    list:
      - b
    ---
    # License

    apiVersion: v1
    kind: Pod
    metadata:
      name: c
    list:
      - b
    ---
    apiVersion: v1
    kind: New
    metadata:
      name: d
    ports:
      - port: 1
        name: "8080"
    "#);
    let flow = "{apiVersion: v1, kind: Pod, metadata: {name: a}} # one\n";
    insta::assert_snapshot!(rendered(flow, added([(0, vec![copy("c"), new("d")])])), @r#"
    {apiVersion: v1, kind: Pod, metadata: {name: a}} # one
    ---
    {apiVersion: v1, kind: Pod, metadata: {name: c}} # one
    ---
    {apiVersion: v1, kind: New, metadata: {name: d}, ports: [{port: 1, name: "8080"}]}
    "#);
}

#[test]
fn the_end_of_the_last_line_is_unchanged() {
    let pods = PODS.trim_end();
    insta::assert_snapshot!(format!("{}|", rendered(pods, added([(1, vec![copy("c"), new("d")])]))), @r#"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: c
    ---
    apiVersion: v1
    kind: New
    metadata:
      name: d
    ports:
    - port: 1
      name: "8080"|
    "#);
    assert_eq!(
        rendered(pods, removed([1])),
        PODS.split_inclusive("---\n").next().unwrap().strip_suffix("\n---\n").unwrap()
    );
    let crlf = PODS.replace('\n', "\r\n");
    for changes in [added([(0, vec![copy("c")]), (1, vec![new("d")])]), removed([0]), removed([1])] {
        let output = rendered(&crlf, changes.clone());
        assert_eq!(output, rendered(PODS, changes).replace('\n', "\r\n"));
    }
}

#[test]
fn heads_and_ends_of_documents() {
    let stream = "\u{feff}---  # head\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n...\n# below\n--- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n---\n# nothing\n";
    insta::assert_snapshot!(rendered(stream, added([(0, vec![copy("c")]), (1, vec![copy("d"), new("e")])])).replace('\u{feff}', "BOM"), @r#"
    BOM---  # head
    apiVersion: v1
    kind: Pod
    metadata: {name: a}
    ...
    # below
    ---
    # head
    apiVersion: v1
    kind: Pod
    metadata: {name: c}
    ...
    # below
    --- {apiVersion: v1, kind: Pod, metadata: {name: b}}
    ---
    {apiVersion: v1, kind: Pod, metadata: {name: d}}
    ---
    {apiVersion: v1, kind: New, metadata: {name: e}, ports: [{port: 1, name: "8080"}]}
    ---
    # nothing
    "#);
    insta::assert_snapshot!(rendered(stream, removed([0])).replace('\u{feff}', "BOM"), @"
    BOM--- {apiVersion: v1, kind: Pod, metadata: {name: b}}
    ---
    # nothing
    ");
    insta::assert_snapshot!(rendered(stream, removed([1])).replace('\u{feff}', "BOM"), @"
    BOM---  # head
    apiVersion: v1
    kind: Pod
    metadata: {name: a}
    ...
    # below
    ---
    # nothing
    ");
    insta::assert_snapshot!(rendered(stream, removed([0, 1])).replace('\u{feff}', "BOM"), @r#"
    BOM---  # head
    apiVersion: v1
    kind: Pod
    metadata: {name: a, annotations: {config.kubernetes.io/local-config: "true"}}
    ...
    # below
    --- {apiVersion: v1, kind: Pod, metadata: {name: b, annotations: {config.kubernetes.io/local-config: "true"}}}
    ---
    # nothing
    "#);
}

#[test]
fn documents_separated_only_by_dots() {
    let stream = "---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}\n...\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n... # end\n# below\n";
    insta::assert_snapshot!(rendered(stream, added([(0, vec![copy("c"), new("d")]), (1, vec![copy("e")])])), @r#"
    ---
    {apiVersion: v1, kind: Pod, metadata: {name: a}}
    ...
    ---
    {apiVersion: v1, kind: Pod, metadata: {name: c}}
    ...
    ---
    {apiVersion: v1, kind: New, metadata: {name: d}, ports: [{port: 1, name: "8080"}]}
    ...
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ... # end
    # below
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: e
    ... # end
    # below
    "#);
    insta::assert_snapshot!(rendered(stream, removed([0])), @"
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ... # end
    # below
    ");
    insta::assert_snapshot!(rendered(stream, removed([1])), @"
    ---
    {apiVersion: v1, kind: Pod, metadata: {name: a}}
    ...
    ");
    let both = Changes { added: BTreeMap::from([(0, vec![new("c")])]), ..removed([0]) };
    insta::assert_snapshot!(rendered(stream, both), @r#"
    ---
    {apiVersion: v1, kind: New, metadata: {name: c}, ports: [{port: 1, name: "8080"}]}
    ...
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ... # end
    # below
    "#);
}

#[test]
fn one_separator_is_removed_with_a_document() {
    insta::assert_snapshot!(rendered(PODS, removed([0])), @"
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ");
    insta::assert_snapshot!(rendered(PODS, removed([1])), @"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ");
    let three = format!("{PODS}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: c}}\n");
    insta::assert_snapshot!(rendered(&three, removed([0, 1])), @"
    apiVersion: v1
    kind: Pod
    metadata: {name: c}
    ");
    insta::assert_snapshot!(rendered(&three, removed([1])), @"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ---
    apiVersion: v1
    kind: Pod
    metadata: {name: c}
    ");
    let kept = Changes { added: BTreeMap::from([(1, vec![new("d")])]), ..removed([0]) };
    insta::assert_snapshot!(rendered(&three, kept), @r#"
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ---
    apiVersion: v1
    kind: New
    metadata:
      name: d
    ports:
    - port: 1
      name: "8080"
    ---
    apiVersion: v1
    kind: Pod
    metadata: {name: c}
    "#);
    let license = format!("# License\n---\n{three}");
    assert_eq!(rendered(&license, removed([0])), format!("# License\n---\n{}", three.split_once("---\n").unwrap().1));
}

#[test]
fn added_objects_replace_a_removed_one() {
    let converted = |removed_too: &[usize]| Changes {
        added: BTreeMap::from([(0, vec![new("c"), copy("d")])]),
        removed: removed_too.iter().copied().chain([0]).collect(),
        ..Changes::default()
    };
    insta::assert_snapshot!(rendered(PODS, converted(&[])), @r#"
    apiVersion: v1
    kind: New
    metadata:
      name: c
    ports:
    - port: 1
      name: "8080"
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: d # the first
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    "#);
    insta::assert_snapshot!(rendered(PODS, converted(&[1])), @r#"
    apiVersion: v1
    kind: New
    metadata:
      name: c
    ports:
    - port: 1
      name: "8080"
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: d # the first
    "#);
    let list = "kind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n";
    insta::assert_snapshot!(rendered(list, converted(&[])), @r#"
    kind: List
    items:
    - {apiVersion: v1, kind: New, metadata: {name: c}, ports: [{port: 1, name: "8080"}]}
    - {apiVersion: v1, kind: Pod, metadata: {name: d}}
    - {apiVersion: v1, kind: Pod, metadata: {name: b}}
    "#);
    insta::assert_snapshot!(rendered(list, converted(&[1])), @r#"
    kind: List
    items:
    - {apiVersion: v1, kind: New, metadata: {name: c}, ports: [{port: 1, name: "8080"}]}
    - {apiVersion: v1, kind: Pod, metadata: {name: d}}
    "#);
}

const LIST: &str = "\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: # all
  -   apiVersion: v1
      kind: Pod # a
      metadata:
        name: a
      args:
        - b
      # of a

  # about b
  - # head
    apiVersion: v1
    kind: Pod
    metadata: {name: b, annotations: {config.kubernetes.io/index: '1'}}
functionConfig: {kind: X}
";

#[test]
fn objects_are_added_after_list_items() {
    insta::assert_snapshot!(rendered(LIST, added([(0, vec![copy("c"), new("d")]), (1, vec![copy("e"), new("f")])])), @r#"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items: # all
      -   apiVersion: v1
          kind: Pod # a
          metadata:
            name: a
          args:
            - b
          # of a
      -   apiVersion: v1
          kind: Pod # a
          metadata:
            name: c
          args:
            - b
          # of a
      -   apiVersion: v1
          kind: New
          metadata:
            name: d
          ports:
            - port: 1
              name: "8080"

      # about b
      - # head
        apiVersion: v1
        kind: Pod
        metadata: {name: b, annotations: {config.kubernetes.io/index: '1'}}
      - # head
        apiVersion: v1
        kind: Pod
        metadata: {name: e}
      - apiVersion: v1
        kind: New
        metadata:
          name: f
        ports:
          - port: 1
            name: "8080"
    functionConfig: {kind: X}
    "#);
    let unended = "kind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a";
    insta::assert_snapshot!(format!("{}|", rendered(unended, added([(0, vec![copy("c"), new("d")])]))), @r#"
    kind: List
    items:
    - apiVersion: v1
      kind: Pod
      metadata:
        name: a
    - apiVersion: v1
      kind: Pod
      metadata:
        name: c
    - apiVersion: v1
      kind: New
      metadata:
        name: d
      ports:
      - port: 1
        name: "8080"|
    "#);
}

#[test]
fn removed_items() {
    insta::assert_snapshot!(rendered(LIST, removed([0])), @"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items: # all

      # about b
      - # head
        apiVersion: v1
        kind: Pod
        metadata: {name: b, annotations: {config.kubernetes.io/index: '1'}}
    functionConfig: {kind: X}
    ");
    insta::assert_snapshot!(rendered(LIST, removed([1])), @"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items: # all
      -   apiVersion: v1
          kind: Pod # a
          metadata:
            name: a
          args:
            - b
          # of a

      # about b
    functionConfig: {kind: X}
    ");
    insta::assert_snapshot!(rendered(LIST, removed([0, 1])), @"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items: [] # all

      # about b
    functionConfig: {kind: X}
    ");
    let unended = "kind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- {apiVersion: v1, kind: Pod}";
    assert_eq!(rendered(unended, removed([1])), "kind: List\nitems:\n- {apiVersion: v1, kind: Pod}");
    assert_eq!(rendered(unended, removed([0, 1])), "kind: List\nitems: []");
}

#[test]
fn json_items() {
    let list = "{\n  \"kind\": \"List\",\n  \"items\": [\n    {\n      \"apiVersion\": \"v1\",\n      \"kind\": \"Pod\",\n      \"metadata\": {\n        \"name\": \"a\"\n      }\n    },\n    {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}}\n  ]\n}\n";
    insta::assert_snapshot!(rendered(list, added([(0, vec![copy("c"), new("d")]), (1, vec![copy("e"), new("f")])])), @r#"
    {
      "kind": "List",
      "items": [
        {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "a"
          }
        },
        {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "c"
          }
        },
        {
          "apiVersion": "v1",
          "kind": "New",
          "metadata": {
            "name": "d"
          },
          "ports": [
            {
              "port": 1,
              "name": "8080"
            }
          ]
        },
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "e"}},
        {"apiVersion": "v1", "kind": "New", "metadata": {"name": "f"}, "ports": [{"port": 1, "name": "8080"}]}
      ]
    }
    "#);
    insta::assert_snapshot!(rendered(list, removed([0])), @r#"
    {
      "kind": "List",
      "items": [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}}
      ]
    }
    "#);
    insta::assert_snapshot!(rendered(list, removed([1])), @r#"
    {
      "kind": "List",
      "items": [
        {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "a"
          }
        }
      ]
    }
    "#);
    insta::assert_snapshot!(rendered(list, removed([0, 1])), @r#"
    {
      "kind": "List",
      "items": []
    }
    "#);
    let dense = r#"{"kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}]}"#;
    insta::assert_snapshot!(rendered(dense, added([(0, vec![copy("c"), new("d")])])), @r#"{"kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}},{"apiVersion":"v1","kind":"New","metadata":{"name":"d"},"ports":[{"port":1,"name":"8080"}]}]}"#);
}

#[test]
fn json_streams() {
    let stream = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}}\n\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}}\n";
    insta::assert_snapshot!(rendered(stream, added([(0, vec![copy("c")]), (1, vec![new("d")])])), @r#"
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}

    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}

    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}}

    {"apiVersion": "v1", "kind": "New", "metadata": {"name": "d"}, "ports": [{"port": 1, "name": "8080"}]}
    "#);
    insta::assert_snapshot!(rendered(stream, removed([0])), @r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}}"#);
    insta::assert_snapshot!(rendered(stream, removed([1])), @r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}"#);
    let array = "[{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}}]";
    insta::assert_snapshot!(rendered(array, added([(0, vec![copy("c"), new("d")])])), @r#"[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}, {"apiVersion": "v1", "kind": "New", "metadata": {"name": "d"}, "ports": [{"port": 1, "name": "8080"}]}]"#);
    let marked = stream.replace("\n\n", "\n---\n");
    insta::assert_snapshot!(rendered(&marked, added([(0, vec![copy("c")]), (1, vec![new("d")])])), @r#"
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    ---
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}
    ---
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}}
    ---
    {"apiVersion": "v1", "kind": "New", "metadata": {"name": "d"}, "ports": [{"port": 1, "name": "8080"}]}
    "#);
}

#[test]
fn a_json_object_becomes_a_list() {
    let pod = "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\"name\": \"a\"}\n}\n";
    let changes = Changes { edits: BTreeMap::from([(0, name("edited"))]), ..added([(0, vec![copy("c"), new("d")])]) };
    insta::assert_snapshot!(rendered(pod, changes).replace('\t', "TAB "), @r#"
    {
    TAB "apiVersion": "v1",
    TAB "kind": "List",
    TAB "items": [
    TAB TAB {
    TAB TAB TAB "apiVersion": "v1",
    TAB TAB TAB "kind": "Pod",
    TAB TAB TAB "metadata": {"name": "edited"}
    TAB TAB },
    TAB TAB {
    TAB TAB TAB "apiVersion": "v1",
    TAB TAB TAB "kind": "Pod",
    TAB TAB TAB "metadata": {"name": "c"}
    TAB TAB },
    TAB TAB {
    TAB TAB TAB "apiVersion": "v1",
    TAB TAB TAB "kind": "New",
    TAB TAB TAB "metadata": {
    TAB TAB TAB TAB "name": "d"
    TAB TAB TAB },
    TAB TAB TAB "ports": [
    TAB TAB TAB TAB {
    TAB TAB TAB TAB TAB "port": 1,
    TAB TAB TAB TAB TAB "name": "8080"
    TAB TAB TAB TAB }
    TAB TAB TAB ]
    TAB TAB }
    TAB ]
    }
    "#);
    let dense = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}"#;
    insta::assert_snapshot!(rendered(dense, added([(0, vec![copy("c")])])), @r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}}]}"#);
    let converted = Changes { added: BTreeMap::from([(0, vec![new("b")])]), ..removed([0]) };
    insta::assert_snapshot!(rendered(pod, converted).replace('\t', "TAB "), @r#"
    {
    TAB "apiVersion": "v1",
    TAB "kind": "New",
    TAB "metadata": {
    TAB TAB "name": "b"
    TAB },
    TAB "ports": [
    TAB TAB {
    TAB TAB TAB "port": 1,
    TAB TAB TAB "name": "8080"
    TAB TAB }
    TAB ]
    }
    "#);
}

#[test]
fn nested_lists() {
    let stream = format!(
        "{PODS}---\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {{name: c}}\n- kind: List\n  items:\n    - apiVersion: v1\n      kind: Pod\n      metadata: {{name: d}}\n      # of d\n    # end\n"
    );
    insta::assert_snapshot!(rendered(&stream, added([(2, vec![copy("e")]), (3, vec![copy("f"), new("g")])])), @r#"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ---
    kind: List
    items:
    - apiVersion: v1
      kind: Pod
      metadata: {name: c}
    - apiVersion: v1
      kind: Pod
      metadata: {name: e}
    - kind: List
      items:
        - apiVersion: v1
          kind: Pod
          metadata: {name: d}
          # of d
        - apiVersion: v1
          kind: Pod
          metadata: {name: f}
          # of d
        - apiVersion: v1
          kind: New
          metadata:
            name: g
          ports:
            - port: 1
              name: "8080"
        # end
    "#);
    insta::assert_snapshot!(rendered(&stream, removed([2, 3])), @"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
    ---
    kind: List
    items:
    - kind: List
      items: []
        # end
    ");
    let flow = "kind: List\nx: &x v1\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, {apiVersion: *x, kind: Pod}]\n";
    insta::assert_snapshot!(rendered(flow, added([(0, vec![copy("c"), new("d")])])), @r#"
    kind: List
    x: &x v1
    items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, {apiVersion: v1, kind: Pod, metadata: {name: c}}, {apiVersion: v1, kind: New, metadata: {name: d}, ports: [{port: 1, name: "8080"}]}, {apiVersion: *x, kind: Pod}]
    "#);
    insta::assert_snapshot!(rendered(flow, removed([0])), @"
    kind: List
    x: &x v1
    items: [{apiVersion: *x, kind: Pod}]
    ");
    insta::assert_snapshot!(rendered(flow, removed([0, 1])), @"
    kind: List
    x: &x v1
    items: []
    ");
    insta::assert_snapshot!(refused(flow, added([(1, vec![Added::Copy(Vec::new())])])), @r#"
        x.yaml, line 3, column 72: a copy of this object cannot be made: `*x` is an alias, and there is no `&x` before it; a text that starts with `*` needs quotes: write out the values that it shares with other objects
          |
        3 | items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, {apiVersion: *x, kind: Pod}]
          |                                                                        ^
    "#);
}

#[test]
fn refused_changes() {
    insta::assert_snapshot!(refused("%YAML 1.2\n---\napiVersion: v1\nkind: Pod\n", added([(0, vec![new("a")])])), @"
    x.yaml, line 3, column 1: documents cannot be added or removed in a file with directives (`%YAML`), or with lines that end in a carriage return only: remove the directives, or end the lines with a line feed
      |
    3 | apiVersion: v1
      | ^
    ");
    insta::assert_snapshot!(refused("apiVersion: v1\nkind: Pod\ntext: |\n  a", added([(0, vec![new("a")])])), @"
    x.yaml, line 1, column 1: nothing can be appended: the text ends inside of a block scalar, without a line break. End the last line
      |
    1 | apiVersion: v1
      | ^
    ");
    insta::assert_snapshot!(refused("apiVersion: v1\nkind: Pod\n", added([(1, vec![new("a")])])), @"
    x.yaml, line 1, column 1: there is no such object in this input
      |
    1 | apiVersion: v1
      | ^
    ");
    insta::assert_snapshot!(refused("apiVersion: v1\nkind: Pod\n", added([(0, vec![copy("a")])])), @"
    x.yaml, line 1, column 1: a copy of this object cannot be made: there is no metadata
      |
    1 | apiVersion: v1
      | ^
    ");
    let shared = "kind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec: &spec {a: b}\n- apiVersion: v1\n  kind: Pod\n  spec: *spec\n";
    insta::assert_snapshot!(refused(shared, removed([0])), @"
    x.yaml, line 1, column 1: objects cannot be added or removed here: the result would have another meaning. Write out values that objects share by an anchor; without anchors this is a bug of this program
      |
    1 | kind: List
      | ^
    ");
}

#[test]
fn a_copy_lacks_fields_that_identify_the_original() {
    let live = "\
apiVersion: v1
kind: Pod
metadata:
  name: a
  annotations: # of hosts
    config.kubernetes.io/index: '0'
    internal.config.kubernetes.io/path: a.yaml
    config.k8s.io/id: '1'
    kustomize.config.k8s.io/id: |
      kind: Pod
    mine: kept # by me
    internal.kpt.dev/upstream-identifier: '|Pod||a'
    kubectl.kubernetes.io/last-applied-configuration: |
      {}
  uid: 1
  resourceVersion: \"2\"
  generation: 3
  creationTimestamp: null
  ownerReferences: []
  managedFields: []
  labels: {}
spec: {}
status:
  phase: Running
";
    let copied = |text: &str, ops: Vec<Op>| rendered(text, added([(0, vec![Added::Copy(ops)])])).split_off(text.len());
    insta::assert_snapshot!(copied(live, Vec::new()), @"
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: a
      annotations: # of hosts
        mine: kept # by me
      labels: {}
    spec: {}
    ");
    let alone = live.replace("    mine: kept # by me\n", "");
    insta::assert_snapshot!(copied(&alone, Vec::new()), @"
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: a
      labels: {}
    spec: {}
    ");
    let place = lossless_yaml::KeyPosition::default();
    let parent = Path::dotted("metadata.annotations");
    let own = Op::Add { parent, key: "own".to_owned(), value: "x".into(), place };
    let gone = Op::Remove { path: Path::dotted("status.phase") };
    insta::assert_snapshot!(copied(&alone, vec![own, gone]), @"
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: a
      annotations: # of hosts
        own: x
      labels: {}
    spec: {}
    ");
}

#[test]
fn objects_that_stay_in_a_file_are_marked() {
    let file = |text: &str| Input::read(Origin::file("a.yaml"), text.into()).unwrap();
    insta::assert_snapshot!(output(&file(PODS), removed([0, 1])), @r#"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
      annotations:
        config.kubernetes.io/local-config: "true"
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
      annotations:
        config.kubernetes.io/local-config: "true"
    "#);
    assert_eq!(output(&file(PODS), removed([1])), rendered(PODS, removed([1])));
    insta::assert_snapshot!(output(&file(PODS).with_removals_as_local_config(), Changes { added: BTreeMap::from([(1, vec![new("c")])]), ..removed([1]) }), @r#"
    apiVersion: v1
    kind: Pod
    metadata:
      name: a # the first
    ---
    # about b
    apiVersion: v1
    kind: Pod
    metadata:
      name: b
      annotations:
        config.kubernetes.io/local-config: "true"
    ---
    apiVersion: v1
    kind: New
    metadata:
      name: c
    ports:
    - port: 1
      name: "8080"
    "#);
    // The object is marked, since a KRM host would not accept an empty output.
    insta::assert_snapshot!(rendered("kind: Pod\napiVersion: v1\n", removed([0])), @r#"
    kind: Pod
    metadata:
      annotations:
        config.kubernetes.io/local-config: "true"
    apiVersion: v1
    "#);
    let annotated = "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations: {a: b}\n";
    insta::assert_snapshot!(rendered(annotated, removed([0])), @r#"
    apiVersion: v1
    kind: Pod
    metadata:
      annotations: {a: b, config.kubernetes.io/local-config: "true"}
    "#);
    let contrary = annotated.replace("a: b", "config.kubernetes.io/local-config: 'false'");
    insta::assert_snapshot!(rendered(&contrary, removed([0])), @"
    apiVersion: v1
    kind: Pod
    metadata:
      annotations: {config.kubernetes.io/local-config: 'true'}
    ");
}

#[test]
fn with_results() {
    let result = Value::Map(vec![("message".to_owned(), "m".into())]);
    for (text, changes) in [
        (LIST.to_owned(), added([(1, vec![copy("c")])])),
        (LIST.replace("functionConfig: {kind: X}\n", ""), added([(1, vec![copy("c")])])),
        (LIST.replace("functionConfig: {kind: X}\n", "").trim_end().to_owned(), added([(1, vec![copy("c")])])),
        (LIST.to_owned(), removed([0, 1])),
        (LIST.replace("functionConfig: {kind: X}\n", ""), removed([0, 1])),
    ] {
        let input = Input::read(Origin::stdin(), text.clone().into()).unwrap();
        assert_eq!(input.form(), Form::ResourceList);
        let left = 2 + changes.added.len() - changes.removed.len();
        let splices = input.render(changes, [&result]).unwrap();
        let output = input.output(&splices);
        assert_eq!(names(&output).len(), left, "{output}");
        assert_eq!(output.matches("message: m").count(), 1, "{output}");
    }
}
