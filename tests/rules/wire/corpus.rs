//! Manifests that nobody wrote for this project.

use std::sync::LazyLock;

use serde_yaml::Value;

use hostnet::wire::{Form, Input, Origin};

use crate::wire::shared::{Text, content, contents, is_manifest, read, texts, untouched};

fn corpus() -> Vec<Text> {
    texts("corpus", is_manifest)
}

#[test]
fn files_come_back_as_they_were() {
    let mut refused = Vec::new();
    let (mut files, mut objects) = (0, 0);
    for Text { name, bytes } in corpus() {
        files += 1;
        let input = Input::read(Origin::file(&name), bytes.clone()).unwrap();
        match input.objects(|place, node| {
            assert_eq!(place.line_of(node), place.line);
            assert!(node.get("kind").is_some());
        }) {
            Ok(found) => {
                objects += found.len();
                assert!(untouched(&input) == bytes, "{name}");
            }
            Err(error) => refused.push(error.to_string().lines().next().unwrap().to_owned()),
        }
    }
    if files > 0 {
        insta::assert_snapshot!(format!("{files} files, {objects} objects, refused:\n{}", refused.join("\n")), @r#"
            833 files, 3282 objects, refused:
            workloads/cert-manager__cert-manager/make/config/bind/service.yaml, line 11, column 33: text behind a value that has ended: remove it, or put the whole value in quotes
        "#);
    }
}

#[test]
fn what_hosts_send_comes_back_as_it_was() {
    let mut seen = Vec::new();
    for Text { name, bytes } in texts("hosts", |path| path.extension().is_some_and(|e| e != "txt")) {
        let input = Input::read(Origin::file(&name), bytes.clone()).unwrap();
        let objects = input.objects(|_, _| ()).unwrap().len();
        assert!(untouched(&input) == bytes, "{name}");
        let config = input.function_config().map(|config| config.line);
        seen.push(format!("{name}: {:?} of {objects}, config {config:?}", input.form()));
    }
    if !seen.is_empty() {
        insta::assert_snapshot!(seen.join("\n"), @r#"
        kpt-eval-configmap-stdin.yaml: ResourceList of 4, config Some(82)
        kpt-eval-stdin.yaml: ResourceList of 4, config Some(82)
        kpt-package-after-identity/dep.yaml: Stream of 2, config None
        kpt-package-after-identity/fnconfig.yaml: Single of 1, config None
        kpt-package-original/dep.yaml: Stream of 2, config None
        kpt-package-original/fnconfig.yaml: Single of 1, config None
        kpt-results.yaml: Single of 1, config None
        kpt-source.yaml: ResourceList of 4, config None
        kustomize-buildmetadata-generator-stdin.yaml: ResourceList of 3, config Some(94)
        kustomize-container-stdin.yaml: ResourceList of 3, config Some(105)
        kustomize-legacy-exec-stdin.yaml: Stream of 2, config None
        kustomize-out.yaml: Stream of 3, config None
        kustomize-second-transformer-stdin.yaml: ResourceList of 3, config Some(102)
        "#);
    }
}

/// A document that is one object, for an independent reader.
pub(crate) struct Document {
    pub(crate) text: String,
    value: Value,
    content: Vec<String>,
}

/// All documents of the corpus that are one object each.
pub(crate) fn documents() -> &'static [Document] {
    static ALL: LazyLock<Vec<Document>> = LazyLock::new(read_documents);
    &ALL
}

fn read_documents() -> Vec<Document> {
    let mut all = Vec::new();
    for Text { bytes, .. } in corpus() {
        let file = String::from_utf8(bytes).unwrap();
        for text in marker_split(&file) {
            let Ok(value) = serde_yaml::from_str::<Value>(&text) else { continue };
            let is_text = |key: &str| value.get(key).is_some_and(Value::is_string);
            let is_list = value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
            if !is_text("apiVersion") || !is_text("kind") || is_list {
                continue;
            }
            let Ok([content]) = contents(&read(text.clone())).map(|all| <[_; 1]>::try_from(all).unwrap()) else {
                continue;
            };
            all.push(Document { text, value, content });
        }
    }
    all
}

/// The documents of a stream whose markers stand alone.
fn marker_split(file: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in file.split_inclusive('\n') {
        match line.trim_end() {
            "---" => documents.push(String::new()),
            "..." => {}
            _ => documents.last_mut().unwrap().push_str(line),
        }
    }
    documents
}

/// A text as one item of a block sequence.
pub(crate) fn item(text: &str, column: usize, first: &str) -> String {
    let indent = " ".repeat(column);
    let mut item = format!("{indent}{first}\n");
    for line in text.split_inclusive('\n') {
        if !line.trim_end_matches(['\r', '\n']).is_empty() {
            item.push_str(&indent);
            item.push_str("  ");
        }
        item.push_str(line);
    }
    if !item.ends_with('\n') {
        item.push('\n');
    }
    item
}

fn assert_same(input: &Input, text: &str, documents: &[Document], form: Form) {
    assert_eq!(input.form(), form);
    assert_eq!(input.pieces(), documents.len());
    let found = input.objects(|place, node| (place.item, content(node))).unwrap();
    assert_eq!(found.len(), documents.len());
    for (position, ((item, content), document)) in found.iter().zip(documents).enumerate() {
        assert_eq!(*item, Some(position + 1));
        assert!(*content == document.content, "item {}:\n{}", position + 1, document.text);
    }
    assert!(untouched(input) == text.as_bytes());
}

#[test]
fn documents_in_lists_are_the_same_objects() {
    let documents = documents();
    if documents.is_empty() {
        return;
    }
    assert!(documents.len() > 3000, "{}", documents.len());
    for (head, column, first, tail, form) in [
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n",
            0,
            "- # item",
            "functionConfig:\n  kind: X\n",
            Form::ResourceList,
        ),
        (
            "functionConfig: {kind: X}\nkind: ResourceList\nitems: # all\n",
            4,
            "-",
            "apiVersion: config.kubernetes.io/v1beta1\n",
            Form::ResourceList,
        ),
        (
            "# from a cluster\napiVersion: v1\nitems:\n",
            0,
            "-",
            "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
            Form::List,
        ),
        ("---\nkind: List\napiVersion: v1\nitems:\n", 2, "- # item", "", Form::List),
    ] {
        let items: String = documents.iter().map(|document| item(&document.text, column, first)).collect();
        let text = format!("{head}{items}{tail}");
        assert_same(&read(text.clone()), &text, documents, form);
    }
}

