//! Splits JSON into values and list items, as [`split`](super::split) does for YAML lines.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// Returns the ranges of the values in a text of consecutive JSON objects or arrays; `None` for any other text.
pub(super) fn values(text: &str) -> Option<Vec<Range<usize>>> {
    let json = text.trim_start_matches('\u{feff}');
    if !json.trim_ascii_start().starts_with(['{', '[']) {
        return None;
    }
    let base = text.len() - json.len();
    let mut stream = serde_json::Deserializer::from_str(json).into_iter::<IgnoredAny>();
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(value) = stream.next() {
        value.ok()?;
        let to = stream.byte_offset();
        let blank = json.get(from..to)?.bytes().take_while(u8::is_ascii_whitespace).count();
        // Scalars between objects suggest an unrendered template.
        if !json.get(from + blank..to)?.starts_with(['{', '[']) {
            return None;
        }
        ranges.push(base + from + blank..base + to);
        from = to;
    }
    Some(ranges)
}

/// Fields that decide how a list is split. A duplicate key or a value of another type fails to parse
/// and disables the split.
#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
}

/// Returns the ranges of the items (at least one) of a `kind: List` or `kind: ResourceList`, without
/// commas; `None` for any other value.
pub(super) fn items(text: &str) -> Option<Vec<Range<usize>>> {
    let list: List<'_> = serde_json::from_str(text).ok()?;
    if !matches!(list.kind.as_ref(), "List" | "ResourceList") || list.items.is_empty() {
        return None;
    }
    let start = text.as_ptr() as usize;
    let range = |item: &&RawValue| {
        // The values are slices of `text`, so the pointer difference is the offset.
        let from = (item.get().as_ptr() as usize).checked_sub(start)?;
        let to = from + item.get().len();
        (text.get(from..to) == Some(item.get())).then_some(from..to)
    };
    list.items.iter().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_value_streams_are_split() {
        assert_eq!(values("\u{feff} {}\n[1] {\"a\":\t2}"), Some(vec![4..6, 7..10, 11..19]));
        assert_eq!(values("{}\n---\n{}"), None);
        assert_eq!(values("{a: b}"), None);
        assert_eq!(values("{} 7"), None);
        assert_eq!(values("a: {}"), None);
    }

    #[test]
    fn only_items_of_a_list_are_found() {
        let list = r#"{"kind": "List", "x": {"items": [9]}, "items": [ {"a": 1}, 2 ]}"#;
        let found = items(list).unwrap();
        assert_eq!(
            found.iter().map(|range| list.get(range.clone()).unwrap()).collect::<Vec<_>>(),
            [r#"{"a": 1}"#, "2"]
        );
        for other in
            [r#"{"kind": "List", "items": []}"#, r#"{"kind": "List", "items": [1], "items": [2]}"#, "{}", "[1]"]
        {
            assert_eq!(items(other), None, "{other}");
        }
    }
}
