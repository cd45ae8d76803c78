//! Patches for edits that rules plan rarely, or do not plan yet.

use insta::assert_snapshot;

use super::{Target, of_object};
use crate::model::Meta;
use crate::plan::{Change, Edit, Message};
use crate::rule;
use lossless_yaml::{Path, Tree, Value};

fn patched(object: &str, edits: &[(Path, Change)]) -> String {
    let tree = Tree::parse(object).unwrap();
    let root = tree.root(0).unwrap();
    let meta = Meta::read(root);
    let edit = |(path, change): &(Path, Change)| Edit {
        object: 0,
        path: path.clone(),
        change: change.clone(),
        rule: rule::PACKAGE,
        message: Message::about(&meta, "", path),
    };
    let edits: Vec<Edit> = edits.iter().map(edit).collect();
    let target = Target::new(&meta, [&meta]).unwrap();
    match of_object(&meta, target, root, &edits.iter().collect::<Vec<_>>()) {
        Ok(patch) => patch.operations(),
        Err(why) => why,
    }
}

fn add(new: impl Into<Value>) -> Change {
    Change::Add { new: new.into() }
}

fn remove() -> Change {
    Change::Remove { old: Value::Null }
}

const PROVIDER: &str = "
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: s3
  annotations:
spec:
  controllerConfigRef: {name: old, since: 1.5}
  list:
  - {name: a}
  - {name: b}
  - c
  - d
";

