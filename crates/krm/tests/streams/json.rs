//! JSON input and output in every form: added, changed and removed objects.

use std::collections::{BTreeMap, BTreeSet};

use krm::{Added, Changes, Input, Origin};
use lossless_yaml::{KeyPosition, Op, Path, Value};
use serde_json::Value as Meaning;

use crate::support::read;

/// The values of a text that contains only JSON.
fn values(text: &str) -> Vec<Meaning> {
    let values = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}')).into_iter();
    values.map(|value| value.unwrap_or_else(|error| panic!("{error}\n{text}"))).collect()
}

fn written(text: &str, changes: impl Into<Changes>) -> Result<String, String> {
    let input = Input::read(Origin::stdin(), text.into()).unwrap();
    let splices = input.render(changes, Vec::<Value>::new()).map_err(|error| error.to_string())?;
    Ok(input.output(&splices))
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

/// Edits that replace a number by a name, append to a list, add a key and remove a key.
fn edits() -> Vec<Op> {
    let port = Path::dotted("spec.ports").item(0);
    vec![
        Op::Set { path: port.key("targetPort"), value: "http".into() },
        Op::Add {
            parent: port.clone(),
            key: "appProtocol".into(),
            value: "a, b".into(),
            place: KeyPosition::default(),
        },
        Op::Remove { path: port.key("name") },
        Op::Append { sequence: Path::dotted("spec.ports"), value: map(&[("port", 81_u16.into())]) },
        Op::Add {
            parent: Path::root(),
            key: "x".into(),
            value: Value::Seq(vec!["y".into()]),
            place: KeyPosition::default(),
        },
    ]
}

fn service(name: &str, edited: bool) -> Meaning {
    let metadata = serde_json::json!({"name": name, "annotations": {"a/b": "http://x/🦀"}});
    let mut service = serde_json::json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80, "targetPort": 8080, "name": "web"}]}});
    if edited {
        let port = serde_json::json!({"port": 80, "targetPort": "http", "appProtocol": "a, b"});
        service["spec"]["ports"] = serde_json::json!([port, {"port": 81}]);
        service["x"] = serde_json::json!(["y"]);
    }
    service
}

