//! Configs without anchors, tags and keys given twice are read from the tree that is there already: the texts are short
//! and the time to start counts. What this refuses is read again by serde-saphyr, which says where and why.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::yaml::{Kind, NodeRef, Style};

/// The config, when it is plain and right.
pub(super) fn read<T: DeserializeOwned>(root: NodeRef<'_, '_>) -> Option<T> {
    serde_json::from_value(value(root)?).ok()
}

fn value(node: NodeRef<'_, '_>) -> Option<Value> {
    if node.is_tagged() {
        return None;
    }
    match node.kind() {
        Kind::Alias => None,
        Kind::Sequence { .. } => node.children().map(value).collect::<Option<Vec<_>>>().map(Value::Array),
        Kind::Mapping { .. } => {
            let mut map = Map::new();
            for (key, entry) in node.entries() {
                let text = key.text().filter(|text| *text != "<<" && !key.is_tagged())?;
                if map.insert(text.to_owned(), value(entry)?).is_some() {
                    return None;
                }
            }
            Some(Value::Object(map))
        }
        Kind::Scalar(Style::Plain) => plain(node),
        Kind::Scalar(_) => node.text().map(Value::from),
    }
}

/// A plain scalar: null, `true`, `false`, a number in decimal digits, or a text that no reader takes for anything else.
fn plain(node: NodeRef<'_, '_>) -> Option<Value> {
    let text = node.text()?;
    if node.is_null() {
        return Some(Value::Null);
    }
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    if let Ok(number) = text.parse::<u64>()
        && number.to_string() == text
    {
        return Some(number.into());
    }
    crate::yaml::is_string(text).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::yaml::Tree;

    #[test]
    fn what_readers_differ_about_is_left_to_the_other_one() {
        let read = |text: &str| value(Tree::parse(text).unwrap().root(0).unwrap());
        for text in ["a: &x 1", "a: !!str 1", "a: 1\nb: 2\na: 3", "<<: {a: 1}", "a: yes", "a: 0x10", "a: 017", "a: -1"]
        {
            let plain = read(text);
            assert!(plain.is_none() || text.contains('&'), "{text}: {plain:?}");
        }
        assert_eq!(
            read("{a: [1, true, null, 'x', \"8443\", --port, 20000-29999], b: }").unwrap(),
            serde_json::json!({"a": [1, true, null, "x", "8443", "--port", "20000-29999"], "b": null})
        );
    }
}
