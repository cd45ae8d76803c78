//! Errors of reading and writing.

use std::collections::BTreeMap;

use krm::{Input, Origin};
use lossless_yaml::{Op, Path, Value};

use crate::support::{no_results, read};

fn read_error(text: &str) -> String {
    Input::read(Origin::stdin(), text.into()).unwrap().objects(|_, _| ()).unwrap_err().to_string()
}

#[test]
fn an_error_names_the_item() {
    let text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Pod\n- apiVersion: v1\n  kind: Pod\n  a: [b\n- apiVersion: v1\n  kind: Pod\nfunctionConfig: {}\n";
    insta::assert_snapshot!(read_error(text), @r#"
        standard input, item 2, line 8, column 6: this `[` is not closed
          |
        8 |   a: [b
          |      ^
    "#);
}

#[test]
fn an_error_names_the_document() {
    insta::assert_snapshot!(read_error("a: b\n---\n# c\n---\nkey: value: more\n"), @r#"
        standard input, document 3, line 5, column 11: a second `: ` in one line: put the value in quotes if it contains one, or write the key on a separate line
          |
        5 | key: value: more
          |           ^
    "#);
}

#[test]
fn no_object_in_a_resource_list() {
    insta::assert_snapshot!(read_error("kind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Pod\n- name: values\n"), @r"
    standard input, item 2, line 5, column 3: an item of a ResourceList has to be an object with apiVersion and kind
      |
    5 | - name: values
      |   ^
    ");
}

/// kubectl refuses such a `List`, and gives the items of a typed list the kind of the list.
#[test]
fn no_kind_in_an_item_of_a_list() {
    let item = "- metadata: {name: a}\n  spec: {}\n";
    insta::assert_snapshot!(read_error(&format!("apiVersion: v1\nkind: List\nitems:\n{item}")), @"
    standard input, item 1, line 4, column 3: an item of a List has to be an object with apiVersion and kind
      |
    4 | - metadata: {name: a}
      |   ^
    ");
    insta::assert_snapshot!(read_error(&format!("apiVersion: v1\nkind: PodList\nitems:\n{item}")), @"
    standard input, line 4, column 3: an item of this PodList has no apiVersion and kind, so it is not read: add both to each item, or give the output of `kubectl get -o yaml`, which has them
      |
    4 | - metadata: {name: a}
      |   ^
    ");
    let json = r#"{"apiVersion": "apps/v1", "kind": "DaemonSetList", "items": [{"metadata": {"name": "a"}}]}"#;
    insta::assert_snapshot!(read_error(json), @r#"
    standard input, line 1, column 62: an item of this DaemonSetList has no apiVersion and kind, so it is not read: add both to each item, or give the output of `kubectl get -o yaml`, which has them
      |
    1 | {"apiVersion": "apps/v1", "kind": "DaemonSetList", "items": [{"metadata": {"name": "a"}}]}
      |                                                              ^
    "#);
    // Values of a custom resource, and patches in an array.
    for text in
        ["apiVersion: a.io/v1\nkind: AllowList\nitems:\n- {name: a}\n", "- {op: add, path: /a}\n- metadata: {}\n"]
    {
        assert!(read(text).objects(|_, _| ()).is_ok(), "{text}");
    }
}

#[test]
fn bytes_that_are_not_text() {
    let error = Input::read(Origin::file("dir/a.yaml"), b"a: b\nkey: caf\xe9 # latin\n".to_vec()).unwrap_err();
    insta::assert_snapshot!(error, @r"
    dir/a.yaml, line 2, column 9: invalid UTF-8 at byte 13 (0xe9)
      |
    2 | key: caf� # latin
      |         ^
    ");
}

#[test]
fn duplicate_keys() {
    let text = "# head\n---\napiVersion: v1\nkind: D\nspec:\n  replicas: 1\n  other: 2\n  replicas: 2\n";
    let input = read(text);
    let twice = input.objects(|place, node| place.duplicate_keys(node)).unwrap().concat();
    assert_eq!(
        twice.iter().map(|twice| (twice.key.as_str(), twice.first, twice.second)).collect::<Vec<_>>(),
        [("replicas", (6, 3), (8, 3))]
    );
    let set = Op::Set { path: Path::dotted("spec.replicas"), value: Value::Int(3) };
    insta::assert_snapshot!(input.render(BTreeMap::from([(0, vec![set])]), Vec::<lossless_yaml::Value>::new()).unwrap_err(), @r"
    x.yaml, line 8, column 3: spec.replicas occurs twice, first in line 6: remove one
      |
    8 |   replicas: 2
      |   ^
    ");
}

#[test]
fn a_missing_object() {
    let error = read("apiVersion: v1\nkind: Pod\n").render(
        BTreeMap::from([(1, vec![Op::Remove { path: Path::dotted("a") }])]),
        Vec::<lossless_yaml::Value>::new(),
    );
    assert!(error.unwrap_err().to_string().contains("no such object"));
}

#[test]
fn an_unknown_version_is_read_and_reported() {
    let input = read(
        "kind: ResourceList\n# later\napiVersion: config.kubernetes.io/v2\nitems:\n- {apiVersion: v1, kind: Pod}\n",
    );
    let warning = &input.warnings()[0];
    assert_eq!(warning.line, 3);
    insta::assert_snapshot!(warning.message, @r#"ResourceList has the apiVersion "config.kubernetes.io/v2"; it is read as config.kubernetes.io/v1"#);
    for version in ["v1", "v1beta1", "v1alpha1"] {
        assert!(
            read(format!("apiVersion: config.kubernetes.io/{version}\nkind: ResourceList\nitems: []\n"))
                .warnings()
                .is_empty()
        );
    }
}

#[test]
fn quoted_text_that_continues_at_its_keys_indentation_is_edited() {
    let item = "- apiVersion: v1\n  kind: D\n  spec:\n    text: 'one\n    two\n  - three\n four'\n    replicas: 1\n";
    let text = format!("apiVersion: v1\nkind: List\nitems:\n{item}{item}");
    let input = read(text.clone());
    let found = input.objects(|place, node| place.line_of(node.lookup(&Path::dotted("spec.replicas")).unwrap()));
    assert_eq!(found.unwrap(), [11, 19]);
    let set = Op::Set { path: Path::dotted("spec.replicas"), value: Value::Int(3) };
    let splices = input.render(BTreeMap::from([(1, vec![set])]), no_results()).unwrap();
    let edited = format!("apiVersion: v1\nkind: List\nitems:\n{item}{}", item.replace("replicas: 1", "replicas: 3"));
    assert_eq!(input.output(&splices), edited);
}

#[test]
fn a_config_with_quoted_text_at_its_keys_indentation_is_read() {
    let text = "kind: ResourceList\nitems:\n- kind: X\nfunctionConfig:\n  kind: X\n  text: 'one\n  two'\n";
    let input = Input::read(Origin::stdin(), text.to_owned().into()).unwrap();
    assert_eq!(input.function_config(), Some("  kind: X\n  text: 'one\n  two'"));
}

/// The text of the last item has lines that look like keys of the list.
#[test]
fn keys_in_a_quoted_text_of_the_last_item_are_no_keys_of_the_list() {
    let head = "kind: ResourceList\nitems:\n- apiVersion: v1\n  kind: D\n  text: \"one\nresults:\n- two\nfunctionConfig:\n  kind: X\n#\"\n";
    let input = Input::read(Origin::stdin(), head.to_owned().into()).unwrap();
    assert_eq!(input.function_config(), None);
    let output = input.output(&input.render(BTreeMap::new(), [Value::from("three")]).unwrap());
    assert_eq!(output, format!("{head}results:\n- three\n"));
    let text = format!("{head}functionConfig:\n  kind: Y\n");
    let input = Input::read(Origin::stdin(), text.into()).unwrap();
    assert_eq!(input.function_config(), Some("  kind: Y"));
    assert_eq!(input.objects(|_, _| ()).unwrap().len(), 1);
}

#[test]
fn text_that_only_go_refuses_is_not_edited() {
    let input = read("%YAML 1.2\n---\napiVersion: v1\nkind: D\n");
    let set = Op::Set { path: Path::dotted("kind"), value: Value::from("E") };
    insta::assert_snapshot!(input.render(BTreeMap::from([(0, vec![set])]), no_results()).unwrap_err(), @r"
    x.yaml, line 1, column 1: Go's YAML reader refuses directives: remove the line
      |
    1 | %YAML 1.2
      | ^
    ");
}

/// Files such as `tsconfig.json` hold no object, whatever their comments. A manifest is JSON without comments.
#[test]
fn json_with_comments_is_no_object() {
    let count =
        |text: &str| Input::read(Origin::stdin(), text.into()).unwrap().objects(|_, _| ()).map(|found| found.len());
    for text in [
        "{\n  // a\n  \"version\": 1\n}\n",
        "{\n  \"a\": {\n    \"b\": 1,\n    /* c */\n    \"d\": true\n  }\n}\n",
        "{\"a\": [true, // FIXME: b\n  false]}\n",
        "// a\n{\"a\": 1}\n",
        "{\"tasks\": [{\"kind\": \"build\" /* a */}]}\n",
    ] {
        assert_eq!(count(text).map_err(|error| error.to_string()), Ok(0), "{text}");
    }
    insta::assert_snapshot!(read_error("{\"apiVersion\": \"v1\", \"kind\": \"Pod\" // a\n}\n"), @r#"
    standard input, line 1, column 36: JSON has no comments: remove the comment
      |
    1 | {"apiVersion": "v1", "kind": "Pod" // a
      |                                    ^
    "#);
    // No comment: a text with two slashes, and another error.
    insta::assert_snapshot!(read_error("{\"a\": \"https://b\" \"c\": \"/* d */\"}\n"), @r#"
    standard input, line 1, column 19: text after a closing quote: remove it, or put the whole value in quotes
      |
    1 | {"a": "https://b" "c": "/* d */"}
      |                   ^
    "#);
}