/// A value in one of the common layouts of JSON, with some characters as escapes that only JSON has.
fn layout(value: &Meaning, number: usize) -> String {
    let pretty = |indent: &[u8]| {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
        serde::Serialize::serialize(value, &mut serde_json::Serializer::with_formatter(&mut bytes, formatter)).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let text = match number {
        0 => value.to_string(),
        1 => value.to_string().replace("\",\"", "\", \"").replace("\":", "\": "),
        2 => pretty(b"  "),
        3 => pretty(b"    "),
        4 => pretty(b"\t"),
        5 => pretty(b"  ").replace('\n', "\r\n"),
        6 => pretty(b" ").replace(",\n", "\n,"),
        _ => pretty(b"").replace("\": ", "\"\n:\n"),
    };
    text.replace("//", "\\/\\/").replace('🦀', "\\ud83e\\uDD80")
}

const LAYOUTS: usize = 8;

/// The objects in every form: the name of the form, and the text.
fn forms(objects: &[Meaning], number: usize) -> Vec<(&'static str, String)> {
    let all: Vec<String> = objects.iter().map(|object| layout(object, number)).collect();
    let list = |kind: &str| serde_json::json!({"apiVersion": "v1", "kind": kind, "items": objects, "z": {}});
    let mut forms = vec![
        ("ResourceList", layout(&list("ResourceList"), number)),
        ("List", layout(&list("List"), number)),
        ("array", layout(&Meaning::Array(objects.to_vec()), number)),
        ("values", all.join("\n")),
        ("stream", format!("---\n{}\n", all.join("\n---\n"))),
        ("mixed", format!("# a\nkind: X\napiVersion: v1\n---\n{}\n---\nnot: an object\n", all.join("\n---\n"))),
        ("single", all[0].clone()),
    ];
    let more: Vec<_> = forms
        .iter()
        .flat_map(|(form, text)| {
            [format!("\u{feff}{text}"), format!("{}\n", text.trim_end()), text.trim_end().to_owned()]
                .map(|text| (*form, text))
        })
        .collect();
    forms.extend(more);
    forms
}

/// The objects of an output in a form.
fn objects(form: &str, text: &str) -> Vec<Meaning> {
    match form {
        "ResourceList" | "List" => {
            let [list] = <[Meaning; 1]>::try_from(values(text)).unwrap();
            list["items"].as_array().unwrap().clone()
        }
        "array" => values(text).remove(0).as_array().unwrap().clone(),
        "stream" | "mixed" => {
            let documents = text.trim_start_matches('\u{feff}').split("---");
            documents.filter(|document| document.trim().starts_with('{')).flat_map(values).collect()
        }
        _ => values(text),
    }
}

#[test]
fn edited_json_stays_json() {
    let (before, after) = ([service("a", false), service("b", false)], [service("a", true), service("b", true)]);
    for number in 0..LAYOUTS {
        for (form, text) in forms(&before, number) {
            let count = if form == "single" { 1 } else { 2 };
            assert_eq!(objects(form, &text), before[..count], "{text}");
            let first = usize::from(form == "mixed");
            let changes: BTreeMap<_, _> = (first..first + count).map(|object| (object, edits())).collect();
            let output = written(&text, changes.clone()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(objects(form, &output), after[..count], "{output}");
            // Values without edits are unchanged, byte for byte.
            assert_eq!(output.matches("http:\\/\\/x\\/\\ud83e\\uDD80").count(), 0, "{output}");
            assert_eq!(output.matches("http:\\/\\/x/\\ud83e\\uDD80").count(), count, "{output}");
            assert_eq!(output.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
            assert_eq!(output.ends_with('\n'), text.ends_with('\n'));
            assert!(
                !text.contains("\r\n") || form == "mixed" || !output.replace("\r\n", "").contains("\n "),
                "{output:?}"
            );
        }
    }
}

#[test]
fn results_of_a_list_in_json_are_json() {
    let result = map(&[("message", "a \"b\"\u{85}\n".into()), ("severity", "info".into()), ("n", Value::Null)]);
    let items = [service("a", false)];
    for number in 0..LAYOUTS {
        for results in ["", ",\"results\":[]", ",\"results\":null", ",\"results\":[{\"message\":\"x\"}]"] {
            let text = layout(&serde_json::json!({"kind": "ResourceList", "items": items}), number);
            let text = format!("{}{results}}}", text.trim_end().strip_suffix('}').unwrap());
            let input = read(text.clone());
            let splices = input.render(BTreeMap::from([(0, edits())]), [result.clone(), result.clone()]).unwrap();
            let output = values(&input.output(&splices)).remove(0);
            assert_eq!(output["items"][0], service("a", true));
            let results = output["results"].as_array().unwrap();
            assert_eq!(results.len(), if text.contains('x') && text.contains("\"x\"") { 3 } else { 2 }, "{output}");
            assert_eq!(results.last().unwrap()["message"], "a \"b\"\u{85}\n");
        }
    }
}

#[test]
fn results_of_an_empty_list_are_json() {
    let result = map(&[("message", "a".into())]);
    for text in [
        r#"{"kind":"ResourceList","items":[]}"#,
        r#"{"items": [ ], "kind": "ResourceList"}"#,
        "{\n  \"items\": [],\n  \"kind\": \"ResourceList\"\n}\n",
        "{\n  \"kind\": \"ResourceList\"\n  , \"items\": []\n  , \"results\": []\n}\n",
    ] {
        let input = read(text);
        let splices = input.render(BTreeMap::new(), [result.clone()]).unwrap();
        let output = input.output(&splices);
        assert_eq!(values(&output)[0]["results"], serde_json::json!([{"message": "a"}]), "{output}");
    }
}

#[test]
fn added_and_removed_objects_leave_json() {
    let all = ["a", "b", "c"].map(|name| service(name, false));
    let new = map(&[("apiVersion", "v1".into()), ("kind", "New".into()), ("n", Value::Raw("0.5".into()))]);
    let meant = serde_json::json!({"apiVersion": "v1", "kind": "New", "n": 0.5});
    for number in 0..LAYOUTS {
        // Other line ends and prefixes are tested in one layout only.
        let most = if number == 2 { usize::MAX } else { 7 };
        for (form, text) in forms(&all, number).into_iter().take(most) {
            let (first, count) = (usize::from(form == "mixed"), if form == "single" { 1 } else { 3 });
            for removed in [vec![], vec![0], vec![1], vec![2], vec![0, 1], vec![1, 2]] {
                for added in [vec![], vec![0], vec![count - 1], vec![0, count - 1]] {
                    if removed.iter().any(|at| *at >= count) || (form == "single" && !removed.is_empty()) {
                        continue;
                    }
                    let added_after =
                        |at: &usize| (at + first, vec![Added::Copy(edits()), Added::New(new.clone(), Vec::new())]);
                    let changes = Changes {
                        removed: removed.iter().map(|at| at + first).collect::<BTreeSet<_>>(),
                        added: added.iter().map(added_after).collect(),
                        ..Changes::default()
                    };
                    let mut expected = Vec::new();
                    for (at, object) in all[..count].iter().enumerate() {
                        expected.extend(Some(object.clone()).filter(|_| !removed.contains(&at)));
                        if added.contains(&at) {
                            expected.extend([service(["a", "b", "c"][at], true), meant.clone()]);
                        }
                    }
                    let output = written(&text, changes).unwrap_or_else(|error| panic!("{error}\n{text}"));
                    let found = if form == "single" && !added.is_empty() { "List" } else { form };
                    assert_eq!(objects(found, &output), expected, "{output}");
                }
            }
        }
    }
}

#[test]
fn values_that_json_cannot_express_are_refused() {
    let new = map(&[("apiVersion", "v1".into()), ("kind", "New".into()), ("port", Value::Raw("${PORT}".into()))]);
    let changes = Changes { added: BTreeMap::from([(0, vec![Added::New(new, Vec::new())])]), ..Changes::default() };
    let object = r#"{"apiVersion": "v1", "kind": "A"}"#;
    for text in [
        object.to_owned(),
        format!("[{object}]"),
        format!(r#"{{"kind": "List", "items": [{object}]}}"#),
        format!("---\n{object}\n---\na: b\n"),
    ] {
        let error = written(&text, changes.clone()).unwrap_err();
        assert!(error.contains("JSON"), "{error}");
    }
    // A quoted scalar becomes a JSON string.
    let new = map(&[("apiVersion", "v1".into()), ("kind", "New".into()), ("port", Value::Raw("'${PORT}'".into()))]);
    let changes = Changes { added: BTreeMap::from([(0, vec![Added::New(new, Vec::new())])]), ..Changes::default() };
    assert_eq!(
        written(&format!("[{object}]"), changes).unwrap(),
        format!("[{object}, {{\"apiVersion\": \"v1\", \"kind\": \"New\", \"port\": \"${{PORT}}\"}}]")
    );
}

#[test]
fn half_a_surrogate_pair_is_an_error_with_its_position() {
    for text in [
        "{\"apiVersion\": \"v1\",\n\"kind\": \"\\ud83e\"}",
        "[{\"a\": \"\\ud83e\"}]",
        "{\"kind\": \"List\", \"items\": [{\"a\": \"\\udd80\"}]}",
    ] {
        let error = read(text).objects(|_, _| ()).unwrap_err().to_string();
        assert!(error.contains("surrogate") && error.contains("line "), "{error}");
    }
}