#[test]
fn documents_as_json_are_as_many_objects() {
    let all: Vec<serde_json::Value> =
        documents().iter().filter_map(|document| serde_json::to_value(&document.value).ok()).collect();
    let list = |kind: &str, items: &[_]| serde_json::json!({"apiVersion": "v1", "kind": kind, "items": items});
    let lines = |values: &[serde_json::Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    // All of them in the forms that hosts and kubectl send, some of them in the others.
    assert_json(&list("List", &all).to_string(), &all, Form::List);
    assert_json(&serde_json::to_string_pretty(&list("ResourceList", &all)).unwrap(), &all, Form::ResourceList);
    let some: Vec<_> = all.into_iter().step_by(8).collect();
    assert_json(&with_tabs(&list("List", &some)), &some, Form::List);
    assert_json(&lines(&some).join("\n"), &some, Form::Stream);
    assert_json(&format!("{}\n", lines(&some).concat()), &some, Form::Stream);
    assert_json(&lines(&some).join("\n---\n"), &some, Form::Stream);
    assert_json(&serde_json::to_string_pretty(&some).unwrap(), &some, Form::Single);
}

fn with_tabs(value: &serde_json::Value) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"\t");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    serde::Serialize::serialize(value, &mut serializer).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn assert_json(text: &str, values: &[serde_json::Value], form: Form) {
    if values.is_empty() {
        return;
    }
    let input = read(text);
    assert!(input.is_json());
    assert_eq!(input.form(), form);
    assert_eq!(input.pieces(), if form == Form::Single { 1 } else { values.len() });
    let kinds = input.objects(|_, node| node.get("kind").unwrap().text().unwrap().to_owned()).unwrap();
    assert_eq!(kinds.len(), values.len());
    assert!(kinds.iter().zip(values).all(|(kind, value)| value["kind"] == **kind));
    assert!(untouched(&input) == text.as_bytes());
}

#[test]
fn the_yaml_test_suite_comes_back() {
    let mut refused = Vec::new();
    let mut read = 0;
    let mut folders = std::collections::BTreeSet::new();
    for Text { name, .. } in texts("yaml-test-suite", |path| path.ends_with("error")) {
        folders.insert(name.trim_end_matches("error").to_owned());
    }
    let cases = texts("yaml-test-suite", |path| path.ends_with("in.yaml"));
    let valid: Vec<Text> =
        cases.into_iter().filter(|case| !folders.contains(case.name.trim_end_matches("in.yaml"))).collect();
    for Text { name, bytes } in &valid {
        let input = Input::read(Origin::file(name), bytes.clone()).unwrap();
        match input.objects(|_, _| ()) {
            Ok(_) => read += 1,
            Err(error) => refused.push(error.to_string()),
        }
        assert!(untouched(&input) == *bytes, "{name}");
    }
    if !valid.is_empty() {
        insta::assert_snapshot!(format!("{read} read, refused:{}", refused.join("\n")), @"308 read, refused:");
    }
}
