//! JSON remains JSON after every edit.

use insta::assert_snapshot;
use serde_json::Value as Meaning;

use super::super::builder::Builder;
use super::super::{NodeRef, Op, Path, Tree, Value, edit_text, splice, verify};
use super::{add, append, map, remove, seq, set, show};

/// A document with values of every kind to be replaced by values of every other kind.
const PODS: &str = r#"{"apiVersion": "v1", "ports": [{"targetPort": 8080, "on": true, "none": null, "empty": {}, "list": [], "path": "a\/b"}]}"#;

fn json(text: &str) -> Meaning {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the edited text, after a check that it is JSON with the edited values.
fn edited(text: &str, ops: &[Op]) -> String {
    let edited = edit_text(text, 0, &Path::root(), ops).unwrap_or_else(|error| panic!("{error}\n{text}"));
    json(edited.trim_start_matches('\u{feff}'));
    edited
}

#[test]
fn a_number_becomes_a_quoted_text() {
    assert_snapshot!(show("{\"targetPort\": 8080}", &[set("targetPort", "http")]), @r#"{"targetPort": "http"}<no line break>"#);
    assert_snapshot!(show("[{\"ports\":[{\"targetPort\":8080}]}]\n", &[set("0.ports.0.targetPort", "8443")]), @r#"[{"ports":[{"targetPort":"8443"}]}]"#);
    // JSON inside of YAML.
    assert_snapshot!(show("items:\n- {\"targetPort\": 8080} # dialled\n- {targetPort: 8080}\n", &[set("items.0.targetPort", "http"), set("items.1.targetPort", "http")]), @r#"
    items:
    - {"targetPort": "http"} # dialled
    - {targetPort: http}
    "#);
}

#[test]
fn every_json_value_can_replace_any_other() {
    let values = || {
        let list = Value::Seq(vec![1_i64.into(), "x".into(), Value::Null]);
        let filled = map(&[("k", "yes".into()), ("l", list.clone()), ("m", Value::Map(Vec::new()))]);
        let plain: [Value; 6] = ["http".into(), "8080".into(), "null".into(), 7_i64.into(), true.into(), Value::Null];
        plain.into_iter().chain([Value::Map(Vec::new()), Value::Seq(Vec::new()), list, filled])
    };
    let pretty = |indent: &[u8]| {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
        let mut out = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        serde::Serialize::serialize(&json(PODS), &mut out).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    for text in [PODS.to_owned(), json(PODS).to_string(), pretty(b"  "), pretty(b"    "), pretty(b"\t")] {
        for text in [text.replace('\n', "\r\n"), format!("\u{feff}{text}\n"), text] {
            for key in ["targetPort", "on", "none", "empty", "list", "path"] {
                for value in values() {
                    let out = edited(&text, &[set(&format!("ports.0.{key}"), value.clone())]);
                    let found = json(out.trim_start_matches('\u{feff}'));
                    assert_eq!(found["ports"][0][key], meaning(&value), "{text}");
                    assert_eq!(out.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
                    assert_eq!(
                        out.replace("\r\n", "").contains('\n'),
                        text.replace("\r\n", "").contains('\n'),
                        "{out:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn empty_collections_are_filled() {
    let text = "{\"a\": null, \"b\": null, \"c\": {}, \"d\": [], \"e\": {\n}, \"f\": [ ]}";
    let ops = [
        add("a", "k", "1", &[], &[]),
        append("b", 1_i64),
        add("c", "k", "v", &[], &[]),
        append("d", "x"),
        add("e", "k", Value::Null, &[], &[]),
        add("e", "l", "yes", &["k"], &[]),
        append("f", map(&[("y", "z".into())])),
    ];
    assert_snapshot!(edited(text, &ops), @r#"{"a": {"k": "1"}, "b": [1], "c": {"k": "v"}, "d": ["x"], "e": {"k": null, "l": "yes"}, "f": [{"y": "z"}]}"#);
    // The reverse edits.
    let ops = [remove("a.k"), remove("b.0"), remove("e.l"), remove("e.k"), remove("f.0")];
    assert_snapshot!(edited(&edited(text, &[add("a", "k", "1", &[], &[]), append("b", 1_i64), add("e", "k", "1", &[], &[]), add("e", "l", "1", &[], &[]), append("f", "x")]), &ops), @r#"{"a": {}, "b": [], "c": {}, "d": [], "e": {}, "f": []}"#);
}

fn meaning(value: &Value) -> Meaning {
    match value {
        Value::Null => Meaning::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Str(text) => text.as_str().into(),
        Value::Raw(raw) => json(raw),
        Value::Seq(items) => items.iter().map(meaning).collect(),
        Value::Map(entries) => entries.iter().map(|(key, value)| (key.clone(), meaning(value))).collect(),
    }
}

#[test]
fn escapes_are_read_and_kept() {
    let text = r#"{"a": "x\/y \uD83E\uDD80 \u0000 \u00e9 8080 \/", "\u006b\/": "1", "o": "\u2028"}"#;
    let root = Tree::parse(text).unwrap();
    let get = |key: &str| root.root(0).and_then(|root| root.get(key)).and_then(NodeRef::text);
    assert_eq!(get("a"), Some("x/y 🦀 \0 é 8080 /"));
    assert_eq!(get("k/"), Some("1"));
    assert_snapshot!(edited(text, &[set("a", "x/y 🦀 \0 é 20080 /"), set("k/", "2"), set("o", 3_i64)]), @r#"{"a": "x\/y \uD83E\uDD80 \u0000 \u00e9 20080 \/", "\u006b\/": "2", "o": 3}"#);
    // One half of a surrogate pair changes: only the pair is rewritten.
    assert_snapshot!(edited(text, &[set("a", "x/y 🦁 \0 é 8080 /")]), @r#"{"a": "x\/y 🦁 \u0000 \u00e9 8080 \/", "\u006b\/": "1", "o": "\u2028"}"#);
    // A new string uses only escapes of JSON.
    assert_snapshot!(edited("{\"a\": 1}", &[set("a", "\u{7f}\u{85}\u{2028}\u{feff}\u{1}\u{1b}\"\\/\t\r\n🦀\u{fffe}")]), @r#"{"a": "\u007f\u0085\u2028\ufeff\u0001\u001b\"\\/\t\r\n🦀\ufffe"}"#);
}

#[test]
fn forms_that_only_json_allows_are_read() {
    let long = "k".repeat(5000);
    for (text, key) in [
        ("{\"a\": \"\u{7f}\u{85}\u{2028}\u{fffe}\u{ffff}\u{9f}\", \"b\": 1}".to_owned(), "b"),
        ("{\"a\"\n:\n1,\n\"b\"\t:\t1}".to_owned(), "b"),
        ("{\"a\":{\"b\":1},\"b\"\n\t:2}".to_owned(), "b"),
        (format!("{{\"{long}\": 1}}"), long.as_str()),
        (format!("{{\"a\": 1, \"{long}\": {{\"{long}\": \"\\/\"}}}}"), long.as_str()),
        ("{\"\": 1}".to_owned(), ""),
        ("{\"<<\": {\"b\": 1}, \"y\": 1, \"null\": 1, \"~\": 1, \"1\": 1}".to_owned(), "y"),
        ("\u{feff} \r\n\t{\"y\": 1e3}\r".to_owned(), "y"),
        ("---\n{\"y\": -0, \"a\":1}\n...\n".to_owned(), "y"),
        ("{\"#\": \"# no comment\", \"&a\": \"*a\", \"y\": 1.0}".to_owned(), "y"),
    ] {
        let key = Path::root().key(key.to_owned());
        let ops = [Op::Set { path: key, value: "x,\"y".into() }, add("", "new", "z", &[], &[])];
        let out = edit_text(&text, 0, &Path::root(), &ops).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let tree = Tree::parse(&out).unwrap();
        assert!(tree.is_json(), "{out}");
        let value = json(out.trim_start_matches(['\u{feff}', '-']).trim_end_matches(['.', '\n']));
        assert_eq!(value["new"], "z");
        assert!(value.as_object().unwrap().values().any(|value| value == "x,\"y"), "{out}");
    }
    // Line separators of YAML 1.1 are ordinary characters in JSON.
    let text = "{\"a\": \"x\u{2028}y\u{85}z\"}";
    assert_eq!(Tree::parse(text).unwrap().root(0).unwrap().get("a").unwrap().text(), Some("x\u{2028}y\u{85}z"));
}

#[test]
fn numbers_and_words_stay_as_they_are_written() {
    let text = r#"{"a": [1e3, -0, 1.0, 1E-7, 0.5, 12345678901234567890, 1e999, true, null], "b": 1}"#;
    assert_eq!(edit_text(text, 0, &Path::root(), &[set("b", "x")]).unwrap(), text.replace("\"b\": 1", "\"b\": \"x\""));
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    for bad in [r"\ud800", r"\udc00", r"\ud83e\ud83e", r"\ud83ex"] {
        let error = Tree::parse(&format!("{{\"a\": \"{bad}\"}}")).unwrap_err();
        assert!(error.message.contains("surrogate"), "{error}");
    }
}

#[test]
fn a_key_that_occurs_twice_is_refused_where_it_is_edited() {
    assert_snapshot!(show("{\"a\": 1, \"a\": 2, \"b\": 1}", &[set("a", 3_i64)]), @"ERROR: lines 1 and 1: a occurs twice: remove one");
    assert_snapshot!(show("{\"a\": 1, \"\\u0061\": 2, \"b\": 1}", &[set("b", 3_i64)]), @r#"{"a": 1, "\u0061": 2, "b": 3}<no line break>"#);
}

#[test]
fn deep_json_is_edited() {
    for depth in [100, 200, 900] {
        let text = format!("{}{{\"a\": 8080}}{}", "[".repeat(depth), "]".repeat(depth));
        let path = (0..depth).fold(Path::root(), |path, _| path.item(0));
        let ops = [
            Op::Set { path: path.key("a"), value: "http".into() },
            Op::Add { parent: path, key: "b".into(), value: 1_u16.into(), place: super::KeyPosition::default() },
        ];
        let out = edit_text(&text, 0, &Path::root(), &ops).unwrap();
        assert_eq!(out, text.replace("8080", "\"http\", \"b\": 1"));
    }
    let error = Tree::parse(&format!("{}{}", "[".repeat(1001), "]".repeat(1001))).unwrap_err();
    assert_snapshot!(error, @"line 1, column 1001: more than 1000 lists and mappings inside each other");
}

#[test]
fn values_that_json_cannot_express_are_refused_by_edits() {
    let raw = |raw: &str| Value::Raw(raw.to_owned());
    assert_snapshot!(show("{\"a\": 1}", &[set("a", raw("0.5"))]), @r#"{"a": 0.5}<no line break>"#);
    assert_snapshot!(show("{\"a\": 1}", &[set("a", raw("'it''s ${X}'"))]), @r#"{"a": "it's ${X}"}<no line break>"#);
    for value in ["${X}", "0x1F", ".5", "1_000", "2001-01-01", "~"] {
        let ops = [set("a", map(&[("b", raw(value))]))];
        assert_eq!(
            show("{\"a\": 1}", &ops),
            "ERROR: line 1: a cannot be edited: JSON cannot express this value without quotes, and quotes could change it"
        );
        // YAML accepts these values even if all other values are JSON, except the value with braces.
        let shown = show("x: {\"a\": 1}\n", &[set("x.a", raw(value))]);
        match value {
            "${X}" => assert_eq!(
                shown,
                "ERROR: line 1: x.a cannot be edited: between brackets this value needs quotes, and quotes could change it"
            ),
            _ => assert_eq!(shown, format!("x: {{\"a\": {value}}}")),
        }
    }
}

/// A value copied to YAML has no escapes that YAML parsers do not support.
#[test]
fn a_json_value_is_also_a_yaml_value() {
    let tree = Tree::parse(r#"{"a": "\/\ud83e\udd80 ${X}", "b": "\/", "n": 1e3}"#).unwrap();
    let raw = |text: &str| Value::Raw(text.to_owned());
    let value = map(&[("a", raw("\"/🦀 ${X}\"")), ("b", "/".into()), ("n", raw("1e3"))]);
    assert_eq!(tree.root(0).unwrap().to_value(), Some(value));
}

#[test]
fn json_inside_yaml_stays_json() {
    let text = "list: [{\"a\": 1}]\nnumbers: [1, 2]\ntexts: [\"a\"]\nplain: {a: 1}\nempty: {\"a\": {}, \"b\": []}\n";
    let ops = [
        add("list.0", "b", "x", &[], &[]),
        append("list", map(&[("a", "y".into())])),
        append("numbers", "x"),
        append("texts", map(&[("k", "v".into())])),
        add("plain", "b", "x", &[], &[]),
        add("empty.a", "k", "v", &[], &[]),
        append("empty.b", "v"),
    ];
    assert_snapshot!(show(text, &ops), @r#"
    list: [{"a": 1, "b": "x"}, {"a": "y"}]
    numbers: [1, 2, x]
    texts: ["a", {"k": "v"}]
    plain: {a: 1, b: x}
    empty: {"a": {"k": "v"}, "b": ["v"]}
    "#);
}

#[test]
fn an_edit_that_breaks_json_is_an_internal_error() {
    for (text, edited) in [
        ("{\"a\": 8080}", "{\"a\": http}"),
        ("{\"a\": 8080}", "{\"a\": 'http'}"),
        ("{\"a\": 8080}", "{\"a\": \"http\",}"),
        ("{\"a\": 8080}", "a: http"),
        ("x: {\"a\": 8080}\n", "x: {\"a\": http}\n"),
        ("- {\"a\": 8080}\n", "- {\"a\": \"http\",}\n"),
    ] {
        let tree = Tree::parse(text).unwrap();
        let root = tree.root(0).unwrap();
        let path = ["x.a", "0.a", "a"].map(super::at).into_iter().find(|path| root.lookup(path).is_some()).unwrap();
        let error = verify(root, &[Op::Set { path, value: "http".into() }], edited).unwrap_err();
        assert!(error.to_string().contains("JSON"), "{error}\n{edited}");
    }
}

#[test]
fn new_keys_and_elements_have_the_style_of_json() {
    let text = "{\n\t\"a\": [\n\t\t{\"k\": 1}\n\t],\n\t\"b\": {}\n}\n";
    let ops = [append("a", "x"), add("b", "k", seq(&["y"]), &[], &[]), add("", "c", true, &["b"], &[])];
    assert_snapshot!(edited(text, &ops), @r#"
    {
    	"a": [
    		{"k": 1},
    		"x"
    	],
    	"b": {"k": ["y"]},
    	"c": true
    }
    "#);
    assert_snapshot!(edited(r#"{ "a" : 1 , "b" : [ 1 ] }"#, &[append("b", "x"), add("", "c", 1_i64, &["a"], &[])]), @r#"{ "a" : 1 , "c": 1 , "b" : [ 1, "x" ] }"#);
}

#[test]
fn both_readers_make_the_same_tree_of_json() {
    for text in [
        PODS,
        "{}",
        "[]",
        "[[], {}, [{}]]",
        "{\"a\":{\"b\":[1,-2.5e+3,\"x\\ny\"]},\"c\":null}\n",
        "\u{feff}[1]",
        "---\n{\"a\":\n1}",
    ] {
        let json = Builder::new(text).run().ok().unwrap();
        let yaml = Builder::new(text).yaml().ok().unwrap();
        assert!(json.is_json() && !yaml.is_json());
        assert_eq!(format!("{:?}", json.nodes), format!("{:?}", yaml.nodes), "{text}");
    }
    for text in [
        "",
        "1",
        "\"a\"",
        "{a: 1}",
        "{\"a\": 1} # c",
        "{\"a\": 1,}",
        "{} {}",
        "{}\n---\n{}",
        "---{}",
        "%YAML 1.2\n---\n{}",
    ] {
        assert!(!Builder::new(text).run().is_ok_and(|tree| tree.is_json()), "{text}");
    }
}

#[test]
fn splices_change_only_the_edited_range() {
    let text = "{\"a\": 8080,\n \"b\": [1,2 , 3]}";
    let tree = Tree::parse(text).unwrap();
    let splices = super::super::edit(tree.root(0).unwrap(), &[set("a", "http"), remove("b.1")]).unwrap();
    assert_eq!(splice(text, &splices), "{\"a\": \"http\",\n \"b\": [1 , 3]}");
}

#[test]
fn a_document_stays_an_object_or_an_array() {
    for value in [Value::from("x"), Value::Null, 1_u16.into()] {
        let ops = [Op::Set { path: Path::root(), value }];
        let error = edit_text("{\"a\": 1}\n", 0, &Path::root(), &ops).unwrap_err();
        assert!(error.to_string().ends_with("a document in JSON is an object or an array"), "{error}");
        assert!(edit_text("{a: 1}\n", 0, &Path::root(), &ops).is_ok());
    }
    let ops = [Op::Set { path: Path::root(), value: seq(&["b"]) }];
    assert_eq!(json(&edited("{\"a\": 1}\n", &ops)), serde_json::json!(["b"]));
}
