//! Manifests from other sources than this project.

use std::path::Path;
use std::sync::LazyLock;

use serde_yaml::Value;

use krm::{Form, Input, Origin};

use crate::support::material::{Text, material_texts, own_texts};
use crate::support::wire::{content, contents, is_manifest, read, untouched};

/// Returns every YAML and JSON file of the material.
pub(crate) fn corpus() -> Vec<Text> {
    let mut texts = material_texts("corpus");
    texts.retain(|text| is_manifest(Path::new(&text.name)));
    texts
}

/// Returns the numbers of files and objects that are unchanged after reading and writing, and the refused files.
fn come_back(texts: Vec<Text>) -> String {
    let mut refused = Vec::new();
    let (mut files, mut objects) = (0, 0);
    for Text { name, bytes } in texts {
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
    format!("{files} files, {objects} objects, refused:\n{}", refused.join("\n"))
}

#[test]
fn own_documents_are_unchanged() {
    insta::assert_snapshot!(come_back(own_texts()), @"25 files, 46 objects, refused:");
}

#[test]
fn files_of_the_material_are_unchanged() {
    let corpus = corpus();
    if !corpus.is_empty() {
        insta::assert_snapshot!(come_back(corpus), @"
        784 files, 3282 objects, refused:
        workloads/cert-manager__cert-manager/make/config/bind/service.yaml, line 11, column 33: text after the end of a value: remove it, or put the whole value in quotes
        ");
    }
}

#[test]
fn input_of_hosts_is_unchanged() {
    let mut seen = Vec::new();
    for Text { name, bytes } in own_texts().into_iter().filter(|text| text.name.starts_with("hosts/")) {
        let input = Input::read(Origin::file(&name), bytes.clone()).unwrap();
        let objects = input.objects(|_, _| ()).unwrap().len();
        assert!(untouched(&input) == bytes, "{name}");
        let config = input.function_config().and_then(|config| config.lines().next());
        seen.push(format!("{name}: {:?} of {objects}, config {config:?}", input.form()));
    }
    insta::assert_snapshot!(seen.join("\n"), @r#"
    hosts/kpt-eval.yaml: ResourceList of 3, config Some("  metadata:")
    hosts/kpt-source.yaml: ResourceList of 3, config None
    hosts/kustomize-container.yaml: ResourceList of 3, config Some("  apiVersion: hostnet.dev/v1alpha1")
    hosts/kustomize-exec.yaml: ResourceList of 3, config Some("  apiVersion: hostnet.dev/v1alpha1")
    hosts/kustomize-output.yaml: Stream of 3, config None
    hosts/kustomize-plugin.yaml: Stream of 3, config None
    "#);
}

/// A document with one object, for an independent reader.
pub(crate) struct Document {
    pub(crate) text: String,
    value: Value,
    content: Vec<String>,
}

/// Returns all documents of the repository and of the material that contain exactly one object.
pub(crate) fn documents() -> &'static [Document] {
    static ALL: LazyLock<Vec<Document>> = LazyLock::new(read_documents);
    &ALL
}

fn read_documents() -> Vec<Document> {
    let mut all = Vec::new();
    // Skips files whose `---` lines contain more than the marker.
    let own = own_texts().into_iter().filter(|text| !["separators.yaml", "tags.yaml"].contains(&text.name.as_str()));
    for Text { bytes, .. } in own.chain(corpus()) {
        let file = String::from_utf8(bytes).unwrap();
        // A byte order mark may only be at the start of a file.
        let file = file.trim_start_matches('\u{feff}');
        for text in marker_split(file) {
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

/// Splits a stream at lines that contain only a marker.
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

/// Formats a text as one item of a block sequence.
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
    let material = material_texts("corpus").len();
    assert!(documents.len() > if material == 0 { 15 } else { 3000 }, "{}", documents.len());
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
fn documents_as_json_are_the_same_number_of_objects() {
    let all: Vec<serde_json::Value> =
        documents().iter().filter_map(|document| serde_json::to_value(&document.value).ok()).collect();
    let list = |kind: &str, items: &[_]| serde_json::json!({"apiVersion": "v1", "kind": kind, "items": items});
    let lines = |values: &[serde_json::Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    // All documents in the forms that hosts and kubectl send, and some in the other forms.
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
fn the_yaml_test_suite_is_unchanged() {
    let mut refused = Vec::new();
    let mut read = 0;
    let (cases, marks): (Vec<Text>, Vec<Text>) =
        material_texts("yaml-test-suite").into_iter().partition(|text| text.name.ends_with("in.yaml"));
    let is_valid = |case: &Text| {
        let folder = case.name.trim_end_matches("in.yaml");
        !marks.iter().any(|mark| mark.name.strip_suffix("error") == Some(folder))
    };
    let valid: Vec<Text> = cases.into_iter().filter(is_valid).collect();
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