/// Removals are last and in reverse order, so every index refers to the input.
#[test]
fn removals_are_tested_with_their_value_and_come_last() {
    let list = Path::dotted("spec.list");
    let edits = [
        (Path::dotted("spec.controllerConfigRef"), remove()),
        (list.named_item(0, Some("a")), remove()),
        (list.item(2), remove()),
        (list.item(3), Change::Set { old: "d".into(), new: "e".into() }),
    ];
    assert_snapshot!(patched(PROVIDER, &edits), @"
    # hostnet patch: this object, and no copy of it with another name
    - op: test
      path: /metadata/name
      value: s3
    - op: test
      path: /metadata/namespace
      value: null
    # spec.list[3]
    - op: test
      path: /spec/list/3
      value: d
    - op: replace
      path: /spec/list/3
      value: e
    # spec.list[2]
    - op: test
      path: /spec/list/2
      value: c
    - op: remove
      path: /spec/list/2
    # spec.list[0]
    - op: test
      path: /spec/list/0
      value:
        name: a
    - op: remove
      path: /spec/list/0
    # spec.controllerConfigRef
    - op: test
      path: /spec/controllerConfigRef
      value:
        name: old
        since: 1.5
    - op: remove
      path: /spec/controllerConfigRef
    ");
}

/// Name, number and the missing host port form one test. Similar elements stay separate, and unrelated keys may change.
#[test]
fn several_tests_of_a_port_or_a_variable_are_one() {
    let object = "
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  ports:
  - {name: dns, containerPort: 53, protocol: UDP}
  - {name: dns-tcp, containerPort: 53}
  - {name: web, port: 80, nodePort: 30080}
  env:
  - {name: PORT, value: '53'}
  - {name: CONFIG, value: \"a\\nb\"}
  containers:
  - {name: one, image: a/one}
";
    let ports = Path::dotted("spec.ports");
    let env = Path::dotted("spec.env");
    let set = |path: Path, new: &str| (path, Change::Set { old: Value::Null, new: new.into() });
    let edits = [
        (ports.item(1).key("containerPort"), Change::Set { old: Value::Null, new: 2053_u16.into() }),
        (ports.item(1).key("hostPort"), add(2053_u16)),
        (ports.item(2).key("targetPort"), add("dns")),
        set(env.item(0).key("value"), "2053"),
        set(env.item(1).key("value"), "c"),
        set(Path::dotted("spec.containers").item(0).key("image"), "b/one"),
    ];
    let patch = patched(object, &edits);
    let (_, tests) = patch.split_once("/metadata/namespace\n  value: null\n").unwrap();
    assert_snapshot!(tests, @r#"
    # spec.ports[1].containerPort
    - op: test
      path: /spec/ports/1
      value:
        name: dns-tcp
        containerPort: 53
    - op: replace
      path: /spec/ports/1/containerPort
      value: 2053
    # spec.ports[1].hostPort
    - op: add
      path: /spec/ports/1/hostPort
      value: 2053
    # spec.ports[2].targetPort
    - op: test
      path: /spec/ports/2/name
      value: web
    - op: test
      path: /spec/ports/2/port
      value: 80
    - op: test
      path: /spec/ports/2/targetPort
      value: null
    - op: add
      path: /spec/ports/2/targetPort
      value: dns
    # spec.env[0].value
    - op: test
      path: /spec/env/0
      value:
        name: PORT
        value: "53"
    - op: replace
      path: /spec/env/0/value
      value: "2053"
    # spec.env[1].value
    - op: test
      path: /spec/env/1/name
      value: CONFIG
    - path: /spec/env/1/value
      value: |-
        a
        b
      op: test
    - op: replace
      path: /spec/env/1/value
      value: c
    # spec.containers[0].image
    - op: test
      path: /spec/containers/0/name
      value: one
    - op: test
      path: /spec/containers/0/image
      value: a/one
    - op: replace
      path: /spec/containers/0/image
      value: b/one
    "#);
}

#[test]
fn missing_parents_are_added() {
    let edits = [
        (Path::dotted("metadata.annotations").key("a/b~c"), add("1")),
        (Path::dotted("metadata.annotations").key("d"), add("2")),
        (Path::dotted("spec.template.labels").key("a"), add(true)),
        (Path::dotted("spec.template").key("b"), add(Value::Null)),
        (Path::dotted("spec.args").item(0), add("--x")),
    ];
    assert_snapshot!(patched(PROVIDER, &edits), @r#"
    # hostnet patch: this object, and no copy of it with another name
    - op: test
      path: /metadata/name
      value: s3
    - op: test
      path: /metadata/namespace
      value: null
    # metadata.annotations["a/b~c"]
    - op: test
      path: /metadata/annotations
      value: null
    - op: add
      path: /metadata/annotations
      value: {}
    - op: add
      path: /metadata/annotations/a~1b~0c
      value: "1"
    # metadata.annotations.d
    - op: add
      path: /metadata/annotations/d
      value: "2"
    # spec.template.labels.a
    - op: test
      path: /spec/template
      value: null
    - op: add
      path: /spec/template
      value: {}
    - op: add
      path: /spec/template/labels
      value: {}
    - op: add
      path: /spec/template/labels/a
      value: true
    # spec.template.b
    - op: add
      path: /spec/template/b
      value: null
    # spec.args[0]
    - op: test
      path: /spec/args
      value: null
    - op: add
      path: /spec/args
      value:
      - --x
    "#);
}

/// kustomize parses some scalars differently in a patch than in a resource.
#[test]
fn values_are_tested_as_kustomize_reads_them() {
    let object = "
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {word: yes, hex: 0x1F, float: 0.10, tagged: !!str 8080, quoted: '8080', null: ~, var: \"${A}\", date: 2001-01-01}
list: [1, yes]
dates: [2001-01-01]
";
    let set = |key: &'static str| (Path::dotted("data").key(key), Change::Set { old: Value::Null, new: "new".into() });
    let edits = ["word", "hex", "float", "tagged", "quoted", "null", "var"].map(set);
    assert_snapshot!(patched(object, &edits), @r#"
    # hostnet patch: this object, and no copy of it with another name
    - op: test
      path: /metadata/name
      value: a
    - op: test
      path: /metadata/namespace
      value: null
    # data.word
    - op: test
      path: /data/word
      value: "yes"
    - op: replace
      path: /data/word
      value: new
    # data.hex
    - op: test
      path: /data/hex
      value: 0x1F
    - op: replace
      path: /data/hex
      value: new
    # data.float
    - op: test
      path: /data/float
      value: 0.10
    - op: replace
      path: /data/float
      value: new
    # data.tagged
    - op: test
      path: /data/tagged
      value: "8080"
    - op: replace
      path: /data/tagged
      value: new
    # data.quoted
    - op: test
      path: /data/quoted
      value: "8080"
    - op: replace
      path: /data/quoted
      value: new
    # data.null
    - op: test
      path: /data/null
      value: null
    - op: add
      path: /data/null
      value: new
    # data.var
    - op: test
      path: /data/var
      value: ${A}
    - op: replace
      path: /data/var
      value: new
    "#);
    assert_snapshot!(patched(object, &[(Path::dotted("list").item(2), add("new"))]), @r#"
    # hostnet patch: this object, and no copy of it with another name
    - op: test
      path: /metadata/name
      value: a
    - op: test
      path: /metadata/namespace
      value: null
    # list[2]
    - op: test
      path: /list/1
      value: "yes"
    - op: add
      path: /list/-
      value: new
    "#);
    assert_snapshot!(patched(object, &[set("date")]), @"ConfigMap a: data.date cannot be tested: it is a date; write it with quotes");
    assert_snapshot!(patched(object, &[(Path::dotted("dates").item(1), add("new"))]), @"ConfigMap a: dates[0] cannot be tested: it is a date; write it with quotes");
}

/// A value tested as a whole may also contain such scalars.
#[test]
fn words_and_dates_inside_a_value_are_quoted_like_single_ones() {
    let object = "
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a}
spec: {ref: {name: on, list: [y, 'no', true, '${A}', 1e3, 0o10]}, date: {since: 2001-01-01}}
";
    assert_snapshot!(patched(object, &[(Path::dotted("spec.ref"), remove())]), @r#"
    # hostnet patch: this object, and no copy of it with another name
    - op: test
      path: /metadata/name
      value: a
    - op: test
      path: /metadata/namespace
      value: null
    # spec.ref
    - op: test
      path: /spec/ref
      value:
        name: "on"
        list:
        - "y"
        - "no"
        - true
        - '${A}'
        - 1e3
        - 0o10
    - op: remove
      path: /spec/ref
    "#);
    assert_snapshot!(patched(object, &[(Path::dotted("spec.date"), remove())]), @"Provider a: spec.date cannot be tested: it is a date; write it with quotes");
}

/// kustomize adds an empty line before an indented line of a folded scalar, and one at its end.
#[test]
fn folded_text_that_kustomize_changes_cannot_be_tested() {
    let set = |text: &str| {
        let object = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a: {text}\n");
        patched(&object, &[(Path::dotted("data.a"), Change::Set { old: Value::Null, new: "new".into() })])
    };
    for text in
        [">\n    a\n    b", ">-\n    a\n\n    b", ">\n    a\n\n\n    b\n", "|\n    a\n      b", "|+\n    a\n\n\n"]
    {
        assert!(set(text).contains("op: replace\n"), "{text}");
    }
    for text in [">\n    a\n      b\n    c", ">-\n    a\n\n    \tb", ">+\n    a\n\n\n"] {
        assert_eq!(
            set(text),
            "ConfigMap a: data.a cannot be tested: kustomize changes folded text (`>`) with indented lines or empty last lines; write the text with `|`"
        );
    }
}

/// A text at the end of a patch must keep its last line break, which kustomize trims.
#[test]
fn texts_of_several_lines_are_blocks_if_the_value_stays_equal() {
    let object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: \"x\\ny\", b: \" x\\n\", c: \"x\\r\\ny\\n\", d: \"x\\n\\n\"}}";
    let set = |key: &'static str, new: &str| {
        (Path::dotted("data").key(key), Change::Set { old: Value::Null, new: new.into() })
    };
    let edits = [set("a", "x: |\n  y\n"), set("b", "\tx\ny"), set("c", "x\n\ny"), set("d", "é\u{2028}\n")];
    assert_snapshot!(patched(object, &edits), @r#"
    # hostnet patch: this object, and no copy of it with another name
    - op: test
      path: /metadata/name
      value: a
    - op: test
      path: /metadata/namespace
      value: null
    # data.a
    - path: /data/a
      value: |-
        x
        y
      op: test
    - path: /data/a
      value: |
        x: |
          y
      op: replace
    # data.b
    - op: test
      path: /data/b
      value: " x\n"
    - op: replace
      path: /data/b
      value: "\tx\ny"
    # data.c
    - op: test
      path: /data/c
      value: "x\r\ny\n"
    - path: /data/c
      value: |-
        x

        y
      op: replace
    # data.d
    - op: test
      path: /data/d
      value: "x\n\n"
    - op: replace
      path: /data/d
      value: "é\u2028\n"
    "#);
}

/// A tagged value is tested as kustomize reads it.
#[test]
fn values_with_tags_are_as_kustomize_reads_them() {
    let test = |value: &str| {
        let object = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\nspec: {{a: {{b: {value}}}}}\n");
        let printed = patched(&object, &[(Path::dotted("spec.a"), remove())]);
        printed
            .split_once("    b: ")
            .and_then(|(_, rest)| rest.split_once('\n'))
            .map_or(printed.clone(), |(value, _)| value.to_owned())
    };
    for (value, read) in [
        ("!!int 8443", "8443"),
        ("!!int '8443'", "8443"),
        ("!!int 0x20FB", "8443"),
        ("!<tag:yaml.org,2002:int> 8_443", "8443"),
        ("!!float 8443", "8443"),
        ("!!float 1.5", "1.5"),
        ("!!bool 'true'", "true"),
        ("!!null ''", "null"),
        ("!!str 8443", "\"8443\""),
        ("!mine 8443", "\"8443\""),
        ("! web", "web"),
        ("! '8443'", "\"8443\""),
        ("!!str yes", "\"yes\""),
    ] {
        assert_eq!(test(value), read, "{value}");
    }
    for value in ["! 8443", "!!binary aGk=", "!!timestamp 2001-01-01"] {
        assert!(test(value).starts_with("ConfigMap a: spec.a cannot be tested: "), "{value}: {}", test(value));
    }
}
